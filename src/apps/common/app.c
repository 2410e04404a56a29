/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The frame of a program. Whatever goes wrong comes out as one sentence, "program: what is wrong", on standard error
   and in the exit status: wrong input, which the program finds itself, and errors of PETSc, SLEPc or our own library,
   such as a solver that refuses a problem or an option whose value makes no sense. -traceback shows the latter as PETSc
   does.

   A signal that asks the program to end, or a reader of its output that has gone, ends it without a word; what it has
   half written is removed.
*/
#include "app.h"
#include "../../io/napiio.h"
#include <slepcnapi.h>
#include <slepcnapi/private/napicompat.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static struct {
  const char *program;
  int         rank;
  char        message[NAPI_MESSAGE_LENGTH]; /* of the first error; its first line */
} caught;

static volatile pid_t child = 0; /* another program that runs for us */

static void Say(char message[])
{
  NAPIEscape(message, NAPI_MESSAGE_LENGTH);
  if (isatty(STDERR_FILENO)) (void)fputs("\r\033[K", stderr); /* whatever was said of the progress */
  (void)fprintf(stderr, "%s: %s\n", caught.program, message);
  (void)fflush(stderr);
}

/*
   The handler of signals; its own second coming ends the program as if there were no handler. When a rank is gone the
   others are killed, so that rank 0, which writes the files, has to be the first.
*/
static void EndBySignal(int number)
{
  int status;

  if (caught.rank) (void)sleep(2);
  if (child > 0 && !kill(child, SIGKILL)) (void)waitpid(child, &status, 0);
  NAPIRemoveTemporaries();
  (void)raise(number);
}

static void CatchSignals(void)
{
  const int        signals[] = {SIGTERM, SIGINT, SIGHUP, SIGPIPE};
  struct sigaction action, before;

  memset(&action, 0, sizeof(action));
  action.sa_handler = EndBySignal;
  action.sa_flags   = (int)SA_RESETHAND;
  (void)sigfillset(&action.sa_mask);
  for (size_t k = 0; k < sizeof(signals) / sizeof(signals[0]); k++) {
    /* nohup, and a shell that runs us in the background, ignore some of them; to a closed pipe that does not apply */
    if (!sigaction(signals[k], NULL, &before) && before.sa_handler == SIG_IGN && signals[k] != SIGPIPE) continue;
    (void)sigaction(signals[k], &action, NULL);
  }
  (void)signal(SIGXFSZ, SIG_IGN); /* a file that gets too large is an error of the one who writes, with a sentence */
}

