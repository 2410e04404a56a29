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

SLEPC_EXTERN PetscErrorCode KSPCreate_SVRG(KSP);

#define SVRG_TAIL 1e-3 /* the smallest s in the tail: so many digits are lost at most */

enum {
  PLANE_U,
  PLANE_G,
  PLANE_V,
  PLANES
};

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

#define SVRG_STEPS(width) \
  do { \
    SVRGSteps(ctx, width, 0, ctx->m - tail, PETSC_FALSE, z); \
    SVRGSteps(ctx, width, ctx->m - tail, ctx->m, PETSC_TRUE, z); \
  } while (0)

/* One stage for columns first..first+p-1 */
static void SVRGColumns(KSP_Stochastic *ctx, PetscInt first, PetscInt p)
{
  const Rows    *rows = &ctx->rows;
  const PetscInt tail = PetscMax(1, ctx->m / 4);
  Lazy           z[2];

  for (PetscInt v = 0; v < rows->nv; v++) {
    const RowsView *x = &rows->view[v];

    z[v].u = RowsPlane(x, PLANES, p, ctx->state, PLANE_U);
    z[v].g = RowsPlane(x, PLANES, p, ctx->state, PLANE_G);
    z[v].v = RowsPlane(x, PLANES, p, ctx->state, PLANE_V);
    z[v].q = 1.0 - ctx->eta * x->ridge;
    z[v].s = 1.0;
    z[v].c = z[v].S = z[v].C = 0.0;
    for (PetscInt k = 0; k < p; k++) z[v].e[k] = z[v].E[k] = 0.0;
    RowsLoad(x, PLANES, p, NULL, ctx->P, first, z[v].u, z[v].mu);
    RowsLoad(x, PLANES, p, ctx->g, ctx->P, first, z[v].g, z[v].mg);
    RowsLoad(x, PLANES, p, NULL, ctx->P, first, z[v].v, NULL);
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
   are centered. An iteration of the KSP is a stage of m steps with one sample each, at whose end the residual is computed by
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
