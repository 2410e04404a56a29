/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Every setter, getter and option: what goes in comes out, with and without a prefix; what makes no sense is refused by
   an error after which the solver is as it was.
*/
#include "pairs.h"
#include <math.h>

/* What a solver is set to */
typedef struct {
  EPSNAPIMomentum  momentum;
  EPSNAPIWarmStart warm;
  EPSNAPIResidual  residual;
  PetscReal        beta, rtol;
  PetscInt         guard, maxit;
} Settings;

static PetscErrorCode Get(EPS eps, Settings *s)
{
  PetscFunctionBegin;
  PetscCall(EPSNAPIGetMomentum(eps, &s->momentum));
  PetscCall(EPSNAPIGetWarmStart(eps, &s->warm));
  PetscCall(EPSNAPIGetResidual(eps, &s->residual));
  PetscCall(EPSNAPIGetBeta(eps, &s->beta));
  PetscCall(EPSNAPIGetGuard(eps, &s->guard));
  PetscCall(EPSNAPIGetInnerTolerances(eps, &s->rtol, &s->maxit));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TapSettings(EPS eps, Settings wanted, const char *what)
{
  Settings  s;
  PetscBool pass;

  PetscFunctionBegin;
  PetscCall(Get(eps, &s));
  pass = (PetscBool)(s.momentum == wanted.momentum && s.warm == wanted.warm && s.residual == wanted.residual && s.beta == wanted.beta && s.rtol == wanted.rtol && s.guard == wanted.guard && s.maxit == wanted.maxit);
  PetscCall(TapOk(pass, "%s", what));
  if (!pass) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# momentum %d, warm start %d, residual %d, beta %g, rtol %g, guard %d, maxit %d\n", (int)s.momentum, (int)s.warm, (int)s.residual, (double)s.beta, (double)s.rtol, (int)s.guard, (int)s.maxit));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NewSolver(Mat A, Mat B, const char *prefix, const char *options, EPS *eps)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(EPSCreate(PETSC_COMM_WORLD, eps));
  PetscCall(EPSSetOptionsPrefix(*eps, prefix));
  PetscCall(EPSSetOperators(*eps, A, B));
  PetscCall(EPSSetProblemType(*eps, B ? EPS_GHEP : EPS_HEP));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const Settings defaults = {EPS_NAPI_MOMENTUM_OPTIMAL, EPS_NAPI_WARM_START_CORRECTION, EPS_NAPI_RESIDUAL_BOTH, 0.0, PETSC_DECIDE, 2, PETSC_DECIDE};

static PetscErrorCode Setters(Mat A, Mat B)
{
  const Settings wanted = {EPS_NAPI_MOMENTUM_FIXED, EPS_NAPI_WARM_START_GUESS, EPS_NAPI_RESIDUAL_SCALED, 0.25, 0.125, 5, 17};
  Settings       s      = wanted;
  EPS            eps;

  PetscFunctionBegin;
  PetscCall(NewSolver(A, B, NULL, NULL, &eps));
  PetscCall(EPSSetType(eps, EPSNAPI));
  PetscCall(TapSettings(eps, defaults, "the defaults are those of the manual page"));
  PetscCall(EPSNAPISetMomentum(eps, wanted.momentum));
  PetscCall(EPSNAPISetWarmStart(eps, wanted.warm));
  PetscCall(EPSNAPISetResidual(eps, wanted.residual));
  PetscCall(EPSNAPISetBeta(eps, wanted.beta));
  PetscCall(EPSNAPISetInnerTolerances(eps, wanted.rtol, wanted.maxit));
  s.guard = 0;
  PetscCall(TapSettings(eps, s, "setters: the getters give it back, fixed momentum has no guard columns by itself"));
  PetscCall(EPSNAPISetGuard(eps, wanted.guard));
  PetscCall(TapSettings(eps, wanted, "setters: and those it is given"));
  PetscCall(EPSNAPISetBetaFromEigenvalue(eps, -4.0));
  s      = wanted;
  s.beta = 4.0;
  PetscCall(TapSettings(eps, s, "setters: beta from an eigenvalue is a quarter of its square"));
  PetscCall(EPSNAPISetBeta(eps, wanted.beta));
  PetscCall(TapSettings(eps, wanted, "setters: the last of the two ways to set beta holds"));

  /* bad values, after each of which everything is as before */
  TapFails(EPSNAPISetMomentum(eps, (EPSNAPIMomentum)77), PETSC_ERR_ARG_OUTOFRANGE, "momentum", "an unknown momentum is refused");
  TapFails(EPSNAPISetWarmStart(eps, (EPSNAPIWarmStart)77), PETSC_ERR_ARG_OUTOFRANGE, "warm start", "an unknown warm start is refused");
  TapFails(EPSNAPISetResidual(eps, (EPSNAPIResidual)77), PETSC_ERR_ARG_OUTOFRANGE, "residual", "an unknown residual is refused");
  TapFails(EPSNAPISetBeta(eps, -1.0), PETSC_ERR_ARG_OUTOFRANGE, "must not be negative", "a negative beta is refused");
  TapFails(EPSNAPISetBeta(eps, (PetscReal)INFINITY), PETSC_ERR_ARG_OUTOFRANGE, "momentum parameter", "an infinite beta is refused");
  TapFails(EPSNAPISetBetaFromEigenvalue(eps, (PetscReal)INFINITY), PETSC_ERR_ARG_OUTOFRANGE, "eigenvalue", "an infinite eigenvalue is refused");
  TapFails(EPSNAPISetGuard(eps, -7), PETSC_ERR_ARG_OUTOFRANGE, "must not be negative", "a negative guard is refused");
  TapFails(EPSNAPISetInnerTolerances(eps, 1.0, 10), PETSC_ERR_ARG_OUTOFRANGE, "between 0 and 1", "an inner tolerance of 1 is refused");
  TapFails(EPSNAPISetInnerTolerances(eps, 0.0, 10), PETSC_ERR_ARG_OUTOFRANGE, "between 0 and 1", "an inner tolerance of 0 is refused");
  TapFails(EPSNAPISetInnerTolerances(eps, 0.5, 0), PETSC_ERR_ARG_OUTOFRANGE, "must be positive", "no inner iterations are refused");
  PetscCall(TapSettings(eps, wanted, "after bad values everything is as it was"));
  PetscCall(EPSNAPISetGuard(eps, PETSC_DECIDE));
  PetscCall(EPSNAPISetInnerTolerances(eps, PETSC_DECIDE, PETSC_DECIDE));
  s       = wanted;
  s.guard = 0;
  s.rtol  = PETSC_DECIDE;
  s.maxit = PETSC_DECIDE;
  PetscCall(TapSettings(eps, s, "PETSC_DECIDE brings back the defaults"));

  /* a setter does nothing, and a getter fails, where the type is another */
  PetscCall(EPSSetType(eps, EPSKRYLOVSCHUR));
  PetscCall(EPSNAPISetGuard(eps, 3));
  TapFails(EPSNAPIGetGuard(eps, &s.guard), PETSC_ERR_SUP, "EPSNAPIGetGuard_C", "the getters belong to the type");
  PetscCall(EPSSetType(eps, EPSNAPI));
  PetscCall(TapSettings(eps, defaults, "a type chosen anew starts with the defaults"));
  PetscCall(EPSDestroy(&eps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Options(Mat A, Mat B, const char *prefix)
{
  const Settings wanted      = {EPS_NAPI_MOMENTUM_FIXED, EPS_NAPI_WARM_START_NONE, EPS_NAPI_RESIDUAL_SLEPC, 2.5, 0.25, 1, 33};
  const char    *values[][2] = {
       {"type",              "napi" },
       {"napi_momentum",     "fixed"},
       {"napi_beta",         "2.5"  },
       {"napi_guard",        "1"    },
       {"napi_inner_rtol",   ".25"  },
       {"napi_inner_max_it", "33"   },
       {"napi_warm_start",   "none" },
       {"napi_residual",     "slepc"}
  };
  const char *p = prefix ? prefix : "";
  char        name[128], what[128];
  Settings    s;
  PetscBool   isnapi;
  size_t      i;
  EPS         eps;

  PetscFunctionBegin;
  for (i = 0; i < PETSC_STATIC_ARRAY_LENGTH(values); i++) {
    PetscCall(PetscSNPrintf(name, sizeof(name), "-%seps_%s", p, values[i][0]));
    PetscCall(PetscOptionsSetValue(NULL, name, values[i][1]));
  }
  PetscCall(NewSolver(A, B, prefix, NULL, &eps));
  PetscCall(EPSSetFromOptions(eps));
  PetscCall(PetscObjectTypeCompare((PetscObject)eps, EPSNAPI, &isnapi));
  PetscCall(TapOk(isnapi, "options, prefix '%s': -eps_type napi", p));
  PetscCall(PetscSNPrintf(what, sizeof(what), "options, prefix '%s': all of them", p));
  PetscCall(TapSettings(eps, wanted, what));
  PetscCall(EPSDestroy(&eps));

  /* beta from an eigenvalue, and the inner solver's own names for its tolerances */
  for (i = 2; i < PETSC_STATIC_ARRAY_LENGTH(values); i++) {
    PetscCall(PetscSNPrintf(name, sizeof(name), "-%seps_%s", p, values[i][0]));
    PetscCall(PetscOptionsClearValue(NULL, name));
  }
  PetscCall(PetscSNPrintf(what, sizeof(what), "-%seps_napi_beta_from_eigenvalue 6 -%sst_ksp_rtol .5 -%sst_ksp_max_it 9", p, p, p));
  PetscCall(NewSolver(A, B, prefix, what, &eps));
  PetscCall(EPSSetFromOptions(eps));
  s          = defaults;
  s.momentum = EPS_NAPI_MOMENTUM_FIXED;
  s.guard    = 0;
  s.beta     = 9.0;
  s.rtol     = 0.5;
  s.maxit    = 9;
  PetscCall(PetscSNPrintf(what, sizeof(what), "options, prefix '%s': beta from an eigenvalue, -st_ksp_rtol, -st_ksp_max_it", p));
  PetscCall(TapSettings(eps, s, what));
  PetscCall(EPSDestroy(&eps));
  PetscCall(PetscOptionsClear(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Options that make no sense are errors too, and a solver goes on with better ones */
static PetscErrorCode BadOptions(Mat A, Mat B, const PetscReal d[], PetscInt n)
{
  const struct {
    const char    *options, *words;
    PetscErrorCode code;
  } bad[] = {
    {"-eps_napi_momentum heavy",  "heavy",                PETSC_ERR_USER          },
    {"-eps_napi_warm_start cold", "cold",                 PETSC_ERR_USER          },
    {"-eps_napi_residual small",  "small",                PETSC_ERR_USER          },
    {"-eps_napi_beta -3",         "must not be negative", PETSC_ERR_ARG_OUTOFRANGE},
    {"-eps_napi_guard -5",        "must not be negative", PETSC_ERR_ARG_OUTOFRANGE},
    {"-eps_napi_inner_rtol 2",    "between 0 and 1",      PETSC_ERR_ARG_OUTOFRANGE},
    {"-eps_napi_inner_max_it 0",  "must be positive",     PETSC_ERR_ARG_OUTOFRANGE}
  };
  char   what[128];
  size_t i;
  EPS    eps;

  PetscFunctionBegin;
  for (i = 0; i < PETSC_STATIC_ARRAY_LENGTH(bad); i++) {
    PetscCall(NewSolver(A, B, NULL, bad[i].options, &eps));
    PetscCall(EPSSetType(eps, EPSNAPI));
    PetscCall(PetscSNPrintf(what, sizeof(what), "%s is refused", bad[i].options));
    TapFails(EPSSetFromOptions(eps), bad[i].code, bad[i].words, what);
    PetscCall(PetscOptionsClear(NULL));
    PetscCall(EPSSolve(eps));
    PetscCall(TapPairs(eps, A, B, 1, n, d, 1e-9, "and the solver works on"));
    PetscCall(EPSDestroy(&eps));
  }

  /* fixed momentum without a parameter: the sentence names both options, and either helps */
  PetscCall(SolverCreate(A, B, 1, EPS_NAPI_MOMENTUM_FIXED, &eps));
  TapFails(EPSSolve(eps), PETSC_ERR_ARG_WRONGSTATE, "-eps_napi_beta_from_eigenvalue", "fixed momentum without beta is refused, with the options to give");
  PetscCall(EPSNAPISetBetaFromEigenvalue(eps, d[1]));
  PetscCall(EPSSolve(eps));
  PetscCall(TapPairs(eps, A, B, 1, n, d, 1e-9, "and the same solver works once it has one"));
  PetscCall(EPSDestroy(&eps));

  /* a block smaller than what is wanted cannot be */
  PetscCall(SolverCreate(A, B, 4, EPS_NAPI_MOMENTUM_NONE, &eps));
  PetscCall(EPSSetDimensions(eps, 4, 2, NAPI_UNSET));
  TapFails(EPSSolve(eps), PETSC_ERR_USER_INPUT, "at least nev", "ncv < nev is refused");
  PetscCall(EPSSetDimensions(eps, 4, 6, NAPI_UNSET));
  PetscCall(EPSSolve(eps));
  PetscCall(TapPairs(eps, A, B, 4, n, d, 1e-9, "and the same solver works with a larger one"));
  PetscCall(EPSDestroy(&eps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -eps_view says how it is set, after EPSSetUp() and before */
static PetscErrorCode View(Mat A, Mat B)
{
  const char *lines[] = {"momentum: fixed, beta = 4", "guard columns: 3", "rtol = 0.125", "at most: 17", "warm start: guess", "residual tested: scaled", "applications so far: A "};
  char        text[8192];
  size_t      i;
  PetscViewer viewer;
  EPS         eps;

  PetscFunctionBegin;
  PetscCall(NewSolver(A, B, NULL, "-eps_type napi -eps_napi_beta_from_eigenvalue 4 -eps_napi_guard 3 -eps_napi_inner_rtol .125 -eps_napi_inner_max_it 17 -eps_napi_warm_start guess -eps_napi_residual scaled -eps_napi_momentum fixed", &eps));
  PetscCall(EPSSetFromOptions(eps));
  PetscCall(EPSSolve(eps));
  PetscCall(PetscMemzero(text, sizeof(text)));
  PetscCall(PetscViewerStringOpen(PETSC_COMM_WORLD, text, sizeof(text), &viewer));
  PetscCall(EPSView(eps, viewer)); /* nothing for this kind of viewer, and no error */
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(PetscViewerASCIIOpen(PETSC_COMM_WORLD, "eps_options.view", &viewer));
  PetscCall(EPSView(eps, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(PetscMemzero(text, sizeof(text)));
  {
    PetscMPIInt rank;

    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    if (rank == 0) {
      FILE *f = fopen("eps_options.view", "r");

      if (f) {
        (void)!fread(text, 1, sizeof(text) - 1, f);
        (void)fclose(f);
        (void)remove("eps_options.view");
      }
    }
    PetscCallMPI(MPI_Bcast(text, sizeof(text), MPI_CHAR, 0, PETSC_COMM_WORLD));
  }
  for (i = 0; i < PETSC_STATIC_ARRAY_LENGTH(lines); i++) PetscCall(TapOk((PetscBool)(strstr(text, lines[i]) != NULL), "-eps_view says: %s", lines[i]));
  PetscCall(EPSDestroy(&eps));
  PetscCall(PetscOptionsClear(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscReal d[20];
  PetscInt  i;
  Mat       A, B;

  PetscCall(TapBegin(&argc, &argv));
  PetscCall(PetscOptionsClear(NULL));
  for (i = 0; i < 20; i++) d[i] = 8.0 * PetscPowReal(0.7, i);
  PetscCall(PairFromSpectrum(20, d, 0.5, &A, &B));
  PetscCall(Setters(A, B));
  PetscCall(Options(A, B, NULL));
  PetscCall(Options(A, B, "my_"));
  PetscCall(BadOptions(A, B, d, 20));
  PetscCall(View(A, B));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  return TapEnd();
}
