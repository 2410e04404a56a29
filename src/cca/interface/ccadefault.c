/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA: what types begin and end with, and the defaults of the solvers inside of them.
*/
#include <slepcnapi/private/ccaimpl.h>

/* A BV for p directions of one view */
PetscErrorCode CCANewBasis_Private(CCA cca, PetscInt view, PetscInt p, BV *basis)
{
  Vec t;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(view ? cca->Y : cca->X, &t, NULL));
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
  BV          t[2] = {NULL, NULL};
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
    if (given) {
      Vec u;

      for (j = 0; j < given; j++) {
        PetscCall(MatDenseGetColumnVecRead(cca->begin[i], j, &u));
        PetscCall(BVInsertVec(basis[i], j, u));
        PetscCall(MatDenseRestoreColumnVecRead(cca->begin[i], j, &u));
      }
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
  for (int i = 0; i < 2; i++) {
    PetscCall(BVDestroy(&cca->basis[i]));
    PetscCall(CCANewBasis_Private(cca, i, PetscMax(1, p), &cca->basis[i]));
    PetscCall(BVSetActiveColumns(cca->basis[i], 0, p));
    if (!p) continue;
    PetscCall(BVGetMat(cca->basis[i], &M));
    PetscCall(MatCopy(found[i], M, SAME_NONZERO_PATTERN));
    PetscCall(BVRestoreMat(cca->basis[i], &M));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCACreatePart_Private - A vector of one view, distributed like its columns, and what takes it out of a vector [u;v] with the
   rows of the pair.
*/
PetscErrorCode CCACreatePart_Private(CCA cca, int view, VecScatter *part, Vec *v)
{
  PetscInt first, last;
  Vec      x;
  IS       from;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(cca->B, &x, NULL));
  PetscCall(MatCreateVecs(view ? cca->Y : cca->X, v, NULL));
  PetscCall(VecGetOwnershipRange(*v, &first, &last));
  PetscCall(ISCreateStride(PetscObjectComm((PetscObject)cca), last - first, first + (view ? cca->d[0] : 0), 1, &from));
  PetscCall(VecScatterCreate(x, from, *v, NULL, part));
  PetscCall(ISDestroy(&from));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All of a dense matrix, by columns, on every rank */
PetscErrorCode CCAGatherDense_Private(Mat U, PetscInt d, PetscInt k, PetscScalar *all)
{
  const PetscScalar *u;
  const PetscInt    *ranges;
  PetscInt           ld;
  PetscMPIInt        size, rank, *counts, *displs;
  MPI_Comm           comm = PetscObjectComm((PetscObject)U);

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(MatGetOwnershipRanges(U, &ranges));
  PetscCall(PetscMalloc2(size, &counts, size, &displs));
  for (PetscMPIInt r = 0; r < size; r++) {
    PetscCall(PetscMPIIntCast(ranges[r + 1] - ranges[r], &counts[r]));
    PetscCall(PetscMPIIntCast(ranges[r], &displs[r]));
  }
  PetscCall(MatDenseGetLDA(U, &ld));
  PetscCall(MatDenseGetArrayRead(U, &u));
  for (PetscInt j = 0; j < k; j++) PetscCallMPI(MPI_Allgatherv(u + j * ld, counts[rank], MPIU_SCALAR, all + j * d, counts, displs, MPIU_SCALAR, comm));
  PetscCall(MatDenseRestoreArrayRead(U, &u));
  PetscCall(PetscFree2(counts, displs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCASetUpInner_Private - Defaults of a solver for least squares, where the user has said nothing else: its type, and how much
   work it does. The stochastic methods make a number of stages, without the product that would only tell the residual at the
   end; all others go down to a tolerance, relative to the residual of the warm start.
*/
PetscErrorCode CCASetUpInner_Private(CCA cca, KSP ksp, KSPType type, PetscInt stages, PetscReal inner)
{
  PetscErrorCode (*stochastic)(KSP, PetscInt) = NULL;
  PetscReal rtol, atol, dtol;
  PetscInt  maxit;
  PetscBool set[3];
  PC        pc;

  PetscFunctionBegin;
  (void)cca;
  PetscCall(KSPGetPC(ksp, &pc));
  if (!((PetscObject)ksp)->type_name) PetscCall(KSPSetType(ksp, type));
  if (!((PetscObject)pc)->type_name) PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(KSPGetTolerances(ksp, &rtol, &atol, &dtol, &maxit));
  set[0] = (PetscBool)(rtol != (PetscReal)1e-5); /* a KSP's own defaults */
  set[1] = (PetscBool)(maxit != 10000);
  PetscCall(KSPSetFromOptions(ksp));
  for (int i = 0; i < 3; i++) {
    const char *const names[] = {"-ksp_rtol", "-ksp_max_it", "-ksp_norm_type"};
    PetscBool         given;

    PetscCall(PetscOptionsHasName(((PetscObject)ksp)->options, ((PetscObject)ksp)->prefix, names[i], &given));
    set[i] = i == 2 ? given : (PetscBool)(set[i] || given);
  }
  PetscCall(KSPGetTolerances(ksp, &rtol, &atol, &dtol, &maxit));
  PetscCall(PetscObjectQueryFunction((PetscObject)ksp, "KSPStochasticSetSeed_C", &stochastic));
  if (stochastic) {
    if (!set[1]) PetscCall(KSPSetTolerances(ksp, rtol, atol, dtol, stages));
    if (!set[0] && !set[2]) PetscCall(KSPSetNormType(ksp, KSP_NORM_NONE));
  } else if (!set[0]) PetscCall(KSPSetTolerances(ksp, inner, atol, 1e30, maxit));
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
