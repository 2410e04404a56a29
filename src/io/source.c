/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Opens a file of any format that is known, by its content and not by its name.
*/
#include "source.h"
#include <slepcnapi/private/napicompat.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* How many bytes the character at p has, in UTF-8; 0 if it is none, or one that controls a terminal */
static size_t Source_PrintableLength(const unsigned char *p)
{
  const size_t length = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf5 ? 4 : 0;

  if (p[0] < ' ' || p[0] == 0x7f || (p[0] == 0xc2 && p[1] < 0xa0)) return 0;
  for (size_t k = 1; k < length; k++)
    if ((p[k] & 0xc0) != 0x80) return 0; /* also at the end of the string */
  return length;
}

/*
   NAPIEscape - Rewrites a string in place, which has room for so many bytes, so that it can be shown on a terminal:
   what is neither text nor a blank, and may come from a file, becomes \x and two digits. What does not fit is cut off.
*/
void NAPIEscape(char string[], size_t room)
{
  char *copy = strdup(string);
  char *to   = string;

  if (!copy) { /* no memory for a copy: shorter, but as safe */
    for (; *to; to++)
      if (!Source_PrintableLength((const unsigned char *)to)) *to = '?';
    return;
  }
  for (const unsigned char *p = (const unsigned char *)copy; *p;) {
    const size_t length = Source_PrintableLength(p), needed = length ? length : 4;

    if ((size_t)(to - string) + needed >= room) break;
    if (length) memcpy(to, p, length);
    else (void)snprintf(to, 5, "\\x%02x", *p);
    to += needed;
    p += length ? length : 1;
  }
  *to = '\0';
  free(copy);
}

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
  NAPIEscape(source->message, NAPI_MESSAGE_LENGTH);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Starts gzip -dc, which reads a file and writes into a pipe, of which *out is our end */
