/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA: which method goes with the data, if the user does not say.
*/
#include <slepcnapi/private/ccaimpl.h>

/* What the estimates count with. A factor of two in one of them moves the border between the types, where both take about as long */
#define CCA_CHOOSE_FACTORS 12.0  /* of D^3: a Cholesky factor of each view, and the singular values */
#define CCA_CHOOSE_SMALL   500.0 /* D up to which they take hundredths of a second, less than what napi's steps cost besides their operations: not counted */
#define CCA_CHOOSE_SPARSE  8.0   /* an operation of sparse outer products takes as long as so many of BLAS */
#define CCA_CHOOSE_STREAM  4.0   /* as does one of napi's products, which are bound by memory */
#define CCA_CHOOSE_COLUMNS 40.0  /* by A, and as many by B, that napi takes for no pair */
#define CCA_CHOOSE_A_PAIR  25.0  /* and for each pair */
#define CCA_CHOOSE_MEMORY  1e9   /* bytes of covariances, which every rank has: more may not be there */

/* Entries of the data that a product has to touch */
static PetscErrorCode CCAChooseType_Entries(Mat X, PetscLogDouble *entries, PetscBool *sparse)
{
  PetscBool dense;
  PetscInt  n, d;
  MatInfo   info;

  PetscFunctionBegin;
  PetscCall(MatGetSize(X, &n, &d));
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)X, &dense, MATSEQDENSE, MATMPIDENSE, ""));
  *sparse  = (PetscBool)!dense;
  *entries = (PetscLogDouble)n * (PetscLogDouble)d;
  if (!dense) {
    PetscCall(MatGetInfo(X, MAT_GLOBAL_SUM, &info));
    *entries = info.nz_used;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCAChooseType_Private - CCADIRECT or CCANAPI, by an estimate of the work of each.

   direct: the covariances, n D^2, for sparse data the outer products of their rows, entries^2/n; their factors and the singular
           values; D being min(d,n) of each view added up
   napi:   columns by A and by B, 8 operations an entry each
*/
PetscErrorCode CCAChooseType_Private(CCA cca)
{
  PetscLogDouble entries[2], direct, implicit, D = 0.0, memory, n = (PetscLogDouble)cca->n;
  PetscBool      sparse[2];

  PetscFunctionBegin;
  PetscCall(CCAChooseType_Entries(cca->X, &entries[0], &sparse[0]));
  PetscCall(CCAChooseType_Entries(cca->Y, &entries[1], &sparse[1]));
  for (int i = 0; i < 2; i++) D += (PetscLogDouble)PetscMin(cca->d[i], cca->n);
  direct = D > CCA_CHOOSE_SMALL ? CCA_CHOOSE_FACTORS * D * D * D : 0.0;
  if (sparse[0] && sparse[1]) direct += CCA_CHOOSE_SPARSE * PetscSqr(entries[0] + entries[1]) / n;
  else direct += n * D * D;
  implicit = CCA_CHOOSE_STREAM * 2.0 * (CCA_CHOOSE_COLUMNS + CCA_CHOOSE_A_PAIR * cca->k) * 8.0 * (entries[0] + entries[1]);
  memory   = 4.0 * sizeof(PetscScalar) * D * D;
  if (cca->analysis == CCA_ANALYSIS_PLS && PetscMax(cca->d[0], cca->d[1]) > cca->n) memory = PETSC_INFINITY; /* direct would take the identity for a covariance of so few samples */
  PetscCall(CCASetType(cca, memory <= CCA_CHOOSE_MEMORY && direct <= implicit ? CCADIRECT : CCANAPI));
  cca->chosen = PETSC_TRUE;
  PetscCall(PetscSNPrintf(cca->why, sizeof(cca->why), "direct would take about %.1e operations and %.2g MB, napi %.1e operations", (double)direct, (double)(memory / 1e6), (double)implicit));
  PetscCall(PetscInfo(cca, "Type %s: %s\n", ((PetscObject)cca)->type_name, cca->why));
  PetscFunctionReturn(PETSC_SUCCESS);
}
