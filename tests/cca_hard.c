/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Canonical correlations where something is missing or in the way: no correlation, fewer than wanted, tolerances out of reach,
   numbers that are none, preconditioners that fail, one view with more columns than samples and one without. Right, or a reason.
*/
#include "ccadata.h"

static const char *const types[] = {CCADIRECT, CCANAPI, CCAEPS};

static PetscErrorCode NewCCA(Mat X, Mat Y, const char *type, PetscInt k, PetscReal rx, PetscReal ry, PetscBool center, CCA *cca)
{
  PetscFunctionBegin;
  PetscCall(CCACreate(PETSC_COMM_WORLD, cca));
  PetscCall(CCASetData(*cca, X, Y));
  PetscCall(CCASetType(*cca, type));
  PetscCall(CCASetDimensions(*cca, k));
  PetscCall(CCASetRegularization(*cca, rx, ry));
  PetscCall(CCASetCentering(*cca, center));
  PetscCall(CCASetCheck(*cca, CCA_CHECK_CERTIFY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Columns of cosines, from + 1, ... of n samples, each times a size: orthogonal to all others exactly, up to rounding */
static PetscErrorCode Cosines(PetscInt n, PetscInt d, PetscInt from, PetscReal mean, PetscBool dense, Mat *M)
{
  PetscInt first, last;

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_WORLD, M));
  PetscCall(MatSetSizes(*M, PETSC_DECIDE, PETSC_DECIDE, n, d));
  PetscCall(MatSetType(*M, dense ? MATDENSE : MATAIJ));
  PetscCall(MatSetUp(*M));
  PetscCall(MatSetOption(*M, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(MatGetOwnershipRange(*M, &first, &last));
  for (PetscInt i = first; i < last; i++)
    for (PetscInt j = 0; j < d; j++) PetscCall(MatSetValue(*M, i, j, mean + (1.0 + j) * Cosine(n, i, from + j + 1), INSERT_VALUES));
  PetscCall(MatAssemblyBegin(*M, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*M, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* No correlation at all, and two where four are wanted; the bounds of those that are zero hold too */
static PetscErrorCode Zero(void)
{
  PetscFunctionBegin;
  for (int shared = 0; shared < 3; shared += 2) {
    for (int ridged = 0; ridged < 2; ridged++) {
      for (int t = 0; t < 3; t++) {
        const PetscReal    ridge = ridged ? 0.1 : 0.0;
        CCAConvergedReason reason;
        PetscInt           nconv;
        PetscReal          rho, bound, wrong = 0.0, broken = 0.0;
        Mat                X, Y;
        CCA                cca;

        PetscCall(Cosines(90, 9, 0, 0.0, PETSC_TRUE, &X));          /* cosines 1 to 9 */
        PetscCall(Cosines(90, 5, 9 - shared, 0.0, PETSC_TRUE, &Y)); /* the last ones of X are the first ones of Y */
        PetscCall(NewCCA(X, Y, types[t], 4, ridge, ridge, PETSC_FALSE, &cca));
        PetscCall(CCASolve(cca));
        PetscCall(CCAGetConvergedReason(cca, &reason));
        PetscCall(CCAGetConverged(cca, &nconv));
        for (PetscInt i = 0; i < nconv; i++) {
          PetscReal known = 0.0;

          for (PetscInt j = 0; j < shared; j++) { /* X has the size 9 - shared + j + 1 of this cosine, Y j + 1; the larger correlation comes first */
            const PetscReal x = 10.0 - shared + j, y = 1.0 + j, c = x * y / PetscSqrtReal((x * x + ridge) * (y * y + ridge));

            if (shared - 1 - j == i) known = c;
          }
          PetscCall(CCAGetCorrelation(cca, i, &rho));
          PetscCall(CCAGetErrorBound(cca, i, &bound));
          if (!(PetscAbsReal(rho - known) <= wrong)) wrong = PetscAbsReal(rho - known);
          if (ridged && !(PetscAbsReal(rho - known) <= bound)) broken = bound;
        }
        /* without ridge what A is multiplied by has a part in the range of S12 only; where there are no correlations there may be no pairs */
        PetscCall(TapOk((PetscBool)(wrong < 1e-6 && (reason > 0 ? nconv >= shared : nconv <= 4)), "%s, ridge %g: %d correlations, and zeros where more are wanted: %d of 4, %s", types[t], (double)ridge, shared, (int)nconv, CCAConvergedReasons[reason]));
        if (t < 2) PetscCall(TapOk((PetscBool)(reason > 0), "%s, ridge %g: and they count as found", types[t], (double)ridge));
        if (ridged) PetscCall(TapOk((PetscBool)(broken == 0.0), "%s: the bounds of zeros hold", types[t]));
        PetscCall(CCADestroy(&cca));
        PetscCall(MatDestroy(&X));
        PetscCall(MatDestroy(&Y));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tolerances nothing can meet end in a reason, after a number of steps that is not the largest one; the answer is as good as it gets */
static PetscErrorCode OutOfReach(void)
{
  PetscFunctionBegin;
  for (int ridged = 0; ridged < 2; ridged++) {
    for (int t = 0; t < 2; t++) {
      CCAConvergedReason reason;
      PetscInt           its;
      PetscReal          rho[2];
      Mat                X, Y;
      CCA                cca;

      PetscCall(NoisyView(PETSC_COMM_WORLD, 200, 60, 0.3, 81, 4, PETSC_FALSE, &X));
      PetscCall(NoisyView(PETSC_COMM_WORLD, 200, 50, 0.3, 82, 4, PETSC_FALSE, &Y));
      for (int tight = 0; tight < 2; tight++) {
        PetscCall(NewCCA(X, Y, types[t], 2, ridged ? 0.1 : 0.0, ridged ? 0.1 : 0.0, PETSC_FALSE, &cca));
        PetscCall(CCASetTolerances(cca, tight ? 1e-19 : 1e-9, tight ? 300 : PETSC_DECIDE));
        PetscCall(CCASolve(cca));
        PetscCall(CCAGetConvergedReason(cca, &reason));
        PetscCall(CCAGetIterationNumber(cca, &its));
        PetscCall(CCAGetCorrelation(cca, 0, &rho[tight]));
        PetscCall(CCADestroy(&cca));
      }
      PetscCall(TapOk((PetscBool)(reason == CCA_DIVERGED_ACCURACY && its < 300 && PetscAbsReal(rho[1] - rho[0]) < 1e-12), "%s, %s: a tolerance of 1e-19 ends in %s after %d steps, with the right correlation (%.1e off)", types[t], ridged ? "a ridge" : "no ridge", CCAConvergedReasons[reason], (int)its, (double)PetscAbsReal(rho[1] - rho[0])));
      PetscCall(MatDestroy(&X));
      PetscCall(MatDestroy(&Y));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries that are no numbers, in columns that are scaled and in such that are not */
static PetscErrorCode NoNumbers(void)
{
  PetscFunctionBegin;
  for (int ridged = 0; ridged < 2; ridged++) {
    for (int kind = 0; kind < 2; kind++) {
      for (int dense = 0; dense < 2; dense++) {
        volatile PetscReal zero = 0.0;
        const PetscReal    bad  = kind ? 1.0 / zero : zero / zero;
        PetscInt           first, last;
        char               what[128];
        Mat                X, Y;
        CCA                cca;

        PetscCall(NoisyView(PETSC_COMM_WORLD, 40, 5, 1.1, 91, 2, (PetscBool)dense, &X));
        PetscCall(NoisyView(PETSC_COMM_WORLD, 40, 4, 1.1, 92, 2, (PetscBool)dense, &Y));
        PetscCall(MatGetOwnershipRange(Y, &first, &last));
        if (last == 40) PetscCall(MatSetValue(Y, 39, 1, (PetscScalar)bad, INSERT_VALUES));
        PetscCall(MatAssemblyBegin(Y, MAT_FINAL_ASSEMBLY));
        PetscCall(MatAssemblyEnd(Y, MAT_FINAL_ASSEMBLY));
        PetscCall(NewCCA(X, Y, CCANAPI, 1, ridged, ridged, PETSC_TRUE, &cca));
        PetscCall(PetscSNPrintf(what, sizeof(what), "%s in %s data, %s: refused", kind ? "an infinity" : "a NaN", dense ? "dense" : "sparse", ridged ? "ridge" : "no ridge"));
        TapFails(CCASolve(cca), PETSC_ERR_FP, "Y has an entry that is not a finite number", what);
        PetscCall(CCADestroy(&cca));
        PetscCall(MatDestroy(&X));
        PetscCall(MatDestroy(&Y));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One view with more columns than samples, the other with fewer, either way around, with and without ridge of the wide one */
static PetscErrorCode OneWide(void)
{
  PetscFunctionBegin;
  for (int swap = 0; swap < 2; swap++) {
    for (int r = 0; r < 3; r++) {
      const PetscReal wide[] = {0.0, 0.2, 1e-25}; /* the last one is rounding: K + r I cannot be factored */
      PetscReal       rho[2][3], far = 0.0;
      PetscInt        n[2];
      Mat             X, Y;
      CCA             cca;

      PetscCall(NoisyView(PETSC_COMM_WORLD, 25, 40, 1.1, 101, 3, PETSC_FALSE, &X));
      PetscCall(NoisyView(PETSC_COMM_WORLD, 25, 6, 1.1, 102, 3, PETSC_TRUE, &Y));
      for (int t = 0; t < 2; t++) {
        PetscCall(NewCCA(swap ? Y : X, swap ? X : Y, types[t], 3, swap ? 0.3 : wide[r], swap ? wide[r] : 0.3, PETSC_TRUE, &cca));
        PetscCall(CCASetTolerances(cca, 1e-6, PETSC_DECIDE));
        PetscCall(CCASolve(cca));
        PetscCall(CCAGetConverged(cca, &n[t]));
        for (PetscInt i = 0; i < n[t]; i++) PetscCall(CCAGetCorrelation(cca, i, &rho[t][i]));
        PetscCall(CCADestroy(&cca));
      }
      if (r == 2) n[1] = n[0]; /* a condition of 1e26 is not for those who iterate */
      for (PetscInt i = 0; i < PetscMin(n[0], n[1]) && r < 2; i++)
        if (!(PetscAbsReal(rho[0][i] - rho[1][i]) <= far)) far = PetscAbsReal(rho[0][i] - rho[1][i]);
      PetscCall(TapOk((PetscBool)(n[0] == 3 && n[1] == 3 && far < 1e-8 && rho[0][0] > 0.3 && rho[0][0] <= 1.0), "%s has more columns than samples, ridge %g: direct agrees with napi", swap ? "Y" : "X", (double)wide[r]));
      PetscCall(MatDestroy(&X));
      PetscCall(MatDestroy(&Y));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sparse columns with means of thousands of deviations, one of them twice: what is left after the means are taken off decides */
static PetscErrorCode LargeMeans(void)
{
  PetscFunctionBegin;
  for (int t = 0; t < 3; t++) {
    PetscReal rho, far = 0.0;
    PetscInt  nconv;
    Mat       X, Y;
    CCA       cca;

    PetscCall(Cosines(80, 4, 0, 1e5, PETSC_FALSE, &X)); /* cosines 1 to 4, and Y has 3 to 6 */
    PetscCall(Cosines(80, 4, 2, -3e4, PETSC_FALSE, &Y));
    PetscCall(NewCCA(X, Y, types[t], 3, 0.0, 0.0, PETSC_TRUE, &cca));
    PetscCall(CCASolve(cca));
    PetscCall(CCAGetConverged(cca, &nconv));
    for (PetscInt i = 0; i < nconv; i++) {
      PetscCall(CCAGetCorrelation(cca, i, &rho));
      if (!(PetscAbsReal(rho - (i < 2 ? 1.0 : 0.0)) <= far)) far = PetscAbsReal(rho - (i < 2 ? 1.0 : 0.0));
    }
    PetscCall(TapOk((PetscBool)(nconv >= 2 && far < 1e-8), "%s: sparse columns with large means, %d pairs", types[t], (int)nconv));
    if (!(nconv >= 2 && far < 1e-8)) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# off by %g\n", (double)far));
    PetscCall(CCADestroy(&cca));
    PetscCall(MatDestroy(&X));
    PetscCall(MatDestroy(&Y));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = factor x, or NaN from some application on */
static PetscErrorCode BadPC(PC pc, Vec x, Vec y)
{
  PetscInt *kind;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &kind));
  PetscCall(VecCopy(x, y));
  if (kind[0] == 0 && ++kind[1] > 9) PetscCall(VecSet(y, NAN));
  if (kind[0] == 1) PetscCall(VecScale(y, ++kind[1] > 9 ? -1.0 : 1.0));
  if (kind[0] == 2) PetscCall(VecScale(y, 0.0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Preconditioners and solvers that are not ours, and such that fail */
static PetscErrorCode Solvers(void)
{
  static const char *const names[] = {"a preconditioner that turns NaN", "one that turns negative", "one that is zero", "cg without preconditioner"};
  PetscReal                known, rho;
  CCAConvergedReason       reason;
  PetscInt                 nconv;
  Mat                      X, Y;
  CCA                      cca;
  KSP                      ksp[2];
  PC                       pc;

  PetscFunctionBegin;
  PetscCall(NoisyView(PETSC_COMM_WORLD, 200, 60, 0.3, 81, 4, PETSC_FALSE, &X));
  PetscCall(NoisyView(PETSC_COMM_WORLD, 200, 50, 0.3, 82, 4, PETSC_FALSE, &Y));
  PetscCall(NewCCA(X, Y, CCADIRECT, 1, 0.1, 0.1, PETSC_FALSE, &cca));
  PetscCall(CCASolve(cca));
  PetscCall(CCAGetCorrelation(cca, 0, &known));
  PetscCall(CCADestroy(&cca));
  for (PetscInt kind = 0; kind < 4; kind++) {
    PetscInt ctx[2][2] = {
      {kind, 0},
      {kind, 0}
    };

    PetscCall(NewCCA(X, Y, CCANAPI, 1, 0.1, 0.1, PETSC_FALSE, &cca));
    PetscCall(CCASetTolerances(cca, 1e-7, 500));
    PetscCall(CCAGetKSP(cca, &ksp[0], &ksp[1]));
    for (int i = 0; i < 2; i++) {
      PetscCall(KSPGetPC(ksp[i], &pc));
      if (kind == 3) {
        PetscCall(KSPSetType(ksp[i], KSPCG));
        PetscCall(PCSetType(pc, PCNONE));
      } else {
        PetscCall(PCSetType(pc, PCSHELL));
        PetscCall(PCShellSetContext(pc, ctx[i]));
        PetscCall(PCShellSetApply(pc, BadPC));
      }
    }
    PetscCall(CCASolve(cca));
    PetscCall(CCAGetConvergedReason(cca, &reason));
    PetscCall(CCAGetConverged(cca, &nconv));
    rho = known;
    if (nconv) PetscCall(CCAGetCorrelation(cca, 0, &rho));
    PetscCall(TapOk((PetscBool)(PetscAbsReal(rho - known) < 1e-9 && (reason < 0 || nconv == 1) && (kind < 3 || reason > 0)), "%s: %s", names[kind], CCAConvergedReasons[reason]));
    PetscCall(CCADestroy(&cca));
  }
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt size;

  PetscCall(TapBegin(&argc, &argv));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(Zero());
  if (size < 3) PetscCall(OutOfReach()); /* three ranks on two cores take their time */
  PetscCall(NoNumbers());
  PetscCall(OneWide());
  PetscCall(LargeMeans());
  PetscCall(Solvers());
  return TapEnd();
}
