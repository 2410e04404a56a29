/* SPDX-License-Identifier: BSD-2-Clause */
/*
   slepc-napi: noisy accelerated power iteration (NAPI) for SLEPc, and canonical correlation analysis. This is the whole public
   interface.
*/
#pragma once

#include <slepceps.h>

#define SLEPCNAPI_VERSION "0.3.0"

/*MC
   EPSNAPI - EPSNAPI = "napi" - Noisy accelerated power iteration for symmetric pairs (A, B) whose B is positive
   definite and need not be factored. See src/eps/impls/napi/napi.c for the options.

   Level: beginner
M*/
#define EPSNAPI "napi"

/*E
   EPSNAPIMomentum - Where the momentum parameter beta of the recurrence B^{-1} A W_t - beta W_{t-1} comes from

   Values:
+  EPS_NAPI_MOMENTUM_NONE     - beta = 0, inexact subspace iteration
.  EPS_NAPI_MOMENTUM_FIXED    - beta is given, see EPSNAPISetBeta() and EPSNAPISetBetaFromEigenvalue()
.  EPS_NAPI_MOMENTUM_ADAPTIVE - beta is found from the Ritz values of the block
-  EPS_NAPI_MOMENTUM_OPTIMAL  - Rayleigh-Ritz over a window of past blocks: the best beta in every step, the default

   Level: intermediate
E*/
typedef enum {
  EPS_NAPI_MOMENTUM_NONE,
  EPS_NAPI_MOMENTUM_FIXED,
  EPS_NAPI_MOMENTUM_ADAPTIVE,
  EPS_NAPI_MOMENTUM_OPTIMAL
} EPSNAPIMomentum;
SLEPC_EXTERN const char *const EPSNAPIMomentums[];

/*E
   EPSNAPICriterion - How accurate the inner solves are

   Values:
+  EPS_NAPI_CRITERION_PAPER  - Theorems 1 and 2 of the paper, the default of momentum none, fixed and adaptive
.  EPS_NAPI_CRITERION_WINDOW - with optimal momentum sqrt(Delta_w/8), Delta_w being the relative gap between the wanted Ritz
                               values and the last one of the window; otherwise sqrt(Delta/32) for any number of pairs
-  EPS_NAPI_CRITERION_AUTO   - one iteration or a tolerance, whichever gains more for its cost as the solve goes on, the
                               default of optimal momentum and of use with it only

   Level: advanced
E*/
typedef enum {
  EPS_NAPI_CRITERION_PAPER,
  EPS_NAPI_CRITERION_WINDOW,
  EPS_NAPI_CRITERION_AUTO
} EPSNAPICriterion;
SLEPC_EXTERN const char *const EPSNAPICriterions[];

/*E
   EPSNAPIWarmStart - How the inner solve makes use of the current iterate

   Values:
+  EPS_NAPI_WARM_START_CORRECTION - solve for the correction to W Theta, from zero
.  EPS_NAPI_WARM_START_GUESS      - solve for the whole, from the initial guess W Theta: the same iterates
-  EPS_NAPI_WARM_START_NONE       - solve for the whole, from zero, to the same absolute residual

   Level: advanced
E*/
typedef enum {
  EPS_NAPI_WARM_START_CORRECTION,
  EPS_NAPI_WARM_START_GUESS,
  EPS_NAPI_WARM_START_NONE
} EPSNAPIWarmStart;
SLEPC_EXTERN const char *const EPSNAPIWarmStarts[];

/*E
   EPSNAPIResidual - Which relative residual has to fall below the tolerance, r = A x - lambda B x

   Values:
+  EPS_NAPI_RESIDUAL_SCALED - ||r||/(|lambda| ||B x||), which does not depend on the scale of B
.  EPS_NAPI_RESIDUAL_SLEPC  - the convergence test of the EPS, by default ||r||/(|lambda| ||x||)
-  EPS_NAPI_RESIDUAL_BOTH   - both

   Level: intermediate
E*/
typedef enum {
  EPS_NAPI_RESIDUAL_SCALED,
  EPS_NAPI_RESIDUAL_SLEPC,
  EPS_NAPI_RESIDUAL_BOTH
} EPSNAPIResidual;
SLEPC_EXTERN const char *const EPSNAPIResiduals[];

/*E
   EPSNAPICheck - How optimal momentum makes sure that none of the wanted eigenvalues has been missed

   Values:
+  EPS_NAPI_CHECK_NONE    - not at all
.  EPS_NAPI_CHECK_QUICK   - a few steps from a random vector that is orthogonal to everything found, the default
-  EPS_NAPI_CHECK_CERTIFY - the same, bounds of the errors of the eigenvalues, and a count of the eigenvalues by the inertia of
                            A - sigma B where that can be factored

   Level: intermediate
E*/
typedef enum {
  EPS_NAPI_CHECK_NONE,
  EPS_NAPI_CHECK_QUICK,
  EPS_NAPI_CHECK_CERTIFY
} EPSNAPICheck;
SLEPC_EXTERN const char *const EPSNAPIChecks[];

