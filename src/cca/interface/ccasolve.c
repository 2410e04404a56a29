/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA: the solution. A type finds directions; ccaritz.c makes canonical pairs of them.
*/
#include <slepcnapi/private/ccaimpl.h>

/* ------------------------------------------------- bases ------------------------------------------------- */

/* A BV for p directions of one view */
PetscErrorCode CCANewBasis_Private(CCA cca, PetscInt view, PetscInt p, BV *basis)
{
  Vec t;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(view ? cca->Y : cca->X, &t, NULL));
  PetscCall(BVCreate(PetscObjectComm((PetscObject)cca), basis));
  PetscCall(BVSetType(*basis, BVMAT));
  PetscCall(BVSetSizesFromVec(*basis, t, p));
  PetscCall(VecDestroy(&t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bases of p columns: some of the user's initial directions, and random ones, draw number draw of them */
static PetscErrorCode RandomBasis(CCA cca, PetscInt p, PetscInt given, PetscInt draw, BV basis[2])
{
  PetscInt    j;
  BV          t[2] = {NULL, NULL};
  PetscRandom random;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)cca), &rank));
  for (int i = 0; i < 2; i++) {
    PetscCall(CCANewBasis_Private(cca, i, p, &basis[i]));
    if (draw) { /* a new BV begins with the same numbers as any other */
      PetscCall(BVGetRandomContext(basis[i], &random));
      PetscCall(PetscRandomSetSeed(random, 0x12345678UL + 76543UL * (unsigned long)rank + 7919UL * (unsigned long)(2 * draw + i)));
      PetscCall(PetscRandomSeed(random));
    }
    for (j = given; j < p; j++) PetscCall(BVSetRandomColumn(basis[i], j));
    if (given) {
      Vec u;

      for (j = 0; j < given; j++) {
        PetscCall(MatDenseGetColumnVecRead(cca->begin[i], j, &u));
        PetscCall(BVInsertVec(basis[i], j, u));
        PetscCall(MatDenseRestoreColumnVecRead(cca->begin[i], j, &u));
      }
    }
  }
  if (given < p && (cca->ridge[0] == 0.0 || cca->ridge[1] == 0.0)) {
    BV image[2] = {basis[1], basis[0]};

    for (int i = 0; i < 2; i++) {
      PetscCall(BVSetActiveColumns(basis[i], given, p));
      PetscCall(CCANewBasis_Private(cca, i, p - given, &t[i]));
      PetscCall(BVCopy(basis[i], t[i]));
    }
    PetscCall(CCAMultViews_Private(draw ? cca->B : cca->A, NULL, t, image, NULL, NULL));
    for (int i = 0; i < 2; i++) {
      PetscCall(BVSetActiveColumns(basis[i], 0, p));
      PetscCall(BVDestroy(&t[i]));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCARandomBasis_Private - New bases of p columns to begin with: the user's initial directions first, random ones behind. Where a
   ridge is zero the latter are multiplied by A, so that they have no part in the null space of S11 or S22.
*/
PetscErrorCode CCARandomBasis_Private(CCA cca, PetscInt p, BV basis[2])
{
  PetscInt given = 0;

  PetscFunctionBegin;
  if (cca->begin[0]) PetscCall(MatGetSize(cca->begin[0], NULL, &given));
  PetscCall(RandomBasis(cca, p, PetscMin(given, p), 0, basis));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCAFreshBasis_Private - The same in the course of a solution: random columns only, and other ones each time. Where a ridge is zero
   they are multiplied by B: what A has as its range may be used up.
*/
PetscErrorCode CCAFreshBasis_Private(CCA cca, PetscInt p, BV basis[2])
{
  PetscFunctionBegin;
  PetscCall(RandomBasis(cca, p, 0, ++cca->draws, basis));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCASetBasis_Private - By which a type hands over what it has found: dense matrices, with as many columns each and the
   distribution of the views' columns, which are copied.
*/
PetscErrorCode CCASetBasis_Private(CCA cca, Mat U, Mat V)
{
  Mat      found[2] = {U, V}, M;
  PetscInt p;

  PetscFunctionBegin;
  PetscCall(MatGetSize(U, NULL, &p));
  for (int i = 0; i < 2; i++) {
    PetscCall(BVDestroy(&cca->basis[i]));
    PetscCall(CCANewBasis_Private(cca, i, PetscMax(1, p), &cca->basis[i]));
    PetscCall(BVSetActiveColumns(cca->basis[i], 0, p));
    if (!p) continue;
    PetscCall(BVGetMat(cca->basis[i], &M));
    PetscCall(MatCopy(found[i], M, SAME_NONZERO_PATTERN));
    PetscCall(BVRestoreMat(cca->basis[i], &M));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCACreatePart_Private - A vector of one view, distributed like its columns, and what takes it out of a vector [u;v] with the
   rows of the pair.
*/
PetscErrorCode CCACreatePart_Private(CCA cca, int view, VecScatter *part, Vec *v)
{
  PetscInt first, last;
  Vec      x;
  IS       from;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(cca->B, &x, NULL));
  PetscCall(MatCreateVecs(view ? cca->Y : cca->X, v, NULL));
  PetscCall(VecGetOwnershipRange(*v, &first, &last));
  PetscCall(ISCreateStride(PetscObjectComm((PetscObject)cca), last - first, first + (view ? cca->d[0] : 0), 1, &from));
  PetscCall(VecScatterCreate(x, from, *v, NULL, part));
  PetscCall(ISDestroy(&from));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- the solution ------------------------------------------------- */

/* u and -u, v and -v together are the same pair: take the one with sum u_i^3 > 0, on any number of ranks */
static PetscErrorCode FixSigns(CCA cca)
{
  PetscInt     m, ld;
  PetscReal   *sum;
  PetscMPIInt  count;
  PetscScalar *u;
  Vec          v;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(cca->ncols, &sum));
  PetscCall(MatGetLocalSize(cca->U, &m, NULL));
  PetscCall(MatDenseGetLDA(cca->U, &ld));
  PetscCall(MatDenseGetArray(cca->U, &u));
  for (PetscInt j = 0; j < cca->ncols; j++) {
    for (PetscInt i = 0; i < m; i++) sum[j] += PetscRealPart(u[i + j * ld]) * PetscRealPart(u[i + j * ld]) * PetscRealPart(u[i + j * ld]);
  }
  PetscCall(MatDenseRestoreArray(cca->U, &u));
  PetscCall(PetscMPIIntCast(cca->ncols, &count));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, count, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)cca)));
  for (PetscInt j = 0; j < cca->ncols; j++) {
    if (sum[j] >= 0.0) continue;
    for (int i = 0; i < 2; i++) {
      PetscCall(MatDenseGetColumnVec(i ? cca->V : cca->U, j, &v));
      PetscCall(VecScale(v, -1.0));
      PetscCall(MatDenseRestoreColumnVec(i ? cca->V : cca->U, j, &v));
    }
  }
  PetscCall(PetscFree(sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Between the coordinates of the user's columns and those of columns of unit variance, where the latter are our choice:
   x'u = (x'diag(s))(diag(1/s) u). back: W := diag(s) W, else W := diag(1/s) W.
*/
static PetscErrorCode ChangeUnits(CCA cca, PetscInt view, PetscBool back, Mat W)
{
  PetscInt     m, k, first, ld;
  PetscReal   *s;
  PetscScalar *w;

  PetscFunctionBegin;
  if (cca->scale || !cca->unit[view]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(cca->d[view], &s));
  PetscCall(MatGramGetScales(cca->B, view, s));
  PetscCall(MatGetLocalSize(W, &m, NULL));
  PetscCall(MatGetSize(W, NULL, &k));
  PetscCall(MatGetOwnershipRange(W, &first, NULL));
  PetscCall(MatDenseGetLDA(W, &ld));
  PetscCall(MatDenseGetArray(W, &w));
  for (PetscInt i = 0; i < m; i++) {
    const PetscReal factor = back ? s[first + i] : s[first + i] > 0.0 ? 1.0 / s[first + i] : 0.0;

    for (PetscInt j = 0; j < k; j++) w[i + j * ld] *= factor;
  }
  PetscCall(MatDenseRestoreArray(W, &w));
  PetscCall(PetscFree(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The user's initial directions, for the type */
static PetscErrorCode SetUpBegin(CCA cca)
{
  PetscInt m, rows;

  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) {
    PetscCall(MatDestroy(&cca->begin[i]));
    if (!cca->start[i]) continue;
    PetscCall(MatGetLocalSize(cca->start[i], &m, NULL));
    PetscCall(MatGetLocalSize(i ? cca->Y : cca->X, NULL, &rows));
    PetscCheck(m == rows, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "The initial directions of view %d have %" PetscInt_FMT " local rows, the view has %" PetscInt_FMT " local columns", i + 1, m, rows);
    PetscCall(MatDuplicate(cca->start[i], MAT_COPY_VALUES, &cca->begin[i]));
    PetscCall(ChangeUnits(cca, i, PETSC_FALSE, cca->begin[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The results, from the bases the type has found */
static PetscErrorCode Finish(CCA cca)
{
  CCARitz         z;
  NAPIBasisStatus status;
  Mat             M;

  PetscFunctionBegin;
  PetscCall(CCARayleighRitz_Private(cca, cca->basis, &z, &status));
  PetscCall(BVDestroy(&cca->basis[0]));
  PetscCall(BVDestroy(&cca->basis[1]));
  if (status) {
    PetscCall(PetscInfo(cca, "The solution found is none: %s\n", NAPIBasisStatuses[status]));
    cca->reason = CCA_DIVERGED_BREAKDOWN;
  } else {
    cca->ncols = PetscMin(cca->k, z.n);
    if (cca->check == CCA_CHECK_CERTIFY) {
      PetscCall(PetscMalloc1(cca->ncols, &cca->bound));
      PetscCall(CCACertify_Private(cca, &z, cca->ncols, cca->bound));
    }
    PetscCall(PetscMalloc2(cca->ncols, &cca->rho, cca->ncols, &cca->error));
    for (int i = 0; i < 2 && cca->ncols; i++) {
      PetscCall(BVSetActiveColumns(z.W[i], 0, cca->ncols));
      PetscCall(BVGetMat(z.W[i], &M));
      PetscCall(MatDuplicate(M, MAT_COPY_VALUES, i ? &cca->V : &cca->U));
      PetscCall(BVRestoreMat(z.W[i], &M));
    }
    for (PetscInt j = 0; j < cca->ncols; j++) {
      cca->rho[j]   = PetscMin(1.0, z.sigma[j]); /* rounding must not make it larger */
      cca->error[j] = z.error[j];
    }
    while (cca->nconv < cca->ncols && cca->error[cca->nconv] <= cca->tol) cca->nconv++;
    if (cca->ncols) {
      PetscCall(FixSigns(cca)); /* before, so that signs do not depend on units either */
      PetscCall(ChangeUnits(cca, 0, PETSC_TRUE, cca->U));
      PetscCall(ChangeUnits(cca, 1, PETSC_TRUE, cca->V));
    }
    if (cca->reason > 0 && cca->nconv < cca->ncols) {
      PetscCall(PetscInfo(cca, "The method has ended, but the residual of pair %" PetscInt_FMT " is %g\n", cca->nconv + 1, (double)cca->error[cca->nconv]));
      cca->reason = CCA_DIVERGED_ACCURACY;
    } else if (cca->reason > 0) cca->reason = cca->ncols < cca->k ? CCA_CONVERGED_RANK : CCA_CONVERGED_TOL;
  }
  PetscCall(CCARitzDestroy_Private(&z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The counters of A, B, S11 and S22 */
static PetscErrorCode Counters(CCA cca, PetscReal columns[4], PetscReal passes[4])
{
  Mat mats[4] = {cca->A, cca->B, cca->S[0], cca->S[1]};

  PetscFunctionBegin;
  for (int i = 0; i < 4; i++) {
    PetscCall(MatGramGetColumnPasses(mats[i], &columns[i]));
    PetscCall(MatGramGetPasses(mats[i], &passes[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the solution has cost so far; S11 and S22 see half of the data each */
PetscErrorCode CCAGetCost_Private(CCA cca, PetscReal *a, PetscReal *b, PetscReal *passes)
{
  PetscReal c[4], p[4];

  PetscFunctionBegin;
  PetscCall(Counters(cca, c, p));
  for (int i = 0; i < 4; i++) {
    c[i] -= cca->columns0[i];
    p[i] -= cca->passes0[i];
  }
  if (a) *a = c[0];
  if (b) *b = c[1] + (c[2] + c[3]) / 2.0;
  if (passes) *passes = p[0] + p[1] + (p[2] + p[3]) / 2.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCASolve - Finds the canonical correlations and directions.

   Collective

   Input Parameter:
.  cca - the object

   Options Database Keys:
+  -cca_view             - describes the object afterwards
-  -cca_converged_reason - says why the solution ended

   Level: beginner

   Note:
   Whatever the method, correlations and directions come from a final Rayleigh-Ritz step with fresh products, and a pair
   counts as converged only if its residual computed from these is small enough.

.seealso: CCACreate(), CCAGetConverged(), CCAGetCorrelation(), CCAGetDirections(), CCATransform()
@*/
PetscErrorCode CCASolve(CCA cca)
{
  PetscBool flg;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscCall(CCASetUp(cca));
  PetscCall(PetscLogEventBegin(CCA_Solve, cca, 0, 0, 0));
  PetscCall(MatDestroy(&cca->U));
  PetscCall(MatDestroy(&cca->V));
  PetscCall(PetscFree2(cca->rho, cca->error));
  PetscCall(PetscFree(cca->bound));
  cca->ncols = cca->nconv = cca->its = cca->nhistory = 0;
  cca->largest[0] = cca->largest[1] = 0.0;
  cca->draws                        = 0;
  cca->reason                       = CCA_CONVERGED_ITERATING;
  PetscCall(Counters(cca, cca->columns0, cca->passes0));
  PetscCall(SetUpBegin(cca));
  PetscCall((*cca->ops->solve)(cca));
  for (int i = 0; i < 2; i++) PetscCall(MatDestroy(&cca->begin[i]));
  PetscCheck(cca->reason, PetscObjectComm((PetscObject)cca), PETSC_ERR_PLIB, "The method gave no reason why it has ended");
  if (cca->basis[0]) PetscCall(Finish(cca));
  PetscCall(PetscLogEventEnd(CCA_Solve, cca, 0, 0, 0));
  PetscCall(CCAViewFromOptions(cca, NULL, "-cca_view"));
  PetscCall(PetscOptionsHasName(((PetscObject)cca)->options, ((PetscObject)cca)->prefix, "-cca_converged_reason", &flg));
  if (flg) PetscCall(PetscPrintf(PetscObjectComm((PetscObject)cca), "Canonical correlations: %s, %" PetscInt_FMT " pairs in %" PetscInt_FMT " iterations\n", CCAConvergedReasons[cca->reason], cca->nconv, cca->its));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- monitors, history ------------------------------------------------- */

/* Notes the objective, the sum of the wanted correlations, at the passes made so far */
PetscErrorCode CCARecord_Private(CCA cca, PetscReal objective)
{
  PetscReal *passes, *objectives;

  PetscFunctionBegin;
  if (!cca->wanthistory) PetscFunctionReturn(PETSC_SUCCESS);
  if (cca->nhistory == cca->roomhistory) {
    cca->roomhistory = PetscMax(64, 2 * cca->roomhistory);
    PetscCall(PetscMalloc2(cca->roomhistory, &passes, cca->roomhistory, &objectives));
    PetscCall(PetscArraycpy(passes, cca->hpasses, cca->nhistory));
    PetscCall(PetscArraycpy(objectives, cca->hobjective, cca->nhistory));
    PetscCall(PetscFree2(cca->hpasses, cca->hobjective));
    cca->hpasses    = passes;
    cca->hobjective = objectives;
  }
  PetscCall(CCAGetCost_Private(cca, NULL, NULL, &cca->hpasses[cca->nhistory]));
  cca->hobjective[cca->nhistory++] = objective;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A step of the method is done: nconv pairs have converged, n correlations and errors are known */
PetscErrorCode CCAMonitor_Private(CCA cca, PetscInt its, PetscInt nconv, PetscInt n, const PetscReal rho[], const PetscReal error[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < cca->nmonitors; i++) PetscCall((*cca->monitor[i])(cca, its, nconv, n, rho, error, cca->monitorctx[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
   CCAMonitorSet - Adds a function that is called in every step of the solution.

   Logically Collective

   Input Parameters:
+  cca     - the object
.  monitor - the function
.  ctx     - its own data, or NULL
-  destroy - what frees them, or NULL

   Calling sequence of monitor:
$   PetscErrorCode monitor(CCA cca,PetscInt its,PetscInt nconv,PetscInt n,const PetscReal rho[],const PetscReal error[],void *ctx)
+  its   - the step
.  nconv - pairs that seem to have converged
.  n     - number of estimates that follow
.  rho   - estimates of the correlations
.  error - estimates of their relative residuals; negative where a method has none
-  ctx   - its own data

   Options Database Key:
.  -cca_monitor - sets CCAMonitorDefault()

   Level: intermediate

.seealso: CCAMonitorCancel(), CCAMonitorDefault()
@*/
PetscErrorCode CCAMonitorSet(CCA cca, PetscErrorCode (*monitor)(CCA, PetscInt, PetscInt, PetscInt, const PetscReal[], const PetscReal[], void *), void *ctx, PetscErrorCode (*destroy)(void **))
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  for (PetscInt i = 0; i < cca->nmonitors; i++)
    if (cca->monitor[i] == monitor && cca->monitorctx[i] == ctx) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(cca->nmonitors < CCA_MAXMONITORS, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_OUTOFRANGE, "There are %d monitors already: use CCAMonitorCancel() first", CCA_MAXMONITORS);
  cca->monitor[cca->nmonitors]        = monitor;
  cca->monitorctx[cca->nmonitors]     = ctx;
  cca->monitordestroy[cca->nmonitors] = destroy;
  cca->nmonitors++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAMonitorCancel - Removes all monitors.

   Logically Collective

   Input Parameter:
.  cca - the object

   Level: intermediate

.seealso: CCAMonitorSet()
@*/
PetscErrorCode CCAMonitorCancel(CCA cca)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  for (PetscInt i = 0; i < cca->nmonitors; i++)
    if (cca->monitordestroy[i]) PetscCall((*cca->monitordestroy[i])(&cca->monitorctx[i]));
  cca->nmonitors = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
   CCAMonitorDefault - Prints a line: the step, the pairs that have converged, the first correlation and error after them.

   Collective

   Input Parameters:
+  cca   - the object
.  its   - the step
.  nconv - pairs that seem to have converged
.  n     - number of estimates
.  rho   - estimates of the correlations
.  error - estimates of their relative residuals
-  ctx   - not used

   Options Database Key:
.  -cca_monitor - sets this monitor

   Level: intermediate

.seealso: CCAMonitorSet()
@*/
PetscErrorCode CCAMonitorDefault(CCA cca, PetscInt its, PetscInt nconv, PetscInt n, const PetscReal rho[], const PetscReal error[], void *ctx)
{
  PetscInt    j = PetscMin(nconv, n - 1);
  PetscViewer viewer;

  PetscFunctionBegin;
  (void)ctx;
  PetscCall(PetscViewerASCIIGetStdout(PetscObjectComm((PetscObject)cca), &viewer));
  PetscCall(PetscViewerASCIIPrintf(viewer, "%4" PetscInt_FMT " CCA nconv=%" PetscInt_FMT, its, nconv));
  if (j >= 0) {
    PetscCall(PetscViewerASCIIPrintf(viewer, " correlation %" PetscInt_FMT ": %.10f", j + 1, (double)rho[j]));
    if (error[j] >= 0.0) PetscCall(PetscViewerASCIIPrintf(viewer, " residual=%9.3e", (double)error[j]));
  }
  PetscCall(PetscViewerASCIIPrintf(viewer, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}
