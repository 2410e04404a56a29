/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Without ridge canonical correlations do not depend on the units of the columns: one of them times 1e-12 to 1e12 changes
   nothing but the directions, which are multiplied by the inverse; nor does the scale of all the data, as far as there are
   numbers for it. What is constant, or depends on other columns, is left out, whatever its size.
*/
#include "ccadata.h"

#define MAXK 4

/* What a solution is compared by */
typedef struct {
  CCAConvergedReason reason;
  PetscInt           nconv;
  PetscReal          rho[MAXK], a, b;
  Mat                W[2], scores;
} Answer;

static PetscErrorCode AnswerDestroy(Answer *w)
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(&w->W[0]));
  PetscCall(MatDestroy(&w->W[1]));
  PetscCall(MatDestroy(&w->scores));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve(Mat X, Mat Y, const char *type, PetscInt k, const PetscReal ridge[2], PetscBool center, PetscReal tol, const Mat start[2], Answer *w)
{
  Mat U, V;
  CCA cca;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(w, sizeof(*w)));
  PetscCall(CCACreate(PETSC_COMM_WORLD, &cca));
  PetscCall(CCASetData(cca, X, Y));
  PetscCall(CCASetType(cca, type));
  PetscCall(CCASetDimensions(cca, k));
  PetscCall(CCASetRegularization(cca, ridge[0], ridge[1]));
  PetscCall(CCASetCentering(cca, center));
  PetscCall(CCASetTolerances(cca, tol, PETSC_DECIDE));
  if (start) PetscCall(CCASetInitialDirections(cca, start[0], start[1]));
  PetscCall(CCASetFromOptions(cca));
  PetscCall(CCASolve(cca));
  PetscCall(CCAGetConvergedReason(cca, &w->reason));
  PetscCall(CCAGetConverged(cca, &w->nconv));
  PetscCall(CCAGetApplications(cca, &w->a, &w->b, NULL));
  for (PetscInt i = 0; i < w->nconv; i++) PetscCall(CCAGetCorrelation(cca, i, &w->rho[i]));
  if (w->nconv) {
    PetscCall(CCAGetDirections(cca, &U, &V));
    PetscCall(MatDuplicate(U, MAT_COPY_VALUES, &w->W[0]));
    PetscCall(MatDuplicate(V, MAT_COPY_VALUES, &w->W[1]));
    PetscCall(CCATransform(cca, NULL, NULL, &w->scores, NULL));
  }
  PetscCall(CCADestroy(&cca));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* M with column j multiplied by c, all columns for j < 0 */
