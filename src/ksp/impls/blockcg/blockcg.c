/* SPDX-License-Identifier: BSD-2-Clause */
/*
   KSPBLOCKCG = "blockcg": the conjugate gradient method for A X = B with several right-hand sides, A Hermitian positive
   definite, in which all columns share one Krylov space.

   This file, in this order: storage and the operators applied to a block; products and reductions, and what the small
   matrices say of rank and definiteness; the convergence test; the method; what every KSP type has. The certified bound of the
   energy error is in bound.c, what is not of this method in ../columns.c.

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

   Where A is said to be negative definite, its sign is changed in every product, and that of M, too, if the first R'Z is negative;
   then X <- X - S a C.

   Where rank is lost, what was left out of Q C (1e-7 of a column at most) would be forgotten: from then on the residual
   itself is updated along with the rest, and when Q C has converged the method starts again from it.

   References:
     D. P. O'Leary, The block conjugate gradient algorithm and related methods, Linear Algebra Appl. 29 (1980), 293-322.
     A. A. Dubrulle, Retooling the method of block conjugate gradients, ETNA 12 (2001), 216-233.
     A. Stathopoulos and K. Wu, A block orthogonalization procedure with constant synchronization requirements, SIAM J.
       Sci. Comput. 23 (2002), 2165-2182 (SVQB).
*/
#include "blockcg.h"

/* Rows transformed at a time: so few that they stay in the cache, so many that BLAS is at its speed */
#define BLOCKCG_CHUNK 512

/* Columns more nearly dependent than this (of unit length, the smallest eigenvalue of their Gram matrix) are orthonormalised twice:
   once leaves them orthogonal to eps over this only, twice costs a reduction */
#define BLOCKCG_DEPENDENT 1e-10

/* Where a norm falls by the root of this in one step, it is computed anew: its update has lost that many digits */
#define BLOCKCG_CANCELLED 1e-6

/* An operator applied to u is off by eps (this + sqrt(n)) ||Op|| ||u|| at most, it is assumed: less makes rounding an indefinite
   operator, more lets one pass */
#define BLOCKCG_ROUNDING 100.0

/* ------------------------------------------- storage and operators ------------------------------------------- */

