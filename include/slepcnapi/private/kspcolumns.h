/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The KSP types, and what those share that solve for many columns at once: how they are called, their right-hand sides and
   solutions, inner products a column each, and one convergence test.
*/
#pragma once

#include <petsc/private/kspimpl.h>
#include <slepcnapi.h>
#include <slepcnapi/private/napidense.h>
#include <slepcnapi/private/napimethod.h>

SLEPC_EXTERN PetscErrorCode KSPCreate_BlockCG(KSP);
SLEPC_EXTERN PetscErrorCode KSPCreate_BlockChebyshev(KSP);
SLEPC_EXTERN PetscErrorCode KSPCreate_Nesterov(KSP);
SLEPC_EXTERN PetscErrorCode KSPCreate_SVRG(KSP);
SLEPC_EXTERN PetscErrorCode KSPCreate_Katyusha(KSP);
SLEPC_EXTERN PetscErrorCode KSPCreate_SAGA(KSP);
SLEPC_EXTERN PetscErrorCode KSPCreate_SDCA(KSP);

/* The data of a type for many columns begin with this */
typedef struct {
  PetscErrorCode (*solve)(KSP, PetscInt, Mat, Mat); /* for so many columns, B and X: NULL for the vectors of the KSP */
} KSPColumns;

SLEPC_INTERN PetscErrorCode KSPColumnsCreate(KSP, KSPColumns *, PetscErrorCode (*)(KSP, PetscInt, Mat, Mat));
SLEPC_INTERN PetscErrorCode KSPCheckTranspose_Private(KSP);

/* Blocks of columns: B and X are the matrices of KSPMatSolve(), or NULL for the vectors of the KSP */
SLEPC_INTERN PetscErrorCode KSPColumnsCopy(Mat, Vec, PetscInt, PetscInt, PetscScalar *);
SLEPC_INTERN PetscErrorCode KSPColumnsGetSolution(KSP, Mat, PetscScalar **, PetscInt *);
SLEPC_INTERN PetscErrorCode KSPColumnsRestoreSolution(KSP, Mat, PetscScalar **);
SLEPC_INTERN PetscErrorCode KSPColumnsCreateMat(KSP, PetscInt, PetscInt, PetscInt, PetscScalar *, Mat *);

/* Inner products of columns on this process, and their sums over all */
SLEPC_INTERN PetscErrorCode KSPColumnsDots(PetscInt, PetscInt, const PetscScalar *, PetscInt, const PetscScalar *, PetscInt, PetscReal *);
SLEPC_INTERN PetscErrorCode KSPColumnsReduce(KSP, PetscInt, PetscReal *);

/* The convergence test */
SLEPC_INTERN PetscBool      KSPColumnsRefersToRHS(KSP);
SLEPC_INTERN PetscErrorCode KSPColumnsReference(KSP, PetscInt, const PetscReal[], PetscReal[], PetscReal *);
SLEPC_INTERN PetscErrorCode KSPColumnsTest(KSP, Mat, Mat, PetscInt, const PetscReal[], const PetscReal[], PetscReal, PetscBool);

/* What was estimated for a matrix and its preconditioner, and is kept as long as they stay as they are */
typedef struct {
  PetscBool        known;
  PetscObjectId    id[2];
  PetscObjectState state[2];
} KSPEstimated;

SLEPC_INTERN PetscErrorCode KSPEstimatedIsFresh_Private(KSPEstimated *, Mat, Mat, PetscBool *);
SLEPC_INTERN PetscErrorCode KSPEstimateLargest_Private(KSP, KSPType, Mat, Mat, PetscReal *);

SLEPC_INTERN PetscErrorCode KSPIsStochastic_Private(KSP, PetscBool *);
SLEPC_INTERN PetscErrorCode KSPColumnsRemoveNullSpace(MatNullSpace, Mat, PetscInt);
