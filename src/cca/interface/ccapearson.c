/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA: Pearson's correlations of scores, of the data that were analysed and of others.

   A canonical correlation has the ridges in it: rho = u'S12 v with u'(Sigma1 + r1 I)u = 1 and v'(Sigma2 + r2 I)v = 1. The scores X u
   and Y v have the covariance rho and the variances u'Sigma1 u = 1 - r1 u'u and v'Sigma2 v, hence the correlation

     rho / ((1 - r1 u'u)(1 - r2 v'v))^{1/2},

   which takes no pass over the data.
*/
#include <slepcnapi/private/ccaimpl.h>

/* 1 - r u'u loses as many digits as it is smaller than 1: below this the variance is computed from a product */
#define CCA_PEARSON_LOST 1e-5

/* Of the squares of scores, what a variance is rounding of: sums of a thousand variables have lost three digits, and the scores are constant */
#define CCA_PEARSON_CONSTANT 1e-24

/* u'Sigma u of the first k columns of W */
static PetscErrorCode CCAPearson_Variances(CCA cca, int view, BV W, PetscInt k, PetscReal variance[])
{
  PetscReal   norm;
  PetscBool   lost = PETSC_FALSE;
  PetscScalar dot;
  Mat         M, H, HM;
  Vec         m, h;

  PetscFunctionBegin;
  PetscCall(BVSetActiveColumns(W, 0, k));
  for (PetscInt j = 0; j < k; j++) {
    PetscCall(BVNormColumn(W, j, NORM_2, &norm));
    variance[j] = 1.0 - cca->ridge[view] * norm * norm;
    if (!(variance[j] > CCA_PEARSON_LOST)) lost = PETSC_TRUE;
  }
  if (!lost) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatDuplicate(cca->S[view], MAT_SHARE_NONZERO_PATTERN, &H));
  PetscCall(MatGramSetRidge(H, 0.0, 0.0));
  PetscCall(BVGetMat(W, &M));
  PetscCall(MatMatMult(H, M, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &HM));
  for (PetscInt j = 0; j < k; j++) {
    PetscCall(MatDenseGetColumnVecRead(M, j, &m));
    PetscCall(MatDenseGetColumnVecRead(HM, j, &h));
    PetscCall(VecDot(h, m, &dot));
    PetscCall(MatDenseRestoreColumnVecRead(HM, j, &h));
    PetscCall(MatDenseRestoreColumnVecRead(M, j, &m));
    variance[j] = PetscRealPart(dot);
  }
  PetscCall(BVRestoreMat(W, &M));
  PetscCall(MatDestroy(&HM));
  PetscCall(MatDestroy(&H));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCAPearson_Private - The correlations of the scores of the first k pairs of a Rayleigh-Ritz step.
