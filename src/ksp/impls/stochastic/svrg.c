/* SPDX-License-Identifier: BSD-2-Clause */
/*
   KSPSVRG = "svrg": stochastic variance reduced gradients for A w = b, A = (1/n) sum_i F_i' S F_i + ridge.

   A stage starts at the snapshot w~ with the gradient g = A w~ - b of all samples and makes m steps

     w <- w - eta (F_i' S F_i (w - w~) + ridge (w - w~) + g),   i drawn at random,

   with eta = 1/L. The next snapshot is w~ plus the mean of w - w~ over the last quarter of the stage: the last iterate
   itself carries the noise of its last steps.

   Samples are sparse, g is not. delta = w - w~ is kept as s u + c g (and conj(m) e, see rows.c), a view each, with q = 1 -
   eta ridge:

     t = s x'u + c x'g
     s <- q s,  c <- q c - eta,  u <- u - (eta/s) S t x
     tail:  the sum of delta is S u - v + C g; an update du of u adds S du to v; then S <- S + s, C <- C + c

   S u and v are as much larger than their difference as s has shrunk since s = 1: in the tail it is multiplied out early.

   References:
     R. Johnson and T. Zhang, Accelerating stochastic gradient descent using predictive variance reduction, NIPS 2013.
     L. Xiao and T. Zhang, A proximal stochastic gradient method with progressive variance reduction, SIAM J. Optim. 24
       (2014), 2057-2075 (sampling by norm).
*/
#include "rows.h"

SLEPC_EXTERN PetscErrorCode KSPCreate_SVRG(KSP);

#define SVRG_TAIL 1e-3 /* the smallest s in the tail: so many digits are lost at most */

enum {
  PLANE_U,
  PLANE_G,
  PLANE_V,
  PLANES
};

typedef struct {
  PetscScalar *state; /* the planes of ROWS_WIDTH columns */
} SVRG;

/* The lazy form of one view */
typedef struct {
  PetscScalar *u, *g, *v;
  PetscReal    q, s, c, S, C;
  PetscScalar  e[ROWS_WIDTH], mu[ROWS_WIDTH], mg[ROWS_WIDTH], E[ROWS_WIDTH]; /* e, m^T u, m^T g, sum of e over the tail */
} Lazy;

/* s and c multiplied out: u <- s u + c g, s = 1, c = 0; the sum over the tail so far goes to v */
static void SVRGFold(const RowsView *x, PetscInt p, Lazy *z)
{
  const PetscInt es = RowsStride(x, PLANES, p);

  for (PetscInt j = 0; j < x->d; j++) {
    for (PetscInt k = j * es; k < j * es + p; k++) {
      z->v[k] -= z->S * z->u[k] + z->C * z->g[k];
      z->u[k] = z->s * z->u[k] + z->c * z->g[k];
    }
  }
  for (PetscInt k = 0; k < p; k++) z->mu[k] = z->s * z->mu[k] + z->c * z->mg[k];
  z->s = 1.0;
  z->c = z->S = z->C = 0.0;
}

/* Steps first..last-1 of a stage */
ROWS_KERNEL void SVRGSteps(const KSP_Stochastic *ctx, PetscInt p, PetscInt first, PetscInt last, PetscBool tail, Lazy *z)
{
  const Rows     *rows = &ctx->rows;
  const PetscReal eta  = ctx->eta;

  for (PetscInt l = first; l < last; l++) {
    const PetscInt i = ctx->sample[l];
    PetscScalar    t[2][ROWS_WIDTH], f[2][ROWS_WIDTH], tg[ROWS_WIDTH];

    if (l + 4 < last) RowsPrefetch(rows, ctx->sample[l + 4]);
    for (PetscInt v = 0; v < rows->nv; v++) { /* t = F_i delta */
      const RowsView *x = &rows->view[v];

      RowsDot2(x, i, PLANES, p, z[v].u, z[v].g, t[v], tg);
      if (x->mean) {
        for (PetscInt k = 0; k < p; k++) t[v][k] = z[v].s * (t[v][k] - z[v].mu[k]) + z[v].c * (tg[k] - z[v].mg[k]) + (x->mu[i] - x->mm) * z[v].e[k];
      } else
        for (PetscInt k = 0; k < p; k++) t[v][k] = z[v].s * t[v][k] + z[v].c * tg[k];
    }
    RowsCouple(rows, p, ctx->weight ? -eta * ctx->weight[i] : -eta, (const PetscScalar(*)[ROWS_WIDTH])t, f); /* f = -eta S t */
    for (PetscInt v = 0; v < rows->nv; v++) {
      const RowsView *x = &rows->view[v];
      PetscScalar     vf[ROWS_WIDTH];

      z[v].s *= z[v].q;
      z[v].c = z[v].q * z[v].c - eta;
      if (PetscAbsReal(z[v].s) < (tail ? SVRG_TAIL : ROWS_TINY)) SVRGFold(x, p, &z[v]);
      if (x->mean)
        for (PetscInt k = 0; k < p; k++) z[v].e[k] = z[v].q * z[v].e[k] - f[v][k];
      for (PetscInt k = 0; k < p; k++) f[v][k] /= z[v].s;
      if (x->mean)
        for (PetscInt k = 0; k < p; k++) z[v].mu[k] += PetscConj(x->mu[i]) * f[v][k];
      if (tail) {
        for (PetscInt k = 0; k < p; k++) vf[k] = z[v].S * f[v][k];
        RowsAxpy2(x, i, PLANES, p, f[v], z[v].u, vf, z[v].v);
        z[v].S += z[v].s;
        z[v].C += z[v].c;
        if (x->mean)
          for (PetscInt k = 0; k < p; k++) z[v].E[k] += z[v].e[k];
      } else RowsAxpy(x, i, PLANES, p, f[v], z[v].u);
    }
  }
}

