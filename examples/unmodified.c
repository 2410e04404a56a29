/* SPDX-License-Identifier: BSD-2-Clause */
/*
   A plain SLEPc program, which knows nothing of this library: no header, no link, no call. The options load it.

   The pair is that of embed.c, the lowest frequencies of a string as the largest eigenvalues of M x = mu K x.

   Build:  mpicc unmodified.c $(pkg-config --cflags --libs slepc) -o unmodified

   $ ./unmodified -dll_append /path/libslepcnapi.so -eps_type napi -eps_nev 3
   solved by napi
   frequency 1: 3.14172
   frequency 2: 6.28420
   frequency 3: 9.42820

   $ ./unmodified -dll_append /path/libslepcnapi.so -eps_type napi -eps_napi_momentum none -eps_napi_guard 4 -st_pc_type none
   solved by napi
   frequency 1: 3.14172
*/
#include <slepceps.h>

static PetscErrorCode Tridiagonal(PetscInt n, PetscReal diagonal, PetscReal off, Mat *T)
{
  PetscInt i, first, last;

  PetscFunctionBeginUser;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, n, 3, NULL, 2, NULL, T));
  PetscCall(MatGetOwnershipRange(*T, &first, &last));
  for (i = first; i < last; i++) {
    PetscCall(MatSetValue(*T, i, i, diagonal, INSERT_VALUES));
    if (i > 0) PetscCall(MatSetValue(*T, i, i - 1, off, INSERT_VALUES));
    if (i < n - 1) PetscCall(MatSetValue(*T, i, i + 1, off, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*T, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*T, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  PetscInt    n = 100, i, nev, nconv;
  PetscReal   h;
  PetscScalar mu;
  EPSType     type;
  Mat         K, M;
  EPS         eps;

  PetscCall(SlepcInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
  h = 1.0 / (n + 1);
  PetscCall(Tridiagonal(n, 2.0 / h, -1.0 / h, &K));
  PetscCall(Tridiagonal(n, 4.0 * h / 6.0, h / 6.0, &M));
  PetscCall(EPSCreate(PETSC_COMM_WORLD, &eps));
  PetscCall(EPSSetOperators(eps, M, K));
  PetscCall(EPSSetProblemType(eps, EPS_GHEP));
  PetscCall(EPSSetFromOptions(eps));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetType(eps, &type));
  PetscCall(EPSGetDimensions(eps, &nev, NULL, NULL));
  PetscCall(EPSGetConverged(eps, &nconv));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "solved by %s\n", type));
  for (i = 0; i < PetscMin(nev, nconv); i++) {
    PetscCall(EPSGetEigenvalue(eps, i, &mu, NULL));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "frequency %d: %.5f\n", (int)i + 1, (double)PetscSqrtReal(1.0 / PetscRealPart(mu))));
  }
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&K));
  PetscCall(MatDestroy(&M));
  PetscCall(SlepcFinalize());
  return 0;
}
