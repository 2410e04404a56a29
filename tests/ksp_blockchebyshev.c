/* SPDX-License-Identifier: BSD-2-Clause */
/*
   KSP type blockchebyshev: the iterates of PETSc's own chebyshev, column by column, for blocks of any width, any kind of matrix and
   preconditioner; as the smoother of multigrid; and what it says of matrices that it is not for.
*/
#include "tap.h"

#define SIDE 9 /* of a grid */

/* The Laplacian on a grid, with a diagonal that varies; shift moves its spectrum */
static PetscErrorCode Laplacian(MatType type, PetscReal shift, Mat *A)
{
  const PetscInt n = SIDE * SIDE;
  PetscInt       first, last;
  PetscBool      upper;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, n, n));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSetUp(*A));
  PetscCall(PetscStrcmp(type, MATSBAIJ, &upper));
  PetscCall(MatGetOwnershipRange(*A, &first, &last));
  for (PetscInt i = first; i < last; i++) {
    const PetscInt x = i % SIDE, near[] = {x ? i - 1 : -1, x < SIDE - 1 ? i + 1 : -1, i - SIDE, i + SIDE < n ? i + SIDE : -1};

    PetscCall(MatSetValue(*A, i, i, 4.0 + 0.1 * (PetscReal)x + shift, INSERT_VALUES));
    for (int j = 0; j < 4; j++)
      if (near[j] >= (upper ? i : 0)) PetscCall(MatSetValue(*A, i, near[j], -1.0, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Block(Mat A, PetscInt p, PetscReal seed, Mat *B)
{
  PetscInt     n, N, first, ld;
  PetscScalar *b;

  PetscFunctionBeginUser;
  PetscCall(MatGetLocalSize(A, &n, NULL));
  PetscCall(MatGetSize(A, &N, NULL));
  PetscCall(MatGetOwnershipRange(A, &first, NULL));
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, n, PETSC_DECIDE, N, p, NULL, B));
  PetscCall(MatDenseGetLDA(*B, &ld));
  PetscCall(MatDenseGetArrayWrite(*B, &b));
  for (PetscInt j = 0; j < p; j++)
    for (PetscInt i = 0; i < n; i++) b[i + j * ld] = PetscSinReal(seed + 1.7 * (PetscReal)(first + i) + 0.3 * (PetscReal)((first + i) * j));
  PetscCall(MatDenseRestoreArrayWrite(*B, &b));
  PetscCall(MatAssemblyBegin(*B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*B, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solver(Mat A, KSPType type, PCType pctype, PetscInt its, PetscBool guess, KSP *ksp)
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, ksp));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPSetType(*ksp, type));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, pctype));
  PetscCall(KSPSetNormType(*ksp, KSP_NORM_NONE));
  PetscCall(KSPSetConvergenceTest(*ksp, KSPConvergedSkip, NULL, NULL));
  PetscCall(KSPSetTolerances(*ksp, 0.0, 0.0, PETSC_DEFAULT, its));
  PetscCall(KSPSetInitialGuessNonzero(*ksp, guess));
  PetscCall(KSPChebyshevSetEigenvalues(*ksp, 1.9, 0.2));
  PetscCall(KSPBlockChebyshevSetSpectrum(*ksp, 0.2, 1.9));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same iterates as PETSc's own */
