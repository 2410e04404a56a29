/* SPDX-License-Identifier: BSD-2-Clause */
/*
   SLEPc eigensolver: "napi"

   Method: noisy accelerated power iteration (momentum.c), for A x = lambda B x with A symmetric (Hermitian) and B
   positive definite, or A x = lambda x. B is never factored: its inverse is applied by a few steps of the KSP of the ST,
   warm-started at the current iterate.

   This file: set-up, solve, options, setters, view, create.
*/
#include <slepcnapi/private/napiimpl.h>

const char *const EPSNAPIMomentums[]  = {"none", "fixed", "adaptive", "optimal", "EPSNAPIMomentum", "EPS_NAPI_MOMENTUM_", NULL};
const char *const EPSNAPIWarmStarts[] = {"correction", "guess", "none", "EPSNAPIWarmStart", "EPS_NAPI_WARM_START_", NULL};
const char *const EPSNAPICriterions[] = {"paper", "window", "auto", "EPSNAPICriterion", "EPS_NAPI_CRITERION_", NULL};
const char *const EPSNAPIChecks[]     = {"none", "quick", "certify", "EPSNAPICheck", "EPS_NAPI_CHECK_", NULL};
const char *const EPSNAPIResiduals[]  = {"scaled", "slepc", "both", "EPSNAPIResidual", "EPS_NAPI_RESIDUAL_", NULL};

PetscLogEvent EPS_NAPI_Inner, EPS_NAPI_Ortho, EPS_NAPI_Ritz;

static PetscBool  cited      = PETSC_FALSE;
static const char citation[] = "@Article{napi2019,\n"
                               "  author  = {V. V. Mai and M. Johansson},\n"
                               "  title   = {Noisy Accelerated Power Method for Eigenproblems With Applications},\n"
                               "  journal = {{IEEE} Trans. Signal Process.},\n"
                               "  volume  = {67},\n"
                               "  number  = {12},\n"
                               "  pages   = {3287--3299},\n"
                               "  year    = {2019}\n"
                               "}\n";

/* guard columns: fixed momentum is the paper's algorithm, with a block of nev; the others find their rate from two more */
static PetscInt NAPIGuard(EPS_NAPI *ctx)
{
  if (ctx->guard != NAPI_AUTO) return ctx->guard;
  return ctx->momentum == EPS_NAPI_MOMENTUM_FIXED ? 0 : 2;
}

/* what is in use, or will be where the user has not chosen; 0 is not known before set-up */
static PetscInt NAPIBlockSize(EPS_NAPI *ctx)
{
  return ctx->bs ? ctx->bs : PetscMax(0, ctx->blocksize);
}

static PetscInt NAPIRestart(EPS_NAPI *ctx)
{
  return ctx->keep ? ctx->keep : PetscMax(0, ctx->restart);
}

static EPSNAPICriterion NAPICriterion(EPS_NAPI *ctx)
{
  if ((int)ctx->criterion != NAPI_AUTO) return ctx->criterion;
  return ctx->momentum == EPS_NAPI_MOMENTUM_OPTIMAL ? EPS_NAPI_CRITERION_AUTO : EPS_NAPI_CRITERION_PAPER;
}

/* ------------------------------------------------- set-up ------------------------------------------------- */

static PetscErrorCode EPSReset_NAPI(EPS eps)
{
  EPS_NAPI *ctx   = (EPS_NAPI *)eps->data;
  BV       *all[] = {&ctx->W.X, &ctx->W.BX, &ctx->W.AX, &ctx->Wold, &ctx->R, &ctx->D, &ctx->Y, &ctx->BY};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(all); i++) PetscCall(BVDestroy(all[i]));
  PetscCall(MatDestroy(&ctx->scratch));
  PetscCall(MatDestroy(&ctx->cross));
  PetscCall(NAPIWindowDestroy(&ctx->window));
  PetscCall(NAPISmallDestroy(&ctx->small));
  PetscCall(PetscFree2(ctx->theta, ctx->scaled));
  PetscCall(PetscFree3(ctx->error, ctx->best, ctx->stalls));
  PetscCall(EPSNAPICertificateReset(&ctx->certificate));
  if (eps->ds) PetscCall(DSReset(eps->ds)); /* another solver type would stumble over its dimensions */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The inner solver we would choose: block CG and Jacobi. Called both before the options are read and in set-up; what has a
   type by then was chosen by the user, or by another solver type before us.
