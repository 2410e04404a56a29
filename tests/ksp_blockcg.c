/* SPDX-License-Identifier: BSD-2-Clause */
/*
   KSP type blockcg against answers in closed form, direct solvers and KSPCG.

   The matrices: Grid(), Hermitian with the spectrum of a Laplacian, complex where scalars are, shifted and scaled from
   both sides; Diagonal(), whose systems and energy norms are solved by hand. Right-hand sides are made
   from entries that depend on their global index only, so that any number of ranks solves the same problem.
*/
#include "tap.h"
#include <petsc/private/petscimpl.h>

typedef struct {
  Mat      A;
  Vec      diagonal;
  PetscInt columns;
  PetscInt pccolumns;
  PetscInt negate; /* the PC changes the sign of this entry and those behind it */
  PetscInt broken; /* the product or the PC returns NaN from this column on */
} Counter;

static PetscReal Noise(PetscInt i, PetscInt j)
{
  PetscReal x = PetscSinReal(12.9898 * (i + 1) + 78.233 * (j + 1)) * 43758.5453;

  return 2 * (x - PetscFloorReal(x)) - 1;
}

static PetscScalar Noisy(PetscInt i, PetscInt j)
{
#if defined(PETSC_USE_COMPLEX)
  return PetscCMPLX(Noise(i, j), Noise(i, j + 1000));
#else
  return Noise(i, j);
#endif
}

