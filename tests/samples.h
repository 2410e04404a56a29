/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Data sets with entries from a formula, the Gram matrix written out, and its systems solved by a Cholesky factorisation: what
   the tests of the least-squares solvers compare with. Every rank has all of the matrix.
*/
#pragma once
#include "pairs.h"
#include "views.h"

typedef struct {
  const char *name;
  PetscInt    n, d[2];  /* samples, columns of X and Y (d[1] = 0: one view) */
  PetscBool   dense[2]; /* storage */
  PetscBool   center, scale;
  PetscReal   s11, s12, s22, r1, r2;
  PetscReal   density;  /* share of entries that are not zero */
  PetscReal   spread;   /* rows are multiplied by 1 ... spread */
  PetscInt    lopsided; /* all samples on this rank, or -1: distributed evenly */
} Samples;

typedef struct {
  Mat          G; /* MATGRAM */
  PetscInt     D;
  PetscScalar *full; /* D x D, by columns */
  Mat          factor;
} Problem;

PETSC_UNUSED static PetscReal Noise(PetscInt i, PetscInt j, PetscInt k)
{
  PetscReal x = PetscSinReal(12.9898 * (PetscReal)(i + 1) + 78.233 * (PetscReal)(j + 1) + 37.719 * (PetscReal)(k + 1)) * 43758.5453;

  return x - PetscFloorReal(x);
}

PETSC_UNUSED static PetscScalar SampleEntry(const Samples *c, PetscInt view, PetscInt i, PetscInt j)
{
  PetscReal size = 1.0 + (c->spread - 1.0) * PetscSqr(PetscSqr(Noise(i, 5, 7)));

  if (Noise(i, j, view) > c->density) return 0.0;
#if defined(PETSC_USE_COMPLEX)
  return size * PetscCMPLX(2.0 * Noise(i, j, view + 10) - .6, Noise(i, j, view + 20) - .5);
#else
  return size * (2.0 * Noise(i, j, view + 10) - .6);
#endif
}

static PetscScalar SampleViewEntry(const void *c, PetscInt view, PetscInt i, PetscInt j)
{
  return SampleEntry((const Samples *)c, view, i, j);
}

