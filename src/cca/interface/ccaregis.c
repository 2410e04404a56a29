/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA: the class and its types become known to PETSc.
*/
#include <slepcnapi/private/ccaimpl.h>

PetscClassId  CCA_CLASSID = 0;
PetscLogEvent CCA_SetUp, CCA_Solve, CCA_Inner, CCA_Ortho, CCA_Ritz;

static PetscBool CCARegisterAllCalled = PETSC_FALSE;

static PetscErrorCode CCAFinalizePackage(void)
{
  PetscFunctionBegin;
  PetscCall(PetscFunctionListDestroy(&CCAList));
  CCARegisterAllCalled = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Called when the library is registered */
PetscErrorCode CCARegisterAll_Private(void)
{
  PetscFunctionBegin;
  if (CCARegisterAllCalled) PetscFunctionReturn(PETSC_SUCCESS);
  CCARegisterAllCalled = PETSC_TRUE;
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
