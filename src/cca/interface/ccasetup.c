/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA: the data, initial directions, and what is prepared before a solution.
*/
#include <slepcnapi/private/ccaimpl.h>
#include <slepcnapi/private/gramimpl.h>

/*@
   CCASetData - Gives the two data sets.

   Collective

   Input Parameters:
+  cca - the object
.  X   - the first one, a row for each sample
-  Y   - the second one, with as many rows, row i of both being the same sample, and the same distribution of rows

   Level: beginner

   Notes:
   The matrices are referenced, not copied, and not changed. They are AIJ or dense; others are converted to AIJ.

   Other analyses, which CCASetAnalysis() chooses beforehand, expect other data: principal components X alone (Y is NULL), ratios of variances
   two sets of samples with the same variables. Discriminants have CCASetClasses().

.seealso: CCAGetData(), CCASolve()
@*/
PetscErrorCode CCASetData(CCA cca, Mat X, Mat Y)
{
  PetscInt n, m;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscValidHeaderSpecific(X, MAT_CLASSID, 2);
  PetscCheckSameComm(cca, 1, X, 2);
  PetscCheck(cca->analysis != CCA_ANALYSIS_LDA, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_WRONGSTATE, "Discriminant analysis takes samples and their classes: call CCASetClasses()");
  PetscCheck(Y || cca->analysis == CCA_ANALYSIS_PCA, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_NULL, "There is no Y: only principal components are those of one data set, call CCASetAnalysis() first");
  if (Y) {
    PetscValidHeaderSpecific(Y, MAT_CLASSID, 3);
    PetscCheckSameComm(cca, 1, Y, 3);
  }
  PetscCall(MatGetSize(X, &n, NULL));
  m = n;
  if (Y) PetscCall(MatGetSize(Y, &m, NULL));
  PetscCheck(n == m || cca->analysis == CCA_ANALYSIS_GEV, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_SIZ, "X has %" PetscInt_FMT " rows and Y has %" PetscInt_FMT ": row i of both must be the same sample", n, m);
  PetscCall(PetscObjectReference((PetscObject)X));
  if (Y) PetscCall(PetscObjectReference((PetscObject)Y));
  PetscCall(CCAResetSetUp_Private(cca));
  PetscCall(CCAResetCrossValidation_Private(cca));
  PetscCall(MatDestroy(&cca->X));
  PetscCall(MatDestroy(&cca->Y));
  cca->X = X;
  cca->Y = Y;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A copy of weights, or none, in the place of those there are */
static PetscErrorCode CCASetWeights_Copy(CCA cca, Vec w, Vec *weights)
{
  Vec copy = NULL;

  PetscFunctionBegin;
  if (w) {
    PetscCall(VecDuplicate(w, &copy));
    PetscCall(VecCopy(w, copy));
  }
  PetscCall(CCAResetSetUp_Private(cca));
  PetscCall(VecDestroy(weights));
  *weights = copy;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCASetWeights - Gives each sample a weight, with which it enters covariances, means and deviations.

   Collective

   Input Parameters:
+  cca - the object
-  w   - a number for each sample that is not negative, distributed like the rows of the data; NULL for none, which is
         the same as 1 for each

   Level: intermediate

   Notes:
   A weight of 2 is the same as a sample that is there twice, a weight of 0 the same as one that is not there: so folds of
   a cross-validation and samples of a bootstrap need no copy of the data. A common factor of all weights changes nothing.

   The numbers are copied, and used until others are set. Methods whose inner solver goes from sample to sample (CCAALS and CCASI by
   default) refuse them; -cca_ksp_type blockcg takes them.

   Where X and Y have different samples (CCA_ANALYSIS_GEV), CCASetViewWeights() gives each its own.

.seealso: CCAGetWeights(), CCASetViewWeights(), CCASetData(), MatGramSetWeights()
@*/
PetscErrorCode CCASetWeights(CCA cca, Vec w)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  if (w) {
    PetscValidHeaderSpecific(w, VEC_CLASSID, 2);
    PetscCheckSameComm(cca, 1, w, 2);
  }
  PetscCall(CCASetWeights_Copy(cca, w, &cca->weights));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCASetViewWeights - Gives the samples of one view their weights, where the views have different samples: CCA_ANALYSIS_GEV.

   Collective

   Input Parameters:
+  cca  - the object
.  view - 0 for X, 1 for Y
-  w    - a number for each sample of this view that is not negative, distributed like its rows; NULL for none

   Level: intermediate

   Note:
   They mean what those of CCASetWeights() mean, which is for all other analyses.

.seealso: CCASetWeights(), CCASetAnalysis()
@*/
PetscErrorCode CCASetViewWeights(CCA cca, PetscInt view, Vec w)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscValidLogicalCollectiveInt(cca, view, 2);
  PetscCheck(view == 0 || view == 1, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_OUTOFRANGE, "There is no view %" PetscInt_FMT ": X is 0 and Y is 1", view);
  if (w) {
    PetscValidHeaderSpecific(w, VEC_CLASSID, 3);
    PetscCheckSameComm(cca, 1, w, 3);
  }
  PetscCall(CCASetWeights_Copy(cca, w, &cca->own[view]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAGetWeights - Gets the weights of the samples.

   Not Collective

   Input Parameter:
.  cca - the object

   Output Parameter:
.  w - the weights, which remain the object's and must not be changed, or NULL if there are none

   Level: intermediate

.seealso: CCASetWeights()
@*/
PetscErrorCode CCAGetWeights(CCA cca, Vec *w)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscAssertPointer(w, 2);
  *w = cca->weights;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAGetData - Gets the two data sets.

   Not Collective

   Input Parameter:
.  cca - the object

   Output Parameters:
+  X - the first one
-  Y - the second one

   Level: beginner

.seealso: CCASetData()
@*/
PetscErrorCode CCAGetData(CCA cca, Mat *X, Mat *Y)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  if (X) *X = cca->X;
  if (Y) *Y = cca->Y;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCASetInitialDirections - Gives directions to begin with, such as the solution for another ridge.

   Collective

   Input Parameters:
+  cca - the object
.  U   - dense, a direction in each column, rows distributed like the columns of X; NULL for none
-  V   - the same for Y, with as many columns

   Level: intermediate

   Notes:
   They are copied, and used by every CCASolve() until other ones are set. Those of CCAGetDirections() will do. After a change of the
   ridges alone CCANAPI goes on with its own bases instead, unless the directions have been set since its last solution.

   Methods that do not iterate ignore them.

.seealso: CCAGetDirections(), CCASetRegularization()
@*/
PetscErrorCode CCASetInitialDirections(CCA cca, Mat U, Mat V)
{
  Mat      start[2] = {NULL, NULL};
  PetscInt p, q;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscCheck(!U == !V, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_WRONG, "Directions are needed in both views, or in none");
  if (U) {
    PetscCall(MatGetSize(U, NULL, &p));
    PetscCall(MatGetSize(V, NULL, &q));
    PetscCheck(p == q, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_SIZ, "There are %" PetscInt_FMT " directions in the first view and %" PetscInt_FMT " in the second: there must be as many", p, q);
    PetscCall(MatDuplicate(U, MAT_COPY_VALUES, &start[0]));
    PetscCall(MatDuplicate(V, MAT_COPY_VALUES, &start[1]));
  }
  for (int i = 0; i < 2; i++) {
    PetscCall(MatDestroy(&cca->start[i]));
    cca->start[i] = start[i];
  }
  cca->startset = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Columns that are divided by their deviation, or that of the view, may be of any size, as long as that and its inverse are numbers with all their
   digits; the mean, of a column that is centred, must not drown them.
*/
static PetscErrorCode CCASetUp_CheckScales(CCA cca, PetscInt view, const char *name)
{
  const PetscReal range = PetscPowReal(PETSC_MAX_REAL, 0.94); /* 1e290 */
  PetscReal      *s;
  PetscScalar    *m;
  PetscBool       finite = PETSC_TRUE, inrange = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(cca->d[view], &s, cca->d[view], &m));
  PetscCall(MatGramGetFactors_Private(cca->B, view, s));
  PetscCall(MatGramGetMeans(cca->B, view, m));
  for (PetscInt j = 0; j < cca->d[view]; j++) {
    if (PetscIsInfOrNanReal(PetscAbsScalar(m[j]))) finite = PETSC_FALSE;
    if (PetscIsInfOrNanReal(s[j]) || s[j] > range || (s[j] > 0.0 && s[j] < 1.0 / range)) inrange = PETSC_FALSE;
  }
  PetscCall(PetscFree2(s, m));
  PetscCheck(finite, PetscObjectComm((PetscObject)cca), PETSC_ERR_FP, "%s has an entry that is not a finite number: remove such samples or fill the gaps first", name);
  PetscCheck(inrange, PetscObjectComm((PetscObject)cca), PETSC_ERR_FP, "%s has a column that is so large or so small that its deviation, or one over it, is no number any more: use other units", name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A and B: each view in the units in which it is regularised */
static PetscErrorCode CCASetUp_Pair(CCA cca)
{
  PetscReal norm;

  PetscFunctionBegin;
  PetscCall(MatDestroy(&cca->A)); /* of a set-up that has ended in an error */
  PetscCall(MatDestroy(&cca->B));
  for (int i = 0; i < 2; i++) PetscCall(MatDestroy(&cca->S[i]));
  PetscCall(MatCreateCCAPair(cca->X, cca->Y, 0.0, 0.0, cca->center, &cca->A, &cca->B));
  if (cca->weights) PetscCall(MatGramSetWeights(cca->B, cca->weights));
  for (int i = 0; i < 2; i++) {
    const char     *name    = i ? "Y" : "X";
    const PetscBool classes = (PetscBool)(i && cca->analysis == CCA_ANALYSIS_LDA); /* these are not regularised */
    const PetscBool shrunk  = (PetscBool)(cca->shrunk && !classes);

    cca->factor[i]        = 1.0;
    cca->shrinkageused[i] = 0.0;
    cca->ridge[i]         = classes ? 0.0 : cca->absolute[i];
    cca->unit[i]          = (PetscBool)(cca->scale || (!shrunk && cca->ridge[i] == 0.0));
    if (shrunk) PetscCall(CCAShrink_Private(cca, i));
    else if (!cca->unit[i]) { /* else CCASetUp_CheckScales() looks at them, where their squares may be anything */ PetscCall(MatNorm(i ? cca->Y : cca->X, NORM_FROBENIUS, &norm)); /* a sum over all entries is finite only if they are */
      PetscCheck(!PetscIsInfOrNanReal(norm), PetscObjectComm((PetscObject)cca), PETSC_ERR_FP, "%s has an entry that is not a finite number (or so large that its square is not): remove such samples or fill the gaps first", name);
    }
    PetscCall(MatGramSetViewScaling(cca->A, i, cca->unit[i]));
    PetscCall(MatGramSetViewScaling(cca->B, i, cca->unit[i]));
    PetscCall(MatGramSetFactor_Private(cca->A, i, cca->factor[i]));
    PetscCall(MatGramSetFactor_Private(cca->B, i, cca->factor[i]));
    if (cca->unit[i] || shrunk) PetscCall(CCASetUp_CheckScales(cca, i, name));
  }
  PetscCall(MatGramSetRidge(cca->B, cca->ridge[0], cca->ridge[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A number that is another one after each change of the data */
static PetscErrorCode CCASetUp_GetState(CCA cca, PetscObjectState state[2])
{
  PetscFunctionBegin;
  PetscCall(PetscObjectStateGet((PetscObject)cca->X, &state[0]));
  state[1] = 0;
  if (cca->Y) PetscCall(PetscObjectStateGet((PetscObject)cca->Y, &state[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The user may have changed numbers of the data, on whatever rank: nothing that was made of them is of use then */
static PetscErrorCode CCASetUp_Update(CCA cca)
{
  PetscObjectState state[2];
  PetscMPIInt      changed;

  PetscFunctionBegin;
  PetscCall(CCASetUp_GetState(cca, state));
  changed = state[0] != cca->state[0] || state[1] != cca->state[1];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &changed, 1, MPI_INT, MPI_MAX, PetscObjectComm((PetscObject)cca)));
  if (changed) PetscCall(CCAResetSetUp_Private(cca));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCASetUp - Prepares the solution. Called by CCASolve() if it has not been before.

   Collective

   Input Parameter:
.  cca - the object

   Level: intermediate

.seealso: CCASolve()
@*/
PetscErrorCode CCASetUp(CCA cca)
{
  MPI_Comm comm;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  if (cca->setupcalled) PetscCall(CCASetUp_Update(cca));
  if (cca->setupcalled) PetscFunctionReturn(PETSC_SUCCESS);
  comm = PetscObjectComm((PetscObject)cca);
  if (CCAIsSpectral(cca)) {
    PetscCall(CCASetUpSpectral_Private(cca));
    PetscCall(CCASetUp_GetState(cca, cca->state));
    cca->setupcalled = PETSC_TRUE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCheck(cca->X && cca->Y, comm, PETSC_ERR_ORDER, "There are no data yet: call CCASetData() first");
  PetscCheck(!cca->own[0] && !cca->own[1], comm, PETSC_ERR_SUP, "X and Y have the same samples: CCASetWeights() gives each its weight, not CCASetViewWeights()");
  PetscCall(PetscLogEventBegin(CCA_SetUp, cca, 0, 0, 0));
  PetscCall(MatGetSize(cca->X, &cca->n, &cca->d[0]));
  PetscCall(MatGetSize(cca->Y, NULL, &cca->d[1]));
  PetscCheck(cca->n > 0 && cca->d[0] > 0 && cca->d[1] > 0, comm, PETSC_ERR_ARG_SIZ, "There is nothing to correlate: X is %" PetscInt_FMT " by %" PetscInt_FMT " and Y %" PetscInt_FMT " by %" PetscInt_FMT, cca->n, cca->d[0], cca->n, cca->d[1]);
  PetscCheck(cca->k <= PetscMin(cca->d[0], cca->d[1]), comm, PETSC_ERR_ARG_OUTOFRANGE, "%" PetscInt_FMT " pairs are wanted, but with %" PetscInt_FMT " and %" PetscInt_FMT " columns there are only %" PetscInt_FMT ": ask for at most that many", cca->k,
             cca->d[0], cca->d[1], PetscMin(cca->d[0], cca->d[1]));
  if (!((PetscObject)cca)->type_name || cca->chosen) {
    PetscCall(CCAChooseType_Private(cca));
    if (cca->optionsread) PetscCall(CCATypeSetFromOptions_Private(cca)); /* CCASetFromOptions() could not know them */
  }
  PetscCheck(cca->analysis != CCA_ANALYSIS_LDA || cca->center, comm, PETSC_ERR_SUP, "Discriminants are those of centred data: CCASetCentering() with PETSC_TRUE");
  if (cca->analysis == CCA_ANALYSIS_PLS) PetscCall(CCASetUpPLS_Private(cca));
  else PetscCall(CCASetUp_Pair(cca));
  for (int i = 0; i < 2; i++) {
    PetscCall(MatGramCreateView(cca->B, i, &cca->S[i]));
    if (cca->ksp[i]) PetscCall(KSPSetOperators(cca->ksp[i], cca->S[i], cca->S[i]));
  }
  if (cca->ops->setup) PetscCall((*cca->ops->setup)(cca));
  PetscCall(CCASetUp_GetState(cca, cca->state));
  cca->setupcalled = PETSC_TRUE;
  PetscCall(PetscLogEventEnd(CCA_SetUp, cca, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}