static PetscErrorCode Scaled(Mat M, PetscInt j, PetscReal c, Mat *N)
{
  Vec s;

  PetscFunctionBegin;
  PetscCall(MatDuplicate(M, MAT_COPY_VALUES, N));
  PetscCall(MatCreateVecs(M, &s, NULL));
  PetscCall(VecSet(s, j < 0 ? c : 1.0));
  if (j >= 0) PetscCall(VecSetValue(s, j, c, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(s));
  PetscCall(VecAssemblyEnd(s));
  PetscCall(MatDiagonalScale(*N, NULL, s));
  PetscCall(VecDestroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The numbers of modulus one by which pairs of complex data may differ: those of b'a */
static PetscErrorCode Phases(Mat A, Mat B, PetscInt k, PetscScalar phase[])
{
  PetscFunctionBegin;
  for (PetscInt l = 0; l < k; l++) {
    Vec a, b;

    phase[l] = 1.0;
    if (!PetscDefined(USE_COMPLEX)) continue;
    PetscCall(MatDenseGetColumnVecRead(A, l, &a));
    PetscCall(MatDenseGetColumnVecRead(B, l, &b));
    PetscCall(VecDot(b, a, &phase[l]));
    PetscCall(MatDenseRestoreColumnVecRead(B, l, &b));
    PetscCall(MatDenseRestoreColumnVecRead(A, l, &a));
    phase[l] /= PetscAbsScalar(phase[l]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest |a - b|/max |b| of the first k columns, those of a with row j (all rows for j < 0) multiplied by c beforehand */
static PetscErrorCode Distance(Mat A, Mat B, PetscInt k, const PetscScalar phase[], PetscInt j, PetscReal c, PetscReal *far)
{
  const PetscScalar *a, *b;
  PetscInt           m, first, lda, ldb;
  PetscReal          most[2] = {0.0, 0.0};

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(A, &m, NULL));
  PetscCall(MatGetOwnershipRange(A, &first, NULL));
  PetscCall(MatDenseGetLDA(A, &lda));
  PetscCall(MatDenseGetLDA(B, &ldb));
  PetscCall(MatDenseGetArrayRead(A, &a));
  PetscCall(MatDenseGetArrayRead(B, &b));
  for (PetscInt l = 0; l < k; l++) {
    for (PetscInt i = 0; i < m; i++) {
      const PetscReal d = PetscAbsScalar((j < 0 || j == first + i ? c : 1.0) * phase[l] * a[i + l * lda] - b[i + l * ldb]);

      if (!(d <= most[0])) most[0] = PetscIsNanReal(d) ? PETSC_INFINITY : d;
      most[1] = PetscMax(most[1], PetscAbsScalar(b[i + l * ldb]));
    }
  }
  PetscCall(MatDenseRestoreArrayRead(B, &b));
  PetscCall(MatDenseRestoreArrayRead(A, &a));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 2, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
  *far = most[1] > 0.0 ? most[0] / most[1] : PETSC_INFINITY;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* got is known, except that column j of view 0 (all, for j < 0) was multiplied by c */
static PetscErrorCode Same(const Answer *got, const Answer *known, PetscInt k, PetscInt j, PetscReal c, PetscReal tol, const char *what)
{
  PetscReal   far[4] = {0.0, PETSC_INFINITY, PETSC_INFINITY, PETSC_INFINITY};
  PetscScalar phase[MAXK];
  PetscBool   right = (PetscBool)(got->reason == known->reason && got->nconv == known->nconv && known->nconv == k);

  PetscFunctionBegin;
  if (right) {
    for (PetscInt i = 0; i < k; i++) {
      const PetscReal d = PetscAbsReal(got->rho[i] - known->rho[i]) / known->rho[i];

      if (!(d <= far[0])) far[0] = d;
    }
    PetscCall(Phases(got->W[1], known->W[1], k, phase));
    PetscCall(Distance(got->W[0], known->W[0], k, phase, j, c, &far[1]));
    PetscCall(Distance(got->W[1], known->W[1], k, phase, -1, 1.0, &far[2]));
    PetscCall(Distance(got->scores, known->scores, k, phase, -1, 1.0, &far[3]));
  }
  PetscCall(TapOk((PetscBool)(right && far[0] <= 1e-10 && far[1] <= tol && far[2] <= tol && far[3] <= tol), "%s", what));
  if (!(right && far[0] <= 1e-10 && far[1] <= tol && far[2] <= tol && far[3] <= tol))
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s with %d pairs, wanted %s with %d; %.12f, wanted %.12f; off by %g, directions %g %g, scores %g\n", CCAConvergedReasons[got->reason], (int)got->nconv, CCAConvergedReasons[known->reason], (int)k,
                          (double)got->rho[0], (double)known->rho[0], (double)far[0], (double)far[1], (double)far[2], (double)far[3]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One column of X times anything, and another one, types, storage, centring, shape, ridge of the other view */
static PetscErrorCode OneColumn(void)
{
  const struct {
    PetscInt    n, d1, d2, k;
    PetscBool   dense, center;
    PetscReal   ry;
    const char *name;
  } cases[] = {
    {80, 9,  7, 3, PETSC_TRUE,  PETSC_FALSE, 0.0, "dense"                    },
    {80, 9,  7, 3, PETSC_TRUE,  PETSC_TRUE,  0.0, "dense, centered"          },
    {80, 9,  7, 3, PETSC_FALSE, PETSC_FALSE, 0.0, "sparse"                   },
    {80, 9,  7, 3, PETSC_FALSE, PETSC_TRUE,  0.0, "sparse, centered"         },
    {80, 7,  9, 2, PETSC_TRUE,  PETSC_TRUE,  0.1, "a ridge for Y only"       },
    {30, 40, 5, 2, PETSC_FALSE, PETSC_TRUE,  0.1, "more columns than samples"}
  };
  static const char *const types[]   = {CCADIRECT, CCANAPI, CCAEPS};
  const PetscReal          factors[] = {1e-12, 1e-5, 1e3, 1e12};
  PetscMPIInt              size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (size_t c = 0; c < PETSC_STATIC_ARRAY_LENGTH(cases); c++) {
    const PetscReal ridge[2] = {0.0, cases[c].ry};
    Mat             X, Y, Z;

    PetscCall(NoisyView(PETSC_COMM_WORLD, cases[c].n, cases[c].d1, 0.5, 11, 3, cases[c].dense, &X));
    PetscCall(NoisyView(PETSC_COMM_WORLD, cases[c].n, cases[c].d2, 0.5, 12, 3, cases[c].dense, &Y));
    for (int t = 0; t < 3; t++) {
      const PetscBool wide = (PetscBool)(cases[c].d1 > cases[c].n);
      Answer          known, got;
      char            what[256];

      PetscCall(Solve(X, Y, types[t], cases[c].k, ridge, cases[c].center, 1e-9, NULL, &known));
      for (size_t f = 0; f < PETSC_STATIC_ARRAY_LENGTH(factors); f++) {
        const PetscInt j = f % 2 ? 0 : 2;

        if (wide && (t || f)) continue;  /* these directions are not unique */
        if (size > 2 && f % 3) continue; /* three ranks on two cores take their time */
        PetscCall(Scaled(X, j, factors[f], &Z));
        PetscCall(Solve(Z, Y, types[t], cases[c].k, ridge, cases[c].center, 1e-9, NULL, &got));
        PetscCall(PetscSNPrintf(what, sizeof(what), "%s, %s: column %d times %g changes nothing", types[t], cases[c].name, (int)j, (double)factors[f]));
        PetscCall(Same(&got, &known, cases[c].k, j, factors[f], wide ? 1e30 : 1e-6, what));
        PetscCall(AnswerDestroy(&got));
        PetscCall(MatDestroy(&Z));
      }
      PetscCall(AnswerDestroy(&known));
    }
    PetscCall(MatDestroy(&X));
    PetscCall(MatDestroy(&Y));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All of X or Y times anything: squares underflow and overflow from 1e154 on */
static PetscErrorCode WholeData(void)
{
  static const char *const types[]   = {CCADIRECT, CCANAPI, CCAEPS};
  const PetscReal          factors[] = {1e-280, 1e-160, 1e160, 1e280}, none[2] = {0.0, 0.0};
  PetscMPIInt              size;
  Mat                      X, Y, Z;
  CCA                      cca;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (sizeof(PetscReal) < sizeof(double)) {
    PetscCall(TapSkip("no such numbers in single precision", "the scale of all the data"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (int dense = 0; dense < 2; dense++) {
    for (int t = 0; t < 3; t++) {
      Answer known, got;
      char   what[256];

      PetscCall(NoisyView(PETSC_COMM_WORLD, 70, 8, 0.5, 21, 3, (PetscBool)dense, &X));
      PetscCall(NoisyView(PETSC_COMM_WORLD, 70, 6, 0.5, 22, 3, (PetscBool)dense, &Y));
      PetscCall(Solve(X, Y, types[t], 2, none, PETSC_TRUE, 1e-9, NULL, &known));
      for (size_t f = 0; f < PETSC_STATIC_ARRAY_LENGTH(factors); f++) {
        if (size > 2 && f % 3) continue;
        PetscCall(Scaled(X, -1, factors[f], &Z));
        PetscCall(Solve(Z, Y, types[t], 2, none, PETSC_TRUE, 1e-9, NULL, &got));
        PetscCall(PetscSNPrintf(what, sizeof(what), "%s, %s: all of X times %g changes nothing", types[t], dense ? "dense" : "sparse", (double)factors[f]));
        PetscCall(Same(&got, &known, 2, -1, factors[f], 1e-6, what));
        PetscCall(AnswerDestroy(&got));
        PetscCall(MatDestroy(&Z));
      }
      PetscCall(AnswerDestroy(&known));
      PetscCall(MatDestroy(&X));
      PetscCall(MatDestroy(&Y));
    }
  }
  /* with a ridge squares must be numbers, and tiny data have no correlation; beyond 1e290 there are none without it */
  PetscCall(NoisyView(PETSC_COMM_WORLD, 70, 8, 0.5, 21, 3, PETSC_TRUE, &X));
  PetscCall(NoisyView(PETSC_COMM_WORLD, 70, 6, 0.5, 22, 3, PETSC_TRUE, &Y));
  for (int i = 0; i < 4; i++) {
    const PetscReal factor[] = {1e160, 1e-300, 1e300, 1e-160};
    const PetscReal ridge    = i % 3 ? 0.0 : 1e-3;

    PetscCall(Scaled(X, -1, factor[i], &Z));
    PetscCall(CCACreate(PETSC_COMM_WORLD, &cca));
    PetscCall(CCASetData(cca, Z, Y));
    PetscCall(CCASetType(cca, CCANAPI));
    PetscCall(CCASetRegularization(cca, ridge, ridge));
    PetscCall(CCASetCentering(cca, PETSC_FALSE));
    if (i == 0) TapFails(CCASolve(cca), PETSC_ERR_FP, "finite number", "X times 1e160 with a ridge: refused");
    else if (i < 3) TapFails(CCASolve(cca), PETSC_ERR_FP, "use other units", i == 1 ? "X times 1e-300: refused" : "X times 1e300: refused");
    else {
      CCAConvergedReason reason;
      PetscReal          rho;

      PetscCall(CCASolve(cca));
      PetscCall(CCAGetConvergedReason(cca, &reason));
      PetscCall(CCAGetCorrelation(cca, 0, &rho));
      PetscCall(TapOk((PetscBool)(reason > 0 && rho >= 0.0 && rho < 1e-150), "X times 1e-160 with a ridge: no correlation"));
    }
    PetscCall(CCADestroy(&cca));
    PetscCall(MatDestroy(&Z));
  }
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Population, income and a rate, of which the last one is what Y knows of */
static PetscErrorCode Countries(void)
{
  static const char *const types[] = {CCADIRECT, CCANAPI, CCAEPS};
  const PetscReal          size[] = {5e7, 4e4, 1e-3}, none[2] = {0.0, 0.0};
  PetscInt                 first, last;
  Mat                      X, Y, Z;

  PetscFunctionBegin;
  PetscCall(NoisyView(PETSC_COMM_WORLD, 60, 2, 1.1, 32, 0, PETSC_TRUE, &Y));
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, 60, 3, NULL, &X));
  PetscCall(MatGetOwnershipRange(X, &first, &last));
  for (PetscInt i = first; i < last; i++)
    for (PetscInt j = 0; j < 3; j++) PetscCall(MatSetValue(X, i, j, size[j] * (3.0 + (j == 2 ? Hash(i, 0, 32) + 0.3 * Hash(i, 1, 33) : Hash(i, j, 31))), INSERT_VALUES));
  PetscCall(MatAssemblyBegin(X, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(X, MAT_FINAL_ASSEMBLY));
  PetscCall(Scaled(X, 2, 1e7, &Z));
  for (int t = 0; t < 3; t++) {
    Answer known, got;
    char   what[256];

    PetscCall(Solve(Z, Y, types[t], 2, none, PETSC_TRUE, 1e-9, NULL, &known));
    PetscCall(Solve(X, Y, types[t], 2, none, PETSC_TRUE, 1e-9, NULL, &got));
    PetscCall(PetscSNPrintf(what, sizeof(what), "%s: a rate counts as much as a population", types[t]));
    PetscCall(Same(&got, &known, 2, 2, 1e-7, 1e-6, what));
    PetscCall(TapOk((PetscBool)(got.rho[0] > 0.9), "%s: and is what the other view knows of", types[t]));
    PetscCall(AnswerDestroy(&got));
    PetscCall(AnswerDestroy(&known));
  }
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscCall(MatDestroy(&Z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* [M, c M(:,0), constant] */
static PetscErrorCode Extended(Mat M, PetscReal c, PetscReal constant, Mat *N)
{
  PetscInt  n, d, first, last, m;
  PetscBool dense;

  PetscFunctionBegin;
  PetscCall(MatGetSize(M, &n, &d));
  PetscCall(MatGetLocalSize(M, &m, NULL));
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)M, &dense, MATSEQDENSE, MATMPIDENSE, ""));
  PetscCall(MatCreate(PETSC_COMM_WORLD, N));
  PetscCall(MatSetSizes(*N, m, PETSC_DECIDE, n, d + 2));
  PetscCall(MatSetType(*N, dense ? MATDENSE : MATAIJ));
  PetscCall(MatSetUp(*N));
  PetscCall(MatSetOption(*N, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(MatGetOwnershipRange(M, &first, &last));
  for (PetscInt i = first; i < last; i++) {
    const PetscInt    *cols;
    const PetscScalar *a;
    PetscInt           nz;

    PetscCall(MatGetRow(M, i, &nz, &cols, &a));
    for (PetscInt l = 0; l < nz; l++) {
      PetscCall(MatSetValue(*N, i, cols[l], a[l], INSERT_VALUES));
      if (!cols[l]) PetscCall(MatSetValue(*N, i, d, c * a[l], INSERT_VALUES));
    }
    PetscCall(MatRestoreRow(M, i, &nz, &cols, &a));
    PetscCall(MatSetValue(*N, i, d + 1, constant, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*N, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*N, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   A copy of a column in other units, and a constant one, huge or a number that is none in binary: 20000 samples, so that
   the sums are off by more than a few last digits. If rounding were taken for data the constants of both views would be
   perfectly correlated.
*/
static PetscErrorCode Dependent(void)
{
  static const char *const types[] = {CCADIRECT, CCANAPI, CCAEPS};
  const PetscReal          none[2] = {0.0, 0.0};

  PetscFunctionBegin;
  for (int dense = 0; dense < 2; dense++) {
    for (int t = 0; t < 3; t++) {
      for (int huge = 0; huge < 2; huge++) {
        const PetscInt n = huge ? 80 : 20000;
        Answer         known, got;
        PetscReal      far = 0.0;
        Mat            X, Y, Z[2];

        PetscCall(NoisyView(PETSC_COMM_WORLD, n, 5, 0.5, 41, 3, (PetscBool)dense, &X));
        PetscCall(NoisyView(PETSC_COMM_WORLD, n, 4, 0.5, 42, 3, (PetscBool)dense, &Y));
        PetscCall(Extended(X, 1e9, huge ? 1e14 / 3.0 : 0.1, &Z[0]));
        PetscCall(Extended(Y, 1e-9, huge ? 1e14 / 3.0 : 0.1, &Z[1]));
        PetscCall(Solve(X, Y, CCADIRECT, 4, none, PETSC_TRUE, 1e-8, NULL, &known));
        PetscCall(Solve(Z[0], Z[1], types[t], t == 2 ? 3 : 4, none, PETSC_TRUE, 1e-8, NULL, &got));
        for (PetscInt i = 0; i < got.nconv; i++)
          if (!(PetscAbsReal(got.rho[i] - known.rho[i]) <= far)) far = PetscAbsReal(got.rho[i] - known.rho[i]);
        PetscCall(TapOk((PetscBool)(got.reason > 0 && got.nconv == (t == 2 ? 3 : 4) && far < 1e-9), "%s, %s: a copy times 1e9 and a constant %s change nothing", types[t], dense ? "dense" : "sparse", huge ? "of 3e13" : "of .1 in many samples"));
        if (!(far < 1e-9) || got.reason < 0) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s, %d pairs, off by %g: %.12f %.12f\n", CCAConvergedReasons[got.reason], (int)got.nconv, (double)far, (double)got.rho[0], (double)known.rho[0]));
        PetscCall(AnswerDestroy(&known));
        PetscCall(AnswerDestroy(&got));
        for (int i = 0; i < 2; i++) PetscCall(MatDestroy(&Z[i]));
        PetscCall(MatDestroy(&X));
        PetscCall(MatDestroy(&Y));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Initial directions are in the user's units too: a solution is its own start */
static PetscErrorCode WarmStart(void)
{
  const PetscReal none[2] = {0.0, 0.0};
  Answer          cold, warm;
  Mat             X, Y, Z;
  char            what[128];

  PetscFunctionBegin;
  PetscCall(NoisyView(PETSC_COMM_WORLD, 300, 60, 0.3, 51, 5, PETSC_TRUE, &X));
  PetscCall(NoisyView(PETSC_COMM_WORLD, 300, 50, 0.3, 52, 5, PETSC_TRUE, &Y));
  PetscCall(Scaled(X, 1, 1e9, &Z));
  for (int t = 0; t < 2; t++) {
    PetscCall(Solve(Z, Y, t ? CCAEPS : CCANAPI, 3, none, PETSC_TRUE, 1e-6, NULL, &cold));
    PetscCall(Solve(Z, Y, t ? CCAEPS : CCANAPI, 3, none, PETSC_TRUE, 1e-6, cold.W, &warm));
    PetscCall(PetscSNPrintf(what, sizeof(what), "%s: from its own solution, in odd units, the same", t ? CCAEPS : CCANAPI));
    PetscCall(Same(&warm, &cold, 3, 0, 1.0, 1e-4, what));
    PetscCall(TapOk((PetscBool)(warm.a + warm.b < 0.5 * (cold.a + cold.b)), "%s: for less than half the products, %g of %g", t ? CCAEPS : CCANAPI, (double)(warm.a + warm.b), (double)(cold.a + cold.b)));
    PetscCall(AnswerDestroy(&cold));
    PetscCall(AnswerDestroy(&warm));
  }
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscCall(MatDestroy(&Z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The methods to compare with: right, or a reason */
static PetscErrorCode Others(void)
{
  static const char *const types[] = {CCAAPPGRAD, CCAALS, CCASI, CCALAZY};
  const PetscReal          none[2] = {0.0, 0.0};
  Mat                      X, Y, Z;

  PetscFunctionBegin;
  PetscCall(NoisyView(PETSC_COMM_WORLD, 80, 6, 1.1, 61, 3, PETSC_TRUE, &X));
  PetscCall(NoisyView(PETSC_COMM_WORLD, 80, 5, 1.1, 62, 3, PETSC_TRUE, &Y));
  PetscCall(Scaled(X, 0, 1e-9, &Z));
  for (int t = 0; t < 4; t++) {
    Answer known, got;

    PetscCall(Solve(X, Y, CCADIRECT, 1, none, PETSC_TRUE, 1e-5, NULL, &known));
    PetscCall(Solve(Z, Y, types[t], 1, none, PETSC_TRUE, 1e-5, NULL, &got));
    PetscCall(TapOk((PetscBool)(got.reason == CCA_CONVERGED_TOL && PetscAbsReal(got.rho[0] - known.rho[0]) < 1e-8), "%s: one column times 1e-9 changes nothing", types[t]));
    if (got.reason != CCA_CONVERGED_TOL) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s\n", CCAConvergedReasons[got.reason]));
    PetscCall(AnswerDestroy(&known));
    PetscCall(AnswerDestroy(&got));
  }
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscCall(MatDestroy(&Z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(TapBegin(&argc, &argv));
  PetscCall(OneColumn());
  PetscCall(WholeData());
  PetscCall(Countries());
  PetscCall(Dependent());
  PetscCall(WarmStart());
  PetscCall(Others());
  return TapEnd();
}
