/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What the tests of smallest, nearest and rigid modes share: problems with a target, and two kinds of claim. TapRight(): the
   answer is there and is right. TapSound(): it is right, or there is none and a sentence or a reason says so; a wrong answer with
   a reason to be content is what no solver may give. Errors of the solve are caught, so that one refusal does not end the test.
*/
#pragma once
#include "attack/problems.h"
#include <unistd.h>

/* The problem with the spectrum d[], its matrices by PairFromSpectrum(): A is full, of type AIJ, and B as well, or NULL for coupling 0 */
PETSC_UNUSED static PetscErrorCode ProblemGiven(PetscInt n, const PetscReal d[], PetscReal coupling, PetscInt k, EPSWhich which, PetscReal target, Problem *p)
{
  PetscReal top = 0.0;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(p, sizeof(*p)));
  p->family  = "given";
  p->form    = coupling > 0.0 ? "dense" : "none";
  p->n       = n;
  p->k       = k;
  p->which   = which;
  p->target  = target;
  p->nvalues = p->known = n;
  p->scaleA = p->scaleB = 1.0;
  p->normB              = PetscSqr(1.0 + coupling);
  p->lowB               = PetscSqr(1.0 - coupling);
  PetscCall(PetscMalloc1(n, &p->values));
  PetscCall(PetscArraycpy(p->values, d, n));
  qsort(p->values, (size_t)n, sizeof(PetscReal), Ascending);
  for (PetscInt i = 0; i < n; i++) top = PetscMax(top, PetscAbsReal(d[i]));
  p->normA = top * p->normB;
  PetscCall(PairFromSpectrum(n, d, coupling, &p->A, coupling > 0.0 ? &p->B : NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   A solver for it, of type napi, with its target where it has one, and with a transformation unless that is NULL. With
   -oracle krylovschur it is another solver which is put to these tests: a test that its answer does not pass is wrong itself.
*/
PETSC_UNUSED static PetscErrorCode SolverTransformed(const Problem *p, STType type, EPS *eps)
{
  char      oracle[64];
  PetscBool other;
  ST        st;

  PetscFunctionBegin;
  PetscCall(SolverFor(p->A, p->B, p->k, p->which, eps));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-oracle", oracle, sizeof(oracle), &other));
  if (other) PetscCall(EPSSetType(*eps, oracle));
  if (p->which == EPS_TARGET_MAGNITUDE || p->which == EPS_TARGET_REAL) PetscCall(EPSSetTarget(*eps, p->target));
  PetscCall(EPSGetST(*eps, &st));
  if (type) PetscCall(STSetType(st, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves, and comes back from an error, whose sentence is in failure[] then */
PETSC_UNUSED static PetscErrorCode Attempt(EPS eps, PetscErrorCode *code)
{
  PetscFunctionBegin;
  PetscCall(FailuresBegin());
  *code = EPSSolve(eps);
  PetscCall(PetscPopErrorHandler());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An error that is about what was asked for, and not about our own code */
PETSC_UNUSED static PetscBool IsRefusal(PetscErrorCode code)
{
  return (PetscBool)(code == PETSC_ERR_SUP || code == PETSC_ERR_USER_INPUT || code == PETSC_ERR_USER || code == PETSC_ERR_ARG_WRONGSTATE || code == PETSC_ERR_ARG_INCOMP || code == PETSC_ERR_ARG_OUTOFRANGE || code == PETSC_ERR_NOT_CONVERGED);
}

/* What a solve has come to, in words */
PETSC_UNUSED static PetscErrorCode Explain(PetscErrorCode code, const Outcome *o)
{
  PetscFunctionBegin;
  if (code) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# error %d: %s\n", (int)code, failure));
  else PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %d found, reason %s, %d steps%s%s\n", (int)o->nconv, EPSConvergedReasons[o->reason], (int)o->its, *o->why ? "; " : "", o->why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The answer is right. The solver and the problem live on. */
PETSC_UNUSED static PetscErrorCode TapRight(EPS eps, const Problem *p, const char *format, ...)
{
  char           what[256];
  va_list        args;
  PetscErrorCode code  = PETSC_SUCCESS;
  Outcome        o     = {RIGHT};
  PetscBool      right = PETSC_FALSE;

  PetscFunctionBegin;
  va_start(args, format);
  (void)vsnprintf(what, sizeof(what), format, args);
  va_end(args);
  PetscCall(Attempt(eps, &code));
  if (!code) {
    PetscCall(Judge(eps, p, &o));
    right = (PetscBool)(o.verdict == RIGHT);
  }
  PetscCall(TapOk(right, "%s", what));
  if (!right) PetscCall(Explain(code, &o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The answer is right, or it is refused by a sentence in which one of the words occurs (word and other may be NULL: any will do), or
   there is a reason why there is none.
*/
PETSC_UNUSED static PetscErrorCode TapSound(EPS eps, const Problem *p, const char *word, const char *other, const char *format, ...)
{
  char           what[256];
  va_list        args;
  PetscErrorCode code = PETSC_SUCCESS;
  Outcome        o    = {RIGHT};
  PetscBool      sound, named;

  PetscFunctionBegin;
  va_start(args, format);
  (void)vsnprintf(what, sizeof(what), format, args);
  va_end(args);
  PetscCall(Attempt(eps, &code));
  if (code) {
    named = (PetscBool)(!word || strstr(failure, word) || (other && strstr(failure, other)));
    sound = (PetscBool)(IsRefusal(code) && *failure && named);
  } else {
    PetscCall(Judge(eps, p, &o));
    sound = (PetscBool)(o.verdict != WRONG);
  }
  PetscCall(TapOk(sound, "%s", what));
  if (code || o.verdict != RIGHT) PetscCall(Explain(code, &o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where sigma lies inside the spectrum: right, or refused by a sentence that names who can; no third way */
PETSC_UNUSED static PetscErrorCode TapInside(EPS eps, const Problem *p, const char *format, ...)
{
  char           what[256];
  va_list        args;
  PetscErrorCode code = PETSC_SUCCESS;
  Outcome        o    = {RIGHT};
  PetscBool      sound;

  PetscFunctionBegin;
  va_start(args, format);
  (void)vsnprintf(what, sizeof(what), format, args);
  va_end(args);
  PetscCall(Attempt(eps, &code));
  if (code) sound = (PetscBool)(code == PETSC_ERR_SUP && (strstr(failure, "krylovschur") || strstr(failure, "jd")));
  else {
    PetscCall(Judge(eps, p, &o));
    sound = (PetscBool)(o.verdict == RIGHT);
  }
  PetscCall(TapOk(sound, "%s", what));
  if (!sound) PetscCall(Explain(code, &o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What -eps_view would print, in a string to be freed; the same on every rank */
PETSC_UNUSED static PetscErrorCode ViewText(EPS eps, char **text)
{
  char        path[PETSC_MAX_PATH_LEN];
  PetscViewer viewer;
  PetscMPIInt rank;
  size_t      length = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PetscCalloc1(65536, text));
  if (!rank) {
    int fd;

    PetscCall(PetscSNPrintf(path, sizeof(path), "%s/napi-view-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp"));
    fd = mkstemp(path);
    PetscCheck(fd >= 0, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "no temporary file %s", path);
    (void)close(fd);
  }
  PetscCallMPI(MPI_Bcast(path, sizeof(path), MPI_CHAR, 0, PETSC_COMM_WORLD));
  PetscCall(PetscViewerASCIIOpen(PETSC_COMM_WORLD, path, &viewer));
  PetscCall(EPSView(eps, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  if (!rank) {
    FILE *f = fopen(path, "r");

    PetscCheck(f, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "cannot read %s again", path);
    length = fread(*text, 1, 65535, f);
    (void)fclose(f);
    (void)remove(path);
  }
  (*text)[length] = 0;
  PetscCallMPI(MPI_Bcast(*text, 65536, MPI_CHAR, 0, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}
