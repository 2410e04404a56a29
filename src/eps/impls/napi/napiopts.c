/* SPDX-License-Identifier: BSD-2-Clause */
/*
   EPS type "napi": its options, setters and getters.
*/
#include <slepcnapi/private/napiimpl.h>

PetscErrorCode EPSSetFromOptions_NAPI(EPS eps, NAPIOptionItems PetscOptionsObject)
{
  EPS_NAPI        *ctx       = (EPS_NAPI *)eps->data;
  EPSNAPIMomentum  momentum  = ctx->momentum;
  EPSNAPIWarmStart warmstart = ctx->warmstart;
  EPSNAPIResidual  residual  = ctx->residual;
  EPSNAPICheck     check     = ctx->check;
  PetscReal        beta = ctx->beta, lambda = ctx->lambda, rtol = ctx->rtol;
  PetscInt         guard = ctx->guard, shown, maxit = ctx->max_it, blocksize = ctx->blocksize, restart = ctx->restart;
  EPSNAPICriterion criterion;
  PetscBool        flg, given[4], monitor = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(EPSNAPIGetCriterion(eps, &criterion));
  PetscCall(EPSNAPIGetGuard(eps, &shown));
  PetscOptionsHeadBegin(PetscOptionsObject, "EPS NAPI Options");
  PetscCall(PetscOptionsEnum("-eps_napi_momentum", "Where the momentum comes from", "EPSNAPISetMomentum", EPSNAPIMomentums, (PetscEnum)momentum, (PetscEnum *)&momentum, &flg));
  if (flg) PetscCall(EPSNAPISetMomentum(eps, momentum));
  /* what is left to the solver is shown by -help as what it would be */
  PetscCall(PetscOptionsReal("-eps_napi_beta", "Momentum parameter of fixed momentum", "EPSNAPISetBeta", beta == NAPI_UNSET ? 0.0 : beta, &beta, &flg));
  if (flg) PetscCall(EPSNAPISetBeta(eps, beta));
  PetscCall(PetscOptionsReal("-eps_napi_beta_from_eigenvalue", "The same from an estimate of the eigenvalue after the wanted ones", "EPSNAPISetBetaFromEigenvalue", lambda, &lambda, &flg));
  if (flg) PetscCall(EPSNAPISetBetaFromEigenvalue(eps, lambda));
  PetscCall(PetscOptionsInt("-eps_napi_guard", "Columns of the block beyond nev", "EPSNAPISetGuard", shown, &guard, &flg));
  if (flg) PetscCall(EPSNAPISetGuard(eps, guard));
  PetscCall(PetscOptionsInt("-eps_napi_blocksize", "Columns added in a step of optimal momentum", "EPSNAPISetBlockSize", blocksize == NAPI_UNSET ? NAPIWindowBlock(eps->nev) : blocksize, &blocksize, &flg));
  if (flg) PetscCall(EPSNAPISetBlockSize(eps, blocksize));
  PetscCall(PetscOptionsInt("-eps_napi_restart", "Ritz vectors kept at a restart of optimal momentum", "EPSNAPISetRestart", restart == NAPI_UNSET ? PetscMax(1, eps->nev) + 2 * (blocksize == NAPI_UNSET ? NAPIWindowBlock(eps->nev) : blocksize) : restart, &restart, &flg));
  if (flg) PetscCall(EPSNAPISetRestart(eps, restart));
  PetscCall(PetscOptionsEnum("-eps_napi_criterion", "How accurate the inner solves are", "EPSNAPISetCriterion", EPSNAPICriterions, (PetscEnum)criterion, (PetscEnum *)&criterion, &flg));
  if (flg) PetscCall(EPSNAPISetCriterion(eps, criterion));
  /* the options of the inner solver itself mean the same */
  PetscCall(PetscOptionsGetReal(((PetscObject)eps)->options, ((PetscObject)eps)->prefix, "-st_ksp_rtol", &rtol, &given[0]));
  PetscCall(PetscOptionsGetInt(((PetscObject)eps)->options, ((PetscObject)eps)->prefix, "-st_ksp_max_it", &maxit, &given[1]));
  PetscCall(PetscOptionsReal("-eps_napi_inner_rtol", "Relative tolerance of the inner solves", "EPSNAPISetInnerTolerances", rtol == NAPI_UNSET ? NAPI_LOOSE : rtol, &rtol, &given[2]));
  PetscCall(PetscOptionsInt("-eps_napi_inner_max_it", "Iterations of an inner solve", "EPSNAPISetInnerTolerances", maxit == NAPI_UNSET ? 10000 : maxit, &maxit, &given[3]));
  if (given[0] || given[1] || given[2] || given[3]) PetscCall(EPSNAPISetInnerTolerances(eps, rtol, maxit));
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

/* ------------------------------------------- setters and getters ------------------------------------------- */

/* field := value, one of an enum whose names are listed as PetscOptionsEnum() wants them; a change takes a new set-up */
static PetscErrorCode EPSNAPI_SetEnum(EPS eps, const char what[], const char *const names[], PetscEnum value, PetscEnum *field)
{
  int n = 0;

  PetscFunctionBegin;
  while (names[n]) n++;
  PetscCheck((int)value >= 0 && (int)value < n - 2, PetscObjectComm((PetscObject)eps), PETSC_ERR_ARG_OUTOFRANGE, "Unknown %s %d: use a value of %s", what, (int)value, names[n - 2]);
  if (*field != value) eps->state = EPS_STATE_INITIAL;
  *field = value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* field := value, which is at least least (0 or 1), or left to the solver; a change takes a new set-up */
static PetscErrorCode EPSNAPI_SetInt(EPS eps, const char what[], PetscInt least, PetscInt value, PetscInt *field)
{
  PetscFunctionBegin;
  if (value == PETSC_DEFAULT || value == PETSC_DECIDE) value = NAPI_UNSET;
  else PetscCheck(value >= least, PetscObjectComm((PetscObject)eps), PETSC_ERR_ARG_OUTOFRANGE, "The %s %" PetscInt_FMT " must %s", what, value, least ? "be positive" : "not be negative");
  if (*field != value) eps->state = EPS_STATE_INITIAL;
  *field = value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*E
   EPSNAPIMomentum - Where the momentum parameter beta of the recurrence B^{-1} A W_t - beta W_{t-1} comes from

   Values:
+  EPS_NAPI_MOMENTUM_NONE     - beta = 0, inexact subspace iteration
.  EPS_NAPI_MOMENTUM_FIXED    - beta is given, see EPSNAPISetBeta() and EPSNAPISetBetaFromEigenvalue()
.  EPS_NAPI_MOMENTUM_ADAPTIVE - beta is found from the Ritz values of the block
-  EPS_NAPI_MOMENTUM_OPTIMAL  - Rayleigh-Ritz over a window of past blocks: the best beta in every step, the default

   Level: intermediate

.seealso: EPSNAPI, EPSNAPISetMomentum()
E*/
const char *const EPSNAPIMomentums[] = {"none", "fixed", "adaptive", "optimal", "EPSNAPIMomentum", "EPS_NAPI_MOMENTUM_", NULL};

NAPIMethodSetter(EPS, EPS_NAPI, EPSNAPISetMomentum_NAPI, EPSNAPIMomentum, EPSNAPI_SetEnum(object, "kind of momentum", EPSNAPIMomentums, (PetscEnum)value, (PetscEnum *)&ctx->momentum));

/*@
   EPSNAPISetMomentum - Sets where the momentum of the iteration comes from.

   Logically Collective

   Input Parameters:
+  eps      - the eigensolver
-  momentum - the kind of momentum, see EPSNAPIMomentum

   Options Database Key:
.  -eps_napi_momentum <none,fixed,adaptive,optimal> - the kind of momentum

   Level: intermediate

.seealso: EPSNAPI, EPSNAPIGetMomentum(), EPSNAPISetBeta(), EPSNAPIMomentum
@*/
PetscErrorCode EPSNAPISetMomentum(EPS eps, EPSNAPIMomentum momentum)
{
  NAPIMethodSet(EPS, eps, EPSNAPISetMomentum, EPSNAPIMomentum, Enum, momentum);
}

NAPIMethodGetter(EPS, EPS_NAPI, EPSNAPIGetMomentum_NAPI, EPSNAPIMomentum, ctx->momentum);

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
  NAPIMethodGet(EPS, eps, EPSNAPIGetMomentum, EPSNAPIMomentum, momentum);
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
  NAPIMethodSet(EPS, eps, EPSNAPISetBeta, PetscReal, Real, beta);
}

static PetscErrorCode EPSNAPIGetBeta_NAPI(EPS eps, PetscReal *beta)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;

  PetscFunctionBegin;
  if (ctx->momentum != EPS_NAPI_MOMENTUM_FIXED) *beta = ctx->beta_t;
  else if (ctx->haslambda && eps->categ == EPS_CATEGORY_CONTOUR) *beta = 0.25 / ((ctx->lambda - ctx->usersigma) * (ctx->lambda - ctx->usersigma));
  else if (ctx->haslambda) *beta = (ctx->lambda - ctx->usersigma) * (ctx->lambda - ctx->usersigma) / 4.0;
  else *beta = ctx->beta == NAPI_UNSET ? 0.0 : ctx->beta;
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
  NAPIMethodGet(EPS, eps, EPSNAPIGetBeta, PetscReal, beta);
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
  NAPIMethodSet(EPS, eps, EPSNAPISetBetaFromEigenvalue, PetscReal, Real, lambda);
}

NAPIMethodSetter(EPS, EPS_NAPI, EPSNAPISetGuard_NAPI, PetscInt, EPSNAPI_SetInt(object, "number of guard columns", 0, value, &ctx->guard));

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
  NAPIMethodSet(EPS, eps, EPSNAPISetGuard, PetscInt, Int, guard);
}

