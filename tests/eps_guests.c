/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The solver in the service of others: SLEPc's SVD, PEP and NEP over it, matrices that change from solve to solve, several solvers at
   once, subcommunicators, and other types before and after.
*/
#include "modes.h"
#include <slepcsvd.h>
#include <slepcpep.h>
#include <slepcnep.h>

#define N 80

static PetscMPIInt size, rank;

/* --- singular values --------------------------------------------------------------------------------------------------------- */

/* A = (I - 2 v v'/v'v) D (I - 2 w w'/w'w), m x n, with the singular values s[] */
static PetscErrorCode Rectangular(PetscInt m, PetscInt n, const PetscReal s[], Mat *A)
{
  PetscInt  first, last;
  PetscReal vv = 0.0, ww = 0.0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < m; i++) vv += PetscSqr(1.0 + (PetscReal)(7 * i % 5));
  for (PetscInt j = 0; j < n; j++) ww += PetscSqr(2.0 + (PetscReal)(3 * j % 7));
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, m, n, n, NULL, n, NULL, A));
  PetscCall(MatGetOwnershipRange(*A, &first, &last));
  for (PetscInt i = first; i < last; i++) {
    for (PetscInt j = 0; j < n; j++) {
      PetscReal sum = 0.0;

      for (PetscInt l = 0; l < n; l++) {
        PetscReal u = (i == l) - 2.0 * (1.0 + (PetscReal)(7 * i % 5)) * (1.0 + (PetscReal)(7 * l % 5)) / vv, v = (j == l) - 2.0 * (2.0 + (PetscReal)(3 * j % 7)) * (2.0 + (PetscReal)(3 * l % 7)) / ww;

        sum += u * s[l] * v;
      }
      PetscCall(MatSetValue(*A, i, j, sum, INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SingularValues(SVDType type, SVDWhich which, PetscBool mustwork, const char *what)
{
  const PetscInt     m = 100, n = N;
  PetscErrorCode     code = PETSC_SUCCESS;
  PetscReal          s[N], value, error, far = 0.0, worst = 0.0;
  PetscInt           nconv  = 0;
  SVDConvergedReason reason = SVD_CONVERGED_ITERATING;
  PetscBool          cross, isnapi = PETSC_FALSE, right;
  SVD                svd;
  EPS                eps;
  Mat                A;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) s[i] = 1.0 + 0.5 * (PetscReal)((37 * i) % N); /* 1 ... 40.5 */
  PetscCall(Rectangular(m, n, s, &A));
  PetscCall(SVDCreate(PETSC_COMM_WORLD, &svd));
  PetscCall(SVDSetOperators(svd, A, NULL));
  PetscCall(SVDSetType(svd, type));
  PetscCall(SVDSetWhichSingularTriplets(svd, which));
  PetscCall(SVDSetDimensions(svd, 3, NAPI_UNSET, NAPI_UNSET));
  PetscCall(SVDSetTolerances(svd, 1e-7, 2000));
  PetscCall(PetscOptionsSetValue(NULL, "-svd_cross_eps_type", "napi"));
  PetscCall(PetscOptionsSetValue(NULL, "-svd_cyclic_eps_type", "napi"));
  PetscCall(SVDSetFromOptions(svd));
  PetscCall(FailuresBegin());
  code = SVDSolve(svd);
  PetscCall(PetscPopErrorHandler());
  PetscCall(PetscObjectTypeCompare((PetscObject)svd, SVDCROSS, &cross));
  if (cross) PetscCall(SVDCrossGetEPS(svd, &eps));
  else PetscCall(SVDCyclicGetEPS(svd, &eps));
  PetscCall(PetscObjectTypeCompare((PetscObject)eps, EPSNAPI, &isnapi));
  if (!code) {
    PetscCall(SVDGetConverged(svd, &nconv));
    PetscCall(SVDGetConvergedReason(svd, &reason));
  }
  for (PetscInt i = 0; i < PetscMin(3, nconv); i++) {
    PetscCall(SVDGetSingularTriplet(svd, i, &value, NULL, NULL));
    PetscCall(SVDComputeError(svd, i, SVD_ERROR_RELATIVE, &error));
    far   = TapWorst(far, PetscAbsReal(value - (which == SVD_LARGEST ? 40.5 - 0.5 * (PetscReal)i : 1.0 + 0.5 * (PetscReal)i)));
    worst = TapWorst(worst, error);
  }
  right = (PetscBool)(!code && reason > 0 && nconv >= 3 && far < 1e-6 && worst < 1e-5);
  if (mustwork) PetscCall(TapOk((PetscBool)(right && isnapi), "%s", what));
  else PetscCall(TapOk((PetscBool)(isnapi && (right || (code && IsRefusal(code) && *failure) || (!code && reason < 0))), "%s: right, or told", what));
  if (!right) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# napi %d, code %d %s, reason %d, %d converged, off by %g, error %g\n", (int)isnapi, (int)code, code ? failure : "", (int)reason, (int)nconv, (double)far, (double)worst));
  PetscCall(SVDDestroy(&svd));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- polynomial and nonlinear eigenproblems ------------------------------------------------------------------------------------ */

/* Their linearisations are not Hermitian and definite: what we get is refused by a sentence, and nothing wrong is claimed */
static PetscErrorCode Linearised(PEPProblemType problem, PetscBool explicitmatrix, const char *what)
{
  PetscErrorCode code  = PETSC_SUCCESS;
  PetscInt       nconv = 0;
  PetscReal      error = 0.0, worst = 0.0;
  PEP            pep;
  EPS            eps;
  Mat            A[3];

  PetscFunctionBegin;
  /* lambda^2 M + lambda C + K, hyperbolic: C^2 > 4 M K, all eigenvalues real */
  PetscCall(Tridiagonal(N, 2.0, -1.0, &A[0]));
  PetscCall(Tridiagonal(N, 30.0, -1.0, &A[1]));
  PetscCall(Identity(N, &A[2]));
  PetscCall(PEPCreate(PETSC_COMM_WORLD, &pep));
  PetscCall(PEPSetOperators(pep, 3, A));
  PetscCall(PEPSetProblemType(pep, problem));
  PetscCall(PEPSetType(pep, PEPLINEAR));
  PetscCall(PEPLinearSetExplicitMatrix(pep, explicitmatrix));
  PetscCall(PEPSetDimensions(pep, 2, NAPI_UNSET, NAPI_UNSET));
  PetscCall(PEPSetTolerances(pep, 1e-7, 200));
  PetscCall(PEPLinearGetEPS(pep, &eps));
  PetscCall(EPSSetType(eps, EPSNAPI));
  PetscCall(FailuresBegin());
  code = PEPSolve(pep);
  PetscCall(PetscPopErrorHandler());
  if (!code) PetscCall(PEPGetConverged(pep, &nconv));
  for (PetscInt i = 0; i < PetscMin(2, nconv); i++) {
    PetscCall(PEPComputeError(pep, i, PEP_ERROR_RELATIVE, &error));
    worst = TapWorst(worst, error);
  }
  PetscCall(TapOk((PetscBool)(code ? IsRefusal(code) && *failure : worst < 1e-5), "%s: right, or told", what));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# code %d, %s; %d converged, error %g\n", (int)code, code ? failure : "", (int)nconv, (double)worst));
  PetscCall(PEPDestroy(&pep));
  for (int i = 0; i < 3; i++) PetscCall(MatDestroy(&A[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* T(lambda) = A - lambda I as a nonlinear problem in split form; SLP solves a linear one in each step by an EPS */
static PetscErrorCode Nonlinear(void)
{
  PetscErrorCode code  = PETSC_SUCCESS;
  PetscInt       nconv = 0;
  PetscReal      error = 0.0;
  PetscScalar    one = 1.0, coeffs[] = {-1.0, 0.0};
  NEP            nep;
  EPS            eps;
  FN             f[2];
  Mat            A[2];

  PetscFunctionBegin;
  PetscCall(Tridiagonal(N, 2.0, -1.0, &A[0]));
  PetscCall(Identity(N, &A[1]));
  for (int i = 0; i < 2; i++) {
    PetscCall(FNCreate(PETSC_COMM_WORLD, &f[i]));
    PetscCall(FNSetType(f[i], FNRATIONAL));
    if (i) PetscCall(FNRationalSetNumerator(f[i], 2, coeffs));
    else PetscCall(FNRationalSetNumerator(f[i], 1, &one));
  }
  PetscCall(NEPCreate(PETSC_COMM_WORLD, &nep));
  PetscCall(NEPSetSplitOperator(nep, 2, A, f, SUBSET_NONZERO_PATTERN));
  PetscCall(NEPSetType(nep, NEPSLP));
  PetscCall(NEPSetTolerances(nep, 1e-7, 30));
  PetscCall(NEPSetTarget(nep, 0.001));
  PetscCall(NEPSLPGetEPS(nep, &eps));
  PetscCall(EPSSetType(eps, EPSNAPI));
  PetscCall(EPSSetProblemType(eps, EPS_GHEP));
  PetscCall(FailuresBegin());
  code = NEPSolve(nep);
  PetscCall(PetscPopErrorHandler());
  if (!code) PetscCall(NEPGetConverged(nep, &nconv));
  if (nconv) PetscCall(NEPComputeError(nep, 0, NEP_ERROR_RELATIVE, &error));
  PetscCall(TapOk((PetscBool)(code ? IsRefusal(code) && *failure : error < 1e-5), "NEP of type slp over napi: right, or told"));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# code %d, %s; %d converged, error %g\n", (int)code, code ? failure : "", (int)nconv, (double)error));
  PetscCall(NEPDestroy(&nep));
  for (int i = 0; i < 2; i++) {
    PetscCall(FNDestroy(&f[i]));
    PetscCall(MatDestroy(&A[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- matrices that change --------------------------------------------------------------------------------------------------------- */

/* A sequence of pairs, each started from the last one's vectors or from nothing: the total of products */
static PetscErrorCode Sequence(PetscBool warm, PetscBool inverse, PetscInt *products, PetscBool *right)
{
  const PetscInt k = 3, steps = 5;
  PetscInt       acols, bcols, inner;
  EPS            eps = NULL;
  Vec            x[3];

  PetscFunctionBegin;
  *products = 0;
  *right    = PETSC_TRUE;
  for (PetscInt t = 0; t < steps; t++) {
    PetscErrorCode code = PETSC_SUCCESS;
    Outcome        o    = {RIGHT};
    Problem        p;

    PetscCall(ProblemMembrane(16, 15, 0.0, PETSC_TRUE, k, inverse ? EPS_TARGET_MAGNITUDE : EPS_SMALLEST_REAL, &p));
    { /* a little stiffer everywhere, and more so at one end */
      Vec      grow;
      PetscInt first, last;

      PetscCall(MatCreateVecs(p.A, &grow, NULL));
      PetscCall(VecGetOwnershipRange(grow, &first, &last));
      for (PetscInt i = first; i < last; i++) PetscCall(VecSetValue(grow, i, 1.0 + 1e-4 * (PetscReal)(t * i) / (PetscReal)p.n, INSERT_VALUES));
      PetscCall(VecAssemblyBegin(grow));
      PetscCall(VecAssemblyEnd(grow));
      PetscCall(MatDiagonalScale(p.A, grow, grow));
      PetscCall(VecDestroy(&grow));
    }
    if (!eps) PetscCall(SolverTransformed(&p, inverse ? STSINVERT : NULL, &eps));
    else PetscCall(EPSSetOperators(eps, p.A, p.B));
    if (warm && t) PetscCall(EPSSetInitialSpace(eps, k, x));
    PetscCall(Attempt(eps, &code));
    if (!code) {
      p.loose = 1e-2; /* the values of the first one, roughly; the residuals are judged as ever */
      p.unit  = 0.0;
      PetscCall(Judge(eps, &p, &o));
      PetscCall(EPSNAPIGetApplications(eps, &acols, &bcols, &inner));
      *products += acols + bcols + inner;
    }
    if (code || o.verdict != RIGHT) {
      *right = PETSC_FALSE;
      PetscCall(Explain(eps, code, &o));
    }
    for (PetscInt i = 0; i < k; i++) {
      if (!t) PetscCall(MatCreateVecs(p.A, &x[i], NULL));
      if (o.nconv >= k) PetscCall(EPSGetEigenvector(eps, i, x[i], NULL));
    }
    PetscCall(ProblemDestroy(&p)); /* the solver keeps its own references */
  }
  for (PetscInt i = 0; i < k; i++) PetscCall(VecDestroy(&x[i]));
  PetscCall(EPSDestroy(&eps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Changing(void)
{
  PetscInt  cold = 0, warm = 0;
  PetscBool right[2];

  PetscFunctionBegin;
  for (int inverse = 0; inverse < 2; inverse++) {
    PetscCall(Sequence(PETSC_FALSE, (PetscBool)inverse, &cold, &right[0]));
    PetscCall(Sequence(PETSC_TRUE, (PetscBool)inverse, &warm, &right[1]));
    PetscCall(TapOk((PetscBool)(right[0] && right[1]), "five pairs that change slowly, %s: all answers are right", inverse ? "sinvert" : "smallest real"));
    PetscCall(TapOk((PetscBool)(warm > 0 && 10 * warm < 7 * cold), "  a warm start saves three products in ten and more"));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %d cold, %d warm\n", (int)cold, (int)warm));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- several at once, and on some of the ranks only ---------------------------------------------------------------------------------- */

static PetscErrorCode Several(void)
{
  static const EPSWhich whichs[] = {EPS_LARGEST_MAGNITUDE, EPS_TARGET_MAGNITUDE, EPS_SMALLEST_REAL, EPS_TARGET_REAL};
  static const STType   types[]  = {NULL, STSINVERT, STPRECOND, NULL};
  PetscReal             d[4][N];
  Problem               p[4];
  EPS                   eps[4];

  PetscFunctionBegin;
  for (int e = 0; e < 4; e++) {
    for (PetscInt i = 0; i < N; i++) d[e][i] = 1.0 + e + (1.0 + 0.1 * e) * ((37 * i) % N);
    PetscCall(ProblemGiven(N, d[e], e % 2 ? 0.5 : 0.3, 2 + e, whichs[e], e == 3 ? 200.0 : 0.0, &p[e]));
    PetscCall(SolverTransformed(&p[e], types[e], &eps[e]));
  }
  for (int e = 0; e < 4; e++) {
    PetscErrorCode code;

    PetscCall(FailuresBegin());
    code = EPSSetUp(eps[e]);
    PetscCall(PetscPopErrorHandler());
    PetscCall(TapOk((PetscBool)!code, "solver %d of 4 at once is set up", e + 1));
  }
  for (int again = 0; again < 2; again++)
    for (int e = 3; e >= 0; e--) PetscCall(TapRight(eps[e], &p[e], "solver %d of 4 at once, solve %d", e + 1, again + 1));
  for (int e = 0; e < 4; e++) {
    PetscCall(EPSDestroy(&eps[e]));
    PetscCall(ProblemDestroy(&p[e]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each part of the ranks has a chain of its own, and asks another question */
static PetscErrorCode Parts(void)
{
  const PetscInt colour = rank % 2, n = 100 + 40 * colour;
  PetscErrorCode code = PETSC_SUCCESS;
  PetscInt       first, last, nconv = 0;
  PetscReal      far = 0.0;
  PetscScalar    value;
  MPI_Comm       comm;
  EPS            eps;
  ST             st;
  Mat            A, B;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_split(PETSC_COMM_WORLD, (int)colour, rank, &comm));
  PetscCall(MatCreateAIJ(comm, PETSC_DECIDE, PETSC_DECIDE, n, n, 3, NULL, 2, NULL, &A));
  PetscCall(MatCreateAIJ(comm, PETSC_DECIDE, PETSC_DECIDE, n, n, 1, NULL, 0, NULL, &B));
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt i = first; i < last; i++) {
    PetscCall(MatSetValue(A, i, i, 2.0, INSERT_VALUES));
    PetscCall(MatSetValue(B, i, i, 0.5, INSERT_VALUES));
    if (i) PetscCall(MatSetValue(A, i, i - 1, -1.0, INSERT_VALUES));
    if (i < n - 1) PetscCall(MatSetValue(A, i, i + 1, -1.0, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
  PetscCall(EPSCreate(comm, &eps));
  PetscCall(EPSSetOperators(eps, A, B));
  PetscCall(EPSSetProblemType(eps, EPS_GHEP));
  PetscCall(EPSSetType(eps, EPSNAPI));
  PetscCall(EPSSetDimensions(eps, 3, NAPI_UNSET, NAPI_UNSET));
  PetscCall(EPSGetST(eps, &st));
  PetscCall(STSetType(st, STSINVERT));
  PetscCall(EPSSetWhichEigenpairs(eps, EPS_TARGET_MAGNITUDE));
  PetscCall(EPSSetTarget(eps, colour ? 8.5 : 0.0));
  PetscCall(Attempt(eps, &code));
  if (!code) PetscCall(EPSGetConverged(eps, &nconv));
  for (PetscInt i = 0; i < PetscMin(3, nconv); i++) {
    PetscCall(EPSGetEigenvalue(eps, i, &value, NULL));
    far = TapWorst(far, PetscAbsReal(PetscRealPart(value) - (4.0 - 4.0 * PetscCosReal((PetscReal)(colour ? n - i : i + 1) * PETSC_PI / (PetscReal)(n + 1)))));
  }
  PetscCall(TapOk((PetscBool)(!code && nconv >= 3 && far < 1e-7), "subcommunicators, another target on each"));
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscCallMPI(MPI_Comm_free(&comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Another type's solve, ours, another's again, with the same ST: on one rank, where what others leave behind is a factorisation */
static PetscErrorCode Turns(void)
{
  static const EPSType types[] = {EPSKRYLOVSCHUR, EPSNAPI, EPSSUBSPACE, EPSNAPI, EPSARNOLDI, EPSNAPI, EPSKRYLOVSCHUR};
  PetscReal            d[N];
  Problem              p;
  EPS                  eps;

  PetscFunctionBegin;
  if (size > 1) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < N; i++) d[i] = 1.0 + 1.3 * ((37 * i) % N);
  PetscCall(ProblemGiven(N, d, 0.5, 2, EPS_TARGET_MAGNITUDE, -1.0, &p));
  PetscCall(SolverTransformed(&p, STSINVERT, &eps));
  for (size_t t = 0; t < PETSC_STATIC_ARRAY_LENGTH(types); t++) {
    PetscCall(EPSSetType(eps, types[t]));
    PetscCall(EPSSetDimensions(eps, 2, NAPI_UNSET, NAPI_UNSET));
    if (!t) {
      ST  st;
      KSP ksp;
      PC  pc;

      PetscCall(EPSGetST(eps, &st));
      PetscCall(STGetKSP(st, &ksp));
      PetscCall(KSPSetType(ksp, KSPPREONLY)); /* SolverFor() has been there as napi */
      PetscCall(KSPGetPC(ksp, &pc));
      PetscCall(PCSetType(pc, PCLU));
    }
    PetscCall(TapRight(eps, &p, "in turn with the same sinvert: %s", types[t]));
  }
  PetscCall(EPSDestroy(&eps));
  PetscCall(ProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(TapBegin(&argc, &argv));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(SingularValues(SVDCROSS, SVD_LARGEST, PETSC_TRUE, "SVD cross, largest"));
  PetscCall(SingularValues(SVDCROSS, SVD_SMALLEST, PETSC_TRUE, "SVD cross, smallest"));
  PetscCall(SingularValues(SVDCYCLIC, SVD_LARGEST, PETSC_TRUE, "SVD cyclic, largest"));
  PetscCall(SingularValues(SVDCYCLIC, SVD_SMALLEST, PETSC_FALSE, "SVD cyclic, smallest"));
  PetscCall(Linearised(PEP_HERMITIAN, PETSC_TRUE, "PEP Hermitian, linearised, explicit"));
  PetscCall(Linearised(PEP_HYPERBOLIC, PETSC_TRUE, "PEP hyperbolic, linearised, explicit"));
  PetscCall(Linearised(PEP_GENERAL, PETSC_FALSE, "PEP general, linearised"));
  PetscCall(Nonlinear());
  PetscCall(Changing());
  PetscCall(Several());
  PetscCall(Parts());
  PetscCall(Turns());
  return TapEnd();
}
