/* SPDX-License-Identifier: BSD-2-Clause */
/*
   A pair whose A and B can be applied in one sweep over the data, as those of MatCreateCCAPair() can: with one inner
   iteration a step optimal momentum does so. Nothing but the number of passes may tell.
*/
#include "ccadata.h"

#define K 3

typedef struct {
  PetscReal lambda[K];
  PetscInt  acols, bcols, inner, its;
  PetscReal passes; /* over the data */
} Outcome;

/* known: an eigenvector to deflate, or NULL; together: may A and B be applied at once? first: the first eigenvector, if wanted */
static PetscErrorCode Solve(Mat X, Mat Y, Vec known, PetscReal shift, PetscBool together, Outcome *out, Vec *first)
{
  PetscReal   passes[2];
  PetscScalar lambda;
  PetscInt    nconv;
  Mat         A, B;
  EPS         eps;
  ST          st;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(out, sizeof(*out)));
  PetscCall(MatCreateCCAPair(X, Y, 1e-2, 1e-2, PETSC_TRUE, &A, &B));
  if (!together) PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatPairMult_C", NULL));
  PetscCall(SolverCreate(A, B, K, EPS_NAPI_MOMENTUM_OPTIMAL, &eps));
  PetscCall(EPSSetWhichEigenpairs(eps, EPS_LARGEST_REAL));
  PetscCall(EPSSetTolerances(eps, 1e-9, 10000));
  PetscCall(EPSNAPISetInnerTolerances(eps, PETSC_DECIDE, 1));
  PetscCall(EPSGetST(eps, &st));
  PetscCall(STSetShift(st, shift));
  if (known) PetscCall(EPSSetDeflationSpace(eps, 1, &known));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConverged(eps, &nconv));
  PetscCheck(nconv >= K, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED, "only %d converged", (int)nconv);
  for (PetscInt i = 0; i < K; i++) {
    PetscCall(EPSGetEigenvalue(eps, i, &lambda, NULL));
    out->lambda[i] = PetscRealPart(lambda);
  }
  PetscCall(EPSGetIterationNumber(eps, &out->its));
  PetscCall(EPSNAPIGetApplications(eps, &out->acols, &out->bcols, &out->inner));
  PetscCall(MatGramGetPasses(A, &passes[0]));
  PetscCall(MatGramGetPasses(B, &passes[1]));
  out->passes = passes[0] + passes[1];
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s: %d steps, %d columns by A, %d by B, %d inner iterations, %g passes\n", together ? "together" : "one after the other", (int)out->its, (int)out->acols, (int)out->bcols, (int)out->inner, (double)out->passes));
  if (first) {
    PetscCall(MatCreateVecs(A, first, NULL));
    PetscCall(EPSGetEigenvector(eps, 0, *first, NULL));
  }
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compare(Mat X, Mat Y, Vec known, PetscReal shift, const char *what, Vec *first)
{
  Outcome   one, two;
  PetscReal far = 0.0;

  PetscFunctionBegin;
  PetscCall(Solve(X, Y, known, shift, PETSC_TRUE, &one, first));
  PetscCall(Solve(X, Y, known, shift, PETSC_FALSE, &two, NULL));
  for (int i = 0; i < K; i++) far = TapWorst(far, PetscAbsReal(one.lambda[i] - two.lambda[i]));
  PetscCall(TapOk((PetscBool)(far < 1e-12), "%s: the same eigenvalues", what));
  PetscCall(TapOk((PetscBool)(PetscAbsInt(one.its - two.its) <= 1 && PetscAbsInt(one.acols - two.acols) <= K && PetscAbsInt(one.bcols + one.inner - two.bcols - two.inner) <= K), "%s: as many steps and columns", what));
  if (known || shift != 0.0) PetscCall(TapOk((PetscBool)(one.passes > 0.9 * two.passes), "%s: cannot be done at once", what));
  else PetscCall(TapOk((PetscBool)(one.passes < 0.6 * two.passes), "%s: fewer passes over the data", what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat X, Y;
  Vec x;

  PetscCall(TapBegin(&argc, &argv));
  for (int dense = 0; dense < 2; dense++) {
    PetscCall(NoisyView(PETSC_COMM_WORLD, 300, 60, 0.2, 1, 5, (PetscBool)dense, &X));
    PetscCall(NoisyView(PETSC_COMM_WORLD, 300, 50, 0.2, 2, 5, (PetscBool)dense, &Y));
    PetscCall(Compare(X, Y, NULL, 0.0, dense ? "dense" : "sparse", &x));
    PetscCall(Compare(X, Y, x, 0.0, dense ? "dense, deflation space" : "sparse, deflation space", NULL));
    PetscCall(Compare(X, Y, NULL, -0.5, dense ? "dense, shift" : "sparse, shift", NULL));
    PetscCall(VecDestroy(&x));
    PetscCall(MatDestroy(&X));
    PetscCall(MatDestroy(&Y));
  }
  return TapEnd();
}
