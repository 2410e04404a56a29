/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA type "direct" in a cross-validation: the covariances without the samples of a fold, from those of all samples and those of the
   fold. Forming them for all folds takes as long as for all samples once.

   With sums of weights w = w_t + w_f, of all samples, of those to learn from and of the fold, and means m_t, m_f,

     w C = w_t C_t + w_f C_f + (w_t w_f/w) conj(m_t - m_f)(m_t - m_f)'

   where the last term is missing if columns are not centred. C and C_f are those of columns of unit variance, so that units of any size are
   welcome; C_t is wanted in the units of A and B.
*/
#include <slepcnapi/private/ccaimpl.h>
#include <slepcnapi/private/gramimpl.h>

/* A column that loses so much of its variance with a fold would lose as many digits: the covariances are formed from the samples instead */
#define CCA_LEAVEOUT_LOSS 1e4

/* CCACovariancesForm_Private - The covariances of both views and between them, of samples with these weights or, if NULL, all alike */
PetscErrorCode CCACovariancesForm_Private(CCA cca, Vec weights, CCACovariances *c)
{
  const PetscInt D = cca->d[0] + cca->d[1];
  PetscScalar    sum;
  Mat            G, C;

  PetscFunctionBegin;
  PetscCall(MatCreateGram(cca->X, cca->Y, &G));
  PetscCall(MatGramSetCentering(G, cca->center));
  PetscCall(MatGramSetScaling(G, PETSC_TRUE));
  PetscCall(MatGramSetCoupling(G, 1.0, 1.0, 1.0));
  PetscCall(MatGramSetWeights(G, weights));
  c->weight = (PetscReal)cca->n;
  if (weights) {
    PetscCall(VecSum(weights, &sum));
    c->weight = PetscRealPart(sum);
  }
  PetscCall(PetscMalloc3(D * D, &c->C, D, &c->mean, D, &c->scale));
  for (PetscInt v = 0; v < 2; v++) {
    PetscCall(MatGramGetMeans(G, v, c->mean + (v ? cca->d[0] : 0)));
    PetscCall(MatGramGetScales(G, v, c->scale + (v ? cca->d[0] : 0)));
  }
  PetscCall(MatConvert(G, MATDENSE, MAT_INITIAL_MATRIX, &C));
  PetscCall(CCAGatherDense_Private(C, c->C));
  PetscCall(MatDestroy(&C));
  PetscCall(MatDestroy(&G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CCACovariancesDestroy_Private(CCACovariances *c)
{
  PetscFunctionBegin;
  PetscCall(PetscFree3(c->C, c->mean, c->scale));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCACovariancesLeaveOut_Private - C := those of all samples but the ones of a fold, in the units of the object, which has the weights of
   these samples and is set up; NULL where too many digits would be lost.
*/
PetscErrorCode CCACovariancesLeaveOut_Private(CCA cca, const CCACovariances *all, const CCACovariances *fold, PetscScalar **C)
{
  const PetscInt  D = cca->d[0] + cca->d[1];
  const PetscReal w = all->weight, wf = fold->weight, wt = w - wf;
  PetscReal      *unit, *deviation;
  PetscScalar    *delta;
  PetscBool       lost = PETSC_FALSE;

  PetscFunctionBegin;
  *C = NULL;
  PetscCall(PetscMalloc3(D, &unit, D, &deviation, D, &delta));
  for (PetscInt v = 0; v < 2; v++) {
    const PetscInt first = v ? cca->d[0] : 0;

    PetscCall(MatGramGetFactors_Private(cca->B, v, unit + first));
    PetscCall(MatGramGetMeans(cca->B, v, delta + first));
  }
  for (PetscInt j = 0; j < D; j++) {
    PetscReal before, after; /* the sums of squares: of all samples, and of those to learn from */

    delta[j]     = cca->center ? delta[j] - fold->mean[j] : 0.0;
    deviation[j] = all->scale[j] > 0.0 ? 1.0 / all->scale[j] : 0.0;
    before       = w * PetscRealPart(all->C[j + j * D]);
    after        = before;
    if (fold->scale[j] > 0.0) after -= wf * PetscRealPart(fold->C[j + j * D]) * PetscSqr(all->scale[j] / fold->scale[j]);
    after -= wt * wf / w * PetscSqr(PetscAbsScalar(all->scale[j] * delta[j]));
    if (before > 0.0 && unit[j] > 0.0 && !(after > before / CCA_LEAVEOUT_LOSS)) lost = PETSC_TRUE;
  }
  if (lost) PetscCall(PetscInfo(cca, "A column loses most of its variance with a fold: its covariances are formed from the other samples\n"));
  else {
    PetscCall(PetscMalloc1(D * D, C));
    for (PetscInt j = 0; j < D; j++) {
      for (PetscInt i = 0; i < D; i++) {
        PetscScalar c = w * (unit[i] * deviation[i]) * (unit[j] * deviation[j]) * all->C[i + j * D] - wt * wf / w * PetscConj(unit[i] * delta[i]) * (unit[j] * delta[j]);

        if (fold->scale[i] > 0.0 && fold->scale[j] > 0.0) c -= wf * (unit[i] / fold->scale[i]) * (unit[j] / fold->scale[j]) * fold->C[i + j * D];
        (*C)[i + j * D] = c / wt;
      }
    }
  }
  PetscCall(PetscFree3(unit, deviation, delta));
  PetscFunctionReturn(PETSC_SUCCESS);
}