/* One stage for columns first..first+p-1 */
static void SVRGStageColumns(KSP_Stochastic *ctx, PetscInt first, PetscInt p)
{
  const Rows    *rows = &ctx->rows;
  SVRG          *svrg = (SVRG *)ctx->data;
  const PetscInt P = ctx->P, tail = PetscMax(1, ctx->m / 4);
  Lazy           z[2];

  for (PetscInt v = 0; v < rows->nv; v++) {
    const RowsView *x  = &rows->view[v];
    const PetscInt  es = RowsStride(x, PLANES, p);

    z[v].u = RowsPlane(x, PLANES, p, svrg->state, PLANE_U);
    z[v].g = RowsPlane(x, PLANES, p, svrg->state, PLANE_G);
    z[v].v = RowsPlane(x, PLANES, p, svrg->state, PLANE_V);
    z[v].q = 1.0 - ctx->eta * x->ridge;
    z[v].s = 1.0;
    z[v].c = z[v].S = z[v].C = 0.0;
    for (PetscInt k = 0; k < p; k++) z[v].e[k] = z[v].mu[k] = z[v].mg[k] = z[v].E[k] = 0.0;
    for (PetscInt j = 0; j < x->d; j++) {
      const PetscScalar *g = ctx->g + (size_t)(x->off + j) * P + first;

      for (PetscInt k = 0; k < p; k++) {
        z[v].u[j * es + k] = z[v].v[j * es + k] = 0.0;
        z[v].g[j * es + k]                      = g[k];
        if (x->mean) z[v].mg[k] += x->mean[j] * g[k];
      }
    }
  }
  if (p == 1) {
    SVRGSteps(ctx, 1, 0, ctx->m - tail, PETSC_FALSE, z);
    SVRGSteps(ctx, 1, ctx->m - tail, ctx->m, PETSC_TRUE, z);
  } else if (p == 2) { /* the two columns of a canonical pair, [u;v] and [u;-v] */
    SVRGSteps(ctx, 2, 0, ctx->m - tail, PETSC_FALSE, z);
    SVRGSteps(ctx, 2, ctx->m - tail, ctx->m, PETSC_TRUE, z);
  } else if (p == ROWS_WIDTH) {
    SVRGSteps(ctx, ROWS_WIDTH, 0, ctx->m - tail, PETSC_FALSE, z);
    SVRGSteps(ctx, ROWS_WIDTH, ctx->m - tail, ctx->m, PETSC_TRUE, z);
  } else {
    SVRGSteps(ctx, p, 0, ctx->m - tail, PETSC_FALSE, z);
    SVRGSteps(ctx, p, ctx->m - tail, ctx->m, PETSC_TRUE, z);
  }
  for (PetscInt v = 0; v < rows->nv; v++) { /* the mean of delta */
    const RowsView *x     = &rows->view[v];
    const PetscInt  es    = RowsStride(x, PLANES, p);
    const PetscReal scale = 1.0 / (PetscReal)tail;

    for (PetscInt j = 0; j < x->d; j++) {
      PetscScalar *d = ctx->step_all + (size_t)(x->off + j) * P + first;

      for (PetscInt k = 0; k < p; k++) {
        d[k] = scale * (z[v].S * z[v].u[j * es + k] - z[v].v[j * es + k] + z[v].C * z[v].g[j * es + k]);
        if (x->mean) d[k] += scale * PetscConj(x->mean[j]) * z[v].E[k];
      }
    }
  }
}

static PetscErrorCode SVRGStage(KSP ksp)
{
  KSP_Stochastic *ctx = (KSP_Stochastic *)ksp->data;

  PetscFunctionBegin;
  if (ctx->m)
    for (PetscInt first = 0; first < ctx->P; first += ROWS_WIDTH) SVRGStageColumns(ctx, first, PetscMin(ROWS_WIDTH, ctx->P - first));
  else PetscCall(PetscArrayzero(ctx->step_all, (size_t)ctx->rows.D * (size_t)ctx->P));
  PetscCall(StochasticFlops(ksp, 6.5));
  PetscCall(StochasticAverage(ksp, 1, ctx->step_all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SVRGStart(KSP ksp)
{
  KSP_Stochastic *ctx  = (KSP_Stochastic *)ksp->data;
  SVRG           *svrg = (SVRG *)ctx->data;

  PetscFunctionBegin;
  if (!svrg->state) PetscCall(PetscMalloc1((size_t)ctx->rows.D * PLANES * (size_t)PetscMin(ctx->P, ROWS_WIDTH), &svrg->state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SVRGFree(KSP ksp)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(((SVRG *)((KSP_Stochastic *)ksp->data)->data)->state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const StochasticMethod SVRGMethod = {KSPSVRG, 1.0, 1.0, 0.0, PETSC_FALSE, NULL, SVRGStart, SVRGStage, NULL, SVRGFree};

SLEPC_EXTERN PetscErrorCode KSPCreate_SVRG(KSP ksp)
{
  PetscFunctionBegin;
  PetscCall(StochasticCreate(ksp, &SVRGMethod, sizeof(SVRG)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
