/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The edges: tiny problems, more pairs wanted than there are, A of low rank, B that is the identity or of another scale.
*/
#include "pairs.h"

/* Everything there is, of a pair of any size */
static PetscErrorCode All(PetscInt n, PetscInt nev, PetscInt ncv, PetscInt momentum, PetscBool generalised)
{
  char      what[128];
  PetscReal d[8];
  PetscInt  i;
  Mat       A, B = NULL;
  EPS       eps;

  PetscFunctionBegin;
  for (i = 0; i < n; i++) d[i] = (i % 2 ? -1.0 : 1.0) * (n - i);
  PetscCall(PairFromSpectrum(n, d, 0.5, &A, generalised ? &B : NULL));
  PetscCall(SolverCreate(A, B, nev, (EPSNAPIMomentum)momentum, &eps));
  if (ncv) PetscCall(EPSSetDimensions(eps, nev, ncv, NAPI_UNSET));
  PetscCall(EPSSolve(eps));
  PetscCall(PetscSNPrintf(what, sizeof(what), "%s, %s, n = %d, nev = %d%s", EPSNAPIMomentums[momentum], generalised ? "generalised" : "standard", (int)n, (int)nev, ncv ? ", ncv = n" : ""));
  PetscCall(TapPairs(eps, A, B, PetscMin(n, nev), n, d, 1e-9, what));
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A of rank 0 or 1: what can be found is found, what cannot ends with a reason */
static PetscErrorCode LowRank(PetscInt rank, PetscInt nev, PetscInt momentum, PetscBool generalised)
{
  const PetscInt     n     = 12;
  PetscReal          d[12] = {0.0};
  PetscInt           nconv, its;
  EPSConvergedReason reason;
  PetscScalar        lambda   = 0.0;
  PetscReal          residual = 0.0;
  Mat                A, B = NULL;
  EPS                eps;
  PetscBool          pass;

  PetscFunctionBegin;
  if (rank) d[0] = 5.0;
  PetscCall(PairFromSpectrum(n, d, 0.5, &A, generalised ? &B : NULL));
  PetscCall(SolverCreate(A, B, nev, (EPSNAPIMomentum)momentum, &eps));
  PetscCall(EPSSetTolerances(eps, PETSC_DEFAULT, 60));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConverged(eps, &nconv));
  PetscCall(EPSGetConvergedReason(eps, &reason));
  PetscCall(EPSGetIterationNumber(eps, &its));
  if (nconv) {
    PetscCall(EPSGetEigenvalue(eps, 0, &lambda, NULL));
    PetscCall(ScaledResidual(eps, A, B, 0, &residual));
  }
  /* zero has no relative accuracy: whether it counts as an eigenvalue found is left open, but nothing else may be */
  if (rank) pass = (PetscBool)(nconv >= 1 && PetscAbsScalar(lambda - 5.0) < 1e-8 && residual < 1e-7);
  else pass = (PetscBool)(nconv == 0 || PetscAbsScalar(lambda) < 1e-12);
  pass = (PetscBool)(pass && its <= 60 && (nconv >= nev ? reason > 0 : reason < 0));
  PetscCall(TapOk(pass, "%s, %s, A of rank %d, nev = %d: %s with %d converged", EPSNAPIMomentums[momentum], generalised ? "generalised" : "standard", (int)rank, (int)nev, EPSConvergedReasons[reason], (int)nconv));
  if (!pass) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# first eigenvalue %g, residual %g, %d steps\n", (double)PetscRealPart(lambda), (double)residual, (int)its));
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode IdentityGiven(PetscInt momentum)
{
  const PetscInt n = 25;
  PetscReal      d[25];
  PetscInt       i;
  Mat            A, B;
  EPS            eps;

  PetscFunctionBegin;
  for (i = 0; i < n; i++) d[i] = 4.0 * PetscPowReal(-0.8, i);
  PetscCall(PairFromSpectrum(n, d, 0.0, &A, NULL));
  PetscCall(Identity(n, &B));
  PetscCall(SolverCreate(A, B, 3, (EPSNAPIMomentum)momentum, &eps));
  PetscCall(EPSSolve(eps));
  PetscCall(TapPairs(eps, A, NULL, 3, n, d, 1e-9, "B = I given has the answers of the standard problem"));
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ||r||/(|lambda| ||x||) alone would stop a pair with a tiny B far too early; with a large one it is the stricter test */
static PetscErrorCode Scales(PetscInt momentum, PetscReal ascale, PetscReal bscale)
{
  const PetscInt n = 25;
  char           what[128];
  PetscReal      d[25], tol = 1e-8, slepc[2], scaled[2];
  PetscInt       i, nconv;
  Mat            A, B;
  EPS            eps;

  PetscFunctionBegin;
  for (i = 0; i < n; i++) d[i] = 4.0 * PetscPowReal(0.8, i);
  PetscCall(PairFromSpectrum(n, d, 0.5, &A, &B));
  PetscCall(MatScale(A, ascale));
  PetscCall(MatScale(B, bscale));
  for (i = 0; i < n; i++) d[i] *= ascale / bscale;
  for (i = 0; i < 2; i++) {
    PetscCall(SolverCreate(A, B, 1, (EPSNAPIMomentum)momentum, &eps));
    PetscCall(EPSSetTolerances(eps, tol, PETSC_DEFAULT));
    PetscCall(EPSNAPISetResidual(eps, i ? EPS_NAPI_RESIDUAL_SCALED : EPS_NAPI_RESIDUAL_BOTH));
    PetscCall(EPSSolve(eps));
    PetscCall(EPSGetConverged(eps, &nconv));
    slepc[i] = scaled[i] = PETSC_MAX_REAL;
    if (nconv) {
      PetscCall(EPSComputeError(eps, 0, EPS_ERROR_RELATIVE, &slepc[i]));
      PetscCall(ScaledResidual(eps, A, B, 0, &scaled[i]));
    }
    if (!i) {
      PetscCall(PetscSNPrintf(what, sizeof(what), "%s, A times %g, B times %g: residual both", EPSNAPIMomentums[momentum], (double)ascale, (double)bscale));
      PetscCall(TapOk((PetscBool)(scaled[0] <= tol && slepc[0] <= tol), "%s", what));
      if (nconv) {
        PetscScalar lambda;

        PetscCall(EPSGetEigenvalue(eps, 0, &lambda, NULL));
        PetscCall(TapOk((PetscBool)(PetscAbsScalar(lambda - d[0]) <= 1e-9 * d[0]), "%s: the eigenvalue scales", what));
      }
    } else PetscCall(TapOk((PetscBool)(scaled[1] <= tol), "%s, A times %g, B times %g: residual scaled", EPSNAPIMomentums[momentum], (double)ascale, (double)bscale));
    PetscCall(EPSDestroy(&eps));
  }
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With residual slepc and a tiny B the scaled residual is not small: the reason why there are two */
static PetscErrorCode WhyScaled(void)
{
  PetscReal d[25], slepc = 0.0, scaled = 0.0;
  PetscInt  i, nconv;
  Mat       A, B;
  EPS       eps;

  PetscFunctionBegin;
  for (i = 0; i < 25; i++) d[i] = 4.0 * PetscPowReal(0.8, i);
  PetscCall(PairFromSpectrum(25, d, 0.5, &A, &B));
  PetscCall(MatScale(B, 1e-9));
  PetscCall(SolverCreate(A, B, 1, EPS_NAPI_MOMENTUM_ADAPTIVE, &eps));
  PetscCall(EPSNAPISetResidual(eps, EPS_NAPI_RESIDUAL_SLEPC));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConverged(eps, &nconv));
  if (nconv) {
    PetscCall(EPSComputeError(eps, 0, EPS_ERROR_RELATIVE, &slepc));
    PetscCall(ScaledResidual(eps, A, B, 0, &scaled));
  }
  PetscCall(TapOk((PetscBool)(nconv >= 1 && slepc <= 1e-8 && scaled > 1e-3), "residual slepc stops early where B is small, as its name says"));
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt m, n, g, rank, nev;

  PetscCall(TapBegin(&argc, &argv));
  for (m = 0; m < Momenta(); m++) {
    if (m == EPS_NAPI_MOMENTUM_FIXED) continue;
    for (g = 0; g < 2; g++) {
      for (n = 1; n <= 3; n++) {
        PetscCall(All(n, 1, 0, m, (PetscBool)g));
        PetscCall(All(n, n, n, m, (PetscBool)g));
        PetscCall(All(n, n + 3, 0, m, (PetscBool)g));
      }
      PetscCall(All(8, 2, 8, m, (PetscBool)g));
      for (rank = 0; rank < 2; rank++)
        for (nev = 1; nev < 3; nev++) PetscCall(LowRank(rank, nev, m, (PetscBool)g));
    }
    PetscCall(IdentityGiven(m));
    PetscCall(Scales(m, 1e7, 1e-9));
    PetscCall(Scales(m, 1e-7, 1e3));
    PetscCall(Scales(m, 1e-20, 1e-20));
  }
  PetscCall(WhyScaled());
  return TapEnd();
}
