/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Square matrices for the flat interface, of one process each: of arrays, which stay the caller's and are not copied, or of a function.
*/
#include "flat.h"

#if !defined(PETSC_USE_COMPLEX) && defined(PETSC_USE_REAL_DOUBLE)

/* the function of a matrix */
typedef struct {
  NapiFlatApply apply;
} FlatMat;

static PetscErrorCode FlatMat_Mult(Mat M, Vec x, Vec y)
{
  FlatMat           *f;
  const PetscScalar *a;
  PetscScalar       *b;
  PetscInt           n;
  int                failed;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(M, &f));
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArrayRead(x, &a));
  PetscCall(VecGetArrayWrite(y, &b));
  failed = f->apply(n, 1, a, b);
  PetscCall(VecRestoreArrayWrite(y, &b));
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscCheck(!failed, PETSC_COMM_SELF, PETSC_ERR_USER, "A function of the caller has failed");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The function knows no leading dimension: blocks that have one larger than their columns are copied */
PetscErrorCode NapiFlatMatApply(Mat M, Mat X, Mat Y)
{
  FlatMat           *f;
  const PetscScalar *a;
  PetscScalar       *b, *x = NULL, *y = NULL;
  PetscInt           n, m, lda, ldb;
  int                failed;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(M, &f));
  PetscCall(MatGetSize(X, &n, &m));
  PetscCall(MatDenseGetLDA(X, &lda));
  PetscCall(MatDenseGetLDA(Y, &ldb));
  PetscCall(MatDenseGetArrayRead(X, &a));
  PetscCall(MatDenseGetArrayWrite(Y, &b));
  if (lda != n) PetscCall(PetscMalloc1(n * m, &x));
  if (ldb != n) PetscCall(PetscMalloc1(n * m, &y));
  for (PetscInt j = 0; x && j < m; j++) PetscCall(PetscArraycpy(x + j * n, a + j * lda, n));
  failed = f->apply(n, (int)m, x ? x : a, y ? y : b);
  for (PetscInt j = 0; y && j < m && !failed; j++) PetscCall(PetscArraycpy(b + j * ldb, y + j * n, n));
  PetscCall(PetscFree(x));
  PetscCall(PetscFree(y));
  PetscCall(MatDenseRestoreArrayWrite(Y, &b));
  PetscCall(MatDenseRestoreArrayRead(X, &a));
  PetscCheck(!failed, PETSC_COMM_SELF, PETSC_ERR_USER, "A function of the caller has failed");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FlatMat_Product(Mat M, Mat X, Mat Y, void *ctx)
{
  PetscFunctionBegin;
  (void)ctx;
  PetscCall(NapiFlatMatApply(M, X, Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FlatMat_Destroy(Mat M)
{
  FlatMat *f;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(M, &f));
  PetscCall(PetscFree(f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FlatMat_Function(PetscInt n, NapiFlatApply apply, Mat *M)
{
  FlatMat *f;

  PetscFunctionBegin;
  PetscCall(PetscNew(&f));
  f->apply = apply;
  PetscCall(MatCreateShell(PETSC_COMM_SELF, n, n, n, n, f, M));
  PetscCall(MatShellSetOperation(*M, MATOP_MULT, (void (*)(void))FlatMat_Mult));
  PetscCall(MatShellSetOperation(*M, MATOP_DESTROY, (void (*)(void))FlatMat_Destroy));
  PetscCall(MatShellSetMatProductOperation(*M, MATPRODUCT_AB, NULL, FlatMat_Product, NULL, MATDENSE, MATDENSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- what the caller sees ------------------------------------------------------------------------------------------------- */

/* starts and columns have napi_flat_index_bytes() each; columns are in order, and none comes twice */
int napi_flat_mat_csr(int64_t n, void *starts, void *columns, double *values, void **matrix)
{
  return NAPI_FLAT(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, (PetscInt)n, (PetscInt)n, (PetscInt *)starts, (PetscInt *)columns, values, (Mat *)matrix));
}

int napi_flat_mat_dense(int64_t n, double *values, void **matrix)
{
  return NAPI_FLAT(MatCreateSeqDense(PETSC_COMM_SELF, (PetscInt)n, (PetscInt)n, values, (Mat *)matrix));
}

int napi_flat_mat_function(int64_t n, NapiFlatApply apply, void **matrix)
{
  return NAPI_FLAT(FlatMat_Function((PetscInt)n, apply, (Mat *)matrix));
}

int napi_flat_mat_destroy(void **matrix)
{
  return NAPI_FLAT(MatDestroy((Mat *)matrix));
}

#endif
