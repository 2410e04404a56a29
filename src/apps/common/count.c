/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Counts applications of A, B and the preconditioner during a solve by listening to PETSc's log events, which name
   the objects involved. Unlike counting shells, this leaves the matrices what they are: block products, factorisations
   and multigrid stay available.

   - A product of a Mat with one vector is one column, a product with a dense Mat as many as that has.
   - A product inside a product of the same Mat is the same product: a MatMatMult done column by column.
   - What happens inside the preconditioner (application or set-up) belongs to the preconditioner.
   - A matrix of A's type and size that is neither A nor B is a shifted one, A - sigma B, and counts as A. A shift that
     is applied as a shell multiplies A and B themselves. Where A and B are one Mat, all of its products count as A.
   - Viewers that EPSSolve() calls at its end (-eps_error_relative) are not part of the solve.
*/
#include <time.h>
#include "count.h"
#include <slepcnapi/private/napicompat.h>
#include <petsctime.h>

#if !defined(PETSC_USE_LOG)
  #error "napi-eps counts through PETSc's log events: this needs a PETSc configured with logging"
#endif

/* products of a Mat: with a vector, or with a dense Mat */
static const char *const vector_events[] = {"MatMult", "MatMultAdd", "MatMultTranspose", "MatMultTrAdd", "MatMultHermitian", "MatMultHTAdd"};
static const char *const block_events[]  = {"MatMatMultNum", "MatTrnMatMultNum"};
/* symmetric preconditioning applies a left and a right half, which make one application */
static const char *const pc_events[] = {"PCApply", "PCMatApply", "PCApplySymmLeft", "PCApplySymmRight", "PCSetUp", "PCSetUpOnBlocks"};
enum {
  PC_APPLY,
  PC_MATAPPLY,
  PC_APPLY_LEFT
};

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define MAX_NESTING  32

typedef struct {
  EPS            eps;
  Mat            A, B;
  PetscLogEvent  vector[COUNT(vector_events)], block[COUNT(block_events)], pc[COUNT(pc_events)], solve;
  Mat            inside[MAX_NESTING]; /* the Mats whose products are under way, outermost first */
  int            products;            /* how many */
  int            pcs;                 /* how deep inside preconditioners */
  PetscBool      on;
  PetscLogDouble since;
  clock_t        cpusince;
  NAPICost       cost;
  NAPILogHandler handler;
} Counter;

/* log callbacks have no context, hence the only global */
static Counter *counter = NULL;

static int Count_Find(PetscLogEvent e, const PetscLogEvent events[], int n)
{
  for (int i = 0; i < n; i++)
    if (events[i] == e) return i;
  return -1;
}

