/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA: the canonical pairs of the span of given directions. Whatever type has found them, CCASolve() takes its results from here:

     (1) products of A and B with the directions, in one fresh pass over the data
     (2) directions made orthonormal in S11 and S22; those that depend on others are dropped
     (3) U'S12 V = P diag(rho) Q',  U := U P,  V := V Q
     (4) residuals  ||[S12 v - rho S11 u; S12'u - rho S22 v]|| / (rho ||[S11 u; S22 v]||)
*/
#include <slepcnapi/private/ccaimpl.h>
#include <slepcnapi/private/gramimpl.h>

/* What lies below counts as no correlation: its residual is not divided by it. The square root of the rounding of a double */
#define CCA_NO_CORRELATION 1e-8

/* Directions more nearly dependent than this cost their products half of the digits: they are made afresh, for one more pass */
#define CCA_RITZ_DEPENDENT 1e-8

/* Variances of so many times d eps lambda_max are rounding: less keeps noise as a direction, more drops directions that have a few digits */
#define CCA_RITZ_NOISE 10.0

/*
   CCAMultViews_Private - [AW[1];AW[0]] = A [W[0];W[1]] for the active columns and, in the same sweep over the data, [BW[0];BW[1]] =
   B [W[0];W[1]] if B is given. AW[i] is the image of W[i]: S12'U has the rows of V, S12 V those of U.
*/
PetscErrorCode CCAMultViews_Private(Mat A, Mat B, BV W[2], BV AW[2], BV BW[2])
{
  BV        all[] = {W[0], W[1], AW[1], AW[0], B ? BW[0] : NULL, B ? BW[1] : NULL};
  Mat       M[]   = {NULL, NULL, NULL, NULL, NULL, NULL};
  const int used  = B ? 6 : 4;

  PetscFunctionBegin;
  for (int i = 0; i < used; i++) PetscCall(BVGetMat(all[i], &M[i]));
  PetscCall(MatGramMultViews_Private(A, B, M, M + 2, NULL));
  for (int i = used - 1; i >= 0; i--) PetscCall(BVRestoreMat(all[i], &M[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCAResidual_Private - Residuals of n canonical pairs and their relative errors, one reduction for all of them.

   views - 2, or 1 where both views are the parts of one vector
   R     - of view i; the first n columns hold S12 V (i = 0) and S12'U (i = 1), and become S12 V - S11 U diag(s), S12'U - S22 V diag(s)
   BW    - of view i; S11 U and S22 V, for u'S11 u = v'S22 v = 1
   sigma - the correlations s; an eigenvalue -s of [u;-v] will do too
   error - ||[R[0];R[1]]|| / (|s| ||[BW[0];BW[1]]||) for each pair

   The first n columns of R and BW become the active ones.
*/
PetscErrorCode CCAResidual_Private(int views, BV R[], BV BW[], PetscInt n, const PetscReal sigma[], PetscReal error[])
{
  PetscReal  *sums;
  PetscMPIInt count;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(2 * n, &count));
  PetscCall(PetscCalloc1(2 * n, &sums));
  for (int i = 0; i < views && n; i++) {
    PetscScalar       *r;
    const PetscScalar *b;
    PetscInt           rows, ldr, ldb;
    Mat                MR, MB;

    PetscCall(BVSetActiveColumns(R[i], 0, n));
    PetscCall(BVSetActiveColumns(BW[i], 0, n));
    PetscCall(BVGetMat(R[i], &MR));
    PetscCall(BVGetMat(BW[i], &MB));
    PetscCall(MatGetLocalSize(MR, &rows, NULL));
    PetscCall(MatDenseGetLDA(MR, &ldr));
    PetscCall(MatDenseGetLDA(MB, &ldb));
    PetscCall(MatDenseGetArray(MR, &r));
    PetscCall(MatDenseGetArrayRead(MB, &b));
    for (PetscInt j = 0; j < n; j++) {
      for (PetscInt l = 0; l < rows; l++) {
        r[l + j * ldr] -= sigma[j] * b[l + j * ldb];
        sums[2 * j] += PetscRealPart(r[l + j * ldr] * PetscConj(r[l + j * ldr]));
        sums[2 * j + 1] += PetscRealPart(b[l + j * ldb] * PetscConj(b[l + j * ldb]));
      }
    }
    PetscCall(MatDenseRestoreArrayRead(MB, &b));
    PetscCall(MatDenseRestoreArray(MR, &r));
    PetscCall(BVRestoreMat(BW[i], &MB));
    PetscCall(BVRestoreMat(R[i], &MR));
  }
  if (n) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, count, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)R[0])));
  for (PetscInt j = 0; j < n; j++) {
    const PetscReal s = PetscAbsReal(sigma[j]);

    error[j] = sums[2 * j] > 0.0 ? PetscSqrtReal(sums[2 * j] / sums[2 * j + 1]) / (s > CCA_NO_CORRELATION ? s : 1.0) : 0.0;
  }
  PetscCall(PetscFree(sums));
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
  const PetscReal noise = CCA_RITZ_NOISE * PetscMax(10, cca->d[view]) * PETSC_MACHINE_EPSILON;
  PetscScalar    *c;
  PetscReal       wnorm, bnorm;
  PetscInt        kept = 0, ldc;
  PetscBool       finite, any = PETSC_FALSE;

  PetscFunctionBegin;
  if (cca->ridge[view] > 0.0 || !*n) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt j = 0; j < *n; j++) {
    PetscCall(BVNormColumn(W, j, NORM_2, &wnorm));
    PetscCall(BVNormColumn(BW, j, NORM_2, &bnorm));
    if (wnorm > 0.0) cca->largest[view] = PetscMax(cca->largest[view], bnorm / wnorm);
    if (noise * cca->largest[view] * wnorm * wnorm >= 1.0 / (PetscReal)*n) any = PETSC_TRUE; /* of a sum of n squares one is as large */
  }
  if (!any) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(NAPISmallDot(small, *n, W, W, &finite)); /* W'W = Q L Q': the columns of W Q are directions of their own */
  if (!finite) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(NAPISmallSolve(small, *n));
  PetscCall(MatDenseGetLDA(scratch, &ldc));
  PetscCall(MatDenseGetArrayWrite(scratch, &c));
  for (PetscInt j = 0; j < *n; j++) {
    if (noise * cca->largest[view] * PetscRealPart(small->theta[j]) >= 1.0) continue;
    PetscCall(PetscArraycpy(c + kept * ldc, small->Q + j * *n, *n));
    kept++;
  }
  PetscCall(MatDenseRestoreArrayWrite(scratch, &c));
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

