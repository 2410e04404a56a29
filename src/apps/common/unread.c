/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Options that nothing has read, which are mistakes: they are found before the work, and the nearest name there is is named. The
   names come from where they are true: the program's own help text, and what the solver prints of its options with -help.

   Only what stands on the command line counts: PETSC_OPTIONS and files of options may be meant for other programs, too. Who asks for
   -options_left wants PETSc's own account of them, and gets it.
*/
#include "app.h"
#include <slepcnapi/private/napicompat.h>
#include "../../io/napiio.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 128 /* of a name that is looked at */

/* How those begin that PETSc and SLEPc read while they work, at the end, or where they were initialised; without the dash */
static const char *const later[] =
  {"options_", "log",       "malloc", "objects_dump", "memory_",   "info",       "citations", "on_error", "fp_trap", "debug", "start_in_debugger", "stop_for_debugger", "history", "viewer_", "draw", "display", "x_",         "mat_",  "matmat",
   "vec_",     "is_",       "sf_",    "bv_",          "ds_",       "rg_",        "fn_",       "random_",  "dll_",    "mpi",   "device_",           "use_gpu_aware",     "cuda_",   "cupm_",   "hip_", "tmp",     "shared_tmp", "petsc", "no_",
   "error_",   "get_total", "saws",   "blas",         "traceback", "partitioner"};
/* What stands in the middle of others: viewers, and what is said of a solve at its end */
static const char *const within[] = {"_view", "_converged_reason", "_error_", "_monitor"};

/* --- names --------------------------------------------------------------------------------------------------------- */

/* The names that were found; on the heap, because PETSc's function that prints help has no context */
static struct {
  char **name;
  int    n;
} known;

static void Unread_Learn(const char name[], size_t length)
{
  char **more;

  if (length < 1 || length >= LONGEST) return;
  for (int i = 0; i < known.n; i++)
    if (!strncmp(known.name[i], name, length) && !known.name[i][length]) return;
  more = (char **)realloc(known.name, ((size_t)known.n + 1) * sizeof(char *));
  if (!more) return;
  known.name          = more;
  known.name[known.n] = strndup(name, length);
  if (known.name[known.n]) known.n++;
}

/* All words of a text that begin with a dash and a letter */
static void Unread_LearnFrom(const char text[])
{
  for (const char *p = text; *p; p++) {
    size_t length = 0;

    if (*p != '-' || !isalpha((unsigned char)p[1]) || (p > text && !strchr(" \n,(", p[-1]))) continue;
    if (!strncmp(p + 1, NAPI_HELP_PREFIX, sizeof(NAPI_HELP_PREFIX) - 1)) p += sizeof(NAPI_HELP_PREFIX) - 1;
    if (!strncmp(p + 1, NAPI_HELP_EARLY, sizeof(NAPI_HELP_EARLY) - 1)) p += sizeof(NAPI_HELP_EARLY) - 1;
    while (isalnum((unsigned char)p[1 + length]) || p[1 + length] == '_') length++;
    Unread_Learn(p + 1, length);
  }
}

static PetscErrorCode Unread_LearnHelp(MPI_Comm comm, const char format[], ...)
{
  char    line[1024];
  va_list list;

  (void)comm;
  va_start(list, format);
  (void)vsnprintf(line, sizeof(line), format, list);
  va_end(list);
  Unread_LearnFrom(line);
  return PETSC_SUCCESS;
}

/* Older versions of PETSc (3.18 is one) print lists of types, but not as help */
static PetscErrorCode Unread_LearnPrinted(FILE *file, const char format[], va_list list)
{
  char line[4096];

  (void)file;
  (void)vsnprintf(line, sizeof(line), format, list);
  Unread_LearnFrom(line);
  return PETSC_SUCCESS;
}

static void Unread_Forget(void)
{
  for (int i = 0; i < known.n; i++) free(known.name[i]);
  free(known.name);
  known.name = NULL;
  known.n    = 0;
}

/* The nearest name, in which a family (eps_, st_, ...) may be missing, or NULL if none is near */
static const char *Unread_Nearest(const char name[])
{
  const char *nearest = NULL;
  int         best    = 4 * PetscMax(1, (int)strlen(name) / 3) + 3; /* more changes make another word */

  for (int i = 0; i < known.n; i++) {
    const char *rest = known.name[i];

    /* a name without its family is a little farther than one that is whole, and SLEPc's families come first */
    for (int dropped = 0; rest; dropped = strncmp(known.name[i], "eps_", 4) && strncmp(known.name[i], "cca_", 4) ? 2 : 1) {
      const int distance = 4 * NAPIDistance(name, rest) + dropped;

      if (distance < best) {
        best    = distance;
        nearest = known.name[i];
      }
      rest = strchr(rest, '_');
      if (rest) rest++;
    }
  }
  return nearest;
}

/* --- what was not read -------------------------------------------------------------------------------------------------- */

static PetscBool Unread_MayComeLater(const char name[])
{
  for (size_t i = 0; i < sizeof(later) / sizeof(later[0]); i++)
    if (!strncmp(name, later[i], strlen(later[i]))) return PETSC_TRUE;
  for (size_t i = 0; i < sizeof(within) / sizeof(within[0]); i++)
    if (strstr(name, within[i])) return PETSC_TRUE;
  return PETSC_FALSE;
}

