/* SPDX-License-Identifier: BSD-2-Clause */
/*
   KSPKATYUSHA = "katyusha": Katyusha, accelerated stochastic variance reduced gradients, for A w = b, A = (1/n) sum_i F_i' S
   F_i + ridge with S >= 0.

   A stage starts with the snapshot w~, its gradient g = A w~ - b, and y and z from the stage before (at first w~). With tau_1 =
   min(1/2, sqrt(m mu/(3L))), alpha = 1/(3 tau_1 L) and mu a lower bound of the spectrum, its m steps are

     x = tau_1 z + w~/2 + (1/2 - tau_1) y
     z+ = z - alpha (F_i' S F_i (x - w~) + ridge (x - w~) + g)
     y+ = x + tau_1 (z+ - z)

   and the next snapshot is the mean of the m y's with the weights (1 + alpha mu)^j (cut where the first weighs less than
   e^{-30} of the last, beyond which it makes no difference, so that none overflows).

   Samples are sparse, g is not. Relative to w~, an unknown that the sample does not touch goes through h = (z,y):

     h+ = M h - alpha (1,tau_1)' g,   M = [1 - alpha ridge tau_1, -alpha ridge a; rho tau_1, rho a],

   a = 1/2 - tau_1, rho = 1 - tau_1 alpha ridge. M^k is nearly singular, so that the trick of svrg.c (to keep M^{-k} h) is not
   for it. Instead every unknown knows when it was touched last; when it is touched again t steps later, M^t, the sum of
   powers that g is multiplied by, and the weighted sums of both that the mean of the y's needs, come from a table: one for
   t < 512 and one for the multiples of 512, so that both stay in cache and no t takes more than two looks. Dense views touch
   every unknown in every step and need none of this. Centring, see rows.c, is another unknown of this kind, with the
   sample's -1 in each step.

   On several ranks w~, y and z are averaged over the ranks after a stage. Where the line search finds that the step of w~ was
   far from the right length, y and z start again from w~.

   Reference:
     Z. Allen-Zhu, Katyusha: the first direct acceleration of stochastic gradient methods, J. Mach. Learn. Res. 18 (2017),
       1-51.
*/
#include "stochastic.h"

enum {
  PLANE_Z,
  PLANE_Y,
  PLANE_G,
  PLANE_SUM,
  PLANES
};

/* Momentum starts again where the line search goes more than this times the step, or less than the inverse: it was far off then */
#define KATYUSHA_LENGTH 2.0

/* The first y of a stage weighs e^-30 of the last at least: less makes no difference, and could overflow */
#define KATYUSHA_EXPONENT 30.0

/* Entries of the fine table, behind which are those of the coarse one: both stay in the cache for millions of steps */
#define BITS 9
#define FINE (1 << BITS)

/* After t steps without a sample: z = mzz z + mzy y + pz g, y = myz z + myy y + py g; sum of theta^{l-1} y_l = qz z + qy y + qg g */
typedef struct {
  PetscReal mzz, mzy, myz, myy, pz, py, qz, qy, qg;
} Power;

/* What a stage gives, and the next one starts from, is the step and, both relative to w~, z and y */
typedef struct {
  PetscReal convexity; /* lower bound of the spectrum as it was set, or PETSC_DECIDE */
  PetscInt *stamp;     /* when the unknown was touched last */
  /* tables, made for */
  PetscReal  eta, mu, ridge[2];
  PetscInt   m;                        /* steps */
  PetscReal  tau, alpha, theta, total; /* total is the sum of all weights */
  Power     *power[2];
  PetscReal *weight; /* theta^l for l < 512, and behind them theta^{512 l - m} */
} Katyusha;

/* One view in the course of a stage */
typedef struct {
  PetscScalar *z, *y, *g, *sum;
  PetscInt    *stamp;
  const Power *power;
  PetscScalar  ez[ROWS_WIDTH], ey[ROWS_WIDTH], hz[ROWS_WIDTH], hy[ROWS_WIDTH]; /* multiples of conj(m) in z and y; m^T z, m^T y */
  PetscScalar  mg[ROWS_WIDTH], esum[ROWS_WIDTH];                               /* m^T g; the weighted sum of ey */
} View;

/* theta^{l-m} */
ROWS_KERNEL PetscReal KatyushaWeight(const PetscReal *weight, PetscInt l)
{
  return weight[l & (FINE - 1)] * weight[FINE + (l >> BITS)];
}

