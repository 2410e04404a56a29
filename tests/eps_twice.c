/* SPDX-License-Identifier: BSD-2-Clause */
/*
   SLEPc initialised and finalised more than once in a process: the library is there every time it is called for. MPI is
   ours, since it can be initialised only once.
*/
#include "pairs.h"

static PetscErrorCode Once(int *argc, char ***argv, PetscInt round, PetscBool *right)
{
  PetscReal   d[12];
  PetscScalar lambda = 0.0;
  PetscInt    i, nconv;
  PetscBool   isnapi;
  Mat         A, B;
  EPS         eps;

  PetscCall(SlepcInitialize(argc, argv, NULL, NULL));
  PetscFunctionBegin;
  if (round > 0) PetscCall(SlepcNAPIInitialize());
  if (round > 1) PetscCall(SlepcNAPIInitialize()); /* twice does no harm */
  for (i = 0; i < 12; i++) d[i] = 2.0 * PetscPowReal(0.7, i);
  PetscCall(PairFromSpectrum(12, d, 0.5, &A, &B));
  PetscCall(EPSCreate(PETSC_COMM_WORLD, &eps));
  PetscCall(EPSSetOperators(eps, A, B));
  PetscCall(EPSSetProblemType(eps, EPS_GHEP));
  PetscCall(EPSSetType(eps, EPSNAPI));
  PetscCall(PetscObjectTypeCompare((PetscObject)eps, EPSNAPI, &isnapi));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConverged(eps, &nconv));
  if (nconv) PetscCall(EPSGetEigenvalue(eps, 0, &lambda, NULL));
  *right = (PetscBool)(isnapi && nconv >= 1 && PetscAbsScalar(lambda - d[0]) < 1e-9);
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *how[] = {"linked, without a call", "with SlepcNAPIInitialize()", "with SlepcNAPIInitialize() twice"};
  PetscBool   right = PETSC_FALSE;
  PetscInt    round, rounds = 3;

  if (MPI_Init(&argc, &argv)) return 1;
  for (round = 0; round < rounds; round++) {
    PetscCall(Once(&argc, &argv, round, &right));
    PetscCall(TapOk(right, "round %d, %s: solved", (int)round + 1, how[round]));
    if (round < rounds - 1) PetscCall(SlepcFinalize());
  }
  PetscCall(TapEnd());
  (void)MPI_Finalize();
  return tap_failed ? 1 : 0;
}
