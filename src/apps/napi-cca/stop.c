/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Solutions that end before they are complete: by Ctrl-C or -time_limit, with what has converged; and those that get nowhere, of which is
   said what is seen in the data, and what helps.
*/
#include "napi-cca.h"
#include <petsctime.h>

#define RARE       3    /* samples in which a column is not zero: it stands for these samples and not for anything they share */
#define RARE_SHARE 0.05 /* of the columns of a view: worth a word */

/* --- stopping ------------------------------------------------------------------------------------------------------------ */

PetscErrorCode NAPICCAGetTimeLimit(Stop *stop, char message[])
{
  PetscReal limit;
  PetscInt  n;
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(stop, sizeof(*stop)));
  PetscCall(NAPIGetReals("-time_limit", 1, &limit, &n, &set, message));
  if (!set || message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  if (!(limit > 0.0)) PetscCall(PetscStrncpy(message, "-time_limit is a number of seconds, and positive", NAPI_MESSAGE_LENGTH));
  PetscCall(PetscTime(&stop->end));
  stop->end += (PetscLogDouble)limit;
  stop->timed = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Between two steps: has somebody pressed Ctrl-C on any rank, or is the time over on any? */
static PetscErrorCode Stop_Monitor(CCA cca, PetscInt its, PetscInt nconv, PetscInt n, const PetscReal rho[], const PetscReal error[], void *ctx)
{
  Stop          *stop = (Stop *)ctx;
  PetscLogDouble now;
  PetscMPIInt    late;

  PetscFunctionBegin;
  (void)its, (void)nconv, (void)n, (void)rho, (void)error;
  if (!stop->active) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(NAPIIsInterrupted(&stop->asked));
  PetscCall(PetscTime(&now));
  late = stop->timed && now > stop->end;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &late, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD));
  stop->late = late ? PETSC_TRUE : PETSC_FALSE;
  if (stop->asked || stop->late) PetscCall(CCAStop(cca));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPICCASolveWatched - Solves with an ear for Ctrl-C and an eye on the clock. The direct method has no steps after which it could stop: there Ctrl-C
   ends the program.
*/
PetscErrorCode NAPICCASolveWatched(CCA cca, Stop *stop)
{
  PetscBool direct;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)cca, CCADIRECT, &direct));
  PetscCall(CCAMonitorSet(cca, Stop_Monitor, stop, NULL));
  stop->active = PETSC_TRUE;
  if (!direct) PetscCall(NAPIListen(PETSC_TRUE));
  PetscCall(CCASolve(cca));
  if (!direct) PetscCall(NAPIListen(PETSC_FALSE));
  stop->active = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NAPICCAPrintStop(const Stop *stop, const Result *r)
{
  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "INTERRUPTED by %s: %" PetscInt_FMT " of %" PetscInt_FMT " wanted pairs had converged, and are given; whether others lie between them was not looked at\n", stop->late ? "-time_limit" : "Ctrl-C", r->n, r->k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- getting nowhere -------------------------------------------------------------------------------------------------------- */

/* The columns of a sparse view that are not zero in at most RARE samples, though in one */
static PetscErrorCode Stop_CountRare(Mat A, PetscInt *rare)
{
  PetscReal         *count;
  PetscInt           first, last, d, ncols;
  const PetscInt    *cols;
  const PetscScalar *values;

  PetscFunctionBegin;
  *rare = 0;
  PetscCall(MatGetSize(A, NULL, &d));
  PetscCall(PetscCalloc1(d, &count));
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt i = first; i < last; i++) {
    PetscCall(MatGetRow(A, i, &ncols, &cols, &values));
    for (PetscInt k = 0; k < ncols; k++)
      if (values[k] != (PetscScalar)0.0) count[cols[k]] += 1.0;
    PetscCall(MatRestoreRow(A, i, &ncols, &cols, &values));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, count, (PetscMPIInt)d, MPIU_REAL, MPIU_SUM, PETSC_COMM_WORLD));
  for (PetscInt j = 0; j < d; j++)
    if (count[j] > 0.0 && count[j] <= RARE) ++*rare;
  PetscCall(PetscFree(count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Says of a sparse view how many such columns there are, if they are many */
static PetscErrorCode Stop_DescribeRare(const Data *d, int view, PetscBool *many, char text[], size_t length)
{
  PetscBool dense;
  PetscInt  count, cols;

  PetscFunctionBegin;
  *many = PETSC_FALSE;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)d->view[view], &dense, MATSEQDENSE, MATMPIDENSE, ""));
  if (dense) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Stop_CountRare(d->view[view], &count));
  PetscCall(MatGetSize(d->view[view], NULL, &cols));
  *many = (PetscBool)((PetscReal)count >= RARE_SHARE * (PetscReal)cols);
  PetscCall(PetscSNPrintf(text, length, "%" PetscInt_FMT " of %" PetscInt_FMT " columns of %c are zero in all but %d samples or fewer", count, cols, "XY"[view], RARE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPICCAWarnRare - Before the solution: rare words that are scaled to be as large as all others make it slow, and say little.
*/
PetscErrorCode NAPICCAWarnRare(const Options *o, const Data *d)
{
  char        text[160];
  PetscBool   many;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  for (int i = 0; i < 2 && o->scale && d->view[i]; i++) {
    PetscCall(Stop_DescribeRare(d, i, &many, text, sizeof(text)));
    if (many && !rank) (void)fprintf(stderr, "napi-cca: warning: %s, and -scale makes each of them as large as the others: this may take long and say little; what helps is to leave out -scale, or these columns, or a larger -shrinkage\n", text);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPICCAExplain - What is seen in the data where a solution has not converged, and what may help.
*/
PetscErrorCode NAPICCAExplain(const Data *d, const Result *r)
{
  PetscBool many, any = PETSC_FALSE;
  char      text[160];

  PetscFunctionBegin;
  if (r->reason > 0) PetscFunctionReturn(PETSC_SUCCESS);
  if (r->reason == CCA_DIVERGED_USER && !r->scale) { /* nothing is known to be wrong; but that little regularisation is slow */
    if (r->n < r->k) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "What may help: a larger -shrinkage, with which fewer correlations crowd near 1 (for sparse texts 0.9 is not much). -cv 5 -shrinkage .99,.9,.5 chooses one.\n"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (int i = 0; i < 2; i++) {
    PetscCall(Stop_DescribeRare(d, i, &many, text, sizeof(text)));
    if (many) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s%s\n", text, r->scale ? ", and -scale makes each of them as large as the others" : ""));
    if (many) any = PETSC_TRUE;
  }
  if (any) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "What may help: to leave out %sthese columns, or a larger -shrinkage.\n", r->scale ? "-scale, or " : ""));
  else if (r->reason == CCA_DIVERGED_ITS) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "What may help: a larger -shrinkage, a larger -tol, or more steps (-cca_max_it).\n"));
  else if (r->reason == CCA_DIVERGED_ACCURACY) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "What may help: a larger -tol, which rounding can reach, or a larger -shrinkage.\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}
