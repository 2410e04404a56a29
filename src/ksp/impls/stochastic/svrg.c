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
#include "stochastic.h"

#define SVRG_MEAN 4    /* the next snapshot is the mean over the last 1/4 of a stage: less has more noise, more is further behind */
#define SVRG_TAIL 1e-3 /* the smallest s in the tail: so many digits are lost at most */

#define PLANES  3 /* u, g and v */
#define PLANE_V 2

/* One view in the course of a stage: delta, and its sum over the tail */
typedef struct {
  RowsLazy     delta;
  PetscScalar *v;
  PetscReal    S, C;
  PetscScalar  E[ROWS_WIDTH]; /* the sum of e */
} View;

/* s and c multiplied out; the sum over the tail so far goes to v */
static void SVRGFold(const RowsView *x, PetscInt p, View *z)
{
  const PetscInt stride = RowsStride(x, PLANES, p);

  for (PetscInt j = 0; j < x->d; j++)
    for (PetscInt k = j * stride; k < j * stride + p; k++) z->v[k] -= z->S * z->delta.u[k] + z->C * z->delta.g[k];
  z->S = z->C = 0.0;
  RowsLazyFold(x, PLANES, p, &z->delta);
}

/* Steps first..last-1 of a stage */
ROWS_KERNEL void SVRGSteps(const KSP_Stochastic *ctx, PetscInt p, PetscInt first, PetscInt last, PetscBool tail, View *z)
{
  const Rows     *rows = &ctx->rows;
  const PetscReal eta  = ctx->eta;

  for (PetscInt l = first; l < last; l++) {
    const PetscInt i = ctx->sample[l];
    PetscScalar    t[2][ROWS_WIDTH], f[2][ROWS_WIDTH], vf[ROWS_WIDTH];

    if (l + ROWS_AHEAD < last) RowsPrefetch(rows, ctx->sample[l + ROWS_AHEAD]);
    for (PetscInt v = 0; v < rows->nv; v++) RowsLazyDot(&rows->view[v], i, PLANES, p, &z[v].delta, t[v]);    /* t = F_i delta */
    RowsCouple(rows, p, ctx->weight ? -eta * ctx->weight[i] : -eta, (const PetscScalar(*)[ROWS_WIDTH])t, f); /* f = -eta S t */
    for (PetscInt v = 0; v < rows->nv; v++) {
      const RowsView *x = &rows->view[v];
      RowsLazy       *w = &z[v].delta;

      w->s *= w->q;
      w->c = w->q * w->c - eta;
      if (PetscAbsReal(w->s) < (tail ? SVRG_TAIL : ROWS_TINY)) SVRGFold(x, p, &z[v]);
      for (PetscInt k = 0; k < p; k++) {
        if (x->mean) w->e[k] = w->q * w->e[k] - f[v][k];
        f[v][k] /= w->s;
        if (x->mean) w->mu[k] += PetscConj(x->mu[i]) * f[v][k];
      }
      if (tail) {
        for (PetscInt k = 0; k < p; k++) vf[k] = z[v].S * f[v][k];
        RowsAxpy2(x, i, PLANES, p, f[v], w->u, vf, z[v].v);
        z[v].S += w->s;
        z[v].C += w->c;
        for (PetscInt k = 0; k < p; k++) z[v].E[k] += w->e[k]; /* 0 where nothing is centred */
      } else RowsAxpy(x, i, PLANES, p, f[v], w->u);
    }
  }
}

#define SVRG_STEPS(width) \
  do { \
    SVRGSteps(ctx, width, 0, ctx->m - tail, PETSC_FALSE, z); \
    SVRGSteps(ctx, width, ctx->m - tail, ctx->m, PETSC_TRUE, z); \
  } while (0)

