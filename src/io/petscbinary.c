/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Matrices in PETSc's binary format, sparse and dense, with 32- or 64-bit indices, whatever this PETSc's own are.
   MatLoad() would abort on a damaged file; this reader checks everything and says what is wrong.

   A sparse file: class id, rows, columns, nonzeros; the length of each row; all column indices; all values.
   A dense one has -1 nonzeros, and all values by rows follow at once. All numbers are big-endian.
*/
#include "source.h"
#include <slepcnapi/private/napicompat.h>
#include <string.h>

#define BLOCK 65536 /* entries read at a time */

typedef struct {
  int            width;  /* bytes of an index */
  int            scalar; /* bytes of a value: 8 or, complex, 16 */
  PetscInt64     nnz, done;
  off_t          columns, values; /* where they begin */
  PetscInt64     row, left;       /* the row we are in, and how many of its entries are to come */
  PetscInt64    *length;          /* of each row of a sparse matrix */
  PetscInt64     begin, end;      /* the entries in the buffers */
  unsigned char *column, *value;  /* buffers */
} PetscBinary;

static PetscInt64 PetscBinary_DecodeInteger(const unsigned char *p, int width)
{
  unsigned long long u = p[0] & 0x80 ? ~0ULL : 0ULL; /* extends the sign */

  for (int k = 0; k < width; k++) u = (u << 8) | p[k];
  return (PetscInt64)u;
}

static double PetscBinary_DecodeReal(const unsigned char *p)
{
  PetscInt64 bits = PetscBinary_DecodeInteger(p, 8);
  double     value;

  memcpy(&value, &bits, sizeof(value));
  return value;
}

