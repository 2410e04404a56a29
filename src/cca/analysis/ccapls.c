/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA: partial least squares, the singular vectors of S12 = X'Y/n. It is canonical correlation analysis with multiples of the identity in the
   place of S11 and S22: inside, each view is divided by the root of its total variance, so that

     A = [0 S12; S12' 0],  B = I,   and singular values are at most (tr S11 tr S22)^{1/2} = 1

   as correlations are; all that CCASolve() tests and reports goes on as it is. In the end the directions get unit length in the user's coordinates.
*/
#include <slepcnapi/private/ccaimpl.h>
#include <slepcnapi/private/gramimpl.h>

/*
   CCASetUpPLS_Private - Makes the pair (A,B).
*/
PetscErrorCode CCASetUpPLS_Private(CCA cca)
{
  MPI_Comm    comm  = PetscObjectComm((PetscObject)cca);
  const char *types = CCADIRECT " " CCANAPI " " CCAEPS, *type = ((PetscObject)cca)->type_name;
  PetscBool   direct, known;
  PetscReal   spread;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(type, CCADIRECT, &direct));
  PetscCall(PetscStrInList(type, types, ' ', &known));
  PetscCheck(known, comm, PETSC_ERR_SUP, "Partial least squares cannot be solved by the type %s: use %s or %s", type, CCANAPI, CCAEPS);
  PetscCheck(!direct || PetscMax(cca->d[0], cca->d[1]) <= cca->n, comm, PETSC_ERR_SUP, "The type direct needs no fewer samples than variables for partial least squares, and there are %" PetscInt_FMT ": use %s", cca->n, CCANAPI);
  PetscCall(MatCreateCCAPair(cca->X, cca->Y, 0.0, 0.0, cca->center, &cca->A, &cca->B));
  if (cca->weights) PetscCall(MatGramSetWeights(cca->B, cca->weights));
  for (int i = 0; i < 2; i++) {
    cca->unit[i]          = cca->scale;
    cca->shrinkageused[i] = 0.0;
    cca->ridge[i]         = 1.0;
    PetscCall(MatGramSetViewScaling(cca->A, i, cca->scale));
    PetscCall(MatGramSetViewScaling(cca->B, i, cca->scale));
    PetscCall(MatGramGetSpread_Private(cca->B, i, &spread));
    PetscCheck(!PetscIsInfOrNanReal(spread), comm, PETSC_ERR_FP, "%s has an entry that is not a finite number, or is too large: remove such samples, fill the gaps, or use other units", i ? "Y" : "X");
    cca->factor[i] = spread > 0.0 ? 1.0 / (spread * PetscSqrtReal((PetscReal)cca->d[i])) : 1.0;
    PetscCall(MatGramSetFactor_Private(cca->A, i, cca->factor[i]));
    PetscCall(MatGramSetFactor_Private(cca->B, i, cca->factor[i]));
  }
  PetscCall(MatGramSetCoupling(cca->B, 0.0, 0.0, 0.0));
  PetscCall(MatGramSetRidge(cca->B, 1.0, 1.0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCAFinishPLS_Private - Values and directions in the user's units.
*/
PetscErrorCode CCAFinishPLS_Private(CCA cca)
{
  PetscReal norm;
  Vec       w;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(cca->ncols, &cca->value));
  for (PetscInt j = 0; j < cca->ncols; j++) {
    cca->value[j] = cca->rho[j] / (cca->factor[0] * cca->factor[1]);
    for (int i = 0; i < 2; i++) {
      PetscCall(MatDenseGetColumnVec(i ? cca->V : cca->U, j, &w));
      PetscCall(VecNorm(w, NORM_2, &norm));
      if (norm > 0.0) PetscCall(VecScale(w, 1.0 / norm));
      PetscCall(MatDenseRestoreColumnVec(i ? cca->V : cca->U, j, &w));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
