/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Matrices that are only semidefinite. B singular, with shift-and-invert: massless unknowns, masses of low rank, the rows that
   boundary conditions leave behind; the finite eigenvalues are found, and no infinite one. A singular, structures that float
   freely: with a null space that is known the rigid modes are zeros and the elastic ones right; with one that is not, the
   answer is right or there is none.
*/
#include "modes.h"
#include "realpairs.h"

static PetscMPIInt size;

/* --- the finite eigenvalues by dense LAPACK ------------------------------------------------------------------------------ */

/* All of a matrix on every rank */
static PetscErrorCode Whole(Mat M, PetscScalar **entries)
{
  PetscInt     n, first, last;
  PetscScalar *mine;

  PetscFunctionBegin;
  PetscCall(MatGetSize(M, &n, NULL));
  PetscCall(PetscCalloc1(n * n, &mine));
  PetscCall(PetscCalloc1(n * n, entries));
  PetscCall(MatGetOwnershipRange(M, &first, &last));
  for (PetscInt i = first; i < last; i++) {
    PetscInt           nz;
    const PetscInt    *cols;
    const PetscScalar *values;

    PetscCall(MatGetRow(M, i, &nz, &cols, &values));
    for (PetscInt j = 0; j < nz; j++) mine[i + cols[j] * n] = values[j];
    PetscCall(MatRestoreRow(M, i, &nz, &cols, &values));
  }
  PetscCallMPI(MPI_Allreduce(mine, *entries, (PetscMPIInt)(n * n), MPIU_SCALAR, MPIU_SUM, PETSC_COMM_WORLD));
  PetscCall(PetscFree(mine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The problem of these matrices, which it owns then: B x = theta (A - sigma B) x with sigma below, lambda = sigma + 1/theta where theta > 0 */
static PetscErrorCode ProblemSemidefinite(Mat A, Mat B, PetscReal sigma, PetscInt k, EPSWhich which, PetscReal target, Problem *p)
{
  PetscScalar *a, *b;
  PetscReal   *theta;
  PetscInt     n;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(p, sizeof(*p)));
  PetscCall(MatGetSize(A, &n, NULL));
  p->family = "semidefinite";
  p->form   = "semidefinite";
  p->A      = A;
  p->B      = B;
  p->n      = n;
  p->k      = k;
  p->which  = which;
  p->target = target;
  p->scaleA = p->scaleB = 1.0;
  p->loose              = 1e-6;
  PetscCall(Whole(A, &a));
  PetscCall(Whole(B, &b));
  for (PetscInt i = 0; i < n * n; i++) a[i] -= sigma * b[i];
  PetscCall(PetscMalloc1(n, &theta));
  PetscCall(PetscMalloc1(n, &p->values));
  PetscCall(DenseSpectrum(n, b, a, theta));
  for (PetscInt i = n - 1; i >= 0 && theta[i] > 1e-11 * theta[n - 1]; i--) p->values[p->nvalues++] = sigma + 1.0 / theta[i];
  p->known = p->nvalues;
  PetscCall(PetscFree(theta));
  PetscCall(PetscFree(a));
  PetscCall(PetscFree(b));
  for (PetscInt i = 0; i < p->nvalues && p->unit <= 0.0; i++)
    if (p->values[i] > 1e-10 * p->values[p->nvalues - 1]) p->unit = p->values[i];
  PetscCall(MatNorm(A, NORM_INFINITY, &p->normA));
  PetscCall(MatNorm(B, NORM_INFINITY, &p->normB));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- B is singular ------------------------------------------------------------------------------------------------------- */

static PetscErrorCode Boundaries(void)
{
  static const PetscReal masses[] = {0.0, 1.0, 1e-30};
  Problem                p;
  EPS                    eps;
  char                  *text;

  PetscFunctionBegin;
  for (int m = 0; m < (size > 2 ? 1 : 3); m++) { /* three ranks on two cores take their time */
    PetscCall(ProblemDirichlet(14, 12, masses[m], 4, EPS_TARGET_MAGNITUDE, 0.0, &p));
    PetscCall(SolverTransformed(&p, STSINVERT, &eps));
    PetscCall(TapRight(eps, &p, "boundary rows with %g in B, sinvert at 0", (double)masses[m]));
    PetscCall(EPSDestroy(&eps));
    p.target = -5.0;
    PetscCall(SolverTransformed(&p, STSINVERT, &eps));
    PetscCall(TapRight(eps, &p, "boundary rows with %g in B, sinvert at -5", (double)masses[m]));
    PetscCall(EPSDestroy(&eps));
    for (int w = 0; w < 2; w++) {
      p.which = w ? EPS_SMALLEST_MAGNITUDE : EPS_SMALLEST_REAL;
      PetscCall(SolverTransformed(&p, NULL, &eps));
      PetscCall(TapRight(eps, &p, "boundary rows with %g in B, smallest %s, no ST", (double)masses[m], w ? "magnitude" : "real"));
      PetscCall(EPSDestroy(&eps));
    }
    for (int momentum = 0; momentum < Momenta(); momentum += 2) { /* none and adaptive */
      p.which  = EPS_TARGET_MAGNITUDE;
      p.target = 0.0;
      PetscCall(SolverTransformed(&p, STSINVERT, &eps));
      PetscCall(EPSNAPISetMomentum(eps, (EPSNAPIMomentum)momentum));
      if (masses[m] == 1.0) PetscCall(TapSound(eps, &p, NULL, NULL, "boundary rows with 1 in B, momentum %s: 50 eigenvalues that are equal", EPSNAPIMomentums[momentum]));
      else PetscCall(TapRight(eps, &p, "boundary rows with %g in B, momentum %s", (double)masses[m], EPSNAPIMomentums[momentum]));
      PetscCall(EPSDestroy(&eps));
    }
    if (masses[m] == 1.0) { /* these are true eigenvalues: the membrane is between them and the target */
      p.target = 15.0;
      PetscCall(SolverTransformed(&p, STSINVERT, &eps));
      PetscCall(TapInside(eps, &p, "boundary rows with 1 in B: a target beyond the ones"));
      PetscCall(EPSDestroy(&eps));
    } else { /* the largest are infinite, or 1e30: not found, and that is said soon and with the way out */
      Outcome        o    = {RIGHT};
      PetscErrorCode code = PETSC_SUCCESS;
      PetscBool      told;

      p.which = EPS_LARGEST_MAGNITUDE;
      p.unit  = 1e30;
      if (masses[m] > 0.0) p.loose = 1e-6, p.values[p.nvalues - 1] = 1e30;
      PetscCall(SolverTransformed(&p, NULL, &eps));
      PetscCall(Attempt(eps, &code));
      told = (PetscBool)(code && IsRefusal(code) && (strstr(failure, "sinvert") || strstr(failure, "-eps_smallest") || strstr(failure, "-eps_target")));
      if (!code) {
        PetscCall(EPSGetConvergedReason(eps, &o.reason));
        PetscCall(EPSGetIterationNumber(eps, &o.its));
        PetscCall(EPSGetConverged(eps, &o.nconv));
        PetscCall(ViewText(eps, &text));
        told = (PetscBool)(o.reason < 0 && o.its < 500 && !o.nconv && strstr(text, "given up") && (strstr(text, "singular") || strstr(text, "semi-definite")) && (strstr(text, "sinvert") || strstr(text, "-eps_smallest") || strstr(text, "-eps_target")));
        PetscCall(PetscFree(text));
      }
      PetscCall(TapOk(told, "boundary rows with %g in B, the largest: that B is singular is seen early, and the way out named", (double)masses[m]));
      if (!told) PetscCall(Explain(eps, code, &o));
      PetscCall(EPSDestroy(&eps));
    }
    PetscCall(ProblemDestroy(&p));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* B = diag, a third of it zero, or B = G G' of rank 12; A the membrane's stiffness matrix */
static PetscErrorCode SingularPair(PetscBool lowrank, Mat *A, Mat *B)
{
  Problem  membrane;
  PetscInt n, first, last;

  PetscFunctionBegin;
  PetscCall(ProblemMembrane(11, 10, 0.0, PETSC_TRUE, 1, EPS_SMALLEST_REAL, &membrane));
  n  = membrane.n;
  *A = membrane.A;
  PetscCall(PetscObjectReference((PetscObject)*A));
  PetscCall(ProblemDestroy(&membrane));
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, n, lowrank ? n : 1, NULL, lowrank ? n : 0, NULL, B));
  PetscCall(MatGetOwnershipRange(*B, &first, &last));
  for (PetscInt i = first; i < last; i++) {
    if (!lowrank) PetscCall(MatSetValue(*B, i, i, i % 3 ? 1.0 + 0.1 * (PetscReal)(i % 7) : 0.0, INSERT_VALUES));
    for (PetscInt j = 0; lowrank && j < n; j++) {
      PetscReal sum = 0.0;

      for (PetscInt r = 0; r < 12; r++) sum += PetscSinReal(1.0 + (PetscReal)(i * (r + 1)) * 0.7) * PetscSinReal(1.0 + (PetscReal)(j * (r + 1)) * 0.7) / (1.0 + (PetscReal)r);
      PetscCall(MatSetValue(*B, i, j, sum, INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(*B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*B, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Singular(void)
{
  static const PetscInt ks[] = {1, 5, 12};
  Problem               p;
  EPS                   eps;
  Mat                   A, B;

  PetscFunctionBegin;
  for (int lowrank = 0; lowrank < 2; lowrank++) {
    const char *name = lowrank ? "B of rank 12" : "B diagonal, a third of it zero";

    for (int i = 0; i < (size > 2 ? 1 : 3); i++) {
      PetscCall(SingularPair((PetscBool)lowrank, &A, &B));
      PetscCall(ProblemSemidefinite(A, B, 0.0, ks[i], EPS_TARGET_MAGNITUDE, 0.0, &p));
      if (!i) PetscCall(TapOk((PetscBool)(p.nvalues == (lowrank ? 12 : p.n - (p.n + 2) / 3)), "%s: LAPACK finds as many finite eigenvalues as it should", name));
      PetscCall(SolverTransformed(&p, STSINVERT, &eps));
      PetscCall(TapRight(eps, &p, "%s, k=%d, sinvert at 0", name, (int)ks[i]));
      PetscCall(EPSDestroy(&eps));
      p.target = -1.0;
      PetscCall(SolverTransformed(&p, STSINVERT, &eps));
      PetscCall(TapRight(eps, &p, "%s, k=%d, sinvert at -1", name, (int)ks[i]));
      PetscCall(EPSDestroy(&eps));
      PetscCall(SolverTransformed(&p, STSINVERT, &eps));
      PetscCall(EPSSetPurify(eps, PETSC_FALSE));
      PetscCall(TapRight(eps, &p, "%s, k=%d, not purified", name, (int)ks[i]));
      PetscCall(EPSDestroy(&eps));
      p.which = EPS_SMALLEST_REAL;
      PetscCall(SolverTransformed(&p, NULL, &eps));
      PetscCall(TapRight(eps, &p, "%s, k=%d, smallest real, no ST", name, (int)ks[i]));
      PetscCall(EPSDestroy(&eps));
      PetscCall(ProblemDestroy(&p));
    }
    /* a start in the null space of B, or with a part in it, is no harm */
    {
      Vec      x;
      PetscInt first, last;

      PetscCall(SingularPair((PetscBool)lowrank, &A, &B));
      PetscCall(ProblemSemidefinite(A, B, 0.0, 3, EPS_TARGET_MAGNITUDE, 0.0, &p));
      PetscCall(MatCreateVecs(A, &x, NULL));
      PetscCall(VecGetOwnershipRange(x, &first, &last));
      for (PetscInt j = first; j < last; j++) PetscCall(VecSetValue(x, j, j % 3 ? 0.0 : 1.0, INSERT_VALUES));
      PetscCall(VecAssemblyBegin(x));
      PetscCall(VecAssemblyEnd(x));
      PetscCall(SolverTransformed(&p, STSINVERT, &eps));
      PetscCall(EPSSetInitialSpace(eps, 1, &x));
      PetscCall(TapRight(eps, &p, "%s, started in the null space", name));
      PetscCall(EPSDestroy(&eps));
      PetscCall(VecDestroy(&x));
      PetscCall(ProblemDestroy(&p));
    }
  }
  /* more than there are: the twelve, and no infinite one among them */
  PetscCall(SingularPair(PETSC_TRUE, &A, &B));
  PetscCall(ProblemSemidefinite(A, B, 0.0, 15, EPS_TARGET_MAGNITUDE, 0.0, &p));
  PetscCall(SolverTransformed(&p, STSINVERT, &eps));
  PetscCall(EPSSetTolerances(eps, PETSC_DEFAULT, 500));
  PetscCall(TapSound(eps, &p, NULL, NULL, "15 of 12 finite eigenvalues: none of those found is infinite"));
  {
    PetscInt nconv = 0;

    PetscCall(EPSGetConverged(eps, &nconv));
    PetscCall(TapOk((PetscBool)(nconv <= 12), "  and there are no more than 12"));
  }
  PetscCall(EPSDestroy(&eps));
  PetscCall(ProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Real ones: massless unknowns in a building and in a fluid */
static PetscErrorCode Real(const char *a, const char *b)
{
  PetscBool there;
  Problem   p;
  EPS       eps;
  Mat       A, B;

  PetscFunctionBegin;
  PetscCall(ReadPair(a, b, &A, &B, &there));
  if (!there) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ProblemSemidefinite(A, B, 0.0, 4, EPS_TARGET_MAGNITUDE, 0.0, &p));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s: %d of %d eigenvalues are finite, the smallest %g, the largest %g\n", a, (int)p.nvalues, (int)p.n, (double)p.values[0], (double)p.values[p.nvalues - 1]));
  PetscCall(SolverTransformed(&p, STSINVERT, &eps));
  PetscCall(TapRight(eps, &p, "%s, sinvert at 0", a));
  PetscCall(EPSDestroy(&eps));
  p.target = -0.3 * p.values[0];
  PetscCall(SolverTransformed(&p, STSINVERT, &eps));
  PetscCall(TapRight(eps, &p, "%s, sinvert below", a));
  PetscCall(EPSDestroy(&eps));
  for (int w = 0; w < 2; w++) {
    p.which = w ? EPS_SMALLEST_MAGNITUDE : EPS_SMALLEST_REAL;
    PetscCall(SolverTransformed(&p, NULL, &eps));
    PetscCall(TapRight(eps, &p, "%s, smallest %s, no ST", a, w ? "magnitude" : "real"));
    PetscCall(EPSDestroy(&eps));
  }
  PetscCall(ProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- A is singular ------------------------------------------------------------------------------------------------------- */

typedef enum {
  CHAIN,  /* linear elements on an interval, free at both ends: constants */
  CHAINS, /* two of them, of different length, not connected: one constant each */
  BEAM,   /* cubic elements, free at both ends: translation and rotation */
  KINDS
} Kind;
static const char *const kinds[] = {"a free chain", "two free chains", "a free beam"};

#define ELEMENTS 90 /* of the chain, and of the first of two; more than 64 unknowns in all, which would be solved at once */
#define SECOND   55
#define BEAMS    36

/* K and M, and the exact null space of K, which is a basis and not orthonormal */
static PetscErrorCode Floating(Kind kind, Mat *K, Mat *M, PetscInt *nnull, Vec null[2])
{
  static const PetscReal beamK[4][4] = {
    {12,  6,  -12, 6 },
    {6,   4,  -6,  2 },
    {-12, -6, 12,  -6},
    {6,   2,  -6,  4 }
  };
  static const PetscReal beamM[4][4] = {
    {156, 22, 54,  -13},
    {22,  4,  13,  -3 },
    {54,  13, 156, -22},
    {-13, -3, -22, 4  }
  };
  PetscInt    n = kind == BEAM ? 2 * (BEAMS + 1) : kind == CHAIN ? ELEMENTS + 1 : ELEMENTS + SECOND + 2, elements = kind == BEAM ? BEAMS : kind == CHAIN ? ELEMENTS : ELEMENTS + SECOND, first, last;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, n, 6, NULL, 6, NULL, K));
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, n, 6, NULL, 6, NULL, M));
  for (PetscInt e = 0; !rank && e < elements; e++) {
    PetscInt    at[4], node = kind == CHAINS && e >= ELEMENTS ? e + 1 : e, m = kind == BEAM ? 4 : 2;
    PetscScalar k[16], mass[16];
    PetscReal   h = kind == BEAM ? 1.0 : 1.0 / ELEMENTS;

    for (PetscInt i = 0; i < m; i++) {
      at[i] = kind == BEAM ? 2 * e + i : node + i;
      for (PetscInt j = 0; j < m; j++) {
        k[m * i + j]    = kind == BEAM ? beamK[i][j] : (i == j ? 1.0 : -1.0) / h;
        mass[m * i + j] = kind == BEAM ? beamM[i][j] / 420.0 : (i == j ? 2.0 : 1.0) * h / 6.0;
      }
    }
    PetscCall(MatSetValues(*K, m, at, m, at, k, ADD_VALUES));
    PetscCall(MatSetValues(*M, m, at, m, at, mass, ADD_VALUES));
  }
  PetscCall(MatAssemblyBegin(*K, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*K, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyBegin(*M, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*M, MAT_FINAL_ASSEMBLY));
  *nnull = kind == CHAIN ? 1 : 2;
  PetscCall(MatCreateVecs(*K, &null[0], NULL));
  if (*nnull > 1) PetscCall(VecDuplicate(null[0], &null[1]));
  PetscCall(VecGetOwnershipRange(null[0], &first, &last));
  for (PetscInt i = first; i < last; i++) {
    for (PetscInt v = 0; v < *nnull; v++) {
      PetscReal value = 1.0;

      if (kind == CHAINS) value = (i > ELEMENTS) == v;
      if (kind == BEAM) value = v ? (i % 2 ? 1.0 : (PetscReal)(i / 2)) : (i % 2 ? 0.0 : 1.0);
      PetscCall(VecSetValue(null[v], i, value, INSERT_VALUES));
    }
  }
  for (PetscInt v = 0; v < *nnull; v++) {
    PetscCall(VecAssemblyBegin(null[v]));
    PetscCall(VecAssemblyEnd(null[v]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The orthonormal basis that MatNullSpaceCreate() wants */
static PetscErrorCode NullSpace(PetscInt n, Vec null[], MatNullSpace *space)
{
  PetscScalar dot;
  Vec         basis[2] = {NULL, NULL};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) {
    PetscCall(VecDuplicate(null[i], &basis[i]));
    PetscCall(VecCopy(null[i], basis[i]));
    for (int twice = 0; i && twice < 2; twice++) {
      PetscCall(VecDot(basis[i], basis[0], &dot));
      PetscCall(VecAXPY(basis[i], -dot, basis[0]));
    }
    PetscCall(VecNormalize(basis[i], NULL));
  }
  PetscCall(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_FALSE, n, basis, space));
  for (PetscInt i = 0; i < n; i++) PetscCall(VecDestroy(&basis[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef enum {
  UNKNOWN,
  GIVEN,    /* MatSetNullSpace() */
  NEAR,     /* MatSetNearNullSpace() */
  DEFLATED, /* EPSSetDeflationSpace() */
  PART      /* MatSetNullSpace() with the first vector only */
} Known;
static const char *const knowns[] = {"its null space not known", "its null space", "its near null space", "its null space deflated", "a part of its null space"};

/* How it is asked for: nearest to 0, smallest real, smallest magnitude, nearest to a target below */
#define WAYS 4
static const char *const ways[WAYS] = {"sinvert at 0", "smallest real", "smallest magnitude", "sinvert below"};

static PetscErrorCode Free(Kind kind, Known known, int way)
{
  PetscInt     nnull;
  MatNullSpace space;
  Problem      p;
  EPS          eps;
  Mat          K, M;
  Vec          null[2];

  PetscFunctionBegin;
  PetscCall(Floating(kind, &K, &M, &nnull, null));
  PetscCall(ProblemSemidefinite(K, M, -1.0, known == DEFLATED ? 3 : 5, way == 1 ? EPS_SMALLEST_REAL : way == 2 ? EPS_SMALLEST_MAGNITUDE : EPS_TARGET_MAGNITUDE, way == 3 ? (kind == BEAM ? -1e-4 : -1.0) : 0.0, &p));
  if (known == DEFLATED) { /* they are not wanted then */
    p.nvalues = p.known = p.nvalues - nnull;
    PetscCall(PetscArraymove(p.values, p.values + nnull, p.nvalues));
  } else
    for (PetscInt i = 0; i < nnull; i++) p.values[i] = 0.0;
  if (known == GIVEN || known == NEAR || known == PART) {
    PetscCall(NullSpace(known == PART ? 1 : nnull, null, &space));
    if (known == NEAR) PetscCall(MatSetNearNullSpace(K, space));
    else PetscCall(MatSetNullSpace(K, space));
    PetscCall(MatNullSpaceDestroy(&space));
  }
  PetscCall(SolverTransformed(&p, way == 0 || way == 3 ? STSINVERT : NULL, &eps));
  if (known == DEFLATED) PetscCall(EPSSetDeflationSpace(eps, nnull, null));
  if (known == UNKNOWN && way == 0) PetscCall(TapSound(eps, &p, NULL, NULL, "%s, %s, %s: right, or not at all", kinds[kind], knowns[known], ways[way]));
  else if ((known == UNKNOWN || known == PART) && way != 3) PetscCall(TapSound(eps, &p, NULL, NULL, "%s, %s, %s: right, or not at all", kinds[kind], knowns[known], ways[way]));
  else PetscCall(TapRight(eps, &p, "%s, %s, %s", kinds[kind], knowns[known], ways[way]));
  PetscCall(EPSDestroy(&eps));
  for (PetscInt i = 0; i < nnull; i++) PetscCall(VecDestroy(&null[i]));
  PetscCall(ProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* At sigma = 0 with a null space that is not known: no answer, then the view says why and names a negative target */
static PetscErrorCode Unknown(void)
{
  PetscErrorCode code;
  PetscInt       nnull;
  PetscBool      pass;
  char          *text;
  Problem        p;
  EPS            eps;
  Mat            K, M;
  Vec            null[2];

  PetscFunctionBegin;
  for (Kind kind = CHAIN; kind < KINDS; kind++) {
    Outcome o = {RIGHT};

    PetscCall(Floating(kind, &K, &M, &nnull, null));
    PetscCall(ProblemSemidefinite(K, M, -1.0, 4, EPS_TARGET_MAGNITUDE, 0.0, &p));
    for (PetscInt i = 0; i < nnull; i++) {
      p.values[i] = 0.0;
      PetscCall(VecDestroy(&null[i]));
    }
    PetscCall(SolverTransformed(&p, STSINVERT, &eps));
    code = PETSC_SUCCESS;
    PetscCall(Attempt(eps, &code));
    pass = (PetscBool)(code && IsRefusal(code) && strstr(failure, "-eps_target"));
    if (!code) {
      PetscCall(Judge(eps, &p, &o));
      pass = (PetscBool)(o.verdict == RIGHT);
      if (o.verdict == DIVERGED) {
        PetscCall(ViewText(eps, &text));
        pass = (PetscBool)(strstr(text, "singular") && strstr(text, "-eps_target") && o.its < 1000);
        PetscCall(PetscFree(text));
      }
    }
    PetscCall(TapOk(pass, "%s at sigma 0, not known to be singular: right, or it is said and -eps_target named", kinds[kind]));
    PetscCall(Explain(eps, code, &o));
    PetscCall(EPSDestroy(&eps));
    PetscCall(ProblemDestroy(&p));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Near null spaces are hints: rigid modes of a structure that is clamped are none of its modes; and a null space may be plainly wrong */
static PetscErrorCode Clamped(void)
{
  MatNullSpace space;
  Problem      p;
  EPS          eps;
  Vec          one;

  PetscFunctionBegin;
  for (int wrong = 0; wrong < 2; wrong++) {
    for (int w = 0; w < 2; w++) {
      PetscCall(ProblemMembrane(13, 12, 0.0, PETSC_TRUE, 3, w ? EPS_SMALLEST_REAL : EPS_TARGET_MAGNITUDE, &p));
      PetscCall(MatCreateVecs(p.A, &one, NULL));
      PetscCall(VecSet(one, 1.0));
      PetscCall(NullSpace(1, &one, &space));
      if (wrong) PetscCall(MatSetNullSpace(p.A, space));
      else PetscCall(MatSetNearNullSpace(p.A, space));
      PetscCall(MatNullSpaceDestroy(&space));
      PetscCall(VecDestroy(&one));
      PetscCall(SolverTransformed(&p, w ? NULL : STSINVERT, &eps));
      if (wrong) PetscCall(TapSound(eps, &p, NULL, NULL, "a null space that is none, %s: right, or not at all", w ? "smallest real" : "sinvert at 0"));
      else PetscCall(TapRight(eps, &p, "a near null space of a clamped membrane, %s: no zeros", w ? "smallest real" : "sinvert at 0"));
      PetscCall(EPSDestroy(&eps));
      PetscCall(ProblemDestroy(&p));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The Laplacian of a graph: a path times a path, one or three of them that are not connected; a standard problem */
static PetscErrorCode Graphs(void)
{
  const PetscInt mx = 9, my = 8;

  PetscFunctionBegin;
  for (PetscInt parts = 1; parts <= 3; parts += 2) {
    for (int w = 0; w < 2; w++) {
      for (int known = size > 2; known < 2; known++) {
        PetscInt first, last, n = parts * mx * my;
        Problem  p;
        EPS      eps;

        PetscCall(PetscMemzero(&p, sizeof(p)));
        p.family  = "graph";
        p.form    = "none";
        p.n       = n;
        p.k       = 5;
        p.which   = w ? EPS_SMALLEST_MAGNITUDE : EPS_SMALLEST_REAL;
        p.nvalues = p.known = n;
        p.scaleA = p.scaleB = p.normB = p.lowB = 1.0;
        p.normA                                = 8.0;
        PetscCall(PetscMalloc1(n, &p.values));
        PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, n, 5, NULL, 4, NULL, &p.A));
        PetscCall(MatGetOwnershipRange(p.A, &first, &last));
        for (PetscInt i = 0; i < n; i++) {
          PetscInt  at = i % (mx * my), x = at % mx, y = at / mx;
          PetscReal degree = 0.0;

          p.values[i] = 4.0 - 2.0 * PetscCosReal((PetscReal)x * PETSC_PI / (PetscReal)mx) - 2.0 * PetscCosReal((PetscReal)y * PETSC_PI / (PetscReal)my);
          if (i < first || i >= last) continue;
          for (int side = 0; side < 4; side++) {
            PetscInt u = x + (side == 0) - (side == 1), v = y + (side == 2) - (side == 3);

            if (u < 0 || v < 0 || u >= mx || v >= my) continue;
            degree += 1.0;
            PetscCall(MatSetValue(p.A, i, i - at + u + v * mx, -1.0, INSERT_VALUES));
          }
          PetscCall(MatSetValue(p.A, i, i, degree, INSERT_VALUES));
        }
        PetscCall(MatAssemblyBegin(p.A, MAT_FINAL_ASSEMBLY));
        PetscCall(MatAssemblyEnd(p.A, MAT_FINAL_ASSEMBLY));
        qsort(p.values, (size_t)n, sizeof(PetscReal), Ascending);
        if (known) {
          MatNullSpace space;

          PetscCall(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_TRUE, 0, NULL, &space)); /* for three parts it is only a part */
          PetscCall(MatSetNullSpace(p.A, space));
          PetscCall(MatNullSpaceDestroy(&space));
        }
        PetscCall(SolverTransformed(&p, NULL, &eps));
        if (w || (known && parts > 1)) PetscCall(TapSound(eps, &p, NULL, NULL, "a graph of %d parts, smallest %s, %s: right, or not at all", (int)parts, w ? "magnitude" : "real", known ? "constants known" : "nothing known"));
        else PetscCall(TapRight(eps, &p, "a graph of %d parts, smallest real, %s", (int)parts, known ? "constants known" : "nothing known"));
        PetscCall(EPSDestroy(&eps));
        p.which  = EPS_TARGET_MAGNITUDE;
        p.target = -0.1;
        PetscCall(SolverTransformed(&p, NULL, &eps));
        PetscCall(TapRight(eps, &p, "a graph of %d parts, nearest to -0.1", (int)parts));
        PetscCall(EPSDestroy(&eps));
        PetscCall(ProblemDestroy(&p));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(TapBegin(&argc, &argv));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(Boundaries());
  PetscCall(Singular());
  PetscCall(Real("bcsstk01", "bcsstm01"));
  if (size < 2) PetscCall(Real("bcsstk13", "bcsstm13"));
  for (Kind kind = CHAIN; kind < (size > 2 ? CHAINS : KINDS); kind++)
    for (Known known = UNKNOWN; known <= (kind == CHAIN ? DEFLATED : PART); known++)
      for (int way = 0; way<WAYS; way += size> 2 ? 3 : 1) PetscCall(Free(kind, known, way));
  PetscCall(Unknown());
  PetscCall(Clamped());
  if (size < 3) PetscCall(Graphs());
  return TapEnd();
}
