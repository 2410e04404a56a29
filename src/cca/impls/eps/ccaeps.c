/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA type "eps": canonical correlations as eigenvalues of the pair

     A = [0 S12; S12' 0],  B = diag(S11, S22),   A [u;v] = rho B [u;v],   A [u;-v] = -rho B [u;-v],

   by any EPS. This is Algorithm 3 of

     V. V. Mai and M. Johansson, "Noisy Accelerated Power Method for Eigenproblems with Applications",
     IEEE Trans. Signal Process. 67(12), 2019:

     (2) 2k eigenvectors of largest magnitude, which come in pairs [u;v], [u;-v]; k suffice where the EPS can order by the
         real part
     (3) a 2k x k Gaussian matrix G                                          with -cca_eps_map gaussian
     (4) U~ G, V~ G
     (5), (6) QR in S11 and S22

   Steps (3) to (6) lose digits when G is ill-conditioned. By default the directions are all 2k parts, from which the
   Rayleigh-Ritz step of CCASolve() takes the best k: it loses none.
*/
#include <slepcnapi/private/ccaimpl.h>
#include <slepcnapi/private/napitighten.h>
#include <slepc/private/epsimpl.h> /* the category of an EPS */

typedef enum {
  CCA_EPS_MAP_RITZ,
  CCA_EPS_MAP_GAUSSIAN
} CCAEPSMap;
static const char *const CCAEPSMaps[] = {"ritz", "gaussian", "CCAEPSMap", "CCA_EPS_MAP_", NULL};

typedef struct {
  CCAEPSMap map;
  PetscBool watched;  /* the EPS has our monitor: older ones would not mind to have it twice */
  PetscInt  previous; /* iterations of the solves before the last */
} CCA_EPS;

/* ------------------------------------------------- set-up ------------------------------------------------- */

/* Each step of the EPS is one of ours: eigenvalues are correlations and their negatives */
static PetscErrorCode CCAEPS_Monitor(EPS eps, PetscInt its, PetscInt nconv, PetscScalar *eigr, PetscScalar *eigi, PetscReal *errest, PetscInt nest, void *ctx)
{
  CCA         cca = (CCA)ctx;
  PetscInt    n = 0, converged = 0;
  PetscReal  *rho, *error, objective = 0.0;
  PetscScalar kr, ki;
  ST          st;

  PetscFunctionBegin;
  (void)eigi;
  PetscCall(EPSGetST(eps, &st));
  PetscCall(PetscMalloc2(cca->k, &rho, cca->k, &error));
  for (PetscInt j = 0; j < nest && n < cca->k; j++) {
    kr = eigr[j];
    ki = 0.0;
    PetscCall(STBackTransform(st, 1, &kr, &ki));
    if (!(PetscRealPart(kr) > 0.0)) continue;
    if (j < nconv) converged++;
    rho[n]   = PetscMin(1.0, PetscRealPart(kr));
    error[n] = errest[j];
    objective += rho[n++];
  }
  PetscCall(CCARecord_Private(cca, objective));
  PetscCall(CCAMonitor_Private(cca, ((CCA_EPS *)cca->data)->previous + its, converged, n, rho, error));
  PetscCall(PetscFree2(rho, error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CCASetUp_EPS(CCA cca)
{
  CCA_EPS        *ctx = (CCA_EPS *)cca->data;
  EPS             eps;
  EPSNAPIMomentum momentum;
  EPSWhich        which;
  PetscBool       napi, set;
  PetscInt        ncv, mpd;
  char            type[256];
  ST              st;
  KSP             ksp;
  PC              pc;

  PetscFunctionBegin;
  PetscCall(CCAGetEPS(cca, &eps));
  PetscCall(EPSSetOperators(eps, cca->A, cca->B));
  PetscCall(EPSSetProblemType(eps, EPS_GHEP));
  PetscCall(PetscOptionsGetString(((PetscObject)eps)->options, ((PetscObject)eps)->prefix, "-eps_type", type, sizeof(type), &set));
  if (set) PetscCall(EPSSetType(eps, type));
  else if (!((PetscObject)eps)->type_name) PetscCall(EPSSetType(eps, EPSNAPI));
  PetscCall(PetscObjectTypeCompare((PetscObject)eps, EPSNAPI, &napi));
  if (!napi) { /* their default would be to factor B or A, which are not there; for the largest eigenvalues B is the one that counts */
    PetscCall(EPSGetST(eps, &st));
    PetscCall(STGetKSP(st, &ksp));
    PetscCall(KSPGetPC(ksp, &pc));
    if (!((PetscObject)pc)->type_name) PetscCall(PCSetType(pc, PCJACOBI));
    if (eps->categ == EPS_CATEGORY_PRECOND) PetscCall(STSetPreconditionerMat(st, cca->B));
    else if (!((PetscObject)ksp)->type_name) PetscCall(KSPSetType(ksp, KSPCG));
  }
  PetscCall(EPSSetWhichEigenpairs(eps, EPS_LARGEST_REAL));
  PetscCall(EPSSetTolerances(eps, cca->tol, cca->max_it));
  PetscCall(EPSSetDimensions(eps, cca->k, PETSC_DECIDE, PETSC_DECIDE));
  PetscCall(EPSSetFromOptions(eps));
  if (napi) {
    /* none, fixed and adaptive momentum find the largest magnitude, both signs of it */
    PetscCall(EPSNAPIGetMomentum(eps, &momentum));
    if (momentum != EPS_NAPI_MOMENTUM_OPTIMAL) PetscCall(EPSSetWhichEigenpairs(eps, EPS_LARGEST_MAGNITUDE));
    PetscCall(EPSNAPISetResidual(eps, EPS_NAPI_RESIDUAL_SCALED)); /* the one we test too */
  }
  PetscCall(EPSGetWhichEigenpairs(eps, &which));
  PetscCall(EPSGetDimensions(eps, NULL, &ncv, &mpd));
  PetscCall(PetscOptionsHasName(((PetscObject)eps)->options, ((PetscObject)eps)->prefix, "-eps_nev", &set));
  if (which != EPS_LARGEST_REAL && !set) PetscCall(EPSSetDimensions(eps, 2 * cca->k, ncv, mpd)); /* both signs */
  if (!ctx->watched) PetscCall(EPSMonitorSet(eps, CCAEPS_Monitor, cca, NULL));
  PetscCall(CCAWatchEPS_Private(cca, eps));
  ctx->watched = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- solve ------------------------------------------------- */

/* The parts of the first p eigenvectors become the bases */
static PetscErrorCode CCAEPS_GetParts(CCA cca, PetscInt p)
{
  Vec x;

  PetscFunctionBegin;
  PetscCall(CCAAllocateBasis_Private(cca, p));
  PetscCall(MatCreateVecs(cca->B, &x, NULL));
  for (PetscInt j = 0; j < p; j++) {
    PetscCall(EPSGetEigenvector(cca->eps, j, x, NULL));
    for (int i = 0; i < 2; i++) PetscCall(CCAScatterPart_Private(cca, i, SCATTER_FORWARD, x, cca->basis[i], j));
  }
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (3), (4): the same on all ranks, since all draw the same numbers */
static PetscErrorCode CCAEPS_GaussianMap(CCA cca, PetscInt p)
{
  PetscInt     k = PetscMin(cca->k, p);
  PetscScalar *g;
  PetscReal    a, b;
  PetscRandom  random;
  Mat          G;

  PetscFunctionBegin;
  PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &random));
  PetscCall(PetscRandomSetFromOptions(random));
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, p, k, NULL, &G));
  PetscCall(MatDenseGetArrayWrite(G, &g));
  for (PetscInt j = 0; j < p * k; j++) { /* a standard normal number out of two uniform ones */
    PetscCall(PetscRandomGetValueReal(random, &a));
    PetscCall(PetscRandomGetValueReal(random, &b));
    g[j] = PetscSqrtReal(-2.0 * PetscLogReal(PetscMax(a, PETSC_MACHINE_EPSILON))) * PetscCosReal(2.0 * PETSC_PI * b);
  }
  PetscCall(MatDenseRestoreArrayWrite(G, &g));
  PetscCall(PetscRandomDestroy(&random));
  for (int i = 0; i < 2; i++) {
    PetscCall(BVMultInPlace(cca->basis[i], G, 0, k));
    PetscCall(BVSetActiveColumns(cca->basis[i], 0, k));
  }
  PetscCall(MatDestroy(&G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The user's initial directions, as an initial space of the EPS */
static PetscErrorCode CCAEPS_SetInitialSpace(CCA cca)
{
  PetscInt p;
  Vec     *x, w;
  BV       start[2];

  PetscFunctionBegin;
  if (!cca->begin[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetSize(cca->begin[0], NULL, &p));
  PetscCall(CCARandomBasis_Private(cca, p, start)); /* no more than were given */
  PetscCall(MatCreateVecs(cca->B, &w, NULL));
  PetscCall(VecDuplicateVecs(w, p, &x));
  PetscCall(VecDestroy(&w));
  for (PetscInt j = 0; j < p; j++)
    for (int i = 0; i < 2; i++) PetscCall(CCAScatterPart_Private(cca, i, SCATTER_REVERSE, x[j], start[i], j));
  PetscCall(EPSSetInitialSpace(cca->eps, p, x));
  PetscCall(VecDestroyVecs(p, &x));
  for (int i = 0; i < 2; i++) PetscCall(BVDestroy(&start[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest ||A x - lambda B x||/(|lambda| ||B x||) of the first p eigenpairs */
static PetscErrorCode CCAEPS_WorstResidual(CCA cca, PetscInt p, PetscReal *worst)
{
  PetscScalar lambda;
  PetscReal  *sigma, *error;
  Vec         x, r, b;
  BV          R, BX;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(p, &sigma, p, &error));
  PetscCall(CCANewBasis_Private(cca, CCA_BOTH, p, &R));
  PetscCall(BVDuplicate(R, &BX));
  PetscCall(MatCreateVecs(cca->B, &x, NULL));
  for (PetscInt j = 0; j < p; j++) {
    PetscCall(EPSGetEigenpair(cca->eps, j, &lambda, NULL, x, NULL));
    sigma[j] = PetscRealPart(lambda);
    PetscCall(BVGetColumn(R, j, &r));
    PetscCall(BVGetColumn(BX, j, &b));
    PetscCall(MatMult(cca->A, x, r));
    PetscCall(MatMult(cca->B, x, b));
    PetscCall(BVRestoreColumn(BX, j, &b));
    PetscCall(BVRestoreColumn(R, j, &r));
  }
  PetscCall(MatGramAddPasses(cca->A, -(PetscReal)p, 1)); /* looking is not part of the method, and not counted */
  PetscCall(MatGramAddPasses(cca->B, -(PetscReal)p, 1));
  PetscCall(CCAResidual_Private(1, &R, &BX, p, sigma, error));
  *worst = 0.0;
  for (PetscInt j = 0; j < p; j++) *worst = PetscMax(*worst, error[j]);
  PetscCall(VecDestroy(&x));
  PetscCall(BVDestroy(&R));
  PetscCall(BVDestroy(&BX));
  PetscCall(PetscFree2(sigma, error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* EPSNAPI tests the residual that counts, others ||r||/(|lambda| ||x||): where what they return is not good enough, they are asked again */
static PetscErrorCode CCAEPS_SolvePair(CCA cca, PetscInt *nconv, PetscInt *nev)
{
  CCA_EPS  *ctx = (CCA_EPS *)cca->data;
  PetscBool napi;
  PetscReal tol, wanted, worst;
  PetscInt  its, max_it;

  PetscFunctionBegin;
  ctx->previous = 0;
  PetscCall(PetscObjectTypeCompare((PetscObject)cca->eps, EPSNAPI, &napi));
  PetscCall(EPSGetDimensions(cca->eps, nev, NULL, NULL));
  PetscCall(EPSGetTolerances(cca->eps, &wanted, &max_it));
  tol = wanted;
  for (PetscInt solves = 1;; solves++) {
    PetscCall(CCAEPS_SetInitialSpace(cca));
    PetscCall(EPSSolve(cca->eps));
    PetscCall(EPSGetIterationNumber(cca->eps, &its));
    PetscCall(EPSGetConverged(cca->eps, nconv));
    cca->its = ctx->previous + its;
    if (napi || *nconv < *nev) break;
    PetscCall(CCAEPS_WorstResidual(cca, *nev, &worst));
    if (!NAPITighten(solves, cca->tol, worst, &tol)) break;
    PetscCall(PetscInfo(cca, "The residual is %g: once more, with a tolerance of %g\n", (double)worst, (double)tol));
    PetscCall(EPSSetTolerances(cca->eps, tol, max_it));
    PetscCall(EPSSetOperators(cca->eps, cca->A, cca->B)); /* else it would say that it has solved this already */
    ctx->previous = cca->its;
  }
  PetscCall(EPSSetTolerances(cca->eps, wanted, max_it));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CCASolve_EPS(CCA cca)
{
  CCA_EPS           *ctx = (CCA_EPS *)cca->data;
  EPSConvergedReason reason;
  PetscInt           nconv, nev, p;

  PetscFunctionBegin;
  PetscCall(CCAEPS_SolvePair(cca, &nconv, &nev));
  PetscCall(EPSGetConvergedReason(cca->eps, &reason));
  if (reason > 0 && nconv >= nev) cca->reason = CCA_CONVERGED_TOL;
  else if (cca->stop) cca->reason = CCA_DIVERGED_USER;
  else cca->reason = reason == EPS_DIVERGED_ITS ? CCA_DIVERGED_ITS : CCA_DIVERGED_BREAKDOWN;
  p = PetscMin(nconv, PetscMax(nev, cca->k));
  PetscCall(CCAEPS_GetParts(cca, p));
  if (ctx->map == CCA_EPS_MAP_GAUSSIAN && p) PetscCall(CCAEPS_GaussianMap(cca, p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- options, view, create ------------------------------------------------- */

static PetscErrorCode CCASetFromOptions_EPS(CCA cca, NAPIOptionItems PetscOptionsObject)
{
  CCA_EPS *ctx = (CCA_EPS *)cca->data;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "CCA EPS options");
  PetscCall(PetscOptionsEnum("-cca_eps_map", "How eigenvectors become directions", "CCAEPS", CCAEPSMaps, (PetscEnum)ctx->map, (PetscEnum *)&ctx->map, NULL));
  PetscOptionsHeadEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CCAView_EPS(CCA cca, PetscViewer viewer)
{
  CCA_EPS *ctx = (CCA_EPS *)cca->data;

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "eigenvectors of the pair become directions by %s\n", ctx->map == CCA_EPS_MAP_GAUSSIAN ? "a Gaussian map" : "Rayleigh-Ritz in each view"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   CCAEPS - CCAEPS = "eps" - Canonical correlations as eigenvalues of a pair (A,B) that is never formed, by any EPS

   Options Database Keys:
+  -cca_eps_map <ritz>  - how 2k eigenvectors become k pairs: ritz, by Rayleigh-Ritz in each view, or gaussian, by a random
                          Gaussian matrix as in Algorithm 3 of the paper, which may lose some digits
.  -cca_eps_type <napi> - the eigensolver; all its options have the prefix cca_
-  -cca_st_ksp_type, -cca_st_pc_type - the solver for B inside of it

   Level: intermediate

   Notes:
   EPSNAPI with momentum none, fixed and adaptive iterates with 2k columns, plus guard columns, because eigenvalues come in
   pairs of opposite sign; so does any other EPS told -cca_eps_largest_magnitude. Otherwise the k largest are computed.
   With momentum fixed, the eigenvalue after the wanted ones is the canonical correlation number k+1.

   An EPS that tests another residual than ours is called again, with a smaller tolerance, if that turns out to be necessary.

.seealso: CCASetType(), CCAGetEPS(), EPSNAPI, CCANAPI
M*/
PetscErrorCode CCACreate_EPS(CCA cca)
{
  CCA_EPS *ctx;

  PetscFunctionBegin;
  PetscCall(PetscNew(&ctx));
  cca->data                = (void *)ctx;
  cca->ops->setup          = CCASetUp_EPS;
  cca->ops->solve          = CCASolve_EPS;
  cca->ops->setfromoptions = CCASetFromOptions_EPS;
  cca->ops->view           = CCAView_EPS;
  cca->ops->destroy        = CCADestroy_Default;
  PetscFunctionReturn(PETSC_SUCCESS);
}
