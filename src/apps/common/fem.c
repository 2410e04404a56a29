/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Finite elements on a box: bilinear quadrilaterals (2-D) or trilinear hexahedra (3-D) on a grid of m[0] by m[1] (by m[2]), with the
   consistent mass matrix.

   - The Laplacian, one unknown a point, zero on the whole boundary; or free (Neumann).
   - Linear elasticity, three unknowns a point, of a body that is clamped at the face x = 0; or free.

   On such a grid the integrals over products of shape functions are products of those of one dimension, which join a point to itself
   and to its two neighbours:
     k = int f_i' f_j',   m = int f_i f_j,   c = int f_i' f_j;
   so that what the assembly of elements gives is known entry by entry. The Laplacian is
     K = k x m x m + m x k x m + m x m x k,   M = m x m x m.
   For elasticity, with D_ab = int d_a f_i d_b f_j, Lame's parameters lambda and mu, and density one, the blocks are
     K_ab = lambda D_ab + mu D_ba + mu delta_ab (D_00 + D_11 + D_22),   M_ab = delta_ab m x m x m.
*/
#include "fem.h"
#include <slepcnapi/private/napicompat.h>

#define NEIGHBOURS 27 /* a point and those around it, 3 x 3 x 3 */
#define MAX_FIELDS 3

/* --- the grid ----------------------------------------------------------------------------------------------------- */

/*
   NAPIFemSetGrid - Describes the unknowns.

   Input Parameters:
+  dim    - 2 or 3
.  fields - 1 (the Laplacian) or 3 (elasticity)
.  m      - elements in each direction
.  side   - the lengths of the box; NULL: elements are squares or cubes, and the longest side is one
-  free   - nothing is held
*/
PetscErrorCode NAPIFemSetGrid(PetscInt dim, PetscInt fields, const PetscInt m[], const PetscReal side[], PetscBool free, NAPIMesh *mesh)
{
  PetscInt longest = 1;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(mesh, sizeof(*mesh)));
  mesh->dim    = dim;
  mesh->fields = fields;
  for (PetscInt d = 0; d < dim; d++) longest = PetscMax(longest, m[d]);
  for (PetscInt d = 0; d < 3; d++) {
    const PetscInt points = d < dim ? m[d] + 1 : 1;
    /* how many of the two ends of this direction are held: the Laplacian's both, a body's first end of the first direction */
    const PetscInt held = d >= dim || free ? 0 : fields == 1 ? 2 : d == 0 ? 1 : 0;

    mesh->m[d]     = points - 1;
    mesh->first[d] = held ? 1 : 0;
    mesh->n[d]     = points - held;
    if (d < dim) mesh->side[d] = side ? side[d] : (PetscReal)m[d] / (PetscReal)longest;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The coordinates, from 0 to m, of a point with unknowns */
static void Fem_Place(const NAPIMesh *mesh, PetscInt point, PetscInt at[])
{
  for (int d = 0; d < 3; d++) {
    at[d] = point % mesh->n[d] + mesh->first[d];
    point /= mesh->n[d];
  }
}

/* --- entries ------------------------------------------------------------------------------------------------------ */

/* Integrals in direction d over the products of the shape functions of the points at and at + distance, -1, 0 or 1 */
static void Fem_Integrals(const NAPIMesh *mesh, int d, PetscInt at, int distance, PetscReal *k, PetscReal *m, PetscReal *c)
{
  const PetscReal h        = mesh->side[d] / (PetscReal)mesh->m[d];
  const PetscReal elements = (PetscReal)((at > 0) + (at < mesh->m[d])); /* that have the point */

  if (distance) {
    *k = -1.0 / h;
    *m = h / 6.0;
    *c = -0.5 * distance;
  } else {
    *k = elements / h;
    *m = elements * h / 3.0;
    *c = 0.5 * (at > 0) - 0.5 * (at < mesh->m[d]);
  }
}

/* What joins a point to a neighbour: D[a][b] = int d_a f_i d_b f_j, and the mass */
static void Fem_Products(const NAPIMesh *mesh, const PetscInt at[], const int distance[], PetscReal D[3][3], PetscReal *mass)
{
  PetscReal k[3], m[3], c[3], t[3]; /* t = int f_i f_j' */

  *mass = 1.0;
  for (int d = 0; d < mesh->dim; d++) {
    Fem_Integrals(mesh, d, at[d], distance[d], &k[d], &m[d], &c[d]);
    t[d] = distance[d] ? -c[d] : c[d];
    *mass *= m[d];
  }
  for (int a = 0; a < mesh->dim; a++)
    for (int b = 0; b < mesh->dim; b++) {
      D[a][b] = 1.0;
      for (int d = 0; d < mesh->dim; d++) D[a][b] *= d == a && d == b ? k[d] : d == a ? c[d] : d == b ? t[d] : m[d];
    }
}

/* The block of K, by rows */
static void Fem_Stiffness(const NAPIMesh *mesh, PetscReal poisson, PetscReal D[3][3], PetscScalar K[])
{
  const PetscReal lambda = poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)), mu = 0.5 / (1.0 + poisson); /* Young's modulus is one */
  PetscReal       laplacian = 0.0;

  for (int d = 0; d < mesh->dim; d++) laplacian += D[d][d];
  if (mesh->fields == 1) K[0] = laplacian;
  else
    for (int a = 0; a < mesh->fields; a++)
      for (int b = 0; b < mesh->fields; b++) K[a * mesh->fields + b] = lambda * D[a][b] + mu * D[b][a] + (a == b ? mu * laplacian : 0.0);
}

