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

/* Derivatives of the shape functions of a box of size h, at a Gauss point (of two a direction), and their values */
static void Shape(const PetscReal h[], int gauss, PetscReal value[8], PetscReal slope[8][3])
{
  for (int i = 0; i < 8; i++) {
    PetscReal f[3], g[3];

    for (int d = 0; d < 3; d++) {
      const PetscReal at = 0.5 + ((gauss >> d) & 1 ? 0.5 : -0.5) / PetscSqrtReal(3.0);

      f[d] = (i >> d) & 1 ? at : 1.0 - at;
      g[d] = ((i >> d) & 1 ? 1.0 : -1.0) / h[d];
    }
    value[i]    = f[0] * f[1] * f[2];
    slope[i][0] = g[0] * f[1] * f[2];
    slope[i][1] = f[0] * g[1] * f[2];
    slope[i][2] = f[0] * f[1] * g[2];
  }
}

/* An elastic element by quadrature: stress to strain, as books have it */
static void Element(const PetscReal h[], PetscReal nu, PetscReal K[24][24], PetscReal M[24][24])
{
  const PetscReal lambda = nu / ((1.0 + nu) * (1.0 - 2.0 * nu)), mu = 0.5 / (1.0 + nu), weight = h[0] * h[1] * h[2] / 8.0;
  const int       shear[3][2] = {
          {0, 1},
          {1, 2},
          {0, 2}
  };

  for (int i = 0; i < 24; i++)
    for (int j = 0; j < 24; j++) K[i][j] = M[i][j] = 0.0;
  for (int gauss = 0; gauss < 8; gauss++) {
    PetscReal value[8], slope[8][3], strain[6][24] = {{0.0}};

    Shape(h, gauss, value, slope);
    for (int i = 0; i < 24; i++) {
      strain[i % 3][i] = slope[i / 3][i % 3];
      for (int s = 0; s < 3; s++) {
        if (i % 3 == shear[s][0]) strain[3 + s][i] = slope[i / 3][shear[s][1]];
        if (i % 3 == shear[s][1]) strain[3 + s][i] = slope[i / 3][shear[s][0]];
      }
    }
    for (int i = 0; i < 24; i++)
      for (int j = 0; j < 24; j++) {
        for (int a = 0; a < 6; a++)
          for (int b = 0; b < 6; b++) K[i][j] += weight * strain[a][i] * strain[b][j] * ((a < 3 && b < 3 ? lambda : 0.0) + (a == b ? (a < 3 ? 2.0 * mu : mu) : 0.0));
        if (i % 3 == j % 3) M[i][j] += weight * value[i / 3] * value[j / 3];
      }
  }
}

/* What the elements give, put together one by one, is what the matrices have */
static PetscErrorCode TestElasticity(PetscBool isfree)
{
  const PetscInt  m[]    = {3, 2, 2};
  const PetscReal side[] = {1.0, 0.7, 0.45}, h[] = {1.0 / 3.0, 0.35, 0.225};
  PetscReal       K[24][24], M[24][24], worst[2], norm;
  Mat             A[2], E[2];
  NAPIMesh        mesh;
  PetscMPIInt     rank;
  PetscInt        n, bs;
  MatNullSpace    near, rigid;
  PetscBool       null;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(NAPIFemSetGrid(3, 3, m, side, isfree, &mesh));
  PetscCall(NAPIFemAssemble(PETSC_COMM_WORLD, &mesh, NAPI_FEM_POISSON, &A[0], &A[1]));
  PetscCall(MatGetSize(A[0], &n, NULL));
  PetscCall(TapOk((PetscBool)(n == (isfree ? 108 : 81)), "elasticity, %s: three unknowns a point", isfree ? "free" : "clamped"));
  Element(h, NAPI_FEM_POISSON, K, M);
  for (int k = 0; k < 2; k++) {
    PetscCall(MatDuplicate(A[0], MAT_DO_NOT_COPY_VALUES, &E[k])); /* K has room for M */
    for (PetscInt cell = 0; cell < 12 && !rank; cell++)
      for (int i = 0; i < 24; i++)
        for (int j = 0; j < 24; j++) {
          PetscInt    at[2] = {0, 0};
          PetscBool   held  = PETSC_FALSE;
          PetscScalar value = k ? M[i][j] : K[i][j];

          for (int side2 = 0; side2 < 2; side2++) {
            const int      c = (side2 ? j : i) / 3;
            const PetscInt x = cell % 3 + (c & 1) - (isfree ? 0 : 1), y = cell / 3 % 2 + (c >> 1 & 1), z = cell / 6 + (c >> 2);

            if (x < 0) held = PETSC_TRUE;
            at[side2] = 3 * (x + (isfree ? 4 : 3) * (y + 3 * z)) + (side2 ? j : i) % 3;
          }
          if (!held) PetscCall(MatSetValues(E[k], 1, &at[0], 1, &at[1], &value, ADD_VALUES));
        }
    PetscCall(MatAssemblyBegin(E[k], MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(E[k], MAT_FINAL_ASSEMBLY));
    PetscCall(MatAXPY(E[k], -1.0, A[k], DIFFERENT_NONZERO_PATTERN));
    PetscCall(MatNorm(E[k], NORM_INFINITY, &worst[k]));
    PetscCall(MatNorm(A[k], NORM_INFINITY, &norm));
    PetscCall(TapOk((PetscBool)(worst[k] < 1e-14 * norm), "the %s matrix is that of the elements", k ? "mass" : "stiffness"));
    PetscCall(MatDestroy(&E[k]));
  }
  PetscCall(MatGetBlockSize(A[0], &bs));
  PetscCall(MatGetNearNullSpace(A[0], &near));
  PetscCall(TapOk((PetscBool)(bs == 3 && near), "blocks of three, and a near null space"));
  PetscCall(NAPIFemCreateNullSpace(A[0], &mesh, &rigid));
  PetscCall(MatNullSpaceTest(rigid, A[0], &null));
  PetscCall(TapOk((PetscBool)(null == isfree), "the rigid motions are its null space only if nothing is held"));
  PetscCall(MatNullSpaceDestroy(&rigid));
  PetscCall(MatDestroy(&A[0]));
  PetscCall(MatDestroy(&A[1]));
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
  PetscCall(TestElasticity(PETSC_FALSE));
  PetscCall(TestElasticity(PETSC_TRUE));
  return TapEnd();
}
