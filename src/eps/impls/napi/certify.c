/* SPDX-License-Identifier: BSD-2-Clause */
/*
   NAPI: certificates for what was found.

   Error bounds. For x with x'B x = 1 and r = A x - theta B x there is an eigenvalue lambda with |lambda - theta| <= ||r|| in the
   norm of B^{-1}, that is sqrt(r'B^{-1}r). Bounded from above that takes a lower bound of the spectrum of B, which is had, in
   this order, where B is the identity; from the matrix itself, if it knows one (MATGRAM: its ridge); from Gershgorin's discs
   of D^{-1/2}B D^{-1/2}, D = diag(B); from a factorisation of B, where it is not too large. Where there is none of
   these, B^{-1}r comes from a tight solve by the inner solver, and the result is called an estimate.

   Nothing missed. The number of eigenvalues above sigma is that of the positive eigenvalues of A - sigma B (Sylvester's law
   of inertia), read off the pivots of its LDL' (in complex numbers LU) factorisation.
*/
#include <slepcnapi/private/napiimpl.h>

/* Constants, and what each of them trades */
#define NAPI_FACTOR_MAX       20000 /* unknowns up to which we factor unasked: certainty against time and memory the solve does without */
#define NAPI_FACTOR_TRUST     1e-8  /* backward error up to which a factorisation without pivoting counts: no certificate against a wrong one */
#define NAPI_PRODUCT_ROUNDING 8.0   /* machine epsilons a product is taken to be wrong by: larger bounds against wrong ones */
#define NAPI_ROW_ROUNDING     16.0  /* the same of the sum of a row */
#define NAPI_INVERSE_STEPS    8     /* steps towards the smallest eigenvalue of B: solves against a looser account of rounding, */
#define NAPI_INVERSE_PART     0.25  /* and the part of the result that is relied on after so few of them */
#define NAPI_ESTIMATE_RTOL    1e-8  /* asked of the inner solver where only it gives B^{-1}r: time against a poor estimate */
#define NAPI_ESTIMATE_MAXIT   10000 /* and where that ends */
#define NAPI_SOLVE_SLACK      1.01  /* factor for the error of such solves: slightly larger bounds against wrong ones */
#define NAPI_COUNT_DISTANCE   2.0   /* error bounds the limit of a count stays away from an eigenvalue: a sound count against one of fewer */
#define NAPI_COUNT_ROUNDING   10.0  /* machine epsilons an eigenvalue is taken to be wrong by at least: the same */
#define NAPI_COUNT_STEP       1.5   /* such distances by which the limit is put farther out: fewer rounds against a count of fewer */

/* PETSc's own Cholesky factorisation of a sparse matrix is one of complex symmetric, not of Hermitian matrices: there LU */
#if defined(PETSC_USE_COMPLEX)
  #define NAPI_FACTOR_PC   PCLU
  #define NAPI_FACTOR_TYPE MAT_FACTOR_LU
#else
  #define NAPI_FACTOR_PC   PCCHOLESKY
  #define NAPI_FACTOR_TYPE MAT_FACTOR_CHOLESKY
#endif

PetscErrorCode EPSNAPICertificateReset(NAPICertificate *c)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&c->weight));
  PetscCall(KSPDestroy(&c->direct));
  PetscCall(PetscFree(c->bound));
  c->ready = PETSC_FALSE;
  c->kind  = EPS_NAPI_BOUND_NONE;
  c->count = c->found = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------ error bounds ------------------------------------------------- */

/* Whether the rows of a matrix can be looked at */
PetscErrorCode EPSNAPIMatHasRows(Mat M, PetscBool *has)
{
  PetscBool shell;

  PetscFunctionBegin;
  PetscCall(MatHasOperation(M, MATOP_GET_ROW, has));
  PetscCall(PetscObjectTypeCompare((PetscObject)M, MATSHELL, &shell));
  if (shell) *has = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* full := M, to be destroyed, as AIJ unless it is that or dense: of some types half the entries are stored, or little implemented */
static PetscErrorCode EPSNAPICertify_Full(Mat M, Mat *full)
{
  PetscBool plain;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)M, &plain, MATSEQAIJ, MATMPIAIJ, MATSEQDENSE, MATMPIDENSE, ""));
  if (plain) {
    PetscCall(PetscObjectReference((PetscObject)M));
    *full = M;
  } else PetscCall(MatConvert(M, MATAIJ, MAT_INITIAL_MATRIX, full));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   A lower bound of the spectrum of D^{-1/2}B D^{-1/2} by Gershgorin's discs, 1 - max_i sum_{j != i} |b_ij|/sqrt(b_ii b_jj), or
   nothing where that is not positive. Then r'B^{-1}r <= r'D^{-1}r/lower.
