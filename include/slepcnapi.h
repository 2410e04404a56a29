/* SPDX-License-Identifier: BSD-2-Clause */
/*
   slepc-napi: noisy accelerated power iteration (NAPI) for SLEPc, and canonical correlation analysis. This is the whole public
   interface.
*/
#pragma once

#include <slepceps.h>

#define SLEPCNAPI_VERSION "0.7.0"

#define EPSNAPI "napi"

typedef enum {
  EPS_NAPI_MOMENTUM_NONE,
  EPS_NAPI_MOMENTUM_FIXED,
  EPS_NAPI_MOMENTUM_ADAPTIVE,
  EPS_NAPI_MOMENTUM_OPTIMAL
} EPSNAPIMomentum;
SLEPC_EXTERN const char *const EPSNAPIMomentums[];

typedef enum {
  EPS_NAPI_CRITERION_PAPER,
  EPS_NAPI_CRITERION_WINDOW,
  EPS_NAPI_CRITERION_AUTO
} EPSNAPICriterion;
SLEPC_EXTERN const char *const EPSNAPICriterions[];

typedef enum {
  EPS_NAPI_WARM_START_CORRECTION,
  EPS_NAPI_WARM_START_GUESS,
  EPS_NAPI_WARM_START_NONE
} EPSNAPIWarmStart;
SLEPC_EXTERN const char *const EPSNAPIWarmStarts[];

typedef enum {
  EPS_NAPI_RESIDUAL_SCALED,
  EPS_NAPI_RESIDUAL_SLEPC,
  EPS_NAPI_RESIDUAL_BOTH
} EPSNAPIResidual;
SLEPC_EXTERN const char *const EPSNAPIResiduals[];

typedef enum {
  EPS_NAPI_CHECK_NONE,
  EPS_NAPI_CHECK_QUICK,
  EPS_NAPI_CHECK_CERTIFY
} EPSNAPICheck;
SLEPC_EXTERN const char *const EPSNAPIChecks[];

typedef enum {
  EPS_NAPI_BOUND_NONE,
  EPS_NAPI_BOUND_ESTIMATED,
  EPS_NAPI_BOUND_CERTIFIED
} EPSNAPIBoundKind;
SLEPC_EXTERN const char *const EPSNAPIBoundKinds[];

SLEPC_EXTERN PetscErrorCode SlepcNAPIInitialize(void);

SLEPC_EXTERN PetscErrorCode EPSNAPISetMomentum(EPS, EPSNAPIMomentum);
SLEPC_EXTERN PetscErrorCode EPSNAPIGetMomentum(EPS, EPSNAPIMomentum *);
SLEPC_EXTERN PetscErrorCode EPSNAPISetBeta(EPS, PetscReal);
SLEPC_EXTERN PetscErrorCode EPSNAPIGetBeta(EPS, PetscReal *);
SLEPC_EXTERN PetscErrorCode EPSNAPISetBetaFromEigenvalue(EPS, PetscReal);
SLEPC_EXTERN PetscErrorCode EPSNAPISetGuard(EPS, PetscInt);
SLEPC_EXTERN PetscErrorCode EPSNAPIGetGuard(EPS, PetscInt *);
SLEPC_EXTERN PetscErrorCode EPSNAPISetBlockSize(EPS, PetscInt);
SLEPC_EXTERN PetscErrorCode EPSNAPIGetBlockSize(EPS, PetscInt *);
SLEPC_EXTERN PetscErrorCode EPSNAPISetRestart(EPS, PetscInt);
SLEPC_EXTERN PetscErrorCode EPSNAPIGetRestart(EPS, PetscInt *);
SLEPC_EXTERN PetscErrorCode EPSNAPISetCriterion(EPS, EPSNAPICriterion);
SLEPC_EXTERN PetscErrorCode EPSNAPIGetCriterion(EPS, EPSNAPICriterion *);
SLEPC_EXTERN PetscErrorCode EPSNAPISetInnerTolerances(EPS, PetscReal, PetscInt);
SLEPC_EXTERN PetscErrorCode EPSNAPIGetInnerTolerances(EPS, PetscReal *, PetscInt *);
SLEPC_EXTERN PetscErrorCode EPSNAPISetWarmStart(EPS, EPSNAPIWarmStart);
SLEPC_EXTERN PetscErrorCode EPSNAPIGetWarmStart(EPS, EPSNAPIWarmStart *);
SLEPC_EXTERN PetscErrorCode EPSNAPISetCheck(EPS, EPSNAPICheck);
SLEPC_EXTERN PetscErrorCode EPSNAPIGetCheck(EPS, EPSNAPICheck *);
SLEPC_EXTERN PetscErrorCode EPSNAPIGetErrorBound(EPS, PetscInt, PetscReal *, EPSNAPIBoundKind *);
SLEPC_EXTERN PetscErrorCode EPSNAPIGetCount(EPS, PetscReal *, PetscInt *, PetscInt *);
SLEPC_EXTERN PetscErrorCode EPSNAPISetResidual(EPS, EPSNAPIResidual);
SLEPC_EXTERN PetscErrorCode EPSNAPIGetResidual(EPS, EPSNAPIResidual *);
SLEPC_EXTERN PetscErrorCode EPSNAPIGetApplications(EPS, PetscInt *, PetscInt *, PetscInt *);
SLEPC_EXTERN PetscErrorCode EPSNAPIGetCause(EPS, const char *[]);
SLEPC_EXTERN PetscErrorCode EPSNAPIMonitor(EPS, PetscInt, PetscInt, PetscScalar *, PetscScalar *, PetscReal *, PetscInt, void *);

