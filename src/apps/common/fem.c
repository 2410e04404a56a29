/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The Laplacian on a box, zero on its boundary, by bilinear (2-D) or trilinear (3-D) finite elements on a grid of m[0]
   by m[1] (by m[2]) square elements, with the consistent mass matrix. The longest side of the box has length one.

   On such a grid the matrices are Kronecker products of those of one dimension,
     k = 1/h tridiag(-1,2,-1),   m = h/6 tridiag(1,4,1),
     K = k x m x m + m x k x m + m x m x k,   M = m x m x m,
   which is what assembling the elements gives. The eigenvalues are sums of those of one dimension.
*/
#include "fem.h"
#include <slepcnapi/private/napicompat.h>

#define MAX_ROW 27 /* entries: the point and its neighbours, 3 x 3 x 3 */

typedef struct {
  PetscInt  dim, m[3]; /* elements in each direction, one where there is none */
  PetscInt  n[3];      /* unknowns in each direction */
  PetscReal h;
} Grid;

static void Fem_GridInit(PetscInt dim, const PetscInt m[], Grid *grid)
{
  PetscInt longest = 1;

  grid->dim = dim;
  for (int d = 0; d < 3; d++) {
    grid->m[d] = d < dim ? m[d] : 1;
    grid->n[d] = d < dim ? m[d] - 1 : 1;
    longest    = PetscMax(longest, grid->m[d]);
  }
  grid->h = 1.0 / (PetscReal)longest;
}

/* the entry of k or m that joins points at a distance of -1, 0 or 1 */
static PetscReal Fem_Stiffness(const Grid *grid, int distance)
{
  return (distance ? -1.0 : 2.0) / grid->h;
}

static PetscReal Fem_Mass(const Grid *grid, int distance)
{
  return (distance ? 1.0 : 4.0) * grid->h / 6.0;
}

static void Fem_Entry(const Grid *grid, const int distance[], PetscReal *K, PetscReal *M)
{
  *K = 0.0;
  *M = 1.0;
  for (PetscInt d = 0; d < grid->dim; d++) {
    *K = *K * Fem_Mass(grid, distance[d]) + *M * Fem_Stiffness(grid, distance[d]); /* (K x M)' = K' x m + M' x k */
    *M *= Fem_Mass(grid, distance[d]);
  }
}

/* The entries of a row of K and of M, in the order of their columns; returns how many */
static PetscInt Fem_Row(const Grid *grid, PetscInt row, PetscInt cols[], PetscScalar K[], PetscScalar M[])
{
  const PetscInt *n     = grid->n;
  const PetscInt  at[3] = {row % n[0], row / n[0] % n[1], row / n[0] / n[1]};
  PetscInt        count = 0;

  for (int k = 0; k < MAX_ROW; k++) {
    const int distance[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
    PetscBool inside      = PETSC_TRUE;
    PetscReal stiffness, mass;

    for (int d = 0; d < 3; d++)
      if (at[d] + distance[d] < 0 || at[d] + distance[d] >= n[d]) inside = PETSC_FALSE;
    if (!inside) continue;
    Fem_Entry(grid, distance, &stiffness, &mass);
    cols[count] = row + distance[0] + n[0] * (distance[1] + n[1] * distance[2]);
    K[count]    = stiffness;
    M[count++]  = mass;
  }
  return count;
}

static PetscErrorCode Fem_CreateMatrix(MPI_Comm comm, const Grid *grid, Mat *A)
{
  PetscInt   *diagonal, *other, first, last, cols[MAX_ROW], n = grid->n[0] * grid->n[1] * grid->n[2];
  PetscScalar K[MAX_ROW], M[MAX_ROW];
  PetscLayout rows;

  PetscFunctionBegin;
  PetscCall(MatCreate(comm, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, n, n));
  PetscCall(MatSetType(*A, MATAIJ));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatGetLayouts(*A, &rows, NULL));
  PetscCall(PetscLayoutSetUp(rows));
  PetscCall(PetscLayoutGetRange(rows, &first, &last));
  PetscCall(PetscCalloc2(last - first, &diagonal, last - first, &other));
  for (PetscInt i = first; i < last; i++) {
    PetscInt count = Fem_Row(grid, i, cols, K, M);

    for (PetscInt k = 0; k < count; k++)
      if (cols[k] >= first && cols[k] < last) diagonal[i - first]++;
      else other[i - first]++;
  }
  PetscCall(MatXAIJSetPreallocation(*A, 1, diagonal, other, NULL, NULL));
  PetscCall(PetscFree2(diagonal, other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Fem_FinishMatrix(Mat A)
{
  PetscFunctionBegin;
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(A, MAT_HERMITIAN, PETSC_TRUE));
  PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIFemCreate - Creates the stiffness matrix K and the mass matrix M.

   Input Parameters:
+  comm - who shares them
.  dim  - 2 or 3
-  m    - elements in each direction, at least two
*/
PetscErrorCode NAPIFemCreate(MPI_Comm comm, PetscInt dim, const PetscInt m[], Mat *K, Mat *M)
{
  Grid        grid;
  PetscInt    first, last, cols[MAX_ROW];
  PetscScalar k[MAX_ROW], mass[MAX_ROW];

  PetscFunctionBegin;
  Fem_GridInit(dim, m, &grid);
  PetscCall(Fem_CreateMatrix(comm, &grid, K));
  PetscCall(Fem_CreateMatrix(comm, &grid, M));
  PetscCall(MatGetOwnershipRange(*K, &first, &last));
  for (PetscInt i = first; i < last; i++) {
    PetscInt count = Fem_Row(&grid, i, cols, k, mass);

    PetscCall(MatSetValues(*K, 1, &i, count, cols, k, INSERT_VALUES));
    PetscCall(MatSetValues(*M, 1, &i, count, cols, mass, INSERT_VALUES));
  }
  PetscCall(Fem_FinishMatrix(*K));
  PetscCall(Fem_FinishMatrix(*M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIFemEigenvalue - The eigenvalue of K x = lambda M x with wave numbers j[d] in 1..m[d]-1:
   the sum of 6/h^2 (1-c)/(2+c), c = cos(pi j/m), over the directions.
*/
PetscReal NAPIFemEigenvalue(PetscInt dim, const PetscInt m[], const PetscInt j[])
{
  Grid      grid;
  PetscReal lambda = 0.0;

  Fem_GridInit(dim, m, &grid);
  for (PetscInt d = 0; d < dim; d++) {
    PetscReal c = PetscCosReal(PETSC_PI * (PetscReal)j[d] / (PetscReal)m[d]);

    lambda += 6.0 / (grid.h * grid.h) * (1.0 - c) / (2.0 + c);
  }
  return lambda;
}