static PetscErrorCode Count_SwitchOn(Counter *c)
{
  PetscFunctionBegin;
  c->on = PETSC_TRUE;
  PetscCall(PetscTime(&c->since));
  c->cpusince = clock();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Count_SwitchOff(Counter *c)
{
  PetscLogDouble now;

  PetscFunctionBegin;
  PetscCall(PetscTime(&now));
  if (c->on) {
    c->cost.seconds += now - c->since;
    c->cost.cpu += (PetscLogDouble)(clock() - c->cpusince) / CLOCKS_PER_SEC;
  }
  c->on = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A copy with a shift has the type and the size of A; a shell is never a copy */
static PetscErrorCode Count_IsShiftedCopy(Mat A, Mat M, PetscBool *copy)
{
  PetscBool shell;
  MatType   type;
  PetscInt  rows, cols, m, n;

  PetscFunctionBegin;
  PetscCall(MatGetType(A, &type));
  PetscCall(PetscObjectTypeCompare((PetscObject)M, type, copy));
  PetscCall(PetscObjectTypeCompare((PetscObject)M, MATSHELL, &shell));
  PetscCall(MatGetSize(A, &rows, &cols));
  PetscCall(MatGetSize(M, &m, &n));
  *copy = (PetscBool)(*copy && !shell && m == rows && n == cols);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Count_BeginProduct(Counter *c, Mat M, PetscInt columns)
{
  PetscBool asA = (PetscBool)(M == c->A), nested = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCheck(c->products < MAX_NESTING, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Matrix products nested more than %d deep", MAX_NESTING);
  for (int i = 0; i < c->products; i++)
    if (c->inside[i] == M) nested = PETSC_TRUE;
  c->inside[c->products++] = M;
  if (nested || !M) PetscFunctionReturn(PETSC_SUCCESS);
  if (!asA && M != c->B) PetscCall(Count_IsShiftedCopy(c->A, M, &asA));
  if (asA) c->cost.A += columns;
  else if (M == c->B) c->cost.B += columns;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Count_BeginPC(Counter *c, int kind, PC pc, Mat X)
{
  PetscBool none;
  PetscInt  columns = 1;

  PetscFunctionBegin;
  if (c->pcs++ || kind > PC_APPLY_LEFT) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCNONE, &none));
  if (none) PetscFunctionReturn(PETSC_SUCCESS);
  if (kind == PC_MATAPPLY) PetscCall(MatGetSize(X, NULL, &columns));
  c->cost.PC += columns;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* EPSSolve() leaves the last work on the eigenvectors (purification, normalisation) to the first who asks for one */
static PetscErrorCode Count_FinishVectors(EPS eps)
{
  Vec      x;
  Mat      A;
  PetscInt nconv;

  PetscFunctionBegin;
  PetscCall(EPSGetConverged(eps, &nconv));
  if (!nconv) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(EPSGetOperators(eps, &A, NULL));
  PetscCall(MatCreateVecs(A, &x, NULL));
  PetscCall(EPSGetEigenvector(eps, 0, x, NULL));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Count_EventBegin(PetscLogEvent e, int i, PetscObject o1, PetscObject o2, PetscObject o3, PetscObject o4)
{
  Counter *c = counter;
  int      kind;

  PetscFunctionBegin;
  PetscCall(NAPILogForwardBegin(c->handler, e, i, o1, o2, o3, o4));
  if (!c->on) PetscFunctionReturn(PETSC_SUCCESS);
  kind = Count_Find(e, c->pc, COUNT(pc_events));
  if (kind >= 0) PetscCall(Count_BeginPC(c, kind, (PC)o1, (Mat)o2));
  else if (!c->pcs && Count_Find(e, c->vector, COUNT(vector_events)) >= 0) PetscCall(Count_BeginProduct(c, (Mat)o1, 1));
  else if (!c->pcs && Count_Find(e, c->block, COUNT(block_events)) >= 0) {
    Mat      left, right;
    PetscInt columns;

    PetscCall(MatProductGetMats((Mat)o1, &left, &right, NULL));
    PetscCall(MatGetSize(right, NULL, &columns));
    PetscCall(Count_BeginProduct(c, left, columns));
  }
  (void)i; /* o3, o4 and i are forwarded before 3.20 only */
  (void)o3;
  (void)o4;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Count_EventEnd(PetscLogEvent e, int i, PetscObject o1, PetscObject o2, PetscObject o3, PetscObject o4)
{
  Counter *c = counter;

  PetscFunctionBegin;
  PetscCall(NAPILogForwardEnd(c->handler, e, i, o1, o2, o3, o4));
  if (!c->on) PetscFunctionReturn(PETSC_SUCCESS);
  if (Count_Find(e, c->pc, COUNT(pc_events)) >= 0) c->pcs--;
  else if (!c->pcs && (Count_Find(e, c->vector, COUNT(vector_events)) >= 0 || Count_Find(e, c->block, COUNT(block_events)) >= 0)) c->products--;
  else if (e == c->solve && o1 == (PetscObject)c->eps) {
    /* the pairs are there, and the viewers, which may ask for vectors, are about to be called: now is the time */
    PetscCall(Count_FinishVectors(c->eps));
    PetscCall(Count_SwitchOff(c));
  }
  (void)i;
  (void)o2;
  (void)o3;
  (void)o4;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An event that this PETSc does not have gets an id that never occurs; -log_exclude must not hide one from us */
static PetscErrorCode Count_FindEvents(const char *const names[], int n, PetscLogEvent events[])
{
  PetscFunctionBegin;
  for (int i = 0; i < n; i++) {
    PetscCall(PetscLogEventGetId(names[i], &events[i]));
    if (events[i] >= 0) PetscCall(PetscLogEventActivate(events[i]));
    else events[i] = -2;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Count_StartCounter(Counter *c, EPS eps)
{
  static const char *const solve = "EPSSolve";
  Mat                      A, B;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(c, sizeof(*c)));
  PetscCall(EPSGetOperators(eps, &A, &B));
  c->eps = eps;
  c->A   = A;
  c->B   = B;
  /* the events of a package exist only once the package is initialised */
  PetscCall(MatInitializePackage());
  PetscCall(PCInitializePackage());
  PetscCall(EPSInitializePackage());
  PetscCall(Count_FindEvents(vector_events, COUNT(vector_events), c->vector));
  PetscCall(Count_FindEvents(block_events, COUNT(block_events), c->block));
  PetscCall(Count_FindEvents(pc_events, COUNT(pc_events), c->pc));
  PetscCall(Count_FindEvents(&solve, 1, &c->solve));
  counter = c;
  PetscCall(NAPILogStart(&c->handler, Count_EventBegin, Count_EventEnd));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ends the count; the times are those of the slowest rank */
static PetscErrorCode Count_StopCounter(Counter *c, MPI_Comm comm, NAPICost *cost)
{
  PetscLogDouble mine[2], all[2];

  PetscFunctionBegin;
  PetscCall(NAPILogStop(&c->handler));
  counter = NULL;
  *cost   = c->cost;
  mine[0] = c->cost.seconds;
  mine[1] = c->cost.cpu;
  PetscCallMPI(MPI_Allreduce(mine, all, 2, MPI_DOUBLE, MPI_MAX, comm));
  cost->seconds = all[0];
  cost->cpu     = all[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPICountedSetUp - EPSSetUp() by itself, with its cost, which NAPICountedSolve() then does not have.
*/
PetscErrorCode NAPICountedSetUp(EPS eps, NAPICost *cost)
{
  Counter  c;
  MPI_Comm comm;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetComm((PetscObject)eps, &comm));
  PetscCall(Count_StartCounter(&c, eps));
  PetscCallMPI(MPI_Barrier(comm));
  PetscCall(Count_SwitchOn(&c));
  PetscCall(EPSSetUp(eps));
  PetscCall(Count_SwitchOff(&c));
  PetscCall(Count_StopCounter(&c, comm, cost));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPICountedSolve - EPSSolve() and the computation of the eigenvectors, with their cost.
*/
PetscErrorCode NAPICountedSolve(EPS eps, NAPICost *cost)
{
  Counter  c;
  MPI_Comm comm;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetComm((PetscObject)eps, &comm));
  PetscCall(Count_StartCounter(&c, eps));
  PetscCallMPI(MPI_Barrier(comm));
  PetscCall(Count_SwitchOn(&c));
  PetscCall(EPSSolve(eps)); /* Count_EventEnd() switches off */
  PetscCall(Count_StopCounter(&c, comm, cost));
  PetscFunctionReturn(PETSC_SUCCESS);
}