*/
static PetscErrorCode EPSSetDefaultST_NAPI(EPS eps)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;
  KSP       ksp;
  PC        pc;

  PetscFunctionBegin;
  if (!((PetscObject)eps->st)->type_name) PetscCall(STSetType(eps->st, STSHIFT));
  PetscCall(STGetKSP(eps->st, &ksp));
  if (!((PetscObject)ksp)->type_name) PetscCall(KSPSetType(ksp, KSPBLOCKCG));
  PetscCall(KSPGetPC(ksp, &pc));
  if (!((PetscObject)pc)->type_name) {
    PetscCall(PCSetType(pc, PCJACOBI));
    ctx->pcchosen = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes the ST's operators and inner solver fit: done before STSetUp(), which would fail with less to say */
static PetscErrorCode SetUpInner(EPS eps)
{
  EPS_NAPI   *ctx  = (EPS_NAPI *)eps->data;
  MPI_Comm    comm = PetscObjectComm((PetscObject)eps);
  PetscScalar sigma;
  PetscBool   has, named, lu, cholesky, shell;
  PetscInt    i, nmat;
  KSP         ksp;
  PC          pc;
  Mat         M, B;

  PetscFunctionBegin;
  PetscCall(STGetShift(eps->st, &sigma));
  PetscCall(STGetNumMatrices(eps->st, &nmat));
  if (sigma != 0.0) { /* matrices that cannot be added are shifted in every product */
    for (i = 0; i < nmat; i++) {
      PetscCall(STGetMatrix(eps->st, i, &M));
      PetscCall(MatHasOperation(M, MATOP_GET_ROW, &has));
      PetscCall(PetscObjectTypeCompare((PetscObject)M, MATSHELL, &shell));
      if (shell || !has) PetscCall(STSetMatMode(eps->st, ST_MATMODE_SHELL));
    }
  }
  if (nmat < 2) PetscFunctionReturn(PETSC_SUCCESS);

  PetscCall(STGetMatrix(eps->st, 1, &B));
  PetscCall(STGetKSP(eps->st, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscOptionsHasName(((PetscObject)pc)->options, ((PetscObject)pc)->prefix, "-pc_type", &named));
  PetscCall(MatHasOperation(B, MATOP_GET_DIAGONAL, &has));
  if (ctx->pcchosen && !named && !has) PetscCall(PCSetType(pc, PCNONE));

  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCLU, &lu));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCCHOLESKY, &cholesky));
  if (lu || cholesky) {
    MatSolverType package;

    PetscCall(PCFactorGetMatSolverType(pc, &package));
    PetscCall(MatGetFactorAvailable(B, package, lu ? MAT_FACTOR_LU : MAT_FACTOR_CHOLESKY, &has));
    PetscCheck(has, comm, PETSC_ERR_SUP, "The inner solver is set to factor B, which this PETSc cannot do for matrices of type %s: set an iterative one, for instance -st_ksp_type cg -st_pc_type jacobi, or choose EPSNAPI before EPSSetFromOptions() and before any other solver type is used",
               ((PetscObject)B)->type_name);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The shift, and what depends on it. The user may change it after set-up, which is not done again then. */
static PetscErrorCode ReadShift(EPS eps)
{
  EPS_NAPI   *ctx = (EPS_NAPI *)eps->data;
  PetscScalar sigma;

  PetscFunctionBegin;
  PetscCall(STGetShift(eps->st, &sigma));
  ctx->sigma = ctx->usersigma = PetscRealPart(sigma);
  if (ctx->haslambda) ctx->beta = (ctx->lambda - ctx->usersigma) * (ctx->lambda - ctx->usersigma) / 4.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EPSSetUp_NAPI(EPS eps)
{
  EPS_NAPI *ctx  = (EPS_NAPI *)eps->data;
  MPI_Comm  comm = PetscObjectComm((PetscObject)eps);
  PetscBool isshift;

  PetscFunctionBegin;
  /* what it cannot do, by name */
  EPSCheckHermitianDefinite(eps);
  NAPICheckNotStructured(eps);
  NAPICheckNoThreshold(eps);
  EPSCheckUnsupported(eps, EPS_FEATURE_ARBITRARY | EPS_FEATURE_REGION | EPS_FEATURE_EXTRACTION | EPS_FEATURE_TWOSIDED);
  EPSCheckIgnored(eps, EPS_FEATURE_BALANCE);
  PetscCheck(eps->which != EPS_ALL, comm, PETSC_ERR_SUP, "The solver 'napi' does not support spectrum slicing: all the eigenvalues in an interval are found by krylovschur or ciss");
  if (!eps->which) eps->which = EPS_LARGEST_MAGNITUDE;
  PetscCheck(eps->which == EPS_LARGEST_MAGNITUDE || eps->which == EPS_LARGEST_REAL || eps->which == EPS_SMALLEST_REAL, comm, PETSC_ERR_SUP, "The solver 'napi' finds eigenvalues of largest magnitude, and the largest or smallest real ones where -st_shift makes them so: targets and the smallest magnitude are not supported");
  PetscCall(PetscObjectTypeCompare((PetscObject)eps->st, STSHIFT, &isshift));
  PetscCheck(isshift, comm, PETSC_ERR_SUP, "The solver 'napi' supports the spectral transformation 'shift' only, not '%s': use -st_type shift", ((PetscObject)eps->st)->type_name);
  PetscCheck(ctx->momentum != EPS_NAPI_MOMENTUM_FIXED || ctx->beta != NAPI_AUTO || ctx->haslambda, comm, PETSC_ERR_ARG_WRONGSTATE, "Fixed momentum needs its parameter: give -eps_napi_beta, or an estimate of the eigenvalue after the wanted ones with -eps_napi_beta_from_eigenvalue");

  PetscCheck(ctx->criterion != EPS_NAPI_CRITERION_AUTO || ctx->momentum == EPS_NAPI_MOMENTUM_OPTIMAL, comm, PETSC_ERR_SUP, "The inner criterion auto is for optimal momentum: use -eps_napi_criterion paper or window with momentum %s",
             EPSNAPIMomentums[ctx->momentum]);
  PetscCheck(ctx->warmstart == EPS_NAPI_WARM_START_CORRECTION || ctx->momentum != EPS_NAPI_MOMENTUM_OPTIMAL, comm, PETSC_ERR_SUP, "Optimal momentum solves for corrections only: use -eps_napi_warm_start correction");

  PetscCall(SetUpInner(eps));
  PetscCall(ReadShift(eps));
  PetscCall(EPSReset_NAPI(eps));
  PetscCall(DSSetCompact(eps->ds, PETSC_FALSE)); /* the settings of another solver type */
  PetscCall(DSSetExtraRow(eps->ds, PETSC_FALSE));
  ctx->bs = ctx->keep = 0;
  if (ctx->momentum == EPS_NAPI_MOMENTUM_OPTIMAL) PetscCall(EPSNAPISetUp_Optimal(eps));
  else PetscCall(EPSNAPISetUp_Momentum(eps));
  eps->purify = PETSC_FALSE; /* nothing to purify: B is not singular */
  if (eps->mpd != NAPI_UNSET && eps->mpd < eps->ncv) PetscCall(PetscInfo(eps, "Warning: parameter mpd ignored\n"));
  eps->mpd = eps->ncv;
  if (eps->max_it == NAPI_UNSET) eps->max_it = PetscMax(5000, 10 * (eps->n / eps->ncv));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ritz values of the scaled pair to its eigenvalues: a positive factor does not change their order */
static PetscErrorCode MapShift(PetscObject obj, PetscInt n, PetscScalar *eigr, PetscScalar *eigi)
{
  PetscInt j;

  PetscFunctionBegin;
  (void)eigi;
  for (j = 0; j < n; j++) eigr[j] += ((EPS_NAPI *)((EPS)obj)->data)->sigma;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The results are sorted as the user asked. Within the iteration so are those of optimal momentum, which knows the
   transformed values only; for the others it is their magnitude that counts.
*/
static PetscErrorCode EPSSetUpSort_NAPI(EPS eps)
{
  PetscBool optimal = (PetscBool)(((EPS_NAPI *)eps->data)->momentum == EPS_NAPI_MOMENTUM_OPTIMAL);
  SlepcSC   sc;

  PetscFunctionBegin;
  switch (eps->which) {
  case EPS_LARGEST_REAL:
    eps->sc->comparison = SlepcCompareLargestReal;
    break;
  case EPS_SMALLEST_REAL:
    eps->sc->comparison = SlepcCompareSmallestReal;
    break;
  default:
    eps->sc->comparison = SlepcCompareLargestMagnitude;
    break;
  }
  eps->sc->comparisonctx = NULL;
  eps->sc->map           = NULL;
  eps->sc->mapobj        = NULL;
  PetscCall(DSGetSlepcSC(eps->ds, &sc));
  sc->comparison    = optimal ? eps->sc->comparison : SlepcCompareLargestMagnitude;
  sc->comparisonctx = NULL;
  sc->map           = optimal ? MapShift : NULL;
  sc->mapobj        = optimal ? (PetscObject)eps : NULL;
  sc->rg            = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- solve -------------------------------------------------- */

static PetscErrorCode EPSSolve_NAPI(EPS eps)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;
  PetscInt  nmat;
  Mat       A;

  PetscFunctionBegin;
  PetscCall(PetscCitationsRegister(citation, &cited));
  PetscCall(STGetNumMatrices(eps->st, &nmat));
  PetscCall(ReadShift(eps));
  PetscCall(STGetMatrixTransformed(eps->st, 0, &ctx->A)); /* A - sigma B */
  if (nmat > 1) PetscCall(STGetMatrixTransformed(eps->st, 1, &ctx->B));
  else ctx->B = NULL;
  /* of a standard problem that is self-adjoint in another inner product, the user gives that to the BV after set-up */
  if (ctx->B) ctx->G = ctx->B;
  else PetscCall(BVGetMatrix(eps->V, &ctx->G, NULL));
  ctx->pairmult = NULL;
  PetscCall(STGetMatrix(eps->st, 0, &A));
  if (ctx->B) PetscCall(PetscObjectQueryFunction((PetscObject)A, "MatPairMult_C", &ctx->pairmult));
  ctx->beta_t  = 0.0;
  ctx->inner_t = ctx->inner = ctx->acols = ctx->bcols = 0;
  ctx->saved                                          = 0.0;
  ctx->ascale = ctx->anorm = 0.0;
  ctx->bscale              = ctx->G ? 0.0 : 1.0;
  ctx->bnorm = ctx->bhalf = ctx->unscale = 1.0;
  ctx->cause                             = NULL;
  PetscCall(EPSNAPICertificateReset(&ctx->certificate));
  PetscCall(EPSNAPIWithInnerSolver(eps, ctx->momentum == EPS_NAPI_MOMENTUM_OPTIMAL ? EPSNAPISolve_Optimal : EPSNAPISolve_Momentum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EPSBackTransform_NAPI(EPS eps)
{
  PetscFunctionBegin;
  PetscCall(STBackTransform(eps->st, eps->nconv, eps->eigr, eps->eigi));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
   EPSNAPIMonitor - Prints one line for every step of EPSNAPI: the step, the number of converged pairs, the largest error
   estimate among the wanted pairs that have not converged, and beta, inner tolerance and inner iterations of the step
   that led there.

   Collective

   Input Parameters:
+  eps    - the eigensolver
.  its    - the outer step
.  nconv  - number of converged pairs
.  eigr   - the eigenvalues of the transformed problem
.  eigi   - their imaginary parts, zero
.  errest - the error estimates
.  nest   - number of estimates
-  ctx    - not used

   Options Database Key:
.  -eps_napi_monitor - sets this monitor

   Level: intermediate

.seealso: EPSNAPI, EPSMonitorSet()
@*/
PetscErrorCode EPSNAPIMonitor(EPS eps, PetscInt its, PetscInt nconv, PetscScalar *eigr, PetscScalar *eigi, PetscReal *errest, PetscInt nest, void *ctx)
{
  EPS_NAPI   *napi = (EPS_NAPI *)eps->data;
  PetscViewer viewer;
  PetscReal   worst = 0.0;
  PetscInt    i;
  PetscBool   isnapi;

  PetscFunctionBegin;
  (void)eigr;
  (void)eigi;
  (void)ctx;
  PetscCall(PetscObjectTypeCompare((PetscObject)eps, EPSNAPI, &isnapi));
  if (!isnapi) PetscFunctionReturn(PETSC_SUCCESS);
  for (i = nconv; i < PetscMin(nest, eps->nev); i++) worst = PetscMax(worst, errest[i]);
  PetscCall(PetscViewerASCIIGetStdout(PetscObjectComm((PetscObject)eps), &viewer));
  PetscCall(PetscViewerASCIIPrintf(viewer, "%4" PetscInt_FMT " NAPI nconv=%" PetscInt_FMT " residual=%9.3e beta=%9.3e inner: rtol=%8.2e iterations=%" PetscInt_FMT "\n", its, nconv, (double)worst, (double)napi->beta_t, (double)napi->rtol_t, napi->inner_t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------- options and setters ------------------------------------------- */

static PetscErrorCode EPSSetFromOptions_NAPI(EPS eps, NAPIOptionItems PetscOptionsObject)
{
  EPS_NAPI        *ctx       = (EPS_NAPI *)eps->data;
  EPSNAPIMomentum  momentum  = ctx->momentum;
  EPSNAPIWarmStart warmstart = ctx->warmstart;
  EPSNAPIResidual  residual  = ctx->residual;
  EPSNAPICheck     check     = ctx->check;
  PetscReal        beta = ctx->beta, lambda = ctx->lambda, rtol = ctx->rtol;
  PetscInt         guard = ctx->guard, maxit = ctx->max_it, blocksize = ctx->blocksize, restart = ctx->restart;
  EPSNAPICriterion criterion = NAPICriterion(ctx);
  PetscBool        flg, flg2, monitor = PETSC_FALSE;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "EPS NAPI Options");
  PetscCall(PetscOptionsEnum("-eps_napi_momentum", "Where the momentum comes from", "EPSNAPISetMomentum", EPSNAPIMomentums, (PetscEnum)momentum, (PetscEnum *)&momentum, &flg));
  if (flg) PetscCall(EPSNAPISetMomentum(eps, momentum));
  PetscCall(PetscOptionsReal("-eps_napi_beta", "Momentum parameter of fixed momentum", "EPSNAPISetBeta", beta, &beta, &flg));
  if (flg) PetscCall(EPSNAPISetBeta(eps, beta));
  PetscCall(PetscOptionsReal("-eps_napi_beta_from_eigenvalue", "The same from an estimate of the eigenvalue after the wanted ones", "EPSNAPISetBetaFromEigenvalue", lambda, &lambda, &flg));
  if (flg) PetscCall(EPSNAPISetBetaFromEigenvalue(eps, lambda));
  PetscCall(PetscOptionsInt("-eps_napi_guard", "Columns of the block beyond nev", "EPSNAPISetGuard", guard, &guard, &flg));
  if (flg) PetscCall(EPSNAPISetGuard(eps, guard));
  PetscCall(PetscOptionsInt("-eps_napi_blocksize", "Columns added in a step of optimal momentum", "EPSNAPISetBlockSize", blocksize, &blocksize, &flg));
  if (flg) PetscCall(EPSNAPISetBlockSize(eps, blocksize));
  PetscCall(PetscOptionsInt("-eps_napi_restart", "Ritz vectors kept at a restart of optimal momentum", "EPSNAPISetRestart", restart, &restart, &flg));
  if (flg) PetscCall(EPSNAPISetRestart(eps, restart));
  PetscCall(PetscOptionsEnum("-eps_napi_criterion", "How accurate the inner solves are", "EPSNAPISetCriterion", EPSNAPICriterions, (PetscEnum)criterion, (PetscEnum *)&criterion, &flg));
  if (flg) PetscCall(EPSNAPISetCriterion(eps, criterion));
  /* the options of the inner solver itself mean the same */
  PetscCall(PetscOptionsGetReal(((PetscObject)eps)->options, ((PetscObject)eps)->prefix, "-st_ksp_rtol", &rtol, NULL));
  PetscCall(PetscOptionsGetInt(((PetscObject)eps)->options, ((PetscObject)eps)->prefix, "-st_ksp_max_it", &maxit, NULL));
  PetscCall(PetscOptionsReal("-eps_napi_inner_rtol", "Relative tolerance of the inner solves", "EPSNAPISetInnerTolerances", rtol, &rtol, &flg));
  PetscCall(PetscOptionsInt("-eps_napi_inner_max_it", "Iterations of an inner solve", "EPSNAPISetInnerTolerances", maxit, &maxit, &flg2));
  if (rtol != ctx->rtol || maxit != ctx->max_it) PetscCall(EPSNAPISetInnerTolerances(eps, rtol, maxit));
  PetscCall(PetscOptionsEnum("-eps_napi_warm_start", "How the inner solve starts", "EPSNAPISetWarmStart", EPSNAPIWarmStarts, (PetscEnum)warmstart, (PetscEnum *)&warmstart, &flg));
  if (flg) PetscCall(EPSNAPISetWarmStart(eps, warmstart));
  PetscCall(PetscOptionsEnum("-eps_napi_residual", "Which residual decides on convergence", "EPSNAPISetResidual", EPSNAPIResiduals, (PetscEnum)residual, (PetscEnum *)&residual, &flg));
  if (flg) PetscCall(EPSNAPISetResidual(eps, residual));
  PetscCall(PetscOptionsEnum("-eps_napi_check", "How to make sure that nothing was missed", "EPSNAPISetCheck", EPSNAPIChecks, (PetscEnum)check, (PetscEnum *)&check, &flg));
  if (flg) PetscCall(EPSNAPISetCheck(eps, check));
  PetscCall(PetscOptionsBool("-eps_napi_monitor", "Print a line a step", "EPSNAPIMonitor", monitor, &monitor, NULL));
  if (monitor) PetscCall(EPSMonitorSet(eps, EPSNAPIMonitor, NULL, NULL));
  PetscOptionsHeadEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EPSNAPISetMomentum_NAPI(EPS eps, EPSNAPIMomentum momentum)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;

  PetscFunctionBegin;
  PetscCheck(momentum >= EPS_NAPI_MOMENTUM_NONE && momentum <= EPS_NAPI_MOMENTUM_OPTIMAL, PetscObjectComm((PetscObject)eps), PETSC_ERR_ARG_OUTOFRANGE, "Unknown kind of momentum %d", (int)momentum);
  if (ctx->momentum != momentum) eps->state = EPS_STATE_INITIAL;
  ctx->momentum = momentum;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   EPSNAPISetMomentum - Sets where the momentum of the iteration comes from.

   Logically Collective

   Input Parameters:
+  eps      - the eigensolver
-  momentum - EPS_NAPI_MOMENTUM_NONE, EPS_NAPI_MOMENTUM_FIXED, EPS_NAPI_MOMENTUM_ADAPTIVE or
              EPS_NAPI_MOMENTUM_OPTIMAL (the default)

   Options Database Key:
.  -eps_napi_momentum <none,fixed,adaptive,optimal> - the kind of momentum

   Level: intermediate

.seealso: EPSNAPI, EPSNAPIGetMomentum(), EPSNAPISetBeta(), EPSNAPIMomentum
@*/
PetscErrorCode EPSNAPISetMomentum(EPS eps, EPSNAPIMomentum momentum)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(eps, EPS_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(eps, momentum, 2);
  PetscTryMethod(eps, "EPSNAPISetMomentum_C", (EPS, EPSNAPIMomentum), (eps, momentum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EPSNAPIGetMomentum_NAPI(EPS eps, EPSNAPIMomentum *momentum)
{
  PetscFunctionBegin;
  *momentum = ((EPS_NAPI *)eps->data)->momentum;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   EPSNAPIGetMomentum - Gets where the momentum of the iteration comes from.

   Not Collective

   Input Parameter:
.  eps - the eigensolver

   Output Parameter:
.  momentum - the kind of momentum

   Level: intermediate

.seealso: EPSNAPI, EPSNAPISetMomentum()
@*/
PetscErrorCode EPSNAPIGetMomentum(EPS eps, EPSNAPIMomentum *momentum)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(eps, EPS_CLASSID, 1);
  PetscUseMethod(eps, "EPSNAPIGetMomentum_C", (EPS, EPSNAPIMomentum *), (eps, momentum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EPSNAPISetBeta_NAPI(EPS eps, PetscReal beta)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;

  PetscFunctionBegin;
  PetscCheck(beta >= 0.0 && !PetscIsInfOrNanReal(beta), PetscObjectComm((PetscObject)eps), PETSC_ERR_ARG_OUTOFRANGE, "The momentum parameter %g must not be negative", (double)beta);
  ctx->beta      = beta;
  ctx->haslambda = PETSC_FALSE;
  eps->state     = EPS_STATE_INITIAL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   EPSNAPISetBeta - Sets the momentum parameter beta of fixed momentum.

   Logically Collective

   Input Parameters:
+  eps  - the eigensolver
-  beta - the parameter, best at lambda_{k+1}^2/4 where k pairs are wanted

   Options Database Key:
.  -eps_napi_beta <beta> - the parameter

   Notes:
   Used with EPS_NAPI_MOMENTUM_FIXED only. Any beta with 2 sqrt(beta) between |lambda_{k+1}| and |lambda_k| converges;
   too large a value costs less than too small a one. With -st_shift sigma, lambda - sigma takes the place of lambda.

   Level: intermediate

.seealso: EPSNAPI, EPSNAPISetBetaFromEigenvalue(), EPSNAPISetMomentum()
@*/
PetscErrorCode EPSNAPISetBeta(EPS eps, PetscReal beta)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(eps, EPS_CLASSID, 1);
  PetscValidLogicalCollectiveReal(eps, beta, 2);
  PetscTryMethod(eps, "EPSNAPISetBeta_C", (EPS, PetscReal), (eps, beta));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EPSNAPIGetBeta_NAPI(EPS eps, PetscReal *beta)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;

  PetscFunctionBegin;
  if (ctx->momentum != EPS_NAPI_MOMENTUM_FIXED) *beta = ctx->beta_t;
  else if (ctx->haslambda) *beta = (ctx->lambda - ctx->usersigma) * (ctx->lambda - ctx->usersigma) / 4.0;
  else *beta = ctx->beta == NAPI_AUTO ? 0.0 : ctx->beta;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   EPSNAPIGetBeta - Gets the momentum parameter: the one that was set, for fixed momentum, or that of the last step.

   Not Collective

   Input Parameter:
.  eps - the eigensolver

   Output Parameter:
.  beta - the parameter

   Level: intermediate

.seealso: EPSNAPI, EPSNAPISetBeta()
@*/
PetscErrorCode EPSNAPIGetBeta(EPS eps, PetscReal *beta)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(eps, EPS_CLASSID, 1);
  PetscUseMethod(eps, "EPSNAPIGetBeta_C", (EPS, PetscReal *), (eps, beta));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EPSNAPISetBetaFromEigenvalue_NAPI(EPS eps, PetscReal lambda)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;

  PetscFunctionBegin;
  PetscCheck(!PetscIsInfOrNanReal(lambda), PetscObjectComm((PetscObject)eps), PETSC_ERR_ARG_OUTOFRANGE, "The eigenvalue must be a number");
  ctx->lambda    = lambda;
  ctx->haslambda = PETSC_TRUE;
  eps->state     = EPS_STATE_INITIAL; /* beta depends on the shift as well */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   EPSNAPISetBetaFromEigenvalue - Sets the momentum parameter of fixed momentum from an estimate of the eigenvalue that
   comes next after the wanted ones, beta = (lambda_{k+1} - sigma)^2/4.

   Logically Collective

   Input Parameters:
+  eps    - the eigensolver
-  lambda - estimate of lambda_{k+1}

   Options Database Key:
.  -eps_napi_beta_from_eigenvalue <lambda> - the estimate

   Level: intermediate

.seealso: EPSNAPI, EPSNAPISetBeta()
@*/
PetscErrorCode EPSNAPISetBetaFromEigenvalue(EPS eps, PetscReal lambda)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(eps, EPS_CLASSID, 1);
  PetscValidLogicalCollectiveReal(eps, lambda, 2);
  PetscTryMethod(eps, "EPSNAPISetBetaFromEigenvalue_C", (EPS, PetscReal), (eps, lambda));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EPSNAPISetGuard_NAPI(EPS eps, PetscInt guard)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;

  PetscFunctionBegin;
  if (guard == PETSC_DEFAULT || guard == PETSC_DECIDE) guard = NAPI_AUTO;
  else PetscCheck(guard >= 0, PetscObjectComm((PetscObject)eps), PETSC_ERR_ARG_OUTOFRANGE, "The number of guard columns %" PetscInt_FMT " must not be negative", guard);
  if (ctx->guard != guard) eps->state = EPS_STATE_INITIAL;
  ctx->guard = guard;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   EPSNAPISetGuard - Sets the number of columns the block has beyond the number of wanted eigenpairs.

   Logically Collective

   Input Parameters:
+  eps   - the eigensolver
-  guard - the number of columns, or PETSC_DECIDE: 0 for fixed momentum, 2 otherwise

   Options Database Key:
.  -eps_napi_guard <guard> - the number of columns

   Note:
   Without effect where ncv, the number of columns in all, is set by EPSSetDimensions().

   Level: intermediate

.seealso: EPSNAPI, EPSNAPIGetGuard(), EPSSetDimensions()
@*/
PetscErrorCode EPSNAPISetGuard(EPS eps, PetscInt guard)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(eps, EPS_CLASSID, 1);
  PetscValidLogicalCollectiveInt(eps, guard, 2);
  PetscTryMethod(eps, "EPSNAPISetGuard_C", (EPS, PetscInt), (eps, guard));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EPSNAPIGetGuard_NAPI(EPS eps, PetscInt *guard)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;

  PetscFunctionBegin;
  *guard = NAPIGuard(ctx);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   EPSNAPIGetGuard - Gets the number of columns the block has beyond the number of wanted eigenpairs.

   Not Collective

   Input Parameter:
.  eps - the eigensolver

   Output Parameter:
.  guard - the number of columns

   Level: intermediate

.seealso: EPSNAPI, EPSNAPISetGuard()
@*/
PetscErrorCode EPSNAPIGetGuard(EPS eps, PetscInt *guard)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(eps, EPS_CLASSID, 1);
  PetscUseMethod(eps, "EPSNAPIGetGuard_C", (EPS, PetscInt *), (eps, guard));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EPSNAPISetBlockSize_NAPI(EPS eps, PetscInt blocksize)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;

  PetscFunctionBegin;
  if (blocksize == PETSC_DEFAULT || blocksize == PETSC_DECIDE) blocksize = NAPI_AUTO;
  else PetscCheck(blocksize > 0, PetscObjectComm((PetscObject)eps), PETSC_ERR_ARG_OUTOFRANGE, "The block size %" PetscInt_FMT " must be positive", blocksize);
  if (ctx->blocksize != blocksize) eps->state = EPS_STATE_INITIAL;
  ctx->blocksize = blocksize;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   EPSNAPISetBlockSize - Sets the number of columns that optimal momentum adds to its window in a step.

   Logically Collective

   Input Parameters:
+  eps       - the eigensolver
-  blocksize - the number of columns, or PETSC_DECIDE: nev, but at least 2 and at most 8

   Options Database Key:
.  -eps_napi_blocksize <blocksize> - the number of columns

   Level: intermediate

.seealso: EPSNAPI, EPSNAPIGetBlockSize(), EPSNAPISetMomentum()
@*/
PetscErrorCode EPSNAPISetBlockSize(EPS eps, PetscInt blocksize)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(eps, EPS_CLASSID, 1);
  PetscValidLogicalCollectiveInt(eps, blocksize, 2);
  PetscTryMethod(eps, "EPSNAPISetBlockSize_C", (EPS, PetscInt), (eps, blocksize));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EPSNAPIGetBlockSize_NAPI(EPS eps, PetscInt *blocksize)
{
  PetscFunctionBegin;
  *blocksize = NAPIBlockSize((EPS_NAPI *)eps->data);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   EPSNAPIGetBlockSize - Gets the number of columns that optimal momentum adds to its window in a step.

   Not Collective

   Input Parameter:
.  eps - the eigensolver

   Output Parameter:
.  blocksize - the number of columns in use after set-up, or what was set before

   Level: intermediate

.seealso: EPSNAPI, EPSNAPISetBlockSize()
@*/
PetscErrorCode EPSNAPIGetBlockSize(EPS eps, PetscInt *blocksize)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(eps, EPS_CLASSID, 1);
  PetscUseMethod(eps, "EPSNAPIGetBlockSize_C", (EPS, PetscInt *), (eps, blocksize));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EPSNAPISetRestart_NAPI(EPS eps, PetscInt restart)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;

  PetscFunctionBegin;
  if (restart == PETSC_DEFAULT || restart == PETSC_DECIDE) restart = NAPI_AUTO;
  else PetscCheck(restart > 0, PetscObjectComm((PetscObject)eps), PETSC_ERR_ARG_OUTOFRANGE, "The number of Ritz vectors kept %" PetscInt_FMT " must be positive", restart);
  if (ctx->restart != restart) eps->state = EPS_STATE_INITIAL;
  ctx->restart = restart;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   EPSNAPISetRestart - Sets the number of Ritz vectors that optimal momentum keeps when its window is full.

   Logically Collective

   Input Parameters:
+  eps     - the eigensolver
-  restart - the number of Ritz vectors, or PETSC_DECIDE: nev + 2*blocksize where ncv allows it

   Options Database Key:
.  -eps_napi_restart <restart> - the number of Ritz vectors

   Level: intermediate

.seealso: EPSNAPI, EPSNAPIGetRestart(), EPSNAPISetMomentum()
@*/
PetscErrorCode EPSNAPISetRestart(EPS eps, PetscInt restart)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(eps, EPS_CLASSID, 1);
  PetscValidLogicalCollectiveInt(eps, restart, 2);
  PetscTryMethod(eps, "EPSNAPISetRestart_C", (EPS, PetscInt), (eps, restart));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EPSNAPIGetRestart_NAPI(EPS eps, PetscInt *restart)
{
  PetscFunctionBegin;
  *restart = NAPIRestart((EPS_NAPI *)eps->data);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   EPSNAPIGetRestart - Gets the number of Ritz vectors that optimal momentum keeps when its window is full.

   Not Collective

   Input Parameter:
.  eps - the eigensolver

   Output Parameter:
.  restart - the number of Ritz vectors in use after set-up, or what was set before

   Level: intermediate

.seealso: EPSNAPI, EPSNAPISetRestart()
@*/
PetscErrorCode EPSNAPIGetRestart(EPS eps, PetscInt *restart)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(eps, EPS_CLASSID, 1);
  PetscUseMethod(eps, "EPSNAPIGetRestart_C", (EPS, PetscInt *), (eps, restart));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EPSNAPISetCriterion_NAPI(EPS eps, EPSNAPICriterion criterion)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;

  PetscFunctionBegin;
  PetscCheck(criterion >= EPS_NAPI_CRITERION_PAPER && criterion <= EPS_NAPI_CRITERION_AUTO, PetscObjectComm((PetscObject)eps), PETSC_ERR_ARG_OUTOFRANGE, "Unknown inner criterion %d", (int)criterion);
  if (ctx->criterion != criterion) eps->state = EPS_STATE_INITIAL;
  ctx->criterion = criterion;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   EPSNAPISetCriterion - Sets how accurate the inner solves are.

   Logically Collective

   Input Parameters:
+  eps       - the eigensolver
-  criterion - EPS_NAPI_CRITERION_PAPER, EPS_NAPI_CRITERION_WINDOW or EPS_NAPI_CRITERION_AUTO

   Options Database Key:
.  -eps_napi_criterion <paper,window,auto> - the criterion

   Note:
   EPSNAPISetInnerTolerances() overrides it.

   Level: advanced

.seealso: EPSNAPI, EPSNAPIGetCriterion(), EPSNAPISetMomentum()
@*/
PetscErrorCode EPSNAPISetCriterion(EPS eps, EPSNAPICriterion criterion)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(eps, EPS_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(eps, criterion, 2);
  PetscTryMethod(eps, "EPSNAPISetCriterion_C", (EPS, EPSNAPICriterion), (eps, criterion));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EPSNAPIGetCriterion_NAPI(EPS eps, EPSNAPICriterion *criterion)
{
  PetscFunctionBegin;
  *criterion = NAPICriterion((EPS_NAPI *)eps->data);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   EPSNAPIGetCriterion - Gets how accurate the inner solves are.

   Not Collective

   Input Parameter:
.  eps - the eigensolver

   Output Parameter:
.  criterion - the criterion

   Level: advanced

.seealso: EPSNAPI, EPSNAPISetCriterion()
@*/
PetscErrorCode EPSNAPIGetCriterion(EPS eps, EPSNAPICriterion *criterion)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(eps, EPS_CLASSID, 1);
  PetscUseMethod(eps, "EPSNAPIGetCriterion_C", (EPS, EPSNAPICriterion *), (eps, criterion));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EPSNAPISetInnerTolerances_NAPI(EPS eps, PetscReal rtol, PetscInt maxit)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;

  PetscFunctionBegin;
  if (rtol == (PetscReal)PETSC_DEFAULT || rtol == (PetscReal)PETSC_DECIDE) rtol = NAPI_AUTO;
  else PetscCheck(rtol > 0.0 && rtol < 1.0, PetscObjectComm((PetscObject)eps), PETSC_ERR_ARG_OUTOFRANGE, "The inner tolerance %g must be between 0 and 1", (double)rtol);
  if (maxit == PETSC_DEFAULT || maxit == PETSC_DECIDE) maxit = NAPI_AUTO;
  else PetscCheck(maxit > 0, PetscObjectComm((PetscObject)eps), PETSC_ERR_ARG_OUTOFRANGE, "The number of inner iterations %" PetscInt_FMT " must be positive", maxit);
  ctx->rtol   = rtol;
  ctx->max_it = maxit;
  eps->state  = EPS_STATE_INITIAL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   EPSNAPISetInnerTolerances - Sets relative tolerance and iteration limit of the inner solves by hand.

   Logically Collective

   Input Parameters:
+  eps   - the eigensolver
.  rtol  - factor by which an inner solve reduces the residual it starts from, or PETSC_DECIDE: the criterion from the paper
-  maxit - largest number of inner iterations, or PETSC_DECIDE: that of the KSP

   Options Database Keys:
+  -eps_napi_inner_rtol <rtol>    - the tolerance (-st_ksp_rtol does the same)
-  -eps_napi_inner_max_it <maxit> - the limit (-st_ksp_max_it does the same)

   Level: intermediate

.seealso: EPSNAPI, EPSNAPIGetInnerTolerances(), EPSNAPISetWarmStart()
@*/
PetscErrorCode EPSNAPISetInnerTolerances(EPS eps, PetscReal rtol, PetscInt maxit)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(eps, EPS_CLASSID, 1);
  PetscValidLogicalCollectiveReal(eps, rtol, 2);
  PetscValidLogicalCollectiveInt(eps, maxit, 3);
  PetscTryMethod(eps, "EPSNAPISetInnerTolerances_C", (EPS, PetscReal, PetscInt), (eps, rtol, maxit));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EPSNAPIGetInnerTolerances_NAPI(EPS eps, PetscReal *rtol, PetscInt *maxit)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;

  PetscFunctionBegin;
  if (rtol) *rtol = ctx->rtol;
  if (maxit) *maxit = ctx->max_it;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   EPSNAPIGetInnerTolerances - Gets relative tolerance and iteration limit of the inner solves.

   Not Collective

   Input Parameter:
.  eps - the eigensolver

   Output Parameters:
+  rtol  - the tolerance, or PETSC_DECIDE where the criterion from the paper is used
-  maxit - the limit, or PETSC_DECIDE where it is that of the KSP

   Level: intermediate

.seealso: EPSNAPI, EPSNAPISetInnerTolerances()
@*/
PetscErrorCode EPSNAPIGetInnerTolerances(EPS eps, PetscReal *rtol, PetscInt *maxit)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(eps, EPS_CLASSID, 1);
  PetscUseMethod(eps, "EPSNAPIGetInnerTolerances_C", (EPS, PetscReal *, PetscInt *), (eps, rtol, maxit));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EPSNAPISetWarmStart_NAPI(EPS eps, EPSNAPIWarmStart warmstart)
{
  PetscFunctionBegin;
  PetscCheck(warmstart >= EPS_NAPI_WARM_START_CORRECTION && warmstart <= EPS_NAPI_WARM_START_NONE, PetscObjectComm((PetscObject)eps), PETSC_ERR_ARG_OUTOFRANGE, "Unknown kind of warm start %d", (int)warmstart);
  ((EPS_NAPI *)eps->data)->warmstart = warmstart;
  eps->state                         = EPS_STATE_INITIAL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   EPSNAPISetWarmStart - Sets how the inner solve makes use of the current iterate.

   Logically Collective

   Input Parameters:
+  eps       - the eigensolver
-  warmstart - EPS_NAPI_WARM_START_CORRECTION (the default), EPS_NAPI_WARM_START_GUESS or EPS_NAPI_WARM_START_NONE

   Options Database Key:
.  -eps_napi_warm_start <correction,guess,none> - the kind of warm start

   Note:
   The first two give the same iterates; the last is there to show what the warm start is worth.

   Level: advanced

.seealso: EPSNAPI, EPSNAPIGetWarmStart(), EPSNAPIWarmStart
@*/
PetscErrorCode EPSNAPISetWarmStart(EPS eps, EPSNAPIWarmStart warmstart)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(eps, EPS_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(eps, warmstart, 2);
  PetscTryMethod(eps, "EPSNAPISetWarmStart_C", (EPS, EPSNAPIWarmStart), (eps, warmstart));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EPSNAPIGetWarmStart_NAPI(EPS eps, EPSNAPIWarmStart *warmstart)
{
  PetscFunctionBegin;
  *warmstart = ((EPS_NAPI *)eps->data)->warmstart;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   EPSNAPIGetWarmStart - Gets how the inner solve makes use of the current iterate.

   Not Collective

   Input Parameter:
.  eps - the eigensolver

   Output Parameter:
.  warmstart - the kind of warm start

   Level: advanced

.seealso: EPSNAPI, EPSNAPISetWarmStart()
@*/
PetscErrorCode EPSNAPIGetWarmStart(EPS eps, EPSNAPIWarmStart *warmstart)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(eps, EPS_CLASSID, 1);
  PetscUseMethod(eps, "EPSNAPIGetWarmStart_C", (EPS, EPSNAPIWarmStart *), (eps, warmstart));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EPSNAPISetResidual_NAPI(EPS eps, EPSNAPIResidual residual)
{
  PetscFunctionBegin;
  PetscCheck(residual >= EPS_NAPI_RESIDUAL_SCALED && residual <= EPS_NAPI_RESIDUAL_BOTH, PetscObjectComm((PetscObject)eps), PETSC_ERR_ARG_OUTOFRANGE, "Unknown kind of residual %d", (int)residual);
  ((EPS_NAPI *)eps->data)->residual = residual;
  eps->state                        = EPS_STATE_INITIAL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   EPSNAPISetResidual - Sets which residual of r = A x - lambda B x has to fall below the tolerance.

   Logically Collective

   Input Parameters:
+  eps      - the eigensolver
-  residual - EPS_NAPI_RESIDUAL_SCALED, EPS_NAPI_RESIDUAL_SLEPC or EPS_NAPI_RESIDUAL_BOTH (the default)

   Options Database Key:
.  -eps_napi_residual <scaled,slepc,both> - the residual

   Note:
   SLEPc's ||r||/(|lambda| ||x||) depends on the scale of B: with a mass matrix of size h^3 it is small long before the
   pair is accurate, and with a stiffness matrix of size 1e11 it never is. ||r||/(|lambda| ||B x||) does not. Of both, the
   former is not insisted on once the latter is below 1e-12.

   Level: intermediate

.seealso: EPSNAPI, EPSNAPIGetResidual(), EPSSetTolerances(), EPSSetConvergenceTest(), EPSNAPIResidual
@*/
PetscErrorCode EPSNAPISetResidual(EPS eps, EPSNAPIResidual residual)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(eps, EPS_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(eps, residual, 2);
  PetscTryMethod(eps, "EPSNAPISetResidual_C", (EPS, EPSNAPIResidual), (eps, residual));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EPSNAPIGetResidual_NAPI(EPS eps, EPSNAPIResidual *residual)
{
  PetscFunctionBegin;
  *residual = ((EPS_NAPI *)eps->data)->residual;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   EPSNAPIGetResidual - Gets which residual has to fall below the tolerance.

   Not Collective

   Input Parameter:
.  eps - the eigensolver

   Output Parameter:
.  residual - the kind of residual

   Level: intermediate

.seealso: EPSNAPI, EPSNAPISetResidual()
@*/
PetscErrorCode EPSNAPIGetResidual(EPS eps, EPSNAPIResidual *residual)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(eps, EPS_CLASSID, 1);
  PetscUseMethod(eps, "EPSNAPIGetResidual_C", (EPS, EPSNAPIResidual *), (eps, residual));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EPSNAPISetCheck_NAPI(EPS eps, EPSNAPICheck check)
{
  PetscFunctionBegin;
  PetscCheck(check >= EPS_NAPI_CHECK_NONE && check <= EPS_NAPI_CHECK_CERTIFY, PetscObjectComm((PetscObject)eps), PETSC_ERR_ARG_OUTOFRANGE, "Unknown kind of check %d", (int)check);
  ((EPS_NAPI *)eps->data)->check = check;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   EPSNAPISetCheck - Sets how the solver makes sure that none of the wanted eigenvalues has been missed.

   Logically Collective

   Input Parameters:
+  eps   - the eigensolver
-  check - EPS_NAPI_CHECK_NONE, EPS_NAPI_CHECK_QUICK (the default) or EPS_NAPI_CHECK_CERTIFY

   Options Database Key:
.  -eps_napi_check <none,quick,certify> - the kind of check

   Notes:
   The quick check is a few steps from a random vector that is orthogonal to everything the basis holds. It takes at most ten
   columns, and no more than 4 % of those spent where that is more than four; what it finds is pursued. Eigenvalues that differ
   by no more than the tolerance are not told apart.

   To certify is to bound the errors of the eigenvalues, see EPSNAPIGetErrorBound(), and to count those beyond the last one
   found by the inertia of A - sigma B, see EPSNAPIGetCount(). The latter factors that matrix: it needs matrices whose rows are
   known, no shift, no deflation space and at most 20,000 unknowns, and is left out otherwise. Where eigenvalues have been
   missed the solve goes on; if they are not found, it ends with EPS_DIVERGED_BREAKDOWN.

   Only optimal momentum has these checks.

   Level: intermediate

.seealso: EPSNAPI, EPSNAPIGetCheck(), EPSNAPIGetErrorBound(), EPSNAPIGetCount(), EPSNAPICheck
@*/
PetscErrorCode EPSNAPISetCheck(EPS eps, EPSNAPICheck check)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(eps, EPS_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(eps, check, 2);
  PetscTryMethod(eps, "EPSNAPISetCheck_C", (EPS, EPSNAPICheck), (eps, check));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EPSNAPIGetCheck_NAPI(EPS eps, EPSNAPICheck *check)
{
  PetscFunctionBegin;
  *check = ((EPS_NAPI *)eps->data)->check;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   EPSNAPIGetCheck - Gets how the solver makes sure that none of the wanted eigenvalues has been missed.

   Not Collective

   Input Parameter:
.  eps - the eigensolver

   Output Parameter:
.  check - the kind of check

   Level: intermediate

.seealso: EPSNAPI, EPSNAPISetCheck()
@*/
PetscErrorCode EPSNAPIGetCheck(EPS eps, EPSNAPICheck *check)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(eps, EPS_CLASSID, 1);
  PetscAssertPointer(check, 2);
  PetscUseMethod(eps, "EPSNAPIGetCheck_C", (EPS, EPSNAPICheck *), (eps, check));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EPSNAPIGetErrorBound_NAPI(EPS eps, PetscInt i, PetscReal *bound, EPSNAPIBoundKind *kind)
{
  NAPICertificate *c = &((EPS_NAPI *)eps->data)->certificate;

  PetscFunctionBegin;
  PetscCheck(i >= 0 && i < eps->nconv, PetscObjectComm((PetscObject)eps), PETSC_ERR_ARG_OUTOFRANGE, "The index %" PetscInt_FMT " must be between 0 and EPSGetConverged()-1", i);
  if (bound) *bound = c->bound ? c->bound[eps->perm ? eps->perm[i] : i] : PETSC_INFINITY;
  if (kind) *kind = c->bound ? c->kind : EPS_NAPI_BOUND_NONE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   EPSNAPIGetErrorBound - Gets how far an eigenvalue can be from the one that was computed, after a solve with EPS_NAPI_CHECK_CERTIFY.

   Not Collective

   Input Parameters:
+  eps - the eigensolver
-  i   - index of the pair, in the order of EPSGetEigenpair()

   Output Parameters:
+  bound - there is an eigenvalue no farther away than this; PETSC_INFINITY where nothing is known
-  kind  - whether that is certain or an estimate

   Note:
   The bound is the norm of r = A x - lambda B x in B^{-1} for x'B x = 1. It is of first order: the error itself is of the order
   of its square over the gap between eigenvalues, and is mostly much smaller.

   Level: intermediate

.seealso: EPSNAPI, EPSNAPISetCheck(), EPSNAPIGetCount(), EPSNAPIBoundKind
@*/
PetscErrorCode EPSNAPIGetErrorBound(EPS eps, PetscInt i, PetscReal *bound, EPSNAPIBoundKind *kind)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(eps, EPS_CLASSID, 1);
  EPSCheckSolved(eps, 1);
  PetscUseMethod(eps, "EPSNAPIGetErrorBound_C", (EPS, PetscInt, PetscReal *, EPSNAPIBoundKind *), (eps, i, bound, kind));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EPSNAPIGetCount_NAPI(EPS eps, PetscReal *limit, PetscInt *count, PetscInt *found)
{
  NAPICertificate *c = &((EPS_NAPI *)eps->data)->certificate;

  PetscFunctionBegin;
  if (limit) *limit = c->limit;
  if (count) *count = c->count;
  if (found) *found = c->found;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   EPSNAPIGetCount - Gets how many eigenvalues there are beyond those that were found, after a solve with EPS_NAPI_CHECK_CERTIFY.

   Not Collective

   Input Parameter:
.  eps - the eigensolver

   Output Parameters:
+  limit - the place from which on eigenvalues were counted: above it, below it for the smallest real ones, beyond plus and minus
           it for those of largest magnitude. It lies just beyond the last eigenvalue that was found.
.  count - the number of eigenvalues there, by inertia, or -1 where they could not be counted
-  found - the number of those that were found there

   Level: intermediate

.seealso: EPSNAPI, EPSNAPISetCheck(), EPSNAPIGetErrorBound()
@*/
PetscErrorCode EPSNAPIGetCount(EPS eps, PetscReal *limit, PetscInt *count, PetscInt *found)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(eps, EPS_CLASSID, 1);
  EPSCheckSolved(eps, 1);
  PetscUseMethod(eps, "EPSNAPIGetCount_C", (EPS, PetscReal *, PetscInt *, PetscInt *), (eps, limit, count, found));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EPSNAPIGetApplications_NAPI(EPS eps, PetscInt *acols, PetscInt *bcols, PetscInt *inner)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;

  PetscFunctionBegin;
  if (acols) *acols = ctx->acols;
  if (bcols) *bcols = ctx->bcols;
  if (inner) *inner = ctx->inner;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   EPSNAPIGetApplications - Gets how much work the last solve has done so far.

   Not Collective

   Input Parameter:
.  eps - the eigensolver

   Output Parameters:
+  acols - columns A was applied to
.  bcols - columns B was applied to outside of the inner solves
-  inner - inner iterations in all, each of which applies B once where the KSP is CG

   Level: intermediate

.seealso: EPSNAPI, EPSGetIterationNumber()
@*/
PetscErrorCode EPSNAPIGetApplications(EPS eps, PetscInt *acols, PetscInt *bcols, PetscInt *inner)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(eps, EPS_CLASSID, 1);
  PetscUseMethod(eps, "EPSNAPIGetApplications_C", (EPS, PetscInt *, PetscInt *, PetscInt *), (eps, acols, bcols, inner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -------------------------------------------- view and create ---------------------------------------------- */

static PetscErrorCode EPSView_NAPI(EPS eps, PetscViewer viewer)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;
  PetscReal beta;
  PetscBool isascii;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &isascii));
  if (!isascii) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(EPSNAPIGetBeta_NAPI(eps, &beta));
  if (ctx->momentum == EPS_NAPI_MOMENTUM_OPTIMAL) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "  momentum: optimal, block generalized Davidson with kept directions\n"));
    PetscCall(PetscViewerASCIIPrintf(viewer, "  block size: %" PetscInt_FMT ", kept at a restart: %" PetscInt_FMT " Ritz vectors and the last block\n", NAPIBlockSize(ctx), NAPIRestart(ctx)));
  } else {
    PetscCall(PetscViewerASCIIPrintf(viewer, "  momentum: %s, beta = %g\n", EPSNAPIMomentums[ctx->momentum], (double)beta));
    PetscCall(PetscViewerASCIIPrintf(viewer, "  guard columns: %" PetscInt_FMT "\n", NAPIGuard(ctx)));
  }
  if (ctx->rtol == NAPI_AUTO) PetscCall(PetscViewerASCIIPrintf(viewer, "  inner criterion: %s, rtol = %g at the last step\n", EPSNAPICriterions[NAPICriterion(ctx)], (double)ctx->rtol_t));
  else PetscCall(PetscViewerASCIIPrintf(viewer, "  inner criterion: rtol = %g\n", (double)ctx->rtol));
  if (ctx->max_it != NAPI_AUTO) PetscCall(PetscViewerASCIIPrintf(viewer, "  inner iterations at most: %" PetscInt_FMT "\n", ctx->max_it));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  warm start: %s\n", EPSNAPIWarmStarts[ctx->warmstart]));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  residual tested: %s\n", EPSNAPIResiduals[ctx->residual]));
  if (ctx->momentum == EPS_NAPI_MOMENTUM_OPTIMAL) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "  check that nothing was missed: %s\n", EPSNAPIChecks[ctx->check]));
    PetscCall(EPSNAPICertificateView(eps, viewer));
  }
  if (ctx->cause) PetscCall(PetscViewerASCIIPrintf(viewer, "  given up: %s\n", ctx->cause));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  applications so far: A %" PetscInt_FMT " columns, B %" PetscInt_FMT " columns and %" PetscInt_FMT " inner iterations\n", ctx->acols, ctx->bcols, ctx->inner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* the setters and getters, by the name under which the interface finds them */
#define NAPI_COMPOSE(call) \
  do { \
    call(SetMomentum); \
    call(GetMomentum); \
    call(SetBeta); \
    call(GetBeta); \
    call(SetBetaFromEigenvalue); \
    call(SetGuard); \
    call(GetGuard); \
    call(SetBlockSize); \
    call(GetBlockSize); \
    call(SetRestart); \
    call(GetRestart); \
    call(SetCriterion); \
    call(GetCriterion); \
    call(SetInnerTolerances); \
    call(GetInnerTolerances); \
    call(SetWarmStart); \
    call(GetWarmStart); \
    call(SetResidual); \
    call(GetResidual); \
    call(GetApplications); \
    call(SetCheck); \
    call(GetCheck); \
    call(GetErrorBound); \
    call(GetCount); \
  } while (0)
#define NAPI_ADD(name)    PetscCall(PetscObjectComposeFunction((PetscObject)eps, "EPSNAPI" #name "_C", EPSNAPI##name##_NAPI))
#define NAPI_REMOVE(name) PetscCall(PetscObjectComposeFunction((PetscObject)eps, "EPSNAPI" #name "_C", NULL))

/* EPSSetType() to another type calls this and not reset */
static PetscErrorCode EPSDestroy_NAPI(EPS eps)
{
  PetscFunctionBegin;
  PetscCall(EPSReset_NAPI(eps));
  PetscCall(PetscFree(eps->data));
  NAPI_COMPOSE(NAPI_REMOVE);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   EPSNAPI - EPSNAPI = "napi" - Noisy accelerated power iteration.

   Options Database Keys:
+  -eps_napi_momentum <none,fixed,adaptive,optimal> - where the momentum comes from (optimal)
.  -eps_napi_blocksize <blocksize>                  - columns optimal momentum adds in a step (nev, 2 to 8)
.  -eps_napi_restart <restart>                      - Ritz vectors it keeps at a restart (nev and two blocks)
.  -eps_napi_criterion <paper,window,auto>          - how accurate the inner solves are (auto for optimal, else paper)
.  -eps_napi_beta <beta>                            - momentum parameter of fixed momentum
.  -eps_napi_beta_from_eigenvalue <lambda>          - the same from an estimate of lambda_{k+1}
.  -eps_napi_guard <guard>                          - columns beyond nev of the others (0 for fixed, else 2)
.  -eps_napi_inner_rtol <rtol>                      - relative tolerance of the inner solves, by hand
.  -eps_napi_inner_max_it <maxit>                   - iterations of an inner solve
.  -eps_napi_warm_start <correction,guess,none>     - how the inner solve starts (correction)
.  -eps_napi_residual <scaled,slepc,both>           - which residual has to fall below the tolerance (both)
.  -eps_napi_check <none,quick,certify>             - how to make sure that nothing was missed (quick)
-  -eps_napi_monitor                                - print a line a step

   Level: beginner

   Notes:
   For A x = lambda B x, A symmetric (Hermitian) and B positive definite, or A x = lambda x. B is never factored unless
   asked for: the inner solver is the ST's KSP, by default block CG with Jacobi (-st_ksp_type, -st_pc_type). Its tolerance
   is a constant factor by which the warm start is to be improved, since the warm start itself becomes ever better.

   Optimal momentum is block generalized Davidson with kept directions (GD+k, LOBPCG), whose expansion is that inner solve;
   it finds the eigenvalues of largest magnitude, and the largest and smallest real ones. The others are the algorithm of the
   paper and find the largest |lambda - sigma|, sigma being the shift of the ST.

   A pair counts as converged when its residual, computed anew with A and B, passes the test of EPSNAPISetResidual(), or when it
   is down to rounding, of the order of machine epsilon times (||A|| + |lambda| ||B||) ||x||, and gets no smaller: no relative
   test lets an eigenvalue zero pass. Then EPSNAPISetCheck() looks for eigenvalues that were missed.

   Matrices of extreme size are scaled inside by powers of two. A small problem (512 unknowns) that takes many times the products
   of a dense solver gets a basis of the whole space.

   Memory in vectors, d being the dimension of the deflation space: optimal 3 ncv + 6 blocksize + 2 d (2 ncv where there is
   no B), with ncv = nev + 2 blocksize + max(5 blocksize, 12) unless set (everything for problems of at most 64 unknowns); the others 9 ncv + 2 d, with ncv = nev + guard.

   References:
+  [1] V. V. Mai and M. Johansson, Noisy Accelerated Power Method for Eigenproblems With Applications, IEEE Trans. Signal
       Process. 67(12):3287-3299, 2019.
.  [2] A. Stathopoulos, Nearly optimal preconditioned methods for Hermitian eigenproblems under limited memory, SIAM J. Sci.
       Comput. 29(2):481-514, 2007 (GD+k).
-  [3] A. V. Knyazev, Toward the optimal preconditioned eigensolver, SIAM J. Sci. Comput. 23(2):517-541, 2001 (LOBPCG).

.seealso: EPS, EPSType, EPSSetType(), EPSNAPISetMomentum(), EPSNAPISetBlockSize(), EPSNAPISetCriterion(), EPSNAPISetBeta(),
          EPSNAPISetGuard(), EPSNAPISetInnerTolerances(), EPSNAPISetWarmStart(), EPSNAPISetResidual(), EPSNAPIGetApplications()
M*/
PetscErrorCode EPSCreate_NAPI(EPS eps)
{
  EPS_NAPI *ctx;

  PetscFunctionBegin;
  PetscCall(PetscNew(&ctx));
  eps->data      = (void *)ctx;
  ctx->momentum  = EPS_NAPI_MOMENTUM_OPTIMAL;
  ctx->beta      = NAPI_AUTO;
  ctx->guard     = NAPI_AUTO;
  ctx->rtol      = NAPI_AUTO;
  ctx->max_it    = NAPI_AUTO;
  ctx->blocksize = NAPI_AUTO;
  ctx->restart   = NAPI_AUTO;
  ctx->criterion = (EPSNAPICriterion)NAPI_AUTO;
  ctx->warmstart = EPS_NAPI_WARM_START_CORRECTION;
  ctx->residual  = EPS_NAPI_RESIDUAL_BOTH;
  ctx->check     = EPS_NAPI_CHECK_QUICK;

  eps->useds = PETSC_TRUE;
  eps->categ = EPS_CATEGORY_OTHER;

  eps->ops->solve          = EPSSolve_NAPI;
  eps->ops->setup          = EPSSetUp_NAPI;
  eps->ops->setupsort      = EPSSetUpSort_NAPI;
  eps->ops->setfromoptions = EPSSetFromOptions_NAPI;
  eps->ops->setdefaultst   = EPSSetDefaultST_NAPI;
  eps->ops->reset          = EPSReset_NAPI;
  eps->ops->destroy        = EPSDestroy_NAPI;
  eps->ops->view           = EPSView_NAPI;
  eps->ops->backtransform  = EPSBackTransform_NAPI;

  NAPI_COMPOSE(NAPI_ADD);
  PetscFunctionReturn(PETSC_SUCCESS);
}
