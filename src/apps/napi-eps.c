/* SPDX-License-Identifier: BSD-2-Clause */
/*
   napi-eps: solves a symmetric eigenproblem A x = lambda x or A x = lambda B x read from files, with any EPS type, and
   says what it cost. The steps are those of NAPIEPS_Run(): options, matrices, solve and check, report. The folder napi-eps has the
   parts.
*/
#include "napi-eps/napi-eps.h"
#include "common/fem.h"

static PetscErrorCode NAPIEPS_Report(const Options *o, const Problem *p, EPS eps, const Result *r, char message[])
{
  PetscFunctionBegin;
  PetscCall(NAPIEPSPrint(o, p, r));
  PetscCall(NAPIEPSWriteVectors(o, p, eps, r, message));
  if (o->hasjson && !message[0]) PetscCall(NAPIEPSWriteJson(o, p, r, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is wrong with the input ends up in message */
static PetscErrorCode NAPIEPS_Run(int *status, char message[])
{
  Options o;
  Problem p;
  Result  r;
  EPS     eps = NULL;

  PetscFunctionBegin;
  PetscCall(NAPIEPSGetOptions(&o, message));
  if (!message[0]) PetscCall(NAPIEPSCheckOutputs(&o, message));
  if (message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(NAPIShowStage(o.hasgenerate ? "assembling" : "reading"));
  PetscCall(NAPIEPSCreateProblem(&o, &p, message));
  PetscCall(NAPIShowStage(NULL));
  if (!message[0]) {
    PetscCall(NAPIEPSSolve(&o, &p, &eps, &r, message));
    if (!message[0]) PetscCall(NAPIEPS_Report(&o, &p, eps, &r, message));
    *status = r.interrupted ? NAPI_EXIT_INTERRUPTED : r.reached ? NAPI_EXIT_FOUND : NAPI_EXIT_NOT_REACHED;
    PetscCall(EPSDestroy(&eps));
    PetscCall(NAPIEPSDestroyResult(&r));
  }
  PetscCall(NAPIEPSDestroyProblem(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc has printed our text and its own options; the solver prints its options when it looks for them */
static PetscErrorCode NAPIEPS_ShowSolverOptions(void)
{
  const PetscInt m[] = {3, 3};
  Options        o;
  Problem        p;
  EPS            eps;
  PetscBool      isnapi;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(&o, sizeof(o)));
  PetscCall(PetscMemzero(&p, sizeof(p)));
  PetscCall(NAPIFemCreate(PETSC_COMM_WORLD, 2, m, &p.A, &p.B));
  PetscCall(NAPIEPSCreateSolver(&o, &p, 0.0, &eps, &isnapi));
  PetscCall(EPSDestroy(&eps));
  PetscCall(NAPIEPSDestroyProblem(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return NAPIRunProgram(argc, argv, "napi-eps", NAPIEPSHelp, NAPIEPS_ShowSolverOptions, NAPIEPS_Run);
}
