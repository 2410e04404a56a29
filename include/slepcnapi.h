/*
   slepc-napi: noisy accelerated power iteration (NAPI) for SLEPc. This is the whole public interface.
*/
#pragma once

#include <slepceps.h>

#define SLEPCNAPI_VERSION "0.1.0"

/*MC
   EPSNAPI - EPSNAPI = "napi" - Noisy accelerated power iteration for symmetric pairs (A, B) whose B is positive
   definite and need not be factored. See src/eps/napi/napi.c for the options.

   Level: beginner
M*/
#define EPSNAPI "napi"

/*E
   EPSNAPIMomentum - Where the momentum parameter beta of the recurrence B^{-1} A W_t - beta W_{t-1} comes from

   Values:
+  EPS_NAPI_MOMENTUM_NONE     - beta = 0, inexact subspace iteration
.  EPS_NAPI_MOMENTUM_FIXED    - beta is given, see EPSNAPISetBeta() and EPSNAPISetBetaFromEigenvalue()
-  EPS_NAPI_MOMENTUM_ADAPTIVE - beta is found from the Ritz values of the block

   Level: intermediate
E*/
typedef enum {
  EPS_NAPI_MOMENTUM_NONE,
  EPS_NAPI_MOMENTUM_FIXED,
  EPS_NAPI_MOMENTUM_ADAPTIVE
} EPSNAPIMomentum;
SLEPC_EXTERN const char *const EPSNAPIMomentums[];

/*E
   EPSNAPIWarmStart - How the inner solve makes use of the current iterate

   Values:
+  EPS_NAPI_WARM_START_CORRECTION - solve for the correction to W Theta, from zero
.  EPS_NAPI_WARM_START_GUESS      - solve for the whole, from the initial guess W Theta: the same iterates
-  EPS_NAPI_WARM_START_NONE       - solve for the whole, from zero, to the same absolute residual

   Level: advanced
E*/
typedef enum {
  EPS_NAPI_WARM_START_CORRECTION,
  EPS_NAPI_WARM_START_GUESS,
  EPS_NAPI_WARM_START_NONE
} EPSNAPIWarmStart;
SLEPC_EXTERN const char *const EPSNAPIWarmStarts[];

/*E
   EPSNAPIResidual - Which relative residual has to fall below the tolerance, r = A x - lambda B x

   Values:
+  EPS_NAPI_RESIDUAL_SCALED - ||r||/(|lambda| ||B x||), which does not depend on the scale of B
.  EPS_NAPI_RESIDUAL_SLEPC  - the convergence test of the EPS, by default ||r||/(|lambda| ||x||)
-  EPS_NAPI_RESIDUAL_BOTH   - both

   Level: intermediate
E*/
typedef enum {
  EPS_NAPI_RESIDUAL_SCALED,
  EPS_NAPI_RESIDUAL_SLEPC,
  EPS_NAPI_RESIDUAL_BOTH
} EPSNAPIResidual;
SLEPC_EXTERN const char *const EPSNAPIResiduals[];

SLEPC_EXTERN PetscErrorCode SlepcNAPIInitialize(void);

SLEPC_EXTERN PetscErrorCode EPSNAPISetMomentum(EPS,EPSNAPIMomentum);
SLEPC_EXTERN PetscErrorCode EPSNAPIGetMomentum(EPS,EPSNAPIMomentum*);
SLEPC_EXTERN PetscErrorCode EPSNAPISetBeta(EPS,PetscReal);
SLEPC_EXTERN PetscErrorCode EPSNAPIGetBeta(EPS,PetscReal*);
SLEPC_EXTERN PetscErrorCode EPSNAPISetBetaFromEigenvalue(EPS,PetscReal);
SLEPC_EXTERN PetscErrorCode EPSNAPISetGuard(EPS,PetscInt);
SLEPC_EXTERN PetscErrorCode EPSNAPIGetGuard(EPS,PetscInt*);
SLEPC_EXTERN PetscErrorCode EPSNAPISetInnerTolerances(EPS,PetscReal,PetscInt);
SLEPC_EXTERN PetscErrorCode EPSNAPIGetInnerTolerances(EPS,PetscReal*,PetscInt*);
SLEPC_EXTERN PetscErrorCode EPSNAPISetWarmStart(EPS,EPSNAPIWarmStart);
SLEPC_EXTERN PetscErrorCode EPSNAPIGetWarmStart(EPS,EPSNAPIWarmStart*);
SLEPC_EXTERN PetscErrorCode EPSNAPISetResidual(EPS,EPSNAPIResidual);
SLEPC_EXTERN PetscErrorCode EPSNAPIGetResidual(EPS,EPSNAPIResidual*);
SLEPC_EXTERN PetscErrorCode EPSNAPIGetApplications(EPS,PetscInt*,PetscInt*,PetscInt*);
SLEPC_EXTERN PetscErrorCode EPSNAPIMonitor(EPS,PetscInt,PetscInt,PetscScalar*,PetscScalar*,PetscReal*,PetscInt,void*);
