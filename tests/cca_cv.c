/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Cross-validation against the same done by hand: rows are copied, covariances formed, pairs found by Jacobi rotations and the power method,
   and the scores of the rows left out correlated. And folds that are of no use.
*/
#include "ccadata.h"

#define N  66 /* samples */
#define D1 7
#define D2 5
#define K  2
#define DM 7 /* the larger of D1 and D2 */

static const PetscInt d[2] = {D1, D2};

typedef struct {
  const char *type;
  PetscBool   dense, center, scale, weighted;
  CCAPath     kind;
  CCAFolds    how;
} Case;

/* --- data ----------------------------------------------------------------------------------------------------- */

static PetscBool outlier = PETSC_FALSE; /* one sample has most of the variance of a column */

/* Real in any case; something shared, means that are not zero, columns of different size, and two that are rarely not zero */
static PetscReal Value(PetscInt view, PetscInt i, PetscInt j)
{
  const PetscReal common = PetscRealPart(Hash(i, j, 1000)), own = PetscRealPart(Hash(i, j, 7 + view));

  if (outlier && j == 5 && i == 40) return 1e4;
  if (j == 4) return i % 11 == 3 ? 1.0 + own : 0.0;
  if (PetscAbsReal(PetscRealPart(Hash(i, j, 50 + view))) > 0.8) return 0.0;
  return (1.0 + j) * (0.4 + own + 1.5 * common / (1.0 + j) + 0.5 * PetscRealPart(Hash(i, 0, 2000)));
}

static PetscScalar Entry(const void *ctx, PetscInt view, PetscInt i, PetscInt j)
{
  (void)ctx;
  return Value(view, i, j);
}

static PetscReal Weight(const Case *c, PetscInt i)
{
  return c->weighted ? (PetscReal)(i % 4) : 1.0; /* some have none */
}

/* --- by hand -------------------------------------------------------------------------------------------------- */

/* S := S^{-1/2}, by eigenvectors from Jacobi's rotations; next to no eigenvalue counts as none */
static void InverseRoot(PetscInt n, PetscReal S[DM][DM])
{
  PetscReal V[DM][DM], most = 0.0, root[DM];

  for (PetscInt i = 0; i < n; i++)
    for (PetscInt j = 0; j < n; j++) V[i][j] = i == j ? 1.0 : 0.0;
  for (PetscInt sweep = 0; sweep < 40; sweep++) {
    for (PetscInt p = 0; p < n; p++) {
      for (PetscInt q = p + 1; q < n; q++) {
        PetscReal theta, t, c, s;

        if (PetscAbsReal(S[p][q]) < 1e-300) continue;
        theta = (S[q][q] - S[p][p]) / (2.0 * S[p][q]);
        t     = (theta < 0.0 ? -1.0 : 1.0) / (PetscAbsReal(theta) + PetscSqrtReal(1.0 + theta * theta));
        c     = 1.0 / PetscSqrtReal(1.0 + t * t);
        s     = t * c;
        for (PetscInt i = 0; i < n; i++) {
          const PetscReal x = S[i][p], y = S[i][q];

          S[i][p] = c * x - s * y;
          S[i][q] = s * x + c * y;
        }
        for (PetscInt i = 0; i < n; i++) {
          const PetscReal x = S[p][i], y = S[q][i], u = V[i][p], v = V[i][q];

          S[p][i] = c * x - s * y;
          S[q][i] = s * x + c * y;
          V[i][p] = c * u - s * v;
          V[i][q] = s * u + c * v;
        }
      }
    }
  }
  for (PetscInt i = 0; i < n; i++) most = PetscMax(most, S[i][i]);
  for (PetscInt i = 0; i < n; i++) root[i] = S[i][i] > 1e-14 * most ? 1.0 / PetscSqrtReal(S[i][i]) : 0.0;
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j < n; j++) {
      S[i][j] = 0.0;
      for (PetscInt l = 0; l < n; l++) S[i][j] += V[i][l] * root[l] * V[j][l];
    }
  }
}

