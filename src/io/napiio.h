/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Readers of matrices and data, writers of results.

   What is wrong with a user's file is not an error of the program: these functions return it as a sentence in
   message, the same on all ranks (an empty string means that all is well), and create nothing. The error code is for
   real errors, such as memory that runs out.
*/
#pragma once

#include <petscmat.h>

#define NAPI_MESSAGE_LENGTH (PETSC_MAX_PATH_LEN + 512)

PETSC_INTERN PetscErrorCode NAPIReadMatrix(MPI_Comm, const char[], Mat *, char[]);
PETSC_INTERN PetscErrorCode NAPIReadData(MPI_Comm, const char[], Mat *, char ***, char[]);
PETSC_INTERN PetscErrorCode NAPIFreeNames(char ***);
PETSC_INTERN const char    *NAPIReading(void);
PETSC_INTERN void           NAPIEscape(char[], size_t);
PETSC_INTERN PetscErrorCode NAPICheckHermitian(Mat, const char[], char[]);
PETSC_INTERN PetscErrorCode NAPICheckWritable(MPI_Comm, const char[], char[]);
PETSC_INTERN PetscErrorCode NAPICheckOutputs(MPI_Comm, int, const char *const[], int, const char *const[], char[]);
PETSC_INTERN PetscErrorCode NAPIStageDense(Mat, const char[], char[]);
PETSC_INTERN PetscErrorCode NAPIStageFile(MPI_Comm, const char[], char[], char[]);
PETSC_INTERN PetscErrorCode NAPICommit(MPI_Comm, char[]);
PETSC_INTERN PetscErrorCode NAPITemporary(const char[]);
PETSC_INTERN void           NAPIRemoveTemporaries(void);
PETSC_INTERN PetscErrorCode NAPIWriteDense(Mat, const char[], char[]);
PETSC_INTERN PetscErrorCode NAPIWriteText(MPI_Comm, const char[], const char[], char[]);
