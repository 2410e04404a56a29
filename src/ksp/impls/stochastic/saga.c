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

SLEPC_EXTERN PetscErrorCode KSPCreate_SAGA(KSP);

enum {
  PLANE_U,
  PLANE_G,
  PLANES
};

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

#define SAGA_STEPS(width) SAGASteps(ctx, width, ctx->table + first, z)

/* One stage for columns first..first+p-1; w is sofar, G the method's array, a the table */
static void SAGAColumns(KSP_Stochastic *ctx, PetscInt first, PetscInt p)
{
  const Rows    *rows = &ctx->rows;
  const PetscInt P    = ctx->P;
  Lazy           z[2];

  for (PetscInt v = 0; v < rows->nv; v++) {
    const RowsView *x = &rows->view[v];

    z[v].u = RowsPlane(x, PLANES, p, ctx->state, PLANE_U);
    z[v].G = RowsPlane(x, PLANES, p, ctx->state, PLANE_G);
    z[v].q = 1.0 - ctx->eta * x->ridge;
    z[v].s = 1.0;
    z[v].c = 0.0;
    for (PetscInt k = 0; k < p; k++) z[v].e[k] = z[v].h[k] = 0.0;
    RowsLoad(x, PLANES, p, ctx->sofar, P, first, z[v].u, z[v].mu);
    RowsLoad(x, PLANES, p, ctx->array, P, first, z[v].G, z[v].mG);
  }
  ROWS_DISPATCH(p, SAGA_STEPS);
  for (PetscInt v = 0; v < rows->nv; v++) {
    SAGAFold(&rows->view[v], p, &z[v]); /* w is u and e conj(m) */
    RowsStore(&rows->view[v], PLANES, p, ctx->result, P, first, z[v].u, z[v].e, 1.0);
    RowsStore(&rows->view[v], PLANES, p, ctx->array, P, first, z[v].G, z[v].h, 1.0);
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
