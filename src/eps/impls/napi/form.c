/* SPDX-License-Identifier: BSD-2-Clause */
/*
   NAPI: which pair stands for the user's.

     form        pair                                        its values            inner solves with
     direct      A - sigma B, B                              lambda - sigma        B
     inverse     B, A - sigma B                              1/(lambda - sigma)    A - sigma B, which is definite
     operator    (A - sigma B)^{-1}B, in the product of B    1/(lambda - sigma)    A - sigma B, accurately

   STSHIFT is direct. STSINVERT and STCAYLEY are inverse: a sigma below the spectrum makes A - sigma B positive definite, one above
   it negative definite, and then both signs are changed; of B no more than x'B x >= 0 is asked. Where sigma turns out to lie inside
   the spectrum, A - sigma B is no inner product. Then its inverse is applied to the working accuracy, and Rayleigh-Ritz for
   that operator is what harmonic extraction is for the pair: the wanted values are the outermost ones. So it is with a
   factorisation from the start, which is as accurate as that anyway. STPRECOND is direct for the largest eigenvalues and inverse for the
   others, with the preconditioner alone in the place of the inner solver.

   Where the user chose no ST, the largest are direct; targets and the smallest inverse. Whether A is positive definite is seen on the
   way: if it is singular, the shift moves below zero; if it is indefinite, the smallest real ones are found in the direct form.
*/
#include <slepcnapi/private/napiimpl.h>
#include <slepc/private/stimpl.h>

#define NAPI_ASIDE 0.1 /* of the distance of the last wanted eigenvalue, by which a sigma is moved that is too near to the first */

/* ------------------------------------------------- the form in use ------------------------------------------------- */

