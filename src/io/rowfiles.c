/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Files with something about each row of a data file: weights; labels, such as classes, groups and folds, which are numbers or words.
   They are one column of text, with or without a first line that names it and an index as pandas writes it, or an array of one column in
   any of the formats of data. Rank 0 reads the column as a whole and gives each rank its part.
*/
#include "fields.h"
#include <slepcnapi/private/napicompat.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What rank 0 has read: numbers, and words where not all of them are numbers */
typedef struct {
  PetscInt    n, room;
  double     *value;
  char      **word; /* each on the heap; NULL: the column is numbers of a binary format */
  PetscInt64 *line; /* where it stands */
  char       *kept; /* the rows that are samples, or NULL: all */
} Column;

/*
   NAPIRowsCreate - The rows of a data file as it was read, all of which are samples.
*/
PetscErrorCode NAPIRowsCreate(Mat A, const char name[], NAPIRows *rows)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(rows, sizeof(*rows)));
  rows->name = name;
  PetscCall(MatGetSize(A, &rows->n, NULL));
  PetscCall(MatGetLocalSize(A, &rows->local, NULL));
  PetscCall(MatGetOwnershipRange(A, &rows->first, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NAPIRowsDestroy(NAPIRows *rows)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(rows->kept));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- reading --------------------------------------------------------------------------------------------------------- */

static PetscErrorCode Column_Destroy(Column *c)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->n && c->word; i++) PetscCall(PetscFree(c->word[i]));
  PetscCall(PetscFree(c->word));
  PetscCall(PetscFree(c->line));
  PetscCall(PetscFree(c->value));
  PetscCall(PetscFree(c->kept));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Column_Add(Column *c, const char text[], size_t length, PetscInt64 line)
{
  PetscFunctionBegin;
  if (c->n == c->room) {
    c->room = PetscMax(64, 2 * c->room);
    PetscCall(PetscRealloc((size_t)c->room * sizeof(*c->word), &c->word));
    PetscCall(PetscRealloc((size_t)c->room * sizeof(*c->line), &c->line));
  }
  PetscCall(PetscMalloc1(length + 1, &c->word[c->n]));
  (void)NAPIFieldCopy(text, length, c->word[c->n]);
  c->line[c->n++] = line;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is the column a first line without a name, and 0, 1, 2, ... or 1, 2, 3, ...? */
static PetscBool Column_IsIndex(const Column *c)
{
  char *end;

  if (c->n < 2 || (c->word[0][0] && strncmp(c->word[0], "Unnamed", 7))) return PETSC_FALSE;
  for (PetscInt i = 1; i < c->n; i++)
    if (strtoll(c->word[i], &end, 10) != (c->word[1][0] == '1') + (long long)i - 1 || end == c->word[i] || *end) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* One column of text, or two of which the first is an index */
static PetscErrorCode Column_ReadText(NAPISource *source, Column *c)
{
  Column     index     = {0, 0, NULL, NULL, NULL, NULL};
  char       separator = '\n', *p, *text;
  size_t     length;
  PetscBool  found;
  PetscInt64 fields = 0, numbers;

  PetscFunctionBegin;
  while (!source->message[0]) {
    PetscCall(NAPITextFilledLine(source, &found));
    if (!found) break;
    if (!c->n) {
      separator = NAPIFieldSeparator(NULL, source->line);
      if (separator == ' ') separator = '\n'; /* the blanks in a label separate nothing */
      NAPIFieldCount(separator, source->line, &fields, &numbers);
      if (fields > 2) PetscCall(NAPISourceSay(source, "has %" PetscInt64_FMT " columns, and one is needed: a number or a word for each sample", fields));
    }
    if (source->message[0]) break;
    p = source->line;
    if (fields == 2) {
      (void)NAPIFieldNext(separator, &p, &text, &length);
      PetscCall(Column_Add(&index, text, length, source->number));
    }
    if (!NAPIFieldNext(separator, &p, &text, &length) || p) PetscCall(NAPISourceSay(source, "line %" PetscInt64_FMT " has not %" PetscInt64_FMT " column%s, as those before it", source->number, fields, fields == 1 ? "" : "s"));
    else PetscCall(Column_Add(c, text, length, source->number));
  }
  if (index.n && !source->message[0] && !Column_IsIndex(&index)) PetscCall(NAPISourceSay(source, "has 2 columns, and one is needed: a number or a word for each sample (an index without a name would be left out)"));
  PetscCall(Column_Destroy(&index));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A file of another format, of which the numbers are read */
static PetscErrorCode Column_ReadNumbers(NAPISource *source, Column *c)
{
  PetscScalar *array, v = 0.0;
  PetscInt64   i = 0, j = 0;
  PetscBool    more = PETSC_TRUE;

  PetscFunctionBegin;
  if (source->cols != 1) {
    PetscCall(NAPISourceSay(source, "has %" PetscInt64_FMT " columns, and one is needed: a number for each sample", source->cols));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  c->n = (PetscInt)source->rows;
  PetscCall(PetscCalloc1(source->rows, &array));
  PetscCall(PetscMalloc1(source->rows, &c->value));
  if (source->block) PetscCall((*source->block)(source, 0, source->rows, source->rows, array));
  while (!source->block && more && !source->message[0]) {
    PetscCall((*source->next)(source, &i, &j, &v, &more));
    if (more && !source->message[0] && i >= 0 && i < source->rows) array[i] += v;
  }
  for (PetscInt k = 0; k < c->n; k++) c->value[k] = (double)PetscRealPart(array[k]);
  PetscCall(PetscFree(array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The column on rank 0, as long as there are rows: one line more is a name */
static PetscErrorCode Column_Read(NAPISource *source, PetscBool istext, const NAPIRows *rows, Column *c)
{
  PetscFunctionBegin;
  if (istext) PetscCall(Column_ReadText(source, c));
  else PetscCall(Column_ReadNumbers(source, c));
  if (source->message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  if (istext && c->n == rows->n + 1) {
    PetscCall(PetscFree(c->word[0]));
    c->n--;
    memmove(c->word, c->word + 1, (size_t)c->n * sizeof(*c->word));
    memmove(c->line, c->line + 1, (size_t)c->n * sizeof(*c->line));
  }
  if (c->n != rows->n) PetscCall(NAPISourceSay(source, "has %" PetscInt_FMT " %s and %s has %" PetscInt_FMT " rows: line i has to be about row i", c->n, istext ? "lines" : "numbers", rows->name, rows->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Are all words numbers? Then they become that; a sample of which nothing is said is an error in any case */
static PetscErrorCode Column_Convert(NAPISource *source, Column *c, PetscBool need, PetscBool *numeric)
{
  char decimal;

  PetscFunctionBegin;
  *numeric = PETSC_TRUE;
  if (!c->word) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(c->n, &c->value));
  for (PetscInt i = 0; i < c->n && !source->message[0]; i++) {
    const size_t length = strlen(c->word[i]);

    if (c->kept && !c->kept[i]) c->value[i] = 0.0;
    else if (NAPIFieldIsMissing(c->word[i], length)) PetscCall(NAPISourceSay(source, "line %" PetscInt64_FMT " is empty or marked as missing: every row needs %s", c->line[i], need ? "a weight (0 leaves it out)" : "a label"));
    else if (!NAPIFieldIsNumber('\t', c->word[i], length, &c->value[i], &decimal)) {
      if (need) PetscCall(NAPISourceSay(source, "line %" PetscInt64_FMT ": '%.40s' is not a number", c->line[i], c->word[i]));
      *numeric = PETSC_FALSE;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- distribution ------------------------------------------------------------------------------------------------------ */

/* How many rows each rank has had, on rank 0 */
static PetscErrorCode Rows_GetCounts(MPI_Comm comm, const NAPIRows *rows, PetscMPIInt **counts, PetscMPIInt **starts)
{
  PetscMPIInt size, local = (PetscMPIInt)rows->local;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PetscMalloc2(size, counts, size, starts));
  PetscCallMPI(MPI_Gather(&local, 1, MPI_INT, *counts, 1, MPI_INT, 0, comm));
  (*starts)[0] = 0;
  for (PetscMPIInt p = 1; p < size; p++) (*starts)[p] = (*starts)[p - 1] + (*counts)[p - 1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Rows_Scatter(MPI_Comm comm, const NAPIRows *rows, MPI_Datatype type, const void *all, void *mine)
{
  PetscMPIInt *counts, *starts;

  PetscFunctionBegin;
  PetscCall(Rows_GetCounts(comm, rows, &counts, &starts));
  PetscCallMPI(MPI_Scatterv(all, counts, starts, type, mine, (PetscMPIInt)rows->local, type, 0, comm));
  PetscCall(PetscFree2(counts, starts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What rows are samples, on rank 0 */
static PetscErrorCode Rows_GatherKept(MPI_Comm comm, const NAPIRows *rows, char **kept)
{
  PetscMPIInt rank, *counts, *starts;

  PetscFunctionBegin;
  *kept = NULL;
  if (!rows->dropped) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(Rows_GetCounts(comm, rows, &counts, &starts));
  if (!rank) PetscCall(PetscMalloc1(rows->n, kept));
  PetscCallMPI(MPI_Gatherv(rows->kept, (PetscMPIInt)rows->local, MPI_CHAR, *kept, counts, starts, MPI_CHAR, 0, comm));
  PetscCall(PetscFree2(counts, starts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt Rows_Count(const NAPIRows *rows)
{
  PetscInt n = 0;

  for (PetscInt i = 0; i < rows->local; i++)
    if (!rows->dropped || rows->kept[i]) n++;
  return n;
}

/* Opens the file on rank 0 and reads its column; what is wrong is known to all */
static PetscErrorCode Column_Get(MPI_Comm comm, const char name[], const NAPIRows *rows, PetscBool need, Column *c, PetscBool *numeric, char message[])
{
  NAPISource  source;
  PetscMPIInt rank;
  PetscBool   istext;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(c, sizeof(*c)));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(Rows_GatherKept(comm, rows, &c->kept));
  if (!rank) {
    PetscCall(NAPISourceOpen(name, NULL, message, &source, &istext));
    if (!message[0]) PetscCall(Column_Read(&source, istext, rows, c));
    if (!message[0]) PetscCall(Column_Convert(&source, c, need, numeric));
    for (PetscInt i = 0; i < c->n && need && !message[0]; i++)
      if (!isfinite(c->value[i]) || c->value[i] < 0.0) PetscCall(NAPISourceSay(&source, "line %" PetscInt64_FMT ": %g is no weight: weights are finite and not negative", c->line ? c->line[i] : i + 1, c->value[i]));
    PetscCall(NAPISourceClose(&source));
  }
  PetscCallMPI(MPI_Bcast(message, NAPI_MESSAGE_LENGTH, MPI_CHAR, 0, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIReadWeights - Reads a weight for each sample.

   Input Parameters:
+  comm - that of the data
.  name - of the file
-  rows - the rows of the data

   Output Parameters:
+  weights - distributed like the samples; NULL if the file is wrong
-  message - what is wrong, or an empty string
*/
PetscErrorCode NAPIReadWeights(MPI_Comm comm, const char name[], const NAPIRows *rows, Vec *weights, char message[])
{
  PetscScalar *array;
  PetscInt     n = 0;
  double      *mine;
  PetscBool    numeric;
  Column       c;

  PetscFunctionBegin;
  *weights = NULL;
  PetscCall(Column_Get(comm, name, rows, PETSC_TRUE, &c, &numeric, message));
  if (!message[0]) {
    PetscCall(PetscMalloc1(rows->local, &mine));
    PetscCall(Rows_Scatter(comm, rows, MPI_DOUBLE, c.value, mine));
    PetscCall(VecCreate(comm, weights));
    PetscCall(VecSetSizes(*weights, Rows_Count(rows), PETSC_DETERMINE));
    PetscCall(VecSetType(*weights, VECSTANDARD));
    PetscCall(VecGetArray(*weights, &array));
    for (PetscInt i = 0; i < rows->local; i++)
      if (!rows->dropped || rows->kept[i]) array[n++] = (PetscScalar)mine[i];
    PetscCall(VecRestoreArray(*weights, &array));
    PetscCall(PetscFree(mine));
  }
  PetscCall(Column_Destroy(&c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- labels -------------------------------------------------------------------------------------------------------------- */

typedef struct {
  const char *word;
  double      value;
  PetscInt    row;
} Label;

static int Label_CompareWords(const void *a, const void *b)
{
  return strcmp(((const Label *)a)->word, ((const Label *)b)->word);
}

static int Label_CompareValues(const void *a, const void *b)
{
  const double x = ((const Label *)a)->value, y = ((const Label *)b)->value;

  return x < y ? -1 : x > y;
}

/* Gives every row the number of its label in the sorted list of those there are, and makes the list */
static PetscErrorCode Label_Number(const Column *c, PetscBool numeric, PetscInt number[], PetscInt *count, char **list, size_t *length)
{
  int (*compare)(const void *, const void *) = numeric ? Label_CompareValues : Label_CompareWords;
  Label   *label;
  PetscInt n    = 0;
  size_t   room = 1;
  char     text[32];

  PetscFunctionBegin;
  *count  = 0;
  *length = 0;
  PetscCall(PetscMalloc1(c->n, &label));
  for (PetscInt i = 0; i < c->n; i++) {
    number[i] = -1;
    if (c->kept && !c->kept[i]) continue;
    label[n].word  = c->word ? c->word[i] : "";
    label[n].value = c->value[i];
    label[n].row   = i;
    room += sizeof(text) + strlen(label[n].word);
    n++;
  }
  qsort(label, (size_t)n, sizeof(*label), compare);
  PetscCall(PetscMalloc1(room, list));
  for (PetscInt i = 0; i < n; i++) {
    if (!i || (*compare)(&label[i - 1], &label[i])) {
      ++*count;
      if (!c->word) (void)snprintf(text, sizeof(text), "%.15g", label[i].value);
      PetscCall(PetscStrncpy(*list + *length, c->word ? label[i].word : text, room - *length));
      *length += strlen(*list + *length) + 1;
    }
    number[label[i].row] = *count - 1;
  }
  PetscCall(PetscFree(label));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The names, which are one behind the other on rank 0, on all ranks */
static PetscErrorCode Label_ShareNames(MPI_Comm comm, PetscInt count, const char list[], PetscInt length, char ***names)
{
  const size_t pointers = ((size_t)count + 1) * sizeof(**names);
  PetscMPIInt  rank;
  char        *text;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscMalloc(pointers + (size_t)length, names));
  text = (char *)*names + pointers;
  if (!rank) PetscCall(PetscArraycpy(text, list, length));
  PetscCallMPI(MPI_Bcast(text, (PetscMPIInt)length, MPI_CHAR, 0, comm));
  for (PetscInt k = 0; k < count; k++) {
    (*names)[k] = text;
    text += strlen(text) + 1;
  }
  (*names)[count] = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIReadLabels - Reads a label for each sample, a number or a word, such as the class it belongs to.

   Input Parameters:
+  comm - that of the data
.  name - of the file
-  rows - the rows of the data

   Output Parameters:
+  labels  - for each sample a number from 0 on, distributed like the samples; NULL if the file is wrong
.  count   - of the labels that samples have
.  names   - of these labels on all ranks, sorted: numbers, if all are, by their value, else words by their bytes, as numpy.unique() does; to be freed by
             NAPIFreeNames(); or NULL
-  message - what is wrong, or an empty string
*/
PetscErrorCode NAPIReadLabels(MPI_Comm comm, const char name[], const NAPIRows *rows, IS *labels, PetscInt *count, char ***names, char message[])
{
  PetscInt   *all = NULL, *mine, size[2] = {0, 0}, n = 0;
  PetscMPIInt rank;
  PetscBool   numeric;
  size_t      length = 0;
  char       *list   = NULL;
  Column      c;

  PetscFunctionBegin;
  *labels = NULL;
  *count  = 0;
  if (names) *names = NULL;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(Column_Get(comm, name, rows, PETSC_FALSE, &c, &numeric, message));
  if (!message[0]) {
    if (!rank) {
      PetscCall(PetscMalloc1(c.n, &all));
      PetscCall(Label_Number(&c, numeric, all, &size[0], &list, &length));
      size[1] = (PetscInt)length;
    }
    PetscCallMPI(MPI_Bcast(size, 2, MPIU_INT, 0, comm));
    *count = size[0];
    PetscCall(PetscMalloc1(rows->local, &mine));
    PetscCall(Rows_Scatter(comm, rows, MPIU_INT, all, mine));
    for (PetscInt i = 0; i < rows->local; i++)
      if (!rows->dropped || rows->kept[i]) mine[n++] = mine[i];
    PetscCall(ISCreateGeneral(comm, n, mine, PETSC_OWN_POINTER, labels));
    if (names) PetscCall(Label_ShareNames(comm, size[0], list, size[1], names));
    PetscCall(PetscFree(all));
    PetscCall(PetscFree(list));
  }
  PetscCall(Column_Destroy(&c));
  PetscFunctionReturn(PETSC_SUCCESS);
}
