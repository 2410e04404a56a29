/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Two data sets whose canonical correlations are known: with the orthonormal cosines q_1, q_2, ... of length n, which have
   mean zero, the columns of sqrt(n) q_j and sqrt(n) (rho_j q_j + (1 - rho_j^2)^{1/2} q_{d1+j}) have canonical correlations rho_j
   by construction, and so have X and Y after they were mixed by any matrices of full rank. Without ridge, that is.
*/
#pragma once
#include "pairs.h"
#include "views.h"

/* A number between -1 and 1 that looks random and depends on nothing but i, j and the seed */
static PetscScalar Hash(PetscInt i, PetscInt j, PetscInt seed)
{
  unsigned long long h = (unsigned long long)(i + 1) * 0x9E3779B97F4A7C15ULL + (unsigned long long)(j + 1) * 0xC2B2AE3D27D4EB4FULL + (unsigned long long)(seed + 1) * 0x165667B19E3779F9ULL;
  PetscReal          a, b;

  h ^= h >> 31;
  h *= 0xBF58476D1CE4E5B9ULL;
  h ^= h >> 27;
  h *= 0x94D049BB133111EBULL;
  h ^= h >> 31;
  a = (PetscReal)(h >> 40) / (PetscReal)(1 << 23) - 1.0;
  b = (PetscReal)(h & 0xffffff) / (PetscReal)(1 << 23) - 1.0;
#if defined(PETSC_USE_COMPLEX)
  return PetscCMPLX(a, b) / PetscSqrtReal(2.0);
#else
  (void)b;
  return a;
#endif
}

static PetscReal Cosine(PetscInt n, PetscInt i, PetscInt j)
{
  return PetscSqrtReal(2.0) * PetscCosReal(PETSC_PI * (i + 0.5) * j / n); /* sqrt(n) q_j */
}

/* X (n x d1) and Y (n x d2) with the correlations rho_0 .. rho_{min(d1,d2)-1}; d1 + d2 < n */
PETSC_UNUSED static PetscErrorCode KnownViews(MPI_Comm comm, PetscInt n, PetscInt d1, PetscInt d2, const PetscReal rho[], PetscBool dense, Mat *X, Mat *Y)
{
  PetscInt     d[2] = {d1, d2}, first, last;
  PetscScalar *q, *row;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(PetscMax(d1, d2), &q, PetscMax(d1, d2), &row));
  for (int v = 0; v < 2; v++) {
    Mat *M = v ? Y : X;

    PetscCall(MatCreate(comm, M));
    PetscCall(MatSetSizes(*M, PETSC_DECIDE, PETSC_DECIDE, n, d[v]));
    PetscCall(MatSetType(*M, dense ? MATDENSE : MATAIJ));
    PetscCall(MatSetUp(*M));
    PetscCall(MatSetOption(*M, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PetscCall(MatGetOwnershipRange(*M, &first, &last));
    for (PetscInt i = first; i < last; i++) {
      for (PetscInt j = 0; j < d[v]; j++) {
        if (!v) q[j] = Cosine(n, i, j + 1);
        else if (j < d1) q[j] = rho[j] * Cosine(n, i, j + 1) + PetscSqrtReal(1.0 - rho[j] * rho[j]) * Cosine(n, i, d1 + j + 1);
        else q[j] = Cosine(n, i, d1 + j + 1);
      }
      for (PetscInt j = 0; j < d[v]; j++) {
        row[j] = 0.0;
        for (PetscInt l = 0; l < d[v]; l++) row[j] += q[l] * ((l == j ? 2.0 : 0.0) + Hash(l, j, v) / PetscSqrtReal((PetscReal)d[v]));
        PetscCall(MatSetValue(*M, i, j, row[j], INSERT_VALUES));
      }
    }
    PetscCall(MatAssemblyBegin(*M, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*M, MAT_FINAL_ASSEMBLY));
  }
  PetscCall(PetscFree2(q, row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscReal share;
  PetscInt  seed, shared;
} NoisyEntries;

static PetscScalar NoisyEntry(const void *ctx, PetscInt view, PetscInt i, PetscInt j)
{
  const NoisyEntries *c = (const NoisyEntries *)ctx;
  PetscScalar         v = PetscAbsReal(PetscRealPart(Hash(i, j, c->seed + 7))) < c->share ? Hash(i, j, c->seed) + 0.3 : 0.0;

  (void)view;
  return j < c->shared ? v + 2.0 * Hash(i, j, 1000) / (1.0 + j) : v;
}

/* An n x d matrix of hashed numbers, share of which are not zero, plus some of the first columns of another one */
PETSC_UNUSED static PetscErrorCode NoisyView(MPI_Comm comm, PetscInt n, PetscInt d, PetscReal share, PetscInt seed, PetscInt shared, PetscBool dense, Mat *M)
{
  const NoisyEntries entries = {share, seed, shared};

  PetscFunctionBegin;
  PetscCall(ViewCreate(comm, n, d, dense, -1, NoisyEntry, &entries, 0, M));
  PetscFunctionReturn(PETSC_SUCCESS);
}
