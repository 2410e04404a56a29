/*
   NAPI: the B-orthonormal block W, its products with A and B, and the small dense problems of its size.

   The active columns are the first na of every BV here; a pair that has converged is moved to Y, behind the user's
   deflation space, and everything else is kept B-orthogonal to Y. All work on long vectors is done on whole blocks.
*/
#include <slepcnapi/private/napiimpl.h>

/* Y = A X, Y = B X on the active columns */
PetscErrorCode EPSNAPIApplyA(EPS eps,BV X,BV Y)
{
  EPS_NAPI *ctx = (EPS_NAPI*)eps->data;
  PetscInt l,k;

  PetscFunctionBegin;
  PetscCall(BVMatMult(X,ctx->A,Y));
  PetscCall(BVGetActiveColumns(X,&l,&k));
  ctx->acols += k-l;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode EPSNAPIApplyB(EPS eps,BV X,BV Y)
{
  EPS_NAPI *ctx = (EPS_NAPI*)eps->data;
  PetscInt l,k;

  PetscFunctionBegin;
  if (ctx->B) {
    PetscCall(BVMatMult(X,ctx->B,Y));
    PetscCall(BVGetActiveColumns(X,&l,&k));
    ctx->bcols += k-l;
  } else PetscCall(BVCopy(X,Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode EPSNAPISetActive(EPS eps,PetscInt na)
{
  EPS_NAPI *ctx = (EPS_NAPI*)eps->data;
  BV       all[] = {ctx->W,ctx->Wold,ctx->AW,ctx->BW,ctx->R,ctx->D};
  size_t   i;

  PetscFunctionBegin;
  for (i=0;i<PETSC_STATIC_ARRAY_LENGTH(all);i++) PetscCall(BVSetActiveColumns(all[i],0,na));
  PetscCall(BVSetActiveColumns(ctx->Y,0,ctx->ny));
  PetscCall(BVSetActiveColumns(ctx->BY,0,ctx->ny));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   SmallEigen - Eigenvalues theta, by decreasing magnitude, and eigenvectors (the DS's Q) of (M + M')/2, where M is what
   was written into the DS's matrix A.
*/
static PetscErrorCode SmallBegin(EPS eps,PetscInt n,Mat *M)
{
  PetscFunctionBegin;
  PetscCall(DSSetDimensions(eps->ds,n,0,0));
  PetscCall(DSGetMat(eps->ds,DS_MAT_A,M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SmallSymmetrize(Mat M,PetscInt n,PetscBool *finite)
{
  PetscScalar *m;
  PetscInt    i,j,ld;

  PetscFunctionBegin;
  *finite = PETSC_TRUE;
  PetscCall(MatDenseGetLDA(M,&ld));
  PetscCall(MatDenseGetArray(M,&m));
  for (j=0;j<n;j++) {
    for (i=0;i<=j;i++) {
      m[i+j*ld] = 0.5*(m[i+j*ld]+PetscConj(m[j+i*ld]));
      m[j+i*ld] = PetscConj(m[i+j*ld]);
      if (PetscIsInfOrNanScalar(m[i+j*ld])) *finite = PETSC_FALSE;
    }
  }
  PetscCall(MatDenseRestoreArray(M,&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SmallSolve(EPS eps,Mat *M)
{
  EPS_NAPI *ctx = (EPS_NAPI*)eps->data;

  PetscFunctionBegin;
  PetscCall(DSRestoreMat(eps->ds,DS_MAT_A,M));
  PetscCall(DSSetState(eps->ds,DS_STATE_RAW));
  PetscCall(DSSolve(eps->ds,ctx->theta,NULL));
  PetscCall(DSSort(eps->ds,ctx->theta,NULL,NULL,NULL,NULL));
  PetscCall(DSSynchronize(eps->ds,ctx->theta,NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NaN or Inf came out of the user's operators: there is nothing to be saved */
static PetscErrorCode NotFinite(EPS eps)
{
  PetscFunctionBegin;
  PetscCall(PetscInfo(eps,"NaN or Inf in the products with A or B\n"));
  eps->reason = EPS_DIVERGED_BREAKDOWN;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* W := W T, and with it B W and W_{t-1}, so that the recurrence goes on unchanged */
static PetscErrorCode BlockTransform(EPS eps,Mat T,PetscInt n)
{
  EPS_NAPI *ctx = (EPS_NAPI*)eps->data;

  PetscFunctionBegin;
  PetscCall(BVMultInPlace(ctx->W,T,0,n));
  PetscCall(BVMultInPlace(ctx->BW,T,0,n));
  PetscCall(BVMultInPlace(ctx->Wold,T,0,n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* B W := B W - B Y (Y'B W) and W := W - Y (Y'B W) */
static PetscErrorCode BlockProject(EPS eps)
{
  EPS_NAPI *ctx = (EPS_NAPI*)eps->data;

  PetscFunctionBegin;
  if (!ctx->ny) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(BVDot(ctx->W,ctx->BY,ctx->cross));            /* (B Y)' W */
  PetscCall(BVMult(ctx->W,-1.0,1.0,ctx->Y,ctx->cross));
  PetscCall(BVMult(ctx->BW,-1.0,1.0,ctx->BY,ctx->cross));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   SVQB - One step of orthonormalisation by the eigenvectors of the scaled Gram matrix G = W'B W, s G s = Q L Q':
   W := W s Q L^{-1/2} for the L that are not negligible. It survives zero, dependent and badly scaled columns, where a
   Cholesky factorisation breaks down. rank is the number of columns left.
*/
static PetscErrorCode SVQB(EPS eps,PetscInt na,Mat *G,PetscInt *rank)
{
  EPS_NAPI          *ctx = (EPS_NAPI*)eps->data;
  PetscScalar       *g,*t;
  const PetscScalar *q;
  PetscReal         *s,lmax,wnorm,bnorm;
  PetscInt          i,j,ld,ldt,ldq;
  Mat               Q;

  PetscFunctionBegin;
  *rank = 0;
  PetscCall(PetscMalloc1(na,&s));
  PetscCall(MatDenseGetLDA(*G,&ld));
  PetscCall(MatDenseGetArray(*G,&g));
  for (j=0;j<na;j++) {
    PetscReal d = PetscRealPart(g[j+j*ld]);

    s[j] = d>0.0? 1.0/PetscSqrtReal(d): 0.0;
    if (d<0.0) { /* rounding, or B is not positive definite */
      PetscCall(BVNormColumn(ctx->W,j,NORM_2,&wnorm));
      PetscCall(BVNormColumn(ctx->BW,j,NORM_2,&bnorm));
      if (d<-1e-10*wnorm*bnorm) eps->reason = EPS_DIVERGED_BREAKDOWN;
    }
  }
  for (j=0;j<na;j++) for (i=0;i<na;i++) g[i+j*ld] *= s[i]*s[j];
  PetscCall(MatDenseRestoreArray(*G,&g));
  PetscCall(SmallSolve(eps,G));
  lmax = PetscAbsScalar(ctx->theta[0]);
  for (j=0;j<na;j++) if (PetscRealPart(ctx->theta[j])<-1e-8*lmax) eps->reason = EPS_DIVERGED_BREAKDOWN;
  if (eps->reason) PetscCall(PetscInfo(eps,"B is not positive definite: the solver needs x'B x > 0 for every x\n"));
  else {
    PetscCall(DSGetMat(eps->ds,DS_MAT_Q,&Q));
    PetscCall(MatDenseGetLDA(Q,&ldq));
    PetscCall(MatDenseGetLDA(ctx->small,&ldt));
    PetscCall(MatDenseGetArrayRead(Q,&q));
    PetscCall(MatDenseGetArrayWrite(ctx->small,&t));
    for (j=0;j<na && PetscRealPart(ctx->theta[j])>1e-14*lmax;j++) {
      for (i=0;i<na;i++) t[i+j*ldt] = s[i]*q[i+j*ldq]/PetscSqrtReal(PetscRealPart(ctx->theta[j]));
    }
    *rank = j;
    PetscCall(MatDenseRestoreArrayWrite(ctx->small,&t));
    PetscCall(MatDenseRestoreArrayRead(Q,&q));
    PetscCall(DSRestoreMat(eps->ds,DS_MAT_Q,&Q));
    if (*rank) PetscCall(BlockTransform(eps,ctx->small,*rank));
  }
  PetscCall(PetscFree(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fills the columns from first to na, which carry nothing, with random ones that have no past */
static PetscErrorCode BlockRefill(EPS eps,PetscInt first,PetscInt na)
{
  EPS_NAPI *ctx = (EPS_NAPI*)eps->data;
  PetscInt j;

  PetscFunctionBegin;
  PetscCall(PetscInfo(eps,"Replacing %" PetscInt_FMT " dependent columns of the block by random ones\n",na-first));
  for (j=first;j<na;j++) {
    PetscCall(BVSetRandomColumn(ctx->W,j));
    PetscCall(BVScaleColumn(ctx->Wold,j,0.0));
  }
  PetscCall(BVSetActiveColumns(ctx->W,first,na));
  PetscCall(BVSetActiveColumns(ctx->BW,first,na));
  PetscCall(EPSNAPIApplyB(eps,ctx->W,ctx->BW));
  PetscCall(EPSNAPISetActive(eps,na));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   EPSNAPIOrthonormalize - Makes the na active columns of W orthonormal in the B inner product and B-orthogonal to Y.
   B W must be there; B W and W_{t-1} follow (the QR step of Algorithm 2, in which any invertible factor serves as R).
*/
PetscErrorCode EPSNAPIOrthonormalize(EPS eps,PetscInt na)
{
  const PetscInt    maxpass = 8;
  EPS_NAPI          *ctx = (EPS_NAPI*)eps->data;
  const PetscScalar *g;
  PetscInt          i,j,pass,rank,ld;
  PetscReal         defect;
  PetscBool         finite;
  Mat               G;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(EPS_NAPI_Ortho,eps,0,0,0));
  for (pass=0;pass<maxpass && !eps->reason;pass++) {
    PetscCall(BlockProject(eps));
    PetscCall(SmallBegin(eps,na,&G));
    PetscCall(BVDot(ctx->BW,ctx->W,G));                   /* G = W'B W */
    PetscCall(SmallSymmetrize(G,na,&finite));
    defect = 0.0;
    PetscCall(MatDenseGetLDA(G,&ld));
    PetscCall(MatDenseGetArrayRead(G,&g));
    for (j=0;j<na;j++) for (i=0;i<na;i++) defect = PetscMax(defect,PetscAbsScalar(g[i+j*ld]-(i==j? 1.0: 0.0)));
    PetscCall(MatDenseRestoreArrayRead(G,&g));
    if (!finite || (pass && defect<100*PETSC_MACHINE_EPSILON*na)) {
      PetscCall(DSRestoreMat(eps->ds,DS_MAT_A,&G));
      if (!finite) PetscCall(NotFinite(eps));
      break;
    }
    PetscCall(SVQB(eps,na,&G,&rank));
    if (!eps->reason && rank<na) PetscCall(BlockRefill(eps,rank,na));
  }
  PetscCall(PetscLogEventEnd(EPS_NAPI_Ortho,eps,0,0,0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* EPSNAPIStart - W_0: the user's initial space, completed by random vectors; W_{-1} = 0; Y: the deflation space */
PetscErrorCode EPSNAPIStart(EPS eps,PetscInt na)
{
  EPS_NAPI *ctx = (EPS_NAPI*)eps->data;
  PetscInt j;
  Vec      v;

  PetscFunctionBegin;
  ctx->ny = eps->nds;
  PetscCall(EPSNAPISetActive(eps,na));
  for (j=0;j<eps->nds;j++) {
    PetscCall(BVGetColumn(eps->V,-eps->nds+j,&v));
    PetscCall(BVInsertVec(ctx->Y,j,v));
    PetscCall(BVRestoreColumn(eps->V,-eps->nds+j,&v));
  }
  if (eps->nds) PetscCall(EPSNAPIApplyB(eps,ctx->Y,ctx->BY));
  for (j=eps->nini;j<na;j++) PetscCall(BVSetRandomColumn(eps->V,j));
  PetscCall(BVSetActiveColumns(eps->V,0,na));
  PetscCall(BVCopy(eps->V,ctx->W));
  PetscCall(BVScale(ctx->Wold,0.0));
  PetscCall(EPSNAPIApplyB(eps,ctx->W,ctx->BW));
  PetscCall(EPSNAPIOrthonormalize(eps,na));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   EPSNAPIRayleighRitz - Z = W'A W = Q Theta Q', and W Q in the place of W: with W B-orthonormal this is the Z_t of
   Algorithm 2, in the basis in which it is diagonal. Theta goes to eps->eigr behind the nconv locked values.
*/
PetscErrorCode EPSNAPIRayleighRitz(EPS eps,PetscInt na)
{
  EPS_NAPI  *ctx = (EPS_NAPI*)eps->data;
  PetscBool finite;
  PetscInt  j;
  Mat       Z,Q;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(EPS_NAPI_Ritz,eps,0,0,0));
  PetscCall(SmallBegin(eps,na,&Z));
  PetscCall(BVDot(ctx->AW,ctx->W,Z));                     /* Z = W'A W */
  PetscCall(SmallSymmetrize(Z,na,&finite));
  if (!finite) {
    PetscCall(DSRestoreMat(eps->ds,DS_MAT_A,&Z));
    PetscCall(NotFinite(eps));
  } else {
    PetscCall(SmallSolve(eps,&Z));
    PetscCall(DSGetMat(eps->ds,DS_MAT_Q,&Q));
    PetscCall(BlockTransform(eps,Q,na));
    PetscCall(BVMultInPlace(ctx->AW,Q,0,na));
    PetscCall(DSRestoreMat(eps->ds,DS_MAT_Q,&Q));
    for (j=0;j<na;j++) eps->eigr[eps->nconv+j] = ctx->theta[j];
  }
  PetscCall(PetscLogEventEnd(EPS_NAPI_Ritz,eps,0,0,0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   EPSNAPISmallestSquare - The smallest eigenvalue of sym((A W)'W~), W~ ~ B^{-1} A W being in D: the square of the smallest
   |lambda| the block represents, which Ritz values do not show where they are of both signs. Uses no product.
*/
PetscErrorCode EPSNAPISmallestSquare(EPS eps,PetscInt na,PetscReal *square)
{
  EPS_NAPI    *ctx = (EPS_NAPI*)eps->data;
  PetscScalar *keep;
  PetscBool   finite;
  PetscInt    j;
  Mat         M;

  PetscFunctionBegin;
  *square = 0.0;
  PetscCall(SmallBegin(eps,na,&M));
  PetscCall(BVDot(ctx->D,ctx->AW,M));                     /* (A W)' W~ */
  PetscCall(SmallSymmetrize(M,na,&finite));
  if (!finite) {
    PetscCall(DSRestoreMat(eps->ds,DS_MAT_A,&M));
    PetscCall(NotFinite(eps));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(na,&keep));
  PetscCall(PetscArraycpy(keep,ctx->theta,na));
  PetscCall(SmallSolve(eps,&M));
  *square = PetscRealPart(ctx->theta[0]);
  for (j=1;j<na;j++) *square = PetscMin(*square,PetscRealPart(ctx->theta[j]));
  *square = PetscMax(*square,0.0);                        /* a loose solve can make it negative */
  PetscCall(PetscArraycpy(ctx->theta,keep,na));
  PetscCall(PetscFree(keep));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   ErrorOf - The figures the user's choice of residual asks for, from the norms of r = A x - lambda B x, x and B x.
   scaled is ||r||/(|lambda| ||B x||) in any case.
*/
static PetscErrorCode ErrorOf(EPS eps,PetscScalar lambda,PetscReal rnorm,PetscReal xnorm,PetscReal bxnorm,PetscReal *error,PetscReal *scaled)
{
  EPS_NAPI *ctx = (EPS_NAPI*)eps->data;

  PetscFunctionBegin;
  *scaled = PetscAbsScalar(lambda)*bxnorm>0.0? rnorm/(PetscAbsScalar(lambda)*bxnorm): PETSC_MAX_REAL;
  if (ctx->residual==EPS_NAPI_RESIDUAL_SCALED) *error = *scaled;
  else {
    PetscCall((*eps->converged)(eps,lambda,0.0,xnorm>0.0? rnorm/xnorm: rnorm,error,eps->convergedctx));
    /* the other tests (absolute, relative to the matrix norms, the user's own) have a scale of their own */
    if (ctx->residual==EPS_NAPI_RESIDUAL_BOTH && eps->conv==EPS_CONV_REL) *error = PetscMax(*error,*scaled);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The residual of column j with fresh products of the user's own A and B, which replace those carried along */
static PetscErrorCode FreshError(EPS eps,PetscInt j,PetscReal *error,PetscReal *scaled)
{
  EPS_NAPI    *ctx = (EPS_NAPI*)eps->data;
  PetscScalar lambda = ctx->theta[j]+ctx->sigma;
  PetscReal   rnorm,xnorm,bxnorm;
  STMatMode   mode;
  Vec         x,bx,r,ax;
  Mat         A;

  PetscFunctionBegin;
  PetscCall(STGetMatMode(eps->st,&mode));
  if (ctx->sigma!=0.0 && mode==ST_MATMODE_INPLACE) { /* the user's A holds A - sigma B for the time being */
    A = ctx->A;
    lambda = ctx->theta[j];
  } else PetscCall(STGetMatrix(eps->st,0,&A));
  PetscCall(BVGetColumn(ctx->W,j,&x));
  PetscCall(BVGetColumn(ctx->BW,j,&bx));
  PetscCall(BVGetColumn(ctx->AW,j,&ax));
  PetscCall(BVGetColumn(ctx->R,j,&r));
  PetscCall(MatMult(A,x,r));
  ctx->acols++;
  if (ctx->B) {
    PetscCall(MatMult(ctx->B,x,bx));
    ctx->bcols++;
  } else PetscCall(VecCopy(x,bx));
  PetscCall(VecAXPY(r,-lambda,bx));                       /* r = A x - lambda B x */
  PetscCall(VecWAXPY(ax,ctx->theta[j],bx,r));             /* (A - sigma B) x = r + theta B x */
  PetscCall(VecNorm(r,NORM_2,&rnorm));
  PetscCall(VecNorm(x,NORM_2,&xnorm));
  PetscCall(VecNorm(bx,NORM_2,&bxnorm));
  PetscCall(BVRestoreColumn(ctx->R,j,&r));
  PetscCall(BVRestoreColumn(ctx->AW,j,&ax));
  PetscCall(BVRestoreColumn(ctx->BW,j,&bx));
  PetscCall(BVRestoreColumn(ctx->W,j,&x));
  PetscCall(ErrorOf(eps,ctx->theta[j]+ctx->sigma,rnorm,xnorm,bxnorm,error,scaled));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CheckWhich - The iteration finds the largest |theta| = |lambda - sigma|. Whether those are the eigenvalues asked for is
   seen only now that one has converged: every other eigenvalue lies within |theta| of sigma.
*/
static PetscErrorCode CheckWhich(EPS eps,PetscReal theta)
{
  EPS_NAPI  *ctx = (EPS_NAPI*)eps->data;
  PetscReal lambda = theta+ctx->sigma,slack = 1.0+PetscSqrtReal(PETSC_MACHINE_EPSILON);

  PetscFunctionBegin;
  switch (eps->which) {
  case EPS_LARGEST_REAL:
    PetscCheck(theta>0.0,PetscObjectComm((PetscObject)eps),PETSC_ERR_SUP,"The eigenvalue %g is of largest magnitude but not the largest real one, which is what this momentum finds only where the two coincide: shift the spectrum, for instance with -st_shift %g",(double)lambda,(double)lambda);
    break;
  case EPS_SMALLEST_REAL:
    PetscCheck(theta<0.0,PetscObjectComm((PetscObject)eps),PETSC_ERR_SUP,"The eigenvalue %g is of largest magnitude but not the smallest real one, which is what this momentum finds only where the two coincide: shift the spectrum, for instance with -st_shift %g",(double)lambda,(double)lambda);
    break;
  default:
    PetscCheck(PetscAbsReal(lambda)*slack>=PetscAbsReal(ctx->sigma)+PetscAbsReal(theta),PetscObjectComm((PetscObject)eps),PETSC_ERR_SUP,"The eigenvalue %g is the farthest from the shift %g but need not be of largest magnitude: use -st_shift 0, or a shift of the other sign",(double)lambda,(double)ctx->sigma);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   EPSNAPILock - Errors of the na active pairs from the residual R; the leading ones that pass are computed anew with
   fresh products, and those that pass again go to Y. On exit na is the number of columns left.
*/
PetscErrorCode EPSNAPILock(EPS eps,PetscInt *na)
{
  EPS_NAPI  *ctx = (EPS_NAPI*)eps->data;
  BV        carried[] = {ctx->W,ctx->Wold,ctx->AW,ctx->BW,ctx->R};
  PetscReal *norms;
  PetscInt  j,lock;
  size_t    i;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3**na,&norms));                  /* one reduction for all */
  for (j=0;j<*na;j++) {
    PetscCall(BVNormColumnBegin(ctx->R,j,NORM_2,norms+3*j));
    PetscCall(BVNormColumnBegin(ctx->W,j,NORM_2,norms+3*j+1));
    PetscCall(BVNormColumnBegin(ctx->BW,j,NORM_2,norms+3*j+2));
  }
  for (j=0;j<*na;j++) {
    PetscCall(BVNormColumnEnd(ctx->R,j,NORM_2,norms+3*j));
    PetscCall(BVNormColumnEnd(ctx->W,j,NORM_2,norms+3*j+1));
    PetscCall(BVNormColumnEnd(ctx->BW,j,NORM_2,norms+3*j+2));
  }
  for (j=0;j<*na;j++) PetscCall(ErrorOf(eps,ctx->theta[j]+ctx->sigma,norms[3*j],norms[3*j+1],norms[3*j+2],&eps->errest[eps->nconv+j],&ctx->scaled[j]));
  PetscCall(PetscFree(norms));
  for (lock=0;lock<*na && eps->errest[eps->nconv+lock]<eps->tol;lock++) {
    PetscCall(FreshError(eps,lock,&eps->errest[eps->nconv+lock],&ctx->scaled[lock]));
    if (!(eps->errest[eps->nconv+lock]<eps->tol)) break;
    PetscCall(CheckWhich(eps,PetscRealPart(ctx->theta[lock])));
  }
  if (!lock) PetscFunctionReturn(PETSC_SUCCESS);

  PetscCall(BVSetActiveColumns(ctx->Y,ctx->ny,ctx->ny+lock));
  PetscCall(BVSetActiveColumns(ctx->BY,ctx->ny,ctx->ny+lock));
  PetscCall(BVSetActiveColumns(ctx->W,0,lock));
  PetscCall(BVSetActiveColumns(ctx->BW,0,lock));
  PetscCall(BVCopy(ctx->W,ctx->Y));
  PetscCall(BVCopy(ctx->BW,ctx->BY));
  ctx->ny    += lock;
  eps->nconv += lock;
  *na        -= lock;
  for (i=0;i<PETSC_STATIC_ARRAY_LENGTH(carried);i++) {
    for (j=0;j<*na;j++) PetscCall(BVCopyColumn(carried[i],j+lock,j));
  }
  for (j=0;j<*na;j++) {
    ctx->theta[j]  = ctx->theta[j+lock];
    ctx->scaled[j] = ctx->scaled[j+lock];
  }
  PetscCall(EPSNAPISetActive(eps,*na));
  PetscFunctionReturn(PETSC_SUCCESS);
}
