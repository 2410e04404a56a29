/* SPDX-License-Identifier: BSD-2-Clause */
/*
   How much inner work to do.
*/
#include <slepcnapi/private/napiwindow.h>

static const char *const NAPIEffortWays[] = {"one iteration", "a tolerance"};

/* From now on that way, which is measured from scratch */
static PetscErrorCode NAPIEffort_Switch(PetscObject obj, NAPIEffort *c, PetscInt way, NAPIEffortStage stage, PetscReal rate)
{
  PetscFunctionBegin;
  PetscCall(PetscInfo(obj, "Inner work: %s gained %g digits a column; %s %s\n", NAPIEffortWays[c->way], (double)rate, stage == NAPI_EFFORT_TRIAL ? "trying" : "now", NAPIEffortWays[way]));
  c->way   = way;
  c->stage = stage;
  c->steps = 0;
  c->gain = c->cost = 0.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NAPIEffortStart - To be called before the first step */
PetscErrorCode NAPIEffortStart(NAPIEffort *c)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(c, sizeof(*c)));
  c->way  = 1;
  c->rtol = NAPI_LOOSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   A period of many steps is over. Where it has brought so little that thousands more would be needed, the gap between
   the wanted eigenvalues and the next is so small that the criterion from the paper, sqrt(Delta/32), would ask for a more
   accurate solve, too. Residuals of clusters go up and down by more than a period gains: it is the best so far that counts, and
   whether the accuracy was of any use cannot be measured, so there is no way back.
*/
static PetscErrorCode NAPIEffort_Tighten(PetscObject obj, NAPIEffort *c)
{
  const PetscReal slow = 0.05;              /* of the digits still to be gained, in a period */
  const PetscReal step = 0.1, least = 1e-4; /* of the tolerance */

  PetscFunctionBegin;
  if (c->period.todo - c->best < slow * c->best && c->rtol > least) {
    c->tight = PETSC_TRUE;
    c->way   = 1;
    c->stage = NAPI_EFFORT_SETTLED;
    c->rtol *= step;
    PetscCall(PetscInfo(obj, "Inner work: %g digits of %g gained in %" PetscInt_FMT " steps; now down to the tolerance %g\n", (double)(c->period.todo - c->best), (double)c->period.todo, c->period.steps, (double)c->rtol));
  }
  c->period.steps = 0;
  c->period.todo  = c->best;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIEffortChoose - One iteration of the inner solver, or as many as it takes to a loose tolerance?

   One iteration spans what the preconditioner alone would, and with B D for free costs the same: the least there is.
   Whether more pays depends on the spectrum of the pair, on that of the preconditioned B, and on what has already been
   gained. We start with the tolerance, which is never far from the best, and try the other way for as many products as have
   been spent on this one. It is kept if it gains clearly more digits for each of them. If it does not, convergence may have
   become slower or faster in the meantime: the first way is measured once more before we decide. The one that was left is tried
   again after ever longer times, for ever longer. The first steps after a change live on what was there before, which flatters
   the cheaper way: they do not count.

   The tolerance is made looser where it takes more than a few iterations, since the window makes more of a product than the
   inner solver does; but not where it takes many: such systems are so hard that only accuracy helps.

   todo  - digits that the wanted pairs have still to gain
   spent - columns A and B have been applied to so far, less what was saved by applying both at once
   error - of the first pair that has not converged
   width - columns of the coming step
   inner - inner iterations of the last step, times its columns
*/
PetscErrorCode NAPIEffortChoose(PetscObject obj, NAPIEffort *c, PetscReal todo, PetscReal spent, PetscReal error, PetscInt width, PetscInt inner)
{
  const PetscInt  enough   = 8;    /* steps before a way can be judged: fewer measure noise, more are spent on the worse way */
  const PetscInt  settle   = 2;    /* steps before those of a trial, which do not count */
  const PetscReal steady   = 1e-2; /* residual from which on convergence is steady enough to be measured */
  const PetscReal few      = 3.0;  /* iterations of the tolerance: up to here the two ways are so close that an early trial is no risk, */
  const PetscReal some     = 4.0;  /*   from here on a single one is no match for it, */
  const PetscReal many     = 16.0; /*   and from here on only accuracy helps */
  const PetscReal memory   = 0.9;  /* of their average, over about ten steps */
  const PetscReal clearly  = 1.5;  /* times the gain makes one iteration the winner at once: it is flattered by what was there before */
  const PetscReal margin   = 1.2;  /* times decides after the first way has been measured again: less would change for noise */
  const PetscReal hopeless = 0.5;  /* times the gain ends a trial early */
  const PetscReal patience = 8.0;  /* trials' worth of products before the next one: what trials may cost in all */
  const PetscInt  period   = 250;  /* steps after which slow convergence is seen as such: hardly any solve takes as many */
  PetscReal       rate;

  PetscFunctionBegin;
  if (!c->period.steps++ && !c->period.todo) c->period.todo = c->best = todo;
  c->best = PetscMin(c->best, todo);
  if (c->period.steps > period) PetscCall(NAPIEffort_Tighten(obj, c));
  if (c->tight) PetscFunctionReturn(PETSC_SUCCESS);
  if (c->steady) {
    if (++c->steps > settle || !c->stage) {
      c->gain += c->todo - todo;
      c->cost += spent - c->spent;
    }
    if (c->way) {
      c->inner = c->inner > 0.0 ? memory * c->inner + (1.0 - memory) * inner / c->width : (PetscReal)inner / c->width;
      if (c->steps >= enough && c->inner > few && c->inner < many) c->rtol = NAPI_LOOSER;
    }
  } else if (error < steady) c->steady = PETSC_TRUE;
  c->todo  = todo;
  c->spent = spent;
  c->width = width;
  /* where the tolerance takes few iterations the two are so close that an early trial is no risk */
  if (c->steps < (c->stage ? enough + settle : c->way && c->inner <= few ? enough / 2 : enough)) PetscFunctionReturn(PETSC_SUCCESS);

  rate = c->cost > 0.0 ? c->gain / c->cost : 0.0;
  switch (c->stage) {
  case NAPI_EFFORT_SETTLED:
    /* a loss is no measure for the other way */
    if (rate > 0.0 && c->cost >= patience * c->budget && (!c->way || c->inner <= some)) {
      c->rate[0] = rate;
      c->budget  = c->budget > 0.0 ? 2.0 * c->budget : c->cost;
      PetscCall(NAPIEffort_Switch(obj, c, 1 - c->way, NAPI_EFFORT_TRIAL, rate));
    }
    break;
  case NAPI_EFFORT_TRIAL:
    if (rate < hopeless * c->rate[0]) PetscCall(NAPIEffort_Switch(obj, c, 1 - c->way, NAPI_EFFORT_SETTLED, rate));
    else if (c->cost >= c->budget) {
      c->rate[1] = rate;
      if (rate >= (c->way ? 1.0 : clearly) * c->rate[0]) c->stage = NAPI_EFFORT_SETTLED;
      else PetscCall(NAPIEffort_Switch(obj, c, 1 - c->way, NAPI_EFFORT_AGAIN, rate));
    }
    break;
  case NAPI_EFFORT_AGAIN:
    if (c->cost >= c->budget) {
      rate = PetscMax(rate, (rate + c->rate[0]) / 2.0); /* what it would have been during the trial */
      if (c->rate[1] >= (c->way ? margin : 1.0 / margin) * rate) PetscCall(NAPIEffort_Switch(obj, c, 1 - c->way, NAPI_EFFORT_SETTLED, rate));
      else c->stage = NAPI_EFFORT_SETTLED;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
