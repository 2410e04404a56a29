/* SPDX-License-Identifier: BSD-2-Clause */
/*
   One view on one rank, for blocks of CCA_WIDTH vectors at a time: all samples, and a sketch of the covariance that bounds it from below. Blocks are stored by
   rows: entry j of vector c is u[j * CCA_WIDTH + c].
*/
#pragma once

#include <slepcnapi/private/ccapermute.h>

#define CCA_WIDTH 8 /* vectors that go through the data together: 64 bytes, one cache line */

typedef struct {
  PetscInt           n, d;
  PetscBool          sparse;
  Mat                all; /* all samples, SEQAIJ or SEQDENSE */
  const PetscInt    *ia, *ja;
  const PetscScalar *a;
  PetscInt           lda;
  PetscScalar       *mean;
  PetscReal         *scale, *share, ridge;
  PetscScalar       *scaled; /* scratch, d x CCA_WIDTH */
  PetscInt           m;      /* the sketch: S >= ridge I + Q diag(lambda) Q', Q of d x m with orthonormal columns */
  PetscScalar       *Q, *c;  /* c: scratch, CCA_WIDTH x m */
  PetscReal         *lambda;
} CCASketched;

SLEPC_INTERN PetscErrorCode CCASketchedCreate_Private(CCA, int, CCASketched *);
SLEPC_INTERN PetscErrorCode CCASketchedDestroy_Private(CCASketched *);
SLEPC_INTERN PetscErrorCode CCASketchedScores_Private(CCASketched *, const PetscScalar *, PetscScalar *);
SLEPC_INTERN PetscErrorCode CCASketchedBack_Private(CCASketched *, PetscScalar *, PetscScalar *);
SLEPC_INTERN PetscErrorCode CCASketchedPower_Private(CCASketched *, PetscReal, const PetscScalar *, PetscScalar *);
