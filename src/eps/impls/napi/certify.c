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

#define NAPI_FACTOR 20000 /* unknowns up to which we factor B or A - sigma B by ourselves */

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

/* full := M, to be destroyed, as AIJ where only its upper triangle is stored, of whose rows the rest cannot be had */
static PetscErrorCode EPSNAPICertify_Full(Mat M, Mat *full)
{
  PetscBool upper;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)M, &upper, MATSEQSBAIJ, MATMPISBAIJ, ""));
  if (upper) PetscCall(MatConvert(M, MATAIJ, MAT_INITIAL_MATRIX, full));
  else {
    PetscCall(PetscObjectReference((PetscObject)M));
    *full = M;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Gershgorin - A lower bound of the spectrum of D^{-1/2}B D^{-1/2}: 1 - max_i sum_j |b_ij|/sqrt(b_ii b_jj), or nothing where
   that is not positive. Then r'B^{-1}r <= r'D^{-1}r/lower.
*/
static PetscErrorCode EPSNAPICertify_Gershgorin(Mat B, Vec *D, PetscReal *lower)
{
  const PetscScalar *v, *all;
  const PetscInt    *cols;
  PetscReal          sum, worst = 0.0, mine;
  PetscInt           i, j, n, first, last;
  Vec                everywhere;
  VecScatter         scatter;

  PetscFunctionBegin;
  *lower = 0.0;
  PetscCall(MatCreateVecs(B, D, NULL));
  PetscCall(MatGetDiagonal(B, *D));
  PetscCall(VecMin(*D, NULL, &mine));
  if (!(mine > 0.0)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecScatterCreateToAll(*D, &scatter, &everywhere));
  PetscCall(VecScatterBegin(scatter, *D, everywhere, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(scatter, *D, everywhere, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecGetArrayRead(everywhere, &all));
  PetscCall(MatGetOwnershipRange(B, &first, &last));
  for (i = first; i < last; i++) {
    PetscCall(MatGetRow(B, i, &n, &cols, &v));
    for (j = 0, sum = 0.0; j < n; j++)
      if (cols[j] != i) sum += PetscAbsScalar(v[j]) / PetscSqrtReal(PetscRealPart(all[i])) / PetscSqrtReal(PetscRealPart(all[cols[j]]));
    worst = PetscMax(worst, sum);
    PetscCall(MatRestoreRow(B, i, &n, &cols, &v));
  }
  PetscCall(VecRestoreArrayRead(everywhere, &all));
  PetscCall(VecScatterDestroy(&scatter));
  PetscCall(VecDestroy(&everywhere));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPIU_REAL, MPIU_MAX, PetscObjectComm((PetscObject)B)));
  *lower = PetscMax(0.0, 1.0 - worst - 8.0 * PETSC_MACHINE_EPSILON);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* direct := B^{-1} by a factorisation, every rank for itself; NULL where that fails */
static PetscErrorCode EPSNAPICertify_Direct(Mat B, KSP *direct)
{
  PetscMPIInt        size;
  KSP                inner;
  PC                 pc;
  KSPConvergedReason reason;
  Vec                b, x;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)B), &size));
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)B), direct));
  PetscCall(KSPSetOperators(*direct, B, B));
  PetscCall(KSPSetType(*direct, KSPPREONLY));
  PetscCall(KSPGetPC(*direct, &pc));
  if (size > 1) {
    PetscCall(PCSetType(pc, PCREDUNDANT));
    PetscCall(PCRedundantGetKSP(pc, &inner));
    PetscCall(KSPSetType(inner, KSPPREONLY));
    PetscCall(KSPGetPC(inner, &pc));
  }
  PetscCall(PCSetType(pc, NAPI_FACTOR_PC));
  PetscCall(MatCreateVecs(B, &b, &x));
  PetscCall(VecSet(b, 1.0));
  PetscCall(KSPSolve(*direct, b, x));
  PetscCall(KSPGetConvergedReason(*direct, &reason));
  if (reason < 0) PetscCall(KSPDestroy(direct));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The smallest eigenvalue of B, for how far rounding reaches: a few steps of inverse iteration, and a factor to be safe */
