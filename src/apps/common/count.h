/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What a solve costs: the columns A, B and the preconditioner are applied to, whatever the type of EPS.
*/
#pragma once

#include <slepceps.h>

typedef struct {
  PetscInt       A, B;    /* columns multiplied by A (also shifted, A - sigma B) and by B */
  PetscInt       PC;      /* columns the preconditioner, where there is one, was applied to */
  PetscLogDouble seconds; /* the longest of all ranks */
  PetscLogDouble cpu;     /* processor time, the most of all ranks: waiting for a message may count */
} NAPICost;

PETSC_INTERN PetscErrorCode NAPICountedSetUp(EPS, NAPICost *);
PETSC_INTERN PetscErrorCode NAPICountedSolve(EPS, NAPICost *);
