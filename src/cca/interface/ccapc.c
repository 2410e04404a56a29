/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA: which preconditioner goes with the covariance matrix of a view, if the user does not say.
*/
#include <slepcnapi/private/ccaimpl.h>
#include <slepcnapi/private/sketchimpl.h>

#define CCA_PC_APPLY       0.5   /* of a product, the most that an application may take: what PCSKETCH saves in iterations must not be lost in each of them */
#define CCA_PC_SETUP       128.0 /* columns of a product, the longest that the set-up may take: about as many as a solution has */
#define CCA_PC_BLAS3       2.0   /* how much faster the operations of the set-up are than those of a product, which is bound by memory */
#define CCA_PC_CONDITIONED 8.0   /* trace/ridge: up to here the matrix has a condition number of 9, which is what the sketch leaves of any other */

/*
   CCAChoosePC_Private - PCSKETCH where, with its default options, it promises to be faster than PCJACOBI, which is taken otherwise.
   This weighs costs only: how ill conditioned the data are is not known beforehand.

   A view of d columns that is too large for a dense factor gets none, nor does one whose ridge is so large that it is well
   conditioned anyway. For the others, on r ranks,

     an application, 2 d^2 operations for a column, must not take more than half of those of a product, 4 nonzeros/r;
     the set-up, (4/r + 1/3) d^3 operations at BLAS-3 speed, must not take longer than 128 columns of a product.

   So it is worth it for 60,000 samples of 392 columns, a fifth of them filled (the set-up counts for 7 columns), and just so for
   28,596 sparse samples of 500 columns (95 columns), where it saves half of the columns but hardly any time; not for
   texts by their words.
*/
PetscErrorCode CCAChoosePC_Private(CCA cca, int view, PCType *type)
{
  const PetscReal d    = (PetscReal)cca->d[view];
  const GramData *data = ((Mat_Gram *)cca->S[view]->data)->data;
  PetscReal       product, apply, setup, ridge, trace;
  PetscScalar     sum;
  MatInfo         info;
  Vec             diag;

  PetscFunctionBegin;
  *type = PCJACOBI;
  if (cca->d[view] > SKETCH_MAX_DIMENSION) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGramGetRidge(cca->S[view], &ridge, NULL));
  PetscCall(MatCreateVecs(cca->S[view], &diag, NULL));
  PetscCall(MatGetDiagonal(cca->S[view], diag));
  PetscCall(VecShift(diag, -ridge));
  PetscCall(VecSum(diag, &sum));
  PetscCall(VecDestroy(&diag));
  PetscCall(MatGetInfo(data->view[0].loc, MAT_LOCAL, &info));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &info.nz_used, 1, MPI_DOUBLE, MPI_SUM, data->comm));
  trace   = PetscRealPart(sum);
  product = 4.0 * (PetscReal)info.nz_used / data->size;
  apply   = 2.0 * d * d;
  setup   = (SKETCH_RATIO / data->size + 1.0 / 3.0) * d * d * d / CCA_PC_BLAS3;
  if (!(trace <= CCA_PC_CONDITIONED * ridge) && apply > 0.0 && apply <= CCA_PC_APPLY * product && setup <= CCA_PC_SETUP * product) *type = PCSKETCH;
  PetscCall(PetscInfo(cca, "View %d: applying PCSKETCH takes %g of a product, its set-up as long as %g columns of one: PC type %s\n", view + 1, (double)(product > 0.0 ? apply / product : 0.0), (double)(product > 0.0 ? setup / product : 0.0), *type));
  PetscFunctionReturn(PETSC_SUCCESS);
}
