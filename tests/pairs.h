/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What the tests of the EPS type share: pairs whose eigenvalues are known, shells that count (and spoil) products or change,
   a solver ready to be used, the comparison of its answer with the right one, and errors that are wanted.
*/
#pragma once
#include "tap.h"

/* a number of modulus one: for complex scalars all matrices here have imaginary parts, and are Hermitian */
static PetscScalar Phase(PetscReal angle)
{
#if defined(PETSC_USE_COMPLEX)
  return PetscCMPLX(PetscCosReal(angle), PetscSinReal(angle));
#else
  (void)angle;
  return 1.0;
#endif
}

/*
   A = X D X' and B = X X' (X unitary where B is NULL), so that the diagonal D holds the eigenvalues of the pair.
   X = L (I - 2 v v'/v'v), with L bidiagonal, 1 on its diagonal and `coupling` < 1 below: the condition of B grows as
   coupling tends to 1.
*/
PETSC_UNUSED static PetscErrorCode PairFromSpectrum(PetscInt n, const PetscReal d[], PetscReal coupling, Mat *A, Mat *B)
{
  PetscScalar *x, *v, *a, *b;
  PetscReal    norm2 = 0.0;
  PetscInt     i, j, k, first, last, *cols;

  PetscFunctionBegin;
  PetscCall(PetscMalloc5(n * n, &x, n, &v, n, &a, n, &b, n, &cols));
  for (i = 0; i < n; i++) {
    v[i]    = (1.0 + (7 * i % 5) / 3.0) * Phase(2.0 * i);
    cols[i] = i;
    norm2 += PetscRealPart(v[i] * PetscConj(v[i]));
  }
  for (j = 0; j < n; j++) {
    for (i = 0; i < n; i++) x[i + j * n] = (i == j ? 1.0 : 0.0) - 2.0 * v[i] * PetscConj(v[j]) / norm2;
    for (i = n - 1; B && i > 0; i--) x[i + j * n] += coupling * Phase(i) * x[i - 1 + j * n];
  }
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, n, n, NULL, n, NULL, A));
  if (B) PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, n, n, NULL, n, NULL, B));
  PetscCall(MatGetOwnershipRange(*A, &first, &last));
  for (i = first; i < last; i++) {
    for (j = 0; j < n; j++) {
      a[j] = b[j] = 0.0;
      for (k = 0; k < n; k++) {
        PetscScalar xx = x[i + k * n] * PetscConj(x[j + k * n]);

        a[j] += d[k] * xx;
        b[j] += xx;
      }
    }
    PetscCall(MatSetValues(*A, 1, &i, n, cols, a, INSERT_VALUES));
    if (B) PetscCall(MatSetValues(*B, 1, &i, n, cols, b, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  if (B) {
    PetscCall(MatAssemblyBegin(*B, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*B, MAT_FINAL_ASSEMBLY));
  }
  PetscCall(PetscFree5(x, v, a, b, cols));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* tridiag(off', diagonal, off) */
PETSC_UNUSED static PetscErrorCode Tridiagonal(PetscInt n, PetscReal diagonal, PetscScalar off, Mat *T)
{
  PetscInt i, first, last;

  PetscFunctionBegin;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, n, 3, NULL, 2, NULL, T));
  PetscCall(MatGetOwnershipRange(*T, &first, &last));
  for (i = first; i < last; i++) {
    PetscCall(MatSetValue(*T, i, i, diagonal, INSERT_VALUES));
    if (i > 0) PetscCall(MatSetValue(*T, i, i - 1, PetscConj(off), INSERT_VALUES));
    if (i < n - 1) PetscCall(MatSetValue(*T, i, i + 1, off, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*T, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*T, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Stiffness and mass matrix of linear elements on the unit interval, h = 1/(n+1) */
PETSC_UNUSED static PetscErrorCode PairFem(PetscInt n, Mat *K, Mat *M)
{
  PetscReal h = 1.0 / (n + 1);

  PetscFunctionBegin;
  PetscCall(Tridiagonal(n, 2.0 / h, -Phase(0.7) / h, K));
  PetscCall(Tridiagonal(n, 4.0 * h / 6.0, Phase(0.7) * h / 6.0, M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Its eigenvalues, the largest (i = 0) first */
PETSC_UNUSED static PetscReal FemValue(PetscInt n, PetscInt i)
{
  PetscReal h = 1.0 / (n + 1), c = PetscCosReal((n - i) * PETSC_PI * h);

  return 6.0 / (h * h) * (1.0 - c) / (2.0 + c);
}

/* The identity, stored */
PETSC_UNUSED static PetscErrorCode Identity(PetscInt n, Mat *T)
{
  PetscFunctionBegin;
  PetscCall(Tridiagonal(n, 1.0, 0.0, T));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Another matrix as a shell, which counts its products and spoils them from a certain one on */
typedef struct {
  Mat       M;
  PetscInt  products, spoiled; /* products so far, and the first one that is spoiled (0: none is) */
  PetscReal wrong;             /* what stands in its first entry then */
} Shell;

static PetscErrorCode ShellMult(Mat S, Vec x, Vec y)
{
  Shell   *shell;
  PetscInt first, last;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(S, &shell));
  PetscCall(MatMult(shell->M, x, y));
  shell->products++;
  PetscCall(VecGetOwnershipRange(y, &first, &last));
  if (shell->spoiled && shell->products >= shell->spoiled && first == 0 && last > 0) PetscCall(VecSetValue(y, 0, shell->wrong, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(y));
  PetscCall(VecAssemblyEnd(y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ShellDiagonal(Mat S, Vec d)
{
  Shell *shell;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(S, &shell));
  PetscCall(MatGetDiagonal(shell->M, d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PETSC_UNUSED static PetscErrorCode ShellCreate(Mat M, PetscBool diagonal, Shell *shell, Mat *S)
{
  PetscInt m, n;

  PetscFunctionBegin;
  shell->M        = M;
  shell->products = shell->spoiled = 0;
  shell->wrong                     = 0.0;
  PetscCall(MatGetLocalSize(M, &m, &n));
  PetscCall(MatCreateShell(PETSC_COMM_WORLD, m, n, PETSC_DETERMINE, PETSC_DETERMINE, shell, S));
  PetscCall(MatShellSetOperation(*S, MATOP_MULT, (void (*)(void))ShellMult));
  if (diagonal) PetscCall(MatShellSetOperation(*S, MATOP_GET_DIAGONAL, (void (*)(void))ShellDiagonal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A matrix that becomes another one: M + size tridiag(1,0,1) at first, M then */
typedef struct {
  Mat      first, then;
  PetscInt products[2]; /* with the one and with the other */
  PetscInt after;       /* steps, for a stopping test of one's own */
  int      which;
} Change;

static PetscErrorCode ChangeMult(Mat S, Vec x, Vec y)
{
  Change *change;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(S, &change));
  PetscCall(MatMult(change->which ? change->then : change->first, x, y));
  change->products[change->which]++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ChangeDiagonal(Mat S, Vec d)
{
  Change *change;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(S, &change));
  PetscCall(MatGetDiagonal(change->then, d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PETSC_UNUSED static PetscErrorCode ChangeCreate(Mat M, PetscReal size, Change *change, Mat *S)
{
  PetscInt m, n;
  Mat      T;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(change, sizeof(*change)));
  change->then = M;
  PetscCall(MatGetSize(M, &n, NULL));
  PetscCall(Tridiagonal(n, 0.0, Phase(0.3), &T));
  PetscCall(MatDuplicate(M, MAT_COPY_VALUES, &change->first));
  PetscCall(MatAXPY(change->first, size, T, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatDestroy(&T));
  PetscCall(MatGetLocalSize(M, &m, NULL));
  PetscCall(MatCreateShell(PETSC_COMM_WORLD, m, m, n, n, change, S));
  PetscCall(MatShellSetOperation(*S, MATOP_MULT, (void (*)(void))ChangeMult));
  PetscCall(MatShellSetOperation(*S, MATOP_GET_DIAGONAL, (void (*)(void))ChangeDiagonal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PETSC_UNUSED static PetscErrorCode ChangeDestroy(Change *change, Mat *S)
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(S));
  PetscCall(MatDestroy(&change->first));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A stopping test: the matrix changes at the moment everything seems to have been found, which is before that is verified */
PETSC_UNUSED static PetscErrorCode ChangeNow(EPS eps, PetscInt its, PetscInt max_it, PetscInt nconv, PetscInt nev, EPSConvergedReason *reason, void *ctx)
{
  PetscFunctionBegin;
  PetscCall(EPSStoppingBasic(eps, its, max_it, nconv, nev, reason, NULL));
  if (*reason > 0) ((Change *)ctx)->which = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A stopping test: as many as the user likes, and not the nev that were asked for */
PETSC_UNUSED static PetscErrorCode More(EPS eps, PetscInt its, PetscInt max_it, PetscInt nconv, PetscInt nev, EPSConvergedReason *reason, void *ctx)
{
  PetscFunctionBegin;
  (void)eps;
  (void)nev;
  *reason = nconv >= *(PetscInt *)ctx ? EPS_CONVERGED_USER : its >= max_it ? EPS_DIVERGED_ITS : EPS_CONVERGED_ITERATING;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A convergence test that says of all eigenvalues above a limit that they never are good enough */
PETSC_UNUSED static PetscErrorCode NeverTheLargest(EPS eps, PetscScalar lambda, PetscScalar imaginary, PetscReal residual, PetscReal *error, void *limit)
{
  PetscFunctionBegin;
  (void)eps;
  (void)imaginary;
  *error = PetscRealPart(lambda) > *(PetscReal *)limit ? 1.0 : residual / PetscAbsScalar(lambda);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How many kinds of momentum there are; the last one is the most capable */
PETSC_UNUSED static PetscInt Momenta(void)
{
  PetscInt n = 0;

  while (strcmp(EPSNAPIMomentums[n], "EPSNAPIMomentum")) n++;
  return n;
}

#define WHICH_UNSET ((EPSWhich)0) /* the solver's own choice */

/* A solver of type napi for A x = lambda B x, or A x = lambda x where B is NULL */
PETSC_UNUSED static PetscErrorCode SolverFor(Mat A, Mat B, PetscInt nev, EPSWhich which, EPS *eps)
{
  PetscFunctionBegin;
  PetscCall(EPSCreate(PETSC_COMM_WORLD, eps));
  PetscCall(EPSSetOperators(*eps, A, B));
  PetscCall(EPSSetProblemType(*eps, B ? EPS_GHEP : EPS_HEP));
  PetscCall(EPSSetType(*eps, EPSNAPI));
  if (which != WHICH_UNSET) PetscCall(EPSSetWhichEigenpairs(*eps, which));
  PetscCall(EPSSetDimensions(*eps, nev, NAPI_UNSET, NAPI_UNSET));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PETSC_UNUSED static PetscErrorCode SolverCreate(Mat A, Mat B, PetscInt nev, EPSNAPIMomentum momentum, EPS *eps)
{
  PetscFunctionBegin;
  PetscCall(SolverFor(A, B, nev, WHICH_UNSET, eps));
  PetscCall(EPSNAPISetMomentum(*eps, momentum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define STARTS 5

/* Other random numbers for the solver to start from: counts that are to hold whatever they are, are taken over STARTS of them */
PETSC_UNUSED static PetscErrorCode RandomStart(EPS eps, PetscInt seed)
{
  PetscRandom rand;
  BV          bv;

  PetscFunctionBegin;
  PetscCall(EPSGetBV(eps, &bv));
  PetscCall(BVGetRandomContext(bv, &rand));
  PetscCall(PetscRandomSetSeed(rand, (unsigned long)(17 + 1000 * seed)));
  PetscCall(PetscRandomSeed(rand));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The middle one of n numbers, which are in order then */
PETSC_UNUSED static PetscInt Median(PetscInt n, PetscInt numbers[])
{
  (void)PetscSortInt(n, numbers);
  return numbers[n / 2];
}

/* The k eigenvalues of largest magnitude by dense LAPACK */
PETSC_UNUSED static PetscErrorCode DenseValues(Mat A, Mat B, PetscInt k, PetscReal values[])
{
  EPS         eps;
  PetscInt    i;
  PetscScalar lambda;

  PetscFunctionBegin;
  PetscCall(EPSCreate(PETSC_COMM_WORLD, &eps));
  PetscCall(EPSSetOperators(eps, A, B));
  PetscCall(EPSSetProblemType(eps, B ? EPS_GHEP : EPS_HEP));
  PetscCall(EPSSetType(eps, EPSLAPACK));
  PetscCall(EPSSetWhichEigenpairs(eps, EPS_LARGEST_MAGNITUDE));
  PetscCall(EPSSolve(eps));
  for (i = 0; i < k; i++) {
    PetscCall(EPSGetEigenvalue(eps, i, &lambda, NULL));
    values[i] = PetscRealPart(lambda);
  }
  PetscCall(EPSDestroy(&eps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* max |V'B V - I|, from the vectors the user gets and B itself */
PETSC_UNUSED static PetscErrorCode Orthonormality(EPS eps, Mat B, PetscInt k, PetscReal *defect)
{
  PetscInt    i, j;
  PetscScalar dot;
  Vec        *x, y;

  PetscFunctionBegin;
  *defect = 0.0;
  if (k < 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(k, &x));
  for (i = 0; i < k; i++) {
    Mat A;

    PetscCall(EPSGetOperators(eps, &A, NULL));
    PetscCall(MatCreateVecs(A, &x[i], NULL));
    PetscCall(EPSGetEigenvector(eps, i, x[i], NULL));
  }
  PetscCall(VecDuplicate(x[0], &y));
  for (i = 0; i < k; i++) {
    if (B) PetscCall(MatMult(B, x[i], y));
    else PetscCall(VecCopy(x[i], y));
    for (j = 0; j < k; j++) {
      PetscCall(VecDot(y, x[j], &dot));
      *defect = TapWorst(*defect, PetscAbsScalar(dot - (i == j ? 1.0 : 0.0)));
    }
  }
  for (i = 0; i < k; i++) PetscCall(VecDestroy(&x[i]));
  PetscCall(VecDestroy(&y));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ||A x - lambda B x||/(|lambda| ||B x||) of pair i, computed here */
PETSC_UNUSED static PetscErrorCode ScaledResidual(EPS eps, Mat A, Mat B, PetscInt i, PetscReal *residual)
{
  PetscScalar lambda;
  PetscReal   norm;
  Vec         x, ax, bx;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &x, &ax));
  PetscCall(VecDuplicate(x, &bx));
  PetscCall(EPSGetEigenpair(eps, i, &lambda, NULL, x, NULL));
  PetscCall(MatMult(A, x, ax));
  if (B) PetscCall(MatMult(B, x, bx));
  else PetscCall(VecCopy(x, bx));
  PetscCall(VecAXPY(ax, -lambda, bx));
  PetscCall(VecNorm(ax, NORM_2, residual));
  PetscCall(VecNorm(bx, NORM_2, &norm));
  *residual /= PetscAbsScalar(lambda) * norm;
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&ax));
  PetscCall(VecDestroy(&bx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The first k pairs are right: their values are the first of known[] (all the eigenvalues down to a magnitude well
   below the k-th, by magnitude) to a relative valtol, each used once, since equal magnitudes may come in any order;
   their residuals, SLEPc's and the scaled one, are at most tol, and the vectors B-orthonormal.
*/
PETSC_UNUSED static PetscErrorCode TapPairs(EPS eps, Mat A, Mat B, PetscInt k, PetscInt nknown, const PetscReal known[], PetscReal valtol, const char *what)
{
  PetscInt    nconv, i, j;
  PetscReal   tol, error, scaled, defect = 0.0, worst = 0.0, far = 0.0;
  PetscScalar lambda;
  PetscBool  *used, pass;

  PetscFunctionBegin;
  PetscCall(EPSGetConverged(eps, &nconv));
  PetscCall(EPSGetTolerances(eps, &tol, NULL));
  PetscCall(PetscCalloc1(nknown, &used));
  for (i = 0; i < PetscMin(k, nconv); i++) {
    PetscReal best = PETSC_MAX_REAL;
    PetscInt  at   = 0;

    PetscCall(EPSGetEigenvalue(eps, i, &lambda, NULL));
    for (j = 0; j < nknown; j++) {
      PetscReal distance = PetscAbsReal(PetscRealPart(lambda) - known[j]) / PetscAbsReal(known[j]);

      if (!used[j] && PetscAbsReal(known[j]) >= (1.0 - valtol) * PetscAbsReal(known[i]) && distance < best) {
        best = distance;
        at   = j;
      }
    }
    used[at] = PETSC_TRUE;
    far      = TapWorst(far, best);
    PetscCall(EPSComputeError(eps, i, EPS_ERROR_RELATIVE, &error));
    PetscCall(ScaledResidual(eps, A, B, i, &scaled));
    worst = TapWorst(worst, TapWorst(error, scaled));
  }
  PetscCall(PetscFree(used));
  PetscCall(Orthonormality(eps, B, PetscMin(k, nconv), &defect));
  pass = (PetscBool)(nconv >= k && far <= valtol && worst <= tol && defect < 1e-10);
  PetscCall(TapOk(pass, "%s", what));
  if (!pass)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# converged %d of %d, eigenvalues off by %g (allowed %g), residual %g (allowed %g), V'BV off by %g\n", (int)nconv, (int)k, (double)far, (double)valtol, (double)worst, (double)tol, (double)defect));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- errors that are wanted: TapFails(EPSSolve(eps), PETSC_ERR_SUP, "shift", "what") ------------------------------- */

static char failure[4096]; /* the sentence of the last error */

static PetscErrorCode KeepSentence(MPI_Comm comm, int line, const char *func, const char *file, PetscErrorCode code, PetscErrorType type, const char *sentence, void *ctx)
{
  (void)comm;
  (void)line;
  (void)func;
  (void)file;
  (void)ctx;
  if (type == PETSC_ERROR_INITIAL) (void)snprintf(failure, sizeof(failure), "%s", sentence ? sentence : "");
  return code;
}

PETSC_UNUSED static PetscErrorCode FailuresBegin(void)
{
  failure[0] = 0;
  return PetscPushErrorHandler(KeepSentence, NULL);
}

/* The call fails, with this code and a sentence in which these words occur, and comes back */
#define TapFails(call, wanted, words, what) \
  do { \
    PetscErrorCode code_; \
    PetscCall(FailuresBegin()); \
    code_ = call; \
    PetscCall(PetscPopErrorHandler()); \
    PetscCall(TapOk((PetscBool)(code_ == (wanted) && strstr(failure, words)), "%s", what)); \
    if (code_ != (wanted) || !strstr(failure, words)) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# code %d, wanted %d with '%s': %s\n", (int)code_, (int)(wanted), words, failure)); \
  } while (0)

/* The solve ends, with a diverged reason or an error that is about the problem (not about our own code), and claims nothing */
PETSC_UNUSED static PetscErrorCode TapGivesUp(EPS eps, const char *what)
{
  PetscErrorCode     code;
  EPSConvergedReason reason = EPS_CONVERGED_ITERATING;
  PetscInt           nconv  = 0;
  PetscBool          clear;

  PetscFunctionBegin;
  PetscCall(FailuresBegin());
  code = EPSSolve(eps);
  PetscCall(PetscPopErrorHandler());
  if (!code) {
    PetscCall(EPSGetConvergedReason(eps, &reason));
    PetscCall(EPSGetConverged(eps, &nconv));
  }
  clear = (PetscBool)(code == PETSC_ERR_SUP || code == PETSC_ERR_USER || code == PETSC_ERR_FP || code == PETSC_ERR_NOT_CONVERGED);
  PetscCall(TapOk((PetscBool)(code ? clear : reason < 0 && nconv == 0), "%s", what));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s %s, %d converged\n", code ? "error:" : "reason:", code ? failure : EPSConvergedReasons[reason], (int)nconv));
  PetscFunctionReturn(PETSC_SUCCESS);
}