/* --- KSP types (src/ksp) --- */

#define KSPBLOCKCG        "blockcg"
#define KSPBLOCKCHEBYSHEV "blockchebyshev"
#define KSPNESTEROV       "nesterov"
#define KSPSVRG           "svrg"
#define KSPKATYUSHA       "katyusha"
#define KSPSAGA           "saga"
#define KSPSDCA           "sdca"

typedef enum {
  KSP_STOCHASTIC_UNIFORM,
  KSP_STOCHASTIC_NORM
} KSPStochasticSampling;
SLEPC_EXTERN const char *const KSPStochasticSamplings[];

SLEPC_EXTERN PetscErrorCode KSPBlockCGSetLowerBound(KSP, PetscReal);
SLEPC_EXTERN PetscErrorCode KSPBlockCGGetLowerBound(KSP, PetscReal *);
SLEPC_EXTERN PetscErrorCode KSPBlockCGGetErrorBound(KSP, PetscInt, PetscReal[]);
SLEPC_EXTERN PetscErrorCode KSPBlockCGGetResidual(KSP, Mat *);
SLEPC_EXTERN PetscErrorCode KSPBlockCGSetNegative(KSP, PetscBool);
SLEPC_EXTERN PetscErrorCode KSPBlockChebyshevSetSpectrum(KSP, PetscReal, PetscReal);
SLEPC_EXTERN PetscErrorCode KSPBlockChebyshevGetSpectrum(KSP, PetscReal *, PetscReal *);
SLEPC_EXTERN PetscErrorCode KSPNesterovSetSpectrum(KSP, PetscReal, PetscReal);
SLEPC_EXTERN PetscErrorCode KSPNesterovGetSpectrum(KSP, PetscReal *, PetscReal *);
SLEPC_EXTERN PetscErrorCode KSPStochasticSetStep(KSP, PetscReal);
SLEPC_EXTERN PetscErrorCode KSPStochasticGetStep(KSP, PetscReal *);
SLEPC_EXTERN PetscErrorCode KSPStochasticSetStageLength(KSP, PetscInt);
SLEPC_EXTERN PetscErrorCode KSPStochasticGetStageLength(KSP, PetscInt *);
SLEPC_EXTERN PetscErrorCode KSPStochasticSetSampling(KSP, KSPStochasticSampling);
SLEPC_EXTERN PetscErrorCode KSPStochasticGetSampling(KSP, KSPStochasticSampling *);
SLEPC_EXTERN PetscErrorCode KSPStochasticSetSeed(KSP, PetscInt);
SLEPC_EXTERN PetscErrorCode KSPStochasticGetSeed(KSP, PetscInt *);
SLEPC_EXTERN PetscErrorCode KSPStochasticSetLineSearch(KSP, PetscBool);
SLEPC_EXTERN PetscErrorCode KSPStochasticGetLineSearch(KSP, PetscBool *);
SLEPC_EXTERN PetscErrorCode KSPStochasticGetResidual(KSP, Mat *);
SLEPC_EXTERN PetscErrorCode KSPKatyushaSetConvexity(KSP, PetscReal);
SLEPC_EXTERN PetscErrorCode KSPKatyushaGetConvexity(KSP, PetscReal *);

