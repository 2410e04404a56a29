/* SPDX-License-Identifier: BSD-2-Clause */
/*
   NumPy's .npz files, zip files of .npy arrays, one of which is read; and the sparse matrices that scipy.sparse.save_npz() writes so:
   arrays data, indices and indptr (csr, csc) or data, row and col (coo), the shape, and the name of the format.
*/
#include "zip.h"
#include <slepcnapi/private/napicompat.h>
#include <string.h>

#define PIECE 65536 /* numbers of an array read at a time */

/* An array of one dimension, read from its beginning on */
typedef struct {
  NAPISource   source;
  PetscBool    shared; /* the file is that of the zip file itself */
  PetscInt64   next, have, first;
  PetscScalar *piece;
} Stream;

typedef struct {
  Stream     outer, inner, data; /* indptr or row; indices or col */
  PetscBool  coo, csc;
  PetscInt64 k, line, end; /* the next entry, its row (csc: column), and where that ends */
} Npz;

/* --- arrays ----------------------------------------------------------------------------------------------------------- */

static const NAPIZipMember *Npz_Find(int n, const NAPIZipMember list[], const char key[])
{
  const size_t length = strlen(key);

  for (int i = 0; i < n; i++)
    if (!strncmp(list[i].name, key, length) && (!list[i].name[length] || !strcmp(list[i].name + length, ".npy"))) return &list[i];
  return NULL;
}

