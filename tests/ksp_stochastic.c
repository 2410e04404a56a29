/* SPDX-License-Identifier: BSD-2-Clause */
/*
   KSP types svrg, katyusha, saga and sdca: against a Cholesky factorisation of the matrix written out, against each other's
   forms (sparse and dense, centred implicitly and not, one column and many), and against the rates of the textbook.
*/
#include "samples.h"

static const char *const types[] = {KSPSVRG, KSPKATYUSHA, KSPSAGA, KSPSDCA};

static const Samples cases[] = {
  {"one dense view",                      500, {14, 0}, {PETSC_TRUE, PETSC_FALSE},  PETSC_FALSE, PETSC_FALSE, 1,   0,  1,   .05, 0,  .5, 1, -1},
  {"one sparse view",                     500, {17, 0}, {PETSC_FALSE, PETSC_FALSE}, PETSC_FALSE, PETSC_FALSE, 1,   0,  1,   .05, 0,  .3, 1, -1},
  {"two sparse views",                    500, {12, 9}, {PETSC_FALSE, PETSC_FALSE}, PETSC_FALSE, PETSC_FALSE, 1,   0,  1,   .05, .1, .4, 1, -1},
  {"a sparse and a dense view, centered", 500, {12, 9}, {PETSC_FALSE, PETSC_TRUE},  PETSC_TRUE,  PETSC_FALSE, 1,   0,  1,   .05, .1, .4, 1, -1},
  {"sparse views, centered and scaled",   500, {8, 11}, {PETSC_FALSE, PETSC_FALSE}, PETSC_TRUE,  PETSC_TRUE,  1,   0,  1,   .2,  .1, .4, 1, -1},
  {"coupled views, S positive definite",  500, {12, 9}, {PETSC_FALSE, PETSC_TRUE},  PETSC_FALSE, PETSC_FALSE, 2,   -1, 1.5, .1,  .1, .4, 1, -1},
  {"rows of very different size",         500, {12, 9}, {PETSC_FALSE, PETSC_FALSE}, PETSC_FALSE, PETSC_FALSE, 1,   0,  1,   .3,  .3, .4, 4, -1},
  {"all samples on the last rank",        500, {12, 9}, {PETSC_FALSE, PETSC_FALSE}, PETSC_TRUE,  PETSC_FALSE, 1,   0,  1,   .05, .1, .4, 1, 2 },
  {"coupled views, S indefinite",         500, {12, 9}, {PETSC_FALSE, PETSC_FALSE}, PETSC_TRUE,  PETSC_FALSE, .95, -1, .95, .2,  .2, .4, 1, -1},
};

/* more stages than these, half as many again as it has ever taken, say that something is wrong with the steps */
static const PetscInt most[] = {25, 40, 55, 48};

