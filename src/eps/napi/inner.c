/*
   NAPI: the inner least-squares solve and how accurate it has to be.

   The step W~ ~ B^{-1} A W is started at W Theta, whose residual A W - B W Theta is the residual R of the
   eigenproblem. We solve B D ~ R from zero and have W~ = W Theta + D: the iterates are those of the warm start, the
   KSP's relative tolerance is the factor by which the warm start's error is to be reduced, and nothing cancels near
   convergence. The other two ways are there for comparison.
*/
#include <slepcnapi/private/napiimpl.h>

/* The larger root, in modulus, of mu^2 - theta mu + beta = 0: the growth of the component theta under the recurrence */
static PetscReal Growth(PetscReal theta,PetscReal beta)
{
  PetscReal d = theta*theta-4.0*beta;

  return d>0.0? (theta+PetscSqrtReal(d))/2.0: PetscSqrtReal(beta);
}

/*
   EPSNAPICriterion - The relative tolerance that the paper asks of the inner solve.

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
PetscReal EPSNAPICriterion(PetscInt k,PetscReal first,PetscReal last,PetscReal next,PetscReal beta,PetscReal worst)
{
  const PetscReal mingap = 1e-3,mincos2 = 0.1; /* beyond these the estimates are noise, and the solve only gets dearer */
  PetscReal       gap,sine,cos2,ratio,gamma,tau;

  if (last<=0.0) return 0.1; /* no information yet */
  next  = PetscMin(PetscMax(next,2.0*PetscSqrtReal(beta)),(1.0-mingap)*last);
  beta  = PetscMin(beta,next*next/4.0);
  gap   = 1.0-next/last;
  sine  = PetscMin(1.0,worst/gap);
  cos2  = PetscMax(mincos2,1.0-sine*sine);
  ratio = (Growth(last,beta)-Growth(next,beta))/(4.0*last);
  gamma = PetscMin(first/last,100.0);
  tau   = ratio*ratio*cos2;
  if (k>1) tau *= cos2/(4.0*k*gamma*gamma);
  return PetscSqrtReal(tau);
}

