/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA: ending work before it is complete. There is one mechanism for all that takes long: a function of the user's is asked again and again,
   in every step of a solution, before every solution of a cross-validation or a bootstrap, and during permutations. Whatever is under way then ends with what is complete.
*/
#include <slepcnapi/private/ccapermute.h>

/*@
   CCAStop - Asks the work under way to end after this step: to be called by a monitor, or by the function of CCASetStopFunction().

   Logically Collective

   Input Parameter:
.  cca - the object

   Level: advanced

   Notes:
   CCASolve() then gives the pairs that have converged, and no others, and CCA_DIVERGED_USER as its reason, unless all were found. Whether
   a larger correlation was missed is not looked at any more. The direct method has no steps: it ends while it forms covariances, without any pair.

   What CCACrossValidate(), CCAPermutationTest() and CCABootstrap() make of it, see CCASetStopFunction().

.seealso: CCASetStopFunction(), CCAMonitorSet(), CCASolve(), CCAGetConvergedReason()
@*/
PetscErrorCode CCAStop(CCA cca)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  cca->stop = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
   CCASetStopFunction - Sets a function that is asked, again and again, whether the work under way is to end.

   Logically Collective

   Input Parameters:
+  cca  - the object
.  poll - the function, or NULL for none
-  ctx  - its own data, or NULL

   Calling sequence of poll:
$   PetscErrorCode poll(CCA cca,PetscBool *stop,void *ctx)
+  cca  - the object
.  stop - PETSC_FALSE; to be set to PETSC_TRUE if the work is to end
-  ctx  - its own data

   Level: advanced

   Notes:
   It is for signals, clocks and buttons, and for all that takes long: CCASolve() asks in every step (direct, between parts of the samples and before singular values), CCACrossValidate() before every solution and in its steps, CCABootstrap()
   likewise (also if the object that does the work is one of its own), CCAPermutationTest() for every permutation, and more often where these take long.

   It must not communicate: ranks do not ask equally often. If it says yes on one rank, all of them stop.

   Then
.vb
     CCASolve()            has the pairs that have converged, and CCA_DIVERGED_USER as its reason
     CCACrossValidate()    has the folds that were complete, see CCAGetFoldsDone(), and nothing is chosen or solved with it
     CCAPermutationTest()  has p-values from the permutations that were decided, see CCAGetPermutationsDone()
     CCABootstrap()        has the samples that were solved, see CCAGetBootstrap()
.ve

.seealso: CCAStop(), CCAMonitorSet(), CCASolve(), CCACrossValidate(), CCAPermutationTest(), CCABootstrap()
@*/
PetscErrorCode CCASetStopFunction(CCA cca, PetscErrorCode (*poll)(CCA, PetscBool *, void *), void *ctx)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  cca->poll    = poll;
  cca->pollctx = ctx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCAAsk_Private - Within a step, on this rank alone: is the work to end? Whoever has heard so tells CCAPollTold_Private() when the ranks are together again.
*/
PetscErrorCode CCAAsk_Private(void *ctx, PetscBool *stop)
{
  CCA cca = (CCA)ctx, user = cca->leader ? cca->leader : cca;

  PetscFunctionBegin;
  if (user->poll) PetscCall((*user->poll)(user, stop, user->pollctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCAPoll_Private - Between two steps: cca->stop becomes true, on all ranks, if the work is to end. An object that works for another one asks as that one.
*/
PetscErrorCode CCAPoll_Private(CCA cca)
{
  PetscFunctionBegin;
  PetscCall(CCAPollTold_Private(cca, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCAPollTold_Private - The same; told: this rank knows already, and need not ask.
*/
PetscErrorCode CCAPollTold_Private(CCA cca, PetscBool told)
{
  CCA         user = cca->leader ? cca->leader : cca;
  PetscBool   stop = told;
  PetscMPIInt any;

  PetscFunctionBegin;
  if (user->poll && !user->stop) {
    if (!told) PetscCall(CCAAsk_Private(cca, &stop));
    any = stop || user->stop;
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, PetscObjectComm((PetscObject)cca)));
    user->stop = any ? PETSC_TRUE : PETSC_FALSE;
  }
  if (user->stop) cca->stop = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The usual test, and CCAStop() */
static PetscErrorCode CCAWatchEPS_Stop(EPS eps, PetscInt its, PetscInt max_it, PetscInt nconv, PetscInt nev, EPSConvergedReason *reason, void *ctx)
{
  CCA cca = (CCA)ctx;

  PetscFunctionBegin;
  PetscCall(EPSStoppingBasic(eps, its, max_it, nconv, nev, reason, NULL));
  if (*reason) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CCAPoll_Private(cca));
  if (cca->stop) *reason = EPS_CONVERGED_USER;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCAWatchEPS_Private - An eigensolver that works for the object ends when the object is to; not if somebody has given it another test.
*/
PetscErrorCode CCAWatchEPS_Private(CCA cca, EPS eps)
{
  EPSStop stop;

  PetscFunctionBegin;
  PetscCall(EPSGetStoppingTest(eps, &stop));
  if (stop == EPS_STOP_BASIC) PetscCall(EPSSetStoppingTestFunction(eps, CCAWatchEPS_Stop, cca, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- ranks that work for themselves ------------------------------------------------- */

/*
   CCAPermutationPoll_Private - The same while every rank works for itself: one that is told to stop tells the others, who look for that from time to time.
*/
PetscErrorCode CCAPermutationPoll_Private(CCA cca, CCAPermutation *test)
{
  MPI_Comm    comm = PetscObjectComm((PetscObject)cca);
  PetscBool   told = PETSC_FALSE;
  int         heard;
  PetscMPIInt rank, size;

  PetscFunctionBegin;
  if (test->stopped) PetscFunctionReturn(PETSC_SUCCESS);
  if (cca->poll) PetscCall((*cca->poll)(cca, &told, cca->pollctx));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  if (told || cca->stop) {
    test->stopped = test->told = PETSC_TRUE;
    PetscCall(PetscMalloc1(size, &test->sent));
    for (PetscMPIInt r = 0; r < size; r++) {
      test->sent[r] = MPI_REQUEST_NULL;
      if (r != rank) PetscCallMPI(MPI_Isend(NULL, 0, MPI_INT, r, test->tag, comm, &test->sent[r]));
    }
  } else if (size > 1) {
    PetscCallMPI(MPI_Iprobe(MPI_ANY_SOURCE, test->tag, comm, &heard, MPI_STATUS_IGNORE));
    if (heard) test->stopped = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCAPermutationEndPoll_Private - Takes what the others have sent, when all ranks have done their share; to be called by all.
*/
PetscErrorCode CCAPermutationEndPoll_Private(CCA cca, CCAPermutation *test)
{
  MPI_Comm    comm = PetscObjectComm((PetscObject)cca);
  PetscMPIInt senders, mine = test->told ? 1 : 0, size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCallMPI(MPI_Allreduce(&mine, &senders, 1, MPI_INT, MPI_SUM, comm));
  for (PetscMPIInt r = 0; r < senders - mine; r++) PetscCallMPI(MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, test->tag, comm, MPI_STATUS_IGNORE));
  if (test->sent) PetscCallMPI(MPI_Waitall(size, test->sent, MPI_STATUSES_IGNORE));
  PetscCall(PetscFree(test->sent));
  if (senders) test->stopped = cca->stop = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
