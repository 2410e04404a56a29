/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The certified bound of the energy error of KSPBLOCKCG, from a lower bound mu of the spectrum of M^{-1} A.

   For every j, Gamma_j is a matrix with Q_j'A^{-1}Q_j <= Gamma_j, so that column l of C, c, has the error
   ||e||_A^2 = c'Q'A^{-1}Q c <= c'Gamma c. Block Lanczos of M^{-1}A in the basis Q has the block tridiagonal matrix
   T_jj = a_j^{-1} + z_j a_{j-1}^{-1} z_j', T_{j+1,j} = -z_{j+1} a_j^{-1}, and T - mu I >= 0. Gauss-Radau quadrature
   replaces what T has from block j on by the smallest that this allows; eliminating the blocks before j gives

     Gamma_0 = I/mu,   Gamma_{j+1} = (mu I + z_{j+1} (Gamma_j - a_j)^{-1} z_{j+1}')^{-1},

   for one column the recurrence of Golub and Meurant. Before z_{j+1} is known, c'(Gamma_j - a_j)c bounds the same error.
   With b b' = S'A S = a^{-1} all is done in terms of K = b'Gamma b - I, Gamma_j - a_j = b'^{-1} K b^{-1}: K must be
   positive, and an eigenvalue below zero says that mu is not a lower bound.

   Reference:
     G. H. Golub and G. Meurant, Matrices, moments and quadrature II, BIT 37 (1997), 687-705 (the bound for one column).
*/
#include "blockcg.h"

/* Rounding in K is so many times r eps (2 + its largest eigenvalue): larger loosens the bound, smaller may break it */
#define BOUND_ROUNDING 10.0

/* mu is too large where K falls below -(this + 1000 times its rounding): smaller gives up a good mu, larger notices a bad one later */
#define BOUND_WRONG 1e-8

/* bound_l = ||e_l||_A <= sqrt(c'G c) + what was lost with the rank; c columns of C, of rank rows */
static PetscErrorCode BlockCGBoundColumns(KSP_BlockCG *cg, PetscInt rank, const PetscScalar *G, const PetscScalar *C)
{
  PetscReal *bound = cg->bound;

  PetscFunctionBegin;
  PetscCall(BlockCGQuadraticForms(cg, rank, G, rank, C, bound));
  for (PetscInt l = 0; l < cg->p; l++) bound[l] = PetscSqrtReal(bound[l]) + cg->lost[l] / PetscSqrtReal(cg->mu);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* b := z b in zb, z of rank rows and b of k columns */
PetscErrorCode BlockCGBoundTransform(KSP_BlockCG *cg, PetscInt rank, PetscInt k, const PetscScalar *z)
{
  PetscFunctionBegin;
  PetscCall(NAPIGemm("N", "N", rank, k, cg->r, 1.0, z, rank, cg->zb, cg->r, 0.0, cg->tmp, rank));
  PetscCall(PetscArraycpy(cg->zb, cg->tmp, rank * k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   BlockCGBoundUpdate - Gamma, rank x rank, and the bounds by it: at the beginning (fresh) I/mu, and later
   (mu I + (z b) K^{-1} (z b)')^{-1} with z b in zb and K as BlockCGBoundStep() has left it, of k rows.
*/
PetscErrorCode BlockCGBoundUpdate(KSP_BlockCG *cg, PetscBool fresh, PetscInt rank, PetscInt k)
{
  PetscScalar *zb = cg->zb, *K = cg->K, *tmp = cg->tmp, *gamma = cg->gamma;
  PetscReal   *kappa = cg->dots;
  PetscInt     i, j;

  PetscFunctionBegin;
  if (fresh) {
    for (i = 0; i < rank * rank; i++) gamma[i] = i % (rank + 1) ? 0.0 : 1.0 / cg->mu;
  } else if (rank) { /* otherwise the residual has become zero: all that is left is what was lost */
    PetscCall(NAPIEigen(k, K, k, kappa));
    PetscCall(NAPIGemm("N", "N", rank, k, k, 1.0, zb, rank, K, k, 0.0, tmp, rank));
    for (j = 0; j < k; j++)
      for (i = 0; i < rank; i++) tmp[i + j * rank] /= PetscSqrtReal(PetscMax(kappa[j], PETSC_SMALL * PETSC_SMALL));
    PetscCall(NAPIGemm("N", "C", rank, rank, k, 1.0, tmp, rank, tmp, rank, 0.0, K, rank));
    PetscCall(NAPIHermitianPart(0, rank, K, rank, tmp, rank, NULL));
    for (i = 0; i < rank; i++) tmp[i + i * rank] += cg->mu;
    PetscCall(NAPIEigen(rank, tmp, rank, kappa));
    for (j = 0; j < rank; j++)
      for (i = 0; i < rank; i++) K[i + j * rank] = tmp[i + j * rank] / PetscMax(kappa[j], cg->mu);
    PetscCall(NAPIGemm("N", "C", rank, rank, rank, 1.0, K, rank, tmp, rank, 0.0, gamma, rank));
  }
  PetscCall(BlockCGBoundColumns(cg, rank, gamma, cg->Cnew));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* There is no bound any more: from here on the residual norms are tested, against their own references */
static PetscErrorCode BlockCGBoundDrop(KSP ksp)
{
  KSP_BlockCG *cg = (KSP_BlockCG *)ksp->data;

  PetscFunctionBegin;
  cg->bounded = PETSC_FALSE;
  cg->scale   = 0.0;
  for (PetscInt l = 0; l < cg->p; l++) cg->scale = PetscMax(cg->scale, cg->ref[l]);
  ksp->rnorm0 = cg->scale;
  ksp->ttol   = PetscMax(ksp->rtol * ksp->rnorm0, ksp->abstol);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   BlockCGBoundStep - K = b'Gamma b - I with b = s^{-1} V Lambda^{1/2} from the factors of S'A S (V in eig), whose rank
   is k, and the bounds of the errors after this iteration from b^{-1} C in rC. zb becomes b.
*/
PetscErrorCode BlockCGBoundStep(KSP ksp, PetscInt k)
{
  KSP_BlockCG *cg = (KSP_BlockCG *)ksp->data;
  PetscScalar *V = cg->eig, *b = cg->zb, *K = cg->K, *tmp = cg->tmp;
  PetscReal   *kappa = cg->dots, slack;
  PetscInt     i, j, r = cg->r;

  PetscFunctionBegin;
  if (k < r) {
    PetscCall(PetscInfo(ksp, "iteration %" PetscInt_FMT ": the directions have become dependent, going on with the residual norm\n", ksp->its));
    PetscCall(BlockCGBoundDrop(ksp));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (j = 0; j < r; j++)
    for (i = 0; i < r; i++) b[i + j * r] = V[i + j * r] * PetscSqrtReal(cg->lambda[j]) / cg->s[i];
  PetscCall(NAPIGemm("N", "N", r, r, r, 1.0, cg->gamma, r, b, r, 0.0, tmp, r));
  PetscCall(NAPIGemm("C", "N", r, r, r, 1.0, b, r, tmp, r, 0.0, K, r));
  PetscCall(NAPIHermitianPart(0, r, K, r, K, r, NULL));
  for (i = 0; i < r; i++) K[i + i * r] -= 1.0;
  PetscCall(PetscArraycpy(tmp, K, r * r));
  PetscCall(NAPIEigen(r, tmp, r, kappa)); /* K = U diag(kappa) U' */
  slack = BOUND_ROUNDING * r * PETSC_MACHINE_EPSILON * (2.0 + PetscMax(kappa[r - 1], 0.0));
  if (kappa[0] < -BOUND_WRONG - 1e3 * slack) {
    PetscCall(PetscInfo(ksp, "iteration %" PetscInt_FMT ": the lower bound %g of the spectrum is too large, going on with the residual norm\n", ksp->its, (double)cg->mu));
    PetscCall(BlockCGBoundDrop(ksp));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* raised by its own rounding, K is an upper bound still */
  if (kappa[0] < slack) {
    PetscScalar *scaled = cg->gamma; /* no longer needed */

    for (j = 0; j < r; j++)
      for (i = 0; i < r; i++) scaled[i + j * r] = tmp[i + j * r] * (PetscMax(kappa[j], 0.0) + slack);
    PetscCall(NAPIGemm("N", "C", r, r, r, 1.0, scaled, r, tmp, r, 0.0, K, r));
  } else
    for (i = 0; i < r; i++) K[i + i * r] += slack;
  PetscCall(BlockCGBoundColumns(cg, r, K, cg->rC));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the bound of a column that has not converged consists mostly of what was lost with the rank */
PetscBool BlockCGBoundMostlyLost(KSP ksp)
{
  KSP_BlockCG *cg = (KSP_BlockCG *)ksp->data;

  for (PetscInt l = 0; l < cg->p; l++) {
    const PetscReal bound = cg->bound[l];

    if (bound > PetscMax(ksp->abstol, ksp->rtol * PetscSqrtReal(cg->decrease[l])) && cg->lost[l] > 0.5 * bound * PetscSqrtReal(cg->mu)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

static PetscErrorCode KSPBlockCGSetLowerBound_BlockCG(KSP ksp, PetscReal mu)
{
  KSP_BlockCG *cg = (KSP_BlockCG *)ksp->data;

  PetscFunctionBegin;
  PetscCheck(mu >= 0.0 && !PetscIsInfOrNanReal(mu), PetscObjectComm((PetscObject)ksp), PETSC_ERR_ARG_OUTOFRANGE, "A lower bound of the spectrum must be positive, or zero for none: %g", (double)mu);
  cg->mu = mu;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   KSPBlockCGSetLowerBound - Sets a lower bound of the eigenvalues of M^{-1} A, which makes KSPBLOCKCG stop on a certified
   upper bound of the energy norm of the error instead of the norm of the residual.

   Logically Collective

   Input Parameters:
+  ksp - the solver
-  mu  - the bound, 0 < mu <= lambda_min(M^{-1} A), A preconditioned by M (lambda_min(A) without preconditioner); 0 for
         none, the default

   Options Database Key:
.  -ksp_blockcg_lower_bound <mu> - sets the bound

   Level: advanced

   Notes:
   The bound is that of Gauss-Radau quadrature, for a block: ||e_j||_A <= bound_j for the error e_j of every column. A
   column has converged when bound_j <= max(rtol*lower_j, abstol), lower_j being the lower bound of ||e_0||_A that is known
   by then (the square root of the sum of the decreases so far), so that ||e_j||_A <= rtol ||e_0||_A holds for certain. The
   closer mu is to the smallest eigenvalue, the sharper the bound; it is looser by about sqrt(lambda_min/mu) otherwise, until
   the method has found the smallest eigenvalue.

   Too large a mu can show itself. Then the solve goes on with the norm of the residual, and says so with -info. It need
   not show itself: the certificate is as good as mu.

   A solve that stops on a bound costs one application of the preconditioner for each iteration, or one more.

.seealso: KSPBLOCKCG, KSPBlockCGGetLowerBound(), KSPBlockCGGetErrorBound()
@*/
PetscErrorCode KSPBlockCGSetLowerBound(KSP ksp, PetscReal mu)
{
  NAPIMethodSet(KSP, ksp, KSPBlockCGSetLowerBound, PetscReal, Real, mu);
}

NAPIMethodGetter(KSP, KSP_BlockCG, KSPBlockCGGetLowerBound_BlockCG, PetscReal, ctx->mu);

/*@
   KSPBlockCGGetLowerBound - Gets the lower bound of the eigenvalues of M^{-1} A that was set, 0 if none.

   Not Collective

   Input Parameter:
.  ksp - the solver

   Output Parameter:
.  mu - the bound

   Level: advanced

.seealso: KSPBLOCKCG, KSPBlockCGSetLowerBound()
@*/
PetscErrorCode KSPBlockCGGetLowerBound(KSP ksp, PetscReal *mu)
{
  NAPIMethodGet(KSP, ksp, KSPBlockCGGetLowerBound, PetscReal, mu);
}

NAPIMethodDefine(KSP, KSP_BlockCG, KSPBlockCGSetNegative_BlockCG, PetscBool, ctx->negative = value);

/*@
   KSPBlockCGSetNegative - Says that the matrix is negative definite; its preconditioner may be negative or positive definite.

   Logically Collective

   Input Parameters:
+  ksp      - the solver
-  negative - whether the matrix is negative definite, by default it is positive definite

   Level: advanced

.seealso: KSPBLOCKCG
@*/
PetscErrorCode KSPBlockCGSetNegative(KSP ksp, PetscBool negative)
{
  NAPIMethodSet(KSP, ksp, KSPBlockCGSetNegative, PetscBool, Bool, negative);
}

static PetscErrorCode KSPBlockCGGetErrorBound_BlockCG(KSP ksp, PetscInt n, PetscReal bounds[])
{
  KSP_BlockCG *cg = (KSP_BlockCG *)ksp->data;

  PetscFunctionBegin;
  PetscCheck(cg->solved, PetscObjectComm((PetscObject)ksp), PETSC_ERR_ORDER, "There has been no solve yet");
  PetscCheck(n >= 0 && n <= cg->p, PetscObjectComm((PetscObject)ksp), PETSC_ERR_ARG_OUTOFRANGE, "The last solve had %" PetscInt_FMT " columns, not %" PetscInt_FMT, cg->p, n);
  PetscCall(PetscArraycpy(bounds, cg->bound, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   KSPBlockCGGetErrorBound - Gets the upper bounds of the energy norms of the errors at the end of the last solve.

   Not Collective

   Input Parameters:
+  ksp - the solver
-  n   - number of columns, at most those of the last solve

   Output Parameter:
.  bounds - bounds[l] >= ||x_l - A^{-1} b_l||_A; PETSC_INFINITY where no bound is known, because no lower bound of the
            spectrum was set or because it turned out to be wrong

   Level: advanced

.seealso: KSPBLOCKCG, KSPBlockCGSetLowerBound()
@*/
PetscErrorCode KSPBlockCGGetErrorBound(KSP ksp, PetscInt n, PetscReal bounds[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(ksp, KSP_CLASSID, 1);
  if (n) PetscAssertPointer(bounds, 3);
  PetscUseMethod(ksp, "KSPBlockCGGetErrorBound_C", (KSP, PetscInt, PetscReal[]), (ksp, n, bounds));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes the functions of the type known to the KSP, or takes them away */
PetscErrorCode BlockCGCompose(KSP ksp, PetscBool known)
{
  PetscFunctionBegin;
  NAPIMethodCompose(ksp, known, KSPBlockCGSetLowerBound, BlockCG);
  NAPIMethodCompose(ksp, known, KSPBlockCGGetLowerBound, BlockCG);
  NAPIMethodCompose(ksp, known, KSPBlockCGGetErrorBound, BlockCG);
  NAPIMethodCompose(ksp, known, KSPBlockCGGetResidual, BlockCG);
  NAPIMethodCompose(ksp, known, KSPBlockCGSetNegative, BlockCG);
  PetscFunctionReturn(PETSC_SUCCESS);
}