/*E
   EPSNAPIBoundKind - What an error bound of an eigenvalue is worth

   Values:
+  EPS_NAPI_BOUND_NONE      - there is none
.  EPS_NAPI_BOUND_ESTIMATED - an estimate: no lower bound of the spectrum of B is known
-  EPS_NAPI_BOUND_CERTIFIED - a bound, up to rounding errors

   Level: intermediate
E*/
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
SLEPC_EXTERN PetscErrorCode EPSNAPIMonitor(EPS, PetscInt, PetscInt, PetscScalar *, PetscScalar *, PetscReal *, PetscInt, void *);

/* ------------------------------------------------- KSP type blockcg ------------------------------------------------- */

/*MC
   KSPBLOCKCG - KSPBLOCKCG = "blockcg" - Block conjugate gradients for Hermitian positive definite systems with several
   right-hand sides, which share one Krylov space

   Options Database Key:
.  -ksp_blockcg_lower_bound <mu> - lower bound of the spectrum of the preconditioned matrix: stop on the energy error

   Level: intermediate

   Notes:
   KSPMatSolve() solves for all columns at once, KSPSolve() is conjugate gradients. An iteration applies the matrix and
   the preconditioner (by PCMatApply()) to one block and has two reductions. Right-hand sides may depend on each other, be
   zero, differ in scale by many orders, or outnumber the unknowns.

   Norms: unpreconditioned (the default), natural, preconditioned, none. With the first and the last, j iterations apply
   the matrix and the preconditioner j times, since the norm of the residual is known before the preconditioner is
   applied to it; the other two norms are not, and cost one application of the preconditioner more. (A solve from zero
   that needs no iteration at all, its right-hand sides being zero, has applied the preconditioner once.)

   A solve has converged when the norm of every column is below max(rtol*its reference, abstol). The reference is the one
   KSPConvergedDefault() takes for a single system: the norm of the right-hand side, or with
   KSPConvergedDefaultSetUIRNorm() that of the initial residual. Monitors, the residual history, KSPGetResidualNorm() and a
   convergence test of one's own see one number for all columns: the worst reduction of any column (those below abstol
   aside) times the largest reference. For one column this is its norm. While they run, KSPBuildSolution(),
   KSPGetRhs() and the like are those of the worst column.

   KSPMatSolve() ignores KSPGuess. Null spaces of the matrix (MatSetNullSpace()) are removed as in KSPSolve().

   A positive definite matrix and preconditioner are assumed; where an inner product shows the contrary by more than
   rounding, the reason is KSP_DIVERGED_INDEFINITE_MAT or KSP_DIVERGED_INDEFINITE_PC.

.seealso: KSPMatSolve(), KSPCG, KSPBlockCGSetLowerBound(), KSPBlockCGGetErrorBound(), KSPBlockCGGetResidual()
M*/
#define KSPBLOCKCG "blockcg"

SLEPC_EXTERN PetscErrorCode KSPBlockCGSetLowerBound(KSP, PetscReal);
SLEPC_EXTERN PetscErrorCode KSPBlockCGGetLowerBound(KSP, PetscReal *);
SLEPC_EXTERN PetscErrorCode KSPBlockCGGetErrorBound(KSP, PetscInt, PetscReal[]);
SLEPC_EXTERN PetscErrorCode KSPBlockCGGetResidual(KSP, Mat *);

/* ---------------------------------------------- end of KSP type blockcg ---------------------------------------------- */

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

/* --- KSP types for least squares: nesterov, svrg, katyusha, saga, sdca (src/ksp) -------------------------------------- */

/*MC
   KSPNESTEROV - KSPNESTEROV = "nesterov" - Nesterov's accelerated gradient method for Hermitian positive definite systems.
   See src/ksp/impls/nesterov/nesterov.c.

   Options Database Key:
.  -ksp_nesterov_eigenvalues <min,max> - bounds of the spectrum of the preconditioned matrix, 0 where not known

   Level: intermediate

   Notes:
   One application of the matrix and of the preconditioner for each iteration. Not known, the largest eigenvalue is
   estimated by ten iterations of conjugate gradients before the first solve with a matrix, and corrected whenever it turns
   out to be too small; and where the smallest is not known, the momentum grows and starts again when it points uphill.
   With both given it is the constant (sqrt(kappa)-1)/(sqrt(kappa)+1), and the error in the function falls by
   1 - 1/sqrt(kappa) an iteration. Gradient descent, for comparison, is KSPRICHARDSON.

.seealso: KSPNesterovSetSpectrum(), KSPNesterovGetSpectrum(), KSPSVRG
M*/
#define KSPNESTEROV "nesterov"

