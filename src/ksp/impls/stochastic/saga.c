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
#include "stochastic.h"

#define PLANES 2 /* u and G */

/* One view in the course of a stage: w, with G for g */
typedef struct {
  RowsLazy    w;
  PetscScalar h[ROWS_WIDTH];
} View;

ROWS_KERNEL void SAGASteps(const KSP_Stochastic *ctx, PetscInt p, PetscScalar *table, View *z)
{
  const Rows     *rows = &ctx->rows;
  const PetscInt  P = ctx->P, nv = rows->nv;
  const PetscReal eta = ctx->eta, rn = 1.0 / (PetscReal)rows->n;

  for (PetscInt l = 0; l < ctx->m; l++) {
    const PetscInt  i      = ctx->sample[l];
    const PetscReal weight = ctx->weight ? ctx->weight[i] : 1.0;
    PetscScalar    *a      = table + (size_t)i * (size_t)(nv * P);
    PetscScalar     t[2][ROWS_WIDTH], delta[2][ROWS_WIDTH];

    if (l + ROWS_AHEAD < ctx->m) {
      RowsPrefetch(rows, ctx->sample[l + ROWS_AHEAD]);
      __builtin_prefetch(table + (size_t)ctx->sample[l + ROWS_AHEAD] * (size_t)(nv * P));
    }
    for (PetscInt v = 0; v < nv; v++) RowsLazyDot(&rows->view[v], i, PLANES, p, &z[v].w, t[v]); /* t = F_i w */
    RowsCouple(rows, p, 1.0, (const PetscScalar(*)[ROWS_WIDTH])t, delta);
    for (PetscInt v = 0; v < nv; v++) {
      const RowsView *x = &rows->view[v];
      RowsLazy       *w = &z[v].w;
      PetscScalar     f[ROWS_WIDTH], fG[ROWS_WIDTH];

      for (PetscInt k = 0; k < p; k++) { /* Delta = S F_i w - a_i */
        delta[v][k] -= a[v * P + k];
        a[v * P + k] += delta[v][k];
      }
      w->s *= w->q;
      w->c = w->q * w->c - eta;
      if (PetscAbsReal(w->s) < ROWS_TINY) RowsLazyFold(x, PLANES, p, w);
      for (PetscInt k = 0; k < p; k++) {
        fG[k] = rn * delta[v][k];
        f[k]  = -(weight * eta + w->c * rn) / w->s * delta[v][k];
      }
      if (x->mean) {
        for (PetscInt k = 0; k < p; k++) {
          w->e[k] = w->q * w->e[k] - eta * z[v].h[k] + weight * eta * delta[v][k];
          z[v].h[k] -= fG[k];
          w->mu[k] += PetscConj(x->mu[i]) * f[k];
          w->mg[k] += PetscConj(x->mu[i]) * fG[k];
        }
      }
      RowsAxpy2(x, i, PLANES, p, f, w->u, fG, w->g);
    }
  }
}

#define SAGA_STEPS(width) SAGASteps(ctx, width, ctx->table + first, z)

/* One stage for columns first..first+p-1; w is sofar, G the method's array, a the table */
static void SAGAColumns(KSP_Stochastic *ctx, PetscInt first, PetscInt p)
{
  const Rows    *rows = &ctx->rows;
  const PetscInt P    = ctx->P;
  View           z[2];

  for (PetscInt v = 0; v < rows->nv; v++) {
    RowsLazyStart(&rows->view[v], PLANES, p, ctx->state, ctx->eta, ctx->sofar, ctx->array, P, first, &z[v].w);
    for (PetscInt k = 0; k < p; k++) z[v].h[k] = 0.0;
  }
  ROWS_DISPATCH(p, SAGA_STEPS);
  for (PetscInt v = 0; v < rows->nv; v++) {
    RowsLazyFold(&rows->view[v], PLANES, p, &z[v].w);
    RowsStore(&rows->view[v], PLANES, p, ctx->result, P, first, z[v].w.u, z[v].w.e, 1.0);
    RowsStore(&rows->view[v], PLANES, p, ctx->array, P, first, z[v].w.g, z[v].h, 1.0);
  }
}

/* On several ranks, a_i = S F_i w and G for where the average is; in the first stage of all they are */
static PetscErrorCode SAGABefore(KSP ksp)
{
  KSP_Stochastic *ctx = (KSP_Stochastic *)ksp->data;
  const size_t    P   = (size_t)ctx->P;

  PetscFunctionBegin;
  if (ctx->rows.size == 1 || ctx->stages == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RowsApply(&ctx->rows, ctx->P, ctx->sofar, ctx->table, NULL));
  for (PetscInt v = 0; v < ctx->rows.nv; v++) {
    const RowsView *x = &ctx->rows.view[v];

    for (size_t i = (size_t)x->off * P; i < (size_t)(x->off + x->d) * P; i++) ctx->array[i] = ctx->g[i] - x->ridge * ctx->sofar[i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* result is where w has gone to: the step is what it has gained */
static PetscErrorCode SAGAAfter(KSP ksp)
{
  KSP_Stochastic *ctx = (KSP_Stochastic *)ksp->data;

  PetscFunctionBegin;
  for (size_t i = 0; i < (size_t)ctx->rows.D * (size_t)ctx->P; i++) ctx->result[i] -= ctx->sofar[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SAGAStart(KSP ksp)
{
  KSP_Stochastic *ctx = (KSP_Stochastic *)ksp->data;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(ctx->array, ctx->g, (size_t)ctx->rows.D * (size_t)ctx->P)); /* G = -r */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const StochasticMethod SAGAMethod = {
  .name        = KSPSAGA,
  .stepfactor  = 1.0 / 3.0,
  .stagefactor = 1.0,
  .mixture     = 0.5,
  .flops       = 8.0,
  .planes      = PLANES,
  .results     = 1,
  .arrays      = 1,
  .remembers   = PETSC_TRUE,
  .start       = SAGAStart,
  .before      = SAGABefore,
  .columns     = SAGAColumns,
  .after       = SAGAAfter,
};

/*MC
   KSPSAGA - KSPSAGA = "saga" - SAGA, which keeps the last gradient of every sample, for a MATGRAM

   Options Database Keys:
+  -ksp_saga_step <eta>              - step, by default 1/(3L) with L as for KSPSVRG
.  -ksp_saga_stage <m>               - number of steps between tests of convergence, by default the number of samples
.  -ksp_saga_sampling <uniform,norm> - how samples are drawn; by norm, half of them remain uniform
.  -ksp_saga_seed <seed>             - of the random numbers
-  -ksp_saga_linesearch <bool>       - exact line search along the step of a stage

   Level: intermediate

   Note:
   A gradient is one number for each sample, view and column. See KSPSVRG for what the stochastic methods have in common.

.seealso: KSPSVRG
M*/
SLEPC_EXTERN PetscErrorCode KSPCreate_SAGA(KSP ksp)
{
  PetscFunctionBegin;
  PetscCall(StochasticCreate(ksp, &SAGAMethod, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}
