/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA: the folds of a cross-validation. Which sample is in which depends on the number of samples, of folds, and on the seed, but not
   on the number of ranks; or the user says it.
*/
#include <slepcnapi/private/ccaimpl.h>

/*E
   CCAFolds - How samples are shared out to the folds of a cross-validation

   Values:
+  CCA_FOLDS_RANDOM     - at random, by the seed, the default: samples may lie in the file in any order
.  CCA_FOLDS_CONTIGUOUS - the first ones are the first fold, and so on: for samples of which neighbours depend on each other
-  CCA_FOLDS_GIVEN      - as CCASetFoldNumbers() says

   Level: intermediate

.seealso: CCASetFolds(), CCASetFoldNumbers(), CCACrossValidate()
E*/
const char *const CCAFoldsTypes[] = {"random", "contiguous", "given", "CCAFolds", "CCA_FOLDS_", NULL};

/*@
   CCASetFolds - Chooses the folds of CCACrossValidate().

   Logically Collective

   Input Parameters:
+  cca  - the object
.  n    - how many, at least 2; by default 5
.  how  - CCA_FOLDS_RANDOM or CCA_FOLDS_CONTIGUOUS
-  seed - for the random ones; the same seed gives the same folds, on any number of ranks

   Options Database Keys:
+  -cca_cv_folds <n>                     - sets how many
.  -cca_cv_order <random or contiguous>  - chooses how
-  -cca_cv_seed <seed>                   - sets the seed

   Level: intermediate

   Note:
   Folds differ by one sample at most.

.seealso: CCACrossValidate(), CCASetFoldNumbers(), CCAFolds
@*/
PetscErrorCode CCASetFolds(CCA cca, PetscInt n, CCAFolds how, PetscInt seed)
{
  MPI_Comm comm;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscValidLogicalCollectiveInt(cca, n, 2);
  PetscValidLogicalCollectiveEnum(cca, how, 3);
  PetscValidLogicalCollectiveInt(cca, seed, 4);
  comm = PetscObjectComm((PetscObject)cca);
  PetscCheck(n >= 2, comm, PETSC_ERR_ARG_OUTOFRANGE, "A cross-validation needs 2 folds at least, not %" PetscInt_FMT ": 5 or 10 are usual", n);
  PetscCheck(how == CCA_FOLDS_RANDOM || how == CCA_FOLDS_CONTIGUOUS, comm, PETSC_ERR_ARG_OUTOFRANGE, "Folds are CCA_FOLDS_RANDOM or CCA_FOLDS_CONTIGUOUS here; for others call CCASetFoldNumbers()");
  cca->cv.wanted = n;
  cca->cv.how    = how;
  cca->cv.seed   = seed;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCASetFoldNumbers - Says which fold each sample is in, for CCACrossValidate().

   Collective

   Input Parameters:
+  cca  - the object, which has its data
.  n    - the number of local samples, those of the rows of the data on this rank
-  fold - a number for each of them: samples of the same number, on whatever rank, are left out together

   Level: intermediate

   Note:
   Any integers will do, and there are as many folds as there are different ones. This is for samples that depend on each other, such as
   several from one person: all of them must be in the same fold, or the result is too good to be true.

.seealso: CCACrossValidate(), CCASetFolds()
@*/
PetscErrorCode CCASetFoldNumbers(CCA cca, PetscInt n, const PetscInt fold[])
{
  PetscInt    rows;
  PetscMPIInt differ;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  if (n) PetscAssertPointer(fold, 3);
  PetscCheck(cca->X, PetscObjectComm((PetscObject)cca), PETSC_ERR_ORDER, "There are no data yet: call CCASetData() first");
  PetscCall(MatGetLocalSize(cca->X, &rows, NULL));
  differ = rows != n;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &differ, 1, MPI_INT, MPI_MAX, PetscObjectComm((PetscObject)cca)));
  PetscCheck(!differ, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_SIZ, "There must be a fold for each sample, on the rank that has it");
  PetscCall(PetscFree(cca->cv.given));
  PetscCall(PetscMalloc1(n, &cca->cv.given));
  PetscCall(PetscArraycpy(cca->cv.given, fold, n));
  cca->cv.how = CCA_FOLDS_GIVEN;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A generator of its own, so that folds are the same with every PETSc: splitmix64 */
