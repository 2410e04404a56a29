/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA: permutations of small data. The views are whitened once; then a permutation P costs one product of tall matrices, T = W1'P W2, and
   the largest singular value of (I - p p')T(I - q q'), p and q being the singular vectors of the observed pairs before the i-th, for each i.
*/
#include <slepcnapi/private/ccapermute.h>

/* Up to this order all singular values are computed; beyond, only as far as they are needed: those of the rest are not larger */
#define CCA_PERMUTE_ALL 200

typedef struct {
  PetscInt     n, r[2], least; /* samples, columns of the scores, the smaller number of these */
  PetscScalar *W[2], *P[2];    /* scores; singular vectors of the observed pairs */
  PetscScalar *permuted, *T, *copy, *row;
  PetscReal   *sigma;
} Dense;

static PetscErrorCode CCAPermuteDense_Largest(Dense *s, PetscReal *largest)
{
  PetscFunctionBegin;
  PetscCall(PetscArraycpy(s->copy, s->T, s->r[0] * s->r[1]));
  PetscCall(NAPISingularValues(s->r[0], s->r[1], s->copy, s->r[0], s->sigma));
  *largest = s->sigma[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* T := (I - p p')T(I - q q') for observed pair i */
static PetscErrorCode CCAPermuteDense_Deflate(Dense *s, PetscInt i)
{
  const PetscScalar *p = s->P[0] + i * s->r[0], *q = s->P[1] + i * s->r[1];

  PetscFunctionBegin;
  PetscCall(NAPIGemm("C", "N", 1, s->r[1], s->r[0], 1.0, p, s->r[0], s->T, s->r[0], 0.0, s->row, 1));
  PetscCall(NAPIGemm("N", "N", s->r[0], s->r[1], 1, -1.0, p, s->r[0], s->row, 1, 1.0, s->T, s->r[0]));
  PetscCall(NAPIGemm("N", "N", s->r[0], 1, s->r[1], 1.0, s->T, s->r[0], q, s->r[1], 0.0, s->row, s->r[0]));
  PetscCall(NAPIGemm("N", "C", s->r[0], s->r[1], 1, -1.0, s->row, s->r[0], q, s->r[1], 1.0, s->T, s->r[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CCAPermuteDense_One(Dense *s, CCAPermutation *test, PetscInt number, const PetscInt perm[])
{
  PetscReal *null = test->null + number * test->k;

  PetscFunctionBegin;
  for (PetscInt j = 0; j < s->r[1]; j++)
    for (PetscInt i = 0; i < s->n; i++) s->permuted[i + j * s->n] = s->W[1][perm[i] + j * s->n];
  PetscCall(PetscArrayzero(s->T, s->r[0] * s->r[1]));
  PetscCall(NAPIGemmTall(s->n, s->r[0], s->r[1], s->W[0], s->n, s->permuted, s->n, s->T, s->r[0]));
  for (PetscInt i = 0; i < test->k; i++) {
    const PetscBool settled = (PetscBool)(i && s->least > CCA_PERMUTE_ALL && null[i - 1] < test->rho[test->k - 1] * (1.0 - CCA_PERMUTE_TIE));

    if (i && !settled) PetscCall(CCAPermuteDense_Deflate(s, i - 1));
    if (settled) { /* below all that are left, and so is what has less freedom */
      null[i]     = null[i - 1];
      test->exact = PETSC_FALSE;
    } else PetscCall(CCAPermuteDense_Largest(s, &null[i]));
    if (null[i] >= test->rho[i] * (1.0 - CCA_PERMUTE_TIE)) test->above[i]++;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCAPermuteDense_Private - The permutations of this rank, every size-th. The observed correlations are those of the same scores, so that the
   identity would be a tie.
*/
PetscErrorCode CCAPermuteDense_Private(CCA cca, CCAPermutation *test)
{
  Dense       s;
  PetscInt   *perm, most;
  PetscReal  *rho;
  PetscMPIInt rank, size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)cca), &rank));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)cca), &size));
  s.n = cca->n;
  PetscCall(CCAWhitenedScores_Private(cca, s.W, s.r));
  s.least = PetscMin(s.r[0], s.r[1]);
  most    = PetscMax(s.r[0], s.r[1]);
  PetscCheck(test->k <= s.least, PetscObjectComm((PetscObject)cca), PETSC_ERR_PLIB, "%" PetscInt_FMT " pairs were found in data of ranks %" PetscInt_FMT " and %" PetscInt_FMT, test->k, s.r[0], s.r[1]);
  PetscCall(PetscMalloc5(s.n * s.r[1], &s.permuted, s.r[0] * s.r[1], &s.T, s.r[0] * s.r[1], &s.copy, most, &s.row, s.n, &perm));
  PetscCall(PetscMalloc4(s.least, &s.sigma, s.least, &rho, s.r[0] * s.least, &s.P[0], s.r[1] * s.least, &s.P[1]));
  PetscCall(PetscArrayzero(s.T, s.r[0] * s.r[1]));
  PetscCall(NAPIGemmTall(s.n, s.r[0], s.r[1], s.W[0], s.n, s.W[1], s.n, s.T, s.r[0]));
  PetscCall(NAPISingular(PetscObjectComm((PetscObject)cca), s.r[0], s.r[1], s.T, s.r[0], rho, s.P[0], s.P[1]));
  for (PetscInt i = 0; i < test->k; i++)
    PetscCheck(PetscAbsReal(rho[i] - cca->rho[i]) < PetscMax(1e-6, 10.0 * cca->tol), PetscObjectComm((PetscObject)cca), PETSC_ERR_PLIB, "Correlation %" PetscInt_FMT " is %g by whitened scores, and %g by the solution", i + 1, (double)rho[i],
               (double)cca->rho[i]);
  test->rho   = rho;
  test->exact = PETSC_TRUE;
  for (PetscInt p = rank; p < test->N; p += size) {
    PetscCall(CCAPermutationPoll_Private(cca, test));
    if (test->stopped) break;
    PetscCall(CCAPermutationDraw_Private(test, p, perm));
    PetscCall(CCAPermuteDense_One(&s, test, p, perm));
    test->decided[p] = 1;
  }
  test->rho = NULL;
  PetscCall(PetscFree4(s.sigma, rho, s.P[0], s.P[1]));
  PetscCall(PetscFree5(s.permuted, s.T, s.copy, s.row, perm));
  for (int i = 0; i < 2; i++) PetscCall(PetscFree(s.W[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
