/* SPDX-License-Identifier: BSD-2-Clause */
/*
   KSPSDCA = "sdca": stochastic dual coordinate ascent for A w = b, A = (1/n) sum_i F_i' S F_i + Gamma, S >= 0 and Gamma the
   ridges, positive.

   Every sample has a dual variable a_i, one number for each view, and w = Gamma^{-1} (b - (1/n) sum_i F_i' a_i); the
   solution has a_i = S F_i w. A step maximises the dual function over a_i alone: with t = F_i w and K_i = diag(||x_i||^2/(n
   gamma_1), ||y_i||^2/(n gamma_2)),

     (I + S K_i) Delta = S t - a_i,   a_i <- a_i + Delta,   w <- w - Gamma^{-1} F_i' Delta/n.

   Only the entries of w that the sample has are touched. Samples come in random order, each once before any comes again. We
   solve for the correction to the initial guess, from a_i = 0: w = Gamma^{-1} r, far worse than zero, which the solution does
   not follow before it has become better.

   On several ranks each has a problem of its own, A_r w = b_r, with its own samples (n in the formulas above is its number
   of samples): the system as this rank knows it, corrected so that its solution is the right one once the solution x so far
   is, b_r = A_r x + (r - A x). A stage computes b_r in a pass over the data, goes on with the dual variables that are there,
   and averages the ranks' w; the solution moves towards the average as far as the line search says, and b_r follows.
   (Adding the ranks' dual steps, made small enough for that as in CoCoA+, also converges, but the ranks take hundreds of
   stages to agree.)

   References:
     S. Shalev-Shwartz and T. Zhang, Stochastic dual coordinate ascent methods for regularized loss minimization, J. Mach.
       Learn. Res. 14 (2013), 567-599.
     O. Shamir, N. Srebro and T. Zhang, Communication-efficient distributed optimization using an approximate Newton-type
       method, ICML 2014 (DANE: the corrected problems of the ranks).
*/
#include "stochastic.h"

typedef struct {
  PetscScalar *w;
  PetscReal    factor;                        /* 1/(n gamma) */
  PetscScalar  e[ROWS_WIDTH], mw[ROWS_WIDTH]; /* e, m^T w, see rows.c */
} View;

ROWS_KERNEL void SDCASteps(const KSP_Stochastic *ctx, PetscInt p, PetscScalar *table, View *z)
{
  const Rows    *rows = &ctx->rows;
  const PetscInt P = ctx->P, nv = rows->nv;

  for (PetscInt l = 0; l < ctx->m; l++) {
    const PetscInt i = ctx->sample[l];
    PetscScalar   *a = table + (size_t)i * (size_t)(nv * P);
    PetscScalar    t[2][ROWS_WIDTH], delta[2][ROWS_WIDTH];

    if (l + ROWS_AHEAD < ctx->m) {
      RowsPrefetch(rows, ctx->sample[l + ROWS_AHEAD]);
      __builtin_prefetch(table + (size_t)ctx->sample[l + ROWS_AHEAD] * (size_t)(nv * P));
    }
    for (PetscInt v = 0; v < nv; v++) { /* t = F_i w */
      const RowsView *x = &rows->view[v];

      RowsDot(x, i, 1, p, z[v].w, t[v]);
      if (x->mean)
        for (PetscInt k = 0; k < p; k++) t[v][k] += (x->mu[i] - x->mm) * z[v].e[k] - z[v].mw[k];
    }
    RowsCouple(rows, p, 1.0, (const PetscScalar(*)[ROWS_WIDTH])t, delta);
    for (PetscInt v = 0; v < nv; v++)
      for (PetscInt k = 0; k < p; k++) delta[v][k] -= a[v * P + k];
    if (nv == 1) {
      const PetscReal r = 1.0 / (1.0 + rows->S[0][0] * z[0].factor * rows->view[0].norm2[i]);

      for (PetscInt k = 0; k < p; k++) delta[0][k] *= r;
    } else { /* (I + S K) Delta = S t - a */
      const PetscReal k0 = z[0].factor * rows->view[0].norm2[i], k1 = z[1].factor * rows->view[1].norm2[i];
      const PetscReal m00 = 1.0 + rows->S[0][0] * k0, m01 = rows->S[0][1] * k1, m10 = rows->S[1][0] * k0, m11 = 1.0 + rows->S[1][1] * k1;
      const PetscReal r = 1.0 / (m00 * m11 - m01 * m10);

      for (PetscInt k = 0; k < p; k++) {
        const PetscScalar d0 = delta[0][k], d1 = delta[1][k];

        delta[0][k] = r * (m11 * d0 - m01 * d1);
        delta[1][k] = r * (m00 * d1 - m10 * d0);
      }
    }
    for (PetscInt v = 0; v < nv; v++) {
      const RowsView *x = &rows->view[v];

      for (PetscInt k = 0; k < p; k++) {
        a[v * P + k] += delta[v][k];
        delta[v][k] *= -z[v].factor;
      }
      if (x->mean) {
        for (PetscInt k = 0; k < p; k++) {
          z[v].e[k] -= delta[v][k];
          z[v].mw[k] += PetscConj(x->mu[i]) * delta[v][k];
        }
      }
      RowsAxpy(x, i, 1, p, delta[v], z[v].w);
    }
  }
}

#define SDCA_STEPS(width) SDCASteps(ctx, width, ctx->table + first, z)

