/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Small dense matrices, stored by columns as BLAS and LAPACK want them, with sizes in PetscInt. Every process computes them for
   itself; where a result must be the same everywhere, it is said so.
*/
#pragma once

#include <slepcsys.h>
#include <slepcnapi/private/napicompat.h>

/* A number, and one that can be squared: LAPACK fails on what comes near to an overflow */
static inline PetscBool NAPIIsSane(PetscScalar x)
{
  return (PetscBool)(PetscAbsScalar(x) <= 1e-2 * PetscSqrtReal(PETSC_MAX_REAL));
}

/* C := alpha op(A) op(B) + beta C, op being "N", "T" or "C"; and C := C + A'B for tall A and B, their rows on this process */
SLEPC_INTERN PetscErrorCode NAPIGemm(const char[], const char[], PetscInt, PetscInt, PetscInt, PetscScalar, const PetscScalar *, PetscInt, const PetscScalar *, PetscInt, PetscScalar, PetscScalar *, PetscInt);
SLEPC_INTERN PetscErrorCode NAPIGemmTall(PetscInt, PetscInt, PetscInt, const PetscScalar *, PetscInt, const PetscScalar *, PetscInt, PetscScalar *, PetscInt);

/* The Hermitian part of G in E, which may be G */
SLEPC_INTERN PetscErrorCode NAPIHermitianPart(PetscInt, PetscInt, const PetscScalar *, PetscInt, PetscScalar *, PetscInt, PetscBool *);

/* M = E diag(lambda) E', and T = P diag(sigma) Q' */
SLEPC_INTERN PetscErrorCode NAPIEigen(PetscInt, PetscScalar *, PetscInt, PetscReal *);
SLEPC_INTERN PetscErrorCode NAPISingular(MPI_Comm, PetscInt, PetscInt, PetscScalar *, PetscInt, PetscReal *, PetscScalar *, PetscScalar *);
SLEPC_INTERN PetscErrorCode NAPISingularValues(PetscInt, PetscInt, PetscScalar *, PetscInt, PetscReal *);

/* SVQB: G := s G s, of which the caller finds the eigenvalues, and the transformation T with T'G T = I */
SLEPC_INTERN PetscErrorCode NAPISVQBScale(PetscInt, const PetscReal[], PetscScalar *, PetscInt);
SLEPC_INTERN PetscErrorCode NAPISVQBTransform(PetscInt, const PetscReal[], const PetscReal[], const PetscScalar *, PetscInt, PetscScalar *, PetscInt, PetscScalar *, PetscInt *, PetscReal *);

/* What MPI_Allgatherv() needs to know of an array with so many scalars for each entry of a layout */
SLEPC_INTERN PetscErrorCode NAPILayoutCounts(PetscLayout, PetscInt, PetscInt, PetscInt, PetscMPIInt **, PetscMPIInt **);
