/* SPDX-License-Identifier: BSD-2-Clause */
/*
   KSP type nesterov: against Cholesky and answers known in closed form, and the rate of the textbook. Any positive definite
   operator will do: a MATGRAM, a sparse matrix, a shell.
*/
#include "samples.h"

#define N 120

static PetscReal Eigenvalue(PetscInt i)
{
  return 1.0 + 99.0 * PetscSqr((PetscReal)i / (N - 1));
}

static PetscErrorCode Through(Mat A, Vec x, Vec y)
{
  Mat B;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(A, &B));
  PetscCall(MatMult(B, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Diagonal(PetscReal scale, PetscBool negative, Mat *A)
{
  PetscInt first, last;

  PetscFunctionBeginUser;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, N, N, 1, NULL, 0, NULL, A));
  PetscCall(MatGetOwnershipRange(*A, &first, &last));
  for (PetscInt i = first; i < last; i++) PetscCall(MatSetValue(*A, i, i, scale * (negative && i == 7 ? -Eigenvalue(i) : Eigenvalue(i)), INSERT_VALUES));
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ||x - x*||_A^2/2 and ||x - x*||^2 for the diagonal matrix and column 0 */
static PetscErrorCode Excess(Vec x, PetscReal *f, PetscReal *square)
{
  const PetscScalar *a;
  PetscInt           first, last;
  PetscReal          sum[2] = {0.0, 0.0};

  PetscFunctionBeginUser;
  PetscCall(VecGetOwnershipRange(x, &first, &last));
  PetscCall(VecGetArrayRead(x, &a));
  for (PetscInt i = first; i < last; i++) {
    PetscReal e = PetscAbsScalar(a[i - first] - RhsEntry(i, 0) / Eigenvalue(i));

    sum[0] += .5 * Eigenvalue(i) * e * e;
    sum[1] += e * e;
  }
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPIU_REAL, MPIU_SUM, PETSC_COMM_WORLD));
  *f      = sum[0];
  *square = sum[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscInt  calls;
  PetscBool holds;
  PetscReal kappa, start;
} Watch;

