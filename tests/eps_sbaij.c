/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Matrices of which only the upper triangle is stored: certify looks at rows of B and factors it, and A - sigma B.
*/
#include "pairs.h"

/* Tridiagonal (off, diagonal, off) in the format SBAIJ */
static PetscErrorCode Upper(PetscInt n, PetscReal diagonal, PetscReal slope, PetscReal off, Mat *M)
{
  PetscInt i, first, last;

  PetscFunctionBegin;
  PetscCall(MatCreateSBAIJ(PETSC_COMM_WORLD, 1, PETSC_DECIDE, PETSC_DECIDE, n, n, 2, NULL, 1, NULL, M));
  PetscCall(MatGetOwnershipRange(*M, &first, &last));
  for (i = first; i < last; i++) {
    PetscCall(MatSetValue(*M, i, i, diagonal + slope * i, INSERT_VALUES));
    if (i + 1 < n) PetscCall(MatSetValue(*M, i, i + 1, off, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*M, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*M, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* dominant: Gershgorin's discs of B do; otherwise it has to be factored */
static PetscErrorCode Certified(PetscBool dominant)
{
  const PetscInt   n = 120, k = 3;
  PetscInt         j, nconv, count, found;
  PetscReal        bound, limit, far;
  PetscScalar      value, truth;
  PetscBool        right = PETSC_TRUE;
  EPSNAPIBoundKind kind  = EPS_NAPI_BOUND_NONE;
  EPS              eps, other;
  Mat              A, B, P, Q;

  PetscFunctionBegin;
  PetscCall(Upper(n, 1.0, 1.0, 0.5, &A));
  PetscCall(Upper(n, dominant ? 2.5 : 2.0, 0.0, -1.0, &B));
  PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &P));
  PetscCall(MatConvert(B, MATAIJ, MAT_INITIAL_MATRIX, &Q));
  PetscCall(EPSCreate(PETSC_COMM_WORLD, &eps));
  PetscCall(EPSSetOperators(eps, A, B));
  PetscCall(EPSSetProblemType(eps, EPS_GHEP));
  PetscCall(EPSSetType(eps, EPSNAPI));
  PetscCall(EPSSetDimensions(eps, k, NAPI_UNSET, NAPI_UNSET));
  PetscCall(EPSNAPISetCheck(eps, EPS_NAPI_CHECK_CERTIFY));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSCreate(PETSC_COMM_WORLD, &other));
  PetscCall(EPSSetOperators(other, P, Q));
  PetscCall(EPSSetProblemType(other, EPS_GHEP));
  PetscCall(EPSSetType(other, EPSNAPI));
  PetscCall(EPSSetTolerances(other, 1e-12, NAPI_UNSET));
  PetscCall(EPSSetDimensions(other, k, NAPI_UNSET, NAPI_UNSET));
  PetscCall(EPSSolve(other));
  PetscCall(EPSGetConverged(eps, &nconv));
  PetscCall(EPSGetConverged(other, &j));
  if (nconv < k || j < k) right = PETSC_FALSE;
  for (j = 0; j < k && right; j++) {
    PetscCall(EPSGetEigenvalue(eps, j, &value, NULL));
    PetscCall(EPSGetEigenvalue(other, j, &truth, NULL));
    PetscCall(EPSNAPIGetErrorBound(eps, j, &bound, &kind));
    far = PetscAbsScalar(value - truth);
    if (!(far <= bound + 1e-11 * PetscAbsScalar(truth)) || !(far <= 1e-6 * PetscAbsScalar(truth))) right = PETSC_FALSE;
  }
  PetscCall(EPSNAPIGetCount(eps, &limit, &count, &found));
  PetscCall(TapOk(right, "%s: the eigenvalues of the upper triangles are those of the whole, within their bounds (%s)", dominant ? "B diagonally dominant" : "B to be factored", EPSNAPIBoundKinds[kind]));
  PetscCall(TapOk((PetscBool)(count >= 0 && count == found), "%s: and none is missed: %" PetscInt_FMT " counted, %" PetscInt_FMT " found", dominant ? "B diagonally dominant" : "B to be factored", count, found));
  PetscCall(EPSDestroy(&eps));
  PetscCall(EPSDestroy(&other));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&P));
  PetscCall(MatDestroy(&Q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(TapBegin(&argc, &argv));
  PetscCall(Certified(PETSC_TRUE));
  PetscCall(Certified(PETSC_FALSE));
  return TapEnd();
}
