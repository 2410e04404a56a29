/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The counts that napi-eps reports, against matrices and preconditioners that count for themselves, for several types
   of EPS; and that counting changes nothing for -log_view and ends where the solve ends.
*/
#include "tap.h"
#include "../src/apps/common/count.h"
#include "../src/apps/common/fem.h"

/* a matrix, or the diagonal of one, that counts its applications */
typedef struct {
  Mat      A;
  Vec      diagonal;
  PetscInt count;
} Counting;

static PetscErrorCode MultCounting(Mat S, Vec x, Vec y)
{
  Counting *c;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(S, &c));
  PetscCall(MatMult(c->A, x, y));
  c->count++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetDiagonalCounting(Mat S, Vec d)
{
  Counting *c;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(S, &c));
  PetscCall(MatGetDiagonal(c->A, d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateCounting(Mat A, Counting *c, Mat *S)
{
  PetscInt m, M;

  PetscFunctionBegin;
  c->A     = A;
  c->count = 0;
  PetscCall(MatGetLocalSize(A, &m, NULL));
  PetscCall(MatGetSize(A, &M, NULL));
  PetscCall(MatCreateShell(PETSC_COMM_WORLD, m, m, M, M, c, S));
  PetscCall(MatShellSetOperation(*S, MATOP_MULT, (void (*)(void))MultCounting));
  PetscCall(MatShellSetOperation(*S, MATOP_GET_DIAGONAL, (void (*)(void))GetDiagonalCounting));
  PetscCall(MatSetOption(*S, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatSetOption(*S, MAT_HERMITIAN, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ApplyCounting(PC pc, Vec x, Vec y)
{
  Counting *c;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &c));
  PetscCall(VecPointwiseDivide(y, x, c->diagonal));
  c->count++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solver of some type for A x = lambda x or A x = lambda B x, its options given as a string */
static PetscErrorCode CreateSolver(Mat A, Mat B, const char type[], const char options[], EPS *eps)
{
  PetscFunctionBegin;
  PetscCall(EPSCreate(PETSC_COMM_WORLD, eps));
  PetscCall(EPSSetOptionsPrefix(*eps, "count_"));
  PetscCall(EPSSetOperators(*eps, A, B));
  PetscCall(EPSSetProblemType(*eps, B ? EPS_GHEP : EPS_HEP));
  PetscCall(EPSSetType(*eps, type));
  PetscCall(EPSSetDimensions(*eps, 3, NAPI_UNSET, NAPI_UNSET));
  PetscCall(EPSSetTolerances(*eps, 1e-6, 2000));
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(EPSSetFromOptions(*eps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetCountingPC(EPS eps, Counting *c)
{
  ST  st;
  KSP ksp;
  PC  pc;

  PetscFunctionBegin;
  PetscCall(EPSGetST(eps, &st));
  PetscCall(STGetKSP(st, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCSHELL));
  PetscCall(PCShellSetContext(pc, c));
  PetscCall(PCShellSetApply(pc, ApplyCounting));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Compares our counts with the matrices' and the preconditioner's own; the latter is a scaling by precond's diagonal */
static PetscErrorCode Compare(Mat A, Mat B, Mat precond, const char type[], const char options[], const char what[])
{
  Counting own[3] = {{0}, {0}, {0}};
  Mat      SA, SB = NULL;
  EPS      eps;
  PetscInt nconv;
  NAPICost cost;

  PetscFunctionBegin;
  PetscCall(CreateCounting(A, &own[0], &SA));
  if (B) PetscCall(CreateCounting(B, &own[1], &SB));
  PetscCall(CreateSolver(SA, SB, type, options, &eps));
  if (precond) {
    PetscCall(MatCreateVecs(A, &own[2].diagonal, NULL));
    PetscCall(MatGetDiagonal(precond, own[2].diagonal));
    PetscCall(SetCountingPC(eps, &own[2]));
  }
  PetscCall(NAPICountedSolve(eps, &cost));
  PetscCall(EPSGetConverged(eps, &nconv));
  PetscCall(TapOk((PetscBool)(nconv > 0 && cost.A == own[0].count && cost.B == own[1].count && cost.PC == own[2].count), "%s: columns A %d, B %d, PC %d", what, (int)cost.A, (int)cost.B, (int)cost.PC));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# counted by themselves: A %d, B %d, PC %d; %d converged, %g s\n", (int)own[0].count, (int)own[1].count, (int)own[2].count, (int)nconv, cost.seconds));
  PetscCall(EPSDestroy(&eps));
  PetscCall(PetscOptionsClearValue(NULL, "-count_st_ksp_type"));
  PetscCall(PetscOptionsClearValue(NULL, "-count_st_shift"));
  PetscCall(PetscOptionsClearValue(NULL, "-count_st_matmode"));
  PetscCall(VecDestroy(&own[2].diagonal));
  PetscCall(MatDestroy(&SA));
  PetscCall(MatDestroy(&SB));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestAgainstShells(Mat K, Mat M)
{
  PetscFunctionBegin;
  PetscCall(Compare(K, M, M, EPSKRYLOVSCHUR, "-count_st_ksp_type cg", "krylovschur with cg"));
  PetscCall(Compare(M, K, K, EPSKRYLOVSCHUR, "-count_st_ksp_type cg", "krylovschur with cg, matrices swapped"));
  PetscCall(Compare(M, K, K, EPSKRYLOVSCHUR, "-count_st_ksp_type cg -count_st_shift 0.1 -count_st_matmode shell", "krylovschur with a shift as a shell"));
  PetscCall(Compare(K, NULL, NULL, EPSKRYLOVSCHUR, "", "krylovschur, no B"));
  PetscCall(Compare(M, K, K, EPSGD, "", "gd"));
  PetscCall(Compare(M, K, K, EPSJD, "", "jd"));
  PetscCall(Compare(M, K, K, EPSLOBPCG, "", "lobpcg"));
  PetscCall(Compare(M, K, K, EPSSUBSPACE, "-count_st_ksp_type cg", "subspace with cg"));
  PetscCall(Compare(M, K, K, EPSPOWER, "-count_st_ksp_type cg", "power with cg"));
  PetscCall(Compare(M, K, K, EPSNAPI, "-count_st_ksp_type cg", "napi with cg"));
  PetscCall(Compare(K, NULL, NULL, EPSNAPI, "", "napi, no B"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define CG "-count_st_ksp_type cg -count_st_pc_type jacobi"

/* A monitor that multiplies blocks in its first call, as a part of the solve: five columns by A, five by the PC */
static PetscErrorCode MultiplyBlocks(EPS eps, PetscInt its, PetscInt nconv, PetscScalar *re, PetscScalar *im, PetscReal *errest, PetscInt nest, void *ctx)
{
  PetscBool *done = (PetscBool *)ctx;
  PetscInt   m, M;
  Mat        A, X, Y;
  ST         st;
  KSP        ksp;
  PC         pc;

  PetscFunctionBegin;
  (void)its, (void)nconv, (void)re, (void)im, (void)errest, (void)nest;
  if (*done) PetscFunctionReturn(PETSC_SUCCESS);
  *done = PETSC_TRUE;
  PetscCall(EPSGetOperators(eps, &A, NULL));
  PetscCall(MatGetLocalSize(A, &m, NULL));
  PetscCall(MatGetSize(A, &M, NULL));
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, m, PETSC_DECIDE, M, 5, NULL, &X));
  PetscCall(MatSetRandom(X, NULL));
  PetscCall(MatMatMult(A, X, MAT_INITIAL_MATRIX, 1.0, &Y));
  PetscCall(EPSGetST(eps, &st));
  PetscCall(STGetKSP(st, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCMatApply(pc, X, Y));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Cost(Mat A, Mat B, const char options[], PetscBool blocks, NAPICost *cost)
{
  PetscBool done = PETSC_FALSE;
  EPS       eps;

  PetscFunctionBegin;
  PetscCall(CreateSolver(A, B, EPSKRYLOVSCHUR, options, &eps));
  if (blocks) PetscCall(EPSMonitorSet(eps, MultiplyBlocks, &done, NULL));
  PetscCall(NAPICountedSolve(eps, cost));
  PetscCall(EPSDestroy(&eps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A block product is as many columns as the block has, whether done natively or column by column */
static PetscErrorCode TestBlocks(Mat K, Mat M)
{
  Counting own = {0};
  NAPICost plain, native, columns;
  Mat      S;

  PetscFunctionBegin;
  PetscCall(CreateCounting(M, &own, &S));
  PetscCall(Cost(M, K, CG, PETSC_FALSE, &plain));
  PetscCall(Cost(M, K, CG, PETSC_TRUE, &native));
  PetscCall(Cost(S, K, CG, PETSC_TRUE, &columns));
  PetscCall(TapOk((PetscBool)(native.A == plain.A + 5 && native.B == plain.B && native.PC == plain.PC + 5), "a native "
                                                                                                            "block "
                                                                                                            "product "
                                                                                                            "counts "
                                                                                                            "its "
                                                                                                            "columns"));
  PetscCall(TapOk((PetscBool)(columns.A == native.A && columns.B == native.B && columns.PC == native.PC && columns.A == own.count), "a shell's block product counts them once"));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# A, B, PC: plain %d %d %d, native %d %d %d, columns %d %d %d\n", (int)plain.A, (int)plain.B, (int)plain.PC, (int)native.A, (int)native.B, (int)native.PC, (int)columns.A, (int)columns.B, (int)columns.PC));
  PetscCall(MatDestroy(&S));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Krylov spaces do not depend on a shift, so that the shifted copy of A has to be applied as often as A is without */
static PetscErrorCode TestShift(Mat K, Mat M)
{
  NAPICost plain, shifted;

  PetscFunctionBegin;
  PetscCall(Cost(M, K, CG, PETSC_FALSE, &plain));
  PetscCall(Cost(M, K, CG " -count_st_shift 1e-3", PETSC_FALSE, &shifted));
  PetscCall(TapOk((PetscBool)(plain.A > 0 && shifted.A == plain.A), "A - sigma B counts as A: %d and %d columns", (int)shifted.A, (int)plain.A));
  PetscCall(PetscOptionsClearValue(NULL, "-count_st_shift"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the preconditioner does, and what the viewers at the end of EPSSolve() do, is not counted as the solve's own */
static PetscErrorCode TestNotCounted(Mat K, Mat M)
{
  NAPICost plain, viewed, inner;

  PetscFunctionBegin;
  PetscCall(Cost(M, K, CG, PETSC_FALSE, &plain));
  PetscCall(Cost(M, K, CG " -count_eps_error_relative :/dev/null", PETSC_FALSE, &viewed));
  PetscCall(TapOk((PetscBool)(viewed.A == plain.A && viewed.B == plain.B), "a viewer's products are not counted"));
  PetscCall(PetscOptionsClearValue(NULL, "-count_eps_error_relative"));
  PetscCall(Cost(M, K,
                 "-count_st_ksp_type preonly -count_st_pc_type ksp -count_st_ksp_ksp_type cg -count_st_ksp_ksp_rtol "
                 "1e-9",
                 PETSC_FALSE, &inner));
  PetscCall(TapOk((PetscBool)(inner.PC == inner.A && inner.B < 10 * inner.A), "products inside the preconditioner belong to it: A %d, B %d, PC %d", (int)inner.A, (int)inner.B, (int)inner.PC));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PetscInt m[] = {13, 11};
  Mat            K, M;

  PetscFunctionBeginUser;
  PetscCall(TapBegin(&argc, &argv));
  PetscCall(NAPIFemCreate(PETSC_COMM_WORLD, 2, m, &K, &M));
  PetscCall(TestAgainstShells(K, M));
  PetscCall(TestBlocks(K, M));
  PetscCall(TestShift(K, M));
  PetscCall(TestNotCounted(K, M));
  PetscCall(MatDestroy(&K));
  PetscCall(MatDestroy(&M));
  return TapEnd();
}
