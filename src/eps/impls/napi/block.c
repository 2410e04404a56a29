/* SPDX-License-Identifier: BSD-2-Clause */
/*
   NAPI: the B-orthonormal block W and its products with A and B, and the test of convergence.

   The active columns are the first na of every BV here; a pair that has converged is moved to Y, behind the user's
   deflation space, and everything else is kept B-orthogonal to Y. All work on long vectors is done on whole blocks.
*/
#include <slepcnapi/private/napiimpl.h>

/* EPSNAPIDiverged - Ends the solve with a reason, and remembers what to say of it */
PetscErrorCode EPSNAPIDiverged(EPS eps, const char cause[])
{
  PetscFunctionBegin;
  PetscCall(PetscInfo(eps, "Giving up: %s\n", cause));
  ((EPS_NAPI *)eps->data)->cause = cause;
  eps->reason                    = EPS_DIVERGED_BREAKDOWN;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Scale - The size of an operator, from what it makes of X, and where that is extreme the power of two that takes it to about
   1: squares of very large or small numbers are none. Maximum norms, since others square. Of the inner product it is a power of
   four, so that vectors can be scaled by its root.
*/
static PetscErrorCode Scale(EPS eps, BV X, BV Y, PetscBool product, PetscReal *scale, PetscReal *norm)
{
  const int extreme = 100; /* 2^100 ~ 1e30: up to here no square is in danger */
  EPS_NAPI *ctx     = (EPS_NAPI *)eps->data;
  PetscReal x, y, ratio = 0.0;
  PetscInt  j, l, k;
  int       exponent;

  PetscFunctionBegin;
  PetscCall(BVGetActiveColumns(X, &l, &k));
  for (j = 0; j < k - l; j++) {
    PetscInt ly, ky;

    PetscCall(BVGetActiveColumns(Y, &ly, &ky));
    PetscCall(BVNormColumn(X, l + j, NORM_INFINITY, &x));
    PetscCall(BVNormColumn(Y, ly + j, NORM_INFINITY, &y));
    if (x > 0.0 && y > 0.0 && y / x < 1e-8 * PETSC_MAX_REAL) ratio = PetscMax(ratio, y / x); /* NaN and what is next to infinity say nothing */
  }
  if (ratio > 0.0) { /* otherwise the next product may tell */
    (void)frexp((double)ratio, &exponent);
    if (PetscAbs(exponent) <= extreme) exponent = 0;
    if (product && exponent % 2) exponent++;
    *scale = (PetscReal)ldexp(1.0, -exponent);
    if (product || ctx->usersigma == 0.0) *norm = ratio * *scale; /* of a shifted A it says little */
    if (product) ctx->bhalf = (PetscReal)ldexp(1.0, -exponent / 2);
    if (exponent) PetscCall(PetscInfo(eps, "Scaling %s by 2^%d\n", product ? "B" : "A", -exponent));
    ctx->unscale = (ctx->bscale > 0.0 ? ctx->bscale : 1.0) / (ctx->ascale > 0.0 ? ctx->ascale : 1.0);
    ctx->sigma   = ctx->usersigma / ctx->unscale;
    if (!EPSNAPIInRange(ctx, 1.0)) {
      ctx->unscale = 1.0;
      PetscCall(EPSNAPIDiverged(eps, NAPI_RANGE));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ScaleA(EPS eps, BV X, BV AX)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;

  PetscFunctionBegin;
  if (ctx->ascale == 0.0) PetscCall(Scale(eps, X, AX, PETSC_FALSE, &ctx->ascale, &ctx->anorm));
  if (ctx->ascale != 0.0 && ctx->ascale != 1.0) PetscCall(BVScale(AX, ctx->ascale));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ScaleB(EPS eps, BV X, BV BX)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;

  PetscFunctionBegin;
  if (ctx->bscale == 0.0) PetscCall(Scale(eps, X, BX, PETSC_TRUE, &ctx->bscale, &ctx->bnorm));
  if (ctx->bscale != 0.0 && ctx->bscale != 1.0) PetscCall(BVScale(BX, ctx->bscale));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Y = A X, and Y = G X, which is B X in a pair, on the active columns; A and G here and everywhere are the scaled ones */
PetscErrorCode EPSNAPIApplyA(EPS eps, BV X, BV Y)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;
  PetscInt  l, k;

  PetscFunctionBegin;
  PetscCall(BVMatMult(X, ctx->A, Y));
  PetscCall(BVGetActiveColumns(X, &l, &k));
  ctx->acols += k - l;
  PetscCall(ScaleA(eps, X, Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode EPSNAPIApplyB(EPS eps, BV X, BV Y)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;
  PetscInt  l, k;

  PetscFunctionBegin;
  if (ctx->G) {
    PetscCall(BVMatMult(X, ctx->G, Y));
    PetscCall(BVGetActiveColumns(X, &l, &k));
    ctx->bcols += k - l;
    PetscCall(ScaleB(eps, X, Y));
  } else PetscCall(BVCopy(X, Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* AX = A X and BX = B X, A being the user's own */
PetscErrorCode EPSNAPIApplyBoth(EPS eps, BV X, BV AX, BV BX)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;
  PetscInt  l, k;
  PetscReal saved;
  Mat       A, x, ax, bx;

  PetscFunctionBegin;
  PetscCall(STGetMatrix(eps->st, 0, &A));
  PetscCall(BVGetActiveColumns(X, &l, &k));
  ctx->acols += k - l;
  if (ctx->pairmult) {
    PetscCall(BVGetMat(X, &x));
    PetscCall(BVGetMat(AX, &ax));
    PetscCall(BVGetMat(BX, &bx));
    PetscCall((*ctx->pairmult)(A, ctx->B, x, ax, bx, &saved));
    ctx->saved += saved;
    PetscCall(BVRestoreMat(BX, &bx));
    PetscCall(BVRestoreMat(AX, &ax));
    PetscCall(BVRestoreMat(X, &x));
    ctx->bcols += k - l;
    PetscCall(ScaleB(eps, X, BX));
  } else {
    PetscCall(BVMatMult(X, A, AX));
    PetscCall(EPSNAPIApplyB(eps, X, BX));
  }
  PetscCall(ScaleA(eps, X, AX));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   EPSNAPIAllocate - Six blocks of width columns, and Y and B Y of ycols. The products with B are carried along, so that
   inner products of these BVs are plain.
*/
PetscErrorCode EPSNAPIAllocate(EPS eps, PetscInt width, PetscInt ycols)
{
  EPS_NAPI *ctx   = (EPS_NAPI *)eps->data;
  PetscInt  n     = ctx->room;
  BV       *all[] = {&ctx->W, &ctx->Wold, &ctx->AW, &ctx->BW, &ctx->R, &ctx->D, &ctx->Y, &ctx->BY};
  size_t    i;

  PetscFunctionBegin;
  PetscCall(EPSAllocateSolution(eps, n - eps->ncv));
  PetscCall(EPS_SetInnerProduct(eps));
  for (i = 0; i < PETSC_STATIC_ARRAY_LENGTH(all); i++) {
    PetscCall(BVDuplicateResize(eps->V, i < 6 ? width : ycols, all[i]));
    PetscCall(BVSetMatrix(*all[i], NULL, PETSC_FALSE));
  }
  PetscCall(PetscCalloc3(n, &ctx->theta, n, &ctx->scaled, n, &ctx->rtols));
  PetscCall(PetscCalloc3(n, &ctx->error, n, &ctx->best, n, &ctx->stalls));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode EPSNAPISetActive(EPS eps, PetscInt na)
{
  EPS_NAPI *ctx   = (EPS_NAPI *)eps->data;
  BV        all[] = {ctx->W, ctx->Wold, ctx->AW, ctx->BW, ctx->R, ctx->D};
  size_t    i;

  PetscFunctionBegin;
  for (i = 0; i < PETSC_STATIC_ARRAY_LENGTH(all); i++) PetscCall(BVSetActiveColumns(all[i], 0, na));
  PetscCall(BVSetActiveColumns(ctx->Y, 0, ctx->ny));
  PetscCall(BVSetActiveColumns(ctx->BY, 0, ctx->ny));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x_j := a x_j + sign theta_j w_j for the first n columns */
PetscErrorCode EPSNAPIAddScaled(BV X, PetscScalar a, PetscInt n, const PetscScalar theta[], PetscReal sign, BV W)
{
  PetscInt j;
  Vec      x, w;

  PetscFunctionBegin;
  for (j = 0; j < n; j++) {
    PetscCall(BVGetColumn(X, j, &x));
    PetscCall(BVGetColumn(W, j, &w));
    PetscCall(VecAXPBY(x, sign * theta[j], a, w));
    PetscCall(BVRestoreColumn(W, j, &w));
    PetscCall(BVRestoreColumn(X, j, &x));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What happened to the basis, as the reason a user sees */
PetscErrorCode EPSNAPIBasisFailed(EPS eps, NAPIBasisStatus status)
{
  PetscFunctionBegin;
  if (status) PetscCall(EPSNAPIDiverged(eps, NAPIBasisStatuses[status]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fills the columns from first to na, which carry nothing, with random ones that have no past */
static PetscErrorCode BlockRefill(EPS eps, PetscInt first, PetscInt na)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;
  PetscInt  j;

  PetscFunctionBegin;
  PetscCall(PetscInfo(eps, "Replacing %" PetscInt_FMT " dependent columns of the block by random ones\n", na - first));
  for (j = first; j < na; j++) {
    PetscCall(BVSetRandomColumn(ctx->W, j));
    PetscCall(BVScaleColumn(ctx->Wold, j, 0.0));
  }
  PetscCall(BVSetActiveColumns(ctx->W, first, na));
  PetscCall(BVSetActiveColumns(ctx->BW, first, na));
  PetscCall(EPSNAPIApplyB(eps, ctx->W, ctx->BW));
  PetscCall(EPSNAPISetActive(eps, na));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   EPSNAPIOrthonormalize - Makes the na active columns of W orthonormal in the B inner product and B-orthogonal to Y.
   B W must be there; B W and W_{t-1} follow (the QR step of Algorithm 2, in which any invertible factor serves as R).
*/
PetscErrorCode EPSNAPIOrthonormalize(EPS eps, PetscInt na)
{
  const PetscInt  maxpass = 8;
  EPS_NAPI       *ctx     = (EPS_NAPI *)eps->data;
  NAPIBasisStatus status  = NAPI_BASIS_OK;
  PetscInt        pass, rank = 0;
  PetscReal       smallest = 0.0;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(EPS_NAPI_Ortho, eps, 0, 0, 0));
  /* a step on a block that was nearly orthonormal leaves it so to rounding */
  for (pass = 0; pass < maxpass && (rank < na || smallest < 0.25) && !eps->reason; pass++) {
    smallest = 0.0;
    if (ctx->ny) PetscCall(NAPIProject(ctx->W, ctx->BW, NULL, ctx->Y, ctx->BY, NULL, ctx->cross));
    PetscCall(NAPIOrthonormalizeStep(&ctx->small, ctx->W, ctx->BW, ctx->Wold, ctx->scratch, na, &rank, &smallest, &status));
    PetscCall(EPSNAPIBasisFailed(eps, status));
    if (!eps->reason && rank < na) PetscCall(BlockRefill(eps, rank, na));
  }
  PetscCall(PetscLogEventEnd(EPS_NAPI_Ortho, eps, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* EPSNAPIDeflate - Y: the user's deflation space; B Y */
PetscErrorCode EPSNAPIDeflate(EPS eps)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;
  PetscInt  j;
  Vec       v;

  PetscFunctionBegin;
  ctx->ny = eps->nds;
  PetscCall(EPSNAPISetActive(eps, 0));
  for (j = 0; j < eps->nds; j++) {
    PetscCall(BVGetColumn(eps->V, -eps->nds + j, &v));
    PetscCall(BVInsertVec(ctx->Y, j, v));
    PetscCall(BVRestoreColumn(eps->V, -eps->nds + j, &v));
  }
  if (eps->nds) {
    PetscCall(EPSNAPIApplyB(eps, ctx->Y, ctx->BY));
    if (ctx->bhalf != 1.0) { /* they are orthonormal in the user's inner product */
      PetscCall(BVScale(ctx->Y, 1.0 / ctx->bhalf));
      PetscCall(BVScale(ctx->BY, 1.0 / ctx->bhalf));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* EPSNAPIStart - W_0: the user's initial space, completed by random vectors; W_{-1} = 0 */
PetscErrorCode EPSNAPIStart(EPS eps, PetscInt na)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;
  PetscInt  j;

  PetscFunctionBegin;
  PetscCall(EPSNAPIDeflate(eps));
  PetscCall(EPSNAPISetActive(eps, na));
  for (j = eps->nini; j < na; j++) PetscCall(BVSetRandomColumn(eps->V, j));
  PetscCall(BVSetActiveColumns(eps->V, 0, na));
  PetscCall(BVCopy(eps->V, ctx->W));
  PetscCall(BVScale(ctx->Wold, 0.0));
  PetscCall(EPSNAPIApplyB(eps, ctx->W, ctx->BW));
  PetscCall(EPSNAPIOrthonormalize(eps, na));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   EPSNAPIRayleighRitz - Z = W'A W = Q Theta Q', and W Q in the place of W: with W B-orthonormal this is the Z_t of
   Algorithm 2, in the basis in which it is diagonal. Theta goes to eps->eigr behind the nconv locked values.
*/
PetscErrorCode EPSNAPIRayleighRitz(EPS eps, PetscInt na)
{
  EPS_NAPI *ctx       = (EPS_NAPI *)eps->data;
  BV        carried[] = {ctx->W, ctx->Wold, ctx->AW, ctx->BW};
  PetscBool finite;
  PetscInt  j;
  size_t    i;
  Mat       Z, Q;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(EPS_NAPI_Ritz, eps, 0, 0, 0));
  PetscCall(NAPISmallDot(&ctx->small, na, ctx->AW, ctx->B ? ctx->W : ctx->BW, &Z, &finite)); /* Z = W'A W, or W'G A W */
  if (!finite) {
    PetscCall(NAPISmallDiscard(&ctx->small, &Z));
    PetscCall(EPSNAPIBasisFailed(eps, NAPI_BASIS_NOT_FINITE));
  } else {
    PetscCall(NAPISmallSolve(&ctx->small, &Z));
    PetscCall(DSGetMat(eps->ds, DS_MAT_Q, &Q));
    for (i = 0; i < PETSC_STATIC_ARRAY_LENGTH(carried); i++) PetscCall(BVMultInPlace(carried[i], Q, 0, na));
    PetscCall(DSRestoreMat(eps->ds, DS_MAT_Q, &Q));
    for (j = 0; j < na; j++) {
      ctx->theta[j]             = ctx->small.theta[j];
      eps->eigr[eps->nconv + j] = ctx->theta[j] * ctx->unscale;
    }
  }
  PetscCall(PetscLogEventEnd(EPS_NAPI_Ritz, eps, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   EPSNAPISmallestSquare - The smallest eigenvalue of sym((A W)'W~), W~ ~ B^{-1} A W being in D: the square of the smallest
   |lambda| the block represents, which Ritz values do not show where they are of both signs. Uses no product.
*/
PetscErrorCode EPSNAPISmallestSquare(EPS eps, PetscInt na, PetscReal *square)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;
  PetscBool finite;
  PetscInt  j;
  Mat       M;

  PetscFunctionBegin;
  *square = 0.0;
  if (!ctx->B && ctx->G) PetscCall(EPSNAPIApplyB(eps, ctx->D, ctx->R));
  PetscCall(NAPISmallDot(&ctx->small, na, !ctx->B && ctx->G ? ctx->R : ctx->D, ctx->AW, &M, &finite)); /* (A W)' W~, or (A W)'G W~ */
  if (!finite) {
    PetscCall(NAPISmallDiscard(&ctx->small, &M));
    PetscCall(EPSNAPIBasisFailed(eps, NAPI_BASIS_NOT_FINITE));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(NAPISmallSolve(&ctx->small, &M));
  *square = PetscRealPart(ctx->small.theta[0]);
  for (j = 1; j < na; j++) *square = PetscMin(*square, PetscRealPart(ctx->small.theta[j]));
  *square = PetscMax(*square, 0.0); /* a loose solve can make it negative */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   ErrorOf - The figures the user's choice of residual asks for, from the norms of r = A x - lambda B x, x and B x; a
   negative xnorm is not known, and then the scaled residual alone is taken.
*/
static PetscErrorCode ErrorOf(EPS eps, PetscScalar lambda, PetscReal rnorm, PetscReal xnorm, PetscReal bxnorm, NAPIError *e)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;
  PetscReal size;

  PetscFunctionBegin;
  e->scaled = PetscAbsScalar(lambda) * bxnorm > 0.0 ? rnorm / (PetscAbsScalar(lambda) * bxnorm) : PETSC_MAX_REAL;
  if (ctx->residual == EPS_NAPI_RESIDUAL_SCALED || xnorm < 0.0) e->error = e->scaled;
  else {
    PetscCall((*eps->converged)(eps, lambda * ctx->unscale, 0.0, (xnorm > 0.0 ? rnorm / xnorm : rnorm) / (ctx->ascale > 0.0 ? ctx->ascale : 1.0), &e->error, eps->convergedctx));
    /* the other tests (absolute, relative to the matrix norms, the user's own) have a scale of their own */
    if (ctx->residual == EPS_NAPI_RESIDUAL_BOTH && eps->conv == EPS_CONV_REL) {
      /* for a B of large entries SLEPc's relative residual is out of reach: below this it is no longer a matter of accuracy */
      e->error = e->scaled < 1e-12 ? e->scaled : PetscMax(e->error, e->scaled);
    } else if (ctx->unscale != 1.0) e->error = PetscMax(e->error, e->scaled); /* residuals of extreme size may have become 0 */
  }
  /* normwise backward error; the norms are estimates from below, and so is that of x where it is not known */
  if (xnorm < 0.0) xnorm = bxnorm / ctx->bnorm;
  else if (xnorm > 0.0) {
    ctx->anorm = PetscMax(ctx->anorm, PetscAbsScalar(lambda) * bxnorm / xnorm);
    ctx->bnorm = PetscMax(ctx->bnorm, bxnorm / xnorm);
  }
  size        = (ctx->anorm + PetscAbsScalar(lambda) * ctx->bnorm) * xnorm;
  e->backward = rnorm == 0.0 ? 0.0 : size > 0.0 ? rnorm / size : PETSC_MAX_REAL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   EPSNAPIErrors - Errors of n pairs (theta_j, x_j), from the first columns of R, of BX and of X, which may be NULL
*/
PetscErrorCode EPSNAPIErrors(EPS eps, PetscInt n, const PetscScalar theta[], BV X, BV BX, NAPIError error[])
{
  EPS_NAPI  *ctx = (EPS_NAPI *)eps->data;
  PetscReal *norms;
  PetscInt   j;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * n, &norms)); /* one reduction for all */
  for (j = 0; j < n; j++) {
    PetscCall(BVNormColumnBegin(ctx->R, j, NORM_2, norms + 3 * j));
    PetscCall(BVNormColumnBegin(BX, j, NORM_2, norms + 3 * j + 1));
    if (X) PetscCall(BVNormColumnBegin(X, j, NORM_2, norms + 3 * j + 2));
  }
  for (j = 0; j < n; j++) {
    PetscCall(BVNormColumnEnd(ctx->R, j, NORM_2, norms + 3 * j));
    PetscCall(BVNormColumnEnd(BX, j, NORM_2, norms + 3 * j + 1));
    if (X) PetscCall(BVNormColumnEnd(X, j, NORM_2, norms + 3 * j + 2));
    else norms[3 * j + 2] = -1.0;
  }
  for (j = 0; j < n; j++) PetscCall(ErrorOf(eps, theta[j] + ctx->sigma, norms[3 * j], norms[3 * j + 2], norms[3 * j + 1], error + j));
  PetscCall(PetscFree(norms));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* EPSNAPIForgetStalls - To be called before the first step */
PetscErrorCode EPSNAPIForgetStalls(EPS eps)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;
  PetscInt  j;

  PetscFunctionBegin;
  for (j = 0; j < ctx->room; j++) {
    ctx->best[j]   = PETSC_MAX_REAL;
    ctx->stalls[j] = 0;
  }
  ctx->exhausted = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   EPSNAPIJudge - The error that counts for the pair at a position. One that no relative test lets pass, a zero eigenvalue for
   instance, has converged when its residual is down to rounding and gets no smaller. Residuals that stall a little above that
   level never will: the solve ends.
*/
PetscErrorCode EPSNAPIJudge(EPS eps, PetscInt at, const NAPIError *e, PetscBool fresh, PetscReal *error)
{
  EPS_NAPI       *ctx      = (EPS_NAPI *)eps->data;
  const PetscReal rounding = (ctx->exhausted ? PetscMax(8.0, (PetscReal)eps->n) : 8.0) * PETSC_MACHINE_EPSILON; /* of a product, and a sum of vectors; of a dense reduction of order n */
  const PetscReal near     = 1e3 * PETSC_MACHINE_EPSILON;                                                       /* where stalling has no other cause */
  const PetscInt  zero = 3, patience = 10, hopeless = 200;                                                      /* looks without a residual half as large, for |lambda| below rounding, for any, and before we give up */
  PetscBool       settled = PETSC_FALSE;

  PetscFunctionBegin;
  *error = e->error;
  if (e->error < eps->tol) PetscFunctionReturn(PETSC_SUCCESS);
  if (fresh) settled = (PetscBool)(e->backward <= 4.0 * rounding && (ctx->stalls[at] >= zero || ctx->exhausted || e->backward == 0.0));
  else {
    if (e->backward > near || e->backward < 0.5 * ctx->best[at]) {
      ctx->best[at]   = e->backward;
      ctx->stalls[at] = 0;
    } else ctx->stalls[at]++;
    if (ctx->stalls[at] >= zero) ctx->needx = PETSC_TRUE; /* the norm of x is not to be guessed any more */
    if (e->backward <= rounding) settled = (PetscBool)(e->backward == 0.0 || ctx->exhausted || ctx->stalls[at] >= (e->scaled >= 1.0 ? zero : patience));
    else if (ctx->stalls[at] >= hopeless && !eps->reason) PetscCall(EPSNAPIDiverged(eps, "the residual stagnates at the level of rounding errors: the tolerance is out of reach"));
  }
  if (settled) *error = PetscMin(e->backward, 0.5 * eps->tol);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   EPSNAPIFreshErrors - The same for X in the first n columns of W, with fresh products of the user's own A and B. R, BW and
   AW, (A - sigma B) X, are those fresh ones on exit.
*/
PetscErrorCode EPSNAPIFreshErrors(EPS eps, PetscInt n, const PetscScalar theta[], NAPIError error[])
{
  EPS_NAPI *ctx   = (EPS_NAPI *)eps->data;
  PetscReal sigma = ctx->sigma;
  PetscInt  j;
  STMatMode mode;
  BV        BX = ctx->B ? ctx->BW : ctx->W;
  Vec       r, ax, bx;

  PetscFunctionBegin;
  PetscCall(STGetMatMode(eps->st, &mode));
  if (mode == ST_MATMODE_INPLACE) sigma = 0.0; /* the user's A holds A - sigma B for the time being */
  PetscCall(EPSNAPISetActive(eps, n));
  PetscCall(EPSNAPIApplyBoth(eps, ctx->W, ctx->AW, ctx->BW));
  for (j = 0; j < n; j++) {
    PetscCall(BVGetColumn(ctx->R, j, &r));
    PetscCall(BVGetColumn(ctx->AW, j, &ax));
    PetscCall(BVGetColumn(BX, j, &bx));
    PetscCall(VecWAXPY(r, -(theta[j] + sigma), bx, ax)); /* r = A x - lambda B x */
    if (sigma != 0.0) PetscCall(VecAXPY(ax, -sigma, bx));
    PetscCall(BVRestoreColumn(BX, j, &bx));
    PetscCall(BVRestoreColumn(ctx->AW, j, &ax));
    PetscCall(BVRestoreColumn(ctx->R, j, &r));
  }
  PetscCall(EPSNAPIErrors(eps, n, theta, ctx->W, BX, error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CheckWhich - The iteration finds the largest |theta| = |lambda - sigma|. Whether those are the eigenvalues asked for is
   seen only now that one has converged: every other eigenvalue lies within |theta| of sigma.
*/
static PetscErrorCode CheckWhich(EPS eps, PetscReal theta)
{
  EPS_NAPI *ctx    = (EPS_NAPI *)eps->data;
  PetscReal lambda = theta + ctx->sigma, user = lambda * ctx->unscale, slack = 1.0 + PetscSqrtReal(PETSC_MACHINE_EPSILON);

  PetscFunctionBegin;
  switch (eps->which) {
  case EPS_LARGEST_REAL:
    PetscCheck(theta > 0.0, PetscObjectComm((PetscObject)eps), PETSC_ERR_SUP, "The eigenvalue %g is of largest magnitude but not the largest real one, which is what this momentum finds only where the two coincide: shift the spectrum, for instance with -st_shift %g", (double)user, (double)user);
    break;
  case EPS_SMALLEST_REAL:
    PetscCheck(theta < 0.0, PetscObjectComm((PetscObject)eps), PETSC_ERR_SUP, "The eigenvalue %g is of largest magnitude but not the smallest real one, which is what this momentum finds only where the two coincide: shift the spectrum, for instance with -st_shift %g", (double)user, (double)user);
    break;
  default:
    PetscCheck(PetscAbsReal(lambda) * slack >= PetscAbsReal(ctx->sigma) + PetscAbsReal(theta), PetscObjectComm((PetscObject)eps), PETSC_ERR_SUP, "The eigenvalue %g is the farthest from the shift %g but need not be of largest magnitude: use -st_shift 0, or a shift of the other sign", (double)user,
               (double)ctx->usersigma);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   EPSNAPILock - Errors of the na active pairs from the residual R; the leading ones that pass are computed anew with
   fresh products, and those that pass again go to Y. On exit na is the number of columns left.
*/
PetscErrorCode EPSNAPILock(EPS eps, PetscInt *na)
{
  EPS_NAPI  *ctx       = (EPS_NAPI *)eps->data;
  BV         carried[] = {ctx->W, ctx->Wold, ctx->AW, ctx->BW, ctx->R};
  PetscReal *error     = eps->errest + eps->nconv;
  PetscInt   j, candidates = 0, lock;
  size_t     i;

  PetscFunctionBegin;
  PetscCall(EPSNAPIErrors(eps, *na, ctx->theta, ctx->W, ctx->B ? ctx->BW : ctx->W, ctx->error));
  for (j = 0; j < *na && !eps->reason; j++) {
    ctx->scaled[j] = ctx->error[j].scaled;
    PetscCall(EPSNAPIJudge(eps, eps->nconv + j, ctx->error + j, PETSC_FALSE, error + j));
  }
  if (eps->reason) PetscFunctionReturn(PETSC_SUCCESS);
  while (candidates < *na && error[candidates] < eps->tol) candidates++;
  if (candidates) PetscCall(EPSNAPIFreshErrors(eps, candidates, ctx->theta, ctx->error));
  for (j = 0; j < candidates; j++) {
    ctx->scaled[j] = ctx->error[j].scaled;
    PetscCall(EPSNAPIJudge(eps, eps->nconv + j, ctx->error + j, PETSC_TRUE, error + j));
  }
  for (j = 0; j < candidates; j++)
    if (!EPSNAPIInRange(ctx, ctx->theta[j])) PetscCall(EPSNAPIDiverged(eps, NAPI_RANGE));
  if (eps->reason) PetscFunctionReturn(PETSC_SUCCESS);
  for (lock = 0; lock < candidates && error[lock] < eps->tol; lock++) PetscCall(CheckWhich(eps, PetscRealPart(ctx->theta[lock])));
  PetscCall(EPSNAPISetActive(eps, *na));
  if (!lock) PetscFunctionReturn(PETSC_SUCCESS);

  PetscCall(BVSetActiveColumns(ctx->Y, ctx->ny, ctx->ny + lock));
  PetscCall(BVSetActiveColumns(ctx->BY, ctx->ny, ctx->ny + lock));
  PetscCall(BVSetActiveColumns(ctx->W, 0, lock));
  PetscCall(BVSetActiveColumns(ctx->BW, 0, lock));
  PetscCall(BVCopy(ctx->W, ctx->Y));
  PetscCall(BVCopy(ctx->BW, ctx->BY));
  ctx->ny += lock;
  eps->nconv += lock;
  *na -= lock;
  for (i = 0; i < PETSC_STATIC_ARRAY_LENGTH(carried); i++) {
    for (j = 0; j < *na; j++) PetscCall(BVCopyColumn(carried[i], j + lock, j));
  }
  for (j = 0; j < *na; j++) {
    ctx->theta[j]  = ctx->theta[j + lock];
    ctx->scaled[j] = ctx->scaled[j + lock];
  }
  PetscCall(EPSNAPISetActive(eps, *na));
  PetscFunctionReturn(PETSC_SUCCESS);
}