static PetscErrorCode BlockCGViewsDestroy(BlockCGViews *views)
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(&views->W)); /* first: its product holds S and A */
  PetscCall(MatDestroy(&views->S));
  PetscCall(MatDestroy(&views->R));
  PetscCall(MatDestroy(&views->Z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode BlockCGAllViewsDestroy(KSP_BlockCG *cg)
{
  PetscFunctionBegin;
  if (cg->full)
    for (PetscInt i = 0; i <= cg->pmax; i++) PetscCall(BlockCGViewsDestroy(&cg->full[i]));
  PetscCall(BlockCGViewsDestroy(&cg->part));
  PetscCall(MatDestroy(&cg->residmat));
  cg->A = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPReset_BlockCG(KSP ksp)
{
  KSP_BlockCG *cg = (KSP_BlockCG *)ksp->data;

  PetscFunctionBegin;
  PetscCall(BlockCGAllViewsDestroy(cg));
  PetscCall(PetscFree(cg->full));
  PetscCall(PetscFree(cg->block));
  PetscCall(PetscFree(cg->resid));
  PetscCall(PetscFree(cg->chunk));
  PetscCall(PetscFree7(cg->gram, cg->eig, cg->T, cg->z, cg->C, cg->Cnew, cg->a));
  PetscCall(PetscFree7(cg->aC, cg->root, cg->rC, cg->tmp, cg->gamma, cg->K, cg->zb));
  PetscCall(PetscFree7(cg->s, cg->lambda, cg->norm2, cg->ref, cg->dots, cg->testnorm, cg->testref));
  PetscCall(PetscFree4(cg->decrease, cg->lost, cg->bound, cg->boundref));
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
  if (cg->A && (A != cg->A || state != cg->nonzerostate)) PetscCall(BlockCGAllViewsDestroy(cg));
  if (p > cg->pmax || n != cg->n) {
    PetscCall(KSPReset_BlockCG(ksp));
    PetscCall(PetscMalloc1((size_t)BLOCKS * (size_t)p * (size_t)n + 1, &cg->block));
    PetscCall(PetscMalloc1((size_t)BLOCKCG_CHUNK * (size_t)p, &cg->chunk));
    PetscCall(PetscMalloc7(3 * pp, &cg->gram, pp, &cg->eig, pp, &cg->T, pp, &cg->z, pp, &cg->C, pp, &cg->Cnew, pp, &cg->a));
    PetscCall(PetscMalloc7(pp, &cg->aC, pp, &cg->root, pp, &cg->rC, pp, &cg->tmp, pp, &cg->gamma, pp, &cg->K, pp, &cg->zb));
    PetscCall(PetscMalloc7(p, &cg->s, p, &cg->lambda, p, &cg->norm2, p, &cg->ref, 2 * p, &cg->dots, p, &cg->testnorm, p, &cg->testref));
    PetscCall(PetscMalloc4(p, &cg->decrease, p, &cg->lost, p, &cg->bound, p, &cg->boundref));
    PetscCall(PetscCalloc1(p + 1, &cg->full));
    cg->pmax = p;
  }
  cg->A            = A;
  cg->nonzerostate = state;
  cg->n            = n;
  cg->N            = N;
  cg->p            = p;
  cg->failure      = 0.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode BlockCGGetViews(KSP ksp, BlockCGViews **views)
{
  KSP_BlockCG  *cg = (KSP_BlockCG *)ksp->data;
  BlockCGViews *v  = cg->r == cg->p ? &cg->full[cg->p] : &cg->part;

  PetscFunctionBegin;
  *views = v;
  if (v->W && v->p == cg->p && v->r == cg->r) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(BlockCGViewsDestroy(v));
  v->p = cg->p;
  v->r = cg->r;
  PetscCall(KSPColumnsCreateMat(ksp, cg->n, cg->N, cg->r, Block(cg, BLOCK_Z), &v->Z));
  PetscCall(KSPColumnsCreateMat(ksp, cg->n, cg->N, cg->r, Block(cg, BLOCK_R), &v->R));
  PetscCall(KSPColumnsCreateMat(ksp, cg->n, cg->N, cg->r, Block(cg, BLOCK_S), &v->S));
  PetscCall(KSPColumnsCreateMat(ksp, cg->n, cg->N, cg->r, Block(cg, BLOCK_W), &v->W));
  PetscCall(MatProductCreateWithMat(cg->A, v->S, NULL, v->W));
  PetscCall(MatProductSetType(v->W, MATPRODUCT_AB));
  PetscCall(MatProductSetFromOptions(v->W));
  PetscCall(MatProductSymbolic(v->W)); /* once for as long as A, p and r stay */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void BlockCGChangeSign(KSP_BlockCG *cg, PetscInt block)
{
  PetscScalar *x = Block(cg, block);

  for (PetscInt i = 0; i < cg->n * cg->r; i++) x[i] = -x[i];
}

/* W = A S */
static PetscErrorCode BlockCGApplyA(KSP ksp)
{
  BlockCGViews *views;

  PetscFunctionBegin;
  PetscCall(BlockCGGetViews(ksp, &views));
  PetscCall(PetscObjectStateIncrease((PetscObject)views->S));
  PetscCall(MatProductNumeric(views->W));
  if (((KSP_BlockCG *)ksp->data)->negative) BlockCGChangeSign((KSP_BlockCG *)ksp->data, BLOCK_W);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Z = M^{-1} R */
static PetscErrorCode BlockCGApplyM(KSP ksp)
{
  KSP_BlockCG  *cg = (KSP_BlockCG *)ksp->data;
  BlockCGViews *views;
  MatNullSpace  nullsp;

  PetscFunctionBegin;
  PetscCall(BlockCGGetViews(ksp, &views));
  PetscCall(PetscObjectStateIncrease((PetscObject)views->R));
  PetscCall(PCMatApply(ksp->pc, views->R, views->Z));
  PetscCall(MatGetNullSpace(cg->A, &nullsp));
  if (nullsp) PetscCall(KSPColumnsRemoveNullSpace(nullsp, views->Z, cg->r));
  if (cg->negativepc) BlockCGChangeSign(cg, BLOCK_Z);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The residual block as it stands, B - A X = R C, into resid */
static PetscErrorCode BlockCGFormResidual(KSP_BlockCG *cg)
{
  PetscFunctionBegin;
  if (!cg->resid) PetscCall(PetscMalloc1((size_t)cg->pmax * (size_t)cg->n + 1, &cg->resid));
  PetscCall(NAPIGemm("N", "N", cg->n, cg->p, cg->r, 1.0, Block(cg, BLOCK_R), cg->n, cg->C, cg->p, 0.0, cg->resid, cg->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------- products, rank and definiteness ------------------------------------------- */

/*
   BlockCGGram - G = [U_1 U_2 ...]' V for count blocks from first on, all of r columns, reduced over all processes. G has
   count*r rows. finite is false where one of its numbers is NaN or Inf.
*/
static PetscErrorCode BlockCGGram(KSP ksp, PetscInt first, PetscInt count, PetscInt with, PetscScalar *G, PetscBool *finite)
{
  KSP_BlockCG   *cg = (KSP_BlockCG *)ksp->data;
  const PetscInt r = cg->r, size = count * r * r, together = r == cg->p ? count : 1; /* blocks without a gap between them */
  PetscMPIInt    msize;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(G, size));
  for (PetscInt i = 0; i < count; i += together) PetscCall(NAPIGemmTall(cg->n, together * r, r, Block(cg, first + i), cg->n, Block(cg, with), cg->n, G + i * r, count * r));
  if (size) G[0] += cg->failure;
  PetscCall(PetscMPIIntCast(size, &msize));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, G, msize, MPIU_SCALAR, MPIU_SUM, PetscObjectComm((PetscObject)ksp)));
  *finite = PETSC_TRUE;
  for (PetscInt i = 0; i < size; i++)
    if (PetscIsInfOrNanScalar(G[i])) *finite = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode BlockCGReduce(KSP ksp, PetscInt size, PetscReal *dots)
{
  PetscFunctionBegin;
  if (size) dots[0] += ((KSP_BlockCG *)ksp->data)->failure;
  PetscCall(KSPColumnsReduce(ksp, size, dots));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* norm2_j = ||u_j||^2 for the p columns of a block, reduced */
static PetscErrorCode BlockCGNorms2(KSP ksp, PetscInt p, const PetscScalar *U, PetscReal *norm2)
{
  const PetscInt n = ((KSP_BlockCG *)ksp->data)->n;

  PetscFunctionBegin;
  PetscCall(KSPColumnsDots(n, p, U, n, U, n, norm2));
  PetscCall(BlockCGReduce(ksp, p, norm2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* norm2_l = c'G c, or 0 where rounding makes it negative, for the columns c of C (rank x p), G of rank rows */
PetscErrorCode BlockCGQuadraticForms(KSP_BlockCG *cg, PetscInt rank, const PetscScalar *G, PetscInt ldg, const PetscScalar *C, PetscReal *norm2)
{
  PetscFunctionBegin;
  PetscCall(NAPIGemm("N", "N", rank, cg->p, rank, 1.0, G, ldg, C, cg->p, 0.0, cg->tmp, cg->p));
  PetscCall(KSPColumnsDots(rank, cg->p, C, cg->p, cg->tmp, cg->p, norm2));
  for (PetscInt l = 0; l < cg->p; l++) norm2[l] = PetscMax(norm2[l], 0.0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   BlockCGIsIndefinite - Whether the operator V = Op(U) has shown itself not to be positive: U'V, of r columns, has a diagonal
   entry (in diag, which has the stride ld) or an eigenvalue after scaling below zero by more than the rounding of Op(U),
   eps ||Op|| ||u||, explains. ||Op|| is judged by ||v||/||u||.
*/
static PetscErrorCode BlockCGIsIndefinite(KSP ksp, PetscInt u, PetscInt v, const PetscScalar *diag, PetscInt ld, PetscBool *indefinite)
{
  KSP_BlockCG *cg   = (KSP_BlockCG *)ksp->data;
  PetscReal   *dots = cg->dots, *s = cg->s, tol, norm = 0.0, width = 0.0;
  PetscInt     i, r = cg->r;

  PetscFunctionBegin;
  PetscCall(KSPColumnsDots(cg->n, r, Block(cg, u), cg->n, Block(cg, u), cg->n, dots));
  PetscCall(KSPColumnsDots(cg->n, r, Block(cg, v), cg->n, Block(cg, v), cg->n, dots + r));
  PetscCall(BlockCGReduce(ksp, 2 * r, dots));
  for (i = 0; i < r; i++)
    if (dots[i] > 0.0) norm = PetscMax(norm, PetscSqrtReal(dots[r + i] / dots[i]));
  tol         = PETSC_MACHINE_EPSILON * (BLOCKCG_ROUNDING + PetscSqrtReal((PetscReal)cg->N)) * norm;
  *indefinite = PETSC_FALSE;
  for (i = 0; i < r; i++) {
    if (PetscRealPart(diag[i * (ld + 1)]) < -tol * dots[i]) *indefinite = PETSC_TRUE;
    width = PetscMax(width, dots[i] * s[i] * s[i]);
  }
  if (cg->lambda[0] < -tol * r * width) *indefinite = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   BlockCGFactor - Of the Gram matrix G = u'v of two blocks, r x r: with s_i = G_ii^{-1/2} (0 where G_ii <= 0) and
   s G s = V Lambda V', which stay in s, lambda (ascending) and eig, T = s V Lambda^{-1/2}, r x rank, for the last rank
   eigenvalues, those that rounding has not made; and, where not NULL, Tinv = Lambda^{1/2} V' s^{-1}. Block v is an operator
   times u: indefinite says that it is not positive.
*/
static PetscErrorCode BlockCGFactor(KSP ksp, PetscInt u, PetscInt v, const PetscScalar *G, PetscInt ldg, PetscScalar *T, PetscScalar *Tinv, PetscInt *rank, PetscBool *indefinite)
{
  KSP_BlockCG   *cg = (KSP_BlockCG *)ksp->data;
  PetscScalar   *E  = cg->eig;
  PetscReal     *s = cg->s, *lambda = cg->lambda;
  const PetscInt r        = cg->r;
  PetscBool      doubtful = PETSC_FALSE; /* there is something below zero which may or may not be rounding */

  PetscFunctionBegin;
  *indefinite = PETSC_FALSE;
  PetscCall(NAPIHermitianPart(0, r, G, ldg, E, r, NULL));
  for (PetscInt i = 0; i < r; i++) {
    const PetscReal d = PetscRealPart(E[i + i * r]);

    s[i] = d > 0.0 ? 1.0 / PetscSqrtReal(d) : 0.0;
    if (d < 0.0) doubtful = PETSC_TRUE;
  }
  PetscCall(NAPISVQBScale(r, s, E, r));
  PetscCall(NAPIEigen(r, E, r, lambda));
  PetscCall(NAPISVQBTransform(r, s, lambda, E, r, T, r, Tinv, rank, NULL));
  if (lambda[0] < -1e-14 * r * PetscAbsReal(lambda[r - 1])) doubtful = PETSC_TRUE;
  if (doubtful) PetscCall(BlockCGIsIndefinite(ksp, u, v, G, ldg, indefinite));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------- the convergence test ------------------------------------------- */

/* The test of all columns, by residual norms or, where they are known, by bounds of the energy errors */
static PetscErrorCode BlockCGTest(KSP ksp, Mat B, Mat X, PetscBool report)
{
  KSP_BlockCG *cg   = (KSP_BlockCG *)ksp->data;
  PetscReal   *norm = cg->testnorm, *ref = cg->testref;

  PetscFunctionBegin;
  for (PetscInt l = 0; l < cg->p; l++) {
    if (cg->bounded) { /* ||e_j||_A over a lower bound of ||e_0||_A */
      norm[l] = cg->bound[l];
      ref[l]  = ksp->its ? PetscSqrtReal(cg->decrease[l]) : cg->boundref[l];
    } else {
      norm[l] = PetscSqrtReal(cg->norm2[l]);
      ref[l]  = cg->ref[l];
    }
  }
  PetscCall(KSPColumnsTest(ksp, B, X, cg->p, norm, ref, cg->scale, report));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Called where a reduction has come out as NaN or Inf: the preconditioner may have failed on some process */
static PetscErrorCode BlockCGNotFinite(KSP ksp, Mat X)
{
  KSP_BlockCG *cg     = (KSP_BlockCG *)ksp->data;
  PetscBool    failed = PETSC_FALSE;
  PetscScalar *x;
  PetscInt     i, j, ld;

  PetscFunctionBegin;
  PetscCall(NAPIPCFailed(ksp->pc, &failed));
  ksp->rnorm = (PetscReal)NAN;
  if (failed) {
    ksp->reason = KSP_DIVERGED_PC_FAILED;
    PetscCall(PetscInfo(ksp, "diverging: the preconditioner failed\n"));
    PetscCall(KSPColumnsGetSolution(ksp, X, &x, &ld)); /* so that an outer solver notices */
    for (j = 0; j < cg->p; j++)
      for (i = 0; i < cg->n; i++) x[i + j * ld] = (PetscReal)NAN;
    PetscCall(KSPColumnsRestoreSolution(ksp, X, &x));
  } else {
    ksp->reason = KSP_DIVERGED_NANORINF;
    PetscCall(PetscInfo(ksp, "diverging: NaN or Inf in an inner product at iteration %" PetscInt_FMT "\n", ksp->its));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------- the method ------------------------------------------- */

/* The residual is R, of p columns: C = I */
static void BlockCGSetResidual(KSP_BlockCG *cg)
{
  cg->r        = cg->p;
  cg->separate = PETSC_FALSE;
  for (PetscInt l = 0; l < cg->p; l++) {
    cg->lost[l] = 0.0;
    for (PetscInt i = 0; i < cg->p; i++) cg->C[i + l * cg->p] = i == l ? 1.0 : 0.0;
  }
}

/*
   BlockCGStart - R = B - A X, and the reference norms where they are not the initial ones: those of the right-hand
   sides, as KSPConvergedDefault() wants it for a nonzero guess. known says that norm2 holds the norms of R.
*/
static PetscErrorCode BlockCGStart(KSP ksp, Mat B, Mat X, PetscBool *known)
{
  KSP_BlockCG  *cg  = (KSP_BlockCG *)ksp->data;
  PetscBool     rhs = KSPColumnsRefersToRHS(ksp);
  PetscScalar  *R, *Z;
  PetscReal    *norm2 = cg->norm2, *ref = cg->ref, *dots = cg->dots;
  PetscInt      j, l, n = cg->n, p = cg->p;
  MatNullSpace  nullsp;
  BlockCGViews *views = NULL;

  PetscFunctionBegin;
  *known = PETSC_FALSE;
  BlockCGSetResidual(cg);
  R = Block(cg, BLOCK_R);
  Z = Block(cg, BLOCK_Z);
  for (l = 0; l < p; l++) {
    ref[l]          = -1.0; /* not known yet: will be the initial norm */
    cg->decrease[l] = norm2[l] = 0.0;
  }
  PetscCall(MatGetTransposeNullSpace(cg->A, &nullsp));
  if (!nullsp) PetscCall(MatGetNullSpace(cg->A, &nullsp)); /* A is Hermitian */
  PetscCall(KSPColumnsCopy(B, ksp->vec_rhs, n, p, R));
  if (nullsp) {
    PetscCall(BlockCGGetViews(ksp, &views));
    PetscCall(KSPColumnsRemoveNullSpace(nullsp, views->R, p));
  }
  if (ksp->guess_zero) {
    if (ksp->normtype == KSP_NORM_UNPRECONDITIONED && !ksp->max_it) {
      PetscCall(BlockCGNorms2(ksp, p, R, norm2)); /* r'r */
      *known = PETSC_TRUE;
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (rhs && (ksp->normtype == KSP_NORM_PRECONDITIONED || ksp->normtype == KSP_NORM_NATURAL)) {
    PetscCall(BlockCGApplyM(ksp));
    PetscCall(KSPColumnsDots(n, p, ksp->normtype == KSP_NORM_NATURAL ? R : Z, n, Z, n, dots)); /* b'M^{-1}b, or ||M^{-1}b||^2 */
    PetscCall(BlockCGReduce(ksp, p, dots));
    for (l = 0; l < p; l++) ref[l] = PetscSqrtReal(PetscAbsReal(dots[l]));
  }
  if (rhs && ksp->normtype == KSP_NORM_UNPRECONDITIONED) PetscCall(KSPColumnsDots(n, p, R, n, R, n, dots + p)); /* b'b */
  PetscCall(KSPColumnsCopy(X, ksp->vec_sol, n, p, Block(cg, BLOCK_S)));
  PetscCall(BlockCGApplyA(ksp));
  for (j = 0; j < n * p; j++) R[j] -= cg->negative ? -Block(cg, BLOCK_W)[j] : Block(cg, BLOCK_W)[j]; /* R = B - A X */
  if (nullsp) PetscCall(KSPColumnsRemoveNullSpace(nullsp, views->R, p));
  if (ksp->normtype == KSP_NORM_UNPRECONDITIONED) {
    PetscCall(KSPColumnsDots(n, p, R, n, R, n, dots)); /* r'r */
    PetscCall(BlockCGReduce(ksp, rhs ? 2 * p : p, dots));
    for (l = 0; l < p; l++) {
      norm2[l] = dots[l];
      if (rhs) ref[l] = PetscSqrtReal(dots[p + l]);
    }
    *known = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The reference norms, now that the initial norms are known, and the largest of them, by which all are reported */
static PetscErrorCode BlockCGReference(KSP ksp)
{
  KSP_BlockCG *cg   = (KSP_BlockCG *)ksp->data;
  PetscReal   *norm = cg->testnorm;

  PetscFunctionBegin;
  for (PetscInt l = 0; l < cg->p; l++) norm[l] = PetscSqrtReal(cg->norm2[l]);
  PetscCall(KSPColumnsReference(ksp, cg->p, norm, cg->ref, &cg->scale));
  if (!cg->bounded) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscArraycpy(cg->boundref, cg->bound, cg->p));
  cg->scale = 0.0;
  for (PetscInt l = 0; l < cg->p; l++) cg->scale = PetscMax(cg->scale, cg->bound[l]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank is about to be lost: keep the residual itself from now on */
static PetscErrorCode BlockCGKeepResidual(KSP ksp, PetscInt rank)
{
  KSP_BlockCG       *cg = (KSP_BlockCG *)ksp->data;
  const PetscScalar *C  = cg->C;
  PetscScalar       *sC = cg->aC, *VsC = cg->tmp; /* not in use here */
  const PetscReal   *s = cg->s, *lambda = cg->lambda;
  PetscInt           r = cg->r, lost = r - rank;

  PetscFunctionBegin;
  PetscCall(PetscInfo(ksp, "iteration %" PetscInt_FMT ": %" PetscInt_FMT " of %" PetscInt_FMT " directions depend on the others\n", ksp->its, lost, r));
  if (!cg->separate) PetscCall(BlockCGFormResidual(cg));
  cg->separate = PETSC_TRUE;
  /* what Q C no longer has of column l, in the norm of M^{-1}: from the eigenvectors V that are left out, V' s^{-1} C */
  for (PetscInt l = 0; l < cg->p; l++)
    for (PetscInt i = 0; i < r; i++) sC[i + l * r] = s[i] > 0.0 ? C[i + l * cg->p] / s[i] : 0.0;
  PetscCall(NAPIGemm("C", "N", lost, cg->p, r, 1.0, cg->eig, r, sC, r, 0.0, VsC, r));
  for (PetscInt l = 0; l < cg->p; l++) {
    PetscReal sum = 0.0;

    for (PetscInt k = 0; k < lost; k++) sum += PetscMax(PetscAbsReal(lambda[k]), r * PETSC_MACHINE_EPSILON) * PetscSqr(PetscAbsScalar(VsC[k + l * r]));
    cg->lost[l] += PetscSqrtReal(sum);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   BlockCGTransform - The basis R T, of rank columns, for R. R <- R T, C <- C_new and, last of all, S <- Z T + S z'; in a pass
   before the last, Z <- Z T and S <- S z'. T is r x rank and z rank x r. In place, a chunk of rows at a time. Without a past
   (fresh) there is no S yet.
*/
static PetscErrorCode BlockCGTransform(KSP ksp, PetscInt rank, PetscBool fresh, PetscBool last)
{
  KSP_BlockCG *cg = (KSP_BlockCG *)ksp->data;
  PetscScalar *R = Block(cg, BLOCK_R), *Z = Block(cg, BLOCK_Z), *S = Block(cg, BLOCK_S), *buf = cg->chunk;
  PetscInt     i, j, m, r = cg->r, n = cg->n;

  PetscFunctionBegin;
  if (rank < r) PetscCall(BlockCGKeepResidual(ksp, rank));
  for (i = 0; i < n; i += BLOCKCG_CHUNK) {
    m = PetscMin(BLOCKCG_CHUNK, n - i);
    PetscCall(NAPIGemm("N", "N", m, rank, r, 1.0, R + i, n, cg->T, r, 0.0, buf, m));
    for (j = 0; j < rank; j++) PetscCall(PetscArraycpy(R + i + j * n, buf + j * m, m));
    PetscCall(NAPIGemm("N", "N", m, rank, r, 1.0, Z + i, n, cg->T, r, 0.0, buf, m));
    if (!last) {
      for (j = 0; j < rank; j++) PetscCall(PetscArraycpy(Z + i + j * n, buf + j * m, m));
      if (fresh) continue;
    }
    if (!fresh) PetscCall(NAPIGemm("N", "C", m, rank, r, 1.0, S + i, n, cg->z, rank, last ? 1.0 : 0.0, buf, m));
    for (j = 0; j < rank; j++) PetscCall(PetscArraycpy(S + i + j * n, buf + j * m, m));
  }
  for (j = 0; j < cg->p; j++) PetscCall(PetscArraycpy(cg->C + j * cg->p, cg->Cnew + j * cg->p, rank));
  cg->r = rank;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Column norms of R C after R = Q - W a, from those of Q C and from [R W S]'W; from R C itself where digits cancel */
static PetscErrorCode BlockCGUpdateNorms(KSP ksp, const PetscScalar *gram)
{
  KSP_BlockCG       *cg = (KSP_BlockCG *)ksp->data;
  const PetscScalar *C = cg->C, *aC = cg->aC;
  PetscScalar       *QWaC = cg->tmp, *WWaC = cg->Cnew;
  PetscReal         *norm2 = cg->norm2, sum;
  PetscInt           i, l, r = cg->r, p = cg->p;
  PetscBool          cancelled = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(NAPIGemm("N", "N", r, p, r, 1.0, gram, 3 * r, aC, p, 0.0, QWaC, p));
  PetscCall(NAPIGemm("N", "N", r, p, r, 1.0, gram + r, 3 * r, aC, p, 0.0, WWaC, p));
  for (l = 0; l < p; l++) { /* ||Q c - W a c||^2 = c'Q'Q c - 2 Re c'Q'W a c + c'a'W'W a c */
    sum = norm2[l];
    for (i = 0; i < r; i++) sum += PetscRealPart(PetscConj(aC[i + l * p]) * WWaC[i + l * p] - 2.0 * PetscConj(C[i + l * p]) * QWaC[i + l * p]);
    if (norm2[l] > 0.0 && !(sum > BLOCKCG_CANCELLED * norm2[l])) cancelled = PETSC_TRUE;
    norm2[l] = PetscMax(sum, 0.0);
  }
  if (cancelled) {
    if (!cg->separate) PetscCall(BlockCGFormResidual(cg));
    PetscCall(BlockCGNorms2(ksp, p, cg->resid, norm2));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The preconditioner of a negative definite matrix may be so as well, which R'Z tells */
static void BlockCGFindSign(KSP_BlockCG *cg, PetscScalar *RZ, PetscInt ld)
{
  PetscReal trace = 0.0;

  for (PetscInt i = 0; i < cg->r; i++) trace += PetscRealPart(RZ[i * (ld + 1)]);
  if (trace >= 0.0) return;
  cg->negativepc = PETSC_TRUE;
  BlockCGChangeSign(cg, BLOCK_Z);
  for (PetscInt j = 0; j < cg->r; j++)
    for (PetscInt i = 0; i < cg->r; i++) RZ[i + j * ld] = -RZ[i + j * ld];
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
  PetscScalar *gram = cg->gram, *T = cg->T, *z = cg->z, *C = cg->C, *Cnew = cg->Cnew;
  PetscScalar *NT = cg->root, *TNT = cg->a, *RZ, *norms;
  PetscReal   *lambda = cg->lambda, *norm2 = cg->norm2;
  PetscInt     p = cg->p, r, rank, lost, ld, pass;
  PetscBool    finite, indefinite;

  PetscFunctionBegin;
  for (pass = 0;; pass++) {
    r = cg->r;
    switch (ksp->normtype) {
    case KSP_NORM_UNPRECONDITIONED: /* [Z R]'R = [R'Z; R'R] */
      PetscCall(BlockCGGram(ksp, BLOCK_Z, 2, BLOCK_R, gram, &finite));
      ld    = 2 * r;
      RZ    = gram;
      norms = gram + r;
      break;
    case KSP_NORM_PRECONDITIONED: /* [Z R]'Z = [Z'Z; R'Z] */
      PetscCall(BlockCGGram(ksp, BLOCK_Z, 2, BLOCK_Z, gram, &finite));
      ld    = 2 * r;
      RZ    = gram + r;
      norms = gram;
      break;
    default: /* R'Z is the natural norm as well */
      PetscCall(BlockCGGram(ksp, BLOCK_Z, 1, BLOCK_R, gram, &finite));
      ld    = r;
      RZ    = gram;
      norms = ksp->normtype == KSP_NORM_NATURAL ? gram : NULL;
    }
    if (!finite) {
      PetscCall(BlockCGNotFinite(ksp, X));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    if (cg->negative && fresh && !pass && !cg->negativepc) BlockCGFindSign(cg, RZ, ld);
    PetscCall(BlockCGFactor(ksp, BLOCK_R, BLOCK_Z, RZ, ld, T, z, &rank, &indefinite)); /* R'Z = z'z, T = z^{-1} */
    if (indefinite) {
      PetscCall(PetscInfo(ksp, "diverging due to indefinite preconditioner at iteration %" PetscInt_FMT "\n", ksp->its));
      ksp->reason = KSP_DIVERGED_INDEFINITE_PC;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    lost = r - rank;
    PetscCall(NAPIGemm("N", "N", rank, p, r, 1.0, z, rank, C, p, 0.0, Cnew, p));  /* z C */
    if (cg->bounded && !fresh) PetscCall(BlockCGBoundTransform(cg, rank, nk, z)); /* z b */
    if (!rank || lambda[lost] > BLOCKCG_DEPENDENT * lambda[r - 1] || pass > 1) break;
    PetscCall(BlockCGTransform(ksp, rank, fresh, PETSC_FALSE));
  }
  if (norms && lost) PetscCall(BlockCGQuadraticForms(cg, r, norms, ld, C, norm2)); /* c'R'R c, or Z'Z, or R'Z */
  else if (norms) {
    /* the same by the coefficients in the new basis: linear in them, so that small norms come out right as well */
    PetscCall(NAPIGemm("N", "N", r, rank, r, 1.0, norms, ld, T, r, 0.0, NT, r));
    PetscCall(NAPIGemm("C", "N", rank, rank, r, 1.0, T, r, NT, r, 0.0, TNT, rank));
    PetscCall(BlockCGQuadraticForms(cg, rank, TNT, rank, Cnew, norm2));
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
  PetscScalar *gram = cg->gram, *C = cg->C, *a = cg->a, *aC = cg->aC;
  PetscScalar *root = cg->root, *rC = cg->rC, *D, *x;
  PetscInt     i, l, ld, ldx, rank, n = cg->n, p = cg->p, r = cg->r;
  PetscBool    finite, indefinite;

  PetscFunctionBegin;
  PetscCall(BlockCGApplyA(ksp)); /* W = A S */
  ksp->its++;
  if (ksp->normtype == KSP_NORM_UNPRECONDITIONED) { /* [R W S]'W = [Q'W; W'W; S'W] */
    PetscCall(BlockCGGram(ksp, BLOCK_R, 3, BLOCK_W, gram, &finite));
    ld = 3 * r;
    D  = gram + 2 * r;
  } else { /* S'W */
    PetscCall(BlockCGGram(ksp, BLOCK_S, 1, BLOCK_W, gram, &finite));
    ld = r;
    D  = gram;
  }
  if (!finite) {
    PetscCall(BlockCGNotFinite(ksp, X));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(BlockCGFactor(ksp, BLOCK_S, BLOCK_W, D, ld, root, NULL, &rank, &indefinite)); /* a = (S'A S)^{-1} = root root' */
  if (indefinite || !rank) {
    PetscCall(PetscInfo(ksp, "diverging due to indefinite matrix at iteration %" PetscInt_FMT "\n", ksp->its));
    ksp->reason = KSP_DIVERGED_INDEFINITE_MAT;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(NAPIGemm("N", "C", r, r, rank, 1.0, root, r, root, r, 0.0, a, r));
  PetscCall(NAPIGemm("C", "N", rank, p, r, 1.0, root, r, C, p, 0.0, rC, p));
  PetscCall(NAPIGemm("N", "N", r, p, rank, 1.0, root, r, rC, p, 0.0, aC, p));
  for (l = 0; l < p; l++)
    for (i = 0; i < rank; i++) cg->decrease[l] += PetscSqr(PetscAbsScalar(rC[i + l * p])); /* c'a c = ||e_j||_A^2 - ||e_{j+1}||_A^2 */

  PetscCall(KSPColumnsGetSolution(ksp, X, &x, &ldx));
  PetscCall(NAPIGemm("N", "N", n, p, r, cg->negative ? -1.0 : 1.0, Block(cg, BLOCK_S), n, aC, p, 1.0, x, ldx)); /* X <- X + S a C */
  PetscCall(KSPColumnsRestoreSolution(ksp, X, &x));
  PetscCall(NAPIGemm("N", "N", n, r, r, -1.0, Block(cg, BLOCK_W), n, a, r, 1.0, Block(cg, BLOCK_R), n));           /* R <- Q - W a */
  if (cg->separate) PetscCall(NAPIGemm("N", "N", n, p, r, -1.0, Block(cg, BLOCK_W), n, aC, p, 1.0, cg->resid, n)); /* B - A X */
  if (ksp->normtype == KSP_NORM_UNPRECONDITIONED) PetscCall(BlockCGUpdateNorms(ksp, gram));
  *nk = rank;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* B and X are NULL for the vectors of the KSP */
static PetscErrorCode BlockCGSolve(KSP ksp, PetscInt p, Mat B, Mat X)
{
  KSP_BlockCG *cg = (KSP_BlockCG *)ksp->data;
  PetscInt     l, rank = 0, nk = 0;
  PetscBool    unprec = (PetscBool)(ksp->normtype == KSP_NORM_UNPRECONDITIONED), early;
  PetscBool    tested, report = PETSC_TRUE, fresh = PETSC_TRUE, again;

  PetscFunctionBegin;
  PetscCall(BlockCGPrepare(ksp, p));
  if (ksp->reason == KSP_DIVERGED_PC_FAILED) cg->failure = (PetscReal)NAN;
  cg->solved  = PETSC_TRUE;
  cg->bounded = (PetscBool)(cg->mu > 0.0);
  cg->scale   = 0.0;

  cg->negativepc = PETSC_FALSE;
  ksp->its       = 0;
  ksp->reason    = KSP_CONVERGED_ITERATING;

  PetscCall(BlockCGStart(ksp, B, X, &tested)); /* R <- B - A X */
  if (ksp->normtype == KSP_NORM_NONE) tested = PETSC_TRUE;
  if (cg->bounded) tested = PETSC_FALSE; /* the first bound is that of the natural norm */
  if (tested) {
    PetscCall(BlockCGReference(ksp));
    if (PetscIsInfOrNanReal(cg->scale)) PetscCall(BlockCGNotFinite(ksp, X));
    else PetscCall(BlockCGTest(ksp, B, X, report));
  }

  while (!ksp->reason) {
    /* here the residual is R C; it is tested already where that needs no preconditioner */
    if (tested && ksp->its >= ksp->max_it) {
      PetscCall(PetscInfo(ksp, "maximum number of iterations reached\n"));
      ksp->reason = KSP_DIVERGED_ITS;
      break;
    }
    PetscCall(BlockCGApplyM(ksp));                                       /* Z <- M^{-1} R */
    PetscCall(BlockCGOrthonormalize(ksp, X, fresh, nk, &rank));          /* R'Z = z'z */
    if (ksp->reason) break;                                              /* indefinite preconditioner, NaN or Inf */
    if (cg->bounded) PetscCall(BlockCGBoundUpdate(cg, fresh, rank, nk)); /* ||e||_A^2 <= c'Gamma c */
    again = PETSC_FALSE;
    if (!tested) {
      if (!ksp->its && report) PetscCall(BlockCGReference(ksp));
      PetscCall(BlockCGTest(ksp, B, X, report));
    } else if (cg->bounded && !fresh) PetscCall(BlockCGTest(ksp, B, X, PETSC_FALSE)); /* a better bound than before */
    if (ksp->reason > 0 && ksp->reason != KSP_CONVERGED_ITS && cg->separate && !cg->bounded) again = PETSC_TRUE;
    report = PETSC_TRUE;
    if (!ksp->reason && !tested && ksp->its >= ksp->max_it) {
      PetscCall(PetscInfo(ksp, "maximum number of iterations reached\n"));
      ksp->reason = KSP_DIVERGED_ITS;
    }
    if (!ksp->reason && !rank) { /* z'r = 0 for every column, and yet no test is satisfied */
      PetscCall(BlockCGNorms2(ksp, cg->r, Block(cg, BLOCK_R), cg->dots));
      ksp->reason = KSP_CONVERGED_ATOL;
      for (l = 0; l < cg->r; l++)
        if (cg->dots[l] > 0.0) ksp->reason = KSP_DIVERGED_BREAKDOWN;
      if (ksp->reason > 0) PetscCall(PetscInfo(ksp, "converged due to r = 0\n"));
      else PetscCall(PetscInfo(ksp, "diverging: the preconditioner has r'M^{-1}r = 0 for all residuals\n"));
    }
    if (ksp->reason && !again) break;

    if (!again) {
      PetscCall(BlockCGTransform(ksp, rank, fresh, PETSC_TRUE)); /* R <- R z^{-1}, S <- Z z^{-1} + S z', C <- z C */
      fresh = PETSC_FALSE;
      PetscCall(BlockCGStep(ksp, X, &nk));                   /* a <- (S'A S)^{-1}, X <- X + S a C, R <- R - A S a */
      if (ksp->reason) break;                                /* indefinite matrix, NaN or Inf */
      if (cg->bounded) PetscCall(BlockCGBoundStep(ksp, nk)); /* ||e||_A^2 <= c'(Gamma - a)c */
      early  = (PetscBool)(cg->bounded || unprec || ksp->normtype == KSP_NORM_NONE);
      tested = early;
      if (early) {
        PetscCall(BlockCGTest(ksp, B, X, PETSC_TRUE));
        if (cg->separate) again = cg->bounded ? (PetscBool)(!ksp->reason && BlockCGBoundMostlyLost(ksp)) : (PetscBool)(ksp->reason > 0 && ksp->reason != KSP_CONVERGED_ITS);
      }
    }
    if (again) { /* R C has converged: start again from what it does not have */
      PetscCall(PetscInfo(ksp, "iteration %" PetscInt_FMT ": starting again from the residual\n", ksp->its));
      PetscCall(PetscArraycpy(Block(cg, BLOCK_R), cg->resid, (size_t)p * (size_t)cg->n));
      BlockCGSetResidual(cg);
      ksp->reason = KSP_CONVERGED_ITERATING;
      fresh       = PETSC_TRUE;
      report      = PETSC_FALSE;
      tested      = (PetscBool)(unprec && !cg->bounded);
      if (tested) {
        PetscCall(BlockCGNorms2(ksp, p, cg->resid, cg->norm2)); /* r'r */
        PetscCall(BlockCGTest(ksp, B, X, PETSC_FALSE));
      }
    }
  }
  if (!cg->bounded)
    for (l = 0; l < p; l++) cg->bound[l] = PETSC_INFINITY;
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

PetscErrorCode KSPBlockCGGetResidual_BlockCG(KSP ksp, Mat *R)
{
  KSP_BlockCG *cg      = (KSP_BlockCG *)ksp->data;
  PetscInt     columns = 0;

  PetscFunctionBegin;
  PetscCheck(cg->solved, PetscObjectComm((PetscObject)ksp), PETSC_ERR_ORDER, "There has been no solve yet");
  if (!cg->separate) PetscCall(BlockCGFormResidual(cg)); /* only now: most callers never ask */
  if (cg->residmat) PetscCall(MatGetSize(cg->residmat, NULL, &columns));
  if (columns != cg->p) {
    PetscCall(MatDestroy(&cg->residmat));
    PetscCall(KSPColumnsCreateMat(ksp, cg->n, cg->N, cg->p, cg->resid, &cg->residmat));
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
  NAPIMethodGet(KSP, ksp, KSPBlockCGGetResidual, Mat, R);
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
  PetscCall(BlockCGCompose(ksp, PETSC_FALSE));
  PetscCall(KSPDestroyDefault(ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   KSPBLOCKCG - KSPBLOCKCG = "blockcg" - Block conjugate gradients for Hermitian positive definite systems with several
   right-hand sides, which share one Krylov space

   Options Database Key:
.  -ksp_blockcg_lower_bound <mu> - lower bound of the spectrum of the preconditioned matrix: stop on the energy error

   Level: intermediate

   Notes:
   KSPMatSolve() solves for all columns at once, KSPSolve() is conjugate gradients. An iteration applies the matrix and
   the preconditioner (by PCMatApply()) to one block and has two reductions. Right-hand sides may depend on each other, be
   zero, differ in scale by many orders, or outnumber the unknowns.

   Norms: unpreconditioned (the default), natural, preconditioned, none. With the first and the last, j iterations apply
   the matrix and the preconditioner j times, since the norm of the residual is known before the preconditioner is
   applied to it; the other two norms are not, and cost one application of the preconditioner more. (A solve from zero
   that needs no iteration at all, its right-hand sides being zero, has applied the preconditioner once.)

   A solve has converged when the norm of every column is below max(rtol*its reference, abstol). The reference is the one
   KSPConvergedDefault() takes for a single system: the norm of the right-hand side, or with
   KSPConvergedDefaultSetUIRNorm() that of the initial residual. Monitors, the residual history, KSPGetResidualNorm() and a
   convergence test of one's own see one number for all columns: the worst reduction of any column (those below abstol
   aside) times the largest reference. For one column this is its norm. While they run, KSPBuildSolution(),
   KSPGetRhs() and the like are those of the worst column.

   KSPMatSolve() ignores KSPGuess. Null spaces of the matrix (MatSetNullSpace()) are removed as in KSPSolve().

   A positive definite matrix and preconditioner are assumed; where an inner product shows the contrary by more than
   rounding, the reason is KSP_DIVERGED_INDEFINITE_MAT or KSP_DIVERGED_INDEFINITE_PC.

.seealso: KSPMatSolve(), KSPCG, KSPBlockCGSetLowerBound(), KSPBlockCGGetErrorBound(), KSPBlockCGGetResidual()
M*/
SLEPC_EXTERN PetscErrorCode KSPCreate_BlockCG(KSP ksp)
{
  KSP_BlockCG *cg;

  PetscFunctionBegin;
  PetscCall(PetscNew(&cg));
  PetscCall(KSPColumnsCreate(ksp, &cg->columns, BlockCGSolve));

  /* the default is the norm that needs no application of the preconditioner of its own */
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_UNPRECONDITIONED, PC_LEFT, 3));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_NATURAL, PC_LEFT, 2));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_PRECONDITIONED, PC_LEFT, 2));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_NONE, PC_LEFT, 1));

  ksp->ops->setup          = KSPSetUp_BlockCG;
  ksp->ops->reset          = KSPReset_BlockCG;
  ksp->ops->destroy        = KSPDestroy_BlockCG;
  ksp->ops->view           = KSPView_BlockCG;
  ksp->ops->setfromoptions = KSPSetFromOptions_BlockCG;
  PetscCall(BlockCGCompose(ksp, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