static PetscErrorCode KatyushaTables(KSP ksp, PetscReal mu)
{
  KSP_Stochastic *ctx   = (KSP_Stochastic *)ksp->data;
  Katyusha       *k     = (Katyusha *)ctx->data;
  Rows           *rows  = &ctx->rows;
  const PetscInt  m     = ctx->m;
  PetscReal       steps = ctx->passes * (PetscReal)rows->N / (PetscReal)rows->size; /* of a rank, on average */

  PetscFunctionBegin;
  if (k->weight && k->eta == ctx->eta && k->mu == mu && k->m == m && k->ridge[0] == rows->view[0].ridge && k->ridge[1] == rows->view[1].ridge) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree(k->weight));
  for (PetscInt v = 0; v < 2; v++) PetscCall(PetscFree(k->power[v]));
  k->eta   = ctx->eta;
  k->mu    = mu;
  k->m     = m;
  k->tau   = PetscMin(0.5, PetscSqrtReal(steps * mu * ctx->eta / 3.0));
  k->alpha = ctx->eta / (3.0 * k->tau);
  k->theta = PetscMin(1.0 + k->alpha * mu, PetscExpReal(KATYUSHA_EXPONENT / (PetscReal)PetscMax(1, m)));
  k->total = 0.0;
  PetscCall(PetscMalloc1(FINE + (m >> BITS) + 1, &k->weight));
  for (PetscInt l = 0; l < FINE; l++) k->weight[l] = PetscPowReal(k->theta, (PetscReal)l);
  for (PetscInt l = 0; l <= m >> BITS; l++) k->weight[FINE + l] = PetscPowReal(k->theta, (PetscReal)((l << BITS) - m));
  for (PetscInt l = 0; l < m; l++) k->total += KatyushaWeight(k->weight, l);
  for (PetscInt v = 0; v < rows->nv; v++) {
    const PetscReal ridge = rows->view[v].ridge, a = 0.5 - k->tau, rho = 1.0 - k->tau * k->alpha * ridge;
    const PetscReal zz = 1.0 - k->alpha * ridge * k->tau, zy = -k->alpha * ridge * a, yz = rho * k->tau, yy = rho * a;
    PetscReal       weight = 1.0;
    Power           p      = {1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0}, q;

    k->ridge[v] = ridge;
    PetscCall(PetscMalloc1(FINE + (m >> BITS) + 1, &k->power[v]));
    for (PetscInt t = 0; t <= PetscMax(m, FINE); t++, weight *= k->theta) {
      if (t < FINE) k->power[v][t] = p;
      if (t <= m && !(t & (FINE - 1))) k->power[v][FINE + (t >> BITS)] = p;
      q.mzz = zz * p.mzz + zy * p.myz;
      q.mzy = zz * p.mzy + zy * p.myy;
      q.myz = yz * p.mzz + yy * p.myz;
      q.myy = yz * p.mzy + yy * p.myy;
      q.pz  = zz * p.pz + zy * p.py - k->alpha;
      q.py  = yz * p.pz + yy * p.py - k->alpha * k->tau;
      q.qz  = p.qz + weight * q.myz;
      q.qy  = p.qy + weight * q.myy;
      q.qg  = p.qg + weight * q.py;
      p     = q;
    }
  }
  if (rows->nv == 1) k->ridge[1] = rows->view[1].ridge;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* z, y and the sum of one unknown after the steps that M stands for; weight is that of the first of them. h overlaps with no table. */
ROWS_KERNEL void KatyushaApply(PetscInt p, const Power *restrict M, PetscReal weight, PetscScalar *restrict h)
{
  for (PetscInt k = 0; k < p; k++) {
    const PetscScalar z = h[PLANE_Z * p + k], y = h[PLANE_Y * p + k], g = h[PLANE_G * p + k];

    h[PLANE_SUM * p + k] += weight * (M->qz * z + M->qy * y + M->qg * g);
    h[PLANE_Z * p + k] = M->mzz * z + M->mzy * y + M->pz * g;
    h[PLANE_Y * p + k] = M->myz * z + M->myy * y + M->py * g;
  }
}

