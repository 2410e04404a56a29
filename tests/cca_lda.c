/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Fisher's discriminants: values, directions, class means and predictions against LAPACK's answer for covariances within and between the
   classes that are formed sample by sample, for every type, with shrinkage, ridge, scaling and weights. And weights that are whole numbers do what repeated
   samples do, in all analyses.
*/
#include "ccadata.h"

#define N 60
#define D 5
#define C 4 /* classes */
#define K (C - 1)

static PetscInt Class(PetscInt i)
{
  return (7 * i + i / 9) % 11 % C;
}

static PetscScalar Entry(PetscInt view, PetscInt i, PetscInt j)
{
  (void)view;
  return PetscRealPart(Hash(i, j, 3)) + 1.3 * PetscRealPart(Hash(Class(i), j, 4)) + (j ? 0.4 * PetscRealPart(Hash(i, j - 1, 3)) : 2.0) + 5.0 * j;
}

/* What LAPACK says: all D eigenvectors of (Sb, Sw + r I), and what they are made of */
typedef struct {
  PetscReal   prior[C], value[D], ridge;
  PetscScalar mean[D], scale[D], center[C * D], W[D * D];
} Answer;

/* Means, shares and scales of the columns, weight by weight */
static void Moments(PetscBool scaled, const PetscReal w[], Answer *a)
{
  PetscReal total = 0.0, square[D] = {0.0};

  PetscMemzero(a, sizeof(*a));
  for (PetscInt i = 0; i < N; i++) {
    total += w[i];
    a->prior[Class(i)] += w[i];
    for (PetscInt j = 0; j < D; j++) {
      a->mean[j] += w[i] * Entry(0, i, j);
      a->center[Class(i) * D + j] += w[i] * Entry(0, i, j);
    }
  }
  for (PetscInt j = 0; j < D; j++) {
    a->mean[j] /= total;
    for (PetscInt i = 0; i < N; i++) square[j] += w[i] * PetscSqr(PetscRealPart(Entry(0, i, j) - a->mean[j])) / total;
    a->scale[j] = scaled ? 1.0 / PetscSqrtReal(square[j]) : 1.0;
    for (PetscInt c = 0; c < C; c++) a->center[c * D + j] = (a->center[c * D + j] / a->prior[c] - a->mean[j]) * a->scale[j];
  }
  for (PetscInt c = 0; c < C; c++) a->prior[c] /= total;
}

static PetscErrorCode Lapack(PetscBool scaled, PetscReal ridge, PetscReal shrinkage, const PetscReal w[], Answer *a)
{
  PetscScalar *sb, *sw, *x;
  PetscReal    total = 0.0, trace = 0.0;
  Mat          B, S;
  Vec          v;
  EPS          eps;

  PetscFunctionBegin;
  Moments(scaled, w, a);
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, D, D, NULL, &B));
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, D, D, NULL, &S));
  PetscCall(MatDenseGetArray(B, &sb));
  PetscCall(MatDenseGetArray(S, &sw));
  for (PetscInt i = 0; i < N; i++) total += w[i];
  for (PetscInt j = 0; j < D; j++)
    for (PetscInt l = 0; l < D; l++) {
      for (PetscInt c = 0; c < C; c++) sb[j + l * D] += a->prior[c] * a->center[c * D + j] * a->center[c * D + l];
      for (PetscInt i = 0; i < N; i++) {
        const PetscScalar *m = a->center + Class(i) * D;

        sw[j + l * D] += w[i] / total * ((Entry(0, i, j) - a->mean[j]) * a->scale[j] - m[j]) * ((Entry(0, i, l) - a->mean[l]) * a->scale[l] - m[l]);
      }
    }
  for (PetscInt j = 0; j < D; j++) trace += PetscRealPart(sb[j + j * D] + sw[j + j * D]);
  a->ridge = shrinkage > 0.0 ? shrinkage / (1.0 - shrinkage) * trace / D : ridge;
  for (PetscInt j = 0; j < D; j++) sw[j + j * D] += a->ridge;
  PetscCall(MatDenseRestoreArray(B, &sb));
  PetscCall(MatDenseRestoreArray(S, &sw));
  for (int i = 0; i < 2; i++) {
    PetscCall(MatAssemblyBegin(i ? S : B, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(i ? S : B, MAT_FINAL_ASSEMBLY));
  }
  PetscCall(EPSCreate(PETSC_COMM_SELF, &eps));
  PetscCall(EPSSetOperators(eps, B, S));
  PetscCall(EPSSetProblemType(eps, EPS_GHEP));
  PetscCall(EPSSetType(eps, EPSLAPACK));
  PetscCall(EPSSetWhichEigenpairs(eps, EPS_LARGEST_REAL));
  PetscCall(EPSSetDimensions(eps, D, PETSC_DECIDE, PETSC_DECIDE));
  PetscCall(EPSSolve(eps));
  PetscCall(MatCreateVecs(B, &v, NULL));
  for (PetscInt j = 0; j < D; j++) {
    PetscScalar lambda;

    PetscCall(EPSGetEigenpair(eps, j, &lambda, NULL, v, NULL));
    a->value[j] = PetscRealPart(lambda);
    PetscCall(VecGetArray(v, &x));
    for (PetscInt l = 0; l < D; l++) a->W[l + j * D] = x[l];
    PetscCall(VecRestoreArray(v, &x));
  }
  PetscCall(VecDestroy(&v));
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&S));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The class of a sample by all D directions: the distance in which Sw + r I is the identity */
static PetscInt Nearest(const Answer *a, PetscInt i)
{
  PetscReal least = PETSC_INFINITY;
  PetscInt  best  = -1;

  for (PetscInt c = 0; c < C; c++) {
    PetscReal distance = -PetscLogReal(a->prior[c]);

    for (PetscInt j = 0; j < D; j++) {
      PetscScalar z = 0.0;

      for (PetscInt l = 0; l < D; l++) z += PetscConj(a->W[l + j * D]) * ((Entry(0, i, l) - a->mean[l]) * a->scale[l] - a->center[c * D + l]);
      distance += 0.5 * PetscSqr(PetscAbsScalar(z));
    }
    if (distance < least) {
      least = distance;
      best  = c;
    }
  }
  return best;
}

