/* SPDX-License-Identifier: BSD-2-Clause */
/*
   KSPNESTEROV = "nesterov": Nesterov's accelerated gradient method for A x = b, A Hermitian positive definite, in the metric
   of the preconditioner M.

     y = x_k + theta (x_k - x_{k-1}),   x_{k+1} = y + (1/L) M^{-1} (b - A y),

   L the largest eigenvalue of M^{-1}A. Where mu, the smallest, is known, theta = (sqrt(kappa)-1)/(sqrt(kappa)+1) with kappa =
   L/mu, and f(x) - f* = ||x - x*||_A^2/2 falls by 1 - 1/sqrt(kappa) an iteration. Where it is not, theta_k = (t_k - 1)/t_{k+1}
   grows towards 1 (as far as a lower bound of the spectrum that the matrix itself knows allows) and starts again from 0 when
   the step goes uphill, (b - A y)'(x_{k+1} - x_k) < 0.

   Residuals are carried along: that of y is r_y = r_k + theta (r_k - r_{k-1}), and with z = M^{-1} r_y and w = A z, that of
   x_{k+1} is r_y - w/L. So an iteration has one product and one preconditioner, and the test is on the residual of x. And
   since (z,w)/(z,r_y) is a Rayleigh quotient of M^{-1}A, an L that was estimated too small shows itself before the step is
   taken, and is corrected.

   References:
     Yu. Nesterov, Introductory lectures on convex optimization, Kluwer 2004, section 2.2.
     B. O'Donoghue and E. Candes, Adaptive restart for accelerated gradient schemes, Found. Comput. Math. 15 (2015), 715-732.
*/
#include <slepcnapi/private/kspcolumns.h>

/* How much larger than the estimate, and than a Rayleigh quotient that exceeds it, the largest eigenvalue is taken to be: too large
   costs iterations, too small another correction */
#define NESTEROV_MARGIN     1.05
#define NESTEROV_CORRECTION 1.02

typedef struct {
  PetscReal    min, max;  /* what the user says of the spectrum of M^{-1}A, 0 where nothing */
  PetscReal    L, mu;     /* what is used; mu = 0: not known, theta grows and starts again */
  PetscReal    floor;     /* a lower bound of mu that the matrix knows, or 0 */
  KSPEstimated estimated; /* for which matrices L was */
} KSP_Nesterov;

/* L, mu and the floor of mu, from the user, from an estimate that is kept as long as the matrix, or from the matrix */
static PetscErrorCode NesterovSpectrum(KSP ksp, Mat A, Mat Pmat)
{
  KSP_Nesterov *nes = (KSP_Nesterov *)ksp->data;
  PetscBool     none, fresh;
  PetscReal     largest;

  PetscFunctionBegin;
  nes->mu = nes->min;
  if (nes->max > 0.0) {
    nes->L               = nes->max;
    nes->estimated.known = PETSC_FALSE;
  } else {
    PetscCall(KSPEstimatedIsFresh_Private(&nes->estimated, A, Pmat, &fresh));
    if (!fresh) {
      PetscCall(KSPEstimateLargest_Private(ksp, KSPCG, A, Pmat, &largest));
      nes->L = NESTEROV_MARGIN * largest;
    }
  }
  nes->floor = 0.0;
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp->pc, PCNONE, &none));
  if (none) PetscTryMethod(A, "MatGetLowerBound_C", (Mat, PetscReal *), (A, &nes->floor));
  nes->floor = PetscMax(0.0, nes->floor);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (sqrt(kappa)-1)/(sqrt(kappa)+1), 1 for mu = 0 */
static PetscReal NesterovTheta(PetscReal L, PetscReal mu)
{
  PetscReal root = PetscSqrtReal(mu / L);

  return PetscMax(0.0, (1.0 - root) / (1.0 + root));
}

