/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Matrix-free pairs: with and without a diagonal, with and without a shift; and EPSNAPIGetApplications() counts what the
   user's functions see.
*/
#include "pairs.h"

#define N 16

static PetscErrorCode Solve(Mat A, Mat B, PetscBool diagonal, PetscReal shift, PetscInt momentum, KSPType type, const PetscReal known[])
{
  char      what[128];
  Shell     a, b;
  Mat       SA, SB;
  PetscInt  acols, bcols, inner;
  PetscBool right;
  EPS       eps;
  ST        st;
  KSP       ksp;
  PC        pc;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(what, sizeof(what), "%s, shell %s diagonal, shift %g, KSP %s", EPSNAPIMomentums[momentum], diagonal ? "with" : "without", (double)shift, type ? type : "by default"));
  PetscCall(ShellCreate(A, diagonal, &a, &SA));
  PetscCall(ShellCreate(B, diagonal, &b, &SB));
  PetscCall(SolverCreate(SA, SB, 2, (EPSNAPIMomentum)momentum, &eps));
  PetscCall(EPSSetTolerances(eps, 1e-7, PETSC_DEFAULT));
  PetscCall(EPSGetST(eps, &st));
  PetscCall(STSetShift(st, shift));
  PetscCall(STGetKSP(st, &ksp));
  if (type) PetscCall(KSPSetType(ksp, type));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSNAPIGetApplications(eps, &acols, &bcols, &inner));
  PetscCall(TapOk((PetscBool)(acols == a.products), "%s: A is applied to %d columns", what, (int)acols));
  if (acols != a.products) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %d in fact\n", (int)a.products));
  /* a shifted product applies B as well; block CG may need less than one product a column and iteration */
  if (shift == 0.0 && type) {
    PetscCall(TapOk((PetscBool)(bcols + inner == b.products), "%s: B is applied to %d columns and in %d inner iterations", what, (int)bcols, (int)inner));
    if (bcols + inner != b.products) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %d in fact\n", (int)b.products));
  } else PetscCall(TapOk((PetscBool)(bcols > 0 && inner > 0 && bcols < b.products), "%s: B is applied", what));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, diagonal ? PCJACOBI : PCNONE, &right));
  PetscCall(TapOk(right, "%s: the preconditioner is %s", what, diagonal ? PCJACOBI : PCNONE));
  PetscCall(TapPairs(eps, A, B, 2, N, known, 1e-9, what));
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&SA));
  PetscCall(MatDestroy(&SB));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A preconditioner the user has named stays, even where the default would not do */
static PetscErrorCode Named(Mat A, Mat B, const PetscReal known[])
{
  Shell     a, b;
  Mat       SA, SB;
  PetscBool right;
  EPS       eps;
  ST        st;
  KSP       ksp;
  PC        pc;

  PetscFunctionBegin;
  PetscCall(ShellCreate(A, PETSC_TRUE, &a, &SA));
  PetscCall(ShellCreate(B, PETSC_TRUE, &b, &SB));
  PetscCall(PetscOptionsInsertString(NULL, "-st_pc_type none"));
  PetscCall(SolverCreate(SA, SB, 2, EPS_NAPI_MOMENTUM_ADAPTIVE, &eps));
  PetscCall(EPSSetTolerances(eps, 1e-7, PETSC_DEFAULT));
  PetscCall(EPSSetFromOptions(eps));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetST(eps, &st));
  PetscCall(STGetKSP(st, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCNONE, &right));
  PetscCall(TapOk(right, "a preconditioner named by the user stays"));
  PetscCall(TapPairs(eps, A, B, 2, N, known, 1e-9, "and the answer is right"));
  PetscCall(PetscOptionsClearValue(NULL, "-st_pc_type"));
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&SA));
  PetscCall(MatDestroy(&SB));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscReal known[N];
  PetscInt  i, m, diagonal;
  Mat       A, B;

  PetscCall(TapBegin(&argc, &argv));
  for (i = 0; i < N; i++) known[i] = FemValue(N, i);
  PetscCall(PairFem(N, &A, &B));
  for (m = 0; m < Momenta(); m++) {
    if (m == EPS_NAPI_MOMENTUM_FIXED) continue;
    for (diagonal = 0; diagonal < 2; diagonal++) {
      PetscCall(Solve(A, B, (PetscBool)diagonal, 0.0, m, NULL, known));
      PetscCall(Solve(A, B, (PetscBool)diagonal, 0.0, m, KSPCG, known));
      PetscCall(Solve(A, B, (PetscBool)diagonal, known[N - 1], m, NULL, known));
    }
  }
  PetscCall(Named(A, B, known));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  return TapEnd();
}
