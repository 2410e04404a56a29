/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Loadings, cross-loadings and redundancies are the correlations that come out sample by sample from the data and the scores, for dense and
   sparse views, with and without centring, scaling and ridges; and scores can be computed from what was kept of a solution, to the last
   digit.
*/
#include "ccadata.h"

#define N  60
#define D1 6
#define D2 5
#define K  3

/* Column 2 of X is constant, column 3 of Y in other units; a third of the entries is zero */
static PetscScalar Entry(PetscInt view, PetscInt i, PetscInt j)
{
  if (!view && j == 2) return 4.0;
  if (PetscRealPart(Hash(i, j, 50 + view)) > 0.4) return 0.0;
  return (view && j == 3 ? 1e5 : 1.0) * (Hash(i, j, 60 + view) + 0.7 * Hash(i, j % 3, 70) + 0.5);
}

/* All rows of a dense matrix, by columns, on every rank */
static PetscErrorCode Gather(Mat M, PetscScalar all[])
{
  PetscInt           first, last, m, n, ld;
  const PetscScalar *a;

  PetscFunctionBegin;
  PetscCall(MatGetSize(M, &m, &n));
  PetscCall(MatGetOwnershipRange(M, &first, &last));
  PetscCall(MatDenseGetLDA(M, &ld));
  PetscCall(PetscArrayzero(all, m * n));
  PetscCall(MatDenseGetArrayRead(M, &a));
  for (PetscInt j = 0; j < n; j++)
    for (PetscInt i = first; i < last; i++) all[i + j * m] = a[i - first + j * ld];
  PetscCall(MatDenseRestoreArrayRead(M, &a));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, all, (PetscMPIInt)(m * n), MPIU_SCALAR, MPIU_SUM, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sum conj(a - mean) (b - mean) / sqrt(...), or the cosine */
static PetscScalar Correlate(PetscBool center, const PetscScalar a[], const PetscScalar b[])
{
  PetscScalar ma = 0.0, mb = 0.0, dot = 0.0;
  PetscReal   aa = 0.0, bb = 0.0;

  for (PetscInt i = 0; i < N && center; i++) {
    ma += a[i] / (PetscReal)N;
    mb += b[i] / (PetscReal)N;
  }
  for (PetscInt i = 0; i < N; i++) {
    dot += PetscConj(a[i] - ma) * (b[i] - mb);
    aa += PetscSqr(PetscAbsScalar(a[i] - ma));
    bb += PetscSqr(PetscAbsScalar(b[i] - mb));
  }
  return aa > 1e-20 && bb > 1e-20 ? dot / PetscSqrtReal(aa * bb) : 0.0;
}

/* The largest difference between the object's answers and those from the scores */
static PetscErrorCode Compare(CCA cca, PetscBool center, PetscReal *loadings, PetscReal *redundancies)
{
  const PetscInt d[2] = {D1, D2};
  PetscScalar    score[2][N * K], column[N], l[D1 * K], r;
  PetscReal      square[K], given[2];
  PetscInt       varying;
  Mat            S[2], L;

  PetscFunctionBegin;
  PetscCall(CCATransform(cca, NULL, NULL, &S[0], &S[1]));
  for (int v = 0; v < 2; v++) {
    PetscCall(Gather(S[v], score[v]));
    PetscCall(MatDestroy(&S[v]));
  }
  for (int v = 0; v < 2; v++)
    for (int s = 0; s < 2; s++) {
      PetscCall(CCAGetLoadings(cca, v, s, &L));
      PetscCall(Gather(L, l));
      varying = 0;
      for (PetscInt k = 0; k < K; k++) square[k] = 0.0;
      for (PetscInt j = 0; j < d[v]; j++) {
        for (PetscInt i = 0; i < N; i++) column[i] = Entry(v, i, j);
        varying += PetscAbsScalar(Correlate(center, column, column)) > 0.5;
        for (PetscInt k = 0; k < K; k++) {
          r         = Correlate(center, column, score[s] + k * N);
          *loadings = TapWorst(*loadings, PetscAbsScalar(r - l[j + k * d[v]]));
          square[k] += PetscSqr(PetscAbsScalar(r));
        }
      }
      for (PetscInt k = 0; k < K && s == v; k++) {
        r = Correlate(center, score[0] + k * N, score[1] + k * N);
        PetscCall(CCAGetRedundancy(cca, k, &given[0], &given[1]));
        *redundancies = TapWorst(*redundancies, PetscAbsReal(given[v] - square[k] / varying * PetscSqr(PetscAbsScalar(r))));
      }
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From copies of the directions, means and scales, when the object is gone: the same digits */
static PetscErrorCode Kept(CCA *cca, Mat X[2], PetscBool *same)
{
  const PetscInt d[2] = {D1, D2};
  PetscScalar    mean[2][D1], a[N * K], b[N * K];
  PetscReal      scale[2][D1];
  Mat            W[2], U[2], S[2], Z;

  PetscFunctionBegin;
  PetscCall(CCATransform(*cca, NULL, NULL, &S[0], &S[1]));
  PetscCall(CCAGetDirections(*cca, &W[0], &W[1]));
  for (int v = 0; v < 2; v++) {
    PetscCall(MatDuplicate(W[v], MAT_COPY_VALUES, &U[v]));
    PetscCall(CCAGetStandardization(*cca, v, mean[v], scale[v]));
  }
  PetscCall(CCADestroy(cca));
  *same = PETSC_TRUE;
  for (int v = 0; v < 2; v++) {
    PetscCall(CCAComputeScores(X[v], U[v], mean[v], scale[v], &Z));
    PetscCall(Gather(S[v], a));
    PetscCall(Gather(Z, b));
    for (PetscInt i = 0; i < N * K; i++)
      if (a[i] != b[i]) *same = PETSC_FALSE;
    for (PetscInt j = 0; j < d[v]; j++)
      if (PetscIsInfOrNanReal(scale[v][j]) || scale[v][j] < 0.0) *same = PETSC_FALSE;
    PetscCall(MatDestroy(&Z));
    PetscCall(MatDestroy(&S[v]));
    PetscCall(MatDestroy(&U[v]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Case(PetscBool dense, PetscBool center, PetscBool scale, PetscReal ridge)
{
  const char *const kind     = dense ? "dense" : "sparse";
  PetscReal         loadings = 0.0, redundancies = 0.0, before, after;
  PetscBool         same;
  Mat               X[2], L;
  CCA               cca;

  PetscFunctionBegin;
  for (int v = 0; v < 2; v++) PetscCall(ViewFromFormula(PETSC_COMM_WORLD, N, v ? D2 : D1, dense, -1, Entry, v, &X[v]));
  PetscCall(CCACreate(PETSC_COMM_WORLD, &cca));
  PetscCall(CCASetData(cca, X[0], X[1]));
  PetscCall(CCASetDimensions(cca, K));
  PetscCall(CCASetCentering(cca, center));
  PetscCall(CCASetScaling(cca, scale));
  PetscCall(CCASetRegularization(cca, ridge, 2.0 * ridge));
  PetscCall(CCASolve(cca));
  PetscCall(CCAGetApplications(cca, NULL, NULL, &before));
  PetscCall(Compare(cca, center, &loadings, &redundancies));
  PetscCall(CCAGetLoadings(cca, 1, 0, &L));
  PetscCall(CCAGetApplications(cca, NULL, NULL, &after));
  PetscCall(TapOk((PetscBool)(loadings < 1e-9), "%s,%s centred,%s scaled, ridge %g: loadings", kind, center ? "" : " not", scale ? "" : " not", (double)ridge));
  PetscCall(TapOk((PetscBool)(redundancies < 1e-9), "and redundancies"));
  PetscCall(TapOk((PetscBool)(before == after), "what the solution has cost stays what it was"));
  if (loadings >= 1e-9 || redundancies >= 1e-9) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# wrong by %g and %g\n", (double)loadings, (double)redundancies));
  PetscCall(Kept(&cca, X, &same));
  PetscCall(TapOk(same, "scores from what was kept are the same"));
  for (int v = 0; v < 2; v++) PetscCall(MatDestroy(&X[v]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Misuse(void)
{
  PetscReal      x;
  PetscScalar    mean[D1];
  PetscErrorCode ierr[5];
  Mat            X, Y, L;
  CCA            cca;

  PetscFunctionBegin;
  PetscCall(ViewFromFormula(PETSC_COMM_WORLD, N, D1, PETSC_TRUE, -1, Entry, 0, &X));
  PetscCall(ViewFromFormula(PETSC_COMM_WORLD, N, D2, PETSC_TRUE, -1, Entry, 1, &Y));
  PetscCall(CCACreate(PETSC_COMM_WORLD, &cca));
  PetscCall(CCASetData(cca, X, Y));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  ierr[0] = CCAGetLoadings(cca, 0, 0, &L);
  ierr[1] = CCAGetStandardization(cca, 0, mean, NULL);
  PetscCall(PetscPopErrorHandler());
  PetscCall(CCASolve(cca));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  ierr[2] = CCAGetLoadings(cca, 2, 0, &L);
  ierr[3] = CCAGetRedundancy(cca, 1, &x, NULL);
  PetscCall(CCAGetLoadings(cca, 0, 0, &L));
  ierr[4] = CCAComputeScores(Y, L, NULL, NULL, &X);
  PetscCall(PetscPopErrorHandler());
  PetscCall(TapOk((PetscBool)(ierr[0] == PETSC_ERR_ORDER && ierr[1] == PETSC_ERR_ORDER), "before a solution there are none"));
  PetscCall(TapOk((PetscBool)(ierr[2] == PETSC_ERR_ARG_OUTOFRANGE && ierr[3] == PETSC_ERR_ARG_OUTOFRANGE), "no third view, no pair that is not there"));
  PetscCall(TapOk((PetscBool)(ierr[4] == PETSC_ERR_ARG_SIZ), "directions of other data are refused"));
  PetscCall(CCADestroy(&cca));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(TapBegin(&argc, &argv));
  for (int c = 0; c < 16; c++) PetscCall(Case((PetscBool)(c % 2), (PetscBool)(c / 2 % 2), (PetscBool)(c / 4 % 2), c / 8 ? 0.3 : 0.0));
  PetscCall(Misuse());
  return TapEnd();
}
