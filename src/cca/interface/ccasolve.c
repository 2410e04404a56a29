/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA: the solution, and what can be asked afterwards. A type finds directions; ccaritz.c makes canonical pairs of them.
*/
#include <slepcnapi/private/ccaimpl.h>
#include <slepcnapi/private/gramimpl.h>

/*E
   CCAConvergedReason - Why CCASolve() has stopped

   Values:
+  CCA_CONVERGED_TOL         - all wanted pairs have a residual below the tolerance
.  CCA_CONVERGED_RANK        - there are fewer pairs than wanted, because the data are of lower rank; all there are were found
.  CCA_CONVERGED_ITERATING   - not solved yet
.  CCA_DIVERGED_ITS          - the largest number of iterations was reached before
.  CCA_DIVERGED_BREAKDOWN    - numerical trouble, told by -info
.  CCA_DIVERGED_ACCURACY     - the method ended, but the true residuals are not below the tolerance
-  CCA_DIVERGED_USER         - CCAStop() was called before all were found; there are those that had converged, and no others

   Level: beginner
E*/
static const char *const reasons[]           = {"DIVERGED_USER", "DIVERGED_ACCURACY", "DIVERGED_BREAKDOWN", "DIVERGED_ITS", "CONVERGED_ITERATING", "CONVERGED_TOL", "CONVERGED_RANK", "CCAConvergedReason", "CCA_", NULL};
const char *const       *CCAConvergedReasons = reasons + 4;

