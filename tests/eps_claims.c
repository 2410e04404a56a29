/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What is claimed on the way and in the end: pairs that count as converged are so while the solve goes on, a basis that has drifted
   is orthonormal again before it counts, a solve that fails claims only what fresh products confirm, and further pairs are pursued and
   not left to chance.
*/
#include "pairs.h"

#define N 150 /* more than a problem that is solved within a basis of everything */

/* B is off by less than the residuals would show: it is the inner product that does */
static PetscErrorCode InnerProduct(Mat A, Mat B, const PetscReal d[], EPSNAPICheck check)
{
  char   what[128];
  Change change;
  Mat    S;
  EPS    eps;

  PetscFunctionBegin;
  PetscCall(ChangeCreate(B, 1e-7, &change, &S));
  PetscCall(SolverCreate(A, S, 2, EPS_NAPI_MOMENTUM_OPTIMAL, &eps));
  PetscCall(EPSSetTolerances(eps, 1e-5, 200));
  PetscCall(EPSNAPISetCheck(eps, check));
  PetscCall(EPSSetStoppingTestFunction(eps, ChangeNow, &change, NULL));
  PetscCall(EPSSolve(eps));
  PetscCall(PetscSNPrintf(what, sizeof(what), "check %s, B off by 1e-7, with a tolerance of 1e-5: the pairs are orthonormal in B as it is", EPSNAPIChecks[check]));
  PetscCall(TapPairs(eps, A, B, 2, N, d, 1e-8, what));
  PetscCall(EPSDestroy(&eps));
  PetscCall(ChangeDestroy(&change, &S));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Gives up after a number of steps, when the matrix changes */
static PetscErrorCode GiveUp(EPS eps, PetscInt its, PetscInt max_it, PetscInt nconv, PetscInt nev, EPSConvergedReason *reason, void *ctx)
{
  Change *change = (Change *)ctx;

  PetscFunctionBegin;
  (void)eps;
  (void)max_it;
  (void)nconv;
  (void)nev;
  if (its >= change->after) {
    change->which = 1;
    *reason       = EPS_DIVERGED_ITS;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* size 0: what has converged behind the first is claimed; otherwise it is not a pair of A any more, and nothing is */
static PetscErrorCode Failed(Mat A, const PetscReal d[], PetscReal size)
{
  PetscReal          limit = 0.5 * (d[0] + d[1]), worst = 0.0, nearest;
  PetscInt           i, j, nconv;
  PetscScalar        value;
  EPSConvergedReason reason;
  Change             change;
  Mat                S;
  EPS                eps;

  PetscFunctionBegin;
  PetscCall(ChangeCreate(A, size, &change, &S));
  change.after = 22; /* the first pair is not down to rounding yet, where it would count */
  PetscCall(SolverCreate(S, NULL, 3, EPS_NAPI_MOMENTUM_OPTIMAL, &eps));
  PetscCall(EPSSetTolerances(eps, 1e-4, 1000));
  PetscCall(EPSNAPISetResidual(eps, EPS_NAPI_RESIDUAL_SLEPC));
  PetscCall(EPSSetConvergenceTestFunction(eps, NeverTheLargest, &limit, NULL));
  PetscCall(EPSSetStoppingTestFunction(eps, GiveUp, &change, NULL));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConvergedReason(eps, &reason));
  PetscCall(EPSGetConverged(eps, &nconv));
  for (i = 0; i < nconv; i++) {
    PetscCall(EPSGetEigenvalue(eps, i, &value, NULL));
    for (j = 0, nearest = PETSC_MAX_REAL; j < N; j++) nearest = PetscMin(nearest, PetscAbsReal(PetscRealPart(value) - d[j]));
    worst = TapWorst(worst, nearest);
  }
  if (size == 0.0) PetscCall(TapOk((PetscBool)(reason < 0 && nconv >= 2 && worst < 1e-4), "a solve that fails: the pairs behind the first are claimed"));
  else PetscCall(TapOk((PetscBool)(reason < 0 && !nconv), "a solve that fails, A off by %g until then: what fresh products do not confirm is not claimed", (double)size));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# reason %d, %d converged, off by %g\n", (int)reason, (int)nconv, (double)worst));
  PetscCall(EPSDestroy(&eps));
  PetscCall(ChangeDestroy(&change, &S));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those beyond nev are pursued: they take a few times the steps of a solve that was asked for them, not what chance takes */
static PetscErrorCode Pursued(Mat A, Mat B, PetscInt want)
{
  PetscInt its[2], nev;
  EPS      eps;

  PetscFunctionBegin;
  for (nev = 0; nev < 2; nev++) {
    PetscCall(SolverCreate(A, B, nev ? 1 : want, EPS_NAPI_MOMENTUM_OPTIMAL, &eps));
    PetscCall(EPSSetTolerances(eps, 1e-8, 3000));
    PetscCall(EPSNAPISetBlockSize(eps, 2));
    if (nev) PetscCall(EPSSetStoppingTestFunction(eps, More, &want, NULL));
    PetscCall(EPSSolve(eps));
    PetscCall(EPSGetIterationNumber(eps, &its[nev]));
    PetscCall(EPSDestroy(&eps));
  }
  PetscCall(TapOk((PetscBool)(its[1] <= 4 * its[0]), "nev = 1, but %d wanted: %d steps, %d had they been asked for", (int)want, (int)its[1], (int)its[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const PetscReal *d;
  PetscInt         calls, some, wrong;
} Watch;

/* The first nconv values that are shown are eigenvalues */
static PetscErrorCode Watching(EPS eps, PetscInt its, PetscInt nconv, PetscScalar *eigr, PetscScalar *eigi, PetscReal *errest, PetscInt nest, void *ctx)
{
  Watch    *watch = (Watch *)ctx;
  PetscInt  i, j;
  PetscReal nearest;

  PetscFunctionBegin;
  (void)eps;
  (void)its;
  (void)eigi;
  (void)errest;
  (void)nest;
  watch->calls++;
  if (nconv) watch->some++;
  for (i = 0; i < nconv; i++) {
    for (j = 0, nearest = PETSC_MAX_REAL; j < N; j++) nearest = PetscMin(nearest, PetscAbsReal(PetscRealPart(eigr[i]) - watch->d[j]));
    if (!(nearest <= 1e-5 * PetscAbsScalar(eigr[i]))) watch->wrong++;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Started from an eigenvector that is not the first, which has converged before those in front of it turn up */
static PetscErrorCode Shown(const PetscReal d[], PetscInt k)
{
  PetscInt i, first, last;
  Watch    watch = {d, 0, 0, 0};
  Mat      A;
  Vec      x;
  EPS      eps;

  PetscFunctionBegin;
  PetscCall(Tridiagonal(N, 0.0, 0.0, &A));
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  for (i = first; i < last; i++) PetscCall(MatSetValue(A, i, i, d[i], INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatCreateVecs(A, &x, NULL));
  PetscCall(VecSet(x, 0.0));
  PetscCall(VecSetValue(x, 2, 1.0, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(x));
  PetscCall(VecAssemblyEnd(x));
  PetscCall(SolverCreate(A, NULL, k, EPS_NAPI_MOMENTUM_OPTIMAL, &eps));
  PetscCall(EPSSetInitialSpace(eps, 1, &x));
  PetscCall(EPSMonitorSet(eps, Watching, &watch, NULL));
  PetscCall(EPSSolve(eps));
  PetscCall(TapOk((PetscBool)(!watch.wrong && watch.some > 1), "k=%d: what a monitor is shown as converged is, though others turn up in front of it (%d of %d times some were)", (int)k, (int)watch.some, (int)watch.calls));
  if (watch.wrong) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %d were not\n", (int)watch.wrong));
  PetscCall(EPSDestroy(&eps));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscReal d[N];
  PetscInt  i;
  Mat       A, B;

  PetscCall(TapBegin(&argc, &argv));
  for (i = 0; i < N; i++) d[i] = 10.0 * PetscPowReal(0.93, i);
  PetscCall(Shown(d, 2));
  PetscCall(Shown(d, 3));
  PetscCall(PairFromSpectrum(N, d, 0.5, &A, NULL));
  PetscCall(Failed(A, d, 0.0));
  PetscCall(Failed(A, d, 0.1));
  PetscCall(MatDestroy(&A));
  PetscCall(PairFromSpectrum(N, d, 0.5, &A, &B));
  PetscCall(InnerProduct(A, B, d, EPS_NAPI_CHECK_QUICK));
  PetscCall(InnerProduct(A, B, d, EPS_NAPI_CHECK_NONE));
  PetscCall(Pursued(A, B, 4));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  return TapEnd();
}
