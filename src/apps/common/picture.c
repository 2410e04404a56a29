/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Pictures, which a Python script beside the program draws from files in a temporary folder.
*/
#include "app.h"
#include <slepcnapi/private/napicompat.h>
#include "../../io/napiio.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_ARGUMENTS 8

/* The script is beside this program, and has its name with -plot behind it */
static PetscErrorCode Picture_ScriptName(const char program[], char name[])
{
  ssize_t length = readlink("/proc/self/exe", name, PETSC_MAX_PATH_LEN - sizeof("-plot"));

  PetscFunctionBegin;
  if (length < 0) PetscCall(PetscSNPrintf(name, PETSC_MAX_PATH_LEN, "%s-plot", program));
  else {
    name[length] = '\0';
    PetscCall(PetscStrlcat(name, "-plot", PETSC_MAX_PATH_LEN));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Draws into a file; the script says itself what is wrong if its exit status is 3. No picture does not make the results wrong. */
static PetscErrorCode Picture_RunScript(const char program[], int n, char *files[], char picture[], PetscBool *drawn)
{
  static char standard[] = "python3";
  const char *wanted     = getenv("NAPI_PYTHON");
  char       *python     = wanted && wanted[0] ? getenv("NAPI_PYTHON") : standard;
  char        script[PETSC_MAX_PATH_LEN];
  char       *argv[MAX_ARGUMENTS + 4] = {python, script};
  struct stat file;
  int         failure, status;

  PetscFunctionBegin;
  for (int i = 0; i < n; i++) argv[2 + i] = files[i];
  argv[2 + n] = picture;
  PetscCall(Picture_ScriptName(program, script));
  PetscCall(NAPIRunChild(argv, &failure, &status));
  *drawn = (PetscBool)(!failure && WIFEXITED(status) && !WEXITSTATUS(status) && !stat(picture, &file) && file.st_size);
  if (failure || (WIFEXITED(status) && WEXITSTATUS(status) == 127)) (void)fprintf(stderr, "%s: no picture: %s cannot be run; install Python 3 and matplotlib, or set NAPI_PYTHON to the Python that has it\n", program, python);
  else if (!*drawn && !(WIFEXITED(status) && WEXITSTATUS(status) == 3)) {
    (void)fprintf(stderr, "%s: no picture: %s has failed to run %s (", program, python, script);
    if (!WIFEXITED(status)) (void)fprintf(stderr, "signal %d)\n", WTERMSIG(status));
    else if (WEXITSTATUS(status)) (void)fprintf(stderr, "status %d)\n", WEXITSTATUS(status));
    else (void)fprintf(stderr, "it has drawn nothing); is NAPI_PYTHON a Python?\n");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIPlot - Draws a picture: makes a temporary folder, lets the program write files into it, and runs the script on them. Says
   where the picture is, or why there is none.

   Input Parameters:
+  program - its name, which the script's begins with
.  picture - the file that is to be drawn
.  n       - how many files the script needs
.  names   - what they are called in the folder
.  write   - writes them, given their whole names
-  ctx     - the last argument of write
*/
PetscErrorCode NAPIPlot(const char program[], const char picture[], int n, const char *const names[], PetscErrorCode (*write)(char *[], void *, char[]), void *ctx, char message[])
{
  char        folder[PETSC_MAX_PATH_LEN], part[PETSC_MAX_PATH_LEN], *files[MAX_ARGUMENTS];
  PetscMPIInt rank;
  PetscBool   drawn = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCheck(n <= MAX_ARGUMENTS, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "More than %d files for a picture", MAX_ARGUMENTS);
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PetscGetTmp(PETSC_COMM_WORLD, folder, sizeof(folder)));
  PetscCall(PetscStrlcat(folder, "/napi-XXXXXX", sizeof(folder)));
  if (!rank && !mkdtemp(folder)) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s: cannot be created: %s", folder, strerror(errno)));
  PetscCallMPI(MPI_Bcast(folder, sizeof(folder), MPI_CHAR, 0, PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Bcast(message, NAPI_MESSAGE_LENGTH, MPI_CHAR, 0, PETSC_COMM_WORLD));
  if (message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  if (!rank) PetscCall(NAPITemporary(folder));
  for (int i = 0; i < n; i++) {
    PetscCall(PetscMalloc1(PETSC_MAX_PATH_LEN, &files[i]));
    PetscCall(PetscSNPrintf(files[i], PETSC_MAX_PATH_LEN, "%s/%s", folder, names[i]));
    if (!rank) PetscCall(NAPITemporary(files[i]));
  }
  PetscCall((*write)(files, ctx, message));
  if (!message[0]) PetscCall(NAPIStageFile(PETSC_COMM_WORLD, picture, part, message));
  if (!rank && !message[0]) PetscCall(Picture_RunScript(program, n, files, part, &drawn));
  if (!rank && !drawn) NAPIRemoveTemporaries(); /* the part too: nothing gets its name */
  PetscCall(NAPICommit(PETSC_COMM_WORLD, message));
  if (!rank) NAPIRemoveTemporaries();
  if (drawn && !message[0]) PetscCall(PetscPrintf(PETSC_COMM_SELF, "picture: %s\n", picture));
  for (int i = 0; i < n; i++) PetscCall(PetscFree(files[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
