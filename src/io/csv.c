/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Tables of numbers in text: a row a line; commas, semicolons, tabs or blanks between the fields; perhaps a first line
   with the names of the columns, in which there is no number. Numbers may be in quotes. Lines that begin with # are
   comments. Rows are samples that have to match those of another file, so nothing is skipped or filled in: an empty
   line between others, an empty field, NaN, a word, or a row of another length is an error that says where.
*/
#include "source.h"
#include "text.h"
#include <slepcnapi/private/napicompat.h>
#include <math.h>
#include <string.h>
#include <strings.h>

typedef struct {
  char       separator;
  PetscBool  header;
  char      *p;    /* where the next field of the line begins; NULL: on the next line */
  PetscInt64 i, j; /* the next entry */
} Csv;

/* The next line that is not a comment, without its end; FALSE at the end of the file or if something is wrong */
static PetscErrorCode Csv_NextLine(NAPISource *source, PetscBool *found)
{
  Csv    *csv = (Csv *)source->data;
  ssize_t length;

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  while (!*found) {
    PetscCall(NAPISourceLine(source, &length));
    if (length < 0) break;
    if (source->number == 1 && length >= 3 && !memcmp(source->line, "\xef\xbb\xbf", 3)) memmove(source->line, source->line + 3, (size_t)(length -= 3) + 1); /* the mark of UTF-8 */
    if (strlen(source->line) != (size_t)length) {
      PetscCall(NAPISourceSay(source, "line %" PetscInt64_FMT " is not text", source->number));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    while (length && (source->line[length - 1] == '\n' || source->line[length - 1] == '\r')) source->line[--length] = '\0';
    *found = (PetscBool)(source->line[0] != '#');
  }
  csv->p = source->line;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool Csv_IsBlank(const char *line)
{
  return (PetscBool)(line[strspn(line, " \t")] == '\0');
}

static PetscErrorCode Csv_NextFilledLine(NAPISource *source, PetscBool *found)
{
  PetscFunctionBegin;
  do PetscCall(Csv_NextLine(source, found));
  while (*found && Csv_IsBlank(source->line));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The next field of a line: its text, without quotes and blanks around it. FALSE: no more. p is NULL after the last. */
static PetscBool Csv_NextField(char separator, char **p, char **text, size_t *length)
{
  char *end;

  if (!*p) return PETSC_FALSE;
  while (**p == ' ' || (**p == '\t' && separator != '\t')) ++*p;
  if (separator == ' ' && !**p) return PETSC_FALSE;
  if (**p == '"') {
    *text = ++*p;
    for (end = *p; *end && !(end[0] == '"' && end[1] != '"'); end++)
      if (*end == '"') end++; /* a quote within quotes is doubled */
    *length = (size_t)(end - *text);
    *p      = *end ? end + 1 : end;
    while (**p == ' ' || (**p == '\t' && separator != '\t')) ++*p;
    if (**p && **p != separator && separator != ' ') { /* "1"2 is one wrong field */
      --*text;
      while (**p && **p != separator) ++*p;
      *length = (size_t)(*p - *text);
    }
  } else {
    *text = *p;
    while (**p && **p != separator && !(separator == ' ' && **p == '\t')) ++*p;
    *length = (size_t)(*p - *text);
  }
  while (*length && ((*text)[*length - 1] == ' ' || (*text)[*length - 1] == '\t')) --*length;
  while (*length && (**text == ' ' || **text == '\t')) ++*text, --*length;
  while (separator == ' ' && (**p == ' ' || **p == '\t')) ++*p; /* any number of blanks are one separator, or none at the end */
  if (!**p) *p = NULL;
  else if (separator != ' ') ++*p;
  return PETSC_TRUE;
}

static PetscBool Csv_IsNumber(char *text, size_t length, double *value)
{
  char *p = text;

  return (PetscBool)(length && NAPIParseReal(&p, value) && p == text + length);
}

/* What programs write where a number is missing; a line with one of these is no header */
static PetscBool Csv_IsMissing(const char *text, size_t length)
{
  static const char *const words[] = {"na", "n/a", "#n/a", "null", "none", "?", NULL};

  for (int k = 0; words[k]; k++)
    if (strlen(words[k]) == length && !strncasecmp(text, words[k], length)) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Counts the fields of a line, and those that are numbers or stand for one */
static void Csv_CountFields(char separator, char *line, PetscInt64 *fields, PetscInt64 *numbers)
{
  char  *p = line, *text;
  size_t length;
  double value;

  *fields = *numbers = 0;
  while (Csv_NextField(separator, &p, &text, &length)) {
    ++*fields;
    if (Csv_IsNumber(text, length, &value) || Csv_IsMissing(text, length)) ++*numbers;
  }
}

/* What stands between the fields of a line of data, outside of quotes */
static char Csv_FindSeparator(const char *line)
{
  static const char candidates[] = "\t;,";
  PetscBool         quoted, found;

  for (int k = 0; candidates[k]; k++) {
    quoted = found = PETSC_FALSE;
    for (const char *p = line; *p; p++) {
      if (*p == '"') quoted = (PetscBool)!quoted;
      if (*p == candidates[k] && !quoted) found = PETSC_TRUE;
    }
    if (found) return candidates[k];
  }
  return ' ';
}

/* Reads field j of the line, or says what is wrong with it */
static PetscErrorCode Csv_ReadField(NAPISource *source, PetscInt64 j, double *number)
{
  Csv   *csv = (Csv *)source->data;
  char  *text;
  size_t length;

  PetscFunctionBegin;
  if (!Csv_NextField(csv->separator, &csv->p, &text, &length)) PetscCall(NAPISourceSay(source, "line %" PetscInt64_FMT " has %" PetscInt64_FMT " field%s where the first row has %" PetscInt64_FMT, source->number, j, j == 1 ? "" : "s", source->cols));
  else if (!length) PetscCall(NAPISourceSay(source, "line %" PetscInt64_FMT ", column %" PetscInt64_FMT " is empty", source->number, j + 1));
  else if (!Csv_IsNumber(text, length, number)) PetscCall(NAPISourceSay(source, "line %" PetscInt64_FMT ", column %" PetscInt64_FMT ": '%.*s' is not a number", source->number, j + 1, (int)PetscMin(length, 40), text));
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
    PetscCall(Csv_NextFilledLine(source, &found)); /* there are empty lines before the first row only, see Csv_CountRows() */
    if (!found) PetscCall(NAPISourceSay(source, "has changed while it was being read"));
    if (source->message[0]) PetscFunctionReturn(PETSC_SUCCESS);
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
  PetscCall(Csv_NextFilledLine(source, &found));
  if (!found) PetscFunctionReturn(PETSC_SUCCESS);
  csv->separator = Csv_FindSeparator(source->line);
  Csv_CountFields(csv->separator, source->line, &fields, &numbers);
  csv->header = (PetscBool)!numbers;
  if (csv->header) {
    PetscCall(Csv_NextFilledLine(source, &found));
    if (!found) PetscFunctionReturn(PETSC_SUCCESS);
    csv->separator = Csv_FindSeparator(source->line);
    Csv_CountFields(csv->separator, source->line, &fields, &numbers);
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
  Csv_CountFields(separator, source->line, &fields, &numbers);
  if (fields != source->cols) {
    PetscCall(NAPISourceSay(source, "its first line names %" PetscInt64_FMT " column%s, and there are %" PetscInt64_FMT, fields, fields == 1 ? "" : "s", source->cols));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* in one piece, names behind pointers: one for each would cost many times the line where they are short */
  pointers = ((size_t)fields + 1) * sizeof(*source->names);
  PetscCall(PetscMalloc(pointers + strlen(source->line) + (size_t)fields, &source->names));
  room = (char *)source->names + pointers;
  for (PetscInt64 j = 0; j < fields; j++) {
    (void)Csv_NextField(separator, &csv->p, &text, &length);
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
  double number;

  PetscFunctionBegin;
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
    PetscCall(Csv_NextLine(source, &found));
    if (!found || Csv_IsBlank(source->line)) {
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
      PetscCall(Csv_NextFilledLine(source, &found));
      if (!pass) PetscCall(Csv_ReadNames(source));
    }
    if (!pass && !source->message[0]) PetscCall(Csv_CountRows(source));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
