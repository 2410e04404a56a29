/* SPDX-License-Identifier: BSD-2-Clause */
/*
   An application that links the library and sets everything through its interface.

   The lowest frequencies of a string: K x = omega^2 M x, stiffness and mass matrix of n linear elements. We ask for the
   largest 1/omega^2 of M x = mu K x, so that K is the matrix to be inverted; NAPI never factors it.

   Build:  mpicc embed.c $(pkg-config --cflags --libs slepcnapi) -o embed

   $ ./embed -n 100
   mode  frequency  exact for this mesh
      1    3.14172              3.14172
      2    6.28420              6.28420
      3    9.42820              9.42820
   adaptive momentum: 20 steps, M applied to 63 columns, K to 63 columns and in 3140 inner iterations
   all residuals at most 1e-08: yes
*/
#include <slepcnapi.h>

/* tridiag(off, diagonal, off) */
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
  PetscInt    n = 100, nev = 3, i, nconv, steps, mcols, kcols, inner;
  PetscReal   h, c, error, tol = 1e-8;
  PetscBool   accurate = PETSC_TRUE;
  PetscScalar mu;
  Mat         K, M;
  EPS         eps;
  ST          st;
  KSP         ksp;
  PC          pc;

  PetscCall(SlepcInitialize(&argc, &argv, NULL, NULL));
  PetscCall(SlepcNAPIInitialize()); /* once: makes the solver known to SLEPc */
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
  h = 1.0 / (n + 1);
  PetscCall(Tridiagonal(n, 2.0 / h, -1.0 / h, &K));
  PetscCall(Tridiagonal(n, 4.0 * h / 6.0, h / 6.0, &M));

  PetscCall(EPSCreate(PETSC_COMM_WORLD, &eps));
  PetscCall(EPSSetOperators(eps, M, K));
  PetscCall(EPSSetProblemType(eps, EPS_GHEP));
  PetscCall(EPSSetDimensions(eps, nev, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(EPSSetTolerances(eps, tol, PETSC_DEFAULT));
  PetscCall(EPSSetType(eps, EPSNAPI));
  PetscCall(EPSNAPISetMomentum(eps, EPS_NAPI_MOMENTUM_ADAPTIVE)); /* beta from the Ritz values ... */
  PetscCall(EPSNAPISetGuard(eps, 1));                             /* ... of a block of nev + 1 columns */
  PetscCall(EPSNAPISetWarmStart(eps, EPS_NAPI_WARM_START_CORRECTION));
  PetscCall(EPSNAPISetInnerTolerances(eps, PETSC_DECIDE, 500)); /* the paper's criterion, at most 500 iterations */
  PetscCall(EPSNAPISetResidual(eps, EPS_NAPI_RESIDUAL_BOTH));
  PetscCall(EPSGetST(eps, &st));
  PetscCall(STGetKSP(st, &ksp)); /* the inner solver: any KSP, any PC */
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(EPSSolve(eps));

  PetscCall(EPSGetConverged(eps, &nconv));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "mode  frequency  exact for this mesh\n"));
  for (i = 0; i < PetscMin(nev, nconv); i++) {
    PetscCall(EPSGetEigenvalue(eps, i, &mu, NULL));
    PetscCall(EPSComputeError(eps, i, EPS_ERROR_RELATIVE, &error));
    if (!(error <= tol)) accurate = PETSC_FALSE;
    c = PetscCosReal((i + 1) * PETSC_PI * h);
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%4d %10.5f %20.5f\n", (int)i + 1, (double)PetscSqrtReal(1.0 / PetscRealPart(mu)), (double)PetscSqrtReal(6.0 / (h * h) * (1.0 - c) / (2.0 + c))));
  }
  PetscCall(EPSGetIterationNumber(eps, &steps));
  PetscCall(EPSNAPIGetApplications(eps, &mcols, &kcols, &inner));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "adaptive momentum: %d steps, M applied to %d columns, K to %d columns and in %d inner iterations\n", (int)steps, (int)mcols, (int)kcols, (int)inner));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "all residuals at most %g: %s\n", (double)tol, nconv >= nev && accurate ? "yes" : "no"));

  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&K));
  PetscCall(MatDestroy(&M));
  PetscCall(SlepcFinalize());
  return 0;
}
