/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Tells which solver has really run. Loaded before SLEPc (LD_PRELOAD), its EPSSolve() stands in front of SLEPc's, calls it, and adds a
   line about the solver to the file that NAPI_WITNESS names. A program that sets its own solver type after it has read the options
   would otherwise pass every test of napi.
*/
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <slepceps.h>

SLEPC_EXTERN PetscErrorCode EPSSolve(EPS);

PetscErrorCode EPSSolve(EPS eps)
{
  PetscErrorCode (*solve)(EPS) = (PetscErrorCode(*)(EPS))dlsym(RTLD_NEXT, "EPSSolve");
  PetscErrorCode     ierr;
  PetscMPIInt        rank;
  ST                 st;
  EPSType            type;
  STType             sttype;
  EPSProblemType     problem;
  EPSWhich           which;
  EPSConvergedReason reason;
  PetscScalar        target;
  PetscInt           nconv = 0, its;
  const char        *name  = getenv("NAPI_WITNESS");
  FILE              *file;

  ierr = solve(eps);
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)eps), &rank));
  if (rank || !name) return ierr;
  PetscCall(EPSGetType(eps, &type));
  PetscCall(EPSGetProblemType(eps, &problem));
  PetscCall(EPSGetWhichEigenpairs(eps, &which));
  PetscCall(EPSGetTarget(eps, &target));
  PetscCall(EPSGetST(eps, &st));
  PetscCall(STGetType(st, &sttype));
  reason = EPS_CONVERGED_ITERATING;
  if (!ierr) {
    PetscCall(EPSGetConvergedReason(eps, &reason));
    PetscCall(EPSGetConverged(eps, &nconv));
  }
  PetscCall(EPSGetIterationNumber(eps, &its));
  file = fopen(name, "a");
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot write %s", name);
  fprintf(file, "type=%s problem=%d which=%d target=%g st=%s error=%d reason=%d nconv=%d iterations=%d\n", type ? type : "none", (int)problem, (int)which, (double)PetscRealPart(target), sttype ? sttype : "none", (int)ierr, (int)reason, (int)nconv, (int)its);
  fclose(file);
  return ierr;
}
