/* SPDX-License-Identifier: BSD-2-Clause */
/*
   MATGRAM, the symmetric operator of one or two views of the same n samples,

     G = (1/n) sum_i w_i F_i' S F_i + ridge,    F_i = diag(x_i', y_i'),    n = sum_i w_i,

   whose block (a,b) is S_ab X_a' X_b / n + delta_ab ridge_a I. It is never formed (unless converted to a dense matrix)
   and the data stay as sparse as they are. How the parts hang together:

     gram.c         this file: what the user sets, the operations of a Mat other than products, creation
     gramdata.c     what matrices share: local rows of the views, arrays of a product, communication
     gramstats.c    means and deviations of the columns
     gramweights.c  weights of the samples
     gramproduct.c  the product with a block
     gramkernel.c   X W and X' C for a chunk of local samples
     gramdense.c    conversion to a dense matrix
*/
#include <slepcnapi/private/gramimpl.h>

/*
   GramGet - The context of an operator, which has to be a MATGRAM.
*/
PetscErrorCode GramGet(Mat G, Mat_Gram **g)
{
  PetscBool gram;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(G, MAT_CLASSID, 1);
  PetscCall(PetscObjectTypeCompare((PetscObject)G, MATGRAM, &gram));
  PetscCheck(gram, PetscObjectComm((PetscObject)G), PETSC_ERR_ARG_WRONG, "Matrix must be of type %s", MATGRAM);
  *g = (Mat_Gram *)G->data;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   GramGetView - The same, and a view of it, which has to exist.
*/
PetscErrorCode GramGetView(Mat G, PetscInt i, Mat_Gram **g, GramView **v)
{
  PetscFunctionBegin;
  PetscCall(GramGet(G, g));
  PetscCheck((*g)->data, PetscObjectComm((PetscObject)G), PETSC_ERR_ORDER, "Call MatGramSetViews() first");
  PetscCheck(i >= 0 && i < (*g)->data->nviews, PetscObjectComm((PetscObject)G), PETSC_ERR_ARG_OUTOFRANGE, "View %" PetscInt_FMT " of a matrix with %" PetscInt_FMT, i, (*g)->data->nviews);
  *v = &(*g)->data->view[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   MatGramIsCouplingSemidefinite_Private - Whether S is positive semidefinite, so that with ridges that are not negative G is so
   for any data.
*/
PetscErrorCode MatGramIsCouplingSemidefinite_Private(Mat G, PetscBool *semidefinite)
{
  Mat_Gram *g = NULL;

  PetscFunctionBegin;
  PetscCall(GramGet(G, &g));
  *semidefinite = (PetscBool)(g->s[0][0] >= 0.0);
  if (g->data && g->data->nviews > 1) *semidefinite = (PetscBool)(*semidefinite && g->s[1][1] >= 0.0 && g->s[0][0] * g->s[1][1] >= PetscSqr(g->s[0][1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A lower bound of the spectrum: the smaller ridge, where the coupling is positive semidefinite; otherwise none, 0 */
static PetscErrorCode MatGetLowerBound_Gram(Mat G, PetscReal *bound)
{
  Mat_Gram *g            = (Mat_Gram *)G->data;
  PetscBool semidefinite = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(MatGramIsCouplingSemidefinite_Private(G, &semidefinite));
  *bound = g->ridge[0];
  if (g->data && g->data->nviews > 1) *bound = PetscMin(*bound, g->ridge[1]);
  if (!semidefinite) *bound = 0.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After a change of S or the ridges: with S >= 0 and positive ridges G is positive definite; otherwise it depends on the data */
static PetscErrorCode GramSetFlags(Mat G)
{
  PetscReal bound = 0.0;

  PetscFunctionBegin;
  PetscCall(MatGetLowerBound_Gram(G, &bound));
  PetscCall(MatSetOption(G, MAT_HERMITIAN, PETSC_TRUE));
  if (!PetscDefined(USE_COMPLEX)) {
    PetscCall(MatSetOption(G, MAT_SYMMETRIC, PETSC_TRUE));
    PetscCall(MatSetOption(G, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  }
  G->spd = bound > 0.0 ? PETSC_BOOL3_TRUE : PETSC_BOOL3_UNKNOWN;
  PetscCall(PetscObjectStateIncrease((PetscObject)G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Gives G its data, of which it takes over one reference */
static PetscErrorCode GramSetData(Mat G, GramData *data)
{
  Mat_Gram *g = (Mat_Gram *)G->data;

  PetscFunctionBegin;
  PetscCall(GramDataDestroy(&g->data));
  g->data = data;
  PetscCall(PetscLayoutReference(data->map, &G->rmap));
  PetscCall(PetscLayoutReference(data->map, &G->cmap));
  G->preallocated = PETSC_TRUE;
  G->assembled    = PETSC_TRUE;
  PetscCall(GramSetFlags(G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- what the user sets ---------------------------------------------------------------------------------------------- */

/*@
   MatGramSetViews - Sets the data of a MATGRAM.

   Collective

   Input Parameters:
+  G - the operator
.  X - the first view, one row for each sample
-  Y - the second view, with the same distribution of rows, or NULL

   Level: intermediate

.seealso: MATGRAM, MatCreateGram(), MatGramGetViews()
@*/
PetscErrorCode MatGramSetViews(Mat G, Mat X, Mat Y)
{
  Mat_Gram *g = NULL;
  GramData *data;

  PetscFunctionBegin;
  PetscCall(GramGet(G, &g));
  PetscValidHeaderSpecific(X, MAT_CLASSID, 2);
  PetscCheckSameComm(G, 1, X, 2);
  PetscCheck(X->assembled, PetscObjectComm((PetscObject)X), PETSC_ERR_ARG_WRONGSTATE, "View X is not assembled");
  if (Y) {
    PetscValidHeaderSpecific(Y, MAT_CLASSID, 3);
    PetscCheckSameComm(G, 1, Y, 3);
    PetscCheck(Y->assembled, PetscObjectComm((PetscObject)Y), PETSC_ERR_ARG_WRONGSTATE, "View Y is not assembled");
  }
  PetscCall(GramDataCreate(X, Y, &data));
  PetscCall(GramSetData(G, data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatGramGetViews - Gets the data of a MATGRAM.

   Not Collective

   Input Parameter:
.  G - the operator

   Output Parameters:
+  X - the first view, or NULL before MatGramSetViews()
-  Y - the second view, or NULL if there is none

   Level: intermediate

   Note:
   The views remain G's: they must not be destroyed.

.seealso: MATGRAM, MatGramSetViews(), MatGramGetLocalRows()
@*/
PetscErrorCode MatGramGetViews(Mat G, Mat *X, Mat *Y)
{
  Mat_Gram *g = NULL;

  PetscFunctionBegin;
  PetscCall(GramGet(G, &g));
  if (X) PetscAssertPointer(X, 2);
  if (Y) PetscAssertPointer(Y, 3);
  if (X) *X = g->data ? g->data->view[0].mat : NULL;
  if (Y) *Y = g->data && g->data->nviews > 1 ? g->data->view[1].mat : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatGramSetCoupling - Sets S, by which the blocks X_a' X_b/n are multiplied.

   Logically Collective

   Input Parameters:
+  G   - the operator
.  s11 - factor of X'X/n, by default 1
.  s12 - factor of X'Y/n and Y'X/n, by default 0
-  s22 - factor of Y'Y/n, by default 1

   Level: intermediate

   Note:
   With one view only s11 matters. A view whose factors are all zero is not read.

.seealso: MATGRAM, MatGramGetCoupling(), MatGramSetRidge()
@*/
PetscErrorCode MatGramSetCoupling(Mat G, PetscReal s11, PetscReal s12, PetscReal s22)
{
  Mat_Gram *g = NULL;

  PetscFunctionBegin;
  PetscCall(GramGet(G, &g));
  PetscValidLogicalCollectiveReal(G, s11, 2);
  PetscValidLogicalCollectiveReal(G, s12, 3);
  PetscValidLogicalCollectiveReal(G, s22, 4);
  PetscCheck(!PetscIsInfOrNanReal(s11) && !PetscIsInfOrNanReal(s12) && !PetscIsInfOrNanReal(s22), PetscObjectComm((PetscObject)G), PETSC_ERR_ARG_OUTOFRANGE, "The coupling must be finite");
  g->s[0][0] = s11;
  g->s[0][1] = g->s[1][0] = s12;
  g->s[1][1]              = s22;
  PetscCall(GramSetFlags(G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatGramGetCoupling - Gets S, see MatGramSetCoupling().

   Not Collective

   Input Parameter:
.  G - the operator

   Output Parameters:
+  s11 - factor of X'X/n
.  s12 - factor of X'Y/n and Y'X/n
-  s22 - factor of Y'Y/n

   Level: intermediate

.seealso: MATGRAM, MatGramSetCoupling()
@*/
PetscErrorCode MatGramGetCoupling(Mat G, PetscReal *s11, PetscReal *s12, PetscReal *s22)
{
  Mat_Gram *g = NULL;

  PetscFunctionBegin;
  PetscCall(GramGet(G, &g));
  if (s11) PetscAssertPointer(s11, 2);
  if (s12) PetscAssertPointer(s12, 3);
  if (s22) PetscAssertPointer(s22, 4);
  if (s11) *s11 = g->s[0][0];
  if (s12) *s12 = g->s[0][1];
  if (s22) *s22 = g->s[1][1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatGramSetRidge - Sets the multiples of the identity that are added to the diagonal blocks.

   Logically Collective

   Input Parameters:
+  G  - the operator
.  r1 - for the columns of X, by default 0
-  r2 - for the columns of Y, by default 0; ignored with one view

   Level: beginner

.seealso: MATGRAM, MatGramGetRidge(), MatGramSetCoupling()
@*/
PetscErrorCode MatGramSetRidge(Mat G, PetscReal r1, PetscReal r2)
{
  Mat_Gram *g = NULL;

  PetscFunctionBegin;
  PetscCall(GramGet(G, &g));
  PetscValidLogicalCollectiveReal(G, r1, 2);
  PetscValidLogicalCollectiveReal(G, r2, 3);
  PetscCheck(!PetscIsInfOrNanReal(r1) && !PetscIsInfOrNanReal(r2), PetscObjectComm((PetscObject)G), PETSC_ERR_ARG_OUTOFRANGE, "The ridges must be finite");
  g->ridge[0] = r1;
  g->ridge[1] = r2;
  PetscCall(GramSetFlags(G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatGramGetRidge - Gets the multiples of the identity that are added to the diagonal blocks.

   Not Collective

   Input Parameter:
.  G - the operator

   Output Parameters:
+  r1 - for the columns of X
-  r2 - for the columns of Y

   Level: beginner

.seealso: MATGRAM, MatGramSetRidge()
@*/
PetscErrorCode MatGramGetRidge(Mat G, PetscReal *r1, PetscReal *r2)
{
  Mat_Gram *g = NULL;

  PetscFunctionBegin;
  PetscCall(GramGet(G, &g));
  if (r1) PetscAssertPointer(r1, 2);
  if (r2) PetscAssertPointer(r2, 3);
  if (r1) *r1 = g->ridge[0];
  if (r2) *r2 = g->ridge[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatGramSetCentering - Chooses whether the mean of each column is taken off.

   Logically Collective

   Input Parameters:
+  G      - the operator
-  center - PETSC_TRUE for covariances, PETSC_FALSE (the default) for second moments

   Level: beginner

   Note:
   The data are not changed: centring is a correction of rank one, and sparse data stay sparse.

.seealso: MATGRAM, MatGramGetCentering(), MatGramSetScaling(), MatGramGetMeans()
@*/
PetscErrorCode MatGramSetCentering(Mat G, PetscBool center)
{
  Mat_Gram *g = NULL;

  PetscFunctionBegin;
  PetscCall(GramGet(G, &g));
  PetscValidLogicalCollectiveBool(G, center, 2);
  g->center = center;
  PetscCall(PetscObjectStateIncrease((PetscObject)G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatGramGetCentering - Tells whether the mean of each column is taken off.

   Not Collective

   Input Parameter:
.  G - the operator

   Output Parameter:
.  center - whether it is

   Level: beginner

.seealso: MATGRAM, MatGramSetCentering()
@*/
PetscErrorCode MatGramGetCentering(Mat G, PetscBool *center)
{
  Mat_Gram *g = NULL;

  PetscFunctionBegin;
  PetscCall(GramGet(G, &g));
  PetscAssertPointer(center, 2);
  *center = g->center;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatGramSetScaling - Chooses whether each column is divided by its standard deviation.

   Logically Collective

   Input Parameters:
+  G     - the operator
-  scale - whether it is, by default PETSC_FALSE

   Level: beginner

   Notes:
   Without centring, by its root mean square. Columns for which this is zero are zero. Deviations and mean
   squares are over n, not n-1. The ridges are added to the scaled matrix. The data are not changed.

.seealso: MATGRAM, MatGramSetViewScaling(), MatGramGetScaling(), MatGramSetCentering(), MatGramGetScales()
@*/
PetscErrorCode MatGramSetScaling(Mat G, PetscBool scale)
{
  Mat_Gram *g = NULL;

  PetscFunctionBegin;
  PetscCall(GramGet(G, &g));
  PetscValidLogicalCollectiveBool(G, scale, 2);
  g->scale[0] = g->scale[1] = scale;
  PetscCall(PetscObjectStateIncrease((PetscObject)G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatGramSetViewScaling - Chooses whether each column of one view is divided by its standard deviation.

   Logically Collective

   Input Parameters:
+  G     - the operator
.  view  - 0 for X, 1 for Y
-  scale - whether it is, by default PETSC_FALSE

   Level: advanced

   Note:
   This is MatGramSetScaling() for one view. Operators that are to be applied in one sweep must have the same scaling.

.seealso: MATGRAM, MatGramSetScaling(), MatGramGetScales()
@*/
PetscErrorCode MatGramSetViewScaling(Mat G, PetscInt view, PetscBool scale)
{
  Mat_Gram *g = NULL;
  GramView *v = NULL;

  PetscFunctionBegin;
  PetscCall(GramGetView(G, view, &g, &v));
  PetscValidLogicalCollectiveInt(G, view, 2);
  PetscValidLogicalCollectiveBool(G, scale, 3);
  g->scale[view] = scale;
  PetscCall(PetscObjectStateIncrease((PetscObject)G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatGramGetScaling - Tells whether each column, of one view at least, is divided by its standard deviation.

   Not Collective

   Input Parameter:
.  G - the operator

   Output Parameter:
.  scale - whether it is

   Level: beginner

.seealso: MATGRAM, MatGramSetScaling()
@*/
PetscErrorCode MatGramGetScaling(Mat G, PetscBool *scale)
{
  Mat_Gram *g = NULL;

  PetscFunctionBegin;
  PetscCall(GramGet(G, &g));
  PetscAssertPointer(scale, 2);
  *scale = (PetscBool)(g->scale[0] || (g->data && g->data->nviews > 1 && g->scale[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- passes over the data -------------------------------------------------------------------------------------------- */

/*@
   MatGramGetPasses - Gets how often products with this operator have read the data.

   Not Collective

   Input Parameter:
.  G - the operator

   Output Parameter:
.  passes - number of passes, and what MatGramAddPasses() has added

   Level: intermediate

   Notes:
   A product is one pass over X and Y together, whatever the number of columns it is applied to; this is what the
   literature on stochastic solvers counts. See MatGramGetColumnPasses() for the same weighted by columns. A pass that
   serves A and B of a pair together is booked with A alone.

.seealso: MATGRAM, MatGramAddPasses(), MatGramGetColumnPasses()
@*/
PetscErrorCode MatGramGetPasses(Mat G, PetscReal *passes)
{
  Mat_Gram *g = NULL;

  PetscFunctionBegin;
  PetscCall(GramGet(G, &g));
  PetscAssertPointer(passes, 2);
  *passes = g->passes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatGramGetColumnPasses - Gets the sum, over all passes that products have made, of the columns multiplied.

   Not Collective

   Input Parameter:
.  G - the operator

   Output Parameter:
.  columns - passes times columns

   Level: intermediate

.seealso: MATGRAM, MatGramGetPasses()
@*/
PetscErrorCode MatGramGetColumnPasses(Mat G, PetscReal *columns)
{
  Mat_Gram *g = NULL;

  PetscFunctionBegin;
  PetscCall(GramGet(G, &g));
  PetscAssertPointer(columns, 2);
  *columns = g->columns;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatGramAddPasses - Books passes over the data that were not products, such as n steps with one sample each.

   Logically Collective

   Input Parameters:
+  G       - the operator
.  passes  - how many, need not be whole
-  columns - number of columns they have worked on

   Level: advanced

.seealso: MATGRAM, MatGramGetPasses(), MatGramGetLocalRows()
@*/
PetscErrorCode MatGramAddPasses(Mat G, PetscReal passes, PetscInt columns)
{
  Mat_Gram *g = NULL;

  PetscFunctionBegin;
  PetscCall(GramGet(G, &g));
  PetscValidLogicalCollectiveReal(G, passes, 2);
  PetscValidLogicalCollectiveInt(G, columns, 3);
  g->passes += passes;
  g->columns += passes * (PetscReal)columns;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- operations of a Mat --------------------------------------------------------------------------------------------- */

/* S_aa (mean square, or variance, of column j) scale^2 + ridge_a */
static PetscErrorCode MatGetDiagonal_Gram(Mat G, Vec d)
{
  Mat_Gram    *g    = (Mat_Gram *)G->data;
  GramData    *data = g->data;
  PetscScalar *z;

  PetscFunctionBegin;
  PetscCall(GramDataSetUpStatistics(data));
  PetscCall(VecGetArrayWrite(d, &z));
  for (PetscInt i = data->map->rstart; i < data->map->rend; i++) {
    const PetscInt  v = i < data->view[0].d ? 0 : 1;
    const PetscReal s = GramFactor(g, v, i) * data->unit[i];

    z[i - data->map->rstart] = g->s[v][v] * s * s * (g->center ? data->var[i] : data->meansq[i]) + g->ridge[v];
  }
  PetscCall(VecRestoreArrayWrite(d, &z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GramRealPart(Mat G, PetscScalar a, const char *what)
{
  PetscFunctionBegin;
  (void)a; /* real scalars have no imaginary part to look at */
  PetscCheck(PetscImaginaryPart(a) == 0.0, PetscObjectComm((PetscObject)G), PETSC_ERR_SUP, "%s needs a real number: a matrix of type %s is Hermitian", what, MATGRAM);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatScale_Gram(Mat G, PetscScalar a)
{
  Mat_Gram *g = (Mat_Gram *)G->data;

  PetscFunctionBegin;
  PetscCall(GramRealPart(G, a, "MatScale()"));
  for (int i = 0; i < 2; i++) {
    g->ridge[i] *= PetscRealPart(a);
    for (int j = 0; j < 2; j++) g->s[i][j] *= PetscRealPart(a);
  }
  PetscCall(GramSetFlags(G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatShift_Gram(Mat G, PetscScalar a)
{
  Mat_Gram *g = (Mat_Gram *)G->data;

  PetscFunctionBegin;
  PetscCall(GramRealPart(G, a, "MatShift()"));
  for (int i = 0; i < 2; i++) g->ridge[i] += PetscRealPart(a);
  PetscCall(GramSetFlags(G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* G + a H is a Gram matrix of the same data: this is how A - sigma B is made */
static PetscErrorCode MatAXPY_Gram(Mat G, PetscScalar a, Mat H, PETSC_UNUSED MatStructure str)
{
  Mat_Gram *g = (Mat_Gram *)G->data, *h = (Mat_Gram *)H->data;
  PetscBool same;

  PetscFunctionBegin;
  PetscCall(GramRealPart(G, a, "MatAXPY()"));
  PetscCall(PetscObjectTypeCompare((PetscObject)H, MATGRAM, &same));
  PetscCheck(same && GramSharesSweep(g, h), PetscObjectComm((PetscObject)G), PETSC_ERR_SUP, "MatAXPY() of a matrix of type %s needs a second one that shares its views, centring and scaling, as those of MatCreateCCAPair() and duplicates do: for a shift use a shell, -st_matmode shell", MATGRAM);
  for (int i = 0; i < 2; i++) {
    g->ridge[i] += PetscRealPart(a) * h->ridge[i];
    for (int j = 0; j < 2; j++) g->s[i][j] += PetscRealPart(a) * h->s[i][j];
  }
  PetscCall(GramSetFlags(G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatView_Gram(Mat G, PetscViewer viewer)
{
  Mat_Gram *g    = (Mat_Gram *)G->data;
  GramData *data = g->data;
  PetscBool ascii;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPushTab(viewer));
  if (!data) PetscCall(PetscViewerASCIIPrintf(viewer, "no views yet\n"));
  else {
    for (PetscInt i = 0; i < data->nviews; i++) PetscCall(PetscViewerASCIIPrintf(viewer, "view %c: %" PetscInt_FMT " samples, %" PetscInt_FMT " columns, %s\n", i ? 'Y' : 'X', data->N, data->view[i].d, data->view[i].sparse ? "sparse" : "dense"));
    if (data->nviews == 1) PetscCall(PetscViewerASCIIPrintf(viewer, "coupling %g, ridge %g\n", (double)g->s[0][0], (double)g->ridge[0]));
    else PetscCall(PetscViewerASCIIPrintf(viewer, "coupling [%g %g; %g %g], ridges %g and %g\n", (double)g->s[0][0], (double)g->s[0][1], (double)g->s[1][0], (double)g->s[1][1], (double)g->ridge[0], (double)g->ridge[1]));
    PetscCall(PetscViewerASCIIPrintf(viewer, "columns %scentered, %sscaled\n", g->center ? "" : "not ", data->nviews > 1 && g->scale[0] != g->scale[1] ? (g->scale[0] ? "those of X " : "those of Y ") : g->scale[0] ? "" : "not "));
    if (data->weights->local) PetscCall(PetscViewerASCIIPrintf(viewer, "the samples have weights, of sum %g\n", (double)data->weights->sum));
    PetscCall(PetscViewerASCIIPrintf(viewer, "passes over the data: %g\n", (double)g->passes));
  }
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSetUp_Gram(Mat G)
{
  PetscFunctionBegin;
  PetscCheck(((Mat_Gram *)G->data)->data, PetscObjectComm((PetscObject)G), PETSC_ERR_ORDER, "A matrix of type %s needs MatGramSetViews() first", MATGRAM);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatDuplicate_Gram(Mat G, PETSC_UNUSED MatDuplicateOption op, Mat *H)
{
  Mat_Gram *g = (Mat_Gram *)G->data, *h;

  PetscFunctionBegin;
  PetscCall(MatCreate(PetscObjectComm((PetscObject)G), H));
  PetscCall(MatSetType(*H, MATGRAM));
  h          = (Mat_Gram *)(*H)->data;
  *h         = *g;
  h->data    = NULL;
  h->passes  = 0.0;
  h->columns = 0.0;
  g->data->refct++;
  PetscCall(GramSetData(*H, g->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatDestroy_Gram(Mat G)
{
  Mat_Gram *g = (Mat_Gram *)G->data;

  PetscFunctionBegin;
  PetscCall(GramDataDestroy(&g->data));
  PetscCall(PetscObjectComposeFunction((PetscObject)G, "MatPairMult_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)G, "MatGetLowerBound_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)G, "MatProductSetFromOptions_gram_seqdense_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)G, "MatProductSetFromOptions_gram_mpidense_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)G, "MatConvert_gram_dense_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)G, "MatConvert_gram_seqdense_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)G, "MatConvert_gram_mpidense_C", NULL));
  PetscCall(PetscFree(G->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- creation -------------------------------------------------------------------------------------------------------- */

/*MC
   MATGRAM - MATGRAM = "gram" - The symmetric operator (1/n) sum_i F_i' S F_i + ridge of one or two views of n samples,
   F_i = diag(x_i', y_i'), of which only the views are stored.

   Options Database Keys:
.  -mat_gram_shared_memory <true> - ranks that live on one node communicate through shared memory

   Level: beginner

   Notes:
   One view: S_11 X'X/n + ridge_1 I. Two views: block (a,b) is S_ab X_a' X_b/n, with ridge_a I added to the diagonal
   blocks; rows 0..d1-1 of the operator belong to X, the others to Y, on any number of ranks. With weights, see
   MatGramSetWeights(), sample i counts w_i times, and n is the sum of the weights. The views are AIJ or
   dense matrices (others are converted to AIJ), whose rows, the samples, are distributed over the ranks alike.

   Available are products with vectors and with dense matrices (in one sweep over the data for several columns), the
   diagonal, MatScale(), MatShift(), MatAXPY() with a matrix of the same data, MatDuplicate() (which shares the data),
   and MatConvert() to MATDENSE. A composed function "MatPairMult_C" with the calling sequence

.vb
     PetscErrorCode f(Mat A,Mat B,Mat D,Mat AD,Mat BD,PetscReal *saved)
.ve

   computes A D and B D for dense D, AD, BD, in one sweep if B shares the data of A, and tells (unless saved is NULL) how many
   columns' worth of a product this has saved, 0 if nothing. Another, "MatGetLowerBound_C", with the calling
   sequence f(Mat G,PetscReal *bound), gives a lower bound of the spectrum: the ridge, or 0 where there is none.

.seealso: MatCreateGram(), MatCreateCCAPair(), MatGramSetCoupling(), MatGramSetRidge(), MatGramSetCentering(), MatGramSetWeights()
M*/
PetscErrorCode MatCreate_Gram(Mat G)
{
  Mat_Gram *g;

  PetscFunctionBegin;
  PetscCall(PetscNew(&g));
  G->data      = (void *)g;
  g->s[0][0]   = 1.0;
  g->s[1][1]   = 1.0;
  g->factor[0] = g->factor[1] = 1.0;

  G->ops->mult                      = MatMult_Gram;
  G->ops->multadd                   = MatMultAdd_Gram;
  G->ops->multtranspose             = MatMultTranspose_Gram;
  G->ops->multtransposeadd          = MatMultTransposeAdd_Gram;
  G->ops->multhermitiantranspose    = MatMult_Gram;
  G->ops->multhermitiantransposeadd = MatMultAdd_Gram;
  G->ops->getdiagonal               = MatGetDiagonal_Gram;
  G->ops->scale                     = MatScale_Gram;
  G->ops->shift                     = MatShift_Gram;
  G->ops->axpy                      = MatAXPY_Gram;
  G->ops->view                      = MatView_Gram;
  G->ops->duplicate                 = MatDuplicate_Gram;
  G->ops->setup                     = MatSetUp_Gram;
  G->ops->destroy                   = MatDestroy_Gram;

  PetscCall(PetscObjectComposeFunction((PetscObject)G, "MatPairMult_C", MatPairMult_Gram));
  PetscCall(PetscObjectComposeFunction((PetscObject)G, "MatGetLowerBound_C", MatGetLowerBound_Gram));
  PetscCall(PetscObjectComposeFunction((PetscObject)G, "MatProductSetFromOptions_gram_seqdense_C", MatProductSetFromOptions_Gram_Dense));
  PetscCall(PetscObjectComposeFunction((PetscObject)G, "MatProductSetFromOptions_gram_mpidense_C", MatProductSetFromOptions_Gram_Dense));
  PetscCall(PetscObjectComposeFunction((PetscObject)G, "MatConvert_gram_dense_C", MatConvert_Gram_Dense));
  PetscCall(PetscObjectComposeFunction((PetscObject)G, "MatConvert_gram_seqdense_C", MatConvert_Gram_Dense));
  PetscCall(PetscObjectComposeFunction((PetscObject)G, "MatConvert_gram_mpidense_C", MatConvert_Gram_Dense));
  PetscCall(PetscObjectChangeTypeName((PetscObject)G, MATGRAM));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatCreateGram - Creates the Gram operator of one or two views of the same samples, X'X/n or diag(X'X/n, Y'Y/n).

   Collective

   Input Parameters:
+  X - the first view, one row for each sample
-  Y - the second view, or NULL

   Output Parameter:
.  G - the operator

   Level: beginner

   Notes:
   The coupling is the identity and there is no ridge; see MatGramSetCoupling() and MatGramSetRidge(). The views are
   not copied on one rank and must not be destroyed for good before G, which holds a reference; later changes of their
   entries are noticed.

.seealso: MATGRAM, MatCreateCCAPair(), MatGramSetViews()
@*/
PetscErrorCode MatCreateGram(Mat X, Mat Y, Mat *G)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(X, MAT_CLASSID, 1);
  if (Y) PetscValidHeaderSpecific(Y, MAT_CLASSID, 2);
  PetscAssertPointer(G, 3);
  PetscCall(SlepcNAPIInitialize());
  PetscCall(MatCreate(PetscObjectComm((PetscObject)X), G));
  PetscCall(MatSetType(*G, MATGRAM));
  PetscCall(MatGramSetViews(*G, X, Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatCreateCCAPair - Creates the pair (A,B) whose eigenvalues are plus and minus the canonical correlations of two views.

   Collective

   Input Parameters:
+  X      - the first view, one row for each sample
.  Y      - the second view, with the same distribution of rows
.  ridge1 - added to the diagonal of X'X/n
.  ridge2 - added to the diagonal of Y'Y/n
-  center - whether the mean of each column is taken off

   Output Parameters:
+  A - [0 X'Y/n; Y'X/n 0]
-  B - diag(X'X/n + ridge1 I, Y'Y/n + ridge2 I)

   Level: beginner

   Notes:
   A and B are of type MATGRAM and share the data. An eigenvector [u;v] of a positive eigenvalue holds a pair of
   directions: u in rows 0..d1-1, v in the others. B is positive definite if both ridges are positive, or else if the
   columns of both views are linearly independent.

.seealso: MATGRAM, MatCreateGram()
@*/
PetscErrorCode MatCreateCCAPair(Mat X, Mat Y, PetscReal ridge1, PetscReal ridge2, PetscBool center, Mat *A, Mat *B)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(X, MAT_CLASSID, 1);
  PetscValidHeaderSpecific(Y, MAT_CLASSID, 2);
  PetscValidLogicalCollectiveReal(X, ridge1, 3);
  PetscValidLogicalCollectiveReal(X, ridge2, 4);
  PetscValidLogicalCollectiveBool(X, center, 5);
  PetscAssertPointer(A, 6);
  PetscAssertPointer(B, 7);
  PetscCheck(ridge1 >= 0.0 && ridge2 >= 0.0, PetscObjectComm((PetscObject)X), PETSC_ERR_ARG_OUTOFRANGE, "The ridges must not be negative, they are %g and %g", (double)ridge1, (double)ridge2);
  PetscCall(MatCreateGram(X, Y, B));
  PetscCall(MatGramSetCentering(*B, center));
  PetscCall(MatDuplicate(*B, MAT_SHARE_NONZERO_PATTERN, A));
  PetscCall(MatGramSetCoupling(*A, 0.0, 1.0, 0.0));
  PetscCall(MatGramSetRidge(*B, ridge1, ridge2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatGramCreateView - Creates the diagonal block of an operator that belongs to one of its views, S_aa X_a'X_a/n + ridge_a I,
   as an operator of that view alone.

   Collective

   Input Parameters:
+  G    - the operator
-  view - 0 for X, 1 for Y

   Output Parameter:
.  H - the block, of type MATGRAM, whose rows are distributed like the columns of the view

   Level: intermediate

   Note:
   The data are not copied. Ridge, centring and scaling are those of G at the time; passes are counted anew.

.seealso: MATGRAM, MatCreateGram(), MatGramMultViews()
@*/
PetscErrorCode MatGramCreateView(Mat G, PetscInt view, Mat *H)
{
  Mat_Gram *g = NULL, *h;
  GramView *v = NULL;
  GramData *data;

  PetscFunctionBegin;
  PetscCall(GramGetView(G, view, &g, &v));
  PetscAssertPointer(H, 3);
  PetscCall(GramDataCreateView(g->data, view, &data));
  PetscCall(MatCreate(PetscObjectComm((PetscObject)G), H));
  PetscCall(MatSetType(*H, MATGRAM));
  h            = (Mat_Gram *)(*H)->data;
  h->s[0][0]   = g->s[view][view];
  h->ridge[0]  = g->ridge[view];
  h->center    = g->center;
  h->scale[0]  = g->scale[view];
  h->factor[0] = g->factor[view];
  PetscCall(GramSetData(*H, data));
  PetscFunctionReturn(PETSC_SUCCESS);
}
