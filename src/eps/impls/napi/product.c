/* SPDX-License-Identifier: BSD-2-Clause */
/*
   NAPI: products with A and B, which are scaled where their entries are extreme, and sums of products.
*/
#include <slepcnapi/private/napiimpl.h>

/*
   The size of an operator, from what it makes of X, and where that is extreme the power of two that takes it to about
   1: squares of very large or small numbers are none. Maximum norms, since others square. Of the inner product it is a power of
   four, so that vectors can be scaled by its root.
*/
static PetscErrorCode EPSNAPIProduct_Scale(EPS eps, BV X, BV Y, PetscBool product, PetscReal *scale, PetscReal *norm)
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

/* Y is A X, or the product with the inner product: counts its columns, and multiplies it by its scale */
static PetscErrorCode EPSNAPIProduct_Finish(EPS eps, BV X, BV Y, PetscBool product)
{
  EPS_NAPI  *ctx   = (EPS_NAPI *)eps->data;
  PetscReal *scale = product ? &ctx->bscale : &ctx->ascale;
  PetscInt   l, k;

  PetscFunctionBegin;
  PetscCall(BVGetActiveColumns(X, &l, &k));
  if (product) ctx->bcols += k - l;
  else ctx->acols += k - l;
  if (*scale == 0.0) PetscCall(EPSNAPIProduct_Scale(eps, X, Y, product, scale, product ? &ctx->bnorm : &ctx->anorm));
  if (*scale != 0.0 && *scale != 1.0) PetscCall(BVScale(Y, *scale));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* EPSNAPIApplyA, EPSNAPIApplyB - Y = A X, and Y = G X, which is B X in a pair, on the active columns; A and G here and everywhere are the scaled ones */
PetscErrorCode EPSNAPIApplyA(EPS eps, BV X, BV Y)
{
  PetscFunctionBegin;
  PetscCall(BVMatMult(X, ((EPS_NAPI *)eps->data)->A, Y));
  PetscCall(EPSNAPIProduct_Finish(eps, X, Y, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode EPSNAPIApplyB(EPS eps, BV X, BV Y)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;

  PetscFunctionBegin;
  if (ctx->G) {
    PetscCall(BVMatMult(X, ctx->G, Y));
    PetscCall(EPSNAPIProduct_Finish(eps, X, Y, PETSC_TRUE));
  } else PetscCall(BVCopy(X, Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* EPSNAPIApplyBoth - AX = A X and BX = B X, A being the user's own */
PetscErrorCode EPSNAPIApplyBoth(EPS eps, BV X, BV AX, BV BX)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;
  PetscReal saved;
  Mat       A, x, ax, bx;

  PetscFunctionBegin;
  PetscCall(STGetMatrix(eps->st, 0, &A));
  if (ctx->pairmult) {
    PetscCall(BVGetMat(X, &x));
    PetscCall(BVGetMat(AX, &ax));
    PetscCall(BVGetMat(BX, &bx));
    PetscCall((*ctx->pairmult)(A, ctx->B, x, ax, bx, &saved));
    ctx->saved += saved;
    PetscCall(BVRestoreMat(BX, &bx));
    PetscCall(BVRestoreMat(AX, &ax));
    PetscCall(BVRestoreMat(X, &x));
    PetscCall(EPSNAPIProduct_Finish(eps, X, BX, PETSC_TRUE));
  } else {
    PetscCall(BVMatMult(X, A, AX));
    PetscCall(EPSNAPIApplyB(eps, X, BX));
  }
  PetscCall(EPSNAPIProduct_Finish(eps, X, AX, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* EPSNAPIAddScaled - x_j := a x_j + sign theta_j w_j for the first n columns */
PetscErrorCode EPSNAPIAddScaled(BV X, PetscScalar a, PetscInt n, const PetscReal theta[], PetscReal sign, BV W)
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

/* EPSNAPIDeflate - Y: the user's deflation space; B Y */
PetscErrorCode EPSNAPIDeflate(EPS eps)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;
  PetscInt  j;
  Vec       v;

  PetscFunctionBegin;
  ctx->ny = eps->nds;
  PetscCall(BVSetActiveColumns(ctx->Y, 0, ctx->ny));
  PetscCall(BVSetActiveColumns(ctx->BY, 0, ctx->ny));
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
