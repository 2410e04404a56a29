/*
   Reads a matrix on rank 0 and distributes its rows. Rank 0 reads a limited number of entries at a time and sends each
   to the rank that owns its row, so that no rank ever holds more than its own part and one such portion.
*/
#include "source.h"
#include <slepcnapi/private/napicompat.h>

#define PORTION 262144 /* entries of the file that are sent at a time */

typedef struct {
  PetscCount   n, room;
  PetscInt    *i, *j;
  PetscScalar *v;
} Entries;

/* How a matrix is told to the other ranks before its entries come */
typedef struct {
  PetscInt rows, cols;
  PetscInt hermitian; /* known to be, from the header */
} Shape;

static PetscErrorCode EntriesReserve(Entries *entries, PetscCount room)
{
  PetscFunctionBegin;
  if (room <= entries->room) PetscFunctionReturn(PETSC_SUCCESS);
  entries->room = PetscMax(room, 2 * entries->room); /* so that growing costs no more than filling */
  PetscCall(PetscRealloc(sizeof(PetscInt) * (size_t)entries->room, &entries->i));
  PetscCall(PetscRealloc(sizeof(PetscInt) * (size_t)entries->room, &entries->j));
  PetscCall(PetscRealloc(sizeof(PetscScalar) * (size_t)entries->room, &entries->v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EntriesAdd(Entries *entries, PetscInt i, PetscInt j, PetscScalar v)
{
  PetscFunctionBegin;
  if (entries->n == entries->room) PetscCall(EntriesReserve(entries, entries->n + 1));
  entries->i[entries->n]   = i;
  entries->j[entries->n]   = j;
  entries->v[entries->n++] = v;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EntriesDestroy(Entries *entries)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(entries->i));
  PetscCall(PetscFree(entries->j));
  PetscCall(PetscFree(entries->v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Checks an entry and adds it, and its mirror image where the file holds one triangle */
static PetscErrorCode AddChecked(NAPISource *source, Entries *portion, PetscInt64 i, PetscInt64 j, PetscScalar v)
{
  PetscFunctionBegin;
  if (i < 0 || i >= source->rows || j < 0 || j >= source->cols) {
    PetscCall(NAPISourceSay(source,
                            "entry (%" PetscInt64_FMT ",%" PetscInt64_FMT ") lies outside of the matrix, which is "
                                                                          "%" PetscInt64_FMT " by %" PetscInt64_FMT,
                            i + 1, j + 1, source->rows, source->cols));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (PetscIsInfOrNanScalar(v)) {
    PetscCall(
      NAPISourceSay(source, "entry (%" PetscInt64_FMT ",%" PetscInt64_FMT ") is not a finite number", i + 1, j + 1));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(EntriesAdd(portion, (PetscInt)i, (PetscInt)j, v));
  if (source->mirror == NAPI_MIRROR_NONE || i == j) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(EntriesAdd(portion, (PetscInt)j, (PetscInt)i, source->mirror == NAPI_MIRROR_HERMITIAN ? PetscConj(v) : v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadPortion(NAPISource *source, Entries *portion, PetscBool *more)
{
  PetscInt64  i = 0, j = 0;
  PetscScalar v = 0.0;

  PetscFunctionBegin;
  portion->n = 0;
  *more      = PETSC_TRUE;
  for (int k = 0; k < PORTION && *more && !source->message[0]; k++) {
    PetscCall((*source->next)(source, &i, &j, &v, more));
    if (*more && !source->message[0]) PetscCall(AddChecked(source, portion, i, j, v));
  }
  if (source->message[0]) *more = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sorts the entries by the rank that owns their row; counts[p] and starts[p] tell what rank p gets */
static PetscErrorCode SortByOwner(PetscLayout rows, const Entries *in, Entries *out, PetscMPIInt counts[],
                                  PetscMPIInt starts[])
{
  PetscMPIInt size, *owner, *next;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(rows->comm, &size));
  PetscCall(PetscMalloc2(in->n, &owner, size, &next));
  for (PetscMPIInt p = 0; p < size; p++) counts[p] = 0;
  for (PetscCount k = 0; k < in->n; k++) {
    PetscCall(PetscLayoutFindOwner(rows, in->i[k], &owner[k]));
    counts[owner[k]]++;
  }
  starts[0] = next[0] = 0;
  for (PetscMPIInt p = 1; p < size; p++) starts[p] = next[p] = starts[p - 1] + counts[p - 1];
  PetscCall(EntriesReserve(out, in->n));
  for (PetscCount k = 0; k < in->n; k++) {
    PetscMPIInt to = next[owner[k]]++;

    out->i[to] = in->i[k];
    out->j[to] = in->j[k];
    out->v[to] = in->v[k];
  }
  PetscCall(PetscFree2(owner, next));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Appends to mine what rank 0 has sorted for this rank */
static PetscErrorCode Scatter(MPI_Comm comm, const Entries *sorted, PetscMPIInt counts[], PetscMPIInt starts[],
                              Entries *mine)
{
  PetscMPIInt n;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Scatter(counts, 1, MPI_INT, &n, 1, MPI_INT, 0, comm));
  PetscCall(EntriesReserve(mine, mine->n + n));
  PetscCallMPI(MPI_Scatterv(sorted->i, counts, starts, MPIU_INT, mine->i + mine->n, n, MPIU_INT, 0, comm));
  PetscCallMPI(MPI_Scatterv(sorted->j, counts, starts, MPIU_INT, mine->j + mine->n, n, MPIU_INT, 0, comm));
  PetscCallMPI(MPI_Scatterv(sorted->v, counts, starts, MPIU_SCALAR, mine->v + mine->n, n, MPIU_SCALAR, 0, comm));
  mine->n += n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadEntries(NAPISource *source, PetscLayout rows, Entries *mine)
{
  MPI_Comm    comm    = rows->comm;
  Entries     portion = {0, 0, NULL, NULL, NULL}, sorted = {0, 0, NULL, NULL, NULL};
  PetscMPIInt rank, size, *counts, *starts, again = 1;
  PetscBool   more = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PetscMalloc2(size, &counts, size, &starts));
  while (again) {
    if (!rank) {
      PetscCall(ReadPortion(source, &portion, &more));
      again = more ? 1 : 0;
      PetscCall(SortByOwner(rows, &portion, &sorted, counts, starts));
    }
    PetscCall(Scatter(comm, &sorted, counts, starts, mine));
    PetscCallMPI(MPI_Bcast(&again, 1, MPI_INT, 0, comm));
  }
  PetscCall(EntriesDestroy(&portion));
  PetscCall(EntriesDestroy(&sorted));
  PetscCall(PetscFree2(counts, starts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Several entries in one place add up. A square matrix gets all of its diagonal, which ILU and its relatives need. */
static PetscErrorCode Assemble(PetscLayout rows, const Shape *shape, Entries *mine, Mat *A)
{
  PetscInt first, last;

  PetscFunctionBegin;
  PetscCall(PetscLayoutGetRange(rows, &first, &last));
  if (shape->rows == shape->cols)
    for (PetscInt i = first; i < last; i++) PetscCall(EntriesAdd(mine, i, i, 0.0));
  PetscCall(MatCreate(rows->comm, A));
  PetscCall(
    MatSetSizes(*A, last - first, shape->rows == shape->cols ? last - first : PETSC_DECIDE, shape->rows, shape->cols));
  PetscCall(MatSetType(*A, MATAIJ));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSetPreallocationCOO(*A, mine->n, mine->i, mine->j));
  PetscCall(MatSetValuesCOO(*A, mine->v, ADD_VALUES));
  if (shape->hermitian) {
    PetscCall(MatSetOption(*A, MAT_HERMITIAN, PETSC_TRUE));
    if (!PetscDefined(USE_COMPLEX)) PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode DescribeShape(const NAPISource *source, Shape *shape)
{
  PetscFunctionBegin;
  shape->rows = (PetscInt)source->rows;
  shape->cols = (PetscInt)source->cols;
  /* in a complex build neither kind is known to be Hermitian: values off or on the diagonal may spoil it */
  shape->hermitian = source->mirror != NAPI_MIRROR_NONE && !PetscDefined(USE_COMPLEX);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIReadMatrix - Reads a matrix from a Matrix Market file or one in PETSc's binary format, either also compressed by
   gzip, with its rows distributed over the ranks.

   Input Parameters:
+  comm - who shares the matrix; its rank 0 reads
-  name - of the file

   Output Parameters:
+  A       - the matrix, of type AIJ unless -mat_type says otherwise; NULL if the file is wrong
-  message - what is wrong with the file, or an empty string
*/
PetscErrorCode NAPIReadMatrix(MPI_Comm comm, const char name[], Mat *A, char message[])
{
  NAPISource  source;
  Shape       shape = {0, 0, 0};
  Entries     mine  = {0, 0, NULL, NULL, NULL};
  PetscLayout rows;
  PetscMPIInt rank;

  PetscFunctionBegin;
  *A = NULL;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) {
    PetscCall(NAPISourceOpen(name, message, &source));
    if (!message[0]) PetscCall(DescribeShape(&source, &shape));
  }
  PetscCallMPI(MPI_Bcast(message, NAPI_MESSAGE_LENGTH, MPI_CHAR, 0, comm));
  if (!message[0]) {
    PetscCallMPI(MPI_Bcast(&shape, 3, MPIU_INT, 0, comm));
    PetscCall(PetscLayoutCreateFromSizes(comm, PETSC_DECIDE, shape.rows, 1, &rows));
    PetscCall(ReadEntries(&source, rows, &mine));
    PetscCallMPI(MPI_Bcast(message, NAPI_MESSAGE_LENGTH, MPI_CHAR, 0, comm));
    if (!message[0]) PetscCall(Assemble(rows, &shape, &mine, A));
    PetscCall(PetscLayoutDestroy(&rows));
    PetscCall(EntriesDestroy(&mine));
  }
  if (!rank) PetscCall(NAPISourceClose(&source));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPICheckHermitian - Says so if a matrix is not Hermitian (real: symmetric) up to rounding; marks it if it is.
*/
PetscErrorCode NAPICheckHermitian(Mat A, const char name[], char message[])
{
  const char *const kind = PetscDefined(USE_COMPLEX) ? "Hermitian" : "symmetric";
  PetscBool         known, hermitian;
  PetscReal         difference, size;
  PetscInt          m, n;
  Mat               T;

  PetscFunctionBegin;
  message[0] = '\0';
  PetscCall(MatGetSize(A, &m, &n));
  if (m != n) {
    PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s: is not square: %" PetscInt_FMT " by %" PetscInt_FMT,
                            name, m, n));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatIsHermitianKnown(A, &known, &hermitian));
  if (known && hermitian) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatHermitianTranspose(A, MAT_INITIAL_MATRIX, &T));
  PetscCall(MatAXPY(T, -1.0, A, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatNorm(T, NORM_INFINITY, &difference));
  PetscCall(MatNorm(A, NORM_INFINITY, &size));
  PetscCall(MatDestroy(&T));
  if (difference > 1e-10 * size)
    PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH,
                            "%s: is not %s: it differs from its transpose by %.2g of its norm", name, kind,
                            (double)(difference / size)));
  else {
    PetscCall(MatSetOption(A, MAT_HERMITIAN, PETSC_TRUE));
    if (!PetscDefined(USE_COMPLEX)) PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