static PetscErrorCode PetscBinary_FillBuffers(NAPISource *source)
{
  PetscBinary *pb = (PetscBinary *)source->data;
  PetscInt64   n  = PetscMin(BLOCK, pb->nnz - pb->done);

  PetscFunctionBegin;
  PetscCall(NAPISourceReadAt(source, pb->columns + (off_t)pb->done * pb->width, n, pb->width, pb->column));
  PetscCall(NAPISourceReadAt(source, pb->values + (off_t)pb->done * pb->scalar, n, pb->scalar, pb->value));
  pb->begin = pb->done;
  pb->end   = pb->done + n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Next_PetscBinary(NAPISource *source, PetscInt64 *i, PetscInt64 *j, PetscScalar *value, PetscBool *more)
{
  PetscBinary         *pb = (PetscBinary *)source->data;
  const unsigned char *p;
  PetscInt64           k;

  PetscFunctionBegin;
  *more = PETSC_FALSE;
  if (pb->done == pb->nnz) PetscFunctionReturn(PETSC_SUCCESS);
  if (pb->done == pb->end) PetscCall(PetscBinary_FillBuffers(source));
  if (source->message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  while (!pb->left) {
    pb->row++;
    pb->left = pb->length[pb->row];
  }
  k      = pb->done - pb->begin;
  p      = pb->value + k * pb->scalar;
  *i     = pb->row;
  *j     = PetscBinary_DecodeInteger(pb->column + k * pb->width, pb->width);
  *value = NAPIScalar(PetscBinary_DecodeReal(p), pb->scalar == 16 ? PetscBinary_DecodeReal(p + 8) : 0.0);
  pb->left--;
  pb->done++;
  *more = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Block_PetscBinary(NAPISource *source, PetscInt64 first, PetscInt64 n, PetscInt64 lda, PetscScalar array[])
{
  const PetscBinary *pb  = (const PetscBinary *)source->data;
  const NAPIRaw      raw = {pb->values, 'f', 8, (PetscBool)(pb->scalar == 16), PETSC_TRUE, PETSC_FALSE};

  PetscFunctionBegin;
  PetscCall(NAPIRawBlock(source, &raw, first, n, lda, array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Close_PetscBinary(NAPISource *source)
{
  PetscBinary *pb = (PetscBinary *)source->data;

  PetscFunctionBegin;
  PetscCall(PetscFree(pb->length));
  PetscCall(PetscFree2(pb->column, pb->value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PetscBinary_ReadHeader(NAPISource *source)
{
  PetscBinary  *pb = (PetscBinary *)source->data;
  unsigned char header[32];

  PetscFunctionBegin;
  PetscCall(NAPISourceReadAt(source, 0, 1, 4, header));
  if (source->message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  pb->width = PetscBinary_DecodeInteger(header, 4) ? 4 : 8;
  PetscCall(NAPISourceReadAt(source, 0, 4, pb->width, header));
  if (source->message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  source->rows  = PetscBinary_DecodeInteger(header + pb->width, pb->width);
  source->cols  = PetscBinary_DecodeInteger(header + 2 * pb->width, pb->width);
  pb->nnz       = PetscBinary_DecodeInteger(header + 3 * pb->width, pb->width);
  source->dense = (PetscBool)(pb->nnz == -1);
  if (source->rows < 0 || source->cols < 0 || pb->nnz < -1) PetscCall(NAPISourceSay(source, "has a damaged header"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The file does not say whether its values are complex: its size does. Further objects may follow the matrix (a right-
   hand side), then the values are what this PETSc would have written.
*/
static PetscErrorCode PetscBinary_FindLayout(NAPISource *source)
{
  PetscBinary *pb   = (PetscBinary *)source->data;
  off_t        size = 0, available;

  PetscFunctionBegin;
  PetscCall(NAPISourceSize(source, &size));
  if (source->message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  pb->columns = (off_t)4 * pb->width;
  /* compared in this form nothing overflows, however wild the header */
  if (source->dense) {
    pb->values = pb->columns;
    if (source->rows && source->cols > (size - pb->values) / 8 / source->rows) PetscCall(NAPISourceSay(source, "is truncated"));
    else pb->nnz = source->rows * source->cols;
  } else if (source->rows > size / pb->width || pb->nnz > size / pb->width) PetscCall(NAPISourceSay(source, "is truncated"));
  else {
    pb->columns += (off_t)source->rows * pb->width;
    pb->values = pb->columns + (off_t)pb->nnz * pb->width;
  }
  if (source->message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  available  = size - pb->values;
  pb->scalar = PetscDefined(USE_COMPLEX) ? 16 : 8;
  if (available == (off_t)pb->nnz * 8) pb->scalar = 8;
  else if (available == (off_t)pb->nnz * 16 && !PetscDefined(USE_COMPLEX)) PetscCall(NAPISourceSay(source, "is complex, and this PETSc is built for real numbers"));
  else if (available < (off_t)pb->nnz * pb->scalar) PetscCall(NAPISourceSay(source, "is truncated"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PetscBinary_ReadRowLengths(NAPISource *source)
{
  PetscBinary *pb    = (PetscBinary *)source->data;
  PetscInt64   total = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(source->rows, &pb->length));
  for (PetscInt64 first = 0; first < source->rows && !source->message[0]; first += BLOCK) {
    PetscInt64 n = PetscMin(BLOCK, source->rows - first);

    PetscCall(NAPISourceReadAt(source, (off_t)(4 + first) * pb->width, n, pb->width, pb->column));
    for (PetscInt64 k = 0; k < n && !source->message[0]; k++) {
      pb->length[first + k] = PetscBinary_DecodeInteger(pb->column + k * pb->width, pb->width);
      if (pb->length[first + k] < 0 || pb->length[first + k] > pb->nnz - total) /* a sum might overflow */
        PetscCall(NAPISourceSay(source, "is damaged: the lengths of its rows are wrong"));
      else total += pb->length[first + k];
    }
  }
  if (total != pb->nnz) PetscCall(NAPISourceSay(source, "is damaged: the lengths of its rows do not add up to its %" PetscInt64_FMT " entries", pb->nnz));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NAPISourceOpenPetscBinary(NAPISource *source)
{
  PetscBinary *pb;

  PetscFunctionBegin;
  PetscCall(PetscNew(&pb));
  PetscCall(PetscMalloc2(BLOCK * 8, &pb->column, BLOCK * 16, &pb->value));
  source->data  = pb;
  source->close = Close_PetscBinary;
  pb->row       = -1;
  PetscCall(PetscBinary_ReadHeader(source));
  if (!source->message[0]) PetscCall(PetscBinary_FindLayout(source));
  if (!source->message[0] && !source->dense) PetscCall(PetscBinary_ReadRowLengths(source));
  source->entries = pb->nnz;
  if (source->dense) source->block = Block_PetscBinary;
  else source->next = Next_PetscBinary;
  PetscFunctionReturn(PETSC_SUCCESS);
}
