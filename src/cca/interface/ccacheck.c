/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA: bounds of the errors of the correlations.

   With u'S11 u = v'S22 v = 1 and the residuals a = S12 v - rho S11 u, b = S12'u - rho S22 v the vector w = [u;v]/sqrt(2) has
   w'B w = 1 and A w - rho B w = [a;b]/sqrt(2). So there is an eigenvalue of (A,B) within

     delta = ((||a||^2 + ||b||^2)/2)^{1/2},   norms those of S11^{-1} and S22^{-1},

   of rho. The eigenvalues are the correlations, their negatives, which are no closer, and |d1 - d2| times zero. For rho > delta, or
   d1 = d2, it is a correlation. Otherwise, the second view being the one with fewer columns,

     S12'S11^{-1}S12 v - rho^2 S22 v = rho b + S12'S11^{-1} a

   gives a correlation whose square is within rho ||b|| + ||a|| of rho^2, and which then is within the square root of that of rho.

   Norms of S^{-1} are bounded from above: S >= r I, r the ridge, gives ||a||/sqrt(r), and a few steps of conjugate gradients
   with Gauss-Radau quadrature make that sharper (KSPBLOCKCG); a type that has factored S does better (ops->inversenorm).
   To the residuals is added what rounding may have done to them.
*/
#include <slepcnapi/private/ccaimpl.h>

/* Steps of conjugate gradients for a bound: each costs a pass over a view, and after a few the bound is sharp but for a small factor */
#define CCA_CERTIFY_STEPS 8

/*@
   CCAGetErrorBound - Gets a bound of the error of a canonical correlation.

   Not Collective

   Input Parameters:
+  cca - the object
-  i   - number of the pair, from 0

   Output Parameter:
.  bound - there is a canonical correlation that differs from that of CCAGetCorrelation() by no more than this;
           PETSC_INFINITY if nothing is known

   Level: intermediate

   Notes:
   Bounds are computed if CCASetCheck() asks for CCA_CHECK_CERTIFY. They need a lower bound of the covariances: the ridges of both
   views, or for CCADIRECT the factors of those covariances that have no ridge but are not singular. Without either there
   is none.

   A bound is proportional to the residual, while the error is usually of the size of its square. It holds whatever else has been
   missed; that the correlation it speaks of is number i is what the rest of the check is about.

.seealso: CCASetCheck(), CCAGetCorrelation(), CCAComputeError()
@*/
PetscErrorCode CCAGetErrorBound(CCA cca, PetscInt i, PetscReal *bound)
{
  PetscReal rho;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscAssertPointer(bound, 3);
  PetscCall(CCAGetCorrelation(cca, i, &rho)); /* is there such a pair? */
  *bound = cca->bound ? cca->bound[i] : PETSC_INFINITY;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* norm[j] >= ||r_j|| in the norm of S^{-1}, for n columns of residuals of a view with a ridge; noise: what may be wrong with them */
static PetscErrorCode CCACertify_InverseNorms(CCA cca, int view, PetscInt n, BV R, const PetscReal noise[], PetscReal norm[])
{
  const PetscReal root = PetscSqrtReal(cca->ridge[view]);
  PetscReal      *bound, sharper;
  PetscScalar     dot, lost;
  BV              D;
  Mat             MR, MD, E;
  Vec             d, r, e;
  KSP             ksp;
  PC              pc;

  PetscFunctionBegin;
  for (PetscInt j = 0; j < n; j++) PetscCall(BVNormColumn(R, j, NORM_2, &norm[j]));
  PetscCall(PetscMalloc1(n, &bound));
  PetscCall(BVDuplicate(R, &D));
  PetscCall(BVSetActiveColumns(D, 0, n));
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)cca), &ksp));
  PetscCall(KSPSetType(ksp, KSPBLOCKCG));
  PetscCall(KSPSetOperators(ksp, cca->S[view], cca->S[view]));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCNONE));
  PetscCall(KSPBlockCGSetLowerBound(ksp, cca->ridge[view]));
  PetscCall(KSPSetTolerances(ksp, 0.1, 0.0, PETSC_MAX_REAL, CCA_CERTIFY_STEPS));
  PetscCall(BVGetMat(R, &MR));
  PetscCall(BVGetMat(D, &MD));
  PetscCall(KSPMatSolve(ksp, MR, MD));
  PetscCall(KSPBlockCGGetErrorBound(ksp, n, bound));
  PetscCall(KSPBlockCGGetResidual(ksp, &E));
  for (PetscInt j = 0; j < n; j++) { /* d'S d = d'r - d'e, e = r - S d */
    PetscCall(MatDenseGetColumnVecRead(MD, j, &d));
    PetscCall(MatDenseGetColumnVecRead(MR, j, &r));
    PetscCall(MatDenseGetColumnVecRead(E, j, &e));
    PetscCall(VecDot(r, d, &dot));
    PetscCall(VecDot(e, d, &lost));
    PetscCall(MatDenseRestoreColumnVecRead(E, j, &e));
    PetscCall(MatDenseRestoreColumnVecRead(MR, j, &r));
    PetscCall(MatDenseRestoreColumnVecRead(MD, j, &d));
    sharper = PetscSqrtReal(PetscMax(0.0, PetscRealPart(dot - lost))) + bound[j]; /* ||S^{-1}r||_S <= ||d||_S + ||S^{-1}r - d||_S */
    norm[j] = PetscMin(sharper, norm[j] / root) + noise[j] / root;
  }
  PetscCall(BVRestoreMat(D, &MD));
  PetscCall(BVRestoreMat(R, &MR));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(BVDestroy(&D));
  PetscCall(PetscFree(bound));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCACertify_Private - Bounds of the errors of the first n correlations of a Rayleigh-Ritz step, which has left the residuals of view
   i in AW[1-i].
