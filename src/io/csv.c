/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Tables of numbers in text, as spreadsheets, pandas and R write them: a row a line; perhaps a first line with the names of the columns, and
   first columns without a name that count the rows. Lines that begin with # are comments. Rows are samples that have to match those of
   another file, so nothing is skipped or filled in unasked: an empty line between others, a number that is missing, a word, or a row of
   another length is an error that says where and what can be done.
*/
#include "fields.h"
#include <slepcnapi/private/napicompat.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  char       separator;
  char       decimal; /* what was seen in front of a fraction, or 0 */
  PetscBool  header;
  PetscBool  numbered; /* its names are 0, 1, 2, ... */
  PetscBool  doubtful; /* the header may be a row: it is one only if the first column counts */
  char      *p;        /* where the next field of the line begins; NULL: on the next line */
  PetscInt64 i, j;     /* the next entry */
} Csv;

/* --- fields ------------------------------------------------------------------------------------------------------- */

/* Where the field is that is wrong: line 3, column 2 (b) */
static const char *Csv_Where(const NAPISource *source, PetscInt64 j)
{
  static char where[160];
  const char *name = source->names ? source->names[j] : "";

  if (name[0]) (void)snprintf(where, sizeof(where), "line %" PetscInt64_FMT ", column %" PetscInt64_FMT " (%.60s)", source->number, j + 1, name);
  else (void)snprintf(where, sizeof(where), "line %" PetscInt64_FMT ", column %" PetscInt64_FMT, source->number, j + 1);
  return where;
}