/* One stage for columns first..first+p-1; a is the table, w and h = (1/n) sum_i F_i' a_i of this rank are the method's arrays */
static void SDCAColumns(KSP_Stochastic *ctx, PetscInt first, PetscInt p)
{
  const Rows    *rows = &ctx->rows;
  const PetscInt P    = ctx->P;
  View           z[2];

  for (PetscInt v = 0; v < rows->nv; v++) {
    z[v].w      = RowsPlane(&rows->view[v], 1, p, ctx->state, 0);
    z[v].factor = 1.0 / ((PetscReal)rows->n * rows->view[v].ridge);
    for (PetscInt k = 0; k < p; k++) z[v].e[k] = 0.0;
    RowsLoad(&rows->view[v], 1, p, ctx->array, P, first, z[v].w, z[v].mw);
  }
  ROWS_DISPATCH(p, SDCA_STEPS);
  for (PetscInt v = 0; v < rows->nv; v++) RowsStore(&rows->view[v], 1, p, ctx->array, P, first, z[v].w, z[v].e, 1.0);
}

/* On several ranks, b_r (in the place of the step) and w */
static PetscErrorCode SDCABefore(KSP ksp)
{
  KSP_Stochastic *ctx  = (KSP_Stochastic *)ksp->data;
  Rows           *rows = &ctx->rows;
  const size_t    P    = (size_t)ctx->P;
  PetscScalar    *b = ctx->result, *w = ctx->array, *h = w + (size_t)rows->D * P;

  PetscFunctionBegin;
  if (rows->size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RowsApply(rows, ctx->P, ctx->sofar, NULL, b)); /* A_r x without its ridge */
  for (PetscInt v = 0; v < rows->nv; v++) {
    const RowsView *x = &rows->view[v];

    for (size_t i = (size_t)x->off * P; i < (size_t)(x->off + x->d) * P; i++) {
      b[i] += x->ridge * ctx->sofar[i] - ctx->g[i];
      w[i] = (b[i] - h[i]) / x->ridge;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* h follows w, and the step is from where the solution is to w */
static PetscErrorCode SDCAAfter(KSP ksp)
{
  KSP_Stochastic *ctx  = (KSP_Stochastic *)ksp->data;
  Rows           *rows = &ctx->rows;
  const size_t    P    = (size_t)ctx->P;
  PetscScalar    *w = ctx->array, *h = w + (size_t)rows->D * P;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < rows->nv; v++) {
    const RowsView *x = &rows->view[v];

    for (size_t i = (size_t)x->off * P; i < (size_t)(x->off + x->d) * P; i++) {
      h[i]           = ctx->result[i] - x->ridge * w[i]; /* of use on several ranks only, where result is b_r */
      ctx->result[i] = w[i] - ctx->sofar[i];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SDCACheck(KSP ksp)
{
  Rows *rows = &((KSP_Stochastic *)ksp->data)->rows;

  PetscFunctionBegin;
  PetscCheck(rows->psd, PetscObjectComm((PetscObject)ksp), PETSC_ERR_SUP, "KSP type %s has a dual function only where the coupling of the operator is positive semidefinite, which [%g %g; %g %g] is not: use KSP type %s", KSPSDCA, (double)rows->S[0][0],
             (double)rows->S[0][1], (double)rows->S[1][0], (double)rows->S[1][1], KSPSVRG);
  PetscCheck(rows->ridgemin > 0.0, PetscObjectComm((PetscObject)ksp), PETSC_ERR_SUP, "KSP type %s divides by the ridge, which is %g: set a positive one by MatGramSetRidge(), or use KSP type %s", KSPSDCA, (double)rows->ridgemin, KSPSVRG);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SDCAStart(KSP ksp)
{
  KSP_Stochastic *ctx  = (KSP_Stochastic *)ksp->data;
  Rows           *rows = &ctx->rows;
  const size_t    P    = (size_t)ctx->P;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < rows->nv; v++) { /* w = Gamma^{-1} r */
    const RowsView *x = &rows->view[v];

    for (size_t i = (size_t)x->off * P; i < (size_t)(x->off + x->d) * P; i++) ctx->array[i] = -ctx->g[i] / x->ridge;
  }
  PetscCall(PetscArrayzero(ctx->array + (size_t)rows->D * P, (size_t)rows->D * P)); /* h */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const StochasticMethod SDCAMethod = {
  .name        = KSPSDCA,
  .stagefactor = 1.0,
  .flops       = 4.0,
  .planes      = 1,
  .results     = 1,
  .arrays      = 2,
  .permutes    = PETSC_TRUE,
  .remembers   = PETSC_TRUE,
  .check       = SDCACheck,
  .start       = SDCAStart,
  .before      = SDCABefore,
  .columns     = SDCAColumns,
  .after       = SDCAAfter,
};

/*MC
   KSPSDCA - KSPSDCA = "sdca" - Stochastic dual coordinate ascent, for a MATGRAM with a ridge

   Options Database Keys:
+  -ksp_sdca_stage <m>   - number of steps between tests of convergence, by default the number of samples
-  -ksp_sdca_seed <seed> - of the random numbers

   Level: intermediate

   Notes:
   There is no step to choose. Samples are taken in random order, each once before any comes again. The coupling of the
   operator must be positive semidefinite and its ridges positive.

   The dual method starts from b/ridge, which is much worse than zero. The solution follows it only when its residual
   has become smaller than that of the solution so far; until then the stages leave the solution and its residual as they
   are. On several ranks the line search sees to that. See KSPSVRG for what the stochastic methods have in common.

.seealso: KSPSVRG
M*/
SLEPC_EXTERN PetscErrorCode KSPCreate_SDCA(KSP ksp)
{
  PetscFunctionBegin;
  PetscCall(StochasticCreate(ksp, &SDCAMethod, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}
