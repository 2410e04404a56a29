/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The frame of the KSP types that solve A X = B for a MATGRAM by steps that look at one sample each. It is in this order:
   blocks (the residual to all ranks, the operator times the step); the residual and its norms; stages until the residual is
   small; what every KSP type has. The samples are in rows.c, how they are chosen in sampling.c, options in options.c, and each
   method has a file of its own.

   All methods solve for the correction to the solution as it stands: a stage starts with the residual R (whose negative g
   is the gradient) and ends with a proposed step d. One product, A d, then serves three purposes: it shows how far to go
   along d (a = 1, or where that minimises the energy norm of the error, a = d'r/d'Ad), it is the test of convergence, and
   R - A d a is the gradient of the next stage. So a nonzero initial guess needs nothing of its own, and nothing cancels
   near convergence.
*/
#include "stochastic.h"

/* A stage whose residual has grown by more than this is undone: smaller undoes what is noise, larger what has already diverged */
#define STOCHASTIC_GROWTH 100.0

/* How often a solve may halve the step for that: where a millionth of the automatic step is too long, it is not the step */
#define STOCHASTIC_HALVINGS 20

/* How far the solution goes along the step of a stage */
typedef enum {
  STOCHASTIC_PLAIN,
  STOCHASTIC_LINESEARCH,
  STOCHASTIC_IF_BETTER
} StochasticRule;

/* ------------------------------------------- blocks ------------------------------------------- */

