/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The product of MATGRAM with a block. With means m and scales s (both optional) sample i enters as the row
   (x_i - m)' diag(s), hence

     pack       in    = diag(s) W, by rows; t0 = -m'in                 each rank its rows
     sweep      for chunks of local samples:
                  t_i = t0 + x_i' in                                   both views
                  c_i = w_i S t_i,  o = o + c_i                        mixes the views
                  out = out + x_i c_i'                                 while x_i is in cache
     unpack     Z = diag(s)(out - conj(m) o)/n + ridge W               each rank its rows, summed over ranks; n is sum w_i

   o would be zero in exact arithmetic; left in, a mean that is wrong by rounding costs a relative error of
   eps |m|/sd instead of eps (|m|/sd)^2. Blocks wider than a cache line are cut: all of in and out that is touched
   again soon should stay in cache, and a cache line is what one access to memory brings anyway.
   X' is the conjugate transpose; S is real, so that G is Hermitian.
*/
#include <slepcnapi/private/gramimpl.h>

/* Whether a transpose takes conjugates: G^T = conj(G) */
#define GRAM_CONJUGATE ((PetscBool)PetscDefined(USE_COMPLEX))

/* A block that enters or leaves a product: the local rows of each of its segments, stored by columns */
typedef struct {
  PetscScalar *a[2];
  PetscInt     ld[2];
} GramBlock;

/*
   GramSharesSweep - Whether one sweep can serve two matrices: same data, same rows.
*/
PetscBool GramSharesSweep(const Mat_Gram *a, const Mat_Gram *b)
{
  PetscBool same = (PetscBool)(a->data == b->data && a->center == b->center);

  for (PetscInt v = 0; v < a->data->nviews; v++)
    if (a->scale[v] != b->scale[v] || a->factor[v] != b->factor[v]) same = PETSC_FALSE;
  return same;
}

