/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Gaps in data, which are NaN in the matrix: the samples that have them are left out, on the ranks they are on, or the means of the
   columns take their place.
*/
#include "napiio.h"
#include <slepcnapi/private/napicompat.h>

/* An array of numbers of this rank, and where they are: by columns with a leading dimension, or sparse by rows */
typedef struct {
  PetscScalar    *v;
  PetscInt        m, n, lda; /* dense */
  const PetscInt *i, *j;     /* sparse */
  const PetscInt *column;    /* global number of a sparse column, or NULL: first + j */
  PetscInt        first;
  Mat             A;
} Part;

static PetscErrorCode Part_OpenSparse(Mat A, PetscInt first, const PetscInt column[], Part *part)
{
  PetscBool done;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(part, sizeof(*part)));
  part->A      = A;
  part->first  = first;
  part->column = column;
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &part->m, &part->i, &part->j, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "Gaps are found in dense and AIJ matrices only: leave out -mat_type");
  PetscCall(MatSeqAIJGetArray(A, &part->v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The numbers of this rank, in one part or two */
static PetscErrorCode Part_Open(Mat A, Part part[2], int *n)
{
  PetscBool       dense, seq, mpi;
  PetscInt        first;
  Mat             diagonal, others;
  const PetscInt *column;

  PetscFunctionBegin;
  *n = 1;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)A, &dense, MATSEQDENSE, MATMPIDENSE, ""));
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJ, &seq));
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATMPIAIJ, &mpi));
  PetscCheck(dense || seq || mpi, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP, "Gaps are found in dense and AIJ matrices only: leave out -mat_type");
  PetscCall(MatGetOwnershipRangeColumn(A, &first, NULL));
  if (dense) {
    PetscCall(PetscMemzero(part, sizeof(*part)));
    part->A = A;
    PetscCall(MatGetLocalSize(A, &part->m, NULL));
    PetscCall(MatGetSize(A, NULL, &part->n));
    PetscCall(MatDenseGetLDA(A, &part->lda));
    PetscCall(MatDenseGetArray(A, &part->v));
  } else if (seq) PetscCall(Part_OpenSparse(A, 0, NULL, part));
  else {
    PetscCall(MatMPIAIJGetSeqAIJ(A, &diagonal, &others, &column));
    PetscCall(Part_OpenSparse(diagonal, first, NULL, &part[0]));
    PetscCall(Part_OpenSparse(others, 0, column, &part[1]));
    *n = 2;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Part_Close(Part part[2], int n)
{
  PetscBool done;

  PetscFunctionBegin;
  for (int k = 0; k < n; k++)
    if (!part[k].i) PetscCall(MatDenseRestoreArray(part[k].A, &part[k].v));
    else {
      PetscCall(MatSeqAIJRestoreArray(part[k].A, &part[k].v));
      PetscCall(MatRestoreRowIJ(part[k].A, 0, PETSC_FALSE, PETSC_FALSE, &part[k].m, &part[k].i, &part[k].j, &done));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Goes through the numbers of a part: the next one, its local row and its column; FALSE at the end. k and row begin with 0. */
static PetscBool Part_Next(const Part *part, PetscInt64 *k, PetscInt *row, PetscInt *column, PetscScalar **v)
{
  if (!part->i) {
    if (*k == (PetscInt64)part->m * part->n) return PETSC_FALSE;
    *row    = (PetscInt)(*k % part->m);
    *column = (PetscInt)(*k / part->m);
    *v      = part->v + *row + (size_t)*column * (size_t)part->lda;
  } else {
    while (*row < part->m && *k == part->i[*row + 1]) ++*row;
    if (*row == part->m) return PETSC_FALSE;
    *column = part->column ? part->column[part->j[*k]] : part->first + part->j[*k];
    *v      = part->v + *k;
  }
  ++*k;
  return PETSC_TRUE;
}

/*
   NAPIFindGaps - Marks the rows that have gaps as not kept, besides those that are marked already, and counts the gaps of all ranks.
*/
PetscErrorCode NAPIFindGaps(Mat A, NAPIRows *rows, PetscInt *gaps)
{
  Part         part[2];
  PetscScalar *v;
  PetscInt     local[2] = {0, 0}, all[2], row, column;
  int          n;

  PetscFunctionBegin;
  if (!rows->kept) {
    PetscCall(PetscMalloc1(rows->local + 1, &rows->kept));
    for (PetscInt i = 0; i < rows->local; i++) rows->kept[i] = 1;
  }
  PetscCall(Part_Open(A, part, &n));
  for (int p = 0; p < n; p++) {
    PetscInt64 k = 0;

    row = 0;
    while (Part_Next(&part[p], &k, &row, &column, &v))
      if (PetscIsInfOrNanScalar(*v)) {
        rows->kept[row] = 0;
        local[0]++;
      }
  }
  PetscCall(Part_Close(part, n));
  for (PetscInt i = 0; i < rows->local; i++)
    if (!rows->kept[i]) local[1]++;
  PetscCallMPI(MPI_Allreduce(local, all, 2, MPIU_INT, MPI_SUM, PetscObjectComm((PetscObject)A)));
  *gaps         = all[0];
  rows->dropped = all[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Missing_DropDense(const NAPIRows *rows, PetscInt kept, Mat A, Mat *B)
{
  const PetscScalar *from;
  PetscScalar       *to;
  PetscInt           n, N, lda, ldb, next;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(A, NULL, &n));
  PetscCall(MatGetSize(A, NULL, &N));
  PetscCall(MatCreateDense(PetscObjectComm((PetscObject)A), kept, n, PETSC_DETERMINE, N, NULL, B));
  PetscCall(MatDenseGetLDA(A, &lda));
  PetscCall(MatDenseGetLDA(*B, &ldb));
  PetscCall(MatDenseGetArrayRead(A, &from));
  PetscCall(MatDenseGetArray(*B, &to));
  for (PetscInt j = 0; j < N; j++) {
    next = 0;
    for (PetscInt i = 0; i < rows->local; i++)
      if (rows->kept[i]) to[next++ + (size_t)j * (size_t)ldb] = from[i + (size_t)j * (size_t)lda];
  }
  PetscCall(MatDenseRestoreArray(*B, &to));
  PetscCall(MatDenseRestoreArrayRead(A, &from));
  PetscCall(MatAssemblyBegin(*B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*B, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIDropRows - Leaves out the rows that are not kept; the others stay on their ranks.
*/
PetscErrorCode NAPIDropRows(const NAPIRows *rows, Mat *A)
{
  MPI_Comm  comm = PetscObjectComm((PetscObject)*A);
  PetscInt *list, kept = 0, first, last;
  PetscBool dense;
  IS        isrow, iscol;
  Mat       B;

  PetscFunctionBegin;
  if (!rows->dropped) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(rows->local, &list));
  for (PetscInt i = 0; i < rows->local; i++)
    if (rows->kept[i]) list[kept++] = rows->first + i;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)*A, &dense, MATSEQDENSE, MATMPIDENSE, ""));
  if (dense) PetscCall(Missing_DropDense(rows, kept, *A, &B));
  else {
    PetscCall(MatGetOwnershipRangeColumn(*A, &first, &last));
    PetscCall(ISCreateGeneral(comm, kept, list, PETSC_COPY_VALUES, &isrow));
    PetscCall(ISCreateStride(comm, last - first, first, 1, &iscol));
    PetscCall(MatCreateSubMatrix(*A, isrow, iscol, MAT_INITIAL_MATRIX, &B));
    PetscCall(ISDestroy(&isrow));
    PetscCall(ISDestroy(&iscol));
  }
  PetscCall(PetscFree(list));
  PetscCall(MatDestroy(A));
  *A = B;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sums of what is there, and how many numbers are missing, of each column; what a sparse matrix does not store is zero and there */
static PetscErrorCode Missing_GetMeans(Mat A, const Part part[], int n, PetscScalar mean[], PetscInt *empty)
{
  PetscScalar *v;
  PetscReal   *missing;
  PetscInt     row, column, M, N;

  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &M, &N));
  PetscCall(PetscCalloc1(N, &missing));
  PetscCall(PetscArrayzero(mean, N));
  for (int p = 0; p < n; p++) {
    PetscInt64 k = 0;

    row = 0;
    while (Part_Next(&part[p], &k, &row, &column, &v))
      if (PetscIsInfOrNanScalar(*v)) missing[column] += 1.0;
      else mean[column] += *v;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, mean, (PetscMPIInt)N, MPIU_SCALAR, MPIU_SUM, PetscObjectComm((PetscObject)A)));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, missing, (PetscMPIInt)N, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)A)));
  *empty = -1;
  for (PetscInt j = N - 1; j >= 0; j--)
    if (missing[j] == (PetscReal)M) *empty = j;
    else mean[j] /= (PetscReal)M - missing[j];
  PetscCall(PetscFree(missing));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIFillGaps - Puts the means of the columns where numbers are missing.

   Input Parameters:
+  A     - the data
.  known - whether the means are given: those of other samples
-  mean  - room for a number a column

   Output Parameters:
+  mean  - the means of what is there
-  empty - the first column of which nothing is there, and no mean is known; then nothing is filled in; else -1
*/
PetscErrorCode NAPIFillGaps(Mat A, PetscBool known, PetscScalar mean[], PetscInt *empty)
{
  Part         part[2];
  PetscScalar *v;
  PetscInt     row, column;
  int          n;

  PetscFunctionBegin;
  *empty = -1;
  PetscCall(Part_Open(A, part, &n));
  if (!known) PetscCall(Missing_GetMeans(A, part, n, mean, empty));
  for (int p = 0; p < n && *empty < 0; p++) {
    PetscInt64 k = 0;

    row = 0;
    while (Part_Next(&part[p], &k, &row, &column, &v))
      if (PetscIsInfOrNanScalar(*v)) *v = mean[column];
  }
  PetscCall(Part_Close(part, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}
