/* SPDX-License-Identifier: BSD-2-Clause */
/*
   KSPSAGA = "saga": SAGA for A w = b, A = (1/n) sum_i F_i' S F_i + ridge.

   The last gradient of every sample is remembered: it is F_i' a_i with one number a_i for each view. A step is

     Delta = S F_i w - a_i,   w <- w - eta (F_i' Delta + G + ridge w),   a_i <- a_i + Delta,   G <- G + F_i' Delta/n,

   where G = (1/n) sum_i F_i' a_i - b, and eta = 1/(3L); 1/L stalls. We solve for the correction to the initial guess, so that
   w = 0, a_i = 0 and G = -r are where to start, without a pass over the data.

   Samples are sparse, G is not, and changes. w is kept as s u + c G (and conj(m) e, see rows.c; G then has a part conj(m) h
   as well), with q = 1 - eta ridge:

     t = s x'u + c x'G,  Delta = S t - a_i
     s <- q s,  c <- q c - eta,  u <- u - (eta + c/n)/s Delta x,  G <- G + Delta/n x

   On several ranks each has the a_i of its own samples; in a stage it sees G change by its own steps only, as if the other
   ranks had samples like its own (n is its number of samples), and after the stage w is averaged. Then the a_i are computed
   anew, from the averaged w, in another pass over the data, and G = g - ridge w: with a_i from where each rank went, which is
   not where the average is, the ranks would take hundreds of stages to agree.

   Reference:
     A. Defazio, F. Bach and S. Lacoste-Julien, SAGA: a fast incremental gradient method with support for non-strongly
       convex composite objectives, NIPS 2014.
*/
#include "rows.h"

SLEPC_EXTERN PetscErrorCode KSPCreate_SAGA(KSP);

enum {
  PLANE_U,
  PLANE_G,
  PLANES
};

typedef struct {
  PetscScalar *state; /* the planes of ROWS_WIDTH columns */
  PetscScalar *w, *G; /* D x P by rows, on every rank */
  PetscScalar *a;     /* n x nv x P */
  size_t       asize;
  PetscBool    fresh; /* the first stage: w = 0, a_i = 0 */
} SAGA;

/* The lazy form of one view */
typedef struct {
  PetscScalar *u, *G;
  PetscReal    q, s, c;
  PetscScalar  e[ROWS_WIDTH], h[ROWS_WIDTH], mu[ROWS_WIDTH], mG[ROWS_WIDTH]; /* e, h, m^T u, m^T G */
} Lazy;

/* s and c multiplied out: u <- s u + c G, s = 1, c = 0 */
static void SAGAFold(const RowsView *x, PetscInt p, Lazy *z)
{
  const PetscInt es = RowsStride(x, PLANES, p);

  for (PetscInt j = 0; j < x->d; j++)
    for (PetscInt k = j * es; k < j * es + p; k++) z->u[k] = z->s * z->u[k] + z->c * z->G[k];
  for (PetscInt k = 0; k < p; k++) z->mu[k] = z->s * z->mu[k] + z->c * z->mG[k];
  z->s = 1.0;
  z->c = 0.0;
}

