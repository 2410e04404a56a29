/* SPDX-License-Identifier: BSD-2-Clause */
/*
   A negative definite B with EPS_GHEP: as A x = lambda B x is (-A) x = lambda (-B) x, both signs are changed, in silence, and the user's
   matrices are what they were. An indefinite B is refused.
*/
#include "modes.h"

#define N 90

static PetscMPIInt size;

/* The judge's problem has -A and a positive definite B; what the solver gets has the opposite signs */
static PetscErrorCode Negative(EPSWhich which, PetscReal target, STType type, EPSNAPIMomentum momentum, PetscBool functions, const char *what)
{
  PetscReal d[N], error, norm;
  PetscInt  nconv = 0;
  Problem   p;
  EPS       eps;
  Mat       A, B, before[2], given[2];
  Shell     a, b;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < N; i++) d[i] = 1.0 + 1.3 * ((37 * i) % N);
  if (which == EPS_LARGEST_MAGNITUDE)
    for (PetscInt i = 0; i < N; i++) d[i] = (i % 3 ? -1.0 : 1.0) * 10.0 * PetscPowReal(0.85, i);
  PetscCall(ProblemGiven(N, d, 0.5, 3, which, target, &p));
  PetscCall(MatDuplicate(p.A, MAT_COPY_VALUES, &A));
  PetscCall(MatDuplicate(p.B, MAT_COPY_VALUES, &B));
  PetscCall(MatScale(A, -1.0));
  PetscCall(MatScale(B, -1.0));
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &before[0]));
  PetscCall(MatDuplicate(B, MAT_COPY_VALUES, &before[1]));
  PetscCall(SolverTransformed(&p, type, &eps));
  if (functions) {
    PetscCall(ShellCreate(A, PETSC_TRUE, &a, &given[0]));
    PetscCall(ShellCreate(B, PETSC_TRUE, &b, &given[1]));
    PetscCall(EPSSetOperators(eps, given[0], given[1]));
  } else PetscCall(EPSSetOperators(eps, A, B));
  PetscCall(EPSNAPISetMomentum(eps, momentum));
  PetscCall(TapRight(eps, &p, "%s", what));
  PetscCall(EPSGetConverged(eps, &nconv));
  if (nconv) {
    PetscCall(EPSComputeError(eps, 0, EPS_ERROR_RELATIVE, &error));
    PetscCall(TapOk((PetscBool)(error < 1e-6), "  EPSComputeError(), with the user's matrices, agrees"));
  }
  for (int m = 0; m < 2; m++) {
    PetscCall(MatAXPY(before[m], -1.0, m ? B : A, SAME_NONZERO_PATTERN));
    PetscCall(MatNorm(before[m], NORM_FROBENIUS, &norm));
    PetscCall(TapOk((PetscBool)(norm == 0.0), "  %s is what it was", m ? "B" : "A"));
    PetscCall(MatDestroy(&before[m]));
    if (functions) PetscCall(MatDestroy(&given[m]));
  }
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscCall(ProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* B = diag with a few or half of its entries negative, all known; A the identity plus a tridiagonal: definite */
static PetscErrorCode Indefinite(PetscInt every, PetscReal entry, EPSWhich which, STType type, const char *what)
{
  PetscErrorCode     code   = PETSC_SUCCESS;
  EPSConvergedReason reason = EPS_CONVERGED_ITERATING;
  PetscInt           first, last, nconv = 0;
  PetscBool          pass;
  EPS                eps;
  Mat                A, B;
  ST                 st;

  PetscFunctionBegin;
  PetscCall(Tridiagonal(N, 3.0, -Phase(0.7), &A));
  PetscCall(Identity(N, &B));
  PetscCall(MatGetOwnershipRange(B, &first, &last));
  for (PetscInt i = first; i < last; i++) PetscCall(MatSetValue(B, i, i, i % every ? 1.0 + 0.01 * (PetscReal)i : entry, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
  PetscCall(SolverFor(A, B, 3, which, &eps));
  PetscCall(EPSGetST(eps, &st));
  if (type) PetscCall(STSetType(st, type));
  if (which == EPS_TARGET_MAGNITUDE) PetscCall(EPSSetTarget(eps, 0.0));
  PetscCall(EPSSetTolerances(eps, PETSC_DEFAULT, 1000));
  PetscCall(Attempt(eps, &code));
  if (!code) {
    PetscCall(EPSGetConvergedReason(eps, &reason));
    PetscCall(EPSGetConverged(eps, &nconv));
  }
  pass = (PetscBool)(code ? IsRefusal(code) : reason < 0);
  PetscCall(TapOk(pass, "%s", what));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s %s, %d converged\n", code ? "error:" : "reason:", code ? failure : EPSConvergedReasons[reason], (int)nconv));
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(TapBegin(&argc, &argv));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(Negative(EPS_LARGEST_MAGNITUDE, 0.0, NULL, EPS_NAPI_MOMENTUM_OPTIMAL, PETSC_FALSE, "largest magnitude"));
  PetscCall(Negative(EPS_LARGEST_REAL, 0.0, NULL, EPS_NAPI_MOMENTUM_OPTIMAL, PETSC_FALSE, "largest real"));
  PetscCall(Negative(EPS_SMALLEST_REAL, 0.0, NULL, EPS_NAPI_MOMENTUM_OPTIMAL, PETSC_FALSE, "smallest real"));
  PetscCall(Negative(EPS_SMALLEST_MAGNITUDE, 0.0, NULL, EPS_NAPI_MOMENTUM_OPTIMAL, PETSC_FALSE, "smallest magnitude"));
  PetscCall(Negative(EPS_TARGET_MAGNITUDE, 0.0, STSINVERT, EPS_NAPI_MOMENTUM_OPTIMAL, PETSC_FALSE, "sinvert at 0"));
  PetscCall(Negative(EPS_TARGET_MAGNITUDE, -2.0, STSINVERT, EPS_NAPI_MOMENTUM_OPTIMAL, PETSC_FALSE, "sinvert below"));
  PetscCall(Negative(EPS_TARGET_MAGNITUDE, 121.0, STSINVERT, EPS_NAPI_MOMENTUM_OPTIMAL, PETSC_FALSE, "sinvert above"));
  PetscCall(Negative(EPS_TARGET_MAGNITUDE, 0.0, NULL, EPS_NAPI_MOMENTUM_OPTIMAL, PETSC_FALSE, "a target and no ST"));
  PetscCall(Negative(EPS_LARGEST_MAGNITUDE, 0.0, NULL, EPS_NAPI_MOMENTUM_ADAPTIVE, PETSC_FALSE, "adaptive, largest magnitude"));
  PetscCall(Negative(EPS_LARGEST_MAGNITUDE, 0.0, NULL, EPS_NAPI_MOMENTUM_NONE, PETSC_FALSE, "none, largest magnitude"));
  PetscCall(Negative(EPS_TARGET_MAGNITUDE, 0.0, STSINVERT, EPS_NAPI_MOMENTUM_ADAPTIVE, PETSC_FALSE, "adaptive, sinvert at 0"));
  PetscCall(Negative(EPS_LARGEST_MAGNITUDE, 0.0, NULL, EPS_NAPI_MOMENTUM_OPTIMAL, PETSC_TRUE, "functions, largest magnitude"));
  PetscCall(Negative(EPS_TARGET_MAGNITUDE, -1.0, STSINVERT, EPS_NAPI_MOMENTUM_OPTIMAL, PETSC_TRUE, "functions, sinvert below"));
  for (int few = 0; few < 2; few++) {
    PetscInt every = few ? 30 : 2;

    PetscCall(Indefinite(every, -1.0, EPS_LARGEST_MAGNITUDE, NULL, few ? "three of 90 negative, largest magnitude: refused" : "half of B negative, largest magnitude: refused"));
    PetscCall(Indefinite(every, -1.0, EPS_SMALLEST_REAL, NULL, few ? "three of 90 negative, smallest real: refused" : "half of B negative, smallest real: refused"));
    PetscCall(Indefinite(every, -1.0, EPS_TARGET_MAGNITUDE, STSINVERT, few ? "three of 90 negative, sinvert at 0: refused" : "half of B negative, sinvert at 0: refused"));
    PetscCall(Indefinite(every, -100.0, EPS_TARGET_MAGNITUDE, STSINVERT, few ? "three of 90 very negative, sinvert at 0: refused" : "half of B very negative, sinvert at 0: refused"));
  }
  return TapEnd();
}
