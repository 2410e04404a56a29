/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The systems that others have published, as CCA types: each finds what CCADIRECT finds, within 1e-6, with the solvers for
   least squares it is meant to be used with and others; its history makes sense; what it cannot do it refuses.
*/
#include "tap.h"

#define N  400
#define D1 12
#define D2 9
#define K  3

/* A number in (0,1) that depends on i and j only, on any number of ranks */
static PetscReal Uniform(PetscInt i, PetscInt j)
{
  PetscInt64 h = 88172645463325252LL + (PetscInt64)i * 1000003LL + (PetscInt64)j * 7919LL;

  for (int l = 0; l < 4; l++) {
    h ^= h >> 12;
    h ^= (PetscInt64)((unsigned long long)h << 25);
    h ^= (h >> 27) & 0x1fffffffffLL;
    h = (PetscInt64)((unsigned long long)h * 2685821657736338717ULL);
  }
  return ((PetscReal)(((unsigned long long)h) >> 33) + 0.5) / 2147483648.0;
}

static PetscReal Normal(PetscInt i, PetscInt j)
{
  return PetscSqrtReal(-2.0 * PetscLogReal(Uniform(i, 2 * j))) * PetscCosReal(2.0 * PETSC_PI * Uniform(i, 2 * j + 1));
}

/* Column j of view v: for j < 3 a latent variable with noise, otherwise noise, and a little of the column before */
static PetscReal Entry(PetscInt v, PetscInt i, PetscInt j)
{
  const PetscReal noise[K] = {0.15, 0.5, 0.9};
  PetscInt        own      = 100 * (v + 1) + j;

  return j < K ? Normal(i, j) + noise[j] * Normal(i, own) : Normal(i, own) * (1.0 + 0.1 * j);
}