/* (2) for one view; cond says how nearly dependent the directions were, 1 if they were orthonormal */
static PetscErrorCode CCARitz_Orthonormalize(CCA cca, int view, NAPISmall *small, Mat scratch, CCARitz *z, PetscReal *cond, NAPIBasisStatus *status)
{
  PetscReal smallest;
  PetscInt *rank  = &z->rank[view], r;
  BV        all[] = {z->W[view], z->BW[view], z->AW[view]};

  PetscFunctionBegin;
  for (int step = 0; step < 2 && *rank && !*status; step++) {
    smallest = 0.0;
    PetscCall(NAPIOrthonormalizeStep(small, all[0], all[1], all[2], scratch, *rank, &r, &smallest, status));
    *cond = PetscMin(*cond, small->least);
    *rank = r;
    for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(all); i++) PetscCall(BVSetActiveColumns(all[i], 0, r));
    if (!*status) PetscCall(CCADropNoise_Private(cca, view, small, scratch, all[0], all[1], all[2], rank));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCASingular_Private - V'X = P diag(sigma) Q' for the m active columns of V and the n of X, with matrices P of m x min(m,n) and Q of
   n x min(m,n); finite is false, and nothing else is known, where V'X has an entry that is not.
*/
PetscErrorCode CCASingular_Private(BV V, BV X, PetscReal sigma[], Mat P, Mat Q, PetscBool *finite)
{
  PetscScalar *t, *p, *q;
  PetscInt     m, n;
  Mat          T;

  PetscFunctionBegin;
  PetscCall(BVGetActiveColumns(V, NULL, &m));
  PetscCall(BVGetActiveColumns(X, NULL, &n));
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, m, n, NULL, &T)); /* without gaps, as P and Q are */
  PetscCall(BVDot(X, V, T));
  PetscCall(MatDenseGetArray(T, &t));
  *finite = PETSC_TRUE;
  for (PetscInt i = 0; i < m * n; i++)
    if (PetscIsInfOrNanScalar(t[i])) *finite = PETSC_FALSE;
  if (*finite) {
    PetscCall(MatDenseGetArrayWrite(P, &p));
    PetscCall(MatDenseGetArrayWrite(Q, &q));
    PetscCall(NAPISingular(PetscObjectComm((PetscObject)V), m, n, t, m, sigma, p, q));
    PetscCall(MatDenseRestoreArrayWrite(Q, &q));
    PetscCall(MatDenseRestoreArrayWrite(P, &p));
  }
  PetscCall(MatDenseRestoreArray(T, &t));
  PetscCall(MatDestroy(&T));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (3) the first n columns of the bases become the canonical pairs of their span */
