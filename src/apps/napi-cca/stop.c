/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Solutions that end before they are complete: by Ctrl-C or -time_limit, with what has converged; and those that get nowhere, of which is
   said what is seen in the data, and what helps.
*/
#include "napi-cca.h"
#include <petsctime.h>

/* Of 47,335 texts of 30,385 and 35,468 words 10 pairs take 38 iterations with 0.97, 88 with 0.8, 263 with 0.5, 708 with 0.1 */
#define LARGER_SHRINKAGE "a larger -shrinkage, for sparse texts at least 0.9; -cv 5 -shrinkage_path .99,.97,.9 chooses one"

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

/* Has somebody pressed Ctrl-C, or is the time over? What other ranks know they are asked themselves */
static PetscErrorCode Stop_Poll(CCA cca, PetscBool *stop, void *ctx)
{
  Stop          *s = (Stop *)ctx;
  PetscLogDouble now;

  PetscFunctionBegin;
  (void)cca;
  PetscCall(PetscTime(&now));
  if (s->timed && now > s->end) s->late = PETSC_TRUE;
  if (s->late || NAPIHeardInterrupt()) *stop = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPICCAWatch - From now on, whatever the object does, with an ear for Ctrl-C and an eye on the clock. Work without steps after which it could stop is
   ended by Ctrl-C, and the program with it.
*/
PetscErrorCode NAPICCAWatch(CCA cca, PetscBool steps, Stop *stop)
{
  PetscFunctionBegin;
  PetscCall(CCASetStopFunction(cca, Stop_Poll, stop));
  if (steps) PetscCall(NAPIListen(PETSC_TRUE));
  stop->listening = steps;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPICCAUnwatch - No longer. All ranks get to know whether it was the clock.
*/
PetscErrorCode NAPICCAUnwatch(CCA cca, Stop *stop)
{
  PetscMPIInt late = stop->late;

  PetscFunctionBegin;
  PetscCall(CCASetStopFunction(cca, NULL, NULL));
  if (stop->listening) PetscCall(NAPIListen(PETSC_FALSE));
  stop->listening = PETSC_FALSE;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &late, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD));
  stop->late = late ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPICCASolveWatched - Solves so. The direct method has no steps, unless the analysis needs an eigensolver.
*/
PetscErrorCode NAPICCASolveWatched(CCA cca, Stop *stop)
{
  CCAAnalysis analysis;
  PetscBool   direct;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)cca, CCADIRECT, &direct));
  PetscCall(CCAGetAnalysis(cca, &analysis));
  PetscCall(NAPICCAWatch(cca, (PetscBool)(!direct || analysis == CCA_ANALYSIS_PCA || analysis == CCA_ANALYSIS_GEV), stop));
  PetscCall(CCASolve(cca));
  PetscCall(NAPICCAUnwatch(cca, stop));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPICCAWhatStopped - What has ended it, for a sentence.
*/
const char *NAPICCAWhatStopped(const Stop *stop)
{
  return stop->late ? "-time_limit" : "Ctrl-C";
}

/*
   NAPICCAIsIncomplete - Whether anything that was asked for was ended before it was complete.
*/
PetscBool NAPICCAIsIncomplete(const Options *o, const Result *r)
{
  if (r->reason == CCA_DIVERGED_USER) return PETSC_TRUE;
  if (o->validate && r->cv.done < r->cv.nfolds) return PETSC_TRUE;
  if (r->inference.p && r->inference.done < o->inference.permutations) return PETSC_TRUE;
  return (PetscBool)(r->bootstrap.asked && r->bootstrap.samples < o->bootstrap);
}

PetscErrorCode NAPICCAPrintStop(const Options *o, const Result *r)
{
  const char *what = NAPICCAWhatStopped(&r->stop);

  PetscFunctionBegin;
  if (o->validate && r->cv.done < r->cv.nfolds)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "INTERRUPTED by %s: %" PetscInt_FMT " of %" PetscInt_FMT " folds were complete; nothing was chosen, and nothing solved with all samples\n", what, r->cv.done, r->cv.nfolds));
  else PetscCall(PetscPrintf(PETSC_COMM_WORLD, "INTERRUPTED by %s: %" PetscInt_FMT " of %" PetscInt_FMT " wanted pairs had converged, and are given; whether others lie between them was not looked at\n", what, r->n, r->k));
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
   NAPICCAWarnCrowded - Before the solution: two spaces of d1 and d2 dimensions in one of n have at least d1 + d2 - n in common, so that this many correlations are 1
   whatever the data are, but for the regularisation. Where that is weak they crowd near 1, and an iteration tells them apart slowly.
*/
PetscErrorCode NAPICCAWarnCrowded(const Options *o, const Data *d, CCA cca)
{
  PetscInt    n, cols[2];
  PetscReal   shrinkage[2];
  PetscBool   direct;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PetscObjectTypeCompare((PetscObject)cca, CCADIRECT, &direct));
  for (int i = 0; i < 2; i++) PetscCall(MatGetSize(d->view[i], &n, &cols[i]));
  PetscCall(CCAGetShrinkage(cca, &shrinkage[0], &shrinkage[1]));
  if (o->nridges && o->path == CCA_PATH_SHRINKAGE) shrinkage[0] = shrinkage[1] = o->ridges[o->nridges - 1]; /* the least */
  if (rank || direct || o->hasridge || (o->nridges && o->path == CCA_PATH_RIDGE) || PetscMax(shrinkage[0], shrinkage[1]) >= LITTLE_SHRINKAGE) PetscFunctionReturn(PETSC_SUCCESS);
  if ((PetscInt64)cols[0] + cols[1] > n)
    (void)fprintf(stderr, "napi-cca: warning: %" PetscInt_FMT " and %" PetscInt_FMT " variables of %" PetscInt_FMT " samples have many correlations near 1 whatever the data are, with a shrinkage of %g only: this may take very long and say little; what helps is " LARGER_SHRINKAGE "\n", cols[0], cols[1], n, (double)PetscMin(shrinkage[0], shrinkage[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPICCAExplain - What is seen in the data where a solution has not converged, and what may help.
*/
PetscErrorCode NAPICCAExplain(const Options *o, const Data *d, const Result *r)
{
  PetscBool many, any = PETSC_FALSE;
  char      text[160];

  PetscFunctionBegin;
  if (r->reason > 0 || (o->validate && r->cv.done < r->cv.nfolds)) PetscFunctionReturn(PETSC_SUCCESS);
  if (r->reason == CCA_DIVERGED_USER && !r->scale) { /* nothing is known to be wrong; but that little regularisation is slow */
    if (r->n < r->k) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "What may help: " LARGER_SHRINKAGE ".\n"));
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