/* The rows of a view that have a weight and are in other folds: centred and scaled by their own mean and deviation. Returns scale */
static void Standardize(const Case *c, PetscInt view, const PetscInt fold[], PetscInt f, PetscReal Z[N][DM], PetscReal scale[DM])
{
  for (PetscInt j = 0; j < d[view]; j++) {
    PetscReal total = 0.0, mean = 0.0, var = 0.0;

    for (PetscInt i = 0; i < N; i++)
      if (fold[i] != f) total += Weight(c, i);
    for (PetscInt i = 0; i < N; i++)
      if (fold[i] != f && c->center) mean += Weight(c, i) * Value(view, i, j) / total;
    for (PetscInt i = 0; i < N; i++)
      if (fold[i] != f) var += Weight(c, i) * PetscSqr(Value(view, i, j) - mean) / total;
    scale[j] = c->scale ? (var > 0.0 ? 1.0 / PetscSqrtReal(var) : 0.0) : 1.0;
    for (PetscInt i = 0; i < N; i++) Z[i][j] = fold[i] == f ? 0.0 : PetscSqrtReal(Weight(c, i) / total) * scale[j] * (Value(view, i, j) - mean);
  }
}

/* K directions of each view, in the user's units: singular vectors of S11^{-1/2} S12 S22^{-1/2} by the power method with deflation */
static void Directions(const Case *c, PetscReal value, const PetscInt fold[], PetscInt f, PetscReal W[2][DM][K])
{
  static PetscReal Z[2][N][DM];
  PetscReal        S[2][DM][DM], scale[2][DM], T[DM][DM], H[DM][DM];

  for (int v = 0; v < 2; v++) {
    PetscReal trace = 0.0, ridge = value;

    Standardize(c, v, fold, f, Z[v], scale[v]);
    for (PetscInt a = 0; a < d[v]; a++) {
      for (PetscInt b = 0; b < d[v]; b++) {
        S[v][a][b] = 0.0;
        for (PetscInt i = 0; i < N; i++) S[v][a][b] += Z[v][i][a] * Z[v][i][b];
      }
      trace += S[v][a][a];
    }
    if (c->kind == CCA_PATH_SHRINKAGE) ridge = value / (1.0 - value) * trace / (PetscReal)d[v];
    for (PetscInt a = 0; a < d[v]; a++) S[v][a][a] += ridge;
    InverseRoot(d[v], S[v]);
  }
  for (PetscInt a = 0; a < D1; a++) {
    for (PetscInt b = 0; b < D2; b++) {
      H[a][b] = 0.0;
      for (PetscInt i = 0; i < N; i++) H[a][b] += Z[0][i][a] * Z[1][i][b];
    }
  }
  for (PetscInt a = 0; a < D1; a++) {
    for (PetscInt b = 0; b < D2; b++) {
      T[a][b] = 0.0;
      for (PetscInt i = 0; i < D1; i++)
        for (PetscInt j = 0; j < D2; j++) T[a][b] += S[0][a][i] * H[i][j] * S[1][j][b];
    }
  }
  for (PetscInt k = 0; k < K; k++) {
    PetscReal p[DM], q[DM], norm = 0.0;

    for (PetscInt b = 0; b < D2; b++) q[b] = 1.0 + 0.1 * b;
    for (PetscInt step = 0; step < 3000; step++) {
      norm = 0.0;
      for (PetscInt a = 0; a < D1; a++) {
        p[a] = 0.0;
        for (PetscInt b = 0; b < D2; b++) p[a] += T[a][b] * q[b];
        norm += p[a] * p[a];
      }
      for (PetscInt a = 0; a < D1; a++) p[a] /= PetscSqrtReal(norm);
      norm = 0.0;
      for (PetscInt b = 0; b < D2; b++) {
        q[b] = 0.0;
        for (PetscInt a = 0; a < D1; a++) q[b] += T[a][b] * p[a];
        norm += q[b] * q[b];
      }
      norm = PetscSqrtReal(norm);
      for (PetscInt b = 0; b < D2; b++) q[b] /= norm;
    }
    for (PetscInt a = 0; a < D1; a++)
      for (PetscInt b = 0; b < D2; b++) T[a][b] -= norm * p[a] * q[b];
    for (PetscInt a = 0; a < D1; a++) {
      W[0][a][k] = 0.0;
      for (PetscInt i = 0; i < D1; i++) W[0][a][k] += scale[0][a] * S[0][a][i] * p[i];
    }
    for (PetscInt b = 0; b < D2; b++) {
      W[1][b][k] = 0.0;
      for (PetscInt j = 0; j < D2; j++) W[1][b][k] += scale[1][b] * S[1][b][j] * q[j];
    }
  }
}