/* --- MATGRAM: Gram and covariance operators of one or two views (src/mat/impls/gram) ------------------------------------ */
#define MATGRAM "gram"

SLEPC_EXTERN PetscErrorCode MatCreateGram(Mat, Mat, Mat *);
SLEPC_EXTERN PetscErrorCode MatCreateCCAPair(Mat, Mat, PetscReal, PetscReal, PetscBool, Mat *, Mat *);
SLEPC_EXTERN PetscErrorCode MatGramSetViews(Mat, Mat, Mat);
SLEPC_EXTERN PetscErrorCode MatGramGetViews(Mat, Mat *, Mat *);
SLEPC_EXTERN PetscErrorCode MatGramCreateView(Mat, PetscInt, Mat *);
SLEPC_EXTERN PetscErrorCode MatGramMultViews(Mat, Mat, Mat, Mat, Mat, Mat, Mat, Mat);
SLEPC_EXTERN PetscErrorCode MatGramSetCoupling(Mat, PetscReal, PetscReal, PetscReal);
SLEPC_EXTERN PetscErrorCode MatGramGetCoupling(Mat, PetscReal *, PetscReal *, PetscReal *);
SLEPC_EXTERN PetscErrorCode MatGramSetRidge(Mat, PetscReal, PetscReal);
SLEPC_EXTERN PetscErrorCode MatGramGetRidge(Mat, PetscReal *, PetscReal *);
SLEPC_EXTERN PetscErrorCode MatGramSetCentering(Mat, PetscBool);
SLEPC_EXTERN PetscErrorCode MatGramGetCentering(Mat, PetscBool *);
SLEPC_EXTERN PetscErrorCode MatGramSetScaling(Mat, PetscBool);
SLEPC_EXTERN PetscErrorCode MatGramSetViewScaling(Mat, PetscInt, PetscBool);
SLEPC_EXTERN PetscErrorCode MatGramGetScaling(Mat, PetscBool *);
SLEPC_EXTERN PetscErrorCode MatGramSetWeights(Mat, Vec);
SLEPC_EXTERN PetscErrorCode MatGramGetWeights(Mat, Vec *);
SLEPC_EXTERN PetscErrorCode MatGramGetMeans(Mat, PetscInt, PetscScalar[]);
SLEPC_EXTERN PetscErrorCode MatGramGetScales(Mat, PetscInt, PetscReal[]);
SLEPC_EXTERN PetscErrorCode MatGramGetLocalRows(Mat, PetscInt, PetscInt *, const PetscInt *[], const PetscInt *[], const PetscScalar *[]);
SLEPC_EXTERN PetscErrorCode MatGramRestoreLocalRows(Mat, PetscInt, PetscInt *, const PetscInt *[], const PetscInt *[], const PetscScalar *[]);
SLEPC_EXTERN PetscErrorCode MatGramGetPasses(Mat, PetscReal *);
SLEPC_EXTERN PetscErrorCode MatGramGetColumnPasses(Mat, PetscReal *);
SLEPC_EXTERN PetscErrorCode MatGramAddPasses(Mat, PetscReal, PetscInt);

/* --- PC type sketch (src/pc/impls/sketch) ---------------------------------------------------------------------------------- */
#define PCSKETCH "sketch"

SLEPC_EXTERN PetscErrorCode PCSketchSetSize(PC, PetscReal);
SLEPC_EXTERN PetscErrorCode PCSketchGetSize(PC, PetscReal *);
SLEPC_EXTERN PetscErrorCode PCSketchSetNonzeros(PC, PetscInt);
SLEPC_EXTERN PetscErrorCode PCSketchGetNonzeros(PC, PetscInt *);
SLEPC_EXTERN PetscErrorCode PCSketchSetSeed(PC, PetscInt);
SLEPC_EXTERN PetscErrorCode PCSketchGetSeed(PC, PetscInt *);
SLEPC_EXTERN PetscErrorCode PCSketchSetMaxDimension(PC, PetscInt);
SLEPC_EXTERN PetscErrorCode PCSketchGetMaxDimension(PC, PetscInt *);

/* --- CCA: canonical correlation analysis (src/cca) --------------------------------------------------------------------- */

typedef struct _p_CCA *CCA;

