/* SPDX-License-Identifier: BSD-2-Clause */
/*
   A pair that exists only as functions: A = D + u u' and B = E + v v', with D and E diagonal. Formed, both would be full.

   NAPI needs products with A and B. If B also gives its diagonal, the inner solves are preconditioned with it (Jacobi);
   if it does not, they do without, and take longer where the diagonal varies as much as here.

   Build:  mpicc matrixfree.c $(pkg-config --cflags --libs slepcnapi) -o matrixfree

   $ ./matrixfree -eps_nev 2
   eigenvalue 1: 11.80251, residual at most 1e-08: yes
   eigenvalue 2: 0.59213, residual at most 1e-08: yes
   preconditioner jacobi: B applied 103 times

   $ ./matrixfree -eps_nev 2 -diagonal 0
   eigenvalue 1: 11.80251, residual at most 1e-08: yes
   eigenvalue 2: 0.59213, residual at most 1e-08: yes
   preconditioner none: B applied 287 times
*/
#include <slepcnapi.h>

/* diag + vector vector' */
typedef struct {
  Vec      diag, vector;
  PetscInt products;
} Plus;

static PetscErrorCode PlusMult(Mat P, Vec x, Vec y)
{
  Plus       *plus;
  PetscScalar dot;

  PetscFunctionBeginUser;
  PetscCall(MatShellGetContext(P, &plus));
  PetscCall(VecPointwiseMult(y, plus->diag, x));
  PetscCall(VecDot(x, plus->vector, &dot)); /* vector' x */
  PetscCall(VecAXPY(y, dot, plus->vector));
  plus->products++;
  PetscFunctionReturn(0);
}

static PetscErrorCode PlusGetDiagonal(Mat P, Vec d)
{
  Plus *plus;

  PetscFunctionBeginUser;
  PetscCall(MatShellGetContext(P, &plus));
  PetscCall(VecPointwiseMult(d, plus->vector, plus->vector)); /* the vector is real */
  PetscCall(VecAXPY(d, 1.0, plus->diag));
  PetscFunctionReturn(0);
}

/* The entries are given by two functions of the position 0 < x < 1 */
static PetscErrorCode PlusCreate(PetscInt n, PetscReal (*diag)(PetscReal), PetscReal (*vector)(PetscReal), Plus *plus, Mat *P)
{
  PetscInt i, first, last;

  PetscFunctionBeginUser;
  PetscCall(MatCreateShell(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, n, plus, P));
  PetscCall(MatShellSetOperation(*P, MATOP_MULT, (void (*)(void))PlusMult));
  PetscCall(MatCreateVecs(*P, &plus->diag, &plus->vector));
  PetscCall(VecGetOwnershipRange(plus->diag, &first, &last));
  for (i = first; i < last; i++) {
    PetscCall(VecSetValue(plus->diag, i, diag((i + 0.5) / n), INSERT_VALUES));
    PetscCall(VecSetValue(plus->vector, i, vector((i + 0.5) / n), INSERT_VALUES));
  }
  PetscCall(VecAssemblyBegin(plus->diag));
  PetscCall(VecAssemblyEnd(plus->diag));
  PetscCall(VecAssemblyBegin(plus->vector));
  PetscCall(VecAssemblyEnd(plus->vector));
  plus->products = 0;
  PetscFunctionReturn(0);
}

static PetscReal DiagonalA(PetscReal x)
{
  return 40.0 * x * x * x * (0.5 + x);
}
static PetscReal DiagonalB(PetscReal x)
{
  return 1.0 + 100.0 * x * x;
}
static PetscReal VectorA(PetscReal x)
{
  return PetscSinReal(5.0 * x);
}
static PetscReal VectorB(PetscReal x)
{
  return 0.1 * (1.0 - x);
}

int main(int argc, char **argv)
{
  PetscInt    n = 300, i, nev, nconv;
  PetscReal   error, tol = 1e-8;
  PetscBool   diagonal = PETSC_TRUE;
  PetscScalar lambda;
  PCType      type;
  Plus        a, b;
  Mat         A, B;
  EPS         eps;
  ST          st;
  KSP         ksp;
  PC          pc;

  PetscCall(SlepcInitialize(&argc, &argv, NULL, NULL));
  PetscCall(SlepcNAPIInitialize());
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-diagonal", &diagonal, NULL));
  PetscCall(PlusCreate(n, DiagonalA, VectorA, &a, &A));
  PetscCall(PlusCreate(n, DiagonalB, VectorB, &b, &B));
  if (diagonal) PetscCall(MatShellSetOperation(B, MATOP_GET_DIAGONAL, (void (*)(void))PlusGetDiagonal));

  PetscCall(EPSCreate(PETSC_COMM_WORLD, &eps));
  PetscCall(EPSSetOperators(eps, A, B));
  PetscCall(EPSSetProblemType(eps, EPS_GHEP));
  PetscCall(EPSSetTolerances(eps, tol, PETSC_DEFAULT));
  PetscCall(EPSSetType(eps, EPSNAPI));
  PetscCall(EPSSetFromOptions(eps));
  PetscCall(EPSSolve(eps));

  PetscCall(EPSGetDimensions(eps, &nev, NULL, NULL));
  PetscCall(EPSGetConverged(eps, &nconv));
  for (i = 0; i < PetscMin(nev, nconv); i++) {
    PetscCall(EPSGetEigenvalue(eps, i, &lambda, NULL));
    PetscCall(EPSComputeError(eps, i, EPS_ERROR_RELATIVE, &error));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "eigenvalue %d: %.5f, residual at most %g: %s\n", (int)i + 1, (double)PetscRealPart(lambda), (double)tol, error <= tol ? "yes" : "no"));
  }
  PetscCall(EPSGetST(eps, &st));
  PetscCall(STGetKSP(st, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCGetType(pc, &type));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "preconditioner %s: B applied %d times\n", type, (int)b.products));

  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscCall(VecDestroy(&a.diag));
  PetscCall(VecDestroy(&a.vector));
  PetscCall(VecDestroy(&b.diag));
  PetscCall(VecDestroy(&b.vector));
  PetscCall(SlepcFinalize());
  return 0;
}
