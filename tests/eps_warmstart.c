/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The warm start of the inner solves, and the momentum: what they promise in counts.
*/
#include "pairs.h"

#define N    60
#define LONG 2000

typedef struct {
  PetscInt  steps, acols, inner;
  PetscReal residual;      /* largest of the pairs */
  PetscReal history[LONG]; /* error estimate of the first pair, step by step */
} Run;

static PetscErrorCode Record(EPS eps, PetscInt its, PetscInt nconv, PetscScalar *eigr, PetscScalar *eigi, PetscReal *errest, PetscInt nest, void *ctx)
{
  PetscFunctionBegin;
  (void)eps;
  (void)nconv;
  (void)eigr;
  (void)eigi;
  (void)nest;
  if (its <= LONG) ((Run *)ctx)->history[its - 1] = errest[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves and destroys */
static PetscErrorCode Measure(EPS *eps, Run *run)
{
  PetscInt  i, nev, nconv;
  PetscReal residual;
  Mat       A, B;

  PetscFunctionBegin;
  PetscCall(EPSMonitorSet(*eps, Record, run, NULL));
  PetscCall(EPSSolve(*eps));
  PetscCall(EPSGetIterationNumber(*eps, &run->steps));
  PetscCall(EPSNAPIGetApplications(*eps, &run->acols, NULL, &run->inner));
  PetscCall(EPSGetDimensions(*eps, &nev, NULL, NULL));
  PetscCall(EPSGetConverged(*eps, &nconv));
  PetscCall(EPSGetOperators(*eps, &A, &B));
  run->residual = nconv >= nev ? 0.0 : PETSC_MAX_REAL;
  for (i = 0; i < PetscMin(nev, nconv); i++) {
    PetscCall(ScaledResidual(*eps, A, B, i, &residual));
    run->residual = TapWorst(run->residual, residual);
  }
  PetscCall(EPSDestroy(eps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WarmStarts(Mat A, Mat B, PetscInt k, EPSNAPIMomentum momentum)
{
  const EPSNAPIWarmStart kinds[] = {EPS_NAPI_WARM_START_CORRECTION, EPS_NAPI_WARM_START_GUESS, EPS_NAPI_WARM_START_NONE};
  static Run             run[3];
  PetscReal              tol = 1e-8, apart = 0.0;
  PetscInt               i;
  EPS                    eps;
  char                   what[128];

  PetscFunctionBegin;
  for (i = 0; i < 3; i++) {
    PetscCall(SolverCreate(A, B, k, momentum, &eps));
    PetscCall(EPSSetTolerances(eps, tol, PETSC_DEFAULT));
    PetscCall(EPSNAPISetWarmStart(eps, kinds[i]));
    PetscCall(Measure(&eps, &run[i]));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# correction, guess, none: steps %d %d %d, inner iterations %d %d %d, residual %g %g %g\n", (int)run[0].steps, (int)run[1].steps, (int)run[2].steps, (int)run[0].inner, (int)run[1].inner, (int)run[2].inner,
                        (double)run[0].residual, (double)run[1].residual, (double)run[2].residual));
  PetscCall(PetscSNPrintf(what, sizeof(what), "%s, k=%d", EPSNAPIMomentums[momentum], (int)k));
  PetscCall(TapOk((PetscBool)(run[0].residual <= tol && run[1].residual <= tol && run[2].residual <= tol), "%s: correction, guess and none reach the same residual", what));
  PetscCall(TapOk((PetscBool)(run[0].steps == run[1].steps), "%s: guess takes as many steps as correction", what));
  PetscCall(TapOk((PetscBool)(PetscAbsInt(run[0].inner - run[1].inner) * 100 <= run[0].inner), "%s: guess takes the inner iterations of correction", what));
  /* a guess cancels digits near convergence, which the correction does not: there they agree to what is left of the guess's */
  for (i = 0; i < PetscMin(LONG, PetscMin(run[0].steps, run[1].steps)); i++) apart = TapWorst(apart, PetscAbsReal(run[0].history[i] - run[1].history[i]) / PetscMax(run[0].history[i], 1e-7 * run[0].history[0]));
  PetscCall(TapOk((PetscBool)(apart < 1e-3), "%s: guess has the residual history of correction", what));
  if (!(apart < 1e-3)) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# apart by %g\n", (double)apart));
  PetscCall(TapOk((PetscBool)(run[0].inner < run[2].inner), "%s: the warm start pays", what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* the largest k of d, one column each, nothing but the momentum different */
static PetscErrorCode Fixed(Mat A, Mat B, PetscInt k, PetscReal beta, PetscReal lambda, PetscReal shift, Run *run)
{
  EPS       eps;
  ST        st;
  PetscReal got, wanted = beta >= 0.0 ? beta : (lambda - shift) * (lambda - shift) / 4.0;

  PetscFunctionBegin;
  PetscCall(SolverCreate(A, B, k, wanted > 0.0 ? EPS_NAPI_MOMENTUM_FIXED : EPS_NAPI_MOMENTUM_NONE, &eps));
  PetscCall(EPSNAPISetGuard(eps, 0));
  PetscCall(EPSGetST(eps, &st));
  PetscCall(STSetShift(st, shift));
  if (beta >= 0.0) PetscCall(EPSNAPISetBeta(eps, beta));
  else PetscCall(EPSNAPISetBetaFromEigenvalue(eps, lambda));
  PetscCall(EPSSetUp(eps));
  PetscCall(EPSNAPIGetBeta(eps, &got));
  PetscCall(TapNear(got, wanted, 1e-14, "EPSNAPIGetBeta gives the beta that will be used"));
  PetscCall(Measure(&eps, run));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FixedBeatsNone(Mat A, Mat B, PetscInt k, const PetscReal d[])
{
  const PetscReal shift = 1.0;
  static Run      none, fixed, same, shifted[2];
  PetscReal       optimum = d[k] * d[k] / 4.0;

  PetscFunctionBegin;
  PetscCall(Fixed(A, B, k, 0.0, 0.0, 0.0, &none));
  PetscCall(Fixed(A, B, k, optimum, 0.0, 0.0, &fixed));
  PetscCall(Fixed(A, B, k, -1.0, d[k], 0.0, &same));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# k=%d: none %d steps, %d inner; fixed %d, %d\n", (int)k, (int)none.steps, (int)none.inner, (int)fixed.steps, (int)fixed.inner));
  PetscCall(TapOk((PetscBool)(none.residual <= 1e-8 && fixed.residual <= 1e-8), "k=%d: none and fixed reach the same residual", (int)k));
  PetscCall(TapOk((PetscBool)(3 * fixed.steps < none.steps), "k=%d: fixed momentum at the optimum takes less than a third of the steps of none", (int)k));
  PetscCall(TapOk((PetscBool)(fixed.inner < none.inner && fixed.acols < none.acols), "k=%d: and fewer inner iterations and products with A", (int)k));
  PetscCall(TapOk((PetscBool)(same.steps == fixed.steps && same.inner == fixed.inner && same.residual == fixed.residual), "k=%d: beta from the eigenvalue is that beta", (int)k));

  PetscCall(Fixed(A, B, k, (d[k] - shift) * (d[k] - shift) / 4.0, 0.0, shift, &shifted[0]));
  PetscCall(Fixed(A, B, k, -1.0, d[k], shift, &shifted[1]));
  PetscCall(TapOk((PetscBool)(shifted[0].residual <= 1e-8 && shifted[1].steps == shifted[0].steps && shifted[1].inner == shifted[0].inner), "k=%d: with a shift too", (int)k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscReal d[N];
  PetscInt  i;
  Mat       A, B;

  PetscCall(TapBegin(&argc, &argv));
  for (i = 0; i < N; i++) d[i] = 10.0 * PetscPowReal(0.95, i);
  PetscCall(PairFromSpectrum(N, d, 0.9, &A, &B));
  PetscCall(WarmStarts(A, B, 1, EPS_NAPI_MOMENTUM_NONE));
  PetscCall(WarmStarts(A, B, 1, EPS_NAPI_MOMENTUM_ADAPTIVE));
  PetscCall(WarmStarts(A, B, 4, EPS_NAPI_MOMENTUM_ADAPTIVE));
  PetscCall(FixedBeatsNone(A, B, 1, d));
  PetscCall(FixedBeatsNone(A, B, 3, d));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  return TapEnd();
}
