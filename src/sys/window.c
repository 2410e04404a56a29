/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The window: B-orthonormal bases that grow by blocks and restart by coefficient matrices, and the problem that A becomes in
   them. Their products with A and B are carried along, so that nothing is ever multiplied twice. An eigenproblem has one basis,
   T = V'A V; a pair [0 A; A' 0] may have one for each of its halves, T = U'A V, which makes twice as many directions of the
   same products. All work on long vectors is BLAS-3.

   This file has the bases; what a step does with them is in step.c.
*/
#include <slepcnapi/private/napiwindow.h>

/* ------------------------------------------------- set-up ------------------------------------------------- */

#define NAPI_WIDE 8 /* columns of a block: wider ones gain less than they cost in dense work, unless there are many pairs */

/* NAPIWindowBlock - Pairs worked on in a step, of k: a block of one can miss one of a pair +-lambda; with many, dense work is most, which wide blocks do faster */
PetscInt NAPIWindowBlock(PetscInt k)
{
  const PetscInt narrow = 2, part = 5;

  return PetscMax(PetscMax(narrow, PetscMin(k, NAPI_WIDE)), k / part);
}

/*
   NAPIWindowDimensions - The sizes of a window for k pairs.

   n, most                 - as many as there can be at all, and columns that a basis can have
   blocksize, restart, ncv - what the user wants, or NAPI_UNSET
   bs, keep, max           - pairs worked on in a step, kept at a restart, columns of a basis
   least                   - columns a basis needs: for the user's ncv to be compared with
*/
PetscErrorCode NAPIWindowDimensions(PetscInt k, PetscInt n, PetscInt most, PetscInt blocksize, PetscInt restart, PetscInt ncv, PetscInt *bs, PetscInt *keep, PetscInt *max, PetscInt *least)
{
  const PetscInt past = 5, few = 12; /* blocks between restarts, and columns at least: memory and dense work against products */
  const PetscInt more = 8;           /* the same where blocks are wider: a restart costs as many columns as are kept */

  PetscFunctionBegin;
  *bs = PetscMin(blocksize == NAPI_UNSET ? NAPIWindowBlock(k) : blocksize, n);
  if (ncv != NAPI_UNSET && blocksize == NAPI_UNSET) *bs = PetscMax(1, PetscMin(*bs, (ncv - k) / 3));
  *keep  = restart == NAPI_UNSET ? k + 2 * *bs : PetscMax(k, restart);
  *max   = ncv == NAPI_UNSET ? *keep + PetscMax((*bs > NAPI_WIDE ? more : past) * *bs, few) : ncv;
  *least = PetscMin(k + 2 * *bs, n);
  *max   = PetscMax(1, PetscMin(*max, most));
  *keep  = PetscMax(k, PetscMin(*keep, *max - 2 * *bs)); /* room for the kept directions and a new block */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A BV like another one, of n columns, with plain inner products */
static PetscErrorCode NAPIWindow_Duplicate(BV V, PetscInt n, BV *W)
{
  PetscFunctionBegin;
  PetscCall(BVDuplicateResize(V, n, W));
  PetscCall(BVSetMatrix(*W, NULL, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIWindowCreate - Memory for bases of room columns, which are the V of each side, and blocks of width. The owner sets ops,
   ctx, error, k, bs, keep, tol, and dim and Y of the sides.
*/
PetscErrorCode NAPIWindowCreate(PetscObject obj, PetscInt nsides, BV V[], PetscInt room, PetscInt width, NAPISmall *small, NAPIWindow *w)
{
  PetscFunctionBegin;
  w->obj    = obj;
  w->nsides = nsides;
  w->room = w->max = room;
  w->width         = width;
  w->small         = small;
  for (PetscInt i = 0; i < nsides; i++) {
    NAPIWindowSide *s      = &w->side[i];
    BV              across = V[nsides - 1 - i];

    PetscCall(PetscObjectReference((PetscObject)V[i]));
    s->V.X = V[i];
    PetscCall(NAPIWindow_Duplicate(across, room, &s->V.AX));
    PetscCall(NAPIWindow_Duplicate(V[i], width, &s->D.X));
    PetscCall(NAPIWindow_Duplicate(across, width, &s->D.AX));
    PetscCall(NAPIWindow_Duplicate(V[i], width, &s->R));
    PetscCall(NAPIWindow_Duplicate(V[i], width, &s->BW));
    PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, room, room, NULL, &s->C));
    PetscCall(PetscMalloc2(room * room, &s->Q, room * width, &s->old));
  }
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, room, room, NULL, &w->T));
  PetscCall(PetscCalloc3(room, &w->theta, room, &w->locked, room + 1, &w->look));
  w->effort.room = room;
  PetscCall(PetscCalloc1(4 * room, &w->effort.value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NAPIWindowStart - Empty bases, for an inner product B or the identity; Y of the sides is known by now */
PetscErrorCode NAPIWindowStart(NAPIWindow *w, PetscBool identity)
{
  PetscInt rows = w->room;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < w->nsides; i++) {
    NAPIWindowSide *s = &w->side[i];

    if (!identity && !s->BV_) {
      PetscCall(NAPIWindow_Duplicate(s->V.X, w->room, &s->BV_));
      PetscCall(NAPIWindow_Duplicate(s->V.X, w->width, &s->BD_));
    }
    s->V.BX   = identity ? s->V.X : s->BV_;
    s->D.BX   = identity ? s->D.X : s->BD_;
    s->dual   = s->V.X;
    s->scaled = s->V.BX;
    s->m      = 0;
    s->drift  = 0.0;
    rows      = PetscMax(rows, s->ny);
  }
  PetscCall(MatDestroy(&w->H));
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, rows, w->room, NULL, &w->H));
  w->nold = w->inner = w->nconv = w->fixed = 0;
  w->cancel                                = 1.0;
  w->status                                = NAPI_BASIS_OK;
  PetscCall(NAPIEffortStart(&w->effort));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NAPIWindowGrow - Memory for bases of room columns, whose V have it already; what is in them is kept, but not their pairs, which NAPIWindowSolve() gives */
PetscErrorCode NAPIWindowGrow(NAPIWindow *w, PetscInt room)
{
  const PetscInt m = w->side[0].m, n = w->side[w->nsides - 1].m, before = w->room;
  PetscReal     *theta, *locked;
  PetscInt      *look, rows, ldt;
  PetscScalar   *to, *from;
  Mat            T;

  PetscFunctionBegin;
  if (room <= before) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < w->nsides; i++) {
    NAPIWindowSide *s = &w->side[i];

    PetscCall(BVResize(s->V.AX, room, PETSC_TRUE));
    if (s->BV_) PetscCall(BVResize(s->BV_, room, PETSC_TRUE));
    PetscCall(MatDestroy(&s->C));
    PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, room, room, NULL, &s->C));
    PetscCall(PetscFree2(s->Q, s->old));
    PetscCall(PetscMalloc2(room * room, &s->Q, room * w->width, &s->old));
  }
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, room, room, NULL, &T));
  PetscCall(MatDenseGetLDA(w->T, &ldt));
  PetscCall(MatDenseGetArray(w->T, &from));
  PetscCall(MatDenseGetArray(T, &to));
  for (PetscInt j = 0; j < n; j++) PetscCall(PetscArraycpy(to + j * room, from + j * ldt, m));
  PetscCall(MatDenseRestoreArray(T, &to));
  PetscCall(MatDenseRestoreArray(w->T, &from));
  PetscCall(MatDestroy(&w->T));
  w->T = T;
  PetscCall(MatGetSize(w->H, &rows, NULL));
  PetscCall(MatDestroy(&w->H));
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, PetscMax(rows, room), room, NULL, &w->H));
  PetscCall(PetscCalloc3(room, &theta, room, &locked, room + 1, &look));
  PetscCall(PetscArraycpy(theta, w->theta, before));
  PetscCall(PetscArraycpy(locked, w->locked, before));
  PetscCall(PetscFree3(w->theta, w->locked, w->look));
  w->theta  = theta;
  w->locked = locked;
  w->look   = look;
  w->nold   = 0;
  w->room   = room;
  if (w->nsides == 1) PetscCall(NAPISmallGrow(w->small, room));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NAPIWindowDestroy(NAPIWindow *w)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < w->nsides; i++) {
    NAPIWindowSide *s     = &w->side[i];
    BV             *all[] = {&s->V.X, &s->BV_, &s->V.AX, &s->D.X, &s->BD_, &s->D.AX, &s->R, &s->BW};

    for (size_t j = 0; j < PETSC_STATIC_ARRAY_LENGTH(all); j++) PetscCall(BVDestroy(all[j]));
    PetscCall(MatDestroy(&s->C));
    PetscCall(PetscFree2(s->Q, s->old));
  }
  PetscCall(MatDestroy(&w->T));
  PetscCall(MatDestroy(&w->H));
  PetscCall(PetscFree3(w->theta, w->locked, w->look));
  PetscCall(PetscFree(w->effort.value));
  PetscCall(PetscMemzero(w, sizeof(*w)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- columns in use ------------------------------------------------- */

static PetscErrorCode NAPIWindow_SetActive(const NAPIBlock *block, PetscInt first, PetscInt last)
{
  PetscFunctionBegin;
  PetscCall(BVSetActiveColumns(block->X, first, last));
  PetscCall(BVSetActiveColumns(block->BX, first, last));
  PetscCall(BVSetActiveColumns(block->AX, first, last));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NAPIWindowSetActive - All columns of the bases that are in use */
PetscErrorCode NAPIWindowSetActive(NAPIWindow *w)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < w->nsides; i++) PetscCall(NAPIWindow_SetActive(&w->side[i].V, 0, w->side[i].m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NAPIWindowSetBlock - The first n columns of the blocks */
PetscErrorCode NAPIWindowSetBlock(NAPIWindow *w, PetscInt n)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < w->nsides; i++) {
    PetscCall(NAPIWindow_SetActive(&w->side[i].D, 0, n));
    PetscCall(BVSetActiveColumns(w->side[i].R, 0, n));
    PetscCall(BVSetActiveColumns(w->side[i].BW, 0, n));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NAPIWindowPairs - How many pairs T has */
PetscInt NAPIWindowPairs(const NAPIWindow *w)
{
  return PetscMin(w->side[0].m, w->side[w->nsides - 1].m);
}

/* NAPIWindowIsFull - Whether n more columns need a restart: one that may hold everything is never restarted */
PetscBool NAPIWindowIsFull(const NAPIWindow *w, PetscInt n)
{
  const NAPIWindowSide *u = &w->side[0], *v = &w->side[w->nsides - 1];

  return (PetscBool)(w->max < PetscMax(u->dim, v->dim) && PetscMax(u->m, v->m) + n > w->max);
}

/* ------------------------------------------------- the projected problem ------------------------------------------------- */

/* NAPIWindowProject - The rows and columns of T from the given ones on: T = U'A V, where the first side is U and the last is V */
PetscErrorCode NAPIWindowProject(NAPIWindow *w, const PetscInt first[], PetscBool *sane)
{
  const PetscInt  o = w->nsides - 1;
  NAPIWindowSide *u = &w->side[0], *v = &w->side[o];
  PetscScalar    *t;
  PetscInt        ld;

  PetscFunctionBegin;
  *sane = PETSC_TRUE;
  PetscCall(BVSetActiveColumns(u->dual, 0, u->m));
  PetscCall(BVSetActiveColumns(v->V.AX, first[o], v->m));
  if (v->m > first[o]) PetscCall(NAPIDot(v->V.AX, u->dual, w->T)); /* U'A V_new */
  if (o && u->m > first[0] && first[o]) {
    PetscCall(BVSetActiveColumns(u->dual, first[0], u->m));
    PetscCall(BVSetActiveColumns(v->V.AX, 0, first[o]));
    PetscCall(NAPIDot(v->V.AX, u->dual, w->T)); /* U_new'A V_old */
  }
  PetscCall(NAPIWindowSetActive(w));
  PetscCall(MatDenseGetLDA(w->T, &ld));
  PetscCall(MatDenseGetArray(w->T, &t));
  if (!o) PetscCall(NAPIHermitianPart(first[0], u->m, t, ld, t, ld, sane));
  for (PetscInt j = 0; j < v->m && o; j++)
    for (PetscInt i = j < first[o] ? first[0] : 0; i < u->m; i++)
      if (!NAPIIsSane(t[i + j * ld])) *sane = PETSC_FALSE;
  PetscCall(MatDenseRestoreArray(w->T, &t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The pairs of T without its first rows and columns: values to theta, and vectors of length m - first to
   the Q of each side
*/
static PetscErrorCode NAPIWindow_SolveTrailing(NAPIWindow *w, const PetscInt first[], PetscReal theta[], PetscScalar *const Q[])
{
  const PetscInt     o = w->nsides - 1, m = w->side[0].m - first[0], n = w->side[o].m - first[o];
  const PetscScalar *t;
  PetscScalar       *a   = w->small->E;
  PetscInt           lda = m, ldt;

  PetscFunctionBegin;
  if (o) {
    PetscCall(MatDenseGetLDA(w->H, &lda));
    PetscCall(MatDenseGetArrayWrite(w->H, &a));
  }
  PetscCall(MatDenseGetLDA(w->T, &ldt));
  PetscCall(MatDenseGetArrayRead(w->T, &t));
  for (PetscInt j = 0; j < n; j++) PetscCall(PetscArraycpy(a + j * lda, t + first[0] + (first[o] + j) * ldt, m));
  PetscCall(MatDenseRestoreArrayRead(w->T, &t));
  if (o) {
    PetscCall(NAPISingular(PetscObjectComm(w->obj), m, n, a, lda, theta, Q[0], Q[1]));
    PetscCall(MatDenseRestoreArrayWrite(w->H, &a));
  } else {
    PetscCall(NAPISmallEigen(w->small, m));
    PetscCall(PetscArraycpy(Q[0], w->small->Q, m * m));
    PetscCall(PetscArraycpy(theta, w->small->theta, m));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The fixed columns of the bases are pairs by themselves: theta and Q := their values and unit vectors, and those of the rest of T behind them */
static PetscErrorCode NAPIWindow_SolveRest(NAPIWindow *w)
{
  const PetscInt     fixed = w->fixed, rest[2] = {fixed, fixed}, pairs = NAPIWindowPairs(w);
  const PetscScalar *t;
  PetscScalar       *Q[2] = {NULL, NULL};
  PetscInt           ldt;

  PetscFunctionBegin;
  PetscCall(MatDenseGetLDA(w->T, &ldt));
  PetscCall(MatDenseGetArrayRead(w->T, &t));
  for (PetscInt j = 0; j < fixed; j++) w->theta[j] = PetscRealPart(t[j + j * ldt]);
  PetscCall(MatDenseRestoreArrayRead(w->T, &t));
  for (PetscInt i = 0; i < w->nsides; i++) Q[i] = w->side[i].Q;
  PetscCall(NAPIWindow_SolveTrailing(w, rest, w->theta + fixed, Q));
  for (PetscInt i = 0; i < w->nsides; i++) {
    const PetscInt m = w->side[i].m;

    for (PetscInt j = pairs - 1; j >= 0; j--) { /* from the last on, since they are moved to where others were */
      PetscScalar *q = Q[i] + j * m;

      if (j >= fixed) PetscCall(PetscArraymove(q + fixed, Q[i] + (j - fixed) * (m - fixed), m - fixed));
      PetscCall(PetscArrayzero(q, j >= fixed ? fixed : m));
      if (j < fixed) q[j] = 1.0;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIWindowSolve - theta and Q := the pairs of T, in the order wanted. Fixed columns stay what they are, unless a value of the others
   comes before one of theirs.
*/
PetscErrorCode NAPIWindowSolve(NAPIWindow *w)
{
  const PetscInt     all[2] = {0, 0};
  PetscScalar *const Q[2]   = {w->side[0].Q, w->side[1].Q};
  PetscBool          late   = PETSC_FALSE;

  PetscFunctionBegin;
  if (w->fixed >= NAPIWindowPairs(w)) w->fixed = 0;
  if (w->fixed) PetscCall(NAPIWindow_SolveRest(w));
  for (PetscInt j = 0; j < w->fixed && !late; j++) PetscCall((*w->ops->precedes)(w->ctx, w->theta[w->fixed], w->theta[j], &late));
  if (late) w->fixed = 0;
  if (!w->fixed) PetscCall(NAPIWindow_SolveTrailing(w, all, w->theta, Q));
  PetscCall(NAPIWindowSetActive(w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIWindowCoupling - How much of the fixed columns is in A times the vectors with the n coefficients C, which have no part in
   them: the largest norm, relative to the values of the pairs at these positions. It is a part of their residuals that expanding
   the bases cannot take away.
*/
PetscErrorCode NAPIWindowCoupling(NAPIWindow *w, PetscInt n, const PetscInt at[], PetscReal coupling[])
{
  const PetscInt     fixed = w->fixed, o = w->nsides - 1;
  const PetscScalar *t;
  PetscScalar       *c, *h;
  PetscInt           ldt, ldc;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(coupling, n));
  if (!fixed) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(fixed * n, &h));
  PetscCall(MatDenseGetLDA(w->T, &ldt));
  PetscCall(MatDenseGetArrayRead(w->T, &t));
  for (PetscInt i = 0; i < w->nsides; i++) { /* T q, and of a pair T'p, too */
    NAPIWindowSide *s = &w->side[i];

    PetscCall(MatDenseGetLDA(s->C, &ldc));
    PetscCall(MatDenseGetArray(s->C, &c));
    if (i == o) PetscCall(NAPIGemm("N", "N", fixed, n, s->m - fixed, 1.0, t + fixed * ldt, ldt, c + fixed, ldc, 0.0, h, fixed));
    else PetscCall(NAPIGemm("C", "N", fixed, n, s->m - fixed, 1.0, t + fixed, ldt, c + fixed, ldc, 0.0, h, fixed));
    PetscCall(MatDenseRestoreArray(s->C, &c));
    for (PetscInt j = 0; j < n; j++) {
      PetscReal square = 0.0;

      for (PetscInt l = 0; l < fixed; l++) square += PetscRealPart(h[l + j * fixed] * PetscConj(h[l + j * fixed]));
      coupling[j] = PetscMax(coupling[j], PetscSqrtReal(square) / PetscAbsReal(w->theta[at[j]]));
    }
  }
  PetscCall(MatDenseRestoreArrayRead(w->T, &t));
  PetscCall(PetscFree(h));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NAPIWindowCoefficients - C := the vectors of T at n positions, or the first n (NULL) */
PetscErrorCode NAPIWindowCoefficients(NAPIWindow *w, PetscInt n, const PetscInt at[])
{
  PetscScalar *c;
  PetscInt     ld;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < w->nsides; i++) {
    NAPIWindowSide *s = &w->side[i];

    PetscCall(MatDenseGetLDA(s->C, &ld));
    PetscCall(MatDenseGetArrayWrite(s->C, &c));
    for (PetscInt j = 0; j < n; j++) PetscCall(PetscArraycpy(c + j * ld, s->Q + (at ? at[j] : j) * s->m, s->m));
    PetscCall(MatDenseRestoreArrayWrite(s->C, &c));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIWindowLeading - C := the first vectors of T without its first rows and columns, as coefficients in all of the bases, and
   its first value
*/
PetscErrorCode NAPIWindowLeading(NAPIWindow *w, const PetscInt first[], PetscReal *value)
{
  PetscScalar *Q[2] = {NULL, NULL}, *c;
  PetscReal   *theta;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(w->room, &theta, w->room * w->room, &Q[0], w->room * w->room, &Q[1]));
  PetscCall(NAPIWindow_SolveTrailing(w, first, theta, Q));
  for (PetscInt i = 0; i < w->nsides; i++) {
    PetscCall(MatDenseGetArrayWrite(w->side[i].C, &c));
    PetscCall(PetscArrayzero(c, first[i]));
    PetscCall(PetscArraycpy(c + first[i], Q[i], w->side[i].m - first[i]));
    PetscCall(MatDenseRestoreArrayWrite(w->side[i].C, &c));
  }
  *value = theta[0];
  PetscCall(PetscFree3(theta, Q[0], Q[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIWindowAsymmetry - How far A V and A'U contradict each other between columns before the first of these and later ones: what
   has been carried along may have drifted
*/
PetscErrorCode NAPIWindowAsymmetry(NAPIWindow *w, const PetscInt first[], PetscReal *asymmetry)
{
  const PetscInt     o = w->nsides - 1;
  NAPIWindowSide    *u = &w->side[0], *v = &w->side[o];
  const PetscScalar *t, *h;
  PetscInt           ldt, ldh;

  PetscFunctionBegin;
  *asymmetry = 0.0;
  if (!first[0] || first[o] == v->m) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(BVSetActiveColumns(u->V.AX, 0, first[0]));
  PetscCall(BVSetActiveColumns(v->dual, first[o], v->m));
  PetscCall(NAPIDot(v->dual, u->V.AX, w->H)); /* (A'U)'V */
  PetscCall(NAPIWindowSetActive(w));
  PetscCall(MatDenseGetLDA(w->T, &ldt));
  PetscCall(MatDenseGetLDA(w->H, &ldh));
  PetscCall(MatDenseGetArrayRead(w->T, &t));
  PetscCall(MatDenseGetArrayRead(w->H, &h));
  for (PetscInt j = first[o]; j < v->m; j++)
    for (PetscInt i = 0; i < first[0]; i++) *asymmetry = PetscMax(*asymmetry, PetscAbsScalar(t[i + j * ldt] - h[i + j * ldh]));
  PetscCall(MatDenseRestoreArrayRead(w->H, &h));
  PetscCall(MatDenseRestoreArrayRead(w->T, &t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- expansion ------------------------------------------------- */

/*
   Makes the nd columns of a side's D B-orthonormal, and B-orthogonal to Y and V; B D follows, and so does A D where it is known
   already (not with a Y).

   nd     - on exit the columns that are left: what lies in the span of V to working accuracy is dropped
   cancel - the factor by which a column shrank in all; B D has lost as many digits
*/
static PetscErrorCode NAPIWindow_Orthonormalize(NAPIWindow *w, NAPIWindowSide *s, PetscBool haveA, PetscInt *nd, PetscReal *cancel)
{
  const PetscInt  maxpass  = 8;     /* nothing but rounding is never orthogonal to anything */
  const PetscReal halved   = 0.25;  /* of a square: a projection that halves no column leaves it orthogonal to rounding; otherwise it has to be repeated */
  const PetscReal rounding = 1e-24; /* of a square: a unit vector that shrank below 1e-12 */
  const BV        AD       = haveA ? s->D.AX : NULL;
  PetscReal       smallest = 0.0;

  PetscFunctionBegin;
  *cancel = 1.0;
  if (!*nd) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(NAPIWindow_SetActive(&s->D, 0, *nd));
  PetscCall(NAPIOrthonormalizeStep(w->small, s->D.X, s->D.BX, AD, w->H, *nd, nd, &smallest, &w->status));
  if (*nd && !w->status) *cancel = PetscSqrtReal(PetscMin(1.0, w->small->least)); /* columns that were nearly dependent have cancelled, too */
  smallest = 0.0;
  for (PetscInt pass = 0; pass < maxpass && smallest < halved && *nd && !w->status; pass++) {
    PetscCall(NAPIWindow_SetActive(&s->D, 0, *nd));
    if (s->ny) PetscCall(NAPIProject(s->D.X, s->D.BX, NULL, s->Y, s->BY, NULL, s->Ydual, w->H));
    if (s->m) PetscCall(NAPIProject(s->D.X, s->D.BX, AD, s->V.X, s->V.BX, s->V.AX, s->V.BX, w->H));
    smallest = rounding;
    PetscCall(NAPIOrthonormalizeStep(w->small, s->D.X, s->D.BX, AD, w->H, *nd, nd, &smallest, &w->status));
    *cancel *= PetscSqrtReal(PetscMin(1.0, smallest));
  }
  if (smallest < halved && !w->status) *nd = 0;
  PetscCall(NAPIWindow_SetActive(&s->D, 0, *nd));
  if (*nd && !w->status && w->ops->purge) {
    const PetscInt before = *nd;

    PetscCall((*w->ops->purge)(w->ctx, (PetscInt)(s - w->side), haveA, nd));
    if (*nd < before) *cancel = 0.0; /* the others were mixed with rounding */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest entry of V'B D for a block that is B-orthogonal to V: what is not 0 is error in B D or B V */
static PetscErrorCode NAPIWindow_Defect(NAPIWindow *w, NAPIWindowSide *s, PetscInt nd, PetscReal *defect)
{
  const PetscScalar *h;
  PetscInt           ld;

  PetscFunctionBegin;
  *defect = 0.0;
  if (!s->m) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(NAPIDot(s->D.BX, s->V.X, w->H)); /* V'(B D) */
  PetscCall(MatDenseGetLDA(w->H, &ld));
  PetscCall(MatDenseGetArrayRead(w->H, &h));
  for (PetscInt j = 0; j < nd; j++)
    for (PetscInt i = 0; i < s->m; i++) *defect = PetscMax(*defect, PetscAbsScalar(h[i + j * ld]));
  PetscCall(MatDenseRestoreArrayRead(w->H, &h));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIWindowExpand - Makes the first n columns of D, with B D and, if that is there, A D, part of the bases. added is how many, of
   all sides together, were worth it. A status that is not OK leaves the bases as they were.
*/
PetscErrorCode NAPIWindowExpand(NAPIWindow *w, PetscInt n, PetscBool haveA, PetscInt *added)
{
  const PetscReal lost = 1e-6, shrunk = 1e-2, drift = 1e-11; /* what cancels amplifies the errors of B V, step by step: V'B D, which is 0, tells where much may have come together */
  PetscInt        nd[2] = {0, 0}, first[2] = {w->side[0].m, w->side[1].m}, most = 0;
  PetscBool       sane = PETSC_TRUE;

  PetscFunctionBegin;
  *added    = 0;
  w->cancel = 0.0;
  w->status = NAPI_BASIS_OK;
  PetscCall(PetscLogEventBegin(w->ortho, w->obj, 0, 0, 0));
  PetscCall(NAPIWindowSetActive(w));
  for (PetscInt i = 0; i < w->nsides && !w->status; i++) {
    NAPIWindowSide *s      = &w->side[i];
    PetscReal       defect = 0.0, cancel;
    PetscInt        before = nd[i] = PetscMin(n, PetscMin(w->max, s->dim) - s->m);

    PetscCall(NAPIWindow_Orthonormalize(w, s, haveA, &nd[i], &cancel));
    if (w->status == NAPI_BASIS_INDEFINITE && s->D.BX != s->D.X) { /* by a B D that was carried along, of which rounding may be all that is left: fresh products decide */
      w->status = NAPI_BASIS_OK;
      cancel    = 0.0;
    }
    if (before > 0) w->cancel = PetscMax(w->cancel, cancel);
    if (w->status || !nd[i] || s->D.BX == s->D.X) continue;
    s->drift = PetscMax(s->drift, PETSC_MACHINE_EPSILON) / PetscMax(cancel, lost);
    if (cancel < shrunk || s->drift > drift) {
      PetscCall(NAPIWindow_Defect(w, s, nd[i], &defect));
      s->drift = defect;
    }
    if (cancel >= lost && defect <= drift) continue;
    haveA = PETSC_FALSE; /* B D has lost as many digits, and so has A D */
    PetscCall((*w->ops->applyb)(w->ctx, i));
    PetscCall(NAPIWindow_Orthonormalize(w, s, haveA, &nd[i], &cancel));
  }
  PetscCall(PetscLogEventEnd(w->ortho, w->obj, 0, 0, 0));
  if (w->status) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < w->nsides; i++) most = PetscMax(most, nd[i]);
  if (!haveA && most) { /* the shorter block is filled up by zeros */
    for (PetscInt i = 0; i < w->nsides; i++)
      for (PetscInt j = nd[i]; j < most; j++) PetscCall(BVScaleColumn(w->side[i].D.X, j, 0.0));
    PetscCall(NAPIWindowSetBlock(w, most));
    PetscCall((*w->ops->applya)(w->ctx));
  }
  for (PetscInt i = 0; i < w->nsides; i++) {
    NAPIWindowSide *s = &w->side[i];

    if (!nd[i]) continue;
    PetscCall(NAPIWindow_SetActive(&s->D, 0, nd[i]));
    PetscCall(NAPIWindow_SetActive(&s->V, s->m, s->m + nd[i]));
    PetscCall(BVCopy(s->D.X, s->V.X));
    if (s->V.BX != s->V.X) PetscCall(BVCopy(s->D.BX, s->V.BX));
    PetscCall(BVCopy(s->D.AX, s->V.AX));
    s->m += nd[i];
    *added += nd[i];
  }
  PetscCall(NAPIWindowProject(w, first, &sane));
  if (!sane) {
    w->status = NAPI_BASIS_NOT_FINITE;
    for (PetscInt i = 0; i < w->nsides; i++) w->side[i].m = first[i]; /* what was there before is sound */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NAPIWindowAddStart - n vectors of the initial space from a position on, or random ones (-1), become part of the bases */
PetscErrorCode NAPIWindowAddStart(NAPIWindow *w, PetscInt position, PetscInt n, PetscInt *added)
{
  PetscBool haveA;
  PetscInt  chunk, new;

  PetscFunctionBegin;
  *added    = 0;
  w->status = NAPI_BASIS_OK;
  for (PetscInt taken = 0; taken < n && !w->status; taken += chunk) {
    chunk = PetscMin(w->width, n - taken);
    PetscCall(NAPIWindowSetBlock(w, chunk));
    PetscCall((*w->ops->start)(w->ctx, position < 0 ? -1 : position + taken, chunk, &haveA));
    PetscCall(NAPIWindowExpand(w, chunk, haveA, &new));
    *added += new;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- restart ------------------------------------------------- */

/* Behind n orthonormal columns of c come the nold of old, orthonormalised against them and each other; those with nothing new are left out */
static PetscErrorCode NAPIWindow_KeepDirections(PetscInt m, PetscInt *n, PetscScalar *c, PetscInt ld, PetscInt nold, const PetscScalar *old, PetscInt ldold)
{
  const PetscReal nothing = 1e-6; /* of a unit vector that is left: its direction would have lost as many digits */
  PetscScalar    *dots;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(*n + nold, &dots));
  for (PetscInt j = 0; j < nold; j++) {
    PetscScalar *p    = c + *n * ld;
    PetscReal    norm = 1.0;

    PetscCall(PetscArraycpy(p, old + j * ldold, m));
    for (int pass = 0; pass < 2 && norm > nothing; pass++) {
      PetscCall(NAPIGemm("C", "N", *n, 1, m, 1.0, c, ld, p, m, 0.0, dots, *n));
      PetscCall(NAPIGemm("N", "N", m, 1, *n, -1.0, c, ld, dots, *n, 1.0, p, m));
      norm = 0.0;
      for (PetscInt i = 0; i < m; i++) norm += PetscRealPart(p[i] * PetscConj(p[i]));
      norm = PetscSqrtReal(norm);
      for (PetscInt i = 0; i < m && norm > nothing; i++) p[i] /= norm;
    }
    if (norm > nothing) ++*n;
  }
  PetscCall(PetscFree(dots));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIWindowRestart - Thick restart: V := V C with C = [Q(:,1:keep), P], P being the coefficients of the pairs of the step before,
   orthonormalised against the others, which is the momentum term; as many of them as leave room for nd columns. Of the b pairs
   at the positions look, the last may be one from farther behind, which then takes the last place of the kept ones. On exit look
   has their new positions.

   The columns that are fixed are left as they are: of C they have unit vectors, and nothing else has a part in them. From now on those
   of the pairs that have converged are.
*/
PetscErrorCode NAPIWindowRestart(NAPIWindow *w, PetscInt b, PetscInt nd)
{
  const PetscInt o    = w->nsides - 1;
  PetscInt       kept = PetscMin(w->keep, NAPIWindowPairs(w)), n[2], ld[2], ldt, *at;
  PetscScalar   *c[2], *t, *work;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(w->ritz, w->obj, 0, 0, 0));
  PetscCall(PetscMalloc1(kept + 1, &at));
  for (PetscInt j = 0; j < kept; j++) at[j] = j;
  if (b && w->look[b - 1] >= kept) {
    if (kept == w->k) kept++;
    at[kept - 1]   = w->look[b - 1];
    w->look[b - 1] = kept - 1;
  }
  PetscCall(NAPIWindowCoefficients(w, kept, at));
  PetscCall(PetscFree(at));
  for (PetscInt i = 0; i < w->nsides; i++) {
    n[i] = kept;
    PetscCall(MatDenseGetLDA(w->side[i].C, &ld[i]));
    PetscCall(MatDenseGetArray(w->side[i].C, &c[i]));
    PetscCall(NAPIWindow_KeepDirections(w->side[i].m, &n[i], c[i], ld[i], PetscMax(0, PetscMin(w->nold, w->max - nd - kept)), w->side[i].old, w->room));
  }
  PetscCall(PetscMalloc1(w->side[0].m * n[o], &work));
  PetscCall(MatDenseGetLDA(w->T, &ldt));
  PetscCall(MatDenseGetArray(w->T, &t));
  PetscCall(NAPIGemm("N", "N", w->side[0].m, n[o], w->side[o].m, 1.0, t, ldt, c[o], ld[o], 0.0, work, w->side[0].m)); /* T := C_u'T C_v */
  PetscCall(NAPIGemm("C", "N", n[0], n[o], w->side[0].m, 1.0, c[0], ld[0], work, w->side[0].m, 0.0, t, ldt));
  if (!o) PetscCall(NAPIHermitianPart(0, n[0], t, ldt, t, ldt, NULL));
  PetscCall(MatDenseRestoreArray(w->T, &t));
  PetscCall(PetscFree(work));
  PetscCall(NAPIWindowSetActive(w));
  for (PetscInt i = 0; i < w->nsides; i++) {
    NAPIWindowSide *s = &w->side[i];

    PetscCall(MatDenseRestoreArray(s->C, &c[i]));
    PetscCall(NAPIWindow_SetActive(&s->V, w->fixed, s->m));
    PetscCall(BVMultInPlace(s->V.X, s->C, w->fixed, n[i]));
    if (s->V.BX != s->V.X) PetscCall(BVMultInPlace(s->V.BX, s->C, w->fixed, n[i]));
    PetscCall(BVMultInPlace(s->V.AX, s->C, w->fixed, n[i]));
    s->m = n[i];
  }
  w->fixed = PetscMin(w->nconv, kept);
  PetscCall(NAPIWindowSetActive(w));
  PetscCall(PetscLogEventEnd(w->ritz, w->obj, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* C := E L^{-1/2} with V'B V = E L E', which makes a basis orthonormal again; n columns, without those that have next to no length */
static PetscErrorCode NAPIWindow_Normalizer(NAPIWindow *w, NAPIWindowSide *s, PetscInt *n)
{
  const PetscReal lost = 1e-10; /* of a unit vector's square: as many digits of its products */
  PetscScalar    *h, *c;
  PetscReal      *lambda;
  PetscInt        ldh, ldc;
  PetscMPIInt     count;
  PetscBool       sane;

  PetscFunctionBegin;
  *n = 0;
  PetscCall(PetscMalloc1(s->m, &lambda));
  PetscCall(NAPIDot(s->V.BX, s->V.X, w->H));
  PetscCall(MatDenseGetLDA(w->H, &ldh));
  PetscCall(MatDenseGetLDA(s->C, &ldc));
  PetscCall(MatDenseGetArray(w->H, &h));
  PetscCall(MatDenseGetArrayWrite(s->C, &c));
  PetscCall(NAPIHermitianPart(0, s->m, h, ldh, h, ldh, &sane));
  if (sane) PetscCall(NAPIEigen(s->m, h, ldh, lambda));
  else w->status = NAPI_BASIS_NOT_FINITE;
  for (PetscInt j = 0; j < s->m && sane; j++) {
    if (!(lambda[j] > lost)) continue;
    for (PetscInt i = 0; i < s->m; i++) c[i + *n * ldc] = h[i + j * ldh] / PetscSqrtReal(lambda[j]);
    ++*n;
  }
  PetscCallMPI(MPI_Bcast(n, 1, MPIU_INT, 0, PetscObjectComm(w->obj))); /* other processors may round otherwise */
  PetscCall(PetscMPIIntCast(ldc * *n, &count));
  PetscCallMPI(MPI_Bcast(c, count, MPIU_SCALAR, 0, PetscObjectComm(w->obj)));
  PetscCall(MatDenseRestoreArrayWrite(s->C, &c));
  PetscCall(MatDenseRestoreArray(w->H, &h));
  PetscCall(PetscFree(lambda));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIWindowShift - B has become B + shift I, each side by its own: the bases are made orthonormal in the new B, and their products
   follow without any other. For a B that is not the identity, and no Y. A status that is not OK leaves bases that are of no use.
*/
PetscErrorCode NAPIWindowShift(NAPIWindow *w, const PetscReal shift[])
{
  const PetscInt all[2] = {0, 0};
  PetscInt       n;
  PetscBool      sane;

  PetscFunctionBegin;
  w->nold = w->inner = w->nconv = w->fixed = 0;
  w->status                                = NAPI_BASIS_OK;
  PetscCall(NAPIEffortStart(&w->effort));
  PetscCall(PetscLogEventBegin(w->ortho, w->obj, 0, 0, 0));
  PetscCall(NAPIWindowSetActive(w));
  for (PetscInt i = 0; i < w->nsides && !w->status; i++) {
    NAPIWindowSide *s        = &w->side[i];
    BV              blocks[] = {s->V.X, s->V.BX, s->V.AX};

    PetscCall(BVMult(s->V.BX, shift[i], 1.0, s->V.X, NULL));
    PetscCall(NAPIWindow_Normalizer(w, s, &n));
    for (size_t j = 0; j < PETSC_STATIC_ARRAY_LENGTH(blocks) && !w->status && n; j++) PetscCall(BVMultInPlace(blocks[j], s->C, 0, n));
    s->m = n;
  }
  PetscCall(NAPIWindowSetActive(w));
  if (!w->status) PetscCall(NAPIWindowProject(w, all, &sane));
  if (!w->status && !sane) w->status = NAPI_BASIS_NOT_FINITE;
  PetscCall(PetscLogEventEnd(w->ortho, w->obj, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}