/* The unknown whose planes (of a sparse view) begin at h is at time from: brings it to time to */
ROWS_KERNEL void KatyushaCatchUp(PetscInt p, const Power *restrict power, const PetscReal *restrict weight, PetscScalar *restrict h, PetscInt from, PetscInt to)
{
  const PetscInt fine = (to - from) & (FINE - 1), coarse = (to - from) >> BITS;

  if (PetscLikely(fine)) KatyushaApply(p, power + fine, KatyushaWeight(weight, from), h);
  if (PetscUnlikely(coarse)) KatyushaApply(p, power + FINE + coarse, KatyushaWeight(weight, from + fine), h);
}

/* t = x_i'(tau z + a y) of a sparse view at time now, to which the unknowns of the sample are brought */
ROWS_KERNEL void KatyushaDot(const Katyusha *kat, const RowsView *x, PetscInt i, PetscInt p, PetscInt now, const View *w, PetscScalar *t)
{
  const PetscInt n            = x->ia[i + 1] - x->ia[i];
  const PetscInt *restrict ja = x->ja + x->ia[i], *restrict stamp = w->stamp;
  const PetscScalar *restrict a    = x->a + x->ia[i];
  const Power *restrict power      = w->power;
  const PetscReal *restrict weight = kat->weight, tau = kat->tau, rest = 0.5 - kat->tau;
  PetscScalar *restrict state = w->z;
  PetscScalar sum[ROWS_WIDTH];

  for (PetscInt k = 0; k < p; k++) sum[k] = 0.0;
  for (PetscInt l = 0; l < n; l++) {
    const PetscInt from     = stamp[ja[l]];
    PetscScalar *restrict h = state + ja[l] * PLANES * p;

    KatyushaCatchUp(p, power, weight, h, from, now);
    for (PetscInt k = 0; k < p; k++) sum[k] += a[l] * (tau * h[PLANE_Z * p + k] + rest * h[PLANE_Y * p + k]);
  }
  for (PetscInt k = 0; k < p; k++) t[k] = sum[k];
}

/* The step of one unknown, with x = tau z + a y: d = alpha (ridge x + g) - f x_i, z <- z - d, y <- x - tau d; f = -alpha S t */
ROWS_KERNEL void KatyushaUpdate(const Katyusha *kat, PetscInt p, PetscReal ridge, PetscReal weight, PetscScalar entry, const PetscScalar *f, PetscScalar *restrict z, PetscScalar *restrict y, const PetscScalar *restrict g, PetscScalar *restrict sum)
{
  const PetscReal tau = kat->tau, rest = 0.5 - tau, alpha = kat->alpha, shrink = alpha * ridge;

  for (PetscInt k = 0; k < p; k++) {
    const PetscScalar at = tau * z[k] + rest * y[k], d = shrink * at + alpha * g[k] - PetscConj(entry) * f[k], next = at - tau * d;

    z[k] -= d;
    y[k] = next;
    sum[k] += weight * next;
  }
}

ROWS_KERNEL void KatyushaStep(const Katyusha *kat, const RowsView *x, PetscInt i, PetscInt p, PetscInt now, View *w, const PetscScalar *f)
{
  const PetscReal weight = KatyushaWeight(kat->weight, now);

  if (x->dense) {
    const PetscScalar *restrict row = x->a + (size_t)i * (size_t)x->d, *restrict g = w->g;
    PetscScalar *restrict z = w->z, *restrict y = w->y, *restrict sum = w->sum;

    for (PetscInt j = 0; j < x->d; j++) KatyushaUpdate(kat, p, x->ridge, weight, row[j], f, z + j * p, y + j * p, g + j * p, sum + j * p);
  } else {
    const PetscInt n = x->ia[i + 1] - x->ia[i], *restrict ja = x->ja + x->ia[i];
    const PetscScalar *restrict a = x->a + x->ia[i];
    PetscInt *restrict stamp      = w->stamp;

    for (PetscInt l = 0; l < n; l++) {
      PetscScalar *h = w->z + ja[l] * PLANES * p;

      KatyushaUpdate(kat, p, x->ridge, weight, a[l], f, h + PLANE_Z * p, h + PLANE_Y * p, h + PLANE_G * p, h + PLANE_SUM * p);
      stamp[ja[l]] = now + 1;
    }
  }
}

