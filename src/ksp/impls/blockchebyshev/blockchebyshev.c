/* SPDX-License-Identifier: BSD-2-Clause */
/*
   KSPBLOCKCHEBYSHEV = "blockchebyshev": Chebyshev's iteration (of the first kind) for all columns of KSPMatSolve() at once. With the
   spectrum of M^{-1}A in [a,b], theta = (b+a)/2, delta = (b-a)/2 and rho_0 = delta/theta,

     d_1 = z_1/theta,   d_k = rho_k rho_{k-1} d_{k-1} + (2 rho_k/delta) z_k,   rho_k = 1/(2 theta/delta - rho_{k-1}),

   z_k = M^{-1}(b - A x_{k-1}) and x_k = x_{k-1} + d_k. It is for the levels of multigrid, where PETSc's own goes through the columns one by
   one. The blocks are stored by rows, so that A is read once and each entry of it meets neighbours; with Jacobi everything else is one sweep
   over b, x, d and A x.

   References:
     Y. Saad, Iterative methods for sparse linear systems, SIAM 2003, algorithm 12.1.
     M. Adams, M. Brezina, J. Hu and R. Tuminaro, Parallel multigrid smoothing, J. Comput. Phys. 188 (2003), 593-610.
*/
#include <slepcnapi/private/kspcolumns.h>
#include <slepcnapi/private/napirows.h>

/* Of the largest eigenvalue that is estimated, the part of the spectrum that is to be damped; as KSPCHEBYSHEV has it, so that the one
   can take the place of the other */
#define BLOCKCHEBYSHEV_LOWER 0.1
#define BLOCKCHEBYSHEV_UPPER 1.1

typedef struct {
  KSPColumns   columns;   /* first: see kspcolumns.h */
  PetscReal    min, max;  /* what the user says of the spectrum of M^{-1}A, 0 where nothing */
  PetscReal    low, high; /* what is used */
  KSPEstimated estimated;
  NAPIRowMult  A;
  PetscInt     p, n;          /* columns and rows there is room for */
  PetscScalar *b, *x, *d, *w; /* by rows: right-hand sides, iterates, steps, and A x or the residuals */
  Mat          R, Z;          /* by columns, where M is not diagonal: residuals, and M^{-1} of them */
  Vec          diagonal;      /* M^{-1}, where it is one: with Jacobi */
} KSP_BlockChebyshev;

