/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA: principal components and ratios of variances, eigenproblems of one or two MATGRAMs:

     pca   S11 u = value u
     gev   S11 u = value (S22 + r I) u,   S11 and S22 from different samples of the same variables

   The covariances are never formed. The values are those of an EPS; residuals are computed afresh at the end.
*/
#include <slepcnapi/private/ccaimpl.h>
#include <slepcnapi/private/gramimpl.h>

/* A variance below this part of the largest ones counts as none: its residual is not divided by it */
#define CCA_SPECTRAL_NONE 1e-8
/* Eigenvalues of so many times d eps times the largest are rounding, as in ccaritz.c */
#define CCA_SPECTRAL_NOISE 10.0
/* Solvers test what they estimate; with this part of the tolerance the residuals that are computed in the end are small enough, too */
#define CCA_SPECTRAL_STRICTER 0.2

/* Columns up to which S22 gets a sketch as its preconditioner: on 717 pixels of MNIST it took the processor 0.68 seconds instead of 2.4; with many more
   columns the dense factor, whose work grows with the cube, would be what takes the time */
#define CCA_SPECTRAL_SKETCH 2000

/* Steps of an inner solve with S22: many more than it takes where S22 is regular (with another limit, or none, pixels and words with ridges from 1e-10 on took the same
   time), and few enough to see soon that it is singular: without a limit a solve of what has no solution goes on for minutes */
#define CCA_SPECTRAL_INNER 100

/* --- set-up -------------------------------------------------------------------------------------------------------- */

