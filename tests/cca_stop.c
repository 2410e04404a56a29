/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Work that ends before it is complete: whatever takes long asks one function whether to go on, on every rank for itself, and what is complete by then is what the
   whole of it would have had.
*/
#include "ccadata.h"

#define PAIRS 3

static const PetscReal rho[] = {0.9, 0.7, 0.5, 0.3, 0.2, 0.1};

/* Says yes from the given question on, on one rank only or on all */
typedef struct {
  PetscInt    asked, most;
  PetscMPIInt only; /* -1: all */
  CCA         cca;
} Clock;

static PetscErrorCode Poll(CCA cca, PetscBool *stop, void *ctx)
{
  Clock      *clock = (Clock *)ctx;
  PetscMPIInt rank;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCheck(cca == clock->cca, PETSC_COMM_SELF, PETSC_ERR_PLIB, "It is not the user's object that asks");
  if (++clock->asked > clock->most && (clock->only < 0 || clock->only == rank)) *stop = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(CCAType type, PetscInt n, Clock *clock, CCA *cca)
{
  Mat X, Y;

  PetscFunctionBeginUser;
  PetscCall(KnownViews(PETSC_COMM_WORLD, n, 8, 6, rho, PETSC_TRUE, &X, &Y));
  PetscCall(CCACreate(PETSC_COMM_WORLD, cca));
  PetscCall(CCASetType(*cca, type));
  PetscCall(CCASetData(*cca, X, Y));
  PetscCall(CCASetDimensions(*cca, PAIRS));
  PetscCall(CCASetShrinkage(*cca, 0.1, 0.1));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  clock->asked = 0;
  clock->most  = PETSC_MAX_INT;
  clock->only  = -1;
  clock->cca   = *cca;
  PetscCall(CCASetStopFunction(*cca, Poll, clock));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestSolve(CCAType type)
{
  Clock              clock;
  CCA                cca;
  CCAConvergedReason reason;
  PetscInt           nconv, asked;

  PetscFunctionBeginUser;
  PetscCall(Create(type, 60, &clock, &cca));
  PetscCall(CCASetTolerances(cca, 1e-9, NAPI_UNSET));
  PetscCall(CCASolve(cca));
  PetscCall(CCAGetConvergedReason(cca, &reason));
  asked = clock.asked;
  PetscCall(TapOk((PetscBool)(reason > 0 && asked > 1), "%s: a function that says no is asked in every step, and changes nothing", type));
  PetscCall(CCADestroy(&cca)); /* which knows the answer */
  PetscCall(Create(type, 60, &clock, &cca));
  PetscCall(CCASetTolerances(cca, 1e-9, NAPI_UNSET));
  clock.most = clock.only = 0;
  PetscCall(CCASolve(cca));
  PetscCall(CCAGetConvergedReason(cca, &reason));
  PetscCall(CCAGetConverged(cca, &nconv));
  PetscCall(TapOk((PetscBool)(reason == CCA_DIVERGED_USER && nconv < PAIRS && (clock.asked == 1 || !strcmp(type, CCADIRECT))), "%s: one that says yes, on one rank, ends the solution after a step on all", type));
  clock.most = PETSC_MAX_INT;
  PetscCall(CCASolve(cca));
  PetscCall(CCAGetConvergedReason(cca, &reason));
  PetscCall(TapOk((PetscBool)(reason > 0), "%s: and the next one is not stopped by that", type));
  PetscCall(CCADestroy(&cca));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscScalar Noise(PetscInt view, PetscInt i, PetscInt j)
{
  return Hash(i, j, 17 + view);
}

/* The direct method, whichever matrices it forms, ends at any question, and what it leaves does not enter the next solution */
static PetscErrorCode TestDirect(PetscInt d1, PetscInt d2, PetscBool dense)
{
  const PetscInt     n     = 40;
  Clock              clock = {0, PETSC_MAX_INT, -1, NULL};
  CCA                cca;
  Mat                X, Y;
  CCAConvergedReason reason;
  PetscInt           questions, nconv;
  PetscReal          first, again;
  PetscBool          good = PETSC_TRUE;

  PetscFunctionBeginUser;
  PetscCall(ViewFromFormula(PETSC_COMM_WORLD, n, d1, dense, -1, Noise, 0, &X));
  PetscCall(ViewFromFormula(PETSC_COMM_WORLD, n, d2, dense, -1, Noise, 1, &Y));
  PetscCall(CCACreate(PETSC_COMM_WORLD, &cca));
  PetscCall(CCASetType(cca, CCADIRECT));
  PetscCall(CCASetData(cca, X, Y));
  PetscCall(CCASetShrinkage(cca, 0.1, 0.1));
  clock.cca = cca;
  PetscCall(CCASetStopFunction(cca, Poll, &clock));
  PetscCall(CCASolve(cca));
  PetscCall(CCAGetCorrelation(cca, 0, &first));
  questions = clock.asked;
  PetscCallMPI(MPI_Bcast(&questions, 1, MPIU_INT, 0, PETSC_COMM_WORLD));
  for (clock.most = 0; clock.most < questions; clock.most += PetscMax(1, questions / 3)) {
    const PetscInt most = clock.most;

    PetscCall(CCASetData(cca, X, Y)); /* what was formed is forgotten */
    clock.asked = 0;
    clock.only  = 0;
    PetscCall(CCASolve(cca));
    PetscCall(CCAGetConvergedReason(cca, &reason));
    PetscCall(CCAGetConverged(cca, &nconv));
    good       = (PetscBool)(good && reason == CCA_DIVERGED_USER && !nconv);
    clock.most = PETSC_MAX_INT;
    PetscCall(CCASolve(cca));
    PetscCall(CCAGetCorrelation(cca, 0, &again));
    good       = (PetscBool)(good && PetscAbsReal(again - first) < 1e-12);
    clock.most = most;
  }
  PetscCall(TapOk((PetscBool)(good && questions > 1), "direct, %" PetscInt_FMT " and %" PetscInt_FMT " columns, %s: ends at any of its questions, and the next solution is right", d1, d2, dense ? "dense" : "sparse"));
  PetscCall(CCADestroy(&cca));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Principal components and ratios of variances, whose eigensolver is not ours */
static PetscErrorCode TestSpectral(CCAAnalysis analysis)
{
  Clock              clock;
  CCA                cca;
  Mat                X, Y;
  CCAConvergedReason reason;

  PetscFunctionBeginUser;
  PetscCall(ViewFromFormula(PETSC_COMM_WORLD, 400, 200, PETSC_TRUE, -1, Noise, 0, &X));
  PetscCall(ViewFromFormula(PETSC_COMM_WORLD, 400, 200, PETSC_TRUE, -1, Noise, 1, &Y));
  PetscCall(CCACreate(PETSC_COMM_WORLD, &cca));
  PetscCall(CCASetAnalysis(cca, analysis));
  PetscCall(CCASetData(cca, X, analysis == CCA_ANALYSIS_PCA ? NULL : Y));
  PetscCall(CCASetDimensions(cca, 2));
  PetscCall(CCASetTolerances(cca, 1e-10, NAPI_UNSET));
  clock.asked = clock.most = 0;
  clock.only               = 0;
  clock.cca                = cca;
  PetscCall(CCASetStopFunction(cca, Poll, &clock));
  PetscCall(CCASolve(cca));
  PetscCall(CCAGetConvergedReason(cca, &reason));
  PetscCall(TapOk((PetscBool)(reason == CCA_DIVERGED_USER && clock.asked >= 1), "%s: is asked, and ends", CCAAnalyses[analysis]));
  PetscCall(CCADestroy(&cca));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first permutations of a long test are those of a short one */
static PetscErrorCode TestPermutations(CCAType type, PetscBool one)
{
  const PetscInt N = 200;
  Clock          clock;
  CCA            cca;
  PetscReal      p[PAIRS], all[PAIRS], q, least;
  PetscInt       done, full, most;
  PetscMPIInt    size;
  PetscBool      same = PETSC_TRUE;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(Create(type, 24, &clock, &cca));
  PetscCall(CCASolve(cca));
  clock.asked = 0;
  PetscCall(CCAPermutationTest(cca, N, 3, NULL, all));
  PetscCall(CCAGetPermutationsDone(cca, &full));
  most = clock.asked;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPIU_INT, MPI_MIN, PETSC_COMM_WORLD));
  PetscCall(TapOk((PetscBool)(full == N), "%s: all permutations are decided if nobody says otherwise", type));
  clock.asked = 0;
  clock.most  = most / 2;
  clock.only  = one ? 0 : -1;
  PetscCall(CCAPermutationTest(cca, N, 3, NULL, p));
  PetscCall(CCAGetPermutationsDone(cca, &done));
  least = 1.0 / (PetscReal)(done + 1);
  for (PetscInt i = 0; i < PAIRS; i++)
    if (!(p[i] >= least * (1.0 - 1e-12) && p[i] <= 1.0) || (i && p[i] < p[i - 1])) same = PETSC_FALSE;
  PetscCall(TapOk((PetscBool)(done > 0 && done < N), "%s%s: told to stop half-way, it has decided %d of %d", type, one ? ", on one rank" : "", (int)done, (int)N));
  PetscCall(TapOk(same, "%s: p-values are those of so many permutations (%g, %g, %g; all of them %g, %g, %g)", type, (double)p[0], (double)p[1], (double)p[2], (double)all[0], (double)all[1], (double)all[2]));
  PetscCall(CCAGetPermutationQuantile(cca, 0, 1.0, &q, NULL));
  PetscCall(TapOk((PetscBool)(q > 0.0 && q <= 1.0), "%s: quantiles are those of the ones that were decided", type));
  if (size == 1) { /* what was decided is a test of so many permutations from the beginning */
    clock.most = PETSC_MAX_INT;
    same       = PETSC_TRUE;
    PetscCall(CCAPermutationTest(cca, done, 3, NULL, all));
    for (PetscInt i = 0; i < PAIRS; i++)
      if (PetscAbsReal(p[i] - all[i]) > 1e-14) same = PETSC_FALSE;
    PetscCall(TapOk(same, "%s: the same as if that had been asked for", type));
  }
  clock.asked = clock.most = 0;
  clock.only               = -1; /* how far others get until they hear of it is up to the machine */
  PetscCall(CCAPermutationTest(cca, N, 3, NULL, p));
  PetscCall(CCAGetPermutationsDone(cca, &done));
  PetscCall(TapOk((PetscBool)(!done && p[0] == 1.0 && p[PAIRS - 1] == 1.0), "%s: told at once, there is none, and p-values say nothing", type));
  PetscCall(CCADestroy(&cca));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBootstrap(CCAType type)
{
  const PetscInt   N = 8;
  Clock            clock;
  CCA              cca;
  const PetscReal *r;
  PetscReal        first[8 * PAIRS], low, high, kept, apart = 0.0;
  PetscInt         full, done, failed, most;

  PetscFunctionBeginUser;
  PetscCall(Create(type, 60, &clock, &cca));
  PetscCall(CCASolve(cca));
  clock.asked = 0;
  PetscCall(CCABootstrap(cca, N, 7));
  most = clock.asked;
  PetscCall(CCAGetBootstrap(cca, &full, &failed, NULL, &r));
  PetscCall(PetscArraycpy(first, r, N * PAIRS));
  clock.asked = 0;
  clock.most  = most / 2;
  clock.only  = 0;
  PetscCall(CCABootstrap(cca, N, 7));
  PetscCall(CCAGetBootstrap(cca, &done, &failed, NULL, &r));
  for (PetscInt i = 0; i < done * PAIRS; i++) apart = TapWorst(apart, PetscAbsReal(r[i] - first[i]));
  PetscCall(TapOk((PetscBool)(full == N && done > 0 && done < N && !failed && apart == 0.0), "%s: a bootstrap that is stopped has the first %d of %d samples", type, (int)done, (int)N));
  PetscCall(CCAGetBootstrapInterval(cca, 0, 0.9, NULL, NULL, &low, &high));
  PetscCall(TapOk((PetscBool)(low <= high && high <= 1.0 && low > 0.0), "%s: and intervals from these", type));
  PetscCall(CCAGetCorrelation(cca, 0, &kept));
  PetscCall(TapOk((PetscBool)(kept > 0.0), "%s: the solution stays", type));
  clock.asked = clock.most = 0;
  PetscCall(CCABootstrap(cca, N, 7));
  PetscCall(CCAGetBootstrap(cca, &done, &failed, NULL, NULL));
  PetscCall(TapOk((PetscBool)(done == 0 && failed == 0), "%s: none, if it is stopped at once", type));
  PetscCall(CCADestroy(&cca));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestCrossValidation(CCAType type)
{
  const PetscReal    values[] = {0.05, 0.5};
  Clock              clock;
  CCA                cca;
  Vec                w;
  const PetscReal   *mean, *r;
  PetscReal          first[2 * 4 * PAIRS], apart = 0.0, sum, s[2], wanted;
  PetscInt           done, best, most, before = 0, nconv;
  CCAConvergedReason reason;
  PetscBool          refused;

  PetscFunctionBeginUser;
  PetscCall(Create(type, 60, &clock, &cca));
  PetscCall(CCASetFolds(cca, 4, CCA_FOLDS_RANDOM, 1));
  PetscCall(CCACrossValidate(cca, CCA_PATH_SHRINKAGE, 2, values));
  most = clock.asked;
  PetscCall(CCAGetCrossValidation(cca, NULL, NULL, NULL, &best, NULL, NULL, NULL, &r));
  PetscCall(PetscArraycpy(first, r, 2 * 4 * PAIRS));
  PetscCall(CCAGetFoldsDone(cca, &done));
  PetscCall(TapOk((PetscBool)(best >= 0 && done == 4 && most >= 8), "%s: a cross-validation asks before every solution", type));
  PetscCall(CCASetShrinkage(cca, 0.123, 0.2));
  clock.asked = 0;
  clock.most  = most * 6 / 10;
  clock.only  = 0;
  PetscCall(CCACrossValidate(cca, CCA_PATH_SHRINKAGE, 2, values));
  PetscCall(CCAGetCrossValidation(cca, NULL, NULL, NULL, &best, NULL, &mean, NULL, &r));
  PetscCall(CCAGetFoldsDone(cca, &done));
  PetscCall(CCAGetConvergedReason(cca, &reason));
  PetscCall(CCAGetConverged(cca, &nconv));
  PetscCall(CCAGetShrinkage(cca, &s[0], &s[1]));
  PetscCall(CCAGetWeights(cca, &w));
  for (PetscInt l = 0; l < 2; l++) {
    sum = 0.0;
    for (PetscInt i = 0; i < done * PAIRS; i++) {
      apart = TapWorst(apart, PetscAbsReal(r[l * 4 * PAIRS + i] - first[l * 4 * PAIRS + i]));
      sum += r[l * 4 * PAIRS + i];
    }
    wanted = sum / (PetscReal)(done * PAIRS);
    apart  = TapWorst(apart, PetscAbsReal(mean[l] - wanted));
  }
  PetscCall(TapOk((PetscBool)(done > 0 && done < 4 && apart < 1e-12), "%s: stopped, it has %d of 4 folds, and means of these", type, (int)done));
  PetscCall(TapOk((PetscBool)(PetscIsNanReal(r[3 * PAIRS]) && PetscIsNanReal(r[7 * PAIRS])), "%s: what is not known is no number", type));
  PetscCall(TapOk((PetscBool)(best == -1 && reason == CCA_DIVERGED_USER && !nconv), "%s: nothing is chosen, and nothing solved", type));
  PetscCall(TapOk((PetscBool)(PetscAbsReal(s[0] - 0.123) < 1e-15 && PetscAbsReal(s[1] - 0.2) < 1e-15 && !w), "%s: settings are what they were", type));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  refused = (PetscBool)(CCAGetCrossValidatedCorrelation(cca, 0, &sum, NULL) != PETSC_SUCCESS);
  PetscCall(PetscPopErrorHandler());
  PetscCall(TapOk(refused, "%s: and there is no cross-validated correlation", type));
  clock.most = PETSC_MAX_INT;
  PetscCall(CCASolve(cca));
  PetscCall(CCAGetConverged(cca, &before));
  PetscCall(TapOk((PetscBool)(before == PAIRS), "%s: afterwards it solves as before", type));
  PetscCall(CCADestroy(&cca));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(TapBegin(&argc, &argv));
  PetscCall(TestSolve(CCANAPI));
  PetscCall(TestSolve(CCAEPS));
  PetscCall(TestSolve(CCAALS));
  PetscCall(TestSolve(CCADIRECT));
  PetscCall(TestDirect(10, 8, PETSC_FALSE));
  PetscCall(TestDirect(10, 8, PETSC_TRUE));
  PetscCall(TestDirect(90, 8, PETSC_FALSE));
  PetscCall(TestDirect(8, 90, PETSC_TRUE));
  PetscCall(TestDirect(90, 60, PETSC_TRUE));
  PetscCall(TestSpectral(CCA_ANALYSIS_PCA));
  PetscCall(TestSpectral(CCA_ANALYSIS_GEV));
  PetscCall(TestPermutations(CCADIRECT, PETSC_FALSE));
  PetscCall(TestPermutations(CCADIRECT, PETSC_TRUE));
  if (!PetscDefined(USE_COMPLEX)) {
    PetscCall(TestPermutations(CCANAPI, PETSC_FALSE));
    PetscCall(TestPermutations(CCANAPI, PETSC_TRUE));
  }
  PetscCall(TestBootstrap(CCADIRECT));
  PetscCall(TestBootstrap(CCANAPI));
  PetscCall(TestCrossValidation(CCADIRECT));
  PetscCall(TestCrossValidation(CCANAPI));
  return TapEnd();
}