/* The correlation, or cosine, of the scores of the rows of a fold */
static PetscReal Score(const Case *c, const PetscInt fold[], PetscInt f, PetscReal W[2][DM][K], PetscInt k)
{
  PetscReal t[2][N], mean[2] = {0.0, 0.0}, total = 0.0, sum[3] = {0.0, 0.0, 0.0};

  for (PetscInt i = 0; i < N; i++) {
    for (int v = 0; v < 2; v++) {
      t[v][i] = 0.0;
      for (PetscInt j = 0; j < d[v]; j++) t[v][i] += Value(v, i, j) * W[v][j][k];
    }
    if (fold[i] != f) continue;
    total += Weight(c, i);
    for (int v = 0; v < 2; v++) mean[v] += Weight(c, i) * t[v][i];
  }
  for (PetscInt i = 0; i < N; i++) {
    const PetscReal w = fold[i] == f ? Weight(c, i) : 0.0, x = t[0][i] - (c->center ? mean[0] / total : 0.0), y = t[1][i] - (c->center ? mean[1] / total : 0.0);

    sum[0] += w * x * x;
    sum[1] += w * y * y;
    sum[2] += w * x * y;
  }
  return sum[2] / PetscSqrtReal(sum[0] * sum[1]);
}

/* --- the folds that are promised: splitmix64 from the seed, Fisher and Yates, dealt out in turn ------------------------------------ */

static void RandomFolds(PetscInt nfolds, unsigned long long state, PetscInt fold[])
{
  PetscInt order[N];

  for (PetscInt i = 0; i < N; i++) order[i] = i;
  for (PetscInt i = N - 1; i > 0; i--) {
    unsigned long long z = (state += 0x9E3779B97F4A7C15ULL);
    PetscInt           j, o = order[i];

    z        = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z        = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    j        = (PetscInt)((z ^ (z >> 31)) % (unsigned long long)(i + 1));
    order[i] = order[j];
    order[j] = o;
  }
  for (PetscInt i = 0; i < N; i++) fold[order[i]] = i % nfolds;
}

/* --- tests ---------------------------------------------------------------------------------------------------- */

