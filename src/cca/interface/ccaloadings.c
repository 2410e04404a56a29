/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA: what the pairs are about: loadings, which are the correlations of the variables with the scores, and redundancies.

   With columns of unit variance, which no loading depends on, X'X W/n and X'Y V/n are the covariances of the variables of X with the
   scores of both views, and W'(X'X W/n) has the variances of the scores: all of it comes from one pass over the data, or from the
   covariances of the variables where the type has formed them.
*/
#include <slepcnapi/private/ccaimpl.h>
#include <slepcnapi/private/gramimpl.h>

/* The directions of a view for columns of unit variance: W = diag(1/s) U where the user's columns are not scaled */
static PetscErrorCode CCALoadings_Directions(CCA cca, Mat G, PetscInt block, Mat U, Mat *W)
{
  PetscReal   *s;
  PetscScalar *w;
  PetscInt     d, k, m, first, ld;

  PetscFunctionBegin;
  PetscCall(MatDuplicate(U, MAT_COPY_VALUES, W));
  PetscCall(MatGetSize(U, &d, &k));
  PetscCall(MatGetLocalSize(U, &m, NULL));
  PetscCall(MatGetOwnershipRange(U, &first, NULL));
  PetscCall(PetscMalloc1(d, &s));
  PetscCall(MatGramGetScales(G, block, s));
  PetscCall(MatDenseGetLDA(*W, &ld));
  PetscCall(MatDenseGetArray(*W, &w));
  for (PetscInt j = 0; j < k && !cca->scale; j++)
    for (PetscInt i = 0; i < m; i++) w[i + j * ld] = s[first + i] > 0.0 ? w[i + j * ld] / s[first + i] : 0.0;
  PetscCall(MatDenseRestoreArray(*W, &w));
  PetscCall(PetscFree(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sum conj(w_ij) z_ij over all rows, for each column */
static PetscErrorCode CCALoadings_Dots(Mat W, Mat Z, PetscScalar dot[])
{
  const PetscScalar *w, *z;
  PetscInt           m, k, ldw, ldz;
  PetscMPIInt        count;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(W, &m, NULL));
  PetscCall(MatGetSize(W, NULL, &k));
  PetscCall(MatDenseGetLDA(W, &ldw));
  PetscCall(MatDenseGetLDA(Z, &ldz));
  PetscCall(MatDenseGetArrayRead(W, &w));
  PetscCall(MatDenseGetArrayRead(Z, &z));
  for (PetscInt j = 0; j < k; j++) {
    dot[j] = 0.0;
    for (PetscInt i = 0; i < m; i++) dot[j] += PetscConj(w[i + j * ldw]) * z[i + j * ldz];
  }
  PetscCall(MatDenseRestoreArrayRead(Z, &z));
  PetscCall(MatDenseRestoreArrayRead(W, &w));
  PetscCall(PetscMPIIntCast(k, &count));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, dot, count, MPIU_SCALAR, MPIU_SUM, PetscObjectComm((PetscObject)W)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Covariances of variables of unit variance with scores become correlations; a score that does not vary has none */
static PetscErrorCode CCALoadings_Normalize(Mat L, const PetscScalar variance[])
{
  PetscInt k;
  Vec      l;

  PetscFunctionBegin;
  PetscCall(MatGetSize(L, NULL, &k));
  for (PetscInt j = 0; j < k; j++) {
    const PetscReal v = PetscRealPart(variance[j]);

    PetscCall(MatDenseGetColumnVec(L, j, &l));
    PetscCall(VecScale(l, v > 0.0 ? 1.0 / PetscSqrtReal(v) : 0.0));
    PetscCall(MatDenseRestoreColumnVec(L, j, &l));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How many variables of a view vary: 1 or 0 stand on the diagonal of its scaled covariance */
static PetscErrorCode CCALoadings_CountVarying(Mat G, PetscInt d[2])
{
  const PetscScalar *a;
  PetscInt           first, last, split = d[0];
  Vec                diagonal;

  PetscFunctionBegin;
  d[0] = d[1] = 0;
  PetscCall(MatCreateVecs(G, &diagonal, NULL));
  PetscCall(MatGetDiagonal(G, diagonal));
  PetscCall(VecGetOwnershipRange(diagonal, &first, &last));
  PetscCall(VecGetArrayRead(diagonal, &a));
  for (PetscInt i = first; i < last; i++)
    if (PetscRealPart(a[i - first]) > 0.0) d[i < split ? 0 : 1]++;
  PetscCall(VecRestoreArrayRead(diagonal, &a));
  PetscCall(VecDestroy(&diagonal));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, d, 2, MPIU_INT, MPI_SUM, PetscObjectComm((PetscObject)G)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* mean |loading|^2 |r|^2 over the variables that vary, r being the correlation of the scores of a pair */
static PetscErrorCode CCALoadings_Redundancy(Mat L, PetscInt varying, const PetscReal r[], PetscReal redundancy[])
{
  PetscInt  k;
  PetscReal norm;
  Vec       l;

  PetscFunctionBegin;
  PetscCall(MatGetSize(L, NULL, &k));
  for (PetscInt j = 0; j < k; j++) {
    PetscCall(MatDenseGetColumnVecRead(L, j, &l));
    PetscCall(VecNorm(l, NORM_2, &norm));
    PetscCall(MatDenseRestoreColumnVecRead(L, j, &l));
    redundancy[j] = varying ? PetscSqr(norm * r[j]) / (PetscReal)varying : 0.0;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Z[2*view+scores] = the covariances of columns of unit variance, times W; C has them in the units of A and B, and every rank has C */
static PetscErrorCode CCALoadings_FromCovariances(CCA cca, const PetscScalar C[], Mat G, Mat W[2], Mat Z[4])
{
  const PetscInt D = cca->d[0] + cca->d[1], start[2] = {0, cca->d[0]};
  PetscReal     *unit, *scale;
  PetscScalar   *w, *z;
  PetscInt       k, first, last, ld;

  PetscFunctionBegin;
  PetscCall(MatGetSize(W[0], NULL, &k));
  PetscCall(PetscMalloc3(D, &unit, D, &scale, PetscMax(cca->d[0], cca->d[1]) * k, &w));
  for (int v = 0; v < 2; v++) {
    PetscCall(MatGramGetScales(G, v, scale + start[v]));
    PetscCall(MatGramGetFactors_Private(cca->B, v, unit + start[v]));
  }
  for (PetscInt i = 0; i < D; i++) scale[i] = unit[i] > 0.0 ? scale[i] / unit[i] : 0.0;
  for (int s = 0; s < 2; s++) {
    PetscCall(CCAGatherDense_Private(W[s], w));
    for (PetscInt j = 0; j < k; j++)
      for (PetscInt i = 0; i < cca->d[s]; i++) w[i + j * cca->d[s]] *= scale[start[s] + i];
    for (int v = 0; v < 2; v++) {
      Mat            L    = Z[2 * v + s];
      const PetscInt from = start[v];

      PetscCall(MatGetOwnershipRange(L, &first, &last));
      PetscCall(MatDenseGetLDA(L, &ld));
      PetscCall(MatDenseGetArrayWrite(L, &z));
      PetscCall(NAPIGemm("N", "N", last - first, k, cca->d[s], 1.0, C + from + first + start[s] * D, D, w, cca->d[s], 0.0, z, ld));
      for (PetscInt j = 0; j < k; j++)
        for (PetscInt i = first; i < last; i++) z[i - first + j * ld] *= scale[from + i];
      PetscCall(MatDenseRestoreArrayWrite(L, &z));
    }
  }
  PetscCall(PetscFree3(unit, scale, w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Covariances with the scores in Z[2*view+scores], and the operator, of columns of unit variance and without ridge, in G */
static PetscErrorCode CCALoadings_Products(CCA cca, Mat W[2], Mat Z[4], Mat *G)
{
  const PetscScalar *C = NULL;
  Mat                A;

  PetscFunctionBegin;
  PetscCall(CCADuplicateGram_Private(cca->B, PETSC_TRUE, G));
  for (int v = 0; v < 2; v++) {
    PetscCall(CCALoadings_Directions(cca, *G, v, v ? cca->V : cca->U, &W[v]));
    for (int s = 0; s < 2; s++) PetscCall(MatDuplicate(W[v], MAT_DO_NOT_COPY_VALUES, &Z[2 * v + s]));
  }
  if (cca->ops->getcovariances) PetscCall((*cca->ops->getcovariances)(cca, &C));
  if (C) {
    PetscCall(CCALoadings_FromCovariances(cca, C, *G, W, Z));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatDuplicate(*G, MAT_SHARE_NONZERO_PATTERN, &A));
  PetscCall(MatGramSetCoupling(A, 0.0, 1.0, 0.0));
  PetscCall(MatGramMultViews(A, *G, W[0], W[1], Z[1], Z[2], Z[0], Z[3]));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All of it, for pairs */
static PetscErrorCode CCALoadings_ComputePairs(CCA cca)
{
  const PetscInt k          = cca->ncols;
  PetscInt       varying[2] = {cca->d[0], cca->d[1]};
  Mat            W[2], *Z = cca->loading, G;
  PetscScalar   *variance[2], *covariance;
  PetscReal     *r;

  PetscFunctionBegin;
  PetscCall(PetscMalloc4(k, &variance[0], k, &variance[1], k, &covariance, k, &r));
  PetscCall(PetscMalloc2(k, &cca->redundancy[0], k, &cca->redundancy[1]));
  PetscCall(CCALoadings_Products(cca, W, Z, &G));
  PetscCall(CCALoadings_Dots(W[0], Z[0], variance[0]));
  PetscCall(CCALoadings_Dots(W[1], Z[3], variance[1]));
  PetscCall(CCALoadings_Dots(W[0], Z[1], covariance));
  for (PetscInt j = 0; j < k; j++) {
    const PetscReal scale = PetscSqrtReal(PetscMax(0.0, PetscRealPart(variance[0][j]))) * PetscSqrtReal(PetscMax(0.0, PetscRealPart(variance[1][j])));

    r[j] = scale > 0.0 ? PetscAbsScalar(covariance[j]) / scale : 0.0;
  }
  PetscCall(CCALoadings_CountVarying(G, varying));
  for (int v = 0; v < 2; v++) {
    for (int s = 0; s < 2; s++) PetscCall(CCALoadings_Normalize(Z[2 * v + s], variance[s]));
    PetscCall(CCALoadings_Redundancy(Z[3 * v], varying[v], r, cca->redundancy[v]));
    PetscCall(MatDestroy(&W[v]));
  }
  PetscCall(MatDestroy(&G));
  PetscCall(PetscFree4(variance[0], variance[1], covariance, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of principal components and ratios of variances: each view by itself */
static PetscErrorCode CCALoadings_ComputeSpectral(CCA cca)
{
  PetscScalar *variance;
  Mat          W, G;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(cca->ncols, &variance));
  for (int v = 0; v < (cca->Y ? 2 : 1); v++) {
    PetscCall(CCADuplicateGram_Private(v ? cca->B : cca->A, PETSC_TRUE, &G));
    PetscCall(CCALoadings_Directions(cca, G, 0, cca->U, &W));
    PetscCall(MatMatMult(G, W, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &cca->loading[3 * v]));
    PetscCall(CCALoadings_Dots(W, cca->loading[3 * v], variance));
    PetscCall(CCALoadings_Normalize(cca->loading[3 * v], variance));
    PetscCall(MatDestroy(&W));
    PetscCall(MatDestroy(&G));
  }
  PetscCall(PetscFree(variance));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* When it is first asked for */
static PetscErrorCode CCALoadings_Compute(CCA cca)
{
  PetscFunctionBegin;
  if (cca->loading[0]) PetscFunctionReturn(PETSC_SUCCESS);
  if (CCAIsSpectral(cca)) PetscCall(CCALoadings_ComputeSpectral(cca));
  else PetscCall(CCALoadings_ComputePairs(cca));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAGetLoadings - Gets the correlations of the variables of a view with the scores: which variables are the pairs about?

   Collective

   Input Parameters:
+  cca    - the object
.  view   - whose variables: 0 for X, 1 for Y
-  scores - whose scores: 0 for X u_i, 1 for Y v_i; with those of the other view they are called cross-loadings

   Output Parameter:
.  L - dense, a row for each variable, distributed like the columns of the view, and a column for each pair

   Level: intermediate

   Notes:
   These are Pearson's correlations on the data that were analysed, without anything that a ridge adds; of data that are not centred, cosines.
   They are zero for a variable that is constant, and do not depend on units. All of them are computed when they are first asked for, in one pass
   over the data, or without one where CCADIRECT has formed covariances.

   The matrix belongs to the object: do not destroy or change it. It is valid until the next CCASolve() or change of settings.

.seealso: CCASolve(), CCAGetRedundancy(), CCATransform()
@*/
PetscErrorCode CCAGetLoadings(CCA cca, PetscInt view, PetscInt scores, Mat *L)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscAssertPointer(L, 4);
  PetscCheck((view == 0 || view == 1) && (scores == 0 || scores == 1), PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_OUTOFRANGE, "There are no variables of view %" PetscInt_FMT " with scores of view %" PetscInt_FMT ": X is 0 and Y is 1", view, scores);
  PetscCall(CCAGetDirections(cca, NULL, NULL)); /* are there any? */
  PetscCheck(!CCAIsSpectral(cca) || (view == scores && (!view || cca->Y)), PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_WRONG, "The analysis %s has no pairs, hence no cross-loadings: ask for the variables and scores of one view that is there",
             CCAAnalyses[cca->analysis]);
  PetscCall(CCALoadings_Compute(cca));
  *L = cca->loading[2 * view + scores];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAGetRedundancy - Gets which share of the variance of each view a pair explains in the other one.

   Collective

   Input Parameters:
+  cca - the object
-  i   - number of the pair, from 0

   Output Parameters:
+  x - of the variables of X, explained by the score of Y; NULL if not wanted
-  y - of the variables of Y, explained by the score of X; NULL if not wanted

   Level: intermediate

   Note:
   The redundancy of Stewart and Love: the mean of the squared loadings of the variables (those that vary) on the score of their own view,
   times the squared correlation, Pearson's, of the two scores. Each variable counts as much as any other, whatever its variance.

.seealso: CCAGetLoadings(), CCAGetCorrelation()
@*/
PetscErrorCode CCAGetRedundancy(CCA cca, PetscInt i, PetscReal *x, PetscReal *y)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscCall(CCACheckIndex_Private(cca, i));
  PetscCheck(!CCAIsSpectral(cca), PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_WRONG, "The analysis %s has no pairs, hence no redundancies", CCAAnalyses[cca->analysis]);
  PetscCall(CCALoadings_Compute(cca));
  if (x) *x = cca->redundancy[0][i];
  if (y) *y = cca->redundancy[1][i];
  PetscFunctionReturn(PETSC_SUCCESS);
}
