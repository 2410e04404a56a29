/* SPDX-License-Identifier: BSD-2-Clause */
/*
   More than 8192 unknowns, where inner products of blocks are taken piece by piece, cost no more meetings of all ranks than fewer do: a step gathers
   as seldom. Gathers are counted in front of MPI.
*/
#include "pairs.h"
#undef MPI_Allgather

static PetscInt gathers = 0;

SLEPC_EXTERN int MPI_Allgather(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);
int              MPI_Allgather(const void *in, int n, MPI_Datatype type, void *out, int m, MPI_Datatype to, MPI_Comm comm)
{
  gathers++;
  return PMPI_Allgather(in, n, type, out, m, to, comm);
}

/* Gathers of a step for n unknowns, whose eigenvalues are 10, 9, 8, 7, and others between 1 and 5 */
static PetscErrorCode Count(PetscInt n, PetscReal *each)
{
  PetscInt first, last, steps, nconv;
  Mat      A, B;
  EPS      eps;

  PetscFunctionBegin;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, n, 1, NULL, 0, NULL, &A));
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, n, 1, NULL, 0, NULL, &B));
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt i = first; i < last; i++) {
    const PetscReal b = 1.0 + (PetscReal)(i % 7), lambda = i < 4 ? 10.0 - (PetscReal)i : 1.0 + 4.0 * (PetscReal)(i * 37 % n) / (PetscReal)n;

    PetscCall(MatSetValue(A, i, i, lambda * b, INSERT_VALUES));
    PetscCall(MatSetValue(B, i, i, b, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
  PetscCall(SolverCreate(A, B, 4, EPS_NAPI_MOMENTUM_OPTIMAL, &eps));
  PetscCall(EPSSetWhichEigenpairs(eps, EPS_LARGEST_REAL));
  PetscCall(EPSSetUp(eps));
  gathers = 0;
  PetscCall(EPSSolve(eps));
  *each = (PetscReal)gathers;
  PetscCall(EPSGetIterationNumber(eps, &steps));
  PetscCall(EPSGetConverged(eps, &nconv));
  *each /= (PetscReal)steps;
  PetscCall(TapOk((PetscBool)(nconv >= 4), "%d unknowns: four pairs", (int)n));
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscReal few, many;

  PetscCall(TapBegin(&argc, &argv));
  PetscCall(Count(8000, &few));
  PetscCall(Count(8400, &many));
  PetscCall(TapOk((PetscBool)(many <= few + 4.0), "a step gathers as seldom: %.1f and %.1f", (double)few, (double)many));
  return TapEnd();
}