typedef const char *CCAType;
#define CCADIRECT  "direct"
#define CCAEPS     "eps"
#define CCANAPI    "napi"
#define CCAAPPGRAD "appgrad"
#define CCAALS     "als"
#define CCASI      "si"
#define CCALAZY    "lazy"

typedef enum {
  CCA_CONVERGED_TOL       = 1,
  CCA_CONVERGED_RANK      = 2,
  CCA_CONVERGED_ITERATING = 0,
  CCA_DIVERGED_ITS        = -1,
  CCA_DIVERGED_BREAKDOWN  = -2,
  CCA_DIVERGED_ACCURACY   = -3,
  CCA_DIVERGED_USER       = -4
} CCAConvergedReason;
SLEPC_EXTERN const char *const *CCAConvergedReasons;

typedef enum {
  CCA_CHECK_NONE,
  CCA_CHECK_QUICK,
  CCA_CHECK_CERTIFY
} CCACheck;
SLEPC_EXTERN const char *const CCAChecks[];

SLEPC_EXTERN PetscClassId CCA_CLASSID;

SLEPC_EXTERN PetscErrorCode CCACreate(MPI_Comm, CCA *);
SLEPC_EXTERN PetscErrorCode CCADestroy(CCA *);
SLEPC_EXTERN PetscErrorCode CCAReset(CCA);
SLEPC_EXTERN PetscErrorCode CCASetType(CCA, CCAType);
SLEPC_EXTERN PetscErrorCode CCAGetType(CCA, CCAType *);
SLEPC_EXTERN PetscErrorCode CCARegister(const char[], PetscErrorCode (*)(CCA));
SLEPC_EXTERN PetscErrorCode CCASetOptionsPrefix(CCA, const char[]);
SLEPC_EXTERN PetscErrorCode CCAAppendOptionsPrefix(CCA, const char[]);
SLEPC_EXTERN PetscErrorCode CCAGetOptionsPrefix(CCA, const char *[]);
SLEPC_EXTERN PetscErrorCode CCASetFromOptions(CCA);
SLEPC_EXTERN PetscErrorCode CCASetUp(CCA);
SLEPC_EXTERN PetscErrorCode CCASolve(CCA);
SLEPC_EXTERN PetscErrorCode CCAView(CCA, PetscViewer);
SLEPC_EXTERN PetscErrorCode CCAViewFromOptions(CCA, PetscObject, const char[]);

SLEPC_EXTERN PetscErrorCode CCASetData(CCA, Mat, Mat);
SLEPC_EXTERN PetscErrorCode CCAGetData(CCA, Mat *, Mat *);
SLEPC_EXTERN PetscErrorCode CCASetRegularization(CCA, PetscReal, PetscReal);
SLEPC_EXTERN PetscErrorCode CCAGetRegularization(CCA, PetscReal *, PetscReal *);
SLEPC_EXTERN PetscErrorCode CCASetDimensions(CCA, PetscInt);
SLEPC_EXTERN PetscErrorCode CCAGetDimensions(CCA, PetscInt *);
SLEPC_EXTERN PetscErrorCode CCASetCentering(CCA, PetscBool);
SLEPC_EXTERN PetscErrorCode CCAGetCentering(CCA, PetscBool *);
SLEPC_EXTERN PetscErrorCode CCASetScaling(CCA, PetscBool);
SLEPC_EXTERN PetscErrorCode CCAGetScaling(CCA, PetscBool *);
SLEPC_EXTERN PetscErrorCode CCASetTolerances(CCA, PetscReal, PetscInt);
SLEPC_EXTERN PetscErrorCode CCAGetTolerances(CCA, PetscReal *, PetscInt *);
SLEPC_EXTERN PetscErrorCode CCASetInitialDirections(CCA, Mat, Mat);
SLEPC_EXTERN PetscErrorCode CCASetCheck(CCA, CCACheck);
SLEPC_EXTERN PetscErrorCode CCAGetCheck(CCA, CCACheck *);

