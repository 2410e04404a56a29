/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Most EPS types stop by ||r||/(|lambda| ||x||). Where another residual has to be small, and is not, they are asked again with a
   smaller tolerance of their own. A solve that did not converge ends this: with a smaller tolerance it would not either.
*/
#pragma once

#include <slepcsys.h>

#define NAPI_TIGHTEN_SOLVES 12 /* at most: each gains half a digit at least, so that a tolerance wrong by 1e5 comes right */

/* After so many solves the worst residual is this, not what is wanted: the tolerance of the next, FALSE if there is to be none */
static inline PetscBool NAPITighten(PetscInt solves, PetscReal wanted, PetscReal worst, PetscReal *tol)
{
  if (worst <= wanted || solves >= NAPI_TIGHTEN_SOLVES) return PETSC_FALSE;
  /* by sqrt(10), or nearly by the factor that is missing: more would make the last solve dearer than it has to be */
  *tol *= PetscMin(1.0 / PetscSqrtReal(10.0), 3.0 * wanted / worst);
  return PETSC_TRUE;
}
