/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Permutation tests: against all permutations there are, on noise, with blocks and weights, by both ways, and the same on any number of ranks.
*/
#include "ccadata.h"
#include "linnerud.h"
#include <math.h>

/* ------------------------------------------------- data ------------------------------------------------- */

typedef struct {
  PetscInt  seed;
  PetscReal strength[3]; /* of what column j < 3 of both views shares */
  PetscReal share;       /* of entries that are not zero */
} Mixed;

static PetscScalar MixedEntry(const void *ctx, PetscInt view, PetscInt i, PetscInt j)
{
  const Mixed *m = (const Mixed *)ctx;

  if (m->share < 1.0 && PetscAbsReal(PetscRealPart(Hash(i, j, 5000 + 2 * m->seed + view))) > m->share) return 0.0;
  return PetscRealPart(Hash(i, j, 2 * m->seed + view)) + (j < 3 ? m->strength[j] * PetscRealPart(Hash(i, j, 100000 + m->seed)) : 0.0);
}

/* A ridge, or minus a shrinkage */
static PetscErrorCode MixedCCA(MPI_Comm comm, const Mixed *m, PetscInt n, PetscInt d1, PetscInt d2, PetscInt k, PetscReal ridge, CCAType type, CCA *cca)
{
  Mat view[2];

  PetscFunctionBeginUser;
  PetscCall(CCACreate(comm, cca));
  for (int i = 0; i < 2; i++) PetscCall(ViewCreate(comm, n, i ? d2 : d1, (PetscBool)(m->share >= 1.0), -1, MixedEntry, m, i, &view[i]));
  PetscCall(CCASetData(*cca, view[0], view[1]));
  PetscCall(CCASetCentering(*cca, PETSC_TRUE));
  if (ridge > 0.0) PetscCall(CCASetRegularization(*cca, ridge, ridge));
  else PetscCall(CCASetShrinkage(*cca, -ridge, -ridge));
  PetscCall(CCASetDimensions(*cca, k));
  PetscCall(CCASetTolerances(*cca, 1e-8, 10000));
  PetscCall(CCASetType(*cca, type));
  for (int i = 0; i < 2; i++) PetscCall(MatDestroy(&view[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- all permutations ------------------------------------------------- */

#define EXH_N 7

/* L^{-1} with L L' = S, 2 x 2, and the whitened samples L^{-1}(x - m)/sqrt(n) */
static void ExhaustiveWhiten(const Mixed *m, PetscInt view, PetscReal ridge, PetscReal w[EXH_N][2])
{
  PetscReal mean[2] = {0, 0}, s[3] = {0, 0, 0}, l[3];

  for (int i = 0; i < EXH_N; i++)
    for (int j = 0; j < 2; j++) mean[j] += PetscRealPart(MixedEntry(m, view, i, j)) / EXH_N;
  for (int i = 0; i < EXH_N; i++) {
    for (int j = 0; j < 2; j++) w[i][j] = (PetscRealPart(MixedEntry(m, view, i, j)) - mean[j]) / PetscSqrtReal(EXH_N);
    s[0] += w[i][0] * w[i][0];
    s[1] += w[i][0] * w[i][1];
    s[2] += w[i][1] * w[i][1];
  }
  l[0] = PetscSqrtReal(s[0] + ridge);
  l[1] = s[1] / l[0];
  l[2] = PetscSqrtReal(s[2] + ridge - l[1] * l[1]);
  for (int i = 0; i < EXH_N; i++) {
    w[i][0] /= l[0];
    w[i][1] = (w[i][1] - l[1] * w[i][0]) / l[2];
  }
}

/* The larger singular value of T, and where wanted the second singular vectors */
static PetscReal ExhaustiveLargest(const PetscReal T[2][2], PetscReal p2[2], PetscReal q2[2])
{
  const PetscReal a = T[0][0] * T[0][0] + T[0][1] * T[0][1], b = T[0][0] * T[1][0] + T[0][1] * T[1][1], c = T[1][0] * T[1][0] + T[1][1] * T[1][1];
  const PetscReal e = T[0][0] * T[0][0] + T[1][0] * T[1][0], f = T[0][0] * T[0][1] + T[1][0] * T[1][1], g = T[0][1] * T[0][1] + T[1][1] * T[1][1];
  const PetscReal s = 0.5 * atan2(2.0 * b, a - c), t = 0.5 * atan2(2.0 * f, e - g);

  if (p2) {
    p2[0] = -PetscSinReal(s);
    p2[1] = PetscCosReal(s);
    q2[0] = -PetscSinReal(t);
    q2[1] = PetscCosReal(t);
  }
  return PetscSqrtReal((a + c) / 2.0 + PetscSqrtReal((a - c) * (a - c) / 4.0 + b * b));
}

static void ExhaustiveCross(PetscReal w[2][EXH_N][2], const PetscInt perm[], PetscReal T[2][2])
{
  for (int j = 0; j < 2; j++)
    for (int l = 0; l < 2; l++) {
      T[j][l] = 0.0;
      for (int i = 0; i < EXH_N; i++) T[j][l] += w[0][i][j] * w[1][perm[i]][l];
    }
}

/* p-values of both pairs over all n! permutations, by formulas for 2 x 2 matrices */
static void Exhaustive(const Mixed *m, PetscReal ridge, PetscReal p[2])
{
  PetscReal w[2][EXH_N][2], T[2][2], p2[2], q2[2], observed[2];
  PetscInt  perm[EXH_N], c[EXH_N] = {0}, count[2] = {0, 0}, total = 0;

  for (int v = 0; v < 2; v++) ExhaustiveWhiten(m, v, ridge, w[v]);
  for (int i = 0; i < EXH_N; i++) perm[i] = i;
  for (int i = 0; i < EXH_N;) { /* Heap's method */
    PetscReal value[2];

    if (!total || c[i] < i) {
      if (total) {
        const PetscInt j = i % 2 ? c[i] : 0, t = perm[j];

        perm[j] = perm[i];
        perm[i] = t;
        c[i]++;
        i = 0;
      }
      ExhaustiveCross(w, perm, T);
      if (!total) ExhaustiveLargest(T, p2, q2);
      value[0] = ExhaustiveLargest(T, NULL, NULL);
      value[1] = PetscAbsReal(p2[0] * (T[0][0] * q2[0] + T[0][1] * q2[1]) + p2[1] * (T[1][0] * q2[0] + T[1][1] * q2[1]));
      for (int l = 0; l < 2; l++) {
        if (!total) observed[l] = value[l];
        if (value[l] >= observed[l] * (1.0 - 1e-10)) count[l]++;
      }
      total++;
    } else {
      c[i] = 0;
      i++;
    }
  }
  p[0] = (PetscReal)count[0] / (PetscReal)total;
  p[1] = PetscMax(p[0], (PetscReal)count[1] / (PetscReal)total);
}

static PetscErrorCode TestExhaustive(void)
{
  const PetscInt N    = 9999;
  PetscBool      near = PETSC_TRUE, some = PETSC_FALSE;

  PetscFunctionBeginUser;
  for (PetscInt seed = 1; seed <= 4; seed++) {
    const Mixed m = {
      seed, {1.5, 0.8, 0.0},
       1.0
    };
    PetscReal p[2], wanted[2];
    CCA       cca;

    PetscCall(MixedCCA(PETSC_COMM_WORLD, &m, EXH_N, 2, 2, 2, 0.05, CCADIRECT, &cca));
    PetscCall(CCASolve(cca));
    PetscCall(CCAPermutationTest(cca, N, seed, NULL, p));
    Exhaustive(&m, 0.05, wanted);
    for (int i = 0; i < 2; i++) {
      if (!(PetscAbsReal(p[i] - wanted[i]) <= 4.0 * PetscSqrtReal(wanted[i] * (1.0 - wanted[i]) / N) + 1.0 / (N + 1))) near = PETSC_FALSE;
      if (wanted[i] > 0.02 && wanted[i] < 0.5) some = PETSC_TRUE;
      if (!near) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# seed %d pair %d: %g, all permutations give %g\n", (int)seed, i + 1, (double)p[i], (double)wanted[i]));
    }
    PetscCall(CCADestroy(&cca));
  }
  PetscCall(TapOk((PetscBool)(near && some), "7 samples: within four standard errors of the p-values of all 5040 permutations, for both pairs"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- noise ------------------------------------------------- */

/* The p-values of noise are uniform; each rank does some of the data sets */
static PetscErrorCode TestNoise(void)
{
  const PetscInt sets = 200, N = 99;
  PetscInt       count[101] = {0}, sum = 0;
  PetscReal      distance = 0.0;
  PetscMPIInt    rank, size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (PetscInt s = rank; s < sets; s += size) {
    const Mixed m = {
      1000 + s, {0.0, 0.0, 0.0},
         1.0
    };
    PetscReal p;
    CCA       cca;

    PetscCall(MixedCCA(PETSC_COMM_SELF, &m, 50, 80, 60, 1, 0.1, CCADIRECT, &cca));
    PetscCall(CCASolve(cca));
    PetscCall(CCAPermutationTest(cca, N, s, NULL, &p));
    count[(PetscInt)(p * (N + 1) + 0.5)]++;
    PetscCall(CCADestroy(&cca));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, count, 101, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  for (PetscInt j = 0; j <= N + 1; j++) {
    sum += count[j];
    distance = PetscMax(distance, PetscAbsReal((PetscReal)sum / sets - (PetscReal)j / (N + 1)));
  }
  PetscCall(TapOk((PetscBool)(sum == sets && distance < 1.358 / PetscSqrtReal((PetscReal)sets)), "noise, 50 samples of 80 and 60 columns, 200 times: p-values are uniform (Kolmogorov and Smirnov: %.4f, below %.4f at 5 %%)", (double)distance, 1.358 / sqrt((double)sets)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- both ways, any number of ranks ------------------------------------------------- */

/* Iterations and whitened scores judge the same permutations: p-values differ at most by what was undecided, which counts against the pair */
static PetscErrorCode TestLarge(PetscReal share, PetscInt n, PetscInt d1, PetscInt d2, PetscReal ridge, const PetscInt block[])
{
  const Mixed m = {
    7, {1.2, 0.6, 0.35},
     share
  };
  const PetscInt N = 99, k = 4;
  PetscReal      p[2][4], band[2], rho;
  PetscBool      same = PETSC_TRUE, exact[2], any = PETSC_FALSE;
  CCA            cca;

  PetscFunctionBeginUser;
  for (int way = 0; way < 2; way++) {
    PetscCall(MixedCCA(PETSC_COMM_WORLD, &m, n, d1, d2, k, ridge, way ? CCANAPI : CCADIRECT, &cca));
    PetscCall(CCASolve(cca));
    PetscCall(CCAPermutationTest(cca, N, 5, block, p[way]));
    PetscCall(CCAGetPermutationQuantile(cca, 0, 0.95, &band[way], &exact[way]));
    PetscCall(CCAGetCorrelation(cca, 0, &rho));
    PetscCall(CCADestroy(&cca));
  }
  for (PetscInt i = 0; i < k; i++) {
    if (!(p[1][i] >= p[0][i] - 1e-12 && p[1][i] <= p[0][i] + 0.03)) same = PETSC_FALSE;
    if (p[0][i] > 0.05) any = PETSC_TRUE;
  }
  if (!same || !any || !(p[0][0] <= 0.01))
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# direct %g %g %g %g, napi %g %g %g %g\n", (double)p[0][0], (double)p[0][1], (double)p[0][2], (double)p[0][3], (double)p[1][0], (double)p[1][1], (double)p[1][2], (double)p[1][3]));
  PetscCall(TapOk((PetscBool)(same && any && p[0][0] <= 0.01), "%s data%s: iterations come to the same p-values as whitened scores, of pairs that are real and of others", share < 1.0 ? "sparse" : "dense", block ? " in blocks" : ""));
  PetscCall(TapOk((PetscBool)(exact[0] && !exact[1] && band[1] >= band[0] - 1e-8 && band[1] < rho), "and their band lies between that one and the correlation"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Small problems of all kinds, with ridges that are large and small: what differs was undecided, and not much was */
static PetscErrorCode TestMany(void)
{
  const PetscReal ridges[]   = {1.0, 1e-1, 1e-2, -0.5, -1e-2};
  const PetscInt  sizes[][3] = {
     {30,  5,  7 },
     {30,  40, 9 },
     {40,  60, 50},
     {100, 20, 30}
  };
  const PetscInt N = 39, k        = 3;
  PetscInt       count, undecided = 0, all = 0;
  PetscBool      same = PETSC_TRUE;

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < 20; i++) {
    const Mixed m = {
      300 + i, {0.2 * (i % 7), 0.1 * (i % 5), 0.0},
         i % 2 ? 0.5 : 1.0
    };
    PetscReal p[2][3];
    CCA       cca;

    for (int way = 0; way < 2; way++) {
      PetscCall(MixedCCA(PETSC_COMM_WORLD, &m, sizes[i % 4][0], sizes[i % 4][1], sizes[i % 4][2], k, ridges[i % 5], way ? CCANAPI : CCADIRECT, &cca));
      PetscCall(CCASetScaling(cca, (PetscBool)(i % 3 == 0)));
      PetscCall(CCASolve(cca));
      PetscCall(CCAPermutationTest(cca, N, i, NULL, p[way]));
      PetscCall(CCAGetPermutationUndecided(cca, &count));
      PetscCall(CCADestroy(&cca));
    }
    for (PetscInt j = 0; j < k; j++) {
      if (p[1][j] >= p[0][j] - 1e-12 && p[1][j] <= p[0][j] + (PetscReal)count / (N + 1) + 1e-12) continue;
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# case %d, pair %d: %g by iterations, %g by whitened scores, %d undecided\n", (int)i, (int)j + 1, (double)p[1][j], (double)p[0][j], (int)count));
      same = PETSC_FALSE;
    }
    undecided += count;
    all += N * k;
  }
  PetscCall(TapOk((PetscBool)(same && undecided < all / 100), "20 problems: both ways make the same decisions, but for %d of %d that one leaves open", (int)undecided, (int)all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestRanks(CCAType type)
{
  const Mixed m = {
    3, {0.7, 0.5, 0.3},
     1.0
  };
  PetscReal p[3][3];
  CCA       cca;

  PetscFunctionBeginUser;
  for (int i = 0; i < 3; i++) {
    PetscCall(MixedCCA(i == 1 ? PETSC_COMM_SELF : PETSC_COMM_WORLD, &m, 60, 12, 9, 3, -0.1, type, &cca));
    PetscCall(CCASolve(cca));
    PetscCall(CCAPermutationTest(cca, 149, i < 2 ? 11 : 12, NULL, p[i]));
    PetscCall(CCADestroy(&cca));
  }
  PetscCall(TapOk((PetscBool)(p[0][0] == p[1][0] && p[0][1] == p[1][1] && p[0][2] == p[1][2]), "%s: the same p-values on all ranks together and on one alone", type));
  PetscCall(TapOk((PetscBool)(p[0][2] != p[2][2] || p[0][1] != p[2][1]), "%s: others with another seed", type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- blocks and weights ------------------------------------------------- */

static PetscScalar SiteEntry(const void *ctx, PetscInt view, PetscInt i, PetscInt j)
{
  (void)ctx;
  return Hash(i, j, 50 + view) + 4.0 * (PetscReal)(i % 4); /* four sites that differ in everything */
}

/* What differs from site to site looks like a correlation, unless samples are exchanged within sites only */
static PetscErrorCode TestBlocks(void)
{
  const PetscInt n = 40;
  PetscInt       first, last, block[40];
  PetscReal      p[2], within[2];
  Mat            view[2];
  CCA            cca;

  PetscFunctionBeginUser;
  for (int i = 0; i < 2; i++) PetscCall(ViewCreate(PETSC_COMM_WORLD, n, 3, PETSC_TRUE, -1, SiteEntry, NULL, i, &view[i]));
  PetscCall(MatGetOwnershipRange(view[0], &first, &last));
  for (PetscInt i = first; i < last; i++) block[i - first] = 7 * (i % 4) - 3;
  PetscCall(CCACreate(PETSC_COMM_WORLD, &cca));
  PetscCall(CCASetData(cca, view[0], view[1]));
  PetscCall(CCASetCentering(cca, PETSC_TRUE));
  PetscCall(CCASetDimensions(cca, 2));
  PetscCall(CCASolve(cca));
  PetscCall(CCAPermutationTest(cca, 199, 1, NULL, p));
  PetscCall(CCAPermutationTest(cca, 199, 1, block, within));
  PetscCall(TapOk((PetscBool)(p[0] == 0.005 && within[0] > 0.05), "what sites have in common is real (p = %g), but not within sites (p = %g)", (double)p[0], (double)within[0]));
  for (int i = 0; i < 2; i++) PetscCall(MatDestroy(&view[i]));
  PetscCall(CCADestroy(&cca));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A weight of zero is a sample that is not there; those of other weights stay among themselves */
static PetscErrorCode TestWeights(CCAType type)
{
  const Mixed m = {
    9, {1.0, 0.4, 0.0},
     1.0
  };
  PetscReal      p[3][2], wrong[2];
  PetscInt       first, last;
  PetscErrorCode ierr;
  Mat            X;
  Vec            w;
  CCA            cca;

  PetscFunctionBeginUser;
  for (int way = 0; way < 3; way++) { /* weights 1, weights 2 and 0 for samples that are not there, none and no such samples */
    PetscCall(MixedCCA(PETSC_COMM_WORLD, &m, way == 1 ? 70 : 50, 5, 4, 2, 0.1, type, &cca));
    if (way < 2) {
      PetscCall(CCAGetData(cca, &X, NULL));
      PetscCall(MatCreateVecs(X, NULL, &w));
      PetscCall(VecGetOwnershipRange(w, &first, &last));
      for (PetscInt i = first; i < last; i++) PetscCall(VecSetValue(w, i, way ? (i < 50 ? 2.0 : 0.0) : 1.0, INSERT_VALUES));
      PetscCall(VecAssemblyBegin(w));
      PetscCall(VecAssemblyEnd(w));
      PetscCall(CCASetWeights(cca, w));
    }
    PetscCall(CCASolve(cca));
    PetscCall(CCAPermutationTest(cca, 299, 2, NULL, p[way]));
    if (way == 1) {
      for (PetscInt i = first; i < last; i++) PetscCall(VecSetValue(w, i, 1.0 + i, INSERT_VALUES));
      PetscCall(VecAssemblyBegin(w));
      PetscCall(VecAssemblyEnd(w));
      PetscCall(CCASetWeights(cca, w));
      PetscCall(CCASolve(cca));
      PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
      ierr = CCAPermutationTest(cca, 9, 2, NULL, wrong);
      PetscCall(PetscPopErrorHandler());
      PetscCall(TapOk((PetscBool)(ierr == PETSC_ERR_ARG_WRONG), "%s: where all weights differ nothing can be exchanged, and that is refused", type));
    }
    if (way < 2) PetscCall(VecDestroy(&w));
    PetscCall(CCADestroy(&cca));
  }
  PetscCall(TapOk((PetscBool)(p[0][0] == p[2][0] && p[0][1] == p[2][1]), "%s: weights of 1 are none", type));
  PetscCall(TapOk((PetscBool)(PetscAbsReal(p[1][0] - p[2][0]) < 0.02 && PetscAbsReal(p[1][1] - p[2][1]) < 4.0 * PetscSqrtReal(2.0 * 0.25 / 299)), "%s: samples of weight 0 have no part in it", type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- the rest ------------------------------------------------- */

/*
   Linnerud, without ridge. NumPy with 200,000 permutations: both views orthonormalised by numpy.linalg.qr and rotated by the singular vectors of their product; then
   numpy.linalg.norm((A.T @ B[permutation])[i:, i:], 2), i = 0, 1, 2, with numpy.random.default_rng(1).
*/
static PetscErrorCode TestLinnerud(void)
{
  const PetscReal wanted[3] = {0.03802, 0.94097, 0.94097};
  const PetscInt  N         = 9999;
  PetscReal       p[3], band;
  PetscBool       near = PETSC_TRUE, exact;
  Mat             view[2];
  CCA             cca;

  PetscFunctionBeginUser;
  PetscCall(CCACreate(PETSC_COMM_WORLD, &cca));
  PetscCall(LinnerudViews(PETSC_COMM_WORLD, NULL, PETSC_TRUE, &view[0], &view[1]));
  PetscCall(CCASetData(cca, view[0], view[1]));
  PetscCall(CCASetCentering(cca, PETSC_TRUE));
  PetscCall(CCASetRegularization(cca, 0.0, 0.0));
  PetscCall(CCASetDimensions(cca, 3));
  PetscCall(CCASolve(cca));
  PetscCall(CCAPermutationTest(cca, N, 1, NULL, p));
  for (int i = 0; i < 3; i++)
    if (!(PetscAbsReal(p[i] - wanted[i]) < 4.0 * PetscSqrtReal(wanted[i] * (1.0 - wanted[i]) * (1.0 / N + 1.0 / 200000)))) near = PETSC_FALSE;
  PetscCall(TapOk(near, "Linnerud: p = %g, %g, %g, as with NumPy", (double)p[0], (double)p[1], (double)p[2]));
  PetscCall(CCAGetPermutationQuantile(cca, 0, 1.0 - p[0], &band, &exact));
  PetscCall(TapOk((PetscBool)(exact && band <= 0.7956081544199921 && band > 0.75), "the quantile at 1 - p is the observed correlation, nearly"));
  for (int i = 0; i < 2; i++) PetscCall(MatDestroy(&view[i]));
  PetscCall(CCADestroy(&cca));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestMisuse(void)
{
  const Mixed m = {
    1, {0.5, 0.0, 0.0},
     1.0
  };
  PetscErrorCode ierr[5];
  PetscReal      p[2], q;
  PetscInt       first, last, block[30];
  CCA            cca;
  Mat            X;

  PetscFunctionBeginUser;
  PetscCall(MixedCCA(PETSC_COMM_WORLD, &m, 30, 4, 4, 2, 0.1, CCADIRECT, &cca));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  ierr[0] = CCAPermutationTest(cca, 9, 1, NULL, p);
  PetscCall(CCASolve(cca));
  ierr[1] = CCAGetPermutationQuantile(cca, 0, 0.5, &q, NULL);
  ierr[2] = CCAPermutationTest(cca, 0, 1, NULL, p);
  PetscCall(CCAGetData(cca, &X, NULL));
  PetscCall(MatGetOwnershipRange(X, &first, &last));
  for (PetscInt i = first; i < last; i++) block[i - first] = i;
  ierr[3] = CCAPermutationTest(cca, 9, 1, block, p);
  PetscCall(CCAPermutationTest(cca, 9, 1, NULL, p));
  ierr[4] = CCAGetPermutationQuantile(cca, 2, 0.5, &q, NULL);
  PetscCall(PetscPopErrorHandler());
  PetscCall(TapOk((PetscBool)(ierr[0] == PETSC_ERR_ORDER && ierr[1] == PETSC_ERR_ORDER && ierr[2] == PETSC_ERR_ARG_OUTOFRANGE && ierr[3] == PETSC_ERR_ARG_WRONG && ierr[4] == PETSC_ERR_ARG_OUTOFRANGE),
                  "no solution, no permutations, none wanted, blocks of one sample, no such pair: refused"));
  PetscCall(CCADestroy(&cca));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt block[120];

  PetscFunctionBeginUser;
  PetscCall(TapBegin(&argc, &argv));
  for (int i = 0; i < 120; i++) block[i] = i % 2;
  PetscCall(TestExhaustive());
  PetscCall(TestNoise());
  PetscCall(TestLinnerud());
  PetscCall(TestRanks(CCADIRECT));
  PetscCall(TestBlocks());
  PetscCall(TestWeights(CCADIRECT));
  PetscCall(TestMisuse());
  if (!PetscDefined(USE_COMPLEX)) { /* which the other way refuses */
    PetscCall(TestMany());
    PetscCall(TestRanks(CCANAPI));
    PetscCall(TestWeights(CCANAPI));
    PetscCall(TestLarge(1.0, 120, 20, 30, 0.05, NULL));
    PetscCall(TestLarge(0.3, 120, 90, 150, 0.05, NULL));
    PetscCall(TestLarge(0.3, 120, 90, 150, -0.2, block));
  }
  return TapEnd();
}
