/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Starts and stops PETSc for a program that is not ours, and keeps what its errors say.
*/
#if !defined(_GNU_SOURCE)
  #define _GNU_SOURCE /* sigaction() */
#endif
#include <signal.h>
#include "flat.h"

static char      message[4096];
static PetscBool started = PETSC_FALSE; /* SLEPc, by us: then it is ours to stop, and PETSc if that was not there before */
static PetscBool guest   = PETSC_FALSE; /* PETSc was there before us */
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

  (void)PetscInitialized(&guest);
  for (size_t i = 0; !guest && i < PETSC_STATIC_ARRAY_LENGTH(manners); i++) {
    PetscErrorCode code = PetscOptionsSetValue(NULL, manners[i][0], manners[i][1]);

    if (code) return code;
  }
  return SlepcInitializeNoArguments();
}

/* MPI has handlers, too (MPICH of SIGUSR1): what the host program does about a signal is put back */
static PetscErrorCode NapiFlat_InitializeQuietly(void)
{
  struct sigaction before[NSIG], after;
  int              known[NSIG];
  PetscErrorCode   code;

  for (int i = 1; i < NSIG; i++) known[i] = !sigaction(i, NULL, &before[i]);
  code = NapiFlat_Initialize();
  for (int i = 1; i < NSIG; i++) {
    if (known[i] && !sigaction(i, NULL, &after) && after.sa_handler != before[i].sa_handler) (void)sigaction(i, &before[i], NULL);
  }
  return code;
}

static PetscErrorCode NapiFlat_Register(void)
{
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCheck(sizeof(PetscScalar) == sizeof(double) && !PetscDefined(USE_COMPLEX), PETSC_COMM_SELF, PETSC_ERR_SUP, "This library was built for a PETSc whose numbers are not real and of double precision: build it with one whose numbers are (STACK=pypi)");
  code = SlepcNAPIInitialize();
  /* it has no error handler to tell when the PETSc that is there, whoever brought it, is another one than ours */
  PetscCheck(!code || message[0], PETSC_COMM_SELF, PETSC_ERR_LIB, "slepcnapi was built for PETSc %d.%d with %d-bit indices and real numbers, and the PETSc of this process is another: build it with the PETSC_DIR and SLEPC_DIR of that one", PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, (int)(8 * sizeof(PetscInt)));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int napi_flat_start(void)
{
  PetscBool running = PETSC_FALSE;
  int       over    = 0;

  (void)MPI_Finalized(&over);
  if (over) {
    (void)PetscStrncpy(message, "MPI has been finalised in this process and cannot be started again: start a new process", sizeof(message));
    return 1;
  }
  if (SlepcInitialized(&running)) running = PETSC_FALSE;
  if (!running) {
    int code = NAPI_FLAT(NapiFlat_InitializeQuietly());

    if (code) return code;
    started = PETSC_TRUE;
  }
  return NAPI_FLAT(NapiFlat_Register());
}

int napi_flat_stop(void)
{
  PetscBool gone = PETSC_FALSE;

  (void)PetscFinalized(&gone);
  if (!started || gone) return 0;
  started = PETSC_FALSE;
  return (int)SlepcFinalize();
}

/* For a process that ends by an error while others may wait for it: they end, too. Without others, or with an MPI that is not ours, nothing happens. */
int napi_flat_abort(void)
{
  int size = 1, over = 0;

  (void)MPI_Finalized(&over);
  if (!started || guest || over) return 0;
  (void)MPI_Comm_size(PETSC_COMM_WORLD, &size);
  return size > 1 ? MPI_Abort(PETSC_COMM_WORLD, 1) : 0;
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
