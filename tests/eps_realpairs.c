/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Real pairs, from NAPI_DATA/gep where it is there: against another solver, singular B as bad input, and
   the same pair swapped, which is a valid one.
*/
#include "pairs.h"
#include "realpairs.h"

typedef struct {
  const char *a, *b;
  PetscInt    ranks;   /* the largest number of ranks to bother with */
  PetscInt    guard;   /* guard columns, more where the gap is small */
  PetscReal   largest; /* of the eigenvalues, to six digits, where the data's README gives it */
} Pair;

#define K 2

/* By another solver: dense LAPACK, or where that takes too long Krylov-Schur with a factorisation of B (on one rank) */
static PetscErrorCode Reference(Mat A, Mat B, PetscReal known[K])
{
  PetscInt    i, n;
  PetscScalar lambda;
  EPS         eps;

  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &n, NULL));
  if (n <= 1500) PetscCall(DenseValues(A, B, K, known));
  else {
    PetscCall(EPSCreate(PETSC_COMM_WORLD, &eps));
    PetscCall(EPSSetOperators(eps, A, B));
    PetscCall(EPSSetProblemType(eps, EPS_GHEP));
    PetscCall(EPSSetType(eps, EPSKRYLOVSCHUR));
    PetscCall(EPSSetDimensions(eps, K, NAPI_UNSET, NAPI_UNSET));
    PetscCall(EPSSetTolerances(eps, 1e-10, PETSC_DEFAULT));
    PetscCall(EPSSolve(eps));
    for (i = 0; i < K; i++) {
      PetscCall(EPSGetEigenvalue(eps, i, &lambda, NULL));
      known[i] = PetscRealPart(lambda);
    }
    PetscCall(EPSDestroy(&eps));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Definite(Mat A, Mat B, const Pair *pair, const char *name)
{
  PetscReal   known[K], far, residual, worst, defect, tol = 1e-6;
  PetscScalar lambda;
  PetscInt    i, m, nconv;
  PetscBool   pass;
  EPS         eps;

  PetscFunctionBegin;
  PetscCall(Reference(A, B, known));
  if (pair->largest > 0.0) PetscCall(TapNear(PetscAbsReal(known[0]) / pair->largest, 1.0, 1e-6, "the largest eigenvalue is that of the README"));
  for (m = 0; m < Momenta(); m++) {
    if (m == EPS_NAPI_MOMENTUM_FIXED) continue; /* needs what we do not know */
    PetscCall(SolverCreate(A, B, K, (EPSNAPIMomentum)m, &eps));
    PetscCall(EPSSetTolerances(eps, tol, 20000));
    PetscCall(EPSNAPISetGuard(eps, pair->guard));
    PetscCall(EPSNAPISetResidual(eps, EPS_NAPI_RESIDUAL_SCALED));
    PetscCall(EPSSolve(eps));
    PetscCall(EPSGetConverged(eps, &nconv));
    far = worst = 0.0;
    for (i = 0; i < PetscMin(K, nconv); i++) {
      PetscCall(EPSGetEigenvalue(eps, i, &lambda, NULL));
      far = TapWorst(far, PetscAbsReal(PetscRealPart(lambda) - known[i]) / PetscAbsReal(known[i]));
      PetscCall(ScaledResidual(eps, A, B, i, &residual));
      worst = TapWorst(worst, residual);
    }
    PetscCall(Orthonormality(eps, B, PetscMin(K, nconv), &defect));
    pass = (PetscBool)(nconv >= K && worst <= tol && far < 1e-8 && defect < 1e-9);
    PetscCall(TapOk(pass, "%s, %s", name, EPSNAPIMomentums[m]));
    if (!pass) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %d converged, off by %g, residual %g, V'BV off by %g\n", (int)nconv, (double)far, (double)worst, (double)defect));
    PetscCall(EPSDestroy(&eps));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* B of this pair is singular: eigenvalues are infinite. The solver may not find any, nor take for ever. */
static PetscErrorCode Singular(Mat A, Mat B, const char *name)
{
  char     what[128];
  PetscInt m;
  EPS      eps;

  PetscFunctionBegin;
  for (m = 0; m < Momenta(); m++) {
    if (m == EPS_NAPI_MOMENTUM_FIXED) continue;
    PetscCall(SolverCreate(A, B, 1, (EPSNAPIMomentum)m, &eps));
    PetscCall(EPSSetTolerances(eps, 1e-6, 20));
    PetscCall(EPSNAPISetInnerTolerances(eps, PETSC_DECIDE, 100));
    PetscCall(PetscSNPrintf(what, sizeof(what), "%s, singular B, %s: gives up", name, EPSNAPIMomentums[m]));
    PetscCall(TapGivesUp(eps, what));
    PetscCall(EPSDestroy(&eps));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const Pair definite[] = {
    {"lund_a",      "lund_b",      3, 2, 0.0     },
    {"rail_371_A",  "rail_371_E",  3, 2, 0.0     },
    {"rail_1357_A", "rail_1357_E", 1, 2, 4.95783 },
    {"rail_5177_A", "rail_5177_E", 1, 2, 23.21029},
    {"bcsstk08",    "bcsstm08",    1, 2, 0.0     },
    {"bcsstk11",    "bcsstm12",    1, 8, 0.0     }
  };
  const Pair singular[] = {
    {"bcsstk01", "bcsstm01", 3, 2, 0.0},
    {"bcsstk13", "bcsstm13", 1, 4, 0.0}
  };
  PetscMPIInt size;
  PetscBool   there;
  size_t      i;
  Mat         A, B;

  PetscCall(TapBegin(&argc, &argv));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (i = 0; i < PETSC_STATIC_ARRAY_LENGTH(definite); i++) {
    if (size > definite[i].ranks) continue;
    PetscCall(ReadPair(definite[i].a, definite[i].b, &A, &B, &there));
    if (!there) continue;
    PetscCall(Definite(A, B, &definite[i], definite[i].a));
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&B));
  }
  for (i = 0; i < PETSC_STATIC_ARRAY_LENGTH(singular); i++) {
    char name[64];

    if (size > singular[i].ranks) continue;
    PetscCall(ReadPair(singular[i].a, singular[i].b, &A, &B, &there));
    if (!there) continue;
    PetscCall(Singular(A, B, singular[i].a));
    PetscCall(PetscSNPrintf(name, sizeof(name), "%s swapped", singular[i].a));
    PetscCall(Definite(B, A, &singular[i], name));
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&B));
  }
  return TapEnd();
}
