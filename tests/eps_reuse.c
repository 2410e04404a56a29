/* SPDX-License-Identifier: BSD-2-Clause */
/*
   One solver used again and again: with another type in between, other dimensions, other operators; the inner solver is
   afterwards what it was before, and nothing is leaked.
*/
#include "pairs.h"

#define N 20

typedef struct {
  PetscReal rtol, atol, dtol;
  PetscInt  maxit;
  PetscBool stop, guess;
  void     *test;
} Inner;

static PetscErrorCode InnerGet(EPS eps, Inner *inner)
{
  NAPIKSPConvergenceTest *test;
  NAPICtxDestroy         *destroy;
  void                   *ctx;
  ST                      st;
  KSP                     ksp;

  PetscFunctionBegin;
  PetscCall(EPSGetST(eps, &st));
  PetscCall(STGetKSP(st, &ksp));
  PetscCall(KSPGetTolerances(ksp, &inner->rtol, &inner->atol, &inner->dtol, &inner->maxit));
  PetscCall(KSPGetErrorIfNotConverged(ksp, &inner->stop));
  PetscCall(KSPGetInitialGuessNonzero(ksp, &inner->guess));
  PetscCall(KSPGetConvergenceTest(ksp, &test, &ctx, &destroy));
  inner->test = ctx; /* the context is enough to tell one from another */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode InnerStays(Mat A, Mat B, EPSNAPIMomentum momentum, EPSNAPIWarmStart warm)
{
  Inner before, after;
  EPS   eps;
  ST    st;
  KSP   ksp;

  PetscFunctionBegin;
  PetscCall(SolverCreate(A, B, 1, momentum, &eps));
  PetscCall(EPSNAPISetWarmStart(eps, warm));
  PetscCall(EPSNAPISetInnerTolerances(eps, PETSC_DECIDE, 50));
  PetscCall(EPSGetST(eps, &st));
  PetscCall(STGetKSP(st, &ksp));
  PetscCall(KSPSetTolerances(ksp, 1e-3, 1e-40, 1e7, 321));
  PetscCall(EPSSetUp(eps));
  PetscCall(InnerGet(eps, &before));
  PetscCall(EPSSolve(eps));
  PetscCall(InnerGet(eps, &after));
  PetscCall(TapOk((PetscBool)(before.rtol == after.rtol && before.atol == after.atol && before.dtol == after.dtol && before.maxit == after.maxit && before.rtol == (PetscReal)1e-3 && before.maxit == 321), "%s, warm start %s: the tolerances of the KSP are what they were", EPSNAPIMomentums[momentum], EPSNAPIWarmStarts[warm]));
  PetscCall(TapOk((PetscBool)(before.stop == after.stop && before.guess == after.guess && before.test == after.test), "%s, warm start %s: and so are its flags and its convergence test", EPSNAPIMomentums[momentum], EPSNAPIWarmStarts[warm]));
  PetscCall(EPSDestroy(&eps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  Mat       A, B, A2, B2;          /* the second pair is smaller */
  PetscReal d[N], d2[N], alone[N]; /* of (A,B), (A2,B2) and A */
  PetscInt  n2;
} Pairs;

/* Everything one can do to a solver, with the answer checked (aloud) or not */
static PetscErrorCode Cycle(EPS eps, Pairs *p, PetscInt momentum, PetscBool aloud)
{
  char what[128];

#define CHECK(A, B, k, n, d, text) \
  do { \
    PetscCall(PetscSNPrintf(what, sizeof(what), "%s: %s", EPSNAPIMomentums[momentum], text)); \
    if (aloud) PetscCall(TapPairs(eps, A, B, k, n, d, 1e-9, what)); \
  } while (0)
  PetscFunctionBegin;
  PetscCall(EPSSetOperators(eps, p->A, p->B));
  PetscCall(EPSSetProblemType(eps, EPS_GHEP));
  PetscCall(EPSSetType(eps, EPSNAPI));
  PetscCall(EPSNAPISetMomentum(eps, (EPSNAPIMomentum)momentum));
  PetscCall(EPSSetDimensions(eps, 2, NAPI_UNSET, NAPI_UNSET));
  PetscCall(EPSSolve(eps));
  CHECK(p->A, p->B, 2, N, p->d, "a first solve");
  PetscCall(EPSSetDimensions(eps, 4, NAPI_UNSET, NAPI_UNSET));
  PetscCall(EPSSolve(eps));
  CHECK(p->A, p->B, 4, N, p->d, "more pairs");
  PetscCall(EPSSetDimensions(eps, 1, NAPI_UNSET, NAPI_UNSET));
  PetscCall(EPSSolve(eps));
  CHECK(p->A, p->B, 1, N, p->d, "fewer pairs");
  PetscCall(EPSSetType(eps, EPSKRYLOVSCHUR));
  PetscCall(EPSSetDimensions(eps, 1, NAPI_UNSET, NAPI_UNSET));
  PetscCall(EPSSetTolerances(eps, 1e-7, PETSC_DEFAULT));
  PetscCall(EPSSolve(eps));
  CHECK(p->A, p->B, 1, N, p->d, "krylovschur in between");
  PetscCall(EPSSetType(eps, EPSNAPI));
  PetscCall(EPSNAPISetMomentum(eps, (EPSNAPIMomentum)momentum));
  PetscCall(EPSSetDimensions(eps, 2, NAPI_UNSET, NAPI_UNSET));
  PetscCall(EPSSetTolerances(eps, 1e-8, PETSC_DEFAULT));
  PetscCall(EPSSolve(eps));
  CHECK(p->A, p->B, 2, N, p->d, "napi again");
  PetscCall(EPSReset(eps));
  PetscCall(EPSSetOperators(eps, p->A2, p->B2));
  PetscCall(EPSSolve(eps));
  CHECK(p->A2, p->B2, 2, p->n2, p->d2, "EPSReset and a smaller pair");
  PetscCall(EPSSetOperators(eps, p->A, p->B));
  PetscCall(EPSSolve(eps));
  CHECK(p->A, p->B, 2, N, p->d, "another pair, larger, without EPSReset");
  PetscCall(EPSSetOperators(eps, p->A, NULL));
  PetscCall(EPSSetProblemType(eps, EPS_HEP));
  PetscCall(EPSSolve(eps));
  CHECK(p->A, NULL, 2, N, p->alone, "the matrix without B");
#undef CHECK
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NothingLeaks(Pairs *p, PetscInt momentum)
{
  PetscLogDouble used[4], whole[3];
  PetscInt       i;
  EPS            eps;

  PetscFunctionBegin;
  /* one solver for ever */
  PetscCall(EPSCreate(PETSC_COMM_WORLD, &eps));
  for (i = 0; i < 4; i++) {
    PetscCall(Cycle(eps, p, momentum, (PetscBool)(i == 0)));
    PetscCall(PetscMallocGetCurrentUsage(&used[i]));
  }
  PetscCall(EPSDestroy(&eps));
  if (used[0] <= 0.0) { /* under valgrind, which sees leaks itself */
    PetscCall(TapSkip("PETSc does not count its memory here", "memory does not grow"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(TapOk((PetscBool)(used[3] == used[1]), "%s: memory does not grow as one solver is used again", EPSNAPIMomentums[momentum]));
  if (used[3] != used[1]) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# bytes after each cycle: %g %g %g %g\n", used[0], used[1], used[2], used[3]));
  /* a new one each time */
  for (i = 0; i < 3; i++) {
    PetscCall(EPSCreate(PETSC_COMM_WORLD, &eps));
    PetscCall(Cycle(eps, p, momentum, PETSC_FALSE));
    PetscCall(EPSDestroy(&eps));
    PetscCall(PetscMallocGetCurrentUsage(&whole[i]));
  }
  PetscCall(TapOk((PetscBool)(whole[2] == whole[1]), "%s: EPSDestroy gives everything back", EPSNAPIMomentums[momentum]));
  if (whole[2] != whole[1]) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# bytes after each solver: %g %g %g\n", whole[0], whole[1], whole[2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A direct inner solver, where it is asked for: on several ranks it needs a package, which PETSc may not have; it says so then */
static PetscErrorCode Direct(Pairs *p, PetscInt momentum, const char *factor)
{
  char           what[128];
  PetscErrorCode code;
  PetscBool      available;
  EPS            eps;

  PetscFunctionBegin;
  PetscCall(MatGetFactorAvailable(p->B, NULL, strcmp(factor, PCLU) ? MAT_FACTOR_CHOLESKY : MAT_FACTOR_LU, &available));
  PetscCall(PetscOptionsSetValue(NULL, "-st_ksp_type", "preonly"));
  PetscCall(PetscOptionsSetValue(NULL, "-st_pc_type", factor));
  PetscCall(SolverCreate(p->A, p->B, 2, (EPSNAPIMomentum)momentum, &eps));
  PetscCall(EPSSetFromOptions(eps));
  PetscCall(PetscSNPrintf(what, sizeof(what), "%s: -st_ksp_type preonly -st_pc_type %s", EPSNAPIMomentums[momentum], factor));
  PetscCall(FailuresBegin());
  code = EPSSolve(eps);
  PetscCall(PetscPopErrorHandler());
  if (!available) PetscCall(TapOk((PetscBool)(code == PETSC_ERR_SUP && strstr(failure, "-st_ksp_type cg -st_pc_type jacobi")), "%s cannot be done here, and says what can", what));
  else if (code) PetscCall(TapOk(PETSC_FALSE, "%s: %s", what, failure));
  else PetscCall(TapPairs(eps, p->A, p->B, 2, N, p->d, 1e-9, what));
  PetscCall(EPSDestroy(&eps));
  PetscCall(PetscOptionsClearValue(NULL, "-st_ksp_type"));
  PetscCall(PetscOptionsClearValue(NULL, "-st_pc_type"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Pairs    p;
  PetscInt i, m;

  PetscCall(PetscOptionsSetValue(NULL, "-malloc_dump", NULL)); /* so that PETSc knows what is allocated */
  PetscCall(TapBegin(&argc, &argv));
  p.n2 = 9;
  for (i = 0; i < N; i++) {
    p.d[i]  = 6.0 * PetscPowReal(0.8, i);
    p.d2[i] = 3.0 * PetscPowReal(-0.7, i);
  }
  PetscCall(PairFromSpectrum(N, p.d, 0.5, &p.A, &p.B));
  PetscCall(PairFromSpectrum(p.n2, p.d2, 0.5, &p.A2, &p.B2));
  PetscCall(DenseValues(p.A, NULL, N, p.alone));
  for (i = EPS_NAPI_WARM_START_CORRECTION; i <= EPS_NAPI_WARM_START_NONE; i++) PetscCall(InnerStays(p.A, p.B, EPS_NAPI_MOMENTUM_ADAPTIVE, (EPSNAPIWarmStart)i));
  for (m = EPS_NAPI_MOMENTUM_ADAPTIVE; m < Momenta(); m++) {
    PetscCall(InnerStays(p.A, p.B, (EPSNAPIMomentum)m, EPS_NAPI_WARM_START_CORRECTION));
    PetscCall(NothingLeaks(&p, m));
    PetscCall(Direct(&p, m, PCLU));
    PetscCall(Direct(&p, m, PCCHOLESKY));
  }
  PetscCall(MatDestroy(&p.A));
  PetscCall(MatDestroy(&p.B));
  PetscCall(MatDestroy(&p.A2));
  PetscCall(MatDestroy(&p.B2));
  return TapEnd();
}
