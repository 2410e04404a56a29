/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Upper tails of distributions, with about 13 digits also where they are tiny: what a p-value is made of.
*/
#pragma once

#include <slepcsys.h>

SLEPC_EXTERN PetscReal NAPIIncompleteBeta(PetscReal, PetscReal, PetscReal); /* I_x(a,b), regularised */
SLEPC_EXTERN PetscReal NAPIIncompleteGamma(PetscReal, PetscReal);           /* Q(a,x), regularised, the upper one */
SLEPC_EXTERN PetscReal NAPITailF(PetscReal, PetscReal, PetscReal);          /* P(F > f), with df1 and df2 degrees of freedom */
SLEPC_EXTERN PetscReal NAPITailChiSquare(PetscReal, PetscReal);             /* P(C > c), with df degrees of freedom */