static PetscErrorCode Stream_Open(NAPISource *source, int n, const NAPIZipMember list[], const char key[], Stream *stream)
{
  const NAPIZipMember *member = Npz_Find(n, list, key);
  off_t                where  = 0;

  PetscFunctionBegin;
  if (source->message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  stream->source.name    = source->name;
  stream->source.message = source->message;
  if (!member) PetscCall(NAPISourceSay(source, "is a sparse matrix of SciPy's without its array '%s'", key));
  else if (member->method) PetscCall(NAPIZipExtract(source, member, &stream->source.file));
  else {
    PetscCall(NAPIZipFind(source, member, &where));
    stream->source.file = source->file;
    stream->shared      = PETSC_TRUE;
  }
  if (source->message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(NAPISourceOpenNumpy(&stream->source, where, member->method ? -1 : where + (off_t)member->stored));
  if (!source->message[0] && stream->source.cols != 1) PetscCall(NAPISourceSay(source, "is a sparse matrix of SciPy's whose array '%s' is damaged", key));
  stream->source.width = 1;
  if (!source->message[0]) source->extent += (off_t)stream->source.rows * ((NAPIRaw *)stream->source.data)->size;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Stream_Close(Stream *stream)
{
  PetscFunctionBegin;
  if (stream->shared) stream->source.file = NULL;
  PetscCall(PetscFree(stream->piece));
  PetscCall(NAPISourceClose(&stream->source));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The next number; there is one */
static PetscErrorCode Stream_Next(Stream *stream, PetscScalar *value)
{
  PetscFunctionBegin;
  *value = 0.0;
  if (stream->next == stream->have) {
    const PetscInt64 n = PetscMin(PIECE, stream->source.rows - stream->have);

    if (!stream->piece) PetscCall(PetscMalloc1(PetscMin(PIECE, stream->source.rows), &stream->piece));
    stream->first = stream->have;
    if (n > 0) PetscCall((*stream->source.block)(&stream->source, stream->have, n, n, stream->piece));
    stream->have += n;
  }
  if (stream->source.message[0] || stream->next == stream->have) PetscFunctionReturn(PETSC_SUCCESS);
  *value = stream->piece[stream->next++ - stream->first];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Stream_NextIndex(Stream *stream, PetscInt64 *index)
{
  PetscScalar value;

  PetscFunctionBegin;
  PetscCall(Stream_Next(stream, &value));
  *index = PetscRealPart(value) >= 0.0 && PetscRealPart(value) < 1e15 ? (PetscInt64)PetscRealPart(value) : -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- sparse matrices ---------------------------------------------------------------------------------------------------- */

static PetscErrorCode Next_Npz(NAPISource *source, PetscInt64 *i, PetscInt64 *j, PetscScalar *value, PetscBool *more)
{
  Npz       *npz  = (Npz *)source->data;
  PetscInt64 line = 0, place = 0;

  PetscFunctionBegin;
  *more = (PetscBool)(npz->k < npz->data.source.rows);
  if (!*more) PetscFunctionReturn(PETSC_SUCCESS);
  if (npz->coo) PetscCall(Stream_NextIndex(&npz->outer, &line));
  else {
    while (npz->k >= npz->end && !source->message[0]) {
      const PetscInt64 before = npz->end;

      if (++npz->line + 1 >= npz->outer.source.rows) PetscCall(NAPISourceSay(source, "is damaged: its rows do not add up to its %" PetscInt64_FMT " entries", npz->data.source.rows));
      else PetscCall(Stream_NextIndex(&npz->outer, &npz->end));
      if (!source->message[0] && npz->end < before) PetscCall(NAPISourceSay(source, "is damaged: its indptr decreases"));
    }
    line = npz->line;
  }
  PetscCall(Stream_NextIndex(&npz->inner, &place));
  PetscCall(Stream_Next(&npz->data, value));
  npz->k++;
  *i = npz->csc ? place : line;
  *j = npz->csc ? line : place;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Close_Npz(NAPISource *source)
{
  Npz *npz = (Npz *)source->data;

  PetscFunctionBegin;
  PetscCall(Stream_Close(&npz->outer));
  PetscCall(Stream_Close(&npz->inner));
  PetscCall(Stream_Close(&npz->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The name of the format is text, which is no array of numbers: the letters behind its header */
static PetscErrorCode Npz_ReadFormat(NAPISource *source, const NAPIZipMember *member, char format[8])
{
  unsigned char bytes[512];
  size_t        length, at, n = 0;
  FILE         *file;

  PetscFunctionBegin;
  format[0] = '\0';
  PetscCall(NAPIZipExtract(source, member, &file));
  if (source->message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  length = fread(bytes, 1, sizeof(bytes), file);
  (void)fclose(file);
  at = length > 10 ? 10 + bytes[8] + 256 * (size_t)bytes[9] : length;
  for (; at < length && n < 7; at++)
    if (bytes[at]) format[n++] = (char)bytes[at];
  format[n] = '\0';
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Npz_ReadShape(NAPISource *source, int n, const NAPIZipMember list[])
{
  Stream shape;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(&shape, sizeof(shape)));
  PetscCall(Stream_Open(source, n, list, "shape", &shape));
  if (!source->message[0] && shape.source.rows != 2) PetscCall(NAPISourceSay(source, "is a sparse array of SciPy's with %" PetscInt64_FMT " dimensions: a data set has 2", shape.source.rows));
  if (!source->message[0]) PetscCall(Stream_NextIndex(&shape, &source->rows));
  if (!source->message[0]) PetscCall(Stream_NextIndex(&shape, &source->cols));
  PetscCall(Stream_Close(&shape));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What scipy.sparse.save_npz() has written */
static PetscErrorCode Npz_OpenSparse(NAPISource *source, int n, const NAPIZipMember list[])
{
  Npz       *npz;
  char       format[8];
  PetscInt64 start = 0;

  PetscFunctionBegin;
  PetscCall(PetscNew(&npz));
  source->data  = npz;
  source->next  = Next_Npz;
  source->close = Close_Npz;
  npz->line     = -1;
  PetscCall(Npz_ReadFormat(source, Npz_Find(n, list, "format"), format));
  npz->csc = (PetscBool)!strcmp(format, "csc");
  npz->coo = (PetscBool)!strcmp(format, "coo");
  if (!source->message[0] && !npz->csc && !npz->coo && strcmp(format, "csr")) PetscCall(NAPISourceSay(source, "is a sparse matrix of SciPy's in the format '%s': save it with tocsr()", format));
  if (!source->message[0]) PetscCall(Npz_ReadShape(source, n, list));
  PetscCall(Stream_Open(source, n, list, npz->coo ? "row" : "indptr", &npz->outer));
  PetscCall(Stream_Open(source, n, list, npz->coo ? "col" : "indices", &npz->inner));
  PetscCall(Stream_Open(source, n, list, "data", &npz->data));
  if (source->message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  source->entries = npz->data.source.rows;
  if (npz->inner.source.rows != source->entries || npz->outer.source.rows != (npz->coo ? source->entries : 1 + (npz->csc ? source->cols : source->rows)))
    PetscCall(NAPISourceSay(source, "is a sparse matrix of SciPy's whose arrays have lengths that do not match"));
  else if (!npz->coo) PetscCall(Stream_NextIndex(&npz->outer, &start));
  if (!source->message[0] && start) PetscCall(NAPISourceSay(source, "is damaged: its indptr does not begin with 0"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- either --------------------------------------------------------------------------------------------------------------- */

static PetscErrorCode Npz_SayWhich(NAPISource *source, int n, const NAPIZipMember list[])
{
  char names[256] = "";

  PetscFunctionBegin;
  for (int i = 0; i < n; i++) {
    const size_t length = strlen(list[i].name), shown = length > 4 && !strcmp(list[i].name + length - 4, ".npy") ? length - 4 : length, used = strlen(names);

    if (used + shown + 8 < sizeof(names)) (void)snprintf(names + used, sizeof(names) - used, "%s%.*s", i ? ", " : "", (int)shown, list[i].name);
    else if (i && used + 5 < sizeof(names)) {
      (void)snprintf(names + used, sizeof(names) - used, ", ...");
      break;
    }
  }
  if (source->key) PetscCall(NAPISourceSay(source, "there is no array '%.100s' in it, but %s", source->key, names));
  else PetscCall(NAPISourceSay(source, "has several arrays: say which after a colon, as in file.npz:name (%s)", names));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPISourceOpenZip - Opens a member of a zip file: the one that was asked for, the only one, or a sparse matrix; again: the file of the
   source has become that member, whose format is to be looked at.
*/
PetscErrorCode NAPISourceOpenZip(NAPISource *source, PetscBool *again)
{
  const NAPIZipMember *member = NULL;
  NAPIZipMember       *list;
  off_t                where;
  FILE                *file;
  int                  n;

  PetscFunctionBegin;
  *again = PETSC_FALSE;
  PetscCall(NAPIZipList(source, &n, &list));
  if (source->message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  if (source->key) member = Npz_Find(n, list, source->key);
  else if (n == 1) member = &list[0];
  if (member) {
    const size_t length = strlen(member->name);

    if (!member->method && length > 4 && !strcmp(member->name + length - 4, ".npy")) {
      PetscCall(NAPIZipFind(source, member, &where));
      if (!source->message[0]) PetscCall(NAPISourceOpenNumpy(source, where, where + (off_t)member->stored));
    } else {
      PetscCall(NAPIZipExtract(source, member, &file));
      if (file) {
        (void)fclose(source->file);
        source->file  = file;
        source->plain = PETSC_FALSE;
        *again        = PETSC_TRUE;
      }
    }
  } else if (!source->key && Npz_Find(n, list, "format") && Npz_Find(n, list, "shape")) PetscCall(Npz_OpenSparse(source, n, list));
  else if (Npz_Find(n, list, "[Content_Types].xml")) PetscCall(NAPISourceSay(source, "is a document of an office program: save the sheet as CSV"));
  else PetscCall(Npz_SayWhich(source, n, list));
  PetscCall(PetscFree(list));
  PetscFunctionReturn(PETSC_SUCCESS);
}
