/* SPDX-License-Identifier: BSD-2-Clause */
/*
   NAPI: the noisy accelerated power iteration, Algorithms 1 (one column) and 2 (a block) of

     V. V. Mai and M. Johansson, "Noisy Accelerated Power Method for Eigenproblems with Applications",
     IEEE Trans. Signal Process. 67(12), 2019.

   One step, with W B-orthonormal and rotated so that Z = W'A W is diagonal (Theta):

     (3) Theta from Rayleigh-Ritz
     (4) W~ ~ B^{-1} A W by an iterative solver started at W Theta     (inner.c)
     (5) W~ := W~ - beta W_{t-1}
     (6) B-QR of W~: W_{t+1} = W~ R^{-1}, and W_t := W_t R^{-1}        (block.c)

   The inexact solve goes back to inexact inverse subspace iteration (Q. Ye and P. Zhang, Linear Algebra Appl. 434, 2011);
   see also Z. Xu, "On the accelerated noise-tolerant power method", AISTATS 2023.
*/
#include <slepcnapi/private/napiimpl.h>

/* ncv is the number of columns of the block. Memory: six blocks, and deflation space + block twice, beside the EPS's own */
PetscErrorCode EPSNAPISetUp_Momentum(EPS eps)
{
  EPS_NAPI *ctx   = (EPS_NAPI *)eps->data;
  PetscInt  nds   = PetscAbs(eps->nds), p, guard;
  BV       *all[] = {&ctx->W.BX, &ctx->W.AX, &ctx->Wold, &ctx->R, &ctx->D};

  PetscFunctionBegin;
  if (eps->nev < 1) eps->nev = 1;
  PetscCall(EPSNAPIGetGuard(eps, &guard));
  if (eps->ncv == NAPI_UNSET) eps->ncv = eps->nev + guard;
  else PetscCheck(eps->ncv >= eps->nev, PetscObjectComm((PetscObject)eps), PETSC_ERR_USER_INPUT, "The value of ncv, the number of columns of the block, must be at least nev");
  eps->ncv = ctx->room = p = PetscMax(1, PetscMin(eps->ncv, eps->n - nds));
  PetscCall(EPSNAPIAllocate(eps, p, nds + p));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(all); i++) PetscCall(BVDuplicate(ctx->W.X, all[i]));
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, p, p, NULL, &ctx->scratch));
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, nds + p, p, NULL, &ctx->cross));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The parameter beta_t of this step: a quarter of the square of the largest |theta| that is not to be
   amplified. ADAPTIVE takes the smallest one the block represents. Where the Ritz values are of one sign, that is the
   smallest of them; where they are of both (every CCA pair), small ones are mixtures of large ones of opposite sign and
   say nothing, so the smallest square is taken instead.