*/
PetscErrorCode CCACertify_Private(CCA cca, CCARitz *z, PetscInt n, PetscReal bound[])
{
  const int   less = cca->d[0] < cca->d[1] ? 0 : 1; /* the view with fewer columns */
  PetscReal  *norm[2], *noise, length[2];
  PetscScalar trace[2];
  PetscBool   known[2], done;

  PetscFunctionBegin;
  for (PetscInt j = 0; j < n; j++) bound[j] = PETSC_INFINITY;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc3(n, &norm[0], n, &norm[1], n, &noise));
  for (int i = 0; i < 2; i++) PetscCall(MatGetTrace(cca->S[i], &trace[i]));
  for (int i = 0; i < 2; i++) {
    PetscCall(BVSetActiveColumns(z->AW[1 - i], 0, n));
    for (PetscInt j = 0; j < n; j++) { /* S12 v and rho S11 u are wrong by eps times the sums of the moduli of what was added up */
      for (int l = 0; l < 2; l++) PetscCall(BVNormColumn(z->W[l], j, NORM_2, &length[l]));
      noise[j] = 4.0 * PETSC_MACHINE_EPSILON * (z->sigma[j] * PetscRealPart(trace[i]) * length[i] + PetscSqrtReal(PetscRealPart(trace[0]) * PetscRealPart(trace[1])) * length[1 - i]);
    }
    done = PETSC_FALSE;
    if (cca->ops->inversenorm) PetscCall((*cca->ops->inversenorm)(cca, i, n, z->AW[1 - i], noise, norm[i], &done));
    if (!done && cca->ridge[i] > 0.0) {
      PetscCall(CCACertify_InverseNorms(cca, i, n, z->AW[1 - i], noise, norm[i]));
      done = PETSC_TRUE;
    }
    known[i] = done;
  }
  for (PetscInt j = 0; j < n && known[0] && known[1]; j++) {
    const PetscReal rho = z->sigma[j], delta = PetscSqrtReal((norm[0][j] * norm[0][j] + norm[1][j] * norm[1][j]) / 2.0);

    if (rho > delta || cca->d[0] == cca->d[1]) bound[j] = delta;
    else bound[j] = PetscMax(delta, PetscSqrtReal(rho * norm[less][j] + norm[1 - less][j]));
    bound[j] += 4.0 * PETSC_MACHINE_EPSILON; /* of the correlation itself */
    if (PetscIsNanReal(bound[j])) bound[j] = PETSC_INFINITY;
  }
  PetscCall(PetscFree3(norm[0], norm[1], noise));
  PetscFunctionReturn(PETSC_SUCCESS);
}
