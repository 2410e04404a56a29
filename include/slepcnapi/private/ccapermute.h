/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What the files of the permutation test share. Each rank has all samples and does some of the permutations for itself, so that nothing
   is sent until the counts are added up in the end.
*/
#pragma once

#include <slepcnapi/private/ccaimpl.h>
#include <slepcnapi/private/napidense.h>

/* Correlations that agree to so many digits are ties, which count against the observed one */
#define CCA_PERMUTE_TIE 1e-10

/* A generator that is the same on every machine and begins anew for every permutation: SplitMix64 */
typedef struct {
  unsigned long long state;
} CCARandom;

/* Which samples may be exchanged with which: members[begin[c]..begin[c+1]-1] with each other, for each class c */
typedef struct {
  PetscInt  n, classes;
  PetscInt *begin, *members;
} CCAExchange;

/* The test of the k observed correlations rho against N permutations */
typedef struct {
  PetscInt         N, seed, k;
  CCAExchange      exchange;
  const PetscReal *rho;
  PetscReal       *null;      /* k for each permutation: the correlation of the rest from pair i on, or a bound of it */
  PetscInt        *above;     /* of each pair: permutations whose correlation is not below the observed one, or may not be */
  PetscInt         undecided; /* how many of them may not be */
  PetscBool        exact;     /* null has the correlations themselves, not bounds */
  PetscInt        *decided;   /* of each permutation: whether it counts, which it does unless the work was stopped before */
  PetscBool        stopped;   /* the work is to end */
  PetscBool        told;      /* it was this rank that the user's function told, and that has sent word to the others */
  PetscMPIInt      tag;       /* of the message */
  MPI_Request     *sent;
} CCAPermutation;

SLEPC_INTERN void           CCARandomBegin_Private(CCARandom *, PetscInt, PetscInt, PetscInt);
SLEPC_INTERN PetscReal      CCARandomNormal_Private(CCARandom *);
SLEPC_INTERN PetscErrorCode CCAPermutationDraw_Private(const CCAPermutation *, PetscInt, PetscInt[]);
SLEPC_INTERN PetscErrorCode CCAPermutationPoll_Private(CCA, CCAPermutation *);
SLEPC_INTERN PetscErrorCode CCAPermutationEndPoll_Private(CCA, CCAPermutation *);
SLEPC_INTERN PetscErrorCode CCAGetShares_Private(CCA, PetscReal[]);
SLEPC_INTERN PetscErrorCode CCAWhitenedScores_Private(CCA, PetscScalar *[2], PetscInt[2]);
SLEPC_INTERN PetscErrorCode CCAPermuteDense_Private(CCA, CCAPermutation *);
SLEPC_INTERN PetscErrorCode CCAPermuteLarge_Private(CCA, CCAPermutation *);
