/* SPDX-License-Identifier: BSD-2-Clause */
/*
   How the samples of a stage are chosen: drawn at random, all alike or by their norms, or permuted.
*/
#include "stochastic.h"

/*E
   KSPStochasticSampling - How the stochastic methods draw samples

   Values:
+  KSP_STOCHASTIC_UNIFORM - all with the same probability
-  KSP_STOCHASTIC_NORM    - in proportion to ||F_i' S F_i||, for one view the squared norm, with weights that make up for it

   Level: intermediate

.seealso: KSPStochasticSetSampling()
E*/

const char *const KSPStochasticSamplings[] = {"UNIFORM", "NORM", "KSPStochasticSampling", "KSP_STOCHASTIC_", NULL};

/*
   Probabilities p_i of the local samples, weights 1/(n p_i), and L = max_i L_i/(n p_i) + ridge over all ranks. With
   probabilities that differ, Walker's alias method: bin i of n has sample i in its first part, of length prob_i, and
   sample alias_i in the rest.
*/
PetscErrorCode StochasticSetUpSampling(KSP ksp)
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
PetscErrorCode StochasticDraw(KSP ksp)
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

PetscErrorCode StochasticResetSampling(KSP ksp)
{
  KSP_Stochastic *ctx = (KSP_Stochastic *)ksp->data;

  PetscFunctionBegin;
  PetscCall(PetscFree(ctx->prob));
  PetscCall(PetscFree(ctx->alias));
  PetscCall(PetscFree(ctx->weight));
  PetscCall(PetscRandomDestroy(&ctx->random));
  ctx->havedrawn = PETSC_FALSE;
  ctx->seeded    = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
