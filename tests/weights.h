/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Weighted data sets, and the same with samples written as often as their weights say.
*/
#pragma once
#include "ccadata.h"

#define WEIGHTS_MOST 4096

typedef struct {
  PetscInt  n, repeated;          /* samples; rows when each is there as often as its weight says */
  PetscInt  sample[WEIGHTS_MOST]; /* whose copy a row is */
  PetscInt  weight[WEIGHTS_MOST]; /* of the samples */
  PetscInt  seed;
  PetscReal share; /* of entries that are not zero */
} Weighted;

/* most 1: 0/1 weights, i.e. samples that are left out */
PETSC_UNUSED static void WeightedSetUp(Weighted *w, PetscInt n, PetscInt most, PetscReal share)
{
  w->n        = n;
  w->repeated = 0;
  w->share    = share;
  for (PetscInt i = 0; i < n; i++) {
    w->weight[i] = (PetscInt)(PetscAbsReal(PetscRealPart(Hash(i, 5, 77))) * (PetscReal)(most + 1));
    for (PetscInt k = 0; k < w->weight[i]; k++) w->sample[w->repeated++] = i;
  }
}

/* Two views that share something; column 3 is constant, column 2 is zero for all samples with a weight, row 4 is zero but for that */
static PetscScalar WeightedValue(const Weighted *w, PetscInt view, PetscInt i, PetscInt j)
{
  if (j == 3) return 2.0;
  if (j == 2) return w->weight[i] ? 0.0 : 5.0;
  if (i == 4 || PetscAbsReal(PetscRealPart(Hash(i, j, 31 + view))) > w->share) return 0.0;
  return Hash(i, j, view) + 0.3 + (j < 6 ? 2.0 * Hash(i, j, 1000) / (1.0 + j) : 0.0);
}

static PetscScalar WeightedEntry(const void *ctx, PetscInt view, PetscInt i, PetscInt j)
{
  return WeightedValue((const Weighted *)ctx, view, i, j);
}

static PetscScalar RepeatedEntry(const void *ctx, PetscInt view, PetscInt i, PetscInt j)
{
  return WeightedValue((const Weighted *)ctx, view, ((const Weighted *)ctx)->sample[i], j);
}

PETSC_UNUSED static PetscErrorCode WeightedView(const Weighted *w, PetscInt d, PetscBool dense, PetscBool repeated, PetscInt view, Mat *X)
{
  PetscFunctionBeginUser;
  PetscCall(ViewCreate(PETSC_COMM_WORLD, repeated ? w->repeated : w->n, d, dense, -1, repeated ? RepeatedEntry : WeightedEntry, w, view, X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The weights times a factor */
PETSC_UNUSED static PetscErrorCode WeightedVec(const Weighted *w, Mat X, PetscReal factor, Vec *v)
{
  PetscInt first, last;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(X, NULL, v));
  PetscCall(VecGetOwnershipRange(*v, &first, &last));
  for (PetscInt i = first; i < last; i++) PetscCall(VecSetValue(*v, i, factor * (PetscReal)w->weight[i], INSERT_VALUES));
  PetscCall(VecAssemblyBegin(*v));
  PetscCall(VecAssemblyEnd(*v));
  PetscFunctionReturn(PETSC_SUCCESS);
}
