/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What the solution is worth: do the correlations hold for other samples, what do the ridges of a path gain, and which variables
   is a pair about?
*/
#include "napi-cca.h"

/*
   Correlations of columns ja of A with columns jb of B, which are dense with the same rows, for ja = jb = j or, if all
   is set, for all pairs (r by rows): of what is left when the means are taken off or, uncentred, of the columns
   themselves. r = sum (a - m_a) conj(b - m_b) / sqrt(sum |a - m_a|^2 sum |b - m_b|^2), the real part; 0 for a constant
   column
*/
static PetscErrorCode Statistics_Correlate(Mat A, Mat B, PetscBool centered, PetscBool all, PetscReal r[])
{
  const PetscScalar *array[2];
  Mat                view[2] = {A, B};
  PetscScalar       *mean;
  PetscReal         *sums, *square[2];
  PetscInt           n, N, cols[2], lda[2], count;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(A, &n, NULL));
  PetscCall(MatGetSize(A, &N, &cols[0]));
  PetscCall(MatGetSize(B, NULL, &cols[1]));
  if (!all) cols[0] = cols[1] = PetscMin(cols[0], cols[1]);
  count = all ? cols[0] * cols[1] : cols[0];
  PetscCall(PetscCalloc2(cols[0] + cols[1], &mean, cols[0] + cols[1] + count, &sums));
  square[0] = sums;
  square[1] = sums + cols[0];
  for (int v = 0; v < 2; v++) {
    PetscCall(MatDenseGetLDA(view[v], &lda[v]));
    PetscCall(MatDenseGetArrayRead(view[v], &array[v]));
    for (PetscInt j = 0; j < cols[v] && centered; j++)
      for (PetscInt i = 0; i < n; i++) mean[j + v * cols[0]] += array[v][i + (size_t)j * (size_t)lda[v]] / (PetscReal)N;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, mean, (PetscMPIInt)(cols[0] + cols[1]), MPIU_SCALAR, MPIU_SUM, PETSC_COMM_WORLD));
  for (int v = 0; v < 2; v++)
    for (PetscInt j = 0; j < cols[v]; j++)
      for (PetscInt i = 0; i < n; i++) {
        const PetscReal a = PetscAbsScalar(array[v][i + (size_t)j * (size_t)lda[v]] - mean[j + v * cols[0]]);

        square[v][j] += a * a;
      }
  for (PetscInt k = 0; k < count; k++) {
    const PetscInt     ja = all ? k / cols[1] : k, jb = all ? k % cols[1] : k;
    const PetscScalar *a = array[0] + (size_t)ja * (size_t)lda[0], *b = array[1] + (size_t)jb * (size_t)lda[1];

    for (PetscInt i = 0; i < n; i++) sums[cols[0] + cols[1] + k] += PetscRealPart((a[i] - mean[ja]) * PetscConj(b[i] - mean[cols[0] + jb]));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, (PetscMPIInt)(cols[0] + cols[1] + count), MPIU_REAL, MPIU_SUM, PETSC_COMM_WORLD));
  for (PetscInt k = 0; k < count; k++) {
    const PetscReal scale = PetscSqrtReal(square[0][all ? k / cols[1] : k]) * PetscSqrtReal(square[1][all ? k % cols[1] : k]);

    r[k] = scale > 0.0 ? sums[cols[0] + cols[1] + k] / scale : 0.0;
  }
  for (int v = 0; v < 2; v++) PetscCall(MatDenseRestoreArrayRead(view[v], &array[v]));
  PetscCall(PetscFree2(mean, sums));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The correlations of the scores of other samples */
PetscErrorCode NAPICCATest(CCA cca, const Data *d, Result *r)
{
  Mat score[2];

  PetscFunctionBegin;
  PetscCall(CCATransform(cca, d->test[0], d->test[1], &score[0], &score[1]));
  PetscCall(Statistics_Correlate(score[0], score[1], r->center, PETSC_FALSE, r->test));
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

/* Correlations of all variables with the scores, by rows, a column a pair; NULL where the variables of a view have no names */
PetscErrorCode NAPICCAGetLoadings(const Data *d, const Result *r, PetscReal *loading[2])
{
  PetscMPIInt named[2];
  PetscInt    cols;

  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) {
    loading[i] = NULL;
    named[i]   = d->names[i] != NULL;
  }
  PetscCallMPI(MPI_Bcast(named, 2, MPI_INT, 0, PETSC_COMM_WORLD));
  for (int i = 0; i < 2 && named[0] && named[1] && r->n; i++) {
    PetscCall(MatGetSize(d->view[i], NULL, &cols));
    PetscCall(PetscMalloc1(cols * r->n, &loading[i]));
    PetscCall(Statistics_Correlate(d->view[i], r->score[i], PETSC_TRUE, PETSC_TRUE, loading[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
