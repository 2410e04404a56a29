/*
   What the files of the class CCA share: the object, what a type has to provide, and what it is provided with.

   A type fills cca->U and cca->V with directions (CCASetBasis_Private()), sets cca->reason, and is done: CCASolve() turns
   them into canonical pairs by a Rayleigh-Ritz step with fresh products, so that correlations come out ordered, directions
   normalised, and every residual is that of the true pair, whatever the type.
*/
#pragma once

#include <slepcnapi.h>
#include <petsc/private/petscimpl.h>
#include <slepcnapi/private/napicompat.h>
#include <slepcnapi/private/napiwindow.h>

#define CCA_MAXMONITORS 5

typedef struct _CCAOps *CCAOps;
struct _CCAOps {
  PetscErrorCode (*setup)(CCA);
  PetscErrorCode (*solve)(CCA);
  PetscErrorCode (*setfromoptions)(CCA,NAPIOptionItems);
  PetscErrorCode (*view)(CCA,PetscViewer);
  PetscErrorCode (*reset)(CCA);
  PetscErrorCode (*destroy)(CCA);
};

struct _p_CCA {
  PETSCHEADER(struct _CCAOps);
  void               *data;          /* of the type */
  PetscBool          setupcalled;

  /* what the user has set */
  Mat                X,Y;
  PetscReal          ridge[2];
  PetscBool          center,scale;
  PetscInt           k;              /* pairs wanted */
  PetscReal          tol;
  PetscInt           max_it;         /* or NAPI_UNSET: the type's own choice */
  Mat                start[2];       /* directions to start from, or NULL */
  PetscBool          wanthistory;

  /* made in set-up: B = diag(S[0],S[1]), A = [0 S12; S12' 0]; all four are MATGRAMs that share the data */
  Mat                A,B,S[2];
  KSP                ksp[2];         /* for systems with S[0] and S[1]; made by CCAGetKSP() */
  EPS                eps;            /* made by CCAGetEPS() */

  /* results; U is d1 x ncols with the distribution of X's columns, V likewise */
  Mat                U,V;
  PetscInt           ncols;
  PetscReal          *rho,*error;
  PetscInt           nconv,its;
  CCAConvergedReason reason;

  /* what it cost: columns through both views, and passes over both */
  PetscReal          acols,bcols,passes;

  /* suboptimality against passes, for figures: (passes, sum of the correlations) */
  PetscInt           nhistory,roomhistory;
  PetscReal          *hpasses,*hobjective;

  PetscInt           nmonitors;
  PetscErrorCode     (*monitor[CCA_MAXMONITORS])(CCA,PetscInt,PetscInt,PetscInt,const PetscReal[],const PetscReal[],void*);
  PetscErrorCode     (*monitordestroy[CCA_MAXMONITORS])(void**);
  void               *monitorctx[CCA_MAXMONITORS];
};

#define NAPI_AUTO_CCA (-1)

SLEPC_INTERN PetscErrorCode CCACreate_Direct(CCA);
SLEPC_INTERN PetscErrorCode CCACreate_EPS(CCA);
SLEPC_INTERN PetscErrorCode CCACreate_NAPI(CCA);
SLEPC_INTERN PetscErrorCode CCACreate_AppGrad(CCA);
SLEPC_INTERN PetscErrorCode CCACreate_ALS(CCA);
SLEPC_INTERN PetscErrorCode CCACreate_SI(CCA);
SLEPC_INTERN PetscErrorCode CCACreate_Lazy(CCA);
