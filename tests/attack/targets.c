/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Random pairs and what is nearest to a target, or smallest, against all eigenvalues by dense LAPACK: is any missed, is any
   spurious?

     targets -from 1 -count 200 -family clusters -way inside -time 60 -verbose

   -from, -count   seeds of the problems
   -family         one family only (problems.h); otherwise they take turns
   -way            one way to ask only; otherwise they take turns:
                     below, above      a target outside of the spectrum, nearer or farther
                     inside, upon      one anywhere within it; one that is nearly an eigenvalue
                     real, magnitude   the smallest, no ST chosen, of a definite A
                     anyreal, anymagnitude   the same of any A, which may be refused
   -time           stop after so many seconds
   -verbose        a line for every problem

   The solver is napi with its defaults, unless the options database says otherwise (-oracle krylovschur: another type). The exit
   status is not zero if anything was wrong, if a pair was refused that is not to be, or if 200 problems or more were tried and
   more than 0.5 % of those outside of the spectrum, or 2 % of those inside, diverged.
*/
#include "../modes.h"
#include <petsctime.h>

typedef enum {
  BELOW,
  ABOVE,
  INSIDE,
  UPON,
  REAL,
  MAGNITUDE,
  ANYREAL,
  ANYMAGNITUDE,
  WAYS
} Way;
static const char *const ways[] = {"below", "above", "inside", "upon", "real", "magnitude", "anyreal", "anymagnitude"};

typedef enum {
  FOUND,
  FALSE_PAIR, /* not a pair, or not orthonormal */
  MISSED,
  SPURIOUS,
  GAVE_UP,
  REFUSED,
  BROKEN, /* an error that is about our own code */
  FATES
} Fate;
static const char *const fates[] = {"right", "WRONG", "MISSED", "SPURIOUS", "diverged", "refused", "ERROR"};

typedef struct {
  PetscInt  problems, fates[FATES];
  PetscReal its, columns, inner;
} Tally;