/*
   NAPIRunChild - Runs another program and waits for it.

   Output Parameters:
+  failure - why it could not be run, an error number, or 0
-  status  - as waitpid() gives it
*/
PetscErrorCode NAPIRunChild(char *argv[], int *failure, int *status)
{
  pid_t pid = 0;

  PetscFunctionBegin;
  *status = 0;
  (void)fflush(stdout);
  *failure = posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ);
  if (!*failure) {
    child = pid;
    while (waitpid(pid, status, 0) < 0)
      if (errno != EINTR) {
        *failure = errno;
        break;
      }
    child = 0;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The error handler. An error that all ranks share is passed up to NAPIRunProgram(). One that is a rank's own, while
   the others may be waiting for it, has to end them all. If all have the same, rank 0 speaks first.
*/
static PetscErrorCode Catch(MPI_Comm comm, int line, const char function[], const char file[], PetscErrorCode code, PetscErrorType type, const char message[], void *ctx)
{
  int size, all;

  if (code == PETSC_ERR_SIG) return PetscTraceBackErrorHandler(comm, line, function, file, code, type, message, ctx); /* a crash */
  if (type != PETSC_ERROR_INITIAL || caught.message[0]) return code;
  if (code == PETSC_ERR_MEM && message && !strncmp(message, "Memory requested ", 17))
    (void)snprintf(caught.message, sizeof(caught.message), "%s%smemory has run out: %s bytes more were asked for", NAPIReading() ? NAPIReading() : "", NAPIReading() ? ": " : "", message + 17);
  else (void)snprintf(caught.message, sizeof(caught.message), "%s", message && message[0] ? message : "an error without a message");
  caught.message[strcspn(caught.message, "\n")] = '\0';
  (void)MPI_Comm_size(comm == MPI_COMM_NULL ? MPI_COMM_SELF : comm, &size);
  (void)MPI_Comm_size(PETSC_COMM_WORLD, &all);
  if (size == all || (function && !strncmp(function, "PetscOptions", 12))) return code; /* options are the same everywhere */
  if (!caught.rank || !sleep(2)) Say(caught.message);                                   /* woken early: the others are ending this rank */
  NAPIRemoveTemporaries();
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
  int            status                       = NAPI_EXIT_FOUND;

  caught.program = name;
  (void)MPI_Comm_rank(PETSC_COMM_WORLD, &caught.rank);
  (void)PetscOptionsGetBool(NULL, NULL, "-traceback", &traceback, NULL);
  CatchSignals();
  if (!traceback) (void)PetscPushErrorHandler(Catch, NULL);
  ierr = (*program)(&status, message);
  NAPIRemoveTemporaries(); /* none are left, but after an error */
  if (!ierr && !message[0] && (fflush(stdout) || ferror(stdout))) (void)snprintf(message, sizeof(message), "standard output: cannot be written: %s", strerror(errno));
  if (ierr || message[0]) {
    status = NAPI_EXIT_WRONG_INPUT;
    if (!caught.rank && (message[0] || !traceback)) Say(ierr ? caught.message : message);
  }
  if (!traceback) (void)PetscPopErrorHandler();
  ierr = SlepcFinalize(); /* after an error, too: objects are left, and the ranks leave together */
  if (ierr && !status) status = NAPI_EXIT_WRONG_INPUT;
  return status;
}

/* --- options --------------------------------------------------------------------------------------------------- */

/* PETSc's own functions take what they understand of a value and leave it at that: here it has to be all of it */

/* The value of an option that has to have one; NULL if the option is not there, and if its value is missing */
static PetscErrorCode GetValue(const char option[], const char **value, PetscBool *set, char message[])
{
  PetscFunctionBegin;
  *value = NULL;
  PetscCall(PetscOptionsFindPair(NULL, NULL, option, value, set));
  if (*set && (!*value || !(*value)[0])) {
    *value = NULL;
    if (!message[0]) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s needs a value after it", option));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIGetName - Gets the value of an option that has to have one; says so if it has none, or one that is too long.
*/
PetscErrorCode NAPIGetName(const char option[], char name[], size_t length, PetscBool *set, char message[])
{
  const char *value;

  PetscFunctionBegin;
  name[0] = '\0';
  PetscCall(GetValue(option, &value, set, message));
  if (!value) PetscFunctionReturn(PETSC_SUCCESS);
  if (strlen(value) >= length && !message[0]) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "the name after %s is too long: it has %d characters", option, (int)PetscMin(strlen(value), 1000000)));
  PetscCall(PetscStrncpy(name, value, length));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIGetInts - Gets at most max integers, with commas between them; says so if the option has any other value.
*/
PetscErrorCode NAPIGetInts(const char option[], PetscInt max, PetscInt values[], PetscInt *n, PetscBool *set, char message[])
{
  const char *value, *p;

  PetscFunctionBegin;
  *n = 0;
  PetscCall(GetValue(option, &value, set, message));
  if (!value || message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  for (p = value;; p++) {
    char     *end;
    long long number;

    errno  = 0;
    number = strtoll(p, &end, 10);
    if (end == p || (*end && *end != ',')) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s: '%.200s' has no integer value", option, value));
    else if (errno == ERANGE || number > (long long)PETSC_MAX_INT || number < (long long)PETSC_MIN_INT)
      PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s: '%.200s' is too large, more than %" PetscInt_FMT, option, value, (PetscInt)PETSC_MAX_INT));
    else if (*n == max) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s: '%.200s' is more than %" PetscInt_FMT " number%s", option, value, max, max == 1 ? "" : "s"));
    else values[(*n)++] = (PetscInt)number;
    p = end;
    if (message[0] || !*p) break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIGetReals - Gets at most max numbers, with commas between them; says so if the option has any other value.
*/
PetscErrorCode NAPIGetReals(const char option[], PetscInt max, PetscReal values[], PetscInt *n, PetscBool *set, char message[])
{
  const char *value, *p;

  PetscFunctionBegin;
  *n = 0;
  PetscCall(GetValue(option, &value, set, message));
  if (!value || message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  for (p = value;; p++) {
    char        *end;
    const double number = strtod(p, &end);

    if (end == p || (*end && *end != ',') || !isfinite(number)) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s: '%.200s' is not a number%s", option, value, max > 1 ? ", or several with commas between them" : ""));
    else if (*n == max) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s: '%.200s' is more than %" PetscInt_FMT " number%s", option, value, max, max == 1 ? "" : "s"));
    else values[(*n)++] = (PetscReal)number;
    p = end;
    if (message[0] || !*p) break;
  }
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
  if (PetscIsInfOrNanReal(value)) (void)fputs("null", json->file);
  else (void)fprintf(json->file, "%.17g", (double)value);
}

void NAPIJsonText(NAPIJson *json, const char key[], const char value[])
{
  Key(json, key);
  (void)fputc('"', json->file);
  for (; *value; value++) {
    if (*value == '"' || *value == '\\') (void)fprintf(json->file, "\\%c", *value);
    else if ((unsigned char)*value < ' ') (void)fprintf(json->file, "\\u%04x", (unsigned)*value);
    else (void)fputc(*value, json->file);
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
