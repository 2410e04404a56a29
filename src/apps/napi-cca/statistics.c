/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What the solution is worth: do the correlations hold for other samples, what do the ridges of a path gain, and which variables
   is a pair about?
*/
#include "napi-cca.h"

#define NEAR_ONE    0.9 /* a correlation that is suspect where there are as many variables as samples */
#define LITTLE_LEFT 0.5 /* of a correlation, when the regularisation has taken its part */

/* The correlations of the scores of other samples */
PetscErrorCode NAPICCATest(CCA cca, const Data *d, Result *r)
{
  Mat score[2];

  PetscFunctionBegin;
  PetscCall(CCATransform(cca, d->test[0], d->test[1], &score[0], &score[1]));
  PetscCall(CCAComputePearson(score[0], score[1], NULL, r->center, r->test));
  PetscCall(MatDestroy(&score[0]));
  PetscCall(MatDestroy(&score[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NAPICCARecord(const Result *r, Path *path)
{
  const PetscInt p = path->n++;

  PetscFunctionBegin;
  path->ridge[p]   = r->ridge[0];
  path->acols[p]   = r->acols;
  path->bcols[p]   = r->bcols;
  path->seconds[p] = (PetscReal)r->seconds;
  for (PetscInt i = 0; i < r->n; i++) {
    path->sum[p] += r->rho[i];
    path->test[p] += r->test[i];
  }
  if (r->reason <= 0 || r->n < r->k || r->nconv < r->k) path->converged = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Correlations of all variables with the scores of their view, by rows, a column a pair; NULL where the variables of a view have no names */
PetscErrorCode NAPICCAGetLoadings(CCA cca, const Data *d, const Result *r, PetscReal *loading[2])
{
  const PetscScalar *l;
  PetscMPIInt        named[2], count;
  PetscInt           cols, first, last, ld;
  Mat                L;

  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) {
    loading[i] = NULL;
    named[i]   = d->names[i] != NULL;
  }
  PetscCallMPI(MPI_Bcast(named, 2, MPI_INT, 0, PETSC_COMM_WORLD));
  for (int i = 0; i < 2 && named[0] && named[1] && r->n; i++) {
    PetscCall(MatGetSize(d->view[i], NULL, &cols));
    PetscCall(PetscCalloc1(cols * r->n, &loading[i]));
    PetscCall(CCAGetLoadings(cca, i, i, &L));
    PetscCall(MatGetOwnershipRange(L, &first, &last));
    PetscCall(MatDenseGetLDA(L, &ld));
    PetscCall(MatDenseGetArrayRead(L, &l));
    for (PetscInt j = first; j < last; j++)
      for (PetscInt k = 0; k < r->n; k++) loading[i][j * r->n + k] = PetscRealPart(l[j - first + k * ld]);
    PetscCall(MatDenseRestoreArrayRead(L, &l));
    PetscCall(PetscMPIIntCast(cols * r->n, &count));
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, loading[i], count, MPIU_REAL, MPIU_SUM, PETSC_COMM_WORLD));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   What must be said, or nothing: with as many variables as samples, and next to no regularisation, a view can be mixed to any numbers
   at all; and variables that hardly vary beside others drown in the regularisation
*/
PetscErrorCode NAPICCAWarn(const Data *d, const Result *r, char warning[], size_t length)
{
  PetscInt n, cols[2], wide = -1;

  PetscFunctionBegin;
  warning[0] = '\0';
  for (int i = 0; i < 2; i++) {
    PetscCall(MatGetSize(d->view[i], &n, &cols[i]));
    if (n <= cols[i] && (r->pearson[0] >= NEAR_ONE || (r->shrinkage[i] >= 0.0 && r->shrinkage[i] < LITTLE_SHRINKAGE))) wide = wide < 0 || cols[i] > cols[wide] ? i : wide;
  }
  if (wide >= 0)
    (void)snprintf(warning, length,
                   "WARNING: there are not more samples (%" PetscInt_FMT ") than variables of %c (%" PetscInt_FMT
                   "). Unless the regularisation is strong, any two data sets of this size have correlations near 1 on their own data, which mean nothing by themselves. "
                   "-permutations 999 tells whether there is more to them, -cv 5 which shrinkage holds for other samples.",
                   n, "XY"[wide], cols[wide]);
  for (PetscInt i = 0; i < r->n && !warning[0] && !r->scale; i++)
    if (r->rho[i] < LITTLE_LEFT * r->pearson[i])
      (void)snprintf(warning, length, "WARNING: the regularisation takes most of pair %" PetscInt_FMT " away, because some variables vary much less than others and count for little then. Are they in different units? -scale makes them equal; otherwise use a smaller -shrinkage.", i + 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}
