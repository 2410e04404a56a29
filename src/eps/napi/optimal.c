/*
   NAPI with optimal momentum: Rayleigh-Ritz over a window of past blocks.

   The span of W_t, W_{t-1} and the inner solution contains the paper's next iterate for every beta, and a window of past
   blocks contains it for every choice of beta in the last steps; Rayleigh-Ritz takes the best. In honest words this is a
   block generalized Davidson method that keeps directions at a restart (GD+k, A. Stathopoulos, SIAM J. Sci. Comput. 29,
   2007; with a window of three blocks LOBPCG, A. V. Knyazev, SIAM J. Sci. Comput. 23, 2001) and whose expansion is NAPI's
   warm-started inner solve.

   One step, V being B-orthonormal, with B V, A V and T = V'A V carried along (src/window):

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

#define NAPI_TINY 64 /* unknowns: a basis of as many costs nothing */

/* The dimensions, as SLEPc users know them: ncv is the size of the basis, mpd is not used */
static PetscErrorCode SetDimensions(EPS eps)
{
  EPS_NAPI *ctx = (EPS_NAPI*)eps->data;
  PetscInt k,n = eps->n-PetscAbs(eps->nds),least;

  PetscFunctionBegin;
  if (eps->nev<1) eps->nev = 1;
  k = PetscMin(eps->nev,n);
  ctx->bs = PetscMin(ctx->blocksize==NAPI_AUTO? PetscMax(2,PetscMin(k,8)): ctx->blocksize,n);
  if (eps->ncv!=NAPI_UNSET && ctx->blocksize==NAPI_AUTO) ctx->bs = PetscMax(1,PetscMin(ctx->bs,(eps->ncv-k)/3));
  ctx->keep = ctx->restart==NAPI_AUTO? k+2*ctx->bs: PetscMax(k,ctx->restart);
  least     = PetscMin(k+2*ctx->bs,n);
  ctx->tiny = (PetscBool)(eps->ncv==NAPI_UNSET && n<=NAPI_TINY);
  if (ctx->tiny) eps->ncv = n;
  else if (eps->ncv==NAPI_UNSET) eps->ncv = ctx->keep+PetscMax(5*ctx->bs,12);
  else PetscCheck(eps->ncv>=least,PetscObjectComm((PetscObject)eps),PETSC_ERR_USER_INPUT,"The basis needs ncv of at least %" PetscInt_FMT ", nev and two blocks of %" PetscInt_FMT ", not %" PetscInt_FMT ": set a larger ncv or a smaller -eps_napi_blocksize",least,ctx->bs,eps->ncv);
  eps->ncv  = PetscMax(1,PetscMin(eps->ncv,n));
  ctx->keep = PetscMax(k,PetscMin(ctx->keep,eps->ncv-2*ctx->bs)); /* room for the kept directions and a new block */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Memory: V (the EPS's own), B V and A V of ncv columns, six blocks and the deflation space twice */
PetscErrorCode EPSNAPISetUp_Optimal(EPS eps)
{
  EPS_NAPI *ctx = (EPS_NAPI*)eps->data;
  PetscInt nds = PetscAbs(eps->nds);

  PetscFunctionBegin;
  PetscCall(SetDimensions(eps));
  PetscCall(EPSNAPIAllocate(eps,ctx->bs,PetscMax(1,nds)));
  PetscCall(BVDuplicateResize(eps->V,eps->ncv,&ctx->AV));
  PetscCall(BVSetMatrix(ctx->AV,NULL,PETSC_FALSE));
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF,eps->ncv,eps->ncv,NULL,&ctx->coef));
  PetscCall(PetscMalloc2(eps->ncv*ctx->bs,&ctx->old,eps->ncv,&ctx->locked));
  PetscCall(NAPISmallCreate(eps->ds,eps->ncv,&ctx->small));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* coef := columns from first to first+n of the eigenvectors of T */
static PetscErrorCode Coefficients(EPS eps,NAPIWindow *w,PetscInt first,PetscInt n)
{
  EPS_NAPI          *ctx = (EPS_NAPI*)eps->data;
  const PetscScalar *q;
  PetscScalar       *c;
  PetscInt          j,ldq,ldc;
  Mat               Q;

  PetscFunctionBegin;
  PetscCall(DSGetMat(eps->ds,DS_MAT_Q,&Q));
  PetscCall(MatDenseGetLDA(Q,&ldq));
  PetscCall(MatDenseGetLDA(ctx->coef,&ldc));
  PetscCall(MatDenseGetArrayRead(Q,&q));
  PetscCall(MatDenseGetArrayWrite(ctx->coef,&c));
  for (j=0;j<n;j++) PetscCall(PetscArraycpy(c+j*ldc,q+(first+j)*ldq,w->m));
  PetscCall(MatDenseRestoreArrayWrite(ctx->coef,&c));
  PetscCall(MatDenseRestoreArrayRead(Q,&q));
  PetscCall(DSRestoreMat(eps->ds,DS_MAT_Q,&Q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   (2) R and the errors of the n Ritz pairs from first on, from the products carried along. ||x|| costs a product of
   long blocks and is computed only where the user's test depends on it.
*/
static PetscErrorCode Residual(EPS eps,NAPIWindow *w,PetscInt first,PetscInt n)
{
  EPS_NAPI *ctx = (EPS_NAPI*)eps->data;

  PetscFunctionBegin;
  PetscCall(EPSNAPISetActive(eps,n));
  PetscCall(Coefficients(eps,w,first,n));
  PetscCall(BVMult(ctx->R,1.0,0.0,ctx->AV,ctx->coef));
  PetscCall(BVMult(ctx->BW,1.0,0.0,ctx->B? w->BofV: w->V,ctx->coef));
  if (ctx->needx) PetscCall(BVMult(ctx->W,1.0,0.0,w->V,ctx->coef));
  PetscCall(EPSNAPIAddScaled(ctx->R,1.0,n,ctx->theta+first,-1.0,ctx->BW));
  PetscCall(EPSNAPIErrors(eps,n,ctx->theta+first,ctx->needx? ctx->W: NULL,ctx->BW,eps->errest+first,ctx->scaled+first));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The leading pairs, of the n from first on, whose error is below the tolerance */
static PetscInt Passed(EPS eps,PetscInt first,PetscInt n)
{
  PetscInt j = 0;

  while (j<n && eps->errest[first+j]<eps->tol) j++;
  return j;
}

/* (2) The errors of the block of pairs from nconv on; as long as all of a block have converged, look at the next */
static PetscErrorCode Advance(EPS eps,NAPIWindow *w,PetscInt k,PetscInt *b,PetscInt *passed)
{
  EPS_NAPI *ctx = (EPS_NAPI*)eps->data;
  PetscInt j;

  PetscFunctionBegin;
  do {
    *b = PetscMin(ctx->bs,PetscMin(PetscMax(1,k-eps->nconv),w->m-eps->nconv));
    PetscCall(Residual(eps,w,eps->nconv,*b));
    *passed = Passed(eps,eps->nconv,*b);
    for (j=0;j<*passed;j++) ctx->locked[eps->nconv+j] = ctx->theta[eps->nconv+j];
    eps->nconv += *passed;
  } while (*passed && *passed==*b && eps->nconv<k && eps->nconv<w->m);
  *b -= *passed;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Verify - Which of the nconv leading pairs really have converged? Pairs that were found so earlier may have been mixed with
   others of the same eigenvalue since; and in the end it is fresh products with the user's A and B that count. If those
   contradict what was carried along, it has drifted and is renewed.
*/
static PetscErrorCode Verify(EPS eps,NAPIWindow *w)
{
  EPS_NAPI  *ctx = (EPS_NAPI*)eps->data;
  PetscInt  first,n,passed;
  PetscBool finite;

  PetscFunctionBegin;
  for (first=0;first<eps->nconv;first+=n) {
    n = PetscMin(ctx->bs,eps->nconv-first);
    PetscCall(Residual(eps,w,first,n));
    passed = Passed(eps,first,n);
    if (passed<n) eps->nconv = first+passed;
  }
  for (first=0;first<eps->nconv;first+=n) {
    n = PetscMin(ctx->bs,eps->nconv-first);
    PetscCall(EPSNAPISetActive(eps,n));
    PetscCall(Coefficients(eps,w,first,n));
    PetscCall(BVMult(ctx->W,1.0,0.0,w->V,ctx->coef));
    PetscCall(EPSNAPIFreshErrors(eps,n,ctx->theta+first,eps->errest+first,ctx->scaled+first));
    passed = Passed(eps,first,n);
    if (passed==n) continue;
    eps->nconv = first+passed;
    if (!ctx->needx && ctx->scaled[first+passed]<eps->tol) ctx->needx = PETSC_TRUE; /* it is the other test that matters */
    else {
      PetscCall(PetscInfo(eps,"The products carried along have drifted: renewing them\n"));
      PetscCall(NAPIWindowSetActive(w,0,w->m));
      if (ctx->G) PetscCall(EPSNAPIApplyB(eps,w->V,w->BofV));
      PetscCall(EPSNAPIApplyA(eps,w->V,w->AV));
      PetscCall(NAPIWindowProject(w,0,&finite));
      if (!finite) { /* nothing is sound any more */
        w->m = eps->nconv = 0;
        PetscCall(EPSNAPIBasisFailed(eps,NAPI_BASIS_NOT_FINITE));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How many of the leading Ritz values are those that were locked, in whatever order: a larger one may have turned up */
static PetscInt StillLocked(EPS_NAPI *ctx,PetscInt nlock,PetscReal tol)
{
  PetscInt i,j;

  for (i=0;i<nlock;i++) {
    for (j=0;j<nlock;j++) if (PetscAbsScalar(ctx->theta[i]-ctx->locked[j])<=PetscMax(tol,1e-12)*PetscAbsScalar(ctx->theta[i])) break;
    if (j==nlock) return i;
  }
  return nlock;
}

/*
   (3) Thick restart: C = [Q(:,1:keep), P], P being the coefficients of the Ritz vectors of the step before,
   orthonormalised against the others.
*/
static PetscErrorCode Restart(EPS eps,NAPIWindow *w)
{
  EPS_NAPI    *ctx = (EPS_NAPI*)eps->data;
  PetscInt    ld,n = PetscMin(ctx->keep,w->m);
  PetscScalar *c;

  PetscFunctionBegin;
  PetscCall(Coefficients(eps,w,0,n));
  PetscCall(MatDenseGetLDA(ctx->coef,&ld));
  PetscCall(MatDenseGetArray(ctx->coef,&c));
  PetscCall(NAPIKeepDirections(w->m,&n,c,ld,ctx->nold,ctx->old,eps->ncv));
  PetscCall(MatDenseRestoreArray(ctx->coef,&c));
  PetscCall(NAPIWindowRestart(w,ctx->coef,n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Remembers the n Ritz vectors from first on as coefficients; after a restart they are unit vectors */
static PetscErrorCode Remember(EPS eps,NAPIWindow *w,PetscInt first,PetscInt n,PetscBool restarted)
{
  EPS_NAPI          *ctx = (EPS_NAPI*)eps->data;
  const PetscScalar *q;
  PetscInt          j,ld;
  Mat               Q;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(ctx->old,eps->ncv*ctx->bs));
  ctx->nold = PetscMin(n,PetscMin(ctx->bs,w->m-first));
  PetscCall(DSGetMat(eps->ds,DS_MAT_Q,&Q));
  PetscCall(MatDenseGetLDA(Q,&ld));
  PetscCall(MatDenseGetArrayRead(Q,&q));
  for (j=0;j<ctx->nold;j++) {
    if (restarted) ctx->old[first+j+j*eps->ncv] = 1.0;
    else PetscCall(PetscArraycpy(ctx->old+j*eps->ncv,q+(first+j)*ld,w->m));
  }
  PetscCall(MatDenseRestoreArrayRead(Q,&q));
  PetscCall(DSRestoreMat(eps->ds,DS_MAT_Q,&Q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tolerance - How accurate (4) is to be: by hand, by a formula, or as NAPIAutoChoose() finds best */
static PetscErrorCode Tolerance(EPS eps,NAPIWindow *w,PetscInt k,PetscInt b,PetscInt nd)
{
  EPS_NAPI  *ctx = (EPS_NAPI*)eps->data;
  PetscReal gap,todo;
  PetscInt  j;

  PetscFunctionBegin;
  ctx->maxit_t = ctx->maxit_all;
  if (ctx->rtol!=NAPI_AUTO) {
    ctx->rtol_t = ctx->rtol;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (ctx->criterion==EPS_NAPI_CRITERION_PAPER) {
    ctx->rtol_t = EPSNAPIPaperTolerance(k,PetscAbsScalar(ctx->theta[0]),PetscAbsScalar(ctx->theta[PetscMin(k,w->m)-1]),PetscAbsScalar(ctx->theta[w->m-1]),0.0,ctx->scaled[eps->nconv]);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (ctx->criterion==EPS_NAPI_CRITERION_WINDOW) {
    gap = 1.0-PetscAbsScalar(ctx->theta[w->m-1])/PetscAbsScalar(ctx->theta[PetscMin(k,w->m)-1]);
    ctx->rtol_t = PetscSqrtReal(PetscMax(0.5,gap)/8.0);
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  if (ctx->tiny) { /* the basis will soon be everything: what counts is that it grows */
    ctx->rtol_t  = NAPI_LOOSE;
    ctx->maxit_t = 1;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* digits to be gained by the pairs in sight; those behind them have all still to be */
  todo = PetscMax(0,k-eps->nconv-b)*PetscLog10Real(1.0/eps->tol);
  for (j=eps->nconv;j<eps->nconv+b;j++) todo += PetscLog10Real(PetscMax(1.0,PetscMin(1.0,eps->errest[j])/eps->tol));
  PetscCall(NAPIAutoChoose((PetscObject)eps,&ctx->choice,todo,ctx->acols+ctx->bcols+ctx->inner-ctx->saved,eps->errest[eps->nconv],nd,ctx->inner_t));
  ctx->rtol_t = ctx->choice.rtol;
  if (!ctx->choice.arm) ctx->maxit_t = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (5) and (6): makes the nd columns of D, with B D and, if that is there, A D, part of the window; added is how many were worth it */
static PetscErrorCode Expand(EPS eps,NAPIWindow *w,PetscInt nd,PetscBool haveAD,PetscInt *added)
{
  EPS_NAPI        *ctx = (EPS_NAPI*)eps->data;
  BV              BD = ctx->G? ctx->Wold: ctx->D,AD = haveAD? ctx->AW: NULL;
  NAPIBasisStatus status;
  PetscReal       cancel;
  PetscBool       finite;
  PetscInt        m = w->m;

  PetscFunctionBegin;
  *added = nd;
  PetscCall(PetscLogEventBegin(EPS_NAPI_Ortho,eps,0,0,0));
  PetscCall(NAPIWindowOrthonormalize(w,ctx->D,BD,AD,added,&cancel,&status));
  if (!status && *added && ctx->G && cancel<1e-6) { /* B D has lost as many digits, and so has A D */
    AD = NULL;
    PetscCall(EPSNAPIApplyB(eps,ctx->D,BD));
    PetscCall(NAPIWindowOrthonormalize(w,ctx->D,BD,NULL,added,&cancel,&status));
  }
  PetscCall(PetscLogEventEnd(EPS_NAPI_Ortho,eps,0,0,0));
  PetscCall(EPSNAPIBasisFailed(eps,status));
  if (status || !*added) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(NAPIWindowAppend(w,ctx->D,BD,AD,*added));
  if (!AD) PetscCall(EPSNAPIApplyA(eps,w->V,w->AV));
  PetscCall(NAPIWindowProject(w,m,&finite));
  if (!finite) {
    w->m = m; /* what was there before is sound */
    PetscCall(EPSNAPIBasisFailed(eps,NAPI_BASIS_NOT_FINITE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* D := n vectors, the user's initial space from column first of V on completed by random ones; B D */
static PetscErrorCode FreshVectors(EPS eps,PetscInt first,PetscInt n)
{
  EPS_NAPI *ctx = (EPS_NAPI*)eps->data;
  PetscInt j;
  Vec      v;

  PetscFunctionBegin;
  PetscCall(EPSNAPISetActive(eps,n));
  for (j=0;j<n;j++) {
    if (first+j<eps->nini) {
      PetscCall(BVGetColumn(eps->V,first+j,&v));
      PetscCall(BVInsertVec(ctx->D,j,v));
      PetscCall(BVRestoreColumn(eps->V,first+j,&v));
    } else PetscCall(BVSetRandomColumn(ctx->D,j));
  }
  if (ctx->G) PetscCall(EPSNAPIApplyB(eps,ctx->D,ctx->Wold));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first basis: the user's initial space, and at least two columns more than are wanted */
static PetscErrorCode Start(EPS eps,NAPIWindow *w,PetscInt k)
{
  EPS_NAPI *ctx = (EPS_NAPI*)eps->data;
  PetscInt n = PetscMin(PetscMax(k+2,eps->nini),w->max),taken,added,chunk,width;

  PetscFunctionBegin;
  PetscCall(BVGetSizes(ctx->D,NULL,NULL,&width));
  /* appended vectors never reach beyond those already taken from V, where the initial space is */
  for (taken=0;taken<n && !eps->reason;taken+=chunk) {
    chunk = PetscMin(width,n-taken);
    PetscCall(FreshVectors(eps,taken,chunk));
    PetscCall(Expand(eps,w,chunk,PETSC_FALSE,&added));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Iterate(EPS eps,NAPIWindow *w)
{
  EPS_NAPI  *ctx = (EPS_NAPI*)eps->data;
  PetscInt  k = PetscMin(eps->nev,w->max),n = eps->n-eps->nds,j,b,nd,passed = 0,added,todo,found;
  PetscBool restarted,haveAD,verified = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(Start(eps,w,k));
  if (!w->m && !eps->reason) PetscCall(EPSNAPIBasisFailed(eps,NAPI_BASIS_INDEFINITE)); /* B x = 0 for every x we have */
  while (!eps->reason) {
    eps->its++;
    /* (1) */
    PetscCall(PetscLogEventBegin(EPS_NAPI_Ritz,eps,0,0,0));
    PetscCall(NAPIWindowRitz(w));
    for (j=0;j<w->m;j++) eps->eigr[j] = ctx->theta[j] = ctx->small.theta[j];
    for (j=w->m;j<eps->ncv;j++) eps->eigr[j] = 0.0;
    eps->nconv = StillLocked(ctx,PetscMin(eps->nconv,w->m),eps->tol);

    /* (2) */
    PetscCall(Advance(eps,w,k,&b,&passed));
    PetscCall(PetscLogEventEnd(EPS_NAPI_Ritz,eps,0,0,0));
    PetscCall((*eps->stopping)(eps,eps->its,eps->max_it,eps->nconv,eps->nev,&eps->reason,eps->stoppingctx));
    if (!eps->reason && eps->nconv>=n) eps->reason = EPS_CONVERGED_TOL; /* there are no more */
    if (eps->reason) {
      found = eps->nconv;
      PetscCall(Verify(eps,w));
      if (eps->nconv<found && eps->reason>0) { /* not yet: look again, with what Verify() has put right */
        eps->reason = EPS_CONVERGED_ITERATING;
        continue;
      }
      verified = PETSC_TRUE;
    }
    PetscCall(EPSMonitor(eps,eps->its,eps->nconv,eps->eigr,eps->eigi,eps->errest,eps->nconv+b));
    if (eps->reason) break;
    if (!b) { /* the user wants more than was asked for: no residual is there yet */
      b = PetscMin(ctx->bs,w->m-eps->nconv);
      if (b) PetscCall(Residual(eps,w,eps->nconv,b));
      passed = 0;
    }

    /* the columns to expand come first in R */
    for (j=0,todo=0;j<b;j++) {
      if (eps->errest[eps->nconv+j]<eps->tol) continue;
      if (passed+j!=todo) PetscCall(BVCopyColumn(ctx->R,passed+j,todo));
      todo++;
    }
    nd = todo;

    /* (3) */
    restarted = PETSC_FALSE;
    if (w->max>=n) nd = PetscMin(nd,w->max-w->m);         /* the basis may hold everything: no restart */
    else if (w->m+nd>w->max) {
      PetscCall(PetscLogEventBegin(EPS_NAPI_Ritz,eps,0,0,0));
      PetscCall(Restart(eps,w));
      PetscCall(PetscLogEventEnd(EPS_NAPI_Ritz,eps,0,0,0));
      restarted = PETSC_TRUE;
    }
    PetscCall(Remember(eps,w,eps->nconv,b,restarted));

    /* (4), (5), (6) */
    if (nd) {
      PetscCall(EPSNAPISetActive(eps,nd));
      PetscCall(Tolerance(eps,w,k,b,nd));
      PetscCall(EPSNAPIInnerOnce(eps,nd,&haveAD));
      if (!haveAD) PetscCall(EPSNAPIInnerSolve(eps,nd,ctx->theta+eps->nconv,PETSC_TRUE));
      if (eps->reason) break;
      PetscCall(Expand(eps,w,nd,haveAD,&added));
    } else added = 0;
    if (!added && !eps->reason) { /* nothing new: something random, where there is room */
      nd = PetscMin(ctx->bs,w->max-w->m);
      if (nd) {
        PetscCall(FreshVectors(eps,eps->nini,nd));
        PetscCall(Expand(eps,w,nd,PETSC_FALSE,&added));
      }
      if (!added && !eps->reason) {
        PetscCall(PetscInfo(eps,"The basis cannot be expanded any more: the tolerance is out of reach\n"));
        eps->reason = EPS_DIVERGED_BREAKDOWN;
      }
    }
  }

  if (eps->nconv && !verified) { /* a breakdown: what had converged until then counts if it stands the test */
    PetscCall(NAPIWindowRitz(w));
    for (j=0;j<w->m;j++) eps->eigr[j] = ctx->theta[j] = ctx->small.theta[j];
    eps->nconv = PetscMin(eps->nconv,w->m);
    PetscCall(Verify(eps,w));
  }

  /* the eigenvectors, and behind them what the window holds of the others */
  if (w->m && eps->its) {
    j = PetscMin(PetscMax(ctx->keep,eps->nconv),w->m);
    PetscCall(NAPIWindowSetActive(w,0,w->m));
    PetscCall(NAPIWindowRitz(w));
    PetscCall(Coefficients(eps,w,0,j));
    PetscCall(BVMultInPlace(w->V,ctx->coef,0,j));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode EPSNAPISolve_Optimal(EPS eps)
{
  EPS_NAPI       *ctx = (EPS_NAPI*)eps->data;
  NAPIWindow     w;
  Mat            form;
  PetscBool      indefinite;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(EPSNAPIDeflate(eps));
  /* inner products with V are plain here, since B V is carried along; the EPS gets its inner product back */
  PetscCall(BVGetMatrix(eps->V,&form,&indefinite));
  PetscCall(PetscObjectReference((PetscObject)form));
  PetscCall(BVSetMatrix(eps->V,NULL,PETSC_FALSE));
  if (ctx->G && !ctx->BofV) {
    PetscCall(BVDuplicateResize(eps->V,eps->ncv,&ctx->BofV));
    PetscCall(BVSetMatrix(ctx->BofV,NULL,PETSC_FALSE));
  }
  PetscCall(NAPIWindowCreate(eps->V,ctx->G? ctx->BofV: eps->V,ctx->AV,eps->ncv,ctx->Y,ctx->BY,eps->nds,&ctx->small,&w));
  if (!ctx->B) w.left = w.BofV;
  PetscCall(NAPIAutoStart(&ctx->choice));
  ctx->nold  = 0;
  ctx->needx = (PetscBool)(ctx->residual==EPS_NAPI_RESIDUAL_SLEPC || (ctx->residual==EPS_NAPI_RESIDUAL_BOTH && eps->conv!=EPS_CONV_REL));
  ierr = Iterate(eps,&w);
  PetscCall(NAPIWindowDestroy(&w));
  PetscCall(BVSetMatrix(eps->V,form,indefinite));
  PetscCall(MatDestroy(&form));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}
