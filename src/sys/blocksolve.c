/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Systems with the active columns of a BV as right-hand sides, for KSPs that take them all at once and for those that do not.
*/
#include <slepcnapi/private/napiwindow.h>
#include <slepcnapi.h>
#include <petsc/private/kspimpl.h>

/*
   NAPIBlockSolve - D ~ B^{-1} R to a relative tolerance, in at most maxit iterations. The KSP keeps these tolerances.

   BD         - if not NULL, B D = R - E from the residual E that block CG knows
   iterations - of all columns together
   reason     - how it ended
*/
PetscErrorCode NAPIBlockSolve(KSP ksp, BV R, BV D, BV BD, PetscReal rtol, PetscInt maxit, PetscInt *iterations, KSPConvergedReason *reason)
{
  PetscReal atol, dtol;
  PetscInt  before, after, n;
  Mat       r, d, e;

  PetscFunctionBegin;
  PetscCall(KSPGetTolerances(ksp, NULL, &atol, &dtol, NULL));
  PetscCall(KSPSetTolerances(ksp, rtol, atol, dtol, maxit));
  PetscCall(KSPGetTotalIterations(ksp, &before));
  PetscCall(BVGetMat(R, &r));
  PetscCall(BVGetMat(D, &d));
  PetscCall(KSPMatSolve(ksp, r, d));
  PetscCall(MatGetSize(r, NULL, &n));
  PetscCall(BVRestoreMat(D, &d));
  PetscCall(BVRestoreMat(R, &r));
  PetscCall(KSPGetTotalIterations(ksp, &after));
  PetscCall(KSPGetConvergedReason(ksp, reason));
  *iterations = (after - before) * (ksp->ops->matsolve ? n : 1);
  if (BD) {
    PetscCall(BVCopy(R, BD));
    PetscCall(BVGetMat(BD, &d));
    PetscCall(KSPBlockCGGetResidual(ksp, &e));
    PetscCall(MatAXPY(d, -1.0, e, SAME_NONZERO_PATTERN));
    PetscCall(BVRestoreMat(BD, &d));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NAPIBlockPrecondition - D := M^{-1} R, M being the preconditioner of a KSP: what its first iterate spans */
PetscErrorCode NAPIBlockPrecondition(KSP ksp, BV R, BV D)
{
  Mat r, d;
  PC  pc;

  PetscFunctionBegin;
  PetscCall(KSPSetUp(ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(BVGetMat(R, &r));
  PetscCall(BVGetMat(D, &d));
  PetscCall(PCMatApply(pc, r, d));
  PetscCall(BVRestoreMat(D, &d));
  PetscCall(BVRestoreMat(R, &r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIBlockCosts - What a step costs for each column, in products with A or B, counted rather than timed. A preconditioner that is diagonal
   costs next to nothing, an incomplete factorisation about as much as a product, a V-cycle as much as its smoothing and residuals.

   joint - the products with A and B after a single iteration are made in one sweep
   once  - a step with one iteration
   each  - an iteration, where there are several
*/
PetscErrorCode NAPIBlockCosts(KSP ksp, PetscBool joint, PetscReal *once, PetscReal *each)
{
  const PetscReal factors = 1.0, cycle = 5.0;
  PetscBool       diagonal, multigrid;
  PC              pc;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &diagonal, PCNONE, PCJACOBI, PCPBJACOBI, PCVPBJACOBI, ""));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &multigrid, PCMG, PCGAMG, PCHYPRE, PCML, ""));
  *each = 1.0 + (diagonal ? 0.0 : multigrid ? cycle : factors);
  *once = *each + (joint ? NAPI_JOINT - 1.0 : 1.0);
  PetscFunctionReturn(PETSC_SUCCESS);
}
