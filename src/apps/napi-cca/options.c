/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What was asked for: the options of napi-cca and the names of its files.
*/
#include "napi-cca.h"
#include <string.h>

const char NAPICCAHelp[] = "napi-cca: what do two data sets share? Canonical correlation analysis, also of data too large for one machine\n\n"
                           "  napi-cca X Y [-k <k>] [-shrinkage <s>] [-scale] [options]\n\n"
                           "  X, Y                the data: row i of both files is the same sample. CSV as pandas, R and spreadsheets write it, NumPy\n"
                           "                      .npy or .npz (file.npz:name), SciPy's sparse .npz, Matrix Market or PETSc binary, also gzipped.\n"
                           "                      They may be named as options:  -X <file>  -Y <file>\n"
                           "  -columns <a>,<b>    only these columns, by name or number;  -drop <a>,<b>  all but these; -columns_x <a>,  -drop_y <a>: of one\n"
                           "  -missing error      where numbers are missing: error, drop (the sample) or mean (of the column)\n"
                           "  -weights <file>     a weight for each sample, a line a row;  -weights_x <file>  -weights_y <file>  of those of X and of Y in gev\n"
                           "  -k <k>              how many pairs of directions (2)\n"
                           "  -shrinkage <s>[,<t>] regularisation of X [and of Y] without units, from 0 to 1 (1e-3): more is more cautious; auto estimates it\n"
                           "  -ridge <g>[,<h>]    the same as an absolute number, in the units of the data, in the place of -shrinkage\n"
                           "  -shrinkage_path <s>,...  several (or three numbers and more after -shrinkage);  -ridge_path <g>,...  the same for ridges\n"
                           "  -cv <n>             choose among them by n-fold cross-validation: correlations of samples that had no part in it; see also\n"
                           "                      -cv_seed <s> (0),  -cv_order contiguous,  -cv_one_se\n"
                           "  -folds <file>       which samples are left out together: a line for each, a number or a name\n"
                           "  -scale              divide each column by its standard deviation;  -no_center  leave its mean in it (-center is the default)\n"
                           "  -analysis <a>       cca (default); pls, by covariances; lda, what tells classes apart (Y has the class of each sample); pca, of X\n"
                           "                      alone; or gev, the ratios of the variances of X to those of Y, other samples of the same variables\n"
                           "  -test <X2> <Y2>     data of other samples: do the correlations hold there?\n"
                           "  -permutations <n>   how many pairs are real? p-values from so many permutations of the samples of Y, such as 999\n"
                           "  -permutation_seed <s> another draw of them (1);  -permute_within <file>  a label a line: exchange samples of equal label only\n"
                           "  -wilks              tests of Wilks and others, or why they do not apply; they are given without asking where they do\n"
                           "  -bootstrap <n>      draw as many samples from these n times (1000): how far do the correlations scatter? -bootstrap_seed <s>\n"
                           "  -out <prefix>       write <prefix>_model.json, directions, scores, means, scales and loadings: all that -apply needs\n"
                           "  -apply <prefix> <X2> [<Y2>]  the scores of other samples by such a model, written to the <prefix> of -out\n"
                           "  -format npy         of these files: npy (default), petsc or mtx\n"
                           "  -plot [<file>]      a picture of the correlations and the scores (napi-cca.png); needs Python with matplotlib\n"
                           "  -json <file>        write the results as a JSON object; a dash is standard output, and the text goes to standard error\n"
                           "  -time_limit <s>     seconds after which no further step is made, whatever it is of: what is complete is given, as after Ctrl-C\n"
                           "  -tol <t>            relative residual at which a pair is good enough (1e-6)\n"
                           "  -cca_type <type>    the method: direct, napi, eps, ...; chosen by the size of the data if not given\n"
                           "  -cca_...            all options of the method; -help lists them\n"
                           "  -traceback          show errors of PETSc and SLEPc as they do, not as one sentence\n"
                           "  -h, --help          this text; -help adds the options of the method in use;  --version\n\n"
                           "  Exit status: 0 all wanted pairs found; 1 wrong input; 2 not all pairs found, also where the data have no more, or\n"
                           "  not accurately enough, or stopped before the end\n";

