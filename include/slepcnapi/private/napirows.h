/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Blocks stored by rows, row i being the entries i of all columns one after the other: a sparse matrix then reads a cache line where it
   would read one number of each column. Rows are padded to a multiple of NAPI_ROW_PAD entries, with zeros; one column is a vector.
*/
#pragma once

#include <petscsf.h>
#include <slepcsys.h>
#include <slepcnapi/private/napicompat.h>

#define NAPI_ROW_PAD 4

static inline PetscInt NAPIRowStride(PetscInt p)
{
  return p == 1 ? 1 : (p + NAPI_ROW_PAD - 1) / NAPI_ROW_PAD * NAPI_ROW_PAD;
}

/* A matrix for products with such blocks */
typedef struct {
  Mat              A;
  PetscObjectState nonzerostate;
  PetscInt         p;             /* columns it is set up for */
  Mat              local, others; /* AIJ: the columns of this process, and those that others have (or NULL) */
  PetscSF          sf;            /* brings the rows of the others */
  MPI_Datatype     row;
  PetscScalar     *ghosts;
  Mat              X, Y; /* matrices of other types: the block by columns, and the product with it */
  Vec              x, y; /* for one column */
} NAPIRowMult;

SLEPC_INTERN PetscErrorCode NAPIRowMultSetUp(NAPIRowMult *, Mat, PetscInt);
SLEPC_INTERN PetscErrorCode NAPIRowMultApply(NAPIRowMult *, const PetscScalar *, PetscScalar *);
SLEPC_INTERN PetscErrorCode NAPIRowMultReset(NAPIRowMult *);

/* From columns to rows, and back */
SLEPC_INTERN PetscErrorCode NAPIRowsPack(PetscInt, PetscInt, const PetscScalar *, PetscInt, PetscScalar *);
SLEPC_INTERN PetscErrorCode NAPIRowsUnpack(PetscInt, PetscInt, const PetscScalar *, PetscScalar *, PetscInt);
