/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The window: a B-orthonormal basis V that grows by blocks and restarts by a coefficient matrix, with B V, the image A V
   and V'A V carried along, so that nothing is ever multiplied twice. All work on long vectors is BLAS-3.

   Order of a step: NAPIWindowOrthonormalize() a new block, NAPIWindowAppend() it, let the caller apply A to the new
   columns, NAPIWindowProject() to bring V'A V up to date, NAPIWindowRitz(), and NAPIWindowRestart() when it is full.
*/
#include <slepcnapi/private/napiwindow.h>

/* V, BofV and AV are the caller's (BofV is V where B = I), with max columns, and so are Y and BY with ny */
PetscErrorCode NAPIWindowCreate(BV V, BV BofV, BV AV, PetscInt max, BV Y, BV BY, PetscInt ny, NAPISmall *small, NAPIWindow *w)
{
  PetscFunctionBegin;
  w->V     = V;
  w->BofV  = BofV;
  w->AV    = AV;
  w->left  = V;
  w->m     = 0;
  w->max   = max;
  w->Y     = Y;
  w->BY    = BY;
  w->ny    = ny;
  w->small = small;
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, max, max, NULL, &w->T));
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, PetscMax(max, ny), max, NULL, &w->H));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NAPIWindowDestroy(NAPIWindow *w)
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(&w->T));
  PetscCall(MatDestroy(&w->H));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Columns from first to last of V, B V and A V */
