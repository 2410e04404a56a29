/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Partial least squares, principal components, ratios of variances and discriminants: against answers that are known by construction or, for
   discriminants, from LAPACK with covariances that are formed sample by sample. Centred, scaled, weighted, dense and sparse.

   The construction: the columns c_j of Cosine() have mean 0, mean square 1 and are orthogonal, H is a reflection. X = C diag(s) H + 3 has the covariance
   H diag(s^2) H.
*/
#include "ccadata.h"

#define N  48
#define N2 31
#define D  7
#define E  5
#define K  3

static const PetscReal wide[D]   = {5.0, 3.0, 2.0, 1.0, 0.5, 0.25, 0.125};
static const PetscReal narrow[D] = {1.0, 2.0, 0.5, 1.0, 0.25, 0.5, 0.05};

/* The reflection I - 2 v v'/v'v of order d, another one for each seed */
static PetscReal Reflection(PetscInt d, PetscInt seed, PetscInt i, PetscInt j)
{
  PetscReal norm = 0.0;

  for (PetscInt l = 0; l < d; l++) norm += PetscSqr(1.0 + (3 * l + seed) % 5);
  return (i == j ? 1.0 : 0.0) - 2.0 * (1.0 + (3 * i + seed) % 5) * (1.0 + (3 * j + seed) % 5) / norm;
}

typedef struct {
  PetscInt         n, d, seed, noise; /* noise: from which cosine on columns are added that mix all variables; 0 for none */
  const PetscReal *s;
  PetscReal        shift;
} Known;

static PetscScalar KnownEntry(const void *ctx, PetscInt view, PetscInt i, PetscInt j)
{
  const Known *k = (const Known *)ctx;
  PetscReal    x = k->shift;

  (void)view;
  for (PetscInt l = 0; l < k->d; l++) x += Cosine(k->n, i, l + 1) * k->s[l] * Reflection(k->d, k->seed, l, j);
  for (PetscInt l = 0; l < k->d && k->noise; l++) x += Cosine(k->n, i, k->noise + l) * PetscRealPart(Hash(l, j, k->seed));
  return x;
}

