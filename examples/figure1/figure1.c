/* SPDX-License-Identifier: BSD-2-Clause */
/*
   One panel of Figure 1 of V. V. Mai and M. Johansson, "Noisy Accelerated Power Method for Eigenproblems with Applications":
   canonical correlation analysis with one pair, suboptimality against passes over the data, of the systems that the paper
   compares. All of them are CCA types of this library, and the experiment is a loop over option strings.

   $ figure1 -data mnist -dir ../shared/data -ridge 1e-3 -csv mnist.csv

   is one of the six panels; figure1.py, by `make figure1`, runs them all and draws the figure.

   -data       mnist    left and right halves of handwritten digits, 392 + 392
               tmc2007  words and labels of reports, 500 + 22, in the place of the paper's Mediamill (120 + 101)
               xrmb     generated: 39 and 16 features that depend on 16 hidden ones, smooth in time, in windows of 7 frames, which
                        makes the 273 + 112 columns of XRMB
   -rows <n>   no more samples than that
   -passes <p> where a curve ends at the latest
   -system <s> only this one of the systems below
   -quick      one number of stages for each system, instead of the best of several

   Passes are counted by the MATGRAMs, in the same way for all systems: a product with A or with B is one (both at once, in one
   sweep, is one too: only the last system makes use of that), a pass of SVRG through all samples is one.
*/
#include <time.h>
#include <unistd.h>
#include <slepcnapi.h>
#include <slepcnapi/private/napicompat.h>
#include "../../src/io/napiio.h"

/* ------------------------------------------------- data ------------------------------------------------- */