/* All scores, K numbers a sample */
static PetscErrorCode GatherScores(Mat S, PetscScalar all[])
{
  PetscInt           first, last, ld;
  const PetscScalar *s;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(all, N * K));
  PetscCall(MatGetOwnershipRange(S, &first, &last));
  PetscCall(MatDenseGetLDA(S, &ld));
  PetscCall(MatDenseGetArrayRead(S, &s));
  for (PetscInt i = first; i < last; i++)
    for (PetscInt j = 0; j < K; j++) all[i * K + j] = s[i - first + j * ld];
  PetscCall(MatDenseRestoreArrayRead(S, &s));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, all, N * K, MPIU_SCALAR, MPIU_SUM, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compare(CCA cca, const Answer *a, PetscReal *worst, PetscBool *predicted)
{
  const PetscReal   *prior;
  const PetscScalar *mean;
  PetscScalar        score[N * K];
  PetscInt           first, last, label[N], classes;
  PetscReal          value, rho;
  Mat                S;

  PetscFunctionBegin;
  *worst = 0.0;
  PetscCall(CCATransform(cca, NULL, NULL, &S, NULL));
  PetscCall(GatherScores(S, score));
  PetscCall(CCAGetClasses(cca, &classes, &prior, &mean));
  for (PetscInt j = 0; j < K; j++) {
    PetscScalar sign = 1.0;

    PetscCall(CCAGetValue(cca, j, &value));
    PetscCall(CCAGetCorrelation(cca, j, &rho));
    *worst = TapWorst(*worst, PetscAbsReal(value / a->value[j] - 1.0));
    *worst = TapWorst(*worst, PetscAbsReal(value - rho * rho / (1.0 - rho * rho)));
    for (PetscInt i = -C; i < N; i++) { /* the mean of a class first, then samples: with the sign of the first the same numbers */
      const PetscScalar got = i < 0 ? mean[(i + C) * K + j] : score[i * K + j];
      PetscScalar       z   = 0.0;

      for (PetscInt l = 0; l < D; l++) z += PetscConj(a->W[l + j * D]) * (i < 0 ? a->center[(i + C) * D + l] : (Entry(0, i, l) - a->mean[l]) * a->scale[l]);
      if (i == -C) sign = got / z / PetscAbsScalar(got / z);
      *worst = TapWorst(*worst, PetscAbsScalar(got - sign * z));
    }
  }
  for (PetscInt c = 0; c < C; c++) *worst = TapWorst(*worst, PetscAbsReal(prior[c] - a->prior[c]));
  PetscCall(CCAPredictClasses(S, classes, prior, mean, label));
  PetscCall(MatGetOwnershipRange(S, &first, &last));
  *predicted = (PetscBool)(classes == C);
  for (PetscInt i = first; i < last; i++)
    if (label[i - first] != Nearest(a, i)) *predicted = PETSC_FALSE;
  PetscCall(MatDestroy(&S));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Case(PetscBool dense, PetscBool scaled, PetscBool weighted, PetscReal ridge, PetscReal shrinkage, const char type[])
{
  PetscReal          w[N], worst = 0.0;
  PetscInt           first, last, label[N];
  PetscBool          predicted = PETSC_FALSE;
  CCAConvergedReason reason;
  Answer             a;
  Mat                X;
  Vec                weights;
  CCA                cca;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < N; i++) w[i] = weighted ? 0.5 + i % 3 : 1.0;
  PetscCall(Lapack(scaled, ridge, shrinkage, w, &a));
  PetscCall(ViewFromFormula(PETSC_COMM_WORLD, N, D, dense, -1, Entry, 0, &X));
  PetscCall(MatGetOwnershipRange(X, &first, &last));
  PetscCall(MatCreateVecs(X, NULL, &weights));
  for (PetscInt i = first; i < last; i++) {
    label[i - first] = Class(i);
    PetscCall(VecSetValue(weights, i, w[i], INSERT_VALUES));
  }
  PetscCall(VecAssemblyBegin(weights));
  PetscCall(VecAssemblyEnd(weights));
  PetscCall(CCACreate(PETSC_COMM_WORLD, &cca));
  PetscCall(CCASetClasses(cca, X, C, label));
  PetscCall(CCASetType(cca, type));
  PetscCall(CCASetDimensions(cca, K));
  PetscCall(CCASetScaling(cca, scaled));
  if (weighted) PetscCall(CCASetWeights(cca, weights));
  if (shrinkage > 0.0) PetscCall(CCASetShrinkage(cca, shrinkage, shrinkage));
  else PetscCall(CCASetRegularization(cca, ridge, 17.0)); /* that of the classes is not used */
  PetscCall(CCASetTolerances(cca, 1e-10, PETSC_DECIDE));
  PetscCall(CCASetFromOptions(cca));
  PetscCall(CCASolve(cca));
  PetscCall(CCAGetConvergedReason(cca, &reason));
  if (reason > 0) PetscCall(Compare(cca, &a, &worst, &predicted));
  PetscCall(TapOk((PetscBool)(reason == CCA_CONVERGED_TOL && worst < 1e-7), "%s, %s%s%s, ridge %g, shrinkage %g: values, directions, means", type, dense ? "dense" : "sparse", scaled ? ", scaled" : "", weighted ? ", weighted" : "", (double)ridge, (double)shrinkage));
  if (reason != CCA_CONVERGED_TOL || !(worst < 1e-7)) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s, wrong by %g\n", CCAConvergedReasons[reason], (double)worst));
  PetscCall(TapOk(predicted, "and the classes are those that are nearest by all directions"));
  PetscCall(CCADestroy(&cca));
  PetscCall(VecDestroy(&weights));
  PetscCall(MatDestroy(&X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two classes that one variable tells apart perfectly, without regularisation: nothing varies within them */
static PetscScalar PerfectEntry(PetscInt view, PetscInt i, PetscInt j)
{
  (void)view;
  return j ? PetscRealPart(Hash(i, j, 9)) : (PetscReal)(i % 2);
}

static PetscErrorCode Perfect(void)
{
  PetscInt           first, last, label[N];
  CCAConvergedReason reason;
  PetscReal          value;
  Mat                X;
  CCA                cca;

  PetscFunctionBegin;
  PetscCall(ViewFromFormula(PETSC_COMM_WORLD, N, D, PETSC_TRUE, -1, PerfectEntry, 0, &X));
  PetscCall(MatGetOwnershipRange(X, &first, &last));
  for (PetscInt i = first; i < last; i++) label[i - first] = i % 2;
  PetscCall(CCACreate(PETSC_COMM_WORLD, &cca));
  PetscCall(CCASetClasses(cca, X, 2, label));
  PetscCall(CCASetShrinkage(cca, 0.0, 0.0));
  PetscCall(CCASolve(cca));
  PetscCall(CCAGetConvergedReason(cca, &reason));
  PetscCall(TapOk((PetscBool)(reason == CCA_DIVERGED_BREAKDOWN), "classes without any variance are no answer"));
  PetscCall(CCASetShrinkage(cca, 0.1, 0.1));
  PetscCall(CCASolve(cca));
  PetscCall(CCAGetConvergedReason(cca, &reason));
  PetscCall(CCAGetValue(cca, 0, &value));
  PetscCall(TapOk((PetscBool)(reason == CCA_CONVERGED_TOL && value > 1.0 && value < 100.0), "with shrinkage they are one"));
  PetscCall(CCADestroy(&cca));
  PetscCall(MatDestroy(&X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sample i, i % 3 times, or once with this weight */
static PetscScalar Repeated(PetscInt view, PetscInt i, PetscInt j)
{
  const PetscInt sample = i % 2 ? 3 * (i / 3) + 2 : 3 * (i / 3) + (i % 3 ? 2 : 1);

  return Hash(sample, j, 20 + view) + 0.5 * Hash(sample, 0, 22) + (PetscReal)j;
}

static PetscErrorCode Weights(CCAAnalysis analysis)
{
  const PetscInt n = 30;
  PetscReal      value[2][2], worst = 0.0;
  PetscInt       first, last, *count;
  Mat            X[2];
  Vec            w;
  CCA            cca;

  PetscFunctionBegin;
  /* rows 3q, 3q+1, 3q+2 of Repeated() are the same sample in pairs: weights count how often the first of equal rows comes */
  for (int v = 0; v < 2; v++) PetscCall(ViewFromFormula(PETSC_COMM_WORLD, n, 4, PETSC_TRUE, -1, Repeated, v, &X[v]));
  PetscCall(PetscCalloc1(n, &count));
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt l = 0; l <= i; l++)
      if (Repeated(0, i, 0) == Repeated(0, l, 0)) {
        count[l]++;
        break;
      }
  PetscCall(MatCreateVecs(X[0], NULL, &w));
  PetscCall(VecGetOwnershipRange(w, &first, &last));
  for (PetscInt i = first; i < last; i++) PetscCall(VecSetValue(w, i, (PetscReal)count[i], INSERT_VALUES));
  PetscCall(VecAssemblyBegin(w));
  PetscCall(VecAssemblyEnd(w));
  for (int weighted = 0; weighted < 2; weighted++) {
    PetscCall(CCACreate(PETSC_COMM_WORLD, &cca));
    PetscCall(CCASetAnalysis(cca, analysis));
    PetscCall(CCASetData(cca, X[0], analysis == CCA_ANALYSIS_PCA ? NULL : X[1]));
    PetscCall(CCASetDimensions(cca, 2));
    PetscCall(CCASetTolerances(cca, 1e-10, PETSC_DECIDE));
    if (weighted) PetscCall(CCASetWeights(cca, w));
    PetscCall(CCASolve(cca));
    for (PetscInt j = 0; j < 2; j++) PetscCall(CCAGetValue(cca, j, &value[weighted][j]));
    PetscCall(CCADestroy(&cca));
  }
  for (PetscInt j = 0; j < 2; j++) worst = TapWorst(worst, PetscAbsReal(value[0][j] - value[1][j]));
  PetscCall(TapOk((PetscBool)(worst < 1e-9 && value[0][0] > 0.1), "%s: weights are repeated samples", CCAAnalyses[analysis]));
  PetscCall(PetscFree(count));
  PetscCall(VecDestroy(&w));
  for (int v = 0; v < 2; v++) PetscCall(MatDestroy(&X[v]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const types[] = {"direct", "napi", "eps"};

  PetscCall(TapBegin(&argc, &argv));
  for (int t = 0; t < 3; t++) {
    PetscCall(Case(PETSC_TRUE, PETSC_FALSE, PETSC_FALSE, 0.0, 0.0, types[t]));
    PetscCall(Case(PETSC_FALSE, PETSC_FALSE, PETSC_TRUE, 0.3, 0.0, types[t]));
    PetscCall(Case(PETSC_TRUE, PETSC_TRUE, PETSC_TRUE, 0.0, 0.2, types[t]));
    PetscCall(Case(PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, 0.0, 0.05, types[t]));
  }
  PetscCall(Perfect());
  PetscCall(Weights(CCA_ANALYSIS_PLS));
  PetscCall(Weights(CCA_ANALYSIS_PCA));
  PetscCall(Weights(CCA_ANALYSIS_CCA));
  return TapEnd();
}
