/* SPDX-License-Identifier: BSD-2-Clause */
/*
   TAP ("Test Anything Protocol") for programs that run on several ranks: a check passes when it passes on every
   rank, and rank 0 prints it. Use:

     PetscCall(TapBegin(&argc, &argv));             SLEPc, and our library in it
     PetscCall(TapOk(a == b, "a is b"));
     PetscCall(TapNear(x, y, 1e-8, "x is y"));      relative to max(1,|y|)
     worst = TapWorst(worst, PetscAbsReal(x - y));  the larger one, or NaN if any was; PetscMax() loses it
     PetscCall(TapSkip("reason", "what was to be shown"));
     return TapEnd();

   TapEnd() prints the plan, so that a program which stops early fails.
*/
#pragma once
#include <slepcnapi.h>
#include <slepcnapi/private/napicompat.h>
#include <stdarg.h>

static int tap_count = 0, tap_failed = 0;

PETSC_UNUSED static PetscErrorCode TapBegin(int *argc, char ***argv)
{
  PetscFunctionBeginUser;
  PetscCall(SlepcInitialize(argc, argv, NULL, NULL));
  PetscCall(SlepcNAPIInitialize());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PETSC_UNUSED static PetscErrorCode TapOk(PetscBool pass, const char *format, ...)
{
  char        what[1024];
  va_list     args;
  PetscMPIInt mine = pass ? 1 : 0, all = 0;

  PetscFunctionBegin;
  va_start(args, format);
  vsnprintf(what, sizeof(what), format, args);
  va_end(args);
  PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, PETSC_COMM_WORLD));
  tap_count++;
  if (!all) tap_failed++;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%sok %d - %s\n", all ? "" : "not ", tap_count, what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What errors are collected with: a NaN is larger than everything, and stays; so it fails `worst < tol` in the end */
PETSC_UNUSED static PetscReal TapWorst(PetscReal worst, PetscReal error)
{
  if (PetscIsNanReal(worst)) return worst;
  return worst >= error ? worst : error;
}

PETSC_UNUSED static PetscErrorCode TapNear(PetscReal got, PetscReal wanted, PetscReal tol, const char *what)
{
  PetscBool pass = (PetscBool)(!PetscIsInfOrNanReal(wanted) && PetscAbsReal(got - wanted) <= tol * PetscMax(1.0, PetscAbsReal(wanted)));

  PetscFunctionBegin;
  PetscCall(TapOk(pass, "%s", what));
  if (!pass) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# got %.15g, wanted %.15g within %g\n", (double)got, (double)wanted, (double)tol));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PETSC_UNUSED static PetscErrorCode TapSkip(const char *why, const char *what)
{
  PetscFunctionBegin;
  tap_count++;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "ok %d - %s # SKIP %s\n", tap_count, what, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PETSC_UNUSED static PetscErrorCode TapEnd(void)
{
  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "1..%d\n", tap_count));
  PetscCall(SlepcFinalize());
  PetscFunctionReturn(tap_failed ? PETSC_ERR_USER : PETSC_SUCCESS);
}