/* Ritz values of the scaled pair to its eigenvalues: a positive factor does not change their order */
static PetscErrorCode EPSNAPIForm_MapShift(PetscObject obj, PetscInt n, PetscScalar *eigr, PetscScalar *eigi)
{
  PetscFunctionBegin;
  (void)eigi;
  for (PetscInt j = 0; j < n; j++) eigr[j] += ((EPS_NAPI *)((EPS)obj)->data)->sigma;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   EPSNAPISetOrder - The order of the values within the iteration. Optimal momentum, which knows the transformed values only, has
   the user's; the others find the largest magnitude. So does everybody where values are 1/(lambda - sigma).
*/
PetscErrorCode EPSNAPISetOrder(EPS eps)
{
  EPS_NAPI *ctx     = (EPS_NAPI *)eps->data;
  PetscBool optimal = (PetscBool)(ctx->momentum == EPS_NAPI_MOMENTUM_OPTIMAL), direct = (PetscBool)(ctx->form == NAPI_DIRECT), nearest;
  SlepcSC   sc;

  PetscFunctionBegin;
  nearest        = (PetscBool)(ctx->whole && ctx->which != EPS_LARGEST_MAGNITUDE && ctx->which != EPS_LARGEST_REAL && ctx->which != EPS_SMALLEST_REAL);
  ctx->magnitude = (PetscBool)(!direct || ctx->which == EPS_LARGEST_MAGNITUDE);
  ctx->smallest  = (PetscBool)(direct && ctx->which == EPS_SMALLEST_REAL);
  ctx->centre    = ctx->which == EPS_SMALLEST_MAGNITUDE ? 0.0 : eps->target / ctx->unscale;
  PetscCall(DSGetSlepcSC(eps->ds, &sc));
  sc->comparison    = !optimal || ctx->magnitude ? SlepcCompareLargestMagnitude : nearest ? SlepcCompareTargetMagnitude : ctx->smallest ? SlepcCompareSmallestReal : SlepcCompareLargestReal;
  sc->comparisonctx = nearest ? (void *)&ctx->centre : NULL;
  sc->map           = optimal && direct ? EPSNAPIForm_MapShift : NULL;
  sc->mapobj        = optimal && direct ? (PetscObject)eps : NULL;
  sc->rg            = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* EPSNAPIChooseForm - The form a solve begins with */
PetscErrorCode EPSNAPIChooseForm(EPS eps)
{
  EPS_NAPI  *ctx = (EPS_NAPI *)eps->data;
  NAPISTKind kind;

  PetscFunctionBegin;
  PetscCall(EPSNAPIGetSTKind(eps, &kind));
  ctx->whole = PETSC_FALSE;
  if (kind.shift || (kind.precond && (ctx->which == EPS_LARGEST_MAGNITUDE || ctx->which == EPS_LARGEST_REAL))) ctx->form = NAPI_DIRECT;
  else ctx->form = ctx->exact && ctx->momentum == EPS_NAPI_MOMENTUM_OPTIMAL && !kind.precond ? NAPI_OPERATOR : NAPI_INVERSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* C := A + alpha B, or A + alpha I, which is not formed */
static PetscErrorCode EPSNAPIForm_Composite(EPS eps, Mat A, Mat B, PetscScalar alpha, Mat *C)
{
  MPI_Comm          comm        = PetscObjectComm((PetscObject)eps);
  const PetscScalar scalings[2] = {1.0, alpha};
  Mat               pair[2]     = {A, B};

  PetscFunctionBegin;
  if (!B) PetscCall(MatCreateConstantDiagonal(comm, eps->nloc, eps->nloc, eps->n, eps->n, 1.0, &pair[1]));
  PetscCall(MatCreateComposite(comm, 2, pair, C));
  PetscCall(MatCompositeSetScalings(*C, scalings));
  if (!B) PetscCall(MatDestroy(&pair[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a positive matrix has rows that are zero to rounding: by its diagonal, where it has one */
static PetscErrorCode EPSNAPIForm_LooksSingular(EPS eps, Mat B, PetscBool *singular)
{
  PetscBool has = PETSC_FALSE;
  PetscReal least, most;
  Vec       d;

  PetscFunctionBegin;
  *singular = PETSC_FALSE;
  if (B) PetscCall(MatHasOperation(B, MATOP_GET_DIAGONAL, &has));
  if (!has) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatCreateVecs(B, &d, NULL));
  PetscCall(MatGetDiagonal(B, d));
  PetscCall(VecAbs(d));
  PetscCall(VecMin(d, NULL, &least));
  PetscCall(VecMax(d, NULL, &most));
  PetscCall(VecDestroy(&d));
  *singular = (PetscBool)(most > 0.0 && least <= PETSC_MACHINE_EPSILON * most);
  if (*singular) PetscCall(PetscInfo(eps, "%s\n", NAPI_NEARLY_SINGULAR));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The norm of a matrix, as a random vector sees it */
static PetscErrorCode EPSNAPIForm_Norm(Mat A, PetscReal *norm)
{
  PetscReal xnorm;
  Vec       x, y;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSetRandom(x, NULL));
  PetscCall(MatMult(A, x, y));
  PetscCall(VecNorm(x, NORM_2, &xnorm));
  PetscCall(VecNorm(y, NORM_2, norm));
  if (xnorm > 0.0) *norm /= xnorm;
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* EPSNAPIBeginForm - The pair of the form in use, of which nothing is known yet */
PetscErrorCode EPSNAPIBeginForm(EPS eps)
{
  EPS_NAPI   *ctx = (EPS_NAPI *)eps->data;
  PetscScalar sigma;
  PetscInt    nmat;
  STMatMode   mode;
  NAPISTKind  kind;
  KSP         ksp;
  Mat         A, B = NULL;

  PetscFunctionBegin;
  PetscCall(EPSNAPIGetSTKind(eps, &kind));
  PetscCall(STGetNumMatrices(eps->st, &nmat));
  A = eps->st->A[0]; /* which STGetMatrix() does not give where it is shifted in place */
  if (nmat > 1) B = eps->st->A[1];
  PetscCall(STGetShift(eps->st, &sigma));
  if (kind.precond && ctx->form == NAPI_DIRECT) sigma = 0.0;
  PetscCall(STGetMatMode(eps->st, &mode));
  ctx->usersigma = PetscRealPart(sigma);
  ctx->sigma     = ctx->form == NAPI_DIRECT && (kind.shift || mode == ST_MATMODE_INPLACE) ? ctx->usersigma : 0.0; /* in place, A is A - sigma B */
  PetscCall(MatDestroy(&ctx->C));
  ctx->A = ctx->B = NULL;
  ctx->pairmult   = NULL;
  switch (ctx->form) {
  case NAPI_DIRECT:
    ctx->A = A;
    ctx->B = B;
    if (kind.shift) { /* A - sigma B */
      PetscCall(STGetMatrixTransformed(eps->st, 0, &ctx->A));
      if (B) PetscCall(STGetMatrixTransformed(eps->st, 1, &ctx->B));
      if (B) PetscCall(PetscObjectQueryFunction((PetscObject)A, "MatPairMult_C", &ctx->pairmult));
    }
    break;
  case NAPI_INVERSE:
    ctx->A = B;
    ctx->B = A;
    if (!kind.precond) {
      PetscCall(STGetKSP(eps->st, &ksp));
      PetscCall(KSPGetOperators(ksp, &ctx->B, NULL));
    } else if (sigma != 0.0 && !eps->st->Pmat) ctx->B = eps->st->P;
    else if (sigma != 0.0) { /* the preconditioner is made from another matrix */ PetscCall(EPSNAPIForm_Composite(eps, A, B, -sigma, &ctx->C));
      ctx->B = ctx->C;
    }
    break;
  default:
    break;
  }
  /* of a standard problem that is self-adjoint in another inner product, the user gives that to the BV after set-up */
  if (ctx->form == NAPI_OPERATOR) ctx->G = B;
  else ctx->G = ctx->B;
  if (!ctx->G) PetscCall(BVGetMatrix(eps->V, &ctx->G, NULL));
  ctx->factor = 1.0;
  if (kind.cayley) {
    PetscScalar nu;

    PetscCall(STCayleyGetAntishift(eps->st, &nu));
    ctx->factor = ctx->usersigma + PetscRealPart(nu);
    PetscCheck(ctx->factor != 0.0, PetscObjectComm((PetscObject)eps), PETSC_ERR_USER_INPUT, "An antishift that is the negative shift makes all transformed eigenvalues the same: use -st_type sinvert");
  }
  ctx->cayley = kind.cayley;
  ctx->unfit  = NAPI_FIT;
  ctx->sign   = 1.0;
  ctx->ascale = ctx->anorm = 0.0;
  ctx->bscale              = ctx->G ? 0.0 : 1.0;
  if (ctx->form == NAPI_OPERATOR) ctx->ascale = 1.0;
  ctx->bnorm = ctx->bhalf = ctx->unscale = ctx->amplify = 1.0;
  ctx->oprtol                                           = 0.0;
  ctx->cause                                            = NULL;
  if (ctx->form == NAPI_OPERATOR) PetscCall(EPSNAPIForm_Norm(A, &ctx->anorm));
  ctx->nearlysingular = PETSC_FALSE;
  if (ctx->form == NAPI_DIRECT) PetscCall(EPSNAPIForm_LooksSingular(eps, B, &ctx->nearlysingular));
  PetscCall(EPSNAPISetOrder(eps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* EPSNAPILambda - The user's eigenvalue, from a value of the scaled pair */
PetscReal EPSNAPILambda(EPS_NAPI *ctx, PetscReal theta)
{
  return ctx->form == NAPI_DIRECT ? (theta + ctx->sigma) * ctx->unscale : ctx->usersigma + 1.0 / (theta * ctx->unscale);
}

/* EPSNAPIShown - What SLEPc has in eps->eigr of it, and takes back by STBackTransform() */
PetscScalar EPSNAPIShown(EPS eps, PetscReal theta)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;

  if (ctx->pconly) return EPSNAPILambda(ctx, theta);
  if (ctx->whole) { /* the direct form of what SLEPc takes for inverted */
    theta = EPSNAPILambda(ctx, theta) - ctx->usersigma;
    return (ctx->cayley ? 1.0 : 0.0) + (PetscAbsReal(theta) > 4.0 / PETSC_MAX_REAL ? ctx->factor / theta : PETSC_MAX_REAL);
  }
  return (ctx->cayley ? 1.0 : 0.0) + ctx->factor * theta * ctx->unscale;
}

/* EPSNAPIFormView - Which form was in use, and whether it has inner solves with a criterion */
PetscErrorCode EPSNAPIFormView(EPS eps, PetscViewer viewer, PetscBool *solves)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;

  PetscFunctionBegin;
  *solves = (PetscBool)((ctx->form == NAPI_DIRECT ? eps->isgeneralized : ctx->form == NAPI_INVERSE) && !ctx->pconly);
  if (eps->state < EPS_STATE_SETUP) PetscFunctionReturn(PETSC_SUCCESS);
  if (ctx->form == NAPI_INVERSE)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  works on: B x = theta (A - sigma B) x, sigma = %g%s\n", (double)ctx->usersigma, ctx->pconly ? ", the preconditioner in the place of its inverse" : ", and solves with A - sigma B"));
  else if (ctx->form == NAPI_OPERATOR) PetscCall(PetscViewerASCIIPrintf(viewer, "  works on: (A - sigma B)^{-1} B, sigma = %g%s\n", (double)ctx->usersigma, ctx->exact ? ", by a factorisation" : ", inside the spectrum"));
  else if (ctx->whole) PetscCall(PetscViewerASCIIPrintf(viewer, "  works on: A x = lambda B x in a basis of everything\n"));
  if (ctx->form == NAPI_OPERATOR && !ctx->exact) PetscCall(PetscViewerASCIIPrintf(viewer, "  accuracy of the inner solver: rtol = %g\n", (double)ctx->oprtol));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   EPSNAPIFormVectors - Makes the first n columns of V, with the values theta, what a user expects: x'B x = 1. They come with
   x'(scaled B)x = 1, or x'(scaled A - sigma B)x = 1 = x'(scaled B)x/theta, or, from an operator, of any size.
*/
PetscErrorCode EPSNAPIFormVectors(EPS eps, PetscInt n, const PetscReal theta[])
{
  EPS_NAPI   *ctx = (EPS_NAPI *)eps->data;
  PetscScalar square;
  PetscReal   factor;
  Vec         v, bv;

  PetscFunctionBegin;
  PetscCall(BVCreateVec(eps->V, &bv));
  for (PetscInt j = 0; j < n; j++) {
    factor = ctx->bhalf;
    if (ctx->form == NAPI_INVERSE) factor = theta[j] != 0.0 ? PetscSqrtReal(PetscAbsReal(ctx->ascale / theta[j])) : 1.0;
    if (ctx->form == NAPI_OPERATOR) {
      PetscCall(BVGetColumn(eps->V, j, &v));
      if (ctx->G) PetscCall(MatMult(ctx->G, v, bv));
      else PetscCall(VecCopy(v, bv));
      PetscCall(VecDot(bv, v, &square));
      PetscCall(BVRestoreColumn(eps->V, j, &v));
      factor = PetscAbsScalar(square) > 0.0 ? 1.0 / PetscSqrtReal(PetscAbsScalar(square)) : 1.0;
    }
    if (factor != 1.0) PetscCall(BVScaleColumn(eps->V, j, factor));
  }
  PetscCall(VecDestroy(&bv));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- whether it serves ------------------------------------------------- */

/* EPSNAPIUnfit - The form in use does not serve: the solve ends, unless there is another */
PetscErrorCode EPSNAPIUnfit(EPS eps, NAPIUnfit unfit)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;

  PetscFunctionBegin;
  ctx->unfit  = unfit;
  eps->reason = EPS_DIVERGED_BREAKDOWN;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Whether sigma is so near to an eigenvalue, compared with the other wanted ones, that the accuracy of the products is that of the first
   value and leaves nothing to the others. Moving it would cost that eigenvalue digits where it is nearly zero.
*/
static PetscBool EPSNAPIForm_IsNear(EPS eps, const PetscReal theta[])
{
  EPS_NAPI       *ctx  = (EPS_NAPI *)eps->data;
  NAPIWindow     *w    = &ctx->window;
  const PetscReal near = ctx->form == NAPI_OPERATOR ? 1e3 : 1e6; /* times nearer: as many digits are lost; an operator has none to spare */
  const PetscReal part = 1e-3;                                   /* of the distance that sigma is moved by */
  PetscReal       last;

  if (ctx->momentum != EPS_NAPI_MOMENTUM_OPTIMAL || ctx->exact || ctx->moved || w->side[0].m < w->k + 2 * w->bs) return PETSC_FALSE; /* what is not there yet is as good as infinitely far */
  last = PetscAbsReal(theta[PetscMin(w->k, w->side[0].m) - 1]);
  return (PetscBool)(last > 0.0 && PetscAbsReal(theta[0]) > near * last && PetscAbsReal(EPSNAPILambda(ctx, theta[0])) > part * NAPI_ASIDE / (last * ctx->unscale));
}

/*
   EPSNAPICheckFit - What the m values in sight say of A - sigma B. A negative one says that there is an eigenvalue below sigma, a positive
   one that there is one above, each of which may be what was not asked for. One so large that x'(A - sigma B)x is rounding says that it is
   singular: what is orthonormal in it then means nothing.
*/
PetscErrorCode EPSNAPICheckFit(EPS eps, PetscInt m, const PetscReal theta[])
{
  const PetscReal rounding   = 100.0 * PETSC_MACHINE_EPSILON; /* of x'(A - sigma B)x, relative to its norm */
  const PetscReal nothing    = 1e-11;                         /* of the largest value: not told apart from 0 */
  const PetscReal indefinite = 1e-8;                          /* of it, on the other side: no rounding */
  EPS_NAPI       *ctx        = (EPS_NAPI *)eps->data;
  PetscReal       most = 0.0, least = 0.0;

  PetscFunctionBegin;
  if (ctx->form == NAPI_DIRECT || eps->reason) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt j = 0; j < m; j++) {
    most  = PetscMax(most, theta[j]);
    least = PetscMin(least, theta[j]);
  }
  if (EPSNAPIForm_IsNear(eps, theta)) PetscCall(EPSNAPIUnfit(eps, NAPI_NEAR));
  else if (ctx->form == NAPI_INVERSE && least < -indefinite * most && most > -indefinite * least) PetscCall(EPSNAPIDiverged(eps, "B is indefinite: x'B x takes both signs. krylovschur solves such problems with -eps_gen_indefinite"));
  else if (ctx->form == NAPI_INVERSE && PetscMax(most, -least) * ctx->bnorm * rounding >= ctx->anorm && ctx->anorm > 0.0) PetscCall(EPSNAPIUnfit(eps, NAPI_SINGULAR));
  else if (ctx->which == EPS_SMALLEST_REAL && least < -nothing * most) PetscCall(EPSNAPIUnfit(eps, NAPI_INDEFINITE));
  else if (ctx->which == EPS_LARGEST_REAL && most > -nothing * least) PetscCall(EPSNAPIUnfit(eps, NAPI_INDEFINITE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether there is no eigenvalue below a limit: positive definite is what CG finds no negative curvature in, as it is with A itself */
static PetscErrorCode EPSNAPIForm_NoneBelow(EPS eps, PetscReal limit, PetscBool *none)
{
  const PetscInt     steps   = 1000;
  EPS_NAPI          *ctx     = (EPS_NAPI *)eps->data;
  PetscReal          shifted = 0.0;
  PetscInt           nmat;
  KSPConvergedReason reason;
  STMatMode          mode;
  KSP                ksp;
  PC                 pc;
  Vec                x, b;

  PetscFunctionBegin;
  PetscCall(MatDestroy(&ctx->C));
  PetscCall(STGetNumMatrices(eps->st, &nmat));
  PetscCall(STGetMatMode(eps->st, &mode));
  if (mode == ST_MATMODE_INPLACE) shifted = ctx->usersigma; /* A holds A - sigma B */
  PetscCall(EPSNAPIForm_Composite(eps, eps->st->A[0], nmat > 1 ? eps->st->A[1] : NULL, shifted - limit, &ctx->C));
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)eps), &ksp));
  PetscCall(KSPSetOperators(ksp, ctx->C, ctx->C));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCNONE));
  PetscCall(KSPSetTolerances(ksp, 1e-10, 0.0, 1e30, steps));
  PetscCall(MatCreateVecs(ctx->C, &x, &b));
  PetscCall(VecSetRandom(b, NULL));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  *none = (PetscBool)(reason != KSP_DIVERGED_INDEFINITE_MAT && reason != KSP_DIVERGED_NANORINF);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   EPSNAPICovered - The first n values are those nearest to sigma. Are the first k of the user's order among them? All eigenvalues
   between sigma and the farthest of them, on both sides, are known, and there are none on a side where no value has been seen.
   Every eigenvalue that could come before one of those k has to lie there.
*/
PetscErrorCode EPSNAPICovered(EPS eps, PetscInt n, PetscInt k, const PetscReal theta[], PetscBool *covered)
{
  EPS_NAPI *ctx    = (EPS_NAPI *)eps->data;
  PetscReal centre = ctx->which == EPS_SMALLEST_MAGNITUDE || ctx->which == EPS_LARGEST_MAGNITUDE ? 0.0 : PetscRealPart(eps->target), *distance, reach = 0.0, radius, slack;
  PetscBool above = PETSC_FALSE, below = PETSC_FALSE;

  PetscFunctionBegin;
  *covered = PETSC_TRUE;
  if (ctx->form == NAPI_DIRECT || !n || ctx->which == EPS_SMALLEST_REAL || ctx->which == EPS_LARGEST_REAL || (centre == ctx->usersigma && ctx->which != EPS_LARGEST_MAGNITUDE)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(n, &distance));
  for (PetscInt j = 0; j < n; j++) {
    const PetscReal lambda = EPSNAPILambda(ctx, theta[j]);

    distance[j] = PetscAbsReal(lambda - centre);
    reach       = PetscMax(reach, PetscAbsReal(lambda - ctx->usersigma));
    if (theta[j] > 0.0) above = PETSC_TRUE;
    else below = PETSC_TRUE;
  }
  PetscCall(PetscSortReal(n, distance));
  if (ctx->which == EPS_LARGEST_MAGNITUDE) { /* sigma is above all of them; and of the other end nothing is known */
    PetscCall(EPSNAPIForm_NoneBelow(eps, -distance[0], covered));
    if (above || ctx->form == NAPI_OPERATOR) *covered = PETSC_FALSE;
  } else {
    radius   = distance[PetscMin(n, k) - 1];
    slack    = PetscSqrtReal(PETSC_MACHINE_EPSILON) * reach;
    *covered = (PetscBool)((!below || centre - radius >= ctx->usersigma - reach - slack) && (!above || centre + radius <= ctx->usersigma + reach + slack));
  }
  PetscCall(PetscFree(distance));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* EPSNAPINotCovered - Says so, and ends */
PetscErrorCode EPSNAPINotCovered(EPS eps)
{
  EPS_NAPI *ctx    = (EPS_NAPI *)eps->data;
  PetscReal centre = ctx->which == EPS_SMALLEST_MAGNITUDE ? 0.0 : PetscRealPart(eps->target);

  PetscFunctionBegin;
  if (ctx->which == EPS_LARGEST_MAGNITUDE) PetscCall(EPSNAPIDiverged(eps, "the eigenvalues nearest to the target were found, which need not be those of largest magnitude: use -st_type shift, or -eps_largest_real with a target above the spectrum"));
  else {
    PetscCall(PetscSNPrintf(ctx->words, sizeof(ctx->words), "the eigenvalues nearest to the shift %g were found, which need not be those nearest to %g: use -st_shift %g", (double)ctx->usersigma, (double)centre, (double)centre));
    PetscCall(EPSNAPIDiverged(eps, ctx->words));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- another one ------------------------------------------------- */

/* Below zero, by as much as the first eigenvalues that are not zero seem to be: what the shift can be where A is singular */
static PetscReal EPSNAPIForm_Below(EPS eps)
{
  const PetscReal zero = 1e-9, part = 0.1; /* of ||A||/||B||: what is not larger may be zero; and of the eigenvalue, to err on the near side */
  EPS_NAPI       *ctx  = (EPS_NAPI *)eps->data;
  NAPIWindow     *w    = &ctx->window;
  PetscReal       size = ctx->anorm > 0.0 ? ctx->bnorm / ctx->anorm : 1.0, least = PETSC_MAX_REAL;

  if (ctx->momentum == EPS_NAPI_MOMENTUM_OPTIMAL)
    for (PetscInt j = 0; j < w->side[0].m; j++)
      if (w->theta[j] > 0.0 && 1.0 / w->theta[j] > zero * size) least = PetscMin(least, 1.0 / w->theta[j]);
  if (least == PETSC_MAX_REAL) least = 1e-4 * size;
  return -part * least / ctx->unscale;
}

/* Away from an eigenvalue that is too near, by a part of the distance of the last wanted one, and not towards the next */
static PetscReal EPSNAPIForm_Aside(EPS eps)
{
  EPS_NAPI   *ctx  = (EPS_NAPI *)eps->data;
  NAPIWindow *w    = &ctx->window;
  PetscReal   step = NAPI_ASIDE / PetscAbsReal(w->theta[PetscMin(w->k, w->side[0].m) - 1]) / ctx->unscale, room[2] = {step, step};

  for (PetscInt j = 0; j < w->side[0].m; j++)
    for (int i = 0; i < 2; i++)
      if (w->theta[j] != 0.0) room[i] = PetscMin(room[i], PetscAbsReal(1.0 / w->theta[j] / ctx->unscale - (i ? step : -step)));
  if (ctx->form == NAPI_INVERSE) return ctx->usersigma + (w->theta[0] > 0.0 ? -step : step); /* outside of the spectrum it stays */
  return ctx->usersigma + (room[1] >= room[0] ? step : -step);
}

/* What to say where there is no other form */
static PetscErrorCode EPSNAPIForm_Explain(EPS eps, PetscReal below)
{
  EPS_NAPI *ctx   = (EPS_NAPI *)eps->data;
  double    sigma = (double)ctx->usersigma;
  char     *words = ctx->words;
  size_t    size  = sizeof(ctx->words);

  PetscFunctionBegin;
  if (ctx->form == NAPI_DIRECT) PetscFunctionReturn(PETSC_SUCCESS);
  if (ctx->unfit == NAPI_SINGULAR && sigma == 0.0)
    PetscCall(PetscSNPrintf(words, size, "A is singular, and its null space is not known: use a target below zero (-eps_target %g, say), or give the null space by MatSetNullSpace() or EPSSetDeflationSpace()", (double)below));
  else if (ctx->unfit == NAPI_SINGULAR) PetscCall(PetscSNPrintf(words, size, "the target %g is an eigenvalue, to rounding: move it a little", sigma));
  else if (ctx->which == EPS_SMALLEST_REAL) PetscCall(PetscSNPrintf(words, size, "there are eigenvalues below the target %g: the smallest are found with an -eps_target below all of them", sigma));
  else if (ctx->which == EPS_LARGEST_REAL) PetscCall(PetscSNPrintf(words, size, "there are eigenvalues above the target %g: the largest are found with an -eps_target above all of them, or with -st_type shift", sigma));
  else if (ctx->pconly) PetscCall(PetscSNPrintf(words, size, "the target %g lies inside the spectrum, where a preconditioner alone does not serve: use -st_type sinvert, or jd", sigma));
  else if (ctx->momentum != EPS_NAPI_MOMENTUM_OPTIMAL)
    PetscCall(PetscSNPrintf(words, size, "the target %g lies inside the spectrum: momentum %s needs one below or above it, or use -eps_napi_momentum optimal", sigma, EPSNAPIMomentums[ctx->momentum]));
  else {
    KSP ksp;

    PetscCall(STGetKSP(eps->st, &ksp));
    PetscCall(PetscSNPrintf(words, size, "the target %g lies inside the spectrum, where A - sigma B is not definite and '%s' does not serve: use -st_ksp_type minres, a factorisation (-st_ksp_type preonly -st_pc_type lu), or a target outside", sigma,
                            ((PetscObject)ksp)->type_name));
  }
  PetscCall(EPSNAPIDiverged(eps, words));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Minimal residuals in the place of block CG, which is for definite matrices */
static PetscErrorCode EPSNAPIForm_UseMINRES(EPS eps)
{
  PetscBool jacobi;
  KSP       ksp;
  PC        pc;
  Mat       A, P;

  PetscFunctionBegin;
  PetscCall(STGetKSP(eps->st, &ksp));
  PetscCall(KSPSetType(ksp, KSPMINRES));
  ((EPS_NAPI *)eps->data)->ksptype = KSPMINRES;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCJACOBI, &jacobi));
  if (((EPS_NAPI *)eps->data)->pcchosen && jacobi) {
    PetscCall(PCGetOperators(pc, &A, &P));
    PetscCall(PetscObjectReference((PetscObject)A));
    PetscCall(PetscObjectReference((PetscObject)P));
    PetscCall(PCReset(pc)); /* the signs of the diagonal are those of the preconditioner, which has to be positive */
    PetscCall(PCJacobiSetUseAbs(pc, PETSC_TRUE));
    PetscCall(KSPSetOperators(ksp, A, P));
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&P));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Another shift, until EPSNAPIUnmove() */
static PetscErrorCode EPSNAPIForm_Move(EPS eps, PetscReal sigma)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;

  PetscFunctionBegin;
  ctx->moved    = PETSC_TRUE;
  ctx->before   = eps->st->sigma;
  ctx->sigmaset = eps->st->sigma_set;
  PetscCall(STSetShift(eps->st, sigma));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* EPSNAPIUnmove - The user's shift is put back */
PetscErrorCode EPSNAPIUnmove(EPS eps)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;

  PetscFunctionBegin;
  if (!ctx->moved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(STSetShift(eps->st, ctx->before));
  eps->st->sigma_set = ctx->sigmaset;
  ctx->moved         = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   EPSNAPIAnotherForm - After a solve whose form was unfit: is there another? Otherwise says what to do.
*/
PetscErrorCode EPSNAPIAnotherForm(EPS eps, PetscBool *another)
{
  const PetscReal semidefinite = 1e-11; /* of ||A - sigma B||/||B||: what is not farther below zero is zero */
  EPS_NAPI       *ctx          = (EPS_NAPI *)eps->data;
  PetscBool       definite, none;
  PetscReal       below;
  KSP             ksp;

  PetscFunctionBegin;
  *another = PETSC_FALSE;
  if (ctx->form == NAPI_OPERATOR && eps->reason == EPS_DIVERGED_BREAKDOWN && ctx->room == eps->n - ctx->ny && (ctx->unfit == NAPI_FIT || ctx->unfit == NAPI_NEAR)) {
    PetscCall(PetscInfo(eps, "A problem as small as this is solved in a basis of everything\n"));
    ctx->form  = NAPI_DIRECT;
    ctx->whole = *another = PETSC_TRUE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* the smallest can be found with solves of B, too, whatever it was that A - sigma B was not fit for */
  if (ctx->form == NAPI_INVERSE && ctx->unfit == NAPI_FIT && eps->reason == EPS_DIVERGED_BREAKDOWN && ctx->stchosen && ctx->inverted && ctx->which == EPS_SMALLEST_REAL) ctx->unfit = NAPI_INDEFINITE;
  if (ctx->unfit == NAPI_FIT || eps->reason >= 0) PetscFunctionReturn(PETSC_SUCCESS);
  below    = EPSNAPIForm_Below(eps);
  *another = PETSC_TRUE;
  if (ctx->form == NAPI_INVERSE && ctx->unfit == NAPI_INDEFINITE && ctx->sign > 0.0) { /* what is semi-definite to rounding may look so, too */
    PetscCall(EPSNAPIForm_NoneBelow(eps, ctx->usersigma - semidefinite * (ctx->anorm > 0.0 ? ctx->bnorm / ctx->anorm : 1.0) / ctx->unscale, &none));
    if (none) ctx->unfit = NAPI_SINGULAR;
  }
  PetscCall(STGetKSP(eps->st, &ksp));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)ksp, &definite, KSPBLOCKCG, KSPCG, ""));
  if (ctx->unfit == NAPI_NEAR) {
    below = EPSNAPIForm_Aside(eps);
    PetscCall(PetscInfo(eps, "The target is nearly an eigenvalue: moving the shift from %g to %g\n", (double)ctx->usersigma, (double)below));
    PetscCall(EPSNAPIForm_Move(eps, below));
  } else if (ctx->stchosen && ctx->inverted && ctx->unfit == NAPI_SINGULAR && ctx->usersigma == 0.0) {
    PetscCall(PetscInfo(eps, "A is singular: moving the shift from 0 to %g\n", (double)below));
    PetscCall(EPSNAPIForm_Move(eps, below));
  } else if (ctx->which == EPS_SMALLEST_REAL && ((ctx->stchosen && ctx->inverted) || ctx->pconly) && ctx->form != NAPI_DIRECT) {
    PetscCall(PetscInfo(eps, "A is not positive definite: looking for its smallest eigenvalues with solves of B. A target below the spectrum (-eps_target) may be faster\n"));
    ctx->form = NAPI_DIRECT;
    if (!ctx->pconly) {
      PetscCall(EPSNAPIUnmove(eps));
      PetscCall(STSetType(eps->st, STSHIFT));
      if (!eps->st->sigma_set) eps->st->sigma = 0.0;
      ctx->inverted = PETSC_FALSE;
      PetscCall(STSetUp(eps->st));
    }
  } else if (ctx->form == NAPI_INVERSE && ctx->unfit == NAPI_INDEFINITE && !ctx->pconly && ctx->momentum == EPS_NAPI_MOMENTUM_OPTIMAL && ctx->which != EPS_SMALLEST_REAL && ctx->which != EPS_LARGEST_REAL && (ctx->kspchosen || !definite)) {
    PetscCall(PetscInfo(eps, "The target %g lies inside the spectrum: its operator is applied to the working accuracy from now on\n", (double)ctx->usersigma));
    if (ctx->kspchosen) PetscCall(EPSNAPIForm_UseMINRES(eps));
    ctx->form = NAPI_OPERATOR;
  } else {
    *another = PETSC_FALSE;
    PetscCall(EPSNAPIForm_Explain(eps, below));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
