/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Starts and stops PETSc for a program that is not ours, and keeps what its errors say.
*/
#include "flat.h"

static char      message[4096];
static PetscBool started = PETSC_FALSE; /* PETSc, by us: then it is ours to stop */
static PetscBool alone   = PETSC_FALSE; /* each process for itself, whoever launched it */

/* The first sentence is the one that tells; what follows is the way back through the callers */
static PetscErrorCode NapiFlat_Keep(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code, PetscErrorType type, const char *text, void *ctx)
{
  (void)comm;
  (void)line;
  (void)function;
  (void)file;
  (void)ctx;
  if (type == PETSC_ERROR_INITIAL) (void)PetscStrncpy(message, text ? text : "", sizeof(message));
  return code;
}

/* Not for longer than a call: others in the same process have handlers of their own */
void NapiFlatBegin(void)
{
  message[0] = '\0';
  (void)PetscPushErrorHandler(NapiFlat_Keep, NULL);
}

int NapiFlatEnd(PetscErrorCode code)
{
  (void)PetscPopErrorHandler();
  if (code && !message[0]) (void)PetscSNPrintf(message, sizeof(message), "PETSc's error %d", (int)code);
  return (int)code;
}

const char *napi_flat_error(void)
{
  return message;
}

/* A guest has no signal handlers, reads no file because of where it happens to be, and prints nothing at its end */
static PetscErrorCode NapiFlat_Initialize(void)
{
  const char *const manners[][2] = {
    {"-no_signal_handler", "1"},
    {"-skip_petscrc",      "1"},
    {"-options_left",      "0"}
  };

  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(manners); i++) {
    PetscErrorCode code = PetscOptionsSetValue(NULL, manners[i][0], manners[i][1]);

    if (code) return code;
  }
  return SlepcInitializeNoArguments();
}

static PetscErrorCode NapiFlat_Register(void)
{
  PetscFunctionBegin;
  PetscCheck(sizeof(PetscScalar) == sizeof(double) && !PetscDefined(USE_COMPLEX), PETSC_COMM_SELF, PETSC_ERR_SUP, "This library was built for a PETSc whose numbers are not real and of double precision: build it with one whose numbers are (STACK=pypi)");
  PetscCall(SlepcNAPIInitialize());
  PetscFunctionReturn(PETSC_SUCCESS);
}

int napi_flat_start(void)
{
  PetscBool running = PETSC_FALSE;
  int       code;

  if (PetscInitialized(&running)) running = PETSC_FALSE;
  if (!running) {
    code = (int)NapiFlat_Initialize();
    if (code) {
      (void)PetscStrncpy(message, "PETSc could not be started", sizeof(message));
      return code;
    }
    started = PETSC_TRUE;
  }
  return NAPI_FLAT(NapiFlat_Register());
}

int napi_flat_stop(void)
{
  if (!started) return 0;
  started = PETSC_FALSE;
  return (int)SlepcFinalize();
}

int napi_flat_index_bytes(void)
{
  return (int)sizeof(PetscInt);
}

/* All processes that mpiexec has launched work together, unless asked to leave each other alone; without mpiexec that is one */
MPI_Comm NapiFlatComm(void)
{
  return alone ? PETSC_COMM_SELF : PETSC_COMM_WORLD;
}

int napi_flat_set_alone(int yes)
{
  alone = yes ? PETSC_TRUE : PETSC_FALSE;
  return 0;
}

int napi_flat_ranks(int *size, int *rank)
{
  return (MPI_Comm_size(NapiFlatComm(), size) || MPI_Comm_rank(NapiFlatComm(), rank)) ? 1 : 0;
}
