/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA: what can be asked after the solution.
*/
#include <slepcnapi/private/ccaimpl.h>

#define CCACheckSolved(cca) PetscCheck((cca)->reason, PetscObjectComm((PetscObject)(cca)), PETSC_ERR_ORDER, "There is no solution yet: call CCASolve() first")

/*@
   CCAGetConverged - Gets how many canonical pairs have converged.

   Not Collective

   Input Parameter:
.  cca - the object

   Output Parameter:
.  nconv - the number; these are the first ones

   Level: beginner

.seealso: CCASolve(), CCAGetConvergedReason(), CCAGetCorrelation()
@*/
PetscErrorCode CCAGetConverged(CCA cca, PetscInt *nconv)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscAssertPointer(nconv, 2);
  CCACheckSolved(cca);
  *nconv = cca->nconv;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAGetConvergedReason - Gets why the solution ended.

   Not Collective

   Input Parameter:
.  cca - the object

   Output Parameter:
.  reason - positive if the pairs asked for were found, or all there are; negative otherwise

   Options Database Key:
.  -cca_converged_reason - prints it

   Level: beginner

.seealso: CCASolve(), CCAConvergedReason
@*/
PetscErrorCode CCAGetConvergedReason(CCA cca, CCAConvergedReason *reason)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscAssertPointer(reason, 2);
  *reason = cca->reason;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAGetIterationNumber - Gets the number of iterations of the last solution.

   Not Collective

   Input Parameter:
.  cca - the object

   Output Parameter:
.  its - the number

   Level: beginner

