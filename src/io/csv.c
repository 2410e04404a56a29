/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Tables of numbers in text: a row a line; commas, semicolons, tabs or blanks between the fields; perhaps a first line
   with the names of the columns, in which there is no number. Numbers may be in quotes. Lines that begin with # are
   comments. Rows are samples that have to match those of another file, so nothing is skipped or filled in: an empty
   line between others, an empty field, NaN, a word, or a row of another length is an error that says where.
*/
#include "fields.h"
#include <slepcnapi/private/napicompat.h>
#include <math.h>
#include <string.h>

typedef struct {
  char       separator;
  PetscBool  header;
  char      *p;    /* where the next field of the line begins; NULL: on the next line */
  PetscInt64 i, j; /* the next entry */
} Csv;

/* Reads field j of the line, or says what is wrong with it */
static PetscErrorCode Csv_ReadField(NAPISource *source, PetscInt64 j, double *number)
{
  Csv   *csv = (Csv *)source->data;
  char  *text, decimal;
  size_t length;

  PetscFunctionBegin;
  if (!NAPIFieldNext(csv->separator, &csv->p, &text, &length)) PetscCall(NAPISourceSay(source, "line %" PetscInt64_FMT " has %" PetscInt64_FMT " field%s where the first row has %" PetscInt64_FMT, source->number, j, j == 1 ? "" : "s", source->cols));
  else if (!length) PetscCall(NAPISourceSay(source, "line %" PetscInt64_FMT ", column %" PetscInt64_FMT " is empty", source->number, j + 1));
  else if (!NAPIFieldIsNumber(csv->separator, text, length, number, &decimal)) PetscCall(NAPISourceSay(source, "line %" PetscInt64_FMT ", column %" PetscInt64_FMT ": '%.*s' is not a number", source->number, j + 1, (int)PetscMin(length, 40), text));
  else if (!isfinite(*number)) PetscCall(NAPISourceSay(source, "line %" PetscInt64_FMT ", column %" PetscInt64_FMT ": '%.*s' is not a finite number", source->number, j + 1, (int)PetscMin(length, 40), text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Next_Csv(NAPISource *source, PetscInt64 *i, PetscInt64 *j, PetscScalar *value, PetscBool *more)
{
  Csv      *csv    = (Csv *)source->data;
  double    number = 0.0;
  PetscBool found;

  PetscFunctionBegin;
  *more = PETSC_FALSE;
  if (csv->j == source->cols) {
    csv->j = 0;
    csv->i++;
  }
  if (csv->i == source->rows) PetscFunctionReturn(PETSC_SUCCESS);
  if (!csv->j) {
    PetscCall(NAPITextFilledLine(source, &found)); /* there are empty lines before the first row only, see Csv_CountRows() */
    if (!found) PetscCall(NAPISourceSay(source, "has changed while it was being read"));
    if (source->message[0]) PetscFunctionReturn(PETSC_SUCCESS);
    csv->p = source->line;
  }
  PetscCall(Csv_ReadField(source, csv->j, &number));
  if (source->message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  *i     = csv->i;
  *j     = csv->j++;
  *value = NAPIScalar(number, 0.0);
  *more  = PETSC_TRUE;
  if (csv->j == source->cols && csv->p) PetscCall(NAPISourceSay(source, "line %" PetscInt64_FMT " has more fields than the first row, which has %" PetscInt64_FMT, source->number, source->cols));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Header or not, separator, number of columns: from the first two lines with something on them */
static PetscErrorCode Csv_ReadLayout(NAPISource *source, PetscBool *istable)
{
  Csv       *csv = (Csv *)source->data;
  PetscBool  found;
  PetscInt64 fields, numbers;

  PetscFunctionBegin;
  *istable = PETSC_FALSE;
  PetscCall(NAPITextFilledLine(source, &found));
  if (!found) PetscFunctionReturn(PETSC_SUCCESS);
  csv->separator = NAPIFieldSeparator(NULL, source->line);
  NAPIFieldCount(csv->separator, source->line, &fields, &numbers);
  csv->header = (PetscBool)!numbers;
  if (csv->header) {
    PetscCall(NAPITextFilledLine(source, &found));
    if (!found) PetscFunctionReturn(PETSC_SUCCESS);
    csv->separator = NAPIFieldSeparator(NULL, source->line);
    NAPIFieldCount(csv->separator, source->line, &fields, &numbers);
  }
  source->cols = fields;
  *istable     = (PetscBool)(numbers > 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Csv_ReadNames(NAPISource *source)
{
  Csv       *csv = (Csv *)source->data;
  char      *text, *room, separator = csv->separator;
  size_t     length, pointers;
  PetscInt64 fields, numbers;

  PetscFunctionBegin;
  if (source->cols == 1 && separator == ' ') separator = '\n'; /* the blanks in the name of one column separate nothing */
  csv->p = source->line;
  NAPIFieldCount(separator, source->line, &fields, &numbers);
  if (fields != source->cols) {
    PetscCall(NAPISourceSay(source, "its first line names %" PetscInt64_FMT " column%s, and there are %" PetscInt64_FMT, fields, fields == 1 ? "" : "s", source->cols));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* in one piece, names behind pointers: one for each would cost many times the line where they are short */
  pointers = ((size_t)fields + 1) * sizeof(*source->names);
  PetscCall(PetscMalloc(pointers + strlen(source->line) + (size_t)fields, &source->names));
  room = (char *)source->names + pointers;
  for (PetscInt64 j = 0; j < fields; j++) {
    (void)NAPIFieldNext(separator, &csv->p, &text, &length);
    memcpy(room, text, length);
    room[length]     = '\0';
    source->names[j] = room;
    room += length + 1;
  }
  source->names[fields] = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Room is made for all rows before they are read. So a line that is too short for a number and a separator in each
   column is an error here: Csv_ReadField() will find out which.
*/
static PetscErrorCode Csv_CheckLength(NAPISource *source)
{
  Csv   *csv = (Csv *)source->data;
  double number;

  PetscFunctionBegin;
  csv->p = source->line;
  if ((PetscInt64)strlen(source->line) / 2 + 1 >= source->cols) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt64 j = 0; j < source->cols && !source->message[0]; j++) PetscCall(Csv_ReadField(source, j, &number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Counts the rows; lines with nothing on them may only come first or last */
static PetscErrorCode Csv_CountRows(NAPISource *source)
{
  PetscInt64 blank = 0;
  PetscBool  found;

  PetscFunctionBegin;
  do {
    PetscCall(NAPITextLine(source, &found));
    if (!found || NAPITextIsBlank(source->line)) {
      if (!blank && source->rows) blank = source->number;
    } else if (blank) PetscCall(NAPISourceSay(source, "line %" PetscInt64_FMT " is empty, and others follow", blank));
    else {
      source->rows++;
      PetscCall(Csv_CheckLength(source));
    }
  } while (found && !source->message[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPISourceOpenCsv - Opens a file that no other format claims, if it is a table of numbers: one of its first two lines
   has a number in it.
*/
PetscErrorCode NAPISourceOpenCsv(NAPISource *source, PetscBool *istable)
{
  Csv      *csv;
  PetscBool found;

  PetscFunctionBegin;
  PetscCall(PetscNew(&csv));
  source->data  = csv;
  source->dense = PETSC_TRUE;
  source->next  = Next_Csv;
  PetscCall(Csv_ReadLayout(source, istable));
  if (!*istable || source->message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  for (int pass = 0; pass < 2 && !source->message[0]; pass++) {
    rewind(source->file);
    source->number = 0;
    if (csv->header) {
      PetscCall(NAPITextFilledLine(source, &found));
      if (!pass) PetscCall(Csv_ReadNames(source));
    }
    if (!pass && !source->message[0]) PetscCall(Csv_CountRows(source));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