/*MC
   KSPSVRG - KSPSVRG = "svrg" - Stochastic variance reduced gradients for a MATGRAM. See src/ksp/impls/stochastic/svrg.c.

   Options Database Keys:
+  -ksp_svrg_step <eta>             - step, by default 1/L with L = max_i ||F_i' S F_i|| + ridge
.  -ksp_svrg_stage <m>              - number of steps of a stage, by default the number of samples
.  -ksp_svrg_sampling <uniform,norm> - samples are drawn uniformly, the default, or in proportion to their squared norms
.  -ksp_svrg_seed <seed>            - of the random numbers
-  -ksp_svrg_linesearch <bool>      - exact line search along the step of a stage

   Level: intermediate

   Notes (for KSPSVRG, KSPKATYUSHA, KSPSAGA and KSPSDCA):
   The operator must be a MATGRAM: these methods go from sample to sample. A sample costs its nonzeros, also where the data
   are centered. An iteration of the KSP is a stage of m steps with one sample each, at whose end the residual is computed by
   a product with the operator (SVRG and Katyusha need it as the gradient of the next stage anyway). A stage of n
   steps is one pass over the data and the product another one: both are booked, see MatGramGetPasses(). Norms:
   unpreconditioned, none; with none, and no line search, the last product is left out. KSPMatSolve() takes all columns
   through the same samples in one go, which counts as many passes as one column. The preconditioner is ignored.

   Random numbers are PETSc's. The first solve starts them from the seed, later solves go on with them: a program that is run
   again gives the same numbers, and so does a solve after KSPStochasticSetSeed() or KSPReset().

   Without a step of the user's, a stage that ends with a residual 100 times as large as before, or none at all, is undone
   and repeated with half the step.

   On several ranks each goes through its own samples, its share of the m steps, with the gradient of all samples to start
   from; the results are averaged, each rank weighted by its samples, and the solution moves along that average as far as
   minimises the energy norm of the error (the line search; it needs the product that is made anyway). So the function
   falls in every stage however the samples are distributed, and the solution is the same; it takes more stages than on one
   rank where the ranks have very different or few samples. KSPSAGA and KSPSDCA then make one more pass over the data in
   every stage after the first (KSPSDCA: in every stage), by which the ranks agree on what the average has changed.

.seealso: MATGRAM, KSPKATYUSHA, KSPSAGA, KSPSDCA, KSPStochasticSetStep(), KSPStochasticSetStageLength(),
          KSPStochasticSetSampling(), KSPStochasticSetSeed(), KSPStochasticSetLineSearch(), MatGramGetPasses()
M*/
#define KSPSVRG "svrg"

/*MC
   KSPKATYUSHA - KSPKATYUSHA = "katyusha" - Katyusha, the accelerated form of SVRG, for a MATGRAM with a ridge. See
   src/ksp/impls/stochastic/katyusha.c.

   Options Database Keys:
+  -ksp_katyusha_step <eta>              - 1/L, by default with L as for KSPSVRG
.  -ksp_katyusha_stage <m>               - number of steps of a stage, by default twice the number of samples
.  -ksp_katyusha_sampling <uniform,norm> - how samples are drawn
.  -ksp_katyusha_seed <seed>             - of the random numbers
.  -ksp_katyusha_linesearch <bool>       - exact line search along the step of a stage
-  -ksp_katyusha_convexity <mu>          - lower bound of the spectrum of the operator, by default the smaller ridge

   Level: intermediate

   Note:
   Faster than KSPSVRG once L/(mu n) exceeds a few. The coupling of the operator must be positive semidefinite, as that of
   the covariances is. See KSPSVRG for what the stochastic methods have in common.

.seealso: KSPSVRG, KSPKatyushaSetConvexity()
M*/
#define KSPKATYUSHA "katyusha"

/*MC
   KSPSAGA - KSPSAGA = "saga" - SAGA, which keeps the last gradient of every sample, for a MATGRAM. See
   src/ksp/impls/stochastic/saga.c.

   Options Database Keys:
+  -ksp_saga_step <eta>              - step, by default 1/(3L) with L as for KSPSVRG
.  -ksp_saga_stage <m>               - number of steps between tests of convergence, by default the number of samples
.  -ksp_saga_sampling <uniform,norm> - how samples are drawn; by norm, half of them remain uniform
.  -ksp_saga_seed <seed>             - of the random numbers
-  -ksp_saga_linesearch <bool>       - exact line search along the step of a stage

   Level: intermediate

   Note:
   A gradient is one number for each sample, view and column. See KSPSVRG for what the stochastic methods have in common.

.seealso: KSPSVRG
M*/
#define KSPSAGA "saga"