static PetscErrorCode StochasticFreeBlocks(KSP ksp)
{
  KSP_Stochastic *ctx = (KSP_Stochastic *)ksp->data;

  PetscFunctionBegin;
  if (ctx->method->free) PetscCall((*ctx->method->free)(ksp));
  PetscCall(MatDestroy(&ctx->BD));
  PetscCall(MatDestroy(&ctx->Dmat));
  PetscCall(MatDestroy(&ctx->Rmat));
  PetscCall(PetscFree4(ctx->norm, ctx->ref, ctx->dots, ctx->length));
  PetscCall(PetscFree3(ctx->R, ctx->d, ctx->pack));
  PetscCall(PetscFree4(ctx->g, ctx->result, ctx->array, ctx->sofar));
  PetscCall(PetscFree(ctx->table));
  PetscCall(PetscFree(ctx->state));
  ctx->tablesize = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Room for P columns */
static PetscErrorCode StochasticPrepare(KSP ksp, Mat A, PetscInt P)
{
  KSP_Stochastic         *ctx    = (KSP_Stochastic *)ksp->data;
  const StochasticMethod *method = ctx->method;
  PetscInt                nloc;
  const size_t            DP = (size_t)ctx->rows.D * (size_t)P, table = (size_t)(ctx->rows.n * ctx->rows.nv) * (size_t)P + 1;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(A, &nloc, NULL));
  if (!ctx->BD || A != ctx->A || P != ctx->P || nloc != ctx->nloc || ctx->rows.D != ctx->Dsize) {
    PetscCall(StochasticFreeBlocks(ksp));
    ctx->A     = A;
    ctx->P     = P;
    ctx->nloc  = nloc;
    ctx->Dsize = ctx->rows.D;
    PetscCall(PetscCalloc4(P, &ctx->norm, P, &ctx->ref, 2 * P + 1, &ctx->dots, P, &ctx->length));
    PetscCall(PetscCalloc3((size_t)nloc * (size_t)P + 1, &ctx->R, (size_t)nloc * (size_t)P + 1, &ctx->d, (size_t)nloc * (size_t)P + 1, &ctx->pack));
    PetscCall(PetscCalloc4(DP + 1, &ctx->g, (size_t)method->results * DP + 1, &ctx->result, (size_t)method->arrays * DP, &ctx->array, method->remembers ? DP : 0, &ctx->sofar));
    PetscCall(PetscMalloc1((size_t)ctx->rows.D * (size_t)(method->planes * PetscMin(P, ROWS_WIDTH)), &ctx->state));
    PetscCall(KSPColumnsCreateMat(ksp, nloc, ctx->rows.D, P, ctx->d, &ctx->Dmat));
    PetscCall(MatProductCreate(A, ctx->Dmat, NULL, &ctx->BD));
    PetscCall(MatProductSetType(ctx->BD, MATPRODUCT_AB));
    PetscCall(MatProductSetFromOptions(ctx->BD));
    PetscCall(MatProductSymbolic(ctx->BD));
  }
  if (method->remembers && table > ctx->tablesize) {
    PetscCall(PetscFree(ctx->table));
    PetscCall(PetscMalloc1(table, &ctx->table));
    ctx->tablesize = table;
  }
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
static PetscErrorCode StochasticGather(KSP ksp)
{
  KSP_Stochastic *ctx  = (KSP_Stochastic *)ksp->data;
  PetscScalar    *pack = ctx->rows.size == 1 ? ctx->g : ctx->pack;
  PetscMPIInt    *counts, *displs;
  PetscInt        P = ctx->P;
  PetscLayout     map;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < P; k++)
    for (PetscInt i = 0; i < ctx->nloc; i++) pack[i * P + k] = -ctx->R[i + k * ctx->nloc];
  if (ctx->rows.size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetLayouts(ctx->A, &map, NULL));
  PetscCall(NAPILayoutCounts(map, 0, ctx->rows.D, P, &counts, &displs));
  PetscCallMPI(MPI_Allgatherv(pack, counts[ctx->rows.rank], MPIU_SCALAR, ctx->g, counts, displs, MPIU_SCALAR, PetscObjectComm((PetscObject)ksp)));
  PetscCall(PetscFree2(counts, displs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The mean of what a stage has given over the ranks, each weighted by its samples; on one rank, itself */
static PetscErrorCode StochasticAverage(KSP ksp)
{
  KSP_Stochastic *ctx    = (KSP_Stochastic *)ksp->data;
  PetscInt        size   = ctx->method->results * ctx->rows.D * ctx->P;
  PetscReal       weight = (PetscReal)ctx->rows.n / (PetscReal)ctx->rows.N;
  PetscMPIInt     count;

  PetscFunctionBegin;
  if (ctx->rows.size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < size; i++) ctx->result[i] *= weight;
  PetscCall(PetscMPIIntCast(size, &count));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, ctx->result, count, MPIU_SCALAR, MPIU_SUM, PetscObjectComm((PetscObject)ksp)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* R = B - A X and its norms */
static PetscErrorCode StochasticResidual(KSP ksp, Mat B, Mat X)
{
  KSP_Stochastic    *ctx = (KSP_Stochastic *)ksp->data;
  const PetscScalar *Ad;
  PetscInt           k, i, ld, n = ctx->nloc, P = ctx->P;

  PetscFunctionBegin;
  PetscCall(KSPColumnsCopy(B, ksp->vec_rhs, n, P, ctx->R));
  PetscCall(KSPColumnsDots(n, P, ctx->R, n, ctx->R, n, ctx->dots + P)); /* b'b */
  if (!ksp->guess_zero) {
    PetscCall(KSPColumnsCopy(X, ksp->vec_sol, n, P, ctx->d));
    PetscCall(StochasticProduct(ksp, &Ad, &ld));
    for (k = 0; k < P; k++)
      for (i = 0; i < n; i++) ctx->R[i + k * n] -= Ad[i + k * ld];
    PetscCall(MatDenseRestoreArrayRead(ctx->BD, &Ad));
  }
  PetscCall(KSPColumnsDots(n, P, ctx->R, n, ctx->R, n, ctx->dots)); /* r'r */
  PetscCall(KSPColumnsReduce(ksp, 2 * P, ctx->dots));
  for (k = 0; k < P; k++) {
    ctx->norm[k] = PetscSqrtReal(ctx->dots[k]);
    ctx->ref[k]  = KSPColumnsRefersToRHS(ksp) ? PetscSqrtReal(ctx->dots[P + k]) : 0.0;
  }
  PetscCall(KSPColumnsReference(ksp, P, ctx->norm, ctx->ref, &ctx->scale));
  ctx->known = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------- stages ------------------------------------------- */

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
  PetscCall(KSPColumnsReduce(ksp, 1, &total));
  ctx->passes = total / (PetscReal)rows->N;
  ctx->stages = 0;
  if (ctx->m > ctx->msize) {
    PetscCall(PetscFree(ctx->sample));
    PetscCall(PetscMalloc1(ctx->m, &ctx->sample));
    ctx->msize = ctx->m;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One stage from the residual R: the step d, and in result what every rank has of it */
static PetscErrorCode StochasticStage(KSP ksp)
{
  KSP_Stochastic         *ctx    = (KSP_Stochastic *)ksp->data;
  const StochasticMethod *method = ctx->method;
  Rows                   *rows   = &ctx->rows;
  const PetscInt          P      = ctx->P;
  const size_t            DP     = (size_t)rows->D * (size_t)P;
  PetscReal               nz     = 0.0;
  PetscInt                first;

  PetscFunctionBegin;
  PetscCall(StochasticGather(ksp)); /* g <- -R */
  if (!ctx->stages++) {
    if (method->remembers) {
      PetscCall(PetscArrayzero(ctx->sofar, DP));
      PetscCall(PetscArrayzero(ctx->table, ctx->tablesize));
    }
    if (method->start) PetscCall((*method->start)(ksp));
  }
  PetscCall(StochasticDraw(ksp));
  PetscCall(RowsGet(rows));
  if (method->before) PetscCall((*method->before)(ksp));
  for (first = 0; first < P && ctx->m; first += ROWS_WIDTH) (*method->columns)(ctx, first, PetscMin(ROWS_WIDTH, P - first));
  for (PetscInt v = 0; v < rows->nv; v++) nz += rows->view[v].dense ? (PetscReal)rows->n * (PetscReal)rows->view[v].d : (PetscReal)rows->view[v].ia[rows->n];
  if (rows->n) PetscCall(PetscLogFlops((PetscLogDouble)(method->flops * nz * (PetscReal)ctx->m / (PetscReal)rows->n * (PetscReal)P)));
  if (method->after) PetscCall((*method->after)(ksp));
  if (!ctx->m) PetscCall(PetscArrayzero(ctx->result, (size_t)method->results * DP)); /* no samples here, and no say in the mean */
  PetscCall(RowsRestore(rows));
  PetscCall(StochasticAverage(ksp));
  PetscCall(MatGramAddPasses(ctx->A, ctx->passes, P));
  PetscCall(MatGetOwnershipRange(ctx->A, &first, NULL));
  for (PetscInt k = 0; k < P; k++)
    for (PetscInt i = 0; i < ctx->nloc; i++) ctx->d[i + k * ctx->nloc] = ctx->result[(first + i) * P + k];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How far to go: a method without a step to choose has a line search where ranks have to agree */
static PetscErrorCode StochasticGetRule(KSP ksp, StochasticRule *rule)
{
  KSP_Stochastic *ctx  = (KSP_Stochastic *)ksp->data;
  PetscBool       flag = (PetscBool)(ctx->rows.size > 1);

  PetscFunctionBegin;
  *rule = ctx->method->stepfactor > 0.0 ? STOCHASTIC_PLAIN : STOCHASTIC_IF_BETTER;
  if (ctx->method->stepfactor > 0.0) PetscCall(KSPStochasticGetLineSearch(ksp, &flag));
  if (flag) *rule = STOCHASTIC_LINESEARCH;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* length, and the norms of the residuals that it leaves, with A d at hand. Sets the reason where the operator is not positive. */
static PetscErrorCode StochasticLength(KSP ksp, StochasticRule rule, const PetscScalar *Ad, PetscInt ld, PetscReal *norm)
{
  KSP_Stochastic *ctx = (KSP_Stochastic *)ksp->data;
  PetscInt        i, k, n = ctx->nloc, P = ctx->P;

  PetscFunctionBegin;
  for (k = 0; k < P; k++) ctx->length[k] = 1.0;
  if (rule == STOCHASTIC_LINESEARCH) {
    PetscCall(KSPColumnsDots(n, P, ctx->d, n, ctx->R, n, ctx->dots));  /* d'r */
    PetscCall(KSPColumnsDots(n, P, ctx->d, n, Ad, ld, ctx->dots + P)); /* d'A d */
    PetscCall(KSPColumnsReduce(ksp, 2 * P, ctx->dots));
    for (k = 0; k < P; k++) {
      if (ctx->dots[P + k] < 0.0) {
        PetscCall(PetscInfo(ksp, "diverging: d'A d = %g for the step of stage %" PetscInt_FMT "\n", (double)ctx->dots[P + k], ksp->its + 1));
        ksp->reason = KSP_DIVERGED_INDEFINITE_MAT;
        PetscFunctionReturn(PETSC_SUCCESS);
      }
      ctx->length[k] = ctx->dots[P + k] > 0.0 ? ctx->dots[k] / ctx->dots[P + k] : ctx->dots[P + k]; /* 0, or NaN */
    }
  }
  for (k = 0; k < P; k++) {
    PetscReal sum = 0.0;

    for (i = 0; i < n; i++) {
      PetscScalar r = ctx->R[i + k * n] - ctx->length[k] * Ad[i + k * ld];

      sum += PetscRealPart(PetscConj(r) * r);
    }
    norm[k] = sum;
  }
  PetscCall(KSPColumnsReduce(ksp, P, norm));
  for (k = 0; k < P; k++) {
    norm[k] = PetscSqrtReal(norm[k]);
    if (rule == STOCHASTIC_IF_BETTER && !(norm[k] < ctx->norm[k])) {
      ctx->length[k] = 0.0;
      norm[k]        = ctx->norm[k];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   StochasticAccept - Looks at the step of a stage by its product with A: how far the solution will go, and the residual that this
   leaves, R <- R - a A d. Or else undone says that the residual has grown: the step was too long, and is half as long from now
   on. norm is work space.
*/
static PetscErrorCode StochasticAccept(KSP ksp, StochasticRule rule, PetscReal *norm, PetscInt *halvings, PetscBool *undone)
{
  KSP_Stochastic    *ctx = (KSP_Stochastic *)ksp->data;
  const PetscScalar *Ad;
  PetscInt           i, k, ld, n = ctx->nloc, P = ctx->P;
  PetscBool          grown = PETSC_FALSE;

  PetscFunctionBegin;
  *undone = PETSC_FALSE;
  PetscCall(StochasticProduct(ksp, &Ad, &ld)); /* A d */
  PetscCall(StochasticLength(ksp, rule, Ad, ld, norm));
  for (k = 0; k < P && !ksp->reason; k++)
    if (!(norm[k] <= STOCHASTIC_GROWTH * ctx->norm[k])) grown = PETSC_TRUE;
  if (grown && ctx->step <= 0.0 && ctx->method->stepfactor > 0.0 && *halvings < STOCHASTIC_HALVINGS) {
    *undone = PETSC_TRUE;
    ++*halvings;
    ctx->shrink *= 0.5;
    PetscCall(PetscInfo(ksp, "stage %" PetscInt_FMT " has made the residual grow: reducing the step to %g of the automatic one\n", ksp->its + 1, (double)ctx->shrink));
    PetscCall(StochasticSetUpStages(ksp));
  } else if (!ksp->reason) {
    for (k = 0; k < P; k++) {
      if (PetscIsInfOrNanReal(norm[k])) ksp->reason = KSP_DIVERGED_NANORINF;
      ctx->norm[k] = norm[k];
    }
    if (ksp->reason) PetscCall(PetscInfo(ksp, "diverging: NaN or Inf in stage %" PetscInt_FMT "\n", ksp->its + 1));
    for (k = 0; k < P && !ksp->reason; k++)
      for (i = 0; i < n; i++) ctx->R[i + k * n] -= ctx->length[k] * Ad[i + k * ld];
  }
  PetscCall(MatDenseRestoreArrayRead(ctx->BD, &Ad));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* X <- X + a d, and the method follows */
static PetscErrorCode StochasticMove(KSP ksp, Mat X)
{
  KSP_Stochastic *ctx = (KSP_Stochastic *)ksp->data;
  PetscInt        i, k, ld, P = ctx->P;
  PetscScalar    *x;

  PetscFunctionBegin;
  PetscCall(KSPColumnsGetSolution(ksp, X, &x, &ld));
  for (k = 0; k < P; k++)
    if (ctx->length[k] != 0.0)
      for (i = 0; i < ctx->nloc; i++) x[i + k * ld] += ctx->length[k] * ctx->d[i + k * ctx->nloc];
  PetscCall(KSPColumnsRestoreSolution(ksp, X, &x));
  if (ctx->method->remembers)
    for (i = 0; i < ctx->rows.D; i++)
      for (k = 0; k < P; k++) ctx->sofar[i * P + k] += ctx->length[k] * ctx->result[i * P + k];
  if (ctx->method->follow) PetscCall((*ctx->method->follow)(ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Looks at the operator: when the KSP is set up, so that refusing it leaves no solve half begun, and again in every solve */
static PetscErrorCode StochasticOperator(KSP ksp, Mat *A)
{
  KSP_Stochastic *ctx = (KSP_Stochastic *)ksp->data;
  PetscBool       changed;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(ksp->pc, A, NULL));
  PetscCall(RowsSetUp(ksp, *A, &ctx->rows, &changed));
  if (changed) {
    ctx->shrink    = 1.0;
    ctx->havedrawn = PETSC_FALSE;
  }
  if (ctx->method->check) PetscCall((*ctx->method->check)(ksp));
  if (!ctx->havedrawn || ctx->drawn != ctx->sampling) PetscCall(StochasticSetUpSampling(ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* B and X are NULL for the vectors of the KSP */
static PetscErrorCode StochasticSolve(KSP ksp, PetscInt P, Mat B, Mat X)
{
  KSP_Stochastic *ctx  = (KSP_Stochastic *)ksp->data;
  StochasticRule  rule = STOCHASTIC_PLAIN;
  PetscReal      *norm;
  PetscInt        halvings = 0;
  PetscBool       undone;
  Mat             A;

  PetscFunctionBegin;
  PetscCall(StochasticOperator(ksp, &A));
  PetscCall(StochasticPrepare(ksp, A, P));
  PetscCall(StochasticSetUpStages(ksp));
  PetscCall(StochasticGetRule(ksp, &rule));
  ksp->its    = 0;
  ksp->reason = KSP_CONVERGED_ITERATING;

  PetscCall(PetscMalloc1(P, &norm));
  PetscCall(StochasticResidual(ksp, B, X)); /* R <- B - A X */
  PetscCall(KSPColumnsTest(ksp, B, X, P, ctx->norm, ctx->ref, ctx->scale, PETSC_TRUE));
  while (!ksp->reason) {
    if (ksp->its >= ksp->max_it) {
      PetscCall(PetscInfo(ksp, "maximum number of stages reached\n"));
      ksp->reason = KSP_DIVERGED_ITS;
      break;
    }
    PetscCall(StochasticStage(ksp));                                                                 /* d */
    if (ksp->normtype == KSP_NORM_NONE && rule == STOCHASTIC_PLAIN && ksp->its + 1 >= ksp->max_it) { /* nobody asks for the residual */
      for (PetscInt k = 0; k < P; k++) ctx->length[k] = 1.0;
      ctx->known = PETSC_FALSE;
    } else {
      PetscCall(StochasticAccept(ksp, rule, norm, &halvings, &undone)); /* R <- R - a A d */
      if (undone) continue;
    }
    ksp->its++;
    if (ksp->reason) break;
    PetscCall(StochasticMove(ksp, X)); /* X <- X + a d */
    PetscCall(KSPColumnsTest(ksp, B, X, P, ctx->norm, ctx->ref, ctx->scale, PETSC_TRUE));
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

static PetscErrorCode KSPReset_Stochastic(KSP ksp)
{
  KSP_Stochastic *ctx = (KSP_Stochastic *)ksp->data;

  PetscFunctionBegin;
  PetscCall(StochasticFreeBlocks(ksp));
  PetscCall(StochasticResetSampling(ksp));
  PetscCall(PetscFree(ctx->sample));
  PetscCall(RowsReset(&ctx->rows));
  ctx->A     = NULL;
  ctx->msize = 0;
  ctx->P     = 0;
  ctx->known = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KSPStochasticGetResidual_Stochastic(KSP ksp, Mat *R)
{
  KSP_Stochastic *ctx = (KSP_Stochastic *)ksp->data;

  PetscFunctionBegin;
  PetscCheck(ctx->known, PetscObjectComm((PetscObject)ksp), PETSC_ERR_ORDER, "The residual is not known: there has been no solve yet, or one with KSP_NORM_NONE, whose last stage ends without it");
  if (!ctx->Rmat) PetscCall(KSPColumnsCreateMat(ksp, ctx->nloc, ctx->rows.D, ctx->P, ctx->R, &ctx->Rmat));
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
  NAPIMethodGet(KSP, ksp, KSPStochasticGetResidual, Mat, R);
}

static PetscErrorCode KSPDestroy_Stochastic(KSP ksp)
{
  PetscFunctionBegin;
  PetscCall(KSPReset_Stochastic(ksp));
  PetscCall(StochasticCompose(ksp, PETSC_FALSE));
  PetscCall(PetscFree(((KSP_Stochastic *)ksp->data)->data));
  PetscCall(KSPDestroyDefault(ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* KSPIsStochastic_Private - Whether a solver goes from sample to sample, by whatever method */
PetscErrorCode KSPIsStochastic_Private(KSP ksp, PetscBool *stochastic)
{
  PetscFunctionBegin;
  *stochastic = (PetscBool)(ksp->ops->setup == KSPSetUp_Stochastic);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the KSPCreate_ of every method does; size is that of the method's own data, 0 for none */
PetscErrorCode StochasticCreate(KSP ksp, const StochasticMethod *method, size_t size)
{
  KSP_Stochastic *ctx;

  PetscFunctionBegin;
  PetscCall(PetscNew(&ctx));
  PetscCall(KSPColumnsCreate(ksp, &ctx->columns, StochasticSolve));
  if (size) PetscCall(PetscCalloc(size, &ctx->data));
  ctx->method         = method;
  ctx->step           = (PetscReal)PETSC_DECIDE;
  ctx->stage          = PETSC_DECIDE;
  ctx->sampling       = KSP_STOCHASTIC_UNIFORM;
  ctx->seed           = 1;
  ctx->linesearch     = NAPI_UNSET;
  ctx->shrink         = 1.0;
  ksp->setupnewmatrix = PETSC_TRUE;

  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_UNPRECONDITIONED, PC_LEFT, 3));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_UNPRECONDITIONED, PC_RIGHT, 2));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_NONE, PC_LEFT, 1));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_NONE, PC_RIGHT, 1));

  ksp->ops->setup          = KSPSetUp_Stochastic;
  ksp->ops->reset          = KSPReset_Stochastic;
  ksp->ops->destroy        = KSPDestroy_Stochastic;
  ksp->ops->view           = KSPView_Stochastic;
  ksp->ops->setfromoptions = KSPSetFromOptions_Stochastic;
  PetscCall(StochasticCompose(ksp, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
