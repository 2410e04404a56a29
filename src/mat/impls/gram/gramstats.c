/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Column statistics of the views of MATGRAM: means, and deviations or root mean squares, by which products are centred and
   scaled. They are computed when first needed and forgotten when the data change.
*/
#include <slepcnapi/private/gramimpl.h>

/* A deviation so much smaller than the root mean square is the rounding error of the mean: the column is constant. Larger, and
   columns of small deviations would be lost; smaller, and rounding errors would be scaled up to data. */
#define GRAM_CONSTANT (100.0 * PETSC_MACHINE_EPSILON)

/* Run number k of the stored entries of a view: a row of a sparse view, a column of a dense one */
static inline PetscBool GramViewRun(const GramView *v, PetscInt n, PetscInt k, PetscInt *first, PetscInt *last)
{
  if (k >= (v->sparse ? n : v->d)) return PETSC_FALSE;
  *first = v->sparse ? v->ia[k] : k * v->lda;
  *last  = v->sparse ? v->ia[k + 1] : *first + n;
  return PETSC_TRUE;
}

/* The weight of entry j of run k, which begins with entry first */
static inline PetscReal GramWeight(const GramData *data, const GramView *v, PetscInt k, PetscInt first, PetscInt j)
{
  const PetscReal *weight = data->weights->local;

  return weight ? weight[v->sparse ? k : j - first] : 1.0;
}