static PetscErrorCode Options_CopyName(const char from[], Name to, char message[])
{
  PetscFunctionBegin;
  if (strlen(from) >= sizeof(Name) && !message[0]) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "the name %.40s... is too long", from));
  PetscCall(PetscStrncpy(to, from, sizeof(Name)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Options_GetAnalysis(Options *o, char message[])
{
  PetscBool set, known = PETSC_FALSE;
  char      word[64];

  PetscFunctionBegin;
  PetscCall(NAPIGetName("-analysis", word, sizeof(word), &set, message));
  for (int i = CCA_ANALYSIS_CCA; i <= CCA_ANALYSIS_GEV && set && !known; i++) {
    PetscCall(PetscStrcmp(word, CCAAnalyses[i], &known));
    if (known) o->analysis = (CCAAnalysis)i;
  }
  if (set && !known && !message[0]) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "-analysis knows cca, pls, lda, pca and gev, not '%s'", word));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The two files come first; -X and -Y name them as well. Principal components have one. */
static PetscErrorCode Options_GetDataNames(Options *o, char message[])
{
  const int                files    = o->analysis == CCA_ANALYSIS_PCA ? 1 : 2;
  static const char *const option[] = {"-X", "-Y"};
  char                   **args;
  PetscBool                set[2];
  int                      argc;

  PetscFunctionBegin;
  PetscCall(PetscGetArgs(&argc, &args));
  for (int i = 0; i < files; i++) {
    PetscCall(NAPIGetName(option[i], o->data[i], sizeof(Name), &set[i], message));
    if (!set[i] && argc > i + 1 && args[i + 1][0] != '-') PetscCall(Options_CopyName(args[i + 1], o->data[i], message));
  }
  if (files == 1) {
    if (!message[0] && !o->data[0][0]) PetscCall(PetscStrncpy(message, "a data set is needed: napi-cca X -analysis pca [options]", NAPI_MESSAGE_LENGTH));
    if (!message[0] && !set[0] && argc > 2 && args[2][0] != '-') PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "principal components are those of one data set: what is '%s'?", args[2]));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!message[0] && (!o->data[0][0] || !o->data[1][0])) PetscCall(PetscStrncpy(message, "two data sets are needed: napi-cca X Y [options] (napi-cca -h lists them)", NAPI_MESSAGE_LENGTH));
  if (!message[0] && !set[0] && !set[1] && argc > 3 && args[3][0] != '-') PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "there are two data sets: what is '%s' (test data come after -test)?", args[3]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -test has two values, of which PETSc knows the first */
