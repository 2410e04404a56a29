/* SPDX-License-Identifier: BSD-2-Clause */
/*
   NAPI: the inner least-squares solve and how accurate it has to be.

   The step W~ ~ B^{-1} A W is started at W Theta, whose residual A W - B W Theta is the residual R of the
   eigenproblem. We solve B D ~ R from zero and have W~ = W Theta + D: the iterates are those of the warm start, the
   KSP's relative tolerance is the factor by which the warm start's error is to be reduced, and nothing cancels near
   convergence. The other two ways are there for comparison.
*/
#include <slepcnapi/private/napiimpl.h>
#include <petsc/private/kspimpl.h>

/* The larger root, in modulus, of mu^2 - theta mu + beta = 0: the growth of the component theta under the recurrence */
static PetscReal EPSNAPIInner_Growth(PetscReal theta, PetscReal beta)
{
  PetscReal d = theta * theta - 4.0 * beta;

  return d > 0.0 ? (theta + PetscSqrtReal(d)) / 2.0 : PetscSqrtReal(beta);
}

/*
   EPSNAPIPaperTolerance - The relative tolerance that the paper asks of the inner solve.

   k     - number of wanted eigenpairs
   first - |theta_1|
   last  - |theta_k|
   next  - |theta_{k+1}|, or the largest modulus the recurrence does not amplify
   beta  - the momentum parameter
   worst - ||r||/(|theta| ||B w||) of the wanted pair that has converged least

   The squared B-norm error of the warm start is to be reduced by

     tau = ((|mu_1| - |mu_2|)/(4 |theta_k|))^2 cos^2    for k = 1  (Theorem 1; Delta/32 cos^2 at beta = theta_2^2/4)
     tau = ... /(4 k gamma^2) cos^4                     for k > 1  (Theorem 2), gamma = |theta_1|/|theta_k|

   where cos, the cosine between iterate and solution, tends to 1 in the late phase. The theorem's angle lives in the
   doubled space and depends on the scale of A: we estimate it from the residual, sin = worst/gap, bounded below.
*/
PetscReal EPSNAPIPaperTolerance(PetscInt k, PetscReal first, PetscReal last, PetscReal next, PetscReal beta, PetscReal worst)
{
  const PetscReal mingap = 1e-3, mincos2 = 0.1; /* beyond these the estimates are noise, and the solve only gets dearer */
  PetscReal       gap, sine, cos2, ratio, gamma, tau;

  if (last <= 0.0) return 0.1; /* no information yet */
  next  = PetscMin(PetscMax(next, 2.0 * PetscSqrtReal(beta)), (1.0 - mingap) * last);
  beta  = PetscMin(beta, next * next / 4.0);
  gap   = 1.0 - next / last;
  sine  = PetscMin(1.0, worst / gap);
  cos2  = PetscMax(mincos2, 1.0 - sine * sine);
  ratio = (EPSNAPIInner_Growth(last, beta) - EPSNAPIInner_Growth(next, beta)) / (4.0 * last);
  gamma = PetscMin(first / last, 100.0);
  tau   = ratio * ratio * cos2;
  if (k > 1) tau *= cos2 / (4.0 * k * gamma * gamma);
  return tau > 0.0 ? PetscSqrtReal(tau) : 0.1;
}

