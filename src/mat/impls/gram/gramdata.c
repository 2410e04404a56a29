/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What the matrices of a family of MATGRAMs share: the views as local rows, and the two arrays by which a product enters and leaves the sweep over the local samples,

     in    D x width          the block W, stored by rows, of which each rank packs its rows and needs all;
     out   D x outs*width     sums over the local samples, of which each rank needs its rows, added over all ranks.

   Ranks that live on one node keep them in shared memory: in exists once and each rank writes its rows of it, out once
   a rank and each rank adds up its rows over all of them, so that nothing is copied and the adding is shared out. Two
   barriers a product replace the allgather and the reduce-scatter that are used between nodes (or with
   -mat_gram_shared_memory 0); with the words of two languages, 8 columns, 2 ranks, this takes a fifth off the processor time
   of a product.
*/
#include <slepcnapi/private/gramimpl.h>

#define GRAM_ALIGN 64 /* bytes of a cache line */

/* --- the views ---------------------------------------------------------------------------------------------------- */

static PetscErrorCode GramViewReset(GramView *v)
{
  PetscFunctionBegin;
  if (v->freeloc) PetscCall(MatDestroy(&v->loc));
  v->loc     = NULL;
  v->freeloc = PETSC_FALSE;
  PetscCall(MatDestroy(&v->own));
  PetscCall(PetscFree(v->rowmajor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The local rows of a view. One rank's own AIJ or dense matrix is used as it is; so is the local part of a parallel
   dense matrix. A parallel AIJ matrix splits its rows in two and numbers the columns anew: its rows are put together.
*/
static PetscErrorCode GramViewSetUp(GramView *v)
{
  PetscBool seqaij, mpiaij, dense;
  Mat       mat = v->mat;

  PetscFunctionBegin;
  PetscCall(GramViewReset(v));
  PetscCall(PetscObjectStateGet((PetscObject)mat, &v->state));
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)mat, MATSEQAIJ, &seqaij));
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)mat, MATMPIAIJ, &mpiaij));
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)mat, &dense, MATSEQDENSE, MATMPIDENSE, ""));
  if (!seqaij && !mpiaij && !dense) {
    PetscCall(PetscInfo(mat, "View of type %s is converted to %s\n", ((PetscObject)mat)->type_name, MATAIJ));
    PetscCall(MatConvert(mat, MATAIJ, MAT_INITIAL_MATRIX, &v->own));
    mat = v->own;
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)mat, MATSEQAIJ, &seqaij));
  }
  v->sparse = (PetscBool)!dense;
  if (dense) PetscCall(MatDenseGetLocalMatrix(mat, &v->loc));
  else if (seqaij) v->loc = mat;
  else {
    PetscCall(MatMPIAIJGetLocalMat(mat, MAT_INITIAL_MATRIX, &v->loc));
    v->freeloc = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What does not depend on where the views come from: sizes, distribution, and whether memory can be shared */
static PetscErrorCode GramDataSetUp(GramData *data)
{
  Mat       X = data->view[0].mat;
  PetscInt  d;
  PetscBool shared = PETSC_TRUE;

  PetscFunctionBegin;
  data->refct = 1;
  PetscCall(PetscCommDuplicate(PetscObjectComm((PetscObject)X), &data->comm, NULL));
  PetscCallMPI(MPI_Comm_size(data->comm, &data->size));
  PetscCallMPI(MPI_Comm_rank(data->comm, &data->rank));
  PetscCall(MatGetSize(X, &data->N, NULL));
  PetscCall(MatGetLocalSize(X, &data->n, NULL));
  for (PetscInt i = 0; i < data->nviews; i++) {
    GramView *v = &data->view[i];

    PetscCall(MatGetSize(v->mat, NULL, &v->d));
    v->offset = data->D;
    data->D += v->d;
    PetscCall(MatGetLayouts(v->mat, NULL, &data->parts.layout[i]));
    data->parts.offset[i] = v->offset;
  }
  data->parts.n = data->nviews;
  /* one view: vectors of X's columns fit; two: [u;v] in this order, cut anywhere */
  if (data->nviews > 1) d = PETSC_DECIDE;
  else PetscCall(MatGetLocalSize(X, NULL, &d));
  PetscCall(PetscLayoutCreate(data->comm, &data->map));
  PetscCall(PetscLayoutSetLocalSize(data->map, d));
  PetscCall(PetscLayoutSetSize(data->map, data->D));
  PetscCall(PetscLayoutSetUp(data->map));
  data->whole.n         = 1;
  data->whole.layout[0] = data->map;
  PetscCall(PetscOptionsGetBool(NULL, ((PetscObject)X)->prefix, "-mat_gram_shared_memory", &shared, NULL));
#if defined(PETSC_HAVE_MPI_PROCESS_SHARED_MEMORY)
  if (shared && data->size > 1) {
    MPI_Comm    node;
    PetscMPIInt size, all;

    PetscCallMPI(MPI_Comm_split_type(data->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    PetscCallMPI(MPI_Comm_size(node, &size));
    PetscCallMPI(MPI_Comm_free(&node));
    PetscCallMPI(MPI_Allreduce(&size, &all, 1, MPI_INT, MPI_MIN, data->comm));
    data->shared = (PetscBool)(all == data->size);
    if (data->shared) PetscCall(PetscMalloc1(data->size, &data->peer));
  }
#endif
  data->win = MPI_WIN_NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   GramDataCreate - Takes references to the views, and their local rows.
*/
PetscErrorCode GramDataCreate(Mat X, Mat Y, GramData **data)
{
  PetscInt    n, N;
  PetscMPIInt differ = 0, differs;

  PetscFunctionBegin;
  if (Y) {
    PetscCall(MatGetSize(X, &n, NULL));
    PetscCall(MatGetSize(Y, &N, NULL));
    PetscCheck(n == N, PetscObjectComm((PetscObject)X), PETSC_ERR_ARG_SIZ, "The views have different numbers of rows, %" PetscInt_FMT " and %" PetscInt_FMT ": row i of both must belong to the same sample", n, N);
    PetscCall(MatGetLocalSize(X, &n, NULL));
    PetscCall(MatGetLocalSize(Y, &N, NULL));
    if (n != N) differ = 1;
    PetscCallMPI(MPI_Allreduce(&differ, &differs, 1, MPI_INT, MPI_MAX, PetscObjectComm((PetscObject)X)));
    PetscCheck(!differs, PetscObjectComm((PetscObject)X), PETSC_ERR_ARG_SIZ, "The rows of the views are distributed differently over the ranks (here %" PetscInt_FMT " and %" PetscInt_FMT "): create Y with the local row size of X, MatGetLocalSize(X,&m,NULL) and MatSetSizes(Y,m,...) before MatLoad() or MatSetUp()", n, N);
  }
  PetscCall(PetscNew(data));
  (*data)->nviews = Y ? 2 : 1;
  PetscCall(GramWeightsCreate(&(*data)->weights));
  for (PetscInt i = 0; i < (*data)->nviews; i++) {
    GramView *v = &(*data)->view[i];

    v->mat = i ? Y : X;
    PetscCall(PetscObjectReference((PetscObject)v->mat));
    PetscCall(GramViewSetUp(v));
  }
  PetscCall(GramDataSetUp(*data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   GramDataCreateView - The data of one view alone, whose local rows are not copied but shared.
*/
PetscErrorCode GramDataCreateView(GramData *from, PetscInt i, GramData **data)
{
  GramView *v;

  PetscFunctionBegin;
  PetscCall(GramDataUpdate(from));
  PetscCall(PetscNew(data));
  (*data)->nviews   = 1;
  (*data)->weights  = from->weights;
  (*data)->weighted = from->weighted;
  from->weights->refct++;
  v           = &(*data)->view[0];
  *v          = from->view[i];
  v->rowmajor = NULL;
  PetscCall(PetscObjectReference((PetscObject)v->mat));
  if (v->own) PetscCall(PetscObjectReference((PetscObject)v->own));
  if (v->freeloc) PetscCall(PetscObjectReference((PetscObject)v->loc));
  PetscCall(GramDataSetUp(*data));
  if (from->havestats) {
    PetscCall(PetscMalloc4((*data)->D, &(*data)->mean, (*data)->D, &(*data)->unit, (*data)->D, &(*data)->meansq, (*data)->D, &(*data)->var));
    PetscCall(PetscArraycpy((*data)->mean, from->mean + from->view[i].offset, (*data)->D));
    PetscCall(PetscArraycpy((*data)->unit, from->unit + from->view[i].offset, (*data)->D));
    PetscCall(PetscArraycpy((*data)->meansq, from->meansq + from->view[i].offset, (*data)->D));
    PetscCall(PetscArraycpy((*data)->var, from->var + from->view[i].offset, (*data)->D));
    (*data)->havestats = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GramDataFreeWork(GramData *data)
{
  PetscFunctionBegin;
  if (data->win != MPI_WIN_NULL) {
    PetscCallMPI(MPI_Win_unlock_all(data->win));
    PetscCallMPI(MPI_Win_free(&data->win));
  }
  PetscCall(PetscFree(data->inmem));
  PetscCall(PetscFree(data->outmem));
  PetscCall(PetscFree(data->tmem));
  data->in = data->out = NULL;
  data->width = data->outs = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   GramDataDestroy - Gives up one reference; the last one frees everything.
*/
PetscErrorCode GramDataDestroy(GramData **pdata)
{
  GramData *data = *pdata;

  PetscFunctionBegin;
  *pdata = NULL;
  if (!data || --data->refct > 0) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < data->nviews; i++) {
    PetscCall(GramViewReset(&data->view[i]));
    PetscCall(MatDestroy(&data->view[i].mat));
  }
  PetscCall(GramDataFreeWork(data));
  PetscCall(PetscFree(data->peer));
  PetscCall(PetscFree4(data->mean, data->unit, data->meansq, data->var));
  PetscCall(GramWeightsDestroy(&data->weights));
  PetscCall(PetscLayoutDestroy(&data->map));
  PetscCall(PetscCommDestroy(&data->comm));
  PetscCall(PetscFree(data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   GramDataUpdate - Notices that the user has changed a view since its local rows were taken, or the weights.
*/
PetscErrorCode GramDataUpdate(GramData *data)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < data->nviews; i++) {
    PetscObjectState state;

    PetscCall(PetscObjectStateGet((PetscObject)data->view[i].mat, &state));
    if (state == data->view[i].state) continue;
    PetscCall(GramViewSetUp(&data->view[i]));
    data->havestats = PETSC_FALSE;
  }
  if (data->weighted != data->weights->version) data->havestats = PETSC_FALSE;
  data->weighted = data->weights->version;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The arrays of the local rows of a view, until GramViewRestoreRows(); ia and ja are not touched for a dense view, which is stored by columns */
static PetscErrorCode GramViewGetRows(GramView *v, const PetscInt **ia, const PetscInt **ja, const PetscScalar **a)
{
  PetscInt  n;
  PetscBool done;

  PetscFunctionBegin;
  if (v->sparse) {
    PetscCall(MatGetRowIJ(v->loc, 0, PETSC_FALSE, PETSC_FALSE, &n, ia, ja, &done));
    PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "No access to the rows of a matrix of type %s", ((PetscObject)v->loc)->type_name);
    PetscCall(MatSeqAIJGetArrayRead(v->loc, a));
  } else PetscCall(MatDenseGetArrayRead(v->loc, a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GramViewRestoreRows(GramView *v, const PetscInt **ia, const PetscInt **ja, const PetscScalar **a)
{
  PetscInt  n;
  PetscBool done;

  PetscFunctionBegin;
  if (v->sparse) {
    PetscCall(MatSeqAIJRestoreArrayRead(v->loc, a));
    PetscCall(MatRestoreRowIJ(v->loc, 0, PETSC_FALSE, PETSC_FALSE, &n, ia, ja, &done));
  } else PetscCall(MatDenseRestoreArrayRead(v->loc, a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   GramDataGetRows - Gives access to the arrays of the local rows, until GramDataRestoreRows().
*/
PetscErrorCode GramDataGetRows(GramData *data)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < data->nviews; i++) {
    GramView *v = &data->view[i];

    PetscCall(GramViewGetRows(v, &v->ia, &v->ja, &v->a));
    if (!v->sparse) PetscCall(MatDenseGetLDA(v->loc, &v->lda));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GramDataRestoreRows(GramData *data)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < data->nviews; i++) PetscCall(GramViewRestoreRows(&data->view[i], &data->view[i].ia, &data->view[i].ja, &data->view[i].a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
   MatGramGetLocalRows - Gives the samples of a view that live on this rank, for solvers that go from sample to sample.

   Not Collective

   Input Parameters:
+  G    - the operator
-  view - 0 for X, 1 for Y

   Output Parameters:
+  n  - number of local samples
.  ia - sample i has the nonzeros ia[i]..ia[i+1]-1; NULL for a dense view
.  ja - their (global) columns; NULL for a dense view
-  a  - their values; for a dense view all values, sample by sample: a[i*d+j], d the number of columns

   Level: advanced

   Notes:
   The values are those of the data. Sample i of the operator is (x_i - m)' diag(s) with the means m of MatGramGetMeans()
   if it is centred and the factors s of MatGramGetScales() if it is scaled. A dense view is copied, once, since
   matrices are stored by columns. Weights, see MatGramSetWeights(), are not in them. Give the arrays back with MatGramRestoreLocalRows(), one view after the other or
   both, before the next product. A full round over the samples is booked by MatGramAddPasses().

.seealso: MATGRAM, MatGramRestoreLocalRows(), MatGramGetMeans(), MatGramGetScales(), MatGramAddPasses()
@*/
PetscErrorCode MatGramGetLocalRows(Mat G, PetscInt view, PetscInt *n, const PetscInt *ia[], const PetscInt *ja[], const PetscScalar *a[])
{
  Mat_Gram *g = NULL;
  GramView *v = NULL;

  PetscFunctionBegin;
  PetscCall(GramGetView(G, view, &g, &v));
  PetscAssertPointer(n, 3);
  PetscAssertPointer(ia, 4);
  PetscAssertPointer(ja, 5);
  PetscAssertPointer(a, 6);
  PetscCall(GramDataUpdate(g->data));
  *n  = g->data->n;
  *ia = *ja = NULL;
  if (v->sparse) PetscCall(GramViewGetRows(v, ia, ja, a));
  else {
    if (!v->rowmajor) {
      const PetscScalar *x;
      PetscInt           lda;

      PetscCall(PetscMalloc1(g->data->n * v->d, &v->rowmajor));
      PetscCall(GramViewGetRows(v, NULL, NULL, &x));
      PetscCall(MatDenseGetLDA(v->loc, &lda));
      for (PetscInt i = 0; i < g->data->n; i++) {
        for (PetscInt j = 0; j < v->d; j++) v->rowmajor[i * v->d + j] = x[i + j * lda];
      }
      PetscCall(GramViewRestoreRows(v, NULL, NULL, &x));
    }
    *a = v->rowmajor;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
   MatGramRestoreLocalRows - Gives back what MatGramGetLocalRows() gave.

   Not Collective

   Input Parameters:
+  G    - the operator
.  view - 0 for X, 1 for Y
.  n    - number of local samples
.  ia   - beginnings of the samples
.  ja   - columns
-  a    - values

   Level: advanced

.seealso: MATGRAM, MatGramGetLocalRows()
@*/
PetscErrorCode MatGramRestoreLocalRows(Mat G, PetscInt view, PetscInt *n, const PetscInt *ia[], const PetscInt *ja[], const PetscScalar *a[])
{
  Mat_Gram *g = NULL;
  GramView *v = NULL;

  PetscFunctionBegin;
  PetscCall(GramGetView(G, view, &g, &v));
  PetscAssertPointer(n, 3);
  PetscAssertPointer(ia, 4);
  PetscAssertPointer(ja, 5);
  PetscAssertPointer(a, 6);
  if (v->sparse) PetscCall(GramViewRestoreRows(v, ia, ja, a));
  *n  = 0;
  *ia = *ja = NULL;
  *a        = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- the arrays of a product -------------------------------------------------------------------------------------- */

/* Zeroed memory, with the place in it where a cache line begins */
static PetscErrorCode GramMalloc(size_t bytes, void **mem, PetscScalar **start)
{
  char *raw;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(bytes + GRAM_ALIGN, &raw));
  *mem   = raw;
  *start = (PetscScalar *)(raw + (GRAM_ALIGN - (size_t)raw % GRAM_ALIGN) % GRAM_ALIGN);
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if defined(PETSC_HAVE_MPI_PROCESS_SHARED_MEMORY)
/* in (at the end of rank 0's part) and an out for each rank, all beginning at a cache line */
static PetscErrorCode GramDataAllocateShared(GramData *data, size_t in, size_t out)
{
  MPI_Aint    bytes;
  PetscMPIInt unit;
  void       *base;

  PetscFunctionBegin;
  in  = (in / GRAM_ALIGN + 1) * GRAM_ALIGN;
  out = (out / GRAM_ALIGN + 1) * GRAM_ALIGN;
  PetscCallMPI(MPI_Win_allocate_shared((MPI_Aint)(GRAM_ALIGN + out + (data->rank ? 0 : in)), 1, MPI_INFO_NULL, data->comm, &base, &data->win));
  for (PetscMPIInt r = 0; r < data->size; r++) {
    char *start;

    PetscCallMPI(MPI_Win_shared_query(data->win, r, &bytes, &unit, &base));
    start         = (char *)base + (GRAM_ALIGN - (size_t)base % GRAM_ALIGN) % GRAM_ALIGN; /* pages begin alike on all ranks */
    data->peer[r] = (PetscScalar *)start;
    if (!r) data->in = (PetscScalar *)(start + out);
  }
  data->out = data->peer[data->rank];
  PetscCall(PetscMemzero(data->out, out));
  PetscCallMPI(MPI_Win_lock_all(MPI_MODE_NOCHECK, data->win));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

/* The most rows of the operator that this rank has, whatever the distribution */
static PetscInt GramDataLocalRows(const GramData *data)
{
  PetscInt n = 0;

  for (PetscInt i = 0; i < data->parts.n; i++) n += data->parts.layout[i]->n;
  return PetscMax(n, data->map->n);
}

/*
   GramDataSetUpWork - Makes room for blocks of width columns, and for the results of outs operators.
*/
PetscErrorCode GramDataSetUpWork(GramData *data, PetscInt width, PetscInt outs)
{
  PetscFunctionBegin;
  if (width > data->width || outs > data->outs) {
    size_t in, out, chunk;

    width = PetscMax(width, data->width);
    outs  = PetscMax(outs, data->outs);
    PetscCall(GramDataFreeWork(data));
    in    = sizeof(PetscScalar) * (size_t)data->D * (size_t)width;
    out   = in * (size_t)outs;
    chunk = (size_t)GRAM_CHUNK * (size_t)width;
#if defined(PETSC_HAVE_MPI_PROCESS_SHARED_MEMORY)
    if (data->shared) PetscCall(GramDataAllocateShared(data, in, out));
#endif
    if (!data->shared) {
      PetscCall(GramMalloc(in, &data->inmem, &data->in));
      /* the rows that a rank owns are summed behind the array that is sent */
      if (data->size > 1) out += sizeof(PetscScalar) * (size_t)GramDataLocalRows(data) * (size_t)(width * outs);
      PetscCall(GramMalloc(out, &data->outmem, &data->out));
    }
    PetscCall(GramMalloc(sizeof(PetscScalar) * chunk * (size_t)(2 + outs), &data->tmem, &data->t[0]));
    data->t[1]  = data->t[0] + chunk;
    data->c     = data->t[1] + chunk;
    data->width = width;
    data->outs  = outs;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What any rank has written before is there for all ranks to read after */
static PetscErrorCode GramDataBarrier(GramData *data)
{
  PetscFunctionBegin;
  PetscCallMPI(MPI_Win_sync(data->win));
  PetscCallMPI(MPI_Barrier(data->comm));
  PetscCallMPI(MPI_Win_sync(data->win));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   GramDataGatherIn - Each rank has written its rows of in, D x width; now everybody has all.
*/
PetscErrorCode GramDataGatherIn(GramData *data, const GramSegments *segments, PetscInt width)
{
  PetscFunctionBegin;
  if (data->size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  if (data->shared) PetscCall(GramDataBarrier(data));
  for (PetscInt s = 0; s < segments->n && !data->shared; s++) {
    PetscMPIInt *counts, *displs;

    PetscCall(NAPILayoutCounts(segments->layout[s], 0, segments->layout[s]->N, width, &counts, &displs));
    PetscCallMPI(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data->in + segments->offset[s] * width, counts, displs, MPIU_SCALAR, data->comm));
    PetscCall(PetscFree2(counts, displs));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   GramDataReduceOut - Each rank has added to out, D x width. Gives the addends of its rows, of which there are one or,
   in shared memory, one for each rank: addends[s*naddends+r] for the rows of segment s. What is read of them is to be
   set to zero; then call GramDataFinishOut().
*/
PetscErrorCode GramDataReduceOut(GramData *data, const GramSegments *segments, PetscInt width, PetscInt *naddends, PetscScalar **addends)
{
  PetscScalar *behind = data->out + data->D * width;

  PetscFunctionBegin;
  *naddends = data->shared ? data->size : 1;
  if (data->shared) PetscCall(GramDataBarrier(data));
  for (PetscInt s = 0; s < segments->n; s++) {
    PetscLayout map   = segments->layout[s];
    PetscInt    first = (segments->offset[s] + map->rstart) * width;

    if (data->shared)
      for (PetscMPIInt r = 0; r < data->size; r++) addends[s * data->size + r] = data->peer[r] + first;
    else if (data->size == 1) addends[s] = data->out + first;
    else {
      PetscMPIInt *counts, *displs;

      PetscCall(NAPILayoutCounts(map, 0, map->N, width, &counts, &displs));
      addends[s] = behind;
      behind += map->n * width;
      PetscCallMPI(MPI_Reduce_scatter(data->out + segments->offset[s] * width, addends[s], counts, MPIU_SCALAR, MPIU_SUM, data->comm));
      PetscCall(PetscFree2(counts, displs));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GramDataFinishOut(GramData *data, PetscInt width)
{
  PetscFunctionBegin;
  if (data->size > 1 && !data->shared) PetscCall(PetscArrayzero(data->out, data->D * width));
  PetscFunctionReturn(PETSC_SUCCESS);
}
