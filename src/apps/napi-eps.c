/* SPDX-License-Identifier: BSD-2-Clause */
/*
   napi-eps: solves a symmetric eigenproblem A x = lambda x or A x = lambda B x read from files, with any EPS type, and
   says what it cost. The steps are those of NAPIEPS_Run(), at the end: options, matrices, solve and check, report.
*/
#include <slepcnapi.h>
#include <slepcnapi/private/napicompat.h>
#include <slepcnapi/private/napitighten.h>
#include "common/app.h"
#include "common/count.h"
#include "common/fem.h"
#include "../io/napiio.h"
#include <ctype.h>

static const char help[] = "napi-eps: eigenvalues of A x = lambda B x, A symmetric, B symmetric positive definite (or absent)\n\n"
                           "  napi-eps -A <file> [-B <file>] [options]\n"
                           "  napi-eps -X <file> -Y <file> [-ridge <g>] [-center] [options]\n"
                           "  napi-eps -generate fem2d|fem3d [-m <mx>,<my>[,<mz>]] [options]\n\n"
                           "  -A, -B <file>       the matrices: Matrix Market, PETSc binary, NumPy or CSV, also compressed by gzip\n"
                           "  -X, -Y <file>       two data sets, a sample a row: the pair of their canonical correlation analysis, never "
                           "formed\n"
                           "  -ridge <g>          its regularisation (1e-3);  -center  subtract the means of the columns\n"
                           "  -generate <pair>    a finite-element stiffness/mass pair instead: fem2d or fem3d, with -m elements a side\n"
                           "  -swap               exchange A and B (the smallest eigenvalues of A, B are the inverses of the largest)\n"
                           "  -precondition_by_b  for gd, jd, lobpcg: the preconditioner is made from B (a fair start for the largest "
                           "eigenvalues)\n"
                           "  -true_tol <t>       solve until ||Ax-lambda Bx|| <= t |lambda| ||Bx|| for all pairs, whatever the solver's own "
                           "test\n"
                           "  -out <file>         write the eigenvectors: NumPy or Matrix Market if the name ends in .npy or .mtx, else PETSc "
                           "binary\n"
                           "  -json <file>        write the results as a JSON object\n"
                           "  -traceback          show errors of PETSc and SLEPc as they do, not as one sentence\n"
                           "  -h                  this text; -help adds the options of the solver in use\n\n"
                           "  Options of SLEPc, among many others:\n"
                           "  -eps_type <type>    napi (default), krylovschur, gd, lobpcg, ...\n"
                           "  -eps_nev <k>        how many eigenvalues (1);  -eps_tol <t>  relative tolerance;  -eps_max_it <n>\n"
                           "  -eps_largest_magnitude, -eps_largest_real, -eps_smallest_real, ...: which\n"
                           "  -st_ksp_type, -st_pc_type, ...: how systems with B are solved\n\n"
                           "  Exit status: 0 all wanted pairs found; 1 wrong input; 2 fewer pairs than wanted (also where the matrix\n"
                           "  has no more), or -true_tol not reached\n";

typedef struct {
  char      A[PETSC_MAX_PATH_LEN], B[PETSC_MAX_PATH_LEN], generate[64], out[PETSC_MAX_PATH_LEN], json[PETSC_MAX_PATH_LEN];
  char      X[PETSC_MAX_PATH_LEN], Y[PETSC_MAX_PATH_LEN];
  PetscReal ridge;
  PetscBool hasX, hasY, center;
  PetscBool hasA, hasB, hasgenerate, hasout, hasjson, swap, hastruetol;
  PetscReal truetol;
  PetscInt  m[3], nm; /* elements a side */
} Options;

typedef struct {
  Mat  A, B; /* B may be NULL */
  char title[2 * PETSC_MAX_PATH_LEN + 128];
} Problem;

