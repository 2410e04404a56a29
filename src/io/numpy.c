/* SPDX-License-Identifier: BSD-2-Clause */
/*
   NumPy's .npy files, versions 1 to 3 (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html): a magic
   string, a version, the length of the header; the header, a Python dictionary such as
     {'descr': '<f8', 'fortran_order': False, 'shape': (60000, 392), }
   and the numbers. The header is read as what NumPy writes, not as Python.
*/
#include "source.h"
#include "text.h"
#include <slepcnapi/private/napicompat.h>
#include <ctype.h>
#include <string.h>

#define HEADER_MAX 65536 /* a longer one describes a record with many fields */

static PetscErrorCode Block_Numpy(NAPISource *source, PetscInt64 first, PetscInt64 n, PetscInt64 lda, PetscScalar array[])
{
  PetscFunctionBegin;
  PetscCall(NAPIRawBlock(source, (const NAPIRaw *)source->data, first, n, lda, array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What follows 'key': in the dictionary, or NULL */
static char *Numpy_FindKey(char header[], const char key[])
{
  const size_t length = strlen(key);

  for (char *p = strstr(header, key); p; p = strstr(p + 1, key)) {
    if (p == header || (p[-1] != '\'' && p[-1] != '"') || p[length] != p[-1]) continue;
    p += length + 1;
    while (isspace((unsigned char)*p)) p++;
    if (*p++ != ':') return NULL;
    while (isspace((unsigned char)*p)) p++;
    return p;
  }
  return NULL;
}

/* <f8: byte order, kind, bytes */
static PetscErrorCode Numpy_ParseType(NAPISource *source, const char *p, NAPIRaw *raw)
{
  char      text[32] = "";
  size_t    length   = 0;
  PetscBool known;

  PetscFunctionBegin;
  if (p && (*p == '\'' || *p == '"')) length = strcspn(p + 1, "'\"");
  if (length < 3 || length >= sizeof(text)) {
    PetscCall(NAPISourceSay(source, "is a NumPy array of records or of objects, not of numbers"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  memcpy(text, p + 1, length);
  raw->bigendian = (PetscBool)(text[0] == '>');
  raw->kind      = text[1];
  raw->size      = text[2] - '0';
  raw->iscomplex = (PetscBool)(text[1] == 'c');
  if (raw->iscomplex) {
    raw->kind = 'f';
    raw->size = !strcmp(text + 2, "8") ? 4 : !strcmp(text + 2, "16") ? 8 : 0;
    known     = (PetscBool)(raw->size > 0);
  } else {
    known = (PetscBool)(length == 3 && strchr("1248", text[2]));
    if (text[1] == 'b') known = (PetscBool)(known && raw->size == 1);
    else if (text[1] == 'f') known = (PetscBool)(known && raw->size >= 4);
    else if (text[1] != 'i' && text[1] != 'u') known = PETSC_FALSE;
  }
  if (!strchr("<>|=", text[0]) || !known) PetscCall(NAPISourceSay(source, "is a NumPy array of type '%s': save it with astype(float)", text));
  else if (raw->iscomplex && !PetscDefined(USE_COMPLEX)) PetscCall(NAPISourceSay(source, "is complex, and this PETSc is built for real numbers"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (n,) is a column, (n, d) a matrix */
static PetscErrorCode Numpy_ParseShape(NAPISource *source, char *p)
{
  PetscInt64 shape[2] = {0, 1}, length;
  int        n        = 0;
  PetscBool  good     = (PetscBool)(p && *p++ == '(');

  PetscFunctionBegin;
  while (good && *p != ')') {
    good = (PetscBool)(NAPIParseInteger(&p, &length) && length >= 0);
    if (good && n < 2) shape[n] = length;
    n++;
    while (isspace((unsigned char)*p)) p++;
    if (*p == ',') p++;
    while (isspace((unsigned char)*p)) p++;
  }
  if (!good) PetscCall(NAPISourceSay(source, "has a damaged NumPy header"));
  else if (n == 0) PetscCall(NAPISourceSay(source, "is a NumPy file with a single number, not a table"));
  else if (n > 2) PetscCall(NAPISourceSay(source, "is a NumPy array with %d dimensions: save it with reshape(len(a), -1)", n));
  source->rows = shape[0];
  source->cols = shape[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Numpy_ParseHeader(NAPISource *source, char header[], NAPIRaw *raw)
{
  char *order = Numpy_FindKey(header, "fortran_order"), *shape = Numpy_FindKey(header, "shape"), *type = Numpy_FindKey(header, "descr");

  PetscFunctionBegin;
  if (!order || !shape || !type || (strncmp(order, "True", 4) && strncmp(order, "False", 5))) {
    PetscCall(NAPISourceSay(source, "has a damaged NumPy header"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  raw->bycolumns = (PetscBool)(*order == 'T');
  PetscCall(Numpy_ParseType(source, type, raw));
  if (!source->message[0]) PetscCall(Numpy_ParseShape(source, shape));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPISourceOpenNumpy - Opens an array that begins here in the file, and ends there or, if that is negative, with the file.
*/
PetscErrorCode NAPISourceOpenNumpy(NAPISource *source, off_t begin, off_t end)
{
  NAPIRaw      *raw;
  unsigned char start[12];
  char         *header;
  PetscInt64    length;
  off_t         size = 0;

  PetscFunctionBegin;
  PetscCall(PetscNew(&raw));
  source->data  = raw;
  source->dense = PETSC_TRUE;
  source->block = Block_Numpy;
  PetscCall(NAPISourceReadAt(source, begin, 12, 1, start));
  if (source->message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  length = start[8] + 256 * (PetscInt64)start[9];
  if (start[6] > 1) length += 65536 * (start[10] + 256 * (PetscInt64)start[11]);
  raw->offset = start[6] > 1 ? 12 : 10;
  raw->offset += begin;
  if (memcmp(start, "\x93NUMPY", 6) || start[6] < 1 || start[6] > 3 || length > HEADER_MAX) {
    PetscCall(NAPISourceSay(source, "has a damaged NumPy header, or one of an unknown version"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscCalloc1((size_t)length + 1, &header));
  PetscCall(NAPISourceReadAt(source, raw->offset, length, 1, header));
  if (!source->message[0]) PetscCall(Numpy_ParseHeader(source, header, raw));
  PetscCall(PetscFree(header));
  raw->offset += (off_t)length;
  if (!source->message[0]) PetscCall(NAPISourceSize(source, &size));
  if (end >= 0) size = PetscMin(size, end);
  /* compared in this form nothing overflows */
  if (!source->message[0] && source->rows && source->cols > PetscMax(0, size - raw->offset) / (raw->size * (raw->iscomplex ? 2 : 1)) / source->rows) PetscCall(NAPISourceSay(source, "is truncated"));
  PetscFunctionReturn(PETSC_SUCCESS);
}
