/* SPDX-License-Identifier: BSD-2-Clause */
/*
   napi-cca -analysis pls, lda, pca and gev: what they read, say and write. The solution, the model and the picture are those of the rest.
*/
#include "napi-cca.h"
#include <math.h>
#include <string.h>

#define MOST_CLASSES 20 /* of a table that can be read */

/* What the analysis is about, in words and as a key of the JSON file */
static const struct {
  const char *title, *value, *key;
} words[] = {
  {"Canonical correlation analysis: what do two data sets share?",             "correlation",    "correlations" },
  {"Partial least squares: what do two data sets share, by covariance?",       "covariance",     "covariances"  },
  {"Fisher's discriminant analysis: what tells classes apart?",                "between/within", "discriminants"},
  {"Principal components: in which directions does a data set vary most?",     "variance",       "variances"    },
  {"Ratios of variances: in which directions does X vary most compared to Y?", "ratio",          "ratios"       }
};

/* --- data --------------------------------------------------------------------------------------------------------- */

/*
   NAPICCAMatchClasses - Labels of other samples are numbered among themselves: here by the classes that are known.
*/
PetscErrorCode NAPICCAMatchClasses(const char file[], const char known[], IS found, PetscInt n, char *const names[], PetscInt nclasses, char *const classes[], IS *labels, char message[])
{
  const PetscInt *number;
  PetscInt       *own, *class, local;

  PetscFunctionBegin;
  PetscCall(ISGetLocalSize(found, &local));
  PetscCall(PetscMalloc2(n, &class, local, &own));
  for (PetscInt i = 0; i < n; i++) {
    for (class[i] = 0; class[i] < nclasses && strcmp(names[i], classes[class[i]]); class[i]++) { }
    if (class[i] == nclasses && !message[0]) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%.900s: there is a class '%.100s', which %.900s does not have: other samples have to have the same classes", file, names[i], known));
  }
  NAPIEscape(message, NAPI_MESSAGE_LENGTH);
  PetscCall(ISGetIndices(found, &number));
  for (PetscInt i = 0; i < local; i++) own[i] = class[number[i]];
  PetscCall(ISRestoreIndices(found, &number));
  if (!message[0]) PetscCall(ISCreateGeneral(PETSC_COMM_WORLD, local, own, PETSC_COPY_VALUES, labels));
  PetscCall(PetscFree2(class, own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- solution ------------------------------------------------------------------------------------------------------ */

static PetscErrorCode Analysis_CreateSolver(const Options *o, const Data *d, CCA *cca)
{
  const PetscInt *label;
  PetscInt        k = o->k, cols;

  PetscFunctionBegin;
  PetscCall(CCACreate(PETSC_COMM_WORLD, cca));
  PetscCall(CCASetAnalysis(*cca, o->analysis));
  PetscCall(MatGetSize(d->view[0], NULL, &cols));
  if (o->analysis == CCA_ANALYSIS_LDA) {
    PetscCall(ISGetIndices(d->labels, &label));
    PetscCall(CCASetClasses(*cca, d->view[0], d->nclasses, label));
    PetscCall(ISRestoreIndices(d->labels, &label));
    if (!o->hask) k = PetscMin(d->nclasses - 1, cols);
  } else PetscCall(CCASetData(*cca, d->view[0], d->view[1]));
  if (o->analysis == CCA_ANALYSIS_PLS && !o->hask) PetscCall(MatGetSize(d->view[1], NULL, &cols));
  PetscCall(CCASetDimensions(*cca, o->hask ? k : PetscMin(k, cols)));
  PetscCall(NAPICCASetChoices(o, d, *cca));
  PetscCall(CCASetFromOptions(*cca));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Analysis_ShowOptions(void *ctx)
{
  CCA cca;

  PetscFunctionBegin;
  (void)ctx;
  PetscCall(CCACreate(PETSC_COMM_WORLD, &cca));
  PetscCall(CCASetOptionsPrefix(cca, NAPI_HELP_PREFIX));
  PetscCall(CCASetFromOptions(cca));
  PetscCall(CCADestroy(&cca));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What solves it: the type or, where there is none, the eigensolver */
static PetscErrorCode Analysis_GetMethod(const Options *o, CCA cca, Result *r)
{
  const char *type;
  EPS         eps;

  PetscFunctionBegin;
  PetscCall(CCAGetType(cca, &type));
  if (o->analysis == CCA_ANALYSIS_PCA || o->analysis == CCA_ANALYSIS_GEV) {
    PetscCall(CCAGetEPS(cca, &eps));
    PetscCall(EPSGetType(eps, &type));
  }
  PetscCall(PetscStrncpy(r->type, type, sizeof(r->type)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Analysis_Solve(const Options *o, CCA cca, Result *r, char message[])
{
  const PetscBool two = (PetscBool)(o->analysis == CCA_ANALYSIS_PLS);
  PetscLogDouble  start;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(PetscTime(&start));
  PetscCall(CCASetUp(cca));
  PetscCall(NAPICheckRead(NAPICCAHelp, Analysis_ShowOptions, cca, message));
  if (message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(NAPICCASolveWatched(cca, &r->stop));
  PetscCall(NAPIElapsed(start, &r->seconds));
  PetscCall(Analysis_GetMethod(o, cca, r));
  PetscCall(NAPICCAGetFigures(cca, r));
  if (r->nconv) PetscCall(CCAGetDirections(cca, &r->direction[0], &r->direction[1]));
  if (!two) r->direction[1] = NULL; /* the same, of no use, or none */
  for (int v = 0; v < 2; v++) PetscCall(PetscObjectReference((PetscObject)r->direction[v]));
  if (r->direction[0]) PetscCall(MatGetSize(r->direction[0], NULL, &r->n));
  PetscCall(PetscCalloc4(r->n, &r->rho, r->n, &r->pearson, r->n, &r->residual, r->n, &r->test));
  for (PetscInt i = 0; i < r->n; i++) {
    PetscCall(CCAGetValue(cca, i, &r->rho[i]));
    PetscCall(CCAComputeError(cca, i, &r->residual[i]));
  }
  if (r->n) PetscCall(CCATransform(cca, NULL, NULL, &r->score[0], two || o->analysis == CCA_ANALYSIS_GEV ? &r->score[1] : NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- classes ------------------------------------------------------------------------------------------------------- */

/*
   NAPICCACountClasses - Predicts the classes of samples, given scores, and counts: row c of table has those of class c by what they were taken for.
*/
PetscErrorCode NAPICCACountClasses(Mat S, IS truth, PetscInt n, const PetscReal prior[], const PetscScalar mean[], PetscInt predicted[], PetscInt table[])
{
  const PetscInt *label;
  PetscInt        local;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(S, &local, NULL));
  PetscCall(CCAPredictClasses(S, n, prior, mean, predicted));
  if (truth) {
    PetscCall(PetscArrayzero(table, n * n));
    PetscCall(ISGetIndices(truth, &label));
    for (PetscInt i = 0; i < local; i++) table[label[i] * n + predicted[i]]++;
    PetscCall(ISRestoreIndices(truth, &label));
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, table, (PetscMPIInt)(n * n), MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How many of them are right, and the whole table if it can be read */
PetscErrorCode NAPICCAPrintClasses(const char what[], PetscInt n, char *const names[], const PetscInt table[], PetscReal *accuracy)
{
  PetscInt right = 0, all = 0;
  char     name[64];

  PetscFunctionBegin;
  for (PetscInt c = 0; c < n; c++) {
    right += table[c * n + c];
    for (PetscInt p = 0; p < n; p++) all += table[c * n + p];
  }
  *accuracy = all ? (PetscReal)right / (PetscReal)all : 0.0;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\nOf %" PetscInt_FMT " %s, %" PetscInt_FMT " are taken for what they are: %.2f %%\n", all, what, right, 100.0 * (double)*accuracy));
  if (n > MOST_CLASSES) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%14s   taken for\n%14s", "class", ""));
  for (int row = -1; row < (int)n; row++) {
    if (row >= 0) {
      (void)snprintf(name, sizeof(name), "%.14s", names[row]);
      NAPIEscape(name, sizeof(name));
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%14s", name));
    }
    for (PetscInt p = 0; p < n; p++) {
      (void)snprintf(name, sizeof(name), "%.6s", names[p]);
      NAPIEscape(name, sizeof(name));
      if (row < 0) PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %6s", name));
      else PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %6" PetscInt_FMT, table[row * n + p]));
    }
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On the samples the discriminants were found from, and on those of -test */
static PetscErrorCode Analysis_Classify(const Options *o, const Data *d, CCA cca, Result *r)
{
  const PetscReal   *prior;
  const PetscScalar *mean;
  PetscInt           n, local, *predicted, *table;
  Mat                S;

  PetscFunctionBegin;
  PetscCall(CCAGetClasses(cca, &n, &prior, &mean));
  for (int t = 0; t < (o->hastest ? 2 : 1); t++) {
    if (t) PetscCall(CCATransform(cca, d->test[0], NULL, &S, NULL));
    else {
      S = r->score[0];
      PetscCall(PetscObjectReference((PetscObject)S));
    }
    PetscCall(MatGetLocalSize(S, &local, NULL));
    PetscCall(PetscMalloc2(local, &predicted, n * n, &table));
    PetscCall(NAPICCACountClasses(S, t ? d->testlabels : d->labels, n, prior, mean, predicted, table));
    PetscCall(NAPICCAPrintClasses(t ? "samples of the test data" : "samples of these data (which the discriminants know)", n, d->classes, table, t ? &r->testaccuracy : &r->accuracy));
    if (t) {
      PetscCall(PetscMalloc1(n * n, &r->confusion));
      for (PetscInt i = 0; i < n * n; i++) r->confusion[i] = (PetscReal)table[i];
    }
    PetscCall(PetscFree2(predicted, table));
    PetscCall(MatDestroy(&S));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- report -------------------------------------------------------------------------------------------------------- */

static PetscErrorCode Analysis_PrintHeading(const Options *o, const Data *d, const Result *r)
{
  PetscMPIInt size;
  PetscInt    n, m;
  char        ridge[96] = "";

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s\n", words[o->analysis].title));
  for (int i = 0; i < 2 && d->view[i]; i++) {
    PetscCall(MatGetSize(d->view[i], &n, &m));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%c = %s: %" PetscInt_FMT " samples x %" PetscInt_FMT " variable%s\n", i ? 'Y' : 'X', o->data[i], n, m, m == 1 ? "" : "s"));
  }
  if (d->classes) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "classes: %s: %" PetscInt_FMT "\n", o->data[1], d->nclasses));
  if (o->analysis == CCA_ANALYSIS_LDA || o->analysis == CCA_ANALYSIS_GEV) {
    const int v = o->analysis == CCA_ANALYSIS_GEV;

    if (r->shrinkage[v] == CCA_SHRINKAGE_NONE) (void)snprintf(ridge, sizeof(ridge), "ridge %g, ", (double)r->ridge[v]);
    else (void)snprintf(ridge, sizeof(ridge), "shrinkage %g, which adds %.4g to the variances, ", (double)r->shrinkage[v], (double)r->ridge[v]);
  }
  PetscCall(NAPICCAPrintReading(d));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s%scentred, %sscaled; method %s, %d rank%s\n", ridge, r->center ? "" : "not ", r->scale ? "" : "not ", r->type, size, size == 1 ? "" : "s"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Analysis_PrintTable(const Options *o, CCA cca, const Result *r)
{
  PetscReal total = 0.0, sum = 0.0, rho;

  PetscFunctionBegin;
  if (o->analysis == CCA_ANALYSIS_PCA && r->n) PetscCall(CCAGetTotalVariance(cca, 0, &total));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n   k   %15s    residual%s\n", words[o->analysis].value,
                        o->analysis == CCA_ANALYSIS_PCA   ? "   share of all   with those before"
                        : o->analysis == CCA_ANALYSIS_LDA ? "   correlation with the classes"
                        : o->hastest                      ? "   correlation on test data"
                                                          : ""));
  for (PetscInt i = 0; i < r->n; i++) {
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%4" PetscInt_FMT "   %15.9g   %9.2e", i + 1, (double)r->rho[i], (double)r->residual[i]));
    sum += r->rho[i];
    if (o->analysis == CCA_ANALYSIS_PCA) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "   %10.2f %%   %15.2f %%", 100.0 * (double)(r->rho[i] / total), 100.0 * (double)(sum / total)));
    if (o->analysis == CCA_ANALYSIS_LDA) {
      PetscCall(CCAGetCorrelation(cca, i, &rho));
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "   %12.8f", (double)rho));
    }
    if (o->analysis == CCA_ANALYSIS_PLS && o->hastest) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "   %12.6f", (double)r->test[i]));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Analysis_PrintMeaning(const Options *o, const Result *r)
{
  const char *const v = r->center ? "variance" : "mean square", *const c = r->center ? "covariance" : "mean product";

  PetscFunctionBegin;
  if (o->analysis == CCA_ANALYSIS_PLS) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\nThe scores X u and Y v, u and v of length 1, have a %s of %.6g: no others have more.\n", c, (double)r->rho[0]));
  if (o->analysis == CCA_ANALYSIS_PCA) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\nThe score X u, u of length 1, has a %s of %.6g (over n): no other has more.\n", v, (double)r->rho[0]));
  if (o->analysis == CCA_ANALYSIS_GEV) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\nThe %s of X u is %.6g times that of Y u%s: no other direction has more.\n", v, (double)r->rho[0], r->ridge[1] > 0.0 ? " and what is added to it" : ""));
  if (o->analysis == CCA_ANALYSIS_LDA)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\nThe variance of the score X u between the classes is %.6g times that within them%s: no other direction has more.\n", (double)r->rho[0], r->ridge[0] > 0.0 ? " and what is added to it" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Analysis_PrintEnd(const Options *o, const Data *d, const Result *r)
{
  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%" PetscInt_FMT " iteration%s; %.3g seconds, and %.3g to read\n", r->its, r->its == 1 ? "" : "s", r->seconds, d->seconds));
  if (r->reason == CCA_CONVERGED_RANK) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "There are %" PetscInt_FMT " only, not %" PetscInt_FMT ": the data have no more directions.\n", r->n, r->k));
  else if (r->reason == CCA_DIVERGED_USER) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "INTERRUPTED by %s: %" PetscInt_FMT " of %" PetscInt_FMT " wanted had converged, and are given\n", NAPICCAWhatStopped(&r->stop), r->n, r->k));
  else if (r->reason <= 0)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "NOT CONVERGED: %" PetscInt_FMT " of %" PetscInt_FMT " wanted have a residual below %.3g (%s)%s\n", r->nconv, r->k, (double)r->tol, CCAConvergedReasons[r->reason],
                          r->reason != CCA_DIVERGED_BREAKDOWN ? ""
                          : o->analysis == CCA_ANALYSIS_LDA   ? ": nothing varies within the classes; -shrinkage 0.1 helps"
                          : o->analysis == CCA_ANALYSIS_GEV   ? ": does Y vary in all directions? -shrinkage 0.01 helps where it does not"
                                                              : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPICCAPutAnalysis - What the JSON files say of an analysis other than canonical correlations.
*/
PetscErrorCode NAPICCAPutAnalysis(NAPIJson *json, const Options *o, const Data *d, CCA cca, const Result *r)
{
  const PetscReal *prior;
  PetscReal        total, *rho;

  PetscFunctionBegin;
  NAPIJsonReals(json, words[o->analysis].key, r->n, r->rho);
  if (!r->n) PetscFunctionReturn(PETSC_SUCCESS);
  if (o->analysis == CCA_ANALYSIS_PLS && o->hastest) NAPIJsonReals(json, "test_correlations", r->n, r->test);
  if (o->analysis == CCA_ANALYSIS_PCA) {
    PetscCall(CCAGetTotalVariance(cca, 0, &total));
    NAPIJsonReal(json, "total_variance", total);
  }
  if (o->analysis == CCA_ANALYSIS_LDA) {
    PetscCall(PetscMalloc1(r->n, &rho));
    for (PetscInt i = 0; i < r->n; i++) PetscCall(CCAGetCorrelation(cca, i, &rho[i]));
    NAPIJsonReals(json, "correlations", r->n, rho);
    PetscCall(PetscFree(rho));
    PetscCall(CCAGetClasses(cca, NULL, &prior, NULL));
    NAPIJsonTexts(json, "classes", d->nclasses, d->classes);
    NAPIJsonReals(json, "priors", d->nclasses, prior);
    NAPIJsonReal(json, "accuracy", r->accuracy);
    if (r->confusion) {
      NAPIJsonReal(json, "test_accuracy", r->testaccuracy);
      NAPIJsonReals(json, "test_confusion", d->nclasses * d->nclasses, r->confusion);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NAPICCAWriteAnalysisJson(const Options *o, const Data *d, CCA cca, const Result *r, const char name[], char message[])
{
  NAPIJson    json;
  PetscMPIInt size;
  PetscInt    n, cols;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(NAPIJsonBegin(&json));
  NAPIJsonText(&json, "analysis", CCAAnalyses[o->analysis]);
  NAPIJsonText(&json, "type", r->type);
  for (int v = 0; v < 2; v++) {
    if (o->data[v][0]) NAPIJsonText(&json, v ? "Y" : "X", o->data[v]);
    if (!d->view[v]) continue;
    PetscCall(MatGetSize(d->view[v], &n, &cols));
    NAPIJsonInteger(&json, v ? "n2" : "n", n);
    NAPIJsonInteger(&json, v ? "d2" : "d1", cols);
  }
  NAPIJsonInteger(&json, "ranks", size);
  NAPIJsonInteger(&json, "k", r->k);
  NAPIJsonReals(&json, "ridge", 2, r->ridge);
  NAPIJsonBool(&json, "center", r->center);
  NAPIJsonBool(&json, "scaled", r->scale);
  NAPIJsonInteger(&json, "converged", r->nconv);
  NAPIJsonText(&json, "reason", CCAConvergedReasons[r->reason]);
  NAPIJsonBool(&json, "interrupted", (PetscBool)(r->reason == CCA_DIVERGED_USER));
  NAPIJsonInteger(&json, "iterations", r->its);
  PetscCall(NAPICCAPutAnalysis(&json, o, d, cca, r));
  NAPIJsonReals(&json, "residuals", r->n, r->residual);
  NAPIJsonReal(&json, "seconds", (PetscReal)r->seconds);
  NAPIJsonReal(&json, "read_seconds", (PetscReal)d->seconds);
  PetscCall(NAPIJsonEnd(&json, name, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Analysis_Report(const Options *o, const Data *d, CCA cca, Result *r, char message[])
{
  PetscFunctionBegin;
  if (r->n && o->analysis == CCA_ANALYSIS_PLS && o->hastest) PetscCall(NAPICCATest(cca, d, r));
  PetscCall(Analysis_PrintHeading(o, d, r));
  PetscCall(Analysis_PrintTable(o, cca, r));
  if (r->n && o->analysis == CCA_ANALYSIS_LDA) PetscCall(Analysis_Classify(o, d, cca, r));
  if (r->n && r->reason > 0) PetscCall(Analysis_PrintMeaning(o, r));
  PetscCall(Analysis_PrintEnd(o, d, r));
  if (o->hasout && r->n) PetscCall(NAPICCAWriteModel(o, d, cca, r, message));
  if (o->hasjson && !message[0]) PetscCall(NAPICCAWriteAnalysisJson(o, d, cca, r, o->json, message));
  if (o->hasplot && r->n && !message[0]) PetscCall(NAPICCAPlot(o, d, cca, r, NULL, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the analysis cannot be told */
static PetscErrorCode Analysis_Check(const Options *o, char message[])
{
  const PetscBool pls = (PetscBool)(o->analysis == CCA_ANALYSIS_PLS), lda = (PetscBool)(o->analysis == CCA_ANALYSIS_LDA), gev = (PetscBool)(o->analysis == CCA_ANALYSIS_GEV);
  const char     *wrong = NULL;

  PetscFunctionBegin;
  if (o->nridges) wrong = "-ridge_path is for canonical correlations: leave it out, or give one -ridge";
  else if ((o->hasridge || o->hasshrinkage) && !lda && !gev) wrong = "has no covariance to regularise: leave out -ridge and -shrinkage";
  else if (lda && !o->center) wrong = "is about differences of means: leave out -no_center";
  else if (gev && o->reading.hasweights[2]) wrong = "has different samples in X and Y: -weights_x and -weights_y are their weights, not -weights";
  else if (o->inference.permutations || o->inference.wilks) wrong = "has no tests of correlations: leave out -permutations and -wilks";
  else if (o->validate || o->bootstrap) wrong = "is neither cross-validated nor bootstrapped: leave out -cv, -folds and -bootstrap";
  else if (gev && o->scale) wrong = "compares the same variables in X and Y, which -scale would make different: leave it out";
  else if (o->hastest && !lda && !pls) wrong = "has no test: leave out -test; -out keeps the model, and -apply scores other samples by it";
  if (wrong && !message[0]) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "-analysis %s %s", CCAAnalyses[o->analysis], wrong));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPICCARunAnalysis - The whole of napi-cca for another analysis, once it is known that the outputs can be written.
*/
PetscErrorCode NAPICCARunAnalysis(const Options *o, Data *d, Result *r, int *status, char message[])
{
  CCA cca = NULL;

  PetscFunctionBegin;
  PetscCall(Analysis_Check(o, message));
  if (message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(NAPIShowStage("reading"));
  PetscCall(NAPICCAReadAll(o, d, message));
  PetscCall(NAPIShowStage(NULL));
  if (message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Analysis_CreateSolver(o, d, &cca));
  PetscCall(Analysis_Solve(o, cca, r, message));
  if (!message[0]) PetscCall(Analysis_Report(o, d, cca, r, message));
  *status = r->reason > 0 && r->n == r->k && r->nconv == r->k ? NAPI_EXIT_FOUND : NAPI_EXIT_NOT_REACHED;
  PetscCall(CCADestroy(&cca));
  PetscFunctionReturn(PETSC_SUCCESS);
}
