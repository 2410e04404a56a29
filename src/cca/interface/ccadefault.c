/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA: what types begin and end with, and the defaults of the solvers inside of them.
*/
#include <slepcnapi/private/ccaimpl.h>
#include <slepcnapi/private/kspcolumns.h>

/* A BV for p directions of one view or, for view CCA_BOTH, p vectors [u;v] with the rows of the pair */
PetscErrorCode CCANewBasis_Private(CCA cca, PetscInt view, PetscInt p, BV *basis)
{
  Vec t;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(view == CCA_BOTH ? cca->B : view ? cca->Y : cca->X, &t, NULL));
  PetscCall(BVCreate(PetscObjectComm((PetscObject)cca), basis));
  PetscCall(BVSetType(*basis, BVMAT));
  PetscCall(BVSetSizesFromVec(*basis, t, p));
  PetscCall(VecDestroy(&t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bases of p columns: some of the user's initial directions, and random ones, draw number draw of them */
static PetscErrorCode CCADefault_RandomBasis(CCA cca, PetscInt p, PetscInt given, PetscInt draw, BV basis[2])
{
  PetscInt    j;
  BV          t[2];
  Vec         u;
  PetscRandom random;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)cca), &rank));
  for (int i = 0; i < 2; i++) {
    PetscCall(CCANewBasis_Private(cca, i, p, &basis[i]));
    if (draw) { /* a new BV begins with the same numbers as any other */
      PetscCall(BVGetRandomContext(basis[i], &random));
      PetscCall(PetscRandomSetSeed(random, 0x12345678UL + 76543UL * (unsigned long)rank + 7919UL * (unsigned long)(2 * draw + i)));
      PetscCall(PetscRandomSeed(random));
    }
    for (j = given; j < p; j++) PetscCall(BVSetRandomColumn(basis[i], j));
    for (j = 0; j < given; j++) {
      PetscCall(MatDenseGetColumnVecRead(cca->begin[i], j, &u));
      PetscCall(BVInsertVec(basis[i], j, u));
      PetscCall(MatDenseRestoreColumnVecRead(cca->begin[i], j, &u));
    }
  }
  if (given < p && (cca->ridge[0] == 0.0 || cca->ridge[1] == 0.0)) {
    BV image[2] = {basis[1], basis[0]};

    for (int i = 0; i < 2; i++) {
      PetscCall(BVSetActiveColumns(basis[i], given, p));
      PetscCall(CCANewBasis_Private(cca, i, p - given, &t[i]));
      PetscCall(BVCopy(basis[i], t[i]));
    }
    PetscCall(CCAMultViews_Private(draw ? cca->B : cca->A, NULL, t, image, NULL));
    for (int i = 0; i < 2; i++) {
      PetscCall(BVSetActiveColumns(basis[i], 0, p));
      PetscCall(BVDestroy(&t[i]));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCARandomBasis_Private - New bases of p columns to begin with: the user's initial directions first, random ones behind. Where a
   ridge is zero the latter are multiplied by A, so that they have no part in the null space of S11 or S22.
*/
PetscErrorCode CCARandomBasis_Private(CCA cca, PetscInt p, BV basis[2])
{
  PetscInt given = 0;

  PetscFunctionBegin;
  if (cca->begin[0]) PetscCall(MatGetSize(cca->begin[0], NULL, &given));
  PetscCall(CCADefault_RandomBasis(cca, p, PetscMin(given, p), 0, basis));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCAFreshBasis_Private - The same in the course of a solution: random columns only, and other ones each time. Where a ridge is zero
   they are multiplied by B: what A has as its range may be used up.
*/
PetscErrorCode CCAFreshBasis_Private(CCA cca, PetscInt p, BV basis[2])
{
  PetscFunctionBegin;
  PetscCall(CCADefault_RandomBasis(cca, p, 0, ++cca->draws, basis));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* CCAAllocateBasis_Private - The bases that a type leaves its directions in, p columns each, which may be none */
PetscErrorCode CCAAllocateBasis_Private(CCA cca, PetscInt p)
{
  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) {
    PetscCall(BVDestroy(&cca->basis[i]));
    PetscCall(CCANewBasis_Private(cca, i, PetscMax(1, p), &cca->basis[i]));
    PetscCall(BVSetActiveColumns(cca->basis[i], 0, p));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCASetBasis_Private - By which a type hands over what it has found: dense matrices, with as many columns each and the
   distribution of the views' columns, which are copied.
*/
PetscErrorCode CCASetBasis_Private(CCA cca, Mat U, Mat V)
{
  Mat      found[2] = {U, V}, M;
  PetscInt p;

  PetscFunctionBegin;
  PetscCall(MatGetSize(U, NULL, &p));
  PetscCall(CCAAllocateBasis_Private(cca, p));
  for (int i = 0; i < 2 && p; i++) {
    PetscCall(BVGetMat(cca->basis[i], &M));
    PetscCall(MatCopy(found[i], M, SAME_NONZERO_PATTERN));
    PetscCall(BVRestoreMat(cca->basis[i], &M));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* CCAScatterPart_Private - Between x = [u;v], with the rows of the pair, and column j of a basis W of one view: forward from x to W */
PetscErrorCode CCAScatterPart_Private(CCA cca, int view, ScatterMode mode, Vec x, BV W, PetscInt j)
{
  PetscInt first, last;
  Vec      w;
  IS       rows;

  PetscFunctionBegin;
  PetscCall(BVGetColumn(W, j, &w));
  if (!cca->part[view]) {
    PetscCall(VecGetOwnershipRange(w, &first, &last));
    PetscCall(ISCreateStride(PetscObjectComm((PetscObject)cca), last - first, first + (view ? cca->d[0] : 0), 1, &rows));
    PetscCall(VecScatterCreate(x, rows, w, NULL, &cca->part[view]));
    PetscCall(ISDestroy(&rows));
  }
  PetscCall(VecScatterBegin(cca->part[view], mode == SCATTER_FORWARD ? x : w, mode == SCATTER_FORWARD ? w : x, INSERT_VALUES, mode));
  PetscCall(VecScatterEnd(cca->part[view], mode == SCATTER_FORWARD ? x : w, mode == SCATTER_FORWARD ? w : x, INSERT_VALUES, mode));
  PetscCall(BVRestoreColumn(W, j, &w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All of a dense matrix, by columns, on every rank */
PetscErrorCode CCAGatherDense_Private(Mat U, PetscScalar *all)
{
  const PetscScalar *u;
  PetscInt           m, d, k, ld;
  PetscMPIInt        mine, *counts, *displs;
  PetscLayout        rows;

  PetscFunctionBegin;
  PetscCall(MatGetLayouts(U, &rows, NULL));
  PetscCall(MatGetLocalSize(U, &m, NULL));
  PetscCall(MatGetSize(U, &d, &k));
  PetscCall(NAPILayoutCounts(rows, 0, d, 1, &counts, &displs));
  PetscCall(PetscMPIIntCast(m, &mine));
  PetscCall(MatDenseGetLDA(U, &ld));
  PetscCall(MatDenseGetArrayRead(U, &u));
  for (PetscInt j = 0; j < k; j++) PetscCallMPI(MPI_Allgatherv(u + j * ld, mine, MPIU_SCALAR, all + j * d, counts, displs, MPIU_SCALAR, PetscObjectComm((PetscObject)U)));
  PetscCall(MatDenseRestoreArrayRead(U, &u));
  PetscCall(PetscFree2(counts, displs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same for the active columns of a basis */
PetscErrorCode CCAGatherBasis_Private(BV U, PetscScalar *all)
{
  Mat M;

  PetscFunctionBegin;
  PetscCall(BVGetMat(U, &M));
  PetscCall(CCAGatherDense_Private(M, all));
  PetscCall(BVRestoreMat(U, &M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCASetUpInner_Private - A solver for least squares, to which CCAGetKSP() has given the defaults in cca->inner, reads its options.
   The stochastic methods make a number of stages, without the product that would only tell the residual at the end, unless the
   user says how many, or to which tolerance; all others go down to a tolerance, relative to the residual of the warm start.
*/
PetscErrorCode CCASetUpInner_Private(CCA cca, KSP ksp)
{
  const char *const names[] = {"-ksp_rtol", "-ksp_norm_type"};
  PetscReal         rtol, atol, dtol;
  PetscInt          maxit;
  PetscBool         stochastic, tested, given;

  PetscFunctionBegin;
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPGetTolerances(ksp, &rtol, &atol, &dtol, &maxit));
  PetscCall(KSPIsStochastic_Private(ksp, &stochastic));
  PetscCheck(!stochastic || !cca->weights, PetscObjectComm((PetscObject)cca), PETSC_ERR_SUP, "The samples have weights, and the inner solver of type %s, %s, draws samples and knows none: use -cca_ksp_type %s, or -cca_type %s", ((PetscObject)cca)->type_name,
             ((PetscObject)ksp)->type_name, KSPBLOCKCG, CCANAPI);
  if (maxit == CCA_INNER_UNSET) PetscCall(KSPSetTolerances(ksp, rtol, atol, dtol, stochastic ? cca->inner.stages : CCA_INNER_MAX_IT));
  if (stochastic) {
    tested = (PetscBool)(rtol != cca->inner.rtol); /* no longer what CCAGetKSP() has set */
    for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(names); i++) {
      PetscCall(PetscOptionsHasName(((PetscObject)ksp)->options, ((PetscObject)ksp)->prefix, names[i], &given));
      tested = (PetscBool)(tested || given);
    }
    if (!tested) PetscCall(KSPSetNormType(ksp, KSP_NORM_NONE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solve that was cut short is only less accurate; anything else is trouble */
PetscErrorCode CCACheckInner_Private(CCA cca, KSP ksp)
{
  KSPConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  if (reason < 0 && reason != KSP_DIVERGED_ITS) {
    PetscCall(PetscInfo(cca, "Inner solve failed with reason %s\n", KSPConvergedReasons[reason]));
    cca->reason = CCA_DIVERGED_BREAKDOWN;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* CCADestroy_Default - For types whose data are freed by PetscFree() */
PetscErrorCode CCADestroy_Default(CCA cca)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(cca->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}
