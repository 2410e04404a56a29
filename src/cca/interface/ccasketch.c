/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA: a view on one rank, for the permutations of large data, and a sketch of its covariance.

   For any E, C = X'X/n >= C E (E'C E)^{-1} E'C (Nystroem; the difference is a Schur complement). With E = C times random vectors, it has nearly the largest eigenvalues
   and vectors of C, and S = C + g I >= g I + Q diag(lambda) Q', a matrix whose powers are at hand: a bound of S from below, and its preconditioner
   (Z. Frangella, J. A. Tropp and M. Udell, 2021). It is made once for all permutations.
*/
#include <slepcnapi/private/ccasketch.h>
#include <slepcnapi/private/gramimpl.h>

/* Columns of the sketch: more make the bound sharper and solves shorter, at the price of dense work, which at 64 is about that of a product with 60 nonzeros a sample */
#define CCA_SKETCH_COLUMNS 64

/* Of the Gram matrix of the sketch, what is smaller is left out: that only lowers the bound */
#define CCA_SKETCH_NEGLIGIBLE 1e-8

/* ------------------------------------------------- products ------------------------------------------------- */

/* CCASketchedScores_Private - t = X u, centred and scaled, n x CCA_WIDTH */
PetscErrorCode CCASketchedScores_Private(CCASketched *s, const PetscScalar *u, PetscScalar *t)
{
  PetscScalar shift[CCA_WIDTH] = {0.0};

  PetscFunctionBegin;
  for (PetscInt j = 0; j < s->d; j++) {
    for (int c = 0; c < CCA_WIDTH; c++) {
      s->scaled[j * CCA_WIDTH + c] = s->scale[j] * u[j * CCA_WIDTH + c];
      shift[c] += s->mean[j] * s->scaled[j * CCA_WIDTH + c];
    }
  }
  if (!s->sparse) PetscCall(NAPIGemm("N", "T", CCA_WIDTH, s->n, s->d, 1.0, s->scaled, CCA_WIDTH, s->a, s->lda, 0.0, t, CCA_WIDTH));
  for (PetscInt i = 0; i < s->n; i++) {
    PetscScalar sum[CCA_WIDTH] = {0.0};

    for (PetscInt l = s->sparse ? s->ia[i] : 0; l < (s->sparse ? s->ia[i + 1] : 0); l++) {
      const PetscScalar *x = s->scaled + s->ja[l] * CCA_WIDTH, a = s->a[l];

      for (int c = 0; c < CCA_WIDTH; c++) sum[c] += a * x[c];
    }
    for (int c = 0; c < CCA_WIDTH; c++) t[i * CCA_WIDTH + c] = (s->sparse ? sum[c] : t[i * CCA_WIDTH + c]) - shift[c];
  }
  PetscCall(PetscLogFlops(2.0 * CCA_WIDTH * (s->sparse ? (PetscLogDouble)s->ia[s->n] : 0.0)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* CCASketchedBack_Private - u = X't/n, or with the shares of the samples in the place of 1/n; t is used up */
PetscErrorCode CCASketchedBack_Private(CCASketched *s, PetscScalar *t, PetscScalar *u)
{
  PetscScalar sum[CCA_WIDTH] = {0.0};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->n; i++)
    for (int c = 0; c < CCA_WIDTH; c++) t[i * CCA_WIDTH + c] *= s->share[i];
  if (s->sparse) PetscCall(PetscArrayzero(u, s->d * CCA_WIDTH));
  else PetscCall(NAPIGemm("N", "N", CCA_WIDTH, s->d, s->n, 1.0, t, CCA_WIDTH, s->a, s->lda, 0.0, u, CCA_WIDTH));
  for (PetscInt i = 0; i < s->n; i++) {
    const PetscScalar *x = t + i * CCA_WIDTH;

    for (int c = 0; c < CCA_WIDTH; c++) sum[c] += x[c];
    for (PetscInt l = s->sparse ? s->ia[i] : 0; l < (s->sparse ? s->ia[i + 1] : 0); l++) {
      PetscScalar *y = u + s->ja[l] * CCA_WIDTH, a = s->a[l];

      for (int c = 0; c < CCA_WIDTH; c++) y[c] += a * x[c];
    }
  }
  for (PetscInt j = 0; j < s->d; j++)
    for (int c = 0; c < CCA_WIDTH; c++) u[j * CCA_WIDTH + c] = s->scale[j] * (u[j * CCA_WIDTH + c] - s->mean[j] * sum[c]);
  PetscCall(PetscLogFlops(2.0 * CCA_WIDTH * (s->sparse ? (PetscLogDouble)s->ia[s->n] : 0.0)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* CCASketchedPower_Private - y = (g I + Q diag(lambda) Q')^power x; y may be x */
PetscErrorCode CCASketchedPower_Private(CCASketched *s, PetscReal power, const PetscScalar *x, PetscScalar *y)
{
  const PetscReal rest = PetscPowReal(s->ridge, power);

  PetscFunctionBegin;
  PetscCall(NAPIGemm("N", "N", CCA_WIDTH, s->m, s->d, 1.0, x, CCA_WIDTH, s->Q, s->d, 0.0, s->c, CCA_WIDTH));
  for (PetscInt j = 0; j < s->m; j++) {
    const PetscReal f = PetscPowReal(s->lambda[j] + s->ridge, power) - rest;

    for (int c = 0; c < CCA_WIDTH; c++) s->c[j * CCA_WIDTH + c] *= f;
  }
  for (PetscInt i = 0; i < s->d * CCA_WIDTH; i++) y[i] = rest * x[i];
  PetscCall(NAPIGemm("N", "T", CCA_WIDTH, s->d, s->m, 1.0, s->c, CCA_WIDTH, s->Q, s->d, 1.0, y, CCA_WIDTH));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- the sketch ------------------------------------------------- */

/* F := C E for m columns, by columns, CCA_WIDTH of them at a time */
static PetscErrorCode CCASketch_Covariance(CCASketched *s, PetscInt m, const PetscScalar *E, PetscScalar *F)
{
  PetscScalar *block, *t;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(s->d * CCA_WIDTH, &block, s->n * CCA_WIDTH, &t));
  for (PetscInt first = 0; first < m; first += CCA_WIDTH) {
    const PetscInt w = PetscMin(CCA_WIDTH, m - first);

    for (PetscInt j = 0; j < s->d; j++)
      for (PetscInt c = 0; c < CCA_WIDTH; c++) block[j * CCA_WIDTH + c] = c < w ? E[j + (first + c) * s->d] : 0.0;
    PetscCall(CCASketchedScores_Private(s, block, t));
    PetscCall(CCASketchedBack_Private(s, t, block));
    for (PetscInt j = 0; j < s->d; j++)
      for (PetscInt c = 0; c < w; c++) F[j + (first + c) * s->d] = block[j * CCA_WIDTH + c];
  }
  PetscCall(PetscFree2(block, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* F := F V D^{-1/2}, V D V' being A'F without what is negligible; m becomes what is left, D the larger eigenvalues. A may be F; E is where F goes to */
static PetscErrorCode CCASketch_Normalize(PetscInt d, PetscInt *m, const PetscScalar *A, const PetscScalar *F, PetscReal *D, PetscScalar *E)
{
  const PetscInt n = *m;
  PetscScalar   *G;
  PetscInt       kept = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(n * n, &G));
  PetscCall(NAPIGemmTall(d, n, n, A, d, F, d, G, n));
  PetscCall(NAPIHermitianPart(0, n, G, n, G, n, NULL));
  PetscCall(NAPIEigen(n, G, n, D));
  for (PetscInt j = 0; j < n; j++) {
    if (!(D[j] > CCA_SKETCH_NEGLIGIBLE * D[n - 1])) continue;
    for (PetscInt i = 0; i < n; i++) G[i + kept * n] = G[i + j * n] / PetscSqrtReal(D[j]);
    D[kept++] = D[j];
  }
  PetscCall(NAPIGemm("N", "N", d, kept, n, 1.0, F, d, G, n, 0.0, E, d));
  PetscCall(PetscFree(G));
  *m = kept;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CCASketch_Build(CCASketched *s)
{
  PetscInt     m = PetscMin(CCA_SKETCH_COLUMNS, s->d);
  PetscScalar *E, *F;
  CCARandom    random;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(s->d * m, &s->Q, m, &s->lambda, CCA_WIDTH * m, &s->c));
  PetscCall(PetscMalloc2(s->d * m, &E, s->d * m, &F));
  CCARandomBegin_Private(&random, 0, 0, 1);
  for (PetscInt i = 0; i < s->d * m; i++) E[i] = CCARandomNormal_Private(&random);
  PetscCall(CCASketch_Covariance(s, m, E, F));
  PetscCall(CCASketch_Normalize(s->d, &m, F, F, s->lambda, E));    /* E: a basis of C times random vectors */
  PetscCall(CCASketch_Covariance(s, m, E, F));                     /* F = C E */
  PetscCall(CCASketch_Normalize(s->d, &m, E, F, s->lambda, s->Q)); /* C E (E'C E)^{-1/2} in Q, for a while */
  PetscCall(PetscArraycpy(F, s->Q, s->d * m));
  PetscCall(CCASketch_Normalize(s->d, &m, F, F, s->lambda, s->Q)); /* = Q diag(lambda)^{1/2} times a rotation */
  s->m = m;
  PetscCall(PetscFree2(E, F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- creation ------------------------------------------------- */

/* All samples on every rank */
static PetscErrorCode CCASketch_Gather(Mat X, CCASketched *s)
{
  PetscMPIInt size;
  PetscBool   aij, dense;
  PetscInt    rows;
  Mat         own, *all;
  IS          is[2];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)X), &size));
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)X, &aij, MATSEQAIJ, MATMPIAIJ, ""));
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)X, &dense, MATSEQDENSE, MATMPIDENSE, ""));
  if (aij || dense) {
    own = X;
    PetscCall(PetscObjectReference((PetscObject)X));
  } else PetscCall(MatConvert(X, MATAIJ, MAT_INITIAL_MATRIX, &own));
  if (size > 1) {
    PetscCall(ISCreateStride(PETSC_COMM_SELF, s->n, 0, 1, &is[0]));
    PetscCall(ISCreateStride(PETSC_COMM_SELF, s->d, 0, 1, &is[1]));
    PetscCall(MatCreateSubMatrices(own, 1, &is[0], &is[1], MAT_INITIAL_MATRIX, &all));
    s->all = all[0];
    PetscCall(PetscObjectReference((PetscObject)s->all));
    PetscCall(MatDestroySubMatrices(1, &all));
    for (int i = 0; i < 2; i++) PetscCall(ISDestroy(&is[i]));
    PetscCall(MatDestroy(&own));
  } else s->all = own;
  s->sparse = (PetscBool)!dense;
  if (s->sparse) {
    PetscCall(MatGetRowIJ(s->all, 0, PETSC_FALSE, PETSC_FALSE, &rows, &s->ia, &s->ja, &aij));
    PetscCheck(aij, PETSC_COMM_SELF, PETSC_ERR_SUP, "No access to the rows of a matrix of type %s", ((PetscObject)s->all)->type_name);
    PetscCall(MatSeqAIJGetArrayRead(s->all, &s->a));
  } else {
    PetscCall(MatDenseGetArrayRead(s->all, &s->a));
    PetscCall(MatDenseGetLDA(s->all, &s->lda));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* CCASketchedCreate_Private - View 0 or 1 of an object that has been set up, all of it on every rank. Collective */
PetscErrorCode CCASketchedCreate_Private(CCA cca, int view, CCASketched *s)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(s, sizeof(*s)));
  s->n     = cca->n;
  s->d     = cca->d[view];
  s->ridge = cca->ridge[view];
  PetscCall(CCASketch_Gather(view ? cca->Y : cca->X, s));
  PetscCall(PetscCalloc4(s->d, &s->mean, s->d, &s->scale, s->n, &s->share, s->d * CCA_WIDTH, &s->scaled));
  PetscCall(CCAGetShares_Private(cca, s->share));
  if (cca->center) PetscCall(MatGramGetMeans(cca->B, view, s->mean));
  PetscCall(MatGramGetFactors_Private(cca->B, view, s->scale));
  PetscCall(CCASketch_Build(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CCASketchedDestroy_Private(CCASketched *s)
{
  PetscInt  rows;
  PetscBool done;

  PetscFunctionBegin;
  if (s->sparse) {
    PetscCall(MatSeqAIJRestoreArrayRead(s->all, &s->a));
    PetscCall(MatRestoreRowIJ(s->all, 0, PETSC_FALSE, PETSC_FALSE, &rows, &s->ia, &s->ja, &done));
  } else PetscCall(MatDenseRestoreArrayRead(s->all, &s->a));
  PetscCall(MatDestroy(&s->all));
  PetscCall(PetscFree4(s->mean, s->scale, s->share, s->scaled));
  PetscCall(PetscFree3(s->Q, s->lambda, s->c));
  PetscFunctionReturn(PETSC_SUCCESS);
}
