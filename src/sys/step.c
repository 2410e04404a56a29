/* SPDX-License-Identifier: BSD-2-Clause */
/*
   One step of NAPI with optimal momentum, as EPSNAPI takes it with one basis and CCANAPI with one a view:

     (1) the pairs of the projected problem T                                                   NAPIWindowSolve()
     (2) R = A W - B W Theta for the first pairs that have not converged                        NAPIWindowAdvance()
     (3) thick restart where a basis is full                                                    NAPIWindowStep()
     (4) D ~ B^{-1} R by the owner's inner solver, with as much work as pays
     (5) D orthonormalised against V and within itself, with B D and, if that is known, A D
     (6) A D, and D appended to V

   and what makes sure in the end that the pairs are what they seem, NAPIWindowVerify(), and that none was missed,
   NAPIWindowProbe().
*/
#include <slepcnapi/private/napiwindow.h>

/* NAPIWindowRange - look := the n positions from first on */
PetscInt *NAPIWindowRange(NAPIWindow *w, PetscInt first, PetscInt n)
{
  for (PetscInt j = 0; j < n; j++) w->look[j] = first + j;
  return w->look;
}

/* ------------------------------------------------- (2) ------------------------------------------------- */

/* A W and B W for the n pairs with the coefficients C, which have no part in the first columns, from the products carried along: A W in R */
static PetscErrorCode NAPIStep_Images(NAPIWindow *w, PetscInt n, PetscInt first)
{
  PetscFunctionBegin;
  PetscCall(NAPIWindowSetBlock(w, n));
  for (PetscInt i = 0; i < w->nsides; i++) {
    NAPIWindowSide *s = &w->side[i], *across = &w->side[w->nsides - 1 - i];

    PetscCall(BVSetActiveColumns(across->V.AX, first, across->m));
    PetscCall(BVSetActiveColumns(s->scaled, first, s->m));
    PetscCall(BVMult(s->R, 1.0, 0.0, across->V.AX, across->C));
    PetscCall(BVMult(s->BW, 1.0, 0.0, s->scaled, s->C));
  }
  PetscCall(NAPIWindowSetActive(w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NAPIWindowResidual - R and the errors of the pairs at n positions, from the products carried along */
PetscErrorCode NAPIWindowResidual(NAPIWindow *w, PetscInt n, const PetscInt at[])
{
  PetscInt first = w->fixed;

  PetscFunctionBegin;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt j = 0; j < n; j++)
    if (at[j] < w->fixed) first = 0;
  PetscCall(NAPIWindowCoefficients(w, n, at));
  PetscCall(NAPIStep_Images(w, n, first));
  PetscCall((*w->ops->residual)(w->ctx, n, at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NAPIWindowPassed - The leading pairs, of the n from first on, whose error is below the tolerance */
PetscInt NAPIWindowPassed(const NAPIWindow *w, PetscInt first, PetscInt n)
{
  PetscInt j = 0;

  while (j < n && w->error[first + j] < w->tol) j++;
  return j;
}

/* How many of the leading values are those that were locked, in whatever order: a larger one may have turned up */
static PetscInt NAPIStep_StillLocked(const NAPIWindow *w, PetscInt nconv)
{
  const PetscReal same = PetscMax(w->tol, 1e-12); /* relative: a pair that passed the test differs from itself by no more, and rounding by less */

  for (PetscInt i = 0; i < nconv; i++) {
    PetscInt j = 0;

    while (j < nconv && !(PetscAbsReal(w->theta[i] - w->locked[j]) <= same * PetscAbsReal(w->theta[i]))) j++;
    if (j == nconv) return i;
  }
  return nconv;
}

/* The residuals of the n pairs in look. Where the fixed columns are much of what is left of one, they have to give way: T is solved as a whole */
static PetscErrorCode NAPIStep_LookAt(NAPIWindow *w, PetscInt n)
{
  const PetscReal much = 0.25; /* of a residual */
  PetscReal      *coupling;
  PetscBool       coupled = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(NAPIWindowResidual(w, n, w->look));
  if (!w->fixed || !n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(n, &coupling));
  PetscCall(NAPIWindowCoupling(w, n, w->look, coupling));
  for (PetscInt j = 0; j < n; j++)
    if (w->look[j] >= w->fixed && coupling[j] > much * w->error[w->look[j]]) coupled = PETSC_TRUE;
  PetscCall(PetscFree(coupling));
  if (!coupled) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscInfo(w->obj, "%" PetscInt_FMT " pairs that have converged are mixed with the others again\n", w->fixed));
  w->fixed = 0;
  PetscCall(NAPIWindowSolve(w));
  PetscCall(NAPIWindowResidual(w, n, w->look));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIWindowAdvance - Which of the leading pairs have converged? Those found so earlier still have, unless another value has turned
   up; behind them a block of pairs is looked at, and as long as all of a block have converged, the next.

   rival - a pair from farther behind to be looked at with the last of the wanted ones, or -1; on exit -1 if it was not
   b     - how many positions, in look, were looked at last and have not been counted as converged, the rival being the last of
           them; the first columns of R are their residuals
*/
PetscErrorCode NAPIWindowAdvance(NAPIWindow *w, PetscInt *rival, PetscInt *nconv, PetscInt *b)
{
  const PetscInt m = NAPIWindowPairs(w);
  PetscInt       n, passed, extra;

  PetscFunctionBegin;
  *nconv = NAPIStep_StillLocked(w, PetscMin(*nconv, m));
  do {
    n = PetscMin(w->bs, PetscMin(PetscMax(1, w->k - *nconv), m - *nconv));
    (void)NAPIWindowRange(w, *nconv, n);
    extra = *rival >= 0 && *nconv + n == w->k ? 1 : 0;
    if (extra) w->look[n] = *rival;
    PetscCall(NAPIStep_LookAt(w, n + extra));
    passed = NAPIWindowPassed(w, *nconv, n);
    PetscCall(PetscArraycpy(w->locked + *nconv, w->theta + *nconv, passed));
    *nconv += passed;
  } while (passed && passed == n && *nconv < w->k && *nconv < m);
  *b       = n - passed + extra;
  w->nconv = *nconv;
  if (!extra) *rival = -1;
  for (PetscInt j = 0; j < *b && passed; j++) {
    w->look[j] = w->look[passed + j];
    for (PetscInt i = 0; i < w->nsides; i++) PetscCall(BVCopyColumn(w->side[i].R, passed + j, j));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NAPIWindowVerify - Pairs that were found to have converged may have been mixed with others of the same value since */
PetscErrorCode NAPIWindowVerify(NAPIWindow *w, PetscInt *nconv)
{
  PetscInt n, passed;

  PetscFunctionBegin;
  for (PetscInt first = 0; first < *nconv; first += n) {
    n = PetscMin(w->bs, *nconv - first);
    PetscCall(NAPIWindowResidual(w, n, NAPIWindowRange(w, first, n)));
    passed = NAPIWindowPassed(w, first, n);
    if (passed < n) *nconv = first + passed;
  }
  w->nconv = PetscMin(w->nconv, *nconv);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- (3) to (6) ------------------------------------------------- */

/* Remembers the pairs at the first b positions of look as coefficients; after a restart they are unit vectors */
static PetscErrorCode NAPIStep_Remember(NAPIWindow *w, PetscInt b, PetscBool restarted)
{
  PetscFunctionBegin;
  w->nold = b;
  for (PetscInt i = 0; i < w->nsides; i++) {
    NAPIWindowSide *s = &w->side[i];

    PetscCall(PetscArrayzero(s->old, w->room * w->width));
    for (PetscInt j = 0; j < b; j++) {
      if (restarted) s->old[w->look[j] + j * w->room] = 1.0;
      else PetscCall(PetscArraycpy(s->old + j * w->room, s->Q + w->look[j] * s->m, s->m));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIWindowStep - (3) to (6) for the b pairs at the positions look, whose residuals are in R. Where they bring nothing new,
   something random is tried; added is 0 where that is not new either. A status that is not OK ends it.
*/
PetscErrorCode NAPIWindowStep(NAPIWindow *w, PetscInt b, PetscInt *added)
{
  const NAPIWindowSide *u = &w->side[0], *v = &w->side[w->nsides - 1];
  PetscInt              n = 0, maxit;
  PetscReal             rtol;
  PetscBool             restarted = PETSC_FALSE, haveA;

  PetscFunctionBegin;
  *added    = 0;
  w->status = NAPI_BASIS_OK;
  for (PetscInt j = 0; j < b; j++) { /* the columns to expand come first in R */
    if (w->error[w->look[j]] < w->tol) continue;
    for (PetscInt i = 0; i < w->nsides && j != n; i++) PetscCall(BVCopyColumn(w->side[i].R, j, n));
    n++;
  }
  if (NAPIWindowIsFull(w, n)) {
    PetscCall(NAPIWindowRestart(w, b, n));
    restarted = PETSC_TRUE;
  }
  PetscCall(NAPIStep_Remember(w, b, restarted));
  n = PetscMin(n, w->max - PetscMin(u->m, v->m));
  if (n) {
    PetscCall((*w->ops->tolerance)(w->ctx, b, n, &rtol, &maxit));
    PetscCall(NAPIWindowSetBlock(w, n));
    PetscCall((*w->ops->solve)(w->ctx, n, rtol, maxit, &haveA, &w->inner));
    if (!w->status) PetscCall(NAPIWindowExpand(w, n, haveA, added));
  }
  if (*added || w->status) PetscFunctionReturn(PETSC_SUCCESS);
  if (NAPIWindowIsFull(w, w->bs) && !restarted) {
    PetscCall(NAPIWindowRestart(w, 0, w->bs));
    w->nold = 0;
  }
  PetscCall(NAPIWindowAddStart(w, -1, PetscMin(w->bs, w->max - PetscMin(u->m, v->m)), added));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- nothing missed ------------------------------------------------- */

/*
   R := A W - B V (V'A W), of the pair with the coefficients C: the part of its residual that is new to the window. Rounding, by
   which nothing would be gained and digits be lost, is 0; new says whether there is anything else.
*/
static PetscErrorCode NAPIStep_ResidualOutside(NAPIWindow *w, PetscBool *new)
{
  const PetscReal    rounding = 1e-8; /* of A W: less has lost all but half of its digits */
  const PetscScalar *t;
  PetscScalar       *c[2], *coef;
  PetscReal          before, after;
  PetscInt           ldt, m[2] = {w->side[0].m, w->side[w->nsides - 1].m};

  PetscFunctionBegin;
  *new = PETSC_FALSE;
  PetscCall(NAPIStep_Images(w, 1, 0));
  PetscCall(PetscMalloc1(PetscMax(m[0], m[1]), &coef));
  PetscCall(MatDenseGetLDA(w->T, &ldt));
  PetscCall(MatDenseGetArrayRead(w->T, &t));
  for (PetscInt i = 0; i < w->nsides; i++) PetscCall(MatDenseGetArray(w->side[i].C, &c[i]));
  if (w->nsides > 1) { /* p and q become T q and T'p */
    PetscCall(NAPIGemm("N", "N", m[0], 1, m[1], 1.0, t, ldt, c[1], m[1], 0.0, coef, m[0]));
    PetscCall(NAPIGemm("C", "N", m[1], 1, m[0], 1.0, t, ldt, c[0], m[0], 0.0, c[1], m[1]));
  } else PetscCall(NAPIGemm("N", "N", m[0], 1, m[0], 1.0, t, ldt, c[0], m[0], 0.0, coef, m[0]));
  PetscCall(PetscArraycpy(c[0], coef, m[0]));
  for (PetscInt i = 0; i < w->nsides; i++) PetscCall(MatDenseRestoreArray(w->side[i].C, &c[i]));
  PetscCall(MatDenseRestoreArrayRead(w->T, &t));
  PetscCall(PetscFree(coef));
  for (PetscInt i = 0; i < w->nsides; i++) {
    NAPIWindowSide *s = &w->side[i];

    PetscCall(BVNormColumn(s->R, 0, NORM_2, &before));
    PetscCall(BVMult(s->R, -1.0, 1.0, s->scaled, s->C));
    PetscCall(BVNormColumn(s->R, 0, NORM_2, &after));
    if (after > rounding * before) *new = PETSC_TRUE;
    else PetscCall(BVScaleColumn(s->R, 0, 0.0));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIWindowProbe - Was anything missed? What the bases have no part in cannot be seen in them. A random vector, orthogonal to all
   of them, starts an iteration of its own in the orthogonal complement, one column a step with a single inner iteration. It is a part
   of the window from then on, so that whatever it finds comes up in the next Rayleigh-Ritz. The cost is a small part of what was
   spent. A probe that has found nothing but rounding, or that contradicts what is carried along, leaves no trace.

   its    - steps so far
   spent  - columns A and B were applied to so far, divided by those that a step of the probe costs
*/
PetscErrorCode NAPIWindowProbe(NAPIWindow *w, PetscInt its, PetscReal spent, PetscBool *useful)
{
  const PetscReal share = 0.04;        /* of what was spent */
  const PetscInt  least = 2, most = 5; /* steps: with one it would see no more than the mean of the spectrum */
  const PetscInt  brief   = 8;         /* steps of the iteration: one as short as this has seen little, and gets most */
  const PetscReal nothing = 1e-7;      /* of a vector is left outside of the window: B, or the problem, has no more to offer */
  PetscInt        steps   = PetscMin(PetscMax(its <= brief ? most : least, (PetscInt)(share * spent)), most), first[2], from[2], added;
  PetscReal       last = w->theta[w->k - 1], value, asymmetry = 0.0;
  PetscBool       found = PETSC_FALSE, new = PETSC_TRUE, haveA;

  PetscFunctionBegin;
  if (NAPIWindowIsFull(w, steps)) PetscCall(NAPIWindowRestart(w, 0, steps));
  w->nold = 0; /* those coefficients were of another basis */
  for (PetscInt i = 0; i < 2; i++) first[i] = w->side[i].m;
  steps   = PetscMin(steps, w->max - NAPIWindowPairs(w));
  *useful = PETSC_FALSE;
  if (steps < 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(NAPIWindowAddStart(w, -1, 1, &added));
  for (PetscInt step = 1; step < steps && added && !w->status && w->cancel > nothing; step++) {
    for (PetscInt i = 0; i < w->nsides; i++) from[i] = w->side[i].m == first[i] ? 0 : first[i]; /* a basis that is everything is its own complement */
    PetscCall(NAPIWindowLeading(w, from, &value));
    PetscCall((*w->ops->precedes)(w->ctx, value, last, &found));
    if (found) break;
    PetscCall(NAPIStep_ResidualOutside(w, &new));
    if (!new) break;
    PetscCall((*w->ops->solve)(w->ctx, 1, NAPI_LOOSE, 1, &haveA, &w->inner));
    if (!w->status) PetscCall(NAPIWindowExpand(w, 1, haveA, &added));
  }
  if (!w->status) PetscCall(NAPIWindowAsymmetry(w, first, &asymmetry));
  *useful = (PetscBool)(!w->status && w->cancel > nothing && asymmetry <= PetscMax(1e-10, 0.1 * w->tol) * PetscAbsReal(w->theta[0]));
  if (!*useful) {
    PetscCall(PetscInfo(w->obj, "The check was of no use\n"));
    w->status = NAPI_BASIS_OK;
    for (PetscInt i = 0; i < w->nsides; i++) w->side[i].m = first[i];
    PetscCall(NAPIWindowSetActive(w));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