ROWS_KERNEL void SAGASteps(const KSP_Stochastic *ctx, PetscInt p, PetscScalar *table, Lazy *z)
{
  const Rows     *rows = &ctx->rows;
  const PetscInt  P = ctx->P, nv = rows->nv;
  const PetscReal eta = ctx->eta, rn = 1.0 / (PetscReal)rows->n;

  for (PetscInt l = 0; l < ctx->m; l++) {
    const PetscInt  i      = ctx->sample[l];
    const PetscReal weight = ctx->weight ? ctx->weight[i] : 1.0;
    PetscScalar    *a      = table + (size_t)i * (size_t)(nv * P);
    PetscScalar     t[2][ROWS_WIDTH], delta[2][ROWS_WIDTH], tG[ROWS_WIDTH];

    if (l + 4 < ctx->m) {
      RowsPrefetch(rows, ctx->sample[l + 4]);
      __builtin_prefetch(table + (size_t)ctx->sample[l + 4] * (size_t)(nv * P));
    }
    for (PetscInt v = 0; v < nv; v++) { /* t = F_i w */
      const RowsView *x = &rows->view[v];

      RowsDot2(x, i, PLANES, p, z[v].u, z[v].G, t[v], tG);
      if (x->mean) {
        for (PetscInt k = 0; k < p; k++) t[v][k] = z[v].s * (t[v][k] - z[v].mu[k]) + z[v].c * (tG[k] - z[v].mG[k]) + (x->mu[i] - x->mm) * z[v].e[k];
      } else
        for (PetscInt k = 0; k < p; k++) t[v][k] = z[v].s * t[v][k] + z[v].c * tG[k];
    }
    RowsCouple(rows, p, 1.0, (const PetscScalar(*)[ROWS_WIDTH])t, delta);
    for (PetscInt v = 0; v < nv; v++) {
      const RowsView *x = &rows->view[v];
      PetscScalar     f[ROWS_WIDTH], fG[ROWS_WIDTH];

      for (PetscInt k = 0; k < p; k++) { /* Delta = S F_i w - a_i */
        delta[v][k] -= a[v * P + k];
        a[v * P + k] += delta[v][k];
      }
      z[v].s *= z[v].q;
      z[v].c = z[v].q * z[v].c - eta;
      if (PetscAbsReal(z[v].s) < ROWS_TINY) SAGAFold(x, p, &z[v]);
      for (PetscInt k = 0; k < p; k++) {
        fG[k] = rn * delta[v][k];
        f[k]  = -(weight * eta + z[v].c * rn) / z[v].s * delta[v][k];
      }
      if (x->mean) {
        for (PetscInt k = 0; k < p; k++) {
          z[v].e[k] = z[v].q * z[v].e[k] - eta * z[v].h[k] + weight * eta * delta[v][k];
          z[v].h[k] -= fG[k];
          z[v].mu[k] += PetscConj(x->mu[i]) * f[k];
          z[v].mG[k] += PetscConj(x->mu[i]) * fG[k];
        }
      }
      RowsAxpy2(x, i, PLANES, p, f, z[v].u, fG, z[v].G);
    }
  }
}

/* One stage for columns first..first+p-1 */
static void SAGAStageColumns(KSP_Stochastic *ctx, PetscInt first, PetscInt p)
{
  const Rows    *rows = &ctx->rows;
  SAGA          *saga = (SAGA *)ctx->data;
  const PetscInt P    = ctx->P;
  Lazy           z[2];

  for (PetscInt v = 0; v < rows->nv; v++) {
    const RowsView *x  = &rows->view[v];
    const PetscInt  es = RowsStride(x, PLANES, p);

    z[v].u = RowsPlane(x, PLANES, p, saga->state, PLANE_U);
    z[v].G = RowsPlane(x, PLANES, p, saga->state, PLANE_G);
    z[v].q = 1.0 - ctx->eta * x->ridge;
    z[v].s = 1.0;
    z[v].c = 0.0;
    for (PetscInt k = 0; k < p; k++) z[v].e[k] = z[v].h[k] = z[v].mu[k] = z[v].mG[k] = 0.0;
    for (PetscInt j = 0; j < x->d; j++) {
      const size_t at = (size_t)(x->off + j) * (size_t)P + (size_t)first;

      for (PetscInt k = 0; k < p; k++) {
        z[v].u[j * es + k] = saga->w[at + k];
        z[v].G[j * es + k] = saga->G[at + k];
        if (x->mean) {
          z[v].mu[k] += x->mean[j] * saga->w[at + k];
          z[v].mG[k] += x->mean[j] * saga->G[at + k];
        }
      }
    }
  }
  if (p == 1) SAGASteps(ctx, 1, saga->a + first, z);
  else if (p == ROWS_WIDTH) SAGASteps(ctx, ROWS_WIDTH, saga->a + first, z);
  else SAGASteps(ctx, p, saga->a + first, z);
  for (PetscInt v = 0; v < rows->nv; v++) {
    const RowsView *x  = &rows->view[v];
    const PetscInt  es = RowsStride(x, PLANES, p);

    for (PetscInt j = 0; j < x->d; j++) {
      const size_t at = (size_t)(x->off + j) * (size_t)P + (size_t)first;

      for (PetscInt k = 0; k < p; k++) {
        PetscScalar w = z[v].s * z[v].u[j * es + k] + z[v].c * z[v].G[j * es + k], G = z[v].G[j * es + k];

        if (x->mean) {
          w += PetscConj(x->mean[j]) * z[v].e[k];
          G += PetscConj(x->mean[j]) * z[v].h[k];
        }
        ctx->step_all[at + k] = w - saga->w[at + k];
        saga->G[at + k]       = G;
      }
    }
  }
}

