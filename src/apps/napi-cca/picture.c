/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The picture of -plot, which the script napi-cca-plot draws from files in a temporary folder.
*/
#include "napi-cca.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The script is beside this program */
static PetscErrorCode Picture_ScriptName(Name name)
{
  ssize_t length = readlink("/proc/self/exe", name, sizeof(Name) - sizeof("-plot"));

  PetscFunctionBegin;
  if (length < 0) PetscCall(PetscStrncpy(name, "napi-cca-plot", sizeof(Name)));
  else {
    name[length] = '\0';
    PetscCall(PetscStrlcat(name, "-plot", sizeof(Name)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Draws into a file; the script says itself what is wrong if its exit status is 3. No picture does not make the
   results wrong. */
static PetscErrorCode Picture_RunScript(char json[], char x[], char y[], char picture[], PetscBool *drawn)
{
  static char standard[] = "python3";
  const char *wanted     = getenv("NAPI_PYTHON");
  char       *python     = wanted && wanted[0] ? getenv("NAPI_PYTHON") : standard;
  Name        script;
  char       *argv[] = {python, script, json, x, y, picture, NULL};
  struct stat file;
  int         failure, status;

  PetscFunctionBegin;
  PetscCall(Picture_ScriptName(script));
  PetscCall(NAPIRunChild(argv, &failure, &status));
  *drawn = (PetscBool)(!failure && WIFEXITED(status) && !WEXITSTATUS(status) && !stat(picture, &file) && file.st_size);
  if (failure || (WIFEXITED(status) && WEXITSTATUS(status) == 127))
    (void)fprintf(stderr,
                  "napi-cca: no picture: %s cannot be run; install Python 3 and matplotlib, or set NAPI_PYTHON to the "
                  "Python that has it\n",
                  python);
  else if (!*drawn && !(WIFEXITED(status) && WEXITSTATUS(status) == 3)) {
    (void)fprintf(stderr, "napi-cca: no picture: %s has failed to run %s (", python, script);
    if (!WIFEXITED(status)) (void)fprintf(stderr, "signal %d)\n", WTERMSIG(status));
    else if (WEXITSTATUS(status)) (void)fprintf(stderr, "status %d)\n", WEXITSTATUS(status));
    else (void)fprintf(stderr, "it has drawn nothing); is NAPI_PYTHON a Python?\n");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the picture shows goes through files in a temporary folder: the scores, and the results */
PetscErrorCode NAPICCAPlot(const Options *o, const Data *d, const Result *r, const Path *path, char message[])
{
  Name        folder, json, score[2], part;
  PetscMPIInt rank;
  PetscBool   drawn = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PetscGetTmp(PETSC_COMM_WORLD, folder, sizeof(Name)));
  PetscCall(PetscStrlcat(folder, "/napi-cca-XXXXXX", sizeof(Name)));
  if (!rank && !mkdtemp(folder)) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s: cannot be created: %s", folder, strerror(errno)));
  PetscCallMPI(MPI_Bcast(folder, sizeof(Name), MPI_CHAR, 0, PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Bcast(message, NAPI_MESSAGE_LENGTH, MPI_CHAR, 0, PETSC_COMM_WORLD));
  if (message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(json, sizeof(Name), "%s/j", folder));
  PetscCall(PetscSNPrintf(score[0], sizeof(Name), "%s/x.npy", folder));
  PetscCall(PetscSNPrintf(score[1], sizeof(Name), "%s/y.npy", folder));
  if (!rank) {
    PetscCall(NAPITemporary(folder));
    PetscCall(NAPITemporary(json));
    for (int i = 0; i < 2; i++) PetscCall(NAPITemporary(score[i]));
  }
  PetscCall(NAPICCAWriteJson(o, d, r, path, json, message));
  for (int i = 0; i < 2 && !message[0]; i++) PetscCall(NAPIWriteDense(r->score[i], score[i], message));
  if (!message[0]) PetscCall(NAPIStageFile(PETSC_COMM_WORLD, o->plot, part, message));
  if (!rank && !message[0]) PetscCall(Picture_RunScript(json, score[0], score[1], part, &drawn));
  if (!rank && !drawn) NAPIRemoveTemporaries(); /* the part too: nothing gets its name */
  PetscCall(NAPICommit(PETSC_COMM_WORLD, message));
  if (!rank) NAPIRemoveTemporaries();
  if (drawn && !message[0]) PetscCall(PetscPrintf(PETSC_COMM_SELF, "picture: %s\n", o->plot));
  PetscFunctionReturn(PETSC_SUCCESS);
}
