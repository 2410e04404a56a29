/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Random pairs against what is known of them: does the solver ever claim what is not so?

     pairs -from 1 -count 200 -family normal -which lm -time 60 -verbose

   -from, -count   seeds of the problems
   -family         one family only (problems.h); otherwise they take turns
   -which          lm, lr or sr; otherwise at random
   -time           stop after so many seconds
   -verbose        a line for every problem

   The solver is napi with its defaults, unless the options database says otherwise. The exit status is not zero if
   anything was wrong, or if 200 problems or more were tried and more than 0.5 % of them diverged.
*/
#include "problems.h"
#include <petsctime.h>

#define MAXFAMILIES ((PetscInt)(sizeof(Families) / sizeof(Families[0])))

typedef struct {
  PetscInt  problems, verdicts[3];
  PetscReal its, columns, inner;
} Tally;

static const char *const verdictNames[] = {"right", "WRONG", "diverged"};

static const char *WhichName(EPSWhich which)
{
  return which == EPS_LARGEST_MAGNITUDE ? "lm" : which == EPS_LARGEST_REAL ? "lr" : "sr";
}

static PetscErrorCode Solve(const Problem *p, Outcome *o)
{
  EPS eps;

  PetscFunctionBegin;
  PetscCall(SolverFor(p->A, p->B, p->k, p->which, &eps));
  PetscCall(EPSSetFromOptions(eps));
  PetscCall(EPSSolve(eps));
  PetscCall(Judge(eps, p, o));
  PetscCall(EPSDestroy(&eps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Row(const char *name, const Tally *t)
{
  PetscReal n = PetscMax(1, t->problems);

  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-18s %8d %8d %8d %8d %10.1f %12.0f %8.0f\n", name, (int)t->problems, (int)t->verdicts[RIGHT], (int)t->verdicts[WRONG], (int)t->verdicts[DIVERGED], (double)(t->its / n), (double)(t->columns / n), (double)(t->inner / n)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  char           family[64] = "", which[8] = "";
  PetscInt       from = 1, count = 200, i, f = 0, nfamilies = 0, failed;
  PetscReal      budget = 0.0;
  PetscLogDouble begin, now;
  PetscBool      verbose = PETSC_FALSE;
  PetscMPIInt    ranks, over;
  Tally          tallies[MAXFAMILIES], all;

  PetscCall(TapBegin(&argc, &argv));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-from", &from, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-count", &count, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-family", family, sizeof(family), NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-which", which, sizeof(which), NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-time", &budget, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-verbose", &verbose, NULL));
  PetscCheck(!*which || !strcmp(which, "lm") || !strcmp(which, "lr") || !strcmp(which, "sr"), PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "-which is lm, lr or sr, not %s", which);
  while (Families[nfamilies]) nfamilies++;
  PetscCall(PetscMemzero(tallies, sizeof(tallies)));
  PetscCall(PetscMemzero(&all, sizeof(all)));
  if (*family) {
    for (f = 0; f < MAXFAMILIES - 1; f++)
      if (Families[f] && Is(Families[f], family)) break;
    PetscCheck(f < MAXFAMILIES - 1, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "No family %s: see tests/attack/problems.h", family);
  }

  PetscCall(PetscTime(&begin));
  for (i = from; i < from + count; i++) {
    Problem p;
    Outcome o;
    Tally  *t;

    if (budget > 0.0) {
      PetscCall(PetscTime(&now));
      over = now - begin > budget;
      PetscCallMPI(MPI_Bcast(&over, 1, MPI_INT, 0, PETSC_COMM_WORLD));
      if (over) break;
    }
    if (!*family) f = i % nfamilies;
    t = &tallies[f];
    PetscCall(ProblemCreate((uint64_t)i, Families[f], &p));
    if (*which) p.which = !strcmp(which, "lm") ? EPS_LARGEST_MAGNITUDE : !strcmp(which, "lr") ? EPS_LARGEST_REAL : EPS_SMALLEST_REAL;
    PetscCall(Solve(&p, &o));
    t->problems++;
    t->verdicts[o.verdict]++;
    t->its += o.its;
    t->columns += o.columns;
    t->inner += o.inner;
    if (verbose || o.verdict != RIGHT) {
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-8s seed %d, %s, n %d, k %d, %s, B %s (condition %.1e): %d found, reason %d, %d iterations, %d columns%s%s\n", verdictNames[o.verdict], (int)i, Families[f], (int)p.n, (int)p.k, WhichName(p.which), p.form, (double)(p.normB / p.lowB),
                            (int)o.nconv, (int)o.reason, (int)o.its, (int)o.columns, *o.why ? "; " : "", o.why));
      if (o.verdict != RIGHT) {
        if (ranks > 1) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "           again: mpiexec -n %d %s -from %d -count 1 -family %s -which %s\n", (int)ranks, argv[0], (int)i, Families[f], WhichName(p.which)));
        else PetscCall(PetscPrintf(PETSC_COMM_WORLD, "           again: %s -from %d -count 1 -family %s -which %s\n", argv[0], (int)i, Families[f], WhichName(p.which)));
      }
    }
    PetscCall(ProblemDestroy(&p));
  }

  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-18s %8s %8s %8s %8s %10s %12s %8s\n", "family", "problems", "right", "wrong", "diverged", "iterations", "A+B columns", "inner"));
  for (f = 0; f < MAXFAMILIES; f++) {
    Tally *t = &tallies[f];

    if (!t->problems) continue;
    PetscCall(Row(Families[f], t));
    all.problems += t->problems;
    for (i = 0; i < 3; i++) all.verdicts[i] += t->verdicts[i];
    all.its += t->its;
    all.columns += t->columns;
    all.inner += t->inner;
  }
  PetscCall(Row("all", &all));
  failed = all.verdicts[WRONG];
  if (all.problems >= 200) failed += PetscMax(0, all.verdicts[DIVERGED] - all.problems / 200);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%d passed, %d failed\n", (int)(all.problems - failed), (int)failed));
  PetscCall(SlepcFinalize());
  return failed ? 1 : 0;
}