/* An inner solve may be cut short: that only makes it less accurate. Anything else says that B, or the solver, is unfit. */
static PetscErrorCode InnerCheck(EPS eps,KSP ksp)
{
  KSPConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(KSPGetConvergedReason(ksp,&reason));
  if (reason<0 && reason!=KSP_DIVERGED_ITS) {
    PetscCall(PetscInfo(eps,"Inner solve failed with reason %s: is B positive definite?\n",KSPConvergedReasons[reason]));
    eps->reason = EPS_DIVERGED_BREAKDOWN;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   EPSNAPIInnerSolve - D ~ B^{-1} R for the first na columns, to the relative tolerance rtol_t.
   Sets eps->reason if the inner solver fails.
*/
PetscErrorCode EPSNAPIInnerSolve(EPS eps,PetscInt na)
{
  EPS_NAPI  *ctx = (EPS_NAPI*)eps->data;
  KSP       ksp;
  Vec       b,w,d;
  PetscInt  j,before,after,maxit;
  PetscReal rtol,atol,dtol,rnorm,bnorm;

  PetscFunctionBegin;
  ctx->inner_t = 0;
  if (!ctx->B) { /* B = I: the solution is known */
    PetscCall(BVCopy(ctx->R,ctx->D));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscLogEventBegin(EPS_NAPI_Inner,eps,0,0,0));
  PetscCall(STGetKSP(eps->st,&ksp));
  PetscCall(KSPGetTolerances(ksp,&rtol,&atol,&dtol,&maxit));
  PetscCall(KSPGetTotalIterations(ksp,&before));
  for (j=0;j<na && !eps->reason;j++) {
    BV rhs = ctx->warmstart==EPS_NAPI_WARM_START_CORRECTION? ctx->R: ctx->AW;

    rtol = ctx->rtol_t;
    if (ctx->warmstart==EPS_NAPI_WARM_START_NONE) { /* to the same absolute residual as the warm start would reach */
      PetscCall(BVNormColumn(ctx->R,j,NORM_2,&rnorm));
      PetscCall(BVNormColumn(ctx->AW,j,NORM_2,&bnorm));
      if (bnorm>0.0) rtol *= rnorm/bnorm;
    }
    PetscCall(KSPSetTolerances(ksp,PetscMax(rtol,PETSC_MACHINE_EPSILON),atol,dtol,maxit));
    PetscCall(BVGetColumn(rhs,j,&b));
    PetscCall(BVGetColumn(ctx->D,j,&d));
    PetscCall(BVGetColumn(ctx->W,j,&w));
    if (ctx->warmstart==EPS_NAPI_WARM_START_GUESS) PetscCall(VecAXPBY(d,ctx->theta[j],0.0,w));
    PetscCall(KSPSolve(ksp,b,d));
    PetscCall(InnerCheck(eps,ksp));
    if (ctx->warmstart!=EPS_NAPI_WARM_START_CORRECTION) PetscCall(VecAXPY(d,-ctx->theta[j],w));
    PetscCall(BVRestoreColumn(ctx->W,j,&w));
    PetscCall(BVRestoreColumn(ctx->D,j,&d));
    PetscCall(BVRestoreColumn(rhs,j,&b));
  }
  PetscCall(KSPGetTotalIterations(ksp,&after));
  ctx->inner_t = after-before;
  ctx->inner  += ctx->inner_t;
  PetscCall(PetscLogEventEnd(EPS_NAPI_Inner,eps,0,0,0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   EPSNAPIWithInnerSolver - Runs solve() with the ST's KSP set up for inexact inner solves, and puts the KSP back as it
   was whatever happens. It has to be done here and not in set-up, because STSetUp() comes after that and sets
   ErrorIfNotConverged again.
*/
PetscErrorCode EPSNAPIWithInnerSolver(EPS eps,PetscErrorCode (*solve)(EPS))
{
  EPS_NAPI               *ctx = (EPS_NAPI*)eps->data;
  KSP                    ksp;
  PetscBool              errorifnot,nonzero,uirnorm = PETSC_FALSE;
  PetscReal              rtol,atol,dtol;
  PetscInt               maxit;
  NAPIKSPConvergenceTest *test = NULL;
  NAPICtxDestroy         *testdestroy = NULL;
  void                   *testctx = NULL,*uirctx;
  PetscErrorCode         ierr;

  PetscFunctionBegin;
  if (!ctx->B) {
    PetscCall((*solve)(eps));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(STGetKSP(eps->st,&ksp));
  PetscCall(KSPGetErrorIfNotConverged(ksp,&errorifnot));
  PetscCall(KSPGetInitialGuessNonzero(ksp,&nonzero));
  PetscCall(KSPGetTolerances(ksp,&rtol,&atol,&dtol,&maxit));
  PetscCall(KSPSetErrorIfNotConverged(ksp,PETSC_FALSE));
  PetscCall(KSPSetInitialGuessNonzero(ksp,(PetscBool)(ctx->warmstart==EPS_NAPI_WARM_START_GUESS)));
  PetscCall(KSPSetTolerances(ksp,rtol,atol,1e30,ctx->max_it==NAPI_AUTO? maxit: ctx->max_it));
  if (ctx->warmstart==EPS_NAPI_WARM_START_GUESS) { /* relative to the initial residual, unless the test is the user's */
    PetscCall(KSPGetConvergenceTest(ksp,&test,&testctx,&testdestroy));
    if (test==KSPConvergedDefault) {
      PetscCall(KSPGetAndClearConvergenceTest(ksp,&test,&testctx,&testdestroy));
      PetscCall(KSPConvergedDefaultCreate(&uirctx));
      PetscCall(KSPSetConvergenceTest(ksp,KSPConvergedDefault,uirctx,KSPConvergedDefaultDestroy));
      PetscCall(KSPConvergedDefaultSetUIRNorm(ksp));
      uirnorm = PETSC_TRUE;
    }
  }
  ierr = (*solve)(eps);
  if (uirnorm) PetscCall(KSPSetConvergenceTest(ksp,test,testctx,testdestroy));
  PetscCall(KSPSetTolerances(ksp,rtol,atol,dtol,maxit));
  PetscCall(KSPSetInitialGuessNonzero(ksp,nonzero));
  PetscCall(KSPSetErrorIfNotConverged(ksp,errorifnot));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}
