/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What the files of the EPS type "napi" share.
*/
#pragma once

#include <slepcnapi.h>
#include <slepc/private/epsimpl.h>
#include <slepcnapi/private/napicompat.h>
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
  Mat       A, B;                                      /* A - sigma B and B, borrowed from the ST */
  Mat       G;                                         /* what inner products are taken with: B, or in a standard problem that of the EPS's BV */
  PetscReal ascale, bscale;                            /* powers of two A and G are multiplied by where their entries are extreme, 0 before the first product; */
  PetscReal bhalf, unscale;                            /* sqrt(bscale), and bscale/ascale, the factor from our eigenvalues to the user's */
  PetscReal anorm, bnorm;                              /* estimates from below of the norms of the scaled A and G */
  PetscReal sigma, usersigma;                          /* the shift for the scaled pair, and the user's */
  PetscErrorCode (*pairmult)(Mat, Mat, Mat, Mat, Mat); /* both products at once for less than one after the other, or NULL (see MATGRAM) */

  /* the block, p = ncv columns, of which the last p - nconv are still iterated on and stored first */
  BV              W, Wold; /* W_t and W_{t-1} */
  BV              AW, BW;
  BV              R, D;           /* R = A W - B W Theta, D ~ B^{-1} R */
  BV              Y, BY;          /* deflation space and locked eigenvectors, and B times them */
  PetscInt        ny;             /* columns of Y in use */
  NAPISmall       small;          /* small dense eigenproblems, in the EPS's own DS */
  Mat             scratch, cross; /* p x p and (deflation + p) x p, sequential and dense */
  PetscScalar    *theta;          /* Ritz values of the active columns */
  PetscReal      *scaled;         /* ||r||/(|lambda| ||B x||) of the active columns */
  PetscReal      *rtols;          /* inner tolerances of the active columns */
  NAPIError      *error;          /* of the pairs looked at last */
  PetscReal      *best;           /* by position among the Ritz pairs: the smallest backward error, */
  PetscInt       *stalls;         /* and how often it has been looked at since */
  PetscBool       exhausted;      /* there is nothing left to expand with */
  const char     *cause;          /* of a breakdown */
  NAPICertificate certificate;

  /* optimal momentum: the window; its V is the EPS's, and the blocks above have bs columns (Wold holds B D) */
  PetscInt     bs, keep; /* the block size in use, and the Ritz vectors kept at a restart */
  PetscInt     room;     /* columns there is memory for, at least ncv */
  BV           AV, BofV;
  Mat          coef; /* coefficients of vectors in the basis V */
  PetscScalar *old;  /* those of the Ritz vectors of the step before, nold columns */
  PetscInt     nold;
  PetscInt    *look;     /* positions of the Ritz pairs looked at */
  PetscScalar *ltheta;   /* and their Ritz values */
  PetscInt     renewals; /* how often the products carried along have been renewed */
  PetscReal    cancel;   /* the factor by which the last block shrank when it was orthogonalised against V */
  PetscScalar *locked;   /* the Ritz values of the pairs that have been found converged */
  PetscBool    bothends; /* Ritz values of both signs have been seen */
  PetscBool    tiny;     /* the basis may hold everything, because the problem is so small */
  PetscBool    needx;    /* the test of convergence depends on the norm of x */
  NAPIAuto     choice;   /* of the inner work, on line */

  /* where the iteration stands */
  PetscReal beta_t;  /* momentum of the last step */
  PetscReal rtol_t;  /* inner tolerance of the last step */
  PetscInt  maxit_t; /* inner iterations allowed in it, and in any */
  PetscInt  maxit_all;
  PetscInt  inner_t;      /* inner iterations of the last step */
  PetscInt  acols, bcols; /* columns A and B were applied to, inner solves not included */
  PetscInt  inner;        /* inner iterations in all */
  PetscReal saved;        /* columns' worth of work saved by applying A and B at once */
} EPS_NAPI;

/* napi.c: the type */
SLEPC_INTERN PetscErrorCode EPSCreate_NAPI(EPS);
SLEPC_INTERN PetscErrorCode EPSNAPIGetApplications_NAPI(EPS, PetscInt *, PetscInt *, PetscInt *);

/* napiopts.c: options, setters and getters */
SLEPC_INTERN PetscErrorCode EPSSetFromOptions_NAPI(EPS, NAPIOptionItems);
SLEPC_INTERN PetscErrorCode EPSNAPIComposeFunctions(EPS, PetscBool);