static PetscErrorCode Options_GetTestNames(Options *o, char message[])
{
  char **args;
  int    argc;

  PetscFunctionBegin;
  PetscCall(PetscGetArgs(&argc, &args));
  PetscCall(NAPIGetName("-test", o->test[0], sizeof(Name), &o->hastest, message));
  if (!o->hastest || message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  for (int i = 1; i + 2 < argc; i++)
    if (!strcmp(args[i], "-test") && args[i + 2][0] != '-') PetscCall(Options_CopyName(args[i + 2], o->test[1], message));
  if (!o->test[1][0] && !message[0]) PetscCall(PetscStrncpy(message, "-test needs two files after it: other samples of X and of Y", NAPI_MESSAGE_LENGTH));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Options_GetOutputNames(Options *o, char message[])
{
  const char *plot;
  char        format[16];
  PetscBool   set, npy, petsc, mtx;

  PetscFunctionBegin;
  PetscCall(NAPIGetName("-out", o->out, sizeof(Name), &o->hasout, message));
  PetscCall(NAPIJsonGetName(o->json, sizeof(Name), &o->hasjson, message));
  PetscCall(PetscOptionsFindPair(NULL, NULL, "-plot", &plot, &o->hasplot)); /* has no value if the default will do */
  if (o->hasplot) PetscCall(Options_CopyName(plot && plot[0] ? plot : "napi-cca.png", o->plot, message));
  PetscCall(NAPIGetName("-format", format, sizeof(format), &set, message));
  if (!set) PetscCall(PetscStrncpy(format, "npy", sizeof(format)));
  PetscCall(PetscStrcmp(format, "npy", &npy));
  PetscCall(PetscStrcmp(format, "petsc", &petsc));
  PetscCall(PetscStrcmp(format, "mtx", &mtx));
  PetscCall(PetscStrncpy(o->extension, npy ? ".npy" : mtx ? ".mtx" : ".dat", sizeof(o->extension)));
  if (!npy && !petsc && !mtx && !message[0]) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "-format knows npy, petsc and mtx, not '%s'", format));
  if (o->hasout) PetscCall(NAPICCACheckPrefix("-out", o->out, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A path begins with its largest value */
static PetscErrorCode Options_SortPath(Options *o, CCAPath kind)
{
  PetscFunctionBegin;
  o->path = kind;
  PetscCall(PetscSortReal(o->nridges, o->ridges));
  for (PetscInt i = 0; i < o->nridges / 2; i++) {
    const PetscReal ridge = o->ridges[i];

    o->ridges[i]                  = o->ridges[o->nridges - 1 - i];
    o->ridges[o->nridges - 1 - i] = ridge;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Options_GetRidgePath(Options *o, char message[])
{
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(NAPIGetReals("-ridge_path", MAX_RIDGES, o->ridges, &o->nridges, &set, message));
  PetscCall(Options_SortPath(o, CCA_PATH_RIDGE));
  if (set && !message[0] && (!o->nridges || !(o->ridges[o->nridges - 1] >= 0.0))) PetscCall(PetscStrncpy(message, "-ridge_path needs numbers that are not negative, with commas between them", NAPI_MESSAGE_LENGTH));
  if (set && !message[0] && o->hasridge) PetscCall(PetscStrncpy(message, "-ridge_path says which ridges: leave out -ridge", NAPI_MESSAGE_LENGTH));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Means are taken off unless -no_center says otherwise; -center says so, too */
static PetscErrorCode Options_GetCentering(Options *o, char message[])
{
  PetscBool no = PETSC_FALSE, set;

  PetscFunctionBegin;
  o->center = PETSC_TRUE;
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-center", &o->center, &set));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-no_center", &no, NULL));
  if (no && set && o->center && !message[0]) PetscCall(PetscStrncpy(message, "-center and -no_center contradict each other: leave out one of them", NAPI_MESSAGE_LENGTH));
  if (no) o->center = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -shrinkage has one number, or two for X and Y; from three on, as after -shrinkage_path, they are a path */
static PetscErrorCode Options_GetShrinkage(Options *o, char message[])
{
  PetscReal value[MAX_RIDGES];
  char      text[2][1024];
  PetscInt  n;
  PetscBool path;

  PetscFunctionBegin;
  PetscCall(NAPIGetName("-shrinkage", text[0], sizeof(text[0]), &o->hasshrinkage, message));
  PetscCall(NAPIGetName("-shrinkage_path", text[1], sizeof(text[1]), &path, message));
  if ((!o->hasshrinkage && !path) || message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  if (o->hasridge || o->nridges) PetscCall(PetscStrncpy(message, "-shrinkage says without units what -ridge and -ridge_path say with them: leave out one of them", NAPI_MESSAGE_LENGTH));
  else if (path && o->hasshrinkage) PetscCall(PetscStrncpy(message, "-shrinkage_path says which shrinkages: leave out -shrinkage", NAPI_MESSAGE_LENGTH));
  if (message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CCAParseShrinkage(text[path ? 1 : 0], MAX_RIDGES, &n, value));
  for (PetscInt i = 0; i < n && (path || n > 2); i++)
    if (value[i] == CCA_SHRINKAGE_AUTO && !message[0]) PetscCall(PetscStrncpy(message, "a path of shrinkages has numbers only: auto is one that stands by itself, -shrinkage auto", NAPI_MESSAGE_LENGTH));
  if (path || n > 2) {
    o->hasshrinkage = PETSC_FALSE;
    o->nridges      = n;
    PetscCall(PetscArraycpy(o->ridges, value, n));
    PetscCall(Options_SortPath(o, CCA_PATH_SHRINKAGE));
  } else {
    o->shrinkage[0] = value[0];
    o->shrinkage[1] = value[n - 1];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NAPICCAGetOptions(Options *o, char message[])
{
  const char *wrong = NULL;
  PetscInt    n, count;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(o, sizeof(*o)));
  PetscCall(Options_GetAnalysis(o, message));
  PetscCall(Options_GetDataNames(o, message));
  PetscCall(Options_GetTestNames(o, message));
  PetscCall(Options_GetOutputNames(o, message));
  PetscCall(NAPICCAGetReading(&o->reading, message));
  o->k = 2;
  PetscCall(NAPIGetInts("-k", 1, &o->k, &count, &o->hask, message));
  PetscCall(NAPIGetReals("-ridge", 2, o->ridge, &n, &o->hasridge, message));
  if (n == 1) o->ridge[1] = o->ridge[0];
  PetscCall(Options_GetRidgePath(o, message));
  PetscCall(NAPICCAGetInferenceOptions(o->analysis, &o->inference, message));
  PetscCall(Options_GetCentering(o, message));
  PetscCall(Options_GetShrinkage(o, message));
  PetscCall(NAPICCAGetBootstrapOptions(o, message));
  PetscCall(NAPICCAGetValidationOptions(o, message));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-scale", &o->scale, NULL));
  PetscCall(NAPIGetReals("-tol", 1, &o->tol, &count, &o->hastol, message));
  if (o->k < 1) wrong = "-k must be at least 1";
  else if (o->hasridge && (n < 1 || !(o->ridge[0] >= 0.0) || !(o->ridge[1] >= 0.0))) wrong = "-ridge needs a number that is not negative, or two of them with a comma between them";
  else if (o->hastol && !(o->tol > 0.0)) wrong = "-tol must be positive";
  else if (o->analysis != CCA_ANALYSIS_GEV && (o->reading.hasweights[0] || o->reading.hasweights[1])) wrong = "-weights_x and -weights_y are for -analysis gev, whose X and Y are different samples: use -weights, with a weight for each of these";
  if (wrong && !message[0]) PetscCall(PetscStrncpy(message, wrong, NAPI_MESSAGE_LENGTH));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What can be known to be wrong before the solution */
PetscErrorCode NAPICCACheckOutputs(const Options *o, char message[])
{
  const char *in[7] = {o->data[0], o->data[1]}, *out[NFILES + 2];
  Name        name[NFILES];
  int         n = 0, nin = 2;

  PetscFunctionBegin;
  for (int i = 0; i < NFILES && o->hasout; i++) {
    if (!NAPICCAWritesFile(o->analysis, i)) continue;
    PetscCall(NAPICCAGetFileName(o->out, o->extension, i, name[i]));
    out[n++] = name[i];
  }
  if (o->hasjson && strcmp(o->json, "-")) out[n++] = o->json;
  if (o->hasplot) out[n++] = o->plot;
  for (int i = 0; i < 2 && o->hastest; i++) in[nin++] = o->test[i];
  for (int i = 0; i < 3; i++)
    if (o->reading.hasweights[i]) in[nin++] = o->reading.weights[i];
  PetscCall(NAPICheckOutputs(PETSC_COMM_WORLD, nin, in, n, out, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}
