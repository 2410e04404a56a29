/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA: monitors, and the recorded course of a solution.
*/
#include <slepcnapi/private/ccaimpl.h>

/* A step of the method is done: nconv pairs have converged, n correlations and errors are known */
PetscErrorCode CCAMonitor_Private(CCA cca, PetscInt its, PetscInt nconv, PetscInt n, const PetscReal rho[], const PetscReal error[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < cca->nmonitors; i++) PetscCall((*cca->monitor[i])(cca, its, nconv, n, rho, error, cca->monitorctx[i]));
  PetscCall(CCAPoll_Private(cca));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
   CCAMonitorSet - Adds a function that is called in every step of the solution.

   Logically Collective

   Input Parameters:
+  cca     - the object
.  monitor - the function
.  ctx     - its own data, or NULL
-  destroy - what frees them, or NULL

   Calling sequence of monitor:
$   PetscErrorCode monitor(CCA cca,PetscInt its,PetscInt nconv,PetscInt n,const PetscReal rho[],const PetscReal error[],void *ctx)
+  its   - the step
.  nconv - pairs that seem to have converged
.  n     - number of estimates that follow
.  rho   - estimates of the correlations
.  error - estimates of their relative residuals; negative where a method has none
-  ctx   - its own data

   Options Database Key:
.  -cca_monitor - sets CCAMonitorDefault()

   Level: intermediate

.seealso: CCAMonitorCancel(), CCAMonitorDefault(), CCAStop(), CCASetStopFunction()
@*/
PetscErrorCode CCAMonitorSet(CCA cca, PetscErrorCode (*monitor)(CCA, PetscInt, PetscInt, PetscInt, const PetscReal[], const PetscReal[], void *), void *ctx, PetscErrorCode (*destroy)(void **))
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  for (PetscInt i = 0; i < cca->nmonitors; i++)
    if (cca->monitor[i] == monitor && cca->monitorctx[i] == ctx) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(cca->nmonitors < CCA_MAXMONITORS, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_OUTOFRANGE, "There are %d monitors already: use CCAMonitorCancel() first", CCA_MAXMONITORS);
  cca->monitor[cca->nmonitors]        = monitor;
  cca->monitorctx[cca->nmonitors]     = ctx;
  cca->monitordestroy[cca->nmonitors] = destroy;
  cca->nmonitors++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAMonitorCancel - Removes all monitors.

   Logically Collective

   Input Parameter:
.  cca - the object

   Level: intermediate

.seealso: CCAMonitorSet()
@*/
PetscErrorCode CCAMonitorCancel(CCA cca)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  for (PetscInt i = 0; i < cca->nmonitors; i++)
    if (cca->monitordestroy[i]) PetscCall((*cca->monitordestroy[i])(&cca->monitorctx[i]));
  cca->nmonitors = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
   CCAMonitorDefault - Prints a line: the step, the pairs that have converged, the first correlation and error after them.

   Collective

   Input Parameters:
+  cca   - the object
.  its   - the step
.  nconv - pairs that seem to have converged
.  n     - number of estimates
.  rho   - estimates of the correlations
.  error - estimates of their relative residuals
-  ctx   - not used

   Options Database Key:
.  -cca_monitor - sets this monitor

   Level: intermediate

.seealso: CCAMonitorSet()
@*/
PetscErrorCode CCAMonitorDefault(CCA cca, PetscInt its, PetscInt nconv, PetscInt n, const PetscReal rho[], const PetscReal error[], void *ctx)
{
  PetscInt    j = PetscMin(nconv, n - 1);
  PetscViewer viewer;

  PetscFunctionBegin;
  (void)ctx;
  PetscCall(PetscViewerASCIIGetStdout(PetscObjectComm((PetscObject)cca), &viewer));
  PetscCall(PetscViewerASCIIPrintf(viewer, "%4" PetscInt_FMT " CCA nconv=%" PetscInt_FMT, its, nconv));
  if (j >= 0) {
    PetscCall(PetscViewerASCIIPrintf(viewer, " correlation %" PetscInt_FMT ": %.10f", j + 1, (double)rho[j]));
    if (error[j] >= 0.0) PetscCall(PetscViewerASCIIPrintf(viewer, " residual=%9.3e", (double)error[j]));
  }
  PetscCall(PetscViewerASCIIPrintf(viewer, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCASetHistory - Chooses whether the course of the solution is recorded.

   Logically Collective

   Input Parameters:
+  cca  - the object
-  flag - whether it is, by default PETSC_FALSE

   Options Database Key:
.  -cca_history - records it

   Level: advanced

.seealso: CCAGetHistory()
@*/
PetscErrorCode CCASetHistory(CCA cca, PetscBool flag)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscValidLogicalCollectiveBool(cca, flag, 2);
  cca->wanthistory = flag;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
   CCAGetHistory - Gets the course of the last solution.

   Not Collective

   Input Parameter:
.  cca - the object

   Output Parameters:
+  n         - number of records
.  passes    - passes over the data by then
-  objective - the sum of the wanted correlations, as far as they were found by then

   Level: advanced

   Note:
   It is recorded if CCASetHistory() asks for it. The arrays belong to the object.

.seealso: CCASetHistory()
@*/
PetscErrorCode CCAGetHistory(CCA cca, PetscInt *n, const PetscReal *passes[], const PetscReal *objective[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  if (n) *n = cca->nhistory;
  if (passes) *passes = cca->hpasses;
  if (objective) *objective = cca->hobjective;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Notes the objective, the sum of the wanted correlations, at the passes made so far */
PetscErrorCode CCARecord_Private(CCA cca, PetscReal objective)
{
  PetscReal *passes, *objectives;

  PetscFunctionBegin;
  if (!cca->wanthistory) PetscFunctionReturn(PETSC_SUCCESS);
  if (cca->nhistory == cca->roomhistory) {
    cca->roomhistory = PetscMax(64, 2 * cca->roomhistory);
    PetscCall(PetscMalloc2(cca->roomhistory, &passes, cca->roomhistory, &objectives));
    PetscCall(PetscArraycpy(passes, cca->hpasses, cca->nhistory));
    PetscCall(PetscArraycpy(objectives, cca->hobjective, cca->nhistory));
    PetscCall(PetscFree2(cca->hpasses, cca->hobjective));
    cca->hpasses    = passes;
    cca->hobjective = objectives;
  }
  PetscCall(CCAGetCost_Private(cca, NULL, NULL, &cca->hpasses[cca->nhistory]));
  cca->hobjective[cca->nhistory++] = objective;
  PetscFunctionReturn(PETSC_SUCCESS);
}
