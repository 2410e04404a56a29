/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA: Fisher's discriminant analysis. With the covariance within the classes Sw, that between them Sb and S11 = Sb + Sw + r I, the directions
   that separate the classes best satisfy

     Sb u = value (Sw + r I) u    or    Sb u = rho^2 S11 u,   value = rho^2/(1 - rho^2),

   and the second one is canonical correlation analysis with Y the indicators of all classes but the last (whose indicator is what the others
   leave of one), without ridge: S12 S22^{-1} S12' = Sb. In the end the directions are normalised by u'(Sw + r I)u = 1, which
   makes the distance of a score from the mean of a class the one that counts for classification; and values are computed from the scores, since
   1 - rho^2 has few digits where the classes are far apart.
*/
#include <slepcnapi/private/ccaimpl.h>

/*
   CCAResetClasses_Private - Forgets the classes.
*/
PetscErrorCode CCAResetClasses_Private(CCA cca)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(cca->label));
  cca->nclasses = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A class for each row of X, none of them empty */
static PetscErrorCode CCALDA_CheckLabels(CCA cca, PetscInt n, PetscInt nclasses, const PetscInt label[])
{
  MPI_Comm  comm  = PetscObjectComm((PetscObject)cca);
  PetscInt *count = NULL, wrong = 0, empty = -1;

  PetscFunctionBegin;
  PetscCheck(nclasses > 1, comm, PETSC_ERR_ARG_OUTOFRANGE, "With %" PetscInt_FMT " class there is nothing to tell apart: two are needed", nclasses);
  PetscCall(PetscCalloc1(nclasses, &count));
  for (PetscInt i = 0; i < n; i++) {
    if (label[i] < 0 || label[i] >= nclasses) wrong = 1;
    else count[label[i]]++;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPIU_INT, MPI_MAX, comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, count, (PetscMPIInt)nclasses, MPIU_INT, MPI_SUM, comm));
  for (PetscInt c = 0; c < nclasses && empty < 0; c++)
    if (!count[c]) empty = c;
  PetscCall(PetscFree(count));
  PetscCheck(!wrong, comm, PETSC_ERR_ARG_OUTOFRANGE, "A label is not the number of a class: they go from 0 to %" PetscInt_FMT, nclasses - 1);
  PetscCheck(empty < 0, comm, PETSC_ERR_ARG_WRONG, "Class %" PetscInt_FMT " has no sample: number the classes without gaps", empty);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
   CCASetClasses - Gives samples and the class of each, for Fisher's discriminant analysis.

   Collective

   Input Parameters:
+  cca      - the object
.  X        - the samples, a row each
.  nclasses - how many classes there are
-  label    - for each local row of X its class, from 0 to nclasses - 1

   Level: beginner

   Notes:
   This sets the analysis to CCA_ANALYSIS_LDA and takes the place of CCASetData(). The directions u_i maximise the variance between the
   classes over that within them, Sb u = value (Sw + r I) u, and there are nclasses - 1 of them at most: CCASetDimensions(). They are
   normalised by u'(Sw + r I)u = 1. CCAGetValue() has the values, CCAGetCorrelation() the correlations rho of the scores with the
   classes, value = rho^2/(1 - rho^2).

   The ridge, or shrinkage, of X is the one that CCASetRegularization() or CCASetShrinkage() set: r I is added to the total covariance, of which the mean
   variance is taken, and so to Sw alone. The classes have none. Classes count by their share of the samples (their weights).

   V are directions of the indicators of all classes but the last, which has been left out because the others determine it.

