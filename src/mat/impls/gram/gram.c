/* SPDX-License-Identifier: BSD-2-Clause */
/*
   MATGRAM, the symmetric operator of one or two views of the same n samples,

     G = (1/n) sum_i F_i' S F_i + ridge,    F_i = diag(x_i', y_i'),

   whose block (a,b) is S_ab X_a' X_b / n + delta_ab ridge_a I. It is never formed (unless converted to a dense matrix)
   and the data stay as sparse as they are. How the parts hang together:

     gram.c         this file: the product with a block, the operations of a Mat, the public interface
     gramdata.c     what matrices share: local rows of the views, column statistics, arrays, communication
     gramkernel.c   X W and X' C for a chunk of local samples
     gramdense.c    conversion to a dense matrix

   One product. With means m and scales s (both optional) sample i enters as the row (x_i - m)' diag(s), hence

     pack       in    = diag(s) W, by rows; t0 = -m'in                 each rank its rows
     sweep      for chunks of local samples:
                  t_i = t0 + x_i' in                                   both views
                  c_i = S t_i,  o = o + c_i                            mixes the views
                  out = out + x_i c_i'                                 while x_i is in cache
     unpack     Z = diag(s)(out - conj(m) o)/n + ridge W               each rank its rows, summed over ranks

   o would be zero in exact arithmetic; left in, a mean that is wrong by rounding costs a relative error of
   eps |m|/sd instead of eps (|m|/sd)^2. Blocks wider than a cache line are cut: all of in and out that is touched
   again soon should stay in cache, and a cache line is what one access to memory brings anyway.
   X' is the conjugate transpose; S is real, so that G is Hermitian.
*/
#include <slepcnapi/private/gramimpl.h>

/* --- the product -------------------------------------------------------------------------------------------------- */

/* The matrices that one sweep can serve: same data, same rows */
static PetscBool GramSharesSweep(const Mat_Gram *a, const Mat_Gram *b)
{
  return (PetscBool)(a->data == b->data && a->center == b->center && a->scale[0] == b->scale[0] && a->scale[1] == b->scale[1]);
}

/* How many of p columns go together. Padding 5..7 to 8 costs less than a second sweep. */
static PetscInt GramWidth(const GramData *data, PetscInt p)
{
  PetscBool sparse = data->view[0].sparse;

  if (data->nviews > 1 && data->view[1].sparse) sparse = PETSC_TRUE;
  if (!sparse) return PetscMin(p, 4 * GRAM_MAXWIDTH); /* BLAS does its own blocking */
  if (p > 4) return GRAM_MAXWIDTH;
  return p == 3 ? 4 : p;
}

/* A block that enters or leaves a product: the local rows of each of its segments, stored by columns */
typedef struct {
  PetscScalar *a[2];
  PetscInt     ld[2];
} GramBlock;

/* The rows of a view, counted as those of the operator, that this rank has of a segment */
static void GramRows(const GramData *data, const GramSegments *segments, PetscInt s, PetscInt v, PetscInt *first, PetscInt *last)
{
  const PetscInt offset = segments->offset[s];

  *first = PetscMax(offset + segments->layout[s]->rstart, data->view[v].offset);
  *last  = PetscMin(offset + segments->layout[s]->rend, data->view[v].offset + data->view[v].d);
}

