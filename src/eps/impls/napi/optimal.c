/* SPDX-License-Identifier: BSD-2-Clause */
/*
   NAPI with optimal momentum: Rayleigh-Ritz over a window of past blocks.

   The span of W_t, W_{t-1} and the inner solution contains the paper's next iterate for every beta, and a window of past
   blocks contains it for every choice of beta in the last steps; Rayleigh-Ritz takes the best. In honest words this is a
   block generalized Davidson method that keeps directions at a restart (GD+k, A. Stathopoulos, SIAM J. Sci. Comput. 29,
   2007; with a window of three blocks LOBPCG, A. V. Knyazev, SIAM J. Sci. Comput. 23, 2001) and whose expansion is NAPI's
   warm-started inner solve.

   One step, V being B-orthonormal, with B V, A V and T = V'A V carried along (src/sys):

     (1) Ritz pairs of T, in the order the user asked for
     (2) R = A W - B W Theta for the first pairs that have not converged; the true residual decides
     (3) thick restart where the window is full: Ritz vectors, and the Ritz vectors of the step before, orthogonalised
         against them, which is the momentum term
     (4) D ~ B^{-1} R, with B D taken from the solver's residual where it has it          (inner.c);
         a single iteration may come with A D, which then goes through (5) as well
     (5) D orthonormalised against V and within itself
     (6) A D, and D appended to V
*/
#include <slepcnapi/private/napiimpl.h>

#define NAPI_TINY  64  /* unknowns: a basis of as many costs nothing */
#define NAPI_SMALL 512 /* unknowns: a basis of as many costs little, and is there for the day when nothing else helps */

/* The dimensions, as SLEPc users know them: ncv is the size of the basis, mpd is not used */
static PetscErrorCode SetDimensions(EPS eps)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;
  PetscInt  k, n = eps->n - PetscAbs(eps->nds), least;

  PetscFunctionBegin;
  if (eps->nev < 1) eps->nev = 1;
  k       = PetscMin(eps->nev, n);
  ctx->bs = PetscMin(ctx->blocksize == NAPI_UNSET ? PetscMax(2, PetscMin(k, 8)) : ctx->blocksize, n);
  if (eps->ncv != NAPI_UNSET && ctx->blocksize == NAPI_UNSET) ctx->bs = PetscMax(1, PetscMin(ctx->bs, (eps->ncv - k) / 3));
  ctx->keep = ctx->restart == NAPI_UNSET ? k + 2 * ctx->bs : PetscMax(k, ctx->restart);
  least     = PetscMin(k + 2 * ctx->bs, n);
  ctx->tiny = (PetscBool)(eps->ncv == NAPI_UNSET && n <= NAPI_TINY);
  if (ctx->tiny) eps->ncv = n;
  else if (eps->ncv == NAPI_UNSET) eps->ncv = ctx->keep + PetscMax(5 * ctx->bs, 12);
  else
    PetscCheck(eps->ncv >= least, PetscObjectComm((PetscObject)eps), PETSC_ERR_USER_INPUT, "The basis needs ncv of at least %" PetscInt_FMT ", nev and two blocks of %" PetscInt_FMT ", not %" PetscInt_FMT ": set a larger ncv or a smaller -eps_napi_blocksize", least,
               ctx->bs, eps->ncv);
  eps->ncv  = PetscMax(1, PetscMin(eps->ncv, n));
  ctx->keep = PetscMax(k, PetscMin(ctx->keep, eps->ncv - 2 * ctx->bs)); /* room for the kept directions and a new block */
  ctx->room = n <= NAPI_SMALL ? PetscMax(1, n) : eps->ncv;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Memory: V (the EPS's own), B V and A V of ncv columns, six blocks with room for a challenger and the deflation space twice */
PetscErrorCode EPSNAPISetUp_Optimal(EPS eps)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;
  PetscInt  nds = PetscAbs(eps->nds), width;

  PetscFunctionBegin;
  PetscCall(SetDimensions(eps));
  width = ctx->bs + 1;
  PetscCall(EPSNAPIAllocate(eps, width, PetscMax(1, nds)));
  PetscCall(BVDuplicateResize(eps->V, ctx->room, &ctx->AV));
  PetscCall(BVSetMatrix(ctx->AV, NULL, PETSC_FALSE));
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, ctx->room, ctx->room, NULL, &ctx->coef));
  PetscCall(PetscMalloc2(ctx->room * width, &ctx->old, ctx->room, &ctx->locked));
  PetscCall(PetscMalloc2(ctx->room, &ctx->look, width, &ctx->ltheta));
  PetscCall(NAPISmallCreate(eps->ds, ctx->room, &ctx->small));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* coef := the eigenvectors of T at n positions */
