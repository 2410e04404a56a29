/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What the attack programs share: random symmetric pairs whose eigenvalues are known from dense LAPACK or from the
   inertia of A - sigma B, and the judgement of what a solver made of them.

   A problem is a function of its seed, its family and nothing else: every rank makes the whole of it and keeps its rows.
*/
#pragma once
#include "../pairs.h"
#include <slepcblaslapack.h>
#include <stdint.h>

/* --- random numbers, the same everywhere ---------------------------------------------------------------------------- */

typedef struct {
  uint64_t state;
} Random;

/* splitmix64, G. L. Steele, D. Lea and C. H. Flood, OOPSLA 2014 */
static uint64_t RandomBits(Random *r)
{
  uint64_t z = (r->state += 0x9e3779b97f4a7c15u);

  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* uniform in (0,1), in (low,high), of low..high; the exponent uniform; standard normal */
static PetscReal RandomUnit(Random *r)
{
  return ((PetscReal)(RandomBits(r) >> 11) + 0.5) / 9007199254740992.0;
}

static PetscReal RandomReal(Random *r, PetscReal low, PetscReal high)
{
  return low + (high - low) * RandomUnit(r);
}

static PetscInt RandomInt(Random *r, PetscInt low, PetscInt high)
{
  return low + (PetscInt)(RandomBits(r) % (uint64_t)(high - low + 1));
}

static PetscReal RandomLog(Random *r, PetscReal low, PetscReal high)
{
  return low * PetscPowReal(high / low, RandomUnit(r));
}

static PetscReal RandomNormal(Random *r)
{
  PetscReal radius = PetscSqrtReal(-2.0 * PetscLogReal(RandomUnit(r)));

  return radius * PetscCosReal(2.0 * PETSC_PI * RandomUnit(r));
}

/* Python's random.seed(seed) and random.gauss(0,1): MT19937 (M. Matsumoto and T. Nishimura, 1998) and Box-Muller */
typedef struct {
  uint32_t  mt[624];
  int       at;
  PetscBool kept;
  PetscReal other;
} Python;

static void PythonSeed(Python *p, uint32_t seed)
{
  uint32_t *mt = p->mt;
  int       i, k;

  mt[0] = 19650218u;
  for (i = 1; i < 624; i++) mt[i] = 1812433253u * (mt[i - 1] ^ (mt[i - 1] >> 30)) + (uint32_t)i;
  for (k = 0, i = 1; k < 624; k++) {
    mt[i] = (mt[i] ^ ((mt[i - 1] ^ (mt[i - 1] >> 30)) * 1664525u)) + seed;
    if (++i == 624) mt[0] = mt[623], i = 1;
  }
  for (k = 0; k < 623; k++) {
    mt[i] = (mt[i] ^ ((mt[i - 1] ^ (mt[i - 1] >> 30)) * 1566083941u)) - (uint32_t)i;
    if (++i == 624) mt[0] = mt[623], i = 1;
  }
  mt[0]   = 0x80000000u;
  p->at   = 624;
  p->kept = PETSC_FALSE;
}

static uint32_t PythonBits(Python *p)
{
  uint32_t *mt = p->mt, y;
  int       i;

  if (p->at == 624) {
    for (i = 0; i < 624; i++) {
      y     = (mt[i] & 0x80000000u) | (mt[(i + 1) % 624] & 0x7fffffffu);
      mt[i] = mt[(i + 397) % 624] ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0);
    }
    p->at = 0;
  }
  y = mt[p->at++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680u;
  y ^= (y << 15) & 0xefc60000u;
  return y ^ (y >> 18);
}

static PetscReal PythonUnit(Python *p)
{
  uint32_t a = PythonBits(p) >> 5, b = PythonBits(p) >> 6;

  return (a * 67108864.0 + b) / 9007199254740992.0;
}

static PetscReal PythonGauss(Python *p)
{
  PetscReal angle, radius;

  p->kept = (PetscBool)!p->kept;
  if (!p->kept) return p->other;
  angle    = 2.0 * PETSC_PI * PythonUnit(p);
  radius   = PetscSqrtReal(-2.0 * PetscLogReal(1.0 - PythonUnit(p)));
  p->other = PetscSinReal(angle) * radius;
  return PetscCosReal(angle) * radius;
}

/* --- spectra ---------------------------------------------------------------------------------------------------------- */

typedef struct {
  uint64_t    seed;
  const char *family;
  PetscInt    n, k; /* unknowns; pairs that are wanted */
  EPSWhich    which;
  PetscReal   target;             /* of EPS_TARGET_MAGNITUDE and EPS_TARGET_REAL */
  const char *form;               /* what B is */
  Mat         A, B;               /* B is NULL in a standard problem */
  PetscReal   normA, normB, lowB; /* bounds of ||A||, ||B|| and of B's spectrum from below */
  PetscInt    nvalues;            /* eigenvalues that are known, all or so many from both ends, ascending */
  PetscInt    known;              /* how many of the wanted are surely among them */
  PetscReal  *values;
  PetscReal   scaleA, scaleB; /* what the solver gets is A and B times these */
  PetscReal   loose, unit;    /* where B is not definite: values may be off by loose (|theta| + unit) */
} Problem;

/* the order in which they take turns; those behind NULL only come when they are asked for */
static const char *const Families[] = {"normal", "uniform", "clusters", "plusminus", "plusminusclusters", "multiplicities", "graded", "block", "tight", "negative", "lowrank", "duplicates", "linear", NULL, "normal160", "python", "python3000", NULL};

static PetscBool Is(const char *family, const char *name)
{
  return (PetscBool)!strcmp(family, name);
}

/* The n numbers of a family, in random order */
static void Spectrum(Random *r, const char *family, PetscInt n, PetscReal d[])
{
  PetscInt  i, j, m;
  PetscReal gap, mixed;

  if (Is(family, "uniform"))
    for (i = 0; i < n; i++) d[i] = RandomReal(r, -1.0, 1.0);
  else if (Is(family, "clusters")) {
    for (i = 0; i < n; i++) d[i] = RandomReal(r, -0.7, 0.7);
    for (i = 0, m = RandomInt(r, 2, 6); i < n && m; m--) {
      PetscReal centre = RandomReal(r, 0.7, 1.0) * (RandomBits(r) & 1 ? 1 : -1), width = RandomLog(r, 1e-10, 1e-3);

      for (j = RandomInt(r, 2, 8); j && i < n; j--, i++) d[i] = centre * (1.0 + width * RandomNormal(r));
    }
  } else if (Is(family, "plusminus")) {
    for (i = 0; i < n; i += 2) {
      d[i] = RandomNormal(r);
      if (i + 1 < n) d[i + 1] = -d[i];
    }
  } else if (Is(family, "plusminusclusters"))
    for (i = 0; i < n; i++) d[i] = (i % 2 ? -1 : 1) * (1.0 - 1e-6 * (i / 2));
  else if (Is(family, "multiplicities")) {
    for (i = 0; i < n;) {
      PetscReal value = RandomNormal(r);

      for (j = RandomInt(r, 1, 10); j && i < n; j--, i++) d[i] = value;
    }
  } else if (Is(family, "graded")) {
    gap   = RandomReal(r, 3.0, 15.0);
    mixed = RandomBits(r) & 1 ? -1.0 : 1.0;
    for (i = 0; i < n; i++) d[i] = (RandomBits(r) & 1 ? mixed : 1.0) * PetscPowReal(10.0, -gap * (i ? RandomUnit(r) : 0));
  } else if (Is(family, "tight")) {
    gap = RandomLog(r, 1e-6, 1e-3);
    for (i = 0; i < n; i++) d[i] = 1.0 - gap * (i + RandomReal(r, -0.3, 0.3));
  } else if (Is(family, "negative"))
    for (i = 0; i < n; i++) d[i] = -PetscAbsReal(RandomNormal(r));
  else if (Is(family, "lowrank"))
    for (i = 0, m = RandomInt(r, 1, 20); i < n; i++) d[i] = i < m ? RandomNormal(r) : 0.0;
  else if (Is(family, "duplicates")) {
    for (i = 0; i < n; i += 2) {
      d[i] = RandomNormal(r);
      if (i + 1 < n) d[i + 1] = d[i] * (1.0 + RandomLog(r, 1e-13, 1e-7));
    }
  } else if (Is(family, "linear"))
    for (i = 0, m = RandomBits(r) & 1 ? 0 : n / 3; i < n; i++) d[i] = i + 1 - m;
  else
    for (i = 0; i < n; i++) d[i] = RandomNormal(r);
  for (i = n - 1; i > 0; i--) {
    PetscReal t = d[i];

    j    = RandomInt(r, 0, i);
    d[i] = d[j];
    d[j] = t;
  }
}

/* --- matrices --------------------------------------------------------------------------------------------------------- */

/* M := H M H for each of the nm matrices, H = I - 2 v v'/v'v with a random v that is zero outside first..last-1 */
static void Reflect(Random *r, PetscInt n, PetscInt first, PetscInt last, PetscInt nm, PetscReal *const M[], PetscReal v[], PetscReal w[])
{
  PetscReal vv = 0.0, vw;
  PetscInt  i, j, k;

  for (i = first; i < last; i++) {
    v[i] = RandomNormal(r);
    vv += v[i] * v[i];
  }
  for (k = 0; k < nm; k++) {
    PetscReal *m = M[k];

    for (i = 0; i < n; i++) w[i] = 0.0;
    for (j = first; j < last; j++)
      for (i = 0; i < n; i++) w[i] += 2.0 / vv * v[j] * m[i + j * n];
    for (i = first, vw = 0.0; i < last; i++) vw += v[i] * w[i] / vv;
    for (i = first; i < last; i++) w[i] -= vw * v[i];
    for (j = 0; j < n; j++)
      for (i = first; i < last; i++) m[i + j * n] -= v[i] * w[j];
    for (j = first; j < last; j++)
      for (i = 0; i < n; i++) m[i + j * n] -= w[i] * v[j];
  }
}

/* All eigenvalues of the pair, ascending; the arrays are lost */
static PetscErrorCode DenseSpectrum(PetscInt n, PetscScalar a[], PetscScalar b[], PetscReal values[])
{
  PetscBLASInt one = 1, bn, lwork, liwork = -1, info, *iwork;
  PetscScalar *work;

  PetscFunctionBegin;
  PetscCall(PetscBLASIntCast(n, &bn));
  lwork  = 8 * bn + 64;
  liwork = 8;
  PetscCall(PetscMalloc2(lwork, &work, liwork, &iwork));
#if defined(PETSC_USE_COMPLEX)
  {
    PetscBLASInt lrwork = bn + 8;
    PetscReal   *rwork;

    PetscCall(PetscMalloc1(lrwork, &rwork));
    PetscCallBLAS("LAPACKsygvd", LAPACKsygvd_(&one, "N", "L", &bn, a, &bn, b, &bn, values, work, &lwork, rwork, &lrwork, iwork, &liwork, &info));
    PetscCall(PetscFree(rwork));
  }
#else
  PetscCallBLAS("LAPACKsygvd", LAPACKsygvd_(&one, "N", "L", &bn, a, &bn, b, &bn, values, work, &lwork, iwork, &liwork, &info));
#endif
  PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_LIB, "LAPACK xSYGVD failed: info %d", (int)info);
  PetscCall(PetscFree2(work, iwork));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int Ascending(const void *a, const void *b)
{
  PetscReal x = *(const PetscReal *)a, y = *(const PetscReal *)b;

  return x < y ? -1 : x > y;
}

/* our rows of the matrix m, its zeros left out where it is not dense */
static PetscErrorCode Assemble(PetscInt n, const PetscScalar m[], PetscBool dense, Mat *M)
{
  PetscInt i, j, first, last;

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_WORLD, M));
  PetscCall(MatSetSizes(*M, PETSC_DECIDE, PETSC_DECIDE, n, n));
  PetscCall(MatSetType(*M, dense ? MATDENSE : MATAIJ));
  PetscCall(MatSetUp(*M));
  PetscCall(MatSetOption(*M, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(MatGetOwnershipRange(*M, &first, &last));
  for (i = first; i < last; i++) {
    for (j = 0; j < n; j++) {
      if (dense || i == j || m[i + j * n] != 0.0) PetscCall(MatSetValue(*M, i, j, m[i + j * n], INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(*M, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*M, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* what B is; SPARSE: A is diagonal, and B tridiagonal */
typedef enum {
  NONE,
  DIAGONAL,
  TRIDIAGONAL,
  DENSE,
  SPARSE,
  ANY
} Form;
static const char *const forms[] = {"none", "diagonal", "tridiagonal", "dense", "sparse"};

/*
   A = X D X', B = X X' with X = Q S U: U and Q are products of reflections, S is diagonal, or Cholesky's factor of
   tridiag(-1, 2.5, -1) with Q = I. The eigenvalues are D as far as rounding goes; those of what is stored are LAPACK's.
*/
static PetscErrorCode DensePair(Problem *p, Random *r, Form form, PetscReal cond, const PetscReal d[])
{
  PetscInt     n = p->n, i, j, k, nblocks = 0, *ends;
  PetscReal   *M[2], *a, *b, *v, *w, *s, top = 0.0, bound;
  PetscScalar *as, *bs;
  PetscBool    block = Is(p->family, "block");

  PetscFunctionBegin;
  PetscCall(PetscCalloc7(n * n, &a, n * n, &b, n, &v, n, &w, n, &s, n * n, &as, n * n, &bs));
  PetscCall(PetscMalloc1(n, &ends));
  M[0] = a;
  M[1] = b;
  for (i = 0; i < n; i = ends[nblocks++]) {
    j             = block ? i + RandomInt(r, 2, 20) : n;
    ends[nblocks] = PetscMin(j, n);
  }
  for (i = 0; i < n; i++) {
    a[i + i * n] = d[i];
    b[i + i * n] = 1.0;
    top          = PetscMax(top, PetscAbsReal(d[i]));
    s[i]         = form == DIAGONAL || form == DENSE ? PetscSqrtReal(i < 2 ? (i ? 1.0 : 1.0 / cond) : RandomLog(r, 1.0 / cond, 1.0)) : 1.0;
  }
  p->lowB = p->normB = 1.0;
  for (k = 0; k < nblocks; k++)
    for (j = 0; j < 3; j++) Reflect(r, n, k ? ends[k - 1] : 0, ends[k], 1, M, v, w); /* U D U' */
  if (form == TRIDIAGONAL) {
    p->lowB  = 0.5;
    p->normB = 4.5;
    for (i = 0; i < n; i++) {
      b[i + i * n] = 2.5;
      if (i) b[i + (i - 1) * n] = b[i - 1 + i * n] = -1.0;
      s[i] = PetscSqrtReal(2.5 - (i ? 1.0 / (s[i - 1] * s[i - 1]) : 0.0)); /* L(i,i), and L(i,i-1) = -1/s[i-1] */
    }
    for (i = n - 1; i >= 0; i--)
      for (j = 0; j < n; j++) a[i + j * n] = s[i] * a[i + j * n] - (i ? a[i - 1 + j * n] / s[i - 1] : 0.0);
    for (i = n - 1; i >= 0; i--)
      for (j = 0; j < n; j++) a[j + i * n] = s[i] * a[j + i * n] - (i ? a[j + (i - 1) * n] / s[i - 1] : 0.0);
  } else if (form != NONE) {
    p->lowB = 1.0 / cond;
    for (j = 0; j < n; j++)
      for (i = 0; i < n; i++) {
        a[i + j * n] *= s[i] * s[j];
        b[i + j * n] *= s[i] * s[j];
      }
    for (k = 0; form == DENSE && k < nblocks; k++)
      for (j = 0; j < 3; j++) Reflect(r, n, k ? ends[k - 1] : 0, ends[k], 2, M, v, w);
  }
  p->normA = top * p->normB;
  for (j = 0; j < n; j++)
    for (i = 0; i < n; i++) { /* symmetric to the last bit */
      as[i + j * n] = 0.5 * (a[i + j * n] + a[j + i * n]) * Phase(2.0 * (i - j));
      bs[i + j * n] = 0.5 * (b[i + j * n] + b[j + i * n]) * Phase(2.0 * (i - j));
    }
  PetscCall(Assemble(n, as, (PetscBool)!block, &p->A));
  if (form != NONE) PetscCall(Assemble(n, bs, (PetscBool)(!block && form == DENSE), &p->B));
  PetscCall(DenseSpectrum(n, as, bs, p->values));
  PetscCall(PetscArraycpy(v, d, n));
  qsort(v, (size_t)n, sizeof(PetscReal), Ascending);
  bound = 100.0 * PetscSqrtReal((PetscReal)n) * PETSC_MACHINE_EPSILON * (p->normA + top * p->normB) / p->lowB;
  for (i = 0; i < n; i++) PetscCheck(PetscAbsReal(v[i] - p->values[i]) <= bound, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Seed %d, family %s: LAPACK finds %g where the pair was made to have %g", (int)p->seed, p->family, (double)p->values[i], (double)v[i]);
  PetscCall(PetscFree(ends));
  PetscCall(PetscFree7(a, b, v, w, s, as, bs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How many eigenvalues of (diag(d), tridiag(-1, 2.5, -1)) lie below sigma: the negative pivots of A - sigma B */
static PetscInt Below(PetscInt n, const PetscReal d[], PetscReal sigma)
{
  PetscReal pivot = 1.0;
  PetscInt  i, below = 0;

  for (i = 0; i < n; i++) {
    pivot = d[i] - 2.5 * sigma - (i ? sigma * sigma / pivot : 0.0);
    if (pivot == 0.0) pivot = -PETSC_MACHINE_EPSILON * (PetscAbsReal(d[i]) + PetscAbsReal(sigma) + PETSC_SMALL);
    if (pivot < 0.0) below++;
  }
  return below;
}

/* A = diag(d), B = tridiag(-1, 2.5, -1); known are as many eigenvalues from both ends as anybody will ask for, by bisection */
static PetscErrorCode SparsePair(Problem *p, const PetscReal d[])
{
  PetscInt  n = p->n, i, first, last, ends = PetscMin(n / 2, 40);
  PetscReal top = 0.0;

  PetscFunctionBegin;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, n, 1, NULL, 0, NULL, &p->A));
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, n, 3, NULL, 2, NULL, &p->B));
  PetscCall(MatGetOwnershipRange(p->A, &first, &last));
  for (i = first; i < last; i++) {
    PetscCall(MatSetValue(p->A, i, i, d[i], INSERT_VALUES));
    PetscCall(MatSetValue(p->B, i, i, 2.5, INSERT_VALUES));
    if (i) PetscCall(MatSetValue(p->B, i, i - 1, -Phase(2.0), INSERT_VALUES));
    if (i < n - 1) PetscCall(MatSetValue(p->B, i, i + 1, -Phase(-2.0), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(p->A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(p->A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyBegin(p->B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(p->B, MAT_FINAL_ASSEMBLY));
  for (i = 0; i < n; i++) top = PetscMax(top, PetscAbsReal(d[i]));
  p->normA   = top;
  p->normB   = 4.5;
  p->lowB    = 0.5;
  p->nvalues = 2 * ends;
  p->known   = ends;
  for (i = 0; i < 2 * ends; i++) {
    PetscInt  index = i < ends ? i : n - 2 * ends + i;
    PetscReal low = -2.1 * top, high = 2.1 * top, middle;

    while (high - low > 2.0 * PETSC_MACHINE_EPSILON * PetscMax(PetscAbsReal(low), PetscAbsReal(high)) && high - low > 1e-20 * top) {
      middle = 0.5 * (low + high);
      if (Below(n, d, middle) > index) high = middle;
      else low = middle;
    }
    p->values[i] = 0.5 * (low + high);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The pair of a problem whose n, k, which, family and seed are there; d is NULL for the spectrum of the family */
static PetscErrorCode ProblemBuild(Problem *p, Random *r, Form form, PetscReal cond, const PetscReal d[])
{
  PetscReal *own;

  PetscFunctionBegin;
  p->nvalues = p->known = p->n;
  p->scaleA = p->scaleB = 1.0;
  PetscCall(PetscMalloc1(p->n, &p->values));
  PetscCall(PetscMalloc1(p->n, &own));
  if (d) PetscCall(PetscArraycpy(own, d, p->n));
  else Spectrum(r, p->family, p->n, own);
  if (form == ANY) form = (Form)RandomInt(r, NONE, DENSE);
  if (cond < 1.0) cond = RandomLog(r, 1.0, 1e6);
  p->form = forms[form];
  if (form == SPARSE) PetscCall(SparsePair(p, own));
  else PetscCall(DensePair(p, r, form, cond, own));
  PetscCall(PetscFree(own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static Random RandomOf(uint64_t seed, const char *family)
{
  Random r;

  r.state = seed;
  for (; *family; family++) r.state = RandomBits(&r) ^ (uint64_t)*family;
  return r;
}

/* A pair of a family whose size and form are given */
PETSC_UNUSED static PetscErrorCode ProblemSized(uint64_t seed, const char *family, PetscInt n, PetscInt k, EPSWhich which, Form form, PetscReal cond, Problem *p)
{
  Random r = RandomOf(seed, family);

  PetscFunctionBegin;
  PetscCall(PetscMemzero(p, sizeof(*p)));
  p->seed   = seed;
  p->family = family;
  p->n      = n;
  p->k      = k;
  p->which  = which;
  PetscCall(ProblemBuild(p, &r, form, cond, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The problem of this seed and family */
PETSC_UNUSED static PetscErrorCode ProblemCreate(uint64_t seed, const char *family, Problem *p)
{
  static const EPSWhich whichs[] = {EPS_LARGEST_MAGNITUDE, EPS_LARGEST_MAGNITUDE, EPS_LARGEST_REAL, EPS_SMALLEST_REAL};
  Random                r        = RandomOf(seed, family);
  PetscReal            *d        = NULL;
  Form                  form     = ANY;
  PetscInt              i;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(p, sizeof(*p)));
  p->seed   = seed;
  p->family = family;
  p->which  = whichs[RandomInt(&r, 0, 3)];
  p->k      = RandomInt(&r, 1, 12);
  p->n      = Is(family, "plusminusclusters") ? RandomInt(&r, 80, 240) : (PetscInt)RandomLog(&r, 65, 401);
  i         = RandomInt(&r, 0, 49); /* one in fifty is large, one in ten like those but small */
  if (i < 6 && !Is(family, "plusminusclusters") && !Is(family, "block")) form = SPARSE;
  if (form == SPARSE && !i) p->n = 3000;
  if (Is(family, "normal160")) { /* issue 11: 600 dense pairs with normal spectra */
    p->n     = RandomInt(&r, 65, 160);
    p->which = EPS_LARGEST_MAGNITUDE;
    form     = DENSE;
  }
  if (!strncmp(family, "python", 6)) { /* issue 11: diagonal, with the numbers of random.seed(seed); random.gauss(0,1) */
    Python py = {{0}, 0, PETSC_FALSE, 0.0};

    p->n     = Is(family, "python") ? 100 : 3000;
    p->k     = 1;
    p->which = EPS_LARGEST_MAGNITUDE;
    form     = SPARSE;
    PetscCall(PetscMalloc1(p->n, &d));
    PythonSeed(&py, (uint32_t)seed);
    for (i = 0; i < p->n; i++) d[i] = PythonGauss(&py);
  }
  PetscCall(ProblemBuild(p, &r, form, 0.0, d));
  PetscCall(PetscFree(d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ProblemDestroy(Problem *p)
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(&p->A));
  PetscCall(MatDestroy(&p->B));
  PetscCall(PetscFree(p->values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- judgement -------------------------------------------------------------------------------------------------------- */

typedef enum {
  RIGHT,
  WRONG,
  DIVERGED
} Verdict;

typedef struct {
  Verdict            verdict;
  EPSConvergedReason reason;
  PetscInt           nconv, its, columns, inner; /* pairs reported, outer iterations, columns of A and B outside of inner solves, inner iterations */
  char               why[256];                   /* what is wrong */
} Outcome;

static EPSWhich  sortedBy;
static PetscReal sortedFrom;

/* what a value is sorted by, the smallest first: of two of equal key any may come first */
static PetscReal WantedKey(EPSWhich which, PetscReal target, PetscReal value)
{
  switch (which) {
  case EPS_SMALLEST_REAL:
    return value;
  case EPS_LARGEST_REAL:
    return -value;
  case EPS_SMALLEST_MAGNITUDE:
    return PetscAbsReal(value);
  case EPS_TARGET_MAGNITUDE:
  case EPS_TARGET_REAL:
    return PetscAbsReal(value - target);
  default:
    return -PetscAbsReal(value);
  }
}

/* the wanted ones first */
static int Wanted(const void *a, const void *b)
{
  PetscReal x = WantedKey(sortedBy, sortedFrom, *(const PetscReal *)a), y = WantedKey(sortedBy, sortedFrom, *(const PetscReal *)b);

  return x < y ? -1 : x > y;
}

/* products and norms in different order make a difference of a few of these, times the norms of what is multiplied */
static PetscReal Rounding(PetscInt n)
{
  return 10.0 * PetscSqrtReal((PetscReal)n) * PETSC_MACHINE_EPSILON;
}

#define Accuse(o, ...) \
  do { \
    if ((o)->verdict != WRONG) (void)snprintf((o)->why, sizeof((o)->why), __VA_ARGS__); \
    (o)->verdict = WRONG; \
  } while (0)

/*
   Judge - What does this solver claim, and is it so? Every pair that is counted as converged is held against

     residual   ||r|| <= tol |theta| ||B x|| + rho,  r = A x - theta B x,  rho = eps c (||A|| + |theta| ||B||) ||x||;
                where the user's test is absolute or relative to the norms, tol ||x|| or tol (||A|| + |theta| ||B||) ||x||,
                with the norms that SLEPc takes
     basis      |X'B X - I| <= 1e-8
     values     |theta_i - lambda_i| <= sqrt(k) max(||r_i||, tol |theta_i| ||B x_i||)/(sqrt(low) ||x_i||_B) + eps c (||A|| + |theta| ||B||)/low

   with low <= lambda_min(B), theta_i the i-th pair reported and lambda_i the i-th wanted. The first term is what the
   tolerance allows: there is an eigenvalue within ||r|| of theta in the norm of B^{-1}, and k pairs have k of them within
   the norm of all k residuals; which of several eigenvalues so near to each other it is, no residual can tell. Where magnitude or
   the distance from a target counts, it is that of theta_i and lambda_i which is compared, so that of two as far away any may
   come first, and every theta must have an eigenvalue of its own that near.
   Comparisons are written such that NaN fails. A and B are those of the problem, not the solver's.
*/
PETSC_UNUSED static PetscErrorCode Judge(EPS eps, const Problem *p, Outcome *o)
{
  PetscInt    i, j, nearest, acols = 0, bcols = 0, counted, found;
  PetscReal   tol, slepcA = 0.0, slepcB = 1.0, rnorm, xnorm, bnorm, unit, floor, size, *wanted, c = Rounding(p->n);
  PetscReal  *theta, *allowed;
  PetscScalar value, dot;
  PetscBool   napi, *taken;
  PetscReal   bound;
  EPSConv     conv;

  EPSNAPIBoundKind kind;
  Vec             *x, ax, bx;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(o, sizeof(*o)));
  PetscCall(EPSGetConverged(eps, &o->nconv));
  PetscCall(EPSGetConvergedReason(eps, &o->reason));
  PetscCall(EPSGetIterationNumber(eps, &o->its));
  PetscCall(EPSGetTolerances(eps, &tol, NULL));
  PetscCall(EPSGetConvergenceTest(eps, &conv));
  if (conv == EPS_CONV_NORM) {
    PetscCall(MatNorm(p->A, NORM_INFINITY, &slepcA));
    if (p->B) PetscCall(MatNorm(p->B, NORM_INFINITY, &slepcB));
  }
  PetscCall(PetscObjectTypeCompare((PetscObject)eps, EPSNAPI, &napi));
  if (napi) PetscCall(EPSNAPIGetApplications(eps, &acols, &bcols, &o->inner));
  o->columns = acols + bcols;
  o->verdict = o->reason < 0 || o->nconv < PetscMin(p->k, p->n) ? DIVERGED : RIGHT;

  PetscCall(PetscMalloc5(p->nvalues, &wanted, p->nvalues, &taken, o->nconv, &theta, o->nconv, &allowed, o->nconv, &x));
  PetscCall(PetscArraycpy(wanted, p->values, p->nvalues));
  sortedBy   = p->which;
  sortedFrom = p->target;
  qsort(wanted, (size_t)p->nvalues, sizeof(PetscReal), Wanted);
  for (i = 0; i < p->nvalues; i++) taken[i] = PETSC_FALSE;
  PetscCall(MatCreateVecs(p->A, &ax, &bx));
  if (o->nconv > p->n) Accuse(o, "%d pairs of %d", (int)o->nconv, (int)p->n);
  for (i = 0; i < o->nconv; i++) {
    PetscCall(VecDuplicate(ax, &x[i]));
    PetscCall(EPSGetEigenpair(eps, i, &value, NULL, x[i], NULL));
    theta[i] = PetscRealPart(value);
    theta[i] = PetscAbsReal(theta[i]) < 1.0 ? theta[i] * p->scaleB / p->scaleA : theta[i] / p->scaleA * p->scaleB;
    size     = PetscAbsReal(theta[i]);
    PetscCall(VecScale(x[i], PetscSqrtReal(p->scaleB)));
    PetscCall(MatMult(p->A, x[i], ax));
    if (p->B) PetscCall(MatMult(p->B, x[i], bx));
    else PetscCall(VecCopy(x[i], bx));
    PetscCall(VecNorm(x[i], NORM_2, &xnorm));
    PetscCall(VecNorm(bx, NORM_2, &bnorm));
    for (j = 0; j <= i; j++) {
      PetscCall(VecDot(bx, x[j], &dot));
      if (!(PetscAbsScalar(dot - (i == j ? 1.0 : 0.0)) <= 1e-8)) Accuse(o, "x_%d'B x_%d = %.8g", (int)j, (int)i, (double)PetscRealPart(dot));
    }
    PetscCall(VecAXPY(ax, -theta[i], bx));
    PetscCall(VecNorm(ax, NORM_2, &rnorm));
    floor = c * (p->normA + (size + (p->which == EPS_TARGET_MAGNITUDE || p->which == EPS_TARGET_REAL ? PetscAbsReal(p->target) : 0.0)) * p->normB); /* A - sigma B is what is computed with */
    unit  = conv == EPS_CONV_ABS ? xnorm : conv == EPS_CONV_NORM ? (slepcA + size * slepcB) * xnorm : size * bnorm;
    /* a zero has no size of its own: with a target it is compared with its distance from there */
    if (conv == EPS_CONV_REL && (p->which == EPS_TARGET_MAGNITUDE || p->which == EPS_TARGET_REAL) && size <= tol * PetscAbsReal(p->target)) unit = PetscMax(unit, PetscAbsReal(theta[i] - p->target) * bnorm);
    if (napi && !(rnorm <= 1.001 * tol * unit + floor * xnorm)) Accuse(o, "residual %g of pair %d, allowed %g, or %g times what rounding allows", (double)(rnorm / unit), (int)i, (double)tol, (double)(rnorm / (floor * xnorm)));
    if (p->loose > 0.0) allowed[i] = p->loose * (size + p->unit);
    else allowed[i] = PetscSqrtReal((PetscReal)p->k) * PetscMax(rnorm, tol * size * bnorm) / PetscSqrtReal(p->lowB) + floor / p->lowB; /* ||x||_B = 1 */
  }
  for (i = 0; i < PetscMin(o->nconv, p->known); i++) {
    PetscReal off = WantedKey(p->which, p->target, theta[i]) - WantedKey(p->which, p->target, wanted[i]);

    for (nearest = -1, j = 0; j < p->nvalues; j++) {
      if (!taken[j] && (nearest < 0 || PetscAbsReal(theta[i] - wanted[j]) < PetscAbsReal(theta[i] - wanted[nearest]))) nearest = j;
    }
    if (nearest < 0 || !(PetscAbsReal(theta[i] - wanted[nearest]) <= allowed[i])) Accuse(o, "value %d is %.12g, which is no eigenvalue, or one too many (allowed %.2g)", (int)i, (double)theta[i], (double)allowed[i]);
    else taken[nearest] = PETSC_TRUE;
    /* neighbours nearer to each other than ten tolerances are one to a solver that is asked for no more; of a solve that has
       given up, what has converged need not be the first, and neither need what has converged beyond the k be the next */
    if (o->reason > 0 && i < p->k && !(PetscAbsReal(off) <= PetscMax(allowed[i], 10.0 * tol * PetscAbsReal(theta[i]))))
      Accuse(o, "value %d is %.12g, which is none of the first: wanted is %.12g (allowed %.2g)", (int)i, (double)theta[i], (double)wanted[i], (double)allowed[i]);
    if (napi) { /* with -eps_napi_check certify; the eigenvalues themselves are known up to rounding only */
      PetscCall(EPSNAPIGetErrorBound(eps, i, &bound, &kind));
      if (kind != EPS_NAPI_BOUND_NONE && nearest >= 0 && !(PetscAbsReal(theta[i] - wanted[nearest]) <= bound * p->scaleB / p->scaleA + c * (p->normA + PetscAbsReal(theta[i]) * p->normB) / p->lowB))
        Accuse(o, "value %d is %.3g off, its bound is %.3g", (int)i, (double)PetscAbsReal(theta[i] - wanted[nearest]), (double)bound);
    }
  }
  if (napi) {
    PetscCall(EPSNAPIGetCount(eps, NULL, &counted, &found));
    if (o->reason > 0 && counted != found) Accuse(o, "%d of %d eigenvalues were found, by inertia", (int)found, (int)counted);
  }
  for (i = 0; i < o->nconv; i++) PetscCall(VecDestroy(&x[i]));
  PetscCall(VecDestroy(&ax));
  PetscCall(VecDestroy(&bx));
  PetscCall(PetscFree5(wanted, taken, theta, allowed, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves and judges, and destroys both: the answer is right */
PETSC_UNUSED static PetscErrorCode TapProblem(EPS *eps, Problem *p, const char *what)
{
  Outcome o;

  PetscFunctionBegin;
  PetscCall(EPSSolve(*eps));
  PetscCall(Judge(*eps, p, &o));
  PetscCall(TapOk((PetscBool)(o.verdict == RIGHT), "%s", what));
  if (o.verdict != RIGHT) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %d found, reason %d, %d steps; %s\n", (int)o.nconv, (int)o.reason, (int)o.its, o.why));
  PetscCall(EPSDestroy(eps));
  PetscCall(ProblemDestroy(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}
