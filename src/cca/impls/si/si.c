/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA type "si": shift-and-invert; with SVRG as the solver it is SI-VR of

     W. Wang, J. Wang, D. Garber and N. Srebro, "Efficient globally convergent stochastic optimization for canonical
     correlation analysis", NIPS 2016, Algorithm 3.

   The power method for M^{-1} B with M = lambda B - A = [lambda S11, -S12; -S12', lambda S22], which is positive definite for
   lambda > rho_1, and converges the faster the closer lambda is to rho_1:

     phase I   lambda = 1 + D, D the user's estimate of the gap rho_1 - rho_2; repeat
                 (1) m1 times: M z = B w, w = z normalised so that w'B w = 2
                 (2) once more M z = B w;  d = 1/2 / (z'B w/2 - 2 sqrt(eps/D)),  lambda := lambda - d/2
               until d <= D. z'B w/2 tends to 1/(lambda - rho_1), so that lambda goes a quarter of the way to rho_1.
     phase II  (1) with the last lambda until the residual is small enough

   Each solve starts at z = w/(lambda - t), t = w'A w/w'B w, whose residual is (A w - t B w)/(lambda - t), by which it is known as
   soon as A w and B w are: what is solved is M d = that, from zero.

   A shift that the inexact solves make move too far (not above t, or M turns out to be indefinite) is not taken, and the solves
   become more accurate instead.
*/
#include "si.h"

/*
   Where a shift would move too far, the solves become more accurate by a digit, with twice the work: so often, down to what
   rounding allows. Beyond that the shift stays where it is, which costs steps, not accuracy.
*/
#define CCA_SI_MAX_SHARPER 6
#define CCA_SI_SHARPER     0.1

/* ------------------------------------------------- set-up ------------------------------------------------- */

static PetscErrorCode CCAReset_SI(CCA cca)
{
  CCA_SI *ctx    = (CCA_SI *)cca->data;
  Vec    *vecs[] = {&ctx->w, &ctx->Aw, &ctx->Bw, &ctx->z, &ctx->r};
  BV     *bvs[]  = {&ctx->X, &ctx->AX, &ctx->BX, &ctx->W[0], &ctx->W[1], &ctx->AW[0], &ctx->AW[1], &ctx->BW[0], &ctx->BW[1]};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(vecs); i++) PetscCall(VecDestroy(vecs[i]));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(bvs); i++) PetscCall(BVDestroy(bvs[i]));
  PetscCall(MatDestroy(&ctx->op));
  PetscCall(MatDestroy(&ctx->M));
  PetscCall(PetscFree3(ctx->T, ctx->c, ctx->e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Everything but the operator ctx->op and the defaults of its solver, which differ; deflate: room for pairs to be taken off */
PetscErrorCode CCASISetUp_Private(CCA cca, PetscBool deflate)
{
  CCA_SI *ctx   = (CCA_SI *)cca->data;
  BV     *bvs[] = {&ctx->X, &ctx->AX, &ctx->BX};

  PetscFunctionBegin;
  PetscCall(MatDuplicate(cca->B, MAT_DO_NOT_COPY_VALUES, &ctx->M));
  PetscCall(MatCreateVecs(cca->B, &ctx->w, NULL));
  PetscCall(VecDuplicate(ctx->w, &ctx->Aw));
  PetscCall(VecDuplicate(ctx->w, &ctx->Bw));
  PetscCall(VecDuplicate(ctx->w, &ctx->z));
  PetscCall(VecDuplicate(ctx->w, &ctx->r));
  ctx->s = 0;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(bvs) && deflate; i++) PetscCall(CCANewBasis_Private(cca, CCA_BOTH, cca->k, bvs[i]));
  for (int i = 0; i < 2; i++) {
    PetscCall(CCANewBasis_Private(cca, i, 1, &ctx->W[i]));
    PetscCall(BVDuplicate(ctx->W[i], &ctx->AW[i]));
    PetscCall(BVDuplicate(ctx->W[i], &ctx->BW[i]));
  }
  PetscCall(PetscCalloc3(cca->k * cca->k, &ctx->T, cca->k, &ctx->c, cca->k, &ctx->e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CCASetUp_SI(CCA cca)
{
  CCA_SI *ctx = (CCA_SI *)cca->data;
  KSP     ksp;

  PetscFunctionBegin;
  PetscCheck(cca->k == 1, PetscObjectComm((PetscObject)cca), PETSC_ERR_SUP, "Shift-and-invert (-cca_type %s) finds one pair, and %" PetscInt_FMT " are wanted: use -cca_type %s, which takes one pair off after the other, or %s", CCASI, cca->k, CCALAZY, CCANAPI);
  PetscCall(CCASISetUp_Private(cca, PETSC_FALSE));
  PetscCall(PetscObjectReference((PetscObject)ctx->M));
  ctx->op = ctx->M;
  PetscCall(CCAGetKSP(cca, &ksp, NULL));
  PetscCall(KSPSetOperators(ksp, ctx->op, ctx->M));
  PetscCall(CCASetUpInner_Private(cca, ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- the steps ------------------------------------------------- */

static PetscErrorCode CCASI_SetShift(CCA cca, PetscReal lambda)
{
  CCA_SI *ctx = (CCA_SI *)cca->data;

  PetscFunctionBegin;
  ctx->lambda = lambda;
  PetscCall(MatGramSetCoupling(ctx->M, lambda, -1.0, lambda));
  PetscCall(MatGramSetRidge(ctx->M, lambda * cca->ridge[0], lambda * cca->ridge[1]));
  PetscCall(PetscObjectStateIncrease((PetscObject)ctx->op));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCASIDeflate_Private - y := y - (A - A_s) x for y = A x, A_s = (I - B X X')A(I - X X'B). With c = X'B x and e = X'A x this is

     y - A X c - B X e + B X (X'A X) c,

   so that a product with A_s costs no more than one with A.
*/
PetscErrorCode CCASIDeflate_Private(CCA_SI *ctx, Vec x, Vec y)
{
  PetscInt k;

  PetscFunctionBegin;
  if (!ctx->s) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(BVGetSizes(ctx->X, NULL, NULL, &k));
  PetscCall(BVDotVec(ctx->BX, x, ctx->c));
  PetscCall(BVDotVec(ctx->AX, x, ctx->e));
  PetscCall(BVMultVec(ctx->AX, -1.0, 1.0, y, ctx->c));
  PetscCall(NAPIGemm("N", "N", ctx->s, 1, ctx->s, -1.0, ctx->T, k, ctx->c, k, 1.0, ctx->e, k));
  PetscCall(BVMultVec(ctx->BX, -1.0, 1.0, y, ctx->e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* z := pair number j of the user's initial directions, or something random */
PetscErrorCode CCASIStart_Private(CCA cca, PetscInt j)
{
  CCA_SI *ctx = (CCA_SI *)cca->data;
  BV      start[2];

  PetscFunctionBegin;
  PetscCall(CCARandomBasis_Private(cca, j + 1, start));
  for (int i = 0; i < 2; i++) {
    PetscCall(CCAScatterPart_Private(cca, i, SCATTER_REVERSE, ctx->z, start[i], j));
    PetscCall(BVDestroy(&start[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* w := z, B-orthogonal to X and normalised, with B w and A_s w */
static PetscErrorCode CCASI_Accept(CCA cca)
{
  CCA_SI     *ctx = (CCA_SI *)cca->data;
  PetscScalar dot;

  PetscFunctionBegin;
  PetscCall(VecCopy(ctx->z, ctx->w));
  for (int twice = 0; twice < 2 && ctx->s; twice++) {
    PetscCall(BVDotVec(ctx->BX, ctx->w, ctx->c));
    PetscCall(BVMultVec(ctx->X, -1.0, 1.0, ctx->w, ctx->c));
  }
  PetscCall(MatMult(cca->B, ctx->w, ctx->Bw));
  PetscCall(VecDot(ctx->Bw, ctx->w, &dot));
  if (!(PetscRealPart(dot) > 0.0) || PetscIsInfOrNanScalar(dot)) {
    PetscCall(PetscInfo(cca, "w'B w = %g\n", (double)PetscRealPart(dot)));
    cca->reason = CCA_DIVERGED_BREAKDOWN;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecScale(ctx->w, PetscSqrtReal(2.0 / PetscRealPart(dot))));
  PetscCall(VecScale(ctx->Bw, PetscSqrtReal(2.0 / PetscRealPart(dot))));
  PetscCall(MatMult(cca->A, ctx->w, ctx->Aw));
  PetscCall(CCASIDeflate_Private(ctx, ctx->w, ctx->Aw));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* t = w'A w/w'B w */
static PetscErrorCode CCASI_Quotient(CCA_SI *ctx, PetscReal *t)
{
  PetscScalar a, b;

  PetscFunctionBegin;
  PetscCall(VecDot(ctx->Aw, ctx->w, &a));
  PetscCall(VecDot(ctx->Bw, ctx->w, &b));
  *t = PetscRealPart(a) / PetscRealPart(b);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Correlation and relative residual of the pair (u/||u||, v/||v||), norms those of S11 and S22, out of w = [u;v], A w and B w */
static PetscErrorCode CCASI_Measure(CCA cca, PetscReal *rho, PetscReal *error)
{
  CCA_SI     *ctx = (CCA_SI *)cca->data;
  PetscScalar cross, square;
  PetscReal   scale[2];
  Vec         w;

  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) {
    PetscCall(CCAScatterPart_Private(cca, i, SCATTER_FORWARD, ctx->w, ctx->W[i], 0));
    PetscCall(CCAScatterPart_Private(cca, i, SCATTER_FORWARD, ctx->Aw, ctx->AW[i], 0)); /* S12 v and S12'u */
    PetscCall(CCAScatterPart_Private(cca, i, SCATTER_FORWARD, ctx->Bw, ctx->BW[i], 0));
    PetscCall(BVGetColumn(ctx->W[i], 0, &w));
    PetscCall(BVDotVec(ctx->BW[i], w, &square));
    PetscCall(BVDotVec(ctx->AW[i], w, &cross)); /* in both views the same */
    PetscCall(BVRestoreColumn(ctx->W[i], 0, &w));
    scale[i] = PetscRealPart(square) > 0.0 ? 1.0 / PetscSqrtReal(PetscRealPart(square)) : 0.0;
  }
  for (int i = 0; i < 2; i++) {
    PetscCall(BVScaleColumn(ctx->AW[i], 0, scale[1 - i]));
    PetscCall(BVScaleColumn(ctx->BW[i], 0, scale[i]));
  }
  *rho = PetscRealPart(cross) * scale[0] * scale[1];
  PetscCall(CCAResidual_Private(2, ctx->AW, ctx->BW, 1, rho, error));
  *rho = PetscMin(1.0, PetscAbsReal(*rho));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* z ~ M^{-1} B w, started at w/(lambda - t). indefinite: M is not positive definite, lambda lies below rho_1 */
static PetscErrorCode CCASI_Solve(CCA cca, PetscBool *indefinite)
{
  CCA_SI            *ctx = (CCA_SI *)cca->data;
  KSP                ksp = cca->ksp[0];
  KSPConvergedReason reason;
  PetscReal          t, before, after;

  PetscFunctionBegin;
  *indefinite = PETSC_FALSE;
  PetscCall(CCASI_Quotient(ctx, &t));
  PetscCall(VecWAXPY(ctx->r, -t, ctx->Bw, ctx->Aw));
  PetscCall(VecScale(ctx->r, 1.0 / (ctx->lambda - t))); /* B w - M w/(lambda - t) */
  PetscCall(PetscLogEventBegin(CCA_Inner, cca, 0, 0, 0));
  PetscCall(MatGramGetPasses(ctx->M, &before));
  PetscCall(KSPSolve(ksp, ctx->r, ctx->z));
  PetscCall(MatGramGetPasses(ctx->M, &after));
  PetscCall(MatGramAddPasses(cca->B, after - before, 1)); /* M has counters of its own; those of the pair are asked for */
  PetscCall(PetscLogEventEnd(CCA_Inner, cca, 0, 0, 0));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  *indefinite = (PetscBool)(reason == KSP_DIVERGED_INDEFINITE_MAT);
  if (!*indefinite) PetscCall(CCACheckInner_Private(cca, ksp));
  PetscCall(VecAXPY(ctx->z, 1.0 / (ctx->lambda - t), ctx->w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A step is done: history, monitors, and whether this pair is good enough */
static PetscErrorCode CCASI_FinishStep(CCA cca, PetscInt max_it, PetscReal tol, PetscReal *rho, PetscBool *found)
{
  CCA_SI   *ctx = (CCA_SI *)cca->data;
  PetscReal error;

  PetscFunctionBegin;
  if (cca->reason) PetscFunctionReturn(PETSC_SUCCESS);
  cca->its++;
  PetscCall(CCASI_Measure(cca, rho, &error));
  *found = (PetscBool)(error <= tol);
  PetscCall(CCARecord_Private(cca, ctx->sum + *rho));
  PetscCall(CCAMonitor_Private(cca, cca->its, ctx->s + (*found ? 1 : 0), 1, rho, &error));
  if (!*found && cca->stop) cca->reason = CCA_DIVERGED_USER;
  else if (!*found && cca->its >= max_it) cca->reason = CCA_DIVERGED_ITS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* More accurate solves from now on */
static PetscErrorCode CCASI_Sharpen(CCA cca)
{
  PetscReal rtol, atol, dtol;
  PetscInt  maxit;

  PetscFunctionBegin;
  PetscCall(KSPGetTolerances(cca->ksp[0], &rtol, &atol, &dtol, &maxit));
  PetscCall(KSPSetTolerances(cca->ksp[0], PetscMax(CCA_SI_SHARPER * rtol, 1e-14), atol, dtol, maxit < 5000 ? 2 * maxit : maxit));
  PetscCall(PetscInfo(cca, "The shift %g would move too far: the solves become more accurate\n", (double)((CCA_SI *)cca->data)->lambda));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCASIFind_Private - The leading pair of (A_s,B), from the w that ctx->z holds, down to a residual tol; cca->reason is set if
   it is not found.
*/
PetscErrorCode CCASIFind_Private(CCA cca, PetscInt max_it, PetscReal tol, PetscReal *rho)
{
  CCA_SI         *ctx    = (CCA_SI *)cca->data;
  const PetscReal margin = 2.0 * PetscSqrtReal(ctx->epsilon / ctx->delta);
  PetscBool       found = PETSC_FALSE, indefinite = PETSC_FALSE, phase1 = PETSC_TRUE;
  PetscInt        times = 0, maxit;
  PetscReal       above = 1.0 + ctx->delta, t, d, rtol, atol, dtol, denominator;
  PetscScalar     dot;

  PetscFunctionBegin;
  ctx->shifts = 0;
  PetscCall(KSPGetTolerances(cca->ksp[0], &rtol, &atol, &dtol, &maxit));
  PetscCall(CCASI_SetShift(cca, above));
  PetscCall(CCASI_Accept(cca));
  for (PetscInt step = 1; !found && !cca->reason; step++) {
    PetscCall(CCASI_Solve(cca, &indefinite));
    if (indefinite) { /* lambda lies below rho_1: back to the last shift that did not */
      PetscCall(PetscInfo(cca, "The shift %g lies below the largest correlation: back to %g\n", (double)ctx->lambda, (double)above));
      if (ctx->lambda < above) {
        PetscCall(CCASI_SetShift(cca, above));
        phase1 = PETSC_FALSE;
      } else cca->reason = CCA_DIVERGED_BREAKDOWN;
      continue;
    }
    if (cca->reason) break;
    PetscCall(VecDot(ctx->z, ctx->Bw, &dot)); /* with the w of this solve */
    PetscCall(CCASI_Accept(cca));
    PetscCall(CCASI_FinishStep(cca, max_it, tol, rho, &found));
    if (found || cca->reason || !phase1 || step <= ctx->m1) continue;
    /* (2) */
    step        = 0;
    denominator = 0.5 * PetscRealPart(dot) - margin;
    PetscCall(CCASI_Quotient(ctx, &t));
    d = denominator > 0.0 ? 0.5 / denominator : 0.0;
    if (denominator <= 0.0 || ctx->lambda - d / 2.0 <= t) {
      if (times++ < CCA_SI_MAX_SHARPER) PetscCall(CCASI_Sharpen(cca));
      else phase1 = PETSC_FALSE;
      continue;
    }
    above = ctx->lambda;
    PetscCall(CCASI_SetShift(cca, ctx->lambda - d / 2.0));
    ctx->shifts++;
    PetscCall(PetscInfo(cca, "Step %" PetscInt_FMT ": shift %g, d = %g\n", cca->its, (double)ctx->lambda, (double)d));
    if (d <= ctx->delta) phase1 = PETSC_FALSE;
  }
  PetscCall(KSPSetTolerances(cca->ksp[0], rtol, atol, dtol, maxit));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The parts of the s vectors in X, and of w if there is no X, become the result */
PetscErrorCode CCASIHandOver_Private(CCA cca, PetscInt s)
{
  CCA_SI *ctx = (CCA_SI *)cca->data;
  Vec     x;

  PetscFunctionBegin;
  PetscCall(CCAAllocateBasis_Private(cca, s));
  for (PetscInt j = 0; j < s; j++) {
    if (ctx->X) PetscCall(BVGetColumn(ctx->X, j, &x));
    else x = ctx->w;
    for (int i = 0; i < 2; i++) PetscCall(CCAScatterPart_Private(cca, i, SCATTER_FORWARD, x, cca->basis[i], j));
    if (ctx->X) PetscCall(BVRestoreColumn(ctx->X, j, &x));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CCASolve_SI(CCA cca)
{
  CCA_SI        *ctx    = (CCA_SI *)cca->data;
  const PetscInt max_it = cca->max_it == NAPI_UNSET ? 1000 : cca->max_it;
  PetscReal      rho;

  PetscFunctionBegin;
  ctx->sum = 0.0;
  PetscCall(CCASIStart_Private(cca, 0));
  PetscCall(CCASIFind_Private(cca, max_it, cca->tol, &rho));
  if (!cca->reason) cca->reason = CCA_CONVERGED_TOL;
  if (cca->reason != CCA_DIVERGED_BREAKDOWN) PetscCall(CCASIHandOver_Private(cca, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- options, view, create ------------------------------------------------- */

static PetscErrorCode CCASetFromOptions_SI(CCA cca, NAPIOptionItems PetscOptionsObject)
{
  CCA_SI *ctx = (CCA_SI *)cca->data;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "CCA shift-and-invert options");
  PetscCall(PetscOptionsReal("-cca_si_delta", "Estimate of the gap between the largest correlation and the next", "CCASI", ctx->delta, &ctx->delta, NULL));
  PetscCheck(ctx->delta > 0.0 && ctx->delta <= 1.0, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_OUTOFRANGE, "-cca_si_delta must lie between 0 and 1, not be %g", (double)ctx->delta);
  PetscCall(PetscOptionsReal("-cca_si_epsilon", "Accuracy of the solves that the shift relies on", "CCASI", ctx->epsilon, &ctx->epsilon, NULL));
  PetscCheck(ctx->epsilon >= 0.0, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_OUTOFRANGE, "-cca_si_epsilon must not be negative, as %g is", (double)ctx->epsilon);
  PetscCall(PetscOptionsInt("-cca_si_m1", "Solves before the shift is moved", "CCASI", ctx->m1, &ctx->m1, NULL));
  PetscCheck(ctx->m1 > 0, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_OUTOFRANGE, "-cca_si_m1 must be positive, not %" PetscInt_FMT, ctx->m1);
  PetscOptionsHeadEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CCAView_SI(CCA cca, PetscViewer viewer)
{
  CCA_SI *ctx = (CCA_SI *)cca->data;

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "estimate of the gap %g, %" PetscInt_FMT " solves before the shift is moved\n", (double)ctx->delta, ctx->m1));
  if (cca->its) PetscCall(PetscViewerASCIIPrintf(viewer, "last shift %g, moved %" PetscInt_FMT " times\n", (double)ctx->lambda, ctx->shifts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What both types begin with, and the type of their inner solver; setup and solve are their own */
PetscErrorCode CCASICreate_Private(CCA cca, KSPType type)
{
  CCA_SI *ctx;

  PetscFunctionBegin;
  PetscCall(PetscNew(&ctx));
  ctx->delta               = 0.05;  /* the user's guess of a gap; see the manual page for what a wrong one costs */
  ctx->epsilon             = 1e-10; /* small enough that the shift moves as with exact solves, by which it may have to wait for those */
  ctx->m1                  = 4;     /* fewer move the shift before z'B w says where to, more are spent on a shift that is far away */
  cca->inner.type          = type;
  cca->inner.stages        = 8;    /* of the digits that a solve gains one or two survive the step: */
  cca->inner.rtol          = 1e-2; /*   more are lost, with fewer the shift cannot be moved */
  cca->data                = (void *)ctx;
  cca->ops->setfromoptions = CCASetFromOptions_SI;
  cca->ops->view           = CCAView_SI;
  cca->ops->reset          = CCAReset_SI;
  cca->ops->destroy        = CCADestroy_Default;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   CCASI - CCASI = "si" - Shift-and-invert (SI and SI-VR of Wang, Wang, Garber and Srebro, 2016), for one pair

   Options Database Keys:
+  -cca_si_delta <D>     - estimate of the gap between the largest correlation and the next, by default .05
.  -cca_si_m1 <m1>       - solves before the shift is moved, by default 4
.  -cca_si_epsilon <eps> - how inaccurate the solves may be for the shift to be moved, by default 1e-10
.  -cca_ksp_type <svrg>  - the solver for M = [l S11, -S12; -S12', l S22]
.  -cca_ksp_max_it <n>   - its iterations; for svrg the number of stages of a solve, by default 8
-  -cca_ksp_rtol <t>     - its tolerance, relative to the residual of the start; by default .01, or the stages for svrg

   Level: intermediate

   Notes:
   A method to compare with. It converges whatever the estimate of the gap is: fast if it is right; a larger one leaves the
   shift farther away, which takes more steps, a smaller one makes M worse conditioned.

   With svrg this is SI-VR; any other solver for positive definite systems will do. M is positive definite as long as its
   shift l is larger than the first correlation.

.seealso: CCASetType(), CCAGetKSP(), CCALAZY, CCAALS, CCANAPI, KSPSVRG
M*/
PetscErrorCode CCACreate_SI(CCA cca)
{
  PetscFunctionBegin;
  PetscCall(CCASICreate_Private(cca, KSPSVRG));
  cca->ops->setup = CCASetUp_SI;
  cca->ops->solve = CCASolve_SI;
  PetscFunctionReturn(PETSC_SUCCESS);
}
