/* SPDX-License-Identifier: BSD-2-Clause */
/*
   MATGRAM against the matrix written out: every entry of (1/n) sum_i F_i' S F_i + ridge is computed from all samples
   on every rank, from a formula that gives the entries of the views.
*/
#include "views.h"
#include <math.h>

typedef struct {
  PetscInt  n, d[2];  /* samples, columns of X and Y (d[1] < 0: one view) */
  PetscBool dense[2]; /* storage */
  PetscInt  lopsided; /* all samples on this rank, or -1: distributed evenly */
  PetscBool center, scale;
  PetscReal s11, s12, s22, r1, r2;
} Case;

/* The entries: about a third of them nonzero, columns with a mean; column 3 constant, column 4 zero, row 5 zero */
static PetscScalar Entry(PetscInt view, PetscInt i, PetscInt j)
{
  PetscReal x = PetscSinReal((PetscReal)(1 + i) * 12.9898 + (PetscReal)(1 + j) * 78.233 + 37.0 * (PetscReal)view) * 43758.5453;

  x -= PetscFloorReal(x);
  if (j == 3) return 2.0;
  if (j == 4 || i == 5 || x > .4) return 0.0;
#if defined(PETSC_USE_COMPLEX)
  return PetscCMPLX(x + .3 * (PetscReal)view, PetscSinReal(97.0 * x + (PetscReal)j));
#else
  return x + .3 * (PetscReal)view + .1 * PetscSinReal((PetscReal)j);
#endif
}

