/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Sparse matrices times blocks that are stored by rows (napirows.h). PETSc multiplies an AIJ matrix with a block by columns, four of them
   at a time; by rows it is read once, and each of its entries meets neighbours in memory.
*/
#include <slepcnapi/private/napirows.h>

/* --- the kernel ------------------------------------------------------------------------------------------------------- */

#if defined(__GNUC__)
  #define ROWS_INLINE static inline __attribute__((always_inline))
#else
  #define ROWS_INLINE static inline
#endif

typedef struct {
  PetscInt           n;
  const PetscInt    *ia, *ja;
  const PetscScalar *a;
} Rows;

/* NAPI_ROW_PAD entries, wherever they lie */
#if defined(__GNUC__) && defined(PETSC_USE_REAL_DOUBLE) && !defined(PETSC_USE_COMPLEX)
typedef PetscScalar Quad __attribute__((vector_size(NAPI_ROW_PAD * sizeof(PetscScalar)), aligned(sizeof(PetscScalar))));
  #define QUAD_LOAD(q, from) (q) = *(const Quad *)(from)
  #define QUAD_STORE(q, to)  *(Quad *)(to) = (q)
  #define QUAD_ADD(q, a, x)  (q) += (a) * *(const Quad *)(x)
#else
typedef struct {
  PetscScalar entry[NAPI_ROW_PAD];
} Quad;
  #define QUAD_LOAD(q, from) (q) = *(const Quad *)(from)
  #define QUAD_STORE(q, to)  *(Quad *)(to) = (q)
  #define QUAD_ADD(q, a, x) \
    for (int quad = 0; quad < NAPI_ROW_PAD; quad++) (q).entry[quad] += (a) * (x)[quad]
#endif

/* y = A x, or y += A x, for w quadruples of columns, two of them at most, of blocks with rows of the given stride */
ROWS_INLINE void RowsMult_Quads(const Rows *A, int w, PetscInt stride, PetscBool add, const PetscScalar *restrict x, PetscScalar *restrict y)
{
  const PetscScalar zero[NAPI_ROW_PAD] = {0.0, 0.0, 0.0, 0.0};

  for (PetscInt i = 0; i < A->n; i++) {
    PetscScalar *yi = y + i * stride;
    Quad         sum[2];

    for (int k = 0; k < w; k++) QUAD_LOAD(sum[k], add ? yi + k * NAPI_ROW_PAD : zero);
    for (PetscInt j = A->ia[i]; j < A->ia[i + 1]; j++) {
      const PetscScalar  a   = A->a[j];
      const PetscScalar *row = x + A->ja[j] * stride;

      for (int k = 0; k < w; k++) QUAD_ADD(sum[k], a, row + k * NAPI_ROW_PAD);
    }
    for (int k = 0; k < w; k++) QUAD_STORE(sum[k], yi + k * NAPI_ROW_PAD);
  }
}

ROWS_INLINE void RowsMult_Body(const Rows *A, PetscInt stride, PetscBool add, const PetscScalar *restrict x, PetscScalar *restrict y)
{
  PetscInt k = 0;

  for (; k + 2 * NAPI_ROW_PAD <= stride; k += 2 * NAPI_ROW_PAD) RowsMult_Quads(A, 2, stride, add, x + k, y + k);
  if (k < stride) RowsMult_Quads(A, 1, stride, add, x + k, y + k);
}

static void RowsMult_Plain(const Rows *A, PetscInt stride, PetscBool add, const PetscScalar *x, PetscScalar *y)
{
  RowsMult_Body(A, stride, add, x, y);
}

#if defined(__GNUC__) && defined(__x86_64__)
__attribute__((target("avx2,fma"))) static void RowsMult_AVX2(const Rows *A, PetscInt stride, PetscBool add, const PetscScalar *x, PetscScalar *y)
{
  RowsMult_Body(A, stride, add, x, y);
}
#endif

static PetscErrorCode RowsMult(Mat A, PetscInt stride, PetscBool add, const PetscScalar *x, PetscScalar *y)
{
  PetscBool done;
  Rows      rows;

  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &rows.n, &rows.ia, &rows.ja, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_PLIB, "An AIJ matrix does not show its rows");
  PetscCall(MatSeqAIJGetArrayRead(A, &rows.a));
#if defined(__GNUC__) && defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) RowsMult_AVX2(&rows, stride, add, x, y);
  else
#endif
    RowsMult_Plain(&rows, stride, add, x, y);
  PetscCall(PetscLogFlops(2.0 * (PetscLogDouble)rows.ia[rows.n] * (PetscLogDouble)stride));
  PetscCall(MatSeqAIJRestoreArrayRead(A, &rows.a));
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &rows.n, &rows.ia, &rows.ja, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- from columns to rows, and back --------------------------------------------------------------------------------------- */

/*
   NAPIRowsPack - n rows of p columns, with leading dimension ld, to rows.
*/
PetscErrorCode NAPIRowsPack(PetscInt n, PetscInt p, const PetscScalar *columns, PetscInt ld, PetscScalar *rows)
{
  const PetscInt stride = NAPIRowStride(p);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j < p; j++) rows[i * stride + j] = columns[i + j * ld];
    for (PetscInt j = p; j < stride; j++) rows[i * stride + j] = 0.0;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIRowsUnpack - Rows to n rows of p columns with leading dimension ld.
*/
PetscErrorCode NAPIRowsUnpack(PetscInt n, PetscInt p, const PetscScalar *rows, PetscScalar *columns, PetscInt ld)
{
  const PetscInt stride = NAPIRowStride(p);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt j = 0; j < p; j++) columns[i + j * ld] = rows[i * stride + j];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- products ----------------------------------------------------------------------------------------------------------- */