static PetscErrorCode Unread_IsOnCommandLine(const char name[], PetscBool *is)
{
  char **args;
  int    argc;

  PetscFunctionBegin;
  *is = PETSC_FALSE;
  PetscCall(PetscGetArgs(&argc, &args));
  for (int i = 1; i < argc && !*is; i++)
    if (args[i][0] == '-') *is = (PetscBool)!strcmp(args[i] + 1, name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIFindUnread - Finds the first option of the command line that nothing has read, and nothing will.
*/
PetscErrorCode NAPIFindUnread(char name[], size_t length, PetscBool *found)
{
  char    **names, **values;
  PetscInt  n;
  PetscBool own;

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-options_left", &own));
  if (own) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscOptionsLeftGet(NULL, &n, &names, &values));
  for (PetscInt i = 0; i < n && !*found; i++) {
    if (Unread_MayComeLater(names[i])) continue;
    PetscCall(Unread_IsOnCommandLine(names[i], found));
    if (*found) PetscCall(PetscStrncpy(name, names[i], length));
  }
  PetscCall(PetscOptionsLeftRestore(NULL, &n, &names, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lets a solver print the names of its options, which are learnt, as are those of the help text */
static PetscErrorCode Unread_LearnAll(const char help[], PetscErrorCode (*showhelp)(void *), void *ctx)
{
  PetscErrorCode (*help_printer)(MPI_Comm, const char[], ...) = PetscHelpPrintf;
  PetscErrorCode (*printer)(FILE *, const char[], va_list)    = PetscVFPrintf;

  PetscFunctionBegin;
  Unread_LearnFrom(help);
  PetscHelpPrintf = Unread_LearnHelp;
  PetscVFPrintf   = Unread_LearnPrinted;
  PetscCall(PetscOptionsSetValue(NULL, "-help", NULL));
  PetscCall((*showhelp)(ctx));
  PetscCall(PetscOptionsClearValue(NULL, "-help"));
  PetscHelpPrintf = help_printer;
  PetscVFPrintf   = printer;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Unread_Say(const char name[], char message[])
{
  const char *nearest = Unread_Nearest(name[0] == '-' ? name + 1 : name); /* two dashes, as GNU has them */

  PetscFunctionBegin;
  if (nearest && strcmp(nearest, name)) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "-%s: nothing reads this option: is -%s meant?", name, nearest));
  else PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "-%s: nothing reads this option, neither this program nor the solver in use: leave it out (-help lists those there are)", name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPICheckRead - Says so if there is an option that nothing has read, with the nearest name there is.

   Input Parameters:
+  help     - the program's text, which names its options
.  showhelp - lets a solver as the one in use, but with NAPI_HELP_PREFIX, look for its options, so that it prints their names: PETSc does not
              print those of a prefix twice, nor after they were looked for without being printed
-  ctx      - the argument of showhelp
*/
PetscErrorCode NAPICheckRead(const char help[], PetscErrorCode (*showhelp)(void *), void *ctx, char message[])
{
  char      name[LONGEST];
  PetscBool found;

  PetscFunctionBegin;
  if (message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(NAPIFindUnread(name, sizeof(name), &found));
  if (!found) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Unread_LearnAll(help, showhelp, ctx));
  PetscCall(Unread_Say(name, message));
  Unread_Forget();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool Unread_IsKnown(const char name[])
{
  for (int i = 0; i < known.n; i++)
    if (!strcmp(known.name[i], name)) return PETSC_TRUE;
  return PETSC_FALSE;
}

/*
   NAPICheckKnown - Says so if there is an option that nothing will ever read, before any file is: one that has not been read so far, belongs to no
   solver by the beginning of its name, and is named neither by the help text nor by the solver. Others are left to NAPICheckRead().
*/
PetscErrorCode NAPICheckKnown(const char help[], PetscErrorCode (*showhelp)(void *), void *ctx, char message[])
{
  static const char *const families[] = {"cca_", "eps_", "st_", "ksp_", "pc_", "x_", "y_", "inner_", "mg_", "sub_"};
  char                   **names, **values;
  PetscInt                 n;
  PetscBool                found;
  char                     unread[LONGEST];

  PetscFunctionBegin;
  if (message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(NAPIFindUnread(unread, sizeof(unread), &found));
  if (!found) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Unread_LearnAll(help, showhelp, ctx));
  PetscCall(PetscOptionsLeftGet(NULL, &n, &names, &values));
  for (PetscInt i = 0; i < n && !message[0]; i++) {
    PetscCall(Unread_IsOnCommandLine(names[i], &found));
    if (!found || Unread_MayComeLater(names[i]) || Unread_IsKnown(names[i])) continue;
    for (size_t k = 0; k < sizeof(families) / sizeof(families[0]); k++)
      if (strstr(names[i], families[k])) found = PETSC_FALSE;
    if (found) PetscCall(Unread_Say(names[i], message));
  }
  PetscCall(PetscOptionsLeftRestore(NULL, &n, &names, &values));
  Unread_Forget();
  PetscFunctionReturn(PETSC_SUCCESS);
}
