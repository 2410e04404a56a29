/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What KSP types share that solve for many columns at once.
*/
#include <slepcnapi/private/kspcolumns.h>

#define ESTIMATE_ITERATIONS 10 /* for the largest eigenvalue */

static PetscErrorCode KSPSolve_Columns(KSP ksp)
{
  PetscFunctionBegin;
  PetscCall(KSPCheckTranspose_Private(ksp));
  PetscCall((*((KSPColumns *)ksp->data)->solve)(ksp, 1, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* KSPMatSolve() has zeroed X where there is no guess; unlike KSPSolve() it leaves history and total to the type */
static PetscErrorCode KSPMatSolve_Columns(KSP ksp, Mat B, Mat X)
{
  PetscInt p;

  PetscFunctionBegin;
  PetscCall(KSPCheckTranspose_Private(ksp));
  PetscCall(MatGetSize(B, NULL, &p));
  if (ksp->res_hist_reset) ksp->res_hist_len = 0;
  PetscCall((*((KSPColumns *)ksp->data)->solve)(ksp, p, B, X));
  ksp->totalits += ksp->its;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the KSPCreate_ of such a type begins with: data is its context, solve what it does */
PetscErrorCode KSPColumnsCreate(KSP ksp, KSPColumns *data, PetscErrorCode (*solve)(KSP, PetscInt, Mat, Mat))
{
  PetscFunctionBegin;
  data->solve             = solve;
  ksp->data               = (void *)data;
  ksp->ops->solve         = KSPSolve_Columns;
  ksp->ops->matsolve      = KSPMatSolve_Columns;
  ksp->ops->buildsolution = KSPBuildSolutionDefault;
  ksp->ops->buildresidual = KSPBuildResidualDefault;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* For types whose matrix is Hermitian */
PetscErrorCode KSPCheckTranspose_Private(KSP ksp)
{
  PetscFunctionBegin;
  PetscCheck(!PetscDefined(USE_COMPLEX) || !ksp->transpose_solve, PetscObjectComm((PetscObject)ksp), PETSC_ERR_SUP, "Transpose solve with a complex matrix, which is Hermitian and not symmetric");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The p columns of M or, where that is NULL, of a vector, n rows here, to an array */
PetscErrorCode KSPColumnsCopy(Mat M, Vec v, PetscInt n, PetscInt p, PetscScalar *array)
{
  const PetscScalar *a;
  PetscInt           ld = n;

  PetscFunctionBegin;
  if (M) {
    PetscCall(MatDenseGetLDA(M, &ld));
    PetscCall(MatDenseGetArrayRead(M, &a));
  } else PetscCall(VecGetArrayRead(v, &a));
  for (PetscInt j = 0; j < p; j++) PetscCall(PetscArraycpy(array + j * n, a + j * ld, n));
  if (M) PetscCall(MatDenseRestoreArrayRead(M, &a));
  else PetscCall(VecRestoreArrayRead(v, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KSPColumnsGetSolution(KSP ksp, Mat X, PetscScalar **x, PetscInt *ld)
{
  PetscFunctionBegin;
  if (X) {
    PetscCall(MatDenseGetLDA(X, ld));
    PetscCall(MatDenseGetArray(X, x));
  } else {
    PetscCall(VecGetLocalSize(ksp->vec_sol, ld));
    PetscCall(VecGetArray(ksp->vec_sol, x));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KSPColumnsRestoreSolution(KSP ksp, Mat X, PetscScalar **x)
{
  PetscFunctionBegin;
  if (X) PetscCall(MatDenseRestoreArray(X, x));
  else PetscCall(VecRestoreArray(ksp->vec_sol, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A dense matrix, n of N rows here, that shows the columns of an array */
PetscErrorCode KSPColumnsCreateMat(KSP ksp, PetscInt n, PetscInt N, PetscInt p, PetscScalar *array, Mat *M)
{
  PetscFunctionBegin;
  PetscCall(MatCreateDense(PetscObjectComm((PetscObject)ksp), n, PETSC_DECIDE, N, p, array, M));
  PetscCall(MatSetOption(*M, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE));
  PetscCall(MatAssemblyBegin(*M, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*M, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* dots_j = Re(u_j' v_j) for p columns, here only: the caller reduces them, several at a time */
PetscErrorCode KSPColumnsDots(PetscInt n, PetscInt p, const PetscScalar *U, PetscInt ldu, const PetscScalar *V, PetscInt ldv, PetscReal *dots)
{
  PetscFunctionBegin;
  for (PetscInt j = 0; j < p; j++) {
    const PetscScalar *u = U + j * ldu, *v = V + j * ldv;
    PetscReal          sum = 0.0;

    for (PetscInt i = 0; i < n; i++) sum += PetscRealPart(PetscConj(u[i]) * v[i]);
    dots[j] = sum;
  }
  PetscCall(PetscLogFlops(2.0 * n * p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KSPColumnsReduce(KSP ksp, PetscInt size, PetscReal *sums)
{
  PetscMPIInt count;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(size, &count));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, count, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)ksp)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether KSPConvergedDefault() compares with the right-hand side, as it does for a nonzero guess unless told otherwise */
PetscBool KSPColumnsRefersToRHS(KSP ksp)
{
  return (PetscBool)(!ksp->guess_zero && ksp->converged == KSPConvergedDefault && !((KSPConvergedDefaultCtx *)ksp->cnvP)->initialrtol);
}

/*
   KSPColumnsReference - What the norm of each column is compared with, now that the initial norms are known.

   ref   - on entry the norms of the right-hand sides, or nothing positive where they do not matter (KSPColumnsRefersToRHS()
           says so) or are not known
   scale - the largest of the references, by which all are reported
*/
PetscErrorCode KSPColumnsReference(KSP ksp, PetscInt p, const PetscReal norm[], PetscReal ref[], PetscReal *scale)
{
  const PetscBool least = (PetscBool)(ksp->converged == KSPConvergedDefault && ((KSPConvergedDefaultCtx *)ksp->cnvP)->mininitialrtol);

  PetscFunctionBegin;
  *scale = 0.0;
  for (PetscInt l = 0; l < p; l++) {
    if (ref[l] <= 0.0) ref[l] = norm[l]; /* also for a zero right-hand side with a nonzero guess */
    else if (least) ref[l] = PetscMin(ref[l], norm[l]);
    *scale = PetscMax(*scale, ref[l]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   KSPColumnsTest - Every column has to fall below max(rtol*its reference norm, abstol). One number stands for all of them:
   the worst reduction of a column that is above abstol, times the largest reference norm; where all columns are below
   abstol, the largest norm. It is at most max(rtol*largest reference norm, abstol) if and only if every column is
   where it has to be, it is the norm itself for one column, and it never depends on the scales of the columns. This is
   what monitors, the history and the convergence test see; vec_rhs and vec_sol are those of the worst column meanwhile.

   B, X   - right-hand sides and solutions of KSPMatSolve(), or NULL
   norm   - p of them, as they are now
   ref    - what each is compared with
   scale  - the largest reference norm at the beginning
   report - whether monitors and history are to see it
*/
PetscErrorCode KSPColumnsTest(KSP ksp, Mat B, Mat X, PetscInt p, const PetscReal norm[], const PetscReal ref[], PetscReal scale, PetscBool report)
{
  PetscReal q, largest = 0.0, reduction = -1.0, rho, nan = 0.0;
  PetscInt  l, worst = 0;
  PetscBool guess_zero = ksp->guess_zero;
  Vec       rhs = ksp->vec_rhs, sol = ksp->vec_sol, b, x;

  PetscFunctionBegin;
  for (l = 0; l < p; l++) {
    if (PetscIsInfOrNanReal(norm[l])) nan = norm[l] - norm[l]; /* not a number, of Inf too */
    largest = PetscMax(largest, norm[l]);
    if (norm[l] > ksp->abstol) {
      q = ref[l] > 0.0 ? norm[l] / ref[l] : PETSC_INFINITY;
      if (q > reduction) {
        reduction = q;
        worst     = l;
      }
    }
  }
  rho        = (reduction >= 0.0 ? reduction * scale : largest) + nan;
  ksp->rnorm = rho;

  if (X) {
    PetscCall(MatDenseGetColumnVecRead(B, worst, &b));
    PetscCall(MatDenseGetColumnVecRead(X, worst, &x));
    ksp->vec_rhs = b;
    ksp->vec_sol = x;
  }
  if (report) {
    PetscCall(KSPLogResidualHistory(ksp, rho));
    PetscCall(KSPMonitor(ksp, ksp->its, rho));
  }
  /* KSPConvergedDefault() would compute norms of the right-hand side again, all columns in one */
  if (ksp->converged == KSPConvergedDefault) ksp->guess_zero = PETSC_TRUE;
  PetscCall((*ksp->converged)(ksp, ksp->its, rho, &ksp->reason, ksp->cnvP));
  ksp->guess_zero = guess_zero;
  if (X) {
    ksp->vec_rhs = rhs;
    ksp->vec_sol = sol;
    PetscCall(MatDenseRestoreColumnVecRead(X, worst, &x));
    PetscCall(MatDenseRestoreColumnVecRead(B, worst, &b));
  }
  if (!ksp->its && ksp->converged == KSPConvergedDefault && ksp->normtype != KSP_NORM_NONE) {
    ksp->rnorm0 = scale;
    ksp->ttol   = PetscMax(ksp->rtol * ksp->rnorm0, ksp->abstol);
    if ((!ksp->reason || ksp->reason == KSP_CONVERGED_RTOL) && ksp->chknorm < 0) ksp->reason = rho <= ksp->ttol ? KSP_CONVERGED_RTOL : KSP_CONVERGED_ITERATING;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* KSPColumnsRemoveNullSpace - Takes a null space out of the columns of a dense matrix */
PetscErrorCode KSPColumnsRemoveNullSpace(MatNullSpace nullsp, Mat M, PetscInt columns)
{
  Vec v;

  PetscFunctionBegin;
  for (PetscInt j = 0; j < columns; j++) {
    PetscCall(MatDenseGetColumnVec(M, j, &v));
    PetscCall(MatNullSpaceRemove(nullsp, v));
    PetscCall(MatDenseRestoreColumnVec(M, j, &v));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   KSPEstimatedIsFresh_Private - Whether what was estimated is for these matrices, as they are; from now on it is.
*/
PetscErrorCode KSPEstimatedIsFresh_Private(KSPEstimated *e, Mat A, Mat P, PetscBool *fresh)
{
  PetscObjectId    id[2];
  PetscObjectState state[2];

  PetscFunctionBegin;
  PetscCall(PetscObjectGetId((PetscObject)A, &id[0]));
  PetscCall(PetscObjectGetId((PetscObject)P, &id[1]));
  PetscCall(PetscObjectStateGet((PetscObject)A, &state[0]));
  PetscCall(PetscObjectStateGet((PetscObject)P, &state[1]));
  *fresh = (PetscBool)(e->known && id[0] == e->id[0] && id[1] == e->id[1] && state[0] == e->state[0] && state[1] == e->state[1]);
  for (int i = 0; i < 2; i++) {
    e->id[i]    = id[i];
    e->state[i] = state[i];
  }
  e->known = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   KSPEstimateLargest_Private - The largest Ritz value of M^{-1}A after a few iterations of conjugate gradients, or singular value of those
   of GMRES, with a random right-hand side: each costs as much as one of the method, and few will do.
*/
PetscErrorCode KSPEstimateLargest_Private(KSP ksp, KSPType type, Mat A, Mat P, PetscReal *largest)
{
  KSP         krylov;
  PetscReal   smallest;
  PetscRandom random;
  Vec         b, x;

  PetscFunctionBegin;
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)ksp), &krylov));
  PetscCall(KSPSetErrorIfNotConverged(krylov, PETSC_FALSE));
  PetscCall(KSPSetType(krylov, type));
  PetscCall(KSPSetOperators(krylov, A, P));
  PetscCall(KSPSetPC(krylov, ksp->pc));
  PetscCall(KSPSetTolerances(krylov, 1e-10, 0.0, PETSC_DEFAULT, ESTIMATE_ITERATIONS));
  PetscCall(KSPSetComputeSingularValues(krylov, PETSC_TRUE));
  PetscCall(PetscRandomCreate(PetscObjectComm((PetscObject)ksp), &random));
  PetscCall(PetscRandomSetType(random, PETSCRANDER48));
  PetscCall(PetscRandomSetInterval(random, -1.0, 1.0));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSetRandom(b, random));
  PetscCall(PetscRandomDestroy(&random));
  PetscCall(KSPSolve(krylov, b, x));
  PetscCall(KSPComputeExtremeSingularValues(krylov, largest, &smallest));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(KSPDestroy(&krylov));
  PetscCall(PetscInfo(ksp, "largest eigenvalue of the preconditioned matrix estimated as %g\n", (double)*largest));
  PetscFunctionReturn(PETSC_SUCCESS);
}
