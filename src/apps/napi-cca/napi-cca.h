/* SPDX-License-Identifier: BSD-2-Clause */
/*
   napi-cca in parts: what was asked for (options.c), what is read (data.c) and solved (../napi-cca.c), how good it is on other samples and
   what it is about (statistics.c), text and files (report.c), cross-validation (cv.c), the model that is kept (model.c) and used again
   (apply.c), other analyses (analysis.c), the picture (picture.c), and how many pairs are real (inference.c).
*/
#pragma once

#include <slepcnapi.h>
#include <slepcnapi/private/napicompat.h>
#include "../common/app.h"
#include "../../io/napiio.h"

#define MAX_RIDGES       64  /* of -ridge_path and -shrinkage_path */
#define LITTLE_SHRINKAGE 0.1 /* too little where there are as many variables as samples: correlations near 1 mean nothing */

/* of -out; those of Y follow those of X */
enum {
  FILE_DIRECTIONS     = 0,
  FILE_SCORES         = 2,
  FILE_MEAN           = 4,
  FILE_SCALE          = 6,
  FILE_LOADINGS       = 8,
  FILE_CROSS_LOADINGS = 10,
  FILE_CLASS_MEANS    = 12,
  FILE_MODEL          = 13,
  NFILES
};

typedef char Name[PETSC_MAX_PATH_LEN];

/*
   How data are read; of each kind of list that for X, that for Y, and that for both, which counts where there is none for the view. Weights are
   those of the samples of X, of Y, or of both where these are the same.
*/
typedef struct {
  NAPIMissing missing;
  NAPIColumns columns[3], drop[3];
  Name        weights[3];
  PetscBool   hasweights[3], every; /* every: no sample may be left out, and no column */
} Reading;

/* Variables that a file is to have: those of another one, if both say what they are called */
typedef struct {
  PetscInt     n;
  char *const *names; /* on rank 0, or NULL */
} Variables;

/* How many pairs are real: permutations, and where they apply Wilks' and other tests; see inference.c */
typedef struct {
  Name      within; /* the file of -permute_within, or an empty name */
  PetscInt  permutations, seed;
  PetscBool wilks; /* asked for, and not only given where it applies */
} InferenceOptions;

#define NTESTS 5 /* of CCATest */

typedef struct {
  PetscReal     *p, *median, *quantile; /* a number for each pair, or NULL without permutations */
  PetscBool      exact;                 /* the quantiles are those of correlations, not of bounds */
  PetscInt       done;                  /* permutations that were decided */
  PetscInt       undecided;             /* comparisons, which count against the pairs */
  PetscInt       most;                  /* pairs that there can be */
  PetscLogDouble seconds;
  PetscInt       tested;           /* correlations of the classical tests: all there are, or 0 */
  PetscReal     *table[NTESTS][5]; /* for each of them statistic, F or chi-square, degrees of freedom, p */
  char           why[256];         /* why there are none */
} Inference;

/* Ctrl-C and -time_limit */
typedef struct {
  PetscBool      listening, timed, late;
  PetscLogDouble end;
} Stop;

typedef struct {
  Name        data[2], test[2], out, json, plot;
  CCAAnalysis analysis;
  Reading     reading;
  char        extension[8]; /* of the files that -out names */
  PetscBool   hastest, hasout, hasjson, hasplot, center, scale, hask, hasridge, hasshrinkage, hastol;
  PetscInt    bootstrap, bootstrapseed; /* samples of -bootstrap, or 0 */
  PetscInt    k, nridges;               /* of -ridge_path or -shrinkage_path, which begins with the largest */
  CCAPath     path;                     /* which of the two */
  PetscBool   validate;                 /* by -cv or -folds, whose file may be empty */
  PetscInt    nfolds, seed;
  PetscBool   contiguous, onese;
  Name        folds;
  PetscReal   ridge[2], shrinkage[2], ridges[MAX_RIDGES], tol;

  InferenceOptions inference;
} Options;

typedef struct {
  Mat            view[2], test[2];   /* test: may be NULL */
  char         **names[2];           /* of the columns, on rank 0, or NULL */
  NAPIRows       rows;               /* of the files, for others that have something about each: weights, folds, blocks, classes */
  NAPIRows       yrows;              /* of Y, if its samples are others */
  IS             labels, testlabels; /* the classes of discriminant analysis, or NULL */
  PetscInt       nclasses;
  char         **classes;    /* their names, on all ranks */
  Vec            weights[3]; /* of the samples: of X, of Y, of both; or NULL */
  Reading        reading;
  char           note[2][NAPI_MESSAGE_LENGTH], testnote[2][NAPI_MESSAGE_LENGTH]; /* what was left out unasked, or empty */
  PetscInt       gaps[2], testdropped;                                           /* numbers that are missing; test samples that were left out */
  PetscScalar   *mean[2];                                                        /* of the columns, where they fill the gaps, or NULL */
  PetscLogDouble seconds;                                                        /* to read them */
} Data;

