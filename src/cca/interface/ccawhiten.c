/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA: small data as whitened scores. For each view W, n x r, with a column for each coordinate of a basis in which S is the identity, so that

     W1'W2 = P diag(rho) Q'

   has all canonical correlations there are, and that of other samples side by side is that of other rows of W1 and W2. With X centred and
   scaled, and its rows divided by sqrt(n) (or multiplied by the root of their share of all weights), S = X'X + g I = E D E' and W = X E D^{-1/2}; with more
   columns than samples X X' = E D E' and W = E (D/(D + g))^{1/2}.
*/
#include <slepcnapi/private/ccapermute.h>
#include <slepcnapi/private/gramimpl.h>

/* CCAGetShares_Private - What each sample contributes to a covariance, the same on every rank: its weight over the sum of them, or 1/n */
PetscErrorCode CCAGetShares_Private(CCA cca, PetscReal share[])
{
  const PetscScalar *w;
  PetscInt           n, first;
  PetscReal          sum = 0.0;
  PetscMPIInt        count;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < cca->n; i++) share[i] = cca->weights ? 0.0 : 1.0 / (PetscReal)cca->n;
  if (!cca->weights) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetLocalSize(cca->weights, &n));
  PetscCall(VecGetOwnershipRange(cca->weights, &first, NULL));
  PetscCall(VecGetArrayRead(cca->weights, &w));
  for (PetscInt i = 0; i < n; i++) share[first + i] = PetscRealPart(w[i]);
  PetscCall(VecRestoreArrayRead(cca->weights, &w));
  PetscCall(PetscMPIIntCast(cca->n, &count));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, share, count, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)cca)));
  for (PetscInt i = 0; i < cca->n; i++) sum += share[i];
  for (PetscInt i = 0; i < cca->n; i++) share[i] /= sum;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Local samples of a view in the rows of an array that is zero otherwise, centred, scaled and weighted, and then all of them on every rank */
static PetscErrorCode CCAWhiten_Gather(CCA cca, int view, PetscScalar *Z)
{
  Mat                X = view ? cca->Y : cca->X;
  const PetscInt     n = cca->n, d = cca->d[view];
  PetscInt           first, last, nz;
  const PetscInt    *c;
  const PetscScalar *a;
  PetscScalar       *mean;
  PetscReal         *scale, *share;
  PetscMPIInt        count;

  PetscFunctionBegin;
  PetscCall(PetscCalloc3(d, &mean, d, &scale, n, &share));
  PetscCall(CCAGetShares_Private(cca, share));
  if (cca->center) PetscCall(MatGramGetMeans(cca->B, view, mean));
  PetscCall(MatGramGetFactors_Private(cca->B, view, scale));
  PetscCall(MatGetOwnershipRange(X, &first, &last));
  for (PetscInt i = first; i < last; i++) {
    for (PetscInt j = 0; j < d; j++) Z[i + j * n] = -mean[j];
    PetscCall(MatGetRow(X, i, &nz, &c, &a));
    for (PetscInt l = 0; l < nz; l++) Z[i + c[l] * n] += a[l];
    PetscCall(MatRestoreRow(X, i, &nz, &c, &a));
    for (PetscInt j = 0; j < d; j++) Z[i + j * n] *= scale[j] * PetscSqrtReal(share[i]);
  }
  PetscCall(PetscMPIIntCast(n, &count));
  for (PetscInt j = 0; j < d; j++) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, Z + j * n, count, MPIU_SCALAR, MPIU_SUM, PetscObjectComm((PetscObject)cca)));
  PetscCall(PetscFree3(mean, scale, share));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CCAWhiten_View(CCA cca, int view, PetscScalar **W, PetscInt *rank)
{
  const PetscInt  n = cca->n, d = cca->d[view], m = PetscMin(n, d);
  const PetscBool dual  = (PetscBool)(d > n);
  const PetscReal ridge = cca->ridge[view];
  PetscScalar    *Z, *E;
  PetscReal      *D;
  PetscInt        r = 0;
  PetscMPIInt     count, size;

  PetscFunctionBegin;
  PetscCheck((PetscReal)n * (PetscReal)d < 2147483647.0, PetscObjectComm((PetscObject)cca), PETSC_ERR_SUP, "All samples of a view, %" PetscInt_FMT " x %" PetscInt_FMT ", do not fit into one dense matrix on every rank: use -cca_type napi", n, d);
  PetscCall(PetscCalloc1(n * d, &Z));
  PetscCall(PetscCalloc2(m * m, &E, m, &D));
  PetscCall(CCAWhiten_Gather(cca, view, Z));
  if (dual) PetscCall(NAPIGemm("N", "C", n, n, d, 1.0, Z, n, Z, n, 0.0, E, n));
  else PetscCall(NAPIGemmTall(n, d, d, Z, n, Z, n, E, d));
  for (PetscInt j = 0; j < m && !dual; j++) E[j + j * m] += ridge;
  PetscCall(NAPIEigen(m, E, m, D));
  for (PetscInt j = 0; j < m; j++) { /* those that are not rounding, as for type direct */
    if (!(D[j] > m * PETSC_MACHINE_EPSILON * D[m - 1])) continue;
    for (PetscInt i = 0; i < m; i++) E[i + r * m] = E[i + j * m] * PetscSqrtReal(dual ? D[j] / (D[j] + ridge) : 1.0 / D[j]);
    r++;
  }
  PetscCall(PetscMalloc1(n * PetscMax(1, r), W));
  if (dual) PetscCall(PetscArraycpy(*W, E, n * r));
  else PetscCall(NAPIGemm("N", "N", n, r, d, 1.0, Z, n, E, d, 0.0, *W, n));
  PetscCall(PetscFree2(E, D));
  PetscCall(PetscFree(Z));
  /* other processors may round otherwise, and find another basis: everybody takes that of rank 0 */
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)cca), &size));
  if (size > 1) {
    PetscInt first = r;

    PetscCallMPI(MPI_Bcast(&first, 1, MPIU_INT, 0, PetscObjectComm((PetscObject)cca)));
    if (first != r) {
      PetscCall(PetscFree(*W));
      PetscCall(PetscMalloc1(n * PetscMax(1, first), W));
    }
    r = first;
    PetscCall(PetscMPIIntCast(n, &count));
    for (PetscInt j = 0; j < r; j++) PetscCallMPI(MPI_Bcast(*W + j * n, count, MPIU_SCALAR, 0, PetscObjectComm((PetscObject)cca)));
  }
  *rank = r;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* CCAWhitenedScores_Private - W, to be freed, and the number of its columns, for each view; on every rank */
PetscErrorCode CCAWhitenedScores_Private(CCA cca, PetscScalar *W[2], PetscInt r[2])
{
  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) PetscCall(CCAWhiten_View(cca, i, &W[i], &r[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
