/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Weights of the samples of MATGRAM: a weight of 2 is a sample that is there twice, a weight of 0 one that is not there.
   Products, the diagonal, the dense matrix, means, scales, single views and the sketch are those of data without weights in
   which the samples are repeated.
*/
#include "weights.h"

static Weighted data;

static PetscErrorCode Far(Mat A, Mat B, PetscReal *far)
{
  PetscReal norm;
  Mat       D;

  PetscFunctionBeginUser;
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &D));
  PetscCall(MatAXPY(D, -1.0, B, SAME_NONZERO_PATTERN));
  PetscCall(MatNorm(D, NORM_FROBENIUS, &norm));
  PetscCall(MatDestroy(&D));
  *far = TapWorst(*far, norm);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest difference of products with a block, of dense matrices, of diagonals, of means and scales */
static PetscErrorCode Compare(Mat G, Mat H, PetscReal *far)
{
  PetscInt     m, M, d[2];
  PetscReal    norm, *s, *t;
  PetscScalar *a, *b;
  Mat          W, Z[2], D[2], X[2];
  Vec          u, v;

  PetscFunctionBeginUser;
  *far = 0.0;
  PetscCall(MatGetLocalSize(G, &m, NULL));
  PetscCall(MatGetSize(G, &M, NULL));
  for (PetscInt p = 1; p <= 9; p += 4) {
    PetscCall(MatCreateDense(PETSC_COMM_WORLD, m, PETSC_DECIDE, M, p, NULL, &W));
    PetscCall(MatSetRandom(W, NULL));
    PetscCall(MatMatMult(G, W, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &Z[0]));
    PetscCall(MatMatMult(H, W, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &Z[1]));
    PetscCall(Far(Z[0], Z[1], far));
    for (int i = 0; i < 2; i++) PetscCall(MatDestroy(&Z[i]));
    PetscCall(MatDestroy(&W));
  }
  PetscCall(MatConvert(G, MATDENSE, MAT_INITIAL_MATRIX, &D[0]));
  PetscCall(MatConvert(H, MATDENSE, MAT_INITIAL_MATRIX, &D[1]));
  PetscCall(Far(D[0], D[1], far));
  for (int i = 0; i < 2; i++) PetscCall(MatDestroy(&D[i]));
  PetscCall(MatCreateVecs(G, &u, &v));
  PetscCall(MatGetDiagonal(G, u));
  PetscCall(MatGetDiagonal(H, v));
  PetscCall(VecAXPY(u, -1.0, v));
  PetscCall(VecNorm(u, NORM_2, &norm));
  *far = TapWorst(*far, norm);
  PetscCall(VecDestroy(&u));
  PetscCall(VecDestroy(&v));
  PetscCall(MatGramGetViews(G, &X[0], &X[1]));
  for (int i = 0; i < 2 && X[i]; i++) {
    PetscCall(MatGetSize(X[i], NULL, &d[i]));
    PetscCall(PetscMalloc4(d[i], &a, d[i], &b, d[i], &s, d[i], &t));
    PetscCall(MatGramGetMeans(G, i, a));
    PetscCall(MatGramGetMeans(H, i, b));
    PetscCall(MatGramGetScales(G, i, s));
    PetscCall(MatGramGetScales(H, i, t));
    for (PetscInt j = 0; j < d[i]; j++) *far = TapWorst(*far, TapWorst(PetscAbsScalar(a[j] - b[j]), PetscAbsReal(s[j] - t[j])));
    PetscCall(PetscFree4(a, b, s, t));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestPair(PetscBool densex, PetscBool densey, PetscBool center, PetscBool scale, PetscReal factor, const char *what)
{
  Mat       X[2], Y[2], A[2], B[2], S[2];
  Vec       w;
  PetscReal far[4];

  PetscFunctionBeginUser;
  for (int i = 0; i < 2; i++) {
    PetscCall(WeightedView(&data, 11, densex, i ? PETSC_TRUE : PETSC_FALSE, 0, &X[i]));
    PetscCall(WeightedView(&data, 8, densey, i ? PETSC_TRUE : PETSC_FALSE, 1, &Y[i]));
    PetscCall(MatCreateCCAPair(X[i], Y[i], 0.1, 0.2, center, &A[i], &B[i]));
    PetscCall(MatGramSetScaling(A[i], scale));
    PetscCall(MatGramSetScaling(B[i], scale));
    PetscCall(MatGramCreateView(B[i], 1, &S[i]));
  }
  PetscCall(Compare(B[0], B[0], &far[0])); /* something is remembered of the data without weights */
  PetscCall(WeightedVec(&data, X[0], factor, &w));
  PetscCall(MatGramSetWeights(A[0], w)); /* and B, and the view made before, have them too */
  PetscCall(VecDestroy(&w));
  PetscCall(Compare(A[0], A[1], &far[0]));
  PetscCall(Compare(B[0], B[1], &far[1]));
  PetscCall(Compare(S[0], S[1], &far[2]));
  for (int i = 0; i < 2; i++) {
    PetscCall(MatDestroy(&S[i]));
    PetscCall(MatGramCreateView(B[i], 0, &S[i]));
  }
  PetscCall(Compare(S[0], S[1], &far[3]));
  PetscCall(TapOk((PetscBool)(far[0] < 1e-12 && far[1] < 1e-12 && far[2] < 1e-12 && far[3] < 1e-12), "%s, %s and %s%s%s: weights are repeated samples (%.1e %.1e %.1e %.1e)", what, densex ? "dense" : "sparse", densey ? "dense" : "sparse", center ? ", centred" : "", scale ? ", scaled" : "", (double)far[0], (double)far[1], (double)far[2], (double)far[3]));
  for (int i = 0; i < 2; i++) {
    PetscCall(MatDestroy(&X[i]));
    PetscCall(MatDestroy(&Y[i]));
    PetscCall(MatDestroy(&A[i]));
    PetscCall(MatDestroy(&B[i]));
    PetscCall(MatDestroy(&S[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Weights of any size, set, changed and taken back: no digit is left of them */
static PetscErrorCode TestTakenBack(void)
{
  Mat       X, G, H;
  Vec       w, got;
  PetscReal far, before;

  PetscFunctionBeginUser;
  PetscCall(WeightedView(&data, 11, PETSC_FALSE, PETSC_FALSE, 0, &X));
  PetscCall(MatCreateGram(X, NULL, &G));
  PetscCall(MatCreateGram(X, NULL, &H));
  PetscCall(MatGramSetCentering(G, PETSC_TRUE));
  PetscCall(MatGramSetCentering(H, PETSC_TRUE));
  PetscCall(MatGramSetScaling(G, PETSC_TRUE));
  PetscCall(MatGramSetScaling(H, PETSC_TRUE));
  PetscCall(MatGramGetWeights(G, &got));
  PetscCall(TapOk((PetscBool)!got, "at first there are no weights"));
  PetscCall(WeightedVec(&data, X, 1.0, &w));
  PetscCall(MatGramSetWeights(G, w));
  PetscCall(MatGramGetWeights(G, &got));
  PetscCall(VecSet(w, 1.0));
  PetscCall(Compare(G, H, &before));
  PetscCall(MatGramSetWeights(G, w));
  PetscCall(Compare(G, H, &far));
  PetscCall(TapOk((PetscBool)(before > 1e-3 && far < 1e-13), "weights of 1 are none (%.1e; other weights %.1e)", (double)far, (double)before));
  PetscCall(MatGramSetWeights(G, NULL));
  PetscCall(Compare(G, H, &far));
  PetscCall(MatGramGetWeights(G, &got));
  PetscCall(TapOk((PetscBool)(far == 0.0 && !got), "after NULL there are none"));
  PetscCall(VecDestroy(&w));
  PetscCall(MatDestroy(&G));
  PetscCall(MatDestroy(&H));
  PetscCall(MatDestroy(&X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A column that is the same number for all samples with a weight is constant, whatever rounding says: it is taken off */
static PetscErrorCode TestConstant(PetscBool dense)
{
  Mat       X, G;
  Vec       w;
  PetscReal scale[11];
  PetscInt  first, last;

  PetscFunctionBeginUser;
  PetscCall(WeightedView(&data, 11, dense, PETSC_FALSE, 0, &X));
  PetscCall(MatCreateGram(X, NULL, &G));
  PetscCall(MatGramSetCentering(G, PETSC_TRUE));
  PetscCall(MatGramSetScaling(G, PETSC_TRUE));
  PetscCall(WeightedVec(&data, X, 1.0, &w));
  PetscCall(VecGetOwnershipRange(w, &first, &last));
  for (PetscInt i = first; i < last; i++) PetscCall(VecSetValue(w, i, data.weight[i] ? PetscExpReal(10.0 * PetscRealPart(Hash(i, 0, 3))) : 0.0, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(w));
  PetscCall(VecAssemblyEnd(w));
  PetscCall(MatGramSetWeights(G, w));
  PetscCall(MatGramGetScales(G, 0, scale));
  PetscCall(TapOk((PetscBool)(scale[3] == 0.0 && scale[2] == 0.0 && scale[1] > 0.0), "%s: what is constant for the samples with a weight is left out, whatever the weights", dense ? "dense" : "sparse"));
  PetscCall(VecDestroy(&w));
  PetscCall(MatDestroy(&G));
  PetscCall(MatDestroy(&X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where the sketch takes all samples it is the matrix itself, so that blockcg is through in a step */
static PetscErrorCode TestSketch(PetscBool dense, PetscReal size)
{
  Mat      X, G;
  Vec      w, b, x;
  KSP      ksp;
  PC       pc;
  PetscInt its, unweighted;

  PetscFunctionBeginUser;
  PetscCall(WeightedView(&data, 11, dense, PETSC_FALSE, 0, &X));
  PetscCall(MatCreateGram(X, NULL, &G));
  PetscCall(MatGramSetCentering(G, PETSC_TRUE));
  PetscCall(MatGramSetRidge(G, 1e-3, 0.0));
  PetscCall(MatCreateVecs(G, &x, &b));
  PetscCall(VecSet(b, 1.0));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPSetOperators(ksp, G, G));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCSKETCH));
  PetscCall(PCSketchSetSize(pc, size));
  PetscCall(KSPSetTolerances(ksp, 1e-9, 1e-30, 1e30, 200));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetIterationNumber(ksp, &unweighted));
  PetscCall(WeightedVec(&data, X, 0.3, &w));
  PetscCall(MatGramSetWeights(G, w));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  PetscCall(TapOk((PetscBool)(its <= unweighted + 3 && (size < 100.0 || its <= 2)), "%s: the sketch of %g rows a column takes the weights along (%" PetscInt_FMT " steps, %" PetscInt_FMT " without weights)", dense ? "dense" : "sparse", (double)size, its, unweighted));
  PetscCall(VecDestroy(&w));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&G));
  PetscCall(MatDestroy(&X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestRefused(void)
{
  Mat            X, G;
  Vec            w, b, x, longer;
  KSP            ksp;
  PetscErrorCode code[6];

  PetscFunctionBeginUser;
  PetscCall(WeightedView(&data, 11, PETSC_TRUE, PETSC_FALSE, 0, &X));
  PetscCall(MatCreateGram(X, NULL, &G));
  PetscCall(MatGramSetRidge(G, 1e-3, 0.0));
  PetscCall(MatCreateVecs(X, NULL, &w));
  PetscCall(VecCreateMPI(PETSC_COMM_WORLD, PETSC_DECIDE, data.n + 1, &longer));
  PetscCall(VecSet(longer, 1.0));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  PetscCall(VecSet(w, -1.0));
  code[0] = MatGramSetWeights(G, w);
  PetscCall(VecSet(w, 0.0));
  code[1] = MatGramSetWeights(G, w);
  PetscCall(VecSet(w, PETSC_MAX_REAL));
  code[2] = MatGramSetWeights(G, w);
  code[3] = MatGramSetWeights(G, longer);
  PetscCall(VecSet(w, 1.0));
  PetscCall(VecSetValue(w, 0, NAN, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(w));
  PetscCall(VecAssemblyEnd(w));
  code[4] = MatGramSetWeights(G, w);
  PetscCall(VecSet(w, 1.0));
  PetscCall(MatGramSetWeights(G, w));
  PetscCall(MatCreateVecs(G, &x, &b));
  PetscCall(VecSet(b, 1.0));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetType(ksp, KSPSVRG));
  PetscCall(KSPSetOperators(ksp, G, G));
  code[5] = KSPSolve(ksp, b, x);
  PetscCall(PetscPopErrorHandler());
  PetscCall(TapOk((PetscBool)(code[0] == PETSC_ERR_ARG_OUTOFRANGE && code[4] == PETSC_ERR_ARG_OUTOFRANGE), "weights that are negative or no number are refused"));
  PetscCall(TapOk((PetscBool)(code[1] == PETSC_ERR_ARG_OUTOFRANGE && code[2] == PETSC_ERR_ARG_OUTOFRANGE), "so are those with no sum"));
  PetscCall(TapOk((PetscBool)(code[3] == PETSC_ERR_ARG_SIZ), "so is another number of weights"));
  PetscCall(TapOk((PetscBool)(code[5] == PETSC_ERR_SUP), "a solver that draws samples refuses weights"));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&w));
  PetscCall(VecDestroy(&longer));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&G));
  PetscCall(MatDestroy(&X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(TapBegin(&argc, &argv));
  for (PetscInt most = 1; most <= 3; most += 2) {
    WeightedSetUp(&data, 600, most, 0.3);
    for (int c = 0; c < 16; c++) PetscCall(TestPair((PetscBool)(c & 1), (PetscBool)(c >> 1 & 1), (PetscBool)(c >> 2 & 1), (PetscBool)(c >> 3 & 1), most == 1 ? 1.0 : 0.37, most == 1 ? "0 and 1" : "0.37 times 0 to 3"));
  }
  PetscCall(TestTakenBack());
  for (int dense = 0; dense < 2; dense++) {
    PetscCall(TestConstant((PetscBool)dense));
    PetscCall(TestSketch((PetscBool)dense, 8.0));
    PetscCall(TestSketch((PetscBool)dense, 100.0));
  }
  PetscCall(TestRefused());
  return TapEnd();
}
