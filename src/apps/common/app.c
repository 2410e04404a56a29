/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The frame of a program. Whatever goes wrong comes out as one sentence, "program: what is wrong", on standard error
   and in the exit status: wrong input, which the program finds itself, and errors of PETSc, SLEPc or our own library,
   such as a solver that refuses a problem or an option whose value makes no sense. -traceback shows the latter as PETSc
   does.

   A signal that asks the program to end, or a reader of its output that has gone, ends it without a word; what it has
   half written is removed. While a solver listens, Ctrl-C and SIGUSR1 ask it to stop and hand over what it has; a second Ctrl-C
   ends the program.
*/
#include "app.h"
#include "../../io/napiio.h"
#include <slepcnapi.h>
#include <slepcnapi/private/napicompat.h>
#include <petsctime.h>
#include <errno.h>
#include <signal.h>
#include <spawn.h>
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

static void App_Say(char message[])
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
static void App_EndBySignal(int number)
{
  int status;

  if (caught.rank) (void)sleep(2);
  if (child > 0 && !kill(child, SIGKILL)) (void)waitpid(child, &status, 0);
  NAPIRemoveTemporaries();
  (void)raise(number);
}

static void App_CatchSignals(void)
{
  const int        signals[] = {SIGTERM, SIGINT, SIGHUP, SIGPIPE};
  struct sigaction action, before;

  memset(&action, 0, sizeof(action));
  action.sa_handler = App_EndBySignal;
  action.sa_flags   = (int)SA_RESETHAND;
  (void)sigfillset(&action.sa_mask);
  for (size_t k = 0; k < sizeof(signals) / sizeof(signals[0]); k++) {
    /* nohup, and a shell that runs us in the background, ignore some of them; to a closed pipe that does not apply */
    if (!sigaction(signals[k], NULL, &before) && before.sa_handler == SIG_IGN && signals[k] != SIGPIPE) continue;
    (void)sigaction(signals[k], &action, NULL);
  }
  (void)signal(SIGXFSZ, SIG_IGN); /* a file that gets too large is an error of the one who writes, with a sentence */
}

/* --- Ctrl-C as a request --------------------------------------------------------------------------------------------- */

static volatile sig_atomic_t interrupts = 0;

static void App_AskToStop(int number)
{
  static const char text[] = "\r\033[Kstopping after this step; Ctrl-C once more ends at once";

  if (interrupts++) {
    (void)signal(number, SIG_DFL);
    App_EndBySignal(number);
  } else if (!caught.rank && isatty(STDERR_FILENO) && write(STDERR_FILENO, text, sizeof(text) - 1) < 0) return; /* nobody to tell */
}

/*
   NAPIListen - Begins, or ends, to take Ctrl-C (SIGINT), and SIGUSR1, as a request that NAPIIsInterrupted() tells of.
*/
PetscErrorCode NAPIListen(PetscBool listen)
{
  static struct sigaction before[2];
  const int               signals[] = {SIGINT, SIGUSR1};
  struct sigaction        action;

  PetscFunctionBegin;
  memset(&action, 0, sizeof(action));
  action.sa_handler = App_AskToStop;
  action.sa_flags   = SA_RESTART;
  (void)sigfillset(&action.sa_mask);
  for (int k = 0; k < 2; k++) {
    if (!listen) (void)sigaction(signals[k], &before[k], NULL);
    else if (!sigaction(signals[k], NULL, &before[k]) && before[k].sa_handler != SIG_IGN) (void)sigaction(signals[k], &action, NULL);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIHeardInterrupt - Whether this rank was asked to stop.
*/
PetscBool NAPIHeardInterrupt(void)
{
  return interrupts > 0 ? PETSC_TRUE : PETSC_FALSE;
}

/*
   NAPIIsInterrupted - Whether any rank was asked to stop. All ranks have to ask.
*/
PetscErrorCode NAPIIsInterrupted(PetscBool *interrupted)
{
  int mine = NAPIHeardInterrupt(), any;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD));
  *interrupted = any ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- errors -------------------------------------------------------------------------------------------------------- */

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
static PetscErrorCode App_Catch(MPI_Comm comm, int line, const char function[], const char file[], PetscErrorCode code, PetscErrorType type, const char message[], void *ctx)
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
  if (!caught.rank || !sleep(2)) App_Say(caught.message);                               /* woken early: the others are ending this rank */
  NAPIRemoveTemporaries();
  (void)MPI_Abort(PETSC_COMM_WORLD, NAPI_EXIT_WRONG_INPUT);
  _exit(NAPI_EXIT_WRONG_INPUT); /* MPI_Abort() may return before it takes effect */
}

/* Takes --help, --version and -version from the arguments, of which PETSc knows the last and means its own version */
static void App_TakeWords(int *argc, char **argv, PetscBool *brief, PetscBool *version)
{
  int n = 1;

  for (int i = 1; i < *argc; i++)
    if (!strcmp(argv[i], "--help")) *brief = PETSC_TRUE;
    else if (!strcmp(argv[i], "--version") || !strcmp(argv[i], "-version")) *version = PETSC_TRUE;
    else argv[n++] = argv[i];
  *argc   = n;
  argv[n] = NULL;
}

