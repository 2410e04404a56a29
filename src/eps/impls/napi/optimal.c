/* SPDX-License-Identifier: BSD-2-Clause */
/*
   NAPI with optimal momentum: Rayleigh-Ritz over a window of past blocks.

   The span of W_t, W_{t-1} and the inner solution contains the paper's next iterate for every beta, and a window of past
   blocks contains it for every choice of beta in the last steps; Rayleigh-Ritz takes the best. In honest words this is a
   block generalised Davidson method that keeps directions at a restart (GD+k, A. Stathopoulos, SIAM J. Sci. Comput. 29,
   2007; with a window of three blocks LOBPCG, A. V. Knyazev, SIAM J. Sci. Comput. 23, 2001) and whose expansion is NAPI's
   warm-started inner solve.

   The window, its restarts, and the steps are in src/sys (window.c, step.c), shared with CCANAPI. Here is what an EPS has beyond
   that: its products, residuals and tests, both ends of the spectrum, and what is done when all have converged or none will.
*/
#include <slepcnapi/private/napiimpl.h>

#define NAPI_TINY 64 /* unknowns: a basis of as many costs nothing */

/* ------------------------------------------------- what the window asks of us ------------------------------------------------- */

/* D := the user's initial space from a column of V on, or random vectors; B D */
static PetscErrorCode EPSNAPIOptimal_Start(void *ptr, PetscInt position, PetscInt n, PetscBool *haveA)
{
  EPS              eps = (EPS)ptr;
  EPS_NAPI        *ctx = (EPS_NAPI *)eps->data;
  const NAPIBlock *D   = &ctx->window.side[0].D;
  Vec              v;

  PetscFunctionBegin;
  *haveA = PETSC_FALSE;
  for (PetscInt j = 0; j < n; j++) {
    if (position >= 0 && position + j < eps->nini) {
      PetscCall(BVGetColumn(eps->V, position + j, &v));
      PetscCall(BVInsertVec(D->X, j, v));
      PetscCall(BVRestoreColumn(eps->V, position + j, &v));
    } else PetscCall(BVSetRandomColumn(D->X, j));
  }
  if (ctx->G) PetscCall(EPSNAPIApplyB(eps, D->X, D->BX));
  if (ctx->form == NAPI_OPERATOR && ctx->G && !eps->reason) { /* into the range of the operator: a singular B does not see the rest */
    PetscCall(EPSNAPIApplyOperator(eps, D->BX, D->X));
    PetscCall(EPSNAPIApplyB(eps, D->X, D->BX));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EPSNAPIOptimal_ApplyA(void *ptr)
{
  EPS eps = (EPS)ptr;

  PetscFunctionBegin;
  PetscCall(EPSNAPIApplyA(eps, &((EPS_NAPI *)eps->data)->window.side[0].D));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EPSNAPIOptimal_ApplyB(void *ptr, PetscInt side)
{
  EPS              eps = (EPS)ptr;
  const NAPIBlock *D   = &((EPS_NAPI *)eps->data)->window.side[side].D;

  PetscFunctionBegin;
  PetscCall(EPSNAPIApplyB(eps, D->X, D->BX));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* W := the vectors of the pairs with the coefficients C of the window, and their Ritz values to theta; of an operator, what it makes of them, over theta */
static PetscErrorCode EPSNAPIOptimal_Vectors(EPS eps, PetscInt n, const PetscInt at[], PetscBool vectors, PetscReal theta[])
{
  EPS_NAPI   *ctx = (EPS_NAPI *)eps->data;
  NAPIWindow *w   = &ctx->window;

  PetscFunctionBegin;
  for (PetscInt j = 0; j < n; j++) theta[j] = w->theta[at[j]];
  PetscCall(BVSetActiveColumns(ctx->W.X, 0, n));
  if (vectors) PetscCall(BVMult(ctx->W.X, 1.0, 0.0, ctx->form == NAPI_OPERATOR ? w->side[0].V.AX : w->side[0].V.X, w->side[0].C));
  for (PetscInt j = 0; j < n && vectors && ctx->form == NAPI_OPERATOR; j++)
    if (theta[j] != 0.0) PetscCall(BVScaleColumn(ctx->W.X, j, 1.0 / theta[j]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* R and the errors from the products carried along. ||x|| costs a product of long blocks and is computed only where the test depends on it */
static PetscErrorCode EPSNAPIOptimal_Residual(void *ptr, PetscInt n, const PetscInt at[])
{
  EPS             eps = (EPS)ptr;
  EPS_NAPI       *ctx = (EPS_NAPI *)eps->data;
  NAPIWindowSide *s   = &ctx->window.side[0];

  PetscFunctionBegin;
  PetscCall(EPSNAPIOptimal_Vectors(eps, n, at, ctx->needx, ctx->theta));
  PetscCall(EPSNAPIAddScaled(s->R, 1.0, n, ctx->theta, -1.0, s->BW));
  PetscCall(EPSNAPIErrors(eps, n, ctx->theta, s->R, ctx->needx ? ctx->W.X : NULL, s->BW, ctx->error));
  for (PetscInt j = 0; j < n; j++) {
    ctx->scaled[at[j]] = ctx->error[j].relative;
    PetscCall(EPSNAPIJudge(eps, at[j], ctx->error + j, PETSC_FALSE, ctx->window.error + at[j]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How accurate the correction is to be: by hand, by a formula, or as NAPIWindowEffort() finds best */
static PetscErrorCode EPSNAPIOptimal_Tolerance(void *ptr, PetscInt b, PetscInt n, PetscReal *rtol, PetscInt *maxit)
{
  EPS         eps  = (EPS)ptr;
  EPS_NAPI   *ctx  = (EPS_NAPI *)eps->data;
  NAPIWindow *w    = &ctx->window;
  PetscInt    m    = w->side[0].m;
  PetscReal   last = PetscAbsReal(w->theta[PetscMin(w->k, m) - 1]), least = PetscAbsReal(w->theta[m - 1]), once, each;
  PetscBool   joint;
  KSP         ksp;

  PetscFunctionBegin;
  *maxit = ctx->maxit;
  if (ctx->form == NAPI_OPERATOR || ctx->pconly) { /* there is nothing to be solved for */
    *rtol       = 1.0;
    ctx->rtol_t = ctx->oprtol;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (ctx->rtol != NAPI_UNSET) *rtol = ctx->rtol;
  else if (ctx->criterion == EPS_NAPI_CRITERION_PAPER) *rtol = EPSNAPIPaperTolerance(w->k, PetscAbsReal(w->theta[0]), last, least, 0.0, ctx->scaled[eps->nconv]);
  else if (ctx->criterion == EPS_NAPI_CRITERION_WINDOW) *rtol = PetscSqrtReal(PetscMax(0.5, 1.0 - least / last) / 8.0);
  else if (ctx->tiny) {
    /* the basis will soon be everything: what counts is that it grows */
    *rtol  = NAPI_LOOSE;
    *maxit = 1;
  } else {
    PetscCall(EPSNAPIInnerIsJoint(eps, &joint));
    PetscCall(STGetKSP(eps->st, &ksp));
    PetscCall(NAPIBlockCosts(ksp, joint, &once, &each));
    PetscCall(NAPIWindowEffort(w, eps->nconv, b, n, once, each, rtol, maxit));
  }
  ctx->rtol_t = *rtol;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EPSNAPIOptimal_Solve(void *ptr, PetscInt n, PetscReal rtol, PetscInt maxit, PetscBool *haveA, PetscInt *iterations)
{
  EPS             eps = (EPS)ptr;
  EPS_NAPI       *ctx = (EPS_NAPI *)eps->data;
  NAPIWindowSide *s   = &ctx->window.side[0];

  PetscFunctionBegin;
  PetscCall(EPSNAPIInnerOnce(eps, n, s->R, &s->D, maxit, iterations, haveA));
  if (!*haveA) PetscCall(EPSNAPIInnerSolve(eps, n, s->R, s->D.X, s->D.BX, NULL, NULL, rtol, maxit, iterations));
  if (ctx->form != NAPI_OPERATOR) ctx->inner_t = *iterations;
  if (eps->reason) ctx->window.status = NAPI_BASIS_NO_CORRECTION;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a Ritz value comes before another in the order the user asked for, by more than the tolerance lets it differ */
static PetscErrorCode EPSNAPIOptimal_Precedes(void *ptr, PetscReal a, PetscReal b, PetscBool *first)
{
  EPS      eps = (EPS)ptr;
  SlepcSC  sc;
  PetscInt order;

  PetscFunctionBegin;
  PetscCall(DSGetSlepcSC(eps->ds, &sc));
  PetscCall(SlepcSCCompare(sc, a, 0.0, b, 0.0, &order));
  *first = (PetscBool)(order < 0 && PetscAbsReal(a - b) > PetscMax(eps->tol, 1e-12) * PetscMax(PetscAbsReal(a), PetscAbsReal(b)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const NAPIWindowOps EPSNAPIOptimalOps = {EPSNAPIOptimal_Start, EPSNAPIOptimal_ApplyA, EPSNAPIOptimal_ApplyB, EPSNAPIOptimal_Residual, EPSNAPIOptimal_Tolerance, EPSNAPIOptimal_Solve, NULL, EPSNAPIOptimal_Precedes};

/* ------------------------------------------------- set-up ------------------------------------------------- */

/* The dimensions, as SLEPc users know them: ncv is the size of the basis, mpd is not used */
static PetscErrorCode EPSNAPIOptimal_SetDimensions(EPS eps)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;
  PetscInt  k, n = eps->n - PetscAbs(eps->nds), max, least;

  PetscFunctionBegin;
  if (eps->nev < 1) eps->nev = 1;
  k = PetscMin(eps->nev, n);
  PetscCall(NAPIWindowDimensions(k, n, n, ctx->blocksize, ctx->restart, eps->ncv, &ctx->bs, &ctx->keep, &max, &least));
  PetscCheck(eps->ncv == NAPI_UNSET || eps->ncv >= least, PetscObjectComm((PetscObject)eps), PETSC_ERR_USER_INPUT, "The basis needs ncv of at least %" PetscInt_FMT ", nev and two blocks of %" PetscInt_FMT ", not %" PetscInt_FMT ": set a larger ncv or a smaller -eps_napi_blocksize", least,
             ctx->bs, eps->ncv);
  ctx->tiny = (PetscBool)(eps->ncv == NAPI_UNSET && n <= NAPI_TINY);
  eps->ncv  = ctx->tiny ? PetscMax(1, n) : max;
  ctx->room = n <= NAPI_SMALL ? PetscMax(1, n) : eps->ncv;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EPSNAPIOptimal_CreateWindow(EPS eps)
{
  EPS_NAPI   *ctx = (EPS_NAPI *)eps->data;
  NAPIWindow *w   = &ctx->window;

  PetscFunctionBegin;
  PetscCall(NAPIWindowCreate((PetscObject)eps, 1, &eps->V, eps->ncv, ctx->bs + 1, &ctx->small, w));
  w->ops   = &EPSNAPIOptimalOps;
  w->ctx   = eps;
  w->bs    = ctx->bs;
  w->keep  = ctx->keep;
  w->ortho = EPS_NAPI_Ortho;
  w->ritz  = EPS_NAPI_Ritz;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Memory: V (the EPS's own), B V and A V of ncv columns, six blocks with room for a challenger and the deflation space twice */
PetscErrorCode EPSNAPISetUp_Optimal(EPS eps)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;

  PetscFunctionBegin;
  PetscCall(EPSNAPIOptimal_SetDimensions(eps));
  PetscCall(EPSNAPIAllocate(eps, ctx->bs + 1, PetscMax(1, PetscAbs(eps->nds) + ctx->maxnull)));
  PetscCall(EPSNAPIOptimal_CreateWindow(eps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   EPSNAPISetUpAgain_Optimal - For another form: everything that has been a product is made anew, since PETSc (3.26) would multiply by a matrix of
   another type with the kernel of the first
*/
PetscErrorCode EPSNAPISetUpAgain_Optimal(EPS eps)
{
  EPS_NAPI *ctx        = (EPS_NAPI *)eps->data;
  BV       *products[] = {&ctx->BY, &ctx->dual}, old;

  PetscFunctionBegin;
  PetscCall(NAPIWindowDestroy(&ctx->window));
  PetscCall(EPSNAPIOptimal_CreateWindow(eps));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(products); i++) {
    old = *products[i];
    PetscCall(BVDuplicate(ctx->Y, products[i]));
    PetscCall(BVDestroy(&old));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- both ends of the spectrum ------------------------------------------------- */

/*
   Where eigenvalues of largest magnitude are wanted, those of both ends are in the race, but only the end that leads
   is pursued by expanding the leading pairs. The first Ritz pair of the other sign behind the k wanted ones may still win. If the
   window has lost sight of the other end, of which there has been one, the pair that comes nearest to it takes its place. Its
   position, or -1 where there is none.
*/
static PetscInt EPSNAPIOptimal_Challenger(EPS eps)
{
  EPS_NAPI   *ctx = (EPS_NAPI *)eps->data;
  NAPIWindow *w   = &ctx->window;
  PetscReal   last, mine, least = PETSC_MAX_REAL;
  PetscInt    c = -1;

  if (!ctx->magnitude || w->side[0].m <= w->k) return -1;
  last = w->theta[w->k - 1] + ctx->sigma;
  for (PetscInt j = 0; j < w->side[0].m; j++) {
    mine = (w->theta[j] + ctx->sigma) * (last < 0.0 ? -1.0 : 1.0);
    if (mine < 0.0) {
      ctx->bothends = PETSC_TRUE;
      if (j >= w->k) return j;
    } else if (j >= w->k && mine < least) {
      least = mine;
      c     = j;
    }
  }
  return ctx->bothends ? c : -1;
}

/*
   Whether the pair at position c, which has not converged, may yet be farther out on the other side than the last
   wanted one is on its own. Its residual is no bound of how far: a Ritz value rests near an eigenvalue that is not the last of
   its end before it moves on, with a residual that may be a hundred times smaller than the step to come.
*/
static PetscBool EPSNAPIOptimal_InTheRace(EPS eps, PetscInt c)
{
  const PetscReal   cautious = 100.0; /* times the residual: with 20, one of 7,500 random pairs came out wrong */
  EPS_NAPI         *ctx      = (EPS_NAPI *)eps->data;
  const NAPIWindow *w        = &ctx->window;
  PetscReal         last = w->theta[w->k - 1] + ctx->sigma, mine = w->theta[c] + ctx->sigma, reach = cautious * ctx->scaled[c] * PetscAbsReal(mine);

  return (PetscBool)(w->error[c] >= eps->tol && reach - mine * (last < 0.0 ? -1.0 : 1.0) >= PetscAbsReal(last));
}

/* ------------------------------------------------- the steps ------------------------------------------------- */

/* (1) The Ritz values, in the user's scale, too */
static PetscErrorCode EPSNAPIOptimal_Ritz(EPS eps)
{
  EPS_NAPI   *ctx = (EPS_NAPI *)eps->data;
  NAPIWindow *w   = &ctx->window;

  PetscFunctionBegin;
  PetscCall(NAPIWindowSolve(w));
  for (PetscInt j = 0; j < ctx->room; j++) eps->eigr[ctx->nnull + j] = j < w->side[0].m ? EPSNAPIShown(eps, w->theta[j]) : 0.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether there is anything left to find: values that are all of infinite eigenvalues but for those that have converged */
static PetscErrorCode EPSNAPIOptimal_CheckFinite(EPS eps)
{
  const PetscInt patience = 10; /* steps without another */
  EPS_NAPI      *ctx      = (EPS_NAPI *)eps->data;
  NAPIWindow    *w        = &ctx->window;
  PetscInt       finite   = 0;

  PetscFunctionBegin;
  if (ctx->form != NAPI_INVERSE || eps->reason) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt j = 0; j < w->side[0].m; j++)
    if (!EPSNAPIIsInfinite(ctx, w->theta[j])) finite++;
  if (finite > eps->nconv || finite == w->side[0].m) ctx->lonely = 0;
  else if (++ctx->lonely > patience || w->side[0].m == w->side[0].dim) PetscCall(EPSNAPIDiverged(eps, "B is singular: there are no more finite eigenvalues"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (1) and (2): the Ritz pairs, how far they are, and b of them that have not converged; unless they show that the form is unfit */
static PetscErrorCode EPSNAPIOptimal_Look(EPS eps, PetscInt *b)
{
  NAPIWindow *w = &((EPS_NAPI *)eps->data)->window;
  PetscInt    c;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(EPS_NAPI_Ritz, eps, 0, 0, 0));
  PetscCall(EPSNAPIOptimal_Ritz(eps));
  PetscCall(EPSNAPICheckFit(eps, w->side[0].m, w->theta));

  PetscCall(EPSNAPIOptimal_CheckFinite(eps));
  c  = EPSNAPIOptimal_Challenger(eps);
  *b = 0;
  if (((EPS_NAPI *)eps->data)->unfit) c = -1;
  else PetscCall(NAPIWindowAdvance(w, &c, &eps->nconv, b));
  if (c >= 0) {
    if (!EPSNAPIOptimal_InTheRace(eps, c)) --*b;
    else if (eps->nconv == w->k) eps->nconv = w->k - 1; /* the last of them may have to give way */
  }
  PetscCall(PetscLogEventEnd(EPS_NAPI_Ritz, eps, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The errors of the pairs at n positions with fresh products; R and BW of the window, and W, are theirs on exit */
static PetscErrorCode EPSNAPIOptimal_FreshResidual(EPS eps, PetscInt n, const PetscInt at[])
{
  const PetscReal orthonormal = 1e-9; /* x'B x = 1 to that, if the basis has kept what it promised */
  EPS_NAPI       *ctx         = (EPS_NAPI *)eps->data;
  NAPIWindow     *w           = &ctx->window;
  const NAPIBlock X           = {ctx->W.X, w->side[0].BW, NULL};
  NAPIError      *error       = ctx->error;
  PetscReal       carried;
  PetscScalar     square;
  Vec             x, bx = NULL;

  PetscFunctionBegin;
  PetscCall(NAPIWindowSetActive(w));
  PetscCall(NAPIWindowSetBlock(w, n));
  PetscCall(NAPIWindowCoefficients(w, n, at));
  PetscCall(EPSNAPIOptimal_Vectors(eps, n, at, PETSC_TRUE, ctx->theta));
  PetscCall(EPSNAPIFreshErrors(eps, n, ctx->theta, &X, w->side[0].R, error));
  for (PetscInt j = 0; j < n; j++) {
    ctx->scaled[at[j]] = error[j].relative;
    PetscCall(BVGetColumn(X.X, j, &x));
    if (ctx->G) PetscCall(BVGetColumn(X.BX, j, &bx));
    PetscCall(VecDot(ctx->G ? bx : x, x, &square));
    if (ctx->G) PetscCall(BVRestoreColumn(X.BX, j, &bx));
    PetscCall(BVRestoreColumn(X.X, j, &x));
    if (!(PetscAbsScalar(square - 1.0) <= orthonormal) && ctx->form != NAPI_OPERATOR) error[j].error = error[j].scaled = error[j].backward = PETSC_MAX_REAL;
    carried = w->error[at[j]];
    PetscCall(EPSNAPIJudge(eps, at[j], error + j, PETSC_TRUE, w->error + at[j]));
    if (ctx->form == NAPI_OPERATOR && carried > 0.0 && w->error[at[j]] >= eps->tol) ctx->amplify = PetscMax(ctx->amplify, ctx->amplify * PetscMin(1e3, error[j].error / carried));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fresh products for all of the window, which is made orthonormal again */
static PetscErrorCode EPSNAPIOptimal_Renew(EPS eps)
{
  const PetscInt  most     = 50; /* after which it is not for drift that fresh products contradict */
  const PetscInt  all[2]   = {0, 0};
  EPS_NAPI       *ctx      = (EPS_NAPI *)eps->data;
  NAPIWindow     *w        = &ctx->window;
  NAPIWindowSide *s        = &w->side[0];
  NAPIBasisStatus status   = NAPI_BASIS_OK;
  PetscReal       smallest = 0.0;
  PetscBool       finite   = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscInfo(eps, "The products carried along have drifted: renewing them\n"));
  PetscCall(NAPIWindowSetActive(w));
  if (ctx->G) PetscCall(EPSNAPIApplyB(eps, s->V.X, s->V.BX));
  PetscCall(EPSNAPIApplyA(eps, &s->V));
  PetscCall(NAPIOrthonormalizeStep(w->small, s->V.X, s->V.BX, s->V.AX, w->H, s->m, &s->m, &smallest, &status));
  if (!status) PetscCall(NAPIWindowProject(w, all, &finite));
  if (!status && !finite) status = NAPI_BASIS_NOT_FINITE;
  if (status) { /* nothing is sound any more */
    s->m = eps->nconv = 0;
    PetscCall(EPSNAPIBasisFailed(eps, status)); /* also where all was thought to have converged */
  }
  w->nold = w->nconv = w->fixed = 0;
  if (++ctx->renewals > most && eps->reason >= 0) PetscCall(EPSNAPIOutOfReach(eps, "the residual stagnates: products with A or B are not as accurate as the tolerance, or not the same each time"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Pairs of an operator seem to have converged, and have not. The residuals are asked to be smaller from now on (amplify); and where the
   operator is applied by an iterative solver, that has to be more accurate, too.
*/
static PetscErrorCode EPSNAPIOptimal_Sharpen(EPS eps)
{
  const PetscReal step = 1e-2; /* of the tolerance */
  const PetscInt  most = 20;   /* times, for a factorisation */
  EPS_NAPI       *ctx  = (EPS_NAPI *)eps->data;

  PetscFunctionBegin;
  if (ctx->exact) {
    if (++ctx->renewals > most) PetscCall(EPSNAPIOutOfReach(eps, "the residuals of the pairs stagnate: the factorisation is not as accurate as the tolerance"));
  } else if (ctx->oprtol > ctx->opleast) {
    ctx->oprtol = PetscMax(step * ctx->oprtol, ctx->opleast);
    PetscCall(PetscInfo(eps, "The operator is applied with a tolerance of %g from now on\n", (double)ctx->oprtol));
    PetscCall(EPSNAPIOptimal_Renew(eps));
  } else if (++ctx->renewals > most) PetscCall(EPSNAPIOutOfReach(eps, "the inner solver is not as accurate as the tolerance: use a factorisation (-st_ksp_type preonly -st_pc_type lu)"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Which of the nconv leading pairs, from a first one on, really have converged? It is fresh products with the user's A and B that
   count. If those contradict what was carried along, it has drifted and is renewed.
*/
static PetscErrorCode EPSNAPIOptimal_Verify(EPS eps, PetscInt from)
{
  EPS_NAPI   *ctx = (EPS_NAPI *)eps->data;
  NAPIWindow *w   = &ctx->window;
  PetscInt    n, passed;

  PetscFunctionBegin;
  if (!from && w->fixed) { /* in the end those that have been fixed take part in Rayleigh-Ritz again */
    w->fixed = 0;
    PetscCall(EPSNAPIOptimal_Ritz(eps));
  }
  PetscCall(NAPIWindowVerify(w, &eps->nconv));
  for (PetscInt first = from; first < eps->nconv; first += n) {
    n = PetscMin(w->bs, eps->nconv - first);
    PetscCall(EPSNAPIOptimal_FreshResidual(eps, n, NAPIWindowRange(w, first, n)));
    passed = NAPIWindowPassed(w, first, n);
    if (ctx->check == EPS_NAPI_CHECK_CERTIFY) PetscCall(EPSNAPIBoundErrors(eps, passed, first, ctx->theta, ctx->W.X, w->side[0].R));
    if (passed == n) continue;
    eps->nconv = first + passed;
    if (ctx->form == NAPI_OPERATOR) PetscCall(EPSNAPIOptimal_Sharpen(eps));
    else if (!ctx->needx && ctx->error[passed].scaled < eps->tol) ctx->needx = PETSC_TRUE; /* it is the other test that matters */
    else PetscCall(EPSNAPIOptimal_Renew(eps));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   A solve that ends without success: the pairs that have converged behind one that has not count as well. On exit
   look has the order of the first n Ritz vectors, those that have converged first.
*/
static PetscErrorCode EPSNAPIOptimal_Salvage(EPS eps, PetscInt n)
{
  EPS_NAPI    *ctx = (EPS_NAPI *)eps->data;
  NAPIWindow  *w   = &ctx->window;
  PetscInt    *order, rest = 0;
  PetscScalar *value;
  PetscReal   *error;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(2 * n, &order, n, &value, n, &error));
  for (PetscInt j = 0; j < eps->nconv; j++) order[j] = j;
  for (PetscInt i = eps->nconv; i < n; i++) {
    PetscCall(NAPIWindowResidual(w, 1, &i));
    if (w->error[i] < eps->tol) PetscCall(EPSNAPIOptimal_FreshResidual(eps, 1, &i));
    if (w->error[i] < eps->tol && EPSNAPIInRange(ctx, w->theta[i])) order[eps->nconv++] = i;
    else order[n + rest++] = i;
  }
  PetscCall(PetscArraymove(order + eps->nconv, order + n, rest));
  for (PetscInt j = 0; j < n; j++) {
    value[j] = eps->eigr[ctx->nnull + order[j]];
    error[j] = w->error[order[j]];
  }
  PetscCall(PetscArraycpy(eps->eigr + ctx->nnull, value, n));
  PetscCall(PetscArraycpy(w->error, error, n));
  PetscCall(PetscArraycpy(w->look, order, n));
  PetscCall(PetscFree3(order, value, error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   A small problem that takes many times the products of a basis of everything gets that basis, in which Rayleigh-Ritz
   leaves nothing to be desired but rounding.
*/
static PetscErrorCode EPSNAPIOptimal_Fill(EPS eps)
{
  EPS_NAPI   *ctx   = (EPS_NAPI *)eps->data;
  NAPIWindow *w     = &ctx->window;
  PetscInt    added = 1;

  PetscFunctionBegin;
  PetscCall(PetscInfo(eps, "Slow for a problem as small as this: completing the basis\n"));
  PetscCall(NAPIWindowGrow(w, ctx->room));
  w->max = ctx->room;
  while (w->side[0].m < w->max && added && !eps->reason) {
    PetscCall(NAPIWindowAddStart(w, -1, PetscMin(w->width, w->max - w->side[0].m), &added));
    PetscCall(EPSNAPIBasisFailed(eps, w->status));
  }
  ctx->exhausted = PETSC_TRUE;
  w->nold        = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- the end ------------------------------------------------- */

/* Whether it is over: by the user's stopping test, which must not take back what has been found, or because there are no more */
static PetscErrorCode EPSNAPIOptimal_Stop(EPS eps)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;

  PetscFunctionBegin;
  if (eps->reason) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall((*eps->stopping)(eps, eps->its, eps->max_it, eps->nconv + ctx->nnull, eps->nev, &eps->reason, eps->stoppingctx));
  if (!eps->reason && eps->nconv >= ctx->window.side[0].dim) eps->reason = EPS_CONVERGED_TOL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All have converged: are they those that the user wants? If that is not certain, one more is asked for, as long as there is room */
static PetscErrorCode EPSNAPIOptimal_Cover(EPS eps, PetscInt wanted)
{
  NAPIWindow *w = &((EPS_NAPI *)eps->data)->window;
  PetscBool   covered;

  PetscFunctionBegin;
  PetscCall(EPSNAPICovered(eps, eps->nconv, wanted, w->theta, &covered));
  if (covered) PetscFunctionReturn(PETSC_SUCCESS);
  if (((EPS_NAPI *)eps->data)->which != EPS_LARGEST_MAGNITUDE && w->k + 1 + 2 * w->bs <= w->max && w->k < w->side[0].dim) {
    w->k        = eps->nconv + 1;
    w->keep     = PetscMin(PetscMax(w->keep, w->k), w->max - 2 * w->bs);
    eps->reason = EPS_CONVERGED_ITERATING;
  } else PetscCall(EPSNAPINotCovered(eps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All have converged: was anything missed? If so, the solve goes on; missed says so */
static PetscErrorCode EPSNAPIOptimal_Probe(EPS eps, PetscInt *b, PetscBool *missed)
{
  EPS_NAPI   *ctx  = (EPS_NAPI *)eps->data;
  NAPIWindow *w    = &ctx->window;
  PetscReal   last = w->theta[w->k - 1];
  PetscBool   useful;

  PetscFunctionBegin;
  eps->reason = EPS_CONVERGED_ITERATING;
  PetscCall(NAPIWindowProbe(w, eps->its, (PetscReal)(ctx->acols + ctx->bcols + ctx->inner) / (ctx->B ? 2 : 1), &useful));
  if (!useful) { /* Verify decides */
    eps->reason = EPS_CONVERGED_ITERATING;
    ctx->cause  = NULL;
  }
  PetscCall(EPSNAPIOptimal_Look(eps, b));
  PetscCall(EPSNAPIOptimal_Precedes(eps, w->theta[w->k - 1], last, missed));
  if (*missed) PetscCall(PetscInfo(eps, "The check has found an eigenvalue that had been missed: going on\n"));
  PetscCall(EPSNAPIOptimal_Stop(eps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Counts the eigenvalues. Where some were missed, the basis gets something random, and the solve goes on until it has taken
   a number of further steps, more each time; but not for ever.
*/
static PetscErrorCode EPSNAPIOptimal_Count(EPS eps, PetscInt *b, PetscInt *until, PetscInt *counts)
{
  const PetscInt most = 6, steps = 10; /* counts, and steps after the first of them, doubled each time: 630 in all */
  EPS_NAPI      *ctx = (EPS_NAPI *)eps->data;
  NAPIWindow    *w   = &ctx->window;
  PetscInt       missed, added;

  PetscFunctionBegin;
  PetscCall(EPSNAPICount(eps, eps->nconv, &missed));
  if (!missed) PetscFunctionReturn(PETSC_SUCCESS);
  if (++*counts == most) {
    PetscCall(EPSNAPIDiverged(eps, "by inertia there are eigenvalues farther out than those that were found"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  eps->reason = EPS_CONVERGED_ITERATING;
  *until      = eps->its + (steps << *counts);
  if (NAPIWindowIsFull(w, w->bs)) PetscCall(NAPIWindowRestart(w, 0, w->width));
  w->nold = 0;
  PetscCall(NAPIWindowAddStart(w, -1, PetscMin(w->width, w->max - w->side[0].m), &added));
  PetscCall(EPSNAPIBasisFailed(eps, w->status));
  if (!eps->reason) PetscCall(EPSNAPIOptimal_Look(eps, b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What to do where convergence is slow */
static const char *EPSNAPIOptimal_Advice(EPS eps)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;

  if (ctx->form == NAPI_DIRECT && ctx->nearlysingular) return NAPI_NEARLY_SINGULAR;
  if (ctx->form == NAPI_DIRECT && ctx->which == EPS_SMALLEST_REAL) return "convergence is slow: the smallest eigenvalues are found sooner with a target below the spectrum (-eps_target), which solves with A - sigma B and not with B";
  if (ctx->form == NAPI_DIRECT) return "convergence is slow: a larger basis (-eps_ncv) or a better preconditioner of B (-st_pc_type) may help";
  return "convergence is slow: a better preconditioner of A - sigma B (-st_pc_type icc, gamg), a larger basis (-eps_ncv) or a target nearer to the wanted eigenvalues may help";
}

/* The pairs behind the wanted ones that have converged, too: as SLEPc's solvers do, they are handed out */
static PetscErrorCode EPSNAPIOptimal_Beyond(EPS eps, PetscInt *b)
{
  const PetscReal contradicts = 100.0; /* tolerances: what was carried along said less than one */
  EPS_NAPI       *ctx         = (EPS_NAPI *)eps->data;
  NAPIWindow     *w           = &ctx->window;
  PetscInt        n, passed, most = PetscMin(w->side[0].m, eps->ncv - ctx->nnull);

  PetscFunctionBegin;
  do {
    n = PetscMin(w->bs, most - eps->nconv);
    if (n < 1 || ctx->bothends) break; /* of both ends the other may have been left behind */
    PetscCall(NAPIWindowResidual(w, n, NAPIWindowRange(w, eps->nconv, n)));
    n = NAPIWindowPassed(w, eps->nconv, n);
    if (!n) break;
    PetscCall(EPSNAPIOptimal_FreshResidual(eps, n, NAPIWindowRange(w, eps->nconv, n)));
    passed = NAPIWindowPassed(w, eps->nconv, n);
    if (ctx->check == EPS_NAPI_CHECK_CERTIFY) PetscCall(EPSNAPIBoundErrors(eps, passed, eps->nconv, ctx->theta, ctx->W.X, w->side[0].R));
    eps->nconv += passed;
    if (passed < n && !(w->error[eps->nconv] < contradicts * eps->tol)) { /* then those before them are not to be trusted, either */
      eps->reason = EPS_CONVERGED_ITERATING;
      PetscCall(EPSNAPIOptimal_Renew(eps));
      if (!eps->reason) PetscCall(EPSNAPIOptimal_Look(eps, b));
      break;
    }
  } while (passed == w->bs);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Whether the steps that are left will do, at the rate of the last hundred: otherwise that is said, once. What helps depends on what is
   being solved with.
*/
static PetscErrorCode EPSNAPIOptimal_Forecast(EPS eps)
{
  const PetscInt period = 100;
  EPS_NAPI      *ctx    = (EPS_NAPI *)eps->data;
  NAPIWindow    *w      = &ctx->window;
  PetscReal      todo, gained, digits = PetscLog10Real(1.0 / PetscMin(0.1, eps->tol));

  PetscFunctionBegin;
  if (ctx->slow || eps->its % period || eps->nconv >= w->side[0].m) PetscFunctionReturn(PETSC_SUCCESS);
  todo      = PetscMax(0, w->k - eps->nconv - 1) * digits + PetscLog10Real(PetscMax(1.0, PetscMin(1.0, w->error[eps->nconv]) / eps->tol));
  gained    = ctx->todo - todo;
  ctx->todo = todo;
  if (eps->its == period || todo <= 0.0 || (gained > 0.0 && todo / gained * period < eps->max_it - eps->its)) PetscFunctionReturn(PETSC_SUCCESS);
  ctx->slow = eps->its;
  PetscCall(PetscInfo(eps, "At this rate the tolerance will not be reached in %" PetscInt_FMT " steps: %s\n", eps->max_it, EPSNAPIOptimal_Advice(eps)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The eigenvectors, and behind them what the window holds of the others, become the EPS's V */
static PetscErrorCode EPSNAPIOptimal_Finish(EPS eps, PetscBool verified)
{
  EPS_NAPI       *ctx = (EPS_NAPI *)eps->data;
  NAPIWindow     *w   = &ctx->window;
  NAPIWindowSide *s   = &w->side[0];
  PetscInt        n;

  PetscFunctionBegin;
  if (s->m && eps->its) {
    PetscCall(EPSNAPIOptimal_Ritz(eps));
    if (!verified) { /* a breakdown: what had converged until then counts if it stands the test */
      eps->nconv = PetscMin(eps->nconv, s->m);
      PetscCall(EPSNAPIOptimal_Verify(eps, 0));
      if (s->m) PetscCall(EPSNAPIOptimal_Ritz(eps));
    }
  }
  for (PetscInt j = 0; j < eps->nconv; j++) {
    if (EPSNAPIInRange(ctx, w->theta[j])) continue;
    eps->nconv = j;
    PetscCall(EPSNAPIDiverged(eps, NAPI_RANGE));
  }
  if (!s->m || !eps->its) PetscFunctionReturn(PETSC_SUCCESS);
  n = PetscMin(PetscMax(w->keep, eps->nconv), s->m);
  (void)NAPIWindowRange(w, 0, n);
  if (eps->reason < 0) PetscCall(EPSNAPIOptimal_Salvage(eps, n));
  PetscCall(NAPIWindowSetActive(w));
  PetscCall(NAPIWindowCoefficients(w, n, w->look));
  if (ctx->form == NAPI_OPERATOR) {
    PetscCall(BVSetActiveColumns(s->V.X, 0, n));
    PetscCall(BVMult(s->V.X, 1.0, 0.0, s->V.AX, s->C));
  } else PetscCall(BVMultInPlace(s->V.X, s->C, 0, n));
  for (PetscInt j = 0; j < n; j++) ctx->theta[j] = w->theta[w->look[j]];
  PetscCall(EPSNAPIFormVectors(eps, n, ctx->theta));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The null space of A comes first: its vectors are known, and are the first pairs */
static PetscErrorCode EPSNAPIOptimal_AddNull(EPS eps)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;
  Vec       v;

  PetscFunctionBegin;
  for (PetscInt j = PetscMin(eps->nconv + ctx->nnull, ctx->room + ctx->maxnull) - 1; j >= ctx->nnull; j--) PetscCall(BVCopyColumn(eps->V, j - ctx->nnull, j));
  for (PetscInt j = 0; j < ctx->nnull; j++) {
    PetscCall(BVGetColumn(ctx->Y, eps->nds + j, &v));
    PetscCall(BVInsertVec(eps->V, j, v));
    PetscCall(BVRestoreColumn(ctx->Y, eps->nds + j, &v));
  }
  eps->nconv += ctx->nnull;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   What monitors see. A pair is shown as converged when fresh products have borne it out, and not before: for those who watch, they are
   computed as soon as it seems to have.
*/
static PetscErrorCode EPSNAPIOptimal_Show(EPS eps, PetscInt *b, PetscInt *shown)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;

  PetscFunctionBegin;
  if (!eps->numbermonitors) PetscFunctionReturn(PETSC_SUCCESS);
  if (!eps->reason && eps->nconv > *shown) {
    PetscCall(EPSNAPIOptimal_Verify(eps, *shown));
    *shown = PetscMax(*shown, eps->nconv);
    if (!eps->reason) PetscCall(EPSNAPIOptimal_Look(eps, b));
  }
  *shown = eps->reason ? eps->nconv : PetscMin(*shown, eps->nconv);
  PetscCall(EPSMonitor(eps, eps->its, *shown + ctx->nnull, eps->eigr, eps->eigi, eps->errest, PetscMin(ctx->window.side[0].m, eps->nconv + *b) + ctx->nnull));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- solve ------------------------------------------------- */

static PetscErrorCode EPSNAPIOptimal_Iterate(EPS eps)
{
  const PetscInt  slow = 16; /* products for each unknown, where 2 would do with a basis of everything */
  EPS_NAPI       *ctx  = (EPS_NAPI *)eps->data;
  NAPIWindow     *w    = &ctx->window;
  NAPIWindowSide *s    = &w->side[0];
  const PetscInt  n = s->dim, wanted = w->k;
  const PetscInt  patience = 6, endurance = 100; /* steps in which the error of a pair of an operator is to be halved; and before that is given up */
  PetscInt        j, b, added, counts = 0, until = 0, reached = -1, stalls = 0, shown = 0;
  PetscReal       best     = PETSC_MAX_REAL;
  PetscBool       verified = PETSC_FALSE, probed = PETSC_FALSE, missed;

  PetscFunctionBegin;
  if (!n) { /* the deflation space is everything */
    PetscCall(EPSNAPIDiverged(eps, "there is nothing left to find outside of the deflation space"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* the user's initial space, and random vectors, two more than are wanted or given: the space may be invariant. Appended vectors
     never reach beyond those already taken from V, where the initial space is */
  PetscCall(NAPIWindowAddStart(w, 0, PetscMin(PetscMax(w->k, eps->nini) + 2, w->max), &added));
  PetscCall(EPSNAPIBasisFailed(eps, s->m || w->status ? w->status : NAPI_BASIS_INDEFINITE)); /* none: B x = 0 for every x we have */
  while (!eps->reason) {
    eps->its++;
    if (w->max < n && ctx->room == n && (ctx->whole || ctx->acols + ctx->bcols + (ctx->form == NAPI_OPERATOR ? 0 : ctx->inner) > slow * n)) PetscCall(EPSNAPIOptimal_Fill(eps));
    if (eps->reason) break;
    PetscCall(EPSNAPIOptimal_Look(eps, &b)); /* (1), (2) */
    if (ctx->unfit) break;
    if (ctx->form == NAPI_OPERATOR && !ctx->exact && b) {
      if (eps->nconv != reached || ctx->scaled[eps->nconv] < 0.5 * best) {
        reached = eps->nconv;
        best    = ctx->scaled[eps->nconv];
        stalls  = 0;
      } else if (++stalls >= patience && best < 1e-2 && ctx->oprtol > ctx->opleast) { /* as accurate as the operator */
        PetscCall(EPSNAPIOptimal_Sharpen(eps));
        stalls = 0;
        PetscCall(EPSNAPIOptimal_Look(eps, &b));
      } else if (stalls >= endurance) PetscCall(EPSNAPIOutOfReach(eps, "the inner solver is not as accurate as the tolerance: use a factorisation (-st_ksp_type preonly -st_pc_type lu)"));
    }
    if (ctx->renew) {
      ctx->renew = PETSC_FALSE;
      if (ctx->form == NAPI_OPERATOR && !ctx->exact && ctx->oprtol > ctx->opleast) PetscCall(EPSNAPIOptimal_Sharpen(eps));
      else PetscCall(EPSNAPIOptimal_Renew(eps));
      PetscCall(EPSNAPIForgetStalls(eps));
      if (!eps->reason) PetscCall(EPSNAPIOptimal_Look(eps, &b));
    }
    PetscCall(EPSNAPIOptimal_Stop(eps));
    if (eps->reason > 0 && eps->its < until && s->m < n) eps->reason = EPS_CONVERGED_ITERATING; /* some are known to be missing */
    if (eps->reason > 0 && ctx->check != EPS_NAPI_CHECK_NONE && !probed && eps->nconv >= w->k && s->m < n) {
      PetscCall(EPSNAPIOptimal_Probe(eps, &b, &missed));
      probed = (PetscBool)!missed;
    }
    if (eps->reason > 0) PetscCall(EPSNAPIOptimal_Cover(eps, wanted));
    if (eps->reason) {
      j = eps->nconv;
      PetscCall(EPSNAPIOptimal_Verify(eps, 0));
      if (eps->nconv < j && eps->reason > 0) { /* not yet: look again, with what has been put right */
        eps->reason = EPS_CONVERGED_ITERATING;
        PetscCall(EPSNAPIOptimal_Look(eps, &b));
      } else verified = PETSC_TRUE;
      if (eps->reason > 0 && ctx->check == EPS_NAPI_CHECK_CERTIFY) PetscCall(EPSNAPIOptimal_Count(eps, &b, &until, &counts));
      if (eps->reason > 0) PetscCall(EPSNAPIOptimal_Beyond(eps, &b));
      if (!eps->reason) verified = PETSC_FALSE;
    }
    PetscCall(EPSNAPIOptimal_Forecast(eps));
    PetscCall(EPSNAPIOptimal_Show(eps, &b, &shown));
    if (eps->reason) break;
    /* the user wants more than was asked for, or something was missed: the next ones that have not converged */
    for (j = eps->nconv; !b && j < s->m; j += b) {
      b = PetscMin(w->bs, s->m - j);
      PetscCall(NAPIWindowResidual(w, b, NAPIWindowRange(w, j, b)));
      if (NAPIWindowPassed(w, j, b) == b && j + b < s->m) {
        j += b;
        b = 0;
      }
    }
    PetscCall(NAPIWindowStep(w, b, &added)); /* (3) to (6) */
    PetscCall(EPSNAPIBasisFailed(eps, w->status));
    if (!added && !eps->reason) {
      if (!ctx->exhausted) ctx->exhausted = PETSC_TRUE; /* what is as good as rounding allows counts from now on */
      else if (ctx->renewals < NAPI_RENEWALS) PetscCall(EPSNAPIOptimal_Renew(eps));
      else PetscCall(EPSNAPIOutOfReach(eps, "the basis cannot be expanded any more, and the tolerance is out of reach"));
    }
  }
  if (eps->reason == EPS_DIVERGED_ITS && !ctx->cause) ctx->cause = EPSNAPIOptimal_Advice(eps);
  if (!ctx->unfit) PetscCall(EPSNAPIOptimal_Finish(eps, verified));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode EPSNAPISolve_Optimal(EPS eps)
{
  EPS_NAPI       *ctx = (EPS_NAPI *)eps->data;
  NAPIWindow     *w   = &ctx->window;
  NAPIWindowSide *s   = &w->side[0];
  Mat             form;
  PetscBool       indefinite;
  PetscErrorCode  ierr;

  PetscFunctionBegin;
  PetscCall(EPSNAPIDeflate(eps));
  /* inner products with V are plain here, since B V is carried along; the EPS gets its inner product back */
  PetscCall(BVGetMatrix(eps->V, &form, &indefinite));
  PetscCall(PetscObjectReference((PetscObject)form));
  PetscCall(BVSetMatrix(eps->V, NULL, PETSC_FALSE));
  s->Y   = ctx->Y;
  s->BY  = ctx->BY;
  s->ny  = ctx->ny;
  s->dim = eps->n - ctx->ny;

  s->Ydual = ctx->dual;
  PetscCall(NAPIWindowStart(w, (PetscBool)!ctx->G));
  if (!ctx->B) { /* A is self-adjoint in the inner product of G */
    s->dual   = s->V.BX;
    s->scaled = s->V.X;
  }
  w->max           = eps->ncv;
  w->k             = PetscMax(1, PetscMin(eps->nev - ctx->nnull, w->max));
  w->tol           = eps->tol;
  w->error         = eps->errest + ctx->nnull;
  ctx->small.bnorm = ctx->G ? &ctx->bnorm : NULL;
  ctx->renewals = ctx->lonely = 0;
  ctx->renew                  = PETSC_FALSE;
  ctx->bothends               = PETSC_FALSE;
  ctx->needx                  = (PetscBool)(ctx->residual == EPS_NAPI_RESIDUAL_SLEPC || (ctx->residual == EPS_NAPI_RESIDUAL_BOTH && eps->conv != EPS_CONV_REL));
  PetscCall(EPSNAPIForgetStalls(eps));
  ctx->needx = (PetscBool)(ctx->needx && ctx->form != NAPI_OPERATOR);
  ierr       = PETSC_SUCCESS;
  if (ctx->nnull >= eps->nev) eps->reason = EPS_CONVERGED_TOL; /* nothing is left to be found */
  else ierr = EPSNAPIOptimal_Iterate(eps);
  if (!ierr && ctx->nnull && !ctx->unfit) ierr = EPSNAPIOptimal_AddNull(eps);
  PetscCall(BVSetMatrix(eps->V, form, indefinite));
  /* those of an operator are orthogonal up to its accuracy, over the distance of sigma to the nearest eigenvalue */
  for (PetscInt j = 0; j < eps->nconv && !ierr && ctx->form == NAPI_OPERATOR && !ctx->unfit && ctx->sign > 0.0; j++) PetscCall(BVOrthonormalizeColumn(eps->V, j, PETSC_FALSE, NULL, NULL));
  PetscCall(MatDestroy(&form));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}