/* One stage for columns first..first+p-1 */
static void SVRGColumns(KSP_Stochastic *ctx, PetscInt first, PetscInt p)
{
  const Rows    *rows = &ctx->rows;
  const PetscInt tail = PetscMax(1, ctx->m / SVRG_MEAN);
  View           z[2];

  for (PetscInt v = 0; v < rows->nv; v++) {
    RowsLazyStart(&rows->view[v], PLANES, p, ctx->state, ctx->eta, NULL, ctx->g, ctx->P, first, &z[v].delta);
    z[v].v = RowsPlane(&rows->view[v], PLANES, p, ctx->state, PLANE_V);
    RowsLoad(&rows->view[v], PLANES, p, NULL, ctx->P, first, z[v].v, z[v].E); /* 0, and 0 */
    z[v].S = z[v].C = 0.0;
  }
  ROWS_DISPATCH(p, SVRG_STEPS);
  for (PetscInt v = 0; v < rows->nv; v++) { /* the mean of delta, whose sum is -v and E conj(m) after this */
    SVRGFold(&rows->view[v], p, &z[v]);
    for (PetscInt k = 0; k < p; k++) z[v].E[k] = -z[v].E[k];
    RowsStore(&rows->view[v], PLANES, p, ctx->result, ctx->P, first, z[v].v, z[v].E, -1.0 / (PetscReal)tail);
  }
}

static const StochasticMethod SVRGMethod = {.name = KSPSVRG, .stepfactor = 1.0, .stagefactor = 1.0, .flops = 6.5, .planes = PLANES, .results = 1, .columns = SVRGColumns};

/*MC
   KSPSVRG - KSPSVRG = "svrg" - Stochastic variance reduced gradients for a MATGRAM

   Options Database Keys:
+  -ksp_svrg_step <eta>             - step, by default 1/L with L = max_i ||F_i' S F_i|| + ridge
.  -ksp_svrg_stage <m>              - number of steps of a stage, by default the number of samples
.  -ksp_svrg_sampling <uniform,norm> - samples are drawn uniformly, the default, or in proportion to their squared norms
.  -ksp_svrg_seed <seed>            - of the random numbers
-  -ksp_svrg_linesearch <bool>      - exact line search along the step of a stage

   Level: intermediate

   Notes (for KSPSVRG, KSPKATYUSHA, KSPSAGA and KSPSDCA):
   The operator must be a MATGRAM: these methods go from sample to sample. A sample costs its nonzeros, also where the data
   are centred. An iteration of the KSP is a stage of m steps with one sample each, at whose end the residual is computed by
   a product with the operator (SVRG and Katyusha need it as the gradient of the next stage anyway). A stage of n
   steps is one pass over the data and the product another one: both are booked, see MatGramGetPasses(). Norms:
   unpreconditioned, none; with none, and no line search, the last product is left out. KSPMatSolve() takes all columns
   through the same samples in one go, which counts as many passes as one column. The preconditioner is ignored.

   Random numbers are PETSc's. The first solve starts them from the seed, later solves go on with them: a program that is run
   again gives the same numbers, and so does a solve after KSPStochasticSetSeed() or KSPReset().

   Without a step of the user's, a stage that ends with a residual 100 times as large as before, or none at all, is undone
   and repeated with half the step.

   On several ranks each goes through its own samples, its share of the m steps, with the gradient of all samples to start
   from; the results are averaged, each rank weighted by its samples, and the solution moves along that average as far as
   minimises the energy norm of the error (the line search; it needs the product that is made anyway). So the function
   falls in every stage however the samples are distributed, and the solution is the same; it takes more stages than on one
   rank where the ranks have very different or few samples. KSPSAGA and KSPSDCA then make one more pass over the data in
   every stage after the first (KSPSDCA: in every stage), by which the ranks agree on what the average has changed.

.seealso: MATGRAM, KSPKATYUSHA, KSPSAGA, KSPSDCA, KSPStochasticSetStep(), KSPStochasticSetStageLength(),
          KSPStochasticSetSampling(), KSPStochasticSetSeed(), KSPStochasticSetLineSearch(), MatGramGetPasses()
M*/
SLEPC_EXTERN PetscErrorCode KSPCreate_SVRG(KSP ksp)
{
  PetscFunctionBegin;
  PetscCall(StochasticCreate(ksp, &SVRGMethod, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}
