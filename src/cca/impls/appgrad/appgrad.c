/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA type "appgrad": augmented approximate gradients,

     Z. Ma, Y. Lu and D. Foster, "Finding linear structure in large datasets with scalable canonical correlation analysis",
     ICML 2015, Algorithm 3 (k = 1: Algorithm 2).

   Directions U~, V~ that are not normalised follow the gradient, normalised ones are what they are drawn to:

     (1) U~ := U~ - eta1 (X'(X U~ - Y V)/n + r1 U~),   U = U~ (U~'S11 U~)^{-1/2}
     (2) V~ := V~ - eta2 (Y'(Y V~ - X U)/n + r2 V~),   V = V~ (V~'S22 V~)^{-1/2}     with the new U

   eta = c/lambda_max(S11) and c/lambda_max(S22); c = 1 unless told otherwise, and lambda_max from ten steps of the power method.

   It converges from a start that is close enough to the solution. Nothing is known of other starts; (2) with the old U may
   even stall where (1) and (2) as they are here do not.

   A step is one pass for S11 and S22 and one for both halves of S12; the power method has taken 10 before.
*/
#include <slepcnapi/private/ccaimpl.h>

/* Of the power method, a pass over a view each: an estimate of lambda_max that is too small by a few per cent only makes the steps longer */
#define CCA_APPGRAD_POWER_STEPS 10

typedef struct {
  PetscReal step[2]; /* eta, or 0: c/lambda_max */
  PetscReal scale;   /* c */
  PetscReal used[2];
} CCA_AppGrad;

/* The largest eigenvalue of S11 or S22, from below */
static PetscErrorCode CCAAppGrad_LargestEigenvalue(CCA cca, int view, PetscReal *largest)
{
  Vec       x, y;
  PetscReal norm;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(cca->S[view], &x, &y));
  PetscCall(VecSetRandom(x, NULL));
  PetscCall(VecNormalize(x, NULL));
  *largest = 0.0;
  for (int i = 0; i < CCA_APPGRAD_POWER_STEPS; i++) {
    PetscCall(MatMult(cca->S[view], x, y));
    PetscCall(VecNorm(y, NORM_2, &norm));
    *largest = PetscMax(*largest, norm); /* ||S x|| <= lambda_max ||x|| */
    if (!(norm > 0.0)) break;
    PetscCall(VecAXPBY(x, 1.0 / norm, 0.0, y));
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CCASolve_AppGrad(CCA cca)
{
  CCA_AppGrad   *ctx     = (CCA_AppGrad *)cca->data;
  const PetscInt max_it  = cca->max_it == NAPI_UNSET ? 10000 : cca->max_it;
  PetscReal      largest = 0.0;
  CCAIterate     it;

  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) {
    ctx->used[i] = ctx->step[i];
    if (ctx->step[i] > 0.0) continue;
    PetscCall(CCAAppGrad_LargestEigenvalue(cca, i, &largest));
    ctx->used[i] = largest > 0.0 ? ctx->scale / largest : 1.0;
  }
  PetscCall(CCAIterateCreate_Private(cca, &it));
  while (!cca->reason) {
    for (int i = 0; i < 2 && !cca->reason; i++) { /* (1), (2) */
      PetscCall(CCAIterateGradient_Private(&it, i));
      PetscCall(CCAIterateMove_Private(&it, i, ctx->used[i], it.R[i]));
      PetscCall(CCAIterateNormalize_Private(cca, &it, i));
      if (cca->reason) break;
      PetscCall(CCAMultViews_Private(cca->A, NULL, it.W, it.AW, NULL));
      PetscCall(MatGramAddPasses(cca->A, -0.5, it.k)); /* half of it is new; the other half was known */
    }
    PetscCall(CCAIterateFinishStep_Private(cca, &it, max_it));
  }
  PetscCall(CCAIterateHandOver_Private(cca, &it));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CCASetFromOptions_AppGrad(CCA cca, NAPIOptionItems PetscOptionsObject)
{
  CCA_AppGrad *ctx     = (CCA_AppGrad *)cca->data;
  PetscReal    step[2] = {0.0, 0.0};
  PetscInt     n       = 2;
  PetscBool    set;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "CCA AppGrad options");
  PetscCall(PetscOptionsRealArray("-cca_appgrad_step", "Steps of the views, one for both or two", "CCAAPPGRAD", step, &n, &set));
  if (set) {
    if (n == 1) step[1] = step[0];
    PetscCheck(n > 0 && step[0] > 0.0 && step[1] > 0.0, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_OUTOFRANGE, "-cca_appgrad_step must be positive");
    ctx->step[0] = step[0];
    ctx->step[1] = step[1];
  }
  PetscCall(PetscOptionsReal("-cca_appgrad_scale", "Steps as multiples of 1/lambda_max", "CCAAPPGRAD", ctx->scale, &ctx->scale, NULL));
  PetscCheck(ctx->scale > 0.0 && ctx->scale < 2.0, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_OUTOFRANGE, "-cca_appgrad_scale must lie between 0 and 2, beyond which gradient descent diverges, not be %g", (double)ctx->scale);
  PetscOptionsHeadEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CCAView_AppGrad(CCA cca, PetscViewer viewer)
{
  CCA_AppGrad *ctx = (CCA_AppGrad *)cca->data;

  PetscFunctionBegin;
  if (ctx->used[0] > 0.0) PetscCall(PetscViewerASCIIPrintf(viewer, "steps %g and %g\n", (double)ctx->used[0], (double)ctx->used[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   CCAAPPGRAD - CCAAPPGRAD = "appgrad" - Augmented approximate gradients (Ma, Lu and Foster, 2015)

   Options Database Keys:
+  -cca_appgrad_scale <c>             - steps c/lambda_max of the covariances, by default with c = 1
-  -cca_appgrad_step <eta> or <e1,e2> - the steps themselves

   Level: intermediate

   Note:
   A method to compare with. It is only known to converge from a start close to the solution (CCASetInitialDirections()), as
   gradient descent does: in proportion to the condition of the covariances. CCANAPI is faster.

.seealso: CCASetType(), CCAALS, CCANAPI
M*/
PetscErrorCode CCACreate_AppGrad(CCA cca)
{
  CCA_AppGrad *ctx;

  PetscFunctionBegin;
  PetscCall(PetscNew(&ctx));
  ctx->scale               = 1.0;
  cca->data                = (void *)ctx;
  cca->ops->solve          = CCASolve_AppGrad;
  cca->ops->setfromoptions = CCASetFromOptions_AppGrad;
  cca->ops->view           = CCAView_AppGrad;
  cca->ops->destroy        = CCADestroy_Default;
  PetscFunctionReturn(PETSC_SUCCESS);
}
