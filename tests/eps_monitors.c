/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Monitors and views tell the truth: a monitor is called once for every step, none left out, also where what seemed to have converged
   turns out not to have; what it was told to have converged stays so. The view names no inner criterion where there
   is no inner solve, and the KSP's tolerance is the one in use.
*/
#include "modes.h"

#define N 90

typedef struct {
  PetscInt calls, last, skipped, repeated; /* its: in order, one by one */
  PetscInt enough, nconv, most, undone;    /* undone: steps with fewer than the one before, which had enough of them */
  PetscInt odd;                            /* nconv beyond nest, or an error estimate above the tolerance of a pair that is said to have converged */
} Seen;

static PetscErrorCode Watch(EPS eps, PetscInt its, PetscInt nconv, PetscScalar *eigr, PetscScalar *eigi, PetscReal *errest, PetscInt nest, void *ctx)
{
  Seen     *seen = (Seen *)ctx;
  PetscReal tol;

  PetscFunctionBegin;
  (void)eigr;
  (void)eigi;
  PetscCall(EPSGetTolerances(eps, &tol, NULL));
  if (its > seen->last + 1) seen->skipped++;
  if (its <= seen->last) seen->repeated++;
  if (seen->calls && seen->nconv >= seen->enough && nconv < seen->nconv) seen->undone++;
  if (nconv > nest) seen->odd++;
  for (PetscInt i = 0; i < PetscMin(nconv, nest); i++)
    if (!(errest[i] <= tol)) seen->odd++;
  seen->calls++;
  seen->last  = its;
  seen->nconv = nconv;
  seen->most  = PetscMax(seen->most, nconv);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves with a monitor: what has it seen? Where a matrix changes, pairs may be undone as long as there are not enough of them */
static PetscErrorCode TapWatched(EPS eps, PetscInt enough, const char *what)
{
  PetscErrorCode code = PETSC_SUCCESS;
  PetscInt       its = 0, nconv = 0;
  Seen           seen = {0};
  PetscBool      pass;

  PetscFunctionBegin;
  seen.enough = enough;
  PetscCall(EPSMonitorSet(eps, Watch, &seen, NULL));
  PetscCall(Attempt(eps, &code));
  if (!code) {
    PetscCall(EPSGetIterationNumber(eps, &its));
    PetscCall(EPSGetConverged(eps, &nconv));
  }
  pass = (PetscBool)(!code && seen.calls == its && its > 0 && !seen.skipped && !seen.repeated);
  PetscCall(TapOk(pass, "%s: every step is seen, once", what));
  if (!pass) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %d steps, %d calls, %d skipped, %d repeated%s%s\n", (int)its, (int)seen.calls, (int)seen.skipped, (int)seen.repeated, code ? "; " : "", code ? failure : ""));
  PetscCall(TapOk((PetscBool)(!code && !seen.undone && !seen.odd), "%s: what was reported stays so, with errors below the tolerance", what));
  if (seen.undone || seen.odd) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# undone %d times, %d odd errors\n", (int)seen.undone, (int)seen.odd));
  PetscCall(TapOk((PetscBool)(!code && seen.nconv == nconv), "%s: the last call has the number that the user gets", what));
  if (seen.nconv != nconv) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %d, and %d\n", (int)seen.nconv, (int)nconv));
  PetscCall(EPSMonitorCancel(eps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Steps(void)
{
  static const STType types[] = {NULL, STSINVERT, STPRECOND};
  PetscReal           d[N];
  char                what[128];
  Problem             p;
  EPS                 eps;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < N; i++) d[i] = 1.0 + 1.3 * ((37 * i) % N);
  for (int g = 0; g < 2; g++) {
    for (int t = 0; t < 3; t++) {
      for (int m = 0; m < Momenta(); m++) {
        if (m == EPS_NAPI_MOMENTUM_FIXED || (t == 2 && m != EPS_NAPI_MOMENTUM_OPTIMAL)) continue;
        PetscCall(ProblemGiven(N, d, g ? 0.5 : 0.0, 3, t ? EPS_TARGET_MAGNITUDE : EPS_LARGEST_MAGNITUDE, -1.0, &p));
        PetscCall(SolverTransformed(&p, types[t], &eps));
        PetscCall(EPSNAPISetMomentum(eps, (EPSNAPIMomentum)m));
        PetscCall(PetscSNPrintf(what, sizeof(what), "%s, %s, %s", EPSNAPIMomentums[m], g ? "generalised" : "standard", t ? types[t] : "largest"));
        PetscCall(TapWatched(eps, 0, what));
        PetscCall(EPSDestroy(&eps));
        PetscCall(ProblemDestroy(&p));
      }
    }
  }
  /* entries of B so large that SLEPc's residual is the one that matters, which is seen only by fresh products */
  PetscCall(ProblemGiven(N, d, 0.5, 5, EPS_LARGEST_MAGNITUDE, 0.0, &p));
  PetscCall(MatScale(p.A, 1e5));
  PetscCall(MatScale(p.B, 1e5));
  PetscCall(SolverTransformed(&p, NULL, &eps));
  PetscCall(TapWatched(eps, 0, "a large B"));
  PetscCall(EPSDestroy(&eps));
  PetscCall(ProblemDestroy(&p));
  /* a target inside, and a definite pair with everything to find */
  PetscCall(ProblemGiven(N, d, 0.5, 3, EPS_TARGET_MAGNITUDE, 30.2, &p));
  PetscCall(SolverTransformed(&p, STSINVERT, &eps));
  PetscCall(TapWatched(eps, 0, "a target inside"));
  PetscCall(EPSDestroy(&eps));
  PetscCall(ProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix changes at the moment when everything seems to have been found: what is verified then has not converged */
static PetscErrorCode Failed(void)
{
  PetscReal   d[N];
  PetscScalar value = 0.0;
  char        what[128];
  Problem     p;
  EPS         eps;
  Mat         S;
  Change      change;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < N; i++) d[i] = 1.0 + 1.3 * ((37 * i) % N);
  for (int which = 0; which < 2; which++) { /* A or B */
    for (int inverse = 0; inverse < 2; inverse++) {
      PetscInt nconv = 0;

      PetscCall(ProblemGiven(N, d, 0.5, 2, inverse ? EPS_TARGET_MAGNITUDE : EPS_LARGEST_REAL, -1.0, &p));
      PetscCall(ChangeCreate(which ? p.B : p.A, 1e-4, &change, &S));
      PetscCall(SolverTransformed(&p, inverse ? STSINVERT : NULL, &eps));
      PetscCall(EPSSetOperators(eps, which ? p.A : S, which ? S : p.B));
      PetscCall(EPSSetStoppingTestFunction(eps, ChangeNow, &change, NULL));
      PetscCall(PetscSNPrintf(what, sizeof(what), "%s changes before it is verified, %s", which ? "B" : "A", inverse ? "sinvert" : "largest"));
      PetscCall(TapWatched(eps, 2, what));
      PetscCall(EPSGetConverged(eps, &nconv));
      if (nconv) PetscCall(EPSGetEigenvalue(eps, 0, &value, NULL));
      PetscCall(TapOk((PetscBool)(change.which && nconv >= 2 && PetscAbsReal(PetscRealPart(value) - (inverse ? p.values[0] : p.values[N - 1])) < 1e-6), "%s: the answer is that of the matrix as it is in the end", what));
      PetscCall(EPSDestroy(&eps));
      PetscCall(ChangeDestroy(&change, &S));
      PetscCall(ProblemDestroy(&p));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Views(void)
{
  PetscReal d[N];
  char     *text;
  Problem   p;
  EPS       eps;
  PetscBool pass;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < N; i++) d[i] = 1.0 + 1.3 * ((37 * i) % N);
  /* a standard problem has no inner solve, nor has STPRECOND */
  for (int c = 0; c < 2; c++) {
    PetscErrorCode code = PETSC_SUCCESS;

    PetscCall(ProblemGiven(N, d, c ? 0.5 : 0.0, 2, c ? EPS_SMALLEST_REAL : EPS_LARGEST_MAGNITUDE, 0.0, &p));
    PetscCall(SolverTransformed(&p, c ? STPRECOND : NULL, &eps));
    PetscCall(Attempt(eps, &code));
    PetscCall(ViewText(eps, &text));
    PetscCall(TapOk((PetscBool)(!code && !strstr(text, "inner criterion")), "%s: the view names no inner criterion", c ? "STPRECOND" : "a standard problem"));
    PetscCall(PetscFree(text));
    PetscCall(EPSDestroy(&eps));
    PetscCall(ProblemDestroy(&p));
  }
  /* where the user gives the inner tolerance, the KSP's is not another one */
  for (int c = 0; c < 2; c++) {
    PetscErrorCode code = PETSC_SUCCESS;

    PetscCall(ProblemGiven(N, d, 0.5, 2, c ? EPS_TARGET_MAGNITUDE : EPS_LARGEST_MAGNITUDE, 0.0, &p));
    PetscCall(SolverTransformed(&p, c ? STSINVERT : NULL, &eps));
    PetscCall(EPSNAPISetInnerTolerances(eps, 3e-3, PETSC_DECIDE));
    PetscCall(Attempt(eps, &code));
    PetscCall(ViewText(eps, &text));
    pass = (PetscBool)(!code && strstr(text, "inner criterion: rtol = 0.003") && !strstr(text, "relative=1e-08"));
    PetscCall(TapOk(pass, "%s: the view has the inner tolerance in use, and no other", c ? "sinvert" : "shift"));
    if (!pass) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %.60s\n", strstr(text, "relative=") ? strstr(text, "relative=") : "no KSP tolerance"));
    PetscCall(PetscFree(text));
    PetscCall(EPSDestroy(&eps));
    PetscCall(SolverTransformed(&p, c ? STSINVERT : NULL, &eps)); /* chosen from step to step */
    PetscCall(Attempt(eps, &code));
    PetscCall(ViewText(eps, &text));
    PetscCall(TapOk((PetscBool)(!code && !strstr(text, "relative=1e-08")), "%s: the view shows no tolerance of the KSP that was never used", c ? "sinvert" : "shift"));
    PetscCall(PetscFree(text));
    PetscCall(EPSDestroy(&eps));
    PetscCall(ProblemDestroy(&p));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -eps_napi_monitor: beta is not shown as 0 where there is none */
static PetscErrorCode Printed(void)
{
  char        text[8192];
  char        path[] = "/tmp/napi-monitor-XXXXXX";
  PetscReal   d[N];
  Problem     p;
  EPS         eps;
  PetscMPIInt rank;
  FILE       *real = PETSC_STDOUT, *file;
  size_t      length;
  int         fd, betas = 0, bad = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  for (PetscInt i = 0; i < N; i++) d[i] = 1.0 + 1.3 * ((37 * i) % N);
  fd = mkstemp(path);
  PetscCheck(fd >= 0, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "no temporary file");
  file = fdopen(fd, "w+");
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "no temporary file");
  (void)remove(path);
  PETSC_STDOUT = file; /* the viewer for standard output, which is made now, keeps it: so it stays open */
  PetscCall(ProblemGiven(N, d, 0.5, 2, EPS_LARGEST_MAGNITUDE, 0.0, &p));
  PetscCall(SolverTransformed(&p, NULL, &eps));
  PetscCall(EPSMonitorSet(eps, EPSNAPIMonitor, NULL, NULL));
  PetscCall(EPSSolve(eps));
  PETSC_STDOUT = real;
  (void)fflush(file);
  rewind(file);
  length       = fread(text, 1, sizeof(text) - 1, file);
  text[length] = 0;
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
    betas += strstr(line, "NAPI nconv=") != NULL;
    bad += strstr(line, "beta=0") || strstr(line, "beta= 0") || strstr(line, "beta=-");
  }
  PetscCall(TapOk((PetscBool)(rank || (betas > 0 && !bad)), "-eps_napi_monitor prints a line for every step, and no beta that is 0 for optimal"));
  PetscCall(EPSDestroy(&eps));
  PetscCall(ProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(TapBegin(&argc, &argv));
  PetscCall(Printed()); /* before anything else makes the viewer */
  PetscCall(Steps());
  PetscCall(Failed());
  PetscCall(Views());
  return TapEnd();
}
