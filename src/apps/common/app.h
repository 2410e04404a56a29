/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What the programs share: the frame of main(), options whose values are checked, other programs, and JSON files.
*/
#pragma once

#include <petscmat.h>
#include <stdio.h>

enum {
  NAPI_EXIT_FOUND,
  NAPI_EXIT_WRONG_INPUT,
  NAPI_EXIT_NOT_REACHED,
  NAPI_EXIT_INTERRUPTED = 130 /* as a shell has it for what Ctrl-C has ended */
};

/* A program without its frame: what is wrong with the input ends up, as a sentence, in the last argument */
typedef PetscErrorCode (*NAPIProgram)(int *, char[]);
PETSC_INTERN int NAPIRunProgram(int, char **, const char[], const char[], PetscErrorCode (*)(void), NAPIProgram);

PETSC_INTERN void           NAPIMoveFilesFirst(int, char **, const char[]);
PETSC_INTERN PetscErrorCode NAPIElapsed(PetscLogDouble, PetscLogDouble *);
PETSC_INTERN PetscErrorCode NAPIReadViews(const char[], const char[], Mat[2], char **[2], char[]);
PETSC_INTERN PetscErrorCode NAPIRunChild(char *[], int *, int *);

PETSC_INTERN PetscErrorCode NAPIPlot(const char[], const char[], int, const char *const[], PetscErrorCode (*)(char *[], void *, char[]), void *, char[]);

/* For somebody who watches, on a terminal */
PETSC_INTERN PetscErrorCode NAPIIsWatched(PetscBool *);
PETSC_INTERN PetscErrorCode NAPIShowStage(const char[]);

/* Ctrl-C as a request that a solver asks for between its steps */
PETSC_INTERN PetscErrorCode NAPIListen(PetscBool);
PETSC_INTERN PetscErrorCode NAPIIsInterrupted(PetscBool *);
PETSC_INTERN PetscBool      NAPIHeardInterrupt(void);

#define NAPI_HELP_PREFIX "as_shown_by_help_" /* of a solver that is asked for the names of its options only */
#define NAPI_HELP_EARLY  "early_"            /* and behind that, if it is asked twice */
PETSC_INTERN PetscErrorCode NAPIFindUnread(char[], size_t, PetscBool *);
PETSC_INTERN PetscErrorCode NAPICheckKnown(const char[], PetscErrorCode (*)(void *), void *, char[]);
PETSC_INTERN PetscErrorCode NAPICheckRead(const char[], PetscErrorCode (*)(void *), void *, char[]);
PETSC_INTERN PetscErrorCode NAPIGetName(const char[], char[], size_t, PetscBool *, char[]);
PETSC_INTERN PetscErrorCode NAPIGetInts(const char[], PetscInt, PetscInt[], PetscInt *, PetscBool *, char[]);
PETSC_INTERN PetscErrorCode NAPIGetReals(const char[], PetscInt, PetscReal[], PetscInt *, PetscBool *, char[]);

/* A JSON object that is composed in memory, a member after the other, on all ranks, and written by rank 0 */
typedef struct {
  FILE  *file;
  char  *text;
  size_t length;
  int    members;
} NAPIJson;

PETSC_INTERN PetscErrorCode NAPIJsonGetName(char[], size_t, PetscBool *, char[]);
PETSC_INTERN PetscErrorCode NAPIJsonBegin(NAPIJson *);
PETSC_INTERN void           NAPIJsonText(NAPIJson *, const char[], const char[]);
PETSC_INTERN void           NAPIJsonTexts(NAPIJson *, const char[], PetscInt, char *const[]);
PETSC_INTERN void           NAPIJsonBool(NAPIJson *, const char[], PetscBool);
PETSC_INTERN void           NAPIJsonInteger(NAPIJson *, const char[], PetscInt);
PETSC_INTERN void           NAPIJsonReal(NAPIJson *, const char[], PetscReal);
PETSC_INTERN void           NAPIJsonReals(NAPIJson *, const char[], PetscInt, const PetscReal[]);
PETSC_INTERN PetscErrorCode NAPIJsonEnd(NAPIJson *, const char[], char[]);

/* What was written so is read again: the text of the file, and members of it by name */
PETSC_INTERN PetscErrorCode NAPIJsonLoad(const char[], char **, char[]);
PETSC_INTERN PetscErrorCode NAPIJsonGetText(const char[], const char[], char[], size_t, PetscBool *);
PETSC_INTERN PetscErrorCode NAPIJsonGetBool(const char[], const char[], PetscBool *);
PETSC_INTERN PetscErrorCode NAPIJsonGetTexts(const char[], const char[], PetscInt *, char ***);
PETSC_INTERN PetscErrorCode NAPIJsonGetReals(const char[], const char[], PetscInt, PetscInt *, PetscReal[]);
