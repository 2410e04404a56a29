/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The flat interface to what the class CCA can say of a solution: are the pairs real, do they hold for other samples, how far do they scatter?
*/
#include "flat.h"

#if !defined(PETSC_USE_COMPLEX) && defined(PETSC_USE_REAL_DOUBLE)

/* One number of each sample of this process, in PETSc's integers; NULL of NULL */
static PetscErrorCode FlatInfer_Labels(CCA cca, const int64_t from[], PetscInt *n, PetscInt **to)
{
  Mat X;

  PetscFunctionBegin;
  *to = NULL;
  *n  = 0;
  if (!from) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CCAGetData(cca, &X, NULL));
  PetscCall(MatGetLocalSize(X, n, NULL));
  PetscCall(NapiFlatIntegers(*n, from, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* table: of each pair that has converged p, the median and the quantile of permuted data, one row after the other */
static PetscErrorCode FlatInfer_Permute(NapiFlatCCA *s, NapiFlatPoll poll, int n, int seed, const int64_t within[], double level, double table[], int *exact, int64_t *undecided)
{
  PetscInt  nconv, rows, *block, count;
  PetscBool known = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(NapiFlatWatch(s, poll));
  PetscCall(CCAGetConverged(s->cca, &nconv));
  PetscCall(FlatInfer_Labels(s->cca, within, &rows, &block));
  PetscCall(CCAPermutationTest(s->cca, n, seed, block, table));
  PetscCall(PetscFree(block));
  PetscCall(NapiFlatWatched(s));
  for (PetscInt i = 0; i < nconv; i++) {
    PetscCall(CCAGetPermutationQuantile(s->cca, i, 0.5, &table[nconv + i], &known));
    PetscCall(CCAGetPermutationQuantile(s->cca, i, level, &table[2 * nconv + i], &known));
  }
  PetscCall(CCAGetPermutationUndecided(s->cca, &count));
  *exact     = known ? 1 : 0;
  *undecided = count;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* path: "shrinkage", "ridge" or "none" to choose from n values; folds: how many, or fold the one of each sample. Solves in the end */
static PetscErrorCode FlatInfer_CrossValidate(NapiFlatCCA *s, NapiFlatPoll poll, const char path[], int n, const double values[], int folds, int contiguous, int seed, const int64_t fold[], int onese, int counts[3])
{
  PetscInt  rows, *number;
  PetscBool same;
  CCAPath   kind = CCA_PATH_NONE;

  PetscFunctionBegin;
  PetscCall(NapiFlatWatch(s, poll));
  for (int p = CCA_PATH_SHRINKAGE; p <= CCA_PATH_NONE; p++) {
    PetscCall(PetscStrcasecmp(path, CCAPaths[p], &same));
    if (same) kind = (CCAPath)p;
  }
  PetscCall(FlatInfer_Labels(s->cca, fold, &rows, &number));
  if (fold) PetscCall(CCASetFoldNumbers(s->cca, rows, number));
  else PetscCall(CCASetFolds(s->cca, folds, contiguous ? CCA_FOLDS_CONTIGUOUS : CCA_FOLDS_RANDOM, seed));
  PetscCall(PetscFree(number));
  PetscCall(CCASetOneStandardError(s->cca, onese ? PETSC_TRUE : PETSC_FALSE));
  PetscCall(CCACrossValidate(s->cca, kind, n, values));
  PetscCall(NapiFlatWatched(s));
  PetscCall(NapiFlatCounts(s, counts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sizes: values, folds, pairs, the one chosen, solutions that have not converged, correlations that do not exist. The arrays, once these are known: mean
   and standard error of each value, correlations by values, folds and pairs, and mean and standard error of each pair for the value that was chosen */
static PetscErrorCode FlatInfer_GetCrossValidation(NapiFlatCCA *s, int64_t sizes[6], double mean[], double error[], double r[], double pair[], double pairerror[])
{
  PetscInt         n, folds, k, best, failed, constant;
  const PetscReal *m, *e, *all;

  PetscFunctionBegin;
  PetscCall(CCAGetCrossValidation(s->cca, &n, &folds, &k, &best, NULL, &m, &e, &all));
  PetscCall(CCAGetCrossValidationTrouble(s->cca, &failed, &constant));
  sizes[0] = n;
  sizes[1] = folds;
  sizes[2] = k;
  sizes[3] = best;
  sizes[4] = failed;
  sizes[5] = constant;
  if (!mean) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscArraycpy(mean, m, n));
  PetscCall(PetscArraycpy(error, e, n));
  PetscCall(PetscArraycpy(r, all, n * folds * k));
  for (PetscInt i = 0; i < k; i++) PetscCall(CCAGetCrossValidatedCorrelation(s->cca, i, &pair[i], &pairerror[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* pearson and canonical: by samples and pairs. interval: both ends for Pearson's, both for the canonical correlation of a pair, pair by pair */
static PetscErrorCode FlatInfer_Bootstrap(NapiFlatCCA *s, NapiFlatPoll poll, int samples, int seed, double level, int *failed, double pearson[], double canonical[], double interval[])
{
  const PetscReal *p, *c;
  PetscInt         count, lost;
  int              counts[3];

  PetscFunctionBegin;
  PetscCall(NapiFlatCounts(s, counts));
  PetscCall(NapiFlatWatch(s, poll));
  PetscCall(CCABootstrap(s->cca, samples, seed));
  PetscCall(NapiFlatWatched(s));
  PetscCall(CCAGetBootstrap(s->cca, &count, &lost, &p, &c));
  *failed = (int)lost;
  PetscCall(PetscArraycpy(pearson, p, (size_t)count * (size_t)counts[0]));
  PetscCall(PetscArraycpy(canonical, c, (size_t)count * (size_t)counts[0]));
  for (PetscInt i = 0; i < counts[0] && lost < count; i++) PetscCall(CCAGetBootstrapInterval(s->cca, i, level, &interval[4 * i], &interval[4 * i + 1], &interval[4 * i + 2], &interval[4 * i + 3]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* test: "wilks", "bartlett", "pillai", "hotelling" or "roy". table: statistic, F or chi-square, both degrees of freedom, p, room correlations each */
static PetscErrorCode FlatInfer_Test(NapiFlatCCA *s, const char test[], int room, int *count, double table[], char why[], int length)
{
  PetscBool same;
  PetscInt  n     = 0;
  int       found = -1;

  PetscFunctionBegin;
  for (int t = CCA_TEST_WILKS; t <= CCA_TEST_ROY; t++) {
    PetscCall(PetscStrcasecmp(test, CCATests[t], &same));
    if (same) found = t;
  }
  PetscCheck(found >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "There is no test '%s': wilks, bartlett, pillai, hotelling or roy", test);
  PetscCall(CCAGetMultivariateTests(s->cca, (CCATest)found, &n, table, table + room, table + 2 * room, table + 3 * room, table + 4 * room, why, (size_t)length));
  *count = (int)n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- what the caller sees ------------------------------------------------------------------------------------------------- */

int napi_flat_cca_permute(void *solver, NapiFlatPoll poll, int n, int seed, const int64_t *within, double level, double *table, int *exact, int64_t *undecided)
{
  return NAPI_FLAT(FlatInfer_Permute((NapiFlatCCA *)solver, poll, n, seed, within, level, table, exact, undecided));
}

int napi_flat_cca_cross_validate(void *solver, NapiFlatPoll poll, const char *path, int n, const double *values, int folds, int contiguous, int seed, const int64_t *fold, int onese, int *counts)
{
  return NAPI_FLAT(FlatInfer_CrossValidate((NapiFlatCCA *)solver, poll, path, n, values, folds, contiguous, seed, fold, onese, counts));
}

int napi_flat_cca_cross_validation(void *solver, int64_t *sizes, double *mean, double *error, double *r, double *pair, double *pairerror)
{
  return NAPI_FLAT(FlatInfer_GetCrossValidation((NapiFlatCCA *)solver, sizes, mean, error, r, pair, pairerror));
}

int napi_flat_cca_bootstrap(void *solver, NapiFlatPoll poll, int samples, int seed, double level, int *failed, double *pearson, double *canonical, double *interval)
{
  return NAPI_FLAT(FlatInfer_Bootstrap((NapiFlatCCA *)solver, poll, samples, seed, level, failed, pearson, canonical, interval));
}

int napi_flat_cca_test(void *solver, const char *test, int room, int *count, double *table, char *why, int length)
{
  return NAPI_FLAT(FlatInfer_Test((NapiFlatCCA *)solver, test, room, count, table, why, length));
}

#endif
