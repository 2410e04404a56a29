/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Largest magnitude, with eigenvalues of both signs: the end that leads at first loses. Both are pursued until one of them is out
   of the race, and what is known of the other end is kept where the basis is restarted.
*/
#include "pairs.h"

/* A diagonal: `few` values from 1 down in steps of .03, the others evenly spaced from -last to .5 */
static PetscErrorCode Create(PetscInt n, PetscInt few, PetscReal last, Mat *A)
{
  PetscInt i, first, end;

  PetscFunctionBegin;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, n, 1, NULL, 0, NULL, A));
  PetscCall(MatGetOwnershipRange(*A, &first, &end));
  for (i = first; i < end; i++) PetscCall(MatSetValue(*A, i, i, i < few ? 1.0 - 0.03 * i : -last + (0.5 + last) * (i - few) / (n - few), INSERT_VALUES));
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* k wanted, started from the eigenvectors of the `few` positive ones: they have converged before anything else is known */
static PetscErrorCode Race(PetscInt n, PetscInt few, PetscReal last, PetscInt k, PetscInt bs, PetscInt ncv, PetscInt steps, PetscInt *its)
{
  PetscReal          worst = 0.0, wanted;
  PetscInt           i, j, nconv;
  PetscScalar        value;
  EPSConvergedReason reason;
  EPS                eps;
  Mat                A;
  Vec                x, *start;

  PetscFunctionBegin;
  PetscCall(Create(n, few, last, &A));
  PetscCall(MatCreateVecs(A, &x, NULL));
  PetscCall(VecDuplicateVecs(x, few, &start));
  for (i = 0; i < few; i++) {
    PetscCall(VecSet(start[i], 0.0));
    PetscCall(VecSetValue(start[i], i, 1.0, INSERT_VALUES));
    PetscCall(VecAssemblyBegin(start[i]));
    PetscCall(VecAssemblyEnd(start[i]));
  }
  PetscCall(SolverCreate(A, NULL, k, EPS_NAPI_MOMENTUM_OPTIMAL, &eps));
  PetscCall(EPSSetDimensions(eps, k, ncv, NAPI_UNSET));
  PetscCall(EPSNAPISetBlockSize(eps, bs));
  PetscCall(EPSSetWhichEigenpairs(eps, EPS_LARGEST_MAGNITUDE));
  PetscCall(EPSNAPISetCheck(eps, EPS_NAPI_CHECK_NONE));
  PetscCall(EPSSetTolerances(eps, 1e-8, 5000));
  PetscCall(EPSSetInitialSpace(eps, few, start));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConvergedReason(eps, &reason));
  PetscCall(EPSGetConverged(eps, &nconv));
  PetscCall(EPSGetIterationNumber(eps, its));
  for (i = j = 0; i < PetscMin(k, nconv); i++) { /* the two ends merged: j are of the positive one */
    const PetscReal other = last - (0.5 + last) * (i - j) / (n - few), mine = j < few ? 1.0 - 0.03 * j : 0.0;

    wanted = other > mine ? -other : mine;
    if (mine >= other) j++;
    PetscCall(EPSGetEigenvalue(eps, i, &value, NULL));
    worst = TapWorst(worst, PetscAbsScalar(value - wanted));
  }
  PetscCall(TapOk((PetscBool)(reason > 0 && nconv >= k && worst < 1e-6 && *its <= steps), "%d unknowns, %d positive ones known from the start, %d wanted of both ends, a basis of %d", (int)n, (int)few, (int)k, (int)ncv));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# reason %d, %d converged, off by %g, %d steps of at most %d\n", (int)reason, (int)nconv, (double)worst, (int)*its, (int)steps));
  PetscCall(EPSDestroy(&eps));
  PetscCall(VecDestroyVecs(few, &start));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt its;

  PetscCall(TapBegin(&argc, &argv));
  PetscCall(Race(600, 1, 1.2, 1, 1, 8, 5000, &its));
  PetscCall(Race(600, 3, 1.2, 1, 1, 8, 5000, &its));
  PetscCall(Race(600, 4, 1.2, 1, 1, 6, 5000, &its));
  PetscCall(Race(600, 6, 1.2, 2, 2, 12, 5000, &its));
  PetscCall(Race(600, 6, 1.05, 3, 2, 12, 5000, &its));
  PetscCall(Race(600, 8, 1.3, 1, 1, 11, 5000, &its));
  return TapEnd();
}
