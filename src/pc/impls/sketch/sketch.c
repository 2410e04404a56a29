/* SPDX-License-Identifier: BSD-2-Clause */
/*
   PC type "sketch": Cholesky factors of a sketched MATGRAM, the preconditioner for covariance matrices of many samples
   of moderately many columns.

   A view X of n samples enters the operator G = s X'X/n + ridge I. A random matrix R of m = ratio*d rows, d the columns
   of X, takes the place of the samples,

     Z = R X,    M = s Z'Z/n + ridge I = U'U,    M^{-1} applied by two triangular solves.

   Each column of R, that is each sample, has q nonzeros +-1/sqrt(q), one in each of q groups of m/q rows: q = 1 is
   CountSketch, q > 1 a sparse sign embedding. Z costs q operations for each nonzero of X. If R X keeps the norms of all
   X w to 1 +- e, the eigenvalues of M^{-1} G lie between (1+e)^{-2} and (1-e)^{-2}, whatever those of G do, and e is about
   sqrt(d/m): half for the default ratio of 4, so that an iteration of CG halves the error. One nonzero does this where
   the weight is spread over all samples; q = 4, the default, does it also where some samples have great weight (leverage).

   Steps of the set-up:
     1. choose what is factored: each view apart; with S_12 /= 0 both together; no view with more than max_dimension
        columns, for which the diagonal has to do.
     2. unless data, centring, scaling and R are as before: Z, a panel of rows at a time, and Z'Z. Sample i goes to the rows
        that a hash of (seed, i) names, i its global number; the panels of all ranks are summed, each on one rank,
        which multiplies it; the sum of the products is left on every rank. The samples are those the operator sees:
        R (X - 1 m') D = (R X - (R 1) m') D, so that sparse data are never filled.
        If m >= n there is nothing to save: R = I, and M is G itself.
     3. unless coupling and ridges are as before: M from Z'Z, and U, on every rank.

   Z'Z and U share an array of d+1 rows and d columns: U is its upper triangle, Z'Z lies below that, one row further down.

   Step 2 is in sketchbuild.c, step 3 and the application in sketchfactor.c, the rest here.

   References:
     K. L. Clarkson, D. P. Woodruff, Low rank approximation and regression in input sparsity time, STOC 2013.
     J. Nelson, H. L. Nguyen, OSNAP: faster numerical linear algebra algorithms via sparser subspace embeddings, FOCS 2013.
     H. Avron, P. Maymounkov, S. Toledo, Blendenpik: supercharging LAPACK's least-squares solver, SISC 32 (2010).
*/
#include <slepcnapi/private/sketchimpl.h>
#include <slepcnapi/private/napimethod.h>

/* --- set-up -------------------------------------------------------------------------------------------------------- */

static PetscErrorCode PCReset_Sketch(PC pc)
{
  PC_Sketch *sketch = (PC_Sketch *)pc->data;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < sketch->nblocks; i++) {
    PetscCall(PetscFree(sketch->block[i].mem));
    PetscCall(PetscFree(sketch->block[i].noise));
  }
  PetscCall(VecDestroy(&sketch->idiag));
  PetscCall(PetscFree(sketch->work));
  sketch->worksize = sketch->nblocks = 0;
  sketch->sketched = sketch->factored = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Step 1: which diagonal blocks there are, and how they are sketched */
