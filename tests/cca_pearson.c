/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Pearson's correlations of the scores: what CCAGetPearson() takes from the solution is what comes out when the scores are computed and
   correlated, whatever the method, the regularisation and the weights; and correlating is what NumPy's corrcoef() does.
*/
#include "linnerud.h"
#include "weights.h"

static Weighted data;

static PetscErrorCode TestScores(CCAType type, PetscInt d, PetscBool dense, PetscBool center, PetscBool scale, PetscBool weighted, PetscReal shrinkage, PetscReal ridge)
{
  PetscReal r[2], got[2], rho[2];
  Mat       X, Y, S[2];
  Vec       w;
  CCA       cca;

  PetscFunctionBeginUser;
  PetscCall(WeightedView(&data, d, dense, PETSC_FALSE, 0, &X));
  PetscCall(WeightedView(&data, 8, dense, PETSC_FALSE, 1, &Y));
  PetscCall(WeightedVec(&data, X, 0.37, &w));
  PetscCall(CCACreate(PETSC_COMM_WORLD, &cca));
  PetscCall(CCASetType(cca, type));
  PetscCall(CCASetData(cca, X, Y));
  PetscCall(CCASetDimensions(cca, 2));
  PetscCall(CCASetCentering(cca, center));
  PetscCall(CCASetScaling(cca, scale));
  if (weighted) PetscCall(CCASetWeights(cca, w));
  if (shrinkage >= 0.0) PetscCall(CCASetShrinkage(cca, shrinkage, 0.5 * shrinkage));
  else PetscCall(CCASetRegularization(cca, ridge, 0.5 * ridge));
  PetscCall(CCASolve(cca));
  for (PetscInt i = 0; i < 2; i++) {
    PetscCall(CCAGetPearson(cca, i, &got[i]));
    PetscCall(CCAGetCorrelation(cca, i, &rho[i]));
  }
  PetscCall(CCATransform(cca, NULL, NULL, &S[0], &S[1]));
  PetscCall(CCAComputePearson(S[0], S[1], weighted ? w : NULL, center, r));
  PetscCall(TapOk((PetscBool)(PetscAbsReal(r[0] - got[0]) < 1e-9 && PetscAbsReal(r[1] - got[1]) < 1e-9 && got[0] >= rho[0] - 1e-12), "%s, %" PetscInt_FMT " columns, %s%s%s%s, %s %g: Pearson's correlations are %.10f and %.10f (off by %.1e and %.1e), canonical ones %.4f and %.4f", type, d, dense ? "dense" : "sparse", center ? ", centred" : "", scale ? ", scaled" : "", weighted ? ", weighted" : "", shrinkage >= 0.0 ? "shrinkage" : "ridge", (double)(shrinkage >= 0.0 ? shrinkage : ridge), (double)got[0], (double)got[1], (double)(r[0] - got[0]), (double)(r[1] - got[1]), (double)rho[0], (double)rho[1]));
  for (int i = 0; i < 2; i++) PetscCall(MatDestroy(&S[i]));
  PetscCall(CCADestroy(&cca));
  PetscCall(VecDestroy(&w));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The numbers are those of NumPy's corrcoef(X[:,j], Y[:,j]), the last ones with np.repeat(X, 1 + arange(20) % 4, axis=0) */
static PetscErrorCode TestLinnerud(void)
{
  static const PetscReal correlation[3] = {-0.38969365080346, -0.64559802792732, 0.03493306213306}, cosine[3] = {0.84520398447690, 0.89684514958121, 0.81121625721617}, weighted[3] = {-0.23453013172121, -0.55575369127118, 0.00438760350629};
  PetscReal              r[3], far[3] = {0.0, 0.0, 0.0};
  PetscInt               first, last;
  PetscErrorCode         code;
  Mat                    X, Y, Z;
  Vec                    w;

  PetscFunctionBeginUser;
  PetscCall(LinnerudViews(PETSC_COMM_WORLD, NULL, PETSC_TRUE, &X, &Y));
  PetscCall(MatCreateVecs(X, NULL, &w));
  PetscCall(VecGetOwnershipRange(w, &first, &last));
  for (PetscInt i = first; i < last; i++) PetscCall(VecSetValue(w, i, 1.0 + i % 4, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(w));
  PetscCall(VecAssemblyEnd(w));
  for (int c = 0; c < 3; c++) {
    PetscCall(CCAComputePearson(X, Y, c == 2 ? w : NULL, (PetscBool)(c != 1), r));
    for (int j = 0; j < 3; j++) far[c] = TapWorst(far[c], PetscAbsReal(r[j] - (c == 0 ? correlation : c == 1 ? cosine : weighted)[j]));
  }
  PetscCall(TapOk((PetscBool)(far[0] < 1e-13 && far[1] < 1e-13 && far[2] < 1e-13), "correlations, cosines and weighted correlations of columns are those of NumPy"));
  PetscCall(MatDuplicate(X, MAT_DO_NOT_COPY_VALUES, &Z));
  PetscCall(MatZeroEntries(Z));
  PetscCall(CCAComputePearson(X, Z, NULL, PETSC_TRUE, r));
  PetscCall(TapOk((PetscBool)(r[0] == 0.0 && r[1] == 0.0 && r[2] == 0.0), "a constant column is not correlated with anything"));
  PetscCall(MatDestroy(&Z));
  PetscCall(WeightedView(&data, 3, PETSC_TRUE, PETSC_FALSE, 0, &Z));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  code = CCAComputePearson(X, Z, NULL, PETSC_TRUE, r);
  PetscCall(PetscPopErrorHandler());
  PetscCall(TapOk((PetscBool)(code == PETSC_ERR_ARG_SIZ), "other numbers of rows are refused"));
  PetscCall(MatDestroy(&Z));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscCall(VecDestroy(&w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Many equal numbers are constant, although the sum of them is rounded (0.1 a hundred thousand times is 10000.0000000188) */
static PetscErrorCode TestConstant(void)
{
  PetscReal    r[2];
  PetscScalar *a;
  PetscInt     n, first;
  Mat          A;

  PetscFunctionBeginUser;
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, 100000, 2, NULL, &A));
  PetscCall(MatGetLocalSize(A, &n, NULL));
  PetscCall(MatGetOwnershipRange(A, &first, NULL));
  PetscCall(MatDenseGetArrayWrite(A, &a));
  for (PetscInt i = 0; i < n; i++) {
    a[i]     = 0.1;
    a[n + i] = 1.0 + 1e-9 * ((first + i) % 2);
  }
  PetscCall(MatDenseRestoreArrayWrite(A, &a));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(CCAComputePearson(A, A, NULL, PETSC_TRUE, r));
  PetscCall(TapOk((PetscBool)(r[0] == 0.0), "a long column of equal numbers is constant: %g", (double)r[0]));
  PetscCall(TapOk((PetscBool)(PetscAbsReal(r[1] - 1.0) < 1e-6), "one that varies in the ninth digit is not: %g", (double)r[1]));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  static const CCAType types[] = {CCADIRECT, CCANAPI};

  PetscCall(TapBegin(&argc, &argv));
  WeightedSetUp(&data, 120, 3, 0.4);
  for (int t = 0; t < 2; t++) {
    for (int c = 0; c < 16; c++) PetscCall(TestScores(types[t], 9, (PetscBool)(c & 1), (PetscBool)(c >> 1 & 1), (PetscBool)(c >> 2 & 1), (PetscBool)(c >> 3 & 1), 0.3, 0.0));
    PetscCall(TestScores(types[t], 9, PETSC_TRUE, PETSC_TRUE, PETSC_FALSE, PETSC_TRUE, 0.0, 0.0));
    PetscCall(TestScores(types[t], 9, PETSC_TRUE, PETSC_TRUE, PETSC_FALSE, PETSC_TRUE, -1.0, 1e-3));
    PetscCall(TestScores(types[t], 9, PETSC_TRUE, PETSC_TRUE, PETSC_FALSE, PETSC_FALSE, -1.0, 1e10));
    PetscCall(TestScores(types[t], 9, PETSC_FALSE, PETSC_TRUE, PETSC_FALSE, PETSC_TRUE, -1.0, 1e10));
    PetscCall(TestScores(types[t], 200, PETSC_FALSE, PETSC_TRUE, PETSC_FALSE, PETSC_TRUE, 0.9, 0.0));
  }
  PetscCall(TestLinnerud());
  PetscCall(TestConstant());
  return TapEnd();
}
