/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What is shared by everything that iterates with B-orthonormal bases: small dense symmetric problems, the
   orthonormalisation of a block of vectors, and the window, bases that grow block by block and restart.
   Nothing here knows of EPS or CCA.
*/
#pragma once

#include <slepcds.h>
#include <slepcbv.h>
#include <slepcnapi/private/napidense.h>

/* Why a basis could not be built */
typedef enum {
  NAPI_BASIS_OK = 0,
  NAPI_BASIS_NOT_FINITE,   /* NaN or Inf in the vectors or in B times them */
  NAPI_BASIS_INDEFINITE,   /* x'B x < 0 was seen */
  NAPI_BASIS_NO_CORRECTION /* the inner solver has failed */
} NAPIBasisStatus;

SLEPC_INTERN const char *const NAPIBasisStatuses[];

/* Symmetric eigenproblems of order up to max, solved redundantly on every rank */
typedef struct {
  DS           ds; /* whose sorting criterion orders the eigenvalues; the work is done by LAPACK, without what a DS is made of: small problems are solved by the thousand */
  PetscInt     max;
  Mat          G;            /* max x max: inner products are put here */
  PetscScalar *E;            /* the problem to be solved, n x n without gaps, of which the lower triangle is read */
  PetscScalar *Q;            /* the eigenvectors of the last problem, without gaps, too, */
  PetscReal   *theta;        /*   and its eigenvalues */
  PetscReal   *ascending;    /* scratch */
  PetscInt    *order;        /* scratch */
  PetscReal    least;        /* after NAPIOrthonormalizeStep(): how nearly dependent the columns were, the smallest eigenvalue kept of their Gram matrix at unit diagonal */
  PetscBool    semidefinite; /* B is known to be: what looks negative is rounding, and is dropped */
  PetscReal   *bnorm;        /* where there is one, an estimate of the norm of B, which tells what is rounding */
} NAPISmall;

SLEPC_INTERN PetscErrorCode NAPISmallCreate(DS, PetscInt, NAPISmall *);
SLEPC_INTERN PetscErrorCode NAPISmallGrow(NAPISmall *, PetscInt);
SLEPC_INTERN PetscErrorCode NAPISmallDestroy(NAPISmall *);
/* what BVDot(X,Y,M) does */
SLEPC_INTERN PetscErrorCode NAPIDot(BV, BV, Mat);
SLEPC_INTERN PetscErrorCode NAPISmallDot(NAPISmall *, PetscInt, BV, BV, PetscBool *);
SLEPC_INTERN PetscErrorCode NAPISmallSolve(NAPISmall *, PetscInt);
SLEPC_INTERN PetscErrorCode NAPISmallEigen(NAPISmall *, PetscInt);
SLEPC_INTERN PetscErrorCode NAPISmallVectors(const NAPISmall *, PetscInt, Mat);

/* W := W - Y (dual'W), dual being B Y or what else Y is orthonormal by, with B W and, if any, A W following; cross is scratch of at least
   columns(Y) x columns(W). B = I: BW == W */
SLEPC_INTERN PetscErrorCode NAPIProject(BV, BV, BV, BV, BV, BV, BV, Mat);
/* one step of orthonormalisation within the block; along, if any, undergoes the same right multiplication */
SLEPC_INTERN PetscErrorCode NAPIOrthonormalizeStep(NAPISmall *, BV, BV, BV, Mat, PetscInt, PetscInt *, PetscReal *, NAPIBasisStatus *);

/* How many inner iterations a step does: what gains most for its cost (effort.c) */
typedef enum {
  NAPI_EFFORT_START = 0, /* nothing is known */
  NAPI_EFFORT_SETTLED,
  NAPI_EFFORT_TRIAL,   /* another number is being tried */
  NAPI_EFFORT_AGAIN,   /* and after it the usual one once more */
  NAPI_EFFORT_HOPELESS /* no number does: the tolerance decides */
} NAPIEffortStage;

#define NAPI_EFFORT_GRID 29 /* values of J that are considered, by factors of the root of two */

typedef struct {
  NAPIEffortStage stage;
  PetscBool       tried;                   /* there has been a trial */
  PetscInt        its, usual;              /* iterations of a step now, and outside of trials */
  PetscInt        most;                    /* of its that were allowed */
  PetscInt        wait, rest;              /* cycles until the next trial, and between two that change nothing */
  PetscInt        cycles;                  /* since usual was changed, */
  PetscReal       mark;                    /*   when there were these digits to be gained */
  PetscReal       once, each;              /* cost of a column in products: of a step with one iteration; and of every iteration where there are several */
  PetscReal       doubt[NAPI_EFFORT_GRID]; /* how badly a J explains what has been seen */
  PetscInt        columns, inner, reach;   /* in this cycle: columns added, their iterations, and the positions it began to look at */
  PetscReal       todo;                    /* when it began: digits to be gained, */
  PetscReal      *value;                   /*   and the magnitudes of the Ritz values, */
  PetscInt        room;                    /*   for as many of which there is memory */
  struct {
    PetscReal *rise;         /* relative, of the Ritz values */
    PetscReal  its;          /* iterations of a step, on average */
    PetscInt   nconv, reach; /* pairs that had converged in the end, and the position up to which they were worked on from the beginning */
  } cycle[3];                /* the last three */
} NAPIEffort;

