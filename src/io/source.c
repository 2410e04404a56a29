/*
   Opens a file of any format that is known, by its content and not by its name.
*/
#include "source.h"
#include <slepcnapi/private/napicompat.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

PetscErrorCode NAPISourceSay(NAPISource *source, const char *format, ...)
{
  va_list args;
  size_t  length;

  PetscFunctionBegin;
  if (source->message[0]) PetscFunctionReturn(PETSC_SUCCESS); /* the first thing that is wrong is the one to tell */
  (void)snprintf(source->message, NAPI_MESSAGE_LENGTH, "%s: ", source->name);
  length = strlen(source->message);
  va_start(args, format);
  (void)vsnprintf(source->message + length, NAPI_MESSAGE_LENGTH - length, format, args);
  va_end(args);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Runs gzip -dc with its standard streams in files */
static int RunGzip(FILE *in, FILE *out, FILE *err, int *status)
{
  static char                name[] = "gzip", option[] = "-dc";
  char                      *argv[] = {name, option, NULL};
  posix_spawn_file_actions_t actions;
  pid_t                      pid;
  int                        failure;

  failure = posix_spawn_file_actions_init(&actions);
  if (failure) return failure;
  if (!failure) failure = posix_spawn_file_actions_adddup2(&actions, fileno(in), STDIN_FILENO);
  if (!failure) failure = posix_spawn_file_actions_adddup2(&actions, fileno(out), STDOUT_FILENO);
  if (!failure) failure = posix_spawn_file_actions_adddup2(&actions, fileno(err), STDERR_FILENO);
  if (!failure) failure = posix_spawnp(&pid, name, &actions, NULL, argv, environ);
  (void)posix_spawn_file_actions_destroy(&actions);
  if (failure) return failure;
  while (waitpid(pid, status, 0) < 0)
    if (errno != EINTR) return errno;
  return 0;
}

/* What comes from a pipe, in which one cannot seek, is copied into an unnamed temporary file */
static PetscErrorCode CopyPipe(NAPISource *source)
{
  struct stat status;
  FILE       *copy;
  char        buffer[65536];
  size_t      length;

  PetscFunctionBegin;
  if (fstat(fileno(source->file), &status) || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))
    PetscFunctionReturn(PETSC_SUCCESS);
  source->plain = PETSC_FALSE;
  copy          = tmpfile();
  if (!copy) {
    PetscCall(NAPISourceSay(source, "no temporary file to copy it into: %s", strerror(errno)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  while ((length = fread(buffer, 1, sizeof(buffer), source->file)) > 0) (void)fwrite(buffer, 1, length, copy);
  if (ferror(source->file) || ferror(copy) || fflush(copy))
    PetscCall(NAPISourceSay(source, "cannot be copied into a temporary file: %s", strerror(errno)));
  (void)fclose(source->file);
  source->file = copy;
  rewind(copy);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Replaces the file by its decompressed content in an unnamed temporary file, in which one can seek. gzip does it,
   which is where .gz files are, so that we need no library.
*/
static PetscErrorCode Decompress(NAPISource *source)
{
  FILE *plain = tmpfile(), *errors = tmpfile();
  char  reason[256] = "";
  int   failure, status = 0;

  PetscFunctionBegin;
  if (!plain || !errors)
    PetscCall(NAPISourceSay(source, "no temporary file to decompress into: %s", strerror(errno)));
  else {
    (void)fflush(source->file);
    (void)lseek(fileno(source->file), 0, SEEK_SET); /* gzip inherits the position */
    failure = RunGzip(source->file, plain, errors, &status);
    if (failure)
      PetscCall(NAPISourceSay(source, "gzip is needed to decompress it and cannot be run: %s", strerror(failure)));
    else if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
      PetscCall(NAPISourceSay(source, "gzip is needed to decompress it and was not found"));
    else if (!WIFEXITED(status) || WEXITSTATUS(status) == 1) { /* 2 is a warning */
      rewind(errors);
      while (fgets(reason, sizeof(reason), errors) && reason[strspn(reason, " \n")] == '\0');
      reason[strcspn(reason, "\n")] = '\0';
      PetscCall(NAPISourceSay(source, "cannot be decompressed (%s)", reason[0] ? reason : "gzip failed"));
    }
  }
  if (errors) (void)fclose(errors);
  (void)fclose(source->file);
  source->file  = plain;
  source->plain = PETSC_FALSE;
  if (plain) rewind(plain);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Peek(NAPISource *source, unsigned char start[], size_t length)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(start, length));
  if (fread(start, 1, length, source->file) == 0) {
    if (ferror(source->file))
      PetscCall(NAPISourceSay(source, "cannot be read: %s", strerror(errno)));
    else
      PetscCall(NAPISourceSay(source, "is empty"));
  }
  rewind(source->file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Has the file been written to be read? A character of text of any language is no control character. */
static PetscBool IsText(const unsigned char start[], size_t length)
{
  for (size_t k = 0; k < length && start[k]; k++)
    if (start[k] < ' ' && !strchr("\t\n\r\f", start[k])) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* By the first bytes; a PETSc file begins with the class id of Mat, in 32 bits or, with 64-bit indices, in 64 */
static PetscErrorCode OpenFormat(NAPISource *source)
{
  static const unsigned char gzip[] = {0x1f, 0x8b}, petsc[] = {0, 0, 0, 0, 0x00, 0x12, 0x7b, 0x50};
  unsigned char              start[64];
  PetscBool                  known = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(CopyPipe(source));
  if (!source->message[0]) PetscCall(Peek(source, start, sizeof(start)));
  if (!source->message[0] && !memcmp(start, gzip, sizeof(gzip))) {
    PetscCall(Decompress(source));
    if (!source->message[0]) PetscCall(Peek(source, start, sizeof(start)));
  }
  if (source->message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  if (start[0] == '%' && start[1] == '%')
    PetscCall(NAPISourceOpenMatrixMarket(source));
  else if (!memcmp(start, petsc + 4, 4) || !memcmp(start, petsc, 8))
    PetscCall(NAPISourceOpenPetscBinary(source));
  else if (!memcmp(start, "\x93NUMPY", 6))
    PetscCall(NAPISourceOpenNumpy(source));
  else if (start[0] && IsText(start, sizeof(start)))
    PetscCall(NAPISourceOpenCsv(source, &known));
  else
    known = PETSC_FALSE;
  if (!known)
    PetscCall(NAPISourceSay(source,
                            "is neither a Matrix Market file nor a matrix in PETSc's binary format, a NumPy array "
                            "or a table of numbers (CSV)"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPISourceOpen - Opens a file and reads its header; to be closed whether or not message is empty afterwards.
*/
PetscErrorCode NAPISourceOpen(const char name[], char message[], NAPISource *source)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(source, sizeof(*source)));
  source->name    = name;
  source->message = message;
  message[0]      = '\0';
  source->plain   = PETSC_TRUE;
  source->file    = fopen(name, "rb");
  if (!source->file) {
    PetscCall(NAPISourceSay(source, "cannot be opened: %s", strerror(errno)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(OpenFormat(source));
  if (message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  if (source->rows < 1 || source->cols < 1)
    PetscCall(NAPISourceSay(source, "has no entries: it is %" PetscInt64_FMT " by %" PetscInt64_FMT, source->rows,
                            source->cols));
  else if (source->rows > PETSC_MAX_INT || source->cols > PETSC_MAX_INT)
    PetscCall(NAPISourceSay(source, "is too large for a PETSc with %d-bit indices", (int)(8 * sizeof(PetscInt))));
  else if (source->mirror != NAPI_MIRROR_NONE && source->rows != source->cols)
    PetscCall(NAPISourceSay(source, "claims to be symmetric and is not square: %" PetscInt64_FMT " by %" PetscInt64_FMT,
                            source->rows, source->cols));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NAPISourceClose(NAPISource *source)
{
  PetscFunctionBegin;
  if (source->close) PetscCall((*source->close)(source));
  PetscCall(NAPIFreeNames(&source->names));
  if (source->file) (void)fclose(source->file);
  source->file = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}
