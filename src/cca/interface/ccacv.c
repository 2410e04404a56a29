/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA: cross-validation, by which a shrinkage or a ridge is chosen.

     (1) for each fold: its samples get the weight 0, so that nothing is copied, and means and scales are those of the others; the
         solution for each value, from the largest to the smallest, going on from the last
     (2) of each of these the correlations of the scores of the samples left out, which had no part in it
     (3) the value with the best mean over pairs and folds, and the solution of all samples for it

   A fold begins with what the last one has found for the largest value, and (3) with what it has found for the one chosen. To begin with
   solutions of all samples does not pay: they cost as much as a fold, and save a quarter of a fold's first value.
*/
#include <slepcnapi/private/ccaimpl.h>
#include <slepcnapi/private/gramimpl.h>
#include <math.h>

/* What lives during a cross-validation */
typedef struct {
  PetscInt       nvalues, nfolds, *fold; /* fold: of each local sample */
  PetscInt      *order;                  /* the values from the largest to the smallest */
  Vec            weights;                /* the user's, or NULL */
  Mat           *found[2];               /* for each value the last directions that were found, or NULL */
  Mat            start[2];               /* the user's initial directions */
  PetscReal      tol;                    /* and tolerance */
  PetscReal      shrinkage[2], ridge[2]; /* and regularisation */
  PetscBool      shrunk;
  CCACovariances all, out; /* of all samples, and of those of the fold left out; for a type that forms them */
} CVWork;

/* ------------------------------------------------- scores of the samples left out ------------------------------------------------- */

/* T = X diag(s) U for the m local samples of a list, by columns: the means would only shift all of a column */
static PetscErrorCode CCACV_Scores(CCA cca, PetscInt view, PetscInt m, const PetscInt list[], PetscScalar *T)
{
  GramData       *data = ((Mat_Gram *)cca->B->data)->data;
  const GramView *v    = &data->view[view];
  const PetscInt  d = cca->d[view], k = cca->ncols, n = data->n;
  PetscScalar    *u, *all;
  PetscReal      *scale;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(d * k, &u, d, &scale));
  PetscCall(CCAGatherDense_Private(view ? cca->V : cca->U, u));
  if (cca->scale) {
    PetscCall(MatGramGetScales(cca->B, view, scale));
    for (PetscInt j = 0; j < d * k; j++) u[j] *= scale[j % d];
  }
  PetscCall(GramDataGetRows(data));
  if (v->sparse) {
    for (PetscInt i = 0; i < m; i++) {
      for (PetscInt c = 0; c < k; c++) {
        PetscScalar sum = 0.0;

        for (PetscInt j = v->ia[list[i]]; j < v->ia[list[i] + 1]; j++) sum += v->a[j] * u[v->ja[j] + c * d];
        T[i + c * m] = sum;
      }
    }
  } else if (n) {
    PetscCall(PetscMalloc1(n * k, &all));
    PetscCall(NAPIGemm("N", "N", n, k, d, 1.0, v->a, v->lda, u, d, 0.0, all, n));
    for (PetscInt c = 0; c < k; c++)
      for (PetscInt i = 0; i < m; i++) T[i + c * m] = all[list[i] + c * n];
    PetscCall(PetscFree(all));
  }
  PetscCall(GramDataRestoreRows(data));
  PetscCall(PetscFree2(u, scale));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (2) r := k correlations of the samples of a fold; pairs that do not exist have none */
static PetscErrorCode CCACV_Validate(CCA cca, const CVWork *work, PetscInt f, PetscReal r[])
{
  const PetscScalar *w = NULL;
  PetscScalar       *T[2];
  PetscReal         *held;
  PetscInt          *list, n, m = 0, lda[2];

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(r, cca->k));
  cca->cv.constant += cca->k - cca->ncols;
  if (!cca->ncols) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetLocalSize(cca->X, &n, NULL));
  PetscCall(PetscMalloc2(n, &list, n, &held));
  if (work->weights) PetscCall(VecGetArrayRead(work->weights, &w));
  for (PetscInt i = 0; i < n; i++) {
    if (work->fold[i] != f) continue;
    list[m]   = i;
    held[m++] = w ? PetscRealPart(w[i]) : 1.0;
  }
  if (w) PetscCall(VecRestoreArrayRead(work->weights, &w));
  lda[0] = lda[1] = m;
  PetscCall(PetscMalloc2(m * cca->ncols, &T[0], m * cca->ncols, &T[1]));
  for (PetscInt v = 0; v < 2; v++) PetscCall(CCACV_Scores(cca, v, m, list, T[v]));
  PetscCall(CCACorrelate_Private(PetscObjectComm((PetscObject)cca), m, cca->ncols, (const PetscScalar *const *)T, lda, held, cca->center, r, &cca->cv.constant));
  PetscCall(PetscFree2(T[0], T[1]));
  PetscCall(PetscFree2(list, held));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- solutions ------------------------------------------------- */

