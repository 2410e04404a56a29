/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Pairs of extreme size, which are scaled inside: everything that comes out, or goes in, is in the user's units. Vectors that are
   B-orthonormal, a deflation space, a shift.
*/
#include "pairs.h"

#define N 100

/* With `deflated` leading eigenvectors in the deflation space and a shift of `shift` times the largest eigenvalue */
static PetscErrorCode Scaled(PetscReal a, PetscReal b, EPSNAPIMomentum momentum, PetscInt deflated, PetscReal shift)
{
  const PetscInt k = 2;
  char           what[160];
  PetscReal      d[N];
  PetscInt       i;
  Mat            A, B;
  EPS            eps;
  ST             st;
  Vec            x[2];

  PetscFunctionBegin;
  for (i = 0; i < N; i++) d[i] = PetscPowReal(0.8, i);
  PetscCall(PairFromSpectrum(N, d, 0.5, &A, &B));
  PetscCall(MatCreateVecs(A, &x[0], &x[1]));
  if (deflated) { /* found where nothing is scaled */
    PetscCall(SolverCreate(A, B, deflated, EPS_NAPI_MOMENTUM_OPTIMAL, &eps));
    PetscCall(EPSSetTolerances(eps, 1e-12, 3000));
    PetscCall(EPSSolve(eps));
    for (i = 0; i < deflated; i++) PetscCall(EPSGetEigenvector(eps, i, x[i], NULL));
    PetscCall(EPSDestroy(&eps));
  }
  PetscCall(MatScale(A, a));
  PetscCall(MatScale(B, b));
  for (i = 0; i < N; i++) d[i] *= a / b;
  PetscCall(SolverCreate(A, B, k, momentum, &eps));
  PetscCall(EPSSetTolerances(eps, 1e-8, 20000));
  if (deflated) PetscCall(EPSSetDeflationSpace(eps, deflated, x));
  PetscCall(EPSGetST(eps, &st));
  if (shift != 0.0) PetscCall(STSetShift(st, shift * d[0]));
  PetscCall(EPSSolve(eps));
  PetscCall(PetscSNPrintf(what, sizeof(what), "%s, A times %g, B times %g, %d deflated, shift %g: right, and B-orthonormal", EPSNAPIMomentums[momentum], (double)a, (double)b, (int)deflated, (double)shift));
  PetscCall(TapPairs(eps, A, B, k, N - deflated, d + deflated, 1e-8, what));
  PetscCall(EPSDestroy(&eps));
  PetscCall(VecDestroy(&x[0]));
  PetscCall(VecDestroy(&x[1]));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  /* eigenvalues and vectors that are not tiny: SLEPc's own relative error is none where they are */
  static const PetscReal sizes[][2] = {
    {1.0,   1.0  },
    {1e60,  1.0  },
    {1.0,   3e-60},
    {1.0,   7e-60},
    {3e-60, 7e-60}
  };
  static const EPSNAPIMomentum momenta[] = {EPS_NAPI_MOMENTUM_OPTIMAL, EPS_NAPI_MOMENTUM_ADAPTIVE};
  PetscInt                     i, j;

  PetscCall(TapBegin(&argc, &argv));
  for (j = 0; j < 2; j++) {
    for (i = 0; i < (PetscInt)PETSC_STATIC_ARRAY_LENGTH(sizes); i++) {
      PetscCall(Scaled(sizes[i][0], sizes[i][1], momenta[j], 0, 0.0));
      PetscCall(Scaled(sizes[i][0], sizes[i][1], momenta[j], 2, 0.0));
      if (!j) PetscCall(Scaled(sizes[i][0], sizes[i][1], momenta[j], 0, -0.1)); /* the others refuse a shift to this side */
    }
  }
  return TapEnd();
}