static PetscErrorCode KnownView(PetscInt n, PetscInt d, PetscInt seed, PetscInt noise, const PetscReal s[], PetscReal shift, PetscBool dense, Mat *X)
{
  const Known known = {n, d, seed, noise, s, shift};

  PetscFunctionBegin;
  PetscCall(ViewCreate(PETSC_COMM_WORLD, n, d, dense, -1, KnownEntry, &known, 0, X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 1 - |cosine| of column j of U with column j of the reflection */
static PetscErrorCode Angle(Mat U, PetscInt j, PetscInt d, PetscInt seed, PetscReal *angle, PetscReal *length)
{
  const PetscScalar *u;
  PetscInt           first, last, ld;
  PetscScalar        sum[2] = {0.0, 0.0};

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(U, &first, &last));
  PetscCall(MatDenseGetLDA(U, &ld));
  PetscCall(MatDenseGetArrayRead(U, &u));
  for (PetscInt i = first; i < last; i++) {
    sum[0] += u[i - first + j * ld] * Reflection(d, seed, j, i);
    sum[1] += u[i - first + j * ld] * PetscConj(u[i - first + j * ld]);
  }
  PetscCall(MatDenseRestoreArrayRead(U, &u));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPIU_SCALAR, MPIU_SUM, PETSC_COMM_WORLD));
  *length = PetscSqrtReal(PetscRealPart(sum[1]));
  *angle  = PetscAbsReal(1.0 - PetscAbsScalar(sum[0]) / *length);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve(CCAAnalysis analysis, Mat X, Mat Y, PetscInt k, CCA *cca, CCAConvergedReason *reason)
{
  PetscFunctionBegin;
  PetscCall(CCACreate(PETSC_COMM_WORLD, cca));
  PetscCall(CCASetAnalysis(*cca, analysis));
  PetscCall(CCASetData(*cca, X, Y));
  PetscCall(CCASetCentering(*cca, PETSC_TRUE));
  PetscCall(CCASetDimensions(*cca, k));
  PetscCall(CCASetRegularization(*cca, 0.0, analysis == CCA_ANALYSIS_GEV ? 0.5 : 0.0));
  PetscCall(CCASetTolerances(*cca, 1e-9, PETSC_DECIDE));
  PetscCall(CCASetFromOptions(*cca));
  PetscCall(CCASolve(*cca));
  PetscCall(CCAGetConvergedReason(*cca, reason));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The variance of each column of scores, and whether their means are zero */
static PetscErrorCode Variances(Mat S, PetscReal variance[], PetscReal *mean)
{
  PetscInt    n, k;
  PetscScalar sum;
  PetscReal   norm;
  Vec         s;

  PetscFunctionBegin;
  PetscCall(MatGetSize(S, &n, &k));
  *mean = 0.0;
  for (PetscInt j = 0; j < k; j++) {
    PetscCall(MatDenseGetColumnVecRead(S, j, &s));
    PetscCall(VecNorm(s, NORM_2, &norm));
    PetscCall(VecSum(s, &sum));
    PetscCall(MatDenseRestoreColumnVecRead(S, j, &s));
    variance[j] = norm * norm / (PetscReal)n;
    *mean       = TapWorst(*mean, PetscAbsScalar(sum) / (PetscReal)n);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PrincipalComponents(PetscBool dense)
{
  const char        *kind  = dense ? "dense" : "sparse";
  PetscReal          value = 0.0, total, worst = 0.0, direction = 0.0, error, angle, length, variance[K], mean, rho;
  CCAConvergedReason reason;
  PetscErrorCode     ierr[3];
  Mat                X, U, V, S, L;
  CCA                cca;

  PetscFunctionBegin;
  PetscCall(KnownView(N, D, 1, 0, wide, 3.0, dense, &X));
  PetscCall(Solve(CCA_ANALYSIS_PCA, X, NULL, K, &cca, &reason));
  PetscCall(CCAGetDirections(cca, &U, &V));
  PetscCall(CCATransform(cca, NULL, NULL, &S, NULL));
  PetscCall(Variances(S, variance, &mean));
  for (PetscInt j = 0; j < K; j++) {
    PetscCall(CCAGetValue(cca, j, &value));
    PetscCall(CCAComputeError(cca, j, &error));
    PetscCall(Angle(U, j, D, 1, &angle, &length));
    worst     = TapWorst(worst, PetscAbsReal(value - wide[j] * wide[j]));
    worst     = TapWorst(worst, PetscAbsReal(variance[j] - value));
    direction = TapWorst(direction, angle + PetscAbsReal(length - 1.0) + error);
  }
  PetscCall(CCAGetTotalVariance(cca, 0, &total));
  PetscCall(TapOk((PetscBool)(reason == CCA_CONVERGED_TOL && worst < 1e-10), "%s: principal components have the known variances", kind));
  PetscCall(TapOk((PetscBool)(direction < 2e-9 && mean < 1e-12), "and directions, of unit length"));
  PetscCall(TapNear(total, 25.0 + 9.0 + 4.0 + 1.0 + 0.25 + 0.0625 + 0.015625, 1e-12, "all variances together"));
  PetscCall(TapOk((PetscBool)!V, "there is no second view"));
  PetscCall(CCAGetLoadings(cca, 0, 0, &L)); /* sum of loading^2 var_j over the variables is the variance of the component */
  PetscCall(MatNorm(L, NORM_FROBENIUS, &length));
  PetscCall(TapOk((PetscBool)(length > 0.5 && length < PetscSqrtReal((PetscReal)D)), "loadings"));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  ierr[0] = CCAGetLoadings(cca, 0, 1, &L);
  ierr[1] = CCAGetCorrelation(cca, 0, &rho);
  ierr[2] = CCATransform(cca, NULL, X, NULL, &L);
  PetscCall(PetscPopErrorHandler());
  PetscCall(TapOk((PetscBool)(ierr[0] && ierr[1] && ierr[2]), "no cross-loadings, no correlations, no scores of Y"));
  PetscCall(MatDestroy(&S));
  PetscCall(CCADestroy(&cca));
  PetscCall(Solve(CCA_ANALYSIS_PCA, X, NULL, D, &cca, &reason));
  for (PetscInt j = 0; j < D; j++) {
    PetscCall(CCAGetValue(cca, j, &value));
    worst = TapWorst(worst, PetscAbsReal(value - wide[j] * wide[j]));
  }
  PetscCall(TapOk((PetscBool)(reason == CCA_CONVERGED_TOL && worst < 1e-10), "all of them"));
  PetscCall(CCADestroy(&cca));
  PetscCall(MatDestroy(&X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Data of rank 2: there are two components, whatever is asked for; of constant data none */
static PetscErrorCode FewComponents(void)
{
  const PetscReal    two[D] = {2.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0}, none[D] = {0.0};
  CCAConvergedReason reason;
  PetscReal          value[2];
  PetscErrorCode     ierr;
  PetscInt           nconv;
  Mat                X, U;
  CCA                cca;

  PetscFunctionBegin;
  PetscCall(KnownView(N, D, 2, 0, two, -7.0, PETSC_TRUE, &X));
  PetscCall(Solve(CCA_ANALYSIS_PCA, X, NULL, 5, &cca, &reason));
  PetscCall(CCAGetConverged(cca, &nconv));
  for (PetscInt j = 0; j < 2; j++) PetscCall(CCAGetValue(cca, j, &value[j]));
  PetscCall(TapOk((PetscBool)(reason == CCA_CONVERGED_RANK && nconv == 2), "data of rank 2 have two components"));
  PetscCall(TapNear(value[0] + value[1], 5.0, 1e-10, "with the known variances"));
  PetscCall(CCADestroy(&cca));
  PetscCall(MatDestroy(&X));
  PetscCall(KnownView(N, D, 2, 0, none, -7.0, PETSC_TRUE, &X));
  PetscCall(Solve(CCA_ANALYSIS_PCA, X, NULL, 2, &cca, &reason));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  ierr = CCAGetDirections(cca, &U, NULL);
  PetscCall(PetscPopErrorHandler());
  PetscCall(TapOk((PetscBool)(reason == CCA_CONVERGED_RANK && ierr), "constant data have none"));
  PetscCall(CCADestroy(&cca));
  PetscCall(MatDestroy(&X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   X = C H1 and Y = C diag(s) H2, and other cosines in each, have the cross-covariance H1 diag(s) H2, whose singular vectors are not the eigenvectors of their
   covariances; of the columns there are D and E
*/
static PetscErrorCode PartialLeastSquares(PetscBool dense, const char type[])
{
  const PetscReal    one[D] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0}, s[E] = {4.0, 2.0, 1.0, 0.5, 0.25};
  PetscReal          value, worst = 0.0, direction = 0.0, error, angle[2], length[2];
  CCAConvergedReason reason;
  Mat                X, Y, U, V, SX, SY;
  PetscScalar        dot;
  Vec                x, y;
  CCA                cca;

  PetscFunctionBegin;
  PetscCall(KnownView(N, D, 3, 20, one, 2.0, dense, &X));
  PetscCall(KnownView(N, E, 4, 30, s, -1.0, dense, &Y));
  PetscCall(PetscOptionsSetValue(NULL, "-cca_type", type));
  PetscCall(Solve(CCA_ANALYSIS_PLS, X, Y, K, &cca, &reason));
  PetscCall(CCAGetDirections(cca, &U, &V));
  PetscCall(CCATransform(cca, NULL, NULL, &SX, &SY));
  for (PetscInt j = 0; j < K; j++) {
    PetscCall(CCAGetValue(cca, j, &value));
    PetscCall(CCAComputeError(cca, j, &error));
    PetscCall(Angle(U, j, D, 3, &angle[0], &length[0]));
    PetscCall(Angle(V, j, E, 4, &angle[1], &length[1]));
    PetscCall(MatDenseGetColumnVecRead(SX, j, &x));
    PetscCall(MatDenseGetColumnVecRead(SY, j, &y));
    PetscCall(VecDot(x, y, &dot));
    PetscCall(MatDenseRestoreColumnVecRead(SY, j, &y));
    PetscCall(MatDenseRestoreColumnVecRead(SX, j, &x));
    worst     = TapWorst(worst, PetscAbsReal(value - s[j]));
    worst     = TapWorst(worst, PetscAbsReal(PetscRealPart(dot) / N - s[j]));
    direction = TapWorst(direction, angle[0] + angle[1] + PetscAbsReal(length[0] - 1.0) + PetscAbsReal(length[1] - 1.0));
    worst     = TapWorst(worst, error > 1e-9 ? 1.0 : 0.0);
  }
  PetscCall(TapOk((PetscBool)(reason == CCA_CONVERGED_TOL && worst < 1e-10), "%s, %s: covariances of partial least squares", dense ? "dense" : "sparse", type));
  PetscCall(TapOk((PetscBool)(direction < 1e-10), "and directions, of unit length"));
  if (worst >= 1e-10 || direction >= 1e-10) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# wrong by %g and %g, %s\n", (double)worst, (double)direction, CCAConvergedReasons[reason]));
  PetscCall(PetscOptionsClearValue(NULL, "-cca_type"));
  PetscCall(MatDestroy(&SX));
  PetscCall(MatDestroy(&SY));
  PetscCall(CCADestroy(&cca));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Covariances H diag(a) H and H diag(b) H from 48 and 31 samples, and a ridge of 1/2: ratios a/(b + 1/2) */
static PetscErrorCode Ratios(PetscBool dense)
{
  PetscReal          value, ratio[D], worst = 0.0, error, variance[2][K], mean[2];
  CCAConvergedReason reason;
  Mat                X, Y, U, V, SX, SY;
  CCA                cca;

  PetscFunctionBegin;
  for (PetscInt j = 0; j < D; j++) ratio[j] = -wide[j] * wide[j] / (narrow[j] * narrow[j] + 0.5);
  PetscCall(PetscSortReal(D, ratio));
  PetscCall(KnownView(N, D, 5, 0, wide, 2.0, dense, &X));
  PetscCall(KnownView(N2, D, 5, 0, narrow, -4.0, dense, &Y));
  PetscCall(Solve(CCA_ANALYSIS_GEV, X, Y, K, &cca, &reason));
  PetscCall(CCAGetDirections(cca, &U, &V));
  PetscCall(CCATransform(cca, NULL, NULL, &SX, &SY));
  PetscCall(Variances(SX, variance[0], &mean[0]));
  PetscCall(Variances(SY, variance[1], &mean[1]));
  for (PetscInt j = 0; j < K; j++) {
    PetscReal norm;
    Vec       u;

    PetscCall(CCAGetValue(cca, j, &value));
    PetscCall(CCAComputeError(cca, j, &error));
    PetscCall(MatDenseGetColumnVecRead(U, j, &u));
    PetscCall(VecNorm(u, NORM_2, &norm));
    PetscCall(MatDenseRestoreColumnVecRead(U, j, &u));
    worst = TapWorst(worst, PetscAbsReal(value + ratio[j]));
    worst = TapWorst(worst, PetscAbsReal(variance[0][j] - value));
    worst = TapWorst(worst, PetscAbsReal(variance[1][j] + 0.5 * norm * norm - 1.0));
    worst = TapWorst(worst, error > 1e-9 ? 1.0 : 0.0);
  }
  PetscCall(TapOk((PetscBool)(reason == CCA_CONVERGED_TOL && worst < 1e-8), "%s: ratios of variances, and their scores", dense ? "dense" : "sparse"));
  if (worst >= 1e-8) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# wrong by %g, %s\n", (double)worst, CCAConvergedReasons[reason]));
  PetscCall(TapOk((PetscBool)(U == V && mean[0] < 1e-12 && mean[1] < 1e-12), "the same directions for both, with means of their own"));
  PetscCall(MatDestroy(&SX));
  PetscCall(MatDestroy(&SY));
  PetscCall(CCADestroy(&cca));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Y that does not vary in some direction: without a ridge there is no ratio in it, which is said soon */
static PetscErrorCode NoRatios(void)
{
  const PetscReal    flat[D] = {1.0, 2.0, 0.5, 1.0, 0.0, 0.5, 0.05};
  CCAConvergedReason reason  = CCA_CONVERGED_TOL;
  PetscErrorCode     ierr[2];
  PetscReal          weighted[2];
  PetscInt           n, first;
  Vec                w;
  Mat                X, Y;
  CCA                cca;

  PetscFunctionBegin;
  PetscCall(KnownView(N, D, 5, 0, wide, 2.0, PETSC_TRUE, &X));
  PetscCall(KnownView(N2, D, 5, 0, flat, 2.0, PETSC_TRUE, &Y));
  for (int ridge = 0; ridge < 2; ridge++) {
    PetscCall(CCACreate(PETSC_COMM_WORLD, &cca));
    PetscCall(CCASetAnalysis(cca, CCA_ANALYSIS_GEV));
    PetscCall(CCASetData(cca, X, Y));
    PetscCall(CCASetRegularization(cca, 0.0, ridge ? 1e-3 : 0.0));
    PetscCall(CCASolve(cca));
    PetscCall(CCAGetConvergedReason(cca, &reason));
    PetscCall(TapOk((PetscBool)(reason == (ridge ? CCA_CONVERGED_TOL : CCA_DIVERGED_BREAKDOWN)), ridge ? "with a ridge there are ratios" : "no ratios where a direction of Y does not vary"));
    PetscCall(CCADestroy(&cca));
  }
  /* fewer samples than variables: those with a positive weight count */
  PetscCall(MatDestroy(&Y));
  PetscCall(KnownView(N2, D, 5, 0, narrow, 2.0, PETSC_TRUE, &Y));
  PetscCall(MatCreateVecs(Y, NULL, &w));
  PetscCall(VecGetOwnershipRange(w, &first, &n));
  for (PetscInt i = first; i < n; i++) PetscCall(VecSetValue(w, i, i < D ? 1.0 : 0.0, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(w));
  PetscCall(VecAssemblyEnd(w));
  PetscCall(CCACreate(PETSC_COMM_WORLD, &cca));
  PetscCall(CCASetAnalysis(cca, CCA_ANALYSIS_GEV));
  PetscCall(CCASetData(cca, X, Y));
  PetscCall(CCASetRegularization(cca, 0.0, 0.0));
  PetscCall(CCASetViewWeights(cca, 1, w));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  ierr[0] = CCASetUp(cca);
  PetscCall(CCASetWeights(cca, w)); /* of which samples? */
  PetscCall(CCASetViewWeights(cca, 1, NULL));
  ierr[1] = CCASetUp(cca);
  PetscCall(PetscPopErrorHandler());
  PetscCall(TapOk((PetscBool)(ierr[0] == PETSC_ERR_ARG_WRONG && ierr[1] == PETSC_ERR_SUP), "nor where Y has too few samples that count; weights are those of one view"));
  PetscCall(CCASetWeights(cca, NULL));
  for (int own = 0; own < 2; own++) { /* a common factor changes nothing */
    PetscCall(VecSet(w, 0.25));
    PetscCall(CCASetViewWeights(cca, 1, own ? w : NULL));
    PetscCall(CCASolve(cca));
    PetscCall(CCAGetValue(cca, 0, &weighted[own]));
  }
  PetscCall(TapNear(weighted[1] / weighted[0], 1.0, 1e-9, "weights that are all the same"));
  PetscCall(CCADestroy(&cca));
  PetscCall(VecDestroy(&w));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Misuse(void)
{
  const PetscInt label[N] = {0};
  PetscErrorCode ierr[9];
  PetscInt       n, m, bad[N];
  Mat            X, Y;
  CCA            cca;

  PetscFunctionBegin;
  PetscCall(KnownView(N, D, 5, 0, wide, 2.0, PETSC_TRUE, &X));
  PetscCall(KnownView(N2, E, 5, 0, wide, 2.0, PETSC_TRUE, &Y));
  PetscCall(MatGetLocalSize(X, &n, NULL));
  PetscCall(MatGetLocalSize(Y, &m, NULL));
  for (PetscInt i = 0; i < n; i++) bad[i] = i % 3 + 1;
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  PetscCall(CCACreate(PETSC_COMM_WORLD, &cca));
  ierr[0] = CCASetData(cca, X, NULL); /* canonical correlations need two */
  ierr[1] = CCASetData(cca, X, Y);    /* of the same samples */
  PetscCall(CCASetAnalysis(cca, CCA_ANALYSIS_GEV));
  PetscCall(CCASetData(cca, X, Y));
  ierr[2] = CCASetUp(cca); /* other variables */
  PetscCall(CCASetAnalysis(cca, CCA_ANALYSIS_PCA));
  ierr[3] = CCASetUp(cca); /* two data sets */
  PetscCall(CCASetData(cca, X, NULL));
  PetscCall(CCASetDimensions(cca, D + 1));
  ierr[4] = CCASetUp(cca);
  PetscCall(CCASetDimensions(cca, 1));
  ierr[5] = CCASetClasses(cca, X, 1, label);
  ierr[6] = CCASetClasses(cca, X, 3, bad);   /* 1..3 */
  ierr[7] = CCASetClasses(cca, X, 2, label); /* class 1 is empty */
  PetscCall(CCASetAnalysis(cca, CCA_ANALYSIS_LDA));
  ierr[8] = CCASetData(cca, X, X); /* classes are needed */
  PetscCall(PetscPopErrorHandler());
  PetscCall(TapOk((PetscBool)(ierr[0] && ierr[1]), "canonical correlations need two data sets of the same samples"));
  PetscCall(TapOk((PetscBool)(ierr[2] == PETSC_ERR_ARG_SIZ && ierr[3] == PETSC_ERR_ARG_WRONG && ierr[4] == PETSC_ERR_ARG_OUTOFRANGE), "other variables, a second data set, too many components"));
  PetscCall(TapOk((PetscBool)(ierr[5] && ierr[6] && ierr[7] && ierr[8]), "classes that are none"));
  PetscCall(CCADestroy(&cca));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(TapBegin(&argc, &argv));
  for (int dense = 0; dense < 2; dense++) {
    PetscCall(PrincipalComponents((PetscBool)dense));
    PetscCall(PartialLeastSquares((PetscBool)dense, "direct"));
    PetscCall(PartialLeastSquares((PetscBool)dense, "napi"));
    PetscCall(PartialLeastSquares((PetscBool)dense, "eps"));
    PetscCall(Ratios((PetscBool)dense));
  }
  PetscCall(FewComponents());
  PetscCall(NoRatios());
  PetscCall(Misuse());
  return TapEnd();
}
