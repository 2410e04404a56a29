/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What the method (blockcg.c) and the bound of its energy error (bound.c) share.
*/
#pragma once

#include <slepcnapi/private/kspcolumns.h>

/* The blocks, p columns each, lie behind each other in this order, so that [Z R] and [R W S] are blocks as well */
enum {
  BLOCK_Z,
  BLOCK_R,
  BLOCK_W,
  BLOCK_S,
  BLOCKS
};

/* Small matrices, p x p: what each holds is told by BlockCGSolve() */
enum {
  SMALL_GRAM,
  SMALL_GRAM2,
  SMALL_GRAM3,
  SMALL_EIG,
  SMALL_T,
  SMALL_Z,
  SMALL_C,
  SMALL_CNEW,
  SMALL_A,
  SMALL_AC,
  SMALL_ROOT,
  SMALL_RC,
  SMALL_TMP,
  SMALL_GAMMA,
  SMALL_K,
  SMALL_ZB,
  SMALLS
};

/* Numbers, one for each column */
enum {
  REAL_S,
  REAL_LAMBDA,
  REAL_NORM2,
  REAL_REF,
  REAL_DECREASE, /* of ||e||_A^2 so far */
  REAL_LOST,     /* in the norm of M^{-1}, what Q C has lost of the residual with its rank */
  REAL_BOUND,    /* of ||e||_A */
  REAL_BOUNDREF,
  REAL_DOTS,
  REAL_DOTS2,
  REAL_TESTNORM,
  REAL_TESTREF,
  REALS
};

/* Matrices that show the first r columns of the blocks, and the product W = A S set up for them */
typedef struct {
  PetscInt p, r;
  Mat      Z, R, W, S;
} BlockCGViews;

typedef struct {
  KSPColumns columns;
  PetscReal  mu; /* lower bound of the spectrum of M^{-1} A, or 0: not known */

  /* storage, kept while sizes repeat */
  Mat              A; /* what the views were made for; the products hold a reference */
  PetscObjectState nonzerostate;
  PetscInt         n, N, pmax; /* rows here and in all, and columns there is room for */
  PetscScalar     *block;      /* Z, R, W, S */
  PetscScalar     *resid;      /* n x p, the residual, on demand */
  Mat              residmat;   /* and as a matrix */
  PetscScalar     *chunk, *small;
  PetscReal       *real;
  BlockCGViews    *full, part; /* full[p] has r = p; part is for ranks below p */

  /* the solve, and what is left of it for KSPBlockCGGetResidual() and KSPBlockCGGetErrorBound() */
  PetscInt  p, r;
  PetscBool separate; /* the residual is in resid, not R C: rank was lost */
  PetscBool solved;
  PetscBool bounded; /* the bounds hold, and are what is tested */
  PetscReal scale;   /* the largest reference norm of a column */
  PetscReal failure; /* NaN where the preconditioner failed here, else 0: the next reduction tells everybody */
} KSP_BlockCG;

#define Block(cg, k) ((cg)->block + (size_t)(k) * (size_t)(cg)->p * (size_t)(cg)->n)
#define Small(cg, k) ((cg)->small + (size_t)(k) * (size_t)(cg)->pmax * (size_t)(cg)->pmax)
#define Real(cg, k)  ((cg)->real + (k) * (cg)->pmax)

SLEPC_INTERN PetscErrorCode BlockCGQuadraticForms(KSP_BlockCG *, PetscInt, const PetscScalar *, PetscInt, const PetscScalar *, PetscReal *);

SLEPC_INTERN PetscErrorCode BlockCGBoundTransform(KSP_BlockCG *, PetscInt, PetscInt, const PetscScalar *);
SLEPC_INTERN PetscErrorCode BlockCGBoundUpdate(KSP_BlockCG *, PetscBool, PetscInt, PetscInt);
SLEPC_INTERN PetscErrorCode BlockCGBoundStep(KSP, PetscInt);
SLEPC_INTERN PetscBool      BlockCGBoundMostlyLost(KSP);
SLEPC_INTERN PetscErrorCode BlockCGBoundCompose(KSP, PetscBool);
