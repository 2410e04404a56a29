/* SPDX-License-Identifier: BSD-2-Clause */
/*
   PC type sketch: the spectrum it leaves, against dense eigenvalues; the solutions, against products with the matrix
   written out; what is kept between set-ups, what is done instead where there can be no factor, what is
   refused, and for which views CCA takes it.

   The views are ill conditioned in a way that Jacobi cannot cure: columns come in pairs that differ little, and less and
   less. Their entries depend on global indices only.
*/
#include "pairs.h"
#include "views.h"
#include <math.h>

#define SAMPLES 1200
#define COLUMNS 30

typedef struct {
  const char *name;
  PetscInt    d[2]; /* columns; d[1] = 0: one view */
  PetscBool   dense[2];
  PetscBool   center, scale;
  PetscReal   s[3];
} Case;

static const Case cases[] = {
  {"dense",                          {COLUMNS, 0},  {PETSC_TRUE, PETSC_TRUE},   PETSC_FALSE, PETSC_FALSE, {1.0, 0.0, 1.0} },
  {"sparse",                         {COLUMNS, 0},  {PETSC_FALSE, PETSC_FALSE}, PETSC_FALSE, PETSC_FALSE, {1.0, 0.0, 1.0} },
  {"dense, centered",                {COLUMNS, 0},  {PETSC_TRUE, PETSC_TRUE},   PETSC_TRUE,  PETSC_FALSE, {2.5, 0.0, 1.0} },
  {"sparse, centered and scaled",    {COLUMNS, 0},  {PETSC_FALSE, PETSC_FALSE}, PETSC_TRUE,  PETSC_TRUE,  {1.0, 0.0, 1.0} },
  {"two views",                      {COLUMNS, 14}, {PETSC_FALSE, PETSC_TRUE},  PETSC_TRUE,  PETSC_FALSE, {1.0, 0.0, 2.0} },
  {"two coupled views",              {16, COLUMNS}, {PETSC_FALSE, PETSC_TRUE},  PETSC_FALSE, PETSC_TRUE,  {1.3, -1.0, 1.3}},
  {"two coupled views, both sparse", {16, 14},      {PETSC_FALSE, PETSC_FALSE}, PETSC_TRUE,  PETSC_FALSE, {1.1, 1.0, 1.1} },
  {"two coupled views, dense",       {16, 14},      {PETSC_TRUE, PETSC_TRUE},   PETSC_TRUE,  PETSC_TRUE,  {1.1, 1.0, 1.1} }
};

static PetscReal Noise(PetscInt i, PetscInt j)
{
  PetscReal x = PetscSinReal(12.9898 * (PetscReal)(i + 1) + 78.233 * (PetscReal)(j + 1)) * 43758.5453;

  return 2 * (x - PetscFloorReal(x)) - 1;
}

static PetscScalar Noisy(PetscInt i, PetscInt j)
{
#if defined(PETSC_USE_COMPLEX)
  return PetscCMPLX(Noise(i, j), Noise(i, j + 1000));
#else
  return Noise(i, j);
#endif
}

/* Columns 2l and 2l+1 are a and (1 + 10^{-l/5} noise) a; half of the entries are zero, and the mean is not */
static PetscScalar Entry(PetscInt view, PetscInt i, PetscInt j)
{
  PetscInt l = j / 2 + 100 * view;

  if (Noise(i, 500 + l) > 0) return 0.0;
  return (1.5 + Noisy(i, l)) * (1.0 + (j % 2) * PetscPowReal(10.0, -0.2 * (PetscReal)(j / 2)) * Noise(i, 300 + l));
}