/* Pixels of MNIST, columns 0 to 13 and 14 to 27 of each image, in [0,1] */
static PetscErrorCode ReadMNIST(const char *dir, PetscInt rows, Mat X[2])
{
  char           name[PETSC_MAX_PATH_LEN], command[PETSC_MAX_PATH_LEN + 32];
  unsigned char  head[16], image[784];
  PetscInt       n, *nz;
  unsigned char *all;
  FILE          *pipe;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s/mnist/train-images-idx3-ubyte.gz", dir));
  PetscCheck(!access(name, R_OK), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot read %s: -dir must name the folder of the data", name);
  PetscCall(PetscSNPrintf(command, sizeof(command), "gzip -dc '%s'", name));
  pipe = popen(command, "r");
  PetscCheck(pipe, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot run: %s", command);
  PetscCheck(fread(head, 1, 16, pipe) == 16 && head[2] == 8 && head[3] == 3, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "%s holds no images", name);
  n = ((PetscInt)head[4] << 24) + ((PetscInt)head[5] << 16) + ((PetscInt)head[6] << 8) + head[7];
  n = PetscMin(n, rows);
  PetscCall(PetscMalloc1((size_t)n * 784, &all));
  PetscCall(PetscMalloc1(2 * n, &nz));
  PetscCall(PetscArrayzero(nz, 2 * n));
  for (PetscInt i = 0; i < n; i++) {
    PetscCheck(fread(image, 1, 784, pipe) == 784, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "%s ends after %" PetscInt_FMT " images", name, i);
    PetscCall(PetscArraycpy(all + (size_t)i * 784, image, 784));
    for (PetscInt j = 0; j < 784; j++)
      if (image[j]) nz[(j % 28 < 14 ? 0 : n) + i]++;
  }
  (void)pclose(pipe);
  for (PetscInt v = 0; v < 2; v++) {
    PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, 392, 0, nz + v * n, &X[v]));
    for (PetscInt i = 0; i < n; i++) {
      PetscInt    cols[392], count = 0;
      PetscScalar vals[392];

      for (PetscInt j = 0; j < 392; j++) {
        const PetscInt pixel = (j / 14) * 28 + j % 14 + 14 * v;

        if (!all[(size_t)i * 784 + pixel]) continue;
        cols[count]   = j;
        vals[count++] = all[(size_t)i * 784 + pixel] / 255.0;
      }
      PetscCall(MatSetValues(X[v], 1, &i, count, cols, vals, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(X[v], MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(X[v], MAT_FINAL_ASSEMBLY));
  }
  PetscCall(PetscFree(all));
  PetscCall(PetscFree(nz));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first rows of a matrix */
static PetscErrorCode Truncate(Mat *X, PetscInt rows)
{
  PetscInt n, d;
  IS       is, all;
  Mat      part;

  PetscFunctionBegin;
  PetscCall(MatGetSize(*X, &n, &d));
  if (n <= rows) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ISCreateStride(PETSC_COMM_SELF, rows, 0, 1, &is));
  PetscCall(ISCreateStride(PETSC_COMM_SELF, d, 0, 1, &all));
  PetscCall(MatCreateSubMatrix(*X, is, all, MAT_INITIAL_MATRIX, &part));
  PetscCall(ISDestroy(&is));
  PetscCall(ISDestroy(&all));
  PetscCall(MatDestroy(X));
  *X = part;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadTMC(const char *dir, PetscInt rows, Mat X[2])
{
  const char *const names[] = {"X_words", "Y_labels"};
  char              name[PETSC_MAX_PATH_LEN], message[NAPI_MESSAGE_LENGTH];

  PetscFunctionBegin;
  for (int v = 0; v < 2; v++) {
    PetscCall(PetscSNPrintf(name, sizeof(name), "%s/tmc2007/%s.mtx.gz", dir, names[v]));
    PetscCall(NAPIReadMatrix(PETSC_COMM_SELF, name, &X[v], message));
    PetscCheck(!message[0], PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "%s", message);
    PetscCall(Truncate(&X[v], rows));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Gauss(PetscRandom random, PetscReal *x)
{
  PetscReal a, b;

  PetscFunctionBegin;
  PetscCall(PetscRandomGetValueReal(random, &a));
  PetscCall(PetscRandomGetValueReal(random, &b));
  *x = PetscSqrtReal(-2.0 * PetscLogReal(PetscMax(a, 1e-300))) * PetscCosReal(2.0 * PETSC_PI * b);
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define HIDDEN 16
#define FRAMES 7

/*
   In XRMB's shape. Hidden variables h are smooth in time; articulatory features are mixtures of them with little noise, acoustic
   ones a bent mixture with more; both are scaled by powers of their number, so that the covariances are ill-conditioned, as
   those of speech are, and windows of frames, which repeat almost the same, make that worse.
*/
static PetscErrorCode Generate(PetscInt n, Mat X[2])
{
  const PetscInt  f[2] = {39, HIDDEN}, d[2] = {39 * FRAMES, HIDDEN * FRAMES}, frames = n + FRAMES - 1;
  const PetscReal noise[2] = {0.4, 0.15}, decay[2] = {0.8, 0.5};
  PetscReal      *mix[2], *feature[2], h[HIDDEN], velocity[HIDDEN], e;
  PetscRandom     random;

  PetscFunctionBegin;
  PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &random));
  PetscCall(PetscRandomSetType(random, PETSCRANDER48));
  PetscCall(PetscRandomSetSeed(random, 2019));
  PetscCall(PetscRandomSeed(random));
  for (int v = 0; v < 2; v++) {
    PetscCall(PetscMalloc1(f[v] * HIDDEN, &mix[v]));
    PetscCall(PetscMalloc1((size_t)frames * f[v], &feature[v]));
    for (PetscInt j = 0; j < f[v] * HIDDEN; j++) PetscCall(Gauss(random, &mix[v][j]));
  }
  for (PetscInt l = 0; l < HIDDEN; l++) h[l] = velocity[l] = 0.0;
  for (PetscInt i = -200; i < frames; i++) {
    for (PetscInt l = 0; l < HIDDEN; l++) { /* two filters in a row; slower ones first. Variance about 1 */
      const PetscReal a = l ? 0.92 - 0.03 * l : 0.98;

      PetscCall(Gauss(random, &e));
      velocity[l] = a * velocity[l] + PetscSqrtReal(1.0 - a * a) * e;
      h[l]        = 0.5 * h[l] + 0.5 * velocity[l];
    }
    for (int v = 0; v < 2; v++) {
      for (PetscInt j = 0; j < f[v]; j++) {
        PetscReal sum = 0.0;

        for (PetscInt l = 0; l < HIDDEN; l++) sum += mix[v][j * HIDDEN + l] * h[l] * (l ? 0.25 : 0.5);
        PetscCall(Gauss(random, &e));
        if (v == 0) sum = PetscTanhReal(sum);
        sum = (sum + noise[v] * e) * PetscPowReal(1.0 + j, -decay[v]);
        if (i >= 0) feature[v][(size_t)i * f[v] + j] = sum;
      }
    }
  }
  for (int v = 0; v < 2; v++) {
    PetscScalar *a;

    PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, n, d[v], NULL, &X[v]));
    PetscCall(MatDenseGetArrayWrite(X[v], &a));
    for (PetscInt t = 0; t < FRAMES; t++)
      for (PetscInt j = 0; j < f[v]; j++)
        for (PetscInt i = 0; i < n; i++) a[(size_t)(t * f[v] + j) * n + i] = feature[v][(size_t)(i + t) * f[v] + j];
    PetscCall(MatDenseRestoreArrayWrite(X[v], &a));
    PetscCall(MatAssemblyBegin(X[v], MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(X[v], MAT_FINAL_ASSEMBLY));
    PetscCall(PetscFree(mix[v]));
    PetscCall(PetscFree(feature[v]));
  }
  PetscCall(PetscRandomDestroy(&random));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* max_i (||x_i||^2, ||y_i||^2) */
static PetscErrorCode LargestRow(Mat X[2], PetscReal *largest)
{
  PetscInt n;

  PetscFunctionBegin;
  *largest = 0.0;
  PetscCall(MatGetSize(X[0], &n, NULL));
  for (int v = 0; v < 2; v++) {
    for (PetscInt i = 0; i < n; i++) {
      const PetscScalar *a;
      PetscReal          sum = 0.0;
      PetscInt           nz;

      PetscCall(MatGetRow(X[v], i, &nz, NULL, &a));
      for (PetscInt j = 0; j < nz; j++) sum += PetscRealPart(a[j] * PetscConj(a[j]));
      PetscCall(MatRestoreRow(X[v], i, &nz, NULL, &a));
      *largest = PetscMax(*largest, sum);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- systems ------------------------------------------------- */

#define VARIANTS 3

typedef struct {
  const char *name;
  const char *options;            /* {v} is the variant, {eta} the SVRG step, {rho2} and {gap} are exact, {its} the number of steps */
  PetscReal   variants[VARIANTS]; /* number of stages, or for AppGrad the step; those that are 0 do not count */
  PetscReal   quick;              /* the one that -quick runs */
  PetscReal   each, more;         /* passes of a step: each*variant + more, to know when to stop */
} System;

#define PAIR "-cca_type eps -cca_eps_type napi -cca_eps_napi_guard 0 -cca_st_ksp_type svrg -cca_st_ksp_norm_type none -cca_st_ksp_max_it {v} -cca_st_ksp_svrg_step {eta} -cca_max_it {its}"

static const System systems[] = {
  {"AppGrad",                "-cca_type appgrad -cca_appgrad_scale {v} -cca_max_it {its}",                                                         {1.0, 1.9, 0.0}, 1.9, 0.0, 2.0},
  {"CCALin",                 PAIR " -cca_eps_napi_momentum none",                                                                                  {1.0, 2.0, 4.0}, 1.0, 2.0, 1.0},
  {"ALS-VR",                 "-cca_type als -cca_ksp_type svrg -cca_ksp_max_it {v} -cca_ksp_svrg_step {eta} -cca_max_it {its}",                    {1.0, 2.0, 4.0}, 1.0, 2.0, 1.0},
  {"SI-VR",                  "-cca_type si -cca_si_delta {gap} -cca_ksp_type svrg -cca_ksp_max_it {v} -cca_ksp_svrg_step {eta} -cca_max_it {its}", {2.0, 4.0, 8.0}, 8.0, 2.0, 1.0},
  {"NAPI",                   PAIR " -cca_eps_napi_momentum fixed -cca_eps_napi_beta_from_eigenvalue {rho2}",                                       {1.0, 2.0, 4.0}, 1.0, 2.0, 1.0},
  {"NAPI optimal, block CG", "-cca_type napi -cca_ksp_type blockcg -cca_napi_inner_max_it {v} -cca_max_it {its}",                                  {1.0, 0.0, 0.0}, 1.0, 0.0, 1.0}
};

/* options with everything in braces filled in */
static PetscErrorCode Fill(const char *options, const char *const names[], const double values[], int n, char *filled, size_t size)
{
  size_t used = 0;

  PetscFunctionBegin;
  while (*options && used + 32 < size) {
    int i = 0;

    if (*options == '{') {
      const char *end    = strchr(options, '}');
      size_t      length = (size_t)(end - options - 1);

      while (i < n && (strlen(names[i]) != length || strncmp(names[i], options + 1, length))) i++;
      PetscCheck(i < n, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Nothing is known about %s", options);
      used += (size_t)snprintf(filled + used, size - used, "%.15g", values[i]);
      options = end + 1;
    } else filled[used++] = *options++;
  }
  filled[used] = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NewCCA(Mat X[2], PetscReal ridge, CCA *cca)
{
  PetscFunctionBegin;
  PetscCall(CCACreate(PETSC_COMM_SELF, cca));
  PetscCall(CCASetData(*cca, X[0], X[1]));
  PetscCall(CCASetRegularization(*cca, ridge, ridge));
  PetscCall(CCASetCentering(*cca, PETSC_FALSE)); /* as the paper has it */
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const System *system;
  PetscReal     variant, step, rho[2], limit;
  PetscInt      n; /* the curve */
  PetscReal    *passes, *gap;
  PetscReal     reached[2]; /* passes at which it is below 1e-4 and 1e-8, or -1 */
  PetscReal     seconds;    /* of processor time */
} Run;

static PetscErrorCode Solve(Mat X[2], Mat start[2], PetscReal ridge, Run *run)
{
  const char *const names[]  = {"v", "eta", "rho2", "gap", "its"};
  const double      values[] = {(double)run->variant, (double)run->step, (double)run->rho[1], (double)(run->rho[0] - run->rho[1]), (double)PetscCeilReal(run->limit / (run->system->each * run->variant + run->system->more))};
  const PetscReal  *passes, *objective;
  char              filled[1024];
  PetscInt          steps;
  PetscOptions      options;
  clock_t           begin;
  CCA               cca;

  PetscFunctionBegin;
  PetscCall(Fill(run->system->options, names, values, 5, filled, sizeof(filled)));
  PetscCall(PetscOptionsCreate(&options));
  PetscCall(PetscOptionsInsertString(options, filled));
  PetscCall(PetscOptionsPush(options));
  PetscCall(NewCCA(X, ridge, &cca));
  PetscCall(CCASetTolerances(cca, 1e-8, PETSC_DECIDE));
  PetscCall(CCASetInitialDirections(cca, start[0], start[1]));
  PetscCall(CCASetHistory(cca, PETSC_TRUE));
  PetscCall(CCASetFromOptions(cca));
  begin = clock();
  PetscCall(CCASolve(cca));
  run->seconds = (PetscReal)(clock() - begin) / (PetscReal)CLOCKS_PER_SEC;
  PetscCall(CCAGetHistory(cca, &steps, &passes, &objective));
  PetscCall(PetscMalloc2(steps, &run->passes, steps, &run->gap));
  run->reached[0] = run->reached[1] = -1.0;
  for (run->n = 0; run->n < steps && passes[run->n] <= run->limit; run->n++) {
    const PetscReal below = (run->rho[0] - objective[run->n]) / run->rho[0], gap = below < 0.0 ? 0.0 : below; /* NaN stays NaN */

    run->passes[run->n] = passes[run->n];
    run->gap[run->n]    = gap;
    if (gap <= 1e-4 && run->reached[0] < 0.0) run->reached[0] = passes[run->n];
    if (gap <= 1e-8 && run->reached[1] < 0.0) run->reached[1] = passes[run->n];
  }
  PetscCall(CCADestroy(&cca));
  PetscCall(PetscOptionsPop());
  PetscCall(PetscOptionsDestroy(&options));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  char        data[32] = "mnist", dir[PETSC_MAX_PATH_LEN] = "../shared/data", csv[PETSC_MAX_PATH_LEN] = "", system[64] = "";
  PetscInt    rows  = 1000000000, d[2], n;
  PetscReal   ridge = 1e-3, limit = 700.0, rho[2], largest;
  PetscBool   same, set, one, quick = PETSC_FALSE;
  PetscMPIInt size;
  PetscRandom random;
  Mat         X[2], start[2];
  CCA         cca;
  FILE       *file;

  PetscFunctionBeginUser;
  PetscCall(SlepcInitialize(&argc, &argv, NULL, NULL));
  PetscCall(SlepcNAPIInitialize());
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCheck(size == 1, PETSC_COMM_WORLD, PETSC_ERR_SUP, "This experiment runs on one rank, as the stochastic methods of the papers do");
  PetscCall(PetscOptionsGetString(NULL, NULL, "-data", data, sizeof(data), NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-dir", dir, sizeof(dir), NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-csv", csv, sizeof(csv), &set));
  PetscCheck(set, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "-csv must name the file to be written");
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-rows", &rows, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-ridge", &ridge, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-passes", &limit, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-quick", &quick, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-system", system, sizeof(system), &one));

  PetscCall(PetscStrcmp(data, "mnist", &same));
  if (same) PetscCall(ReadMNIST(dir, rows, X));
  else {
    PetscCall(PetscStrcmp(data, "tmc2007", &same));
    if (same) PetscCall(ReadTMC(dir, rows, X));
    else {
      PetscCall(PetscStrcmp(data, "xrmb", &same));
      PetscCheck(same, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "-data must be mnist, tmc2007 or xrmb, not %s", data);
      PetscCall(Generate(PetscMin(rows, 60000), X));
    }
  }
  PetscCall(MatGetSize(X[0], &n, &d[0]));
  PetscCall(MatGetSize(X[1], NULL, &d[1]));
  PetscCall(LargestRow(X, &largest));

  /* the answer */
  PetscCall(NewCCA(X, ridge, &cca));
  PetscCall(CCASetType(cca, CCADIRECT));
  PetscCall(CCASetDimensions(cca, 2));
  PetscCall(CCASolve(cca));
  for (PetscInt j = 0; j < 2; j++) PetscCall(CCAGetCorrelation(cca, j, &rho[j]));
  PetscCall(CCADestroy(&cca));
  printf("%s, ridge %g: n = %d, %d + %d columns, rho1 = %.8f, rho2 = %.8f, max ||x_i||^2 = %g\n", data, (double)ridge, (int)n, (int)d[0], (int)d[1], (double)rho[0], (double)rho[1], (double)largest);

  /* the same random start for all */
  PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &random));
  PetscCall(PetscRandomSetType(random, PETSCRANDER48));
  PetscCall(PetscRandomSetSeed(random, 1));
  PetscCall(PetscRandomSeed(random));
  for (int v = 0; v < 2; v++) {
    PetscScalar *a;
    PetscReal    e;

    PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, d[v], 2, NULL, &start[v]));
    PetscCall(MatDenseGetArrayWrite(start[v], &a));
    for (PetscInt j = 0; j < 2 * d[v]; j++) {
      PetscCall(Gauss(random, &e));
      a[j] = e;
    }
    PetscCall(MatDenseRestoreArrayWrite(start[v], &a));
    PetscCall(MatAssemblyBegin(start[v], MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(start[v], MAT_FINAL_ASSEMBLY));
  }
  PetscCall(PetscRandomDestroy(&random));

  file = fopen(csv, "w");
  PetscCheck(file, PETSC_COMM_WORLD, PETSC_ERR_FILE_OPEN, "Cannot write %s", csv);
  fprintf(file, "data,n,d1,d2,ridge,rho1,rho2,system,variant,passes,suboptimality\n");
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(systems); i++) {
    const System *s    = &systems[i];
    PetscReal     best = limit;

    PetscCall(PetscStrcmp(s->name, system, &same));
    if (one && !same) continue;
    for (int v = 0; v < (quick ? 1 : VARIANTS); v++) {
      Run run = {
        .system = s, .variant = quick ? s->quick : s->variants[v], .step = 1.0 / largest, .rho = {rho[0], rho[1]},
                         .limit = best
      };
      PetscReal seconds;

      if (!(run.variant > 0.0)) break;
      /* a variant that does not beat the one before by 1e-4 is not followed any farther */
      PetscCall(Solve(X, start, ridge, &run));
      seconds = run.seconds;
      if (best < limit && run.reached[0] >= 0.0) {
        PetscCall(PetscFree2(run.passes, run.gap));
        run.limit = limit;
        PetscCall(Solve(X, start, ridge, &run));
        seconds += run.seconds;
      }
      if (run.reached[0] >= 0.0) best = PetscMin(best, run.reached[0]);
      for (PetscInt j = 0; j < run.n; j++)
        fprintf(file, "%s,%d,%d,%d,%g,%.10f,%.10f,\"%s\",%g,%g,%.4e\n", data, (int)n, (int)d[0], (int)d[1], (double)ridge, (double)rho[0], (double)rho[1], s->name, (double)run.variant, (double)run.passes[j], (double)run.gap[j]);
      printf("%-7s %-6g %-22s %-4g", data, (double)ridge, s->name, (double)run.variant);
      for (int l = 0; l < 2; l++) {
        if (run.reached[l] < 0.0) printf(" %s after > %4g", l ? "1e-8" : "1e-4", (double)run.limit);
        else printf(" %s after   %4g", l ? "1e-8" : "1e-4", (double)run.reached[l]);
      }
      printf(" passes, %.0f s\n", (double)seconds);
      fflush(stdout);
      fflush(file);
      PetscCall(PetscFree2(run.passes, run.gap));
    }
  }
  fclose(file);
  for (int v = 0; v < 2; v++) {
    PetscCall(MatDestroy(&X[v]));
    PetscCall(MatDestroy(&start[v]));
  }
  PetscCall(SlepcFinalize());
  return 0;
}