static PetscErrorCode CCASpectral_CreateGram(CCA cca, Mat X, const char name[], Mat *G)
{
  PetscReal norm;

  PetscFunctionBegin;
  PetscCall(MatNorm(X, NORM_FROBENIUS, &norm)); /* a sum over all entries is finite only if they are */
  PetscCheck(!PetscIsInfOrNanReal(norm), PetscObjectComm((PetscObject)cca), PETSC_ERR_FP, "%s has an entry that is not a finite number (or so large that its square is not): remove such samples or fill the gaps first", name);
  PetscCall(MatCreateGram(X, NULL, G));
  PetscCall(MatGramSetCentering(*G, cca->center));
  PetscCall(MatGramSetScaling(*G, cca->scale));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The ridge of S22, which with a shrinkage is a multiple of its mean variance */
static PetscErrorCode CCASpectral_SetRidge(CCA cca)
{
  PetscScalar     trace;
  const PetscReal s = cca->shrinkage[1];

  PetscFunctionBegin;
  PetscCheck(!cca->shrunk || s >= 0.0, PetscObjectComm((PetscObject)cca), PETSC_ERR_SUP, "Ratios of variances need a number for the shrinkage of Y: CCASetShrinkage() with one, not CCA_SHRINKAGE_AUTO");
  PetscCall(MatGetTrace(cca->B, &trace));
  cca->ridge[0] = 0.0;
  cca->ridge[1] = cca->shrunk ? s / (1.0 - s) * PetscRealPart(trace) / (PetscReal)cca->d[1] : cca->absolute[1];
  for (int i = 0; i < 2; i++) {
    cca->factor[i]        = 1.0;
    cca->shrinkageused[i] = i && cca->shrunk ? s : 0.0;
  }
  PetscCall(MatGramSetRidge(cca->B, cca->ridge[1], 0.0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Samples that count: those with a positive weight */
static PetscErrorCode CCASpectral_CountSamples(Mat Y, Vec w, PetscInt *n)
{
  const PetscScalar *a;
  PetscInt           local;

  PetscFunctionBegin;
  PetscCall(MatGetSize(Y, n, NULL));
  if (!w) PetscFunctionReturn(PETSC_SUCCESS);
  *n = 0;
  PetscCall(VecGetLocalSize(w, &local));
  PetscCall(VecGetArrayRead(w, &a));
  for (PetscInt i = 0; i < local; i++) *n += PetscRealPart(a[i]) > 0.0;
  PetscCall(VecRestoreArrayRead(w, &a));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, n, 1, MPIU_INT, MPI_SUM, PetscObjectComm((PetscObject)w)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Without a ridge, a direction in which Y does not vary has no ratio. That there is one is known at once where a column of Y is constant that is not in X, or
   where the samples of Y are too few; to find it in another way may take a solver long.
*/
static PetscErrorCode CCASpectral_CheckVariation(CCA cca)
{
  MPI_Comm           comm = PetscObjectComm((PetscObject)cca);
  const PetscScalar *a, *b;
  PetscInt           samples, first, last, local[2] = {0, cca->d[1]}, all[2]; /* columns that vary in Y, and the first one that varies in X only */
  Vec                va, vb;

  PetscFunctionBegin;
  PetscCall(CCASpectral_CountSamples(cca->Y, cca->own[1], &samples));
  PetscCall(MatCreateVecs(cca->A, &va, NULL));
  PetscCall(MatCreateVecs(cca->B, &vb, NULL));
  PetscCall(MatGetDiagonal(cca->A, va));
  PetscCall(MatGetDiagonal(cca->B, vb));
  PetscCall(VecGetOwnershipRange(va, &first, &last));
  PetscCall(VecGetArrayRead(va, &a));
  PetscCall(VecGetArrayRead(vb, &b));
  for (PetscInt j = last - 1; j >= first; j--)
    if (PetscRealPart(b[j - first]) > 0.0) local[0]++;
    else if (PetscRealPart(a[j - first]) > 0.0) local[1] = j;
  PetscCall(VecRestoreArrayRead(va, &a));
  PetscCall(VecRestoreArrayRead(vb, &b));
  PetscCall(VecDestroy(&va));
  PetscCall(VecDestroy(&vb));
  PetscCallMPI(MPI_Allreduce(&local[0], &all[0], 1, MPIU_INT, MPI_SUM, comm));
  PetscCallMPI(MPI_Allreduce(&local[1], &all[1], 1, MPIU_INT, MPI_MIN, comm));
  PetscCheck(all[1] == cca->d[1], comm, PETSC_ERR_ARG_WRONG, "Column %" PetscInt_FMT " varies in X and not in Y, so that the ratio of its variances is infinite: leave it out, or regularise Y by a shrinkage, such as 0.01", all[1] + 1);
  PetscCheck(all[0] <= samples - (cca->center ? 1 : 0), comm, PETSC_ERR_ARG_WRONG, "Y has %" PetscInt_FMT " samples and %" PetscInt_FMT " variables, so that there are directions in which it does not vary, and ratios are infinite: regularise it by a shrinkage, such as 0.01", samples, all[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A residual is compared to the variance or, where that is next to nothing, to the sum of all */
static PetscErrorCode CCASpectral_IsConverged(EPS eps, PetscScalar lambda, PetscScalar im, PetscReal residual, PetscReal *error, void *ctx)
{
  const CCA cca = (CCA)ctx;

  PetscFunctionBegin;
  (void)eps, (void)im;
  *error = residual / PetscMax(PetscAbsScalar(lambda), CCA_SPECTRAL_NONE * cca->total);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CCASpectral_SetUpEPS(CCA cca)
{
  const PetscBool ratios = (PetscBool)(cca->analysis == CCA_ANALYSIS_GEV);
  PetscBool       napi, set;
  PetscInt        max_it = cca->max_it;
  char            type[256];
  PetscScalar     trace;
  EPS             eps;
  ST              st;
  KSP             ksp;
  PC              pc;

  PetscFunctionBegin;
  PetscCall(CCAGetEPS(cca, &eps));
  PetscCall(EPSSetOperators(eps, cca->A, ratios ? cca->B : NULL));
  PetscCall(EPSSetProblemType(eps, ratios ? EPS_GHEP : EPS_HEP));
  PetscCall(PetscOptionsGetString(((PetscObject)eps)->options, ((PetscObject)eps)->prefix, "-eps_type", type, sizeof(type), &set));
  if (set) PetscCall(EPSSetType(eps, type));
  else if (!((PetscObject)eps)->type_name) PetscCall(EPSSetType(eps, ratios ? EPSNAPI : EPSKRYLOVSCHUR));
  PetscCall(PetscObjectTypeCompare((PetscObject)eps, EPSNAPI, &napi));
  if (ratios && napi && cca->d[0] <= CCA_SPECTRAL_SKETCH) {
    PetscCall(EPSGetST(eps, &st));
    PetscCall(STGetKSP(st, &ksp));
    PetscCall(KSPGetPC(ksp, &pc));
    if (!((PetscObject)pc)->type_name) PetscCall(PCSetType(pc, PCSKETCH));
  }
  if (ratios && napi) PetscCall(EPSNAPISetInnerTolerances(eps, PETSC_DECIDE, CCA_SPECTRAL_INNER));
  PetscCall(EPSSetWhichEigenpairs(eps, EPS_LARGEST_REAL));
  PetscCall(EPSSetTolerances(eps, CCA_SPECTRAL_STRICTER * cca->tol, max_it));
  PetscCall(EPSSetDimensions(eps, cca->k, PETSC_DECIDE, PETSC_DECIDE));
  PetscCall(MatGetTrace(cca->A, &trace));
  cca->total = PetscRealPart(trace);
  if (!ratios && !napi) PetscCall(EPSSetConvergenceTestFunction(eps, CCASpectral_IsConverged, cca, NULL));
  if (cca->optionsread) PetscCall(EPSSetFromOptions(eps));
  if (napi) PetscCall(EPSNAPISetResidual(eps, EPS_NAPI_RESIDUAL_SCALED)); /* the one we test too */
  PetscCall(CCAWatchEPS_Private(cca, eps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCASetUpSpectral_Private - Prepares principal components or ratios of variances.
*/
PetscErrorCode CCASetUpSpectral_Private(CCA cca)
{
  const PetscBool ratios = (PetscBool)(cca->analysis == CCA_ANALYSIS_GEV);
  MPI_Comm        comm   = PetscObjectComm((PetscObject)cca);

  PetscFunctionBegin;
  PetscCheck(cca->X && (!ratios || cca->Y), comm, PETSC_ERR_ORDER, "There are no data yet: call CCASetData() first");
  PetscCheck(ratios || !cca->Y, comm, PETSC_ERR_ARG_WRONG, "Principal components are those of one data set: give CCASetData() NULL for Y");
  PetscCall(MatGetSize(cca->X, &cca->n, &cca->d[0]));
  cca->d[1] = 0;
  if (ratios) PetscCall(MatGetSize(cca->Y, NULL, &cca->d[1]));
  PetscCheck(!ratios || cca->d[0] == cca->d[1], comm, PETSC_ERR_ARG_SIZ, "X has %" PetscInt_FMT " columns and Y has %" PetscInt_FMT ": ratios of variances need the same variables in both", cca->d[0], cca->d[1]);
  PetscCheck(cca->n > 0 && cca->d[0] > 0, comm, PETSC_ERR_ARG_SIZ, "There is nothing to analyse: X is %" PetscInt_FMT " by %" PetscInt_FMT, cca->n, cca->d[0]);
  PetscCheck(cca->k <= cca->d[0], comm, PETSC_ERR_ARG_OUTOFRANGE, "%" PetscInt_FMT " directions are wanted, but with %" PetscInt_FMT " columns there are no more than these: ask for at most that many", cca->k, cca->d[0]);
  PetscCheck(!ratios || !cca->scale, comm, PETSC_ERR_SUP, "Ratios of variances of scaled data would be those of other variables in X and in Y: leave the scaling out, which matters to the ridge only");
  PetscCheck(!ratios || !cca->weights, comm, PETSC_ERR_SUP, "X and Y are different samples: CCASetViewWeights() gives those of each their weights, not CCASetWeights()");
  PetscCheck(ratios || (!cca->own[0] && !cca->own[1]), comm, PETSC_ERR_SUP, "There is one data set: CCASetWeights() gives its samples their weights, not CCASetViewWeights()");
  for (int i = 0; i < 2; i++) cca->unit[i] = cca->scale;
  PetscCall(MatDestroy(&cca->A)); /* of a set-up that has ended in an error */
  PetscCall(MatDestroy(&cca->B));
  PetscCall(CCASpectral_CreateGram(cca, cca->X, "X", &cca->A));
  if (cca->weights || cca->own[0]) PetscCall(MatGramSetWeights(cca->A, ratios ? cca->own[0] : cca->weights));
  if (ratios) {
    PetscCall(CCASpectral_CreateGram(cca, cca->Y, "Y", &cca->B));
    if (cca->own[1]) PetscCall(MatGramSetWeights(cca->B, cca->own[1]));
    PetscCall(CCASpectral_SetRidge(cca));
    if (cca->ridge[1] == 0.0) PetscCall(CCASpectral_CheckVariation(cca));
  } else
    for (int i = 0; i < 2; i++) {
      cca->ridge[i] = cca->shrinkageused[i] = 0.0;
      cca->factor[i]                        = 1.0;
    }
  PetscCall(CCASpectral_SetUpEPS(cca));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- solution ------------------------------------------------------------------------------------------------------ */

/* Column j of U, normalised as the analysis has it; value and residual from fresh products */
static PetscErrorCode CCASpectral_Refresh(CCA cca, PetscInt j, Vec a, Vec b)
{
  PetscScalar uau, ubu;
  PetscReal   norm, scale;
  Vec         u;

  PetscFunctionBegin;
  PetscCall(MatDenseGetColumnVec(cca->U, j, &u));
  PetscCall(MatMult(cca->A, u, a));
  if (cca->B) PetscCall(MatMult(cca->B, u, b));
  else PetscCall(VecCopy(u, b));
  PetscCall(VecDot(a, u, &uau));
  PetscCall(VecDot(b, u, &ubu));
  scale         = PetscSqrtReal(PetscMax(PETSC_MIN_REAL, PetscRealPart(ubu)));
  cca->value[j] = PetscMax(0.0, PetscRealPart(uau) / PetscRealPart(ubu));
  cca->rho[j]   = cca->value[j];
  PetscCall(VecScale(u, 1.0 / scale));
  PetscCall(MatDenseRestoreColumnVec(cca->U, j, &u));
  PetscCall(VecNorm(b, NORM_2, &norm));
  PetscCall(VecAXPY(a, -cca->value[j], b));
  PetscCall(VecNorm(a, NORM_2, &cca->error[j]));
  cca->error[j] /= norm * PetscMax(cca->value[j], cca->B ? PETSC_MIN_REAL : CCA_SPECTRAL_NONE * cca->total);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the EPS has found becomes the result, without what is rounding */
static PetscErrorCode CCASpectral_GetPairs(CCA cca, PetscInt nconv)
{
  PetscInt    m, n = PetscMin(nconv, cca->k), kept = 0;
  PetscScalar lambda, largest = 0.0;
  Vec         a, b, u;

  PetscFunctionBegin;
  for (; kept < n; kept++) {
    PetscCall(EPSGetEigenvalue(cca->eps, kept, &lambda, NULL));
    if (!kept) largest = lambda;
    if (!(PetscRealPart(lambda) > CCA_SPECTRAL_NOISE * PetscMax(10, cca->d[0]) * PETSC_MACHINE_EPSILON * PetscRealPart(largest))) break;
  }
  if (kept < n) cca->reason = CCA_CONVERGED_RANK;
  if (!kept) PetscFunctionReturn(PETSC_SUCCESS);
  cca->ncols = kept;
  PetscCall(MatGetLocalSize(cca->X, NULL, &m));
  PetscCall(MatCreateDense(PetscObjectComm((PetscObject)cca), m, PETSC_DECIDE, cca->d[0], kept, NULL, &cca->U));
  PetscCall(PetscMalloc2(kept, &cca->rho, kept, &cca->error));
  PetscCall(PetscMalloc1(kept, &cca->value));
  PetscCall(MatCreateVecs(cca->A, &a, &b));
  for (PetscInt j = 0; j < kept; j++) {
    PetscCall(MatDenseGetColumnVecWrite(cca->U, j, &u));
    PetscCall(EPSGetEigenvector(cca->eps, j, u, NULL));
    PetscCall(MatDenseRestoreColumnVecWrite(cca->U, j, &u));
    PetscCall(CCASpectral_Refresh(cca, j, a, b));
  }
  PetscCall(VecDestroy(&a));
  PetscCall(VecDestroy(&b));
  while (cca->nconv < kept && cca->error[cca->nconv] <= cca->tol) cca->nconv++;
  PetscCall(CCAFixSigns_Private(cca));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCASolveSpectral_Private - Finds principal components or ratios of variances.
*/
PetscErrorCode CCASolveSpectral_Private(CCA cca)
{
  EPSConvergedReason reason;
  PetscInt           nconv;

  PetscFunctionBegin;
  if (cca->total <= 0.0) { /* nothing varies */
    cca->reason = CCA_CONVERGED_RANK;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(EPSSetOperators(cca->eps, cca->A, cca->analysis == CCA_ANALYSIS_GEV ? cca->B : NULL)); /* else it would say that it has solved this already */
  PetscCall(EPSSolve(cca->eps));
  PetscCall(EPSGetConverged(cca->eps, &nconv));
  PetscCall(EPSGetConvergedReason(cca->eps, &reason));
  PetscCall(EPSGetIterationNumber(cca->eps, &cca->its));
  if (reason > 0 && nconv >= cca->k) cca->reason = CCA_CONVERGED_TOL;
  else if (cca->stop) cca->reason = CCA_DIVERGED_USER;
  else cca->reason = reason == EPS_DIVERGED_ITS ? CCA_DIVERGED_ITS : CCA_DIVERGED_BREAKDOWN;
  PetscCall(CCASpectral_GetPairs(cca, nconv));
  if (cca->reason > 0 && cca->nconv < cca->ncols) {
    PetscCall(PetscInfo(cca, "The eigensolver has ended, but the residual of direction %" PetscInt_FMT " is %g\n", cca->nconv + 1, (double)cca->error[cca->nconv]));
    cca->reason = CCA_DIVERGED_ACCURACY;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