static PetscErrorCode Same(MatType type, PCType pctype, PetscInt p, PetscInt its, PetscBool guess)
{
  Mat       A, B, X, Y;
  KSP       ksp;
  PetscReal error, norm;

  PetscFunctionBeginUser;
  PetscCall(Laplacian(type, 0.0, &A));
  PetscCall(Block(A, p, 0.0, &B));
  PetscCall(Block(A, p, 5.0, &X));
  PetscCall(MatDuplicate(X, MAT_COPY_VALUES, &Y));
  PetscCall(Solver(A, KSPCHEBYSHEV, pctype, its, guess, &ksp));
  PetscCall(KSPMatSolve(ksp, B, X));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(Solver(A, KSPBLOCKCHEBYSHEV, pctype, its, guess, &ksp));
  PetscCall(KSPMatSolve(ksp, B, Y));
  PetscCall(MatNorm(X, NORM_FROBENIUS, &norm));
  PetscCall(MatAXPY(Y, -1.0, X, SAME_NONZERO_PATTERN));
  PetscCall(MatNorm(Y, NORM_FROBENIUS, &error));
  PetscCall(TapOk((PetscBool)(error <= 1e-13 * norm), "%d columns, %d iterations%s, %s, %s: those of chebyshev", (int)p, (int)its, guess ? " from a guess" : "", type, pctype));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* To a tolerance, with the interval estimated, for vectors and blocks; and for another matrix afterwards */
static PetscErrorCode Converges(void)
{
  Mat                A, B, X;
  Vec                b, x, r;
  KSP                ksp;
  PetscReal          norm, rnorm, min, max;
  KSPConvergedReason reason;

  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetType(ksp, KSPBLOCKCHEBYSHEV));
  PetscCall(KSPSetTolerances(ksp, 1e-10, 0.0, PETSC_DEFAULT, 500));
  for (int i = 0; i < 2; i++) {
    PetscCall(Laplacian(MATAIJ, 3.0 * i, &A));
    PetscCall(KSPSetOperators(ksp, A, A));
    PetscCall(MatCreateVecs(A, &x, &b));
    PetscCall(VecDuplicate(b, &r));
    PetscCall(VecSet(b, 1.0));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    PetscCall(MatMult(A, x, r));
    PetscCall(VecAXPY(r, -1.0, b));
    PetscCall(VecNorm(r, NORM_2, &rnorm));
    PetscCall(VecNorm(b, NORM_2, &norm));
    PetscCall(TapOk((PetscBool)(reason == KSP_CONVERGED_RTOL && rnorm <= 1.01e-10 * norm), "a vector, matrix %d: the residual is below the tolerance", i));
    PetscCall(KSPBlockChebyshevGetSpectrum(ksp, &min, &max));
    PetscCall(TapOk((PetscBool)(0.0 < min && min < max && max < 2.3), "with an interval that was estimated"));
    PetscCall(Block(A, 6, 1.0, &B));
    PetscCall(MatDuplicate(B, MAT_DO_NOT_COPY_VALUES, &X));
    PetscCall(KSPMatSolve(ksp, B, X));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    PetscCall(KSPGetResidualNorm(ksp, &rnorm));
    PetscCall(TapOk((PetscBool)(reason == KSP_CONVERGED_RTOL && rnorm > 0.0), "a block, matrix %d: converged", i));
    PetscCall(MatDestroy(&B));
    PetscCall(MatDestroy(&X));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&b));
    PetscCall(VecDestroy(&r));
    PetscCall(MatDestroy(&A));
  }
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Multigrid with either smoother takes the same number of iterations */
static PetscErrorCode Multigrid(const char smoother[], PetscInt *its)
{
  Mat A, B, X;
  KSP ksp;
  PC  pc;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsSetValue(NULL, "-mg_levels_ksp_type", smoother));
  PetscCall(Laplacian(MATAIJ, -0.3, &A));
  PetscCall(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  PetscCall(Block(A, 3, 0.0, &B));
  PetscCall(MatDuplicate(B, MAT_DO_NOT_COPY_VALUES, &X));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, KSPBLOCKCG));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCGAMG));
  PetscCall(PCGAMGSetCoarseEqLim(pc, 10));
  PetscCall(KSPSetTolerances(ksp, 1e-8, 0.0, PETSC_DEFAULT, 100));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPMatSolve(ksp, B, X));
  PetscCall(KSPGetIterationNumber(ksp, its));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&X));
  PetscCall(PetscOptionsClearValue(NULL, "-mg_levels_ksp_type"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* EPSNAPI takes it for the levels of gamg, unless the options say something of them */
static PetscErrorCode Taken(const char said[], const char wanted[])
{
  Mat       A;
  EPS       eps;
  ST        st;
  KSP       ksp, smoother;
  PC        pc;
  PetscInt  nconv, levels;
  PetscBool same;

  PetscFunctionBeginUser;
  if (said) PetscCall(PetscOptionsSetValue(NULL, "-st_mg_levels_ksp_max_it", said));
  PetscCall(Laplacian(MATAIJ, 0.0, &A));
  PetscCall(EPSCreate(PETSC_COMM_WORLD, &eps));
  PetscCall(EPSSetOperators(eps, A, NULL));
  PetscCall(EPSSetProblemType(eps, EPS_HEP));
  PetscCall(EPSSetType(eps, EPSNAPI));
  PetscCall(EPSSetWhichEigenpairs(eps, EPS_SMALLEST_REAL));
  PetscCall(EPSGetST(eps, &st));
  PetscCall(STGetKSP(st, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCGAMG));
  PetscCall(PCGAMGSetCoarseEqLim(pc, 10));
  PetscCall(EPSSetFromOptions(eps));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConverged(eps, &nconv));
  PetscCall(PCMGGetLevels(pc, &levels));
  PetscCall(PCMGGetSmoother(pc, levels - 1, &smoother));
  PetscCall(PetscObjectTypeCompare((PetscObject)smoother, wanted, &same));
  PetscCall(TapOk((PetscBool)(nconv >= 1 && levels > 1 && same), "napi with gamg%s smooths by %s", said ? " of whose levels something is said" : "", wanted));
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&A));
  if (said) PetscCall(PetscOptionsClearValue(NULL, "-st_mg_levels_ksp_max_it"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Bad(void)
{
  Mat                A, B, X;
  KSP                ksp;
  KSPConvergedReason reason;
  PetscErrorCode     ierr;

  PetscFunctionBeginUser;
  PetscCall(Laplacian(MATAIJ, 0.0, &A));
  PetscCall(MatScale(A, PETSC_MAX_REAL));
  PetscCall(MatScale(A, 10.0)); /* no numbers any more */
  PetscCall(Block(A, 3, 0.0, &B));
  PetscCall(MatDuplicate(B, MAT_DO_NOT_COPY_VALUES, &X));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, KSPBLOCKCHEBYSHEV));
  PetscCall(KSPMatSolve(ksp, B, X));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(TapOk((PetscBool)(reason < 0), "a matrix without numbers is a reason: %s", KSPConvergedReasons[reason]));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  ierr = KSPBlockChebyshevSetSpectrum(ksp, 2.0, 1.0);
  PetscCall(PetscPopErrorHandler());
  PetscCall(TapOk((PetscBool)(ierr == PETSC_ERR_ARG_OUTOFRANGE), "an interval the wrong way round is an error"));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PetscInt width[] = {1, 2, 4, 5, 8, 11};
  PetscInt       own, ours;

  PetscCall(TapBegin(&argc, &argv));
  for (int i = 0; i < 6; i++)
    for (int guess = 0; guess < 2; guess++) PetscCall(Same(MATAIJ, PCJACOBI, width[i], 1 + i, (PetscBool)guess));
  PetscCall(Same(MATAIJ, PCNONE, 3, 4, PETSC_FALSE));
  PetscCall(Same(MATAIJ, PCBJACOBI, 3, 4, PETSC_TRUE));
  PetscCall(Same(MATSBAIJ, PCJACOBI, 5, 3, PETSC_TRUE));
  PetscCall(Same(MATDENSE, PCJACOBI, 5, 3, PETSC_FALSE));
  PetscCall(Converges());
  PetscCall(Multigrid(KSPCHEBYSHEV, &own));
  PetscCall(Multigrid(KSPBLOCKCHEBYSHEV, &ours));
  PetscCall(TapOk((PetscBool)(own > 1 && PetscAbsInt(own - ours) <= 1), "multigrid that smooths by it takes %d iterations, by chebyshev %d", (int)ours, (int)own));
  PetscCall(Taken(NULL, KSPBLOCKCHEBYSHEV));
  PetscCall(Taken("2", KSPCHEBYSHEV));
  PetscCall(Bad());
  return TapEnd();
}
