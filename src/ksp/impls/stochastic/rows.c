/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The samples of a MATGRAM

     A = (1/n) sum_i F_i' S F_i + ridge,   F_i = diag(x_i', y_i'),

   as rows: their norms, centring and scaling.

   Centring. Sample i is x_i - m. Dense views are copied with m taken off. For sparse ones an iterate is kept as
   w + conj(m) e with a number e, and m^T w along with it: with mu_i = x_i^T conj(m), computed once,

     (x_i - m)^T (w + conj(m) e) = x_i^T w - m^T w + (mu_i - m'm) e
     w += conj(x_i - m) f:   w += conj(x_i) f,  m^T w += conj(mu_i) f,  e -= f

   so that a step costs the nonzeros of x_i.
*/
#include <petsc/private/kspimpl.h>
#include "rows.h"
#include <slepcnapi/private/gramimpl.h>

PetscErrorCode RowsReset(Rows *rows)
{
  PetscFunctionBegin;
  for (PetscInt v = 0; v < 2; v++) {
    PetscCall(PetscFree(rows->view[v].own));
    PetscCall(PetscFree(rows->view[v].mean));
    PetscCall(PetscFree(rows->view[v].mu));
    PetscCall(PetscFree(rows->view[v].norm2));
  }
  PetscCall(PetscFree(rows->L));
  PetscCall(PetscArrayzero(rows->state, 3));
  rows->G = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The samples, until RowsRestore(); there must be no product in between */
PetscErrorCode RowsGet(Rows *rows)
{
  PetscInt n;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < rows->nv; v++) {
    RowsView *x = &rows->view[v];

    PetscCall(MatGramGetLocalRows(rows->G, v, &n, &x->ia, &x->ja, &x->given));
    x->a = x->own ? x->own : x->given;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RowsRestore(Rows *rows)
{
  PetscInt n;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < rows->nv; v++) {
    RowsView *x = &rows->view[v];

    PetscCall(MatGramRestoreLocalRows(rows->G, v, &n, &x->ia, &x->ja, &x->given));
    x->a = NULL;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the steps need to know of one view: centred and scaled values, norms, and where centring is implicit mu_i and m'm */
static PetscErrorCode RowsSetUpView(Rows *rows, PetscInt v, PetscBool center, PetscBool scale)
{
  RowsView          *x = &rows->view[v];
  PetscInt           n, nz;
  const PetscInt    *ia, *ja;
  const PetscScalar *a, *value;
  PetscScalar       *mean   = NULL;
  PetscReal         *factor = NULL;

  PetscFunctionBegin;
  if (center) {
    PetscCall(PetscMalloc1(x->d, &mean));
    PetscCall(MatGramGetMeans(rows->G, v, mean));
  }
  if (scale) {
    PetscCall(PetscMalloc1(x->d, &factor));
    PetscCall(MatGramGetFactors_Private(rows->G, v, factor));
  }
  PetscCall(MatGramGetLocalRows(rows->G, v, &n, &ia, &ja, &a));
  rows->n  = n;
  x->dense = ia ? PETSC_FALSE : PETSC_TRUE;
  nz       = ia ? ia[n] : n * x->d;
  if (scale || (center && x->dense)) {
    PetscCall(PetscMalloc1(nz, &x->own));
    for (PetscInt l = 0; l < nz; l++) {
      const PetscInt j = x->dense ? l % x->d : ja[l];

      x->own[l] = (a[l] - (center && x->dense ? mean[j] : 0.0)) * (scale ? factor[j] : 1.0);
    }
  }
  value = x->own ? x->own : a;
  PetscCall(PetscMalloc1(n, &x->norm2));
  x->mm = 0.0;
  if (center && !x->dense) {
    for (PetscInt j = 0; j < x->d; j++) {
      if (scale) mean[j] *= factor[j];
      x->mm += PetscRealPart(mean[j] * PetscConj(mean[j]));
    }
    PetscCall(PetscCalloc1(n, &x->mu));
    for (PetscInt i = 0; i < n; i++)
      for (PetscInt l = ia[i]; l < ia[i + 1]; l++) x->mu[i] += value[l] * PetscConj(mean[ja[l]]);
    x->mean = mean;
    mean    = NULL;
  }
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt first = ia ? ia[i] : i * x->d, last = ia ? ia[i + 1] : first + x->d;
    PetscReal      sum = 0.0;

    for (PetscInt l = first; l < last; l++) sum += PetscRealPart(value[l] * PetscConj(value[l]));
    x->norm2[i] = x->mean ? PetscMax(0.0, sum - 2.0 * PetscRealPart(x->mu[i]) + x->mm) : sum;
  }
  PetscCall(MatGramRestoreLocalRows(rows->G, v, &n, &ia, &ja, &a));
  PetscCall(PetscFree(mean));
  PetscCall(PetscFree(factor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Looks at the operator, unless it is the one of the last solve; changed says which */
PetscErrorCode RowsSetUp(KSP ksp, Mat G, Rows *rows, PetscBool *changed)
{
  Mat              X[2];
  PetscObjectId    id;
  PetscObjectState state[3] = {0, 0, 0};
  PetscReal        sum[2];
  PetscBool        isgram, center, scale;
  Vec              weights = NULL;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)G, MATGRAM, &isgram));
  PetscCheck(isgram, PetscObjectComm((PetscObject)ksp), PETSC_ERR_SUP, "KSP type %s goes from sample to sample: its operator must be of type %s (MatCreateGram()), not %s. Any positive definite operator will do for KSP types %s and %s",
             ((PetscObject)ksp)->type_name, MATGRAM, ((PetscObject)G)->type_name ? ((PetscObject)G)->type_name : "unknown", KSPNESTEROV, KSPBLOCKCG);
  PetscCall(MatGramGetViews(G, &X[0], &X[1]));
  PetscCheck(X[0], PetscObjectComm((PetscObject)ksp), PETSC_ERR_ORDER, "The operator has no data yet: call MatGramSetViews()");
  PetscCall(MatGramGetWeights(G, &weights));
  PetscCheck(!weights, PetscObjectComm((PetscObject)ksp), PETSC_ERR_SUP, "KSP type %s draws samples and knows no weights of theirs: use KSP type %s, or %s", ((PetscObject)ksp)->type_name, KSPBLOCKCG, KSPNESTEROV);
  PetscCall(PetscObjectGetId((PetscObject)G, &id));
  PetscCall(PetscObjectStateGet((PetscObject)G, &state[0]));
  for (int v = 0; v < 2; v++)
    if (X[v]) PetscCall(PetscObjectStateGet((PetscObject)X[v], &state[1 + v]));
  *changed = (PetscBool)(G != rows->G || id != rows->id || state[0] != rows->state[0] || state[1] != rows->state[1] || state[2] != rows->state[2]);
  if (!*changed) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RowsReset(rows));
  rows->G  = G;
  rows->id = id;
  rows->nv = X[1] ? 2 : 1;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)G), &rows->size));
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)G), &rows->rank));
  PetscCall(MatGramGetCoupling(G, &rows->S[0][0], &rows->S[0][1], &rows->S[1][1]));
  PetscCall(MatGramGetRidge(G, &rows->view[0].ridge, &rows->view[1].ridge));
  PetscCall(MatGramGetCentering(G, &center));
  rows->S[1][0] = rows->S[0][1];
  PetscCall(MatGramIsCouplingSemidefinite_Private(G, &rows->psd));
  if (rows->nv == 1) rows->view[1].ridge = rows->view[0].ridge;
  rows->ridgemax = PetscMax(PetscAbsReal(rows->view[0].ridge), PetscAbsReal(rows->view[1].ridge));
  rows->ridgemin = PetscMin(rows->view[0].ridge, rows->view[1].ridge);
  rows->D        = 0;
  PetscCall(MatGetSize(X[0], &rows->N, NULL));
  PetscCheck(rows->N > 0, PetscObjectComm((PetscObject)ksp), PETSC_ERR_ARG_SIZ, "There are no samples: the views of the operator have no rows");
  for (PetscInt v = 0; v < rows->nv; v++) {
    PetscCall(MatGetSize(X[v], NULL, &rows->view[v].d));
    rows->view[v].off = rows->D;
    rows->D += rows->view[v].d;
    scale = GramHasFactors((Mat_Gram *)G->data, v);
    PetscCall(RowsSetUpView(rows, v, center, scale));
  }
  PetscCall(PetscMalloc1(rows->n, &rows->L));
  sum[0] = 0.0;
  for (PetscInt i = 0; i < rows->n; i++) { /* spectral norm of [s11 a^2, s12 ab; s12 ab, s22 b^2], a = ||x_i||, b = ||y_i|| */
    PetscReal a = rows->view[0].norm2[i], b = rows->nv > 1 ? rows->view[1].norm2[i] : 0.0;
    PetscReal half = 0.5 * (rows->S[0][0] * a + rows->S[1][1] * b), diff = 0.5 * (rows->S[0][0] * a - rows->S[1][1] * b);

    rows->L[i] = PetscAbsReal(half) + PetscSqrtReal(diff * diff + PetscSqr(rows->S[0][1]) * a * b);
    sum[0]     = PetscMax(sum[0], rows->L[i]);
  }
  PetscCallMPI(MPI_Allreduce(&sum[0], &sum[1], 1, MPIU_REAL, MPIU_MAX, PetscObjectComm((PetscObject)G)));
  rows->Lmax = sum[1];
  PetscCall(PetscArraycpy(rows->state, state, 3)); /* last, so that an error above is not mistaken for a set-up */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   RowsApply - One round over the samples of this rank, in their order: a_i = S F_i w, for w D x P by rows. Stores the a_i in
   table (n x nv x P), and (1/n) sum_i F_i' a_i with this rank's n in out, either of which may be NULL.
