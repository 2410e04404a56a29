/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What two data sets share, from your own code: canonical correlation analysis in ten calls.

   Two instruments measure the same 500 things; each sees two hidden quantities, through its own mixture and its own noise.
   Any method and its options can be chosen on the command line.

   $ ./cca
   500 samples, 30 and 20 variables
   pair 1: correlation 0.9618
   pair 2: correlation 0.8052
   pair 3: correlation 0.3775

   $ ./cca -cca_type napi -cca_k 2 -cca_ridge 1e-2
   500 samples, 30 and 20 variables
   pair 1: correlation 0.9592
   pair 2: correlation 0.7946

   The third is what is left in 500 samples of noise. The same with a large sparse matrix would look no different.
*/
#include <slepcnapi.h>

/* A number between -1 and 1 that looks random, the same on any number of ranks */
static PetscReal Noise(PetscInt i, PetscInt j)
{
  PetscReal x = PetscSinReal(12.9898 * (PetscReal)(i + 1) + 78.233 * (PetscReal)(j + 1)) * 43758.5453;

  return 2.0 * (x - PetscFloorReal(x)) - 1.0;
}

/* variable j of instrument number view: a mixture of the two hidden quantities of thing i, and noise */
static PetscScalar Measure(int view, PetscInt i, PetscInt j)
{
  PetscReal loud = Noise(i, 1001) * PetscSinReal(1.0 + j), soft = 0.4 * Noise(i, 1002) * PetscCosReal(3.0 * j + view);

  return loud + soft + 0.7 * Noise(i, 10000 * (view + 1) + j);
}

int main(int argc, char **argv)
{
  const PetscInt n = 500, d[2] = {30, 20};
  Mat            data[2];
  CCA            cca;
  PetscInt       first, last, k;
  PetscReal      rho;

  PetscFunctionBeginUser;
  PetscCall(SlepcInitialize(&argc, &argv, NULL, NULL));
  for (int view = 0; view < 2; view++) {
    PetscCall(MatCreateDense(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, d[view], NULL, &data[view]));
    PetscCall(MatGetOwnershipRange(data[view], &first, &last));
    for (PetscInt i = first; i < last; i++) {
      for (PetscInt j = 0; j < d[view]; j++) PetscCall(MatSetValue(data[view], i, j, Measure(view, i, j), INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(data[view], MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(data[view], MAT_FINAL_ASSEMBLY));
  }

  PetscCall(CCACreate(PETSC_COMM_WORLD, &cca));
  PetscCall(CCASetData(cca, data[0], data[1]));
  PetscCall(CCASetDimensions(cca, 3));
  PetscCall(CCASetRegularization(cca, 1e-6, 1e-6));
  PetscCall(CCASetCentering(cca, PETSC_TRUE));
  PetscCall(CCASetFromOptions(cca));
  PetscCall(CCASolve(cca));

  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%" PetscInt_FMT " samples, %" PetscInt_FMT " and %" PetscInt_FMT " variables\n", n, d[0], d[1]));
  PetscCall(CCAGetConverged(cca, &k));
  for (PetscInt i = 0; i < k; i++) {
    PetscCall(CCAGetCorrelation(cca, i, &rho));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "pair %" PetscInt_FMT ": correlation %.4f\n", i + 1, (double)rho));
  }
  PetscCall(CCADestroy(&cca));
  PetscCall(MatDestroy(&data[0]));
  PetscCall(MatDestroy(&data[1]));
  PetscCall(SlepcFinalize());
  return 0;
}