/* The problem of this seed, family and way: n 65 to 400, k 1 to 12 */
static PetscErrorCode TargetProblem(uint64_t seed, const char *family, Way way, Problem *p, STType *type)
{
  Random    r = RandomOf(seed, family);
  PetscReal lowest, highest, spread, *d;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(p, sizeof(*p)));
  p->seed   = seed;
  p->family = family;
  p->k      = RandomInt(&r, 1, 12);
  p->n      = Is(family, "plusminusclusters") ? RandomInt(&r, 80, 240) : (PetscInt)RandomLog(&r, 65, 401);
  p->which  = way >= REAL ? (way == REAL || way == ANYREAL ? EPS_SMALLEST_REAL : EPS_SMALLEST_MAGNITUDE) : RandomBits(&r) & 1 ? EPS_TARGET_MAGNITUDE : EPS_TARGET_REAL;
  *type     = way >= REAL || RandomBits(&r) & 1 ? NULL : STSINVERT;
  PetscCall(PetscMalloc1(p->n, &d));
  Spectrum(&r, family, p->n, d);
  if (way == REAL || way == MAGNITUDE) { /* as far above 0 as something between a hundredth and ten times their spread */
    PetscReal lift;

    lowest = highest = d[0];
    for (PetscInt i = 1; i < p->n; i++) {
      lowest  = PetscMin(lowest, d[i]);
      highest = PetscMax(highest, d[i]);
    }
    lift = RandomLog(&r, 1e-2, 10.0) * PetscMax(highest - lowest, PETSC_SMALL) - lowest;
    for (PetscInt i = 0; i < p->n; i++) d[i] += lift;
  }
  PetscCall(ProblemBuild(p, &r, ANY, 0.0, d));
  lowest  = p->values[0];
  highest = p->values[p->n - 1];
  spread  = highest - lowest;
  switch (way) {
  case BELOW:
    p->target = lowest - RandomLog(&r, 1e-3, 3.0) * spread;
    break;
  case ABOVE:
    p->target = highest + RandomLog(&r, 1e-3, 3.0) * spread;
    break;
  case INSIDE:
    p->target = RandomReal(&r, lowest, highest);
    break;
  default:
    p->target = p->values[RandomInt(&r, 0, p->n - 1)] + (RandomBits(&r) & 1 ? 1.0 : -1.0) * spread * RandomLog(&r, 1e-12, 1e-4);
  }
  PetscCall(PetscFree(d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve(const Problem *p, STType type, Outcome *o, Fate *fate)
{
  PetscErrorCode code = PETSC_SUCCESS;
  EPS            eps;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(o, sizeof(*o)));
  PetscCall(SolverTransformed(p, type, &eps));
  PetscCall(EPSSetFromOptions(eps));
  PetscCall(Attempt(eps, &code));
  if (code) {
    *fate = IsRefusal(code) ? REFUSED : BROKEN;
    (void)snprintf(o->why, sizeof(o->why), "%.250s", failure);
  } else {
    PetscCall(Judge(eps, p, o));
    if (o->verdict == WRONG) *fate = strstr(o->why, "none of the first") ? MISSED : strstr(o->why, "no eigenvalue") ? SPURIOUS : FALSE_PAIR;
    else *fate = o->verdict == DIVERGED ? GAVE_UP : FOUND;
    if (*fate == GAVE_UP) PetscCall(Cause(eps, sizeof(o->why), o->why));
  }
  PetscCall(EPSDestroy(&eps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Row(const char *name, const Tally *t)
{
  PetscReal n = PetscMax(1, t->problems);

  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-18s %8d", name, (int)t->problems));
  for (int f = 0; f < FATES; f++) PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %8d", (int)t->fates[f]));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %10.1f %12.0f %8.0f\n", (double)(t->its / n), (double)(t->columns / n), (double)(t->inner / n)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The place of a name in a list, or an error that says which there are */
static PetscErrorCode Place(const char *option, const char *name, PetscInt count, const char *const list[], PetscInt *place)
{
  PetscFunctionBegin;
  for (*place = 0; *place < count && !Is(list[*place], name); (*place)++)
    ;
  PetscCheck(*place < count, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "No %s %s: see tests/attack", option, name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  char           family[64] = "", way[16] = "";
  PetscInt       from = 1, count = 200, i, f = 0, w = 0, nfamilies = 0, failed = 0, outside, within;
  PetscReal      budget = 0.0;
  PetscLogDouble begin, now;
  PetscBool      verbose = PETSC_FALSE;
  PetscMPIInt    ranks, over;
  Tally          tallies[WAYS], all;

  PetscCall(TapBegin(&argc, &argv));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-from", &from, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-count", &count, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-family", family, sizeof(family), NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-way", way, sizeof(way), NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-time", &budget, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-verbose", &verbose, NULL));
  while (Families[nfamilies]) nfamilies++;
  if (*family) PetscCall(Place("family", family, nfamilies, Families, &f));
  if (*way) PetscCall(Place("way", way, WAYS, ways, &w));
  PetscCall(PetscMemzero(tallies, sizeof(tallies)));
  PetscCall(PetscMemzero(&all, sizeof(all)));

  PetscCall(PetscTime(&begin));
  for (i = from; i < from + count; i++) {
    Problem p;
    Outcome o;
    Fate    fate = BROKEN;
    STType  type;
    Tally  *t;

    if (budget > 0.0) {
      PetscCall(PetscTime(&now));
      over = now - begin > budget;
      PetscCallMPI(MPI_Bcast(&over, 1, MPI_INT, 0, PETSC_COMM_WORLD));
      if (over) break;
    }
    if (!*family) f = i % nfamilies;
    if (!*way) w = (i / nfamilies + i) % WAYS;
    t = &tallies[w];
    PetscCall(TargetProblem((uint64_t)i, Families[f], (Way)w, &p, &type));
    PetscCall(Solve(&p, type, &o, &fate));
    t->problems++;
    t->fates[fate]++;
    t->its += o.its;
    t->columns += o.columns;
    t->inner += o.inner;
    if (verbose || fate != FOUND) {
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-8s seed %d, %s, %s, n %d, k %d, target %g in %g..%g, B %s (condition %.1e), ST %s: %d found, reason %d, %d iterations, %d columns%s%s\n", fates[fate], (int)i, Families[f], ways[w], (int)p.n, (int)p.k,
                            (double)p.target, (double)p.values[0], (double)p.values[p.n - 1], p.form, (double)(p.normB / p.lowB), type ? type : "none", (int)o.nconv, (int)o.reason, (int)o.its, (int)o.columns, *o.why ? "; " : "", o.why));
      if (fate != FOUND) {
        if (ranks > 1) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "           again: mpiexec -n %d %s -from %d -count 1 -family %s -way %s\n", (int)ranks, argv[0], (int)i, Families[f], ways[w]));
        else PetscCall(PetscPrintf(PETSC_COMM_WORLD, "           again: %s -from %d -count 1 -family %s -way %s\n", argv[0], (int)i, Families[f], ways[w]));
      }
    }
    PetscCall(ProblemDestroy(&p));
  }

  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-18s %8s", "asked for", "problems"));
  for (f = 0; f < FATES; f++) PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %8s", fates[f]));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %10s %12s %8s\n", "iterations", "A+B columns", "inner"));
  for (w = outside = within = 0; w < WAYS; w++) {
    Tally *t = &tallies[w];

    if (!t->problems) continue;
    PetscCall(Row(ways[w], t));
    all.problems += t->problems;
    for (f = 0; f < FATES; f++) all.fates[f] += t->fates[f];
    all.its += t->its;
    all.columns += t->columns;
    all.inner += t->inner;
    if (w == BELOW || w == ABOVE || w == REAL || w == MAGNITUDE) {
      outside += t->fates[GAVE_UP];
      failed += t->fates[REFUSED];
    } else within += t->fates[GAVE_UP];
  }
  PetscCall(Row("all", &all));
  failed += all.fates[FALSE_PAIR] + all.fates[MISSED] + all.fates[SPURIOUS] + all.fates[BROKEN];
  if (all.problems >= 200) failed += PetscMax(0, outside - all.problems / 200) + PetscMax(0, within - all.problems / 50);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%d passed, %d failed\n", (int)(all.problems - failed), (int)failed));
  PetscCall(SlepcFinalize());
  return failed ? 1 : 0;
}
