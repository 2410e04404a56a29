/* SPDX-License-Identifier: BSD-2-Clause */
/*
   NAPI: products with A and B, which are scaled where their entries are extreme, and sums of products.
*/
#include <slepcnapi/private/napiimpl.h>
#include <slepc/private/stimpl.h>

/* One more, if x'y < 0 for a column of X and one of Y */
static PetscErrorCode EPSNAPIProduct_IsNegative(BV X, PetscInt i, BV Y, PetscInt j, PetscInt *negative)
{
  PetscScalar dot;
  Vec         x, y;

  PetscFunctionBegin;
  PetscCall(BVGetColumn(X, i, &x));
  PetscCall(BVGetColumn(Y, j, &y));
  PetscCall(VecDot(y, x, &dot));
  PetscCall(BVRestoreColumn(Y, j, &y));
  PetscCall(BVRestoreColumn(X, i, &x));
  if (PetscRealPart(dot) < 0.0) ++*negative;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The size of an operator, from what it makes of X, and where that is extreme the power of two that takes it to about
   1: squares of very large or small numbers are none. Maximum norms, since others square. Of the inner product it is a power of
   four, so that vectors can be scaled by its root; and its sign is that of x'G x, where that is negative for every x.
*/
static PetscErrorCode EPSNAPIProduct_Scale(EPS eps, BV X, BV Y, PetscBool product, PetscReal *scale, PetscReal *norm)
{
  const int extreme = 100; /* 2^100 ~ 1e30: up to here no square is in danger */
  EPS_NAPI *ctx     = (EPS_NAPI *)eps->data;
  PetscReal x, y, ratio = 0.0;
  PetscInt  j, l, k, negative = 0;
  int       exponent;

  PetscFunctionBegin;
  PetscCall(BVGetActiveColumns(X, &l, &k));
  for (j = 0; j < k - l; j++) {
    PetscInt ly, ky;

    PetscCall(BVGetActiveColumns(Y, &ly, &ky));
    PetscCall(BVNormColumn(X, l + j, NORM_INFINITY, &x));
    PetscCall(BVNormColumn(Y, ly + j, NORM_INFINITY, &y));
    if (x > 0.0 && y > 0.0 && y / x < 1e-8 * PETSC_MAX_REAL) ratio = PetscMax(ratio, y / x); /* NaN and what is next to infinity say nothing */
    if (product && (ctx->B || ctx->form == NAPI_OPERATOR)) PetscCall(EPSNAPIProduct_IsNegative(X, l + j, Y, ly + j, &negative));
  }
  if (product && negative && negative == k - l) {
    PetscCall(PetscInfo(eps, "%s is negative definite: changing both signs\n", ctx->form == NAPI_INVERSE ? "A - sigma B" : "B"));
    ctx->sign = -1.0;
  }
  if (ratio > 0.0) { /* otherwise the next product may tell */
    (void)frexp((double)ratio, &exponent);
    if (PetscAbs(exponent) <= extreme || ctx->form == NAPI_OPERATOR) exponent = 0;
    if (product && exponent % 2) exponent++;
    *scale = (PetscReal)ldexp(1.0, -exponent);
    if (product || ctx->sigma == 0.0) *norm = ratio * *scale; /* of a shifted A it says little */
    *scale *= ctx->sign;
    if (product) ctx->bhalf = (PetscReal)ldexp(1.0, -exponent / 2);
    if (exponent) PetscCall(PetscInfo(eps, "Scaling %s by 2^%d\n", product ? "B" : "A", -exponent));
    ctx->unscale = (ctx->bscale != 0.0 ? PetscAbsReal(ctx->bscale) : 1.0) / (ctx->ascale != 0.0 ? PetscAbsReal(ctx->ascale) : 1.0);
    if (ctx->sigma != 0.0) ctx->sigma = ctx->usersigma / ctx->unscale;
    PetscCall(EPSNAPISetOrder(eps)); /* which may be that of distances from a target */
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
  if (product == (PetscBool)(ctx->form != NAPI_INVERSE)) ctx->bcols += k - l; /* the user's B, or B times what was scaled */
  else ctx->acols += k - l;
  if (*scale == 0.0) PetscCall(EPSNAPIProduct_Scale(eps, X, Y, product, scale, product ? &ctx->bnorm : &ctx->anorm));
  if (*scale != 0.0 && *scale != 1.0) PetscCall(BVScale(Y, *scale));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* EPSNAPIApplyA, EPSNAPIApplyB - A X of a block, whose B X is there, and Y = G X, which is B X in a pair, on the active columns; A and G
   here and everywhere are the scaled ones of the form in use */
PetscErrorCode EPSNAPIApplyA(EPS eps, const NAPIBlock *X)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;

  PetscFunctionBegin;
  if (ctx->form == NAPI_OPERATOR) {
    PetscCall(EPSNAPIApplyOperator(eps, X->BX, X->AX));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (ctx->A) PetscCall(BVMatMult(X->X, ctx->A, X->AX));
  else PetscCall(BVCopy(X->X, X->AX));
  PetscCall(EPSNAPIProduct_Finish(eps, X->X, X->AX, PETSC_FALSE));
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

/*
   EPSNAPIApplyBoth - AX = A^X and BX = B^X from the user's own A and B: A X, which in the direct form is not shifted yet, and B X; or
   in the inverse form B X and (A - sigma B)X
*/
PetscErrorCode EPSNAPIApplyBoth(EPS eps, BV X, BV AX, BV BX)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;
  STMatMode mode;
  Mat       A, x, ax, bx;

  PetscFunctionBegin;
  A = eps->st->A[0]; /* which STGetMatrix() does not give where it is shifted in place */
  if (ctx->pairmult) {
    PetscCall(BVGetMat(X, &x));
    PetscCall(BVGetMat(AX, &ax));
    PetscCall(BVGetMat(BX, &bx));
    PetscCall((*ctx->pairmult)(A, ctx->B, x, ax, bx, NULL));
    PetscCall(BVRestoreMat(BX, &bx));
    PetscCall(BVRestoreMat(AX, &ax));
    PetscCall(BVRestoreMat(X, &x));
    PetscCall(EPSNAPIProduct_Finish(eps, X, BX, PETSC_TRUE));
    PetscCall(EPSNAPIProduct_Finish(eps, X, AX, PETSC_FALSE));
  } else if (ctx->form == NAPI_INVERSE) {
    const NAPIBlock block = {X, BX, AX};

    PetscCall(STGetMatMode(eps->st, &mode));
    PetscCall(EPSNAPIApplyA(eps, &block));
    PetscCall(BVMatMult(X, A, BX));
    PetscCall(EPSNAPIProduct_Finish(eps, X, BX, PETSC_TRUE));
    if (ctx->usersigma != 0.0 && mode != ST_MATMODE_INPLACE) PetscCall(BVMult(BX, -ctx->usersigma * ctx->unscale, 1.0, AX, NULL)); /* otherwise A holds A - sigma B for the time being */
  } else {
    PetscCall(BVMatMult(X, A, AX));
    PetscCall(EPSNAPIApplyB(eps, X, BX));
    PetscCall(EPSNAPIProduct_Finish(eps, X, AX, PETSC_FALSE));
  }
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

/* ------------------------------------------------- the deflation space ------------------------------------------------- */

/* The null space that A is said to have, or may have: only at sigma = 0 is it of any use */
static PetscErrorCode EPSNAPIProduct_NullSpace(EPS eps, MatNullSpace *space, PetscBool *constant, PetscInt *n, const Vec **vecs)
{
  PetscBool shift;

  PetscFunctionBegin;
  *space    = NULL;
  *n        = 0;
  *constant = PETSC_FALSE;
  PetscCall(PetscObjectTypeCompare((PetscObject)eps->st, STSHIFT, &shift));
  if (shift) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetNullSpace(eps->st->A[0], space));
  if (!*space) PetscCall(MatGetNearNullSpace(eps->st->A[0], space));
  if (*space) PetscCall(MatNullSpaceGetVecs(*space, constant, n, vecs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* EPSNAPINullDimension - Of what A may have as its null space: room has to be made for it */
PetscErrorCode EPSNAPINullDimension(EPS eps, PetscInt *dimension)
{
  MatNullSpace space;
  PetscBool    constant;
  const Vec   *vecs;

  PetscFunctionBegin;
  PetscCall(EPSNAPIProduct_NullSpace(eps, &space, &constant, dimension, &vecs));
  if (constant) ++*dimension;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Behind the user's deflation space comes what A has as its null space, B-orthonormal: those x, of the null space or near null space
   attached to it, with ||A x|| no more than rounding. They are eigenvectors, for the eigenvalue 0. The near null space of a
   structure that is fixed has none of them.
*/
static PetscErrorCode EPSNAPIProduct_Null(EPS eps)
{
  const PetscReal rounding = 1e-12; /* of ||A|| ||x||: their coordinates may have been rounded, too */
  EPS_NAPI       *ctx      = (EPS_NAPI *)eps->data;
  MatNullSpace    space;
  PetscBool       constant, lindep;
  PetscInt        n;
  PetscReal       norm, rnorm, anorm = 0.0;
  const Vec      *vecs;
  Vec             v, r;
  Mat             A, B;
  BV              Z;

  PetscFunctionBegin;
  ctx->nnull = 0;
  if (ctx->form == NAPI_DIRECT || ctx->usersigma != 0.0 || ctx->momentum != EPS_NAPI_MOMENTUM_OPTIMAL) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(EPSNAPIProduct_NullSpace(eps, &space, &constant, &n, &vecs));
  if (!space || !ctx->maxnull) PetscFunctionReturn(PETSC_SUCCESS); /* or SLEPc has seen the user's deflation space to be one, after set-up */
  A = eps->st->A[0];
  PetscCall(BVGetMatrix(eps->V, &B, NULL));
  PetscCall(BVDuplicate(ctx->Y, &Z));
  PetscCall(BVSetMatrix(Z, B, PETSC_FALSE));
  PetscCall(BVCreateVec(Z, &r));
  PetscCall(BVSetRandomColumn(Z, 0)); /* ||A||, as a random vector sees it */
  PetscCall(BVGetColumn(Z, 0, &v));
  PetscCall(MatMult(A, v, r));
  PetscCall(VecNorm(v, NORM_2, &norm));
  PetscCall(VecNorm(r, NORM_2, &rnorm));
  PetscCall(BVRestoreColumn(Z, 0, &v));
  if (norm > 0.0) anorm = rnorm / norm;
  for (PetscInt j = 0; j < eps->nds; j++) {
    PetscCall(BVGetColumn(ctx->Y, j, &v));
    PetscCall(BVInsertVec(Z, j, v));
    PetscCall(BVRestoreColumn(ctx->Y, j, &v));
  }
  for (PetscInt j = 0; j < PetscMin(ctx->maxnull, n + (constant ? 1 : 0)); j++) {
    const PetscInt at = eps->nds + ctx->nnull;

    if (j < n) PetscCall(BVInsertVec(Z, at, vecs[j]));
    else {
      PetscCall(BVGetColumn(Z, at, &v));
      PetscCall(VecSet(v, 1.0));
      PetscCall(BVRestoreColumn(Z, at, &v));
    }
    PetscCall(BVOrthonormalizeColumn(Z, at, PETSC_FALSE, &norm, &lindep));
    if (lindep || !(norm > 0.0)) continue;
    PetscCall(BVGetColumn(Z, at, &v));
    PetscCall(MatMult(A, v, r));
    PetscCall(VecNorm(v, NORM_2, &norm));
    PetscCall(VecNorm(r, NORM_2, &rnorm));
    if (rnorm <= rounding * anorm * norm) {
      PetscCall(BVInsertVec(ctx->Y, at, v));
      eps->errest[ctx->nnull] = anorm * norm > 0.0 ? rnorm / (anorm * norm) : 0.0;
      eps->eigr[ctx->nnull++] = ctx->pconly ? 0.0 : PETSC_MAX_REAL;
    }
    PetscCall(BVRestoreColumn(Z, at, &v));
    ctx->acols++;
  }
  PetscCall(VecDestroy(&r));
  PetscCall(BVDestroy(&Z));
  if (ctx->nnull) PetscCall(PetscInfo(eps, "A has a null space of dimension %" PetscInt_FMT "\n", ctx->nnull));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* EPSNAPIDeflate - Y: the user's deflation space, and the null space of A; B Y, and what Y is orthogonal by */
PetscErrorCode EPSNAPIDeflate(EPS eps)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;
  Vec       v;
  BV        x, bx;

  PetscFunctionBegin;
  for (PetscInt j = 0; j < eps->nds; j++) {
    PetscCall(BVGetColumn(eps->V, -eps->nds + j, &v));
    PetscCall(BVInsertVec(ctx->Y, j, v));
    PetscCall(BVRestoreColumn(eps->V, -eps->nds + j, &v));
  }
  PetscCall(EPSNAPIProduct_Null(eps));
  ctx->ny = eps->nds + ctx->nnull;
  PetscCall(BVSetActiveColumns(ctx->Y, 0, ctx->ny));
  PetscCall(BVSetActiveColumns(ctx->BY, 0, ctx->ny));
  PetscCall(BVSetActiveColumns(ctx->dual, 0, ctx->ny));
  if (!ctx->ny) PetscFunctionReturn(PETSC_SUCCESS);
  if (ctx->form == NAPI_INVERSE) { /* orthonormal in the user's B; of A - sigma B, which may be 0 there, they tell neither size nor sign */
    if (ctx->A) PetscCall(BVMatMult(ctx->Y, ctx->A, ctx->dual));
    else PetscCall(BVCopy(ctx->Y, ctx->dual));
    ctx->bcols += ctx->ny;
    PetscCall(BVDuplicateResize(ctx->Y, 1, &x));
    PetscCall(BVDuplicateResize(ctx->Y, 1, &bx));
    PetscCall(BVSetRandomColumn(x, 0));
    PetscCall(EPSNAPIApplyB(eps, x, bx));
    PetscCall(BVDestroy(&x));
    PetscCall(BVDestroy(&bx));
    PetscCall(EPSNAPIApplyB(eps, ctx->Y, ctx->BY));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(EPSNAPIApplyB(eps, ctx->Y, ctx->BY));
  if (ctx->bhalf != 1.0) { /* they are orthonormal in the user's inner product */
    PetscCall(BVScale(ctx->Y, 1.0 / ctx->bhalf));
    PetscCall(BVScale(ctx->BY, 1.0 / ctx->bhalf));
  }
  PetscCall(BVCopy(ctx->BY, ctx->dual));
  PetscFunctionReturn(PETSC_SUCCESS);
}