#define NAPI_LOOSE 0.35 /* the tolerance: the window corrects a sloppy solve, and a tighter one costs more than it gains */

SLEPC_INTERN PetscErrorCode NAPIEffortStart(NAPIEffort *);

/* A block of vectors X with its products B X (X itself where B = I) and A X */
typedef struct {
  BV X, BX, AX;
} NAPIBlock;

/* What the owner of a window does, for the blocks of all sides unless one is named; n is a number of columns */
typedef struct {
  /* D := the vectors of the initial space from a position on, random ones for those it does not have and for the position -1; B D,
     and A D where haveA says so */
  PetscErrorCode (*start)(void *ctx, PetscInt position, PetscInt n, PetscBool *haveA);
  /* A D; and B D of one side; of the active columns */
  PetscErrorCode (*applya)(void *ctx);
  PetscErrorCode (*applyb)(void *ctx, PetscInt side);
  /* R holds A W and BW holds B W of the pairs at n positions: R := A W - B W Theta, and their errors */
  PetscErrorCode (*residual)(void *ctx, PetscInt n, const PetscInt at[]);
  /* How accurate the correction of n columns is to be, b pairs being looked at */
  PetscErrorCode (*tolerance)(void *ctx, PetscInt b, PetscInt n, PetscReal *rtol, PetscInt *maxit);
  /* D ~ B^{-1} R, B D, and A D where haveA says so; inner iterations, times the columns. A failure is a status of the window */
  PetscErrorCode (*solve)(void *ctx, PetscInt n, PetscReal rtol, PetscInt maxit, PetscBool *haveA, PetscInt *iterations);
  /* may be NULL: takes what is nothing but rounding out of the n orthonormal columns of one side's D, B D and, if haveA, A D */
  PetscErrorCode (*purge)(void *ctx, PetscInt side, PetscBool haveA, PetscInt *n);
  /* whether a value of T comes before another one by more than the tolerance */
  PetscErrorCode (*precedes)(void *ctx, PetscReal value, PetscReal other, PetscBool *first);
} NAPIWindowOps;

/* A B-orthonormal basis and the blocks that go with it */
typedef struct {
  NAPIBlock    V, D;     /* the basis, and what is to become part of it */
  BV           BV_, BD_; /* V.BX and D.BX, where B is not the identity */
  BV           dual;     /* T = dual'A V: V, or B V where A is self-adjoint in the inner product of B */
  BV           scaled;   /* what eigenvalues multiply: B V, or V in a standard problem */
  BV           R, BW;    /* R = A W - B W Theta, and B W */
  BV           Y, BY;    /* V is kept orthogonal to the ny columns of Y, which are the owner's, */
  BV           Ydual;    /*   by this, B Y or what else it is to be */
  PetscInt     ny;
  PetscInt     m, dim; /* columns of V in use, and how many there can be at all */
  PetscReal    drift;  /* how far B V, which is carried along, may be from B times V, as far as cancellation since it was last looked at tells */
  PetscScalar *Q;      /* coefficients in V of the pairs of T, m rows */
  PetscScalar *old;    /* and of those looked at in the step before, room rows */
  Mat          C;      /* coefficients of whatever is being made */
} NAPIWindowSide;

/*
   The window: one basis, T = V'A V = Q Theta Q', or one a view of the pair [0 A; A' 0], T = U'A V = P Theta Q'. The side across
   from i is nsides - 1 - i.
*/
typedef struct {
  PetscObject          obj; /* the owner, and what it does */
  const NAPIWindowOps *ops;
  void                *ctx;
  PetscInt             nsides;
  NAPIWindowSide       side[2];
  PetscInt             room, max; /* columns of a basis there is memory for, and that may be used */
  PetscInt             width;     /* columns of a block there is memory for */
  PetscInt             k;         /* pairs wanted */
  PetscInt             bs, keep;  /* pairs worked on in a step, and kept at a restart */
  PetscInt             nconv;     /* leading pairs that have been found converged, */
  PetscInt             fixed;     /*   and the first columns of the bases that are such pairs, and are not to be mixed with others: 0 releases them */
  PetscReal            tol;       /* errors below it are those of pairs that have converged */
  NAPISmall           *small;
  Mat                  T, H;   /* the projected problem, and scratch */
  PetscReal           *theta;  /* its values, in the order wanted */
  PetscReal           *error;  /* the errors of its pairs, by position; the owner's memory */
  PetscReal           *locked; /* the values of the pairs that have been found converged */
  PetscInt            *look;   /* positions of the pairs looked at last */
  PetscInt             nold;   /* columns of old */
  PetscReal            cancel; /* the factor by which the last block shrank when it was orthogonalised against V */
  NAPIBasisStatus      status; /* of the last expansion */
  NAPIEffort           effort;
  PetscInt             inner;       /* inner iterations of the last correction, times its columns */
  PetscLogEvent        ortho, ritz; /* the owner's */
} NAPIWindow;

