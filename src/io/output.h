/* SPDX-License-Identifier: BSD-2-Clause */
/*
   A file that is being written; on other ranks than 0, and after a failure, what is put into it goes nowhere.
*/
#pragma once

#include <petscsys.h>
#include <stdio.h>

typedef struct {
  FILE *file;
  int   failure; /* the first error number */
} NAPIOutput;

PETSC_INTERN PetscErrorCode NAPIOpenOutput(const char[], NAPIOutput *, char[]);
PETSC_INTERN void           NAPIPut(NAPIOutput *, const void *, size_t);
PETSC_INTERN void           NAPIPutText(NAPIOutput *, const char[]);
PETSC_INTERN void           NAPIPutNumber(NAPIOutput *, const void *, size_t, PetscBool);
PETSC_INTERN PetscErrorCode NAPICloseOutput(NAPIOutput *, const char[], char[]);
