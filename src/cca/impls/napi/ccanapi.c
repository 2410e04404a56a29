/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA type "napi": NAPI with optimal momentum, one basis a view.

   The pair A = [0 S12; S12' 0], B = diag(S11, S22) of canonical correlation analysis falls into two halves. EPSNAPI does not
   know that; here each view has a basis of its own in the window (src/sys): U, S11-orthonormal, with S11 U and S12'U carried along,
   and V, S22-orthonormal, with S22 V and S12 V. From the same products this makes twice as many directions. One step (step.c):

     (1) T = U'S12 V = P diag(s) Q'
     (2) R_u = S12 V Q - S11 U P diag(s),  R_v = S12'U P - S22 V Q diag(s)  for the first pairs that have not converged
     (3) thick restart where the bases are full: canonical pairs, and those of the step before, orthogonalised
         against them, which is the momentum term
     (4) D_u ~ S11^{-1} R_u,  D_v ~ S22^{-1} R_v: NAPI's correction to the warm start, each in its own view
     (5) D_u and D_v orthonormalised against U and V, and within themselves
     (6) S12'D_u and S12 D_v; appended

   Where (4) is one application of the preconditioner, the products with A and B are made in one sweep over the data, which
   computes X D_u and Y D_v once for both.
*/
#include <slepcnapi/private/ccaimpl.h>

/* A relative residual below the level that has not become smaller by a tenth in so many steps is down to rounding */
#define CCA_NAPI_STAGNATION_STEPS 20
#define CCA_NAPI_STAGNATION_LEVEL 1e-10

/* From one ridge to a smaller one B V loses the digits of their ratio: up to this they are four, and 1e-12 is left */
#define CCA_NAPI_KEPT_RATIO 1e4

typedef struct {
  /* what the user chooses */
  PetscInt  blocksize, restart, ncv, max_it; /* or NAPI_UNSET */
  PetscReal rtol;
  PetscBool kspset; /* tolerance or iterations of the KSPs are set by their own options */

  NAPIWindow window; /* side 0 belongs to X, side 1 to Y */
  NAPISmall  small;  /* for the orthonormalisation of a block */
  PetscReal *sigma;  /* correlations of the pairs looked at */
  PetscReal *error;
  BV         start[2]; /* directions to begin with, or NULL */

  /* what the window was left with by the last solution */
  PetscBool kept;     /* it can be gone on with */
  PetscReal ridge[2]; /* those of its products with B */
} CCA_NAPI;

/* ------------------------------------------------- what the window asks of us ------------------------------------------------- */

/* A and, if wanted, B times the active columns of D */
static PetscErrorCode CCANAPI_Products(CCA cca, PetscBool both)
{
  CCA_NAPI       *ctx = (CCA_NAPI *)cca->data;
  NAPIWindowSide *s   = ctx->window.side;
  BV              D[] = {s[0].D.X, s[1].D.X}, AD[] = {s[0].D.AX, s[1].D.AX}, BD[] = {s[0].D.BX, s[1].D.BX};

  PetscFunctionBegin;
  PetscCall(CCAMultViews_Private(cca->A, both ? cca->B : NULL, D, AD, BD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* D := directions to begin with, from a column on, or new random ones; A D and B D */
static PetscErrorCode CCANAPI_Start(void *ptr, PetscInt position, PetscInt n, PetscBool *haveA)
{
  CCA       cca      = (CCA)ptr;
  CCA_NAPI *ctx      = (CCA_NAPI *)cca->data;
  BV        fresh[2] = {NULL, NULL}, *from = position < 0 ? fresh : ctx->start;

  PetscFunctionBegin;
  if (position < 0) PetscCall(CCAFreshBasis_Private(cca, n, fresh));
  for (int i = 0; i < 2; i++) {
    PetscCall(BVSetActiveColumns(from[i], PetscMax(0, position), PetscMax(0, position) + n));
    PetscCall(BVCopy(from[i], ctx->window.side[i].D.X));
    PetscCall(BVDestroy(&fresh[i]));
  }
  PetscCall(CCANAPI_Products(cca, PETSC_TRUE));
  *haveA = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CCANAPI_ApplyA(void *ptr)
{
  PetscFunctionBegin;
  PetscCall(CCANAPI_Products((CCA)ptr, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CCANAPI_ApplyB(void *ptr, PetscInt side)
{
  CCA             cca = (CCA)ptr;
  NAPIWindowSide *s   = &((CCA_NAPI *)cca->data)->window.side[side];

  PetscFunctionBegin;
  PetscCall(BVMatMult(s->D.X, cca->S[side], s->D.BX));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (2) */
static PetscErrorCode CCANAPI_Residual(void *ptr, PetscInt n, const PetscInt at[])
{
  CCA             cca = (CCA)ptr;
  CCA_NAPI       *ctx = (CCA_NAPI *)cca->data;
  NAPIWindowSide *s   = ctx->window.side;
  BV              R[] = {s[0].R, s[1].R}, BW[] = {s[0].BW, s[1].BW};
  PetscReal      *error = ctx->sigma + n;

  PetscFunctionBegin;
  for (PetscInt j = 0; j < n; j++) ctx->sigma[j] = ctx->window.theta[at[j]];
  PetscCall(CCAResidual_Private(2, R, BW, n, ctx->sigma, error));
  for (PetscInt j = 0; j < n; j++) ctx->error[at[j]] = error[j];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether after one iteration the products with A and B are made in one sweep over the data */
static PetscErrorCode CCANAPI_IsJoint(CCA cca, PetscBool *joint)
{
  PetscBool blockcg[2];

  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) PetscCall(PetscObjectTypeCompare((PetscObject)cca->ksp[i], KSPBLOCKCG, &blockcg[i]));
  *joint = (PetscBool)(blockcg[0] && blockcg[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How much inner work the next step is to do */
static PetscErrorCode CCANAPI_Tolerance(void *ptr, PetscInt b, PetscInt n, PetscReal *rtol, PetscInt *maxit)
{
  CCA       cca = (CCA)ptr;
  CCA_NAPI *ctx = (CCA_NAPI *)cca->data;
  PetscReal once, each;
  PetscBool joint = PETSC_FALSE;

  PetscFunctionBegin;
  *maxit = PETSC_MAX_INT;
  PetscCall(CCANAPI_IsJoint(cca, &joint));
  PetscCall(NAPIBlockCosts(cca->ksp[0], joint, &once, &each));
  PetscCall(NAPIWindowEffort(&ctx->window, cca->nconv, b, n, once, each, rtol, maxit));
  if (ctx->rtol != NAPI_UNSET) *rtol = ctx->rtol;
  if (ctx->max_it != NAPI_UNSET) *maxit = ctx->max_it;
  else if (ctx->rtol != NAPI_UNSET || ctx->kspset) *maxit = PETSC_MAX_INT;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (4) in one view by its KSP, and S D; iterations of all columns together */
static PetscErrorCode CCANAPI_SolveView(CCA cca, int view, PetscReal rtol, PetscInt maxit, PetscBool blockcg, PetscInt *iterations)
{
  const PetscInt     least = 50; /* iterations, where no tolerance may be within reach: without ridge what is left of a residual may be in the null space */
  CCA_NAPI          *ctx   = (CCA_NAPI *)cca->data;
  NAPIWindowSide    *s     = &ctx->window.side[view];
  KSP                ksp   = cca->ksp[view];
  KSPConvergedReason reason;
  PetscReal          rtol0, atol, dtol;
  PetscInt           maxit0;
  PetscBool          singular;

  PetscFunctionBegin;
  PetscCall(KSPGetTolerances(ksp, &rtol0, &atol, &dtol, &maxit0));
  if (maxit == PETSC_MAX_INT) maxit = cca->ridge[view] == 0.0 ? PetscMin(maxit0, PetscMax(least, cca->d[view])) : maxit0;
  if (!ctx->kspset) PetscCall(KSPSetTolerances(ksp, rtol0, atol, 1e30, maxit0)); /* whatever happens on the way, what is left in the end counts */
  PetscCall(NAPIBlockSolve(ksp, s->R, s->D.X, blockcg ? s->D.BX : NULL, ctx->kspset ? rtol0 : rtol, ctx->kspset ? maxit0 : maxit, iterations, &reason));
  PetscCall(KSPSetTolerances(ksp, rtol0, atol, dtol, maxit0));
  singular = (PetscBool)(cca->ridge[view] == 0.0 && blockcg && (reason == KSP_DIVERGED_INDEFINITE_MAT || reason == KSP_DIVERGED_BREAKDOWN)); /* D is what it is */
  if (reason < 0 && reason != KSP_DIVERGED_ITS && !singular) {                                                                               /* cut short is only less accurate; anything else is trouble */
    PetscCall(PetscInfo(cca, "Inner solve of view %d failed with reason %s\n", view + 1, KSPConvergedReasons[reason]));
    ctx->window.status = NAPI_BASIS_NO_CORRECTION;
  }
  if (!blockcg) PetscCall(CCANAPI_ApplyB(cca, view));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (4) One iteration of block CG from zero spans what the preconditioner gives, and A D and B D come from one sweep */
static PetscErrorCode CCANAPI_Solve(void *ptr, PetscInt n, PetscReal rtol, PetscInt maxit, PetscBool *haveA, PetscInt *iterations)
{
  CCA         cca = (CCA)ptr;
  NAPIWindow *w   = &((CCA_NAPI *)cca->data)->window;
  PetscBool   blockcg[2];
  PetscInt    its;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(CCA_Inner, cca, 0, 0, 0));
  for (int i = 0; i < 2; i++) PetscCall(PetscObjectTypeCompare((PetscObject)cca->ksp[i], KSPBLOCKCG, &blockcg[i]));
  *haveA      = (PetscBool)(maxit == 1 && blockcg[0] && blockcg[1]);
  *iterations = 0;
  for (int i = 0; i < 2 && !w->status; i++) {
    its = n;
    if (*haveA) PetscCall(NAPIBlockPrecondition(cca->ksp[i], w->side[i].R, w->side[i].D.X));
    else PetscCall(CCANAPI_SolveView(cca, i, rtol, maxit, blockcg[i], &its));
    *iterations += its;
  }
  *iterations /= 2; /* of a column through both views */
  PetscCall(PetscLogEventEnd(CCA_Inner, cca, 0, 0, 0));
  if (*haveA) PetscCall(CCANAPI_Products(cca, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CCANAPI_Purge(void *ptr, PetscInt side, PetscBool haveA, PetscInt *n)
{
  CCA             cca = (CCA)ptr;
  CCA_NAPI       *ctx = (CCA_NAPI *)cca->data;
  NAPIWindowSide *s   = &ctx->window.side[side];

  PetscFunctionBegin;
  PetscCall(CCADropNoise_Private(cca, (int)side, &ctx->small, s->C, s->D.X, s->D.BX, haveA ? s->D.AX : NULL, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CCANAPI_Precedes(void *ptr, PetscReal a, PetscReal b, PetscBool *first)
{
  PetscFunctionBegin;
  *first = (PetscBool)(a > b * (1.0 + PetscMax(((CCA)ptr)->tol, 1e-10)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const NAPIWindowOps CCANAPIOps = {CCANAPI_Start, CCANAPI_ApplyA, CCANAPI_ApplyB, CCANAPI_Residual, CCANAPI_Tolerance, CCANAPI_Solve, CCANAPI_Purge, CCANAPI_Precedes};

/* ------------------------------------------------- set-up ------------------------------------------------- */

static PetscErrorCode CCAReset_NAPI(CCA cca)
{
  CCA_NAPI *ctx = (CCA_NAPI *)cca->data;

  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) PetscCall(BVDestroy(&ctx->start[i])); /* where an error ended the solution */
  PetscCall(NAPIWindowDestroy(&ctx->window));
  PetscCall(NAPISmallDestroy(&ctx->small));
  PetscCall(PetscFree2(ctx->sigma, ctx->error));
  ctx->kept = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nothing to be done: the next solution goes on with what the last one has left */
static PetscErrorCode CCARegularize_NAPI(CCA cca, const PetscReal old[])
{
  PetscFunctionBegin;
  (void)cca, (void)old;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The solvers for S11 and S22, and how accurate they are to be if the user says so */
static PetscErrorCode CCANAPI_SetUpInner(CCA cca)
{
  CCA_NAPI *ctx = (CCA_NAPI *)cca->data;
  PetscBool set[2];
  PCType    type;
  PC        pc;

  PetscFunctionBegin;
  PetscCall(CCAGetKSP(cca, NULL, NULL));
  for (int i = 0; i < 2; i++) {
    KSP ksp = cca->ksp[i];

    PetscCall(KSPGetPC(ksp, &pc));
    if (!((PetscObject)ksp)->type_name) PetscCall(KSPSetType(ksp, KSPBLOCKCG));
    if (!((PetscObject)pc)->type_name) {
      PetscCall(CCAChoosePC_Private(cca, i, &type));
      PetscCall(PCSetType(pc, type));
    }
    PetscCall(KSPSetFromOptions(ksp));
    PetscCall(PetscOptionsHasName(((PetscObject)ksp)->options, ((PetscObject)ksp)->prefix, "-ksp_rtol", &set[0]));
    PetscCall(PetscOptionsHasName(((PetscObject)ksp)->options, ((PetscObject)ksp)->prefix, "-ksp_max_it", &set[1]));
    ctx->kspset = (PetscBool)(set[0] || set[1]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CCASetUp_NAPI(CCA cca)
{
  CCA_NAPI   *ctx = (CCA_NAPI *)cca->data;
  NAPIWindow *w   = &ctx->window;
  PetscInt    bs, keep, max, least;
  BV          V[2];
  DS          ds;

  PetscFunctionBegin;
  PetscCall(CCANAPI_SetUpInner(cca));
  PetscCall(NAPIWindowDimensions(cca->k, PetscMin(cca->d[0], cca->d[1]), PetscMax(cca->d[0], cca->d[1]), ctx->blocksize, ctx->restart, ctx->ncv, &bs, &keep, &max, &least));
  PetscCheck(ctx->ncv == NAPI_UNSET || ctx->ncv >= least, PetscObjectComm((PetscObject)cca), PETSC_ERR_USER_INPUT, "The bases need -cca_napi_ncv of at least %" PetscInt_FMT ", the pairs and two blocks of %" PetscInt_FMT ", not %" PetscInt_FMT, least, bs,
             ctx->ncv);
  PetscCall(DSCreate(PetscObjectComm((PetscObject)cca), &ds));
  PetscCall(NAPISmallCreate(ds, bs, &ctx->small));
  ctx->small.semidefinite = PETSC_TRUE;
  PetscCall(DSDestroy(&ds));
  PetscCall(PetscMalloc2(2 * bs, &ctx->sigma, max, &ctx->error));
  for (int i = 0; i < 2; i++) PetscCall(CCANewBasis_Private(cca, i, max, &V[i]));
  PetscCall(NAPIWindowCreate((PetscObject)cca, 2, V, max, bs, &ctx->small, w));
  for (int i = 0; i < 2; i++) {
    PetscCall(BVDestroy(&V[i]));
    w->side[i].dim = cca->d[i];
  }
  w->ops   = &CCANAPIOps;
  w->ctx   = cca;
  w->k     = cca->k;
  w->bs    = bs;
  w->keep  = keep;
  w->error = ctx->error;
  w->ortho = CCA_Ortho;
  w->ritz  = CCA_Ritz;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- solve ------------------------------------------------- */

/* The pairs from the window become the bases CCASolve() takes its results from */
static PetscErrorCode CCANAPI_HandOver(CCA cca)
{
  NAPIWindow *w = &((CCA_NAPI *)cca->data)->window;
  PetscInt    n = PetscMin(w->k, NAPIWindowPairs(w));

  PetscFunctionBegin;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(NAPIWindowSetActive(w));
  PetscCall(NAPIWindowCoefficients(w, n, NULL));
  for (int i = 0; i < 2; i++) {
    PetscCall(BVDestroy(&cca->basis[i]));
    PetscCall(CCANewBasis_Private(cca, i, n, &cca->basis[i]));
    PetscCall(BVMult(cca->basis[i], 1.0, 0.0, w->side[i].V.X, w->side[i].C));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the window of the last solution is of use: the ridges have changed, but not by so much that the digits of B V would be lost */
static PetscBool CCANAPI_IsKept(CCA cca)
{
  const CCA_NAPI *ctx  = (CCA_NAPI *)cca->data;
  PetscBool       kept = (PetscBool)(ctx->kept && !cca->startset && NAPIWindowPairs(&ctx->window) >= cca->k);

  for (int i = 0; i < 2; i++)
    if (ctx->ridge[i] > CCA_NAPI_KEPT_RATIO * cca->ridge[i]) kept = PETSC_FALSE;
  return (PetscBool)(kept && (ctx->ridge[0] != cca->ridge[0] || ctx->ridge[1] != cca->ridge[1]));
}

/* A window that has been kept once is one of a path of ridges: what more it can hold is for all that follow */
static PetscErrorCode CCANAPI_Widen(CCA cca)
{
  const PetscInt wider = 2; /* times what is kept at a restart: memory against a tenth of the products of five ridges */
  CCA_NAPI      *ctx   = (CCA_NAPI *)cca->data;
  NAPIWindow    *w     = &ctx->window;
  PetscInt       bs, keep, max, least;

  PetscFunctionBegin;
  if (ctx->restart != NAPI_UNSET || ctx->ncv != NAPI_UNSET) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(NAPIWindowDimensions(cca->k, PetscMin(cca->d[0], cca->d[1]), PetscMax(cca->d[0], cca->d[1]), ctx->blocksize, wider * (cca->k + 2 * w->bs), NAPI_UNSET, &bs, &keep, &max, &least));
  if (max <= w->room) PetscFunctionReturn(PETSC_SUCCESS);
  for (int i = 0; i < 2; i++) PetscCall(BVResize(w->side[i].V.X, max, PETSC_TRUE));
  PetscCall(NAPIWindowGrow(w, max));
  PetscCall(PetscFree2(ctx->sigma, ctx->error));
  PetscCall(PetscMalloc2(2 * bs, &ctx->sigma, max, &ctx->error));
  w->error = ctx->error;
  w->keep  = keep;
  w->max   = max;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first directions: what the window holds from other ridges, or the user's, and random ones behind them */
static PetscErrorCode CCANAPI_Begin(CCA cca)
{
  CCA_NAPI   *ctx = (CCA_NAPI *)cca->data;
  NAPIWindow *w   = &ctx->window;
  PetscInt    n = 0, start = w->k + 2, added;
  PetscReal   shift[2];
  PetscBool   kept = CCANAPI_IsKept(cca);

  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) PetscCall(KSPSetErrorIfNotConverged(cca->ksp[i], PETSC_FALSE));
  for (int i = 0; i < 2; i++) {
    shift[i]      = cca->ridge[i] - ctx->ridge[i];
    ctx->ridge[i] = cca->ridge[i];
  }
  ctx->kept = PETSC_FALSE; /* until this solution has come to an end */
  w->tol    = cca->tol;
  if (kept) {
    PetscCall(CCANAPI_Widen(cca));
    PetscCall(NAPIWindowShift(w, shift));
    PetscCall(PetscInfo(cca, "Bases of %" PetscInt_FMT " and %" PetscInt_FMT " columns kept from other ridges\n", w->side[0].m, w->side[1].m));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(NAPIWindowStart(w, PETSC_FALSE));
  if (cca->begin[0]) PetscCall(MatGetSize(cca->begin[0], NULL, &n));
  start = PetscMin(PetscMax(start, n), w->max);
  PetscCall(CCARandomBasis_Private(cca, start, ctx->start));
  PetscCall(NAPIWindowAddStart(w, 0, start, &added));
  for (int i = 0; i < 2; i++) PetscCall(BVDestroy(&ctx->start[i]));
  if (!w->status && !NAPIWindowPairs(w)) {
    PetscCall(PetscInfo(cca, "A view without ridge has no direction with a variance: there are no canonical pairs\n"));
    cca->reason = CCA_CONVERGED_RANK;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the bases could not be expanded by ends the solution */
static PetscErrorCode CCANAPI_BasisFailed(CCA cca, NAPIBasisStatus status)
{
  PetscFunctionBegin;
  if (status && !cca->reason) {
    PetscCall(PetscInfo(cca, "The bases cannot be expanded: %s\n", NAPIBasisStatuses[status]));
    cca->reason = CCA_DIVERGED_BREAKDOWN;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The bases hold all directions there are: these are all pairs, if they are good enough */
static PetscErrorCode CCANAPI_Exhausted(CCA cca)
{
  NAPIWindow *w = &((CCA_NAPI *)cca->data)->window;
  PetscInt    n, nconv;

  PetscFunctionBegin;
  w->fixed = 0;
  PetscCall(NAPIWindowSolve(w));
  nconv = n = PetscMin(w->k, NAPIWindowPairs(w));
  PetscCall(NAPIWindowVerify(w, &nconv));
  if (nconv < n) PetscCall(PetscInfo(cca, "The bases cannot be expanded any more: the tolerance is out of reach\n"));
  cca->reason = nconv < n ? CCA_DIVERGED_BREAKDOWN : CCA_CONVERGED_RANK;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (1) and (2): the pairs, how far they are, and b of them that have not converged */
static PetscErrorCode CCANAPI_Look(CCA cca, PetscInt *b)
{
  CCA_NAPI   *ctx   = (CCA_NAPI *)cca->data;
  NAPIWindow *w     = &ctx->window;
  PetscInt    rival = -1;
  PetscReal   sum   = 0.0;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(CCA_Ritz, cca, 0, 0, 0));
  PetscCall(NAPIWindowSolve(w));
  PetscCall(NAPIWindowAdvance(w, &rival, &cca->nconv, b));
  cca->nconv = PetscMin(cca->nconv, w->k);
  if (cca->nconv == w->k) {
    if (w->fixed) { /* in the end those that have been fixed take part again */
      w->fixed = 0;
      PetscCall(NAPIWindowSolve(w));
    }
    PetscCall(NAPIWindowVerify(w, &cca->nconv));
    if (cca->nconv < w->k) PetscCall(NAPIWindowAdvance(w, &rival, &cca->nconv, b)); /* some are not what they were: look again from there */
    else *b = 0;
  }
  PetscCall(PetscLogEventEnd(CCA_Ritz, cca, 0, 0, 0));
  for (PetscInt j = 0; j < PetscMin(w->k, NAPIWindowPairs(w)); j++) sum += w->theta[j];
  PetscCall(CCARecord_Private(cca, sum));
  PetscCall(CCAMonitor_Private(cca, cca->its, cca->nconv, cca->nconv + *b, w->theta, ctx->error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CCASolve_NAPI(CCA cca)
{
  CCA_NAPI   *ctx = (CCA_NAPI *)cca->data;
  NAPIWindow *w   = &ctx->window;
  PetscInt    k = w->k, max_it = cca->max_it == NAPI_UNSET ? 10000 : cca->max_it, b, added, at = -1, still = 0;
  PetscBool   checked = PETSC_FALSE, kept = PETSC_FALSE, useful;
  PetscReal   best = PETSC_MAX_REAL, acols, bcols;

  PetscFunctionBegin;
  PetscCall(CCANAPI_Begin(cca));
  PetscCall(CCANAPI_BasisFailed(cca, w->status));
  while (!cca->reason) {
    cca->its++;
    PetscCall(CCANAPI_Look(cca, &b)); /* (1), (2) */
    if (cca->nconv >= k && (checked || cca->check == CCA_CHECK_NONE)) cca->reason = CCA_CONVERGED_TOL;
    else if (cca->stop || cca->its >= max_it) cca->reason = cca->nconv >= k ? CCA_CONVERGED_TOL : cca->stop ? CCA_DIVERGED_USER : CCA_DIVERGED_ITS;
    if (cca->reason) break;
    checked = (PetscBool)(cca->nconv >= k); /* what the check finds is checked again in the end */
    if (checked) {
      PetscCall(CCAGetCost_Private(cca, &acols, &bcols, NULL));
      PetscCall(NAPIWindowProbe(w, cca->its, (acols + bcols) / 2, &useful));
      continue;
    }
    if (b > 0) { /* is it rounding that keeps the next pair from the tolerance? */
      if (cca->nconv != at || ctx->error[cca->nconv] < 0.9 * best) {
        at    = cca->nconv;
        best  = ctx->error[at];
        still = 0;
        kept  = (PetscBool)(best < CCA_NAPI_STAGNATION_LEVEL); /* what expands a residual of rounding may spoil the window */
        if (kept) PetscCall(CCANAPI_HandOver(cca));
      } else if (++still >= CCA_NAPI_STAGNATION_STEPS && best < CCA_NAPI_STAGNATION_LEVEL) {
        PetscCall(PetscInfo(cca, "The residual of pair %" PetscInt_FMT " has not become smaller than %g in %d steps: the tolerance of %g is out of reach\n", at + 1, (double)best, CCA_NAPI_STAGNATION_STEPS, (double)cca->tol));
        cca->reason = CCA_DIVERGED_ACCURACY;
        break;
      }
    }
    PetscCall(NAPIWindowStep(w, b, &added)); /* (3) to (6) */
    PetscCall(CCANAPI_BasisFailed(cca, w->status));
    if (!added && !cca->reason) PetscCall(CCANAPI_Exhausted(cca));
  }
  w->fixed = 0;
  if (cca->its) PetscCall(NAPIWindowSolve(w));
  if (cca->its && !(kept && cca->reason < 0 && cca->nconv == at)) PetscCall(CCANAPI_HandOver(cca));
  cca->nconv = 0; /* to be counted anew, from fresh products */
  ctx->kept  = (PetscBool)(cca->its && cca->reason != CCA_DIVERGED_BREAKDOWN);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- options, view, create ------------------------------------------------- */

static PetscErrorCode CCASetFromOptions_NAPI(CCA cca, NAPIOptionItems PetscOptionsObject)
{
  CCA_NAPI         *ctx     = (CCA_NAPI *)cca->data;
  PetscInt *const   ints[]  = {&ctx->blocksize, &ctx->restart, &ctx->ncv, &ctx->max_it};
  const char *const names[] = {"-cca_napi_blocksize", "-cca_napi_restart", "-cca_napi_ncv", "-cca_napi_inner_max_it"};
  const char *const texts[] = {"Pairs worked on in a step", "Pairs kept at a restart", "Largest size of the bases", "Inner iterations"};
  PetscInt          value;
  PetscBool         set;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "CCA NAPI options");
  for (int i = 0; i < 4; i++) {
    PetscCall(PetscOptionsInt(names[i], texts[i], "CCANAPI", *ints[i], &value, &set));
    if (!set) continue;
    PetscCheck(value > 0, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_OUTOFRANGE, "%s must be positive, not %" PetscInt_FMT, names[i], value);
    *ints[i] = value;
  }
  PetscCall(PetscOptionsReal("-cca_napi_inner_rtol", "Relative tolerance of the inner solves", "CCANAPI", ctx->rtol, &ctx->rtol, &set));
  if (set) PetscCheck(ctx->rtol > 0.0 && ctx->rtol < 1.0, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_OUTOFRANGE, "-cca_napi_inner_rtol must lie between 0 and 1, not be %g", (double)ctx->rtol);
  PetscOptionsHeadEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CCAView_NAPI(CCA cca, PetscViewer viewer)
{
  CCA_NAPI         *ctx = (CCA_NAPI *)cca->data;
  const NAPIWindow *w   = &ctx->window;

  PetscFunctionBegin;
  if (w->max) PetscCall(PetscViewerASCIIPrintf(viewer, "a basis of at most %" PetscInt_FMT " columns in each view, %" PetscInt_FMT " kept at a restart, %" PetscInt_FMT " added in a step\n", w->max, w->keep, w->bs));
  if (ctx->rtol != NAPI_UNSET || ctx->max_it != NAPI_UNSET || ctx->kspset) PetscCall(PetscViewerASCIIPrintf(viewer, "inner work set by hand\n"));
  else PetscCall(PetscViewerASCIIPrintf(viewer, "inner work chosen on line, at last %" PetscInt_FMT " iterations a step\n", w->effort.usual));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   CCANAPI - CCANAPI = "napi" - NAPI with optimal momentum and one basis a view, for large data: nothing is formed

   Options Database Keys:
+  -cca_napi_blocksize <n>     - pairs worked on in a step; by default k, but 2 to 8, or k/5 if that is more
.  -cca_napi_restart <n>       - pairs kept at a restart; by default k + 2 blocks
.  -cca_napi_ncv <n>           - largest size of the bases; by default what is kept, and 5 blocks, 8 of more than 8 columns
.  -cca_napi_inner_rtol <t>    - relative tolerance of the inner solves; by default chosen on line
.  -cca_napi_inner_max_it <n>  - iterations of the inner solves; 1 is the preconditioner alone
-  -cca_ksp_type <blockcg>, -cca_pc_type <jacobi or sketch> - the inner solvers, of both views

   Level: beginner

   Notes:
   Memory: for each view three blocks of ncv columns, and five of the block size beside the four of KSPBLOCKCG, distributed
   over the ranks.

   The preconditioner is PCSKETCH for a view where that promises to pay, else PCJACOBI.

   -cca_ksp_rtol and -cca_ksp_max_it, where given, are the tolerance and the number of iterations of the inner solves.

.seealso: CCASetType(), CCAGetKSP(), EPSNAPI, KSPBLOCKCG
M*/
PetscErrorCode CCACreate_NAPI(CCA cca)
{
  CCA_NAPI *ctx;

  PetscFunctionBegin;
  PetscCall(PetscNew(&ctx));
  ctx->blocksize = ctx->restart = ctx->ncv = ctx->max_it = NAPI_UNSET;
  ctx->rtol                                              = NAPI_UNSET;

  cca->data                = (void *)ctx;
  cca->ops->setup          = CCASetUp_NAPI;
  cca->ops->solve          = CCASolve_NAPI;
  cca->ops->setfromoptions = CCASetFromOptions_NAPI;
  cca->ops->view           = CCAView_NAPI;
  cca->ops->regularize     = CCARegularize_NAPI;
  cca->ops->reset          = CCAReset_NAPI;
  cca->ops->destroy        = CCADestroy_Default;
  PetscFunctionReturn(PETSC_SUCCESS);
}