PETSC_UNUSED static PetscErrorCode SampleView(const Samples *c, PetscInt view, Mat *X)
{
  PetscFunctionBeginUser;
  PetscCall(ViewCreate(PETSC_COMM_WORLD, c->n, c->d[view], c->dense[view], c->lopsided, SampleViewEntry, c, view, X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PETSC_UNUSED static PetscErrorCode ProblemCreate(const Samples *c, Problem *p)
{
  PetscInt     d1 = c->d[0], D = d1 + c->d[1];
  Mat          X, Y            = NULL;
  PetscScalar *F, *a;
  IS           perm;

  PetscFunctionBeginUser;
  PetscCall(SampleView(c, 0, &X));
  if (c->d[1]) PetscCall(SampleView(c, 1, &Y));
  PetscCall(MatCreateGram(X, Y, &p->G));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscCall(MatGramSetCoupling(p->G, c->s11, c->s12, c->s22));
  PetscCall(MatGramSetRidge(p->G, c->r1, c->r2));
  PetscCall(MatGramSetCentering(p->G, c->center));
  PetscCall(MatGramSetScaling(p->G, c->scale));
  p->D = D;
  PetscCall(PetscMalloc1(c->n * D, &F));
  PetscCall(PetscMalloc1(D * D, &p->full));
  for (PetscInt j = 0; j < D; j++) {
    PetscScalar mean   = 0.0;
    PetscReal   square = 0.0;

    for (PetscInt i = 0; i < c->n; i++) F[i + j * c->n] = j < d1 ? SampleEntry(c, 0, i, j) : SampleEntry(c, 1, i, j - d1);
    for (PetscInt i = 0; i < c->n; i++) mean += F[i + j * c->n] / (PetscReal)c->n;
    if (c->center)
      for (PetscInt i = 0; i < c->n; i++) F[i + j * c->n] -= mean;
    for (PetscInt i = 0; i < c->n; i++) square += PetscSqr(PetscAbsScalar(F[i + j * c->n])) / (PetscReal)c->n;
    if (c->scale)
      for (PetscInt i = 0; i < c->n; i++) F[i + j * c->n] /= PetscSqrtReal(square);
  }
  for (PetscInt j = 0; j < D; j++) {
    for (PetscInt l = 0; l < D; l++) {
      PetscReal   s   = l < d1 ? (j < d1 ? c->s11 : c->s12) : (j < d1 ? c->s12 : c->s22);
      PetscScalar sum = 0.0;

      for (PetscInt i = 0; i < c->n; i++) sum += PetscConj(F[i + l * c->n]) * F[i + j * c->n];
      p->full[l + j * D] = s * sum / (PetscReal)c->n;
      if (l == j) p->full[l + j * D] += l < d1 ? c->r1 : c->r2;
    }
  }
  PetscCall(PetscFree(F));
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, D, D, NULL, &p->factor));
  PetscCall(MatDenseGetArrayWrite(p->factor, &a));
  PetscCall(PetscArraycpy(a, p->full, D * D));
  PetscCall(MatDenseRestoreArrayWrite(p->factor, &a));
  PetscCall(MatAssemblyBegin(p->factor, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(p->factor, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(p->factor, MAT_SPD, PETSC_TRUE));
  if (PetscDefined(USE_COMPLEX)) PetscCall(MatSetOption(p->factor, MAT_HERMITIAN, PETSC_TRUE));
  PetscCall(ISCreateStride(PETSC_COMM_SELF, D, 0, 1, &perm));
  PetscCall(MatCholeskyFactor(p->factor, perm, NULL));
  PetscCall(ISDestroy(&perm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PETSC_UNUSED static PetscErrorCode ProblemDestroy(Problem *p)
{
  PetscFunctionBeginUser;
  PetscCall(MatDestroy(&p->G));
  PetscCall(MatDestroy(&p->factor));
  PetscCall(PetscFree(p->full));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Column k of the right-hand sides */
PETSC_UNUSED static PetscScalar RhsEntry(PetscInt i, PetscInt k)
{
#if defined(PETSC_USE_COMPLEX)
  return PetscCMPLX(Noise(i, k, 40) - .5, Noise(i, k, 50) - .5);
#else
  return Noise(i, k, 40) - .5;
#endif
}

PETSC_UNUSED static PetscErrorCode Rhs(Mat G, PetscInt k, Vec *b, Vec *x)
{
  PetscInt     first, last;
  PetscScalar *a;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(G, x, b));
  PetscCall(VecGetOwnershipRange(*b, &first, &last));
  PetscCall(VecGetArrayWrite(*b, &a));
  for (PetscInt i = first; i < last; i++) a[i - first] = RhsEntry(i, k);
  PetscCall(VecRestoreArrayWrite(*b, &a));
  PetscCall(VecSet(*x, 0.0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Several right-hand sides as a matrix, and one of zeros for their solutions */
PETSC_UNUSED static PetscErrorCode RhsBlock(Problem *p, PetscInt P, Mat *B, Mat *X)
{
  PetscInt n;
  Vec      b, x, column;

  PetscFunctionBeginUser;
  PetscCall(MatGetLocalSize(p->G, &n, NULL));
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, n, PETSC_DECIDE, p->D, P, NULL, B));
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, n, PETSC_DECIDE, p->D, P, NULL, X));
  for (PetscInt k = 0; k < P; k++) {
    PetscCall(Rhs(p->G, k, &b, &x));
    PetscCall(MatDenseGetColumnVecWrite(*B, k, &column));
    PetscCall(VecCopy(b, column));
    PetscCall(MatDenseRestoreColumnVecWrite(*B, k, &column));
    PetscCall(VecDestroy(&b));
    PetscCall(VecDestroy(&x));
  }
  PetscCall(MatAssemblyBegin(*B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyBegin(*X, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*X, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The solution for column k, by Cholesky, on every rank */
PETSC_UNUSED static PetscErrorCode Exact(Problem *p, PetscInt k, PetscScalar *w)
{
  Vec          b, x;
  PetscScalar *a;

  PetscFunctionBeginUser;
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, p->D, &b));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(VecGetArrayWrite(b, &a));
  for (PetscInt i = 0; i < p->D; i++) a[i] = RhsEntry(i, k);
  PetscCall(VecRestoreArrayWrite(b, &a));
  PetscCall(MatSolve(p->factor, b, x));
  PetscCall(VecGetArray(x, &a));
  PetscCall(PetscArraycpy(w, a, p->D));
  PetscCall(VecRestoreArray(x, &a));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* all entries of x on every rank */
PETSC_UNUSED static PetscErrorCode Everywhere(Vec x, PetscScalar *all)
{
  Vec                whole;
  VecScatter         scatter;
  const PetscScalar *a;
  PetscInt           D;

  PetscFunctionBeginUser;
  PetscCall(VecGetSize(x, &D));
  PetscCall(VecScatterCreateToAll(x, &scatter, &whole));
  PetscCall(VecScatterBegin(scatter, x, whole, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(scatter, x, whole, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecGetArrayRead(whole, &a));
  PetscCall(PetscArraycpy(all, a, D));
  PetscCall(VecRestoreArrayRead(whole, &a));
  PetscCall(VecScatterDestroy(&scatter));
  PetscCall(VecDestroy(&whole));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of x for column k: ||b - G x||/||b|| with the matrix written out, ||x - x*||/||x*||, f(x) - f* = ||x - x*||_G^2/2, ||x - x*||^2 */
PETSC_UNUSED static PetscErrorCode Errors(Problem *p, PetscInt k, Vec x, PetscReal *residual, PetscReal *error, PetscReal *excess, PetscReal *square)
{
  PetscInt     D = p->D;
  PetscScalar *w, *e;
  PetscReal    rr = 0.0, bb = 0.0, ee = 0.0, ww = 0.0, ge = 0.0;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc2(D, &w, D, &e));
  PetscCall(Exact(p, k, w));
  PetscCall(Everywhere(x, e));
  for (PetscInt i = 0; i < D; i++) {
    PetscScalar r = RhsEntry(i, k);

    bb += PetscSqr(PetscAbsScalar(r));
    for (PetscInt j = 0; j < D; j++) r -= p->full[i + j * D] * e[j];
    rr += PetscSqr(PetscAbsScalar(r));
  }
  for (PetscInt i = 0; i < D; i++) {
    ww += PetscSqr(PetscAbsScalar(w[i]));
    e[i] -= w[i];
    ee += PetscSqr(PetscAbsScalar(e[i]));
  }
  for (PetscInt i = 0; i < D; i++)
    for (PetscInt j = 0; j < D; j++) ge += .5 * PetscRealPart(PetscConj(e[i]) * p->full[i + j * D] * e[j]);
  if (residual) *residual = PetscSqrtReal(rr / bb);
  if (error) *error = PetscSqrtReal(ee / ww);
  if (excess) *excess = ge;
  if (square) *square = ee;
  PetscCall(PetscFree2(w, e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* smallest and largest eigenvalue of the matrix */
PETSC_UNUSED static PetscErrorCode Spectrum(Problem *p, PetscReal *min, PetscReal *max)
{
  EPS         eps;
  Mat         A;
  PetscScalar value, *a;
  PetscInt    D = p->D;

  PetscFunctionBeginUser;
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, D, D, NULL, &A));
  PetscCall(MatDenseGetArrayWrite(A, &a));
  PetscCall(PetscArraycpy(a, p->full, D * D));
  PetscCall(MatDenseRestoreArrayWrite(A, &a));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(EPSCreate(PETSC_COMM_SELF, &eps));
  PetscCall(EPSSetOperators(eps, A, NULL));
  PetscCall(EPSSetProblemType(eps, EPS_HEP));
  PetscCall(EPSSetType(eps, EPSLAPACK));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetEigenvalue(eps, 0, &value, NULL));
  *max = PetscRealPart(value);
  PetscCall(EPSGetEigenvalue(eps, D - 1, &value, NULL));
  *min = PetscRealPart(value);
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* the largest squared norm of a sample of one view, or the larger of two */
PETSC_UNUSED static PetscReal LargestSample(const Samples *c)
{
  PetscReal largest = 0.0;

  for (PetscInt v = 0; v < 2; v++) {
    for (PetscInt i = 0; i < c->n; i++) {
      PetscReal sum = 0.0;

      for (PetscInt j = 0; j < c->d[v]; j++) sum += PetscSqr(PetscAbsScalar(SampleEntry(c, v, i, j)));
      largest = PetscMax(largest, sum);
    }
  }
  return largest;
}

PETSC_UNUSED static PetscErrorCode SamplesSolver(Mat G, const char *type, PetscReal rtol, PetscInt maxit, KSP *ksp)
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, ksp));
  PetscCall(KSPSetType(*ksp, type));
  PetscCall(KSPSetOperators(*ksp, G, G));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, PCNONE));
  PetscCall(KSPSetTolerances(*ksp, rtol, 1e-50, 1e10, maxit));
  PetscFunctionReturn(PETSC_SUCCESS);
}
