/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The frame of the KSP types svrg, katyusha, saga and sdca, which solve A X = B for a MATGRAM

     A = (1/n) sum_i F_i' S F_i + ridge,   F_i = diag(x_i', y_i'),

   by steps that look at one sample each. How this file is built (it is in this order):

     RowsSetUp(), RowsGet()          the samples of the operator: norms, centering, scaling
     StochasticSampling(), ...       how they are drawn
     StochasticGather(), ...         blocks: the residual to all ranks, the operator times the step
     StochasticResidual()            the residual and its norms, for the convergence test of ../columns
     StochasticSolve()               stages until the residual is small
     KSPStochasticSetStep(), ...     options, view, create, destroy

   All methods solve for the correction to the solution as it stands: a stage starts with the residual R (whose negative g
   is the gradient) and ends with a proposed step d. One product, A d, then serves three purposes: it shows how far to go
   along d (a = 1, or where that minimises the energy norm of the error, a = d'r/d'Ad), it is the test of convergence, and
   R - A d a is the gradient of the next stage. So a nonzero initial guess needs nothing of its own, and nothing cancels
   near convergence.

   Centering. Sample i is x_i - m. Dense views are copied with m taken off. For sparse ones an iterate is kept as
   w + conj(m) e with a number e, and m^T w along with it: with mu_i = x_i^T conj(m), computed once,

     (x_i - m)^T (w + conj(m) e) = x_i^T w - m^T w + (mu_i - m'm) e
     w += conj(x_i - m) f:   w += conj(x_i) f,  m^T w += conj(mu_i) f,  e -= f

   so that a step costs the nonzeros of x_i.
*/
#include "rows.h"
#include <slepcnapi/private/gramimpl.h>

const char *const KSPStochasticSamplings[] = {"UNIFORM", "NORM", "KSPStochasticSampling", "KSP_STOCHASTIC_", NULL};

/* ------------------------------------------- the samples ------------------------------------------- */

static PetscErrorCode RowsReset(Rows *rows)
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

/* What the steps need to know of one view: centered and scaled values, norms, and where centering is implicit mu_i and m'm */
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
    PetscCall(MatGramGetScales(rows->G, v, factor));
  }
  PetscCall(MatGramGetLocalRows(rows->G, v, &n, &ia, &ja, &a));
  rows->n  = n;
  x->dense = ia ? PETSC_FALSE : PETSC_TRUE;
  nz       = ia ? ia[n] : n * x->d;
  if (scale || (center && x->dense)) {
    PetscCall(PetscMalloc1(nz, &x->own));
    if (x->dense) {
      for (PetscInt i = 0; i < n; i++)
        for (PetscInt j = 0; j < x->d; j++) x->own[i * x->d + j] = (a[i * x->d + j] - (center ? mean[j] : 0.0)) * (scale ? factor[j] : 1.0);
    } else
      for (PetscInt l = 0; l < nz; l++) x->own[l] = a[l] * factor[ja[l]];
  }
  value = x->own ? x->own : a;
  PetscCall(PetscMalloc1(n, &x->norm2));
  x->mm = 0.0;
  if (center && !x->dense) {
    if (scale)
      for (PetscInt j = 0; j < x->d; j++) mean[j] *= factor[j];
    for (PetscInt j = 0; j < x->d; j++) x->mm += PetscRealPart(mean[j] * PetscConj(mean[j]));
    PetscCall(PetscMalloc1(n, &x->mu));
    for (PetscInt i = 0; i < n; i++) {
      x->mu[i] = 0.0;
      for (PetscInt l = ia[i]; l < ia[i + 1]; l++) x->mu[i] += value[l] * PetscConj(mean[ja[l]]);
    }
    x->mean = mean;
    mean    = NULL;
  }
  for (PetscInt i = 0; i < n; i++) {
    PetscReal sum = 0.0;

    if (x->dense)
      for (PetscInt j = 0; j < x->d; j++) sum += PetscRealPart(value[i * x->d + j] * PetscConj(value[i * x->d + j]));
    else
      for (PetscInt l = ia[i]; l < ia[i + 1]; l++) sum += PetscRealPart(value[l] * PetscConj(value[l]));
    if (x->mean) sum = PetscMax(0.0, sum - 2.0 * PetscRealPart(x->mu[i]) + x->mm);
    x->norm2[i] = sum;
  }
  PetscCall(MatGramRestoreLocalRows(rows->G, v, &n, &ia, &ja, &a));
  PetscCall(PetscFree(mean));
  PetscCall(PetscFree(factor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Looks at the operator, unless it is the one of the last solve; changed says which */
static PetscErrorCode RowsSetUp(KSP ksp, Mat G, PetscBool *changed)
{
  KSP_Stochastic  *ctx  = (KSP_Stochastic *)ksp->data;
  Rows            *rows = &ctx->rows;
  Mat              X[2];
  PetscObjectId    id;
  PetscObjectState state[3] = {0, 0, 0};
  PetscReal        sum[2];
  PetscBool        isgram, center, scale;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)G, MATGRAM, &isgram));
  PetscCheck(isgram, PetscObjectComm((PetscObject)ksp), PETSC_ERR_SUP, "KSP type %s goes from sample to sample: its operator must be of type %s (MatCreateGram()), not %s. Any positive definite operator will do for KSP types %s and %s", ctx->method->name, MATGRAM,
             ((PetscObject)G)->type_name ? ((PetscObject)G)->type_name : "unknown", KSPNESTEROV, KSPBLOCKCG);
  PetscCall(MatGramGetViews(G, &X[0], &X[1]));
  PetscCheck(X[0], PetscObjectComm((PetscObject)ksp), PETSC_ERR_ORDER, "The operator has no data yet: call MatGramSetViews()");
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
  PetscCall(MatGramGetScaling(G, &scale));
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

/* ------------------------------------------- drawing samples ------------------------------------------- */

/*
   Probabilities p_i of the local samples, weights 1/(n p_i), and L = max_i L_i/(n p_i) + ridge over all ranks. With
   probabilities that differ, Walker's alias method: bin i of n has sample i in its first part, of length prob_i, and
   sample alias_i in the rest.
*/
static PetscErrorCode StochasticSampling(KSP ksp)
{
  KSP_Stochastic *ctx  = (KSP_Stochastic *)ksp->data;
  Rows           *rows = &ctx->rows;
  PetscInt        i, n = rows->n, *queue, small = 0, large = n;
  PetscReal       sum = 0.0, L = 0.0;

  PetscFunctionBegin;
  PetscCall(PetscFree(ctx->prob));
  PetscCall(PetscFree(ctx->alias));
  PetscCall(PetscFree(ctx->weight));
  ctx->drawn     = ctx->sampling;
  ctx->havedrawn = PETSC_TRUE;
  if (ctx->sampling == KSP_STOCHASTIC_NORM) {
    for (i = 0; i < n; i++) sum += rows->L[i];
    PetscCall(PetscMalloc1(n, &ctx->prob));
    PetscCall(PetscMalloc1(n, &ctx->alias));
    PetscCall(PetscMalloc1(n, &ctx->weight));
    PetscCall(PetscMalloc1(n, &queue)); /* bins that are not full from the front, too full ones from the end */
    for (i = 0; i < n; i++) {           /* n p_i */
      ctx->prob[i]   = sum > 0.0 ? ctx->method->mixture + (1.0 - ctx->method->mixture) * rows->L[i] * (PetscReal)n / sum : 1.0;
      ctx->weight[i] = ctx->prob[i] > 0.0 ? 1.0 / ctx->prob[i] : 0.0;
      ctx->alias[i]  = i;
      L              = PetscMax(L, ctx->weight[i] * rows->L[i]);
      if (ctx->prob[i] < 1.0) queue[small++] = i;
      else queue[--large] = i;
    }
    while (small > 0 && large < n) {
      PetscInt s = queue[--small], l = queue[large];

      ctx->alias[s] = l;
      ctx->prob[l] -= 1.0 - ctx->prob[s];
      if (ctx->prob[l] < 1.0) {
        large++;
        queue[small++] = l;
      }
    }
    while (small > 0) ctx->prob[queue[--small]] = 1.0; /* what rounding has left over */
    PetscCall(PetscFree(queue));
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &L, 1, MPIU_REAL, MPIU_MAX, PetscObjectComm((PetscObject)ksp)));
  } else L = rows->Lmax;
  if (ctx->method->permutes) {
    PetscCall(PetscMalloc1(n, &ctx->alias));
    for (i = 0; i < n; i++) ctx->alias[i] = i;
    ctx->position = 0;
  }
  ctx->L = L + rows->ridgemax;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A number from 0 to n-1 */
