/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The solution and its check. Before the work it is seen that every option was read; while it goes on, somebody at a terminal is told
   how it goes, and Ctrl-C stops it with what has converged.
*/
#include "napi-eps.h"
#include <slepcnapi/private/napitighten.h>
#include <math.h>
#include <string.h>

/* An eigenvalue is called zero if it is at most so many times what rounding leaves of zero, eps ||A|| x'x/x'Bx. Rigid modes of free bodies were
   seen to have at most 0.6 of it, by LAPACK, napi and krylovschur; the lowest elastic ones 1e11 and more. */
#define ZERO 16.0

/* --- the solver --------------------------------------------------------------------------------------------------- */

/* One line that is written over and over, for somebody who watches */
static PetscErrorCode Solve_ShowProgress(EPS eps, PetscInt its, PetscInt nconv, PetscScalar *eigr, PetscScalar *eigi, PetscReal *error, PetscInt n, void *ctx)
{
  PetscInt nev;

  PetscFunctionBegin;
  (void)ctx, (void)eigr, (void)eigi;
  PetscCall(EPSGetDimensions(eps, &nev, NULL, NULL));
  (void)fprintf(stderr, "\r\033[Kstep %" PetscInt_FMT ": %" PetscInt_FMT " of %" PetscInt_FMT " eigenvalues", its, PetscMin(nconv, nev), nev);
  if (nconv < n) (void)fprintf(stderr, ", error of the next %.1e", (double)error[nconv]);
  (void)fflush(stderr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The usual test, and Ctrl-C */
static PetscErrorCode Solve_Stop(EPS eps, PetscInt its, PetscInt maxit, PetscInt nconv, PetscInt nev, EPSConvergedReason *reason, void *ctx)
{
  PetscBool interrupted;

  PetscFunctionBegin;
  (void)ctx;
  PetscCall(EPSStoppingBasic(eps, its, maxit, nconv, nev, reason, NULL));
  if (*reason != EPS_CONVERGED_ITERATING) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(NAPIIsInterrupted(&interrupted));
  if (interrupted) *reason = EPS_CONVERGED_USER;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Other types refuse a test of one's own; a test that was chosen by an option is left alone */
static PetscErrorCode Solve_LetStop(EPS eps, PetscBool *can)
{
  EPSStop  stop;
  EPSWhich which;

  PetscFunctionBegin;
  PetscCall(EPSGetStoppingTest(eps, &stop));
  PetscCall(EPSGetWhichEigenpairs(eps, &which));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)eps, can, EPSNAPI, EPSKRYLOVSCHUR, EPSGD, EPSJD, EPSLOBPCG, EPSSUBSPACE, EPSPOWER, EPSARNOLDI, EPSLANCZOS, EPSRQCG, ""));
  *can = (PetscBool)(*can && stop == EPS_STOP_BASIC && which != EPS_ALL);
  if (*can) PetscCall(EPSSetStoppingTestFunction(eps, Solve_Stop, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A tolerance of zero leaves it to the options */
PetscErrorCode NAPIEPSCreateSolver(const Options *o, const Problem *p, PetscReal tol, EPS *eps, PetscBool *isnapi)
{
  PetscInt  maxit;
  PetscBool isgram, watched, byb = PETSC_FALSE;
  ST        st;

  PetscFunctionBegin;
  PetscCall(EPSCreate(PETSC_COMM_WORLD, eps));
  PetscCall(EPSSetOperators(*eps, p->A, p->B));
  PetscCall(EPSSetProblemType(*eps, p->B ? EPS_GHEP : EPS_HEP));
  PetscCall(EPSSetType(*eps, EPSNAPI));
  /* the eigenvalues of CCA are correlations and their negatives: the positive ones are meant */
  PetscCall(PetscObjectTypeCompare((PetscObject)p->A, MATGRAM, &isgram));
  if (isgram) PetscCall(EPSSetWhichEigenpairs(*eps, EPS_LARGEST_REAL));
  if (o->modes && !o->swap) PetscCall(EPSSetWhichEigenpairs(*eps, EPS_SMALLEST_REAL));
  PetscCall(EPSSetFromOptions(*eps));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-precondition_by_b", &byb, NULL));
  if (byb && p->B) {
    PetscCall(EPSGetST(*eps, &st));
    PetscCall(STSetPreconditionerMat(st, p->B));
  }
  PetscCall(PetscObjectTypeCompare((PetscObject)*eps, EPSNAPI, isnapi));
  if (tol > 0.0) {
    PetscCall(EPSGetTolerances(*eps, NULL, &maxit));
    PetscCall(EPSSetTolerances(*eps, tol, maxit));
    if (*isnapi) PetscCall(EPSNAPISetResidual(*eps, EPS_NAPI_RESIDUAL_SCALED));
  }
  PetscCall(NAPIIsWatched(&watched));
  if (watched) PetscCall(EPSMonitorSet(*eps, Solve_ShowProgress, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- options that nothing reads --------------------------------------------------------------------------------------- */

static PetscErrorCode Solve_ShowOptions(void *ctx)
{
  EPS     eps;
  EPSType type;
  Mat     A, B;

  PetscFunctionBegin;
  PetscCall(EPSGetType((EPS)ctx, &type));
  PetscCall(EPSGetOperators((EPS)ctx, &A, &B));
  PetscCall(EPSCreate(PETSC_COMM_WORLD, &eps));
  PetscCall(EPSSetOptionsPrefix(eps, NAPI_HELP_PREFIX));
  PetscCall(EPSSetOperators(eps, A, B));
  PetscCall(EPSSetProblemType(eps, B ? EPS_GHEP : EPS_HEP));
  PetscCall(EPSSetType(eps, type));
  PetscCall(EPSSetFromOptions(eps));
  PetscCall(EPSDestroy(&eps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Some preconditioners read their options, and make their parts that do, no earlier than they are set up */
static PetscErrorCode Solve_SetUpInner(EPS eps)
{
  ST        st;
  KSP       ksp;
  PetscBool has;

  PetscFunctionBegin;
  PetscCall(EPSGetST(eps, &st));
  PetscCall(STGetKSP(st, &ksp));
  PetscCall(KSPGetOperatorsSet(ksp, &has, NULL));
  if (!has) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPSetUp(ksp));
  PetscCall(KSPSetUpOnBlocks(ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve_CheckOptions(EPS eps, char message[])
{
  char      name[128];
  PetscBool found;

  PetscFunctionBegin;
  PetscCall(NAPIFindUnread(name, sizeof(name), &found));
  if (found && !strncmp(name, "st_", 3)) PetscCall(Solve_SetUpInner(eps));
  if (found) PetscCall(NAPICheckRead(NAPIEPSHelp, Solve_ShowOptions, eps, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- the check of what was found ---------------------------------------------------------------------------------------- */

/* y = B x, for B = I where there is none */
static PetscErrorCode Solve_MultiplyB(const Problem *p, Vec x, Vec y)
{
  PetscFunctionBegin;
  if (p->B) PetscCall(MatMult(p->B, x, y));
  else PetscCall(VecCopy(x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Residual norms of one pair, recomputed from the matrices. x = xr + i xi and lambda = kr + i ki only for problems that
   options made indefinite or non-Hermitian in a real build, where the real and the imaginary part of r are
     A xr - kr B xr + ki B xi   and   A xi - kr B xi - ki B xr.
*/
static PetscErrorCode Solve_CheckPair(EPS eps, const Problem *p, PetscInt i, Vec w[], Result *r)
{
  Vec         xr = w[0], xi = w[1], u = w[2], Br = w[3], Bi = w[4];
  PetscScalar kr, ki;
  PetscReal   norm[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0}; /* r, x and B x; real and imaginary part */
  PetscScalar xBx;
  PetscReal   lambda, residual, x, Bx;

  PetscFunctionBegin;
  PetscCall(EPSGetEigenpair(eps, i, &kr, &ki, xr, xi));
  r->re[i] = PetscRealPart(kr);
  r->im[i] = PetscDefined(USE_COMPLEX) ? PetscImaginaryPart(kr) : PetscRealPart(ki);
  PetscCall(Solve_MultiplyB(p, xr, Br));
  PetscCall(MatMult(p->A, xr, u));
  PetscCall(VecAXPY(u, -kr, Br));
  if (!PetscDefined(USE_COMPLEX) && ki != 0.0) {
    PetscCall(Solve_MultiplyB(p, xi, Bi));
    PetscCall(VecAXPY(u, ki, Bi));
    PetscCall(VecNorm(u, NORM_2, &norm[0]));
    PetscCall(MatMult(p->A, xi, u));
    PetscCall(VecAXPY(u, -kr, Bi));
    PetscCall(VecAXPY(u, -ki, Br));
    PetscCall(VecNorm(u, NORM_2, &norm[1]));
    PetscCall(VecNorm(xi, NORM_2, &norm[3]));
    PetscCall(VecNorm(Bi, NORM_2, &norm[5]));
  } else PetscCall(VecNorm(u, NORM_2, &norm[0]));
  PetscCall(VecNorm(xr, NORM_2, &norm[2]));
  PetscCall(VecNorm(Br, NORM_2, &norm[4]));
  lambda         = PetscSqrtReal(r->re[i] * r->re[i] + r->im[i] * r->im[i]);
  residual       = PetscSqrtReal(norm[0] * norm[0] + norm[1] * norm[1]);
  x              = PetscSqrtReal(norm[2] * norm[2] + norm[3] * norm[3]);
  Bx             = PetscSqrtReal(norm[4] * norm[4] + norm[5] * norm[5]);
  r->residual[i] = residual == 0.0 ? 0.0 : residual / (lambda * Bx); /* an eigenvalue of zero has no relative residual */
  r->slepc[i]    = residual == 0.0 ? 0.0 : residual / (lambda * x);
  PetscCall(VecDot(Br, xr, &xBx));
  r->zero[i]     = (PetscBool)(r->norm[0] >= 0.0 && r->im[i] == 0.0 && lambda * PetscAbsScalar(xBx) <= ZERO * PETSC_MACHINE_EPSILON * r->norm[0] * x * x);
  r->backward[i] = r->norm[0] < 0.0 || r->norm[1] < 0.0 ? (PetscReal)NAN : residual == 0.0 ? 0.0 : residual / ((r->norm[0] + lambda * r->norm[1]) * x);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest sum of a row; below zero where the matrix does not know it; one for B = I */
static PetscErrorCode Solve_GetNorm(Mat A, PetscReal *norm)
{
  PetscBool has = PETSC_FALSE;

  PetscFunctionBegin;
  *norm = A ? -1.0 : 1.0;
  if (A) PetscCall(MatHasOperation(A, MATOP_NORM, &has));
  if (has) PetscCall(MatNorm(A, NORM_INFINITY, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve_DescribeSolver(EPS eps, Result *r)
{
  static const struct {
    EPSWhich    which;
    const char *name;
  } names[] = {
    {EPS_LARGEST_MAGNITUDE,  "of largest magnitude"            },
    {EPS_SMALLEST_MAGNITUDE, "of smallest magnitude"           },
    {EPS_LARGEST_REAL,       "at the upper end of the spectrum"},
    {EPS_SMALLEST_REAL,      "at the lower end of the spectrum"},
    {EPS_TARGET_MAGNITUDE,   "closest to the target"           },
    {EPS_TARGET_REAL,        "closest to the target"           },
    {EPS_ALL,                "in the interval"                 }
  };
  EPSType  type;
  EPSWhich which;

  PetscFunctionBegin;
  PetscCall(EPSGetType(eps, &type));
  PetscCall(PetscStrncpy(r->type, type, sizeof(r->type)));
  PetscCall(EPSGetWhichEigenpairs(eps, &which));
  PetscCall(PetscStrncpy(r->which, "asked for", sizeof(r->which)));
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
    if (names[i].which == which) PetscCall(PetscStrncpy(r->which, names[i].name, sizeof(r->which)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the eigenvalues mean where A is a stiffness: lambda = omega^2 or, swapped, 1/omega^2 */
static void Solve_FindFrequencies(const Options *o, Result *r)
{
  for (PetscInt i = 0; i < r->shown; i++) {
    const PetscReal square = o->swap ? 1.0 / r->re[i] : r->re[i];

    r->omega[i] = (PetscReal)NAN;
    if (r->zero[i] && !o->swap) {
      r->omega[i] = 0.0;
      r->rigid++;
    } else if (r->re[i] < 0.0) r->negative++;
    else if (r->im[i] == 0.0 && r->re[i] > 0.0) r->omega[i] = PetscSqrtReal(square);
  }
}

/* asked: how many pairs were wanted before the solve, in which some types want no more than there are unknowns */
static PetscErrorCode Solve_CheckPairs(EPS eps, const Options *o, const Problem *p, PetscInt asked, Result *r)
{
  Vec         x, *w;
  EPSWhich    which;
  PetscInt    nev;
  PetscBool   isnapi;
  const char *cause;

  PetscFunctionBegin;
  PetscCall(Solve_DescribeSolver(eps, r));
  PetscCall(EPSGetDimensions(eps, &nev, NULL, NULL));
  PetscCall(EPSGetConverged(eps, &r->nconv));
  PetscCall(EPSGetIterationNumber(eps, &r->its));
  PetscCall(EPSGetConvergedReason(eps, &r->reason));
  PetscCall(PetscObjectTypeCompare((PetscObject)eps, EPSNAPI, &isnapi));
  r->cause[0] = '\0';
  if (isnapi) {
    PetscCall(EPSNAPIGetCause(eps, &cause));
    PetscCall(PetscStrncpy(r->cause, cause, sizeof(r->cause)));
  }
  PetscCall(EPSGetTolerances(eps, &r->tol, NULL));
  PetscCall(EPSGetWhichEigenpairs(eps, &which));
  if (which != EPS_ALL) nev = PetscMax(nev, asked); /* in an interval all are wanted, however many that is */
  r->nev   = nev > 0 ? nev : r->nconv;              /* a threshold as stopping test sets no number */
  r->shown = PetscMin(r->nev, r->nconv);
  PetscCall(PetscMalloc5(r->shown, &r->re, r->shown, &r->im, r->shown, &r->residual, r->shown, &r->slepc, r->shown, &r->bound));
  PetscCall(PetscCalloc3(r->shown, &r->backward, r->shown, &r->omega, r->shown, &r->zero));
  PetscCall(Solve_GetNorm(p->A, &r->norm[0]));
  PetscCall(Solve_GetNorm(p->B, &r->norm[1]));
  r->rigid = r->negative = 0;
  PetscCall(MatCreateVecs(p->A, &x, NULL));
  PetscCall(VecDuplicateVecs(x, 5, &w));
  for (PetscInt i = 0; i < r->shown; i++) PetscCall(Solve_CheckPair(eps, p, i, w, r));
  if (o->modes) Solve_FindFrequencies(o, r);
  r->kind  = EPS_NAPI_BOUND_NONE;
  r->count = -1;
  PetscCall(PetscObjectTypeCompare((PetscObject)eps, EPSNAPI, &isnapi));
  for (PetscInt i = 0; i < r->shown && isnapi; i++) PetscCall(EPSNAPIGetErrorBound(eps, i, &r->bound[i], &r->kind));
  if (isnapi) PetscCall(EPSNAPIGetCount(eps, &r->limit, &r->count, &r->found));
  PetscCall(VecDestroyVecs(5, &w));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- the solution ------------------------------------------------------------------------------------------------------- */

PetscErrorCode NAPIEPSDestroyResult(Result *r)
{
  PetscFunctionBegin;
  PetscCall(PetscFree5(r->re, r->im, r->residual, r->slepc, r->bound));
  PetscCall(PetscFree3(r->backward, r->omega, r->zero));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The options are checked in the first solve, when it has been set up */
static PetscErrorCode Solve_Once(const Options *o, const Problem *p, PetscReal tol, EPS *eps, PetscBool *isnapi, Result *r, char message[])
{
  PetscInt  asked;
  PetscBool can;
  NAPICost  setup;

  PetscFunctionBegin;
  PetscCall(NAPIEPSCreateSolver(o, p, tol, eps, isnapi));
  PetscCall(EPSGetDimensions(*eps, &asked, NULL, NULL));
  PetscCall(Solve_LetStop(*eps, &can));
  PetscCall(NAPIShowStage("setting up"));
  if (can) PetscCall(NAPIListen(PETSC_TRUE));
  PetscCall(NAPICountedSetUp(*eps, &setup));
  if (!r->solves) PetscCall(Solve_CheckOptions(*eps, message));
  if (!message[0]) PetscCall(NAPICountedSolve(*eps, &r->cost));
  if (can) PetscCall(NAPIListen(PETSC_FALSE));
  PetscCall(NAPIShowStage(NULL));
  if (message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  r->cost.A += setup.A;
  r->cost.B += setup.B;
  r->cost.PC += setup.PC;
  r->cost.seconds += setup.seconds;
  r->cost.cpu += setup.cpu;
  PetscCall(Solve_CheckPairs(*eps, o, p, asked, r));
  r->interrupted = (PetscBool)(can && r->reason == EPS_CONVERGED_USER);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   With -true_tol, napi stops by that test itself. Any other type is given smaller and smaller tolerances of its own,
   each time in a new EPS so that it starts from the same vectors, until the pairs pass. An eigenvalue that is zero has no relative
   residual, and none is asked for.
*/
PetscErrorCode NAPIEPSSolve(const Options *o, const Problem *p, EPS *eps, Result *r, char message[])
{
  PetscReal tol = o->hastruetol ? o->truetol : 0.0, worst;
  PetscBool isnapi, again = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(r, sizeof(*r)));
  while (again) {
    PetscCall(EPSDestroy(eps));
    PetscCall(NAPIEPSDestroyResult(r));
    PetscCall(Solve_Once(o, p, tol, eps, &isnapi, r, message));
    if (message[0]) PetscFunctionReturn(PETSC_SUCCESS);
    worst = 0.0;
    r->solves++;
    r->reached = (PetscBool)(r->nconv >= r->nev && r->reason > 0 && !r->interrupted);
    again      = (PetscBool)(r->reached && o->hastruetol && !isnapi);
    for (PetscInt i = 0; i < r->shown && o->hastruetol; i++) {
      if (r->zero[i]) continue;
      if (!(r->residual[i] <= o->truetol)) r->reached = PETSC_FALSE;
      worst = PetscMax(worst, r->residual[i]);
    }
    again = (PetscBool)(again && NAPITighten(r->solves, o->truetol, worst, &tol));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
