/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Square matrices for the flat interface, of arrays or of a function. Those of one process are not copied and stay the caller's; of those that
   all processes have together each passes its rows, with all columns, and a function of such a one is of the rows of its process alone: a block
   of the diagonal.
*/
#include "flat.h"
#include <inttypes.h>

#if !defined(PETSC_USE_COMPLEX) && defined(PETSC_USE_REAL_DOUBLE)

/* the function of a matrix */
typedef struct {
  NapiFlatApply apply;
  PetscBool     failed;
} FlatMat;

/*
   A function that has failed is not called again, and its products are zero until the solver that is using it notices (NapiFlatMatFailed()): an error
   raised from here would leave behind whatever the callers have taken hold of, and the other processes waiting.
*/
static PetscErrorCode FlatMat_Call(FlatMat *f, PetscInt n, PetscInt m, const PetscScalar x[], PetscScalar y[])
{
  PetscFunctionBegin;
  if (!f->failed && f->apply((int64_t)n, (int)m, x, y)) f->failed = PETSC_TRUE;
  if (f->failed) PetscCall(PetscArrayzero(y, n * m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FlatMat_Mult(Mat M, Vec x, Vec y)
{
  FlatMat           *f;
  const PetscScalar *a;
  PetscScalar       *b;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(M, &f));
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArrayRead(x, &a));
  PetscCall(VecGetArrayWrite(y, &b));
  PetscCall(FlatMat_Call(f, n, 1, a, b));
  PetscCall(VecRestoreArrayWrite(y, &b));
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The function knows no leading dimension: blocks that have one larger than their columns are copied */
PetscErrorCode NapiFlatMatApply(Mat M, Mat X, Mat Y)
{
  FlatMat           *f;
  const PetscScalar *a;
  PetscScalar       *b, *x = NULL, *y = NULL;
  PetscInt           n, m, lda, ldb;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(M, &f));
  PetscCall(MatGetLocalSize(X, &n, NULL));
  PetscCall(MatGetSize(X, NULL, &m));
  PetscCall(MatDenseGetLDA(X, &lda));
  PetscCall(MatDenseGetLDA(Y, &ldb));
  PetscCall(MatDenseGetArrayRead(X, &a));
  PetscCall(MatDenseGetArrayWrite(Y, &b));
  if (lda != n) PetscCall(PetscMalloc1(n * m, &x));
  if (ldb != n) PetscCall(PetscMalloc1(n * m, &y));
  for (PetscInt j = 0; x && j < m; j++) PetscCall(PetscArraycpy(x + j * n, a + j * lda, n));
  PetscCall(FlatMat_Call(f, n, m, x ? x : a, y ? y : b));
  for (PetscInt j = 0; y && j < m; j++) PetscCall(PetscArraycpy(b + j * ldb, y + j * n, n));
  PetscCall(PetscFree(x));
  PetscCall(PetscFree(y));
  PetscCall(MatDenseRestoreArrayWrite(Y, &b));
  PetscCall(MatDenseRestoreArrayRead(X, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the matrix, or NULL, is of a function that has failed, here: others may not know it */
PetscErrorCode NapiFlatMatFailed(Mat M, PetscBool *failed)
{
  FlatMat  *f;
  PetscBool shell = PETSC_FALSE;

  PetscFunctionBegin;
  *failed = PETSC_FALSE;
  if (M) PetscCall(PetscObjectTypeCompare((PetscObject)M, MATSHELL, &shell));
  if (!shell) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatShellGetContext(M, &f));
  *failed = f->failed;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FlatMat_Product(Mat M, Mat X, Mat Y, void *ctx)
{
  PetscFunctionBegin;
  (void)ctx;
  PetscCall(NapiFlatMatApply(M, X, Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The function goes with the handle, and not with the matrix: copies that a solver makes of that share it */
static PetscErrorCode FlatMat_Destroy(Mat *M)
{
  FlatMat  *f     = NULL;
  PetscBool shell = PETSC_FALSE;

  PetscFunctionBegin;
  if (*M) PetscCall(PetscObjectTypeCompare((PetscObject)*M, MATSHELL, &shell));
  if (shell) PetscCall(MatShellGetContext(*M, &f));
  PetscCall(MatDestroy(M));
  PetscCall(PetscFree(f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rows of all processes are to be as many as there are columns: of them there are N on each, or what is said is said everywhere */
static PetscErrorCode FlatMat_CheckRows(MPI_Comm comm, PetscInt n, PetscInt N)
{
  PetscInt mine[2] = {n, N}, rows = 0, least = 0, most = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(&mine[0], &rows, 1, MPIU_INT, MPI_SUM, comm));
  PetscCallMPI(MPI_Allreduce(&mine[1], &least, 1, MPIU_INT, MPI_MIN, comm));
  PetscCallMPI(MPI_Allreduce(&mine[1], &most, 1, MPIU_INT, MPI_MAX, comm));
  PetscCheck(least == most && rows == N, comm, PETSC_ERR_ARG_SIZ, "The processes have %" PetscInt_FMT " rows of %" PetscInt_FMT " to %" PetscInt_FMT " columns: together they are to have a square matrix, each its own rows and all columns", rows, least, most);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FlatMat_CSR(PetscInt n, PetscInt N, PetscInt starts[], PetscInt columns[], PetscScalar values[], PetscBool together, Mat *M)
{
  PetscFunctionBegin;
  if (!together) PetscCall(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, n, N, starts, columns, values, M));
  else {
    PetscCall(FlatMat_CheckRows(NapiFlatComm(), n, N));
    PetscCall(MatCreateMPIAIJWithArrays(NapiFlatComm(), n, n, N, N, starts, columns, values, M));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By columns, n numbers each */
static PetscErrorCode FlatMat_Dense(PetscInt n, PetscInt N, PetscScalar values[], PetscBool together, Mat *M)
{
  PetscFunctionBegin;
  if (!together) PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, n, N, values, M));
  else {
    PetscCall(FlatMat_CheckRows(NapiFlatComm(), n, N));
    PetscCall(MatCreateDense(NapiFlatComm(), n, n, N, N, values, M));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FlatMat_Function(PetscInt n, NapiFlatApply apply, PetscBool together, Mat *M)
{
  FlatMat *f;

  PetscFunctionBegin;
  PetscCall(PetscNew(&f));
  f->apply = apply;
  PetscCall(MatCreateShell(together ? NapiFlatComm() : PETSC_COMM_SELF, n, n, PETSC_DETERMINE, PETSC_DETERMINE, f, M));
  PetscCall(MatShellSetOperation(*M, MATOP_MULT, (void (*)(void))FlatMat_Mult));
  PetscCall(MatShellSetMatProductOperation(*M, MATPRODUCT_AB, NULL, FlatMat_Product, NULL, MATDENSE, MATDENSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |x'(M y) - y'(M x)| for two random vectors, divided by the product of their norms and those of M x and M y */
static PetscErrorCode FlatMat_Asymmetry(Mat M, double *difference)
{
  Vec         x[2], y[2];
  PetscScalar dot[2];
  PetscReal   norm, product = 1.0;
  PetscRandom random;

  PetscFunctionBegin;
  PetscCall(PetscRandomCreate(PetscObjectComm((PetscObject)M), &random));
  PetscCall(PetscRandomSetInterval(random, -1.0, 1.0));
  for (int i = 0; i < 2; i++) {
    PetscCall(MatCreateVecs(M, &x[i], &y[i]));
    PetscCall(VecSetRandom(x[i], random));
  }
  for (int i = 0; i < 2; i++) {
    PetscCall(MatMult(M, x[i], y[i]));
    PetscCall(VecDot(y[i], x[1 - i], &dot[i]));
    PetscCall(VecNorm(x[i], NORM_2, &norm));
    product *= norm;
    PetscCall(VecNorm(y[i], NORM_2, &norm));
    product *= norm;
  }
  PetscCall(PetscRandomDestroy(&random));
  *difference = product > 0.0 ? PetscAbsScalar(dot[0] - dot[1]) / PetscSqrtReal(product) : 0.0;
  for (int i = 0; i < 2; i++) {
    PetscCall(VecDestroy(&x[i]));
    PetscCall(VecDestroy(&y[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The norm of A x - w B x */
static PetscErrorCode FlatMat_Residual(Mat A, Mat B, double w, const double values[], double *norm)
{
  Vec          x, r, b;
  PetscScalar *a;
  PetscInt     n;
  PetscReal    rnorm;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &x, &r));
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArrayWrite(x, &a));
  PetscCall(PetscArraycpy(a, values, n));
  PetscCall(VecRestoreArrayWrite(x, &a));
  PetscCall(MatMult(A, x, r));
  if (B) {
    PetscCall(VecDuplicate(x, &b));
    PetscCall(MatMult(B, x, b));
    PetscCall(VecAXPY(r, -w, b));
    PetscCall(VecDestroy(&b));
  } else PetscCall(VecAXPY(r, -w, x));
  PetscCall(VecNorm(r, NORM_2, &rnorm));
  *norm = rnorm;
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* n rows of m numbers here: how many are there on all processes, each of which has m, too? */
static PetscErrorCode FlatMat_GatherRows(int64_t n, int64_t m, int64_t *rows)
{
  int64_t mine[2] = {m, -m}, all[2] = {0, 0};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(mine, all, 2, MPI_INT64_T, MPI_MAX, NapiFlatComm()));
  PetscCheck(all[0] == -all[1], NapiFlatComm(), PETSC_ERR_ARG_SIZ, "The processes have different numbers of columns, from %" PRId64 " to %" PRId64 ": rows can be put together if all have as many", -all[1], all[0]);
  PetscCallMPI(MPI_Allreduce(&n, rows, 1, MPI_INT64_T, MPI_SUM, NapiFlatComm()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* m columns of n numbers here, and of more elsewhere, one after the other: all of them on every process */
static PetscErrorCode FlatMat_Gather(PetscInt n, PetscInt m, const double x[], double all[])
{
  MPI_Comm    comm = NapiFlatComm();
  PetscMPIInt size, mine, *counts, *starts;
  PetscInt64  rows = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PetscMalloc2(size, &counts, size, &starts));
  PetscCall(PetscMPIIntCast(n, &mine));
  PetscCallMPI(MPI_Allgather(&mine, 1, MPI_INT, counts, 1, MPI_INT, comm));
  for (PetscMPIInt i = 0; i < size; i++) {
    PetscCall(PetscMPIIntCast((PetscInt)rows, &starts[i]));
    rows += counts[i];
  }
  for (PetscInt j = 0; j < m; j++) PetscCallMPI(MPI_Allgatherv(x + (PetscInt64)j * n, mine, MPI_DOUBLE, all + j * rows, counts, starts, MPI_DOUBLE, comm));
  PetscCall(PetscFree2(counts, starts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- what the caller sees ------------------------------------------------------------------------------------------------- */

/* n rows of N columns; starts and columns have napi_flat_index_bytes() each; columns are in order, and none comes twice. together: the rows of this process, which are copied */
int napi_flat_mat_csr(int64_t n, int64_t N, void *starts, void *columns, double *values, int together, void **matrix)
{
  return NAPI_FLAT(FlatMat_CSR((PetscInt)n, (PetscInt)N, (PetscInt *)starts, (PetscInt *)columns, values, together ? PETSC_TRUE : PETSC_FALSE, (Mat *)matrix));
}

int napi_flat_mat_dense(int64_t n, int64_t N, double *values, int together, void **matrix)
{
  return NAPI_FLAT(FlatMat_Dense((PetscInt)n, (PetscInt)N, values, together ? PETSC_TRUE : PETSC_FALSE, (Mat *)matrix));
}

int napi_flat_mat_function(int64_t n, NapiFlatApply apply, int together, void **matrix)
{
  return NAPI_FLAT(FlatMat_Function((PetscInt)n, apply, together ? PETSC_TRUE : PETSC_FALSE, (Mat *)matrix));
}

int napi_flat_mat_asymmetry(void *matrix, double *difference)
{
  return NAPI_FLAT(FlatMat_Asymmetry((Mat)matrix, difference));
}

/* x: the rows of this process; B may be NULL */
int napi_flat_mat_residual(void *A, void *B, double w, const double *x, double *norm)
{
  return NAPI_FLAT(FlatMat_Residual((Mat)A, (Mat)B, w, x, norm));
}

int napi_flat_mat_destroy(void **matrix)
{
  return NAPI_FLAT(FlatMat_Destroy((Mat *)matrix));
}

/* Whether all processes can go on, before they do something together */
int napi_flat_agree(int fine, int *all)
{
  return MPI_Allreduce(&fine, all, 1, MPI_INT, MPI_MIN, NapiFlatComm());
}

int napi_flat_gather_rows(int64_t n, int64_t m, int64_t *rows)
{
  return NAPI_FLAT(FlatMat_GatherRows(n, m, rows));
}

/* Blocks of vectors by columns */
int napi_flat_gather(int64_t n, int64_t m, const double *x, double *all)
{
  return NAPI_FLAT(FlatMat_Gather((PetscInt)n, (PetscInt)m, x, all));
}

#endif
