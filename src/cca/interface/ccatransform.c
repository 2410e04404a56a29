/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA: scores, the canonical variables of samples.
*/
#include <slepcnapi/private/ccaimpl.h>

/* Z = (X - 1 m')diag(s) U, whose rows are distributed like those of X */
static PetscErrorCode CCATransform_Scores(CCA cca, PetscInt view, Mat X, Mat *Z)
{
  const PetscInt d = cca->d[view], k = cca->ncols;
  PetscInt       n, N, cols, first;
  PetscScalar   *u, *mean, shift;
  PetscReal     *scale;
  Vec            x, z;

  PetscFunctionBegin;
  PetscCall(MatGetSize(X, &N, &cols));
  PetscCheck(cols == d, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_SIZ, "The directions are those of data with %" PetscInt_FMT " columns, these have %" PetscInt_FMT, d, cols);
  PetscCall(MatGetLocalSize(X, &n, NULL));
  PetscCall(PetscMalloc3(d * k, &u, d, &mean, d, &scale));
  PetscCall(CCAGatherDense_Private(view ? cca->V : cca->U, u));
  if (cca->scale) PetscCall(MatGramGetScales(cca->B, view, scale));
  if (cca->center) PetscCall(MatGramGetMeans(cca->B, view, mean));
  PetscCall(MatCreateDense(PetscObjectComm((PetscObject)X), n, PETSC_DECIDE, N, k, NULL, Z));
  PetscCall(MatCreateVecs(X, &x, NULL));
  PetscCall(VecGetOwnershipRange(x, &first, NULL));
  for (PetscInt j = 0; j < k; j++) {
    shift = 0.0;
    for (PetscInt i = j * d; i < (j + 1) * d; i++) {
      if (cca->scale) u[i] *= scale[i - j * d];
      if (cca->center) shift += mean[i - j * d] * u[i]; /* m'diag(s) u */
    }
    PetscCall(VecPlaceArray(x, u + first + j * d));
    PetscCall(MatDenseGetColumnVecWrite(*Z, j, &z));
    PetscCall(MatMult(X, x, z));
    PetscCall(VecShift(z, -shift));
    PetscCall(MatDenseRestoreColumnVecWrite(*Z, j, &z));
    PetscCall(VecResetArray(x));
  }
  PetscCall(VecDestroy(&x));
  PetscCall(PetscFree3(u, mean, scale));
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

.seealso: CCASolve(), CCAGetDirections()
@*/
PetscErrorCode CCATransform(CCA cca, Mat X, Mat Y, Mat *SX, Mat *SY)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  if (X) PetscValidHeaderSpecific(X, MAT_CLASSID, 2);
  if (Y) PetscValidHeaderSpecific(Y, MAT_CLASSID, 3);
  PetscCall(CCAGetDirections(cca, NULL, NULL)); /* are there any? */
  if (SX) PetscCall(CCATransform_Scores(cca, 0, X ? X : cca->X, SX));
  if (SY) PetscCall(CCATransform_Scores(cca, 1, Y ? Y : cca->Y, SY));
  PetscFunctionReturn(PETSC_SUCCESS);
}
