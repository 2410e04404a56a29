/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What napi-cca says: the text on standard output, the matrices of -out and the object of -json.
*/
#include "napi-cca.h"

#define LOADING_PAIRS 5   /* pairs whose variables are listed */
#define LOADINGS      3   /* variables listed for a pair and a view, the first one, and others */
#define LOADING_LEAST 0.1 /* if their correlation with the score is this large */

/* --- text ----------------------------------------------------------------------------------------------------- */

/* "0.001", or "0.001 and 0.01" */
static void Report_WriteBoth(const PetscReal value[2], char text[], size_t length)
{
  (void)snprintf(text, length, value[1] == value[0] ? "%.4g" : "%.4g and %.4g", (double)value[0], (double)value[1]);
}

/* What was added to the covariances, in numbers */
static PetscErrorCode Report_DescribeRegularization(const Result *r, char text[], size_t length)
{
  char ridge[64], shrinkage[64];

  PetscFunctionBegin;
  Report_WriteBoth(r->ridge, ridge, sizeof(ridge));
  Report_WriteBoth(r->shrinkage, shrinkage, sizeof(shrinkage));
  if (r->ridge[0] == 0.0 && r->ridge[1] == 0.0) PetscCall(PetscStrncpy(text, "no regularisation", length));
  else if (r->shrinkage[0] == CCA_SHRINKAGE_NONE) (void)snprintf(text, length, "ridge %s added to the variances", ridge);
  else (void)snprintf(text, length, "shrinkage %s: %s added to the variances%s", shrinkage, ridge, r->ridge[0] == r->ridge[1] ? "" : " of X and Y");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Report_PrintHeading(const Options *o, const Data *d, const Result *r)
{
  static const char *const letter = "XY";
  PetscMPIInt              size;
  PetscInt                 n, m;
  char                     text[256];

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
  if (o->validate && r->cv.done < r->cv.nfolds && o->nridges) PetscCall(PetscStrncpy(text, "regularisation not chosen", sizeof(text)));
  else PetscCall(Report_DescribeRegularization(r, text, sizeof(text)));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s; %scentred, %sscaled; method %s, %d rank%s\n", text, r->center ? "" : "not ", r->scale ? "" : "not ", r->type, size, size == 1 ? "" : "s"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Report_PrintPath(const Options *o, const Path *path)
{
  PetscInt best = 0;
  char     line[160];

  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\nFrom the most cautious %s to the boldest; the sums are those of the canonical correlations of all pairs\n", CCAPaths[o->path]));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%10s          sum%s   columns by A     by B    seconds\n", CCAPaths[o->path], o->hastest ? "   on test data" : ""));
  for (PetscInt i = 0; i < path->n; i++) {
    char test[32] = "";

    if (path->test[i] > path->test[best]) best = i;
    if (o->hastest) (void)snprintf(test, sizeof(test), "   %12.6f", (double)path->test[i]);
    (void)snprintf(line, sizeof(line), "%10.3g   %10.6f%s   %12.4g   %6.4g   %8.3g", (double)path->ridge[i], (double)path->sum[i], test, (double)path->acols[i], (double)path->bcols[i], (double)path->seconds[i]);
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s\n", line));
  }
  if (o->hastest) {
    (void)snprintf(line, sizeof(line), "%g", (double)path->ridge[best]);
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "The test data are in favour of -%s %s.\n", CCAPaths[o->path], line));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\nWith the last of them (-cv 5 would choose one):\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A column of the table; no values: it is left out */
typedef struct {
  const char      *title, *format; /* of as many characters */
  const PetscReal *values;
} Column;

