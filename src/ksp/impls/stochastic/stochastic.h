/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The frame of the KSP types that go from sample to sample: a method is a start and a stage of many steps.
*/
#pragma once

#include <slepcnapi/private/kspcolumns.h>
#include "rows.h"

typedef struct _StochasticMethod StochasticMethod;

typedef struct {
  KSPColumns              columns;
  const StochasticMethod *method;
  void                   *data; /* the method's own */

  /* options */
  PetscReal             step;  /* or PETSC_DECIDE */
  PetscInt              stage; /* or PETSC_DECIDE */
  KSPStochasticSampling sampling;
  PetscInt              seed;
  PetscInt              linesearch; /* PetscBool, or NAPI_UNSET: where the theory does not hold */

  Rows        rows;
  PetscRandom random;
  PetscBool   seeded;

  /* of this operator, kept while it does not change */
  PetscBool             havedrawn; /* the tables below exist */
  KSPStochasticSampling drawn;     /* for which sampling */
  PetscReal            *prob;      /* of Walker's alias method */
  PetscInt             *alias;     /* likewise; or, where samples are permuted, their order in this round */
  PetscInt              position;  /* how many of the round are done */
  PetscReal            *weight;    /* 1/(n p_i), NULL where all are 1 */
  PetscReal             L;         /* max weight_i L_i + ridge */

  /* of this solve; arrays that every rank has are D x P by rows */
  PetscReal    eta;    /* the step */
  PetscReal    shrink; /* by how much it had to be reduced */
  PetscInt     m;      /* steps of a stage on this rank */
  PetscReal    passes; /* passes over all data that the steps of one stage make */
  PetscInt    *sample; /* m samples */
  PetscInt     msize;
  PetscInt     P;      /* columns */
  PetscInt     nloc;   /* unknowns here */
  PetscScalar *R, *d;  /* nloc x P by columns: residual, step */
  PetscScalar *g;      /* on every rank: minus the residual, the gradient */
  PetscScalar *result; /* on every rank: the step, and what else a stage gives */
  PetscScalar *array;  /* of the method itself */
  PetscScalar *sofar;  /* on every rank, where the method remembers: the steps since its start */
  PetscScalar *table;  /* likewise: n x nv x P, a number for each sample, view and column */
  size_t       tablesize;
  PetscScalar *state;  /* the planes of ROWS_WIDTH columns */
  PetscInt     stages; /* since the start of the method */
  PetscScalar *pack;
  Mat          Dmat, BD; /* d as a matrix, and the operator times it */
  Mat          Rmat;     /* R as a matrix, on demand */
  PetscBool    known;    /* R is the residual of the solution */
  Mat          A;        /* what BD was made for */
  PetscInt     Dsize;
  PetscReal   *norm, *ref, *dots, *length; /* P each; length is how far the solution goes along the step, 1 for all of it */
  PetscReal    scale;                      /* the largest reference norm */
} KSP_Stochastic;

struct _StochasticMethod {
  const char *name;                                      /* the KSP type, and the middle of its options */
  PetscReal   stepfactor;                                /* the automatic step is stepfactor/L; 0: there is no step to choose */
  PetscReal   stagefactor;                               /* a stage has stagefactor*N steps */
  PetscReal   mixture;                                   /* share of uniform draws where samples are drawn by their norms */
  PetscReal   flops;                                     /* of a step, for each nonzero of a sample and column */
  PetscInt    planes;                                    /* of an iterate, see RowsPlane() */
  PetscInt    results;                                   /* arrays that a stage gives, the first of them the step */
  PetscInt    arrays;                                    /* that it wants for itself */
  PetscBool   permutes;                                  /* samples are not drawn, but permuted */
  PetscBool   remembers;                                 /* sofar and table are wanted */
  PetscErrorCode (*check)(KSP);                          /* refuses operators that the method is not made for */
  PetscErrorCode (*start)(KSP);                          /* from where the solution is now, with g known */
  PetscErrorCode (*before)(KSP);                         /* a stage */
  void (*columns)(KSP_Stochastic *, PetscInt, PetscInt); /* the steps of a stage for so many columns, from the first on, to result */
  PetscErrorCode (*after)(KSP);                          /* the steps, before result is averaged over the ranks */
  PetscErrorCode (*follow)(KSP);                         /* the solution has gone by length times the step, a column each */
  PetscErrorCode (*free)(KSP);
  PetscErrorCode (*compose)(KSP, PetscBool); /* makes functions of its own known, or takes them away */
  PetscErrorCode (*setfromoptions)(KSP, NAPIOptionItems);
};

PETSC_INTERN PetscErrorCode StochasticCreate(KSP, const StochasticMethod *, size_t);
PETSC_INTERN PetscErrorCode KSPStochasticGetResidual_Stochastic(KSP, Mat *);

/* options.c */
PETSC_INTERN PetscErrorCode StochasticSetPositive(KSP, const char[], PetscReal, PetscReal *);
PETSC_INTERN PetscErrorCode StochasticCompose(KSP, PetscBool);
PETSC_INTERN PetscErrorCode KSPSetFromOptions_Stochastic(KSP, NAPIOptionItems);
PETSC_INTERN PetscErrorCode KSPView_Stochastic(KSP, PetscViewer);

/* sampling.c */
PETSC_INTERN PetscErrorCode StochasticSetUpSampling(KSP);
PETSC_INTERN PetscErrorCode StochasticDraw(KSP);
PETSC_INTERN PetscErrorCode StochasticResetSampling(KSP);
