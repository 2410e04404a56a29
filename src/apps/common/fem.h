/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Finite-element stiffness/mass pairs on a box: the Laplacian, whose eigenvalues are known, and linear elasticity.
*/
#pragma once

#include <petscmat.h>
#include "../../io/napiio.h"

/* of an elastic body: Young's modulus and the density are one */
#define NAPI_FEM_POISSON 0.3

PETSC_INTERN PetscErrorCode NAPIFemSetGrid(PetscInt, PetscInt, const PetscInt[], const PetscReal[], PetscBool, NAPIMesh *);
PETSC_INTERN PetscErrorCode NAPIFemAssemble(MPI_Comm, const NAPIMesh *, PetscReal, Mat *, Mat *);
PETSC_INTERN PetscErrorCode NAPIFemCreateNullSpace(Mat, const NAPIMesh *, MatNullSpace *);
PETSC_INTERN PetscErrorCode NAPIFemCreate(MPI_Comm, PetscInt, const PetscInt[], Mat *, Mat *);
PETSC_INTERN PetscReal      NAPIFemEigenvalue(PetscInt, const PetscInt[], const PetscInt[]);
