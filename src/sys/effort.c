/* SPDX-License-Identifier: BSD-2-Clause */
/*
   How much inner work to do.
*/
#include <slepcnapi/private/napiwindow.h>

static const char *const ways[] = {"one iteration", "a tolerance"};

/* From now on that way, which is measured from scratch */
static PetscErrorCode Take(PetscObject obj, NAPIAuto *c, PetscInt arm, NAPIAutoStage stage, PetscReal rate)
{
  PetscFunctionBegin;
  PetscCall(PetscInfo(obj, "Inner work: %s gained %g digits a column; %s %s\n", ways[c->arm], (double)rate, stage == NAPI_AUTO_TRIAL ? "trying" : "now", ways[arm]));
  c->arm   = arm;
  c->stage = stage;
  c->steps = 0;
  c->gain = c->cost = 0.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NAPIAutoStart - To be called before the first step */
PetscErrorCode NAPIAutoStart(NAPIAuto *c)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(c, sizeof(*c)));
  c->arm  = 1;
  c->rtol = NAPI_LOOSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Tighten - A period of many steps is over. Where it has brought so little that thousands more would be needed, the gap between
   the wanted eigenvalues and the next is so small that the criterion from the paper, sqrt(Delta/32), would ask for a more
   accurate solve, too. Residuals of clusters go up and down by more than a period gains: it is the best so far that counts, and
   whether the accuracy was of any use cannot be measured, so there is no way back.
*/
static PetscErrorCode Tighten(PetscObject obj, NAPIAuto *c)
{
  const PetscReal slow = 0.05;              /* of the digits still to be gained, in a period */
  const PetscReal step = 0.1, least = 1e-4; /* of the tolerance */

  PetscFunctionBegin;
  if (c->since.todo - c->best < slow * c->best && c->rtol > least) {
    c->tight = PETSC_TRUE;
    c->arm   = 1;
    c->stage = NAPI_AUTO_SETTLED;
    c->rtol *= step;
    PetscCall(PetscInfo(obj, "Inner work: %g digits of %g gained in %" PetscInt_FMT " steps; now down to the tolerance %g\n", (double)(c->since.todo - c->best), (double)c->since.todo, c->since.steps, (double)c->rtol));
  }
  c->since.steps = 0;
  c->since.todo  = c->best;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIAutoChoose - One iteration of the inner solver, or as many as it takes to a loose tolerance?

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
PetscErrorCode NAPIAutoChoose(PetscObject obj, NAPIAuto *c, PetscReal todo, PetscReal spent, PetscReal error, PetscInt width, PetscInt inner)
{
  const PetscInt  probe = 8, settle = 2;              /* steps before a way can be judged, and those before them that do not count */
  const PetscReal ripe = 1e-2;                        /* residual from which on convergence is steady enough to be measured */
  const PetscReal few = 3.0, some = 4.0, many = 16.0; /* iterations of the tolerance; beyond some, a single one is no match for it */
  const PetscReal margin = 1.2, clearly = 1.5, hopeless = 0.5, hold = 8.0, memory = 0.9;
  const PetscInt  period = 250; /* steps after which slow convergence is seen as such */
  PetscReal       rate;

  PetscFunctionBegin;
  if (!c->since.steps++ && !c->since.todo) c->since.todo = c->best = todo;
  c->best = PetscMin(c->best, todo);
  if (c->since.steps > period) PetscCall(Tighten(obj, c));
  if (c->tight) PetscFunctionReturn(PETSC_SUCCESS);
  if (c->ripe) {
    if (++c->steps > settle || !c->stage) {
      c->gain += c->before - todo;
      c->cost += spent - c->spent;
    }
    if (c->arm) {
      c->inner = c->inner > 0.0 ? memory * c->inner + (1.0 - memory) * inner / c->width : (PetscReal)inner / c->width;
      if (c->steps >= probe && c->inner > few && c->inner < many) c->rtol = NAPI_LOOSER;
    }
  } else if (error < ripe) c->ripe = PETSC_TRUE;
  c->before = todo;
  c->spent  = spent;
  c->width  = width;
  /* where the tolerance takes few iterations the two are so close that an early trial is no risk */
  if (c->steps < (c->stage ? probe + settle : c->arm && c->inner <= few ? probe / 2 : probe)) PetscFunctionReturn(PETSC_SUCCESS);

  rate = c->cost > 0.0 ? c->gain / c->cost : 0.0;
  switch (c->stage) {
  case NAPI_AUTO_SETTLED:
    /* a loss is no measure for the other way */
    if (rate > 0.0 && c->cost >= hold * c->budget && (!c->arm || c->inner <= some)) {
      c->rate[0] = rate;
      c->budget  = c->budget > 0.0 ? 2.0 * c->budget : c->cost;
      PetscCall(Take(obj, c, 1 - c->arm, NAPI_AUTO_TRIAL, rate));
    }
    break;
  case NAPI_AUTO_TRIAL:
    if (rate < hopeless * c->rate[0]) PetscCall(Take(obj, c, 1 - c->arm, NAPI_AUTO_SETTLED, rate));
    else if (c->cost >= c->budget) {
      c->rate[1] = rate;
      if (rate >= (c->arm ? 1.0 : clearly) * c->rate[0]) c->stage = NAPI_AUTO_SETTLED;
      else PetscCall(Take(obj, c, 1 - c->arm, NAPI_AUTO_AGAIN, rate));
    }
    break;
  case NAPI_AUTO_AGAIN:
    if (c->cost >= c->budget) {
      rate = PetscMax(rate, (rate + c->rate[0]) / 2.0); /* what it would have been during the trial */
      if (c->rate[1] >= (c->arm ? margin : 1.0 / margin) * rate) PetscCall(Take(obj, c, 1 - c->arm, NAPI_AUTO_SETTLED, rate));
      else c->stage = NAPI_AUTO_SETTLED;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
