/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA: create, choose the type, reset, destroy; and the solvers that a type uses.
*/
#include <slepcnapi/private/ccaimpl.h>

/*S
   CCA - PETSc-style object that finds what two data sets share: regularised canonical correlation analysis

   Level: beginner

.seealso: CCACreate(), CCASetData(), CCASolve()
S*/

/*J
   CCAType - Name of a method for canonical correlation analysis

   Level: beginner

.seealso: CCASetType(), CCA
J*/

PetscFunctionList CCAList = NULL;

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
.  -cca_analysis <cca>        - or pls, pca, gev: what is looked for, see CCASetAnalysis()
.  -cca_shrinkage <s> or <s1,s2>, -cca_ridge <r> or <r1,r2> - the regularisation, without units or in those of the data
.  -cca_center <true>, -cca_scale - take off the mean of every column, divide by its standard deviation
.  -cca_tol <t>, -cca_max_it <n> - when to stop
.  -cca_check <none,quick,certify> - what is checked besides the residuals
.  -cca_history               - records the course of the solution
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

   The ridge is inside of the normalisation, so that scores are uncorrelated only if it is zero, and their correlation,
   CCAGetPearson(), is larger than rho_i.

.seealso: CCASetData(), CCASetDimensions(), CCASetShrinkage(), CCASetRegularization(), CCASolve(), CCADestroy()
@*/
PetscErrorCode CCACreate(MPI_Comm comm, CCA *newcca)
{
  CCA cca;

  PetscFunctionBegin;
  PetscAssertPointer(newcca, 2);
  PetscCall(SlepcNAPIInitialize());
  PetscCall(PetscHeaderCreate(cca, CCA_CLASSID, "CCA", "Canonical correlation analysis", "CCA", comm, CCADestroy, CCAView));
  cca->k            = 1;
  cca->shrunk       = PETSC_TRUE;
  cca->shrinkage[0] = cca->shrinkage[1] = 1e-3;
  cca->center                           = PETSC_TRUE;
  cca->tol                              = 1e-6;
  cca->max_it                           = NAPI_UNSET;
  cca->check                            = CCA_CHECK_QUICK;
  cca->cv.wanted                        = 5;
  cca->cv.tol                           = 1e-4;
  *newcca                               = cca;
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
  PetscCall(CCAResetSetUp_Private(cca));
  if (cca->ops->destroy) PetscCall((*cca->ops->destroy)(cca));
  PetscCall(KSPDestroy(&cca->ksp[0])); /* another type has other defaults for its inner solvers */
  PetscCall(KSPDestroy(&cca->ksp[1]));
  PetscCall(EPSDestroy(&cca->eps));
  PetscCall(PetscMemzero(cca->ops, sizeof(struct _CCAOps)));
  PetscCall(PetscMemzero(&cca->inner, sizeof(cca->inner)));
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

/* Forgets the solution */
PetscErrorCode CCAResetResults_Private(CCA cca)
{
  PetscFunctionBegin;
  PetscCall(BVDestroy(&cca->basis[0]));
  PetscCall(BVDestroy(&cca->basis[1]));
  PetscCall(MatDestroy(&cca->U));
  PetscCall(MatDestroy(&cca->V));
  PetscCall(PetscFree3(cca->rho, cca->error, cca->pearson));
  PetscCall(CCAResetBootstrap_Private(cca));
  PetscCall(PetscFree(cca->bound));
  PetscCall(PetscFree(cca->null));
  PetscCall(PetscFree(cca->allrho));
  for (int i = 0; i < 4; i++) PetscCall(MatDestroy(&cca->loading[i]));
  PetscCall(PetscFree2(cca->redundancy[0], cca->redundancy[1]));
  PetscCall(PetscFree(cca->value));
  PetscCall(PetscFree2(cca->prior, cca->classmean));
  PetscCall(PetscFree2(cca->hpasses, cca->hobjective));
  cca->ncols = cca->nconv = cca->its = 0;
  cca->nhistory = cca->roomhistory = 0;
  cca->reason                      = CCA_CONVERGED_ITERATING;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Forgets what set-up has made: something it depends on has changed */
PetscErrorCode CCAResetSetUp_Private(CCA cca)
{
  PetscFunctionBegin;
  if (cca->ops->reset) PetscCall((*cca->ops->reset)(cca));
  PetscCall(MatDestroy(&cca->A));
  PetscCall(MatDestroy(&cca->B));
  for (int i = 0; i < 2; i++) {
    PetscCall(MatDestroy(&cca->S[i]));
    PetscCall(MatDestroy(&cca->begin[i]));
    PetscCall(VecScatterDestroy(&cca->part[i]));
    if (cca->ksp[i]) PetscCall(KSPReset(cca->ksp[i]));
  }
  if (cca->eps) PetscCall(EPSReset(cca->eps));
  PetscCall(CCAResetResults_Private(cca));
  PetscCall(PetscArrayzero(cca->before, 3)); /* of operators that are gone */
  cca->setupcalled = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCAChangeRidges_Private - After set-up, other ridges of A, B and S for the same data: what was made is kept where the type can go on with it,
   unless a view gets its first ridge or loses it, which changes the units it is worked with in.
*/
PetscErrorCode CCAChangeRidges_Private(CCA cca, PetscReal r1, PetscReal r2)
{
  const PetscReal old[] = {cca->ridge[0], cca->ridge[1]}, new[] = {r1, r2};
  PetscBool       keep = cca->ops->regularize ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  if (r1 == old[0] && r2 == old[1]) PetscFunctionReturn(PETSC_SUCCESS);
  for (int i = 0; i < 2; i++)
    if (!cca->scale && (old[i] == 0.0) != (new[i] == 0.0)) keep = PETSC_FALSE;
  if (!keep) PetscCall(CCAResetSetUp_Private(cca));
  for (int i = 0; i < 2; i++) cca->ridge[i] = new[i];
  if (keep) {
    PetscCall(CCAResetResults_Private(cca));
    PetscCall(MatGramSetRidge(cca->B, r1, r2));
    for (int i = 0; i < 2; i++) PetscCall(MatGramSetRidge(cca->S[i], new[i], 0.0));
    PetscCall((*cca->ops->regularize)(cca, old));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAReset - Takes back everything that CCASetUp() and CCASolve() have made, the data and their weights. Settings stay.

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
  PetscCall(CCAResetSetUp_Private(cca));
  PetscCall(CCAResetClasses_Private(cca));
  PetscCall(MatDestroy(&cca->X));
  PetscCall(MatDestroy(&cca->Y));
  for (int i = 0; i < 2; i++) PetscCall(VecDestroy(&cca->own[i]));
  PetscCall(VecDestroy(&cca->weights));
  PetscCall(MatDestroy(&cca->start[0]));
  PetscCall(MatDestroy(&cca->start[1]));
  PetscCall(CCAResetCrossValidation_Private(cca));
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
  PetscCall(PetscFree((*cca)->cv.given));
  PetscCall(KSPDestroy(&(*cca)->ksp[0]));
  PetscCall(KSPDestroy(&(*cca)->ksp[1]));
  PetscCall(EPSDestroy(&(*cca)->eps));
  PetscCall(CCAMonitorCancel(*cca));
  PetscCall(PetscHeaderDestroy(cca));
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

   Notes:
   Both have the prefix cca_, so that -cca_ksp_type and -cca_pc_type are for both. They have the defaults of the type, so call
   CCASetType() before: another type has other solvers.

   With CCASI and CCALAZY kspx is for [l S11, -S12; -S12', l S22], and kspy is not used.

.seealso: CCAGetEPS()
@*/
PetscErrorCode CCAGetKSP(CCA cca, KSP *kspx, KSP *kspy)
{
  const char *prefix;
  PetscReal   atol;
  PC          pc;

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
    if (cca->inner.type) { /* now, so that whatever the user sets later is the user's choice */
      PetscCall(KSPSetType(cca->ksp[i], cca->inner.type));
      PetscCall(KSPGetPC(cca->ksp[i], &pc));
      PetscCall(PCSetType(pc, PCJACOBI));
      PetscCall(KSPGetTolerances(cca->ksp[i], NULL, &atol, NULL, NULL));
      PetscCall(KSPSetTolerances(cca->ksp[i], cca->inner.rtol, atol, 1e30, CCA_INNER_UNSET));
    }
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
