/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What the tests of the readers and writers share: a temporary folder that all ranks know, files in it, and commands. Rank 0
   does what is done, the others wait for it.
*/
#pragma once
#include "tap.h"
#include "../src/io/napiio.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define MM "%%MatrixMarket matrix "

static char folder[PETSC_MAX_PATH_LEN];

/* A command in the folder */
PETSC_UNUSED static PetscErrorCode Shell(const char command[])
{
  char        whole[2 * PETSC_MAX_PATH_LEN];
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  (void)snprintf(whole, sizeof(whole), "cd '%s' && %s", folder, command);
  if (!rank) PetscCheck(!system(whole), PETSC_COMM_SELF, PETSC_ERR_SYS, "This failed: %s", whole);
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PETSC_UNUSED static PetscErrorCode MakeFolder(void)
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PetscStrncpy(folder, "/tmp/napi-io-XXXXXX", sizeof(folder)));
  if (!rank) PetscCheck(mkdtemp(folder), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "No temporary folder");
  PetscCallMPI(MPI_Bcast(folder, sizeof(folder), MPI_CHAR, 0, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PETSC_UNUSED static PetscErrorCode RemoveFolder(void)
{
  PetscFunctionBegin;
  PetscCall(Shell("rm -r \"$PWD\""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PETSC_UNUSED static PetscErrorCode InFolder(const char name[], char path[])
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(path, PETSC_MAX_PATH_LEN, "%s/%s", folder, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A file with these bytes and, behind them, as many zeros as make it this long (0: none), which take no room on the disk */
PETSC_UNUSED static PetscErrorCode WriteSparseFile(const char path[], const void *bytes, size_t length, off_t size)
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD)); /* nobody reads what was there before */
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) {
    FILE *file = fopen(path, "wb");

    PetscCheck(file && fwrite(bytes, 1, length, file) == length && !fflush(file) && (size <= (off_t)length || !ftruncate(fileno(file), size)) && !fclose(file), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "Cannot write %s", path);
  }
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PETSC_UNUSED static PetscErrorCode WriteFile(const char path[], const void *bytes, size_t length)
{
  PetscFunctionBegin;
  PetscCall(WriteSparseFile(path, bytes, length, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}