static PetscErrorCode Coefficients(EPS eps, NAPIWindow *w, PetscInt n, const PetscInt at[])
{
  EPS_NAPI          *ctx = (EPS_NAPI *)eps->data;
  const PetscScalar *q;
  PetscScalar       *c;
  PetscInt           j, ldq, ldc;
  Mat                Q;

  PetscFunctionBegin;
  PetscCall(DSGetMat(eps->ds, DS_MAT_Q, &Q));
  PetscCall(MatDenseGetLDA(Q, &ldq));
  PetscCall(MatDenseGetLDA(ctx->coef, &ldc));
  PetscCall(MatDenseGetArrayRead(Q, &q));
  PetscCall(MatDenseGetArrayWrite(ctx->coef, &c));
  for (j = 0; j < n; j++) PetscCall(PetscArraycpy(c + j * ldc, q + at[j] * ldq, w->m));
  PetscCall(MatDenseRestoreArrayWrite(ctx->coef, &c));
  PetscCall(MatDenseRestoreArrayRead(Q, &q));
  PetscCall(DSRestoreMat(eps->ds, DS_MAT_Q, &Q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* coef := the first eigenvector of T without its first rows and columns, as coefficients in all of V */
static PetscErrorCode Trailing(EPS eps, NAPIWindow *w, PetscInt first)
{
  EPS_NAPI          *ctx = (EPS_NAPI *)eps->data;
  const PetscScalar *q;
  PetscScalar       *c;
  Mat                Q;

  PetscFunctionBegin;
  PetscCall(DSGetMat(eps->ds, DS_MAT_Q, &Q));
  PetscCall(MatDenseGetArrayRead(Q, &q));
  PetscCall(MatDenseGetArrayWrite(ctx->coef, &c));
  PetscCall(PetscArrayzero(c, first));
  PetscCall(PetscArraycpy(c + first, q, w->m - first));
  PetscCall(MatDenseRestoreArrayWrite(ctx->coef, &c));
  PetscCall(MatDenseRestoreArrayRead(Q, &q));
  PetscCall(DSRestoreMat(eps->ds, DS_MAT_Q, &Q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ctx->look := the n positions from first on */
static PetscInt *Range(EPS_NAPI *ctx, PetscInt first, PetscInt n)
{
  PetscInt j;

  for (j = 0; j < n; j++) ctx->look[j] = first + j;
  return ctx->look;
}

/* R := A W - B W Theta and BW := B W for the n vectors W with the coefficients coef, from the products carried along */
static PetscErrorCode CarriedResidual(EPS eps, NAPIWindow *w, PetscInt n, const PetscScalar theta[])
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;

  PetscFunctionBegin;
  PetscCall(BVMult(ctx->R, 1.0, 0.0, ctx->AV, ctx->coef));
  PetscCall(BVMult(ctx->BW, 1.0, 0.0, ctx->B ? w->BofV : w->V, ctx->coef));
  PetscCall(EPSNAPIAddScaled(ctx->R, 1.0, n, theta, -1.0, ctx->BW));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   (2) R and the errors of the Ritz pairs at n positions, from the products carried along, or with fresh ones. ||x|| costs a
   product of long blocks and is computed only where the user's test depends on it.
*/
static PetscErrorCode Residual(EPS eps, NAPIWindow *w, PetscInt n, const PetscInt at[], PetscBool fresh)
{
  const PetscReal orthonormal = 1e-9;
  EPS_NAPI       *ctx         = (EPS_NAPI *)eps->data;
  NAPIError      *error       = ctx->error;
  PetscScalar     square;
  PetscInt        j;
  Vec             x, bx = NULL;

  PetscFunctionBegin;
  PetscCall(EPSNAPISetActive(eps, n));
  PetscCall(Coefficients(eps, w, n, at));
  for (j = 0; j < n; j++) ctx->ltheta[j] = ctx->theta[at[j]];
  if (ctx->needx || fresh) PetscCall(BVMult(ctx->W, 1.0, 0.0, w->V, ctx->coef));
  if (fresh) PetscCall(EPSNAPIFreshErrors(eps, n, ctx->ltheta, error));
  else {
    PetscCall(CarriedResidual(eps, w, n, ctx->ltheta));
    PetscCall(EPSNAPIErrors(eps, n, ctx->ltheta, ctx->needx ? ctx->W : NULL, ctx->BW, error));
  }
  for (j = 0; j < n; j++) {
    ctx->scaled[at[j]] = error[j].scaled;
    if (fresh) { /* x'B x = 1, if the basis has kept what it promised */
      PetscCall(BVGetColumn(ctx->W, j, &x));
      if (ctx->G) PetscCall(BVGetColumn(ctx->BW, j, &bx));
      PetscCall(VecDot(ctx->G ? bx : x, x, &square));
      if (ctx->G) PetscCall(BVRestoreColumn(ctx->BW, j, &bx));
      PetscCall(BVRestoreColumn(ctx->W, j, &x));
      if (!(PetscAbsScalar(square - 1.0) <= orthonormal)) error[j].error = error[j].scaled = error[j].backward = PETSC_MAX_REAL;
    }
    PetscCall(EPSNAPIJudge(eps, at[j], error + j, fresh, eps->errest + at[j]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The leading pairs, of the n from first on, whose error is below the tolerance */
static PetscInt Passed(EPS eps, PetscInt first, PetscInt n)
{
  PetscInt j = 0;

  while (j < n && eps->errest[first + j] < eps->tol) j++;
  return j;
}

/*
   Challenger - Where eigenvalues of largest magnitude are wanted, those of both ends are in the race, but only the end that leads
   is pursued by expanding the leading pairs. The first Ritz pair of the other sign behind the k wanted ones may still win. If the
   window has lost sight of the other end, of which there has been one, the pair that comes nearest to it takes its place. Its
   position, or -1 where there is none.
*/
static PetscInt Challenger(EPS eps, NAPIWindow *w, PetscInt k)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;
  PetscReal last, mine, least = PETSC_MAX_REAL;
  PetscInt  j, c = -1;

  if (eps->which != EPS_LARGEST_MAGNITUDE || w->m <= k) return -1;
  last = PetscRealPart(ctx->theta[k - 1]) + ctx->sigma;
  for (j = 0; j < w->m; j++) {
    mine = (PetscRealPart(ctx->theta[j]) + ctx->sigma) * (last < 0.0 ? -1.0 : 1.0);
    if (mine < 0.0) {
      ctx->bothends = PETSC_TRUE;
      if (j >= k) return j;
    } else if (j >= k && mine < least) {
      least = mine;
      c     = j;
    }
  }
  return ctx->bothends ? c : -1;
}

/*
   InTheRace - Whether the pair at position c, which has not converged, may yet be farther out on the other side than the last
   wanted one is on its own. Its residual is no bound of how far: a Ritz value rests near an eigenvalue that is not the last of
   its end before it moves on, with a residual that may be a hundred times smaller than the step to come.
*/
static PetscBool InTheRace(EPS eps, PetscInt k, PetscInt c)
{
  const PetscReal cautious = 100.0;
  EPS_NAPI       *ctx      = (EPS_NAPI *)eps->data;
  PetscReal       last = PetscRealPart(ctx->theta[k - 1]) + ctx->sigma, mine = PetscRealPart(ctx->theta[c]) + ctx->sigma, reach = cautious * ctx->scaled[c] * PetscAbsReal(mine);

  return (PetscBool)(eps->errest[c] >= eps->tol && reach - mine * (last < 0.0 ? -1.0 : 1.0) >= PetscAbsReal(last));
}

/*
   Advance - (2) The errors of the block of pairs from nconv on; as long as all of a block have converged, look at the next. On
   exit ctx->look has the b positions that were looked at last and have not been counted as converged, R their residuals.
*/
static PetscErrorCode Advance(EPS eps, NAPIWindow *w, PetscInt k, PetscInt *b)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;
  PetscInt  j, n, c = Challenger(eps, w, k), passed, skip, contest;

  PetscFunctionBegin;
  do {
    n = PetscMin(ctx->bs, PetscMin(PetscMax(1, k - eps->nconv), w->m - eps->nconv));
    (void)Range(ctx, eps->nconv, n);
    contest = c >= 0 && eps->nconv + n == k ? 1 : 0; /* the last of the wanted are in sight */
    if (contest) ctx->look[n] = c;
    PetscCall(Residual(eps, w, n + contest, ctx->look, PETSC_FALSE));
    passed = Passed(eps, eps->nconv, n);
    for (j = 0; j < passed; j++) ctx->locked[eps->nconv + j] = ctx->theta[eps->nconv + j];
    eps->nconv += passed;
  } while (passed && passed == n && eps->nconv < k && eps->nconv < w->m);
  if (contest && !InTheRace(eps, k, c)) contest = 0;
  if (contest && eps->nconv == k) eps->nconv = k - 1; /* the last of them may have to give way */
  skip = passed;
  *b   = n - skip + contest;
  for (j = 0; j < *b; j++) {
    ctx->look[j] = ctx->look[skip + j];
    if (skip) PetscCall(BVCopyColumn(ctx->R, skip + j, j));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Renew - Fresh products for all of the window, which is made orthonormal again */
static PetscErrorCode Renew(EPS eps, NAPIWindow *w)
{
  const PetscInt  most     = 50; /* after which it is not for drift that fresh products contradict */
  EPS_NAPI       *ctx      = (EPS_NAPI *)eps->data;
  NAPIBasisStatus status   = NAPI_BASIS_OK;
  PetscReal       smallest = 0.0;
  PetscBool       finite   = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscInfo(eps, "The products carried along have drifted: renewing them\n"));
  PetscCall(NAPIWindowSetActive(w, 0, w->m));
  if (ctx->G) PetscCall(EPSNAPIApplyB(eps, w->V, w->BofV));
  PetscCall(EPSNAPIApplyA(eps, w->V, w->AV));
  PetscCall(NAPIOrthonormalizeStep(w->small, w->V, w->BofV, w->AV, w->H, w->m, &w->m, &smallest, &status));
  if (!status) PetscCall(NAPIWindowProject(w, 0, &finite));
  if (!status && !finite) status = NAPI_BASIS_NOT_FINITE;
  if (status) { /* nothing is sound any more */
    w->m = eps->nconv = 0;
    PetscCall(EPSNAPIBasisFailed(eps, status));
  }
  ctx->nold = 0;
  if (++ctx->renewals > most && eps->reason >= 0) PetscCall(EPSNAPIDiverged(eps, "the residual stagnates: products with A or B are not as accurate as the tolerance, or not the same each time"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Verify - Which of the nconv leading pairs really have converged? Pairs that were found so earlier may have been mixed with
   others of the same eigenvalue since; and in the end it is fresh products with the user's A and B that count. If those
   contradict what was carried along, it has drifted and is renewed.
*/
static PetscErrorCode Verify(EPS eps, NAPIWindow *w)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;
  PetscInt  first, n, passed;

  PetscFunctionBegin;
  for (first = 0; first < eps->nconv; first += n) {
    n = PetscMin(ctx->bs, eps->nconv - first);
    PetscCall(Residual(eps, w, n, Range(ctx, first, n), PETSC_FALSE));
    passed = Passed(eps, first, n);
    if (passed < n) eps->nconv = first + passed;
  }
  for (first = 0; first < eps->nconv; first += n) {
    n = PetscMin(ctx->bs, eps->nconv - first);
    PetscCall(Residual(eps, w, n, Range(ctx, first, n), PETSC_TRUE));
    passed = Passed(eps, first, n);
    if (ctx->check == EPS_NAPI_CHECK_CERTIFY) PetscCall(EPSNAPIBoundErrors(eps, passed, first, ctx->ltheta));
    if (passed == n) continue;
    eps->nconv = first + passed;
    if (!ctx->needx && ctx->scaled[first + passed] < eps->tol) ctx->needx = PETSC_TRUE; /* it is the other test that matters */
    else PetscCall(Renew(eps, w));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How many of the leading Ritz values are those that were locked, in whatever order: a larger one may have turned up */
static PetscInt StillLocked(EPS_NAPI *ctx, PetscInt nlock, PetscReal tol)
{
  PetscInt i, j;

  for (i = 0; i < nlock; i++) {
    for (j = 0; j < nlock; j++)
      if (PetscAbsScalar(ctx->theta[i] - ctx->locked[j]) <= PetscMax(tol, 1e-12) * PetscAbsScalar(ctx->theta[i])) break;
    if (j == nlock) return i;
  }
  return nlock;
}

/*
   (3) Thick restart: C = [Q(:,1:keep), P], P being the coefficients of the Ritz vectors of the step before, orthonormalised
   against the others; as many of them as leave room for nd columns. Of the n pairs at the positions look, the last may be a
   challenger from farther behind, which then takes the last place of the kept ones. On exit look has their new positions.
*/
static PetscErrorCode Restart(EPS eps, NAPIWindow *w, PetscInt k, PetscInt b, PetscInt look[], PetscInt nd)
{
  EPS_NAPI    *ctx = (EPS_NAPI *)eps->data;
  PetscInt     j, ld, n = PetscMin(ctx->keep, w->m), nold, *at;
  PetscScalar *coef;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n + 1, &at));
  for (j = 0; j < n; j++) at[j] = j;
  if (b && look[b - 1] >= n) {
    if (n == k) n++;
    at[n - 1]   = look[b - 1];
    look[b - 1] = n - 1;
  }
  PetscCall(Coefficients(eps, w, n, at));
  PetscCall(PetscFree(at));
  nold = PetscMax(0, PetscMin(ctx->nold, w->max - nd - n));
  PetscCall(MatDenseGetLDA(ctx->coef, &ld));
  PetscCall(MatDenseGetArray(ctx->coef, &coef));
  PetscCall(NAPIKeepDirections(w->m, &n, coef, ld, nold, ctx->old, ctx->room));
  PetscCall(MatDenseRestoreArray(ctx->coef, &coef));
  PetscCall(NAPIWindowRestart(w, ctx->coef, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Remembers the Ritz vectors at b positions as coefficients; after a restart they are unit vectors */
static PetscErrorCode Remember(EPS eps, NAPIWindow *w, PetscInt b, const PetscInt at[], PetscBool restarted)
{
  EPS_NAPI          *ctx = (EPS_NAPI *)eps->data;
  const PetscScalar *q;
  PetscInt           j, ld;
  Mat                Q;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(ctx->old, ctx->room * (ctx->bs + 1)));
  ctx->nold = b;
  PetscCall(DSGetMat(eps->ds, DS_MAT_Q, &Q));
  PetscCall(MatDenseGetLDA(Q, &ld));
  PetscCall(MatDenseGetArrayRead(Q, &q));
  for (j = 0; j < b; j++) {
    if (restarted) ctx->old[at[j] + j * ctx->room] = 1.0;
    else PetscCall(PetscArraycpy(ctx->old + j * ctx->room, q + at[j] * ld, w->m));
  }
  PetscCall(MatDenseRestoreArrayRead(Q, &q));
  PetscCall(DSRestoreMat(eps->ds, DS_MAT_Q, &Q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tolerance - How accurate (4) is to be: by hand, by a formula, or as NAPIAutoChoose() finds best */
static PetscErrorCode Tolerance(EPS eps, NAPIWindow *w, PetscInt k, PetscInt b, PetscInt nd)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;
  PetscReal gap, todo;
  PetscInt  j;

  PetscFunctionBegin;
  ctx->maxit_t = ctx->maxit_all;
  if (ctx->rtol != NAPI_UNSET) {
    ctx->rtol_t = ctx->rtol;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (ctx->criterion == EPS_NAPI_CRITERION_PAPER) {
    ctx->rtol_t = EPSNAPIPaperTolerance(k, PetscAbsScalar(ctx->theta[0]), PetscAbsScalar(ctx->theta[PetscMin(k, w->m) - 1]), PetscAbsScalar(ctx->theta[w->m - 1]), 0.0, ctx->scaled[eps->nconv]);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (ctx->criterion == EPS_NAPI_CRITERION_WINDOW) {
    gap         = 1.0 - PetscAbsScalar(ctx->theta[w->m - 1]) / PetscAbsScalar(ctx->theta[PetscMin(k, w->m) - 1]);
    ctx->rtol_t = PetscSqrtReal(PetscMax(0.5, gap) / 8.0);
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  if (ctx->tiny) { /* the basis will soon be everything: what counts is that it grows */
    ctx->rtol_t  = NAPI_LOOSE;
    ctx->maxit_t = 1;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* digits to be gained by the pairs in sight; those behind them have all still to be */
  todo = PetscMax(0, k - eps->nconv - b) * PetscLog10Real(1.0 / eps->tol);
  for (j = 0; j < b; j++) todo += PetscLog10Real(PetscMax(1.0, PetscMin(1.0, eps->errest[ctx->look[j]]) / eps->tol));
  PetscCall(NAPIAutoChoose((PetscObject)eps, &ctx->choice, todo, ctx->acols + ctx->bcols + ctx->inner - ctx->saved, eps->errest[eps->nconv], nd, ctx->inner_t));
  ctx->rtol_t = ctx->choice.rtol;
  if (!ctx->choice.arm) ctx->maxit_t = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (5) and (6): makes the nd columns of D, with B D and, if that is there, A D, part of the window; added is how many were worth it */
static PetscErrorCode Expand(EPS eps, NAPIWindow *w, PetscInt nd, PetscBool haveAD, PetscInt *added)
{
  const PetscReal shrunk = 1e-2, drift = 1e-11; /* what cancels amplifies the errors of B V, step by step: V'B D, which is 0, tells */
  EPS_NAPI       *ctx = (EPS_NAPI *)eps->data;
  BV              BD = ctx->G ? ctx->Wold : ctx->D, AD = haveAD ? ctx->AW : NULL;
  NAPIBasisStatus status;
  PetscReal       cancel, defect = 0.0;
  PetscBool       finite;
  PetscInt        m = w->m;

  PetscFunctionBegin;
  *added = nd;
  PetscCall(PetscLogEventBegin(EPS_NAPI_Ortho, eps, 0, 0, 0));
  PetscCall(NAPIWindowOrthonormalize(w, ctx->D, BD, AD, added, &cancel, &status));
  ctx->cancel = cancel;
  if (!status && *added && ctx->G && cancel < shrunk) PetscCall(NAPIWindowDefect(w, BD, &defect));
  if (!status && *added && ctx->G && !(cancel >= 1e-6 && defect <= drift)) { /* B D has lost as many digits, and so has A D */
    AD = NULL;
    PetscCall(EPSNAPIApplyB(eps, ctx->D, BD));
    PetscCall(NAPIWindowOrthonormalize(w, ctx->D, BD, NULL, added, &cancel, &status));
  }
  PetscCall(PetscLogEventEnd(EPS_NAPI_Ortho, eps, 0, 0, 0));
  PetscCall(EPSNAPIBasisFailed(eps, status));
  if (status || !*added) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(NAPIWindowAppend(w, ctx->D, BD, AD, *added));
  if (!AD) PetscCall(EPSNAPIApplyA(eps, w->V, w->AV));
  PetscCall(NAPIWindowProject(w, m, &finite));
  if (!finite) {
    w->m = m; /* what was there before is sound */
    PetscCall(EPSNAPIBasisFailed(eps, NAPI_BASIS_NOT_FINITE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* D := n vectors, the user's initial space from column first of V on completed by random ones; B D */
static PetscErrorCode FreshVectors(EPS eps, PetscInt first, PetscInt n)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;
  PetscInt  j;
  Vec       v;

  PetscFunctionBegin;
  PetscCall(EPSNAPISetActive(eps, n));
  for (j = 0; j < n; j++) {
    if (first + j < eps->nini) {
      PetscCall(BVGetColumn(eps->V, first + j, &v));
      PetscCall(BVInsertVec(ctx->D, j, v));
      PetscCall(BVRestoreColumn(eps->V, first + j, &v));
    } else PetscCall(BVSetRandomColumn(ctx->D, j));
  }
  if (ctx->G) PetscCall(EPSNAPIApplyB(eps, ctx->D, ctx->Wold));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* n random vectors become part of the window, as many as are new */
static PetscErrorCode ExpandRandom(EPS eps, NAPIWindow *w, PetscInt n, PetscInt *added)
{
  PetscFunctionBegin;
  PetscCall(FreshVectors(eps, eps->nini, n));
  PetscCall(Expand(eps, w, n, PETSC_FALSE, added));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first basis: the user's initial space, and random vectors, two more than are wanted or given: the space may be invariant */
static PetscErrorCode Start(EPS eps, NAPIWindow *w, PetscInt k)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;
  PetscInt  n   = PetscMin(PetscMax(k, eps->nini) + 2, w->max), taken, added, chunk, width;

  PetscFunctionBegin;
  PetscCall(BVGetSizes(ctx->D, NULL, NULL, &width));
  /* appended vectors never reach beyond those already taken from V, where the initial space is */
  for (taken = 0; taken < n && !eps->reason; taken += chunk) {
    chunk = PetscMin(width, n - taken);
    PetscCall(FreshVectors(eps, taken, chunk));
    PetscCall(Expand(eps, w, chunk, PETSC_FALSE, &added));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (1) The Ritz values, in the user's scale, too */
static PetscErrorCode Ritz(EPS eps, NAPIWindow *w)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;
  PetscInt  j;

  PetscFunctionBegin;
  PetscCall(NAPIWindowSetActive(w, 0, w->m));
  PetscCall(NAPIWindowRitz(w, 0));
  for (j = 0; j < w->m; j++) {
    ctx->theta[j] = ctx->small.theta[j];
    eps->eigr[j]  = ctx->theta[j] * ctx->unscale;
  }
  for (j = w->m; j < ctx->room; j++) eps->eigr[j] = 0.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (1) and (2): the Ritz pairs, and how far they are */
static PetscErrorCode Look(EPS eps, NAPIWindow *w, PetscInt k, PetscInt *b)
{
  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(EPS_NAPI_Ritz, eps, 0, 0, 0));
  PetscCall(Ritz(eps, w));
  eps->nconv = StillLocked((EPS_NAPI *)eps->data, PetscMin(eps->nconv, w->m), eps->tol);
  PetscCall(Advance(eps, w, k, b));
  PetscCall(PetscLogEventEnd(EPS_NAPI_Ritz, eps, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the Ritz value a comes before b in the order the user asked for, by more than the tolerance lets it differ */
static PetscErrorCode ComesFirst(EPS eps, PetscScalar a, PetscScalar b, PetscBool *first)
{
  SlepcSC  sc;
  PetscInt order;

  PetscFunctionBegin;
  PetscCall(DSGetSlepcSC(eps->ds, &sc));
  PetscCall(SlepcSCCompare(sc, a, 0.0, b, 0.0, &order));
  *first = (PetscBool)(order < 0 && PetscAbsScalar(a - b) > PetscMax(eps->tol, 1e-12) * PetscMax(PetscAbsScalar(a), PetscAbsScalar(b)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Probe - Was anything missed? What the window has no part in cannot be seen in it. A random vector, orthogonal to all of it,
   starts an iteration of its own in the orthogonal complement, one column a step with a single inner iteration. It is a part
   of the window from then on, so that whatever it finds comes up in the next Rayleigh-Ritz. The cost is a small part of
   what was spent.
*/
static PetscErrorCode Probe(EPS eps, NAPIWindow *w, PetscInt k)
{
  const PetscReal share = 0.04;        /* of the columns A and B have been applied to */
  const PetscInt  least = 2, most = 5; /* steps: with one it would see no more than the mean of the spectrum */
  const PetscReal nothing = 1e-7;      /* of a vector is left outside of the window: B, or the problem, has no more to offer */
  const PetscInt  brief   = 8;         /* outer steps: a solve as short as this has seen little, and gets most */
  EPS_NAPI       *ctx     = (EPS_NAPI *)eps->data;
  PetscInt        first, step, steps, added = 0, percol = ctx->B ? 2 : 1;
  PetscScalar     last      = ctx->theta[k - 1], theta;
  PetscReal       asymmetry = 0.0;
  PetscBool       found     = PETSC_FALSE;

  PetscFunctionBegin;
  steps = PetscMin(PetscMax(eps->its <= brief ? most : least, (PetscInt)(share * (ctx->acols + ctx->bcols + ctx->inner) / percol)), most);
  if (w->m + steps > w->max && w->max < eps->n - eps->nds) PetscCall(Restart(eps, w, k, 0, NULL, steps));
  first = w->m;
  steps = PetscMin(steps, w->max - first);
  if (steps < 1) PetscFunctionReturn(PETSC_SUCCESS);
  ctx->rtol_t  = NAPI_LOOSE;
  ctx->maxit_t = 1;
  PetscCall(ExpandRandom(eps, w, 1, &added));
  for (step = 1; step < steps && added && !found && !eps->reason && ctx->cancel > nothing; step++) {
    PetscCall(NAPIWindowRitz(w, first)); /* of the complement alone */
    theta = ctx->small.theta[0];
    PetscCall(ComesFirst(eps, theta, last, &found));
    if (found) break;
    PetscCall(EPSNAPISetActive(eps, 1));
    PetscCall(Trailing(eps, w, first));
    PetscCall(CarriedResidual(eps, w, 1, &theta));
    PetscCall(EPSNAPIInnerSolve(eps, 1, &theta, PETSC_TRUE));
    if (!eps->reason) PetscCall(Expand(eps, w, 1, PETSC_FALSE, &added));
  }
  ctx->nold = 0; /* those coefficients were of another basis */
  if (!eps->reason) PetscCall(NAPIWindowAsymmetry(w, first, &asymmetry));
  /* a probe that has found nothing but rounding, or that does not go with what is carried along, leaves no trace: Verify() decides */
  if (eps->reason || ctx->cancel <= nothing || asymmetry > PetscMax(1e-10, 0.1 * eps->tol) * PetscAbsScalar(ctx->theta[0])) {
    PetscCall(PetscInfo(eps, "The check was of no use\n"));
    eps->reason = EPS_CONVERGED_ITERATING;
    ctx->cause  = NULL;
    w->m        = first;
    PetscCall(NAPIWindowSetActive(w, 0, w->m));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Salvage - A solve that ends without success: the pairs that have converged behind one that has not count as well. On exit
   ctx->look has the order of the first n Ritz vectors, those that have converged first.
*/
static PetscErrorCode Salvage(EPS eps, NAPIWindow *w, PetscInt n)
{
  EPS_NAPI    *ctx = (EPS_NAPI *)eps->data;
  PetscInt     i, j, *order, rest = 0;
  PetscScalar *value;
  PetscReal   *error;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(2 * n, &order, n, &value, n, &error));
  for (j = 0; j < eps->nconv; j++) order[j] = j;
  for (i = eps->nconv; i < n; i++) {
    PetscCall(Residual(eps, w, 1, &i, PETSC_FALSE));
    if (eps->errest[i] < eps->tol) PetscCall(Residual(eps, w, 1, &i, PETSC_TRUE));
    if (eps->errest[i] < eps->tol && EPSNAPIInRange(ctx, ctx->theta[i])) order[eps->nconv++] = i;
    else order[n + rest++] = i;
  }
  for (j = 0; j < rest; j++) order[eps->nconv + j] = order[n + j];
  for (j = 0; j < n; j++) {
    value[j] = eps->eigr[order[j]];
    error[j] = eps->errest[order[j]];
  }
  PetscCall(PetscArraycpy(eps->eigr, value, n));
  PetscCall(PetscArraycpy(eps->errest, error, n));
  PetscCall(PetscArraycpy(ctx->look, order, n));
  PetscCall(PetscFree3(order, value, error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Fill - Of a small problem that takes many times the products a basis of everything would: it gets that basis, in which
   Rayleigh-Ritz leaves nothing to be desired but rounding.
*/
static PetscErrorCode Fill(EPS eps, NAPIWindow *w)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;
  PetscInt  n = ctx->bs + 1, added = 1;

  PetscFunctionBegin;
  PetscCall(PetscInfo(eps, "Slow for a problem as small as this: completing the basis\n"));
  w->max = ctx->room;
  while (w->m < w->max && added && !eps->reason) {
    n = PetscMin(n, w->max - w->m);
    PetscCall(ExpandRandom(eps, w, n, &added));
  }
  ctx->exhausted = PETSC_TRUE;
  ctx->nold      = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Count - Counts the eigenvalues. Where some were missed, the basis gets something random, and the solve goes on until it has taken
   a number of further steps, more each time; but not for ever.
*/
static PetscErrorCode Count(EPS eps, NAPIWindow *w, PetscInt k, PetscInt *b, PetscInt *until, PetscInt *counts)
{
  const PetscInt most = 6, steps = 10;
  EPS_NAPI      *ctx = (EPS_NAPI *)eps->data;
  PetscInt       missed, n, added;

  PetscFunctionBegin;
  PetscCall(EPSNAPICount(eps, eps->nconv, &missed));
  if (!missed) PetscFunctionReturn(PETSC_SUCCESS);
  if (++*counts == most) PetscCall(EPSNAPIDiverged(eps, "by inertia there are eigenvalues farther out than those that were found"));
  else {
    eps->reason = EPS_CONVERGED_ITERATING;
    *until      = eps->its + (steps << *counts);
    n           = PetscMin(ctx->bs + 1, w->max - w->m);
    if (w->max < eps->n - eps->nds && n < ctx->bs) {
      PetscCall(Restart(eps, w, k, 0, NULL, ctx->bs + 1));
      n = PetscMin(ctx->bs + 1, w->max - w->m);
    }
    ctx->nold = 0;
    PetscCall(ExpandRandom(eps, w, n, &added));
    if (!eps->reason) PetscCall(Look(eps, w, k, b));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether it is over: by the user's stopping test, which must not take back what Look() has found, or because there are no more */
static PetscErrorCode Stop(EPS eps)
{
  PetscFunctionBegin;
  if (eps->reason) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall((*eps->stopping)(eps, eps->its, eps->max_it, eps->nconv, eps->nev, &eps->reason, eps->stoppingctx));
  if (!eps->reason && eps->nconv >= eps->n - eps->nds) eps->reason = EPS_CONVERGED_TOL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Iterate(EPS eps, NAPIWindow *w)
{
  const PetscInt slow = 16; /* products for each unknown, where 2 would do with a basis of everything */
  EPS_NAPI      *ctx  = (EPS_NAPI *)eps->data;
  PetscInt       k = PetscMin(eps->nev, w->max), n = eps->n - eps->nds, j, b, nd, added, counts = 0, until = 0;
  PetscScalar    last;
  PetscBool      restarted, haveAD, verified = PETSC_FALSE, probed = PETSC_FALSE, missed;

  PetscFunctionBegin;
  if (!n) { /* the deflation space is everything */
    PetscCall(EPSNAPIDiverged(eps, "there is nothing left to find outside of the deflation space"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Start(eps, w, k));
  if (!w->m && !eps->reason) PetscCall(EPSNAPIBasisFailed(eps, NAPI_BASIS_INDEFINITE)); /* B x = 0 for every x we have */
  while (!eps->reason) {
    eps->its++;
    if (w->max < n && ctx->room == n && ctx->acols + ctx->bcols + ctx->inner > slow * n) PetscCall(Fill(eps, w));
    if (eps->reason) break;
    PetscCall(Look(eps, w, k, &b)); /* (1), (2) */
    PetscCall(Stop(eps));
    if (eps->reason > 0 && eps->its < until && w->m < n) eps->reason = EPS_CONVERGED_ITERATING; /* some are known to be missing */
    if (eps->reason > 0 && ctx->check != EPS_NAPI_CHECK_NONE && !probed && eps->nconv >= k && w->m < n) {
      last        = ctx->theta[k - 1];
      probed      = PETSC_TRUE;
      eps->reason = EPS_CONVERGED_ITERATING;
      PetscCall(Probe(eps, w, k));
      if (eps->reason) break;
      PetscCall(Look(eps, w, k, &b));
      PetscCall(ComesFirst(eps, ctx->theta[k - 1], last, &missed));
      if (missed) {
        PetscCall(PetscInfo(eps, "The check has found an eigenvalue that had been missed: going on\n"));
        probed = PETSC_FALSE;
      }
      PetscCall(Stop(eps));
    }
    if (eps->reason) {
      j = eps->nconv;
      PetscCall(Verify(eps, w));
      if (eps->nconv < j && eps->reason > 0) { /* not yet: look again, with what Verify() has put right */
        eps->reason = EPS_CONVERGED_ITERATING;
        PetscCall(Look(eps, w, k, &b));
      } else verified = PETSC_TRUE;
      if (eps->reason > 0 && ctx->check == EPS_NAPI_CHECK_CERTIFY) PetscCall(Count(eps, w, k, &b, &until, &counts));
      if (!eps->reason) verified = PETSC_FALSE;
    }
    PetscCall(EPSMonitor(eps, eps->its, eps->nconv, eps->eigr, eps->eigi, eps->errest, PetscMin(w->m, eps->nconv + b)));
    if (eps->reason) break;
    /* the user wants more than was asked for, or something was missed: the next ones that have not converged */
    for (j = eps->nconv; !b && j < w->m; j += b) {
      b = PetscMin(ctx->bs, w->m - j);
      PetscCall(Residual(eps, w, b, Range(ctx, j, b), PETSC_FALSE));
      if (Passed(eps, j, b) == b && j + b < w->m) {
        j += b;
        b = 0;
      }
    }

    /* the columns to expand come first in R */
    for (j = 0, nd = 0; j < b; j++) {
      if (eps->errest[ctx->look[j]] < eps->tol) continue;
      if (j != nd) PetscCall(BVCopyColumn(ctx->R, j, nd));
      nd++;
    }

    /* (3) */
    restarted = PETSC_FALSE;
    if (w->max < n && w->m + nd > w->max) {
      PetscCall(PetscLogEventBegin(EPS_NAPI_Ritz, eps, 0, 0, 0));
      PetscCall(Restart(eps, w, k, b, ctx->look, nd));
      PetscCall(PetscLogEventEnd(EPS_NAPI_Ritz, eps, 0, 0, 0));
      restarted = PETSC_TRUE;
    }
    nd = PetscMin(nd, w->max - w->m); /* a basis that may hold everything is never restarted */
    PetscCall(Remember(eps, w, b, ctx->look, restarted));

    /* (4), (5), (6) */
    added = 0;
    if (nd) {
      PetscCall(EPSNAPISetActive(eps, nd));
      PetscCall(Tolerance(eps, w, k, b, nd));
      PetscCall(EPSNAPIInnerOnce(eps, nd, &haveAD));
      if (!haveAD) PetscCall(EPSNAPIInnerSolve(eps, nd, ctx->theta + eps->nconv, PETSC_TRUE));
      if (eps->reason) break;
      PetscCall(Expand(eps, w, nd, haveAD, &added));
    }
    if (!added && !eps->reason) { /* nothing new: something random, where there is room */
      if (w->max < n && w->m + ctx->bs > w->max && !restarted) {
        PetscCall(Ritz(eps, w)); /* orthogonalisation has used the DS */
        PetscCall(Restart(eps, w, k, 0, NULL, ctx->bs));
        ctx->nold = 0;
      }
      nd = PetscMin(ctx->bs, w->max - w->m);
      if (nd) PetscCall(ExpandRandom(eps, w, nd, &added));
      if (!added && !eps->reason) {
        if (!ctx->exhausted) ctx->exhausted = PETSC_TRUE; /* what is as good as rounding allows counts from now on */
        else PetscCall(EPSNAPIDiverged(eps, "the basis cannot be expanded any more, and the tolerance is out of reach"));
      }
    }
  }

  if (w->m && eps->its) {
    PetscCall(Ritz(eps, w));
    if (!verified) { /* a breakdown: what had converged until then counts if it stands the test */
      eps->nconv = PetscMin(eps->nconv, w->m);
      PetscCall(Verify(eps, w));
      if (w->m) PetscCall(Ritz(eps, w));
    }
  }
  for (j = 0; j < eps->nconv; j++) {
    if (EPSNAPIInRange(ctx, ctx->theta[j])) continue;
    eps->nconv = j;
    PetscCall(EPSNAPIDiverged(eps, NAPI_RANGE));
  }
  if (w->m && eps->its) { /* the eigenvectors, and behind them what the window holds of the others */
    j = PetscMin(PetscMax(ctx->keep, eps->nconv), w->m);
    (void)Range(ctx, 0, j);
    if (eps->reason < 0) PetscCall(Salvage(eps, w, j));
    PetscCall(NAPIWindowSetActive(w, 0, w->m));
    PetscCall(Coefficients(eps, w, j, ctx->look));
    PetscCall(BVMultInPlace(w->V, ctx->coef, 0, j));
    if (ctx->bhalf != 1.0) {
      PetscCall(BVSetActiveColumns(w->V, 0, j));
      PetscCall(BVScale(w->V, ctx->bhalf));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode EPSNAPISolve_Optimal(EPS eps)
{
  EPS_NAPI      *ctx = (EPS_NAPI *)eps->data;
  NAPIWindow     w;
  Mat            form;
  PetscBool      indefinite;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(EPSNAPIDeflate(eps));
  /* inner products with V are plain here, since B V is carried along; the EPS gets its inner product back */
  PetscCall(BVGetMatrix(eps->V, &form, &indefinite));
  PetscCall(PetscObjectReference((PetscObject)form));
  PetscCall(BVSetMatrix(eps->V, NULL, PETSC_FALSE));
  if (ctx->G && !ctx->BofV) {
    PetscCall(BVDuplicateResize(eps->V, ctx->room, &ctx->BofV));
    PetscCall(BVSetMatrix(ctx->BofV, NULL, PETSC_FALSE));
  }
  PetscCall(NAPIWindowCreate(eps->V, ctx->G ? ctx->BofV : eps->V, ctx->AV, ctx->room, ctx->Y, ctx->BY, eps->nds, &ctx->small, &w));
  w.max            = eps->ncv;
  ctx->small.bnorm = ctx->G ? &ctx->bnorm : NULL;
  if (!ctx->B) w.left = w.BofV;
  PetscCall(NAPIAutoStart(&ctx->choice));
  PetscCall(EPSNAPIForgetStalls(eps));
  ctx->nold = ctx->renewals = 0;
  ctx->bothends             = PETSC_FALSE;
  ctx->needx                = (PetscBool)(ctx->residual == EPS_NAPI_RESIDUAL_SLEPC || (ctx->residual == EPS_NAPI_RESIDUAL_BOTH && eps->conv != EPS_CONV_REL));
  ierr                      = Iterate(eps, &w);
  PetscCall(NAPIWindowDestroy(&w));
  PetscCall(BVSetMatrix(eps->V, form, indefinite));
  PetscCall(MatDestroy(&form));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}
