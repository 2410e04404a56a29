/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Data for the flat interface: samples by rows, of which each process has its own. What can be used where it is stays the caller's and is
   not copied: numbers in double precision that are stored by columns, and sparse rows of one process. Everything else is copied once.
*/
#include "flat.h"
#include <inttypes.h>

#if !defined(PETSC_USE_COMPLEX) && defined(PETSC_USE_REAL_DOUBLE)

  #define FLAT_TILE 64 /* rows and columns that are copied together: each line of the cache is read and written once */

/* A dense array anywhere in memory: strides are in bytes */
typedef struct {
  const char *start;
  int64_t     rows, columns, row, column;
  int         bytes; /* of a number: 4 or 8 */
} FlatArray;

/* 0, or not a number if any of them is not finite: products with 0 tell. Several sums, so that none has to wait for another */
static double Flat_CheckNumbers(int64_t n, const double x[])
{
  double  sum[8] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  int64_t i      = 0;

  for (; i + 8 <= n; i += 8)
    for (int k = 0; k < 8; k++) sum[k] += 0.0 * x[i + k];
  for (; i < n; i++) sum[0] += 0.0 * x[i];
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

/* A tile, to an array that is stored by columns; returns what Flat_CheckNumbers() says of it */
static double FlatArray_CopyTile(const FlatArray *a, int64_t i0, int64_t i1, int64_t j0, int64_t j1, double out[])
{
  double sum = 0.0;

  for (int64_t j = j0; j < j1; j++) {
    const char *from = a->start + j * a->column;
    double     *to   = out + j * a->rows;

    if (a->bytes == 8)
      for (int64_t i = i0; i < i1; i++) to[i] = *(const double *)(const void *)(from + i * a->row);
    else
      for (int64_t i = i0; i < i1; i++) to[i] = (double)*(const float *)(const void *)(from + i * a->row);
    sum += Flat_CheckNumbers(i1 - i0, to + i0);
  }
  return sum;
}

static double FlatArray_Copy(const FlatArray *a, double out[])
{
  double sum = 0.0;

  for (int64_t i = 0; i < a->rows; i += FLAT_TILE)
    for (int64_t j = 0; j < a->columns; j += FLAT_TILE) sum += FlatArray_CopyTile(a, i, PetscMin(i + FLAT_TILE, a->rows), j, PetscMin(j + FLAT_TILE, a->columns), out);
  return sum;
}

/* All processes have the same columns; and are the numbers of all of them finite? */
static PetscErrorCode FlatData_Agree(int64_t columns, double sum, int *finite)
{
  int64_t mine[3] = {columns, -columns, sum == 0.0 ? 0 : 1}, all[3];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(mine, all, 3, MPI_INT64_T, MPI_MAX, NapiFlatComm()));
  PetscCheck(all[0] == -all[1], NapiFlatComm(), PETSC_ERR_ARG_SIZ, "The processes have different numbers of columns, from %" PRId64 " to %" PRId64 ": each passes its rows of the same variables", -all[1], all[0]);
  *finite = all[2] == 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FlatData_Sizes(int64_t rows, int64_t columns, PetscInt *m, PetscInt *n)
{
  PetscFunctionBegin;
  *m = (PetscInt)rows;
  *n = (PetscInt)columns;
  PetscCheck(*m == rows && *n == columns, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%" PRId64 " rows and %" PRId64 " columns are more than this PETSc can count: share the rows out to several processes, or build with 64-bit indices", rows, columns);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FlatData_Dense(const FlatArray *a, int *finite, Mat *M)
{
  const int64_t   width   = (int64_t)sizeof(double);
  const PetscBool fits    = (PetscBool)(a->bytes == 8 && (a->row == width || a->rows == 1) && a->column % width == 0 && (a->column >= width * a->rows || a->columns == 1) && (size_t)a->start % sizeof(double) == 0);
  double         *entries = NULL, sum = 0.0;
  PetscInt        m, n, lda;

  PetscFunctionBegin;
  PetscCall(FlatData_Sizes(a->rows, a->columns, &m, &n));
  PetscCheck((double)m * (double)n < (double)PETSC_MAX_INT, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%" PRId64 " times %" PRId64 " numbers are more than this PETSc can count: share the rows out to several processes, or build with 64-bit indices", a->rows, a->columns);
  lda = fits && a->columns > 1 ? (PetscInt)(a->column / width) : PetscMax(1, m);
  if (fits && lda == a->rows) sum = Flat_CheckNumbers(a->rows * a->columns, (const double *)(const void *)a->start);
  for (int64_t j = 0; fits && lda != a->rows && j < a->columns; j++) sum += Flat_CheckNumbers(a->rows, (const double *)(const void *)(a->start + j * a->column));
  PetscCall(MatCreate(NapiFlatComm(), M));
  PetscCall(MatSetSizes(*M, m, PETSC_DECIDE, PETSC_DETERMINE, n));
  PetscCall(MatSetType(*M, MATDENSE));
  if (fits) {
    PetscCall(MatSeqDenseSetPreallocation(*M, (PetscScalar *)(uintptr_t)a->start));
    PetscCall(MatMPIDenseSetPreallocation(*M, (PetscScalar *)(uintptr_t)a->start));
    PetscCall(MatDenseSetLDA(*M, lda));
  } else {
    PetscCall(MatSetUp(*M));
    PetscCall(MatDenseGetArrayWrite(*M, &entries));
    sum = FlatArray_Copy(a, entries);
    PetscCall(MatDenseRestoreArrayWrite(*M, &entries));
  }
  PetscCall(MatAssemblyBegin(*M, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*M, MAT_FINAL_ASSEMBLY));
  PetscCall(FlatData_Agree(a->columns, sum, finite));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FlatData_CSR(int64_t rows, int64_t columns, PetscInt starts[], PetscInt indices[], double values[], int *finite, Mat *M)
{
  PetscInt    m, n;
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCall(FlatData_Sizes(rows, columns, &m, &n));
  PetscCall(FlatData_Agree(columns, Flat_CheckNumbers((int64_t)starts[m], values), finite));
  PetscCallMPI(MPI_Comm_size(NapiFlatComm(), &size));
  if (size == 1) PetscCall(MatCreateSeqAIJWithArrays(NapiFlatComm(), m, n, starts, indices, values, M));
  else PetscCall(MatCreateMPIAIJWithArrays(NapiFlatComm(), m, PETSC_DECIDE, PETSC_DETERMINE, n, starts, indices, values, M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- what the caller sees ------------------------------------------------------------------------------------------------- */

/* Numbers of 4 or 8 bytes, row and column being how far apart two of them are in memory; napi_flat_mat_destroy() is for the matrix */
int napi_flat_data_dense(int64_t rows, int64_t columns, const void *values, int64_t row, int64_t column, int bytes, int *finite, void **matrix)
{
  const FlatArray a = {(const char *)values, rows, columns, row, column, bytes};

  return NAPI_FLAT(FlatData_Dense(&a, finite, (Mat *)matrix));
}

/* starts and indices have napi_flat_index_bytes() each; indices of a row are in order, and none comes twice */
int napi_flat_data_csr(int64_t rows, int64_t columns, void *starts, void *indices, double *values, int *finite, void **matrix)
{
  return NAPI_FLAT(FlatData_CSR(rows, columns, (PetscInt *)starts, (PetscInt *)indices, values, finite, (Mat *)matrix));
}

/* The largest number that any of the processes has */
int napi_flat_data_largest(int64_t mine, int64_t *largest)
{
  return MPI_Allreduce(&mine, largest, 1, MPI_INT64_T, MPI_MAX, NapiFlatComm()) ? 1 : 0;
}

#endif
