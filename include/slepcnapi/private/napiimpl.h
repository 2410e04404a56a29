/*
   What the files of the EPS type "napi" share.
*/
#pragma once

#include <slepcnapi.h>
#include <slepc/private/epsimpl.h>
#include <slepcnapi/private/napicompat.h>
#include <slepcnapi/private/napiwindow.h>

#define NAPI_AUTO (-1) /* an option that was not set: the solver chooses */

typedef struct {
  /* what the user chooses */
  EPSNAPIMomentum  momentum;
  PetscReal        beta;          /* FIXED: the momentum parameter, or NAPI_AUTO */
  PetscReal        lambda;        /* FIXED: lambda_{k+1}, from which beta is computed in set-up */
  PetscBool        haslambda;
  PetscInt         guard;         /* columns beyond nev, or NAPI_AUTO */
  PetscReal        rtol;          /* inner relative tolerance, or NAPI_AUTO: the criterion from the paper */
  PetscInt         max_it;        /* inner iterations, or NAPI_AUTO: those of the KSP */
  EPSNAPIWarmStart warmstart;
  EPSNAPIResidual  residual;
  PetscBool        pcchosen;      /* the preconditioner is our default, not the user's choice */

  /* the pair in use; B is NULL for a standard problem */
  Mat              A,B;           /* A - sigma B and B, borrowed from the ST */
  PetscReal        sigma;

  /* the block, p = ncv columns, of which the last p - nconv are still iterated on and stored first */
  BV               W,Wold;        /* W_t and W_{t-1} */
  BV               AW,BW;
  BV               R,D;           /* R = A W - B W Theta, D ~ B^{-1} R */
  BV               Y,BY;          /* deflation space and locked eigenvectors, and B times them */
  PetscInt         ny;            /* columns of Y in use */
  NAPISmall        small;         /* small dense eigenproblems, in the EPS's own DS */
  Mat              scratch,cross; /* p x p and (deflation + p) x p, sequential and dense */
  PetscScalar      *theta;        /* Ritz values of the active columns */
  PetscReal        *scaled;       /* ||r||/(|lambda| ||B x||) of the active columns */

  /* where the iteration stands */
  PetscReal        beta_t;        /* momentum of the last step */
  PetscReal        rtol_t;        /* inner tolerance of the last step */
  PetscInt         inner_t;       /* inner iterations of the last step */
  PetscInt         acols,bcols;   /* columns A and B were applied to, inner solves not included */
  PetscInt         inner;         /* inner iterations in all */
} EPS_NAPI;

SLEPC_INTERN PetscErrorCode EPSCreate_NAPI(EPS);
SLEPC_INTERN PetscErrorCode EPSNAPIIterate(EPS);

/* block.c: the B-orthonormal block and the test of convergence */
SLEPC_INTERN PetscErrorCode EPSNAPIApplyA(EPS,BV,BV);
SLEPC_INTERN PetscErrorCode EPSNAPIApplyB(EPS,BV,BV);
SLEPC_INTERN PetscErrorCode EPSNAPISetActive(EPS,PetscInt);
SLEPC_INTERN PetscErrorCode EPSNAPIBasisFailed(EPS,NAPIBasisStatus);
SLEPC_INTERN PetscErrorCode EPSNAPIStart(EPS,PetscInt);
SLEPC_INTERN PetscErrorCode EPSNAPIOrthonormalize(EPS,PetscInt);
SLEPC_INTERN PetscErrorCode EPSNAPIRayleighRitz(EPS,PetscInt);
SLEPC_INTERN PetscErrorCode EPSNAPISmallestSquare(EPS,PetscInt,PetscReal*);
SLEPC_INTERN PetscErrorCode EPSNAPILock(EPS,PetscInt*);

/* inner.c: the inner solve and its tolerance */
SLEPC_INTERN PetscReal      EPSNAPICriterion(PetscInt,PetscReal,PetscReal,PetscReal,PetscReal,PetscReal);
SLEPC_INTERN PetscErrorCode EPSNAPIInnerSolve(EPS,PetscInt);
SLEPC_INTERN PetscErrorCode EPSNAPIWithInnerSolver(EPS,PetscErrorCode (*)(EPS));

SLEPC_INTERN PetscLogEvent EPS_NAPI_Inner,EPS_NAPI_Ortho,EPS_NAPI_Ritz;
