/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA: which method goes with the data, if the user does not say.
*/
#include <slepcnapi/private/ccaimpl.h>

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

   direct: the covariances, n D^2 (for sparse data the outer products of their rows, entries^2/n, which are slower by a
           factor of 8), and 12 D^3 for their factors and the singular values, D being min(d,n) of each view added up;
   napi:   40 + 25 k columns by A and as many by B, 8 entries each, slower by a factor of 4 since they are bound by memory.
*/
PetscErrorCode CCAChooseType_Private(CCA cca)
{
  PetscLogDouble entries[2], direct, implicit, D = 0.0, memory, n = (PetscLogDouble)cca->n;
  PetscBool      sparse[2];

  PetscFunctionBegin;
  PetscCall(CCAChooseType_Entries(cca->X, &entries[0], &sparse[0]));
  PetscCall(CCAChooseType_Entries(cca->Y, &entries[1], &sparse[1]));
  for (int i = 0; i < 2; i++) D += (PetscLogDouble)PetscMin(cca->d[i], cca->n);
  direct = 12.0 * D * D * D;
  if (sparse[0] && sparse[1]) direct += 8.0 * PetscSqr(entries[0] + entries[1]) / n;
  else direct += n * D * D;
  implicit = 4.0 * 2.0 * (40.0 + 25.0 * cca->k) * 8.0 * (entries[0] + entries[1]);
  memory   = 4.0 * sizeof(PetscScalar) * D * D;
  PetscCall(CCASetType(cca, memory <= 1e9 && direct <= implicit ? CCADIRECT : CCANAPI));
  cca->chosen = PETSC_TRUE;
  PetscCall(PetscSNPrintf(cca->why, sizeof(cca->why), "direct would take about %.1e operations and %.2g MB, napi %.1e operations", (double)direct, (double)(memory / 1e6), (double)implicit));
  PetscCall(PetscInfo(cca, "Type %s: %s\n", ((PetscObject)cca)->type_name, cca->why));
  PetscFunctionReturn(PETSC_SUCCESS);
}
