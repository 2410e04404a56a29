/* SPDX-License-Identifier: BSD-2-Clause */
/*
   NAPI: set-up of the ST, and of the inner solver that it has, for what is wanted. All of it is done before STSetUp(), which would fail
   with less to say. What is then made of the ST is in form.c.
*/
#include <slepcnapi/private/napiimpl.h>
#include <slepc/private/stimpl.h>

/* EPSNAPIGetSTKind - Of which type the ST is */
PetscErrorCode EPSNAPIGetSTKind(EPS eps, NAPISTKind *kind)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)eps->st, STSHIFT, &kind->shift));
  PetscCall(PetscObjectTypeCompare((PetscObject)eps->st, STSINVERT, &kind->sinvert));
  PetscCall(PetscObjectTypeCompare((PetscObject)eps->st, STCAYLEY, &kind->cayley));
  PetscCall(PetscObjectTypeCompare((PetscObject)eps->st, STPRECOND, &kind->precond));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The order of a user's own: it has to be that of the values, or the opposite one, whichever values it is asked about */
static PetscErrorCode EPSNAPITransform_UserOrder(EPS eps, EPSWhich *which)
{
  const PetscReal size[] = {1e-6, 1e-3, 0.1, 1.0, 2.0, 10.0, 1e3, 1e6};
  const PetscInt  n      = (PetscInt)PETSC_STATIC_ARRAY_LENGTH(size);
  PetscInt        larger = 0, smaller = 0, order;

  PetscFunctionBegin;
  PetscCheck(eps->sc->comparison, PetscObjectComm((PetscObject)eps), PETSC_ERR_ARG_WRONGSTATE, "A user-defined order needs EPSSetEigenvalueComparison()");
  for (PetscInt i = 0; i < 2 * n; i++) {
    const PetscReal a = i < n ? -size[n - 1 - i] : size[i - n];

    for (PetscInt j = 0; j < i; j++) {
      const PetscReal b = j < n ? -size[n - 1 - j] : size[j - n]; /* < a */

      PetscCall((*eps->sc->comparison)(a, 0.0, b, 0.0, &order, eps->sc->comparisonctx));
      if (order < 0) larger++;
      if (order > 0) smaller++;
    }
  }
  PetscCheck((larger && !smaller) || (smaller && !larger), PetscObjectComm((PetscObject)eps), PETSC_ERR_SUP, "The solver 'napi' supports user-defined orders that are those of the largest or of the smallest real eigenvalues only: use a target (-eps_target), or krylovschur");
  *which = larger ? EPS_LARGEST_REAL : EPS_SMALLEST_REAL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a matrix is known, or by its diagonal may be, positive definite */
static PetscErrorCode EPSNAPITransform_MayBePositive(Mat A, PetscBool *may)
{
  PetscBool set, spd, has;
  PetscReal least;
  Vec       d;

  PetscFunctionBegin;
  *may = PETSC_TRUE;
  PetscCall(MatIsSPDKnown(A, &set, &spd));
  if (set) *may = spd;
  if (set) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatHasOperation(A, MATOP_GET_DIAGONAL, &has));
  if (!has) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatCreateVecs(A, &d, NULL));
  PetscCall(MatGetDiagonal(A, d));
  PetscCall(VecRealPart(d));
  PetscCall(VecMin(d, NULL, &least));
  PetscCall(VecDestroy(&d));
  *may = (PetscBool)(least > 0.0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The ST where it is ours to choose: what we gave it before is still there, and nobody has named another */
static PetscErrorCode EPSNAPITransform_ChooseST(EPS eps)
{
  EPS_NAPI  *ctx = (EPS_NAPI *)eps->data;
  PetscBool  named, invert;
  NAPISTKind kind;
  Mat        A;

  PetscFunctionBegin;
  PetscCall(EPSNAPIGetSTKind(eps, &kind));
  PetscCall(PetscOptionsHasName(((PetscObject)eps->st)->options, ((PetscObject)eps->st)->prefix, "-st_type", &named));
  if (named || (!kind.shift && !(kind.sinvert && ctx->stchosen == PETSC_TRUE && ctx->inverted))) ctx->stchosen = PETSC_FALSE;
  if (!ctx->stchosen) PetscFunctionReturn(PETSC_SUCCESS);
  invert = (PetscBool)(ctx->which == EPS_TARGET_MAGNITUDE || ctx->which == EPS_TARGET_REAL || ctx->which == EPS_SMALLEST_MAGNITUDE);
  if (ctx->which == EPS_SMALLEST_REAL && !eps->st->sigma_set) {
    PetscCall(STGetMatrix(eps->st, 0, &A));
    PetscCall(EPSNAPITransform_MayBePositive(A, &invert));
  }
  PetscCall(STSetType(eps->st, invert ? STSINVERT : STSHIFT));
  if (!invert && !eps->st->sigma_set) eps->st->sigma = 0.0; /* not the target of another solve */
  ctx->inverted = invert;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* EPSNAPISetUpForm - What is wanted, and the ST for it; refuses what cannot be done, by name. Done before STSetUp() */
PetscErrorCode EPSNAPISetUpForm(EPS eps)
{
  EPS_NAPI   *ctx  = (EPS_NAPI *)eps->data;
  MPI_Comm    comm = PetscObjectComm((PetscObject)eps);
  const char *type;
  PetscBool   largest;
  NAPISTKind  kind;

  PetscFunctionBegin;
  PetscCheck(eps->which != EPS_ALL, comm, PETSC_ERR_SUP, "The solver 'napi' does not support spectrum slicing: all the eigenvalues in an interval are found by krylovschur or ciss, those nearest to a point by -eps_target");
  PetscCall(EPSNAPIGetSTKind(eps, &kind));
  if (!eps->which) eps->which = kind.sinvert || kind.cayley ? EPS_TARGET_MAGNITUDE : EPS_LARGEST_MAGNITUDE;
  ctx->which = eps->which;
  if (eps->which == EPS_WHICH_USER) PetscCall(EPSNAPITransform_UserOrder(eps, &ctx->which));
  if (ctx->stchosen) PetscCall(EPSNAPITransform_ChooseST(eps));
  PetscCall(EPSNAPIGetSTKind(eps, &kind));
  type = ((PetscObject)eps->st)->type_name;
  PetscCheck(kind.shift || kind.sinvert || kind.cayley || kind.precond, comm, PETSC_ERR_SUP, "The solver 'napi' supports the spectral transformations 'shift', 'sinvert', 'cayley' and 'precond', not '%s': give one of them to STSetType() where that is called, or to -st_type", type);
  largest = (PetscBool)(ctx->which == EPS_LARGEST_MAGNITUDE || ctx->which == EPS_LARGEST_REAL);
  PetscCheck(!kind.shift || largest || ctx->which == EPS_SMALLEST_REAL, comm, PETSC_ERR_SUP, "With the spectral transformation 'shift' the solver 'napi' finds the largest and smallest real eigenvalues and those of largest magnitude: for a target, or the smallest magnitude, leave out -st_type, or use -st_type sinvert");
  PetscCheck(ctx->momentum == EPS_NAPI_MOMENTUM_OPTIMAL || kind.shift || kind.sinvert, comm, PETSC_ERR_SUP, "Momentum %s works with the spectral transformations 'shift' and 'sinvert', not '%s': use -st_type sinvert, or -eps_napi_momentum optimal",
             EPSNAPIMomentums[ctx->momentum], type);

  /* what SLEPc makes of the values depends on the category: of those of STPRECOND, and where we do it ourselves, nothing */
  eps->categ = kind.shift ? EPS_CATEGORY_OTHER : kind.precond ? EPS_CATEGORY_PRECOND : EPS_CATEGORY_CONTOUR;
  if (kind.precond && largest) PetscCall(STSetDefaultShift(eps->st, PETSC_MAX_REAL)); /* preconditioned by B, as gd and jd have it */
  if (kind.precond) PetscCall(STPrecondSetKSPHasMat(eps->st, PETSC_TRUE));            /* what it is made from is set as the matrix of the KSP, too */
  ctx->pconly = kind.precond;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   With ST_MATMODE_SHELL A - sigma B is a function, and preconditioners that need its entries get a matrix that has them; Jacobi the diagonal
   alone, since that of the function is the one of B - sigma A (SLEPc 3.18 to 3.26).
*/
static PetscErrorCode EPSNAPITransform_Precondition(EPS eps, PC pc, PetscScalar sigma)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;
  Mat       A   = eps->st->A[0], B, P;
  PetscBool jacobi, blind, rows, others = PETSC_TRUE;
  PetscInt  nmat;
  STMatMode mode;
  Vec       a, b;

  PetscFunctionBegin;
  PetscCall(STGetMatMode(eps->st, &mode));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCJACOBI, &jacobi));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &blind, PCNONE, PCSHELL, PCMAT, PCKSP, ""));
  if (mode != ST_MATMODE_SHELL || eps->st->Pmat || eps->st->Psplit || blind) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(STGetNumMatrices(eps->st, &nmat));
  B = nmat > 1 ? eps->st->A[1] : NULL;
  if (jacobi) {
    if (!B) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(MatCreateVecs(A, &a, NULL));
    PetscCall(VecDuplicate(a, &b));
    PetscCall(MatGetDiagonal(A, a));
    PetscCall(MatGetDiagonal(B, b));
    PetscCall(VecAXPY(a, -sigma, b));
    PetscCall(MatCreateAIJ(PetscObjectComm((PetscObject)eps), eps->nloc, eps->nloc, eps->n, eps->n, 1, NULL, 0, NULL, &P));
    PetscCall(MatDiagonalSet(P, a, INSERT_VALUES));
    PetscCall(VecDestroy(&a));
    PetscCall(VecDestroy(&b));
  } else {
    PetscCall(EPSNAPIMatHasRows(A, &rows));
    if (B) PetscCall(EPSNAPIMatHasRows(B, &others));
    PetscCheck(rows && others, PetscObjectComm((PetscObject)eps), PETSC_ERR_SUP, "The preconditioner '%s' needs the entries of A - sigma B, which is a function: use -st_pc_type jacobi or none, or give a matrix by STSetPreconditionerMat()",
               ((PetscObject)pc)->type_name);
    PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &P));
    if (B) PetscCall(MatAXPY(P, -sigma, B, DIFFERENT_NONZERO_PATTERN));
    else PetscCall(MatShift(P, -sigma));
  }
  PetscCall(STSetPreconditionerMat(eps->st, P));
  PetscCall(MatDestroy(&P));
  ctx->pmatchosen = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The tolerance that a KSP is viewed with is to be one that is used. Unless the user has set another than that of an ST's KSP, it becomes
   ours, and is put back when the EPS takes another type.
