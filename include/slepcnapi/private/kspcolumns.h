/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What KSP types share that solve for many columns at once: their right-hand sides and solutions, and one convergence test.
*/
#pragma once

#include <petsc/private/kspimpl.h>
#include <slepcnapi.h>

/* Matrices in KSPMatSolve(), and the vectors of the KSP in KSPSolve(), where B and X are NULL */
SLEPC_INTERN PetscErrorCode KSPColumnsGetRHS(KSP, Mat, const PetscScalar **, PetscInt *);
SLEPC_INTERN PetscErrorCode KSPColumnsRestoreRHS(KSP, Mat, const PetscScalar **);
SLEPC_INTERN PetscErrorCode KSPColumnsGetSolution(KSP, Mat, PetscScalar **, PetscInt *);
SLEPC_INTERN PetscErrorCode KSPColumnsRestoreSolution(KSP, Mat, PetscScalar **);
SLEPC_INTERN PetscErrorCode KSPColumnsTest(KSP, Mat, Mat, PetscInt, const PetscReal[], const PetscReal[], PetscReal, PetscBool);
