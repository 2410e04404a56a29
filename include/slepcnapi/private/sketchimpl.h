/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What the files of the PC type "sketch" share.
*/
#pragma once

#include <slepcnapi/private/gramimpl.h>
#include <petsc/private/pcimpl.h>

#define SKETCH_RATIO         4.0  /* rows of the sketch for each column: more cost set-up, fewer cost iterations, 1/sqrt(ratio) is what one gains */
#define SKETCH_NONZEROS      4    /* rows that a sample is added to: fewer may lose the directions of samples with great weight, see PCSketchSetNonzeros() */
#define SKETCH_MAX_DIMENSION 4000 /* largest order of a factor: 128 MB of real numbers on each rank */

/* What the sketch of a matrix depends on: as long as this does not change it is kept, unless the user chooses otherwise */
typedef struct {
  PetscObjectId    id[2];
  PetscObjectState state[2], weights;
  PetscReal        factor[2];
  PetscBool        center, scale[2], joint;
} SketchKey;

/* A diagonal block of the preconditioner: one view, or both of them together */
typedef struct {
  PetscInt     view, nviews; /* the first view in it, and how many there are */
  PetscInt     first, n;     /* rows first..first+n-1 of the operator */
  PetscInt     m, q;         /* rows of R; nonzeros in a column of R */
  PetscBool    exact;        /* R = I */
  PetscScalar *mem;          /* (n+1) x n: Z'Z and U; NULL if the block is too large to be factored */
  PetscReal   *noise;        /* what rounding errors leave of the variance of a constant column; NULL if not centred */
  PetscBool    split;        /* the views of a joint block had to be factored one by one */
  PetscReal    shift;        /* what had to be added to the diagonal */
} SketchBlock;

typedef struct {
  /* what the user chooses */
  PetscReal ratio;
  PetscInt  seed, nonzeros, maxdim;

  /* what there is */
  PetscBool    sketched, factored;
  SketchKey    key;
  PetscReal    s[2][2], ridge[2]; /* coupling and ridges that were factored */
  PetscInt     nblocks;
  SketchBlock  block[2];
  PetscInt     dim[2];     /* columns of the views */
  PetscInt     row0, row1; /* rows of the operator that have a factor: one range */
  Vec          idiag;      /* for the other rows: one over the diagonal */
  PetscScalar *work;       /* blocks of right-hand sides with all rows, by columns and by rows */
  PetscInt     worksize;
} PC_Sketch;

SLEPC_EXTERN PetscErrorCode PCCreate_Sketch(PC);

/* sketchbuild.c */
PETSC_INTERN PetscErrorCode SketchBuild(PC, SketchBlock *);

/* sketchfactor.c */
PETSC_INTERN PetscErrorCode SketchFactor(PC, SketchBlock *, PetscBool *);
PETSC_INTERN PetscErrorCode PCApply_Sketch(PC, Vec, Vec);
PETSC_INTERN PetscErrorCode PCMatApply_Sketch(PC, Mat, Mat);
