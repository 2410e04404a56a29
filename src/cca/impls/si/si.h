/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What the CCA types "si" and "lazy" share: shift-and-invert for the leading pair of (A_s,B), where A_s is A without the s pairs
   that "lazy" has found already (s = 0 for "si").
*/
#pragma once

#include <slepcnapi/private/ccaimpl.h>

typedef struct {
  /* what the user chooses */
  PetscReal delta;   /* estimate of the gap rho_1 - rho_2 */
  PetscReal epsilon; /* of the accuracy of the solves */
  PetscInt  m1;      /* solves before the shift is moved */

  /* made in set-up */
  Mat       M;  /* lambda B - A, a MATGRAM */
  Mat       op; /* lambda B - A_s: M itself, or a shell */
  PetscReal lambda;
  BV        W[2], AW[2], BW[2]; /* scratch: the parts of w, A_s w and B w in each view */
  Vec       w, Aw, Bw, z, r;    /* the iterate, w'B w = 2, A_s w, B w; the solution of (lambda B - A_s) z = B w; residual */

  /* of pairs that are taken off */
  PetscInt     s;
  BV           X, AX, BX; /* X'B X = I */
  PetscScalar *T, *c, *e; /* X'A X, leading dimension k; scratch */
  PetscReal    sum;       /* of their correlations */

  PetscInt shifts; /* by which lambda was moved, in the last solution */
} CCA_SI;

SLEPC_INTERN PetscErrorCode CCASISetUp_Private(CCA, PetscBool);
SLEPC_INTERN PetscErrorCode CCASIDeflate_Private(CCA_SI *, Vec, Vec);
SLEPC_INTERN PetscErrorCode CCASIStart_Private(CCA, PetscInt);
SLEPC_INTERN PetscErrorCode CCASIFind_Private(CCA, PetscInt, PetscReal, PetscReal *);
SLEPC_INTERN PetscErrorCode CCASIHandOver_Private(CCA, PetscInt);
SLEPC_INTERN PetscErrorCode CCASICreate_Private(CCA, KSPType);
