/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The class CCA as an object: options and prefixes, monitors and history, what is counted, views, reuse, types of one's own,
   the choice of a type, and the ways of the type eps.
*/
#include "ccadata.h"
#include <slepcnapi/private/ccaimpl.h>

static const PetscReal rho[] = {0.95, 0.9, 0.7, 0.4, 0.35, 0.2, 0.1, 0.05};

static PetscErrorCode FirstCorrelations(CCA cca, PetscInt k, PetscReal *worst)
{
  PetscReal got;
  PetscInt  nconv;

  PetscFunctionBegin;
  *worst = 1.0;
  PetscCall(CCAGetConverged(cca, &nconv));
  if (nconv < k) PetscFunctionReturn(PETSC_SUCCESS);
  *worst = 0.0;
  for (PetscInt i = 0; i < k; i++) {
    PetscCall(CCAGetCorrelation(cca, i, &got));
    *worst = TapWorst(*worst, PetscAbsReal(got - rho[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solved(CCA cca, PetscInt k, PetscReal tol, const char *what)
{
  PetscReal worst;

  PetscFunctionBegin;
  PetscCall(CCASolve(cca));
  PetscCall(FirstCorrelations(cca, k, &worst));
  PetscCall(TapOk((PetscBool)(worst <= tol), "%s: right", what));
  if (!(worst <= tol)) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# off by %g\n", (double)worst));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NewCCA(Mat X, Mat Y, CCA *cca)
{
  PetscFunctionBegin;
  PetscCall(CCACreate(PETSC_COMM_WORLD, cca));
  PetscCall(CCASetData(*cca, X, Y));
  PetscCall(CCASetDimensions(*cca, 3));
  PetscCall(CCASetRegularization(*cca, 0.0, 0.0));
  PetscCall(CCASetCentering(*cca, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the view has all of these texts */
static PetscErrorCode Viewed(CCA cca, const char *const parts[], const char *what)
{
  char        text[8192] = "";
  PetscViewer viewer;
  FILE       *f;
  size_t      got;
  PetscMPIInt rank;
  PetscBool   good = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PetscViewerASCIIOpen(PETSC_COMM_WORLD, "cca_object_view.tmp", &viewer));
  PetscCall(CCAView(cca, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  if (!rank) {
    f = fopen("cca_object_view.tmp", "r");
    if (f) {
      got       = fread(text, 1, sizeof(text) - 1, f);
      text[got] = '\0';
      fclose(f);
    }
    remove("cca_object_view.tmp");
    for (int i = 0; parts[i]; i++)
      if (!strstr(text, parts[i])) good = PETSC_FALSE;
  }
  PetscCall(TapOk(good, "%s", what));
  if (!good) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s\n", text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Options(Mat X, Mat Y)
{
  PetscInt    k, max_it;
  PetscReal   r1, r2, tol;
  PetscBool   center, scale;
  const char *prefix;
  CCAType     type;
  CCA         cca;
  KSP         ksp;

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, "-my_cca_type napi -my_cca_k 2 -my_cca_ridge 0.1,0.2 -my_cca_center -my_cca_scale -my_cca_tol 1e-5 -my_cca_max_it 77 -my_cca_ksp_type cg -my_cca_pc_type none"));
  PetscCall(NewCCA(X, Y, &cca));
  PetscCall(CCASetOptionsPrefix(cca, "my_"));
  PetscCall(CCASetFromOptions(cca));
  PetscCall(CCAGetType(cca, &type));
  PetscCall(CCAGetDimensions(cca, &k));
  PetscCall(CCAGetRegularization(cca, &r1, &r2));
  PetscCall(CCAGetTolerances(cca, &tol, &max_it));
  PetscCall(CCAGetCentering(cca, &center));
  PetscCall(CCAGetScaling(cca, &scale));
  PetscCall(CCAGetOptionsPrefix(cca, &prefix));
  PetscCall(TapOk((PetscBool)(!strcmp(type, CCANAPI) && k == 2 && r1 == 0.1 && r2 == 0.2 && tol == 1e-5 && max_it == 77 && center && scale && !strcmp(prefix, "my_")), "all options, with a prefix"));
  PetscCall(CCASetUp(cca));
  PetscCall(CCAGetKSP(cca, NULL, &ksp));
  PetscCall(KSPGetType(ksp, &type));
  PetscCall(TapOk((PetscBool)!strcmp(type, KSPCG), "the inner solvers have their options too"));
  PetscCall(CCADestroy(&cca));

  PetscCall(PetscOptionsInsertString(NULL, "-one_cca_ridge 0.3"));
  PetscCall(CCACreate(PETSC_COMM_WORLD, &cca));
  PetscCall(CCASetOptionsPrefix(cca, "on"));
  PetscCall(CCAAppendOptionsPrefix(cca, "e_"));
  PetscCall(CCASetFromOptions(cca));
  PetscCall(CCAGetRegularization(cca, &r1, &r2));
  PetscCall(TapOk((PetscBool)(r1 == 0.3 && r2 == 0.3), "one ridge is for both views"));
  PetscCall(CCADestroy(&cca));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Data whose type is chosen in set-up: it is too late then for options that are not the type's own, or setters would not count */
static PetscErrorCode ChosenType(void)
{
  CCAType   type;
  PetscReal r1, r2, tol;
  PetscInt  k, max_it, found;
  Mat       X, Y, U;
  CCA       cca;

  PetscFunctionBegin;
  PetscCall(NoisyView(PETSC_COMM_WORLD, 600, 300, 0.01, 1, 0, PETSC_FALSE, &X));
  PetscCall(NoisyView(PETSC_COMM_WORLD, 600, 300, 0.01, 2, 0, PETSC_FALSE, &Y));
  PetscCall(PetscOptionsInsertString(NULL, "-late_cca_ridge 0.5 -late_cca_tol 1e-2 -late_cca_k 40 -late_cca_napi_ncv 13"));
  PetscCall(CCACreate(PETSC_COMM_WORLD, &cca));
  PetscCall(CCASetOptionsPrefix(cca, "late_"));
  PetscCall(CCASetData(cca, X, Y));
  PetscCall(CCASetFromOptions(cca));
  PetscCall(CCASetRegularization(cca, 0.25, 0.125));
  PetscCall(CCASetTolerances(cca, 1e-7, 99));
  PetscCall(CCASetDimensions(cca, 2));
  PetscCall(PetscOptionsSetValue(NULL, "-late_cca_k", "41")); /* more than there are: nobody must come to see it */
  PetscCall(CCASolve(cca));
  PetscCall(CCAGetType(cca, &type));
  PetscCall(CCAGetRegularization(cca, &r1, &r2));
  PetscCall(CCAGetTolerances(cca, &tol, &max_it));
  PetscCall(CCAGetDimensions(cca, &k));
  PetscCall(TapOk((PetscBool)(!strcmp(type, CCANAPI) && r1 == 0.25 && r2 == 0.125 && tol == 1e-7 && max_it == 99), "what is set after the options were read stays when the type is chosen"));
  PetscCall(CCAGetDirections(cca, &U, NULL));
  PetscCall(MatGetSize(U, NULL, &found));
  PetscCall(TapOk((PetscBool)(k == 2 && found == 2), "so does the number of pairs, which was checked"));
  PetscCall(Viewed(cca, (const char *const[]){"type: napi", "at most 13 columns", NULL}, "and the chosen type has read its own options"));
  PetscCall(CCADestroy(&cca));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The defaults of inner solvers give way to what is set by functions, also where that is what a new KSP has */
static PetscErrorCode InnerSettings(Mat X, Mat Y)
{
  PetscReal rtol[2];
  PetscInt  max_it[2];
  KSP       ksp;
  CCA       cca;

  PetscFunctionBegin;
  for (int set = 0; set < 2; set++) {
    PetscCall(NewCCA(X, Y, &cca));
    PetscCall(CCASetType(cca, CCAALS));
    PetscCall(CCAGetKSP(cca, &ksp, NULL));
    PetscCall(KSPSetType(ksp, KSPCG));
    if (set) PetscCall(KSPSetTolerances(ksp, 1e-5, 1e-50, 1e5, 77));
    PetscCall(CCASetUp(cca));
    PetscCall(KSPGetTolerances(ksp, &rtol[set], NULL, NULL, &max_it[set]));
    PetscCall(CCADestroy(&cca));
  }
  PetscCall(TapOk((PetscBool)(rtol[0] == (PetscReal)0.1 && max_it[0] == 10000), "an inner solver of which nothing was set has the defaults of the type"));
  PetscCall(TapOk((PetscBool)(rtol[1] == (PetscReal)1e-5 && max_it[1] == 77), "one whose tolerance was set keeps it"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscInt  calls, destroyed, last;
  PetscBool sane;
} Watch;

static PetscErrorCode Watcher(CCA cca, PetscInt its, PetscInt nconv, PetscInt n, const PetscReal r[], const PetscReal error[], void *ctx)
{
  Watch *w = (Watch *)ctx;

  PetscFunctionBegin;
  (void)cca;
  (void)error;
  if (its != w->last + 1 || nconv < 0 || n < nconv) w->sane = PETSC_FALSE;
  for (PetscInt i = 0; i < n; i++)
    if (!(r[i] >= 0.0 && r[i] <= 1.0 + 1e-12)) w->sane = PETSC_FALSE;
  w->last = its;
  w->calls++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WatchDestroy(void **ctx)
{
  ((Watch *)*ctx)->destroyed++;
  return PETSC_SUCCESS;
}

static PetscErrorCode Watching(Mat X, Mat Y)
{
  static const char *const settings[] = {"-w_cca_type napi", "-w_cca_type eps", "-w_cca_type eps -w_cca_eps_napi_momentum none"};
  const PetscReal         *passes, *objective;
  PetscReal                total, a, b;
  PetscInt                 n, its;
  CCA                      cca;

  PetscFunctionBegin;
  for (size_t s = 0; s < PETSC_STATIC_ARRAY_LENGTH(settings); s++) {
    Watch     w     = {0, 0, 0, PETSC_TRUE};
    PetscBool grows = PETSC_TRUE;

    PetscCall(PetscOptionsInsertString(NULL, settings[s]));
    PetscCall(NewCCA(X, Y, &cca));
    PetscCall(CCASetOptionsPrefix(cca, "w_"));
    PetscCall(CCASetFromOptions(cca));
    PetscCall(CCASetHistory(cca, PETSC_TRUE));
    PetscCall(CCAMonitorSet(cca, Watcher, &w, WatchDestroy));
    PetscCall(Solved(cca, 3, 1e-9, settings[s]));
    PetscCall(CCAGetIterationNumber(cca, &its));
    PetscCall(TapOk((PetscBool)(w.calls == its && w.sane), "%s: the monitor is called in each of %d steps", settings[s], (int)its));
    PetscCall(CCAGetHistory(cca, &n, &passes, &objective));
    PetscCall(CCAGetApplications(cca, &a, &b, &total));
    for (PetscInt i = 1; i < n; i++)
      if (!(passes[i] >= passes[i - 1] && objective[i] >= objective[i - 1] - 1e-6)) grows = PETSC_FALSE;
    PetscCall(TapOk((PetscBool)(n == its && grows && passes[n - 1] <= total && PetscAbsReal(objective[n - 1] - rho[0] - rho[1] - rho[2]) < 1e-6), "%s: the history grows up to the solution, within the passes counted", settings[s]));
    PetscCall(TapOk((PetscBool)(a > 0.0 && b > 0.0 && total <= a + b), "%s: products are counted", settings[s]));
    PetscCall(CCADestroy(&cca));
    PetscCall(TapOk((PetscBool)(w.destroyed == 1), "%s: what the monitor brought is destroyed", settings[s]));
    PetscCall(PetscOptionsClearValue(NULL, "-w_cca_eps_napi_momentum"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Any EPS, in the ways of Algorithm 3 */
static PetscErrorCode Pairs(Mat X, Mat Y)
{
  static const char *const settings[] = {"-p_cca_eps_type krylovschur", "-p_cca_eps_type gd", "-p_cca_eps_type lobpcg", "-p_cca_eps_type krylovschur -p_cca_eps_largest_magnitude", "-p_cca_eps_map gaussian", "-p_cca_eps_map gaussian -p_cca_eps_napi_momentum adaptive -p_cca_eps_tol 1e-10", "-p_cca_eps_napi_momentum fixed -p_cca_eps_napi_beta_from_eigenvalue 0.4 -p_cca_st_ksp_rtol 1e-3"};
  CCA                      cca;

  PetscFunctionBegin;
  for (size_t s = 0; s < PETSC_STATIC_ARRAY_LENGTH(settings); s++) {
    PetscCall(PetscOptionsInsertString(NULL, settings[s]));
    PetscCall(NewCCA(X, Y, &cca));
    PetscCall(CCASetOptionsPrefix(cca, "p_"));
    PetscCall(CCASetType(cca, CCAEPS));
    PetscCall(CCASetFromOptions(cca));
    PetscCall(Solved(cca, 3, 1e-8, settings[s]));
    PetscCall(CCADestroy(&cca));
    PetscCall(PetscOptionsClearValue(NULL, "-p_cca_eps_type"));
    PetscCall(PetscOptionsClearValue(NULL, "-p_cca_eps_map"));
    PetscCall(PetscOptionsClearValue(NULL, "-p_cca_eps_tol"));
    PetscCall(PetscOptionsClearValue(NULL, "-p_cca_eps_largest_magnitude"));
    PetscCall(PetscOptionsClearValue(NULL, "-p_cca_eps_napi_momentum"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One object, solved again and again, with other settings, types and data */
static PetscErrorCode Reuse(Mat X, Mat Y)
{
  PetscReal r;
  CCA       cca;
  CCAType   type;
  Mat       X2, Y2;

  PetscFunctionBegin;
  PetscCall(NewCCA(X, Y, &cca));
  PetscCall(Solved(cca, 3, 1e-9, "no type given"));
  PetscCall(CCAGetType(cca, &type));
  PetscCall(TapOk((PetscBool)!strcmp(type, CCADIRECT), "few columns: the choice is direct"));
  PetscCall(CCASetType(cca, CCANAPI));
  PetscCall(Solved(cca, 3, 1e-9, "then napi"));
  PetscCall(Solved(cca, 3, 1e-9, "once more"));
  PetscCall(CCASetDimensions(cca, 5));
  PetscCall(Solved(cca, 5, 1e-9, "more pairs"));
  PetscCall(CCASetType(cca, CCAEPS));
  PetscCall(Solved(cca, 5, 1e-9, "then eps"));
  PetscCall(CCASetRegularization(cca, 10.0, 10.0));
  PetscCall(CCASolve(cca));
  PetscCall(CCAGetCorrelation(cca, 0, &r));
  PetscCall(TapOk((PetscBool)(r < 0.5), "a large ridge makes correlations small"));
  PetscCall(CCASetRegularization(cca, 0.0, 0.0));
  PetscCall(CCASetType(cca, CCANAPI));
  PetscCall(KnownViews(PETSC_COMM_WORLD, 90, 8, 10, rho, PETSC_TRUE, &X2, &Y2));
  PetscCall(CCASetData(cca, X2, Y2));
  PetscCall(Solved(cca, 5, 1e-9, "other data"));
  PetscCall(CCAReset(cca));
  PetscCall(CCASetData(cca, X, Y));
  PetscCall(Solved(cca, 5, 1e-9, "after a reset"));
  PetscCall(CCADestroy(&cca));
  PetscCall(MatDestroy(&X2));
  PetscCall(MatDestroy(&Y2));

  /* many columns: nothing is formed */
  PetscCall(NoisyView(PETSC_COMM_WORLD, 9000, 9000, 0.0, 1, 3, PETSC_FALSE, &X2));
  PetscCall(NewCCA(X2, X2, &cca));
  PetscCall(CCASetRegularization(cca, 1.0, 1.0));
  PetscCall(CCASetDimensions(cca, 1));
  PetscCall(CCASetUp(cca));
  PetscCall(CCAGetType(cca, &type));
  PetscCall(TapOk((PetscBool)!strcmp(type, CCANAPI), "many columns and samples: the choice is napi"));
  PetscCall(CCADestroy(&cca));
  PetscCall(MatDestroy(&X2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ItsUp(Mat X, Mat Y)
{
  CCAConvergedReason reason;
  PetscInt           nconv;
  CCA                cca;

  PetscFunctionBegin;
  for (int eps = 0; eps < 2; eps++) {
    PetscCall(NewCCA(X, Y, &cca));
    PetscCall(CCASetType(cca, eps ? CCAEPS : CCANAPI));
    PetscCall(CCASetTolerances(cca, 1e-10, 2));
    PetscCall(CCASolve(cca));
    PetscCall(CCAGetConvergedReason(cca, &reason));
    PetscCall(CCAGetConverged(cca, &nconv));
    PetscCall(TapOk((PetscBool)(reason == CCA_DIVERGED_ITS && nconv < 3), "%s: two steps are not enough, and that is the reason given", eps ? CCAEPS : CCANAPI));
    PetscCall(CCADestroy(&cca));
  }
  PetscCall(NewCCA(X, Y, &cca));
  PetscCall(CCASetType(cca, CCANAPI));
  PetscCall(CCASetTolerances(cca, 1e-18, 200));
  PetscCall(CCASolve(cca));
  PetscCall(CCAGetConvergedReason(cca, &reason));
  PetscCall(TapOk((PetscBool)(reason < 0), "a tolerance below rounding is not claimed to be reached"));
  PetscCall(CCADestroy(&cca));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A type of one's own, which gives no more than random directions and claims to be done: the residuals tell */
static PetscErrorCode Solve_Liar(CCA cca)
{
  PetscFunctionBegin;
  PetscCall(CCARandomBasis_Private(cca, cca->k, cca->basis));
  cca->reason = CCA_CONVERGED_TOL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create_Liar(CCA cca)
{
  PetscFunctionBegin;
  cca->ops->solve = Solve_Liar;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Register(Mat X, Mat Y)
{
  CCAConvergedReason reason;
  PetscInt           nconv;
  CCA                cca;

  PetscFunctionBegin;
  PetscCall(CCARegister("liar", Create_Liar));
  PetscCall(NewCCA(X, Y, &cca));
  PetscCall(CCASetType(cca, "liar"));
  PetscCall(CCASolve(cca));
  PetscCall(CCAGetConvergedReason(cca, &reason));
  PetscCall(CCAGetConverged(cca, &nconv));
  PetscCall(TapOk((PetscBool)(reason == CCA_DIVERGED_ACCURACY && nconv == 0), "a registered type that claims too much is found out"));
  PetscCall(CCADestroy(&cca));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode View(Mat X, Mat Y)
{
  CCA cca;

  PetscFunctionBegin;
  PetscCall(NewCCA(X, Y, &cca));
  PetscCall(CCASetType(cca, CCANAPI));
  PetscCall(CCASolve(cca));
  PetscCall(Viewed(cca, (const char *const[]){"type: napi", "ridges 0. and 0.", "CONVERGED_TOL: 3 pairs", "passes over the data", "blockcg", NULL}, "the view names type, ridges, result, cost and inner solver"));
  PetscCall(CCADestroy(&cca));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat X, Y;

  PetscCall(TapBegin(&argc, &argv));
  PetscCall(KnownViews(PETSC_COMM_WORLD, 120, 12, 8, rho, PETSC_FALSE, &X, &Y));
  PetscCall(Options(X, Y));
  PetscCall(ChosenType());
  PetscCall(InnerSettings(X, Y));
  PetscCall(Watching(X, Y));
  PetscCall(Pairs(X, Y));
  PetscCall(Reuse(X, Y));
  PetscCall(ItsUp(X, Y));
  PetscCall(Register(X, Y));
  PetscCall(View(X, Y));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  return TapEnd();
}
