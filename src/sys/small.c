/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Small dense symmetric eigenproblems, and the orthonormalisation of a block of vectors that is built on them.

   The matrix is filled with inner products of long vectors by NAPISmallDot(), may be looked at and scaled by the
   caller, and is then either solved or discarded. Everything small is computed redundantly and synchronised by the DS.
*/
#include <slepcnapi/private/napiwindow.h>

const char *const NAPIBasisStatuses[] = {"the basis is fine", "NaN or Inf in the products with A or B", "B is singular or not positive definite: where it is semi-definite, use a target below the spectrum (-st_type sinvert -eps_target ...)", "the inner solver has failed"};

/* The order of the eigenvalues is the DS's sorting criterion; where it has none, by magnitude */
PetscErrorCode NAPISmallCreate(DS ds, PetscInt max, NAPISmall *small)
{
  SlepcSC sc;

  PetscFunctionBegin;
  small->ds           = ds;
  small->max          = max;
  small->semidefinite = PETSC_FALSE;
  small->bnorm        = NULL;
  PetscCall(PetscObjectReference((PetscObject)ds));
  PetscCall(DSSetType(ds, DSHEP));
  PetscCall(DSGetSlepcSC(ds, &sc));
  if (!sc->comparison) sc->comparison = SlepcCompareLargestMagnitude;
  PetscCall(DSAllocate(ds, max));
  PetscCall(PetscCalloc2(max, &small->values, max, &small->theta));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NAPISmallDestroy(NAPISmall *small)
{
  PetscFunctionBegin;
  PetscCall(DSDestroy(&small->ds));
  PetscCall(PetscFree2(small->values, small->theta));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NAPIDot - What BVDot() does, M := Y'X for the active columns, in half the time where the columns are long */
PetscErrorCode NAPIDot(BV X, BV Y, Mat M)
{
  const PetscInt     worth = 8192; /* rows: shorter columns stay in the cache anyway */
  const PetscScalar *x, *y;
  PetscScalar       *g, *m;
  PetscInt           n, N, lx, kx, ly, ky, r, c, ldx, ldy, ld;
  PetscMPIInt        size;
  Mat                MX, MY;

  PetscFunctionBegin;
  PetscCall(BVGetSizes(X, &n, &N, NULL));
  if (X == Y || N < worth) {
    PetscCall(BVDot(X, Y, M));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(BVGetActiveColumns(X, &lx, &kx));
  PetscCall(BVGetActiveColumns(Y, &ly, &ky));
  if (kx == lx || ky == ly) PetscFunctionReturn(PETSC_SUCCESS);
  r = ky - ly;
  c = kx - lx;
  PetscCall(PetscCalloc1(r * c, &g));
  PetscCall(BVGetMat(X, &MX));
  PetscCall(BVGetMat(Y, &MY));
  PetscCall(MatDenseGetLDA(MX, &ldx));
  PetscCall(MatDenseGetLDA(MY, &ldy));
  PetscCall(MatDenseGetArrayRead(MX, &x));
  PetscCall(MatDenseGetArrayRead(MY, &y));
  PetscCall(NAPIGemmTall(n, r, c, y, ldy, x, ldx, g, r));
  PetscCall(MatDenseRestoreArrayRead(MY, &y));
  PetscCall(MatDenseRestoreArrayRead(MX, &x));
  PetscCall(BVRestoreMat(Y, &MY));
  PetscCall(BVRestoreMat(X, &MX));
  PetscCall(PetscMPIIntCast(r * c, &size));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, g, size, MPIU_SCALAR, MPIU_SUM, PetscObjectComm((PetscObject)X)));
  PetscCall(MatDenseGetLDA(M, &ld));
  PetscCall(MatDenseGetArray(M, &m));
  for (PetscInt j = 0; j < c; j++) PetscCall(PetscArraycpy(m + ly + (lx + j) * ld, g + j * r, r));
  PetscCall(MatDenseRestoreArray(M, &m));
  PetscCall(PetscFree(g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* M := sym(Y'X), n x n, to be handed to NAPISmallSolve() or NAPISmallDiscard() */
PetscErrorCode NAPISmallDot(NAPISmall *small, PetscInt n, BV X, BV Y, Mat *M, PetscBool *finite)
{
  PetscScalar *m;
  PetscInt     ld;

  PetscFunctionBegin;
  PetscCall(DSSetDimensions(small->ds, n, 0, 0));
  PetscCall(DSGetMat(small->ds, DS_MAT_A, M));
  PetscCall(NAPIDot(X, Y, *M)); /* Y' X */
  PetscCall(MatDenseGetLDA(*M, &ld));
  PetscCall(MatDenseGetArray(*M, &m));
  PetscCall(NAPIHermitianPart(0, n, m, ld, m, ld, finite));
  PetscCall(MatDenseRestoreArray(*M, &m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Eigenvalues to small->theta, in the order of the DS's sorting criterion, eigenvectors to the DS's Q */
PetscErrorCode NAPISmallSolve(NAPISmall *small, Mat *M)
{
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(DSRestoreMat(small->ds, DS_MAT_A, M));
  PetscCall(DSSetState(small->ds, DS_STATE_RAW));
  PetscCall(DSSolve(small->ds, small->values, NULL));
  PetscCall(DSSort(small->ds, small->values, NULL, NULL, NULL, NULL));
  PetscCall(DSSynchronize(small->ds, small->values, NULL));
  PetscCall(DSGetDimensions(small->ds, &n, NULL, NULL, NULL));
  for (PetscInt j = 0; j < n; j++) small->theta[j] = PetscRealPart(small->values[j]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NAPISmallDiscard(NAPISmall *small, Mat *M)
{
  PetscFunctionBegin;
  PetscCall(DSRestoreMat(small->ds, DS_MAT_A, M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* W := W - Y (dual'W), and the same for B W where that is another BV, and for A W where there is one */
PetscErrorCode NAPIProject(BV W, BV BW, BV AW, BV Y, BV BY, BV AY, BV dual, Mat cross)
{
  PetscFunctionBegin;
  PetscCall(NAPIDot(W, dual, cross));
  PetscCall(BVMult(W, -1.0, 1.0, Y, cross));
  if (BW != W) PetscCall(BVMult(BW, -1.0, 1.0, BY, cross));
  if (AW) PetscCall(BVMult(AW, -1.0, 1.0, AY, cross));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIOrthonormalizeStep - One step of SVQB on the first n columns of W: with G = W'B W, s = diag(G)^{-1/2} and
   s G s = Q L Q', W := W s Q L^{-1/2} for the L that are not negligible.

   follower - undergoes the same right multiplication, or NULL
   scratch  - at least n x n
   rank     - on exit the number of columns left
   smallest - on entry, columns with a squared B-norm of no more than this count as zero, and if it is positive the columns
              had the norm 1 before a projection, to which rounding compares; on exit the smallest eigenvalue of G, as a
              measure of what the last projection has cancelled (of a block that was orthonormal before it)
*/
PetscErrorCode NAPIOrthonormalizeStep(NAPISmall *small, BV W, BV BW, BV follower, Mat scratch, PetscInt n, PetscInt *rank, PetscReal *smallest, NAPIBasisStatus *status)
{
  PetscScalar       *g, *t;
  const PetscScalar *q;
  PetscReal         *s, lmax = 0.0, dmin = PETSC_MAX_REAL, defect = 0.0, wnorm, bnorm;
  const PetscReal    rounding = 100 * PETSC_MACHINE_EPSILON, unit = *smallest > 0.0 ? 1.0 : 0.0; /* what w'B w was, and ||w|| ||B w|| at least, before the projection */
  PetscInt           i, j, ld, ldt, ldq;
  PetscBool          finite;
  Mat                G, Q;

  PetscFunctionBegin;
  *rank = n;
  PetscCall(NAPISmallDot(small, n, BW, W, &G, &finite)); /* G = W'B W */
  if (!finite) {
    *status = NAPI_BASIS_NOT_FINITE;
    PetscCall(NAPISmallDiscard(small, &G));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(n, &s));
  PetscCall(MatDenseGetLDA(G, &ld));
  PetscCall(MatDenseGetArray(G, &g));
  for (j = 0; j < n; j++) {
    PetscReal d = PetscRealPart(g[j + j * ld]);

    for (i = 0; i < n; i++) defect = PetscMax(defect, PetscAbsScalar(g[i + j * ld] - (i == j ? 1.0 : 0.0)));
    if (unit > 0.0 && small->bnorm && PetscAbsReal(d) < 1e-8) { /* w has not shrunk, w'B w has: w is in the null space of B, and B w rounding */
      PetscCall(BVNormColumn(W, j, NORM_2, &wnorm));
      if (PetscAbsReal(d) <= rounding * *small->bnorm * wnorm * wnorm) d = 0.0;
    }
    s[j] = d > *smallest ? 1.0 / PetscSqrtReal(d) : 0.0;
    if (s[j] > 0.0) dmin = PetscMin(dmin, d);
    if (d < 0.0 && !small->semidefinite) { /* rounding, or B is not positive definite */
      PetscCall(BVNormColumn(W, j, NORM_2, &wnorm));
      PetscCall(BVNormColumn(BW, j, NORM_2, &bnorm));
      if (d < -1e-10 * PetscMax(unit, wnorm * bnorm)) *status = NAPI_BASIS_INDEFINITE;
    }
  }
  if (defect > 10 * PETSC_MACHINE_EPSILON * n) PetscCall(NAPISVQBScale(n, s, g, ld));
  PetscCall(MatDenseRestoreArray(G, &g));
  if (*status || defect <= 10 * PETSC_MACHINE_EPSILON * n) { /* nothing can or need be done */
    *smallest = small->least = 1.0;
    PetscCall(NAPISmallDiscard(small, &G));
    PetscCall(PetscFree(s));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscCall(NAPISmallSolve(small, &G));
  for (j = 0; j < n; j++) lmax = PetscMax(lmax, PetscAbsReal(small->theta[j]));
  for (j = 0; j < n && !small->semidefinite; j++)
    if (small->theta[j] < -1e-8 * lmax && small->theta[j] * dmin < -1e-10 * unit) *status = NAPI_BASIS_INDEFINITE;
  PetscCall(DSGetMat(small->ds, DS_MAT_Q, &Q));
  PetscCall(MatDenseGetLDA(Q, &ldq));
  PetscCall(MatDenseGetLDA(scratch, &ldt));
  PetscCall(MatDenseGetArrayRead(Q, &q));
  PetscCall(MatDenseGetArrayWrite(scratch, &t));
  PetscCall(NAPISVQBTransform(n, s, small->theta, q, ldq, t, ldt, NULL, rank, &small->least));
  PetscCall(MatDenseRestoreArrayWrite(scratch, &t));
  PetscCall(MatDenseRestoreArrayRead(Q, &q));
  PetscCall(DSRestoreMat(small->ds, DS_MAT_Q, &Q));
  *smallest = *rank ? dmin * small->least : 0.0;
  if (*rank && !*status) {
    PetscCall(BVMultInPlace(W, scratch, 0, *rank));
    if (BW != W) PetscCall(BVMultInPlace(BW, scratch, 0, *rank));
    if (follower) PetscCall(BVMultInPlace(follower, scratch, 0, *rank));
  }
  PetscCall(PetscFree(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}
