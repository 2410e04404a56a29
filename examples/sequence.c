/* SPDX-License-Identifier: BSD-2-Clause */
/*
   A sequence of slowly changing pairs: each solve starts from the eigenvectors of the one before (EPSSetInitialSpace()),
   and takes a fraction of the work of a start from random vectors.

   A string as in embed.c whose density grows at one end from pair to pair: M(t) x = mu K x.

   Build:  mpicc sequence.c $(pkg-config --cflags --libs slepcnapi) -o sequence

   $ ./sequence -pairs 5
     t  lowest frequency  inner iterations, cold  warm
   0.0           3.14172                     347   347
   0.1           3.06585                     349   153
   0.2           2.99498                     344   157
   0.3           2.92859                     344   155
   0.4           2.86626                     343   154
   the warm starts took less than the cold ones: yes
*/
#include <slepcnapi.h>

/* Stiffness and mass of linear elements on (0,1), density 1 + t x (taken constant in an element) */
static PetscErrorCode String(PetscInt n, PetscReal t, Mat *K, Mat *M)
{
  PetscInt  i, j, first, last;
  PetscReal h = 1.0 / (n + 1);

  PetscFunctionBeginUser;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, n, 3, NULL, 2, NULL, K));
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, n, 3, NULL, 2, NULL, M));
  PetscCall(MatGetOwnershipRange(*K, &first, &last));
  for (i = first; i < last; i++) { /* unknown i lies between the elements i and i+1 */
    PetscReal left = 1.0 + t * (i + 0.5) * h, right = 1.0 + t * (i + 1.5) * h;

    for (j = PetscMax(0, i - 1); j <= PetscMin(n - 1, i + 1); j++) {
      PetscCall(MatSetValue(*K, i, j, (i == j ? 2.0 : -1.0) / h, INSERT_VALUES));
      PetscCall(MatSetValue(*M, i, j, (j < i ? left : j > i ? right : 2.0 * (left + right)) * h / 6.0, INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(*K, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*K, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyBegin(*M, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*M, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

/* Solves from the nx vectors x, or from random ones where there are none; x then holds the nev eigenvectors */
static PetscErrorCode Solve(EPS eps, PetscInt nev, PetscInt nx, Vec x[], PetscReal *frequency, PetscInt *inner)
{
  PetscInt    i, nconv;
  PetscScalar mu;

  PetscFunctionBeginUser;
  if (nx) PetscCall(EPSSetInitialSpace(eps, nx, x));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConverged(eps, &nconv));
  PetscCheck(nconv >= nev, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED, "only %d pairs converged", (int)nconv);
  PetscCall(EPSGetEigenvalue(eps, 0, &mu, NULL));
  *frequency = PetscSqrtReal(1.0 / PetscRealPart(mu));
  if (x)
    for (i = 0; i < nev; i++) PetscCall(EPSGetEigenvector(eps, i, x[i], NULL));
  PetscCall(EPSNAPIGetApplications(eps, NULL, NULL, inner));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  PetscInt  n = 100, pairs = 5, nev = 3, i, j, inner[2], sum[2] = {0, 0};
  PetscReal t, frequency[2];
  Mat       K, M;
  Vec      *x = NULL, v;
  EPS       eps[2]; /* cold, warm */

  PetscCall(SlepcInitialize(&argc, &argv, NULL, NULL));
  PetscCall(SlepcNAPIInitialize());
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-pairs", &pairs, NULL));
  for (j = 0; j < 2; j++) {
    PetscCall(EPSCreate(PETSC_COMM_WORLD, &eps[j]));
    PetscCall(EPSSetType(eps[j], EPSNAPI));
    PetscCall(EPSSetDimensions(eps[j], nev, PETSC_DEFAULT, PETSC_DEFAULT));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  t  lowest frequency  inner iterations, cold  warm\n"));
  for (i = 0; i < pairs; i++) {
    t = 0.1 * i;
    PetscCall(String(n, t, &K, &M));
    if (!x) {
      PetscCall(MatCreateVecs(K, &v, NULL));
      PetscCall(VecDuplicateVecs(v, nev, &x));
      PetscCall(VecDestroy(&v));
    }
    for (j = 0; j < 2; j++) {
      PetscCall(EPSSetOperators(eps[j], M, K));
      PetscCall(EPSSetProblemType(eps[j], EPS_GHEP));
      PetscCall(EPSSetFromOptions(eps[j]));
      PetscCall(Solve(eps[j], nev, j && i ? nev : 0, j ? x : NULL, &frequency[j], &inner[j]));
      if (i) sum[j] += inner[j];
    }
    PetscCheck(PetscAbsReal(frequency[0] - frequency[1]) < 1e-6, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "cold and warm start disagree");
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%.1f %17.5f %23d %5d\n", (double)t, (double)frequency[1], (int)inner[0], (int)inner[1]));
    PetscCall(MatDestroy(&K));
    PetscCall(MatDestroy(&M));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "the warm starts took less than the cold ones: %s\n", sum[1] < sum[0] ? "yes" : "no"));
  for (j = 0; j < 2; j++) PetscCall(EPSDestroy(&eps[j]));
  PetscCall(VecDestroyVecs(nev, &x));
  PetscCall(SlepcFinalize());
  return 0;
}
