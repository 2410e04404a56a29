/*
   How the library enters a program. There are three ways, and all end in SlepcNAPIInitialize():

     -dll_append /path/libslepcnapi.so   PetscInitialize() loads us and calls PetscDLLibraryRegister_slepcnapi();
     linked                              the loader runs NAPIAnnounce() before main(), which asks PetscInitialize()
                                         to do the same with the file we were linked from;
     called                              SlepcNAPIInitialize() at any time after SlepcInitialize().
*/
#define _GNU_SOURCE /* dladdr() */
#include <dlfcn.h>
#include <slepcnapi/private/napiimpl.h>

SLEPC_EXTERN PetscErrorCode KSPCreate_BlockCG(KSP);
SLEPC_EXTERN PetscErrorCode MatCreate_Gram(Mat);

static PetscBool registered = PETSC_FALSE;

static PetscErrorCode SlepcNAPIFinalize(void)
{
  PetscFunctionBegin;
  registered = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The private structures we use differ between minor versions, and between scalar and index types: run only with
   the PETSc and SLEPc we were compiled for. PetscDataTypeFromString() answers with the types of the PETSc that is
   running, PETSC_SCALAR and PETSC_INT are those of the one we were compiled with.
*/
static PetscErrorCode SlepcNAPICheckVersions(void)
{
  PetscInt      petsc[2],slepc[2];
  PetscDataType scalar,integer;
  PetscBool     found;

  PetscFunctionBegin;
  PetscCall(PetscGetVersionNumber(&petsc[0],&petsc[1],NULL,NULL));
  PetscCall(SlepcGetVersionNumber(&slepc[0],&slepc[1],NULL,NULL));
  PetscCheck(petsc[0]==PETSC_VERSION_MAJOR && petsc[1]==PETSC_VERSION_MINOR && slepc[0]==SLEPC_VERSION_MAJOR && slepc[1]==SLEPC_VERSION_MINOR,PETSC_COMM_SELF,PETSC_ERR_LIB,"libslepcnapi was built for PETSc %d.%d and SLEPc %d.%d but is running with PETSc %" PetscInt_FMT ".%" PetscInt_FMT " and SLEPc %" PetscInt_FMT ".%" PetscInt_FMT ": rebuild it with the PETSC_DIR and SLEPC_DIR of this program",PETSC_VERSION_MAJOR,PETSC_VERSION_MINOR,SLEPC_VERSION_MAJOR,SLEPC_VERSION_MINOR,petsc[0],petsc[1],slepc[0],slepc[1]);
  PetscCall(PetscDataTypeFromString("scalar",&scalar,&found));
  PetscCall(PetscDataTypeFromString("int",&integer,&found));
  PetscCheck(scalar==PETSC_SCALAR && integer==PETSC_INT,PETSC_COMM_SELF,PETSC_ERR_LIB,"libslepcnapi was built for %s scalars and %d-bit indices but this program's PETSc has others: rebuild it with the PETSC_DIR and SLEPC_DIR of this program",PetscDefined(USE_COMPLEX)?"complex":"real",(int)(8*sizeof(PetscInt)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
   SlepcNAPIInitialize - Registers the solvers of this library with SLEPc.

   Not Collective

   Level: beginner

   Notes:
   Call it once after SlepcInitialize(). A program that is linked to the library, or loads it with
   -dll_append /path/libslepcnapi.so, need not call it at all; calling it again does no harm.

.seealso: EPSNAPI, EPSSetType()
@*/
PetscErrorCode SlepcNAPIInitialize(void)
{
  PetscFunctionBegin;
  if (registered) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SlepcNAPICheckVersions());
  PetscCall(EPSRegister(EPSNAPI,EPSCreate_NAPI));
  PetscCall(KSPRegister(KSPBLOCKCG,KSPCreate_BlockCG));
  PetscCall(MatRegister(MATGRAM,MatCreate_Gram));
  PetscCall(PetscLogEventRegister("EPSNAPIInner",EPS_CLASSID,&EPS_NAPI_Inner));
  PetscCall(PetscLogEventRegister("EPSNAPIOrtho",EPS_CLASSID,&EPS_NAPI_Ortho));
  PetscCall(PetscLogEventRegister("EPSNAPIRitz",EPS_CLASSID,&EPS_NAPI_Ritz));
  PetscCall(PetscRegisterFinalize(SlepcNAPIFinalize));
  registered = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

SLEPC_EXTERN PetscErrorCode PetscDLLibraryRegister_slepcnapi(void)
{
  PetscFunctionBegin;
  PetscCall(SlepcNAPIInitialize());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Options may be set before PetscInitialize(), nothing else may be done there. Once MPI runs we are being loaded by
   -dll_append, which registers us anyway.
*/
__attribute__((constructor)) static void NAPIAnnounce(void)
{
  Dl_info     self;
  int         running = 0;
  static char marker;

  if (MPI_Initialized(&running) || running) return;
  if (!dladdr(&marker,&self) || !self.dli_fname) return;
  (void)PetscOptionsSetValue(NULL,"-dll_prepend",self.dli_fname);
}