typedef struct {
  char               type[64], which[64];
  PetscInt           nev, nconv, its, shown; /* pairs wanted, converged, and listed: the wanted ones that converged */
  EPSConvergedReason reason;
  PetscReal         *re, *im, *residual, *slepc; /* eigenvalues; ||r||/(|lambda| ||Bx||); ||r||/(|lambda| ||x||) */
  PetscReal         *bound;                      /* of the error of an eigenvalue, with -eps_napi_check certify */
  EPSNAPIBoundKind   kind;
  PetscReal          limit; /* of the eigenvalues beyond this, so many by inertia (-1: not known), so many were found */
  PetscInt           count, found;
  NAPICost           cost;
  PetscReal          tol; /* used in the last solve */
  PetscInt           solves;
  PetscBool          reached; /* all wanted pairs are there and, with -true_tol, are good enough */
} Result;

/* --- options -------------------------------------------------------------------------------------------------- */

/* Numbers that SLEPc reads itself, but leniently; words such as decide are its own */
static PetscErrorCode NAPIEPS_CheckSolverOptions(char message[])
{
  static const char *const counts[] = {"-eps_nev", "-eps_ncv", "-eps_mpd", "-eps_max_it"};
  const char              *value;
  PetscInt                 count, n;
  PetscBool                set;

  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
    PetscCall(PetscOptionsFindPair(NULL, NULL, counts[i], &value, &set));
    if (set && !(value && isalpha((unsigned char)value[0]))) PetscCall(NAPIGetInts(counts[i], 1, &count, &n, &set, message));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NAPIEPS_GetOptions(Options *o, char message[])
{
  const char *wrong = NULL;
  PetscInt    n;
  PetscBool   has;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(o, sizeof(*o)));
  message[0] = '\0';
  PetscCall(NAPIGetName("-A", o->A, sizeof(o->A), &o->hasA, message));
  PetscCall(NAPIGetName("-B", o->B, sizeof(o->B), &o->hasB, message));
  PetscCall(NAPIGetName("-X", o->X, sizeof(o->X), &o->hasX, message));
  PetscCall(NAPIGetName("-Y", o->Y, sizeof(o->Y), &o->hasY, message));
  o->ridge = 1e-3;
  if (o->hasX) {
    PetscCall(NAPIGetReals("-ridge", 1, &o->ridge, &n, &has, message));
    PetscCall(PetscOptionsGetBool(NULL, NULL, "-center", &o->center, NULL));
  }
  PetscCall(NAPIGetName("-generate", o->generate, sizeof(o->generate), &o->hasgenerate, message));
  PetscCall(NAPIGetName("-out", o->out, sizeof(o->out), &o->hasout, message));
  PetscCall(NAPIGetName("-json", o->json, sizeof(o->json), &o->hasjson, message));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-swap", &o->swap, NULL));
  PetscCall(NAPIGetReals("-true_tol", 1, &o->truetol, &n, &o->hastruetol, message));
  if (o->hasgenerate) PetscCall(NAPIGetInts("-m", 3, o->m, &o->nm, &has, message));
  PetscCall(NAPIEPS_CheckSolverOptions(message));
  if (o->hasX != o->hasY) wrong = "canonical correlation analysis needs two data sets: give both -X <file> and -Y <file>";
  else if (o->hasX && (o->hasA || o->hasB || o->hasgenerate || o->swap)) wrong = "-X and -Y make A and B themselves: leave out -A, -B, -generate and -swap";
  else if (o->hasX && !(o->ridge >= 0.0)) wrong = "-ridge must not be negative";
  else if (!o->hasA && !o->hasgenerate && !o->hasX) wrong = "no matrix: give -A <file> or -generate fem2d (napi-eps -h lists the options)";
  else if (o->hasgenerate && (o->hasA || o->hasB)) wrong = "-generate makes A and B itself: leave out -A and -B, or -generate";
  else if (o->swap && !o->hasgenerate && !o->hasB) wrong = "-swap needs a pair: give -B <file>";
  else if (o->hastruetol && !(o->truetol > 0.0)) wrong = "-true_tol must be positive";
  if (wrong && !message[0]) PetscCall(PetscStrncpy(message, wrong, NAPI_MESSAGE_LENGTH));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- matrices ------------------------------------------------------------------------------------------------- */

static PetscErrorCode NAPIEPS_ReadHermitian(const char name[], Mat *A, char message[])
{
  PetscFunctionBegin;
  PetscCall(NAPIReadMatrix(PETSC_COMM_WORLD, name, A, message));
  if (!message[0]) PetscCall(NAPICheckHermitian(*A, name, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NAPIEPS_ReadProblem(const Options *o, Problem *p, char message[])
{
  PetscInt n, m;

  PetscFunctionBegin;
  PetscCall(NAPIEPS_ReadHermitian(o->A, &p->A, message));
  if (message[0] || !o->hasB) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(NAPIEPS_ReadHermitian(o->B, &p->B, message));
  if (message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetSize(p->A, &n, NULL));
  PetscCall(MatGetSize(p->B, &m, NULL));
  if (n != m) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s is of size %" PetscInt_FMT " and %s of size %" PetscInt_FMT ": they make no pair", o->A, n, o->B, m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two data sets: B holds their covariances with a ridge, A those between them; neither is formed */
static PetscErrorCode NAPIEPS_ReadViews(const Options *o, Problem *p, char message[])
{
  Mat view[2] = {NULL, NULL};

  PetscFunctionBegin;
  PetscCall(NAPIReadViews(o->X, o->Y, view, NULL, message));
  if (!message[0]) PetscCall(MatCreateCCAPair(view[0], view[1], o->ridge, o->ridge, o->center, &p->A, &p->B));
  PetscCall(MatDestroy(&view[0]));
  PetscCall(MatDestroy(&view[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The elements a side: one number stands for all sides, none for a small problem */
static PetscErrorCode NAPIEPS_GetElements(const Options *o, PetscInt dim, PetscInt m[], char message[])
{
  PetscReal n = 1.0;

  PetscFunctionBegin;
  if (o->nm > 1 && o->nm != dim) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "-m needs one number or, for -generate %s, %" PetscInt_FMT " of them", o->generate, dim));
  for (PetscInt d = 0; d < dim; d++) {
    if (o->nm == 0) m[d] = dim == 2 ? 100 : 20;
    else m[d] = o->nm == 1 ? o->m[0] : o->m[d];
    n *= (PetscReal)m[d] - 1.0;
    if (m[d] < 2 && !message[0]) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "-m needs at least 2 elements a side"));
  }
  if (n > (PetscReal)PETSC_MAX_INT && !message[0]) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "-m asks for more unknowns than a PETSc with %d-bit indices can number", (int)(8 * sizeof(PetscInt))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NAPIEPS_GenerateProblem(const Options *o, Problem *p, char message[])
{
  PetscInt  dim, m[3] = {1, 1, 1};
  PetscBool plane, solid;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(o->generate, "fem2d", &plane));
  PetscCall(PetscStrcmp(o->generate, "fem3d", &solid));
  if (!plane && !solid) {
    PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "-generate knows fem2d and fem3d, not '%s'", o->generate));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  dim = plane ? 2 : 3;
  PetscCall(NAPIEPS_GetElements(o, dim, m, message));
  if (message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(NAPIFemCreate(PETSC_COMM_WORLD, dim, m, &p->A, &p->B));
  if (plane) PetscCall(PetscSNPrintf(p->title, sizeof(p->title), "%" PetscInt_FMT " x %" PetscInt_FMT " bilinear finite elements", m[0], m[1]));
  else PetscCall(PetscSNPrintf(p->title, sizeof(p->title), "%" PetscInt_FMT " x %" PetscInt_FMT " x %" PetscInt_FMT " trilinear finite elements", m[0], m[1], m[2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first line of the output: which matrices are called A and B below */
static PetscErrorCode NAPIEPS_NameMatrices(const Options *o, Problem *p)
{
  const char *A = o->hasgenerate ? "stiffness" : o->A, *B = o->hasgenerate ? "mass" : o->B;
  char        origin[PETSC_MAX_PATH_LEN] = "";

  PetscFunctionBegin;
  if (o->hasgenerate) {
    PetscCall(PetscStrncpy(origin, p->title, sizeof(origin)));
    PetscCall(PetscStrlcat(origin, ": ", sizeof(origin)));
  }
  if (o->hasX) PetscCall(PetscSNPrintf(p->title, sizeof(p->title), "canonical correlations of X = %s and Y = %s, ridge %g%s", o->X, o->Y, (double)o->ridge, o->center ? ", centred" : ""));
  else if (p->B) PetscCall(PetscSNPrintf(p->title, sizeof(p->title), "%sA = %s, B = %s", origin, o->swap ? B : A, o->swap ? A : B));
  else PetscCall(PetscSNPrintf(p->title, sizeof(p->title), "A = %s", A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NAPIEPS_CreateProblem(const Options *o, Problem *p, char message[])
{
  PetscFunctionBegin;
  p->A = p->B = NULL;
  if (o->hasgenerate) PetscCall(NAPIEPS_GenerateProblem(o, p, message));
  else if (o->hasX) PetscCall(NAPIEPS_ReadViews(o, p, message));
  else PetscCall(NAPIEPS_ReadProblem(o, p, message));
  if (message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(NAPIEPS_NameMatrices(o, p));
  if (o->swap) {
    Mat A = p->A;

    p->A = p->B;
    p->B = A;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NAPIEPS_DestroyProblem(Problem *p)
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(&p->A));
  PetscCall(MatDestroy(&p->B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- solve and check ------------------------------------------------------------------------------------------ */

/* A tolerance of zero leaves it to the options */
static PetscErrorCode NAPIEPS_CreateSolver(const Problem *p, PetscReal tol, EPS *eps, PetscBool *isnapi)
{
  PetscInt  maxit;
  PetscBool isgram, byb = PETSC_FALSE;
  ST        st;

  PetscFunctionBegin;
  PetscCall(EPSCreate(PETSC_COMM_WORLD, eps));
  PetscCall(EPSSetOperators(*eps, p->A, p->B));
  PetscCall(EPSSetProblemType(*eps, p->B ? EPS_GHEP : EPS_HEP));
  PetscCall(EPSSetType(*eps, EPSNAPI));
  /* the eigenvalues of CCA are correlations and their negatives: the positive ones are meant */
  PetscCall(PetscObjectTypeCompare((PetscObject)p->A, MATGRAM, &isgram));
  if (isgram) PetscCall(EPSSetWhichEigenpairs(*eps, EPS_LARGEST_REAL));
  PetscCall(EPSSetFromOptions(*eps));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-precondition_by_b", &byb, NULL));
  if (byb && p->B) {
    PetscCall(EPSGetST(*eps, &st));
    PetscCall(STSetPreconditionerMat(st, p->B));
  }
  PetscCall(PetscObjectTypeCompare((PetscObject)*eps, EPSNAPI, isnapi));
  if (tol > 0.0) {
    PetscCall(EPSGetTolerances(*eps, NULL, &maxit));
    PetscCall(EPSSetTolerances(*eps, tol, maxit));
    if (*isnapi) PetscCall(EPSNAPISetResidual(*eps, EPS_NAPI_RESIDUAL_SCALED));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NAPIEPS_DestroyResult(Result *r)
{
  PetscFunctionBegin;
  PetscCall(PetscFree5(r->re, r->im, r->residual, r->slepc, r->bound));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = B x, for B = I where there is none */
static PetscErrorCode NAPIEPS_MultiplyB(const Problem *p, Vec x, Vec y)
{
  PetscFunctionBegin;
  if (p->B) PetscCall(MatMult(p->B, x, y));
  else PetscCall(VecCopy(x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Residual norms of one pair, recomputed from the matrices. x = xr + i xi and lambda = kr + i ki only for problems that
   options made indefinite or non-Hermitian in a real build, where the real and the imaginary part of r are
     A xr - kr B xr + ki B xi   and   A xi - kr B xi - ki B xr.
*/
static PetscErrorCode NAPIEPS_CheckPair(EPS eps, const Problem *p, PetscInt i, Vec w[], Result *r)
{
  Vec         xr = w[0], xi = w[1], u = w[2], Br = w[3], Bi = w[4];
  PetscScalar kr, ki;
  PetscReal   norm[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0}; /* r, x and B x; real and imaginary part */
  PetscReal   lambda, residual, x, Bx;

  PetscFunctionBegin;
  PetscCall(EPSGetEigenpair(eps, i, &kr, &ki, xr, xi));
  r->re[i] = PetscRealPart(kr);
  r->im[i] = PetscDefined(USE_COMPLEX) ? PetscImaginaryPart(kr) : PetscRealPart(ki);
  PetscCall(NAPIEPS_MultiplyB(p, xr, Br));
  PetscCall(MatMult(p->A, xr, u));
  PetscCall(VecAXPY(u, -kr, Br));
  if (!PetscDefined(USE_COMPLEX) && ki != 0.0) {
    PetscCall(NAPIEPS_MultiplyB(p, xi, Bi));
    PetscCall(VecAXPY(u, ki, Bi));
    PetscCall(VecNorm(u, NORM_2, &norm[0]));
    PetscCall(MatMult(p->A, xi, u));
    PetscCall(VecAXPY(u, -kr, Bi));
    PetscCall(VecAXPY(u, -ki, Br));
    PetscCall(VecNorm(u, NORM_2, &norm[1]));
    PetscCall(VecNorm(xi, NORM_2, &norm[3]));
    PetscCall(VecNorm(Bi, NORM_2, &norm[5]));
  } else PetscCall(VecNorm(u, NORM_2, &norm[0]));
  PetscCall(VecNorm(xr, NORM_2, &norm[2]));
  PetscCall(VecNorm(Br, NORM_2, &norm[4]));
  lambda         = PetscSqrtReal(r->re[i] * r->re[i] + r->im[i] * r->im[i]);
  residual       = PetscSqrtReal(norm[0] * norm[0] + norm[1] * norm[1]);
  x              = PetscSqrtReal(norm[2] * norm[2] + norm[3] * norm[3]);
  Bx             = PetscSqrtReal(norm[4] * norm[4] + norm[5] * norm[5]);
  r->residual[i] = residual == 0.0 ? 0.0 : residual / (lambda * Bx); /* an eigenvalue of zero has no relative residual */
  r->slepc[i]    = residual == 0.0 ? 0.0 : residual / (lambda * x);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NAPIEPS_DescribeSolver(EPS eps, Result *r)
{
  static const struct {
    EPSWhich    which;
    const char *name;
  } names[] = {
    {EPS_LARGEST_MAGNITUDE,  "of largest magnitude"            },
    {EPS_SMALLEST_MAGNITUDE, "of smallest magnitude"           },
    {EPS_LARGEST_REAL,       "at the upper end of the spectrum"},
    {EPS_SMALLEST_REAL,      "at the lower end of the spectrum"},
    {EPS_TARGET_MAGNITUDE,   "closest to the target"           },
    {EPS_TARGET_REAL,        "closest to the target"           },
    {EPS_ALL,                "in the interval"                 }
  };
  EPSType  type;
  EPSWhich which;

  PetscFunctionBegin;
  PetscCall(EPSGetType(eps, &type));
  PetscCall(PetscStrncpy(r->type, type, sizeof(r->type)));
  PetscCall(EPSGetWhichEigenpairs(eps, &which));
  PetscCall(PetscStrncpy(r->which, "asked for", sizeof(r->which)));
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
    if (names[i].which == which) PetscCall(PetscStrncpy(r->which, names[i].name, sizeof(r->which)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* asked: how many pairs were wanted before the solve, in which some types want no more than there are unknowns */
static PetscErrorCode NAPIEPS_CheckPairs(EPS eps, const Problem *p, PetscInt asked, Result *r)
{
  Vec       x, *w;
  EPSWhich  which;
  PetscInt  nev;
  PetscBool isnapi;

  PetscFunctionBegin;
  PetscCall(NAPIEPS_DescribeSolver(eps, r));
  PetscCall(EPSGetDimensions(eps, &nev, NULL, NULL));
  PetscCall(EPSGetConverged(eps, &r->nconv));
  PetscCall(EPSGetIterationNumber(eps, &r->its));
  PetscCall(EPSGetConvergedReason(eps, &r->reason));
  PetscCall(EPSGetTolerances(eps, &r->tol, NULL));
  PetscCall(EPSGetWhichEigenpairs(eps, &which));
  if (which != EPS_ALL) nev = PetscMax(nev, asked); /* in an interval all are wanted, however many that is */
  r->nev   = nev > 0 ? nev : r->nconv;              /* a threshold as stopping test sets no number */
  r->shown = PetscMin(r->nev, r->nconv);
  PetscCall(PetscMalloc5(r->shown, &r->re, r->shown, &r->im, r->shown, &r->residual, r->shown, &r->slepc, r->shown, &r->bound));
  PetscCall(MatCreateVecs(p->A, &x, NULL));
  PetscCall(VecDuplicateVecs(x, 5, &w));
  for (PetscInt i = 0; i < r->shown; i++) PetscCall(NAPIEPS_CheckPair(eps, p, i, w, r));
  r->kind  = EPS_NAPI_BOUND_NONE;
  r->count = -1;
  PetscCall(PetscObjectTypeCompare((PetscObject)eps, EPSNAPI, &isnapi));
  for (PetscInt i = 0; i < r->shown && isnapi; i++) PetscCall(EPSNAPIGetErrorBound(eps, i, &r->bound[i], &r->kind));
  if (isnapi) PetscCall(EPSNAPIGetCount(eps, &r->limit, &r->count, &r->found));
  PetscCall(VecDestroyVecs(5, &w));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NAPIEPS_SolveOnce(const Problem *p, PetscReal tol, EPS *eps, PetscBool *isnapi, Result *r)
{
  PetscInt asked;

  PetscFunctionBegin;
  PetscCall(NAPIEPS_CreateSolver(p, tol, eps, isnapi));
  PetscCall(EPSGetDimensions(*eps, &asked, NULL, NULL));
  PetscCall(NAPICountedSolve(*eps, &r->cost));
  PetscCall(NAPIEPS_CheckPairs(*eps, p, asked, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   With -true_tol, napi stops by that test itself. Any other type is given smaller and smaller tolerances of its own,
   each time in a new EPS so that it starts from the same vectors, until the pairs pass.
*/
static PetscErrorCode NAPIEPS_Solve(const Options *o, const Problem *p, EPS *eps, Result *r)
{
  PetscReal tol = o->hastruetol ? o->truetol : 0.0, worst;
  PetscBool isnapi, again = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(r, sizeof(*r)));
  while (again) {
    PetscCall(EPSDestroy(eps));
    PetscCall(NAPIEPS_DestroyResult(r));
    PetscCall(NAPIEPS_SolveOnce(p, tol, eps, &isnapi, r));
    worst = 0.0;
    r->solves++;
    r->reached = (PetscBool)(r->nconv >= r->nev && r->reason > 0);
    again      = (PetscBool)(r->reached && o->hastruetol && !isnapi);
    for (PetscInt i = 0; i < r->shown && o->hastruetol; i++) {
      if (!(r->residual[i] <= o->truetol)) r->reached = PETSC_FALSE;
      worst = PetscMax(worst, r->residual[i]);
    }
    again = (PetscBool)(again && NAPITighten(r->solves, o->truetol, worst, &tol));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- report --------------------------------------------------------------------------------------------------- */

static PetscErrorCode NAPIEPS_PrintHeading(const Problem *p, const Result *r)
{
  PetscMPIInt size;
  PetscInt    n;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(MatGetSize(p->A, &n, NULL));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s\n", p->title));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s, %" PetscInt_FMT " unknowns, %" PetscInt_FMT " eigenvalue%s %s, eps_type %s, %d rank%s\n", p->B ? "A x = lambda B x" : "A x = lambda x", n, r->nev, r->nev == 1 ? "" : "s", r->which, r->type, size, size == 1 ? "" : "s"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NAPIEPS_PrintTable(const Problem *p, const Result *r)
{
  const char *Bx = p->B ? "Bx" : "x";

  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n   k                  lambda   true residual   SLEPc residual\n"));
  for (PetscInt i = 0; i < r->shown; i++) {
    char imaginary[48] = "";

    if (r->im[i] != 0.0) PetscCall(PetscSNPrintf(imaginary, sizeof(imaginary), "   (imaginary part %.6g)", (double)r->im[i]));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%4" PetscInt_FMT "  %22.15g   %13.3e   %14.3e%s\n", i + 1, (double)r->re[i], (double)r->residual[i], (double)r->slepc[i], imaginary));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "\nresiduals: true ||Ax - lambda %s||/(|lambda| ||%s||), SLEPc's ||Ax - lambda %s||/(|lambda| "
                        "||x||)\n",
                        Bx, Bx, Bx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NAPIEPS_PrintCertificate(const Result *r)
{
  PetscReal largest = 0.0;

  PetscFunctionBegin;
  if (r->kind == EPS_NAPI_BOUND_NONE || !r->shown) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < r->shown; i++) largest = PetscMax(largest, r->bound[i]);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "no lambda is farther than %.3g from an eigenvalue (%s)", (double)largest, r->kind == EPS_NAPI_BOUND_CERTIFIED ? "certified" : "an estimate: no lower bound of B is known"));
  if (r->count >= 0) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "; by inertia there are %" PetscInt_FMT " eigenvalues beyond %.6g, and %" PetscInt_FMT " were found", r->count, (double)r->limit, r->found));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NAPIEPS_PrintCost(const Options *o, const Problem *p, const Result *r)
{
  const NAPICost *cost = &r->cost;
  PetscInt        n;

  PetscFunctionBegin;
  PetscCall(MatGetSize(p->A, &n, NULL));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "columns multiplied by A: %" PetscInt_FMT ", by B: %" PetscInt_FMT ", preconditioned: %" PetscInt_FMT "; %" PetscInt_FMT " iterations, %.3g seconds\n", cost->A, cost->B, cost->PC, r->its, cost->seconds));
  if (r->solves > 1) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "(the last of %" PetscInt_FMT " solves, with tolerance %.3g)\n", r->solves, (double)r->tol));
  if (r->nconv >= n && r->nev > n) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "There are %" PetscInt_FMT " pairs only, not %" PetscInt_FMT ": as many as there are unknowns.\n", n, r->nev));
  else if (r->nconv < r->nev || r->reason <= 0) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "NOT CONVERGED: %" PetscInt_FMT " of %" PetscInt_FMT " wanted pairs were found (%s)\n", r->nconv, r->nev, EPSConvergedReasons[r->reason]));
  else if (!r->reached) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "NOT REACHED: the true relative residual asked for is %.3g\n", (double)o->truetol));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NAPIEPS_WriteJson(const Options *o, const Problem *p, const Result *r, char message[])
{
  NAPIJson    json;
  PetscBool   imaginary = PETSC_FALSE;
  PetscMPIInt size;
  PetscInt    n;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(MatGetSize(p->A, &n, NULL));
  for (PetscInt i = 0; i < r->shown; i++)
    if (r->im[i] != 0.0) imaginary = PETSC_TRUE;
  PetscCall(NAPIJsonBegin(&json));
  NAPIJsonText(&json, "eps_type", r->type);
  NAPIJsonInteger(&json, "n", n);
  NAPIJsonInteger(&json, "ranks", size);
  NAPIJsonInteger(&json, "nev", r->nev);
  NAPIJsonInteger(&json, "converged", r->nconv);
  NAPIJsonText(&json, "reason", EPSConvergedReasons[r->reason]);
  NAPIJsonInteger(&json, "iterations", r->its);
  NAPIJsonReals(&json, "eigenvalues", r->shown, r->re);
  if (imaginary) NAPIJsonReals(&json, "eigenvalues_imaginary", r->shown, r->im);
  NAPIJsonReals(&json, "residuals", r->shown, r->residual);
  NAPIJsonReals(&json, "slepc_residuals", r->shown, r->slepc);
  if (o->hastruetol) {
    NAPIJsonReal(&json, "true_tol", o->truetol);
    NAPIJsonReal(&json, "tol_used", r->tol);
    NAPIJsonInteger(&json, "solves", r->solves);
    NAPIJsonBool(&json, "reached", r->reached);
  }
  if (r->kind != EPS_NAPI_BOUND_NONE) {
    NAPIJsonReals(&json, "error_bounds", r->shown, r->bound);
    NAPIJsonBool(&json, "error_bounds_certified", (PetscBool)(r->kind == EPS_NAPI_BOUND_CERTIFIED));
  }
  if (r->count >= 0) {
    NAPIJsonReal(&json, "counted_beyond", r->limit);
    NAPIJsonInteger(&json, "counted", r->count);
    NAPIJsonInteger(&json, "counted_found", r->found);
  }
  NAPIJsonInteger(&json, "A_columns", r->cost.A);
  NAPIJsonInteger(&json, "B_columns", r->cost.B);
  NAPIJsonInteger(&json, "PC_columns", r->cost.PC);
  NAPIJsonReal(&json, "seconds", (PetscReal)r->cost.seconds);
  NAPIJsonReal(&json, "cpu_seconds", (PetscReal)r->cost.cpu);
  PetscCall(NAPIJsonEnd(&json, o->json, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The eigenvectors as the columns of a dense matrix */
static PetscErrorCode NAPIEPS_WriteVectors(const Options *o, const Problem *p, EPS eps, const Result *r, char message[])
{
  Mat      X;
  Vec      x;
  PetscInt m, M;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(p->A, &m, NULL));
  PetscCall(MatGetSize(p->A, &M, NULL));
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, m, PETSC_DECIDE, M, r->shown, NULL, &X));
  for (PetscInt i = 0; i < r->shown; i++) {
    PetscCall(MatDenseGetColumnVecWrite(X, i, &x));
    PetscCall(EPSGetEigenvector(eps, i, x, NULL));
    PetscCall(MatDenseRestoreColumnVecWrite(X, i, &x));
  }
  PetscCall(MatAssemblyBegin(X, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(X, MAT_FINAL_ASSEMBLY));
  PetscCall(NAPIWriteDense(X, o->out, message));
  PetscCall(MatDestroy(&X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- main ----------------------------------------------------------------------------------------------------- */

/* What can be known to be wrong before the solve */
static PetscErrorCode NAPIEPS_CheckOutputs(const Options *o, char message[])
{
  const char *in[4], *out[2];
  int         nin = 0, nout = 0;

  PetscFunctionBegin;
  if (o->hasA) in[nin++] = o->A;
  if (o->hasB) in[nin++] = o->B;
  if (o->hasX) in[nin++] = o->X;
  if (o->hasY) in[nin++] = o->Y;
  if (o->hasout) out[nout++] = o->out;
  if (o->hasjson) out[nout++] = o->json;
  PetscCall(NAPICheckOutputs(PETSC_COMM_WORLD, nin, in, nout, out, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NAPIEPS_Report(const Options *o, const Problem *p, EPS eps, const Result *r, char message[])
{
  PetscFunctionBegin;
  PetscCall(NAPIEPS_PrintHeading(p, r));
  PetscCall(NAPIEPS_PrintTable(p, r));
  PetscCall(NAPIEPS_PrintCertificate(r));
  PetscCall(NAPIEPS_PrintCost(o, p, r));
  if (o->hasout && r->shown) PetscCall(NAPIEPS_WriteVectors(o, p, eps, r, message));
  if (o->hasjson && !message[0]) PetscCall(NAPIEPS_WriteJson(o, p, r, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is wrong with the input ends up in message */
static PetscErrorCode NAPIEPS_Run(int *status, char message[])
{
  Options o;
  Problem p;
  Result  r;
  EPS     eps = NULL;

  PetscFunctionBegin;
  PetscCall(NAPIEPS_GetOptions(&o, message));
  if (!message[0]) PetscCall(NAPIEPS_CheckOutputs(&o, message));
  if (message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(NAPIEPS_CreateProblem(&o, &p, message));
  if (!message[0]) {
    PetscCall(NAPIEPS_Solve(&o, &p, &eps, &r));
    PetscCall(NAPIEPS_Report(&o, &p, eps, &r, message));
    *status = r.reached ? NAPI_EXIT_FOUND : NAPI_EXIT_NOT_REACHED;
    PetscCall(EPSDestroy(&eps));
    PetscCall(NAPIEPS_DestroyResult(&r));
  }
  PetscCall(NAPIEPS_DestroyProblem(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc has printed our text and its own options; the solver prints its options when it looks for them */
static PetscErrorCode NAPIEPS_ShowSolverOptions(void)
{
  const PetscInt m[] = {3, 3};
  Problem        p;
  EPS            eps;
  PetscBool      isnapi;

  PetscFunctionBegin;
  PetscCall(NAPIFemCreate(PETSC_COMM_WORLD, 2, m, &p.A, &p.B));
  PetscCall(NAPIEPS_CreateSolver(&p, 0.0, &eps, &isnapi));
  PetscCall(EPSDestroy(&eps));
  PetscCall(NAPIEPS_DestroyProblem(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return NAPIRunProgram(argc, argv, "napi-eps", help, NAPIEPS_ShowSolverOptions, NAPIEPS_Run);
}