PetscErrorCode NAPIRowMultReset(NAPIRowMult *m)
{
  PetscFunctionBegin;
  if (m->ghosts) PetscCallMPI(MPI_Type_free(&m->row));
  PetscCall(PetscFree(m->ghosts));
  PetscCall(PetscSFDestroy(&m->sf));
  PetscCall(MatDestroy(&m->X));
  PetscCall(MatDestroy(&m->Y));
  PetscCall(VecDestroy(&m->x));
  PetscCall(VecDestroy(&m->y));
  m->A = m->local = m->others = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The columns that others have come in rows, each of which is one entry of the star forest */
static PetscErrorCode RowMultSetUpGhosts(NAPIRowMult *m, const PetscInt *garray)
{
  PetscInt    ghosts;
  PetscLayout map;

  PetscFunctionBegin;
  PetscCall(MatGetSize(m->others, NULL, &ghosts));
  PetscCall(MatGetLayouts(m->A, NULL, &map));
  PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)m->A), &m->sf));
  PetscCall(PetscSFSetGraphLayout(m->sf, map, ghosts, NULL, PETSC_COPY_VALUES, garray));
  PetscCall(PetscMalloc1((size_t)ghosts * (size_t)NAPIRowStride(m->p) + 1, &m->ghosts));
  PetscCallMPI(MPI_Type_contiguous((PetscMPIInt)NAPIRowStride(m->p), MPIU_SCALAR, &m->row));
  PetscCallMPI(MPI_Type_commit(&m->row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Other types multiply by columns, as they can */
static PetscErrorCode RowMultSetUpColumns(NAPIRowMult *m)
{
  Mat     *block[] = {&m->X, &m->Y};
  PetscInt n, N;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(m->A, &n, NULL));
  PetscCall(MatGetSize(m->A, &N, NULL));
  for (int i = 0; i < 2; i++) {
    PetscCall(MatCreateDense(PetscObjectComm((PetscObject)m->A), n, PETSC_DECIDE, N, m->p, NULL, block[i]));
    PetscCall(MatAssemblyBegin(*block[i], MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*block[i], MAT_FINAL_ASSEMBLY));
  }
  PetscCall(MatProductCreateWithMat(m->A, m->X, NULL, m->Y));
  PetscCall(MatProductSetType(m->Y, MATPRODUCT_AB));
  PetscCall(MatProductSetFromOptions(m->Y));
  PetscCall(MatProductSymbolic(m->Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIRowMultSetUp - For products of a square matrix with p columns; nothing is done again while the matrix keeps its nonzeros.
*/
PetscErrorCode NAPIRowMultSetUp(NAPIRowMult *m, Mat A, PetscInt p)
{
  const PetscInt  *garray;
  PetscObjectState state;
  PetscBool        seq, mpi;

  PetscFunctionBegin;
  PetscCall(MatGetNonzeroState(A, &state));
  if (m->A == A && m->nonzerostate == state && m->p == p) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(NAPIRowMultReset(m));
  m->A            = A;
  m->nonzerostate = state;
  m->p            = p;
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJ, &seq));
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATMPIAIJ, &mpi));
  if (p == 1) PetscCall(MatCreateVecs(A, &m->x, &m->y));
  else if (seq) m->local = A;
  else if (mpi) {
    PetscCall(MatMPIAIJGetSeqAIJ(A, &m->local, &m->others, &garray));
    PetscCall(RowMultSetUpGhosts(m, garray));
  } else PetscCall(RowMultSetUpColumns(m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIRowMultApply - y = A x
*/
PetscErrorCode NAPIRowMultApply(NAPIRowMult *m, const PetscScalar *x, PetscScalar *y)
{
  const PetscInt     stride = NAPIRowStride(m->p);
  const PetscScalar *product;
  PetscScalar       *columns;
  PetscInt           n, ld;

  PetscFunctionBegin;
  if (m->x) {
    PetscCall(VecPlaceArray(m->x, x));
    PetscCall(VecPlaceArray(m->y, y));
    PetscCall(MatMult(m->A, m->x, m->y));
    PetscCall(VecResetArray(m->x));
    PetscCall(VecResetArray(m->y));
  } else if (m->local) {
    if (m->sf) PetscCall(PetscSFBcastBegin(m->sf, m->row, x, m->ghosts, MPI_REPLACE));
    PetscCall(RowsMult(m->local, stride, PETSC_FALSE, x, y));
    if (m->sf) PetscCall(PetscSFBcastEnd(m->sf, m->row, x, m->ghosts, MPI_REPLACE));
    if (m->others) PetscCall(RowsMult(m->others, stride, PETSC_TRUE, m->ghosts, y));
  } else {
    PetscCall(MatGetLocalSize(m->X, &n, NULL));
    PetscCall(MatDenseGetLDA(m->X, &ld));
    PetscCall(MatDenseGetArrayWrite(m->X, &columns));
    PetscCall(NAPIRowsUnpack(n, m->p, x, columns, ld));
    PetscCall(MatDenseRestoreArrayWrite(m->X, &columns));
    PetscCall(MatProductNumeric(m->Y));
    PetscCall(MatDenseGetLDA(m->Y, &ld));
    PetscCall(MatDenseGetArrayRead(m->Y, &product));
    PetscCall(NAPIRowsPack(n, m->p, product, ld, y));
    PetscCall(MatDenseRestoreArrayRead(m->Y, &product));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
