/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What is shared by everything that iterates with B-orthonormal bases: small dense symmetric problems, the
   orthonormalisation of a block of vectors, and the window, a basis that grows block by block and restarts.
   Nothing here knows of EPS or CCA.
*/
#pragma once

#include <slepcds.h>
#include <slepcbv.h>
#include <slepcnapi/private/napidense.h>

/* Why a basis could not be built */
typedef enum {
  NAPI_BASIS_OK = 0,
  NAPI_BASIS_NOT_FINITE, /* NaN or Inf in the vectors or in B times them */
  NAPI_BASIS_INDEFINITE  /* x'B x < 0 was seen */
} NAPIBasisStatus;

SLEPC_INTERN const char *const NAPIBasisStatuses[];

/* Symmetric eigenproblems of order up to max, solved redundantly on every rank */
typedef struct {
  DS           ds; /* of type DSHEP; its sorting criterion orders the eigenvalues */
  PetscInt     max;
  PetscScalar *theta;        /* the eigenvalues of the last problem; the eigenvectors are the DS's Q */
  PetscReal    least;        /* after NAPIOrthonormalizeStep(): how nearly dependent the columns were, the smallest eigenvalue kept of their Gram matrix at unit diagonal */
  PetscBool    semidefinite; /* B is known to be: what looks negative is rounding, and is dropped */
  PetscReal   *bnorm;        /* where there is one, an estimate of the norm of B, which tells what is rounding */
} NAPISmall;

SLEPC_INTERN PetscErrorCode NAPISmallCreate(DS, PetscInt, NAPISmall *);
SLEPC_INTERN PetscErrorCode NAPISmallDestroy(NAPISmall *);
/* what BVDot(X,Y,M) does */
SLEPC_INTERN PetscErrorCode NAPIDot(BV, BV, Mat);
SLEPC_INTERN PetscErrorCode NAPISmallDot(NAPISmall *, PetscInt, BV, BV, Mat *, PetscBool *);
SLEPC_INTERN PetscErrorCode NAPISmallSolve(NAPISmall *, Mat *);
SLEPC_INTERN PetscErrorCode NAPISmallDiscard(NAPISmall *, Mat *);

/* W := W - Y (Y'B W), with B W and, if any, A W following; cross is scratch of at least columns(Y) x columns(W). B = I: BW == W */
SLEPC_INTERN PetscErrorCode NAPIProject(BV, BV, BV, BV, BV, BV, Mat);
/* one step of orthonormalisation within the block; along, if any, undergoes the same right multiplication */
SLEPC_INTERN PetscErrorCode NAPIOrthonormalizeStep(NAPISmall *, BV, BV, BV, Mat, PetscInt, PetscInt *, PetscReal *, NAPIBasisStatus *);

/* A B-orthonormal basis V of at most max columns, with B V and an image A V carried along */
typedef struct {
  BV         V, BofV, AV; /* BofV, B V, is V itself where B = I */
  BV         left;        /* T = left' A V: V, or B V where A is self-adjoint in the inner product of B */
  PetscInt   m, max;
  BV         Y, BY; /* V is kept B-orthogonal to the ny columns of Y */
  PetscInt   ny;
  Mat        T; /* V'A V, max x max, kept up by NAPIWindowProject() */
  Mat        H; /* scratch */
  NAPISmall *small;
} NAPIWindow;

SLEPC_INTERN PetscErrorCode NAPIWindowCreate(BV, BV, BV, PetscInt, BV, BV, PetscInt, NAPISmall *, NAPIWindow *);
SLEPC_INTERN PetscErrorCode NAPIWindowDestroy(NAPIWindow *);
SLEPC_INTERN PetscErrorCode NAPIWindowSetActive(NAPIWindow *, PetscInt, PetscInt);
SLEPC_INTERN PetscErrorCode NAPIWindowOrthonormalize(NAPIWindow *, BV, BV, BV, PetscInt *, PetscReal *, NAPIBasisStatus *);
SLEPC_INTERN PetscErrorCode NAPIWindowDefect(NAPIWindow *, BV, PetscReal *);
SLEPC_INTERN PetscErrorCode NAPIWindowAppend(NAPIWindow *, BV, BV, BV, PetscInt);
SLEPC_INTERN PetscErrorCode NAPIWindowProject(NAPIWindow *, PetscInt, PetscBool *);
SLEPC_INTERN PetscErrorCode NAPIWindowAsymmetry(NAPIWindow *, PetscInt, PetscReal *);
SLEPC_INTERN PetscErrorCode NAPIWindowRitz(NAPIWindow *, PetscInt);
SLEPC_INTERN PetscErrorCode NAPIWindowRotate(NAPIWindow *, Mat, PetscInt);
SLEPC_INTERN PetscErrorCode NAPIWindowRestart(NAPIWindow *, Mat, PetscInt);

/* The first n columns of Q and behind them those of old that are new, orthonormalised: coefficients for a restart */
SLEPC_INTERN PetscErrorCode NAPIKeepDirections(PetscInt, PetscInt *, PetscScalar *, PetscInt, PetscInt, const PetscScalar *, PetscInt);

typedef enum {
  NAPI_AUTO_SETTLED = 0,
  NAPI_AUTO_TRIAL, /* the other way is being tried */
  NAPI_AUTO_AGAIN  /* and after it the first once more */
} NAPIAutoStage;

/* Two ways to do the inner work, one iteration or down to a tolerance, and what they have gained for their cost */
typedef struct {
  PetscBool     ripe; /* convergence is steady */
  NAPIAutoStage stage;
  PetscInt      arm, steps; /* the way in use (0: one iteration), and for how long */
  PetscReal     rtol;       /* the tolerance of the other */
  PetscReal     gain, cost; /* digits gained by the way in use, and columns spent on it */
  PetscReal     rate[2];    /* digits a column of the way before the trial, and of that on trial */
  PetscReal     budget;     /* columns for a trial */
  PetscReal     inner;      /* iterations the tolerance takes, on average */
  PetscInt      width;      /* columns of the last step */
  PetscReal     before;     /* digits still to be gained at the last step */
  PetscReal     spent;      /* columns A and B were applied to by then */
  PetscBool     tight;      /* convergence was so slow that the tolerance has been made smaller */
  PetscReal     best;       /* the fewest digits that were ever still to be gained */
  struct {
    PetscInt  steps;
    PetscReal todo;
  } since; /* the period began in which slow convergence is looked for */
} NAPIAuto;

#define NAPI_LOOSE  0.35 /* the tolerance */
#define NAPI_LOOSER 0.5  /* where that one takes more than a few iterations */

SLEPC_INTERN PetscErrorCode NAPIAutoStart(NAPIAuto *);
SLEPC_INTERN PetscErrorCode NAPIAutoChoose(PetscObject, NAPIAuto *, PetscReal, PetscReal, PetscReal, PetscInt, PetscInt);
