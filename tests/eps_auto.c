/* SPDX-License-Identifier: BSD-2-Clause */
/*
   How much inner work: `auto` never loses to `window` by more than 10 %, and where the preconditioner is good it finds by
   itself that one iteration is enough, or that no small number is. Counted in columns A, B and the preconditioner are applied to.
*/
#include "realdata.h"
#include "realpairs.h"
#include "../src/apps/common/count.h"
#include "../src/apps/common/fem.h"

typedef enum {
  AUTO,
  WINDOW,
  ONE,
  LOOSE,
  WAYS
} Way;
static const char *const ways[] = {"auto", "window", "one iteration", "a loose tolerance"};

/* seed: of a start of one's own, or -1 */
static PetscErrorCode Solve(Mat A, Mat B, PetscInt k, PetscReal tol, const char *pctype, Way way, PetscInt seed, NAPICost *cost)
{
  PetscInt nconv;
  EPS      eps;
  ST       st;
  KSP      ksp;
  PC       pc;

  PetscFunctionBegin;
  PetscCall(EPSCreate(PETSC_COMM_WORLD, &eps));
  PetscCall(EPSSetOperators(eps, A, B));
  PetscCall(EPSSetProblemType(eps, EPS_GHEP));
  PetscCall(EPSSetWhichEigenpairs(eps, EPS_LARGEST_REAL));
  PetscCall(EPSSetType(eps, EPSNAPI));
  PetscCall(EPSSetDimensions(eps, k, PETSC_DECIDE, PETSC_DECIDE));
  PetscCall(EPSSetTolerances(eps, tol, 10000));
  PetscCall(EPSNAPISetResidual(eps, EPS_NAPI_RESIDUAL_SCALED));
  PetscCall(EPSNAPISetCriterion(eps, way == WINDOW ? EPS_NAPI_CRITERION_WINDOW : EPS_NAPI_CRITERION_AUTO));
  if (way == ONE) PetscCall(EPSNAPISetInnerTolerances(eps, PETSC_DECIDE, 1));
  if (way == LOOSE) PetscCall(EPSNAPISetInnerTolerances(eps, 0.4, PETSC_DECIDE));
  PetscCall(EPSGetST(eps, &st));
  PetscCall(STGetKSP(st, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, pctype));
  if (seed >= 0) PetscCall(RandomStart(eps, seed));
  PetscCall(NAPICountedSolve(eps, cost));
  PetscCall(EPSGetConverged(eps, &nconv));
  PetscCheck(nconv >= k, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED, "%s did not converge", ways[way]);
  PetscCall(EPSDestroy(&eps));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s, %s: %" PetscInt_FMT " columns of A, %" PetscInt_FMT " of B, %" PetscInt_FMT " preconditioned\n", pctype, ways[way], cost->A, cost->B, cost->PC));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Canonical correlations of texts, where Jacobi is all the preconditioner there is, and a single iteration with it the best: the
   median of so many starts
*/
static PetscErrorCode Text(PetscInt starts)
{
  const PetscInt most = starts == STARTS ? 650 : 680; /* the default start of several ranks, and of complex numbers, is another one */
  NAPICost       cost;
  PetscInt       columns[2][STARTS], median[2];
  PetscBool      there;
  Mat            X, Y, A, B;

  PetscFunctionBegin;
  PetscCall(ReadViews("text-en-it", "X_en", "Y_it", 0, &X, &Y, &there));
  if (!there) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatCreateCCAPair(X, Y, 1e-3, 1e-3, PETSC_FALSE, &A, &B));
  for (int one = 0; one < 2; one++) {
    for (PetscInt s = 0; s < (one ? (starts + 1) / 2 : starts); s++) {
      PetscCall(Solve(A, B, 10, 1e-6, PCJACOBI, one ? ONE : AUTO, s, &cost));
      columns[one][s] = cost.A + cost.B;
    }
    median[one] = Median(one ? (starts + 1) / 2 : starts, columns[one]);
  }
  PetscCall(TapOk((PetscBool)(median[0] <= 680), "text-en-it, k=10: %" PetscInt_FMT " columns by A and B, at most 680", median[0]));
  PetscCall(TapOk((PetscBool)(median[0] <= 1.05 * median[1]), "text-en-it, k=10: it finds that one iteration is enough, in at most 1.05 times the columns"));
  PetscCall(Solve(A, B, 10, 1e-6, PCJACOBI, AUTO, -1, &cost));
  PetscCall(TapOk((PetscBool)(cost.A + cost.B <= most), "text-en-it, k=10: %" PetscInt_FMT " columns from the default start, at most %" PetscInt_FMT, cost.A + cost.B, most));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A stiffness matrix that Jacobi mends little: a few iterations do next to nothing, and a hundred are best. What had been learnt from few was 5000 steps and no pair */
static PetscErrorCode Stiff(void)
{
  PetscBool there;
  Mat       A, B;

  PetscFunctionBegin;
  PetscCall(ReadPair("bcsstm13", "bcsstk13", &A, &B, &there));
  if (!there) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 1; k <= 4; k += 3) {
    NAPICost cost[2];

    for (int loose = 0; loose < 2; loose++) PetscCall(Solve(A, B, k, 1e-8, PCJACOBI, loose ? LOOSE : AUTO, -1, &cost[loose]));
    PetscCall(TapOk((PetscBool)(cost[0].A + cost[0].B <= 1.2 * (cost[1].A + cost[1].B)), "bcsstk13, %" PetscInt_FMT " lowest: auto takes at most 1.2 times the columns of a loose tolerance", k));
  }
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Three ways on one pair. With gamg, and with incomplete factorisations, a single iteration is about the best; with Jacobi for
   the stiffness matrix it is, too, but the tolerance takes more; with Jacobi for the mass matrix it is half as good.
*/
int main(int argc, char **argv)
{
  static const struct {
    PetscInt    m[3], k;
    PetscBool   lowest; /* of stiffness and mass, as 1/lambda: systems with the stiffness matrix are solved */
    const char *pc;
    PetscReal   one, window; /* applications of the preconditioner, at most so many times those of the other ways; 0: any */
  } cases[] = {
    {{12, 10, 8}, 8,  PETSC_TRUE,  PCGAMG,    1.1, 1.1 },
    {{12, 10, 8}, 12, PETSC_TRUE,  PCBJACOBI, 1.1, 1.1 },
    {{12, 10, 8}, 20, PETSC_TRUE,  PCJACOBI,  0.0, 0.95},
    {{12, 10, 8}, 4,  PETSC_FALSE, PCJACOBI,  0.0, 1.1 }
  };

  PetscMPIInt size;

  PetscCall(TapBegin(&argc, &argv));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size < 3) PetscCall(Text(size > 1 || PetscDefined(USE_COMPLEX) ? 1 : STARTS)); /* three ranks on two cores take their time, and so do complex numbers */
  if (size < 3) PetscCall(Stiff());
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(cases); i++) {
    NAPICost    cost[WAYS];
    const char *name = cases[i].pc, *end = cases[i].lowest ? "lowest" : "largest";
    PetscInt    k = cases[i].k;
    Mat         K, M;

    PetscCall(NAPIFemCreate(PETSC_COMM_WORLD, 3, cases[i].m, &K, &M));
    for (int w = 0; w < (cases[i].one > 0.0 ? LOOSE : ONE); w++) PetscCall(Solve(cases[i].lowest ? M : K, cases[i].lowest ? K : M, k, 1e-8, name, (Way)w, -1, &cost[w]));
    PetscCall(TapOk((PetscBool)(cost[AUTO].A + cost[AUTO].B <= 1.1 * (cost[WINDOW].A + cost[WINDOW].B)), "%s, %" PetscInt_FMT " %s: auto takes at most 1.1 times the columns of window", name, k, end));
    PetscCall(TapOk((PetscBool)(cost[AUTO].PC <= cases[i].window * cost[WINDOW].PC), "%s, %" PetscInt_FMT " %s: and at most %g times its applications of the preconditioner", name, k, end, (double)cases[i].window));
    if (cases[i].one > 0.0) PetscCall(TapOk((PetscBool)(cost[AUTO].PC <= cases[i].one * cost[ONE].PC), "%s, %" PetscInt_FMT " %s: it finds that one iteration is enough", name, k, end));
    PetscCall(MatDestroy(&K));
    PetscCall(MatDestroy(&M));
  }
  return TapEnd();
}