static inline PetscErrorCode StochasticIndex(PetscRandom random, PetscInt n, PetscInt *i, PetscReal *rest)
{
  PetscReal r;

  PetscFunctionBegin;
  PetscCall(PetscRandomGetValueReal(random, &r));
  r *= (PetscReal)n;
  *i    = PetscMin((PetscInt)r, n - 1);
  *rest = r - (PetscReal)*i;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The m samples of a stage */
static PetscErrorCode StochasticDraw(KSP ksp)
{
  KSP_Stochastic *ctx = (KSP_Stochastic *)ksp->data;
  PetscInt        i = 0, l, n = ctx->rows.n;
  PetscReal       rest = 0.0;

  PetscFunctionBegin;
  if (!ctx->random) {
    PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &ctx->random));
    PetscCall(PetscRandomSetType(ctx->random, PETSCRANDER48));
  }
  if (!ctx->seeded) { /* seeds that follow each other make similar beginnings: mix */
    PetscCall(PetscRandomSetSeed(ctx->random, (unsigned long)((((PetscInt64)ctx->seed * 64 + ctx->rows.rank + 1) * 2654435761) & 0xffffffff)));
    PetscCall(PetscRandomSeed(ctx->random));
    ctx->seeded   = PETSC_TRUE;
    ctx->position = 0;
    if (ctx->method->permutes)
      for (i = 0; i < n; i++) ctx->alias[i] = i;
  }
  for (l = 0; l < ctx->m; l++) {
    if (ctx->method->permutes) { /* Fisher and Yates, round after round */
      PetscInt j = ctx->position;

      PetscCall(StochasticIndex(ctx->random, n - j, &i, &rest));
      ctx->sample[l]    = ctx->alias[j + i];
      ctx->alias[j + i] = ctx->alias[j];
      ctx->alias[j]     = ctx->sample[l];
      ctx->position     = (j + 1) % n;
    } else {
      PetscCall(StochasticIndex(ctx->random, n, &i, &rest));
      ctx->sample[l] = ctx->weight && rest >= ctx->prob[i] ? ctx->alias[i] : i;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------- blocks ------------------------------------------- */

/* Room for P columns */
static PetscErrorCode StochasticPrepare(KSP ksp, Mat A, PetscInt P)
{
  KSP_Stochastic *ctx = (KSP_Stochastic *)ksp->data;
  PetscInt        nloc;
  size_t          DP = (size_t)ctx->rows.D * (size_t)P;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(A, &nloc, NULL));
  if (ctx->BD && A == ctx->A && P == ctx->P && nloc == ctx->nloc && ctx->rows.D == ctx->Dsize) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatDestroy(&ctx->BD));
  PetscCall(MatDestroy(&ctx->Dmat));
  PetscCall(MatDestroy(&ctx->Rmat));
  PetscCall(PetscFree4(ctx->norm, ctx->ref, ctx->dots, ctx->along));
  PetscCall(PetscFree(ctx->R));
  PetscCall(PetscFree(ctx->d));
  PetscCall(PetscFree(ctx->g));
  PetscCall(PetscFree(ctx->step_all));
  PetscCall(PetscFree(ctx->pack));
  PetscCall((*ctx->method->free)(ksp));
  ctx->A     = A;
  ctx->P     = P;
  ctx->nloc  = nloc;
  ctx->Dsize = ctx->rows.D;
  PetscCall(PetscCalloc4(P, &ctx->norm, P, &ctx->ref, 2 * P + 1, &ctx->dots, P, &ctx->along));
  PetscCall(PetscCalloc1((size_t)nloc * (size_t)P + 1, &ctx->R));
  PetscCall(PetscCalloc1((size_t)nloc * (size_t)P + 1, &ctx->d));
  PetscCall(PetscCalloc1((size_t)nloc * (size_t)P + 1, &ctx->pack));
  PetscCall(PetscCalloc1(DP + 1, &ctx->g));
  PetscCall(PetscCalloc1(DP + 1, &ctx->step_all));
  PetscCall(MatCreateDense(PetscObjectComm((PetscObject)ksp), nloc, PETSC_DECIDE, ctx->rows.D, P, ctx->d, &ctx->Dmat));
  PetscCall(MatSetOption(ctx->Dmat, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE));
  PetscCall(MatAssemblyBegin(ctx->Dmat, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(ctx->Dmat, MAT_FINAL_ASSEMBLY));
  PetscCall(MatProductCreate(A, ctx->Dmat, NULL, &ctx->BD));
  PetscCall(MatProductSetType(ctx->BD, MATPRODUCT_AB));
  PetscCall(MatProductSetFromOptions(ctx->BD));
  PetscCall(MatProductSymbolic(ctx->BD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A d */
static PetscErrorCode StochasticProduct(KSP ksp, const PetscScalar **Ad, PetscInt *ld)
{
  KSP_Stochastic *ctx = (KSP_Stochastic *)ksp->data;

  PetscFunctionBegin;
  PetscCall(PetscObjectStateIncrease((PetscObject)ctx->Dmat));
  PetscCall(MatProductNumeric(ctx->BD));
  PetscCall(MatDenseGetLDA(ctx->BD, ld));
  PetscCall(MatDenseGetArrayRead(ctx->BD, Ad));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* g = -R on every rank, by rows */
PetscErrorCode StochasticGather(KSP ksp)
{
  KSP_Stochastic *ctx = (KSP_Stochastic *)ksp->data;
  const PetscInt *ranges;
  PetscMPIInt    *count, *displ, mine;
  PetscInt        P = ctx->P;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < P; k++)
    for (PetscInt i = 0; i < ctx->nloc; i++) ctx->pack[i * P + k] = -ctx->R[i + k * ctx->nloc];
  if (ctx->rows.size == 1) {
    PetscCall(PetscArraycpy(ctx->g, ctx->pack, (size_t)ctx->nloc * (size_t)P));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatGetOwnershipRanges(ctx->A, &ranges));
  PetscCall(PetscMalloc2(ctx->rows.size, &count, ctx->rows.size, &displ));
  for (PetscMPIInt r = 0; r < ctx->rows.size; r++) {
    PetscCall(PetscMPIIntCast((ranges[r + 1] - ranges[r]) * P, &count[r]));
    PetscCall(PetscMPIIntCast(ranges[r] * P, &displ[r]));
  }
  mine = count[ctx->rows.rank];
  PetscCallMPI(MPI_Allgatherv(ctx->pack, mine, MPIU_SCALAR, ctx->g, count, displ, MPIU_SCALAR, PetscObjectComm((PetscObject)ksp)));
  PetscCall(PetscFree2(count, displ));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The mean of a D x P array over the ranks, each weighted by its samples; on one rank, itself */
PetscErrorCode StochasticAverage(KSP ksp, PetscInt planes, PetscScalar *array)
{
  KSP_Stochastic *ctx    = (KSP_Stochastic *)ksp->data;
  PetscInt        size   = planes * ctx->rows.D * ctx->P;
  PetscReal       weight = (PetscReal)ctx->rows.n / (PetscReal)ctx->rows.N;
  PetscMPIInt     count;

  PetscFunctionBegin;
  if (ctx->rows.size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < size; i++) array[i] *= weight;
  PetscCall(PetscMPIIntCast(size, &count));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, array, count, MPIU_SCALAR, MPIU_SUM, PetscObjectComm((PetscObject)ksp)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   StochasticLocal - One round over the samples of this rank, in their order: a_i = S F_i w, for w D x P by rows. Stores the
   a_i in table (n x nv x P), and (1/n) sum_i F_i' a_i with this rank's n in out, either of which may be NULL.
*/
PetscErrorCode StochasticLocal(KSP ksp, const PetscScalar *w, PetscScalar *table, PetscScalar *out)
{
  KSP_Stochastic *ctx  = (KSP_Stochastic *)ksp->data;
  Rows           *rows = &ctx->rows;
  const PetscInt  P = ctx->P, nv = rows->nv;
  PetscScalar    *t, *c, *mw, *sum;

  PetscFunctionBegin;
  PetscCall(PetscCalloc4(nv * P, &t, nv * P, &c, nv * P, &mw, nv * P, &sum));
  if (out) PetscCall(PetscArrayzero(out, (size_t)rows->D * (size_t)P));
  for (PetscInt v = 0; v < nv; v++) {
    const RowsView *x = &rows->view[v];

    if (x->mean)
      for (PetscInt j = 0; j < x->d; j++)
        for (PetscInt k = 0; k < P; k++) mw[v * P + k] += x->mean[j] * w[(size_t)(x->off + j) * (size_t)P + k];
  }
  for (PetscInt i = 0; i < rows->n; i++) {
    for (PetscInt v = 0; v < nv; v++) {
      const RowsView    *x     = &rows->view[v];
      const PetscInt     first = x->dense ? i * x->d : x->ia[i], last = x->dense ? first + x->d : x->ia[i + 1];
      const PetscScalar *wv = w + (size_t)x->off * (size_t)P;

      for (PetscInt k = 0; k < P; k++) t[v * P + k] = -mw[v * P + k];
      for (PetscInt l = first; l < last; l++) {
        const PetscScalar *wj = wv + (size_t)(x->dense ? l - first : x->ja[l]) * (size_t)P;

        for (PetscInt k = 0; k < P; k++) t[v * P + k] += x->a[l] * wj[k];
      }
    }
    for (PetscInt v = 0; v < nv; v++)
      for (PetscInt k = 0; k < P; k++) c[v * P + k] = rows->S[v][0] * t[k] + (nv > 1 ? rows->S[v][1] * t[P + k] : 0.0);
    if (table) PetscCall(PetscArraycpy(table + (size_t)i * (size_t)(nv * P), c, nv * P));
    if (!out) continue;
    for (PetscInt v = 0; v < nv; v++) {
      const RowsView *x     = &rows->view[v];
      const PetscInt  first = x->dense ? i * x->d : x->ia[i], last = x->dense ? first + x->d : x->ia[i + 1];
      PetscScalar    *ov = out + (size_t)x->off * (size_t)P;

      for (PetscInt k = 0; k < P; k++) {
        c[v * P + k] /= (PetscReal)rows->n;
        sum[v * P + k] += c[v * P + k];
      }
      for (PetscInt l = first; l < last; l++) {
        PetscScalar *oj = ov + (size_t)(x->dense ? l - first : x->ja[l]) * (size_t)P;

        for (PetscInt k = 0; k < P; k++) oj[k] += PetscConj(x->a[l]) * c[v * P + k];
      }
    }
  }
  if (out) {
    for (PetscInt v = 0; v < nv; v++) {
      const RowsView *x = &rows->view[v];

      if (x->mean)
        for (PetscInt j = 0; j < x->d; j++)
          for (PetscInt k = 0; k < P; k++) out[(size_t)(x->off + j) * (size_t)P + k] -= PetscConj(x->mean[j]) * sum[v * P + k];
    }
  }
  PetscCall(PetscFree4(t, c, mw, sum));
  PetscCall(MatGramAddPasses(rows->G, 1.0, P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The flops of a stage that has so many for each nonzero of a sample, and column */
PetscErrorCode StochasticFlops(KSP ksp, PetscReal each)
{
  KSP_Stochastic *ctx  = (KSP_Stochastic *)ksp->data;
  Rows           *rows = &ctx->rows;
  PetscReal       nz   = 0.0;

  PetscFunctionBegin;
  if (!rows->n) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt v = 0; v < rows->nv; v++) nz += rows->view[v].dense ? (PetscReal)rows->n * (PetscReal)rows->view[v].d : (PetscReal)rows->view[v].ia[rows->n];
  PetscCall(PetscLogFlops((PetscLogDouble)(each * nz * (PetscReal)ctx->m / (PetscReal)rows->n * (PetscReal)ctx->P)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* out_k = Re(u_k' w_k) of the P columns, on this rank */
static void StochasticDots(const KSP_Stochastic *ctx, const PetscScalar *u, const PetscScalar *w, PetscInt ldw, PetscReal *out)
{
  for (PetscInt k = 0; k < ctx->P; k++) {
    PetscReal sum = 0.0;

    for (PetscInt i = 0; i < ctx->nloc; i++) sum += PetscRealPart(PetscConj(u[i + k * ctx->nloc]) * w[i + k * ldw]);
    out[k] = sum;
  }
}

static PetscErrorCode StochasticReduce(KSP ksp, PetscInt size, PetscReal *sums)
{
  PetscMPIInt count;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(size, &count));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, count, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)ksp)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* R = B - A X and its norms; reference norms are those of B for a nonzero guess unless KSPConvergedDefault() was told otherwise */
static PetscErrorCode StochasticResidual(KSP ksp, Mat B, Mat X)
{
  KSP_Stochastic         *ctx       = (KSP_Stochastic *)ksp->data;
  KSPConvergedDefaultCtx *cctx      = (KSPConvergedDefaultCtx *)ksp->cnvP;
  PetscBool               isdefault = (PetscBool)(ksp->converged == KSPConvergedDefault);
  const PetscScalar      *b, *Ad;
  PetscScalar            *x;
  PetscInt                k, i, ld, n = ctx->nloc, P = ctx->P;

  PetscFunctionBegin;
  PetscCall(KSPColumnsGetRHS(ksp, B, &b, &ld));
  for (k = 0; k < P; k++) PetscCall(PetscArraycpy(ctx->R + k * n, b + k * ld, n));
  PetscCall(KSPColumnsRestoreRHS(ksp, B, &b));
  StochasticDots(ctx, ctx->R, ctx->R, n, ctx->dots + P); /* b'b */
  if (!ksp->guess_zero) {
    PetscCall(KSPColumnsGetSolution(ksp, X, &x, &ld));
    for (k = 0; k < P; k++) PetscCall(PetscArraycpy(ctx->d + k * n, x + k * ld, n));
    PetscCall(KSPColumnsRestoreSolution(ksp, X, &x));
    PetscCall(StochasticProduct(ksp, &Ad, &ld));
    for (k = 0; k < P; k++)
      for (i = 0; i < n; i++) ctx->R[i + k * n] -= Ad[i + k * ld];
    PetscCall(MatDenseRestoreArrayRead(ctx->BD, &Ad));
  }
  StochasticDots(ctx, ctx->R, ctx->R, n, ctx->dots); /* r'r */
  PetscCall(StochasticReduce(ksp, 2 * P, ctx->dots));
  ctx->scale = 0.0;
  for (k = 0; k < P; k++) {
    PetscReal bnorm = PetscSqrtReal(ctx->dots[P + k]);

    ctx->norm[k] = ctx->ref[k] = PetscSqrtReal(ctx->dots[k]);
    if (!ksp->guess_zero && isdefault && bnorm > 0.0) {
      if (cctx->mininitialrtol) ctx->ref[k] = PetscMin(bnorm, ctx->ref[k]);
      else if (!cctx->initialrtol) ctx->ref[k] = bnorm;
    }
    ctx->scale = PetscMax(ctx->scale, ctx->ref[k]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------- stages ------------------------------------------- */

static StochasticRule StochasticGetRule(KSP_Stochastic *ctx)
{
  if (ctx->method->permutes) return ctx->rows.size > 1 ? STOCHASTIC_LINESEARCH : STOCHASTIC_IF_BETTER;
  if (ctx->linesearch != PETSC_DECIDE) return ctx->linesearch ? STOCHASTIC_LINESEARCH : STOCHASTIC_PLAIN;
  return ctx->rows.size > 1 || !ctx->rows.psd ? STOCHASTIC_LINESEARCH : STOCHASTIC_PLAIN;
}

/* The step, the length of a stage and room for its samples */
static PetscErrorCode StochasticSetUpStages(KSP ksp)
{
  KSP_Stochastic *ctx  = (KSP_Stochastic *)ksp->data;
  Rows           *rows = &ctx->rows;
  PetscReal       m, total;

  PetscFunctionBegin;
  ctx->eta = ctx->step > 0.0 ? ctx->step : (ctx->L > 0.0 ? ctx->shrink * ctx->method->stepfactor / ctx->L : 1.0);
  m        = ctx->stage > 0 ? (PetscReal)ctx->stage : ctx->method->stagefactor * (PetscReal)rows->N;
  ctx->m   = rows->n ? PetscMax(1, (PetscInt)(m * (PetscReal)rows->n / (PetscReal)rows->N + 0.5)) : 0;
  total    = (PetscReal)ctx->m;
  PetscCall(StochasticReduce(ksp, 1, &total));
  ctx->passes = total / (PetscReal)rows->N;
  if (ctx->m > ctx->msize) {
    PetscCall(PetscFree(ctx->sample));
    PetscCall(PetscMalloc1(ctx->m, &ctx->sample));
    ctx->msize = ctx->m;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   How far to go along d, a column each: along_k; with A d at hand. The residual that this leaves goes to norm. Sets the
   reason where the operator is not positive definite.
*/
static PetscErrorCode StochasticAlong(KSP ksp, StochasticRule rule, const PetscScalar *Ad, PetscInt ld, PetscReal *norm)
{
  KSP_Stochastic *ctx = (KSP_Stochastic *)ksp->data;
  PetscInt        i, k, n = ctx->nloc, P = ctx->P;

  PetscFunctionBegin;
  for (k = 0; k < P; k++) ctx->along[k] = 1.0;
  if (rule == STOCHASTIC_LINESEARCH) {
    StochasticDots(ctx, ctx->d, ctx->R, n, ctx->dots);  /* d'r */
    StochasticDots(ctx, ctx->d, Ad, ld, ctx->dots + P); /* d'A d */
    PetscCall(StochasticReduce(ksp, 2 * P, ctx->dots));
    for (k = 0; k < P; k++) {
      if (ctx->dots[P + k] < 0.0) {
        PetscCall(PetscInfo(ksp, "diverging: d'A d = %g for the step of stage %" PetscInt_FMT "\n", (double)ctx->dots[P + k], ksp->its + 1));
        ksp->reason = KSP_DIVERGED_INDEFINITE_MAT;
        PetscFunctionReturn(PETSC_SUCCESS);
      }
      ctx->along[k] = ctx->dots[P + k] > 0.0 ? ctx->dots[k] / ctx->dots[P + k] : (ctx->dots[P + k] == 0.0 ? 0.0 : ctx->dots[P + k]);
    }
  }
  for (k = 0; k < P; k++) {
    PetscReal sum = 0.0;

    for (i = 0; i < n; i++) {
      PetscScalar r = ctx->R[i + k * n] - ctx->along[k] * Ad[i + k * ld];

      sum += PetscRealPart(PetscConj(r) * r);
    }
    norm[k] = sum;
  }
  PetscCall(StochasticReduce(ksp, P, norm));
  for (k = 0; k < P; k++) {
    norm[k] = PetscSqrtReal(norm[k]);
    if (rule == STOCHASTIC_IF_BETTER && !(norm[k] < ctx->norm[k])) {
      ctx->along[k] = 0.0;
      norm[k]       = ctx->norm[k];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Looks at the operator: when the KSP is set up, so that refusing it leaves no solve half begun, and again in every solve */
static PetscErrorCode StochasticOperator(KSP ksp, Mat *A)
{
  KSP_Stochastic *ctx = (KSP_Stochastic *)ksp->data;
  PetscBool       changed;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(ksp->pc, A, NULL));
  PetscCall(RowsSetUp(ksp, *A, &changed));
  if (changed) {
    ctx->shrink    = 1.0;
    ctx->havedrawn = PETSC_FALSE;
  }
  if (ctx->method->check) PetscCall((*ctx->method->check)(ksp));
  if (!ctx->havedrawn || ctx->drawn != ctx->sampling) PetscCall(StochasticSampling(ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* B and X are NULL for the vectors of the KSP */
static PetscErrorCode StochasticSolve(KSP ksp, PetscInt P, Mat B, Mat X)
{
  KSP_Stochastic    *ctx = (KSP_Stochastic *)ksp->data;
  StochasticRule     rule;
  const PetscScalar *Ad;
  PetscScalar       *x;
  PetscReal         *norm = NULL;
  PetscInt           i, k, n, ld, ldx, first, undone = 0;
  Mat                A;

  PetscFunctionBegin;
  if (PetscDefined(USE_COMPLEX)) PetscCheck(!ksp->transpose_solve, PetscObjectComm((PetscObject)ksp), PETSC_ERR_SUP, "Transpose solve with a complex matrix, which is Hermitian and not symmetric");
  PetscCall(StochasticOperator(ksp, &A));
  PetscCall(StochasticPrepare(ksp, A, P));
  PetscCall(StochasticSetUpStages(ksp));
  PetscCall(MatGetOwnershipRange(A, &first, NULL));
  n           = ctx->nloc;
  rule        = StochasticGetRule(ctx);
  ksp->its    = 0;
  ksp->reason = KSP_CONVERGED_ITERATING;

  PetscCall(StochasticResidual(ksp, B, X)); /* R <- B - A X */
  ctx->known = PETSC_TRUE;
  PetscCall(KSPColumnsTest(ksp, B, X, ctx->P, ctx->norm, ctx->ref, ctx->scale, PETSC_TRUE));
  if (ksp->reason) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall((*ctx->method->start)(ksp));
  PetscCall(PetscMalloc1(P, &norm));
  while (!ksp->reason) {
    PetscBool skip = (PetscBool)(ksp->normtype == KSP_NORM_NONE && rule == STOCHASTIC_PLAIN && ksp->its + 1 >= ksp->max_it), bad = PETSC_FALSE;

    if (ksp->its >= ksp->max_it) {
      PetscCall(PetscInfo(ksp, "maximum number of stages reached\n"));
      ksp->reason = KSP_DIVERGED_ITS;
      break;
    }
    PetscCall(StochasticGather(ksp)); /* g <- -R */
    PetscCall(StochasticDraw(ksp));
    PetscCall(RowsGet(&ctx->rows));
    PetscCall((*ctx->method->stage)(ksp)); /* d */
    PetscCall(RowsRestore(&ctx->rows));
    PetscCall(MatGramAddPasses(A, ctx->passes, P));
    for (k = 0; k < P; k++)
      for (i = 0; i < n; i++) ctx->d[i + k * n] = ctx->step_all[(first + i) * P + k];
    if (skip) {
      for (k = 0; k < P; k++) ctx->along[k] = 1.0;
      ctx->known = PETSC_FALSE;
    } else {
      PetscCall(StochasticProduct(ksp, &Ad, &ld)); /* A d */
      PetscCall(StochasticAlong(ksp, rule, Ad, ld, norm));
      if (!ksp->reason) {
        for (k = 0; k < P; k++)
          if (!(norm[k] <= 100.0 * ctx->norm[k])) bad = PETSC_TRUE;
        if (bad && ctx->step <= 0.0 && !ctx->method->permutes && undone < 20) { /* undo the stage: the step is too long */
          PetscCall(MatDenseRestoreArrayRead(ctx->BD, &Ad));
          undone++;
          ctx->shrink *= 0.5;
          PetscCall(PetscInfo(ksp, "stage %" PetscInt_FMT " has made the residual grow: reducing the step to %g of the automatic one\n", ksp->its + 1, (double)ctx->shrink));
          PetscCall(StochasticSetUpStages(ksp));
          PetscCall((*ctx->method->start)(ksp));
          continue;
        }
        for (k = 0; k < P; k++) {
          if (PetscIsInfOrNanReal(norm[k])) ksp->reason = KSP_DIVERGED_NANORINF;
          ctx->norm[k] = norm[k];
        }
      }
      if (!ksp->reason)
        for (k = 0; k < P; k++)
          for (i = 0; i < n; i++) ctx->R[i + k * n] -= ctx->along[k] * Ad[i + k * ld]; /* R <- R - a A d */
      PetscCall(MatDenseRestoreArrayRead(ctx->BD, &Ad));
    }
    ksp->its++;
    if (ksp->reason) {
      if (ksp->reason == KSP_DIVERGED_NANORINF) PetscCall(PetscInfo(ksp, "diverging: NaN or Inf in stage %" PetscInt_FMT "\n", ksp->its));
      break;
    }
    PetscCall(KSPColumnsGetSolution(ksp, X, &x, &ldx));
    for (k = 0; k < P; k++)
      if (ctx->along[k] != 0.0)
        for (i = 0; i < n; i++) x[i + k * ldx] += ctx->along[k] * ctx->d[i + k * n]; /* X <- X + a d */
    PetscCall(KSPColumnsRestoreSolution(ksp, X, &x));
    if (ctx->method->moved) PetscCall((*ctx->method->moved)(ksp, ctx->along));
    PetscCall(KSPColumnsTest(ksp, B, X, ctx->P, ctx->norm, ctx->ref, ctx->scale, PETSC_TRUE));
  }
  PetscCall(PetscFree(norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------- the KSP types ------------------------------------------- */

static PetscErrorCode KSPSetUp_Stochastic(KSP ksp)
{
  Mat       A;
  PetscBool none;

  PetscFunctionBegin;
  PetscCall(StochasticOperator(ksp, &A));
  if (!((PetscObject)ksp->pc)->type_name) PetscCall(PCSetType(ksp->pc, PCNONE));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp->pc, PCNONE, &none));
  if (!none) PetscCall(PetscInfo(ksp, "the preconditioner %s is not used\n", ((PetscObject)ksp->pc)->type_name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPSolve_Stochastic(KSP ksp)
{
  PetscFunctionBegin;
  PetscCall(StochasticSolve(ksp, 1, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* KSPMatSolve() has zeroed X where there is no guess; unlike KSPSolve() it leaves history and total to the type */
static PetscErrorCode KSPMatSolve_Stochastic(KSP ksp, Mat B, Mat X)
{
  PetscInt P;

  PetscFunctionBegin;
  PetscCall(MatGetSize(B, NULL, &P));
  if (ksp->res_hist_reset) ksp->res_hist_len = 0;
  PetscCall(StochasticSolve(ksp, P, B, X));
  ksp->totalits += ksp->its;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPReset_Stochastic(KSP ksp)
{
  KSP_Stochastic *ctx = (KSP_Stochastic *)ksp->data;

  PetscFunctionBegin;
  PetscCall((*ctx->method->free)(ksp));
  PetscCall(MatDestroy(&ctx->BD));
  PetscCall(MatDestroy(&ctx->Dmat));
  PetscCall(MatDestroy(&ctx->Rmat));
  PetscCall(PetscFree4(ctx->norm, ctx->ref, ctx->dots, ctx->along));
  PetscCall(PetscFree(ctx->R));
  PetscCall(PetscFree(ctx->d));
  PetscCall(PetscFree(ctx->g));
  PetscCall(PetscFree(ctx->step_all));
  PetscCall(PetscFree(ctx->pack));
  PetscCall(PetscFree(ctx->sample));
  PetscCall(PetscFree(ctx->prob));
  PetscCall(PetscFree(ctx->alias));
  PetscCall(PetscFree(ctx->weight));
  PetscCall(PetscRandomDestroy(&ctx->random));
  PetscCall(RowsReset(&ctx->rows));
  ctx->A         = NULL;
  ctx->msize     = 0;
  ctx->P         = 0;
  ctx->havedrawn = PETSC_FALSE;
  ctx->seeded    = PETSC_FALSE;
  ctx->known     = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPStochasticSetStep_Stochastic(KSP ksp, PetscReal eta)
{
  KSP_Stochastic *ctx = (KSP_Stochastic *)ksp->data;

  PetscFunctionBegin;
  PetscCheck(eta == (PetscReal)PETSC_DECIDE || (eta > 0.0 && !PetscIsInfOrNanReal(eta)), PetscObjectComm((PetscObject)ksp), PETSC_ERR_ARG_OUTOFRANGE, "The step must be positive, or PETSC_DECIDE: %g", (double)eta);
  ctx->step = eta;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   KSPStochasticSetStep - Sets the step of the KSP types svrg, katyusha and saga.

   Logically Collective

   Input Parameters:
+  ksp - the solver
-  eta - the step, or PETSC_DECIDE for 1/L (saga: 1/(3L)), the default

   Options Database Keys:
+  -ksp_svrg_step <eta>     - for KSPSVRG
.  -ksp_katyusha_step <eta> - for KSPKATYUSHA, where it takes the place of 1/L
-  -ksp_saga_step <eta>     - for KSPSAGA

   Level: intermediate

   Notes:
   L is the largest norm ||F_i' S F_i|| of a sample (with sampling by norm, the mean) plus the larger ridge. For one view,
   ||F_i' S F_i|| = ||x_i||^2. A step that is given is taken, and too long a step diverges; the automatic one is halved
   where it should turn out to be too long.

.seealso: KSPSVRG, KSPKATYUSHA, KSPSAGA, KSPStochasticGetStep(), KSPStochasticSetSampling()
@*/
PetscErrorCode KSPStochasticSetStep(KSP ksp, PetscReal eta)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(ksp, KSP_CLASSID, 1);
  PetscValidLogicalCollectiveReal(ksp, eta, 2);
  PetscTryMethod(ksp, "KSPStochasticSetStep_C", (KSP, PetscReal), (ksp, eta));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPStochasticGetStep_Stochastic(KSP ksp, PetscReal *eta)
{
  KSP_Stochastic *ctx = (KSP_Stochastic *)ksp->data;

  PetscFunctionBegin;
  *eta = ctx->step > 0.0 ? ctx->step : (ctx->rows.G ? ctx->eta : (PetscReal)PETSC_DECIDE);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   KSPStochasticGetStep - Gets the step of the KSP types svrg, katyusha and saga.

   Not Collective

   Input Parameter:
.  ksp - the solver

   Output Parameter:
.  eta - the step that was set, or the automatic one of the last solve, or PETSC_DECIDE before any

   Level: intermediate

.seealso: KSPSVRG, KSPKATYUSHA, KSPSAGA, KSPStochasticSetStep()
@*/
PetscErrorCode KSPStochasticGetStep(KSP ksp, PetscReal *eta)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(ksp, KSP_CLASSID, 1);
  PetscUseMethod(ksp, "KSPStochasticGetStep_C", (KSP, PetscReal *), (ksp, eta));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPStochasticSetStageLength_Stochastic(KSP ksp, PetscInt m)
{
  KSP_Stochastic *ctx = (KSP_Stochastic *)ksp->data;

  PetscFunctionBegin;
  PetscCheck(m == PETSC_DECIDE || m > 0, PetscObjectComm((PetscObject)ksp), PETSC_ERR_ARG_OUTOFRANGE, "A stage must have at least one step, or PETSC_DECIDE: %" PetscInt_FMT, m);
  ctx->stage = m;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   KSPStochasticSetStageLength - Sets the number of steps, with one sample each, that make an iteration of the KSP types
   svrg, katyusha, saga and sdca.

   Logically Collective

   Input Parameters:
+  ksp - the solver
-  m   - steps of a stage, all ranks together, or PETSC_DECIDE for the number of samples (katyusha: twice that), the default

   Options Database Keys:
+  -ksp_svrg_stage <m>     - for KSPSVRG
.  -ksp_katyusha_stage <m> - for KSPKATYUSHA
.  -ksp_saga_stage <m>     - for KSPSAGA
-  -ksp_sdca_stage <m>     - for KSPSDCA

   Level: intermediate

   Note:
   Every rank takes its share of the steps, in proportion to its samples, and at least one.

.seealso: KSPSVRG, KSPKATYUSHA, KSPSAGA, KSPSDCA, KSPStochasticGetStageLength()
@*/
PetscErrorCode KSPStochasticSetStageLength(KSP ksp, PetscInt m)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(ksp, KSP_CLASSID, 1);
  PetscValidLogicalCollectiveInt(ksp, m, 2);
  PetscTryMethod(ksp, "KSPStochasticSetStageLength_C", (KSP, PetscInt), (ksp, m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPStochasticGetStageLength_Stochastic(KSP ksp, PetscInt *m)
{
  PetscFunctionBegin;
  *m = ((KSP_Stochastic *)ksp->data)->stage;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   KSPStochasticGetStageLength - Gets the number of steps of a stage that was set.

   Not Collective

   Input Parameter:
.  ksp - the solver

   Output Parameter:
.  m - the number, PETSC_DECIDE if none was set

   Level: intermediate

.seealso: KSPSVRG, KSPStochasticSetStageLength()
@*/
PetscErrorCode KSPStochasticGetStageLength(KSP ksp, PetscInt *m)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(ksp, KSP_CLASSID, 1);
  PetscUseMethod(ksp, "KSPStochasticGetStageLength_C", (KSP, PetscInt *), (ksp, m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPStochasticSetSampling_Stochastic(KSP ksp, KSPStochasticSampling sampling)
{
  KSP_Stochastic *ctx = (KSP_Stochastic *)ksp->data;

  PetscFunctionBegin;
  PetscCheck(sampling == KSP_STOCHASTIC_UNIFORM || sampling == KSP_STOCHASTIC_NORM, PetscObjectComm((PetscObject)ksp), PETSC_ERR_ARG_OUTOFRANGE, "Unknown sampling %d", (int)sampling);
  PetscCheck(sampling == KSP_STOCHASTIC_UNIFORM || !ctx->method->permutes, PetscObjectComm((PetscObject)ksp), PETSC_ERR_SUP, "KSP type %s takes the samples in random order, each as often as any other: sampling by norm is for types %s, %s and %s",
             ctx->method->name, KSPSVRG, KSPKATYUSHA, KSPSAGA);
  ctx->sampling = sampling;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   KSPStochasticSetSampling - Chooses how the KSP types svrg, katyusha and saga draw samples.

   Logically Collective

   Input Parameters:
+  ksp      - the solver
-  sampling - KSP_STOCHASTIC_UNIFORM, the default, or KSP_STOCHASTIC_NORM

   Options Database Keys:
+  -ksp_svrg_sampling <uniform,norm>     - for KSPSVRG
.  -ksp_katyusha_sampling <uniform,norm> - for KSPKATYUSHA
-  -ksp_saga_sampling <uniform,norm>     - for KSPSAGA

   Level: intermediate

   Note:
   By norm, the automatic step follows from the mean instead of the largest norm of the samples, which is larger where
   the samples differ.

.seealso: KSPSVRG, KSPKATYUSHA, KSPSAGA, KSPStochasticSampling, KSPStochasticGetSampling(), KSPStochasticSetStep()
@*/
PetscErrorCode KSPStochasticSetSampling(KSP ksp, KSPStochasticSampling sampling)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(ksp, KSP_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(ksp, sampling, 2);
  PetscTryMethod(ksp, "KSPStochasticSetSampling_C", (KSP, KSPStochasticSampling), (ksp, sampling));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPStochasticGetSampling_Stochastic(KSP ksp, KSPStochasticSampling *sampling)
{
  PetscFunctionBegin;
  *sampling = ((KSP_Stochastic *)ksp->data)->sampling;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   KSPStochasticGetSampling - Gets how samples are drawn.

   Not Collective

   Input Parameter:
.  ksp - the solver

   Output Parameter:
.  sampling - how they are

   Level: intermediate

.seealso: KSPSVRG, KSPStochasticSetSampling()
@*/
PetscErrorCode KSPStochasticGetSampling(KSP ksp, KSPStochasticSampling *sampling)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(ksp, KSP_CLASSID, 1);
  PetscUseMethod(ksp, "KSPStochasticGetSampling_C", (KSP, KSPStochasticSampling *), (ksp, sampling));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPStochasticSetSeed_Stochastic(KSP ksp, PetscInt seed)
{
  KSP_Stochastic *ctx = (KSP_Stochastic *)ksp->data;

  PetscFunctionBegin;
  ctx->seed   = seed;
  ctx->seeded = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   KSPStochasticSetSeed - Sets the seed of the random numbers of the KSP types svrg, katyusha, saga and sdca, and makes the
   next solve begin with them.

   Logically Collective

   Input Parameters:
+  ksp  - the solver
-  seed - any number, by default 1

   Options Database Keys:
+  -ksp_svrg_seed <seed>     - for KSPSVRG
.  -ksp_katyusha_seed <seed> - for KSPKATYUSHA
.  -ksp_saga_seed <seed>     - for KSPSAGA
-  -ksp_sdca_seed <seed>     - for KSPSDCA

   Level: intermediate

   Note:
   Two solves from the same seed, with the same data on the same number of ranks, give the same numbers. Without a call to
   this function (or KSPReset()) in between, a second solve goes on with the random numbers of the first.

.seealso: KSPSVRG, KSPStochasticGetSeed()
@*/
PetscErrorCode KSPStochasticSetSeed(KSP ksp, PetscInt seed)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(ksp, KSP_CLASSID, 1);
  PetscValidLogicalCollectiveInt(ksp, seed, 2);
  PetscTryMethod(ksp, "KSPStochasticSetSeed_C", (KSP, PetscInt), (ksp, seed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPStochasticGetSeed_Stochastic(KSP ksp, PetscInt *seed)
{
  PetscFunctionBegin;
  *seed = ((KSP_Stochastic *)ksp->data)->seed;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   KSPStochasticGetSeed - Gets the seed of the random numbers.

   Not Collective

   Input Parameter:
.  ksp - the solver

   Output Parameter:
.  seed - the seed

   Level: intermediate

.seealso: KSPSVRG, KSPStochasticSetSeed()
@*/
PetscErrorCode KSPStochasticGetSeed(KSP ksp, PetscInt *seed)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(ksp, KSP_CLASSID, 1);
  PetscUseMethod(ksp, "KSPStochasticGetSeed_C", (KSP, PetscInt *), (ksp, seed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPStochasticSetLineSearch_Stochastic(KSP ksp, PetscBool flag)
{
  PetscFunctionBegin;
  ((KSP_Stochastic *)ksp->data)->linesearch = flag ? 1 : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   KSPStochasticSetLineSearch - Chooses whether the solution moves along the step of a stage as far as minimises the energy
   norm of the error, in the KSP types svrg, katyusha and saga.

   Logically Collective

   Input Parameters:
+  ksp  - the solver
-  flag - whether it does; otherwise it takes the step as it is

   Options Database Keys:
+  -ksp_svrg_linesearch <bool>     - for KSPSVRG
.  -ksp_katyusha_linesearch <bool> - for KSPKATYUSHA
-  -ksp_saga_linesearch <bool>     - for KSPSAGA

   Level: advanced

   Note:
   By default it does on several ranks, and where the coupling of the operator is not positive semidefinite: there the error
   could grow otherwise. It does not on one rank: the method of the textbook. The line search costs two inner products,
   since the operator is applied to the step for the residual anyway.

.seealso: KSPSVRG, KSPKATYUSHA, KSPSAGA, KSPStochasticGetLineSearch()
@*/
PetscErrorCode KSPStochasticSetLineSearch(KSP ksp, PetscBool flag)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(ksp, KSP_CLASSID, 1);
  PetscValidLogicalCollectiveBool(ksp, flag, 2);
  PetscTryMethod(ksp, "KSPStochasticSetLineSearch_C", (KSP, PetscBool), (ksp, flag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPStochasticGetLineSearch_Stochastic(KSP ksp, PetscBool *flag)
{
  KSP_Stochastic *ctx = (KSP_Stochastic *)ksp->data;
  PetscMPIInt     size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)ksp), &size));
  *flag = (PetscBool)(ctx->linesearch != PETSC_DECIDE ? ctx->linesearch == 1 : (size > 1 || (ctx->rows.G && !ctx->rows.psd)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   KSPStochasticGetLineSearch - Gets whether there is a line search along the step of a stage.

   Not Collective

   Input Parameter:
.  ksp - the solver

   Output Parameter:
.  flag - whether there is

   Level: advanced

.seealso: KSPSVRG, KSPStochasticSetLineSearch()
@*/
PetscErrorCode KSPStochasticGetLineSearch(KSP ksp, PetscBool *flag)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(ksp, KSP_CLASSID, 1);
  PetscUseMethod(ksp, "KSPStochasticGetLineSearch_C", (KSP, PetscBool *), (ksp, flag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPStochasticGetResidual_Stochastic(KSP ksp, Mat *R)
{
  KSP_Stochastic *ctx = (KSP_Stochastic *)ksp->data;

  PetscFunctionBegin;
  PetscCheck(ctx->known, PetscObjectComm((PetscObject)ksp), PETSC_ERR_ORDER, "The residual is not known: there has been no solve yet, or one with KSP_NORM_NONE, whose last stage ends without it");
  if (!ctx->Rmat) {
    PetscCall(MatCreateDense(PetscObjectComm((PetscObject)ksp), ctx->nloc, PETSC_DECIDE, ctx->rows.D, ctx->P, ctx->R, &ctx->Rmat));
    PetscCall(MatSetOption(ctx->Rmat, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE));
    PetscCall(MatAssemblyBegin(ctx->Rmat, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(ctx->Rmat, MAT_FINAL_ASSEMBLY));
  }
  PetscCall(PetscObjectStateIncrease((PetscObject)ctx->Rmat));
  *R = ctx->Rmat;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   KSPStochasticGetResidual - Gets the residual block B - A X at the end of the last solve, in the KSP types svrg, katyusha, saga
   and sdca.

   Collective

   Input Parameter:
.  ksp - the solver

   Output Parameter:
.  R - a dense matrix with the columns b_l - A x_l, which belongs to the solver: do not destroy it

   Level: advanced

   Notes:
   It is valid until the next solve, KSPReset() or KSPDestroy(), and costs no product with A: A X = B - R comes for free. It
   is not there after a solve with KSP_NORM_NONE that has left out its last product.

.seealso: KSPSVRG, KSPMatSolve(), KSPBlockCGGetResidual()
@*/
PetscErrorCode KSPStochasticGetResidual(KSP ksp, Mat *R)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(ksp, KSP_CLASSID, 1);
  PetscUseMethod(ksp, "KSPStochasticGetResidual_C", (KSP, Mat *), (ksp, R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPSetFromOptions_Stochastic(KSP ksp, NAPIOptionItems PetscOptionsObject)
{
  KSP_Stochastic       *ctx = (KSP_Stochastic *)ksp->data;
  char                  step[64], stage[64], sampling[64], seed[64], linesearch[64];
  PetscReal             eta = ctx->step, mu = ctx->mu;
  PetscInt              m = ctx->stage, number = ctx->seed;
  KSPStochasticSampling how = ctx->sampling;
  PetscBool             set, flag = PETSC_FALSE, iskatyusha;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(step, sizeof(step), "-ksp_%s_step", ctx->method->name));
  PetscCall(PetscSNPrintf(stage, sizeof(stage), "-ksp_%s_stage", ctx->method->name));
  PetscCall(PetscSNPrintf(sampling, sizeof(sampling), "-ksp_%s_sampling", ctx->method->name));
  PetscCall(PetscSNPrintf(seed, sizeof(seed), "-ksp_%s_seed", ctx->method->name));
  PetscCall(PetscSNPrintf(linesearch, sizeof(linesearch), "-ksp_%s_linesearch", ctx->method->name));
  PetscOptionsHeadBegin(PetscOptionsObject, "KSP options of the stochastic methods");
  if (!ctx->method->permutes) {
    PetscCall(PetscOptionsReal(step, "Step", "KSPStochasticSetStep", eta, &eta, &set));
    if (set) PetscCall(KSPStochasticSetStep(ksp, eta));
    PetscCall(PetscOptionsEnum(sampling, "How samples are drawn", "KSPStochasticSetSampling", KSPStochasticSamplings, (PetscEnum)how, (PetscEnum *)&how, &set));
    if (set) PetscCall(KSPStochasticSetSampling(ksp, how));
    PetscCall(KSPStochasticGetLineSearch(ksp, &flag));
    PetscCall(PetscOptionsBool(linesearch, "Line search along the step of a stage", "KSPStochasticSetLineSearch", flag, &flag, &set));
    if (set) PetscCall(KSPStochasticSetLineSearch(ksp, flag));
  }
  PetscCall(PetscOptionsInt(stage, "Steps of a stage", "KSPStochasticSetStageLength", m, &m, &set));
  if (set) PetscCall(KSPStochasticSetStageLength(ksp, m));
  PetscCall(PetscOptionsInt(seed, "Seed of the random numbers", "KSPStochasticSetSeed", number, &number, &set));
  if (set) PetscCall(KSPStochasticSetSeed(ksp, number));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPKATYUSHA, &iskatyusha));
  if (iskatyusha) {
    PetscCall(PetscOptionsReal("-ksp_katyusha_convexity", "Lower bound of the spectrum of the operator", "KSPKatyushaSetConvexity", mu, &mu, &set));
    if (set) PetscCall(KSPKatyushaSetConvexity(ksp, mu));
  }
  PetscOptionsHeadEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPView_Stochastic(KSP ksp, PetscViewer viewer)
{
  KSP_Stochastic *ctx = (KSP_Stochastic *)ksp->data;
  char            line[64];
  PetscBool       ascii;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii) PetscFunctionReturn(PETSC_SUCCESS);
  if (ctx->stage > 0) PetscCall(PetscSNPrintf(line, sizeof(line), "%" PetscInt_FMT " steps", ctx->stage));
  else PetscCall(PetscSNPrintf(line, sizeof(line), "%sas many steps as there are samples", ctx->method->stagefactor > 1.0 ? "twice " : ""));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  stages of %s, %s, seed %" PetscInt_FMT "\n", line, ctx->method->permutes ? "in random order" : (ctx->sampling == KSP_STOCHASTIC_NORM ? "drawn by norm" : "drawn uniformly"), ctx->seed));
  if (!ctx->method->permutes) {
    PetscReal eta;
    PetscBool flag;

    PetscCall(KSPStochasticGetStep(ksp, &eta));
    PetscCall(KSPStochasticGetLineSearch(ksp, &flag));
    if (eta > 0.0) PetscCall(PetscSNPrintf(line, sizeof(line), "step %g%s", (double)eta, ctx->step > 0.0 ? "" : " (automatic)"));
    else PetscCall(PetscSNPrintf(line, sizeof(line), "automatic step"));
    PetscCall(PetscViewerASCIIPrintf(viewer, "  %s%s\n", line, flag ? ", line search" : ""));
  }
  PetscCall(PetscViewerASCIIPrintf(viewer, "  the preconditioner is not used\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode StochasticDestroy(KSP ksp)
{
  KSP_Stochastic *ctx = (KSP_Stochastic *)ksp->data;

  PetscFunctionBegin;
  PetscCall(KSPReset_Stochastic(ksp));
  PetscCall(PetscFree(ctx->data));
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPStochasticSetStep_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPStochasticGetStep_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPStochasticSetStageLength_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPStochasticGetStageLength_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPStochasticSetSampling_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPStochasticGetSampling_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPStochasticSetSeed_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPStochasticGetSeed_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPStochasticSetLineSearch_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPStochasticGetLineSearch_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPStochasticGetResidual_C", NULL));
  PetscCall(KSPDestroyDefault(ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the KSPCreate_ of every method does; size is that of the method's own data */
PetscErrorCode StochasticCreate(KSP ksp, const StochasticMethod *method, size_t size)
{
  KSP_Stochastic *ctx;

  PetscFunctionBegin;
  PetscCall(PetscNew(&ctx));
  PetscCall(PetscCalloc(size, &ctx->data));
  ksp->data           = (void *)ctx;
  ctx->method         = method;
  ctx->step           = (PetscReal)PETSC_DECIDE;
  ctx->stage          = PETSC_DECIDE;
  ctx->sampling       = KSP_STOCHASTIC_UNIFORM;
  ctx->seed           = 1;
  ctx->linesearch     = PETSC_DECIDE;
  ctx->mu             = (PetscReal)PETSC_DECIDE;
  ctx->shrink         = 1.0;
  ksp->setupnewmatrix = PETSC_TRUE;

  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_UNPRECONDITIONED, PC_LEFT, 3));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_UNPRECONDITIONED, PC_RIGHT, 2));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_NONE, PC_LEFT, 1));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_NONE, PC_RIGHT, 1));

  ksp->ops->setup          = KSPSetUp_Stochastic;
  ksp->ops->solve          = KSPSolve_Stochastic;
  ksp->ops->matsolve       = KSPMatSolve_Stochastic;
  ksp->ops->reset          = KSPReset_Stochastic;
  ksp->ops->destroy        = StochasticDestroy;
  ksp->ops->view           = KSPView_Stochastic;
  ksp->ops->setfromoptions = KSPSetFromOptions_Stochastic;
  ksp->ops->buildsolution  = KSPBuildSolutionDefault;
  ksp->ops->buildresidual  = KSPBuildResidualDefault;

  if (!method->permutes) {
    PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPStochasticSetStep_C", KSPStochasticSetStep_Stochastic));
    PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPStochasticGetStep_C", KSPStochasticGetStep_Stochastic));
    PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPStochasticSetLineSearch_C", KSPStochasticSetLineSearch_Stochastic));
    PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPStochasticGetLineSearch_C", KSPStochasticGetLineSearch_Stochastic));
  }
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPStochasticSetStageLength_C", KSPStochasticSetStageLength_Stochastic));
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPStochasticGetStageLength_C", KSPStochasticGetStageLength_Stochastic));
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPStochasticSetSampling_C", KSPStochasticSetSampling_Stochastic));
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPStochasticGetSampling_C", KSPStochasticGetSampling_Stochastic));
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPStochasticSetSeed_C", KSPStochasticSetSeed_Stochastic));
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPStochasticGetSeed_C", KSPStochasticGetSeed_Stochastic));
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPStochasticGetResidual_C", KSPStochasticGetResidual_Stochastic));
  PetscFunctionReturn(PETSC_SUCCESS);
}
