/* SPDX-License-Identifier: BSD-2-Clause */
/*
   How much inner work to do: how many iterations of the inner solver in a step, measured as the solve goes on.

   A step with j iterations brings more than one with fewer, up to a point: its gain is about G j/(j + J), where J says from where on
   more iterations are of no use, since it is the outer iteration that limits. With a cost of 1 + j products for each column the best is
   near j = sqrt(J). The curve is flat there, and J is all that has to be known.

   The gain of a cycle, which is as many steps as there are between two restarts, is how much the wanted Ritz values rise, relative to
   themselves: they never fall, and by what they rise their errors become smaller, so that it varies far less than residuals do. In steady
   convergence the rise falls by the same factor from cycle to cycle. Hence a trial: a cycle with j iterations, one with about half as
   many, and one with j again; how far the rise of the one in the middle lies from the geometric mean of its neighbours tells the
   quotient of the gains, and that J. As it is a measurement it has errors: the J is used that explains all trials so far best, the
   older ones counting less.

   That holds near the best number. Where B is so badly conditioned that a few iterations do next to nothing there is nothing to compare: where
   the rate leaves no hope, a loose tolerance decides from then on, as many iterations as it may take.

   Costs are counted, not timed: a run can be repeated.
*/
#include <slepcnapi/private/napiwindow.h>

/* The least change of a value that is not rounding, relative to it */
#define EFFORT_ROUNDING 1e-13

