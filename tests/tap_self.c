/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What the tests are made of: TapWorst() keeps a NaN, TapNear() fails where it must, and a check fails when it fails on one
   rank. With -leak the program leaves memory and an object behind, for those who want to see that a search for leaks finds
   them (tests/napi_eps.sh).
*/
#include "tap.h"
#include <math.h>

/* Does a check fail? It is told nothing, and not counted */
static PetscErrorCode Fails(PetscReal got, PetscReal wanted, PetscBool *fails)
{
  const int count = tap_count, failed = tap_failed;
  FILE     *out = PETSC_STDOUT;

  PetscFunctionBegin;
  PETSC_STDOUT = fopen("/dev/null", "w");
  PetscCheck(PETSC_STDOUT, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "No /dev/null");
  PetscCall(TapNear(got, wanted, 1e-3, "not to be seen"));
  (void)fclose(PETSC_STDOUT);
  PETSC_STDOUT = out;
  *fails       = (PetscBool)(tap_failed == failed + 1);
  tap_count    = count;
  tap_failed   = failed;
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PetscReal nan = (PetscReal)NAN, inf = (PetscReal)INFINITY;
  PetscReal       worst = 0.0, errors[] = {0.5, 0.25, 2.0, 1.0};
  PetscMPIInt     rank, size;
  PetscBool       fails, leak = PETSC_FALSE;

  PetscCall(TapBegin(&argc, &argv));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-leak", &leak, NULL));
  if (leak) {
    Vec   lost;
    void *memory;

    PetscCall(VecCreateSeq(PETSC_COMM_SELF, 12345, &lost));
    PetscCall(PetscMalloc(4321, &memory));
  }

  for (int i = 0; i < 4; i++) worst = TapWorst(worst, errors[i]);
  PetscCall(TapOk((PetscBool)(worst == 2.0), "the worst of several errors is the largest"));
  for (int at = 0; at < 4; at++) { /* a NaN among them, at every place */
    worst = 0.0;
    for (int i = 0; i < 4; i++) worst = TapWorst(worst, i == at ? nan : errors[i]);
    PetscCall(TapOk((PetscBool)(PetscIsNanReal(worst) && !(worst < 1e30) && !(worst <= 1e30)), "a NaN as error %d of 4 is not forgotten, and passes no test", at + 1));
  }
  PetscCall(TapOk((PetscBool)(TapWorst(0.0, inf) == inf && TapWorst(inf, 1.0) == inf && PetscIsNanReal(TapWorst(inf, nan))), "infinity stays, too, unless there is a NaN"));

  PetscCall(TapNear(1.0005, 1.0, 1e-3, "what is near is near"));
  PetscCall(Fails(1.002, 1.0, &fails));
  PetscCall(TapOk(fails, "what is not is not"));
  PetscCall(Fails(nan, 1.0, &fails));
  PetscCall(TapOk(fails, "NaN is near nothing"));
  PetscCall(Fails(1.0, nan, &fails));
  PetscCall(TapOk(fails, "nothing is near NaN"));
  PetscCall(Fails(inf, 1.0, &fails));
  PetscCall(TapOk(fails, "infinity is near nothing"));
  PetscCall(Fails(1.0, inf, &fails));
  PetscCall(TapOk(fails, "nothing is near infinity"));
  PetscCall(Fails(rank == size - 1 ? 2.0 : 1.0, 1.0, &fails));
  PetscCall(TapOk(fails, "what fails on one rank fails"));
  return TapEnd();
}
