/* SPDX-License-Identifier: BSD-2-Clause */
/*
   NAPI, momentum none, fixed and adaptive: the B-orthonormal block W with its products.

   The active columns are the first na of every BV here; a pair that has converged is moved to Y, behind the user's
   deflation space, and everything else is kept B-orthogonal to Y. All work on long vectors is done on whole blocks.
*/
#include <slepcnapi/private/napiimpl.h>

/* EPSNAPIBlockSetActive - The first na columns */
PetscErrorCode EPSNAPIBlockSetActive(EPS eps, PetscInt na)
{
  EPS_NAPI *ctx   = (EPS_NAPI *)eps->data;
  BV        all[] = {ctx->W.X, ctx->W.BX, ctx->W.AX, ctx->Wold, ctx->R, ctx->D};
  size_t    i;

  PetscFunctionBegin;
  for (i = 0; i < PETSC_STATIC_ARRAY_LENGTH(all); i++) PetscCall(BVSetActiveColumns(all[i], 0, na));
  PetscCall(BVSetActiveColumns(ctx->Y, 0, ctx->ny));
  PetscCall(BVSetActiveColumns(ctx->BY, 0, ctx->ny));
  PetscCall(BVSetActiveColumns(ctx->dual, 0, ctx->ny));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fills the columns from first to na, which carry nothing, with random ones that have no past */
static PetscErrorCode EPSNAPIBlock_Refill(EPS eps, PetscInt first, PetscInt na)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;
  PetscInt  j;

  PetscFunctionBegin;
  PetscCall(PetscInfo(eps, "Replacing %" PetscInt_FMT " dependent columns of the block by random ones\n", na - first));
  for (j = first; j < na; j++) {
    PetscCall(BVSetRandomColumn(ctx->W.X, j));
    PetscCall(BVScaleColumn(ctx->Wold, j, 0.0));
  }
  PetscCall(BVSetActiveColumns(ctx->W.X, first, na));
  PetscCall(BVSetActiveColumns(ctx->W.BX, first, na));
  PetscCall(EPSNAPIApplyB(eps, ctx->W.X, ctx->W.BX));
  PetscCall(EPSNAPIBlockSetActive(eps, na));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   EPSNAPIBlockOrthonormalize - Makes the na active columns of W orthonormal in the B inner product and B-orthogonal to Y.
   B W must be there; B W and W_{t-1} follow (the QR step of Algorithm 2, in which any invertible factor serves as R).
*/
PetscErrorCode EPSNAPIBlockOrthonormalize(EPS eps, PetscInt na)
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
    if (ctx->ny) PetscCall(NAPIProject(ctx->W.X, ctx->W.BX, NULL, ctx->Y, ctx->BY, NULL, ctx->dual, ctx->cross));
    PetscCall(NAPIOrthonormalizeStep(&ctx->small, ctx->W.X, ctx->W.BX, ctx->Wold, ctx->scratch, na, &rank, &smallest, &status));
    PetscCall(EPSNAPIBasisFailed(eps, status));
    if (!eps->reason && rank < na) PetscCall(EPSNAPIBlock_Refill(eps, rank, na));
  }
  PetscCall(PetscLogEventEnd(EPS_NAPI_Ortho, eps, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* EPSNAPIBlockStart - W_0: the user's initial space, completed by random vectors; W_{-1} = 0 */
PetscErrorCode EPSNAPIBlockStart(EPS eps, PetscInt na)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;
  PetscInt  j;

  PetscFunctionBegin;
  PetscCall(EPSNAPIDeflate(eps));
  PetscCall(EPSNAPIBlockSetActive(eps, na));
  for (j = eps->nini; j < na; j++) PetscCall(BVSetRandomColumn(eps->V, j));
  PetscCall(BVSetActiveColumns(eps->V, 0, na));
  PetscCall(BVCopy(eps->V, ctx->W.X));
  PetscCall(BVScale(ctx->Wold, 0.0));
  PetscCall(EPSNAPIApplyB(eps, ctx->W.X, ctx->W.BX));
  PetscCall(EPSNAPIBlockOrthonormalize(eps, na));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   EPSNAPIBlockRitz - Z = W'A W = Q Theta Q', and W Q in the place of W: with W B-orthonormal this is the Z_t of
   Algorithm 2, in the basis in which it is diagonal. Theta goes to eps->eigr behind the nconv locked values.
*/
PetscErrorCode EPSNAPIBlockRitz(EPS eps, PetscInt na)
{
  EPS_NAPI *ctx       = (EPS_NAPI *)eps->data;
  BV        carried[] = {ctx->W.X, ctx->Wold, ctx->W.AX, ctx->W.BX};
  PetscBool finite;
  PetscInt  j;
  size_t    i;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(EPS_NAPI_Ritz, eps, 0, 0, 0));
  PetscCall(NAPISmallDot(&ctx->small, na, ctx->W.AX, ctx->B ? ctx->W.X : ctx->W.BX, &finite)); /* Z = W'A W, or W'G A W */
  if (!finite) PetscCall(EPSNAPIBasisFailed(eps, NAPI_BASIS_NOT_FINITE));
  else {
    PetscCall(NAPISmallSolve(&ctx->small, na));
    PetscCall(NAPISmallVectors(&ctx->small, na, ctx->scratch));
    for (i = 0; i < PETSC_STATIC_ARRAY_LENGTH(carried); i++) PetscCall(BVMultInPlace(carried[i], ctx->scratch, 0, na));
    for (j = 0; j < na; j++) {
      ctx->theta[j]             = ctx->small.theta[j];
      eps->eigr[eps->nconv + j] = EPSNAPIShown(eps, ctx->theta[j]);
    }
  }
  PetscCall(PetscLogEventEnd(EPS_NAPI_Ritz, eps, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   EPSNAPIBlockSmallestSquare - The smallest eigenvalue of sym((A W)'W~), W~ ~ B^{-1} A W being in D: the square of the smallest
   |lambda| the block represents, which Ritz values do not show where they are of both signs. Uses no product.
*/
PetscErrorCode EPSNAPIBlockSmallestSquare(EPS eps, PetscInt na, PetscReal *square)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;
  PetscBool finite;
  PetscInt  j;

  PetscFunctionBegin;
  *square = 0.0;
  if (!ctx->B && ctx->G) PetscCall(EPSNAPIApplyB(eps, ctx->D, ctx->R));
  PetscCall(NAPISmallDot(&ctx->small, na, !ctx->B && ctx->G ? ctx->R : ctx->D, ctx->W.AX, &finite)); /* (A W)' W~, or (A W)'G W~ */
  if (!finite) {
    PetscCall(EPSNAPIBasisFailed(eps, NAPI_BASIS_NOT_FINITE));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(NAPISmallSolve(&ctx->small, na));
  *square = ctx->small.theta[0];
  for (j = 1; j < na; j++) *square = PetscMin(*square, ctx->small.theta[j]);
  *square = PetscMax(*square, 0.0); /* a loose solve can make it negative */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The iteration finds the largest |theta| = |lambda - sigma|. Whether those are the eigenvalues asked for is
   seen only now that one has converged: every other eigenvalue lies within |theta| of sigma.
*/
static PetscErrorCode EPSNAPIBlock_CheckWhich(EPS eps, PetscReal theta)
{
  EPS_NAPI *ctx    = (EPS_NAPI *)eps->data;
  PetscReal lambda = theta + ctx->sigma, user = lambda * ctx->unscale, slack = 1.0 + PetscSqrtReal(PETSC_MACHINE_EPSILON);

  PetscFunctionBegin;
  if (ctx->form != NAPI_DIRECT) PetscFunctionReturn(PETSC_SUCCESS); /* see EPSNAPICovered() */
  if (ctx->which == EPS_LARGEST_MAGNITUDE) {
    PetscCheck(PetscAbsReal(lambda) * slack >= PetscAbsReal(ctx->sigma) + PetscAbsReal(theta), PetscObjectComm((PetscObject)eps), PETSC_ERR_SUP, "The eigenvalue %g is the farthest from the shift %g but need not be of largest magnitude: use -st_shift 0, or a shift of the other sign", (double)user,
               (double)ctx->usersigma);
  } else {
    const PetscBool largest = (PetscBool)(ctx->which == EPS_LARGEST_REAL);

    PetscCheck(largest ? theta > 0.0 : theta < 0.0, PetscObjectComm((PetscObject)eps), PETSC_ERR_SUP, "The eigenvalue %g is of largest magnitude but not the %s real one, which is what this momentum finds only where the two coincide: shift the spectrum, for instance with -st_shift %g", (double)user, largest ? "largest" : "smallest", (double)user);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   EPSNAPIBlockLock - Errors of the na active pairs from the residual R; the leading ones that pass are computed anew with
   fresh products, and those that pass again go to Y. On exit na is the number of columns left.
*/
PetscErrorCode EPSNAPIBlockLock(EPS eps, PetscInt *na)
{
  EPS_NAPI  *ctx       = (EPS_NAPI *)eps->data;
  BV         carried[] = {ctx->W.X, ctx->Wold, ctx->W.AX, ctx->W.BX, ctx->R};
  PetscReal *error     = eps->errest + eps->nconv;
  PetscInt   j, candidates = 0, lock;
  size_t     i;

  PetscFunctionBegin;
  PetscCall(EPSNAPIErrors(eps, *na, ctx->theta, ctx->R, ctx->W.X, ctx->B ? ctx->W.BX : ctx->W.X, ctx->error));
  for (j = 0; j < *na && !eps->reason; j++) {
    ctx->scaled[j] = ctx->error[j].relative;
    PetscCall(EPSNAPIJudge(eps, eps->nconv + j, ctx->error + j, PETSC_FALSE, error + j));
  }
  if (eps->reason) PetscFunctionReturn(PETSC_SUCCESS);
  while (candidates < *na && error[candidates] < eps->tol) candidates++;
  if (candidates) {
    PetscCall(EPSNAPIBlockSetActive(eps, candidates));
    PetscCall(EPSNAPIFreshErrors(eps, candidates, ctx->theta, &ctx->W, ctx->R, ctx->error));
  }
  for (j = 0; j < candidates; j++) {
    ctx->scaled[j] = ctx->error[j].relative;
    PetscCall(EPSNAPIJudge(eps, eps->nconv + j, ctx->error + j, PETSC_TRUE, error + j));
  }
  for (j = 0; j < candidates; j++)
    if (!EPSNAPIInRange(ctx, ctx->theta[j])) PetscCall(EPSNAPIDiverged(eps, NAPI_RANGE));
  if (eps->reason) PetscFunctionReturn(PETSC_SUCCESS);
  for (lock = 0; lock < candidates && error[lock] < eps->tol; lock++) PetscCall(EPSNAPIBlock_CheckWhich(eps, ctx->theta[lock]));
  PetscCall(EPSNAPIBlockSetActive(eps, *na));
  if (!lock) PetscFunctionReturn(PETSC_SUCCESS);

  PetscCall(BVSetActiveColumns(ctx->Y, ctx->ny, ctx->ny + lock));
  PetscCall(BVSetActiveColumns(ctx->BY, ctx->ny, ctx->ny + lock));
  PetscCall(BVSetActiveColumns(ctx->dual, ctx->ny, ctx->ny + lock));
  PetscCall(BVSetActiveColumns(ctx->W.X, 0, lock));
  PetscCall(BVSetActiveColumns(ctx->W.BX, 0, lock));
  PetscCall(BVCopy(ctx->W.X, ctx->Y));
  PetscCall(BVCopy(ctx->W.BX, ctx->BY));
  PetscCall(BVCopy(ctx->W.BX, ctx->dual));
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
  PetscCall(EPSNAPIBlockSetActive(eps, *na));
  PetscFunctionReturn(PETSC_SUCCESS);
}