/* An inner solve may be cut short: that only makes it less accurate. Anything else says that its matrix, or the solver, is unfit. */
static PetscErrorCode EPSNAPIInner_Check(EPS eps, KSPConvergedReason reason)
{
  EPS_NAPI   *ctx = (EPS_NAPI *)eps->data;
  const char *advice;

  PetscFunctionBegin;
  if (reason < 0 && reason != KSP_DIVERGED_ITS) {
    PetscCall(PetscInfo(eps, "Inner solve failed with reason %s\n", KSPConvergedReasons[reason]));
    if (ctx->form == NAPI_INVERSE && (reason == KSP_DIVERGED_INDEFINITE_MAT || (reason == KSP_DIVERGED_INDEFINITE_PC && ctx->pcchosen))) PetscCall(EPSNAPIUnfit(eps, NAPI_INDEFINITE));
    else if (eps->reason >= 0) {
      if (reason == KSP_DIVERGED_INDEFINITE_PC && ctx->pcchosen) advice = "the preconditioner is not Hermitian positive definite: choose another -st_pc_type (of complex matrices gamg is with -st_pc_gamg_agg_nsmooths 0)";
      else if (ctx->form == NAPI_DIRECT) advice = "B is singular or not positive definite: where it is semi-definite, use a target below the spectrum (-st_type sinvert -eps_target ...)";
      else advice = "move the target a little, or choose another -st_ksp_type or -st_pc_type";
      PetscCall(PetscSNPrintf(ctx->words, sizeof(ctx->words), "the inner solver has failed (%s): %s", KSPConvergedReasons[reason], advice));
      PetscCall(EPSNAPIDiverged(eps, ctx->words));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One column after the other, for any KSP, each to its own tolerance */
static PetscErrorCode EPSNAPIInner_SolveColumns(EPS eps, KSP ksp, PetscInt n, BV rhs, BV D, const PetscReal rtol[], PetscInt maxit, PetscInt *iterations)
{
  KSPConvergedReason reason;
  PetscReal          atol, dtol;
  PetscInt           before, after;
  Vec                b, d;

  PetscFunctionBegin;
  PetscCall(KSPGetTolerances(ksp, NULL, &atol, &dtol, NULL));
  PetscCall(KSPGetTotalIterations(ksp, &before));
  for (PetscInt j = 0; j < n && !eps->reason; j++) {
    PetscCall(KSPSetTolerances(ksp, rtol[j], atol, dtol, maxit));
    PetscCall(BVGetColumn(rhs, j, &b));
    PetscCall(BVGetColumn(D, j, &d));
    PetscCall(KSPSolve(ksp, b, d));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    PetscCall(EPSNAPIInner_Check(eps, reason));
    PetscCall(BVRestoreColumn(D, j, &d));
    PetscCall(BVRestoreColumn(rhs, j, &b));
  }
  PetscCall(KSPGetTotalIterations(ksp, &after));
  *iterations = after - before;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   EPSNAPIInnerSolve - D ~ B^{-1} R for the n active columns, to a relative tolerance in at most maxit iterations.

   BD         - B D, where it is wanted; may be D in a standard problem
   W, theta   - the block and its Ritz values, for the other ways to start; not used, and may be NULL, where it is for the correction
   iterations - of all columns together

   Sets eps->reason if the solver fails.
*/
PetscErrorCode EPSNAPIInnerSolve(EPS eps, PetscInt n, BV R, BV D, BV BD, const NAPIBlock *W, const PetscReal theta[], PetscReal rtol, PetscInt maxit, PetscInt *iterations)
{
  EPS_NAPI  *ctx = (EPS_NAPI *)eps->data;
  BV         rhs = ctx->warmstart == EPS_NAPI_WARM_START_CORRECTION ? R : W->AX;
  KSP        ksp;
  PetscReal *rtols = ctx->rtols, least = 1.0, half = ctx->sign * ctx->bhalf, rnorm, bnorm;
  PetscBool  blockcg, preconditioned;

  KSPConvergedReason reason;

  PetscFunctionBegin;
  *iterations = 0;
  if (!ctx->B || ctx->pconly) { /* B = I: the solution is known; or the preconditioner alone is to be taken for it */
    PetscCall(STGetKSP(eps->st, &ksp));
    PetscCall(KSPGetOperatorsSet(ksp, NULL, &preconditioned));
    if (ctx->pconly && preconditioned) PetscCall(NAPIBlockPrecondition(ksp, R, D));
    else PetscCall(BVCopy(R, D));
    if (BD && BD != D) PetscCall(EPSNAPIApplyB(eps, D, BD));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscLogEventBegin(EPS_NAPI_Inner, eps, 0, 0, 0));
  PetscCall(STGetKSP(eps->st, &ksp));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPBLOCKCG, &blockcg));
  for (PetscInt j = 0; j < n; j++) {
    rtols[j] = rtol;
    if (ctx->warmstart == EPS_NAPI_WARM_START_NONE) { /* to the same absolute residual as the warm start would reach */
      PetscCall(BVNormColumn(R, j, NORM_2, &rnorm));
      PetscCall(BVNormColumn(rhs, j, NORM_2, &bnorm));
      if (bnorm > 0.0) rtols[j] *= rnorm / bnorm;
    }
    rtols[j] = PetscMin(0.99, PetscMax(rtols[j], PETSC_MACHINE_EPSILON));
    least    = PetscMin(least, rtols[j]);
  }
  if (ctx->warmstart == EPS_NAPI_WARM_START_GUESS) PetscCall(EPSNAPIAddScaled(D, 0.0, n, theta, 1.0, W->X));
  /* the scaled system (s h^2 B) D = R is B (h D) = s R/h for the KSP, whose own squares are then of ordinary size, too */
  if (half != 1.0) {
    PetscCall(BVScale(rhs, 1.0 / half));
    PetscCall(BVScale(D, ctx->bhalf));
  }
  if (blockcg) PetscCall(KSPBlockCGSetNegative(ksp, (PetscBool)(ctx->sign < 0.0)));
  if (ksp->ops->matsolve) { /* block CG, or a method that takes all columns through the same samples */
    PetscCall(NAPIBlockSolve(ksp, rhs, D, blockcg ? BD : NULL, least, maxit, iterations, &reason));
    PetscCall(EPSNAPIInner_Check(eps, reason));
    if (BD && blockcg && half != 1.0) PetscCall(BVScale(BD, half));
  } else PetscCall(EPSNAPIInner_SolveColumns(eps, ksp, n, rhs, D, rtols, maxit, iterations));
  if (half != 1.0) {
    PetscCall(BVScale(rhs, half));
    PetscCall(BVScale(D, 1.0 / ctx->bhalf));
  }
  ctx->inner += *iterations;
  if (ctx->warmstart != EPS_NAPI_WARM_START_CORRECTION) PetscCall(EPSNAPIAddScaled(D, 1.0, n, theta, -1.0, W->X));
  PetscCall(PetscLogEventEnd(EPS_NAPI_Inner, eps, 0, 0, 0));
  if (BD && !blockcg && !eps->reason) PetscCall(EPSNAPIApplyB(eps, D, BD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* EPSNAPIInnerIsJoint - Whether both products of a step with a single iteration cost less together than one after the other */
PetscErrorCode EPSNAPIInnerIsJoint(EPS eps, PetscBool *joint)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;
  KSP       ksp;

  PetscFunctionBegin;
  *joint = PETSC_FALSE;
  /* with a shift A is not the user's own; with a deflation space Y, A Y would be needed */
  if (!ctx->pairmult || ctx->sigma != 0.0 || eps->nds) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(STGetKSP(eps->st, &ksp));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPBLOCKCG, joint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   EPSNAPIInnerOnce - D := M^{-1} R for the n active columns, with B D and A D, where a single iteration is asked for and both
   products together cost less than one after the other: block CG's first iterate spans what the preconditioner gives. done says
   whether that is so.
*/
PetscErrorCode EPSNAPIInnerOnce(EPS eps, PetscInt n, BV R, const NAPIBlock *D, PetscInt maxit, PetscInt *iterations, PetscBool *done)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;
  KSP       ksp;

  PetscFunctionBegin;
  *done = PETSC_FALSE;
  if (maxit == 1) PetscCall(EPSNAPIInnerIsJoint(eps, done));
  if (!*done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(STGetKSP(eps->st, &ksp));
  PetscCall(PetscLogEventBegin(EPS_NAPI_Inner, eps, 0, 0, 0));
  PetscCall(NAPIBlockPrecondition(ksp, R, D->X));
  PetscCall(EPSNAPIApplyBoth(eps, D->X, D->AX, D->BX));
  ctx->bcols -= n; /* counted as what it is, an inner iteration */
  ctx->inner += *iterations = n;
  PetscCall(PetscLogEventEnd(EPS_NAPI_Inner, eps, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The tolerance of an operator is out of reach: the least that is asked for once more becomes larger, and what was asked for at first has to do */
static PetscErrorCode EPSNAPIInner_TooSlow(EPS eps, KSP ksp, PetscInt most)
{
  const PetscInt patience = 4; /* solves */
  EPS_NAPI      *ctx      = (EPS_NAPI *)eps->data;

  PetscFunctionBegin;
  if (ctx->oprtol < ctx->opfirst) {
    ctx->opleast = PetscMin(ctx->opfirst, 100.0 * ctx->oprtol);
    ctx->oprtol  = PetscMax(ctx->oprtol, ctx->opleast);
  } else if (++ctx->tooslow >= patience) {
    PetscCall(PetscSNPrintf(ctx->words, sizeof(ctx->words), "the inner solver '%s' takes more than %" PetscInt_FMT " iterations to the tolerance %g: use a better preconditioner, or a factorisation (-st_ksp_type preonly -st_pc_type lu)",
                            ((PetscObject)ksp)->type_name, most, (double)ctx->oprtol));
    PetscCall(EPSNAPIDiverged(eps, ctx->words));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   EPSNAPIApplyOperator - Y := (A - sigma B)^{-1} BX, to the working accuracy: an error in the solve is one of the residual of the pairs
*/
PetscErrorCode EPSNAPIApplyOperator(EPS eps, BV BX, BV Y)
{
  const PetscReal    part = 0.01; /* of the tolerance */
  EPS_NAPI          *ctx  = (EPS_NAPI *)eps->data;
  PetscInt           n, l, k, most = PetscMax(1000, PetscMin(20 * eps->n, 10000)), iterations = 0, before, after;
  KSPConvergedReason reason;
  PetscReal          atol, dtol;
  KSP                ksp;
  Vec                b, y;

  PetscFunctionBegin;
  if (ctx->oprtol == 0.0) {
    ctx->opleast = 10.0 * PETSC_MACHINE_EPSILON;
    ctx->oprtol = ctx->opfirst = PetscMax(part * eps->tol, ctx->opleast);
    ctx->tooslow               = 0;
  }
  PetscCall(PetscLogEventBegin(EPS_NAPI_Inner, eps, 0, 0, 0));
  PetscCall(STGetKSP(eps->st, &ksp));
  PetscCall(BVGetActiveColumns(Y, &l, &k));
  PetscCall(BVGetActiveColumns(BX, &n, NULL));
  if (ctx->max_it != NAPI_UNSET) most = ctx->max_it;
  if (ksp->ops->matsolve) {
    PetscCall(NAPIBlockSolve(ksp, BX, Y, NULL, ctx->oprtol, most, &iterations, &reason));
    PetscCall(EPSNAPIInner_Check(eps, reason));
  } else {
    PetscCall(KSPGetTolerances(ksp, NULL, &atol, &dtol, NULL));
    PetscCall(KSPSetTolerances(ksp, ctx->oprtol, atol, dtol, most));
    PetscCall(KSPGetTotalIterations(ksp, &before));
    for (PetscInt j = 0; j < k - l && !eps->reason; j++) {
      PetscCall(BVGetColumn(BX, n + j, &b));
      PetscCall(BVGetColumn(Y, l + j, &y));
      PetscCall(KSPSolve(ksp, b, y));
      PetscCall(KSPGetConvergedReason(ksp, &reason));
      PetscCall(EPSNAPIInner_Check(eps, reason));
      if (reason == KSP_DIVERGED_ITS) PetscCall(EPSNAPIInner_TooSlow(eps, ksp, most));
      PetscCall(BVRestoreColumn(Y, l + j, &y));
      PetscCall(BVRestoreColumn(BX, n + j, &b));
    }
    PetscCall(KSPGetTotalIterations(ksp, &after));
    iterations = after - before;
  }
  if (ctx->sign < 0.0) PetscCall(BVScale(Y, -1.0)); /* B X comes with its sign changed */
  ctx->inner += iterations;
  ctx->inner_t = iterations;
  PetscCall(PetscLogEventEnd(EPS_NAPI_Inner, eps, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   EPSNAPIWithInnerSolver - Runs solve() with the ST's KSP set up for inexact inner solves, and puts the KSP back as it
   was whatever happens. It has to be done here and not in set-up, because STSetUp() comes after that and sets
   ErrorIfNotConverged again.
*/
PetscErrorCode EPSNAPIWithInnerSolver(EPS eps, PetscErrorCode (*solve)(EPS))
{
  EPS_NAPI               *ctx = (EPS_NAPI *)eps->data;
  KSP                     ksp;
  PetscBool               errorifnot, nonzero, uirnorm = PETSC_FALSE;
  PetscReal               rtol, atol, dtol;
  PetscInt                maxit;
  NAPIKSPConvergenceTest *test        = NULL;
  NAPICtxDestroy         *testdestroy = NULL;
  void                   *testctx     = NULL, *uirctx;
  PetscErrorCode          ierr;

  PetscFunctionBegin;
  if (!ctx->B && ctx->form != NAPI_OPERATOR) {
    PetscCall((*solve)(eps));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(STGetKSP(eps->st, &ksp));
  PetscCall(EPSNAPISetUpSmoothers(ksp));
  PetscCall(KSPGetErrorIfNotConverged(ksp, &errorifnot));
  PetscCall(KSPGetInitialGuessNonzero(ksp, &nonzero));
  PetscCall(KSPGetTolerances(ksp, &rtol, &atol, &dtol, &maxit));
  PetscCall(KSPSetErrorIfNotConverged(ksp, PETSC_FALSE));
  PetscCall(KSPSetInitialGuessNonzero(ksp, (PetscBool)(ctx->warmstart == EPS_NAPI_WARM_START_GUESS)));
  PetscCall(KSPSetTolerances(ksp, rtol, atol, 1e30, maxit));
  ctx->maxit = ctx->max_it == NAPI_UNSET ? maxit : ctx->max_it;
  if (ctx->warmstart == EPS_NAPI_WARM_START_GUESS) { /* relative to the initial residual, unless the test is the user's */
    PetscCall(KSPGetConvergenceTest(ksp, &test, &testctx, &testdestroy));
    if (test == KSPConvergedDefault) {
      PetscCall(KSPGetAndClearConvergenceTest(ksp, &test, &testctx, &testdestroy));
      PetscCall(KSPConvergedDefaultCreate(&uirctx));
      PetscCall(KSPSetConvergenceTest(ksp, KSPConvergedDefault, uirctx, KSPConvergedDefaultDestroy));
      PetscCall(KSPConvergedDefaultSetUIRNorm(ksp));
      uirnorm = PETSC_TRUE;
    }
  }
  ierr = (*solve)(eps);
  if (uirnorm) PetscCall(KSPSetConvergenceTest(ksp, test, testctx, testdestroy));
  if (ctx->form == NAPI_OPERATOR && rtol == ctx->ksprtol && ctx->oprtol > 0.0) rtol = ctx->ksprtol = ctx->oprtol; /* what it was used with is what is to be seen */
  PetscCall(KSPSetTolerances(ksp, rtol, atol, dtol, maxit));
  PetscCall(KSPSetInitialGuessNonzero(ksp, nonzero));
  PetscCall(KSPSetErrorIfNotConverged(ksp, errorifnot));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}
