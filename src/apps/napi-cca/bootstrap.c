/* SPDX-License-Identifier: BSD-2-Clause */
/*
   -bootstrap: how far the correlations scatter.
*/
#include "napi-cca.h"

#define BOOTSTRAP_LEVEL 0.95 /* of the intervals */

PetscErrorCode NAPICCAGetBootstrapOptions(Options *o, char message[])
{
  PetscInt  count;
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(NAPIGetInts("-bootstrap", 1, &o->bootstrap, &count, &set, message));
  if (set && !message[0] && o->bootstrap < 2) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "-bootstrap needs the number of samples to draw, at least 2: 1000, for example"));
  PetscCall(NAPIGetInts("-bootstrap_seed", 1, &o->bootstrapseed, &count, &set, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NAPICCABootstrap(const Options *o, CCA cca, Result *r)
{
  Bootstrap *b = &r->bootstrap;

  PetscFunctionBegin;
  if (!o->bootstrap || !r->n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(NAPIShowStage("bootstrap"));
  b->asked = PETSC_TRUE;
  PetscCall(NAPICCAWatch(cca, PETSC_TRUE, &r->stop));
  PetscCall(CCABootstrap(cca, o->bootstrap, o->bootstrapseed));
  PetscCall(NAPICCAUnwatch(cca, &r->stop));
  PetscCall(CCAGetBootstrap(cca, &b->samples, &b->failed, NULL, NULL));
  PetscCall(PetscMalloc4(r->n, &b->low, r->n, &b->high, r->n, &b->rholow, r->n, &b->rhohigh));
  for (PetscInt i = 0; i < r->n && b->failed < b->samples; i++) PetscCall(CCAGetBootstrapInterval(cca, i, BOOTSTRAP_LEVEL, &b->low[i], &b->high[i], &b->rholow[i], &b->rhohigh[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NAPICCADestroyBootstrap(Bootstrap *b)
{
  PetscFunctionBegin;
  PetscCall(PetscFree4(b->low, b->high, b->rholow, b->rhohigh));
  b->samples = b->failed = 0;
  b->asked               = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of one data set there is no interval */
static PetscBool Bootstrap_HasIntervals(const Bootstrap *b)
{
  return (PetscBool)(b->samples - b->failed > 1);
}

PetscErrorCode NAPICCAPrintBootstrap(const Options *o, const Result *r)
{
  const Bootstrap *b = &r->bootstrap;
  char             line[160];

  PetscFunctionBegin;
  if (!b->asked) PetscFunctionReturn(PETSC_SUCCESS);
  if (b->samples < o->bootstrap)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\nINTERRUPTED by %s after %" PetscInt_FMT " of %" PetscInt_FMT " bootstrap samples%s", NAPICCAWhatStopped(&r->stop), b->samples, o->bootstrap, Bootstrap_HasIntervals(b) ? ", of which the intervals are:" : ": there are no intervals\n"));
  if (b->samples < 2) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\nBootstrap: %" PetscInt_FMT " data sets of as many samples, drawn from these with replacement (seed %" PetscInt_FMT "). For 95 %% of them the correlations are in\n", b->samples, o->bootstrapseed));
  if (Bootstrap_HasIntervals(b)) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "   k            canonical   %18s\n", r->center ? "Pearson" : "cosine"));
  for (PetscInt i = 0; i < r->n && Bootstrap_HasIntervals(b); i++) {
    (void)snprintf(line, sizeof(line), "%4d   %8.4f to %7.4f   %7.4f to %7.4f", (int)i + 1, (double)b->rholow[i], (double)b->rhohigh[i], (double)b->low[i], (double)b->high[i]);
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s\n", line));
  }
  if (b->failed) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%" PetscInt_FMT " of them have not converged and are left out%s.\n", b->failed, Bootstrap_HasIntervals(b) ? "" : ", so that there are no intervals"));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "This tells how far they scatter, not whether they are real: of samples that are drawn again they are larger still.\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void NAPICCAWriteBootstrapJson(NAPIJson *json, const Options *o, const Result *r)
{
  const Bootstrap *b = &r->bootstrap;

  if (!b->asked) return;
  NAPIJsonInteger(json, "bootstrap_samples", o->bootstrap);
  NAPIJsonInteger(json, "bootstrap_done", b->samples);
  NAPIJsonInteger(json, "bootstrap_seed", o->bootstrapseed);
  NAPIJsonInteger(json, "bootstrap_failed", b->failed);
  if (!Bootstrap_HasIntervals(b)) return;
  NAPIJsonReals(json, r->center ? "pearson_low" : "cosines_low", r->n, b->low);
  NAPIJsonReals(json, r->center ? "pearson_high" : "cosines_high", r->n, b->high);
  NAPIJsonReals(json, "correlations_low", r->n, b->rholow);
  NAPIJsonReals(json, "correlations_high", r->n, b->rhohigh);
}
