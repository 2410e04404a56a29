/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Reads the JSON objects that the programs write: members of the outermost object, by name. What is not understood is not there.
*/
#include "app.h"
#include <slepcnapi/private/napicompat.h>
#include "../../io/napiio.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST (1L << 30) /* bytes: nothing that the programs write is larger, and a mistaken name may lead to anything */

/* The whole file on rank 0, for NAPIJsonHas() and the like; to be freed with free() */
static PetscErrorCode JsonRead_Load(const char name[], char **text, char message[])
{
  FILE *file = fopen(name, "rb");
  long  length;

  PetscFunctionBegin;
  *text = NULL;
  if (!file) {
    PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s: cannot be read: %s", name, strerror(errno)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!fseek(file, 0, SEEK_END) && (length = ftell(file)) >= 0 && length < LARGEST) {
    rewind(file);
    *text = (char *)calloc((size_t)length + 1, 1);
    if (*text && fread(*text, 1, (size_t)length, file) < (size_t)length) {
      free(*text);
      *text = NULL;
    }
  }
  (void)fclose(file);
  if (!*text) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s: cannot be read", name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIJsonLoad - Reads a JSON file on all ranks; the text is to be freed with PetscFree().
*/
PetscErrorCode NAPIJsonLoad(const char name[], char **text, char message[])
{
  char       *read = NULL;
  PetscMPIInt rank, length = 0;

  PetscFunctionBegin;
  *text = NULL;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) {
    PetscCall(JsonRead_Load(name, &read, message));
    NAPIEscape(message, NAPI_MESSAGE_LENGTH);
    if (read) length = (PetscMPIInt)strlen(read);
  }
  PetscCallMPI(MPI_Bcast(message, NAPI_MESSAGE_LENGTH, MPI_CHAR, 0, PETSC_COMM_WORLD));
  if (message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Bcast(&length, 1, MPI_INT, 0, PETSC_COMM_WORLD));
  PetscCall(PetscCalloc1((size_t)length + 1, text));
  if (!rank) PetscCall(PetscArraycpy(*text, read, length));
  PetscCallMPI(MPI_Bcast(*text, length, MPI_CHAR, 0, PETSC_COMM_WORLD));
  free(read);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *JsonRead_Blanks(const char *p)
{
  return p + strspn(p, " \t\r\n");
}

/* Behind the string that begins here */
static const char *JsonRead_SkipString(const char *p)
{
  for (p++; *p && *p != '"'; p++)
    if (*p == '\\' && p[1]) p++;
  return *p ? p + 1 : p;
}

/* Behind the value that begins here, whatever it is */
static const char *JsonRead_SkipValue(const char *p)
{
  int depth = 0;

  do {
    p = JsonRead_Blanks(p);
    if (*p == '"') p = JsonRead_SkipString(p);
    else if (*p == '[' || *p == '{') {
      depth++;
      p++;
    } else if (*p == ']' || *p == '}') {
      depth--;
      p++;
    } else if (*p == ',' || *p == ':') p++;
    else p += strcspn(p, ",]} \t\r\n");
  } while (*p && depth > 0);
  return p;
}

/* Where the value of a member of the outermost object begins, or NULL */
static const char *JsonRead_Find(const char text[], const char key[])
{
  const size_t length = strlen(key);
  const char  *p      = JsonRead_Blanks(text);

  if (*p != '{') return NULL;
  for (p = JsonRead_Blanks(p + 1); *p == '"'; p = JsonRead_Blanks(p + 1)) {
    const PetscBool found = (PetscBool)(!strncmp(p + 1, key, length) && p[1 + length] == '"');

    p = JsonRead_Blanks(JsonRead_SkipString(p));
    if (*p != ':') return NULL;
    p = JsonRead_Blanks(p + 1);
    if (found) return p;
    p = JsonRead_Blanks(JsonRead_SkipValue(p));
    if (*p != ',') return NULL;
  }
  return NULL;
}

/* The string that begins here, without its escapes; returns what is behind it, or NULL if there is none */
static const char *JsonRead_String(const char *p, char value[], size_t room)
{
  static const char escape[] = "bfnrt", meant[] = "\b\f\n\r\t";
  size_t            n = 0;
  unsigned          code;

  if (*p != '"') return NULL;
  for (p++; *p && *p != '"'; p++) {
    char c = *p;

    if (c == '\\') {
      const char *e = strchr(escape, *++p);

      if (!*p) return NULL;
      c = e ? meant[e - escape] : *p;
      if (*p == 'u') { /* only what NAPIJsonText() writes so: control characters */
        if (sscanf(p + 1, "%4x", &code) != 1) return NULL;
        c = (char)code;
        for (int i = 0; i < 4 && p[1]; i++) p++;
      }
    }
    if (n + 1 < room) value[n++] = c;
  }
  value[n] = '\0';
  return *p ? p + 1 : NULL;
}

/*
   NAPIJsonGetText - Gets a string; found is FALSE if there is none.
*/
PetscErrorCode NAPIJsonGetText(const char text[], const char key[], char value[], size_t room, PetscBool *found)
{
  const char *p = JsonRead_Find(text, key);

  PetscFunctionBegin;
  value[0] = '\0';
  *found   = (PetscBool)(p && JsonRead_String(p, value, room));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIJsonGetBool - Gets whether something is true; what is not there is not.
*/
PetscErrorCode NAPIJsonGetBool(const char text[], const char key[], PetscBool *value)
{
  const char *p = JsonRead_Find(text, key);

  PetscFunctionBegin;
  *value = (PetscBool)(p && !strncmp(p, "true", 4));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIJsonGetTexts - Gets an array of strings, to be freed with NAPIFreeNames(); NULL if there is none.
*/
PetscErrorCode NAPIJsonGetTexts(const char text[], const char key[], PetscInt *n, char ***values)
{
  const char *begin  = JsonRead_Find(text, key), *p;
  size_t      length = 0;
  PetscInt    count  = 0;
  char       *room;

  PetscFunctionBegin;
  *n      = 0;
  *values = NULL;
  if (!begin || *begin != '[') PetscFunctionReturn(PETSC_SUCCESS);
  for (p = JsonRead_Blanks(begin + 1); *p == '"'; count++) {
    const char *end = JsonRead_SkipString(p);

    length += (size_t)(end - p);
    p = JsonRead_Blanks(end);
    if (*p == ',') p = JsonRead_Blanks(p + 1);
  }
  if (*p != ']' || !count) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc((size_t)count * sizeof(char *) + length, values)); /* one piece, as NAPIFreeNames() expects */
  room = (char *)(*values + count);
  for (p = JsonRead_Blanks(begin + 1); *n < count; (*n)++) {
    (*values)[*n] = room;
    p             = JsonRead_String(p, room, length);
    if (!p) {
      PetscCall(PetscFree(*values));
      *n = 0;
      break;
    }
    room += strlen(room) + 1;
    p = JsonRead_Blanks(p);
    if (*p == ',') p = JsonRead_Blanks(p + 1);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIJsonGetReals - Gets an array of at most max numbers; n is 0 if there is none, or more of them.
*/
PetscErrorCode NAPIJsonGetReals(const char text[], const char key[], PetscInt max, PetscInt *n, PetscReal values[])
{
  const char *p = JsonRead_Find(text, key);
  char       *end;

  PetscFunctionBegin;
  *n = 0;
  if (!p || *p != '[') PetscFunctionReturn(PETSC_SUCCESS);
  for (p = JsonRead_Blanks(p + 1); *p != ']'; p = JsonRead_Blanks(p + (*p == ','))) {
    const double value = strtod(p, &end);

    if (end == p || *n == max) {
      *n = 0;
      break;
    }
    values[(*n)++] = (PetscReal)value;
    p              = JsonRead_Blanks(end);
    if (*p != ',' && *p != ']') {
      *n = 0;
      break;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