/* Nesterov, Theorem 2.2.3: f(x_k) - f* <= (1 - 1/sqrt(kappa))^k (f(x_0) - f* + mu/2 ||x_0 - x*||^2) */
static PetscErrorCode WatchRate(KSP ksp, PetscInt it, PetscReal rnorm, void *ctx)
{
  Watch    *watch = (Watch *)ctx;
  Vec       x;
  PetscReal f, square;

  PetscFunctionBegin;
  (void)rnorm;
  watch->calls++;
  PetscCall(KSPBuildSolution(ksp, NULL, &x));
  PetscCall(Excess(x, &f, &square));
  if (!it) watch->start = f + .5 * square; /* mu = 1 */
  if (!(f <= PetscPowReal(1.0 - 1.0 / PetscSqrtReal(watch->kappa), it) * watch->start + 1e-25)) watch->holds = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Check(KSP ksp, Mat A, Vec b, Vec x, PetscReal tol, PetscInt *its, const char *what)
{
  KSPConvergedReason reason;
  PetscReal          rnorm, norm, own;
  Vec                r;

  PetscFunctionBeginUser;
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetIterationNumber(ksp, its));
  PetscCall(KSPGetResidualNorm(ksp, &own));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAXPY(r, -1.0, b));
  PetscCall(VecNorm(r, NORM_2, &rnorm));
  PetscCall(VecNorm(b, NORM_2, &norm));
  PetscCall(VecDestroy(&r));
  PetscCall(TapOk((PetscBool)(reason == KSP_CONVERGED_RTOL && rnorm <= 1.0001 * tol * norm && PetscAbsReal(rnorm - own) <= 1e-12 * norm), "%s", what));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s, %d iterations, true residual %.3g\n", KSPConvergedReasons[reason], (int)*its, (double)(rnorm / norm)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestRate(void)
{
  Watch     watch = {0, PETSC_TRUE, 100.0, 0.0};
  PetscInt  known, unknown, richardson;
  PetscReal min, max;
  Mat       A, S;
  KSP       ksp;
  Vec       b, x;
  PetscInt  n;

  PetscFunctionBeginUser;
  PetscCall(Diagonal(1.0, PETSC_FALSE, &A));
  PetscCall(Rhs(A, 0, &b, &x));
  PetscCall(SamplesSolver(A, KSPNESTEROV, 1e-10, 2000, &ksp));
  PetscCall(KSPNesterovSetSpectrum(ksp, 1.0, 100.0));
  PetscCall(KSPMonitorSet(ksp, WatchRate, &watch, NULL));
  PetscCall(Check(ksp, A, b, x, 1e-10, &known, "the spectrum known"));
  PetscCall(TapOk((PetscBool)(watch.holds && watch.calls == known + 1), "the rate of Nesterov in every iteration"));
  PetscCall(KSPDestroy(&ksp));

  PetscCall(SamplesSolver(A, KSPNESTEROV, 1e-10, 2000, &ksp));
  PetscCall(Check(ksp, A, b, x, 1e-10, &unknown, "nothing known of the spectrum"));
  PetscCall(KSPNesterovGetSpectrum(ksp, &min, &max));
  PetscCall(TapOk((PetscBool)(min == 0.0 && max >= 100.0 * (1 - 1e-6) && max < 110.0), "the largest eigenvalue is found"));
  PetscCall(TapOk((PetscBool)(unknown < 2 * known), "and it takes less than twice as long"));
  PetscCall(KSPNesterovSetSpectrum(ksp, 0.0, 2.0)); /* far too small: would diverge at once */
  PetscCall(Check(ksp, A, b, x, 1e-10, &n, "a largest eigenvalue that is given too small is corrected"));
  PetscCall(KSPDestroy(&ksp));

  PetscCall(SamplesSolver(A, KSPRICHARDSON, 1e-10, 20000, &ksp));
  PetscCall(KSPRichardsonSetScale(ksp, 2.0 / 101.0));
  PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetIterationNumber(ksp, &richardson));
  PetscCall(TapOk((PetscBool)(richardson > 3 * known), "gradient descent takes more than three times as long"));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# richardson %d, nesterov %d, spectrum not known %d\n", (int)richardson, (int)known, (int)unknown));
  PetscCall(KSPDestroy(&ksp));

  PetscCall(MatGetLocalSize(A, &n, NULL));
  PetscCall(MatCreateShell(PETSC_COMM_WORLD, n, n, N, N, A, &S));
  PetscCall(MatShellSetOperation(S, MATOP_MULT, (void (*)(void))Through));
  PetscCall(SamplesSolver(S, KSPNESTEROV, 1e-8, 2000, &ksp));
  PetscCall(Check(ksp, S, b, x, 1e-8, &n, "a shell"));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&S));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestGram(void)
{
  static const Samples c = {
    "two views", 300, {12,          9         },
      {PETSC_FALSE, PETSC_TRUE},
      PETSC_TRUE, PETSC_FALSE, 1, 0, 1, .05, .1, .4, 1, -1
  };
  Problem   p;
  KSP       ksp;
  PC        pc;
  Vec       b, x;
  PetscReal error = 1.0, before, after;
  PetscInt  its, n;

  PetscFunctionBeginUser;
  PetscCall(ProblemCreate(&c, &p));
  PetscCall(Rhs(p.G, 0, &b, &x));
  PetscCall(SamplesSolver(p.G, KSPNESTEROV, 1e-8, 500, &ksp));
  PetscCall(Check(ksp, p.G, b, x, 1e-8, &its, "a Gram matrix"));
  PetscCall(Errors(&p, 0, x, NULL, &error, NULL, NULL));
  PetscCall(TapOk((PetscBool)(error < 1e-7), "the solution of Cholesky"));
  PetscCall(MatGramGetPasses(p.G, &before));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(MatGramGetPasses(p.G, &after));
  PetscCall(TapOk((PetscBool)(after - before == (PetscReal)its), "one product an iteration, and the estimate is kept"));
  PetscCall(KSPSetInitialGuessNonzero(ksp, PETSC_TRUE));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetIterationNumber(ksp, &n));
  PetscCall(TapOk((PetscBool)(n == 0), "from the solution there is nothing to do"));
  PetscCall(VecSet(x, 1.0));
  PetscCall(Check(ksp, p.G, b, x, 1e-8, &n, "from a guess"));
  PetscCall(KSPSetInitialGuessNonzero(ksp, PETSC_FALSE));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(KSPSetOperators(ksp, p.G, p.G));
  PetscCall(MatGramSetRidge(p.G, .051, .1)); /* a change that the estimate has to notice */
  PetscCall(Check(ksp, p.G, b, x, 1e-8, &n, "with Jacobi"));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(ProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestInterface(void)
{
  KSPConvergedReason reason;
  PetscReal          min, max, norm;
  PetscInt           its;
  Mat                A;
  KSP                ksp;
  Vec                b, x;

  PetscFunctionBeginUser;
  PetscCall(Diagonal(1.0, PETSC_FALSE, &A));
  PetscCall(Rhs(A, 0, &b, &x));
  PetscCall(PetscOptionsSetValue(NULL, "-o_ksp_type", "nesterov"));
  PetscCall(PetscOptionsSetValue(NULL, "-o_pc_type", "none"));
  PetscCall(PetscOptionsSetValue(NULL, "-o_ksp_nesterov_eigenvalues", "1,100"));
  PetscCall(PetscOptionsSetValue(NULL, "-o_ksp_view", "ascii:/dev/null"));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOptionsPrefix(ksp, "o_"));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPNesterovGetSpectrum(ksp, &min, &max));
  PetscCall(TapOk((PetscBool)(min == 1.0 && max == 100.0), "-ksp_nesterov_eigenvalues"));
  PetscCall(KSPSetTolerances(ksp, 1e-8, 1e-50, 1e5, 2000));
  PetscCall(Check(ksp, A, b, x, 1e-8, &its, "-ksp_type nesterov"));
  TapFails(KSPNesterovSetSpectrum(ksp, 3.0, 2.0), PETSC_ERR_ARG_OUTOFRANGE, "larger than the largest", "a spectrum upside down");
  TapFails(KSPNesterovSetSpectrum(ksp, -1.0, 2.0), PETSC_ERR_ARG_OUTOFRANGE, "must be positive", "a negative eigenvalue");
  PetscCall(VecSet(b, 0.0));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(VecNorm(x, NORM_2, &norm));
  PetscCall(TapOk((PetscBool)(norm == 0.0), "a zero right-hand side"));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));

  PetscCall(Rhs(A, 0, &b, &x));
  PetscCall(SamplesSolver(A, KSPNESTEROV, 1e-8, 7, &ksp));
  PetscCall(KSPSetNormType(ksp, KSP_NORM_NONE));
  PetscCall(KSPSetConvergenceTest(ksp, KSPConvergedSkip, NULL, NULL));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  PetscCall(TapOk((PetscBool)(its == 7 && reason == KSP_CONVERGED_ITS), "seven iterations, without norms"));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));

  PetscCall(Diagonal(1.0, PETSC_TRUE, &A));
  PetscCall(SamplesSolver(A, KSPNESTEROV, 1e-8, 2000, &ksp));
  PetscCall(KSPNesterovSetSpectrum(ksp, 0.0, 100.0));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(TapOk((PetscBool)(reason == KSP_DIVERGED_INDEFINITE_MAT || reason == KSP_DIVERGED_DTOL), "an indefinite matrix is noticed"));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s\n", KSPConvergedReasons[reason]));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TapBegin(&argc, &argv));
  PetscCall(TestRate());
  PetscCall(TestGram());
  PetscCall(TestInterface());
  return TapEnd();
}
