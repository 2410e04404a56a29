/* SPDX-License-Identifier: BSD-2-Clause */
/*
   More than 8192 unknowns, where inner products of blocks are taken piece by piece: a sparse pair whose eigenvalues are known.
   A = L D L' and B = L L' with L bidiagonal have those of D. The eigenvectors that are wanted live near a few of the unknowns,
   some of them in the last piece, which is shorter than the others, some on either side of where ranks meet.
*/
#include "pairs.h"

#define N     9001
#define KNOWN 6

static const PetscReal wanted[KNOWN] = {10.0, 9.0, 8.2, 7.5, 6.7, 6.0};
static const PetscInt  place[KNOWN]  = {N - 2, 4500, 17, 8970, 3000, 6001};

/* The eigenvalues: those wanted where they belong, the others between low and 5 */
static PetscReal Value(PetscReal sign, PetscReal low, PetscInt i)
{
  for (int k = 0; k < KNOWN; k++)
    if (i == place[k]) return sign * wanted[k];
  return sign * (low + (5.0 - low) * (PetscReal)(i * 37 % N) / N);
}

/* B = NULL: L = I, and A is D */
static PetscErrorCode Pair(PetscReal sign, PetscReal low, Mat *A, Mat *B)
{
  const PetscReal c = B ? 0.5 : 0.0;
  PetscInt        first, last;

  PetscFunctionBegin;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, N, N, 3, NULL, 2, NULL, A));
  if (B) PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, N, N, 3, NULL, 2, NULL, B));
  PetscCall(MatGetOwnershipRange(*A, &first, &last));
  for (PetscInt i = first; i < last; i++) {
    for (PetscInt M = 0; M < (B ? 2 : 1); M++) { /* row i of L D L': L has c Phase(i) left of its diagonal */
      const PetscReal before = i ? (M ? 1.0 : Value(sign, low, i - 1)) : 0.0, here = M ? 1.0 : Value(sign, low, i);
      Mat             T = M ? *B : *A;

      PetscCall(MatSetValue(T, i, i, here + c * c * before, INSERT_VALUES));
      if (B && i > 0) PetscCall(MatSetValue(T, i, i - 1, c * Phase((PetscReal)i) * before, INSERT_VALUES));
      if (B && i < N - 1) PetscCall(MatSetValue(T, i, i + 1, c * PetscConj(Phase((PetscReal)(i + 1))) * here, INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  if (B) {
    PetscCall(MatAssemblyBegin(*B, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*B, MAT_FINAL_ASSEMBLY));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve(PetscInt momentum, PetscReal sign, PetscReal low, EPSWhich which, PetscInt k, PetscBool generalised, const char *name)
{
  char      what[128];
  PetscReal known[KNOWN];
  Mat       A, B = NULL;
  EPS       eps;

  PetscFunctionBegin;
  for (int i = 0; i < KNOWN; i++) known[i] = sign * wanted[i];
  PetscCall(Pair(sign, low, &A, generalised ? &B : NULL));
  PetscCall(SolverCreate(A, B, k, (EPSNAPIMomentum)momentum, &eps));
  PetscCall(EPSSetWhichEigenpairs(eps, which));
  PetscCall(EPSSetTolerances(eps, 1e-8, 5000));
  PetscCall(EPSSolve(eps));
  PetscCall(PetscSNPrintf(what, sizeof(what), "%d unknowns, %s, %s, %s, k=%d", N, EPSNAPIMomentums[momentum], generalised ? "generalised" : "standard", name, (int)k));
  PetscCall(TapPairs(eps, A, B, k, KNOWN, known, 1e-9, what));
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A deflation space: inner products with that, too */
static PetscErrorCode Deflated(void)
{
  PetscScalar dot;
  PetscReal   most = 0.0;
  Vec         first, x, y;
  Mat         A, B;
  EPS         eps;

  PetscFunctionBegin;
  PetscCall(Pair(1.0, 0.0, &A, &B));
  PetscCall(MatCreateVecs(A, &first, &y));
  PetscCall(VecDuplicate(first, &x));
  PetscCall(SolverCreate(A, B, 1, EPS_NAPI_MOMENTUM_OPTIMAL, &eps));
  PetscCall(EPSSetTolerances(eps, 1e-10, 5000));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetEigenvector(eps, 0, first, NULL));
  PetscCall(EPSDestroy(&eps));
  PetscCall(SolverCreate(A, B, 3, EPS_NAPI_MOMENTUM_OPTIMAL, &eps));
  PetscCall(EPSSetDeflationSpace(eps, 1, &first));
  PetscCall(EPSSolve(eps));
  PetscCall(TapPairs(eps, A, B, 3, KNOWN - 1, wanted + 1, 1e-9, "a deflated pair is not found, those after it are"));
  PetscCall(MatMult(B, first, y));
  for (PetscInt i = 0; i < 3; i++) {
    PetscCall(EPSGetEigenvector(eps, i, x, NULL));
    PetscCall(VecDot(x, y, &dot));
    most = TapWorst(most, PetscAbsScalar(dot));
  }
  PetscCall(TapOk((PetscBool)(most < 1e-11), "and the vectors are B-orthogonal to it"));
  PetscCall(EPSDestroy(&eps));
  PetscCall(VecDestroy(&first));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(TapBegin(&argc, &argv));
  for (PetscInt g = 0; g < 2; g++) {
    for (PetscInt m = 0; m < Momenta(); m++) {
      if (m == EPS_NAPI_MOMENTUM_FIXED) continue;
      PetscCall(Solve(m, 1.0, 0.0, EPS_LARGEST_MAGNITUDE, 1, (PetscBool)g, "definite"));
      PetscCall(Solve(m, -1.0, 0.0, EPS_LARGEST_MAGNITUDE, 4, (PetscBool)g, "negative"));
    }
    PetscCall(Solve(EPS_NAPI_MOMENTUM_OPTIMAL, 1.0, -5.0, EPS_LARGEST_REAL, 4, (PetscBool)g, "both signs, largest real"));
    PetscCall(Solve(EPS_NAPI_MOMENTUM_OPTIMAL, -1.0, -5.0, EPS_SMALLEST_REAL, 2, (PetscBool)g, "both signs, smallest real"));
  }
  PetscCall(Deflated());
  return TapEnd();
}
