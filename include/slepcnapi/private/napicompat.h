/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Everything that differs between PETSc/SLEPc 3.18 and 3.26, and nothing else.
*/
#pragma once

#include <slepcsys.h>
#include <petscksp.h>

#if PETSC_VERSION_LT(3, 18, 0) || SLEPC_VERSION_LT(3, 18, 0)
  #error "slepc-napi needs PETSc and SLEPc 3.18 or newer"
#endif
#if PETSC_VERSION_MINOR != SLEPC_VERSION_MINOR
  #error "PETSc and SLEPc must be of the same minor version"
#endif

/* PETSC_SUCCESS came with 3.19 */
#if PETSC_VERSION_LT(3, 19, 0)
  #define PETSC_SUCCESS ((PetscErrorCode)0)
#endif

/* PetscAssertPointer() came with 3.20 */
#if !defined(PetscAssertPointer)
  #define PetscAssertPointer(pointer, arg) PetscValidPointer(pointer, arg)
#endif

/* "not set by the user" in the integer and real fields of an EPS: PETSC_DEFAULT up to 3.21, PETSC_DETERMINE after */
#if PETSC_VERSION_LT(3, 22, 0)
  #define NAPI_UNSET PETSC_DEFAULT
#else
  #define NAPI_UNSET PETSC_DETERMINE
#endif

/* the argument of ops->setfromoptions */
#if PETSC_VERSION_LT(3, 23, 0)
typedef PetscOptionItems *NAPIOptionItems;
#else
typedef PetscOptionItems  NAPIOptionItems;
#endif

/* a KSP's convergence test, and what destroys its context: void* up to 3.23, void** after */
typedef PetscErrorCode NAPIKSPConvergenceTest(KSP, PetscInt, PetscReal, KSPConvergedReason *, void *);
#if PETSC_VERSION_LT(3, 24, 0)
typedef PetscErrorCode NAPICtxDestroy(void *);
#else
typedef PetscCtxDestroyFn NAPICtxDestroy;
#endif

/*
   A pair of callbacks that see every log event, next to whatever -log_view and its relatives use. Before 3.20 there
   is room for one pair only: ours takes it and has to pass every event on with NAPILogForwardBegin() and -End().
*/
#include <petsclog.h>
typedef PetscErrorCode (*NAPILogCallback)(PetscLogEvent, int, PetscObject, PetscObject, PetscObject, PetscObject);
#if PETSC_VERSION_LT(3, 20, 0)
typedef struct {
  NAPILogCallback begin, end; /* whose place we took */
} NAPILogHandler;

static inline PetscErrorCode NAPILogStart(NAPILogHandler *handler, NAPILogCallback begin, NAPILogCallback end)
{
  handler->begin = PetscLogPLB;
  handler->end   = PetscLogPLE;
  return PetscLogSet(begin, end);
}

static inline PetscErrorCode NAPILogStop(NAPILogHandler *handler)
{
  return PetscLogSet(handler->begin, handler->end);
}
  #define NAPILogForwardBegin(h, e, i, o1, o2, o3, o4) ((h).begin ? (*(h).begin)(e, i, o1, o2, o3, o4) : PETSC_SUCCESS)
  #define NAPILogForwardEnd(h, e, i, o1, o2, o3, o4)   ((h).end ? (*(h).end)(e, i, o1, o2, o3, o4) : PETSC_SUCCESS)
#else
typedef PetscLogHandler   NAPILogHandler;

static inline PetscErrorCode NAPILogStart(NAPILogHandler *handler, NAPILogCallback begin, NAPILogCallback end)
{
  PetscFunctionBegin;
  PetscCall(PetscLogHandlerCreateLegacy(PETSC_COMM_WORLD, begin, end, NULL, NULL, handler));
  PetscCall(PetscLogHandlerStart(*handler));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode NAPILogStop(NAPILogHandler *handler)
{
  PetscFunctionBegin;
  PetscCall(PetscLogHandlerStop(*handler));
  PetscCall(PetscLogHandlerDestroy(handler));
  PetscFunctionReturn(PETSC_SUCCESS);
}
  #define NAPILogForwardBegin(h, e, i, o1, o2, o3, o4) PETSC_SUCCESS
  #define NAPILogForwardEnd(h, e, i, o1, o2, o3, o4)   PETSC_SUCCESS
#endif

/* structured problems came with 3.22, the threshold stopping test with 3.23 */
#if SLEPC_VERSION_LT(3, 22, 0)
  #define NAPICheckNotStructured(eps) \
    do { \
    } while (0)
#else
  #define NAPICheckNotStructured(eps) EPSCheckNotStructured(eps)
#endif
#if SLEPC_VERSION_LT(3, 23, 0)
  #define NAPICheckNoThreshold(eps) \
    do { \
    } while (0)
#else
  #define NAPICheckNoThreshold(eps) EPSCheckUnsupported(eps, EPS_FEATURE_THRESHOLD)
#endif

/* where the next column of a BV's array begins: as many scalars later as it has local rows, up to 3.19 */
#include <slepcbv.h>
#if SLEPC_VERSION_LT(3, 20, 0)
  #define NAPIBVLeadingDimension(bv, ld) BVGetSizes(bv, ld, NULL, NULL)
#else
  #define NAPIBVLeadingDimension(bv, ld) BVGetLeadingDimension(bv, ld)
#endif

/* a viewer by option: PetscOptionsGetViewer() up to 3.21, PetscOptionsCreateViewer() after */
#include <petscviewer.h>
#if PETSC_VERSION_LT(3, 22, 0)
  #define NAPIOptionsViewer PetscOptionsGetViewer
#else
  #define NAPIOptionsViewer PetscOptionsCreateViewer
#endif

/* whether the preconditioner has failed on any process: PCReduceFailedReason() came with 3.20 */
static inline PetscErrorCode NAPIPCFailed(PC pc, PetscBool *failed)
{
  PCFailedReason reason;
#if PETSC_VERSION_LT(3, 20, 0)
  PetscMPIInt mine, all;
#endif

  PetscFunctionBegin;
#if PETSC_VERSION_LT(3, 20, 0)
  PetscCall(PCGetFailedReasonRank(pc, &reason));
  mine = reason ? 1 : 0;
  PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, PetscObjectComm((PetscObject)pc)));
  *failed = all ? PETSC_TRUE : PETSC_FALSE;
#else
  PetscCall(PCReduceFailedReason(pc));
  PetscCall(PCGetFailedReason(pc, &reason));
  *failed = reason ? PETSC_TRUE : PETSC_FALSE;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}