static PetscErrorCode Report_PrintTable(const Options *o, const Result *r)
{
  const Column columns[] = {
    {"     canonical",                                "%14.8f", r->rho                     },
    {r->center ? "       Pearson" : "        cosine", "%14.8f", r->pearson                 },
    {"   on test data",                               "%15.6f", o->hastest ? r->test : NULL},
    {"   cross-validated",                            "%18.6f", r->validated               },
    {"    residual",                                  "%12.2e", r->residual                },
  };
  const size_t n = sizeof(columns) / sizeof(columns[0]);
  char         number[64];

  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n   k"));
  for (size_t c = 0; c < n; c++)
    if (columns[c].values) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s", columns[c].title));
  for (PetscInt i = 0; i < r->n; i++) {
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n%4" PetscInt_FMT, i + 1));
    for (size_t c = 0; c < n; c++) {
      if (!columns[c].values) continue;
      (void)snprintf(number, sizeof(number), columns[c].format, (double)columns[c].values[i]);
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s", number));
    }
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "sleep +0.80, steps -0.41": the variables that are correlated best with a score, the best first; r is used up */
static PetscErrorCode Report_ListVariables(char **names, PetscInt d, PetscInt n, PetscInt k, PetscReal r[], char list[], size_t length)
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
static PetscErrorCode Report_PrintVariables(CCA cca, const Data *d, const Result *r)
{
  PetscReal  *loading[2];
  PetscMPIInt rank;
  PetscInt    cols[2];
  char        list[2][512];

  PetscFunctionBegin;
  PetscCall(NAPICCAGetLoadings(cca, d, r, loading));
  if (!loading[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  for (int i = 0; i < 2; i++) PetscCall(MatGetSize(d->view[i], NULL, &cols[i]));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\nWhat the pairs are about: the variables %s with the scores X u and Y v\n", r->center ? "that are correlated most" : "of the largest cosines"));
  for (PetscInt k = 0; k < PetscMin(r->n, LOADING_PAIRS) && !rank; k++) {
    for (int i = 0; i < 2; i++) PetscCall(Report_ListVariables(d->names[i], cols[i], r->n, k, loading[i], list[i], sizeof(list[i])));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%4" PetscInt_FMT "   X: %s\n       Y: %s\n", k + 1, list[0], list[1]));
  }
  for (int i = 0; i < 2; i++) PetscCall(PetscFree(loading[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Report_PrintMeaning(const Options *o, const Data *d, const Result *r)
{
  const char     *what        = r->center ? "correlation" : "cosine";
  const PetscBool regularised = (PetscBool)(r->ridge[0] > 0.0 || r->ridge[1] > 0.0);
  char            warning[512];

  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\nThe score X u is a weighted sum of the variables of X, Y v one of those of Y. Those of the first pair have a %s of %.4f\non these data", what, (double)r->pearson[0]));
  if (regularised) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "; what was made as large as can be is the canonical one, with the regularisation in it.\n"));
  else PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s\n", r->nconv ? ": no two have more." : "."));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Each further pair is the best that is %s those before it%s.\n", r->center ? "uncorrelated with" : "orthogonal to", regularised ? ", up to the regularisation" : ""));
  if (o->hastest) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "On test data, which had no part in finding it, the first pair has a %s of %.4f.\n", what, (double)r->test[0]));
  PetscCall(NAPICCAWarn(d, r, warning, sizeof(warning)));
  if (warning[0]) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s\n", warning));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Report_PrintCost(const Options *o, const Data *d, const Result *r)
{
  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%" PetscInt_FMT " iteration%s; %.3g seconds, and %.3g to read\n", r->its, r->its == 1 ? "" : "s", r->seconds, d->seconds));
  if (r->reason == CCA_CONVERGED_RANK) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "There are %" PetscInt_FMT " pairs only, not %" PetscInt_FMT ": the data have no more directions.\n", r->n, r->k));
  else if (r->reason == CCA_DIVERGED_USER) PetscCall(NAPICCAPrintStop(o, r));
  else if (r->reason <= 0) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "NOT CONVERGED: %" PetscInt_FMT " of %" PetscInt_FMT " wanted pairs have a residual below %.3g (%s)\n", r->nconv, r->k, (double)r->tol, CCAConvergedReasons[r->reason]));
  PetscCall(NAPICCAExplain(o, d, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NAPICCAPrint(const Options *o, CCA cca, const Data *d, const Result *r, const Path *path)
{
  PetscFunctionBegin;
  PetscCall(Report_PrintHeading(o, d, r));
  PetscCall(NAPICCAPrintReading(d));
  if (o->validate) PetscCall(NAPICCAPrintValidation(o, r));
  else if (o->nridges) PetscCall(Report_PrintPath(o, path));
  if (r->n) PetscCall(Report_PrintTable(o, r));
  PetscCall(NAPICCAPrintInference(o, r));
  PetscCall(NAPICCAPrintBootstrap(o, r));
  PetscCall(Report_PrintVariables(cca, d, r));
  if (r->n) PetscCall(Report_PrintMeaning(o, d, r));
  PetscCall(Report_PrintCost(o, d, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- files ---------------------------------------------------------------------------------------------------- */

PetscErrorCode NAPICCAWriteJson(const Options *o, const Data *d, const Result *r, const Path *path, const char name[], char message[])
{
  const PetscBool unchosen = (PetscBool)(o->validate && o->nridges && r->cv.done < r->cv.nfolds);
  NAPIJson        json;
  PetscMPIInt     size;
  PetscInt        n, cols[2];
  char            warning[512] = "";

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
  if (!unchosen) NAPIJsonReals(&json, "ridge", 2, r->ridge);
  if (!unchosen && r->shrinkage[0] != CCA_SHRINKAGE_NONE) NAPIJsonReals(&json, "shrinkage", 2, r->shrinkage);
  NAPIJsonBool(&json, "center", r->center);
  NAPIJsonBool(&json, "centered", r->center);
  NAPIJsonBool(&json, "scaled", r->scale);
  NAPIJsonInteger(&json, "converged", r->nconv);
  NAPIJsonText(&json, "reason", CCAConvergedReasons[r->reason]);
  NAPIJsonBool(&json, "interrupted", NAPICCAIsIncomplete(o, r));
  NAPIJsonInteger(&json, "iterations", r->its);
  NAPIJsonReals(&json, "correlations", r->n, r->rho);
  NAPIJsonReals(&json, r->center ? "pearson" : "cosines", r->n, r->pearson);
  NAPIJsonReals(&json, "residuals", r->n, r->residual);
  if (r->bound) NAPIJsonReals(&json, "error_bounds", r->n, r->bound);
  if (o->hastest) NAPIJsonReals(&json, r->center ? "test_correlations" : "test_cosines", r->n, r->test);
  if (r->n) PetscCall(NAPICCAWarn(d, r, warning, sizeof(warning)));
  if (warning[0]) NAPIJsonText(&json, "warning", warning);
  NAPICCAJsonInference(o, r, &json);
  NAPICCAWriteBootstrapJson(&json, o, r);
  NAPIJsonReal(&json, "A_columns", r->acols);
  NAPIJsonReal(&json, "B_columns", r->bcols);
  NAPIJsonReal(&json, "passes", r->passes);
  NAPIJsonReal(&json, "seconds", (PetscReal)r->seconds);
  NAPIJsonReal(&json, "read_seconds", (PetscReal)d->seconds);
  if (o->validate) PetscCall(NAPICCAJsonValidation(o, r, &json));
  else if (o->nridges) {
    NAPIJsonReals(&json, o->path == CCA_PATH_RIDGE ? "path_ridge" : "path_shrinkage", path->n, path->ridge);
    NAPIJsonReals(&json, "path_sum", path->n, path->sum);
    if (o->hastest) NAPIJsonReals(&json, "path_test_sum", path->n, path->test);
    NAPIJsonReals(&json, "path_A_columns", path->n, path->acols);
    NAPIJsonReals(&json, "path_B_columns", path->n, path->bcols);
    NAPIJsonReals(&json, "path_seconds", path->n, path->seconds);
  }
  PetscCall(NAPIJsonEnd(&json, name, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}
