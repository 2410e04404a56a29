/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What used to end in a wrong answer, or not at all: matrices of extreme size, eigenvalues zero, clusters at both ends, a
   deflation space that is everything, a tolerance out of reach. Right, or a reason.
*/
#include "attack/problems.h"

/* A = a tridiag(-1,2,-1), with 1 in the corners if it is free at its ends, B = b (1.5 + tridiag(-1,2,-1)/2) */
static PetscErrorCode Chain(PetscInt n, PetscReal a, PetscReal b, PetscBool open, Mat *A, Mat *B)
{
  PetscInt i, j, first, last;

  PetscFunctionBegin;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, n, 3, NULL, 2, NULL, A));
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, n, 3, NULL, 2, NULL, B));
  PetscCall(MatGetOwnershipRange(*A, &first, &last));
  for (i = first; i < last; i++) {
    for (j = PetscMax(0, i - 1); j <= PetscMin(n - 1, i + 1); j++) {
      PetscReal value = i != j ? -1.0 : open && (!i || i == n - 1) ? 1.0 : 2.0;

      PetscCall(MatSetValue(*A, i, j, a * value, INSERT_VALUES));
      PetscCall(MatSetValue(*B, i, j, b * ((i == j ? 1.5 : 0.0) + value / 2.0), INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyBegin(*B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*B, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Scales from 1e-290 to 1e290: what is claimed is right; where the eigenvalues are numbers, optimal momentum finds them */
static PetscErrorCode Scales(void)
{
  static const PetscReal       tens[]    = {-290, -170, -120, -50, 0, 60, 150, 290};
  static const EPSNAPIMomentum momenta[] = {EPS_NAPI_MOMENTUM_OPTIMAL, EPS_NAPI_MOMENTUM_ADAPTIVE, EPS_NAPI_MOMENTUM_NONE};
  const PetscInt               n = 70, k = 2, count = (PetscInt)PETSC_STATIC_ARRAY_LENGTH(tens);
  PetscInt                     i, j, l, m, nconv, wrong, given, step;
  PetscMPIInt                  size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (m = 0; m < 3; m++) {
    step = m || size > 2 ? 3 : 1; /* three ranks on two cores take their time */
    if (size > 2 && m) break;
    for (i = wrong = given = 0; i < count; i += step) {
      for (j = 0; j < count; j += step) {
        PetscReal          a = PetscPowReal(10.0, tens[i]), b = PetscPowReal(10.0, tens[j]);
        PetscBool          numbers = (PetscBool)(PetscAbsReal(tens[i] - tens[j]) < 300);
        EPSConvergedReason reason;
        EPS                eps;
        Mat                A, B;

        PetscCall(Chain(n, a, b, PETSC_FALSE, &A, &B));
        PetscCall(SolverFor(A, B, k, EPS_LARGEST_MAGNITUDE, &eps));
        PetscCall(EPSNAPISetMomentum(eps, momenta[m]));
        PetscCall(EPSSetTolerances(eps, 1e-8, 20000));
        PetscCall(EPSSolve(eps));
        PetscCall(EPSGetConvergedReason(eps, &reason));
        PetscCall(EPSGetConverged(eps, &nconv));
        if (reason < 0 && (numbers || !nconv)) given++;
        if (!m && numbers && nconv < k) wrong++;
        for (l = 0; l < nconv; l++) {
          PetscReal   chain = 2.0 + 2.0 * PetscCosReal((l + 1) * PETSC_PI / (n + 1)), wanted = chain / (1.5 + chain / 2.0);
          PetscScalar value;

          PetscCall(EPSGetEigenvalue(eps, l, &value, NULL));
          if (!numbers || !(PetscAbsReal(PetscRealPart(value) / a * b - wanted) < 1e-6)) {
            PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# 1e%g, 1e%g: value %" PetscInt_FMT " is %g times what it should be\n", (double)tens[i], (double)tens[j], l, (double)(PetscRealPart(value) / a * b / wanted)));
            wrong++;
          }
        }
        PetscCall(EPSDestroy(&eps));
        PetscCall(MatDestroy(&A));
        PetscCall(MatDestroy(&B));
      }
    }
    PetscCall(TapOk((PetscBool)!wrong, "%s: A and B times 1e-290 to 1e290, nothing wrong is claimed (%" PetscInt_FMT " end in a reason)", EPSNAPIMomentums[momenta[m]], given));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The k values that are wanted, all of which have to be found */
static PetscErrorCode TapValues(EPS eps, PetscInt k, const PetscReal wanted[], const char *what)
{
  PetscReal          worst = 0.0;
  PetscInt           i, nconv;
  PetscScalar        value;
  EPSConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConvergedReason(eps, &reason));
  PetscCall(EPSGetConverged(eps, &nconv));
  for (i = 0; i < PetscMin(k, nconv); i++) {
    PetscCall(EPSGetEigenvalue(eps, i, &value, NULL));
    worst = TapWorst(worst, PetscAbsScalar(value - wanted[i]) / PetscMax(1.0, PetscAbsReal(wanted[i])));
  }
  PetscCall(TapOk((PetscBool)(reason > 0 && nconv >= k && worst < 1e-6), "%s", what));
  if (!(reason > 0 && nconv >= k && worst < 1e-6)) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# reason %d, %" PetscInt_FMT " found, error %g\n", (int)reason, nconv, (double)worst));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Zeros(void)
{
  static const EPSNAPIMomentum momenta[] = {EPS_NAPI_MOMENTUM_OPTIMAL, EPS_NAPI_MOMENTUM_ADAPTIVE, EPS_NAPI_MOMENTUM_NONE};
  static const PetscReal       zeros[]   = {0.0, 0.0, 0.0};
  const PetscInt               n         = 120;
  PetscInt                     i, first, last;
  PetscReal                    free[3], one[] = {n, 0.0, 0.0}, chain;
  EPS                          eps;
  Mat                          A, B, N;

  PetscFunctionBegin;
  PetscCall(Chain(n, 0.0, 1.0, PETSC_FALSE, &A, &B));
  for (i = 0; i < 3; i++) {
    PetscCall(SolverFor(A, B, 3, EPS_LARGEST_MAGNITUDE, &eps));
    PetscCall(EPSNAPISetMomentum(eps, momenta[i]));
    PetscCall(TapValues(eps, 3, zeros, i ? i > 1 ? "none: A = 0 has the eigenvalue 0" : "adaptive: A = 0 has the eigenvalue 0" : "optimal: A = 0 has the eigenvalue 0"));
    PetscCall(EPSDestroy(&eps));
  }
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));

  /* a matrix of ones: n, and all others 0 */
  PetscCall(Chain(n, 1.0, 1.0, PETSC_TRUE, &N, &B));
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, n, NULL, &A));
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  for (i = first; i < last; i++)
    for (PetscInt j = 0; j < n; j++) PetscCall(MatSetValue(A, i, j, 1.0, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(SolverFor(A, NULL, 3, EPS_LARGEST_MAGNITUDE, &eps));
  PetscCall(TapValues(eps, 3, one, "three pairs of a matrix of rank one"));
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&A));

  /* the null vector of a chain that is free at its ends is the first of its lowest modes */
  for (i = 0; i < 3; i++) {
    chain   = 2.0 - 2.0 * PetscCosReal(i * PETSC_PI / n);
    free[i] = chain / (1.5 + chain / 2.0);
  }
  PetscCall(SolverFor(N, B, 3, EPS_SMALLEST_REAL, &eps));
  PetscCall(EPSSetTolerances(eps, 1e-8, 20000));
  PetscCall(TapValues(eps, 3, free, "a chain that is free at its ends, with its null vector"));
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&N));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Hidden(void)
{
  const PetscInt n = 90, k    = 3;
  PetscReal      limit, worst = 0.0;
  PetscInt       i, nconv;
  PetscScalar    value;
  EPS            eps;
  Mat            A, B;

  PetscFunctionBegin;
  PetscCall(Chain(n, 1.0, 1.0, PETSC_FALSE, &A, &B));
  PetscCall(MatDestroy(&B));
  limit = 2.0 + PetscCosReal(PETSC_PI / (n + 1)) + PetscCosReal(2.0 * PETSC_PI / (n + 1)); /* between the first two */
  PetscCall(SolverFor(A, NULL, k, EPS_LARGEST_REAL, &eps));
  PetscCall(EPSSetTolerances(eps, 1e-6, 100)); /* in more steps the first one comes down to rounding, which counts */
  PetscCall(EPSNAPISetResidual(eps, EPS_NAPI_RESIDUAL_SLEPC));
  PetscCall(EPSSetConvergenceTestFunction(eps, NeverTheLargest, &limit, NULL));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConverged(eps, &nconv));
  for (i = 0; i < PetscMin(2, nconv); i++) {
    PetscCall(EPSGetEigenvalue(eps, i, &value, NULL));
    worst = TapWorst(worst, PetscAbsReal(PetscRealPart(value) - 2.0 - 2.0 * PetscCosReal((i + 2) * PETSC_PI / (n + 1))));
  }
  PetscCall(TapOk((PetscBool)(nconv >= 2 && worst < 1e-6), "a pair that does not converge hides none that do"));
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Clusters(void)
{
  static const struct {
    PetscInt  n, k;
    EPSWhich  which;
    PetscReal cond;
  } cases[] = {
    {193, 3, EPS_LARGEST_MAGNITUDE, 1e5 },
    {107, 1, EPS_LARGEST_REAL,      1e6 },
    {231, 1, EPS_LARGEST_MAGNITUDE, 1e4 },
    {150, 6, EPS_SMALLEST_REAL,     10.0}
  };
  PetscInt    i;
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (i = 0; i < (size > 2 ? 1 : (PetscInt)PETSC_STATIC_ARRAY_LENGTH(cases)); i++) {
    char    what[128];
    Problem p;
    EPS     eps;

    PetscCall(ProblemSized((uint64_t)i, "plusminusclusters", cases[i].n, cases[i].k, cases[i].which, DENSE, cases[i].cond, &p));
    PetscCall(SolverFor(p.A, p.B, p.k, p.which, &eps));
    PetscCall(PetscSNPrintf(what, sizeof(what), "%d unknowns, %d wanted of clusters at 1 and -1", (int)p.n, (int)p.k));
    PetscCall(TapProblem(&eps, &p, what));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where what is left to expand with is rounding, the errors of B V are multiplied from step to step unless they are mended */
static PetscErrorCode Drift(void)
{
  static const PetscInt seeds[] = {301077, 1739, 2714, 3650, 3715};
  PetscInt              i;
  PetscMPIInt           size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (i = 0; i < (size > 2 ? 1 : (PetscInt)PETSC_STATIC_ARRAY_LENGTH(seeds)); i++) {
    char    what[128];
    Problem p;
    EPS     eps;

    PetscCall(ProblemCreate((uint64_t)seeds[i], "lowrank", &p));
    PetscCall(SolverFor(p.A, p.B, p.k, p.which, &eps));
    PetscCall(PetscSNPrintf(what, sizeof(what), "%d unknowns, %d wanted of a matrix of low rank: the vectors stay orthonormal", (int)p.n, (int)p.k));
    PetscCall(TapProblem(&eps, &p, what));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NothingLeft(void)
{
  const PetscInt     n = 6;
  PetscInt           i, nconv, its, first, last;
  EPSConvergedReason reason;
  EPS                eps;
  Mat                A, B;
  Vec                x, *all;

  PetscFunctionBegin;
  PetscCall(Chain(n, 1.0, 1.0, PETSC_FALSE, &A, &B));
  PetscCall(MatCreateVecs(A, &x, NULL));
  PetscCall(VecDuplicateVecs(x, n, &all));
  for (i = 0; i < n; i++) {
    PetscCall(VecSet(all[i], 0.0));
    PetscCall(VecSetValue(all[i], i, 1.0, INSERT_VALUES));
    PetscCall(VecAssemblyBegin(all[i]));
    PetscCall(VecAssemblyEnd(all[i]));
  }
  PetscCall(SolverFor(A, B, 1, EPS_LARGEST_MAGNITUDE, &eps));
  PetscCall(EPSSetDeflationSpace(eps, n, all));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConvergedReason(eps, &reason));
  PetscCall(EPSGetConverged(eps, &nconv));
  PetscCall(TapOk((PetscBool)(reason < 0 && !nconv), "a deflation space that is everything leaves nothing to find"));
  PetscCall(EPSDestroy(&eps));
  PetscCall(VecDestroyVecs(n, &all));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));

  PetscCall(Chain(600, 1.0, 1.0, PETSC_FALSE, &A, &B));
  PetscCall(MatZeroEntries(A));
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  for (i = first; i < last; i++) PetscCall(MatSetValue(A, i, i, 1.0 / (1.0 + i), INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(SolverFor(A, B, 2, EPS_LARGEST_REAL, &eps));
  PetscCall(EPSSetTolerances(eps, 1e-17, 20000));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConvergedReason(eps, &reason));
  PetscCall(EPSGetIterationNumber(eps, &its));
  PetscCall(TapOk((PetscBool)(its < 1000), "a tolerance out of reach ends at the level of rounding (reason %d after %" PetscInt_FMT " steps)", (int)reason, its));
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y_i = x_i/(i + 1), but for noise well above rounding, another one each time */
static PetscErrorCode NoisyMult(Mat A, Vec x, Vec y)
{
  static PetscInt applied = 0;
  PetscInt        i, first, last;
  PetscScalar    *values;

  PetscFunctionBegin;
  (void)A;
  applied++;
  PetscCall(VecCopy(x, y));
  PetscCall(VecGetOwnershipRange(y, &first, &last));
  PetscCall(VecGetArray(y, &values));
  for (i = first; i < last; i++) values[i - first] *= (1.0 + 2e-14 * PetscSinReal(1.0 + 12.9898 * i + 78.233 * applied)) / (1.0 + i);
  PetscCall(VecRestoreArray(y, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* More accuracy than the products have: it stagnates, and that is said long before the last of the iterations */
static PetscErrorCode Stagnation(void)
{
  const PetscInt     n = 600;
  PetscInt           its, local = PETSC_DECIDE, all = n;
  EPSConvergedReason reason;
  EPS                eps;
  Mat                A;

  PetscFunctionBegin;
  PetscCall(PetscSplitOwnership(PETSC_COMM_WORLD, &local, &all));
  PetscCall(MatCreateShell(PETSC_COMM_WORLD, local, local, n, n, NULL, &A));
  PetscCall(MatShellSetOperation(A, MATOP_MULT, (void (*)(void))NoisyMult));
  PetscCall(SolverFor(A, NULL, 2, EPS_LARGEST_REAL, &eps));
  PetscCall(EPSSetTolerances(eps, 1e-16, 20000));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConvergedReason(eps, &reason));
  PetscCall(EPSGetIterationNumber(eps, &its));
  PetscCall(TapOk((PetscBool)(reason == EPS_DIVERGED_BREAKDOWN && its < 2000), "a residual that stagnates ends the solve with a reason (%d after %" PetscInt_FMT " steps)", (int)reason, its));
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(TapBegin(&argc, &argv));
  PetscCall(NothingLeft());
  PetscCall(Stagnation());
  PetscCall(Zeros());
  PetscCall(Hidden());
  PetscCall(Clusters());
  PetscCall(Drift());
  PetscCall(Scales());
  return TapEnd();
}
