/* SPDX-License-Identifier: BSD-2-Clause */
/*
   MATGRAM as a dense matrix, for the direct solution of problems with few columns and for tests.

   Panels of columns J are formed one after the other, only in their rows from the first column of J downwards; the rest
   follows by symmetry. Each rank sums over its samples,

     P(l,j) = sum_i conj(x_il) x_ij,   j in J,

   into an array by rows, so that a reduce-scatter leaves each rank with its rows of it. Sparse views add up the outer
   products of their rows, and centring is a correction afterwards; as soon as a dense view is involved chunks of
   samples are written out, centred and scaled beforehand, and BLAS multiplies them.
*/
#include <slepcnapi/private/gramimpl.h>
#include <petscblaslapack.h>

#define GRAM_DENSE_CHUNK 512               /* samples that are written out together: they stay in the cache while they are multiplied */
#define GRAM_DENSE_ASK   64                /* samples whose outer products are added up between two questions */
#define GRAM_DENSE_PANEL (8 * 1024 * 1024) /* scalars of a panel: memory, against how often the samples are written out */

/* The number of a view */
static PetscInt GramWhich(const Mat_Gram *g, const GramView *v)
{
  return (PetscInt)(v - g->data->view);
}

/* Are samples of a dense view used as they are stored? */
static PetscBool GramAsStored(const Mat_Gram *g, const GramView *v)
{
  return (PetscBool)(!v->sparse && !g->center && !GramHasFactors(g, GramWhich(g, v)) && !g->data->weights->local);
}

