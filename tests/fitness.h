/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Twenty men of a fitness club: chin-ups, sit-ups and jumps; weight, waist and pulse. A. C. Linnerud's data, the example of SAS's CANCORR and of
   scikit-learn's load_linnerud().
*/
#pragma once
#include <slepcnapi.h>

#define LINNERUD_N 20

static const PetscReal linnerud[2][LINNERUD_N][3] = {
  {{5, 162, 60},  {2, 110, 60},  {12, 101, 101}, {12, 105, 37}, {13, 155, 58}, {4, 101, 42},  {8, 101, 38},  {6, 125, 40},  {15, 200, 40}, {17, 251, 250},
   {17, 120, 38}, {13, 210, 115}, {14, 215, 105}, {1, 50, 50},   {6, 70, 31},   {12, 210, 120}, {4, 60, 25},   {11, 230, 80}, {15, 225, 73}, {2, 110, 43} },
  {{191, 36, 50}, {189, 37, 52}, {193, 38, 58},  {162, 35, 62}, {189, 35, 46}, {182, 36, 56}, {211, 38, 56}, {167, 34, 60}, {176, 31, 74}, {154, 33, 56},
   {169, 34, 50}, {166, 33, 52},  {154, 34, 64},  {247, 46, 50}, {193, 36, 46}, {202, 37, 62},  {176, 37, 54}, {157, 32, 52}, {156, 33, 54}, {138, 33, 68}}
};

/* A view with some columns more than the three, each the sum of two of these */
PETSC_UNUSED static PetscErrorCode LinnerudView(MPI_Comm comm, int view, PetscInt more, Mat *X)
{
  PetscInt first, last;

  PetscFunctionBeginUser;
  PetscCall(MatCreateDense(comm, PETSC_DECIDE, PETSC_DECIDE, LINNERUD_N, 3 + more, NULL, X));
  PetscCall(MatGetOwnershipRange(*X, &first, &last));
  for (PetscInt i = first; i < last; i++)
    for (PetscInt j = 0; j < 3 + more; j++) PetscCall(MatSetValue(*X, i, j, j < 3 ? linnerud[view][i][j] : linnerud[view][i][0] + linnerud[view][i][1 + j % 2], INSERT_VALUES));
  PetscCall(MatAssemblyBegin(*X, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*X, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}
