/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The real data sets of NAPI_DATA, for the tests of CCA; a test that wants one which is not there is skipped by name.
*/
#pragma once
#include "ccadata.h"
#include "../src/io/napiio.h"

/* A folder's two views; with rows > 0 only that many of their rows */
PETSC_UNUSED static PetscErrorCode ReadViews(const char *folder, const char *x, const char *y, PetscInt rows, Mat *X, Mat *Y, PetscBool *there)
{
  char        path[PETSC_MAX_PATH_LEN], message[NAPI_MESSAGE_LENGTH];
  const char *data = getenv("NAPI_DATA");

  PetscFunctionBegin;
  *there = PETSC_FALSE;
  *X = *Y = NULL;
  for (int v = 0; v < 2; v++) {
    Mat *M = v ? Y : X;

    if (!data) break;
    PetscCall(PetscSNPrintf(path, sizeof(path), "%s/%s/%s.mtx.gz", data, folder, v ? y : x));
    PetscCall(PetscTestFile(path, 'r', there));
    if (!*there) break;
    PetscCall(NAPIReadMatrix(PETSC_COMM_WORLD, path, M, message));
    PetscCheck(!message[0], PETSC_COMM_WORLD, PETSC_ERR_FILE_READ, "%s", message);
    if (rows) {
      PetscInt first, last, cfirst, clast, m = PETSC_DECIDE;
      IS       r, c;
      Mat      part;

      PetscCall(PetscSplitOwnership(PETSC_COMM_WORLD, &m, &rows));
      PetscCallMPI(MPI_Scan(&m, &last, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
      first = last - m;
      PetscCall(MatGetOwnershipRangeColumn(*M, &cfirst, &clast));
      PetscCall(ISCreateStride(PETSC_COMM_WORLD, m, first, 1, &r));
      PetscCall(ISCreateStride(PETSC_COMM_WORLD, clast - cfirst, cfirst, 1, &c));
      PetscCall(MatCreateSubMatrix(*M, r, c, MAT_INITIAL_MATRIX, &part));
      PetscCall(ISDestroy(&r));
      PetscCall(ISDestroy(&c));
      PetscCall(MatDestroy(M));
      *M = part;
    }
  }
  if (!*there) {
    PetscCall(MatDestroy(X));
    PetscCall(TapSkip("NAPI_DATA does not have it", folder));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* MNIST: the left and right halves of 28 x 28 pictures, pixels between 0 and 1, as sparse matrices */
PETSC_UNUSED static PetscErrorCode ReadMNIST(Mat *X, Mat *Y, PetscBool *there)
{
  char          command[PETSC_MAX_PATH_LEN + 64], path[PETSC_MAX_PATH_LEN];
  const char   *data = getenv("NAPI_DATA");
  unsigned char header[16], *pictures;
  PetscInt      n = 0, first, last;
  FILE         *f;

  PetscFunctionBegin;
  *there = PETSC_FALSE;
  if (data) {
    PetscCall(PetscSNPrintf(path, sizeof(path), "%s/mnist/train-images-idx3-ubyte.gz", data));
    PetscCall(PetscTestFile(path, 'r', there));
  }
  if (!*there) {
    PetscCall(TapSkip("NAPI_DATA does not have it", "mnist"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscSNPrintf(command, sizeof(command), "gzip -dc '%s'", path));
  f = popen(command, "r");
  PetscCheck(f && fread(header, 1, 16, f) == 16 && header[3] == 3, PETSC_COMM_SELF, PETSC_ERR_FILE_READ, "no MNIST pictures in %s", path);
  n = ((PetscInt)header[4] << 24) + ((PetscInt)header[5] << 16) + ((PetscInt)header[6] << 8) + header[7];
  PetscCall(PetscMalloc1(784 * n, &pictures));
  PetscCheck((PetscInt)fread(pictures, 784, n, f) == n, PETSC_COMM_SELF, PETSC_ERR_FILE_READ, "%s is truncated", path);
  (void)pclose(f);
  for (int v = 0; v < 2; v++) {
    Mat *M = v ? Y : X;

    PetscCall(MatCreate(PETSC_COMM_WORLD, M));
    PetscCall(MatSetSizes(*M, PETSC_DECIDE, PETSC_DECIDE, n, 392));
    PetscCall(MatSetType(*M, MATAIJ));
    PetscCall(MatSeqAIJSetPreallocation(*M, 392, NULL));
    PetscCall(MatMPIAIJSetPreallocation(*M, 392, NULL, 392, NULL));
    PetscCall(MatGetOwnershipRange(*M, &first, &last));
    for (PetscInt i = first; i < last; i++) {
      PetscInt    cols[392], nz = 0;
      PetscScalar values[392];

      for (PetscInt p = 0; p < 392; p++) {
        unsigned char pixel = pictures[784 * i + 28 * (p / 14) + 14 * v + p % 14];

        if (!pixel) continue;
        cols[nz]     = p;
        values[nz++] = pixel / 255.0;
      }
      PetscCall(MatSetValues(*M, 1, &i, nz, cols, values, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(*M, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*M, MAT_FINAL_ASSEMBLY));
  }
  PetscCall(PetscFree(pictures));
  PetscFunctionReturn(PETSC_SUCCESS);
}
