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
  static const char *const words[] = {"error", "drop", "mean"}, *const weights[] = {"-weights_x", "-weights_y", "-weights"};
  char      word[16];
  PetscBool set;

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
  for (int i = 0; i < 3; i++) PetscCall(NAPIGetName(weights[i], reading->weights[i], sizeof(Name), &reading->hasweights[i], message));
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
   NAPICCAReadView - Reads the data of view 0 or 1, with the columns that the options want; gaps are NaN, unless they are an error. With variables
   that it is to have (or NULL) a file whose columns have names has these in any order, and others that are left out; else they are in this order.
*/
PetscErrorCode NAPICCAReadView(Reading *reading, const char name[], int view, const Variables *variables, Mat *A, char ***names, char note[], char message[])
{
  NAPIColumns    *lists[] = {&reading->columns[reading->columns[view].n ? view : 2], &reading->drop[reading->drop[view].n ? view : 2]};
  PetscBool       told    = PETSC_FALSE;
  NAPIDataOptions options;

  PetscFunctionBegin;
  if (variables && variables->names) PetscCall(NAPIAreNames(variables->n, variables->names, &told));
  options.wanted  = told ? variables->names : NULL;
  options.nwanted = told ? variables->n : 0;
  options.every   = reading->every;
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

/*
   NAPICCACheckVariables - Says so if data have not as many variables as others, or the names of both say that they are others. What was told by names is
   right; here it is what comes in the order of the columns.
*/
PetscErrorCode NAPICCACheckVariables(const char name[], const char other[], const Variables *variables, Mat A, char **names, char message[])
{
  PetscMPIInt rank;
  PetscInt    n;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(MatGetSize(A, NULL, &n));
  if (n != variables->n) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s has %" PetscInt_FMT " column%s, %s %" PetscInt_FMT ": they must be the same variables", name, n, n == 1 ? "" : "s", other, variables->n));
  for (PetscInt j = 0; j < n && !rank && names && variables->names && !message[0]; j++)
    if (strcmp(names[j], variables->names[j])) {
      PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s: column %" PetscInt_FMT " is called '%.100s', in %s '%.100s': they must be the same variables in the same order", name, j + 1, names[j], other, variables->names[j]));
      NAPIEscape(message, NAPI_MESSAGE_LENGTH);
    }
  PetscCallMPI(MPI_Bcast(message, NAPI_MESSAGE_LENGTH, MPI_CHAR, 0, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The variables of view i, for data that are to have the same */
static PetscErrorCode Data_GetVariables(const Data *d, int i, Variables *variables)
{
  PetscFunctionBegin;
  variables->names = d->names[i];
  PetscCall(MatGetSize(d->view[i], NULL, &variables->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reads data that are to have the variables of view i; whether they do is seen by Data_CheckAlike() */
static PetscErrorCode Data_ReadAlike(Data *d, int i, const Name file, int view, Mat *A, char ***names, char note[], char message[])
{
  Variables variables;

  PetscFunctionBegin;
  PetscCall(Data_GetVariables(d, i, &variables));
  PetscCall(NAPICCAReadView(&d->reading, file, view, &variables, A, names, note, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Data_CheckAlike(const Options *o, const Data *d, int i, const Name file, Mat A, char **names, char message[])
{
  Variables variables;

  PetscFunctionBegin;
  PetscCall(Data_GetVariables(d, i, &variables));
  PetscCall(NAPICCACheckVariables(file, o->data[i], &variables, A, names, message));
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
  const int last     = Data_LastView(o);
  char    **names[2] = {NULL, NULL};
  PetscInt  gaps[2];
  NAPIRows  rows;

  PetscFunctionBegin;
  for (int i = 0; i <= last && !message[0]; i++) PetscCall(Data_ReadAlike(d, i, o->test[i], i, &d->test[i], &names[i], d->testnote[i], message));
  if (!message[0] && last) PetscCall(Data_CheckRows(o->test, d->test, message));
  for (int i = 0; i <= last; i++) {
    if (!message[0]) PetscCall(Data_CheckAlike(o, d, i, o->test[i], d->test[i], names[i], message));
    PetscCall(NAPIFreeNames(&names[i]));
  }
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

  PetscFunctionBegin;
  PetscCall(NAPIRowsCreate(d->view[0], o->data[0], &d->rows));
  PetscCall(Data_CloseGaps(&d->reading, 0, apart ? 0 : Data_LastView(o), o->data, d->view, d->names, d->mean, &d->rows, d->gaps, message));
  if (!apart || message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(NAPIRowsCreate(d->view[1], o->data[1], &d->yrows));
  PetscCall(Data_CloseGaps(&d->reading, 1, 1, o->data, d->view, d->names, d->mean, &d->yrows, d->gaps, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NAPICCAReadAll(const Options *o, Data *d, char message[])
{
  const int       last  = Data_LastView(o);
  const PetscBool alike = (PetscBool)(o->analysis == CCA_ANALYSIS_GEV); /* Y has the variables of X */
  PetscLogDouble  start;

  PetscFunctionBegin;
  PetscCall(PetscTime(&start));
  d->reading = o->reading;
  for (int i = 0; i <= last && !message[0]; i++) {
    if (i && alike) PetscCall(Data_ReadAlike(d, 0, o->data[i], i, &d->view[i], &d->names[i], d->note[i], message));
    else PetscCall(NAPICCAReadView(&d->reading, o->data[i], i, NULL, &d->view[i], &d->names[i], d->note[i], message));
  }
  if (!message[0]) PetscCall(NAPIColumnsCheck(PETSC_COMM_WORLD, &d->reading.columns[2], message));
  if (!message[0]) PetscCall(NAPIColumnsCheck(PETSC_COMM_WORLD, &d->reading.drop[2], message));
  if (!message[0] && last && !alike) PetscCall(Data_CheckRows(o->data, d->view, message));
  if (!message[0] && alike) PetscCall(Data_CheckAlike(o, d, 0, o->data[1], d->view[1], d->names[1], message));
  if (!message[0]) PetscCall(Data_CloseAllGaps(o, d, message));
  if (!message[0] && o->analysis == CCA_ANALYSIS_LDA) PetscCall(NAPIReadLabels(PETSC_COMM_WORLD, o->data[1], &d->rows, &d->labels, &d->nclasses, &d->classes, message));
  for (int i = 0; i < 3; i++)
    if (!message[0] && d->reading.hasweights[i]) PetscCall(NAPIReadWeights(PETSC_COMM_WORLD, d->reading.weights[i], i == 1 ? &d->yrows : &d->rows, &d->weights[i], message));
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
  for (int i = 0; i < 3; i++) PetscCall(VecDestroy(&d->weights[i]));
  PetscCall(NAPIRowsDestroy(&d->rows));
  PetscCall(NAPIRowsDestroy(&d->yrows));
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
  for (int i = 0; i < 2; i++) {
    const NAPIRows *rows = i ? &d->yrows : &d->rows;

    if (rows->dropped) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%" PetscInt_FMT " of %" PetscInt_FMT " samples%s have gaps and were left out (-missing drop)\n", rows->dropped, rows->n, !d->yrows.n ? "" : i ? " of Y" : " of X"));
    if (d->testnote[i][0]) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "test data of %c: %s\n", letter[i], d->testnote[i]));
  }
  if (d->testdropped) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "test data: %" PetscInt_FMT " samples have gaps and were left out (-missing drop)\n", d->testdropped));
  for (int i = 0; i < 3; i++)
    if (d->weights[i]) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "samples%s are weighted by %s\n", i == 0 ? " of X" : i == 1 ? " of Y" : "", d->reading.weights[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
