/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Which columns of a file are data: those that were asked for, or not to be left out, by name or by number; and no index, which is a first
   column that has no name and counts the rows, as pandas and R write it.
*/
#include "fields.h"
#include <slepcnapi/private/napicompat.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 128 /* of a name that is compared with others */

/*
   NAPIDistance - Letters that have to be changed, put in, left out or exchanged with their neighbours to make b of a.
*/
int NAPIDistance(const char a[], const char b[])
{
  const size_t m = strlen(a), n = strlen(b);
  int          row[3][LONGEST + 1]; /* the last two rows and this one */

  if (m >= LONGEST || n >= LONGEST) return LONGEST;
  for (size_t j = 0; j <= n; j++) row[0][j] = (int)j;
  for (size_t i = 1; i <= m; i++) {
    const int *above = row[(i + 2) % 3], *twice = row[(i + 1) % 3];
    int       *here = row[i % 3];

    here[0] = (int)i;
    for (size_t j = 1; j <= n; j++) {
      here[j] = PetscMin(PetscMin(above[j], here[j - 1]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) here[j] = PetscMin(here[j], twice[j - 2] + 1);
    }
  }
  return row[m % 3][n];
}

/* --- lists of columns -------------------------------------------------------------------------------------------------- */

/*
   NAPIColumnsCreate - Takes a list apart; names with a comma in them are in quotes.
*/
PetscErrorCode NAPIColumnsCreate(const char option[], const char text[], NAPIColumns *columns, char message[])
{
  char      *line, *p, *item, *room;
  size_t     length, pointers;
  PetscInt64 fields, numbers;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(columns, sizeof(*columns)));
  PetscCall(PetscStrncpy(columns->option, option, sizeof(columns->option)));
  columns->distance = LONGEST;
  PetscCall(PetscStrallocpy(text, &line));
  NAPIFieldCount(',', line, &fields, &numbers);
  columns->n = (PetscInt)fields;
  pointers   = (size_t)fields * sizeof(*columns->item);
  PetscCall(PetscMalloc(pointers + strlen(text) + (size_t)fields + 1, &columns->item));
  PetscCall(PetscCalloc1(fields, &columns->found));
  room = (char *)columns->item + pointers;
  p    = line;
  for (PetscInt k = 0; k < columns->n; k++) {
    (void)NAPIFieldNext(',', &p, &item, &length);
    columns->item[k] = room;
    room += NAPIFieldCopy(item, length, room) + 1;
    if (!length && !message[0]) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s: '%.200s' is not a list of columns, by name or number, with commas between them", option, text));
  }
  PetscCall(PetscFree(line));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NAPIColumnsDestroy(NAPIColumns *columns)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(columns->item));
  PetscCall(PetscFree(columns->found));
  columns->n = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIColumnsCheck - Says so if there is a name in the list that no file has had so far, with the nearest one there is.
