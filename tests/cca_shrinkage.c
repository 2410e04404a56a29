/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Shrinkage: 0 is the canonical correlation of the books, a number is (1-s) Sigma + s tau I, auto is Ledoit and Wolf's; units do
   not matter. The numbers are those of statsmodels 0.15 (CanCorr(Y, X).cancorr), scikit-learn 1.9
   (ledoit_wolf_shrinkage()) and NumPy (Cholesky factors of the shrunk covariances, singular values).
*/
#include "linnerud.h"
#include "weights.h"

static PetscErrorCode Create(Mat X, Mat Y, PetscReal s, PetscReal t, CCA *cca)
{
  PetscFunctionBeginUser;
  PetscCall(CCACreate(PETSC_COMM_WORLD, cca));
  PetscCall(CCASetData(*cca, X, Y));
  PetscCall(CCASetDimensions(*cca, 1));
  PetscCall(CCASetTolerances(*cca, 1e-10, PETSC_DECIDE));
  PetscCall(CCASetShrinkage(*cca, s, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestLinnerud(CCAType type, PetscBool dense)
{
  const PetscReal plain[3]  = {0.795608154420, 0.200556041107, 0.072570286210};
  const PetscReal shrunk[3] = {0.486323662405, 0.075170210106, 0.008569495800};
  PetscReal       rho, far[2] = {0.0, 0.0}, r[2], s[2];
  Mat             X, Y;
  CCA             cca;

  PetscFunctionBeginUser;
  PetscCall(LinnerudViews(PETSC_COMM_WORLD, NULL, dense, &X, &Y));
  for (int c = 0; c < 2; c++) {
    PetscCall(Create(X, Y, c ? 0.1 : 0.0, c ? 0.2 : 0.0, &cca));
    PetscCall(CCASetType(cca, type));
    PetscCall(CCASetDimensions(cca, 3));
    PetscCall(CCASolve(cca));
    for (PetscInt i = 0; i < 3; i++) {
      PetscCall(CCAGetCorrelation(cca, i, &rho));
      far[c] = TapWorst(far[c], PetscAbsReal(rho - (c ? shrunk : plain)[i]));
    }
    PetscCall(CCAGetRegularization(cca, &r[0], &r[1]));
    PetscCall(CCAGetShrinkage(cca, &s[0], &s[1]));
    if (!c) PetscCall(TapOk((PetscBool)(far[0] < 1e-11 && r[0] == 0.0 && r[1] == 0.0), "%s, %s: no shrinkage, the correlations of statsmodels (off by %.1e)", type, dense ? "dense" : "sparse", (double)far[0]));
    else PetscCall(TapOk((PetscBool)(far[1] < 1e-11 && s[0] == 0.1 && s[1] == 0.2), "%s, %s: shrinkage 0.1 and 0.2, the correlations of NumPy (off by %.1e)", type, dense ? "dense" : "sparse", (double)far[1]));
    PetscCall(CCADestroy(&cca));
  }
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A shrinkage is the ridge that CCAGetRegularization() tells, s tau/(1-s) */
static PetscErrorCode TestRidge(PetscBool center, PetscBool scale)
{
  PetscReal tau = 0.0, r[2], rho[2];
  Mat       X, Y, U[2];
  CCA       cca[2];

  PetscFunctionBeginUser;
  PetscCall(LinnerudViews(PETSC_COMM_WORLD, NULL, PETSC_TRUE, &X, &Y));
  for (int c = 0; c < 2; c++) {
    PetscCall(Create(X, Y, 0.3, 0.05, &cca[c]));
    PetscCall(CCASetCentering(cca[c], center));
    PetscCall(CCASetScaling(cca[c], scale));
    if (c) PetscCall(CCASetRegularization(cca[c], r[0], r[1]));
    PetscCall(CCASolve(cca[c]));
    PetscCall(CCAGetRegularization(cca[c], &r[0], &r[1]));
    PetscCall(CCAGetCorrelation(cca[c], 0, &rho[c]));
    PetscCall(CCAGetDirections(cca[c], &U[c], NULL));
  }
  for (int j = 0; j < 3; j++) {
    PetscReal mean = 0.0, square = 0.0;

    for (int i = 0; i < LINNERUD_N; i++) mean += linnerud[0][i][j] / LINNERUD_N;
    for (int i = 0; i < LINNERUD_N; i++) square += PetscSqr(linnerud[0][i][j] - (center ? mean : 0.0)) / LINNERUD_N;
    tau += (scale ? 1.0 : square) / 3.0;
  }
  PetscCall(MatAXPY(U[0], -1.0, U[1], SAME_NONZERO_PATTERN));
  PetscCall(MatNorm(U[0], NORM_FROBENIUS, &r[1]));
  PetscCall(TapOk((PetscBool)(PetscAbsReal(rho[0] - rho[1]) < 1e-12 && PetscAbsReal(r[0] / (0.3 * tau / 0.7) - 1.0) < 1e-12 && r[1] < 1e-10), "%scentred, %sscaled: shrinkage 0.3 is a ridge of 0.3 tau/0.7 = %g, directions and all", center ? "" : "not ", scale ? "" : "not ", (double)r[0]));
  for (int c = 0; c < 2; c++) PetscCall(CCADestroy(&cca[c]));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A view in other units: the same correlations, scores and iterations */
static PetscErrorCode TestUnits(CCAType type, PetscReal fx, PetscReal fy)
{
  const PetscReal factors[2][2] = {
    {1.0, 1.0},
    {fx,  fy }
  };
  PetscReal rho[2], far[2];
  PetscInt  its[2];
  Mat       X, Y, score[2][2];
  CCA       cca;

  PetscFunctionBeginUser;
  for (int c = 0; c < 2; c++) {
    PetscCall(LinnerudViews(PETSC_COMM_WORLD, factors[c], PETSC_FALSE, &X, &Y));
    PetscCall(CCACreate(PETSC_COMM_WORLD, &cca)); /* with the default regularisation */
    PetscCall(CCASetType(cca, type));
    PetscCall(CCASetData(cca, X, Y));
    PetscCall(CCASetTolerances(cca, 1e-8, PETSC_DECIDE));
    PetscCall(CCASolve(cca));
    PetscCall(CCAGetCorrelation(cca, 0, &rho[c]));
    PetscCall(CCAGetIterationNumber(cca, &its[c]));
    PetscCall(CCATransform(cca, NULL, NULL, &score[c][0], &score[c][1]));
    PetscCall(CCADestroy(&cca));
    PetscCall(MatDestroy(&X));
    PetscCall(MatDestroy(&Y));
  }
  for (int i = 0; i < 2; i++) {
    PetscCall(MatAXPY(score[0][i], -1.0, score[1][i], SAME_NONZERO_PATTERN));
    PetscCall(MatNorm(score[0][i], NORM_FROBENIUS, &far[i]));
    for (int c = 0; c < 2; c++) PetscCall(MatDestroy(&score[c][i]));
  }
  PetscCall(TapOk((PetscBool)(PetscAbsReal(rho[0] - rho[1]) < 1e-11 && far[0] < 1e-6 && far[1] < 1e-6 && its[0] == its[1]), "%s: views times %g and %g give the same answer, %.10f (off by %.1e, scores by %.1e and %.1e)", type, (double)fx, (double)fy, (double)rho[1], (double)(rho[0] - rho[1]), (double)far[0], (double)far[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Another shrinkage between two solutions, and back, gives what an object of its own gives */
static PetscErrorCode TestChanged(CCAType type)
{
  static const PetscReal s[][2] = {
    {0.3,                0.3 },
    {0.01,               0.2 },
    {CCA_SHRINKAGE_AUTO, 0.2 },
    {0.1,                0.2 },
    {0.0,                0.2 },
    {0.1,                0.01}
  };
  PetscReal far = 0.0, rho[2], r[2][2];
  Mat       X, Y;
  CCA       cca, own;

  PetscFunctionBeginUser;
  PetscCall(LinnerudViews(PETSC_COMM_WORLD, NULL, PETSC_TRUE, &X, &Y));
  PetscCall(Create(X, Y, 0.5, 0.5, &cca));
  PetscCall(CCASetType(cca, type));
  PetscCall(CCASolve(cca));
  for (size_t c = 0; c < sizeof(s) / sizeof(s[0]); c++) {
    PetscCall(CCASetShrinkage(cca, s[c][0], s[c][1]));
    PetscCall(CCASolve(cca));
    PetscCall(CCAGetCorrelation(cca, 0, &rho[0]));
    PetscCall(CCAGetRegularization(cca, &r[0][0], &r[0][1]));
    PetscCall(Create(X, Y, s[c][0], s[c][1], &own));
    PetscCall(CCASetType(own, CCADIRECT));
    PetscCall(CCASolve(own));
    PetscCall(CCAGetCorrelation(own, 0, &rho[1]));
    PetscCall(CCAGetRegularization(own, &r[1][0], &r[1][1]));
    PetscCall(CCADestroy(&own));
    far = TapWorst(far, PetscAbsReal(rho[0] - rho[1]));
    for (int i = 0; i < 2; i++) far = TapWorst(far, PetscAbsReal(r[0][i] - r[1][i]) / (1.0 + r[1][i]));
  }
  PetscCall(TapOk((PetscBool)(far < 1e-11), "%s: one shrinkage after the other, off by %.1e", type, (double)far));
  PetscCall(CCADestroy(&cca));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- Ledoit and Wolf --- */

static PetscScalar WaveEntry(const void *ctx, PetscInt view, PetscInt i, PetscInt j)
{
  (void)ctx, (void)view;
  return PetscCosReal(1.7 * (PetscReal)(i * (j + 1)) + 0.3 * (PetscReal)(j * j)) * (PetscReal)(1 + j % 5);
}

static PetscErrorCode TestAuto(PetscInt n, PetscInt d, PetscInt used, PetscBool dense, PetscBool center, PetscReal wanted)
{
  PetscInt  first, last;
  PetscReal s;
  Mat       X, Y;
  Vec       w;
  CCA       cca;

  PetscFunctionBeginUser;
  PetscCall(ViewCreate(PETSC_COMM_WORLD, n, d, dense, -1, WaveEntry, NULL, 0, &X));
  PetscCall(ViewCreate(PETSC_COMM_WORLD, n, 2, PETSC_TRUE, -1, WaveEntry, NULL, 0, &Y));
  PetscCall(Create(X, Y, CCA_SHRINKAGE_AUTO, 0.1, &cca));
  PetscCall(CCASetCentering(cca, center));
  PetscCall(MatCreateVecs(X, NULL, &w));
  PetscCall(VecSet(w, 0.2));
  PetscCall(VecGetOwnershipRange(w, &first, &last));
  for (PetscInt i = PetscMax(first, used); i < last; i++) PetscCall(VecSetValue(w, i, 0.0, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(w));
  PetscCall(VecAssemblyEnd(w));
  if (used < n) PetscCall(CCASetWeights(cca, w));
  PetscCall(CCASolve(cca));
  PetscCall(CCAGetShrinkage(cca, &s, NULL));
  PetscCall(TapOk((PetscBool)(PetscAbsReal(s - wanted) < 1e-10), "Ledoit and Wolf's shrinkage of %" PetscInt_FMT " of %" PetscInt_FMT " x %" PetscInt_FMT ", %s, %scentred: %.12f (off by %.1e)", used, n, d, dense ? "dense" : "sparse", center ? "" : "not ", (double)s, (double)(s - wanted)));
  PetscCall(VecDestroy(&w));
  PetscCall(CCADestroy(&cca));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestAutoLinnerud(PetscBool scale, PetscReal wx, PetscReal wy)
{
  PetscReal s[2];
  Mat       X, Y;
  CCA       cca;

  PetscFunctionBeginUser;
  PetscCall(LinnerudViews(PETSC_COMM_WORLD, NULL, PETSC_TRUE, &X, &Y));
  PetscCall(Create(X, Y, CCA_SHRINKAGE_AUTO, CCA_SHRINKAGE_AUTO, &cca));
  PetscCall(CCASetScaling(cca, scale));
  PetscCall(CCASetUp(cca));
  PetscCall(CCAGetShrinkage(cca, &s[0], &s[1]));
  PetscCall(TapOk((PetscBool)(PetscAbsReal(s[0] - wx) < 1e-10 && PetscAbsReal(s[1] - wy) < 1e-10), "that of Linnerud's data, %sscaled: %.12f and %.12f", scale ? "" : "not ", (double)s[0], (double)s[1]));
  PetscCall(CCADestroy(&cca));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestDefaultsAndMisuse(void)
{
  PetscReal      s[2], r[2], list[3];
  PetscInt       n;
  PetscBool      center;
  PetscErrorCode code[8];
  Mat            X, Y;
  CCA            cca;

  PetscFunctionBeginUser;
  PetscCall(CCACreate(PETSC_COMM_WORLD, &cca));
  PetscCall(CCAGetShrinkage(cca, &s[0], &s[1]));
  PetscCall(CCAGetCentering(cca, &center));
  PetscCall(TapOk((PetscBool)(s[0] == 1e-3 && s[1] == 1e-3 && center), "by default the shrinkage is 1e-3 and the columns are centred"));
  PetscCall(PetscOptionsInsertString(NULL, "-cca_shrinkage 0.25,auto -cca_center 0"));
  PetscCall(CCASetFromOptions(cca));
  PetscCall(CCAGetShrinkage(cca, &s[0], &s[1]));
  PetscCall(CCAGetCentering(cca, &center));
  PetscCall(TapOk((PetscBool)(s[0] == 0.25 && s[1] == CCA_SHRINKAGE_AUTO && !center), "-cca_shrinkage 0.25,auto -cca_center 0"));
  PetscCall(CCASetRegularization(cca, 0.5, 0.0));
  PetscCall(CCAGetShrinkage(cca, &s[0], &s[1]));
  PetscCall(CCAGetRegularization(cca, &r[0], &r[1]));
  PetscCall(TapOk((PetscBool)(s[0] == CCA_SHRINKAGE_NONE && r[0] == 0.5 && r[1] == 0.0), "ridges set afterwards hold"));
  PetscCall(CCAParseShrinkage("0,auto,.5", 3, &n, list));
  PetscCall(TapOk((PetscBool)(n == 3 && list[0] == 0.0 && list[1] == CCA_SHRINKAGE_AUTO && list[2] == 0.5), "a list of shrinkages is read"));
  PetscCall(PetscOptionsInsertString(NULL, "-cca_ridge 1"));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  code[0] = CCASetShrinkage(cca, 1.0, 0.0);
  code[1] = CCASetShrinkage(cca, 0.0, -0.5);
  code[2] = CCASetShrinkage(cca, NAN, 0.0);
  code[3] = CCAParseShrinkage("0.1,", 2, &n, list);
  code[4] = CCAParseShrinkage("automatic", 2, &n, list);
  code[5] = CCAParseShrinkage("1,2,3", 2, &n, list);
  code[6] = CCAParseShrinkage(".1,.2,.3", 2, &n, list);
  code[7] = CCASetFromOptions(cca);
  PetscCall(PetscPopErrorHandler());
  PetscCall(TapOk((PetscBool)(code[0] && code[1] && code[2]), "1, negative numbers and no numbers are refused"));
  PetscCall(TapOk((PetscBool)(code[3] && code[4] && code[5] && code[6]), "so is a text that is none, or too long"));
  PetscCall(TapOk((PetscBool)(code[7] == PETSC_ERR_ARG_INCOMP), "so are a shrinkage and a ridge together"));
  PetscCall(PetscOptionsClearValue(NULL, "-cca_ridge"));
  PetscCall(PetscOptionsClearValue(NULL, "-cca_shrinkage"));
  PetscCall(PetscOptionsClearValue(NULL, "-cca_center"));
  PetscCall(CCADestroy(&cca));
  /* a view in which nothing varies */
  PetscCall(LinnerudViews(PETSC_COMM_WORLD, NULL, PETSC_TRUE, &X, &Y));
  PetscCall(MatZeroEntries(Y));
  PetscCall(Create(X, Y, 0.1, CCA_SHRINKAGE_AUTO, &cca));
  PetscCall(CCASolve(cca));
  PetscCall(CCAGetConverged(cca, &n));
  PetscCall(TapOk((PetscBool)(n == 0), "a view in which nothing varies has no pairs, and no shrinkage to estimate"));
  PetscCall(CCADestroy(&cca));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  static const CCAType types[] = {CCADIRECT, CCANAPI, CCAEPS};

  PetscCall(TapBegin(&argc, &argv));
  for (int t = 0; t < 2; t++)
    for (int dense = 0; dense < 2; dense++) PetscCall(TestLinnerud(types[t], (PetscBool)dense));
  for (int c = 0; c < 4; c++) PetscCall(TestRidge((PetscBool)(c & 1), (PetscBool)(c >> 1)));
  for (int t = 0; t < 3; t++) {
    PetscCall(TestUnits(types[t], 1e-6, 1.0));
    PetscCall(TestUnits(types[t], 1e4, 1e-200));
    PetscCall(TestChanged(types[t]));
  }
  for (int dense = 0; dense < 2; dense++) {
    PetscCall(TestAuto(8, 20, 8, (PetscBool)dense, PETSC_TRUE, 0.814918117306));
    PetscCall(TestAuto(8, 20, 8, (PetscBool)dense, PETSC_FALSE, 0.980776015888));
    PetscCall(TestAuto(40, 7, 40, (PetscBool)dense, PETSC_TRUE, 0.161000344375));
    PetscCall(TestAuto(40, 7, 25, (PetscBool)dense, PETSC_TRUE, 0.244103161031));
    PetscCall(TestAuto(10, 20, 8, (PetscBool)dense, PETSC_TRUE, 0.814918117306));
  }
  PetscCall(TestAutoLinnerud(PETSC_FALSE, 0.293694491120, 0.260657081615));
  PetscCall(TestAutoLinnerud(PETSC_TRUE, 0.356217414400, 0.580692038139));
  PetscCall(TestDefaultsAndMisuse());
  return TapEnd();
}