/* How many of p columns go together. Padding 5..7 to 8 costs less than a second sweep. */
static PetscInt GramWidth(const GramData *data, PetscInt p)
{
  if (!data->view[0].sparse && !data->view[data->nviews - 1].sparse) return PetscMin(p, 4 * GRAM_MAXWIDTH); /* BLAS does its own blocking */
  if (p > 4) return GRAM_MAXWIDTH;
  return p == 3 ? 4 : p;
}

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

        for (PetscInt j = 0; j < k; j++) in[j] = scale * (conjugate ? PetscConj(col[j * ldw]) : col[j * ldw]);
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
  GramData        *data      = g[0]->data;
  const PetscReal *weight    = data->weights->local;
  PetscBool        active[2] = {PETSC_FALSE, PETSC_FALSE};
  PetscBool        plain     = (PetscBool)(nops == 1 && !g[0]->center && !weight && !PetscDefined(USE_COMPLEX)); /* nothing to sum up, and GramScatter() leaves t as it is */

  PetscFunctionBegin;
  for (PetscInt o = 0; o < nops; o++) {
    for (PetscInt v = 0; v < data->nviews; v++)
      if (g[o]->s[v][0] != 0.0 || (data->nviews > 1 && g[o]->s[v][1] != 0.0)) active[v] = PETSC_TRUE;
  }
  PetscCall(GramDataGetRows(data));
  for (PetscInt first = 0; first < data->n; first += GRAM_CHUNK) {
    PetscInt n = PetscMin(GRAM_CHUNK, data->n - first);

    for (PetscInt v = 0; v < data->nviews; v++) {
      if (active[v]) PetscCall(GramGather(&data->view[v], first, n, width, data->in + data->view[v].offset * width, t0 + v * width, data->t[v]));
    }
    for (PetscInt v = 0; v < data->nviews; v++) {
      PetscScalar *c   = data->c;
      PetscScalar *out = data->out + data->view[v].offset * width * nops;

      if (!active[v]) continue;
      /* A and B of CCA: c_i is t_i of one view */
      if (plain && g[0]->s[v][v] == 1.0 && (data->nviews == 1 || g[0]->s[v][1 - v] == 0.0)) c = data->t[v];
      else if (plain && g[0]->s[v][v] == 0.0 && g[0]->s[v][1 - v] == 1.0) c = data->t[1 - v];
      else {
        for (PetscInt o = 0; o < nops; o++) {
          const PetscReal    s1 = g[o]->s[v][0], s2 = data->nviews > 1 ? g[o]->s[v][1] : 0.0;
          const PetscScalar *tx = data->t[0], *ty = data->t[1];
          PetscScalar       *sum = sums + (2 * o + v) * width;

          for (PetscInt i = 0; i < n; i++) {
            const PetscReal w = weight ? weight[first + i] : 1.0, a = w * s1, b = w * s2;
            PetscScalar    *ci = c + (i * nops + o) * width;

            if (s2 == 0.0)
              for (PetscInt j = 0; j < width; j++) ci[j] = a * tx[i * width + j];
            else if (s1 == 0.0)
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
  PetscReal rn   = GramShare(data);
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
        for (PetscInt j = 0; j < k; j++) zi[j * ldz] = (add ? zi[j * ldz] : 0.0) + (scale * out[j] + ridge * wi[j * ldw]);
        for (PetscInt j = 0; j < width; j++) out[j] = 0.0;
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Z_o = G_o W for p columns and one or two operators that share a sweep. With conjugate the operators are conjugated,
   which makes transposes: G^T W = conj(G conj(W)).
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
  PetscCall(GramUpdate(g[0]));
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

/* z = y + G x, or z = G x where y is NULL */
static PetscErrorCode GramApplyVec(Mat G, Vec x, PetscBool conjugate, Vec y, Vec z)
{
  GramBlock          W, Z;
  const PetscScalar *w;

  PetscFunctionBegin;
  W.ld[0] = Z.ld[0] = G->rmap->n;
  if (y && y != z) PetscCall(VecCopy(y, z));
  PetscCall(VecGetArrayRead(x, &w));
  W.a[0] = (PetscScalar *)w;
  if (y) PetscCall(VecGetArray(z, &Z.a[0]));
  else PetscCall(VecGetArrayWrite(z, &Z.a[0]));
  PetscCall(GramApply(1, &G, &((Mat_Gram *)G->data)->data->whole, 1, &W, conjugate, y ? PETSC_TRUE : PETSC_FALSE, &Z));
  if (y) PetscCall(VecRestoreArray(z, &Z.a[0]));
  else PetscCall(VecRestoreArrayWrite(z, &Z.a[0]));
  PetscCall(VecRestoreArrayRead(x, &w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMult_Gram(Mat G, Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(GramApplyVec(G, x, PETSC_FALSE, NULL, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMultTranspose_Gram(Mat G, Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(GramApplyVec(G, x, GRAM_CONJUGATE, NULL, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMultAdd_Gram(Mat G, Vec x, Vec y, Vec z)
{
  PetscFunctionBegin;
  PetscCall(GramApplyVec(G, x, PETSC_FALSE, y, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMultTransposeAdd_Gram(Mat G, Vec x, Vec y, Vec z)
{
  PetscFunctionBegin;
  PetscCall(GramApplyVec(G, x, GRAM_CONJUGATE, y, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Z_o = G_o W, where W and Z_o consist of a dense matrix for each segment: W[s], Z[o*segments->n+s] */
static PetscErrorCode GramApplyDense(PetscInt nops, const Mat G[], const GramSegments *segments, const Mat W[], PetscBool conjugate, const Mat Z[])
{
  const PetscScalar *w[2] = {NULL, NULL};
  GramBlock          in, out[GRAM_MAXOUT];
  PetscInt           p, ns = segments->n;

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
  PetscBool conjugate = C->product->type == MATPRODUCT_AtB ? GRAM_CONJUGATE : PETSC_FALSE;

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

PetscErrorCode MatProductSetFromOptions_Gram_Dense(Mat C)
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
PetscErrorCode MatPairMult_Gram(Mat A, Mat B, Mat D, Mat AD, Mat BD, PetscReal *saved)
{
  PetscBool gram, mine[2];
  Mat       G[2] = {A, B}, Z[2] = {AD, BD};

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)B, MATGRAM, &gram));
  if (gram) gram = GramSharesSweep((Mat_Gram *)A->data, (Mat_Gram *)B->data);
  if (saved) *saved = gram ? GRAM_SAVED * (PetscReal)D->cmap->N : 0.0;
  for (PetscInt o = 0; o < 2; o++) {
    if (!gram) PetscCall(MatMatMult(G[o], D, MAT_REUSE_MATRIX, PETSC_DEFAULT, &Z[o]));
    else { /* those who count look at the factors of the product */ mine[o] = Z[o]->product ? PETSC_FALSE : PETSC_TRUE;
      if (mine[o]) {
        PetscCall(MatAssemblyBegin(Z[o], MAT_FINAL_ASSEMBLY));
        PetscCall(MatAssemblyEnd(Z[o], MAT_FINAL_ASSEMBLY));
        PetscCall(MatProductCreateWithMat(G[o], D, NULL, Z[o]));
      }
      PetscCall(PetscLogEventBegin(MAT_MatMultNumeric, Z[o], 0, 0, 0));
    }
  }
  if (!gram) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(GramApplyDense(2, G, &((Mat_Gram *)A->data)->data->whole, &D, PETSC_FALSE, Z));
  for (PetscInt o = 1; o >= 0; o--) {
    PetscCall(PetscLogEventEnd(MAT_MatMultNumeric, Z[o], 0, 0, 0));
    if (mine[o]) PetscCall(MatProductClear(Z[o]));
  }
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
