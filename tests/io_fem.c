/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The finite-element pairs of napi-eps -generate: their matrices do what the elements' do, and their eigenvalues are
   the ones known in closed form.
*/
#include "tap.h"
#include "../src/apps/common/fem.h"

/* The largest and the smallest eigenvalue, the latter as the largest of the swapped pair */
static PetscErrorCode Largest(Mat A, Mat B, PetscReal *lambda)
{
  PetscScalar value;
  PetscInt    nconv;
  EPS         eps;
  ST          st;
  KSP         ksp;
  PC          pc;

  PetscFunctionBegin;
  *lambda = 0.0;
  PetscCall(EPSCreate(PETSC_COMM_WORLD, &eps));
  PetscCall(EPSSetOperators(eps, A, B));
  PetscCall(EPSSetProblemType(eps, EPS_GHEP));
  PetscCall(EPSSetType(eps, EPSKRYLOVSCHUR));
  PetscCall(EPSSetTolerances(eps, 1e-11, 1000));
  PetscCall(EPSGetST(eps, &st));
  PetscCall(STGetKSP(st, &ksp));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPSetTolerances(ksp, 1e-13, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConverged(eps, &nconv));
  if (nconv) {
    PetscCall(EPSGetEigenvalue(eps, 0, &value, NULL));
    *lambda = PetscRealPart(value);
  }
  PetscCall(EPSDestroy(&eps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestPair(PetscInt dim, const PetscInt m[])
{
  const PetscInt first[] = {1, 1, 1};
  PetscInt       last[3], n, unknowns = 1;
  PetscReal      lambda;
  Mat            K, M;

  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; d++) {
    last[d] = m[d] - 1;
    unknowns *= m[d] - 1;
  }
  PetscCall(NAPIFemCreate(PETSC_COMM_WORLD, dim, m, &K, &M));
  PetscCall(MatGetSize(K, &n, NULL));
  PetscCall(TapOk((PetscBool)(n == unknowns), "fem%dd: the inner points of the grid are the unknowns", (int)dim));
  PetscCall(Largest(K, M, &lambda));
  PetscCall(TapNear(lambda, NAPIFemEigenvalue(dim, m, last), 1e-9, "the largest eigenvalue is the known one"));
  PetscCall(Largest(M, K, &lambda));
  PetscCall(TapNear(1.0 / lambda, NAPIFemEigenvalue(dim, m, first), 1e-9, "the smallest eigenvalue is the known one"));
  PetscCall(MatDestroy(&K));
  PetscCall(MatDestroy(&M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The square (0,1)^2 has 2 pi^2 as its smallest eigenvalue, and finite elements come closer with h^2, from above */
static PetscErrorCode TestConvergence(void)
{
  const PetscInt  coarse[] = {20, 20}, fine[] = {40, 40}, first[] = {1, 1};
  const PetscReal exact = 2.0 * PETSC_PI * PETSC_PI, e1 = NAPIFemEigenvalue(2, coarse, first) - exact, e2 = NAPIFemEigenvalue(2, fine, first) - exact;

  PetscFunctionBegin;
  PetscCall(TapNear(e1 / e2, 4.0, 0.01, "half the size of the elements is a quarter of the error"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All of A's entries add up to x'A x for x = 1, away from the boundary: no stiffness, and the area as mass */
static PetscErrorCode TestRowSums(void)
{
  const PetscInt m[] = {6, 5, 4};
  PetscInt       first, last, ncols, inner = 2 + 5 * (1 + 4 * 1); /* a point whose neighbours are all inside */
  PetscReal      stiffness = 0.0, mass = 1.0 / 216.0;
  PetscBool      mine;
  Mat            K, M;

  PetscFunctionBegin;
  PetscCall(NAPIFemCreate(PETSC_COMM_WORLD, 3, m, &K, &M));
  PetscCall(MatGetOwnershipRange(K, &first, &last));
  mine = (PetscBool)(inner >= first && inner < last);
  if (mine) {
    const PetscScalar *v;

    PetscCall(MatGetRow(K, inner, &ncols, NULL, &v));
    for (PetscInt k = 0; k < ncols; k++) stiffness += PetscRealPart(v[k]);
    PetscCall(MatRestoreRow(K, inner, &ncols, NULL, &v));
    PetscCall(MatGetRow(M, inner, &ncols, NULL, &v));
    for (PetscInt k = 0; k < ncols; k++) mass -= PetscRealPart(v[k]);
    PetscCall(MatRestoreRow(M, inner, &ncols, NULL, &v));
  } else mass = 0.0;
  PetscCall(TapOk((PetscBool)(PetscAbsReal(stiffness) < 1e-14), "constants have no stiffness"));
  PetscCall(TapOk((PetscBool)(PetscAbsReal(mass) < 1e-14), "the mass of a point is that of an element"));
  PetscCall(MatDestroy(&K));
  PetscCall(MatDestroy(&M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PetscInt plane[] = {12, 9}, solid[] = {7, 6, 5}, tiny[] = {2, 2};

  PetscFunctionBeginUser;
  PetscCall(TapBegin(&argc, &argv));
  PetscCall(TestPair(2, plane));
  PetscCall(TestPair(3, solid));
  PetscCall(TestPair(2, tiny)); /* one unknown, and ranks that have none */
  PetscCall(TestConvergence());
  PetscCall(TestRowSums());
  return TapEnd();
}