/* 1e-8, and what Cholesky says; every type, every kind of data, both ways to draw */
static PetscErrorCode TestAnswers(void)
{
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(cases); i++) {
    Problem   p;
    PetscBool indefinite = (PetscBool)(cases[i].s11 * cases[i].s22 < cases[i].s12 * cases[i].s12);

    PetscCall(ProblemCreate(&cases[i], &p));
    for (size_t t = 0; t < PETSC_STATIC_ARRAY_LENGTH(types); t++) {
      for (int sampling = 0; sampling < 2; sampling++) {
        KSP                ksp;
        Vec                b, x;
        KSPConvergedReason reason;
        PetscInt           its;
        PetscReal          residual, error, rnorm, norm;

        if ((indefinite && (t == 1 || t == 3)) || (sampling && t == 3)) continue;
        PetscCall(SamplesSolver(p.G, types[t], 1e-8, most[t], &ksp));
        PetscCall(KSPStochasticSetSampling(ksp, (KSPStochasticSampling)sampling));
        PetscCall(Rhs(p.G, 0, &b, &x));
        PetscCall(KSPSolve(ksp, b, x));
        PetscCall(KSPGetConvergedReason(ksp, &reason));
        PetscCall(KSPGetIterationNumber(ksp, &its));
        PetscCall(KSPGetResidualNorm(ksp, &rnorm));
        PetscCall(VecNorm(b, NORM_2, &norm));
        PetscCall(Errors(&p, 0, x, &residual, &error, NULL, NULL));
        PetscCall(TapOk((PetscBool)(reason == KSP_CONVERGED_RTOL && residual <= 1.0001e-8 && error <= 1e-6 && PetscAbsReal(rnorm / norm - residual) < 1e-12), "%s%s: %s", types[t], sampling ? " by norm" : "", cases[i].name));
        PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s, %d stages, residual %.2g, error %.2g\n", KSPConvergedReasons[reason], (int)its, (double)residual, (double)error));
        PetscCall(VecDestroy(&b));
        PetscCall(VecDestroy(&x));
        PetscCall(KSPDestroy(&ksp));
      }
    }
    PetscCall(ProblemDestroy(&p));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The solution after so many stages, without a test */
static PetscErrorCode Stages(Mat G, const char *type, PetscInt stages, PetscInt seed, PetscInt sampling, PetscInt k, Vec *x)
{
  KSP ksp;
  Vec b;

  PetscFunctionBeginUser;
  PetscCall(SamplesSolver(G, type, 1e-8, stages, &ksp));
  PetscCall(KSPSetNormType(ksp, KSP_NORM_NONE));
  PetscCall(KSPStochasticSetSeed(ksp, seed));
  PetscCall(KSPStochasticSetSampling(ksp, (KSPStochasticSampling)sampling));
  PetscCall(Rhs(G, k, &b, x));
  PetscCall(KSPSolve(ksp, b, *x));
  PetscCall(VecDestroy(&b));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Far(Vec x, Vec y, PetscReal *far)
{
  PetscReal norm;
  Vec       d;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(x, &d));
  PetscCall(VecWAXPY(d, -1.0, y, x));
  PetscCall(VecNorm(d, NORM_2, far));
  PetscCall(VecNorm(x, NORM_2, &norm));
  *far = norm > 0 ? *far / norm : PETSC_INFINITY;
  PetscCall(VecDestroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same samples: sparse or dense storage, centred implicitly or explicitly, the same numbers; and the random numbers repeat */
static PetscErrorCode TestForms(void)
{
  for (int center = 0; center < 2; center++) {
    Samples sparse = cases[2], dense;
    Problem p, q;

    sparse.center  = center ? PETSC_TRUE : PETSC_FALSE;
    sparse.r1      = .4; /* sdca has left its beginning behind after few stages */
    sparse.r2      = .3;
    dense          = sparse;
    dense.dense[0] = dense.dense[1] = PETSC_TRUE;
    PetscCall(ProblemCreate(&sparse, &p));
    PetscCall(ProblemCreate(&dense, &q));
    for (size_t t = 0; t < PETSC_STATIC_ARRAY_LENGTH(types); t++) {
      for (int sampling = 0; sampling < (t < 3 ? 2 : 1); sampling++) {
        Vec       x, y, again, other;
        PetscReal far, none;

        PetscCall(Stages(p.G, types[t], 4, 3, sampling, 0, &x));
        PetscCall(Stages(q.G, types[t], 4, 3, sampling, 0, &y));
        PetscCall(Stages(p.G, types[t], 4, 3, sampling, 0, &again));
        PetscCall(Stages(p.G, types[t], 4, 4, sampling, 0, &other));
        PetscCall(Far(x, y, &far));
        PetscCall(TapOk((PetscBool)(far < 1e-11), "%s%s: %s and dense data give the same numbers", types[t], sampling ? " by norm" : "", center ? "implicitly centered sparse" : "sparse"));
        if (!(far < 1e-11)) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# they differ by %g\n", (double)far));
        PetscCall(Far(x, again, &none));
        PetscCall(Far(x, other, &far));
        PetscCall(TapOk((PetscBool)(none == 0.0 && far > 1e-12 && far < 1.0), "%s%s: the same seed repeats exactly, another does not", types[t], sampling ? " by norm" : ""));
        if (!(none == 0.0 && far > 1e-12 && far < 1.0)) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# same seed %g, other seed %g\n", (double)none, (double)far));
        PetscCall(VecDestroy(&x));
        PetscCall(VecDestroy(&y));
        PetscCall(VecDestroy(&again));
        PetscCall(VecDestroy(&other));
      }
    }
    PetscCall(ProblemDestroy(&p));
    PetscCall(ProblemDestroy(&q));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The passes of so many stages: their steps, a product each (without norms, the last only where there is a line search), and
   on several ranks another pass for saga (not in the first stage) and sdca */
static PetscReal Passes(size_t t, PetscInt stages, PetscReal steps, PetscBool norms)
{
  PetscReal   passes = stages * (steps + 1);
  PetscMPIInt size;

  (void)MPI_Comm_size(PETSC_COMM_WORLD, &size);
  if (!norms && size == 1 && t != 3) passes -= 1;
  if (size > 1 && t == 2) passes += stages - 1;
  if (size > 1 && t == 3) passes += stages;
  return passes;
}

/* Many columns go through the same samples: the numbers of one column after the other, for the passes of one */
static PetscErrorCode TestBlocks(void)
{
  Samples c = cases[3];
  Problem p;

  PetscFunctionBeginUser;
  c.r1 = .4;
  c.r2 = .3;
  PetscCall(ProblemCreate(&c, &p));
  for (size_t t = 0; t < PETSC_STATIC_ARRAY_LENGTH(types); t++) {
    for (PetscInt P = 3; P <= 19; P += 16) {
      KSP                ksp;
      Mat                B, X;
      PetscReal          before, after, worst = 0.0, far;
      KSPConvergedReason reason;
      PetscInt           its;

      PetscCall(SamplesSolver(p.G, types[t], 1e-8, 3, &ksp));
      PetscCall(KSPSetNormType(ksp, KSP_NORM_NONE));
      PetscCall(KSPStochasticSetSeed(ksp, 3));
      PetscCall(RhsBlock(&p, P, &B, &X));
      PetscCall(MatGramGetPasses(p.G, &before));
      PetscCall(KSPMatSolve(ksp, B, X));
      PetscCall(MatGramGetPasses(p.G, &after));
      for (PetscInt k = 0; k < P; k += 7) {
        Vec x, column;

        PetscCall(Stages(p.G, types[t], 3, 3, 0, k, &x));
        PetscCall(MatDenseGetColumnVecRead(X, k, &column));
        PetscCall(Far(x, column, &far));
        worst = TapWorst(worst, far);
        PetscCall(MatDenseRestoreColumnVecRead(X, k, &column));
        PetscCall(VecDestroy(&x));
      }
      PetscCall(TapOk((PetscBool)(worst < 1e-10), "%s: %d columns at once are what they are one by one", types[t], (int)P));
      PetscCall(TapOk((PetscBool)(PetscAbsReal(after - before - Passes(t, 3, t == 1 ? 2 : 1, PETSC_FALSE)) < .01), "%s: and take the passes of one", types[t]));
      if (!(worst < 1e-10)) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# they differ by %g\n", (double)worst));

      /* and converge all, from a guess */
      PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
      {
        void *cctx;

        PetscCall(KSPConvergedDefaultCreate(&cctx));
        PetscCall(KSPSetConvergenceTest(ksp, KSPConvergedDefault, cctx, KSPConvergedDefaultDestroy));
      }
      PetscCall(KSPSetTolerances(ksp, 1e-8, 1e-50, 1e10, 300));
      PetscCall(KSPSetInitialGuessNonzero(ksp, PETSC_TRUE));
      PetscCall(KSPMatSolve(ksp, B, X));
      PetscCall(KSPGetConvergedReason(ksp, &reason));
      PetscCall(KSPGetIterationNumber(ksp, &its));
      for (PetscInt k = 0; k < P; k++) {
        Vec column;

        PetscCall(MatDenseGetColumnVecRead(X, k, &column));
        PetscCall(Errors(&p, k, column, &far, NULL, NULL, NULL));
        PetscCall(MatDenseRestoreColumnVecRead(X, k, &column));
        worst = TapWorst(worst, far);
      }
      PetscCall(TapOk((PetscBool)(reason == KSP_CONVERGED_RTOL && worst <= 1.0001e-8 && its > 1), "%s: %d columns converge, from a guess", types[t], (int)P));
      if (!(worst <= 1.0001e-8)) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s, worst residual %g\n", KSPConvergedReasons[reason], (double)worst));
      {
        Mat       own, R;
        PetscReal norm;

        PetscCall(KSPStochasticGetResidual(ksp, &own));
        PetscCall(MatMatMult(p.G, X, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &R));
        PetscCall(MatAYPX(R, -1.0, B, SAME_NONZERO_PATTERN));
        PetscCall(MatAXPY(R, -1.0, own, SAME_NONZERO_PATTERN));
        PetscCall(MatNorm(R, NORM_FROBENIUS, &far));
        PetscCall(MatNorm(own, NORM_FROBENIUS, &norm));
        PetscCall(TapOk((PetscBool)(norm > 0 && far < 1e-12), "%s: KSPStochasticGetResidual() is the true residual", types[t]));
        PetscCall(MatDestroy(&R));
      }
      PetscCall(MatDestroy(&B));
      PetscCall(MatDestroy(&X));
      PetscCall(KSPDestroy(&ksp));
    }
  }
  PetscCall(ProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscInt  calls;
  Problem  *problem;
  PetscReal excess[400], square[400];
} Watch;

static PetscErrorCode WatchMonitor(KSP ksp, PetscInt it, PetscReal rnorm, void *ctx)
{
  Watch *watch = (Watch *)ctx;
  Vec    x;

  PetscFunctionBegin;
  (void)rnorm;
  watch->calls++;
  if (watch->problem && it < 400) {
    PetscCall(KSPBuildSolution(ksp, NULL, &x));
    PetscCall(Errors(watch->problem, 0, x, NULL, NULL, &watch->excess[it], &watch->square[it]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Initial guesses, passes, norms, monitors */
static PetscErrorCode TestFrame(void)
{
  Samples c = cases[1];
  Problem p;

  PetscFunctionBeginUser;
  c.n  = 504; /* so that every rank's share of 504, 252 and 126 steps is whole */
  c.r1 = .2;
  PetscCall(ProblemCreate(&c, &p));
  for (size_t t = 0; t < PETSC_STATIC_ARRAY_LENGTH(types); t++) {
    PetscReal          stage = t == 1 ? 2 : 1, before, after, far, *history;
    PetscInt           its, len;
    KSP                ksp;
    Vec                b, x, y, guess, r;
    KSPConvergedReason reason;
    Watch              watch;

    PetscCall(PetscMemzero(&watch, sizeof(watch)));
    PetscCall(SamplesSolver(p.G, types[t], 1e-8, 400, &ksp));
    PetscCall(Rhs(p.G, 0, &b, &x));
    PetscCall(KSPMonitorSet(ksp, WatchMonitor, &watch, NULL));
    PetscCall(KSPSetResidualHistory(ksp, NULL, 500, PETSC_TRUE));
    PetscCall(MatGramGetPasses(p.G, &before));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(MatGramGetPasses(p.G, &after));
    PetscCall(KSPGetIterationNumber(ksp, &its));
    PetscCall(KSPGetResidualHistory(ksp, (const PetscReal **)&history, &len));
    PetscCall(TapOk((PetscBool)(its > 1 && PetscAbsReal(after - before - Passes(t, its, stage, PETSC_TRUE)) < 1e-9), "%s: passes are those of the steps and the products", types[t]));
    PetscCall(TapOk((PetscBool)(watch.calls == its + 1 && len == its + 1), "%s: monitors and history see every stage", types[t]));
    PetscCall(KSPMonitorCancel(ksp));

    /* from the solution: nothing to do, for one product */
    PetscCall(KSPSetInitialGuessNonzero(ksp, PETSC_TRUE));
    PetscCall(MatGramGetPasses(p.G, &before));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(MatGramGetPasses(p.G, &after));
    PetscCall(KSPGetIterationNumber(ksp, &its));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    PetscCall(TapOk((PetscBool)(!its && reason > 0 && after - before == 1.0), "%s: from the solution there is nothing to do", types[t]));

    /* from a guess: the correction */
    PetscCall(VecDuplicate(x, &guess));
    PetscCall(VecDuplicate(x, &y));
    PetscCall(VecDuplicate(x, &r));
    PetscCall(VecSet(guess, .3));
    PetscCall(MatMult(p.G, guess, r));
    PetscCall(VecAYPX(r, -1.0, b));
    PetscCall(KSPSetTolerances(ksp, 1e-30, 1e-50, 1e10, 5));
    PetscCall(KSPStochasticSetSeed(ksp, 7));
    PetscCall(VecCopy(guess, x));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPStochasticSetSeed(ksp, 7));
    PetscCall(KSPSetInitialGuessNonzero(ksp, PETSC_FALSE));
    PetscCall(KSPSolve(ksp, r, y));
    PetscCall(VecAXPY(y, 1.0, guess));
    PetscCall(Far(x, y, &far));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    PetscCall(TapOk((PetscBool)(far < 1e-12 && reason == KSP_DIVERGED_ITS), "%s: from a guess, the solve for the correction", types[t]));

    /* stages of another length, no norm: so many passes and no more */
    PetscCall(KSPSetNormType(ksp, KSP_NORM_NONE));
    PetscCall(KSPSetConvergenceTest(ksp, KSPConvergedSkip, NULL, NULL));
    PetscCall(KSPStochasticSetStageLength(ksp, 252));
    PetscCall(MatGramGetPasses(p.G, &before));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(MatGramGetPasses(p.G, &after));
    PetscCall(KSPGetIterationNumber(ksp, &its));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    PetscCall(TapOk((PetscBool)(its == 5 && reason == KSP_CONVERGED_ITS && PetscAbsReal(after - before - Passes(t, 5, .5, PETSC_FALSE)) < 1e-9), "%s: five stages of half a pass, without norms", types[t]));
    if (PetscAbsReal(after - before - Passes(t, 5, .5, PETSC_FALSE)) >= 1e-9) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %g passes, %s\n", (double)(after - before), KSPConvergedReasons[reason]));

    PetscCall(VecSet(b, 0.0));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(VecNorm(x, NORM_2, &far));
    PetscCall(TapOk((PetscBool)(far == 0.0), "%s: a zero right-hand side", types[t]));
    PetscCall(VecDestroy(&guess));
    PetscCall(VecDestroy(&r));
    PetscCall(VecDestroy(&y));
    PetscCall(VecDestroy(&b));
    PetscCall(VecDestroy(&x));
    PetscCall(KSPDestroy(&ksp));
  }
  PetscCall(ProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The known rates, for the methods of the textbook: one rank */
static PetscErrorCode TestRates(void)
{
  Samples   c = cases[1];
  Problem   p;
  PetscReal mu, max, L, rho, bound, f0;
  PetscInt  its;
  KSP       ksp;
  Vec       b, x;
  Watch     watch;

  PetscFunctionBeginUser;
  c.r1 = .02;
  PetscCall(PetscMemzero(&watch, sizeof(watch)));
  PetscCall(ProblemCreate(&c, &p));
  watch.problem = &p;
  PetscCall(Spectrum(&p, &mu, &max));
  L = LargestSample(&c) + c.r1;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# L = %g, mu = %g, n = %d\n", (double)L, (double)mu, (int)c.n));
  PetscCall(Rhs(p.G, 0, &b, &x));

  /* Johnson and Zhang, Theorem 1: the excess falls by rho = 1/(mu eta (1 - 2 L eta) m) + 2 L eta/(1 - 2 L eta) a stage */
  PetscCall(SamplesSolver(p.G, KSPSVRG, 1e-30, 8, &ksp));
  PetscCall(KSPStochasticSetStep(ksp, 1.0 / (10.0 * L)));
  PetscCall(KSPStochasticSetStageLength(ksp, (PetscInt)(50.0 * L / mu)));
  PetscCall(KSPMonitorSet(ksp, WatchMonitor, &watch, NULL));
  PetscCall(KSPSolve(ksp, b, x));
  rho = 1.0 / (mu / (10.0 * L) * .8 * (PetscReal)(PetscInt)(50.0 * L / mu)) + .2 / .8;
  PetscCall(TapOk((PetscBool)(watch.excess[8] <= PetscPowReal(rho, 8) * watch.excess[0] && watch.excess[8] > 0), "svrg: the rate of Johnson and Zhang, %.3g a stage", (double)rho));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# measured %.3g\n", (double)PetscPowReal(watch.excess[8] / watch.excess[0], 1. / 8)));
  PetscCall(KSPDestroy(&ksp));

  /* with a line search the excess cannot grow, whatever the step */
  PetscCall(SamplesSolver(p.G, KSPSVRG, 1e-30, 12, &ksp));
  PetscCall(KSPStochasticSetLineSearch(ksp, PETSC_TRUE));
  PetscCall(KSPStochasticSetStep(ksp, 1.9 / L));
  PetscCall(KSPMonitorSet(ksp, WatchMonitor, &watch, NULL));
  PetscCall(KSPSolve(ksp, b, x));
  {
    PetscBool falls = PETSC_TRUE;

    for (its = 0; its < 12; its++)
      if (!(watch.excess[its + 1] < watch.excess[its])) falls = PETSC_FALSE;
    PetscCall(TapOk(falls, "svrg: with a line search the function falls in every stage"));
  }
  PetscCall(KSPDestroy(&ksp));

  /* Defazio et al., Corollary 1: ||x - x*||^2 <= (1 - min(1/(4n), mu/(3L)))^k (||x0 - x*||^2 + 2n/(3L) (f(x0) - f*)) */
  PetscCall(SamplesSolver(p.G, KSPSAGA, 1e-30, 40, &ksp));
  PetscCall(KSPStochasticSetStep(ksp, 1.0 / (3.0 * L)));
  PetscCall(KSPMonitorSet(ksp, WatchMonitor, &watch, NULL));
  PetscCall(KSPSolve(ksp, b, x));
  rho   = 1.0 - PetscMin(1.0 / (4.0 * c.n), mu / (3.0 * L));
  bound = PetscPowReal(rho, 40.0 * c.n) * (watch.square[0] + 2.0 * c.n / (3.0 * L) * watch.excess[0]);
  PetscCall(TapOk((PetscBool)(watch.square[40] <= bound && watch.square[40] > 0), "saga: the rate of Defazio, Bach and Lacoste-Julien, %.3g a pass", (double)PetscPowReal(rho, c.n)));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# measured %.3g, bound %.3g, reached %.3g\n", (double)PetscPowReal(watch.square[40] / watch.square[0], 1. / 40), (double)bound, (double)watch.square[40]));
  PetscCall(KSPDestroy(&ksp));

  /* Shalev-Shwartz and Zhang, Theorem 5: dual excess times 1 - 1/(n + R^2/gamma) a step; gamma/2 ||w - w*||^2 is below it */
  PetscCall(SamplesSolver(p.G, KSPSDCA, 1e-30, 40, &ksp));
  PetscCall(KSPMonitorSet(ksp, WatchMonitor, &watch, NULL));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(VecNorm(b, NORM_2, &f0));
  rho   = 1.0 - 1.0 / (c.n + (L - c.r1) / c.r1);
  bound = 2.0 / c.r1 * PetscPowReal(rho, 40.0 * c.n) * (f0 * f0 / (2.0 * c.r1) - watch.excess[0]);
  PetscCall(TapOk((PetscBool)(watch.square[40] <= bound && watch.square[40] > 0), "sdca: the rate of Shalev-Shwartz and Zhang, %.3g a pass", (double)PetscPowReal(rho, c.n)));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# bound %.3g, reached %.3g\n", (double)bound, (double)watch.square[40]));
  {
    PetscBool falls = PETSC_TRUE;

    for (its = 0; its < 40; its++)
      if (!(watch.excess[its + 1] <= 1.0001 * watch.excess[0])) falls = PETSC_FALSE;
    PetscCall(TapOk(falls, "sdca: its bad beginning is never the solution"));
  }
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(ProblemDestroy(&p));

  /* few samples are many times as long as the others: by norm, the rate is that of the mean and not of the longest */
  c.spread = 40;
  PetscCall(ProblemCreate(&c, &p));
  PetscCall(Rhs(p.G, 0, &b, &x));
  for (int t = 0; t < 2; t++) {
    PetscInt stages[2];

    for (int sampling = 0; sampling < 2; sampling++) {
      PetscCall(SamplesSolver(p.G, types[t], 1e-6, 400, &ksp));
      PetscCall(KSPStochasticSetSampling(ksp, (KSPStochasticSampling)sampling));
      PetscCall(KSPSolve(ksp, b, x));
      PetscCall(KSPGetIterationNumber(ksp, &stages[sampling]));
      PetscCall(KSPDestroy(&ksp));
    }
    PetscCall(TapOk((PetscBool)(stages[1] < (PetscDefined(USE_COMPLEX) ? .75 : .6) * stages[0]), "%s: sampling by norm is worth it where samples differ", types[t]));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %d stages uniformly, %d by norm\n", (int)stages[0], (int)stages[1]));
  }
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(ProblemDestroy(&p));

  /* Katyusha, Theorem 2.1: (1 + sqrt(mu/(3 L m)))^{-m} a stage of m = 2n steps, where m mu/L <= 3/4, up to a constant */
  c.n      = 120;
  c.d[0]   = 100;
  c.r1     = .005;
  c.spread = 3;
  PetscCall(ProblemCreate(&c, &p));
  PetscCall(Spectrum(&p, &mu, &max));
  L = LargestSample(&c) + c.r1;
  PetscCall(Rhs(p.G, 0, &b, &x));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# L = %g, mu = %g, m mu/L = %g\n", (double)L, (double)mu, (double)(2 * c.n * mu / L)));
  PetscCall(SamplesSolver(p.G, KSPKATYUSHA, 1e-30, 40, &ksp));
  PetscCall(KSPKatyushaSetConvexity(ksp, mu));
  PetscCall(KSPMonitorSet(ksp, WatchMonitor, &watch, NULL));
  PetscCall(KSPSolve(ksp, b, x));
  rho = PetscPowReal(1.0 + PetscSqrtReal(mu / (6.0 * L * c.n)), -2.0 * c.n);
  PetscCall(TapOk((PetscBool)(2 * c.n * mu / L <= .75 && watch.excess[40] <= PetscPowReal(rho, 40) * watch.excess[0] && watch.excess[40] > 0), "katyusha: the rate of Allen-Zhu, %.3g a stage", (double)rho));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# measured %.3g\n", (double)PetscPowReal(watch.excess[40] / watch.excess[0], 1. / 40)));
  f0 = watch.excess[40];
  PetscCall(KSPDestroy(&ksp));
  PetscCall(SamplesSolver(p.G, KSPSVRG, 1e-30, 60, &ksp)); /* 120 passes as well */
  PetscCall(KSPMonitorSet(ksp, WatchMonitor, &watch, NULL));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(TapOk((PetscBool)(f0 < .1 * watch.excess[60]), "katyusha: ahead of svrg after the same 120 passes, L/(mu n) being %.3g", (double)(L / (mu * c.n))));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %.3g and %.3g\n", (double)f0, (double)watch.excess[60]));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(ProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Samples that are nothing alike on different ranks: the mean of what the ranks find is no step to take as it is */
static PetscErrorCode TestUnalike(void)
{
  PetscInt    first, last, n = 240, d = 12;
  PetscMPIInt rank, size;
  Mat         X, G;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, d, d, NULL, d, NULL, &X));
  PetscCall(MatGetOwnershipRange(X, &first, &last));
  for (PetscInt i = first; i < last; i++)
    for (PetscInt j = 0; j < d; j++)
      if (j % size == rank) PetscCall(MatSetValue(X, i, j, Noise(i, j, 1) - .3, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(X, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(X, MAT_FINAL_ASSEMBLY));
  PetscCall(MatCreateGram(X, NULL, &G));
  PetscCall(MatGramSetRidge(G, .02, 0));
  for (size_t t = 0; t < PETSC_STATIC_ARRAY_LENGTH(types); t++) {
    KSP                ksp;
    Vec                b, x, r;
    PetscReal          norm, rnorm;
    PetscInt           its;
    KSPConvergedReason reason;

    PetscCall(SamplesSolver(G, types[t], 1e-8, 2000, &ksp));
    PetscCall(Rhs(G, 0, &b, &x));
    PetscCall(VecDuplicate(b, &r));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetIterationNumber(ksp, &its));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    PetscCall(MatMult(G, x, r));
    PetscCall(VecAXPY(r, -1.0, b));
    PetscCall(VecNorm(r, NORM_2, &rnorm));
    PetscCall(VecNorm(b, NORM_2, &norm));
    PetscCall(TapOk((PetscBool)(reason == KSP_CONVERGED_RTOL && rnorm <= 1.0001e-8 * norm), "%s: every rank has features of its own", types[t]));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s, %d stages\n", KSPConvergedReasons[reason], (int)its));
    PetscCall(VecDestroy(&b));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&r));
    PetscCall(KSPDestroy(&ksp));
  }
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is refused, what diverges, options and views */
static PetscErrorCode TestInterface(void)
{
  Samples               c = cases[2];
  Problem               p;
  Mat                   A;
  KSP                   ksp;
  PC                    pc;
  Vec                   b, x;
  KSPConvergedReason    reason;
  PetscReal             eta, used, far;
  PetscInt              m, seed;
  PetscBool             flag;
  KSPStochasticSampling sampling;
  PetscViewer           viewer;

  PetscFunctionBeginUser;
  PetscCall(ProblemCreate(&c, &p));
  PetscCall(Rhs(p.G, 0, &b, &x));
  PetscCall(MatConvert(p.G, MATDENSE, MAT_INITIAL_MATRIX, &A));
  for (size_t t = 0; t < PETSC_STATIC_ARRAY_LENGTH(types); t++) {
    char option[64], what[128];

    PetscCall(SamplesSolver(A, types[t], 1e-8, 100, &ksp));
    PetscCall(PetscSNPrintf(what, sizeof(what), "%s: an operator without samples is refused by name", types[t]));
    TapFails(KSPSolve(ksp, b, x), PETSC_ERR_SUP, "goes from sample to sample", what);
    PetscCall(KSPDestroy(&ksp));

    PetscCall(SamplesSolver(p.G, types[t], 1e-8, 100, &ksp));
    if (t == 1 || t == 3) {
      PetscCall(MatGramSetCoupling(p.G, 1.0, 2.0, 1.0));
      PetscCall(KSPSetOperators(ksp, p.G, p.G));
      PetscCall(PetscSNPrintf(what, sizeof(what), "%s: an indefinite coupling is refused", types[t]));
      TapFails(KSPSolve(ksp, b, x), PETSC_ERR_SUP, "positive semidefinite", what);
      PetscCall(MatGramSetCoupling(p.G, 1.0, 0.0, 1.0));
      PetscCall(MatGramSetRidge(p.G, 0.0, 0.1));
      PetscCall(KSPSetOperators(ksp, p.G, p.G));
      PetscCall(PetscSNPrintf(what, sizeof(what), "%s: and so is no ridge", types[t]));
      TapFails(KSPSolve(ksp, b, x), PETSC_ERR_SUP, "MatGramSetRidge()", what);
      PetscCall(MatGramSetRidge(p.G, c.r1, c.r2));
      PetscCall(KSPSetOperators(ksp, p.G, p.G));
      PetscCall(KSPSolve(ksp, b, x));
      PetscCall(KSPGetConvergedReason(ksp, &reason));
      PetscCall(TapOk((PetscBool)(reason == KSP_CONVERGED_RTOL), "%s: works on with what it can do", types[t]));
    }
    if (t == 3) {
      TapFails(KSPStochasticSetSampling(ksp, KSP_STOCHASTIC_NORM), PETSC_ERR_SUP, "sampling by norm is for types", "sdca: sampling by norm is refused");
    } else {
      PetscCall(KSPStochasticSetLineSearch(ksp, PETSC_FALSE));
      PetscCall(KSPStochasticSetStep(ksp, 50.0));
      PetscCall(KSPSolve(ksp, b, x));
      PetscCall(KSPGetConvergedReason(ksp, &reason));
      PetscCall(TapOk((PetscBool)(reason == KSP_DIVERGED_DTOL || reason == KSP_DIVERGED_NANORINF), "%s: a step much too long diverges", types[t]));
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s\n", KSPConvergedReasons[reason]));
      PetscCall(KSPStochasticSetStep(ksp, PETSC_DECIDE));
      PetscCall(KSPSolve(ksp, b, x));
      PetscCall(KSPGetConvergedReason(ksp, &reason));
      PetscCall(KSPStochasticGetStep(ksp, &used));
      PetscCall(TapOk((PetscBool)(reason == KSP_CONVERGED_RTOL && PetscAbsReal(used * (LargestSample(&c) + PetscMax(c.r1, c.r2)) - (t == 2 ? 1. / 3 : 1.)) < 1e-12), "%s: the automatic step is %s", types[t], t == 2 ? "1/(3L)" : "1/L"));
      TapFails(KSPStochasticSetStep(ksp, -.5), PETSC_ERR_ARG_OUTOFRANGE, "must be positive", "a negative step");
    }
    if (t == 0) {
      Mat R;

      PetscCall(KSPReset(ksp));
      TapFails(KSPStochasticGetResidual(ksp, &R), PETSC_ERR_ORDER, "not known", "no residual before a solve");
    }
    TapFails(KSPStochasticSetStageLength(ksp, 0), PETSC_ERR_ARG_OUTOFRANGE, "at least one step", "a stage of no steps");
    PetscCall(KSPDestroy(&ksp));

    /* everything by options, and with a PC that somebody else has chosen */
#define OPTION(name, value) \
  do { \
    PetscCall(PetscSNPrintf(option, sizeof(option), "-o_ksp_%s_%s", types[t], name)); \
    PetscCall(PetscOptionsSetValue(NULL, option, value)); \
  } while (0)
    PetscCall(PetscOptionsSetValue(NULL, "-o_ksp_type", types[t]));
    PetscCall(PetscOptionsSetValue(NULL, "-o_ksp_view", "ascii:/dev/null"));
    OPTION("stage", "700");
    OPTION("seed", "11");
    if (t < 3) {
      OPTION("step", "0.01");
      OPTION("sampling", "norm");
      OPTION("linesearch", "true");
    }
    if (t == 1) OPTION("convexity", "0.04");
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(KSPSetOptionsPrefix(ksp, "o_"));
    PetscCall(KSPSetOperators(ksp, p.G, p.G));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, PCJACOBI));
    PetscCall(KSPSetFromOptions(ksp));
    PetscCall(KSPStochasticGetStageLength(ksp, &m));
    PetscCall(KSPStochasticGetSeed(ksp, &seed));
    flag = (PetscBool)(m == 700 && seed == 11);
    if (t < 3) {
      PetscBool ls;

      PetscCall(KSPStochasticGetStep(ksp, &eta));
      PetscCall(KSPStochasticGetSampling(ksp, &sampling));
      PetscCall(KSPStochasticGetLineSearch(ksp, &ls));
      flag = (PetscBool)(flag && eta == .01 && sampling == KSP_STOCHASTIC_NORM && ls);
    }
    if (t == 1) {
      PetscCall(KSPKatyushaGetConvexity(ksp, &eta));
      flag = (PetscBool)(flag && eta == .04);
    }
    PetscCall(TapOk(flag, "%s: options", types[t]));
    PetscCall(KSPSetTolerances(ksp, 1e-8, 1e-50, 1e10, 1000));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(Errors(&p, 0, x, &far, NULL, NULL, NULL));
    PetscCall(TapOk((PetscBool)(far <= 1.0001e-8), "%s: converges with them, whatever the preconditioner", types[t]));
    {
      char        view[4096] = "";
      FILE       *file;
      PetscMPIInt rank;
      char        name[PETSC_MAX_PATH_LEN];

      PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
      PetscCall(PetscGetTmp(PETSC_COMM_WORLD, name, sizeof(name)));
      PetscCall(PetscStrlcat(name, "/ksp_stochastic_view", sizeof(name)));
      PetscCall(PetscViewerASCIIOpen(PETSC_COMM_WORLD, name, &viewer));
      PetscCall(KSPView(ksp, viewer));
      PetscCall(PetscViewerDestroy(&viewer));
      flag = PETSC_TRUE;
      if (!rank) {
        size_t got = 0;

        file = fopen(name, "r");
        if (file) {
          got = fread(view, 1, sizeof(view) - 1, file);
          fclose(file);
          remove(name);
        }
        view[got] = 0;
        flag      = (PetscBool)(strstr(view, "stages of 700 steps") && strstr(view, "seed 11") && strstr(view, "the preconditioner is not used"));
      }
      PetscCall(TapOk(flag, "%s: a view says so", types[t]));
    }
    /* reset, another type, and back */
    PetscCall(KSPReset(ksp));
    PetscCall(KSPSetOperators(ksp, p.G, p.G));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPSetType(ksp, KSPCG));
    PetscCall(KSPSetType(ksp, types[t]));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(Errors(&p, 0, x, &far, NULL, NULL, NULL));
    PetscCall(TapOk((PetscBool)(far <= 1.0001e-8), "%s: after KSPReset(), to another type and back", types[t]));
    PetscCall(KSPDestroy(&ksp));
  }
  /* an operator that changes under the solver */
  PetscCall(SamplesSolver(p.G, KSPSVRG, 1e-8, 100, &ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(ProblemDestroy(&p));
  c.r1 = .4;
  PetscCall(ProblemCreate(&c, &p));
  PetscCall(KSPSetOperators(ksp, p.G, p.G));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(Errors(&p, 0, x, &far, NULL, NULL, NULL));
  PetscCall(TapOk((PetscBool)(far <= 1.0001e-8), "svrg: another operator"));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(ProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As the inner solvers of EPSNAPI, which sets a preconditioner and tolerances as it likes: blockcg's answer */
static PetscErrorCode TestInner(void)
{
  Samples     c = cases[2];
  Mat         X, Y, A, B;
  PetscScalar wanted = 0.0, value = 0.0;
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(SampleView(&c, 0, &X));
  PetscCall(SampleView(&c, 1, &Y));
  PetscCall(MatCreateCCAPair(X, Y, c.r1, c.r2, PETSC_TRUE, &A, &B));
  for (int t = -1; t < (size > 1 ? 1 : 4); t++) {
    EPS       eps;
    ST        st;
    KSP       ksp;
    PetscInt  nconv;
    PetscReal error = 1.0;

    PetscCall(EPSCreate(PETSC_COMM_WORLD, &eps));
    PetscCall(EPSSetOperators(eps, A, B));
    PetscCall(EPSSetProblemType(eps, EPS_GHEP));
    PetscCall(EPSSetType(eps, EPSNAPI));
    PetscCall(EPSSetDimensions(eps, 1, NAPI_UNSET, NAPI_UNSET));
    PetscCall(EPSSetTolerances(eps, 1e-8, 2000));
    PetscCall(EPSGetST(eps, &st));
    PetscCall(STGetKSP(st, &ksp));
    if (t >= 0) PetscCall(KSPSetType(ksp, types[t]));
    PetscCall(EPSSolve(eps));
    PetscCall(EPSGetConverged(eps, &nconv));
    if (nconv) {
      PetscCall(EPSGetEigenvalue(eps, 0, &value, NULL));
      PetscCall(EPSComputeError(eps, 0, EPS_ERROR_RELATIVE, &error));
    }
    if (t < 0) wanted = value;
    else PetscCall(TapOk((PetscBool)(nconv && error < 1e-7 && PetscAbsReal(PetscAbsScalar(value) - PetscAbsScalar(wanted)) < 1e-10), "%s: as the inner solver of EPSNAPI", types[t]));
    PetscCall(EPSDestroy(&eps));
  }
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCall(TapBegin(&argc, &argv));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(TestAnswers());
  PetscCall(TestForms());
  PetscCall(TestBlocks());
  PetscCall(TestFrame());
  if (size == 1) PetscCall(TestRates());
  PetscCall(TestUnalike());
  PetscCall(TestInterface());
  PetscCall(TestInner());
  return TapEnd();
}