static PetscErrorCode App_ShowVersion(const char name[])
{
  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s %s (SLEPc %d.%d.%d, PETSc %d.%d.%d, %s numbers, %d-bit indices)\n", name, SLEPCNAPI_VERSION, SLEPC_VERSION_MAJOR, SLEPC_VERSION_MINOR, SLEPC_VERSION_SUBMINOR, PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, PETSC_VERSION_SUBMINOR, PetscDefined(USE_COMPLEX) ? "complex" : "real", (int)(8 * sizeof(PetscInt))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIRunProgram - Runs a program between SlepcInitialize() and SlepcFinalize(), both included. With -h or --help it is the help text
   that is shown; with -help, after which PETSc has shown that text and its own options, those of the solver, too; with --version or
   -version, the version.

   Input Parameters:
+  argc, argv        - of main()
.  name              - of the program, before the sentence that says what is wrong
.  help              - the text
.  showsolveroptions - creates a solver, which shows its options when it looks for them
-  program           - the program

   Returns the exit status
*/
int NAPIRunProgram(int argc, char **argv, const char name[], const char help[], PetscErrorCode (*showsolveroptions)(void), NAPIProgram program)
{
  PetscErrorCode ierr;
  PetscBool      traceback = PETSC_FALSE, full = PETSC_FALSE, brief = PETSC_FALSE, h = PETSC_FALSE, version = PETSC_FALSE, left = PETSC_FALSE;
  char           message[NAPI_MESSAGE_LENGTH] = "";
  int            status                       = NAPI_EXIT_FOUND;

  PetscFunctionBeginUser;
  App_TakeWords(&argc, argv, &brief, &version);
  PetscCall(SlepcInitialize(&argc, &argv, NULL, help));
  PetscCall(SlepcNAPIInitialize());
  caught.program = name;
  (void)MPI_Comm_rank(PETSC_COMM_WORLD, &caught.rank);
  (void)PetscOptionsGetBool(NULL, NULL, "-traceback", &traceback, NULL);
  (void)PetscOptionsHasHelp(NULL, &full);
  (void)PetscOptionsHasName(NULL, NULL, "-h", &h);
  App_CatchSignals();
  if (!traceback) (void)PetscPushErrorHandler(App_Catch, NULL);
  if (version) ierr = App_ShowVersion(name);
  else if (full) ierr = (*showsolveroptions)();
  else if (brief || h) ierr = PetscPrintf(PETSC_COMM_WORLD, "%s", help);
  else ierr = (*program)(&status, message);
  NAPIRemoveTemporaries(); /* none are left, but after an error */
  if (!ierr && !message[0] && (fflush(stdout) || ferror(stdout))) (void)snprintf(message, sizeof(message), "standard output: cannot be written: %s", strerror(errno));
  if (ierr || message[0]) {
    status = NAPI_EXIT_WRONG_INPUT;
    if (!caught.rank && (message[0] || !traceback)) App_Say(ierr ? caught.message : message);
  }
  if (!traceback) (void)PetscPopErrorHandler();
  /* one sentence is enough: what was not read by then says nothing */
  (void)PetscOptionsHasName(NULL, NULL, "-options_left", &left);
  if (status == NAPI_EXIT_WRONG_INPUT && !left) (void)PetscOptionsSetValue(NULL, "-options_left", "no");
  ierr = SlepcFinalize(); /* after an error, too: objects are left, and the ranks leave together */
  if (ierr && !status) status = NAPI_EXIT_WRONG_INPUT;
  return status;
}

/* --- what the programs do alike ------------------------------------------------------------------------------------ */

/*
   NAPIIsWatched - Whether this is the rank that tells somebody at a terminal how it goes.
*/
PetscErrorCode NAPIIsWatched(PetscBool *watched)
{
  PetscFunctionBegin;
  *watched = (PetscBool)(!caught.rank && isatty(STDERR_FILENO));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIShowStage - What is to be done now, if somebody watches; NULL: done.
*/
PetscErrorCode NAPIShowStage(const char what[])
{
  PetscBool watched;

  PetscFunctionBegin;
  PetscCall(NAPIIsWatched(&watched));
  if (watched) {
    (void)fprintf(stderr, "\r\033[K%s", what ? what : "");
    (void)fflush(stderr);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIElapsed - The seconds since a time, the most of all ranks.
*/
PetscErrorCode NAPIElapsed(PetscLogDouble start, PetscLogDouble *seconds)
{
  PetscFunctionBegin;
  PetscCall(PetscTime(seconds));
  *seconds -= start;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIReadViews - Reads two data sets of the same samples, and the names of their columns if there is room for them.
*/
PetscErrorCode NAPIReadViews(const char x[], const char y[], Mat view[2], char **names[2], char message[])
{
  PetscInt n, m;

  PetscFunctionBegin;
  PetscCall(NAPIReadData(PETSC_COMM_WORLD, x, &view[0], names ? &names[0] : NULL, message));
  if (!message[0]) PetscCall(NAPIReadData(PETSC_COMM_WORLD, y, &view[1], names ? &names[1] : NULL, message));
  if (message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetSize(view[0], &n, NULL));
  PetscCall(MatGetSize(view[1], &m, NULL));
  if (n != m) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s has %" PetscInt_FMT " rows and %s has %" PetscInt_FMT ": row i of both must be the same sample", x, n, y, m));
  PetscFunctionReturn(PETSC_SUCCESS);
}
