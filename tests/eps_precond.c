/* SPDX-License-Identifier: BSD-2-Clause */
/*
   STPRECOND, as lobpcg, gd and jd have it: the preconditioner of A, or A - sigma B, expands the basis, and B is only multiplied by, so
   that zero rows in it do no harm. No inner iterations, and what is counted is what was done.
*/
#include "modes.h"

static PetscMPIInt size;

static const char *const pcs[] = {PCJACOBI, PCBJACOBI, PCGAMG, PCICC, PCLU, PCCHOLESKY};

static PetscErrorCode Use(EPS eps, PCType type)
{
  ST  st;
  KSP ksp;
  PC  pc;

  PetscFunctionBegin;
  PetscCall(EPSGetST(eps, &st));
  PetscCall(STGetKSP(st, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Smallest(void)
{
  Problem p;
  EPS     eps;

  PetscFunctionBegin;
  for (int i = 0; i < (size > 1 ? 3 : 6); i++) {
    if (PetscDefined(USE_COMPLEX) && (i == 3 || i == 5)) continue;
    for (int w = 0; w < 4; w++) {
      PetscCall(ProblemMembrane(19, 16, 0.0, (PetscBool)(w < 3), 4, w == 1 ? EPS_TARGET_MAGNITUDE : w == 2 ? EPS_SMALLEST_MAGNITUDE : EPS_SMALLEST_REAL, &p));
      p.target = -5.0;
      PetscCall(SolverTransformed(&p, STPRECOND, &eps));
      PetscCall(Use(eps, pcs[i]));
      PetscCall(TapRight(eps, &p, "%s, %s", w == 0 ? "smallest real" : w == 1 ? "a target below" : w == 2 ? "smallest magnitude" : "smallest real, standard", pcs[i]));
      PetscCall(EPSDestroy(&eps));
      PetscCall(ProblemDestroy(&p));
    }
  }
  /* the default preconditioner; the largest, which are preconditioned by B; by options */
  for (int w = 0; w < 5; w++) {
    static const EPSWhich whichs[] = {EPS_SMALLEST_REAL, EPS_LARGEST_REAL, EPS_LARGEST_MAGNITUDE, EPS_LARGEST_REAL, EPS_SMALLEST_REAL};

    PetscCall(ProblemMembrane(17, 15, 0.0, (PetscBool)(w != 3), 3, whichs[w], &p));
    PetscCall(SolverTransformed(&p, w < 4 ? STPRECOND : NULL, &eps));
    if (w == 4) {
      PetscCall(EPSSetOptionsPrefix(eps, "p_"));
      PetscCall(PetscOptionsSetValue(NULL, "-p_st_type", "precond"));
      PetscCall(PetscOptionsSetValue(NULL, "-p_st_pc_type", "jacobi"));
      PetscCall(EPSSetFromOptions(eps));
    }
    PetscCall(TapRight(eps, &p, "precond and nothing else: %s%s", w == 0 || w == 4 ? "smallest real" : w == 2 ? "largest magnitude" : "largest real", w == 3 ? ", standard" : w == 4 ? ", by options" : ""));
    PetscCall(EPSDestroy(&eps));
    PetscCall(ProblemDestroy(&p));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ZeroRows(void)
{
  static const PetscReal masses[] = {0.0, 1e-30, 1.0};
  Problem                p;
  EPS                    eps;

  PetscFunctionBegin;
  for (int m = 0; m < 3; m++) {
    for (int i = 0; i < (size > 1 ? 2 : 5); i++) {
      if (i == 2 || (PetscDefined(USE_COMPLEX) && i == 3)) continue;
      PetscCall(ProblemDirichlet(14, 12, masses[m], 4, EPS_SMALLEST_REAL, 0.0, &p));
      PetscCall(SolverTransformed(&p, STPRECOND, &eps));
      PetscCall(Use(eps, pcs[i]));
      PetscCall(TapRight(eps, &p, "boundary rows with %g in B, %s", (double)masses[m], pcs[i]));
      PetscCall(EPSDestroy(&eps));
      PetscCall(ProblemDestroy(&p));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A preconditioner of the user's own, which counts: the diagonal, or nothing */
typedef struct {
  PetscInt applied;
  Vec      diagonal;
} Counter;

static PetscErrorCode CounterApply(PC pc, Vec x, Vec y)
{
  Counter *counter;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &counter));
  counter->applied++;
  if (counter->diagonal) PetscCall(VecPointwiseDivide(y, x, counter->diagonal));
  else PetscCall(VecCopy(x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Counts(void)
{
  PetscInt acols = 0, bcols = 0, inner = 0, its = 0, cost[2] = {0};
  Problem  p;
  EPS      eps;
  ST       st;
  KSP      ksp;
  PC       pc;
  Mat      A, B;
  Shell    a, b;
  Counter  counter;

  PetscFunctionBegin;
  for (int good = 0; good < 2; good++) {
    PetscCall(ProblemMembrane(16, 15, 0.0, PETSC_TRUE, 3, EPS_SMALLEST_REAL, &p));
    PetscCall(MatCreateVecs(p.A, &counter.diagonal, NULL)); /* the poor one: a diagonal that has nothing to do with A */
    if (good) PetscCall(MatGetDiagonal(p.A, counter.diagonal));
    else {
      PetscCall(VecSetRandom(counter.diagonal, NULL));
      PetscCall(VecShift(counter.diagonal, 0.02));
    }
    counter.applied = 0;
    PetscCall(ShellCreate(p.A, PETSC_TRUE, &a, &A));
    PetscCall(ShellCreate(p.B, PETSC_TRUE, &b, &B));
    PetscCall(SolverTransformed(&p, STPRECOND, &eps));
    PetscCall(EPSSetOperators(eps, A, B));
    PetscCall(EPSGetST(eps, &st));
    PetscCall(STGetKSP(st, &ksp));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, PCSHELL));
    PetscCall(PCShellSetContext(pc, &counter));
    PetscCall(PCShellSetApply(pc, CounterApply));
    PetscCall(TapRight(eps, &p, "a preconditioner of one's own, %s", good ? "the diagonal" : "a poor one"));
    PetscCall(EPSNAPIGetApplications(eps, &acols, &bcols, &inner));
    PetscCall(EPSGetIterationNumber(eps, &its));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %d steps, %d columns by A (counted %d), %d by B (counted %d), preconditioned %d, inner iterations %d\n", (int)its, (int)acols, (int)a.products, (int)bcols, (int)b.products, (int)counter.applied, (int)inner));
    PetscCall(TapOk((PetscBool)(counter.applied > 0 && counter.applied <= acols + 2), "  it is applied once for a column"));
    PetscCall(TapOk((PetscBool)(acols == a.products && bcols == b.products), "  the columns counted are those multiplied"));
    PetscCall(TapOk((PetscBool)(inner == 0), "  no inner iterations"));
    cost[good] = acols;
    PetscCall(EPSDestroy(&eps));
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&B));
    PetscCall(VecDestroy(&counter.diagonal));
    PetscCall(ProblemDestroy(&p));
  }
  PetscCall(TapOk((PetscBool)(cost[1] > 0 && cost[1] < cost[0]), "  the better one costs less"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Others(void)
{
  Problem p;
  EPS     eps;
  ST      st;
  Mat     P;

  PetscFunctionBegin;
  /* the user's matrix */
  PetscCall(ProblemMembrane(16, 15, 0.0, PETSC_TRUE, 3, EPS_SMALLEST_REAL, &p));
  PetscCall(MatDuplicate(p.A, MAT_COPY_VALUES, &P));
  PetscCall(MatShift(P, 0.1));
  PetscCall(SolverTransformed(&p, STPRECOND, &eps));
  PetscCall(EPSGetST(eps, &st));
  PetscCall(STSetPreconditionerMat(st, P));
  PetscCall(Use(eps, PCBJACOBI));
  PetscCall(TapRight(eps, &p, "the user's preconditioning matrix"));
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&P));
  PetscCall(ProblemDestroy(&p));
  /* inside the spectrum, and A indefinite */
  for (int w = 0; w < 4; w++) {
    PetscCall(ProblemMembrane(13, 12, w < 2 ? 0.0 : -60.0, PETSC_TRUE, 3, w == 0 ? EPS_TARGET_MAGNITUDE : w == 1 ? EPS_TARGET_REAL : w == 2 ? EPS_SMALLEST_REAL : EPS_SMALLEST_MAGNITUDE, &p));
    p.target = 60.0;
    PetscCall(SolverTransformed(&p, STPRECOND, &eps));
    PetscCall(EPSSetTolerances(eps, PETSC_DEFAULT, 500));
    PetscCall(Use(eps, PCJACOBI));
    PetscCall(TapSound(eps, &p, NULL, NULL, "%s: right, or told", w < 2 ? "a target inside" : "A indefinite"));
    PetscCall(EPSDestroy(&eps));
    PetscCall(ProblemDestroy(&p));
  }
  /* the paper's momentum */
  for (int m = 0; m < Momenta(); m++) {
    if (m == EPS_NAPI_MOMENTUM_FIXED) continue;
    PetscCall(ProblemMembrane(13, 12, 0.0, PETSC_TRUE, 2, EPS_SMALLEST_REAL, &p));
    PetscCall(SolverTransformed(&p, STPRECOND, &eps));
    PetscCall(EPSNAPISetMomentum(eps, (EPSNAPIMomentum)m));
    PetscCall(Use(eps, PCJACOBI));
    PetscCall(TapSound(eps, &p, NULL, NULL, "momentum %s: right, or told", EPSNAPIMomentums[m]));
    PetscCall(EPSDestroy(&eps));
    PetscCall(ProblemDestroy(&p));
  }
  /* after lobpcg, and before it */
  PetscCall(ProblemMembrane(13, 12, 0.0, PETSC_TRUE, 3, EPS_SMALLEST_REAL, &p));
  PetscCall(SolverTransformed(&p, STPRECOND, &eps));
  PetscCall(Use(eps, PCJACOBI));
  PetscCall(TapRight(eps, &p, "before lobpcg"));
  PetscCall(EPSSetType(eps, EPSLOBPCG));
  PetscCall(EPSSetDimensions(eps, 3, NAPI_UNSET, NAPI_UNSET)); /* lobpcg is particular about what others make of them */
  PetscCall(EPSSetTolerances(eps, 1e-9, 1000));
  PetscCall(TapRight(eps, &p, "lobpcg with what napi has left behind"));
  PetscCall(EPSSetType(eps, EPSNAPI));
  PetscCall(EPSSetDimensions(eps, 3, NAPI_UNSET, NAPI_UNSET));
  PetscCall(TapRight(eps, &p, "after lobpcg"));
  PetscCall(EPSDestroy(&eps));
  PetscCall(ProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(TapBegin(&argc, &argv));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(Smallest());
  PetscCall(ZeroRows());
  PetscCall(Counts());
  PetscCall(Others());
  return TapEnd();
}
