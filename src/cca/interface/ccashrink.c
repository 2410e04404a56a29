/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA: shrinkage, the regularisation that has no units.

   The covariance of a view becomes (1 - s) Sigma + s tau I, tau = tr(Sigma)/d being the mean variance of its columns. With S12 shrunk
   by the square root of (1 - s)(1 - t) the correlations are those of

     S11 = Sigma + r I,   r = s tau/(1 - s),

   with S12 as it is, and the directions differ by a factor. So a shrinkage is a ridge that goes with the data. Inside, the
   view is divided by tau^{1/2}: then r = s/(1 - s), and nothing depends on the unit of the view, not even when a pair has converged.
*/
#include <slepcnapi/private/ccaimpl.h>
#include <slepcnapi/private/gramimpl.h>
#include <stdlib.h>
#include <string.h>

#define CCA_SHRINK_MOST  4000 /* columns, or samples, up to which Ledoit and Wolf's estimate is computed: as many products */
#define CCA_SHRINK_BLOCK 32   /* samples that are multiplied together */

/*@
   CCASetShrinkage - Sets how far the covariances are drawn towards multiples of the identity, a regularisation without units.

   Logically Collective

   Input Parameters:
+  cca - the object
.  s1  - for X, at least 0 and less than 1, or CCA_SHRINKAGE_AUTO for Ledoit and Wolf's estimate
-  s2  - for Y

   Options Database Key:
.  -cca_shrinkage <s> or <s1,s2> - sets them, both at once if one is given; auto for an estimate

   Level: beginner

   Notes:
   The default is 1e-3 for both. The covariance Sigma of a view, with d columns, becomes (1-s) Sigma + s tau I with tau = tr(Sigma)/d,
   the mean variance of its columns: the same directions as those of the ridge s tau/(1-s), which CCAGetRegularization() gives,
   and the same correlations if S12 is shrunk alike. A view that is multiplied by a number gives the same
   correlations and scores. 0 is no regularisation. With 1 nothing would be left of the covariances, which is partial least squares.

   CCA_SHRINKAGE_AUTO is the estimate of O. Ledoit and M. Wolf, A well-conditioned estimator for large-dimensional
   covariance matrices (2004), for each view, which has the least mean square error of the covariance. It takes as many products
   as the view has columns or samples, whichever are fewer, and is refused where these are more than 4000. For
   weights that differ, the number of samples is that of equal weights with the same variance of a mean, (sum w)^2/sum w^2.

   CCASetRegularization() sets ridges in the units of the data instead: the last one called holds. As there, other numbers (but 0 and
   auto) may be set between two calls of CCASolve() at little cost.

   References:
   O. Ledoit and M. Wolf, Journal of Multivariate Analysis 88 (2004), 365-411.

.seealso: CCAGetShrinkage(), CCASetRegularization(), CCAParseShrinkage()
@*/
PetscErrorCode CCASetShrinkage(CCA cca, PetscReal s1, PetscReal s2)
{
  const PetscReal s[2] = {s1, s2};
  PetscReal new[2]; /* ridges of A, B and S */
  PetscBool same;   /* and the units of the views stay what they are */

  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscValidLogicalCollectiveReal(cca, s1, 2);
  PetscValidLogicalCollectiveReal(cca, s2, 3);
  same = (PetscBool)(cca->setupcalled && cca->shrunk && cca->analysis == CCA_ANALYSIS_CCA);
  for (int i = 0; i < 2; i++) {
    PetscCheck(s[i] != 1.0, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_OUTOFRANGE, "A shrinkage of 1 leaves nothing of the covariance of %s: that is partial least squares, -analysis pls", i ? "Y" : "X");
    PetscCheck((s[i] >= 0.0 && s[i] < 1.0) || s[i] == CCA_SHRINKAGE_AUTO, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_OUTOFRANGE, "A shrinkage must be at least 0 and less than 1, or CCA_SHRINKAGE_AUTO, not %g", (double)s[i]);
    new[i] = cca->ridge[i];
    if (s[i] == cca->shrinkage[i]) continue;
    if (s[i] <= 0.0 || !(cca->ridge[i] > 0.0)) same = PETSC_FALSE;
    else new[i] = s[i] / (1.0 - s[i]) * (cca->ridge[i] * (1.0 - cca->shrinkageused[i]) / cca->shrinkageused[i]);
  }
  if (same) PetscCall(CCAChangeRidges_Private(cca, new[0], new[1]));
  else PetscCall(CCAResetSetUp_Private(cca));
  for (int i = 0; i < 2; i++)
    if (same && s[i] != cca->shrinkage[i]) cca->shrinkageused[i] = s[i];
  cca->shrunk       = PETSC_TRUE;
  cca->shrinkage[0] = s1;
  cca->shrinkage[1] = s2;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAGetShrinkage - Gets how far the covariances are drawn towards multiples of the identity.

   Not Collective

   Input Parameter:
.  cca - the object

   Output Parameters:
+  s1 - for X; CCA_SHRINKAGE_AUTO becomes its estimate in CCASetUp(). CCA_SHRINKAGE_NONE if ridges were set by
        CCASetRegularization() instead
-  s2 - for Y

   Level: beginner

.seealso: CCASetShrinkage(), CCAGetRegularization()
@*/
PetscErrorCode CCAGetShrinkage(CCA cca, PetscReal *s1, PetscReal *s2)
{
  PetscReal *s[2] = {s1, s2};

  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  for (int i = 0; i < 2; i++) {
    if (!s[i]) continue;
    if (!cca->shrunk) *s[i] = CCA_SHRINKAGE_NONE;
    else *s[i] = cca->setupcalled ? cca->shrinkageused[i] : cca->shrinkage[i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
   CCAParseShrinkage - Reads numbers for CCASetShrinkage() from a text such as 1e-3, or 0.01,auto.

   Not Collective

   Input Parameters:
+  text - the numbers, or auto, with commas between them
-  max  - how many there may be

   Output Parameters:
+  n - how many there are
-  s - the numbers

   Level: advanced

   Note:
   A text that is anything else, or a number that is not at least 0 and less than 1, is an error.

.seealso: CCASetShrinkage()
@*/
PetscErrorCode CCAParseShrinkage(const char text[], PetscInt max, PetscInt *n, PetscReal s[])
{
  const char *p = text;
  char       *end;

  PetscFunctionBegin;
  PetscAssertPointer(text, 1);
  PetscAssertPointer(n, 3);
  PetscAssertPointer(s, 4);
  for (*n = 0;; p = end + 1) {
    PetscCheck(*n < max, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "A shrinkage of '%.200s' is more than %" PetscInt_FMT " numbers", text, max);
    if (!strncmp(p, "auto", 4)) {
      end   = (char *)p + 4;
      s[*n] = CCA_SHRINKAGE_AUTO;
    } else {
      s[*n] = (PetscReal)strtod(p, &end);
      PetscCheck(end != p && s[*n] != 1.0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, end == p ? "A shrinkage of '%.200s' is not a number from 0 to 1, nor auto, nor several with commas between them" : "A shrinkage of '%.200s': 1 leaves nothing of a covariance, which is partial least squares, -analysis pls", text);
      PetscCheck(s[*n] >= 0.0 && s[*n] < 1.0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "A shrinkage of '%.200s': it must be at least 0 and less than 1, or auto; -ridge is for absolute numbers", text);
    }
    PetscCheck(!*end || *end == ',', PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "A shrinkage of '%.200s' is not a number from 0 to 1, nor auto, nor several with commas between them", text);
    (*n)++;
    if (!*end) break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- Ledoit and Wolf ------------------------------------------------- */

/* Rows of W, d x p: samples first..first+p-1 as the covariance H sees them, times the roots of their weights */
static PetscErrorCode CCAShrink_WriteSamples(CCA cca, PetscInt view, PetscInt first, PetscInt p, const PetscScalar mean[], const PetscReal factor[], Mat W)
{
  Mat                X = view ? cca->Y : cca->X;
  const PetscInt    *cols;
  const PetscScalar *a;
  PetscScalar       *x, w = 1.0;
  PetscInt           d = cca->d[view], begin, end, nz, *all;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(d, &x, d, &all));
  for (PetscInt j = 0; j < d; j++) all[j] = j;
  PetscCall(MatGetOwnershipRange(X, &begin, &end));
  for (PetscInt i = PetscMax(begin, first); i < PetscMin(end, first + p); i++) {
    const PetscInt col = i - first;

    for (PetscInt j = 0; j < d; j++) x[j] = -mean[j];
    PetscCall(MatGetRow(X, i, &nz, &cols, &a));
    for (PetscInt l = 0; l < nz; l++) x[cols[l]] += a[l];
    PetscCall(MatRestoreRow(X, i, &nz, &cols, &a));
    if (cca->weights) PetscCall(VecGetValues(cca->weights, 1, &i, &w));
    for (PetscInt j = 0; j < d; j++) x[j] = PetscConj(x[j]) * factor[j] * PetscSqrtReal(PetscRealPart(w));
    PetscCall(MatSetValues(W, d, all, 1, &col, x, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(W, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(W, MAT_FINAL_ASSEMBLY));
  PetscCall(PetscFree2(x, all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* tr(H^2) = (sum_i w_i x_i'H x_i)/sum w: as many columns as there are samples */
static PetscErrorCode CCAShrink_SquareBySamples(CCA cca, PetscInt view, Mat H, PetscReal total, PetscReal *square)
{
  PetscInt     d = cca->d[view], m;
  PetscScalar *mean, dot;
  PetscReal   *factor;
  Mat          W, HW = NULL;
  Vec          w, hw;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(d, &mean, d, &factor));
  if (cca->center) PetscCall(MatGramGetMeans(H, 0, mean));
  PetscCall(MatGramGetFactors_Private(H, 0, factor));
  PetscCall(MatGetLocalSize(H, &m, NULL));
  PetscCall(MatCreateDense(PetscObjectComm((PetscObject)H), m, PETSC_DECIDE, d, CCA_SHRINK_BLOCK, NULL, &W));
  *square = 0.0;
  for (PetscInt first = 0; first < cca->n; first += CCA_SHRINK_BLOCK) {
    PetscCall(MatZeroEntries(W));
    PetscCall(CCAShrink_WriteSamples(cca, view, first, CCA_SHRINK_BLOCK, mean, factor, W));
    PetscCall(MatMatMult(H, W, HW ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, PETSC_DEFAULT, &HW));
    for (PetscInt j = 0; j < CCA_SHRINK_BLOCK; j++) {
      PetscCall(MatDenseGetColumnVecRead(W, j, &w));
      PetscCall(MatDenseGetColumnVecRead(HW, j, &hw));
      PetscCall(VecDot(hw, w, &dot));
      PetscCall(MatDenseRestoreColumnVecRead(HW, j, &hw));
      PetscCall(MatDenseRestoreColumnVecRead(W, j, &w));
      *square += PetscRealPart(dot) / total;
    }
  }
  PetscCall(MatDestroy(&HW));
  PetscCall(MatDestroy(&W));
  PetscCall(PetscFree2(mean, factor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Ledoit and Wolf's estimate for the covariance H of a view, of trace tau d: min(1, beta/delta) with

     beta = ((1/n) sum_i |x_i|^4 - ||H||^2)/n,   delta = ||H||^2 - tau^2 d,

   the variance of the entries of H, estimated, and the distance of H from tau I (both squared Frobenius norms).
*/
static PetscErrorCode CCAShrink_Estimate(CCA cca, PetscInt view, Mat H, PetscReal tau, PetscReal *s)
{
  PetscInt           n, d           = cca->d[view];
  PetscReal         *fourth, sum[3] = {0.0, 0.0, 0.0}, square, samples, beta, delta; /* sums of w, w^2, w |x|^4 */
  const PetscScalar *w = NULL;
  Mat                C;

  PetscFunctionBegin;
  PetscCheck(PetscMin(d, cca->n) <= CCA_SHRINK_MOST, PetscObjectComm((PetscObject)cca), PETSC_ERR_SUP, "-shrinkage auto takes a product for each of the %" PetscInt_FMT " %s of %s: give a number, or choose one by -cv", PetscMin(d, cca->n), d <= cca->n ? "columns" : "samples", view ? "Y" : "X");
  *s = 0.0;
  if (d == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetLocalSize(cca->X, &n, NULL));
  PetscCall(PetscMalloc1(n, &fourth));
  PetscCall(MatGramGetSquares_Private(H, 0, fourth));
  if (cca->weights) PetscCall(VecGetArrayRead(cca->weights, &w));
  for (PetscInt i = 0; i < n; i++) {
    const PetscReal wi = w ? PetscRealPart(w[i]) : 1.0;

    sum[0] += wi;
    sum[1] += wi * wi;
    sum[2] += wi * PetscSqr(fourth[i]);
  }
  if (cca->weights) PetscCall(VecRestoreArrayRead(cca->weights, &w));
  PetscCall(PetscFree(fourth));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 3, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)cca)));
  if (d <= cca->n) {
    PetscCall(MatConvert(H, MATDENSE, MAT_INITIAL_MATRIX, &C));
    PetscCall(MatNorm(C, NORM_FROBENIUS, &square));
    PetscCall(MatDestroy(&C));
    square *= square;
  } else PetscCall(CCAShrink_SquareBySamples(cca, view, H, sum[0], &square));
  samples = sum[0] * sum[0] / sum[1];
  beta    = (sum[2] / sum[0] - square) / samples;
  delta   = square - tau * tau * (PetscReal)d;
  if (beta > 0.0 && delta > PETSC_SQRT_MACHINE_EPSILON * square) *s = PetscMin(1.0, beta / delta);
  PetscCall(PetscInfo(cca, "View %" PetscInt_FMT ": Ledoit and Wolf's estimate of the shrinkage is %g\n", view + 1, (double)*s));
  PetscCheck(*s < 1.0, PetscObjectComm((PetscObject)cca), PETSC_ERR_SUP, "Ledoit and Wolf's estimate of the shrinkage of %s is 1, which leaves nothing of the covariance of these %" PetscInt_FMT " samples: give a number by -shrinkage, choose one by -cv, or use -analysis pls", view ? "Y" : "X",
             cca->n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- set-up ------------------------------------------------- */

/*
   CCAShrink_Private - The factor and the ridge of a view that is to be shrunk. Called when A and B are there, with data, weights and
   centring, but no ridge.
*/
PetscErrorCode CCAShrink_Private(CCA cca, PetscInt view)
{
  PetscReal s = cca->shrinkage[view], spread, tau;
  Mat       H;

  PetscFunctionBegin;
  PetscCall(MatGramSetViewScaling(cca->B, view, cca->scale));
  PetscCall(MatGramGetSpread_Private(cca->B, view, &spread));
  PetscCheck(!PetscIsInfOrNanReal(spread), PetscObjectComm((PetscObject)cca), PETSC_ERR_FP, "%s has an entry that is not a finite number (or is too large for one): remove such samples or fill the gaps first", view ? "Y" : "X");
  if (!cca->scale && spread > 0.0) cca->factor[view] = 1.0 / spread;
  tau = PetscSqr(cca->factor[view] * spread);
  if (s == CCA_SHRINKAGE_AUTO) {
    s = 0.0;
    if (spread > 0.0) {
      PetscCall(MatGramSetFactor_Private(cca->B, view, cca->factor[view]));
      PetscCall(MatGramCreateView(cca->B, view, &H));
      PetscCall(CCAShrink_Estimate(cca, view, H, tau, &s));
      PetscCall(MatDestroy(&H));
    }
  }
  cca->shrinkageused[view] = s;
  cca->ridge[view]         = s * tau / (1.0 - s);
  if (cca->ridge[view] == 0.0) { /* nothing is compared to variances then, and columns of any unit are welcome */
    cca->unit[view]   = PETSC_TRUE;
    cca->factor[view] = 1.0;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
