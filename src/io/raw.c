/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Tables of numbers as they are in memory, by rows or by columns, of any type and byte order: what NumPy's format and
   PETSc's dense matrices have in common. Large pieces are read and converted at a time.
*/
#include "source.h"
#include <slepcnapi/private/napicompat.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define PIECE 131072 /* numbers read at a time */
#define TILE  64     /* rows transposed at a time: short enough for a cache */

PetscErrorCode NAPISourceReadAt(NAPISource *source, off_t where, PetscInt64 count, int size, void *buffer)
{
  PetscFunctionBegin;
  if (fseeko(source->file, where, SEEK_SET) || fread(buffer, (size_t)size, (size_t)count, source->file) != (size_t)count) {
    if (ferror(source->file)) PetscCall(NAPISourceSay(source, "cannot be read: %s", strerror(errno)));
    else PetscCall(NAPISourceSay(source, "is truncated"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NAPISourceSize(NAPISource *source, off_t *size)
{
  PetscFunctionBegin;
  if (fseeko(source->file, 0, SEEK_END) || (*size = ftello(source->file)) < 0) PetscCall(NAPISourceSay(source, "cannot be read: %s", strerror(errno)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reverses the bytes of each number */
static void Raw_Swap(unsigned char *bytes, PetscInt64 count, int size)
{
  for (PetscInt64 k = 0; k < count; k++, bytes += size)
    for (int a = 0, b = size - 1; a < b; a++, b--) {
      unsigned char byte = bytes[a];

      bytes[a] = bytes[b];
      bytes[b] = byte;
    }
}

#define DECODE(type) \
  do { \
    for (PetscInt64 k = 0; k < count; k++) { \
      type value[2] = {0, 0}; \
\
      memcpy(value, bytes + k * parts * (PetscInt64)sizeof(type), (size_t)parts * sizeof(type)); \
      out[k] = NAPIScalar((double)value[0], (double)value[1]); \
    } \
  } while (0)

static PetscErrorCode Raw_Decode(const NAPIRaw *raw, unsigned char bytes[], PetscInt64 count, PetscScalar out[])
{
  const int parts = raw->iscomplex ? 2 : 1;

  PetscFunctionBegin;
  if (raw->size > 1 && raw->bigendian != (PetscBool)PetscDefined(WORDS_BIGENDIAN)) Raw_Swap(bytes, parts * count, raw->size);
  if (raw->kind == 'f' && raw->size == 8) DECODE(double);
  else if (raw->kind == 'f') DECODE(float);
  else if (raw->kind == 'b' || (raw->kind == 'u' && raw->size == 1)) DECODE(uint8_t);
  else if (raw->kind == 'u' && raw->size == 2) DECODE(uint16_t);
  else if (raw->kind == 'u' && raw->size == 4) DECODE(uint32_t);
  else if (raw->kind == 'u') DECODE(uint64_t);
  else if (raw->size == 1) DECODE(int8_t);
  else if (raw->size == 2) DECODE(int16_t);
  else if (raw->size == 4) DECODE(int32_t);
  else DECODE(int64_t);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first number that is not finite, or count */
static PetscInt64 Raw_FindNotFinite(const PetscScalar values[], PetscInt64 count)
{
  for (PetscInt64 k = 0; k < count; k++)
    if (!isfinite((double)PetscRealPart(values[k])) || !isfinite((double)PetscImaginaryPart(values[k]))) return k;
  return count;
}

static PetscErrorCode Raw_ReadPiece(NAPISource *source, const NAPIRaw *raw, PetscInt64 first, PetscInt64 count, unsigned char bytes[], PetscScalar out[])
{
  const int  size = raw->size * (raw->iscomplex ? 2 : 1);
  PetscInt64 k;

  PetscFunctionBegin;
  PetscCall(NAPISourceReadAt(source, raw->offset + (off_t)first * size, count, size, bytes));
  if (source->message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Raw_Decode(raw, bytes, count, out));
  for (k = first + Raw_FindNotFinite(out, count); k < first + count && !source->message[0]; k += 1 + Raw_FindNotFinite(out + (k + 1 - first), first + count - k - 1)) {
    const PetscInt64 i = raw->bycolumns ? k % source->rows : k / source->cols, j = raw->bycolumns ? k / source->rows : k % source->cols;

    PetscCall(NAPISourceCheckFinite(source, i, j, out[k - first]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* n rows, stored by rows, go into an array by columns, each column to its place */
static void Raw_Transpose(const PetscScalar in[], PetscInt64 n, PetscInt64 cols, const PetscInt64 place[], PetscInt64 lda, PetscScalar out[])
{
  for (PetscInt64 top = 0; top < n; top += TILE) {
    const PetscInt64 bottom = PetscMin(top + TILE, n);

    for (PetscInt64 j = 0; j < cols; j++) {
      const PetscInt64 to = place ? place[j] : j;

      for (PetscInt64 i = top; i < bottom && to >= 0; i++) out[i + to * lda] = in[i * cols + j];
    }
  }
}

/*
   NAPIRawBlock - Fills an array, by columns, with n rows of such a table from a first one on, of the columns that are taken: the function
   block of a source.
*/
PetscErrorCode NAPIRawBlock(NAPISource *source, const NAPIRaw *raw, PetscInt64 first, PetscInt64 n, PetscInt64 lda, PetscScalar array[])
{
  const int      size  = raw->size * (raw->iscomplex ? 2 : 1);
  PetscInt64     width = raw->bycolumns ? 1 : source->cols, height = PetscMin(n, PetscMax(1, PIECE / width));
  unsigned char *bytes;
  PetscScalar   *values;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)(height * width * size), &bytes, (size_t)(height * width), &values));
  for (PetscInt64 top = 0; top < n && !raw->bycolumns && !source->message[0]; top += height) {
    const PetscInt64 rows = PetscMin(height, n - top);

    PetscCall(Raw_ReadPiece(source, raw, (first + top) * source->cols, rows * source->cols, bytes, values));
    if (!source->message[0]) Raw_Transpose(values, rows, source->cols, source->place, lda, array + top);
  }
  for (PetscInt64 j = 0; j < source->cols && raw->bycolumns; j++) {
    const PetscInt64 to = source->place ? source->place[j] : j;

    for (PetscInt64 top = 0; top < n && to >= 0 && !source->message[0]; top += height) PetscCall(Raw_ReadPiece(source, raw, first + top + j * source->rows, PetscMin(height, n - top), bytes, array + top + to * lda));
  }
  PetscCall(PetscFree2(bytes, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}