/* Whether an eigenvalue of the scaled pair is a number in the user's scale, neither overflow nor underflow */
#define NAPI_RANGE "the eigenvalues are too large or too small for floating-point numbers: scale A or B"
static inline PetscBool EPSNAPIInRange(EPS_NAPI *ctx, PetscScalar theta)
{
  PetscReal x = PetscAbsScalar(theta * ctx->unscale);

  return (PetscBool)(theta == 0.0 || (!PetscIsInfOrNanReal(x) && x > 4.0 / PETSC_MAX_REAL));
}

/* momentum.c and optimal.c: the two ways to iterate */
SLEPC_INTERN PetscErrorCode EPSNAPISetUp_Momentum(EPS);
SLEPC_INTERN PetscErrorCode EPSNAPISolve_Momentum(EPS);
SLEPC_INTERN PetscErrorCode EPSNAPISetUp_Optimal(EPS);
SLEPC_INTERN PetscErrorCode EPSNAPISolve_Optimal(EPS);

/* block.c: the B-orthonormal block and the test of convergence */
SLEPC_INTERN PetscErrorCode EPSNAPIApplyA(EPS, BV, BV);
SLEPC_INTERN PetscErrorCode EPSNAPIApplyB(EPS, BV, BV);
SLEPC_INTERN PetscErrorCode EPSNAPIApplyBoth(EPS, BV, BV, BV);
SLEPC_INTERN PetscErrorCode EPSNAPIAllocate(EPS, PetscInt, PetscInt);
SLEPC_INTERN PetscErrorCode EPSNAPISetActive(EPS, PetscInt);
SLEPC_INTERN PetscErrorCode EPSNAPIDeflate(EPS);
SLEPC_INTERN PetscErrorCode EPSNAPIAddScaled(BV, PetscScalar, PetscInt, const PetscScalar[], PetscReal, BV);
SLEPC_INTERN PetscErrorCode EPSNAPIErrors(EPS, PetscInt, const PetscScalar[], BV, BV, NAPIError[]);
SLEPC_INTERN PetscErrorCode EPSNAPIFreshErrors(EPS, PetscInt, const PetscScalar[], NAPIError[]);
SLEPC_INTERN PetscErrorCode EPSNAPIForgetStalls(EPS);
SLEPC_INTERN PetscErrorCode EPSNAPIJudge(EPS, PetscInt, const NAPIError *, PetscBool, PetscReal *);
SLEPC_INTERN PetscErrorCode EPSNAPIDiverged(EPS, const char[]);
SLEPC_INTERN PetscErrorCode EPSNAPIBasisFailed(EPS, NAPIBasisStatus);
SLEPC_INTERN PetscErrorCode EPSNAPIStart(EPS, PetscInt);
SLEPC_INTERN PetscErrorCode EPSNAPIOrthonormalize(EPS, PetscInt);
SLEPC_INTERN PetscErrorCode EPSNAPIRayleighRitz(EPS, PetscInt);
SLEPC_INTERN PetscErrorCode EPSNAPISmallestSquare(EPS, PetscInt, PetscReal *);
SLEPC_INTERN PetscErrorCode EPSNAPILock(EPS, PetscInt *);

/* certify.c: error bounds, and a count of the eigenvalues */
SLEPC_INTERN PetscErrorCode EPSNAPICertificateReset(NAPICertificate *);
SLEPC_INTERN PetscErrorCode EPSNAPICertificateView(EPS, PetscViewer);
SLEPC_INTERN PetscErrorCode EPSNAPIBoundErrors(EPS, PetscInt, PetscInt, const PetscScalar[]);
SLEPC_INTERN PetscErrorCode EPSNAPICount(EPS, PetscInt, PetscInt *);
SLEPC_INTERN PetscErrorCode EPSNAPIGetErrorBound_NAPI(EPS, PetscInt, PetscReal *, EPSNAPIBoundKind *);
SLEPC_INTERN PetscErrorCode EPSNAPIGetCount_NAPI(EPS, PetscReal *, PetscInt *, PetscInt *);
SLEPC_INTERN PetscErrorCode EPSNAPIMatHasRows(Mat, PetscBool *);

/* inner.c: the inner solve and its tolerance */
SLEPC_INTERN PetscReal      EPSNAPIPaperTolerance(PetscInt, PetscReal, PetscReal, PetscReal, PetscReal, PetscReal);
SLEPC_INTERN PetscErrorCode EPSNAPIInnerSolve(EPS, PetscInt, const PetscScalar[], PetscBool);
SLEPC_INTERN PetscErrorCode EPSNAPIInnerOnce(EPS, PetscInt, PetscBool *);
SLEPC_INTERN PetscErrorCode EPSNAPIWithInnerSolver(EPS, PetscErrorCode (*)(EPS));

SLEPC_INTERN PetscLogEvent EPS_NAPI_Inner, EPS_NAPI_Ortho, EPS_NAPI_Ritz;
