/* SPDX-License-Identifier: BSD-2-Clause */
/*
   JSON files: an object that is composed in memory, a member after the other.
*/
#include "app.h"
#include <slepcnapi/private/napicompat.h>
#include "../../io/napiio.h"
#include <stdlib.h>
#include <string.h>

/*
   NAPIJsonGetName - Gets where -json is to go. A dash is standard output, and then all text goes to standard error.
*/
PetscErrorCode NAPIJsonGetName(char name[], size_t length, PetscBool *set, char message[])
{
  PetscFunctionBegin;
  PetscCall(NAPIGetName("-json", name, length, set, message));
  if (*set && !strcmp(name, "-")) PETSC_STDOUT = stderr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NAPIJsonBegin(NAPIJson *json)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(json, sizeof(*json)));
  json->file = open_memstream(&json->text, &json->length);
  PetscCheck(json->file, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory to compose the JSON file");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void Json_Key(NAPIJson *json, const char key[])
{
  (void)fprintf(json->file, "%s\n  \"%s\": ", json->members++ ? "," : "{", key);
}

/* JSON knows neither infinities nor NaN */
static void Json_Number(NAPIJson *json, PetscReal value)
{
  if (PetscIsInfOrNanReal(value)) (void)fputs("null", json->file);
  else (void)fprintf(json->file, "%.17g", (double)value);
}

static void Json_String(NAPIJson *json, const char value[])
{
  (void)fputc('"', json->file);
  for (; *value; value++) {
    if (*value == '"' || *value == '\\') (void)fprintf(json->file, "\\%c", *value);
    else if ((unsigned char)*value < ' ') (void)fprintf(json->file, "\\u%04x", (unsigned)*value);
    else (void)fputc(*value, json->file);
  }
  (void)fputc('"', json->file);
}

void NAPIJsonText(NAPIJson *json, const char key[], const char value[])
{
  Json_Key(json, key);
  Json_String(json, value);
}

void NAPIJsonTexts(NAPIJson *json, const char key[], PetscInt n, char *const values[])
{
  Json_Key(json, key);
  (void)fputc('[', json->file);
  for (PetscInt i = 0; i < n; i++) {
    if (i) (void)fputs(", ", json->file);
    Json_String(json, values[i]);
  }
  (void)fputc(']', json->file);
}

void NAPIJsonBool(NAPIJson *json, const char key[], PetscBool value)
{
  Json_Key(json, key);
  (void)fputs(value ? "true" : "false", json->file);
}

void NAPIJsonInteger(NAPIJson *json, const char key[], PetscInt value)
{
  Json_Key(json, key);
  (void)fprintf(json->file, "%" PetscInt_FMT, value);
}

void NAPIJsonReal(NAPIJson *json, const char key[], PetscReal value)
{
  Json_Key(json, key);
  Json_Number(json, value);
}

void NAPIJsonReals(NAPIJson *json, const char key[], PetscInt n, const PetscReal values[])
{
  Json_Key(json, key);
  (void)fputc('[', json->file);
  for (PetscInt i = 0; i < n; i++) {
    if (i) (void)fputs(", ", json->file);
    Json_Number(json, values[i]);
  }
  (void)fputc(']', json->file);
}

PetscErrorCode NAPIJsonEnd(NAPIJson *json, const char name[], char message[])
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  (void)fputs("\n}\n", json->file);
  PetscCheck(!fclose(json->file), PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory to compose the JSON file");
  if (strcmp(name, "-")) PetscCall(NAPIWriteText(PETSC_COMM_WORLD, name, json->text, message));
  else {
    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    if (!rank) (void)fputs(json->text, stdout); /* whether it was written is seen at the end, as of all that goes there */
  }
  free(json->text);
  PetscFunctionReturn(PETSC_SUCCESS);
}
