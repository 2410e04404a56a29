/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What the files of the EPS type "napi" share.
*/
#pragma once

#include <slepcnapi.h>
#include <slepc/private/epsimpl.h>
#include <slepcnapi/private/napimethod.h>
#include <slepcnapi/private/napiwindow.h>

/* Which pair (A^, B^) stands for the user's (A, B), and what its values are (form.c) */
typedef enum {
  NAPI_DIRECT,  /* A - sigma B and B: lambda - sigma */
  NAPI_INVERSE, /* B and A - sigma B, which is definite: 1/(lambda - sigma) */
  NAPI_OPERATOR /* (A - sigma B)^{-1}B and I, in the inner product of B: 1/(lambda - sigma) */
} NAPIForm;

/* Why a form does not serve, so that another one may */
typedef enum {
  NAPI_FIT,
  NAPI_INDEFINITE, /* A - sigma B takes both signs */
  NAPI_SINGULAR,   /* it takes the value zero, to rounding */
  NAPI_NEAR        /* and nearly so: an eigenvalue is too near to sigma for the others to be seen */
} NAPIUnfit;

/* How far a pair is from being one of the user's: r = A x - lambda B x */
typedef struct {
  PetscReal error;    /* what the user's test makes of it */
  PetscReal scaled;   /* ||r||/(|lambda| ||B x||) */
  PetscReal backward; /* ||r||/((||A|| + |lambda| ||B||) ||x||), with estimated norms */
  PetscReal relative; /* of the pair (A^, B^) in use, ||A^x - theta B^x||/(|theta| ||B^x||); where sigma and theta are added, |theta + sigma| */
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
  EPSNAPICheck     check; /* OPTIMAL: that nothing was missed */

  /* what is our default, and not the user's choice: */
  PetscBool stchosen, kspchosen, pcchosen, pmatchosen;
  PetscBool inverted; /* the ST of ours is STSINVERT */
  KSPType   ksptype;  /* of the KSP, while it is ours */
  PetscReal ksprtol;  /* the KSP's tolerance, where it is ours, too, or 0 */

  /* the pair in use, in whichever form; B is NULL for a standard problem */
  NAPIForm    form;
  NAPIUnfit   unfit;
  EPSWhich    which;            /* what the user asks for */
  PetscBool   magnitude;        /* which, for the values in use: both ends, or */
  PetscBool   smallest;         /*   the lower */
  PetscScalar centre;           /*   or, where the basis is everything, those nearest to this */
  PetscBool   pconly;           /* STPRECOND: the preconditioner alone takes the place of the inner solver */
  PetscBool   exact;            /* the inner solver is a factorisation */
  Mat         A, B;             /* borrowed from the ST; A is NULL where it is the identity */
  Mat         C;                /* A - sigma B where the ST does not have it */
  PetscBool   nearlysingular;   /* B is, by its diagonal */
  Mat         G;                /* what inner products are taken with: B, or in a standard problem that of the EPS's BV */
  PetscReal   sign;             /* -1 where G is negative definite: then both signs are changed */
  PetscReal   ascale, bscale;   /* sign, and powers of two where entries are extreme, that A and G are multiplied by, 0 before the first product; */
  PetscReal   bhalf, unscale;   /* sqrt(|bscale|), and bscale/ascale, the factor from our eigenvalues to the user's */
  PetscReal   anorm, bnorm;     /* estimates from below of the norms of the scaled A and G */
  PetscReal   sigma, usersigma; /* the shift for the scaled pair, and the user's */
  PetscBool   cayley;
  PetscReal   factor;                                               /* the values of STCAYLEY are 1 + factor theta */
  PetscReal   oprtol, opfirst, opleast;                             /* the accuracy of the operator, at first, and at best */
  PetscInt    tooslow;                                              /* solves that have not reached it */
  PetscReal   amplify;                                              /* by how much its residuals are smaller than those of pairs */
  PetscBool   moved, sigmaset;                                      /* another shift is in use than the user's, which was set by hand */
  PetscScalar before;                                               /*   and is this */
  PetscErrorCode (*pairmult)(Mat, Mat, Mat, Mat, Mat, PetscReal *); /* both products at once for less than one after the other, or NULL (see MATGRAM) */

  /* what both ways to iterate have: the deflation space and, behind it, locked eigenvectors; the pairs in sight */
  BV          Y, BY; /* ny columns, and B times them */
  BV          dual;  /* orthogonal to Y is what has (dual)'x = 0: B Y, or the user's B times Y */
  PetscInt    ny;
  PetscInt    nnull, maxnull; /* the last of the deflation space are the null space of A, eigenvectors for the eigenvalue 0; and room for it */
  PetscInt    room;           /* pairs there is memory for, at least ncv */
  NAPISmall   small;          /* small dense eigenproblems, in the EPS's own DS */
  NAPIBlock   W;              /* vectors of the pairs in sight, or the block with its products */
  PetscReal  *theta;          /* their Ritz values */
  PetscReal  *scaled;         /* relative residuals of the pair in use, by position */
  PetscReal  *rtols;          /* inner tolerances of the columns being solved for; not a local array, which an error in the user's PC would lose */
  NAPIError  *error;          /* of the pairs looked at last */
  PetscReal  *best;           /* by position: the smallest backward error, */
  PetscInt   *stalls;         /* and how often it has been looked at since */
  PetscBool   needx;          /* the test of convergence depends on the norm of x */
  PetscBool   exhausted;      /* there is nothing left to expand with */
  const char *cause;          /* of a breakdown, */
  PetscBool   outofreach;     /*   which a larger tolerance would have spared */
  char        words[512];     /* where it names numbers */

  NAPICertificate certificate;

  /* momentum none, fixed and adaptive: a block of ncv columns, of which those that are still iterated on come first */
  BV  Wold;           /* W_{t-1}, W being W_t with its products */
  BV  R, D;           /* R = A W - B W Theta, D ~ B^{-1} R */
  Mat scratch, cross; /* ncv x ncv and (deflation + ncv) x ncv, sequential and dense */

  /* optimal momentum; the basis of the window is the EPS's V */
  NAPIWindow window;
  PetscInt   bs, keep; /* the block size in use, and the Ritz vectors kept at a restart */
  PetscInt   renewals; /* how often the products carried along have been renewed */
  PetscBool  renew;    /*   and whether they are to be */
  PetscReal  todo;     /* digits to be gained, when that was looked at last */
  PetscInt   lonely;   /* steps in which all values but those that have converged were infinite */
  PetscBool  bothends; /* Ritz values of both signs have been seen */
  PetscBool  tiny;     /* the basis may hold everything, because the problem is so small, */
  PetscBool  whole;    /*   and is to, because nothing else has helped */

  /* what has been done, and by the last step, for those who ask */
  PetscInt  acols, bcols; /* columns A and B were applied to, inner solves not included */
  PetscInt  inner;        /* inner iterations in all */
  PetscInt  maxit;        /* inner iterations a solve may take, of the KSP or by hand */
  PetscReal beta_t;       /* momentum of the last step */
  PetscReal rtol_t;       /* inner tolerance of the last step */
  PetscInt  inner_t;      /* inner iterations of the last step */
  PetscInt  slow;         /* the step at which it was seen that the tolerance will not be reached, or 0 */
} EPS_NAPI;