/* fixed momentum is the paper's algorithm, with a block of nev; the others find their rate from two columns more */
NAPIMethodGetter(EPS, EPS_NAPI, EPSNAPIGetGuard_NAPI, PetscInt, ctx->guard != NAPI_UNSET ? ctx->guard : ctx->momentum == EPS_NAPI_MOMENTUM_FIXED ? 0 : 2);

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
  NAPIMethodGet(EPS, eps, EPSNAPIGetGuard, PetscInt, guard);
}

NAPIMethodSetter(EPS, EPS_NAPI, EPSNAPISetBlockSize_NAPI, PetscInt, EPSNAPI_SetInt(object, "block size", 1, value, &ctx->blocksize));

/*@
   EPSNAPISetBlockSize - Sets the number of columns that optimal momentum adds to its window in a step.

   Logically Collective

   Input Parameters:
+  eps       - the eigensolver
-  blocksize - the number of columns, or PETSC_DECIDE: nev, but at least 2 and at most 8, or nev/5 if that is more

   Options Database Key:
.  -eps_napi_blocksize <blocksize> - the number of columns

   Level: intermediate

.seealso: EPSNAPI, EPSNAPIGetBlockSize(), EPSNAPISetMomentum()
@*/
PetscErrorCode EPSNAPISetBlockSize(EPS eps, PetscInt blocksize)
{
  NAPIMethodSet(EPS, eps, EPSNAPISetBlockSize, PetscInt, Int, blocksize);
}

