/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What the files of the EPS type "napi" share.
*/
#pragma once

#include <slepcnapi.h>
#include <slepc/private/epsimpl.h>
#include <slepcnapi/private/napimethod.h>
#include <slepcnapi/private/napiwindow.h>

/* How far a pair is from being one: r = A x - lambda B x */
typedef struct {
  PetscReal error;    /* what the user's test makes of it */
  PetscReal scaled;   /* ||r||/(|lambda| ||B x||) */
  PetscReal backward; /* ||r||/((||A|| + |lambda| ||B||) ||x||), with estimated norms */
} NAPIError;

/* What is known for sure of the pairs that were found (certify.c) */
typedef struct {
  PetscBool        ready;
  EPSNAPIBoundKind kind;
  PetscReal        lower;    /* bound of the spectrum of B, or of D^{-1/2}B D^{-1/2} with D = diag(weight) */
  PetscReal        smallest; /* of the eigenvalues of B at least, infinite where nothing is known */
  Vec              weight;
  KSP              direct; /* B^{-1}, where it was factored */
  PetscReal       *bound;  /* by position: |lambda - theta|, in the user's scale */
  PetscReal        limit;  /* eigenvalues beyond it: */
  PetscInt         count;  /*   as many as there are, -1 if that is not known, */
  PetscInt         found;  /*   and as were found */
} NAPICertificate;

typedef struct {
  /* what the user chooses; NAPI_UNSET is left to the solver */
  EPSNAPIMomentum  momentum;
  PetscReal        beta;   /* FIXED: the momentum parameter, or NAPI_UNSET */
  PetscReal        lambda; /* FIXED: lambda_{k+1}, from which beta is computed in set-up */
  PetscBool        haslambda;
  PetscInt         guard;        /* columns beyond nev, or NAPI_UNSET */
  PetscReal        rtol;         /* inner relative tolerance, or NAPI_UNSET: by the criterion */
  PetscInt         max_it;       /* inner iterations, or NAPI_UNSET: those of the KSP */
  EPSNAPICriterion criterion;    /* of the inner tolerance, */
  PetscBool        hascriterion; /* which otherwise goes with the momentum */
  PetscInt         restart;      /* OPTIMAL: Ritz vectors kept at a restart, or NAPI_UNSET */
  PetscInt         blocksize;    /* OPTIMAL: columns added in a step, or NAPI_UNSET */
  EPSNAPIWarmStart warmstart;
  EPSNAPIResidual  residual;
  EPSNAPICheck     check;    /* OPTIMAL: that nothing was missed */
  PetscBool        pcchosen; /* the preconditioner is our default, not the user's choice */

  /* the pair in use; B is NULL for a standard problem */
  Mat       A, B;                                                   /* A - sigma B and B, borrowed from the ST */
  Mat       G;                                                      /* what inner products are taken with: B, or in a standard problem that of the EPS's BV */
  PetscReal ascale, bscale;                                         /* powers of two A and G are multiplied by where their entries are extreme, 0 before the first product; */
  PetscReal bhalf, unscale;                                         /* sqrt(bscale), and bscale/ascale, the factor from our eigenvalues to the user's */
  PetscReal anorm, bnorm;                                           /* estimates from below of the norms of the scaled A and G */
  PetscReal sigma, usersigma;                                       /* the shift for the scaled pair, and the user's */
  PetscErrorCode (*pairmult)(Mat, Mat, Mat, Mat, Mat, PetscReal *); /* both products at once for less than one after the other, or NULL (see MATGRAM) */

  /* what both ways to iterate have: the deflation space and, behind it, locked eigenvectors; the pairs in sight */
  BV          Y, BY; /* ny columns, and B times them */
  PetscInt    ny;
  PetscInt    room;      /* pairs there is memory for, at least ncv */
  NAPISmall   small;     /* small dense eigenproblems, in the EPS's own DS */
  NAPIBlock   W;         /* vectors of the pairs in sight, or the block with its products */
  PetscReal  *theta;     /* their Ritz values */
  PetscReal  *scaled;    /* ||r||/(|lambda| ||B x||), by position */
  PetscReal  *rtols;     /* inner tolerances of the columns being solved for; not a local array, which an error in the user's PC would lose */
  NAPIError  *error;     /* of the pairs looked at last */
  PetscReal  *best;      /* by position: the smallest backward error, */
  PetscInt   *stalls;    /* and how often it has been looked at since */
  PetscBool   needx;     /* the test of convergence depends on the norm of x */
  PetscBool   exhausted; /* there is nothing left to expand with */
  const char *cause;     /* of a breakdown */

  NAPICertificate certificate;

  /* momentum none, fixed and adaptive: a block of ncv columns, of which those that are still iterated on come first */
  BV  Wold;           /* W_{t-1}, W being W_t with its products */
  BV  R, D;           /* R = A W - B W Theta, D ~ B^{-1} R */
  Mat scratch, cross; /* ncv x ncv and (deflation + ncv) x ncv, sequential and dense */

  /* optimal momentum; the basis of the window is the EPS's V */
  NAPIWindow window;
  PetscInt   bs, keep; /* the block size in use, and the Ritz vectors kept at a restart */
  PetscInt   renewals; /* how often the products carried along have been renewed */
  PetscBool  bothends; /* Ritz values of both signs have been seen */
  PetscBool  tiny;     /* the basis may hold everything, because the problem is so small */

  /* what has been done, and by the last step, for those who ask */
  PetscInt  acols, bcols; /* columns A and B were applied to, inner solves not included */
  PetscInt  inner;        /* inner iterations in all */
  PetscReal saved;        /* columns' worth of work saved by applying A and B at once */
  PetscInt  maxit;        /* inner iterations a solve may take, of the KSP or by hand */
  PetscReal beta_t;       /* momentum of the last step */
  PetscReal rtol_t;       /* inner tolerance of the last step */
  PetscInt  inner_t;      /* inner iterations of the last step */
} EPS_NAPI;