/*MC
   KSPSDCA - KSPSDCA = "sdca" - Stochastic dual coordinate ascent, for a MATGRAM with a ridge. See
   src/ksp/impls/stochastic/sdca.c.

   Options Database Keys:
+  -ksp_sdca_stage <m>   - number of steps between tests of convergence, by default the number of samples
-  -ksp_sdca_seed <seed> - of the random numbers

   Level: intermediate

   Notes:
   There is no step to choose. Samples are taken in random order, each once before any comes again. The coupling of the
   operator must be positive semidefinite and its ridges positive.

   The dual method starts from b/ridge, which is much worse than zero. The solution follows it only when its residual
   has become smaller than that of the solution so far; until then the stages leave the solution and its residual as they
   are. On several ranks the line search sees to that. See KSPSVRG for what the stochastic methods have in common.

.seealso: KSPSVRG
M*/
#define KSPSDCA "sdca"

/*E
   KSPStochasticSampling - How the stochastic methods draw samples

   Values:
+  KSP_STOCHASTIC_UNIFORM - all with the same probability
-  KSP_STOCHASTIC_NORM    - in proportion to ||F_i' S F_i||, for one view the squared norm, with weights that make up for it

   Level: intermediate
E*/
typedef enum {
  KSP_STOCHASTIC_UNIFORM,
  KSP_STOCHASTIC_NORM
} KSPStochasticSampling;
SLEPC_EXTERN const char *const KSPStochasticSamplings[];

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

/* --- end of KSP types for least squares ------------------------------------------------------------------------------- */

/* --- CCA: canonical correlation analysis (src/cca) --------------------------------------------------------------------- */

/*S
   CCA - PETSc-style object that finds what two data sets share: regularised canonical correlation analysis

   Level: beginner

.seealso: CCACreate(), CCASetData(), CCASolve()
S*/
typedef struct _p_CCA *CCA;

/*J
   CCAType - Name of a method for canonical correlation analysis

   Level: beginner

.seealso: CCASetType(), CCA
J*/
typedef const char *CCAType;
#define CCADIRECT  "direct"
#define CCAEPS     "eps"
#define CCANAPI    "napi"
#define CCAAPPGRAD "appgrad"
#define CCAALS     "als"
#define CCASI      "si"
#define CCALAZY    "lazy"

/*E
   CCAConvergedReason - Why CCASolve() has stopped

   Values:
+  CCA_CONVERGED_TOL         - all wanted pairs have a residual below the tolerance
.  CCA_CONVERGED_RANK        - there are fewer pairs than wanted, because the data are of lower rank; all there are were found
.  CCA_CONVERGED_ITERATING   - not solved yet
.  CCA_DIVERGED_ITS          - the largest number of iterations was reached before
.  CCA_DIVERGED_BREAKDOWN    - numerical trouble, told by -info
-  CCA_DIVERGED_ACCURACY     - the method ended, but the true residuals are not below the tolerance

   Level: beginner
E*/
typedef enum {
  CCA_CONVERGED_TOL       = 1,
  CCA_CONVERGED_RANK      = 2,
  CCA_CONVERGED_ITERATING = 0,
  CCA_DIVERGED_ITS        = -1,
  CCA_DIVERGED_BREAKDOWN  = -2,
  CCA_DIVERGED_ACCURACY   = -3
} CCAConvergedReason;
SLEPC_EXTERN const char *const *CCAConvergedReasons;

/*E
   CCACheck - What is checked of a solution besides its residuals

   Values:
+  CCA_CHECK_NONE    - nothing
.  CCA_CHECK_QUICK   - whether a larger correlation was missed: a few steps from random directions that are orthogonal to everything
                       found, the default
-  CCA_CHECK_CERTIFY - the same, and bounds of the errors of the correlations

   Level: intermediate

.seealso: CCASetCheck(), CCAGetErrorBound()
E*/
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
SLEPC_EXTERN PetscErrorCode CCAMonitorDefault(CCA, PetscInt, PetscInt, PetscInt, const PetscReal[], const PetscReal[], void *);

SLEPC_EXTERN PetscErrorCode CCAGetEPS(CCA, EPS *);
SLEPC_EXTERN PetscErrorCode CCAGetKSP(CCA, KSP *, KSP *);

/* --- end of CCA -------------------------------------------------------------------------------------------------------- */