/* What -bootstrap found: the ends of intervals, for each pair */
typedef struct {
  PetscBool  asked;                         /* there was something to draw from */
  PetscInt   samples, failed;               /* samples: as many as were wanted, or fewer after Ctrl-C */
  PetscReal *low, *high, *rholow, *rhohigh; /* of Pearson's correlations (or cosines), of canonical ones */
} Bootstrap;

/* What a cross-validation has found, as CCAGetCrossValidation() has it; the arrays are the object's */
typedef struct {
  PetscInt         n, nfolds, done, k, best, failed, constant; /* done: folds; best: -1 if not all were */
  const PetscReal *values, *mean, *error, *r;
} Validation;

typedef struct {
  char               type[64];
  PetscInt           k, n, nconv, its; /* pairs wanted, listed, converged; iterations */
  CCAConvergedReason reason;
  PetscReal         *rho, *pearson, *residual, *test; /* canonical correlations, those of the scores; test: 0 without such data */
  PetscReal         *bound;                           /* of the errors of rho, where -cca_check certify asks for it, or NULL */
  PetscReal         *validated;                       /* correlations of samples left out, with -cv, or NULL */
  Validation         cv;
  PetscReal          acols, bcols, passes, ridge[2], shrinkage[2], tol; /* shrinkage: CCA_SHRINKAGE_NONE where -ridge was given */
  PetscLogDouble     seconds;
  Mat                direction[2], score[2];
  Stop               stop;
  PetscBool          center, scale;
  PetscReal          accuracy, testaccuracy, *confusion; /* of discriminants; confusion is that of test data, or NULL */
  Inference          inference;
  Bootstrap          bootstrap;
} Result;

/* What is kept of the solution for each ridge, or shrinkage, of a path */
typedef struct {
  PetscReal ridge[MAX_RIDGES], sum[MAX_RIDGES], test[MAX_RIDGES]; /* sums of the correlations, those of the test data */
  PetscReal acols[MAX_RIDGES], bcols[MAX_RIDGES], seconds[MAX_RIDGES];
  PetscInt  n;
  PetscBool converged; /* all of them */
} Path;

PETSC_INTERN const char NAPICCAHelp[];

PETSC_INTERN PetscErrorCode NAPICCAGetOptions(Options *, char[]);
PETSC_INTERN PetscErrorCode NAPICCACheckOutputs(const Options *, char[]);

PETSC_INTERN PetscErrorCode NAPICCAGetReading(Reading *, char[]);
PETSC_INTERN PetscErrorCode NAPICCADestroyReading(Reading *);
PETSC_INTERN PetscErrorCode NAPICCAReadView(Reading *, const char[], int, const Variables *, Mat *, char ***, char[], char[]);
PETSC_INTERN PetscErrorCode NAPICCACheckVariables(const char[], const char[], const Variables *, Mat, char **, char[]);
PETSC_INTERN PetscErrorCode NAPICCAReadAll(const Options *, Data *, char[]);
PETSC_INTERN PetscErrorCode NAPICCADestroyData(Data *);
PETSC_INTERN PetscErrorCode NAPICCAPrintReading(const Data *);

PETSC_INTERN PetscErrorCode NAPICCAGetTimeLimit(Stop *, char[]);
PETSC_INTERN PetscErrorCode NAPICCAWatch(CCA, PetscBool, Stop *);
PETSC_INTERN PetscErrorCode NAPICCAUnwatch(CCA, Stop *);
PETSC_INTERN PetscErrorCode NAPICCASolveWatched(CCA, Stop *);
PETSC_INTERN const char    *NAPICCAWhatStopped(const Stop *);
PETSC_INTERN PetscBool      NAPICCAIsIncomplete(const Options *, const Result *);
PETSC_INTERN PetscErrorCode NAPICCAPrintStop(const Options *, const Result *);
PETSC_INTERN PetscErrorCode NAPICCAWarnRare(const Options *, const Data *);
PETSC_INTERN PetscErrorCode NAPICCAWarnCrowded(const Options *, const Data *, CCA);
PETSC_INTERN PetscErrorCode NAPICCAExplain(const Options *, const Data *, const Result *);

