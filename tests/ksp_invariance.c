/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Block CG does not depend on what it should not: the size of the right-hand sides, and what a preconditioner makes of a null space.
*/
#include "tap.h"

#define P 3

/* The Laplacian of a path whose edges have weights of 1 to 4; with a boundary it is definite */
static PetscErrorCode Path(PetscInt n, PetscReal boundary, Mat *A)
{
  PetscInt i, first, last;

  PetscFunctionBegin;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, n, 3, NULL, 2, NULL, A));
  PetscCall(MatGetOwnershipRange(*A, &first, &last));
  for (i = first; i < last; i++) {
    const PetscReal before = i ? 1.0 + (i - 1) % 4 : 0.0, after = i < n - 1 ? 1.0 + i % 4 : 0.0;

    PetscCall(MatSetValue(*A, i, i, before + after + boundary, INSERT_VALUES));
    if (i) PetscCall(MatSetValue(*A, i, i - 1, -before, INSERT_VALUES));
    if (i < n - 1) PetscCall(MatSetValue(*A, i, i + 1, -after, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* X of the size of B: columns of sines and cosines, which have no mean for the Laplacian alone, times `size` */
static PetscErrorCode Sides(Mat A, PetscInt n, PetscReal size, Mat *B, Mat *X)
{
  PetscInt m, i, j, first, last;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(A, &m, NULL));
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, m, PETSC_DECIDE, n, P, NULL, B));
  PetscCall(MatGetOwnershipRange(*B, &first, &last));
  for (i = first; i < last; i++)
    for (j = 0; j < P; j++) PetscCall(MatSetValue(*B, i, j, size * PetscCosReal((j + 1) * PETSC_PI * (i + 0.5) / n), INSERT_VALUES));
  PetscCall(MatAssemblyBegin(*B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatDuplicate(*B, MAT_DO_NOT_COPY_VALUES, X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solver(Mat A, PetscReal lower, KSP *ksp)
{
  PC pc;

  PetscFunctionBegin;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, ksp));
  PetscCall(KSPSetType(*ksp, KSPBLOCKCG));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, lower > 0.0 ? PCNONE : PCJACOBI));
  if (lower > 0.0) PetscCall(KSPBlockCGSetLowerBound(*ksp, lower));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With the certified bound of the energy error, which is relative: right-hand sides times a power of two take as many iterations */
static PetscErrorCode Sizes(void)
{
  static const PetscReal sizes[] = {1.0, 1.0 / 1048576.0, 1048576.0, 1.0 / 1099511627776.0};
  PetscInt               its[4], i;
  PetscBool              same = PETSC_TRUE;
  Mat                    A, B, X;
  KSP                    ksp;

  PetscFunctionBegin;
  PetscCall(Path(80, 0.1, &A));
  for (i = 0; i < 4; i++) {
    PetscCall(Sides(A, 80, sizes[i], &B, &X));
    PetscCall(Solver(A, 0.1, &ksp));
    PetscCall(KSPSetTolerances(ksp, 1e-2, 0.0, PETSC_MAX_REAL, 1000));
    PetscCall(KSPMatSolve(ksp, B, X));
    PetscCall(KSPGetTotalIterations(ksp, &its[i]));
    if (its[i] != its[0]) same = PETSC_FALSE;
    PetscCall(KSPDestroy(&ksp));
    PetscCall(MatDestroy(&B));
    PetscCall(MatDestroy(&X));
  }
  PetscCall(TapOk(same, "right-hand sides times 2^-40 to 2^20: as many iterations"));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %d, %d, %d, %d\n", (int)its[0], (int)its[1], (int)its[2], (int)its[3]));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A diagonal that is not constant takes what is orthogonal to the null space out of it: the solution has no part in it all the same */
static PetscErrorCode NullSpace(void)
{
  PetscReal    worst = 0.0, norm, residual = 0.0;
  PetscInt     j;
  PetscScalar  sum;
  MatNullSpace constants;
  Mat          A, B, X, R;
  Vec          x;
  KSP          ksp;

  PetscFunctionBegin;
  PetscCall(Path(16, 0.0, &A));
  PetscCall(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_TRUE, 0, NULL, &constants));
  PetscCall(MatSetNullSpace(A, constants));
  PetscCall(Sides(A, 16, 1.0, &B, &X));
  PetscCall(Solver(A, 0.0, &ksp));
  PetscCall(KSPSetTolerances(ksp, 1e-10, 0.0, PETSC_MAX_REAL, 1000));
  PetscCall(KSPMatSolve(ksp, B, X));
  PetscCall(MatMatMult(A, X, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &R));
  PetscCall(MatAXPY(R, -1.0, B, SAME_NONZERO_PATTERN));
  for (j = 0; j < P; j++) {
    PetscCall(MatDenseGetColumnVecRead(X, j, &x));
    PetscCall(VecSum(x, &sum));
    PetscCall(VecNorm(x, NORM_2, &norm));
    worst = TapWorst(worst, PetscAbsScalar(sum) / norm);
    PetscCall(MatDenseRestoreColumnVecRead(X, j, &x));
    PetscCall(MatDenseGetColumnVecRead(R, j, &x));
    PetscCall(VecNorm(x, NORM_2, &norm));
    residual = TapWorst(residual, norm);
    PetscCall(MatDenseRestoreColumnVecRead(R, j, &x));
  }
  PetscCall(TapOk((PetscBool)(worst < 1e-8 && residual < 1e-7), "a null space and a diagonal that is not constant: solutions without a part in it"));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# sum %g, residual %g\n", (double)worst, (double)residual));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatNullSpaceDestroy(&constants));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(TapBegin(&argc, &argv));
  PetscCall(Sizes());
  PetscCall(NullSpace());
  return TapEnd();
}
