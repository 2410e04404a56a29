/* SPDX-License-Identifier: BSD-2-Clause */
/*
   A finite-element stiffness/mass pair whose eigenvalues are known.
*/
#pragma once

#include <petscmat.h>

PETSC_INTERN PetscErrorCode NAPIFemCreate(MPI_Comm, PetscInt, const PetscInt[], Mat *, Mat *);
PETSC_INTERN PetscReal      NAPIFemEigenvalue(PetscInt, const PetscInt[], const PetscInt[]);