NAPIMethodGetter(EPS, EPS_NAPI, EPSNAPIGetBlockSize_NAPI, PetscInt, ctx->bs ? ctx->bs : PetscMax(0, ctx->blocksize));

/*@
   EPSNAPIGetBlockSize - Gets the number of columns that optimal momentum adds to its window in a step.

   Not Collective

   Input Parameter:
.  eps - the eigensolver

   Output Parameter:
.  blocksize - the number of columns in use after set-up, or what was set before, or 0

   Level: intermediate

.seealso: EPSNAPI, EPSNAPISetBlockSize()
@*/
PetscErrorCode EPSNAPIGetBlockSize(EPS eps, PetscInt *blocksize)
{
  NAPIMethodGet(EPS, eps, EPSNAPIGetBlockSize, PetscInt, blocksize);
}

NAPIMethodSetter(EPS, EPS_NAPI, EPSNAPISetRestart_NAPI, PetscInt, EPSNAPI_SetInt(object, "number of Ritz vectors kept", 1, value, &ctx->restart));

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
  NAPIMethodSet(EPS, eps, EPSNAPISetRestart, PetscInt, Int, restart);
}

NAPIMethodGetter(EPS, EPS_NAPI, EPSNAPIGetRestart_NAPI, PetscInt, ctx->keep ? ctx->keep : PetscMax(0, ctx->restart));

