/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA: what the types have in common that take a block of k directions a view from step to step, as AppGrad and ALS do.

   Both keep directions U~, V~ that are not normalised, and normalised ones U = U~ (U~'S11 U~)^{-1/2}, V likewise. Here only
   the latter are stored, with their products and the k x k matrix H of the way back:

     W[0] = U,  BW[0] = S11 U,  AW[0] = S12'U,  H[0] = (U~'S11 U~)^{1/2},   U~ = U H[0],  S11 U~ = BW[0] H[0].

   The gradient of the least-squares problem min ||X u - Y v||^2/2n + r1 ||u||^2/2 at U~ is then -R[0],

     R[0] = S12 V - S11 U~ = AW[1] - BW[0] H[0],

   without any product: a step U~ + D needs D only, R times a number for AppGrad, S11^{-1} R for ALS. The symmetric square
   root, unlike QR, does not turn U within its span, so that U~ stays close to what it is drawn to also for k > 1.

   Correlations and residuals of the iterate come from the SVD of U'S12 V, again without any product.
*/
#include <slepcnapi/private/ccaimpl.h>

/* The directions to start with, normalised, and all their products */
PetscErrorCode CCAIterateCreate_Private(CCA cca, CCAIterate *it)
{
  const PetscInt k = cca->k;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(it, sizeof(*it)));
  it->k = k;
  PetscCall(CCARandomBasis_Private(cca, k, it->W));
  for (int i = 0; i < 2; i++) {
    PetscCall(BVDuplicate(it->W[i], &it->BW[i]));
    PetscCall(BVDuplicate(it->W[i], &it->AW[1 - i]));
    PetscCall(BVDuplicate(it->W[i], &it->R[i]));
    PetscCall(BVDuplicate(it->W[i], &it->D[i]));
    PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, k, k, NULL, &it->H[i]));
    PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, k, k, NULL, &it->C[i]));
  }
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, k, k, NULL, &it->F));
  PetscCall(PetscMalloc2(k, &it->sigma, k, &it->error));
  for (int i = 0; i < 2; i++) PetscCall(CCAIterateNormalize_Private(cca, it, i));
  for (int i = 0; i < 2 && !cca->reason; i++) { /* begin with U~ = U */
    PetscCall(MatZeroEntries(it->H[i]));
    PetscCall(MatShift(it->H[i], 1.0));
  }
  if (!cca->reason) PetscCall(CCAMultViews_Private(cca->A, NULL, it->W, it->AW, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* V'X = P diag(sigma) Q', P and Q in C; breakdown where it is not finite */
static PetscErrorCode CCAIterate_Singular(CCA cca, CCAIterate *it, BV V, BV X)
{
  PetscBool finite;

  PetscFunctionBegin;
  PetscCall(CCASingular_Private(V, X, it->sigma, it->C[0], it->C[1], &finite));
  if (!finite) {
    PetscCall(PetscInfo(cca, "The directions are not finite any more: the step may be too long\n"));
    cca->reason = CCA_DIVERGED_BREAKDOWN;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* F = P diag(sigma^power) P', k x k, P in C[0]; C[1] is overwritten */
static PetscErrorCode CCAIterate_Power(CCAIterate *it, PetscReal power, Mat F)
{
  const PetscInt     k = it->k;
  const PetscScalar *p;
  PetscScalar       *f, *t;

  PetscFunctionBegin;
  PetscCall(MatDenseGetArrayRead(it->C[0], &p));
  PetscCall(MatDenseGetArrayWrite(it->C[1], &t));
  PetscCall(MatDenseGetArrayWrite(F, &f));
  for (PetscInt j = 0; j < k; j++)
    for (PetscInt i = 0; i < k; i++) t[i + j * k] = p[i + j * k] * PetscPowReal(it->sigma[j], power);
  PetscCall(NAPIGemm("N", "C", k, k, k, 1.0, t, k, p, k, 0.0, f, k));
  PetscCall(MatDenseRestoreArrayWrite(F, &f));
  PetscCall(MatDenseRestoreArrayWrite(it->C[1], &t));
  PetscCall(MatDenseRestoreArrayRead(it->C[0], &p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* W := W (W'S W)^{-1/2} in one view, with a fresh S W, and H := (W'S W)^{1/2} */
PetscErrorCode CCAIterateNormalize_Private(CCA cca, CCAIterate *it, int view)
{
  Mat W, BW;

  PetscFunctionBegin;
  if (cca->reason) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(BVGetMat(it->W[view], &W));
  PetscCall(BVGetMat(it->BW[view], &BW));
  PetscCall(MatMatMult(cca->S[view], W, MAT_REUSE_MATRIX, PETSC_DEFAULT, &BW));
  PetscCall(BVRestoreMat(it->BW[view], &BW));
  PetscCall(BVRestoreMat(it->W[view], &W));
  PetscCall(CCAIterate_Singular(cca, it, it->W[view], it->BW[view])); /* W'S W */
  if (cca->reason) PetscFunctionReturn(PETSC_SUCCESS);
  if (!(it->sigma[it->k - 1] > it->k * PETSC_MACHINE_EPSILON * it->sigma[0])) {
    /* S12 maps k independent directions to dependent ones: there are fewer correlations. CCASolve() drops what depends */
    PetscCall(PetscInfo(cca, "The directions of view %d have become dependent\n", view + 1));
    cca->reason = it->sigma[0] > 0.0 ? CCA_CONVERGED_RANK : CCA_DIVERGED_BREAKDOWN;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(CCAIterate_Power(it, 0.5, it->H[view]));
  PetscCall(CCAIterate_Power(it, -0.5, it->F));
  PetscCall(BVMultInPlace(it->W[view], it->F, 0, it->k));
  PetscCall(BVMultInPlace(it->BW[view], it->F, 0, it->k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* R = S12 V - S11 U~, or the same in the other view */
PetscErrorCode CCAIterateGradient_Private(CCAIterate *it, int view)
{
  PetscFunctionBegin;
  PetscCall(BVCopy(it->AW[1 - view], it->R[view]));
  PetscCall(BVMult(it->R[view], -1.0, 1.0, it->BW[view], it->H[view]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* W := U~ + step D, in one view, not normalised yet */
PetscErrorCode CCAIterateMove_Private(CCAIterate *it, int view, PetscReal step, BV D)
{
  PetscFunctionBegin;
  PetscCall(BVMultInPlace(it->W[view], it->H[view], 0, it->k));
  PetscCall(BVMult(it->W[view], step, 1.0, D, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCAIterateFinishStep_Private - The step is done, and all products belong to the iterate: correlations and residuals,
   history, monitors, and whether to stop.
*/
PetscErrorCode CCAIterateFinishStep_Private(CCA cca, CCAIterate *it, PetscInt max_it)
{
  const PetscInt k         = it->k;
  PetscReal      objective = 0.0;
  PetscInt       nconv     = 0;

  PetscFunctionBegin;
  if (cca->reason) PetscFunctionReturn(PETSC_SUCCESS);
  cca->its++;
  PetscCall(CCAIterate_Singular(cca, it, it->W[0], it->AW[1])); /* U'S12 V */
  if (cca->reason) PetscFunctionReturn(PETSC_SUCCESS);
  for (int i = 0; i < 2; i++) {
    PetscCall(BVMult(it->R[i], 1.0, 0.0, it->AW[1 - i], it->C[1 - i])); /* S12 V Q */
    PetscCall(BVMult(it->D[i], 1.0, 0.0, it->BW[i], it->C[i]));         /* S11 U P */
  }
  PetscCall(CCAResidual_Private(2, it->R, it->D, k, it->sigma, it->error));
  for (PetscInt j = 0; j < k; j++) {
    it->sigma[j] = PetscMin(1.0, it->sigma[j]);
    objective += it->sigma[j];
  }
  while (nconv < k && it->error[nconv] <= cca->tol) nconv++;
  PetscCall(CCARecord_Private(cca, objective));
  PetscCall(CCAMonitor_Private(cca, cca->its, nconv, k, it->sigma, it->error));
  if (nconv == k) cca->reason = CCA_CONVERGED_TOL;
  else if (cca->stop) cca->reason = CCA_DIVERGED_USER;
  else if (cca->its >= max_it) cca->reason = CCA_DIVERGED_ITS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The directions become the result, after a breakdown there is none; what else there was is freed */
PetscErrorCode CCAIterateHandOver_Private(CCA cca, CCAIterate *it)
{
  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) {
    BV *all[] = {&it->W[i], &it->BW[i], &it->AW[i], &it->R[i], &it->D[i]};

    if (cca->reason != CCA_DIVERGED_BREAKDOWN) {
      cca->basis[i] = it->W[i];
      it->W[i]      = NULL;
    }
    for (size_t j = 0; j < PETSC_STATIC_ARRAY_LENGTH(all); j++) PetscCall(BVDestroy(all[j]));
    PetscCall(MatDestroy(&it->H[i]));
    PetscCall(MatDestroy(&it->C[i]));
  }
  PetscCall(MatDestroy(&it->F));
  PetscCall(PetscFree2(it->sigma, it->error));
  PetscFunctionReturn(PETSC_SUCCESS);
}
