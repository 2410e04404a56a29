/* SPDX-License-Identifier: BSD-2-Clause */
/*
   napi-cca: canonical correlation analysis of two data sets read from files: what do they share? The steps are those of
   Run(), at the end: outputs that can be written, data, solution, report with scores, files and picture.
*/
#include <slepcnapi.h>
#include <slepcnapi/private/napicompat.h>
#include "common/app.h"
#include "../io/napiio.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char help[] = "napi-cca: what do two data sets share? Canonical correlation analysis, also of data too large for one machine\n\n"
                           "  napi-cca X Y [-k <k>] [-ridge <g>] [-center] [-scale] [options]\n\n"
                           "  X, Y                the data: row i of both files is the same sample. CSV (a first line with names is allowed), "
                           "NumPy\n"
                           "                      (.npy), Matrix Market or PETSc binary, each also compressed by gzip\n"
                           "  -k <k>              how many pairs of directions (2)\n"
                           "  -ridge <g>[,<h>]    regularisation of X [and of Y] (1e-3): more is more cautious\n"
                           "  -ridge_path <g>,... several ridges, from the largest to the smallest, each solution being the start of the next\n"
                           "  -center             subtract the mean of each column;  -scale  divide each column by its standard deviation\n"
                           "  -test <X2> <Y2>     data of other samples: do the correlations hold there?\n"
                           "  -out <prefix>       write <prefix>_U and <prefix>_V, the directions, and <prefix>_x_scores and <prefix>_y_scores\n"
                           "  -format npy         of these files: npy (default), petsc or mtx\n"
                           "  -plot [<file>]      a picture of the correlations and the scores (napi-cca.png); needs Python with matplotlib\n"
                           "  -json <file>        write the results as a JSON object\n"
                           "  -tol <t>            relative residual at which a pair is good enough (1e-6)\n"
                           "  -cca_type <type>    the method: direct, napi, eps, ...; chosen by the size of the data if not given\n"
                           "  -cca_...            all options of the method; -help lists them\n"
                           "  -traceback          show errors of PETSc and SLEPc as they do, not as one sentence\n"
                           "  -h                  this text; -help adds the options of the method in use\n\n"
                           "  Exit status: 0 all wanted pairs found; 1 wrong input; 2 not all pairs found, also where the data have no more, or\n"
                           "  not accurately enough\n";

#define MAX_RIDGES    64  /* of -ridge_path */
#define LOADING_PAIRS 5   /* pairs whose variables are listed */
#define LOADINGS      3   /* variables listed for a pair and a view, the first one, and others */
#define LOADING_LEAST 0.1 /* if their correlation with the score is this large */

enum {
  FILE_U,
  FILE_V,
  FILE_X_SCORES,
  FILE_Y_SCORES,
  NFILES
};
static const char *const fileNames[NFILES] = {"U", "V", "x_scores", "y_scores"};

typedef char Name[PETSC_MAX_PATH_LEN];

typedef struct {
  Name      data[2], test[2], out, json, plot;
  char      extension[8]; /* of the files that -out names */
  PetscBool hastest, hasout, hasjson, hasplot, center, scale, hask, hasridge, hastol;
  PetscInt  k, nridges; /* of -ridge_path, which begins with the largest */
  PetscReal ridge[2], ridges[MAX_RIDGES], tol;
} Options;

typedef struct {
  Mat            view[2], test[2]; /* test: may be NULL */
  char         **names[2];         /* of the columns, on rank 0, or NULL */
  PetscLogDouble seconds;          /* to read them */
} Data;

typedef struct {
  char               type[64];
  PetscInt           k, n, nconv, its; /* pairs wanted, listed, converged; iterations */
  CCAConvergedReason reason;
  PetscReal         *rho, *residual, *test; /* test: NULL without such data */
  PetscReal         *bound;                 /* of the errors of rho, where -cca_check certify asks for it, or NULL */
  PetscReal          acols, bcols, passes, ridge[2], tol;
  PetscLogDouble     seconds;
  Mat                direction[2], score[2];
  PetscBool          center, scale;
} Result;

/* What is kept of the solution for each ridge of -ridge_path */
typedef struct {
  PetscReal ridge[MAX_RIDGES], sum[MAX_RIDGES], test[MAX_RIDGES]; /* sums of the correlations, those of the test data */
  PetscReal acols[MAX_RIDGES], bcols[MAX_RIDGES], seconds[MAX_RIDGES];
  PetscInt  n;
  PetscBool converged; /* all of them */
} Path;

/* --- options -------------------------------------------------------------------------------------------------- */