ROWS_KERNEL void KatyushaSteps(const KSP_Stochastic *ctx, const Katyusha *kat, PetscInt p, View *w)
{
  const Rows     *rows = &ctx->rows;
  const PetscReal tau = kat->tau, a = 0.5 - tau, alpha = kat->alpha;

  for (PetscInt l = 0; l < ctx->m; l++) {
    const PetscInt i = ctx->sample[l];
    PetscScalar    t[2][ROWS_WIDTH], f[2][ROWS_WIDTH], ty[ROWS_WIDTH];

    if (l + ROWS_AHEAD < ctx->m) RowsPrefetch(rows, ctx->sample[l + ROWS_AHEAD]);
    for (PetscInt v = 0; v < rows->nv; v++) { /* t = F_i (x - w~) */
      const RowsView *x = &rows->view[v];

      if (x->dense) {
        RowsDot2(x, i, PLANES, p, w[v].z, w[v].y, t[v], ty);
        for (PetscInt k = 0; k < p; k++) t[v][k] = tau * t[v][k] + a * ty[k];
      } else KatyushaDot(kat, x, i, p, l, &w[v], t[v]);
      if (x->mean)
        for (PetscInt k = 0; k < p; k++) t[v][k] += (x->mu[i] - x->mm) * (tau * w[v].ez[k] + a * w[v].ey[k]) - (tau * w[v].hz[k] + a * w[v].hy[k]);
    }
    RowsCouple(rows, p, ctx->weight ? -alpha * ctx->weight[i] : -alpha, (const PetscScalar(*)[ROWS_WIDTH])t, f); /* f = -alpha S t */
    for (PetscInt v = 0; v < rows->nv; v++) {
      const RowsView *x      = &rows->view[v];
      const Power     M      = w[v].power[1];
      const PetscReal weight = KatyushaWeight(kat->weight, l);

      KatyushaStep(kat, x, i, p, l, &w[v], f[v]);
      if (x->mean) {
        for (PetscInt k = 0; k < p; k++) {
          const PetscScalar ez = w[v].ez[k], hz = w[v].hz[k], s = PetscConj(x->mu[i]) * f[v][k];

          w[v].ez[k] = M.mzz * ez + M.mzy * w[v].ey[k] - f[v][k];
          w[v].ey[k] = M.myz * ez + M.myy * w[v].ey[k] - tau * f[v][k];
          w[v].esum[k] += weight * w[v].ey[k];
          w[v].hz[k] = M.mzz * hz + M.mzy * w[v].hy[k] + M.pz * w[v].mg[k] + s;
          w[v].hy[k] = M.myz * hz + M.myy * w[v].hy[k] + M.py * w[v].mg[k] + tau * s;
        }
      }
    }
  }
}

#define KATYUSHA_STEPS(width) KatyushaSteps(ctx, kat, width, w)

/* One stage for columns first..first+p-1 */
static void KatyushaColumns(KSP_Stochastic *ctx, PetscInt first, PetscInt p)
{
  const Rows    *rows = &ctx->rows;
  Katyusha      *kat  = (Katyusha *)ctx->data;
  const PetscInt P    = ctx->P;
  const size_t   DP   = (size_t)rows->D * (size_t)P;
  View           w[2];

  for (PetscInt v = 0; v < rows->nv; v++) {
    const RowsView *x = &rows->view[v];

    w[v].z     = RowsPlane(x, PLANES, p, ctx->state, PLANE_Z);
    w[v].y     = RowsPlane(x, PLANES, p, ctx->state, PLANE_Y);
    w[v].g     = RowsPlane(x, PLANES, p, ctx->state, PLANE_G);
    w[v].sum   = RowsPlane(x, PLANES, p, ctx->state, PLANE_SUM);
    w[v].stamp = kat->stamp + x->off;
    w[v].power = kat->power[v];
    for (PetscInt k = 0; k < p; k++) w[v].ez[k] = w[v].ey[k] = w[v].esum[k] = 0.0;
    for (PetscInt j = 0; j < x->d; j++) w[v].stamp[j] = 0;
    RowsLoad(x, PLANES, p, ctx->result + DP, P, first, w[v].z, w[v].hz);
    RowsLoad(x, PLANES, p, ctx->result + 2 * DP, P, first, w[v].y, w[v].hy);
    RowsLoad(x, PLANES, p, ctx->g, P, first, w[v].g, w[v].mg);
    RowsLoad(x, PLANES, p, NULL, P, first, w[v].sum, NULL);
  }
  ROWS_DISPATCH(p, KATYUSHA_STEPS);
  for (PetscInt v = 0; v < rows->nv; v++) {
    const RowsView *x = &rows->view[v];

    for (PetscInt j = 0; j < x->d && !x->dense; j++) KatyushaCatchUp(p, w[v].power, kat->weight, w[v].z + j * RowsStride(x, PLANES, p), w[v].stamp[j], ctx->m);
    RowsStore(x, PLANES, p, ctx->result, P, first, w[v].sum, w[v].esum, 1.0 / kat->total);
    RowsStore(x, PLANES, p, ctx->result + DP, P, first, w[v].z, w[v].ez, 1.0);
    RowsStore(x, PLANES, p, ctx->result + 2 * DP, P, first, w[v].y, w[v].ey, 1.0);
  }
}

