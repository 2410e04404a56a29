/*
   The frame of a program. Whatever goes wrong comes out as one sentence, "program: what is wrong", on standard error
   and in the exit status: wrong input, which the program finds itself, and errors of PETSc, SLEPc or our own library,
   such as a solver that refuses a problem or an option whose value makes no sense. -traceback shows the latter as PETSc
   does.
*/
#include "app.h"
#include "../../io/napiio.h"
#include <slepcnapi.h>
#include <slepcnapi/private/napicompat.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
  const char *program;
  char        message[NAPI_MESSAGE_LENGTH]; /* of the first error; its first line */
} caught;

static void Say(const char message[])
{
  if (isatty(STDERR_FILENO)) (void)fputs("\r\033[K", stderr); /* whatever was said of the progress */
  (void)fprintf(stderr, "%s: %s\n", caught.program, message);
  (void)fflush(stderr);
}

/*
   The error handler. An error that all ranks share is passed up to NAPIRunProgram(). One that is a rank's own, while
   the others may be waiting for it, has to end them all. If all have the same, rank 0 speaks first.
*/
static PetscErrorCode Catch(MPI_Comm comm, int line, const char function[], const char file[], PetscErrorCode code,
                            PetscErrorType type, const char message[], void *ctx)
{
  int rank, size, all;

  if (code == PETSC_ERR_SIG)
    return PetscTraceBackErrorHandler(comm, line, function, file, code, type, message, ctx); /* a crash */
  if (type != PETSC_ERROR_INITIAL || caught.message[0]) return code;
  (void)snprintf(caught.message, sizeof(caught.message), "%s",
                 message && message[0] ? message : "an error without a message");
  caught.message[strcspn(caught.message, "\n")] = '\0';
  (void)MPI_Comm_size(comm == MPI_COMM_NULL ? MPI_COMM_SELF : comm, &size);
  (void)MPI_Comm_size(PETSC_COMM_WORLD, &all);
  if (size == all || (function && !strncmp(function, "PetscOptions", 12)))
    return code; /* options are the same everywhere */
  (void)MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  if (!rank || !sleep(2)) Say(caught.message); /* woken early: the others are ending this rank */
  (void)MPI_Abort(PETSC_COMM_WORLD, NAPI_EXIT_WRONG_INPUT);
  _exit(NAPI_EXIT_WRONG_INPUT); /* MPI_Abort() may return before it takes effect */
}

/*
   NAPIRunProgram - Runs a program between SlepcInitialize() and SlepcFinalize(), the latter included.

   Returns the exit status
*/
int NAPIRunProgram(const char name[], NAPIProgram program)
{
  PetscErrorCode ierr;
  PetscBool      traceback                    = PETSC_FALSE;
  char           message[NAPI_MESSAGE_LENGTH] = "";
  int            status = NAPI_EXIT_FOUND, rank = 0;

  caught.program = name;
  (void)PetscOptionsGetBool(NULL, NULL, "-traceback", &traceback, NULL);
  (void)MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  if (!traceback) (void)PetscPushErrorHandler(Catch, NULL);
  ierr = (*program)(&status, message);
  if (ierr || message[0]) {
    status = NAPI_EXIT_WRONG_INPUT;
    if (!rank && (message[0] || !traceback)) Say(ierr ? caught.message : message);
  }
  if (!traceback) (void)PetscPopErrorHandler();
  ierr = SlepcFinalize(); /* after an error, too: objects are left, and the ranks leave together */
  if (ierr && !status) status = NAPI_EXIT_WRONG_INPUT;
  return status;
}

/*
   NAPIGetName - Gets the value of an option that has to have one; says so if it has none.
*/
PetscErrorCode NAPIGetName(const char option[], char name[], size_t length, PetscBool *set, char message[])
{
  PetscFunctionBegin;
  name[0] = '\0';
  PetscCall(PetscOptionsGetString(NULL, NULL, option, name, length, set));
  if (*set && !name[0] && !message[0])
    PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s needs a value after it", option));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- JSON ----------------------------------------------------------------------------------------------------- */

PetscErrorCode NAPIJsonBegin(NAPIJson *json)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(json, sizeof(*json)));
  json->file = open_memstream(&json->text, &json->length);
  PetscCheck(json->file, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory to compose the JSON file");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void Key(NAPIJson *json, const char key[])
{
  (void)fprintf(json->file, "%s\n  \"%s\": ", json->members++ ? "," : "{", key);
}

/* JSON knows neither infinities nor NaN */
static void Number(NAPIJson *json, PetscReal value)
{
  if (PetscIsInfOrNanReal(value))
    (void)fputs("null", json->file);
  else
    (void)fprintf(json->file, "%.17g", (double)value);
}

void NAPIJsonText(NAPIJson *json, const char key[], const char value[])
{
  Key(json, key);
  (void)fputc('"', json->file);
  for (; *value; value++) {
    if (*value == '"' || *value == '\\')
      (void)fprintf(json->file, "\\%c", *value);
    else if ((unsigned char)*value < ' ')
      (void)fprintf(json->file, "\\u%04x", (unsigned)*value);
    else
      (void)fputc(*value, json->file);
  }
  (void)fputc('"', json->file);
}

void NAPIJsonBool(NAPIJson *json, const char key[], PetscBool value)
{
  Key(json, key);
  (void)fputs(value ? "true" : "false", json->file);
}

void NAPIJsonInteger(NAPIJson *json, const char key[], PetscInt value)
{
  Key(json, key);
  (void)fprintf(json->file, "%" PetscInt_FMT, value);
}

void NAPIJsonReal(NAPIJson *json, const char key[], PetscReal value)
{
  Key(json, key);
  Number(json, value);
}

void NAPIJsonReals(NAPIJson *json, const char key[], PetscInt n, const PetscReal values[])
{
  Key(json, key);
  (void)fputc('[', json->file);
  for (PetscInt i = 0; i < n; i++) {
    if (i) (void)fputs(", ", json->file);
    Number(json, values[i]);
  }
  (void)fputc(']', json->file);
}

PetscErrorCode NAPIJsonEnd(NAPIJson *json, const char name[], char message[])
{
  PetscFunctionBegin;
  (void)fputs("\n}\n", json->file);
  PetscCheck(!fclose(json->file), PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory to compose the JSON file");
  PetscCall(NAPIWriteText(PETSC_COMM_WORLD, name, json->text, message));
  free(json->text);
  PetscFunctionReturn(PETSC_SUCCESS);
}
