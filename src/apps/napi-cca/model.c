/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The model that outlives the run: everything that -out writes, which is all that is needed to score other samples (apply.c) and to
   say what the directions are about.
*/
#include "napi-cca.h"
#include <string.h>

/* What the files are called; those of X, then those of Y */
static const char *const fileNames[NFILES] = {"U", "V", "x_scores", "y_scores", "x_mean", "y_mean", "x_scale", "y_scale", "x_loadings", "y_loadings", "x_cross_loadings", "y_cross_loadings", "class_means", "model"};

/* What NAPICCACheckModelNames() lets pass fits */
PetscErrorCode NAPICCAGetFileName(const char prefix[], const char extension[], int which, Name name)
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(Name), "%s_%s%s", prefix, fileNames[which], which == FILE_MODEL ? ".json" : extension));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPICCAWritesFile - Whether an analysis has such a file.
*/
PetscBool NAPICCAWritesFile(CCAAnalysis analysis, int which)
{
  const PetscBool pairs = (PetscBool)(analysis == CCA_ANALYSIS_CCA || analysis == CCA_ANALYSIS_PLS);

  if (which == FILE_CLASS_MEANS) return (PetscBool)(analysis == CCA_ANALYSIS_LDA);
  if (which == FILE_MODEL || pairs) return PETSC_TRUE;
  if (which >= FILE_CROSS_LOADINGS || which == FILE_DIRECTIONS + 1) return PETSC_FALSE;
  return (PetscBool)(which % 2 == 0 || analysis == CCA_ANALYSIS_GEV); /* Y: other samples, with the directions of X */
}