.seealso: CCASetAnalysis(), CCAGetClasses(), CCAPredictClasses(), CCAGetValue()
@*/
PetscErrorCode CCASetClasses(CCA cca, Mat X, PetscInt nclasses, const PetscInt label[])
{
  PetscInt  n, N, first, *kept;
  PetscBool known;
  Mat       Y;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscValidHeaderSpecific(X, MAT_CLASSID, 2);
  PetscValidLogicalCollectiveInt(cca, nclasses, 3);
  PetscCall(MatGetSize(X, &N, NULL));
  PetscCall(MatGetLocalSize(X, &n, NULL));
  if (n) PetscAssertPointer(label, 4);
  PetscCall(CCALDA_CheckLabels(cca, n, nclasses, label));
  PetscCall(MatCreateAIJ(PetscObjectComm((PetscObject)cca), n, PETSC_DECIDE, N, nclasses - 1, 1, NULL, 1, NULL, &Y));
  PetscCall(MatGetOwnershipRange(Y, &first, NULL));
  for (PetscInt i = 0; i < n; i++)
    if (label[i] < nclasses - 1) PetscCall(MatSetValue(Y, first + i, label[i], 1.0, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(Y, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(Y, MAT_FINAL_ASSEMBLY));
  PetscCall(PetscMalloc1(n, &kept));
  PetscCall(PetscArraycpy(kept, label, n));
  known = (PetscBool)(cca->analysis == CCA_ANALYSIS_LDA);
  if (known) PetscCall(CCASetAnalysis(cca, CCA_ANALYSIS_CCA));
  PetscCall(CCASetData(cca, X, Y));
  PetscCall(MatDestroy(&Y));
  PetscCall(CCASetAnalysis(cca, CCA_ANALYSIS_LDA));
  cca->nclasses = nclasses;
  cca->label    = kept;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Shares and mean scores of the classes, k numbers a class, and the variances of the scores within them */
static PetscErrorCode CCALDA_ClassStatistics(CCA cca, Mat S, PetscReal within[])
{
  const PetscInt     K = cca->nclasses, k = cca->ncols;
  const PetscScalar *s, *w                = NULL;
  PetscInt           n, ld;
  PetscReal          total = 0.0;
  MPI_Comm           comm  = PetscObjectComm((PetscObject)cca);

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(S, &n, NULL));
  PetscCall(MatDenseGetLDA(S, &ld));
  PetscCall(MatDenseGetArrayRead(S, &s));
  if (cca->weights) PetscCall(VecGetArrayRead(cca->weights, &w));
  for (PetscInt i = 0; i < n; i++) {
    const PetscReal weight = w ? PetscRealPart(w[i]) : 1.0;
    PetscScalar    *mean   = cca->classmean + cca->label[i] * k;

    cca->prior[cca->label[i]] += weight;
    for (PetscInt j = 0; j < k; j++) mean[j] += weight * s[i + j * ld];
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, cca->prior, (PetscMPIInt)K, MPIU_REAL, MPIU_SUM, comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, cca->classmean, (PetscMPIInt)(K * k), MPIU_SCALAR, MPIU_SUM, comm));
  for (PetscInt c = 0; c < K; c++) {
    total += cca->prior[c];
    for (PetscInt j = 0; j < k; j++) cca->classmean[c * k + j] = cca->prior[c] > 0.0 ? cca->classmean[c * k + j] / cca->prior[c] : 0.0;
  }
  for (PetscInt c = 0; c < K; c++) cca->prior[c] /= total;
  PetscCall(PetscArrayzero(within, k));
  for (PetscInt i = 0; i < n; i++) {
    const PetscReal    share = (w ? PetscRealPart(w[i]) : 1.0) / total;
    const PetscScalar *mean  = cca->classmean + cca->label[i] * k;

    for (PetscInt j = 0; j < k; j++) within[j] += share * PetscSqr(PetscAbsScalar(s[i + j * ld] - mean[j]));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, within, (PetscMPIInt)k, MPIU_REAL, MPIU_SUM, comm));
  if (cca->weights) PetscCall(VecRestoreArrayRead(cca->weights, &w));
  PetscCall(MatDenseRestoreArrayRead(S, &s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCAFinishLDA_Private - Canonical directions become discriminants: values, class means, and the normalisation. A direction in which nothing varies
   within the classes cannot be normalised: it, and what follows, is no result.
*/
PetscErrorCode CCAFinishLDA_Private(CCA cca)
{
  const PetscInt K = cca->nclasses, k = cca->ncols;
  PetscReal     *within, ridge, norm, between, scale;
  Vec            u;
  Mat            S;

  PetscFunctionBegin;
  if (!k) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(k, &within));
  PetscCall(PetscMalloc1(k, &cca->value));
  PetscCall(PetscCalloc2(K, &cca->prior, K * k, &cca->classmean));
  PetscCall(CCATransform(cca, NULL, NULL, &S, NULL));
  PetscCall(CCALDA_ClassStatistics(cca, S, within));
  PetscCall(MatDestroy(&S));
  PetscCall(CCAGetRegularization(cca, &ridge, NULL));
  for (PetscInt j = 0; j < k; j++) {
    PetscCall(MatDenseGetColumnVec(cca->U, j, &u));
    PetscCall(VecNorm(u, NORM_2, &norm));
    between = 0.0;
    for (PetscInt c = 0; c < K; c++) between += cca->prior[c] * PetscSqr(PetscAbsScalar(cca->classmean[c * k + j]));
    within[j] += ridge * norm * norm;
    if (within[j] > cca->d[0] * PETSC_MACHINE_EPSILON * between) {
      scale         = 1.0 / PetscSqrtReal(within[j]);
      cca->value[j] = between / within[j];
    } else {
      PetscCall(PetscInfo(cca, "Discriminant %" PetscInt_FMT " does not vary within the classes at all: a shrinkage is needed\n", j + 1));
      scale         = 1.0;
      cca->value[j] = PETSC_INFINITY;
      cca->reason   = CCA_DIVERGED_BREAKDOWN;
      cca->nconv    = PetscMin(cca->nconv, j);
    }
    PetscCall(VecScale(u, scale));
    PetscCall(MatDenseRestoreColumnVec(cca->U, j, &u));
    for (PetscInt c = 0; c < K; c++) cca->classmean[c * k + j] *= scale;
  }
  PetscCall(PetscFree(within));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
   CCAGetClasses - Gets what is known of the classes after a discriminant analysis.

   Not Collective

   Input Parameter:
.  cca - the object

   Output Parameters:
+  nclasses - how many classes there are
.  prior    - the share of each class, in the samples or their weights
-  mean     - the mean scores of the classes, as many numbers as there are directions for the first class, then for the next; any of these may be NULL

   Level: intermediate

   Note:
   The arrays belong to the object, and are valid until the next CCASolve() or change of settings.

.seealso: CCASetClasses(), CCAPredictClasses()
@*/
PetscErrorCode CCAGetClasses(CCA cca, PetscInt *nclasses, const PetscReal *prior[], const PetscScalar *mean[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscCheck(cca->analysis == CCA_ANALYSIS_LDA, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_WRONGSTATE, "There are no classes: call CCASetClasses() and CCASolve() first");
  PetscCall(CCAGetDirections(cca, NULL, NULL)); /* is there a solution? */
  if (nclasses) *nclasses = cca->nclasses;
  if (prior) *prior = cca->prior;
  if (mean) *mean = cca->classmean;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
   CCAPredictClasses - Predicts the classes of samples from their scores.

   Not Collective

   Input Parameters:
+  S        - the scores, such as those of CCATransform(), dense, a row for each sample
.  nclasses - how many classes there are
.  prior    - the share of each
-  mean     - their mean scores, as CCAGetClasses() gives them

   Output Parameter:
.  label - for each local row of S the class, from 0 on

   Level: intermediate

   Note:
   It is the class c with the least ||s - mean_c||^2/2 - log prior_c: the most probable one if the classes are normally distributed with the same
   covariance Sw + r I. Of several that are equal, the first.

.seealso: CCASetClasses(), CCAGetClasses(), CCATransform()
@*/
PetscErrorCode CCAPredictClasses(Mat S, PetscInt nclasses, const PetscReal prior[], const PetscScalar mean[], PetscInt label[])
{
  const PetscScalar *s;
  PetscInt           n, k, ld;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(S, MAT_CLASSID, 1);
  PetscCall(MatGetLocalSize(S, &n, NULL));
  PetscCall(MatGetSize(S, NULL, &k));
  PetscCall(MatDenseGetLDA(S, &ld));
  PetscCall(MatDenseGetArrayRead(S, &s));
  for (PetscInt i = 0; i < n; i++) {
    PetscReal least = PETSC_INFINITY;

    label[i] = 0;
    for (PetscInt c = 0; c < nclasses; c++) {
      PetscReal distance = 0.0;

      if (!(prior[c] > 0.0)) continue;
      for (PetscInt j = 0; j < k; j++) distance += PetscSqr(PetscAbsScalar(s[i + j * ld] - mean[c * k + j]));
      distance = 0.5 * distance - PetscLogReal(prior[c]);
      if (distance < least) {
        least    = distance;
        label[i] = c;
      }
    }
  }
  PetscCall(MatDenseRestoreArrayRead(S, &s));
  PetscFunctionReturn(PETSC_SUCCESS);
}
