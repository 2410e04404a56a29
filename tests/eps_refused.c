/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What the solver cannot do is refused by name, and a solver that has refused works once it is asked for something else.
   Which eigenvalues: the largest or smallest real ones where they are the farthest from the shift, otherwise an error
   that says how to shift.
*/
#include "pairs.h"

#define N 24

static PetscErrorCode Arbitrary(PetscScalar er, PetscScalar ei, Vec xr, Vec xi, PetscScalar *rr, PetscScalar *ri, void *ctx)
{
  PetscFunctionBegin;
  (void)ei;
  (void)xr;
  (void)xi;
  (void)ctx;
  *rr = er;
  *ri = 0.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves what is possible: the refused setting has been taken back */
static PetscErrorCode WorksOn(EPS eps, Mat A, Mat B, const PetscReal d[], const char *what)
{
  PetscFunctionBegin;
  PetscCall(EPSSetProblemType(eps, B ? EPS_GHEP : EPS_HEP));
  PetscCall(EPSSetWhichEigenpairs(eps, EPS_LARGEST_MAGNITUDE));
  PetscCall(EPSSolve(eps));
  PetscCall(TapPairs(eps, A, B, 1, N, d, 1e-9, what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Inside the spectrum: optimal momentum finds it, the others say which one does */
static PetscErrorCode TapInside(EPS eps, EPSNAPIMomentum momentum, const char *what)
{
  EPSConvergedReason reason;
  const char        *cause;
  PetscBool          right;

  PetscFunctionBegin;
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConvergedReason(eps, &reason));
  PetscCall(EPSNAPIGetCause(eps, &cause));
  right = (PetscBool)(momentum == EPS_NAPI_MOMENTUM_OPTIMAL ? reason > 0 && !cause[0] : reason < 0 && strstr(cause, "-eps_napi_momentum optimal"));
  PetscCall(TapOk(right, "%s inside the spectrum, momentum %s: %s", what, EPSNAPIMomentums[momentum], momentum == EPS_NAPI_MOMENTUM_OPTIMAL ? "found" : "the cause names the momentum that does it"));
  if (!right) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s: %s\n", EPSConvergedReasons[reason], cause));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Features(Mat A, Mat B, const PetscReal d[], EPSNAPIMomentum momentum)
{
  EPS eps;
  RG  rg;
  ST  st;

  PetscFunctionBegin;
  PetscCall(SolverCreate(A, B, 1, momentum, &eps));
  PetscCall(EPSSetProblemType(eps, B ? EPS_GNHEP : EPS_NHEP));
  TapFails(EPSSolve(eps), PETSC_ERR_SUP, "'napi' cannot be used for non-", "a problem that is not symmetric");
  PetscCall(WorksOn(eps, A, B, d, "a problem that is not symmetric: works on"));
  if (B) {
    PetscCall(EPSSetProblemType(eps, EPS_GHIEP));
    TapFails(EPSSolve(eps), PETSC_ERR_SUP, "'napi' requires that the problem is ", "an indefinite B");
    PetscCall(WorksOn(eps, A, B, d, "an indefinite B: works on"));
  }

  PetscCall(EPSSetInterval(eps, 1.0, 2.0));
  PetscCall(EPSSetWhichEigenpairs(eps, EPS_ALL));
  TapFails(EPSSolve(eps), PETSC_ERR_SUP, "interval", "all the eigenvalues in an interval");
  PetscCall(WorksOn(eps, A, B, d, "all the eigenvalues in an interval: works on"));

  PetscCall(EPSGetRG(eps, &rg));
  PetscCall(RGSetType(rg, RGINTERVAL));
  PetscCall(RGIntervalSetEndpoints(rg, 1.0, 2.0, -1.0, 1.0));
  PetscCall(EPSSetDimensions(eps, 1, NAPI_UNSET, NAPI_UNSET)); /* a solver that has solved must be told to do so again */
  TapFails(EPSSolve(eps), PETSC_ERR_SUP, "'napi' does not support region", "a region");
  PetscCall(RGSetType(rg, RGELLIPSE)); /* of no radius yet: the whole plane */
  PetscCall(WorksOn(eps, A, B, d, "a region: works on"));

  PetscCall(EPSSetArbitrarySelection(eps, Arbitrary, NULL));
  TapFails(EPSSolve(eps), PETSC_ERR_SUP, "'napi' does not support arbitrary selection", "arbitrary selection");
  PetscCall(EPSSetArbitrarySelection(eps, NULL, NULL));
  PetscCall(WorksOn(eps, A, B, d, "arbitrary selection: works on"));

  PetscCall(EPSSetExtraction(eps, EPS_HARMONIC));
  PetscCall(EPSSetDimensions(eps, 1, NAPI_UNSET, NAPI_UNSET));
  TapFails(EPSSolve(eps), PETSC_ERR_SUP, "'napi' only supports Ritz extraction", "harmonic extraction");
  PetscCall(EPSSetExtraction(eps, EPS_RITZ));
  PetscCall(WorksOn(eps, A, B, d, "harmonic extraction: works on"));

  PetscCall(EPSSetTarget(eps, 3.0));
  PetscCall(EPSSetWhichEigenpairs(eps, EPS_TARGET_MAGNITUDE));
  PetscCall(TapInside(eps, momentum, "a target"));
  PetscCall(WorksOn(eps, A, B, d, "a target: works on"));
  PetscCall(EPSSetWhichEigenpairs(eps, EPS_SMALLEST_MAGNITUDE));
  PetscCall(TapInside(eps, momentum, "the smallest magnitude"));
  PetscCall(EPSDestroy(&eps));

  PetscCall(SolverCreate(A, B, 1, momentum, &eps));
  PetscCall(EPSGetST(eps, &st));
  PetscCall(STSetType(st, STFILTER));
  TapFails(EPSSolve(eps), PETSC_ERR_SUP, "'shift', 'sinvert', 'cayley' and 'precond', not 'filter'", "a polynomial filter");
  PetscCall(STSetType(st, STSHIFT));
  PetscCall(EPSSetTarget(eps, 0.0));
  PetscCall(EPSSetWhichEigenpairs(eps, EPS_TARGET_MAGNITUDE));
  PetscCall(PetscOptionsSetValue(NULL, "-st_type", "shift"));
  TapFails(EPSSolve(eps), PETSC_ERR_SUP, "leave out -st_type, or use -st_type sinvert", "a target with a shift that was asked for");
  PetscCall(PetscOptionsClearValue(NULL, "-st_type"));
  PetscCall(WorksOn(eps, A, B, d, "a shift: works on"));
  PetscCall(EPSDestroy(&eps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first k are known[]; in what order is checked here, by `which` */
static PetscErrorCode TapOrdered(EPS eps, Mat A, Mat B, PetscInt k, const PetscReal known[], const char *what)
{
  PetscInt    i, nconv;
  PetscScalar lambda;
  PetscReal   far = 0.0, residual, tol, worst = 0.0;

  PetscFunctionBegin;
  PetscCall(EPSGetConverged(eps, &nconv));
  PetscCall(EPSGetTolerances(eps, &tol, NULL));
  for (i = 0; i < PetscMin(k, nconv); i++) {
    PetscCall(EPSGetEigenvalue(eps, i, &lambda, NULL));
    PetscCall(ScaledResidual(eps, A, B, i, &residual));
    far   = TapWorst(far, PetscAbsScalar(lambda - known[i]));
    worst = TapWorst(worst, residual);
  }
  PetscCall(TapOk((PetscBool)(nconv >= k && far < 1e-8 && worst <= tol), "%s", what));
  if (!(nconv >= k && far < 1e-8 && worst <= tol)) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# converged %d, off by %g, residual %g\n", (int)nconv, (double)far, (double)worst));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Which(Mat A, Mat B, EPSNAPIMomentum momentum)
{
  const PetscReal largest[] = {8.0, 6.0}, smallest[] = {-10.0, -3.5};
  EPS             eps;
  ST              st;

  PetscFunctionBegin;
  PetscCall(SolverCreate(A, B, 2, momentum, &eps));
  PetscCall(EPSGetST(eps, &st));
  PetscCall(EPSSetWhichEigenpairs(eps, EPS_LARGEST_REAL));
  TapFails(EPSSolve(eps), PETSC_ERR_SUP, "-st_shift -10", "LARGEST_REAL where it is not of largest magnitude: the error names the shift");
  PetscCall(STSetShift(st, -10.0));
  PetscCall(EPSSolve(eps));
  PetscCall(TapOrdered(eps, A, B, 2, largest, "LARGEST_REAL with that shift"));

  PetscCall(STSetShift(st, -10.0 + 18.0)); /* now -10 is farther away than 8, which is 0 */
  PetscCall(EPSSetDimensions(eps, 2, NAPI_UNSET, NAPI_UNSET));
  TapFails(EPSSolve(eps), PETSC_ERR_SUP, "-st_shift", "LARGEST_REAL with a shift of the wrong side");
  PetscCall(EPSSetWhichEigenpairs(eps, EPS_SMALLEST_REAL));
  PetscCall(EPSSolve(eps));
  PetscCall(TapOrdered(eps, A, B, 2, smallest, "SMALLEST_REAL with a shift at the other end"));
  PetscCall(STSetShift(st, -10.0));
  PetscCall(EPSSetDimensions(eps, 2, NAPI_UNSET, NAPI_UNSET));
  TapFails(EPSSolve(eps), PETSC_ERR_SUP, "-st_shift 8", "SMALLEST_REAL where it is not of largest magnitude: the error names the shift");
  PetscCall(EPSDestroy(&eps));

  /* LARGEST_MAGNITUDE: a shift towards the far end is as good as none, one that brings the other end up is refused */
  PetscCall(SolverCreate(A, B, 1, momentum, &eps));
  PetscCall(EPSGetST(eps, &st));
  PetscCall(STSetShift(st, -0.5));
  PetscCall(EPSSolve(eps));
  PetscCall(TapOrdered(eps, A, B, 1, smallest, "LARGEST_MAGNITUDE with a shift of its sign"));
  PetscCall(STSetShift(st, -2.0));
  PetscCall(EPSSetDimensions(eps, 1, NAPI_UNSET, NAPI_UNSET));
  TapFails(EPSSolve(eps), PETSC_ERR_SUP, "-st_shift 0", "LARGEST_MAGNITUDE with a shift that makes another one the farthest");
  PetscCall(STSetShift(st, 0.0));
  PetscCall(EPSSolve(eps));
  PetscCall(TapOrdered(eps, A, B, 1, smallest, "LARGEST_MAGNITUDE: works on without"));
  PetscCall(EPSDestroy(&eps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscReal d[N] = {-10.0, 8.0, 6.0, 4.0, -3.5};
  PetscInt  i, m;
  Mat       A, B;

  PetscCall(TapBegin(&argc, &argv));
  for (i = 5; i < N; i++) d[i] = 3.0 * PetscPowReal(0.85, i - 5);
  PetscCall(PairFromSpectrum(N, d, 0.5, &A, NULL));
  PetscCall(Features(A, NULL, d, EPS_NAPI_MOMENTUM_ADAPTIVE));
  PetscCall(Which(A, NULL, EPS_NAPI_MOMENTUM_ADAPTIVE));
  PetscCall(MatDestroy(&A));
  PetscCall(PairFromSpectrum(N, d, 0.5, &A, &B));
  for (m = EPS_NAPI_MOMENTUM_ADAPTIVE; m < Momenta(); m++) PetscCall(Features(A, B, d, (EPSNAPIMomentum)m));
  PetscCall(Which(A, B, EPS_NAPI_MOMENTUM_NONE));
  PetscCall(Which(A, B, EPS_NAPI_MOMENTUM_ADAPTIVE));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  return TapEnd();
}
