/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA type "napi": NAPI with optimal momentum, one basis a view.

   The pair A = [0 S12; S12' 0], B = diag(S11, S22) of canonical correlation analysis falls into two halves. EPSNAPI does not
   know that; here each view has a window of its own (src/sys): U, S11-orthonormal, with S11 U and S12'U carried along, and
   V, S22-orthonormal, with S22 V and S12 V. From the same products this makes twice as many directions. One step:

     (1) T = U'S12 V = P diag(s) Q'
     (2) R_u = S12 V Q - S11 U P diag(s),  R_v = S12'U P - S22 V Q diag(s)  for the first pairs that have not converged
     (3) thick restart where the windows are full: canonical pairs, and those of the step before, orthogonalised
         against them, which is the momentum term
     (4) D_u ~ S11^{-1} R_u,  D_v ~ S22^{-1} R_v: NAPI's correction to the warm start, each in its own view
     (5) D_u and D_v orthonormalised against U and V, and within themselves
     (6) S12'D_u and S12 D_v; appended

   Where (4) is one application of the preconditioner, the products with A and B are made in one sweep over the data, which
   computes X D_u and Y D_v once for both.
*/
#include <slepcnapi/private/ccaimpl.h>
#include <slepcnapi/private/gramimpl.h>

#define CCA_NAPI_AUTO (-1)

#define STAGNATION_STEPS 20    /* without progress, by a tenth */
#define STAGNATION_LEVEL 1e-10 /* relative residuals that may be rounding */

typedef struct {
  /* what the user chooses */
  PetscInt  blocksize, restart, ncv, max_it; /* or CCA_NAPI_AUTO */
  PetscReal rtol;

  /* the windows, and blocks of bs columns; [0] belongs to X, [1] to Y */
  PetscInt     bs, keep, max;
  NAPIWindow   w[2];
  NAPISmall    small;               /* for the orthonormalisation of a block */
  BV           V[2], BV_[2], AV[2]; /* AV[0] = S12'U is of the size of V, AV[1] = S12 V of that of U */
  BV           R[2], BW[2], D[2], BD[2], AD[2];
  PetscScalar *T, *P, *Q, *work; /* T = U'S12 V, max x max; its singular vectors, w[0].m x r and w[1].m x r */
  PetscReal   *s, *error, *locked;
  PetscScalar *old[2]; /* coefficients of the pairs of the step before, nold columns */
  PetscInt     nold;
  Mat          coef[2], cross;
  NAPIAuto     choice;
  PetscReal    saved;          /* columns' worth of work saved by sweeps that do both products */
  PetscInt     inner;          /* inner iterations of the last step, times its columns */
  PetscBool    block[2], user; /* the KSPs are KSPBLOCKCG; their tolerance or iterations are the user's */
} CCA_NAPI;

/* ------------------------------------------------- set-up ------------------------------------------------- */

static PetscErrorCode CCAReset_NAPI(CCA cca)
{
  CCA_NAPI *ctx = (CCA_NAPI *)cca->data;

  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) {
    BV *all[] = {&ctx->V[i], &ctx->BV_[i], &ctx->AV[i], &ctx->R[i], &ctx->BW[i], &ctx->D[i], &ctx->BD[i], &ctx->AD[i]};

    for (size_t j = 0; j < PETSC_STATIC_ARRAY_LENGTH(all); j++) PetscCall(BVDestroy(all[j]));
    PetscCall(MatDestroy(&ctx->coef[i]));
    PetscCall(PetscFree(ctx->old[i]));
    PetscCall(NAPIWindowDestroy(&ctx->w[i]));
  }
  PetscCall(MatDestroy(&ctx->cross));
  PetscCall(NAPISmallDestroy(&ctx->small));
  PetscCall(PetscFree4(ctx->T, ctx->P, ctx->Q, ctx->work));
  PetscCall(PetscFree3(ctx->s, ctx->error, ctx->locked));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The solvers for S11 and S22, and how accurate they are to be if the user says so */
static PetscErrorCode SetUpInner(CCA cca)
{
  CCA_NAPI *ctx = (CCA_NAPI *)cca->data;
  PetscBool set[2];
  PCType    type;
  PC        pc;

  PetscFunctionBegin;
  PetscCall(CCAGetKSP(cca, NULL, NULL));
  for (int i = 0; i < 2; i++) {
    KSP ksp = cca->ksp[i];

    PetscCall(KSPGetPC(ksp, &pc));
    if (!((PetscObject)ksp)->type_name) PetscCall(KSPSetType(ksp, KSPBLOCKCG));
    if (!((PetscObject)pc)->type_name) {
      PetscCall(CCAChoosePC_Private(cca, i, &type));
      PetscCall(PCSetType(pc, type));
    }
    PetscCall(KSPSetFromOptions(ksp));
    PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPBLOCKCG, &ctx->block[i]));
    PetscCall(PetscOptionsHasName(((PetscObject)ksp)->options, ((PetscObject)ksp)->prefix, "-ksp_rtol", &set[0]));
    PetscCall(PetscOptionsHasName(((PetscObject)ksp)->options, ((PetscObject)ksp)->prefix, "-ksp_max_it", &set[1]));
    ctx->user = (PetscBool)(set[0] || set[1]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CCASetUp_NAPI(CCA cca)
{
  CCA_NAPI *ctx = (CCA_NAPI *)cca->data;
  PetscInt  k = cca->k, most = PetscMin(cca->d[0], cca->d[1]), least;
  DS        ds;

  PetscFunctionBegin;
  PetscCall(SetUpInner(cca));
  ctx->bs   = PetscMin(ctx->blocksize == CCA_NAPI_AUTO ? PetscMax(2, PetscMin(k, 8)) : ctx->blocksize, most);
  ctx->keep = ctx->restart == CCA_NAPI_AUTO ? k + 2 * ctx->bs : PetscMax(k, ctx->restart);
  ctx->max  = ctx->ncv == CCA_NAPI_AUTO ? ctx->keep + PetscMax(5 * ctx->bs, 12) : ctx->ncv;
  least     = k + 2 * ctx->bs;
  PetscCheck(ctx->max >= PetscMin(least, most), PetscObjectComm((PetscObject)cca), PETSC_ERR_USER_INPUT, "The bases need -cca_napi_ncv of at least %" PetscInt_FMT ", the pairs and two blocks of %" PetscInt_FMT ", not %" PetscInt_FMT, least, ctx->bs,
             ctx->max);
  ctx->max  = PetscMin(ctx->max, PetscMax(cca->d[0], cca->d[1]));
  ctx->keep = PetscMax(k, PetscMin(ctx->keep, ctx->max - 2 * ctx->bs)); /* room for the kept directions and a new block */
  for (int i = 0; i < 2; i++) {
    PetscCall(CCANewBasis_Private(cca, i, ctx->max, &ctx->V[i]));
    PetscCall(CCANewBasis_Private(cca, i, ctx->max, &ctx->BV_[i]));
    PetscCall(CCANewBasis_Private(cca, 1 - i, ctx->max, &ctx->AV[i]));
    PetscCall(CCANewBasis_Private(cca, i, ctx->bs, &ctx->R[i]));
    PetscCall(CCANewBasis_Private(cca, i, ctx->bs, &ctx->BW[i]));
    PetscCall(CCANewBasis_Private(cca, i, ctx->bs, &ctx->D[i]));
    PetscCall(CCANewBasis_Private(cca, i, ctx->bs, &ctx->BD[i]));
    PetscCall(CCANewBasis_Private(cca, 1 - i, ctx->bs, &ctx->AD[i]));
    PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, ctx->max, ctx->max, NULL, &ctx->coef[i]));
    PetscCall(PetscMalloc1(ctx->max * ctx->bs, &ctx->old[i]));
  }
  PetscCall(DSCreate(PetscObjectComm((PetscObject)cca), &ds));
  PetscCall(NAPISmallCreate(ds, ctx->bs, &ctx->small));
  ctx->small.semidefinite = PETSC_TRUE;
  PetscCall(DSDestroy(&ds));
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, ctx->max, ctx->max, NULL, &ctx->cross));
  PetscCall(PetscMalloc4(ctx->max * ctx->max, &ctx->T, ctx->max * ctx->max, &ctx->P, ctx->max * ctx->max, &ctx->Q, ctx->max * ctx->max, &ctx->work));
  PetscCall(PetscMalloc3(ctx->max, &ctx->s, ctx->max, &ctx->error, ctx->max, &ctx->locked));
  for (int i = 0; i < 2; i++) PetscCall(NAPIWindowCreate(ctx->V[i], ctx->BV_[i], ctx->AV[i], ctx->max, NULL, NULL, 0, &ctx->small, &ctx->w[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- the steps ------------------------------------------------- */

/* A and, if BD is wanted, B times the first n columns of D */
static PetscErrorCode Products(CCA cca, PetscInt n, PetscBool both)
{
  CCA_NAPI *ctx   = (CCA_NAPI *)cca->data;
  BV        all[] = {ctx->D[0], ctx->D[1], ctx->AD[1], ctx->AD[0], ctx->BD[0], ctx->BD[1]}; /* S12 D_v is of the size of U */
  Mat       M[]   = {NULL, NULL, NULL, NULL, NULL, NULL};
  int       used  = both ? 6 : 4;
  PetscReal saved;

  PetscFunctionBegin;
  for (int i = 0; i < used; i++) {
    PetscCall(BVSetActiveColumns(all[i], 0, n));
    PetscCall(BVGetMat(all[i], &M[i]));
  }
  PetscCall(MatGramMultViews_Private(cca->A, both ? cca->B : NULL, M, M + 2, &saved));
  ctx->saved += saved;
  for (int i = used - 1; i >= 0; i--) PetscCall(BVRestoreMat(all[i], &M[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rows and columns of T = U'S12 V from the given ones on */
static PetscErrorCode UpdateT(CCA_NAPI *ctx, const PetscInt first[2], PetscBool *finite)
{
  NAPIWindow        *u = &ctx->w[0], *v = &ctx->w[1];
  const PetscScalar *c;
  PetscInt           i, j, ld;

  PetscFunctionBegin;
  PetscCall(BVSetActiveColumns(u->V, 0, u->m));
  PetscCall(BVSetActiveColumns(v->AV, first[1], v->m));
  if (v->m > first[1]) PetscCall(NAPIDot(v->AV, u->V, ctx->cross)); /* U' (S12 V_new) */
  PetscCall(BVSetActiveColumns(u->V, first[0], u->m));
  PetscCall(BVSetActiveColumns(v->AV, 0, first[1]));
  if (u->m > first[0] && first[1]) PetscCall(NAPIDot(v->AV, u->V, ctx->cross)); /* U_new' (S12 V_old) */
  *finite = PETSC_TRUE;
  PetscCall(MatDenseGetLDA(ctx->cross, &ld));
  PetscCall(MatDenseGetArrayRead(ctx->cross, &c));
  for (j = 0; j < v->m; j++) {
    for (i = 0; i < u->m; i++) {
      if (i < first[0] && j < first[1]) continue;
      ctx->T[i + j * ctx->max] = c[i + j * ld];
      if (PetscIsInfOrNanScalar(c[i + j * ld])) *finite = PETSC_FALSE;
    }
  }
  PetscCall(MatDenseRestoreArrayRead(ctx->cross, &c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (5), (6): makes the first n columns of D part of the windows; added is how many, of both views together, were worth it */
static PetscErrorCode Expand(CCA cca, PetscInt n, PetscBool haveproducts, PetscInt *added)
{
  CCA_NAPI       *ctx   = (CCA_NAPI *)cca->data;
  PetscInt        nd[2] = {n, n}, first[2] = {ctx->w[0].m, ctx->w[1].m}, most, before;
  NAPIBasisStatus status = NAPI_BASIS_OK;
  PetscReal       cancel;
  PetscBool       finite = PETSC_TRUE;

  PetscFunctionBegin;
  *added = 0;
  PetscCall(PetscLogEventBegin(CCA_Ortho, cca, 0, 0, 0));
  for (int i = 0; i < 2 && !status; i++) {
    nd[i] = PetscMin(nd[i], PetscMin(ctx->max, cca->d[i]) - ctx->w[i].m);
    PetscCall(NAPIWindowSetActive(&ctx->w[i], 0, ctx->w[i].m));
    PetscCall(NAPIWindowOrthonormalize(&ctx->w[i], ctx->D[i], ctx->BD[i], haveproducts ? ctx->AD[i] : NULL, &nd[i], &cancel, &status));
    before = nd[i];
    if (!status) PetscCall(CCADropNoise_Private(cca, i, &ctx->small, ctx->coef[i], ctx->D[i], ctx->BD[i], haveproducts ? ctx->AD[i] : NULL, &nd[i]));
    if (!status && nd[i] && (cancel < 1e-6 || nd[i] < before)) { /* B D, and A D, have lost as many digits */
      Mat D, BD;

      PetscCall(BVGetMat(ctx->D[i], &D));
      PetscCall(BVGetMat(ctx->BD[i], &BD));
      PetscCall(MatMatMult(cca->S[i], D, MAT_REUSE_MATRIX, PETSC_DEFAULT, &BD));
      PetscCall(BVRestoreMat(ctx->BD[i], &BD));
      PetscCall(BVRestoreMat(ctx->D[i], &D));
      haveproducts = PETSC_FALSE;
      PetscCall(NAPIWindowOrthonormalize(&ctx->w[i], ctx->D[i], ctx->BD[i], NULL, &nd[i], &cancel, &status));
      if (!status) PetscCall(CCADropNoise_Private(cca, i, &ctx->small, ctx->coef[i], ctx->D[i], ctx->BD[i], NULL, &nd[i]));
    }
  }
  PetscCall(PetscLogEventEnd(CCA_Ortho, cca, 0, 0, 0));
  if (!status) {
    most = PetscMax(nd[0], nd[1]);
    if (!haveproducts && most) { /* the shorter block is filled up by zeros */
      for (int i = 0; i < 2; i++)
        for (PetscInt j = nd[i]; j < most; j++) PetscCall(BVScaleColumn(ctx->D[i], j, 0.0));
      PetscCall(Products(cca, most, PETSC_FALSE));
    }
    for (int i = 0; i < 2; i++) {
      BV all[] = {ctx->D[i], ctx->BD[i], ctx->AD[i]};

      for (size_t j = 0; j < PETSC_STATIC_ARRAY_LENGTH(all); j++) PetscCall(BVSetActiveColumns(all[j], 0, nd[i]));
      if (nd[i]) PetscCall(NAPIWindowAppend(&ctx->w[i], ctx->D[i], ctx->BD[i], ctx->AD[i], nd[i]));
      *added += nd[i];
    }
    PetscCall(UpdateT(ctx, first, &finite));
    if (!finite) status = NAPI_BASIS_NOT_FINITE;
  }
  if (status) {
    PetscCall(PetscInfo(cca, "The bases cannot be expanded: %s\n", NAPIBasisStatuses[status]));
    cca->reason = CCA_DIVERGED_BREAKDOWN;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (1) */
static PetscErrorCode Singular(CCA cca)
{
  CCA_NAPI *ctx = (CCA_NAPI *)cca->data;
  PetscInt  m = ctx->w[0].m, n = ctx->w[1].m;

  PetscFunctionBegin;
  for (PetscInt j = 0; j < n; j++) PetscCall(PetscArraycpy(ctx->work + j * m, ctx->T + j * ctx->max, m));
  PetscCall(NAPISingular(PetscObjectComm((PetscObject)cca), m, n, ctx->work, m, ctx->s, ctx->P, ctx->Q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* coef := columns from first to first+n of P and Q */
static PetscErrorCode Coefficients(CCA_NAPI *ctx, PetscInt first, PetscInt n)
{
  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) {
    const PetscScalar *p = i ? ctx->Q : ctx->P;
    PetscInt           m = ctx->w[i].m, ld;
    PetscScalar       *c;

    PetscCall(MatDenseGetLDA(ctx->coef[i], &ld));
    PetscCall(MatDenseGetArrayWrite(ctx->coef[i], &c));
    for (PetscInt j = 0; j < n; j++) PetscCall(PetscArraycpy(c + j * ld, p + (first + j) * m, m));
    PetscCall(MatDenseRestoreArrayWrite(ctx->coef[i], &c));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (2) for n pairs from first on; the sum of squares of all norms is reduced at once */
static PetscErrorCode Residual(CCA cca, PetscInt first, PetscInt n)
{
  CCA_NAPI   *ctx = (CCA_NAPI *)cca->data;
  PetscReal  *sums;
  PetscMPIInt count;

  PetscFunctionBegin;
  PetscCall(Coefficients(ctx, first, n));
  PetscCall(PetscCalloc1(2 * n, &sums));
  for (int i = 0; i < 2; i++) {
    PetscScalar       *r;
    const PetscScalar *b;
    PetscInt           rows, ld[2];
    Mat                R, B;

    PetscCall(NAPIWindowSetActive(&ctx->w[i], 0, ctx->w[i].m));
    PetscCall(NAPIWindowSetActive(&ctx->w[1 - i], 0, ctx->w[1 - i].m));
    PetscCall(BVSetActiveColumns(ctx->R[i], 0, n));
    PetscCall(BVSetActiveColumns(ctx->BW[i], 0, n));
    PetscCall(BVMult(ctx->R[i], 1.0, 0.0, ctx->w[1 - i].AV, ctx->coef[1 - i])); /* S12 V Q */
    PetscCall(BVMult(ctx->BW[i], 1.0, 0.0, ctx->w[i].BofV, ctx->coef[i]));      /* S11 U P */
    PetscCall(BVGetMat(ctx->R[i], &R));
    PetscCall(BVGetMat(ctx->BW[i], &B));
    PetscCall(MatGetLocalSize(R, &rows, NULL));
    PetscCall(MatDenseGetLDA(R, &ld[0]));
    PetscCall(MatDenseGetLDA(B, &ld[1]));
    PetscCall(MatDenseGetArray(R, &r));
    PetscCall(MatDenseGetArrayRead(B, &b));
    for (PetscInt j = 0; j < n; j++) {
      const PetscReal s = ctx->s[first + j];

      for (PetscInt l = 0; l < rows; l++) {
        r[l + j * ld[0]] -= s * b[l + j * ld[1]];
        sums[2 * j] += PetscRealPart(r[l + j * ld[0]] * PetscConj(r[l + j * ld[0]]));
        sums[2 * j + 1] += PetscRealPart(b[l + j * ld[1]] * PetscConj(b[l + j * ld[1]]));
      }
    }
    PetscCall(MatDenseRestoreArrayRead(B, &b));
    PetscCall(MatDenseRestoreArray(R, &r));
    PetscCall(BVRestoreMat(ctx->BW[i], &B));
    PetscCall(BVRestoreMat(ctx->R[i], &R));
  }
  PetscCall(PetscMPIIntCast(2 * n, &count));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, count, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)cca)));
  for (PetscInt j = 0; j < n; j++) {
    const PetscReal s = ctx->s[first + j];

    ctx->error[first + j] = sums[2 * j] > 0.0 ? PetscSqrtReal(sums[2 * j] / sums[2 * j + 1]) / (s > 1e-8 ? s : 1.0) : 0.0;
  }
  PetscCall(PetscFree(sums));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   (2) Which of the leading pairs have converged? Those found so earlier still have, unless a larger correlation has turned
   up. The block of pairs behind them is in R; b of its columns, from passed on, have not converged.
*/
static PetscErrorCode Advance(CCA cca, PetscInt k, PetscInt *b, PetscInt *passed)
{
  CCA_NAPI *ctx = (CCA_NAPI *)cca->data;
  PetscInt  i, j, m = PetscMin(ctx->w[0].m, ctx->w[1].m);

  PetscFunctionBegin;
  cca->nconv = PetscMin(cca->nconv, m);
  for (i = 0; i < cca->nconv; i++) {
    for (j = 0; j < cca->nconv; j++)
      if (PetscAbsReal(ctx->s[i] - ctx->locked[j]) <= PetscMax(cca->tol, 1e-12) * ctx->s[i]) break;
    if (j == cca->nconv) cca->nconv = i;
  }
  do {
    *b = PetscMin(ctx->bs, PetscMin(k, m) - cca->nconv);
    if (*b <= 0) break;
    PetscCall(Residual(cca, cca->nconv, *b));
    for (*passed = 0; *passed < *b && ctx->error[cca->nconv + *passed] <= cca->tol; ++*passed) ctx->locked[cca->nconv + *passed] = ctx->s[cca->nconv + *passed];
    cca->nconv += *passed;
  } while (*passed == *b && cca->nconv < PetscMin(k, m));
  *b -= *passed;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Pairs that were found to have converged may have been mixed with others of the same correlation since */
static PetscErrorCode Confirm(CCA cca)
{
  CCA_NAPI *ctx = (CCA_NAPI *)cca->data;
  PetscInt  n;

  PetscFunctionBegin;
  for (PetscInt first = 0; first < cca->nconv; first += n) {
    n = PetscMin(ctx->bs, cca->nconv - first);
    PetscCall(Residual(cca, first, n));
    for (PetscInt j = 0; j < n; j++)
      if (ctx->error[first + j] > cca->tol) cca->nconv = PetscMin(cca->nconv, first + j);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (3) */
static PetscErrorCode Restart(CCA cca)
{
  CCA_NAPI    *ctx  = (CCA_NAPI *)cca->data;
  PetscInt     m[2] = {ctx->w[0].m, ctx->w[1].m}, n[2], ld[2], keep = PetscMin(ctx->keep, PetscMin(m[0], m[1]));
  PetscScalar *c[2], sum;

  PetscFunctionBegin;
  PetscCall(Coefficients(ctx, 0, keep));
  for (int i = 0; i < 2; i++) {
    n[i] = keep;
    PetscCall(MatDenseGetLDA(ctx->coef[i], &ld[i]));
    PetscCall(MatDenseGetArray(ctx->coef[i], &c[i]));
    PetscCall(NAPIKeepDirections(m[i], &n[i], c[i], ld[i], ctx->nold, ctx->old[i], ctx->max));
  }
  for (PetscInt j = 0; j < n[1]; j++) { /* work = T C_v, T := C_u' work */
    for (PetscInt i = 0; i < m[0]; i++) {
      sum = 0.0;
      for (PetscInt l = 0; l < m[1]; l++) sum += ctx->T[i + l * ctx->max] * c[1][l + j * ld[1]];
      ctx->work[i + j * m[0]] = sum;
    }
  }
  for (PetscInt j = 0; j < n[1]; j++) {
    for (PetscInt i = 0; i < n[0]; i++) {
      sum = 0.0;
      for (PetscInt l = 0; l < m[0]; l++) sum += PetscConj(c[0][l + i * ld[0]]) * ctx->work[l + j * m[0]];
      ctx->T[i + j * ctx->max] = sum;
    }
  }
  for (int i = 0; i < 2; i++) {
    PetscCall(MatDenseRestoreArray(ctx->coef[i], &c[i]));
    PetscCall(NAPIWindowRotate(&ctx->w[i], ctx->coef[i], n[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Remembers n pairs from first on as coefficients; after a restart they are unit vectors */
static PetscErrorCode Remember(CCA_NAPI *ctx, PetscInt first, PetscInt n, const PetscInt m[2], PetscBool restarted)
{
  PetscFunctionBegin;
  ctx->nold = PetscMin(n, ctx->bs);
  for (int i = 0; i < 2; i++) {
    PetscCall(PetscArrayzero(ctx->old[i], ctx->max * ctx->bs));
    for (PetscInt j = 0; j < ctx->nold; j++) {
      if (restarted) ctx->old[i][first + j + j * ctx->max] = 1.0;
      else PetscCall(PetscArraycpy(ctx->old[i] + j * ctx->max, (i ? ctx->Q : ctx->P) + (first + j) * m[i], m[i]));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (4) D for n columns of R. haveproducts: A D and B D are there too; otherwise B D is */
static PetscErrorCode Correct(CCA cca, PetscInt n, PetscBool *haveproducts)
{
  CCA_NAPI          *ctx = (CCA_NAPI *)cca->data;
  KSPConvergedReason reason;
  PetscReal          rtol, atol, dtol;
  PetscInt           maxit, most, before, after;
  PetscBool          byhand = (PetscBool)(ctx->user || ctx->rtol != CCA_NAPI_AUTO || ctx->max_it != CCA_NAPI_AUTO);
  PetscBool          once   = (PetscBool)(ctx->block[0] && ctx->block[1] && (byhand ? ctx->max_it == 1 : !ctx->choice.arm));
  PetscBool          singular; /* without ridge, what is left of a residual may be rounding, in the null space: D is what it is */
  Mat                R, D, BD, E;
  PC                 pc;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(CCA_Inner, cca, 0, 0, 0));
  ctx->inner    = 0;
  *haveproducts = once;
  for (int i = 0; i < 2 && !cca->reason; i++) {
    KSP ksp = cca->ksp[i];

    PetscCall(BVSetActiveColumns(ctx->R[i], 0, n));
    PetscCall(BVSetActiveColumns(ctx->D[i], 0, n));
    PetscCall(BVSetActiveColumns(ctx->BD[i], 0, n));
    PetscCall(BVGetMat(ctx->R[i], &R));
    PetscCall(BVGetMat(ctx->D[i], &D));
    if (once) { /* one iteration of block CG from zero spans what the preconditioner gives */
      PetscCall(KSPSetUp(ksp));
      PetscCall(KSPGetPC(ksp, &pc));
      PetscCall(PCMatApply(pc, R, D));
      ctx->inner += n;
    } else {
      PetscCall(KSPGetTolerances(ksp, &rtol, &atol, &dtol, &maxit));
      most = maxit;
      if (cca->ridge[i] == 0.0) most = PetscMin(most, PetscMax(50, cca->d[i])); /* no tolerance may be within reach, see below */
      if (!ctx->user) PetscCall(KSPSetTolerances(ksp, ctx->rtol != CCA_NAPI_AUTO ? ctx->rtol : ctx->choice.rtol, atol, 1e30, ctx->max_it != CCA_NAPI_AUTO ? ctx->max_it : most));
      PetscCall(KSPGetTotalIterations(ksp, &before));
      PetscCall(KSPMatSolve(ksp, R, D));
      PetscCall(KSPGetTotalIterations(ksp, &after));
      PetscCall(KSPSetTolerances(ksp, rtol, atol, dtol, maxit));
      ctx->inner += (after - before) * (ctx->block[i] ? n : 1);
      PetscCall(KSPGetConvergedReason(ksp, &reason));
      singular = (PetscBool)(cca->ridge[i] == 0.0 && ctx->block[i] && (reason == KSP_DIVERGED_INDEFINITE_MAT || reason == KSP_DIVERGED_BREAKDOWN));
      if (reason < 0 && reason != KSP_DIVERGED_ITS && !singular) { /* cut short is only less accurate; anything else is trouble */
        PetscCall(PetscInfo(cca, "Inner solve of view %d failed with reason %s\n", i + 1, KSPConvergedReasons[reason]));
        cca->reason = CCA_DIVERGED_BREAKDOWN;
      }
      PetscCall(BVGetMat(ctx->BD[i], &BD));
      if (ctx->block[i]) { /* S D = R - E for free */
        PetscCall(KSPBlockCGGetResidual(ksp, &E));
        PetscCall(MatCopy(R, BD, SAME_NONZERO_PATTERN));
        PetscCall(MatAXPY(BD, -1.0, E, SAME_NONZERO_PATTERN));
      } else PetscCall(MatMatMult(cca->S[i], D, MAT_REUSE_MATRIX, PETSC_DEFAULT, &BD));
      PetscCall(BVRestoreMat(ctx->BD[i], &BD));
    }
    PetscCall(BVRestoreMat(ctx->D[i], &D));
    PetscCall(BVRestoreMat(ctx->R[i], &R));
  }
  ctx->inner /= 2;
  PetscCall(PetscLogEventEnd(CCA_Inner, cca, 0, 0, 0));
  if (once && !cca->reason) PetscCall(Products(cca, n, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* n random directions (to begin with: behind those of the user), in blocks */
static PetscErrorCode AddRandom(CCA cca, PetscInt n, PetscBool begin)
{
  CCA_NAPI *ctx = (CCA_NAPI *)cca->data;
  PetscInt  chunk, added;
  BV        start[2] = {NULL, NULL};

  PetscFunctionBegin;
  if (begin) PetscCall(CCARandomBasis_Private(cca, n, start));
  else PetscCall(CCAFreshBasis_Private(cca, n, start));
  for (PetscInt taken = 0; taken < n && !cca->reason; taken += chunk) {
    chunk = PetscMin(ctx->bs, n - taken);
    for (int i = 0; i < 2; i++) {
      PetscCall(BVSetActiveColumns(start[i], taken, taken + chunk));
      PetscCall(BVSetActiveColumns(ctx->D[i], 0, chunk));
      PetscCall(BVCopy(start[i], ctx->D[i]));
    }
    PetscCall(Products(cca, chunk, PETSC_TRUE));
    PetscCall(Expand(cca, chunk, PETSC_TRUE, &added));
  }
  PetscCall(BVDestroy(&start[0]));
  PetscCall(BVDestroy(&start[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- nothing missed ------------------------------------------------- */

/* The leading pair of the columns that were added behind first becomes a coefficient vector of each view, zero before them */
static PetscErrorCode LeadingOfChain(CCA cca, const PetscInt first[2], PetscScalar *p, PetscScalar *q)
{
  CCA_NAPI    *ctx = (CCA_NAPI *)cca->data;
  PetscInt     m = ctx->w[0].m - first[0], n = ctx->w[1].m - first[1], r = PetscMin(m, n);
  PetscScalar *P, *Q;
  PetscReal   *s;

  PetscFunctionBegin;
  for (PetscInt j = 0; j < n; j++) PetscCall(PetscArraycpy(ctx->work + j * m, ctx->T + first[0] + (first[1] + j) * ctx->max, m));
  PetscCall(PetscMalloc3(r, &s, m * r, &P, n * r, &Q));
  PetscCall(NAPISingular(PetscObjectComm((PetscObject)cca), m, n, ctx->work, m, s, P, Q));
  PetscCall(PetscArrayzero(p, ctx->max));
  PetscCall(PetscArrayzero(q, ctx->max));
  PetscCall(PetscArraycpy(p + first[0], P, m));
  PetscCall(PetscArraycpy(q + first[1], Q, n));
  PetscCall(PetscFree3(s, P, Q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   One step from the pair U p, V q: D_u ~ S11^{-1} R_u with R_u = S12 V q - S11 U (U'S12 V q), the part of the residual that is
   new to the window, and D_v likewise. The preconditioner is all the inner work there is.
*/
static PetscErrorCode CorrectChain(CCA cca, const PetscScalar *p, const PetscScalar *q)
{
  CCA_NAPI          *ctx     = (CCA_NAPI *)cca->data;
  const PetscScalar *from[2] = {q, p}; /* of the other view */
  PetscScalar       *c, sum;
  PetscReal          before, after;
  Mat                R, D;
  PC                 pc;

  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) {
    NAPIWindow *w = &ctx->w[i], *other = &ctx->w[1 - i];

    PetscCall(NAPIWindowSetActive(w, 0, w->m));
    PetscCall(NAPIWindowSetActive(other, 0, other->m));
    PetscCall(BVSetActiveColumns(ctx->R[i], 0, 1));
    PetscCall(MatDenseGetArrayWrite(ctx->coef[1 - i], &c));
    PetscCall(PetscArraycpy(c, from[i], other->m));
    PetscCall(MatDenseRestoreArrayWrite(ctx->coef[1 - i], &c));
    PetscCall(BVMult(ctx->R[i], 1.0, 0.0, other->AV, ctx->coef[1 - i])); /* S12 V q */
    PetscCall(BVNormColumn(ctx->R[i], 0, NORM_2, &before));
    PetscCall(MatDenseGetArrayWrite(ctx->coef[i], &c));
    for (PetscInt j = 0; j < w->m; j++) { /* U'S12 V q = T q, V'S12'U p = T'p */
      sum = 0.0;
      if (i)
        for (PetscInt l = 0; l < other->m; l++) sum += PetscConj(ctx->T[l + j * ctx->max]) * from[i][l];
      else
        for (PetscInt l = 0; l < other->m; l++) sum += ctx->T[j + l * ctx->max] * from[i][l];
      c[j] = sum;
    }
    PetscCall(MatDenseRestoreArrayWrite(ctx->coef[i], &c));
    PetscCall(BVMult(ctx->R[i], -1.0, 1.0, w->BofV, ctx->coef[i]));
    PetscCall(BVNormColumn(ctx->R[i], 0, NORM_2, &after));
    PetscCall(BVSetActiveColumns(ctx->D[i], 0, 1));
    if (after <= 1e-8 * before) { /* rounding, by which nothing would be gained, and digits lost */
      PetscCall(BVScaleColumn(ctx->D[i], 0, 0.0));
      continue;
    }
    PetscCall(BVGetMat(ctx->R[i], &R));
    PetscCall(BVGetMat(ctx->D[i], &D));
    PetscCall(KSPSetUp(cca->ksp[i]));
    PetscCall(KSPGetPC(cca->ksp[i], &pc));
    PetscCall(PCMatApply(pc, R, D));
    PetscCall(BVRestoreMat(ctx->D[i], &D));
    PetscCall(BVRestoreMat(ctx->R[i], &R));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Check - k pairs have converged. Are there larger correlations, of which the windows have seen nothing? Directions that are
   random, and orthogonal to the windows, are followed for a few steps as if nothing else were there; they become part of the
   windows, and what they bring to light is seen by the next step of the solution.
*/
static PetscErrorCode Check(CCA cca, PetscInt k)
{
  CCA_NAPI    *ctx = (CCA_NAPI *)cca->data;
  PetscInt     first[2], chain[2], added, steps, largest = PetscMax(cca->d[0], cca->d[1]);
  PetscReal    acols, bcols, kth = ctx->s[k - 1], end;
  PetscScalar *p, *q;
  BV           start[2] = {NULL, NULL};

  PetscFunctionBegin;
  PetscCall(CCAGetCost_Private(cca, &acols, &bcols, NULL));
  end   = acols + bcols + PetscMax(10.0, 0.02 * (acols + bcols));
  steps = (PetscInt)(end - acols - bcols) / 2; /* each of a column by A and one by B */
  if (PetscMax(ctx->w[0].m, ctx->w[1].m) + steps > ctx->max && ctx->max < largest) PetscCall(Restart(cca));
  ctx->nold = 0; /* their coefficients are those of the window before */
  for (int i = 0; i < 2; i++) first[i] = ctx->w[i].m;
  steps = PetscMin(steps, ctx->max - PetscMax(first[0], first[1]));
  PetscCall(PetscMalloc2(ctx->max, &p, ctx->max, &q));
  for (PetscInt step = 0; step < steps && !cca->reason; step++) {
    PetscCall(CCAGetCost_Private(cca, &acols, &bcols, NULL));
    if (step && acols + bcols + 3.0 > end) break; /* a product made afresh counts too */
    if (!step) {
      PetscCall(CCAFreshBasis_Private(cca, 1, start));
      for (int i = 0; i < 2; i++) {
        PetscCall(BVSetActiveColumns(ctx->D[i], 0, 1));
        PetscCall(BVCopy(start[i], ctx->D[i]));
        PetscCall(BVDestroy(&start[i]));
      }
    } else {
      PetscCall(LeadingOfChain(cca, chain, p, q));
      PetscCall(CorrectChain(cca, p, q));
    }
    PetscCall(Products(cca, 1, PETSC_TRUE));
    PetscCall(Expand(cca, 1, PETSC_TRUE, &added));
    if (cca->reason || !added) break;                                              /* all there is is in the windows */
    for (int i = 0; i < 2; i++) chain[i] = ctx->w[i].m == first[i] ? 0 : first[i]; /* the window of a view that has no more is its chain */
    PetscCall(Singular(cca));
    if (ctx->s[k - 1] > kth * (1.0 + PetscMax(cca->tol, 1e-10))) {
      PetscCall(PetscInfo(cca, "The check has found a correlation that was missed: going on\n"));
      break;
    }
  }
  PetscCall(PetscFree2(p, q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- solve ------------------------------------------------- */

/* How much inner work the next step is to do */
static PetscErrorCode ChooseEffort(CCA cca, PetscInt k, PetscInt b, PetscInt n)
{
  CCA_NAPI *ctx  = (CCA_NAPI *)cca->data;
  PetscReal todo = PetscMax(0, k - cca->nconv - b) * PetscLog10Real(1.0 / cca->tol), acols, bcols;

  PetscFunctionBegin;
  for (PetscInt j = cca->nconv; j < cca->nconv + b; j++) todo += PetscLog10Real(PetscMax(1.0, PetscMin(1.0, ctx->error[j]) / cca->tol));
  PetscCall(CCAGetCost_Private(cca, &acols, &bcols, NULL));
  PetscCall(NAPIAutoChoose((PetscObject)cca, &ctx->choice, todo, acols + bcols - ctx->saved, ctx->error[cca->nconv], n, ctx->inner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The pairs from the windows become the bases CCASolve() takes its results from */
static PetscErrorCode HandOver(CCA cca, PetscInt k)
{
  CCA_NAPI *ctx = (CCA_NAPI *)cca->data;
  PetscInt  n   = PetscMin(k, PetscMin(ctx->w[0].m, ctx->w[1].m));

  PetscFunctionBegin;
  if (n) PetscCall(Coefficients(ctx, 0, n));
  for (int i = 0; i < 2 && n; i++) {
    PetscCall(BVDestroy(&cca->basis[i]));
    PetscCall(CCANewBasis_Private(cca, i, n, &cca->basis[i]));
    PetscCall(NAPIWindowSetActive(&ctx->w[i], 0, ctx->w[i].m));
    PetscCall(BVMult(cca->basis[i], 1.0, 0.0, ctx->w[i].V, ctx->coef[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CCASolve_NAPI(CCA cca)
{
  CCA_NAPI *ctx = (CCA_NAPI *)cca->data;
  PetscInt  k = cca->k, max_it = cca->max_it == NAPI_UNSET ? 10000 : cca->max_it, start = PetscMin(k + 2, ctx->max), b, n, j, passed = 0, added, m[2];
  PetscBool restarted, haveproducts = PETSC_FALSE, checked = PETSC_FALSE, kept = PETSC_FALSE;
  PetscReal sum, best = PETSC_MAX_REAL;
  PetscInt  at = -1, still = 0;

  PetscFunctionBegin;
  ctx->w[0].m = ctx->w[1].m = ctx->nold = ctx->inner = 0;
  ctx->saved                                         = 0.0;
  PetscCall(NAPIAutoStart(&ctx->choice));
  for (int i = 0; i < 2; i++) PetscCall(KSPSetErrorIfNotConverged(cca->ksp[i], PETSC_FALSE));
  if (cca->begin[0]) {
    PetscCall(MatGetSize(cca->begin[0], NULL, &n));
    start = PetscMin(PetscMax(start, n), ctx->max);
  }
  PetscCall(AddRandom(cca, start, PETSC_TRUE));
  if (!cca->reason && !PetscMin(ctx->w[0].m, ctx->w[1].m)) {
    PetscCall(PetscInfo(cca, "A view without ridge has no direction with a variance: there are no canonical pairs\n"));
    cca->reason = CCA_CONVERGED_RANK;
  }
  while (!cca->reason) {
    cca->its++;
    PetscCall(PetscLogEventBegin(CCA_Ritz, cca, 0, 0, 0));
    PetscCall(Singular(cca));                /* (1) */
    PetscCall(Advance(cca, k, &b, &passed)); /* (2) */
    if (cca->nconv >= k) PetscCall(Confirm(cca));
    PetscCall(PetscLogEventEnd(CCA_Ritz, cca, 0, 0, 0));
    for (j = 0, sum = 0.0; j < PetscMin(k, PetscMin(ctx->w[0].m, ctx->w[1].m)); j++) sum += ctx->s[j];
    PetscCall(CCARecord_Private(cca, sum));
    PetscCall(CCAMonitor_Private(cca, cca->its, cca->nconv, cca->nconv + PetscMax(b, 0), ctx->s, ctx->error));
    if (cca->nconv >= k && (checked || cca->check == CCA_CHECK_NONE)) cca->reason = CCA_CONVERGED_TOL;
    else if (cca->its >= max_it) cca->reason = cca->nconv >= k ? CCA_CONVERGED_TOL : CCA_DIVERGED_ITS;
    if (cca->reason) break;
    if (cca->nconv < k && b > 0) { /* is it rounding that keeps the next pair from the tolerance? */
      if (cca->nconv != at || ctx->error[cca->nconv] < 0.9 * best) {
        at    = cca->nconv;
        best  = ctx->error[at];
        still = 0;
        kept  = (PetscBool)(best < STAGNATION_LEVEL); /* what expands a residual of rounding may spoil the windows */
        if (kept) PetscCall(HandOver(cca, k));
      } else if (++still >= STAGNATION_STEPS && best < STAGNATION_LEVEL) {
        PetscCall(PetscInfo(cca, "The residual of pair %" PetscInt_FMT " has not become smaller than %g in %d steps: the tolerance of %g is out of reach\n", at + 1, (double)best, STAGNATION_STEPS, (double)cca->tol));
        cca->reason = CCA_DIVERGED_ACCURACY;
        break;
      }
    }
    checked = (PetscBool)(cca->nconv >= k); /* what the check finds is checked again in the end */
    if (checked) {
      PetscCall(Check(cca, k));
      continue;
    }
    if (b <= 0) { /* Confirm() has found pairs that are not what they were: look again from there */
      b = PetscMin(ctx->bs, PetscMin(k, PetscMin(ctx->w[0].m, ctx->w[1].m)) - cca->nconv);
      if (b > 0) PetscCall(Residual(cca, cca->nconv, b));
      passed = 0;
    }

    /* the columns to expand come first in R */
    for (j = 0, n = 0; j < b; j++) {
      if (ctx->error[cca->nconv + j] <= cca->tol) continue;
      for (int i = 0; i < 2 && passed + j != n; i++) PetscCall(BVCopyColumn(ctx->R[i], passed + j, n));
      n++;
    }

    /* (3) */
    m[0]      = ctx->w[0].m;
    m[1]      = ctx->w[1].m;
    restarted = PETSC_FALSE;
    if (PetscMax(m[0], m[1]) + n > ctx->max && ctx->max < PetscMax(cca->d[0], cca->d[1])) {
      PetscCall(PetscLogEventBegin(CCA_Ritz, cca, 0, 0, 0));
      PetscCall(Restart(cca));
      PetscCall(PetscLogEventEnd(CCA_Ritz, cca, 0, 0, 0));
      restarted = PETSC_TRUE;
    }
    PetscCall(Remember(ctx, cca->nconv, PetscMax(b, 0), m, restarted));

    /* (4), (5), (6) */
    added = 0;
    if (n) {
      PetscCall(ChooseEffort(cca, k, b, n));
      PetscCall(Correct(cca, n, &haveproducts));
      if (cca->reason) break;
      PetscCall(Expand(cca, n, haveproducts, &added));
    }
    if (!added && !cca->reason) { /* nothing new: something random, where there is room */
      m[0] = ctx->w[0].m;
      m[1] = ctx->w[1].m;
      PetscCall(AddRandom(cca, PetscMin(ctx->bs, ctx->max), PETSC_FALSE));
      if (ctx->w[0].m == m[0] && ctx->w[1].m == m[1] && !cca->reason) { /* these are all directions there are */
        PetscCall(Singular(cca));
        n = PetscMin(k, PetscMin(m[0], m[1]));
        for (j = 0; j < n; j += PetscMin(ctx->bs, n - j)) PetscCall(Residual(cca, j, PetscMin(ctx->bs, n - j)));
        for (j = 0; j < n && ctx->error[j] <= cca->tol; j++)
          ;
        if (j < n) PetscCall(PetscInfo(cca, "The bases cannot be expanded any more: the tolerance is out of reach\n"));
        cca->reason = j < n ? CCA_DIVERGED_BREAKDOWN : CCA_CONVERGED_RANK;
        break;
      }
    }
  }
  if (cca->its) PetscCall(Singular(cca));
  if (cca->its && !(kept && cca->reason < 0 && cca->nconv == at)) PetscCall(HandOver(cca, k));
  cca->nconv = 0; /* to be counted anew, from fresh products */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- options, view, create ------------------------------------------------- */

static PetscErrorCode CCASetFromOptions_NAPI(CCA cca, NAPIOptionItems PetscOptionsObject)
{
  CCA_NAPI         *ctx     = (CCA_NAPI *)cca->data;
  PetscInt *const   ints[]  = {&ctx->blocksize, &ctx->restart, &ctx->ncv, &ctx->max_it};
  const char *const names[] = {"-cca_napi_blocksize", "-cca_napi_restart", "-cca_napi_ncv", "-cca_napi_inner_max_it"};
  const char *const texts[] = {"Pairs worked on in a step", "Pairs kept at a restart", "Largest size of the bases", "Inner iterations"};
  PetscInt          value;
  PetscBool         set;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "CCA NAPI options");
  for (int i = 0; i < 4; i++) {
    PetscCall(PetscOptionsInt(names[i], texts[i], "CCANAPI", *ints[i], &value, &set));
    if (!set) continue;
    PetscCheck(value > 0, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_OUTOFRANGE, "%s must be positive, not %" PetscInt_FMT, names[i], value);
    *ints[i] = value;
  }
  PetscCall(PetscOptionsReal("-cca_napi_inner_rtol", "Relative tolerance of the inner solves", "CCANAPI", ctx->rtol, &ctx->rtol, &set));
  if (set) PetscCheck(ctx->rtol > 0.0 && ctx->rtol < 1.0, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_OUTOFRANGE, "-cca_napi_inner_rtol must lie between 0 and 1, not be %g", (double)ctx->rtol);
  PetscOptionsHeadEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CCAView_NAPI(CCA cca, PetscViewer viewer)
{
  CCA_NAPI *ctx = (CCA_NAPI *)cca->data;

  PetscFunctionBegin;
  if (ctx->max) PetscCall(PetscViewerASCIIPrintf(viewer, "a basis of at most %" PetscInt_FMT " columns in each view, %" PetscInt_FMT " kept at a restart, %" PetscInt_FMT " added in a step\n", ctx->max, ctx->keep, ctx->bs));
  if (ctx->rtol != CCA_NAPI_AUTO || ctx->max_it != CCA_NAPI_AUTO || ctx->user) PetscCall(PetscViewerASCIIPrintf(viewer, "inner work set by hand\n"));
  else PetscCall(PetscViewerASCIIPrintf(viewer, "inner work chosen on line, at last %s\n", ctx->choice.arm ? "a loose tolerance" : "one iteration"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CCADestroy_NAPI(CCA cca)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(cca->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   CCANAPI - CCANAPI = "napi" - NAPI with optimal momentum and one basis a view, for large data: nothing is formed

   Options Database Keys:
+  -cca_napi_blocksize <n>     - pairs worked on in a step; by default k, but 2 to 8
.  -cca_napi_restart <n>       - pairs kept at a restart; by default k + 2 blocks
.  -cca_napi_ncv <n>           - largest size of the bases; by default what is kept, and 5 blocks
.  -cca_napi_inner_rtol <t>    - relative tolerance of the inner solves; by default chosen on line
.  -cca_napi_inner_max_it <n>  - iterations of the inner solves; 1 is the preconditioner alone
-  -cca_ksp_type <blockcg>, -cca_pc_type <jacobi or sketch> - the inner solvers, of both views

   Level: beginner

   Notes:
   Memory: for each view three blocks of ncv columns, and five of the block size beside the four of KSPBLOCKCG, distributed
   over the ranks.

   The preconditioner is PCSKETCH for a view where that promises to pay, else PCJACOBI.

   -cca_ksp_rtol and -cca_ksp_max_it, where given, are the tolerance and the number of iterations of the inner solves.

.seealso: CCASetType(), CCAGetKSP(), EPSNAPI, KSPBLOCKCG
M*/
PetscErrorCode CCACreate_NAPI(CCA cca)
{
  CCA_NAPI *ctx;

  PetscFunctionBegin;
  PetscCall(PetscNew(&ctx));
  ctx->blocksize = ctx->restart = ctx->ncv = ctx->max_it = CCA_NAPI_AUTO;
  ctx->rtol                                              = CCA_NAPI_AUTO;

  cca->data                = (void *)ctx;
  cca->ops->setup          = CCASetUp_NAPI;
  cca->ops->solve          = CCASolve_NAPI;
  cca->ops->setfromoptions = CCASetFromOptions_NAPI;
  cca->ops->view           = CCAView_NAPI;
  cca->ops->reset          = CCAReset_NAPI;
  cca->ops->destroy        = CCADestroy_NAPI;
  PetscFunctionReturn(PETSC_SUCCESS);
}
