/* SPDX-License-Identifier: BSD-2-Clause */
/*
   KSPBLOCKCG = "blockcg": the conjugate gradient method for A X = B with several right-hand sides, A Hermitian positive
   definite, in which all columns share one Krylov space.

   How this file is built, and how to read it (it is in this order):

     Gemm(), Gram(), ColumnDots()    products of tall blocks with small matrices, and of tall blocks with each other:
                                     the latter are the reductions, two an iteration
     Eigen(), Factor(), Indefinite() the small Hermitian matrices: what is their rank, and are they positive
     BlockCGPrepare(), ...           the storage, kept from solve to solve, and the operators applied to a block
     BlockCGTest()                   the convergence test of many columns, most of it in ../columns
     Radau...()                      the certified bound of the energy error
     BlockCGSolve()                  the method
     KSPSetUp_BlockCG(), ...         what every KSP type has: set-up, solve, setters, view, destroy, create

   The method is O'Leary's in the form of Dubrulle's "R variant": the residual block is kept as B - A X = Q C with Q
   orthonormal in the inner product of the preconditioner M^{-1}, so that columns which depend on each other, differ in
   scale by many orders, or converge early do no harm. With p right-hand sides, Q and S are n x r, r <= p:

     Q_0 C_0 = B - A X_0,  S_0 = M^{-1} Q_0
     a = (S'A S)^{-1}                      r x r
     X <- X + S a C                        C is r x p
     R = Q - (A S) a                       the residual is now R C: its norms need no preconditioner
     Z = M^{-1} R
     R'Z = z'z,  Q <- R z^{-1}             by eigenvectors of the scaled R'Z, which also shows its rank (SVQB)
     S <- Z z^{-1} + S z'
     C <- z C

   The small matrices are computed by every process for itself, from the same reduced numbers.

   Where rank is lost, what was left out of Q C (1e-7 of a column at most) would be forgotten: from then on the residual
   itself is updated along with the rest, and when Q C has converged the method starts again from it.

   References:
     D. P. O'Leary, The block conjugate gradient algorithm and related methods, Linear Algebra Appl. 29 (1980), 293-322.
     A. A. Dubrulle, Retooling the method of block conjugate gradients, ETNA 12 (2001), 216-233.
     A. Stathopoulos and K. Wu, A block orthogonalization procedure with constant synchronization requirements, SIAM J.
       Sci. Comput. 23 (2002), 2165-2182 (SVQB).
     G. H. Golub and G. Meurant, Matrices, moments and quadrature II, BIT 37 (1997), 687-705 (the bound for one column).
*/
#include <slepcnapi/private/kspcolumns.h>
#include <petscblaslapack.h>
#include <slepcnapi.h>
#include <slepcnapi/private/napicompat.h>

SLEPC_EXTERN PetscErrorCode KSPCreate_BlockCG(KSP);

/* The blocks, p columns each, lie behind each other in this order, so that [Z R] and [R W S] are blocks as well */
enum {
  BLOCK_Z,
  BLOCK_R,
  BLOCK_W,
  BLOCK_S,
  BLOCKS
};

#define CHUNK 512 /* rows transformed at a time: small enough for the cache */

/* Small matrices, p x p: what each holds is told by BlockCGSolve() */
enum {
  SMALL_GRAM,
  SMALL_GRAM2,
  SMALL_GRAM3,
  SMALL_EIG,
  SMALL_T,
  SMALL_Z,
  SMALL_C,
  SMALL_CNEW,
  SMALL_A,
  SMALL_AC,
  SMALL_BINV,
  SMALL_BC,
  SMALL_TMP,
  SMALL_GAMMA,
  SMALL_K,
  SMALL_ZB,
  SMALLS
};
enum {
  REAL_S,
  REAL_LAMBDA,
  REAL_NORM2,
  REAL_REF,
  REAL_DEC,
  REAL_LOST,
  REAL_BOUND,
  REAL_BREF,
  REAL_DOTS,
  REAL_DOTS2,
  REAL_RWORK,
  REAL_RWORK2,
  REAL_RWORK3,
  REALS
};

/* Matrices that show the first r columns of the blocks, and the product W = A S set up for them */
typedef struct {
  PetscInt p, r;
  Mat      Z, R, W, S;
} BlockCGViews;

typedef struct {
  PetscReal mu; /* lower bound of the spectrum of M^{-1} A, or 0: not known */

  /* storage, kept while sizes repeat */
  Mat              A; /* what the views were made for; the products hold a reference */
  PetscObjectState nonzerostate;
  PetscInt         n, N, pmax; /* rows here and in all, and columns there is room for */
  PetscScalar     *block;      /* Z, R, W, S */
  PetscScalar     *resid;      /* n x p, the residual, on demand */
  Mat              residmat;   /* and as a matrix */
  PetscScalar     *chunk, *small, *work;
  PetscReal       *real;
  PetscBLASInt     lwork;
  BlockCGViews    *full, part; /* full[p] has r = p; part is for ranks below p */

  /* the solve, and what is left of it for KSPBlockCGGetResidual() and KSPBlockCGGetErrorBound() */
  PetscInt  p, r;
  PetscBool apart; /* the residual is in resid, not R C: rank was lost */
  PetscBool solved;
  PetscBool bounded; /* the bounds hold, and are what is tested */
  PetscReal scale;   /* the largest reference norm of a column */
  PetscReal poison;  /* NaN where the preconditioner failed here: the next reduction tells everybody */
} KSP_BlockCG;

#define Block(cg, k) ((cg)->block + (size_t)(k) * (size_t)(cg)->p * (size_t)(cg)->n)
#define Small(cg, k) ((cg)->small + (size_t)(k) * (size_t)(cg)->pmax * (size_t)(cg)->pmax)
#define Real(cg, k)  ((cg)->real + (k) * (cg)->pmax)

static PetscReal NotANumber(void)
{
  volatile PetscReal zero = 0.0;

  return zero / zero;
}

/* ------------------------------------------- products and reductions ------------------------------------------- */