SLEPC_EXTERN PetscErrorCode CCAGetConverged(CCA, PetscInt *);
SLEPC_EXTERN PetscErrorCode CCAGetConvergedReason(CCA, CCAConvergedReason *);
SLEPC_EXTERN PetscErrorCode CCAGetIterationNumber(CCA, PetscInt *);
SLEPC_EXTERN PetscErrorCode CCAGetCorrelation(CCA, PetscInt, PetscReal *);
SLEPC_EXTERN PetscErrorCode CCAGetDirections(CCA, Mat *, Mat *);
SLEPC_EXTERN PetscErrorCode CCATransform(CCA, Mat, Mat, Mat *, Mat *);
SLEPC_EXTERN PetscErrorCode CCAComputeError(CCA, PetscInt, PetscReal *);
SLEPC_EXTERN PetscErrorCode CCAGetErrorBound(CCA, PetscInt, PetscReal *);
SLEPC_EXTERN PetscErrorCode CCAGetApplications(CCA, PetscReal *, PetscReal *, PetscReal *);

SLEPC_EXTERN PetscErrorCode CCASetHistory(CCA, PetscBool);
SLEPC_EXTERN PetscErrorCode CCAGetHistory(CCA, PetscInt *, const PetscReal *[], const PetscReal *[]);
SLEPC_EXTERN PetscErrorCode CCAMonitorSet(CCA, PetscErrorCode (*)(CCA, PetscInt, PetscInt, PetscInt, const PetscReal[], const PetscReal[], void *), void *, PetscErrorCode (*)(void **));
SLEPC_EXTERN PetscErrorCode CCAMonitorCancel(CCA);
SLEPC_EXTERN PetscErrorCode CCAStop(CCA);
SLEPC_EXTERN PetscErrorCode CCASetStopFunction(CCA, PetscErrorCode (*)(CCA, PetscBool *, void *), void *);
SLEPC_EXTERN PetscErrorCode CCAMonitorDefault(CCA, PetscInt, PetscInt, PetscInt, const PetscReal[], const PetscReal[], void *);

SLEPC_EXTERN PetscErrorCode CCAGetEPS(CCA, EPS *);
SLEPC_EXTERN PetscErrorCode CCAGetKSP(CCA, KSP *, KSP *);

/* how many pairs are real: classical tests, permutations */

typedef enum {
  CCA_TEST_WILKS,
  CCA_TEST_BARTLETT,
  CCA_TEST_PILLAI,
  CCA_TEST_HOTELLING,
  CCA_TEST_ROY
} CCATest;
SLEPC_EXTERN const char *const CCATests[];

SLEPC_EXTERN PetscErrorCode CCAComputeMultivariateTests(PetscInt, PetscInt, PetscInt, const PetscReal[], CCATest, PetscReal[], PetscReal[], PetscReal[], PetscReal[], PetscReal[]);
SLEPC_EXTERN PetscErrorCode CCAGetMultivariateTests(CCA, CCATest, PetscInt *, PetscReal[], PetscReal[], PetscReal[], PetscReal[], PetscReal[], char[], size_t);
SLEPC_EXTERN PetscErrorCode CCAPermutationTest(CCA, PetscInt, PetscInt, const PetscInt[], PetscReal[]);
SLEPC_EXTERN PetscErrorCode CCAGetPermutationQuantile(CCA, PetscInt, PetscReal, PetscReal *, PetscBool *);
SLEPC_EXTERN PetscErrorCode CCAGetPermutationUndecided(CCA, PetscInt *);
SLEPC_EXTERN PetscErrorCode CCAGetPermutationsDone(CCA, PetscInt *);
/* --- statistics: weights, shrinkage, Pearson's correlations, bootstrap */
SLEPC_EXTERN PetscErrorCode CCASetWeights(CCA, Vec);
SLEPC_EXTERN PetscErrorCode CCASetViewWeights(CCA, PetscInt, Vec);
SLEPC_EXTERN PetscErrorCode CCAGetWeights(CCA, Vec *);
/* other analyses with the same operators */
typedef enum {
  CCA_ANALYSIS_CCA,
  CCA_ANALYSIS_PLS,
  CCA_ANALYSIS_LDA,
  CCA_ANALYSIS_PCA,
  CCA_ANALYSIS_GEV
} CCAAnalysis;
SLEPC_EXTERN const char *const CCAAnalyses[];

SLEPC_EXTERN PetscErrorCode CCASetAnalysis(CCA, CCAAnalysis);
SLEPC_EXTERN PetscErrorCode CCAGetAnalysis(CCA, CCAAnalysis *);
SLEPC_EXTERN PetscErrorCode CCAGetValue(CCA, PetscInt, PetscReal *);
SLEPC_EXTERN PetscErrorCode CCAGetTotalVariance(CCA, PetscInt, PetscReal *);
SLEPC_EXTERN PetscErrorCode CCASetClasses(CCA, Mat, PetscInt, const PetscInt[]);
SLEPC_EXTERN PetscErrorCode CCAGetClasses(CCA, PetscInt *, const PetscReal *[], const PetscScalar *[]);
SLEPC_EXTERN PetscErrorCode CCAPredictClasses(Mat, PetscInt, const PetscReal[], const PetscScalar[], PetscInt[]);

