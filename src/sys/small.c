/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Small dense symmetric eigenproblems, and the orthonormalisation of a block of vectors that is built on them.

   The matrix is filled with inner products of long vectors by NAPISmallDot(), may be looked at and scaled by the
   caller, and is then solved or forgotten. Everything small is computed redundantly, on every rank.
*/
#include <slepcnapi/private/napiwindow.h>

const char *const NAPIBasisStatuses[] = {"the basis is fine", "NaN or Inf in the products with A or B", "B is singular or not positive definite: where it is semi-definite, use a target below the spectrum (-st_type sinvert -eps_target ...)", "the inner solver has failed"};

static PetscErrorCode NAPISmall_Allocate(NAPISmall *small)
{
  const PetscInt max = small->max;

  PetscFunctionBegin;
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, max, max, NULL, &small->G));
  PetscCall(PetscMalloc2(max * max, &small->E, max * max, &small->Q));
  PetscCall(PetscCalloc3(max, &small->theta, max, &small->ascending, max, &small->order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NAPISmall_Free(NAPISmall *small)
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(&small->G));
  PetscCall(PetscFree2(small->E, small->Q));
  PetscCall(PetscFree3(small->theta, small->ascending, small->order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

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
  PetscCall(NAPISmall_Allocate(small));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NAPISmallGrow - Room for larger problems; the last one is forgotten */
PetscErrorCode NAPISmallGrow(NAPISmall *small, PetscInt max)
{
  PetscFunctionBegin;
  if (max <= small->max) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(NAPISmall_Free(small));
  small->max = max;
  PetscCall(NAPISmall_Allocate(small));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NAPISmallDestroy(NAPISmall *small)
{
  PetscFunctionBegin;
  PetscCall(DSDestroy(&small->ds));
  PetscCall(NAPISmall_Free(small));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The local rows of the active columns, a part of all that BVRestoreArrayRead() takes back. BVGetMat() makes a matrix anew whenever their number has changed, for which all ranks meet four times */
static PetscErrorCode NAPISmall_GetColumns(BV X, const PetscScalar **all, const PetscScalar **x, PetscInt *ld)
{
  PetscInt constraints, first;

  PetscFunctionBegin;
  PetscCall(BVGetNumConstraints(X, &constraints));
  PetscCall(BVGetActiveColumns(X, &first, NULL));
  PetscCall(NAPIBVLeadingDimension(X, ld));
  PetscCall(BVGetArrayRead(X, all));
  *x = *all + (size_t)(constraints + first) * (size_t)*ld;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NAPIDot - What BVDot() does, M := Y'X for the active columns, in half the time where the columns are long */
PetscErrorCode NAPIDot(BV X, BV Y, Mat M)
{
  const PetscInt     worth = 8192; /* rows: shorter columns stay in the cache anyway */
  const PetscScalar *x, *y, *allx, *ally;
  PetscScalar       *g, *m;
  PetscInt           n, N, lx, kx, ly, ky, r, c, ldx, ldy, ld;
  PetscMPIInt        size;

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
  PetscCall(NAPISmall_GetColumns(X, &allx, &x, &ldx));
  PetscCall(NAPISmall_GetColumns(Y, &ally, &y, &ldy));
  PetscCall(NAPIGemmTall(n, r, c, y, ldy, x, ldx, g, r));
  PetscCall(BVRestoreArrayRead(Y, &ally));
  PetscCall(BVRestoreArrayRead(X, &allx));
  PetscCall(PetscMPIIntCast(r * c, &size));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, g, size, MPIU_SCALAR, MPIU_SUM, PetscObjectComm((PetscObject)X)));
  PetscCall(MatDenseGetLDA(M, &ld));
  PetscCall(MatDenseGetArray(M, &m));
  for (PetscInt j = 0; j < c; j++) PetscCall(PetscArraycpy(m + ly + (lx + j) * ld, g + j * r, r));
  PetscCall(MatDenseRestoreArray(M, &m));
  PetscCall(PetscFree(g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NAPISmallDot - G := sym(Y'X), n x n */
PetscErrorCode NAPISmallDot(NAPISmall *small, PetscInt n, BV X, BV Y, PetscBool *finite)
{
  PetscScalar *g;

  PetscFunctionBegin;
  PetscCheck(n <= small->max, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " columns, where there is room for %" PetscInt_FMT, n, small->max);
  PetscCall(NAPIDot(X, Y, small->G)); /* Y' X */
  PetscCall(MatDenseGetArray(small->G, &g));
  PetscCall(NAPIHermitianPart(0, n, g, small->max, g, small->max, finite));
  PetscCall(MatDenseRestoreArray(small->G, &g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NAPISmallEigen - theta and Q := the eigenvalues and eigenvectors of E, n x n, in the order of the DS's sorting criterion */
PetscErrorCode NAPISmallEigen(NAPISmall *small, PetscInt n)
{
  PetscInt      *order = small->order, result;
  DSParallelType parallel;
  PetscMPIInt    count;
  SlepcSC        sc;

  PetscFunctionBegin;
  PetscCall(DSGetSlepcSC(small->ds, &sc));
  PetscCall(NAPIEigen(n, small->E, n, small->ascending));
  for (PetscInt j = 0; j < n; j++) { /* most orders begin at the upper end: each value goes to its place among those above it */
    const PetscInt at  = n - 1 - j;
    PetscInt       low = 0, high = j;

    while (low < high) {
      const PetscInt middle = (low + high) / 2;

      PetscCall(SlepcSCCompare(sc, small->ascending[order[middle]], 0.0, small->ascending[at], 0.0, &result));
      if (result <= 0) low = middle + 1;
      else high = middle;
    }
    PetscCall(PetscArraymove(order + low + 1, order + low, j - low));
    order[low] = at;
  }
  for (PetscInt j = 0; j < n; j++) {
    small->theta[j] = small->ascending[order[j]];
    PetscCall(PetscArraycpy(small->Q + j * n, small->E + order[j] * n, n));
  }
  PetscCall(DSGetParallel(small->ds, &parallel));
  if (parallel == DS_PARALLEL_SYNCHRONIZED) { /* -ds_parallel: other processors may round otherwise */
    PetscCall(PetscMPIIntCast(n, &count));
    PetscCallMPI(MPI_Bcast(small->theta, count, MPIU_REAL, 0, PetscObjectComm((PetscObject)small->ds)));
    PetscCall(PetscMPIIntCast(n * n, &count));
    PetscCallMPI(MPI_Bcast(small->Q, count, MPIU_SCALAR, 0, PetscObjectComm((PetscObject)small->ds)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NAPISmallSolve - The same for G */
PetscErrorCode NAPISmallSolve(NAPISmall *small, PetscInt n)
{
  const PetscScalar *g;

  PetscFunctionBegin;
  PetscCall(MatDenseGetArrayRead(small->G, &g));
  for (PetscInt j = 0; j < n; j++) PetscCall(PetscArraycpy(small->E + j * n, g + j * small->max, n));
  PetscCall(MatDenseRestoreArrayRead(small->G, &g));
  PetscCall(NAPISmallEigen(small, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NAPISmallVectors - C := Q, n x n */
PetscErrorCode NAPISmallVectors(const NAPISmall *small, PetscInt n, Mat C)
{
  PetscScalar *c;
  PetscInt     ld;

  PetscFunctionBegin;
  PetscCall(MatDenseGetLDA(C, &ld));
  PetscCall(MatDenseGetArrayWrite(C, &c));
  for (PetscInt j = 0; j < n; j++) PetscCall(PetscArraycpy(c + j * ld, small->Q + j * n, n));
  PetscCall(MatDenseRestoreArrayWrite(C, &c));
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
  PetscScalar    *g, *t;
  PetscReal      *s, lmax = 0.0, dmin = PETSC_MAX_REAL, defect = 0.0, wnorm, bnorm;
  const PetscReal rounding = 100 * PETSC_MACHINE_EPSILON, unit = *smallest > 0.0 ? 1.0 : 0.0; /* what w'B w was, and ||w|| ||B w|| at least, before the projection */
  const PetscInt  ld = small->max;
  PetscInt        i, j, ldt;
  PetscBool       finite;

  PetscFunctionBegin;
  *rank = n;
  PetscCall(NAPISmallDot(small, n, BW, W, &finite)); /* G = W'B W */
  if (!finite) {
    *status = NAPI_BASIS_NOT_FINITE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(n, &s));
  PetscCall(MatDenseGetArray(small->G, &g));
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
  PetscCall(MatDenseRestoreArray(small->G, &g));
  if (*status || defect <= 10 * PETSC_MACHINE_EPSILON * n) { /* nothing can or need be done */
    *smallest = small->least = 1.0;
    PetscCall(PetscFree(s));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscCall(NAPISmallSolve(small, n));
  for (j = 0; j < n; j++) lmax = PetscMax(lmax, PetscAbsReal(small->theta[j]));
  for (j = 0; j < n && !small->semidefinite; j++)
    if (small->theta[j] < -1e-8 * lmax && small->theta[j] * dmin < -1e-10 * unit) *status = NAPI_BASIS_INDEFINITE;
  PetscCall(MatDenseGetLDA(scratch, &ldt));
  PetscCall(MatDenseGetArrayWrite(scratch, &t));
  PetscCall(NAPISVQBTransform(n, s, small->theta, small->Q, n, t, ldt, NULL, rank, &small->least));
  PetscCall(MatDenseRestoreArrayWrite(scratch, &t));
  *smallest = *rank ? dmin * small->least : 0.0;
  if (*rank && !*status) {
    PetscCall(BVMultInPlace(W, scratch, 0, *rank));
    if (BW != W) PetscCall(BVMultInPlace(BW, scratch, 0, *rank));
    if (follower) PetscCall(BVMultInPlace(follower, scratch, 0, *rank));
  }
  PetscCall(PetscFree(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}