/* C = alpha op(A) op(B) + beta C, op being nothing "N" or the conjugate transpose "C" */
static PetscErrorCode Gemm(const char *opa, const char *opb, PetscInt m, PetscInt n, PetscInt k, PetscScalar alpha, const PetscScalar *A, PetscInt lda, const PetscScalar *B, PetscInt ldb, PetscScalar beta, PetscScalar *C, PetscInt ldc)
{
  PetscBLASInt bm, bn, bk, la, lb, lc;

  PetscFunctionBegin;
  if (!m || !n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscBLASIntCast(m, &bm));
  PetscCall(PetscBLASIntCast(n, &bn));
  PetscCall(PetscBLASIntCast(k, &bk));
  PetscCall(PetscBLASIntCast(PetscMax(1, lda), &la));
  PetscCall(PetscBLASIntCast(PetscMax(1, ldb), &lb));
  PetscCall(PetscBLASIntCast(PetscMax(1, ldc), &lc));
  PetscCallBLAS("BLASgemm", BLASgemm_(opa, opb, &bm, &bn, &bk, &alpha, A, &la, B, &lb, &beta, C, &lc));
  PetscCall(PetscLogFlops(2.0 * m * n * k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Gram - G = [U_1 U_2 ...]' V for count blocks from first on, all of r columns, reduced over all processes. G has
   count*r rows. finite is false where one of its numbers is NaN or Inf.
*/
static PetscErrorCode Gram(KSP ksp, PetscInt first, PetscInt count, PetscInt with, PetscScalar *G, PetscBool *finite)
{
  KSP_BlockCG *cg = (KSP_BlockCG *)ksp->data;
  PetscInt     i, j, r = cg->r, size = count * r * r;
  PetscMPIInt  msize;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(G, size));
  for (j = 0; j < cg->n; j += CHUNK) { /* all at once, BLAS would copy the blocks first */
    PetscInt m = PetscMin(CHUNK, cg->n - j);

    if (r == cg->p) PetscCall(Gemm("C", "N", count * r, r, m, 1.0, Block(cg, first) + j, cg->n, Block(cg, with) + j, cg->n, 1.0, G, count * r));
    else
      for (i = 0; i < count; i++) PetscCall(Gemm("C", "N", r, r, m, 1.0, Block(cg, first + i) + j, cg->n, Block(cg, with) + j, cg->n, 1.0, G + i * r, count * r));
  }
  if (size) G[0] += cg->poison;
  PetscCall(PetscMPIIntCast(size, &msize));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, G, msize, MPIU_SCALAR, MPIU_SUM, PetscObjectComm((PetscObject)ksp)));
  for (i = 0, *finite = PETSC_TRUE; i < size; i++)
    if (PetscIsInfOrNanScalar(G[i])) *finite = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* dots_j = Re(u_j' v_j), here only: the caller reduces them, several at a time */
static void LocalDots(PetscInt n, PetscInt p, const PetscScalar *U, PetscInt ldu, const PetscScalar *V, PetscInt ldv, PetscReal *dots)
{
  PetscInt i, j;

  for (j = 0; j < p; j++) {
    const PetscScalar *u = U + j * ldu, *v = V + j * ldv;
    PetscReal          sum = 0.0;

    for (i = 0; i < n; i++) sum += PetscRealPart(PetscConj(u[i]) * v[i]);
    dots[j] = sum;
  }
  (void)PetscLogFlops(2.0 * n * p);
}

static PetscErrorCode ReduceDots(KSP ksp, PetscInt size, PetscReal *dots)
{
  PetscMPIInt msize;

  PetscFunctionBegin;
  if (size) dots[0] += ((KSP_BlockCG *)ksp->data)->poison;
  PetscCall(PetscMPIIntCast(size, &msize));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, dots, msize, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)ksp)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------- small Hermitian matrices ------------------------------------------- */

/* The Hermitian part of a block of r rows out of G, into E */
static void HermitianPart(PetscInt r, const PetscScalar *G, PetscInt ldg, PetscScalar *E)
{
  PetscInt i, j;

  for (j = 0; j < r; j++) {
    for (i = 0; i <= j; i++) {
      E[i + j * r] = 0.5 * (G[i + j * ldg] + PetscConj(G[j + i * ldg]));
      E[j + i * r] = PetscConj(E[i + j * r]);
    }
  }
}

/* E = V diag(lambda) V', V in the place of E, lambda ascending */
static PetscErrorCode Eigen(KSP_BlockCG *cg, PetscInt r, PetscScalar *E, PetscReal *lambda)
{
  PetscBLASInt br, info;

  PetscFunctionBegin;
  if (r == 1) { /* one right-hand side: what KSPCG does, and at its price */
    lambda[0] = PetscRealPart(E[0]);
    E[0]      = 1.0;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscBLASIntCast(r, &br));
  PetscCall(PetscFPTrapPush(PETSC_FP_TRAP_OFF));
#if defined(PETSC_USE_COMPLEX)
  PetscCallBLAS("LAPACKsyev", LAPACKsyev_("V", "U", &br, E, &br, lambda, cg->work, &cg->lwork, Real(cg, REAL_RWORK), &info));
#else
  PetscCallBLAS("LAPACKsyev", LAPACKsyev_("V", "U", &br, E, &br, lambda, cg->work, &cg->lwork, &info));
#endif
  PetscCall(PetscFPTrapPop());
  PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_LIB, "Eigenvalues of a %" PetscInt_FMT " x %" PetscInt_FMT " Hermitian matrix: LAPACKsyev returned %d", r, r, (int)info);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Factor - Of a Gram matrix E = U'V, r x r: s_i = E_ii^{-1/2} (0 where E_ii <= 0), s E s = V Lambda V', V in the place of
   E. The last rank eigenvalues are those that rounding has not made; doubtful says that there is something below zero
   which may or may not be rounding.
*/
static PetscErrorCode Factor(KSP_BlockCG *cg, PetscInt r, PetscScalar *E, PetscReal *s, PetscReal *lambda, PetscInt *rank, PetscBool *doubtful)
{
  PetscInt i, j;

  PetscFunctionBegin;
  *doubtful = PETSC_FALSE;
  for (i = 0; i < r; i++) {
    PetscReal d = PetscRealPart(E[i + i * r]);

    s[i] = d > 0.0 ? 1.0 / PetscSqrtReal(d) : 0.0;
    if (d < 0.0) *doubtful = PETSC_TRUE;
  }
  for (j = 0; j < r; j++)
    for (i = 0; i < r; i++) E[i + j * r] = i == j ? (s[i] > 0.0 ? 1.0 : 0.0) : s[i] * s[j] * E[i + j * r];
  PetscCall(Eigen(cg, r, E, lambda));
  for (i = 0; i < r && !(lambda[i] > 1e-14 * lambda[r - 1] && lambda[i] > 0.0); i++)
    ;
  *rank = r - i;
  if (lambda[0] < -1e-14 * r * PetscAbsReal(lambda[r - 1])) *doubtful = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Indefinite - Whether the operator V = Op(U) has shown itself not to be positive: E = U'V, U and V of r columns, has
   a diagonal entry (in diag, which has the stride ld) or an eigenvalue after scaling (lmin) below zero by more than
   the rounding of Op(U), eps ||Op|| ||u||, explains. ||Op|| is judged by ||v||/||u||.
*/
static PetscErrorCode Indefinite(KSP ksp, PetscInt u, PetscInt v, const PetscScalar *diag, PetscInt ld, const PetscReal *s, PetscReal lmin, PetscBool *indefinite)
{
  KSP_BlockCG *cg   = (KSP_BlockCG *)ksp->data;
  PetscReal   *dots = Real(cg, REAL_DOTS), tol, norm = 0.0, width = 0.0;
  PetscInt     i, r = cg->r;

  PetscFunctionBegin;
  LocalDots(cg->n, r, Block(cg, u), cg->n, Block(cg, u), cg->n, dots);
  LocalDots(cg->n, r, Block(cg, v), cg->n, Block(cg, v), cg->n, dots + r);
  PetscCall(ReduceDots(ksp, 2 * r, dots));
  for (i = 0; i < r; i++)
    if (dots[i] > 0.0) norm = PetscMax(norm, PetscSqrtReal(dots[r + i] / dots[i]));
  tol         = PETSC_MACHINE_EPSILON * (100.0 + PetscSqrtReal((PetscReal)cg->N)) * norm;
  *indefinite = PETSC_FALSE;
  for (i = 0; i < r; i++) {
    if (PetscRealPart(diag[i * (ld + 1)]) < -tol * dots[i]) *indefinite = PETSC_TRUE;
    width = PetscMax(width, dots[i] * s[i] * s[i]);
  }
  if (lmin < -tol * r * width) *indefinite = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------- storage and operators ------------------------------------------- */

static PetscErrorCode ViewsDestroy(BlockCGViews *views)
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(&views->W)); /* first: its product holds S and A */
  PetscCall(MatDestroy(&views->S));
  PetscCall(MatDestroy(&views->R));
  PetscCall(MatDestroy(&views->Z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AllViewsDestroy(KSP_BlockCG *cg)
{
  PetscInt i;

  PetscFunctionBegin;
  if (cg->full)
    for (i = 0; i <= cg->pmax; i++) PetscCall(ViewsDestroy(&cg->full[i]));
  PetscCall(ViewsDestroy(&cg->part));
  PetscCall(MatDestroy(&cg->residmat));
  cg->A = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPReset_BlockCG(KSP ksp)
{
  KSP_BlockCG *cg = (KSP_BlockCG *)ksp->data;

  PetscFunctionBegin;
  PetscCall(AllViewsDestroy(cg));
  PetscCall(PetscFree(cg->full));
  PetscCall(PetscFree(cg->block));
  PetscCall(PetscFree(cg->resid));
  PetscCall(PetscFree(cg->chunk));
  PetscCall(PetscFree(cg->small));
  PetscCall(PetscFree(cg->work));
  PetscCall(PetscFree(cg->real));
  cg->pmax   = 0;
  cg->solved = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Room for p columns. Nothing happens here when the sizes and the matrix are those of an earlier solve. */
static PetscErrorCode BlockCGPrepare(KSP ksp, PetscInt p)
{
  KSP_BlockCG     *cg = (KSP_BlockCG *)ksp->data;
  Mat              A;
  PetscObjectState state;
  PetscInt         n, N;
  size_t           pp = (size_t)p * (size_t)p;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(ksp->pc, &A, NULL));
  PetscCall(MatGetNonzeroState(A, &state));
  PetscCall(MatGetLocalSize(A, &n, NULL));
  PetscCall(MatGetSize(A, &N, NULL));
  if (cg->A && (A != cg->A || state != cg->nonzerostate)) PetscCall(AllViewsDestroy(cg));
  if (p > cg->pmax || n != cg->n) {
    PetscCall(KSPReset_BlockCG(ksp));
    PetscCall(PetscMalloc1((size_t)BLOCKS * (size_t)p * (size_t)n + 1, &cg->block));
    PetscCall(PetscMalloc1((size_t)CHUNK * (size_t)p, &cg->chunk));
    PetscCall(PetscMalloc1(SMALLS * pp, &cg->small));
    PetscCall(PetscMalloc1(REALS * p, &cg->real));
    PetscCall(PetscBLASIntCast(66 * p, &cg->lwork)); /* LAPACK's block size is 64 at most */
    PetscCall(PetscMalloc1(cg->lwork, &cg->work));
    PetscCall(PetscCalloc1(p + 1, &cg->full));
    cg->pmax = p;
  }
  cg->A            = A;
  cg->nonzerostate = state;
  cg->n            = n;
  cg->N            = N;
  cg->p            = p;
  cg->poison       = 0.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Storage for the residual, apart from R C */
static PetscErrorCode BlockCGResidualRoom(KSP_BlockCG *cg)
{
  PetscFunctionBegin;
  if (!cg->resid) PetscCall(PetscMalloc1((size_t)cg->pmax * (size_t)cg->n + 1, &cg->resid));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode DenseView(KSP ksp, PetscInt columns, PetscScalar *array, Mat *M)
{
  KSP_BlockCG *cg = (KSP_BlockCG *)ksp->data;

  PetscFunctionBegin;
  PetscCall(MatCreateDense(PetscObjectComm((PetscObject)ksp), cg->n, PETSC_DECIDE, cg->N, columns, array, M));
  PetscCall(MatSetOption(*M, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE));
  PetscCall(MatAssemblyBegin(*M, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*M, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetViews(KSP ksp, BlockCGViews **views)
{
  KSP_BlockCG  *cg = (KSP_BlockCG *)ksp->data;
  BlockCGViews *v  = cg->r == cg->p ? &cg->full[cg->p] : &cg->part;

  PetscFunctionBegin;
  *views = v;
  if (v->W && v->p == cg->p && v->r == cg->r) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ViewsDestroy(v));
  v->p = cg->p;
  v->r = cg->r;
  PetscCall(DenseView(ksp, cg->r, Block(cg, BLOCK_Z), &v->Z));
  PetscCall(DenseView(ksp, cg->r, Block(cg, BLOCK_R), &v->R));
  PetscCall(DenseView(ksp, cg->r, Block(cg, BLOCK_S), &v->S));
  PetscCall(DenseView(ksp, cg->r, Block(cg, BLOCK_W), &v->W));
  PetscCall(MatProductCreateWithMat(cg->A, v->S, NULL, v->W));
  PetscCall(MatProductSetType(v->W, MATPRODUCT_AB));
  PetscCall(MatProductSetFromOptions(v->W));
  PetscCall(MatProductSymbolic(v->W)); /* once for as long as A, p and r stay */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RemoveNullSpace(MatNullSpace nullsp, Mat M, PetscInt columns)
{
  PetscInt j;
  Vec      v;

  PetscFunctionBegin;
  for (j = 0; j < columns; j++) {
    PetscCall(MatDenseGetColumnVec(M, j, &v));
    PetscCall(MatNullSpaceRemove(nullsp, v));
    PetscCall(MatDenseRestoreColumnVec(M, j, &v));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* W = A S */
static PetscErrorCode ApplyA(KSP ksp)
{
  BlockCGViews *views;

  PetscFunctionBegin;
  PetscCall(GetViews(ksp, &views));
  PetscCall(PetscObjectStateIncrease((PetscObject)views->S));
  PetscCall(MatProductNumeric(views->W));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Z = M^{-1} R */
static PetscErrorCode ApplyM(KSP ksp)
{
  KSP_BlockCG  *cg = (KSP_BlockCG *)ksp->data;
  BlockCGViews *views;
  MatNullSpace  nullsp;

  PetscFunctionBegin;
  PetscCall(GetViews(ksp, &views));
  PetscCall(PetscObjectStateIncrease((PetscObject)views->R));
  PetscCall(PCMatApply(ksp->pc, views->R, views->Z));
  PetscCall(MatGetNullSpace(cg->A, &nullsp));
  if (nullsp) PetscCall(RemoveNullSpace(nullsp, views->Z, cg->r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The residual block as it stands, B - A X = R C, into resid */
static PetscErrorCode BlockCGFormResidual(KSP_BlockCG *cg)
{
  PetscFunctionBegin;
  PetscCall(BlockCGResidualRoom(cg));
  PetscCall(Gemm("N", "N", cg->n, cg->p, cg->r, 1.0, Block(cg, BLOCK_R), cg->n, Small(cg, SMALL_C), cg->p, 0.0, cg->resid, cg->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Transform - R <- R T and, last of all, S <- Z T + S z'; in a pass before the last, Z <- Z T and S <- S z'. T is r x
   rank and z rank x r. In place, a chunk of rows at a time. Without a past (fresh) there is no S yet.
*/
static PetscErrorCode Transform(KSP_BlockCG *cg, PetscInt rank, const PetscScalar *T, const PetscScalar *z, PetscBool fresh, PetscBool last)
{
  PetscScalar *R = Block(cg, BLOCK_R), *Z = Block(cg, BLOCK_Z), *S = Block(cg, BLOCK_S), *buf = cg->chunk;
  PetscInt     i, j, m, r = cg->r, n = cg->n;

  PetscFunctionBegin;
  for (i = 0; i < n; i += CHUNK) {
    m = PetscMin(CHUNK, n - i);
    PetscCall(Gemm("N", "N", m, rank, r, 1.0, R + i, n, T, r, 0.0, buf, m));
    for (j = 0; j < rank; j++) PetscCall(PetscArraycpy(R + i + j * n, buf + j * m, m));
    PetscCall(Gemm("N", "N", m, rank, r, 1.0, Z + i, n, T, r, 0.0, buf, m));
    if (!last) {
      for (j = 0; j < rank; j++) PetscCall(PetscArraycpy(Z + i + j * n, buf + j * m, m));
      if (fresh) continue;
    }
    if (!fresh) PetscCall(Gemm("N", "C", m, rank, r, 1.0, S + i, n, z, rank, last ? 1.0 : 0.0, buf, m));
    for (j = 0; j < rank; j++) PetscCall(PetscArraycpy(S + i + j * n, buf + j * m, m));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------- the convergence test ------------------------------------------- */

/* The test of all columns, by residual norms or, where they are known, by bounds of the energy errors */
static PetscErrorCode BlockCGTest(KSP ksp, Mat B, Mat X, PetscBool report)
{
  KSP_BlockCG *cg   = (KSP_BlockCG *)ksp->data;
  PetscReal   *norm = Real(cg, REAL_RWORK2), *ref = Real(cg, REAL_RWORK3);
  PetscInt     l;

  PetscFunctionBegin;
  for (l = 0; l < cg->p; l++) {
    if (cg->bounded) { /* ||e_j||_A over a lower bound of ||e_0||_A */
      norm[l] = Real(cg, REAL_BOUND)[l];
      ref[l]  = ksp->its ? PetscSqrtReal(Real(cg, REAL_DEC)[l]) : Real(cg, REAL_BREF)[l];
    } else {
      norm[l] = PetscSqrtReal(Real(cg, REAL_NORM2)[l]);
      ref[l]  = Real(cg, REAL_REF)[l];
    }
  }
  PetscCall(KSPColumnsTest(ksp, B, X, cg->p, norm, ref, cg->scale, report));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Called where a reduction has come out as NaN or Inf: the preconditioner may have failed on some process */
static PetscErrorCode NotFinite(KSP ksp, Mat X)
{
  KSP_BlockCG *cg     = (KSP_BlockCG *)ksp->data;
  PetscBool    failed = PETSC_FALSE;
  PetscScalar *x;
  PetscInt     i, j, ld;

  PetscFunctionBegin;
  PetscCall(NAPIPCFailed(ksp->pc, &failed));
  ksp->rnorm = NotANumber();
  if (failed) {
    ksp->reason = KSP_DIVERGED_PC_FAILED;
    PetscCall(PetscInfo(ksp, "diverging: the preconditioner failed\n"));
    PetscCall(KSPColumnsGetSolution(ksp, X, &x, &ld)); /* so that an outer solver notices */
    for (j = 0; j < cg->p; j++)
      for (i = 0; i < cg->n; i++) x[i + j * ld] = NotANumber();
    PetscCall(KSPColumnsRestoreSolution(ksp, X, &x));
  } else {
    ksp->reason = KSP_DIVERGED_NANORINF;
    PetscCall(PetscInfo(ksp, "diverging: NaN or Inf in an inner product at iteration %" PetscInt_FMT "\n", ksp->its));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------- the bound of the energy error ------------------------------------------- */

/*
   For every j, Gamma_j is a matrix with Q_j'A^{-1}Q_j <= Gamma_j, so that column l of C, c, has the error
   ||e||_A^2 = c'Q'A^{-1}Q c <= c'Gamma c. Block Lanczos of M^{-1}A in the basis Q has the block tridiagonal matrix
   T_jj = a_j^{-1} + z_j a_{j-1}^{-1} z_j', T_{j+1,j} = -z_{j+1} a_j^{-1}, and T - mu I >= 0. Gauss-Radau quadrature
   replaces what T has from block j on by the smallest that this allows; eliminating the blocks before j gives

     Gamma_0 = I/mu,   Gamma_{j+1} = (mu I + z_{j+1} (Gamma_j - a_j)^{-1} z_{j+1}')^{-1},

   for one column the recurrence of Golub and Meurant. Before z_{j+1} is known, c'(Gamma_j - a_j)c bounds the same error.
   With b b' = S'A S = a^{-1} all is done in terms of K = b'Gamma b - I, Gamma_j - a_j = b'^{-1} K b^{-1}: K must be
   positive, and an eigenvalue below zero says that mu is not a lower bound.
*/

/* Gamma = I/mu, rank x rank */
static void RadauStart(KSP_BlockCG *cg, PetscInt rank)
{
  PetscScalar *gamma = Small(cg, SMALL_GAMMA);
  PetscInt     i;

  for (i = 0; i < rank * rank; i++) gamma[i] = i % (rank + 1) ? 0.0 : 1.0 / cg->mu;
}

/* bound_l = ||e_l||_A <= sqrt(c'Gamma c) + what was lost with the rank; c, ld columns apart, of rank rows */
static PetscErrorCode RadauBounds(KSP_BlockCG *cg, PetscInt rank, const PetscScalar *gamma, const PetscScalar *C, PetscInt ldc)
{
  PetscScalar *GC = Small(cg, SMALL_TMP);
  PetscInt     i, l;

  PetscFunctionBegin;
  PetscCall(Gemm("N", "N", rank, cg->p, rank, 1.0, gamma, rank, C, ldc, 0.0, GC, cg->p));
  for (l = 0; l < cg->p; l++) {
    PetscReal sum = 0.0;

    for (i = 0; i < rank; i++) sum += PetscRealPart(PetscConj(C[i + l * ldc]) * GC[i + l * cg->p]);
    Real(cg, REAL_BOUND)[l] = PetscSqrtReal(PetscMax(sum, 0.0)) + Real(cg, REAL_LOST)[l] / PetscSqrtReal(cg->mu);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   K = b'Gamma b - I with b = s^{-1} V Lambda^{1/2} from the factors of S'A S (V in E), and b^{-1} C in SMALL_BC; then
   the bounds of the errors after this iteration. SMALL_ZB becomes b, for RadauUpdate() after z has been applied to it.
*/
static PetscErrorCode RadauStep(KSP ksp)
{
  KSP_BlockCG *cg = (KSP_BlockCG *)ksp->data;
  PetscScalar *E  = Small(cg, SMALL_EIG);
  PetscReal   *s = Real(cg, REAL_S), *lambda = Real(cg, REAL_LAMBDA);
  PetscScalar *b = Small(cg, SMALL_ZB), *K = Small(cg, SMALL_K), *tmp = Small(cg, SMALL_TMP);
  PetscReal   *kappa = Real(cg, REAL_DOTS), slack;
  PetscInt     i, j, r = cg->r;

  PetscFunctionBegin;
  for (j = 0; j < r; j++)
    for (i = 0; i < r; i++) b[i + j * r] = E[i + j * r] * PetscSqrtReal(lambda[j]) / s[i];
  PetscCall(Gemm("N", "N", r, r, r, 1.0, Small(cg, SMALL_GAMMA), r, b, r, 0.0, tmp, r));
  PetscCall(Gemm("C", "N", r, r, r, 1.0, b, r, tmp, r, 0.0, K, r));
  HermitianPart(r, K, r, tmp);
  for (i = 0; i < r; i++) tmp[i + i * r] -= 1.0;
  PetscCall(PetscArraycpy(K, tmp, r * r));
  PetscCall(Eigen(cg, r, tmp, kappa)); /* K = U diag(kappa) U' */
  slack = 10.0 * r * PETSC_MACHINE_EPSILON * (2.0 + PetscMax(kappa[r - 1], 0.0));
  if (kappa[0] < -1e-8 - 1e3 * slack) {
    PetscCall(PetscInfo(ksp, "iteration %" PetscInt_FMT ": the lower bound %g of the spectrum is too large, going on with the residual norm\n", ksp->its, (double)cg->mu));
    cg->bounded = PETSC_FALSE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* raised by its own rounding, K is an upper bound still */
  if (kappa[0] < slack) {
    PetscScalar *scaled = Small(cg, SMALL_GAMMA); /* no longer needed */

    for (j = 0; j < r; j++)
      for (i = 0; i < r; i++) scaled[i + j * r] = tmp[i + j * r] * (PetscMax(kappa[j], 0.0) + slack);
    PetscCall(Gemm("N", "C", r, r, r, 1.0, scaled, r, tmp, r, 0.0, K, r));
  } else
    for (i = 0; i < r; i++) K[i + i * r] += slack;
  PetscCall(RadauBounds(cg, r, K, Small(cg, SMALL_BC), cg->p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Gamma = (mu I + (z b) K^{-1} (z b)')^{-1}, rank x rank, with z b in SMALL_ZB and K as it was left, of k rows */
static PetscErrorCode RadauUpdate(KSP_BlockCG *cg, PetscInt rank, PetscInt k)
{
  PetscScalar *zb = Small(cg, SMALL_ZB), *K = Small(cg, SMALL_K), *tmp = Small(cg, SMALL_TMP), *gamma = Small(cg, SMALL_GAMMA);
  PetscReal   *kappa = Real(cg, REAL_DOTS);
  PetscInt     i, j;

  PetscFunctionBegin;
  if (!rank) PetscFunctionReturn(PETSC_SUCCESS); /* the residual has become zero: all that is left is what was lost */
  PetscCall(Eigen(cg, k, K, kappa));
  PetscCall(Gemm("N", "N", rank, k, k, 1.0, zb, rank, K, k, 0.0, tmp, rank));
  for (j = 0; j < k; j++)
    for (i = 0; i < rank; i++) tmp[i + j * rank] /= PetscSqrtReal(PetscMax(kappa[j], PETSC_SMALL * PETSC_SMALL));
  PetscCall(Gemm("N", "C", rank, rank, k, 1.0, tmp, rank, tmp, rank, 0.0, K, rank));
  HermitianPart(rank, K, rank, tmp);
  for (i = 0; i < rank; i++) tmp[i + i * rank] += cg->mu;
  PetscCall(Eigen(cg, rank, tmp, kappa));
  for (j = 0; j < rank; j++)
    for (i = 0; i < rank; i++) K[i + j * rank] = tmp[i + j * rank] / PetscMax(kappa[j], cg->mu);
  PetscCall(Gemm("N", "C", rank, rank, rank, 1.0, K, rank, tmp, rank, 0.0, gamma, rank));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------- the method ------------------------------------------- */

/* norm2_l = c'G c for the columns c of C (rank x p, ldc columns apart), G of rank rows */
static PetscErrorCode QuadraticForms(KSP_BlockCG *cg, PetscInt rank, const PetscScalar *G, PetscInt ldg, const PetscScalar *C, PetscInt ldc, PetscReal *norm2)
{
  PetscScalar *GC = Small(cg, SMALL_TMP);
  PetscInt     i, l;

  PetscFunctionBegin;
  PetscCall(Gemm("N", "N", rank, cg->p, rank, 1.0, G, ldg, C, ldc, 0.0, GC, cg->p));
  for (l = 0; l < cg->p; l++) {
    norm2[l] = 0.0;
    for (i = 0; i < rank; i++) norm2[l] += PetscRealPart(PetscConj(C[i + l * ldc]) * GC[i + l * cg->p]);
    norm2[l] = PetscMax(norm2[l], 0.0);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   BlockCGStart - R = B - A X, and the reference norms where they are not the initial ones: those of the right-hand
   sides, as KSPConvergedDefault() wants it for a nonzero guess. known says that norm2 holds the norms of R.
*/
static PetscErrorCode BlockCGStart(KSP ksp, Mat B, Mat X, PetscBool *known)
{
  KSP_BlockCG            *cg   = (KSP_BlockCG *)ksp->data;
  KSPConvergedDefaultCtx *cctx = (KSPConvergedDefaultCtx *)ksp->cnvP;
  PetscBool               uir  = (PetscBool)(ksp->guess_zero || ksp->converged != KSPConvergedDefault || cctx->initialrtol);
  PetscScalar            *R, *S, *x;
  const PetscScalar      *b;
  PetscReal              *norm2 = Real(cg, REAL_NORM2), *ref = Real(cg, REAL_REF), *dots = Real(cg, REAL_DOTS);
  PetscInt                j, l, n = cg->n, p = cg->p, ldb, ldx;
  MatNullSpace            nullsp;
  BlockCGViews           *views = NULL;

  PetscFunctionBegin;
  *known = PETSC_FALSE;
  cg->r  = p;
  R      = Block(cg, BLOCK_R);
  S      = Block(cg, BLOCK_S);
  for (l = 0; l < p; l++) {
    ref[l]                = -1.0; /* not known yet: will be the initial norm */
    Real(cg, REAL_DEC)[l] = Real(cg, REAL_LOST)[l] = norm2[l] = 0.0;
    Real(cg, REAL_BOUND)[l]                                   = PETSC_INFINITY;
  }
  PetscCall(MatGetTransposeNullSpace(cg->A, &nullsp));
  if (!nullsp) PetscCall(MatGetNullSpace(cg->A, &nullsp)); /* A is Hermitian */
  PetscCall(KSPColumnsGetRHS(ksp, B, &b, &ldb));
  for (j = 0; j < p; j++) PetscCall(PetscArraycpy(R + j * n, b + j * ldb, n));
  if (nullsp) {
    PetscCall(GetViews(ksp, &views));
    PetscCall(RemoveNullSpace(nullsp, views->R, p));
  }
  if (ksp->guess_zero) {
    if (ksp->normtype == KSP_NORM_UNPRECONDITIONED && !ksp->max_it) {
      LocalDots(n, p, R, n, R, n, norm2); /* r'r */
      PetscCall(ReduceDots(ksp, p, norm2));
      *known = PETSC_TRUE;
    }
  } else {
    if (!uir && (ksp->normtype == KSP_NORM_PRECONDITIONED || ksp->normtype == KSP_NORM_NATURAL)) {
      PetscScalar *Z = Block(cg, BLOCK_Z);

      PetscCall(ApplyM(ksp));
      if (ksp->normtype == KSP_NORM_NATURAL) LocalDots(n, p, R, n, Z, n, dots); /* b'M^{-1}b */
      else LocalDots(n, p, Z, n, Z, n, dots);                                   /* ||M^{-1}b||^2 */
      PetscCall(ReduceDots(ksp, p, dots));
      for (l = 0; l < p; l++) ref[l] = PetscSqrtReal(PetscAbsReal(dots[l]));
    }
    if (!uir && ksp->normtype == KSP_NORM_UNPRECONDITIONED) LocalDots(n, p, R, n, R, n, dots + p); /* b'b */
    PetscCall(KSPColumnsGetSolution(ksp, X, &x, &ldx));
    for (j = 0; j < p; j++) PetscCall(PetscArraycpy(S + j * n, x + j * ldx, n));
    PetscCall(KSPColumnsRestoreSolution(ksp, X, &x));
    PetscCall(ApplyA(ksp));
    for (j = 0; j < n * p; j++) R[j] -= Block(cg, BLOCK_W)[j]; /* R = B - A X */
    if (nullsp) PetscCall(RemoveNullSpace(nullsp, views->R, p));
    if (ksp->normtype == KSP_NORM_UNPRECONDITIONED) {
      LocalDots(n, p, R, n, R, n, dots); /* r'r */
      PetscCall(ReduceDots(ksp, uir ? p : 2 * p, dots));
      for (l = 0; l < p; l++) {
        norm2[l] = dots[l];
        if (!uir) ref[l] = PetscSqrtReal(dots[p + l]);
      }
      *known = PETSC_TRUE;
    }
  }
  PetscCall(KSPColumnsRestoreRHS(ksp, B, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The reference norms, now that the initial norms are known, and the largest of them, by which all are reported */
static PetscErrorCode BlockCGReference(KSP ksp)
{
  KSP_BlockCG            *cg    = (KSP_BlockCG *)ksp->data;
  KSPConvergedDefaultCtx *cctx  = (KSPConvergedDefaultCtx *)ksp->cnvP;
  PetscBool               least = (PetscBool)(ksp->converged == KSPConvergedDefault && cctx->mininitialrtol);
  PetscReal              *ref   = Real(cg, REAL_REF), norm;
  PetscInt                l;

  PetscFunctionBegin;
  cg->scale = 0.0;
  for (l = 0; l < cg->p; l++) {
    norm = PetscSqrtReal(Real(cg, REAL_NORM2)[l]);
    if (ref[l] <= 0.0) ref[l] = norm; /* also for a zero right-hand side with a nonzero guess */
    else if (least) ref[l] = PetscMin(ref[l], norm);
    if (cg->bounded) Real(cg, REAL_BREF)[l] = Real(cg, REAL_BOUND)[l];
    cg->scale = PetscMax(cg->scale, cg->bounded ? Real(cg, REAL_BREF)[l] : ref[l]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* mu was no lower bound: from here on the residual norms are tested, against their own references */
static PetscErrorCode BlockCGUnbound(KSP ksp)
{
  KSP_BlockCG *cg = (KSP_BlockCG *)ksp->data;
  PetscInt     l;

  PetscFunctionBegin;
  cg->bounded = PETSC_FALSE;
  for (l = 0, cg->scale = 0.0; l < cg->p; l++) {
    cg->scale               = PetscMax(cg->scale, Real(cg, REAL_REF)[l]);
    Real(cg, REAL_BOUND)[l] = PETSC_INFINITY;
  }
  ksp->rnorm0 = cg->scale;
  ksp->ttol   = PetscMax(ksp->rtol * ksp->rnorm0, ksp->abstol);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank is about to be lost: keep the residual itself from now on */
static PetscErrorCode BlockCGKeepResidual(KSP ksp, PetscInt rank, const PetscScalar *V, const PetscReal *s, const PetscReal *lambda)
{
  KSP_BlockCG       *cg = (KSP_BlockCG *)ksp->data;
  const PetscScalar *C  = Small(cg, SMALL_C);
  PetscInt           i, k, l, r = cg->r;

  PetscFunctionBegin;
  PetscCall(PetscInfo(ksp, "iteration %" PetscInt_FMT ": %" PetscInt_FMT " of %" PetscInt_FMT " directions depend on the others\n", ksp->its, r - rank, r));
  if (!cg->apart) PetscCall(BlockCGFormResidual(cg));
  cg->apart = PETSC_TRUE;
  for (l = 0; l < cg->p; l++) { /* what Q C no longer has of column l, in the norm of M^{-1} */
    PetscReal sum = 0.0;

    for (k = 0; k < r - rank; k++) {
      PetscScalar dot = 0.0;

      for (i = 0; i < r; i++)
        if (s[i] > 0.0) dot += PetscConj(V[i + k * r]) * C[i + l * cg->p] / s[i];
      sum += PetscMax(PetscAbsReal(lambda[k]), r * PETSC_MACHINE_EPSILON) * PetscSqr(PetscAbsScalar(dot));
    }
    Real(cg, REAL_LOST)[l] += PetscSqrtReal(sum);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Column norms of R C after R = Q - W a, from those of Q C and from [R W S]'W; from R C itself where digits cancel */
static PetscErrorCode BlockCGUpdateNorms(KSP ksp, const PetscScalar *gram)
{
  KSP_BlockCG       *cg = (KSP_BlockCG *)ksp->data;
  const PetscScalar *C = Small(cg, SMALL_C), *aC = Small(cg, SMALL_AC);
  PetscScalar       *QWaC = Small(cg, SMALL_TMP), *WWaC = Small(cg, SMALL_CNEW);
  PetscReal         *norm2 = Real(cg, REAL_NORM2), sum;
  PetscInt           i, l, r = cg->r, p = cg->p;
  PetscBool          cancelled = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(Gemm("N", "N", r, p, r, 1.0, gram, 3 * r, aC, p, 0.0, QWaC, p));
  PetscCall(Gemm("N", "N", r, p, r, 1.0, gram + r, 3 * r, aC, p, 0.0, WWaC, p));
  for (l = 0; l < p; l++) { /* ||Q c - W a c||^2 = c'Q'Q c - 2 Re c'Q'W a c + c'a'W'W a c */
    sum = norm2[l];
    for (i = 0; i < r; i++) sum += PetscRealPart(PetscConj(aC[i + l * p]) * WWaC[i + l * p] - 2.0 * PetscConj(C[i + l * p]) * QWaC[i + l * p]);
    if (norm2[l] > 0.0 && !(sum > 1e-6 * norm2[l])) cancelled = PETSC_TRUE;
    norm2[l] = PetscMax(sum, 0.0);
  }
  if (cancelled) {
    if (!cg->apart) PetscCall(BlockCGFormResidual(cg));
    LocalDots(cg->n, p, cg->resid, cg->n, cg->resid, cg->n, norm2);
    PetscCall(ReduceDots(ksp, p, norm2));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   BlockCGOrthonormalize - With Z = M^{-1} R, finds T (r x rank) and z (rank x r) with R T orthonormal in the inner product
   of M^{-1} and R T z = R, and C_new = z C; and, for the test, the norms of the residual R C in norm2. One reduction; one
   more for columns so nearly dependent that R T would be orthonormal to a few digits only. Sets the reason where the
   preconditioner turns out not to be positive definite, or not to give numbers.
*/
static PetscErrorCode BlockCGOrthonormalize(KSP ksp, Mat X, PetscBool fresh, PetscInt nk, PetscInt *newrank)
{
  KSP_BlockCG *cg   = (KSP_BlockCG *)ksp->data;
  PetscScalar *gram = Small(cg, SMALL_GRAM), *E = Small(cg, SMALL_EIG), *T = Small(cg, SMALL_T), *z = Small(cg, SMALL_Z);
  PetscScalar *C = Small(cg, SMALL_C), *Cnew = Small(cg, SMALL_CNEW), *zb = Small(cg, SMALL_ZB), *tmp = Small(cg, SMALL_TMP);
  PetscScalar *NT = Small(cg, SMALL_BINV), *TNT = Small(cg, SMALL_A), *RZ, *norms;
  PetscReal   *s = Real(cg, REAL_S), *lambda = Real(cg, REAL_LAMBDA), *norm2 = Real(cg, REAL_NORM2), root;
  PetscInt     i, j, l, r, p = cg->p, rank, lost, ld, pass;
  PetscBool    finite, doubtful, indefinite;

  PetscFunctionBegin;
  for (pass = 0;; pass++) {
    r = cg->r;
    switch (ksp->normtype) {
    case KSP_NORM_UNPRECONDITIONED: /* [Z R]'R = [R'Z; R'R] */
      PetscCall(Gram(ksp, BLOCK_Z, 2, BLOCK_R, gram, &finite));
      ld    = 2 * r;
      RZ    = gram;
      norms = gram + r;
      break;
    case KSP_NORM_PRECONDITIONED: /* [Z R]'Z = [Z'Z; R'Z] */
      PetscCall(Gram(ksp, BLOCK_Z, 2, BLOCK_Z, gram, &finite));
      ld    = 2 * r;
      RZ    = gram + r;
      norms = gram;
      break;
    default: /* R'Z is the natural norm as well */
      PetscCall(Gram(ksp, BLOCK_Z, 1, BLOCK_R, gram, &finite));
      ld    = r;
      RZ    = gram;
      norms = ksp->normtype == KSP_NORM_NATURAL ? gram : NULL;
    }
    if (!finite) {
      PetscCall(NotFinite(ksp, X));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    HermitianPart(r, RZ, ld, E);
    PetscCall(Factor(cg, r, E, s, lambda, &rank, &doubtful)); /* s (R'Z) s = V Lambda V' */
    if (doubtful) {
      PetscCall(Indefinite(ksp, BLOCK_R, BLOCK_Z, RZ, ld, s, lambda[0], &indefinite));
      if (indefinite) {
        PetscCall(PetscInfo(ksp, "diverging due to indefinite preconditioner at iteration %" PetscInt_FMT "\n", ksp->its));
        ksp->reason = KSP_DIVERGED_INDEFINITE_PC;
        PetscFunctionReturn(PETSC_SUCCESS);
      }
    }
    lost = r - rank;
    for (j = 0; j < rank; j++) { /* T = s V Lambda^{-1/2}, z = Lambda^{1/2} V' s^{-1} */
      root = PetscSqrtReal(lambda[lost + j]);
      for (i = 0; i < r; i++) {
        T[i + j * r]    = s[i] * E[i + (lost + j) * r] / root;
        z[j + i * rank] = s[i] > 0.0 ? root * PetscConj(E[i + (lost + j) * r]) / s[i] : 0.0;
      }
    }
    PetscCall(Gemm("N", "N", rank, p, r, 1.0, z, rank, C, p, 0.0, Cnew, p)); /* z C */
    if (cg->bounded && !fresh) {                                             /* z b, for the bound */
      PetscCall(Gemm("N", "N", rank, nk, r, 1.0, z, rank, zb, r, 0.0, tmp, rank));
      PetscCall(PetscArraycpy(zb, tmp, rank * nk));
    }
    if (!rank || lambda[lost] > 1e-10 * lambda[r - 1] || pass > 1) break;
    if (lost) PetscCall(BlockCGKeepResidual(ksp, rank, E, s, lambda));
    PetscCall(Transform(cg, rank, T, z, fresh, PETSC_FALSE));
    for (l = 0; l < p; l++) PetscCall(PetscArraycpy(C + l * p, Cnew + l * p, rank));
    cg->r = rank;
  }
  if (norms && lost) PetscCall(QuadraticForms(cg, r, norms, ld, C, p, norm2)); /* c'R'R c, or Z'Z, or R'Z */
  else if (norms) {
    /* the same by the coefficients in the new basis: linear in them, so that small norms come out right as well */
    PetscCall(Gemm("N", "N", r, rank, r, 1.0, norms, ld, T, r, 0.0, NT, r));
    PetscCall(Gemm("C", "N", rank, rank, r, 1.0, T, r, NT, r, 0.0, TNT, rank));
    PetscCall(QuadraticForms(cg, rank, TNT, rank, Cnew, p, norm2));
  }
  *newrank = rank;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   BlockCGStep - a = (S'A S)^{-1}, X <- X + S a C, R <- R - A S a, and the norms of the new residual R C. One product with
   A and one reduction. nk is the rank of S'A S. Sets the reason where A turns out not to be positive definite.
*/
static PetscErrorCode BlockCGStep(KSP ksp, Mat X, PetscInt *nk)
{
  KSP_BlockCG *cg   = (KSP_BlockCG *)ksp->data;
  PetscScalar *gram = Small(cg, SMALL_GRAM), *D, *E = Small(cg, SMALL_EIG), *C = Small(cg, SMALL_C), *a = Small(cg, SMALL_A);
  PetscScalar *aC = Small(cg, SMALL_AC), *Binv = Small(cg, SMALL_BINV), *BC = Small(cg, SMALL_BC), *x;
  PetscReal   *s = Real(cg, REAL_S), *lambda = Real(cg, REAL_LAMBDA), *dec = Real(cg, REAL_DEC);
  PetscInt     i, j, l, ld, ldx, lost, rank, n = cg->n, p = cg->p, r = cg->r;
  PetscBool    finite, doubtful, indefinite = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(ApplyA(ksp)); /* W = A S */
  ksp->its++;
  if (ksp->normtype == KSP_NORM_UNPRECONDITIONED) { /* [R W S]'W = [Q'W; W'W; S'W] */
    PetscCall(Gram(ksp, BLOCK_R, 3, BLOCK_W, gram, &finite));
    ld = 3 * r;
    D  = gram + 2 * r;
  } else { /* S'W */
    PetscCall(Gram(ksp, BLOCK_S, 1, BLOCK_W, gram, &finite));
    ld = r;
    D  = gram;
  }
  if (!finite) {
    PetscCall(NotFinite(ksp, X));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  HermitianPart(r, D, ld, E);
  PetscCall(Factor(cg, r, E, s, lambda, &rank, &doubtful)); /* s (S'A S) s = V Lambda V' */
  if (doubtful) PetscCall(Indefinite(ksp, BLOCK_S, BLOCK_W, D, ld, s, lambda[0], &indefinite));
  if (indefinite || !rank) {
    PetscCall(PetscInfo(ksp, "diverging due to indefinite matrix at iteration %" PetscInt_FMT "\n", ksp->its));
    ksp->reason = KSP_DIVERGED_INDEFINITE_MAT;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  lost = r - rank;
  for (i = 0; i < rank; i++)
    for (j = 0; j < r; j++) Binv[i + j * rank] = s[j] * PetscConj(E[j + (lost + i) * r]) / PetscSqrtReal(lambda[lost + i]);
  PetscCall(Gemm("C", "N", r, r, rank, 1.0, Binv, rank, Binv, rank, 0.0, a, r)); /* a = s V Lambda^{-1} V' s */
  PetscCall(Gemm("N", "N", rank, p, r, 1.0, Binv, rank, C, p, 0.0, BC, p));
  PetscCall(Gemm("C", "N", r, p, rank, 1.0, Binv, rank, BC, p, 0.0, aC, p));
  for (l = 0; l < p; l++)
    for (i = 0; i < rank; i++) dec[l] += PetscSqr(PetscAbsScalar(BC[i + l * p])); /* c'a c = ||e_j||_A^2 - ||e_{j+1}||_A^2 */

  PetscCall(KSPColumnsGetSolution(ksp, X, &x, &ldx));
  PetscCall(Gemm("N", "N", n, p, r, 1.0, Block(cg, BLOCK_S), n, aC, p, 1.0, x, ldx)); /* X <- X + S a C */
  PetscCall(KSPColumnsRestoreSolution(ksp, X, &x));
  PetscCall(Gemm("N", "N", n, r, r, -1.0, Block(cg, BLOCK_W), n, a, r, 1.0, Block(cg, BLOCK_R), n));        /* R <- Q - W a */
  if (cg->apart) PetscCall(Gemm("N", "N", n, p, r, -1.0, Block(cg, BLOCK_W), n, aC, p, 1.0, cg->resid, n)); /* B - A X */
  if (ksp->normtype == KSP_NORM_UNPRECONDITIONED) PetscCall(BlockCGUpdateNorms(ksp, gram));
  *nk = rank;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the bound of a column that has not converged consists mostly of what was lost with the rank */
static PetscBool BlockCGMostlyLost(KSP ksp)
{
  KSP_BlockCG *cg = (KSP_BlockCG *)ksp->data;
  PetscReal    bound;
  PetscInt     l;

  for (l = 0; l < cg->p; l++) {
    bound = Real(cg, REAL_BOUND)[l];
    if (bound > PetscMax(ksp->abstol, ksp->rtol * PetscSqrtReal(Real(cg, REAL_DEC)[l])) && Real(cg, REAL_LOST)[l] > 0.5 * bound * PetscSqrtReal(cg->mu)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* B and X are NULL for the vectors of the KSP */
static PetscErrorCode BlockCGSolve(KSP ksp, PetscInt p, Mat B, Mat X)
{
  KSP_BlockCG *cg = (KSP_BlockCG *)ksp->data;
  PetscScalar *C, *Cnew;
  PetscReal   *norm2;
  PetscInt     i, j, l, rank = 0, nk = 0;
  PetscBool    unprec = (PetscBool)(ksp->normtype == KSP_NORM_UNPRECONDITIONED), early;
  PetscBool    tested, report = PETSC_TRUE, fresh = PETSC_TRUE, again;

  PetscFunctionBegin;
  if (PetscDefined(USE_COMPLEX)) PetscCheck(!ksp->transpose_solve, PetscObjectComm((PetscObject)ksp), PETSC_ERR_SUP, "Transpose solve with a complex matrix, which is Hermitian and not symmetric");
  PetscCall(BlockCGPrepare(ksp, p));
  if (ksp->reason == KSP_DIVERGED_PC_FAILED) cg->poison = NotANumber();
  C           = Small(cg, SMALL_C);
  Cnew        = Small(cg, SMALL_CNEW);
  norm2       = Real(cg, REAL_NORM2);
  cg->apart   = PETSC_FALSE;
  cg->solved  = PETSC_TRUE;
  cg->bounded = (PetscBool)(cg->mu > 0.0);
  cg->scale   = 0.0;
  ksp->its    = 0;
  ksp->reason = KSP_CONVERGED_ITERATING;

  PetscCall(BlockCGStart(ksp, B, X, &tested)); /* R <- B - A X */
  for (j = 0; j < p; j++)
    for (i = 0; i < p; i++) C[i + j * p] = i == j ? 1.0 : 0.0;
  if (ksp->normtype == KSP_NORM_NONE) tested = PETSC_TRUE;
  if (cg->bounded) tested = PETSC_FALSE; /* the first bound is that of the natural norm */
  if (tested) {
    PetscCall(BlockCGReference(ksp));
    if (PetscIsInfOrNanReal(cg->scale)) PetscCall(NotFinite(ksp, X));
    else PetscCall(BlockCGTest(ksp, B, X, report));
  }

  while (!ksp->reason) {
    /* here the residual is R C; it is tested already where that needs no preconditioner */
    if (tested && ksp->its >= ksp->max_it) {
      PetscCall(PetscInfo(ksp, "maximum number of iterations reached\n"));
      ksp->reason = KSP_DIVERGED_ITS;
      break;
    }
    PetscCall(ApplyM(ksp));                                     /* Z <- M^{-1} R */
    PetscCall(BlockCGOrthonormalize(ksp, X, fresh, nk, &rank)); /* R'Z = z'z */
    if (ksp->reason) break;                                     /* indefinite preconditioner, NaN or Inf */
    if (cg->bounded) {
      if (fresh) RadauStart(cg, rank);
      else PetscCall(RadauUpdate(cg, rank, nk));
      PetscCall(RadauBounds(cg, rank, Small(cg, SMALL_GAMMA), Cnew, p)); /* ||e||_A^2 <= c'Gamma c */
    }
    again = PETSC_FALSE;
    if (!tested) {
      if (!ksp->its && report) PetscCall(BlockCGReference(ksp));
      PetscCall(BlockCGTest(ksp, B, X, report));
    } else if (cg->bounded && !fresh) PetscCall(BlockCGTest(ksp, B, X, PETSC_FALSE)); /* a better bound than before */
    if (ksp->reason > 0 && ksp->reason != KSP_CONVERGED_ITS && cg->apart && !cg->bounded) again = PETSC_TRUE;
    report = PETSC_TRUE;
    if (!ksp->reason && !tested && ksp->its >= ksp->max_it) {
      PetscCall(PetscInfo(ksp, "maximum number of iterations reached\n"));
      ksp->reason = KSP_DIVERGED_ITS;
    }
    if (!ksp->reason && !rank) { /* z'r = 0 for every column, and yet no test is satisfied */
      LocalDots(cg->n, cg->r, Block(cg, BLOCK_R), cg->n, Block(cg, BLOCK_R), cg->n, Real(cg, REAL_DOTS));
      PetscCall(ReduceDots(ksp, cg->r, Real(cg, REAL_DOTS)));
      ksp->reason = KSP_CONVERGED_ATOL;
      for (l = 0; l < cg->r; l++)
        if (Real(cg, REAL_DOTS)[l] > 0.0) ksp->reason = KSP_DIVERGED_BREAKDOWN;
      if (ksp->reason > 0) PetscCall(PetscInfo(ksp, "converged due to r = 0\n"));
      else PetscCall(PetscInfo(ksp, "diverging: the preconditioner has r'M^{-1}r = 0 for all residuals\n"));
    }
    if (ksp->reason && !again) break;

    if (!again) {
      if (rank < cg->r) PetscCall(BlockCGKeepResidual(ksp, rank, Small(cg, SMALL_EIG), Real(cg, REAL_S), Real(cg, REAL_LAMBDA)));
      PetscCall(Transform(cg, rank, Small(cg, SMALL_T), Small(cg, SMALL_Z), fresh, PETSC_TRUE)); /* R <- R z^{-1}, S <- Z z^{-1} + S z' */
      for (l = 0; l < p; l++) PetscCall(PetscArraycpy(C + l * p, Cnew + l * p, rank));           /* C <- z C */
      cg->r = rank;
      fresh = PETSC_FALSE;

      PetscCall(BlockCGStep(ksp, X, &nk)); /* a <- (S'A S)^{-1}, X <- X + S a C, R <- R - A S a */
      if (ksp->reason) break;              /* indefinite matrix, NaN or Inf */
      if (cg->bounded) {
        if (nk < cg->r) {
          PetscCall(PetscInfo(ksp, "iteration %" PetscInt_FMT ": the directions have become dependent, going on with the residual norm\n", ksp->its));
          cg->bounded = PETSC_FALSE;
        } else PetscCall(RadauStep(ksp)); /* ||e||_A^2 <= c'(Gamma - a)c */
        if (!cg->bounded) PetscCall(BlockCGUnbound(ksp));
      }
      early  = (PetscBool)(cg->bounded || unprec || ksp->normtype == KSP_NORM_NONE);
      tested = early;
      if (early) {
        PetscCall(BlockCGTest(ksp, B, X, PETSC_TRUE));
        if (cg->apart) again = cg->bounded ? (PetscBool)(!ksp->reason && BlockCGMostlyLost(ksp)) : (PetscBool)(ksp->reason > 0 && ksp->reason != KSP_CONVERGED_ITS);
      }
    }
    if (again) { /* R C has converged: start again from what it does not have */
      PetscCall(PetscInfo(ksp, "iteration %" PetscInt_FMT ": starting again from the residual\n", ksp->its));
      cg->r = p;
      PetscCall(PetscArraycpy(Block(cg, BLOCK_R), cg->resid, (size_t)p * (size_t)cg->n));
      for (j = 0; j < p; j++)
        for (i = 0; i < p; i++) C[i + j * p] = i == j ? 1.0 : 0.0;
      for (l = 0; l < p; l++) Real(cg, REAL_LOST)[l] = 0.0;
      cg->apart   = PETSC_FALSE;
      ksp->reason = KSP_CONVERGED_ITERATING;
      fresh       = PETSC_TRUE;
      report      = PETSC_FALSE;
      tested      = (PetscBool)(unprec && !cg->bounded);
      if (tested) {
        LocalDots(cg->n, p, cg->resid, cg->n, cg->resid, cg->n, norm2); /* r'r */
        PetscCall(ReduceDots(ksp, p, norm2));
        PetscCall(BlockCGTest(ksp, B, X, PETSC_FALSE));
      }
    }
  }
  if (!cg->bounded)
    for (l = 0; l < p; l++) Real(cg, REAL_BOUND)[l] = PETSC_INFINITY;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------- the KSP type ------------------------------------------- */

static PetscErrorCode KSPSetUp_BlockCG(KSP ksp)
{
  Mat      A;
  PetscInt M, N;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(ksp->pc, &A, NULL));
  PetscCall(MatGetSize(A, &M, &N));
  PetscCheck(M == N, PetscObjectComm((PetscObject)ksp), PETSC_ERR_ARG_SIZ, "The matrix must be square, it is %" PetscInt_FMT " x %" PetscInt_FMT, M, N);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPSolve_BlockCG(KSP ksp)
{
  PetscFunctionBegin;
  PetscCall(BlockCGSolve(ksp, 1, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* KSPMatSolve() has zeroed X where there is no guess; unlike KSPSolve() it leaves history and total to the type */
static PetscErrorCode KSPMatSolve_BlockCG(KSP ksp, Mat B, Mat X)
{
  PetscInt p;

  PetscFunctionBegin;
  PetscCall(MatGetSize(B, NULL, &p));
  if (ksp->res_hist_reset) ksp->res_hist_len = 0;
  PetscCall(BlockCGSolve(ksp, p, B, X));
  ksp->totalits += ksp->its;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPBlockCGSetLowerBound_BlockCG(KSP ksp, PetscReal mu)
{
  KSP_BlockCG *cg = (KSP_BlockCG *)ksp->data;

  PetscFunctionBegin;
  PetscCheck(mu >= 0.0 && !PetscIsInfOrNanReal(mu), PetscObjectComm((PetscObject)ksp), PETSC_ERR_ARG_OUTOFRANGE, "A lower bound of the spectrum must be positive, or zero for none: %g", (double)mu);
  cg->mu = mu;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   KSPBlockCGSetLowerBound - Sets a lower bound of the eigenvalues of M^{-1} A, which makes KSPBLOCKCG stop on a certified
   upper bound of the energy norm of the error instead of the norm of the residual.

   Logically Collective

   Input Parameters:
+  ksp - the solver
-  mu  - the bound, 0 < mu <= lambda_min(M^{-1} A), A preconditioned by M (lambda_min(A) without preconditioner); 0 for
         none, the default

   Options Database Key:
.  -ksp_blockcg_lower_bound <mu> - sets the bound

   Level: advanced

   Notes:
   The bound is that of Gauss-Radau quadrature, for a block: ||e_j||_A <= bound_j for the error e_j of every column. A
   column has converged when bound_j <= max(rtol*lower_j, abstol), lower_j being the lower bound of ||e_0||_A that is known
   by then (the square root of the sum of the decreases so far), so that ||e_j||_A <= rtol ||e_0||_A holds for certain. The
   closer mu is to the smallest eigenvalue, the sharper the bound; it is looser by about sqrt(lambda_min/mu) otherwise, until
   the method has found the smallest eigenvalue.

   Too large a mu can show itself. Then the solve goes on with the norm of the residual, and says so with -info. It need
   not show itself: the certificate is as good as mu.

   A solve that stops on a bound costs one application of the preconditioner for each iteration, or one more.

.seealso: KSPBLOCKCG, KSPBlockCGGetLowerBound(), KSPBlockCGGetErrorBound()
@*/
PetscErrorCode KSPBlockCGSetLowerBound(KSP ksp, PetscReal mu)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(ksp, KSP_CLASSID, 1);
  PetscValidLogicalCollectiveReal(ksp, mu, 2);
  PetscTryMethod(ksp, "KSPBlockCGSetLowerBound_C", (KSP, PetscReal), (ksp, mu));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPBlockCGGetLowerBound_BlockCG(KSP ksp, PetscReal *mu)
{
  PetscFunctionBegin;
  *mu = ((KSP_BlockCG *)ksp->data)->mu;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   KSPBlockCGGetLowerBound - Gets the lower bound of the eigenvalues of M^{-1} A that was set, 0 if none.

   Not Collective

   Input Parameter:
.  ksp - the solver

   Output Parameter:
.  mu - the bound

   Level: advanced

.seealso: KSPBLOCKCG, KSPBlockCGSetLowerBound()
@*/
PetscErrorCode KSPBlockCGGetLowerBound(KSP ksp, PetscReal *mu)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(ksp, KSP_CLASSID, 1);
  PetscUseMethod(ksp, "KSPBlockCGGetLowerBound_C", (KSP, PetscReal *), (ksp, mu));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPBlockCGGetErrorBound_BlockCG(KSP ksp, PetscInt n, PetscReal bounds[])
{
  KSP_BlockCG *cg = (KSP_BlockCG *)ksp->data;

  PetscFunctionBegin;
  PetscCheck(cg->solved, PetscObjectComm((PetscObject)ksp), PETSC_ERR_ORDER, "There has been no solve yet");
  PetscCheck(n >= 0 && n <= cg->p, PetscObjectComm((PetscObject)ksp), PETSC_ERR_ARG_OUTOFRANGE, "The last solve had %" PetscInt_FMT " columns, not %" PetscInt_FMT, cg->p, n);
  PetscCall(PetscArraycpy(bounds, Real(cg, REAL_BOUND), n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   KSPBlockCGGetErrorBound - Gets the upper bounds of the energy norms of the errors at the end of the last solve.

   Not Collective

   Input Parameters:
+  ksp - the solver
-  n   - number of columns, at most those of the last solve

   Output Parameter:
.  bounds - bounds[l] >= ||x_l - A^{-1} b_l||_A; PETSC_INFINITY where no bound is known, because no lower bound of the
            spectrum was set or because it turned out to be wrong

   Level: advanced

.seealso: KSPBLOCKCG, KSPBlockCGSetLowerBound()
@*/
PetscErrorCode KSPBlockCGGetErrorBound(KSP ksp, PetscInt n, PetscReal bounds[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(ksp, KSP_CLASSID, 1);
  PetscUseMethod(ksp, "KSPBlockCGGetErrorBound_C", (KSP, PetscInt, PetscReal[]), (ksp, n, bounds));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPBlockCGGetResidual_BlockCG(KSP ksp, Mat *R)
{
  KSP_BlockCG *cg      = (KSP_BlockCG *)ksp->data;
  PetscInt     columns = 0;

  PetscFunctionBegin;
  PetscCheck(cg->solved, PetscObjectComm((PetscObject)ksp), PETSC_ERR_ORDER, "There has been no solve yet");
  if (!cg->apart) PetscCall(BlockCGFormResidual(cg)); /* only now: most callers never ask */
  if (cg->residmat) PetscCall(MatGetSize(cg->residmat, NULL, &columns));
  if (columns != cg->p) {
    PetscCall(MatDestroy(&cg->residmat));
    PetscCall(DenseView(ksp, cg->p, cg->resid, &cg->residmat));
  }
  PetscCall(PetscObjectStateIncrease((PetscObject)cg->residmat));
  *R = cg->residmat;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   KSPBlockCGGetResidual - Gets the residual block B - A X at the end of the last solve.

   Collective

   Input Parameter:
.  ksp - the solver

   Output Parameter:
.  R - a dense matrix with the columns b_l - A x_l, which belongs to the solver: do not destroy it

   Level: advanced

   Notes:
   It is valid until the next solve, KSPReset() or KSPDestroy(). It is the residual the method itself has updated, which
   agrees with the true one to rounding, and costs no product with A: A X = B - R comes for free. Where the matrix has a
   null space, it is the part of the residual outside.

.seealso: KSPBLOCKCG, KSPMatSolve(), KSPBuildResidual()
@*/
PetscErrorCode KSPBlockCGGetResidual(KSP ksp, Mat *R)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(ksp, KSP_CLASSID, 1);
  PetscUseMethod(ksp, "KSPBlockCGGetResidual_C", (KSP, Mat *), (ksp, R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPSetFromOptions_BlockCG(KSP ksp, NAPIOptionItems PetscOptionsObject)
{
  KSP_BlockCG *cg = (KSP_BlockCG *)ksp->data;
  PetscReal    mu = cg->mu;
  PetscBool    set;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "KSP block CG options");
  PetscCall(PetscOptionsReal("-ksp_blockcg_lower_bound", "Lower bound of the spectrum of the preconditioned matrix", "KSPBlockCGSetLowerBound", mu, &mu, &set));
  if (set) PetscCall(KSPBlockCGSetLowerBound(ksp, mu));
  PetscOptionsHeadEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPView_BlockCG(KSP ksp, PetscViewer viewer)
{
  KSP_BlockCG *cg = (KSP_BlockCG *)ksp->data;
  PetscBool    ascii;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii) PetscFunctionReturn(PETSC_SUCCESS);
  if (cg->mu > 0.0) PetscCall(PetscViewerASCIIPrintf(viewer, "  stops on the Gauss-Radau bound of the energy error, lower bound of the spectrum %g\n", (double)cg->mu));
  else PetscCall(PetscViewerASCIIPrintf(viewer, "  stops on the residual norm of the worst column\n"));
  if (cg->solved) PetscCall(PetscViewerASCIIPrintf(viewer, "  last solve: %" PetscInt_FMT " columns, of which %" PetscInt_FMT " independent at the end\n", cg->p, cg->r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPDestroy_BlockCG(KSP ksp)
{
  PetscFunctionBegin;
  PetscCall(KSPReset_BlockCG(ksp));
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPBlockCGSetLowerBound_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPBlockCGGetLowerBound_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPBlockCGGetErrorBound_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPBlockCGGetResidual_C", NULL));
  PetscCall(KSPDestroyDefault(ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

SLEPC_EXTERN PetscErrorCode KSPCreate_BlockCG(KSP ksp)
{
  KSP_BlockCG *cg;

  PetscFunctionBegin;
  PetscCall(PetscNew(&cg));
  ksp->data = (void *)cg;

  /* the default is the norm that needs no application of the preconditioner of its own */
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_UNPRECONDITIONED, PC_LEFT, 3));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_NATURAL, PC_LEFT, 2));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_PRECONDITIONED, PC_LEFT, 2));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_NONE, PC_LEFT, 1));

  ksp->ops->setup          = KSPSetUp_BlockCG;
  ksp->ops->solve          = KSPSolve_BlockCG;
  ksp->ops->matsolve       = KSPMatSolve_BlockCG;
  ksp->ops->reset          = KSPReset_BlockCG;
  ksp->ops->destroy        = KSPDestroy_BlockCG;
  ksp->ops->view           = KSPView_BlockCG;
  ksp->ops->setfromoptions = KSPSetFromOptions_BlockCG;
  ksp->ops->buildsolution  = KSPBuildSolutionDefault;
  ksp->ops->buildresidual  = KSPBuildResidualDefault;

  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPBlockCGSetLowerBound_C", KSPBlockCGSetLowerBound_BlockCG));
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPBlockCGGetLowerBound_C", KSPBlockCGGetLowerBound_BlockCG));
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPBlockCGGetErrorBound_C", KSPBlockCGGetErrorBound_BlockCG));
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPBlockCGGetResidual_C", KSPBlockCGGetResidual_BlockCG));
  PetscFunctionReturn(PETSC_SUCCESS);
}
