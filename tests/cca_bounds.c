/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What is promised of canonical correlations: bounds of their errors, which are compared with dense LAPACK on random problems
   (-problems <n> for more than the few that are always run), and that nothing larger was missed.
*/
#include "ccadata.h"
#include <petscblaslapack.h>

#define MAXD 120 /* of every fourth problem; the others are small, and the bases take them in as a whole */
#define MAXN 300
#define FEWD 24
#define FEWN 64
#define MAXK 6

static PetscInt Choose(PetscInt problem, PetscInt what, PetscInt from, PetscInt to)
{
  return from + (PetscInt)(0.4999999 * (1.0 + PetscRealPart(Hash(problem, what, 77))) * (to - from + 1));
}

/* A problem: n samples, d columns and a ridge in each view; copies of columns, correlations that are equal, other units */
typedef struct {
  PetscInt  number, n, d[2], k, copies, twins;
  PetscReal ridge[2], tol;
  PetscBool center, dense;
} Problem;

static void ProblemMake(PetscInt number, Problem *p)
{
  const PetscBool large    = (PetscBool)(number % 4 == 3);
  const PetscReal ridges[] = {1e-6, 1e-4, 1e-2, 0.1, 1.0}, tols[] = {1e-1, 1e-2, 1e-4, 1e-6, 1e-8};

  p->number = number;
  p->n      = Choose(number, 0, 12, large ? MAXN : FEWN);
  for (int i = 0; i < 2; i++) {
    p->d[i]     = Choose(number, 1 + i, 2, large ? MAXD : FEWD);
    p->ridge[i] = ridges[Choose(number, 3 + i, 0, 4)];
  }
  p->k      = Choose(number, 5, 1, PetscMin(MAXK, PetscMin(p->d[0], p->d[1])));
  p->copies = Choose(number, 6, 0, 3) ? 0 : 1;
  p->twins  = Choose(number, 7, 0, 2) ? 0 : 2;
  p->center = (PetscBool)Choose(number, 8, 0, 1);
  p->dense  = (PetscBool)Choose(number, 9, 0, 1);
  p->tol    = tols[Choose(number, 10, 0, 4)];
}

static PetscScalar ProblemEntry(const Problem *p, int view, PetscInt i, PetscInt j)
{
  PetscScalar x;

  if (p->copies && j == p->d[view] - 1) j = 0;
  x = Hash(i, j, 1000 * p->number + view) + 0.2;
  if (j < 4) x += (1.0 + j) * Hash(i, j, 1000 * p->number + 2);
  if (j < p->twins) { /* supports that do not meet, the same numbers in both: equal correlations without centring */
    x = i % 2 == j ? Hash(i / 2, 0, 1000 * p->number + 3) + 0.5 * Hash(i / 2, 0, 1000 * p->number + 4 + view) : 0.0;
    if (i / 2 * 2 + 1 >= p->n) x = 0.0;
  }
  return x;
}

