/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Readers of matrices and data, writers of results.

   What is wrong with a user's file is not an error of the program: these functions return it as a sentence in
   message, the same on all ranks (an empty string means that all is well), and create nothing. The error code is for
   real errors, such as memory that runs out.
*/
#pragma once

#include <petscmat.h>

#define NAPI_MESSAGE_LENGTH (PETSC_MAX_PATH_LEN + 512)

/*
   Where unknowns are: on the points of a grid of m[0] x m[1] (x m[2]) cells on a box, or on a list of points. Those of a point come one
   after the other; the points of a grid, with the first coordinate running fastest.
*/
typedef struct {
  PetscInt  dim;            /* 2 or 3 */
  PetscInt  fields;         /* unknowns of a point */
  PetscInt  m[3];           /* cells; there are m + 1 points in each direction */
  PetscInt  first[3], n[3]; /* n points from this one on have unknowns; the others are held at zero */
  PetscReal side[3];        /* the lengths of the box */
  Mat       points;         /* the list instead, a row of coordinates each, or NULL */
} NAPIMesh;

/*
   The rows of data files that are samples: all of them or, where gaps made some be left out (dropped is not 0), those that were kept. Files
   with something about each row (weights, groups, classes) have as many lines as the data files have rows, and lose the same.
*/
typedef struct {
  const char *name;         /* of the file with the data, for messages; not a copy */
  PetscInt    n;            /* its rows */
  PetscInt    first, local; /* those this rank has had, whether they were kept or not */
  char       *kept;         /* NULL if all were */
  PetscInt    dropped;      /* by all ranks */
} NAPIRows;

PETSC_INTERN PetscErrorCode NAPIRowsCreate(Mat, const char[], NAPIRows *);
PETSC_INTERN PetscErrorCode NAPIRowsDestroy(NAPIRows *);
PETSC_INTERN PetscErrorCode NAPIReadWeights(MPI_Comm, const char[], const NAPIRows *, Vec *, char[]);
PETSC_INTERN PetscErrorCode NAPIReadLabels(MPI_Comm, const char[], const NAPIRows *, IS *, PetscInt *, char ***, char[]);

/* What is done where a number is missing */
typedef enum {
  NAPI_MISSING_ERROR,
  NAPI_MISSING_DROP, /* the sample is left out */
  NAPI_MISSING_MEAN  /* the mean of the column takes its place */
} NAPIMissing;

/* Columns by name or number, with commas between them: the value of an option, for one file or for several */
typedef struct {
  char     option[32]; /* its name, for messages */
  PetscInt n;
  char   **item;
  char    *found; /* in a file that was read; on rank 0 */
  char     nearest[64];
  PetscInt missed; /* the item that is nearest to a name there is, and how far that is */
  int      distance;
} NAPIColumns;

PETSC_INTERN PetscErrorCode NAPIColumnsCreate(const char[], const char[], NAPIColumns *, char[]);
PETSC_INTERN PetscErrorCode NAPIColumnsDestroy(NAPIColumns *);
PETSC_INTERN PetscErrorCode NAPIColumnsCheck(MPI_Comm, const NAPIColumns *, char[]);
PETSC_INTERN int            NAPIDistance(const char[], const char[]);
PETSC_INTERN PetscErrorCode NAPIAreNames(PetscInt, char *const[], PetscBool *);

/* How a program wants its data, whose options -columns, -drop and -missing messages can then speak of */
typedef struct {
  NAPIMissing  missing;        /* gaps are NaN in the matrix, unless they are an error */
  NAPIColumns *columns, *drop; /* or NULL */
  char *const *wanted;         /* names of the columns of a file that has names, in the order of the matrix: others are left out; on rank 0, or NULL */
  PetscInt     nwanted;
  PetscBool    every;                     /* no sample may be left out, and no column */
  char         note[NAPI_MESSAGE_LENGTH]; /* what was left out unasked, or empty; on all ranks */
} NAPIDataOptions;

PETSC_INTERN PetscErrorCode NAPIReadDataWith(MPI_Comm, const char[], NAPIDataOptions *, Mat *, char ***, char[]);
PETSC_INTERN PetscErrorCode NAPIFindGaps(Mat, NAPIRows *, PetscInt *);
PETSC_INTERN PetscErrorCode NAPIDropRows(const NAPIRows *, Mat *);
PETSC_INTERN PetscErrorCode NAPIFillGaps(Mat, PetscBool, PetscScalar[], PetscInt *);

PETSC_INTERN PetscErrorCode NAPIReadMatrix(MPI_Comm, const char[], Mat *, char[]);
PETSC_INTERN PetscErrorCode NAPIReadData(MPI_Comm, const char[], Mat *, char ***, char[]);
PETSC_INTERN PetscErrorCode NAPIFreeNames(char ***);
PETSC_INTERN const char    *NAPIReading(void);
PETSC_INTERN void           NAPIEscape(char[], size_t);
PETSC_INTERN PetscErrorCode NAPICheckHermitian(Mat, const char[], char[]);
PETSC_INTERN PetscErrorCode NAPICheckWritable(MPI_Comm, const char[], char[]);
PETSC_INTERN PetscErrorCode NAPICheckOutputs(MPI_Comm, int, const char *const[], int, const char *const[], char[]);
PETSC_INTERN PetscErrorCode NAPIStageDense(Mat, const char[], char[]);
PETSC_INTERN PetscErrorCode NAPIStageFile(MPI_Comm, const char[], char[], char[]);
PETSC_INTERN PetscErrorCode NAPICommit(MPI_Comm, char[]);
PETSC_INTERN PetscErrorCode NAPITemporary(const char[]);
PETSC_INTERN void           NAPIRemoveTemporaries(void);
PETSC_INTERN PetscErrorCode NAPIWriteDense(Mat, const char[], char[]);
PETSC_INTERN PetscErrorCode NAPIWriteModes(Mat, const NAPIMesh *, const char[], int, const char *const[], const PetscReal *const[], char[]);
PETSC_INTERN PetscErrorCode NAPIWriteText(MPI_Comm, const char[], const char[], char[]);
