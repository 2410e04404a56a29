/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Ridges that outweigh the samples: the factor that svrg and saga leave unmultiplied falls below what numbers can hold several
   times a stage, and has to be multiplied out. Against Cholesky, on any number of ranks, with one column and many.
*/
#include "samples.h"

static const Samples cases[] = {
  {"one sparse view",                     400, {17, 0}, {PETSC_FALSE, PETSC_FALSE}, PETSC_FALSE, PETSC_FALSE, 1, 0,  1,   40,  0,   .3, 1, -1},
  {"a sparse and a dense view, centered", 400, {12, 9}, {PETSC_FALSE, PETSC_TRUE},  PETSC_TRUE,  PETSC_FALSE, 1, 0,  1,   60,  50,  .4, 1, -1},
  {"coupled views, centered and scaled",  400, {8, 11}, {PETSC_FALSE, PETSC_FALSE}, PETSC_TRUE,  PETSC_TRUE,  2, -1, 1.5, 300, 200, .4, 1, -1},
};

static PetscErrorCode Check(Problem *p, const char *type, PetscInt stage, const char *name)
{
  KSPConvergedReason reason;
  PetscReal          residual, error, worst = 0.0;
  PetscInt           its, P = 5;
  Mat                B, X;
  Vec                b, x, column;
  KSP                ksp;

  PetscFunctionBeginUser;
  PetscCall(SamplesSolver(p->G, type, 1e-10, 30, &ksp));
  PetscCall(KSPStochasticSetStageLength(ksp, stage));
  PetscCall(Rhs(p->G, 0, &b, &x));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  PetscCall(Errors(p, 0, x, &residual, &error, NULL, NULL));
  PetscCall(TapOk((PetscBool)(reason == KSP_CONVERGED_RTOL && residual <= 1.0001e-10 && error <= 1e-9), "%s, stages of %d steps: %s", type, (int)stage, name));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s, %d stages, residual %.2g, error %.2g\n", KSPConvergedReasons[reason], (int)its, (double)residual, (double)error));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(RhsBlock(p, P, &B, &X));
  PetscCall(KSPMatSolve(ksp, B, X));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  for (PetscInt k = 0; k < P; k++) {
    PetscCall(MatDenseGetColumnVecRead(X, k, &column));
    PetscCall(Errors(p, k, column, &residual, NULL, NULL, NULL));
    PetscCall(MatDenseRestoreColumnVecRead(X, k, &column));
    worst = TapWorst(worst, residual);
  }
  PetscCall(TapOk((PetscBool)(reason == KSP_CONVERGED_RTOL && worst <= 1.0001e-10), "%s, stages of %d steps: %s, %d columns", type, (int)stage, name, (int)P));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&X));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const types[] = {KSPSVRG, KSPKATYUSHA, KSPSAGA, KSPSDCA};

  PetscFunctionBeginUser;
  PetscCall(TapBegin(&argc, &argv));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(cases); i++) {
    Problem p;

    PetscCall(ProblemCreate(&cases[i], &p));
    for (size_t t = 0; t < PETSC_STATIC_ARRAY_LENGTH(types); t++) {
      PetscCall(Check(&p, types[t], cases[i].n, cases[i].name));
      PetscCall(Check(&p, types[t], 6000, cases[i].name)); /* saga's steps are a third as long: its factor takes longer */
    }
    PetscCall(ProblemDestroy(&p));
  }
  return TapEnd();
}
