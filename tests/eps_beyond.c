/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Pairs that have converged beyond nev are handed out, and are right; orders of the user's own; and what is out of scope is refused
   by its name.
*/
#include "modes.h"

#define N 90

static PetscMPIInt size;

/* Six exact eigenvectors in the initial space and two wanted: more than these have converged at the first look */
static PetscErrorCode Beyond(PetscBool generalised, STType type, EPSWhich which)
{
  PetscReal   d[N];
  PetscInt    nconv = 0;
  PetscScalar value, last = 0.0;
  PetscBool   ordered = PETSC_TRUE;
  Problem     p;
  EPS         eps;
  Vec         x[6];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < N; i++) d[i] = 1.0 + 1.3 * ((37 * i) % N);
  PetscCall(ProblemGiven(N, d, generalised ? 0.5 : 0.0, 6, which, 0.0, &p));
  PetscCall(SolverTransformed(&p, type, &eps));
  PetscCall(EPSSetTolerances(eps, 1e-12, PETSC_DEFAULT));
  PetscCall(TapRight(eps, &p, "six pairs to twelve digits"));
  PetscCall(EPSGetConverged(eps, &nconv));
  for (PetscInt i = 0; i < 6; i++) {
    PetscCall(MatCreateVecs(p.A, &x[i], NULL));
    if (i < nconv) PetscCall(EPSGetEigenvector(eps, i, x[i], NULL));
  }
  PetscCall(EPSDestroy(&eps));
  p.k = 2;
  PetscCall(SolverTransformed(&p, type, &eps));
  PetscCall(EPSSetTolerances(eps, 1e-7, PETSC_DEFAULT));
  PetscCall(EPSSetInitialSpace(eps, 6, x));
  PetscCall(TapRight(eps, &p, "two wanted, six to start with: all that is handed out is right"));
  nconv = 0;
  PetscCall(EPSGetConverged(eps, &nconv));
  PetscCall(TapOk((PetscBool)(nconv > 2), "  and it is more than two (%s, %s, %s)", generalised ? "generalised" : "standard", type ? type : "no ST", which == EPS_LARGEST_REAL ? "largest" : which == EPS_SMALLEST_REAL ? "smallest" : "target"));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %d\n", (int)nconv));
  for (PetscInt i = 0; i < nconv; i++) {
    PetscCall(EPSGetEigenvalue(eps, i, &value, NULL));
    if (i && (which == EPS_LARGEST_REAL ? PetscRealPart(value) > PetscRealPart(last) + 1e-8 : PetscRealPart(value) < PetscRealPart(last) - 1e-8)) ordered = PETSC_FALSE;
    last = value;
  }
  PetscCall(TapOk(ordered, "  in order"));
  PetscCall(EPSDestroy(&eps));
  for (PetscInt i = 0; i < 6; i++) PetscCall(VecDestroy(&x[i]));
  PetscCall(ProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- orders of the user's own ---------------------------------------------------------------------------------------------- */

static PetscErrorCode Descending(PetscScalar ar, PetscScalar ai, PetscScalar br, PetscScalar bi, PetscInt *result, void *ctx)
{
  PetscFunctionBegin;
  (void)ai;
  (void)bi;
  (void)ctx;
  *result = PetscRealPart(ar) > PetscRealPart(br) ? -1 : PetscRealPart(ar) < PetscRealPart(br);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Rising(PetscScalar ar, PetscScalar ai, PetscScalar br, PetscScalar bi, PetscInt *result, void *ctx)
{
  PetscFunctionBegin;
  PetscCall(Descending(br, bi, ar, ai, result, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NearTo(PetscScalar ar, PetscScalar ai, PetscScalar br, PetscScalar bi, PetscInt *result, void *ctx)
{
  PetscReal from = *(PetscReal *)ctx, a = PetscAbsReal(PetscRealPart(ar) - from), b = PetscAbsReal(PetscRealPart(br) - from);

  PetscFunctionBegin;
  (void)ai;
  (void)bi;
  *result = a < b ? -1 : a > b;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Orders(void)
{
  static PetscReal from = 31.0;
  PetscReal        d[N];
  Problem          p;
  EPS              eps;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < N; i++) d[i] = 1.0 + 1.3 * ((37 * i) % N);
  for (int g = 0; g < 2; g++) {
    for (int o = 0; o < 4; o++) {
      PetscCall(ProblemGiven(N, d, g ? 0.5 : 0.0, 3, o == 0 ? EPS_LARGEST_REAL : o == 1 ? EPS_SMALLEST_REAL : EPS_TARGET_MAGNITUDE, from, &p));
      PetscCall(SolverFor(p.A, p.B, p.k, EPS_WHICH_USER, &eps));
      PetscCall(EPSSetEigenvalueComparison(eps, o == 0 ? Descending : o == 1 ? Rising : NearTo, &from));
      if (o == 3) {
        ST st;

        PetscCall(EPSGetST(eps, &st));
        PetscCall(STSetType(st, STSINVERT));
        PetscCall(STSetShift(st, from));
      }
      PetscCall(EPSSetTolerances(eps, PETSC_DEFAULT, 1000));
      PetscCall(TapSound(eps, &p, "comparison", "order", "an order of the user's own, %s, %s: right, or refused by name",
                         o == 0   ? "descending"
                         : o == 1 ? "ascending"
                         : o == 2 ? "by distance"
                                  : "by distance, with sinvert there",
                         g ? "generalised" : "standard"));
      PetscCall(EPSDestroy(&eps));
      PetscCall(ProblemDestroy(&p));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- out of scope ------------------------------------------------------------------------------------------------------------ */

static PetscErrorCode Arbitrary(PetscScalar er, PetscScalar ei, Vec xr, Vec xi, PetscScalar *rr, PetscScalar *ri, void *ctx)
{
  PetscFunctionBegin;
  (void)ei;
  (void)xr;
  (void)xi;
  (void)ctx;
  *rr = er;
  *ri = 0.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All that lie in the interval, and no other; or an error that names the feature */
static PetscErrorCode TapAll(EPS eps, const Problem *p, PetscReal low, PetscReal high, PetscErrorCode wanted, const char *word, const char *other, const char *what)
{
  PetscErrorCode     code = PETSC_SUCCESS;
  EPSConvergedReason reason;
  PetscInt           nconv = 0, inside = 0, found = 0;
  PetscScalar        value;
  PetscBool          pass;

  PetscFunctionBegin;
  PetscCall(Attempt(eps, &code));
  pass = (PetscBool)(code == wanted && (strstr(failure, word) || strstr(failure, other)));
  if (!code) {
    PetscCall(EPSGetConvergedReason(eps, &reason));
    PetscCall(EPSGetConverged(eps, &nconv));
    for (PetscInt i = 0; i < p->n; i++) inside += p->values[i] >= low && p->values[i] <= high;
    for (PetscInt i = 0; i < nconv; i++) {
      PetscCall(EPSGetEigenvalue(eps, i, &value, NULL));
      found += PetscRealPart(value) >= low - 1e-6 && PetscRealPart(value) <= high + 1e-6;
    }
    pass = (PetscBool)(reason < 0 || found == inside);
  }
  PetscCall(TapOk(pass, "%s: all of them, or refused by name", what));
  if (code || !pass) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# code %d, %s; %d found, %d in the interval, of %d that are there\n", (int)code, failure, (int)nconv, (int)found, (int)inside));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode OutOfScope(PetscBool generalised, STType type)
{
  PetscReal d[N];
  Problem   p;
  EPS       eps;
  RG        rg;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < N; i++) d[i] = 1.0 + 1.3 * ((37 * i) % N);
  PetscCall(ProblemGiven(N, d, generalised ? 0.5 : 0.0, 2, type ? EPS_TARGET_MAGNITUDE : EPS_LARGEST_REAL, 0.0, &p));

  PetscCall(SolverTransformed(&p, type, &eps));
  PetscCall(EPSSetWhichEigenpairs(eps, EPS_ALL));
  PetscCall(EPSSetInterval(eps, 20.0, 30.0));
  PetscCall(TapAll(eps, &p, 20.0, 30.0, PETSC_ERR_SUP, "interval", "slicing", "all in an interval"));
  PetscCall(EPSDestroy(&eps));

  PetscCall(SolverTransformed(&p, type, &eps));
  PetscCall(EPSGetRG(eps, &rg));
  PetscCall(RGSetType(rg, RGINTERVAL));
  PetscCall(RGIntervalSetEndpoints(rg, 20.0, 30.0, -0.1, 0.1));
  TapFails(EPSSolve(eps), PETSC_ERR_SUP, "region", "a region is refused by name");
  PetscCall(EPSDestroy(&eps));

  PetscCall(SolverTransformed(&p, type, &eps));
  PetscCall(EPSSetArbitrarySelection(eps, Arbitrary, NULL));
  TapFails(EPSSolve(eps), PETSC_ERR_SUP, "arbitrary", "arbitrary selection is refused by name");
  PetscCall(EPSDestroy(&eps));

  PetscCall(SolverTransformed(&p, type, &eps));
  PetscCall(EPSSetExtraction(eps, EPS_HARMONIC));
  TapFails(EPSSolve(eps), PETSC_ERR_SUP, "extraction", "harmonic extraction is refused by name");
  PetscCall(EPSDestroy(&eps));

#if SLEPC_VERSION_GE(3, 23, 0)
  PetscCall(SolverTransformed(&p, NULL, &eps));
  PetscCall(EPSSetWhichEigenpairs(eps, EPS_LARGEST_REAL));
  PetscCall(EPSSetThreshold(eps, 110.0, PETSC_FALSE));
  PetscCall(TapAll(eps, &p, 110.0, 1e9, PETSC_ERR_SUP, "threshold", "Threshold", "all beyond a threshold"));
  PetscCall(EPSDestroy(&eps));
  PetscCall(SolverTransformed(&p, NULL, &eps));
  PetscCall(EPSSetWhichEigenpairs(eps, EPS_SMALLEST_REAL));
  PetscCall(EPSSetThreshold(eps, 10.0, PETSC_FALSE));
  PetscCall(TapAll(eps, &p, -1e9, 10.0, PETSC_ERR_SUP, "threshold", "Threshold", "all below a threshold"));
  PetscCall(EPSDestroy(&eps));
#endif

  PetscCall(SolverTransformed(&p, STFILTER, &eps));
  PetscCall(EPSSetWhichEigenpairs(eps, EPS_LARGEST_REAL));
  TapFails(EPSSolve(eps), PETSC_ERR_SUP, "filter", "the transformation filter is refused by name");
  PetscCall(EPSDestroy(&eps));
  PetscCall(ProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(TapBegin(&argc, &argv));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (int g = 0; g < 2; g++) {
    PetscCall(Beyond((PetscBool)g, NULL, EPS_LARGEST_REAL));
    PetscCall(Beyond((PetscBool)g, NULL, EPS_SMALLEST_REAL));
    PetscCall(Beyond((PetscBool)g, STSINVERT, EPS_TARGET_MAGNITUDE));
  }
  PetscCall(Orders());
  for (int g = 0; g < 2; g++) {
    PetscCall(OutOfScope((PetscBool)g, NULL));
    PetscCall(OutOfScope((PetscBool)g, STSINVERT));
  }
  return TapEnd();
}