static PetscErrorCode KSPReset_BlockChebyshev(KSP ksp)
{
  KSP_BlockChebyshev *c = (KSP_BlockChebyshev *)ksp->data;

  PetscFunctionBegin;
  PetscCall(NAPIRowMultReset(&c->A));
  PetscCall(PetscFree4(c->b, c->x, c->d, c->w));
  PetscCall(MatDestroy(&c->R));
  PetscCall(MatDestroy(&c->Z));
  PetscCall(VecDestroy(&c->diagonal));
  c->p = c->n        = 0;
  c->estimated.known = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The blocks are made when the number of columns is known */
static PetscErrorCode KSPSetUp_BlockChebyshev(KSP ksp)
{
  PetscFunctionBegin;
  (void)ksp;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Room for p columns */
static PetscErrorCode BlockChebyshevSetUpBlocks(KSP ksp, Mat A, PetscInt p)
{
  KSP_BlockChebyshev *c = (KSP_BlockChebyshev *)ksp->data;
  PetscInt            n, N;
  size_t              size;

  PetscFunctionBegin;
  PetscCall(NAPIRowMultSetUp(&c->A, A, p));
  PetscCall(MatGetLocalSize(A, &n, NULL));
  PetscCall(MatGetSize(A, &N, NULL));
  if (c->p == p && c->n == n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree4(c->b, c->x, c->d, c->w));
  PetscCall(MatDestroy(&c->R));
  PetscCall(MatDestroy(&c->Z));
  size = (size_t)n * (size_t)NAPIRowStride(p) + 1;
  PetscCall(PetscMalloc4(size, &c->b, size, &c->x, size, &c->d, size, &c->w));
  if (!c->diagonal) {
    PetscCall(KSPColumnsCreateMat(ksp, n, N, p, NULL, &c->R));
    PetscCall(KSPColumnsCreateMat(ksp, n, N, p, NULL, &c->Z));
  }
  c->p = p;
  c->n = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The interval, from the user or from an estimate that is kept as long as the matrix is; and M^{-1} where it is diagonal */
static PetscErrorCode BlockChebyshevSetUpSpectrum(KSP ksp, Mat A, Mat P)
{
  KSP_BlockChebyshev *c = (KSP_BlockChebyshev *)ksp->data;
  PetscReal           largest;
  PetscBool           fresh, jacobi, set, spd;
  Vec                 ones;

  PetscFunctionBegin;
  PetscCall(KSPEstimatedIsFresh_Private(&c->estimated, A, P, &fresh));
  if (fresh) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDestroy(&c->diagonal));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp->pc, PCJACOBI, &jacobi));
  if (jacobi) {
    PetscCall(MatCreateVecs(A, &ones, &c->diagonal));
    PetscCall(VecSet(ones, 1.0));
    PetscCall(PCApply(ksp->pc, ones, c->diagonal));
    PetscCall(VecDestroy(&ones));
  }
  c->low  = c->min;
  c->high = c->max;
  if (c->max == 0.0) {
    PetscCall(MatIsSPDKnown(A, &set, &spd));
    PetscCall(KSPEstimateLargest_Private(ksp, set && spd ? KSPCG : KSPGMRES, A, P, &largest));
    c->low  = BLOCKCHEBYSHEV_LOWER * largest;
    c->high = BLOCKCHEBYSHEV_UPPER * largest;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* w = b - A x, and what the convergence test makes of the norms of its columns */
static PetscErrorCode BlockChebyshevTest(KSP ksp, Mat B, Mat X, PetscReal reference[])
{
  KSP_BlockChebyshev *c      = (KSP_BlockChebyshev *)ksp->data;
  const PetscInt      stride = NAPIRowStride(c->p);
  PetscReal          *norm, scale = 1.0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(stride, &norm));
  for (PetscInt i = 0; i < c->n * stride; i++) {
    c->w[i] = c->b[i] - c->w[i];
    norm[i % stride] += PetscSqr(PetscAbsScalar(c->w[i]));
  }
  PetscCall(KSPColumnsReduce(ksp, c->p, norm));
  for (PetscInt j = 0; j < c->p; j++) norm[j] = PetscSqrtReal(norm[j]);
  if (!ksp->its) PetscCall(KSPColumnsReference(ksp, c->p, norm, reference, &scale));
  else
    for (PetscInt j = 0; j < c->p; j++) scale = j ? PetscMax(scale, reference[j]) : reference[j];
  PetscCall(KSPColumnsTest(ksp, B, X, c->p, norm, reference, scale, PETSC_TRUE));
  PetscCall(PetscFree(norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* d = alpha d + beta M^{-1} r, x = x + d, where r is w or, where that is only A x, b - w */
static PetscErrorCode BlockChebyshevStep(KSP ksp, PetscBool residual, PetscReal alpha, PetscReal beta)
{
  KSP_BlockChebyshev *c      = (KSP_BlockChebyshev *)ksp->data;
  const PetscInt      stride = NAPIRowStride(c->p);
  const PetscScalar  *m;
  PetscScalar        *columns;
  PetscInt            ld;

  PetscFunctionBegin;
  if (c->diagonal) {
    PetscCall(VecGetArrayRead(c->diagonal, &m));
    for (PetscInt i = 0; i < c->n; i++) {
      const PetscScalar factor = beta * m[i];
      PetscScalar      *d = c->d + i * stride, *x = c->x + i * stride, *w = c->w + i * stride, *b = c->b + i * stride;

      for (PetscInt j = 0; j < stride; j++) {
        d[j] = alpha * d[j] + factor * (residual ? w[j] : b[j] - w[j]);
        x[j] += d[j];
      }
    }
    PetscCall(VecRestoreArrayRead(c->diagonal, &m));
  } else {
    if (!residual)
      for (PetscInt i = 0; i < c->n * stride; i++) c->w[i] = c->b[i] - c->w[i];
    PetscCall(MatDenseGetLDA(c->R, &ld));
    PetscCall(MatDenseGetArrayWrite(c->R, &columns));
    PetscCall(NAPIRowsUnpack(c->n, c->p, c->w, columns, ld));
    PetscCall(MatDenseRestoreArrayWrite(c->R, &columns));
    PetscCall(PCMatApply(ksp->pc, c->R, c->Z));
    PetscCall(MatDenseGetLDA(c->Z, &ld));
    PetscCall(MatDenseGetArrayRead(c->Z, &m));
    PetscCall(NAPIRowsPack(c->n, c->p, m, ld, c->w));
    PetscCall(MatDenseRestoreArrayRead(c->Z, &m));
    for (PetscInt i = 0; i < c->n * stride; i++) {
      c->d[i] = alpha * c->d[i] + beta * c->w[i];
      c->x[i] += c->d[i];
    }
  }
  PetscCall(PetscLogFlops(6.0 * (PetscLogDouble)c->n * (PetscLogDouble)stride));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Right-hand sides and guesses to rows; d is nothing yet, and neither is A x without a guess */
static PetscErrorCode BlockChebyshevStart(KSP ksp, Mat B, Mat X, PetscReal reference[])
{
  KSP_BlockChebyshev *c      = (KSP_BlockChebyshev *)ksp->data;
  const PetscInt      stride = NAPIRowStride(c->p);
  const PetscScalar  *b;
  PetscScalar        *x;
  PetscInt            ld = c->n;

  PetscFunctionBegin;
  if (B) PetscCall(MatDenseGetLDA(B, &ld));
  if (B) PetscCall(MatDenseGetArrayRead(B, &b));
  else PetscCall(VecGetArrayRead(ksp->vec_rhs, &b));
  PetscCall(NAPIRowsPack(c->n, c->p, b, ld, c->b));
  if (reference && KSPColumnsRefersToRHS(ksp)) {
    PetscCall(KSPColumnsDots(c->n, c->p, b, ld, b, ld, reference));
    PetscCall(KSPColumnsReduce(ksp, c->p, reference));
    for (PetscInt j = 0; j < c->p; j++) reference[j] = PetscSqrtReal(reference[j]);
  }
  if (B) PetscCall(MatDenseRestoreArrayRead(B, &b));
  else PetscCall(VecRestoreArrayRead(ksp->vec_rhs, &b));
  PetscCall(PetscArrayzero(c->d, c->n * stride));
  if (ksp->guess_zero) {
    PetscCall(PetscArrayzero(c->x, c->n * stride));
    PetscCall(PetscArrayzero(c->w, c->n * stride));
  } else {
    PetscCall(KSPColumnsGetSolution(ksp, X, &x, &ld));
    PetscCall(NAPIRowsPack(c->n, c->p, x, ld, c->x));
    PetscCall(KSPColumnsRestoreSolution(ksp, X, &x));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* For the columns of KSPMatSolve(), or for one, the vector of KSPSolve() */
static PetscErrorCode KSPSolve_BlockChebyshev(KSP ksp, PetscInt p, Mat B, Mat X)
{
  KSP_BlockChebyshev *c     = (KSP_BlockChebyshev *)ksp->data;
  const PetscBool     tests = (PetscBool)(ksp->normtype != KSP_NORM_NONE);
  Mat                 A, P;
  PetscReal           theta, delta, rho = 0.0, next, *reference = NULL;
  PetscInt            ld;
  PetscScalar        *x;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(ksp->pc, &A, &P));
  PetscCall(BlockChebyshevSetUpSpectrum(ksp, A, P));
  PetscCall(BlockChebyshevSetUpBlocks(ksp, A, p));
  if (!(c->low > 0.0) || PetscIsInfOrNanReal(c->high)) { /* no estimate: a matrix or a preconditioner that is not definite, or no numbers */
    ksp->its    = 0;
    ksp->reason = KSP_DIVERGED_NANORINF;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  theta       = 0.5 * (c->high + c->low);
  delta       = 0.5 * (c->high - c->low);
  ksp->its    = 0;
  ksp->reason = KSP_CONVERGED_ITERATING;
  if (tests) PetscCall(PetscCalloc1(p, &reference));
  PetscCall(BlockChebyshevStart(ksp, B, X, reference));
  while (tests || ksp->its < ksp->max_it) {
    if (ksp->its || !ksp->guess_zero) PetscCall(NAPIRowMultApply(&c->A, c->x, c->w));
    if (tests) PetscCall(BlockChebyshevTest(ksp, B, X, reference));
    if (ksp->reason || ksp->its >= ksp->max_it) break;
    next = ksp->its ? 1.0 / (2.0 * theta / delta - rho) : delta / theta;
    PetscCall(BlockChebyshevStep(ksp, tests, ksp->its ? next * rho : 0.0, ksp->its ? 2.0 * next / delta : 1.0 / theta));
    rho = next;
    ksp->its++;
  }
  if (!ksp->reason) ksp->reason = tests ? KSP_DIVERGED_ITS : KSP_CONVERGED_ITS;
  PetscCall(PetscFree(reference));
  PetscCall(KSPColumnsGetSolution(ksp, X, &x, &ld));
  PetscCall(NAPIRowsUnpack(c->n, p, c->x, x, ld));
  PetscCall(KSPColumnsRestoreSolution(ksp, X, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPBlockChebyshevSetSpectrum_BlockChebyshev(KSP ksp, PetscReal min, PetscReal max)
{
  KSP_BlockChebyshev *c = (KSP_BlockChebyshev *)ksp->data;

  PetscFunctionBegin;
  PetscCheck((min == 0.0 && max == 0.0) || (0.0 < min && min < max && !PetscIsInfOrNanReal(max)), PetscObjectComm((PetscObject)ksp), PETSC_ERR_ARG_OUTOFRANGE, "The ends of the interval must be positive, the first one smaller, or both 0 for an estimate: %g and %g", (double)min, (double)max);
  c->min             = min;
  c->max             = max;
  c->estimated.known = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   KSPBlockChebyshevSetSpectrum - Tells KSPBLOCKCHEBYSHEV which part of the spectrum of the preconditioned matrix is to be damped.

   Logically Collective

   Input Parameters:
+  ksp - the solver
.  min - the lower end: the smallest eigenvalue of M^{-1}A or, for a smoother, a fraction of the largest
-  max - the upper end, which no eigenvalue may be much above; both 0 for an estimate

   Options Database Key:
.  -ksp_blockchebyshev_eigenvalues <min,max> - sets both

   Level: intermediate

   Note:
   Estimated, by ten iterations of a Krylov method, it is [0.1, 1.1] times the largest eigenvalue: what a smoother needs.

.seealso: KSPBLOCKCHEBYSHEV, KSPBlockChebyshevGetSpectrum()
@*/
PetscErrorCode KSPBlockChebyshevSetSpectrum(KSP ksp, PetscReal min, PetscReal max)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(ksp, KSP_CLASSID, 1);
  PetscValidLogicalCollectiveReal(ksp, min, 2);
  PetscValidLogicalCollectiveReal(ksp, max, 3);
  PetscTryMethod(ksp, "KSPBlockChebyshevSetSpectrum_C", (KSP, PetscReal, PetscReal), (ksp, min, max));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPBlockChebyshevGetSpectrum_BlockChebyshev(KSP ksp, PetscReal *min, PetscReal *max)
{
  KSP_BlockChebyshev *c = (KSP_BlockChebyshev *)ksp->data;

  PetscFunctionBegin;
  if (min) *min = c->estimated.known ? c->low : c->min;
  if (max) *max = c->estimated.known ? c->high : c->max;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   KSPBlockChebyshevGetSpectrum - Gets the interval that KSPBLOCKCHEBYSHEV works with.

   Not Collective

   Input Parameter:
.  ksp - the solver

   Output Parameters:
+  min - the lower end, 0 before the first solve if it was not set
-  max - the upper end

   Level: intermediate

.seealso: KSPBLOCKCHEBYSHEV, KSPBlockChebyshevSetSpectrum()
@*/
PetscErrorCode KSPBlockChebyshevGetSpectrum(KSP ksp, PetscReal *min, PetscReal *max)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(ksp, KSP_CLASSID, 1);
  if (min) PetscAssertPointer(min, 2);
  if (max) PetscAssertPointer(max, 3);
  PetscUseMethod(ksp, "KSPBlockChebyshevGetSpectrum_C", (KSP, PetscReal *, PetscReal *), (ksp, min, max));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPSetFromOptions_BlockChebyshev(KSP ksp, NAPIOptionItems PetscOptionsObject)
{
  KSP_BlockChebyshev *c       = (KSP_BlockChebyshev *)ksp->data;
  PetscReal           both[2] = {c->min, c->max};
  PetscInt            two     = 2;
  PetscBool           set;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "KSP block Chebyshev options");
  PetscCall(PetscOptionsRealArray("-ksp_blockchebyshev_eigenvalues", "Ends of the interval that is damped", "KSPBlockChebyshevSetSpectrum", both, &two, &set));
  if (set) {
    PetscCheck(two == 2, PetscObjectComm((PetscObject)ksp), PETSC_ERR_ARG_INCOMP, "-ksp_blockchebyshev_eigenvalues needs two numbers, the ends of the interval");
    PetscCall(KSPBlockChebyshevSetSpectrum(ksp, both[0], both[1]));
  }
  PetscOptionsHeadEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPView_BlockChebyshev(KSP ksp, PetscViewer viewer)
{
  KSP_BlockChebyshev *c = (KSP_BlockChebyshev *)ksp->data;
  PetscBool           ascii;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii) PetscFunctionReturn(PETSC_SUCCESS);
  if (c->max > 0.0) PetscCall(PetscViewerASCIIPrintf(viewer, "  damps the interval from %g to %g (given)\n", (double)c->min, (double)c->max));
  else if (c->estimated.known) PetscCall(PetscViewerASCIIPrintf(viewer, "  damps the interval from %g to %g (estimated)\n", (double)c->low, (double)c->high));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes the functions above known to the KSP, or takes them away */
static PetscErrorCode BlockChebyshevCompose(KSP ksp, PetscBool known)
{
  PetscFunctionBegin;
  NAPIMethodCompose(ksp, known, KSPBlockChebyshevSetSpectrum, BlockChebyshev);
  NAPIMethodCompose(ksp, known, KSPBlockChebyshevGetSpectrum, BlockChebyshev);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPDestroy_BlockChebyshev(KSP ksp)
{
  PetscFunctionBegin;
  PetscCall(KSPReset_BlockChebyshev(ksp));
  PetscCall(BlockChebyshevCompose(ksp, PETSC_FALSE));
  PetscCall(KSPDestroyDefault(ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   KSPBLOCKCHEBYSHEV - KSPBLOCKCHEBYSHEV = "blockchebyshev" - Chebyshev's iteration for many right-hand sides at once.

   Options Database Key:
.  -ksp_blockchebyshev_eigenvalues <min,max> - the interval of the spectrum that is damped; estimated if not given

   Level: intermediate

   Notes:
   For Hermitian positive definite matrices. It does what KSPCHEBYSHEV (first kind) does; the columns of KSPMatSolve() go through each
   product together, and with PCJACOBI all the rest is one sweep. In multigrid (PCGAMG, PCMG) PCMatApply() gains by

     -mg_levels_ksp_type blockchebyshev

   EPSNAPI takes it by itself for the levels of PCGAMG of which the options say nothing.

.seealso: KSPBlockChebyshevSetSpectrum(), KSPBlockChebyshevGetSpectrum(), KSPBLOCKCG
M*/
SLEPC_EXTERN PetscErrorCode KSPCreate_BlockChebyshev(KSP ksp)
{
  KSP_BlockChebyshev *c;

  PetscFunctionBegin;
  PetscCall(PetscNew(&c));
  PetscCall(KSPColumnsCreate(ksp, &c->columns, KSPSolve_BlockChebyshev));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_UNPRECONDITIONED, PC_LEFT, 3));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_NONE, PC_LEFT, 1));
  ksp->ops->setup          = KSPSetUp_BlockChebyshev;
  ksp->ops->reset          = KSPReset_BlockChebyshev;
  ksp->ops->destroy        = KSPDestroy_BlockChebyshev;
  ksp->ops->view           = KSPView_BlockChebyshev;
  ksp->ops->setfromoptions = KSPSetFromOptions_BlockChebyshev;
  PetscCall(BlockChebyshevCompose(ksp, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