/*
   Are outer products of rows added up, and the means taken off afterwards? This loses twice the digits of mean/deviation.
   Where the columns are scaled, and with that small deviations count as much as large ones, it must not be too many.
*/
static PetscBool GramByOuterProducts(const Mat_Gram *g, const GramView *a, const GramView *b)
{
  const GramView *views[2] = {a, b};

  if (!a->sparse || !b->sparse) return PETSC_FALSE;
  if (!g->center) return PETSC_TRUE;
  for (int i = 0; i < 2; i++) {
    const PetscInt offset = views[i]->offset;

    if (!g->scale[GramWhich(g, views[i])]) continue;
    for (PetscInt j = offset; j < offset + views[i]->d; j++)
      if (PetscAbsScalar(g->data->mean[j]) * GramScale(g->data, PETSC_TRUE, j) > 100.0) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/*
   n local samples of a view, by columns, centred and scaled as the operator wants them, and times the roots of their weights; room is where
   they are written out. Those without weight are left out: kept is how many there are.
*/
static PetscErrorCode GramExpand(const Mat_Gram *g, const GramView *v, PetscInt first, PetscInt n, PetscScalar *room, const PetscScalar **x, PetscInt *ld, PetscInt *kept)
{
  const GramData  *data   = g->data;
  const PetscReal *weight = data->weights->local;

  PetscFunctionBegin;
  *kept = n;
  if (GramAsStored(g, v)) {
    *x  = v->a + first;
    *ld = v->lda;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  *x  = room;
  *ld = n;
  if (v->sparse) {
    PetscCall(PetscArrayzero(room, n * v->d));
    for (PetscInt i = 0; i < n; i++) {
      for (PetscInt j = v->ia[first + i]; j < v->ia[first + i + 1]; j++) room[i + v->ja[j] * n] += v->a[j];
    }
  } else {
    for (PetscInt j = 0; j < v->d; j++) PetscCall(PetscArraycpy(room + j * n, v->a + first + j * v->lda, n));
  }
  if (g->center || GramHasFactors(g, GramWhich(g, v))) {
    for (PetscInt j = 0; j < v->d; j++) {
      const PetscScalar m = g->center ? data->mean[v->offset + j] : 0.0;
      const PetscReal   s = GramFactor(g, GramWhich(g, v), v->offset + j);

      for (PetscInt i = 0; i < n; i++) room[i + j * n] = s * (room[i + j * n] - m);
    }
  }
  if (weight) {
    PetscReal *root;

    PetscCall(PetscMalloc1(n, &root));
    for (PetscInt i = 0; i < n; i++) root[i] = PetscSqrtReal(weight[first + i]);
    for (PetscInt j = 0; j < v->d; j++) {
      *kept = 0;
      for (PetscInt i = 0; i < n; i++)
        if (root[i] > 0.0) room[(*kept)++ + j * n] = root[i] * room[i + j * n];
    }
    PetscCall(PetscFree(root));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Before the next samples: is the matrix still wanted? */
static PetscErrorCode GramAsk(Mat_Gram *g)
{
  PetscFunctionBegin;
  if (g->ask && !g->gaveup) PetscCall((*g->ask)(g->askctx, &g->gaveup));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What one rank has been told, all know */
static PetscErrorCode GramAgree(Mat_Gram *g)
{
  PetscMPIInt any = g->gaveup ? 1 : 0;

  PetscFunctionBegin;
  if (!g->ask || g->data->size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, g->data->comm));
  g->gaveup = any ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Adds the local samples' X_a(:,rows)' X_b(:,J) to P, with rows first..d_a-1 of view a and J of w columns from j0 of
   view b. Products by BLAS leave the conjugate.
*/
static PetscErrorCode GramPanel(Mat_Gram *g, const GramView *a, PetscInt first, const GramView *b, PetscInt j0, PetscInt w, PetscScalar *P)
{
  const PetscInt   n      = g->data->n;
  const PetscReal *weight = g->data->weights->local;

  PetscFunctionBegin;
  if (GramByOuterProducts(g, a, b)) {
    PetscReal *s, *t; /* what the columns are multiplied by: before, since the products may be too large or too small */

    PetscCall(PetscMalloc2(a->d, &s, w, &t));
    for (PetscInt j = 0; j < a->d; j++) s[j] = GramFactor(g, GramWhich(g, a), a->offset + j);
    for (PetscInt j = 0; j < w; j++) t[j] = GramFactor(g, GramWhich(g, b), b->offset + j0 + j);
    for (PetscInt i = 0; i < n; i++) {
      const PetscReal wi = weight ? weight[i] : 1.0;

      if (i % GRAM_DENSE_ASK == 0) PetscCall(GramAsk(g));
      if (g->gaveup) break;
      if (wi == 0.0) continue;
      for (PetscInt j = b->ia[i]; j < b->ia[i + 1]; j++) {
        const PetscInt col = b->ja[j] - j0;

        if (col < 0 || col >= w) continue;
        for (PetscInt l = a->ia[i]; l < a->ia[i + 1]; l++) {
          if (a->ja[l] >= first) P[(a->ja[l] - first) * w + col] += PetscConj(s[a->ja[l]] * a->a[l]) * (wi * t[col] * b->a[j]);
        }
      }
    }
    PetscCall(PetscFree2(s, t));
  } else if (a->d > first && n) {
    const PetscInt     chunk = GramAsStored(g, a) && GramAsStored(g, b) && !g->ask ? n : GRAM_DENSE_CHUNK;
    const PetscInt     top   = a == b && !PetscDefined(USE_COMPLEX) ? w : 0; /* rows of P of which one triangle is enough */
    PetscScalar       *xa, *xb, one = 1.0;
    const PetscScalar *ea, *eb;
    PetscInt           lda, ldb;
    PetscBLASInt       bw, bm, ld;

    PetscCall(PetscMalloc2(GramAsStored(g, a) ? 0 : chunk * a->d, &xa, (a == b || GramAsStored(g, b)) ? 0 : chunk * b->d, &xb));
    for (PetscInt i = 0; i < n; i += chunk) {
      PetscInt m = PetscMin(chunk, n - i), kept;

      PetscCall(GramAsk(g));
      if (g->gaveup) break;
      PetscCall(GramExpand(g, a, i, m, xa, &ea, &lda, &kept));
      eb  = ea;
      ldb = lda;
      if (a != b) PetscCall(GramExpand(g, b, i, m, xb, &eb, &ldb, &kept));
      m = kept;
      if (top) {
        PetscCall(PetscBLASIntCast(w, &bw));
        PetscCall(PetscBLASIntCast(m, &bm));
        PetscCall(PetscBLASIntCast(lda, &ld));
        PetscCallBLAS("BLASsyrk", BLASsyrk_("L", "T", &bw, &bm, &one, ea + first * lda, &ld, &one, P, &bw));
        PetscCall(PetscLogFlops(1.0 * m * w * w));
      }
      PetscCall(NAPIGemm("C", "N", w, a->d - first - top, m, 1.0, eb + j0 * ldb, ldb, ea + (first + top) * lda, lda, 1.0, P + top * w, w)); /* conj(P)' */
    }
    for (PetscInt j = 0; j < top; j++) {
      for (PetscInt i = j + 1; i < top; i++) P[j + i * w] = P[i + j * w];
    }
    PetscCall(PetscFree2(xa, xb));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sums P (rows j0.. of the operator, w columns) over the ranks; the own rows are left at its beginning */
static PetscErrorCode GramReducePanel(const GramData *data, PetscInt j0, PetscInt w, PetscScalar *P)
{
  PetscMPIInt *counts, *displs;
  PetscScalar *mine;
  PetscInt     n = PetscMax(0, data->map->rend - PetscMax(data->map->rstart, j0));

  PetscFunctionBegin;
  if (data->size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(NAPILayoutCounts(data->map, j0, data->D, w, &counts, &displs));
  PetscCall(PetscMalloc1(n * w, &mine));
  PetscCallMPI(MPI_Reduce_scatter(P, mine, counts, MPIU_SCALAR, MPIU_SUM, data->comm));
  PetscCall(PetscArraycpy(P, mine, n * w));
  PetscCall(PetscFree(mine));
  PetscCall(PetscFree2(counts, displs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What lies above the panels, from what lies below: begins[j] is the first column of column j's panel */
static PetscErrorCode GramMirror(const GramData *data, const PetscInt *begins, Mat C)
{
  Mat                Ct = NULL;
  PetscScalar       *c;
  const PetscScalar *ct;
  PetscInt           ldc, ldct, rstart = data->map->rstart, rend = data->map->rend;

  PetscFunctionBegin;
  if (data->size > 1) {
    PetscCall(MatHermitianTranspose(C, MAT_INITIAL_MATRIX, &Ct));
    PetscCall(MatDenseGetArrayRead(Ct, &ct));
    PetscCall(MatDenseGetLDA(Ct, &ldct));
  }
  PetscCall(MatDenseGetArray(C, &c));
  PetscCall(MatDenseGetLDA(C, &ldc));
  for (PetscInt j = 0; j < data->D; j++) {
    for (PetscInt i = rstart; i < PetscMin(rend, begins[j]); i++) c[i - rstart + j * ldc] = Ct ? ct[i - rstart + j * ldct] : PetscConj(c[j + i * ldc]);
  }
  PetscCall(MatDenseRestoreArray(C, &c));
  if (Ct) {
    PetscCall(MatDenseRestoreArrayRead(Ct, &ct));
    PetscCall(MatDestroy(&Ct));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatConvert_Gram_Dense(Mat G, PETSC_UNUSED MatType type, MatReuse reuse, Mat *newmat)
{
  Mat_Gram    *g    = (Mat_Gram *)G->data;
  GramData    *data = g->data;
  PetscReal    rn   = GramShare(data);
  PetscInt    *begins, width, rstart = data->map->rstart, rend = data->map->rend, ldc;
  PetscScalar *P, *c;
  Mat          C;

  PetscFunctionBegin;
  PetscCall(GramUpdate(g));
  if (reuse == MAT_REUSE_MATRIX) C = *newmat;
  else PetscCall(MatCreateDense(PetscObjectComm((PetscObject)G), data->map->n, data->map->n, data->D, data->D, NULL, &C));
  PetscCall(MatZeroEntries(C));
  width = PetscMax(1, PetscMin(data->D, GRAM_DENSE_PANEL / PetscMax(1, data->D)));
  PetscCall(PetscMalloc2(data->D, &begins, data->D * width, &P));
  PetscCall(MatDenseGetArray(C, &c));
  PetscCall(MatDenseGetLDA(C, &ldc));
  PetscCall(GramDataGetRows(data));
  for (PetscInt v = 0; v < data->nviews && !g->gaveup; v++) {
    const GramView *b        = &data->view[v];
    PetscBool       outer[2] = {PETSC_FALSE, PETSC_FALSE};

    for (PetscInt u = v; u < data->nviews; u++) outer[u] = GramByOuterProducts(g, &data->view[u], b);
    for (PetscInt j0 = 0, w; j0 < b->d && !g->gaveup; j0 += w) {
      const PetscInt begin = b->offset + j0; /* first row and column of the panel */

      w = PetscMin(width, b->d - j0);
      for (PetscInt j = 0; j < w; j++) begins[begin + j] = begin;
      PetscCall(PetscArrayzero(P, (data->D - begin) * w));
      for (PetscInt u = v; u < data->nviews; u++) {
        const GramView *a     = &data->view[u];
        const PetscInt  first = u == v ? j0 : 0;

        if (g->s[u][v] != 0.0) PetscCall(GramPanel(g, a, first, b, j0, w, P + (a->offset + first - begin) * w));
      }
      PetscCall(GramAgree(g));
      if (g->gaveup) continue;
      PetscCall(GramReducePanel(data, begin, w, P));
      for (PetscInt i = PetscMax(rstart, begin); i < rend; i++) {
        const PetscScalar *p = P + (i - PetscMax(rstart, begin)) * w;
        const PetscInt     u = i < data->view[0].d ? 0 : 1;
        const PetscReal    s = GramFactor(g, u, i);

        if (g->s[u][v] != 0.0) {
          for (PetscInt j = 0; j < w; j++) {
            PetscScalar x = rn * p[j];

            if (outer[u]) {
              if (g->center) x -= PetscConj(s * data->mean[i]) * (GramFactor(g, v, begin + j) * data->mean[begin + j]);
              if (g->center && (data->var[i] == 0.0 || data->var[begin + j] == 0.0)) x = 0.0; /* and not what rounding leaves */
            } else x = PetscConj(x);
            c[i - rstart + (begin + j) * ldc] = g->s[u][v] * x;
          }
        }
        if (i - begin < w) c[i - rstart + i * ldc] += g->ridge[u];
      }
    }
  }
  PetscCall(GramDataRestoreRows(data));
  PetscCall(MatDenseRestoreArray(C, &c));
  PetscCall(MatAssemblyBegin(C, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(C, MAT_FINAL_ASSEMBLY));
  if (!g->gaveup) PetscCall(GramMirror(data, begins, C));
  PetscCall(PetscFree2(begins, P));
  g->passes += 1.0;
  g->columns += (PetscReal)data->D;
  PetscCall(MatSetOption(C, MAT_HERMITIAN, PETSC_TRUE));
  if (!PetscDefined(USE_COMPLEX)) PetscCall(MatSetOption(C, MAT_SYMMETRIC, PETSC_TRUE));
  if (reuse == MAT_INPLACE_MATRIX) PetscCall(MatHeaderReplace(G, &C));
  else *newmat = C;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   MatGramConvert_Private - The dense matrix, or NULL on all ranks if a function of one of them has said meanwhile that it is no longer wanted. It is
   asked between two parts of the samples, and not equally often on all ranks.
*/
PetscErrorCode MatGramConvert_Private(Mat G, PetscErrorCode (*ask)(void *, PetscBool *), void *ctx, Mat *C)
{
  Mat_Gram *g;

  PetscFunctionBegin;
  PetscCall(GramGet(G, &g));
  g->ask    = ask;
  g->askctx = ctx;
  g->gaveup = PETSC_FALSE;
  PetscCall(MatConvert(G, MATDENSE, MAT_INITIAL_MATRIX, C));
  g->ask = NULL;
  if (g->gaveup) PetscCall(MatDestroy(C));
  g->gaveup = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
