/* SPDX-License-Identifier: BSD-2-Clause */
/*
   napi-cca: canonical correlation analysis of two data sets read from files: what do they share? The steps are those of
   NAPICCA_Run(), at the end: outputs that can be written, data, solution, report with scores, files and picture. The folder napi-cca has the
   parts.
*/
#include "napi-cca/napi-cca.h"
#include <math.h>

/* --- solution ------------------------------------------------------------------------------------------------- */

/* One line that is written over and over, for somebody who watches */
static PetscErrorCode NAPICCA_ShowProgress(CCA cca, PetscInt its, PetscInt nconv, PetscInt n, const PetscReal rho[], const PetscReal error[], void *ctx)
{
  PetscInt k;

  PetscFunctionBegin;
  (void)ctx, (void)rho;
  PetscCall(CCAGetDimensions(cca, &k));
  (void)fprintf(stderr, "\r\033[Kstep %" PetscInt_FMT ": %" PetscInt_FMT " of %" PetscInt_FMT " pairs", its, PetscMin(nconv, k), k);
  if (nconv < n) (void)fprintf(stderr, ", residual of the next %.1e", (double)error[nconv]);
  (void)fflush(stderr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What every analysis is told alike */
PetscErrorCode NAPICCASetChoices(const Options *o, const Data *d, CCA cca)
{
  PetscInt maxit;

  PetscFunctionBegin;
  if (d->weights[2]) PetscCall(CCASetWeights(cca, d->weights[2]));
  for (int i = 0; i < 2; i++)
    if (d->weights[i]) PetscCall(CCASetViewWeights(cca, i, d->weights[i]));
  PetscCall(CCASetCentering(cca, o->center));
  PetscCall(CCASetScaling(cca, o->scale));
  if (o->hasridge) PetscCall(CCASetRegularization(cca, o->ridge[0], o->ridge[1]));
  if (o->hasshrinkage) PetscCall(CCASetShrinkage(cca, o->shrinkage[0], o->shrinkage[1]));
  if (o->hastol) {
    PetscCall(CCAGetTolerances(cca, NULL, &maxit));
    PetscCall(CCASetTolerances(cca, o->tol, maxit));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NAPICCA_CreateSolver(const Options *o, const Data *d, CCA *cca, char message[])
{
  PetscBool watched;
  PetscInt  cols[2];

  PetscFunctionBegin;
  PetscCall(CCACreate(PETSC_COMM_WORLD, cca));
  PetscCall(CCASetData(*cca, d->view[0], d->view[1]));
  for (int i = 0; i < 2; i++) PetscCall(MatGetSize(d->view[i], NULL, &cols[i]));
  PetscCall(CCASetDimensions(*cca, o->hask ? o->k : PetscMin(o->k, PetscMin(cols[0], cols[1]))));
  PetscCall(NAPICCASetChoices(o, d, *cca));
  PetscCall(NAPICCASetFolds(o, d, *cca, message));
  PetscCall(CCASetFromOptions(*cca));
  PetscCall(NAPIIsWatched(&watched));
  if (watched) PetscCall(CCAMonitorSet(*cca, NAPICCA_ShowProgress, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NAPICCA_DestroyResult(Result *r)
{
  PetscFunctionBegin;
  PetscCall(PetscFree4(r->rho, r->pearson, r->residual, r->test));
  PetscCall(PetscFree(r->bound));
  PetscCall(PetscFree(r->confusion));
  PetscCall(PetscFree(r->validated));
  PetscCall(NAPICCADestroyInference(&r->inference));
  PetscCall(NAPICCADestroyBootstrap(&r->bootstrap));
  for (int i = 0; i < 2; i++) {
    PetscCall(MatDestroy(&r->direction[i]));
    PetscCall(MatDestroy(&r->score[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How it went, and with which settings: of every analysis alike */
PetscErrorCode NAPICCAGetFigures(CCA cca, Result *r)
{
  PetscFunctionBegin;
  PetscCall(CCAGetDimensions(cca, &r->k));
  PetscCall(CCAGetConverged(cca, &r->nconv));
  PetscCall(CCAGetConvergedReason(cca, &r->reason));
  PetscCall(CCAGetIterationNumber(cca, &r->its));
  PetscCall(CCAGetApplications(cca, &r->acols, &r->bcols, &r->passes));
  PetscCall(CCAGetRegularization(cca, &r->ridge[0], &r->ridge[1]));
  PetscCall(CCAGetShrinkage(cca, &r->shrinkage[0], &r->shrinkage[1]));
  PetscCall(CCAGetCentering(cca, &r->center));
  PetscCall(CCAGetScaling(cca, &r->scale));
  PetscCall(CCAGetTolerances(cca, &r->tol, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the object knows after the solution */
static PetscErrorCode NAPICCA_GetResult(CCA cca, Result *r)
{
  CCAType  type;
  CCACheck check;

  PetscFunctionBegin;
  PetscCall(CCAGetType(cca, &type));
  PetscCall(PetscStrncpy(r->type, type, sizeof(r->type)));
  PetscCall(NAPICCAGetFigures(cca, r));
  if (r->reason == CCA_DIVERGED_USER && !r->nconv) PetscFunctionReturn(PETSC_SUCCESS); /* stopped before anything was found */
  PetscCall(CCAGetDirections(cca, &r->direction[0], &r->direction[1]));
  for (int i = 0; i < 2; i++) PetscCall(PetscObjectReference((PetscObject)r->direction[i]));
  PetscCall(MatGetSize(r->direction[0], NULL, &r->n)); /* k, or fewer if the data have no more */
  PetscCall(PetscCalloc4(r->n, &r->rho, r->n, &r->pearson, r->n, &r->residual, r->n, &r->test));
  for (PetscInt i = 0; i < r->n; i++) {
    PetscCall(CCAGetCorrelation(cca, i, &r->rho[i]));
    PetscCall(CCAGetPearson(cca, i, &r->pearson[i]));
    PetscCall(CCAComputeError(cca, i, &r->residual[i]));
  }
  PetscCall(CCAGetCheck(cca, &check));
  if (check == CCA_CHECK_CERTIFY) {
    PetscCall(PetscMalloc1(r->n, &r->bound));
    for (PetscInt i = 0; i < r->n; i++) {
      PetscCall(CCAGetErrorBound(cca, i, &r->bound[i]));
      if (r->bound[i] >= PETSC_INFINITY) r->bound[i] = (PetscReal)HUGE_VAL; /* which JSON calls null */
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Before there are data, and a type; with another prefix, because PETSc prints the options of one only once */
static PetscErrorCode NAPICCA_ShowEarly(void *ctx)
{
  CCA cca;

  PetscFunctionBegin;
  (void)ctx;
  PetscCall(CCACreate(PETSC_COMM_WORLD, &cca));
  PetscCall(CCASetOptionsPrefix(cca, NAPI_HELP_PREFIX NAPI_HELP_EARLY));
  PetscCall(CCASetFromOptions(cca));
  PetscCall(CCADestroy(&cca));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NAPICCA_ShowOptions(void *ctx)
{
  CCA     cca;
  CCAType type;

  PetscFunctionBegin;
  PetscCall(CCAGetType((CCA)ctx, &type));
  PetscCall(CCACreate(PETSC_COMM_WORLD, &cca));
  PetscCall(CCASetOptionsPrefix(cca, NAPI_HELP_PREFIX));
  PetscCall(CCASetType(cca, type));
  PetscCall(CCASetFromOptions(cca));
  PetscCall(CCADestroy(&cca));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All options have been read when it has been set up */
static PetscErrorCode NAPICCA_Solve(const Options *o, const Data *d, PetscBool first, CCA cca, Result *r, char message[])
{
  PetscLogDouble start;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(PetscTime(&start));
  PetscCall(CCASetUp(cca));
  PetscCall(NAPICheckRead(NAPICCAHelp, NAPICCA_ShowOptions, cca, message));
  if (message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  if (first) PetscCall(NAPICCAWarnCrowded(o, d, cca));
  if (o->validate) {
    PetscCall(NAPICCAWatch(cca, PETSC_TRUE, &r->stop));
    PetscCall(CCACrossValidate(cca, o->nridges ? o->path : CCA_PATH_NONE, o->nridges, o->ridges));
    PetscCall(NAPICCAUnwatch(cca, &r->stop));
    PetscCall(CCASetUp(cca)); /* where it was stopped: what would have been solved */
  } else PetscCall(NAPICCASolveWatched(cca, &r->stop));
  PetscCall(NAPIElapsed(start, &r->seconds));
  PetscCall(NAPICCA_GetResult(cca, r));
  if (o->validate) PetscCall(NAPICCAGetValidation(cca, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One solution or, with a path, several: the last remains, the path knows of all. With -cv the one that it has chosen */
static PetscErrorCode NAPICCA_SolveAll(const Options *o, const Data *d, CCA cca, Result *r, Path *path, char message[])
{
  const PetscInt n = o->validate ? 1 : PetscMax(1, o->nridges);

  PetscFunctionBegin;
  path->converged = PETSC_TRUE;
  for (PetscInt i = 0; i < n; i++) {
    PetscCall(NAPICCA_DestroyResult(r));
    if (o->nridges && o->path == CCA_PATH_RIDGE) PetscCall(CCASetRegularization(cca, o->ridges[i], o->ridges[i]));
    else if (o->nridges) PetscCall(CCASetShrinkage(cca, o->ridges[i], o->ridges[i]));
    PetscCall(NAPICCA_Solve(o, d, (PetscBool)!i, cca, r, message));
    if (message[0]) PetscFunctionReturn(PETSC_SUCCESS);
    if (r->n && o->hastest) PetscCall(NAPICCATest(cca, d, r));
    PetscCall(NAPICCARecord(r, path));
    if (o->nridges) path->ridge[i] = o->ridges[i];
    if (r->reason == CCA_DIVERGED_USER) break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- main ----------------------------------------------------------------------------------------------------- */

static PetscErrorCode NAPICCA_Report(const Options *o, const Data *d, CCA cca, Result *r, const Path *path, char message[])
{
  PetscFunctionBegin;
  PetscCall(NAPICCABootstrap(o, cca, r));
  if (r->n) PetscCall(CCATransform(cca, NULL, NULL, &r->score[0], &r->score[1]));
  PetscCall(NAPIShowStage(NULL));
  PetscCall(NAPICCAPrint(o, cca, d, r, path));
  if (o->hasout && r->n) PetscCall(NAPICCAWriteModel(o, d, cca, r, message));
  if (o->hasjson && !message[0]) PetscCall(NAPICCAWriteJson(o, d, r, path, o->json, message));
  if (o->hasplot && r->n && !message[0]) PetscCall(NAPICCAPlot(o, d, cca, r, path, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NAPICCA_Run(int *status, char message[])
{
  Options   o;
  Data      d;
  Result    r;
  Path      path;
  CCA       cca = NULL;
  PetscBool apply;

  PetscFunctionBegin;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-apply", &apply));
  if (apply) {
    PetscCall(NAPICCAApply(message));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMemzero(&d, sizeof(d)));
  PetscCall(PetscMemzero(&r, sizeof(r)));
  PetscCall(PetscMemzero(&path, sizeof(path)));
  PetscCall(NAPICCAGetOptions(&o, message));
  PetscCall(NAPICCAGetTimeLimit(&r.stop, message));
  if (!message[0]) PetscCall(NAPICCACheckOutputs(&o, message));
  PetscCall(NAPICheckKnown(NAPICCAHelp, NAPICCA_ShowEarly, NULL, message));
  if (message[0] || o.analysis != CCA_ANALYSIS_CCA) {
    if (!message[0]) PetscCall(NAPICCARunAnalysis(&o, &d, &r, status, message));
    PetscCall(NAPICCA_DestroyResult(&r));
    PetscCall(NAPICCADestroyData(&d));
    PetscCall(NAPICCADestroyReading(&o.reading));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(NAPIShowStage("reading"));
  PetscCall(NAPICCAReadAll(&o, &d, message));
  PetscCall(NAPIShowStage(NULL));
  if (!message[0]) {
    PetscCall(NAPICCA_CreateSolver(&o, &d, &cca, message));
    if (!message[0]) PetscCall(NAPICCAWarnRare(&o, &d));
    PetscCall(NAPIShowStage("setting up"));
    if (!message[0]) PetscCall(NAPICCA_SolveAll(&o, &d, cca, &r, &path, message));
    if (!message[0] && r.reason != CCA_DIVERGED_USER) PetscCall(NAPICCAInfer(&o, &d, cca, &r, message));
    if (!message[0]) PetscCall(NAPICCA_Report(&o, &d, cca, &r, &path, message));
    *status = path.converged && !NAPICCAIsIncomplete(&o, &r) ? NAPI_EXIT_FOUND : NAPI_EXIT_NOT_REACHED;
    PetscCall(CCADestroy(&cca));
    PetscCall(NAPICCA_DestroyResult(&r));
  }
  PetscCall(NAPICCADestroyData(&d));
  PetscCall(NAPICCADestroyReading(&o.reading));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc has printed our text and its own options; the object prints its options when it looks for them */
static PetscErrorCode NAPICCA_ShowSolverOptions(void)
{
  CCA cca;

  PetscFunctionBegin;
  PetscCall(CCACreate(PETSC_COMM_WORLD, &cca));
  PetscCall(CCASetFromOptions(cca));
  PetscCall(CCADestroy(&cca));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  NAPIMoveFilesFirst(argc, argv, NAPICCAHelp);
  return NAPIRunProgram(argc, argv, "napi-cca", NAPICCAHelp, NAPICCA_ShowSolverOptions, NAPICCA_Run);
}
