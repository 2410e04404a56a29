/* SPDX-License-Identifier: BSD-2-Clause */
/*
   napi-cca -apply prefix X2 [Y2]: the scores of other samples, from the model that -out prefix has written.
*/
#include "napi-cca.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
  char       *text;         /* of prefix_model.json */
  char        extension[8]; /* of the other files */
  Name        prefix, out, data[2];
  CCAAnalysis analysis;
  Reading     reading;
} Applied;

/* The files are those that stand in front, or behind the prefix */
static PetscErrorCode Apply_GetDataNames(Applied *a, char message[])
{
  char **args;
  int    argc, n = 0, first = 1;

  PetscFunctionBegin;
  PetscCall(PetscGetArgs(&argc, &args));
  for (int i = 1; i + 1 < argc; i++)
    if (!strcmp(args[i], "-apply") && (argc == 2 || args[1][0] == '-')) first = i + 2;
  for (int i = first; i < argc && args[i][0] != '-'; i++, n++) {
    if (n < 2 && strlen(args[i]) < sizeof(Name)) PetscCall(PetscStrncpy(a->data[n], args[i], sizeof(Name)));
    else if (!message[0]) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, n < 2 ? "the name %.40s... is too long" : "-apply knows two data sets: what is '%.200s'?", args[i]));
  }
  if (!n && !message[0]) PetscCall(PetscStrncpy(message, "-apply needs samples to score: napi-cca -apply prefix X2 [Y2] -out other", NAPI_MESSAGE_LENGTH));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Apply_GetOptions(Applied *a, char message[])
{
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(a, sizeof(*a)));
  PetscCall(NAPIGetName("-apply", a->prefix, sizeof(Name), &set, message));
  PetscCall(NAPICCACheckPrefix("-apply", a->prefix, message));
  PetscCall(NAPIGetName("-out", a->out, sizeof(Name), &set, message));
  PetscCall(NAPICCACheckPrefix("-out", a->out, message));
  PetscCall(NAPICCAGetReading(&a->reading, message)); /* columns without names have to be chosen as they were for the model */
  a->reading.every = PETSC_TRUE;
  if (!message[0] && a->reading.missing == NAPI_MISSING_DROP) PetscCall(PetscStrncpy(message, "-apply gives each sample its scores: -missing mean fills gaps with the means of the model, -missing drop would leave samples out", NAPI_MESSAGE_LENGTH));
  for (int i = 0; i < 3; i++)
    if (!message[0] && a->reading.hasweights[i]) PetscCall(PetscStrncpy(message, "-apply gives each sample its scores, whatever its weight: leave out -weights", NAPI_MESSAGE_LENGTH));
  if (!message[0]) PetscCall(Apply_GetDataNames(a, message));
  if (!set && !message[0]) PetscCall(PetscStrncpy(message, "-apply makes scores, and -out says where to: napi-cca -apply prefix X2 [Y2] -out other", NAPI_MESSAGE_LENGTH));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Apply_LoadModel(Applied *a, char message[])
{
  PetscBool found, known = PETSC_FALSE;
  char      word[64];
  Name      name;

  PetscFunctionBegin;
  PetscCall(NAPICCAGetFileName(a->prefix, "", FILE_MODEL, name));
  PetscCall(NAPIJsonLoad(name, &a->text, message));
  if (message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(NAPIJsonGetText(a->text, "analysis", word, sizeof(word), &found));
  for (int i = CCA_ANALYSIS_CCA; i <= CCA_ANALYSIS_GEV && found && !known; i++) {
    PetscCall(PetscStrcmp(word, CCAAnalyses[i], &known));
    a->analysis = (CCAAnalysis)i;
  }
  if (found) PetscCall(NAPIJsonGetText(a->text, "format", word, sizeof(word), &found));
  if (!found || !known || strlen(word) > 4) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s: is not a model that napi-cca -out has written", name));
  else PetscCall(PetscSNPrintf(a->extension, sizeof(a->extension), ".%s", word));
  if (!message[0] && a->analysis == CCA_ANALYSIS_PCA && a->data[1][0]) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s: has the principal components of one data set: what is '%.200s'?", name, a->data[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A row of numbers from a file of the model, on all ranks; NULL if it is wrong */
static PetscErrorCode Apply_LoadRow(const Applied *a, int which, PetscInt d, PetscScalar row[], char message[])
{
  PetscMPIInt        rank;
  PetscInt           m, n, ld;
  const PetscScalar *values;
  Name               name;
  Mat                M;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(NAPICCAGetFileName(a->prefix, a->extension, which, name));
  PetscCall(NAPIReadData(PETSC_COMM_WORLD, name, &M, NULL, message));
  if (message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetSize(M, &m, &n));
  if (m != 1 || n != d) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s: is %" PetscInt_FMT " by %" PetscInt_FMT ", but there are %" PetscInt_FMT " variables: the files of the model do not belong together", name, m, n, d));
  else {
    PetscCall(MatDenseGetLDA(M, &ld));
    PetscCall(MatDenseGetArrayRead(M, &values));
    for (PetscInt j = 0; j < d && !rank; j++) row[j] = values[j * ld];
    PetscCall(MatDenseRestoreArrayRead(M, &values));
    PetscCallMPI(MPI_Bcast(row, (PetscMPIInt)d, MPIU_SCALAR, 0, PETSC_COMM_WORLD));
  }
  PetscCall(MatDestroy(&M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The variables of view v of the model, which has d of them; known is to be freed */
static PetscErrorCode Apply_GetVariables(const Applied *a, int v, PetscInt d, char ***known, Variables *variables)
{
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(NAPIJsonGetTexts(a->text, v ? "y_names" : "x_names", &n, known));
  variables->n     = d;
  variables->names = n == d ? *known : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is to be said of the columns: where they were told by their order only, and what was left out */
static PetscErrorCode Apply_PrintReading(const Applied *a, int v, const Variables *variables, char **names, const char note[])
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (note[0]) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %s\n", a->data[v], note));
  if (variables->names && !names && !rank) PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: its columns have no names, and are taken for the variables of the model in their order\n", a->data[v]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where numbers are missing: the means that filled the gaps of the model's own samples, or those of its columns */
static PetscErrorCode Apply_FillGaps(const Applied *a, int v, PetscInt d, Mat X, char message[])
{
  PetscScalar *mean;
  PetscReal   *fill;
  PetscInt     n, gaps, empty;
  PetscBool    center;
  NAPIRows     rows;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(d, &mean, d, &fill));
  PetscCall(NAPIJsonGetReals(a->text, v ? "y_fill" : "x_fill", d, &n, fill));
  PetscCall(NAPIJsonGetBool(a->text, "center", &center));
  if (n == d)
    for (PetscInt j = 0; j < d; j++) mean[j] = fill[j];
  else if (center) PetscCall(Apply_LoadRow(a, FILE_MEAN + v, d, mean, message));
  else PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "-missing mean: %.900s has no means (it was made with -no_center, of data without gaps): fill the gaps of %.900s first", a->prefix, a->data[v]));
  if (!message[0]) {
    PetscCall(NAPIRowsCreate(X, a->data[v], &rows));
    PetscCall(NAPIFindGaps(X, &rows, &gaps));
    PetscCall(NAPIRowsDestroy(&rows));
    PetscCall(NAPIFillGaps(X, PETSC_TRUE, mean, &empty));
    if (gaps) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %" PetscInt_FMT " number%s missing, and the mean of the model's samples takes the place (-missing mean)\n", a->data[v], gaps, gaps == 1 ? " is" : "s are"));
  }
  PetscCall(PetscFree2(mean, fill));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- classes ------------------------------------------------------------------------------------------------------- */

/* The predicted classes of all samples, a line each, by rank 0 */
static PetscErrorCode Apply_WriteClasses(const Applied *a, PetscInt local, const PetscInt predicted[], char *const names[], char message[])
{
  PetscMPIInt rank, size, mine = (PetscMPIInt)local, *counts, *places, total = 0;
  PetscInt   *all;
  char       *text = NULL;
  size_t      length;
  FILE       *file;
  Name        name;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscMalloc2(size, &counts, size, &places));
  PetscCallMPI(MPI_Allgather(&mine, 1, MPI_INT, counts, 1, MPI_INT, PETSC_COMM_WORLD));
  for (PetscMPIInt p = 0; p < size; p++) {
    places[p] = total;
    total += counts[p];
  }
  PetscCall(PetscMalloc1(rank ? 0 : total, &all));
  PetscCallMPI(MPI_Gatherv(predicted, mine, MPIU_INT, all, counts, places, MPIU_INT, 0, PETSC_COMM_WORLD));
  file = open_memstream(&text, &length);
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory to compose the list of classes");
  for (PetscMPIInt i = 0; i < total && !rank; i++) (void)fprintf(file, "%s\n", names[all[i]]);
  PetscCheck(!fclose(file), PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory to compose the list of classes");
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s_classes.csv", a->out));
  PetscCall(NAPIWriteText(PETSC_COMM_WORLD, name, text, message)); /* which gives their names to the scores, too */
  free(text);
  PetscCall(PetscFree(all));
  PetscCall(PetscFree2(counts, places));
  if (!message[0]) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: the classes they are taken for\n", name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Mean scores and shares of the classes, from the model */
static PetscErrorCode Apply_LoadClasses(const Applied *a, PetscInt k, PetscInt *n, char ***names, PetscReal **prior, PetscScalar **mean, char message[])
{
  PetscInt    m, rows, cols;
  PetscMPIInt count;
  Name        name;
  Mat         M;

  PetscFunctionBegin;
  PetscCall(NAPICCAGetFileName(a->prefix, a->extension, FILE_CLASS_MEANS, name));
  PetscCall(NAPIReadData(PETSC_COMM_WORLD, name, &M, NULL, message));
  if (message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetSize(M, &rows, &cols));
  PetscCall(NAPIJsonGetTexts(a->text, "classes", n, names));
  PetscCall(PetscMalloc2(PetscMax(1, *n), prior, PetscMax(1, *n) * k, mean));
  PetscCall(NAPIJsonGetReals(a->text, "priors", *n, &m, *prior));
  if (m != *n || rows != *n || cols != k) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s: does not go with the classes of the model: its files do not belong together", name));
  else {
    const PetscScalar *values;
    PetscInt           first, last, ld;

    PetscCall(PetscArrayzero(*mean, *n * k));
    PetscCall(MatGetOwnershipRange(M, &first, &last));
    PetscCall(MatDenseGetLDA(M, &ld));
    PetscCall(MatDenseGetArrayRead(M, &values));
    for (PetscInt c = first; c < last; c++)
      for (PetscInt j = 0; j < k; j++) (*mean)[c * k + j] = values[c - first + j * ld];
    PetscCall(MatDenseRestoreArrayRead(M, &values));
    PetscCall(PetscMPIIntCast(*n * k, &count));
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, *mean, count, MPIU_SCALAR, MPIU_SUM, PETSC_COMM_WORLD));
  }
  PetscCall(MatDestroy(&M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Labels of the samples, if there are any, by the numbers of the model's classes */
static PetscErrorCode Apply_ReadLabels(const Applied *a, Mat X, PetscInt nclasses, char *const classes[], IS *labels, char message[])
{
  NAPIRows rows;
  PetscInt n;
  char   **names = NULL;
  IS       found = NULL;

  PetscFunctionBegin;
  *labels = NULL;
  if (!a->data[1][0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(NAPIRowsCreate(X, a->data[0], &rows));
  PetscCall(NAPIReadLabels(PETSC_COMM_WORLD, a->data[1], &rows, &found, &n, &names, message));
  PetscCall(NAPIRowsDestroy(&rows));
  if (!message[0]) PetscCall(NAPICCAMatchClasses(a->data[1], "the model", found, n, names, nclasses, classes, labels, message));
  PetscCall(ISDestroy(&found));
  PetscCall(NAPIFreeNames(&names));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Apply_Classify(const Applied *a, Mat X, Mat S, char message[])
{
  PetscInt     n      = 0, k, local, *predicted, *table;
  char       **names  = NULL;
  PetscReal   *prior  = NULL, accuracy;
  PetscScalar *mean   = NULL;
  IS           labels = NULL;

  PetscFunctionBegin;
  PetscCall(MatGetSize(S, NULL, &k));
  PetscCall(MatGetLocalSize(S, &local, NULL));
  PetscCall(Apply_LoadClasses(a, k, &n, &names, &prior, &mean, message));
  if (!message[0]) PetscCall(Apply_ReadLabels(a, X, n, names, &labels, message));
  if (!message[0]) {
    PetscCall(PetscMalloc2(local, &predicted, n * n, &table));
    PetscCall(NAPICCACountClasses(S, labels, n, prior, mean, predicted, table));
    PetscCall(Apply_WriteClasses(a, local, predicted, names, message));
    if (labels && !message[0]) PetscCall(NAPICCAPrintClasses("samples", n, names, table, &accuracy));
    PetscCall(PetscFree2(predicted, table));
  }
  PetscCall(ISDestroy(&labels));
  PetscCall(PetscFree2(prior, mean));
  PetscCall(NAPIFreeNames(&names));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- scores -------------------------------------------------------------------------------------------------------- */

/* Scores of X with the directions of view v, staged as a file */
static PetscErrorCode Apply_Score(const Applied *a, int v, Mat X, Mat U, char message[])
{
  PetscScalar *mean, *factor;
  PetscReal   *scale;
  PetscInt     d, k, n;
  Name         name;
  Mat          S;

  PetscFunctionBegin;
  PetscCall(MatGetSize(U, &d, &k));
  PetscCall(MatGetSize(X, &n, NULL));
  PetscCall(PetscMalloc3(d, &mean, d, &factor, d, &scale));
  PetscCall(Apply_LoadRow(a, FILE_MEAN + v, d, mean, message));
  if (!message[0]) PetscCall(Apply_LoadRow(a, FILE_SCALE + v, d, factor, message));
  if (!message[0]) {
    for (PetscInt j = 0; j < d; j++) scale[j] = PetscRealPart(factor[j]);
    PetscCall(CCAComputeScores(X, U, mean, scale, &S));
    PetscCall(NAPICCAGetFileName(a->out, a->extension, FILE_SCORES + v, name));
    PetscCall(NAPIStageDense(S, name, message));
    if (!message[0]) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %" PetscInt_FMT " scores of each of %" PetscInt_FMT " samples of %s\n", name, k, n, a->data[v]));
    if (!message[0] && a->analysis == CCA_ANALYSIS_LDA) PetscCall(Apply_Classify(a, X, S, message));
    PetscCall(MatDestroy(&S));
  }
  PetscCall(PetscFree3(mean, factor, scale));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Apply_View(Applied *a, int v, char message[])
{
  Mat       X = NULL, U = NULL;
  char    **names = NULL, **known = NULL, note[NAPI_MESSAGE_LENGTH];
  Variables variables;
  PetscInt  d;
  Name      name;

  PetscFunctionBegin;
  PetscCall(NAPICCAGetFileName(a->prefix, a->extension, FILE_DIRECTIONS + (NAPICCAWritesFile(a->analysis, FILE_DIRECTIONS + 1) ? v : 0), name));
  PetscCall(NAPIReadData(PETSC_COMM_WORLD, name, &U, NULL, message));
  if (!message[0]) {
    PetscCall(MatGetSize(U, &d, NULL));
    PetscCall(Apply_GetVariables(a, v, d, &known, &variables));
    PetscCall(NAPICCAReadView(&a->reading, a->data[v], v, &variables, &X, &names, note, message));
  }
  if (!message[0]) PetscCall(NAPICCACheckVariables(a->data[v], "the model", &variables, X, names, message));
  if (!message[0]) PetscCall(Apply_PrintReading(a, v, &variables, names, note));
  if (!message[0] && a->reading.missing == NAPI_MISSING_MEAN) PetscCall(Apply_FillGaps(a, v, d, X, message));
  if (!message[0]) PetscCall(Apply_Score(a, v, X, U, message));
  PetscCall(NAPIFreeNames(&names));
  PetscCall(NAPIFreeNames(&known));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nothing may be written over what is read: the data, and the model itself */
static PetscErrorCode Apply_CheckOutputs(const Applied *a, char message[])
{
  const int   views = a->data[1][0] ? 2 : 1;
  Name        out[2], in[4];
  const char *outs[2], *ins[4];
  int         n = 0;

  PetscFunctionBegin;
  for (int v = 0; v < views; v++) {
    PetscCall(NAPICCAGetFileName(a->out, a->extension, FILE_SCORES + v, out[v]));
    PetscCall(NAPICCAGetFileName(a->prefix, a->extension, FILE_SCORES + v, in[n]));
    PetscCall(PetscStrncpy(in[n + 1], a->data[v], sizeof(Name)));
    outs[v]    = out[v];
    ins[n]     = in[n];
    ins[n + 1] = in[n + 1];
    n += 2;
  }
  PetscCall(NAPICheckOutputs(PETSC_COMM_WORLD, n, ins, views, outs, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Apply_ShowOptions(void *ctx)
{
  PetscFunctionBegin;
  (void)ctx; /* there is no solver */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPICCAApply - The whole of napi-cca -apply.
*/
PetscErrorCode NAPICCAApply(char message[])
{
  Applied a;

  PetscFunctionBegin;
  PetscCall(Apply_GetOptions(&a, message));
  if (!message[0]) PetscCall(NAPICheckRead(NAPICCAHelp, Apply_ShowOptions, NULL, message));
  if (!message[0]) PetscCall(Apply_LoadModel(&a, message));
  if (!message[0]) PetscCall(Apply_CheckOutputs(&a, message));
  for (int v = 0; v < (a.analysis == CCA_ANALYSIS_LDA ? 1 : 2) && a.data[v][0] && !message[0]; v++) PetscCall(Apply_View(&a, v, message));
  PetscCall(NAPICommit(PETSC_COMM_WORLD, message));
  PetscCall(NAPICCADestroyReading(&a.reading));
  PetscCall(PetscFree(a.text));
  PetscFunctionReturn(PETSC_SUCCESS);
}