/* blocksolve.c: systems with blocks of right-hand sides */
SLEPC_INTERN PetscErrorCode NAPIBlockSolve(KSP, BV, BV, BV, PetscReal, PetscInt, PetscInt *, KSPConvergedReason *);
SLEPC_INTERN PetscErrorCode NAPIBlockPrecondition(KSP, BV, BV);
SLEPC_INTERN PetscErrorCode NAPIBlockCosts(KSP, PetscBool, PetscReal *, PetscReal *);

/* What the products of one matrix pair and the same vectors cost in one sweep over the data, where that can be made, in products */
#define NAPI_JOINT 1.5

/* window.c: the bases, and the projected problem in them */
SLEPC_INTERN PetscInt       NAPIWindowBlock(PetscInt);
SLEPC_INTERN PetscErrorCode NAPIWindowDimensions(PetscInt, PetscInt, PetscInt, PetscInt, PetscInt, PetscInt, PetscInt *, PetscInt *, PetscInt *, PetscInt *);
SLEPC_INTERN PetscErrorCode NAPIWindowCreate(PetscObject, PetscInt, BV[], PetscInt, PetscInt, NAPISmall *, NAPIWindow *);
SLEPC_INTERN PetscErrorCode NAPIWindowStart(NAPIWindow *, PetscBool);
SLEPC_INTERN PetscErrorCode NAPIWindowGrow(NAPIWindow *, PetscInt);
SLEPC_INTERN PetscErrorCode NAPIWindowDestroy(NAPIWindow *);
SLEPC_INTERN PetscErrorCode NAPIWindowSetActive(NAPIWindow *);
SLEPC_INTERN PetscErrorCode NAPIWindowSetBlock(NAPIWindow *, PetscInt);
SLEPC_INTERN PetscErrorCode NAPIWindowProject(NAPIWindow *, const PetscInt[], PetscBool *);
SLEPC_INTERN PetscErrorCode NAPIWindowSolve(NAPIWindow *);
SLEPC_INTERN PetscErrorCode NAPIWindowCoupling(NAPIWindow *, PetscInt, const PetscInt[], PetscReal[]);
SLEPC_INTERN PetscErrorCode NAPIWindowCoefficients(NAPIWindow *, PetscInt, const PetscInt[]);
SLEPC_INTERN PetscErrorCode NAPIWindowLeading(NAPIWindow *, const PetscInt[], PetscReal *);
SLEPC_INTERN PetscErrorCode NAPIWindowAsymmetry(NAPIWindow *, const PetscInt[], PetscReal *);
SLEPC_INTERN PetscErrorCode NAPIWindowExpand(NAPIWindow *, PetscInt, PetscBool, PetscInt *);
SLEPC_INTERN PetscErrorCode NAPIWindowAddStart(NAPIWindow *, PetscInt, PetscInt, PetscInt *);
SLEPC_INTERN PetscErrorCode NAPIWindowRestart(NAPIWindow *, PetscInt, PetscInt);
SLEPC_INTERN PetscErrorCode NAPIWindowShift(NAPIWindow *, const PetscReal[]);
SLEPC_INTERN PetscBool      NAPIWindowIsFull(const NAPIWindow *, PetscInt);
SLEPC_INTERN PetscInt       NAPIWindowPairs(const NAPIWindow *);

/* step.c: what is done with them in a step */
SLEPC_INTERN PetscInt      *NAPIWindowRange(NAPIWindow *, PetscInt, PetscInt);
SLEPC_INTERN PetscErrorCode NAPIWindowResidual(NAPIWindow *, PetscInt, const PetscInt[]);
SLEPC_INTERN PetscInt       NAPIWindowPassed(const NAPIWindow *, PetscInt, PetscInt);
SLEPC_INTERN PetscErrorCode NAPIWindowAdvance(NAPIWindow *, PetscInt *, PetscInt *, PetscInt *);
SLEPC_INTERN PetscErrorCode NAPIWindowVerify(NAPIWindow *, PetscInt *);
SLEPC_INTERN PetscErrorCode NAPIWindowStep(NAPIWindow *, PetscInt, PetscInt *);
SLEPC_INTERN PetscErrorCode NAPIWindowProbe(NAPIWindow *, PetscInt, PetscReal, PetscBool *);

/* effort.c: how much is done for one */
SLEPC_INTERN PetscErrorCode NAPIWindowEffort(NAPIWindow *, PetscInt, PetscInt, PetscInt, PetscReal, PetscReal, PetscReal *, PetscInt *);
