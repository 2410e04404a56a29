/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Reads a matrix and distributes its rows, in one of three ways, none of which ever needs more on a rank than its own
   part and a portion of limited size:
     - a table in which one can jump, in a file that all ranks can open: each reads its rows;
     - the same where only rank 0 can (it is compressed, or on another machine): rank 0 reads and sends the rows;
     - a sequence of entries: rank 0 reads some at a time and sends each to the rank that owns its row.
*/
#include "source.h"
#include <slepcnapi/private/napicompat.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#define PORTION 262144 /* entries that are sent at a time */

typedef struct {
  PetscCount   n, room;
  PetscInt    *i, *j;
  PetscScalar *v;
} Entries;

/* How a matrix is told to the other ranks before its entries come */
typedef struct {
  PetscInt rows, cols;
  PetscInt hermitian; /* known to be, from the header */
  PetscInt dense;     /* the file stores its zeros */
  PetscInt block;     /* one can jump in it */
  PetscInt plain;     /* others than rank 0 may be able to open it, too */
  PetscInt expected;  /* entries for each rank, if they are spread evenly */
} Shape;
#define SHAPE_LENGTH 7

static PetscErrorCode ReadMatrix_EntriesReserve(Entries *entries, PetscCount room)
{
  PetscFunctionBegin;
  if (room <= entries->room) PetscFunctionReturn(PETSC_SUCCESS);
  entries->room = PetscMax(room, entries->room + entries->room / 2); /* so that growing costs no more than filling */
  PetscCall(PetscRealloc(sizeof(PetscInt) * (size_t)entries->room, &entries->i));
  PetscCall(PetscRealloc(sizeof(PetscInt) * (size_t)entries->room, &entries->j));
  PetscCall(PetscRealloc(sizeof(PetscScalar) * (size_t)entries->room, &entries->v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadMatrix_EntriesAdd(Entries *entries, PetscInt i, PetscInt j, PetscScalar v)
{
  PetscFunctionBegin;
  if (entries->n == entries->room) PetscCall(ReadMatrix_EntriesReserve(entries, entries->n + 1));
  entries->i[entries->n]   = i;
  entries->j[entries->n]   = j;
  entries->v[entries->n++] = v;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadMatrix_EntriesDestroy(Entries *entries)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(entries->i));
  PetscCall(PetscFree(entries->j));
  PetscCall(PetscFree(entries->v));
  entries->n = entries->room = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As people count; an index of a damaged file may be the largest number there is */
static PetscInt64 ReadMatrix_CountedFromOne(PetscInt64 i)
{
  return i < INT64_MAX ? i + 1 : i;
}

/* Adds an entry to the list, if its column is taken */
static PetscErrorCode ReadMatrix_AddPlaced(NAPISource *source, Entries *portion, PetscInt64 i, PetscInt64 j, PetscScalar v)
{
  const PetscInt64 place = source->place ? source->place[j] : j;

  PetscFunctionBegin;
  if (place >= 0) PetscCall(ReadMatrix_EntriesAdd(portion, (PetscInt)i, (PetscInt)place, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Checks an entry and adds it, and its mirror image where the file holds one triangle */
static PetscErrorCode ReadMatrix_AddChecked(NAPISource *source, Entries *portion, PetscInt64 i, PetscInt64 j, PetscScalar v)
{
  PetscFunctionBegin;
  if (i < 0 || i >= source->rows || j < 0 || j >= source->cols) {
    PetscCall(NAPISourceSay(source,
                            "entry (%" PetscInt64_FMT ",%" PetscInt64_FMT ") lies outside of the matrix, which is "
                            "%" PetscInt64_FMT " by %" PetscInt64_FMT,
                            ReadMatrix_CountedFromOne(i), ReadMatrix_CountedFromOne(j), source->rows, source->cols));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(NAPISourceCheckFinite(source, i, j, v));
  if (source->message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ReadMatrix_AddPlaced(source, portion, i, j, v));
  if (source->mirror == NAPI_MIRROR_NONE || i == j) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ReadMatrix_AddPlaced(source, portion, j, i, source->mirror == NAPI_MIRROR_HERMITIAN ? PetscConj(v) : v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadMatrix_ReadPortion(NAPISource *source, Entries *portion, PetscBool *more)
{
  PetscInt64  i = 0, j = 0;
  PetscScalar v = 0.0;

  PetscFunctionBegin;
  portion->n = 0;
  *more      = PETSC_TRUE;
  for (int k = 0; k < PORTION && *more && !source->message[0]; k++) {
    PetscCall((*source->next)(source, &i, &j, &v, more));
    if (*more && !source->message[0]) PetscCall(ReadMatrix_AddChecked(source, portion, i, j, v));
  }
  if (source->message[0]) *more = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sorts the entries by the rank that owns their row; counts[p] and starts[p] tell what rank p gets */
static PetscErrorCode ReadMatrix_SortByOwner(PetscLayout rows, const Entries *in, Entries *out, PetscMPIInt counts[], PetscMPIInt starts[])
{
  PetscMPIInt size, *owner, *next, last = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(rows->comm, &size));
  PetscCall(PetscMalloc2(in->n, &owner, size, &next));
  for (PetscMPIInt p = 0; p < size; p++) counts[p] = 0;
  for (PetscCount k = 0; k < in->n; k++) {
    if (in->i[k] < rows->range[last] || in->i[k] >= rows->range[last + 1]) PetscCall(PetscLayoutFindOwner(rows, in->i[k], &last));
    owner[k] = last;
    counts[last]++;
  }
  starts[0] = next[0] = 0;
  for (PetscMPIInt p = 1; p < size; p++) starts[p] = next[p] = starts[p - 1] + counts[p - 1];
  PetscCall(ReadMatrix_EntriesReserve(out, in->n));
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
static PetscErrorCode ReadMatrix_Scatter(MPI_Comm comm, const Entries *sorted, PetscMPIInt counts[], PetscMPIInt starts[], Entries *mine)
{
  PetscMPIInt n;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Scatter(counts, 1, MPI_INT, &n, 1, MPI_INT, 0, comm));
  PetscCall(ReadMatrix_EntriesReserve(mine, PetscMax(1, mine->n + n))); /* never a null pointer to count from */
  PetscCallMPI(MPI_Scatterv(sorted->i, counts, starts, MPIU_INT, mine->i + mine->n, n, MPIU_INT, 0, comm));
  PetscCallMPI(MPI_Scatterv(sorted->j, counts, starts, MPIU_INT, mine->j + mine->n, n, MPIU_INT, 0, comm));
  PetscCallMPI(MPI_Scatterv(sorted->v, counts, starts, MPIU_SCALAR, mine->v + mine->n, n, MPIU_SCALAR, 0, comm));
  mine->n += n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where entries go: into a list or, if there is one, into an array that begins with a row, and is zero before */
typedef struct {
  Entries      list;
  PetscScalar *array;
  PetscInt     lda, first;
} Target;

static PetscErrorCode ReadMatrix_EmptyIntoArray(Target *target)
{
  Entries *list = &target->list;

  PetscFunctionBegin;
  for (PetscCount k = 0; k < list->n; k++) target->array[list->i[k] - target->first + (size_t)list->j[k] * (size_t)target->lda] += list->v[k];
  list->n = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadMatrix_ReadEntries(NAPISource *source, PetscLayout rows, Target *target)
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
      PetscCall(ReadMatrix_ReadPortion(source, &portion, &more));
      again = more ? 1 : 0;
      PetscCall(ReadMatrix_SortByOwner(rows, &portion, &sorted, counts, starts));
    }
    PetscCall(ReadMatrix_Scatter(comm, &sorted, counts, starts, &target->list));
    if (target->array) PetscCall(ReadMatrix_EmptyIntoArray(target));
    PetscCallMPI(MPI_Bcast(&again, 1, MPI_INT, 0, comm));
  }
  PetscCall(ReadMatrix_EntriesDestroy(&portion));
  PetscCall(ReadMatrix_EntriesDestroy(&sorted));
  PetscCall(PetscFree2(counts, starts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- sparse --------------------------------------------------------------------------------------------------- */

/* Sorts the entries by rows, start[i] being where row i begins, and throws the list away */
static PetscErrorCode ReadMatrix_SortByRow(Entries *list, PetscInt first, PetscInt m, PetscInt start[], PetscInt **column, PetscScalar **value)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i <= m; i++) start[i] = 0;
  for (PetscCount k = 0; k < list->n; k++) start[list->i[k] - first + 1]++;
  for (PetscInt i = 0; i < m; i++) start[i + 1] += start[i];
  PetscCall(PetscMalloc1(list->n, column));
  PetscCall(PetscMalloc1(list->n, value));
  for (PetscCount k = 0; k < list->n; k++) {
    const PetscInt to = start[list->i[k] - first]++;

    (*column)[to] = list->j[k];
    (*value)[to]  = list->v[k];
  }
  for (PetscInt i = m; i > 0; i--) start[i] = start[i - 1];
  start[0] = 0;
  PetscCall(ReadMatrix_EntriesDestroy(list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sorts each row and adds up what is in one place */
static PetscErrorCode ReadMatrix_MergeRows(PetscInt m, PetscInt start[], PetscInt column[], PetscScalar value[])
{
  PetscInt next = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0, from = 0; i < m; i++) {
    const PetscInt to = start[i + 1], begin = next;
    PetscBool      sorted = PETSC_TRUE;

    for (PetscInt k = from + 1; k < to && sorted; k++) sorted = (PetscBool)(column[k - 1] <= column[k]);
    if (!sorted) PetscCall(PetscSortIntWithScalarArray(to - from, column + from, value + from));
    for (PetscInt k = from; k < to; k++) {
      if (next > begin && column[next - 1] == column[k]) value[next - 1] += value[k];
      else {
        column[next]  = column[k];
        value[next++] = value[k];
      }
    }
    from         = to;
    start[i + 1] = next;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Several entries in one place add up. A square matrix gets all of its diagonal, which ILU and its relatives need,
   unless it is data. The list is gone afterwards: it is as large as the matrix, and not to be there beside it.
*/
static PetscErrorCode ReadMatrix_Assemble(PetscLayout rows, const Shape *shape, PetscBool isdata, Entries *list, Mat *A)
{
  PetscInt     first, last, m, *start, *column;
  PetscScalar *value;
  char         type[64];
  PetscBool    given, square = (PetscBool)(shape->rows == shape->cols);

  PetscFunctionBegin;
  PetscCall(PetscLayoutGetRange(rows, &first, &last));
  m = last - first;
  if (square && !isdata)
    for (PetscInt i = first; i < last; i++) PetscCall(ReadMatrix_EntriesAdd(list, i, i, 0.0));
  PetscCheck(list->n <= PETSC_MAX_INT, PETSC_COMM_SELF, PETSC_ERR_SUP, "A rank has more entries than a PETSc with %d-bit indices can count: use more ranks", (int)(8 * sizeof(PetscInt)));
  PetscCall(PetscMalloc1(m + 1, &start));
  PetscCall(ReadMatrix_SortByRow(list, first, m, start, &column, &value));
  PetscCall(ReadMatrix_MergeRows(m, start, column, value));
  PetscCall(MatCreate(rows->comm, A));
  PetscCall(MatSetSizes(*A, m, square ? m : PETSC_DECIDE, shape->rows, shape->cols));
  PetscCall(MatSetType(*A, MATAIJ));
  PetscCall(MatSeqAIJSetPreallocationCSR(*A, start, column, value));
  PetscCall(MatMPIAIJSetPreallocationCSR(*A, start, column, value));
  PetscCall(PetscFree(start));
  PetscCall(PetscFree(column));
  PetscCall(PetscFree(value));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-mat_type", type, sizeof(type), &given));
  if (given) PetscCall(MatConvert(*A, type, MAT_INPLACE_MATRIX, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- dense ---------------------------------------------------------------------------------------------------- */

/* The first rank that has something to say says it to all */
static PetscErrorCode ReadMatrix_ShareMessage(MPI_Comm comm, char message[])
{
  PetscMPIInt rank, size, mine, speaker;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  mine = message[0] ? rank : size;
  PetscCallMPI(MPI_Allreduce(&mine, &speaker, 1, MPI_INT, MPI_MIN, comm));
  if (speaker < size) PetscCallMPI(MPI_Bcast(message, NAPI_MESSAGE_LENGTH, MPI_CHAR, speaker, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Do all ranks find the same file as rank 0, which has it open? Then they have it open, too. */
static PetscErrorCode ReadMatrix_OpenEverywhere(MPI_Comm comm, const char name[], NAPIDataOptions *options, const Shape *shape, char message[], NAPISource *source, PetscBool *everywhere)
{
  off_t       size = 0;
  PetscInt64  length;
  PetscMPIInt rank, mine = 1, all;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (rank) PetscCall(NAPISourceOpen(name, options, message, source, NULL));
  if (!message[0]) PetscCall(NAPISourceSize(source, &size));
  length = message[0] ? -1 : (PetscInt64)size;
  PetscCallMPI(MPI_Bcast(&length, 1, MPIU_INT64, 0, comm));
  if (rank && (message[0] || length != (PetscInt64)size || source->rows != shape->rows || source->width != shape->cols)) mine = 0;
  if (rank) message[0] = '\0'; /* that a file is only on rank 0 is nothing wrong */
  PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm));
  *everywhere = all ? PETSC_TRUE : PETSC_FALSE;
  if (rank && !all) PetscCall(NAPISourceClose(source));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank 0 reads the rows of all ranks, some at a time, and sends them */
static PetscErrorCode ReadMatrix_SendBlocks(NAPISource *source, PetscLayout rows, PetscInt cols, PetscInt lda, PetscScalar array[])
{
  const PetscInt height = PetscMax(1, PORTION / cols);
  PetscMPIInt    rank, size, tag;
  PetscScalar   *piece;
  MPI_Comm       comm;

  PetscFunctionBegin;
  PetscCall(PetscCommDuplicate(rows->comm, &comm, &tag));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PetscCalloc1((size_t)height * (size_t)cols, &piece));
  for (PetscMPIInt p = 0; p < size; p++) {
    if (rank && rank != p) continue;
    for (PetscInt top = rows->range[p]; top < rows->range[p + 1]; top += height) {
      const PetscInt    n     = PetscMin(height, rows->range[p + 1] - top);
      const PetscMPIInt count = (PetscMPIInt)(n * cols);

      if (!rank && !source->message[0]) PetscCall((*source->block)(source, top, n, n, piece));
      if (!rank && p) PetscCallMPI(MPI_Send(piece, count, MPIU_SCALAR, p, tag, comm));
      if (rank) PetscCallMPI(MPI_Recv(piece, count, MPIU_SCALAR, 0, tag, comm, MPI_STATUS_IGNORE));
      if (rank == p)
        for (PetscInt j = 0; j < cols; j++) PetscCall(PetscArraycpy(array + (top - rows->range[p]) + (size_t)j * (size_t)lda, piece + (size_t)j * (size_t)n, n));
    }
  }
  PetscCall(PetscFree(piece));
  PetscCall(PetscCommDestroy(&comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadMatrix_ReadDense(NAPISource *source, const char name[], NAPIDataOptions *options, PetscLayout rows, const Shape *shape, char message[], Mat *A)
{
  Target target = {
    {0, 0, NULL, NULL, NULL},
    NULL, 0, 0
  };
  PetscBool   everywhere = PETSC_FALSE;
  PetscMPIInt rank, size;
  PetscInt    first, last;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(rows->comm, &rank));
  PetscCallMPI(MPI_Comm_size(rows->comm, &size));
  PetscCall(PetscLayoutGetRange(rows, &first, &last));
  PetscCall(MatCreateDense(rows->comm, last - first, PETSC_DECIDE, shape->rows, shape->cols, NULL, A)); /* zero */
  PetscCall(MatDenseGetLDA(*A, &target.lda));
  PetscCall(MatDenseGetArray(*A, &target.array));
  target.first = first;
  if (!shape->block) PetscCall(ReadMatrix_ReadEntries(source, rows, &target));
  else {
    if (size == 1) everywhere = PETSC_TRUE;
    else if (shape->plain) PetscCall(ReadMatrix_OpenEverywhere(rows->comm, name, options, shape, message, source, &everywhere));
    if (everywhere && !message[0]) PetscCall((*source->block)(source, first, last - first, target.lda, target.array));
    if (everywhere && rank) PetscCall(NAPISourceClose(source));
    if (!everywhere) PetscCall(ReadMatrix_SendBlocks(source, rows, shape->cols, target.lda, target.array));
  }
  PetscCall(ReadMatrix_ShareMessage(rows->comm, message));
  PetscCall(ReadMatrix_EntriesDestroy(&target.list));
  PetscCall(MatDenseRestoreArray(*A, &target.array));
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  if (message[0]) PetscCall(MatDestroy(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The nonzeros of a dense matrix as a sparse one */
static PetscErrorCode ReadMatrix_MakeSparse(PetscLayout rows, const Shape *shape, Mat *A)
{
  const PetscScalar *array;
  Entries            list = {0, 0, NULL, NULL, NULL};
  PetscInt           first, last, lda;

  PetscFunctionBegin;
  PetscCall(PetscLayoutGetRange(rows, &first, &last));
  PetscCall(MatDenseGetLDA(*A, &lda));
  PetscCall(MatDenseGetArrayRead(*A, &array));
  for (PetscInt i = first; i < last; i++)
    for (PetscInt j = 0; j < shape->cols; j++) {
      const PetscScalar v = array[i - first + (size_t)j * (size_t)lda];

      if (v != (PetscScalar)0.0) PetscCall(ReadMatrix_EntriesAdd(&list, i, j, v));
    }
  PetscCall(MatDenseRestoreArrayRead(*A, &array));
  PetscCall(MatDestroy(A));
  PetscCall(ReadMatrix_Assemble(rows, shape, PETSC_FALSE, &list, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- memory ---------------------------------------------------------------------------------------------------- */

static const char *reading = NULL;

/*
   NAPIReading - The file that is being read, or NULL: for an error handler that is told of memory that ran out.
*/
const char *NAPIReading(void)
{
  return reading;
}

/* Is there room for so many bytes at once, on this rank? They are asked for and given back without being touched. */
static PetscBool ReadMatrix_IsRoom(double bytes)
{
  const double physical = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
  void        *room;

  if (bytes < PORTION) return PETSC_TRUE;
  if ((physical > 0.0 && bytes > physical) || bytes > (double)PTRDIFF_MAX) return PETSC_FALSE;
  room = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return PETSC_FALSE;
  (void)munmap(room, (size_t)bytes);
  return PETSC_TRUE;
}

/*
   Says so, on all ranks, if the matrix cannot be held in memory on one of them: before any is used. A dense one takes
   what it takes; a sparse one is there twice when it is assembled, as a list and sorted by rows.
*/
static PetscErrorCode ReadMatrix_CheckMemory(PetscLayout rows, const char name[], const Shape *shape, char message[], PetscBool *enough)
{
  const double entry = 3.0 * sizeof(PetscInt) + 2.0 * sizeof(PetscScalar);
  PetscInt     first, last;
  double       bytes;

  PetscFunctionBegin;
  PetscCall(PetscLayoutGetRange(rows, &first, &last));
  if (shape->dense) bytes = (double)(last - first) * (double)shape->cols * (double)sizeof(PetscScalar);
  else bytes = entry * ((double)shape->expected + (double)(last - first));
  if (!ReadMatrix_IsRoom(bytes)) {
    PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s: there is no memory for it: %" PetscInt_FMT " by %" PetscInt_FMT " %s take %.3g GB on one rank; more ranks on more machines need less on each", name, shape->rows, shape->cols, shape->dense ? "numbers" : "sparse", bytes / 1e9));
    NAPIEscape(message, NAPI_MESSAGE_LENGTH);
  }
  PetscCall(ReadMatrix_ShareMessage(rows->comm, message));
  *enough = (PetscBool)!message[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- either --------------------------------------------------------------------------------------------------- */

static PetscErrorCode ReadMatrix_DescribeShape(NAPISource *source, PetscMPIInt size, Shape *shape)
{
  PetscInt64 entries = source->mirror == NAPI_MIRROR_NONE ? source->entries : 2 * source->entries;
  off_t      length;

  PetscFunctionBegin;
  shape->rows = (PetscInt)source->rows;
  shape->cols = (PetscInt)source->width;
  /* in a complex build neither kind is known to be Hermitian: values off or on the diagonal may spoil it */
  shape->hermitian = source->mirror != NAPI_MIRROR_NONE && !source->place && !PetscDefined(USE_COMPLEX);
  shape->dense     = source->dense;
  shape->block     = source->block != NULL;
  shape->plain     = source->plain;
  if (!source->dense) {
    const off_t here = ftello(source->file);

    PetscCall(NAPISourceSize(source, &length));
    (void)fseeko(source->file, here, SEEK_SET);
    if (source->extent) length = source->extent;
    entries         = PetscMin(entries, (PetscInt64)length / 2); /* whatever a header says, an entry takes four bytes */
    shape->expected = (PetscInt)PetscMin(entries / size + (size > 1 ? entries / size / 16 : 0), PETSC_MAX_INT / 2);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadMatrix_Read(MPI_Comm comm, const char name[], PetscBool isdata, NAPIDataOptions *options, Mat *A, char ***names, char message[])
{
  NAPISource source;
  Shape      shape  = {0, 0, 0, 0, 0, 0, 0};
  Target     target = {
        {0, 0, NULL, NULL, NULL},
        NULL, 0, 0
  };
  PetscLayout rows;
  PetscMPIInt rank, size;
  PetscBool   enough = PETSC_FALSE;

  PetscFunctionBegin;
  *A      = NULL;
  reading = name;
  if (options) options->note[0] = '\0';
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  if (!rank) {
    PetscCall(NAPISourceOpen(name, options, message, &source, NULL));
    if (!message[0]) PetscCall(ReadMatrix_DescribeShape(&source, size, &shape));
  }
  PetscCallMPI(MPI_Bcast(message, NAPI_MESSAGE_LENGTH, MPI_CHAR, 0, comm));
  if (!message[0]) {
    PetscCallMPI(MPI_Bcast(&shape, SHAPE_LENGTH, MPIU_INT, 0, comm));
    PetscCall(PetscLayoutCreateFromSizes(comm, PETSC_DECIDE, shape.rows, 1, &rows));
    PetscCall(ReadMatrix_CheckMemory(rows, name, &shape, message, &enough));
    if (enough && shape.dense) {
      PetscCall(ReadMatrix_ReadDense(&source, name, options, rows, &shape, message, A));
      if (*A && !isdata) PetscCall(ReadMatrix_MakeSparse(rows, &shape, A));
    } else if (enough) {
      PetscCall(ReadMatrix_EntriesReserve(&target.list, shape.expected));
      PetscCall(ReadMatrix_ReadEntries(&source, rows, &target));
      PetscCallMPI(MPI_Bcast(message, NAPI_MESSAGE_LENGTH, MPI_CHAR, 0, comm));
      if (!message[0]) PetscCall(ReadMatrix_Assemble(rows, &shape, isdata, &target.list, A));
      PetscCall(ReadMatrix_EntriesDestroy(&target.list));
    }
    if (*A && shape.hermitian) {
      PetscCall(MatSetOption(*A, MAT_HERMITIAN, PETSC_TRUE));
      if (!PetscDefined(USE_COMPLEX)) PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
    }
    PetscCall(PetscLayoutDestroy(&rows));
  }
  if (!rank) {
    if (names && *A) PetscCall(NAPISourceTakeNames(&source, names));
    PetscCall(NAPISourceClose(&source));
  }
  if (options) PetscCallMPI(MPI_Bcast(options->note, NAPI_MESSAGE_LENGTH, MPI_CHAR, 0, comm));
  reading = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIReadMatrix - Reads a sparse matrix with its rows distributed over the ranks: from a Matrix Market file, one in
   PETSc's binary format, a NumPy array or a table of numbers, each also compressed by gzip.

   Input Parameters:
+  comm - who shares the matrix
-  name - of the file

   Output Parameters:
+  A       - the matrix, of type AIJ unless -mat_type says otherwise; NULL if the file is wrong
-  message - what is wrong with the file, or an empty string
*/
PetscErrorCode NAPIReadMatrix(MPI_Comm comm, const char name[], Mat *A, char message[])
{
  PetscFunctionBegin;
  PetscCall(ReadMatrix_Read(comm, name, PETSC_FALSE, NULL, A, NULL, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIReadData - Reads a data set, a sample a row: as NAPIReadMatrix(), but a file that stores its zeros gives a dense
   matrix, of type DENSE.

   Output Parameter:
.  names - on rank 0 the names of the columns, if the file has them, to be freed with NAPIFreeNames(), else NULL; may be
           NULL if they are not wanted
*/
PetscErrorCode NAPIReadData(MPI_Comm comm, const char name[], Mat *A, char ***names, char message[])
{
  PetscFunctionBegin;
  PetscCall(NAPIReadDataWith(comm, name, NULL, A, names, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIReadDataWith - Reads a data set as a program's options want it, if these are not NULL: some of its columns, with or without gaps. They
   are not const, because they learn which of their columns there are, and what was left out unasked.
*/
PetscErrorCode NAPIReadDataWith(MPI_Comm comm, const char name[], NAPIDataOptions *options, Mat *A, char ***names, char message[])
{
  PetscFunctionBegin;
  if (names) *names = NULL;
  PetscCall(ReadMatrix_Read(comm, name, PETSC_TRUE, options, A, names, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NAPIFreeNames(char ***names)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(*names)); /* the pointers and what they point to are one piece */
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
    PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s: is not square: %" PetscInt_FMT " by %" PetscInt_FMT, name, m, n));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatIsHermitianKnown(A, &known, &hermitian));
  if (known && hermitian) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatHermitianTranspose(A, MAT_INITIAL_MATRIX, &T));
  PetscCall(MatAXPY(T, -1.0, A, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatNorm(T, NORM_INFINITY, &difference));
  PetscCall(MatNorm(A, NORM_INFINITY, &size));
  PetscCall(MatDestroy(&T));
  if (difference > 1e-10 * size) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s: is not %s: it differs from its transpose by %.2g of its norm", name, kind, (double)(difference / size)));
  else {
    PetscCall(MatSetOption(A, MAT_HERMITIAN, PETSC_TRUE));
    if (!PetscDefined(USE_COMPLEX)) PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
