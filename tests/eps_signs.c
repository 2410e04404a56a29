/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Largest magnitude where the spectrum has both signs: the largest one may sit at the end that is found later. Of these
   pairs each was once reported with the wrong end of the spectrum, or would have been.
*/
#include "tap.h"
#include "attack/problems.h"

static PetscErrorCode TapProblem(const char *family, PetscInt seed, PetscInt k, EPSNAPIMomentum momentum)
{
  Problem p;
  Outcome o;
  EPS     eps;

  PetscFunctionBegin;
  PetscCall(ProblemCreate((uint64_t)seed, family, &p));
  if (k) p.k = k;
  p.which = EPS_LARGEST_MAGNITUDE;
  PetscCall(EPSCreate(PETSC_COMM_WORLD, &eps));
  PetscCall(EPSSetOperators(eps, p.A, p.B));
  PetscCall(EPSSetProblemType(eps, p.B ? EPS_GHEP : EPS_HEP));
  PetscCall(EPSSetType(eps, EPSNAPI));
  PetscCall(EPSNAPISetMomentum(eps, momentum));
  PetscCall(EPSSetDimensions(eps, p.k, NAPI_UNSET, NAPI_UNSET));
  PetscCall(EPSSolve(eps));
  PetscCall(Judge(eps, &p, &o));
  PetscCall(TapOk((PetscBool)(o.verdict == RIGHT), "%s, %s %d, n = %d, k = %d: the largest by magnitude, whichever end they are at", EPSNAPIMomentums[momentum], family, (int)seed, (int)p.n, (int)p.k));
  if (o.verdict != RIGHT) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %d found, reason %d; %s\n", (int)o.nconv, (int)o.reason, o.why));
  PetscCall(EPSDestroy(&eps));
  PetscCall(ProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  static const PetscInt nine[] = {4, 5, 14, 18, 24, 26, 27, 31, 33}, large[] = {8, 9}, dense[] = {133, 189, 274, 583}, repeated[] = {37, 56};
  PetscInt              i;

  PetscCall(TapBegin(&argc, &argv));
  for (i = 0; i < 9; i++) PetscCall(TapProblem("python", nine[i], 1, EPS_NAPI_MOMENTUM_OPTIMAL));
  for (i = 0; i < 2; i++) PetscCall(TapProblem("python3000", large[i], 1, EPS_NAPI_MOMENTUM_OPTIMAL));
  for (i = 0; i < 4; i++) PetscCall(TapProblem("normal160", dense[i], 0, EPS_NAPI_MOMENTUM_OPTIMAL));
  for (i = 0; i < 2; i++) PetscCall(TapProblem("multiplicities", repeated[i], 0, EPS_NAPI_MOMENTUM_OPTIMAL));
  for (i = 1; i <= 2; i++) PetscCall(TapProblem("plusminus", i, 2 * i - 1, EPS_NAPI_MOMENTUM_OPTIMAL)); /* of a tie, either */
  PetscCall(TapProblem("python", 24, 1, EPS_NAPI_MOMENTUM_ADAPTIVE));
  PetscCall(TapProblem("python", 24, 1, EPS_NAPI_MOMENTUM_NONE));
  return TapEnd();
}
