/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Many pairs: what has converged is left alone at restarts, and takes part again where it has to. Eigenvalues that are multiple,
   or come in clusters, across the places where that happens, of both signs, and over two orders of magnitude, are all found.
*/
#include "pairs.h"

#define UNKNOWNS 520
#define WANTED   45

typedef enum {
  TRIPLES,
  CLUSTERS,
  BOTH,
  DECAY,
  SPECTRA
} Spectrum;

/* The i-th of n eigenvalues, in the order wanted */
static PetscReal Value(Spectrum spectrum, PetscInt i, PetscInt n)
{
  switch (spectrum) {
  case TRIPLES:
    return i < 90 ? 1.0 - 0.015 * (i / 3) : 0.5 * (n - i) / n;
  case CLUSTERS: /* ten within 1e-5, again and again */
    return i < 90 ? 1.0 - 0.05 * (i / 10) - 1e-6 * (i % 10) : 0.5 * (n - i) / n;
  case BOTH:
    return (i % 2 ? -1.0 : 1.0) * (i < 90 ? 1.0 - 0.007 * i : 0.35 * (n - i) / n);
  default:
    return 1.0 / (1.0 + i);
  }
}

/* A = L D L', B = L L' with L = I + c (a subdiagonal): the diagonal D, scattered over the rows, holds the eigenvalues */
static PetscErrorCode Create(Spectrum spectrum, Mat *A, Mat *B)
{
  const PetscInt    n = UNKNOWNS;
  const PetscScalar c = 0.5 * Phase(0.6);
  PetscInt          first, last;

  PetscFunctionBegin;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, n, 3, NULL, 2, NULL, A));
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, n, 3, NULL, 2, NULL, B));
  PetscCall(MatGetOwnershipRange(*A, &first, &last));
  for (PetscInt i = first; i < last; i++) {
    const PetscReal here = Value(spectrum, (i * 7) % n, n), above = i ? Value(spectrum, ((i - 1) * 7) % n, n) : 0.0;

    PetscCall(MatSetValue(*A, i, i, here + PetscRealPart(c * PetscConj(c)) * above, INSERT_VALUES));
    PetscCall(MatSetValue(*B, i, i, 1.0 + (i ? PetscRealPart(c * PetscConj(c)) : 0.0), INSERT_VALUES));
    if (i) PetscCall(MatSetValue(*A, i, i - 1, c * above, INSERT_VALUES));
    if (i) PetscCall(MatSetValue(*B, i, i - 1, c, INSERT_VALUES));
    if (i < n - 1) PetscCall(MatSetValue(*A, i, i + 1, PetscConj(c) * here, INSERT_VALUES));
    if (i < n - 1) PetscCall(MatSetValue(*B, i, i + 1, PetscConj(c), INSERT_VALUES));
  }
  for (int m = 0; m < 2; m++) {
    PetscCall(MatAssemblyBegin(m ? *B : *A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(m ? *B : *A, MAT_FINAL_ASSEMBLY));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All are right, and orthogonal, and A and B were applied to no more columns than `most`; ncv and bs may be left to the solver */
static PetscErrorCode Many(Spectrum spectrum, const char *name, PetscInt bs, PetscInt ncv, PetscInt most)
{
  PetscReal *known;
  PetscInt   acols, bcols, inner;
  char       what[128];
  Mat        A, B;
  EPS        eps;

  PetscFunctionBegin;
  PetscCall(Create(spectrum, &A, &B));
  PetscCall(SolverCreate(A, B, WANTED, EPS_NAPI_MOMENTUM_OPTIMAL, &eps));
  PetscCall(EPSSetWhichEigenpairs(eps, spectrum == BOTH ? EPS_LARGEST_MAGNITUDE : EPS_LARGEST_REAL));
  PetscCall(EPSSetTolerances(eps, 1e-8, NAPI_UNSET));
  if (ncv) PetscCall(EPSSetDimensions(eps, WANTED, ncv, NAPI_UNSET));
  if (bs) PetscCall(EPSNAPISetBlockSize(eps, bs));
  PetscCall(EPSSolve(eps));
  PetscCall(PetscMalloc1(UNKNOWNS, &known));
  for (PetscInt i = 0; i < UNKNOWNS; i++) known[i] = Value(spectrum, i, UNKNOWNS);
  PetscCall(PetscSNPrintf(what, sizeof(what), "%d pairs, %s, blocks of %d, a basis of %d", WANTED, name, (int)bs, (int)ncv));
  PetscCall(TapPairs(eps, A, B, WANTED, UNKNOWNS, known, 1e-7, what));
  PetscCall(EPSNAPIGetApplications(eps, &acols, &bcols, &inner));
  PetscCall(TapOk((PetscBool)(acols + bcols + inner <= most), "%s: no more than %d columns", what, (int)most));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# A %d, B %d, inner %d\n", (int)acols, (int)bcols, (int)inner));
  PetscCall(PetscFree(known));
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The pairs behind the first `late` are given: they have converged, and are left alone, before those that come before them turn up */
static PetscErrorCode Displaced(PetscInt late)
{
  PetscReal *known;
  PetscInt   first, last;
  Mat        A, B, unused;
  Vec       *start, x;
  EPS        eps;

  PetscFunctionBegin;
  PetscCall(Create(DECAY, &A, &unused));
  PetscCall(MatDestroy(&unused));
  PetscCall(MatZeroEntries(A));
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt i = first; i < last; i++) PetscCall(MatSetValue(A, i, i, Value(DECAY, i, UNKNOWNS), INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(Identity(UNKNOWNS, &B));
  PetscCall(MatCreateVecs(A, &x, NULL));
  PetscCall(VecDuplicateVecs(x, WANTED, &start));
  for (PetscInt j = 0; j < WANTED; j++) {
    PetscCall(VecSet(start[j], 0.0));
    PetscCall(VecSetValue(start[j], late + j, 1.0, INSERT_VALUES));
    PetscCall(VecAssemblyBegin(start[j]));
    PetscCall(VecAssemblyEnd(start[j]));
  }
  PetscCall(SolverCreate(A, B, WANTED + late, EPS_NAPI_MOMENTUM_OPTIMAL, &eps));
  PetscCall(EPSSetWhichEigenpairs(eps, EPS_LARGEST_REAL));
  PetscCall(EPSSetTolerances(eps, 1e-8, NAPI_UNSET));
  PetscCall(EPSSetInitialSpace(eps, WANTED, start));
  PetscCall(EPSSolve(eps));
  PetscCall(PetscMalloc1(UNKNOWNS, &known));
  for (PetscInt i = 0; i < UNKNOWNS; i++) known[i] = Value(DECAY, i, UNKNOWNS);
  PetscCall(TapPairs(eps, A, B, WANTED + late, UNKNOWNS, known, 1e-7, "pairs that turn up late displace those that had converged"));
  PetscCall(PetscFree(known));
  PetscCall(VecDestroyVecs(WANTED, &start));
  PetscCall(VecDestroy(&x));
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const names[SPECTRA] = {"threefold", "in clusters of ten", "of both signs", "decaying"};
  const PetscInt    most[SPECTRA]  = {5000, 5000, 5000, 4000}; /* about 1.4 times what it takes */

  PetscCall(TapBegin(&argc, &argv));
  for (int s = 0; s < SPECTRA; s++) PetscCall(Many((Spectrum)s, names[s], 0, 0, most[s]));
  PetscCall(Many(CLUSTERS, names[CLUSTERS], 4, 62, 7000)); /* restarted all the time, with room for all of the last cluster: one that is cut is as slow as its gaps are small, and its columns are a matter of rounding */
  PetscCall(Many(BOTH, names[BOTH], 3, 54, 7000));
  PetscCall(Many(DECAY, names[DECAY], 5, 59, 5500));
  PetscCall(Displaced(5));
  return TapEnd();
}
