/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Odd pairs and odd options: zero, identities, null vectors, one to three unknowns, more wanted than there are, extreme
   scales, deflation spaces with nothing left, initial spaces that mislead, every kind of momentum and criterion.

     odd -group scales -every 7 -random 300 -from 1 -time 60 -verbose

   -group     one group only: zero, identity, nullvector, tiny, all, thin, deflation, initial, options, random, scales
   -every     every so many cases only
   -random    so many random problems with random options, from seed -from on
   -time      stop after so many seconds
   -verbose   a line for every case

   What must hold: the answer is right, or there is a reason or an error with a sentence; where the issue or common
   sense asks for the answer (marked in the code), a reason is not enough. It ends.
*/
#include "problems.h"
#include <petsctime.h>
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

enum {
  IS_RIGHT,
  HAS_REASON,
  REFUSES,
  MISSES,
  FALLS_SHORT,
  BREAKS,
  ENDLESS,
  IS_WRONG,
  RESULTS
};
static const char *const resultNames[] = {"right", "reason", "refused", "missed", "SHORT", "BREAKS", "ENDLESS", "WRONG"};

#define SECONDS   60 /* a case takes less than one where the machine is not busy */
#define MAXGROUPS 32

static PetscInt       tallies[MAXGROUPS][RESULTS], ngroups = 0, every = 1, cases = 0;
static const char    *groups[MAXGROUPS];
static char           onlygroup[64] = "", current[512];
static PetscBool      verbose       = PETSC_FALSE;
static PetscReal      budget        = 0.0;
static PetscLogDouble begin;
static PetscMPIInt    ranks;
static sigjmp_buf     escape;

/* On one rank the next case can be tried; on several nobody knows where the others are */
static void Late(int signal)
{
  (void)signal;
  if (ranks == 1) siglongjmp(escape, 1);
  if (write(2, current, strlen(current)) < 0 || write(2, ": it does not end\n", 18) < 0) _exit(4);
  _exit(3);
}

static PetscErrorCode Silent(MPI_Comm comm, int line, const char *func, const char *file, PetscErrorCode code, PetscErrorType type, const char *sentence, void *ctx)
{
  (void)comm;
  (void)line;
  (void)func;
  (void)file;
  if (type == PETSC_ERROR_INITIAL) (void)snprintf((char *)ctx, 512, "%s", sentence ? sentence : "");
  return code;
}

/* Whether this group is to be tried, and now its turn; there has to be time */
static PetscBool Group(const char *name)
{
  PetscLogDouble now;
  PetscMPIInt    over;

  if (!ngroups || strcmp(groups[ngroups - 1], name)) groups[ngroups++] = name;
  if (*onlygroup && strcmp(onlygroup, name)) return PETSC_FALSE;
  if (PetscTime(&now)) return PETSC_FALSE;
  over = budget > 0.0 && now - begin > budget;
  if (MPI_Bcast(&over, 1, MPI_INT, 0, PETSC_COMM_WORLD)) return PETSC_FALSE;
  return (PetscBool)!over;
}

/* The solver as the options say; what the case has to do with it by hand is done by its caller */
static PetscErrorCode Create(const Problem *p, EPS *eps)
{
  Mat A = p->A, B = p->B;

  PetscFunctionBegin;
  if (p->scaleA != 1.0 || p->scaleB != 1.0) {
    PetscCall(MatDuplicate(p->A, MAT_COPY_VALUES, &A));
    PetscCall(MatScale(A, p->scaleA));
    PetscCall(MatDuplicate(p->B, MAT_COPY_VALUES, &B));
    PetscCall(MatScale(B, p->scaleB));
  }
  PetscCall(SolverFor(A, B, p->k, p->which, eps));
  PetscCall(EPSSetTolerances(*eps, PETSC_DEFAULT, 1000));
  if (A != p->A) {
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&B));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Solves, judges and counts. must: the right answer is due. nothing: there is none, and no pair may be claimed. The EPS is
   destroyed, unless it may not be touched any more.
