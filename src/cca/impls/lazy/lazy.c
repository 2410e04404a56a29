/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA type "lazy": one pair after the other by shift-and-invert, LazyCCA of

     Z. Allen-Zhu and Y. Li, "Doubly accelerated methods for faster CCA and generalized eigendecomposition", ICML 2017.

   For s = 0, ..., k-1:

     (1) x, the leading vector of (A_s,B), by shift-and-invert                         (src/cca/impls/si/si.c)
     (2) x := x - X X'B x, x'B x = 1; X := [X x]
     (3) A_{s+1} = (I - B X X')A(I - X X'B), by which rho_s becomes 0; -rho_s stays, where it does no harm

   A_s is not formed: lambda B - A_s is a shell around the MATGRAM M = lambda B - A, with corrections of rank s. It is no sum over
   samples any more: solvers that go from sample to sample refuse it.
*/
#include "../si/si.h"

/* y = (lambda B - A_s) x = M x + (A - A_s) x */
static PetscErrorCode MatMult_CCALazy(Mat shell, Vec x, Vec y)
{
  CCA_SI *ctx;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(shell, &ctx));
  PetscCall(MatMult(ctx->M, x, y));
  PetscCall(VecScale(y, -1.0));
  PetscCall(CCASIDeflate_Private(ctx, x, y));
  PetscCall(VecScale(y, -1.0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CCASetUp_Lazy(CCA cca)
{
  CCA_SI  *ctx = (CCA_SI *)cca->data;
  PetscInt m, M;
  KSP      ksp;

  PetscFunctionBegin;
  PetscCall(CCASISetUp_Private(cca, PETSC_TRUE));
  PetscCall(MatGetLocalSize(cca->B, &m, NULL));
  PetscCall(MatGetSize(cca->B, &M, NULL));
  PetscCall(MatCreateShell(PetscObjectComm((PetscObject)cca), m, m, M, M, ctx, &ctx->op));
  PetscCall(MatShellSetOperation(ctx->op, MATOP_MULT, (void (*)(void))MatMult_CCALazy));
  PetscCall(MatSetOption(ctx->op, MAT_HERMITIAN, PETSC_TRUE));
  PetscCall(CCAGetKSP(cca, &ksp, NULL));
  PetscCall(KSPSetOperators(ksp, ctx->op, ctx->M)); /* the diagonal of M does for the preconditioner */
  PetscCall(CCASetUpInner_Private(cca, ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (2) */
static PetscErrorCode CCALazy_Append(CCA cca)
{
  CCA_SI  *ctx    = (CCA_SI *)cca->data;
  PetscInt s      = ctx->s;
  BV       all[]  = {ctx->X, ctx->AX, ctx->BX};
  Vec      from[] = {ctx->w, ctx->Aw, ctx->Bw};

  PetscFunctionBegin;
  PetscCall(MatMult(cca->A, ctx->w, ctx->Aw)); /* of A, not A_s */
  for (int i = 0; i < 3; i++) {
    PetscCall(BVInsertVec(all[i], s, from[i]));
    PetscCall(BVScaleColumn(all[i], s, PETSC_SQRT2 / 2.0)); /* w'B w was 2 */
    PetscCall(BVSetActiveColumns(all[i], 0, s + 1));
  }
  for (PetscInt j = 0; j <= s; j++) {
    Vec ax;

    PetscCall(BVGetColumn(ctx->AX, j, &ax));
    PetscCall(BVDotVec(ctx->X, ax, ctx->T + j * cca->k)); /* X'A x_j */
    PetscCall(BVRestoreColumn(ctx->AX, j, &ax));
  }
  ctx->s++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CCASolve_Lazy(CCA cca)
{
  CCA_SI        *ctx    = (CCA_SI *)cca->data;
  const PetscInt max_it = cca->max_it == NAPI_UNSET ? 1000 * cca->k : cca->max_it;
  PetscReal      rho;

  PetscFunctionBegin;
  ctx->s   = 0;
  ctx->sum = 0.0;
  while (ctx->s < cca->k && !cca->reason) {
    PetscCall(CCASIStart_Private(cca, ctx->s));
    PetscCall(CCASIFind_Private(cca, max_it, 0.25 * cca->tol, &rho)); /* (1); what one pair leaves is in the residual of the next */
    if (cca->reason == CCA_DIVERGED_BREAKDOWN) break;
    PetscCall(CCALazy_Append(cca)); /* (2), (3) */
    ctx->sum += rho;
  }
  if (!cca->reason) cca->reason = CCA_CONVERGED_TOL;
  if (ctx->s) PetscCall(CCASIHandOver_Private(cca, ctx->s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   CCALAZY - CCALAZY = "lazy" - One pair after the other by shift-and-invert (LazyCCA of Allen-Zhu and Li, 2017)

   Options Database Keys:
+  -cca_si_delta <D>, -cca_si_m1 <m1>, -cca_si_epsilon <eps> - as for CCASI, for each pair
.  -cca_ksp_type <blockcg> - the solver for l B - A_s
-  -cca_ksp_rtol <t>, -cca_ksp_max_it <n> - its tolerance, relative to the residual of the start, by default .01, and iterations

   Level: intermediate

   Note:
   A method to compare with. Pairs that were found are taken off by corrections of low rank, with which the operator is no
   MATGRAM: solvers that go from sample to sample (KSPSVRG, KSPKATYUSHA, KSPSAGA, KSPSDCA) refuse it. The authors accelerate
   SVRG inside; KSPBLOCKCG, for one right-hand side conjugate gradients, has taken its place here.

.seealso: CCASetType(), CCAGetKSP(), CCASI, CCANAPI
M*/
PetscErrorCode CCACreate_Lazy(CCA cca)
{
  PetscFunctionBegin;
  PetscCall(CCASICreate_Private(cca, KSPBLOCKCG));
  cca->ops->setup = CCASetUp_Lazy;
  cca->ops->solve = CCASolve_Lazy;
  PetscFunctionReturn(PETSC_SUCCESS);
}