/* s_i s_j (5-point Laplacian of a grid of 20 columns + shift I): s_i between 1 and spread, which Jacobi undoes */
static PetscErrorCode Grid(MPI_Comm comm, PetscInt rows, PetscReal shift, PetscReal spread, Mat *A)
{
  const PetscInt steps[] = {-20, -1, 1, 20};
  PetscInt       i, k, first, last, n = 20 * rows;
  PetscScalar    phase = 1.0;

  PetscFunctionBegin;
#if defined(PETSC_USE_COMPLEX)
  phase = PetscCMPLX(0.6, 0.8);
#endif
  PetscCall(MatCreateAIJ(comm, PETSC_DECIDE, PETSC_DECIDE, n, n, 5, NULL, 4, NULL, A));
  PetscCall(MatGetOwnershipRange(*A, &first, &last));
#define SCALE(i) PetscPowReal(spread, 0.5 * (1 + Noise(i, 77)))
  for (i = first; i < last; i++) {
    PetscCall(MatSetValue(*A, i, i, (4.0 + shift) * SCALE(i) * SCALE(i), INSERT_VALUES));
    for (k = 0; k < 4; k++) {
      PetscInt j = i + steps[k];

      if (j < 0 || j >= n || (k == 1 && i % 20 == 0) || (k == 2 && j % 20 == 0)) continue;
      PetscCall(MatSetValue(*A, i, j, -(j > i ? phase : PetscConj(phase)) * SCALE(i) * SCALE(j), INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscReal GridSmallest(PetscInt rows, PetscReal shift)
{
  return shift + 4 - 2 * PetscCosReal(PETSC_PI / 21) - 2 * PetscCosReal(PETSC_PI / (rows + 1));
}

/* entry i: for i < outliers 1e-4 (i + 1), for the others between 1 and 2 */
static PetscReal Entry(PetscInt n, PetscInt outliers, PetscInt i)
{
  return i < outliers ? 1e-4 * (i + 1) : 1.0 + (PetscReal)(i - outliers) / n;
}

static PetscErrorCode Diagonal(PetscInt n, PetscInt outliers, PetscReal factor, Mat *A)
{
  PetscInt i, first, last;

  PetscFunctionBegin;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, n, 1, NULL, 0, NULL, A));
  PetscCall(MatGetOwnershipRange(*A, &first, &last));
  for (i = first; i < last; i++) PetscCall(MatSetValue(*A, i, i, i < outliers ? factor * Entry(n, outliers, i) : Entry(n, outliers, i), INSERT_VALUES));
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Dense(Mat A, PetscInt p, Mat *B)
{
  PetscInt n, N;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(A, NULL, &n));
  PetscCall(MatGetSize(A, NULL, &N));
  PetscCall(MatCreateDense(PetscObjectComm((PetscObject)A), n, PETSC_DECIDE, N, p, NULL, B));
  PetscCall(MatAssemblyBegin(*B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*B, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Fill(Mat B, PetscInt shift)
{
  PetscInt     i, j, first, last, p, ld;
  PetscScalar *b;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(B, &first, &last));
  PetscCall(MatGetSize(B, NULL, &p));
  PetscCall(MatDenseGetLDA(B, &ld));
  PetscCall(MatDenseGetArray(B, &b));
  for (j = 0; j < p; j++)
    for (i = first; i < last; i++) b[i - first + j * ld] = Noisy(i, j + shift);
  PetscCall(MatDenseRestoreArray(B, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* without messages: VecSetValue() of another rank's entry was seen to wait for ever (MPICH 5.0.2, MPIR_CVAR_NOLOCAL=1, 3 ranks) */
static PetscErrorCode SetEntry(Mat B, PetscInt i, PetscInt j, PetscScalar value)
{
  PetscInt     first, last, ld;
  PetscScalar *b;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(B, &first, &last));
  PetscCall(MatDenseGetLDA(B, &ld));
  PetscCall(MatDenseGetArray(B, &b));
  if (i >= first && i < last) b[i - first + j * ld] = value;
  PetscCall(MatDenseRestoreArray(B, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ColumnScale(Mat B, PetscInt j, PetscScalar alpha)
{
  Vec v;

  PetscFunctionBegin;
  PetscCall(MatDenseGetColumnVec(B, j, &v));
  PetscCall(VecScale(v, alpha));
  PetscCall(MatDenseRestoreColumnVec(B, j, &v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ColumnCopy(Mat B, PetscInt from, PetscInt to)
{
  Vec v, w;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(B, NULL, &w));
  PetscCall(MatDenseGetColumnVecRead(B, from, &v));
  PetscCall(VecCopy(v, w));
  PetscCall(MatDenseRestoreColumnVecRead(B, from, &v));
  PetscCall(MatDenseGetColumnVecWrite(B, to, &v));
  PetscCall(VecCopy(w, v));
  PetscCall(MatDenseRestoreColumnVecWrite(B, to, &v));
  PetscCall(VecDestroy(&w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Norms(Mat B, PetscReal *norms)
{
  PetscInt j, p;
  Vec      v;

  PetscFunctionBegin;
  PetscCall(MatGetSize(B, NULL, &p));
  for (j = 0; j < p; j++) {
    PetscCall(MatDenseGetColumnVecRead(B, j, &v));
    PetscCall(VecNorm(v, NORM_2, norms + j));
    PetscCall(MatDenseRestoreColumnVecRead(B, j, &v));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* the worst ||u_j - v_j|| / ||w_j||, columns of w that are zero aside */
static PetscErrorCode Distance(Mat U, Mat V, Mat W, PetscReal *distance)
{
  PetscReal *d, *w;
  PetscInt   j, p;
  Mat        D;

  PetscFunctionBegin;
  PetscCall(MatGetSize(U, NULL, &p));
  PetscCall(PetscMalloc2(p, &d, p, &w));
  PetscCall(MatDuplicate(U, MAT_COPY_VALUES, &D));
  PetscCall(MatAXPY(D, -1.0, V, SAME_NONZERO_PATTERN));
  PetscCall(Norms(D, d));
  PetscCall(Norms(W, w));
  for (j = 0, *distance = 0; j < p; j++)
    if (w[j] != 0) *distance = TapWorst(*distance, d[j] / w[j]);
  PetscCall(MatDestroy(&D));
  PetscCall(PetscFree2(d, w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* the worst relative residual of X, and how far the solver's own residual is from it */
static PetscErrorCode TrueResidual(KSP ksp, Mat B, Mat X, PetscReal *residual, PetscReal *drift)
{
  Mat A, R, own;

  PetscFunctionBegin;
  PetscCall(KSPGetOperators(ksp, &A, NULL));
  PetscCall(MatMatMult(A, X, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &R));
  PetscCall(Distance(R, B, B, residual));
  PetscCall(MatAYPX(R, -1.0, B, SAME_NONZERO_PATTERN));
  PetscCall(KSPBlockCGGetResidual(ksp, &own));
  PetscCall(Distance(R, own, B, drift));
  PetscCall(MatDestroy(&R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solver(Mat A, const char *pctype, KSP *ksp)
{
  PC pc;

  PetscFunctionBegin;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, ksp));
  PetscCall(KSPSetType(*ksp, KSPBLOCKCG));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, pctype));
  PetscCall(KSPSetTolerances(*ksp, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, 2000));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves, and checks that every column has the residual asked for and that the solver knows its residual */
static PetscErrorCode Check(KSP ksp, Mat B, Mat X, PetscReal tol, const char *what)
{
  KSPConvergedReason reason;
  PetscReal          residual, drift;
  PetscInt           its;

  PetscFunctionBegin;
  PetscCall(KSPMatSolve(ksp, B, X));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  PetscCall(TrueResidual(ksp, B, X, &residual, &drift));
  PetscCall(TapOk((PetscBool)(reason > 0 && residual <= tol), "%s: converged", what));
  PetscCall(TapOk((PetscBool)(drift <= 1e-12), "%s: KSPBlockCGGetResidual() is the true residual", what));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s, %d iterations, residual %.2g, own residual off by %.2g\n", KSPConvergedReasons[reason], (int)its, (double)residual, (double)drift));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The answer of a direct solver: every process factors the whole matrix for itself, and keeps its rows */
static PetscErrorCode Direct(KSP direct, PetscInt shift, Mat Y)
{
  PetscInt           i, j, p, first, last, ld, lds;
  const PetscScalar *s;
  PetscScalar       *y;
  Mat                A, B, S;

  PetscFunctionBegin;
  PetscCall(KSPGetOperators(direct, &A, NULL));
  PetscCall(MatGetSize(Y, NULL, &p));
  PetscCall(Dense(A, p, &B));
  PetscCall(Dense(A, p, &S));
  PetscCall(Fill(B, shift));
  PetscCall(KSPMatSolve(direct, B, S));
  PetscCall(MatGetOwnershipRange(Y, &first, &last));
  PetscCall(MatDenseGetLDA(Y, &ld));
  PetscCall(MatDenseGetLDA(S, &lds));
  PetscCall(MatDenseGetArrayRead(S, &s));
  PetscCall(MatDenseGetArray(Y, &y));
  for (j = 0; j < p; j++)
    for (i = first; i < last; i++) y[i - first + j * ld] = s[i + j * lds];
  PetscCall(MatDenseRestoreArray(Y, &y));
  PetscCall(MatDenseRestoreArrayRead(S, &s));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&S));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* p = 1, 2, 5, 12 and more columns than unknowns, every PC: residuals, and the answers of a direct solver */
static PetscErrorCode TestSizes(void)
{
  const char    *pcs[] = {PCNONE, PCJACOBI, PCBJACOBI};
  const PetscInt ps[]  = {1, 2, 5, 12, 2};
  PetscReal      distance;
  size_t         i, j;
  char           what[64];
  KSP            ksp, direct;
  PC             pc;
  Mat            A, B, X, Y, whole;

  PetscFunctionBegin;
  PetscCall(Grid(PETSC_COMM_WORLD, 30, 0.5, 10, &A));
  PetscCall(Grid(PETSC_COMM_SELF, 30, 0.5, 10, &whole));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &direct));
  PetscCall(KSPSetType(direct, KSPPREONLY));
  PetscCall(KSPSetOperators(direct, whole, whole));
  PetscCall(KSPGetPC(direct, &pc));
  PetscCall(PCSetType(pc, PCLU));
  for (i = 0; i < PETSC_STATIC_ARRAY_LENGTH(pcs); i++) {
    PetscCall(Solver(A, pcs[i], &ksp));
    for (j = 0; j < PETSC_STATIC_ARRAY_LENGTH(ps); j++) { /* one solver for all sizes, the last smaller again */
      PetscCall(Dense(A, ps[j], &B));
      PetscCall(Dense(A, ps[j], &X));
      PetscCall(Dense(A, ps[j], &Y));
      PetscCall(Fill(B, (PetscInt)(10 * j)));
      PetscCall(PetscSNPrintf(what, sizeof(what), "%s, %d columns", pcs[i], (int)ps[j]));
      PetscCall(Check(ksp, B, X, 1e-10, what));
      PetscCall(Direct(direct, (PetscInt)(10 * j), Y));
      PetscCall(Distance(X, Y, Y, &distance));
      PetscCall(TapOk((PetscBool)(distance <= 1e-8), "%s: the answer of a direct solver", what));
      PetscCall(MatDestroy(&B));
      PetscCall(MatDestroy(&X));
      PetscCall(MatDestroy(&Y));
    }
    PetscCall(KSPDestroy(&ksp));
  }
  PetscCall(KSPDestroy(&direct));
  PetscCall(MatDestroy(&whole));
  PetscCall(MatDestroy(&A));

  PetscCall(Grid(PETSC_COMM_WORLD, 1, 0.5, 10, &A));
  PetscCall(Solver(A, PCJACOBI, &ksp));
  PetscCall(Dense(A, 25, &B));
  PetscCall(Dense(A, 25, &X));
  PetscCall(Fill(B, 0));
  PetscCall(Check(ksp, B, X, 1e-10, "25 columns, 20 unknowns"));
  PetscCall(KSPReset(ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(Check(ksp, B, X, 1e-10, "the same after KSPReset()"));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&A));
  /* another matrix, another size, the same solver */
  PetscCall(Grid(PETSC_COMM_WORLD, 20, 0.5, 1, &A));
  PetscCall(KSPReset(ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(Dense(A, 3, &B));
  PetscCall(Dense(A, 3, &X));
  PetscCall(Fill(B, 5));
  PetscCall(Check(ksp, B, X, 1e-10, "another matrix after KSPReset()"));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&A));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Columns that break a Cholesky factorisation */
static PetscErrorCode TestColumns(void)
{
  KSPConvergedReason reason;
  PetscReal          norms[6], residual, drift;
  PetscInt           its, single;
  KSP                ksp;
  Mat                A, B, X;
  Vec                v, w;

  PetscFunctionBegin;
  PetscCall(Grid(PETSC_COMM_WORLD, 30, 0.5, 5, &A));
  PetscCall(Solver(A, PCJACOBI, &ksp));
  PetscCall(Dense(A, 6, &B));
  PetscCall(Dense(A, 6, &X));

  PetscCall(Fill(B, 0));
  PetscCall(ColumnCopy(B, 0, 3));
  PetscCall(ColumnCopy(B, 1, 5));
  PetscCall(ColumnScale(B, 5, -3.0));
  PetscCall(Check(ksp, B, X, 1e-10, "duplicate columns"));

  PetscCall(ColumnScale(B, 2, 0.0));
  PetscCall(ColumnScale(B, 5, 0.0));
  PetscCall(Check(ksp, B, X, 1e-10, "duplicate and zero columns"));
  PetscCall(Norms(X, norms));
  PetscCall(TapOk((PetscBool)(norms[2] == 0.0 && norms[5] == 0.0), "a zero column stays exactly zero"));

  PetscCall(MatZeroEntries(B));
  PetscCall(KSPMatSolve(ksp, B, X));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  PetscCall(MatNorm(X, NORM_FROBENIUS, &residual));
  PetscCall(TapOk((PetscBool)(reason > 0 && its == 0 && residual == 0.0), "zero right-hand sides: zero iterations"));

  PetscCall(Fill(B, 3));
  PetscCall(ColumnScale(B, 0, 1e12));
  PetscCall(ColumnScale(B, 1, 1e-12));
  PetscCall(ColumnScale(B, 2, 1e6));
  PetscCall(ColumnScale(B, 4, 1e-6));
  PetscCall(Check(ksp, B, X, 1e-10, "columns from 1e-12 to 1e12"));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  PetscCall(Fill(B, 3));
  PetscCall(Check(ksp, B, X, 1e-10, "the same columns, unscaled"));
  PetscCall(KSPGetIterationNumber(ksp, &single));
  PetscCall(TapOk((PetscBool)(its == single), "the scales of the columns do not change the iteration"));

  /* nearly dependent: column 3 is column 0 plus 1e-9 of column 1; 1e-5 of its own */
  PetscCall(MatCreateVecs(A, &w, NULL));
  PetscCall(MatDenseGetColumnVecRead(B, 4, &v));
  PetscCall(VecCopy(v, w));
  PetscCall(MatDenseRestoreColumnVecRead(B, 4, &v));
  PetscCall(ColumnCopy(B, 0, 3));
  PetscCall(MatDenseGetColumnVec(B, 3, &v));
  PetscCall(VecAXPY(v, 1e-9, w));
  PetscCall(MatDenseRestoreColumnVec(B, 3, &v));
  PetscCall(ColumnCopy(B, 1, 5));
  PetscCall(MatDenseGetColumnVec(B, 5, &v));
  PetscCall(VecAXPY(v, 1e-5, w));
  PetscCall(MatDenseRestoreColumnVec(B, 5, &v));
  PetscCall(ColumnCopy(B, 0, 4));
  PetscCall(KSPSetTolerances(ksp, 1e-12, PETSC_DEFAULT, PETSC_DEFAULT, 2000));
  PetscCall(Check(ksp, B, X, 2e-12, "nearly dependent columns, below what rank was lost"));
  PetscCall(VecDestroy(&w));

  /* a tolerance out of reach: the iteration must survive its own convergence */
  PetscCall(KSPSetTolerances(ksp, 1e-30, 0.0, PETSC_DEFAULT, 400));
  PetscCall(KSPMatSolve(ksp, B, X));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(TrueResidual(ksp, B, X, &residual, &drift));
  PetscCall(TapOk((PetscBool)((reason == KSP_DIVERGED_ITS || reason > 0) && residual < 1e-13 && drift < 1e-13), "a tolerance below rounding: no false alarm, no blow-up"));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s, residual %g, own residual off by %g\n", KSPConvergedReasons[reason], (double)residual, (double)drift));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&X));

  /* columns that converge early: one is an eigenvector of a diagonal matrix, one a combination of two */
  PetscCall(MatDestroy(&A));
  PetscCall(Diagonal(200, 5, 1.0, &A));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(Solver(A, PCNONE, &ksp));
  PetscCall(Dense(A, 4, &B));
  PetscCall(Dense(A, 4, &X));
  PetscCall(Fill(B, 0));
  PetscCall(ColumnScale(B, 1, 0.0));
  PetscCall(ColumnScale(B, 2, 0.0));
  PetscCall(SetEntry(B, 100, 1, 3.0));
  PetscCall(SetEntry(B, 0, 2, 1.0));
  PetscCall(SetEntry(B, 199, 2, 1.0));
  PetscCall(Check(ksp, B, X, 1e-10, "columns that converge early"));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&A));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One column against KSPCG, every norm: history, iterations, iterate */
static PetscErrorCode TestCG(void)
{
  const KSPNormType norms[] = {KSP_NORM_UNPRECONDITIONED, KSP_NORM_NATURAL, KSP_NORM_PRECONDITIONED, KSP_NORM_NONE};
  const char       *pcs[]   = {PCNONE, PCJACOBI, PCBJACOBI};
  PetscReal         history[2][300], worst, distance, norm;
  const PetscReal  *h;
  PetscInt          its[2], total, len, j;
  size_t            i, k, pass;
  KSP               ksp;
  PC                pc;
  Mat               A, B, X;
  Vec               b, x[2], c;

  PetscFunctionBegin;
  PetscCall(Grid(PETSC_COMM_WORLD, 30, 0.5, 2, &A));
  PetscCall(MatCreateVecs(A, &x[0], &b));
  PetscCall(VecDuplicate(x[0], &x[1]));
  PetscCall(Dense(A, 1, &B));
  PetscCall(Dense(A, 1, &X));
  PetscCall(Fill(B, 0));
  PetscCall(MatDenseGetColumnVecRead(B, 0, &c));
  PetscCall(VecCopy(c, b));
  PetscCall(MatDenseRestoreColumnVecRead(B, 0, &c));
  for (k = 0; k < PETSC_STATIC_ARRAY_LENGTH(pcs); k++) {
    for (i = 0; i < PETSC_STATIC_ARRAY_LENGTH(norms); i++) {
      for (pass = 0; pass < 2; pass++) { /* from zero, and from a guess */
        PetscInt solver;

        for (solver = 0; solver < 2; solver++) {
          PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
          PetscCall(KSPSetType(ksp, solver ? KSPBLOCKCG : KSPCG));
          PetscCall(KSPSetOperators(ksp, A, A));
          PetscCall(KSPGetPC(ksp, &pc));
          PetscCall(PCSetType(pc, pcs[k]));
          PetscCall(KSPSetNormType(ksp, norms[i]));
          PetscCall(KSPSetTolerances(ksp, 1e-6, PETSC_DEFAULT, PETSC_DEFAULT, norms[i] == KSP_NORM_NONE ? 20 : 299));
          PetscCall(KSPSetResidualHistory(ksp, history[solver], 300, PETSC_TRUE));
          PetscCall(KSPSetInitialGuessNonzero(ksp, pass ? PETSC_TRUE : PETSC_FALSE));
          PetscCall(VecSet(x[solver], pass ? 0.3 : 0.0));
          PetscCall(KSPSolve(ksp, b, x[solver]));
          PetscCall(KSPGetIterationNumber(ksp, &its[solver]));
          PetscCall(KSPGetResidualHistory(ksp, &h, &len));
          if (solver) {
            PetscCall(TapOk((PetscBool)(its[0] == its[1] && len == its[1] + 1), "%s, %s norm, %s: %d iterations as KSPCG", pcs[k], KSPNormTypes[norms[i]], pass ? "from a guess" : "from zero", (int)its[0]));
            for (j = 0, worst = 0; j < len; j++) { /* without norms both consist of zeros */
              const PetscReal apart = PetscAbsReal(history[0][j] - history[1][j]);

              worst = TapWorst(worst, norms[i] == KSP_NORM_NONE ? apart : apart / (history[0][j] + 1e-6 * history[0][0]));
            }
            PetscCall(VecAXPY(x[0], -1.0, x[1]));
            PetscCall(VecNorm(x[0], NORM_2, &distance));
            PetscCall(VecNorm(x[1], NORM_2, &norm));
            PetscCall(TapOk((PetscBool)(worst <= 1e-6 && distance <= 1e-9 * norm), "the same history and iterate"));
            if (!(worst <= 1e-6 && distance <= 1e-9 * norm)) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %d and %d iterations, history off by %g, iterate by %g\n", (int)its[0], (int)its[1], (double)worst, (double)(distance / norm)));
            /* and as a block of one */
            PetscCall(MatDenseGetColumnVecWrite(X, 0, &c));
            PetscCall(VecSet(c, pass ? 0.3 : 0.0));
            PetscCall(MatDenseRestoreColumnVecWrite(X, 0, &c));
            PetscCall(KSPMatSolve(ksp, B, X));
            PetscCall(KSPGetIterationNumber(ksp, &its[0]));
            PetscCall(KSPGetTotalIterations(ksp, &total));
            PetscCall(MatDenseGetColumnVecRead(X, 0, &c));
            PetscCall(VecAXPY(x[1], -1.0, c));
            PetscCall(VecNorm(x[1], NORM_2, &distance));
            PetscCall(MatDenseRestoreColumnVecRead(X, 0, &c));
            PetscCall(TapOk((PetscBool)(its[0] == its[1] && total == 2 * its[1] && distance == 0.0), "KSPMatSolve() with one column is KSPSolve(), and counts its iterations"));
          }
          PetscCall(KSPDestroy(&ksp));
        }
      }
    }
  }
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x[0]));
  PetscCall(VecDestroy(&x[1]));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every norm for a block, and guesses with every reference norm */
static PetscErrorCode TestNorms(void)
{
  const KSPNormType norms[] = {KSP_NORM_UNPRECONDITIONED, KSP_NORM_NATURAL, KSP_NORM_PRECONDITIONED};
  char              what[80];
  PetscReal         residual, drift;
  PetscInt          its[3];
  size_t            i;
  KSP               ksp;
  Mat               A, B, X, Y;

  PetscFunctionBegin;
  PetscCall(Grid(PETSC_COMM_WORLD, 30, 0.5, 2, &A));
  PetscCall(Dense(A, 5, &B));
  PetscCall(Dense(A, 5, &X));
  PetscCall(Fill(B, 0));
  for (i = 0; i < PETSC_STATIC_ARRAY_LENGTH(norms); i++) {
    PetscCall(Solver(A, PCJACOBI, &ksp));
    PetscCall(KSPSetNormType(ksp, norms[i]));
    PetscCall(PetscSNPrintf(what, sizeof(what), "5 columns, %s norm", KSPNormTypes[norms[i]]));
    PetscCall(Check(ksp, B, X, 1e-9, what));
    PetscCall(KSPGetIterationNumber(ksp, &its[0]));

    /* a guess that is right to 1e-5: against the right-hand side little is left to do, against itself as much as ever */
    PetscCall(KSPSetInitialGuessNonzero(ksp, PETSC_TRUE));
    PetscCall(MatDuplicate(X, MAT_COPY_VALUES, &Y));
    PetscCall(Fill(Y, 50));
    PetscCall(MatAYPX(Y, 1e-5, X, SAME_NONZERO_PATTERN));
    PetscCall(MatCopy(Y, X, SAME_NONZERO_PATTERN));
    PetscCall(PetscSNPrintf(what, sizeof(what), "a guess, %s norm", KSPNormTypes[norms[i]]));
    PetscCall(Check(ksp, B, X, 1e-9, what));
    PetscCall(KSPGetIterationNumber(ksp, &its[1]));
    PetscCall(KSPConvergedDefaultSetUIRNorm(ksp));
    PetscCall(MatCopy(Y, X, SAME_NONZERO_PATTERN));
    PetscCall(PetscSNPrintf(what, sizeof(what), "a guess and its residual as reference, %s norm", KSPNormTypes[norms[i]]));
    PetscCall(KSPSetTolerances(ksp, 1e-6, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
    PetscCall(Check(ksp, B, X, 1e-9, what));
    PetscCall(KSPGetIterationNumber(ksp, &its[2]));
    PetscCall(TapOk((PetscBool)(its[1] < its[0] && its[2] < its[0]), "%s norm: the guess saves iterations (%d, %d and %d)", KSPNormTypes[norms[i]], (int)its[0], (int)its[1], (int)its[2]));
    PetscCall(KSPMatSolve(ksp, B, X)); /* converged to rounding already: one may not make it worse */
    PetscCall(TrueResidual(ksp, B, X, &residual, &drift));
    PetscCall(TapOk((PetscBool)(residual <= 1e-9), "solving again from the solution"));
    PetscCall(MatDestroy(&Y));
    PetscCall(KSPDestroy(&ksp));
  }
  PetscCall(Solver(A, PCJACOBI, &ksp));
  PetscCall(KSPSetTolerances(ksp, 1e-30, 1e-3, PETSC_DEFAULT, 500));
  PetscCall(ColumnScale(B, 1, 1e-8));
  PetscCall(KSPMatSolve(ksp, B, X));
  {
    KSPConvergedReason reason;
    Mat                R;
    PetscReal          norm[5], worst = 0;
    PetscInt           j;

    PetscCall(KSPGetConvergedReason(ksp, &reason));
    PetscCall(KSPBlockCGGetResidual(ksp, &R));
    PetscCall(Norms(R, norm));
    for (j = 0; j < 5; j++) worst = TapWorst(worst, norm[j]);
    PetscCall(TapOk((PetscBool)(reason == KSP_CONVERGED_ATOL && worst <= 1e-3 && worst > 1e-6), "absolute tolerance: every column below it, and no further"));
  }
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CountMult(Mat S, Vec x, Vec y)
{
  Counter *counter;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(S, &counter));
  PetscCall(MatMult(counter->A, x, y));
  if (counter->columns++ >= counter->broken) PetscCall(VecScale(y, (PetscScalar)PETSC_MAX_REAL * 10));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CountApply(PC pc, Vec x, Vec y)
{
  PetscInt     i, first, last;
  PetscScalar *a;
  Counter     *counter;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &counter));
  PetscCall(VecPointwiseDivide(y, x, counter->diagonal));
  counter->pccolumns++;
  PetscCall(VecGetOwnershipRange(y, &first, &last));
  PetscCall(VecGetArray(y, &a));
  for (i = PetscMax(first, counter->negate); i < last; i++) a[i - first] = -a[i - first];
  PetscCall(VecRestoreArray(y, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CountSolver(Mat A, Counter *counter, Mat *S, KSP *ksp)
{
  PetscInt n, N;
  PC       pc;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(counter, sizeof(*counter)));
  counter->A      = A;
  counter->negate = counter->broken = PETSC_MAX_INT;
  PetscCall(MatCreateVecs(A, NULL, &counter->diagonal));
  PetscCall(MatGetDiagonal(A, counter->diagonal));
  PetscCall(MatGetLocalSize(A, &n, NULL));
  PetscCall(MatGetSize(A, &N, NULL));
  PetscCall(MatCreateShell(PETSC_COMM_WORLD, n, n, N, N, counter, S));
  PetscCall(MatShellSetOperation(*S, MATOP_MULT, (void (*)(void))CountMult));
  PetscCall(Solver(*S, PCSHELL, ksp));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCShellSetContext(pc, counter));
  PetscCall(PCShellSetApply(pc, CountApply));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* j iterations cost j products and j applications of the preconditioner, not one more */
static PetscErrorCode TestCost(void)
{
  const PetscInt its[] = {1, 1, 3, 0};
  PetscReal      residual, drift;
  PetscInt       j, done;
  size_t         i;
  Counter        counter;
  KSP            ksp;
  Mat            A, S, B, X;

  PetscFunctionBegin;
  PetscCall(Grid(PETSC_COMM_WORLD, 30, 0.5, 10, &A));
  PetscCall(CountSolver(A, &counter, &S, &ksp));
  PetscCall(Dense(A, 4, &B));
  PetscCall(Dense(A, 4, &X));
  PetscCall(Fill(B, 0));
  for (i = 0; i < PETSC_STATIC_ARRAY_LENGTH(its); i++) {
    counter.columns = counter.pccolumns = 0;
    PetscCall(KSPSetTolerances(ksp, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, its[i]));
    PetscCall(KSPMatSolve(ksp, B, X));
    PetscCall(KSPGetIterationNumber(ksp, &done));
    PetscCall(TapOk((PetscBool)(done == its[i] && counter.columns == 4 * its[i] && counter.pccolumns == 4 * its[i]), "%d iterations of 4 columns: %d products, %d applications of the PC", (int)its[i], (int)counter.columns, (int)counter.pccolumns));
    PetscCall(TrueResidual(ksp, B, X, &residual, &drift));
    PetscCall(TapOk((PetscBool)(drift < 1e-13), "and the residual is known without another"));
  }
  PetscCall(KSPSetTolerances(ksp, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, 500));
  counter.columns = counter.pccolumns = 0;
  PetscCall(KSPMatSolve(ksp, B, X));
  PetscCall(KSPGetIterationNumber(ksp, &done));
  PetscCall(TapOk((PetscBool)(done > 5 && counter.columns == 4 * done && counter.pccolumns == 4 * done), "%d iterations to convergence: %d products, %d applications of the PC", (int)done, (int)counter.columns, (int)counter.pccolumns));
  PetscCall(KSPSetNormType(ksp, KSP_NORM_NATURAL));
  PetscCall(KSPSetUp(ksp));
  counter.columns = counter.pccolumns = 0;
  PetscCall(KSPMatSolve(ksp, B, X));
  PetscCall(KSPGetIterationNumber(ksp, &done));
  PetscCall(TapOk((PetscBool)(done > 5 && counter.columns == 4 * done && counter.pccolumns == 4 * done + 4), "natural norm: one application of the PC more"));
  /* a duplicate column costs nothing */
  PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
  PetscCall(KSPSetTolerances(ksp, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, 2));
  PetscCall(ColumnCopy(B, 0, 2));
  counter.columns = counter.pccolumns = 0;
  PetscCall(KSPMatSolve(ksp, B, X));
  PetscCall(TapOk((PetscBool)(counter.columns == 3 + 3 && counter.pccolumns == 4 + 3), "a duplicate column is left out: %d products", (int)counter.columns));
  /* the reduction asked for is reached, and not missed by the test */
  for (j = 0; j < 2; j++) {
    PetscCall(KSPSetTolerances(ksp, j ? 0.3 : 0.05, PETSC_DEFAULT, PETSC_DEFAULT, 100));
    PetscCall(KSPMatSolve(ksp, B, X));
    PetscCall(TrueResidual(ksp, B, X, &residual, &drift));
    PetscCall(TapOk((PetscBool)(residual <= (j ? 0.3 : 0.05) && drift < 1e-13), "a loose tolerance, %g", j ? 0.3 : 0.05));
  }
  PetscCall(VecDestroy(&counter.diagonal));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&S));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What must not converge, and why it does not */
static PetscErrorCode TestFailures(void)
{
  KSPConvergedReason reason;
  Counter            counter;
  PetscInt           p;
  KSP                ksp;
  Mat                A, S, B, X;

  PetscFunctionBegin;
  for (p = 1; p <= 4; p += 3) {
    PetscCall(Diagonal(100, 3, -1.0, &A)); /* three small eigenvalues below zero */
    PetscCall(Solver(A, PCNONE, &ksp));
    PetscCall(Dense(A, p, &B));
    PetscCall(Dense(A, p, &X));
    PetscCall(Fill(B, 0));
    PetscCall(KSPMatSolve(ksp, B, X));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    PetscCall(TapOk((PetscBool)(reason == KSP_DIVERGED_INDEFINITE_MAT), "indefinite matrix, %d columns: %s", (int)p, KSPConvergedReasons[reason]));
    PetscCall(KSPDestroy(&ksp));
    PetscCall(MatDestroy(&A));

    PetscCall(Grid(PETSC_COMM_WORLD, 5, 0.5, 10, &A));
    PetscCall(CountSolver(A, &counter, &S, &ksp));
    counter.negate = 97;
    PetscCall(KSPMatSolve(ksp, B, X));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    PetscCall(TapOk((PetscBool)(reason == KSP_DIVERGED_INDEFINITE_PC), "indefinite preconditioner, %d columns: %s", (int)p, KSPConvergedReasons[reason]));
    counter.negate  = PETSC_MAX_INT;
    counter.columns = 0;
    counter.broken  = 6;
    PetscCall(KSPMatSolve(ksp, B, X));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    PetscCall(TapOk((PetscBool)(reason == KSP_DIVERGED_NANORINF), "a matrix that returns Inf, %d columns: %s", (int)p, KSPConvergedReasons[reason]));
    counter.broken = PETSC_MAX_INT;
    PetscCall(KSPMatSolve(ksp, B, X));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    PetscCall(TapOk((PetscBool)(reason == KSP_CONVERGED_RTOL), "and recovers: %s", KSPConvergedReasons[reason]));
    PetscCall(KSPSetTolerances(ksp, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, 4));
    PetscCall(KSPMatSolve(ksp, B, X));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    PetscCall(TapOk((PetscBool)(reason == KSP_DIVERGED_ITS), "maximum of iterations: %s", KSPConvergedReasons[reason]));
    PetscCall(VecDestroy(&counter.diagonal));
    PetscCall(KSPDestroy(&ksp));
    PetscCall(MatDestroy(&S));
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&B));
    PetscCall(MatDestroy(&X));
  }
  /* a matrix of condition 1e12 that is positive definite must not be called indefinite; its residual may grow first */
  PetscCall(Diagonal(100, 5, 1e-8, &A));
  PetscCall(Solver(A, PCNONE, &ksp));
  PetscCall(Dense(A, 5, &B));
  PetscCall(Dense(A, 5, &X));
  PetscCall(Fill(B, 0));
  PetscCall(KSPSetTolerances(ksp, 1e-10, PETSC_DEFAULT, 1e20, 2000));
  PetscCall(KSPMatSolve(ksp, B, X));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(TapOk((PetscBool)(reason > 0), "condition 1e12: %s", KSPConvergedReasons[reason]));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a block is for: four outlying eigenvalues are found by all columns together */
static PetscErrorCode TestOutliers(void)
{
  PetscInt  j, its, worst = 0, block;
  PetscReal distance;
  KSP       ksp, cg;
  PC        pc;
  Mat       A, B, X, Y;
  Vec       b, x;

  PetscFunctionBegin;
  PetscCall(Diagonal(400, 8, 1.0, &A));
  PetscCall(Solver(A, PCNONE, &ksp));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &cg));
  PetscCall(KSPSetType(cg, KSPCG));
  PetscCall(KSPSetNormType(cg, KSP_NORM_UNPRECONDITIONED));
  PetscCall(KSPSetOperators(cg, A, A));
  PetscCall(KSPGetPC(cg, &pc));
  PetscCall(PCSetType(pc, PCNONE));
  PetscCall(KSPSetTolerances(cg, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, 2000));
  PetscCall(Dense(A, 8, &B));
  PetscCall(Dense(A, 8, &X));
  PetscCall(Dense(A, 8, &Y));
  PetscCall(Fill(B, 0));
  PetscCall(Check(ksp, B, X, 1e-10, "eight outlying eigenvalues, eight columns"));
  PetscCall(KSPGetIterationNumber(ksp, &block));
  for (j = 0; j < 8; j++) {
    PetscCall(MatDenseGetColumnVecRead(B, j, &b));
    PetscCall(MatDenseGetColumnVecWrite(Y, j, &x));
    PetscCall(KSPSolve(cg, b, x));
    PetscCall(KSPGetIterationNumber(cg, &its));
    worst = PetscMax(worst, its);
    PetscCall(MatDenseRestoreColumnVecWrite(Y, j, &x));
    PetscCall(MatDenseRestoreColumnVecRead(B, j, &b));
  }
  PetscCall(Distance(X, Y, Y, &distance));
  PetscCall(TapOk((PetscBool)(2 * block < worst && distance < 1e-5), "%d iterations instead of KSPCG's %d", (int)block, (int)worst));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(KSPDestroy(&cg));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ||X_j - Y_j||_A */
static PetscErrorCode EnergyErrors(Mat A, Mat X, Mat Y, PetscReal *errors)
{
  PetscInt    j, p;
  PetscScalar dot;
  Vec         x, y, e, f;

  PetscFunctionBegin;
  PetscCall(MatGetSize(X, NULL, &p));
  PetscCall(MatCreateVecs(A, &e, &f));
  for (j = 0; j < p; j++) {
    PetscCall(MatDenseGetColumnVecRead(X, j, &x));
    PetscCall(MatDenseGetColumnVecRead(Y, j, &y));
    PetscCall(VecWAXPY(e, -1.0, x, y));
    PetscCall(MatDenseRestoreColumnVecRead(X, j, &x));
    PetscCall(MatDenseRestoreColumnVecRead(Y, j, &y));
    PetscCall(MatMult(A, e, f));
    PetscCall(VecDot(f, e, &dot));
    errors[j] = PetscSqrtReal(PetscRealPart(dot));
  }
  PetscCall(VecDestroy(&e));
  PetscCall(VecDestroy(&f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The certified bound of the energy error, after every number of iterations */
static PetscErrorCode TestBounds(void)
{
  KSPConvergedReason reason;
  const PetscInt     n = 600, p = 3;
  PetscReal          mu, bounds[3], errors[3], start[3], loosest, late, got;
  PetscInt           kind, its, j, violated, done;
  PetscBool          ok;
  KSP                ksp;
  Mat                A, B, X, Y, Z;

  PetscFunctionBegin;
  for (kind = 0; kind < 6; kind++) {
    const char *what[] = {"outliers, exact", "outliers, tenth", "grid, exact", "grid, exact, jacobi", "grid, tenth, jacobi", "duplicate columns, exact, jacobi"};

    if (kind < 2) {
      PetscCall(Diagonal(n, 4, 1.0, &A));
      mu = kind ? 1e-5 : 1e-4;
    } else {
      PetscCall(Grid(PETSC_COMM_WORLD, 30, 0.1, kind == 2 ? 1 : 10, &A)); /* with Jacobi, the unscaled matrix over its diagonal 4.1 */
      mu = GridSmallest(30, 0.1);
      if (kind > 2) mu /= 4.1;
      if (kind == 4) mu /= 10;
      mu *= 1 - 1e-10;
    }
    PetscCall(Dense(A, p, &X));
    PetscCall(Dense(A, p, &Y));
    PetscCall(Dense(A, p, &Z));
    PetscCall(Fill(Y, 0)); /* the solution, so that the errors are known */
    if (kind == 5) PetscCall(ColumnCopy(Y, 0, 2));
    PetscCall(MatMatMult(A, Y, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &B));
    PetscCall(EnergyErrors(A, Z, Y, start));
    PetscCall(Solver(A, kind > 2 ? PCJACOBI : PCNONE, &ksp));
    PetscCall(KSPBlockCGSetLowerBound(ksp, mu));
    PetscCall(KSPBlockCGGetLowerBound(ksp, &got));
    PetscCall(TapOk((PetscBool)(got == mu), "the bound that was set"));
    for (its = 0, violated = 0, loosest = late = 0;; its += its < 10 ? 1 : 3) {
      PetscCall(KSPSetTolerances(ksp, 1e-7, PETSC_DEFAULT, PETSC_DEFAULT, its));
      PetscCall(KSPMatSolve(ksp, B, X));
      PetscCall(KSPGetConvergedReason(ksp, &reason));
      PetscCall(KSPGetIterationNumber(ksp, &done));
      PetscCall(KSPBlockCGGetErrorBound(ksp, p, bounds));
      PetscCall(EnergyErrors(A, X, Y, errors));
      for (j = 0; j < p; j++) {
        if (!(bounds[j] >= errors[j] * (1 - 1e-6))) violated++;
        loosest = TapWorst(loosest, bounds[j] / errors[j]);
        if (errors[j] < (kind < 2 ? 1e-6 : 1e-3) * start[j]) late = TapWorst(late, bounds[j] / errors[j]);
      }
      if (reason != KSP_DIVERGED_ITS || its > 300) break;
    }
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s: %d iterations, %d bounds violated, at most %.2g times the error, %.2g late\n", what[kind], (int)done, (int)violated, (double)loosest, (double)late));
    PetscCall(TapOk((PetscBool)(!violated), "%s: the bound is one, all the way through %d iterations", what[kind], (int)done));
    for (j = 0, ok = PETSC_TRUE; j < p; j++)
      if (!(errors[j] <= 1e-7 * start[j])) ok = PETSC_FALSE;
    PetscCall(TapOk((PetscBool)(reason == KSP_CONVERGED_RTOL && ok), "%s: the energy error has fallen by what was asked", what[kind]));
    if (kind != 1 && kind != 4) PetscCall(TapOk((PetscBool)(late > 0 && late < 10), "%s: and is within a factor of ten", what[kind]));
    if (kind == 3) {
      PetscInt plain;

      PetscCall(KSPBlockCGSetLowerBound(ksp, 0.0));
      PetscCall(KSPSetTolerances(ksp, 1e-7, PETSC_DEFAULT, PETSC_DEFAULT, 300));
      PetscCall(KSPMatSolve(ksp, B, X));
      PetscCall(KSPBlockCGGetErrorBound(ksp, p, bounds));
      PetscCall(KSPGetIterationNumber(ksp, &plain));
      PetscCall(TapOk((PetscBool)(bounds[0] == PETSC_INFINITY), "no lower bound, no error bound"));
      PetscCall(KSPBlockCGSetLowerBound(ksp, 10 * mu));
      PetscCall(KSPMatSolve(ksp, B, X));
      PetscCall(KSPBlockCGGetErrorBound(ksp, p, bounds));
      PetscCall(KSPGetIterationNumber(ksp, &its));
      PetscCall(TapOk((PetscBool)(bounds[0] == PETSC_INFINITY && its == plain), "too large a lower bound shows itself, and the residual norm takes over (%d iterations)", (int)its));
    }
    PetscCall(KSPDestroy(&ksp));
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&B));
    PetscCall(MatDestroy(&X));
    PetscCall(MatDestroy(&Y));
    PetscCall(MatDestroy(&Z));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscInt  calls, last;
  PetscReal first, rnorm;
  PetscBool rhs;
} Watch;

static PetscErrorCode WatchMonitor(KSP ksp, PetscInt its, PetscReal rnorm, void *ctx)
{
  Watch    *watch = (Watch *)ctx;
  Vec       rhs, residual;
  PetscReal norm;

  PetscFunctionBegin;
  if (!watch->calls++) watch->first = rnorm;
  watch->last  = its;
  watch->rnorm = rnorm;
  PetscCall(KSPGetRhs(ksp, &rhs));
  PetscCall(KSPBuildResidual(ksp, NULL, NULL, &residual));
  PetscCall(VecNorm(residual, NORM_2, &norm));
  PetscCall(VecDestroy(&residual));
  if (!rhs || !(norm <= rnorm * (1 + 1e-6))) watch->rhs = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode HalfWay(PETSC_UNUSED KSP ksp, PetscInt its, PetscReal rnorm, KSPConvergedReason *reason, void *ctx)
{
  PetscReal *first = (PetscReal *)ctx;

  PetscFunctionBegin;
  if (!its) *first = rnorm;
  *reason = rnorm <= 1e-5 * *first ? KSP_CONVERGED_RTOL : KSP_CONVERGED_ITERATING;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Options, view, monitors, history, a test of one's own */
static PetscErrorCode TestInterface(void)
{
  KSPNormType      type;
  Watch            watch = {0, 0, 0, 0, PETSC_TRUE};
  PetscReal        history[100], residual, drift, norms[5], largest = 0, first, mu;
  const PetscReal *h;
  PetscInt         j, its, len, total;
  const char      *text;
  char             view[4096];
  PetscViewer      viewer;
  PetscBool        flag;
  KSP              ksp;
  Mat              A, B, X;

  PetscFunctionBegin;
  PetscCall(Grid(PETSC_COMM_WORLD, 30, 0.5, 10, &A));
  PetscCall(Dense(A, 5, &B));
  PetscCall(Dense(A, 5, &X));
  PetscCall(Fill(B, 0));
  PetscCall(ColumnScale(B, 2, 100.0));
  PetscCall(Norms(B, norms));
  for (j = 0; j < 5; j++) largest = PetscMax(largest, norms[j]);
  PetscCall(PetscOptionsSetValue(NULL, "-b_ksp_type", "blockcg"));
  PetscCall(PetscOptionsSetValue(NULL, "-b_pc_type", "jacobi"));
  PetscCall(PetscOptionsSetValue(NULL, "-b_ksp_monitor", "ascii:/dev/null"));
  PetscCall(PetscOptionsSetValue(NULL, "-b_ksp_view", "ascii:/dev/null"));
  PetscCall(PetscOptionsSetValue(NULL, "-b_ksp_converged_reason", "ascii:/dev/null"));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOptionsPrefix(ksp, "b_"));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPGetType(ksp, &text));
  PetscCall(PetscStrcmp(text, KSPBLOCKCG, &flag));
  PetscCall(TapOk(flag, "-ksp_type blockcg"));
  PetscCall(KSPMonitorSet(ksp, WatchMonitor, &watch, NULL));
  PetscCall(KSPSetResidualHistory(ksp, history, 100, PETSC_TRUE));
  PetscCall(KSPMatSolve(ksp, B, X));
  PetscCall(KSPGetNormType(ksp, &type));
  PetscCall(TapOk((PetscBool)(type == KSP_NORM_UNPRECONDITIONED), "the default norm is that of the residual"));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  PetscCall(KSPGetTotalIterations(ksp, &total));
  PetscCall(KSPGetResidualHistory(ksp, &h, &len));
  PetscCall(TapOk((PetscBool)(watch.calls == its + 1 && watch.last == its && len == its + 1 && total == its && its > 2), "monitors and history see every iteration"));
  PetscCall(TapOk((PetscBool)(PetscAbsReal(watch.first - largest) < 1e-10 * largest && watch.rnorm <= 1e-5 * largest && history[its] == watch.rnorm), "from the largest norm to rtol times that"));
  PetscCall(TapOk(watch.rhs, "and can ask for the residual of the worst column"));
  PetscCall(KSPMatSolve(ksp, B, X));
  PetscCall(KSPGetTotalIterations(ksp, &total));
  PetscCall(KSPGetResidualHistory(ksp, &h, &len));
  PetscCall(TapOk((PetscBool)(total == 2 * its && len == its + 1), "total of iterations and reset of the history in a second solve"));
  PetscCall(KSPMonitorCancel(ksp));

  PetscCall(PetscOptionsSetValue(NULL, "-b_ksp_blockcg_lower_bound", "1e-3"));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPBlockCGGetLowerBound(ksp, &mu));
  PetscCall(TapOk((PetscBool)(mu == 1e-3), "-ksp_blockcg_lower_bound"));
  PetscCall(PetscMemzero(view, sizeof(view)));
  PetscCall(PetscViewerStringOpen(PETSC_COMM_WORLD, view, sizeof(view), &viewer));
  PetscCall(KSPView(ksp, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(PetscStrstr(view, "blockcg", (char **)&text));
  PetscCall(TapOk((PetscBool)(text != NULL), "a view names it"));
  PetscCall(KSPDestroy(&ksp));

  PetscCall(Solver(A, PCJACOBI, &ksp));
  PetscCall(KSPSetConvergenceTest(ksp, HalfWay, &first, NULL));
  PetscCall(KSPMatSolve(ksp, B, X));
  PetscCall(TrueResidual(ksp, B, X, &residual, &drift));
  PetscCall(TapOk((PetscBool)(residual <= 1e-5 && residual > 1e-9), "a convergence test of one's own"));
  /* the type can be left, and taken again */
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPMatSolve(ksp, B, X));
  PetscCall(KSPSetType(ksp, KSPBLOCKCG));
  PetscCall(KSPMatSolve(ksp, B, X));
  PetscCall(TrueResidual(ksp, B, X, &residual, &drift));
  PetscCall(TapOk((PetscBool)(residual <= 1e-5 && drift < 1e-13), "to another type and back"));
  PetscCall(KSPDestroy(&ksp));

  /* singular and consistent: the null space is that of the constant vectors */
  {
    MatNullSpace nullsp;
    PetscInt     i, first, last;
    Mat          L, C;

    PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, 60, 60, 3, NULL, 2, NULL, &L));
    PetscCall(MatGetOwnershipRange(L, &first, &last));
    for (i = first; i < last; i++) {
      PetscCall(MatSetValue(L, i, i, i > 0 && i < 59 ? 2.0 : 1.0, INSERT_VALUES));
      if (i > 0) PetscCall(MatSetValue(L, i, i - 1, -1.0, INSERT_VALUES));
      if (i < 59) PetscCall(MatSetValue(L, i, i + 1, -1.0, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(L, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(L, MAT_FINAL_ASSEMBLY));
    PetscCall(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_TRUE, 0, NULL, &nullsp));
    PetscCall(MatSetNullSpace(L, nullsp));
    PetscCall(Dense(L, 3, &C));
    PetscCall(MatDestroy(&X));
    PetscCall(Dense(L, 3, &X));
    PetscCall(MatDestroy(&B));
    PetscCall(Fill(C, 0));
    PetscCall(MatMatMult(L, C, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &B));
    PetscCall(Solver(L, PCJACOBI, &ksp));
    PetscCall(Check(ksp, B, X, 1e-9, "a matrix with a null space"));
    PetscCall(Fill(B, 0)); /* not in the range: the part that is gets solved for */
    PetscCall(KSPMatSolve(ksp, B, X));
    {
      KSPConvergedReason reason;

      PetscCall(KSPGetConvergedReason(ksp, &reason));
      PetscCall(TapOk((PetscBool)(reason == KSP_CONVERGED_RTOL), "right-hand sides outside its range are projected"));
    }
    PetscCall(KSPDestroy(&ksp));
    PetscCall(MatNullSpaceDestroy(&nullsp));
    PetscCall(MatDestroy(&L));
    PetscCall(MatDestroy(&C));
  }
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TapBegin(&argc, &argv));
  PetscCall(TestSizes());
  PetscCall(TestColumns());
  PetscCall(TestCG());
  PetscCall(TestNorms());
  PetscCall(TestCost());
  PetscCall(TestFailures());
  PetscCall(TestOutliers());
  PetscCall(TestBounds());
  PetscCall(TestInterface());
  return TapEnd();
}
