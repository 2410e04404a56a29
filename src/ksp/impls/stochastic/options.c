/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Options of the KSP types that go from sample to sample: setters and getters, the options database, view. Methods without a step
   to choose have neither a step nor a line search, and samples that are permuted are not drawn.
*/
#include "stochastic.h"

/* field := value, which is positive or left to the solver */
PetscErrorCode StochasticSetPositive(KSP ksp, const char what[], PetscReal value, PetscReal *field)
{
  PetscFunctionBegin;
  PetscCheck(value == (PetscReal)PETSC_DECIDE || (value > 0.0 && !PetscIsInfOrNanReal(value)), PetscObjectComm((PetscObject)ksp), PETSC_ERR_ARG_OUTOFRANGE, "%s must be positive, or PETSC_DECIDE: %g", what, (double)value);
  *field = value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

NAPIMethodSetter(KSP, KSP_Stochastic, KSPStochasticSetStep_Stochastic, PetscReal, StochasticSetPositive(object, "The step", value, &ctx->step));

/*@
   KSPStochasticSetStep - Sets the step of the KSP types svrg, katyusha and saga.

   Logically Collective

   Input Parameters:
+  ksp - the solver
-  eta - the step, or PETSC_DECIDE for 1/L (saga: 1/(3L)), the default

   Options Database Key:
.  -ksp_<svrg,katyusha,saga>_step <eta> - sets the step; for KSPKATYUSHA it takes the place of 1/L

   Level: intermediate

   Notes:
   L is the largest norm ||F_i' S F_i|| of a sample (with sampling by norm, the mean) plus the larger ridge. For one view,
   ||F_i' S F_i|| = ||x_i||^2. A step that is given is taken, and too long a step diverges; the automatic one is halved
   where it should turn out to be too long.

.seealso: KSPSVRG, KSPKATYUSHA, KSPSAGA, KSPStochasticGetStep(), KSPStochasticSetSampling()
@*/
PetscErrorCode KSPStochasticSetStep(KSP ksp, PetscReal eta)
{
  NAPIMethodSet(KSP, ksp, KSPStochasticSetStep, PetscReal, Real, eta);
}

NAPIMethodGetter(KSP, KSP_Stochastic, KSPStochasticGetStep_Stochastic, PetscReal, ctx->step > 0.0 ? ctx->step : (ctx->rows.G ? ctx->eta : (PetscReal)PETSC_DECIDE));

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
  NAPIMethodGet(KSP, ksp, KSPStochasticGetStep, PetscReal, eta);
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

   Options Database Key:
.  -ksp_<svrg,katyusha,saga,sdca>_stage <m> - sets the number of steps

   Level: intermediate

   Note:
   Every rank takes its share of the steps, in proportion to its samples, and at least one.

.seealso: KSPSVRG, KSPKATYUSHA, KSPSAGA, KSPSDCA, KSPStochasticGetStageLength()
@*/
PetscErrorCode KSPStochasticSetStageLength(KSP ksp, PetscInt m)
{
  NAPIMethodSet(KSP, ksp, KSPStochasticSetStageLength, PetscInt, Int, m);
}

NAPIMethodGetter(KSP, KSP_Stochastic, KSPStochasticGetStageLength_Stochastic, PetscInt, ctx->stage);

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
  NAPIMethodGet(KSP, ksp, KSPStochasticGetStageLength, PetscInt, m);
}

