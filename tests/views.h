/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Data sets whose entries are given by a formula: every rank can compute them all.
*/
#pragma once
#include "tap.h"

/* The entry in a row and a column of one of several views; the first argument is the caller's */
typedef PetscScalar (*ViewEntry)(const void *, PetscInt, PetscInt, PetscInt);

/* n x d, dense or sparse, with all rows on one rank (-1: distributed evenly) */
PETSC_UNUSED static PetscErrorCode ViewCreate(MPI_Comm comm, PetscInt n, PetscInt d, PetscBool dense, PetscInt lopsided, ViewEntry entry, const void *ctx, PetscInt view, Mat *X)
{
  PetscInt    first, last, m = PETSC_DECIDE;
  PetscMPIInt rank, size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  if (lopsided >= 0) m = rank == PetscMin(lopsided, size - 1) ? n : 0;
  PetscCall(MatCreate(comm, X));
  PetscCall(MatSetSizes(*X, m, PETSC_DECIDE, n, d));
  PetscCall(MatSetType(*X, dense ? MATDENSE : MATAIJ));
  PetscCall(MatSetUp(*X));
  PetscCall(MatSetOption(*X, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(MatGetOwnershipRange(*X, &first, &last));
  for (PetscInt i = first; i < last; i++) {
    for (PetscInt j = 0; j < d; j++) {
      PetscScalar x = entry(ctx, view, i, j);

      if (x != (PetscScalar)0.0) PetscCall(MatSetValue(*X, i, j, x, INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(*X, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*X, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same for a formula that needs nothing else */
typedef PetscScalar (*ViewFormula)(PetscInt, PetscInt, PetscInt);

static PetscScalar ViewFormulaEntry(const void *formula, PetscInt view, PetscInt i, PetscInt j)
{
  return (*(const ViewFormula *)formula)(view, i, j);
}

PETSC_UNUSED static PetscErrorCode ViewFromFormula(MPI_Comm comm, PetscInt n, PetscInt d, PetscBool dense, PetscInt lopsided, ViewFormula formula, PetscInt view, Mat *X)
{
  PetscFunctionBeginUser;
  PetscCall(ViewCreate(comm, n, d, dense, lopsided, ViewFormulaEntry, &formula, view, X));
  PetscFunctionReturn(PETSC_SUCCESS);
}
