/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The readers of files under libFuzzer: whatever bytes a file has, reading it gives a matrix or a sentence, never both,
   and never an error, a crash, a leak or more memory than the file is worth. `make fuzz` builds and runs it.
*/
#include "../../src/io/napiio.h"
#include <slepcnapi/private/napicompat.h>
#include <sanitizer/lsan_interface.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char file[PETSC_MAX_PATH_LEN];

static void Insist(int holds, const char what[], const char message[])
{
  if (holds) return;
  (void)fprintf(stderr, "%s: '%s'\n", what, message);
  abort();
}

static void RemoveFile(void)
{
  (void)remove(file);
}

/* One file in memory where there is such a file system, as the input of every run */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  static char  name[] = "read";
  static char *args[] = {name, NULL};
  char       **pargs  = args;
  int          pargc  = 1;

  (void)argc, (void)argv; /* libFuzzer's options are none of PETSc's */
  __lsan_disable();       /* MPI keeps things for itself until the process ends */
  if (PetscInitialize(&pargc, &pargs, NULL, NULL)) abort();
  __lsan_enable();
  if (PetscPushErrorHandler(PetscReturnErrorHandler, NULL)) abort();
  if (PetscPopSignalHandler()) abort();
  (void)snprintf(file, sizeof(file), "%s/napi-fuzz-%d", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm", (int)getpid());
  (void)atexit(RemoveFile);
  return 0;
}

static void WriteInput(const uint8_t bytes[], size_t length)
{
  FILE *out = fopen(file, "wb");

  if (!out || fwrite(bytes, 1, length, out) < length || fclose(out)) abort();
}

/* A sentence names the file, is one line, and holds nothing that a terminal would obey */
static void CheckMessage(const char message[])
{
  Insist(!strncmp(message, file, strlen(file)), "the sentence does not begin with the file's name", message);
  for (const char *p = message; *p; p++) Insist((unsigned char)*p >= ' ' && *p != 0x7f, "a control character in the sentence", message);
}

/* As a program wants it that leaves out columns and allows gaps, which are then dropped or filled */
static void ReadWithGaps(void)
{
  char            message[NAPI_MESSAGE_LENGTH] = "", **names;
  NAPIDataOptions options                      = {NAPI_MISSING_ERROR, NULL, NULL, NULL, 0, PETSC_FALSE, ""};
  NAPIColumns     drop;
  NAPIRows        rows;
  PetscScalar    *mean;
  PetscInt        gaps, n, empty;
  Mat             A;

  if (NAPIColumnsCreate("-drop", "a,2", &drop, message)) abort();
  options.missing = NAPI_MISSING_DROP;
  options.columns = NULL;
  options.drop    = &drop;
  Insist(!NAPIReadDataWith(PETSC_COMM_WORLD, file, &options, &A, &names, message), "an error code, reading data with gaps", message);
  Insist(!A == !!message[0], "a matrix and a sentence, or neither", message);
  if (message[0]) CheckMessage(message);
  if (A) {
    if (NAPIRowsCreate(A, file, &rows) || NAPIFindGaps(A, &rows, &gaps) || MatGetSize(A, NULL, &n) || PetscMalloc1(n, &mean) || NAPIFillGaps(A, PETSC_FALSE, mean, &empty) || PetscFree(mean)) abort();
    if (NAPIDropRows(&rows, &A) || NAPIRowsDestroy(&rows)) abort();
  }
  if (NAPIFreeNames(&names) || MatDestroy(&A) || NAPIColumnsDestroy(&drop)) abort();
}

/* As weights and labels of three samples */
static void ReadRows(void)
{
  char     message[NAPI_MESSAGE_LENGTH] = "", **names;
  NAPIRows rows                         = {"data", 3, 0, 3, NULL, 0};
  PetscInt count;
  IS       labels;
  Vec      weights;

  Insist(!NAPIReadWeights(PETSC_COMM_WORLD, file, &rows, &weights, message), "an error code, reading weights", message);
  Insist(!weights == !!message[0], "weights and a sentence, or neither", message);
  if (message[0]) CheckMessage(message);
  Insist(!NAPIReadLabels(PETSC_COMM_WORLD, file, &rows, &labels, &count, &names, message), "an error code, reading labels", message);
  Insist(!labels == !!message[0], "labels and a sentence, or neither", message);
  if (message[0]) CheckMessage(message);
  if (VecDestroy(&weights) || ISDestroy(&labels) || NAPIFreeNames(&names)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
  char message[NAPI_MESSAGE_LENGTH], **names;
  Mat  A;

  WriteInput(bytes, length);
  Insist(!NAPIReadData(PETSC_COMM_WORLD, file, &A, &names, message), "an error code, reading data", message);
  Insist(!A == !!message[0], "a matrix and a sentence, or neither", message);
  Insist(A || !names, "names without data", message);
  if (message[0]) CheckMessage(message);
  if (NAPIFreeNames(&names) || MatDestroy(&A)) abort();
  ReadWithGaps();
  ReadRows();
  Insist(!NAPIReadMatrix(PETSC_COMM_WORLD, file, &A, message), "an error code, reading a matrix", message);
  Insist(!A == !!message[0], "a matrix and a sentence, or neither", message);
  if (message[0]) CheckMessage(message);
  if (A) Insist(!NAPICheckHermitian(A, file, message), "an error code, comparing with the transpose", message);
  if (MatDestroy(&A)) abort();
  return 0;
}