/* Says so if a prefix is too long for one of the names that begin with it */
PetscErrorCode NAPICCACheckPrefix(const char option[], const char prefix[], char message[])
{
  PetscFunctionBegin;
  for (int i = 0; i < NFILES && !message[0]; i++)
    if (strlen(prefix) + strlen(fileNames[i]) + sizeof("_.json") > sizeof(Name)) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "the prefix after %s is too long: it has %d characters", option, (int)strlen(prefix)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A row of numbers that all ranks have, as a matrix that is written: NumPy subtracts a row from all rows */
static PetscErrorCode Model_CreateRow(PetscInt d, const PetscScalar values[], Mat *row)
{
  PetscMPIInt  rank;
  PetscScalar *a;
  PetscInt     ld;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, rank ? 0 : 1, PETSC_DECIDE, 1, d, NULL, row));
  PetscCall(MatDenseGetLDA(*row, &ld));
  PetscCall(MatDenseGetArrayWrite(*row, &a));
  for (PetscInt j = 0; j < d && !rank; j++) a[j * ld] = values[j];
  PetscCall(MatDenseRestoreArrayWrite(*row, &a));
  PetscCall(MatAssemblyBegin(*row, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*row, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Model_Keep(Mat M, Mat *kept)
{
  PetscFunctionBegin;
  if (M) PetscCall(PetscObjectReference((PetscObject)M));
  *kept = M;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrices of view v */
static PetscErrorCode Model_CollectView(CCA cca, CCAAnalysis analysis, const Result *r, int v, Mat file[])
{
  PetscScalar *mean;
  PetscReal   *scale;
  PetscInt     d;
  Mat          L;

  PetscFunctionBegin;
  PetscCall(MatGetSize(r->direction[r->direction[v] ? v : 0], &d, NULL));
  PetscCall(PetscMalloc2(d, &mean, d, &scale));
  PetscCall(CCAGetStandardization(cca, v, mean, scale));
  PetscCall(Model_CreateRow(d, mean, &file[FILE_MEAN + v]));
  for (PetscInt j = 0; j < d; j++) mean[j] = scale[j];
  PetscCall(Model_CreateRow(d, mean, &file[FILE_SCALE + v]));
  PetscCall(PetscFree2(mean, scale));
  PetscCall(Model_Keep(r->direction[v], &file[FILE_DIRECTIONS + v]));
  PetscCall(Model_Keep(r->score[v], &file[FILE_SCORES + v]));
  PetscCall(CCAGetLoadings(cca, v, v, &L));
  PetscCall(Model_Keep(L, &file[FILE_LOADINGS + v]));
  if (!NAPICCAWritesFile(analysis, FILE_CROSS_LOADINGS)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CCAGetLoadings(cca, v, 1 - v, &L));
  PetscCall(Model_Keep(L, &file[FILE_CROSS_LOADINGS + v]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The mean scores of the classes, a row each */
static PetscErrorCode Model_CollectClasses(CCA cca, const Result *r, Mat *means)
{
  const PetscScalar *mean;
  PetscInt           n, first, last;

  PetscFunctionBegin;
  PetscCall(CCAGetClasses(cca, &n, NULL, &mean));
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, r->n, NULL, means));
  PetscCall(MatGetOwnershipRange(*means, &first, &last));
  for (PetscInt c = first; c < last; c++)
    for (PetscInt j = 0; j < r->n; j++) PetscCall(MatSetValue(*means, c, j, mean[c * r->n + j], INSERT_VALUES));
  PetscCall(MatAssemblyBegin(*means, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*means, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Model_PutRedundancies(NAPIJson *json, CCA cca, const Result *r)
{
  PetscReal *share[2];

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(r->n, &share[0], r->n, &share[1]));
  for (PetscInt i = 0; i < r->n; i++) PetscCall(CCAGetRedundancy(cca, i, &share[0][i], &share[1][i]));
  NAPIJsonReals(json, "x_redundancy", r->n, share[0]);
  NAPIJsonReals(json, "y_redundancy", r->n, share[1]);
  PetscCall(PetscFree2(share[0], share[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What filled the gaps of a view, for other samples that have some */
static PetscErrorCode Model_PutFill(NAPIJson *json, const char key[], PetscInt n, const PetscScalar mean[])
{
  PetscReal *fill;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &fill));
  for (PetscInt j = 0; j < n; j++) fill[j] = PetscRealPart(mean[j]);
  NAPIJsonReals(json, key, n, fill);
  PetscCall(PetscFree(fill));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPICCAWriteModelJson - Writes the part of the model that is text, and gives their names to files that wait for them.
*/
PetscErrorCode NAPICCAWriteModelJson(const Options *o, const Data *d, CCA cca, const Result *r, const char name[], char message[])
{
  static const char *const data[2] = {"X", "Y"}, *const columns[2] = {"d1", "d2"}, *const names[2] = {"x_names", "y_names"}, *const fill[2] = {"x_fill", "y_fill"};
  NAPIJson json;
  PetscInt n, cols;

  PetscFunctionBegin;
  PetscCall(NAPIJsonBegin(&json));
  NAPIJsonText(&json, "program", "napi-cca " SLEPCNAPI_VERSION);
  NAPIJsonText(&json, "analysis", CCAAnalyses[o->analysis]);
  NAPIJsonText(&json, "format", o->extension + 1);
  NAPIJsonText(&json, "scores",
               o->analysis == CCA_ANALYSIS_GEV                       ? "S = (X - x_mean) @ U, and (Y - y_mean) @ U"
               : NAPICCAWritesFile(o->analysis, FILE_DIRECTIONS + 1) ? "S = ((X - x_mean) * x_scale) @ U, and the same for Y and V"
                                                                     : "S = ((X - x_mean) * x_scale) @ U");
  NAPIJsonText(&json, "signs", "of a pair both directions may change their sign: sum(u**3) >= 0, for columns of unit variance where there is no ridge");
  NAPIJsonInteger(&json, "ddof", 0);
  for (int v = 0; v < 2; v++) {
    if (o->data[v][0]) NAPIJsonText(&json, data[v], o->data[v]);
    if (!d->view[v]) continue;
    PetscCall(MatGetSize(d->view[v], &n, &cols));
    if (!v) NAPIJsonInteger(&json, "n", n);
    NAPIJsonInteger(&json, columns[v], cols);
    if (d->names[v]) NAPIJsonTexts(&json, names[v], cols, d->names[v]); /* rank 0 has them, and writes */
    if (d->mean[v]) PetscCall(Model_PutFill(&json, fill[v], cols, d->mean[v]));
  }
  NAPIJsonInteger(&json, "k", r->n);
  NAPIJsonInteger(&json, "converged", r->nconv);
  NAPIJsonText(&json, "reason", CCAConvergedReasons[r->reason]);
  NAPIJsonReals(&json, "ridge", 2, r->ridge);
  if (r->shrinkage[0] != CCA_SHRINKAGE_NONE) NAPIJsonReals(&json, "shrinkage", 2, r->shrinkage);
  NAPIJsonBool(&json, "center", r->center);
  NAPIJsonBool(&json, "scaled", r->scale);
  if (o->analysis == CCA_ANALYSIS_CCA) {
    NAPIJsonReals(&json, "correlations", r->n, r->rho);
    NAPIJsonReals(&json, r->center ? "pearson" : "cosines", r->n, r->pearson);
    if (o->hastest) NAPIJsonReals(&json, r->center ? "test_correlations" : "test_cosines", r->n, r->test);
    if (r->validated) NAPIJsonReals(&json, "cv_correlations", r->cv.k, r->validated);
    NAPICCAJsonInference(o, r, &json);
  } else PetscCall(NAPICCAPutAnalysis(&json, o, d, cca, r));
  if (NAPICCAWritesFile(o->analysis, FILE_CROSS_LOADINGS)) PetscCall(Model_PutRedundancies(&json, cca, r));
  PetscCall(NAPIJsonEnd(&json, name, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPICCAWriteModel - Writes all files of -out, or none: they get their names when all are there.
*/
PetscErrorCode NAPICCAWriteModel(const Options *o, const Data *d, CCA cca, const Result *r, char message[])
{
  Mat  file[NFILES] = {NULL};
  Name name;

  PetscFunctionBegin;
  for (int v = 0; v < 2; v++)
    if (r->score[v]) PetscCall(Model_CollectView(cca, o->analysis, r, v, file));
  if (o->analysis == CCA_ANALYSIS_LDA) PetscCall(Model_CollectClasses(cca, r, &file[FILE_CLASS_MEANS]));
  for (int i = 0; i < NFILES && !message[0]; i++) {
    if (!file[i]) continue;
    PetscCall(NAPICCAGetFileName(o->out, o->extension, i, name));
    PetscCall(NAPIStageDense(file[i], name, message));
  }
  if (message[0]) PetscCall(NAPICommit(PETSC_COMM_WORLD, message)); /* removes them */
  else {
    PetscCall(NAPICCAGetFileName(o->out, o->extension, FILE_MODEL, name));
    PetscCall(NAPICCAWriteModelJson(o, d, cca, r, name, message));
  }
  for (int i = 0; i < NFILES; i++) PetscCall(MatDestroy(&file[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