static PetscErrorCode KSPStochasticSetSampling_Stochastic(KSP ksp, KSPStochasticSampling sampling)
{
  KSP_Stochastic *ctx = (KSP_Stochastic *)ksp->data;

  PetscFunctionBegin;
  PetscCheck(sampling == KSP_STOCHASTIC_UNIFORM || sampling == KSP_STOCHASTIC_NORM, PetscObjectComm((PetscObject)ksp), PETSC_ERR_ARG_OUTOFRANGE, "Unknown sampling %d", (int)sampling);
  PetscCheck(sampling == KSP_STOCHASTIC_UNIFORM || !ctx->method->permutes, PetscObjectComm((PetscObject)ksp), PETSC_ERR_SUP, "KSP type %s takes the samples in random order, each as often as any other: sampling by norm is for types that draw them, such as %s",
             ctx->method->name, KSPSVRG);
  ctx->sampling = sampling;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   KSPStochasticSetSampling - Chooses how the KSP types svrg, katyusha and saga draw samples.

   Logically Collective

   Input Parameters:
+  ksp      - the solver
-  sampling - KSP_STOCHASTIC_UNIFORM, the default, or KSP_STOCHASTIC_NORM

   Options Database Key:
.  -ksp_<svrg,katyusha,saga>_sampling <uniform,norm> - chooses it

   Level: intermediate

   Note:
   By norm, the automatic step follows from the mean instead of the largest norm of the samples, which is larger where
   the samples differ.

.seealso: KSPSVRG, KSPKATYUSHA, KSPSAGA, KSPStochasticSampling, KSPStochasticGetSampling(), KSPStochasticSetStep()
@*/
PetscErrorCode KSPStochasticSetSampling(KSP ksp, KSPStochasticSampling sampling)
{
  NAPIMethodSet(KSP, ksp, KSPStochasticSetSampling, KSPStochasticSampling, Enum, sampling);
}

NAPIMethodGetter(KSP, KSP_Stochastic, KSPStochasticGetSampling_Stochastic, KSPStochasticSampling, ctx->sampling);

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
  NAPIMethodGet(KSP, ksp, KSPStochasticGetSampling, KSPStochasticSampling, sampling);
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

   Options Database Key:
.  -ksp_<svrg,katyusha,saga,sdca>_seed <seed> - sets the seed

   Level: intermediate

   Note:
   Two solves from the same seed, with the same data on the same number of ranks, give the same numbers. Without a call to
   this function (or KSPReset()) in between, a second solve goes on with the random numbers of the first.

.seealso: KSPSVRG, KSPStochasticGetSeed()
@*/
PetscErrorCode KSPStochasticSetSeed(KSP ksp, PetscInt seed)
{
  NAPIMethodSet(KSP, ksp, KSPStochasticSetSeed, PetscInt, Int, seed);
}

NAPIMethodGetter(KSP, KSP_Stochastic, KSPStochasticGetSeed_Stochastic, PetscInt, ctx->seed);

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
  NAPIMethodGet(KSP, ksp, KSPStochasticGetSeed, PetscInt, seed);
}

NAPIMethodDefine(KSP, KSP_Stochastic, KSPStochasticSetLineSearch_Stochastic, PetscBool, ctx->linesearch = value ? 1 : 0);

/*@
   KSPStochasticSetLineSearch - Chooses whether the solution moves along the step of a stage as far as minimises the energy
   norm of the error, in the KSP types svrg, katyusha and saga.

   Logically Collective

   Input Parameters:
+  ksp  - the solver
-  flag - whether it does; otherwise it takes the step as it is

   Options Database Key:
.  -ksp_<svrg,katyusha,saga>_linesearch <bool> - chooses whether it does

   Level: advanced

   Note:
   By default it does on several ranks, and where the coupling of the operator is not positive semidefinite: there the error
   could grow otherwise. It does not on one rank: the method of the textbook. The line search costs two inner products,
   since the operator is applied to the step for the residual anyway.

.seealso: KSPSVRG, KSPKATYUSHA, KSPSAGA, KSPStochasticGetLineSearch()
@*/
PetscErrorCode KSPStochasticSetLineSearch(KSP ksp, PetscBool flag)
{
  NAPIMethodSet(KSP, ksp, KSPStochasticSetLineSearch, PetscBool, Bool, flag);
}

static PetscErrorCode KSPStochasticGetLineSearch_Stochastic(KSP ksp, PetscBool *flag)
{
  KSP_Stochastic *ctx = (KSP_Stochastic *)ksp->data;
  PetscMPIInt     size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)ksp), &size));
  *flag = (PetscBool)(ctx->linesearch != NAPI_UNSET ? ctx->linesearch == 1 : (size > 1 || (ctx->rows.G && !ctx->rows.psd)));
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
  NAPIMethodGet(KSP, ksp, KSPStochasticGetLineSearch, PetscBool, flag);
}

