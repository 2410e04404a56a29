/* SPDX-License-Identifier: BSD-2-Clause */
/*
   How the library enters a program. Both ways end in SlepcNAPIInitialize():

     linked                              the program calls it, once after SlepcInitialize(); CCACreate(), MatCreateGram() and
                                         MatCreateCCAPair() call it themselves;
     -dll_append /path/libslepcnapi.so   PetscInitialize() loads us and calls PetscDLLibraryRegister_slepcnapi().
*/
#if !defined(_GNU_SOURCE)
  #define _GNU_SOURCE /* dladdr() */
#endif
#include <dlfcn.h>
#include <slepcnapi/private/napiimpl.h>
#include <slepcnapi/private/ccaimpl.h>
#include <slepcnapi/private/kspcolumns.h>

SLEPC_EXTERN PetscErrorCode MatCreate_Gram(Mat);
SLEPC_EXTERN PetscErrorCode PCCreate_Sketch(PC);

static PetscBool registered = PETSC_FALSE;

static PetscErrorCode SlepcNAPIFinalize(void)
{
  PetscFunctionBegin;
  registered = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The private structures we use differ between minor versions, and between scalar and index types: run only with
   the PETSc and SLEPc we were compiled for. The functions answer for the PETSc that is running, PETSC_SCALAR and
   PetscInt are those of the one we were compiled with.

   The program's PETSc may have other integers than ours, and another MPI: room for the larger ones, and no PETSc macro,
   since those hand over our MPI's communicators on error.
*/
static PetscErrorCode SlepcNAPICheckVersions(void)
{
  PetscInt64    v[4] = {0, 0, 0, 0};
  PetscDataType scalar;
  PetscBool     found;
  size_t        integer;

  if (PetscGetVersionNumber((PetscInt *)&v[0], (PetscInt *)&v[1], NULL, NULL)) return PETSC_ERR_LIB;
  if (SlepcGetVersionNumber((PetscInt *)&v[2], (PetscInt *)&v[3], NULL, NULL)) return PETSC_ERR_LIB;
  if (v[0] != PETSC_VERSION_MAJOR || v[1] != PETSC_VERSION_MINOR || v[2] != SLEPC_VERSION_MAJOR || v[3] != SLEPC_VERSION_MINOR) {
    fprintf(stderr, "libslepcnapi was built for PETSc %d.%d and SLEPc %d.%d but is running with PETSc %d.%d and SLEPc %d.%d: rebuild it with the PETSC_DIR and SLEPC_DIR of this program\n", PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, SLEPC_VERSION_MAJOR, SLEPC_VERSION_MINOR, (int)v[0], (int)v[1], (int)v[2], (int)v[3]);
    return PETSC_ERR_LIB;
  }
  if (PetscDataTypeFromString("scalar", &scalar, &found) || PetscDataTypeGetSize(PETSC_INT, &integer)) return PETSC_ERR_LIB;
  if (scalar != PETSC_SCALAR || integer != sizeof(PetscInt)) {
    fprintf(stderr, "libslepcnapi was built for %s scalars and %d-bit indices but this program's PETSc has others: rebuild it with the PETSC_DIR and SLEPC_DIR of this program\n", PetscDefined(USE_COMPLEX) ? "complex" : "real", (int)(8 * sizeof(PetscInt)));
    return PETSC_ERR_LIB;
  }
  return PETSC_SUCCESS;
}

/*@C
   SlepcNAPIInitialize - Registers the solvers of this library with SLEPc.

   Not Collective

   Level: beginner

   Notes:
   A program that is linked to the library calls it once after SlepcInitialize(), and again after every further
   SlepcInitialize(). Without it SLEPc knows no type of this library and says "Unknown EPS type given: napi". Calling it more
   often does no harm.

   Not needed are calls in a program that loads the library with -dll_append /path/libslepcnapi.so, and before CCACreate(),
   MatCreateGram() and MatCreateCCAPair(), which do it themselves.

.seealso: EPSNAPI, KSPBLOCKCG, MATGRAM, PCSKETCH, CCACreate(), EPSSetType()
@*/
PetscErrorCode SlepcNAPIInitialize(void)
{
  PetscErrorCode ierr;

  if (registered) return PETSC_SUCCESS;
  ierr = SlepcNAPICheckVersions();
  if (ierr) return ierr;
  if (PETSC_COMM_WORLD == MPI_COMM_NULL) { /* no error handler is there yet */
    fprintf(stderr, "SlepcNAPIInitialize() was called before SlepcInitialize(): call it afterwards (or this program has a PETSc of its own, other than the one libslepcnapi was built for: rebuild it with that)\n");
    return PETSC_ERR_ORDER;
  }
  PetscFunctionBegin;
  PetscCall(EPSRegister(EPSNAPI, EPSCreate_NAPI));
  PetscCall(KSPRegister(KSPBLOCKCG, KSPCreate_BlockCG));
  PetscCall(KSPRegister(KSPBLOCKCHEBYSHEV, KSPCreate_BlockChebyshev));
  PetscCall(KSPRegister(KSPNESTEROV, KSPCreate_Nesterov));
  PetscCall(KSPRegister(KSPSVRG, KSPCreate_SVRG));
  PetscCall(KSPRegister(KSPKATYUSHA, KSPCreate_Katyusha));
  PetscCall(KSPRegister(KSPSAGA, KSPCreate_SAGA));
  PetscCall(KSPRegister(KSPSDCA, KSPCreate_SDCA));
  PetscCall(MatRegister(MATGRAM, MatCreate_Gram));
  PetscCall(PCRegister(PCSKETCH, PCCreate_Sketch));
  PetscCall(PetscLogEventRegister("EPSNAPIInner", EPS_CLASSID, &EPS_NAPI_Inner));
  PetscCall(PetscLogEventRegister("EPSNAPIOrtho", EPS_CLASSID, &EPS_NAPI_Ortho));
  PetscCall(PetscLogEventRegister("EPSNAPIRitz", EPS_CLASSID, &EPS_NAPI_Ritz));
  PetscCall(PetscRegisterFinalize(SlepcNAPIFinalize));
  registered = PETSC_TRUE;
  PetscCall(CCARegisterAll_Private());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Is it our PETSc that loads us? Python keeps the libraries of each module to itself: there a library of another stack brings its
   own PETSc along, which nobody has initialised, and whose SLEPc nobody will use. Whoever calls and is no PETSc, ctypes say, may.
*/
static PetscErrorCode SlepcNAPICheckCaller(void *caller)
{
  Dl_info    ours, theirs, loader;
  PetscInt64 v[2] = {0, 0};
  void      *handle, *open;
  PetscErrorCode (*version)(PetscInt *, PetscInt *, PetscInt *, PetscInt *);

  if (!dladdr((void *)(uintptr_t)PetscDLLibraryOpen, &ours) || !dladdr(caller, &theirs) || ours.dli_fbase == theirs.dli_fbase) return PETSC_SUCCESS;
  handle = dlopen(theirs.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (!handle) return PETSC_SUCCESS;
  open               = dlsym(handle, "PetscDLLibraryOpen");
  *(void **)&version = dlsym(handle, "PetscGetVersionNumber");
  if (open && version && dladdr(open, &loader) && loader.dli_fbase == theirs.dli_fbase) {
    (void)version((PetscInt *)&v[0], (PetscInt *)&v[1], NULL, NULL);
    fprintf(stderr, "libslepcnapi was built for PETSc %d.%d, %s, but is loaded by PETSc %d.%d, %s: rebuild it with the PETSC_DIR and SLEPC_DIR of this program\n", PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, ours.dli_fname, (int)v[0], (int)v[1], theirs.dli_fname);
    (void)dlclose(handle);
    return PETSC_ERR_LIB;
  }
  (void)dlclose(handle);
  return PETSC_SUCCESS;
}

SLEPC_EXTERN PetscErrorCode PetscDLLibraryRegister_slepcnapi(void)
{
  PetscErrorCode ierr = SlepcNAPICheckCaller(__builtin_return_address(0));

  return ierr ? ierr : SlepcNAPIInitialize();
}