PETSC_INTERN PetscErrorCode NAPICCATest(CCA, const Data *, Result *);
PETSC_INTERN PetscErrorCode NAPICCARecord(const Result *, Path *);
PETSC_INTERN PetscErrorCode NAPICCAGetLoadings(CCA, const Data *, const Result *, PetscReal *[2]);
PETSC_INTERN PetscErrorCode NAPICCAWarn(const Data *, const Result *, char[], size_t);

PETSC_INTERN PetscErrorCode NAPICCAGetBootstrapOptions(Options *, char[]);
PETSC_INTERN PetscErrorCode NAPICCABootstrap(const Options *, CCA, Result *);
PETSC_INTERN PetscErrorCode NAPICCADestroyBootstrap(Bootstrap *);
PETSC_INTERN PetscErrorCode NAPICCAPrintBootstrap(const Options *, const Result *);
PETSC_INTERN void           NAPICCAWriteBootstrapJson(NAPIJson *, const Options *, const Result *);

PETSC_INTERN PetscErrorCode NAPICCAPrint(const Options *, CCA, const Data *, const Result *, const Path *);
PETSC_INTERN PetscErrorCode NAPICCAWriteJson(const Options *, const Data *, const Result *, const Path *, const char[], char[]);

PETSC_INTERN PetscErrorCode NAPICCAPlot(const Options *, const Data *, CCA, const Result *, const Path *, char[]);

PETSC_INTERN PetscErrorCode NAPICCAGetFileName(const char[], const char[], int, Name);
PETSC_INTERN PetscErrorCode NAPICCACheckPrefix(const char[], const char[], char[]);
PETSC_INTERN PetscErrorCode NAPICCAWriteModel(const Options *, const Data *, CCA, const Result *, char[]);
PETSC_INTERN PetscErrorCode NAPICCAWriteModelJson(const Options *, const Data *, CCA, const Result *, const char[], char[]);
PETSC_INTERN PetscBool      NAPICCAWritesFile(CCAAnalysis, int);
PETSC_INTERN PetscErrorCode NAPICCAApply(char[]);

/* ../napi-cca.c: what all analyses have in common */
PETSC_INTERN PetscErrorCode NAPICCASetChoices(const Options *, const Data *, CCA);
PETSC_INTERN PetscErrorCode NAPICCAGetFigures(CCA, Result *);

PETSC_INTERN PetscErrorCode NAPICCARunAnalysis(const Options *, Data *, Result *, int *, char[]);
PETSC_INTERN PetscErrorCode NAPICCAPutAnalysis(NAPIJson *, const Options *, const Data *, CCA, const Result *);
PETSC_INTERN PetscErrorCode NAPICCAWriteAnalysisJson(const Options *, const Data *, CCA, const Result *, const char[], char[]);
PETSC_INTERN PetscErrorCode NAPICCACountClasses(Mat, IS, PetscInt, const PetscReal[], const PetscScalar[], PetscInt[], PetscInt[]);
PETSC_INTERN PetscErrorCode NAPICCAMatchClasses(const char[], const char[], IS, PetscInt, char *const[], PetscInt, char *const[], IS *, char[]);
PETSC_INTERN PetscErrorCode NAPICCAPrintClasses(const char[], PetscInt, char *const[], const PetscInt[], PetscReal *);

/* cv.c: cross-validation, -cv and -folds */
PETSC_INTERN PetscErrorCode NAPICCAGetValidationOptions(Options *, char[]);
PETSC_INTERN PetscErrorCode NAPICCASetFolds(const Options *, const Data *, CCA, char[]);
PETSC_INTERN PetscErrorCode NAPICCAGetValidation(CCA, Result *);
PETSC_INTERN PetscErrorCode NAPICCAPrintValidation(const Options *, const Result *);
PETSC_INTERN PetscErrorCode NAPICCAJsonValidation(const Options *, const Result *, NAPIJson *);

PETSC_INTERN PetscErrorCode NAPICCAGetInferenceOptions(CCAAnalysis, InferenceOptions *, char[]);
PETSC_INTERN PetscErrorCode NAPICCAInfer(const Options *, const Data *, CCA, Result *, char[]);
PETSC_INTERN PetscErrorCode NAPICCADestroyInference(Inference *);
PETSC_INTERN PetscErrorCode NAPICCAPrintInference(const Options *, const Result *);
PETSC_INTERN void           NAPICCAJsonInference(const Options *, const Result *, NAPIJson *);