*/
static PetscErrorCode EPSNAPICertify_Gershgorin(Mat B, Vec *D, PetscReal *lower)
{
  PetscReal least, norm;
  Mat       scaled;
  Vec       d;

  PetscFunctionBegin;
  *lower = 0.0;
  PetscCall(MatCreateVecs(B, D, &d));
  PetscCall(MatGetDiagonal(B, *D));
  PetscCall(VecMin(*D, NULL, &least));
  if (least > 0.0) {
    PetscCall(VecCopy(*D, d));
    PetscCall(VecSqrtAbs(d));
    PetscCall(VecReciprocal(d));
    PetscCall(MatDuplicate(B, MAT_COPY_VALUES, &scaled));
    PetscCall(MatDiagonalScale(scaled, d, d));
    PetscCall(MatNorm(scaled, NORM_INFINITY, &norm)); /* the centre of all discs, 1, and the largest radius */
    PetscCall(MatDestroy(&scaled));
    *lower = PetscMax(0.0, 2.0 - norm - NAPI_ROW_ROUNDING * PETSC_MACHINE_EPSILON);
  }
  PetscCall(VecDestroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   solver := M^{-1} by a factorisation, every rank for itself, and if asked for F, its factor there, which lives as long; both NULL
   where that fails or is not accurate: there is no pivoting.
*/
static PetscErrorCode EPSNAPICertify_Factor(Mat M, KSP *solver, Mat *F)
{
  KSPConvergedReason reason;
  PetscReal          norm, rnorm, xnorm;
  KSP                inner;
  PC                 pc;
  Vec                x, y;

  PetscFunctionBegin;
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)M), solver));
  PetscCall(KSPSetOperators(*solver, M, M));
  PetscCall(KSPSetType(*solver, KSPPREONLY));
  PetscCall(KSPGetPC(*solver, &pc));
  PetscCall(PCSetType(pc, PCREDUNDANT));
  PetscCall(PCRedundantGetKSP(pc, &inner));
  PetscCall(KSPSetType(inner, KSPPREONLY));
  PetscCall(KSPGetPC(inner, &pc));
  PetscCall(PCSetType(pc, NAPI_FACTOR_PC));
  PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERPETSC));
  PetscCall(PCFactorSetMatOrderingType(pc, MATORDERINGND));
  if (F) PetscCall(PCFactorSetZeroPivot(pc, 0.0)); /* of an indefinite matrix the smallest pivot may be as small as it likes */
  PetscCall(MatCreateVecs(M, &x, &y));
  PetscCall(VecSetRandom(y, NULL));
  PetscCall(KSPSolve(*solver, y, x));
  PetscCall(KSPGetConvergedReason(*solver, &reason));
  PetscCall(VecNorm(x, NORM_2, &xnorm));
  PetscCall(MatNorm(M, NORM_FROBENIUS, &norm));
  PetscCall(VecScale(y, -1.0));
  PetscCall(MatMultAdd(M, x, y, y));
  PetscCall(VecNorm(y, NORM_2, &rnorm));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  if (reason < 0 || !(rnorm <= NAPI_FACTOR_TRUST * norm * xnorm)) PetscCall(KSPDestroy(solver));
  if (F) *F = NULL;
  if (F && *solver) PetscCall(PCFactorGetMatrix(pc, F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The smallest eigenvalue of B, for how far rounding reaches: a few steps of inverse iteration */
static PetscErrorCode EPSNAPICertify_SmallestEigenvalue(KSP direct, PetscReal *smallest)
{
  PetscReal norm = 1.0;
  PetscInt  i;
  Mat       B;
  Vec       x, y;

  PetscFunctionBegin;
  PetscCall(KSPGetOperators(direct, &B, NULL));
  PetscCall(MatCreateVecs(B, &x, &y));
  PetscCall(VecSetRandom(x, NULL));
  PetscCall(VecNormalize(x, NULL));
  for (i = 0; i < NAPI_INVERSE_STEPS; i++) {
    PetscCall(KSPSolve(direct, x, y));
    PetscCall(VecCopy(y, x));
    PetscCall(VecNormalize(x, &norm));
  }
  *smallest = norm > 0.0 ? NAPI_INVERSE_PART / norm : 0.0;
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What r'B^{-1}r will be bounded by */
static PetscErrorCode EPSNAPICertify_Prepare(EPS eps, NAPICertificate *c)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;
  Mat       G   = ctx->form == NAPI_INVERSE ? ctx->A : ctx->G; /* the user's B */
  PetscBool rows, factor = PETSC_FALSE;
  Mat       B;

  PetscFunctionBegin;
  c->ready = PETSC_TRUE;
  c->kind  = EPS_NAPI_BOUND_CERTIFIED;
  c->lower = G ? 0.0 : 1.0;
  if (G) PetscTryMethod(G, "MatGetLowerBound_C", (Mat, PetscReal *), (G, &c->lower));
  c->smallest = c->lower;
  if (c->lower > 0.0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(EPSNAPIMatHasRows(G, &rows));
  if (rows) {
    PetscCall(EPSNAPICertify_Full(G, &B));
    PetscCall(EPSNAPICertify_Gershgorin(B, &c->weight, &c->lower));
    if (c->lower > 0.0) {
      PetscCall(VecMin(c->weight, NULL, &c->smallest));
      c->smallest *= c->lower;
    } else {
      PetscCall(VecDestroy(&c->weight));
      if (eps->n <= NAPI_FACTOR_MAX) {
        PetscCall(MatGetFactorAvailable(B, MATSOLVERPETSC, NAPI_FACTOR_TYPE, &factor));
        if (!factor) PetscCall(PetscObjectTypeCompareAny((PetscObject)B, &factor, MATMPIAIJ, MATMPIDENSE, ""));
      }
      if (factor) PetscCall(EPSNAPICertify_Factor(B, &c->direct, NULL));
      if (c->direct) PetscCall(EPSNAPICertify_SmallestEigenvalue(c->direct, &c->smallest));
    }
    PetscCall(MatDestroy(&B));
    if (c->smallest > 0.0) PetscFunctionReturn(PETSC_SUCCESS);
  }
  c->kind     = ctx->form == NAPI_DIRECT && !ctx->pconly ? EPS_NAPI_BOUND_ESTIMATED : EPS_NAPI_BOUND_NONE; /* the inner solver is for B, or it is not */
  c->smallest = PETSC_INFINITY;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* d := B^{-1}r by the inner solver, to the accuracy that it has by itself */
static PetscErrorCode EPSNAPICertify_Estimate(EPS eps, Vec r, Vec d)
{
  PetscReal rtol, atol, dtol;
  PetscInt  maxit;
  KSP       ksp;

  PetscFunctionBegin;
  PetscCall(STGetKSP(eps->st, &ksp));
  PetscCall(KSPGetTolerances(ksp, &rtol, &atol, &dtol, &maxit));
  PetscCall(KSPSetTolerances(ksp, NAPI_ESTIMATE_RTOL, atol, dtol, NAPI_ESTIMATE_MAXIT));
  PetscCall(KSPSetInitialGuessNonzero(ksp, PETSC_FALSE));
  PetscCall(KSPSolve(ksp, r, d));
  PetscCall(KSPSetTolerances(ksp, rtol, atol, dtol, maxit));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The norm of r in B^{-1}, or what it is at most; B is half^2 times the user's, of which all we know was found */
static PetscErrorCode EPSNAPICertify_Norm(EPS eps, NAPICertificate *c, PetscReal half, Vec r, PetscReal *norm)
{
  PetscScalar square;
  Vec         d;

  PetscFunctionBegin;
  *norm = PETSC_INFINITY;
  if (c->kind == EPS_NAPI_BOUND_NONE) PetscFunctionReturn(PETSC_SUCCESS);
  if (c->kind == EPS_NAPI_BOUND_CERTIFIED && !c->direct && !c->weight) {
    PetscCall(VecNorm(r, NORM_2, norm));
    *norm /= PetscSqrtReal(c->lower) * half;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecDuplicate(r, &d));
  PetscCall(VecScale(r, 1.0 / half));
  if (c->weight) PetscCall(VecPointwiseDivide(d, r, c->weight));
  else if (c->direct) PetscCall(KSPSolve(c->direct, r, d));
  else PetscCall(EPSNAPICertify_Estimate(eps, r, d));
  PetscCall(VecDot(d, r, &square));
  PetscCall(VecScale(r, half));
  PetscCall(VecDestroy(&d));
  *norm = PetscSqrtReal(PetscMax(PetscRealPart(square), 0.0)) * (c->weight ? 1.0 / PetscSqrtReal(c->lower) : NAPI_SOLVE_SLACK);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   EPSNAPIBoundErrors - Bounds for the n pairs from position first on, whose residuals are in R and were computed with fresh
   products, their vectors in X. What rounding does to a residual is added.
*/
PetscErrorCode EPSNAPIBoundErrors(EPS eps, PetscInt n, PetscInt first, const PetscReal theta[], BV X, BV R)
{
  EPS_NAPI        *ctx     = (EPS_NAPI *)eps->data;
  NAPICertificate *c       = &ctx->certificate;
  const PetscBool  inverse = (PetscBool)(ctx->form == NAPI_INVERSE);
  const PetscReal  half    = inverse ? 1.0 : ctx->bhalf;
  PetscReal        rnorm   = 0.0, xnorm, rounding;
  PetscInt         j;
  Vec              r, x;

  PetscFunctionBegin;
  if (!c->ready) PetscCall(EPSNAPICertify_Prepare(eps, c));
  if (!c->bound) PetscCall(PetscMalloc1(ctx->room + ctx->maxnull, &c->bound));
  for (j = 0; j < ctx->nnull; j++) c->bound[j] = PETSC_INFINITY;
  for (j = 0; j < n; j++) {
    PetscCall(BVGetColumn(R, j, &r));
    PetscCall(EPSNAPICertify_Norm(eps, c, half, r, &rnorm));
    PetscCall(BVRestoreColumn(R, j, &r));
    PetscCall(BVGetColumn(X, j, &x));
    PetscCall(VecNorm(x, NORM_2, &xnorm));
    PetscCall(BVRestoreColumn(X, j, &x));
    if (inverse) { /* r^ = -theta r, and x'B x = theta, each up to the scale of B */
      const PetscReal user = PetscAbsReal(theta[j] * ctx->unscale);

      rounding = (PetscAbsReal(theta[j]) * ctx->bnorm + (2.0 * PetscAbsReal(ctx->usersigma) * user + 1.0) * ctx->anorm) * xnorm;
      rounding *= NAPI_PRODUCT_ROUNDING * PETSC_MACHINE_EPSILON;
      c->bound[ctx->nnull + first + j] = (rnorm + rounding / PetscSqrtReal(c->smallest)) / (PetscSqrtReal(PetscAbsReal(ctx->ascale * theta[j])) * user);
      continue;
    }
    rounding = NAPI_PRODUCT_ROUNDING * PETSC_MACHINE_EPSILON * (ctx->anorm + PetscAbsReal(EPSNAPILambda(ctx, theta[j]) / ctx->unscale) * ctx->bnorm) * xnorm;

    c->bound[ctx->nnull + first + j] = ctx->unscale * (rnorm + rounding / PetscSqrtReal(c->smallest) / half);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -------------------------------------------------- inertia ---------------------------------------------------- */

/* The numbers of negative, zero and positive pivots: F is LDL', or LU without pivoting, where the diagonal of U is D */
static PetscErrorCode EPSNAPICertify_Signs(Mat F, PetscInt signs[])
{
#if defined(PETSC_USE_COMPLEX)
  const PetscScalar *d;
  PetscInt           i, n;
  Vec                D;
#endif

  PetscFunctionBegin;
#if defined(PETSC_USE_COMPLEX)
  PetscCall(MatCreateVecs(F, &D, NULL));
  PetscCall(MatGetDiagonal(F, D));
  PetscCall(VecGetLocalSize(D, &n));
  PetscCall(VecGetArrayRead(D, &d));
  signs[0] = signs[1] = signs[2] = 0;
  for (i = 0; i < n; i++) signs[PetscRealPart(d[i]) > 0.0 ? 2 : PetscRealPart(d[i]) < 0.0 ? 0 : 1]++;
  PetscCall(VecRestoreArrayRead(D, &d));
  PetscCall(VecDestroy(&D));
#else
  PetscCall(MatGetInertia(F, &signs[0], &signs[1], &signs[2]));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The number of eigenvalues of (A,B) above and below sigma, on every rank the same; done is false where it cannot be found */
static PetscErrorCode EPSNAPICertify_Inertia(EPS eps, Mat A, Mat B, PetscReal sigma, PetscInt *above, PetscInt *below, PetscBool *done)
{
  PetscInt signs[3] = {0, 1, 0}; /* of the pivots: where one is zero they tell nothing */
  KSP      solver;
  Mat      C, S, F;

  PetscFunctionBegin;
  PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &C)); /* dense matrices are factored with pivoting, which hides the signs */
  if (B) {
    PetscCall(MatConvert(B, MATAIJ, MAT_INITIAL_MATRIX, &S));
    PetscCall(MatAXPY(C, -sigma, S, DIFFERENT_NONZERO_PATTERN));
    PetscCall(MatDestroy(&S));
  } else PetscCall(MatShift(C, -sigma));
  PetscCall(EPSNAPICertify_Factor(C, &solver, &F));
  if (F) PetscCall(EPSNAPICertify_Signs(F, signs));
  PetscCall(KSPDestroy(&solver));
  PetscCall(MatDestroy(&C));
  PetscCallMPI(MPI_Bcast(signs, 3, MPIU_INT, 0, PetscObjectComm((PetscObject)eps)));
  *below = signs[0];
  *above = signs[2];
  *done  = signs[1] ? PETSC_FALSE : PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How far out an eigenvalue is, in the order of the user: the larger the sooner it is wanted */
static PetscReal EPSNAPICertify_Outward(EPS eps, PetscReal lambda)
{
  switch (((EPS_NAPI *)eps->data)->which) {
  case EPS_LARGEST_REAL:
    return lambda;
  case EPS_SMALLEST_REAL:
    return -lambda;
  case EPS_LARGEST_MAGNITUDE:
    return PetscAbsReal(lambda);
  case EPS_SMALLEST_MAGNITUDE:
    return -PetscAbsReal(lambda);
  default:
    return -PetscAbsReal(lambda - PetscRealPart(eps->target));
  }
}

/* The number of eigenvalues farther out than a limit */
static PetscErrorCode EPSNAPICertify_Beyond(EPS eps, Mat A, Mat B, PetscReal limit, PetscInt *count, PetscBool *done)
{
  const EPSWhich  which  = ((EPS_NAPI *)eps->data)->which;
  const PetscReal centre = which == EPS_SMALLEST_MAGNITUDE || which == EPS_LARGEST_MAGNITUDE ? 0.0 : PetscRealPart(eps->target);
  PetscInt        above, below, least;

  PetscFunctionBegin;
  *count = 0;
  if (which == EPS_LARGEST_REAL || which == EPS_SMALLEST_REAL) {
    PetscCall(EPSNAPICertify_Inertia(eps, A, B, which == EPS_SMALLEST_REAL ? -limit : limit, &above, &below, done));
    *count = which == EPS_SMALLEST_REAL ? below : above;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(EPSNAPICertify_Inertia(eps, A, B, centre + PetscAbsReal(limit), &above, &below, done));
  *count = which == EPS_LARGEST_MAGNITUDE ? above : below;
  if (*done) PetscCall(EPSNAPICertify_Inertia(eps, A, B, centre - PetscAbsReal(limit), &above, &least, done));
  *count += which == EPS_LARGEST_MAGNITUDE ? least : -least;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   EPSNAPICount - Counts the eigenvalues farther out than the last of the nconv that were found, up to what their errors leave
   open, and compares with how many of those found are. missed is the difference, 0 also where they cannot be counted.
*/
PetscErrorCode EPSNAPICount(EPS eps, PetscInt nconv, PetscInt *missed)
{
  EPS_NAPI        *ctx   = (EPS_NAPI *)eps->data;
  NAPICertificate *c     = &ctx->certificate;
  PetscReal        limit = PETSC_MAX_REAL, next, *out, *slack;
  PetscInt         i, nmat, count, found;
  STMatMode        mode;
  PetscBool        rows, done, grown;
  Mat              A, B = NULL;

  PetscFunctionBegin;
  *missed  = 0;
  c->count = c->found = -1;
  if (!nconv || !c->bound || eps->n > NAPI_FACTOR_MAX) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(STGetNumMatrices(eps->st, &nmat));
  PetscCall(STGetMatrix(eps->st, 0, &A));
  PetscCall(EPSNAPIMatHasRows(A, &rows));
  if (nmat > 1) {
    PetscCall(STGetMatrix(eps->st, 1, &B));
    if (rows) PetscCall(EPSNAPIMatHasRows(B, &rows));
  }
  PetscCall(STGetMatMode(eps->st, &mode));
  if ((ctx->usersigma != 0.0 && (ctx->form == NAPI_DIRECT || mode == ST_MATMODE_INPLACE)) || (nmat < 2 && ctx->G && !ctx->B) || ctx->ny) rows = PETSC_FALSE; /* A may be shifted in place; B may not be all there is */
  if (!rows) PetscFunctionReturn(PETSC_SUCCESS);

  /* a limit just beyond the last one, and not within the error of any other */
  PetscCall(PetscMalloc2(nconv, &out, nconv, &slack));
  for (i = 0; i < nconv; i++) {
    out[i]   = EPSNAPICertify_Outward(eps, EPSNAPILambda(ctx, ctx->window.theta[i]));
    slack[i] = NAPI_COUNT_DISTANCE * PetscMax(c->bound[i], NAPI_COUNT_ROUNDING * PETSC_MACHINE_EPSILON * PetscAbsReal(out[i]));
    limit    = PetscMin(limit, out[i]);
  }
  do {
    for (i = 0, next = limit; i < nconv; i++)
      if (PetscAbsReal(out[i] - limit) <= slack[i]) next = PetscMax(next, out[i] + NAPI_COUNT_STEP * slack[i]);
    grown = (PetscBool)(next > limit);
    limit = next;
  } while (grown);
  for (i = 0, found = 0; i < nconv; i++)
    if (out[i] > limit) found++;
  PetscCall(PetscFree2(out, slack));

  c->limit = ctx->which == EPS_LARGEST_REAL || ctx->which == EPS_LARGEST_MAGNITUDE ? limit : -limit;
  PetscCall(EPSNAPICertify_Beyond(eps, A, B, limit, &count, &done));
  if (!done) PetscFunctionReturn(PETSC_SUCCESS);
  c->count = count;
  c->found = found;
  *missed  = PetscMax(0, count - found);
  PetscCall(PetscInfo(eps, "By inertia there are %" PetscInt_FMT " eigenvalues beyond %g, of which %" PetscInt_FMT " were found\n", c->count, (double)c->limit, found));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -------------------------------------------------- results ---------------------------------------------------- */

/*E
   EPSNAPIBoundKind - What an error bound of an eigenvalue is worth

   Values:
+  EPS_NAPI_BOUND_NONE      - there is none
.  EPS_NAPI_BOUND_ESTIMATED - an estimate: no lower bound of the spectrum of B is known
-  EPS_NAPI_BOUND_CERTIFIED - a bound, up to rounding errors

   Level: intermediate

.seealso: EPSNAPI, EPSNAPIGetErrorBound()
E*/
const char *const EPSNAPIBoundKinds[] = {"none", "estimates by the inner solver", "certified", "EPSNAPIBoundKind", "EPS_NAPI_BOUND_", NULL};

PetscErrorCode EPSNAPIGetErrorBound_NAPI(EPS eps, PetscInt i, PetscReal *bound, EPSNAPIBoundKind *kind)
{
  NAPICertificate *c = &((EPS_NAPI *)eps->data)->certificate;

  PetscFunctionBegin;
  PetscCheck(i >= 0 && i < eps->nconv, PetscObjectComm((PetscObject)eps), PETSC_ERR_ARG_OUTOFRANGE, "The index %" PetscInt_FMT " must be between 0 and EPSGetConverged()-1", i);
  if (bound) *bound = c->bound ? c->bound[eps->perm ? eps->perm[i] : i] : PETSC_INFINITY;
  if (kind) *kind = c->bound ? c->kind : EPS_NAPI_BOUND_NONE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   EPSNAPIGetErrorBound - Gets how far an eigenvalue can be from the one that was computed, after a solve with EPS_NAPI_CHECK_CERTIFY.

   Not Collective

   Input Parameters:
+  eps - the eigensolver
-  i   - index of the pair, in the order of EPSGetEigenpair()

   Output Parameters:
+  bound - (or NULL) there is an eigenvalue no farther away than this; PETSC_INFINITY where nothing is known
-  kind  - (or NULL) whether that is certain or an estimate

   Note:
   The bound is the norm of r = A x - lambda B x in B^{-1} for x'B x = 1. It is of first order: the error itself is of the order
   of its square over the gap between eigenvalues, and is mostly much smaller.

   Level: intermediate

.seealso: EPSNAPI, EPSNAPISetCheck(), EPSNAPIGetCount(), EPSNAPIBoundKind
@*/
PetscErrorCode EPSNAPIGetErrorBound(EPS eps, PetscInt i, PetscReal *bound, EPSNAPIBoundKind *kind)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(eps, EPS_CLASSID, 1);
  EPSCheckSolved(eps, 1);
  if (bound) PetscAssertPointer(bound, 3);
  if (kind) PetscAssertPointer(kind, 4);
  PetscUseMethod(eps, "EPSNAPIGetErrorBound_C", (EPS, PetscInt, PetscReal *, EPSNAPIBoundKind *), (eps, i, bound, kind));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode EPSNAPIGetCount_NAPI(EPS eps, PetscReal *limit, PetscInt *count, PetscInt *found)
{
  NAPICertificate *c = &((EPS_NAPI *)eps->data)->certificate;

  PetscFunctionBegin;
  if (limit) *limit = c->limit;
  if (count) *count = c->count;
  if (found) *found = c->found;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   EPSNAPIGetCount - Gets how many eigenvalues there are beyond those that were found, after a solve with EPS_NAPI_CHECK_CERTIFY.

   Not Collective

   Input Parameter:
.  eps - the eigensolver

   Output Parameters:
+  limit - (or NULL) the place from which on eigenvalues were counted: above it, below it for the smallest real ones, beyond plus
           and minus it for those of largest magnitude; with a target, or for the smallest magnitude, the distance up to which. It lies just
           beyond the last eigenvalue that was found.
.  count - (or NULL) the number of eigenvalues there, by inertia, or -1 where they could not be counted
-  found - (or NULL) the number of those that were found there

   Level: intermediate

.seealso: EPSNAPI, EPSNAPISetCheck(), EPSNAPIGetErrorBound()
@*/
PetscErrorCode EPSNAPIGetCount(EPS eps, PetscReal *limit, PetscInt *count, PetscInt *found)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(eps, EPS_CLASSID, 1);
  EPSCheckSolved(eps, 1);
  if (limit) PetscAssertPointer(limit, 2);
  if (count) PetscAssertPointer(count, 3);
  if (found) PetscAssertPointer(found, 4);
  PetscUseMethod(eps, "EPSNAPIGetCount_C", (EPS, PetscReal *, PetscInt *, PetscInt *), (eps, limit, count, found));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode EPSNAPICertificateView(EPS eps, PetscViewer viewer)
{
  EPS_NAPI        *ctx     = (EPS_NAPI *)eps->data;
  NAPICertificate *c       = &ctx->certificate;
  PetscReal        largest = 0.0;
  PetscInt         i;

  PetscFunctionBegin;
  if (!c->bound || eps->state < EPS_STATE_SOLVED) PetscFunctionReturn(PETSC_SUCCESS);
  for (i = 0; i < eps->nconv; i++) largest = PetscMax(largest, c->bound[i]);
  PetscCall(PetscViewerASCIIPrintf(viewer, "  eigenvalue error bounds (%s): at most %g\n", EPSNAPIBoundKinds[c->kind], (double)largest));
  if (c->count < 0) PetscCall(PetscViewerASCIIPrintf(viewer, "  eigenvalues were not counted: that takes matrices whose rows are known, no shift, no deflation space and at most %d unknowns\n", NAPI_FACTOR_MAX));
  else PetscCall(PetscViewerASCIIPrintf(viewer, "  eigenvalues beyond %g by inertia: %" PetscInt_FMT ", found: %" PetscInt_FMT "\n", (double)c->limit, c->count, c->found));
  PetscFunctionReturn(PETSC_SUCCESS);
}
