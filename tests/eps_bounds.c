/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Error bounds are what they say: not only that no eigenvalue is farther away, which the square of a small residual would do as well,
   but ||r|| in the norm of B^{-1}, computed here by a factorisation, bounded from above and not by much.
*/
#include "pairs.h"

#define N 200

/* What is known of B: that it is the identity, nothing but its entries, diagonally dominant or not, or a lower bound of its spectrum */
typedef enum {
  IDENTITY,
  DISCS,
  FACTORS,
  BOUND
} Known;

static const char *const Names[] = {"B = I", "discs", "factors", "a lower bound"};

static PetscErrorCode LowerBound(Mat B, PetscReal *lower)
{
  PetscFunctionBegin;
  (void)B;
  *lower = 0.05;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A diagonal, of size a; B = b tridiag(-1,diagonal,-1), whose smallest eigenvalue is a little more than diagonal - 2 */
static PetscErrorCode Create(Known known, PetscReal a, PetscReal b, Mat *A, Mat *B)
{
  PetscInt i, first, last;

  PetscFunctionBegin;
  PetscCall(Tridiagonal(N, 0.0, 0.0, A));
  PetscCall(MatGetOwnershipRange(*A, &first, &last));
  for (i = first; i < last; i++) PetscCall(MatSetValue(*A, i, i, a * (1.0 + 0.2 * PetscSinReal(1.7 * i)), INSERT_VALUES));
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  *B = NULL;
  if (known != IDENTITY) PetscCall(Tridiagonal(N, b * (known == FACTORS ? 1.9999 : 2.05), b * (known == FACTORS ? -0.9999 : -1.0), B));
  if (known == FACTORS && first == 0 && last > 0) PetscCall(MatSetValue(*B, 0, 0, 1.99 * b, INSERT_VALUES));
  if (known == FACTORS) {
    PetscCall(MatAssemblyBegin(*B, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*B, MAT_FINAL_ASSEMBLY));
  }
  if (known == BOUND) PetscCall(PetscObjectComposeFunction((PetscObject)*B, "MatGetLowerBound_C", LowerBound));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sqrt(r'B^{-1}r/x'B x), r = A x - lambda B x; ksp has b^{-1}B, since no factorisation takes pivots of 1e-60 for some */
static PetscErrorCode InverseNorm(EPS eps, Mat A, Mat B, PetscReal b, KSP ksp, PetscInt i, PetscReal *norm)
{
  PetscScalar lambda, square, length;
  Vec         x, r, d;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &x, &r));
  PetscCall(VecDuplicate(x, &d));
  PetscCall(EPSGetEigenpair(eps, i, &lambda, NULL, x, NULL));
  if (B) PetscCall(MatMult(B, x, d));
  else PetscCall(VecCopy(x, d));
  PetscCall(VecDot(d, x, &length));
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAXPY(r, -lambda, d));
  if (B) PetscCall(KSPSolve(ksp, r, d));
  else PetscCall(VecCopy(r, d));
  PetscCall(VecDot(d, r, &square));
  *norm = PetscSqrtReal(PetscRealPart(square) / (B ? b : 1.0) / PetscRealPart(length));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&r));
  PetscCall(VecDestroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The bounds are at most `loose` times what they bound */
static PetscErrorCode Bounds(Known known, PetscReal a, PetscReal b, EPSWhich which, PetscReal loose)
{
  const PetscInt   k = 4;
  PetscInt         i, nconv, bad = 0;
  PetscReal        bound, norm = 0.0, least = PETSC_MAX_REAL, most = 0.0;
  EPSNAPIBoundKind kind;
  Mat              A, B, C;
  EPS              eps;
  KSP              ksp = NULL;
  PC               pc;

  PetscFunctionBegin;
  PetscCall(Create(known, a, b, &A, &B));
  PetscCall(SolverCreate(A, B, k, EPS_NAPI_MOMENTUM_OPTIMAL, &eps));
  PetscCall(EPSSetWhichEigenpairs(eps, which));
  PetscCall(EPSSetTolerances(eps, 1e-3, 3000));
  PetscCall(EPSNAPISetCheck(eps, EPS_NAPI_CHECK_CERTIFY));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConverged(eps, &nconv));
  if (B) {
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(MatDuplicate(B, MAT_COPY_VALUES, &C));
    PetscCall(MatScale(C, 1.0 / b));
    PetscCall(KSPSetOperators(ksp, C, C));
    PetscCall(MatDestroy(&C));
    PetscCall(KSPSetType(ksp, KSPPREONLY));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, PCREDUNDANT));
  }
  for (i = 0; i < nconv; i++) {
    PetscCall(EPSNAPIGetErrorBound(eps, i, &bound, &kind));
    PetscCall(InverseNorm(eps, A, B, b, ksp, i, &norm));
    least = PetscMin(least, bound / norm);
    most  = TapWorst(most, bound / norm);
    if (!(bound >= (1.0 - 1e-6) * norm) || kind != EPS_NAPI_BOUND_CERTIFIED) bad++;
  }
  PetscCall(TapOk((PetscBool)(nconv >= k && !bad && most <= loose), "%s, A of size %g, B of %g, %s: the bounds are above the norm of the residual, at most %g times", Names[known], (double)a, (double)b, which == EPS_SMALLEST_REAL ? "smallest" : "largest", (double)loose));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %d pairs, bounds from %g to %g times\n", (int)nconv, (double)least, (double)most));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt known;

  PetscCall(TapBegin(&argc, &argv));
  for (known = IDENTITY; known <= BOUND; known++) {
    PetscCall(Bounds((Known)known, 1.0, 1.0, EPS_LARGEST_REAL, 20.0));
    PetscCall(Bounds((Known)known, 1.0, 1.0, EPS_SMALLEST_REAL, 20.0));
    PetscCall(Bounds((Known)known, 1e-3, 1.0, EPS_LARGEST_MAGNITUDE, 20.0));
  }
  for (known = IDENTITY; known <= FACTORS; known++) {
    PetscCall(Bounds((Known)known, 1e60, 1.0, EPS_LARGEST_REAL, 20.0));
    if (known == DISCS) PetscCall(Bounds((Known)known, 1.0, 1e-60, EPS_LARGEST_REAL, 20.0));
  }
  return TapEnd();
}
