/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA type "als": alternating least squares with inexact solves; with SVRG as the solver it is ALS-VR of

     W. Wang, J. Wang, D. Garber and N. Srebro, "Efficient globally convergent stochastic optimization for canonical
     correlation analysis", NIPS 2016, Algorithm 1.

   One step, both views from the directions of the step before:

     (1) U~ ~ argmin ||X u - Y V||^2/2n + r1 ||u||^2/2,  started at U (U'S12 V), the best there is in the span of U:
         U~ = U (U'S12 V) + D,  S11 D ~ R = S12 V - S11 U (U'S12 V);  V~ likewise from U
     (2) U = U~ (U~'S11 U~)^{-1/2},  V = V~ (V~'S22 V~)^{-1/2}

   Since U depends on V of the step before and V on U, there are two chains that know nothing of each other: u'S12 v tends to
   rho or -rho, and for k > 1 to a rotation of diag(rho). So the U~ of the step before, which the paper starts at (k = 1), may have
   the wrong sign, or be turned, and cost more than the above start, which is as free. The SVD of U'S12 V, which gives the correlations of the iterate and is
   done once more by CCASolve(), takes that off.

   A step is a pass over the data for A, one for B, and what the solver needs: 2 s - 1 for s stages of SVRG.
*/
#include <slepcnapi/private/ccaimpl.h>

static PetscErrorCode CCASetUp_ALS(CCA cca)
{
  PetscFunctionBegin;
  PetscCall(CCAGetKSP(cca, NULL, NULL));
  for (int i = 0; i < 2; i++) PetscCall(CCASetUpInner_Private(cca, cca->ksp[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CCASolve_ALS(CCA cca)
{
  const PetscInt max_it = cca->max_it == NAPI_UNSET ? 1000 : cca->max_it;
  CCAIterate     it;
  Mat            R, D;

  PetscFunctionBegin;
  PetscCall(CCAIterateCreate_Private(cca, &it));
  while (!cca->reason) {
    for (int i = 0; i < 2; i++) PetscCall(BVDot(it.AW[1 - i], it.W[i], it.H[i])); /* U~ = U (U'S12 V), V~ = V (V'S12'U) */
    PetscCall(PetscLogEventBegin(CCA_Inner, cca, 0, 0, 0));
    for (int i = 0; i < 2 && !cca->reason; i++) { /* (1) */
      PetscCall(CCAIterateGradient_Private(&it, i));
      PetscCall(BVGetMat(it.R[i], &R));
      PetscCall(BVGetMat(it.D[i], &D));
      PetscCall(KSPMatSolve(cca->ksp[i], R, D));
      PetscCall(BVRestoreMat(it.D[i], &D));
      PetscCall(BVRestoreMat(it.R[i], &R));
      PetscCall(CCACheckInner_Private(cca, cca->ksp[i]));
      PetscCall(CCAIterateMove_Private(&it, i, 1.0, it.D[i]));
    }
    PetscCall(PetscLogEventEnd(CCA_Inner, cca, 0, 0, 0));
    for (int i = 0; i < 2; i++) PetscCall(CCAIterateNormalize_Private(cca, &it, i)); /* (2) */
    if (cca->reason) break;
    PetscCall(CCAMultViews_Private(cca->A, NULL, it.W, it.AW, NULL));
    PetscCall(CCAIterateFinishStep_Private(cca, &it, max_it));
  }
  PetscCall(CCAIterateHandOver_Private(cca, &it));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CCAView_ALS(CCA cca, PetscViewer viewer)
{
  PetscInt max_it;

  PetscFunctionBegin;
  if (!cca->ksp[0] || !((PetscObject)cca->ksp[0])->type_name) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPGetTolerances(cca->ksp[0], NULL, NULL, NULL, &max_it));
  PetscCall(PetscViewerASCIIPrintf(viewer, "least squares by %s, at most %" PetscInt_FMT " iterations or stages a step\n", ((PetscObject)cca->ksp[0])->type_name, max_it));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   CCAALS - CCAALS = "als" - Alternating least squares (ALS-VR of Wang, Wang, Garber and Srebro, 2016)

   Options Database Keys:
+  -cca_ksp_type <svrg>  - the solver for least squares, of both views
.  -cca_ksp_max_it <n>   - its iterations in a step; for svrg the number of stages, by default 2
-  -cca_ksp_rtol <t>     - its tolerance, relative to the residual of the start; by default .1, or the stages for svrg

   Level: intermediate

   Notes:
   A method to compare with: it converges by a factor (rho_{k+1}/rho_k)^2 every two steps, from any start that is not
   orthogonal to the solution. CCANAPI is faster.

   k > 1 is alternating least squares with a block, as in the paper by Ge, Jin, Kakade, Netrapalli and Sidford, 2016.

.seealso: CCASetType(), CCAGetKSP(), CCASI, CCANAPI, KSPSVRG
M*/
PetscErrorCode CCACreate_ALS(CCA cca)
{
  PetscFunctionBegin;
  /* more accurate solves would only be repeated by the steps that follow, which less accurate ones make slower */
  cca->inner.type   = KSPSVRG;
  cca->inner.stages = 2;
  cca->inner.rtol   = 0.1;
  cca->ops->setup   = CCASetUp_ALS;
  cca->ops->solve   = CCASolve_ALS;
  cca->ops->view    = CCAView_ALS;
  PetscFunctionReturn(PETSC_SUCCESS);
}
