/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Matrix Market files, coordinate and array (https://math.nist.gov/MatrixMarket/formats.html).
*/
#include "source.h"
#include "text.h"
#include <slepcnapi/private/napicompat.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef enum {
  FIELD_PATTERN, /* no values: every entry is one */
  FIELD_REAL,    /* and integer */
  FIELD_COMPLEX
} Field;

typedef struct {
  PetscBool  array; /* all entries, by columns, and no indices; else coordinates */
  Field      field;
  PetscInt64 announced, done; /* entries by the header, and so far */
  PetscInt64 i, j;            /* where the next entry of an array goes */
  PetscBool  lower, upper;    /* strict triangles seen */
} MatrixMarket;

/* The next line with something on it; FALSE at the end of the file, or if something is wrong */
static PetscErrorCode MatrixMarket_NextLine(NAPISource *source, PetscBool *found)
{
  ssize_t length;

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  do {
    PetscCall(NAPISourceLine(source, &length));
    if (length >= 0) {
      const char *p = source->line;

      while (isspace((unsigned char)*p)) p++;
      *found = (PetscBool)(*p && *p != '%');
    }
  } while (length >= 0 && !*found);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A number has to be followed by a blank or the end of the line */
static PetscBool MatrixMarket_ParseInteger(char **p, PetscInt64 *value)
{
  return (PetscBool)(NAPIParseInteger(p, value) && (!**p || isspace((unsigned char)**p)));
}

static PetscBool MatrixMarket_ParseReal(char **p, double *value)
{
  return (PetscBool)(NAPIParseReal(p, value) && (!**p || isspace((unsigned char)**p)));
}

static PetscBool MatrixMarket_AtEnd(const char *p)
{
  while (isspace((unsigned char)*p)) p++;
  return (PetscBool)(*p == '\0');
}

static PetscBool MatrixMarket_ParseValue(Field field, char **p, PetscScalar *value)
{
  double    re = 1.0, im = 0.0;
  PetscBool good = PETSC_TRUE;

  if (field != FIELD_PATTERN) good = MatrixMarket_ParseReal(p, &re);
  if (good && field == FIELD_COMPLEX) good = MatrixMarket_ParseReal(p, &im);
  *value = NAPIScalar(re, im);
  return good;
}

/* An array file goes down the columns, from the diagonal on where only one triangle is stored */
static void MatrixMarket_NextPosition(NAPISource *source, PetscInt64 *i, PetscInt64 *j)
{
  MatrixMarket *mm = (MatrixMarket *)source->data;

  *i = mm->i++;
  *j = mm->j;
  if (mm->i == source->rows) {
    mm->j++;
    mm->i = source->mirror == NAPI_MIRROR_NONE ? 0 : mm->j;
  }
}

static PetscBool MatrixMarket_ParsePosition(char **p, PetscInt64 *i, PetscInt64 *j)
{
  if (!MatrixMarket_ParseInteger(p, i) || !MatrixMarket_ParseInteger(p, j)) return PETSC_FALSE;
  --*i; /* the file counts from one */
  --*j;
  return PETSC_TRUE;
}

/* A file with one triangle may hold either, but both would double the entries */
static PetscErrorCode MatrixMarket_CheckTriangle(NAPISource *source, PetscInt64 i, PetscInt64 j)
{
  MatrixMarket *mm = (MatrixMarket *)source->data;

  PetscFunctionBegin;
  if (i > j) mm->lower = PETSC_TRUE;
  if (i < j) mm->upper = PETSC_TRUE;
  if (mm->lower && mm->upper)
    PetscCall(NAPISourceSay(source,
                            "line %" PetscInt64_FMT ": a symmetric file holds one triangle only, this one has entries "
                            "in both",
                            source->number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Next_MatrixMarket(NAPISource *source, PetscInt64 *i, PetscInt64 *j, PetscScalar *value, PetscBool *more)
{
  MatrixMarket *mm = (MatrixMarket *)source->data;
  PetscBool     found;
  char         *p;

  PetscFunctionBegin;
  *more = PETSC_FALSE;
  PetscCall(MatrixMarket_NextLine(source, &found));
  if (!found) {
    if (mm->done < mm->announced) PetscCall(NAPISourceSay(source, "is truncated: it ends after %" PetscInt64_FMT " of %" PetscInt64_FMT " entries", mm->done, mm->announced));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (mm->done == mm->announced) {
    PetscCall(NAPISourceSay(source,
                            "line %" PetscInt64_FMT ": there are more entries than the %" PetscInt64_FMT " its header "
                            "announces",
                            source->number, mm->announced));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  p = source->line;
  if (mm->array) MatrixMarket_NextPosition(source, i, j);
  if ((!mm->array && !MatrixMarket_ParsePosition(&p, i, j)) || !MatrixMarket_ParseValue(mm->field, &p, value) || !MatrixMarket_AtEnd(p)) {
    source->line[strcspn(source->line, "\r\n")] = '\0';
    PetscCall(NAPISourceSay(source, "line %" PetscInt64_FMT " is not a matrix entry: '%.60s'", source->number, source->line));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (source->mirror != NAPI_MIRROR_NONE) PetscCall(MatrixMarket_CheckTriangle(source, *i, *j));
  mm->done++;
  *more = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is word, in any mixture of cases, one of the names in the list? Says so if not. */
static PetscErrorCode MatrixMarket_FindWord(NAPISource *source, const char what[], const char word[], const char *const list[], int *which)
{
  PetscFunctionBegin;
  for (*which = 0; list[*which]; ++*which) {
    PetscBool same;

    PetscCall(PetscStrcasecmp(word, list[*which], &same));
    if (same) PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(NAPISourceSay(source, "its Matrix Market header names an unknown %s '%.40s'", what, word));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* %%MatrixMarket matrix coordinate|array real|integer|pattern|complex general|symmetric|hermitian */
static PetscErrorCode MatrixMarket_ParseBanner(NAPISource *source)
{
  static const char *const banners[]    = {"%%MatrixMarket", NULL};
  static const char *const objects[]    = {"matrix", NULL};
  static const char *const formats[]    = {"coordinate", "array", NULL};
  static const char *const fields[]     = {"pattern", "real", "complex", "integer", "double", NULL};
  static const char *const symmetries[] = {"general", "symmetric", "hermitian", "skew-symmetric", NULL};
  MatrixMarket            *mm           = (MatrixMarket *)source->data;
  char                     word[5][64]  = {"", "", "", "", ""};
  int                      banner, object, format, field, symmetry;
  ssize_t                  length;

  PetscFunctionBegin;
  PetscCall(NAPISourceLine(source, &length));
  if (length < 0 || sscanf(source->line, "%63s %63s %63s %63s %63s", word[0], word[1], word[2], word[3], word[4]) != 5) {
    PetscCall(NAPISourceSay(source, "its first line is not a Matrix Market header"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatrixMarket_FindWord(source, "banner", word[0], banners, &banner));
  PetscCall(MatrixMarket_FindWord(source, "object", word[1], objects, &object));
  PetscCall(MatrixMarket_FindWord(source, "format", word[2], formats, &format));
  PetscCall(MatrixMarket_FindWord(source, "field", word[3], fields, &field));
  PetscCall(MatrixMarket_FindWord(source, "symmetry", word[4], symmetries, &symmetry));
  if (source->message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  mm->array      = (PetscBool)(format == 1);
  mm->field      = field > FIELD_COMPLEX ? FIELD_REAL : (Field)field;
  source->mirror = (NAPIMirror)symmetry;
  if (symmetry == 3) PetscCall(NAPISourceSay(source, "is skew-symmetric, which is never symmetric or Hermitian"));
  if (mm->array && mm->field == FIELD_PATTERN) PetscCall(NAPISourceSay(source, "its Matrix Market header asks for an array without values"));
  if (mm->field == FIELD_COMPLEX && !PetscDefined(USE_COMPLEX)) PetscCall(NAPISourceSay(source, "is complex, and this PETSc is built for real numbers"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How many entries an array has, before room is made for all of them: each takes a digit and the end of a line */
static PetscErrorCode MatrixMarket_CountArray(NAPISource *source)
{
  MatrixMarket    *mm   = (MatrixMarket *)source->data;
  const off_t      here = ftello(source->file);
  const PetscInt64 rows = source->rows, cols = source->cols;
  off_t            size = 0;
  PetscInt64       most;

  PetscFunctionBegin;
  PetscCall(NAPISourceSize(source, &size));
  (void)fseeko(source->file, here, SEEK_SET);
  most = ((PetscInt64)size + 1) / 2;
  if (source->mirror != NAPI_MIRROR_NONE) most *= 2; /* one triangle, and the square has less than twice as many */
  if (cols && rows > most / cols) {                  /* compared in this form nothing overflows */
    PetscCall(NAPISourceSay(source, "is truncated: it is too short for the %" PetscInt64_FMT " by %" PetscInt64_FMT " entries of its header", rows, cols));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  mm->announced = rows * cols;
  if (source->mirror != NAPI_MIRROR_NONE) mm->announced = (rows * cols + rows) / 2; /* it will turn out to be square */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatrixMarket_ParseSizes(NAPISource *source)
{
  MatrixMarket *mm = (MatrixMarket *)source->data;
  PetscBool     good;
  char         *p;

  PetscFunctionBegin;
  PetscCall(MatrixMarket_NextLine(source, &good));
  p    = source->line;
  good = (PetscBool)(good && MatrixMarket_ParseInteger(&p, &source->rows) && MatrixMarket_ParseInteger(&p, &source->cols));
  if (good && !mm->array) good = MatrixMarket_ParseInteger(&p, &mm->announced);
  if (!good || !MatrixMarket_AtEnd(p) || source->rows < 0 || source->cols < 0 || mm->announced < 0) {
    PetscCall(NAPISourceSay(source, "has no valid line of sizes after its Matrix Market header"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  source->dense = mm->array;
  if (mm->array) PetscCall(MatrixMarket_CountArray(source));
  source->entries = mm->announced;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NAPISourceOpenMatrixMarket(NAPISource *source)
{
  MatrixMarket *mm;

  PetscFunctionBegin;
  PetscCall(PetscNew(&mm));
  source->data = mm;
  source->next = Next_MatrixMarket;
  PetscCall(MatrixMarket_ParseBanner(source));
  if (!source->message[0]) PetscCall(MatrixMarket_ParseSizes(source));
  PetscFunctionReturn(PETSC_SUCCESS);
}
