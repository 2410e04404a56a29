/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Products that are carried along and are no good any more: lost digits, a matrix that is not what it was, and a user who wants
   more than was asked for when everything had been found. The answer is that of fresh products.
*/
#include "pairs.h"

#define N 150 /* more than a problem that is solved within a basis of everything */

static PetscErrorCode Contradicted(Mat A, Mat B, const PetscReal d[], PetscInt k, PetscReal size)
{
  char     what[128];
  PetscInt nconv;
  Change   change;
  Mat      S;
  EPS      eps;

  PetscFunctionBegin;
  PetscCall(ChangeCreate(A, size, &change, &S));
  PetscCall(SolverCreate(S, B, k, EPS_NAPI_MOMENTUM_OPTIMAL, &eps));
  PetscCall(EPSSetStoppingTestFunction(eps, ChangeNow, &change, NULL));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConverged(eps, &nconv));
  PetscCall(TapOk((PetscBool)(change.products[0] > k && change.products[1] > k), "k=%d, A off by %g until it is verified: both have been used", (int)k, (double)size));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %d products before, %d after, %d converged\n", (int)change.products[0], (int)change.products[1], (int)nconv));
  PetscCall(PetscSNPrintf(what, sizeof(what), "k=%d, A off by %g until it is verified, %s: the pairs are those of A as it is", (int)k, (double)size, B ? "generalised" : "standard"));
  PetscCall(TapPairs(eps, A, B, k, N, d, 1e-9, what));
  PetscCall(EPSDestroy(&eps));
  PetscCall(ChangeDestroy(&change, &S));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* B: what is orthonormal in its inner product is not in the other's. Right, or a reason and nothing claimed */
static PetscErrorCode ContradictedB(Mat A, Mat B, const PetscReal d[], PetscReal size)
{
  char               what[128];
  EPSConvergedReason reason;
  PetscInt           nconv;
  Change             change;
  Mat                S;
  EPS                eps;

  PetscFunctionBegin;
  PetscCall(ChangeCreate(B, size, &change, &S));
  PetscCall(SolverCreate(A, S, 2, EPS_NAPI_MOMENTUM_OPTIMAL, &eps));
  PetscCall(EPSSetTolerances(eps, 1e-8, 100));
  PetscCall(EPSSetStoppingTestFunction(eps, ChangeNow, &change, NULL));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConvergedReason(eps, &reason));
  PetscCall(EPSGetConverged(eps, &nconv));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# B off by %g: %s, %d converged\n", (double)size, EPSConvergedReasons[reason], (int)nconv));
  PetscCall(PetscSNPrintf(what, sizeof(what), "B off by %g until it is verified: right, or nothing is claimed", (double)size));
  if (reason < 0) PetscCall(TapOk((PetscBool)(nconv == 0), "%s", what));
  else PetscCall(TapPairs(eps, A, B, 2, N, d, 1e-9, what));
  PetscCall(EPSDestroy(&eps));
  PetscCall(ChangeDestroy(&change, &S));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x -> x and ten million times the vector of ones: everything it gives is nearly that, which the basis has already, and cancels */
static PetscErrorCode NearlyOne(PC pc, Vec x, Vec y)
{
  PetscReal norm;

  PetscFunctionBegin;
  (void)pc;
  PetscCall(VecNorm(x, NORM_2, &norm));
  PetscCall(VecCopy(x, y));
  PetscCall(VecShift(y, 1e7 * norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Cancelled(Mat A, Mat B, const PetscReal d[])
{
  EPS eps;
  ST  st;
  KSP ksp;
  PC  pc;

  PetscFunctionBegin;
  PetscCall(SolverCreate(A, B, 3, EPS_NAPI_MOMENTUM_OPTIMAL, &eps));
  PetscCall(EPSNAPISetBlockSize(eps, 1));
  PetscCall(EPSSetTolerances(eps, 1e-8, 3000));
  PetscCall(EPSGetST(eps, &st));
  PetscCall(STGetKSP(st, &ksp));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCSHELL));
  PetscCall(PCShellSetApply(pc, NearlyOne));
  PetscCall(EPSSolve(eps));
  PetscCall(TapPairs(eps, A, B, 3, N, d, 1e-9, "a preconditioner that gives nearly the same vector always: right, and B-orthonormal"));
  PetscCall(EPSDestroy(&eps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MoreThanNev(Mat A, Mat B, const PetscReal d[], PetscInt nev, PetscInt want)
{
  char               what[128];
  EPSConvergedReason reason;
  EPS                eps;

  PetscFunctionBegin;
  PetscCall(SolverCreate(A, B, nev, EPS_NAPI_MOMENTUM_OPTIMAL, &eps));
  PetscCall(EPSSetStoppingTestFunction(eps, More, &want, NULL));
  PetscCall(EPSSetTolerances(eps, 1e-8, 3000));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConvergedReason(eps, &reason));
  PetscCall(TapOk((PetscBool)(reason == EPS_CONVERGED_USER), "nev = %d, but the user's stopping test wants %d: %s", (int)nev, (int)want, EPSConvergedReasons[reason]));
  PetscCall(PetscSNPrintf(what, sizeof(what), "nev = %d: all %d are right", (int)nev, (int)want));
  PetscCall(TapPairs(eps, A, B, want, N, d, 1e-9, what));
  PetscCall(EPSDestroy(&eps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscReal d[N];
  PetscInt  i;
  Mat       A, B;

  PetscCall(TapBegin(&argc, &argv));
  for (i = 0; i < N; i++) d[i] = 10.0 * PetscPowReal(0.93, i);
  PetscCall(PairFromSpectrum(N, d, 0.5, &A, NULL));
  PetscCall(Contradicted(A, NULL, d, 2, 1e-4));
  PetscCall(MatDestroy(&A));
  PetscCall(PairFromSpectrum(N, d, 0.5, &A, &B));
  PetscCall(Contradicted(A, B, d, 1, 1e-6));
  PetscCall(Contradicted(A, B, d, 3, 1e-4));
  PetscCall(Contradicted(A, B, d, 3, 1e-2));
  PetscCall(ContradictedB(A, B, d, 1e-6));
  PetscCall(ContradictedB(A, B, d, 1e-3));
  PetscCall(Cancelled(A, B, d));
  PetscCall(MoreThanNev(A, B, d, 1, 4));
  PetscCall(MoreThanNev(A, B, d, 3, 8));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  return TapEnd();
}
