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
#include "rows.h"

SLEPC_EXTERN PetscErrorCode KSPCreate_SDCA(KSP);

typedef struct {
  PetscScalar *state; /* w of ROWS_WIDTH columns */
  PetscScalar *w;     /* D x P by rows: Gamma^{-1} (b - h) of this rank */
  PetscScalar *h;     /* (1/n) sum_i F_i' a_i, several ranks only */
  PetscScalar *moved; /* where the solution is, on every rank */
  PetscScalar *a;     /* n x nv x P */
  size_t       asize;
} SDCA;

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

    if (l + 4 < ctx->m) {
      RowsPrefetch(rows, ctx->sample[l + 4]);
      __builtin_prefetch(table + (size_t)ctx->sample[l + 4] * (size_t)(nv * P));
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

/* One stage for columns first..first+p-1 */
static void SDCAStageColumns(KSP_Stochastic *ctx, PetscInt first, PetscInt p)
{
  const Rows    *rows = &ctx->rows;
  SDCA          *sdca = (SDCA *)ctx->data;
  const PetscInt P    = ctx->P;
  View           z[2];

  for (PetscInt v = 0; v < rows->nv; v++) {
    const RowsView *x = &rows->view[v];

    z[v].w      = RowsPlane(x, 1, p, sdca->state, 0);
    z[v].factor = 1.0 / ((PetscReal)rows->n * x->ridge);
    for (PetscInt k = 0; k < p; k++) z[v].e[k] = z[v].mw[k] = 0.0;
    for (PetscInt j = 0; j < x->d; j++) {
      const size_t at = (size_t)(x->off + j) * (size_t)P + (size_t)first;

      for (PetscInt k = 0; k < p; k++) {
        z[v].w[j * p + k] = sdca->w[at + k];
        if (x->mean) z[v].mw[k] += x->mean[j] * sdca->w[at + k];
      }
    }
  }
  if (p == 1) SDCASteps(ctx, 1, sdca->a + first, z);
  else if (p == ROWS_WIDTH) SDCASteps(ctx, ROWS_WIDTH, sdca->a + first, z);
  else SDCASteps(ctx, p, sdca->a + first, z);
  for (PetscInt v = 0; v < rows->nv; v++) {
    const RowsView *x = &rows->view[v];

    for (PetscInt j = 0; j < x->d; j++) {
      const size_t at = (size_t)(x->off + j) * (size_t)P + (size_t)first;

      for (PetscInt k = 0; k < p; k++) sdca->w[at + k] = z[v].w[j * p + k] + (x->mean ? PetscConj(x->mean[j]) * z[v].e[k] : 0.0);
    }
  }
}

static PetscErrorCode SDCAStage(KSP ksp)
{
  KSP_Stochastic *ctx  = (KSP_Stochastic *)ksp->data;
  Rows           *rows = &ctx->rows;
  SDCA           *sdca = (SDCA *)ctx->data;
  PetscScalar    *b    = ctx->step_all;
  const size_t    P = (size_t)ctx->P, DP = (size_t)rows->D * P;

  PetscFunctionBegin;
  if (rows->size > 1) {
    PetscCall(StochasticLocal(ksp, sdca->moved, NULL, b)); /* A_r x without its ridge */
    for (PetscInt v = 0; v < rows->nv; v++) {
      const RowsView *x = &rows->view[v];

      for (size_t i = (size_t)x->off * P; i < (size_t)(x->off + x->d) * P; i++) {
        b[i] += x->ridge * sdca->moved[i] - ctx->g[i]; /* b_r */
        sdca->w[i] = (b[i] - sdca->h[i]) / x->ridge;
      }
    }
  }
  if (ctx->m)
    for (PetscInt first = 0; first < ctx->P; first += ROWS_WIDTH) SDCAStageColumns(ctx, first, PetscMin(ROWS_WIDTH, ctx->P - first));
  PetscCall(StochasticFlops(ksp, 4.0));
  if (rows->size > 1) {
    for (PetscInt v = 0; v < rows->nv; v++) {
      const RowsView *x = &rows->view[v];

      for (size_t i = (size_t)x->off * P; i < (size_t)(x->off + x->d) * P; i++) sdca->h[i] = b[i] - x->ridge * sdca->w[i];
    }
  }
  for (size_t i = 0; i < DP; i++) ctx->step_all[i] = sdca->w[i] - sdca->moved[i];
  PetscCall(StochasticAverage(ksp, 1, ctx->step_all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SDCAMoved(KSP ksp, const PetscReal along[])
{
  KSP_Stochastic *ctx  = (KSP_Stochastic *)ksp->data;
  SDCA           *sdca = (SDCA *)ctx->data;

  PetscFunctionBegin;
  for (PetscInt j = 0; j < ctx->rows.D; j++)
    for (PetscInt k = 0; k < ctx->P; k++) sdca->moved[j * ctx->P + k] += along[k] * ctx->step_all[j * ctx->P + k];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SDCAFree(KSP ksp)
{
  SDCA *sdca = (SDCA *)((KSP_Stochastic *)ksp->data)->data;

  PetscFunctionBegin;
  PetscCall(PetscFree(sdca->state));
  PetscCall(PetscFree(sdca->w));
  PetscCall(PetscFree(sdca->h));
  PetscCall(PetscFree(sdca->moved));
  PetscCall(PetscFree(sdca->a));
  sdca->asize = 0;
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
  SDCA           *sdca = (SDCA *)ctx->data;
  const PetscInt  P    = ctx->P;
  const size_t    DP = (size_t)rows->D * (size_t)P, asize = (size_t)(rows->n * rows->nv) * (size_t)P + 1;

  PetscFunctionBegin;
  if (!sdca->state) {
    PetscCall(PetscMalloc1((size_t)rows->D * (size_t)PetscMin(P, ROWS_WIDTH), &sdca->state));
    PetscCall(PetscMalloc1(DP, &sdca->w));
    PetscCall(PetscMalloc1(DP, &sdca->moved));
    if (rows->size > 1) PetscCall(PetscMalloc1(DP, &sdca->h));
  }
  if (asize > sdca->asize) {
    PetscCall(PetscFree(sdca->a));
    PetscCall(PetscMalloc1(asize, &sdca->a));
    sdca->asize = asize;
  }
  PetscCall(StochasticGather(ksp));
  for (PetscInt v = 0; v < rows->nv; v++) { /* w = Gamma^{-1} r */
    const RowsView *x = &rows->view[v];

    for (size_t i = (size_t)x->off * P; i < (size_t)(x->off + x->d) * P; i++) sdca->w[i] = -ctx->g[i] / x->ridge;
  }
  PetscCall(PetscArrayzero(sdca->moved, DP));
  if (sdca->h) PetscCall(PetscArrayzero(sdca->h, DP));
  PetscCall(PetscArrayzero(sdca->a, asize));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const StochasticMethod SDCAMethod = {KSPSDCA, 1.0, 1.0, 0.0, PETSC_TRUE, SDCACheck, SDCAStart, SDCAStage, SDCAMoved, SDCAFree};

SLEPC_EXTERN PetscErrorCode KSPCreate_SDCA(KSP ksp)
{
  PetscFunctionBegin;
  PetscCall(StochasticCreate(ksp, &SDCAMethod, sizeof(SDCA)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