static PetscErrorCode View(PetscInt v, PetscInt d, Mat *X)
{
  PetscInt first, last;

  PetscFunctionBegin;
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, N, d, NULL, X));
  PetscCall(MatGetOwnershipRange(*X, &first, &last));
  for (PetscInt i = first; i < last; i++) {
    for (PetscInt j = 0; j < d; j++) PetscCall(MatSetValue(*X, i, j, Entry(v, i, j) + (j ? 0.3 * Entry(v, i, j - 1) : 0.0), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*X, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*X, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static Mat       X, Y;
static PetscReal direct[K];

static PetscErrorCode New(PetscInt k, CCA *cca)
{
  PetscFunctionBegin;
  PetscCall(CCACreate(PETSC_COMM_WORLD, cca));
  PetscCall(CCASetData(*cca, X, Y));
  PetscCall(CCASetRegularization(*cca, 0.05, 0.05));
  PetscCall(CCASetCentering(*cca, PETSC_TRUE));
  PetscCall(CCASetDimensions(*cca, k));
  PetscCall(CCASetTolerances(*cca, 1e-5, PETSC_DECIDE));
  PetscCall(CCASetHistory(*cca, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Passes increase, and the objective is below the optimum and close to it at the end */
static PetscErrorCode CheckHistory(CCA cca, PetscInt k, const char *name)
{
  const PetscReal *passes, *objective;
  PetscReal        best = 0.0;
  PetscInt         n, falls = 0;
  PetscBool        increasing = PETSC_TRUE, below = PETSC_TRUE;

  PetscFunctionBegin;
  for (PetscInt j = 0; j < k; j++) best += direct[j];
  PetscCall(CCAGetHistory(cca, &n, &passes, &objective));
  for (PetscInt i = 0; i < n; i++) {
    if (i && !(passes[i] > passes[i - 1])) increasing = PETSC_FALSE;
    if (!(objective[i] <= best + 1e-9)) below = PETSC_FALSE;
    if (i && !(objective[i] >= objective[i - 1] - 1e-3 * best)) falls++;
  }
  PetscCall(TapOk((PetscBool)(n > 1 && increasing && passes[0] > 0.0), "%s: passes increase from step to step", name));
  PetscCall(TapOk((PetscBool)(n > 1 && below && best - objective[n - 1] < 1e-9), "%s: the objective stays below the optimum and ends there", name));
  PetscCall(TapOk((PetscBool)(n > 1 && 4 * falls <= n), "%s: the objective rises, but for a few steps", name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves with the given options, which all have the prefix cca_, and compares with CCADIRECT */
static PetscErrorCode Compare(const char *name, const char *options, PetscInt k, Mat U, Mat V)
{
  CCA                cca;
  CCAConvergedReason reason;
  PetscReal          rho, worst = 0.0, passes;
  PetscInt           nconv;

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(New(k, &cca));
  PetscCall(CCASetFromOptions(cca));
  if (U) PetscCall(CCASetInitialDirections(cca, U, V));
  PetscCall(CCASolve(cca));
  PetscCall(CCAGetConvergedReason(cca, &reason));
  PetscCall(CCAGetConverged(cca, &nconv));
  for (PetscInt j = 0; j < PetscMin(nconv, k); j++) {
    PetscCall(CCAGetCorrelation(cca, j, &rho));
    worst = TapWorst(worst, PetscAbsReal(rho - direct[j]));
  }
  PetscCall(TapOk((PetscBool)(reason == CCA_CONVERGED_TOL && nconv == k && worst < 1e-6), "%s: the first %" PetscInt_FMT " correlations", name, k));
  if (reason != CCA_CONVERGED_TOL || !(worst < 1e-6)) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s, %" PetscInt_FMT " pairs, error %g\n", CCAConvergedReasons[reason], nconv, (double)worst));
  PetscCall(CheckHistory(cca, k, name));
  PetscCall(CCAGetApplications(cca, NULL, NULL, &passes));
  PetscCall(TapOk((PetscBool)(passes > 1.0), "%s: has cost %g passes", name, (double)passes));
  PetscCall(CCADestroy(&cca));
  PetscCall(PetscOptionsClear(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Keeps the sentence an error begins with */
static char said[2048];

static PetscErrorCode Listen(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code, PetscErrorType type, const char *message, void *ctx)
{
  (void)comm;
  (void)line;
  (void)function;
  (void)file;
  (void)ctx;
  if (type == PETSC_ERROR_INITIAL && message) (void)snprintf(said, sizeof(said), "%s", message);
  return code;
}

/* The first error is expected, and names what to do */
static PetscErrorCode Refused(const char *name, const char *options, PetscInt k, const char *names)
{
  CCA            cca;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(New(k, &cca));
  said[0] = 0;
  PetscCall(PetscPushErrorHandler(Listen, NULL));
  ierr = CCASetFromOptions(cca);
  if (!ierr) ierr = CCASolve(cca);
  PetscCall(PetscPopErrorHandler());
  PetscCall(TapOk((PetscBool)(ierr != PETSC_SUCCESS && strstr(said, names)), "%s", name));
  if (!ierr || !strstr(said, names)) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# code %d: %s\n", (int)ierr, said));
  PetscCall(CCADestroy(&cca));
  PetscCall(PetscOptionsClear(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a step costs, in passes over the data, is what the head comments of the types say */
static PetscErrorCode Cost(const char *name, const char *options, PetscReal wanted)
{
  const PetscReal *passes;
  PetscInt         n;
  CCA              cca;
  PetscBool        right = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(New(1, &cca));
  PetscCall(CCASetTolerances(cca, 1e-12, 6));
  PetscCall(CCASetFromOptions(cca));
  PetscCall(CCASolve(cca));
  PetscCall(CCAGetHistory(cca, &n, &passes, NULL));
  for (PetscInt i = 1; i < n; i++)
    if (!(PetscAbsReal(passes[i] - passes[i - 1] - wanted) <= 1e-3 * wanted)) right = PETSC_FALSE; /* a stage on 3 ranks may have a sample more */
  PetscCall(TapOk((PetscBool)(n > 4 && right), "%s: %g passes a step", name, (double)wanted));
  if (!right) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# it is %g\n", (double)(passes[2] - passes[1])));
  PetscCall(CCADestroy(&cca));
  PetscCall(PetscOptionsClear(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The step limit is a reason, and what was found by then is there */
static PetscErrorCode Limit(const char *type)
{
  CCA                cca;
  CCAConvergedReason reason;
  PetscInt           its, nconv;
  Mat                U;

  PetscFunctionBegin;
  PetscCall(New(1, &cca));
  PetscCall(CCASetType(cca, type));
  PetscCall(CCASetTolerances(cca, 1e-12, 2));
  PetscCall(CCASolve(cca));
  PetscCall(CCAGetConvergedReason(cca, &reason));
  PetscCall(CCAGetIterationNumber(cca, &its));
  PetscCall(CCAGetConverged(cca, &nconv));
  PetscCall(CCAGetDirections(cca, &U, NULL));
  PetscCall(TapOk((PetscBool)(reason == CCA_DIVERGED_ITS && its == 2 && nconv == 0), "%s: stops at the limit of steps and says so", type));
  PetscCall(CCADestroy(&cca));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Data that share one variable only: the second pair has no correlation. lazy finds that; als, whose second directions are
   rounding errors, may find the first pair only, or notice that it has nothing to show, but claims nothing else.
*/
static PetscErrorCode FewerPairs(const char *type)
{
  Mat                views[2];
  CCA                cca;
  CCAConvergedReason reason;
  PetscReal          rho = -1.0, second = -1.0, wanted;
  PetscBool          islazy, right;
  PetscInt           nconv, first, last;
  PetscReal          sum[3] = {0.0, 0.0, 0.0};

  PetscFunctionBegin;
  for (PetscInt v = 0; v < 2; v++) {
    PetscCall(MatCreateDense(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, N, 3, NULL, &views[v]));
    PetscCall(MatGetOwnershipRange(views[v], &first, &last));
    for (PetscInt i = first; i < last; i++) {
      for (PetscInt j = 0; j < 3; j++) PetscCall(MatSetValue(views[v], i, j, (1.0 + j + v) * (Normal(i, 0) + 0.5 * v * Normal(i, 1)), INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(views[v], MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(views[v], MAT_FINAL_ASSEMBLY));
  }
  for (PetscInt i = 0; i < N; i++) {
    const PetscReal a = Normal(i, 0), b = a + 0.5 * Normal(i, 1);

    sum[0] += a * a / N;
    sum[1] += b * b / N;
    sum[2] += a * b / N;
  }
  /* x = a (1,2,3), y = b (2,3,4): along these, with ridges */
  wanted = sum[2] * PetscSqrtReal(14.0 * 29.0) / PetscSqrtReal((14.0 * sum[0] + 0.05) * (29.0 * sum[1] + 0.05));
  PetscCall(CCACreate(PETSC_COMM_WORLD, &cca));
  PetscCall(CCASetData(cca, views[0], views[1]));
  PetscCall(CCASetRegularization(cca, 0.05, 0.05));
  PetscCall(CCASetCentering(cca, PETSC_FALSE));
  PetscCall(CCASetType(cca, type));
  PetscCall(CCASolve(cca));
  PetscCall(CCAGetCorrelation(cca, 0, &rho));
  PetscCall(TapNear(rho, wanted, 1e-6, "one shared variable: the correlation in closed form"));
  PetscCall(CCASetDimensions(cca, 2));
  PetscCall(CCASolve(cca));
  PetscCall(CCAGetConvergedReason(cca, &reason));
  PetscCall(CCAGetConverged(cca, &nconv));
  rho = -1.0;
  if (nconv > 0) PetscCall(CCAGetCorrelation(cca, 0, &rho));
  if (nconv > 1) PetscCall(CCAGetCorrelation(cca, 1, &second));
  PetscCall(PetscStrcmp(type, CCALAZY, &islazy));
  right = (PetscBool)(nconv == 2 && reason == CCA_CONVERGED_TOL && PetscAbsReal(rho - wanted) < 1e-6 && PetscAbsReal(second) < 1e-6);
  if (!islazy) right = (PetscBool)(right || (nconv == 1 && reason == CCA_CONVERGED_RANK && PetscAbsReal(rho - wanted) < 1e-6) || (nconv == 0 && reason == CCA_DIVERGED_ACCURACY));
  PetscCall(TapOk(right, "%s: two pairs where there is one: %s", type, CCAConvergedReasons[reason]));
  if (!right) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %" PetscInt_FMT " pairs, %g and %g, wanted %g and 0\n", nconv, (double)rho, (double)second, (double)wanted));
  PetscCall(CCADestroy(&cca));
  PetscCall(MatDestroy(&views[0]));
  PetscCall(MatDestroy(&views[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  CCA       cca;
  Mat       U, V, U1, V1;
  PetscReal next;

  PetscFunctionBeginUser;
  PetscCall(TapBegin(&argc, &argv));
  PetscCall(View(0, D1, &X));
  PetscCall(View(1, D2, &Y));

  PetscCall(New(K + 1, &cca));
  PetscCall(CCASetType(cca, CCADIRECT));
  PetscCall(CCASolve(cca));
  for (PetscInt j = 0; j < K; j++) PetscCall(CCAGetCorrelation(cca, j, &direct[j]));
  PetscCall(CCAGetCorrelation(cca, K, &next));
  PetscCall(TapOk((PetscBool)(direct[0] - direct[1] > 0.1 && direct[1] - direct[2] > 0.1 && direct[2] - next > 0.1), "the problem has gaps: %.3f %.3f %.3f %.3f", (double)direct[0], (double)direct[1], (double)direct[2], (double)next));
  PetscCall(CCAGetDirections(cca, &U, &V));

  /* ALS, the solver for least squares being SVRG as published, and others */
  PetscCall(Compare("ALS-VR, one pair", "-cca_type als", 1, NULL, NULL));
  PetscCall(Compare("ALS-VR, three pairs", "-cca_type als -cca_ksp_max_it 4", K, NULL, NULL));
  PetscCall(Compare("ALS with block CG", "-cca_type als -cca_ksp_type blockcg", K, NULL, NULL));
  PetscCall(Compare("ALS with CG, column by column", "-cca_type als -cca_ksp_type cg", 2, NULL, NULL));
  PetscCall(Compare("ALS with SDCA", "-cca_type als -cca_ksp_type sdca -cca_ksp_max_it 10", 1, NULL, NULL));

  /* shift-and-invert */
  PetscCall(Compare("SI-VR", "-cca_type si -cca_si_delta 0.2", 1, NULL, NULL));
  PetscCall(Compare("SI with CG, a gap that is too small", "-cca_type si -cca_ksp_type cg -cca_si_delta 0.01", 1, NULL, NULL));
  PetscCall(Compare("SI with MINRES, a gap that is too large", "-cca_type si -cca_ksp_type minres -cca_si_delta 0.9", 1, NULL, NULL));
  PetscCall(Refused("SI refuses more than one pair, and names lazy", "-cca_type si", 2, "-cca_type lazy"));
  PetscCall(Refused("SI refuses a negative gap", "-cca_type si -cca_si_delta -1", 1, "-cca_si_delta must lie between 0 and 1"));

  /* LazyCCA */
  PetscCall(Compare("LazyCCA, one pair", "-cca_type lazy", 1, NULL, NULL));
  PetscCall(Compare("LazyCCA, three pairs", "-cca_type lazy", K, NULL, NULL));
  PetscCall(Compare("LazyCCA with MINRES", "-cca_type lazy -cca_ksp_type minres -cca_ksp_rtol 1e-3", 2, NULL, NULL));
  PetscCall(Refused("LazyCCA refuses a solver that needs samples", "-cca_type lazy -cca_ksp_type svrg", 2, "goes from sample to sample"));

  /* AppGrad, from a start where it is known to converge: the solution with an error of 20 % */
  PetscCall(MatDuplicate(U, MAT_COPY_VALUES, &U1));
  PetscCall(MatDuplicate(V, MAT_COPY_VALUES, &V1));
  {
    PetscInt first, last;

    PetscCall(MatGetOwnershipRange(U1, &first, &last));
    for (PetscInt i = first; i < last; i++)
      for (PetscInt j = 0; j < K; j++) PetscCall(MatSetValue(U1, i, j, 0.05 * Normal(i, 1000 + j), ADD_VALUES));
    PetscCall(MatGetOwnershipRange(V1, &first, &last));
    for (PetscInt i = first; i < last; i++)
      for (PetscInt j = 0; j < K; j++) PetscCall(MatSetValue(V1, i, j, 0.05 * Normal(i, 2000 + j), ADD_VALUES));
    PetscCall(MatAssemblyBegin(U1, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(U1, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyBegin(V1, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(V1, MAT_FINAL_ASSEMBLY));
  }
  PetscCall(Compare("AppGrad, one pair", "-cca_type appgrad", 1, U1, V1));
  PetscCall(Compare("AppGrad, three pairs, longer steps", "-cca_type appgrad -cca_appgrad_scale 1.5", K, U1, V1));
  PetscCall(Refused("AppGrad refuses steps with which it diverges", "-cca_type appgrad -cca_appgrad_scale 2.5", 1, "must lie between 0 and 2"));
  PetscCall(MatDestroy(&U1));
  PetscCall(MatDestroy(&V1));

  /* CCALin: the power method, one stage of SVRG a step for all columns */
  PetscCall(Compare("CCALin", "-cca_type eps -cca_eps_napi_momentum none -cca_st_ksp_type svrg -cca_st_ksp_max_it 2 -cca_eps_max_it 2000 -cca_eps_tol 1e-6", 1, NULL, NULL));
  PetscCall(Compare("CCALin, three pairs", "-cca_type eps -cca_eps_napi_momentum none -cca_st_ksp_type svrg -cca_st_ksp_max_it 4 -cca_eps_max_it 2000 -cca_eps_tol 1e-6", K, NULL, NULL));
  {
    char options[256];

    PetscCall(PetscSNPrintf(options, sizeof(options), "-cca_type eps -cca_eps_napi_momentum fixed -cca_eps_napi_beta_from_eigenvalue %.15g -cca_st_ksp_type svrg -cca_st_ksp_max_it 2 -cca_eps_max_it 2000 -cca_eps_tol 1e-6", (double)direct[1]));
    PetscCall(Compare("NAPI with the paper's momentum and SVRG", options, 1, NULL, NULL));
  }

  /* SVRG without a line search: one pass of steps a stage, and a product between stages, for any number of columns */
  PetscCall(Cost("ALS-VR, two stages", "-cca_type als -cca_ksp_svrg_linesearch 0", 5.0));
  PetscCall(Cost("AppGrad", "-cca_type appgrad", 2.0));
  PetscCall(Cost("SI-VR, four stages", "-cca_type si -cca_si_delta 1 -cca_si_m1 100 -cca_ksp_max_it 4 -cca_ksp_svrg_linesearch 0", 9.0));
  PetscCall(Cost("CCALin, two columns, one stage", "-cca_type eps -cca_eps_napi_momentum none -cca_eps_napi_guard 0 -cca_st_ksp_type svrg -cca_st_ksp_max_it 1 -cca_st_ksp_norm_type none -cca_st_ksp_svrg_linesearch 0 -cca_eps_max_it 6", 3.0));
  PetscCall(Cost("CCALin, four columns, two stages", "-cca_type eps -cca_eps_napi_momentum none -cca_eps_napi_guard 2 -cca_st_ksp_type svrg -cca_st_ksp_max_it 2 -cca_st_ksp_norm_type none -cca_st_ksp_svrg_linesearch 0 -cca_eps_max_it 6", 5.0));

  PetscCall(Limit(CCAALS));
  PetscCall(Limit(CCAAPPGRAD));
  PetscCall(Limit(CCASI));
  PetscCall(Limit(CCALAZY));
  PetscCall(FewerPairs(CCAALS));
  PetscCall(FewerPairs(CCALAZY));

  PetscCall(CCADestroy(&cca));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  return TapEnd();
}
