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

/* Matrices that show the first r columns of the blocks, and the product W = A S set up for them */
typedef struct {
  PetscInt p, r;
  Mat      Z, R, W, S;
} BlockCGViews;

typedef struct {
  KSPColumns columns;
  PetscReal  mu;                   /* lower bound of the spectrum of M^{-1} A, or 0: not known */
  PetscBool  negative, negativepc; /* A is negative definite, and so is M */

  /* storage, kept while sizes repeat */
  Mat              A; /* what the views were made for; the products hold a reference */
  PetscObjectState nonzerostate;
  PetscInt         n, N, pmax; /* rows here and in all, and columns there is room for */
  PetscScalar     *block;      /* Z, R, W, S */
  PetscScalar     *resid;      /* n x p, the residual, on demand */
  Mat              residmat;   /* and as a matrix */
  PetscScalar     *chunk;
  BlockCGViews    *full, part; /* full[p] has r = p; part is for ranks below p */

  /* small matrices of at most p rows and columns, as the method (blockcg.c) and the bound (bound.c) call them */
  PetscScalar *gram, *eig, *T, *z, *C, *Cnew, *a, *aC, *tmp, *gamma, *K, *zb;
  PetscScalar *root, *rC; /* a = root root', root'C */
  /* and a number for each column */
  PetscReal *s, *lambda, *norm2, *ref, *dots, *testnorm, *testref;
  PetscReal *decrease;         /* of ||e||_A^2 so far */
  PetscReal *lost;             /* what R C has lost of the residual with its rank, in the norm of M^{-1} */
  PetscReal *bound, *boundref; /* of ||e||_A, now and at the beginning */

  /* the solve, and what is left of it for KSPBlockCGGetResidual() and KSPBlockCGGetErrorBound() */
  PetscInt  p, r;
  PetscBool separate; /* the residual is in resid, not R C: rank was lost */
  PetscBool solved;
  PetscBool bounded; /* the bounds hold, and are what is tested */
  PetscReal scale;   /* the largest reference norm of a column */
  PetscReal failure; /* NaN where the preconditioner failed here, else 0: the next reduction tells everybody */
} KSP_BlockCG;

#define Block(cg, k) ((cg)->block + (size_t)(k) * (size_t)(cg)->p * (size_t)(cg)->n)

SLEPC_INTERN PetscErrorCode KSPBlockCGGetResidual_BlockCG(KSP, Mat *);
SLEPC_INTERN PetscErrorCode BlockCGQuadraticForms(KSP_BlockCG *, PetscInt, const PetscScalar *, PetscInt, const PetscScalar *, PetscReal *);

SLEPC_INTERN PetscErrorCode BlockCGBoundTransform(KSP_BlockCG *, PetscInt, PetscInt, const PetscScalar *);
SLEPC_INTERN PetscErrorCode BlockCGBoundUpdate(KSP_BlockCG *, PetscBool, PetscInt, PetscInt);
SLEPC_INTERN PetscErrorCode BlockCGBoundStep(KSP, PetscInt);
SLEPC_INTERN PetscBool      BlockCGBoundMostlyLost(KSP);
SLEPC_INTERN PetscErrorCode BlockCGCompose(KSP, PetscBool);