static PetscErrorCode CreateView(const Case *c, PetscInt view, Mat *X)
{
  PetscFunctionBeginUser;
  PetscCall(ViewFromFormula(PETSC_COMM_WORLD, c->n, c->d[view], c->dense[view], c->lopsided, Entry, view, X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The whole matrix, by columns, from the definition */
static PetscErrorCode Explicit(const Case *c, PetscScalar **pG, PetscInt *pD)
{
  PetscInt     d1 = c->d[0], D = d1 + PetscMax(0, c->d[1]);
  PetscScalar *F, *G;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(c->n * D, &F));
  PetscCall(PetscMalloc1(D * D, &G));
  for (PetscInt j = 0; j < D; j++) {
    PetscScalar mean   = 0.0;
    PetscReal   square = 0.0;

    for (PetscInt i = 0; i < c->n; i++) F[i + j * c->n] = j < d1 ? Entry(0, i, j) : Entry(1, i, j - d1);
    for (PetscInt i = 0; i < c->n; i++) mean += F[i + j * c->n] / (PetscReal)c->n;
    if (c->center)
      for (PetscInt i = 0; i < c->n; i++) F[i + j * c->n] -= mean;
    for (PetscInt i = 0; i < c->n; i++) square += PetscSqr(PetscAbsScalar(F[i + j * c->n])) / (PetscReal)c->n;
    if (c->scale && square > 1e-20)
      for (PetscInt i = 0; i < c->n; i++) F[i + j * c->n] /= PetscSqrtReal(square);
  }
  for (PetscInt j = 0; j < D; j++) {
    for (PetscInt l = 0; l < D; l++) {
      PetscReal   s   = l < d1 ? (j < d1 ? c->s11 : c->s12) : (j < d1 ? c->s12 : c->s22);
      PetscScalar sum = 0.0;

      for (PetscInt i = 0; i < c->n; i++) sum += PetscConj(F[i + l * c->n]) * F[i + j * c->n];
      G[l + j * D] = s * sum / (PetscReal)c->n;
      if (l == j) G[l + j * D] += l < d1 ? c->r1 : c->r2;
    }
  }
  PetscCall(PetscFree(F));
  *pG = G;
  *pD = D;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscScalar Block(PetscInt i, PetscInt k)
{
#if defined(PETSC_USE_COMPLEX)
  return PetscCMPLX(PetscSinReal((PetscReal)(3 * i + 7 * k + 1)), PetscCosReal((PetscReal)(5 * i + k)));
#else
  return PetscSinReal((PetscReal)(3 * i + 7 * k + 1));
#endif
}

/* How far Z is from G W, or from G^T W; W is Block() */
static PetscErrorCode Distance(const PetscScalar *G, PetscInt D, PetscBool transpose, Mat Z, PetscReal *far)
{
  const PetscScalar *z;
  PetscInt           first, last, p, ld;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(Z, &first, &last));
  PetscCall(MatGetSize(Z, NULL, &p));
  PetscCall(MatDenseGetLDA(Z, &ld));
  PetscCall(MatDenseGetArrayRead(Z, &z));
  *far = 0.0;
  for (PetscInt k = 0; k < p; k++) {
    for (PetscInt i = first; i < last; i++) {
      PetscScalar sum = 0.0;
      for (PetscInt j = 0; j < D; j++) sum += (transpose ? G[j + i * D] : G[i + j * D]) * Block(j, k);
      *far = TapWorst(*far, PetscAbsScalar(sum - z[i - first + k * ld]));
    }
  }
  PetscCall(MatDenseRestoreArrayRead(Z, &z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateBlock(Mat G, PetscInt p, Mat *W)
{
  PetscInt first, last, m, M;

  PetscFunctionBeginUser;
  PetscCall(MatGetLocalSize(G, &m, NULL));
  PetscCall(MatGetSize(G, &M, NULL));
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, m, PETSC_DECIDE, M, p, NULL, W));
  PetscCall(MatGetOwnershipRange(*W, &first, &last));
  for (PetscInt i = first; i < last; i++)
    for (PetscInt k = 0; k < p; k++) PetscCall(MatSetValue(*W, i, k, Block(i, k), INSERT_VALUES));
  PetscCall(MatAssemblyBegin(*W, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*W, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateOperator(const Case *c, Mat *G)
{
  Mat X, Y = NULL;

  PetscFunctionBeginUser;
  PetscCall(CreateView(c, 0, &X));
  if (c->d[1] >= 0) PetscCall(CreateView(c, 1, &Y));
  PetscCall(MatCreateGram(X, Y, G));
  PetscCall(MatGramSetCoupling(*G, c->s11, c->s12, c->s22));
  PetscCall(MatGramSetRidge(*G, c->r1, c->r2));
  PetscCall(MatGramSetCentering(*G, c->center));
  PetscCall(MatGramSetScaling(*G, c->scale));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every operation of one matrix; the reports name the case */
static PetscErrorCode CheckCase(const Case *c, const char *name)
{
  Mat                G, W, Z, H, dense;
  Vec                x, y, z, d;
  PetscScalar       *E;
  const PetscScalar *a;
  PetscInt           D, p[]     = {1, 2, 3, 5, 8, 11, 37}, first, last, ld;
  PetscReal          far, worst = 0.0, tol = 1e-12;
  PetscBool          known, flag;

  PetscFunctionBeginUser;
  PetscCall(Explicit(c, &E, &D));
  PetscCall(CreateOperator(c, &G));

  for (size_t k = 0; k < sizeof(p) / sizeof(p[0]); k++) {
    PetscCall(CreateBlock(G, p[k], &W));
    PetscCall(MatMatMult(G, W, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &Z));
    PetscCall(Distance(E, D, PETSC_FALSE, Z, &far));
    worst = TapWorst(worst, far);
    PetscCall(MatMatMult(G, W, MAT_REUSE_MATRIX, PETSC_DEFAULT, &Z));
    PetscCall(Distance(E, D, PETSC_FALSE, Z, &far));
    worst = TapWorst(worst, far);
    PetscCall(MatDestroy(&Z));
    PetscCall(MatTransposeMatMult(G, W, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &Z));
    PetscCall(Distance(E, D, PETSC_TRUE, Z, &far));
    worst = TapWorst(worst, far);
    PetscCall(MatDestroy(&Z));
    PetscCall(MatDestroy(&W));
  }
  PetscCall(TapOk((PetscBool)(worst < tol), "%s: products with blocks of 1 to 37 columns, and transposed", name));

  /* one column by MatMult and its relatives, laid out as a block to be compared */
  PetscCall(CreateBlock(G, 1, &W));
  PetscCall(MatDuplicate(W, MAT_DO_NOT_COPY_VALUES, &Z));
  PetscCall(MatCreateVecs(G, &x, &y));
  PetscCall(MatGetColumnVector(W, x, 0));
  worst = 0.0;
  for (int kind = 0; kind < 4; kind++) {
    if (kind == 0) PetscCall(MatMult(G, x, y));
    else if (kind == 1) PetscCall(MatMultTranspose(G, x, y));
    else if (kind == 2) PetscCall(MatMultHermitianTranspose(G, x, y));
    else {
      PetscCall(VecSet(y, 7.0));
      PetscCall(MatMultAdd(G, x, y, y));
      PetscCall(VecShift(y, -7.0));
    }
    PetscCall(MatDenseGetColumnVecWrite(Z, 0, &z));
    PetscCall(VecCopy(y, z));
    PetscCall(MatDenseRestoreColumnVecWrite(Z, 0, &z));
    PetscCall(Distance(E, D, (PetscBool)(kind == 1), Z, &far));
    worst = TapWorst(worst, far);
  }
  PetscCall(TapOk((PetscBool)(worst < tol), "%s: products with a vector, transposed, Hermitian transposed and added", name));

  PetscCall(VecDuplicate(y, &d));
  PetscCall(MatGetDiagonal(G, d));
  PetscCall(VecGetOwnershipRange(d, &first, &last));
  PetscCall(VecGetArrayRead(d, &a));
  far = 0.0;
  for (PetscInt i = first; i < last; i++) far = TapWorst(far, PetscAbsScalar(a[i - first] - E[i + i * D]));
  PetscCall(VecRestoreArrayRead(d, &a));
  PetscCall(TapOk((PetscBool)(far < tol), "%s: diagonal", name));

  PetscCall(MatConvert(G, MATDENSE, MAT_INITIAL_MATRIX, &dense));
  PetscCall(MatDenseGetLDA(dense, &ld));
  PetscCall(MatDenseGetArrayRead(dense, &a));
  far = 0.0;
  for (PetscInt i = first; i < last; i++)
    for (PetscInt j = 0; j < D; j++) far = TapWorst(far, PetscAbsScalar(a[i - first + j * ld] - E[i + j * D]));
  PetscCall(MatDenseRestoreArrayRead(dense, &a));
  PetscCall(TapOk((PetscBool)(far < tol), "%s: conversion to dense", name));
  PetscCall(MatDestroy(&dense));

  /* 2 (G - 3 I) + G, by a duplicate */
  PetscCall(MatDuplicate(G, MAT_COPY_VALUES, &H));
  PetscCall(MatShift(H, -3.0));
  PetscCall(MatScale(H, 2.0));
  PetscCall(MatAXPY(H, 1.0, G, SAME_NONZERO_PATTERN));
  PetscCall(MatMult(H, x, y));
  PetscCall(VecAXPY(y, 6.0, x));
  PetscCall(VecScale(y, 1.0 / 3.0));
  PetscCall(MatDenseGetColumnVecWrite(Z, 0, &z));
  PetscCall(VecCopy(y, z));
  PetscCall(MatDenseRestoreColumnVecWrite(Z, 0, &z));
  PetscCall(Distance(E, D, PETSC_FALSE, Z, &far));
  PetscCall(TapOk((PetscBool)(far < tol), "%s: duplicate, shift, scale and sum", name));
  PetscCall(MatDestroy(&H));

  PetscCall(MatIsHermitianKnown(G, &known, &flag));
  PetscCall(TapOk((PetscBool)(known && flag), "%s: known to be Hermitian", name));

  PetscCall(VecDestroy(&d));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&Z));
  PetscCall(MatDestroy(&W));
  PetscCall(MatDestroy(&G));
  PetscCall(PetscFree(E));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckPair(PetscBool center, PetscBool dense)
{
  Case b =
         {
           61, {17,    9          },
            {dense, PETSC_FALSE},
            -1, center, PETSC_FALSE, 1.0, 0.0, 1.0, .25, .5
  },
       a = b;
  Mat          X, Y, A, B, W, AW, BW, other;
  PetscScalar *EA, *EB;
  PetscInt     D, p[]     = {1, 2, 7, 8, 13};
  PetscReal    far, worst = 0.0, before, after, passesB, columns, saved;
  PetscBool    known, flag, half = PETSC_TRUE;
  const char  *how = center ? "centered" : "not centered", *store = dense ? "dense and sparse" : "sparse";
  PetscErrorCode (*pair)(Mat, Mat, Mat, Mat, Mat, PetscReal *) = NULL;

  PetscFunctionBeginUser;
  a.s11 = a.s22 = a.r1 = a.r2 = 0.0;
  a.s12                       = 1.0;
  PetscCall(Explicit(&a, &EA, &D));
  PetscCall(Explicit(&b, &EB, &D));
  PetscCall(CreateView(&b, 0, &X));
  PetscCall(CreateView(&b, 1, &Y));
  PetscCall(MatCreateCCAPair(X, Y, b.r1, b.r2, center, &A, &B));
  PetscCall(PetscObjectQueryFunction((PetscObject)A, "MatPairMult_C", &pair));
  PetscCall(TapOk(pair ? PETSC_TRUE : PETSC_FALSE, "pair, %s, %s: A has MatPairMult_C", store, how));
  for (size_t k = 0; k < sizeof(p) / sizeof(p[0]); k++) {
    PetscCall(CreateBlock(A, p[k], &W));
    PetscCall(MatDuplicate(W, MAT_DO_NOT_COPY_VALUES, &AW));
    PetscCall(MatDuplicate(W, MAT_DO_NOT_COPY_VALUES, &BW));
    PetscCall((*pair)(A, B, W, AW, BW, &saved));
    half = (PetscBool)(half && saved == 0.5 * (PetscReal)p[k]);
    PetscCall(Distance(EA, D, PETSC_FALSE, AW, &far));
    worst = TapWorst(worst, far);
    PetscCall(Distance(EB, D, PETSC_FALSE, BW, &far));
    worst = TapWorst(worst, far);
    PetscCall(MatDestroy(&BW));
    PetscCall(MatDestroy(&AW));
    PetscCall(MatDestroy(&W));
  }
  PetscCall(TapOk((PetscBool)(worst < 1e-12), "pair, %s, %s: A W and B W in one sweep", store, how));
  PetscCall(MatGramGetPasses(A, &after));
  PetscCall(MatGramGetPasses(B, &passesB));
  PetscCall(TapOk((PetscBool)(after == 5.0 && passesB == 0.0), "pair, %s, %s: a sweep for both is one pass, booked with A", store, how));
  PetscCall(TapOk(half, "pair, %s, %s: which saves half a product", store, how));

  /* B from elsewhere: two products */
  PetscCall(MatCreateGram(X, Y, &other));
  PetscCall(MatGramSetRidge(other, b.r1, b.r2));
  PetscCall(MatGramSetCentering(other, center));
  PetscCall(CreateBlock(A, 3, &W));
  PetscCall(MatDuplicate(W, MAT_DO_NOT_COPY_VALUES, &AW));
  PetscCall(MatDuplicate(W, MAT_DO_NOT_COPY_VALUES, &BW));
  PetscCall(MatGramGetPasses(A, &before));
  PetscCall((*pair)(A, other, W, AW, BW, &saved));
  PetscCall(Distance(EA, D, PETSC_FALSE, AW, &worst));
  PetscCall(Distance(EB, D, PETSC_FALSE, BW, &far));
  PetscCall(TapOk((PetscBool)(TapWorst(worst, far) < 1e-12), "pair, %s, %s: a B that does not share the data", store, how));
  PetscCall(MatGramGetPasses(A, &after));
  PetscCall(MatGramGetPasses(other, &passesB));
  PetscCall(TapOk((PetscBool)(after == before + 1.0 && passesB == 1.0), "pair, %s, %s: which takes a pass each", store, how));
  PetscCall(TapOk((PetscBool)(saved == 0.0), "pair, %s, %s: and saves nothing", store, how));
  PetscCall(MatGramAddPasses(other, .5, 2));
  PetscCall(MatGramGetPasses(other, &passesB));
  PetscCall(MatGramGetColumnPasses(other, &columns));
  PetscCall(TapOk((PetscBool)(passesB == 1.5 && columns == 4.0), "pair, %s, %s: passes added, passes by columns", store, how));

  PetscCall(MatIsSPDKnown(B, &known, &flag));
  PetscCall(TapOk((PetscBool)(known && flag), "pair, %s, %s: B is known to be positive definite", store, how));
  PetscCall(MatIsSPDKnown(A, &known, &flag));
  PetscCall(TapOk((PetscBool)!known, "pair, %s, %s: nothing is said of A", store, how));

  PetscCall(MatDestroy(&other));
  PetscCall(MatDestroy(&BW));
  PetscCall(MatDestroy(&AW));
  PetscCall(MatDestroy(&W));
  /* B outlives A and the views */
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscCall(CreateBlock(B, 2, &W));
  PetscCall(MatMatMult(B, W, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &BW));
  PetscCall(Distance(EB, D, PETSC_FALSE, BW, &far));
  PetscCall(TapOk((PetscBool)(far < 1e-12), "pair, %s, %s: B lives on without A and the views", store, how));
  PetscCall(MatDestroy(&BW));
  PetscCall(MatDestroy(&W));
  PetscCall(MatDestroy(&B));
  PetscCall(PetscFree(EA));
  PetscCall(PetscFree(EB));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* BVMatMult() must come in as one product, not column by column */
/* Products with a block given by its parts, for one operator and for two in one sweep; the operators of one view alone */
static PetscErrorCode CheckParts(const Case *c, const char *name)
{
  PetscScalar *G;
  PetscInt     D, p = 3;
  PetscReal    worst[3] = {0.0, 0.0, 0.0}, passes[2], columns;
  Mat          A, H, W[2], Z[4];

  PetscFunctionBeginUser;
  PetscCall(Explicit(c, &G, &D));
  PetscCall(CreateOperator(c, &A));
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &H));
  PetscCall(MatScale(H, 2.0));
  for (int v = 0; v < 2; v++) {
    PetscInt first, last, m;
    Mat      X[2];

    PetscCall(MatGramGetViews(A, &X[0], &X[1]));
    PetscCall(MatGetLocalSize(X[v], NULL, &m));
    PetscCall(MatCreateDense(PETSC_COMM_WORLD, m, PETSC_DECIDE, c->d[v], p, NULL, &W[v]));
    PetscCall(MatGetOwnershipRange(W[v], &first, &last));
    for (PetscInt i = first; i < last; i++)
      for (PetscInt k = 0; k < p; k++) PetscCall(MatSetValue(W[v], i, k, Block(i + v * c->d[0], k), INSERT_VALUES));
    PetscCall(MatAssemblyBegin(W[v], MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(W[v], MAT_FINAL_ASSEMBLY));
    PetscCall(MatDuplicate(W[v], MAT_DO_NOT_COPY_VALUES, &Z[v]));
    PetscCall(MatDuplicate(W[v], MAT_DO_NOT_COPY_VALUES, &Z[2 + v]));
  }
  for (int two = 0; two < 2; two++) {
    PetscCall(MatGramGetPasses(A, &passes[0]));
    PetscCall(MatGramMultViews(A, two ? H : NULL, W[0], W[1], Z[0], Z[1], two ? Z[2] : NULL, two ? Z[3] : NULL));
    PetscCall(MatGramGetPasses(A, &passes[1]));
    PetscCall(MatGramGetColumnPasses(two ? H : A, &columns));
    PetscCall(TapOk((PetscBool)(passes[1] == passes[0] + 1.0 && columns == p), "%s, %s: counted", name, two ? "two operators by parts" : "by parts"));
    for (int z = 0; z < (two ? 4 : 2); z++) {
      PetscInt           first, last, ld, offset = z % 2 ? c->d[0] : 0;
      const PetscScalar *a;

      PetscCall(MatGetOwnershipRange(Z[z], &first, &last));
      PetscCall(MatDenseGetLDA(Z[z], &ld));
      PetscCall(MatDenseGetArrayRead(Z[z], &a));
      for (PetscInt i = first; i < last; i++) {
        for (PetscInt k = 0; k < p; k++) {
          PetscScalar sum = 0.0;

          for (PetscInt l = 0; l < D; l++) sum += G[offset + i + l * D] * Block(l, k);
          worst[two] = TapWorst(worst[two], PetscAbsScalar(a[i - first + k * ld] - (z < 2 ? 1.0 : 2.0) * sum));
        }
      }
      PetscCall(MatDenseRestoreArrayRead(Z[z], &a));
    }
    PetscCall(TapOk((PetscBool)(worst[two] < 1e-11), "%s, %s: right", name, two ? "two operators by parts" : "by parts"));
  }
  for (int v = 0; v < 2; v++) {
    PetscInt first, last, offset = v ? c->d[0] : 0;
    Vec      x, y, d;
    Mat      S;

    PetscCall(MatGramCreateView(A, v, &S));
    PetscCall(MatCreateVecs(S, &x, &y));
    PetscCall(VecDuplicate(x, &d));
    PetscCall(VecGetOwnershipRange(x, &first, &last));
    for (PetscInt i = first; i < last; i++) PetscCall(VecSetValue(x, i, Block(i, 0), INSERT_VALUES));
    PetscCall(VecAssemblyBegin(x));
    PetscCall(VecAssemblyEnd(x));
    PetscCall(MatMult(S, x, y));
    PetscCall(MatGetDiagonal(S, d));
    for (PetscInt i = first; i < last; i++) {
      PetscScalar sum = 0.0, got[2];

      for (PetscInt l = 0; l < c->d[v]; l++) sum += G[offset + i + (offset + l) * D] * Block(l, 0);
      PetscCall(VecGetValues(y, 1, &i, &got[0]));
      PetscCall(VecGetValues(d, 1, &i, &got[1]));
      worst[2] = TapWorst(worst[2], TapWorst(PetscAbsScalar(got[0] - sum), PetscAbsScalar(got[1] - G[offset + i + (offset + i) * D])));
    }
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    PetscCall(VecDestroy(&d));
    PetscCall(MatDestroy(&S));
  }
  PetscCall(TapOk((PetscBool)(worst[2] < 1e-11), "%s: the operators of one view are the diagonal blocks", name));
  for (int v = 0; v < 4; v++) PetscCall(MatDestroy(&Z[v]));
  for (int v = 0; v < 2; v++) PetscCall(MatDestroy(&W[v]));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&H));
  PetscCall(PetscFree(G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckBV(void)
{
  Case c = {
    40, {11,          7          },
     {PETSC_FALSE, PETSC_FALSE},
     -1, PETSC_FALSE, PETSC_FALSE, 1.0, 0.0, 1.0, .1, .1
  };
  Mat          G, M;
  BV           V, Z;
  Vec          x;
  PetscReal    passes, far;
  PetscInt     D, first, last;
  PetscScalar *E;

  PetscFunctionBeginUser;
  PetscCall(Explicit(&c, &E, &D));
  PetscCall(CreateOperator(&c, &G));
  PetscCall(MatCreateVecs(G, &x, NULL));
  PetscCall(BVCreate(PETSC_COMM_WORLD, &V));
  PetscCall(BVSetSizesFromVec(V, x, 6));
  PetscCall(BVSetType(V, BVMAT));
  PetscCall(BVSetMatMultMethod(V, BV_MATMULT_MAT));
  PetscCall(BVDuplicate(V, &Z));
  PetscCall(BVGetMat(V, &M));
  PetscCall(MatGetOwnershipRange(M, &first, &last));
  for (PetscInt i = first; i < last; i++)
    for (PetscInt k = 0; k < 6; k++) PetscCall(MatSetValue(M, i, k, Block(i, k), INSERT_VALUES));
  PetscCall(MatAssemblyBegin(M, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(M, MAT_FINAL_ASSEMBLY));
  PetscCall(BVRestoreMat(V, &M));
  PetscCall(BVMatMult(V, G, Z));
  PetscCall(BVMatMult(V, G, Z));
  PetscCall(MatGramGetPasses(G, &passes));
  PetscCall(BVGetMat(Z, &M));
  PetscCall(Distance(E, D, PETSC_FALSE, M, &far));
  PetscCall(BVRestoreMat(Z, &M));
  PetscCall(TapOk((PetscBool)(far < 1e-12 && passes == 2.0), "BVMatMult takes one pass for all columns"));
  PetscCall(BVDestroy(&V));
  PetscCall(BVDestroy(&Z));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&G));
  PetscCall(PetscFree(E));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The operator put together from its local rows, means and scales, as a stochastic solver sees it */
static PetscErrorCode CheckRows(PetscBool dense)
{
  Case c = {
    53, {12,    -1         },
     {dense, PETSC_FALSE},
     -1, PETSC_TRUE, PETSC_TRUE, 1.0, 0.0, 1.0, 0.0, 0.0
  };
  Mat                G, X, Y;
  PetscScalar       *E, *means, *row, *sum;
  PetscReal         *scales, far = 0.0;
  PetscInt           n, N, D;
  const PetscInt    *ia, *ja;
  const PetscScalar *a;
  PetscMPIInt        count;

  PetscFunctionBeginUser;
  PetscCall(Explicit(&c, &E, &D));
  PetscCall(CreateOperator(&c, &G));
  PetscCall(MatGramGetViews(G, &X, &Y));
  PetscCall(MatGetSize(X, &N, NULL));
  PetscCall(TapOk((PetscBool)(N == c.n && !Y), "%s rows: the view is given back, the other is NULL", dense ? "dense" : "sparse"));
  PetscCall(PetscMalloc3(D, &means, D, &scales, D, &row));
  PetscCall(PetscCalloc1(D * D, &sum));
  PetscCall(MatGramGetMeans(G, 0, means));
  PetscCall(MatGramGetScales(G, 0, scales));
  PetscCall(MatGramGetLocalRows(G, 0, &n, &ia, &ja, &a));
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j < D; j++) row[j] = dense ? a[i * D + j] : 0.0;
    if (ia)
      for (PetscInt j = ia[i]; j < ia[i + 1]; j++) row[ja[j]] = a[j];
    for (PetscInt j = 0; j < D; j++) row[j] = (row[j] - means[j]) * scales[j];
    for (PetscInt j = 0; j < D; j++)
      for (PetscInt l = 0; l < D; l++) sum[l + j * D] += PetscConj(row[l]) * row[j] / (PetscReal)c.n;
  }
  PetscCall(MatGramRestoreLocalRows(G, 0, &n, &ia, &ja, &a));
  PetscCall(PetscMPIIntCast(D * D, &count));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, count, MPIU_SCALAR, MPIU_SUM, PETSC_COMM_WORLD));
  for (PetscInt j = 0; j < D * D; j++) far = TapWorst(far, PetscAbsScalar(sum[j] - E[j]));
  PetscCall(TapOk((PetscBool)(far < 1e-12), "%s rows, means and scales make up the operator", dense ? "dense" : "sparse"));
  PetscCall(PetscFree(sum));
  PetscCall(PetscFree3(means, scales, row));
  PetscCall(PetscFree(E));
  PetscCall(MatDestroy(&G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A view that changes after the operator was made */
static PetscErrorCode CheckChange(void)
{
  Case c = {
    30, {8,           6         },
     {PETSC_FALSE, PETSC_TRUE},
     -1, PETSC_TRUE, PETSC_FALSE, 4.0, -2.0, 1.0, .1, .2
  };
  Mat          G, X, Y, W, Z;
  PetscReal    far;
  PetscInt     D;
  PetscScalar *E;

  PetscFunctionBeginUser;
  PetscCall(Explicit(&c, &E, &D)); /* S is that of X -> -2 X with S = ones */
  PetscCall(CreateOperator(&c, &G));
  PetscCall(MatGramSetCoupling(G, 1.0, 1.0, 1.0));
  PetscCall(CreateBlock(G, 3, &W));
  PetscCall(MatMatMult(G, W, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &Z));
  PetscCall(MatGramGetViews(G, &X, &Y));
  PetscCall(MatScale(X, -2.0));
  PetscCall(MatMatMult(G, W, MAT_REUSE_MATRIX, PETSC_DEFAULT, &Z));
  PetscCall(Distance(E, D, PETSC_FALSE, Z, &far));
  PetscCall(TapOk((PetscBool)(far < 1e-12), "a change of the data is noticed"));
  PetscCall(MatDestroy(&Z));
  PetscCall(MatDestroy(&W));
  PetscCall(MatDestroy(&G));
  PetscCall(PetscFree(E));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Large means: centring must not lose the digits that subtracting products of means would */
static PetscErrorCode CheckLargeMeans(void)
{
  Mat         X, G;
  Vec         x, y;
  PetscInt    first, last, n = 200;
  PetscReal   got, wanted = 0.0, mean = 0.0;
  PetscScalar dot;

  PetscFunctionBeginUser;
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, 1, NULL, &X));
  PetscCall(MatGetOwnershipRange(X, &first, &last));
  for (PetscInt i = first; i < last; i++) PetscCall(MatSetValue(X, i, 0, 1e6 + PetscSinReal((PetscReal)i), INSERT_VALUES));
  PetscCall(MatAssemblyBegin(X, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(X, MAT_FINAL_ASSEMBLY));
  for (PetscInt i = 0; i < n; i++) mean += PetscSinReal((PetscReal)i) / (PetscReal)n;
  for (PetscInt i = 0; i < n; i++) wanted += PetscSqr(PetscSinReal((PetscReal)i) - mean) / (PetscReal)n;
  PetscCall(MatCreateGram(X, NULL, &G));
  PetscCall(MatGramSetCentering(G, PETSC_TRUE));
  PetscCall(MatCreateVecs(G, &x, &y));
  PetscCall(VecSet(x, 1.0));
  PetscCall(MatMult(G, x, y));
  PetscCall(VecSum(y, &dot));
  got = PetscRealPart(dot);
  PetscCall(TapNear(got, wanted, 1e-7, "a mean a million times the deviation leaves 7 digits"));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&G));
  PetscCall(MatDestroy(&X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckBadInput(void)
{
  Case c =
         {
           12, {4,           3          },
            {PETSC_FALSE, PETSC_FALSE},
            -1, PETSC_FALSE, PETSC_FALSE, 1.0, 0.0, 1.0, 0.0, 0.0
  },
       wide = c, uneven = c;
  Mat            X, Y, Z, L, G = NULL, A = NULL, B = NULL, H;
  PetscErrorCode rows, layout = PETSC_SUCCESS, ridge, coupling, axpy, notgram;
  PetscMPIInt    size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  wide.n          = 13;
  uneven.lopsided = 0;
  PetscCall(CreateView(&c, 0, &X));
  PetscCall(CreateView(&c, 1, &Y));
  PetscCall(CreateView(&wide, 1, &Z));
  PetscCall(CreateView(&uneven, 1, &L));
  PetscCall(MatCreateGram(X, Y, &H));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  rows = MatGramSetViews(H, X, Z);
  if (size > 1) layout = MatGramSetViews(H, X, L);
  ridge    = MatCreateCCAPair(X, Y, -1.0, 0.0, PETSC_FALSE, &A, &B);
  coupling = MatGramSetCoupling(H, 1.0, (PetscReal)INFINITY, 1.0);
  notgram  = MatGramSetRidge(X, 1.0, 1.0);
  PetscCall(PetscPopErrorHandler());
  PetscCall(MatCreateGram(X, Y, &G));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  axpy = MatAXPY(H, 1.0, G, SAME_NONZERO_PATTERN);
  PetscCall(PetscPopErrorHandler());
  PetscCall(TapOk((PetscBool)(rows == PETSC_ERR_ARG_SIZ), "views with different numbers of rows are refused"));
  if (size == 1) PetscCall(TapSkip("one rank has all the rows", "views whose rows are distributed differently are refused"));
  else PetscCall(TapOk((PetscBool)(layout == PETSC_ERR_ARG_SIZ), "views whose rows are distributed differently are refused"));
  PetscCall(TapOk((PetscBool)(ridge == PETSC_ERR_ARG_OUTOFRANGE), "a negative ridge of a CCA pair is refused"));
  PetscCall(TapOk((PetscBool)(coupling == PETSC_ERR_ARG_OUTOFRANGE), "an infinite coupling is refused"));
  PetscCall(TapOk((PetscBool)(notgram == PETSC_ERR_ARG_WRONG), "another type of matrix is refused"));
  PetscCall(TapOk((PetscBool)(axpy == PETSC_ERR_SUP), "a sum of operators of different data is refused"));
  PetscCall(MatDestroy(&G));
  PetscCall(MatDestroy(&H));
  PetscCall(MatDestroy(&L));
  PetscCall(MatDestroy(&Z));
  PetscCall(MatDestroy(&Y));
  PetscCall(MatDestroy(&X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  /*                       n, d1, d2, storage of X, Y,      lopsided,   centre,      scale,    s11,  s12, s22,  r1, r2 */
  const Case one = {
    70, {23,          -1         },
     {PETSC_FALSE, PETSC_FALSE},
     -1, PETSC_FALSE, PETSC_FALSE, 1.0, 0.0, 1.0, .3, 0.0
  };
  const Case onedense = {
    70, {23,         -1         },
     {PETSC_TRUE, PETSC_FALSE},
     -1, PETSC_TRUE, PETSC_FALSE, 2.0, 0.0, 1.0, .3, 0.0
  };
  const Case sparse = {
    600, {31,          19         },
     {PETSC_FALSE, PETSC_FALSE},
     -1, PETSC_FALSE, PETSC_FALSE, 1.2, -1.0, 1.2, .1, .2
  };
  const Case dense = {
    600, {31,         19        },
     {PETSC_TRUE, PETSC_TRUE},
     -1, PETSC_FALSE, PETSC_FALSE, 1.2, -1.0, 1.2, .1, .2
  };
  const Case mixed = {
    70, {13,         19         },
     {PETSC_TRUE, PETSC_FALSE},
     -1, PETSC_FALSE, PETSC_FALSE, 1.0, 0.0, 1.0, .1, .2
  };
  const Case cross = {
    70, {13,          19        },
     {PETSC_FALSE, PETSC_TRUE},
     -1, PETSC_FALSE, PETSC_FALSE, 0.0, 1.0, 0.0, 0.0, 0.0
  };
  const Case centered = {
    70, {13,          19         },
     {PETSC_FALSE, PETSC_FALSE},
     -1, PETSC_TRUE, PETSC_FALSE, .5, 2.0, -1.0, .1, .2
  };
  const Case scaled = {
    70, {13,          19        },
     {PETSC_FALSE, PETSC_TRUE},
     -1, PETSC_FALSE, PETSC_TRUE, .5, 2.0, -1.0, .1, .2
  };
  const Case both = {
    70, {13,          19        },
     {PETSC_FALSE, PETSC_TRUE},
     -1, PETSC_TRUE, PETSC_TRUE, .5, 2.0, -1.0, .1, .2
  };
  const Case bothsparse = {
    70, {13,          19         },
     {PETSC_FALSE, PETSC_FALSE},
     1, PETSC_TRUE, PETSC_TRUE, .5, 2.0, -1.0, .1, .2
  };
  const Case lopsided = {
    70, {13,          19        },
     {PETSC_FALSE, PETSC_TRUE},
     1, PETSC_TRUE, PETSC_FALSE, 1.0, 1.0, 1.0, .1, .2
  };
  const Case tiny = {
    2, {1,           1          },
     {PETSC_FALSE, PETSC_FALSE},
     -1, PETSC_FALSE, PETSC_FALSE, 1.0, .5, 1.0, .1, .2
  };
  const Case empty = {
    9, {0,           3         },
     {PETSC_FALSE, PETSC_TRUE},
     -1, PETSC_TRUE, PETSC_FALSE, 1.0, .5, 1.0, .1, .2
  };
  const Case single = {
    9, {5,          1          },
     {PETSC_TRUE, PETSC_FALSE},
     0, PETSC_FALSE, PETSC_FALSE, 1.0, 0.0, 0.0, .1, .2
  };

  PetscFunctionBeginUser;
  PetscCall(TapBegin(&argc, &argv));
  for (int shared = 1; shared >= 0; shared--) {
    PetscMPIInt size;

    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
    if (!shared && size == 1) break;
    PetscCall(PetscOptionsSetValue(NULL, "-mat_gram_shared_memory", shared ? "1" : "0"));
    if (size > 1) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s\n", shared ? "shared memory, where ranks share a node" : "messages"));
    PetscCall(CheckCase(&one, "one view"));
    PetscCall(CheckCase(&onedense, "one dense view, centered"));
    PetscCall(CheckCase(&sparse, "two sparse views"));
    PetscCall(CheckCase(&dense, "two dense views"));
    PetscCall(CheckCase(&mixed, "dense and sparse"));
    PetscCall(CheckCase(&cross, "A of CCA"));
    PetscCall(CheckCase(&centered, "centered"));
    PetscCall(CheckCase(&scaled, "scaled"));
    PetscCall(CheckCase(&both, "centered and scaled"));
    PetscCall(CheckCase(&bothsparse, "centered and scaled, sparse, samples on one rank"));
    PetscCall(CheckCase(&lopsided, "samples on one rank"));
    PetscCall(CheckCase(&tiny, "fewer samples and columns than ranks"));
    PetscCall(CheckCase(&empty, "a view without columns"));
    PetscCall(CheckCase(&single, "one column, not coupled"));
    PetscCall(CheckPair(PETSC_FALSE, PETSC_FALSE));
    PetscCall(CheckPair(PETSC_TRUE, PETSC_TRUE));
    PetscCall(CheckParts(&sparse, "two sparse views"));
    PetscCall(CheckParts(&mixed, "dense and sparse"));
    PetscCall(CheckParts(&both, "centered and scaled"));
    PetscCall(CheckParts(&lopsided, "samples on one rank"));
    PetscCall(CheckParts(&tiny, "fewer samples and columns than ranks"));
    PetscCall(CheckBV());
  }
  PetscCall(CheckRows(PETSC_FALSE));
  PetscCall(CheckRows(PETSC_TRUE));
  PetscCall(CheckChange());
  PetscCall(CheckLargeMeans());
  PetscCall(CheckBadInput());
  return TapEnd();
}
