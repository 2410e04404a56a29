/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA: the life of the object. Create, set, read options, set up, view, destroy.
   ccasolve.c has the solution, ccaresult.c what can be asked afterwards.
*/
#include <slepcnapi/private/ccaimpl.h>

PetscClassId  CCA_CLASSID = 0;
PetscLogEvent CCA_SetUp, CCA_Solve, CCA_Inner, CCA_Ortho, CCA_Ritz;

static PetscFunctionList CCAList    = NULL;
static PetscBool         registered = PETSC_FALSE;

static const char *const reasons[]           = {"DIVERGED_ACCURACY", "DIVERGED_BREAKDOWN", "DIVERGED_ITS", "CONVERGED_ITERATING", "CONVERGED_TOL", "CONVERGED_RANK", "CCAConvergedReason", "CCA_", NULL};
const char *const       *CCAConvergedReasons = reasons + 3;

/* ------------------------------------------------- the class ------------------------------------------------- */

static PetscErrorCode CCAFinalizePackage(void)
{
  PetscFunctionBegin;
  PetscCall(PetscFunctionListDestroy(&CCAList));
  registered = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Called when the library is registered */
PetscErrorCode CCARegisterAll_Private(void)
{
  PetscFunctionBegin;
  if (registered) PetscFunctionReturn(PETSC_SUCCESS);
  registered = PETSC_TRUE;
  PetscCall(PetscClassIdRegister("Canonical correlation", &CCA_CLASSID));
  PetscCall(PetscLogEventRegister("CCASetUp", CCA_CLASSID, &CCA_SetUp));
  PetscCall(PetscLogEventRegister("CCASolve", CCA_CLASSID, &CCA_Solve));
  PetscCall(PetscLogEventRegister("CCAInner", CCA_CLASSID, &CCA_Inner));
  PetscCall(PetscLogEventRegister("CCAOrtho", CCA_CLASSID, &CCA_Ortho));
  PetscCall(PetscLogEventRegister("CCARitz", CCA_CLASSID, &CCA_Ritz));
  PetscCall(CCARegister(CCADIRECT, CCACreate_Direct));
  PetscCall(CCARegister(CCAEPS, CCACreate_EPS));
  PetscCall(CCARegister(CCANAPI, CCACreate_NAPI));
  PetscCall(CCARegister(CCAAPPGRAD, CCACreate_AppGrad));
  PetscCall(CCARegister(CCAALS, CCACreate_ALS));
  PetscCall(CCARegister(CCASI, CCACreate_SI));
  PetscCall(CCARegister(CCALAZY, CCACreate_Lazy));
  PetscCall(PetscRegisterFinalize(CCAFinalizePackage));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
   CCARegister - Adds a method for canonical correlation analysis.

   Not Collective

   Input Parameters:
+  name   - the name of the type, for CCASetType() and -cca_type
-  create - the function that fills in the type's operations

   Level: advanced

   Note:
   See include/slepcnapi/private/ccaimpl.h for what a type has to provide.

.seealso: CCASetType(), CCAType
@*/
PetscErrorCode CCARegister(const char name[], PetscErrorCode (*create)(CCA))
{
  PetscFunctionBegin;
  PetscCall(SlepcNAPIInitialize());
  PetscCall(PetscFunctionListAdd(&CCAList, name, create));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCACreate - Creates an object for canonical correlation analysis.

   Collective

   Input Parameter:
.  comm - the processes that share the data

   Output Parameter:
.  newcca - the object

   Options Database Keys:
+  -cca_type <type>           - the method, see CCAType; chosen by the size of the data if not given
.  -cca_k <k>                 - number of pairs
.  -cca_ridge <r> or <r1,r2>  - the regularisation
.  -cca_center, -cca_scale    - take off the mean of every column, divide by its standard deviation
.  -cca_tol <t>, -cca_max_it <n> - when to stop
.  -cca_check <none,quick,certify> - what is checked besides the residuals
.  -cca_monitor               - prints a line a step
.  -cca_converged_reason      - says why the solution ended
-  -cca_view                  - describes the object after the solution

   Level: beginner

   Notes:
   The canonical pairs (u_i, v_i) of the data X and Y, samples as rows, maximise the correlation rho_i between X u_i and
   Y v_i. With S11 = X'X/n + r1 I, S22 = Y'Y/n + r2 I and S12 = X'Y/n they satisfy

.vb
     u_i'S11 u_j = delta_ij,  v_i'S22 v_j = delta_ij,  u_i'S12 v_j = rho_i delta_ij,  1 >= rho_1 >= rho_2 >= ... >= 0.
.ve

   The ridge is inside of the normalisation, so that scores are uncorrelated only if it is zero.

.seealso: CCASetData(), CCASetDimensions(), CCASetRegularization(), CCASolve(), CCADestroy()
@*/
PetscErrorCode CCACreate(MPI_Comm comm, CCA *newcca)
{
  CCA cca;

  PetscFunctionBegin;
  PetscAssertPointer(newcca, 2);
  PetscCall(SlepcNAPIInitialize());
  PetscCall(PetscHeaderCreate(cca, CCA_CLASSID, "CCA", "Canonical correlation analysis", "CCA", comm, CCADestroy, CCAView));
  cca->k        = 1;
  cca->ridge[0] = cca->ridge[1] = 1e-3;
  cca->tol                      = 1e-6;
  cca->max_it                   = NAPI_UNSET;
  cca->check                    = CCA_CHECK_QUICK;
  *newcca                       = cca;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Forgets the solution */
static PetscErrorCode ResetResults(CCA cca)
{
  PetscFunctionBegin;
  PetscCall(BVDestroy(&cca->basis[0]));
  PetscCall(BVDestroy(&cca->basis[1]));
  PetscCall(MatDestroy(&cca->U));
  PetscCall(MatDestroy(&cca->V));
  PetscCall(PetscFree2(cca->rho, cca->error));
  PetscCall(PetscFree(cca->bound));
  PetscCall(PetscFree2(cca->hpasses, cca->hobjective));
  cca->ncols = cca->nconv = cca->its = 0;
  cca->nhistory = cca->roomhistory = 0;
  cca->reason                      = CCA_CONVERGED_ITERATING;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Forgets what set-up has made: something it depends on has changed */
static PetscErrorCode ResetSetUp(CCA cca)
{
  PetscFunctionBegin;
  if (cca->ops->reset) PetscCall((*cca->ops->reset)(cca));
  PetscCall(MatDestroy(&cca->A));
  PetscCall(MatDestroy(&cca->B));
  for (int i = 0; i < 2; i++) {
    PetscCall(MatDestroy(&cca->S[i]));
    PetscCall(MatDestroy(&cca->begin[i]));
    if (cca->ksp[i]) PetscCall(KSPReset(cca->ksp[i]));
  }
  if (cca->eps) PetscCall(EPSReset(cca->eps));
  PetscCall(ResetResults(cca));
  cca->setupcalled = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAReset - Takes back everything that CCASetUp() and CCASolve() have made, and the data. Settings stay.

   Collective

   Input Parameter:
.  cca - the object

   Level: intermediate

.seealso: CCASetUp(), CCADestroy()
@*/
PetscErrorCode CCAReset(CCA cca)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscCall(ResetSetUp(cca));
  PetscCall(MatDestroy(&cca->X));
  PetscCall(MatDestroy(&cca->Y));
  PetscCall(MatDestroy(&cca->start[0]));
  PetscCall(MatDestroy(&cca->start[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCADestroy - Destroys an object made by CCACreate().

   Collective

   Input Parameter:
.  cca - the object

   Level: beginner

.seealso: CCACreate()
@*/
PetscErrorCode CCADestroy(CCA *cca)
{
  PetscFunctionBegin;
  if (!*cca) PetscFunctionReturn(PETSC_SUCCESS);
  PetscValidHeaderSpecific(*cca, CCA_CLASSID, 1);
  if (--((PetscObject)*cca)->refct > 0) {
    *cca = NULL;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(CCAReset(*cca));
  if ((*cca)->ops->destroy) PetscCall((*(*cca)->ops->destroy)(*cca));
  PetscCall(KSPDestroy(&(*cca)->ksp[0]));
  PetscCall(KSPDestroy(&(*cca)->ksp[1]));
  PetscCall(EPSDestroy(&(*cca)->eps));
  PetscCall(CCAMonitorCancel(*cca));
  PetscCall(PetscHeaderDestroy(cca));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- settings ------------------------------------------------- */

/*@C
   CCASetType - Chooses the method.

   Logically Collective

   Input Parameters:
+  cca  - the object
-  type - CCADIRECT forms the covariances, CCANAPI is for data too large for that, CCAEPS leaves it to any eigensolver;
          CCAAPPGRAD, CCAALS, CCASI and CCALAZY are methods of other authors, to compare with

   Options Database Key:
.  -cca_type <type> - sets the method

   Level: beginner

   Note:
   If no type is set, CCASetUp() chooses between CCADIRECT and CCANAPI by the size of the data.

.seealso: CCAType, CCARegister()
@*/
PetscErrorCode CCASetType(CCA cca, CCAType type)
{
  PetscErrorCode (*create)(CCA);
  PetscBool same;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscAssertPointer(type, 2);
  cca->chosen = PETSC_FALSE;
  PetscCall(PetscObjectTypeCompare((PetscObject)cca, type, &same));
  if (same) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFunctionListFind(CCAList, type, &create));
  PetscCheck(create, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_UNKNOWN_TYPE, "There is no CCA type '%s': use direct, napi, eps, appgrad, als, si or lazy, or register it by CCARegister()", type);
  PetscCall(ResetSetUp(cca));
  if (cca->ops->destroy) PetscCall((*cca->ops->destroy)(cca));
  PetscCall(KSPDestroy(&cca->ksp[0])); /* another type has other defaults for its inner solvers */
  PetscCall(KSPDestroy(&cca->ksp[1]));
  PetscCall(EPSDestroy(&cca->eps));
  PetscCall(PetscMemzero(cca->ops, sizeof(struct _CCAOps)));
  PetscCall(PetscObjectChangeTypeName((PetscObject)cca, type));
  PetscCall((*create)(cca));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
   CCAGetType - Gets the name of the method.

   Not Collective

   Input Parameter:
.  cca - the object

   Output Parameter:
.  type - its name, or NULL before it has been chosen

   Level: beginner

.seealso: CCASetType()
@*/
PetscErrorCode CCAGetType(CCA cca, CCAType *type)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscAssertPointer(type, 2);
  *type = ((PetscObject)cca)->type_name;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCASetData - Gives the two data sets.

   Collective

   Input Parameters:
+  cca - the object
.  X   - the first one, a row for each sample
-  Y   - the second one, with as many rows, row i of both being the same sample, and the same distribution of rows

   Level: beginner

   Note:
   The matrices are referenced, not copied, and not changed. They are AIJ or dense; others are converted to AIJ.

.seealso: CCAGetData(), CCASolve()
@*/
PetscErrorCode CCASetData(CCA cca, Mat X, Mat Y)
{
  PetscInt n, m;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscValidHeaderSpecific(X, MAT_CLASSID, 2);
  PetscValidHeaderSpecific(Y, MAT_CLASSID, 3);
  PetscCheckSameComm(cca, 1, X, 2);
  PetscCheckSameComm(cca, 1, Y, 3);
  PetscCall(MatGetSize(X, &n, NULL));
  PetscCall(MatGetSize(Y, &m, NULL));
  PetscCheck(n == m, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_SIZ, "X has %" PetscInt_FMT " rows and Y has %" PetscInt_FMT ": row i of both must be the same sample", n, m);
  PetscCall(PetscObjectReference((PetscObject)X));
  PetscCall(PetscObjectReference((PetscObject)Y));
  PetscCall(ResetSetUp(cca));
  PetscCall(MatDestroy(&cca->X));
  PetscCall(MatDestroy(&cca->Y));
  cca->X = X;
  cca->Y = Y;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAGetData - Gets the two data sets.

   Not Collective

   Input Parameter:
.  cca - the object

   Output Parameters:
+  X - the first one
-  Y - the second one

   Level: beginner

.seealso: CCASetData()
@*/
PetscErrorCode CCAGetData(CCA cca, Mat *X, Mat *Y)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  if (X) *X = cca->X;
  if (Y) *Y = cca->Y;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCASetRegularization - Sets the ridges, which are added to the diagonals of X'X/n and Y'Y/n.

   Logically Collective

   Input Parameters:
+  cca - the object
.  r1  - for X
-  r2  - for Y

   Options Database Key:
.  -cca_ridge <r> or <r1,r2> - sets them, both at once if one is given

   Level: beginner

   Notes:
   The default is 1e-3 for both. Zero is allowed: columns that depend on each other then make some directions not unique,
   but the correlations are.

   The ridge is a number to which variances are compared: the result depends on the units of the columns (unless they are
   scaled, see CCASetScaling()). Without ridge it does not. Therefore the columns of a view whose ridge is zero are divided by
   their standard deviations inside (their root mean squares if they are not centered), and everything is decided there: what
   is negligible, what depends on what, and when a pair has converged, for which S11, S22 and S12 of CCAComputeError() are
   those of the scaled columns. The directions are given in the user's units. Constant columns of centered data are left out.


   After another ridge CCASolve() begins from random directions again, unless CCASetInitialDirections() is called. Going from
   large ridges to small ones, each solution being the start of the next, costs less.

.seealso: CCAGetRegularization(), CCASetInitialDirections()
@*/
PetscErrorCode CCASetRegularization(CCA cca, PetscReal r1, PetscReal r2)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscValidLogicalCollectiveReal(cca, r1, 2);
  PetscValidLogicalCollectiveReal(cca, r2, 3);
  PetscCheck(r1 >= 0.0 && r2 >= 0.0 && !PetscIsInfOrNanReal(r1) && !PetscIsInfOrNanReal(r2), PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_OUTOFRANGE, "The ridges must be finite and not negative, they are %g and %g", (double)r1, (double)r2);
  if (r1 != cca->ridge[0] || r2 != cca->ridge[1]) PetscCall(ResetSetUp(cca));
  cca->ridge[0] = r1;
  cca->ridge[1] = r2;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAGetRegularization - Gets the ridges.

   Not Collective

   Input Parameter:
.  cca - the object

   Output Parameters:
+  r1 - for X
-  r2 - for Y

   Level: beginner

.seealso: CCASetRegularization()
@*/
PetscErrorCode CCAGetRegularization(CCA cca, PetscReal *r1, PetscReal *r2)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  if (r1) *r1 = cca->ridge[0];
  if (r2) *r2 = cca->ridge[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCASetDimensions - Sets how many canonical pairs are wanted.

   Logically Collective

   Input Parameters:
+  cca - the object
-  k   - the number, by default 1

   Options Database Key:
.  -cca_k <k> - sets it

   Level: beginner

.seealso: CCAGetDimensions(), CCAGetConverged()
@*/
PetscErrorCode CCASetDimensions(CCA cca, PetscInt k)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscValidLogicalCollectiveInt(cca, k, 2);
  PetscCheck(k > 0, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_OUTOFRANGE, "The number of pairs must be positive, not %" PetscInt_FMT, k);
  if (k != cca->k) PetscCall(ResetSetUp(cca));
  cca->k = k;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAGetDimensions - Gets how many canonical pairs are wanted.

   Not Collective

   Input Parameter:
.  cca - the object

   Output Parameter:
.  k - the number

   Level: beginner

.seealso: CCASetDimensions()
@*/
PetscErrorCode CCAGetDimensions(CCA cca, PetscInt *k)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscAssertPointer(k, 2);
  *k = cca->k;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCASetCentering - Chooses whether the mean of every column is taken off.

   Logically Collective

   Input Parameters:
+  cca    - the object
-  center - whether it is, by default PETSC_FALSE

   Options Database Key:
.  -cca_center - takes it off

   Level: beginner

   Note:
   Sparse data stay sparse.

.seealso: CCASetScaling(), CCAGetCentering()
@*/
PetscErrorCode CCASetCentering(CCA cca, PetscBool center)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscValidLogicalCollectiveBool(cca, center, 2);
  if (center != cca->center) PetscCall(ResetSetUp(cca));
  cca->center = center;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAGetCentering - Tells whether the mean of every column is taken off.

   Not Collective

   Input Parameter:
.  cca - the object

   Output Parameter:
.  center - whether it is

   Level: beginner

.seealso: CCASetCentering()
@*/
PetscErrorCode CCAGetCentering(CCA cca, PetscBool *center)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscAssertPointer(center, 2);
  *center = cca->center;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCASetScaling - Chooses whether every column is divided by its standard deviation (its root mean square if the columns
   are not centered), so that the ridge means the same for all.

   Logically Collective

   Input Parameters:
+  cca   - the object
-  scale - whether it is, by default PETSC_FALSE

   Options Database Key:
.  -cca_scale - does it

   Level: beginner

   Note:
   A column that is constant when the data are centered is left out. The directions are those of the scaled columns, see
   CCATransform().

.seealso: CCASetCentering(), CCAGetScaling()
@*/
PetscErrorCode CCASetScaling(CCA cca, PetscBool scale)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscValidLogicalCollectiveBool(cca, scale, 2);
  if (scale != cca->scale) PetscCall(ResetSetUp(cca));
  cca->scale = scale;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAGetScaling - Tells whether every column is divided by its standard deviation.

   Not Collective

   Input Parameter:
.  cca - the object

   Output Parameter:
.  scale - whether it is

   Level: beginner

.seealso: CCASetScaling()
@*/
PetscErrorCode CCAGetScaling(CCA cca, PetscBool *scale)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscAssertPointer(scale, 2);
  *scale = cca->scale;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCASetTolerances - Sets when to stop.

   Logically Collective

   Input Parameters:
+  cca    - the object
.  tol    - a pair has converged when its relative residual, see CCAComputeError(), is at most this; by default 1e-6
-  max_it - the largest number of iterations; PETSC_DECIDE for one that goes with the method

   Options Database Keys:
+  -cca_tol <tol>   - sets the tolerance
-  -cca_max_it <n>  - sets the number of iterations

   Level: beginner

.seealso: CCAGetTolerances(), CCAComputeError()
@*/
PetscErrorCode CCASetTolerances(CCA cca, PetscReal tol, PetscInt max_it)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscValidLogicalCollectiveReal(cca, tol, 2);
  PetscValidLogicalCollectiveInt(cca, max_it, 3);
  PetscCheck(tol > 0.0, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_OUTOFRANGE, "The tolerance must be positive, not %g", (double)tol);
  PetscCheck(max_it > 0 || max_it == PETSC_DECIDE || max_it == NAPI_UNSET, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_OUTOFRANGE, "The number of iterations must be positive, or PETSC_DECIDE, not %" PetscInt_FMT, max_it);
  cca->tol    = tol;
  cca->max_it = max_it > 0 ? max_it : NAPI_UNSET;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAGetTolerances - Gets when the solution stops.

   Not Collective

   Input Parameter:
.  cca - the object

   Output Parameters:
+  tol    - the tolerance
-  max_it - the largest number of iterations, negative if the method chooses it

   Level: beginner

.seealso: CCASetTolerances()
@*/
PetscErrorCode CCAGetTolerances(CCA cca, PetscReal *tol, PetscInt *max_it)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  if (tol) *tol = cca->tol;
  if (max_it) *max_it = cca->max_it;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCASetInitialDirections - Gives directions to begin with, such as the solution for another ridge.

   Collective

   Input Parameters:
+  cca - the object
.  U   - dense, a direction in each column, rows distributed like the columns of X; NULL for none
-  V   - the same for Y, with as many columns

   Level: intermediate

   Notes:
   They are copied, and used by every CCASolve() until other ones are set. Those of CCAGetDirections() will do.
   Methods that do not iterate ignore them.

.seealso: CCAGetDirections(), CCASetRegularization()
@*/
PetscErrorCode CCASetInitialDirections(CCA cca, Mat U, Mat V)
{
  Mat      start[2] = {NULL, NULL};
  PetscInt p, q;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscCheck(!U == !V, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_WRONG, "Directions are needed in both views, or in none");
  if (U) {
    PetscCall(MatGetSize(U, NULL, &p));
    PetscCall(MatGetSize(V, NULL, &q));
    PetscCheck(p == q, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_SIZ, "There are %" PetscInt_FMT " directions in the first view and %" PetscInt_FMT " in the second: there must be as many", p, q);
    PetscCall(MatDuplicate(U, MAT_COPY_VALUES, &start[0]));
    PetscCall(MatDuplicate(V, MAT_COPY_VALUES, &start[1]));
  }
  for (int i = 0; i < 2; i++) {
    PetscCall(MatDestroy(&cca->start[i]));
    cca->start[i] = start[i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCASetHistory - Chooses whether the course of the solution is recorded.

   Logically Collective

   Input Parameters:
+  cca  - the object
-  flag - whether it is, by default PETSC_FALSE

   Level: advanced

.seealso: CCAGetHistory()
@*/
PetscErrorCode CCASetHistory(CCA cca, PetscBool flag)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscValidLogicalCollectiveBool(cca, flag, 2);
  cca->wanthistory = flag;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCASetOptionsPrefix - Sets what the names of all options of this object begin with.

   Logically Collective

   Input Parameters:
+  cca    - the object
-  prefix - the beginning, without the hyphen

   Level: advanced

.seealso: CCAAppendOptionsPrefix(), CCAGetOptionsPrefix()
@*/
PetscErrorCode CCASetOptionsPrefix(CCA cca, const char prefix[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscCall(PetscObjectSetOptionsPrefix((PetscObject)cca, prefix));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAAppendOptionsPrefix - Adds to what the names of all options of this object begin with.

   Logically Collective

   Input Parameters:
+  cca    - the object
-  prefix - what is added

   Level: advanced

.seealso: CCASetOptionsPrefix()
@*/
PetscErrorCode CCAAppendOptionsPrefix(CCA cca, const char prefix[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscCall(PetscObjectAppendOptionsPrefix((PetscObject)cca, prefix));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
   CCAGetOptionsPrefix - Gets what the names of all options of this object begin with.

   Not Collective

   Input Parameter:
.  cca - the object

   Output Parameter:
.  prefix - the beginning

   Level: advanced

.seealso: CCASetOptionsPrefix()
@*/
PetscErrorCode CCAGetOptionsPrefix(CCA cca, const char *prefix[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscCall(PetscObjectGetOptionsPrefix((PetscObject)cca, prefix));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCASetFromOptions - Takes settings from the options database.

   Collective

   Input Parameter:
.  cca - the object

   Level: beginner

.seealso: CCACreate(), CCASetOptionsPrefix()
@*/
PetscErrorCode CCASetFromOptions(CCA cca)
{
  char      type[256];
  PetscBool set, flag;
  PetscReal ridge[2] = {cca->ridge[0], cca->ridge[1]}, tol = cca->tol;
  PetscInt  n = 2, k = cca->k, max_it = cca->max_it;
  CCACheck  check = cca->check;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscObjectOptionsBegin((PetscObject)cca);
  PetscCall(PetscOptionsFList("-cca_type", "Method", "CCASetType", CCAList, ((PetscObject)cca)->type_name ? ((PetscObject)cca)->type_name : "by the size of the data", type, sizeof(type), &set));
  if (set) PetscCall(CCASetType(cca, type));
  PetscCall(PetscOptionsInt("-cca_k", "Number of pairs", "CCASetDimensions", k, &k, &set));
  if (set) PetscCall(CCASetDimensions(cca, k));
  PetscCall(PetscOptionsRealArray("-cca_ridge", "Regularisation, of both views or of each", "CCASetRegularization", ridge, &n, &set));
  if (set) PetscCall(CCASetRegularization(cca, ridge[0], n > 1 ? ridge[1] : ridge[0]));
  PetscCall(PetscOptionsBool("-cca_center", "Take off the mean of every column", "CCASetCentering", cca->center, &flag, &set));
  if (set) PetscCall(CCASetCentering(cca, flag));
  PetscCall(PetscOptionsBool("-cca_scale", "Divide every column by its standard deviation", "CCASetScaling", cca->scale, &flag, &set));
  if (set) PetscCall(CCASetScaling(cca, flag));
  PetscCall(PetscOptionsReal("-cca_tol", "Relative residual at which a pair has converged", "CCASetTolerances", tol, &tol, &set));
  if (set) PetscCall(CCASetTolerances(cca, tol, cca->max_it));
  PetscCall(PetscOptionsInt("-cca_max_it", "Largest number of iterations", "CCASetTolerances", max_it, &max_it, &set));
  if (set) PetscCall(CCASetTolerances(cca, cca->tol, max_it));
  PetscCall(PetscOptionsEnum("-cca_check", "What is checked besides the residuals", "CCASetCheck", CCAChecks, (PetscEnum)cca->check, (PetscEnum *)&check, &set));
  if (set) PetscCall(CCASetCheck(cca, check));
  PetscCall(PetscOptionsBool("-cca_history", "Record the course of the solution", "CCASetHistory", cca->wanthistory, &flag, &set));
  if (set) PetscCall(CCASetHistory(cca, flag));
  PetscCall(PetscOptionsName("-cca_monitor", "Print a line a step", "CCAMonitorSet", &set));
  if (set) PetscCall(CCAMonitorSet(cca, CCAMonitorDefault, NULL, NULL));
  PetscCall(PetscOptionsName("-cca_view", "Describe the object after the solution", "CCAView", &set));
  PetscCall(PetscOptionsName("-cca_converged_reason", "Say why the solution ended", "CCASolve", &set));
  if (cca->ops->setfromoptions) PetscCall((*cca->ops->setfromoptions)(cca, PetscOptionsObject));
  PetscCall(PetscObjectProcessOptionsHandlers((PetscObject)cca, PetscOptionsObject));
  PetscOptionsEnd();
  cca->optionsread = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- set-up ------------------------------------------------- */

/*
   A sum over all entries is finite only if they are; with no entry missed, and at the price of reading the data once. Columns
   that will be scaled are looked at by CheckScales(), where their squares may be anything.
*/
static PetscErrorCode CheckFinite(CCA cca, Mat M, PetscBool unit, const char *name)
{
  PetscReal norm;

  PetscFunctionBegin;
  if (unit) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatNorm(M, NORM_FROBENIUS, &norm));
  PetscCheck(!PetscIsInfOrNanReal(norm), PetscObjectComm((PetscObject)cca), PETSC_ERR_FP, "%s has an entry that is not a finite number (or so large that its square is not): remove such samples or fill the gaps first", name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Columns that are divided by their deviation may be of any size, as long as that and its inverse are numbers with all their
   digits; the mean, of a column that is centered, must not drown them.
*/
static PetscErrorCode CheckScales(CCA cca, PetscInt view, const char *name)
{
  const PetscReal range = PetscPowReal(PETSC_MAX_REAL, 0.94); /* 1e290 */
  PetscReal      *s;
  PetscScalar    *m;
  PetscBool       finite = PETSC_TRUE, inrange = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(cca->d[view], &s, cca->d[view], &m));
  PetscCall(MatGramGetScales(cca->B, view, s));
  PetscCall(MatGramGetMeans(cca->B, view, m));
  for (PetscInt j = 0; j < cca->d[view]; j++) {
    if (PetscIsInfOrNanReal(PetscAbsScalar(m[j]))) finite = PETSC_FALSE;
    if (PetscIsInfOrNanReal(s[j]) || s[j] > range || (s[j] > 0.0 && s[j] < 1.0 / range)) inrange = PETSC_FALSE;
  }
  PetscCall(PetscFree2(s, m));
  PetscCheck(finite, PetscObjectComm((PetscObject)cca), PETSC_ERR_FP, "%s has an entry that is not a finite number: remove such samples or fill the gaps first", name);
  PetscCheck(inrange, PetscObjectComm((PetscObject)cca), PETSC_ERR_FP, "%s has a column that is so large or so small that its deviation, or one over it, is no number any more: use other units", name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCASetUp - Prepares the solution. Called by CCASolve() if it has not been before.

   Collective

   Input Parameter:
.  cca - the object

   Level: intermediate

.seealso: CCASolve()
@*/
PetscErrorCode CCASetUp(CCA cca)
{
  MPI_Comm comm;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  if (cca->setupcalled) PetscFunctionReturn(PETSC_SUCCESS);
  comm = PetscObjectComm((PetscObject)cca);
  PetscCheck(cca->X && cca->Y, comm, PETSC_ERR_ORDER, "There are no data yet: call CCASetData() first");
  PetscCall(PetscLogEventBegin(CCA_SetUp, cca, 0, 0, 0));
  PetscCall(MatGetSize(cca->X, &cca->n, &cca->d[0]));
  PetscCall(MatGetSize(cca->Y, NULL, &cca->d[1]));
  PetscCheck(cca->n > 0 && cca->d[0] > 0 && cca->d[1] > 0, comm, PETSC_ERR_ARG_SIZ, "There is nothing to correlate: X is %" PetscInt_FMT " by %" PetscInt_FMT " and Y %" PetscInt_FMT " by %" PetscInt_FMT, cca->n, cca->d[0], cca->n, cca->d[1]);
  PetscCheck(cca->k <= PetscMin(cca->d[0], cca->d[1]), comm, PETSC_ERR_ARG_OUTOFRANGE, "%" PetscInt_FMT " pairs are wanted, but with %" PetscInt_FMT " and %" PetscInt_FMT " columns there are only %" PetscInt_FMT ": ask for at most that many", cca->k,
             cca->d[0], cca->d[1], PetscMin(cca->d[0], cca->d[1]));
  for (int i = 0; i < 2; i++) {
    cca->unit[i] = (PetscBool)(cca->scale || cca->ridge[i] == 0.0);
    PetscCall(CheckFinite(cca, i ? cca->Y : cca->X, cca->unit[i], i ? "Y" : "X"));
  }
  if (!((PetscObject)cca)->type_name || cca->chosen) {
    PetscCall(CCAChooseType_Private(cca));
    if (cca->optionsread && cca->ops->setfromoptions) PetscCall(CCASetFromOptions(cca)); /* it could not see them before */
  }
  PetscCall(MatCreateCCAPair(cca->X, cca->Y, cca->ridge[0], cca->ridge[1], cca->center, &cca->A, &cca->B));
  for (int i = 0; i < 2; i++) {
    PetscCall(MatGramSetViewScaling(cca->A, i, cca->unit[i]));
    PetscCall(MatGramSetViewScaling(cca->B, i, cca->unit[i]));
    if (cca->unit[i]) PetscCall(CheckScales(cca, i, i ? "Y" : "X"));
  }
  for (int i = 0; i < 2; i++) PetscCall(MatGramCreateView(cca->B, i, &cca->S[i]));
  for (int i = 0; i < 2; i++)
    if (cca->ksp[i]) PetscCall(KSPSetOperators(cca->ksp[i], cca->S[i], cca->S[i]));
  if (cca->ops->setup) PetscCall((*cca->ops->setup)(cca));
  cca->setupcalled = PETSC_TRUE;
  PetscCall(PetscLogEventEnd(CCA_SetUp, cca, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAGetKSP - Gets the solvers that a method uses for systems with S11 and S22, if it does.

   Collective

   Input Parameter:
.  cca - the object

   Output Parameters:
+  kspx - for S11 = X'X/n + r1 I, or NULL if not wanted
-  kspy - for S22 = Y'Y/n + r2 I, or NULL if not wanted

   Level: intermediate

   Note:
   Both have the prefix cca_, so that -cca_ksp_type and -cca_pc_type are for both.

   With CCASI and CCALAZY kspx is for [l S11, -S12; -S12', l S22], and kspy is not used.

.seealso: CCAGetEPS()
@*/
PetscErrorCode CCAGetKSP(CCA cca, KSP *kspx, KSP *kspy)
{
  const char *prefix;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  for (int i = 0; i < 2; i++) {
    if (cca->ksp[i]) continue;
    PetscCall(KSPCreate(PetscObjectComm((PetscObject)cca), &cca->ksp[i]));
    PetscCall(PetscObjectIncrementTabLevel((PetscObject)cca->ksp[i], (PetscObject)cca, 1));
    PetscCall(CCAGetOptionsPrefix(cca, &prefix));
    PetscCall(KSPSetOptionsPrefix(cca->ksp[i], prefix));
    PetscCall(KSPAppendOptionsPrefix(cca->ksp[i], "cca_"));
    if (cca->S[i]) PetscCall(KSPSetOperators(cca->ksp[i], cca->S[i], cca->S[i]));
  }
  if (kspx) *kspx = cca->ksp[0];
  if (kspy) *kspy = cca->ksp[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAGetEPS - Gets the eigensolver that CCAEPS uses.

   Collective

   Input Parameter:
.  cca - the object

   Output Parameter:
.  eps - the eigensolver, with the prefix cca_

   Level: intermediate

.seealso: CCAGetKSP()
@*/
PetscErrorCode CCAGetEPS(CCA cca, EPS *eps)
{
  const char *prefix;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscAssertPointer(eps, 2);
  if (!cca->eps) {
    PetscCall(EPSCreate(PetscObjectComm((PetscObject)cca), &cca->eps));
    PetscCall(PetscObjectIncrementTabLevel((PetscObject)cca->eps, (PetscObject)cca, 1));
    PetscCall(CCAGetOptionsPrefix(cca, &prefix));
    PetscCall(EPSSetOptionsPrefix(cca->eps, prefix));
    PetscCall(EPSAppendOptionsPrefix(cca->eps, "cca_"));
  }
  *eps = cca->eps;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- view ------------------------------------------------- */

/*@
   CCAView - Describes the object.

   Collective

   Input Parameters:
+  cca    - the object
-  viewer - where to, or NULL for the standard output

   Options Database Key:
.  -cca_view - describes it after the solution

   Level: beginner

.seealso: CCACreate(), CCASolve()
@*/
PetscErrorCode CCAView(CCA cca, PetscViewer viewer)
{
  PetscBool ascii;
  PetscReal a, b, passes;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  if (!viewer) PetscCall(PetscViewerASCIIGetStdout(PetscObjectComm((PetscObject)cca), &viewer));
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectPrintClassNamePrefixType((PetscObject)cca, viewer));
  PetscCall(PetscViewerASCIIPushTab(viewer));
  if (cca->chosen && cca->why[0]) PetscCall(PetscViewerASCIIPrintf(viewer, "type chosen by size: %s\n", cca->why));
  if (cca->X) {
    PetscInt n, d1, d2;

    PetscCall(MatGetSize(cca->X, &n, &d1));
    PetscCall(MatGetSize(cca->Y, NULL, &d2));
    PetscCall(PetscViewerASCIIPrintf(viewer, "%" PetscInt_FMT " samples, %" PetscInt_FMT " and %" PetscInt_FMT " columns\n", n, d1, d2));
  }
  PetscCall(PetscViewerASCIIPrintf(viewer, "columns %scentered, %sscaled; ridges %g and %g\n", cca->center ? "" : "not ", cca->scale ? "" : "not ", (double)cca->ridge[0], (double)cca->ridge[1]));
  PetscCall(PetscViewerASCIIPrintf(viewer, "pairs wanted: %" PetscInt_FMT ", to a relative residual of %g\n", cca->k, (double)cca->tol));
  if (cca->start[0]) PetscCall(PetscViewerASCIIPrintf(viewer, "initial directions were given\n"));
  if (cca->ops->view) PetscCall((*cca->ops->view)(cca, viewer));
  if (cca->reason) {
    PetscCall(CCAGetCost_Private(cca, &a, &b, &passes));
    PetscCall(PetscViewerASCIIPrintf(viewer, "%s: %" PetscInt_FMT " pairs in %" PetscInt_FMT " iterations\n", CCAConvergedReasons[cca->reason], cca->nconv, cca->its));
    for (PetscInt i = 0; i < cca->ncols && cca->bound; i++) {
      if (cca->bound[i] >= PETSC_INFINITY)
        PetscCall(PetscViewerASCIIPrintf(viewer, "correlation %" PetscInt_FMT ": %.10f, no bound of its error is known%s\n", i + 1, (double)cca->rho[i], PetscMin(cca->ridge[0], cca->ridge[1]) > 0.0 ? "" : " without ridge"));
      else PetscCall(PetscViewerASCIIPrintf(viewer, "correlation %" PetscInt_FMT ": %.10f, wrong by at most %.3g\n", i + 1, (double)cca->rho[i], (double)cca->bound[i]));
    }
    PetscCall(PetscViewerASCIIPrintf(viewer, "columns through both views: %g by A, %g by B; passes over the data: %g\n", (double)a, (double)b, (double)passes));
  }
  if (cca->ksp[0]) PetscCall(KSPView(cca->ksp[0], viewer));
  if (cca->eps) PetscCall(EPSView(cca->eps, viewer));
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAViewFromOptions - Describes the object if an option asks for it.

   Collective

   Input Parameters:
+  cca  - the object
.  obj  - another object that gives the prefix of the option, or NULL
-  name - the option

   Level: intermediate

.seealso: CCAView()
@*/
PetscErrorCode CCAViewFromOptions(CCA cca, PetscObject obj, const char name[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscCall(PetscObjectViewFromOptions((PetscObject)cca, obj, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}
