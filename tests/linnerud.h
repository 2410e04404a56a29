/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Linnerud's data, of A. C. Linnerud, as SAS and scikit-learn have them: 20 men in a fitness club, three exercises (chins, sit-ups, jumps) and three
   measurements (weight, waist, pulse).
*/
#pragma once
#include "views.h"

#define LINNERUD_N 20

static const PetscReal linnerud[2][LINNERUD_N][3] = {
  {{5, 162, 60},  {2, 110, 60},  {12, 101, 101}, {12, 105, 37}, {13, 155, 58}, {4, 101, 42},  {8, 101, 38},  {6, 125, 40},  {15, 200, 40}, {17, 251, 250},
   {17, 120, 38}, {13, 210, 115}, {14, 215, 105}, {1, 50, 50},   {6, 70, 31},   {12, 210, 120}, {4, 60, 25},   {11, 230, 80}, {15, 225, 73}, {2, 110, 43} },
  {{191, 36, 50}, {189, 37, 52}, {193, 38, 58},  {162, 35, 62}, {189, 35, 46}, {182, 36, 56}, {211, 38, 56}, {167, 34, 60}, {176, 31, 74}, {154, 33, 56},
   {169, 34, 50}, {166, 33, 52},  {154, 34, 64},  {247, 46, 50}, {193, 36, 46}, {202, 37, 62},  {176, 37, 54}, {157, 32, 52}, {156, 33, 54}, {138, 33, 68}}
};

/* ctx: a factor of each view */
static PetscScalar LinnerudEntry(const void *ctx, PetscInt view, PetscInt i, PetscInt j)
{
  return (ctx ? ((const PetscReal *)ctx)[view] : 1.0) * linnerud[view][i][j];
}

/* The exercises and the measurements, times factors (NULL: 1) */
PETSC_UNUSED static PetscErrorCode LinnerudViews(MPI_Comm comm, const PetscReal factors[2], PetscBool dense, Mat *X, Mat *Y)
{
  PetscFunctionBeginUser;
  PetscCall(ViewCreate(comm, LINNERUD_N, 3, dense, -1, LinnerudEntry, factors, 0, X));
  PetscCall(ViewCreate(comm, LINNERUD_N, 3, dense, -1, LinnerudEntry, factors, 1, Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}