/* A type that forms covariances gets those of a fold's other samples without going through them; to be called after set-up */
static PetscErrorCode CCACV_SetCovariances(CCA cca, const CVWork *work)
{
  PetscScalar *C;

  PetscFunctionBegin;
  if (!work->out.C) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CCACovariancesLeaveOut_Private(cca, &work->all, &work->out, &C));
  if (C) PetscCall((*cca->ops->setcovariances)(cca, C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solution for value l, which begins with what was found for it before or, if nothing was, for another one */
static PetscErrorCode CCACV_Solve(CCA cca, CVWork *work, PetscInt l, PetscInt other)
{
  const PetscInt from = work->found[0][l] ? l : other;
  PetscReal      a, b, value = cca->cv.value[l];

  PetscFunctionBegin;
  if (cca->cv.kind == CCA_PATH_SHRINKAGE) PetscCall(CCASetShrinkage(cca, value, value));
  else if (cca->cv.kind == CCA_PATH_RIDGE) PetscCall(CCASetRegularization(cca, value, value));
  if (!cca->setupcalled) {
    PetscCall(CCASetUp(cca));
    PetscCall(CCACV_SetCovariances(cca, work));
  }
  PetscCall(CCASetInitialDirections(cca, work->found[0][from], work->found[1][from]));
  cca->startset = PETSC_FALSE; /* what the type has kept from another value is better */
  PetscCall(CCASolve(cca));
  PetscCall(CCAGetCost_Private(cca, &a, &b, NULL));
  PetscCall(PetscInfo(cca, "%s %g: %g and %g columns by A and B, %s\n", CCAPaths[cca->cv.kind], (double)value, (double)a, (double)b, CCAConvergedReasons[cca->reason]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Keeps the directions that were found for value l */
static PetscErrorCode CCACV_Keep(CCA cca, CVWork *work, PetscInt l)
{
  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) {
    PetscCall(MatDestroy(&work->found[i][l]));
    if (cca->ncols) PetscCall(MatDuplicate(i ? cca->V : cca->U, MAT_COPY_VALUES, &work->found[i][l]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (1) and (2) for a fold; it is done unless the work had to end */
static PetscErrorCode CCACV_SolveFold(CCA cca, CVWork *work, PetscInt f)
{
  PetscScalar *t, *o;
  PetscInt     n;
  Vec          train, out;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(cca->X, NULL, &train));
  PetscCall(VecGetLocalSize(train, &n));
  if (work->weights) PetscCall(VecCopy(work->weights, train));
  else PetscCall(VecSet(train, 1.0));
  PetscCall(VecDuplicate(train, &out));
  PetscCall(VecGetArray(train, &t));
  PetscCall(VecGetArrayWrite(out, &o));
  for (PetscInt i = 0; i < n; i++) {
    o[i] = work->fold[i] == f ? t[i] : 0.0;
    if (work->fold[i] == f) t[i] = 0.0;
  }
  PetscCall(VecRestoreArrayWrite(out, &o));
  PetscCall(VecRestoreArray(train, &t));
  PetscCall(CCASetWeights(cca, train));
  if (work->all.C) PetscCall(CCACovariancesForm_Private(cca, out, &work->out));
  PetscCall(VecDestroy(&out));
  PetscCall(VecDestroy(&train));
  for (PetscInt j = 0; j < work->nvalues && !cca->stop; j++) {
    const PetscInt l = work->order[j];

    PetscCall(CCAPoll_Private(cca));
    if (cca->stop) break;
    PetscCall(CCACV_Solve(cca, work, l, work->order[PetscMax(0, j - 1)]));
    if (cca->reason == CCA_DIVERGED_USER) break;
    if (cca->reason <= 0) cca->cv.failed++;
    PetscCall(CCACV_Keep(cca, work, l));
    PetscCall(CCACV_Validate(cca, work, f, cca->cv.r + (l * work->nfolds + f) * cca->k));
  }
  PetscCall(CCACovariancesDestroy_Private(&work->out));
  if (!cca->stop) cca->cv.done++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- what comes of it ------------------------------------------------- */

/* CCAResetCrossValidation_Private - Forgets the last one; the settings stay */
PetscErrorCode CCAResetCrossValidation_Private(CCA cca)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(cca->cv.value));
  PetscCall(PetscFree2(cca->cv.mean, cca->cv.error));
  PetscCall(PetscFree(cca->cv.r));
  cca->cv.nvalues = cca->cv.nfolds = cca->cv.k = cca->cv.done = 0;
  cca->cv.failed = cca->cv.constant = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (3) Means over pairs and folds, as far as these are done, and their standard errors, where there are two folds */
static PetscErrorCode CCACV_Average(CCA cca)
{
  CCACrossValidation *cv = &cca->cv;

  PetscFunctionBegin;
  for (PetscInt l = 0; l < cv->nvalues; l++) {
    PetscReal sum = 0.0, squares = 0.0;

    for (PetscInt pass = 0; pass < 2; pass++) {
      for (PetscInt f = 0; f < cv->done; f++) {
        PetscReal m = 0.0;

        for (PetscInt i = 0; i < cv->k; i++) m += cv->r[(l * cv->nfolds + f) * cv->k + i] / (PetscReal)cv->k;
        if (pass) squares += PetscSqr(m - cv->mean[l]);
        else sum += m;
      }
      if (!pass) cv->mean[l] = cv->done ? sum / (PetscReal)cv->done : (PetscReal)NAN;
    }
    cv->error[l] = cv->done > 1 ? PetscSqrtReal(squares / ((PetscReal)cv->done * (PetscReal)(cv->done - 1))) : (PetscReal)NAN;
    for (PetscInt i = cv->done * cv->k; i < cv->nfolds * cv->k; i++) cv->r[l * cv->nfolds * cv->k + i] = (PetscReal)NAN;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The value that is the best; the largest that is within one standard error of it, if wanted; none if the work had to end before that is known */
static PetscErrorCode CCACV_Choose(CCA cca, const CVWork *work)
{
  CCACrossValidation *cv = &cca->cv;
  PetscInt            best;

  PetscFunctionBegin;
  cv->best = -1;
  if (cv->done < cv->nfolds) PetscFunctionReturn(PETSC_SUCCESS);
  best = work->order[0]; /* of equals the larger */
  for (PetscInt j = 1; j < cv->nvalues; j++)
    if (cv->mean[work->order[j]] > cv->mean[best]) best = work->order[j];
  cv->best = best;
  for (PetscInt j = cv->nvalues - 1; j >= 0 && cv->onese; j--)
    if (cv->value[work->order[j]] > cv->value[best] && cv->mean[work->order[j]] >= cv->mean[best] - cv->error[best]) cv->best = work->order[j];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CCACV_Begin(CCA cca, CCAPath kind, PetscInt n, const PetscReal value[], CVWork *work)
{
  CCACrossValidation *cv = &cca->cv;
  PetscReal          *key;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(work, sizeof(*work)));
  PetscCall(CCAGetFolds_Private(cca, &work->nfolds, &work->fold));
  PetscCall(CCAResetCrossValidation_Private(cca));
  work->nvalues = cv->nvalues = n;
  cv->nfolds                  = work->nfolds;
  cv->k                       = cca->k;
  cv->kind                    = kind;
  PetscCall(PetscMalloc1(n, &cv->value));
  PetscCall(PetscCalloc2(n, &cv->mean, n, &cv->error));
  PetscCall(PetscCalloc1(n * cv->nfolds * cv->k, &cv->r));
  PetscCall(PetscArraycpy(cv->value, value, n));
  PetscCall(PetscCalloc3(n, &work->order, n, &work->found[0], n, &work->found[1]));
  PetscCall(PetscMalloc1(n, &key));
  for (PetscInt j = 0; j < n; j++) {
    work->order[j] = j;
    key[j]         = -value[j];
  }
  PetscCall(PetscSortRealWithArrayInt(n, key, work->order));
  PetscCall(PetscFree(key));
  if (cca->weights) {
    PetscCall(VecDuplicate(cca->weights, &work->weights));
    PetscCall(VecCopy(cca->weights, work->weights));
  }
  for (int i = 0; i < 2; i++) {
    work->start[i] = cca->start[i];
    cca->start[i]  = NULL;
  }
  PetscCall(CCASetUp(cca)); /* by now there is a type */
  if (cca->ops->setcovariances && PetscMax(cca->d[0], cca->d[1]) <= cca->n) PetscCall(CCACovariancesForm_Private(cca, work->weights, &work->all));
  work->shrunk = cca->shrunk;
  PetscCall(PetscArraycpy(work->shrinkage, cca->shrinkage, 2));
  PetscCall(PetscArraycpy(work->ridge, cca->absolute, 2));
  cca->stop      = PETSC_FALSE;
  work->tol      = cca->tol;
  cca->tol       = PetscMax(cca->tol, cv->tol);
  cca->cv.inside = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The object is as it was, but for the value that was chosen and the solution for it, if there is one */
static PetscErrorCode CCACV_End(CCA cca, CVWork *work)
{
  PetscFunctionBegin;
  PetscCall(CCASetWeights(cca, work->weights));
  PetscCall(VecDestroy(&work->weights));
  cca->tol       = work->tol;
  cca->cv.inside = PETSC_FALSE; /* this one is the user's */
  if (cca->cv.best >= 0) PetscCall(CCACV_Solve(cca, work, cca->cv.best, cca->cv.best));
  else {
    if (work->shrunk) PetscCall(CCASetShrinkage(cca, work->shrinkage[0], work->shrinkage[1]));
    else PetscCall(CCASetRegularization(cca, work->ridge[0], work->ridge[1]));
    cca->reason = CCA_DIVERGED_USER;
  }
  for (int i = 0; i < 2; i++) {
    PetscCall(MatDestroy(&cca->start[i]));
    cca->start[i] = work->start[i];
    for (PetscInt l = 0; l < work->nvalues; l++) PetscCall(MatDestroy(&work->found[i][l]));
  }
  PetscCall(PetscFree3(work->order, work->found[0], work->found[1]));
  PetscCall(PetscFree(work->fold));
  PetscCall(CCACovariancesDestroy_Private(&work->all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*E
   CCAPath - What the values of CCACrossValidate() are

   Values:
+  CCA_PATH_SHRINKAGE - shrinkages, see CCASetShrinkage()
.  CCA_PATH_RIDGE     - ridges, see CCASetRegularization()
-  CCA_PATH_NONE      - nothing: the regularisation stays as it is

   Level: intermediate

.seealso: CCACrossValidate()
E*/
const char *const CCAPaths[] = {"shrinkage", "ridge", "none", "CCAPath", "CCA_PATH_", NULL};

/*@
   CCACrossValidate - Chooses a shrinkage, or a ridge, by how well the correlations hold for samples that had no part in finding them, and
   solves with it.

   Collective

   Input Parameters:
+  cca    - the object, with data and settings
.  kind   - CCA_PATH_SHRINKAGE or CCA_PATH_RIDGE, or CCA_PATH_NONE to choose nothing
.  n      - how many values there are to choose from; one is allowed
-  values - the values, each for both views; ignored, as is n, for CCA_PATH_NONE

   Options Database Keys:
+  -cca_cv_folds <n>                     - how many folds
.  -cca_cv_order <random or contiguous>  - how samples are shared out to them
.  -cca_cv_seed <seed>                   - for the random ones
.  -cca_cv_tol <1e-4>                    - tolerance of the solutions in which a fold is left out
-  -cca_cv_one_se                        - the largest value within one standard error of the best

   Level: intermediate

   Notes:
   The samples are shared out to folds, see CCASetFolds() and CCASetFoldNumbers(). Each is left out in turn, means, scales, shrinkage and
   directions come from the others, and the score of a value is the mean over pairs and folds of Pearson's correlation of the scores
   of the samples left out (the cosine, if the data are not centred). The value with the highest is chosen, of equal ones the larger, and
   with CCASetOneStandardError() the largest whose score is no more than a standard error below.

   Afterwards the object has the value that was chosen, and the solution of all samples for it. No data are copied: a fold is left out
   by weights of zero, see CCASetWeights(); other weights that have been set count in the solutions and in the correlations.

   If it is stopped, see CCASetStopFunction(), before all folds are done, nothing is chosen and nothing solved: the object has its settings as before, no pairs, and CCA_DIVERGED_USER as
   its reason. The folds that are complete, see CCAGetFoldsDone(), have their correlations, and the means are of these.

   While a fold is left out the tolerance is that of CCASetCrossValidationTolerance(), if that is larger.

   A score that is constant over a fold has no correlation, nor has a pair that does not exist; both count as 0, and
   CCAGetCrossValidationTrouble() tells how many there were.

.seealso: CCAGetCrossValidation(), CCAGetCrossValidatedCorrelation(), CCASetFolds(), CCASetFoldNumbers(), CCASetOneStandardError(), CCASetStopFunction()
@*/
PetscErrorCode CCACrossValidate(CCA cca, CCAPath kind, PetscInt n, const PetscReal values[])
{
  const PetscReal most = kind == CCA_PATH_SHRINKAGE ? 1.0 : PETSC_MAX_REAL, any = 0.0;
  MPI_Comm        comm;
  CVWork          work;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(cca, kind, 2);
  PetscValidLogicalCollectiveInt(cca, n, 3);
  comm = PetscObjectComm((PetscObject)cca);
  PetscCheck(kind == CCA_PATH_SHRINKAGE || kind == CCA_PATH_RIDGE || kind == CCA_PATH_NONE, comm, PETSC_ERR_ARG_OUTOFRANGE, "There is no path number %d: use CCA_PATH_SHRINKAGE, CCA_PATH_RIDGE or CCA_PATH_NONE", (int)kind);
  if (kind == CCA_PATH_NONE) {
    n      = 1;
    values = &any;
  }
  PetscAssertPointer(values, 4);
  PetscCheck(cca->X, comm, PETSC_ERR_ORDER, "There are no data yet: call CCASetData() first");
  CCACheckCorrelations(cca, "Cross-validation");
  PetscCheck(n > 0, comm, PETSC_ERR_ARG_OUTOFRANGE, "There must be a value at least to be cross-validated, not %" PetscInt_FMT, n);
  for (PetscInt j = 0; j < n; j++)
    PetscCheck(values[j] >= 0.0 && values[j] < most, comm, PETSC_ERR_ARG_OUTOFRANGE, "A %s must %s, not %g", CCAPaths[kind], kind == CCA_PATH_SHRINKAGE ? "be at least 0 and less than 1" : "be finite and not negative", (double)values[j]);
  PetscCall(CCACV_Begin(cca, kind, n, values, &work));
  for (PetscInt f = 0; f < work.nfolds && !cca->stop; f++) PetscCall(CCACV_SolveFold(cca, &work, f));
  PetscCall(CCACV_Average(cca));
  PetscCall(CCACV_Choose(cca, &work));
  PetscCall(CCACV_End(cca, &work));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCASetOneStandardError - Lets CCACrossValidate() choose the largest value whose score is no more than one standard error below the best.

   Logically Collective

   Input Parameters:
+  cca - the object
-  flg - whether it does, by default PETSC_FALSE

   Options Database Key:
.  -cca_cv_one_se - does it

   Level: intermediate

   Note:
   The standard error is that of the best score, from its values of the folds.

.seealso: CCACrossValidate()
@*/
PetscErrorCode CCASetOneStandardError(CCA cca, PetscBool flg)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscValidLogicalCollectiveBool(cca, flg, 2);
  cca->cv.onese = flg;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCASetCrossValidationTolerance - Sets how accurate the solutions of CCACrossValidate() are in which a fold is left out.

   Logically Collective

   Input Parameters:
+  cca - the object
-  tol - the tolerance, by default 1e-4; that of CCASetTolerances() is used if it is larger

   Options Database Key:
.  -cca_cv_tol <tol> - sets it

   Level: advanced

   Note:
   Correlations of other samples are wrong by less than that, which is less than what they differ by from fold to fold, and such solutions
   cost half as much. The last one, of all samples, has the tolerance of CCASetTolerances().

.seealso: CCACrossValidate(), CCASetTolerances()
@*/
PetscErrorCode CCASetCrossValidationTolerance(CCA cca, PetscReal tol)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscValidLogicalCollectiveReal(cca, tol, 2);
  PetscCheck(tol > 0.0, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_OUTOFRANGE, "The tolerance must be positive, not %g", (double)tol);
  cca->cv.tol = tol;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define CCACheckValidated(cca) PetscCheck((cca)->cv.nvalues, PetscObjectComm((PetscObject)(cca)), PETSC_ERR_ORDER, "There is no cross-validation yet: call CCACrossValidate() first")

/*@C
   CCAGetCrossValidation - Gets what CCACrossValidate() has found.

   Not Collective

   Input Parameter:
.  cca - the object

   Output Parameters:
+  n      - the number of values
.  nfolds - of folds
.  k      - of pairs
.  best   - which value was chosen, from 0 on; -1 if none was, because it was stopped before
.  values - n values, in the order in which they were given; a zero for CCA_PATH_NONE
.  mean   - for each its score, the mean over pairs and folds of the correlations of the samples left out
.  error  - and its standard error, from the means over pairs of the folds
-  r      - the correlations themselves: that of pair i in fold f for value j is r[(j*nfolds + f)*k + i]

   Level: intermediate

   Note:
   The arrays belong to the object, and are valid until the next CCACrossValidate() or CCASetData(). NULL for what is not wanted. If it was stopped, what is not known is NaN:
   correlations of folds that were not left out, means if no fold was, standard errors unless two were.

.seealso: CCACrossValidate(), CCAGetCrossValidatedCorrelation(), CCAGetCrossValidationTrouble()
@*/
PetscErrorCode CCAGetCrossValidation(CCA cca, PetscInt *n, PetscInt *nfolds, PetscInt *k, PetscInt *best, const PetscReal *values[], const PetscReal *mean[], const PetscReal *error[], const PetscReal *r[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  CCACheckValidated(cca);
  if (n) *n = cca->cv.nvalues;
  if (nfolds) *nfolds = cca->cv.nfolds;
  if (k) *k = cca->cv.k;
  if (best) *best = cca->cv.best;
  if (values) *values = cca->cv.value;
  if (mean) *mean = cca->cv.mean;
  if (error) *error = cca->cv.error;
  if (r) *r = cca->cv.r;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAGetCrossValidatedCorrelation - Gets the correlation of a pair for samples that had no part in finding it.

   Not Collective

   Input Parameters:
+  cca - the object
-  i   - number of the pair, from 0

   Output Parameters:
+  r     - the mean over the folds, for the value that CCACrossValidate() has chosen
-  error - its standard error; NULL if not wanted

   Level: intermediate

   Note:
   Pairs are numbered in each fold by their own correlations. Where two of these are close the folds may have them in different order.

.seealso: CCACrossValidate(), CCAGetCrossValidation()
@*/
PetscErrorCode CCAGetCrossValidatedCorrelation(CCA cca, PetscInt i, PetscReal *r, PetscReal *error)
{
  const CCACrossValidation *cv      = &cca->cv;
  PetscReal                 squares = 0.0;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscAssertPointer(r, 3);
  CCACheckValidated(cca);
  PetscCheck(cv->best >= 0, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_WRONGSTATE, "The cross-validation was stopped before a value was chosen: CCAGetCrossValidation() has what is known");
  PetscCheck(i >= 0 && i < cv->k, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_OUTOFRANGE, "There is no pair %" PetscInt_FMT ": they are numbered from 0, and %" PetscInt_FMT " were cross-validated", i, cv->k);
  *r = 0.0;
  for (PetscInt f = 0; f < cv->nfolds; f++) *r += cv->r[(cv->best * cv->nfolds + f) * cv->k + i] / (PetscReal)cv->nfolds;
  for (PetscInt f = 0; f < cv->nfolds; f++) squares += PetscSqr(cv->r[(cv->best * cv->nfolds + f) * cv->k + i] - *r);
  if (error) *error = PetscSqrtReal(squares / ((PetscReal)cv->nfolds * (PetscReal)(cv->nfolds - 1)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAGetCrossValidationTrouble - Gets what was not as it should be in the last CCACrossValidate().

   Not Collective

   Input Parameter:
.  cca - the object

   Output Parameters:
+  failed   - solutions that did not reach the tolerance, whose correlations were used as they are
-  constant - correlations that do not exist, since a score was the same for all samples of a fold, or there were not so many pairs; they
              count as 0

   Level: intermediate

.seealso: CCACrossValidate()
@*/
PetscErrorCode CCAGetCrossValidationTrouble(CCA cca, PetscInt *failed, PetscInt *constant)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  CCACheckValidated(cca);
  if (failed) *failed = cca->cv.failed;
  if (constant) *constant = cca->cv.constant;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAGetFoldsDone - Gets how many folds CCACrossValidate() has left out.

   Not Collective

   Input Parameter:
.  cca - the object

   Output Parameter:
.  count - the number: all folds, or fewer if it was stopped

   Level: intermediate

.seealso: CCACrossValidate(), CCASetStopFunction()
@*/
PetscErrorCode CCAGetFoldsDone(CCA cca, PetscInt *count)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscAssertPointer(count, 2);
  CCACheckValidated(cca);
  *count = cca->cv.done;
  PetscFunctionReturn(PETSC_SUCCESS);
}
