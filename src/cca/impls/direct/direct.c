/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA type "direct": covariances are formed and factored. For data with few columns, or few samples.

   Each view is whitened: a map p -> u(p) onto the span that matters, with u'S u = p'p. Then

     T = the matrix of u'S12 v in these coordinates,  T = P diag(rho) Q',  u_i = u(p_i),  v_i = v(q_i).

   With d <= n the covariance S = X'X/n + r I (d x d) is formed, S = L L', u = L^{-H} p. Where S is singular (no ridge,
   columns that depend on each other) its eigenvectors take the place of L, as many as are not negligible. With d > n it is
   the n x n matrix K = X X'/n = E D E' that is formed,

     u = X'E (D(D + r))^{-1/2} p / sqrt(n),   with the scores  X u/sqrt(n) = E (D/(D + r))^{1/2} p = W p.

   T is L1^{-1} S12 L2^{-H} or, as soon as a view is of the second kind, W1'W2.

   Eigenvectors of K are slow to compute. If only X is of the second kind, and has a ridge, a Cholesky factor M of K + r1 I
   does instead: eliminating u from the equations leaves

     S12'S11^{-1}S12 v = rho^2 S22 v,   S12'S11^{-1}S12 = (Y'Y - r1 Z'Z)/n,  Z = M^{-1} Y,   u ~ X'M^{-H} Z v.

   Forming the matrices is shared out to the ranks, what follows is done by each for itself. They are formed without ridge, and kept
   for solutions with other ridges.
*/
#include <slepcnapi/private/ccaimpl.h>
#include <slepcnapi/private/gramimpl.h>
#include <slepcblaslapack.h>

/* What is kept of a solution: the factors of covariances that are not singular, where bounds of the errors are wanted, and for other ridges what was formed */
typedef struct {
  PetscScalar *L[2];
  PetscScalar *all;  /* the covariances of both views together */
  PetscScalar *S[2]; /* of each alone */
  PetscScalar *K[2]; /* X X'/n */
} CCA_Direct;

/* One whitened view */
typedef struct {
  PetscBool    dual;       /* d > n: K was factored, not S */
  PetscBool    triangular; /* F is L, else a matrix that maps p to u (or, dual, to what X' maps to u) */
  PetscInt     m, r;       /* rows of F, and how many coordinates there are */
  PetscScalar *F;
  PetscScalar *W; /* dual: n x r, scores of the coordinates */
} Whitened;