/* The norm of the residual, for monitors and the convergence test */
static PetscErrorCode NesterovTest(KSP ksp, Vec r)
{
  PetscReal norm = 0.0;

  PetscFunctionBegin;
  if (ksp->normtype != KSP_NORM_NONE) {
    PetscCall(VecNorm(r, NORM_2, &norm));
    KSPCheckNorm(ksp, norm);
  }
  ksp->rnorm = norm;
  PetscCall(KSPLogResidualHistory(ksp, norm));
  PetscCall(KSPMonitor(ksp, ksp->its, norm));
  PetscCall((*ksp->converged)(ksp, ksp->its, norm, &ksp->reason, ksp->cnvP));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPSolve_Nesterov(KSP ksp)
{
  KSP_Nesterov *nes = (KSP_Nesterov *)ksp->data;
  Mat           A, Pmat;
  Vec           x = ksp->vec_sol, xold, r, rold, ry, z, w;
  PetscScalar   dots[2];
  PetscReal     theta = 0.0, t = 1.0, tnext, zr, zw;
  Vec           pair[2];

  PetscFunctionBegin;
  PetscCall(KSPCheckTranspose_Private(ksp));
  r        = ksp->work[0];
  rold     = ksp->work[1];
  ry       = ksp->work[2];
  z        = ksp->work[3];
  w        = ksp->work[4];
  xold     = ksp->work[5];
  ksp->its = 0;
  PetscCall(PCGetOperators(ksp->pc, &A, &Pmat));
  PetscCall(NesterovSpectrum(ksp, A, Pmat));
  if (ksp->guess_zero) PetscCall(VecCopy(ksp->vec_rhs, r));
  else {
    PetscCall(KSP_MatMult(ksp, A, x, r));
    PetscCall(VecAYPX(r, -1.0, ksp->vec_rhs)); /* r = b - A x */
  }
  PetscCall(NesterovTest(ksp, r));
  if (ksp->reason) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(nes->L > 0.0 || PetscIsInfOrNanReal(nes->L), PetscObjectComm((PetscObject)ksp), PETSC_ERR_ARG_OUTOFRANGE, "The largest eigenvalue of the preconditioned matrix came out as %g: is the matrix positive definite?", (double)nes->L);
  PetscCall(VecCopy(x, xold));
  PetscCall(VecCopy(r, rold));

  while (ksp->its < ksp->max_it) {
    /* y takes the place of xold, which is no longer needed: xold + (1 + theta)(x - xold) */
    PetscCall(VecAXPBY(xold, 1.0 + theta, -theta, x)); /* y = x + theta (x - xold) */
    PetscCall(VecCopy(r, ry));
    PetscCall(VecAXPBY(ry, -theta, 1.0 + theta, rold)); /* b - A y */
    PetscCall(KSP_PCApply(ksp, ry, z));                 /* z = M^{-1}(b - A y) */
    PetscCall(KSP_MatMult(ksp, A, z, w));               /* w = A z */
    pair[0] = ry;
    pair[1] = w;
    PetscCall(VecMDot(z, 2, pair, dots)); /* (z,ry), (z,w), conjugated */
    KSPCheckDot(ksp, dots[0]);
    KSPCheckDot(ksp, dots[1]);
    zr = PetscRealPart(dots[0]);
    zw = PetscRealPart(dots[1]);
    if (zw < 0.0 || zr < 0.0) {
      ksp->reason = zr < 0.0 ? KSP_DIVERGED_INDEFINITE_PC : KSP_DIVERGED_INDEFINITE_MAT;
      PetscCall(PetscInfo(ksp, "diverging due to indefinite %s at iteration %" PetscInt_FMT "\n", zr < 0.0 ? "preconditioner" : "matrix", ksp->its));
      break;
    }
    if (zw > nes->L * zr * (1.0 + PETSC_SQRT_MACHINE_EPSILON)) { /* a Rayleigh quotient larger than the largest eigenvalue */
      PetscCall(PetscInfo(ksp, "iteration %" PetscInt_FMT ": the largest eigenvalue is %g at least, and not %g\n", ksp->its, (double)(zw / zr), (double)nes->L));
      nes->L = NESTEROV_CORRECTION * zw / zr;
    }
    PetscCall(VecCopy(r, rold));
    PetscCall(VecWAXPY(r, -1.0 / nes->L, w, ry)); /* residual of the new x: ry - w/L */
    PetscCall(VecAXPY(xold, 1.0 / nes->L, z));    /* the new x: y + z/L */
    PetscCall(VecSwap(x, xold));
    ksp->its++;
    PetscCall(NesterovTest(ksp, r));
    if (ksp->reason) break;
    if (nes->mu > 0.0) theta = NesterovTheta(nes->L, nes->mu);
    else {
      pair[0] = x;
      pair[1] = xold;
      PetscCall(VecMDot(ry, 2, pair, dots));               /* (b - A y)'(x - xold) */
      if (PetscRealPart(dots[0] - dots[1]) < 0.0) t = 1.0; /* uphill: start again */
      tnext = 0.5 * (1.0 + PetscSqrtReal(1.0 + 4.0 * t * t));
      theta = PetscMin((t - 1.0) / tnext, NesterovTheta(nes->L, nes->floor));
      t     = tnext;
    }
  }
  if (!ksp->reason) ksp->reason = KSP_DIVERGED_ITS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPSetUp_Nesterov(KSP ksp)
{
  PetscFunctionBegin;
  PetscCall(KSPSetWorkVecs(ksp, 6));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPReset_Nesterov(KSP ksp)
{
  PetscFunctionBegin;
  ((KSP_Nesterov *)ksp->data)->estimated.known = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPNesterovSetSpectrum_Nesterov(KSP ksp, PetscReal min, PetscReal max)
{
  KSP_Nesterov *nes = (KSP_Nesterov *)ksp->data;

  PetscFunctionBegin;
  PetscCheck(min >= 0.0 && max >= 0.0 && !PetscIsInfOrNanReal(min) && !PetscIsInfOrNanReal(max), PetscObjectComm((PetscObject)ksp), PETSC_ERR_ARG_OUTOFRANGE, "Eigenvalues must be positive, or 0 for not known: %g and %g", (double)min, (double)max);
  PetscCheck(max == 0.0 || min <= max, PetscObjectComm((PetscObject)ksp), PETSC_ERR_ARG_OUTOFRANGE, "The smallest eigenvalue %g is larger than the largest %g", (double)min, (double)max);
  nes->min = min;
  nes->max = max;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   KSPNesterovSetSpectrum - Tells KSPNESTEROV the smallest and the largest eigenvalue of the preconditioned matrix.

   Logically Collective

   Input Parameters:
+  ksp - the solver
.  min - the smallest eigenvalue of M^{-1}A, or a lower bound of it, or 0 if not known
-  max - the largest eigenvalue of M^{-1}A, or an upper bound of it, or 0 if not known

   Options Database Key:
.  -ksp_nesterov_eigenvalues <min,max> - sets both

   Level: intermediate

   Notes:
   A bound that is not sharp costs iterations: their number grows like sqrt(max/min). A smallest eigenvalue that is too large
   costs iterations as well; not known, it costs nothing to speak of.

.seealso: KSPNESTEROV, KSPNesterovGetSpectrum()
@*/
PetscErrorCode KSPNesterovSetSpectrum(KSP ksp, PetscReal min, PetscReal max)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(ksp, KSP_CLASSID, 1);
  PetscValidLogicalCollectiveReal(ksp, min, 2);
  PetscValidLogicalCollectiveReal(ksp, max, 3);
  PetscTryMethod(ksp, "KSPNesterovSetSpectrum_C", (KSP, PetscReal, PetscReal), (ksp, min, max));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPNesterovGetSpectrum_Nesterov(KSP ksp, PetscReal *min, PetscReal *max)
{
  KSP_Nesterov *nes = (KSP_Nesterov *)ksp->data;

  PetscFunctionBegin;
  if (min) *min = nes->min;
  if (max) *max = nes->L > 0.0 ? nes->L : nes->max;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   KSPNesterovGetSpectrum - Gets the eigenvalues of the preconditioned matrix that KSPNESTEROV works with.

   Not Collective

   Input Parameter:
.  ksp - the solver

   Output Parameters:
+  min - the smallest, as it was set, 0 if it is not known
-  max - the largest that the last solve has ended with, before any the one that was set, 0 if none was

   Level: intermediate

.seealso: KSPNESTEROV, KSPNesterovSetSpectrum()
@*/
PetscErrorCode KSPNesterovGetSpectrum(KSP ksp, PetscReal *min, PetscReal *max)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(ksp, KSP_CLASSID, 1);
  if (min) PetscAssertPointer(min, 2);
  if (max) PetscAssertPointer(max, 3);
  PetscUseMethod(ksp, "KSPNesterovGetSpectrum_C", (KSP, PetscReal *, PetscReal *), (ksp, min, max));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPSetFromOptions_Nesterov(KSP ksp, NAPIOptionItems PetscOptionsObject)
{
  KSP_Nesterov *nes     = (KSP_Nesterov *)ksp->data;
  PetscReal     both[2] = {nes->min, nes->max};
  PetscInt      two     = 2;
  PetscBool     set;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "KSP Nesterov options");
  PetscCall(PetscOptionsRealArray("-ksp_nesterov_eigenvalues", "Smallest and largest eigenvalue of the preconditioned matrix", "KSPNesterovSetSpectrum", both, &two, &set));
  if (set) {
    PetscCheck(two == 2, PetscObjectComm((PetscObject)ksp), PETSC_ERR_ARG_INCOMP, "-ksp_nesterov_eigenvalues needs two numbers, the smallest and the largest eigenvalue (0 if not known)");
    PetscCall(KSPNesterovSetSpectrum(ksp, both[0], both[1]));
  }
  PetscOptionsHeadEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPView_Nesterov(KSP ksp, PetscViewer viewer)
{
  KSP_Nesterov *nes = (KSP_Nesterov *)ksp->data;
  PetscBool     ascii;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii) PetscFunctionReturn(PETSC_SUCCESS);
  if (nes->L > 0.0) PetscCall(PetscViewerASCIIPrintf(viewer, "  largest eigenvalue %g (%s)\n", (double)nes->L, nes->max > 0.0 ? "given" : "estimated"));
  else if (nes->max > 0.0) PetscCall(PetscViewerASCIIPrintf(viewer, "  largest eigenvalue %g (given)\n", (double)nes->max));
  if (nes->min > 0.0) PetscCall(PetscViewerASCIIPrintf(viewer, "  smallest eigenvalue %g (given): constant momentum\n", (double)nes->min));
  else PetscCall(PetscViewerASCIIPrintf(viewer, "  smallest eigenvalue not known: growing momentum with adaptive restart\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes the functions above known to the KSP, or takes them away */
static PetscErrorCode NesterovCompose(KSP ksp, PetscBool known)
{
  PetscFunctionBegin;
  NAPIMethodCompose(ksp, known, KSPNesterovSetSpectrum, Nesterov);
  NAPIMethodCompose(ksp, known, KSPNesterovGetSpectrum, Nesterov);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPDestroy_Nesterov(KSP ksp)
{
  PetscFunctionBegin;
  PetscCall(NesterovCompose(ksp, PETSC_FALSE));
  PetscCall(KSPDestroyDefault(ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   KSPNESTEROV - KSPNESTEROV = "nesterov" - Nesterov's accelerated gradient method for Hermitian positive definite systems.

   Options Database Key:
.  -ksp_nesterov_eigenvalues <min,max> - bounds of the spectrum of the preconditioned matrix, 0 where not known

   Level: intermediate

   Notes:
   One application of the matrix and of the preconditioner for each iteration. Not known, the largest eigenvalue is
   estimated by ten iterations of conjugate gradients before the first solve with a matrix, and corrected whenever it turns
   out to be too small; and where the smallest is not known, the momentum grows and starts again when it points uphill.
   With both given it is the constant (sqrt(kappa)-1)/(sqrt(kappa)+1), and the error in the function falls by
   1 - 1/sqrt(kappa) an iteration. Gradient descent, for comparison, is KSPRICHARDSON.

.seealso: KSPNesterovSetSpectrum(), KSPNesterovGetSpectrum(), KSPSVRG
M*/
SLEPC_EXTERN PetscErrorCode KSPCreate_Nesterov(KSP ksp)
{
  KSP_Nesterov *nes;

  PetscFunctionBegin;
  PetscCall(PetscNew(&nes));
  ksp->data = (void *)nes;
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_UNPRECONDITIONED, PC_LEFT, 3));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_NONE, PC_LEFT, 1));
  ksp->ops->setup          = KSPSetUp_Nesterov;
  ksp->ops->solve          = KSPSolve_Nesterov;
  ksp->ops->reset          = KSPReset_Nesterov;
  ksp->ops->destroy        = KSPDestroy_Nesterov;
  ksp->ops->view           = KSPView_Nesterov;
  ksp->ops->setfromoptions = KSPSetFromOptions_Nesterov;
  ksp->ops->buildsolution  = KSPBuildSolutionDefault;
  ksp->ops->buildresidual  = KSPBuildResidualDefault;
  PetscCall(NesterovCompose(ksp, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
