/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The flat interface to EPSNAPI: a pair of matrices, what is wanted of it, and the eigenpairs in plain arrays. Blocks of vectors are
   stored by columns. One object is one solve.
*/
#include "flat.h"
#include <slepcnapi/private/napiimpl.h>
#include <petsctime.h>

#if !defined(PETSC_USE_COMPLEX) && defined(PETSC_USE_REAL_DOUBLE)

typedef struct {
  EPS            eps;
  NapiFlatPoll   poll;
  PetscLogDouble polled; /* when we last asked */
  PetscBool      stopped;
  Mat            P; /* the preconditioner where it is a function */
} FlatEPS;

static PetscErrorCode FlatEPS_Create(Mat A, Mat B, FlatEPS **solver)
{
  FlatEPS *s;

  PetscFunctionBegin;
  *solver = NULL;
  PetscCall(PetscNew(&s));
  *solver = s;
  PetscCall(EPSCreate(PetscObjectComm((PetscObject)A), &s->eps));
  PetscCall(EPSSetOperators(s->eps, A, B));
  PetscCall(EPSSetProblemType(s->eps, B ? EPS_GHEP : EPS_HEP));
  PetscCall(EPSSetType(s->eps, EPSNAPI));
  /* SLEPc's test is by the norm of x, which changes with the unit of B; SciPy knows no such thing */
  PetscCall(EPSNAPISetResidual(s->eps, EPS_NAPI_RESIDUAL_SCALED));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The sign that a solve is to be stopped comes from the caller's language, which is asked ten times a second, or because a function has failed.
   What all processes do together they also stop together.
*/
static PetscErrorCode FlatEPS_Poll(FlatEPS *s)
{
  const PetscLogDouble interval = 0.1;
  PetscLogDouble       now;
  Mat                  M[3] = {NULL, NULL, s->P};
  PetscBool            failed;
  PetscMPIInt          size, here, anywhere;
  MPI_Comm             comm;

  PetscFunctionBegin;
  if (s->stopped) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(EPSGetOperators(s->eps, &M[0], &M[1]));
  for (int i = 0; i < 3; i++) {
    PetscCall(NapiFlatMatFailed(M[i], &failed));
    if (failed) s->stopped = PETSC_TRUE;
  }
  PetscCall(PetscTime(&now));
  if (s->poll && !s->stopped && now - s->polled >= interval) {
    s->polled  = now;
    s->stopped = s->poll() ? PETSC_TRUE : PETSC_FALSE;
  }
  PetscCall(PetscObjectGetComm((PetscObject)s->eps, &comm));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  if (size > 1) {
    here = s->stopped ? 1 : 0;
    PetscCallMPI(MPI_Allreduce(&here, &anywhere, 1, MPI_INT, MPI_MAX, comm));
    s->stopped = anywhere ? PETSC_TRUE : PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FlatEPS_Stop(EPS eps, PetscInt its, PetscInt maxit, PetscInt nconv, PetscInt nev, EPSConvergedReason *reason, void *ctx)
{
  PetscFunctionBegin;
  PetscCall(EPSStoppingBasic(eps, its, maxit, nconv, nev, reason, NULL));
  PetscCall(FlatEPS_Poll((FlatEPS *)ctx));
  if (((FlatEPS *)ctx)->stopped) *reason = EPS_CONVERGED_USER;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The iteration in which this is seen is the last one. An error would leave behind what the solver has taken hold of */
static PetscErrorCode FlatEPS_StopInner(KSP ksp, PetscInt it, PetscReal rnorm, void *ctx)
{
  PetscReal rtol, atol, dtol;

  PetscFunctionBegin;
  (void)rnorm;
  PetscCall(FlatEPS_Poll((FlatEPS *)ctx));
  if (!((FlatEPS *)ctx)->stopped) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPGetTolerances(ksp, &rtol, &atol, &dtol, NULL));
  PetscCall(KSPSetTolerances(ksp, rtol, atol, dtol, it));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* which: LM, LA, SA, SM as SciPy calls them, and TM for the nearest to the target; a number that is not positive is ours to choose */
static PetscErrorCode FlatEPS_Set(FlatEPS *s, int k, const char which[], double target, int ncv, int maxiter, double tol)
{
  static const struct {
    const char *name;
    EPSWhich    which;
  } names[] = {
    {"LM", EPS_LARGEST_MAGNITUDE },
    {"LA", EPS_LARGEST_REAL      },
    {"SA", EPS_SMALLEST_REAL     },
    {"SM", EPS_SMALLEST_MAGNITUDE},
    {"TM", EPS_TARGET_MAGNITUDE  }
  };
  PetscBool found = PETSC_FALSE;

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(names); i++) {
    if (strcmp(which, names[i].name)) continue;
    PetscCall(EPSSetWhichEigenpairs(s->eps, names[i].which));
    found = PETSC_TRUE;
  }
  PetscCheck(found, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "Which eigenvalues '%s' are is not known: LM, LA, SA, SM or TM", which);
  if (!strcmp(which, "TM")) PetscCall(EPSSetTarget(s->eps, target));
  PetscCall(EPSSetDimensions(s->eps, k, ncv > 0 ? ncv : NAPI_UNSET, NAPI_UNSET));
  PetscCall(EPSSetTolerances(s->eps, tol, maxiter > 0 ? maxiter : NAPI_UNSET));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FlatEPS_Apply(PC pc, Vec x, Vec y)
{
  FlatEPS *s;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &s));
  PetscCall(MatMult(s->P, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FlatEPS_ApplyBlock(PC pc, Mat X, Mat Y)
{
  FlatEPS *s;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &s));
  PetscCall(NapiFlatMatApply(s->P, X, Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By the name of a PC, or a matrix that approximates the inverse */
static PetscErrorCode FlatEPS_SetPreconditioner(FlatEPS *s, const char type[], Mat P)
{
  ST  st;
  KSP ksp;
  PC  pc;

  PetscFunctionBegin;
  PetscCall(EPSGetST(s->eps, &st));
  PetscCall(STGetKSP(st, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, P ? PCSHELL : type));
  if (!P) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectReference((PetscObject)P));
  PetscCall(MatDestroy(&s->P));
  s->P = P;
  PetscCall(PCShellSetContext(pc, s));
  PetscCall(PCShellSetApply(pc, FlatEPS_Apply));
  PetscCall(PCShellSetMatApply(pc, FlatEPS_ApplyBlock));
  PetscCall(PCShellSetName(pc, "a function"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* n columns to start from, or to stay orthogonal to */
static PetscErrorCode FlatEPS_SetSpace(FlatEPS *s, PetscBool deflation, int n, const double X[])
{
  Mat          A;
  Vec         *x;
  PetscScalar *a;
  PetscInt     rows;

  PetscFunctionBegin;
  PetscCall(EPSGetOperators(s->eps, &A, NULL));
  PetscCall(MatGetLocalSize(A, &rows, NULL));
  PetscCall(PetscMalloc1(n, &x));
  for (int j = 0; j < n; j++) {
    PetscCall(MatCreateVecs(A, &x[j], NULL));
    PetscCall(VecGetArrayWrite(x[j], &a));
    for (PetscInt i = 0; i < rows; i++) a[i] = X[(size_t)j * (size_t)rows + (size_t)i];
    PetscCall(VecRestoreArrayWrite(x[j], &a));
  }
  if (deflation) PetscCall(EPSSetDeflationSpace(s->eps, n, x));
  else PetscCall(EPSSetInitialSpace(s->eps, n, x));
  for (int j = 0; j < n; j++) PetscCall(VecDestroy(&x[j]));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   counts: columns multiplied by A, by B, preconditioned, and steps; cause: why not all have converged, and what to do; status: 0, 1 where they have
   not because the tolerance is out of reach, 2 where the solve was stopped, on any process
*/
static PetscErrorCode FlatEPS_Solve(FlatEPS *s, NapiFlatPoll poll, int *nconv, int64_t counts[4], int *status, char cause[], int length)
{
  ST                 st;
  KSP                ksp;
  PetscInt           n, its, a, b, p;
  const char        *why;
  EPSConvergedReason reason;
  PetscBool          outofreach;

  PetscFunctionBegin;
  s->poll    = poll;
  s->polled  = 0.0;
  s->stopped = PETSC_FALSE;
  PetscCall(EPSSetStoppingTestFunction(s->eps, FlatEPS_Stop, s, NULL));
  PetscCall(EPSGetST(s->eps, &st));
  PetscCall(STGetKSP(st, &ksp));
  PetscCall(KSPMonitorSet(ksp, FlatEPS_StopInner, s, NULL));
  PetscCall(EPSSolve(s->eps));
  PetscCall(EPSGetConverged(s->eps, &n));
  PetscCall(EPSGetConvergedReason(s->eps, &reason));
  PetscCall(EPSGetIterationNumber(s->eps, &its));
  PetscCall(EPSNAPIGetApplications(s->eps, &a, &b, &p));
  PetscCall(EPSNAPIGetCause(s->eps, &why));
  PetscCall(EPSNAPIIsOutOfReach(s->eps, &outofreach));
  PetscCall(FlatEPS_Poll(s)); /* of a solve that had no step to make, or that a failure has ended */
  *status   = s->stopped ? 2 : outofreach ? 1 : 0;
  *nconv    = (int)n;
  counts[0] = a;
  counts[1] = b;
  counts[2] = p;
  counts[3] = its;
  PetscCall(PetscStrncpy(cause, why[0] || reason > 0 ? why : EPSConvergedReasons[reason], (size_t)length));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x: the rows of this process */
static PetscErrorCode FlatEPS_GetPair(FlatEPS *s, int i, double *value, double x[])
{
  Mat                A;
  Vec                v;
  PetscScalar        lambda;
  const PetscScalar *a;
  PetscInt           rows;

  PetscFunctionBegin;
  PetscCall(EPSGetOperators(s->eps, &A, NULL));
  PetscCall(MatCreateVecs(A, &v, NULL));
  PetscCall(EPSGetEigenpair(s->eps, i, &lambda, NULL, v, NULL));
  *value = PetscRealPart(lambda);
  PetscCall(VecGetLocalSize(v, &rows));
  PetscCall(VecGetArrayRead(v, &a));
  for (PetscInt j = 0; j < rows; j++) x[j] = PetscRealPart(a[j]);
  PetscCall(VecRestoreArrayRead(v, &a));
  PetscCall(VecDestroy(&v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FlatEPS_Destroy(FlatEPS **solver)
{
  FlatEPS *s = *solver;

  PetscFunctionBegin;
  *solver = NULL;
  if (!s) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(EPSDestroy(&s->eps));
  PetscCall(MatDestroy(&s->P));
  PetscCall(PetscFree(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- what the caller sees ------------------------------------------------------------------------------------------------- */

int napi_flat_eps_create(void *A, void *B, void **solver)
{
  return NAPI_FLAT(FlatEPS_Create((Mat)A, (Mat)B, (FlatEPS **)solver));
}

int napi_flat_eps_set(void *solver, int k, const char *which, double target, int ncv, int maxiter, double tol)
{
  return NAPI_FLAT(FlatEPS_Set((FlatEPS *)solver, k, which, target, ncv, maxiter, tol));
}

int napi_flat_eps_set_preconditioner(void *solver, const char *type, void *P)
{
  return NAPI_FLAT(FlatEPS_SetPreconditioner((FlatEPS *)solver, type, (Mat)P));
}

int napi_flat_eps_set_initial(void *solver, int n, const double *X)
{
  return NAPI_FLAT(FlatEPS_SetSpace((FlatEPS *)solver, PETSC_FALSE, n, X));
}

int napi_flat_eps_set_deflation(void *solver, int n, const double *Y)
{
  return NAPI_FLAT(FlatEPS_SetSpace((FlatEPS *)solver, PETSC_TRUE, n, Y));
}

int napi_flat_eps_solve(void *solver, NapiFlatPoll poll, int *nconv, int64_t *counts, int *status, char *cause, int length)
{
  return NAPI_FLAT(FlatEPS_Solve((FlatEPS *)solver, poll, nconv, counts, status, cause, length));
}

int napi_flat_eps_get(void *solver, int i, double *value, double *x)
{
  return NAPI_FLAT(FlatEPS_GetPair((FlatEPS *)solver, i, value, x));
}

int napi_flat_eps_destroy(void **solver)
{
  return NAPI_FLAT(FlatEPS_Destroy((FlatEPS **)solver));
}

#endif