static PetscErrorCode CCARitz_Rotate(CCARitz *z, NAPIBasisStatus *status)
{
  PetscBool finite;
  Mat       C[2];

  PetscFunctionBegin;
  z->n = PetscMin(z->rank[0], z->rank[1]);
  if (!z->n) PetscFunctionReturn(PETSC_SUCCESS);
  for (int i = 0; i < 2; i++) PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, z->rank[i], z->n, NULL, &C[i]));
  PetscCall(CCASingular_Private(z->W[0], z->AW[1], z->sigma, C[0], C[1], &finite)); /* U'S12 V */
  if (!finite) *status = NAPI_BASIS_NOT_FINITE;
  for (int i = 0; i < 2; i++) {
    BV all[] = {z->W[i], z->BW[i], z->AW[i]};

    for (size_t j = 0; j < PETSC_STATIC_ARRAY_LENGTH(all) && finite; j++) {
      PetscCall(BVMultInPlace(all[j], C[i], 0, z->n));
      PetscCall(BVSetActiveColumns(all[j], 0, z->n));
    }
    PetscCall(MatDestroy(&C[i]));
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
  PetscReal cond = 1.0;
  PetscInt  p;
  Mat       scratch;
  DS        ds;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(z, sizeof(*z)));
  *status = NAPI_BASIS_OK;
  PetscCall(BVGetActiveColumns(basis[0], NULL, &p));
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
  /* (1), (2), (3) */
  PetscCall(CCAMultViews_Private(cca->A, cca->B, z->W, z->AW, z->BW));
  for (int i = 0; i < 2 && !*status; i++) PetscCall(CCARitz_Orthonormalize(cca, i, &small, scratch, z, &cond, status));
  if (!*status) PetscCall(CCARitz_Rotate(z, status));
  /* the products may have lost half of their digits on the way, and for bounds must have lost none */
  if (!*status && z->n && (cond < CCA_RITZ_DEPENDENT || cca->check == CCA_CHECK_CERTIFY)) PetscCall(CCAMultViews_Private(cca->A, cca->B, z->W, z->AW, z->BW));
  if (!*status && z->n) { /* (4): A W is not needed any more */
    BV R[2] = {z->AW[1], z->AW[0]};

    PetscCall(CCAResidual_Private(2, R, z->BW, z->n, z->sigma, z->error));
  }
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
