/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What the files of the class CCA share: the object, what a type has to provide, and what it is provided with.

   A type solves the problem its own way and hands over directions, as many in each view, by CCASetBasis_Private() or by filling in
   what CCAAllocateBasis_Private() has made; their order, scale and orthogonality do not matter. CCASolve() then turns them into canonical pairs by a Rayleigh-Ritz step
   with fresh products, so that correlations come out ordered, directions normalised, and every residual is that of the
   true pair, whatever the type.

   With S11 = X'X/n + r1 I, S22 = Y'Y/n + r2 I, S12 = X'Y/n (X and Y centred, scaled and weighted as the user wants it; a view without
   ridge is scaled in any case, since its correlations do not depend on units, and what is negligible must not either; one with
   shrinkage is divided by its mean deviation):

     A = [0 S12; S12' 0],  B = diag(S11, S22),  S[0] = S11,  S[1] = S22

   are made in set-up, before the type's own, as MATGRAMs that share the data. Products are counted by them.
*/
#pragma once

#include <slepcnapi.h>
#include <petsc/private/petscimpl.h>
#include <slepcnapi/private/napicompat.h>
#include <slepcnapi/private/napiwindow.h>

#define CCA_MAXMONITORS 5

#define CCA_BOTH         2             /* in the place of a view: both, as one vector [u;v] */
#define CCA_INNER_UNSET  PETSC_MAX_INT /* the iterations of a KSP that nobody has limited yet */
#define CCA_INNER_MAX_IT 10000         /* and their limit then, which only ends what does not converge: that of any KSP */

typedef PetscErrorCode CCAMonitorFn(CCA, PetscInt, PetscInt, PetscInt, const PetscReal[], const PetscReal[], void *);

typedef struct _CCAOps *CCAOps;
struct _CCAOps {
  PetscErrorCode (*setup)(CCA);
  PetscErrorCode (*solve)(CCA);
  PetscErrorCode (*setfromoptions)(CCA, NAPIOptionItems);
  PetscErrorCode (*view)(CCA, PetscViewer);
  PetscErrorCode (*inversenorm)(CCA, int, PetscInt, BV, const PetscReal[], PetscReal[], PetscBool *); /* optional, see ccacheck.c */
  PetscErrorCode (*setcovariances)(CCA, PetscScalar *);                                               /* optional: after set-up, all covariances are these, to be freed by the type, see leaveout.c */
  PetscErrorCode (*getcovariances)(CCA, const PetscScalar *[]);                                       /* optional: the same as they were formed, in the units of A and B, without ridge, on every rank; NULL if they were not */
  PetscErrorCode (*regularize)(CCA, const PetscReal[]);                                               /* optional: after set-up, the ridges are others than these; what was made is kept */
  PetscErrorCode (*reset)(CCA);                                                                       /* frees what set-up and solve have made */
  PetscErrorCode (*destroy)(CCA);                                                                     /* frees cca->data too; reset is called before */
};

/* The covariances of columns times scale, of both views and between them, on every rank */
typedef struct {
  PetscScalar *C, *mean;
  PetscReal   *scale, weight; /* weight: of all samples together */
} CCACovariances;

/* Cross-validation: what is wanted, and what the last one has found */
typedef struct {
  PetscInt   wanted, seed; /* folds, and the seed of random ones */
  CCAFolds   how;
  PetscInt  *given;  /* the user's, of the local samples, or NULL */
  PetscReal  tol;    /* while a fold is left out */
  PetscBool  onese;  /* the largest value within a standard error of the best */
  PetscBool  inside; /* one is being made */
  CCAPath    kind;
  PetscInt   nvalues, nfolds, k, best, done; /* done: folds that were left out, all of them unless it was stopped */
  PetscReal *value, *mean, *error;           /* of each value; its score, and the standard error of that */
  PetscReal *r;                              /* the correlations of the samples left out, by values, folds and pairs */
  PetscInt   failed, constant;               /* solutions that did not converge, and correlations that do not exist */
} CCACrossValidation;

struct _p_CCA {
  PETSCHEADER(struct _CCAOps);
  void     *data; /* of the type */
  PetscBool setupcalled, optionsread;
  PetscBool quiet;    /* it is a helper of another object: what the options say about printing is not for it */
  PetscBool chosen;   /* the type was chosen by us, not by the user */
  char      why[160]; /* and why */

  /* what the user has set */
  CCAAnalysis analysis;
  PetscInt    nclasses; /* of discriminant analysis */
  PetscInt   *label;    /* the classes of the local samples */
  Mat         X, Y;
  Vec         weights;      /* of the samples, or NULL */
  Vec         own[2];       /* of those of each view, where they are different ones (ratios of variances), or NULL */
  PetscReal   absolute[2];  /* ridges, in the units of the data */
  PetscBool   shrunk;       /* not these but the following regularise */
  PetscReal   shrinkage[2]; /* or CCA_SHRINKAGE_AUTO */
  PetscBool   center, scale;
  PetscInt    k; /* pairs wanted */
  PetscReal   tol;
  PetscInt    max_it;   /* NAPI_UNSET: the type's own choice */
  Mat         start[2]; /* directions to start from, d1 x p and d2 x p, or NULL */
  PetscBool   startset; /* since the last solution */
  PetscBool   wanthistory;
  CCACheck    check;

  /* made in set-up */
  PetscObjectState state[2];   /* of the data */
  PetscInt         n, d[2];    /* samples, columns of the views */
  PetscReal        total;      /* variance of X, for principal components and ratios of variances */
  PetscInt         draws;      /* of random directions in this solution, which are to differ from each other */
  PetscReal        largest[2]; /* lower bounds of the largest eigenvalues of S11 and S22, as seen so far */
  PetscBool        unit[2];    /* A, B and S see columns of unit variance: the user wants it, or there is no ridge */
  PetscReal        factor[2];  /* A, B and S see the view times this, which makes the mean variance 1: it is shrunk; otherwise 1 */
  PetscReal        ridge[2];   /* of A, B and S, i.e. in the units that unit and factor make */
  PetscReal        shrinkageused[2];
  Mat              begin[2]; /* during a solution: the initial directions in the coordinates of A and B, or NULL */
  Mat              A, B, S[2];
  VecScatter       part[2]; /* from the rows of the pair to those of each view, made by CCAScatterPart_Private() */
  KSP              ksp[2];  /* for systems with S[0] and S[1]; made by CCAGetKSP() */
  EPS              eps;     /* made by CCAGetEPS() */
  struct {
    KSPType   type;
    PetscInt  stages; /* a solve, where it is a stochastic method */
    PetscReal rtol;   /* where it is not */
  } inner;            /* defaults of ksp, set when the type is created; no KSPType: the type sees to them */

  /* what the type has found: bases, of as many columns in each view, distributed like the columns of the views */
  BV basis[2];

  /* results: the canonical pairs, at most k */
  Mat                U, V;
  PetscInt           ncols;
  PetscReal         *rho, *error, *pearson; /* pearson: of the scores, without what the regularisation adds */
  PetscReal         *bound;                 /* of the errors of rho, or NULL */
  Mat                loading[4];            /* of the variables of view v on the scores of view s in 2v + s, made when they are asked for */
  PetscReal         *redundancy[2];
  PetscReal         *value;     /* what another analysis maximises, NULL for canonical correlations */
  PetscReal         *prior;     /* the shares of the classes */
  PetscScalar       *classmean; /* their mean scores, ncols of each class */
  PetscInt           nconv, its;
  CCAConvergedReason reason;

  struct {
    PetscInt   n, failed;     /* bootstrap samples; of these not solved */
    PetscReal *pearson, *rho; /* n x ncols, by rows */
  } bootstrap;

  PetscBool stop;                                   /* somebody has asked the work under way to end, see CCAStop() */
  PetscErrorCode (*poll)(CCA, PetscBool *, void *); /* asks for that, see CCASetStopFunction() */
  void     *pollctx;
  CCA       leader;    /* the user's object, if this one does a part of its work; not referenced */
  PetscReal before[3]; /* columns by A and by B, and passes, that had been made when the solve began */

  /* (passes, sum of the wanted correlations) */
  PetscInt   nhistory, roomhistory;
  PetscReal *hpasses, *hobjective;

  CCACrossValidation cv;

  /* of CCAPermutationTest() and CCAGetMultivariateTests() */
  PetscInt   npermutations, testedpairs, undecided;
  PetscReal *null; /* see ccapermute.h */
  PetscBool  nullexact;
  PetscReal *allrho; /* all correlations there are, and the ranks of the views */
  PetscInt   allrank[2];

  PetscInt      nmonitors;
  CCAMonitorFn *monitor[CCA_MAXMONITORS];
  PetscErrorCode (*monitordestroy[CCA_MAXMONITORS])(void **);
  void *monitorctx[CCA_MAXMONITORS];
};

/* Rayleigh-Ritz in both views: bases, products with them, and what comes of it */
typedef struct {
  BV         W[2], BW[2], AW[2]; /* W[0] = U, W[1] = V; BW[i] = S_ii W[i]; AW[1-i] = the residuals of view i */
  PetscInt   n;                  /* columns left: the canonical pairs of the span, best first */
  PetscInt   rank[2];            /* of the bases */
  PetscReal *sigma;              /* their correlations, n of them */
  PetscReal *error;              /* residuals relative to the correlation */
} CCARitz;

/* A block of k normalised directions a view that a method takes from step to step, see ccaiterate.c */
typedef struct {
  PetscInt   k;
  BV         W[2], BW[2], AW[2]; /* W[0] = U, W[1] = V; BW[i] = S_ii W[i]; AW[i] = the other view's product S_ji W[i] */
  BV         R[2], D[2];         /* gradients, steps; scratch at the end of a step */
  Mat        H[2];               /* W H are the directions before they were normalised */
  Mat        F, C[2];            /* scratch, k x k */
  PetscReal *sigma, *error;
} CCAIterate;

SLEPC_INTERN PetscErrorCode CCAIterateCreate_Private(CCA, CCAIterate *);
SLEPC_INTERN PetscErrorCode CCAIterateNormalize_Private(CCA, CCAIterate *, int);
SLEPC_INTERN PetscErrorCode CCAIterateGradient_Private(CCAIterate *, int);
SLEPC_INTERN PetscErrorCode CCAIterateMove_Private(CCAIterate *, int, PetscReal, BV);
SLEPC_INTERN PetscErrorCode CCAIterateFinishStep_Private(CCA, CCAIterate *, PetscInt);
SLEPC_INTERN PetscErrorCode CCAIterateHandOver_Private(CCA, CCAIterate *);
SLEPC_INTERN PetscErrorCode CCASetUpInner_Private(CCA, KSP);
SLEPC_INTERN PetscErrorCode CCACheckInner_Private(CCA, KSP);

/* what a type may call, those registered from outside too */
SLEPC_EXTERN PetscErrorCode CCASetBasis_Private(CCA, Mat, Mat);
SLEPC_EXTERN PetscErrorCode CCAAllocateBasis_Private(CCA, PetscInt);
SLEPC_EXTERN PetscErrorCode CCANewBasis_Private(CCA, PetscInt, PetscInt, BV *);
SLEPC_EXTERN PetscErrorCode CCARandomBasis_Private(CCA, PetscInt, BV[2]);
SLEPC_EXTERN PetscErrorCode CCAFreshBasis_Private(CCA, PetscInt, BV[2]);
SLEPC_EXTERN PetscErrorCode CCARayleighRitz_Private(CCA, BV[2], CCARitz *, NAPIBasisStatus *);
SLEPC_EXTERN PetscErrorCode CCARitzDestroy_Private(CCARitz *);
SLEPC_EXTERN PetscErrorCode CCAMultViews_Private(Mat, Mat, BV[2], BV[2], BV[2]);
SLEPC_EXTERN PetscErrorCode CCAResidual_Private(int, BV[], BV[], PetscInt, const PetscReal[], PetscReal[]);
SLEPC_EXTERN PetscErrorCode CCASingular_Private(BV, BV, PetscReal[], Mat, Mat, PetscBool *);
SLEPC_EXTERN PetscErrorCode CCAGatherDense_Private(Mat, PetscScalar *);
SLEPC_EXTERN PetscErrorCode CCAGatherBasis_Private(BV, PetscScalar *);
SLEPC_EXTERN PetscErrorCode CCADestroy_Default(CCA);
SLEPC_EXTERN PetscErrorCode CCAMonitor_Private(CCA, PetscInt, PetscInt, PetscInt, const PetscReal[], const PetscReal[]);
SLEPC_EXTERN PetscErrorCode CCAPoll_Private(CCA);
SLEPC_INTERN PetscErrorCode CCAAsk_Private(void *, PetscBool *);
SLEPC_INTERN PetscErrorCode CCAPollTold_Private(CCA, PetscBool);
SLEPC_INTERN PetscErrorCode CCAWatchEPS_Private(CCA, EPS);
SLEPC_EXTERN PetscErrorCode CCARecord_Private(CCA, PetscReal);
SLEPC_EXTERN PetscErrorCode CCAGetCost_Private(CCA, PetscReal *, PetscReal *, PetscReal *);
SLEPC_INTERN PetscErrorCode CCACertify_Private(CCA, CCARitz *, PetscInt, PetscReal[]);
SLEPC_INTERN PetscErrorCode CCADropNoise_Private(CCA, int, NAPISmall *, Mat, BV, BV, BV, PetscInt *);
SLEPC_INTERN PetscErrorCode CCAScatterPart_Private(CCA, int, ScatterMode, Vec, BV, PetscInt);
SLEPC_INTERN PetscErrorCode CCAChooseType_Private(CCA);
SLEPC_INTERN PetscErrorCode CCAChoosePC_Private(CCA, int, PCType *);
SLEPC_INTERN PetscErrorCode CCAShrink_Private(CCA, PetscInt);
SLEPC_INTERN PetscErrorCode CCAPearson_Private(CCA, CCARitz *, PetscInt, PetscReal[]);
SLEPC_INTERN PetscErrorCode CCACorrelate_Private(MPI_Comm, PetscInt, PetscInt, const PetscScalar *const[2], const PetscInt[2], const PetscReal[], PetscBool, PetscReal[], PetscInt *);
SLEPC_INTERN PetscErrorCode CCAResetBootstrap_Private(CCA);

/* other analyses; those that are one eigenproblem of an EPS, without pairs, are called spectral */
#define CCAIsSpectral(cca) ((PetscBool)((cca)->analysis == CCA_ANALYSIS_PCA || (cca)->analysis == CCA_ANALYSIS_GEV))
#define CCACheckCorrelations(cca, what) \
  PetscCheck((cca)->analysis == CCA_ANALYSIS_CCA, PetscObjectComm((PetscObject)(cca)), PETSC_ERR_SUP, "%s is for canonical correlations, not for the analysis %s: CCASetAnalysis() with CCA_ANALYSIS_CCA", what, CCAAnalyses[(cca)->analysis])
SLEPC_INTERN PetscErrorCode CCASetUpSpectral_Private(CCA);
SLEPC_INTERN PetscErrorCode CCASolveSpectral_Private(CCA);
SLEPC_INTERN PetscErrorCode CCAFinishLDA_Private(CCA);
SLEPC_INTERN PetscErrorCode CCAFinishPLS_Private(CCA);
SLEPC_INTERN PetscErrorCode CCASetUpPLS_Private(CCA);
SLEPC_INTERN PetscErrorCode CCAResetClasses_Private(CCA);
SLEPC_INTERN PetscErrorCode CCAGetGram_Private(CCA, PetscInt, Mat *, PetscInt *);
SLEPC_INTERN PetscErrorCode CCADuplicateGram_Private(Mat, PetscBool, Mat *);
SLEPC_INTERN PetscErrorCode CCAFixSigns_Private(CCA);
SLEPC_INTERN PetscErrorCode CCACheckIndex_Private(CCA, PetscInt);

SLEPC_INTERN PetscErrorCode CCAResetSetUp_Private(CCA);
SLEPC_INTERN PetscErrorCode CCAChangeRidges_Private(CCA, PetscReal, PetscReal);
SLEPC_INTERN PetscErrorCode CCAResetResults_Private(CCA);
SLEPC_INTERN PetscErrorCode CCATypeSetFromOptions_Private(CCA);
SLEPC_INTERN PetscErrorCode CCACovariancesForm_Private(CCA, Vec, CCACovariances *);
SLEPC_INTERN PetscErrorCode CCACovariancesLeaveOut_Private(CCA, const CCACovariances *, const CCACovariances *, PetscScalar **);
SLEPC_INTERN PetscErrorCode CCACovariancesDestroy_Private(CCACovariances *);
SLEPC_INTERN PetscErrorCode CCAGetFolds_Private(CCA, PetscInt *, PetscInt **);
SLEPC_INTERN PetscErrorCode CCAFoldsSetFromOptions_Private(CCA, NAPIOptionItems);
SLEPC_INTERN PetscErrorCode CCAResetCrossValidation_Private(CCA);

SLEPC_INTERN PetscFunctionList CCAList;
SLEPC_INTERN PetscErrorCode    CCARegisterAll_Private(void);
SLEPC_INTERN PetscErrorCode    CCACreate_Direct(CCA);
SLEPC_INTERN PetscErrorCode    CCACreate_EPS(CCA);
SLEPC_INTERN PetscErrorCode    CCACreate_NAPI(CCA);
SLEPC_INTERN PetscErrorCode    CCACreate_AppGrad(CCA);
SLEPC_INTERN PetscErrorCode    CCACreate_ALS(CCA);
SLEPC_INTERN PetscErrorCode    CCACreate_SI(CCA);
SLEPC_INTERN PetscErrorCode    CCACreate_Lazy(CCA);

SLEPC_INTERN PetscLogEvent CCA_SetUp, CCA_Solve, CCA_Inner, CCA_Ortho, CCA_Ritz;