*/
PetscErrorCode CCAPearson_Private(CCA cca, CCARitz *z, PetscInt k, PetscReal r[])
{
  PetscReal *variance[2];

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(k, &variance[0], k, &variance[1]));
  for (int i = 0; i < 2 && k; i++) PetscCall(CCAPearson_Variances(cca, i, z->W[i], k, variance[i]));
  for (PetscInt j = 0; j < k; j++) {
    const PetscReal scale = PetscSqrtReal(PetscMax(0.0, variance[0][j])) * PetscSqrtReal(PetscMax(0.0, variance[1][j]));

    r[j] = scale > 0.0 ? PetscMin(1.0, z->sigma[j] / scale) : 0.0; /* rounding must not make it larger */
  }
  PetscCall(PetscFree2(variance[0], variance[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAGetPearson - Gets Pearson's correlation of the scores of a canonical pair, on the data that were analysed.

   Not Collective

   Input Parameters:
+  cca - the object
-  i   - number of the pair, from 0

   Output Parameter:
.  r - the correlation of X u_i and Y v_i (columns of CCATransform(), weighted if the samples have weights); their cosine if the columns
       are not centred

   Level: beginner

   Notes:
   This is what people mean by a correlation, and what can be compared with that of other samples. What CCASolve() makes as large as it
   can is CCAGetCorrelation(), in which the regularisation has part: it is smaller, and equal where there is none. The numbers
   need not decrease from pair to pair.

   On the data that were analysed correlations are always larger than on others, and near 1 if there are as many variables as samples and
   little regularisation.

.seealso: CCAGetCorrelation(), CCAComputePearson(), CCATransform(), CCASetShrinkage()
@*/
PetscErrorCode CCAGetPearson(CCA cca, PetscInt i, PetscReal *r)
{
  PetscReal rho;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscAssertPointer(r, 3);
  PetscCall(CCAGetCorrelation(cca, i, &rho)); /* is there such a pair? */
  *r = cca->pearson[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The means of columns over all ranks, of samples with weights w. The second pass takes away what the first has rounded: of many equal numbers nothing else is left */
static PetscErrorCode CCAPearson_Means(MPI_Comm comm, PetscInt n, PetscInt k, const PetscScalar a[], PetscInt lda, const PetscReal w[], PetscScalar mean[])
{
  PetscReal    total = 0.0;
  PetscScalar *sum;
  PetscMPIInt  count;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(k, &count));
  PetscCall(PetscMalloc1(k, &sum));
  for (PetscInt i = 0; i < n; i++) total += w[i];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPIU_REAL, MPIU_SUM, comm));
  for (int pass = 0; pass < 2; pass++) {
    PetscCall(PetscArrayzero(sum, k));
    for (PetscInt j = 0; j < k; j++)
      for (PetscInt i = 0; i < n; i++) sum[j] += w[i] * (a[i + (size_t)j * (size_t)lda] - mean[j]);
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, count, MPIU_SCALAR, MPIU_SUM, comm));
    for (PetscInt j = 0; j < k && total > 0.0; j++) mean[j] += sum[j] / total;
  }
  PetscCall(PetscFree(sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCACorrelate_Private - Correlations of k columns of two views, each of n samples on this rank, with weights, over all ranks; cosines if they are not to be centred. A column that
   is constant has none: 0, and it is counted if that is wanted.
*/
PetscErrorCode CCACorrelate_Private(MPI_Comm comm, PetscInt n, PetscInt k, const PetscScalar *const a[2], const PetscInt lda[2], const PetscReal w[], PetscBool center, PetscReal r[], PetscInt *constant)
{
  PetscScalar *mean[2];
  PetscReal   *sums; /* of each column |a|^2, |b|^2 and a conj(b); and |a|^2 and |b|^2 with the means in them */
  PetscMPIInt  count;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(5 * k, &count));
  PetscCall(PetscCalloc3(k, &mean[0], k, &mean[1], 5 * k, &sums));
  for (int v = 0; v < 2 && center; v++) PetscCall(CCAPearson_Means(comm, n, k, a[v], lda[v], w, mean[v]));
  for (PetscInt j = 0; j < k; j++) {
    PetscReal *s = sums + 5 * j;

    for (PetscInt i = 0; i < n; i++) {
      const PetscScalar x = a[0][i + (size_t)j * (size_t)lda[0]], y = a[1][i + (size_t)j * (size_t)lda[1]];

      s[0] += w[i] * PetscSqr(PetscAbsScalar(x - mean[0][j]));
      s[1] += w[i] * PetscSqr(PetscAbsScalar(y - mean[1][j]));
      s[2] += w[i] * PetscRealPart((x - mean[0][j]) * PetscConj(y - mean[1][j]));
      s[3] += w[i] * PetscSqr(PetscAbsScalar(x));
      s[4] += w[i] * PetscSqr(PetscAbsScalar(y));
    }
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, count, MPIU_REAL, MPIU_SUM, comm));
  for (PetscInt j = 0; j < k; j++) {
    const PetscReal *s   = sums + 5 * j;
    const PetscBool  any = (PetscBool)(s[0] > CCA_PEARSON_CONSTANT * s[3] && s[1] > CCA_PEARSON_CONSTANT * s[4]);

    r[j] = any ? PetscMax(-1.0, PetscMin(1.0, s[2] / (PetscSqrtReal(s[0]) * PetscSqrtReal(s[1])))) : 0.0; /* rounding must not make it larger */
    if (!any && constant) ++*constant;
  }
  PetscCall(PetscFree3(mean[0], mean[1], sums));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The weights of the local rows, 1 where there are none */
static PetscErrorCode CCAPearson_Weights(Mat A, Vec w, PetscReal **weight)
{
  const PetscScalar *a;
  PetscInt           n, m;
  PetscMPIInt        differ = 0;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(A, &n, NULL));
  if (w) {
    PetscCall(VecGetLocalSize(w, &m));
    differ = n != m;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &differ, 1, MPI_INT, MPI_MAX, PetscObjectComm((PetscObject)A)));
  PetscCheck(!differ, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_SIZ, "There must be a weight for each row of the matrices, distributed as they are: create the vector by MatCreateVecs(A,NULL,&w)");
  PetscCall(PetscMalloc1(n, weight));
  for (PetscInt i = 0; i < n; i++) (*weight)[i] = 1.0;
  if (!w) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetArrayRead(w, &a));
  for (PetscInt i = 0; i < n; i++) (*weight)[i] = PetscRealPart(a[i]);
  PetscCall(VecRestoreArrayRead(w, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
   CCAComputePearson - Computes Pearson's correlations of the columns of two matrices, such as the scores of other samples.

   Collective

   Input Parameters:
+  A      - dense, a row for each sample
.  B      - dense, with rows distributed like those of A and as many columns
.  w      - a weight for each sample that is not negative, or NULL
-  center - PETSC_TRUE for correlations, PETSC_FALSE for cosines

   Output Parameter:
.  r - correlation of column j of A and column j of B for all of them, the same on every rank; the real part, for complex numbers;
       0 for a column that is constant

   Level: intermediate

.seealso: CCAGetPearson(), CCATransform()
@*/
PetscErrorCode CCAComputePearson(Mat A, Mat B, Vec w, PetscBool center, PetscReal r[])
{
  const PetscScalar *array[2];
  Mat                view[2] = {A, B};
  PetscReal         *weight;
  PetscInt           n, m, k, cols, lda[2];

  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscValidHeaderSpecific(B, MAT_CLASSID, 2);
  PetscAssertPointer(r, 5);
  PetscCall(MatGetLocalSize(A, &n, NULL));
  PetscCall(MatGetLocalSize(B, &m, NULL));
  PetscCall(MatGetSize(A, NULL, &k));
  PetscCall(MatGetSize(B, NULL, &cols));
  PetscCheck(k == cols && n == m, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "The matrices have %" PetscInt_FMT " and %" PetscInt_FMT " columns, %" PetscInt_FMT " and %" PetscInt_FMT " local rows: column j of one is correlated with column j of the other", k, cols, n, m);
  PetscCall(CCAPearson_Weights(A, w, &weight));
  for (int v = 0; v < 2; v++) {
    PetscCall(MatDenseGetLDA(view[v], &lda[v]));
    PetscCall(MatDenseGetArrayRead(view[v], &array[v]));
  }
  PetscCall(CCACorrelate_Private(PetscObjectComm((PetscObject)A), n, k, array, lda, weight, center, r, NULL));
  for (int v = 0; v < 2; v++) PetscCall(MatDenseRestoreArrayRead(view[v], &array[v]));
  PetscCall(PetscFree(weight));
  PetscFunctionReturn(PETSC_SUCCESS);
}
