/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA: the solution. A type finds directions; what follows here is the same for all types:

     (1) products of A and B with the directions, in one fresh pass over the data
     (2) directions made orthonormal in S11 and S22; those that depend on others are dropped
     (3) U'S12 V = P diag(rho) Q',  U := U P,  V := V Q
     (4) residuals  ||[S12 v - rho S11 u; S12'u - rho S22 v]|| / (rho ||[S11 u; S22 v]||)
*/
#include <slepcnapi/private/ccaimpl.h>

/* ------------------------------------------------- bases ------------------------------------------------- */

/* A BV for p directions of one view */
PetscErrorCode CCANewBasis_Private(CCA cca, PetscInt view, PetscInt p, BV *basis)
{
  Vec t;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(view ? cca->Y : cca->X, &t, NULL));
  PetscCall(BVCreate(PetscObjectComm((PetscObject)cca), basis));
  PetscCall(BVSetType(*basis, BVMAT));
  PetscCall(BVSetSizesFromVec(*basis, t, p));
  PetscCall(VecDestroy(&t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* [GU;GV] = A [U;V] and, in the same sweep, B [U;V], for the active columns */
static PetscErrorCode Products(CCA cca, BV W[2], BV AW[2], BV BW[2])
{
  Mat U, V, AU, AV, BU, BofV;

  PetscFunctionBegin;
  PetscCall(BVGetMat(W[0], &U));
  PetscCall(BVGetMat(W[1], &V));
  PetscCall(BVGetMat(AW[1], &AU)); /* S12 V is of the size of U */
  PetscCall(BVGetMat(AW[0], &AV));
  PetscCall(BVGetMat(BW[0], &BU));
  PetscCall(BVGetMat(BW[1], &BofV));
  PetscCall(MatGramMultViews(cca->A, cca->B, U, V, AU, AV, BU, BofV));
  PetscCall(BVRestoreMat(BW[1], &BofV));
  PetscCall(BVRestoreMat(BW[0], &BU));
  PetscCall(BVRestoreMat(AW[0], &AV));
  PetscCall(BVRestoreMat(AW[1], &AU));
  PetscCall(BVRestoreMat(W[1], &V));
  PetscCall(BVRestoreMat(W[0], &U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bases of p columns: some of the user's initial directions, and random ones, draw number draw of them */
static PetscErrorCode RandomBasis(CCA cca, PetscInt p, PetscInt given, PetscInt draw, BV basis[2])
{
  PetscInt    j;
  BV          t[2] = {NULL, NULL};
  PetscRandom random;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)cca), &rank));
  for (int i = 0; i < 2; i++) {
    PetscCall(CCANewBasis_Private(cca, i, p, &basis[i]));
    if (draw) { /* a new BV begins with the same numbers as any other */
      PetscCall(BVGetRandomContext(basis[i], &random));
      PetscCall(PetscRandomSetSeed(random, 0x12345678UL + 76543UL * (unsigned long)rank + 7919UL * (unsigned long)(2 * draw + i)));
      PetscCall(PetscRandomSeed(random));
    }
    for (j = given; j < p; j++) PetscCall(BVSetRandomColumn(basis[i], j));
    if (given) {
      Vec u;

      for (j = 0; j < given; j++) {
        PetscCall(MatDenseGetColumnVecRead(cca->begin[i], j, &u));
        PetscCall(BVInsertVec(basis[i], j, u));
        PetscCall(MatDenseRestoreColumnVecRead(cca->begin[i], j, &u));
      }
    }
  }
  if (given < p && (cca->ridge[0] == 0.0 || cca->ridge[1] == 0.0)) {
    Mat U, V, AU, AV;

    for (int i = 0; i < 2; i++) {
      PetscCall(BVSetActiveColumns(basis[i], given, p));
      PetscCall(CCANewBasis_Private(cca, i, p - given, &t[i]));
      PetscCall(BVCopy(basis[i], t[i]));
    }
    PetscCall(BVGetMat(t[0], &U));
    PetscCall(BVGetMat(t[1], &V));
    PetscCall(BVGetMat(basis[0], &AU));
    PetscCall(BVGetMat(basis[1], &AV));
    PetscCall(MatGramMultViews(draw ? cca->B : cca->A, NULL, U, V, AU, AV, NULL, NULL));
    PetscCall(BVRestoreMat(basis[1], &AV));
    PetscCall(BVRestoreMat(basis[0], &AU));
    PetscCall(BVRestoreMat(t[1], &V));
    PetscCall(BVRestoreMat(t[0], &U));
    for (int i = 0; i < 2; i++) {
      PetscCall(BVSetActiveColumns(basis[i], 0, p));
      PetscCall(BVDestroy(&t[i]));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCARandomBasis_Private - New bases of p columns to begin with: the user's initial directions first, random ones behind. Where a
   ridge is zero the latter are multiplied by A, so that they have no part in the null space of S11 or S22.
*/
PetscErrorCode CCARandomBasis_Private(CCA cca, PetscInt p, BV basis[2])
{
  PetscInt given = 0;

  PetscFunctionBegin;
  if (cca->begin[0]) PetscCall(MatGetSize(cca->begin[0], NULL, &given));
  PetscCall(RandomBasis(cca, p, PetscMin(given, p), 0, basis));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCAFreshBasis_Private - The same in the course of a solution: random columns only, and other ones each time. Where a ridge is zero
   they are multiplied by B: what A has as its range may be used up.
*/
PetscErrorCode CCAFreshBasis_Private(CCA cca, PetscInt p, BV basis[2])
{
  PetscFunctionBegin;
  PetscCall(RandomBasis(cca, p, 0, ++cca->draws, basis));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCASetBasis_Private - By which a type hands over what it has found: dense matrices, with as many columns each and the
   distribution of the views' columns, which are copied.
*/
PetscErrorCode CCASetBasis_Private(CCA cca, Mat U, Mat V)
{
  Mat      found[2] = {U, V}, M;
  PetscInt p;

  PetscFunctionBegin;
  PetscCall(MatGetSize(U, NULL, &p));
  for (int i = 0; i < 2; i++) {
    PetscCall(BVDestroy(&cca->basis[i]));
    PetscCall(CCANewBasis_Private(cca, i, PetscMax(1, p), &cca->basis[i]));
    PetscCall(BVSetActiveColumns(cca->basis[i], 0, p));
    if (!p) continue;
    PetscCall(BVGetMat(cca->basis[i], &M));
    PetscCall(MatCopy(found[i], M, SAME_NONZERO_PATTERN));
    PetscCall(BVRestoreMat(cca->basis[i], &M));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCACreatePart_Private - A vector of one view, distributed like its columns, and what takes it out of a vector [u;v] with the
   rows of the pair.
*/
PetscErrorCode CCACreatePart_Private(CCA cca, int view, VecScatter *part, Vec *v)
{
  PetscInt first, last;
  Vec      x;
  IS       from;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(cca->B, &x, NULL));
  PetscCall(MatCreateVecs(view ? cca->Y : cca->X, v, NULL));
  PetscCall(VecGetOwnershipRange(*v, &first, &last));
  PetscCall(ISCreateStride(PetscObjectComm((PetscObject)cca), last - first, first + (view ? cca->d[0] : 0), 1, &from));
  PetscCall(VecScatterCreate(x, from, *v, NULL, part));
  PetscCall(ISDestroy(&from));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- Rayleigh-Ritz ------------------------------------------------- */

/* Unit columns in the inner product of S: then the smallest eigenvalue of their Gram matrix says how dependent they are */
static PetscErrorCode Normalize(NAPISmall *small, PetscInt n, BV W, BV BW, BV AW, NAPIBasisStatus *status)
{
  const PetscScalar *g;
  PetscReal         *s;
  PetscInt           j, ld;
  PetscBool          finite;
  Mat                G;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &s));
  PetscCall(NAPISmallDot(small, n, BW, W, &G, &finite));
  if (!finite) *status = NAPI_BASIS_NOT_FINITE;
  PetscCall(MatDenseGetLDA(G, &ld));
  PetscCall(MatDenseGetArrayRead(G, &g));
  for (j = 0; j < n; j++) s[j] = PetscRealPart(g[j + j * ld]);
  PetscCall(MatDenseRestoreArrayRead(G, &g));
  PetscCall(NAPISmallDiscard(small, &G));
  for (j = 0; j < n && finite; j++) {
    if (!(s[j] > 0.0)) continue;
    PetscCall(BVScaleColumn(W, j, 1.0 / PetscSqrtReal(s[j])));
    PetscCall(BVScaleColumn(BW, j, 1.0 / PetscSqrtReal(s[j])));
    PetscCall(BVScaleColumn(AW, j, 1.0 / PetscSqrtReal(s[j])));
  }
  PetscCall(PetscFree(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCADropNoise_Private - The n columns of W are orthonormal in S, the covariance of a view. Without ridge S may be singular: of
   directions in its null space S W and W'S W are rounding, which orthonormalisation has blown up to look like a direction
   with a variance. Those with w'S w <= d eps lambda_max w'w are dropped, which is what type direct takes for zero too; S W and, if
   given, the images A W follow. scratch is at least n x n.
*/
PetscErrorCode CCADropNoise_Private(CCA cca, int view, NAPISmall *small, Mat scratch, BV W, BV BW, BV AW, PetscInt *n)
{
  const PetscReal    noise = 10.0 * PetscMax(10, cca->d[view]) * PETSC_MACHINE_EPSILON;
  const PetscScalar *q;
  PetscScalar       *c;
  PetscReal          wnorm, bnorm;
  PetscInt           kept = 0, ldc, ldq;
  PetscBool          finite, any = PETSC_FALSE;
  Mat                G, Q;

  PetscFunctionBegin;
  if (cca->ridge[view] > 0.0 || !*n) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt j = 0; j < *n; j++) {
    PetscCall(BVNormColumn(W, j, NORM_2, &wnorm));
    PetscCall(BVNormColumn(BW, j, NORM_2, &bnorm));
    if (wnorm > 0.0) cca->largest[view] = PetscMax(cca->largest[view], bnorm / wnorm);
    if (noise * cca->largest[view] * wnorm * wnorm >= 1.0 / (PetscReal)*n) any = PETSC_TRUE; /* of a sum of n squares one is as large */
  }
  if (!any) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(NAPISmallDot(small, *n, W, W, &G, &finite)); /* W'W = Q L Q': the columns of W Q are directions of their own */
  if (!finite) {
    PetscCall(NAPISmallDiscard(small, &G));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(NAPISmallSolve(small, &G));
  PetscCall(DSGetMat(small->ds, DS_MAT_Q, &Q));
  PetscCall(MatDenseGetLDA(Q, &ldq));
  PetscCall(MatDenseGetLDA(scratch, &ldc));
  PetscCall(MatDenseGetArrayRead(Q, &q));
  PetscCall(MatDenseGetArrayWrite(scratch, &c));
  for (PetscInt j = 0; j < *n; j++) {
    if (noise * cca->largest[view] * PetscRealPart(small->theta[j]) >= 1.0) continue;
    PetscCall(PetscArraycpy(c + kept * ldc, q + j * ldq, *n));
    kept++;
  }
  PetscCall(MatDenseRestoreArrayWrite(scratch, &c));
  PetscCall(MatDenseRestoreArrayRead(Q, &q));
  PetscCall(DSRestoreMat(small->ds, DS_MAT_Q, &Q));
  if (kept < *n) {
    BV all[] = {W, BW, AW};

    PetscCall(PetscInfo(cca, "Of %" PetscInt_FMT " directions of view %d %" PetscInt_FMT " have no variance\n", *n, view + 1, *n - kept));
    for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(all); i++) {
      if (!all[i]) continue;
      if (kept) PetscCall(BVMultInPlace(all[i], scratch, 0, kept));
      PetscCall(BVSetActiveColumns(all[i], 0, kept));
    }
    *n = kept;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (2) for one view; cond is the smallest eigenvalue met, 1 for directions that were orthonormal */
static PetscErrorCode Orthonormalize(CCA cca, int view, NAPISmall *small, Mat scratch, BV W, BV BW, BV AW, PetscInt *rank, PetscReal *cond, NAPIBasisStatus *status)
{
  PetscReal smallest;
  PetscInt  r;
  BV        all[] = {W, BW, AW};

  PetscFunctionBegin;
  PetscCall(Normalize(small, *rank, W, BW, AW, status));
  *cond = 1.0;
  for (int step = 0; step < 2 && *rank && !*status; step++) {
    smallest = 0.0;
    PetscCall(NAPIOrthonormalizeStep(small, W, BW, AW, scratch, *rank, &r, &smallest, status));
    *cond = PetscMin(*cond, smallest);
    *rank = r;
    for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(all); i++) PetscCall(BVSetActiveColumns(all[i], 0, r));
    if (!*status) PetscCall(CCADropNoise_Private(cca, view, small, scratch, W, BW, AW, rank));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (3) the first n columns of the bases become the canonical pairs of their span */
static PetscErrorCode Rotate(CCA cca, CCARitz *z)
{
  PetscScalar *t, *p, *q;
  PetscInt     m[2] = {z->rank[0], z->rank[1]}, ld, i, j;
  PetscReal   *sigma;
  Mat          T, C[2];

  PetscFunctionBegin;
  z->n = PetscMin(m[0], m[1]);
  if (!z->n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, m[0], m[1], NULL, &T));
  PetscCall(BVDot(z->AW[1], z->W[0], T)); /* U' S12 V */
  PetscCall(MatDenseGetLDA(T, &ld));
  PetscCall(MatDenseGetArray(T, &t));
  PetscCall(PetscMalloc3(z->n, &sigma, m[0] * z->n, &p, m[1] * z->n, &q));
  PetscCall(NAPISingular(PetscObjectComm((PetscObject)cca), m[0], m[1], t, ld, sigma, p, q));
  PetscCall(MatDenseRestoreArray(T, &t));
  PetscCall(MatDestroy(&T));
  for (i = 0; i < 2; i++) {
    PetscScalar *c;

    PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, m[i], m[i], NULL, &C[i]));
    PetscCall(MatDenseGetArrayWrite(C[i], &c));
    PetscCall(PetscArraycpy(c, i ? q : p, m[i] * z->n));
    PetscCall(MatDenseRestoreArrayWrite(C[i], &c));
    PetscCall(BVMultInPlace(z->W[i], C[i], 0, z->n));
    PetscCall(BVMultInPlace(z->BW[i], C[i], 0, z->n));
    PetscCall(BVMultInPlace(z->AW[i], C[i], 0, z->n));
    PetscCall(BVSetActiveColumns(z->W[i], 0, z->n));
    PetscCall(BVSetActiveColumns(z->BW[i], 0, z->n));
    PetscCall(BVSetActiveColumns(z->AW[i], 0, z->n));
    PetscCall(MatDestroy(&C[i]));
  }
  for (j = 0; j < z->n; j++) z->sigma[j] = sigma[j];
  PetscCall(PetscFree3(sigma, p, q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (4) What lies below 1e-8 counts as no correlation, which has no relative residual: there it is the residual itself */
static PetscErrorCode Residuals(CCARitz *z)
{
  PetscReal norm, r2, s2;
  Vec       a, b;

  PetscFunctionBegin;
  for (PetscInt j = 0; j < z->n; j++) {
    r2 = s2 = 0.0;
    for (int i = 0; i < 2; i++) {
      PetscCall(BVGetColumn(z->BW[i], j, &b));
      PetscCall(BVGetColumn(z->AW[1 - i], j, &a));
      PetscCall(VecNorm(b, NORM_2, &norm));
      s2 += norm * norm;
      PetscCall(VecAXPY(a, -z->sigma[j], b)); /* S12 v - rho S11 u; A W is not needed any more */
      PetscCall(VecNorm(a, NORM_2, &norm));
      r2 += norm * norm;
      PetscCall(BVRestoreColumn(z->AW[1 - i], j, &a));
      PetscCall(BVRestoreColumn(z->BW[i], j, &b));
    }
    z->error[j] = r2 > 0.0 ? PetscSqrtReal(r2 / s2) / (z->sigma[j] > 1e-8 ? z->sigma[j] : 1.0) : 0.0;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCARayleighRitz_Private - The canonical pairs of the span of the bases, which are not changed. The products are booked as
   those of any solution. To be freed by CCARitzDestroy_Private(), whatever the status.
*/
PetscErrorCode CCARayleighRitz_Private(CCA cca, BV basis[2], CCARitz *z, NAPIBasisStatus *status)
{
  NAPISmall small;
  PetscReal cond[2] = {1.0, 1.0};
  PetscInt  first, p;
  Mat       scratch;
  DS        ds;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(z, sizeof(*z)));
  *status = NAPI_BASIS_OK;
  PetscCall(BVGetActiveColumns(basis[0], &first, &p));
  if (!p) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscLogEventBegin(CCA_Ritz, cca, 0, 0, 0));
  PetscCall(DSCreate(PetscObjectComm((PetscObject)cca), &ds));
  PetscCall(NAPISmallCreate(ds, p, &small));
  small.semidefinite = PETSC_TRUE;
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, p, p, NULL, &scratch));
  PetscCall(PetscMalloc2(p, &z->sigma, p, &z->error));
  for (int i = 0; i < 2; i++) {
    PetscCall(CCANewBasis_Private(cca, i, p, &z->W[i]));
    PetscCall(CCANewBasis_Private(cca, i, p, &z->BW[i]));
    PetscCall(CCANewBasis_Private(cca, 1 - i, p, &z->AW[i]));
    PetscCall(BVCopy(basis[i], z->W[i]));
    z->rank[i] = p;
  }
  PetscCall(Products(cca, z->W, z->AW, z->BW));                                                                                                           /* (1) */
  for (int i = 0; i < 2 && !*status; i++) PetscCall(Orthonormalize(cca, i, &small, scratch, z->W[i], z->BW[i], z->AW[i], &z->rank[i], &cond[i], status)); /* (2) */
  if (!*status) PetscCall(Rotate(cca, z));                                                                                                                /* (3) */
  if (!*status && z->n && (PetscMin(cond[0], cond[1]) < 1e-8 || cca->check == CCA_CHECK_CERTIFY)) {                                                       /* the products have lost half of their digits on the way, or must have lost none */
    PetscCall(Products(cca, z->W, z->AW, z->BW));
  }
  if (!*status) PetscCall(Residuals(z)); /* (4) */
  PetscCall(MatDestroy(&scratch));
  PetscCall(NAPISmallDestroy(&small));
  PetscCall(DSDestroy(&ds));
  PetscCall(PetscLogEventEnd(CCA_Ritz, cca, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CCARitzDestroy_Private(CCARitz *z)
{
  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) {
    PetscCall(BVDestroy(&z->W[i]));
    PetscCall(BVDestroy(&z->BW[i]));
    PetscCall(BVDestroy(&z->AW[i]));
  }
  PetscCall(PetscFree2(z->sigma, z->error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- the solution ------------------------------------------------- */

/* u and -u, v and -v together are the same pair: take the one with sum u_i^3 > 0, on any number of ranks */
static PetscErrorCode FixSigns(CCA cca)
{
  PetscInt     m, ld;
  PetscReal   *sum;
  PetscMPIInt  count;
  PetscScalar *u;
  Vec          v;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(cca->ncols, &sum));
  PetscCall(MatGetLocalSize(cca->U, &m, NULL));
  PetscCall(MatDenseGetLDA(cca->U, &ld));
  PetscCall(MatDenseGetArray(cca->U, &u));
  for (PetscInt j = 0; j < cca->ncols; j++) {
    for (PetscInt i = 0; i < m; i++) sum[j] += PetscRealPart(u[i + j * ld]) * PetscRealPart(u[i + j * ld]) * PetscRealPart(u[i + j * ld]);
  }
  PetscCall(MatDenseRestoreArray(cca->U, &u));
  PetscCall(PetscMPIIntCast(cca->ncols, &count));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, count, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)cca)));
  for (PetscInt j = 0; j < cca->ncols; j++) {
    if (sum[j] >= 0.0) continue;
    for (int i = 0; i < 2; i++) {
      PetscCall(MatDenseGetColumnVec(i ? cca->V : cca->U, j, &v));
      PetscCall(VecScale(v, -1.0));
      PetscCall(MatDenseRestoreColumnVec(i ? cca->V : cca->U, j, &v));
    }
  }
  PetscCall(PetscFree(sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Between the coordinates of the user's columns and those of columns of unit variance, where the latter are our choice:
   x'u = (x'diag(s))(diag(1/s) u). back: W := diag(s) W, else W := diag(1/s) W.
*/
static PetscErrorCode ChangeUnits(CCA cca, PetscInt view, PetscBool back, Mat W)
{
  PetscInt     m, k, first, ld;
  PetscReal   *s;
  PetscScalar *w;

  PetscFunctionBegin;
  if (cca->scale || !cca->unit[view]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(cca->d[view], &s));
  PetscCall(MatGramGetScales(cca->B, view, s));
  PetscCall(MatGetLocalSize(W, &m, NULL));
  PetscCall(MatGetSize(W, NULL, &k));
  PetscCall(MatGetOwnershipRange(W, &first, NULL));
  PetscCall(MatDenseGetLDA(W, &ld));
  PetscCall(MatDenseGetArray(W, &w));
  for (PetscInt i = 0; i < m; i++) {
    const PetscReal factor = back ? s[first + i] : s[first + i] > 0.0 ? 1.0 / s[first + i] : 0.0;

    for (PetscInt j = 0; j < k; j++) w[i + j * ld] *= factor;
  }
  PetscCall(MatDenseRestoreArray(W, &w));
  PetscCall(PetscFree(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The user's initial directions, for the type */
static PetscErrorCode SetUpBegin(CCA cca)
{
  PetscInt m, rows;

  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) {
    PetscCall(MatDestroy(&cca->begin[i]));
    if (!cca->start[i]) continue;
    PetscCall(MatGetLocalSize(cca->start[i], &m, NULL));
    PetscCall(MatGetLocalSize(i ? cca->Y : cca->X, NULL, &rows));
    PetscCheck(m == rows, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "The initial directions of view %d have %" PetscInt_FMT " local rows, the view has %" PetscInt_FMT " local columns", i + 1, m, rows);
    PetscCall(MatDuplicate(cca->start[i], MAT_COPY_VALUES, &cca->begin[i]));
    PetscCall(ChangeUnits(cca, i, PETSC_FALSE, cca->begin[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The results, from the bases the type has found */
static PetscErrorCode Finish(CCA cca)
{
  CCARitz         z;
  NAPIBasisStatus status;
  Mat             M;

  PetscFunctionBegin;
  PetscCall(CCARayleighRitz_Private(cca, cca->basis, &z, &status));
  PetscCall(BVDestroy(&cca->basis[0]));
  PetscCall(BVDestroy(&cca->basis[1]));
  if (status) {
    PetscCall(PetscInfo(cca, "The solution found is none: %s\n", NAPIBasisStatuses[status]));
    cca->reason = CCA_DIVERGED_BREAKDOWN;
  } else {
    cca->ncols = PetscMin(cca->k, z.n);
    if (cca->check == CCA_CHECK_CERTIFY) {
      PetscCall(PetscMalloc1(cca->ncols, &cca->bound));
      PetscCall(CCACertify_Private(cca, &z, cca->ncols, cca->bound));
    }
    PetscCall(PetscMalloc2(cca->ncols, &cca->rho, cca->ncols, &cca->error));
    for (int i = 0; i < 2 && cca->ncols; i++) {
      PetscCall(BVSetActiveColumns(z.W[i], 0, cca->ncols));
      PetscCall(BVGetMat(z.W[i], &M));
      PetscCall(MatDuplicate(M, MAT_COPY_VALUES, i ? &cca->V : &cca->U));
      PetscCall(BVRestoreMat(z.W[i], &M));
    }
    for (PetscInt j = 0; j < cca->ncols; j++) {
      cca->rho[j]   = PetscMin(1.0, z.sigma[j]); /* rounding must not make it larger */
      cca->error[j] = z.error[j];
    }
    while (cca->nconv < cca->ncols && cca->error[cca->nconv] <= cca->tol) cca->nconv++;
    if (cca->ncols) {
      PetscCall(FixSigns(cca)); /* before, so that signs do not depend on units either */
      PetscCall(ChangeUnits(cca, 0, PETSC_TRUE, cca->U));
      PetscCall(ChangeUnits(cca, 1, PETSC_TRUE, cca->V));
    }
    if (cca->reason > 0 && cca->nconv < cca->ncols) {
      PetscCall(PetscInfo(cca, "The method has ended, but the residual of pair %" PetscInt_FMT " is %g\n", cca->nconv + 1, (double)cca->error[cca->nconv]));
      cca->reason = CCA_DIVERGED_ACCURACY;
    } else if (cca->reason > 0) cca->reason = cca->ncols < cca->k ? CCA_CONVERGED_RANK : CCA_CONVERGED_TOL;
  }
  PetscCall(CCARitzDestroy_Private(&z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The counters of A, B, S11 and S22 */
static PetscErrorCode Counters(CCA cca, PetscReal columns[4], PetscReal passes[4])
{
  Mat mats[4] = {cca->A, cca->B, cca->S[0], cca->S[1]};

  PetscFunctionBegin;
  for (int i = 0; i < 4; i++) {
    PetscCall(MatGramGetColumnPasses(mats[i], &columns[i]));
    PetscCall(MatGramGetPasses(mats[i], &passes[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the solution has cost so far; S11 and S22 see half of the data each */
PetscErrorCode CCAGetCost_Private(CCA cca, PetscReal *a, PetscReal *b, PetscReal *passes)
{
  PetscReal c[4], p[4];

  PetscFunctionBegin;
  PetscCall(Counters(cca, c, p));
  for (int i = 0; i < 4; i++) {
    c[i] -= cca->columns0[i];
    p[i] -= cca->passes0[i];
  }
  if (a) *a = c[0];
  if (b) *b = c[1] + (c[2] + c[3]) / 2.0;
  if (passes) *passes = p[0] + p[1] + (p[2] + p[3]) / 2.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCASolve - Finds the canonical correlations and directions.

   Collective

   Input Parameter:
.  cca - the object

   Options Database Keys:
+  -cca_view             - describes the object afterwards
-  -cca_converged_reason - says why the solution ended

   Level: beginner

   Note:
   Whatever the method, correlations and directions come from a final Rayleigh-Ritz step with fresh products, and a pair
   counts as converged only if its residual computed from these is small enough.

.seealso: CCACreate(), CCAGetConverged(), CCAGetCorrelation(), CCAGetDirections(), CCATransform()
@*/
PetscErrorCode CCASolve(CCA cca)
{
  PetscBool flg;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscCall(CCASetUp(cca));
  PetscCall(PetscLogEventBegin(CCA_Solve, cca, 0, 0, 0));
  PetscCall(MatDestroy(&cca->U));
  PetscCall(MatDestroy(&cca->V));
  PetscCall(PetscFree2(cca->rho, cca->error));
  PetscCall(PetscFree(cca->bound));
  cca->ncols = cca->nconv = cca->its = cca->nhistory = 0;
  cca->largest[0] = cca->largest[1] = 0.0;
  cca->draws                        = 0;
  cca->reason                       = CCA_CONVERGED_ITERATING;
  PetscCall(Counters(cca, cca->columns0, cca->passes0));
  PetscCall(SetUpBegin(cca));
  PetscCall((*cca->ops->solve)(cca));
  for (int i = 0; i < 2; i++) PetscCall(MatDestroy(&cca->begin[i]));
  PetscCheck(cca->reason, PetscObjectComm((PetscObject)cca), PETSC_ERR_PLIB, "The method gave no reason why it has ended");
  if (cca->basis[0]) PetscCall(Finish(cca));
  PetscCall(PetscLogEventEnd(CCA_Solve, cca, 0, 0, 0));
  PetscCall(CCAViewFromOptions(cca, NULL, "-cca_view"));
  PetscCall(PetscOptionsHasName(((PetscObject)cca)->options, ((PetscObject)cca)->prefix, "-cca_converged_reason", &flg));
  if (flg) PetscCall(PetscPrintf(PetscObjectComm((PetscObject)cca), "Canonical correlations: %s, %" PetscInt_FMT " pairs in %" PetscInt_FMT " iterations\n", CCAConvergedReasons[cca->reason], cca->nconv, cca->its));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- monitors, history ------------------------------------------------- */

/* Notes the objective, the sum of the wanted correlations, at the passes made so far */
PetscErrorCode CCARecord_Private(CCA cca, PetscReal objective)
{
  PetscReal *passes, *objectives;

  PetscFunctionBegin;
  if (!cca->wanthistory) PetscFunctionReturn(PETSC_SUCCESS);
  if (cca->nhistory == cca->roomhistory) {
    cca->roomhistory = PetscMax(64, 2 * cca->roomhistory);
    PetscCall(PetscMalloc2(cca->roomhistory, &passes, cca->roomhistory, &objectives));
    PetscCall(PetscArraycpy(passes, cca->hpasses, cca->nhistory));
    PetscCall(PetscArraycpy(objectives, cca->hobjective, cca->nhistory));
    PetscCall(PetscFree2(cca->hpasses, cca->hobjective));
    cca->hpasses    = passes;
    cca->hobjective = objectives;
  }
  PetscCall(CCAGetCost_Private(cca, NULL, NULL, &cca->hpasses[cca->nhistory]));
  cca->hobjective[cca->nhistory++] = objective;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A step of the method is done: nconv pairs have converged, n correlations and errors are known */
PetscErrorCode CCAMonitor_Private(CCA cca, PetscInt its, PetscInt nconv, PetscInt n, const PetscReal rho[], const PetscReal error[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < cca->nmonitors; i++) PetscCall((*cca->monitor[i])(cca, its, nconv, n, rho, error, cca->monitorctx[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
   CCAMonitorSet - Adds a function that is called in every step of the solution.

   Logically Collective

   Input Parameters:
+  cca     - the object
.  monitor - the function
.  ctx     - its own data, or NULL
-  destroy - what frees them, or NULL

   Calling sequence of monitor:
$   PetscErrorCode monitor(CCA cca,PetscInt its,PetscInt nconv,PetscInt n,const PetscReal rho[],const PetscReal error[],void *ctx)
+  its   - the step
.  nconv - pairs that seem to have converged
.  n     - number of estimates that follow
.  rho   - estimates of the correlations
.  error - estimates of their relative residuals; negative where a method has none
-  ctx   - its own data

   Options Database Key:
.  -cca_monitor - sets CCAMonitorDefault()

   Level: intermediate

.seealso: CCAMonitorCancel(), CCAMonitorDefault()
@*/
PetscErrorCode CCAMonitorSet(CCA cca, PetscErrorCode (*monitor)(CCA, PetscInt, PetscInt, PetscInt, const PetscReal[], const PetscReal[], void *), void *ctx, PetscErrorCode (*destroy)(void **))
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  for (PetscInt i = 0; i < cca->nmonitors; i++)
    if (cca->monitor[i] == monitor && cca->monitorctx[i] == ctx) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(cca->nmonitors < CCA_MAXMONITORS, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_OUTOFRANGE, "There are %d monitors already: use CCAMonitorCancel() first", CCA_MAXMONITORS);
  cca->monitor[cca->nmonitors]        = monitor;
  cca->monitorctx[cca->nmonitors]     = ctx;
  cca->monitordestroy[cca->nmonitors] = destroy;
  cca->nmonitors++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAMonitorCancel - Removes all monitors.

   Logically Collective

   Input Parameter:
.  cca - the object

   Level: intermediate

.seealso: CCAMonitorSet()
@*/
PetscErrorCode CCAMonitorCancel(CCA cca)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  for (PetscInt i = 0; i < cca->nmonitors; i++)
    if (cca->monitordestroy[i]) PetscCall((*cca->monitordestroy[i])(&cca->monitorctx[i]));
  cca->nmonitors = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
   CCAMonitorDefault - Prints a line: the step, the pairs that have converged, the first correlation and error after them.

   Collective

   Input Parameters:
+  cca   - the object
.  its   - the step
.  nconv - pairs that seem to have converged
.  n     - number of estimates
.  rho   - estimates of the correlations
.  error - estimates of their relative residuals
-  ctx   - not used

   Options Database Key:
.  -cca_monitor - sets this monitor

   Level: intermediate

.seealso: CCAMonitorSet()
@*/
PetscErrorCode CCAMonitorDefault(CCA cca, PetscInt its, PetscInt nconv, PetscInt n, const PetscReal rho[], const PetscReal error[], void *ctx)
{
  PetscInt    j = PetscMin(nconv, n - 1);
  PetscViewer viewer;

  PetscFunctionBegin;
  (void)ctx;
  PetscCall(PetscViewerASCIIGetStdout(PetscObjectComm((PetscObject)cca), &viewer));
  PetscCall(PetscViewerASCIIPrintf(viewer, "%4" PetscInt_FMT " CCA nconv=%" PetscInt_FMT, its, nconv));
  if (j >= 0) {
    PetscCall(PetscViewerASCIIPrintf(viewer, " correlation %" PetscInt_FMT ": %.10f", j + 1, (double)rho[j]));
    if (error[j] >= 0.0) PetscCall(PetscViewerASCIIPrintf(viewer, " residual=%9.3e", (double)error[j]));
  }
  PetscCall(PetscViewerASCIIPrintf(viewer, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}
