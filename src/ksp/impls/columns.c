/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What KSP types share that solve for many columns at once.
*/
#include <slepcnapi/private/kspcolumns.h>
#include <slepcnapi/private/napicompat.h>

PetscErrorCode KSPColumnsGetRHS(KSP ksp, Mat B, const PetscScalar **b, PetscInt *ld)
{
  PetscFunctionBegin;
  if (B) {
    PetscCall(MatDenseGetLDA(B, ld));
    PetscCall(MatDenseGetArrayRead(B, b));
  } else {
    PetscCall(VecGetLocalSize(ksp->vec_rhs, ld));
    PetscCall(VecGetArrayRead(ksp->vec_rhs, b));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KSPColumnsRestoreRHS(KSP ksp, Mat B, const PetscScalar **b)
{
  PetscFunctionBegin;
  if (B) PetscCall(MatDenseRestoreArrayRead(B, b));
  else PetscCall(VecRestoreArrayRead(ksp->vec_rhs, b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KSPColumnsGetSolution(KSP ksp, Mat X, PetscScalar **x, PetscInt *ld)
{
  PetscFunctionBegin;
  if (X) {
    PetscCall(MatDenseGetLDA(X, ld));
    PetscCall(MatDenseGetArray(X, x));
  } else {
    PetscCall(VecGetLocalSize(ksp->vec_sol, ld));
    PetscCall(VecGetArray(ksp->vec_sol, x));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KSPColumnsRestoreSolution(KSP ksp, Mat X, PetscScalar **x)
{
  PetscFunctionBegin;
  if (X) PetscCall(MatDenseRestoreArray(X, x));
  else PetscCall(VecRestoreArray(ksp->vec_sol, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   KSPColumnsTest - Every column has to fall below max(rtol*its reference norm, abstol). One number stands for all of them:
   the worst reduction of a column that is above abstol, times the largest reference norm; where all columns are below
   abstol, the largest norm. It is at most max(rtol*largest reference norm, abstol) if and only if every column is
   where it has to be, it is the norm itself for one column, and it never depends on the scales of the columns. This is
   what monitors, the history and the convergence test see; vec_rhs and vec_sol are those of the worst column meanwhile.

   B, X   - right-hand sides and solutions of KSPMatSolve(), or NULL
   norm   - p of them, as they are now
   ref    - what each is compared with
   scale  - the largest reference norm at the beginning
   report - whether monitors and history are to see it
*/
PetscErrorCode KSPColumnsTest(KSP ksp, Mat B, Mat X, PetscInt p, const PetscReal norm[], const PetscReal ref[], PetscReal scale, PetscBool report)
{
  PetscReal q, largest = 0.0, reduction = -1.0, rho, nan = 0.0;
  PetscInt  l, worst = 0;
  PetscBool guess_zero = ksp->guess_zero;
  Vec       rhs = ksp->vec_rhs, sol = ksp->vec_sol, b, x;

  PetscFunctionBegin;
  for (l = 0; l < p; l++) {
    if (PetscIsInfOrNanReal(norm[l])) nan = norm[l] - norm[l]; /* not a number, of Inf too */
    largest = PetscMax(largest, norm[l]);
    if (norm[l] > ksp->abstol) {
      q = ref[l] > 0.0 ? norm[l] / ref[l] : PETSC_INFINITY;
      if (q > reduction) {
        reduction = q;
        worst     = l;
      }
    }
  }
  rho        = (reduction >= 0.0 ? reduction * scale : largest) + nan;
  ksp->rnorm = rho;

  if (X) {
    PetscCall(MatDenseGetColumnVecRead(B, worst, &b));
    PetscCall(MatDenseGetColumnVecRead(X, worst, &x));
    ksp->vec_rhs = b;
    ksp->vec_sol = x;
  }
  if (report) {
    PetscCall(KSPLogResidualHistory(ksp, rho));
    PetscCall(KSPMonitor(ksp, ksp->its, rho));
  }
  /* KSPConvergedDefault() would compute norms of the right-hand side again, all columns in one */
  if (ksp->converged == KSPConvergedDefault) ksp->guess_zero = PETSC_TRUE;
  PetscCall((*ksp->converged)(ksp, ksp->its, rho, &ksp->reason, ksp->cnvP));
  ksp->guess_zero = guess_zero;
  if (X) {
    ksp->vec_rhs = rhs;
    ksp->vec_sol = sol;
    PetscCall(MatDenseRestoreColumnVecRead(X, worst, &x));
    PetscCall(MatDenseRestoreColumnVecRead(B, worst, &b));
  }
  if (!ksp->its && ksp->converged == KSPConvergedDefault && ksp->normtype != KSP_NORM_NONE) {
    ksp->rnorm0 = scale;
    ksp->ttol   = PetscMax(ksp->rtol * ksp->rnorm0, ksp->abstol);
    if ((!ksp->reason || ksp->reason == KSP_CONVERGED_RTOL) && ksp->chknorm < 0) ksp->reason = rho <= ksp->ttol ? KSP_CONVERGED_RTOL : KSP_CONVERGED_ITERATING;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