/*
   The powers of two by which the columns are divided before they are squared: of the size of their largest entry, 1 for a
   column that is zero or not finite. 2^-1000 at least and 2^1000 at most, so that 1/unit is a number too.
*/
static PetscErrorCode GramDataSetUpUnits(GramData *data)
{
  PetscMPIInt D;
  int         exponent;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(data->D, &D));
  PetscCall(PetscArrayzero(data->unit, data->D));
  for (PetscInt i = 0; i < data->nviews; i++) {
    const GramView *v    = &data->view[i];
    PetscReal      *most = data->unit + v->offset;

    for (PetscInt k = 0, first, last; GramViewRun(v, data->n, k, &first, &last); k++) {
      for (PetscInt j = first; j < last; j++) {
        const PetscInt  c = v->sparse ? v->ja[j] : k;
        const PetscReal x = PetscAbsScalar(v->a[j]);

        if ((x > most[c] || PetscIsNanReal(x)) && GramWeight(data, v, k, first, j) > 0.0) most[c] = x;
      }
    }
  }
  for (PetscInt j = 0; j < data->D; j++)
    if (PetscIsNanReal(data->unit[j])) data->unit[j] = PETSC_MAX_REAL; /* which has a place in the order */
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, data->unit, D, MPIU_REAL, MPIU_MAX, data->comm));
  for (PetscInt j = 0; j < data->D; j++) {
    if (data->unit[j] > 0.0 && !PetscIsInfReal(data->unit[j])) {
      (void)frexp((double)data->unit[j], &exponent);
      data->unit[j] = (PetscReal)ldexp(1.0, PetscMax(-1000, PetscMin(1000, exponent)));
    } else data->unit[j] = 1.0;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sums over the local samples of x_ij/unit_j and its square; r_j is 1/unit_j */
static void GramSumMoments(const GramData *data, const PetscReal *r)
{
  for (PetscInt i = 0; i < data->nviews; i++) {
    const GramView  *v    = &data->view[i];
    const PetscReal *ru   = r + v->offset;
    PetscScalar     *mean = data->mean + v->offset;
    PetscReal       *msq  = data->meansq + v->offset;

    for (PetscInt k = 0, first, last; GramViewRun(v, data->n, k, &first, &last); k++) {
      for (PetscInt j = first; j < last; j++) {
        const PetscInt    c = v->sparse ? v->ja[j] : k;
        const PetscReal   w = GramWeight(data, v, k, first, j);
        const PetscScalar x = v->a[j] * ru[c];

        mean[c] += w * x;
        msq[c] += w * PetscSqr(PetscAbsScalar(x));
      }
    }
  }
}

/*
   The same of x_ij/unit_j - mean_j. What a sparse view does not store is zero there: of how many samples is counted, since
   a difference of sums of weights would leave rounding errors of no sample at all.
*/
static PetscErrorCode GramSumDeviations(const GramData *data, const PetscReal *r, PetscScalar *rest)
{
  const PetscReal *weight  = data->weights->local;
  PetscReal        here    = 0.0, *present; /* weights of all samples here, and of those that have an entry in a column */
  PetscInt         samples = 0, *count;     /* how many these are */

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(data->D, &present, data->D, &count));
  for (PetscInt i = 0; i < data->n; i++) {
    here += weight ? weight[i] : 1.0;
    if (!weight || weight[i] > 0.0) samples++;
  }
  for (PetscInt i = 0; i < data->nviews; i++) {
    const GramView    *v    = &data->view[i];
    const PetscReal   *ru   = r + v->offset;
    const PetscScalar *mean = data->mean + v->offset;
    PetscReal         *var  = data->var + v->offset;
    PetscScalar       *left = rest + v->offset;

    for (PetscInt k = 0, first, last; GramViewRun(v, data->n, k, &first, &last); k++) {
      for (PetscInt j = first; j < last; j++) {
        const PetscInt    c = v->sparse ? v->ja[j] : k;
        const PetscReal   w = GramWeight(data, v, k, first, j);
        const PetscScalar x = v->a[j] * ru[c] - mean[c];

        var[c] += w * PetscSqr(PetscAbsScalar(x));
        left[c] += w * x;
        present[v->offset + c] += w;
        if (w > 0.0) count[v->offset + c]++;
      }
    }
    for (PetscInt k = 0; k < v->d; k++) { /* the samples that have a zero there */
      const PetscReal zeros = count[v->offset + k] < samples ? PetscMax(0.0, here - present[v->offset + k]) : 0.0;

      var[k] += zeros * PetscSqr(PetscAbsScalar(mean[k]));
      left[k] -= zeros * mean[k];
    }
  }
  PetscCall(PetscFree2(present, count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   GramDataSetUpStatistics - Mean, mean square and variance of every column, on every rank. The variance takes a second
   sweep, over x_ij - mean_j: from the mean square it would lose all digits where the mean is large. The same sweep tells how
   wrong the mean is, which for many samples is more than a constant column should be left with.
*/
PetscErrorCode GramDataSetUpStatistics(GramData *data)
{
  PetscReal    rn = GramShare(data), *r;
  PetscScalar *rest;
  PetscMPIInt  D;

  PetscFunctionBegin;
  PetscCall(GramDataUpdate(data));
  if (data->havestats) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMPIIntCast(data->D, &D));
  if (!data->mean) PetscCall(PetscMalloc4(data->D, &data->mean, data->D, &data->unit, data->D, &data->meansq, data->D, &data->var));
  PetscCall(PetscArrayzero(data->mean, data->D));
  PetscCall(PetscArrayzero(data->meansq, data->D));
  PetscCall(PetscArrayzero(data->var, data->D));
  PetscCall(PetscCalloc2(data->D, &r, data->D, &rest));
  PetscCall(GramDataGetRows(data));
  PetscCall(GramDataSetUpUnits(data));
  for (PetscInt j = 0; j < data->D; j++) r[j] = 1.0 / data->unit[j];
  GramSumMoments(data, r);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, data->mean, D, MPIU_SCALAR, MPIU_SUM, data->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, data->meansq, D, MPIU_REAL, MPIU_SUM, data->comm));
  for (PetscInt j = 0; j < data->D; j++) {
    data->mean[j] *= rn;
    data->meansq[j] *= rn;
  }
  PetscCall(GramSumDeviations(data, r, rest));
  PetscCall(GramDataRestoreRows(data));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, data->var, D, MPIU_REAL, MPIU_SUM, data->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, rest, D, MPIU_SCALAR, MPIU_SUM, data->comm));
  for (PetscInt j = 0; j < data->D; j++) {
    rest[j] *= rn;
    data->var[j]  = PetscMax(0.0, rn * data->var[j] - PetscSqr(PetscAbsScalar(rest[j]))) + 0.0 * data->var[j]; /* NaN stays NaN */
    data->mean[j] = (data->mean[j] + rest[j]) * data->unit[j];
    if (data->var[j] <= PetscSqr(GRAM_CONSTANT) * data->meansq[j]) data->var[j] = 0.0;
  }
  PetscCall(PetscFree2(r, rest));
  data->havestats = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   GramScale - What column j of a scaled operator is multiplied by: one over its standard deviation (centred) or root mean
   square. A constant column is taken off with its mean: what rounding leaves of it must not be taken for data.
