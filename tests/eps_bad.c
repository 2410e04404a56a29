/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Operators and inner solvers that are no good: the solver ends with a diverged reason or an error, claims nothing, and
   comes back. Inner solves that are merely cut short are no failure.
*/
#include "pairs.h"
#include <math.h>

#define N 70 /* more than a problem that is solved within a basis of everything */

static PetscErrorCode TapPairGivesUp(Mat A, Mat B, PetscInt momentum, const char *what)
{
  char text[256];
  EPS  eps;

  PetscFunctionBegin;
  PetscCall(SolverCreate(A, B, 1, (EPSNAPIMomentum)momentum, &eps));
  PetscCall(EPSSetTolerances(eps, PETSC_DEFAULT, 200));
  PetscCall(PetscSNPrintf(text, sizeof(text), "%s, %s", EPSNAPIMomentums[momentum], what));
  PetscCall(TapGivesUp(eps, text));
  PetscCall(EPSDestroy(&eps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* B = X D X' with the spectrum D, and A = X X' */
static PetscErrorCode NotDefinite(PetscInt momentum, PetscReal first, PetscReal others, const char *what)
{
  PetscReal d[N];
  PetscInt  i;
  Mat       A, B;

  PetscFunctionBegin;
  d[0] = first;
  for (i = 1; i < N; i++) d[i] = others * (1.0 + i % 7);
  PetscCall(PairFromSpectrum(N, d, 0.5, &B, &A));
  PetscCall(TapPairGivesUp(A, B, momentum, what));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One entry of the result is no number from a certain product on */
static PetscErrorCode Spoiled(Mat A, Mat B, PetscInt momentum)
{
  const PetscReal wrongs[] = {(PetscReal)NAN, (PetscReal)INFINITY};
  const PetscInt  from[]   = {1, 7, 20};
  Shell           a, b;
  Mat             SA, SB;
  char            what[128];
  size_t          i, j, which;

  PetscFunctionBegin;
  for (i = 0; i < 2; i++) {
    for (j = 0; j < 3; j++) {
      for (which = 0; which < 3; which++) { /* A of the pair, B, A alone */
        PetscCall(ShellCreate(A, PETSC_TRUE, &a, &SA));
        PetscCall(ShellCreate(B, PETSC_TRUE, &b, &SB));
        a.wrong = b.wrong                       = wrongs[i];
        *(which == 1 ? &b.spoiled : &a.spoiled) = from[j];
        PetscCall(PetscSNPrintf(what, sizeof(what), "%s from %s%s, product %d on", i ? "Inf" : "NaN", which == 1 ? "B" : "A", which == 2 ? " without B" : "", (int)from[j]));
        PetscCall(TapPairGivesUp(SA, which == 2 ? NULL : SB, momentum, what));
        PetscCall(MatDestroy(&SA));
        PetscCall(MatDestroy(&SB));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A "preconditioner" that is indefinite, or no number, or an error */
PETSC_UNUSED static PetscErrorCode Indefinite(PC pc, Vec x, Vec y)
{
  PetscScalar *v;
  PetscInt     i, first, last;

  PetscFunctionBegin;
  (void)pc;
  PetscCall(VecCopy(x, y));
  PetscCall(VecGetOwnershipRange(y, &first, &last));
  PetscCall(VecGetArray(y, &v));
  for (i = first; i < last; i++)
    if (i % 2) v[i - first] = -v[i - first];
  PetscCall(VecRestoreArray(y, &v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NoNumber(PC pc, Vec x, Vec y)
{
  PetscFunctionBegin;
  (void)pc;
  (void)x;
  PetscCall(VecSet(y, (PetscReal)NAN));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Broken(PC pc, Vec x, Vec y)
{
  (void)x;
  (void)y;
  SETERRQ(PetscObjectComm((PetscObject)pc), PETSC_ERR_USER, "the user's preconditioner is broken");
}

static PetscErrorCode InnerFails(Mat A, Mat B, PetscInt momentum, PetscErrorCode (*apply)(PC, Vec, Vec), const char *what)
{
  char      text[128];
  PetscReal rtol[2], atol[2], dtol[2];
  PetscInt  maxit[2], i;
  PetscBool stop[2], guess[2];
  EPS       eps;
  ST        st;
  KSP       ksp;
  PC        pc;

  PetscFunctionBegin;
  PetscCall(SolverCreate(A, B, 1, (EPSNAPIMomentum)momentum, &eps));
  PetscCall(EPSSetTolerances(eps, PETSC_DEFAULT, 200));
  PetscCall(EPSGetST(eps, &st));
  PetscCall(STGetKSP(st, &ksp));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCSHELL));
  PetscCall(PCShellSetApply(pc, apply));
  PetscCall(EPSSetUp(eps));
  for (i = 0; i < 2; i++) {
    PetscCall(KSPGetTolerances(ksp, &rtol[i], &atol[i], &dtol[i], &maxit[i]));
    PetscCall(KSPGetErrorIfNotConverged(ksp, &stop[i]));
    PetscCall(KSPGetInitialGuessNonzero(ksp, &guess[i]));
    PetscCall(PetscSNPrintf(text, sizeof(text), "%s, %s", EPSNAPIMomentums[momentum], what));
    if (!i) PetscCall(TapGivesUp(eps, text));
  }
  PetscCall(TapOk((PetscBool)(rtol[0] == rtol[1] && atol[0] == atol[1] && dtol[0] == dtol[1] && maxit[0] == maxit[1] && stop[0] == stop[1] && guess[0] == guess[1]), "%s: and the inner solver is as it was", text));
  PetscCall(EPSDestroy(&eps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two iterations at most, which is far from the tolerance asked for */
static PetscErrorCode CutShort(Mat A, Mat B, PetscInt momentum, const PetscReal d[])
{
  EPSConvergedReason reason;
  PetscInt           nconv;
  EPS                eps;

  PetscFunctionBegin;
  PetscCall(SolverCreate(A, B, 1, (EPSNAPIMomentum)momentum, &eps));
  PetscCall(EPSNAPISetInnerTolerances(eps, 1e-6, 2));
  PetscCall(EPSSetTolerances(eps, PETSC_DEFAULT, 1000));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConvergedReason(eps, &reason));
  PetscCall(EPSGetConverged(eps, &nconv));
  PetscCall(TapOk((PetscBool)(reason == EPS_CONVERGED_TOL && nconv >= 1), "%s, inner solves cut short: converges (%s)", EPSNAPIMomentums[momentum], EPSConvergedReasons[reason]));
  PetscCall(TapPairs(eps, A, B, 1, N, d, 1e-9, "inner solves cut short: the answer is right"));
  PetscCall(EPSDestroy(&eps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscReal d[N];
  PetscInt  i, m;
  Mat       A, B;

  PetscCall(TapBegin(&argc, &argv));
  for (i = 0; i < N; i++) d[i] = 10.0 * PetscPowReal(0.95, i);
  PetscCall(PairFromSpectrum(N, d, 0.5, &A, &B));
  for (m = 0; m < Momenta(); m++) {
    if (m == EPS_NAPI_MOMENTUM_FIXED) continue; /* none with a constant */
    PetscCall(NotDefinite(m, -1.0, 1.0, "B indefinite"));
    PetscCall(NotDefinite(m, -0.001, 1.0, "B has one small negative eigenvalue"));
    PetscCall(NotDefinite(m, 0.0, 0.0, "B zero"));
    PetscCall(Spoiled(A, B, m));
    if (!PetscDefined(USE_COMPLEX)) PetscCall(InnerFails(A, B, m, Indefinite, "an indefinite preconditioner")); /* complex CG does not see it */
    PetscCall(InnerFails(A, B, m, NoNumber, "a preconditioner that gives NaN"));
    PetscCall(InnerFails(A, B, m, Broken, "a preconditioner that fails"));
    PetscCall(CutShort(A, B, m, d));
  }
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  return TapEnd();
}