/* napi.c: the type */
SLEPC_INTERN PetscErrorCode EPSCreate_NAPI(EPS);
SLEPC_INTERN PetscErrorCode EPSNAPIGetApplications_NAPI(EPS, PetscInt *, PetscInt *, PetscInt *);

/* napiopts.c: options, setters and getters */
SLEPC_INTERN PetscErrorCode EPSSetFromOptions_NAPI(EPS, NAPIOptionItems);
SLEPC_INTERN PetscErrorCode EPSNAPIComposeFunctions(EPS, PetscBool);

/* Whether an eigenvalue of the scaled pair is a number in the user's scale, neither overflow nor underflow */
#define NAPI_RANGE "the eigenvalues are too large or too small for floating-point numbers: scale A or B"
static inline PetscBool EPSNAPIInRange(EPS_NAPI *ctx, PetscReal theta)
{
  PetscReal x = PetscAbsReal(theta * ctx->unscale);

  return (PetscBool)(theta == 0.0 || (!PetscIsInfOrNanReal(x) && x > 4.0 / PETSC_MAX_REAL));
}

/* momentum.c and optimal.c: the two ways to iterate */
SLEPC_INTERN PetscErrorCode EPSNAPISetUp_Momentum(EPS);
SLEPC_INTERN PetscErrorCode EPSNAPISolve_Momentum(EPS);
SLEPC_INTERN PetscErrorCode EPSNAPISetUp_Optimal(EPS);
SLEPC_INTERN PetscErrorCode EPSNAPISolve_Optimal(EPS);

/* product.c: A and B, scaled */
SLEPC_INTERN PetscErrorCode EPSNAPIApplyA(EPS, BV, BV);
SLEPC_INTERN PetscErrorCode EPSNAPIApplyB(EPS, BV, BV);
SLEPC_INTERN PetscErrorCode EPSNAPIApplyBoth(EPS, BV, BV, BV);
SLEPC_INTERN PetscErrorCode EPSNAPIAddScaled(BV, PetscScalar, PetscInt, const PetscReal[], PetscReal, BV);
SLEPC_INTERN PetscErrorCode EPSNAPIDeflate(EPS);