PetscErrorCode KSPSetFromOptions_Stochastic(KSP ksp, NAPIOptionItems PetscOptionsObject)
{
  KSP_Stochastic       *ctx     = (KSP_Stochastic *)ksp->data;
  const PetscBool       stepped = (PetscBool)(ctx->method->stepfactor > 0.0);
  char                  name[64];
  PetscReal             eta = ctx->step;
  PetscInt              m = ctx->stage, seed = ctx->seed;
  KSPStochasticSampling sampling = ctx->sampling;
  PetscBool             set, flag;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "KSP options of the stochastic methods");
  if (stepped) {
    PetscCall(PetscSNPrintf(name, sizeof(name), "-ksp_%s_step", ctx->method->name));
    PetscCall(PetscOptionsReal(name, "Step", "KSPStochasticSetStep", eta, &eta, &set));
    if (set) PetscCall(KSPStochasticSetStep(ksp, eta));
    PetscCall(KSPStochasticGetLineSearch(ksp, &flag));
    PetscCall(PetscSNPrintf(name, sizeof(name), "-ksp_%s_linesearch", ctx->method->name));
    PetscCall(PetscOptionsBool(name, "Line search along the step of a stage", "KSPStochasticSetLineSearch", flag, &flag, &set));
    if (set) PetscCall(KSPStochasticSetLineSearch(ksp, flag));
  }
  if (!ctx->method->permutes) {
    PetscCall(PetscSNPrintf(name, sizeof(name), "-ksp_%s_sampling", ctx->method->name));
    PetscCall(PetscOptionsEnum(name, "How samples are drawn", "KSPStochasticSetSampling", KSPStochasticSamplings, (PetscEnum)sampling, (PetscEnum *)&sampling, &set));
    if (set) PetscCall(KSPStochasticSetSampling(ksp, sampling));
  }
  PetscCall(PetscSNPrintf(name, sizeof(name), "-ksp_%s_stage", ctx->method->name));
  PetscCall(PetscOptionsInt(name, "Steps of a stage", "KSPStochasticSetStageLength", m, &m, &set));
  if (set) PetscCall(KSPStochasticSetStageLength(ksp, m));
  PetscCall(PetscSNPrintf(name, sizeof(name), "-ksp_%s_seed", ctx->method->name));
  PetscCall(PetscOptionsInt(name, "Seed of the random numbers", "KSPStochasticSetSeed", seed, &seed, &set));
  if (set) PetscCall(KSPStochasticSetSeed(ksp, seed));
  if (ctx->method->setfromoptions) PetscCall((*ctx->method->setfromoptions)(ksp, PetscOptionsObject));
  PetscOptionsHeadEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KSPView_Stochastic(KSP ksp, PetscViewer viewer)
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
  if (ctx->method->stepfactor > 0.0) {
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

/* Makes the functions known to the KSP, those that its method has, or takes them away */
PetscErrorCode StochasticCompose(KSP ksp, PetscBool known)
{
  const StochasticMethod *method = ((KSP_Stochastic *)ksp->data)->method;
  const PetscBool         step   = (PetscBool)(known && method->stepfactor > 0.0);

  PetscFunctionBegin;
  if (method->compose) PetscCall((*method->compose)(ksp, known));
  NAPIMethodCompose(ksp, step, KSPStochasticSetStep, Stochastic);
  NAPIMethodCompose(ksp, step, KSPStochasticGetStep, Stochastic);
  NAPIMethodCompose(ksp, step, KSPStochasticSetLineSearch, Stochastic);
  NAPIMethodCompose(ksp, step, KSPStochasticGetLineSearch, Stochastic);
  NAPIMethodCompose(ksp, known, KSPStochasticSetStageLength, Stochastic);
  NAPIMethodCompose(ksp, known, KSPStochasticGetStageLength, Stochastic);
  NAPIMethodCompose(ksp, known, KSPStochasticSetSampling, Stochastic);
  NAPIMethodCompose(ksp, known, KSPStochasticGetSampling, Stochastic);
  NAPIMethodCompose(ksp, known, KSPStochasticSetSeed, Stochastic);
  NAPIMethodCompose(ksp, known, KSPStochasticGetSeed, Stochastic);
  NAPIMethodCompose(ksp, known, KSPStochasticGetResidual, Stochastic);
  PetscFunctionReturn(PETSC_SUCCESS);
}
