/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What the readers of the file formats share. A source is used by one rank; readmatrix.c distributes.
*/
#pragma once

#include "napiio.h"
#include <stdio.h>

typedef enum {
  NAPI_MIRROR_NONE,      /* the file holds all entries */
  NAPI_MIRROR_SYMMETRIC, /* one triangle: a_ji = a_ij */
  NAPI_MIRROR_HERMITIAN  /* one triangle: a_ji = conj(a_ij) */
} NAPIMirror;

#define NAPI_UNNAMED 4 /* columns without a name at the beginning, at most */

/* A file as a sequence of entries, or as a table in which one can jump */
typedef struct _NAPISource NAPISource;
struct _NAPISource {
  const char *name; /* of the file */
  const char *key;  /* of the array in it that is wanted, or NULL */
  FILE       *file;
  PetscBool   plain;   /* this is the file itself, which other ranks can open too, and not a copy made here */
  char       *message; /* what is wrong with the file; empty as long as nothing is */

  /* set by the format's open function */
  PetscInt64 rows, cols;
  PetscInt64 entries; /* how many next() will give, by the header; 0: not known */
  off_t      extent;  /* bytes that its numbers take, where the length of the file does not tell */
  PetscBool  dense;   /* the file stores its zeros */
  NAPIMirror mirror;
  char     **names;               /* of the columns, or NULL */
  int        unnamed;             /* so many columns come first that have no name, and are an index if they count the rows */
  char       index[NAPI_UNNAMED]; /* whether they do */

  /* set by NAPISourceSelect() */
  NAPIDataOptions *options; /* of the program, or NULL */
  PetscBool        gaps;    /* NaN is allowed, and stands for a number that is missing */
  PetscInt64      *place;   /* of each column in the matrix, -1: left out; NULL: all are taken */
  PetscInt64       width;   /* how many are taken */

  /* one of the two: next() gives one entry or, with FALSE, says that there are no more; block() fills an array, by
     columns with a leading dimension, with a number of rows from a first one on, and checks that they are finite */
  PetscErrorCode (*next)(NAPISource *, PetscInt64 *, PetscInt64 *, PetscScalar *, PetscBool *);
  PetscErrorCode (*block)(NAPISource *, PetscInt64, PetscInt64, PetscInt64, PetscScalar[]);
  PetscErrorCode (*close)(NAPISource *); /* frees what hangs on data, or NULL; data itself is freed with the source */
  void *data;

  /* formats of lines, see NAPISourceLine() */
  char      *line;   /* the last one read */
  size_t     room;   /* of line */
  PetscInt64 number; /* of line */
};

/*
   Rows and columns cost memory even where they are empty. So that a header cannot ask for much more than its file is
   worth, a sparse matrix may have as many of them as its file has bytes or, in a small file, this many.
*/
#if !defined(NAPI_SPARSE_FREE)
  #define NAPI_SPARSE_FREE 1048576
#endif

PETSC_INTERN PetscErrorCode NAPISourceOpen(const char[], NAPIDataOptions *, char[], NAPISource *, PetscBool *);
PETSC_INTERN PetscErrorCode NAPISourceClose(NAPISource *);
PETSC_INTERN PetscErrorCode NAPISourceGunzip(NAPISource *, FILE *, FILE **);
PETSC_INTERN PetscErrorCode NAPISourceSelect(NAPISource *);
PETSC_INTERN PetscErrorCode NAPISourceCheckFinite(NAPISource *, PetscInt64, PetscInt64, PetscScalar);
PETSC_INTERN const char    *NAPISourceDropOption(const NAPISource *, PetscInt64);
PETSC_INTERN const char    *NAPISourceMissingWays(const NAPISource *, PetscInt64);
PETSC_INTERN PetscErrorCode NAPISourceTakeNames(NAPISource *, char ***);
PETSC_INTERN PetscErrorCode NAPISourceOpenMatrixMarket(NAPISource *);
PETSC_INTERN PetscErrorCode NAPISourceOpenPetscBinary(NAPISource *);
PETSC_INTERN PetscErrorCode NAPISourceOpenNumpy(NAPISource *, off_t, off_t);
PETSC_INTERN PetscErrorCode NAPISourceOpenZip(NAPISource *, PetscBool *);
PETSC_INTERN PetscErrorCode NAPISourceOpenCsv(NAPISource *, PetscBool *);

/* Numbers in a file, one after the other, as they are in memory somewhere */
typedef struct {
  off_t     offset;    /* of the first */
  char      kind;      /* 'f'loating point, signed 'i'nteger, 'u'nsigned, 'b'oolean */
  int       size;      /* bytes; of the real part alone if complex */
  PetscBool iscomplex; /* each is two such numbers */
  PetscBool bigendian;
  PetscBool bycolumns; /* else by rows */
} NAPIRaw;

PETSC_INTERN PetscErrorCode NAPISourceReadAt(NAPISource *, off_t, PetscInt64, int, void *);
PETSC_INTERN PetscErrorCode NAPISourceSize(NAPISource *, off_t *);
PETSC_INTERN PetscErrorCode NAPISourceLine(NAPISource *, ssize_t *);
PETSC_INTERN PetscErrorCode NAPIRawBlock(NAPISource *, const NAPIRaw *, PetscInt64, PetscInt64, PetscInt64, PetscScalar[]);

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
