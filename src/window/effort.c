/*
   How much inner work to do.
*/
#include <slepcnapi/private/napiwindow.h>

/*
   NAPIAutoChoose - One iteration of the inner solver, or as many as it takes to a loose tolerance?

   One iteration spans what the preconditioner alone would, and with B D for free costs the same: the least there is.
   Whether more pays depends on the spectrum of the pair, on that of the preconditioned B, and on what has already been
   gained. We start with the tolerance, which is never far from the best, try one iteration, stay with what gained more
   digits for each application of A and B, and try the other again after ever longer times. The first steps after a change
   still live on what was there before, which flatters the cheaper way: it has to be clearly better.

   first - the first step of all
   todo  - digits that the wanted pairs have still to gain
   spent - columns A and B have been applied to so far
   error - of the first pair that has not converged
   width - columns of the coming step
   inner - inner iterations of the last step, times its columns
*/
PetscErrorCode NAPIAutoChoose(PetscObject obj,NAPIAuto *c,PetscBool first,PetscReal todo,PetscReal spent,PetscReal error,PetscInt width,PetscInt inner)
{
  const PetscInt  probe = 4;   /* steps before a way can be judged */
  const PetscReal ripe = 1e-2; /* residual from which on convergence is steady enough to be measured */
  const PetscReal few = 3.0;   /* where the tolerance takes more iterations, a single one is no match for it */
  const PetscReal margin = 1.3,memory = 0.9;

  PetscFunctionBegin;
  if (first) {
    PetscCall(PetscMemzero(c,sizeof(*c)));
    c->arm  = 1;
    c->hold = 24;
  } else if (c->ripe) { /* what the last step has gained, old gains counting ever less */
    c->gain[c->arm] = memory*c->gain[c->arm]+c->before-todo;
    c->cost[c->arm] = memory*c->cost[c->arm]+spent-c->spent;
    if (c->arm) c->inner = c->inner>0.0? memory*c->inner+(1.0-memory)*inner/c->width: (PetscReal)inner/c->width;
    c->steps++;
  } else if (error<ripe) c->ripe = PETSC_TRUE;
  c->before = todo;
  c->spent  = spent;
  c->width  = width;
  if (c->steps>=probe) {
    PetscReal rate = c->cost[c->arm]>0.0? c->gain[c->arm]/c->cost[c->arm]: 0.0;
    PetscReal other = c->cost[1-c->arm]>0.0? c->gain[1-c->arm]/c->cost[1-c->arm]: 0.0;
    PetscInt  was = c->arm;

    if (!c->arm) { /* one iteration has to be clearly better, soon and then */
      if (rate<(c->steps>=3*probe? margin: 1.0)*other) c->arm = 1;
    } else if ((!c->tried || c->steps>=c->hold) && c->inner<=few) { /* leave the tolerance to try the other way */
      if (c->tried) c->hold *= 2;
      c->tried = PETSC_TRUE;
      c->arm   = 0;
    }
    if (c->arm!=was) {
      PetscCall(PetscInfo(obj,"Inner work: %s gains %g digits a column; last time the other way gained %g\n",was? "a tolerance": "one iteration",(double)rate,(double)other));
      c->gain[c->arm] = c->cost[c->arm] = 0.0;
      c->steps = 0;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