/*@
   EPSNAPIGetRestart - Gets the number of Ritz vectors that optimal momentum keeps when its window is full.

   Not Collective

   Input Parameter:
.  eps - the eigensolver

   Output Parameter:
.  restart - the number of Ritz vectors in use after set-up, or what was set before, or 0

   Level: intermediate

.seealso: EPSNAPI, EPSNAPISetRestart()
@*/
PetscErrorCode EPSNAPIGetRestart(EPS eps, PetscInt *restart)
{
  NAPIMethodGet(EPS, eps, EPSNAPIGetRestart, PetscInt, restart);
}

/*E
   EPSNAPICriterion - How accurate the inner solves are

   Values:
+  EPS_NAPI_CRITERION_PAPER  - Theorems 1 and 2 of the paper, the default of momentum none, fixed and adaptive
.  EPS_NAPI_CRITERION_WINDOW - with optimal momentum sqrt(Delta_w/8), Delta_w being the relative gap between the wanted Ritz
                               values and the last one of the window; otherwise sqrt(Delta/32) for any number of pairs
-  EPS_NAPI_CRITERION_AUTO   - one iteration or a tolerance, whichever gains more for its cost as the solve goes on, the
                               default of optimal momentum and of use with it only

   Level: advanced

.seealso: EPSNAPI, EPSNAPISetCriterion()
E*/
const char *const EPSNAPICriterions[] = {"paper", "window", "auto", "EPSNAPICriterion", "EPS_NAPI_CRITERION_", NULL};

static PetscErrorCode EPSNAPISetCriterion_NAPI(EPS eps, EPSNAPICriterion criterion)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;

  PetscFunctionBegin;
  PetscCall(EPSNAPI_SetEnum(eps, "inner criterion", EPSNAPICriterions, (PetscEnum)criterion, (PetscEnum *)&ctx->criterion));
  if (!ctx->hascriterion) eps->state = EPS_STATE_INITIAL;
  ctx->hascriterion = PETSC_TRUE;
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
  NAPIMethodSet(EPS, eps, EPSNAPISetCriterion, EPSNAPICriterion, Enum, criterion);
}

NAPIMethodGetter(EPS, EPS_NAPI, EPSNAPIGetCriterion_NAPI, EPSNAPICriterion, ctx->hascriterion || ctx->momentum == EPS_NAPI_MOMENTUM_OPTIMAL ? ctx->criterion : EPS_NAPI_CRITERION_PAPER);

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
  NAPIMethodGet(EPS, eps, EPSNAPIGetCriterion, EPSNAPICriterion, criterion);
}

static PetscErrorCode EPSNAPISetInnerTolerances_NAPI(EPS eps, PetscReal rtol, PetscInt maxit)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;

  PetscFunctionBegin;
  if (rtol == (PetscReal)PETSC_DEFAULT || rtol == (PetscReal)PETSC_DECIDE) rtol = NAPI_UNSET;
  else PetscCheck(rtol > 0.0 && rtol < 1.0, PetscObjectComm((PetscObject)eps), PETSC_ERR_ARG_OUTOFRANGE, "The inner tolerance %g must be between 0 and 1", (double)rtol);
  PetscCall(EPSNAPI_SetInt(eps, "number of inner iterations", 1, maxit, &ctx->max_it));
  if (ctx->rtol != rtol) eps->state = EPS_STATE_INITIAL;
  ctx->rtol = rtol;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   EPSNAPISetInnerTolerances - Sets relative tolerance and iteration limit of the inner solves by hand.

   Logically Collective

   Input Parameters:
+  eps   - the eigensolver
.  rtol  - factor by which an inner solve reduces the residual it starts from, or PETSC_DECIDE: see EPSNAPISetCriterion()
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
  if (rtol) *rtol = ctx->rtol == NAPI_UNSET ? PETSC_DECIDE : ctx->rtol;
  if (maxit) *maxit = ctx->max_it == NAPI_UNSET ? PETSC_DECIDE : ctx->max_it;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   EPSNAPIGetInnerTolerances - Gets relative tolerance and iteration limit of the inner solves.

   Not Collective

   Input Parameter:
.  eps - the eigensolver

   Output Parameters:
+  rtol  - (or NULL) the tolerance, or PETSC_DECIDE where it comes from the criterion
-  maxit - (or NULL) the limit, or PETSC_DECIDE where it is that of the KSP

   Level: intermediate

.seealso: EPSNAPI, EPSNAPISetInnerTolerances()
@*/
PetscErrorCode EPSNAPIGetInnerTolerances(EPS eps, PetscReal *rtol, PetscInt *maxit)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(eps, EPS_CLASSID, 1);
  if (rtol) PetscAssertPointer(rtol, 2);
  if (maxit) PetscAssertPointer(maxit, 3);
  PetscUseMethod(eps, "EPSNAPIGetInnerTolerances_C", (EPS, PetscReal *, PetscInt *), (eps, rtol, maxit));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*E
   EPSNAPIWarmStart - How the inner solve makes use of the current iterate

   Values:
+  EPS_NAPI_WARM_START_CORRECTION - solve for the correction to W Theta, from zero
.  EPS_NAPI_WARM_START_GUESS      - solve for the whole, from the initial guess W Theta: the same iterates
-  EPS_NAPI_WARM_START_NONE       - solve for the whole, from zero, to the same absolute residual

   Level: advanced

.seealso: EPSNAPI, EPSNAPISetWarmStart()
E*/
const char *const EPSNAPIWarmStarts[] = {"correction", "guess", "none", "EPSNAPIWarmStart", "EPS_NAPI_WARM_START_", NULL};

NAPIMethodSetter(EPS, EPS_NAPI, EPSNAPISetWarmStart_NAPI, EPSNAPIWarmStart, EPSNAPI_SetEnum(object, "kind of warm start", EPSNAPIWarmStarts, (PetscEnum)value, (PetscEnum *)&ctx->warmstart));

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
  NAPIMethodSet(EPS, eps, EPSNAPISetWarmStart, EPSNAPIWarmStart, Enum, warmstart);
}

NAPIMethodGetter(EPS, EPS_NAPI, EPSNAPIGetWarmStart_NAPI, EPSNAPIWarmStart, ctx->warmstart);

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
  NAPIMethodGet(EPS, eps, EPSNAPIGetWarmStart, EPSNAPIWarmStart, warmstart);
}

/*E
   EPSNAPIResidual - Which relative residual has to fall below the tolerance, r = A x - lambda B x

   Values:
+  EPS_NAPI_RESIDUAL_SCALED - ||r||/(|lambda| ||B x||), which does not depend on the scale of B
.  EPS_NAPI_RESIDUAL_SLEPC  - the convergence test of the EPS, by default ||r||/(|lambda| ||x||)
-  EPS_NAPI_RESIDUAL_BOTH   - both

   Level: intermediate

.seealso: EPSNAPI, EPSNAPISetResidual()
E*/
const char *const EPSNAPIResiduals[] = {"scaled", "slepc", "both", "EPSNAPIResidual", "EPS_NAPI_RESIDUAL_", NULL};

NAPIMethodSetter(EPS, EPS_NAPI, EPSNAPISetResidual_NAPI, EPSNAPIResidual, EPSNAPI_SetEnum(object, "kind of residual", EPSNAPIResiduals, (PetscEnum)value, (PetscEnum *)&ctx->residual));

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
  NAPIMethodSet(EPS, eps, EPSNAPISetResidual, EPSNAPIResidual, Enum, residual);
}

NAPIMethodGetter(EPS, EPS_NAPI, EPSNAPIGetResidual_NAPI, EPSNAPIResidual, ctx->residual);

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
  NAPIMethodGet(EPS, eps, EPSNAPIGetResidual, EPSNAPIResidual, residual);
}