static unsigned long long CCAFolds_Next(unsigned long long *state)
{
  unsigned long long z = (*state += 0x9E3779B97F4A7C15ULL);

  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

/* Samples in random order are dealt out like cards; every rank shuffles all of them, which takes less than one product */
static PetscErrorCode CCAFolds_Random(PetscInt N, PetscInt nfolds, PetscInt seed, PetscInt first, PetscInt n, PetscInt fold[])
{
  unsigned long long state = (unsigned long long)seed;
  PetscInt          *order;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(N, &order));
  for (PetscInt i = 0; i < N; i++) order[i] = i;
  for (PetscInt i = N - 1; i > 0; i--) {
    const PetscInt j = (PetscInt)(CCAFolds_Next(&state) % (unsigned long long)(i + 1)), t = order[i];

    order[i] = order[j];
    order[j] = t;
  }
  for (PetscInt i = 0; i < N; i++)
    if (order[i] >= first && order[i] < first + n) fold[order[i] - first] = i % nfolds;
  PetscCall(PetscFree(order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The numbers that the user has given, in ascending order, become 0, 1, ... */
static PetscErrorCode CCAFolds_Given(MPI_Comm comm, PetscInt n, const PetscInt given[], PetscInt *nfolds, PetscInt fold[])
{
  PetscInt   *mine, *all, count = n, total;
  PetscMPIInt size, *counts, *displs, mycount;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PetscMalloc3(n, &mine, size, &counts, size + 1, &displs));
  PetscCall(PetscArraycpy(mine, given, n));
  PetscCall(PetscSortRemoveDupsInt(&count, mine));
  PetscCall(PetscMPIIntCast(count, &mycount));
  PetscCallMPI(MPI_Allgather(&mycount, 1, MPI_INT, counts, 1, MPI_INT, comm));
  displs[0] = 0;
  for (PetscMPIInt i = 0; i < size; i++) displs[i + 1] = displs[i] + counts[i];
  total = displs[size];
  PetscCall(PetscMalloc1(total, &all));
  PetscCallMPI(MPI_Allgatherv(mine, mycount, MPIU_INT, all, counts, displs, MPIU_INT, comm));
  PetscCall(PetscSortRemoveDupsInt(&total, all));
  for (PetscInt i = 0; i < n; i++) PetscCall(PetscFindInt(given[i], total, all, &fold[i]));
  *nfolds = total;
  PetscCall(PetscFree(all));
  PetscCall(PetscFree3(mine, counts, displs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The smallest fold, and how many samples of a positive weight it has */
static PetscErrorCode CCAFolds_Smallest(CCA cca, PetscInt n, PetscInt nfolds, const PetscInt fold[], PetscInt *smallest, PetscInt *samples)
{
  const PetscScalar *w = NULL;
  PetscInt          *size;
  PetscMPIInt        count;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(nfolds, &count));
  PetscCall(PetscCalloc1(nfolds, &size));
  if (cca->weights) PetscCall(VecGetArrayRead(cca->weights, &w));
  for (PetscInt i = 0; i < n; i++)
    if (!w || PetscRealPart(w[i]) > 0.0) size[fold[i]]++;
  if (w) PetscCall(VecRestoreArrayRead(cca->weights, &w));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, size, count, MPIU_INT, MPI_SUM, PetscObjectComm((PetscObject)cca)));
  *smallest = 0;
  for (PetscInt f = 1; f < nfolds; f++)
    if (size[f] < size[*smallest]) *smallest = f;
  *samples = size[*smallest];
  PetscCall(PetscFree(size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* CCAGetFolds_Private - For each local sample the fold it is in, from 0 on; the caller frees them. Folds that are of no use are an error */
PetscErrorCode CCAGetFolds_Private(CCA cca, PetscInt *nfolds, PetscInt **fold)
{
  const PetscInt least = cca->center ? 3 : 2; /* two points lie on a line in any case */
  PetscInt       N, n, first, smallest, samples;
  MPI_Comm       comm;

  PetscFunctionBegin;
  comm = PetscObjectComm((PetscObject)cca);
  PetscCall(MatGetSize(cca->X, &N, NULL));
  PetscCall(MatGetLocalSize(cca->X, &n, NULL));
  PetscCall(MatGetOwnershipRange(cca->X, &first, NULL));
  *nfolds = cca->cv.wanted;
  PetscCheck(cca->cv.how == CCA_FOLDS_GIVEN || *nfolds <= N, comm, PETSC_ERR_ARG_OUTOFRANGE, "%" PetscInt_FMT " samples cannot be shared out to %" PetscInt_FMT " folds: use fewer, each with more samples", N, *nfolds);
  PetscCall(PetscMalloc1(n, fold));
  switch (cca->cv.how) {
  case CCA_FOLDS_RANDOM:
    PetscCall(CCAFolds_Random(N, *nfolds, cca->cv.seed, first, n, *fold));
    break;
  case CCA_FOLDS_CONTIGUOUS:
    for (PetscInt i = 0; i < n; i++) (*fold)[i] = (PetscInt)(((PetscInt64)(first + i) * *nfolds) / N);
    break;
  case CCA_FOLDS_GIVEN:
    PetscCall(CCAFolds_Given(comm, n, cca->cv.given, nfolds, *fold));
  }
  PetscCall(CCAFolds_Smallest(cca, n, *nfolds, *fold, &smallest, &samples));
  if (*nfolds < 2 || samples < least) PetscCall(PetscFree(*fold));
  PetscCheck(*nfolds >= 2, comm, PETSC_ERR_ARG_WRONG, "All samples are in the same fold: there must be 2 at least, so that there is something to learn from while one is left out");
  PetscCheck(samples >= least, comm, PETSC_ERR_ARG_WRONG, "Fold %" PetscInt_FMT " of %" PetscInt_FMT " has %" PetscInt_FMT " sample%s%s, and a correlation needs %" PetscInt_FMT ": use fewer folds, each with more samples", smallest + 1, *nfolds, samples, samples == 1 ? "" : "s", cca->weights ? " of a positive weight" : "", least);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* CCAFoldsSetFromOptions_Private - What CCASetFromOptions() reads for a cross-validation */
PetscErrorCode CCAFoldsSetFromOptions_Private(CCA cca, NAPIOptionItems PetscOptionsObject)
{
  CCACrossValidation *cv = &cca->cv;
  PetscInt            n = cv->wanted, seed = cv->seed;
  CCAFolds            how = cv->how == CCA_FOLDS_GIVEN ? CCA_FOLDS_RANDOM : cv->how;
  PetscReal           tol = cv->tol;
  PetscBool           set[3], flag;

  PetscFunctionBegin;
  PetscCall(PetscOptionsInt("-cca_cv_folds", "Folds of a cross-validation", "CCASetFolds", n, &n, &set[0]));
  PetscCall(PetscOptionsEnum("-cca_cv_order", "How samples are shared out to them", "CCASetFolds", CCAFoldsTypes, (PetscEnum)how, (PetscEnum *)&how, &set[1]));
  PetscCall(PetscOptionsInt("-cca_cv_seed", "Seed of random folds", "CCASetFolds", seed, &seed, &set[2]));
  if (set[0] || set[1] || set[2]) PetscCall(CCASetFolds(cca, n, how, seed));
  PetscCall(PetscOptionsReal("-cca_cv_tol", "Tolerance while a fold is left out", "CCASetCrossValidationTolerance", tol, &tol, &set[0]));
  if (set[0]) PetscCall(CCASetCrossValidationTolerance(cca, tol));
  PetscCall(PetscOptionsBool("-cca_cv_one_se", "Choose the largest value within one standard error of the best", "CCASetOneStandardError", cv->onese, &flag, &set[0]));
  if (set[0]) PetscCall(CCASetOneStandardError(cca, flag));
  PetscFunctionReturn(PETSC_SUCCESS);
}
