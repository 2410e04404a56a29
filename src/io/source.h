/*
   What the readers of the file formats share. All of this happens on rank 0 alone; readmatrix.c distributes.
*/
#pragma once

#include "napiio.h"
#include <stdio.h>

typedef enum {
  NAPI_MIRROR_NONE,      /* the file holds all entries */
  NAPI_MIRROR_SYMMETRIC, /* one triangle: a_ji = a_ij */
  NAPI_MIRROR_HERMITIAN  /* one triangle: a_ji = conj(a_ij) */
} NAPIMirror;

/* A file as a sequence of entries */
typedef struct _NAPISource NAPISource;
struct _NAPISource {
  const char *name; /* of the file */
  FILE       *file;
  char       *message; /* what is wrong with the file; empty as long as nothing is */

  /* set by the format's open function */
  PetscInt64 rows, cols;
  NAPIMirror mirror;
  PetscErrorCode (*next)(NAPISource *, PetscInt64 *, PetscInt64 *, PetscScalar *,
                         PetscBool *); /* one entry; FALSE: no more */
  PetscErrorCode (*close)(NAPISource *);
  void *data;
};

PETSC_INTERN PetscErrorCode NAPISourceOpen(const char[], char[], NAPISource *);
PETSC_INTERN PetscErrorCode NAPISourceClose(NAPISource *);
PETSC_INTERN PetscErrorCode NAPISourceOpenMatrixMarket(NAPISource *);
PETSC_INTERN PetscErrorCode NAPISourceOpenPetscBinary(NAPISource *);

static inline PetscScalar NAPIScalar(double re, double im)
{
#if defined(PETSC_USE_COMPLEX)
  return PetscCMPLX((PetscReal)re, (PetscReal)im);
#else
  (void)im; /* the formats refuse complex files in a real build */
  return (PetscScalar)re;
#endif
}

/* Says what is wrong with a file: its name, a colon, the rest of the sentence */
PETSC_INTERN PetscErrorCode NAPISourceSay(NAPISource *, const char *, ...) PETSC_ATTRIBUTE_FORMAT(2, 3);
