/* SPDX-License-Identifier: BSD-2-Clause */
/*
   NAPI: the pairs in sight, how far they are from being pairs of (A, B), and reasons to end.
*/
#include <slepcnapi/private/napiimpl.h>

/* EPSNAPIDiverged - Ends the solve with a reason, and remembers what to say of it */
PetscErrorCode EPSNAPIDiverged(EPS eps, const char cause[])
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;

  PetscFunctionBegin;
  if (ctx->form == NAPI_DIRECT && ctx->nearlysingular) cause = NAPI_NEARLY_SINGULAR;
  PetscCall(PetscInfo(eps, "Giving up: %s\n", cause));
  ctx->cause      = cause;
  ctx->outofreach = PETSC_FALSE;
  eps->reason     = EPS_DIVERGED_BREAKDOWN;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* EPSNAPIOutOfReach - The same where it is the tolerance that asks for too much */
PetscErrorCode EPSNAPIOutOfReach(EPS eps, const char cause[])
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;

  PetscFunctionBegin;
  PetscCall(EPSNAPIDiverged(eps, cause));
  ctx->outofreach = (PetscBool)(ctx->cause == cause);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* EPSNAPIIsOutOfReach - Whether the last solve has failed for that */
PetscErrorCode EPSNAPIIsOutOfReach(EPS eps, PetscBool *yes)
{
  const EPS_NAPI *ctx = (const EPS_NAPI *)eps->data;

  PetscFunctionBegin;
  *yes = (PetscBool)(eps->reason == EPS_DIVERGED_BREAKDOWN && ctx->cause && ctx->outofreach);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* EPSNAPIBasisFailed - What happened to the basis, as the reason a user sees */
PetscErrorCode EPSNAPIBasisFailed(EPS eps, NAPIBasisStatus status)
{
  PetscFunctionBegin;
  if (status && eps->reason >= 0) {
    if (status == NAPI_BASIS_INDEFINITE && ((EPS_NAPI *)eps->data)->form == NAPI_INVERSE) PetscCall(EPSNAPIUnfit(eps, NAPI_INDEFINITE));
    else PetscCall(EPSNAPIDiverged(eps, NAPIBasisStatuses[status]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   EPSNAPIAllocate - W of width columns, with room for the figures of the pairs, and Y and B Y of ycols. Products with B are
   carried along, so that inner products of these BVs are plain.
*/
PetscErrorCode EPSNAPIAllocate(EPS eps, PetscInt width, PetscInt ycols)
{
  EPS_NAPI *ctx   = (EPS_NAPI *)eps->data;
  PetscInt  n     = ctx->room;
  BV       *all[] = {&ctx->W.X, &ctx->Y, &ctx->BY, &ctx->dual};

  PetscFunctionBegin;
  PetscCall(EPSAllocateSolution(eps, n - eps->ncv + ctx->maxnull));
  PetscCall(EPS_SetInnerProduct(eps));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(all); i++) {
    PetscCall(BVDuplicateResize(eps->V, i < 1 ? width : ycols, all[i]));
    PetscCall(BVSetMatrix(*all[i], NULL, PETSC_FALSE));
  }
  PetscCall(NAPISmallCreate(eps->ds, eps->ncv, &ctx->small));
  PetscCall(PetscCalloc3(n, &ctx->theta, n, &ctx->scaled, n, &ctx->rtols));
  PetscCall(PetscCalloc3(n, &ctx->error, n, &ctx->best, n, &ctx->stalls));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The figures the user's choice of residual asks for, of the pair (theta, x) in use, from the norms of its residual
   r^ = A^x - theta B^x, of x and of B^x; a negative xnorm is not known, and then the scaled residual alone is taken.

   In the direct form r^ is that of the user's pair, r = A x - lambda B x, up to a scale. In the inverse form r^ = -theta r and
   A^x = B x, which is theta B^x up to r^. In the operator's, r^ = -(A - sigma B)^{-1} theta r; for the vector A^x/theta, which is the
   one that will be reported, r = -B r^/theta^2, and how B changes its size is learnt where that is computed anew (amplify).
*/
static PetscErrorCode EPSNAPIConverge_Error(EPS eps, PetscReal theta, PetscReal rnorm, PetscReal xnorm, PetscReal bxnorm, NAPIError *e)
{
  EPS_NAPI       *ctx    = (EPS_NAPI *)eps->data;
  const PetscBool direct = (PetscBool)(ctx->form == NAPI_DIRECT);
  const PetscReal user = theta * ctx->unscale, shifted = direct ? theta + ctx->sigma : theta, part = direct ? 1.0 : PetscAbsReal(1.0 + ctx->usersigma * user); /* lambda theta */
  PetscReal       size, user_r = rnorm / (ctx->ascale != 0.0 ? PetscAbsReal(ctx->ascale) : 1.0) / (direct ? 1.0 : PetscAbsReal(user));

  PetscFunctionBegin;
  e->relative = PetscAbsReal(shifted) * bxnorm > 0.0 ? rnorm / (PetscAbsReal(shifted) * bxnorm) : PETSC_MAX_REAL;
  e->scaled   = part > 0.0 ? PetscMin(PETSC_MAX_REAL, e->relative / part) : PETSC_MAX_REAL;
  if (ctx->form == NAPI_OPERATOR) { /* an estimate: what counts is what EPSNAPIFreshErrors() finds */
    e->error    = e->scaled *= ctx->amplify;
    e->backward = ctx->amplify * e->relative * ctx->bnorm / (PetscAbsReal(user) * ctx->anorm + part * ctx->bnorm);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (ctx->residual == EPS_NAPI_RESIDUAL_SCALED || xnorm < 0.0) e->error = e->scaled;
  else {
    PetscCall((*eps->converged)(eps, EPSNAPILambda(ctx, theta), 0.0, xnorm > 0.0 ? user_r / xnorm : user_r, &e->error, eps->convergedctx));
    /* the other tests (absolute, relative to the matrix norms, the user's own) have a scale of their own */
    if (ctx->residual == EPS_NAPI_RESIDUAL_BOTH && eps->conv == EPS_CONV_REL) {
      /* for a B of large entries SLEPc's relative residual is out of reach: below this it is no longer a matter of accuracy */
      e->error = e->scaled < 1e-12 ? e->scaled : PetscMax(e->error, e->scaled);
    } else if (ctx->unscale != 1.0) e->error = PetscMax(e->error, e->scaled); /* residuals of extreme size may have become 0 */
  }
  /* normwise backward error; the norms are estimates from below, and so is that of x where it is not known */
  if (xnorm < 0.0) xnorm = bxnorm / ctx->bnorm;
  else if (xnorm > 0.0) {
    ctx->anorm = PetscMax(ctx->anorm, PetscAbsReal(shifted) * bxnorm / xnorm);
    ctx->bnorm = PetscMax(ctx->bnorm, bxnorm / xnorm);
  }
  if (direct) size = (ctx->anorm + PetscAbsReal(shifted) * ctx->bnorm) * xnorm;
  else size = (PetscAbsReal(theta) * ctx->bnorm + (PetscAbsReal(ctx->usersigma * user) + part) * ctx->anorm) * xnorm;
  e->backward = rnorm == 0.0 ? 0.0 : size > 0.0 ? rnorm / size : PETSC_MAX_REAL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   EPSNAPIErrors - Errors of n pairs (theta_j, x_j), from the first columns of their residuals R, of BX and of X, which may be NULL
*/
PetscErrorCode EPSNAPIErrors(EPS eps, PetscInt n, const PetscReal theta[], BV R, BV X, BV BX, NAPIError error[])
{
  PetscReal *norms;
  PetscInt   j;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * n, &norms)); /* one reduction for all */
  for (j = 0; j < n; j++) {
    PetscCall(BVNormColumnBegin(R, j, NORM_2, norms + 3 * j));
    PetscCall(BVNormColumnBegin(BX, j, NORM_2, norms + 3 * j + 1));
    if (X) PetscCall(BVNormColumnBegin(X, j, NORM_2, norms + 3 * j + 2));
  }
  for (j = 0; j < n; j++) {
    PetscCall(BVNormColumnEnd(R, j, NORM_2, norms + 3 * j));
    PetscCall(BVNormColumnEnd(BX, j, NORM_2, norms + 3 * j + 1));
    if (X) PetscCall(BVNormColumnEnd(X, j, NORM_2, norms + 3 * j + 2));
    else norms[3 * j + 2] = -1.0;
  }
  for (j = 0; j < n; j++) PetscCall(EPSNAPIConverge_Error(eps, theta[j], norms[3 * j], norms[3 * j + 2], norms[3 * j + 1], error + j));
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
   instance, has converged when its residual is down to rounding and gets no smaller; and, where sigma is not zero, too, when it
   gets no smaller and is zero, to the tolerance, compared with lambda - sigma. Residuals that stall a little above rounding never will: the solve ends.
   One that is infinite never has.
*/
PetscErrorCode EPSNAPIJudge(EPS eps, PetscInt at, const NAPIError *e, PetscBool fresh, PetscReal *error)
{
  EPS_NAPI       *ctx       = (EPS_NAPI *)eps->data;
  const PetscReal rounding  = (ctx->exhausted ? PetscMax(8.0, (PetscReal)eps->n) : 8.0) * PETSC_MACHINE_EPSILON; /* of a product, and a sum of vectors; of a dense reduction of order n */
  const PetscReal several   = 4.0;                                                                               /* times that: the norms are only estimated */
  const PetscReal near      = 1e3 * PETSC_MACHINE_EPSILON;                                                       /* where stalling has no other cause */
  const PetscReal nodigit   = 0.1;                                                                               /* relative residual of an eigenvalue that is nothing but rounding */
  const PetscInt  zero      = 3;                                                                                 /* looks without a residual half as large, for |lambda| below rounding, */
  const PetscInt  patience  = 10;                                                                                /*   for any, */
  const PetscInt  endurance = 50;                                                                                /*   for one without a digit at several times rounding, */
  const PetscInt  hopeless  = 200;                                                                               /*   and before we give up */
  PetscBool       settled   = PETSC_FALSE;
  PetscBool       null      = PETSC_FALSE; /* zero, compared with lambda - sigma, to the tolerance */

  PetscFunctionBegin;
  *error = e->error;
  if (ctx->form == NAPI_INVERSE && EPSNAPIIsInfinite(ctx, ctx->window.theta ? ctx->window.theta[at] : ctx->theta[at])) {
    *error = PETSC_MAX_REAL;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (e->error < eps->tol) PetscFunctionReturn(PETSC_SUCCESS);
  if (ctx->form != NAPI_DIRECT) null = (PetscBool)(e->relative <= 0.1 * eps->tol && e->relative <= eps->tol * e->scaled);
  if (null && (ctx->stalls[at] >= patience || ctx->exhausted)) {
    if (fresh ? e->backward <= several * PetscMax(100.0, (PetscReal)eps->n) * PETSC_MACHINE_EPSILON : ctx->renewals >= NAPI_RENEWALS) *error = e->relative;
    else if (!fresh) ctx->renew = PETSC_TRUE; /* it may be what is carried along that is no better */
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (fresh) settled = (PetscBool)(e->backward <= several * rounding && (ctx->stalls[at] >= zero || ctx->exhausted || e->backward == 0.0 || ctx->form == NAPI_OPERATOR));
  else {
    if ((e->backward > near && !null) || e->backward < 0.5 * ctx->best[at]) {
      ctx->best[at]   = e->backward;
      ctx->stalls[at] = 0;
    } else ctx->stalls[at]++;
    if (ctx->stalls[at] >= zero) ctx->needx = PETSC_TRUE; /* the norm of x is not to be guessed any more */
    if (e->backward <= rounding) settled = (PetscBool)(e->backward == 0.0 || ctx->exhausted || ctx->stalls[at] >= (e->scaled >= 1.0 ? zero : patience));
    else if (e->backward <= several * rounding && e->scaled >= nodigit && ctx->stalls[at] >= endurance) settled = PETSC_TRUE;
    else if (ctx->stalls[at] >= hopeless && !eps->reason) PetscCall(EPSNAPIOutOfReach(eps, "the residual stagnates at the level of rounding errors: the tolerance is out of reach"));
  }
  if (settled) *error = PetscMin(e->backward, 0.5 * eps->tol);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   EPSNAPIFreshErrors - The same for the n active columns of X, with fresh products of the user's own A and B: R, B^X and, unless it is
   NULL, A^X are those on exit. In the operator's form R = A X - B X Lambda, and B X.
*/
PetscErrorCode EPSNAPIFreshErrors(EPS eps, PetscInt n, const PetscReal theta[], const NAPIBlock *X, BV R, NAPIError error[])
{
  EPS_NAPI      *ctx   = (EPS_NAPI *)eps->data;
  const NAPIForm form  = ctx->form;
  PetscReal     *value = ctx->rtols; /* what B^X is multiplied by; nobody solves for anything here */
  PetscReal      back  = 0.0;        /* and in R it is A - back B that was applied */
  STMatMode      mode;
  PetscInt       nmat;
  BV             BX;
  Vec            r, ax, bx;

  PetscFunctionBegin;
  PetscCall(STGetNumMatrices(eps->st, &nmat));
  PetscCall(STGetMatMode(eps->st, &mode));
  if (mode == ST_MATMODE_INPLACE) back = form == NAPI_DIRECT ? ctx->sigma : ctx->usersigma; /* the user's A holds A - sigma B for the time being */
  BX = nmat > 1 || form == NAPI_INVERSE ? X->BX : X->X;
  PetscCall(EPSNAPIApplyBoth(eps, X->X, R, X->BX));
  for (PetscInt j = 0; j < n; j++) {
    value[j] = form == NAPI_DIRECT ? theta[j] + ctx->sigma - back : form == NAPI_INVERSE ? theta[j] : EPSNAPILambda(ctx, theta[j]) - back;
    PetscCall(BVGetColumn(R, j, &r));
    PetscCall(BVGetColumn(BX, j, &bx));
    if (X->AX) {
      PetscCall(BVGetColumn(X->AX, j, &ax));
      PetscCall(VecWAXPY(ax, form == NAPI_DIRECT ? back - ctx->sigma : 0.0, bx, r));
      PetscCall(BVRestoreColumn(X->AX, j, &ax));
    }
    PetscCall(VecAXPY(r, form == NAPI_OPERATOR ? -ctx->sign * value[j] : -value[j], bx));
    PetscCall(BVRestoreColumn(BX, j, &bx));
    PetscCall(BVRestoreColumn(R, j, &r));
  }
  if (form == NAPI_OPERATOR) { /* these are pairs of (A, B) itself */
    for (PetscInt j = 0; j < n; j++) value[j] += back;
    ctx->form = NAPI_DIRECT;
  }
  PetscCall(EPSNAPIErrors(eps, n, form == NAPI_OPERATOR ? value : theta, R, X->X, BX, error));
  ctx->form = form;
  for (PetscInt j = 0; j < n && form == NAPI_OPERATOR; j++) error[j].relative *= PetscAbsReal(1.0 + ctx->usersigma * theta[j]);
  PetscFunctionReturn(PETSC_SUCCESS);
}
