/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Cross-validation: -cv and what goes with it, the folds of a file, and what is said of the outcome.
*/
#include "napi-cca.h"
#include <math.h>

PetscErrorCode NAPICCAGetValidationOptions(Options *o, char message[])
{
  static const char *const dependent[] = {"-cv_seed", "-cv_order", "-cv_one_se"};
  const char              *wrong       = NULL;
  char                     order[32];
  PetscInt                 count;
  PetscBool                hascv, hasfolds, hasorder, random, set;

  PetscFunctionBegin;
  o->nfolds = 5;
  PetscCall(NAPIGetInts("-cv", 1, &o->nfolds, &count, &hascv, message));
  PetscCall(NAPIGetInts("-cv_seed", 1, &o->seed, &count, &set, message));
  PetscCall(NAPIGetName("-cv_order", order, sizeof(order), &hasorder, message));
  PetscCall(NAPIGetName("-folds", o->folds, sizeof(o->folds), &hasfolds, message));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-cv_one_se", &o->onese, NULL));
  PetscCall(PetscStrcmp(order, "contiguous", &o->contiguous));
  PetscCall(PetscStrcmp(order, "random", &random));
  o->validate = (PetscBool)(hascv || hasfolds);
  if (o->validate && o->analysis != CCA_ANALYSIS_CCA) wrong = "-cv and -folds are for canonical correlations: leave out -analysis, or them";
  else if (hascv && o->nfolds < 2) wrong = "-cv is the number of folds, 2 at least: 5 or 10 are usual";
  else if (hascv && hasfolds) wrong = "-folds says which folds: leave out -cv";
  else if (hasorder && !random && !o->contiguous) wrong = "-cv_order is random or contiguous";
  else if (hasfolds && hasorder) wrong = "-folds says which folds: leave out -cv_order";
  for (size_t i = 0; i < sizeof(dependent) / sizeof(dependent[0]) && !wrong && !o->validate; i++) {
    PetscCall(PetscOptionsHasName(NULL, NULL, dependent[i], &set));
    if (set) wrong = "-cv_seed, -cv_order and -cv_one_se are about a cross-validation: add -cv 5";
  }
  if (wrong && !message[0]) PetscCall(PetscStrncpy(message, wrong, NAPI_MESSAGE_LENGTH));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Before the options of the object are read, which may say otherwise */
PetscErrorCode NAPICCASetFolds(const Options *o, const Data *d, CCA cca, char message[])
{
  const PetscInt *fold;
  PetscInt        n, count;
  IS              labels;

  PetscFunctionBegin;
  if (!o->validate) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CCASetOneStandardError(cca, o->onese));
  if (!o->folds[0]) {
    PetscCall(CCASetFolds(cca, o->nfolds, o->contiguous ? CCA_FOLDS_CONTIGUOUS : CCA_FOLDS_RANDOM, o->seed));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(NAPIReadLabels(PETSC_COMM_WORLD, o->folds, &d->rows, &labels, &count, NULL, message));
  if (message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ISGetLocalSize(labels, &n));
  PetscCall(ISGetIndices(labels, &fold));
  PetscCall(CCASetFoldNumbers(cca, n, fold));
  PetscCall(ISRestoreIndices(labels, &fold));
  PetscCall(ISDestroy(&labels));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the object has found, which keeps the arrays */
PetscErrorCode NAPICCAGetValidation(CCA cca, Result *r)
{
  Validation *v = &r->cv;

  PetscFunctionBegin;
  PetscCall(CCAGetCrossValidation(cca, &v->n, &v->nfolds, &v->k, &v->best, &v->values, &v->mean, &v->error, &v->r));
  PetscCall(CCAGetCrossValidationTrouble(cca, &v->failed, &v->constant));
  PetscCall(CCAGetFoldsDone(cca, &v->done));
  if (v->best < 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(v->k, &r->validated));
  for (PetscInt i = 0; i < v->k; i++) PetscCall(CCAGetCrossValidatedCorrelation(cca, i, &r->validated[i], NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The table of the values, of which the chosen one is marked; and what the reader should know about it */
PetscErrorCode NAPICCAPrintValidation(const Options *o, const Result *r)
{
  const Validation *v    = &r->cv;
  const char       *what = r->center ? "correlations" : "cosines";
  char              line[160];

  PetscFunctionBegin;
  if (v->done < v->nfolds) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\nINTERRUPTED by %s after %" PetscInt_FMT " of %" PetscInt_FMT " folds%s:", NAPICCAWhatStopped(&r->stop), v->done, v->nfolds, o->nridges ? ", too early to choose" : ""));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\nCross-validation, %" PetscInt_FMT " folds: mean over pairs and folds of the %s of samples that had no part in finding them\n", v->done, what));
  if (!v->done) PetscFunctionReturn(PETSC_SUCCESS);
  if (o->nridges) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%10s         mean   standard error\n", CCAPaths[o->path]));
  else PetscCall(PetscPrintf(PETSC_COMM_WORLD, "                   mean   standard error\n"));
  for (PetscInt i = 0; i < v->n; i++) {
    char value[32] = "";

    if (o->nridges) (void)snprintf(value, sizeof(value), "%.4g", (double)v->values[i]);
    char error[32] = "-";

    if (v->done > 1) (void)snprintf(error, sizeof(error), "%.6f", (double)v->error[i]);
    (void)snprintf(line, sizeof(line), "%10s   %10.6f   %14s%s", value, (double)v->mean[i], error, o->nridges && i == v->best ? "   *" : "");
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s\n", line));
  }
  if (o->nridges && v->best >= 0) {
    (void)snprintf(line, sizeof(line), "%.4g", (double)v->values[v->best]);
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "* %s. With -%s %s, on all samples:\n", o->onese ? "the largest within a standard error of the best" : "the best", CCAPaths[o->path], line));
  }
  if (v->constant)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Warning: %" PetscInt_FMT " of %" PetscInt_FMT " %s do not exist and count as 0: a score is the same for all samples of a fold, or there are fewer pairs.\n", v->constant, v->n * v->done * v->k, what));
  if (v->failed) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Warning: %" PetscInt_FMT " of %" PetscInt_FMT " solutions with a fold left out did not reach the tolerance.\n", v->failed, v->n * v->done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NAPICCAJsonValidation(const Options *o, const Result *r, NAPIJson *json)
{
  const Validation *v = &r->cv;

  PetscFunctionBegin;
  if (r->validated) NAPIJsonReals(json, r->center ? "cv_correlations" : "cv_cosines", v->k, r->validated);
  NAPIJsonInteger(json, "cv_folds", v->nfolds);
  NAPIJsonInteger(json, "cv_folds_done", v->done);
  if (o->nridges) NAPIJsonReals(json, o->path == CCA_PATH_RIDGE ? "cv_ridge" : "cv_shrinkage", v->n, v->values);
  NAPIJsonReals(json, "cv_mean", v->n, v->mean);
  NAPIJsonReals(json, "cv_standard_error", v->n, v->error);
  if (v->best >= 0) NAPIJsonInteger(json, "cv_chosen", v->best);
  else NAPIJsonReal(json, "cv_chosen", (PetscReal)NAN);                                                       /* null */
  NAPIJsonReals(json, r->center ? "cv_fold_correlations" : "cv_fold_cosines", v->n * v->nfolds * v->k, v->r); /* by values, folds and pairs */
  NAPIJsonInteger(json, "cv_not_converged", v->failed);
  NAPIJsonInteger(json, "cv_constant", v->constant);
  PetscFunctionReturn(PETSC_SUCCESS);
}