/* napi.c: the type */
SLEPC_INTERN PetscErrorCode EPSCreate_NAPI(EPS);
SLEPC_INTERN PetscErrorCode EPSNAPIGetApplications_NAPI(EPS, PetscInt *, PetscInt *, PetscInt *);
SLEPC_INTERN PetscErrorCode EPSNAPIGetCause_NAPI(EPS, const char **);

/* napiopts.c: options, setters and getters */
SLEPC_INTERN PetscErrorCode EPSSetFromOptions_NAPI(EPS, NAPIOptionItems);
SLEPC_INTERN PetscErrorCode EPSNAPIComposeFunctions(EPS, PetscBool);

/* transform.c: set-up of the ST and of the inner solver */
typedef struct {
  PetscBool shift, sinvert, cayley, precond;
} NAPISTKind;
SLEPC_INTERN PetscErrorCode EPSNAPIGetSTKind(EPS, NAPISTKind *);
SLEPC_INTERN PetscErrorCode EPSNAPISetUpForm(EPS);
SLEPC_INTERN PetscErrorCode EPSNAPISetUpInner(EPS);
SLEPC_INTERN PetscErrorCode EPSNAPISetUpSmoothers(KSP);
SLEPC_INTERN PetscErrorCode EPSNAPIResetInner(EPS);

/* form.c: which pair stands for the user's */
SLEPC_INTERN PetscErrorCode EPSNAPIFormView(EPS, PetscViewer, PetscBool *);
SLEPC_INTERN PetscErrorCode EPSNAPISetOrder(EPS);
SLEPC_INTERN PetscErrorCode EPSNAPIChooseForm(EPS);
SLEPC_INTERN PetscErrorCode EPSNAPIBeginForm(EPS);
SLEPC_INTERN PetscErrorCode EPSNAPIAnotherForm(EPS, PetscBool *);
SLEPC_INTERN PetscReal      EPSNAPILambda(EPS_NAPI *, PetscReal);
SLEPC_INTERN PetscScalar    EPSNAPIShown(EPS, PetscReal);
SLEPC_INTERN PetscErrorCode EPSNAPIFormVectors(EPS, PetscInt, const PetscReal[]);
SLEPC_INTERN PetscErrorCode EPSNAPICheckFit(EPS, PetscInt, const PetscReal[]);
SLEPC_INTERN PetscErrorCode EPSNAPICovered(EPS, PetscInt, PetscInt, const PetscReal[], PetscBool *);
SLEPC_INTERN PetscErrorCode EPSNAPINotCovered(EPS);
SLEPC_INTERN PetscErrorCode EPSNAPIUnmove(EPS);