/* A word: if there is one in the first row, then the whole column is words */
static PetscErrorCode Csv_SayNotNumber(NAPISource *source, PetscInt64 j, const char text[], size_t length)
{
  const Csv *csv   = (const Csv *)source->data;
  const int  shown = (int)PetscMin(length, 40);

  PetscFunctionBegin;
  if (!source->options) PetscCall(NAPISourceSay(source, "%s: '%.*s' is not a number", Csv_Where(source, j), shown, text));
  else if (csv->i) PetscCall(NAPISourceSay(source, "%s: '%.*s' is not a number; %s would leave out the column", Csv_Where(source, j), shown, text, NAPISourceDropOption(source, j)));
  else
    PetscCall(NAPISourceSay(source, "%s: '%.*s' is not a number: a column of text is left out by %s, or becomes columns of 0 and 1, one for each word (one-hot coding: pandas.get_dummies)", Csv_Where(source, j), shown, text, NAPISourceDropOption(source, j)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Csv_SayMissing(NAPISource *source, PetscInt64 j, const char text[], size_t length)
{
  char what[64] = "is empty";

  PetscFunctionBegin;
  if (length) (void)snprintf(what, sizeof(what), "is missing ('%.*s')", (int)PetscMin(length, 40), text);
  if (source->options) PetscCall(NAPISourceSay(source, "%s %s: %s", Csv_Where(source, j), what, NAPISourceMissingWays(source, j)));
  else PetscCall(NAPISourceSay(source, "%s %s", Csv_Where(source, j), what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reads field j of the line, or says what is wrong with it; not more than whether it is there, if the column is not taken */
static PetscErrorCode Csv_ReadField(NAPISource *source, PetscInt64 j, double *number)
{
  Csv   *csv = (Csv *)source->data;
  char  *text, decimal = 0;
  size_t length;

  PetscFunctionBegin;
  if (!NAPIFieldNext(csv->separator, &csv->p, &text, &length)) {
    PetscCall(NAPISourceSay(source, "line %" PetscInt64_FMT " has %" PetscInt64_FMT " field%s where the first row has %" PetscInt64_FMT, source->number, j, j == 1 ? "" : "s", source->cols));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (source->place && source->place[j] < 0) PetscFunctionReturn(PETSC_SUCCESS);
  if (NAPIFieldIsMissing(text, length) || (NAPIFieldIsNumber(csv->separator, text, length, number, &decimal) && isnan(*number))) {
    *number = NAN;
    if (!source->gaps) PetscCall(Csv_SayMissing(source, j, text, length));
  } else if (!NAPIFieldIsNumber(csv->separator, text, length, number, &decimal)) PetscCall(Csv_SayNotNumber(source, j, text, length));
  else if (!isfinite(*number)) PetscCall(NAPISourceSay(source, "%s: '%.*s' is not a finite number", Csv_Where(source, j), (int)PetscMin(length, 40), text));
  else if (decimal && csv->decimal && decimal != csv->decimal)
    PetscCall(NAPISourceSay(source, "%s: '%.*s' has a decimal %s, and numbers before it have a decimal %s", Csv_Where(source, j), (int)PetscMin(length, 40), text, decimal == ',' ? "comma" : "point", decimal == ',' ? "point" : "comma"));
  if (decimal) csv->decimal = decimal;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Next_Csv(NAPISource *source, PetscInt64 *i, PetscInt64 *j, PetscScalar *value, PetscBool *more)
{
  Csv      *csv    = (Csv *)source->data;
  double    number = 0.0;
  PetscBool found;

  PetscFunctionBegin;
  *more = PETSC_FALSE;
  while (!*more && !source->message[0]) {
    if (csv->j == source->cols) {
      csv->j = 0;
      csv->i++;
    }
    if (csv->i == source->rows) break;
    if (!csv->j) {
      PetscCall(NAPITextFilledLine(source, &found)); /* there are empty lines before the first row only, see Csv_CountRows() */
      if (!found) PetscCall(NAPISourceSay(source, "has changed while it was being read"));
      if (source->message[0]) break;
      csv->p = source->line;
    }
    PetscCall(Csv_ReadField(source, csv->j, &number));
    *i     = csv->i;
    *j     = csv->j++;
    *value = NAPIScalar(number, 0.0);
    *more  = (PetscBool)(!source->message[0] && (!source->place || source->place[*j] >= 0));
    if (csv->j == source->cols && csv->p) PetscCall(NAPISourceSay(source, "line %" PetscInt64_FMT " has more fields than the first row, which has %" PetscInt64_FMT, source->number, source->cols));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- the first line ------------------------------------------------------------------------------------------------- */

/* An unsigned integer, written as nothing but digits; -1 if it is none */
static PetscInt64 Csv_ParseCount(const char text[], size_t length)
{
  PetscInt64 n = 0;

  if (!length || length > 15) return -1;
  for (size_t k = 0; k < length; k++) {
    if (text[k] < '0' || text[k] > '9') return -1;
    n = 10 * n + (text[k] - '0');
  }
  return n;
}

/* pandas calls a column that had no name when it was read so: Unnamed: 0 */
static PetscBool Csv_IsNoName(const char text[], size_t length)
{
  return (PetscBool)(!length || (length > 9 && !strncmp(text, "Unnamed: ", 9)));
}

/*
   The names that pandas gives to columns that have none, 0, 1, 2, ..., after an index without a name and between others. A single 0 is taken
   for one if an index comes first, or if the numbers below have a fraction, as pandas writes them, which it has not.
*/
static PetscBool Csv_AreNamesOfPandas(char separator, char first[], char second[])
{
  char      *p = first, *q = second, *text, *below, decimal = 0;
  size_t     length, depth;
  PetscInt64 count = 0, j;
  double     value;
  PetscBool  index = PETSC_FALSE;

  for (j = 0; NAPIFieldNext(separator, &p, &text, &length); j++) {
    if (!NAPIFieldNext(separator, &q, &below, &depth)) return PETSC_FALSE;
    (void)NAPIFieldIsNumber(separator, below, depth, &value, &decimal);
    if (Csv_IsNoName(text, length)) {
      if (j) return PETSC_FALSE;
      index = PETSC_TRUE;
    } else if (Csv_ParseCount(text, length) == count) count++;
    else if (NAPIFieldIsNumber(separator, text, length, &value, &decimal) || NAPIFieldIsMissing(text, length)) return PETSC_FALSE;
  }
  return (PetscBool)(count > 1 || (count == 1 && (index || decimal)));
}

/* Numbers below an empty field are names, of years for instance, if what follows the empty field is an index */
static PetscBool Csv_MayBeNames(char separator, char first[], char second[])
{
  char  *p = first, *q = second, *text, *below;
  size_t length, depth;

  if (!NAPIFieldNext(separator, &p, &text, &length) || !NAPIFieldNext(separator, &q, &below, &depth)) return PETSC_FALSE;
  return (PetscBool)(Csv_IsNoName(text, length) && Csv_ParseCount(below, depth) >= 0 && Csv_ParseCount(below, depth) <= 1);
}

/* Header or not, separator, number of columns: from the first two lines with something on them */
static PetscErrorCode Csv_ReadLayout(NAPISource *source, PetscBool *istable)
{
  Csv       *csv = (Csv *)source->data;
  char      *first;
  PetscBool  found;
  PetscInt64 fields, numbers;

  PetscFunctionBegin;
  *istable = PETSC_FALSE;
  PetscCall(NAPITextFilledLine(source, &found));
  if (!found) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscStrallocpy(source->line, &first));
  PetscCall(NAPITextFilledLine(source, &found));
  csv->separator = found ? NAPIFieldSeparator(first, source->line) : NAPIFieldSeparator(NULL, first);
  NAPIFieldCount(csv->separator, first, &fields, &numbers);
  csv->header = (PetscBool)!numbers;
  if (found && numbers) {
    csv->header   = Csv_AreNamesOfPandas(csv->separator, first, source->line);
    csv->numbered = csv->header;
    csv->doubtful = (PetscBool)(!csv->header && Csv_MayBeNames(csv->separator, first, source->line));
    if (csv->doubtful) csv->header = PETSC_TRUE;
  }
  if (csv->header && found) NAPIFieldCount(csv->separator, source->line, &fields, &numbers);
  source->cols = fields;
  *istable     = (PetscBool)(numbers > 0 && (found || !csv->header));
  PetscCall(PetscFree(first));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A row may have a field more than there are names: R writes an index so */
static PetscErrorCode Csv_ReadNames(NAPISource *source)
{
  Csv       *csv = (Csv *)source->data;
  char      *text, *room, separator = csv->separator;
  size_t     length, pointers;
  PetscInt64 fields, numbers, shift;

  PetscFunctionBegin;
  if (source->cols == 1 && separator == ' ') separator = '\n'; /* the blanks in the name of one column separate nothing */
  csv->p = source->line;
  NAPIFieldCount(separator, source->line, &fields, &numbers);
  shift = source->cols == fields + 1 ? 1 : 0;
  if (fields + shift != source->cols) {
    PetscCall(NAPISourceSay(source, "its first line names %" PetscInt64_FMT " column%s, and there are %" PetscInt64_FMT, fields, fields == 1 ? "" : "s", source->cols));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* in one piece, names behind pointers: one for each would cost many times the line where they are short */
  pointers = ((size_t)source->cols + 1) * sizeof(*source->names);
  PetscCall(PetscMalloc(pointers + strlen(source->line) + (size_t)source->cols + 1, &source->names));
  room = (char *)source->names + pointers;
  for (PetscInt64 j = 0; j < source->cols; j++) {
    length = 0;
    text   = room;
    if (j >= shift) (void)NAPIFieldNext(separator, &csv->p, &text, &length);
    source->names[j] = room;
    room += NAPIFieldCopy(text, length, room) + 1;
    if (j == source->unnamed && j < NAPI_UNNAMED && Csv_IsNoName(source->names[j], strlen(source->names[j]))) source->unnamed++;
  }
  source->names[source->cols] = NULL;
  if (source->unnamed == source->cols) source->unnamed = 0; /* whatever it is, it is all there is */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- the rows --------------------------------------------------------------------------------------------------------- */

/*
   Room is made for all rows before they are read. So a line that is too short for a number (where none must be missing) and a separator
   in each column is an error here: Csv_ReadField() will find out which.
*/
static PetscErrorCode Csv_CheckLength(NAPISource *source)
{
  Csv             *csv   = (Csv *)source->data;
  const PetscBool  gaps  = (PetscBool)(source->options && source->options->missing != NAPI_MISSING_ERROR);
  const PetscInt64 least = gaps || source->unnamed || (source->options && (source->options->columns || source->options->drop || source->options->wanted)) ? source->cols - 1 : 2 * source->cols - 2;
  double           number;

  PetscFunctionBegin;
  csv->p = source->line;
  if ((PetscInt64)strlen(source->line) >= least) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt64 j = 0; j < source->cols && !source->message[0]; j++) PetscCall(Csv_ReadField(source, j, &number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Do the first columns, which have no name, count this row, too? Words are no index, and will be complained of. */
static void Csv_CheckIndex(NAPISource *source, PetscInt64 start[])
{
  Csv   *csv = (Csv *)source->data;
  char  *p   = source->line, *text, decimal;
  size_t length;
  double value;
  int    words = 0;

  for (int j = 0; j < source->unnamed && NAPIFieldNext(csv->separator, &p, &text, &length); j++) {
    const PetscInt64 count = Csv_ParseCount(text, length);

    if (source->rows == 0) {
      start[j]         = count;
      source->index[j] = (char)(count == 0 || count == 1);
      if (!words && !NAPIFieldIsMissing(text, length) && !NAPIFieldIsNumber(csv->separator, text, length, &value, &decimal)) words = j + 1;
    } else if (count != start[j] + source->rows) source->index[j] = 0;
  }
  if (words) source->unnamed = words - 1;
}

/* Counts the rows; lines with nothing on them may only come first or last */
static PetscErrorCode Csv_CountRows(NAPISource *source)
{
  PetscInt64 blank = 0, start[NAPI_UNNAMED];
  PetscBool  found;

  PetscFunctionBegin;
  source->rows = 0;
  do {
    PetscCall(NAPITextLine(source, &found));
    if (!found || NAPITextIsBlank(source->line)) {
      if (!blank && source->rows) blank = source->number;
    } else if (blank) PetscCall(NAPISourceSay(source, "line %" PetscInt64_FMT " is empty, and others follow", blank));
    else {
      Csv_CheckIndex(source, start);
      source->rows++;
      PetscCall(Csv_CheckLength(source));
    }
  } while (found && !source->message[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From the beginning of the file behind the first line, if that has names */
static PetscErrorCode Csv_Rewind(NAPISource *source)
{
  PetscBool found;

  PetscFunctionBegin;
  rewind(source->file);
  source->number = 0;
  if (((Csv *)source->data)->header) PetscCall(NAPITextFilledLine(source, &found));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPISourceOpenCsv - Opens a file that no other format claims, if it is a table of numbers: one of its first two lines
   has a number in it.
*/
PetscErrorCode NAPISourceOpenCsv(NAPISource *source, PetscBool *istable)
{
  Csv *csv;

  PetscFunctionBegin;
  PetscCall(PetscNew(&csv));
  source->data  = csv;
  source->dense = PETSC_TRUE;
  source->next  = Next_Csv;
  PetscCall(Csv_ReadLayout(source, istable));
  if (!*istable || source->message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Csv_Rewind(source));
  if (csv->header) PetscCall(Csv_ReadNames(source));
  if (!source->message[0]) PetscCall(Csv_CountRows(source));
  if (!source->message[0] && csv->doubtful && (source->rows < 2 || !source->index[0])) { /* the first line is a row, with a gap in it */
    PetscCall(NAPIFreeNames(&source->names));
    csv->header     = PETSC_FALSE;
    source->unnamed = 0;
    PetscCall(Csv_Rewind(source));
    PetscCall(Csv_CountRows(source));
  }
  if (!source->message[0]) PetscCall(Csv_Rewind(source));
  if (csv->numbered && !source->unnamed && source->options) PetscCall(PetscStrncpy(source->options->note, "its first line, 0, 1, 2, ..., was taken for names of the columns", NAPI_MESSAGE_LENGTH));
  PetscFunctionReturn(PETSC_SUCCESS);
}