*/
static PetscErrorCode Check(const Problem *p, EPS *eps, const char *options, PetscBool must, PetscBool nothing, const char *format, ...)
{
  char           sentence[512] = "", what[256];
  volatile int   result;
  PetscErrorCode code;
  PetscOptions   database;
  Outcome        o;
  PetscBool      clear;
  va_list        args;

  PetscFunctionBegin;
  if (cases++ % every) {
    PetscCall(EPSDestroy(eps));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  va_start(args, format);
  vsnprintf(what, sizeof(what), format, args);
  va_end(args);
  PetscCall(PetscSNPrintf(current, sizeof(current), "%s: %s; n %d, k %d, %s%s%s", groups[ngroups - 1], what, (int)p->n, (int)p->k, p->which == EPS_LARGEST_REAL ? "lr" : p->which == EPS_SMALLEST_REAL ? "sr" : "lm", *options ? ", " : "", options));
  PetscCall(PetscMemzero(&o, sizeof(o)));
  PetscCall(PetscOptionsCreate(&database));
  PetscCall(PetscOptionsInsertString(database, options));
  PetscCall(PetscOptionsPush(database));
  PetscCall(PetscPushErrorHandler(Silent, sentence));
  if (sigsetjmp(escape, 1)) {
    result = ENDLESS;
    *eps   = NULL;
    PetscCall(PetscPopErrorHandler());
  } else {
    alarm(SECONDS);
    code = EPSSetFromOptions(*eps);
    if (!code) code = EPSSolve(*eps);
    alarm(0);
    PetscCall(PetscPopErrorHandler());
    if (code) {
      clear = (PetscBool)(code == PETSC_ERR_SUP || code == PETSC_ERR_USER_INPUT || code == PETSC_ERR_USER || code == PETSC_ERR_FP || code == PETSC_ERR_NOT_CONVERGED || code == PETSC_ERR_ARG_OUTOFRANGE || code == PETSC_ERR_ARG_WRONGSTATE);
      if (strstr(sentence, "nan")) clear = PETSC_FALSE; /* not what anybody has asked for */
      result = clear && *sentence ? (must ? FALLS_SHORT : REFUSES) : BREAKS;
      *eps   = NULL;
    } else {
      PetscCall(Judge(*eps, p, &o));
      if (nothing && o.nconv) Accuse(&o, "%d pairs where there are none", (int)o.nconv);
      result = o.verdict == RIGHT ? IS_RIGHT : o.verdict == WRONG ? IS_WRONG : must ? FALLS_SHORT : HAS_REASON;
      /* documented: there is a check for optimal momentum only, and a block of one column sees one copy of an eigenvalue */
      if (result == IS_WRONG && strstr(o.why, "none of the first") && ((strstr(options, "momentum") && !strstr(options, "optimal")) || strstr(options, "blocksize 1"))) result = MISSES;
      if (!o.reason) result = BREAKS;
    }
  }
  PetscCall(PetscOptionsPop());
  PetscCall(PetscOptionsDestroy(&database));
  PetscCall(EPSDestroy(eps));
  tallies[ngroups - 1][result]++;
  if (verbose || result >= FALLS_SHORT)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-8s %s: %d found, reason %d, %d iterations%s%s\n", resultNames[result], current, (int)o.nconv, (int)o.reason, (int)o.its, *sentence || *o.why ? "; " : "", *sentence ? sentence : o.why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run(Problem *p, const char *options, PetscBool must, const char *what)
{
  EPS eps;

  PetscFunctionBegin;
  PetscCall(Create(p, &eps));
  PetscCall(Check(p, &eps, options, must, PETSC_FALSE, "%s", what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- pairs ------------------------------------------------------------------------------------------------------------ */

typedef PetscReal Entry(PetscInt n, PetscInt i, PetscInt j);

static PetscReal Zero(PetscInt n, PetscInt i, PetscInt j)
{
  (void)n;
  (void)i;
  (void)j;
  return 0.0;
}

static PetscReal One(PetscInt n, PetscInt i, PetscInt j)
{
  (void)n;
  return i == j ? 1.0 : 0.0;
}

static PetscReal Tri(PetscInt n, PetscInt i, PetscInt j)
{
  (void)n;
  return i == j ? 2.5 : i == j + 1 || j == i + 1 ? -1.0 : 0.0;
}

static PetscReal Neumann(PetscInt n, PetscInt i, PetscInt j)
{
  return i == j ? (i && i < n - 1 ? 2.0 : 1.0) : i == j + 1 || j == i + 1 ? -1.0 : 0.0;
}

static PetscReal RankOne(PetscInt n, PetscInt i, PetscInt j)
{
  return (1.0 + i % 3) * (1.0 + j % 3) / n;
}

static PetscReal Counted(PetscInt n, PetscInt i, PetscInt j)
{
  return i == j ? (i % 2 ? -1.0 : 1.0) * (n - i) : 0.0;
}

/* the smallest ones are far below rounding */
static PetscReal Thin(PetscInt n, PetscInt i, PetscInt j)
{
  (void)n;
  return i == j ? (i % 7 == 3 ? 1e-30 : 1.0 + i % 5) : 0.0;
}

/* A and B (none where B is NULL) given by their entries; the reference is LAPACK's, or for diagonal matrices the quotients */
static PetscErrorCode Given(PetscInt n, PetscInt k, EPSWhich which, Entry *A, Entry *B, Problem *p)
{
  PetscScalar *a, *b, *c;
  PetscReal   *spectrum;
  PetscInt     i, j;
  PetscBool    diagonal = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(p, sizeof(*p)));
  p->family = "given";
  p->form   = B ? "given" : "none";
  p->n = p->nvalues = p->known = n;
  p->k                         = k;
  p->which                     = which;
  p->scaleA = p->scaleB = 1.0;
  PetscCall(PetscMalloc1(n, &p->values));
  PetscCall(PetscMalloc4(n * n, &a, n * n, &b, n * n, &c, n, &spectrum));
  for (j = 0; j < n; j++)
    for (i = 0; i < n; i++) {
      a[i + j * n] = A(n, i, j);
      b[i + j * n] = B ? B(n, i, j) : One(n, i, j);
      c[i + j * n] = One(n, i, j);
      if (i != j && (a[i + j * n] != 0.0 || b[i + j * n] != 0.0)) diagonal = PETSC_FALSE;
      p->normA += PetscRealPart(a[i + j * n] * a[i + j * n]);
    }
  p->normA = PetscSqrtReal(p->normA);
  PetscCall(Assemble(n, a, PETSC_FALSE, &p->A));
  if (B) PetscCall(Assemble(n, b, PETSC_FALSE, &p->B));
  if (diagonal) {
    for (i = 0; i < n; i++) {
      p->values[i] = PetscRealPart(a[i + i * n] / b[i + i * n]);
      spectrum[i]  = PetscRealPart(b[i + i * n]);
    }
    qsort(p->values, (size_t)n, sizeof(PetscReal), Ascending);
    qsort(spectrum, (size_t)n, sizeof(PetscReal), Ascending);
  } else {
    PetscScalar *copy;

    PetscCall(PetscMalloc1(n * n, &copy));
    PetscCall(PetscArraycpy(copy, b, n * n));
    PetscCall(DenseSpectrum(n, a, copy, p->values));
    PetscCall(DenseSpectrum(n, b, c, spectrum));
    PetscCall(PetscFree(copy));
  }
  p->lowB  = spectrum[0];
  p->normB = spectrum[n - 1];
  PetscCall(PetscFree4(a, b, c, spectrum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TryGiven(PetscInt n, PetscInt k, EPSWhich which, Entry *A, Entry *B, const char *options, PetscBool must, const char *what)
{
  Problem p;

  PetscFunctionBegin;
  PetscCall(Given(n, k, which, A, B, &p));
  PetscCall(Run(&p, options, must, what));
  PetscCall(ProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* a diagonal pair without the unit vectors from first to first+m-1 (deflated), or started with them */
static PetscErrorCode TrySpace(PetscBool deflate, PetscInt n, PetscInt k, EPSWhich which, PetscInt first, PetscInt m, PetscReal entry, PetscBool must, const char *what)
{
  Problem   p;
  EPS       eps;
  Vec      *space;
  PetscReal value;
  PetscInt  i, left;

  PetscFunctionBegin;
  PetscCall(Given(n, k, which, Counted, NULL, &p));
  PetscCall(PetscMalloc1(m, &space));
  for (i = 0; i < m; i++) {
    PetscCall(MatCreateVecs(p.A, &space[i], NULL));
    PetscCall(VecSet(space[i], 0.0));
    PetscCall(VecSetValue(space[i], (first + i) % n, entry, INSERT_VALUES));
    PetscCall(VecAssemblyBegin(space[i]));
    PetscCall(VecAssemblyEnd(space[i]));
  }
  PetscCall(Create(&p, &eps));
  if (deflate) {
    PetscCall(EPSSetDeflationSpace(eps, m, space));
    for (left = 0, i = 0; i < n; i++) { /* of the diagonal itself, so that what is left is known */
      value = Counted(n, i, i);
      if (i < first || i >= first + m) p.values[left++] = value;
    }
    p.nvalues = p.known = left;
    p.k                 = PetscMin(p.k, left);
    qsort(p.values, (size_t)left, sizeof(PetscReal), Ascending);
  } else PetscCall(EPSSetInitialSpace(eps, m, space));
  PetscCall(Check(&p, &eps, "", must, (PetscBool)(deflate && m >= n), "%s", what));
  for (i = 0; i < m; i++) PetscCall(VecDestroy(&space[i]));
  PetscCall(PetscFree(space));
  PetscCall(ProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- groups ----------------------------------------------------------------------------------------------------------- */

static const EPSWhich whichs[] = {EPS_LARGEST_MAGNITUDE, EPS_LARGEST_REAL, EPS_SMALLEST_REAL};

static PetscErrorCode Pairs(void)
{
  PetscInt i, k, n;

  PetscFunctionBegin;
  for (i = 0; i < 3; i++)
    for (k = 1; k <= 3; k += 2) {
      if (Group("zero")) {
        PetscCall(TryGiven(100, k, whichs[i], Zero, NULL, "", PETSC_TRUE, "A = 0"));
        PetscCall(TryGiven(100, k, whichs[i], Zero, Tri, "", PETSC_TRUE, "A = 0, B tridiagonal"));
        PetscCall(TryGiven(30, k, whichs[i], Zero, Tri, "", PETSC_TRUE, "A = 0, small"));
      }
    }
  for (i = 0; i < 3; i++)
    for (k = 1; k <= 3; k += 2) {
      if (Group("identity")) {
        PetscCall(TryGiven(100, k, whichs[i], One, NULL, "", PETSC_TRUE, "A = I"));
        PetscCall(TryGiven(100, k, whichs[i], One, One, "", PETSC_TRUE, "A = B = I"));
        PetscCall(TryGiven(100, k, whichs[i], Tri, Tri, "", PETSC_TRUE, "A = B"));
        PetscCall(TryGiven(100, k, whichs[i], One, Tri, "", PETSC_TRUE, "A = I, B tridiagonal"));
      }
    }
  for (i = 0; i < 3; i++)
    for (k = 1; k <= 5; k += 2) {
      if (Group("nullvector")) {
        PetscCall(TryGiven(100, k, whichs[i], RankOne, NULL, "", PETSC_TRUE, "A of rank 1"));
        PetscCall(TryGiven(100, k, whichs[i], RankOne, Tri, "", PETSC_TRUE, "A of rank 1, B tridiagonal"));
        PetscCall(TryGiven(100, k, whichs[i], Neumann, NULL, "", PETSC_TRUE, "a Laplacian's null vector"));
        PetscCall(TryGiven(100, k, whichs[i], Neumann, Tri, "", PETSC_TRUE, "a Laplacian's null vector, B tridiagonal"));
      }
    }
  for (i = 0; i < 3; i++)
    for (n = 1; n <= 4; n++)
      for (k = 1; k <= n + 2; k++) {
        if (Group("tiny")) {
          PetscCall(TryGiven(n, k, whichs[i], Counted, NULL, "", PETSC_TRUE, "a few unknowns"));
          PetscCall(TryGiven(n, k, whichs[i], Tri, Tri, "", PETSC_TRUE, "a few unknowns, A = B"));
          PetscCall(TryGiven(n, k, whichs[i], Counted, Tri, "", PETSC_TRUE, "a few unknowns, B tridiagonal"));
          PetscCall(TryGiven(n, k, whichs[i], Zero, Tri, "", PETSC_TRUE, "a few unknowns, A = 0"));
        }
      }
  for (i = 0; i < 3; i++)
    for (n = 10; n <= 70; n += 30)
      for (k = n - 1; k <= n + 1; k++) {
        if (Group("all")) {
          PetscCall(TryGiven(n, k, whichs[i], Counted, NULL, "", PETSC_TRUE, "all of them"));
          PetscCall(TryGiven(n, k, whichs[i], Counted, Tri, "", PETSC_TRUE, "all of them, B tridiagonal"));
        }
      }
  for (i = 0; i < 3; i++)
    for (k = 1; k <= 4; k++) {
      if (Group("thin")) {
        PetscCall(TryGiven(100, k, whichs[i], Counted, Thin, "", PETSC_FALSE, "entries of 1e-30 on B's diagonal"));
        PetscCall(TryGiven(100, k, whichs[i], Thin, Thin, "", PETSC_FALSE, "A = B, entries of 1e-30"));
        PetscCall(TryGiven(100, k, whichs[i], Thin, NULL, "", PETSC_FALSE, "A with entries of 1e-30"));
      }
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Spaces(void)
{
  const PetscReal nan = PETSC_INFINITY - PETSC_INFINITY;
  PetscInt        i, k, n;

  PetscFunctionBegin;
  for (i = 0; i < 3; i++)
    for (k = 1; k <= 3; k += 2)
      for (n = 10; n <= 80; n += 70) {
        if (Group("deflation")) {
          if (!i) PetscCall(TrySpace(PETSC_TRUE, n, k, whichs[i], 0, n, 1.0, PETSC_FALSE, "everything deflated"));
          PetscCall(TrySpace(PETSC_TRUE, n, k, whichs[i], 0, n - 1, 1.0, PETSC_TRUE, "all but one deflated"));
          PetscCall(TrySpace(PETSC_TRUE, n, k, whichs[i], 0, n - 2, 1.0, PETSC_TRUE, "all but two deflated"));
          PetscCall(TrySpace(PETSC_TRUE, n, k, whichs[i], 0, 2, 1e-3, PETSC_TRUE, "the first two deflated"));
        }
      }
  for (i = 0; i < 3; i++)
    for (k = 1; k <= 3; k += 2)
      for (n = 10; n <= 80; n += 70) {
        if (Group("initial")) {
          PetscCall(TrySpace(PETSC_FALSE, n, k, whichs[i], n / 2, 1, 1.0, PETSC_TRUE, "started with one wrong eigenvector"));
          PetscCall(TrySpace(PETSC_FALSE, n, k, whichs[i], n / 2, 5, 1.0, PETSC_TRUE, "started with five wrong eigenvectors"));
          PetscCall(TrySpace(PETSC_FALSE, n, k, whichs[i], 6, n - 6, 1.0, (PetscBool)(n < 64), "started with all eigenvectors but the first six"));
          PetscCall(TrySpace(PETSC_FALSE, n, k, whichs[i], n / 2, 3, 0.0, PETSC_TRUE, "started with zeros"));
          PetscCall(TrySpace(PETSC_FALSE, n, k, whichs[i], n / 2, 2 * n, 1.0, PETSC_FALSE, "started with everything twice"));
          PetscCall(TrySpace(PETSC_FALSE, n, k, whichs[i], n / 2, 3, 1e-200, PETSC_FALSE, "started with three wrong eigenvectors, tiny"));
          PetscCall(TrySpace(PETSC_FALSE, n, k, whichs[i], n / 2, 3, nan, PETSC_FALSE, "started with NaN"));
          PetscCall(TrySpace(PETSC_FALSE, n, k, whichs[i], n / 2, 3, PETSC_INFINITY, PETSC_FALSE, "started with Inf"));
        }
      }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A times 10^p, B times 10^q; where the quotient is no number any more, there is no answer */
static PetscErrorCode Scales(void)
{
  static const PetscInt    tens[]    = {-290, -200, -170, -150, -100, -50, -20, 0, 20, 50, 100, 150, 170, 200, 290};
  const PetscInt           many      = (PetscInt)(sizeof(tens) / sizeof(tens[0]));
  static const char *const momenta[] = {"", "-eps_napi_momentum adaptive", "-eps_napi_momentum none"};
  PetscInt                 i, j, m, s;
  Problem                  p;
  EPS                      eps;

  PetscFunctionBegin;
  for (m = 0; m < 3; m++)
    for (s = 0; s < 3; s++) {
      if (!Group("scales")) continue;
      PetscCall(ProblemSized((uint64_t)(s + 1), s == 1 ? "normal" : "negative", s ? 70 : 30, 2, whichs[m ? 0 : s], DENSE, 10.0, &p));
      for (i = 0; i < many; i++)
        for (j = 0; j < many; j++) {
          PetscBool none = (PetscBool)(PetscAbsInt(tens[i] - tens[j]) > 300);

          p.scaleA = PetscPowReal(10.0, (PetscReal)tens[i]);
          p.scaleB = PetscPowReal(10.0, (PetscReal)tens[j]);
          PetscCall(Create(&p, &eps));
          PetscCall(Check(&p, &eps, momenta[m], (PetscBool)(!tens[i] && !tens[j] && !m), none, "A times 1e%d, B times 1e%d", (int)tens[i], (int)tens[j]));
        }
      PetscCall(ProblemDestroy(&p));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Options(void)
{
  static const char *const options[]  = {"-eps_tol 1e-16", "-eps_tol 1e-14", "-eps_tol 0.5", "-eps_max_it 1", "-eps_max_it 3", "-eps_ncv 5 -eps_napi_blocksize 1", "-eps_ncv 6 -eps_napi_blocksize 1", "-eps_ncv 3", "-eps_ncv 1000", "-eps_napi_blocksize 1", "-eps_napi_blocksize 1000", "-eps_napi_blocksize 40", "-eps_napi_restart 1", "-eps_napi_restart 1000", "-eps_conv_abs", "-eps_conv_norm", "-eps_napi_momentum none", "-eps_napi_momentum adaptive", "-eps_napi_momentum fixed -eps_napi_beta 0", "-eps_napi_momentum fixed -eps_napi_beta 1e-3", "-eps_napi_momentum fixed -eps_napi_beta 3", "-eps_napi_momentum fixed -eps_napi_beta 1e6", "-eps_napi_momentum fixed -eps_napi_beta 1e300", "-eps_napi_momentum fixed", "-eps_napi_momentum fixed -eps_napi_beta_from_eigenvalue -1", "-eps_napi_momentum adaptive -eps_napi_guard 0", "-eps_napi_momentum none -eps_napi_guard 1000", "-eps_napi_momentum adaptive -eps_napi_criterion window", "-eps_napi_momentum none -eps_napi_criterion auto", "-eps_napi_criterion paper", "-eps_napi_criterion window", "-eps_napi_criterion auto", "-eps_napi_inner_rtol 0.99", "-eps_napi_inner_rtol 1e-15", "-eps_napi_inner_max_it 1", "-eps_napi_residual scaled", "-st_shift 0.5", "-st_shift -3", "-st_shift 10", "-st_shift 1e8", "-eps_napi_momentum adaptive -st_shift 5", "-eps_napi_momentum adaptive -st_shift -5", "-eps_napi_momentum none -st_shift 0.1", "-st_ksp_type cg", "-st_ksp_type gmres", "-st_ksp_max_it 1 -st_ksp_type cg", "-st_pc_type none", "-eps_true_residual", "-eps_mpd 2", "-eps_nev 0"};
  static const char *const families[] = {"normal", "negative", "multiplicities", "tight"};
  PetscInt                 i, j, s;
  Problem                  p;

  PetscFunctionBegin;
  for (s = 0; s < 24; s++) {
    PetscCall(ProblemSized((uint64_t)s, families[s % 4], s % 2 ? 70 : 90, 3, whichs[s / 4 % 3], s < 12 ? DENSE : NONE, 100.0, &p));
    for (i = 0, j = (PetscInt)(sizeof(options) / sizeof(options[0])); i < j; i++) {
      if (Group("options")) PetscCall(Run(&p, options[i], PETSC_FALSE, families[s % 4]));
    }
    PetscCall(ProblemDestroy(&p));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Any pair with any options */
static PetscErrorCode RandomOptions(PetscInt from, PetscInt count)
{
  static const char *const momenta[] = {"none", "adaptive", "optimal", "optimal", "optimal", "optimal"}, *const criteria[] = {"paper", "window", "auto"};
  PetscInt  i, m, n, k, bs;
  PetscReal shift;
  char      options[512], more[128];
  Problem   p;

  PetscFunctionBegin;
  for (i = from; i < from + count; i++) {
    Random r = RandomOf((uint64_t)i, "options");

    if (!Group("random")) break;
    m     = RandomInt(&r, 0, 5);
    n     = RandomInt(&r, 5, 150);
    k     = RandomInt(&r, 1, 8);
    bs    = RandomInt(&r, 1, 10);
    shift = RandomInt(&r, 0, 2) ? 0.0 : RandomNormal(&r);
    PetscCall(PetscSNPrintf(options, sizeof(options), "-eps_napi_momentum %s -eps_napi_criterion %s -eps_tol %g -eps_max_it %d", momenta[m], criteria[RandomInt(&r, 0, m > 1 ? 2 : 1)], (double)RandomLog(&r, 1e-14, 1e-4), (int)RandomLog(&r, 2, 2000)));
    if (RandomBits(&r) & 1) {
      PetscCall(PetscSNPrintf(more, sizeof(more), m > 1 ? " -eps_napi_blocksize %d -eps_ncv %d" : " -eps_napi_guard %d", (int)bs, (int)(k + bs * RandomInt(&r, 2, 6))));
      PetscCall(PetscStrlcat(options, more, sizeof(options)));
    }
    if (RandomInt(&r, 0, 3) == 0) {
      PetscCall(PetscSNPrintf(more, sizeof(more), " -eps_napi_inner_rtol %g -eps_napi_inner_max_it %d", (double)RandomLog(&r, 1e-8, 0.9), (int)RandomInt(&r, 1, 20)));
      PetscCall(PetscStrlcat(options, more, sizeof(options)));
    }
    if (shift != 0.0) {
      PetscCall(PetscSNPrintf(more, sizeof(more), " -st_shift %g", (double)shift));
      PetscCall(PetscStrlcat(options, more, sizeof(options)));
    }
    PetscCall(ProblemSized((uint64_t)i, Families[RandomInt(&r, 0, 12)], n, k, whichs[RandomInt(&r, 0, 2)], ANY, RandomLog(&r, 1.0, 1e6), &p));
    PetscCall(PetscSNPrintf(more, sizeof(more), "-random 1 -from %d, %s, B %s", (int)i, p.family, p.form));
    PetscCall(Run(&p, options, PETSC_FALSE, more));
    PetscCall(ProblemDestroy(&p));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt from = 1, random = 300, i, j, sum[RESULTS], failed = 0;

  PetscCall(TapBegin(&argc, &argv));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-from", &from, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-random", &random, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-group", onlygroup, sizeof(onlygroup), NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-time", &budget, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-verbose", &verbose, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-every", &every, NULL));
  PetscCheck(every > 0, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "-every must be positive");
  (void)signal(SIGALRM, Late);
  PetscCall(PetscTime(&begin));
  PetscCall(Pairs());
  PetscCall(Spaces());
  PetscCall(Options());
  PetscCall(RandomOptions(from, random));
  PetscCall(Scales());
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-12s", "group"));
  for (j = 0; j < RESULTS; j++) PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %8s", resultNames[j]));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "   (%d ranks)\n", (int)ranks));
  PetscCall(PetscMemzero(sum, sizeof(sum)));
  for (i = 0; i < ngroups; i++) {
    PetscInt many = 0;

    for (j = 0; j < RESULTS; j++) many += tallies[i][j];
    if (!many) continue;
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-12s", groups[i]));
    for (j = 0; j < RESULTS; j++) {
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %8d", (int)tallies[i][j]));
      sum[j] += tallies[i][j];
    }
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n"));
  }
  for (j = FALLS_SHORT; j < RESULTS; j++) failed += sum[j];
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%d passed, %d failed\n", (int)(sum[IS_RIGHT] + sum[HAS_REASON] + sum[REFUSES]), (int)failed));
  PetscCall(SlepcFinalize());
  return failed ? 1 : 0;
}