static PetscErrorCode EPSNAPICertify_SmallestEigenvalue(KSP direct, PetscReal *smallest)
{
  const PetscInt steps = 8;
  PetscReal      norm  = 1.0;
  PetscInt       i;
  Mat            B;
  Vec            x, y;

  PetscFunctionBegin;
  PetscCall(KSPGetOperators(direct, &B, NULL));
  PetscCall(MatCreateVecs(B, &x, &y));
  PetscCall(VecSetRandom(x, NULL));
  for (i = 0; i < steps; i++) {
    PetscCall(VecNormalize(x, NULL));
    PetscCall(KSPSolve(direct, x, y));
    PetscCall(VecNorm(y, NORM_2, &norm));
    PetscCall(VecCopy(y, x));
  }
  *smallest = norm > 0.0 ? 0.25 / norm : 0.0;
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What r'B^{-1}r will be bounded by */
static PetscErrorCode EPSNAPICertify_Prepare(EPS eps, NAPICertificate *c)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;
  PetscErrorCode (*bound)(Mat, PetscReal *);
  PetscBool rows, factor = PETSC_FALSE;
  Mat       B;

  PetscFunctionBegin;
  c->ready = PETSC_TRUE;
  c->kind  = EPS_NAPI_BOUND_CERTIFIED;
  c->lower = 1.0;
  if (!ctx->G) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectQueryFunction((PetscObject)ctx->G, "MatGetLowerBound_C", &bound));
  if (bound) {
    PetscCall((*bound)(ctx->G, &c->lower));
    if (c->lower > 0.0) PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(EPSNAPIMatHasRows(ctx->G, &rows));
  if (rows) {
    PetscCall(EPSNAPICertify_Full(ctx->G, &B));
    PetscCall(EPSNAPICertify_Gershgorin(B, &c->weight, &c->lower));
    if (!(c->lower > 0.0)) {
      PetscCall(VecDestroy(&c->weight));
      if (eps->n <= NAPI_FACTOR) {
        PetscCall(MatGetFactorAvailable(B, MATSOLVERPETSC, NAPI_FACTOR_TYPE, &factor));
        if (!factor) PetscCall(PetscObjectTypeCompareAny((PetscObject)B, &factor, MATMPIAIJ, MATMPIDENSE, ""));
      }
      if (factor) PetscCall(EPSNAPICertify_Direct(B, &c->direct));
      if (c->direct) PetscCall(EPSNAPICertify_SmallestEigenvalue(c->direct, &c->lower));
    }
    PetscCall(MatDestroy(&B));
    if (c->lower > 0.0) PetscFunctionReturn(PETSC_SUCCESS);
  }
  c->kind = EPS_NAPI_BOUND_ESTIMATED;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An estimate of r'B^{-1}r by the inner solver, to the accuracy that it has by itself */
static PetscErrorCode EPSNAPICertify_Estimate(EPS eps, Vec r, Vec d, PetscScalar *square)
{
  PetscReal rtol, atol, dtol;
  PetscInt  maxit;
  KSP       ksp;

  PetscFunctionBegin;
  PetscCall(STGetKSP(eps->st, &ksp));
  PetscCall(KSPGetTolerances(ksp, &rtol, &atol, &dtol, &maxit));
  PetscCall(KSPSetTolerances(ksp, 1e-8, atol, dtol, 10000));
  PetscCall(KSPSetInitialGuessNonzero(ksp, PETSC_FALSE));
  PetscCall(KSPSolve(ksp, r, d));
  PetscCall(KSPSetTolerances(ksp, rtol, atol, dtol, maxit));
  PetscCall(VecDot(d, r, square));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   EPSNAPIBoundErrors - Bounds for the n pairs from position first on, whose residuals are in R and were computed with fresh
   products, their vectors in W. What rounding does to a residual is added.
*/
PetscErrorCode EPSNAPIBoundErrors(EPS eps, PetscInt n, PetscInt first, const PetscScalar theta[])
{
  EPS_NAPI        *ctx = (EPS_NAPI *)eps->data;
  NAPICertificate *c   = &ctx->certificate;
  PetscReal        rnorm, xnorm, rounding, root, bound;
  PetscScalar      square;
  PetscInt         j;
  Vec              r, x, d;

  PetscFunctionBegin;
  if (!c->ready) PetscCall(EPSNAPICertify_Prepare(eps, c));
  if (!c->bound) PetscCall(PetscCalloc1(ctx->room, &c->bound));
  for (j = 0; j < n; j++) {
    PetscCall(BVGetColumn(ctx->R, j, &r));
    PetscCall(BVGetColumn(ctx->W, j, &x));
    PetscCall(VecNorm(r, NORM_2, &rnorm));
    PetscCall(VecNorm(x, NORM_2, &xnorm));
    rounding = 8.0 * PETSC_MACHINE_EPSILON * (ctx->anorm + PetscAbsScalar(theta[j] + ctx->sigma) * ctx->bnorm) * xnorm;
    if (c->direct || c->kind == EPS_NAPI_BOUND_ESTIMATED) { /* sqrt(r'B^{-1}r), B being bscale times the user's */
      PetscCall(VecDuplicate(r, &d));
      if (ctx->bhalf != 1.0) PetscCall(VecScale(r, 1.0 / ctx->bhalf));
      if (c->direct) {
        PetscCall(KSPSolve(c->direct, r, d));
        PetscCall(VecDot(d, r, &square));
      } else PetscCall(EPSNAPICertify_Estimate(eps, r, d, &square));
      if (ctx->bhalf != 1.0) PetscCall(VecScale(r, ctx->bhalf));
      PetscCall(VecDestroy(&d));
      root  = c->direct ? PetscSqrtReal(c->lower) * ctx->bhalf : PETSC_MAX_REAL;
      bound = 1.01 * PetscSqrtReal(PetscMax(0.0, PetscRealPart(square))) + rounding / root;
    } else if (c->weight) { /* sqrt(r'D^{-1}r/lower) */
      PetscCall(VecDuplicate(r, &d));
      PetscCall(VecPointwiseDivide(d, r, c->weight));
      PetscCall(VecDot(d, r, &square));
      bound = PetscSqrtReal(PetscRealPart(square) / c->lower) / ctx->bhalf;
      PetscCall(VecMin(c->weight, NULL, &root));
      bound += rounding / PetscSqrtReal(root * c->lower) / ctx->bhalf;
      PetscCall(VecDestroy(&d));
    } else bound = (rnorm + rounding) / PetscSqrtReal(c->lower) / (ctx->G ? ctx->bhalf : 1.0);
    PetscCall(BVRestoreColumn(ctx->W, j, &x));
    PetscCall(BVRestoreColumn(ctx->R, j, &r));
    c->bound[first + j] = bound * ctx->unscale;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -------------------------------------------------- inertia ---------------------------------------------------- */

/* The signs of the pivots: F is LDL', or LU without pivoting, where the diagonal of U is D */
static PetscErrorCode EPSNAPICertify_Signs(Mat F, PetscInt *negative, PetscInt *zero, PetscInt *positive)
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
  for (i = 0, *negative = *positive = 0; i < n; i++) {
    if (PetscRealPart(d[i]) > 0.0) (*positive)++;
    else if (PetscRealPart(d[i]) < 0.0) (*negative)++;
  }
  *zero = n - *negative - *positive;
  PetscCall(VecRestoreArrayRead(D, &d));
  PetscCall(VecDestroy(&D));
#else
  PetscCall(MatGetInertia(F, negative, zero, positive));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The number of eigenvalues of (A,B) above and below sigma, on every rank the same; done is false where it cannot be found */
static PetscErrorCode EPSNAPICertify_Inertia(EPS eps, Mat A, Mat B, PetscReal sigma, PetscInt *above, PetscInt *below, PetscBool *done)
{
  const PetscReal sound = 1e-8; /* the backward error of a solve, which tells whether the pivots can be trusted: there is no pivoting */
  PetscMPIInt     size;
  PetscInt        zero = 0, told[3];
  PetscReal       norm, rnorm, xnorm;
  MatFactorError  error;
  MatFactorInfo   info;
  IS              row, col;
  Mat             C, S, F;
  Vec             x, y;

  PetscFunctionBegin;
  *done  = PETSC_FALSE;
  *above = *below = 0;
  PetscCall(EPSNAPICertify_Full(A, &S));
  PetscCall(MatDuplicate(S, MAT_COPY_VALUES, &C));
  PetscCall(MatDestroy(&S));
  if (B) {
    PetscCall(EPSNAPICertify_Full(B, &S));
    PetscCall(MatAXPY(C, -sigma, S, DIFFERENT_NONZERO_PATTERN));
    PetscCall(MatDestroy(&S));
  } else PetscCall(MatShift(C, -sigma));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)eps), &size));
  if (size > 1) {
    PetscCall(MatConvert(C, MATAIJ, MAT_INPLACE_MATRIX, &C));
    PetscCall(MatCreateRedundantMatrix(C, size, MPI_COMM_NULL, MAT_INITIAL_MATRIX, &S));
    PetscCall(MatDestroy(&C));
    C = S;
  }
  PetscCall(MatConvert(C, MATSEQAIJ, MAT_INPLACE_MATRIX, &C));
  if (!PetscDefined(USE_COMPLEX)) PetscCall(MatSetOption(C, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatGetOrdering(C, MATORDERINGND, &row, &col));
  PetscCall(MatGetFactor(C, MATSOLVERPETSC, NAPI_FACTOR_TYPE, &F));
  PetscCall(MatFactorInfoInitialize(&info));
  info.fill = 5.0;
  if (PetscDefined(USE_COMPLEX)) { /* rows and columns in the same order, so that the signs are those of C */
    PetscCall(MatLUFactorSymbolic(F, C, row, row, &info));
    PetscCall(MatLUFactorNumeric(F, C, &info));
  } else {
    PetscCall(MatCholeskyFactorSymbolic(F, C, row, &info));
    PetscCall(MatCholeskyFactorNumeric(F, C, &info));
  }
  PetscCall(MatFactorGetError(F, &error));
  if (!error) {
    PetscCall(MatCreateVecs(C, &x, &y));
    PetscCall(VecSetRandom(y, NULL));
    PetscCall(MatSolve(F, y, x));
    PetscCall(VecNorm(x, NORM_2, &xnorm));
    PetscCall(MatNorm(C, NORM_FROBENIUS, &norm));
    PetscCall(VecScale(y, -1.0));
    PetscCall(MatMultAdd(C, x, y, y));
    PetscCall(VecNorm(y, NORM_2, &rnorm));
    PetscCall(EPSNAPICertify_Signs(F, below, &zero, above));
    *done = (PetscBool)(!zero && rnorm <= sound * norm * xnorm);
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
  }
  PetscCall(ISDestroy(&row));
  PetscCall(ISDestroy(&col));
  PetscCall(MatDestroy(&F));
  PetscCall(MatDestroy(&C));
  told[0] = *above;
  told[1] = *below;
  told[2] = *done ? 1 : 0;
  PetscCallMPI(MPI_Bcast(told, 3, MPIU_INT, 0, PetscObjectComm((PetscObject)eps)));
  *above = told[0];
  *below = told[1];
  *done  = told[2] ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How far out an eigenvalue is, in the order of the user: the larger the sooner it is wanted */
static PetscReal EPSNAPICertify_Outward(EPS eps, PetscReal lambda)
{
  switch (eps->which) {
  case EPS_LARGEST_REAL:
    return lambda;
  case EPS_SMALLEST_REAL:
    return -lambda;
  default:
    return PetscAbsReal(lambda);
  }
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
  PetscInt         i, above, below, found;
  PetscBool        rows = PETSC_FALSE, done, moved = PETSC_TRUE;
  PetscInt         nmat;
  Mat              A, B = NULL;

  PetscFunctionBegin;
  *missed  = 0;
  c->count = c->found = -1;
  if (!nconv || !c->bound || eps->n > NAPI_FACTOR) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(STGetNumMatrices(eps->st, &nmat));
  PetscCall(STGetMatrix(eps->st, 0, &A));
  PetscCall(EPSNAPIMatHasRows(A, &rows));
  if (nmat > 1) {
    PetscCall(STGetMatrix(eps->st, 1, &B));
    if (rows) PetscCall(EPSNAPIMatHasRows(B, &rows));
  }
  if (ctx->usersigma != 0.0 || (ctx->G && !ctx->B) || eps->nds) rows = PETSC_FALSE; /* A may be shifted in place; B may not be all there is */
  if (!rows) PetscFunctionReturn(PETSC_SUCCESS);

  /* a limit just beyond the last one, and not within the error of any other */
  PetscCall(PetscMalloc2(nconv, &out, nconv, &slack));
  for (i = 0; i < nconv; i++) {
    out[i]   = EPSNAPICertify_Outward(eps, PetscRealPart(eps->eigr[i]));
    slack[i] = 2.0 * PetscMax(c->bound[i], 10.0 * PETSC_MACHINE_EPSILON * PetscAbsReal(out[i]));
    limit    = PetscMin(limit, out[i]);
  }
  while (moved) {
    moved = PETSC_FALSE;
    for (i = 0, next = limit; i < nconv; i++)
      if (PetscAbsReal(out[i] - limit) <= slack[i]) next = PetscMax(next, out[i] + 1.5 * slack[i]);
    if (next > limit) moved = PETSC_TRUE;
    limit = next;
  }
  for (i = 0, found = 0; i < nconv; i++)
    if (out[i] > limit) found++;
  PetscCall(PetscFree2(out, slack));

  c->limit = eps->which == EPS_SMALLEST_REAL ? -limit : limit;
  PetscCall(EPSNAPICertify_Inertia(eps, A, B, c->limit, &above, &below, &done));
  if (done && eps->which == EPS_SMALLEST_REAL) c->count = below;
  else if (done) c->count = above;
  if (done && eps->which == EPS_LARGEST_MAGNITUDE) {
    PetscCall(EPSNAPICertify_Inertia(eps, A, B, -c->limit, &above, &below, &done));
    if (done) c->count += below;
    else c->count = -1;
  }
  if (!done) PetscFunctionReturn(PETSC_SUCCESS);
  c->found = found;
  *missed  = PetscMax(0, c->count - found);
  PetscCall(PetscInfo(eps, "By inertia there are %" PetscInt_FMT " eigenvalues beyond %g, of which %" PetscInt_FMT " were found\n", c->count, (double)c->limit, found));
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
  if (c->count < 0) PetscCall(PetscViewerASCIIPrintf(viewer, "  eigenvalues were not counted: that takes matrices whose rows are known, no shift, no deflation space and at most %d unknowns\n", NAPI_FACTOR));
  else PetscCall(PetscViewerASCIIPrintf(viewer, "  eigenvalues beyond %g by inertia: %" PetscInt_FMT ", found: %" PetscInt_FMT "\n", (double)c->limit, c->count, c->found));
  PetscFunctionReturn(PETSC_SUCCESS);
}

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
+  bound - there is an eigenvalue no farther away than this; PETSC_INFINITY where nothing is known
-  kind  - whether that is certain or an estimate

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
+  limit - the place from which on eigenvalues were counted: above it, below it for the smallest real ones, beyond plus and minus
           it for those of largest magnitude. It lies just beyond the last eigenvalue that was found.
.  count - the number of eigenvalues there, by inertia, or -1 where they could not be counted
-  found - the number of those that were found there

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
