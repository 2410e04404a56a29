/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Lines of text and the fields on them: commas, semicolons, tabs, bars or blanks between them, quotes around them, doubled where they are
   a part of the field. Numbers have a decimal point or, where the comma separates nothing, a decimal comma.
*/
#include "fields.h"
#include "text.h"
#include <slepcnapi/private/napicompat.h>
#include <string.h>
#include <strings.h>

#define LONGEST_NUMBER 64 /* characters of a number with a decimal comma */

/*
   NAPITextLine - The next line that is not a comment, without its end; FALSE at the end of the file or if something is wrong.
*/
PetscErrorCode NAPITextLine(NAPISource *source, PetscBool *found)
{
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
    *found = (PetscBool)(source->line[0] != '#' || !strncmp(source->line, "#N", 2)); /* #N/A is what a spreadsheet knows no value of */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool NAPITextIsBlank(const char line[])
{
  return (PetscBool)(line[strspn(line, " \t")] == '\0');
}

PetscErrorCode NAPITextFilledLine(NAPISource *source, PetscBool *found)
{
  PetscFunctionBegin;
  do PetscCall(NAPITextLine(source, found));
  while (*found && NAPITextIsBlank(source->line));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIFieldNext - The next field of a line: its text, without quotes and blanks around it. FALSE: no more. p is NULL after the last.
*/
PetscBool NAPIFieldNext(char separator, char **p, char **text, size_t *length)
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

/*
   NAPIFieldCopy - Copies a field as a string, with doubled quotes as one; gives its length, which is at most that of the field.
*/
size_t NAPIFieldCopy(const char text[], size_t length, char to[])
{
  size_t n = 0;

  for (size_t k = 0; k < length; k++) {
    to[n++] = text[k];
    if (text[k] == '"' && k + 1 < length && text[k + 1] == '"') k++;
  }
  to[n] = '\0';
  return n;
}

/*
   NAPIFieldIsMissing - Whether this is what programs write where a number is missing: nothing, or one of these words.
*/
PetscBool NAPIFieldIsMissing(const char text[], size_t length)
{
  static const char *const words[] = {"", "na", "nan", "n/a", "#n/a", "#na", "<na>", "null", "none", "?", NULL};

  for (int k = 0; words[k]; k++)
    if (strlen(words[k]) == length && !strncasecmp(text, words[k], length)) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* True and False, as pandas, R and spreadsheets write them */
static PetscBool Field_IsTruth(const char text[], size_t length, double *value)
{
  const PetscBool yes = (PetscBool)(length == 4 && !strncasecmp(text, "true", 4)), no = (PetscBool)(length == 5 && !strncasecmp(text, "false", 5));

  if (yes || no) *value = yes ? 1.0 : 0.0;
  return (PetscBool)(yes || no);
}

/*
   NAPIFieldIsNumber - Whether a field is a number, or true or false, which are 1 and 0; decimal becomes the character that was seen
   before its fraction, a point or a comma, if there was one.
*/
PetscBool NAPIFieldIsNumber(char separator, char text[], size_t length, double *value, char *decimal)
{
  char  copy[LONGEST_NUMBER + 1], *p = text;
  char *comma = separator == ',' || separator == ' ' ? NULL : (char *)memchr(text, ',', length);

  if (!length) return PETSC_FALSE;
  if (comma) {
    if (length > LONGEST_NUMBER || memchr(text, '.', length)) return PETSC_FALSE;
    memcpy(copy, text, length);
    copy[length]       = '\0';
    copy[comma - text] = '.';
    p                  = copy;
    if (!NAPIParseReal(&p, value) || p != copy + length) return PETSC_FALSE;
    *decimal = ',';
    return PETSC_TRUE;
  }
  if (NAPIParseReal(&p, value) && p == text + length) {
    if (memchr(text, '.', length)) *decimal = '.';
    return PETSC_TRUE;
  }
  return Field_IsTruth(text, length, value);
}

/*
   NAPIFieldCount - Counts the fields of a line, and those that are numbers or stand for one that is missing.
*/
void NAPIFieldCount(char separator, char line[], PetscInt64 *fields, PetscInt64 *numbers)
{
  char  *p = line, *text, decimal;
  size_t length;
  double value;

  *fields = *numbers = 0;
  while (NAPIFieldNext(separator, &p, &text, &length)) {
    ++*fields;
    if (NAPIFieldIsNumber(separator, text, length, &value, &decimal) || (length && NAPIFieldIsMissing(text, length))) ++*numbers;
  }
}

/*
   NAPIFieldSeparator - What stands between the fields, outside of quotes: what cuts both lines into as many fields, two or more; where nothing
   does, what is there in the second line; or what is there in the first, if it cuts that into numbers. The first may be NULL.
*/
char NAPIFieldSeparator(char first[], char second[])
{
  static const char candidates[] = "\t;|,";
  char              fallback     = ' ';
  PetscInt64        fields[2], numbers;

  for (int k = (int)sizeof(candidates) - 2; k >= 0; k--) {
    NAPIFieldCount(candidates[k], second, &fields[1], &numbers);
    if (fields[1] > 1) fallback = candidates[k];
  }
  for (int k = 0; candidates[k] && first && fallback == ' '; k++) {
    NAPIFieldCount(candidates[k], first, &fields[0], &numbers);
    if (fields[0] > 1 && numbers == fields[0]) fallback = candidates[k];
  }
  for (int k = 0; candidates[k] && first; k++) {
    NAPIFieldCount(candidates[k], first, &fields[0], &numbers);
    NAPIFieldCount(candidates[k], second, &fields[1], &numbers);
    /* a first column of row numbers need not have a name */
    if (fields[1] > 1 && (fields[0] == fields[1] || (fields[0] > 1 && fields[0] + 1 == fields[1]))) return candidates[k];
  }
  return fallback;
}
