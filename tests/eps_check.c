/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Nothing missed, and how sure that is: the quick check after convergence, what it costs and what it finds; error bounds and
   the count of eigenvalues by inertia.
*/
#include "attack/problems.h"

static PetscErrorCode NewSolver(Mat A, Mat B, PetscInt nev, EPSWhich which, EPSNAPICheck check, EPS *eps)
{
  PetscFunctionBegin;
  PetscCall(SolverFor(A, B, nev, which, eps));
  PetscCall(EPSNAPISetCheck(*eps, check));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Diagonal(PetscInt n, PetscReal (*value)(PetscInt, PetscInt), Mat *A)
{
  PetscInt i, first, last;

  PetscFunctionBegin;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, n, 1, NULL, 0, NULL, A));
  PetscCall(MatGetOwnershipRange(*A, &first, &last));
  for (i = first; i < last; i++) PetscCall(MatSetValue(*A, i, i, value(i, n), INSERT_VALUES));
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscReal Outliers(PetscInt i, PetscInt n)
{
  return i < 3 ? 1000.0 - 100.0 * i : 10.0 * (n - i) / n;
}

static PetscReal Even(PetscInt i, PetscInt n)
{
  return 1.0 - (PetscReal)i / n;
}

/* A solve that starts from eigenvectors that are not wanted, from the one with the number from on: is it led astray? */
static PetscErrorCode Misled(Mat A, PetscInt from, PetscInt nini, PetscInt k, EPSNAPICheck check, PetscBool *right)
{
  PetscInt           i, nconv, n, first, last;
  PetscScalar        value, wanted = 0.0;
  EPSConvergedReason reason;
  EPS                eps;
  Vec                x, d, *start;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &x, &d));
  PetscCall(MatGetDiagonal(A, d));
  PetscCall(VecGetSize(x, &n));
  PetscCall(VecGetOwnershipRange(d, &first, &last));
  PetscCall(VecDuplicateVecs(x, nini, &start));
  for (i = 0; i < nini; i++) {
    PetscCall(VecSet(start[i], 0.0));
    PetscCall(VecSetValue(start[i], from + i, 1.0, INSERT_VALUES));
    PetscCall(VecAssemblyBegin(start[i]));
    PetscCall(VecAssemblyEnd(start[i]));
  }
  PetscCall(NewSolver(A, NULL, k, EPS_LARGEST_REAL, check, &eps));
  PetscCall(EPSSetInitialSpace(eps, nini, start));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConvergedReason(eps, &reason));
  PetscCall(EPSGetConverged(eps, &nconv));
  *right = (PetscBool)(reason > 0 && nconv >= k);
  for (i = 0; i < PetscMin(k, nconv); i++) {
    PetscCall(EPSGetEigenvalue(eps, i, &value, NULL));
    if (i >= first && i < last) PetscCall(VecGetValues(d, 1, &i, &wanted));
    else wanted = 0.0;
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &wanted, 1, MPIU_SCALAR, MPIU_SUM, PETSC_COMM_WORLD));
    if (!(PetscAbsScalar(value - wanted) <= 1e-6 * PetscAbsScalar(wanted))) *right = PETSC_FALSE;
  }
  PetscCall(EPSDestroy(&eps));
  PetscCall(VecDestroyVecs(nini, &start));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With the check: the true ones. Without it the same solve is led astray, so that it is the check that found them. */
