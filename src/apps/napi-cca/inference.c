/* SPDX-License-Identifier: BSD-2-Clause */
/*
   How many pairs are real? What the library's tests say: permutations where they were asked for, Wilks' and other tests where they apply.
*/
#include "napi-cca.h"
#include <math.h>

#define LEVEL 0.05 /* at which pairs are called real */

static const char *const testNames[NTESTS] = {"wilks", "bartlett", "pillai", "hotelling", "roy"}; /* as CCATest has them */

PetscErrorCode NAPICCAGetInferenceOptions(CCAAnalysis analysis, InferenceOptions *o, char message[])
{
  const char *wrong = NULL;
  PetscInt    n;
  PetscBool   set[3];

  PetscFunctionBegin;
  o->seed = 1;
  PetscCall(NAPIGetInts("-permutations", 1, &o->permutations, &n, &set[0], message));
  PetscCall(NAPIGetInts("-permutation_seed", 1, &o->seed, &n, &set[1], message));
  PetscCall(NAPIGetName("-permute_within", o->within, sizeof(Name), &set[2], message));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-wilks", &o->wilks, NULL));
  if (set[0] && o->permutations < 1) wrong = "-permutations must be at least 1; 999 is usual";
  else if (analysis != CCA_ANALYSIS_CCA && (set[0] || o->wilks)) wrong = "-permutations and -wilks are about canonical correlations: leave them out, or take -analysis cca (of classes: with a column of 0 and 1 for each but the last as Y)";
  else if (!set[0] && set[1]) wrong = "-permutation_seed is about permutations: say how many, -permutations 999";
  else if (!set[0] && set[2]) wrong = "-permute_within is about permutations: say how many, -permutations 999";
  if (wrong && !message[0]) PetscCall(PetscStrncpy(message, wrong, NAPI_MESSAGE_LENGTH));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NAPICCADestroyInference(Inference *f)
{
  PetscFunctionBegin;
  PetscCall(PetscFree3(f->p, f->median, f->quantile));
  for (int t = 0; t < NTESTS; t++)
    for (int i = 0; i < 5; i++) PetscCall(PetscFree(f->table[t][i]));
  f->tested = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- tests ---------------------------------------------------------------------------------------------------- */

static PetscErrorCode Inference_Permute(const Options *o, const Data *d, CCA cca, Result *r, char message[])
{
  Inference      *f      = &r->inference;
  IS              block  = NULL;
  const PetscInt *labels = NULL;
  PetscInt        count;
  char          **names;
  PetscLogDouble  start;

  PetscFunctionBegin;
  if (o->inference.within[0]) {
    PetscCall(NAPIReadLabels(PETSC_COMM_WORLD, o->inference.within, &d->rows, &block, &count, &names, message));
    if (message[0]) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(NAPIFreeNames(&names));
    PetscCall(ISGetIndices(block, &labels));
  }
  PetscCall(NAPIShowStage("permuting"));
  PetscCall(PetscTime(&start));
  PetscCall(PetscMalloc3(r->n, &f->p, r->n, &f->median, r->n, &f->quantile));
  PetscCall(NAPICCAWatch(cca, PETSC_TRUE, &r->stop));
  PetscCall(CCAPermutationTest(cca, o->inference.permutations, o->inference.seed, labels, f->p));
  PetscCall(NAPICCAUnwatch(cca, &r->stop));
  PetscCall(CCAGetPermutationsDone(cca, &f->done));
  for (PetscInt i = f->done ? r->nconv : 0; i < r->n; i++) f->p[i] = f->median[i] = f->quantile[i] = (PetscReal)NAN; /* JSON's null */
  for (PetscInt i = 0; i < r->nconv && f->done; i++) {
    PetscCall(CCAGetPermutationQuantile(cca, i, 0.5, &f->median[i], &f->exact));
    PetscCall(CCAGetPermutationQuantile(cca, i, 1.0 - LEVEL, &f->quantile[i], &f->exact));
  }
  PetscCall(CCAGetPermutationUndecided(cca, &f->undecided));
  PetscCall(NAPIElapsed(start, &f->seconds));
  PetscCall(NAPIShowStage(NULL));
  if (block) {
    PetscCall(ISRestoreIndices(block, &labels));
    PetscCall(ISDestroy(&block));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NAPICCAInfer(const Options *o, const Data *d, CCA cca, Result *r, char message[])
{
  Inference *f = &r->inference;
  PetscInt   cols[2], s;

  PetscFunctionBegin;
  if (!r->nconv) PetscFunctionReturn(PETSC_SUCCESS);
  for (int i = 0; i < 2; i++) PetscCall(MatGetSize(d->view[i], NULL, &cols[i]));
  s = f->most = PetscMin(cols[0], cols[1]);
  PetscCall(CCAGetMultivariateTests(cca, CCA_TEST_WILKS, &f->tested, NULL, NULL, NULL, NULL, NULL, f->why, sizeof(f->why)));
  for (int t = 0; t < NTESTS && f->tested; t++) {
    for (int i = 0; i < 5; i++) PetscCall(PetscMalloc1(s, &f->table[t][i]));
    PetscCall(CCAGetMultivariateTests(cca, (CCATest)t, &f->tested, f->table[t][0], f->table[t][1], f->table[t][2], f->table[t][3], f->table[t][4], NULL, 0));
  }
  if (o->inference.permutations) PetscCall(Inference_Permute(o, d, cca, r, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- report --------------------------------------------------------------------------------------------------- */

/* PETSc's formats know no precision for the likes of %9.4g on all versions: the C library's do */
static PetscErrorCode Inference_PrintPermutations(const Options *o, const Result *r)
{
  const Inference *f    = &r->inference;
  PetscInt         real = 0;
  char             line[160];

  PetscFunctionBegin;
  if (f->done < o->inference.permutations)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\nINTERRUPTED by %s after %" PetscInt_FMT " of %" PetscInt_FMT " permutations%s", NAPICCAWhatStopped(&r->stop), f->done, o->inference.permutations, f->done ? ", of which the p-values are:" : ": there are no p-values\n"));
  if (!f->done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\nHow many pairs are real? %" PetscInt_FMT " permutation%s of the samples of Y%s\n", f->done, f->done == 1 ? "" : "s", o->inference.within[0] ? ", within groups" : ""));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "   k   %11s   95 %% of permutations%s           p\n", r->center ? "correlation" : "cosine", f->exact ? "      " : " below"));
  for (PetscInt i = 0; i < r->nconv; i++) {
    (void)snprintf(line, sizeof(line), "%4d   %11.8f   %26.4f   %9.4g", (int)(i + 1), (double)r->rho[i], (double)f->quantile[i], (double)f->p[i]);
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s\n", line));
    if (f->p[i] <= LEVEL) real = i + 1;
  }
  if (f->done < 19) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "With fewer than 19 permutations no p-value can be 5 %%: -permutations 999 says more.\n"));
  else if (!real) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "At 5 %% no pair can be told from chance: samples that have nothing to do with each other have values as large often enough.\n"));
  else if (real == 1 && r->nconv == 1) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "At 5 %% this pair is real%s.\n", f->most > 1 ? "; there may be more" : ""));
  else if (real == r->nconv) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "At 5 %% all %" PetscInt_FMT " pairs are real%s.\n", real, real < f->most ? "; there may be more" : ""));
  else if (real == 1) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "At 5 %% the first pair is real; what is left may be chance.\n"));
  else PetscCall(PetscPrintf(PETSC_COMM_WORLD, "At 5 %% the first %" PetscInt_FMT " of %" PetscInt_FMT " pairs are real; what is left may be chance.\n", real, r->nconv));
  if (f->undecided) {
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%" PetscInt_FMT " of %" PetscInt_FMT " comparisons could not be decided and count against the pairs: p-values may be too large. More shrinkage, or -cca_type direct, helps.\n", f->undecided, f->done * r->nconv));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Inference_PrintTests(const Result *r)
{
  const Inference *f = &r->inference;
  char             line[240];

  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\nAre the correlations from the k-th on zero? Wilks' Lambda with Rao's F, for normally distributed data\n"));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "   k        Lambda            F       df1       df2           p\n"));
  for (PetscInt i = 0; i < PetscMin(r->n, f->tested); i++) {
    PetscReal *const *w = f->table[CCA_TEST_WILKS];

    (void)snprintf(line, sizeof(line), "%4d   %11.8f   %10.5g   %7.6g   %7.6g   %9.4g", (int)(i + 1), (double)w[0][i], (double)w[1][i], (double)w[2][i], (double)w[3][i], (double)w[4][i]);
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s\n", line));
  }
  (void)snprintf(line, sizeof(line), "From the first on: Pillai's trace %.6g, p = %.4g; Hotelling's and Lawley's %.6g, p = %.4g; Roy's root %.6g, p at least %.4g", (double)f->table[CCA_TEST_PILLAI][0][0], (double)f->table[CCA_TEST_PILLAI][4][0],
                 (double)f->table[CCA_TEST_HOTELLING][0][0], (double)f->table[CCA_TEST_HOTELLING][4][0], (double)f->table[CCA_TEST_ROY][0][0], (double)f->table[CCA_TEST_ROY][4][0]);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s\n", line));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NAPICCAPrintInference(const Options *o, const Result *r)
{
  PetscFunctionBegin;
  if (r->inference.p) PetscCall(Inference_PrintPermutations(o, r));
  if (r->inference.tested) PetscCall(Inference_PrintTests(r));
  else if (o->inference.wilks && r->inference.why[0]) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n%s.\n", r->inference.why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void NAPICCAJsonInference(const Options *o, const Result *r, NAPIJson *json)
{
  static const char *const what[5] = {"statistic", "F", "df1", "df2", "p_values"};
  const Inference         *f       = &r->inference;
  char                     key[64];

  if (f->p) {
    NAPIJsonInteger(json, "permutations", o->inference.permutations);
    NAPIJsonInteger(json, "permutations_done", f->done);
    NAPIJsonInteger(json, "permutation_seed", o->inference.seed);
    NAPIJsonReals(json, "p_values", r->n, f->p);
    NAPIJsonReals(json, "permutation_medians", r->n, f->median);
    NAPIJsonReals(json, "permutation_quantiles", r->n, f->quantile);
    NAPIJsonBool(json, "permutation_quantiles_exact", f->exact);
    NAPIJsonInteger(json, "permutation_undecided", f->undecided);
    NAPIJsonReal(json, "permutation_seconds", (PetscReal)f->seconds);
  }
  for (int t = 0; t < NTESTS && f->tested; t++)
    for (int i = 0; i < 5; i++) {
      if (t == CCA_TEST_BARTLETT && (i == 0 || i == 3)) continue; /* it is Wilks' Lambda, and chi-square has no more */
      (void)snprintf(key, sizeof(key), "%s_%s", testNames[t], t == CCA_TEST_BARTLETT && i == 1 ? "chi_square" : what[i]);
      NAPIJsonReals(json, key, f->tested, f->table[t][i]);
    }
}
