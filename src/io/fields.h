/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Lines of text and the fields on them, as spreadsheets, pandas and R write them.
*/
#pragma once

#include "source.h"

PETSC_INTERN PetscErrorCode NAPITextLine(NAPISource *, PetscBool *);
PETSC_INTERN PetscErrorCode NAPITextFilledLine(NAPISource *, PetscBool *);
PETSC_INTERN PetscBool      NAPITextIsBlank(const char[]);
PETSC_INTERN PetscBool      NAPIFieldNext(char, char **, char **, size_t *);
PETSC_INTERN size_t         NAPIFieldCopy(const char[], size_t, char[]);
PETSC_INTERN PetscBool      NAPIFieldIsMissing(const char[], size_t);
PETSC_INTERN PetscBool      NAPIFieldIsNumber(char, char[], size_t, double *, char *);
PETSC_INTERN void           NAPIFieldCount(char, char[], PetscInt64 *, PetscInt64 *);
PETSC_INTERN char           NAPIFieldSeparator(char[], char[]);