static PetscErrorCode SketchPlan(PC pc, PetscInt nviews, PetscInt N, PetscBool joint)
{
  PC_Sketch *sketch = (PC_Sketch *)pc->data;

  PetscFunctionBegin;
  sketch->nblocks = joint ? 1 : nviews;
  sketch->row0 = sketch->row1 = 0;
  for (PetscInt i = 0, first = 0; i < sketch->nblocks; first += sketch->block[i].n, i++) {
    SketchBlock *block = &sketch->block[i];
    PetscReal    m;

    PetscCall(PetscMemzero(block, sizeof(*block)));
    block->view   = i;
    block->nviews = joint ? nviews : 1;
    block->first  = first;
    block->n      = joint ? sketch->dim[0] + sketch->dim[1] : sketch->dim[i];
    block->q      = 1;
    if (block->n > sketch->maxdim) {
      PetscCall(PetscInfo(pc, "View %c has %" PetscInt_FMT " columns, more than the %" PetscInt_FMT " of -pc_sketch_max_dimension: Jacobi is used for it\n", i ? 'Y' : 'X', block->n, sketch->maxdim));
      continue;
    }
    if (!block->n) continue;
    m            = PetscCeilReal(sketch->ratio * (PetscReal)block->n);
    block->exact = (PetscBool)(m >= (PetscReal)N);
    if (!block->exact) block->q = PetscMin(sketch->nonzeros, (PetscInt)m);
    block->m = block->exact ? N : block->q * (((PetscInt)m + block->q - 1) / block->q); /* q groups of as many rows */
    PetscCall(PetscMalloc1((size_t)(block->n + 1) * (size_t)block->n, &block->mem));
    if (sketch->row0 == sketch->row1) sketch->row0 = first;
    sketch->row1 = first + block->n;
    PetscCall(PetscInfo(pc, "%s %c: %" PetscInt_FMT " columns, %" PetscInt_FMT " samples, sketched by %" PetscInt_FMT " rows%s\n", joint ? "Both views, from" : "View", i ? 'Y' : 'X', block->n, N, block->m, block->exact ? " (no sketch: the samples are not more than that)" : ""));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One over the diagonal, for the rows of views that are too large; one where it is zero */
static PetscErrorCode SketchSetUpDiagonal(PC pc)
{
  PC_Sketch   *sketch = (PC_Sketch *)pc->data;
  PetscInt     n;
  PetscScalar *d;

  PetscFunctionBegin;
  if (!sketch->idiag) PetscCall(MatCreateVecs(pc->pmat, &sketch->idiag, NULL));
  PetscCall(MatGetDiagonal(pc->pmat, sketch->idiag));
  PetscCall(VecGetLocalSize(sketch->idiag, &n));
  PetscCall(VecGetArray(sketch->idiag, &d));
  for (PetscInt i = 0; i < n; i++) d[i] = d[i] != 0.0 ? 1.0 / d[i] : 1.0;
  PetscCall(VecRestoreArray(sketch->idiag, &d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSetUp_Sketch(PC pc)
{
  PC_Sketch *sketch = (PC_Sketch *)pc->data;
  Mat_Gram  *g;
  GramData  *data;
  SketchKey  key;
  PetscBool  gram, same = PETSC_FALSE, coupled, diagonal = PETSC_FALSE, ok = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)pc->pmat, MATGRAM, &gram));
  PetscCheck(gram, PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP, "PC type %s needs the samples behind the matrix, which only a matrix of type %s has, not one of type %s: use -pc_type jacobi, or create the matrix by MatCreateGram() or MatCreateCCAPair()", PCSKETCH, MATGRAM,
             ((PetscObject)pc->pmat)->type_name);
  PetscCall(PCSetFailedReason(pc, PC_NOERROR));
  g    = (Mat_Gram *)pc->pmat->data;
  data = g->data;
  PetscCheck(data, PetscObjectComm((PetscObject)pc), PETSC_ERR_ORDER, "The matrix has no views yet: call MatGramSetViews() first");
  PetscCall(PetscMemzero(&key, sizeof(key))); /* its gaps too: keys are compared as a whole */
  sketch->dim[1] = 0;
  for (PetscInt v = 0; v < data->nviews; v++) {
    sketch->dim[v] = data->view[v].d;
    key.scale[v]   = g->scale[v];
    key.factor[v]  = g->factor[v];
    PetscCall(PetscObjectGetId((PetscObject)data->view[v].mat, &key.id[v]));
    PetscCall(PetscObjectStateGet((PetscObject)data->view[v].mat, &key.state[v]));
  }
  coupled     = (PetscBool)(data->nviews > 1 && g->s[0][1] != 0.0);
  key.center  = g->center;
  key.weights = data->weights->version;
  key.joint   = (PetscBool)(coupled && data->D <= sketch->maxdim);
  if (coupled && !key.joint) PetscCall(PetscInfo(pc, "The views have %" PetscInt_FMT " columns together, more than the %" PetscInt_FMT " of -pc_sketch_max_dimension: their coupling is left out\n", data->D, sketch->maxdim));

  if (sketch->sketched) PetscCall(PetscMemcmp(&key, &sketch->key, sizeof(key), &same));
  if (!same) {
    PetscCall(PCReset_Sketch(pc));
    PetscCall(SketchPlan(pc, data->nviews, data->N, key.joint));
    for (PetscInt i = 0; i < sketch->nblocks; i++)
      if (sketch->block[i].mem) PetscCall(SketchBuild(pc, &sketch->block[i]));
    if (sketch->row1 > sketch->row0) PetscCall(MatGramAddPasses(pc->pmat, 1.0, 1));
    PetscCall(PetscMemcpy(&sketch->key, &key, sizeof(key)));
    sketch->sketched = PETSC_TRUE;
  } else PetscCall(PetscInfo(pc, "Data and random numbers are as before: the sketch is kept\n"));

  same = (PetscBool)(sketch->factored && g->ridge[0] == sketch->ridge[0] && g->ridge[1] == sketch->ridge[1] && g->s[0][0] == sketch->s[0][0] && g->s[0][1] == sketch->s[0][1] && g->s[1][1] == sketch->s[1][1]);
  if (same) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscArraycpy(&sketch->s[0][0], &g->s[0][0], 4));
  PetscCall(PetscArraycpy(sketch->ridge, g->ridge, 2));
  for (PetscInt i = 0; i < sketch->nblocks; i++) {
    if (sketch->block[i].mem && ok) PetscCall(SketchFactor(pc, &sketch->block[i], &ok));
    if (sketch->block[i].n && !sketch->block[i].mem) diagonal = PETSC_TRUE;
  }
  if (diagonal) PetscCall(SketchSetUpDiagonal(pc));
  sketch->factored = ok;
  if (!ok) {
    PetscCheck(!pc->erroriffailure, PetscObjectComm((PetscObject)pc), PETSC_ERR_NOT_CONVERGED, "The sketched matrix is not positive definite: a larger ridge, or -pc_type jacobi or none, may do");
    PetscCall(PetscInfo(pc, "The sketched matrix is not positive definite\n"));
    PetscCall(PCSetFailedReason(pc, PC_FACTOR_NUMERIC_ZEROPIVOT));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- choices of the user ------------------------------------------------------------------------------------------- */

static PetscErrorCode PCSketchSetSize_Sketch(PC pc, PetscReal ratio)
{
  PC_Sketch *sketch = (PC_Sketch *)pc->data;

  PetscFunctionBegin;
  PetscCheck(ratio >= 1.0 && !PetscIsInfOrNanReal(ratio), PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "A sketch needs at least as many rows as there are columns, better four times as many: ratio %g", (double)ratio);
  if (sketch->ratio != ratio) pc->setupcalled = sketch->sketched = PETSC_FALSE;
  sketch->ratio = ratio;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCSketchSetSize - Sets the number of rows of the sketch, as a multiple of the number of columns of the data.

   Logically Collective

   Input Parameters:
+  pc    - the preconditioner
-  ratio - rows for each column, at least 1, by default 4

   Options Database Key:
.  -pc_sketch_size <ratio> - sets the ratio

   Level: intermediate

   Notes:
   The condition number of the preconditioned matrix is about ((1+e)/(1-e))^2 with e = 1/sqrt(ratio), and an iteration of CG
   multiplies the error by about e. The set-up takes ratio*d^3 operations for d columns. Where the sketch would
   have as many rows as there are samples the matrix itself is factored.

.seealso: PCSKETCH, PCSketchGetSize(), PCSketchSetNonzeros()
@*/
PetscErrorCode PCSketchSetSize(PC pc, PetscReal ratio)
{
  NAPIMethodSet(PC, pc, PCSketchSetSize, PetscReal, Real, ratio);
}

NAPIMethodGetter(PC, PC_Sketch, PCSketchGetSize_Sketch, PetscReal, ctx->ratio);

/*@
   PCSketchGetSize - Gets the number of rows of the sketch, as a multiple of the number of columns of the data.

   Not Collective

   Input Parameter:
.  pc - the preconditioner

   Output Parameter:
.  ratio - rows for each column

   Level: intermediate

.seealso: PCSKETCH, PCSketchSetSize()
@*/
PetscErrorCode PCSketchGetSize(PC pc, PetscReal *ratio)
{
  NAPIMethodGet(PC, pc, PCSketchGetSize, PetscReal, ratio);
}

static PetscErrorCode PCSketchSetNonzeros_Sketch(PC pc, PetscInt nonzeros)
{
  PC_Sketch *sketch = (PC_Sketch *)pc->data;

  PetscFunctionBegin;
  PetscCheck(nonzeros >= 1, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "A sample must go to at least one row of the sketch, not %" PetscInt_FMT, nonzeros);
  if (sketch->nonzeros != nonzeros) pc->setupcalled = sketch->sketched = PETSC_FALSE;
  sketch->nonzeros = nonzeros;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCSketchSetNonzeros - Sets to how many rows of the sketch a sample is added.

   Logically Collective

   Input Parameters:
+  pc       - the preconditioner
-  nonzeros - how many, by default 4

   Options Database Key:
.  -pc_sketch_nonzeros <nonzeros> - sets the number

   Level: intermediate

   Notes:
   1 is CountSketch, more make a sparse sign embedding. Sketching costs that many times as much (but not the product of
   the sketch with itself, which usually takes longer). Where the weight is spread over all samples one is enough. Where a
   few samples decide on a direction, two of them that fall into the same row of a CountSketch cannot be told
   apart, and the direction is lost: with a sample like that for every column the condition number of the preconditioned
   matrix was 1e5 to 1e6 with one nonzero, in some cases the same with two, and below 20 with four or more.

.seealso: PCSKETCH, PCSketchGetNonzeros(), PCSketchSetSize()
@*/
PetscErrorCode PCSketchSetNonzeros(PC pc, PetscInt nonzeros)
{
  NAPIMethodSet(PC, pc, PCSketchSetNonzeros, PetscInt, Int, nonzeros);
}

NAPIMethodGetter(PC, PC_Sketch, PCSketchGetNonzeros_Sketch, PetscInt, ctx->nonzeros);

/*@
   PCSketchGetNonzeros - Gets to how many rows of the sketch a sample is added.

   Not Collective

   Input Parameter:
.  pc - the preconditioner

   Output Parameter:
.  nonzeros - how many

   Level: intermediate

.seealso: PCSKETCH, PCSketchSetNonzeros()
@*/
PetscErrorCode PCSketchGetNonzeros(PC pc, PetscInt *nonzeros)
{
  NAPIMethodGet(PC, pc, PCSketchGetNonzeros, PetscInt, nonzeros);
}

static PetscErrorCode PCSketchSetSeed_Sketch(PC pc, PetscInt seed)
{
  PC_Sketch *sketch = (PC_Sketch *)pc->data;

  PetscFunctionBegin;
  if (sketch->seed != seed) pc->setupcalled = sketch->sketched = PETSC_FALSE;
  sketch->seed = seed;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCSketchSetSeed - Sets the seed of the random numbers of the sketch.

   Logically Collective

   Input Parameters:
+  pc   - the preconditioner
-  seed - any number, by default 0

   Options Database Key:
.  -pc_sketch_seed <seed> - sets the seed

   Level: intermediate

   Note:
   The same seed makes the same sketch on any number of ranks, up to rounding errors.

.seealso: PCSKETCH, PCSketchGetSeed()
@*/
PetscErrorCode PCSketchSetSeed(PC pc, PetscInt seed)
{
  NAPIMethodSet(PC, pc, PCSketchSetSeed, PetscInt, Int, seed);
}

NAPIMethodGetter(PC, PC_Sketch, PCSketchGetSeed_Sketch, PetscInt, ctx->seed);

/*@
   PCSketchGetSeed - Gets the seed of the random numbers of the sketch.

   Not Collective

   Input Parameter:
.  pc - the preconditioner

   Output Parameter:
.  seed - the seed

   Level: intermediate

.seealso: PCSKETCH, PCSketchSetSeed()
@*/
PetscErrorCode PCSketchGetSeed(PC pc, PetscInt *seed)
{
  NAPIMethodGet(PC, pc, PCSketchGetSeed, PetscInt, seed);
}

static PetscErrorCode PCSketchSetMaxDimension_Sketch(PC pc, PetscInt maxdim)
{
  PC_Sketch *sketch = (PC_Sketch *)pc->data;

  PetscFunctionBegin;
  PetscCheck(maxdim >= 0, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "The largest order of a factor must not be negative: %" PetscInt_FMT, maxdim);
  PetscCheck(maxdim < 46340, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "A dense factor of order %" PetscInt_FMT " has more entries than 32-bit integers can count: at most 46339", maxdim);
  if (sketch->maxdim != maxdim) pc->setupcalled = sketch->sketched = PETSC_FALSE;
  sketch->maxdim = maxdim;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCSketchSetMaxDimension - Sets the largest number of columns for which a dense factor is made.

   Logically Collective

   Input Parameters:
+  pc     - the preconditioner
-  maxdim - largest order of a factor, by default 4000

   Options Database Key:
.  -pc_sketch_max_dimension <maxdim> - sets the order

   Level: intermediate

   Note:
   Every rank stores maxdim^2 numbers: 128 MB for 4000. For a view with more columns the diagonal is used instead; if two
   coupled views have more together, but not each of them, their coupling is left out.

.seealso: PCSKETCH, PCSketchGetMaxDimension()
@*/
PetscErrorCode PCSketchSetMaxDimension(PC pc, PetscInt maxdim)
{
  NAPIMethodSet(PC, pc, PCSketchSetMaxDimension, PetscInt, Int, maxdim);
}

NAPIMethodGetter(PC, PC_Sketch, PCSketchGetMaxDimension_Sketch, PetscInt, ctx->maxdim);

/*@
   PCSketchGetMaxDimension - Gets the largest number of columns for which a dense factor is made.

   Not Collective

   Input Parameter:
.  pc - the preconditioner

   Output Parameter:
.  maxdim - largest order of a factor

   Level: intermediate

.seealso: PCSKETCH, PCSketchSetMaxDimension()
@*/
PetscErrorCode PCSketchGetMaxDimension(PC pc, PetscInt *maxdim)
{
  NAPIMethodGet(PC, pc, PCSketchGetMaxDimension, PetscInt, maxdim);
}

static PetscErrorCode PCSetFromOptions_Sketch(PC pc, NAPIOptionItems PetscOptionsObject)
{
  PC_Sketch *sketch = (PC_Sketch *)pc->data;
  PetscReal  ratio  = sketch->ratio;
  PetscInt   number;
  PetscBool  set;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "PC sketch options");
  PetscCall(PetscOptionsReal("-pc_sketch_size", "Rows of the sketch for each column of the data", "PCSketchSetSize", ratio, &ratio, &set));
  if (set) PetscCall(PCSketchSetSize(pc, ratio));
  PetscCall(PetscOptionsInt("-pc_sketch_nonzeros", "Rows of the sketch that a sample is added to", "PCSketchSetNonzeros", sketch->nonzeros, &number, &set));
  if (set) PetscCall(PCSketchSetNonzeros(pc, number));
  PetscCall(PetscOptionsInt("-pc_sketch_seed", "Seed of its random numbers", "PCSketchSetSeed", sketch->seed, &number, &set));
  if (set) PetscCall(PCSketchSetSeed(pc, number));
  PetscCall(PetscOptionsInt("-pc_sketch_max_dimension", "Largest order of a dense factor", "PCSketchSetMaxDimension", sketch->maxdim, &number, &set));
  if (set) PetscCall(PCSketchSetMaxDimension(pc, number));
  PetscOptionsHeadEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- the rest ------------------------------------------------------------------------------------------------------ */

static PetscErrorCode PCView_Sketch(PC pc, PetscViewer viewer)
{
  PC_Sketch *sketch = (PC_Sketch *)pc->data;
  PetscBool  ascii;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPrintf(viewer, "  %g rows a column, %" PetscInt_FMT " nonzero%s a sample, seed %" PetscInt_FMT ", factors of order up to %" PetscInt_FMT "\n", (double)sketch->ratio, sketch->nonzeros, sketch->nonzeros > 1 ? "s" : "",
                                   sketch->seed, sketch->maxdim));
  for (PetscInt i = 0; i < sketch->nblocks; i++) {
    const SketchBlock *block = &sketch->block[i];
    const char        *what  = block->nviews > 1 ? "both views" : i ? "view Y" : "view X";

    if (!block->mem) PetscCall(PetscViewerASCIIPrintf(viewer, "  %s: Jacobi, its %" PetscInt_FMT " columns are too many for a dense factor\n", what, block->n));
    else if (block->exact) PetscCall(PetscViewerASCIIPrintf(viewer, "  %s: Cholesky of order %" PetscInt_FMT " of the matrix itself, there being only %" PetscInt_FMT " samples\n", what, block->n, block->m));
    else PetscCall(PetscViewerASCIIPrintf(viewer, "  %s: Cholesky of order %" PetscInt_FMT " of a sketch of %" PetscInt_FMT " rows\n", what, block->n, block->m));
    if (block->split) PetscCall(PetscViewerASCIIPrintf(viewer, "    not positive definite together: factored view by view\n"));
    if (block->shift > 0.0) PetscCall(PetscViewerASCIIPrintf(viewer, "    singular: %g was added to the diagonal\n", (double)block->shift));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The methods that the interface finds by their names, made known or taken away */
static PetscErrorCode PCSketch_Compose(PC pc, PetscBool known)
{
  PetscFunctionBegin;
  NAPIMethodCompose(pc, known, PCSketchSetSize, Sketch);
  NAPIMethodCompose(pc, known, PCSketchGetSize, Sketch);
  NAPIMethodCompose(pc, known, PCSketchSetNonzeros, Sketch);
  NAPIMethodCompose(pc, known, PCSketchGetNonzeros, Sketch);
  NAPIMethodCompose(pc, known, PCSketchSetSeed, Sketch);
  NAPIMethodCompose(pc, known, PCSketchGetSeed, Sketch);
  NAPIMethodCompose(pc, known, PCSketchSetMaxDimension, Sketch);
  NAPIMethodCompose(pc, known, PCSketchGetMaxDimension, Sketch);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCDestroy_Sketch(PC pc)
{
  PetscFunctionBegin;
  PetscCall(PCReset_Sketch(pc));
  PetscCall(PCSketch_Compose(pc, PETSC_FALSE));
  PetscCall(PetscFree(pc->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   PCSKETCH - PCSKETCH = "sketch" - Cholesky factor of a MATGRAM whose samples have been replaced by a few random
   combinations of them

   Options Database Keys:
+  -pc_sketch_size <ratio>           - rows of the sketch for each column of the data (4)
.  -pc_sketch_nonzeros <nonzeros>    - rows of the sketch that a sample is added to (4)
.  -pc_sketch_seed <seed>            - seed of its random numbers (0)
-  -pc_sketch_max_dimension <maxdim> - largest order of a dense factor (4000)

   Level: beginner

   Notes:
   For n samples of d columns, n much larger than d, and small ridges. The set-up reads the data once and takes ratio*d^3
   operations, an application 2 d^2 for each column. The condition number of the preconditioned matrix does not depend on
   that of the matrix. The sketch is kept as long as the data are the same: a new ridge or coupling only takes a new
   factor.

   Each rank sketches the samples it has; the factor is stored, and solved with, on every rank.

   Two views are factored one by one, unless S_12 /= 0: then together, provided that the sketched matrix is positive
   definite. Where a view has too many columns for a dense factor Jacobi takes its place, which -pc_view (in -ksp_view) and
   -info tell. Singular matrices (zero columns and no ridge) are shifted a little. If there is no factor, the matrix
   being indefinite, KSP ends with KSP_DIVERGED_PC_FAILED.

.seealso: MATGRAM, PCSketchSetSize(), PCSketchSetNonzeros(), PCSketchSetSeed(), PCSketchSetMaxDimension()
M*/
PetscErrorCode PCCreate_Sketch(PC pc)
{
  PC_Sketch *sketch;

  PetscFunctionBegin;
  PetscCall(PetscNew(&sketch));
  pc->data         = (void *)sketch;
  sketch->ratio    = SKETCH_RATIO;
  sketch->nonzeros = SKETCH_NONZEROS;
  sketch->maxdim   = SKETCH_MAX_DIMENSION;

  pc->ops->setup          = PCSetUp_Sketch;
  pc->ops->apply          = PCApply_Sketch;
  pc->ops->matapply       = PCMatApply_Sketch;
  pc->ops->applytranspose = PetscDefined(USE_COMPLEX) ? NULL : PCApply_Sketch;
  pc->ops->setfromoptions = PCSetFromOptions_Sketch;
  pc->ops->view           = PCView_Sketch;
  pc->ops->reset          = PCReset_Sketch;
  pc->ops->destroy        = PCDestroy_Sketch;

  PetscCall(PCSketch_Compose(pc, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
