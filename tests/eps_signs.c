/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Largest magnitude where the spectrum has both signs: the largest one may sit at the end that is found later. Of these
   pairs each was once reported with the wrong end of the spectrum, or would have been.
*/
#include "attack/problems.h"

static PetscErrorCode Largest(const char *family, PetscInt seed, PetscInt k, EPSNAPIMomentum momentum)
{
  char    what[192];
  Problem p;
  EPS     eps;

  PetscFunctionBegin;
  PetscCall(ProblemCreate((uint64_t)seed, family, &p));
  if (k) p.k = k;
  p.which = EPS_LARGEST_MAGNITUDE;
  PetscCall(SolverCreate(p.A, p.B, p.k, momentum, &eps));
  PetscCall(PetscSNPrintf(what, sizeof(what), "%s, %s %d, n = %d, k = %d: the largest by magnitude, whichever end they are at", EPSNAPIMomentums[momentum], family, (int)seed, (int)p.n, (int)p.k));
  PetscCall(TapProblem(&eps, &p, what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  static const PetscInt nine[] = {4, 5, 14, 18, 24, 26, 27, 31, 33}, large[] = {8, 9}, dense[] = {133, 189, 274, 583}, repeated[] = {37, 56};
  PetscInt              i;

  PetscCall(TapBegin(&argc, &argv));
  for (i = 0; i < 9; i++) PetscCall(Largest("python", nine[i], 1, EPS_NAPI_MOMENTUM_OPTIMAL));
  for (i = 0; i < 2; i++) PetscCall(Largest("python3000", large[i], 1, EPS_NAPI_MOMENTUM_OPTIMAL));
  for (i = 0; i < 4; i++) PetscCall(Largest("normal160", dense[i], 0, EPS_NAPI_MOMENTUM_OPTIMAL));
  for (i = 0; i < 2; i++) PetscCall(Largest("multiplicities", repeated[i], 0, EPS_NAPI_MOMENTUM_OPTIMAL));
  for (i = 1; i <= 2; i++) PetscCall(Largest("plusminus", i, 2 * i - 1, EPS_NAPI_MOMENTUM_OPTIMAL)); /* of a tie, either */
  PetscCall(Largest("python", 24, 1, EPS_NAPI_MOMENTUM_ADAPTIVE));
  PetscCall(Largest("python", 24, 1, EPS_NAPI_MOMENTUM_NONE));
  return TapEnd();
}