/*E
   EPSNAPICheck - How optimal momentum makes sure that none of the wanted eigenvalues has been missed

   Values:
+  EPS_NAPI_CHECK_NONE    - not at all
.  EPS_NAPI_CHECK_QUICK   - a few steps from a random vector that is orthogonal to everything found, the default
-  EPS_NAPI_CHECK_CERTIFY - the same, bounds of the errors of the eigenvalues, and a count of the eigenvalues by the inertia of
                            A - sigma B where that can be factored

   Level: intermediate

.seealso: EPSNAPI, EPSNAPISetCheck()
E*/
const char *const EPSNAPIChecks[] = {"none", "quick", "certify", "EPSNAPICheck", "EPS_NAPI_CHECK_", NULL};

static PetscErrorCode EPSNAPISetCheck_NAPI(EPS eps, EPSNAPICheck check)
{
  EPSStateType state = eps->state;

  PetscFunctionBegin;
  PetscCall(EPSNAPI_SetEnum(eps, "kind of check", EPSNAPIChecks, (PetscEnum)check, (PetscEnum *)&((EPS_NAPI *)eps->data)->check));
  eps->state = state; /* set-up does not depend on it */
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
  NAPIMethodSet(EPS, eps, EPSNAPISetCheck, EPSNAPICheck, Enum, check);
}

NAPIMethodGetter(EPS, EPS_NAPI, EPSNAPIGetCheck_NAPI, EPSNAPICheck, ctx->check);

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
  NAPIMethodGet(EPS, eps, EPSNAPIGetCheck, EPSNAPICheck, check);
}

/* Composes the setters and getters with the solver, where the interface finds them, or takes them back */
PetscErrorCode EPSNAPIComposeFunctions(EPS eps, PetscBool compose)
{
  PetscFunctionBegin;
  NAPIMethodCompose(eps, compose, EPSNAPISetMomentum, NAPI);
  NAPIMethodCompose(eps, compose, EPSNAPIGetMomentum, NAPI);
  NAPIMethodCompose(eps, compose, EPSNAPISetBeta, NAPI);
  NAPIMethodCompose(eps, compose, EPSNAPIGetBeta, NAPI);
  NAPIMethodCompose(eps, compose, EPSNAPIGetCause, NAPI);
  NAPIMethodCompose(eps, compose, EPSNAPISetBetaFromEigenvalue, NAPI);
  NAPIMethodCompose(eps, compose, EPSNAPISetGuard, NAPI);
  NAPIMethodCompose(eps, compose, EPSNAPIGetGuard, NAPI);
  NAPIMethodCompose(eps, compose, EPSNAPISetBlockSize, NAPI);
  NAPIMethodCompose(eps, compose, EPSNAPIGetBlockSize, NAPI);
  NAPIMethodCompose(eps, compose, EPSNAPISetRestart, NAPI);
  NAPIMethodCompose(eps, compose, EPSNAPIGetRestart, NAPI);
  NAPIMethodCompose(eps, compose, EPSNAPISetCriterion, NAPI);
  NAPIMethodCompose(eps, compose, EPSNAPIGetCriterion, NAPI);
  NAPIMethodCompose(eps, compose, EPSNAPISetInnerTolerances, NAPI);
  NAPIMethodCompose(eps, compose, EPSNAPIGetInnerTolerances, NAPI);
  NAPIMethodCompose(eps, compose, EPSNAPISetWarmStart, NAPI);
  NAPIMethodCompose(eps, compose, EPSNAPIGetWarmStart, NAPI);
  NAPIMethodCompose(eps, compose, EPSNAPISetResidual, NAPI);
  NAPIMethodCompose(eps, compose, EPSNAPIGetResidual, NAPI);
  NAPIMethodCompose(eps, compose, EPSNAPIGetApplications, NAPI);
  NAPIMethodCompose(eps, compose, EPSNAPISetCheck, NAPI);
  NAPIMethodCompose(eps, compose, EPSNAPIGetCheck, NAPI);
  NAPIMethodCompose(eps, compose, EPSNAPIGetErrorBound, NAPI);
  NAPIMethodCompose(eps, compose, EPSNAPIGetCount, NAPI);
  PetscFunctionReturn(PETSC_SUCCESS);
}