static PetscErrorCode Missed(void)
{
  PetscBool right;
  Mat       A;

  PetscFunctionBegin;
  PetscCall(Diagonal(1500, Outliers, &A));
  PetscCall(Misled(A, 200, 12, 3, EPS_NAPI_CHECK_QUICK, &right));
  PetscCall(TapOk(right, "started in an invariant subspace, the largest are found all the same"));
  PetscCall(Misled(A, 3, 12, 3, EPS_NAPI_CHECK_QUICK, &right));
  PetscCall(TapOk(right, "and if that of the largest but the wanted"));
  PetscCall(MatDestroy(&A));
  PetscCall(Diagonal(1500, Even, &A));
  PetscCall(Misled(A, 1, 10, 3, EPS_NAPI_CHECK_NONE, &right));
  PetscCall(TapOk((PetscBool)!right, "without a check the first of evenly spaced ones is missed"));
  PetscCall(Misled(A, 1, 10, 3, EPS_NAPI_CHECK_CERTIFY, &right));
  PetscCall(TapOk(right, "counted, it is missed at first, pursued and found"));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* At most 5 % of the columns, or ten */
static PetscErrorCode Cost(void)
{
  static const char *const families[] = {"negative", "tight", "linear", "normal"};
  PetscInt                 i, j, a, b, inner, columns[2], dear = 0;
  PetscMPIInt              size;
  Problem                  p;
  EPS                      eps;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (i = 0; i < (size > 2 ? 3 : 12); i++) {
    PetscCall(ProblemSized((uint64_t)i, families[i % 4], 150 + 10 * i, 1 + i % 5, EPS_LARGEST_REAL, i % 2 ? DENSE : TRIDIAGONAL, 100.0, &p));
    for (j = 0; j < 2; j++) {
      PetscCall(NewSolver(p.A, p.B, p.k, p.which, j ? EPS_NAPI_CHECK_QUICK : EPS_NAPI_CHECK_NONE, &eps));
      PetscCall(EPSSolve(eps));
      PetscCall(EPSNAPIGetApplications(eps, &a, &b, &inner));
      columns[j] = a + b + inner;
      PetscCall(EPSDestroy(&eps));
    }
    if (columns[1] > columns[0] + PetscMax(10, columns[0] / 20)) {
      dear++;
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s: %d columns, %d without a check\n", p.family, (int)columns[1], (int)columns[0]));
    }
    PetscCall(ProblemDestroy(&p));
  }
  PetscCall(TapOk((PetscBool)!dear, "the quick check takes at most ten columns, or 5 %%"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every bound holds, every count is right */
static PetscErrorCode Certified(void)
{
  PetscInt         i, j, l, nconv, count, found, truth, broken = 0, miscounted = 0, uncertain = 0, uncounted = 0, last = 39;
  PetscMPIInt      size;
  PetscReal        limit, bound, nearest;
  PetscScalar      value;
  EPSNAPIBoundKind kind;
  Problem          p;
  EPS              eps;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size > 2) last = 7; /* three ranks on two cores take their time */
  for (i = 1; i <= last; i++) {
    PetscCall(ProblemCreate((uint64_t)i + 700, Families[i % 13], &p));
    PetscCall(NewSolver(p.A, p.B, p.k, p.which, EPS_NAPI_CHECK_CERTIFY, &eps));
    PetscCall(EPSSolve(eps));
    PetscCall(EPSGetConverged(eps, &nconv));
    PetscCall(EPSNAPIGetCount(eps, &limit, &count, &found));
    for (j = 0; j < nconv; j++) {
      PetscCall(EPSGetEigenvalue(eps, j, &value, NULL));
      PetscCall(EPSNAPIGetErrorBound(eps, j, &bound, &kind));
      for (l = 0, nearest = PETSC_MAX_REAL; l < p.nvalues; l++) nearest = PetscMin(nearest, PetscAbsReal(PetscRealPart(value) - p.values[l]));
      /* the eigenvalues themselves are known up to rounding in how the pair was made */
      if (!(nearest <= bound + 1e-13 * p.normA / p.lowB)) {
        broken++;
        PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s %d: off by %g, bound %g\n", p.family, (int)p.seed, (double)nearest, (double)bound));
      }
      if (kind != EPS_NAPI_BOUND_CERTIFIED) uncertain++;
    }
    if (count < 0) uncounted++;
    for (l = truth = 0; l < p.nvalues; l++) {
      if (p.which == EPS_SMALLEST_REAL ? p.values[l] < limit : p.which == EPS_LARGEST_REAL ? p.values[l] > limit : PetscAbsReal(p.values[l]) > limit) truth++;
    }
    if (count >= 0 && (count != truth || found != truth)) {
      miscounted++;
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s %d: counted %d, found %d, true %d beyond %.15g\n", p.family, (int)p.seed, (int)count, (int)found, (int)truth, (double)limit));
    }
    PetscCall(EPSDestroy(&eps));
    PetscCall(ProblemDestroy(&p));
  }
  PetscCall(TapOk((PetscBool)!broken, "no error bound is violated"));
  PetscCall(TapOk((PetscBool)!uncertain, "and all are certified, B being diagonally dominant or factored"));
  PetscCall(TapOk((PetscBool)(!miscounted && uncounted <= 2), "the eigenvalues are counted (%" PetscInt_FMT " times of %" PetscInt_FMT " they could not be)", uncounted, last));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Interface(void)
{
  EPSNAPICheck     check;
  EPSNAPIBoundKind kind;
  PetscReal        bound;
  PetscInt         count;
  EPS              eps;
  Mat              A;

  PetscFunctionBegin;
  PetscCall(Diagonal(100, Even, &A));
  PetscCall(EPSCreate(PETSC_COMM_WORLD, &eps));
  PetscCall(EPSSetOperators(eps, A, NULL));
  PetscCall(EPSSetProblemType(eps, EPS_HEP));
  PetscCall(EPSSetType(eps, EPSNAPI));
  PetscCall(EPSNAPIGetCheck(eps, &check));
  PetscCall(TapOk((PetscBool)(check == EPS_NAPI_CHECK_QUICK), "the check is quick by default"));
  TapFails(EPSNAPISetCheck(eps, (EPSNAPICheck)7), PETSC_ERR_ARG_OUTOFRANGE, "check", "an unknown one is refused");
  PetscCall(PetscOptionsSetValue(NULL, "-eps_napi_check", "certify"));
  PetscCall(EPSSetFromOptions(eps));
  PetscCall(PetscOptionsClearValue(NULL, "-eps_napi_check"));
  PetscCall(EPSNAPIGetCheck(eps, &check));
  PetscCall(TapOk((PetscBool)(check == EPS_NAPI_CHECK_CERTIFY), "-eps_napi_check certify"));
  PetscCall(EPSNAPISetCheck(eps, EPS_NAPI_CHECK_QUICK));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSNAPIGetErrorBound(eps, 0, &bound, &kind));
  PetscCall(EPSNAPIGetCount(eps, NULL, &count, NULL));
  PetscCall(TapOk((PetscBool)(kind == EPS_NAPI_BOUND_NONE && bound >= PETSC_INFINITY && count == -1), "without certify nothing is known"));
  TapFails(EPSNAPIGetErrorBound(eps, 1000, &bound, &kind), PETSC_ERR_ARG_OUTOFRANGE, "EPSGetConverged()", "the bound of a pair that is not there is refused");
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(TapBegin(&argc, &argv));
  PetscCall(Interface());
  PetscCall(Missed());
  PetscCall(Cost());
  PetscCall(Certified());
  return TapEnd();
}
