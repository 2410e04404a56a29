/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What a user controls from outside: initial and deflation space, convergence and stopping tests, monitors, dimensions.
*/
#include "pairs.h"

#define N 40

static PetscErrorCode Steps(EPS eps, PetscInt *steps, PetscInt *inner)
{
  PetscFunctionBegin;
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetIterationNumber(eps, steps));
  PetscCall(EPSNAPIGetApplications(eps, NULL, NULL, inner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vectors near the wanted ones save work */
static PetscErrorCode InitialSpace(Mat A, Mat B, const PetscReal d[], EPSNAPIMomentum momentum)
{
  PetscInt     i, cold, warm, colder, warmer;
  PetscRandom  rand;
  PetscScalar *v;
  Vec          x[4];
  EPS          eps;

  PetscFunctionBegin;
  PetscCall(SolverCreate(A, B, 2, momentum, &eps));
  PetscCall(Steps(eps, &cold, &colder));
  for (i = 0; i < 4; i++) PetscCall(MatCreateVecs(A, &x[i], NULL));
  for (i = 0; i < 2; i++) PetscCall(EPSGetEigenvector(eps, i, x[i], NULL));
  PetscCall(EPSDestroy(&eps));
  PetscCall(PetscRandomCreate(PETSC_COMM_WORLD, &rand));
  for (i = 2; i < 4; i++) PetscCall(VecSetRandom(x[i], rand));
  PetscCall(PetscRandomDestroy(&rand));
  for (i = 0; i < 2; i++) { /* a little off */
    PetscCall(VecGetArray(x[i], &v));
    if (v) v[0] *= 1.0001;
    PetscCall(VecRestoreArray(x[i], &v));
  }

  PetscCall(SolverCreate(A, B, 2, momentum, &eps));
  PetscCall(EPSSetInitialSpace(eps, 2, x));
  PetscCall(Steps(eps, &warm, &warmer));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s: %d steps from random vectors, %d from near ones; inner iterations %d, %d\n", EPSNAPIMomentums[momentum], (int)cold, (int)warm, (int)colder, (int)warmer));
  PetscCall(TapOk((PetscBool)(warm < cold && warmer < colder), "%s: an initial space near the answer saves steps and inner iterations", EPSNAPIMomentums[momentum]));
  PetscCall(TapPairs(eps, A, B, 2, N, d, 1e-9, "and the answer is the same"));
  PetscCall(EPSSetInitialSpace(eps, 4, x));
  PetscCall(Steps(eps, &warm, &warmer));
  PetscCall(TapPairs(eps, A, B, 2, N, d, 1e-9, "an initial space as large as the block does no harm"));
  PetscCall(EPSDestroy(&eps));

  /* dependent and zero vectors */
  PetscCall(SolverCreate(A, B, 2, momentum, &eps));
  PetscCall(VecCopy(x[0], x[1]));
  PetscCall(VecSet(x[2], 0.0));
  PetscCall(EPSSetInitialSpace(eps, 3, x));
  PetscCall(EPSSolve(eps));
  PetscCall(TapPairs(eps, A, B, 2, N, d, 1e-9, "an initial space with equal and zero vectors does no harm"));
  PetscCall(EPSDestroy(&eps));
  for (i = 0; i < 4; i++) PetscCall(VecDestroy(&x[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode DeflationSpace(Mat A, Mat B, const PetscReal d[], EPSNAPIMomentum momentum)
{
  char        what[128];
  PetscInt    i, j, nconv;
  PetscReal   most = 0.0;
  PetscScalar dot;
  Vec         y[2], x, bx;
  EPS         eps;

  PetscFunctionBegin;
  PetscCall(SolverCreate(A, B, 2, momentum, &eps));
  PetscCall(EPSSolve(eps));
  for (i = 0; i < 2; i++) {
    PetscCall(MatCreateVecs(A, &y[i], NULL));
    PetscCall(EPSGetEigenvector(eps, i, y[i], NULL));
  }
  PetscCall(EPSDestroy(&eps));

  PetscCall(SolverCreate(A, B, 2, momentum, &eps));
  PetscCall(EPSSetDeflationSpace(eps, 2, y));
  PetscCall(EPSSetTolerances(eps, 1e-7, PETSC_DEFAULT)); /* above the accuracy of what is deflated */
  PetscCall(EPSSolve(eps));
  PetscCall(PetscSNPrintf(what, sizeof(what), "%s: the deflated pairs are not found, those after them are", EPSNAPIMomentums[momentum]));
  PetscCall(TapPairs(eps, A, B, 2, N - 2, d + 2, 1e-9, what));
  PetscCall(EPSGetConverged(eps, &nconv));
  PetscCall(MatCreateVecs(A, &x, &bx));
  for (i = 0; i < nconv; i++) {
    PetscCall(EPSGetEigenvector(eps, i, x, NULL));
    if (B) PetscCall(MatMult(B, x, bx));
    else PetscCall(VecCopy(x, bx));
    for (j = 0; j < 2; j++) {
      PetscCall(VecDot(bx, y[j], &dot));
      most = TapWorst(most, PetscAbsScalar(dot));
    }
  }
  PetscCall(TapOk((PetscBool)(nconv >= 2 && most < 1e-11), "%s: the vectors are B-orthogonal to the deflation space", EPSNAPIMomentums[momentum]));
  if (!(most < 1e-11)) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %g\n", (double)most));
  PetscCall(EPSDestroy(&eps));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&bx));
  for (i = 0; i < 2; i++) PetscCall(VecDestroy(&y[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- tests of convergence ----------------------------------------------------------------------------------------- */

typedef struct {
  PetscInt  calls, steps, limit, nconv;
  PetscReal scale, last;
} Seen;

static PetscErrorCode MyConvergence(EPS eps, PetscScalar eigr, PetscScalar eigi, PetscReal res, PetscReal *errest, void *ctx)
{
  PetscFunctionBegin;
  (void)eps;
  (void)eigr;
  (void)eigi;
  ((Seen *)ctx)->calls++;
  *errest = res * ((Seen *)ctx)->scale;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MyStopping(EPS eps, PetscInt its, PetscInt max_it, PetscInt nconv, PetscInt nev, EPSConvergedReason *reason, void *ctx)
{
  Seen *seen = (Seen *)ctx;

  PetscFunctionBegin;
  seen->calls++;
  PetscCall(EPSStoppingBasic(eps, its, max_it, nconv, nev, reason, NULL));
  if (!*reason && its >= seen->limit) *reason = EPS_CONVERGED_USER;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MyMonitor(EPS eps, PetscInt its, PetscInt nconv, PetscScalar *eigr, PetscScalar *eigi, PetscReal *errest, PetscInt nest, void *ctx)
{
  Seen *seen = (Seen *)ctx;

  PetscFunctionBegin;
  (void)eps;
  (void)eigr;
  (void)eigi;
  seen->calls++;
  if (its == seen->steps + 1 && nconv >= seen->nconv && nest > 0) seen->steps = its; /* in order, none left out */
  seen->nconv = nconv;
  seen->last  = errest[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ||r||/||x|| of the first pair (EPS_ERROR_ABSOLUTE is ||r||) */
static PetscErrorCode Absolute(EPS eps, PetscReal *residual)
{
  PetscScalar lambda;

  PetscFunctionBegin;
  PetscCall(EPSComputeError(eps, 0, EPS_ERROR_RELATIVE, residual));
  PetscCall(EPSGetEigenvalue(eps, 0, &lambda, NULL));
  *residual *= PetscAbsScalar(lambda);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Tests(Mat A, Mat B, const PetscReal d[], EPSNAPIMomentum momentum)
{
  const char        *kind = EPSNAPIMomentums[momentum];
  Seen               seen = {0};
  PetscReal          tol  = 1e-5, r;
  PetscInt           steps, nconv;
  EPSConvergedReason reason;
  EPS                eps;

  PetscFunctionBegin;
  /* a convergence test of the user's own, which asks for 100 times more than the tolerance says; its scale is its own */
  seen.scale = 100.0;
  PetscCall(SolverCreate(A, B, 1, momentum, &eps));
  PetscCall(EPSSetTolerances(eps, tol, PETSC_DEFAULT));
  PetscCall(EPSSetConvergenceTestFunction(eps, MyConvergence, &seen, NULL));
  PetscCall(EPSSolve(eps));
  PetscCall(Absolute(eps, &r));
  PetscCall(EPSGetConverged(eps, &nconv));
  PetscCall(TapOk((PetscBool)(nconv >= 1 && seen.calls > 0 && r < tol / seen.scale), "%s: the user's convergence test decides", kind));
  PetscCall(EPSDestroy(&eps));
  seen.scale = 0.0; /* everything has converged */
  PetscCall(SolverCreate(A, B, 1, momentum, &eps));
  PetscCall(EPSSetConvergenceTestFunction(eps, MyConvergence, &seen, NULL));
  PetscCall(Steps(eps, &steps, NULL));
  PetscCall(TapOk((PetscBool)(steps == 1), "%s: also where it is satisfied with anything", kind));
  PetscCall(EPSDestroy(&eps));

  PetscCall(SolverCreate(A, B, 1, momentum, &eps));
  PetscCall(EPSSetTolerances(eps, tol, PETSC_DEFAULT));
  PetscCall(EPSSetConvergenceTest(eps, EPS_CONV_ABS));
  PetscCall(EPSSolve(eps));
  PetscCall(Absolute(eps, &r));
  PetscCall(TapOk((PetscBool)(r < tol), "%s: -eps_conv_abs", kind));
  PetscCall(EPSDestroy(&eps));

  PetscCall(SolverCreate(A, B, 1, momentum, &eps));
  PetscCall(EPSSetTolerances(eps, tol, PETSC_DEFAULT));
  PetscCall(EPSSetConvergenceTest(eps, EPS_CONV_NORM));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSComputeError(eps, 0, EPS_ERROR_BACKWARD, &r));
  PetscCall(TapOk((PetscBool)(r < tol), "%s: -eps_conv_norm", kind));
  PetscCall(EPSDestroy(&eps));

  PetscCall(SolverCreate(A, B, 2, momentum, &eps));
  PetscCall(EPSSetTrueResidual(eps, PETSC_TRUE));
  PetscCall(EPSSolve(eps));
  PetscCall(TapPairs(eps, A, B, 2, N, d, 1e-9, "-eps_true_residual"));
  PetscCall(EPSDestroy(&eps));

  /* the user stops; nothing is claimed that has not converged */
  seen.calls = 0;
  seen.limit = 3;
  PetscCall(SolverCreate(A, B, 1, momentum, &eps));
  PetscCall(EPSSetStoppingTestFunction(eps, MyStopping, &seen, NULL));
  PetscCall(Steps(eps, &steps, NULL));
  PetscCall(EPSGetConvergedReason(eps, &reason));
  PetscCall(EPSGetConverged(eps, &nconv));
  PetscCall(TapOk((PetscBool)(reason == EPS_CONVERGED_USER && steps == 3 && seen.calls == 3 && nconv == 0), "%s: the user's stopping test stops", kind));
  PetscCall(EPSDestroy(&eps));

  PetscCall(SolverCreate(A, B, 1, momentum, &eps));
  PetscCall(EPSSetTolerances(eps, PETSC_DEFAULT, 2));
  PetscCall(Steps(eps, &steps, NULL));
  PetscCall(EPSGetConvergedReason(eps, &reason));
  PetscCall(EPSGetConverged(eps, &nconv));
  PetscCall(TapOk((PetscBool)(reason == EPS_DIVERGED_ITS && steps == 2 && nconv == 0), "%s: -eps_max_it 2", kind));
  PetscCall(EPSDestroy(&eps));

  seen = (Seen){0};
  PetscCall(SolverCreate(A, B, 3, momentum, &eps));
  PetscCall(EPSMonitorSet(eps, MyMonitor, &seen, NULL));
  PetscCall(Steps(eps, &steps, NULL));
  PetscCall(EPSGetConverged(eps, &nconv));
  PetscCall(EPSGetErrorEstimate(eps, 0, &r));
  PetscCall(TapOk((PetscBool)(seen.calls == steps && seen.steps == steps && seen.nconv == nconv && nconv >= 3), "%s: monitors see every step once, and the converged pairs", kind));
  PetscCall(EPSGetTolerances(eps, &tol, NULL));
  PetscCall(TapOk((PetscBool)(seen.last == r && r > 0.0 && r < tol), "%s: the last error they see is the one the solver keeps, below the tolerance", kind));
  if (!(seen.last == r && r > 0.0 && r < tol)) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %g and %g\n", (double)seen.last, (double)r));
  PetscCall(EPSDestroy(&eps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The block is nev + guard columns, or ncv */
static PetscErrorCode Dimensions(Mat A, Mat B, const PetscReal d[])
{
  PetscInt nev, ncv, few, many, inner;
  EPS      eps;

  PetscFunctionBegin;
  PetscCall(SolverCreate(A, B, 2, EPS_NAPI_MOMENTUM_NONE, &eps));
  PetscCall(Steps(eps, &few, &inner));
  PetscCall(EPSGetDimensions(eps, &nev, &ncv, NULL));
  PetscCall(TapOk((PetscBool)(nev == 2 && ncv == 4), "the block has nev + 2 columns"));
  PetscCall(EPSNAPISetGuard(eps, 5));
  PetscCall(EPSSetDimensions(eps, 2, NAPI_UNSET, NAPI_UNSET));
  PetscCall(Steps(eps, &many, &inner));
  PetscCall(EPSGetDimensions(eps, &nev, &ncv, NULL));
  PetscCall(TapOk((PetscBool)(ncv == 7 && many < few), "or as many more as -eps_napi_guard says, and takes fewer steps then"));
  PetscCall(TapPairs(eps, A, B, 2, N, d, 1e-9, "guard columns: the answer"));
  PetscCall(EPSSetDimensions(eps, 2, 10, NAPI_UNSET));
  PetscCall(Steps(eps, &few, &inner));
  PetscCall(EPSGetDimensions(eps, &nev, &ncv, NULL));
  PetscCall(TapOk((PetscBool)(ncv == 10 && few < many), "ncv, where given, is the number of columns"));
  PetscCall(TapPairs(eps, A, B, 2, N, d, 1e-9, "ncv given: the answer"));
  PetscCall(EPSDestroy(&eps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscReal d[N];
  PetscInt  i, m;
  Mat       A, B;

  PetscCall(TapBegin(&argc, &argv));
  for (i = 0; i < N; i++) d[i] = (i % 3 == 2 ? -10.0 : 10.0) * PetscPowReal(0.9, i);
  PetscCall(PairFromSpectrum(N, d, 0.5, &A, NULL));
  PetscCall(DeflationSpace(A, NULL, d, EPS_NAPI_MOMENTUM_ADAPTIVE));
  PetscCall(Tests(A, NULL, d, EPS_NAPI_MOMENTUM_ADAPTIVE));
  PetscCall(MatDestroy(&A));
  PetscCall(PairFromSpectrum(N, d, 0.5, &A, &B));
  for (m = 0; m < Momenta(); m++) {
    if (m == EPS_NAPI_MOMENTUM_FIXED) continue;
    PetscCall(InitialSpace(A, B, d, (EPSNAPIMomentum)m));
    PetscCall(DeflationSpace(A, B, d, (EPSNAPIMomentum)m));
    PetscCall(Tests(A, B, d, (EPSNAPIMomentum)m));
  }
  PetscCall(Dimensions(A, B, d));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  return TapEnd();
}
