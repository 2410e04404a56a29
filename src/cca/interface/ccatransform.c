/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA: scores, the canonical variables of samples, and what they are computed with.
*/
#include <slepcnapi/private/ccaimpl.h>

/*@C
   CCAGetStandardization - Gets what is taken off the columns of a view, and what they are multiplied by, before scores are made of
   them.

   Collective

   Input Parameters:
+  cca  - the object
-  view - 0 for X, 1 for Y

   Output Parameters:
+  mean  - array of as many numbers as the view has columns, the same on every rank: their means, zero if the object does not
           centre; NULL if not wanted
-  scale - the same for the factors, one over the standard deviations, one if the object does not scale; NULL if not wanted

   Level: intermediate

   Notes:
   The scores of samples X are S = (X - 1 mean')diag(scale) U, see CCAGetDirections().

   Standard deviations are those over n, not n-1. A constant column has a factor of zero: rounding is all that is left of it.

.seealso: CCATransform(), CCAComputeScores(), CCASetCentering(), CCASetScaling()
@*/
PetscErrorCode CCAGetStandardization(CCA cca, PetscInt view, PetscScalar mean[], PetscReal scale[])
{
  PetscInt block;
  Mat      G;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscCall(CCAGetGram_Private(cca, view, &G, &block));
  if (mean && cca->center) PetscCall(MatGramGetMeans(G, block, mean));
  if (scale && cca->scale) PetscCall(MatGramGetScales(G, block, scale));
  for (PetscInt j = 0; j < cca->d[view]; j++) {
    if (mean && !cca->center) mean[j] = 0.0;
    if (scale && !cca->scale) scale[j] = 1.0;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
   CCAComputeScores - Computes scores from a solution that was kept elsewhere, such as in files: S = (X - 1 mean')diag(scale) U.

   Collective

   Input Parameters:
+  X     - samples, a row each
.  U     - dense, a direction in each column, as many rows as X has columns
.  mean  - what is taken off the columns of X, the same on every rank, or NULL for nothing
-  scale - what they are multiplied by, or NULL for one

   Output Parameter:
.  S - dense, a row for each sample, distributed like those of X, and a column for each direction; the caller destroys it

   Level: intermediate

   Note:
   With what CCAGetDirections() and CCAGetStandardization() give these are the scores of CCATransform(), to the last digit. The samples
   stay as sparse as they are.

.seealso: CCATransform(), CCAGetDirections(), CCAGetStandardization()
@*/
PetscErrorCode CCAComputeScores(Mat X, Mat U, const PetscScalar mean[], const PetscReal scale[], Mat *S)
{
  PetscInt     n, N, d, cols, k, first;
  PetscScalar *u, shift;
  Vec          x, z;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(X, MAT_CLASSID, 1);
  PetscValidHeaderSpecific(U, MAT_CLASSID, 2);
  PetscAssertPointer(S, 5);
  PetscCall(MatGetSize(X, &N, &cols));
  PetscCall(MatGetSize(U, &d, &k));
  PetscCheck(cols == d, PetscObjectComm((PetscObject)X), PETSC_ERR_ARG_SIZ, "The directions are those of data with %" PetscInt_FMT " columns, these have %" PetscInt_FMT, d, cols);
  PetscCall(MatGetLocalSize(X, &n, NULL));
  PetscCall(PetscMalloc1(d * k, &u));
  PetscCall(CCAGatherDense_Private(U, u));
  PetscCall(MatCreateDense(PetscObjectComm((PetscObject)X), n, PETSC_DECIDE, N, k, NULL, S));
  PetscCall(MatCreateVecs(X, &x, NULL));
  PetscCall(VecGetOwnershipRange(x, &first, NULL));
  for (PetscInt j = 0; j < k; j++) {
    shift = 0.0;
    for (PetscInt i = j * d; i < (j + 1) * d; i++) {
      if (scale) u[i] *= scale[i - j * d];
      if (mean) shift += mean[i - j * d] * u[i]; /* m'diag(s) u */
    }
    PetscCall(VecPlaceArray(x, u + first + j * d));
    PetscCall(MatDenseGetColumnVecWrite(*S, j, &z));
    PetscCall(MatMult(X, x, z));
    PetscCall(VecShift(z, -shift));
    PetscCall(MatDenseRestoreColumnVecWrite(*S, j, &z));
    PetscCall(VecResetArray(x));
  }
  PetscCall(VecDestroy(&x));
  PetscCall(PetscFree(u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CCATransform_View(CCA cca, PetscInt view, Mat X, Mat *S)
{
  PetscScalar *mean;
  PetscReal   *scale;
  PetscInt     cols;
  Mat          W[2];

  PetscFunctionBegin;
  PetscCheck(X, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_WRONG, "Principal components have scores of X only: ask for no others");
  PetscCall(CCAGetDirections(cca, &W[0], &W[1]));
  PetscCall(MatGetSize(X, NULL, &cols)); /* before anything could be left behind */
  PetscCheck(cols == cca->d[view], PetscObjectComm((PetscObject)X), PETSC_ERR_ARG_SIZ, "The directions are those of data with %" PetscInt_FMT " columns, these have %" PetscInt_FMT, cca->d[view], cols);
  PetscCall(PetscMalloc2(cca->d[view], &mean, cca->d[view], &scale));
  PetscCall(CCAGetStandardization(cca, view, mean, scale));
  PetscCall(CCAComputeScores(X, W[view], mean, scale, S));
  PetscCall(PetscFree2(mean, scale));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCATransform - Computes scores, the canonical variables of samples: those the directions were found from, or others.

   Collective

   Input Parameters:
+  cca - the object
.  X   - samples with the columns of the first data set, or NULL for that one itself
-  Y   - samples with the columns of the second data set, or NULL for that one itself

   Output Parameters:
+  SX - dense, a row for each sample of X and a column for each canonical pair; NULL if not wanted
-  SY - the same for Y; NULL if not wanted

   Level: beginner

   Note:
   The means and scales of the data that were analysed are used (if the object centres and scales), as they must be for samples
   that were not among them. The caller destroys the results.

.seealso: CCASolve(), CCAGetDirections(), CCAGetStandardization(), CCAComputeScores()
@*/
PetscErrorCode CCATransform(CCA cca, Mat X, Mat Y, Mat *SX, Mat *SY)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  if (X) PetscValidHeaderSpecific(X, MAT_CLASSID, 2);
  if (Y) PetscValidHeaderSpecific(Y, MAT_CLASSID, 3);
  PetscCall(CCAGetDirections(cca, NULL, NULL)); /* are there any? */
  if (SX) PetscCall(CCATransform_View(cca, 0, X ? X : cca->X, SX));
  if (SY) PetscCall(CCATransform_View(cca, 1, Y ? Y : cca->Y, SY));
  PetscFunctionReturn(PETSC_SUCCESS);
}
