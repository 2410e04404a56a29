/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What is written: PETSc's own bytes where the format is PETSc's; several files that get their names together or not at
   all; and a disk that is full, here a limit on the size of files, which is an error in every format.
*/
#include "tap.h"
#include "../src/io/napiio.h"
#include <petscviewer.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Rank 0 goes into a folder of its own; the others do not write */
static PetscErrorCode EnterFolder(char folder[], size_t length)
{
  PetscFunctionBegin;
  PetscCall(PetscStrncpy(folder, "/tmp/napi-written-XXXXXX", length));
  PetscCheck(mkdtemp(folder) && !chdir(folder), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "No temporary folder");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How many files there are, hidden ones included */
static int CountFiles(void)
{
  DIR           *folder = opendir(".");
  struct dirent *entry;
  int            n = 0;

  while (folder && (entry = readdir(folder)))
    if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..")) n++;
  if (folder) (void)closedir(folder);
  return n;
}

static PetscErrorCode SameBytes(const char a[], const char b[], PetscBool *same)
{
  FILE *file[2] = {fopen(a, "rb"), fopen(b, "rb")};
  int   c;

  PetscFunctionBegin;
  *same = (PetscBool)(file[0] && file[1]);
  while (*same && (c = fgetc(file[0])) != EOF) *same = (PetscBool)(fgetc(file[1]) == c);
  if (*same) *same = (PetscBool)(fgetc(file[1]) == EOF && ftell(file[0]) > 0);
  for (int k = 0; k < 2; k++)
    if (file[k]) (void)fclose(file[k]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBytes(Mat X, PetscMPIInt rank)
{
  PetscViewer viewer;
  PetscBool   same = PETSC_TRUE;
  char        message[NAPI_MESSAGE_LENGTH];

  PetscFunctionBegin;
  PetscCall(PetscViewerCreate(PETSC_COMM_WORLD, &viewer));
  PetscCall(PetscViewerSetType(viewer, PETSCVIEWERBINARY));
  PetscCall(PetscViewerBinarySetSkipInfo(viewer, PETSC_TRUE));
  PetscCall(PetscViewerFileSetMode(viewer, FILE_MODE_WRITE));
  PetscCall(PetscViewerFileSetName(viewer, "viewed"));
  PetscCall(PetscViewerPushFormat(viewer, PETSC_VIEWER_NATIVE));
  PetscCall(MatView(X, viewer));
  PetscCall(PetscViewerPopFormat(viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(NAPIWriteDense(X, "written", message));
  if (!rank) PetscCall(SameBytes("viewed", "written", &same));
  PetscCall(TapOk((PetscBool)(same && !message[0]), "PETSc binary: byte by byte what PETSc writes"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestTogether(Mat X, PetscMPIInt rank)
{
  char message[NAPI_MESSAGE_LENGTH], other[NAPI_MESSAGE_LENGTH];
  int  before = CountFiles();

  PetscFunctionBegin;
  PetscCall(NAPIStageDense(X, "first.npy", message));
  PetscCall(NAPIStageDense(X, "second.npy", message));
  PetscCall(TapOk((PetscBool)(rank || (access("first.npy", F_OK) && access("second.npy", F_OK))), "files that are staged do not have their names yet"));
  PetscCall(NAPICommit(PETSC_COMM_WORLD, message));
  PetscCall(TapOk((PetscBool)(rank || (!access("first.npy", F_OK) && !access("second.npy", F_OK) && CountFiles() == before + 2)), "they all get them together"));
  PetscCall(NAPIStageDense(X, "third.npy", message));
  PetscCall(NAPIStageDense(X, "nowhere/fourth.npy", message));
  PetscCall(PetscStrncpy(other, message, sizeof(other)));
  PetscCall(NAPICommit(PETSC_COMM_WORLD, message));
  PetscCall(TapOk((PetscBool)(strstr(other, "nowhere/fourth.npy: cannot be written: No such") && !strcmp(other, message) && (rank || CountFiles() == before + 2)), "and none does if one cannot be written"));
  PetscCall(NAPIStageDense(X, "fifth.npy", message));
  NAPIRemoveTemporaries();
  PetscCall(NAPICommit(PETSC_COMM_WORLD, message));
  PetscCall(TapOk((PetscBool)(rank || CountFiles() == before + 2), "what is given up is gone"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The limit is in bytes; without the signal, too much is an error of write() */
static PetscErrorCode TestFullDisk(Mat X, PetscMPIInt rank)
{
  static const char *const names[] = {"full.npy", "full.mtx", "full.dat"};
  char                     message[NAPI_MESSAGE_LENGTH];
  struct rlimit            before, small;

  PetscFunctionBegin;
  (void)signal(SIGXFSZ, SIG_IGN);
  for (int k = 0; k < 3; k++) {
    const int files = CountFiles();

    (void)getrlimit(RLIMIT_FSIZE, &before);
    small          = before;
    small.rlim_cur = 100;
    if (!rank) (void)setrlimit(RLIMIT_FSIZE, &small);
    PetscCall(NAPIWriteDense(X, names[k], message));
    if (!rank) (void)setrlimit(RLIMIT_FSIZE, &before);
    PetscCall(TapOk((PetscBool)(!strncmp(message, names[k], 8) && strstr(message, ": cannot be written: File too large") && (rank || (access(names[k], F_OK) && CountFiles() == files))), "%s: no room on the disk is an error on all ranks, and leaves nothing", names[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  char        folder[PETSC_MAX_PATH_LEN], command[2 * PETSC_MAX_PATH_LEN];
  PetscMPIInt rank;
  Mat         X;

  PetscFunctionBeginUser;
  PetscCall(TapBegin(&argc, &argv));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) PetscCall(EnterFolder(folder, sizeof(folder)));
  PetscCallMPI(MPI_Bcast(folder, sizeof(folder), MPI_CHAR, 0, PETSC_COMM_WORLD));
  PetscCheck(!chdir(folder), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "No folder %s", folder);
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, 17, 3, NULL, &X));
  PetscCall(MatSetRandom(X, NULL));
  PetscCall(TestBytes(X, rank));
  PetscCall(TestTogether(X, rank));
  PetscCall(TestFullDisk(X, rank));
  PetscCall(MatDestroy(&X));
  (void)snprintf(command, sizeof(command), "rm -r '%s'", folder);
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  if (!rank) PetscCheck(!system(command), PETSC_COMM_SELF, PETSC_ERR_SYS, "This failed: %s", command);
  return TapEnd();
}