/* Z := L^{-1} Z ("N") or L^{-H} Z ("C"), Z of m x n */
static PetscErrorCode CCADirect_SolveTriangular(const char *op, PetscInt m, PetscInt n, const PetscScalar *L, PetscScalar *Z)
{
  PetscBLASInt bm, bn;
  PetscScalar  one = 1.0;

  PetscFunctionBegin;
  PetscCall(PetscBLASIntCast(m, &bm));
  PetscCall(PetscBLASIntCast(n, &bn));
  PetscCallBLAS("BLAStrsm", BLAStrsm_("L", "L", op, "N", &bm, &bn, &one, L, &bm, Z, &bm));
  PetscCall(PetscLogFlops(1.0 * m * m * n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- few columns ------------------------------------------------- */

/* S = L L', or by eigenvectors where S is singular to working accuracy; takes S over */
static PetscErrorCode CCADirect_WhitenPrimal(CCA cca, PetscInt d, PetscScalar *S, Whitened *w)
{
  PetscScalar *L;
  PetscReal   *D, dmin = PETSC_MAX_REAL, dmax = 0.0;
  PetscBLASInt bd, info;
  PetscInt     i, j, r = 0;

  PetscFunctionBegin;
  w->m = d;
  PetscCall(PetscMalloc1(d * d, &L));
  PetscCall(PetscArraycpy(L, S, d * d));
  PetscCall(PetscBLASIntCast(d, &bd));
  PetscCallBLAS("LAPACKpotrf", LAPACKpotrf_("L", &bd, L, &bd, &info));
  if (!info)
    for (i = 0; i < d; i++) {
      dmin = PetscMin(dmin, PetscRealPart(L[i + i * d]));
      dmax = PetscMax(dmax, PetscRealPart(L[i + i * d]));
    }
  if (!info && dmin * dmin > d * PETSC_MACHINE_EPSILON * dmax * dmax) {
    w->triangular = PETSC_TRUE;
    w->r          = d;
    w->F          = L;
    PetscCall(PetscFree(S));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscFree(L));
  PetscCall(PetscMalloc1(d, &D));
  PetscCall(NAPIEigen(d, S, d, D));
  for (j = 0; j < d; j++) { /* u = E D^{-1/2} p, the larger eigenvalues only */
    if (!(D[j] > d * PETSC_MACHINE_EPSILON * D[d - 1])) continue;
    for (i = 0; i < d; i++) S[i + r * d] = S[i + j * d] / PetscSqrtReal(D[j]);
    r++;
  }
  PetscCall(PetscInfo(cca, "A covariance of order %" PetscInt_FMT " has rank %" PetscInt_FMT "\n", d, r));
  PetscCall(PetscFree(D));
  w->r = r;
  w->F = S;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All of a MATGRAM as a dense matrix, on every rank; without its ridges and, if crossed, with S12 where it has nothing. NULL if the work is to end */
static PetscErrorCode CCADirect_FormGram(CCA cca, Mat G, PetscBool crossed, PetscInt d, PetscScalar **S)
{
  Mat C, plain;

  PetscFunctionBegin;
  PetscCall(MatDuplicate(G, MAT_DO_NOT_COPY_VALUES, &plain));
  PetscCall(MatGramSetRidge(plain, 0.0, 0.0));
  if (crossed) PetscCall(MatGramSetCoupling(plain, 1.0, 1.0, 1.0));
  PetscCall(MatGramConvert_Private(plain, CCAAsk_Private, cca, &C));
  PetscCall(MatGramAddPasses(G, 1.0, 0));
  PetscCall(MatDestroy(&plain));
  PetscCall(CCAPollTold_Private(cca, (PetscBool)!C));
  *S = NULL;
  if (!C) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(d * d, S));
  PetscCall(CCAGatherDense_Private(C, *S));
  PetscCall(MatDestroy(&C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The covariance of a view, without ridge, in a new array; NULL if the work is to end */
static PetscErrorCode CCADirect_GetCovariance(CCA cca, PetscInt view, PetscScalar **S)
{
  CCA_Direct    *ctx = (CCA_Direct *)cca->data;
  const PetscInt d   = cca->d[view];

  PetscFunctionBegin;
  if (!ctx->S[view]) PetscCall(CCADirect_FormGram(cca, cca->S[view], PETSC_FALSE, d, &ctx->S[view]));
  *S = NULL;
  if (!ctx->S[view] || cca->stop) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(d * d, S));
  PetscCall(PetscArraycpy(*S, ctx->S[view], d * d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void CCADirect_AddRidge(PetscInt d, PetscReal ridge, PetscScalar *S)
{
  for (PetscInt i = 0; i < d; i++) S[i + i * d] += ridge;
}

/* Z := coordinates of the functionals in the columns of Z, m x n: L^{-1} Z or F'Z, which is returned in a new array */
static PetscErrorCode CCADirect_ToCoordinates(const Whitened *w, PetscInt n, PetscScalar **Z)
{
  PetscScalar *new;

  PetscFunctionBegin;
  if (w->triangular) {
    PetscCall(CCADirect_SolveTriangular("N", w->m, n, w->F, *Z));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(w->r * n, &new));
  PetscCall(NAPIGemm("C", "N", w->r, n, w->m, 1.0, w->F, w->m, *Z, w->m, 0.0, new, w->r));
  PetscCall(PetscFree(*Z));
  *Z = new;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* T' in the place of T, m x n */
static PetscErrorCode CCADirect_Transpose(PetscInt m, PetscInt n, PetscScalar **T)
{
  PetscScalar *new;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(m * n, &new));
  for (PetscInt j = 0; j < n; j++)
    for (PetscInt i = 0; i < m; i++) new[j + i * n] = PetscConj((*T)[i + j * m]);
  PetscCall(PetscFree(*T));
  *T = new;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Both views have few columns: one matrix holds the three covariances. No T if the work is to end */
static PetscErrorCode CCADirect_PrimalPrimal(CCA cca, Whitened w[2], PetscScalar **T)
{
  CCA_Direct  *ctx = (CCA_Direct *)cca->data;
  PetscInt     d1 = cca->d[0], d2 = cca->d[1], D = d1 + d2;
  PetscScalar *C, *S[2];

  PetscFunctionBegin;
  if (!ctx->all) PetscCall(CCADirect_FormGram(cca, cca->B, PETSC_TRUE, D, &ctx->all));
  if (!ctx->all || cca->stop) PetscFunctionReturn(PETSC_SUCCESS);
  C = ctx->all;
  PetscCall(PetscMalloc1(d1 * d1, &S[0]));
  PetscCall(PetscMalloc1(d2 * d2, &S[1]));
  PetscCall(PetscMalloc1(d1 * d2, T));
  for (PetscInt j = 0; j < d1; j++) {
    PetscCall(PetscArraycpy(S[0] + j * d1, C + j * D, d1));
    PetscCall(PetscArraycpy(*T + j * d2, C + d1 + j * D, d2));
  }
  for (PetscInt j = 0; j < d2; j++) PetscCall(PetscArraycpy(S[1] + j * d2, C + d1 + (d1 + j) * D, d2));
  for (int i = 0; i < 2; i++) {
    if (cca->analysis == CCA_ANALYSIS_PLS) PetscCall(PetscArrayzero(S[i], cca->d[i] * cca->d[i])); /* a multiple of the identity takes its place */
    CCADirect_AddRidge(cca->d[i], cca->ridge[i], S[i]);
    PetscCall(CCADirect_WhitenPrimal(cca, cca->d[i], S[i], &w[i]));
  }
  PetscCall(CCADirect_ToCoordinates(&w[1], d1, T)); /* L2^{-1} S12' */
  PetscCall(CCADirect_Transpose(w[1].r, d1, T));
  PetscCall(CCADirect_ToCoordinates(&w[0], w[1].r, T)); /* L1^{-1} S12 L2^{-H} */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- few samples ------------------------------------------------- */

/* Means and scales that the samples enter with: (x - m)' diag(s) */
static PetscErrorCode CCADirect_GetStatistics(CCA cca, PetscInt view, PetscScalar *mean, PetscReal *scale)
{
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(mean, cca->d[view]));
  if (cca->center) PetscCall(MatGramGetMeans(cca->B, view, mean));
  PetscCall(MatGramGetFactors_Private(cca->B, view, scale));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   What sample i is multiplied by so that weights have their effect although sums are divided by n, (w_i n/sum w)^{1/2}, for all
   samples on every rank; all 1 without weights
*/
static PetscErrorCode CCADirect_GetRoots(CCA cca, PetscReal **root)
{
  const PetscScalar *w;
  PetscScalar        sum;
  VecScatter         gather;
  Vec                all;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(cca->n, root));
  for (PetscInt i = 0; i < cca->n; i++) (*root)[i] = 1.0;
  if (!cca->weights) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecSum(cca->weights, &sum));
  PetscCall(VecScatterCreateToAll(cca->weights, &gather, &all));
  PetscCall(VecScatterBegin(gather, cca->weights, all, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(gather, cca->weights, all, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecGetArrayRead(all, &w));
  for (PetscInt i = 0; i < cca->n; i++) (*root)[i] = PetscSqrtReal(PetscRealPart(w[i]) / PetscRealPart(sum) * (PetscReal)cca->n);
  PetscCall(VecRestoreArrayRead(all, &w));
  PetscCall(VecScatterDestroy(&gather));
  PetscCall(VecDestroy(&all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* U = X'Z for p columns of numbers for all samples */
static PetscErrorCode CCADirect_FromSamples(CCA cca, PetscInt view, PetscInt p, const PetscScalar *Z, BV U)
{
  Mat          X = view ? cca->Y : cca->X;
  PetscInt     n = cca->n, d = cca->d[view], m, first, offset;
  PetscScalar *mean, *u, *z, sum;
  PetscReal   *scale, *root;
  Vec          sample, column;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &z));
  PetscCall(CCADirect_GetRoots(cca, &root));
  PetscCall(PetscMalloc2(d, &mean, d, &scale));
  PetscCall(CCADirect_GetStatistics(cca, view, mean, scale));
  PetscCall(MatGetLocalSize(X, NULL, &m));
  PetscCall(MatGetOwnershipRangeColumn(X, &first, NULL));
  PetscCall(MatCreateVecs(X, NULL, &sample));
  PetscCall(VecGetOwnershipRange(sample, &offset, NULL));
  for (PetscInt j = 0; j < p; j++) { /* diag(s)(X - 1 m')'diag(root) z */
    sum = 0.0;
    for (PetscInt i = 0; i < n; i++) {
      z[i] = root[i] * Z[i + j * n];
      sum += z[i];
    }
    PetscCall(VecPlaceArray(sample, z + offset));
    PetscCall(BVGetColumn(U, j, &column));
    PetscCall(MatMultHermitianTranspose(X, sample, column));
    PetscCall(VecGetArray(column, &u));
    for (PetscInt l = 0; l < m; l++) u[l] = scale[first + l] * (u[l] - PetscConj(mean[first + l]) * sum);
    PetscCall(VecRestoreArray(column, &u));
    PetscCall(BVRestoreColumn(U, j, &column));
    PetscCall(VecResetArray(sample));
  }
  PetscCall(VecDestroy(&sample));
  PetscCall(PetscFree(root));
  PetscCall(PetscFree(z));
  PetscCall(PetscFree2(mean, scale));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sample i of a view as the covariances see it, (x - m)'diag(s), its entries so far apart */
static PetscErrorCode CCADirect_GetSample(Mat X, PetscInt i, PetscInt d, const PetscScalar mean[], const PetscReal scale[], PetscInt apart, PetscScalar *row)
{
  const PetscInt    *c;
  const PetscScalar *a;
  PetscInt           nz;

  PetscFunctionBegin;
  for (PetscInt l = 0; l < d; l++) row[l * apart] = -mean[l];
  PetscCall(MatGetRow(X, i, &nz, &c, &a));
  for (PetscInt l = 0; l < nz; l++) row[c[l] * apart] += a[l];
  PetscCall(MatRestoreRow(X, i, &nz, &c, &a));
  for (PetscInt l = 0; l < d; l++) row[l * apart] *= scale[l];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every rank has filled in the rows of its own samples, of an n x p array that is zero otherwise: all of it on every rank */
static PetscErrorCode CCADirect_SumRanks(CCA cca, PetscInt p, PetscScalar *Z)
{
  PetscMPIInt count;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(cca->n, &count));
  for (PetscInt j = 0; j < p; j++) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, Z + j * cca->n, count, MPIU_SCALAR, MPIU_SUM, PetscObjectComm((PetscObject)cca)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* K = X X'/n with centred, scaled and weighted X, on every rank, unless the work is to end */
static PetscErrorCode CCADirect_FormKernel(CCA cca, PetscInt view, PetscScalar *K)
{
  PetscBool          told = PETSC_FALSE;
  Mat                X    = view ? cca->Y : cca->X, *all;
  PetscInt           n = cca->n, d = cca->d[view], first, last;
  const PetscScalar *product;
  PetscScalar       *row, *mean, sum;
  PetscReal         *scale, *root;
  Vec                x, y;
  IS                 rows, cols;

  PetscFunctionBegin;
  PetscCall(CCADirect_GetRoots(cca, &root));
  PetscCall(PetscMalloc2(d, &mean, d, &scale));
  PetscCall(CCADirect_GetStatistics(cca, view, mean, scale));
  /* all samples on every rank: there are few, that is why we are here */
  PetscCall(ISCreateStride(PETSC_COMM_SELF, n, 0, 1, &rows));
  PetscCall(ISCreateStride(PETSC_COMM_SELF, d, 0, 1, &cols));
  PetscCall(MatCreateSubMatrices(X, 1, &rows, &cols, MAT_INITIAL_MATRIX, &all));
  PetscCall(ISDestroy(&rows));
  PetscCall(ISDestroy(&cols));
  PetscCall(MatCreateVecs(all[0], &x, &y));
  PetscCall(PetscArrayzero(K, n * n));
  PetscCall(MatGetOwnershipRange(X, &first, &last));
  for (PetscInt i = first; i < last && !told; i++) { /* row i of K: sample i times all samples, from which the mean is taken off afterwards */
    PetscCall(CCAAsk_Private(cca, &told));
    sum = 0.0;
    PetscCall(VecGetArrayWrite(x, &row));
    PetscCall(CCADirect_GetSample(all[0], i, d, mean, scale, 1, row));
    for (PetscInt l = 0; l < d; l++) {
      row[l] = PetscConj(row[l]) * scale[l];
      sum += row[l] * mean[l];
    }
    PetscCall(VecRestoreArrayWrite(x, &row));
    PetscCall(MatMult(all[0], x, y));
    PetscCall(VecGetArrayRead(y, &product));
    for (PetscInt j = 0; j < n; j++) K[i + j * n] = root[i] * root[j] * PetscConj(product[j] - sum) / (PetscReal)n;
    PetscCall(VecRestoreArrayRead(y, &product));
  }
  PetscCall(CCAPollTold_Private(cca, told));
  if (!cca->stop) PetscCall(CCADirect_SumRanks(cca, n, K));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroySubMatrices(1, &all));
  PetscCall(PetscFree(root));
  PetscCall(PetscFree2(mean, scale));
  PetscCall(MatGramAddPasses(cca->S[view], 1.0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same, kept and copied to an array of the caller's */
static PetscErrorCode CCADirect_GetKernel(CCA cca, PetscInt view, PetscScalar *K)
{
  CCA_Direct    *ctx = (CCA_Direct *)cca->data;
  const PetscInt n   = cca->n;

  PetscFunctionBegin;
  if (!ctx->K[view]) {
    PetscCall(PetscMalloc1(n * n, &ctx->K[view]));
    PetscCall(CCADirect_FormKernel(cca, view, ctx->K[view]));
    if (cca->stop) PetscCall(PetscFree(ctx->K[view]));
  }
  if (!cca->stop) PetscCall(PetscArraycpy(K, ctx->K[view], n * n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CCADirect_WhitenDual(CCA cca, PetscInt view, Whitened *w)
{
  PetscInt   i, j, n = cca->n, r = 0;
  PetscReal *D, ridge = cca->ridge[view];

  PetscFunctionBegin;
  w->dual = PETSC_TRUE;
  w->m    = n;
  PetscCall(PetscMalloc1(n * n, &w->F));
  PetscCall(PetscMalloc1(n * n, &w->W));
  PetscCall(PetscMalloc1(n, &D));
  PetscCall(CCADirect_GetKernel(cca, view, w->F));
  if (!cca->stop) PetscCall(NAPIEigen(n, w->F, n, D));
  for (j = 0; j < n && !cca->stop; j++) {
    if (!(D[j] > n * PETSC_MACHINE_EPSILON * D[n - 1])) continue;
    for (i = 0; i < n; i++) {
      w->W[i + r * n] = w->F[i + j * n] * PetscSqrtReal(D[j] / (D[j] + ridge));
      w->F[i + r * n] = w->F[i + j * n] / PetscSqrtReal(D[j] * (D[j] + ridge) * n);
    }
    r++;
  }
  w->r = r;
  PetscCall(PetscFree(D));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* At least one view has more columns than there are samples: T = W1'W2 */
static PetscErrorCode CCADirect_WithDual(CCA cca, Whitened w[2], PetscScalar **T)
{
  PetscInt     n = cca->n;
  PetscScalar *S;

  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) {
    if (cca->d[i] > n) PetscCall(CCADirect_WhitenDual(cca, i, &w[i]));
    else {
      PetscCall(CCADirect_GetCovariance(cca, i, &S));
      if (!S) PetscFunctionReturn(PETSC_SUCCESS);
      CCADirect_AddRidge(cca->d[i], cca->ridge[i], S);
      PetscCall(CCADirect_WhitenPrimal(cca, cca->d[i], S, &w[i]));
    }
    if (cca->stop) PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (w[0].dual && w[1].dual) {
    PetscCall(PetscMalloc1(w[0].r * w[1].r, T));
    PetscCall(NAPIGemm("C", "N", w[0].r, w[1].r, n, 1.0, w[0].W, n, w[1].W, n, 0.0, *T, w[0].r));
  } else { /* Y'W1/sqrt(n), then in the coordinates of Y */
    int dual = w[0].dual ? 0 : 1, primal = 1 - dual;
    BV  product;

    PetscCall(PetscMalloc1(cca->d[primal] * w[dual].r, T));
    if (w[dual].r) {
      PetscCall(CCANewBasis_Private(cca, primal, w[dual].r, &product));
      PetscCall(CCADirect_FromSamples(cca, primal, w[dual].r, w[dual].W, product));
      PetscCall(BVScale(product, 1.0 / PetscSqrtReal((PetscReal)n)));
      PetscCall(CCAGatherBasis_Private(product, *T));
      PetscCall(BVDestroy(&product));
    }
    PetscCall(CCADirect_ToCoordinates(&w[primal], w[dual].r, T));
    if (primal == 1) PetscCall(CCADirect_Transpose(w[1].r, w[0].r, T));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- solve ------------------------------------------------- */

/* U = F P, which is u(p) for k columns of coordinates or, dual, what X' maps to it; a new array, without gaps */
static PetscErrorCode CCADirect_FromCoordinates(const Whitened *w, PetscInt k, const PetscScalar *P, PetscScalar **U)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(w->m * k, U));
  if (w->triangular) {
    PetscCall(PetscArraycpy(*U, P, w->m * k));
    PetscCall(CCADirect_SolveTriangular("C", w->m, k, w->F, *U));
  } else PetscCall(NAPIGemm("N", "N", w->m, k, w->r, 1.0, w->F, w->m, P, w->r, 0.0, *U, w->m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* k directions of a view, which every rank has, become the result */
static PetscErrorCode CCADirect_Distribute(CCA cca, PetscInt view, PetscInt k, const PetscScalar *all)
{
  PetscInt first;
  Vec      v;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(view ? cca->Y : cca->X, &v, NULL));
  PetscCall(VecGetOwnershipRange(v, &first, NULL));
  for (PetscInt j = 0; j < k; j++) {
    PetscCall(VecPlaceArray(v, all + first + j * cca->d[view]));
    PetscCall(BVInsertVec(cca->basis[view], j, v));
    PetscCall(VecResetArray(v));
  }
  PetscCall(VecDestroy(&v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Frees a whitened view, of which L may be kept */
static PetscErrorCode CCADirect_WhitenedDestroy(CCA cca, PetscInt view, Whitened *w)
{
  CCA_Direct *ctx = (CCA_Direct *)cca->data;

  PetscFunctionBegin;
  if (w->triangular && cca->check == CCA_CHECK_CERTIFY) ctx->L[view] = w->F;
  else PetscCall(PetscFree(w->F));
  PetscCall(PetscFree(w->W));
  w->F = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By whitened coordinates: T and its singular vectors */
static PetscErrorCode CCADirect_SolveWhitened(CCA cca)
{
  Whitened     w[2];
  PetscScalar *T = NULL, *P[2], *U;
  PetscReal   *sigma;
  PetscInt     r, k;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(w, sizeof(w)));
  if (cca->d[0] <= cca->n && cca->d[1] <= cca->n) PetscCall(CCADirect_PrimalPrimal(cca, w, &T));
  else PetscCall(CCADirect_WithDual(cca, w, &T));
  if (!cca->stop) PetscCall(CCAPoll_Private(cca));
  if (cca->stop) {
    PetscCall(PetscFree(T));
    for (int i = 0; i < 2; i++) PetscCall(CCADirect_WhitenedDestroy(cca, i, &w[i]));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  r = PetscMin(w[0].r, w[1].r);
  k = PetscMin(cca->k, r);
  PetscCall(PetscMalloc3(r, &sigma, w[0].r * r, &P[0], w[1].r * r, &P[1]));
  PetscCall(NAPISingular(PetscObjectComm((PetscObject)cca), w[0].r, w[1].r, T, PetscMax(1, w[0].r), sigma, P[0], P[1]));
  PetscCall(PetscFree(T));
  PetscCall(CCAAllocateBasis_Private(cca, k));
  for (int i = 0; i < 2; i++) {
    PetscCall(CCADirect_FromCoordinates(&w[i], k, P[i], &U));
    if (w[i].dual) PetscCall(CCADirect_FromSamples(cca, i, k, U, cca->basis[i]));
    else PetscCall(CCADirect_Distribute(cca, i, k, U));
    PetscCall(PetscFree(U));
    PetscCall(CCADirect_WhitenedDestroy(cca, i, &w[i]));
  }
  PetscCall(PetscFree3(sigma, P[0], P[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All of a view, centred, scaled and weighted, n x d on every rank */
static PetscErrorCode CCADirect_GatherView(CCA cca, PetscInt view, PetscScalar *Z)
{
  Mat          Y = view ? cca->Y : cca->X;
  PetscInt     n = cca->n, d = cca->d[view], first, last;
  PetscScalar *mean;
  PetscReal   *scale, *root;

  PetscFunctionBegin;
  PetscCall(CCADirect_GetRoots(cca, &root));
  PetscCall(PetscMalloc2(d, &mean, d, &scale));
  PetscCall(CCADirect_GetStatistics(cca, view, mean, scale));
  PetscCall(PetscArrayzero(Z, n * d));
  PetscCall(MatGetOwnershipRange(Y, &first, &last));
  for (PetscInt i = first; i < last; i++) {
    PetscCall(CCADirect_GetSample(Y, i, d, mean, scale, n, Z + i));
    for (PetscInt j = 0; j < d; j++) Z[i + j * n] *= root[i];
  }
  PetscCall(CCADirect_SumRanks(cca, d, Z));
  PetscCall(PetscFree2(mean, scale));
  PetscCall(PetscFree(root));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* View x has more columns than there are samples, and a ridge; view y has not: u is eliminated. done: K + r I was definite */
static PetscErrorCode CCADirect_SolveEliminated(CCA cca, int x, PetscBool *done)
{
  const int    y = 1 - x;
  PetscInt     n = cca->n, d = cca->d[y], k;
  PetscScalar *M, *Z, *S, *G, *V, *t, *q;
  PetscReal   *D;
  PetscBLASInt bn, info;
  Whitened     w;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(&w, sizeof(w)));
  PetscCall(PetscMalloc1(n * n, &M));
  PetscCall(CCADirect_GetKernel(cca, x, M));
  if (cca->stop) {
    PetscCall(PetscFree(M));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  CCADirect_AddRidge(n, cca->ridge[x], M);
  PetscCall(PetscBLASIntCast(n, &bn));
  PetscCallBLAS("LAPACKpotrf", LAPACKpotrf_("L", &bn, M, &bn, &info));
  *done = (PetscBool)!info;
  if (info) {
    PetscCall(PetscInfo(cca, "A ridge of %g is rounding: going on with eigenvectors\n", (double)cca->ridge[x]));
    PetscCall(PetscFree(M));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(n * d, &Z));
  PetscCall(PetscMalloc1(d * d, &G));
  PetscCall(CCADirect_GatherView(cca, y, Z));
  PetscCall(CCADirect_SolveTriangular("N", n, d, M, Z)); /* Z = M^{-1} Y */
  PetscCall(CCADirect_GetCovariance(cca, y, &S));
  if (!S) {
    PetscCall(PetscFree(G));
    PetscCall(PetscFree(Z));
    PetscCall(PetscFree(M));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscArraycpy(G, S, d * d));
  CCADirect_AddRidge(d, cca->ridge[y], S);
  PetscCall(NAPIGemm("C", "N", d, d, n, -cca->ridge[x] / (PetscReal)n, Z, n, Z, n, 1.0, G, d)); /* S12'S11^{-1}S12 */
  PetscCall(CCADirect_WhitenPrimal(cca, d, S, &w));
  PetscCall(CCADirect_ToCoordinates(&w, d, &G));
  PetscCall(CCADirect_Transpose(w.r, d, &G));
  PetscCall(CCADirect_ToCoordinates(&w, w.r, &G)); /* L^{-1} S12'S11^{-1}S12 L^{-H} */
  PetscCall(PetscMalloc1(w.r, &D));
  PetscCall(NAPIEigen(w.r, G, w.r, D));
  k = PetscMin(cca->k, PetscMin(w.r, n));
  PetscCall(PetscMalloc2(w.r * k, &q, n * k, &t));
  for (PetscInt j = 0; j < k; j++) PetscCall(PetscArraycpy(q + j * w.r, G + (w.r - 1 - j) * w.r, w.r)); /* the largest come last */
  PetscCall(CCADirect_FromCoordinates(&w, k, q, &V));
  PetscCall(NAPIGemm("N", "N", n, k, d, 1.0, Z, n, V, d, 0.0, t, n));
  PetscCall(CCADirect_SolveTriangular("C", n, k, M, t)); /* M^{-H} Z v */
  PetscCall(CCAAllocateBasis_Private(cca, k));
  PetscCall(CCADirect_Distribute(cca, y, k, V));
  PetscCall(CCADirect_FromSamples(cca, x, k, t, cca->basis[x]));
  PetscCall(PetscFree(V));
  PetscCall(PetscFree2(q, t));
  PetscCall(PetscFree(D));
  PetscCall(PetscFree(G));
  PetscCall(PetscFree(Z));
  PetscCall(PetscFree(M));
  PetscCall(CCADirect_WhitenedDestroy(cca, y, &w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CCAReset_Direct(CCA cca)
{
  CCA_Direct *ctx = (CCA_Direct *)cca->data;

  PetscFunctionBegin;
  PetscCall(PetscFree(ctx->all));
  for (int i = 0; i < 2; i++) {
    PetscCall(PetscFree(ctx->L[i]));
    PetscCall(PetscFree(ctx->S[i]));
    PetscCall(PetscFree(ctx->K[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Somebody knows the covariances of both views without forming them */
static PetscErrorCode CCASetCovariances_Direct(CCA cca, PetscScalar *all)
{
  CCA_Direct *ctx = (CCA_Direct *)cca->data;

  PetscFunctionBegin;
  PetscCall(PetscFree(ctx->all));
  ctx->all = all;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CCAGetCovariances_Direct(CCA cca, const PetscScalar *all[])
{
  PetscFunctionBegin;
  *all = ((CCA_Direct *)cca->data)->all;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Other ridges: the factors are no longer of use, what was formed is */
static PetscErrorCode CCARegularize_Direct(CCA cca, const PetscReal old[])
{
  CCA_Direct *ctx = (CCA_Direct *)cca->data;

  PetscFunctionBegin;
  (void)old;
  for (int i = 0; i < 2; i++) PetscCall(PetscFree(ctx->L[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   ||r||, in the norm of S^{-1}, is ||L^{-1} r||. L L' is S up to d eps ||S||, which changes it by a factor of 1 + d eps ||S|| ||S^{-1}||;
   noise in r adds at most ||L^{-1}|| times as much.
*/
static PetscErrorCode CCAInverseNorm_Direct(CCA cca, int view, PetscInt n, BV R, const PetscReal noise[], PetscReal norm[], PetscBool *done)
{
  CCA_Direct  *ctx = (CCA_Direct *)cca->data;
  PetscInt     d   = cca->d[view];
  PetscScalar *r, *inverse;
  PetscReal    inv2 = 0.0, size2 = 0.0, wrong;

  PetscFunctionBegin;
  *done = PETSC_FALSE;
  if (!ctx->L[view]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(d * n, &r));
  PetscCall(PetscCalloc1(d * d, &inverse));
  PetscCall(CCAGatherBasis_Private(R, r));
  for (PetscInt j = 0; j < d; j++) inverse[j + j * d] = 1.0;
  PetscCall(CCADirect_SolveTriangular("N", d, d, ctx->L[view], inverse));
  for (PetscInt j = 0; j < d; j++) {
    for (PetscInt i = j; i < d; i++) {
      inv2 += PetscSqr(PetscAbsScalar(inverse[i + j * d])); /* ||S^{-1}|| <= ||L^{-1}||_F^2 */
      size2 += PetscSqr(PetscAbsScalar(ctx->L[view][i + j * d]));
    }
  }
  wrong = (PetscReal)d * PETSC_MACHINE_EPSILON * size2 * inv2;
  *done = (PetscBool)(wrong < 0.1);
  PetscCall(CCADirect_SolveTriangular("N", d, n, ctx->L[view], r));
  for (PetscInt j = 0; j < n; j++) {
    PetscReal sum = 0.0;

    for (PetscInt i = 0; i < d; i++) sum += PetscSqr(PetscAbsScalar(r[i + j * d]));
    norm[j] = (1.0 + wrong) * (PetscSqrtReal(sum) + PetscSqrtReal(inv2) * noise[j]);
  }
  PetscCall(PetscFree(r));
  PetscCall(PetscFree(inverse));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CCASolve_Direct(CCA cca)
{
  PetscBool wide[2], done = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(CCARegularize_Direct(cca, NULL));
  for (int i = 0; i < 2; i++) wide[i] = (PetscBool)(cca->d[i] > cca->n);
  for (int i = 0; i < 2; i++)
    if (wide[i] && !wide[1 - i] && cca->ridge[i] > 0.0) PetscCall(CCADirect_SolveEliminated(cca, i, &done));
  if (!done && !cca->stop) PetscCall(CCADirect_SolveWhitened(cca));
  cca->its    = 1;
  cca->reason = cca->stop ? CCA_DIVERGED_USER : CCA_CONVERGED_TOL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest matrix that will be formed must be one that LAPACK and PetscInt can count */
static PetscErrorCode CCASetUp_Direct(CCA cca)
{
  PetscReal d[2], order;

  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) d[i] = (PetscReal)PetscMin(cca->d[i], cca->n);
  order = PetscMax(cca->d[0], cca->d[1]) <= cca->n ? d[0] + d[1] : PetscMax(d[0], d[1]);
  PetscCheck(order * order < 2147483647.0, PetscObjectComm((PetscObject)cca), PETSC_ERR_SUP, "Type direct would form a dense matrix of order %.0f, %.0f GB, on every rank: use -cca_type napi", (double)order, (double)(1e-9 * sizeof(PetscScalar) * order * order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CCAView_Direct(CCA cca, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "covariances are formed and factored%s\n", cca->X && PetscMax(cca->d[0], cca->d[1]) > cca->n ? ", by samples where there are more columns than those" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   CCADIRECT - CCADIRECT = "direct" - Forms the covariances, factors them, and takes singular values

   Level: beginner

   Notes:
   For data with few columns, or few samples: time and memory grow with the cube and the square of min(d,n) of each view.
   Singular covariances are fine. Nothing iterates, and initial directions are ignored.

.seealso: CCASetType(), CCANAPI
M*/
PetscErrorCode CCACreate_Direct(CCA cca)
{
  CCA_Direct *ctx;

  PetscFunctionBegin;
  PetscCall(PetscNew(&ctx));
  cca->data                = (void *)ctx;
  cca->ops->setup          = CCASetUp_Direct;
  cca->ops->solve          = CCASolve_Direct;
  cca->ops->view           = CCAView_Direct;
  cca->ops->setcovariances = CCASetCovariances_Direct;
  cca->ops->getcovariances = CCAGetCovariances_Direct;
  cca->ops->regularize     = CCARegularize_Direct;
  cca->ops->inversenorm    = CCAInverseNorm_Direct;
  cca->ops->reset          = CCAReset_Direct;
  cca->ops->destroy        = CCADestroy_Default;
  PetscFunctionReturn(PETSC_SUCCESS);
}