/* z and y relative to where the snapshot is now */
static PetscErrorCode KatyushaFollow(KSP ksp)
{
  KSP_Stochastic *ctx  = (KSP_Stochastic *)ksp->data;
  const size_t    DP   = (size_t)ctx->rows.D * (size_t)ctx->P;
  PetscScalar    *step = ctx->result, *z = step + DP, *y = z + DP;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < ctx->P; k++) {
    const PetscReal length = ctx->length[k];
    const PetscBool again  = (PetscBool) !(length >= 1.0 / KATYUSHA_LENGTH && length <= KATYUSHA_LENGTH);

    if (again) PetscCall(PetscInfo(ksp, "stage %" PetscInt_FMT ": the line search went %g of the step, momentum starts again\n", ksp->its, (double)length));
    for (size_t i = (size_t)k; i < DP; i += (size_t)ctx->P) {
      z[i] = again ? 0.0 : z[i] - length * step[i];
      y[i] = again ? 0.0 : y[i] - length * step[i];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KatyushaFree(KSP ksp)
{
  Katyusha *kat = (Katyusha *)((KSP_Stochastic *)ksp->data)->data;

  PetscFunctionBegin;
  PetscCall(PetscFree(kat->stamp));
  PetscCall(PetscFree(kat->weight));
  for (PetscInt v = 0; v < 2; v++) PetscCall(PetscFree(kat->power[v]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KatyushaCheck(KSP ksp)
{
  KSP_Stochastic *ctx  = (KSP_Stochastic *)ksp->data;
  Rows           *rows = &ctx->rows;

  PetscFunctionBegin;
  PetscCheck(rows->psd, PetscObjectComm((PetscObject)ksp), PETSC_ERR_SUP, "KSP type %s needs samples that are convex each for itself, and the coupling [%g %g; %g %g] of the operator is not positive semidefinite: use KSP type %s", KSPKATYUSHA,
             (double)rows->S[0][0], (double)rows->S[0][1], (double)rows->S[1][0], (double)rows->S[1][1], KSPSVRG);
  PetscCheck(((Katyusha *)ctx->data)->convexity > 0.0 || rows->ridgemin > 0.0, PetscObjectComm((PetscObject)ksp), PETSC_ERR_SUP, "KSP type %s needs a positive lower bound of the spectrum and the ridge is %g: set one by MatGramSetRidge(), or the bound by KSPKatyushaSetConvexity()", KSPKATYUSHA,
             (double)rows->ridgemin);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KatyushaStart(KSP ksp)
{
  KSP_Stochastic *ctx  = (KSP_Stochastic *)ksp->data;
  Rows           *rows = &ctx->rows;
  Katyusha       *kat  = (Katyusha *)ctx->data;
  const size_t    DP   = (size_t)rows->D * (size_t)ctx->P;

  PetscFunctionBegin;
  if (!kat->stamp) PetscCall(PetscMalloc1(rows->D, &kat->stamp));
  PetscCall(KatyushaTables(ksp, kat->convexity > 0.0 ? kat->convexity : rows->ridgemin));
  PetscCall(PetscArrayzero(ctx->result + DP, 2 * DP));
  PetscFunctionReturn(PETSC_SUCCESS);
}

NAPIMethodSetter(KSP, KSP_Stochastic, KSPKatyushaSetConvexity_Katyusha, PetscReal, StochasticSetPositive(object, "A lower bound of the spectrum", value, &((Katyusha *)ctx->data)->convexity));

/*@
   KSPKatyushaSetConvexity - Sets the lower bound of the spectrum of the operator by which KSPKATYUSHA chooses its momentum.

   Logically Collective

   Input Parameters:
+  ksp - the solver
-  mu  - the bound, or PETSC_DECIDE for the smaller ridge of the operator, the default

   Options Database Key:
.  -ksp_katyusha_convexity <mu> - sets the bound

   Level: intermediate

   Note:
   The ridge is safe. A larger bound, up to the smallest eigenvalue, converges faster.

.seealso: KSPKATYUSHA, KSPKatyushaGetConvexity()
@*/
PetscErrorCode KSPKatyushaSetConvexity(KSP ksp, PetscReal mu)
{
  NAPIMethodSet(KSP, ksp, KSPKatyushaSetConvexity, PetscReal, Real, mu);
}

NAPIMethodGetter(KSP, KSP_Stochastic, KSPKatyushaGetConvexity_Katyusha, PetscReal, ((Katyusha *)ctx->data)->convexity);

/*@
   KSPKatyushaGetConvexity - Gets the lower bound of the spectrum that was set.

   Not Collective

   Input Parameter:
.  ksp - the solver

   Output Parameter:
.  mu - the bound, PETSC_DECIDE if none was set

   Level: intermediate

.seealso: KSPKATYUSHA, KSPKatyushaSetConvexity()
@*/
PetscErrorCode KSPKatyushaGetConvexity(KSP ksp, PetscReal *mu)
{
  NAPIMethodGet(KSP, ksp, KSPKatyushaGetConvexity, PetscReal, mu);
}

static PetscErrorCode KatyushaSetFromOptions(KSP ksp, NAPIOptionItems PetscOptionsObject)
{
  PetscReal mu;
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(KSPKatyushaGetConvexity(ksp, &mu));
  PetscCall(PetscOptionsReal("-ksp_katyusha_convexity", "Lower bound of the spectrum of the operator", "KSPKatyushaSetConvexity", mu, &mu, &set));
  if (set) PetscCall(KSPKatyushaSetConvexity(ksp, mu));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KatyushaCompose(KSP ksp, PetscBool known)
{
  PetscFunctionBegin;
  NAPIMethodCompose(ksp, known, KSPKatyushaSetConvexity, Katyusha);
  NAPIMethodCompose(ksp, known, KSPKatyushaGetConvexity, Katyusha);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const StochasticMethod KatyushaMethod = {
  .name           = KSPKATYUSHA,
  .stepfactor     = 1.0,
  .stagefactor    = 2.0,
  .flops          = 31.0,
  .planes         = PLANES,
  .results        = 3,
  .check          = KatyushaCheck,
  .start          = KatyushaStart,
  .columns        = KatyushaColumns,
  .follow         = KatyushaFollow,
  .free           = KatyushaFree,
  .compose        = KatyushaCompose,
  .setfromoptions = KatyushaSetFromOptions,
};

/*MC
   KSPKATYUSHA - KSPKATYUSHA = "katyusha" - Katyusha, the accelerated form of SVRG, for a MATGRAM with a ridge

   Options Database Keys:
+  -ksp_katyusha_step <eta>              - 1/L, by default with L as for KSPSVRG
.  -ksp_katyusha_stage <m>               - number of steps of a stage, by default twice the number of samples
.  -ksp_katyusha_sampling <uniform,norm> - how samples are drawn
.  -ksp_katyusha_seed <seed>             - of the random numbers
.  -ksp_katyusha_linesearch <bool>       - exact line search along the step of a stage
-  -ksp_katyusha_convexity <mu>          - lower bound of the spectrum of the operator, by default the smaller ridge

   Level: intermediate

   Note:
   Faster than KSPSVRG once L/(mu n) exceeds a few. The coupling of the operator must be positive semidefinite, as that of
   the covariances is. See KSPSVRG for what the stochastic methods have in common.

.seealso: KSPSVRG, KSPKatyushaSetConvexity()
M*/
SLEPC_EXTERN PetscErrorCode KSPCreate_Katyusha(KSP ksp)
{
  PetscFunctionBegin;
  PetscCall(StochasticCreate(ksp, &KatyushaMethod, sizeof(Katyusha)));
  ((Katyusha *)((KSP_Stochastic *)ksp->data)->data)->convexity = (PetscReal)PETSC_DECIDE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
