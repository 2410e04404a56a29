/* SPDX-License-Identifier: BSD-2-Clause */
/*
   SLEPc initialised and finalised more than once in a process: the library is there every time it is called for, and only
   then. MPI is ours, since it can be initialised only once.
*/
#include "pairs.h"

typedef enum {
  TOO_EARLY, /* before SlepcInitialize() as well */
  ONCE,
  FORGOTTEN,
  TWICE,
  BY_CCA,
  BY_GRAM,
  BY_PAIR,
  ROUNDS
} Round;

static const char *const how[ROUNDS] = {"SlepcNAPIInitialize() before and after SlepcInitialize()", "SlepcNAPIInitialize()", "no call", "SlepcNAPIInitialize() twice", "CCACreate()", "MatCreateGram()", "MatCreateCCAPair()"};

/* What makes the library known in this round */
static PetscErrorCode Enter(Round round)
{
  Mat data, gram = NULL, other = NULL;
  CCA cca;

  PetscFunctionBegin;
  if (round == TOO_EARLY || round == ONCE || round == TWICE) PetscCall(SlepcNAPIInitialize());
  if (round == TWICE) PetscCall(SlepcNAPIInitialize());
  if (round == BY_CCA) {
    PetscCall(CCACreate(PETSC_COMM_WORLD, &cca));
    PetscCall(CCADestroy(&cca));
  }
  if (round == BY_GRAM || round == BY_PAIR) {
    PetscCall(Identity(12, &data));
    if (round == BY_GRAM) PetscCall(MatCreateGram(data, NULL, &gram));
    else PetscCall(MatCreateCCAPair(data, data, 1.0, 1.0, PETSC_FALSE, &gram, &other));
    PetscCall(MatDestroy(&gram));
    PetscCall(MatDestroy(&other));
    PetscCall(MatDestroy(&data));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve(Round round)
{
  PetscReal   d[12];
  PetscScalar lambda = 0.0;
  PetscInt    i, nconv;
  PetscBool   isnapi;
  Mat         A, B;
  EPS         eps;

  PetscFunctionBegin;
  for (i = 0; i < 12; i++) d[i] = 2.0 * PetscPowReal(0.7, i);
  PetscCall(PairFromSpectrum(12, d, 0.5, &A, &B));
  PetscCall(EPSCreate(PETSC_COMM_WORLD, &eps));
  PetscCall(EPSSetOperators(eps, A, B));
  PetscCall(EPSSetProblemType(eps, EPS_GHEP));
  if (round == FORGOTTEN) TapFails(EPSSetType(eps, EPSNAPI), PETSC_ERR_ARG_UNKNOWN_TYPE, EPSNAPI, "after a round with it, but without a call in this one, the type is unknown");
  else {
    PetscCall(EPSSetType(eps, EPSNAPI));
    PetscCall(PetscObjectTypeCompare((PetscObject)eps, EPSNAPI, &isnapi));
    PetscCall(EPSSolve(eps));
    PetscCall(EPSGetConverged(eps, &nconv));
    if (nconv) PetscCall(EPSGetEigenvalue(eps, 0, &lambda, NULL));
    PetscCall(TapOk((PetscBool)(isnapi && nconv >= 1 && PetscAbsScalar(lambda - d[0]) < 1e-9), "round %d, %s: solved", (int)round + 1, how[round]));
  }
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscErrorCode early = PETSC_SUCCESS;
  Round          round;

  if (MPI_Init(&argc, &argv)) return 1;
  for (round = TOO_EARLY; round < ROUNDS; round++) {
    if (round == TOO_EARLY) early = SlepcNAPIInitialize();
    PetscCall(SlepcInitialize(&argc, &argv, NULL, NULL));
    if (round == TOO_EARLY) PetscCall(TapOk((PetscBool)(early == PETSC_ERR_ORDER), "SlepcNAPIInitialize() before SlepcInitialize() is an error"));
    PetscCall(Enter(round));
    PetscCall(Solve(round));
    if (round < ROUNDS - 1) PetscCall(SlepcFinalize());
  }
  PetscCall(TapEnd());
  (void)MPI_Finalize();
  return tap_failed ? 1 : 0;
}
