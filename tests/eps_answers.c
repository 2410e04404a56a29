/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Every kind of momentum finds the right eigenpairs, of standard and generalised problems, whatever the spectrum.
*/
#include "pairs.h"

#define N 40

/* by decreasing magnitude */
static void Spectrum(const char *name, PetscReal d[])
{
  const PetscReal multiple[] = {10, 10, 7, 7, 7, 4, 4}, cluster[] = {10, 9.999, 9.99, 7, 6, 5};
  PetscInt        i;

  for (i = 0; i < N; i++) {
    d[i] = 10.0 * PetscPowReal(0.85, i);
    switch (name[0]) {
    case 'i': /* indefinite */
      if (i % 3 == 1) d[i] = -d[i];
      break;
    case 'm':
      d[i] = i < 7 ? multiple[i] : 3.0 * PetscPowReal(0.9, i - 7);
      break;
    case 's': /* symmetric: +-lambda */
      d[i] = (i % 2 ? -10.0 : 10.0) * PetscPowReal(0.7, i / 2);
      break;
    case 'c':
      d[i] = i < 6 ? cluster[i] : 4.0 * PetscPowReal(0.9, i - 6);
      break;
    case 'n': /* negative definite */
      d[i] = -d[i];
      break;
    default:
      break;
    }
  }
}

static PetscErrorCode Solve(Mat A, Mat B, PetscInt k, EPSNAPIMomentum momentum, const PetscReal d[], const char *name)
{
  char     what[256];
  PetscInt p;
  EPS      eps;

  PetscFunctionBegin;
  PetscCall(SolverCreate(A, B, k, momentum, &eps));
  if (momentum == EPS_NAPI_MOMENTUM_FIXED) { /* the paper needs a gap behind its block */
    for (p = k; p < N && PetscAbsReal(d[p]) > 0.9 * PetscAbsReal(d[p - 1]); p++)
      ;
    PetscCall(EPSNAPISetGuard(eps, p - k));
    PetscCall(EPSNAPISetBeta(eps, d[p] * d[p] / 4.0));
  }
  PetscCall(EPSSolve(eps));
  PetscCall(PetscSNPrintf(what, sizeof(what), "%s, %s, k=%d, %s", EPSNAPIMomentums[momentum], B ? "generalised" : "standard", (int)k, name));
  PetscCall(TapPairs(eps, A, B, k, N, d, 1e-9, what));
  PetscCall(EPSDestroy(&eps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *names[] = {"definite", "negative definite", "indefinite", "multiple", "symmetric", "cluster"};
  PetscReal   d[N], dense[N], difference;
  PetscInt    i, g, m;
  size_t      s;
  Mat         A, B;
  EPS         eps;

  PetscCall(TapBegin(&argc, &argv));
  for (s = 0; s < PETSC_STATIC_ARRAY_LENGTH(names); s++) {
    Spectrum(names[s], d);
    for (g = 0; g < 2; g++) {
      PetscCall(PairFromSpectrum(N, d, 0.5, &A, g ? &B : NULL));
      if (!g) B = NULL;
      PetscCall(DenseValues(A, B, N, dense));
      for (i = 0, difference = 0.0; i < N; i++) difference = TapWorst(difference, PetscAbsReal(PetscAbsReal(dense[i]) - PetscAbsReal(d[i])));
      PetscCall(TapOk((PetscBool)(difference < 1e-11), "LAPACK agrees about the %s spectrum", names[s]));
      for (m = 0; m < Momenta(); m++) {
        PetscCall(Solve(A, B, 1, (EPSNAPIMomentum)m, d, names[s]));
        PetscCall(Solve(A, B, 4, (EPSNAPIMomentum)m, d, names[s]));
      }
      PetscCall(MatDestroy(&A));
      PetscCall(MatDestroy(&B));
    }
  }

  /* a closed form, to 1e-9 on any number of ranks */
  for (i = 0; i < 4; i++) d[i] = FemValue(15, i);
  PetscCall(PairFem(15, &A, &B));
  PetscCall(SolverCreate(A, B, 3, EPS_NAPI_MOMENTUM_ADAPTIVE, &eps));
  PetscCall(EPSSetTolerances(eps, 1e-7, PETSC_DEFAULT));
  PetscCall(EPSSolve(eps));
  PetscCall(TapPairs(eps, A, B, 3, 4, d, 1e-9, "finite elements on an interval: the closed form"));
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  return TapEnd();
}
