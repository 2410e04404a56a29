/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA: the bootstrap, which tells how far correlations would scatter if other samples had been drawn.

   A bootstrap sample has as many samples as there are, drawn with replacement: weights that are counts, so that no data are copied. Each
   is solved by an object of its own, with the settings of the user's and from its directions.
*/
#include <slepcnapi/private/ccaimpl.h>
#include <stdint.h>

/* Residual to which bootstrap samples are solved: correlations are then known to about its square, the scatter is to two digits */
#define CCA_BOOTSTRAP_TOL 1e-4

/* 64 random bits for draw i of bootstrap sample b: the same on any number of ranks (the finaliser of splitmix64, twice; see src/pc/impls/sketch) */
static uint64_t CCABootstrap_Random(PetscInt seed, PetscInt b, PetscInt i)
{
  uint64_t z = ((uint64_t)seed + 1) * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)b;

  for (int round = 0; round < 2; round++) {
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z = (z ^ (z >> 31)) + (round ? 0 : ((uint64_t)i + 1) * UINT64_C(0x9e3779b97f4a7c15));
  }
  return z;
}

/*@
   CCAGetBootstrapWeights - Gets the weights of a bootstrap sample: how often each sample was drawn, times its weight if it has one.

   Collective

   Input Parameters:
+  cca  - the object, with its data
.  seed - of the random numbers
.  b    - number of the bootstrap sample, from 0
-  w    - a vector for as many numbers as there are samples, distributed like the rows of the data

   Level: advanced

   Note:
   Samples of weight zero are never drawn. The numbers are the same on any number of ranks.

.seealso: CCABootstrap(), CCASetWeights()
@*/
PetscErrorCode CCAGetBootstrapWeights(CCA cca, PetscInt seed, PetscInt b, Vec w)
{
  const PetscScalar *given = NULL;
  PetscScalar       *weight;
  PetscInt          *mine, n, rows, m = 0, total, first; /* the local samples with a weight, how many there are, and in all, and before these */

  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscValidHeaderSpecific(w, VEC_CLASSID, 4);
  PetscCheck(cca->X, PetscObjectComm((PetscObject)cca), PETSC_ERR_ORDER, "There are no data yet: call CCASetData() first");
  PetscCall(VecGetLocalSize(w, &n));
  PetscCall(MatGetLocalSize(cca->X, &rows, NULL));
  PetscCheck(n == rows, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "The vector has %" PetscInt_FMT " local numbers for %" PetscInt_FMT " local samples: create it by MatCreateVecs(X,NULL,&w)", n, rows);
  PetscCall(PetscMalloc1(n, &mine));
  if (cca->weights) PetscCall(VecGetArrayRead(cca->weights, &given));
  for (PetscInt i = 0; i < n; i++)
    if (!given || PetscRealPart(given[i]) > 0.0) mine[m++] = i;
  PetscCallMPI(MPI_Allreduce(&m, &total, 1, MPIU_INT, MPI_SUM, PetscObjectComm((PetscObject)cca)));
  PetscCallMPI(MPI_Scan(&m, &first, 1, MPIU_INT, MPI_SUM, PetscObjectComm((PetscObject)cca)));
  first -= m;
  PetscCall(VecSet(w, 0.0));
  PetscCall(VecGetArray(w, &weight));
  for (PetscInt i = 0; i < total; i++) {
    const uint64_t bits = CCABootstrap_Random(seed, b, i);
    const PetscInt s    = (PetscInt)(((bits >> 32) * (uint64_t)total) >> 32) - first; /* a number below total from 32 bits */

    if (s >= 0 && s < m) weight[mine[s]] += 1.0;
  }
  for (PetscInt i = 0; i < n && given; i++) weight[i] *= PetscRealPart(given[i]);
  PetscCall(VecRestoreArray(w, &weight));
  if (cca->weights) PetscCall(VecRestoreArrayRead(cca->weights, &given));
  PetscCall(PetscFree(mine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An object for the bootstrap samples: the options of the user's, which are those of inner solvers too, but for what it would print */
static PetscErrorCode CCABootstrap_Create(CCA cca, CCA *own)
{
  const char *prefix;

  PetscFunctionBegin;
  PetscCall(CCACreate(PetscObjectComm((PetscObject)cca), own));
  PetscCall(CCAGetOptionsPrefix(cca, &prefix));
  PetscCall(CCASetOptionsPrefix(*own, prefix));
  PetscCall(CCASetType(*own, ((PetscObject)cca)->type_name));
  if (cca->optionsread) PetscCall(CCASetFromOptions(*own));
  PetscCall(CCAMonitorCancel(*own));
  (*own)->quiet  = PETSC_TRUE;
  (*own)->leader = cca;
  PetscCall(CCASetData(*own, cca->X, cca->Y));
  PetscCall(CCASetDimensions(*own, cca->ncols));
  PetscCall(CCASetCentering(*own, cca->center));
  PetscCall(CCASetScaling(*own, cca->scale));
  if (cca->shrunk) PetscCall(CCASetShrinkage(*own, cca->shrinkageused[0], cca->shrinkageused[1]));
  else PetscCall(CCASetRegularization(*own, cca->absolute[0], cca->absolute[1]));
  PetscCall(CCASetTolerances(*own, PetscMax(cca->tol, CCA_BOOTSTRAP_TOL), cca->max_it));
  PetscCall(CCASetInitialDirections(*own, cca->U, cca->V));
  PetscCall(CCASetCheck(*own, CCA_CHECK_NONE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCAResetBootstrap_Private - Forgets the last one.
*/
PetscErrorCode CCAResetBootstrap_Private(CCA cca)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(cca->bootstrap.pearson, cca->bootstrap.rho));
  cca->bootstrap.n = cca->bootstrap.failed = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCABootstrap - Solves for samples that are drawn, with replacement, from those of the data: how far do the correlations scatter?

   Collective

   Input Parameters:
+  cca     - the object, after CCASolve()
.  samples - how many bootstrap samples; 200 are enough for a standard deviation, 1000 for intervals
-  seed    - of the random numbers: the same seed gives the same samples, on any number of ranks

   Level: intermediate

   Notes:
   Each bootstrap sample has as many samples as the data (those with a positive weight), some of them more than once: weights that are integers, times the
   weights of CCASetWeights() if there are any. Number of pairs, centring, scaling, regularisation (the estimate, where the shrinkage is
   CCA_SHRINKAGE_AUTO) and type are those of the object, whose directions are the first ones; the residuals are 1e-4 or the tolerance of the object, whichever is larger,
   and nothing is checked besides.

   If it is stopped, see CCASetStopFunction(), there are the samples that were solved by then, which CCAGetBootstrap() counts.

   The solution of the object stays. Results are there until the next CCASolve() or change of settings.

   Pair i of a bootstrap sample is the one with the i-th largest canonical correlation there, whatever its directions. Correlations are
   larger on the samples they were made from than in truth, and those of bootstrap samples are larger still: an interval tells the
   scatter, and is no test. Few samples and many variables make it useless; see CCASetShrinkage().

.seealso: CCAGetBootstrap(), CCAGetBootstrapInterval(), CCASetWeights(), CCASetStopFunction()
@*/
PetscErrorCode CCABootstrap(CCA cca, PetscInt samples, PetscInt seed)
{
  const PetscReal none = NAN;
  Vec             w;
  CCA             own;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscValidLogicalCollectiveInt(cca, samples, 2);
  PetscValidLogicalCollectiveInt(cca, seed, 3);
  CCACheckCorrelations(cca, "The bootstrap");
  PetscCheck(samples > 1, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_OUTOFRANGE, "There must be at least 2 bootstrap samples, not %" PetscInt_FMT, samples);
  PetscCall(CCAGetDirections(cca, NULL, NULL)); /* are there any? */
  PetscCall(CCAResetBootstrap_Private(cca));
  PetscCall(PetscMalloc2(samples * cca->ncols, &cca->bootstrap.pearson, samples * cca->ncols, &cca->bootstrap.rho));
  cca->stop = PETSC_FALSE;
  PetscCall(MatCreateVecs(cca->X, NULL, &w));
  PetscCall(CCABootstrap_Create(cca, &own));
  for (PetscInt b = 0; b < samples; b++) {
    PetscCall(CCAPoll_Private(cca));
    if (cca->stop) break;
    PetscCall(CCAGetBootstrapWeights(cca, seed, b, w));
    PetscCall(CCASetWeights(own, w));
    PetscCall(CCASolve(own));
    if (cca->stop) break; /* whatever it has, nobody knows what it would have had */
    cca->bootstrap.n++;
    if (own->reason < 0) cca->bootstrap.failed++;
    for (PetscInt i = 0; i < cca->ncols; i++) { /* a pair that the sample does not have is uncorrelated */
      cca->bootstrap.rho[b * cca->ncols + i]     = own->reason < 0 ? none : i < own->ncols ? own->rho[i] : 0.0;
      cca->bootstrap.pearson[b * cca->ncols + i] = own->reason < 0 ? none : i < own->ncols ? own->pearson[i] : 0.0;
    }
  }
  PetscCall(PetscInfo(cca, "%" PetscInt_FMT " of %" PetscInt_FMT " bootstrap samples were not solved\n", cca->bootstrap.failed, cca->bootstrap.n));
  PetscCall(CCADestroy(&own));
  PetscCall(VecDestroy(&w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
   CCAGetBootstrap - Gets the correlations of all bootstrap samples.

   Not Collective

   Input Parameter:
.  cca - the object, after CCABootstrap()

   Output Parameters:
+  samples - how many there are: as many as were asked for, or fewer if it was stopped
.  failed  - of how many the solution has not converged; their correlations are NaN
.  pearson - Pearson's correlation of the scores of pair i in sample b, in place b*k + i, k being the number of pairs that were found
-  rho     - the same for the canonical correlations

   Level: advanced

   Note:
   Any of them may be NULL. The arrays belong to the object.

.seealso: CCABootstrap(), CCAGetBootstrapInterval()
@*/
PetscErrorCode CCAGetBootstrap(CCA cca, PetscInt *samples, PetscInt *failed, const PetscReal *pearson[], const PetscReal *rho[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscCheck(cca->bootstrap.rho, PetscObjectComm((PetscObject)cca), PETSC_ERR_ORDER, "There are no bootstrap samples yet: call CCABootstrap() first");
  if (samples) *samples = cca->bootstrap.n;
  if (failed) *failed = cca->bootstrap.failed;
  if (pearson) *pearson = cca->bootstrap.pearson;
  if (rho) *rho = cca->bootstrap.rho;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The quantile of n sorted numbers, by linear interpolation between them */
static PetscReal CCABootstrap_Quantile(PetscInt n, const PetscReal sorted[], PetscReal q)
{
  const PetscReal at = q * (PetscReal)(n - 1);
  const PetscInt  i  = PetscMin(n - 2, (PetscInt)at);

  return n < 2 ? sorted[0] : sorted[i] + (at - (PetscReal)i) * (sorted[i + 1] - sorted[i]);
}

/*@
   CCAGetBootstrapInterval - Gets the interval in which the correlations of a pair lie for most of the bootstrap samples.

   Not Collective

   Input Parameters:
+  cca   - the object, after CCABootstrap()
.  i     - number of the pair, from 0
-  level - the share of samples in it, between 0 and 1: 0.95 for the quantiles 0.025 and 0.975

   Output Parameters:
+  low     - its lower end, for Pearson's correlation of the scores
.  high    - its upper end
.  rholow  - the lower end for the canonical correlation
-  rhohigh - its upper end

   Level: intermediate

   Notes:
   Any of them may be NULL. Samples whose solution has not converged are left out; see CCABootstrap() for what an interval tells.

.seealso: CCABootstrap(), CCAGetBootstrap()
@*/
PetscErrorCode CCAGetBootstrapInterval(CCA cca, PetscInt i, PetscReal level, PetscReal *low, PetscReal *high, PetscReal *rholow, PetscReal *rhohigh)
{
  PetscReal *ends[2][2] = {
    {low,    high   },
    {rholow, rhohigh}
  };
  PetscReal *sorted, rho;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscCheck(cca->bootstrap.rho, PetscObjectComm((PetscObject)cca), PETSC_ERR_ORDER, "There are no bootstrap samples yet: call CCABootstrap() first");
  PetscCheck(level > 0.0 && level < 1.0, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_OUTOFRANGE, "The level must be between 0 and 1, not %g", (double)level);
  PetscCheck(cca->bootstrap.failed < cca->bootstrap.n, PetscObjectComm((PetscObject)cca), PETSC_ERR_NOT_CONVERGED, "No bootstrap sample was solved: allow more iterations by -cca_max_it, or use another -cca_type");
  PetscCall(CCAGetCorrelation(cca, i, &rho)); /* is there such a pair? */
  PetscCall(PetscMalloc1(cca->bootstrap.n, &sorted));
  for (int which = 0; which < 2; which++) {
    const PetscReal *all = which ? cca->bootstrap.rho : cca->bootstrap.pearson;
    PetscInt         n   = 0;

    for (PetscInt b = 0; b < cca->bootstrap.n; b++)
      if (!PetscIsNanReal(all[b * cca->ncols + i])) sorted[n++] = all[b * cca->ncols + i];
    PetscCall(PetscSortReal(n, sorted));
    for (int end = 0; end < 2; end++)
      if (ends[which][end]) *ends[which][end] = CCABootstrap_Quantile(n, sorted, end ? 0.5 + 0.5 * level : 0.5 - 0.5 * level);
  }
  PetscCall(PetscFree(sorted));
  PetscFunctionReturn(PETSC_SUCCESS);
}