static int Source_StartGzip(FILE *in, FILE *errors, FILE **out, pid_t *pid)
{
  static char                name[] = "gzip", option[] = "-dc";
  char                      *argv[] = {name, option, NULL};
  posix_spawn_file_actions_t actions;
  int                        failure, ends[2];

  if (pipe(ends)) return errno;
  (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC); /* a child that holds them would never see, or give, an end */
  (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  failure = posix_spawn_file_actions_init(&actions);
  if (!failure) {
    failure = posix_spawn_file_actions_adddup2(&actions, fileno(in), STDIN_FILENO);
    if (!failure) failure = posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    if (!failure) failure = posix_spawn_file_actions_adddup2(&actions, fileno(errors), STDERR_FILENO);
    if (!failure) failure = posix_spawnp(pid, name, &actions, NULL, argv, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
  }
  (void)close(ends[1]);
  *out = failure ? NULL : fdopen(ends[0], "rb");
  if (!*out) (void)close(ends[0]);
  return failure;
}

/* Has the file been written to be read? A character of text of any language is no control character. */
static PetscBool Source_IsText(const unsigned char start[], size_t length)
{
  for (size_t k = 0; k < length && start[k]; k++)
    if (start[k] < ' ' && !strchr("\t\n\r\f", start[k])) return PETSC_FALSE;
  return PETSC_TRUE;
}

typedef enum {
  FORMAT_UNKNOWN,
  FORMAT_GZIP,
  FORMAT_MATRIXMARKET,
  FORMAT_PETSC,
  FORMAT_NUMPY,
  FORMAT_ZIP,
  FORMAT_TEXT
} Format;

#define START 64 /* bytes that tell the format */

/* By the first bytes; a PETSc file begins with the class id of Mat, in 32 bits or, with 64-bit indices, in 64 */
static Format Source_FindFormat(const unsigned char start[START])
{
  static const unsigned char gzip[] = {0x1f, 0x8b}, petsc[] = {0, 0, 0, 0, 0x00, 0x12, 0x7b, 0x50};

  if (!memcmp(start, gzip, sizeof(gzip))) return FORMAT_GZIP;
  if (start[0] == '%' && start[1] == '%') return FORMAT_MATRIXMARKET;
  if (!memcmp(start, petsc + 4, 4) || !memcmp(start, petsc, 8)) return FORMAT_PETSC;
  if (!memcmp(start, "\x93NUMPY", 6)) return FORMAT_NUMPY;
  if (!memcmp(start, "PK\3\4", 4)) return FORMAT_ZIP;
  return start[0] && Source_IsText(start, START) ? FORMAT_TEXT : FORMAT_UNKNOWN;
}

static PetscErrorCode Source_SayUnknown(NAPISource *source)
{
  PetscFunctionBegin;
  PetscCall(NAPISourceSay(source, "is neither a Matrix Market file nor a matrix in PETSc's binary format, a NumPy array (.npy, .npz) "
                                  "or a table of numbers (CSV)"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   A few compressed bytes can be any number of others, and a line is in memory as a whole. How many times longer a text
   gets tells nothing (tables of zeros are a thousand times shorter when compressed); but no table has such lines.
*/
#if !defined(NAPI_LONGEST_LINE)
  #define NAPI_LONGEST_LINE 268435456
#endif

/* How long the line is at least that ends in these bytes or goes on after them, given how long it was before them */
static size_t Source_LineLength(size_t before, const unsigned char bytes[], size_t length)
{
  size_t k = length;

  while (k && bytes[k - 1] != '\n') k--;
  return k ? length - k : before + length;
}

/*
   Copies what comes from a pipe, in which one cannot seek, into an unnamed temporary file; no more of it than its first
   bytes if these already tell that it is nothing to be read.
*/
static PetscErrorCode Source_Copy(NAPISource *source, FILE *from, FILE *to)
{
  unsigned char buffer[65536];
  size_t        length, line = 0;
  PetscBool     first = PETSC_TRUE, text = PETSC_FALSE;

  PetscFunctionBegin;
  while (!source->message[0] && (length = fread(buffer, 1, sizeof(buffer), from)) > 0) {
    if (length < START) memset(buffer + length, 0, START - length);
    if (first) text = (PetscBool)(Source_FindFormat(buffer) == FORMAT_TEXT || Source_FindFormat(buffer) == FORMAT_MATRIXMARKET);
    if (text) line = Source_LineLength(line, buffer, length);
    if (first && Source_FindFormat(buffer) == FORMAT_UNKNOWN) PetscCall(Source_SayUnknown(source));
    else if (line > NAPI_LONGEST_LINE) PetscCall(NAPISourceSay(source, "has a line of more than %d million characters, which is no row of a table", NAPI_LONGEST_LINE / 1000000));
    else if (fwrite(buffer, 1, length, to) < length) PetscCall(NAPISourceSay(source, "cannot be copied into a temporary file: %s", strerror(errno)));
    first = PETSC_FALSE;
  }
  if (!source->message[0] && (ferror(from) || fflush(to))) PetscCall(NAPISourceSay(source, "cannot be copied into a temporary file: %s", strerror(errno)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Source_CopyPipe(NAPISource *source)
{
  struct stat status;
  FILE       *copy;

  PetscFunctionBegin;
  if (fstat(fileno(source->file), &status) || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) PetscFunctionReturn(PETSC_SUCCESS);
  source->plain = PETSC_FALSE;
  copy          = tmpfile();
  if (!copy) {
    PetscCall(NAPISourceSay(source, "no temporary file to copy it into: %s", strerror(errno)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Source_Copy(source, source->file, copy));
  (void)fclose(source->file);
  source->file = copy;
  rewind(copy);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What gzip has had to say */
static PetscErrorCode Source_SayGzipFailed(NAPISource *source, FILE *errors, int status)
{
  char reason[256] = "";

  PetscFunctionBegin;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) PetscCall(NAPISourceSay(source, "gzip is needed to decompress it and was not found"));
  else if (!WIFEXITED(status) || WEXITSTATUS(status) == 1) { /* 2 is a warning */ rewind(errors);
    while (fgets(reason, sizeof(reason), errors) && reason[strspn(reason, " \n")] == '\0')
      ;
    reason[strcspn(reason, "\n")] = '\0';
    PetscCall(NAPISourceSay(source, "cannot be decompressed (%s)", reason[0] ? reason : "gzip failed"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPISourceGunzip - Decompresses a file into an unnamed temporary one, in which one can seek; NULL if that fails. gzip does it, which is
   where .gz files are, so that we need no library.
*/
PetscErrorCode NAPISourceGunzip(NAPISource *source, FILE *in, FILE **plain)
{
  FILE *errors = tmpfile(), *out = NULL;
  int   failure, status          = 0;
  pid_t pid;

  PetscFunctionBegin;
  *plain = tmpfile();
  if (!*plain || !errors) PetscCall(NAPISourceSay(source, "no temporary file to decompress into: %s", strerror(errno)));
  else {
    (void)fflush(in);
    (void)lseek(fileno(in), 0, SEEK_SET); /* gzip inherits the position */
    failure = Source_StartGzip(in, errors, &out, &pid);
    if (failure) PetscCall(NAPISourceSay(source, "gzip is needed to decompress it and cannot be run: %s", strerror(failure)));
    else {
      if (out) PetscCall(Source_Copy(source, out, *plain));
      if (out) (void)fclose(out); /* a gzip that has not finished notices, and ends */
      while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
      PetscCall(Source_SayGzipFailed(source, errors, status));
    }
  }
  if (errors) (void)fclose(errors);
  if (*plain && source->message[0]) {
    (void)fclose(*plain);
    *plain = NULL;
  }
  if (*plain) rewind(*plain);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Replaces the file by its decompressed content */
static PetscErrorCode Source_Decompress(NAPISource *source)
{
  FILE *plain;

  PetscFunctionBegin;
  PetscCall(NAPISourceGunzip(source, source->file, &plain));
  (void)fclose(source->file);
  source->file  = plain;
  source->plain = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPISourceLine - Reads a line as getline() does; a length below zero at the end of the file, and if something is
   wrong. Counts the lines.
*/
PetscErrorCode NAPISourceLine(NAPISource *source, ssize_t *length)
{
  PetscFunctionBegin;
  errno   = 0;
  *length = getline(&source->line, &source->room, source->file);
  if (*length >= 0) source->number++;
  else if (ferror(source->file) || !feof(source->file)) {
    if (errno == ENOMEM) PetscCall(NAPISourceSay(source, "line %" PetscInt64_FMT " is too long: there is no memory for more than %zu bytes of it", source->number + 1, source->room));
    else PetscCall(NAPISourceSay(source, "cannot be read: %s", strerror(errno)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Source_Peek(NAPISource *source, unsigned char start[], size_t length)
{
  PetscFunctionBegin;
  memset(start, 0, length);
  if (fread(start, 1, length, source->file) == 0) {
    if (ferror(source->file)) PetscCall(NAPISourceSay(source, "cannot be read: %s", strerror(errno)));
    else PetscCall(NAPISourceSay(source, "is empty"));
  }
  rewind(source->file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The format of what is neither compressed nor in a zip file; a text is left as it is, if that is wanted */
static PetscErrorCode Source_OpenPlain(NAPISource *source, Format format, PetscBool *istext)
{
  PetscBool known = PETSC_TRUE;

  PetscFunctionBegin;
  switch (format) {
  case FORMAT_MATRIXMARKET:
    PetscCall(NAPISourceOpenMatrixMarket(source));
    break;
  case FORMAT_PETSC:
    PetscCall(NAPISourceOpenPetscBinary(source));
    break;
  case FORMAT_NUMPY:
    PetscCall(NAPISourceOpenNumpy(source, 0, -1));
    break;
  case FORMAT_TEXT:
    if (istext) *istext = PETSC_TRUE;
    else PetscCall(NAPISourceOpenCsv(source, &known));
    break;
  default: /* compressed twice, too */
    known = PETSC_FALSE;
  }
  if (!known) PetscCall(Source_SayUnknown(source));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Source_OpenFormat(NAPISource *source, PetscBool *istext)
{
  unsigned char start[START] = {0};
  PetscBool     again        = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(Source_CopyPipe(source));
  if (!source->message[0]) PetscCall(Source_Peek(source, start, sizeof(start)));
  if (!source->message[0] && Source_FindFormat(start) == FORMAT_GZIP) {
    PetscCall(Source_Decompress(source));
    if (!source->message[0]) PetscCall(Source_Peek(source, start, sizeof(start)));
  }
  if (source->message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  if (Source_FindFormat(start) == FORMAT_ZIP) {
    PetscCall(NAPISourceOpenZip(source, &again));
    if (again && !source->message[0]) PetscCall(Source_Peek(source, start, sizeof(start)));
  } else if (source->key) PetscCall(NAPISourceSay(source, "a colon and a name are for an array of a .npz file, which this is not"));
  if (again && !source->message[0]) PetscCall(Source_OpenPlain(source, Source_FindFormat(start), istext));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A sparse file stores no zeros, but rows and columns without entries take room, too, once the matrix is in memory */
static PetscErrorCode Source_CheckSparseSize(NAPISource *source)
{
  const off_t here = ftello(source->file);
  off_t       size = 0;

  PetscFunctionBegin;
  PetscCall(NAPISourceSize(source, &size));
  (void)fseeko(source->file, here, SEEK_SET);
  if (source->extent) size = source->extent;
  if (PetscMax(source->rows, source->cols) > PetscMax((PetscInt64)size, NAPI_SPARSE_FREE))
    PetscCall(NAPISourceSay(source,
                            "its header promises a matrix of %" PetscInt64_FMT " by %" PetscInt64_FMT ", and there are %" PetscInt64_FMT " bytes only: too few to be one (if it is, write "
                            "zeros on its diagonal)",
                            source->rows, source->cols, (PetscInt64)size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* file:key, for a member of a file with several */
static PetscErrorCode Source_OpenMember(NAPISource *source)
{
  const char *colon = strrchr(source->name, ':');
  char       *name;

  PetscFunctionBegin;
  PetscCall(PetscStrallocpy(source->name, &name));
  name[colon - source->name] = '\0';
  source->file               = colon[1] ? fopen(name, "rb") : NULL;
  source->key                = colon + 1;
  PetscCall(PetscFree(name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Source_CheckSize(NAPISource *source)
{
  PetscFunctionBegin;
  if (source->rows < 1 || source->cols < 1) PetscCall(NAPISourceSay(source, "has no entries: it is %" PetscInt64_FMT " by %" PetscInt64_FMT, source->rows, source->cols));
  else if (source->rows > PETSC_MAX_INT || source->cols > PETSC_MAX_INT) PetscCall(NAPISourceSay(source, "is too large for a PETSc with %d-bit indices", (int)(8 * sizeof(PetscInt))));
  else if (source->mirror != NAPI_MIRROR_NONE && source->rows != source->cols) PetscCall(NAPISourceSay(source, "claims to be symmetric and is not square: %" PetscInt64_FMT " by %" PetscInt64_FMT, source->rows, source->cols));
  else if (!source->dense) PetscCall(Source_CheckSparseSize(source));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPISourceOpen - Opens a file and reads its header; to be closed whether or not message is empty afterwards. With istext, a file that
   is text is only opened, whatever is in it. The options may be NULL.
*/
PetscErrorCode NAPISourceOpen(const char name[], NAPIDataOptions *options, char message[], NAPISource *source, PetscBool *istext)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(source, sizeof(*source)));
  if (istext) *istext = PETSC_FALSE;
  source->name    = name;
  source->options = options;
  source->message = message;
  message[0]      = '\0';
  source->plain   = PETSC_TRUE;
  source->file    = fopen(name, "rb");
  if (!source->file && errno == ENOENT && strrchr(name, ':')) PetscCall(Source_OpenMember(source));
  if (!source->file) {
    PetscCall(NAPISourceSay(source, "cannot be opened: %s", strerror(errno)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Source_OpenFormat(source, istext));
  if (!message[0] && !(istext && *istext)) PetscCall(Source_CheckSize(source));
  if (!message[0] && !(istext && *istext)) PetscCall(NAPISourceSelect(source));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NAPISourceClose(NAPISource *source)
{
  PetscFunctionBegin;
  if (source->close) PetscCall((*source->close)(source));
  PetscCall(PetscFree(source->data));
  PetscCall(PetscFree(source->place));
  free(source->line); /* getline's */
  source->line = NULL;
  PetscCall(NAPIFreeNames(&source->names));
  if (source->file) (void)fclose(source->file);
  source->file = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}