static PetscErrorCode SAGAStage(KSP ksp)
{
  KSP_Stochastic *ctx  = (KSP_Stochastic *)ksp->data;
  SAGA           *saga = (SAGA *)ctx->data;

  PetscFunctionBegin;
  if (ctx->rows.size > 1 && !saga->fresh) {
    PetscCall(StochasticLocal(ksp, saga->w, saga->a, NULL)); /* a_i = S F_i w */
    for (PetscInt v = 0; v < ctx->rows.nv; v++) {
      const RowsView *x = &ctx->rows.view[v];

      for (size_t i = (size_t)x->off * (size_t)ctx->P; i < (size_t)(x->off + x->d) * (size_t)ctx->P; i++) saga->G[i] = ctx->g[i] - x->ridge * saga->w[i];
    }
  }
  saga->fresh = PETSC_FALSE;
  if (ctx->m)
    for (PetscInt first = 0; first < ctx->P; first += ROWS_WIDTH) SAGAStageColumns(ctx, first, PetscMin(ROWS_WIDTH, ctx->P - first));
  else PetscCall(PetscArrayzero(ctx->step_all, (size_t)ctx->rows.D * (size_t)ctx->P));
  PetscCall(StochasticFlops(ksp, 8.0));
  PetscCall(StochasticAverage(ksp, 1, ctx->step_all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SAGAMoved(KSP ksp, const PetscReal along[])
{
  KSP_Stochastic *ctx  = (KSP_Stochastic *)ksp->data;
  SAGA           *saga = (SAGA *)ctx->data;

  PetscFunctionBegin;
  for (PetscInt j = 0; j < ctx->rows.D; j++)
    for (PetscInt k = 0; k < ctx->P; k++) saga->w[j * ctx->P + k] += along[k] * ctx->step_all[j * ctx->P + k];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SAGAFree(KSP ksp)
{
  SAGA *saga = (SAGA *)((KSP_Stochastic *)ksp->data)->data;

  PetscFunctionBegin;
  PetscCall(PetscFree(saga->state));
  PetscCall(PetscFree(saga->w));
  PetscCall(PetscFree(saga->G));
  PetscCall(PetscFree(saga->a));
  saga->asize = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SAGAStart(KSP ksp)
{
  KSP_Stochastic *ctx  = (KSP_Stochastic *)ksp->data;
  SAGA           *saga = (SAGA *)ctx->data;
  const size_t    DP = (size_t)ctx->rows.D * (size_t)ctx->P, asize = (size_t)(ctx->rows.n * ctx->rows.nv) * (size_t)ctx->P + 1;

  PetscFunctionBegin;
  if (!saga->state) {
    PetscCall(PetscMalloc1((size_t)ctx->rows.D * PLANES * (size_t)PetscMin(ctx->P, ROWS_WIDTH), &saga->state));
    PetscCall(PetscMalloc1(DP, &saga->w));
    PetscCall(PetscMalloc1(DP, &saga->G));
  }
  if (asize > saga->asize) {
    PetscCall(PetscFree(saga->a));
    PetscCall(PetscMalloc1(asize, &saga->a));
    saga->asize = asize;
  }
  PetscCall(StochasticGather(ksp));
  PetscCall(PetscArrayzero(saga->w, DP));
  PetscCall(PetscArrayzero(saga->a, asize));
  PetscCall(PetscArraycpy(saga->G, ctx->g, DP)); /* -r */
  saga->fresh = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const StochasticMethod SAGAMethod = {KSPSAGA, 1.0 / 3.0, 1.0, 0.5, PETSC_FALSE, NULL, SAGAStart, SAGAStage, SAGAMoved, SAGAFree};

SLEPC_EXTERN PetscErrorCode KSPCreate_SAGA(KSP ksp)
{
  PetscFunctionBegin;
  PetscCall(StochasticCreate(ksp, &SAGAMethod, sizeof(SAGA)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