#define NAPI_RENEWALS 2   /* of a basis that cannot be expanded any more, before it is as good as it gets */
#define NAPI_SMALL    512 /* unknowns: a basis of as many costs little, and is there for the day when nothing else helps */

#define NAPI_NEARLY_SINGULAR "B is singular to working precision, by its diagonal: use a target below the spectrum (-st_type sinvert -eps_target ...), which needs no solves with B"

/* Whether an eigenvalue of the scaled pair is a number in the user's scale, neither overflow nor underflow */
#define NAPI_RANGE "the eigenvalues are too large or too small for floating-point numbers: scale A or B"
static inline PetscBool EPSNAPIInRange(EPS_NAPI *ctx, PetscReal theta)
{
  PetscReal x = PetscAbsReal(theta * ctx->unscale);

  return (PetscBool)(theta == 0.0 || (!PetscIsInfOrNanReal(x) && x > 4.0 / PETSC_MAX_REAL));
}

/* Whether a value of the inverse form is that of an infinite eigenvalue, x'B x being rounding */
static inline PetscBool EPSNAPIIsInfinite(EPS_NAPI *ctx, PetscReal theta)
{
  return (PetscBool)(PetscAbsReal(theta) * ctx->bnorm <= 100.0 * PETSC_MACHINE_EPSILON * ctx->anorm);
}

/* momentum.c and optimal.c: the two ways to iterate */
SLEPC_INTERN PetscErrorCode EPSNAPISetUp_Momentum(EPS);
SLEPC_INTERN PetscErrorCode EPSNAPISolve_Momentum(EPS);
SLEPC_INTERN PetscErrorCode EPSNAPISetUp_Optimal(EPS);
SLEPC_INTERN PetscErrorCode EPSNAPISetUpAgain_Optimal(EPS);
SLEPC_INTERN PetscErrorCode EPSNAPISolve_Optimal(EPS);

/* product.c: A and B, scaled */
SLEPC_INTERN PetscErrorCode EPSNAPIApplyA(EPS, const NAPIBlock *);
SLEPC_INTERN PetscErrorCode EPSNAPIApplyB(EPS, BV, BV);
SLEPC_INTERN PetscErrorCode EPSNAPIApplyBoth(EPS, BV, BV, BV);
SLEPC_INTERN PetscErrorCode EPSNAPIAddScaled(BV, PetscScalar, PetscInt, const PetscReal[], PetscReal, BV);
SLEPC_INTERN PetscErrorCode EPSNAPIDeflate(EPS);
SLEPC_INTERN PetscErrorCode EPSNAPINullDimension(EPS, PetscInt *);

/* converge.c: memory for the pairs in sight, their errors, and reasons to end */
SLEPC_INTERN PetscErrorCode EPSNAPIAllocate(EPS, PetscInt, PetscInt);
SLEPC_INTERN PetscErrorCode EPSNAPIErrors(EPS, PetscInt, const PetscReal[], BV, BV, BV, NAPIError[]);
SLEPC_INTERN PetscErrorCode EPSNAPIFreshErrors(EPS, PetscInt, const PetscReal[], const NAPIBlock *, BV, NAPIError[]);
SLEPC_INTERN PetscErrorCode EPSNAPIForgetStalls(EPS);
SLEPC_INTERN PetscErrorCode EPSNAPIJudge(EPS, PetscInt, const NAPIError *, PetscBool, PetscReal *);
SLEPC_INTERN PetscErrorCode EPSNAPIDiverged(EPS, const char[]);
SLEPC_INTERN PetscErrorCode EPSNAPIOutOfReach(EPS, const char[]);
SLEPC_INTERN PetscErrorCode EPSNAPIIsOutOfReach(EPS, PetscBool *);
SLEPC_INTERN PetscErrorCode EPSNAPIUnfit(EPS, NAPIUnfit);
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
SLEPC_INTERN PetscErrorCode EPSNAPIInnerIsJoint(EPS, PetscBool *);
SLEPC_INTERN PetscErrorCode EPSNAPIInnerOnce(EPS, PetscInt, BV, const NAPIBlock *, PetscInt, PetscInt *, PetscBool *);
SLEPC_INTERN PetscErrorCode EPSNAPIApplyOperator(EPS, BV, BV);
SLEPC_INTERN PetscErrorCode EPSNAPIWithInnerSolver(EPS, PetscErrorCode (*)(EPS));

SLEPC_INTERN PetscLogEvent EPS_NAPI_Inner, EPS_NAPI_Ortho, EPS_NAPI_Ritz;