/* u and -u, v and -v together are the same pair: take the one with sum u_i^3 > 0, on any number of ranks */
PetscErrorCode CCAFixSigns_Private(CCA cca)
{
  PetscInt           m, ld;
  PetscReal         *sum;
  PetscMPIInt        count;
  const PetscScalar *u;
  Vec                v;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(cca->ncols, &sum));
  PetscCall(MatGetLocalSize(cca->U, &m, NULL));
  PetscCall(MatDenseGetLDA(cca->U, &ld));
  PetscCall(MatDenseGetArrayRead(cca->U, &u));
  for (PetscInt j = 0; j < cca->ncols; j++)
    for (PetscInt i = 0; i < m; i++) sum[j] += PetscPowRealInt(PetscRealPart(u[i + j * ld]), 3);
  PetscCall(MatDenseRestoreArrayRead(cca->U, &u));
  PetscCall(PetscMPIIntCast(cca->ncols, &count));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, count, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)cca)));
  for (PetscInt j = 0; j < cca->ncols; j++) {
    if (sum[j] >= 0.0) continue;
    for (int i = 0; i < (cca->V ? 2 : 1); i++) {
      PetscCall(MatDenseGetColumnVec(i ? cca->V : cca->U, j, &v));
      PetscCall(VecScale(v, -1.0));
      PetscCall(MatDenseRestoreColumnVec(i ? cca->V : cca->U, j, &v));
    }
  }
  PetscCall(PetscFree(sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Between the coordinates of the user's columns and those of columns, or a view, of unit variance, where the latter are our choice:
   x'u = (x'diag(s))(diag(1/s) u). back: W := diag(s) W, else W := diag(1/s) W.
*/
static PetscErrorCode CCASolve_ChangeUnits(CCA cca, PetscInt view, PetscBool back, Mat W)
{
  PetscInt     first, last;
  PetscReal   *s;
  PetscScalar *f;
  Vec          factor;

  PetscFunctionBegin;
  if (cca->scale || (!cca->unit[view] && cca->factor[view] == 1.0)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(cca->d[view], &s));
  PetscCall(MatGramGetFactors_Private(cca->B, view, s));
  PetscCall(MatCreateVecs(W, NULL, &factor));
  PetscCall(VecGetOwnershipRange(factor, &first, &last));
  PetscCall(VecGetArrayWrite(factor, &f));
  for (PetscInt i = first; i < last; i++) f[i - first] = back ? s[i] : s[i] > 0.0 ? 1.0 / s[i] : 0.0;
  PetscCall(VecRestoreArrayWrite(factor, &f));
  PetscCall(MatDiagonalScale(W, factor, NULL));
  PetscCall(VecDestroy(&factor));
  PetscCall(PetscFree(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The user's initial directions, for the type */
static PetscErrorCode CCASolve_SetUpInitialDirections(CCA cca)
{
  PetscInt m, rows;

  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) {
    PetscCall(MatDestroy(&cca->begin[i]));
    if (!cca->start[i]) continue;
    PetscCall(MatGetLocalSize(cca->start[i], &m, NULL));
    PetscCall(MatGetLocalSize(i ? cca->Y : cca->X, NULL, &rows));
    PetscCheck(m == rows, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "The initial directions of view %d have %" PetscInt_FMT " local rows, the view has %" PetscInt_FMT " local columns", i + 1, m, rows);
    PetscCall(MatDuplicate(cca->start[i], MAT_COPY_VALUES, &cca->begin[i]));
    PetscCall(CCASolve_ChangeUnits(cca, i, PETSC_FALSE, cca->begin[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The results, from the bases the type has found */
static PetscErrorCode CCASolve_Finish(CCA cca)
{
  CCARitz         z;
  NAPIBasisStatus status;
  Mat             M;

  PetscFunctionBegin;
  PetscCall(CCARayleighRitz_Private(cca, cca->basis, &z, &status));
  PetscCall(BVDestroy(&cca->basis[0]));
  PetscCall(BVDestroy(&cca->basis[1]));
  if (status) {
    PetscCall(PetscInfo(cca, "The solution found is none: %s\n", NAPIBasisStatuses[status]));
    cca->reason = CCA_DIVERGED_BREAKDOWN;
  } else {
    cca->ncols = PetscMin(cca->k, z.n);
    for (PetscInt j = 0; j < cca->ncols && cca->reason == CCA_DIVERGED_USER; j++)
      if (!(z.error[j] <= cca->tol)) cca->ncols = j;
    if (cca->check == CCA_CHECK_CERTIFY) {
      PetscCall(PetscMalloc1(cca->ncols, &cca->bound));
      PetscCall(CCACertify_Private(cca, &z, cca->ncols, cca->bound));
    }
    PetscCall(PetscMalloc3(cca->ncols, &cca->rho, cca->ncols, &cca->error, cca->ncols, &cca->pearson));
    PetscCall(CCAPearson_Private(cca, &z, cca->ncols, cca->pearson));
    for (int i = 0; i < 2 && cca->ncols; i++) {
      PetscCall(BVSetActiveColumns(z.W[i], 0, cca->ncols));
      PetscCall(BVGetMat(z.W[i], &M));
      PetscCall(MatDuplicate(M, MAT_COPY_VALUES, i ? &cca->V : &cca->U));
      PetscCall(BVRestoreMat(z.W[i], &M));
    }
    for (PetscInt j = 0; j < cca->ncols; j++) {
      cca->rho[j]   = PetscMin(1.0, z.sigma[j]); /* rounding must not make it larger */
      cca->error[j] = z.error[j];
    }
    while (cca->nconv < cca->ncols && cca->error[cca->nconv] <= cca->tol) cca->nconv++;
    if (cca->ncols) {
      PetscCall(CCAFixSigns_Private(cca)); /* before, so that signs do not depend on units either */
      PetscCall(CCASolve_ChangeUnits(cca, 0, PETSC_TRUE, cca->U));
      PetscCall(CCASolve_ChangeUnits(cca, 1, PETSC_TRUE, cca->V));
    }
    if (cca->reason > 0 && cca->nconv < cca->ncols) {
      PetscCall(PetscInfo(cca, "The method has ended, but the residual of pair %" PetscInt_FMT " is %g\n", cca->nconv + 1, (double)cca->error[cca->nconv]));
      cca->reason = CCA_DIVERGED_ACCURACY;
    } else if (cca->reason > 0) cca->reason = cca->ncols < cca->k ? CCA_CONVERGED_RANK : CCA_CONVERGED_TOL;
    if (cca->analysis == CCA_ANALYSIS_PLS) PetscCall(CCAFinishPLS_Private(cca));
    if (cca->analysis == CCA_ANALYSIS_LDA) PetscCall(CCAFinishLDA_Private(cca));
  }
  PetscCall(CCARitzDestroy_Private(&z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the solution has cost so far; S11 and S22 see half of the data each */
PetscErrorCode CCAGetCost_Private(CCA cca, PetscReal *a, PetscReal *b, PetscReal *passes)
{
  const Mat       mats[]   = {cca->A, cca->B, cca->S[0], cca->S[1]};
  const PetscReal weight[] = {1.0, 1.0, 0.5, 0.5};
  PetscReal       columns, sweeps, cost[] = {0.0, 0.0, 0.0};

  PetscFunctionBegin;
  for (int i = 0; i < 4; i++) {
    if (!mats[i]) continue; /* principal components and ratios of variances have no pair */
    PetscCall(MatGramGetColumnPasses(mats[i], &columns));
    PetscCall(MatGramGetPasses(mats[i], &sweeps));
    cost[i ? 1 : 0] += weight[i] * columns;
    cost[2] += weight[i] * sweeps;
  }
  if (a) *a = cost[0] - cca->before[0];
  if (b) *b = cost[1] - cca->before[1];
  if (passes) *passes = cost[2] - cca->before[2];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCASolve - Finds the canonical correlations and directions.

   Collective

   Input Parameter:
.  cca - the object

   Options Database Keys:
+  -cca_view             - describes the object afterwards
-  -cca_converged_reason - says why the solution ended

   Level: beginner

   Note:
   Whatever the method, correlations and directions come from a final Rayleigh-Ritz step with fresh products, and a pair
   counts as converged only if its residual computed from these is small enough.

.seealso: CCACreate(), CCAGetConverged(), CCAGetCorrelation(), CCAGetDirections(), CCATransform()
@*/
PetscErrorCode CCASolve(CCA cca)
{
  PetscBool flg;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscCall(CCASetUp(cca));
  PetscCall(PetscLogEventBegin(CCA_Solve, cca, 0, 0, 0));
  PetscCall(CCAResetResults_Private(cca));
  cca->largest[0] = cca->largest[1] = 0.0;
  cca->draws                        = 0;
  if (!cca->cv.inside) cca->stop = PETSC_FALSE; /* else it is the cross-validation that may have to end */
  PetscCall(PetscArrayzero(cca->before, 3));
  PetscCall(CCAGetCost_Private(cca, &cca->before[0], &cca->before[1], &cca->before[2]));
  if (CCAIsSpectral(cca)) PetscCall(CCASolveSpectral_Private(cca));
  else {
    PetscCall(CCASolve_SetUpInitialDirections(cca));
    PetscCall((*cca->ops->solve)(cca));
  }
  cca->startset = PETSC_FALSE;
  for (int i = 0; i < 2; i++) PetscCall(MatDestroy(&cca->begin[i]));
  PetscCheck(cca->reason, PetscObjectComm((PetscObject)cca), PETSC_ERR_PLIB, "The method gave no reason why it has ended");
  if (cca->basis[0]) PetscCall(CCASolve_Finish(cca));
  PetscCall(PetscLogEventEnd(CCA_Solve, cca, 0, 0, 0));
  if (cca->quiet || cca->cv.inside) PetscFunctionReturn(PETSC_SUCCESS); /* one of many, which nobody wants to see */
  PetscCall(CCAViewFromOptions(cca, NULL, "-cca_view"));
  PetscCall(PetscOptionsHasName(((PetscObject)cca)->options, ((PetscObject)cca)->prefix, "-cca_converged_reason", &flg));
  if (flg) PetscCall(PetscPrintf(PetscObjectComm((PetscObject)cca), "Canonical correlations: %s, %" PetscInt_FMT " pairs in %" PetscInt_FMT " iterations\n", CCAConvergedReasons[cca->reason], cca->nconv, cca->its));
  PetscFunctionReturn(PETSC_SUCCESS);
}

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

PetscErrorCode CCACheckIndex_Private(CCA cca, PetscInt i)
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
.  rho - the correlation with the regularisation in it, between 0 and 1; they do not increase

   Level: beginner

   Notes:
   Those from CCAGetConverged() on, if any, have not converged.

   This is the number that the pairs make as large as they can, u'S12 v with u'S11 u = v'S22 v = 1. The scores X u and Y v have the
   correlation CCAGetPearson().

.seealso: CCASolve(), CCAGetPearson(), CCAGetDirections(), CCAComputeError()
@*/
PetscErrorCode CCAGetCorrelation(CCA cca, PetscInt i, PetscReal *rho)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscAssertPointer(rho, 3);
  PetscCheck(cca->analysis == CCA_ANALYSIS_CCA || cca->analysis == CCA_ANALYSIS_LDA, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_WRONGSTATE, "The analysis %s has no canonical correlations: CCAGetValue() has what it has instead", CCAAnalyses[cca->analysis]);
  PetscCall(CCACheckIndex_Private(cca, i));
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
  PetscCall(CCACheckIndex_Private(cca, i));
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
   number of modulus one; here the sum of u_i^3 is not negative (real part). Other analyses normalise otherwise, see CCASetAnalysis(); V is NULL for
   principal components.

.seealso: CCASolve(), CCATransform(), CCASetInitialDirections()
@*/
PetscErrorCode CCAGetDirections(CCA cca, Mat *U, Mat *V)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  CCACheckSolved(cca);
  PetscCheck(cca->ncols, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_WRONGSTATE, "No direction was found: the reason is %s", CCAConvergedReasons[cca->reason]);
  if (U) *U = cca->U;
  if (V) *V = cca->analysis == CCA_ANALYSIS_GEV ? cca->U : cca->V;
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