/* NAPIEffortStart - To be called before the first step */
PetscErrorCode NAPIEffortStart(NAPIEffort *c)
{
  NAPIEffort fresh = {.value = c->value, .room = c->room};

  PetscFunctionBegin;
  *c = fresh;
  for (PetscInt i = 0; i < 3; i++) c->cycle[i].rise = c->value + (i + 1) * c->room;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The values of J that are considered */
static PetscReal NAPIEffort_Saturation(PetscInt g)
{
  return PetscPowReal(2.0, 0.5 * g - 2.0);
}

/* The natural logarithm of the gain of a step with j iterations */
static PetscReal NAPIEffort_Gain(PetscReal j, PetscReal J)
{
  return PetscLogReal(j / (j + J));
}

/* The number of iterations, within limits, that gains most for its cost */
static PetscInt NAPIEffort_Best(const NAPIEffort *c, PetscInt from, PetscInt limit)
{
  PetscInt  best = from, least = 0;
  PetscReal rate, most         = PETSC_MIN_REAL;

  for (PetscInt g = 1; g < NAPI_EFFORT_GRID; g++)
    if (c->doubt[g] < c->doubt[least]) least = g;
  for (PetscInt j = from; j <= limit; j++) {
    rate = NAPIEffort_Gain(j, NAPIEffort_Saturation(least)) - PetscLogReal(j > 1 ? 1.0 + j * c->each : c->once);
    if (j == from || rate > most) {
      best = j;
      most = rate;
    }
  }
  return best;
}

/* J is about that, as far as is known */
static void NAPIEffort_Expect(NAPIEffort *c, PetscReal J)
{
  const PetscReal vague = 1.5; /* of ln J: a factor of five either way is no surprise */

  for (PetscInt g = 0; g < NAPI_EFFORT_GRID; g++) c->doubt[g] = PetscSqr(PetscLogReal(NAPIEffort_Saturation(g) / J) / vague) / 2.0;
}

/*
   What the last three cycles say of J, the one in the middle having had another number of iterations. With the gains a and b of the
   cycles, as natural logarithms of how much the errors fall, the rises are e (1 - 1/a), e/a (1 - 1/b), e/ab (1 - 1/a), e being the error before.
*/
static PetscErrorCode NAPIEffort_Learn(PetscObject obj, NAPIEffort *c)
{
  const PetscReal noise  = 0.25; /* of the logarithm of a quotient of gains where convergence is slow: as seen; in proportion more where it is fast */
  const PetscReal memory = 0.8;  /* of earlier trials */
  const PetscReal flat   = 1e-3; /* the least decay that is told from none */
  PetscReal       rise[3], mean, ratio, decay, half, quotient, x, y;
  PetscInt        first = c->cycle[2].nconv, last = c->cycle[0].reach;

  PetscFunctionBegin;
  x = PetscSqrtReal(c->cycle[0].its * c->cycle[2].its);
  y = c->cycle[1].its;
  for (PetscInt i = 0; i < 3; i++) {
    rise[i] = 0.0;
    for (PetscInt j = first; j < last; j++) rise[i] += c->cycle[i].rise[j];
    if (rise[i] < EFFORT_ROUNDING) PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (PetscAbsReal(x - y) < 0.1 * x) PetscFunctionReturn(PETSC_SUCCESS);
  mean     = PetscSqrtReal(rise[0] * rise[2]);
  ratio    = (rise[1] - mean) / (rise[1] + mean);
  decay    = PetscMax(flat, PetscLogReal(rise[0] / rise[2]) / 2.0); /* the mean of a and b */
  half     = PetscTanhReal(decay / 2.0) * ratio;
  half     = PetscLogReal((1.0 + half) / (1.0 - half)); /* half of b - a: of 2 artanh */
  quotient = PetscLogReal((decay + half) / (decay - half));
  for (PetscInt g = 0; g < NAPI_EFFORT_GRID; g++) {
    const PetscReal J = NAPIEffort_Saturation(g);

    c->doubt[g] = memory * c->doubt[g] + PetscSqr((quotient - NAPIEffort_Gain(y, J) + NAPIEffort_Gain(x, J)) / (noise * (1.0 + decay))) / 2.0;
  }
  PetscCall(PetscInfo(obj, "Inner work: steps of %g iterations gained %g times what those of %g did, at a decay of %g\n", (double)y, (double)PetscExpReal(quotient), (double)x, (double)decay));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The cycle is over: what it has brought */
static PetscErrorCode NAPIEffort_Record(NAPIWindow *w, PetscInt nconv)
{
  NAPIEffort *c   = &w->effort;
  PetscReal  *row = c->cycle[0].rise;
  PetscInt    k   = PetscMin(w->k, NAPIWindowPairs(w));

  PetscFunctionBegin;
  c->cycle[0]      = c->cycle[1];
  c->cycle[1]      = c->cycle[2];
  c->cycle[2].rise = row;
  for (PetscInt j = 0; j < k; j++) row[j] = PetscMin(1.0, PetscAbsReal(PetscAbsReal(w->theta[j]) - c->value[j]) / PetscMax(PetscAbsReal(w->theta[j]), PETSC_SMALL * PetscAbsReal(w->theta[0])));
  c->cycle[2].its   = PetscMax(1.0, (PetscReal)c->inner / c->columns);
  c->cycle[2].nconv = nconv;
  c->cycle[2].reach = PetscMin(k, c->reach);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NAPIEffort_Begin(NAPIWindow *w, PetscInt nconv, PetscReal todo)
{
  NAPIEffort *c = &w->effort;

  PetscFunctionBegin;
  c->columns = c->inner = 0;
  c->todo               = todo;
  c->reach              = nconv + w->bs;
  for (PetscInt j = 0; j < w->k; j++) c->value[j] = j < NAPIWindowPairs(w) ? PetscAbsReal(w->theta[j]) : 0.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the end is out of sight, at the rate since the number of iterations was last changed, though more of them might do more */
static PetscBool NAPIEffort_IsHopeless(const NAPIEffort *c, PetscReal todo)
{
  const PetscInt  least = 3;     /* cycles: a single one may gain little, or lose */
  const PetscReal far   = 200.0; /* cycles: slow problems take a hundred in all */
  const PetscReal all   = 0.9;   /* of the iterations allowed have been made: the tolerance was not reached */

  return (PetscBool)(c->cycles >= least && c->cycle[2].its > all * c->most && todo * c->cycles > far * (c->mark - todo));
}

/* What the next cycle is to be */
static PetscErrorCode NAPIEffort_Decide(NAPIWindow *w, PetscReal todo, PetscBool joint, PetscInt limit)
{
  const PetscReal enough = 8.0; /* cycles to come: with fewer a trial does not pay */
  const PetscReal most   = 3.0; /* J where A and B are multiplied at once, see NAPIWindowEffort() */
  NAPIEffort     *c      = &w->effort;
  const PetscInt  before = c->usual;
  PetscInt        best;

  PetscFunctionBegin;
  if (!c->cycles++) c->mark = c->todo;
  if (NAPIEffort_IsHopeless(c, todo)) c->stage = NAPI_EFFORT_HOPELESS;
  switch (c->stage) {
  case NAPI_EFFORT_HOPELESS:
    c->usual = limit;
    break;
  case NAPI_EFFORT_START:
    NAPIEffort_Expect(c, joint ? most : PetscSqr(c->cycle[2].its));
    c->usual = NAPIEffort_Best(c, 1, PetscMin(limit, c->its));
    c->stage = NAPI_EFFORT_SETTLED;
    c->rest = c->wait = 1;
    break;
  case NAPI_EFFORT_SETTLED:
    if (c->wait) c->wait--;
    if (!c->wait && !(c->todo - todo > 0.0 && todo < enough * (c->todo - todo))) c->stage = NAPI_EFFORT_TRIAL;
    break;
  case NAPI_EFFORT_TRIAL:
    c->tried = PETSC_TRUE;
    c->stage = NAPI_EFFORT_AGAIN;
    break;
  case NAPI_EFFORT_AGAIN:
    PetscCall(NAPIEffort_Learn(w->obj, c));
    best     = NAPIEffort_Best(c, PetscMax(1, c->usual / 2), PetscMin(limit, 2 * PetscMax(2, c->usual)));
    c->rest  = best == c->usual ? 2 * c->rest : 1;
    c->wait  = c->rest;
    c->usual = best;
    c->stage = NAPI_EFFORT_SETTLED;
  }
  if (c->usual != before) c->cycles = 0;
  c->its = c->stage != NAPI_EFFORT_TRIAL ? c->usual : c->usual > 1 ? c->usual / 2 : 2;
  PetscCall(PetscInfo(w->obj, "Inner work: %g digits of %g gained; now %" PetscInt_FMT " iterations\n", (double)(c->todo - todo), (double)c->todo, c->its));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIWindowEffort - How much inner work pays, nconv pairs having converged, b being looked at and n of them to be corrected.

   once  - what a step with one iteration costs for each column, in products, and
   each  - what every iteration does where there are several, in a step that has a product with A besides
   maxit - on entry how many iterations there may be
*/
PetscErrorCode NAPIWindowEffort(NAPIWindow *w, PetscInt nconv, PetscInt b, PetscInt n, PetscReal once, PetscReal each, PetscReal *rtol, PetscInt *maxit)
{
  const PetscReal accurate = 1e-3;                           /* what is below that is of no use in any case */
  const PetscInt  first    = 8;                              /* iterations in the first cycle: that many hardly ever take twice the cost of the best */
  const PetscBool joint    = (PetscBool)(once < 1.0 + each); /* both products in one sweep */
  NAPIEffort     *c        = &w->effort;
  PetscBool       loose;                                                               /* the tolerance will do until there has been a trial */
  PetscReal       todo = PetscMax(0, w->k - nconv - b) * PetscLog10Real(1.0 / w->tol); /* pairs not yet in sight have it all before them */

  PetscFunctionBegin;
  for (PetscInt j = 0; j < b; j++) todo += PetscLog10Real(PetscMax(1.0, PetscMin(1.0, w->error[w->look[j]]) / w->tol));
  c->inner += w->inner;
  if (!c->columns) PetscCall(NAPIEffort_Begin(w, nconv, todo));
  c->once = once;
  c->each = each;
  if (!c->its) c->its = joint ? 1 : first;
  else if (c->columns >= w->max - w->keep) {
    PetscCall(NAPIEffort_Record(w, nconv));
    PetscCall(NAPIEffort_Decide(w, todo, joint, *maxit));
    PetscCall(NAPIEffort_Begin(w, nconv, todo));
  }
  c->columns += n;
  loose   = (PetscBool)(c->stage == NAPI_EFFORT_HOPELESS || (!joint && !c->tried && c->stage < NAPI_EFFORT_TRIAL));
  *rtol   = loose ? NAPI_LOOSE : accurate;
  *maxit  = PetscMin(*maxit, loose ? PetscMax(first, c->its) : c->its);
  c->most = *maxit;
  PetscFunctionReturn(PETSC_SUCCESS);
}