/*
   in = diag(s) W for the local rows of k columns, zero for the columns that fill up the width; m'in, a view each.
*/
static PetscErrorCode GramPack(const Mat_Gram *g, const GramSegments *segments, PetscInt width, PetscInt done, PetscInt k, const GramBlock *W, PetscBool conjugate, PetscScalar *mw)
{
  GramData *data = g->data;
  PetscInt  first, last;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(mw, 2 * width));
  for (PetscInt s = 0; s < segments->n; s++) {
    const PetscInt     begin = segments->offset[s] + segments->layout[s]->rstart, ldw = W->ld[s];
    const PetscScalar *w = W->a[s] + done * ldw;

    for (PetscInt v = 0; v < data->nviews; v++) {
      GramRows(data, segments, s, v, &first, &last);
      for (PetscInt i = first; i < last; i++) {
        PetscScalar       *in    = data->in + i * width;
        const PetscScalar *col   = w + (i - begin);
        const PetscReal    scale = GramFactor(g, v, i);

        if (conjugate)
          for (PetscInt j = 0; j < k; j++) in[j] = scale * PetscConj(col[j * ldw]);
        else
          for (PetscInt j = 0; j < k; j++) in[j] = scale * col[j * ldw];
        for (PetscInt j = k; j < width; j++) in[j] = 0.0;
        if (g->center)
          for (PetscInt j = 0; j < k; j++) mw[v * width + j] += data->mean[i] * in[j];
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The sweep over the local samples, for nops operators: their results lie side by side in the rows of out.
*/
static PetscErrorCode GramSweep(PetscInt nops, Mat_Gram *const g[], PetscInt width, const PetscScalar *t0, PetscScalar *sums)
{
  GramData *data      = g[0]->data;
  PetscBool active[2] = {PETSC_FALSE, PETSC_FALSE};

  PetscFunctionBegin;
  for (PetscInt o = 0; o < nops; o++) {
    for (PetscInt v = 0; v < data->nviews; v++) {
      for (PetscInt u = 0; u < data->nviews; u++)
        if (g[o]->s[v][u] != 0.0) active[v] = PETSC_TRUE;
    }
  }
  PetscCall(GramDataGetRows(data));
  for (PetscInt first = 0; first < data->n; first += data->chunk) {
    PetscInt n = PetscMin(data->chunk, data->n - first);

    for (PetscInt v = 0; v < data->nviews; v++) {
      if (active[v]) PetscCall(GramGather(&data->view[v], first, n, width, data->in + data->view[v].offset * width, t0 + v * width, data->t[v]));
    }
    for (PetscInt v = 0; v < data->nviews; v++) {
      PetscScalar *c   = data->c;
      PetscScalar *out = data->out + data->view[v].offset * width * nops;

      if (!active[v]) continue;
      /* A and B of CCA: c_i is t_i of one view (not if it is still needed and GramScatter() may destroy it) */
      if (nops == 1 && !g[0]->center && !PetscDefined(USE_COMPLEX) && g[0]->s[v][v] == 1.0 && (data->nviews == 1 || g[0]->s[v][1 - v] == 0.0)) c = data->t[v];
      else if (nops == 1 && !g[0]->center && !PetscDefined(USE_COMPLEX) && g[0]->s[v][v] == 0.0 && g[0]->s[v][1 - v] == 1.0) c = data->t[1 - v];
      else {
        for (PetscInt o = 0; o < nops; o++) {
          const PetscReal    a = g[o]->s[v][0], b = data->nviews > 1 ? g[o]->s[v][1] : 0.0;
          const PetscScalar *tx = data->t[0], *ty = data->t[1];
          PetscScalar       *sum = sums + (2 * o + v) * width;

          for (PetscInt i = 0; i < n; i++) {
            PetscScalar *ci = c + (i * nops + o) * width;

            if (b == 0.0)
              for (PetscInt j = 0; j < width; j++) ci[j] = a * tx[i * width + j];
            else if (a == 0.0)
              for (PetscInt j = 0; j < width; j++) ci[j] = b * ty[i * width + j];
            else
              for (PetscInt j = 0; j < width; j++) ci[j] = a * tx[i * width + j] + b * ty[i * width + j];
            if (g[0]->center)
              for (PetscInt j = 0; j < width; j++) sum[j] += ci[j];
          }
        }
      }
      PetscCall(GramScatter(&data->view[v], first, n, width * nops, c, out));
    }
  }
  for (PetscInt v = 0; v < data->nviews; v++) {
    const GramView *view = &data->view[v];
    PetscLogDouble  nz   = view->sparse ? (PetscLogDouble)view->ia[data->n] : (PetscLogDouble)data->n * (PetscLogDouble)view->d;

    if (active[v]) PetscCall(PetscLogFlops(2.0 * (1.0 + nops) * nz * width));
  }
  PetscCall(GramDataRestoreRows(data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Z = diag(s)(out - conj(m) o)/n + ridge W for the local rows of k columns of operator number o; with add, Z is added
   to. What is read of out is set to zero.
*/
static PetscErrorCode GramUnpack(const Mat_Gram *g, const GramSegments *segments, PetscInt o, PetscInt nops, PetscInt width, PetscInt done, PetscInt k, PetscInt naddends, PetscScalar *const addends[], const PetscScalar *sums, const GramBlock *W, PetscBool conjugate, PetscBool add, const GramBlock *Z)
{
  GramData *data = g->data;
  PetscReal rn   = data->N ? 1.0 / (PetscReal)data->N : 0.0;
  PetscInt  first, last;

  PetscFunctionBegin;
  for (PetscInt s = 0; s < segments->n; s++) {
    const PetscInt     begin = segments->offset[s] + segments->layout[s]->rstart, ldw = W->ld[s], ldz = Z->ld[s];
    const PetscScalar *w = W->a[s] + done * ldw;
    PetscScalar       *z = Z->a[s] + done * ldz, *const *parts = addends + s * naddends;

    for (PetscInt v = 0; v < data->nviews; v++) {
      const PetscReal    ridge  = g->ridge[v];
      const PetscScalar *sum    = sums + (2 * o + v) * width;
      const PetscBool    isconj = (PetscBool)(PetscDefined(USE_COMPLEX) && !data->view[v].sparse);

      GramRows(data, segments, s, v, &first, &last);
      for (PetscInt i = first; i < last; i++) {
        const PetscScalar *wi    = w + (i - begin);
        PetscScalar       *zi    = z + (i - begin);
        PetscScalar       *out   = parts[0] + ((i - begin) * nops + o) * width;
        const PetscReal    scale = rn * GramFactor(g, v, i);

        for (PetscInt r = 1; r < naddends; r++) {
          PetscScalar *more = parts[r] + ((i - begin) * nops + o) * width;

          for (PetscInt j = 0; j < width; j++) {
            out[j] += more[j];
            more[j] = 0.0;
          }
        }
        if (isconj)
          for (PetscInt j = 0; j < k; j++) out[j] = PetscConj(out[j]);
        if (g->center)
          for (PetscInt j = 0; j < k; j++) out[j] -= PetscConj(data->mean[i]) * sum[j];
        if (conjugate)
          for (PetscInt j = 0; j < k; j++) out[j] = PetscConj(out[j]);
        if (add)
          for (PetscInt j = 0; j < k; j++) zi[j * ldz] += scale * out[j] + ridge * wi[j * ldw];
        else
          for (PetscInt j = 0; j < k; j++) zi[j * ldz] = scale * out[j] + ridge * wi[j * ldw];
        for (PetscInt j = 0; j < width; j++) out[j] = 0.0;
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Z_o = G_o W for p columns and one or two operators that share a sweep. With conjugate the operators are conjugated,
   which makes transposes: G^T = conj(G), G^T W = conj(G conj(W)).
*/
static PetscErrorCode GramApply(PetscInt nops, const Mat G[], const GramSegments *segments, PetscInt p, const GramBlock *W, PetscBool conjugate, PetscBool add, const GramBlock Z[])
{
  Mat_Gram    *g[GRAM_MAXOUT];
  GramData    *data;
  PetscInt     width, naddends;
  PetscMPIInt  count;
  PetscScalar *t0, *sums, **addends;

  PetscFunctionBegin;
  for (PetscInt o = 0; o < nops; o++) g[o] = (Mat_Gram *)G[o]->data;
  data = g[0]->data;
  PetscCall(GramDataUpdate(data));
  if (GramNeedsStatistics(g[0])) PetscCall(GramDataSetUpStatistics(data));
  if (p > 0) {
    width = GramWidth(data, p);
    PetscCall(GramDataSetUpWork(data, width, nops));
    PetscCall(PetscMalloc3(2 * width, &t0, 2 * nops * width, &sums, 2 * data->size, &addends));
    g[0]->passes += 1.0;
    for (PetscInt o = 0; o < nops; o++) g[o]->columns += (PetscReal)p;
  }
  for (PetscInt done = 0, k; done < p; done += k) {
    width = GramWidth(data, p - done);
    k     = PetscMin(width, p - done);
    PetscCall(GramPack(g[0], segments, width, done, k, W, conjugate, t0));
    if (g[0]->center) {
      PetscCall(PetscMPIIntCast(2 * width, &count));
      PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, t0, count, MPIU_SCALAR, MPIU_SUM, data->comm));
      for (PetscInt j = 0; j < 2 * width; j++) t0[j] = -t0[j];
    }
    PetscCall(GramDataGatherIn(data, segments, width));
    PetscCall(PetscArrayzero(sums, 2 * nops * width));
    PetscCall(GramSweep(nops, g, width, t0, sums));
    if (g[0]->center) {
      PetscCall(PetscMPIIntCast(2 * nops * width, &count));
      PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, count, MPIU_SCALAR, MPIU_SUM, data->comm));
    }
    PetscCall(GramDataReduceOut(data, segments, width * nops, &naddends, addends));
    for (PetscInt o = 0; o < nops; o++) PetscCall(GramUnpack(g[o], segments, o, nops, width, done, k, naddends, addends, sums, W, conjugate, add, &Z[o]));
    PetscCall(GramDataFinishOut(data, width * nops));
  }
  if (p > 0) PetscCall(PetscFree3(t0, sums, addends));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- products as Mat operations ----------------------------------------------------------------------------------- */

static PetscErrorCode GramApplyVec(Mat G, Vec x, PetscBool conjugate, PetscBool add, Vec y)
{
  const PetscScalar *w;
  PetscScalar       *z;
  GramBlock          W =
              {
                {NULL,       NULL},
                {G->rmap->n, 0   }
  },
            Z = W;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &w));
  if (add) PetscCall(VecGetArray(y, &z));
  else PetscCall(VecGetArrayWrite(y, &z));
  W.a[0] = (PetscScalar *)w;
  Z.a[0] = z;
  PetscCall(GramApply(1, &G, &((Mat_Gram *)G->data)->data->whole, 1, &W, conjugate, add, &Z));
  if (add) PetscCall(VecRestoreArray(y, &z));
  else PetscCall(VecRestoreArrayWrite(y, &z));
  PetscCall(VecRestoreArrayRead(x, &w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatMult_Gram(Mat G, Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(GramApplyVec(G, x, PETSC_FALSE, PETSC_FALSE, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatMultTranspose_Gram(Mat G, Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(GramApplyVec(G, x, PetscDefined(USE_COMPLEX) ? PETSC_TRUE : PETSC_FALSE, PETSC_FALSE, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatMultAdd_Gram(Mat G, Vec x, Vec y, Vec z)
{
  PetscFunctionBegin;
  if (y != z) PetscCall(VecCopy(y, z));
  PetscCall(GramApplyVec(G, x, PETSC_FALSE, PETSC_TRUE, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatMultTransposeAdd_Gram(Mat G, Vec x, Vec y, Vec z)
{
  PetscFunctionBegin;
  if (y != z) PetscCall(VecCopy(y, z));
  PetscCall(GramApplyVec(G, x, PetscDefined(USE_COMPLEX) ? PETSC_TRUE : PETSC_FALSE, PETSC_TRUE, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Z_o = G_o W, where W and Z_o consist of a dense matrix for each segment: W[s], Z[o*segments->n+s] */
static PetscErrorCode GramApplyDense(PetscInt nops, const Mat G[], const GramSegments *segments, const Mat W[], PetscBool conjugate, const Mat Z[])
{
  const PetscScalar *w[2] = {NULL, NULL};
  GramBlock          in =
              {
                {NULL, NULL},
                {0,    0   }
  },
            out[GRAM_MAXOUT];
  PetscInt p, ns = segments->n;

  PetscFunctionBegin;
  PetscCall(MatGetSize(W[0], NULL, &p));
  for (PetscInt s = 0; s < ns; s++) {
    PetscCall(MatDenseGetArrayRead(W[s], &w[s]));
    PetscCall(MatDenseGetLDA(W[s], &in.ld[s]));
    in.a[s] = (PetscScalar *)w[s];
    for (PetscInt o = 0; o < nops; o++) {
      PetscCall(MatDenseGetArrayWrite(Z[o * ns + s], &out[o].a[s]));
      PetscCall(MatDenseGetLDA(Z[o * ns + s], &out[o].ld[s]));
    }
  }
  PetscCall(GramApply(nops, G, segments, p, &in, conjugate, PETSC_FALSE, out));
  for (PetscInt s = 0; s < ns; s++) {
    for (PetscInt o = 0; o < nops; o++) PetscCall(MatDenseRestoreArrayWrite(Z[o * ns + s], &out[o].a[s]));
    PetscCall(MatDenseRestoreArrayRead(W[s], &w[s]));
  }
  for (PetscInt o = 0; o < nops * ns; o++) {
    PetscCall(MatAssemblyBegin(Z[o], MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(Z[o], MAT_FINAL_ASSEMBLY));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatProductNumeric_Gram_Dense(Mat C)
{
  PetscBool conjugate = (PetscBool)(PetscDefined(USE_COMPLEX) && C->product->type == MATPRODUCT_AtB);

  PetscFunctionBegin;
  PetscCall(GramApplyDense(1, &C->product->A, &((Mat_Gram *)C->product->A->data)->data->whole, &C->product->B, conjugate, &C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatProductSymbolic_Gram_Dense(Mat C)
{
  Mat       A = C->product->A, B = C->product->B;
  PetscBool dense;

  PetscFunctionBegin;
  PetscCall(MatSetSizes(C, A->rmap->n, B->cmap->n, A->rmap->N, B->cmap->N));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)C, &dense, MATSEQDENSE, MATMPIDENSE, ""));
  if (!dense) PetscCall(MatSetType(C, ((PetscObject)B)->type_name));
  PetscCall(MatSetUp(C));
  C->ops->productnumeric = MatProductNumeric_Gram_Dense;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatProductSetFromOptions_Gram_Dense(Mat C)
{
  PetscFunctionBegin;
  if (C->product->type == MATPRODUCT_AB || C->product->type == MATPRODUCT_AtB) C->ops->productsymbolic = MatProductSymbolic_Gram_Dense;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   AD = A D and BD = B D. Where A and B have the data in common one sweep serves both: X U and Y V are computed once, and
   A's and B's results lie side by side in memory. To the log (and those who count by it) these are two products; saved is
   what they cost less than two, counted in columns of one product.
*/
static PetscErrorCode MatPairMult_Gram(Mat A, Mat B, Mat D, Mat AD, Mat BD, PetscReal *saved)
{
  PetscBool gram, mine[2];
  Mat       G[2] = {A, B}, Z[2] = {AD, BD};

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)B, MATGRAM, &gram));
  if (gram) gram = GramSharesSweep((Mat_Gram *)A->data, (Mat_Gram *)B->data);
  for (PetscInt o = 0; o < 2; o++) {
    mine[o] = Z[o]->product ? PETSC_FALSE : PETSC_TRUE;
    if (mine[o]) {
      PetscCall(MatAssemblyBegin(Z[o], MAT_FINAL_ASSEMBLY));
      PetscCall(MatAssemblyEnd(Z[o], MAT_FINAL_ASSEMBLY));
      PetscCall(MatProductCreateWithMat(G[o], D, NULL, Z[o]));
      PetscCall(MatProductSetType(Z[o], MATPRODUCT_AB));
    }
    if (!gram) {
      PetscCall(MatProductSetFromOptions(Z[o]));
      PetscCall(MatProductSymbolic(Z[o]));
      PetscCall(MatProductNumeric(Z[o]));
    }
  }
  if (gram) {
    PetscCall(PetscLogEventBegin(MAT_MatMultNumeric, AD, 0, 0, 0));
    PetscCall(PetscLogEventBegin(MAT_MatMultNumeric, BD, 0, 0, 0));
    PetscCall(GramApplyDense(2, G, &((Mat_Gram *)A->data)->data->whole, &D, PETSC_FALSE, Z));
    PetscCall(PetscLogEventEnd(MAT_MatMultNumeric, BD, 0, 0, 0));
    PetscCall(PetscLogEventEnd(MAT_MatMultNumeric, AD, 0, 0, 0));
  }
  if (saved) *saved = gram ? GRAM_SAVED * (PetscReal)D->cmap->N : 0.0;
  for (PetscInt o = 0; o < 2; o++)
    if (mine[o]) PetscCall(MatProductClear(Z[o]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- other operations --------------------------------------------------------------------------------------------- */

/* S_aa (mean square, or variance, of column j) scale^2 + ridge_a */
static PetscErrorCode MatGetDiagonal_Gram(Mat G, Vec d)
{
  Mat_Gram    *g    = (Mat_Gram *)G->data;
  GramData    *data = g->data;
  PetscScalar *z;

  PetscFunctionBegin;
  PetscCall(GramDataSetUpStatistics(data));
  PetscCall(VecGetArrayWrite(d, &z));
  for (PetscInt i = data->map->rstart; i < data->map->rend; i++) {
    const PetscInt  v = i < data->view[0].d ? 0 : 1;
    const PetscReal s = GramFactor(g, v, i) * data->unit[i];

    z[i - data->map->rstart] = g->s[v][v] * s * s * (g->center ? data->var[i] : data->meansq[i]) + g->ridge[v];
  }
  PetscCall(VecRestoreArrayWrite(d, &z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   What can be said from S and the ridges alone: with S >= 0 and positive ridges G is positive definite; otherwise it
   depends on the data.
*/
static PetscErrorCode GramSetFlags(Mat G)
{
  Mat_Gram *g   = (Mat_Gram *)G->data;
  PetscBool two = (PetscBool)(g->data && g->data->nviews > 1), psd;

  PetscFunctionBegin;
  psd = (PetscBool)(g->s[0][0] >= 0.0 && g->ridge[0] > 0.0);
  if (two) psd = (PetscBool)(psd && g->s[1][1] >= 0.0 && g->ridge[1] > 0.0 && g->s[0][0] * g->s[1][1] >= PetscSqr(g->s[0][1]));
  PetscCall(MatSetOption(G, MAT_HERMITIAN, PETSC_TRUE));
  if (!PetscDefined(USE_COMPLEX)) {
    PetscCall(MatSetOption(G, MAT_SYMMETRIC, PETSC_TRUE));
    PetscCall(MatSetOption(G, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  }
  G->spd = psd ? PETSC_BOOL3_TRUE : PETSC_BOOL3_UNKNOWN;
  PetscCall(PetscObjectStateIncrease((PetscObject)G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GramRealPart(Mat G, PetscScalar a, const char *what)
{
  PetscFunctionBegin;
  (void)a; /* real scalars have no imaginary part to look at */
  PetscCheck(PetscImaginaryPart(a) == 0.0, PetscObjectComm((PetscObject)G), PETSC_ERR_SUP, "%s needs a real number: a matrix of type %s is Hermitian", what, MATGRAM);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatScale_Gram(Mat G, PetscScalar a)
{
  Mat_Gram *g = (Mat_Gram *)G->data;

  PetscFunctionBegin;
  PetscCall(GramRealPart(G, a, "MatScale()"));
  for (int i = 0; i < 2; i++) {
    g->ridge[i] *= PetscRealPart(a);
    for (int j = 0; j < 2; j++) g->s[i][j] *= PetscRealPart(a);
  }
  PetscCall(GramSetFlags(G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatShift_Gram(Mat G, PetscScalar a)
{
  Mat_Gram *g = (Mat_Gram *)G->data;

  PetscFunctionBegin;
  PetscCall(GramRealPart(G, a, "MatShift()"));
  for (int i = 0; i < 2; i++) g->ridge[i] += PetscRealPart(a);
  PetscCall(GramSetFlags(G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* G + a H is a Gram matrix of the same data: this is how A - sigma B is made */
static PetscErrorCode MatAXPY_Gram(Mat G, PetscScalar a, Mat H, PETSC_UNUSED MatStructure str)
{
  Mat_Gram *g = (Mat_Gram *)G->data, *h = (Mat_Gram *)H->data;
  PetscBool same;

  PetscFunctionBegin;
  PetscCall(GramRealPart(G, a, "MatAXPY()"));
  PetscCall(PetscObjectTypeCompare((PetscObject)H, MATGRAM, &same));
  PetscCheck(same && GramSharesSweep(g, h), PetscObjectComm((PetscObject)G), PETSC_ERR_SUP, "MatAXPY() of a matrix of type %s needs a second one that shares its views, centering and scaling, as those of MatCreateCCAPair() and duplicates do: for a shift use a shell, -st_matmode shell", MATGRAM);
  for (int i = 0; i < 2; i++) {
    g->ridge[i] += PetscRealPart(a) * h->ridge[i];
    for (int j = 0; j < 2; j++) g->s[i][j] += PetscRealPart(a) * h->s[i][j];
  }
  PetscCall(GramSetFlags(G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatView_Gram(Mat G, PetscViewer viewer)
{
  Mat_Gram *g    = (Mat_Gram *)G->data;
  GramData *data = g->data;
  PetscBool ascii;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPushTab(viewer));
  if (!data) PetscCall(PetscViewerASCIIPrintf(viewer, "no views yet\n"));
  else {
    for (PetscInt i = 0; i < data->nviews; i++) PetscCall(PetscViewerASCIIPrintf(viewer, "view %c: %" PetscInt_FMT " samples, %" PetscInt_FMT " columns, %s\n", i ? 'Y' : 'X', data->N, data->view[i].d, data->view[i].sparse ? "sparse" : "dense"));
    if (data->nviews == 1) PetscCall(PetscViewerASCIIPrintf(viewer, "coupling %g, ridge %g\n", (double)g->s[0][0], (double)g->ridge[0]));
    else PetscCall(PetscViewerASCIIPrintf(viewer, "coupling [%g %g; %g %g], ridges %g and %g\n", (double)g->s[0][0], (double)g->s[0][1], (double)g->s[1][0], (double)g->s[1][1], (double)g->ridge[0], (double)g->ridge[1]));
    PetscCall(PetscViewerASCIIPrintf(viewer, "columns %scentered, %sscaled\n", g->center ? "" : "not ", data->nviews > 1 && g->scale[0] != g->scale[1] ? (g->scale[0] ? "those of X " : "those of Y ") : g->scale[0] ? "" : "not "));
    PetscCall(PetscViewerASCIIPrintf(viewer, "passes over the data: %g\n", (double)g->passes));
  }
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSetUp_Gram(Mat G)
{
  PetscFunctionBegin;
  PetscCheck(((Mat_Gram *)G->data)->data, PetscObjectComm((PetscObject)G), PETSC_ERR_ORDER, "A matrix of type %s needs MatGramSetViews() first", MATGRAM);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A lower bound of the spectrum: the smaller ridge, where the coupling is positive semidefinite; otherwise none, 0 */
static PetscErrorCode MatGetLowerBound_Gram(Mat G, PetscReal *bound)
{
  Mat_Gram *g   = (Mat_Gram *)G->data;
  PetscReal det = g->s[0][0] * g->s[1][1] - g->s[0][1] * g->s[1][0];

  PetscFunctionBegin;
  if (g->data->nviews == 1) *bound = g->s[0][0] >= 0.0 ? g->ridge[0] : 0.0;
  else *bound = g->s[0][0] >= 0.0 && g->s[1][1] >= 0.0 && det >= 0.0 ? PetscMin(g->ridge[0], g->ridge[1]) : 0.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatDestroy_Gram(Mat G)
{
  Mat_Gram *g = (Mat_Gram *)G->data;

  PetscFunctionBegin;
  PetscCall(GramDataDestroy(&g->data));
  PetscCall(PetscObjectComposeFunction((PetscObject)G, "MatGramSetViews_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)G, "MatPairMult_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)G, "MatGetLowerBound_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)G, "MatProductSetFromOptions_gram_seqdense_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)G, "MatProductSetFromOptions_gram_mpidense_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)G, "MatConvert_gram_dense_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)G, "MatConvert_gram_seqdense_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)G, "MatConvert_gram_mpidense_C", NULL));
  PetscCall(PetscFree(G->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Gives G its data, of which it takes over one reference */
static PetscErrorCode GramSetData(Mat G, GramData *data)
{
  Mat_Gram *g = (Mat_Gram *)G->data;

  PetscFunctionBegin;
  PetscCall(GramDataDestroy(&g->data));
  g->data = data;
  PetscCall(PetscLayoutReference(data->map, &G->rmap));
  PetscCall(PetscLayoutReference(data->map, &G->cmap));
  G->preallocated = PETSC_TRUE;
  G->assembled    = PETSC_TRUE;
  PetscCall(GramSetFlags(G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatDuplicate_Gram(Mat G, PETSC_UNUSED MatDuplicateOption op, Mat *H)
{
  Mat_Gram *g = (Mat_Gram *)G->data, *h;

  PetscFunctionBegin;
  PetscCall(MatCreate(PetscObjectComm((PetscObject)G), H));
  PetscCall(MatSetType(*H, MATGRAM));
  h          = (Mat_Gram *)(*H)->data;
  *h         = *g;
  h->data    = NULL;
  h->passes  = 0.0;
  h->columns = 0.0;
  g->data->refct++;
  PetscCall(GramSetData(*H, g->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatGramSetViews_Gram(Mat G, Mat X, Mat Y)
{
  GramData *data;

  PetscFunctionBegin;
  PetscCall(GramDataCreate(X, Y, &data));
  PetscCall(GramSetData(G, data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   MATGRAM - MATGRAM = "gram" - The symmetric operator (1/n) sum_i F_i' S F_i + ridge of one or two views of n samples,
   F_i = diag(x_i', y_i'), of which only the views are stored.

   Options Database Keys:
.  -mat_gram_shared_memory <true> - ranks that live on one node communicate through shared memory

   Level: beginner

   Notes:
   One view: S_11 X'X/n + ridge_1 I. Two views: block (a,b) is S_ab X_a' X_b/n, with ridge_a I added to the diagonal
   blocks; rows 0..d1-1 of the operator belong to X, the others to Y, on any number of ranks. The views are AIJ or
   dense matrices (others are converted to AIJ), whose rows, the samples, are distributed over the ranks alike.

   Available are products with vectors and with dense matrices (in one sweep over the data for several columns), the
   diagonal, MatScale(), MatShift(), MatAXPY() with a matrix of the same data, MatDuplicate() (which shares the data),
   and MatConvert() to MATDENSE. A composed function "MatPairMult_C" with the calling sequence

.vb
     PetscErrorCode f(Mat A,Mat B,Mat D,Mat AD,Mat BD,PetscReal *saved)
.ve

   computes A D and B D for dense D, AD, BD, in one sweep if B shares the data of A, and tells (unless saved is NULL) how many
   columns' worth of a product this has saved, 0 if nothing. Another, "MatGetLowerBound_C", with the
   calling sequence f(Mat G,PetscReal *bound), gives a lower bound of the spectrum: the ridge, or 0 where there is none.

.seealso: MatCreateGram(), MatCreateCCAPair(), MatGramSetCoupling(), MatGramSetRidge(), MatGramSetCentering()
M*/
PetscErrorCode MatCreate_Gram(Mat G)
{
  Mat_Gram *g;

  PetscFunctionBegin;
  PetscCall(PetscNew(&g));
  G->data    = (void *)g;
  g->s[0][0] = 1.0;
  g->s[1][1] = 1.0;

  G->ops->mult                      = MatMult_Gram;
  G->ops->multadd                   = MatMultAdd_Gram;
  G->ops->multtranspose             = MatMultTranspose_Gram;
  G->ops->multtransposeadd          = MatMultTransposeAdd_Gram;
  G->ops->multhermitiantranspose    = MatMult_Gram;
  G->ops->multhermitiantransposeadd = MatMultAdd_Gram;
  G->ops->getdiagonal               = MatGetDiagonal_Gram;
  G->ops->scale                     = MatScale_Gram;
  G->ops->shift                     = MatShift_Gram;
  G->ops->axpy                      = MatAXPY_Gram;
  G->ops->view                      = MatView_Gram;
  G->ops->duplicate                 = MatDuplicate_Gram;
  G->ops->setup                     = MatSetUp_Gram;
  G->ops->destroy                   = MatDestroy_Gram;

  PetscCall(PetscObjectComposeFunction((PetscObject)G, "MatGramSetViews_C", MatGramSetViews_Gram));
  PetscCall(PetscObjectComposeFunction((PetscObject)G, "MatPairMult_C", MatPairMult_Gram));
  PetscCall(PetscObjectComposeFunction((PetscObject)G, "MatGetLowerBound_C", MatGetLowerBound_Gram));
  PetscCall(PetscObjectComposeFunction((PetscObject)G, "MatProductSetFromOptions_gram_seqdense_C", MatProductSetFromOptions_Gram_Dense));
  PetscCall(PetscObjectComposeFunction((PetscObject)G, "MatProductSetFromOptions_gram_mpidense_C", MatProductSetFromOptions_Gram_Dense));
  PetscCall(PetscObjectComposeFunction((PetscObject)G, "MatConvert_gram_dense_C", MatConvert_Gram_Dense));
  PetscCall(PetscObjectComposeFunction((PetscObject)G, "MatConvert_gram_seqdense_C", MatConvert_Gram_Dense));
  PetscCall(PetscObjectComposeFunction((PetscObject)G, "MatConvert_gram_mpidense_C", MatConvert_Gram_Dense));
  PetscCall(PetscObjectChangeTypeName((PetscObject)G, MATGRAM));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- public interface --------------------------------------------------------------------------------------------- */

static PetscErrorCode GramGet(Mat G, Mat_Gram **g)
{
  PetscBool gram;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(G, MAT_CLASSID, 1);
  PetscCall(PetscObjectTypeCompare((PetscObject)G, MATGRAM, &gram));
  PetscCheck(gram, PetscObjectComm((PetscObject)G), PETSC_ERR_ARG_WRONG, "Matrix must be of type %s", MATGRAM);
  *g = (Mat_Gram *)G->data;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GramGetView(Mat G, PetscInt i, Mat_Gram **g, GramView **v)
{
  PetscFunctionBegin;
  PetscCall(GramGet(G, g));
  PetscCheck((*g)->data, PetscObjectComm((PetscObject)G), PETSC_ERR_ORDER, "Call MatGramSetViews() first");
  PetscCheck(i >= 0 && i < (*g)->data->nviews, PetscObjectComm((PetscObject)G), PETSC_ERR_ARG_OUTOFRANGE, "View %" PetscInt_FMT " of a matrix with %" PetscInt_FMT, i, (*g)->data->nviews);
  *v = &(*g)->data->view[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatCreateGram - Creates the Gram operator of one or two views of the same samples, X'X/n or diag(X'X/n, Y'Y/n).

   Collective

   Input Parameters:
+  X - the first view, one row for each sample
-  Y - the second view, or NULL

   Output Parameter:
.  G - the operator

   Level: beginner

   Notes:
   The coupling is the identity and there is no ridge; see MatGramSetCoupling() and MatGramSetRidge(). The views are
   not copied on one rank and must not be destroyed for good before G, which holds a reference; later changes of their
   entries are noticed.

.seealso: MATGRAM, MatCreateCCAPair(), MatGramSetViews()
@*/
PetscErrorCode MatCreateGram(Mat X, Mat Y, Mat *G)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(X, MAT_CLASSID, 1);
  if (Y) PetscValidHeaderSpecific(Y, MAT_CLASSID, 2);
  PetscAssertPointer(G, 3);
  PetscCall(SlepcNAPIInitialize());
  PetscCall(MatCreate(PetscObjectComm((PetscObject)X), G));
  PetscCall(MatSetType(*G, MATGRAM));
  PetscCall(MatGramSetViews(*G, X, Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatGramSetViews - Sets the data of a MATGRAM.

   Collective

   Input Parameters:
+  G - the operator
.  X - the first view, one row for each sample
-  Y - the second view, with the same distribution of rows, or NULL

   Level: intermediate

.seealso: MATGRAM, MatCreateGram(), MatGramGetViews()
@*/
PetscErrorCode MatGramSetViews(Mat G, Mat X, Mat Y)
{
  Mat_Gram *g = NULL;

  PetscFunctionBegin;
  PetscCall(GramGet(G, &g));
  PetscValidHeaderSpecific(X, MAT_CLASSID, 2);
  PetscCheckSameComm(G, 1, X, 2);
  PetscCheck(X->assembled, PetscObjectComm((PetscObject)X), PETSC_ERR_ARG_WRONGSTATE, "View X is not assembled");
  if (Y) {
    PetscValidHeaderSpecific(Y, MAT_CLASSID, 3);
    PetscCheckSameComm(G, 1, Y, 3);
    PetscCheck(Y->assembled, PetscObjectComm((PetscObject)Y), PETSC_ERR_ARG_WRONGSTATE, "View Y is not assembled");
  }
  PetscUseMethod(G, "MatGramSetViews_C", (Mat, Mat, Mat), (G, X, Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatGramGetViews - Gets the data of a MATGRAM.

   Not Collective

   Input Parameter:
.  G - the operator

   Output Parameters:
+  X - the first view
-  Y - the second view, or NULL if there is none

   Level: intermediate

   Note:
   The views remain G's: they must not be destroyed.

.seealso: MATGRAM, MatGramSetViews(), MatGramGetLocalRows()
@*/
PetscErrorCode MatGramGetViews(Mat G, Mat *X, Mat *Y)
{
  Mat_Gram *g = NULL;

  PetscFunctionBegin;
  PetscCall(GramGet(G, &g));
  if (X) *X = g->data ? g->data->view[0].mat : NULL;
  if (Y) *Y = g->data && g->data->nviews > 1 ? g->data->view[1].mat : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatGramSetCoupling - Sets S, by which the blocks X_a' X_b/n are multiplied.

   Logically Collective

   Input Parameters:
+  G   - the operator
.  s11 - factor of X'X/n, by default 1
.  s12 - factor of X'Y/n and Y'X/n, by default 0
-  s22 - factor of Y'Y/n, by default 1

   Level: intermediate

   Note:
   With one view only s11 matters. A view whose factors are all zero is not read.

.seealso: MATGRAM, MatGramGetCoupling(), MatGramSetRidge()
@*/
PetscErrorCode MatGramSetCoupling(Mat G, PetscReal s11, PetscReal s12, PetscReal s22)
{
  Mat_Gram *g = NULL;

  PetscFunctionBegin;
  PetscCall(GramGet(G, &g));
  PetscValidLogicalCollectiveReal(G, s11, 2);
  PetscValidLogicalCollectiveReal(G, s12, 3);
  PetscValidLogicalCollectiveReal(G, s22, 4);
  PetscCheck(!PetscIsInfOrNanReal(s11) && !PetscIsInfOrNanReal(s12) && !PetscIsInfOrNanReal(s22), PetscObjectComm((PetscObject)G), PETSC_ERR_ARG_OUTOFRANGE, "The coupling must be finite");
  g->s[0][0] = s11;
  g->s[0][1] = g->s[1][0] = s12;
  g->s[1][1]              = s22;
  PetscCall(GramSetFlags(G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatGramGetCoupling - Gets S, see MatGramSetCoupling().

   Not Collective

   Input Parameter:
.  G - the operator

   Output Parameters:
+  s11 - factor of X'X/n
.  s12 - factor of X'Y/n and Y'X/n
-  s22 - factor of Y'Y/n

   Level: intermediate

.seealso: MATGRAM, MatGramSetCoupling()
@*/
PetscErrorCode MatGramGetCoupling(Mat G, PetscReal *s11, PetscReal *s12, PetscReal *s22)
{
  Mat_Gram *g = NULL;

  PetscFunctionBegin;
  PetscCall(GramGet(G, &g));
  if (s11) *s11 = g->s[0][0];
  if (s12) *s12 = g->s[0][1];
  if (s22) *s22 = g->s[1][1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatGramCreateView - Creates the diagonal block of an operator that belongs to one of its views, S_aa X_a'X_a/n + ridge_a I,
   as an operator of that view alone.

   Collective

   Input Parameters:
+  G    - the operator
-  view - 0 for X, 1 for Y

   Output Parameter:
.  H - the block, of type MATGRAM, whose rows are distributed like the columns of the view

   Level: intermediate

   Note:
   The data are not copied. Ridge, centering and scaling are those of G at the time; passes are counted anew.

.seealso: MATGRAM, MatCreateGram(), MatGramMultViews()
@*/
PetscErrorCode MatGramCreateView(Mat G, PetscInt view, Mat *H)
{
  Mat_Gram *g = NULL, *h;
  GramView *v = NULL;
  GramData *data;

  PetscFunctionBegin;
  PetscCall(GramGetView(G, view, &g, &v));
  PetscAssertPointer(H, 3);
  PetscCall(GramDataCreateView(g->data, view, &data));
  PetscCall(MatCreate(PetscObjectComm((PetscObject)G), H));
  PetscCall(MatSetType(*H, MATGRAM));
  h           = (Mat_Gram *)(*H)->data;
  h->s[0][0]  = g->s[view][view];
  h->ridge[0] = g->ridge[view];
  h->center   = g->center;
  h->scale[0] = g->scale[view];
  PetscCall(GramSetData(*H, data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatGramMultViews - Multiplies an operator of two views by a block [U;V] that is given by its parts.

   Collective

   Input Parameters:
+  G - the operator
.  H - another one that shares the data of G, to be applied in the same sweep, or NULL
.  U - dense, rows distributed like the columns of X
-  V - dense, rows distributed like the columns of Y, as many columns as U

   Output Parameters:
+  GU - the rows of G [U;V] that belong to X
.  GV - those that belong to Y
.  HU - the same for H, or NULL
-  HV - the same for H, or NULL

   Level: advanced

   Notes:
   The results are dense matrices of the sizes of U and V, which the caller provides. For A of MatCreateCCAPair() they are
   X'Y V/n and Y'X U/n, for B the sums of X'X U/n and Y'Y V/n with the ridges.

   With H, X U and Y V are computed once for both operators. This is one pass over the data, booked with G.

.seealso: MATGRAM, MatCreateCCAPair(), MatGramCreateView()
@*/
PetscErrorCode MatGramMultViews(Mat G, Mat H, Mat U, Mat V, Mat GU, Mat GV, Mat HU, Mat HV)
{
  const Mat W[2] = {U, V}, Z[4] = {GU, GV, HU, HV};

  PetscFunctionBegin;
  PetscCall(MatGramMultViews_Private(G, H, W, Z, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   MatGramMultViews_Private - The same for W = (U, V) and Z = (GU, GV, HU, HV), which tells as MatPairMult_Gram() does what H
   in the same sweep has saved.
*/
PetscErrorCode MatGramMultViews_Private(Mat G, Mat H, const Mat W[], const Mat Z[], PetscReal *saved)
{
  Mat_Gram *g = NULL, *h = NULL;
  Mat       ops[2] = {G, H};
  PetscInt  p, q, m;

  PetscFunctionBegin;
  PetscCall(GramGet(G, &g));
  PetscCheck(g->data && g->data->nviews == 2, PetscObjectComm((PetscObject)G), PETSC_ERR_ARG_WRONGSTATE, "The operator needs two views");
  if (H) {
    PetscCall(GramGet(H, &h));
    PetscCheck(GramSharesSweep(g, h), PetscObjectComm((PetscObject)G), PETSC_ERR_ARG_INCOMP, "The operators must share their data, as those of MatCreateCCAPair() do");
  }
  for (int i = 0; i < 2; i++) {
    PetscCall(MatGetLocalSize(W[i], &m, NULL));
    PetscCall(MatGetSize(W[i], NULL, i ? &q : &p));
    PetscCheck(m == g->data->parts.layout[i]->n, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "Part %d of the block has %" PetscInt_FMT " local rows, the view %" PetscInt_FMT " local columns", i, m, g->data->parts.layout[i]->n);
  }
  PetscCheck(p == q, PetscObjectComm((PetscObject)G), PETSC_ERR_ARG_SIZ, "The parts of the block have %" PetscInt_FMT " and %" PetscInt_FMT " columns", p, q);
  PetscCall(PetscLogEventBegin(MAT_MatMultNumeric, Z[0], 0, 0, 0));
  PetscCall(GramApplyDense(H ? 2 : 1, ops, &g->data->parts, W, PETSC_FALSE, Z));
  PetscCall(PetscLogEventEnd(MAT_MatMultNumeric, Z[0], 0, 0, 0));
  if (saved) *saved = H ? GRAM_SAVED * (PetscReal)p : 0.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatGramSetRidge - Sets the multiples of the identity that are added to the diagonal blocks.

   Logically Collective

   Input Parameters:
+  G  - the operator
.  r1 - for the columns of X, by default 0
-  r2 - for the columns of Y, by default 0; ignored with one view

   Level: beginner

.seealso: MATGRAM, MatGramGetRidge(), MatGramSetCoupling()
@*/
PetscErrorCode MatGramSetRidge(Mat G, PetscReal r1, PetscReal r2)
{
  Mat_Gram *g = NULL;

  PetscFunctionBegin;
  PetscCall(GramGet(G, &g));
  PetscValidLogicalCollectiveReal(G, r1, 2);
  PetscValidLogicalCollectiveReal(G, r2, 3);
  PetscCheck(!PetscIsInfOrNanReal(r1) && !PetscIsInfOrNanReal(r2), PetscObjectComm((PetscObject)G), PETSC_ERR_ARG_OUTOFRANGE, "The ridges must be finite");
  g->ridge[0] = r1;
  g->ridge[1] = r2;
  PetscCall(GramSetFlags(G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatGramGetRidge - Gets the multiples of the identity that are added to the diagonal blocks.

   Not Collective

   Input Parameter:
.  G - the operator

   Output Parameters:
+  r1 - for the columns of X
-  r2 - for the columns of Y

   Level: beginner

.seealso: MATGRAM, MatGramSetRidge()
@*/
PetscErrorCode MatGramGetRidge(Mat G, PetscReal *r1, PetscReal *r2)
{
  Mat_Gram *g = NULL;

  PetscFunctionBegin;
  PetscCall(GramGet(G, &g));
  if (r1) *r1 = g->ridge[0];
  if (r2) *r2 = g->ridge[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatGramSetCentering - Chooses whether the mean of each column is taken off.

   Logically Collective

   Input Parameters:
+  G      - the operator
-  center - PETSC_TRUE for covariances, PETSC_FALSE (the default) for second moments

   Level: beginner

   Note:
   The data are not changed: centering is a correction of rank one, and sparse data stay sparse.

.seealso: MATGRAM, MatGramGetCentering(), MatGramSetScaling(), MatGramGetMeans()
@*/
PetscErrorCode MatGramSetCentering(Mat G, PetscBool center)
{
  Mat_Gram *g = NULL;

  PetscFunctionBegin;
  PetscCall(GramGet(G, &g));
  PetscValidLogicalCollectiveBool(G, center, 2);
  g->center = center;
  PetscCall(PetscObjectStateIncrease((PetscObject)G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatGramGetCentering - Tells whether the mean of each column is taken off.

   Not Collective

   Input Parameter:
.  G - the operator

   Output Parameter:
.  center - whether it is

   Level: beginner

.seealso: MATGRAM, MatGramSetCentering()
@*/
PetscErrorCode MatGramGetCentering(Mat G, PetscBool *center)
{
  Mat_Gram *g = NULL;

  PetscFunctionBegin;
  PetscCall(GramGet(G, &g));
  *center = g->center;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatGramSetScaling - Chooses whether each column is divided by its standard deviation.

   Logically Collective

   Input Parameters:
+  G     - the operator
-  scale - whether it is, by default PETSC_FALSE

   Level: beginner

   Notes:
   Without centering, by its root mean square. Columns for which this is zero are zero. Deviations and mean
   squares are over n, not n-1. The ridges are added to the scaled matrix. The data are not changed.

.seealso: MATGRAM, MatGramSetViewScaling(), MatGramGetScaling(), MatGramSetCentering(), MatGramGetScales()
@*/
PetscErrorCode MatGramSetScaling(Mat G, PetscBool scale)
{
  Mat_Gram *g = NULL;

  PetscFunctionBegin;
  PetscCall(GramGet(G, &g));
  PetscValidLogicalCollectiveBool(G, scale, 2);
  g->scale[0] = g->scale[1] = scale;
  PetscCall(PetscObjectStateIncrease((PetscObject)G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatGramSetViewScaling - Chooses whether each column of one view is divided by its standard deviation.

   Logically Collective

   Input Parameters:
+  G     - the operator
.  view  - 0 for X, 1 for Y
-  scale - whether it is, by default PETSC_FALSE

   Level: advanced

   Note:
   This is MatGramSetScaling() for one view. Operators that are to be applied in one sweep must have the same scaling.

.seealso: MATGRAM, MatGramSetScaling(), MatGramGetScales()
@*/
PetscErrorCode MatGramSetViewScaling(Mat G, PetscInt view, PetscBool scale)
{
  Mat_Gram *g = NULL;
  GramView *v = NULL;

  PetscFunctionBegin;
  PetscCall(GramGetView(G, view, &g, &v));
  PetscValidLogicalCollectiveInt(G, view, 2);
  PetscValidLogicalCollectiveBool(G, scale, 3);
  g->scale[view] = scale;
  PetscCall(PetscObjectStateIncrease((PetscObject)G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatGramGetScaling - Tells whether each column, of one view at least, is divided by its standard deviation.

   Not Collective

   Input Parameter:
.  G - the operator

   Output Parameter:
.  scale - whether it is

   Level: beginner

.seealso: MATGRAM, MatGramSetScaling()
@*/
PetscErrorCode MatGramGetScaling(Mat G, PetscBool *scale)
{
  Mat_Gram *g = NULL;

  PetscFunctionBegin;
  PetscCall(GramGet(G, &g));
  *scale = (PetscBool)(g->scale[0] || (g->data && g->data->nviews > 1 && g->scale[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
   MatGramGetMeans - Copies the means of the columns of a view, which are taken off if the operator is centered.

   Collective

   Input Parameters:
+  G    - the operator
-  view - 0 for X, 1 for Y

   Output Parameter:
.  means - array of as many numbers as the view has columns, the same on every rank

   Level: advanced

.seealso: MATGRAM, MatGramSetCentering(), MatGramGetScales(), MatGramGetLocalRows()
@*/
PetscErrorCode MatGramGetMeans(Mat G, PetscInt view, PetscScalar means[])
{
  Mat_Gram *g = NULL;
  GramView *v = NULL;

  PetscFunctionBegin;
  PetscCall(GramGetView(G, view, &g, &v));
  PetscCall(GramDataSetUpStatistics(g->data));
  PetscCall(PetscArraycpy(means, g->data->mean + v->offset, v->d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
   MatGramGetScales - Copies the factors by which the columns of a view are multiplied if the operator is scaled.

   Collective

   Input Parameters:
+  G    - the operator
-  view - 0 for X, 1 for Y

   Output Parameter:
.  scales - array of as many numbers as the view has columns, the same on every rank

   Level: advanced

   Note:
   One over the standard deviation if the operator is centered, otherwise over the root mean square; where that is zero, 0 if
   the operator is centered (a constant column, of which rounding would be left) and 1 otherwise. If only the other view is
   scaled, see MatGramSetViewScaling(), all are 1.

.seealso: MATGRAM, MatGramSetScaling(), MatGramGetMeans(), MatGramGetLocalRows()
@*/
PetscErrorCode MatGramGetScales(Mat G, PetscInt view, PetscReal scales[])
{
  Mat_Gram *g = NULL;
  GramView *v = NULL;
  PetscBool other;

  PetscFunctionBegin;
  PetscCall(GramGetView(G, view, &g, &v));
  PetscCall(GramDataSetUpStatistics(g->data));
  other = (PetscBool)(g->data->nviews > 1 && g->scale[1 - view] && !g->scale[view]);
  for (PetscInt j = 0; j < v->d; j++) scales[j] = other ? 1.0 : GramScale(g->data, g->center, v->offset + j);
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
   if it is centered and the factors s of MatGramGetScales() if it is scaled. A dense view is copied, once, since
   matrices are stored by columns. Give the arrays back with MatGramRestoreLocalRows(), one view after the other or
   both, before the next product. A full round over the samples is booked by MatGramAddPasses().

.seealso: MATGRAM, MatGramRestoreLocalRows(), MatGramGetMeans(), MatGramGetScales(), MatGramAddPasses()
@*/
PetscErrorCode MatGramGetLocalRows(Mat G, PetscInt view, PetscInt *n, const PetscInt *ia[], const PetscInt *ja[], const PetscScalar *a[])
{
  Mat_Gram *g = NULL;
  GramView *v = NULL;

  PetscFunctionBegin;
  PetscCall(GramGetView(G, view, &g, &v));
  PetscCall(GramDataUpdate(g->data));
  *n  = g->data->n;
  *ia = *ja = NULL;
  if (v->sparse) {
    PetscInt  rows;
    PetscBool done;

    PetscCall(MatGetRowIJ(v->loc, 0, PETSC_FALSE, PETSC_FALSE, &rows, ia, ja, &done));
    PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "No access to the rows of a matrix of type %s", ((PetscObject)v->loc)->type_name);
    PetscCall(MatSeqAIJGetArrayRead(v->loc, a));
  } else {
    if (!v->rowmajor) {
      const PetscScalar *x;
      PetscInt           lda;

      PetscCall(PetscMalloc1(g->data->n * v->d, &v->rowmajor));
      PetscCall(MatDenseGetArrayRead(v->loc, &x));
      PetscCall(MatDenseGetLDA(v->loc, &lda));
      for (PetscInt i = 0; i < g->data->n; i++) {
        for (PetscInt j = 0; j < v->d; j++) v->rowmajor[i * v->d + j] = x[i + j * lda];
      }
      PetscCall(MatDenseRestoreArrayRead(v->loc, &x));
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
  if (v->sparse) {
    PetscInt  rows;
    PetscBool done;

    PetscCall(MatSeqAIJRestoreArrayRead(v->loc, a));
    PetscCall(MatRestoreRowIJ(v->loc, 0, PETSC_FALSE, PETSC_FALSE, &rows, ia, ja, &done));
  }
  *n  = 0;
  *ia = *ja = NULL;
  *a        = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatGramGetPasses - Gets how often products with this operator have read the data.

   Not Collective

   Input Parameter:
.  G - the operator

   Output Parameter:
.  passes - number of passes, and what MatGramAddPasses() has added

   Level: intermediate

   Notes:
   A product is one pass over X and Y together, whatever the number of columns it is applied to; this is what the
   literature on stochastic solvers counts. See MatGramGetColumnPasses() for the same weighted by columns. A pass that
   serves A and B of a pair together is booked with A alone.

.seealso: MATGRAM, MatGramAddPasses(), MatGramGetColumnPasses()
@*/
PetscErrorCode MatGramGetPasses(Mat G, PetscReal *passes)
{
  Mat_Gram *g = NULL;

  PetscFunctionBegin;
  PetscCall(GramGet(G, &g));
  *passes = g->passes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatGramGetColumnPasses - Gets the sum, over all passes that products have made, of the columns multiplied.

   Not Collective

   Input Parameter:
.  G - the operator

   Output Parameter:
.  columns - passes times columns

   Level: intermediate

.seealso: MATGRAM, MatGramGetPasses()
@*/
PetscErrorCode MatGramGetColumnPasses(Mat G, PetscReal *columns)
{
  Mat_Gram *g = NULL;

  PetscFunctionBegin;
  PetscCall(GramGet(G, &g));
  *columns = g->columns;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatGramAddPasses - Books passes over the data that were not products, such as n steps with one sample each.

   Logically Collective

   Input Parameters:
+  G       - the operator
.  passes  - how many, need not be whole
-  columns - number of columns they have worked on

   Level: advanced

.seealso: MATGRAM, MatGramGetPasses(), MatGramGetLocalRows()
@*/
PetscErrorCode MatGramAddPasses(Mat G, PetscReal passes, PetscInt columns)
{
  Mat_Gram *g = NULL;

  PetscFunctionBegin;
  PetscCall(GramGet(G, &g));
  g->passes += passes;
  g->columns += passes * (PetscReal)columns;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatCreateCCAPair - Creates the pair (A,B) whose eigenvalues are plus and minus the canonical correlations of two views.

   Collective

   Input Parameters:
+  X      - the first view, one row for each sample
.  Y      - the second view, with the same distribution of rows
.  ridge1 - added to the diagonal of X'X/n
.  ridge2 - added to the diagonal of Y'Y/n
-  center - whether the mean of each column is taken off

   Output Parameters:
+  A - [0 X'Y/n; Y'X/n 0]
-  B - diag(X'X/n + ridge1 I, Y'Y/n + ridge2 I)

   Level: beginner

   Notes:
   A and B are of type MATGRAM and share the data. An eigenvector [u;v] of a positive eigenvalue holds a pair of
   directions: u in rows 0..d1-1, v in the others. B is positive definite if both ridges are positive, or else if the
   columns of both views are linearly independent.

.seealso: MATGRAM, MatCreateGram()
@*/
PetscErrorCode MatCreateCCAPair(Mat X, Mat Y, PetscReal ridge1, PetscReal ridge2, PetscBool center, Mat *A, Mat *B)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(X, MAT_CLASSID, 1);
  PetscValidHeaderSpecific(Y, MAT_CLASSID, 2);
  PetscValidLogicalCollectiveReal(X, ridge1, 3);
  PetscValidLogicalCollectiveReal(X, ridge2, 4);
  PetscValidLogicalCollectiveBool(X, center, 5);
  PetscAssertPointer(A, 6);
  PetscAssertPointer(B, 7);
  PetscCheck(ridge1 >= 0.0 && ridge2 >= 0.0, PetscObjectComm((PetscObject)X), PETSC_ERR_ARG_OUTOFRANGE, "The ridges must not be negative, they are %g and %g", (double)ridge1, (double)ridge2);
  PetscCall(MatCreateGram(X, Y, B));
  PetscCall(MatGramSetCentering(*B, center));
  PetscCall(MatDuplicate(*B, MAT_SHARE_NONZERO_PATTERN, A));
  PetscCall(MatGramSetCoupling(*A, 0.0, 1.0, 0.0));
  PetscCall(MatGramSetRidge(*B, ridge1, ridge2));
  PetscFunctionReturn(PETSC_SUCCESS);
}
