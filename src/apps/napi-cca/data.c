/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The data of napi-cca: which columns are taken (-columns, -drop), what is done about gaps (-missing), and the weights of the samples.
*/
#include "napi-cca.h"
#include <string.h>

/* --- options ------------------------------------------------------------------------------------------------------- */

/* A list for both views, or for one alone; without the option there are no names in it */
static PetscErrorCode Data_GetColumns(const char option[], NAPIColumns *columns, char message[])
{
  char      text[4096];
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(NAPIGetName(option, text, sizeof(text), &set, message));
  if (set && !message[0]) PetscCall(NAPIColumnsCreate(option, text, columns, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NAPICCAGetReading(Reading *reading, char message[])
{
  static const char *const words[] = {"error", "drop", "mean"};
  char                     word[16];
  PetscBool                set;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(reading, sizeof(*reading)));
  PetscCall(NAPIGetName("-missing", word, sizeof(word), &set, message));
  for (int i = 0; i < 3 && set; i++)
    if (!strcmp(word, words[i])) {
      reading->missing = (NAPIMissing)i;
      set              = PETSC_FALSE;
    }
  if (set && !message[0]) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "-missing knows error, drop and mean, not '%s'", word));
  PetscCall(Data_GetColumns("-columns", &reading->columns[2], message));
  PetscCall(Data_GetColumns("-columns_x", &reading->columns[0], message));
  PetscCall(Data_GetColumns("-columns_y", &reading->columns[1], message));
  PetscCall(Data_GetColumns("-drop", &reading->drop[2], message));
  PetscCall(Data_GetColumns("-drop_x", &reading->drop[0], message));
  PetscCall(Data_GetColumns("-drop_y", &reading->drop[1], message));
  PetscCall(NAPIGetName("-weights", reading->weights, sizeof(Name), &reading->hasweights, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NAPICCADestroyReading(Reading *reading)
{
  PetscFunctionBegin;
  for (int i = 0; i < 3; i++) {
    PetscCall(NAPIColumnsDestroy(&reading->columns[i]));
    PetscCall(NAPIColumnsDestroy(&reading->drop[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- a file ------------------------------------------------------------------------------------------------------------- */

/* A name that is not there, but another that is near, is what was wrong with the file in the first place */
static PetscErrorCode Data_BlameColumns(const NAPIColumns *columns, char message[])
{
  char     wrong[NAPI_MESSAGE_LENGTH] = "";
  PetscInt blame;

  PetscFunctionBegin;
  PetscCall(NAPIColumnsCheck(PETSC_COMM_WORLD, columns, wrong));
  blame = wrong[0] && strstr(wrong, " meant?") ? 1 : 0;
  if (blame) PetscCall(PetscStrncpy(message, wrong, NAPI_MESSAGE_LENGTH));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPICCAReadView - Reads the data of view 0 or 1, with the columns that the options want; gaps are NaN, unless they are an error.
*/
PetscErrorCode NAPICCAReadView(Reading *reading, const char name[], int view, Mat *A, char ***names, char note[], char message[])
{
  NAPIColumns    *lists[] = {&reading->columns[reading->columns[view].n ? view : 2], &reading->drop[reading->drop[view].n ? view : 2]};
  NAPIDataOptions options;

  PetscFunctionBegin;
  options.missing = reading->missing;
  options.columns = lists[0]->n ? lists[0] : NULL;
  options.drop    = lists[1]->n ? lists[1] : NULL;
  PetscCall(NAPIReadDataWith(PETSC_COMM_WORLD, name, &options, A, names, message));
  if (note) PetscCall(PetscStrncpy(note, options.note, NAPI_MESSAGE_LENGTH));
  for (int i = 0; i < 2; i++) {
    if (message[0]) PetscCall(Data_BlameColumns(lists[i], message));
    else if (lists[i]->n && lists[i] != &reading->columns[2] && lists[i] != &reading->drop[2]) PetscCall(NAPIColumnsCheck(PETSC_COMM_WORLD, lists[i], message));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Data_CheckRows(const Name name[2], Mat view[2], char message[])
{
  PetscInt n, m;

  PetscFunctionBegin;
  PetscCall(MatGetSize(view[0], &n, NULL));
  PetscCall(MatGetSize(view[1], &m, NULL));
  if (n != m) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s has %" PetscInt_FMT " rows and %s has %" PetscInt_FMT ": row i of both must be the same sample", name[0], n, name[1], m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- gaps ------------------------------------------------------------------------------------------------------------- */

/* The means of what is there, or those of the data that test data are to be compared with */
static PetscErrorCode Data_FillGaps(const Name name, Mat A, char **names, PetscScalar **mean, char message[])
{
  const PetscBool known = (PetscBool)(*mean != NULL);
  PetscMPIInt     rank;
  PetscInt        d, empty;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(MatGetSize(A, NULL, &d));
  if (!known) PetscCall(PetscMalloc1(d, mean));
  PetscCall(NAPIFillGaps(A, known, *mean, &empty));
  if (empty < 0) PetscFunctionReturn(PETSC_SUCCESS);
  if (!rank) {
    PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s: no number of column %" PetscInt_FMT " of the data%s%.100s%s is there, so that it has no mean: -drop it", name, empty + 1, names ? " (" : "", names ? names[empty] : "", names ? ")" : ""));
    NAPIEscape(message, NAPI_MESSAGE_LENGTH);
  }
  PetscCallMPI(MPI_Bcast(message, NAPI_MESSAGE_LENGTH, MPI_CHAR, 0, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The views from one to another lose the samples that have gaps in one of them, or all are filled */
static PetscErrorCode Data_CloseGaps(const Reading *reading, int from, int to, const Name *name, Mat view[2], char **names[2], PetscScalar *mean[2], NAPIRows *rows, PetscInt gaps[2], char message[])
{
  PetscFunctionBegin;
  if (reading->missing == NAPI_MISSING_ERROR) PetscFunctionReturn(PETSC_SUCCESS);
  for (int i = from; i <= to; i++) PetscCall(NAPIFindGaps(view[i], rows, &gaps[i]));
  if (reading->missing == NAPI_MISSING_MEAN) {
    rows->dropped = 0;
    PetscCall(PetscFree(rows->kept));
    for (int i = from; i <= to && !message[0]; i++) PetscCall(Data_FillGaps(name[i], view[i], names ? names[i] : NULL, &mean[i], message));
  } else if (rows->dropped == rows->n)
    PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "-missing drop leaves no sample: every row of %s%s%s has a gap (-drop the columns that have most of them, or use -missing mean)", name[from], from < to ? " and " : "", from < to ? name[to] : ""));
  else
    for (int i = from; i <= to; i++) PetscCall(NAPIDropRows(rows, &view[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- all of it ------------------------------------------------------------------------------------------------------------ */

/* The last of the files that are tables of numbers: discriminants have classes in the other one, principal components have none */
static int Data_LastView(const Options *o)
{
  return o->analysis == CCA_ANALYSIS_LDA || o->analysis == CCA_ANALYSIS_PCA ? 0 : 1;
}

static PetscErrorCode Data_CheckColumns(const Options *o, const Data *d, char message[])
{
  PetscInt n, m;

  PetscFunctionBegin;
  for (int i = 0; i <= Data_LastView(o) && !message[0]; i++) {
    PetscCall(MatGetSize(d->view[i], NULL, &n));
    PetscCall(MatGetSize(d->test[i], NULL, &m));
    if (n != m) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s has %" PetscInt_FMT " columns and %s has %" PetscInt_FMT ": test data must have the same variables", o->test[i], m, o->data[i], n));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The classes of the test data, by the numbers of those that are known */
static PetscErrorCode Data_ReadTestLabels(const Options *o, const NAPIRows *rows, Data *d, char message[])
{
  PetscInt n;
  char   **names = NULL;
  IS       found = NULL;

  PetscFunctionBegin;
  PetscCall(NAPIReadLabels(PETSC_COMM_WORLD, o->test[1], rows, &found, &n, &names, message));
  if (!message[0]) PetscCall(NAPICCAMatchClasses(o->test[1], o->data[1], found, n, names, d->nclasses, d->classes, &d->testlabels, message));
  PetscCall(ISDestroy(&found));
  PetscCall(NAPIFreeNames(&names));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Data_ReadTest(const Options *o, Data *d, char message[])
{
  const int last = Data_LastView(o);
  PetscInt  gaps[2];
  NAPIRows  rows;

  PetscFunctionBegin;
  for (int i = 0; i <= last && !message[0]; i++) PetscCall(NAPICCAReadView(&d->reading, o->test[i], i, &d->test[i], NULL, NULL, message));
  if (!message[0] && last) PetscCall(Data_CheckRows(o->test, d->test, message));
  if (!message[0]) PetscCall(Data_CheckColumns(o, d, message));
  if (message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(NAPIRowsCreate(d->test[0], o->test[0], &rows));
  PetscCall(Data_CloseGaps(&d->reading, 0, last, o->test, d->test, NULL, d->mean, &rows, gaps, message));
  if (!message[0] && o->analysis == CCA_ANALYSIS_LDA) PetscCall(Data_ReadTestLabels(o, &rows, d, message));
  d->testdropped = rows.dropped;
  PetscCall(NAPIRowsDestroy(&rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Gaps, where the rows of both files are the same samples, or with ratios of variances others */
static PetscErrorCode Data_CloseAllGaps(const Options *o, Data *d, char message[])
{
  const PetscBool apart = (PetscBool)(o->analysis == CCA_ANALYSIS_GEV);
  NAPIRows        rows;

  PetscFunctionBegin;
  PetscCall(NAPIRowsCreate(d->view[0], o->data[0], &d->rows));
  PetscCall(Data_CloseGaps(&d->reading, 0, apart ? 0 : Data_LastView(o), o->data, d->view, d->names, d->mean, &d->rows, d->gaps, message));
  if (!apart || message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(NAPIRowsCreate(d->view[1], o->data[1], &rows));
  PetscCall(Data_CloseGaps(&d->reading, 1, 1, o->data, d->view, d->names, d->mean, &rows, d->gaps, message));
  PetscCall(NAPIRowsDestroy(&rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NAPICCAReadAll(const Options *o, Data *d, char message[])
{
  const int      last = Data_LastView(o);
  PetscLogDouble start;

  PetscFunctionBegin;
  PetscCall(PetscTime(&start));
  d->reading = o->reading;
  for (int i = 0; i <= last && !message[0]; i++) PetscCall(NAPICCAReadView(&d->reading, o->data[i], i, &d->view[i], &d->names[i], d->note[i], message));
  if (!message[0]) PetscCall(NAPIColumnsCheck(PETSC_COMM_WORLD, &d->reading.columns[2], message));
  if (!message[0]) PetscCall(NAPIColumnsCheck(PETSC_COMM_WORLD, &d->reading.drop[2], message));
  if (!message[0] && last && o->analysis != CCA_ANALYSIS_GEV) PetscCall(Data_CheckRows(o->data, d->view, message));
  if (!message[0]) PetscCall(Data_CloseAllGaps(o, d, message));
  if (!message[0] && o->analysis == CCA_ANALYSIS_LDA) PetscCall(NAPIReadLabels(PETSC_COMM_WORLD, o->data[1], &d->rows, &d->labels, &d->nclasses, &d->classes, message));
  if (!message[0] && d->reading.hasweights) PetscCall(NAPIReadWeights(PETSC_COMM_WORLD, d->reading.weights, &d->rows, &d->weights, message));
  if (!message[0] && o->hastest) PetscCall(Data_ReadTest(o, d, message));
  PetscCall(NAPIElapsed(start, &d->seconds));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NAPICCADestroyData(Data *d)
{
  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) {
    PetscCall(MatDestroy(&d->view[i]));
    PetscCall(MatDestroy(&d->test[i]));
    PetscCall(NAPIFreeNames(&d->names[i]));
    PetscCall(PetscFree(d->mean[i]));
  }
  PetscCall(ISDestroy(&d->labels));
  PetscCall(ISDestroy(&d->testlabels));
  PetscCall(NAPIFreeNames(&d->classes));
  PetscCall(VecDestroy(&d->weights));
  PetscCall(NAPIRowsDestroy(&d->rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPICCAPrintReading - What was done to the data that the files do not say.
*/
PetscErrorCode NAPICCAPrintReading(const Data *d)
{
  static const char *const letter = "XY";

  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) {
    if (d->note[i][0]) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%c: %s\n", letter[i], d->note[i]));
    if (d->gaps[i] && d->reading.missing == NAPI_MISSING_MEAN)
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%c: %" PetscInt_FMT " number%s missing, and the mean of the column takes the place (-missing mean)\n", letter[i], d->gaps[i], d->gaps[i] == 1 ? " is" : "s are"));
  }
  if (d->rows.dropped) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%" PetscInt_FMT " of %" PetscInt_FMT " samples have gaps and were left out (-missing drop)\n", d->rows.dropped, d->rows.n));
  if (d->testdropped) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "test data: %" PetscInt_FMT " samples have gaps and were left out (-missing drop)\n", d->testdropped));
  if (d->weights) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "samples are weighted by %s\n", d->reading.weights));
  PetscFunctionReturn(PETSC_SUCCESS);
}