*/
static PetscErrorCode EPSNAPITransform_SetTolerance(EPS eps, KSP ksp)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;
  PetscReal rtol, atol, dtol;
  PetscInt  maxit;

  PetscFunctionBegin;
  PetscCall(KSPGetTolerances(ksp, &rtol, &atol, &dtol, &maxit));
  if (rtol != SLEPC_DEFAULT_TOL && rtol != ctx->ksprtol) PetscFunctionReturn(PETSC_SUCCESS);
  ctx->ksprtol = ctx->rtol != NAPI_UNSET ? ctx->rtol : NAPI_LOOSE;
  PetscCall(KSPSetTolerances(ksp, ctx->ksprtol, atol, dtol, maxit));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* EPSNAPIResetInner - To be called before the EPS takes another type, which is not to inherit our tolerance */
PetscErrorCode EPSNAPIResetInner(EPS eps)
{
  EPS_NAPI *ctx = (EPS_NAPI *)eps->data;
  PetscReal rtol, atol, dtol;
  PetscInt  maxit;
  KSP       ksp;

  PetscFunctionBegin;
  if (ctx->ksprtol == 0.0 || !eps->st) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(STGetKSP(eps->st, &ksp));
  PetscCall(KSPGetTolerances(ksp, &rtol, &atol, &dtol, &maxit));
  if (rtol == ctx->ksprtol) PetscCall(KSPSetTolerances(ksp, SLEPC_DEFAULT_TOL, atol, dtol, maxit));
  ctx->ksprtol = 0.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* EPSNAPISetUpInner - Makes the ST's operators and inner solver fit: done before STSetUp(), which would fail with less to say */
PetscErrorCode EPSNAPISetUpInner(EPS eps)
{
  EPS_NAPI   *ctx  = (EPS_NAPI *)eps->data;
  MPI_Comm    comm = PetscObjectComm((PetscObject)eps);
  PetscScalar sigma;
  PetscBool   has, rows, named, ours = PETSC_FALSE, lu, cholesky, preonly;
  PetscInt    nmat;
  NAPISTKind  kind;
  KSP         ksp;
  PC          pc;
  Mat         M, B;

  PetscFunctionBegin;
  if (ctx->pmatchosen) PetscCall(STSetPreconditionerMat(eps->st, NULL)); /* by an earlier set-up */
  ctx->pmatchosen = PETSC_FALSE;
  PetscCall(EPSNAPIGetSTKind(eps, &kind));
  PetscCall(STGetNumMatrices(eps->st, &nmat));
  sigma = eps->st->sigma_set ? eps->st->sigma : eps->st->defsigma;
  if (kind.shift && !eps->st->sigma_set) sigma = 0.0;
  if (sigma != 0.0 && PetscAbsScalar(sigma) < PETSC_MAX_REAL) { /* matrices that cannot be added are shifted in every product */
    for (PetscInt i = 0; i < nmat; i++) {
      PetscCall(STGetMatrix(eps->st, i, &M));
      PetscCall(EPSNAPIMatHasRows(M, &rows));
      if (!rows) PetscCall(STSetMatMode(eps->st, ST_MATMODE_SHELL));
    }
  }
  ctx->exact = PETSC_FALSE;
  if (nmat < 2 && kind.shift) PetscFunctionReturn(PETSC_SUCCESS);

  /* solved with, or preconditioned, is B or A - sigma B */
  PetscCall(STGetMatrix(eps->st, kind.shift || (kind.precond && PetscAbsScalar(sigma) >= PETSC_MAX_REAL && nmat > 1) ? 1 : 0, &M));
  PetscCall(MatHasOperation(M, MATOP_GET_DIAGONAL, &has));
  if (!kind.shift && sigma != 0.0 && nmat > 1) {
    PetscCall(STGetMatrix(eps->st, 1, &B));
    if (has) PetscCall(MatHasOperation(B, MATOP_GET_DIAGONAL, &has));
  }
  PetscCall(STGetKSP(eps->st, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscOptionsHasName(((PetscObject)ksp)->options, ((PetscObject)ksp)->prefix, "-ksp_type", &named));
  if (ctx->kspchosen) PetscCall(PetscObjectTypeCompare((PetscObject)ksp, ctx->ksptype, &ours)); /* what we have set it to, and nobody anything else since */
  if (named || !ours) ctx->kspchosen = PETSC_FALSE;
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCLU, &lu));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCCHOLESKY, &cholesky));
  ctx->ksptype = kind.precond || lu || cholesky ? KSPPREONLY : KSPBLOCKCG; /* whoever names a factorisation wants it to be the solver */
  if (ctx->kspchosen) PetscCall(KSPSetType(ksp, ctx->ksptype));            /* an earlier solve may have taken another */
  PetscCall(PetscOptionsHasName(((PetscObject)pc)->options, ((PetscObject)pc)->prefix, "-pc_type", &named));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &ours, PCJACOBI, PCNONE, ""));
  if (named || !ours) ctx->pcchosen = PETSC_FALSE;
  if (ctx->pcchosen) PetscCall(PCSetType(pc, has ? PCJACOBI : PCNONE));
  if (ctx->pcchosen && has) PetscCall(PCJacobiSetUseAbs(pc, PETSC_FALSE));
  if (!kind.shift && sigma != 0.0 && PetscAbsScalar(sigma) < PETSC_MAX_REAL) PetscCall(EPSNAPITransform_Precondition(eps, pc, sigma));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPPREONLY, &preonly));
  if (lu || cholesky) {
    MatSolverType package;

    PetscCall(PCFactorGetMatSolverType(pc, &package));
    PetscCall(MatGetFactorAvailable(M, package, lu ? MAT_FACTOR_LU : MAT_FACTOR_CHOLESKY, &has));
    PetscCheck(has, comm, PETSC_ERR_SUP, "The inner solver is set to factor %s, which this PETSc cannot do for matrices of type %s: set an iterative one, for instance -st_ksp_type cg -st_pc_type jacobi, or choose EPSNAPI before EPSSetFromOptions() and before any other solver type is used", kind.shift ? "B" : "A - sigma B",
               ((PetscObject)M)->type_name);
    ctx->exact = preonly;
  }
  if (!ctx->exact && !kind.precond) PetscCall(EPSNAPITransform_SetTolerance(eps, ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   EPSNAPISetUpSmoothers - The levels of algebraic multigrid smooth by blocks, where nobody has said anything of them. Done after STSetUp(),
   which makes them.
*/
PetscErrorCode EPSNAPISetUpSmoothers(KSP ksp)
{
  const char *prefix;
  char        option[128], *all, *found;
  PetscBool   blocks, gamg, chebyshev;
  PetscInt    levels;
  KSP         smoother;
  PC          pc;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)ksp, &blocks, KSPBLOCKCG, KSPPREONLY, ""));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCGAMG, &gamg));
  if (!blocks || !gamg) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCGetOptionsPrefix(pc, &prefix));
  PetscCall(PetscSNPrintf(option, sizeof(option), "-%smg_levels_", prefix ? prefix : ""));
  PetscCall(PetscOptionsGetAll(((PetscObject)pc)->options, &all));
  PetscCall(PetscStrstr(all, option, &found));
  PetscCall(PetscFree(all));
  if (found) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCMGGetLevels(pc, &levels));
  for (PetscInt level = 1; level < levels; level++) {
    PetscCall(PCMGGetSmoother(pc, level, &smoother));
    PetscCall(PetscObjectTypeCompare((PetscObject)smoother, KSPCHEBYSHEV, &chebyshev));
    if (chebyshev) PetscCall(KSPSetType(smoother, KSPBLOCKCHEBYSHEV));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