.seealso: CCASolve()
@*/
PetscErrorCode CCAGetIterationNumber(CCA cca, PetscInt *its)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscAssertPointer(its, 2);
  *its = cca->its;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckIndex(CCA cca, PetscInt i)
{
  PetscFunctionBegin;
  CCACheckSolved(cca);
  PetscCheck(i >= 0 && i < cca->ncols, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_OUTOFRANGE, "There is no pair %" PetscInt_FMT ": they are numbered from 0, and there are %" PetscInt_FMT, i, cca->ncols);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAGetCorrelation - Gets a canonical correlation.

   Not Collective

   Input Parameters:
+  cca - the object
-  i   - its number, from 0

   Output Parameter:
.  rho - the correlation, between 0 and 1; they do not increase

   Level: beginner

   Note:
   Those from CCAGetConverged() on, if any, have not converged.

.seealso: CCASolve(), CCAGetDirections(), CCAComputeError()
@*/
PetscErrorCode CCAGetCorrelation(CCA cca, PetscInt i, PetscReal *rho)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscAssertPointer(rho, 3);
  PetscCall(CheckIndex(cca, i));
  *rho = cca->rho[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAComputeError - Gets the relative residual of a canonical pair,
   ||[S12 v - rho S11 u; S12'u - rho S22 v]|| / (rho ||[S11 u; S22 v]||).

   Not Collective

   Input Parameters:
+  cca - the object
-  i   - number of the pair, from 0

   Output Parameter:
.  error - the residual, computed from fresh products at the end of CCASolve(); for a correlation below 1e-8, which has no
           relative residual, without the division by rho

   Level: beginner

.seealso: CCASolve(), CCASetTolerances()
@*/
PetscErrorCode CCAComputeError(CCA cca, PetscInt i, PetscReal *error)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscAssertPointer(error, 3);
  PetscCall(CheckIndex(cca, i));
  *error = cca->error[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAGetDirections - Gets the canonical directions.

   Not Collective

   Input Parameter:
.  cca - the object

   Output Parameters:
+  U - dense, a direction of X in each column, rows distributed like the columns of X
-  V - the same for Y

   Level: beginner

   Notes:
   The matrices belong to the object: do not destroy or change them. They are valid until the next CCASolve() or change of
   settings. U'S11 U = I, V'S22 V = I and U'S12 V is diagonal. Of a pair, both directions may be multiplied by the same
   number of modulus one; here the sum of u_i^3 is not negative (real part).

.seealso: CCASolve(), CCATransform(), CCASetInitialDirections()
@*/
PetscErrorCode CCAGetDirections(CCA cca, Mat *U, Mat *V)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  CCACheckSolved(cca);
  PetscCheck(cca->ncols, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_WRONGSTATE, "No direction was found: the reason is %s", CCAConvergedReasons[cca->reason]);
  if (U) *U = cca->U;
  if (V) *V = cca->V;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAGetApplications - Gets what the last solution has cost.

   Not Collective

   Input Parameter:
.  cca - the object

   Output Parameters:
+  a      - columns multiplied by A = [0 S12; S12' 0]
.  b      - columns multiplied by B = diag(S11, S22); a column of S11 or S22 alone counts half
-  passes - passes over the data, whatever the number of columns; a pass over one view counts half

   Level: intermediate

.seealso: CCASolve(), MatGramGetPasses()
@*/
PetscErrorCode CCAGetApplications(CCA cca, PetscReal *a, PetscReal *b, PetscReal *passes)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  CCACheckSolved(cca);
  PetscCall(CCAGetCost_Private(cca, a, b, passes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
   CCAGetHistory - Gets the course of the last solution.

   Not Collective

   Input Parameter:
.  cca - the object

   Output Parameters:
+  n         - number of records
.  passes    - passes over the data by then
-  objective - the sum of the wanted correlations, as far as they were found by then

   Level: advanced

   Note:
   It is recorded if CCASetHistory() asks for it. The arrays belong to the object.

.seealso: CCASetHistory()
@*/
PetscErrorCode CCAGetHistory(CCA cca, PetscInt *n, const PetscReal *passes[], const PetscReal *objective[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  if (n) *n = cca->nhistory;
  if (passes) *passes = cca->hpasses;
  if (objective) *objective = cca->hobjective;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- scores ------------------------------------------------- */

/* All of a dense matrix, by columns, on every rank */
PetscErrorCode CCAGatherDense_Private(Mat U, PetscInt d, PetscInt k, PetscScalar *all)
{
  const PetscScalar *u;
  const PetscInt    *ranges;
  PetscInt           ld;
  PetscMPIInt        size, rank, *counts, *displs;
  MPI_Comm           comm = PetscObjectComm((PetscObject)U);

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(MatGetOwnershipRanges(U, &ranges));
  PetscCall(PetscMalloc2(size, &counts, size, &displs));
  for (PetscMPIInt r = 0; r < size; r++) {
    PetscCall(PetscMPIIntCast(ranges[r + 1] - ranges[r], &counts[r]));
    PetscCall(PetscMPIIntCast(ranges[r], &displs[r]));
  }
  PetscCall(MatDenseGetLDA(U, &ld));
  PetscCall(MatDenseGetArrayRead(U, &u));
  for (PetscInt j = 0; j < k; j++) PetscCallMPI(MPI_Allgatherv(u + j * ld, counts[rank], MPIU_SCALAR, all + j * d, counts, displs, MPIU_SCALAR, comm));
  PetscCall(MatDenseRestoreArrayRead(U, &u));
  PetscCall(PetscFree2(counts, displs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Z = (X - 1 m')diag(s) U, whose rows are distributed like those of X */
static PetscErrorCode Scores(CCA cca, PetscInt view, Mat X, Mat *Z)
{
  PetscInt     d = cca->d[view], k = cca->ncols, n, N, cols, first, last, ld;
  PetscScalar *u, *mean, *z, *shift;
  PetscReal   *scale;
  PetscBool    dense;

  PetscFunctionBegin;
  PetscCall(MatGetSize(X, &N, &cols));
  PetscCheck(cols == d, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_SIZ, "The directions are those of data with %" PetscInt_FMT " columns, these have %" PetscInt_FMT, d, cols);
  PetscCall(MatGetLocalSize(X, &n, NULL));
  PetscCall(PetscMalloc4(d * k, &u, d, &mean, d, &scale, k, &shift));
  PetscCall(CCAGatherDense_Private(view ? cca->V : cca->U, d, k, u));
  if (cca->scale) {
    PetscCall(MatGramGetScales(cca->B, view, scale));
    for (PetscInt j = 0; j < k; j++)
      for (PetscInt i = 0; i < d; i++) u[i + j * d] *= scale[i];
  }
  PetscCall(PetscArrayzero(shift, k));
  if (cca->center) {
    PetscCall(MatGramGetMeans(cca->B, view, mean));
    for (PetscInt j = 0; j < k; j++)
      for (PetscInt i = 0; i < d; i++) shift[j] += mean[i] * u[i + j * d]; /* m'diag(s) U */
  }
  PetscCall(MatCreateDense(PetscObjectComm((PetscObject)X), n, PETSC_DECIDE, N, k, NULL, Z));
  PetscCall(MatDenseGetLDA(*Z, &ld));
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)X, &dense, MATSEQDENSE, MATMPIDENSE, ""));
  if (dense) {
    Mat local, zlocal, U;

    PetscCall(MatDenseGetLocalMatrix(X, &local));
    PetscCall(MatDenseGetLocalMatrix(*Z, &zlocal));
    PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, d, k, u, &U));
    PetscCall(MatMatMult(local, U, MAT_REUSE_MATRIX, PETSC_DEFAULT, &zlocal));
    PetscCall(MatDestroy(&U));
  }
  PetscCall(MatDenseGetArray(*Z, &z));
  if (!dense) {
    PetscCall(MatGetOwnershipRange(X, &first, &last));
    for (PetscInt i = first; i < last; i++) {
      const PetscInt    *c;
      const PetscScalar *a;
      PetscInt           nz;

      PetscCall(MatGetRow(X, i, &nz, &c, &a));
      for (PetscInt j = 0; j < k; j++) {
        PetscScalar sum = 0.0;

        for (PetscInt l = 0; l < nz; l++) sum += a[l] * u[c[l] + j * d];
        z[i - first + j * ld] = sum;
      }
      PetscCall(MatRestoreRow(X, i, &nz, &c, &a));
    }
  }
  for (PetscInt j = 0; j < k; j++)
    for (PetscInt i = 0; i < n; i++) z[i + j * ld] -= shift[j];
  PetscCall(MatDenseRestoreArray(*Z, &z));
  PetscCall(MatAssemblyBegin(*Z, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*Z, MAT_FINAL_ASSEMBLY));
  PetscCall(PetscFree4(u, mean, scale, shift));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCATransform - Computes scores, the canonical variables of samples: those the directions were found from, or others.

   Collective

   Input Parameters:
+  cca - the object
.  X   - samples with the columns of the first data set, or NULL for that one itself
-  Y   - samples with the columns of the second data set, or NULL for that one itself

   Output Parameters:
+  SX - dense, a row for each sample of X and a column for each canonical pair; NULL if not wanted
-  SY - the same for Y; NULL if not wanted

   Level: beginner

   Note:
   The means and scales of the data that were analysed are used (if the object centers and scales), as they must be for samples
   that were not among them. The caller destroys the results.

.seealso: CCASolve(), CCAGetDirections()
@*/
PetscErrorCode CCATransform(CCA cca, Mat X, Mat Y, Mat *SX, Mat *SY)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  if (X) PetscValidHeaderSpecific(X, MAT_CLASSID, 2);
  if (Y) PetscValidHeaderSpecific(Y, MAT_CLASSID, 3);
  PetscCall(CCAGetDirections(cca, NULL, NULL)); /* are there any? */
  if (SX) PetscCall(Scores(cca, 0, X ? X : cca->X, SX));
  if (SY) PetscCall(Scores(cca, 1, Y ? Y : cca->Y, SY));
  PetscFunctionReturn(PETSC_SUCCESS);
}