static PetscErrorCode NewCCA(const Case *c, CCA *cca)
{
  PetscInt first, last;
  Mat      X[2];
  Vec      w;

  PetscFunctionBegin;
  PetscCall(CCACreate(PETSC_COMM_WORLD, cca));
  for (PetscInt v = 0; v < 2; v++) PetscCall(ViewCreate(PETSC_COMM_WORLD, N, d[v], c->dense, -1, Entry, NULL, v, &X[v]));
  PetscCall(CCASetData(*cca, X[0], X[1]));
  PetscCall(CCASetType(*cca, c->type));
  PetscCall(CCASetDimensions(*cca, K));
  PetscCall(CCASetCentering(*cca, c->center));
  PetscCall(CCASetScaling(*cca, c->scale));
  PetscCall(CCASetTolerances(*cca, 1e-10, PETSC_DECIDE));
  PetscCall(CCASetCrossValidationTolerance(*cca, 1e-10));
  if (c->weighted) {
    PetscCall(MatCreateVecs(X[0], NULL, &w));
    PetscCall(VecGetOwnershipRange(w, &first, &last));
    for (PetscInt i = first; i < last; i++) PetscCall(VecSetValue(w, i, Weight(c, i), INSERT_VALUES));
    PetscCall(VecAssemblyBegin(w));
    PetscCall(VecAssemblyEnd(w));
    PetscCall(CCASetWeights(*cca, w));
    PetscCall(VecDestroy(&w));
  }
  for (int v = 0; v < 2; v++) PetscCall(MatDestroy(&X[v]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The folds of a case: of all samples, and given to the object */
static PetscErrorCode ChooseFolds(const Case *c, CCA cca, PetscInt *nfolds, PetscInt fold[])
{
  const PetscInt labels[] = {7, -3, 100};
  PetscInt       first, last, local[N];
  Mat            X;

  PetscFunctionBegin;
  *nfolds = 3;
  PetscCall(CCAGetData(cca, &X, NULL));
  PetscCall(MatGetOwnershipRange(X, &first, &last));
  if (c->how == CCA_FOLDS_RANDOM) RandomFolds(*nfolds, 42, fold);
  for (PetscInt i = 0; i < N && c->how != CCA_FOLDS_RANDOM; i++) fold[i] = c->how == CCA_FOLDS_CONTIGUOUS ? (i * *nfolds) / N : (i / 3) % 3;
  if (c->how != CCA_FOLDS_GIVEN) {
    PetscCall(CCASetFolds(cca, *nfolds, c->how, 42));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt i = first; i < last; i++) local[i - first] = labels[fold[i]];
  PetscCall(CCASetFoldNumbers(cca, last - first, local));
  for (PetscInt i = 0; i < N; i++) fold[i] = fold[i] == 1 ? 0 : fold[i] == 0 ? 1 : 2; /* in the order of the labels */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What was chosen is what the object is solved with */
static PetscErrorCode Refitted(const Case *c, CCA cca, PetscReal value)
{
  PetscReal rho[2], worst = 0.0;
  Vec       before, after;
  CCA       fresh;

  PetscFunctionBegin;
  PetscCall(NewCCA(c, &fresh));
  if (c->kind == CCA_PATH_RIDGE) PetscCall(CCASetRegularization(fresh, value, value));
  else PetscCall(CCASetShrinkage(fresh, value, value));
  PetscCall(CCASolve(fresh));
  for (PetscInt k = 0; k < K; k++) {
    PetscCall(CCAGetCorrelation(cca, k, &rho[0]));
    PetscCall(CCAGetCorrelation(fresh, k, &rho[1]));
    worst = TapWorst(worst, PetscAbsReal(rho[0] - rho[1]));
  }
  PetscCall(CCAGetWeights(fresh, &before));
  PetscCall(CCAGetWeights(cca, &after));
  PetscCall(TapOk((PetscBool)(worst < 1e-10 && !before == !after), "and the solution of all samples for the best value is left (to %.0e)", (double)worst));
  PetscCall(CCADestroy(&fresh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compare(const Case *c)
{
  const PetscReal  values[] = {0.05, 0.6, c->kind == CCA_PATH_RIDGE ? 0.5 : 0.2, c->scale ? 0.0 : 0.01};
  const PetscInt   n        = (PetscInt)PETSC_STATIC_ARRAY_LENGTH(values);
  const PetscReal *mean, *error, *r, *got;
  PetscReal        W[2][DM][K], worst = 0.0, wrong = 0.0;
  PetscInt         fold[N], nfolds, count[4], best = 0, failed, constant;
  CCA              cca;

  PetscFunctionBegin;
  PetscCall(NewCCA(c, &cca));
  PetscCall(ChooseFolds(c, cca, &nfolds, fold));
  PetscCall(CCACrossValidate(cca, c->kind, n, values));
  PetscCall(CCAGetCrossValidation(cca, &count[0], &count[1], &count[2], &count[3], &got, &mean, &error, &r));
  for (PetscInt l = 0; l < n; l++) {
    PetscReal m[3] = {0.0, 0.0, 0.0}, average = 0.0, squares = 0.0;

    wrong = TapWorst(wrong, PetscAbsReal(got[l] - values[l]));
    for (PetscInt f = 0; f < nfolds; f++) {
      Directions(c, values[l], fold, f, W);
      for (PetscInt k = 0; k < K; k++) {
        const PetscReal expected = Score(c, fold, f, W, k);

        worst = TapWorst(worst, PetscAbsReal(r[(l * nfolds + f) * K + k] - expected));
        m[f] += expected / K;
      }
      average += m[f] / (PetscReal)nfolds;
    }
    for (PetscInt f = 0; f < nfolds; f++) squares += PetscSqr(m[f] - average);
    wrong = TapWorst(wrong, PetscAbsReal(mean[l] - average));
    wrong = TapWorst(wrong, PetscAbsReal(error[l] - PetscSqrtReal(squares / (nfolds * (nfolds - 1)))));
    if (mean[l] > mean[best]) best = l;
  }
  PetscCall(CCAGetCrossValidationTrouble(cca, &failed, &constant));
  PetscCall(TapOk((PetscBool)(count[0] == n && count[1] == nfolds && count[2] == K && worst < 1e-7), "%s, %s, %s%s%s, %s, %s folds: correlations of samples left out (to %.0e)", c->type, c->dense ? "dense" : "sparse", c->center ? "centred" : "not centred", c->scale ? ", scaled" : "", c->weighted ? ", weighted" : "", CCAPaths[c->kind], CCAFoldsTypes[c->how], (double)worst));
  PetscCall(TapOk((PetscBool)(wrong < 1e-7 && count[3] == best && !failed && !constant), "their means, standard errors and the best (to %.0e)", (double)wrong));
  PetscCall(Refitted(c, cca, values[best]));
  PetscCall(CCADestroy(&cca));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest within a standard error of the best; and what a pair has by itself */
static PetscErrorCode OneStandardError(void)
{
  const Case       c        = {CCADIRECT, PETSC_TRUE, PETSC_TRUE, PETSC_FALSE, PETSC_FALSE, CCA_PATH_SHRINKAGE, CCA_FOLDS_RANDOM};
  const PetscReal  values[] = {0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9};
  const PetscInt   n        = (PetscInt)PETSC_STATIC_ARRAY_LENGTH(values);
  const PetscReal *mean, *error, *r;
  PetscReal        one, se, average, shrinkage[2];
  PetscInt         best[2], expected;
  CCA              cca;

  PetscFunctionBegin;
  PetscCall(NewCCA(&c, &cca));
  PetscCall(CCASetFolds(cca, 4, CCA_FOLDS_RANDOM, 3));
  PetscCall(CCACrossValidate(cca, c.kind, n, values));
  PetscCall(CCAGetCrossValidation(cca, NULL, NULL, NULL, &best[0], NULL, NULL, NULL, NULL));
  PetscCall(CCASetOneStandardError(cca, PETSC_TRUE));
  PetscCall(CCACrossValidate(cca, c.kind, n, values));
  PetscCall(CCAGetCrossValidation(cca, NULL, NULL, NULL, &best[1], NULL, &mean, &error, &r));
  expected = best[0];
  for (PetscInt l = best[0]; l < n; l++)
    if (mean[l] >= mean[best[0]] - error[best[0]]) expected = l;
  PetscCall(TapOk((PetscBool)(best[1] == expected && best[1] > best[0]), "one standard error: %g instead of %g", (double)values[best[1]], (double)values[best[0]]));
  PetscCall(CCAGetShrinkage(cca, &shrinkage[0], &shrinkage[1]));
  PetscCall(TapOk((PetscBool)(shrinkage[0] == values[best[1]] && shrinkage[1] == values[best[1]]), "which is what the object has"));
  average = (r[(best[1] * 4 + 0) * K + 1] + r[(best[1] * 4 + 1) * K + 1] + r[(best[1] * 4 + 2) * K + 1] + r[(best[1] * 4 + 3) * K + 1]) / 4.0;
  PetscCall(CCAGetCrossValidatedCorrelation(cca, 1, &one, &se));
  PetscCall(TapOk((PetscBool)(PetscAbsReal(one - average) < 1e-14 && se > 0.0), "the correlation of the second pair is the mean over its folds"));
  PetscCall(CCADestroy(&cca));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A column that is not zero outside of the last fold only: the score is the same for all of that */
static PetscScalar Rare(const void *ctx, PetscInt view, PetscInt i, PetscInt j)
{
  (void)ctx;
  if (j) return Hash(i, j, view) + 0.3;
  return i < 20 ? Hash(i, 0, 5) + 0.1 * Hash(i, 0, view) : 0.0;
}

static PetscErrorCode ConstantScores(const char *type)
{
  const PetscReal  value = 0.01;
  const PetscReal *r;
  PetscInt         failed, constant;
  PetscBool        finite = PETSC_TRUE;
  Mat              X[2];
  CCA              cca;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < 2; v++) PetscCall(ViewCreate(PETSC_COMM_WORLD, 30, 1, PETSC_FALSE, -1, Rare, NULL, v, &X[v]));
  PetscCall(CCACreate(PETSC_COMM_WORLD, &cca));
  PetscCall(CCASetData(cca, X[0], X[1]));
  PetscCall(CCASetType(cca, type));
  PetscCall(CCASetFolds(cca, 3, CCA_FOLDS_CONTIGUOUS, 0));
  PetscCall(CCACrossValidate(cca, CCA_PATH_SHRINKAGE, 1, &value));
  PetscCall(CCAGetCrossValidation(cca, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &r));
  PetscCall(CCAGetCrossValidationTrouble(cca, &failed, &constant));
  for (int f = 0; f < 3; f++)
    if (PetscIsInfOrNanReal(r[f])) finite = PETSC_FALSE;
  PetscCall(TapOk((PetscBool)(finite && r[0] > 0.5 && r[1] > 0.5 && r[2] == 0.0 && constant == 1), "%s: a score that is the same for a whole fold has the correlation 0, and is counted", type));
  PetscCall(CCADestroy(&cca));
  for (int v = 0; v < 2; v++) PetscCall(MatDestroy(&X[v]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Wrong(void)
{
  const Case      c   = {CCADIRECT, PETSC_TRUE, PETSC_TRUE, PETSC_FALSE, PETSC_FALSE, CCA_PATH_SHRINKAGE, CCA_FOLDS_RANDOM};
  const PetscReal one = 1.0, value = 0.1, negative = -0.1;
  PetscInt        local[N], first, last;
  PetscReal       r;
  Mat             X;
  CCA             cca;

  PetscFunctionBegin;
  PetscCall(NewCCA(&c, &cca));
  PetscCall(CCAGetData(cca, &X, NULL));
  PetscCall(MatGetOwnershipRange(X, &first, &last));
  TapFails(CCAGetCrossValidatedCorrelation(cca, 0, &r, NULL), PETSC_ERR_ORDER, "CCACrossValidate", "no cross-validation yet: refused");
  TapFails(CCASetFolds(cca, 1, CCA_FOLDS_RANDOM, 0), PETSC_ERR_ARG_OUTOFRANGE, "2 folds", "one fold: refused");
  TapFails(CCACrossValidate(cca, CCA_PATH_SHRINKAGE, 0, &value), PETSC_ERR_ARG_OUTOFRANGE, "value", "no value: refused");
  TapFails(CCACrossValidate(cca, CCA_PATH_SHRINKAGE, 1, &one), PETSC_ERR_ARG_OUTOFRANGE, "less than 1", "a shrinkage of 1: refused");
  TapFails(CCACrossValidate(cca, CCA_PATH_RIDGE, 1, &negative), PETSC_ERR_ARG_OUTOFRANGE, "not negative", "a negative ridge: refused");
  PetscCall(CCASetFolds(cca, N + 1, CCA_FOLDS_RANDOM, 0));
  TapFails(CCACrossValidate(cca, CCA_PATH_SHRINKAGE, 1, &value), PETSC_ERR_ARG_OUTOFRANGE, "fewer", "more folds than samples: refused");
  PetscCall(CCASetFolds(cca, N / 2, CCA_FOLDS_CONTIGUOUS, 0));
  TapFails(CCACrossValidate(cca, CCA_PATH_SHRINKAGE, 1, &value), PETSC_ERR_ARG_WRONG, "a correlation needs 3", "folds of two samples: refused");
  for (PetscInt i = first; i < last; i++) local[i - first] = 4;
  PetscCall(CCASetFoldNumbers(cca, last - first, local));
  TapFails(CCACrossValidate(cca, CCA_PATH_SHRINKAGE, 1, &value), PETSC_ERR_ARG_WRONG, "the same fold", "all samples in one group: refused");
  TapFails(CCASetFoldNumbers(cca, last - first + 1, local), PETSC_ERR_ARG_SIZ, "each sample", "a fold too many: refused");
  PetscCall(CCASetFolds(cca, 5, CCA_FOLDS_RANDOM, 0));
  PetscCall(CCACrossValidate(cca, CCA_PATH_SHRINKAGE, 1, &value));
  PetscCall(CCAGetCrossValidatedCorrelation(cca, 0, &r, NULL));
  PetscCall(TapOk((PetscBool)(r > 0.0), "and after all that the object is as good as new"));
  PetscCall(CCADestroy(&cca));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  static const char *const types[] = {CCADIRECT, CCANAPI};
  const Case               eps     = {CCAEPS, PETSC_FALSE, PETSC_TRUE, PETSC_FALSE, PETSC_FALSE, CCA_PATH_SHRINKAGE, CCA_FOLDS_RANDOM};
  const Case               left    = {CCADIRECT, PETSC_TRUE, PETSC_TRUE, PETSC_TRUE, PETSC_FALSE, CCA_PATH_SHRINKAGE, CCA_FOLDS_CONTIGUOUS};
  PetscMPIInt              size;

  PetscCall(TapBegin(&argc, &argv));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (int t = 0; t < 2; t++) {
    for (int i = size > 1 ? 2 : 0; i < (size > 1 ? 5 : 8); i++) { /* some of them on several ranks */
      const Case c = {types[t],
                      (PetscBool)(i & 1),
                      (PetscBool)(i != 5 && i != 6),
                      (PetscBool)(i & 2),
                      (PetscBool)(i & 4),
                      i == 1 || i == 6 ? CCA_PATH_RIDGE : CCA_PATH_SHRINKAGE,
                      i % 3 == 0 ? CCA_FOLDS_RANDOM : i % 3 == 1 ? CCA_FOLDS_CONTIGUOUS : CCA_FOLDS_GIVEN};

      PetscCall(Compare(&c));
    }
    PetscCall(ConstantScores(types[t]));
  }
  if (size == 1) PetscCall(Compare(&eps));
  outlier = PETSC_TRUE; /* what a fold takes off the covariances is nearly all of them */
  PetscCall(Compare(&left));
  outlier = PETSC_FALSE;
  PetscCall(OneStandardError());
  PetscCall(Wrong());
  return TapEnd();
}
