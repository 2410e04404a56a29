/* SPDX-License-Identifier: BSD-2-Clause */
/*
   SLEPc eigensolver: "napi"

   Method: noisy accelerated power iteration (momentum.c), for A x = lambda B x with A symmetric (Hermitian) and B
   positive definite, or A x = lambda x. B is never factored: its inverse is applied by a few steps of the KSP of the ST,
   warm-started at the current iterate.

   This file: set-up, solve, view, monitor, create; options and setters are in napiopts.c.
*/
#include <slepcnapi/private/napiimpl.h>

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

#define NAPI_MAX_STEPS  5000 /* allowed where the user does not say: an end for what does not converge, against what would in the end */
#define NAPI_MAX_SWEEPS 10   /* the same in n/ncv steps, for large problems */

/* ------------------------------------------------- set-up ------------------------------------------------- */

static PetscErrorCode EPSReset_NAPI(EPS eps)
{
  EPS_NAPI *ctx   = (EPS_NAPI *)eps->data;
  BV       *all[] = {&ctx->W.X, &ctx->W.BX, &ctx->W.AX, &ctx->Wold, &ctx->R, &ctx->D, &ctx->Y, &ctx->BY, &ctx->dual};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(all); i++) PetscCall(BVDestroy(all[i]));
  PetscCall(MatDestroy(&ctx->scratch));
  PetscCall(MatDestroy(&ctx->cross));
  PetscCall(MatDestroy(&ctx->C));
  PetscCall(NAPIWindowDestroy(&ctx->window));
  PetscCall(NAPISmallDestroy(&ctx->small));
  PetscCall(PetscFree3(ctx->theta, ctx->scaled, ctx->rtols));
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
  if (!((PetscObject)eps->st)->type_name) {
    PetscCall(STSetType(eps->st, STSHIFT));
    ctx->stchosen = PETSC_TRUE;
  }
  PetscCall(STGetKSP(eps->st, &ksp));
  if (!((PetscObject)ksp)->type_name) {
    PetscCall(KSPSetType(ksp, KSPBLOCKCG));
    ctx->kspchosen = PETSC_TRUE;
    ctx->ksptype   = KSPBLOCKCG;
  }
  PetscCall(KSPGetPC(ksp, &pc));
  if (!((PetscObject)pc)->type_name) {
    PetscCall(PCSetType(pc, PCJACOBI));
    ctx->pcchosen = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What depends on the shift, which the user may change after set-up, and set-up is not done again then */
static PetscErrorCode EPSNAPI_ReadShift(EPS eps)
{
  EPS_NAPI   *ctx = (EPS_NAPI *)eps->data;
  PetscScalar sigma;

  PetscFunctionBegin;
  PetscCall(STGetShift(eps->st, &sigma));
  ctx->usersigma = PetscRealPart(sigma);
  if (ctx->momentum == EPS_NAPI_MOMENTUM_FIXED) PetscCall(EPSNAPIGetBeta(eps, &ctx->beta));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EPSSetUp_NAPI(EPS eps)
{
  EPS_NAPI *ctx  = (EPS_NAPI *)eps->data;
  MPI_Comm  comm = PetscObjectComm((PetscObject)eps);

  PetscFunctionBegin;
  /* what it cannot do, by name */
  PetscCheck(eps->ishermitian, comm, PETSC_ERR_SUP, "The solver 'napi' cannot be used for non-%s problems: if the matrices are symmetric (Hermitian), say so by -eps_gen_hermitian (-eps_hermitian where there is no B), or by EPSSetProblemType()", SLEPC_STRING_HERMITIAN);
  EPSCheckHermitianDefinite(eps);
  NAPICheckNotStructured(eps);
  NAPICheckNoThreshold(eps);
  EPSCheckUnsupported(eps, EPS_FEATURE_ARBITRARY | EPS_FEATURE_REGION | EPS_FEATURE_EXTRACTION | EPS_FEATURE_TWOSIDED);
  EPSCheckIgnored(eps, EPS_FEATURE_BALANCE);
  PetscCall(EPSNAPISetUpForm(eps));
  PetscCheck(ctx->momentum != EPS_NAPI_MOMENTUM_FIXED || ctx->beta != NAPI_UNSET || ctx->haslambda, comm, PETSC_ERR_ARG_WRONGSTATE, "Fixed momentum needs its parameter: give -eps_napi_beta, or an estimate of the eigenvalue after the wanted ones with -eps_napi_beta_from_eigenvalue");
  PetscCheck(!ctx->hascriterion || ctx->criterion != EPS_NAPI_CRITERION_AUTO || ctx->momentum == EPS_NAPI_MOMENTUM_OPTIMAL, comm, PETSC_ERR_SUP, "The inner criterion auto is for optimal momentum: use -eps_napi_criterion paper or window with momentum %s",
             EPSNAPIMomentums[ctx->momentum]);
  PetscCheck(ctx->warmstart == EPS_NAPI_WARM_START_CORRECTION || ctx->momentum != EPS_NAPI_MOMENTUM_OPTIMAL, comm, PETSC_ERR_SUP, "Optimal momentum solves for corrections only: use -eps_napi_warm_start correction");

  PetscCall(EPSNAPISetUpInner(eps));
  PetscCall(EPSNAPI_ReadShift(eps));
  PetscCall(EPSReset_NAPI(eps));
  PetscCall(DSSetCompact(eps->ds, PETSC_FALSE)); /* the settings of another solver type */
  PetscCall(DSSetExtraRow(eps->ds, PETSC_FALSE));
  ctx->bs = ctx->keep = 0;
  PetscCall(EPSNAPINullDimension(eps, &ctx->maxnull));
  if (ctx->momentum == EPS_NAPI_MOMENTUM_OPTIMAL) PetscCall(EPSNAPISetUp_Optimal(eps));
  else PetscCall(EPSNAPISetUp_Momentum(eps));
  eps->purify = PETSC_FALSE; /* nothing to purify: pairs are told by their residuals, which show what a singular B does not */
  if (eps->mpd != NAPI_UNSET && eps->mpd < eps->ncv) PetscCall(PetscInfo(eps, "Warning: parameter mpd ignored\n"));
  eps->mpd = eps->ncv;
  if (eps->max_it == NAPI_UNSET) eps->max_it = PetscMax(NAPI_MAX_STEPS, NAPI_MAX_SWEEPS * (eps->n / eps->ncv));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The results are sorted as the user asked; for the order within the iteration see form.c */
static PetscErrorCode EPSSetUpSort_NAPI(EPS eps)
{
  SlepcSC sc = eps->sc;

  PetscFunctionBegin;
  sc->map    = NULL;
  sc->mapobj = NULL;
  if (eps->which == EPS_WHICH_USER) PetscFunctionReturn(PETSC_SUCCESS);
  sc->comparisonctx = eps->which == EPS_TARGET_MAGNITUDE || eps->which == EPS_TARGET_REAL ? (void *)&eps->target : NULL;
  switch (eps->which) {
  case EPS_LARGEST_REAL:
    sc->comparison = SlepcCompareLargestReal;
    break;
  case EPS_SMALLEST_REAL:
    sc->comparison = SlepcCompareSmallestReal;
    break;
  case EPS_SMALLEST_MAGNITUDE:
    sc->comparison = SlepcCompareSmallestMagnitude;
    break;
  case EPS_TARGET_MAGNITUDE:
    sc->comparison = SlepcCompareTargetMagnitude;
    break;
  case EPS_TARGET_REAL:
    sc->comparison = SlepcCompareTargetReal;
    break;
  default:
    sc->comparison = SlepcCompareLargestMagnitude;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- solve -------------------------------------------------- */

/* Where SLEPc is going to print the reason why a solve has ended, it is preceded by the cause */
static PetscErrorCode EPSNAPI_ViewCause(EPS eps)
{
  PetscViewer       viewer;
  PetscViewerFormat format;
  PetscBool         set, isascii = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(NAPIOptionsViewer(PetscObjectComm((PetscObject)eps), ((PetscObject)eps)->options, ((PetscObject)eps)->prefix, "-eps_converged_reason", &viewer, &format, &set));
  if (!set) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &isascii));
  if (isascii) PetscCall(PetscViewerASCIIPrintf(viewer, "%s Given up: %s\n", ((PetscObject)eps)->prefix ? ((PetscObject)eps)->prefix : "", ((EPS_NAPI *)eps->data)->cause));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EPSSolve_NAPI(EPS eps)
{
  EPS_NAPI *ctx     = (EPS_NAPI *)eps->data;
  PetscBool another = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(PetscCitationsRegister(citation, &cited));
  PetscCall(STSetUp(eps->st)); /* once more where the target was changed after set-up */
  PetscCall(EPSNAPI_ReadShift(eps));
  ctx->beta_t  = 0.0;
  ctx->inner_t = ctx->inner = ctx->acols = ctx->bcols = 0;
  ctx->slow                                           = 0;
  PetscCall(EPSNAPICertificateReset(&ctx->certificate));
  PetscCall(EPSNAPIChooseForm(eps));
  while (another) {
    PetscCall(EPSNAPIBeginForm(eps));
    PetscCall(EPSNAPIWithInnerSolver(eps, ctx->momentum == EPS_NAPI_MOMENTUM_OPTIMAL ? EPSNAPISolve_Optimal : EPSNAPISolve_Momentum));
    PetscCall(EPSNAPIAnotherForm(eps, &another));
    if (another) {
      eps->reason = EPS_CONVERGED_ITERATING;
      eps->nconv = eps->nini = 0; /* the initial space has made way for the basis */
      if (ctx->momentum == EPS_NAPI_MOMENTUM_OPTIMAL) PetscCall(EPSNAPISetUpAgain_Optimal(eps));
    }
  }
  if (eps->categ != EPS_CATEGORY_OTHER) PetscCall(STBackTransform(eps->st, eps->nconv, eps->eigr, eps->eigi));
  for (PetscInt j = 0; j < PetscMin(ctx->nnull, eps->nconv); j++) eps->eigr[j] = 0.0; /* where there are any, they come first */
  PetscCall(EPSNAPIUnmove(eps));
  if (ctx->cause && eps->reason < 0) PetscCall(EPSNAPI_ViewCause(eps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EPSBackTransform_NAPI(EPS eps)
{
  PetscFunctionBegin;
  PetscCall(STBackTransform(eps->st, eps->nconv, eps->eigr, eps->eigi));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---------------------------------------- view, monitor, work done ----------------------------------------- */

static PetscErrorCode EPSView_NAPI(EPS eps, PetscViewer viewer)
{
  EPS_NAPI        *ctx = (EPS_NAPI *)eps->data;
  EPSNAPICriterion criterion;
  PetscReal        beta;
  PetscInt         guard, blocksize, restart;
  PetscBool        isascii, solves;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &isascii));
  if (!isascii) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(EPSNAPIGetBeta(eps, &beta));
  PetscCall(EPSNAPIGetGuard(eps, &guard));
  PetscCall(EPSNAPIGetBlockSize(eps, &blocksize));
  PetscCall(EPSNAPIGetRestart(eps, &restart));
  PetscCall(EPSNAPIGetCriterion(eps, &criterion));
  if (ctx->momentum == EPS_NAPI_MOMENTUM_OPTIMAL) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "  momentum: optimal, block generalized Davidson with kept directions\n"));
    PetscCall(PetscViewerASCIIPrintf(viewer, "  block size: %" PetscInt_FMT ", kept at a restart: %" PetscInt_FMT " Ritz vectors and the last block\n", blocksize, restart));
  } else {
    PetscCall(PetscViewerASCIIPrintf(viewer, "  momentum: %s, beta = %g\n", EPSNAPIMomentums[ctx->momentum], (double)beta));
    PetscCall(PetscViewerASCIIPrintf(viewer, "  guard columns: %" PetscInt_FMT "\n", guard));
  }
  PetscCall(EPSNAPIFormView(eps, viewer, &solves));
  if (solves) {
    if (ctx->rtol == NAPI_UNSET) PetscCall(PetscViewerASCIIPrintf(viewer, "  inner criterion: %s, rtol = %g at the last step\n", EPSNAPICriterions[criterion], (double)ctx->rtol_t));
    else PetscCall(PetscViewerASCIIPrintf(viewer, "  inner criterion: rtol = %g\n", (double)ctx->rtol));
    if (ctx->max_it != NAPI_UNSET) PetscCall(PetscViewerASCIIPrintf(viewer, "  inner iterations at most: %" PetscInt_FMT "\n", ctx->max_it));
    PetscCall(PetscViewerASCIIPrintf(viewer, "  warm start: %s\n", EPSNAPIWarmStarts[ctx->warmstart]));
  }
  PetscCall(PetscViewerASCIIPrintf(viewer, "  residual tested: %s\n", EPSNAPIResiduals[ctx->residual]));
  if (ctx->momentum == EPS_NAPI_MOMENTUM_OPTIMAL) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "  check that nothing was missed: %s\n", EPSNAPIChecks[ctx->check]));
    PetscCall(EPSNAPICertificateView(eps, viewer));
  }
  if (ctx->cause) PetscCall(PetscViewerASCIIPrintf(viewer, "  given up: %s\n", ctx->cause));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  applications so far: A %" PetscInt_FMT " columns, B %" PetscInt_FMT " columns and %" PetscInt_FMT " inner iterations\n", ctx->acols, ctx->bcols, ctx->inner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
   EPSNAPIMonitor - Prints one line for every step of EPSNAPI: the step, the number of converged pairs, the largest error
   estimate among the wanted pairs that have not converged, the columns of the basis (for the other momenta, beta), and inner
   tolerance and inner iterations of the step that led there; and once, that the tolerance will not be reached in the steps allowed.

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
  PetscCall(PetscViewerASCIIPrintf(viewer, "%4" PetscInt_FMT " NAPI nconv=%" PetscInt_FMT " residual=%9.3e ", its, nconv, (double)worst));
  if (napi->momentum == EPS_NAPI_MOMENTUM_OPTIMAL) PetscCall(PetscViewerASCIIPrintf(viewer, "basis=%" PetscInt_FMT, napi->window.side[0].m));
  else PetscCall(PetscViewerASCIIPrintf(viewer, "beta=%9.3e", (double)napi->beta_t));
  PetscCall(PetscViewerASCIIPrintf(viewer, " inner: rtol=%8.2e iterations=%" PetscInt_FMT "\n", (double)napi->rtol_t, napi->inner_t));
  if (napi->slow == its && its) PetscCall(PetscViewerASCIIPrintf(viewer, "     NAPI at this rate the tolerance will not be reached in %" PetscInt_FMT " steps\n", eps->max_it));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode EPSNAPIGetApplications_NAPI(EPS eps, PetscInt *acols, PetscInt *bcols, PetscInt *inner)
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
+  acols - (or NULL) columns A was applied to outside of the inner solves; or A - sigma B, where that is solved with
.  bcols - (or NULL) columns B was applied to outside of the inner solves
-  inner - (or NULL) inner iterations in all, each of which applies what is solved with, B or A - sigma B, once where the KSP is CG

   Level: intermediate

.seealso: EPSNAPI, EPSGetIterationNumber()
@*/
PetscErrorCode EPSNAPIGetApplications(EPS eps, PetscInt *acols, PetscInt *bcols, PetscInt *inner)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(eps, EPS_CLASSID, 1);
  if (acols) PetscAssertPointer(acols, 2);
  if (bcols) PetscAssertPointer(bcols, 3);
  if (inner) PetscAssertPointer(inner, 4);
  PetscUseMethod(eps, "EPSNAPIGetApplications_C", (EPS, PetscInt *, PetscInt *, PetscInt *), (eps, acols, bcols, inner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode EPSNAPIGetCause_NAPI(EPS eps, const char **cause)
{
  PetscFunctionBegin;
  *cause = ((EPS_NAPI *)eps->data)->cause ? ((EPS_NAPI *)eps->data)->cause : "";
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
   EPSNAPIGetCause - Gets the cause of the last solve's failure, and the way out, in a sentence.

   Not Collective

   Input Parameter:
.  eps - the eigensolver

   Output Parameter:
.  cause - the sentence, empty where there is none; it is valid until the next solve

   Note:
   EPSView() shows it, and -eps_converged_reason.

   Level: intermediate

.seealso: EPSNAPI, EPSGetConvergedReason()
@*/
PetscErrorCode EPSNAPIGetCause(EPS eps, const char *cause[])
{
  NAPIMethodGet(EPS, eps, EPSNAPIGetCause, const char *, cause);
}

/* ----------------------------------------------- create ---------------------------------------------------- */

/* EPSSetType() to another type calls this and not reset */
static PetscErrorCode EPSDestroy_NAPI(EPS eps)
{
  PetscFunctionBegin;
  PetscCall(EPSReset_NAPI(eps));
  PetscCall(EPSNAPIResetInner(eps));
  eps->categ = EPS_CATEGORY_KRYLOV; /* as EPSCreate() has it: not every type sets its own */
  PetscCall(PetscFree(eps->data));
  PetscCall(EPSNAPIComposeFunctions(eps, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   EPSNAPI - EPSNAPI = "napi" - Noisy accelerated power iteration.

   Options Database Keys:
+  -eps_napi_momentum <none,fixed,adaptive,optimal> - where the momentum comes from (optimal)
.  -eps_napi_blocksize <blocksize>                  - columns optimal momentum adds in a step (nev, 2 to 8; nev/5 if that is more)
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
   For A x = lambda B x, A symmetric (Hermitian) and B positive definite, or A x = lambda x. Nothing is factored unless
   asked for: the inner solver is the ST's KSP, by default block CG with Jacobi (-st_ksp_type, -st_pc_type). Its tolerance
   is a constant factor by which the warm start is to be improved, since the warm start itself becomes ever better.

   The largest eigenvalues are found with solves of B (STSHIFT). A target (EPSSetTarget()), the smallest magnitude and the smallest real
   ones are found on the pair (B, A - sigma B) with solves of A - sigma B (STSINVERT, STCAYLEY; by itself where no ST is chosen, sigma being the
   target or 0), and then B may be positive semi-definite. A sigma inside the spectrum takes accurate solves, by KSPMINRES unless another
   KSP is chosen. With STPRECOND the preconditioner takes the place of the inner solver. A null space or near null space attached to A is
   deflated at sigma = 0 and reported as eigenvalues 0, where it is one.

   Optimal momentum is block generalised Davidson with kept directions (GD+k, LOBPCG), whose expansion is that inner solve. The others are
   the algorithm of the paper and find the largest |lambda - sigma|, sigma being the shift of the ST, or with STSINVERT the smallest, sigma
   being outside of the spectrum.

   A pair counts as converged when its residual, computed anew with A and B, passes the test of EPSNAPISetResidual(), or when it
   is down to rounding, of the order of machine epsilon times (||A|| + |lambda| ||B||) ||x||, and gets no smaller: no relative
   test lets an eigenvalue zero pass. Then EPSNAPISetCheck() looks for eigenvalues that were missed.

   Matrices of extreme size are scaled inside by powers of two. A small problem (512 unknowns) that takes many times the products
   of a dense solver gets a basis of the whole space.

   Memory in vectors, d being the dimension of the deflation space: optimal 3 ncv + 6 blocksize + 2 d (2 ncv where there is
   no B), with ncv = nev + 2 blocksize + max(5 blocksize, 12), or 8 blocksize where that is more than 8 columns, unless set (everything for problems of at most 64 unknowns); the others 9 ncv + 2 d, with ncv = nev + guard.

   References:
+  [1] V. V. Mai and M. Johansson, Noisy Accelerated Power Method for Eigenproblems With Applications, IEEE Trans. Signal
       Process. 67(12):3287-3299, 2019.
.  [2] A. Stathopoulos, Nearly optimal preconditioned methods for Hermitian eigenproblems under limited memory, SIAM J. Sci.
       Comput. 29(2):481-514, 2007 (GD+k).
-  [3] A. V. Knyazev, Toward the optimal preconditioned eigensolver, SIAM J. Sci. Comput. 23(2):517-541, 2001 (LOBPCG).

.seealso: EPS, EPSType, EPSSetType(), EPSNAPISetMomentum(), EPSNAPISetBlockSize(), EPSNAPISetRestart(), EPSNAPISetCriterion(),
          EPSNAPISetBeta(), EPSNAPISetGuard(), EPSNAPISetInnerTolerances(), EPSNAPISetWarmStart(), EPSNAPISetResidual(),
          EPSNAPISetCheck(), EPSNAPIGetApplications(), EPSNAPIGetCause(), EPSNAPIMonitor()
M*/
PetscErrorCode EPSCreate_NAPI(EPS eps)
{
  EPS_NAPI *ctx;

  PetscFunctionBegin;
  PetscCall(PetscNew(&ctx));
  eps->data      = (void *)ctx;
  ctx->momentum  = EPS_NAPI_MOMENTUM_OPTIMAL;
  ctx->beta      = NAPI_UNSET;
  ctx->guard     = NAPI_UNSET;
  ctx->rtol      = NAPI_UNSET;
  ctx->max_it    = NAPI_UNSET;
  ctx->blocksize = NAPI_UNSET;
  ctx->restart   = NAPI_UNSET;
  ctx->criterion = EPS_NAPI_CRITERION_AUTO;
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

  PetscCall(EPSNAPIComposeFunctions(eps, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