*/
static PetscErrorCode EPSNAPIMomentum_Beta(EPS eps, PetscInt na, PetscInt age, PetscReal *beta)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;
  PetscReal square;
  PetscInt  j, positive = 0;

  PetscFunctionBegin;
  *beta = 0.0;
  if (ctx->momentum == EPS_NAPI_MOMENTUM_FIXED) *beta = ctx->beta / ctx->unscale / ctx->unscale;
  else if (ctx->momentum == EPS_NAPI_MOMENTUM_ADAPTIVE && age >= 3) {
    for (j = 0; j < na; j++)
      if (ctx->theta[j] > 0.0) positive++;
    if (positive == 0 || positive == na) square = ctx->theta[na - 1] * ctx->theta[na - 1];
    else PetscCall(EPSNAPIBlockSmallestSquare(eps, na, &square));
    *beta = square / 4.0;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Whether one of the na columns still iterated on, of a sign other than the last of those that have converged, may
   turn out to be the larger of the two: large eigenvalues of opposite sign need not converge in the order of their size
*/
static PetscBool EPSNAPIMomentum_Contested(EPS eps, PetscInt na)
{
  EPS_NAPI *ctx  = (EPS_NAPI *)eps->data;
  PetscReal last = PETSC_MAX_REAL, least = PETSC_MAX_REAL;
  PetscInt  j;

  for (j = 0; j < eps->nconv; j++) {
    PetscReal theta = PetscRealPart(eps->eigr[j] / ctx->unscale);

    if (PetscAbsReal(theta) < least) {
      least = PetscAbsReal(theta);
      last  = theta;
    }
  }
  for (j = 0; j < na; j++) {
    PetscReal theta = ctx->theta[j];

    if (theta * last < 0.0 && PetscAbsReal(theta) * (1.0 + 2.0 * ctx->scaled[j]) >= least) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

PetscErrorCode EPSNAPISolve_Momentum(EPS eps)
{
  const PetscInt patience = 8; /* steps with a growing residual before the momentum is started anew */
  EPS_NAPI      *ctx      = (EPS_NAPI *)eps->data;
  PetscInt       p = eps->ncv, k = PetscMin(eps->nev, p), na = p, j, age = 0, grown = 0;
  PetscReal      beta = 0.0, worst, previous = PETSC_MAX_REAL;
  PetscBool      covered = PETSC_TRUE;
  BV             swap;

  PetscFunctionBegin;
  PetscCall(EPSNAPIForgetStalls(eps));
  PetscCall(EPSNAPIBlockStart(eps, na)); /* (1) W_0, W_{-1} = 0 */
  while (!eps->reason) {
    eps->its++;

    /* (3) Theta */
    PetscCall(EPSNAPIApplyA(eps, &ctx->W));
    PetscCall(EPSNAPIBlockRitz(eps, na));
    PetscCall(EPSNAPICheckFit(eps, na, ctx->theta));
    if (eps->reason) break;

    /* the true residual decides */
    PetscCall(BVCopy(ctx->W.AX, ctx->R));
    PetscCall(EPSNAPIAddScaled(ctx->R, 1.0, na, ctx->theta, -1.0, ctx->B ? ctx->W.BX : ctx->W.X)); /* R = A W - B W Theta */
    PetscCall(EPSNAPIBlockLock(eps, &na));
    if (eps->reason) break;
    PetscCall(EPSMonitor(eps, eps->its, eps->nconv, eps->eigr, eps->eigi, eps->errest, p));
    PetscCall((*eps->stopping)(eps, eps->its, eps->max_it, eps->nconv, eps->nev, &eps->reason, eps->stoppingctx));
    if (eps->reason > 0 && na && EPSNAPIMomentum_Contested(eps, na)) eps->reason = eps->its < eps->max_it ? EPS_CONVERGED_ITERATING : EPS_DIVERGED_ITS;
    if (!eps->reason && !na) eps->reason = EPS_CONVERGED_TOL; /* the block is exhausted */
    if (eps->reason) break;

    /* (4) W~ ~ B^{-1} A W */
    worst = 0.0;
    for (j = 0; j < PetscMax(1, k - eps->nconv) && j < na; j++) worst = PetscMax(worst, ctx->scaled[j]);
    if (ctx->rtol != NAPI_UNSET) ctx->rtol_t = ctx->rtol;
    else {
      PetscReal last = PetscAbsScalar(eps->eigr[k - 1] / ctx->unscale), next;

      if (p > k) next = PetscAbsScalar(eps->eigr[p - 1] / ctx->unscale);
      else next = beta > 0.0 ? 0.0 : PetscMin(1.0, worst / previous) * last; /* no guard column: the observed rate tells the gap */
      if (ctx->criterion == EPS_NAPI_CRITERION_WINDOW) ctx->rtol_t = PetscSqrtReal((1.0 - PetscMin(next / last, 1.0 - 1e-3)) / 32.0);
      else ctx->rtol_t = EPSNAPIPaperTolerance(k, PetscAbsScalar(eps->eigr[0] / ctx->unscale), last, next, beta, worst);
    }
    PetscCall(EPSNAPIInnerSolve(eps, na, ctx->R, ctx->D, NULL, &ctx->W, ctx->theta, ctx->rtol_t, ctx->maxit, &ctx->inner_t));
    if (eps->reason) break;
    PetscCall(EPSNAPIAddScaled(ctx->D, 1.0, na, ctx->theta, 1.0, ctx->W.X)); /* W~ = W Theta + D */

    /* (5) W~ := W~ - beta W_{t-1} */
    grown    = worst > previous ? grown + 1 : 0;
    previous = worst;
    if (ctx->momentum == EPS_NAPI_MOMENTUM_ADAPTIVE && grown >= patience) {
      PetscCall(PetscInfo(eps, "The residual has grown for %" PetscInt_FMT " steps: starting the momentum anew\n", grown));
      PetscCall(BVScale(ctx->Wold, 0.0));
      age = grown = 0;
    }
    PetscCall(EPSNAPIMomentum_Beta(eps, na, age++, &beta));
    if (beta > 0.0) PetscCall(BVMult(ctx->D, -beta, 1.0, ctx->Wold, NULL));
    ctx->beta_t = beta * ctx->unscale * ctx->unscale;

    /* (6) B-QR */
    swap      = ctx->Wold;
    ctx->Wold = ctx->W.X;
    ctx->W.X  = ctx->D;
    ctx->D    = swap;
    PetscCall(EPSNAPIApplyB(eps, ctx->W.X, ctx->W.BX));
    PetscCall(EPSNAPIBlockOrthonormalize(eps, na));
  }

  /* the eigenvectors, and behind them what the block holds of the others */
  PetscCall(BVSetActiveColumns(eps->V, 0, eps->nconv));
  PetscCall(BVSetActiveColumns(ctx->Y, eps->nds, eps->nds + eps->nconv));
  PetscCall(BVCopy(ctx->Y, eps->V));
  PetscCall(BVSetActiveColumns(eps->V, eps->nconv, eps->nconv + na));
  PetscCall(BVCopy(ctx->W.X, eps->V));
  for (j = 0; j < eps->nconv + na; j++) ctx->theta[j] = PetscRealPart(eps->eigr[j]) / ctx->unscale;
  PetscCall(EPSNAPIFormVectors(eps, eps->nconv + na, ctx->theta));
  if (eps->reason > 0) PetscCall(EPSNAPICovered(eps, eps->nconv, eps->nconv, ctx->theta, &covered));
  if (!covered) PetscCall(EPSNAPINotCovered(eps));
  PetscFunctionReturn(PETSC_SUCCESS);
}
