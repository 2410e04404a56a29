/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The flat interface to the class CCA: data, what is wanted of them, and the results in plain arrays. One object is one fit, and what is asked
   of it afterwards. Arrays of a number for each variable, or a column for each pair, are whole on every process and stored by columns; those
   of a number for each sample are of the process's own samples.
*/
#include "flat.h"
#include <petsctime.h>
#include <slepcnapi/private/ccaimpl.h>
#include <slepcnapi/private/gramimpl.h>

#if !defined(PETSC_USE_COMPLEX) && defined(PETSC_USE_REAL_DOUBLE)

/* --- set-up --------------------------------------------------------------------------------------------------------------- */

PetscErrorCode NapiFlatIntegers(PetscInt n, const int64_t from[], PetscInt **to)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(PetscMax(1, n), to));
  for (PetscInt i = 0; i < n; i++) (*to)[i] = (PetscInt)from[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* classes: how many, and label the one of each sample of X, for lda */
static PetscErrorCode FlatCCA_Create(const char analysis[], Mat X, Mat Y, int classes, const int64_t label[], NapiFlatCCA **solver)
{
  NapiFlatCCA *s;
  PetscInt     rows, *labels;
  PetscBool    same;
  int          found = -1;

  PetscFunctionBegin;
  *solver = NULL;
  for (int a = CCA_ANALYSIS_CCA; a <= CCA_ANALYSIS_GEV; a++) {
    PetscCall(PetscStrcmp(analysis, CCAAnalyses[a], &same));
    if (same) found = a;
  }
  PetscCheck(found >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "There is no analysis '%s': cca, pls, lda, pca or gev", analysis);
  PetscCall(PetscNew(&s));
  *solver = s;
  PetscCall(CCACreate(PetscObjectComm((PetscObject)X), &s->cca));
  if (found == CCA_ANALYSIS_LDA) {
    PetscCall(MatGetLocalSize(X, &rows, NULL));
    PetscCall(NapiFlatIntegers(rows, label, &labels));
    PetscCall(CCASetClasses(s->cca, X, classes, labels));
    PetscCall(PetscFree(labels));
  } else {
    PetscCall(CCASetAnalysis(s->cca, (CCAAnalysis)found));
    PetscCall(CCASetData(s->cca, X, Y));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* type: NULL for the one that goes with the data; maxiter: not positive for the type's own */
static PetscErrorCode FlatCCA_Set(NapiFlatCCA *s, int k, const char type[], double tol, int maxiter, int center, int scale, const char check[])
{
  PetscBool same, found = PETSC_FALSE;

  PetscFunctionBegin;
  if (type) PetscCall(CCASetType(s->cca, type));
  PetscCall(CCASetDimensions(s->cca, k));
  PetscCall(CCASetTolerances(s->cca, tol, maxiter > 0 ? maxiter : NAPI_UNSET));
  PetscCall(CCASetCentering(s->cca, center ? PETSC_TRUE : PETSC_FALSE));
  PetscCall(CCASetScaling(s->cca, scale ? PETSC_TRUE : PETSC_FALSE));
  for (int c = CCA_CHECK_NONE; c <= CCA_CHECK_CERTIFY; c++) {
    PetscCall(PetscStrcasecmp(check, CCAChecks[c], &same));
    if (same) PetscCall(CCASetCheck(s->cca, (CCACheck)c));
    if (same) found = PETSC_TRUE;
  }
  PetscCheck(found, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "There is no check '%s': none, quick or certify", check);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FlatCCA_SetWeights(NapiFlatCCA *s, const double w[])
{
  Mat          X;
  Vec          v;
  PetscScalar *a;
  PetscInt     n;

  PetscFunctionBegin;
  PetscCall(CCAGetData(s->cca, &X, NULL));
  PetscCall(MatCreateVecs(X, NULL, &v));
  PetscCall(VecGetLocalSize(v, &n));
  PetscCall(VecGetArrayWrite(v, &a));
  for (PetscInt i = 0; i < n; i++) a[i] = w[i];
  PetscCall(VecRestoreArrayWrite(v, &a));
  PetscCall(CCASetWeights(s->cca, v));
  PetscCall(VecDestroy(&v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* This process's rows of a block of k columns with a row for each variable */
static PetscErrorCode FlatCCA_Scatter(Mat X, int k, const double block[], Mat *U)
{
  PetscInt     d, m, first, last, ld;
  PetscScalar *u;

  PetscFunctionBegin;
  PetscCall(MatGetSize(X, NULL, &d));
  PetscCall(MatGetLocalSize(X, NULL, &m));
  PetscCall(MatCreateDense(PetscObjectComm((PetscObject)X), m, PETSC_DECIDE, d, k, NULL, U));
  PetscCall(MatGetOwnershipRange(*U, &first, &last));
  PetscCall(MatDenseGetLDA(*U, &ld));
  PetscCall(MatDenseGetArrayWrite(*U, &u));
  for (PetscInt j = 0; j < k; j++)
    for (PetscInt i = first; i < last; i++) u[i - first + j * ld] = block[j * d + i];
  PetscCall(MatDenseRestoreArrayWrite(*U, &u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FlatCCA_SetInitial(NapiFlatCCA *s, int k, const double U[], const double V[])
{
  Mat X[2], W[2];

  PetscFunctionBegin;
  PetscCall(CCAGetData(s->cca, &X[0], &X[1]));
  for (int i = 0; i < 2; i++) PetscCall(FlatCCA_Scatter(X[i], k, i ? V : U, &W[i]));
  PetscCall(CCASetInitialDirections(s->cca, W[0], W[1]));
  for (int i = 0; i < 2; i++) PetscCall(MatDestroy(&W[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- solution ------------------------------------------------------------------------------------------------------------- */

/* The sign that all is to be stopped comes from the caller's language, which is asked ten times a second */
static PetscErrorCode FlatCCA_Poll(CCA cca, PetscBool *stop, void *ctx)
{
  const PetscLogDouble interval = 0.1;
  NapiFlatCCA         *s        = (NapiFlatCCA *)ctx;
  PetscLogDouble       now;

  PetscFunctionBegin;
  (void)cca;
  PetscCall(PetscTime(&now));
  if (!s->stopped && now - s->polled >= interval) {
    s->polled  = now;
    s->stopped = s->poll() ? PETSC_TRUE : PETSC_FALSE;
  }
  *stop = s->stopped;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NapiFlatWatch(NapiFlatCCA *s, NapiFlatPoll poll)
{
  PetscFunctionBegin;
  s->poll    = poll;
  s->polled  = 0.0;
  s->stopped = PETSC_FALSE;
  PetscCall(CCASetStopFunction(s->cca, poll ? FlatCCA_Poll : NULL, s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What was stopped is no result: not here, and not on the processes that nobody has told to stop either */
PetscErrorCode NapiFlatWatched(NapiFlatCCA *s)
{
  PetscFunctionBegin;
  PetscCall(CCASetStopFunction(s->cca, NULL, NULL));
  PetscCheck(!s->cca->stop, PETSC_COMM_SELF, PETSC_ERR_USER, "%s has stopped the work", s->stopped ? "The caller" : "Another process");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* counts: directions there are, converged ones, steps */
PetscErrorCode NapiFlatCounts(NapiFlatCCA *s, int counts[3])
{
  PetscInt           n, nconv, its;
  CCAConvergedReason reason;
  Mat                U;

  PetscFunctionBegin;
  PetscCall(CCAGetConverged(s->cca, &nconv));
  PetscCall(CCAGetConvergedReason(s->cca, &reason));
  PetscCall(CCAGetIterationNumber(s->cca, &its));
  n = 0;
  if (nconv) {
    PetscCall(CCAGetDirections(s->cca, &U, NULL));
    PetscCall(MatGetSize(U, NULL, &n));
  }
  counts[0] = (int)n;
  counts[1] = (int)nconv;
  counts[2] = (int)its;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FlatCCA_Solve(NapiFlatCCA *s, NapiFlatPoll poll, int counts[3])
{
  PetscFunctionBegin;
  PetscCall(NapiFlatWatch(s, poll));
  PetscCall(CCASolve(s->cca));
  PetscCall(NapiFlatWatched(s));
  PetscCall(NapiFlatCounts(s, counts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- results -------------------------------------------------------------------------------------------------------------- */

/* "type" or "reason" */
static PetscErrorCode FlatCCA_GetText(NapiFlatCCA *s, const char what[], char text[], int length)
{
  CCAConvergedReason reason;
  const char        *type = NULL;
  EPS                eps;

  PetscFunctionBegin;
  PetscCall(CCAGetConvergedReason(s->cca, &reason));
  if (!strcmp(what, "reason")) type = CCAConvergedReasons[reason];
  else if (CCAIsSpectral(s->cca)) {
    PetscCall(CCAGetEPS(s->cca, &eps));
    PetscCall(EPSGetType(eps, &type));
  } else PetscCall(CCAGetType(s->cca, &type));
  PetscCall(PetscStrncpy(text, type ? type : "", (size_t)length));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All rows of a matrix that is distributed like the variables, on every process */
static PetscErrorCode FlatCCA_Gather(Mat L, double values[])
{
  const PetscScalar *l;
  PetscInt           d, k, first, last, ld;
  PetscMPIInt        count, size;

  PetscFunctionBegin;
  PetscCall(MatGetSize(L, &d, &k));
  PetscCall(MatGetOwnershipRange(L, &first, &last));
  PetscCall(MatDenseGetLDA(L, &ld));
  PetscCall(PetscMPIIntCast(d, &count));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)L), &size));
  PetscCall(MatDenseGetArrayRead(L, &l));
  for (PetscInt j = 0; j < k; j++) {
    double *column = values + (size_t)j * (size_t)d;

    PetscCall(PetscArrayzero(column, d));
    PetscCall(PetscArraycpy(column + first, l + j * ld, last - first));
    if (size > 1) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, column, count, MPI_DOUBLE, MPI_SUM, PetscObjectComm((PetscObject)L)));
  }
  PetscCall(MatDenseRestoreArrayRead(L, &l));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One over the standard deviations of the variables (root mean squares, if they are not centred), whether the analysis divides by them or not */
static PetscErrorCode FlatCCA_GetFactors(CCA cca, PetscInt view, double values[])
{
  PetscInt block;
  Mat      G, H;

  PetscFunctionBegin;
  PetscCall(CCAGetGram_Private(cca, view, &G, &block));
  PetscCall(CCADuplicateGram_Private(G, PETSC_TRUE, &H));
  PetscCall(MatGramGetScales(H, block, values));
  PetscCall(MatDestroy(&H));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FlatCCA_GetPairs(CCA cca, const char what[], PetscInt n, PetscInt view, double values[], PetscBool *known)
{
  static const struct {
    const char *name;
    PetscErrorCode (*get)(CCA, PetscInt, PetscReal *);
  } numbers[] = {
    {"correlations", CCAGetCorrelation},
    {"values",       CCAGetValue      },
    {"pearson",      CCAGetPearson    },
    {"residuals",    CCAComputeError  },
    {"bounds",       CCAGetErrorBound }
  };

  PetscFunctionBegin;
  *known = PETSC_FALSE;
  for (size_t f = 0; f < PETSC_STATIC_ARRAY_LENGTH(numbers) && !*known; f++) {
    if (strcmp(what, numbers[f].name)) continue;
    for (PetscInt i = 0; i < n; i++) PetscCall((*numbers[f].get)(cca, i, &values[i]));
    *known = PETSC_TRUE;
  }
  if (!strcmp(what, "redundancy")) {
    for (PetscInt i = 0; i < n; i++) PetscCall(CCAGetRedundancy(cca, i, view ? NULL : &values[i], view ? &values[i] : NULL));
    *known = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FlatCCA_GetClasses(CCA cca, const char what[], double values[])
{
  const PetscReal   *prior;
  const PetscScalar *mean;
  PetscInt           n, k;
  Mat                U;

  PetscFunctionBegin;
  PetscCall(CCAGetClasses(cca, &n, &prior, &mean));
  PetscCall(CCAGetDirections(cca, &U, NULL));
  PetscCall(MatGetSize(U, NULL, &k));
  if (!strcmp(what, "priors")) PetscCall(PetscArraycpy(values, prior, n));
  else PetscCall(PetscArraycpy(values, mean, n * k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What it is called, and of which view where there are two: numbers for the pairs, the variables, or the whole */
static PetscErrorCode FlatCCA_Get(NapiFlatCCA *s, const char what[], int view, double values[])
{
  CCA       cca = s->cca;
  PetscBool known;
  PetscInt  n;
  int       counts[3];
  Mat       M[2];

  PetscFunctionBegin;
  PetscCall(NapiFlatCounts(s, counts));
  PetscCall(FlatCCA_GetPairs(cca, what, counts[0], view, values, &known));
  if (known) PetscFunctionReturn(PETSC_SUCCESS);
  if (!strcmp(what, "directions")) {
    PetscCall(CCAGetDirections(cca, &M[0], &M[1]));
    PetscCall(FlatCCA_Gather(M[view], values));
  } else if (!strcmp(what, "loadings") || !strcmp(what, "cross loadings")) {
    PetscCall(CCAGetLoadings(cca, view, strcmp(what, "loadings") ? 1 - view : view, &M[0]));
    PetscCall(FlatCCA_Gather(M[0], values));
  } else if (!strcmp(what, "means")) PetscCall(CCAGetStandardization(cca, view, values, NULL));
  else if (!strcmp(what, "scales")) PetscCall(CCAGetStandardization(cca, view, NULL, values));
  else if (!strcmp(what, "factors")) PetscCall(FlatCCA_GetFactors(cca, view, values));
  else if (!strcmp(what, "samples")) {
    PetscCall(CCAGetData(cca, &M[0], &M[1]));
    PetscCall(MatGetSize(M[view], &n, NULL));
    values[0] = (double)n;
  } else if (!strcmp(what, "ridge")) PetscCall(CCAGetRegularization(cca, &values[0], &values[1]));
  else if (!strcmp(what, "shrinkage")) PetscCall(CCAGetShrinkage(cca, &values[0], &values[1]));
  else if (!strcmp(what, "total variance")) PetscCall(CCAGetTotalVariance(cca, view, values));
  else if (!strcmp(what, "priors") || !strcmp(what, "class means")) PetscCall(FlatCCA_GetClasses(cca, what, values));
  else SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "There is no result called '%s'", what);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The class of each sample by its scores, which are stored by columns: number, among those whose shares and mean scores are given */
static PetscErrorCode FlatCCA_Classify(int64_t rows, int k, const double scores[], int classes, const double prior[], const double mean[], int64_t number[])
{
  PetscInt *found;
  Mat       S;

  PetscFunctionBegin;
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, (PetscInt)rows, k, (PetscScalar *)(uintptr_t)scores, &S));
  PetscCall(PetscMalloc1(PetscMax(1, rows), &found));
  PetscCall(CCAPredictClasses(S, classes, prior, mean, found));
  for (int64_t i = 0; i < rows; i++) number[i] = found[i];
  PetscCall(PetscFree(found));
  PetscCall(MatDestroy(&S));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FlatCCA_Destroy(NapiFlatCCA **solver)
{
  NapiFlatCCA *s = *solver;

  PetscFunctionBegin;
  *solver = NULL;
  if (!s) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CCADestroy(&s->cca));
  PetscCall(PetscFree(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- what the caller sees ------------------------------------------------------------------------------------------------- */

int napi_flat_cca_create(const char *analysis, void *X, void *Y, int classes, const int64_t *label, void **solver)
{
  return NAPI_FLAT(FlatCCA_Create(analysis, (Mat)X, (Mat)Y, classes, label, (NapiFlatCCA **)solver));
}

int napi_flat_cca_set(void *solver, int k, const char *type, double tol, int maxiter, int center, int scale, const char *check)
{
  return NAPI_FLAT(FlatCCA_Set((NapiFlatCCA *)solver, k, type, tol, maxiter, center, scale, check));
}

/* for X and for Y; negative: an estimate */
int napi_flat_cca_set_shrinkage(void *solver, double x, double y)
{
  return NAPI_FLAT(CCASetShrinkage(((NapiFlatCCA *)solver)->cca, x < 0.0 ? CCA_SHRINKAGE_AUTO : x, y < 0.0 ? CCA_SHRINKAGE_AUTO : y));
}

int napi_flat_cca_set_ridge(void *solver, double x, double y)
{
  return NAPI_FLAT(CCASetRegularization(((NapiFlatCCA *)solver)->cca, x, y));
}

int napi_flat_cca_set_weights(void *solver, const double *weights)
{
  return NAPI_FLAT(FlatCCA_SetWeights((NapiFlatCCA *)solver, weights));
}

int napi_flat_cca_set_initial(void *solver, int k, const double *U, const double *V)
{
  return NAPI_FLAT(FlatCCA_SetInitial((NapiFlatCCA *)solver, k, U, V));
}

int napi_flat_cca_solve(void *solver, NapiFlatPoll poll, int *counts)
{
  return NAPI_FLAT(FlatCCA_Solve((NapiFlatCCA *)solver, poll, counts));
}

int napi_flat_cca_text(void *solver, const char *what, char *text, int length)
{
  return NAPI_FLAT(FlatCCA_GetText((NapiFlatCCA *)solver, what, text, length));
}

int napi_flat_cca_get(void *solver, const char *what, int view, double *values)
{
  return NAPI_FLAT(FlatCCA_Get((NapiFlatCCA *)solver, what, view, values));
}

int napi_flat_cca_classify(int64_t rows, int k, const double *scores, int classes, const double *prior, const double *mean, int64_t *number)
{
  return NAPI_FLAT(FlatCCA_Classify(rows, k, scores, classes, prior, mean, number));
}

int napi_flat_cca_destroy(void **solver)
{
  return NAPI_FLAT(FlatCCA_Destroy((NapiFlatCCA **)solver));
}

#endif
