/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Options whose values are checked. PETSc's own functions take what they understand of a value and leave it at that: here it has to
   be all of it.
*/
#include "app.h"
#include <slepcnapi/private/napicompat.h>
#include "../../io/napiio.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The value of an option that has to have one; NULL if the option is not there, and if its value is missing */
static PetscErrorCode Options_GetValue(const char option[], const char **value, PetscBool *set, char message[])
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
  PetscCall(Options_GetValue(option, &value, set, message));
  if (!value) PetscFunctionReturn(PETSC_SUCCESS);
  if (strlen(value) >= length && !message[0]) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "the name after %s is too long: it has %d characters", option, (int)PetscMin(strlen(value), 1000000)));
  PetscCall(PetscStrncpy(name, value, length));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* At most max numbers with commas between them, integers if there is room for them, else reals */
static PetscErrorCode Options_GetNumbers(const char option[], PetscInt max, PetscInt integers[], PetscReal reals[], PetscInt *n, PetscBool *set, char message[])
{
  const char *value, *p;
  char       *end;

  PetscFunctionBegin;
  *n = 0;
  PetscCall(Options_GetValue(option, &value, set, message));
  if (!value || message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  for (p = value;; p = end + 1) {
    long long integer = 0;
    double    real    = 0.0;
    PetscBool complete;

    errno = 0;
    if (integers) integer = strtoll(p, &end, 10);
    else real = strtod(p, &end);
    complete = (PetscBool)(end != p && (!*end || *end == ','));
    if (integers && !complete) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s: '%.200s' has no integer value", option, value));
    else if (integers && (errno == ERANGE || integer > (long long)PETSC_MAX_INT || integer < (long long)PETSC_MIN_INT))
      PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s: '%.200s' is too large, more than %" PetscInt_FMT, option, value, (PetscInt)PETSC_MAX_INT));
    else if (!complete || !isfinite(real)) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s: '%.200s' is not a number%s", option, value, max > 1 ? ", or several with commas between them" : ""));
    else if (*n == max) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s: '%.200s' is more than %" PetscInt_FMT " number%s", option, value, max, max == 1 ? "" : "s"));
    else if (integers) integers[(*n)++] = (PetscInt)integer;
    else reals[(*n)++] = (PetscReal)real;
    if (message[0] || !*end) break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIGetInts - Gets at most max integers, with commas between them; says so if the option has any other value.
*/
PetscErrorCode NAPIGetInts(const char option[], PetscInt max, PetscInt values[], PetscInt *n, PetscBool *set, char message[])
{
  return Options_GetNumbers(option, max, values, NULL, n, set, message);
}

/*
   NAPIGetReals - Gets at most max numbers, with commas between them; says so if the option has any other value.
*/
PetscErrorCode NAPIGetReals(const char option[], PetscInt max, PetscReal values[], PetscInt *n, PetscBool *set, char message[])
{
  return Options_GetNumbers(option, max, NULL, values, n, set, message);
}