static PetscErrorCode View(MPI_Comm comm, PetscInt n, PetscInt d, PetscBool dense, PetscInt view, ViewFormula entry, Mat *X)
{
  PetscFunctionBegin;
  PetscCall(ViewFromFormula(comm, n, d, dense, -1, entry, view, X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Gram(MPI_Comm comm, const Case *c, PetscInt n, PetscReal ridge, Mat *G)
{
  Mat X, Y = NULL;

  PetscFunctionBegin;
  PetscCall(View(comm, n, c->d[0], c->dense[0], 0, Entry, &X));
  if (c->d[1]) PetscCall(View(comm, n, c->d[1], c->dense[1], 1, Entry, &Y));
  PetscCall(MatCreateGram(X, Y, G));
  PetscCall(MatGramSetCoupling(*G, c->s[0], c->s[1], c->s[2]));
  PetscCall(MatGramSetRidge(*G, ridge, 2 * ridge));
  PetscCall(MatGramSetCentering(*G, c->center));
  PetscCall(MatGramSetScaling(*G, c->scale));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solver(Mat G, PCType type, KSP *ksp)
{
  PC pc;

  PetscFunctionBegin;
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)G), ksp));
  PetscCall(KSPSetType(*ksp, KSPCG));
  PetscCall(KSPSetNormType(*ksp, KSP_NORM_UNPRECONDITIONED));
  PetscCall(KSPSetOperators(*ksp, G, G));
  PetscCall(KSPSetTolerances(*ksp, 1e-9, PETSC_DEFAULT, PETSC_DEFAULT, 3000));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves G x = b for b = (G written out) x0; iterations, and the relative error of x in the norm of G (-1: not solved) */
static PetscErrorCode Solve(KSP ksp, PetscInt *its, PetscReal *error)
{
  KSPConvergedReason reason;
  PetscInt           first, last;
  PetscScalar       *a, dot, norm;
  Mat                G, D;
  Vec                x, x0, b;

  PetscFunctionBegin;
  PetscCall(KSPGetOperators(ksp, &G, NULL));
  PetscCall(MatConvert(G, MATDENSE, MAT_INITIAL_MATRIX, &D));
  PetscCall(MatCreateVecs(G, &x0, &b));
  PetscCall(VecDuplicate(x0, &x));
  PetscCall(VecGetOwnershipRange(x0, &first, &last));
  PetscCall(VecGetArray(x0, &a));
  for (PetscInt i = first; i < last; i++) a[i - first] = Noisy(i, 7);
  PetscCall(VecRestoreArray(x0, &a));
  PetscCall(MatMult(D, x0, b));
  PetscCall(VecDot(b, x0, &norm));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetIterationNumber(ksp, its));
  PetscCall(VecAXPY(x, -1.0, x0));
  PetscCall(MatMult(D, x, b));
  PetscCall(VecDot(b, x, &dot));
  *error = reason > 0 ? PetscSqrtReal(PetscAbsScalar(dot) / PetscAbsScalar(norm)) : -1;
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&x0));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&D));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* M^{-1}, written out by the application to the unit vectors */
static PetscErrorCode Inverse(PC pc, Mat *P)
{
  PetscInt     n, N, first, last, ld;
  PetscScalar *a;
  Mat          G, E;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(pc, NULL, &G));
  PetscCall(MatGetLocalSize(G, &n, NULL));
  PetscCall(MatGetSize(G, &N, NULL));
  PetscCall(MatGetOwnershipRange(G, &first, &last));
  PetscCall(MatCreateDense(PetscObjectComm((PetscObject)G), n, n, N, N, NULL, &E));
  PetscCall(MatDenseGetArray(E, &a));
  PetscCall(MatDenseGetLDA(E, &ld));
  for (PetscInt i = first; i < last; i++) a[i - first + i * ld] = 1.0;
  PetscCall(MatDenseRestoreArray(E, &a));
  PetscCall(MatAssemblyBegin(E, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(E, MAT_FINAL_ASSEMBLY));
  PetscCall(MatDuplicate(E, MAT_COPY_VALUES, P));
  PetscCall(PCSetUp(pc));
  PetscCall(PCMatApply(pc, E, *P));
  PetscCall(MatDestroy(&E));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ||M^{-1}|| */
static PetscErrorCode InverseNorm(KSP ksp, PetscReal *norm)
{
  PC  pc;
  Mat P;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(Inverse(pc, &P));
  PetscCall(MatNorm(P, NORM_FROBENIUS, norm));
  PetscCall(MatDestroy(&P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ||P - Q|| / ||Q|| */
static PetscErrorCode Distance(Mat P, Mat Q, PetscReal *distance)
{
  PetscReal norm;
  Mat       E;

  PetscFunctionBegin;
  PetscCall(MatDuplicate(P, MAT_COPY_VALUES, &E));
  PetscCall(MatAXPY(E, -1.0, Q, SAME_NONZERO_PATTERN));
  PetscCall(MatNorm(E, NORM_FROBENIUS, distance));
  PetscCall(MatNorm(Q, NORM_FROBENIUS, &norm));
  *distance /= norm;
  PetscCall(MatDestroy(&E));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Extreme eigenvalues of M^{-1} G: those of (G M^{-1} G, G), of which both are Hermitian; on one rank */
static PetscErrorCode Spectrum(PC pc, PetscReal *smallest, PetscReal *largest)
{
  PetscScalar value;
  PetscInt    n;
  Mat         G, D, P, PD, GPG, T;
  EPS         eps;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(pc, NULL, &G));
  PetscCall(MatConvert(G, MATDENSE, MAT_INITIAL_MATRIX, &D));
  PetscCall(Inverse(pc, &P));
  PetscCall(MatMatMult(P, D, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &PD));
  PetscCall(MatMatMult(D, PD, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &GPG));
  PetscCall(MatHermitianTranspose(GPG, MAT_INITIAL_MATRIX, &T));
  PetscCall(MatAXPY(GPG, 1.0, T, SAME_NONZERO_PATTERN));
  PetscCall(MatScale(GPG, 0.5));
  PetscCall(EPSCreate(PETSC_COMM_SELF, &eps));
  PetscCall(EPSSetOperators(eps, GPG, D));
  PetscCall(EPSSetProblemType(eps, EPS_GHEP));
  PetscCall(EPSSetType(eps, EPSLAPACK));
  PetscCall(EPSSetWhichEigenpairs(eps, EPS_LARGEST_REAL));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConverged(eps, &n));
  PetscCall(EPSGetEigenvalue(eps, 0, &value, NULL));
  *largest = PetscRealPart(value);
  PetscCall(EPSGetEigenvalue(eps, n - 1, &value, NULL));
  *smallest = PetscRealPart(value);
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&D));
  PetscCall(MatDestroy(&P));
  PetscCall(MatDestroy(&PD));
  PetscCall(MatDestroy(&GPG));
  PetscCall(MatDestroy(&T));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a view of the preconditioner has these words */
static PetscErrorCode Says(PC pc, const char *words, PetscBool *says)
{
  char        text[8192];
  FILE       *file = tmpfile(); /* a viewer into a string is no ASCII viewer */
  PetscViewer viewer;

  PetscFunctionBegin;
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "No temporary file");
  PetscCall(PetscViewerASCIIOpenWithFILE(PETSC_COMM_WORLD, file, &viewer));
  PetscCall(PCView(pc, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  rewind(file);
  text[fread(text, 1, sizeof(text) - 1, file)] = 0;
  (void)fclose(file);
  PetscCallMPI(MPI_Bcast(text, (PetscMPIInt)sizeof(text), MPI_CHAR, 0, PETSC_COMM_WORLD)); /* only rank 0 has written */
  *says = strstr(text, words) ? PETSC_TRUE : PETSC_FALSE;
  if (!*says) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# '%s' is not in: %s\n", words, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* For every kind of data: spectrum, iterations, solution, and the same on one rank and on all */
static PetscErrorCode TestCases(void)
{
  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); k++) {
    const Case *c = &cases[k];
    PetscReal   lo, hi, jlo, jhi, error, alone_error, distance;
    PetscInt    its, alone, jacobi, exact;
    KSP         ksp, self, plain;
    PC          pc;
    Mat         G, H, P, Q;

    PetscCall(Gram(PETSC_COMM_WORLD, c, SAMPLES, 1e-9, &G));
    PetscCall(Gram(PETSC_COMM_SELF, c, SAMPLES, 1e-9, &H));
    PetscCall(Solver(G, PCSKETCH, &ksp));
    PetscCall(Solver(H, PCSKETCH, &self));
    PetscCall(Solver(G, PCJACOBI, &plain));
    PetscCall(Solve(ksp, &its, &error));
    PetscCall(Solve(self, &alone, &alone_error));
    PetscCall(TapOk((PetscBool)(error >= 0 && error < 1e-5 && alone_error >= 0 && alone_error < 1e-5), "%s: the solution is that of the matrix written out", c->name));
    PetscCall(TapOk((PetscBool)(PetscAbsInt(its - alone) <= 1), "%s: iterations do not depend on the number of ranks", c->name));
    PetscCall(Solve(plain, &jacobi, &error));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s: %d iterations, %d on one rank, Jacobi %d\n", c->name, (int)its, (int)alone, (int)jacobi));
    PetscCall(TapOk((PetscBool)(its <= 40 && 3 * its <= 2 * jacobi), "%s: at most 40 iterations, and two thirds of Jacobi's", c->name));
    /* the spectrum, on one rank: e = 1/2 makes 9 */
    PetscCall(KSPGetPC(self, &pc));
    PetscCall(Spectrum(pc, &lo, &hi));
    PetscCall(PCSetType(pc, PCJACOBI));
    PetscCall(Spectrum(pc, &jlo, &jhi));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s: spectrum %g to %g, condition number %g, Jacobi's %g\n", c->name, (double)lo, (double)hi, (double)(hi / lo), (double)(jhi / jlo)));
    PetscCall(TapOk((PetscBool)(lo > 0 && lo < 1 && hi > 1 && hi / lo < 1.5 * 9), "%s: the condition number is about 9", c->name));
    PetscCall(TapOk((PetscBool)(jhi / jlo > 1e3), "%s: and more than 1000 with Jacobi", c->name));
    /* more rows than samples: M = G */
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSketchSetSize(pc, 1e4));
    PetscCall(Solve(ksp, &exact, &error));
    PetscCall(TapOk((PetscBool)(exact <= 2 && error >= 0 && error < 1e-5), "%s: with more rows than samples the matrix itself is factored", c->name));
    /* M^{-1} itself, on all ranks, column by column */
    PetscCall(PCSketchSetSize(pc, 3.3));
    PetscCall(PCSketchSetNonzeros(pc, 3));
    PetscCall(Inverse(pc, &P));
    PetscCall(MatDuplicate(P, MAT_DO_NOT_COPY_VALUES, &Q));
    {
      PetscInt first, last, N;
      Vec      e, y;

      PetscCall(MatGetSize(G, &N, NULL));
      PetscCall(MatCreateVecs(G, &e, NULL));
      PetscCall(VecGetOwnershipRange(e, &first, &last));
      for (PetscInt j = 0; j < N; j++) {
        PetscCall(VecZeroEntries(e));
        if (j >= first && j < last) PetscCall(VecSetValue(e, j, 1.0, INSERT_VALUES));
        PetscCall(VecAssemblyBegin(e));
        PetscCall(VecAssemblyEnd(e));
        PetscCall(MatDenseGetColumnVecWrite(Q, j, &y));
        PetscCall(PCApply(pc, e, y));
        PetscCall(MatDenseRestoreColumnVecWrite(Q, j, &y));
      }
      PetscCall(VecDestroy(&e));
    }
    PetscCall(Distance(P, Q, &distance));
    PetscCall(TapOk((PetscBool)(distance < 1e-12), "%s: a block at once, or column by column", c->name));
    PetscCall(MatDestroy(&Q));
    PetscCall(MatHermitianTranspose(P, MAT_INITIAL_MATRIX, &Q));
    PetscCall(Distance(P, Q, &distance));
    PetscCall(TapOk((PetscBool)(distance < 1e-8), "%s: the preconditioner is Hermitian", c->name));
    PetscCall(MatDestroy(&P));
    PetscCall(MatDestroy(&Q));
    PetscCall(KSPDestroy(&ksp));
    PetscCall(KSPDestroy(&self));
    PetscCall(KSPDestroy(&plain));
    PetscCall(MatDestroy(&G));
    PetscCall(MatDestroy(&H));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* More rows make a better sketch; other seeds other ones; both by options too */
static PetscErrorCode TestChoices(void)
{
  PetscReal lo, hi, condition[3], ratio;
  PetscInt  number[3];
  PetscBool same, says;
  KSP       ksp;
  PC        pc;
  Mat       G, P, Q;

  PetscFunctionBegin;
  PetscCall(Gram(PETSC_COMM_SELF, &cases[0], SAMPLES, 1e-9, &G));
  PetscCall(Solver(G, PCSKETCH, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  for (int i = 0; i < 3; i++) {
    PetscCall(PCSketchSetSize(pc, PetscPowRealInt(3.0, i + 1)));
    PetscCall(Spectrum(pc, &lo, &hi));
    condition[i] = hi / lo;
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# condition numbers for 3, 9 and 27 rows a column: %g %g %g\n", (double)condition[0], (double)condition[1], (double)condition[2]));
  PetscCall(TapOk((PetscBool)(condition[0] < 22 && condition[1] < 6 && condition[2] < 3.3 && condition[2] < condition[1] && condition[1] < condition[0]), "condition numbers fall with the size of the sketch as they should"));
  PetscCall(PCSketchSetSize(pc, 4.0));
  PetscCall(Inverse(pc, &P));
  PetscCall(PCSketchSetSeed(pc, 17));
  PetscCall(Inverse(pc, &Q));
  PetscCall(Distance(P, Q, &lo));
  PetscCall(TapOk((PetscBool)(lo > 1e-3), "another seed is another sketch"));
  PetscCall(MatDestroy(&Q));
  PetscCall(PCSketchSetSeed(pc, 0));
  PetscCall(Inverse(pc, &Q));
  PetscCall(MatEqual(P, Q, &same));
  PetscCall(TapOk(same, "the same seed is the same sketch"));
  PetscCall(MatDestroy(&P));
  PetscCall(MatDestroy(&Q));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&G));

  PetscCall(Gram(PETSC_COMM_WORLD, &cases[1], SAMPLES, 1e-9, &G));
  PetscCall(PetscOptionsSetValue(NULL, "-s_pc_type", "sketch"));
  PetscCall(PetscOptionsSetValue(NULL, "-s_pc_sketch_size", "5.5"));
  PetscCall(PetscOptionsSetValue(NULL, "-s_pc_sketch_seed", "42"));
  PetscCall(PetscOptionsSetValue(NULL, "-s_pc_sketch_nonzeros", "2"));
  PetscCall(PetscOptionsSetValue(NULL, "-s_pc_sketch_max_dimension", "77"));
  PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
  PetscCall(PCSetOptionsPrefix(pc, "s_"));
  PetscCall(PCSetOperators(pc, G, G));
  PetscCall(PCSetFromOptions(pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCSKETCH, &same));
  PetscCall(TapOk(same, "-pc_type sketch"));
  PetscCall(PCSketchGetSize(pc, &ratio));
  PetscCall(PCSketchGetSeed(pc, &number[0]));
  PetscCall(PCSketchGetNonzeros(pc, &number[1]));
  PetscCall(PCSketchGetMaxDimension(pc, &number[2]));
  PetscCall(TapOk((PetscBool)(ratio == 5.5 && number[0] == 42 && number[1] == 2 && number[2] == 77), "its options"));
  PetscCall(PCSetUp(pc));
  PetscCall(Says(pc, "5.5 rows a column, 2 nonzeros a sample, seed 42, factors of order up to 77", &says));
  PetscCall(TapOk(says, "a view tells them"));
  PetscCall(Says(pc, "Cholesky of order 30 of a sketch of 166 rows", &says));
  PetscCall(TapOk(says, "and what was made of them"));
  TapFails(PCSketchSetSize(pc, 0.5), PETSC_ERR_ARG_OUTOFRANGE, "at least as many rows", "fewer rows than columns are refused");
  TapFails(PCSketchSetNonzeros(pc, 0), PETSC_ERR_ARG_OUTOFRANGE, "at least one row", "no nonzeros are refused");
  TapFails(PCSketchSetMaxDimension(pc, -1), PETSC_ERR_ARG_OUTOFRANGE, "must not be negative", "a negative order is refused");
  TapFails(PCSketchSetMaxDimension(pc, 50000), PETSC_ERR_ARG_OUTOFRANGE, "32-bit", "so is one whose factor could not be indexed");
  PetscCall(PCSetType(pc, PCNONE));
  PetscCall(PCSketchSetSize(pc, 3.0));
  PetscCall(PCSetType(pc, PCSKETCH));
  PetscCall(PCSketchGetSize(pc, &ratio));
  PetscCall(TapOk((PetscBool)(ratio == 4.0), "to another type and back"));
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Passes(KSP ksp, PetscReal *passes)
{
  PetscReal before, after;
  Mat       G;

  PetscFunctionBegin;
  PetscCall(KSPGetOperators(ksp, &G, NULL));
  PetscCall(KSPSetOperators(ksp, G, G)); /* old PETScs look for changes only then */
  PetscCall(MatGramGetPasses(G, &before));
  PetscCall(KSPSetUp(ksp));
  PetscCall(MatGramGetPasses(G, &after));
  *passes = after - before;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The data are read again only if they, or the random numbers, have changed */
static PetscErrorCode TestReuse(void)
{
  PetscReal passes, error, distance;
  PetscInt  its;
  KSP       ksp, fresh;
  PC        pc, freshpc;
  Mat       G, X, P, Q;

  PetscFunctionBegin;
  PetscCall(Gram(PETSC_COMM_WORLD, &cases[4], SAMPLES, 1e-2, &G));
  PetscCall(Solver(G, PCSKETCH, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(Passes(ksp, &passes));
  PetscCall(TapNear(passes, 1.0, 0.0, "the set-up is one pass over the data"));
  PetscCall(Passes(ksp, &passes));
  PetscCall(TapNear(passes, 0.0, 0.0, "a second one is none"));
  PetscCall(MatGramSetRidge(G, 1e-9, 1e-8));
  PetscCall(MatGramSetCoupling(G, 3.0, 0.0, 1.0));
  PetscCall(Passes(ksp, &passes));
  PetscCall(TapNear(passes, 0.0, 0.0, "other ridges and factors read no data"));
  PetscCall(Solve(ksp, &its, &error));
  PetscCall(TapOk((PetscBool)(error >= 0 && error < 1e-5 && its <= 45), "and are in the factors: %d iterations", (int)its));
  PetscCall(Solver(G, PCSKETCH, &fresh));
  PetscCall(KSPGetPC(fresh, &freshpc));
  PetscCall(Inverse(pc, &P));
  PetscCall(Inverse(freshpc, &Q));
  PetscCall(Distance(P, Q, &distance));
  PetscCall(TapOk((PetscBool)(distance < 1e-9), "which are those of a fresh set-up"));
  PetscCall(MatDestroy(&P));
  PetscCall(MatDestroy(&Q));
  PetscCall(KSPDestroy(&fresh));
  PetscCall(PCSketchSetSeed(pc, 3));
  PetscCall(Passes(ksp, &passes));
  PetscCall(TapNear(passes, 1.0, 0.0, "another seed reads them again"));
  PetscCall(MatGramSetCentering(G, PETSC_FALSE));
  PetscCall(Passes(ksp, &passes));
  PetscCall(TapNear(passes, 1.0, 0.0, "so does the end of centering"));
  PetscCall(MatGramSetViewScaling(G, 0, PETSC_TRUE));
  PetscCall(Passes(ksp, &passes));
  PetscCall(TapNear(passes, 1.0, 0.0, "so does a view that is scaled"));
  PetscCall(MatGramSetViewScaling(G, 0, PETSC_FALSE));
  PetscCall(MatGramSetViewScaling(G, 1, PETSC_TRUE));
  PetscCall(Passes(ksp, &passes));
  PetscCall(TapNear(passes, 1.0, 0.0, "and the other one instead"));
  PetscCall(MatGramSetScaling(G, PETSC_FALSE));
  PetscCall(MatGramSetCoupling(G, 3.0, 1.0, 1.0));
  PetscCall(Passes(ksp, &passes));
  PetscCall(TapNear(passes, 1.0, 0.0, "so does a coupling where there was none"));
  PetscCall(MatGramGetViews(G, &X, NULL));
  PetscCall(MatScale(X, 2.0));
  PetscCall(MatGramSetRidge(G, 1e-8, 1e-8));
  PetscCall(Passes(ksp, &passes));
  PetscCall(TapNear(passes, 1.0, 0.0, "so do other data"));
  PetscCall(Solve(ksp, &its, &error));
  PetscCall(TapOk((PetscBool)(error >= 0 && error < 1e-5 && its <= 45), "and the solution is theirs: %d iterations", (int)its));
  PetscCall(KSPSetType(ksp, KSPBLOCKCG));
  PetscCall(Passes(ksp, &passes));
  PetscCall(Solve(ksp, &its, &error));
  PetscCall(TapOk((PetscBool)(passes == 0.0 && error >= 0 && error < 1e-5 && its <= 45), "another KSP takes it over: %d iterations", (int)its));
  PetscCall(KSPReset(ksp));
  PetscCall(KSPSetOperators(ksp, G, G));
  PetscCall(Passes(ksp, &passes));
  PetscCall(TapNear(passes, 1.0, 0.0, "after a reset everything is done anew"));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* No dense factor: Jacobi for the views that are too large */
static PetscErrorCode TestFallback(void)
{
  PetscReal distance, error;
  PetscInt  its, both;
  PetscBool says;
  KSP       ksp, jacobi;
  PC        pc, jpc;
  Mat       G, P, Q;

  PetscFunctionBegin;
  PetscCall(Gram(PETSC_COMM_WORLD, &cases[4], SAMPLES, 1e-6, &G)); /* 30 and 14 columns */
  PetscCall(Solver(G, PCSKETCH, &ksp));
  PetscCall(Solver(G, PCJACOBI, &jacobi));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(KSPGetPC(jacobi, &jpc));
  PetscCall(Inverse(jpc, &Q));
  PetscCall(PCSketchSetMaxDimension(pc, 13));
  PetscCall(Inverse(pc, &P));
  PetscCall(Distance(P, Q, &distance));
  PetscCall(TapOk((PetscBool)(distance < 1e-14), "both views too large: this is Jacobi"));
  PetscCall(Says(pc, "view X: Jacobi, its 30 columns are too many", &says));
  PetscCall(TapOk(says, "and a view says so"));
  PetscCall(MatDestroy(&P));
  {
    Mat                D, PD;
    PetscReal          worst = 0, diagonal = 0;
    PetscInt           first, last, ld, ldp, ldq;
    const PetscScalar *a, *p, *q;

    PetscCall(PCSketchSetMaxDimension(pc, 14));
    PetscCall(PCSketchSetSize(pc, 1e4)); /* the matrix itself: its block for Y times the factor's inverse is the identity */
    PetscCall(Inverse(pc, &P));
    PetscCall(MatConvert(G, MATDENSE, MAT_INITIAL_MATRIX, &D));
    PetscCall(MatMatMult(D, P, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &PD));
    PetscCall(MatGetOwnershipRange(G, &first, &last));
    PetscCall(MatDenseGetArrayRead(PD, &a));
    PetscCall(MatDenseGetArrayRead(P, &p));
    PetscCall(MatDenseGetArrayRead(Q, &q));
    PetscCall(MatDenseGetLDA(PD, &ld));
    PetscCall(MatDenseGetLDA(P, &ldp));
    PetscCall(MatDenseGetLDA(Q, &ldq));
    for (PetscInt r = first; r < last; r++) {
      for (PetscInt j = 0; j < 44; j++) {
        if (j >= 30) worst = TapWorst(worst, PetscAbsScalar(a[r - first + j * ld] - (r == j ? 1.0 : 0.0)));
        else diagonal = TapWorst(diagonal, PetscAbsScalar(p[r - first + j * ldp] - q[r - first + j * ldq]));
      }
    }
    PetscCall(MatDenseRestoreArrayRead(PD, &a));
    PetscCall(MatDenseRestoreArrayRead(P, &p));
    PetscCall(MatDenseRestoreArrayRead(Q, &q));
    PetscCall(TapOk((PetscBool)(worst < 1e-6 && diagonal < 1e-14), "X too large, Y not: a factor for Y, Jacobi for X"));
    PetscCall(MatDestroy(&P));
    PetscCall(MatDestroy(&D));
    PetscCall(MatDestroy(&PD));
  }
  PetscCall(Says(pc, "view Y: Cholesky of order 14 of the matrix itself", &says));
  PetscCall(TapOk(says, "and a view says so"));
  PetscCall(MatDestroy(&Q));
  PetscCall(KSPDestroy(&jacobi));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&G));

  /* coupled views that are too large together only */
  PetscCall(Gram(PETSC_COMM_WORLD, &cases[5], SAMPLES, 1e-9, &G));
  PetscCall(Solver(G, PCSKETCH, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(Solve(ksp, &both, &error));
  PetscCall(PCSketchSetMaxDimension(pc, 30));
  PetscCall(Solve(ksp, &its, &error));
  PetscCall(TapOk((PetscBool)(error >= 0 && error < 1e-5 && its >= both), "coupled views too large for one factor: one each, %d iterations instead of %d", (int)its, (int)both));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Columns 3 and 4: zero; 5 and 6, 7 and 8: the same */
static PetscScalar Dependent(PetscInt view, PetscInt i, PetscInt j)
{
  if (j == 3 || j == 4) return 0.0;
  return Noisy(i, 10 * view + (j == 6 || j == 8 ? j - 1 : j));
}

/* Columns 3 and 4: constant */
static PetscScalar Constant(PetscInt view, PetscInt i, PetscInt j)
{
  return j == 3 ? 1.0 / 3.0 : j == 4 ? 0.1 : Noisy(i, j + view);
}

/* Each of the first samples is the only one that knows its column well */
static PetscScalar Spiked(PetscInt view, PetscInt i, PetscInt j)
{
  return (i % 20 == 0 && i / 20 == j ? 100.0 : 0.0) + 0.01 * Noisy(i, j + view);
}

/* A solve with another ridge, so that there is a set-up, in which failure is an error */
static PetscErrorCode FailLoudly(KSP ksp, Vec b, Vec x)
{
  PetscErrorCode ierr;
  Mat            G;

  PetscFunctionBegin;
  PetscCall(KSPGetOperators(ksp, &G, NULL));
  PetscCall(MatGramSetRidge(G, 1e-6, 2e-6));
  PetscCall(KSPSetOperators(ksp, G, G));
  PetscCall(KSPSetErrorIfNotConverged(ksp, PETSC_TRUE));
  ierr = KSPSolve(ksp, b, x);
  PetscCall(KSPSetErrorIfNotConverged(ksp, PETSC_FALSE));
  PetscFunctionReturn(ierr);
}

static PetscErrorCode TestHardData(void)
{
  PetscInt           first, last;
  PetscReal          error, norm, lo, hi, condition[2] = {0, 0};
  PetscInt           its;
  PetscBool          says;
  KSPConvergedReason reason;
  KSP                ksp;
  PC                 pc;
  Mat                X, Y, G, P, Q;
  Vec                x, b;

  PetscFunctionBegin;
  for (int dense = 0; dense < 2; dense++) {
    PetscCall(View(PETSC_COMM_WORLD, 400, 12, (PetscBool)dense, 0, Dependent, &X));
    PetscCall(MatCreateGram(X, NULL, &G));
    PetscCall(Solver(G, PCSKETCH, &ksp));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(Solve(ksp, &its, &error));
    PetscCall(Says(pc, "singular", &says));
    PetscCall(TapOk((PetscBool)(error >= 0 && error < 1e-6 && its <= 30 && says), "zero and equal columns, no ridge, %s: %d iterations", dense ? "dense" : "sparse", (int)its));
    PetscCall(KSPDestroy(&ksp));
    PetscCall(MatDestroy(&G));
    PetscCall(MatDestroy(&X));
  }

  /* columns that are nothing but rounding errors once their mean is taken off */
  for (int kind = 0; kind < 4; kind++) {
    PetscCall(View(PETSC_COMM_WORLD, 400, 12, (PetscBool)(kind % 2), 0, Constant, &X));
    PetscCall(MatCreateGram(X, NULL, &G));
    PetscCall(MatGramSetCentering(G, PETSC_TRUE));
    PetscCall(MatGramSetScaling(G, (PetscBool)(kind / 2)));
    PetscCall(Solver(G, PCSKETCH, &ksp));
    PetscCall(InverseNorm(ksp, &norm));
    PetscCall(Solve(ksp, &its, &error));
    PetscCall(TapOk((PetscBool)(error >= 0 && error < 1e-6 && its <= 30 && norm < 1e3), "constant columns, centered%s, no ridge, %s: %d iterations", kind / 2 ? " and scaled" : "", kind % 2 ? "dense" : "sparse", (int)its));
    PetscCall(KSPDestroy(&ksp));
    PetscCall(MatDestroy(&G));
    PetscCall(MatDestroy(&X));
  }

  /* fewer samples than columns */
  PetscCall(View(PETSC_COMM_WORLD, 5, 12, PETSC_TRUE, 0, Entry, &X));
  PetscCall(MatCreateGram(X, NULL, &G));
  PetscCall(MatGramSetRidge(G, 1e-5, 0.0));
  PetscCall(Solver(G, PCSKETCH, &ksp));
  PetscCall(Solve(ksp, &its, &error));
  PetscCall(TapOk((PetscBool)(error >= 0 && error < 1e-6 && its <= 3), "fewer samples than columns: %d iterations", (int)its));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&G));
  PetscCall(MatDestroy(&X));

  /* samples of great weight meet in a row of a CountSketch; four nonzeros tell them apart */
  PetscCall(View(PETSC_COMM_SELF, 1200, 60, PETSC_TRUE, 0, Spiked, &X));
  PetscCall(MatCreateGram(X, NULL, &G));
  PetscCall(Solver(G, PCSKETCH, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  for (int i = 0; i < 2; i++) {
    PetscCall(PCSketchSetNonzeros(pc, i ? 4 : 1));
    PetscCall(Spectrum(pc, &lo, &hi));
    condition[i] = hi / lo;
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# spikes: condition number %g with one nonzero, %g with four\n", (double)condition[0], (double)condition[1]));
  PetscCall(TapOk((PetscBool)(condition[1] < 20 && condition[0] > 1e4), "a sparse sign embedding bears samples that a CountSketch confounds"));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&G));
  PetscCall(MatDestroy(&X));

  /* indefinite together, definite one by one */
  PetscCall(View(PETSC_COMM_WORLD, SAMPLES, 12, PETSC_TRUE, 0, Entry, &X));
  PetscCall(View(PETSC_COMM_WORLD, SAMPLES, 12, PETSC_FALSE, 0, Entry, &Y));
  PetscCall(MatCreateGram(X, Y, &G));
  PetscCall(MatGramSetRidge(G, 1e-6, 1e-5));
  PetscCall(MatGramSetCoupling(G, 1.0, -1.5, 1.0));
  PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
  PetscCall(PCSetOperators(pc, G, G));
  PetscCall(PCSetType(pc, PCSKETCH));
  PetscCall(PCSketchSetSize(pc, 1e4));
  PetscCall(Inverse(pc, &P));
  PetscCall(Says(pc, "factored view by view", &says));
  PetscCall(MatGramSetCoupling(G, 1.0, 0.0, 1.0));
  PetscCall(Inverse(pc, &Q));
  PetscCall(Distance(P, Q, &error));
  PetscCall(TapOk((PetscBool)(says && error < 1e-8), "an indefinite coupling leaves the diagonal blocks"));
  PetscCall(MatDestroy(&P));
  PetscCall(MatDestroy(&Q));
  PetscCall(PCDestroy(&pc));

  /* not definite at all, or not a number: a reason, no error; and it recovers */
  PetscCall(MatGramSetCoupling(G, -1.0, 0.0, 1.0));
  PetscCall(Solver(G, PCSKETCH, &ksp));
  PetscCall(MatCreateVecs(G, &x, &b));
  PetscCall(VecSet(b, 1.0));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(TapOk((PetscBool)(reason == KSP_DIVERGED_PC_FAILED), "a negative definite block: the preconditioner has failed"));
  TapFails(FailLoudly(ksp, b, x), PETSC_ERR_NOT_CONVERGED, "not positive definite", "with KSPSetErrorIfNotConverged() it is an error");
  PetscCall(MatGramSetCoupling(G, 1.0, 0.0, 1.0));
  PetscCall(KSPSetOperators(ksp, G, G));
  PetscCall(Solve(ksp, &its, &error));
  PetscCall(TapOk((PetscBool)(error >= 0 && error < 1e-5), "and works once the matrix is definite"));
  PetscCall(MatGetOwnershipRange(X, &first, &last));
  if (first == 0 && last > 0) PetscCall(MatSetValue(X, 0, 3, NAN, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(X, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(X, MAT_FINAL_ASSEMBLY));
  PetscCall(MatGramSetRidge(G, 1e-3, 1e-3));
  PetscCall(KSPSetOperators(ksp, G, G));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(TapOk((PetscBool)(reason == KSP_DIVERGED_PC_FAILED), "so it has with data that are not numbers"));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&G));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestRefused(void)
{
  PC  pc;
  Mat A;

  PetscFunctionBegin;
  PetscCall(MatCreateConstantDiagonal(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, 10, 10, 2.0, &A));
  PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetType(pc, PCSKETCH));
  TapFails(PCSetUp(pc), PETSC_ERR_SUP, "-pc_type jacobi", "a matrix without samples is refused, with a hint");
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether CCA takes this preconditioner for each of two views; user: what the user has set for X, or NULL */
static PetscErrorCode Chosen(Mat X, Mat Y, PetscReal ridge, PCType user, PetscBool sketch[])
{
  CCA cca;
  KSP ksp[2];
  PC  pc;

  PetscFunctionBegin;
  PetscCall(CCACreate(PETSC_COMM_WORLD, &cca));
  PetscCall(CCASetType(cca, CCANAPI));
  PetscCall(CCASetData(cca, X, Y));
  PetscCall(CCASetRegularization(cca, ridge, ridge));
  PetscCall(CCASetCentering(cca, PETSC_FALSE));
  PetscCall(CCAGetKSP(cca, &ksp[0], &ksp[1]));
  PetscCall(KSPGetPC(ksp[0], &pc));
  if (user) PetscCall(PCSetType(pc, user));
  PetscCall(CCASetUp(cca));
  for (int v = 0; v < 2; v++) {
    PetscCall(KSPGetPC(ksp[v], &pc));
    PetscCall(PetscObjectTypeCompare((PetscObject)pc, v || !user ? PCSKETCH : user, &sketch[v]));
  }
  PetscCall(CCADestroy(&cca));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestChosen(void)
{
  PetscBool sketch[2];
  Mat       X, Y;

  PetscFunctionBegin;
  PetscCall(View(PETSC_COMM_WORLD, SAMPLES, COLUMNS, PETSC_TRUE, 0, Entry, &X));
  PetscCall(View(PETSC_COMM_WORLD, SAMPLES, 14, PETSC_FALSE, 1, Entry, &Y));
  PetscCall(Chosen(X, Y, 1e-5, NULL, sketch));
  PetscCall(TapOk((PetscBool)(sketch[0] && sketch[1]), "many samples of few columns: worth it"));
  PetscCall(Chosen(X, Y, 1e3, NULL, sketch));
  PetscCall(TapOk((PetscBool)(!sketch[0] && !sketch[1]), "not with a ridge that outweighs the data"));
  PetscCall(Chosen(X, Y, 1e-5, PCNONE, sketch));
  PetscCall(TapOk((PetscBool)(sketch[0] && sketch[1]), "what the user has set for a view stays"));
  PetscCall(MatDestroy(&Y));
  PetscCall(View(PETSC_COMM_WORLD, SAMPLES, 500, PETSC_FALSE, 1, Entry, &Y));
  PetscCall(Chosen(X, Y, 1e-5, NULL, sketch));
  PetscCall(TapOk((PetscBool)(sketch[0] && !sketch[1]), "views are judged one by one"));
  PetscCall(MatDestroy(&Y));
  PetscCall(View(PETSC_COMM_WORLD, SAMPLES, 4001, PETSC_TRUE, 1, Entry, &Y));
  PetscCall(Chosen(X, Y, 1e-5, NULL, sketch));
  PetscCall(TapOk((PetscBool)(sketch[0] && !sketch[1]), "not for a view that is too large for a dense factor"));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscCall(View(PETSC_COMM_WORLD, 60, 200, PETSC_FALSE, 0, Entry, &X));
  PetscCall(View(PETSC_COMM_WORLD, 60, 200, PETSC_TRUE, 1, Entry, &Y));
  PetscCall(Chosen(X, Y, 1e-5, NULL, sketch));
  PetscCall(TapOk((PetscBool)(!sketch[0] && !sketch[1]), "not for few samples of many columns"));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The halves of MNIST's 10,000 test images: columns 0..13 and 14..27 of each, in [0,1]; X = NULL if they are not there */
static PetscErrorCode Digits(PetscInt half, Mat *X)
{
  const char    *folder = getenv("NAPI_DATA");
  char           command[PETSC_MAX_PATH_LEN + 100];
  unsigned char *image;
  FILE          *pipe;
  PetscInt       first, last;
  size_t         read = 0, size = 16 + 10000 * 784;
  PetscMPIInt    bad, anybad;

  PetscFunctionBegin;
  *X = NULL;
  if (!folder) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(size, &image));
  (void)snprintf(command, sizeof(command), "gzip -dc '%s/mnist/t10k-images-idx3-ubyte.gz' 2>/dev/null", folder);
  pipe = popen(command, "r");
  if (pipe) {
    read = fread(image, 1, size, pipe);
    (void)pclose(pipe);
  }
  bad = read == size ? 0 : 1;
  PetscCallMPI(MPI_Allreduce(&bad, &anybad, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD));
  if (!anybad) {
    PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, 10000, 392, 200, NULL, 200, NULL, X));
    PetscCall(MatSetOption(*X, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PetscCall(MatGetOwnershipRange(*X, &first, &last));
    for (PetscInt i = first; i < last; i++) {
      for (PetscInt j = 0; j < 392; j++) {
        unsigned char c = image[16 + 784 * i + 28 * (j / 14) + 14 * half + j % 14];

        if (c) PetscCall(MatSetValue(*X, i, j, c / 255.0, INSERT_VALUES));
      }
    }
    PetscCall(MatAssemblyBegin(*X, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*X, MAT_FINAL_ASSEMBLY));
  }
  PetscCall(PetscFree(image));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestDigits(void)
{
  const char *what = "halves of MNIST, ridge 1e-5: at most 30 iterations, and a fifth of Jacobi's";
  PetscReal   error, jerror;
  PetscInt    its, jacobi;
  PetscBool   worth[2];
  KSP         ksp, plain;
  Mat         X, Y, G;

  PetscFunctionBegin;
  PetscCall(Digits(0, &X));
  if (!X) {
    PetscCall(TapSkip("NAPI_DATA/mnist does not have them", what));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Digits(1, &Y));
  PetscCall(MatCreateGram(X, Y, &G));
  PetscCall(MatGramSetRidge(G, 1e-5, 1e-5));
  PetscCall(Chosen(X, Y, 1e-5, NULL, worth));
  PetscCall(TapOk((PetscBool)(worth[0] && worth[1]), "halves of MNIST: worth it"));
  PetscCall(Solver(G, PCSKETCH, &ksp));
  PetscCall(Solver(G, PCJACOBI, &plain));
  PetscCall(Solve(ksp, &its, &error));
  PetscCall(Solve(plain, &jacobi, &jerror));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# MNIST: %d iterations, Jacobi %d\n", (int)its, (int)jacobi));
  PetscCall(TapOk((PetscBool)(error >= 0 && error < 1e-6 && jerror >= 0 && its <= 30 && 5 * its <= jacobi), "%s", what));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(KSPDestroy(&plain));
  PetscCall(MatDestroy(&G));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TapBegin(&argc, &argv));
  PetscCall(TestCases());
  PetscCall(TestChoices());
  PetscCall(TestReuse());
  PetscCall(TestFallback());
  PetscCall(TestHardData());
  PetscCall(TestRefused());
  PetscCall(TestChosen());
  PetscCall(TestDigits());
  return TapEnd();
}