PetscErrorCode NAPIWindowSetActive(NAPIWindow *w, PetscInt first, PetscInt last)
{
  PetscFunctionBegin;
  PetscCall(BVSetActiveColumns(w->V, first, last));
  if (w->BofV != w->V) PetscCall(BVSetActiveColumns(w->BofV, first, last));
  PetscCall(BVSetActiveColumns(w->AV, first, last));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first n columns of a block and of what goes with it */
static PetscErrorCode SetBlockActive(BV D, BV BD, BV AD, PetscInt n)
{
  PetscFunctionBegin;
  PetscCall(BVSetActiveColumns(D, 0, n));
  if (BD != D) PetscCall(BVSetActiveColumns(BD, 0, n));
  if (AD) PetscCall(BVSetActiveColumns(AD, 0, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIWindowOrthonormalize - Makes the nd columns of D B-orthonormal, and B-orthogonal to Y and V; B D (D itself where
   B = I) follows, and so does A D where it is known already (else NULL; not with a Y).

   nd     - on exit the columns that are left: what lies in the span of V to working accuracy is dropped
   cancel - the factor by which a column shrank in all; B D has lost as many digits
*/
PetscErrorCode NAPIWindowOrthonormalize(NAPIWindow *w, BV D, BV BD, BV AD, PetscInt *nd, PetscReal *cancel, NAPIBasisStatus *status)
{
  const PetscInt maxpass  = 8;
  PetscReal      smallest = 0.0;
  PetscInt       pass;

  PetscFunctionBegin;
  *cancel = 1.0;
  *status = NAPI_BASIS_OK;
  if (!*nd) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SetBlockActive(D, BD, AD, *nd));
  PetscCall(NAPIOrthonormalizeStep(w->small, D, BD, AD, w->H, *nd, nd, &smallest, status));
  if (*nd && !*status) *cancel = PetscSqrtReal(PetscMin(1.0, w->small->least)); /* columns that were nearly dependent have cancelled, too */
  /* A projection that halves no column leaves it orthogonal to rounding; otherwise it has to be repeated. */
  for (pass = 0, smallest = 0.0; pass < maxpass && smallest < 0.25 && *nd && !*status; pass++) {
    PetscCall(SetBlockActive(D, BD, AD, *nd));
    if (w->ny) PetscCall(NAPIProject(D, BD, NULL, w->Y, w->BY, NULL, w->H));
    if (w->m) PetscCall(NAPIProject(D, BD, AD, w->V, w->BofV, w->AV, w->H));
    smallest = 1e-24; /* a unit vector that shrank below 1e-12 is rounding */
    PetscCall(NAPIOrthonormalizeStep(w->small, D, BD, AD, w->H, *nd, nd, &smallest, status));
    *cancel *= PetscSqrtReal(PetscMin(1.0, smallest));
  }
  if (smallest < 0.25 && !*status) *nd = 0; /* nothing but rounding, which is never orthogonal to anything */
  PetscCall(SetBlockActive(D, BD, AD, *nd));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NAPIWindowDefect - The largest entry of V'B D for a block that is B-orthogonal to V: what is not 0 is error in B D or B V */
PetscErrorCode NAPIWindowDefect(NAPIWindow *w, BV BD, PetscReal *defect)
{
  const PetscScalar *h;
  PetscInt           i, j, first, last, ld;

  PetscFunctionBegin;
  *defect = 0.0;
  if (!w->m) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(NAPIDot(BD, w->V, w->H)); /* V' (B D) */
  PetscCall(BVGetActiveColumns(BD, &first, &last));
  PetscCall(MatDenseGetLDA(w->H, &ld));
  PetscCall(MatDenseGetArrayRead(w->H, &h));
  for (j = first; j < last; j++)
    for (i = 0; i < w->m; i++) *defect = PetscMax(*defect, PetscAbsScalar(h[i + j * ld]));
  PetscCall(MatDenseRestoreArrayRead(w->H, &h));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Appends the nd columns of D; on exit they are the active columns of V, B V and A V, the last of which is to be computed if
   A D is not given
*/
PetscErrorCode NAPIWindowAppend(NAPIWindow *w, BV D, BV BD, BV AD, PetscInt nd)
{
  PetscFunctionBegin;
  PetscCall(NAPIWindowSetActive(w, w->m, w->m + nd));
  PetscCall(BVCopy(D, w->V));
  if (w->BofV != w->V) PetscCall(BVCopy(BD, w->BofV));
  if (AD) PetscCall(BVCopy(AD, w->AV));
  w->m += nd;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* T := V'A V for the columns from first on */
PetscErrorCode NAPIWindowProject(NAPIWindow *w, PetscInt first, PetscBool *finite)
{
  PetscScalar *t;
  PetscInt     i, j, ld;

  PetscFunctionBegin;
  PetscCall(NAPIWindowSetActive(w, 0, w->m));
  PetscCall(BVSetActiveColumns(w->AV, first, w->m));
  PetscCall(NAPIDot(w->AV, w->left, w->T)); /* V' (A V) */
  PetscCall(NAPIWindowSetActive(w, 0, w->m));
  *finite = PETSC_TRUE;
  PetscCall(MatDenseGetLDA(w->T, &ld));
  PetscCall(MatDenseGetArray(w->T, &t));
  for (j = first; j < w->m; j++) {
    for (i = 0; i <= j; i++) {
      if (i >= first) t[i + j * ld] = 0.5 * (t[i + j * ld] + PetscConj(t[j + i * ld]));
      t[j + i * ld] = PetscConj(t[i + j * ld]);
      if (!NAPIIsSane(t[i + j * ld])) *finite = PETSC_FALSE;
    }
  }
  PetscCall(MatDenseRestoreArray(w->T, &t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NAPIWindowAsymmetry - How far V'A V is from being symmetric between the columns before first and the later ones: A V may have drifted */
PetscErrorCode NAPIWindowAsymmetry(NAPIWindow *w, PetscInt first, PetscReal *asymmetry)
{
  const PetscScalar *t, *h;
  PetscInt           i, j, ldt, ldh;

  PetscFunctionBegin;
  *asymmetry = 0.0;
  if (!first || first == w->m) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(NAPIWindowSetActive(w, 0, w->m));
  PetscCall(BVSetActiveColumns(w->AV, 0, first));
  PetscCall(BVSetActiveColumns(w->left, first, w->m));
  PetscCall(NAPIDot(w->left, w->AV, w->H)); /* (A V)' V */
  PetscCall(NAPIWindowSetActive(w, 0, w->m));
  PetscCall(MatDenseGetLDA(w->T, &ldt));
  PetscCall(MatDenseGetLDA(w->H, &ldh));
  PetscCall(MatDenseGetArrayRead(w->T, &t));
  PetscCall(MatDenseGetArrayRead(w->H, &h));
  for (j = first; j < w->m; j++)
    for (i = 0; i < first; i++) *asymmetry = PetscMax(*asymmetry, PetscAbsScalar(t[i + j * ldt] - h[i + j * ldh]));
  PetscCall(MatDenseRestoreArrayRead(w->H, &h));
  PetscCall(MatDenseRestoreArrayRead(w->T, &t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Eigenvalues of T, without its first rows and columns, to small->theta, eigenvectors to the DS's Q */
PetscErrorCode NAPIWindowRitz(NAPIWindow *w, PetscInt first)
{
  PetscScalar       *a;
  const PetscScalar *t;
  PetscInt           j, lda, ldt;
  Mat                M;

  PetscFunctionBegin;
  PetscCall(DSSetDimensions(w->small->ds, w->m - first, 0, 0));
  PetscCall(DSGetMat(w->small->ds, DS_MAT_A, &M));
  PetscCall(MatDenseGetLDA(M, &lda));
  PetscCall(MatDenseGetLDA(w->T, &ldt));
  PetscCall(MatDenseGetArrayWrite(M, &a));
  PetscCall(MatDenseGetArrayRead(w->T, &t));
  for (j = first; j < w->m; j++) PetscCall(PetscArraycpy(a + (j - first) * lda, t + first + j * ldt, w->m - first));
  PetscCall(MatDenseRestoreArrayRead(w->T, &t));
  PetscCall(MatDenseRestoreArrayWrite(M, &a));
  PetscCall(NAPISmallSolve(w->small, &M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* V := V C for the first n columns of C, which are orthonormal; B V and A V follow */
PetscErrorCode NAPIWindowRotate(NAPIWindow *w, Mat C, PetscInt n)
{
  PetscFunctionBegin;
  PetscCall(NAPIWindowSetActive(w, 0, w->m));
  PetscCall(BVMultInPlace(w->V, C, 0, n));
  if (w->BofV != w->V) PetscCall(BVMultInPlace(w->BofV, C, 0, n));
  PetscCall(BVMultInPlace(w->AV, C, 0, n));
  w->m = n;
  PetscCall(NAPIWindowSetActive(w, 0, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same, and T := C'T C */
PetscErrorCode NAPIWindowRestart(NAPIWindow *w, Mat C, PetscInt n)
{
  const PetscScalar *c;
  PetscScalar       *t, *work, sum;
  PetscInt           i, j, l, m = w->m, ldc, ldt;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(m * n, &work));
  PetscCall(MatDenseGetLDA(C, &ldc));
  PetscCall(MatDenseGetLDA(w->T, &ldt));
  PetscCall(MatDenseGetArrayRead(C, &c));
  PetscCall(MatDenseGetArray(w->T, &t));
  for (j = 0; j < n; j++) {
    for (i = 0; i < m; i++) { /* work = T C */
      for (l = 0, sum = 0.0; l < m; l++) sum += PetscConj(t[l + i * ldt]) * c[l + j * ldc];
      work[i + j * m] = sum;
    }
  }
  for (j = 0; j < n; j++) {
    for (i = 0; i <= j; i++) { /* T = C'T C */
      for (l = 0, sum = 0.0; l < m; l++) sum += PetscConj(c[l + i * ldc]) * work[l + j * m];
      t[i + j * ldt] = i == j ? PetscRealPart(sum) : sum;
      t[j + i * ldt] = PetscConj(t[i + j * ldt]);
    }
  }
  PetscCall(MatDenseRestoreArray(w->T, &t));
  PetscCall(MatDenseRestoreArrayRead(C, &c));
  PetscCall(PetscFree(work));
  PetscCall(NAPIWindowRotate(w, C, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIKeepDirections - c, of leading dimension ld, holds n orthonormal columns of length m. Behind them come the nold columns
   of old, orthonormalised against them and each other; those that have nothing new are left out. n is their number on exit.
*/
PetscErrorCode NAPIKeepDirections(PetscInt m, PetscInt *n, PetscScalar *c, PetscInt ld, PetscInt nold, const PetscScalar *old, PetscInt ldold)
{
  PetscInt     i, j, l, pass;
  PetscScalar *p, dot;
  PetscReal    norm;

  PetscFunctionBegin;
  for (j = 0; j < nold; j++) {
    p = c + *n * ld;
    PetscCall(PetscArraycpy(p, old + j * ldold, m));
    for (pass = 0, norm = 1.0; pass < 2 && norm > 1e-6; pass++) {
      for (l = 0; l < *n; l++) {
        for (i = 0, dot = 0.0; i < m; i++) dot += PetscConj(c[i + l * ld]) * p[i];
        for (i = 0; i < m; i++) p[i] -= dot * c[i + l * ld];
      }
      for (i = 0, norm = 0.0; i < m; i++) norm += PetscRealPart(p[i] * PetscConj(p[i]));
      norm = PetscSqrtReal(norm);
      if (norm > 1e-6)
        for (i = 0; i < m; i++) p[i] /= norm;
    }
    if (norm > 1e-6) ++*n;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