*/
PetscErrorCode RowsApply(Rows *rows, PetscInt P, const PetscScalar *w, PetscScalar *table, PetscScalar *out)
{
  const PetscInt nv = rows->nv;
  PetscScalar   *t, *c, *mw, *sum;

  PetscFunctionBegin;
  PetscCall(PetscCalloc4(nv * P, &t, nv * P, &c, nv * P, &mw, nv * P, &sum));
  if (out) PetscCall(PetscArrayzero(out, (size_t)rows->D * (size_t)P));
  for (PetscInt v = 0; v < nv; v++) {
    const RowsView *x = &rows->view[v];

    for (PetscInt j = 0; j < x->d && x->mean; j++)
      for (PetscInt k = 0; k < P; k++) mw[v * P + k] += x->mean[j] * w[(size_t)(x->off + j) * (size_t)P + k];
  }
  for (PetscInt i = 0; i < rows->n; i++) {
    for (PetscInt v = 0; v < nv; v++) {
      RowsDot(&rows->view[v], i, 1, P, w + (size_t)rows->view[v].off * (size_t)P, t + v * P);
      for (PetscInt k = 0; k < P; k++) t[v * P + k] -= mw[v * P + k];
    }
    for (PetscInt v = 0; v < nv; v++)
      for (PetscInt k = 0; k < P; k++) c[v * P + k] = rows->S[v][0] * t[k] + (nv > 1 ? rows->S[v][1] * t[P + k] : 0.0);
    if (table) PetscCall(PetscArraycpy(table + (size_t)i * (size_t)(nv * P), c, nv * P));
    for (PetscInt v = 0; v < nv && out; v++) {
      for (PetscInt k = 0; k < P; k++) {
        c[v * P + k] /= (PetscReal)rows->n;
        sum[v * P + k] += c[v * P + k];
      }
      RowsAxpy(&rows->view[v], i, 1, P, c + v * P, out + (size_t)rows->view[v].off * (size_t)P);
    }
  }
  for (PetscInt v = 0; v < nv && out; v++) {
    const RowsView *x = &rows->view[v];

    for (PetscInt j = 0; j < x->d && x->mean; j++)
      for (PetscInt k = 0; k < P; k++) out[(size_t)(x->off + j) * (size_t)P + k] -= PetscConj(x->mean[j]) * sum[v * P + k];
  }
  PetscCall(PetscFree4(t, c, mw, sum));
  PetscCall(MatGramAddPasses(rows->G, 1.0, P));
  PetscFunctionReturn(PETSC_SUCCESS);
}
