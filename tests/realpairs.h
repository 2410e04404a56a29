/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The real pairs of NAPI_DATA/gep; a test that wants one which is not there is skipped by name.
*/
#pragma once
#include "tap.h"
#include "../src/io/napiio.h"

static PetscErrorCode Read(const char *name, Mat *M, PetscBool *there)
{
  char        path[PETSC_MAX_PATH_LEN], message[NAPI_MESSAGE_LENGTH];
  const char *folder = getenv("NAPI_DATA");

  PetscFunctionBegin;
  *M     = NULL;
  *there = PETSC_FALSE;
  if (!folder) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(path, sizeof(path), "%s/gep/%s.mtx.gz", folder, name));
  PetscCall(PetscTestFile(path, 'r', there));
  if (!*there) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(NAPIReadMatrix(PETSC_COMM_WORLD, path, M, message));
  PetscCheck(!message[0], PETSC_COMM_WORLD, PETSC_ERR_FILE_READ, "%s", message);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadPair(const char *a, const char *b, Mat *A, Mat *B, PetscBool *there)
{
  PetscFunctionBegin;
  *B = NULL;
  PetscCall(Read(a, A, there));
  if (*there) PetscCall(Read(b, B, there));
  if (!*there) {
    PetscCall(MatDestroy(A));
    PetscCall(TapSkip("NAPI_DATA/gep does not have it", a));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
