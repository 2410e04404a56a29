/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The bootstrap: each of its samples has the correlations of data in which the samples are written as often as they were drawn; what is
   drawn does not depend on the number of ranks; and the scatter of a correlation is the one that is known for normal data.
*/
#include "weights.h"

static Weighted data;

/* How often each sample was drawn, on every rank; the weights were times what the samples have already */
static PetscErrorCode Counts(Vec w, Weighted *drawn)
{
  const PetscScalar *a;
  VecScatter         gather;
  Vec                all;

  PetscFunctionBeginUser;
  PetscCall(VecScatterCreateToAll(w, &gather, &all));
  PetscCall(VecScatterBegin(gather, w, all, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(gather, w, all, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecGetArrayRead(all, &a));
  drawn->repeated = 0;
  for (PetscInt i = 0; i < drawn->n; i++)
    for (PetscInt c = 0; c < (PetscInt)(PetscRealPart(a[i]) + 0.5); c++) drawn->sample[drawn->repeated++] = i;
  PetscCall(VecRestoreArrayRead(all, &a));
  PetscCall(VecScatterDestroy(&gather));
  PetscCall(VecDestroy(&all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(CCAType type, PetscBool repeated, PetscBool dense, const Weighted *w, Mat X[2], CCA *cca)
{
  PetscFunctionBeginUser;
  PetscCall(WeightedView(w, 9, dense, repeated, 0, &X[0]));
  PetscCall(WeightedView(w, 8, dense, repeated, 1, &X[1]));
  PetscCall(CCACreate(PETSC_COMM_WORLD, cca));
  PetscCall(CCASetType(*cca, type));
  PetscCall(CCASetData(*cca, X[0], X[1]));
  PetscCall(CCASetDimensions(*cca, 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestRepeated(CCAType type, PetscBool dense, PetscBool weighted, PetscReal shrinkage, PetscReal tol)
{
  const PetscInt   samples = 6, seed = 5;
  const PetscReal *pearson, *rho;
  PetscReal        far = 0.0, apart = 0.0, before, after, r, s[2], low, high, rholow, rhohigh;
  PetscInt         n, failed;
  PetscBool        inside = PETSC_TRUE;
  Mat              X[2], Z[2];
  Vec              w;
  CCA              cca, own;
  static Weighted  drawn;

  PetscFunctionBeginUser;
  PetscCall(Create(type, PETSC_FALSE, dense, &data, X, &cca));
  PetscCall(CCASetShrinkage(cca, shrinkage, 0.1));
  PetscCall(WeightedVec(&data, X[0], 1.0, &w));
  if (weighted) PetscCall(CCASetWeights(cca, w));
  PetscCall(CCASolve(cca));
  PetscCall(CCAGetCorrelation(cca, 0, &before));
  PetscCall(CCAGetShrinkage(cca, &s[0], &s[1]));
  PetscCall(CCABootstrap(cca, samples, seed));
  PetscCall(CCAGetCorrelation(cca, 0, &after));
  PetscCall(CCAGetBootstrap(cca, &n, &failed, &pearson, &rho));
  drawn = data;
  for (PetscInt b = 0; b < samples; b++) {
    PetscCall(CCAGetBootstrapWeights(cca, seed, b, w));
    PetscCall(Counts(w, &drawn));
    PetscCall(Create(CCADIRECT, PETSC_TRUE, dense, &drawn, Z, &own));
    PetscCall(CCASetShrinkage(own, s[0], s[1]));
    PetscCall(CCASolve(own));
    for (PetscInt i = 0; i < 2; i++) {
      PetscCall(CCAGetCorrelation(own, i, &r));
      far = TapWorst(far, PetscAbsReal(r - rho[2 * b + i]));
      PetscCall(CCAGetPearson(own, i, &r));
      apart = TapWorst(apart, PetscAbsReal(r - pearson[2 * b + i]));
    }
    PetscCall(CCADestroy(&own));
    for (int i = 0; i < 2; i++) PetscCall(MatDestroy(&Z[i]));
  }
  PetscCall(TapOk((PetscBool)(n == samples && !failed && far < tol && apart < 10.0 * tol && before == after), "%s, %s%s, shrinkage %g: bootstrap samples are repeated samples (off by %.1e, Pearson's by %.1e), the solution stays", type, dense ? "dense" : "sparse", weighted ? ", weighted" : "", (double)shrinkage, (double)far, (double)apart));
  PetscCall(CCAGetBootstrapInterval(cca, 1, 0.6, &low, &high, &rholow, &rhohigh)); /* the quantiles 0.2 and 0.8 of six: the second and the fifth */
  for (PetscInt which = 0; which < 2; which++) {
    PetscInt below = 0, above = 0;

    for (PetscInt b = 0; b < samples; b++) {
      const PetscReal value = (which ? rho : pearson)[2 * b + 1];

      if (value < (which ? rholow : low) - 1e-14) below++;
      if (value > (which ? rhohigh : high) + 1e-14) above++;
    }
    if (below != 1 || above != 1) inside = PETSC_FALSE;
  }
  PetscCall(TapOk(inside, "%s: an interval of 0.6 leaves the first and the last of six out", type));
  PetscCall(CCADestroy(&cca));
  PetscCall(VecDestroy(&w));
  for (int i = 0; i < 2; i++) PetscCall(MatDestroy(&X[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Draws: as many as there are samples, of equal probability, none of weight zero, another seed another sample, the same on any number of ranks */
static PetscErrorCode TestDraws(void)
{
  PetscReal       missing = 0.0, sum;
  PetscInt        first, last, code = 0, other = 0;
  PetscBool       whole = PETSC_TRUE;
  Mat             X[2];
  Vec             w, given;
  CCA             cca;
  static Weighted drawn;

  PetscFunctionBeginUser;
  PetscCall(Create(CCADIRECT, PETSC_FALSE, PETSC_TRUE, &data, X, &cca));
  PetscCall(MatCreateVecs(X[0], NULL, &w));
  drawn = data;
  for (PetscInt b = 0; b < 100; b++) {
    PetscCall(CCAGetBootstrapWeights(cca, 0, b, w));
    PetscCall(Counts(w, &drawn));
    if (drawn.repeated != data.n) whole = PETSC_FALSE;
    missing += (PetscReal)data.n / 100.0;
    for (PetscInt i = 0; i < drawn.repeated; i++)
      if (!i || drawn.sample[i] != drawn.sample[i - 1]) missing -= 0.01;
    if (!b)
      for (PetscInt i = 0; i < drawn.repeated; i++) code = (code * 31 + drawn.sample[i]) % 1000003;
  }
  PetscCall(CCAGetBootstrapWeights(cca, 1, 0, w));
  PetscCall(Counts(w, &drawn));
  for (PetscInt i = 0; i < drawn.repeated; i++) other = (other * 31 + drawn.sample[i]) % 1000003;
  missing /= (PetscReal)data.n;
  PetscCall(TapOk((PetscBool)(whole && missing > 0.35 && missing < 0.385), "as many are drawn as there are, of which 1/e are missing (%.4f)", (double)missing));
  PetscCall(TapOk((PetscBool)(code == 388145 && other != code), "the draws are those of one rank (%" PetscInt_FMT "), and others with another seed", code));
  PetscCall(WeightedVec(&data, X[0], 1.0, &given));
  PetscCall(CCASetWeights(cca, given));
  PetscCall(CCAGetBootstrapWeights(cca, 0, 3, w));
  PetscCall(VecGetOwnershipRange(w, &first, &last));
  for (PetscInt i = first; i < last; i++) { /* weight times count */
    PetscScalar a;

    PetscCall(VecGetValues(w, 1, &i, &a));
    if (data.weight[i] ? PetscAbsReal(PetscRealPart(a) / data.weight[i] - PetscFloorReal(0.5 + PetscRealPart(a) / data.weight[i])) > 1e-12 : PetscRealPart(a) != 0.0) whole = PETSC_FALSE;
  }
  PetscCall(VecNorm(w, NORM_1, &sum));
  PetscCall(TapOk((PetscBool)(whole && sum > 0.0), "samples of weight zero are not drawn, the others count as their weight says"));
  PetscCall(VecDestroy(&given));
  PetscCall(VecDestroy(&w));
  PetscCall(CCADestroy(&cca));
  for (int i = 0; i < 2; i++) PetscCall(MatDestroy(&X[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nearly normal numbers, y being 0.8 x and something else */
static PetscScalar NormalEntry(const void *ctx, PetscInt view, PetscInt i, PetscInt j)
{
  PetscReal x = 0.0, z = 0.0;

  (void)ctx, (void)j;
  for (PetscInt l = 0; l < 12; l++) {
    x += PetscRealPart(Hash(i, l, 21)) / 2.0;
    z += PetscRealPart(Hash(i, l, 22)) / 2.0;
  }
  return view ? 0.8 * x + 0.6 * z : x;
}

/* One variable a view: the deviation of Pearson's correlation of n normal samples is (1 - r^2)/sqrt(n) */
static PetscErrorCode TestScatter(void)
{
  const PetscInt   samples = 200, n = 500;
  const PetscReal *pearson;
  PetscReal        r, mean = 0.0, square = 0.0, wanted, low, high;
  Mat              X[2];
  CCA              cca;

  PetscFunctionBeginUser;
  for (PetscInt v = 0; v < 2; v++) PetscCall(ViewCreate(PETSC_COMM_WORLD, n, 1, PETSC_TRUE, -1, NormalEntry, NULL, v, &X[v]));
  PetscCall(CCACreate(PETSC_COMM_WORLD, &cca));
  PetscCall(CCASetData(cca, X[0], X[1]));
  PetscCall(CCASetShrinkage(cca, 0.0, 0.0));
  PetscCall(CCASolve(cca));
  PetscCall(CCAGetPearson(cca, 0, &r));
  PetscCall(CCABootstrap(cca, samples, 0));
  PetscCall(CCAGetBootstrap(cca, NULL, NULL, &pearson, NULL));
  for (PetscInt b = 0; b < samples; b++) mean += pearson[b] / (PetscReal)samples;
  for (PetscInt b = 0; b < samples; b++) square += PetscSqr(pearson[b] - mean) / (PetscReal)samples;
  wanted = (1.0 - r * r) / PetscSqrtReal((PetscReal)n);
  PetscCall(TapOk((PetscBool)(PetscAbsReal(PetscSqrtReal(square) / wanted - 1.0) < 0.2), "the scatter of a correlation of %.4f of normal data is %.4f, (1-r^2)/sqrt(n) is %.4f", (double)r, (double)PetscSqrtReal(square), (double)wanted));
  PetscCall(CCAGetBootstrapInterval(cca, 0, 0.95, &low, &high, NULL, NULL));
  PetscCall(TapOk((PetscBool)(PetscAbsReal((high - low) / (2.0 * 1.96 * wanted) - 1.0) < 0.2 && low < r && r < high), "and an interval of 95 %% is four times as wide: %.4f to %.4f", (double)low, (double)high));
  PetscCall(CCADestroy(&cca));
  for (int i = 0; i < 2; i++) PetscCall(MatDestroy(&X[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestMisuse(void)
{
  PetscErrorCode code[6];
  PetscReal      low;
  PetscInt       n;
  Mat            X[2];
  Vec            w;
  CCA            cca;

  PetscFunctionBeginUser;
  PetscCall(Create(CCADIRECT, PETSC_FALSE, PETSC_TRUE, &data, X, &cca));
  PetscCall(VecCreateMPI(PETSC_COMM_WORLD, PETSC_DECIDE, 3 * data.n, &w));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  code[0] = CCABootstrap(cca, 10, 0);
  PetscCall(CCASolve(cca));
  code[1] = CCABootstrap(cca, 1, 0);
  code[2] = CCAGetBootstrap(cca, &n, NULL, NULL, NULL);
  PetscCall(CCABootstrap(cca, 3, 0));
  code[3] = CCAGetBootstrapInterval(cca, 2, 0.95, &low, NULL, NULL, NULL);
  code[4] = CCAGetBootstrapInterval(cca, 0, 95.0, &low, NULL, NULL, NULL);
  code[5] = CCAGetBootstrapWeights(cca, 0, 0, w);
  PetscCall(CCASolve(cca));
  PetscCall(TapOk((PetscBool)(code[0] == PETSC_ERR_ORDER && code[1] == PETSC_ERR_ARG_OUTOFRANGE && code[2] == PETSC_ERR_ORDER && code[3] == PETSC_ERR_ARG_OUTOFRANGE && code[4] == PETSC_ERR_ARG_OUTOFRANGE && code[5] == PETSC_ERR_ARG_SIZ),
                  "misuse is refused"));
  PetscCall(TapOk((PetscBool)(CCAGetBootstrap(cca, &n, NULL, NULL, NULL) == PETSC_ERR_ORDER), "another solution forgets the bootstrap of the last one"));
  PetscCall(PetscPopErrorHandler());
  PetscCall(VecDestroy(&w));
  PetscCall(CCADestroy(&cca));
  for (int i = 0; i < 2; i++) PetscCall(MatDestroy(&X[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(TapBegin(&argc, &argv));
  WeightedSetUp(&data, 130, 3, 0.4);
  PetscCall(TestRepeated(CCADIRECT, PETSC_TRUE, PETSC_FALSE, 0.1, 1e-11));
  PetscCall(TestRepeated(CCADIRECT, PETSC_FALSE, PETSC_TRUE, CCA_SHRINKAGE_AUTO, 1e-11));
  /* residuals r of 1e-4 leave errors of up to cond(S) r^2 rho^2/gap, and there are conditions of some ten and gaps of 0.1 */
  PetscCall(TestRepeated(CCANAPI, PETSC_FALSE, PETSC_TRUE, 0.1, 1e-6));
  PetscCall(TestRepeated(CCANAPI, PETSC_TRUE, PETSC_FALSE, 0.0, 1e-6));
  PetscCall(TestDraws());
  PetscCall(TestScatter());
  PetscCall(TestMisuse());
  return TapEnd();
}