*/
PetscErrorCode NAPIColumnsCheck(MPI_Comm comm, const NAPIColumns *columns, char message[])
{
  PetscInt k = 0;

  PetscFunctionBegin;
  while (k < columns->n && columns->found[k]) k++;
  if (k < columns->n && !columns->found[columns->missed]) k = columns->missed;
  if (k < columns->n && !message[0]) {
    PetscBool near = (PetscBool)(k == columns->missed && columns->distance <= (int)(strlen(columns->item[k]) + 1) / 2 && columns->distance < (int)strlen(columns->item[k]));

    if (near) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s: there is no column '%.200s': is '%s' meant?", columns->option, columns->item[k], columns->nearest));
    else PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s: there is no column '%.200s', neither by this name nor by this number (from 1 on)", columns->option, columns->item[k]));
  }
  PetscCallMPI(MPI_Bcast(message, NAPI_MESSAGE_LENGTH, MPI_CHAR, 0, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 3, or 3-7, counted from 1 in the file */
static PetscBool Columns_ParseRange(const char text[], PetscInt64 cols, PetscInt64 *first, PetscInt64 *last)
{
  char *end;

  if (*text < '0' || *text > '9') return PETSC_FALSE;
  *first = *last = strtoll(text, &end, 10);
  if (*end == '-' && end[1] >= '0' && end[1] <= '9') *last = strtoll(end + 1, &end, 10);
  return (PetscBool)(!*end && *first >= 1 && *first <= *last && *last <= cols);
}

/* The columns of a file that an item of a list names, from first to last; a name comes before a number */
static PetscBool Columns_Find(NAPIColumns *list, PetscInt k, const NAPISource *source, PetscInt64 *first, PetscInt64 *last)
{
  for (PetscInt64 j = 0; j < source->cols && source->names; j++) {
    int distance;

    if (!strcmp(list->item[k], source->names[j])) {
      *first = *last = j;
      list->found[k] = 1;
      return PETSC_TRUE;
    }
    if (list->found[k] || !source->names[j][0]) continue;
    distance = NAPIDistance(list->item[k], source->names[j]);
    if (distance >= list->distance) continue;
    list->distance = distance;
    list->missed   = k;
    (void)snprintf(list->nearest, sizeof(list->nearest), "%s", source->names[j]);
  }
  if (!Columns_ParseRange(list->item[k], source->cols, first, last)) return PETSC_FALSE;
  --*first;
  --*last;
  list->found[k] = 1;
  return PETSC_TRUE;
}

/* --- the columns of a file --------------------------------------------------------------------------------------------------- */

/* Those that a list names, in its order; 0 if none of them is in this file */
static PetscErrorCode Columns_Take(NAPISource *source, NAPIColumns *list)
{
  PetscInt64 first, last;

  PetscFunctionBegin;
  for (PetscInt64 j = 0; j < source->cols; j++) source->place[j] = -1;
  source->width = 0;
  for (PetscInt k = 0; k < list->n; k++) {
    if (!Columns_Find(list, k, source, &first, &last)) continue;
    for (PetscInt64 j = first; j <= last; j++)
      if (source->place[j] >= 0) PetscCall(NAPISourceSay(source, "%s names column %" PetscInt64_FMT " twice", list->option, j + 1));
      else source->place[j] = source->width++;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All but an index; a column that has no name and does not count is neither data nor an index for sure */
static PetscErrorCode Columns_TakeAll(NAPISource *source, NAPIColumns *drop)
{
  char      *dropped = NULL;
  PetscInt64 first, last;
  int        left = 0;

  PetscFunctionBegin;
  source->width = 0;
  PetscCall(PetscCalloc1(source->cols, &dropped));
  for (PetscInt k = 0; k < (drop ? drop->n : 0); k++)
    if (Columns_Find(drop, k, source, &first, &last))
      for (PetscInt64 j = first; j <= last; j++) dropped[j] = 1;
  for (PetscInt64 j = 0; j < source->cols; j++) {
    const PetscBool unnamed = (PetscBool)(j < source->unnamed), index = (PetscBool)(unnamed && source->index[j]);

    if (unnamed && !index && !dropped[j])
      PetscCall(NAPISourceSay(source, "column %" PetscInt64_FMT " has no name and does not count the rows: %s", j + 1, source->options ? "if it is an index, leave it out by -drop_x 1 (-drop_y, if this is Y); if it is data, give it a name or name it in -columns" : "give it a name if it is data, leave it out if it is not"));
    if (index && !dropped[j]) left++;
    source->place[j] = index || dropped[j] ? -1 : source->width++;
  }
  if (left && source->options)
    PetscCall(PetscStrncpy(source->options->note, left == 1 ? "its first column has no name and counts the rows: an index, which was left out" : "its first columns have no name and count the rows: indices, which were left out", NAPI_MESSAGE_LENGTH));
  PetscCall(PetscFree(dropped));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of those that are taken, all that are not in the list */
static void Columns_Drop(NAPISource *source, NAPIColumns *list)
{
  PetscInt64 first, last;

  for (PetscInt k = 0; k < list->n; k++) {
    if (!Columns_Find(list, k, source, &first, &last)) continue;
    for (PetscInt64 j = first; j <= last; j++) {
      const PetscInt64 gone = source->place[j];

      if (gone < 0) continue;
      for (PetscInt64 i = 0; i < source->cols; i++)
        if (source->place[i] > gone) source->place[i]--;
      source->place[j] = -1;
      source->width--;
    }
  }
}

static int Columns_Compare(const void *a, const void *b)
{
  return strcmp(**(char **const *)a, **(char **const *)b);
}

/* Pointers to names, in their alphabetical order */
static PetscErrorCode Columns_Sort(PetscInt64 n, char *const names[], char *const ***sorted)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, sorted));
  for (PetscInt64 j = 0; j < n; j++) (*sorted)[j] = names + j;
  qsort((void *)*sorted, (size_t)n, sizeof(**sorted), Columns_Compare);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIAreNames - Whether columns can be told by their names: each has one, and no two have the same.
*/
PetscErrorCode NAPIAreNames(PetscInt n, char *const names[], PetscBool *are)
{
  char *const **sorted;

  PetscFunctionBegin;
  PetscCall(Columns_Sort(n, names, &sorted));
  *are = (PetscBool)(n > 0 && *sorted[0][0]);
  for (PetscInt j = 1; j < n && *are; j++)
    if (!strcmp(*sorted[j - 1], *sorted[j])) *are = PETSC_FALSE;
  PetscCall(PetscFree(sorted));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Says that a column is not there and, if there is one, which other name is near */
static PetscErrorCode Columns_Miss(NAPISource *source, const char name[])
{
  const NAPIDataOptions *options = source->options;
  char *const          **sorted;
  PetscInt64             nearest = -1;
  int                    least   = (int)(strlen(name) + 1) / 2 + 1;

  PetscFunctionBegin;
  PetscCall(Columns_Sort(options->nwanted, options->wanted, &sorted));
  for (PetscInt64 j = 0; j < source->cols; j++) {
    char *const *here     = source->names + j;
    const int    distance = **here && source->place[j] >= 0 ? NAPIDistance(name, *here) : LONGEST;

    if (distance < least && distance < (int)strlen(name) && !bsearch(&here, (void *)sorted, (size_t)options->nwanted, sizeof(*sorted), Columns_Compare)) { /* else it is another one */
      least   = distance;
      nearest = j;
    }
  }
  PetscCall(PetscFree(sorted));
  if (nearest < 0) PetscCall(NAPISourceSay(source, "has no column '%.200s', one of the variables that are wanted (they are told by their names, and may be in any order)", name));
  else PetscCall(NAPISourceSay(source, "has no column '%.200s', one of the variables that are wanted: is its column %" PetscInt64_FMT ", '%.200s', the same? Then give it that name", name, nearest + 1, source->names[nearest]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of those that are taken, the ones that are wanted, told by their names */
static PetscErrorCode Columns_Match(NAPISource *source)
{
  NAPIDataOptions *options = source->options;
  char *const    **sorted;
  PetscInt64      *place, taken = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(source->cols, &place));
  for (PetscInt64 j = 0; j < source->cols; j++) {
    taken += source->place[j] >= 0 && source->names[j][0];
    place[j] = -1;
  }
  PetscCall(Columns_Sort(source->cols, source->names, &sorted));
  for (PetscInt k = 0; k < options->nwanted && !source->message[0]; k++) {
    char *const  *key   = options->wanted + k;
    char *const **found = (char *const **)bsearch(&key, (void *)sorted, (size_t)source->cols, sizeof(*sorted), Columns_Compare);
    PetscInt64    first, last;

    if (!found) {
      PetscCall(Columns_Miss(source, *key));
      break;
    }
    for (first = found - sorted; first > 0 && !strcmp(*sorted[first - 1], *key); first--) { }
    for (last = found - sorted; last + 1 < source->cols && !strcmp(*sorted[last + 1], *key); last++) { }
    if (last > first) PetscCall(NAPISourceSay(source, "has %" PetscInt64_FMT " columns of the name '%.200s', one of which is wanted: give the others other names", last - first + 1, *key));
    else if (source->place[*found - source->names] < 0) PetscCall(NAPISourceSay(source, "its column '%.200s' is one of the variables that are wanted: do not leave it out", *key));
    else place[*found - source->names] = k;
  }
  PetscCall(PetscArraycpy(source->place, place, source->cols));
  source->width = options->nwanted;
  if (taken > source->width) PetscCall(PetscSNPrintf(options->note, NAPI_MESSAGE_LENGTH, "%" PetscInt64_FMT " of its columns, which are not asked for, %s left out", taken - source->width, taken - source->width == 1 ? "was" : "were"));
  PetscCall(PetscFree(sorted));
  PetscCall(PetscFree(place));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether columns are told by names, which there are */
static PetscBool Columns_IsMatched(const NAPISource *source)
{
  return (PetscBool)(source->names && source->options && source->options->wanted);
}

/*
   NAPISourceSelect - Finds out which columns of an open file are data.
*/
PetscErrorCode NAPISourceSelect(NAPISource *source)
{
  NAPIDataOptions *options = source->options;
  NAPIColumns     *columns = options ? options->columns : NULL, *drop = options ? options->drop : NULL;

  PetscFunctionBegin;
  source->width = source->cols;
  source->gaps  = (PetscBool)(options && options->missing != NAPI_MISSING_ERROR);
  if (!columns && !drop && !source->unnamed && !Columns_IsMatched(source)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(source->cols, &source->place));
  source->width = 0;
  if (columns) PetscCall(Columns_Take(source, columns));
  if (!source->width && !Columns_IsMatched(source)) PetscCall(Columns_TakeAll(source, drop));
  else {
    while (!columns && source->width < source->cols) { /* an index, or words, will not be among those that are wanted */
      source->place[source->width] = source->width;
      source->width++;
    }
    if (drop) Columns_Drop(source, drop);
  }
  if (Columns_IsMatched(source)) PetscCall(Columns_Match(source));
  if (!source->width) PetscCall(NAPISourceSay(source, "no column is left: %s", drop ? drop->option : "there is an index only"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPISourceDropOption - The option that leaves out a column: by its name, which no other file need have, or by its number in this view.
*/
const char *NAPISourceDropOption(const NAPISource *source, PetscInt64 j)
{
  static char option[128];
  const char *name = source->names ? source->names[j] : "";

  if (name[0] && strlen(name) < 80 && !strpbrk(name, " ,;\"'$\\")) (void)snprintf(option, sizeof(option), "-drop %s", name);
  else (void)snprintf(option, sizeof(option), "-drop_x %" PetscInt64_FMT " (-drop_y, if this is Y)", j + 1);
  return option;
}

/*
   NAPISourceMissingWays - What can be done about a number that is missing in a column, for a sentence.
*/
const char *NAPISourceMissingWays(const NAPISource *source, PetscInt64 j)
{
  static char ways[256];

  if (source->options->every) (void)snprintf(ways, sizeof(ways), "-missing mean fills in the mean of the column");
  else (void)snprintf(ways, sizeof(ways), "-missing drop leaves out such samples, -missing mean fills in the mean of the column, %s leaves out the column", NAPISourceDropOption(source, j));
  return ways;
}

/*
   NAPISourceCheckFinite - Says so if a number, which is in this row and column of the file, is infinite, or missing and must not be.
*/
PetscErrorCode NAPISourceCheckFinite(NAPISource *source, PetscInt64 i, PetscInt64 j, PetscScalar v)
{
  const PetscBool nan = (PetscBool)(PetscIsNanReal(PetscRealPart(v)) || PetscIsNanReal(PetscImaginaryPart(v)));

  PetscFunctionBegin;
  if (!PetscIsInfOrNanScalar(v) || (source->place && source->place[j] < 0)) PetscFunctionReturn(PETSC_SUCCESS);
  if (!nan || !source->options) PetscCall(NAPISourceSay(source, "entry (%" PetscInt64_FMT ",%" PetscInt64_FMT ") is not a finite number", i + 1, j + 1));
  else if (!source->gaps) PetscCall(NAPISourceSay(source, "entry (%" PetscInt64_FMT ",%" PetscInt64_FMT ") is not a finite number, but NaN: %s", i + 1, j + 1, NAPISourceMissingWays(source, j)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPISourceTakeNames - Takes the names of the columns that are data out of a source, in the order of the matrix; NULL if there are none.
*/
PetscErrorCode NAPISourceTakeNames(NAPISource *source, char ***names)
{
  char **all;

  PetscFunctionBegin;
  if (source->names && source->place) {
    PetscCall(PetscMalloc1(source->cols, &all));
    PetscCall(PetscArraycpy(all, source->names, source->cols));
    for (PetscInt64 j = 0; j < source->cols; j++)
      if (source->place[j] >= 0) source->names[source->place[j]] = all[j];
    source->names[source->width] = NULL;
    PetscCall(PetscFree(all));
  }
  *names        = source->names;
  source->names = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}