/* The neighbours of a point, itself among them, in the order of their numbers, with the distances in each direction; returns how many */
static int Fem_Neighbours(const NAPIMesh *mesh, PetscInt point, PetscInt numbers[], int distances[][3])
{
  const PetscInt *n = mesh->n;
  PetscInt        at[3];
  int             count = 0;

  Fem_Place(mesh, point, at);
  for (int k = 0; k < NEIGHBOURS; k++) {
    const int distance[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
    PetscBool inside      = PETSC_TRUE;

    for (int d = 0; d < 3; d++)
      if (at[d] - mesh->first[d] + distance[d] < 0 || at[d] - mesh->first[d] + distance[d] >= n[d]) inside = PETSC_FALSE;
    if (!inside) continue;
    for (int d = 0; d < 3; d++) distances[count][d] = distance[d];
    numbers[count++] = point + distance[0] + n[0] * (distance[1] + n[1] * distance[2]);
  }
  return count;
}

/* --- matrices ----------------------------------------------------------------------------------------------------- */

/* width: entries that join an unknown to those of one point: all of them in K, its own in M */
static PetscErrorCode Fem_CreateMatrix(MPI_Comm comm, const NAPIMesh *mesh, PetscInt width, Mat *A)
{
  const PetscInt fields = mesh->fields, n = mesh->n[0] * mesh->n[1] * mesh->n[2] * fields;
  PetscInt      *diagonal, *other, first, last, numbers[NEIGHBOURS];
  int            distances[NEIGHBOURS][3];
  PetscLayout    rows;

  PetscFunctionBegin;
  PetscCall(MatCreate(comm, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, n, n));
  PetscCall(MatSetBlockSize(*A, fields));
  PetscCall(MatSetType(*A, MATAIJ));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatGetLayouts(*A, &rows, NULL));
  PetscCall(PetscLayoutSetUp(rows));
  PetscCall(PetscLayoutGetRange(rows, &first, &last));
  PetscCall(PetscCalloc2(last - first, &diagonal, last - first, &other));
  for (PetscInt i = first; i < last; i++) {
    const int count = Fem_Neighbours(mesh, i / fields, numbers, distances);

    for (int k = 0; k < count; k++)
      if (numbers[k] * fields >= first && numbers[k] * fields < last) diagonal[i - first] += width;
      else other[i - first] += width;
  }
  if (fields == 1) PetscCall(MatXAIJSetPreallocation(*A, 1, diagonal, other, NULL, NULL));
  else { /* what is not of the type passes them over */ PetscCall(MatSeqAIJSetPreallocation(*A, 0, diagonal));
    PetscCall(MatMPIAIJSetPreallocation(*A, 0, diagonal, 0, other));
    PetscCall(MatSetUp(*A));
  }
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

/* The rows of one point */
static PetscErrorCode Fem_SetRows(const NAPIMesh *mesh, PetscReal poisson, PetscInt point, Mat K, Mat M)
{
  const PetscInt fields = mesh->fields;
  PetscInt       at[3], numbers[NEIGHBOURS], rows[MAX_FIELDS], cols[NEIGHBOURS * MAX_FIELDS];
  PetscScalar    k[NEIGHBOURS * MAX_FIELDS * MAX_FIELDS], block[MAX_FIELDS * MAX_FIELDS], masses[NEIGHBOURS];
  PetscReal      D[3][3], mass;
  int            distances[NEIGHBOURS][3], count = Fem_Neighbours(mesh, point, numbers, distances);

  PetscFunctionBegin;
  Fem_Place(mesh, point, at);
  for (int i = 0; i < count; i++) {
    Fem_Products(mesh, at, distances[i], D, &mass);
    Fem_Stiffness(mesh, poisson, D, block);
    masses[i] = mass;
    for (PetscInt a = 0; a < fields; a++) {
      for (PetscInt b = 0; b < fields; b++) k[a * count * fields + i * fields + b] = block[a * fields + b];
      cols[i * fields + a] = numbers[i] * fields + a;
    }
  }
  for (PetscInt a = 0; a < fields; a++) rows[a] = point * fields + a;
  PetscCall(MatSetValues(K, fields, rows, count * fields, cols, k, INSERT_VALUES));
  for (PetscInt a = 0; a < fields; a++) {
    for (int i = 0; i < count; i++) cols[i] = numbers[i] * fields + a;
    PetscCall(MatSetValues(M, 1, &rows[a], count, cols, masses, INSERT_VALUES));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIFemAssemble - Creates the stiffness matrix K and the mass matrix M. That of an elastic body knows the rigid motions as its near null
   space, which multigrid needs.
*/
PetscErrorCode NAPIFemAssemble(MPI_Comm comm, const NAPIMesh *mesh, PetscReal poisson, Mat *K, Mat *M)
{
  MatNullSpace rigid;
  PetscInt     first, last;

  PetscFunctionBegin;
  PetscCall(Fem_CreateMatrix(comm, mesh, mesh->fields, K));
  PetscCall(Fem_CreateMatrix(comm, mesh, 1, M));
  PetscCall(MatGetOwnershipRange(*K, &first, &last));
  for (PetscInt i = first / mesh->fields; i < last / mesh->fields; i++) PetscCall(Fem_SetRows(mesh, poisson, i, *K, *M));
  PetscCall(Fem_FinishMatrix(*K));
  PetscCall(Fem_FinishMatrix(*M));
  if (mesh->fields > 1) {
    PetscCall(NAPIFemCreateNullSpace(*K, mesh, &rigid));
    PetscCall(MatSetNearNullSpace(*K, rigid));
    PetscCall(MatNullSpaceDestroy(&rigid));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIFemCreateNullSpace - Creates the null space of the stiffness matrix of what is free: the constants, or the six rigid motions.
*/
PetscErrorCode NAPIFemCreateNullSpace(Mat K, const NAPIMesh *mesh, MatNullSpace *space)
{
  Vec          x;
  PetscScalar *v;
  PetscInt     first, last, at[3];

  PetscFunctionBegin;
  if (mesh->fields == 1) {
    PetscCall(MatNullSpaceCreate(PetscObjectComm((PetscObject)K), PETSC_TRUE, 0, NULL, space));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatCreateVecs(K, &x, NULL));
  PetscCall(VecGetOwnershipRange(x, &first, &last));
  PetscCall(VecGetArrayWrite(x, &v));
  for (PetscInt i = first; i < last; i++) {
    const PetscInt d = i % mesh->fields;

    Fem_Place(mesh, i / mesh->fields, at);
    v[i - first] = mesh->side[d] * (PetscReal)at[d] / (PetscReal)mesh->m[d];
  }
  PetscCall(VecRestoreArrayWrite(x, &v));
  PetscCall(MatNullSpaceCreateRigidBody(x, space));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- the Laplacian, with its eigenvalues ------------------------------------------------------------------------------ */

/*
   NAPIFemCreate - Creates stiffness and mass matrix of the Laplacian on a box of squares or cubes, zero on its boundary.

   Input Parameters:
+  comm - who shares them
.  dim  - 2 or 3
-  m    - elements in each direction, at least two
*/
PetscErrorCode NAPIFemCreate(MPI_Comm comm, PetscInt dim, const PetscInt m[], Mat *K, Mat *M)
{
  NAPIMesh mesh;

  PetscFunctionBegin;
  PetscCall(NAPIFemSetGrid(dim, 1, m, NULL, PETSC_FALSE, &mesh));
  PetscCall(NAPIFemAssemble(comm, &mesh, 0.0, K, M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIFemEigenvalue - The eigenvalue of K x = lambda M x with wave numbers j[d], in 1..m[d]-1 or, where it is free, in 0..m[d]:
   the sum of 6/h^2 (1-c)/(2+c), c = cos(pi j/m), over the directions.
*/
PetscReal NAPIFemEigenvalue(PetscInt dim, const PetscInt m[], const PetscInt j[])
{
  PetscReal lambda = 0.0, longest = 1.0;

  for (PetscInt d = 0; d < dim; d++) longest = PetscMax(longest, (PetscReal)m[d]);
  for (PetscInt d = 0; d < dim; d++) {
    const PetscReal c = PetscCosReal(PETSC_PI * (PetscReal)j[d] / (PetscReal)m[d]);

    lambda += 6.0 * longest * longest * (1.0 - c) / (2.0 + c);
  }
  return lambda;
}