*/
PetscReal GramScale(const GramData *data, PetscBool center, PetscInt j)
{
  PetscReal square = center ? data->var[j] : data->meansq[j];

  if (square == 0.0) return center ? 0.0 : 1.0;
  return 1.0 / (PetscSqrtReal(square) * data->unit[j]);
}

/*
   GramFactor - What column j, counted as a row of the operator, of a view is multiplied by.
*/
PetscReal GramFactor(const Mat_Gram *g, PetscInt view, PetscInt j)
{
  return g->scale[view] ? g->factor[view] * GramScale(g->data, g->center, j) : g->factor[view];
}

/*
   GramHasFactors - Whether any of these is not 1.
*/
PetscBool GramHasFactors(const Mat_Gram *g, PetscInt view)
{
  return (PetscBool)(g->scale[view] || g->factor[view] != 1.0);
}

/*
   MatGramGetFactors_Private - All of these for a view.
*/
PetscErrorCode MatGramGetFactors_Private(Mat G, PetscInt view, PetscReal factors[])
{
  Mat_Gram *g = NULL;
  GramView *v = NULL;

  PetscFunctionBegin;
  PetscCall(GramGetView(G, view, &g, &v));
  PetscCall(GramUpdate(g));
  for (PetscInt j = 0; j < v->d; j++) factors[j] = GramFactor(g, view, v->offset + j);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   MatGramSetFactor_Private - Multiplies all columns of a view by a number, besides their own scales: another unit.
*/
PetscErrorCode MatGramSetFactor_Private(Mat G, PetscInt view, PetscReal factor)
{
  Mat_Gram *g = NULL;
  GramView *v = NULL;

  PetscFunctionBegin;
  PetscCall(GramGetView(G, view, &g, &v));
  g->factor[view] = factor;
  PetscCall(PetscObjectStateIncrease((PetscObject)G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   MatGramGetSpread_Private - The root of the mean variance of the columns of a view (mean square, if it is not centred), as the
   operator sees them, of any size as long as it is a number itself.
*/
PetscErrorCode MatGramGetSpread_Private(Mat G, PetscInt view, PetscReal *spread)
{
  Mat_Gram  *g = NULL;
  GramView  *v = NULL;
  PetscReal *deviation, largest = 0.0, sum = 0.0;

  PetscFunctionBegin;
  PetscCall(GramGetView(G, view, &g, &v));
  PetscCall(GramDataSetUpStatistics(g->data));
  PetscCall(PetscMalloc1(v->d, &deviation));
  for (PetscInt k = 0; k < v->d; k++) {
    const PetscInt j = v->offset + k;

    deviation[k] = GramFactor(g, view, j) * g->data->unit[j] * PetscSqrtReal(g->center ? g->data->var[j] : g->data->meansq[j]);
    if (!(deviation[k] <= largest)) largest = deviation[k]; /* NaN, too */
  }
  for (PetscInt k = 0; k < v->d && largest > 0.0; k++) sum += PetscSqr(deviation[k] / largest);
  *spread = largest > 0.0 ? largest * PetscSqrtReal(sum / (PetscReal)v->d) : largest;
  PetscCall(PetscFree(deviation));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   MatGramGetSquares_Private - The squared norms of the local samples of a view, as the operator sees them but for weights: centred,
   scaled.
*/
PetscErrorCode MatGramGetSquares_Private(Mat G, PetscInt view, PetscReal squares[])
{
  Mat_Gram *g    = NULL;
  GramView *v    = NULL;
  PetscReal zero = 0.0; /* of a sample without any entry */

  PetscFunctionBegin;
  PetscCall(GramGetView(G, view, &g, &v));
  PetscCall(GramUpdate(g));
  PetscCall(GramDataGetRows(g->data));
  for (PetscInt j = 0; j < v->d && v->sparse && g->center; j++) zero += PetscSqr(PetscAbsScalar(GramFactor(g, view, v->offset + j) * g->data->mean[v->offset + j]));
  for (PetscInt i = 0; i < g->data->n; i++) squares[i] = zero;
  for (PetscInt k = 0, first, last; GramViewRun(v, g->data->n, k, &first, &last); k++) {
    for (PetscInt j = first; j < last; j++) {
      const PetscInt    c = v->offset + (v->sparse ? v->ja[j] : k), i = v->sparse ? k : j - first;
      const PetscScalar m = g->center ? g->data->mean[c] : 0.0;
      const PetscReal   f = GramFactor(g, view, c);

      squares[i] += PetscSqr(PetscAbsScalar(f * (v->a[j] - m)));
      if (v->sparse) squares[i] -= PetscSqr(PetscAbsScalar(f * m)); /* which is in zero */
    }
  }
  PetscCall(GramDataRestoreRows(g->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   GramUpdate - Makes local rows, and means and scales where an operator needs them, those of the data as they are now.
*/
PetscErrorCode GramUpdate(Mat_Gram *g)
{
  PetscFunctionBegin;
  PetscCall(GramDataUpdate(g->data));
  if (g->center || g->scale[0] || g->scale[1]) PetscCall(GramDataSetUpStatistics(g->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
   MatGramGetMeans - Copies the means of the columns of a view, which are taken off if the operator is centred.

   Collective

   Input Parameters:
+  G    - the operator
-  view - 0 for X, 1 for Y

   Output Parameter:
.  means - array of as many numbers as the view has columns, the same on every rank

   Level: advanced

.seealso: MATGRAM, MatGramSetCentering(), MatGramGetScales(), MatGramGetLocalRows()
@*/
PetscErrorCode MatGramGetMeans(Mat G, PetscInt view, PetscScalar means[])
{
  Mat_Gram *g = NULL;
  GramView *v = NULL;

  PetscFunctionBegin;
  PetscCall(GramGetView(G, view, &g, &v));
  PetscAssertPointer(means, 3);
  PetscCall(GramDataSetUpStatistics(g->data));
  PetscCall(PetscArraycpy(means, g->data->mean + v->offset, v->d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
   MatGramGetScales - Copies the factors by which the columns of a view are multiplied if the operator is scaled.

   Collective

   Input Parameters:
+  G    - the operator
-  view - 0 for X, 1 for Y

   Output Parameter:
.  scales - array of as many numbers as the view has columns, the same on every rank

   Level: advanced

   Note:
   One over the standard deviation if the operator is centred, otherwise over the root mean square; where that is zero, 0 if
   the operator is centred (a constant column, of which rounding would be left) and 1 otherwise. If only the other view is
   scaled, see MatGramSetViewScaling(), all are 1.

.seealso: MATGRAM, MatGramSetScaling(), MatGramGetMeans(), MatGramGetLocalRows()
@*/
PetscErrorCode MatGramGetScales(Mat G, PetscInt view, PetscReal scales[])
{
  Mat_Gram *g = NULL;
  GramView *v = NULL;
  PetscBool other;

  PetscFunctionBegin;
  PetscCall(GramGetView(G, view, &g, &v));
  PetscAssertPointer(scales, 3);
  PetscCall(GramDataSetUpStatistics(g->data));
  other = (PetscBool)(g->data->nviews > 1 && g->scale[1 - view] && !g->scale[view]);
  for (PetscInt j = 0; j < v->d; j++) scales[j] = other ? 1.0 : GramScale(g->data, g->center, v->offset + j);
  PetscFunctionReturn(PETSC_SUCCESS);
}