static PetscErrorCode CopyName(const char from[], Name to, char message[])
{
  PetscFunctionBegin;
  if (strlen(from) >= sizeof(Name) && !message[0]) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "the name %.40s... is too long", from));
  PetscCall(PetscStrncpy(to, from, sizeof(Name)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The two files come first; -X and -Y name them as well */
static PetscErrorCode GetDataNames(Options *o, char message[])
{
  static const char *const option[] = {"-X", "-Y"};
  char                   **args;
  PetscBool                set[2];
  int                      argc;

  PetscFunctionBegin;
  PetscCall(PetscGetArgs(&argc, &args));
  for (int i = 0; i < 2; i++) {
    PetscCall(NAPIGetName(option[i], o->data[i], sizeof(Name), &set[i], message));
    if (!set[i] && argc > i + 1 && args[i + 1][0] != '-') PetscCall(CopyName(args[i + 1], o->data[i], message));
  }
  if (!message[0] && (!o->data[0][0] || !o->data[1][0])) PetscCall(PetscStrncpy(message, "two data sets are needed, and have to come first: napi-cca X Y [options] (napi-cca -h lists them)", NAPI_MESSAGE_LENGTH));
  if (!message[0] && !set[0] && !set[1] && argc > 3 && args[3][0] != '-') PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "there are two data sets: what is '%s' (test data come after -test)?", args[3]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -test has two values, of which PETSc knows the first */
static PetscErrorCode GetTestNames(Options *o, char message[])
{
  char **args;
  int    argc;

  PetscFunctionBegin;
  PetscCall(PetscGetArgs(&argc, &args));
  PetscCall(NAPIGetName("-test", o->test[0], sizeof(Name), &o->hastest, message));
  if (!o->hastest || message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  for (int i = 1; i + 2 < argc; i++)
    if (!strcmp(args[i], "-test") && args[i + 2][0] != '-') PetscCall(CopyName(args[i + 2], o->test[1], message));
  if (!o->test[1][0] && !message[0]) PetscCall(PetscStrncpy(message, "-test needs two files after it: other samples of X and of Y", NAPI_MESSAGE_LENGTH));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetOutputNames(Options *o, char message[])
{
  const char *plot;
  char        format[16];
  PetscBool   set, npy, petsc, mtx;

  PetscFunctionBegin;
  PetscCall(NAPIGetName("-out", o->out, sizeof(Name), &o->hasout, message));
  PetscCall(NAPIGetName("-json", o->json, sizeof(Name), &o->hasjson, message));
  PetscCall(PetscOptionsFindPair(NULL, NULL, "-plot", &plot, &o->hasplot)); /* has no value if the default will do */
  if (o->hasplot) PetscCall(CopyName(plot && plot[0] ? plot : "napi-cca.png", o->plot, message));
  PetscCall(NAPIGetName("-format", format, sizeof(format), &set, message));
  if (!set) PetscCall(PetscStrncpy(format, "npy", sizeof(format)));
  PetscCall(PetscStrcmp(format, "npy", &npy));
  PetscCall(PetscStrcmp(format, "petsc", &petsc));
  PetscCall(PetscStrcmp(format, "mtx", &mtx));
  PetscCall(PetscStrncpy(o->extension, npy ? ".npy" : mtx ? ".mtx" : ".dat", sizeof(o->extension)));
  if (!npy && !petsc && !mtx && !message[0]) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "-format knows npy, petsc and mtx, not '%s'", format));
  for (int i = 0; i < NFILES && o->hasout && !message[0]; i++)
    if (strlen(o->out) + strlen(fileNames[i]) + strlen(o->extension) + 2 > sizeof(Name)) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "the prefix after -out is too long: it has %d characters", (int)strlen(o->out)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetRidgePath(Options *o, char message[])
{
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(NAPIGetReals("-ridge_path", MAX_RIDGES, o->ridges, &o->nridges, &set, message));
  PetscCall(PetscSortReal(o->nridges, o->ridges));
  for (PetscInt i = 0; i < o->nridges / 2; i++) {
    const PetscReal ridge = o->ridges[i];

    o->ridges[i]                  = o->ridges[o->nridges - 1 - i];
    o->ridges[o->nridges - 1 - i] = ridge;
  }
  if (set && !message[0] && (!o->nridges || !(o->ridges[o->nridges - 1] >= 0.0))) PetscCall(PetscStrncpy(message, "-ridge_path needs numbers that are not negative, with commas between them", NAPI_MESSAGE_LENGTH));
  if (set && !message[0] && o->hasridge) PetscCall(PetscStrncpy(message, "-ridge_path says which ridges: leave out -ridge", NAPI_MESSAGE_LENGTH));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetOptions(Options *o, char message[])
{
  const char *wrong = NULL;
  PetscInt    n, count;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(o, sizeof(*o)));
  PetscCall(GetDataNames(o, message));
  PetscCall(GetTestNames(o, message));
  PetscCall(GetOutputNames(o, message));
  o->k = 2;
  PetscCall(NAPIGetInts("-k", 1, &o->k, &count, &o->hask, message));
  PetscCall(NAPIGetReals("-ridge", 2, o->ridge, &n, &o->hasridge, message));
  if (n == 1) o->ridge[1] = o->ridge[0];
  PetscCall(GetRidgePath(o, message));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-center", &o->center, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-scale", &o->scale, NULL));
  PetscCall(NAPIGetReals("-tol", 1, &o->tol, &count, &o->hastol, message));
  if (o->k < 1) wrong = "-k must be at least 1";
  else if (o->hasridge && (n < 1 || !(o->ridge[0] >= 0.0) || !(o->ridge[1] >= 0.0))) wrong = "-ridge needs a number that is not negative, or two of them with a comma between them";
  else if (o->hastol && !(o->tol > 0.0)) wrong = "-tol must be positive";
  if (wrong && !message[0]) PetscCall(PetscStrncpy(message, wrong, NAPI_MESSAGE_LENGTH));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- data ----------------------------------------------------------------------------------------------------- */

static PetscErrorCode DestroyData(Data *d)
{
  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) {
    PetscCall(MatDestroy(&d->view[i]));
    PetscCall(MatDestroy(&d->test[i]));
    PetscCall(NAPIFreeNames(&d->names[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckRows(const Name name[2], const Mat A[2], char message[])
{
  PetscInt n, m;

  PetscFunctionBegin;
  PetscCall(MatGetSize(A[0], &n, NULL));
  PetscCall(MatGetSize(A[1], &m, NULL));
  if (n != m) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s has %" PetscInt_FMT " rows and %s has %" PetscInt_FMT ": row i of both must be the same sample", name[0], n, name[1], m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckColumns(const Options *o, const Data *d, char message[])
{
  PetscInt n, m;

  PetscFunctionBegin;
  for (int i = 0; i < 2 && !message[0]; i++) {
    PetscCall(MatGetSize(d->view[i], NULL, &n));
    PetscCall(MatGetSize(d->test[i], NULL, &m));
    if (n != m) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s has %" PetscInt_FMT " columns and %s has %" PetscInt_FMT ": test data must have the same variables", o->test[i], m, o->data[i], n));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadAll(const Options *o, Data *d, char message[])
{
  PetscLogDouble start, end;

  PetscFunctionBegin;
  PetscCall(PetscTime(&start));
  for (int i = 0; i < 2 && !message[0]; i++) PetscCall(NAPIReadData(PETSC_COMM_WORLD, o->data[i], &d->view[i], &d->names[i], message));
  if (!message[0]) PetscCall(CheckRows(o->data, d->view, message));
  for (int i = 0; i < 2 && !message[0] && o->hastest; i++) PetscCall(NAPIReadData(PETSC_COMM_WORLD, o->test[i], &d->test[i], NULL, message));
  if (!message[0] && o->hastest) PetscCall(CheckRows(o->test, d->test, message));
  if (!message[0] && o->hastest) PetscCall(CheckColumns(o, d, message));
  PetscCall(PetscTime(&end));
  d->seconds = end - start;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &d->seconds, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- solution ------------------------------------------------------------------------------------------------- */

/* One line that is written over and over, for somebody who watches */
static PetscErrorCode ShowProgress(CCA cca, PetscInt its, PetscInt nconv, PetscInt n, const PetscReal rho[], const PetscReal error[], void *ctx)
{
  PetscInt k;

  PetscFunctionBegin;
  (void)ctx, (void)rho;
  PetscCall(CCAGetDimensions(cca, &k));
  (void)fprintf(stderr, "\r\033[Kstep %" PetscInt_FMT ": %" PetscInt_FMT " of %" PetscInt_FMT " pairs", its, PetscMin(nconv, k), k);
  if (nconv < n) (void)fprintf(stderr, ", residual of the next %.1e", (double)error[nconv]);
  (void)fflush(stderr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode IsWatched(PetscBool *watched)
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  *watched = (PetscBool)(!rank && isatty(STDERR_FILENO));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is to be done now, if somebody watches; NULL: done */
static PetscErrorCode ShowStage(const char what[])
{
  PetscBool watched;

  PetscFunctionBegin;
  PetscCall(IsWatched(&watched));
  if (watched) {
    (void)fprintf(stderr, "\r\033[K%s", what ? what : "");
    (void)fflush(stderr);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateSolver(const Options *o, const Data *d, CCA *cca)
{
  PetscInt  maxit;
  PetscBool watched;

  PetscFunctionBegin;
  PetscCall(CCACreate(PETSC_COMM_WORLD, cca));
  PetscCall(CCASetData(*cca, d->view[0], d->view[1]));
  PetscCall(CCASetDimensions(*cca, o->k));
  PetscCall(CCASetCentering(*cca, o->center));
  PetscCall(CCASetScaling(*cca, o->scale));
  if (o->hasridge) PetscCall(CCASetRegularization(*cca, o->ridge[0], o->ridge[1]));
  if (o->hastol) {
    PetscCall(CCAGetTolerances(*cca, NULL, &maxit));
    PetscCall(CCASetTolerances(*cca, o->tol, maxit));
  }
  PetscCall(CCASetFromOptions(*cca));
  PetscCall(IsWatched(&watched));
  if (watched) PetscCall(CCAMonitorSet(*cca, ShowProgress, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode DestroyResult(Result *r)
{
  PetscFunctionBegin;
  PetscCall(PetscFree3(r->rho, r->residual, r->test));
  PetscCall(PetscFree(r->bound));
  for (int i = 0; i < 2; i++) {
    PetscCall(MatDestroy(&r->direction[i]));
    PetscCall(MatDestroy(&r->score[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the object knows after the solution */
static PetscErrorCode GetResult(CCA cca, Result *r)
{
  CCAType  type;
  CCACheck check;

  PetscFunctionBegin;
  PetscCall(CCAGetType(cca, &type));
  PetscCall(PetscStrncpy(r->type, type, sizeof(r->type)));
  PetscCall(CCAGetDimensions(cca, &r->k));
  PetscCall(CCAGetConverged(cca, &r->nconv));
  PetscCall(CCAGetConvergedReason(cca, &r->reason));
  PetscCall(CCAGetIterationNumber(cca, &r->its));
  PetscCall(CCAGetApplications(cca, &r->acols, &r->bcols, &r->passes));
  PetscCall(CCAGetRegularization(cca, &r->ridge[0], &r->ridge[1]));
  PetscCall(CCAGetCentering(cca, &r->center));
  PetscCall(CCAGetScaling(cca, &r->scale));
  PetscCall(CCAGetTolerances(cca, &r->tol, NULL));
  PetscCall(CCAGetDirections(cca, &r->direction[0], &r->direction[1]));
  for (int i = 0; i < 2; i++) PetscCall(PetscObjectReference((PetscObject)r->direction[i]));
  PetscCall(MatGetSize(r->direction[0], NULL, &r->n)); /* k, or fewer if the data have no more */
  PetscCall(PetscCalloc3(r->n, &r->rho, r->n, &r->residual, r->n, &r->test));
  for (PetscInt i = 0; i < r->n; i++) {
    PetscCall(CCAGetCorrelation(cca, i, &r->rho[i]));
    PetscCall(CCAComputeError(cca, i, &r->residual[i]));
  }
  PetscCall(CCAGetCheck(cca, &check));
  if (check == CCA_CHECK_CERTIFY) {
    PetscCall(PetscMalloc1(r->n, &r->bound));
    for (PetscInt i = 0; i < r->n; i++) {
      PetscCall(CCAGetErrorBound(cca, i, &r->bound[i]));
      if (r->bound[i] >= PETSC_INFINITY) r->bound[i] = (PetscReal)HUGE_VAL; /* which JSON calls null */
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve(CCA cca, Result *r)
{
  PetscLogDouble start, end;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(PetscTime(&start));
  PetscCall(CCASetUp(cca));
  PetscCall(CCASolve(cca));
  PetscCall(PetscTime(&end));
  r->seconds = end - start;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &r->seconds, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(GetResult(cca, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- scores --------------------------------------------------------------------------------------------------- */

/*
   Correlations of columns ja of A with columns jb of B, which are dense with the same rows, for ja = jb = j or, if all
   is set, for all pairs (r by rows): of what is left when the means are taken off or, uncentred, of the columns
   themselves. r = sum (a - m_a) conj(b - m_b) / sqrt(sum |a - m_a|^2 sum |b - m_b|^2), the real part; 0 for a constant
   column
*/
static PetscErrorCode Correlate(Mat A, Mat B, PetscBool centered, PetscBool all, PetscReal r[])
{
  const PetscScalar *array[2];
  Mat                view[2] = {A, B};
  PetscScalar       *mean;
  PetscReal         *sums, *square[2];
  PetscInt           n, N, cols[2], lda[2], count;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(A, &n, NULL));
  PetscCall(MatGetSize(A, &N, &cols[0]));
  PetscCall(MatGetSize(B, NULL, &cols[1]));
  if (!all) cols[0] = cols[1] = PetscMin(cols[0], cols[1]);
  count = all ? cols[0] * cols[1] : cols[0];
  PetscCall(PetscCalloc2(cols[0] + cols[1], &mean, cols[0] + cols[1] + count, &sums));
  square[0] = sums;
  square[1] = sums + cols[0];
  for (int v = 0; v < 2; v++) {
    PetscCall(MatDenseGetLDA(view[v], &lda[v]));
    PetscCall(MatDenseGetArrayRead(view[v], &array[v]));
    for (PetscInt j = 0; j < cols[v] && centered; j++)
      for (PetscInt i = 0; i < n; i++) mean[j + v * cols[0]] += array[v][i + (size_t)j * (size_t)lda[v]] / (PetscReal)N;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, mean, (PetscMPIInt)(cols[0] + cols[1]), MPIU_SCALAR, MPIU_SUM, PETSC_COMM_WORLD));
  for (int v = 0; v < 2; v++)
    for (PetscInt j = 0; j < cols[v]; j++)
      for (PetscInt i = 0; i < n; i++) {
        const PetscReal a = PetscAbsScalar(array[v][i + (size_t)j * (size_t)lda[v]] - mean[j + v * cols[0]]);

        square[v][j] += a * a;
      }
  for (PetscInt k = 0; k < count; k++) {
    const PetscInt     ja = all ? k / cols[1] : k, jb = all ? k % cols[1] : k;
    const PetscScalar *a = array[0] + (size_t)ja * (size_t)lda[0], *b = array[1] + (size_t)jb * (size_t)lda[1];

    for (PetscInt i = 0; i < n; i++) sums[cols[0] + cols[1] + k] += PetscRealPart((a[i] - mean[ja]) * PetscConj(b[i] - mean[cols[0] + jb]));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, (PetscMPIInt)(cols[0] + cols[1] + count), MPIU_REAL, MPIU_SUM, PETSC_COMM_WORLD));
  for (PetscInt k = 0; k < count; k++) {
    const PetscReal scale = PetscSqrtReal(square[0][all ? k / cols[1] : k]) * PetscSqrtReal(square[1][all ? k % cols[1] : k]);

    r[k] = scale > 0.0 ? sums[cols[0] + cols[1] + k] / scale : 0.0;
  }
  for (int v = 0; v < 2; v++) PetscCall(MatDenseRestoreArrayRead(view[v], &array[v]));
  PetscCall(PetscFree2(mean, sums));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those of other samples, and their correlations */
static PetscErrorCode Test(CCA cca, const Data *d, Result *r)
{
  Mat score[2];

  PetscFunctionBegin;
  PetscCall(CCATransform(cca, d->test[0], d->test[1], &score[0], &score[1]));
  PetscCall(Correlate(score[0], score[1], r->center, PETSC_FALSE, r->test));
  PetscCall(MatDestroy(&score[0]));
  PetscCall(MatDestroy(&score[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Record(const Result *r, Path *path)
{
  const PetscInt p = path->n++;

  PetscFunctionBegin;
  path->ridge[p]   = r->ridge[0];
  path->acols[p]   = r->acols;
  path->bcols[p]   = r->bcols;
  path->seconds[p] = (PetscReal)r->seconds;
  for (PetscInt i = 0; i < r->n; i++) {
    path->sum[p] += r->rho[i];
    path->test[p] += r->test[i];
  }
  if (r->reason <= 0 || r->n < r->k || r->nconv < r->k) path->converged = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One solution or, with -ridge_path, several: the last remains, the path knows of all */
static PetscErrorCode SolveAll(const Options *o, const Data *d, CCA cca, Result *r, Path *path)
{
  PetscFunctionBegin;
  path->converged = PETSC_TRUE;
  for (PetscInt i = 0; i < PetscMax(1, o->nridges); i++) {
    if (i && r->n) PetscCall(CCASetInitialDirections(cca, r->direction[0], r->direction[1])); /* copies them */
    PetscCall(DestroyResult(r));
    if (o->nridges) PetscCall(CCASetRegularization(cca, o->ridges[i], o->ridges[i]));
    PetscCall(Solve(cca, r));
    if (r->n && o->hastest) PetscCall(Test(cca, d, r));
    PetscCall(Record(r, path));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- report --------------------------------------------------------------------------------------------------- */

static PetscErrorCode PrintHeading(const Options *o, const Data *d, const Result *r)
{
  static const char *const letter = "XY";
  PetscMPIInt              size;
  PetscInt                 n, m;
  char                     ridge[64];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Canonical correlation analysis: what do two data sets share?\n"));
  for (int i = 0; i < 2; i++) {
    PetscBool dense;
    MatInfo   info;

    PetscCall(MatGetSize(d->view[i], &n, &m));
    PetscCall(PetscObjectTypeCompareAny((PetscObject)d->view[i], &dense, MATSEQDENSE, MATMPIDENSE, ""));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%c = %s: %" PetscInt_FMT " samples x %" PetscInt_FMT " variable%s, ", letter[i], o->data[i], n, m, m == 1 ? "" : "s"));
    if (dense) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "dense\n"));
    else {
      PetscCall(MatGetInfo(d->view[i], MAT_GLOBAL_SUM, &info));
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "sparse, %.0f nonzeros\n", info.nz_used));
    }
  }
  (void)snprintf(ridge, sizeof(ridge), r->ridge[1] == r->ridge[0] ? "%g" : "%g and %g", (double)r->ridge[0], (double)r->ridge[1]);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "ridge %s, %scentred, %sscaled; method %s, %d rank%s\n", ridge, r->center ? "" : "not ", r->scale ? "" : "not ", r->type, size, size == 1 ? "" : "s"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PrintPath(const Options *o, const Path *path)
{
  PetscInt best = 0;
  char     line[160];

  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\nFrom the most cautious ridge to the boldest; the sums are those of the correlations of all pairs\n"));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "     ridge          sum%s   columns by A     by B    seconds\n", o->hastest ? "   on test data" : ""));
  for (PetscInt i = 0; i < path->n; i++) {
    char test[32] = "";

    if (path->test[i] > path->test[best]) best = i;
    if (o->hastest) (void)snprintf(test, sizeof(test), "   %12.6f", (double)path->test[i]);
    (void)snprintf(line, sizeof(line), "%10.3g   %10.6f%s   %12.4g   %6.4g   %8.3g", (double)path->ridge[i], (double)path->sum[i], test, (double)path->acols[i], (double)path->bcols[i], (double)path->seconds[i]);
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s\n", line));
  }
  if (o->hastest) {
    (void)snprintf(line, sizeof(line), "%g", (double)path->ridge[best]);
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "The test data are in favour of -ridge %s.\n", line));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\nWith the last of them:\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PrintTable(const Options *o, const Result *r)
{
  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n   k   correlation    residual%s\n", o->hastest ? "   on test data" : ""));
  for (PetscInt i = 0; i < r->n; i++) {
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%4" PetscInt_FMT "   %11.8f   %9.2e", i + 1, (double)r->rho[i], (double)r->residual[i]));
    if (o->hastest) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "   %12.6f", (double)r->test[i]));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "sleep +0.80, steps -0.41": the variables that are correlated best with a score, the best first; r is used up */
static PetscErrorCode ListVariables(char **names, PetscInt d, PetscInt n, PetscInt k, PetscReal r[], char list[], size_t length)
{
  const PetscReal listed = 2.0; /* more than a correlation can be */
  char            name[256], item[288];

  PetscFunctionBegin;
  list[0] = '\0';
  for (PetscInt count = 0; count < LOADINGS; count++) {
    PetscInt best = -1;

    for (PetscInt j = 0; j < d; j++)
      if (r[j * n + k] < listed && (best < 0 || PetscAbsReal(r[j * n + k]) > PetscAbsReal(r[best * n + k]))) best = j;
    if (best < 0 || (count && PetscAbsReal(r[best * n + k]) < LOADING_LEAST)) break;
    (void)snprintf(name, sizeof(name), "%.60s", names[best]);
    NAPIEscape(name, sizeof(name)); /* it comes from a file, and goes to a terminal */
    (void)snprintf(item, sizeof(item), "%s%s %+.2f", count ? ", " : "", name, (double)r[best * n + k]);
    PetscCall(PetscStrlcat(list, item, length));
    r[best * n + k] = listed;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Which variables a pair is about, where they have names: those that are correlated best with its scores */
static PetscErrorCode PrintVariables(const Data *d, const Result *r)
{
  PetscReal  *loading[2] = {NULL, NULL};
  PetscMPIInt rank, named[2];
  PetscInt    cols[2];
  char        list[2][512];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  for (int i = 0; i < 2; i++) named[i] = d->names[i] != NULL;
  PetscCallMPI(MPI_Bcast(named, 2, MPI_INT, 0, PETSC_COMM_WORLD));
  if (!named[0] || !named[1] || !r->n) PetscFunctionReturn(PETSC_SUCCESS);
  for (int i = 0; i < 2; i++) {
    PetscCall(MatGetSize(d->view[i], NULL, &cols[i]));
    PetscCall(PetscMalloc1(cols[i] * r->n, &loading[i]));
    PetscCall(Correlate(d->view[i], r->score[i], PETSC_TRUE, PETSC_TRUE, loading[i]));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\nWhat the pairs are about: the variables that are correlated most with the scores X u and Y v\n"));
  for (PetscInt k = 0; k < PetscMin(r->n, LOADING_PAIRS) && !rank; k++) {
    for (int i = 0; i < 2; i++) PetscCall(ListVariables(d->names[i], cols[i], r->n, k, loading[i], list[i], sizeof(list[i])));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%4" PetscInt_FMT "   X: %s\n       Y: %s\n", k + 1, list[0], list[1]));
  }
  for (int i = 0; i < 2; i++) PetscCall(PetscFree(loading[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PrintMeaning(const Options *o, const Result *r)
{
  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "\nA weighted sum of the variables of X, the score X u, and one of those of Y, Y v, have a "
                        "correlation of %.4f: no two\n"
                        "have more%s. Each further pair is the best that is uncorrelated with those before it.\n",
                        (double)r->rho[0], r->ridge[0] > 0.0 || r->ridge[1] > 0.0 ? ", up to what the ridge takes away for caution" : ""));
  if (o->hastest) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "What is left of it on test data (%s of their scores), which had no part in finding it, is no accident.\n", r->center ? "the correlation" : "the cosine"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PrintCost(const Data *d, const Result *r)
{
  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "columns multiplied by A: %.4g, by B: %.4g; passes over the data: %.4g; %" PetscInt_FMT " iteration%s; %.3g seconds, and %.3g to read\n", (double)r->acols, (double)r->bcols, (double)r->passes, r->its, r->its == 1 ? "" : "s", r->seconds, d->seconds));
  if (r->reason == CCA_CONVERGED_RANK) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "There are %" PetscInt_FMT " pairs only, not %" PetscInt_FMT ": the data have no more directions.\n", r->n, r->k));
  else if (r->reason <= 0) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "NOT CONVERGED: %" PetscInt_FMT " of %" PetscInt_FMT " wanted pairs have a residual below %.3g (%s)\n", r->nconv, r->k, (double)r->tol, CCAConvergedReasons[r->reason]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- files ---------------------------------------------------------------------------------------------------- */

/* What GetOptions() lets pass fits */
static PetscErrorCode FileName(const Options *o, const char prefix[], int which, Name name)
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(Name), "%s_%s%s", prefix, fileNames[which], o->extension));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What can be known to be wrong before the solution */
static PetscErrorCode CheckOutputs(const Options *o, char message[])
{
  const char *in[] = {o->data[0], o->data[1], o->test[0], o->test[1]}, *out[NFILES + 2];
  Name        name[NFILES];
  int         n = 0;

  PetscFunctionBegin;
  for (int i = 0; i < NFILES && o->hasout; i++) {
    PetscCall(FileName(o, o->out, i, name[i]));
    out[n++] = name[i];
  }
  if (o->hasjson) out[n++] = o->json;
  if (o->hasplot) out[n++] = o->plot;
  PetscCall(NAPICheckOutputs(PETSC_COMM_WORLD, o->hastest ? 4 : 2, in, n, out, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All four or none: they get their names when all are there */
static PetscErrorCode WriteMatrices(const Options *o, const Result *r, char message[])
{
  const Mat matrix[NFILES] = {r->direction[0], r->direction[1], r->score[0], r->score[1]};
  Name      name;

  PetscFunctionBegin;
  for (int i = 0; i < NFILES && !message[0]; i++) {
    PetscCall(FileName(o, o->out, i, name));
    PetscCall(NAPIStageDense(matrix[i], name, message));
  }
  PetscCall(NAPICommit(PETSC_COMM_WORLD, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WriteJson(const Options *o, const Data *d, const Result *r, const Path *path, const char name[], char message[])
{
  NAPIJson    json;
  PetscMPIInt size;
  PetscInt    n, cols[2];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (int i = 0; i < 2; i++) PetscCall(MatGetSize(d->view[i], &n, &cols[i]));
  PetscCall(NAPIJsonBegin(&json));
  NAPIJsonText(&json, "type", r->type);
  NAPIJsonText(&json, "X", o->data[0]);
  NAPIJsonText(&json, "Y", o->data[1]);
  NAPIJsonInteger(&json, "n", n);
  NAPIJsonInteger(&json, "d1", cols[0]);
  NAPIJsonInteger(&json, "d2", cols[1]);
  NAPIJsonInteger(&json, "ranks", size);
  NAPIJsonInteger(&json, "k", r->k);
  NAPIJsonReals(&json, "ridge", 2, r->ridge);
  NAPIJsonBool(&json, "centered", r->center);
  NAPIJsonBool(&json, "scaled", r->scale);
  NAPIJsonInteger(&json, "converged", r->nconv);
  NAPIJsonText(&json, "reason", CCAConvergedReasons[r->reason]);
  NAPIJsonInteger(&json, "iterations", r->its);
  NAPIJsonReals(&json, "correlations", r->n, r->rho);
  NAPIJsonReals(&json, "residuals", r->n, r->residual);
  if (r->bound) NAPIJsonReals(&json, "error_bounds", r->n, r->bound);
  if (o->hastest) NAPIJsonReals(&json, "test_correlations", r->n, r->test);
  NAPIJsonReal(&json, "A_columns", r->acols);
  NAPIJsonReal(&json, "B_columns", r->bcols);
  NAPIJsonReal(&json, "passes", r->passes);
  NAPIJsonReal(&json, "seconds", (PetscReal)r->seconds);
  NAPIJsonReal(&json, "read_seconds", (PetscReal)d->seconds);
  if (o->nridges) {
    NAPIJsonReals(&json, "path_ridge", path->n, path->ridge);
    NAPIJsonReals(&json, "path_sum", path->n, path->sum);
    if (o->hastest) NAPIJsonReals(&json, "path_test_sum", path->n, path->test);
    NAPIJsonReals(&json, "path_A_columns", path->n, path->acols);
    NAPIJsonReals(&json, "path_B_columns", path->n, path->bcols);
    NAPIJsonReals(&json, "path_seconds", path->n, path->seconds);
  }
  PetscCall(NAPIJsonEnd(&json, name, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- picture -------------------------------------------------------------------------------------------------- */

/* The script is beside this program */
static PetscErrorCode ScriptName(Name name)
{
  ssize_t length = readlink("/proc/self/exe", name, sizeof(Name) - sizeof("-plot"));

  PetscFunctionBegin;
  if (length < 0) PetscCall(PetscStrncpy(name, "napi-cca-plot", sizeof(Name)));
  else {
    name[length] = '\0';
    PetscCall(PetscStrlcat(name, "-plot", sizeof(Name)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Draws into a file; the script says itself what is wrong if its exit status is 3. No picture does not make the
   results wrong. */
static PetscErrorCode RunScript(char json[], char x[], char y[], char picture[], PetscBool *drawn)
{
  static char standard[] = "python3";
  const char *wanted     = getenv("NAPI_PYTHON");
  char       *python     = wanted && wanted[0] ? getenv("NAPI_PYTHON") : standard;
  Name        script;
  char       *argv[] = {python, script, json, x, y, picture, NULL};
  struct stat file;
  int         failure, status;

  PetscFunctionBegin;
  PetscCall(ScriptName(script));
  PetscCall(NAPIRunChild(argv, &failure, &status));
  *drawn = (PetscBool)(!failure && WIFEXITED(status) && !WEXITSTATUS(status) && !stat(picture, &file) && file.st_size);
  if (failure || (WIFEXITED(status) && WEXITSTATUS(status) == 127))
    (void)fprintf(stderr,
                  "napi-cca: no picture: %s cannot be run; install Python 3 and matplotlib, or set NAPI_PYTHON to the "
                  "Python that has it\n",
                  python);
  else if (!*drawn && !(WIFEXITED(status) && WEXITSTATUS(status) == 3)) {
    (void)fprintf(stderr, "napi-cca: no picture: %s has failed to run %s (", python, script);
    if (!WIFEXITED(status)) (void)fprintf(stderr, "signal %d)\n", WTERMSIG(status));
    else if (WEXITSTATUS(status)) (void)fprintf(stderr, "status %d)\n", WEXITSTATUS(status));
    else (void)fprintf(stderr, "it has drawn nothing); is NAPI_PYTHON a Python?\n");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the picture shows goes through files in a temporary folder: the scores, and the results */
static PetscErrorCode Plot(const Options *o, const Data *d, const Result *r, const Path *path, char message[])
{
  Name        folder, json, score[2], part;
  PetscMPIInt rank;
  PetscBool   drawn = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PetscGetTmp(PETSC_COMM_WORLD, folder, sizeof(Name)));
  PetscCall(PetscStrlcat(folder, "/napi-cca-XXXXXX", sizeof(Name)));
  if (!rank && !mkdtemp(folder)) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s: cannot be created: %s", folder, strerror(errno)));
  PetscCallMPI(MPI_Bcast(folder, sizeof(Name), MPI_CHAR, 0, PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Bcast(message, NAPI_MESSAGE_LENGTH, MPI_CHAR, 0, PETSC_COMM_WORLD));
  if (message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(json, sizeof(Name), "%s/j", folder));
  PetscCall(PetscSNPrintf(score[0], sizeof(Name), "%s/x.npy", folder));
  PetscCall(PetscSNPrintf(score[1], sizeof(Name), "%s/y.npy", folder));
  if (!rank) {
    PetscCall(NAPITemporary(folder));
    PetscCall(NAPITemporary(json));
    for (int i = 0; i < 2; i++) PetscCall(NAPITemporary(score[i]));
  }
  PetscCall(WriteJson(o, d, r, path, json, message));
  for (int i = 0; i < 2 && !message[0]; i++) PetscCall(NAPIWriteDense(r->score[i], score[i], message));
  if (!message[0]) PetscCall(NAPIStageFile(PETSC_COMM_WORLD, o->plot, part, message));
  if (!rank && !message[0]) PetscCall(RunScript(json, score[0], score[1], part, &drawn));
  if (!rank && !drawn) NAPIRemoveTemporaries(); /* the part too: nothing gets its name */
  PetscCall(NAPICommit(PETSC_COMM_WORLD, message));
  if (!rank) NAPIRemoveTemporaries();
  if (drawn && !message[0]) PetscCall(PetscPrintf(PETSC_COMM_SELF, "picture: %s\n", o->plot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- main ----------------------------------------------------------------------------------------------------- */

static PetscErrorCode Report(const Options *o, const Data *d, CCA cca, Result *r, const Path *path, char message[])
{
  PetscFunctionBegin;
  if (r->n) PetscCall(CCATransform(cca, NULL, NULL, &r->score[0], &r->score[1]));
  PetscCall(ShowStage(NULL));
  PetscCall(PrintHeading(o, d, r));
  if (o->nridges) PetscCall(PrintPath(o, path));
  PetscCall(PrintTable(o, r));
  PetscCall(PrintVariables(d, r));
  if (r->n) PetscCall(PrintMeaning(o, r));
  PetscCall(PrintCost(d, r));
  if (o->hasout && r->n) PetscCall(WriteMatrices(o, r, message));
  if (o->hasjson && !message[0]) PetscCall(WriteJson(o, d, r, path, o->json, message));
  if (o->hasplot && r->n && !message[0]) PetscCall(Plot(o, d, r, path, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run(const Options *o, char message[], int *status)
{
  Data   d;
  Result r;
  Path   path;
  CCA    cca = NULL;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(&d, sizeof(d)));
  PetscCall(PetscMemzero(&r, sizeof(r)));
  PetscCall(PetscMemzero(&path, sizeof(path)));
  PetscCall(CheckOutputs(o, message));
  if (message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ShowStage("reading"));
  PetscCall(ReadAll(o, &d, message));
  PetscCall(ShowStage(NULL));
  if (!message[0]) {
    PetscCall(CreateSolver(o, &d, &cca));
    PetscCall(ShowStage("setting up"));
    PetscCall(SolveAll(o, &d, cca, &r, &path));
    PetscCall(Report(o, &d, cca, &r, &path, message));
    *status = path.converged ? NAPI_EXIT_FOUND : NAPI_EXIT_NOT_REACHED;
    PetscCall(CCADestroy(&cca));
    PetscCall(DestroyResult(&r));
  }
  PetscCall(DestroyData(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc has printed our text and its own options; the object prints its options when it looks for them */
static PetscErrorCode ShowSolverOptions(void)
{
  CCA cca;

  PetscFunctionBegin;
  PetscCall(CCACreate(PETSC_COMM_WORLD, &cca));
  PetscCall(CCASetFromOptions(cca));
  PetscCall(CCADestroy(&cca));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Program(int *status, char message[])
{
  Options   o;
  PetscBool brief, full;

  PetscFunctionBegin;
  PetscCall(PetscOptionsHasHelp(NULL, &full));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-h", &brief));
  if (full) PetscCall(ShowSolverOptions());
  else if (brief) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s", help));
  if (full || brief) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(GetOptions(&o, message));
  if (!message[0]) PetscCall(Run(&o, message, status));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(SlepcInitialize(&argc, &argv, NULL, help));
  PetscCall(SlepcNAPIInitialize());
  return NAPIRunProgram("napi-cca", Program);
}
