/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Canonical correlation analysis: answers known in closed form or from dense LAPACK, by every type; what a statistician
   expects of them; data that are awkward; and input that is wrong.
*/
#include "ccadata.h"

static const char *const types[] = {CCADIRECT, CCANAPI, CCAEPS};

static PetscErrorCode NewCCA(Mat X, Mat Y, const char *type, PetscInt k, PetscReal ridge, CCA *cca)
{
  PetscFunctionBegin;
  PetscCall(CCACreate(PETSC_COMM_WORLD, cca));
  PetscCall(CCASetData(*cca, X, Y));
  PetscCall(CCASetDimensions(*cca, k));
  PetscCall(CCASetRegularization(*cca, ridge, ridge));
  PetscCall(CCASetCentering(*cca, PETSC_FALSE));
  if (type) PetscCall(CCASetType(*cca, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* max |W'S Z - diag| over both views and between them, from the covariances formed as dense matrices */
static PetscErrorCode Orthogonality(CCA cca, PetscInt k, PetscReal *level)
{
  PetscBool center, scale;
  PetscReal rx, ry, rho;
  Mat       X, Y, U, V, A, B, AU, AV, BU, BofV, left[3], right[3];

  PetscFunctionBegin;
  *level = 0.0;
  PetscCall(CCAGetData(cca, &X, &Y));
  PetscCall(CCAGetRegularization(cca, &rx, &ry));
  PetscCall(CCAGetCentering(cca, &center));
  PetscCall(CCAGetScaling(cca, &scale));
  PetscCall(CCAGetDirections(cca, &U, &V));
  PetscCall(MatCreateCCAPair(X, Y, rx, ry, center, &A, &B));
  PetscCall(MatGramSetScaling(A, scale));
  PetscCall(MatGramSetScaling(B, scale));
  PetscCall(MatDuplicate(U, MAT_DO_NOT_COPY_VALUES, &AU));
  PetscCall(MatDuplicate(U, MAT_DO_NOT_COPY_VALUES, &BU));
  PetscCall(MatDuplicate(V, MAT_DO_NOT_COPY_VALUES, &AV));
  PetscCall(MatDuplicate(V, MAT_DO_NOT_COPY_VALUES, &BofV));
  PetscCall(MatGramMultViews(A, B, U, V, AU, AV, BU, BofV));
  left[0]  = U;
  right[0] = BU;
  left[1]  = V;
  right[1] = BofV;
  left[2]  = U;
  right[2] = AU; /* S12 V */
  for (int c = 0; c < 3; c++) {
    for (PetscInt i = 0; i < k; i++) {
      for (PetscInt j = 0; j < k; j++) {
        PetscScalar dot;
        Vec         x, y;

        PetscCall(MatDenseGetColumnVecRead(left[c], i, &x));
        PetscCall(MatDenseGetColumnVecRead(right[c], j, &y));
        PetscCall(VecDot(y, x, &dot));
        PetscCall(MatDenseRestoreColumnVecRead(right[c], j, &y));
        PetscCall(MatDenseRestoreColumnVecRead(left[c], i, &x));
        PetscCall(CCAGetCorrelation(cca, i, &rho));
        *level = TapWorst(*level, PetscAbsScalar(dot - (i != j ? 0.0 : c < 2 ? 1.0 : rho)));
      }
    }
  }
  PetscCall(MatDestroy(&AU));
  PetscCall(MatDestroy(&AV));
  PetscCall(MatDestroy(&BU));
  PetscCall(MatDestroy(&BofV));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves and compares with k known correlations */
static PetscErrorCode Compare(CCA cca, PetscInt k, const PetscReal rho[], PetscReal tol, const char *what)
{
  PetscInt           nconv;
  PetscReal          got, worst = 0.0, level = 0.0, error, worsterror = 0.0, last = 1.0, asked;
  PetscBool          ordered = PETSC_TRUE;
  CCAConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(CCASolve(cca));
  PetscCall(CCAGetConverged(cca, &nconv));
  PetscCall(CCAGetConvergedReason(cca, &reason));
  PetscCall(TapOk((PetscBool)(nconv == k && reason > 0), "%s: %d pairs converge", what, (int)k));
  if (nconv != k) {
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %d pairs, %s\n", (int)nconv, CCAConvergedReasons[reason]));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt i = 0; i < k; i++) {
    PetscCall(CCAGetCorrelation(cca, i, &got));
    PetscCall(CCAComputeError(cca, i, &error));
    worst      = TapWorst(worst, PetscAbsReal(got - rho[i]));
    worsterror = TapWorst(worsterror, error);
    if (!(got <= last && got >= 0.0)) ordered = PETSC_FALSE;
    last = got;
  }
  PetscCall(TapOk((PetscBool)(worst <= tol), "%s: the correlations are right (to %g)", what, (double)tol));
  if (!(worst <= tol)) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# off by %g\n", (double)worst));
  PetscCall(CCAGetTolerances(cca, &asked, NULL));
  PetscCall(TapOk((PetscBool)(worsterror <= asked), "%s: no residual is above the tolerance", what));
  if (!(worsterror <= asked)) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %g, allowed %g\n", (double)worsterror, (double)asked));
  PetscCall(TapOk(ordered, "%s: they are ordered, between 0 and 1", what));
  PetscCall(Orthogonality(cca, k, &level));
  PetscCall(TapOk((PetscBool)(level <= 1e-9), "%s: the directions are orthonormal, and uncorrelated across pairs", what));
  if (!(level <= 1e-9)) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# to %g\n", (double)level));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ClosedForm(void)
{
  const PetscReal rho[] = {0.95, 0.9, 0.7, 0.4, 0.35, 0.2, 0.1, 0.05};
  Mat             X, Y;
  CCA             cca;
  char            what[128];

  PetscFunctionBegin;
  for (int dense = 0; dense < 2; dense++) {
    PetscCall(KnownViews(PETSC_COMM_WORLD, 120, 12, 8, rho, dense ? PETSC_TRUE : PETSC_FALSE, &X, &Y));
    for (size_t t = 0; t < PETSC_STATIC_ARRAY_LENGTH(types); t++) {
      for (PetscInt k = 1; k <= 8; k += 3 + k) { /* 1, 5 */
        PetscCall(NewCCA(X, Y, types[t], k, 0.0, &cca));
        PetscCall(CCASetTolerances(cca, 1e-8, PETSC_DECIDE));
        PetscCall(PetscSNPrintf(what, sizeof(what), "closed form, %s, %s, k=%d", dense ? "dense" : "sparse", types[t], (int)k));
        PetscCall(Compare(cca, k, rho, 1e-9, what));
        PetscCall(CCADestroy(&cca));
      }
    }
    /* the cosines have mean zero: centring changes nothing, nor does a scale of the columns without ridge */
    PetscCall(NewCCA(X, Y, CCANAPI, 3, 0.0, &cca));
    PetscCall(CCASetCentering(cca, PETSC_TRUE));
    PetscCall(CCASetScaling(cca, PETSC_TRUE));
    PetscCall(PetscSNPrintf(what, sizeof(what), "closed form, %s, centered and scaled", dense ? "dense" : "sparse"));
    PetscCall(Compare(cca, 3, rho, 1e-9, what));
    PetscCall(CCADestroy(&cca));
    PetscCall(MatDestroy(&X));
    PetscCall(MatDestroy(&Y));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest eigenvalues of the pair, formed and given to LAPACK, by every rank for itself */
static PetscErrorCode Reference(Mat X, Mat Y, PetscReal rx, PetscReal ry, PetscBool center, PetscBool scale, PetscInt k, PetscReal rho[])
{
  PetscScalar lambda;
  Mat         G[2], D[2];
  EPS         eps;

  PetscFunctionBegin;
  PetscCall(MatCreateCCAPair(X, Y, rx, ry, center, &G[0], &G[1]));
  for (int i = 0; i < 2; i++) {
    PetscCall(MatGramSetScaling(G[i], scale));
    PetscCall(MatConvert(G[i], MATDENSE, MAT_INITIAL_MATRIX, &D[i]));
  }
  PetscCall(EPSCreate(PETSC_COMM_SELF, &eps));
  PetscCall(EPSSetOperators(eps, D[0], D[1]));
  PetscCall(EPSSetProblemType(eps, EPS_GHEP));
  PetscCall(EPSSetWhichEigenpairs(eps, EPS_LARGEST_REAL));
  PetscCall(EPSSetType(eps, EPSLAPACK));
  PetscCall(EPSSolve(eps));
  for (PetscInt i = 0; i < k; i++) {
    PetscCall(EPSGetEigenvalue(eps, i, &lambda, NULL));
    rho[i] = PetscRealPart(lambda);
  }
  PetscCall(EPSDestroy(&eps));
  for (int i = 0; i < 2; i++) {
    PetscCall(MatDestroy(&G[i]));
    PetscCall(MatDestroy(&D[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AgainstLapack(void)
{
  static const struct {
    PetscInt  n, d1, d2, k;
    PetscReal rx, ry;
    PetscBool dense, center, scale;
  } cases[] = {
    {80, 20, 15, 4, 1e-2, 1e-3, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE},
    {80, 20, 15, 4, 1e-2, 1e-2, PETSC_TRUE,  PETSC_TRUE,  PETSC_TRUE },
    {30, 50, 12, 3, 1e-1, 1e-2, PETSC_FALSE, PETSC_TRUE,  PETSC_FALSE},
    {30, 12, 50, 3, 1e-1, 1e-2, PETSC_TRUE,  PETSC_FALSE, PETSC_TRUE },
    {25, 40, 60, 4, 1e-1, 1e-1, PETSC_FALSE, PETSC_TRUE,  PETSC_TRUE }
  };
  PetscReal rho[8];
  Mat       X, Y;
  CCA       cca;
  char      what[128];

  PetscFunctionBegin;
  for (size_t c = 0; c < PETSC_STATIC_ARRAY_LENGTH(cases); c++) {
    for (int world = 0; world < 2; world++) {
      MPI_Comm comm = world ? PETSC_COMM_WORLD : PETSC_COMM_SELF;

      PetscCall(NoisyView(comm, cases[c].n, cases[c].d1, 0.3, 1, 3, cases[c].dense, &X));
      PetscCall(NoisyView(comm, cases[c].n, cases[c].d2, 0.5, 2, 3, cases[c].dense, &Y));
      if (!world) PetscCall(Reference(X, Y, cases[c].rx, cases[c].ry, cases[c].center, cases[c].scale, cases[c].k, rho));
      for (size_t t = 0; t < PETSC_STATIC_ARRAY_LENGTH(types) && world; t++) {
        PetscCall(NewCCA(X, Y, types[t], cases[c].k, 0.0, &cca));
        PetscCall(CCASetRegularization(cca, cases[c].rx, cases[c].ry));
        PetscCall(CCASetCentering(cca, cases[c].center));
        PetscCall(CCASetScaling(cca, cases[c].scale));
        PetscCall(PetscSNPrintf(what, sizeof(what), "%d samples, %d and %d columns%s%s, %s", (int)cases[c].n, (int)cases[c].d1, (int)cases[c].d2, cases[c].center ? ", centered" : "", cases[c].scale ? ", scaled" : "", types[t]));
        PetscCall(Compare(cca, cases[c].k, rho, 1e-8, what));
        PetscCall(CCADestroy(&cca));
      }
      PetscCall(MatDestroy(&X));
      PetscCall(MatDestroy(&Y));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* M with two more columns: a copy of its first one, and one that is constant */
static PetscErrorCode AddDependent(Mat *M)
{
  PetscInt    n, d, first, last, m, nz;
  Mat         N;
  PetscScalar one = 1.0;

  PetscFunctionBegin;
  PetscCall(MatGetSize(*M, &n, &d));
  PetscCall(MatGetLocalSize(*M, &m, NULL));
  PetscCall(MatCreate(PETSC_COMM_WORLD, &N));
  PetscCall(MatSetSizes(N, m, PETSC_DECIDE, n, d + 2));
  PetscCall(MatSetType(N, MATAIJ));
  PetscCall(MatSetUp(N));
  PetscCall(MatSetOption(N, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(MatGetOwnershipRange(*M, &first, &last));
  for (PetscInt i = first; i < last; i++) {
    const PetscInt    *c;
    const PetscScalar *a;
    PetscInt           copy = d, constant = d + 1;

    PetscCall(MatGetRow(*M, i, &nz, &c, &a));
    PetscCall(MatSetValues(N, 1, &i, nz, c, a, INSERT_VALUES));
    PetscCall(MatSetValues(N, 1, &i, 1, &copy, a, INSERT_VALUES));
    PetscCall(MatSetValues(N, 1, &i, 1, &constant, &one, INSERT_VALUES));
    PetscCall(MatRestoreRow(*M, i, &nz, &c, &a));
  }
  PetscCall(MatAssemblyBegin(N, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(N, MAT_FINAL_ASSEMBLY));
  PetscCall(MatDestroy(M));
  *M = N;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Awkward(void)
{
  const PetscReal    rho[] = {0.9, 0.8, 0.5, 0.3, 0.1}, ones[] = {1.0, 1.0, 1.0};
  PetscInt           nconv;
  CCAConvergedReason reason;
  Mat                X, Y;
  CCA                cca;
  char               what[128];

  PetscFunctionBegin;
  /* columns that depend on each other, and constant ones, without ridge: the correlations are as before */
  PetscCall(KnownViews(PETSC_COMM_WORLD, 60, 6, 5, rho, PETSC_FALSE, &X, &Y));
  PetscCall(AddDependent(&X));
  PetscCall(AddDependent(&Y));
  for (size_t t = 0; t < PETSC_STATIC_ARRAY_LENGTH(types) - 1; t++) { /* EPS needs a definite B */
    PetscCall(NewCCA(X, Y, types[t], 3, 0.0, &cca));
    PetscCall(CCASetCentering(cca, PETSC_TRUE));
    PetscCall(PetscSNPrintf(what, sizeof(what), "dependent and constant columns, no ridge, %s", types[t]));
    PetscCall(Compare(cca, 3, rho, 1e-8, what));
    PetscCall(CCADestroy(&cca));

    PetscCall(NewCCA(X, Y, types[t], 7, 0.0, &cca));
    PetscCall(CCASetCentering(cca, PETSC_TRUE));
    PetscCall(CCASolve(cca));
    PetscCall(CCAGetConverged(cca, &nconv));
    PetscCall(CCAGetConvergedReason(cca, &reason));
    PetscCall(TapOk((PetscBool)(nconv == 5 && reason == CCA_CONVERGED_RANK), "more pairs than the rank, %s: all 5 there are, and a reason that says so", types[t]));
    if (nconv != 5 || reason != CCA_CONVERGED_RANK) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %d, %s\n", (int)nconv, CCAConvergedReasons[reason]));
    PetscCall(CCADestroy(&cca));
  }
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));

  /* more columns than samples, no ridge: everything can be made to agree */
  PetscCall(NoisyView(PETSC_COMM_WORLD, 20, 40, 0.9, 1, 0, PETSC_TRUE, &X));
  PetscCall(NoisyView(PETSC_COMM_WORLD, 20, 30, 0.9, 2, 0, PETSC_TRUE, &Y));
  for (size_t t = 0; t < PETSC_STATIC_ARRAY_LENGTH(types) - 1; t++) {
    PetscCall(NewCCA(X, Y, types[t], 3, 0.0, &cca));
    PetscCall(PetscSNPrintf(what, sizeof(what), "more columns than samples, no ridge, %s", types[t]));
    PetscCall(Compare(cca, 3, ones, 1e-8, what));
    PetscCall(CCADestroy(&cca));
  }
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));

  /* a view that is zero has nothing to correlate; with a ridge its correlations are zero */
  PetscCall(NoisyView(PETSC_COMM_WORLD, 20, 4, 0.9, 1, 0, PETSC_FALSE, &X));
  PetscCall(NoisyView(PETSC_COMM_WORLD, 20, 3, 0.0, 2, 0, PETSC_FALSE, &Y));
  for (size_t t = 0; t < PETSC_STATIC_ARRAY_LENGTH(types) - 1; t++) {
    const PetscReal zeros[] = {0.0, 0.0};

    PetscCall(NewCCA(X, Y, types[t], 2, 1e-3, &cca));
    PetscCall(PetscSNPrintf(what, sizeof(what), "a view of zeros, with a ridge, %s", types[t]));
    PetscCall(Compare(cca, 2, zeros, 1e-12, what));
    PetscCall(CCASetRegularization(cca, 0.0, 0.0));
    PetscCall(CCASolve(cca));
    PetscCall(CCAGetConverged(cca, &nconv));
    PetscCall(CCAGetConvergedReason(cca, &reason));
    PetscCall(TapOk((PetscBool)(nconv == 0 && reason == CCA_CONVERGED_RANK), "a view of zeros, without: there are no pairs, %s", types[t]));
    PetscCall(CCADestroy(&cca));
  }
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Wrong(void)
{
  const PetscReal rho[] = {0.9, 0.8, 0.5};
  PetscReal       value;
  PetscInt        n, first, last, row = 3;
  Mat             X, Y, Z;
  CCA             cca;

  PetscFunctionBegin;
  PetscCall(KnownViews(PETSC_COMM_WORLD, 40, 4, 3, rho, PETSC_FALSE, &X, &Y));
  PetscCall(NoisyView(PETSC_COMM_WORLD, 41, 3, 0.9, 2, 0, PETSC_FALSE, &Z));
  PetscCall(CCACreate(PETSC_COMM_WORLD, &cca));
  TapFails(CCASolve(cca), PETSC_ERR_ORDER, "CCASetData()", "no data: refused");
  TapFails(CCAGetConverged(cca, &n), PETSC_ERR_ORDER, "CCASolve()", "results before the solution: refused");
  TapFails(CCASetData(cca, X, Z), PETSC_ERR_ARG_SIZ, "row i of both must be the same sample", "different numbers of samples: refused");
  TapFails(CCASetDimensions(cca, 0), PETSC_ERR_ARG_OUTOFRANGE, "must be positive", "no pairs: refused");
  TapFails(CCASetRegularization(cca, -1.0, 0.0), PETSC_ERR_ARG_OUTOFRANGE, "not negative", "a negative ridge: refused");
  TapFails(CCASetTolerances(cca, 0.0, 10), PETSC_ERR_ARG_OUTOFRANGE, "tolerance must be positive", "a tolerance of zero: refused");
  TapFails(CCASetType(cca, "magic"), PETSC_ERR_ARG_UNKNOWN_TYPE, "no CCA type 'magic'", "an unknown type: refused");
  PetscCall(CCASetData(cca, X, Y));
  PetscCall(CCASetDimensions(cca, 4));
  TapFails(CCASolve(cca), PETSC_ERR_ARG_OUTOFRANGE, "there are only 3", "more pairs than columns: refused");
  PetscCall(CCASetDimensions(cca, 2));
  PetscCall(CCASolve(cca));
  TapFails(CCAGetCorrelation(cca, 2, &value), PETSC_ERR_ARG_OUTOFRANGE, "There is no pair 2", "a pair that is not there: refused");
  PetscCall(CCAGetCorrelation(cca, 1, &value));
  PetscCall(TapOk((PetscBool)(value > 0.7 && value < 0.9), "after all these refusals the object works"));
  TapFails(CCATransform(cca, Y, NULL, &Z, NULL), PETSC_ERR_ARG_SIZ, "4 columns", "scores of data with other columns: refused");
  PetscCall(MatDestroy(&Z));

  PetscCall(MatGetOwnershipRange(X, &first, &last));
  if (row >= first && row < last) PetscCall(MatSetValue(X, row, 1, (PetscScalar)(0.0 / PetscSqrtReal(0.0)), INSERT_VALUES));
  PetscCall(MatAssemblyBegin(X, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(X, MAT_FINAL_ASSEMBLY));
  PetscCall(CCASetData(cca, X, Y));
  TapFails(CCASolve(cca), PETSC_ERR_FP, "not a finite number", "NaN in the data: refused");
  PetscCall(CCADestroy(&cca));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A path of ridges from large to small: each solution is the start of the next, also given by hand to an object that has no other; cca_path.c has more */
static PetscErrorCode WarmStart(void)
{
  const PetscReal ridges[] = {1e-1, 5e-2, 2e-2, 1e-2};
  PetscReal       cold = 0.0, warm = 0.0, a, b, rho[2], difference = 0.0;
  PetscInt        nconv;
  Mat             X, Y, U, V;
  CCA             cca[2];

  PetscFunctionBegin;
  PetscCall(NoisyView(PETSC_COMM_WORLD, 300, 80, 0.3, 1, 3, PETSC_FALSE, &X));
  PetscCall(NoisyView(PETSC_COMM_WORLD, 300, 70, 0.3, 2, 3, PETSC_FALSE, &Y));
  for (int t = 0; t < 2; t++) PetscCall(NewCCA(X, Y, CCANAPI, 3, 1.0, &cca[t]));
  for (size_t r = 0; r < PETSC_STATIC_ARRAY_LENGTH(ridges); r++) {
    for (int t = 0; t < 2; t++) {
      PetscCall(CCASetData(cca[t], X, Y)); /* forgets the last solution */
      PetscCall(CCASetRegularization(cca[t], ridges[r], ridges[r]));
      PetscCall(CCASolve(cca[t]));
      PetscCall(CCAGetConverged(cca[t], &nconv));
      PetscCall(TapOk((PetscBool)(nconv == 3), "ridge %g, %s start: converged", (double)ridges[r], t ? "warm" : "cold"));
      PetscCall(CCAGetApplications(cca[t], &a, &b, NULL));
      if (r) *(t ? &warm : &cold) += a + b;
      PetscCall(CCAGetCorrelation(cca[t], 2, &rho[t]));
    }
    difference = TapWorst(difference, PetscAbsReal(rho[0] - rho[1]));
    PetscCall(CCAGetDirections(cca[1], &U, &V));
    PetscCall(CCASetInitialDirections(cca[1], U, V));
  }
  PetscCall(TapOk((PetscBool)(warm < 0.9 * cold), "a path of ridges costs less from the last solution (%g columns) than from scratch (%g)", (double)warm, (double)cold));
  PetscCall(TapOk((PetscBool)(difference < 1e-9), "and ends at the same correlations"));
  for (int t = 0; t < 2; t++) PetscCall(CCADestroy(&cca[t]));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Without ridge scores are uncorrelated, of variance 1, and the correlation of a pair of them is the canonical one */
static PetscErrorCode ScoresOf(void)
{
  const PetscReal rho[] = {0.9, 0.8, 0.5};
  PetscReal       worst;
  PetscInt        n = 40;
  Mat             X, Y, SX, SY, T;
  CCA             cca;

  PetscFunctionBegin;
  for (int dense = 0; dense < 2; dense++) {
    PetscCall(KnownViews(PETSC_COMM_WORLD, n, 5, 4, (const PetscReal[]){0.9, 0.8, 0.5, 0.1}, dense ? PETSC_TRUE : PETSC_FALSE, &X, &Y));
    PetscCall(NewCCA(X, Y, CCADIRECT, 3, 0.0, &cca));
    PetscCall(CCASetCentering(cca, PETSC_TRUE));
    PetscCall(CCASetScaling(cca, dense ? PETSC_TRUE : PETSC_FALSE));
    PetscCall(CCASolve(cca));
    PetscCall(CCATransform(cca, NULL, NULL, &SX, &SY));
    worst = 0.0;
    for (PetscInt i = 0; i < 3; i++) {
      for (PetscInt j = 0; j < 3; j++) {
        for (int c = 0; c < 3; c++) {
          PetscScalar dot;
          PetscReal   wanted = i != j ? 0.0 : c < 2 ? 1.0 : rho[i];
          Vec         x, y;
          Mat         L = c == 1 ? SY : SX, R = c == 0 ? SX : SY;

          if (L == R && i == j) {
            PetscReal norm;

            PetscCall(MatDenseGetColumnVecRead(L, i, &x));
            PetscCall(VecNorm(x, NORM_2, &norm));
            PetscCall(MatDenseRestoreColumnVecRead(L, i, &x));
            dot = norm * norm;
          } else if (L == R) {
            Vec t;

            PetscCall(MatDenseGetColumnVecRead(L, i, &x));
            PetscCall(VecDuplicate(x, &t));
            PetscCall(VecCopy(x, t));
            PetscCall(MatDenseRestoreColumnVecRead(L, i, &x));
            PetscCall(MatDenseGetColumnVecRead(R, j, &y));
            PetscCall(VecDot(y, t, &dot));
            PetscCall(MatDenseRestoreColumnVecRead(R, j, &y));
            PetscCall(VecDestroy(&t));
          } else {
            PetscCall(MatDenseGetColumnVecRead(L, i, &x));
            PetscCall(MatDenseGetColumnVecRead(R, j, &y));
            PetscCall(VecDot(y, x, &dot));
            PetscCall(MatDenseRestoreColumnVecRead(R, j, &y));
            PetscCall(MatDenseRestoreColumnVecRead(L, i, &x));
          }
          worst = TapWorst(worst, PetscAbsScalar(dot / (PetscReal)n - wanted));
        }
      }
    }
    PetscCall(TapOk((PetscBool)(worst < 1e-10), "%s: the scores have the covariances they must have", dense ? "dense, scaled" : "sparse"));
    PetscCall(MatDestroy(&SY));

    /* other samples, here the same ones again: means and scales are those of the analysis, not theirs */
    PetscCall(CCATransform(cca, X, NULL, &T, NULL));
    PetscCall(MatAXPY(T, -1.0, SX, SAME_NONZERO_PATTERN));
    PetscCall(MatNorm(T, NORM_FROBENIUS, &worst));
    PetscCall(TapOk((PetscBool)(worst < 1e-12), "scores of given samples are the same"));
    PetscCall(MatDestroy(&T));
    PetscCall(MatDestroy(&SX));
    PetscCall(CCADestroy(&cca));
    PetscCall(MatDestroy(&X));
    PetscCall(MatDestroy(&Y));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(TapBegin(&argc, &argv));
  PetscCall(ClosedForm());
  PetscCall(AgainstLapack());
  PetscCall(Awkward());
  PetscCall(Wrong());
  PetscCall(WarmStart());
  PetscCall(ScoresOf());
  return TapEnd();
}
