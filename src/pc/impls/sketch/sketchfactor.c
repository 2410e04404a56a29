/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The Cholesky factors of PC "sketch", made of Z'Z, and their application. See sketch.c.
*/
#include <slepcnapi/private/sketchimpl.h>
#include <petscblaslapack.h>

#define SKETCH_ATTEMPTS 4     /* at a factor of a singular matrix, with larger and larger shifts */
#define SKETCH_SHIFT    10.0  /* the first shift, in units of n eps times the largest diagonal entry: small, and the factor is as good as can be; large, and it exists */
#define SKETCH_GROWTH   100.0 /* from one attempt to the next */

/*
   U'U = M + shift I for n rows and columns of a block, from number first on. A pivot that is nothing but rounding error
   counts as a failure too: the inverse would blow up the rounding errors of the residuals. So does a centred column that
   is nothing but rounding errors, which is taken for the zero it stands for. Where M is known to be semidefinite but is
   singular (columns that are zero or depend on each other, no ridge) something is added to its diagonal.
*/
static PetscErrorCode SketchCholesky(PC pc, SketchBlock *block, PetscInt first, PetscInt n, PetscBool semidefinite, PetscBool *ok)
{
  PC_Sketch   *sketch = (PC_Sketch *)pc->data;
  PetscInt     ld = block->n + 1, d1 = block->view ? 0 : sketch->dim[0];
  PetscScalar *U = block->mem + first * (ld + 1), *ZZ = U + 1;
  PetscReal    factor = GramShare(((Mat_Gram *)pc->pmat->data)->data) / (PetscReal)block->q, largest = 0.0, shift = 0.0, *diag;
  PetscBLASInt order, ldu, info;
  PetscBool   *zero;
  PetscMPIInt  bad, anybad = 1;

  PetscFunctionBegin;
  PetscCall(PetscBLASIntCast(n, &order));
  PetscCall(PetscBLASIntCast(ld, &ldu));
  PetscCall(PetscMalloc2(n, &diag, n, &zero));
  for (PetscInt attempt = 0; attempt < SKETCH_ATTEMPTS; attempt++) {
    for (PetscInt j = 0; j < n; j++) {
      const PetscInt v = first + j < d1 ? 0 : 1;

      zero[j] = (PetscBool)(block->noise && factor * PetscRealPart(ZZ[j + j * ld]) <= block->noise[first + j]);
      for (PetscInt i = 0; i <= j; i++) U[i + j * ld] = zero[i] || zero[j] ? 0.0 : factor * sketch->s[first + i < d1 ? 0 : 1][v] * PetscConj(ZZ[j + i * ld]);
      diag[j]       = PetscRealPart(U[j + j * ld]) + sketch->ridge[v];
      U[j + j * ld] = diag[j] + shift;
      if (!attempt) largest = PetscMax(largest, diag[j]);
    }
    if (semidefinite) {
      for (PetscInt j = 0; j < n; j++)
        if (diag[j] == 0.0) U[j + j * ld] = diag[j] = largest > 0.0 ? largest : 1.0;
    }
    PetscCallBLAS("LAPACKpotrf", LAPACKpotrf_("U", &order, U, &ldu, &info));
    PetscCall(PetscLogFlops((1.0 / 3.0) * PetscPowRealInt((PetscReal)n, 3)));
    bad = info ? 1 : 0;
    for (PetscInt j = 0; j < n && !bad; j++) {
      const PetscReal pivot = PetscRealPart(U[j + j * ld]);

      if (!(pivot * pivot > (PetscReal)n * PETSC_MACHINE_EPSILON * diag[j])) bad = 1;
    }
    PetscCallMPI(MPI_Allreduce(&bad, &anybad, 1, MPI_INT, MPI_MAX, PetscObjectComm((PetscObject)pc)));
    if (!anybad || !semidefinite) break;
    shift = attempt ? SKETCH_GROWTH * shift : SKETCH_SHIFT * (PetscReal)n * PETSC_MACHINE_EPSILON * largest;
  }
  PetscCall(PetscFree2(diag, zero));
  *ok = anybad ? PETSC_FALSE : PETSC_TRUE;
  if (*ok && shift > 0.0) {
    block->shift = PetscMax(block->shift, shift);
    PetscCall(PetscInfo(pc, "The sketched matrix of order %" PetscInt_FMT " is singular: %g was added to its diagonal\n", n, (double)shift));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   SketchFactor - The factor, or factors, of a block. S positive semidefinite makes M so, whatever the sketch. If it is not, as
   with [l -1; -1 l] and l < 1, it is up to the data and the luck of the sketch; then the diagonal blocks have to do.
*/
PetscErrorCode SketchFactor(PC pc, SketchBlock *block, PetscBool *ok)
{
  PC_Sketch *sketch = (PC_Sketch *)pc->data;
  PetscInt   v      = block->view;
  PetscBool  psd;

  PetscFunctionBegin;
  block->split = PETSC_FALSE;
  block->shift = 0.0;
  if (block->nviews > 1) {
    PetscCall(MatGramIsCouplingSemidefinite_Private(pc->pmat, &psd));
    psd = (PetscBool)(psd && sketch->ridge[0] >= 0.0 && sketch->ridge[1] >= 0.0);
    PetscCall(SketchCholesky(pc, block, 0, block->n, psd, ok));
    if (*ok) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(PetscInfo(pc, "The sketched matrix of both views is not positive definite: its diagonal blocks are factored\n"));
    block->split = PETSC_TRUE;
  }
  *ok = PETSC_TRUE;
  for (PetscInt i = 0, first = 0; i < block->nviews && *ok; first += sketch->dim[v + i], i++) {
    psd = (PetscBool)(sketch->s[v + i][v + i] >= 0.0 && sketch->ridge[v + i] >= 0.0);
    PetscCall(SketchCholesky(pc, block, first, sketch->dim[v + i], psd, ok));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- application --------------------------------------------------------------------------------------------------- */

/* Solves with the factors, for p columns of all rows row0..row1-1, in place */
static PetscErrorCode SketchSolve(PC_Sketch *sketch, PetscInt p, PetscScalar *w, PetscInt ldw)
{
  PetscBLASInt n, ld, columns, ldb, info;

  PetscFunctionBegin;
  PetscCall(PetscBLASIntCast(p, &columns));
  PetscCall(PetscBLASIntCast(ldw, &ldb));
  for (PetscInt i = 0; i < sketch->nblocks; i++) {
    SketchBlock *block = &sketch->block[i];

    if (!block->mem) continue;
    PetscCall(PetscBLASIntCast(block->n + 1, &ld));
    for (PetscInt part = 0, first = 0, parts = block->split ? block->nviews : 1; part < parts; first += n, part++) {
      const PetscScalar *U = block->mem + first * (ld + 1);
      PetscScalar       *b = w + block->first - sketch->row0 + first;

      PetscCall(PetscBLASIntCast(block->split ? sketch->dim[block->view + part] : block->n, &n));
      PetscCallBLAS("LAPACKpotrs", LAPACKpotrs_("U", &n, &columns, U, &ld, b, &ldb, &info));
      PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_LIB, "Argument %d of LAPACK's potrs is wrong", (int)-info);
      PetscCall(PetscLogFlops(2.0 * PetscSqr((PetscLogDouble)n) * p));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rows with a factor, of p columns, brought together on every rank in one message and stored by columns in w */
static PetscErrorCode SketchGather(PC pc, PetscInt p, const PetscScalar *x, PetscInt ldx, PetscScalar *w)
{
  PC_Sketch     *sketch = (PC_Sketch *)pc->data;
  PetscLayout    map    = pc->pmat->rmap;
  const PetscInt row0 = sketch->row0, rows = sketch->row1 - row0;
  PetscScalar   *all = p > 1 ? w + rows * p : w; /* by rows, so that each rank sends one piece */
  PetscMPIInt   *counts, *displs;

  PetscFunctionBegin;
  for (PetscInt i = PetscMax(map->rstart, row0); i < PetscMin(map->rend, sketch->row1); i++) {
    for (PetscInt j = 0; j < p; j++) all[(i - row0) * p + j] = x[i - map->rstart + j * ldx];
  }
  PetscCall(NAPILayoutCounts(map, row0, sketch->row1, p, &counts, &displs));
  PetscCallMPI(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, counts, displs, MPIU_SCALAR, PetscObjectComm((PetscObject)pc)));
  PetscCall(PetscFree2(counts, displs));
  for (PetscInt i = 0; p > 1 && i < rows; i++) {
    for (PetscInt j = 0; j < p; j++) w[i + j * rows] = all[i * p + j];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Y = M^{-1} X for p columns: the rows with a factor are solved for on every rank; the others are divided by the diagonal where
   they are.
*/
static PetscErrorCode SketchApply(PC pc, PetscInt p, const PetscScalar *x, PetscInt ldx, PetscScalar *y, PetscInt ldy)
{
  PC_Sketch     *sketch = (PC_Sketch *)pc->data;
  const PetscInt rstart = pc->pmat->rmap->rstart, rend = pc->pmat->rmap->rend, rows = sketch->row1 - sketch->row0;
  const PetscInt first = PetscMin(PetscMax(rstart, sketch->row0), rend), last = PetscMax(first, PetscMin(rend, sketch->row1));
  PetscMPIInt    size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)pc), &size));
  if (rows > 0 && p > 0) {
    if (rows * p > sketch->worksize) {
      PetscCall(PetscFree(sketch->work));
      PetscCall(PetscMalloc1((size > 1 ? 2 : 1) * rows * p, &sketch->work));
      sketch->worksize = rows * p;
    }
    if (size > 1) PetscCall(SketchGather(pc, p, x, ldx, sketch->work));
    else
      for (PetscInt j = 0; j < p; j++) PetscCall(PetscArraycpy(sketch->work + j * rows, x + sketch->row0 + j * ldx, rows));
    PetscCall(SketchSolve(sketch, p, sketch->work, rows));
    for (PetscInt j = 0; j < p; j++) PetscCall(PetscArraycpy(y + first - rstart + j * ldy, sketch->work + first - sketch->row0 + j * rows, last - first));
  }
  if (sketch->idiag) {
    const PetscScalar *d;

    PetscCall(VecGetArrayRead(sketch->idiag, &d));
    for (PetscInt j = 0; j < p; j++) {
      for (PetscInt i = rstart; i < rend; i++) {
        if (i < sketch->row0 || i >= sketch->row1) y[i - rstart + j * ldy] = d[i - rstart] * x[i - rstart + j * ldx];
      }
    }
    PetscCall(VecRestoreArrayRead(sketch->idiag, &d));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCApply_Sketch(PC pc, Vec x, Vec y)
{
  const PetscScalar *a;
  PetscScalar       *b;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArrayRead(x, &a));
  PetscCall(VecGetArrayWrite(y, &b));
  PetscCall(SketchApply(pc, 1, a, n, b, n));
  PetscCall(VecRestoreArrayWrite(y, &b));
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCMatApply_Sketch(PC pc, Mat X, Mat Y)
{
  const PetscScalar *a;
  PetscScalar       *b;
  PetscInt           lda, ldb, p;

  PetscFunctionBegin;
  PetscCall(MatGetSize(X, NULL, &p));
  PetscCall(MatDenseGetLDA(X, &lda));
  PetscCall(MatDenseGetLDA(Y, &ldb));
  PetscCall(MatDenseGetArrayRead(X, &a));
  PetscCall(MatDenseGetArrayWrite(Y, &b));
  PetscCall(SketchApply(pc, p, a, lda, b, ldb));
  PetscCall(MatDenseRestoreArrayWrite(Y, &b));
  PetscCall(MatDenseRestoreArrayRead(X, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}