/* what outlives the solution, and what the pairs are about */
SLEPC_EXTERN PetscErrorCode CCAGetStandardization(CCA, PetscInt, PetscScalar[], PetscReal[]);
SLEPC_EXTERN PetscErrorCode CCAComputeScores(Mat, Mat, const PetscScalar[], const PetscReal[], Mat *);
SLEPC_EXTERN PetscErrorCode CCAGetLoadings(CCA, PetscInt, PetscInt, Mat *);
SLEPC_EXTERN PetscErrorCode CCAGetRedundancy(CCA, PetscInt, PetscReal *, PetscReal *);

/* --- cross-validation (src/cca/interface/ccacv.c, ccafolds.c) */
typedef enum {
  CCA_FOLDS_RANDOM,
  CCA_FOLDS_CONTIGUOUS,
  CCA_FOLDS_GIVEN
} CCAFolds;
SLEPC_EXTERN const char *const CCAFoldsTypes[];

typedef enum {
  CCA_PATH_SHRINKAGE,
  CCA_PATH_RIDGE,
  CCA_PATH_NONE
} CCAPath;
SLEPC_EXTERN const char *const CCAPaths[];

SLEPC_EXTERN PetscErrorCode CCASetFolds(CCA, PetscInt, CCAFolds, PetscInt);
SLEPC_EXTERN PetscErrorCode CCASetFoldNumbers(CCA, PetscInt, const PetscInt[]);
SLEPC_EXTERN PetscErrorCode CCASetOneStandardError(CCA, PetscBool);
SLEPC_EXTERN PetscErrorCode CCASetCrossValidationTolerance(CCA, PetscReal);
SLEPC_EXTERN PetscErrorCode CCACrossValidate(CCA, CCAPath, PetscInt, const PetscReal[]);
SLEPC_EXTERN PetscErrorCode CCAGetCrossValidation(CCA, PetscInt *, PetscInt *, PetscInt *, PetscInt *, const PetscReal *[], const PetscReal *[], const PetscReal *[], const PetscReal *[]);
SLEPC_EXTERN PetscErrorCode CCAGetCrossValidatedCorrelation(CCA, PetscInt, PetscReal *, PetscReal *);
SLEPC_EXTERN PetscErrorCode CCAGetCrossValidationTrouble(CCA, PetscInt *, PetscInt *);
SLEPC_EXTERN PetscErrorCode CCAGetFoldsDone(CCA, PetscInt *);
#define CCA_SHRINKAGE_AUTO ((PetscReal)-1.0) /* Ledoit and Wolf's estimate */
#define CCA_SHRINKAGE_NONE ((PetscReal)-2.0) /* there are absolute ridges instead */
SLEPC_EXTERN PetscErrorCode CCASetShrinkage(CCA, PetscReal, PetscReal);
SLEPC_EXTERN PetscErrorCode CCAGetShrinkage(CCA, PetscReal *, PetscReal *);
SLEPC_EXTERN PetscErrorCode CCAParseShrinkage(const char[], PetscInt, PetscInt *, PetscReal[]);
SLEPC_EXTERN PetscErrorCode CCAGetPearson(CCA, PetscInt, PetscReal *);
SLEPC_EXTERN PetscErrorCode CCAComputePearson(Mat, Mat, Vec, PetscBool, PetscReal[]);
SLEPC_EXTERN PetscErrorCode CCABootstrap(CCA, PetscInt, PetscInt);
SLEPC_EXTERN PetscErrorCode CCAGetBootstrapWeights(CCA, PetscInt, PetscInt, Vec);
SLEPC_EXTERN PetscErrorCode CCAGetBootstrap(CCA, PetscInt *, PetscInt *, const PetscReal *[], const PetscReal *[]);
SLEPC_EXTERN PetscErrorCode CCAGetBootstrapInterval(CCA, PetscInt, PetscReal, PetscReal *, PetscReal *, PetscReal *, PetscReal *);

/* --- end of CCA -------------------------------------------------------------------------------------------------------- */