/* converge.c: memory for the pairs in sight, their errors, and reasons to end */
SLEPC_INTERN PetscErrorCode EPSNAPIAllocate(EPS, PetscInt, PetscInt);
SLEPC_INTERN PetscErrorCode EPSNAPIErrors(EPS, PetscInt, const PetscReal[], BV, BV, BV, NAPIError[]);
SLEPC_INTERN PetscErrorCode EPSNAPIFreshErrors(EPS, PetscInt, const PetscReal[], const NAPIBlock *, BV, NAPIError[]);
SLEPC_INTERN PetscErrorCode EPSNAPIForgetStalls(EPS);
SLEPC_INTERN PetscErrorCode EPSNAPIJudge(EPS, PetscInt, const NAPIError *, PetscBool, PetscReal *);
SLEPC_INTERN PetscErrorCode EPSNAPIDiverged(EPS, const char[]);
SLEPC_INTERN PetscErrorCode EPSNAPIBasisFailed(EPS, NAPIBasisStatus);

/* block.c: the B-orthonormal block of momentum none, fixed and adaptive */
SLEPC_INTERN PetscErrorCode EPSNAPIBlockSetActive(EPS, PetscInt);
SLEPC_INTERN PetscErrorCode EPSNAPIBlockStart(EPS, PetscInt);
SLEPC_INTERN PetscErrorCode EPSNAPIBlockOrthonormalize(EPS, PetscInt);
SLEPC_INTERN PetscErrorCode EPSNAPIBlockRitz(EPS, PetscInt);
SLEPC_INTERN PetscErrorCode EPSNAPIBlockSmallestSquare(EPS, PetscInt, PetscReal *);
SLEPC_INTERN PetscErrorCode EPSNAPIBlockLock(EPS, PetscInt *);

/* certify.c: error bounds, and a count of the eigenvalues */
SLEPC_INTERN PetscErrorCode EPSNAPICertificateReset(NAPICertificate *);
SLEPC_INTERN PetscErrorCode EPSNAPICertificateView(EPS, PetscViewer);
SLEPC_INTERN PetscErrorCode EPSNAPIBoundErrors(EPS, PetscInt, PetscInt, const PetscReal[], BV, BV);
SLEPC_INTERN PetscErrorCode EPSNAPICount(EPS, PetscInt, PetscInt *);
SLEPC_INTERN PetscErrorCode EPSNAPIGetErrorBound_NAPI(EPS, PetscInt, PetscReal *, EPSNAPIBoundKind *);
SLEPC_INTERN PetscErrorCode EPSNAPIGetCount_NAPI(EPS, PetscReal *, PetscInt *, PetscInt *);
SLEPC_INTERN PetscErrorCode EPSNAPIMatHasRows(Mat, PetscBool *);

/* inner.c: the inner solve and its tolerance */
SLEPC_INTERN PetscReal      EPSNAPIPaperTolerance(PetscInt, PetscReal, PetscReal, PetscReal, PetscReal, PetscReal);
SLEPC_INTERN PetscErrorCode EPSNAPIInnerSolve(EPS, PetscInt, BV, BV, BV, const NAPIBlock *, const PetscReal[], PetscReal, PetscInt, PetscInt *);
SLEPC_INTERN PetscErrorCode EPSNAPIInnerOnce(EPS, PetscInt, BV, const NAPIBlock *, PetscInt, PetscInt *, PetscBool *);
SLEPC_INTERN PetscErrorCode EPSNAPIWithInnerSolver(EPS, PetscErrorCode (*)(EPS));

SLEPC_INTERN PetscLogEvent EPS_NAPI_Inner, EPS_NAPI_Ortho, EPS_NAPI_Ritz;
