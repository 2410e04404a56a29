/* SPDX-License-Identifier: BSD-2-Clause */
/*
   A path of ridges over the same data, solved with one object: the answers are those of an object of its own for each ridge, and
   cost less, since napi goes on with its bases and direct with its covariances. What makes these useless is noticed.
*/
#include "realdata.h"

static PetscErrorCode NewCCA(Mat X, Mat Y, const char *type, PetscInt k, PetscBool scale, CCA *cca)
{
  PetscFunctionBegin;
  PetscCall(CCACreate(PETSC_COMM_WORLD, cca));
  PetscCall(CCASetData(*cca, X, Y));
  PetscCall(CCASetDimensions(*cca, k));
  PetscCall(CCASetCentering(*cca, PETSC_TRUE));
  PetscCall(CCASetScaling(*cca, scale));
  PetscCall(CCASetType(*cca, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest residual, relative as CCAComputeError() has it, by products with a pair that the object has never seen */
static PetscErrorCode TrueResidual(CCA cca, PetscInt k, PetscReal *worst)
{
  PetscBool center, scale;
  PetscReal r[2], rho, residual, size, norm;
  Mat       X, Y, W[2], A, B, AW[2], BW[2];
  Vec       a, b;

  PetscFunctionBegin;
  *worst = 0.0;
  PetscCall(CCAGetData(cca, &X, &Y));
  PetscCall(CCAGetRegularization(cca, &r[0], &r[1]));
  PetscCall(CCAGetCentering(cca, &center));
  PetscCall(CCAGetScaling(cca, &scale));
  PetscCall(CCAGetDirections(cca, &W[0], &W[1]));
  PetscCall(MatCreateCCAPair(X, Y, r[0], r[1], center, &A, &B));
  PetscCall(MatGramSetScaling(A, scale));
  PetscCall(MatGramSetScaling(B, scale));
  for (int i = 0; i < 2; i++) {
    PetscCall(MatDuplicate(W[i], MAT_DO_NOT_COPY_VALUES, &AW[i]));
    PetscCall(MatDuplicate(W[i], MAT_DO_NOT_COPY_VALUES, &BW[i]));
  }
  PetscCall(MatGramMultViews(A, B, W[0], W[1], AW[0], AW[1], BW[0], BW[1]));
  for (PetscInt j = 0; j < k; j++) {
    residual = size = 0.0;
    PetscCall(CCAGetCorrelation(cca, j, &rho));
    for (int i = 0; i < 2; i++) {
      PetscCall(MatDenseGetColumnVec(AW[i], j, &a));
      PetscCall(MatDenseGetColumnVecRead(BW[i], j, &b));
      PetscCall(VecAXPY(a, -rho, b));
      PetscCall(VecNorm(a, NORM_2, &norm));
      residual += norm * norm;
      PetscCall(VecNorm(b, NORM_2, &norm));
      size += norm * norm;
      PetscCall(MatDenseRestoreColumnVecRead(BW[i], j, &b));
      PetscCall(MatDenseRestoreColumnVec(AW[i], j, &a));
    }
    *worst = TapWorst(*worst, PetscSqrtReal(residual / size) / rho);
  }
  for (int i = 0; i < 2; i++) {
    PetscCall(MatDestroy(&AW[i]));
    PetscCall(MatDestroy(&BW[i]));
  }
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An object of its own for these ridges: how far the correlations of another one are from its, and what both have cost */
static PetscErrorCode CompareWithFresh(CCA cca, PetscInt k, PetscReal *difference, PetscReal cost[2], PetscReal passes[2])
{
  CCAType   type;
  PetscBool scale;
  PetscReal r[2], rho[2], a, b;
  PetscInt  nconv;
  Mat       X, Y;
  CCA       both[2] = {cca, NULL};

  PetscFunctionBegin;
  PetscCall(CCAGetData(cca, &X, &Y));
  PetscCall(CCAGetType(cca, &type));
  PetscCall(CCAGetScaling(cca, &scale));
  PetscCall(CCAGetRegularization(cca, &r[0], &r[1]));
  PetscCall(NewCCA(X, Y, type, k, scale, &both[1]));
  PetscCall(CCASetRegularization(both[1], r[0], r[1]));
  PetscCall(CCASolve(both[1]));
  for (int t = 0; t < 2; t++) {
    PetscCall(CCAGetConverged(both[t], &nconv));
    if (nconv != k) *difference = PETSC_INFINITY;
    PetscCall(CCAGetApplications(both[t], &a, &b, &passes[t]));
    cost[t] = a + b;
  }
  for (PetscInt j = 0; j < k && *difference < PETSC_INFINITY; j++) {
    for (int t = 0; t < 2; t++) PetscCall(CCAGetCorrelation(both[t], j, &rho[t]));
    *difference = TapWorst(*difference, PetscAbsReal(rho[0] - rho[1]));
  }
  PetscCall(CCADestroy(&both[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Up and down, both views alike or not, one of them for a while without ridge where the columns are scaled */
static PetscErrorCode Path(const char *type, PetscBool dense, PetscBool scale, PetscInt n, PetscInt d2)
{
  const PetscReal ridges[][2] = {
    {1.0,  1.0               },
    {0.3,  0.3               },
    {0.1,  0.1               },
    {0.03, 0.1               },
    {0.3,  0.02              },
    {0.2,  scale ? 0.0 : 0.01},
    {0.1,  0.1               }
  };
  PetscReal      difference = 0.0, residual = 0.0, cost[2], passes[2], r, warm = 0.0, cold = 0.0, most = 0.0;
  const PetscInt k = 3;
  Mat            X, Y;
  CCA            cca;

  PetscFunctionBegin;
  PetscCall(NoisyView(PETSC_COMM_WORLD, n, 60, 0.3, 1, 3, dense, &X));
  PetscCall(NoisyView(PETSC_COMM_WORLD, n, d2, 0.3, 2, 3, dense, &Y));
  PetscCall(NewCCA(X, Y, type, k, scale, &cca));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(ridges); i++) {
    PetscCall(CCASetRegularization(cca, ridges[i][0], ridges[i][1]));
    PetscCall(CCASolve(cca));
    PetscCall(CompareWithFresh(cca, k, &difference, cost, passes));
    PetscCall(TrueResidual(cca, k, &r));
    residual = TapWorst(residual, r);
    if (!i) continue;
    warm += cost[0];
    cold += cost[1];
    most = PetscMax(most, passes[0]);
  }
  PetscCall(TapOk((PetscBool)(difference < 1e-9), "%s, %s%s, %d samples: the correlations of a path are those of each ridge by itself (to %.0e)", type, dense ? "dense" : "sparse", scale ? ", scaled" : "", (int)n, (double)difference));
  PetscCall(TapOk((PetscBool)(residual < 1e-6), "and their true residuals are small (%.0e)", (double)residual));
  if (!strcmp(type, CCANAPI)) PetscCall(TapOk((PetscBool)(warm < 0.75 * cold), "%g columns instead of %g after the first ridge", (double)warm, (double)cold));
  else PetscCall(TapOk((PetscBool)(most <= 1.0), "after the first ridge one pass over the data, for the residuals, not %g", (double)most));
  PetscCall(CCADestroy(&cca));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What has been kept must not be used when it is no longer of these data, nor against the user's own start */
static PetscErrorCode Useless(const char *type)
{
  const PetscInt k          = 2;
  PetscReal      difference = 0.0, cost[2], passes[2];
  Mat            X, Y, U, V, start[2];
  CCA            cca;

  PetscFunctionBegin;
  PetscCall(NoisyView(PETSC_COMM_WORLD, 200, 40, 0.3, 1, 3, PETSC_FALSE, &X));
  PetscCall(NoisyView(PETSC_COMM_WORLD, 200, 30, 0.3, 2, 3, PETSC_FALSE, &Y));
  PetscCall(NewCCA(X, Y, type, k, PETSC_FALSE, &cca));
  PetscCall(CCASetRegularization(cca, 0.1, 0.1));
  PetscCall(CCASolve(cca));
  PetscCall(CCAGetDirections(cca, &U, &V));
  PetscCall(MatDuplicate(U, MAT_COPY_VALUES, &start[0]));
  PetscCall(MatDuplicate(V, MAT_COPY_VALUES, &start[1]));
  PetscCall(MatScale(X, 3.0)); /* the same matrix, other numbers */
  PetscCall(CCASetRegularization(cca, 0.05, 0.05));
  PetscCall(CCASolve(cca));
  PetscCall(CompareWithFresh(cca, k, &difference, cost, passes));
  PetscCall(TapOk((PetscBool)(difference < 1e-9 && PetscAbsReal(cost[0] - cost[1]) <= 0.05 * cost[1] && PetscAbsReal(passes[0] - passes[1]) <= 0.05 * passes[1]), "%s: data that have changed in place begin anew (%g and %g columns)", type, (double)cost[0], (double)cost[1]));
  PetscCall(CCASetRegularization(cca, 1e-6, 1e-6)); /* further than what is kept has digits for */
  PetscCall(CCASolve(cca));
  PetscCall(CompareWithFresh(cca, k, &difference, cost, passes));
  PetscCall(TapOk((PetscBool)(difference < 1e-9), "a ridge that is smaller by five orders"));
  if (!strcmp(type, CCANAPI)) {
    PetscCall(TapOk((PetscBool)(PetscAbsReal(cost[0] - cost[1]) <= 0.05 * cost[1]), "begins anew, too (%g and %g)", (double)cost[0], (double)cost[1]));
    PetscCall(CCASetRegularization(cca, 0.1, 0.1));
    PetscCall(CCASetInitialDirections(cca, start[0], start[1]));
    PetscCall(MatScale(X, 1.0 / 3.0));
    PetscCall(CCASolve(cca));
    PetscCall(CCAGetApplications(cca, &cost[0], NULL, NULL));
    PetscCall(TapOk((PetscBool)(cost[0] <= k + 2 + k + 10), "the user's initial directions are what is begun with (%g columns by A)", (double)cost[0]));
  }
  for (int i = 0; i < 2; i++) PetscCall(MatDestroy(&start[i]));
  PetscCall(CCADestroy(&cca));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What it is for: five ridges for texts by their words cost less than twice the last of them alone */
static PetscErrorCode Texts(void)
{
  const PetscReal ridges[]   = {1e-1, 3.1622776601683795e-2, 1e-2, 3.1622776601683795e-3, 1e-3};
  const PetscInt  k          = 10;
  PetscReal       difference = 0.0, residual = 0.0, cost[2] = {0.0, 0.0}, passes[2], a, b, r, path = 0.0;
  PetscBool       there;
  Mat             X, Y;
  CCA             cca;

  PetscFunctionBegin;
  PetscCall(ReadViews("text-en-it", "X_en", "Y_it", 0, &X, &Y, &there));
  if (!there) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(NewCCA(X, Y, CCANAPI, k, PETSC_FALSE, &cca));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(ridges); i++) {
    PetscCall(CCASetRegularization(cca, ridges[i], ridges[i]));
    PetscCall(CCASolve(cca));
    PetscCall(CCAGetApplications(cca, &a, &b, NULL));
    path += a + b;
    PetscCall(TrueResidual(cca, k, &r));
    residual = TapWorst(residual, r);
  }
  PetscCall(CompareWithFresh(cca, k, &difference, cost, passes));
  PetscCall(TapOk((PetscBool)(difference < 1e-9), "text-en-it, five ridges: the last correlations are those of that ridge by itself (to %.0e)", (double)difference));
  PetscCall(TapOk((PetscBool)(residual < 1e-6), "all true residuals are below the tolerance (%.0e)", (double)residual));
  PetscCall(TapOk((PetscBool)(path < 2.0 * cost[1]), "%g columns by A and B, less than twice the %g of the last ridge by itself", (double)path, (double)cost[1]));
  PetscCall(CCADestroy(&cca));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt size;

  PetscCall(TapBegin(&argc, &argv));
  for (int scale = 0; scale < 2; scale++) {
    for (int dense = 0; dense < 2; dense++) {
      PetscCall(Path(CCANAPI, (PetscBool)dense, (PetscBool)scale, 300, 70));
      PetscCall(Path(CCADIRECT, (PetscBool)dense, (PetscBool)scale, 300, 70));
    }
    PetscCall(Path(CCADIRECT, PETSC_FALSE, (PetscBool)scale, 65, 70)); /* one view, and both, with more columns than samples */
    PetscCall(Path(CCADIRECT, PETSC_TRUE, (PetscBool)scale, 50, 70));
  }
  PetscCall(Useless(CCANAPI));
  PetscCall(Useless(CCADIRECT));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size == 1) PetscCall(Texts()); /* it takes some seconds */
  return TapEnd();
}