static PetscErrorCode ProblemViews(const Problem *p, Mat M[2])
{
  PetscFunctionBegin;
  for (int v = 0; v < 2; v++) {
    PetscInt first, last;

    PetscCall(MatCreate(PETSC_COMM_WORLD, &M[v]));
    PetscCall(MatSetSizes(M[v], PETSC_DECIDE, PETSC_DECIDE, p->n, p->d[v]));
    PetscCall(MatSetType(M[v], p->dense ? MATDENSE : MATAIJ));
    PetscCall(MatSetUp(M[v]));
    PetscCall(MatSetOption(M[v], MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PetscCall(MatGetOwnershipRange(M[v], &first, &last));
    for (PetscInt i = first; i < last; i++)
      for (PetscInt j = 0; j < p->d[v]; j++) PetscCall(MatSetValue(M[v], i, j, ProblemEntry(p, v, i, j), INSERT_VALUES));
    PetscCall(MatAssemblyBegin(M[v], MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(M[v], MAT_FINAL_ASSEMBLY));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All correlations by LAPACK: X = [X/sqrt(n); sqrt(r) I] = Q R without squaring anything, then singular values of Q1'Q2 */
static PetscErrorCode Reference(const Problem *p, PetscReal rho[])
{
  PetscBLASInt m = (PetscBLASInt)(p->n + p->d[0] + p->d[1]), d[2] = {(PetscBLASInt)p->d[0], (PetscBLASInt)p->d[1]}, info, lwork = 64 * (MAXN + 2 * MAXD), one = 1;
  PetscScalar *Q[2], *T, *work, *tau, zero = 0.0, unit = 1.0, none;
#if defined(PETSC_USE_COMPLEX)
  PetscReal *rwork;
#endif

  PetscFunctionBegin;
  PetscCall(PetscCalloc5(m * d[0], &Q[0], m * d[1], &Q[1], d[0] * d[1], &T, lwork, &work, MAXD, &tau));
  for (int v = 0; v < 2; v++) {
    for (PetscInt j = 0; j < d[v]; j++) {
      PetscScalar mean = 0.0;

      for (PetscInt i = 0; i < p->n; i++) mean += ProblemEntry(p, v, i, j) / (PetscReal)p->n;
      for (PetscInt i = 0; i < p->n; i++) Q[v][i + j * m] = (ProblemEntry(p, v, i, j) - (p->center ? mean : 0.0)) / PetscSqrtReal((PetscReal)p->n);
      Q[v][p->n + (v ? d[0] : 0) + j + j * m] = PetscSqrtReal(p->ridge[v]);
    }
    PetscCallBLAS("LAPACKgeqrf", LAPACKgeqrf_(&m, &d[v], Q[v], &m, tau, work, &lwork, &info));
    PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_LIB, "geqrf: %d", (int)info);
    PetscCallBLAS("LAPACKorgqr", LAPACKorgqr_(&m, &d[v], &d[v], Q[v], &m, tau, work, &lwork, &info));
    PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_LIB, "orgqr: %d", (int)info);
  }
  PetscCallBLAS("BLASgemm", BLASgemm_("C", "N", &d[0], &d[1], &m, &unit, Q[0], &m, Q[1], &m, &zero, T, &d[0]));
#if defined(PETSC_USE_COMPLEX)
  PetscCall(PetscMalloc1(5 * MAXD, &rwork));
  PetscCallBLAS("LAPACKgesvd", LAPACKgesvd_("N", "N", &d[0], &d[1], T, &d[0], rho, &none, &one, &none, &one, work, &lwork, rwork, &info));
  PetscCall(PetscFree(rwork));
#else
  PetscCallBLAS("LAPACKgesvd", LAPACKgesvd_("N", "N", &d[0], &d[1], T, &d[0], rho, &none, &one, &none, &one, work, &lwork, &info));
#endif
  PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_LIB, "gesvd: %d", (int)info);
  PetscCall(PetscFree5(Q[0], Q[1], T, work, tau));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a run over many problems has seen */
typedef struct {
  PetscInt bounds, violated, unbounded, missed, diverged, loose;
} Tally;

static PetscErrorCode ProblemJudge(const Problem *p, const char *type, Tally *t)
{
  PetscReal          rho[MAXD], got, bound, nearest;
  PetscInt           nconv, all = PetscMin(p->d[0], p->d[1]);
  CCAConvergedReason reason;
  Mat                M[2];
  CCA                cca;

  PetscFunctionBegin;
  PetscCall(Reference(p, rho));
  PetscCall(ProblemViews(p, M));
  PetscCall(CCACreate(PETSC_COMM_WORLD, &cca));
  PetscCall(CCASetData(cca, M[0], M[1]));
  PetscCall(CCASetType(cca, type));
  PetscCall(CCASetDimensions(cca, p->k));
  PetscCall(CCASetRegularization(cca, p->ridge[0], p->ridge[1]));
  PetscCall(CCASetCentering(cca, p->center));
  PetscCall(CCASetTolerances(cca, p->tol, PETSC_DECIDE));
  PetscCall(CCASetCheck(cca, CCA_CHECK_CERTIFY));
  PetscCall(CCASetFromOptions(cca));
  PetscCall(CCASolve(cca));
  PetscCall(CCAGetConvergedReason(cca, &reason));
  PetscCall(CCAGetConverged(cca, &nconv));
  if (reason < 0) {
    t->diverged++;
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# problem %d, %s: %s\n", (int)p->number, type, CCAConvergedReasons[reason]));
  }
  for (PetscInt i = 0; i < nconv; i++) {
    PetscCall(CCAGetCorrelation(cca, i, &got));
    PetscCall(CCAGetErrorBound(cca, i, &bound));
    nearest = PETSC_INFINITY;
    for (PetscInt j = 0; j < all; j++) nearest = PetscMin(nearest, PetscAbsReal(got - rho[j]));
    if (bound >= PETSC_INFINITY) {
      t->unbounded++;
      continue;
    }
    t->bounds++;
    if (!(nearest <= bound)) {
      t->violated++;
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# problem %d, %s, n %d, d %d %d, ridges %g %g: correlation %d is %.15g, off by %g, bound %g\n", (int)p->number, type, (int)p->n, (int)p->d[0], (int)p->d[1], (double)p->ridge[0], (double)p->ridge[1], (int)i, (double)got, (double)nearest, (double)bound));
    }
    if (bound > 1.0) t->loose++;
    if (!(PetscAbsReal(got - rho[i]) <= bound)) {
      t->missed++;
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# problem %d, %s, n %d, d %d %d, k %d, tol %g: correlation %d is %.15g and should be %.15g, bound %g\n", (int)p->number, type, (int)p->n, (int)p->d[0], (int)p->d[1], (int)p->k, (double)p->tol, (int)i, (double)got, (double)rho[i], (double)bound));
    }
  }
  PetscCall(CCADestroy(&cca));
  PetscCall(MatDestroy(&M[0]));
  PetscCall(MatDestroy(&M[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RandomProblems(void)
{
  static const char *const types[] = {CCADIRECT, CCANAPI, CCAEPS};
  PetscInt                 problems, from = 0;
  PetscMPIInt              size;
  Problem                  p;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  problems = size == 1 ? 24 : size == 2 ? 8 : 4; /* several ranks on a busy machine take their time */
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-problems", &problems, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-from", &from, NULL));
  for (int t = 0; t < 3; t++) {
    Tally tally = {0, 0, 0, 0, 0, 0};

    for (PetscInt i = from; i < from + problems; i++) {
      ProblemMake(i, &p);
      PetscCall(ProblemJudge(&p, types[t], &tally));
    }
    PetscCall(TapOk((PetscBool)(tally.bounds >= problems / 2 && !tally.violated), "%s: no bound of %d is violated", types[t], (int)tally.bounds));
    PetscCall(TapOk((PetscBool)!tally.unbounded, "%s: with a ridge there is always a bound", types[t]));
    if (t < 2) PetscCall(TapOk((PetscBool)(!tally.missed && !tally.diverged), "%s: no correlation is missed in %d problems", types[t], (int)problems)); /* what an EPS misses is its affair */
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s: %d bounds, %d larger than 1; %d violated, %d missed, %d diverged\n", types[t], (int)tally.bounds, (int)tally.loose, (int)tally.violated, (int)tally.missed, (int)tally.diverged));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Without ridge there is a bound only where covariances were factored; without a check there is none */
static PetscErrorCode NoBound(void)
{
  static const char *const types[] = {CCADIRECT, CCANAPI, CCAEPS, CCADIRECT};
  const PetscReal          rho[]   = {0.95, 0.9, 0.7, 0.4, 0.35};
  PetscReal                got, bound;
  CCACheck                 check;
  Mat                      X, Y;
  CCA                      cca;

  PetscFunctionBegin;
  PetscCall(KnownViews(PETSC_COMM_WORLD, 60, 5, 5, rho, PETSC_TRUE, &X, &Y));
  for (int t = 0; t < 4; t++) {
    PetscCall(CCACreate(PETSC_COMM_WORLD, &cca));
    PetscCall(CCASetData(cca, X, Y));
    PetscCall(CCASetType(cca, types[t]));
    PetscCall(CCASetDimensions(cca, 2));
    PetscCall(CCASetRegularization(cca, 0.0, 0.0));
    PetscCall(CCASetCentering(cca, PETSC_FALSE));
    PetscCall(CCAGetCheck(cca, &check));
    if (!t) PetscCall(TapOk((PetscBool)(check == CCA_CHECK_QUICK), "the default is a quick check"));
    if (t < 3) PetscCall(CCASetCheck(cca, CCA_CHECK_CERTIFY));
    PetscCall(CCASolve(cca));
    PetscCall(CCAGetCorrelation(cca, 1, &got));
    PetscCall(CCAGetErrorBound(cca, 1, &bound));
    if (!t) PetscCall(TapOk((PetscBool)(PetscAbsReal(got - 0.9) <= bound && bound < 1e-10), "no ridge, direct: a bound of %.1e from the factors", (double)bound));
    else PetscCall(TapOk((PetscBool)(bound >= PETSC_INFINITY && PetscAbsReal(got - 0.9) < 1e-6), "no ridge, %s%s: no bound is known", types[t], t == 3 ? " without certify" : ""));
    if (t == 1) {
      TapFails(CCAGetErrorBound(cca, 7, &bound), PETSC_ERR_ARG_OUTOFRANGE, "There is no pair 7", "a bound of a pair that does not exist: refused");
      TapFails(CCASetCheck(cca, (CCACheck)5), PETSC_ERR_ARG_OUTOFRANGE, "There is no check number 5", "a check that does not exist: refused");
    }
    PetscCall(CCADestroy(&cca));
  }
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Columns from to from+n of a dense matrix */
static PetscErrorCode SomeColumns(Mat U, PetscInt from, PetscInt n, Mat *W)
{
  PetscInt           m, M, ldu, ldw;
  const PetscScalar *u;
  PetscScalar       *w;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(U, &m, NULL));
  PetscCall(MatGetSize(U, &M, NULL));
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, m, PETSC_DECIDE, M, n, NULL, W));
  PetscCall(MatDenseGetLDA(U, &ldu));
  PetscCall(MatDenseGetLDA(*W, &ldw));
  PetscCall(MatDenseGetArrayRead(U, &u));
  PetscCall(MatDenseGetArrayWrite(*W, &w));
  for (PetscInt j = 0; j < n; j++) PetscCall(PetscArraycpy(w + j * ldw, u + (from + j) * ldu, m));
  PetscCall(MatDenseRestoreArrayWrite(*W, &w));
  PetscCall(MatDenseRestoreArrayRead(U, &u));
  PetscCall(MatAssemblyBegin(*W, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*W, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Started at pairs that are exact, but not the first ones: all residuals are small, and the answer would be wrong */
static PetscErrorCode Missed(void)
{
  PetscReal rho[4][2], a[2][2], b[2][2];
  PetscInt  nconv;
  Mat       X, Y, U, V, start[2];
  CCA       direct, cca;

  PetscFunctionBegin;
  for (int ridged = 0; ridged < 2; ridged++) {
    PetscCall(NoisyView(PETSC_COMM_WORLD, 400, 90, 0.2, 71, 8, PETSC_FALSE, &X));
    PetscCall(NoisyView(PETSC_COMM_WORLD, 400, 80, 0.2, 72, 8, PETSC_FALSE, &Y));
    PetscCall(CCACreate(PETSC_COMM_WORLD, &direct));
    PetscCall(CCASetData(direct, X, Y));
    PetscCall(CCASetType(direct, CCADIRECT));
    PetscCall(CCASetDimensions(direct, 8));
    PetscCall(CCASetRegularization(direct, ridged ? 0.01 : 0.0, ridged ? 0.01 : 0.0));
    PetscCall(CCASetCentering(direct, PETSC_FALSE));
    PetscCall(CCASolve(direct));
    for (int i = 0; i < 2; i++) PetscCall(CCAGetCorrelation(direct, i, &rho[0][i]));
    PetscCall(CCAGetDirections(direct, &U, &V));
    PetscCall(SomeColumns(U, 2, 6, &start[0])); /* pairs 3 to 8 */
    PetscCall(SomeColumns(V, 2, 6, &start[1]));
    for (int s = 0; s < 3; s++) { /* misled and not checked, misled, from random directions */
      PetscCall(CCACreate(PETSC_COMM_WORLD, &cca));
      PetscCall(CCASetData(cca, X, Y));
      PetscCall(CCASetType(cca, CCANAPI));
      PetscCall(CCASetDimensions(cca, 2));
      PetscCall(CCASetRegularization(cca, ridged ? 0.01 : 0.0, ridged ? 0.01 : 0.0));
      PetscCall(CCASetCentering(cca, PETSC_FALSE));
      if (!s) PetscCall(CCASetCheck(cca, CCA_CHECK_NONE));
      if (s < 2) PetscCall(CCASetInitialDirections(cca, start[0], start[1]));
      PetscCall(CCASolve(cca));
      PetscCall(CCAGetConverged(cca, &nconv));
      for (int i = 0; i < 2; i++) {
        rho[1 + s][i] = 0.0;
        if (i < nconv) PetscCall(CCAGetCorrelation(cca, i, &rho[1 + s][i]));
      }
      if (s == 2) { /* and what the check costs */
        PetscCall(CCAGetApplications(cca, &a[0][0], &b[0][0], NULL));
        PetscCall(CCASetCheck(cca, CCA_CHECK_NONE));
        PetscCall(CCASolve(cca));
        PetscCall(CCAGetApplications(cca, &a[1][0], &b[1][0], NULL));
      }
      PetscCall(CCADestroy(&cca));
    }
    PetscCall(TapOk((PetscBool)(rho[1][0] < rho[0][1] - 1e-3), "ridge %g: without a check, pairs to begin with are all that is found", ridged ? .01 : 0.0));
    PetscCall(TapOk((PetscBool)(PetscAbsReal(rho[2][0] - rho[0][0]) < 1e-8 && PetscAbsReal(rho[2][1] - rho[0][1]) < 1e-8), "ridge %g: the check finds the first ones, and they are pursued", ridged ? .01 : 0.0));
    PetscCall(TapOk((PetscBool)(PetscAbsReal(rho[3][0] - rho[0][0]) < 1e-8 && PetscAbsReal(rho[3][1] - rho[0][1]) < 1e-8), "ridge %g: so do random directions", ridged ? .01 : 0.0));
    PetscCall(TapOk((PetscBool)(a[0][0] + b[0][0] <= a[1][0] + b[1][0] + PetscMax(10.0, 0.05 * (a[1][0] + b[1][0]))), "ridge %g: the check costs %g of %g columns", ridged ? .01 : 0.0, (double)(a[0][0] + b[0][0] - a[1][0] - b[1][0]), (double)(a[0][0] + b[0][0])));
    PetscCall(MatDestroy(&start[0]));
    PetscCall(MatDestroy(&start[1]));
    PetscCall(CCADestroy(&direct));
    PetscCall(MatDestroy(&X));
    PetscCall(MatDestroy(&Y));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(TapBegin(&argc, &argv));
  PetscCall(NoBound());
  PetscCall(Missed());
  PetscCall(RandomProblems());
  return TapEnd();
}
