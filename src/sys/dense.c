/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Small dense matrices: what more than one class needs of BLAS and LAPACK, and the counts of a gather.
*/
#include <slepcnapi/private/napidense.h>
#include <slepcblaslapack.h>

/* Rows of tall blocks multiplied at a time: so few that they stay in the cache, so many that BLAS is at its speed */
#define NAPI_DENSE_ROWS 1024

/*
   Of unit columns, an eigenvalue of the Gram matrix that is so much smaller than the largest is rounding. Less would keep
   noise as a direction, more would drop directions that have a few digits.
*/
#define NAPI_SVQB_NEGLIGIBLE 1e-14

/* NAPIGemm - C := alpha op(A) op(B) + beta C, of m x n, the sum having k terms */
PetscErrorCode NAPIGemm(const char opa[], const char opb[], PetscInt m, PetscInt n, PetscInt k, PetscScalar alpha, const PetscScalar *A, PetscInt lda, const PetscScalar *B, PetscInt ldb, PetscScalar beta, PetscScalar *C, PetscInt ldc)
{
  PetscBLASInt bm, bn, bk, la, lb, lc;

  PetscFunctionBegin;
  if (!m || !n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscBLASIntCast(m, &bm));
  PetscCall(PetscBLASIntCast(n, &bn));
  PetscCall(PetscBLASIntCast(k, &bk));
  PetscCall(PetscBLASIntCast(PetscMax(1, lda), &la));
  PetscCall(PetscBLASIntCast(PetscMax(1, ldb), &lb));
  PetscCall(PetscBLASIntCast(PetscMax(1, ldc), &lc));
  PetscCallBLAS("BLASgemm", BLASgemm_(opa, opb, &bm, &bn, &bk, &alpha, A, &la, B, &lb, &beta, C, &lc));
  PetscCall(PetscLogFlops(2.0 * m * n * k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIGemmTall - C := C + A'B, of m x n, for many rows. BLAS is slow at products of two tall blocks, which it copies as a whole
   before it multiplies: a piece that stays in the cache at a time, it takes half the time.
*/
PetscErrorCode NAPIGemmTall(PetscInt rows, PetscInt m, PetscInt n, const PetscScalar *A, PetscInt lda, const PetscScalar *B, PetscInt ldb, PetscScalar *C, PetscInt ldc)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < rows; i += NAPI_DENSE_ROWS) PetscCall(NAPIGemm("C", "N", m, n, PetscMin(NAPI_DENSE_ROWS, rows - i), 1.0, A + i, lda, B + i, ldb, 1.0, C, ldc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIHermitianPart - E := (G + G')/2, n x n, in place where E is G. Of the first columns nothing is read: they are what they
   were, and the rows below them are those of the columns to the right.

   sane - where not NULL, whether all entries that were read are numbers and far from an overflow
*/
PetscErrorCode NAPIHermitianPart(PetscInt first, PetscInt n, const PetscScalar *G, PetscInt ldg, PetscScalar *E, PetscInt lde, PetscBool *sane)
{
  PetscFunctionBegin;
  if (sane) *sane = PETSC_TRUE;
  for (PetscInt j = first; j < n; j++) {
    for (PetscInt i = 0; i <= j; i++) {
      const PetscScalar e = i < first ? G[i + j * ldg] : 0.5 * (G[i + j * ldg] + PetscConj(G[j + i * ldg]));

      E[i + j * lde] = e;
      E[j + i * lde] = PetscConj(e);
      if (sane && !NAPIIsSane(e)) *sane = PETSC_FALSE;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Calls a routine of LAPACK twice, at first for the size of the workspace that its arguments call WORK; complex ones want rsize reals besides */
#if defined(PETSC_USE_COMPLEX)
  #define WORK work, &lwork, rwork
  #define WORKD(rsize) \
    work, &lwork, rwork, &(PetscBLASInt) \
    { \
      rsize \
    } /* of those that ask for the size of the reals, too */
#else
  #define WORK         work, &lwork
  #define WORKD(rsize) work, &lwork
#endif
#define NAPICallLAPACK(name, rsize, call) \
  do { \
    PetscBLASInt lwork = -1; \
    PetscScalar  ask, *work = &ask; \
    PetscReal   *rwork = NULL; \
\
    if (PetscDefined(USE_COMPLEX)) PetscCall(PetscMalloc1(rsize, &rwork)); \
    PetscCall(PetscFPTrapPush(PETSC_FP_TRAP_OFF)); \
    PetscCallBLAS(name, call); \
    PetscCall(PetscBLASIntCast((PetscInt)PetscRealPart(ask), &lwork)); \
    PetscCall(PetscMalloc1(lwork, &work)); \
    PetscCallBLAS(name, call); \
    PetscCall(PetscFPTrapPop()); \
    PetscCall(PetscFree(work)); \
    PetscCall(PetscFree(rwork)); \
  } while (0)

/* NAPIEigen - M = E diag(lambda) E' for a Hermitian n x n matrix, whose lower triangle is read; E in the place of M, lambda ascending */
PetscErrorCode NAPIEigen(PetscInt n, PetscScalar *M, PetscInt ldm, PetscReal *lambda)
{
  const PetscInt divide = 32; /* from here on divide and conquer, whose work is matrix products, takes less time than QR */
  PetscBLASInt   bn, ld, info = 0, liwork, *iwork;

  PetscFunctionBegin;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  if (n == 1) { /* so that a block of one column costs what a vector does */
    lambda[0] = PetscRealPart(M[0]);
    M[0]      = 1.0;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscBLASIntCast(n, &bn));
  PetscCall(PetscBLASIntCast(ldm, &ld));
  if (n > divide) {
    PetscCall(PetscBLASIntCast(3 + 5 * n, &liwork));
    PetscCall(PetscMalloc1(liwork, &iwork));
    NAPICallLAPACK("LAPACKsyevd", 1 + 5 * n + 2 * n * n, LAPACKsyevd_("V", "L", &bn, M, &ld, lambda, WORKD(1 + 5 * bn + 2 * bn * bn), iwork, &liwork, &info));
    PetscCall(PetscFree(iwork));
  } else NAPICallLAPACK("LAPACKsyev", 3 * n, LAPACKsyev_("V", "L", &bn, M, &ld, lambda, WORK, &info));
  PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_LIB, "Eigenvalues of a %" PetscInt_FMT " x %" PetscInt_FMT " Hermitian matrix: LAPACK returned %d", n, n, (int)info);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPISingular - The singular value decomposition T = P diag(sigma) Q' of an m x n matrix, r = min(m,n), the same on all
   ranks. T is destroyed; P (m x r) and Q (n x r) are stored without gaps.
*/
PetscErrorCode NAPISingular(MPI_Comm comm, PetscInt m, PetscInt n, PetscScalar *T, PetscInt ldt, PetscReal *sigma, PetscScalar *P, PetscScalar *Q)
{
  PetscInt     i, j, r = PetscMin(m, n);
  PetscBLASInt bm, bn, br, ld, info = 0, *iwork;
  PetscScalar *Qt;
  PetscMPIInt  count;

  PetscFunctionBegin;
  if (!r) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscBLASIntCast(m, &bm));
  PetscCall(PetscBLASIntCast(n, &bn));
  PetscCall(PetscBLASIntCast(r, &br));
  PetscCall(PetscBLASIntCast(ldt, &ld));
  PetscCall(PetscMalloc2(r * n, &Qt, 8 * r, &iwork));
  NAPICallLAPACK("LAPACKgesdd", 5 * r * r + 7 * r + 2 * PetscMax(m, n) * r + 2 * r * r + r, LAPACKgesdd_("S", &bm, &bn, T, &ld, sigma, P, &bm, Qt, &br, WORK, iwork, &info));
  PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_LIB, "Singular values of a %" PetscInt_FMT " x %" PetscInt_FMT " matrix: LAPACKgesdd returned %d", m, n, (int)info);
  for (j = 0; j < n; j++)
    for (i = 0; i < r; i++) Q[j + i * n] = PetscConj(Qt[i + j * r]);
  PetscCall(PetscFree2(Qt, iwork));
  /* other processors may round otherwise: everybody takes what rank 0 has */
  PetscCall(PetscMPIIntCast(r, &count));
  PetscCallMPI(MPI_Bcast(sigma, count, MPIU_REAL, 0, comm));
  PetscCall(PetscMPIIntCast(m * r, &count));
  PetscCallMPI(MPI_Bcast(P, count, MPIU_SCALAR, 0, comm));
  PetscCall(PetscMPIIntCast(n * r, &count));
  PetscCallMPI(MPI_Bcast(Q, count, MPIU_SCALAR, 0, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NAPISingularValues - Those of an m x n matrix alone, on this process; T is destroyed */
PetscErrorCode NAPISingularValues(PetscInt m, PetscInt n, PetscScalar *T, PetscInt ldt, PetscReal *sigma)
{
  const PetscInt r = PetscMin(m, n);
  PetscBLASInt   bm, bn, ld, one = 1, info = 0, *iwork;
  PetscScalar    none;

  PetscFunctionBegin;
  if (!r) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscBLASIntCast(m, &bm));
  PetscCall(PetscBLASIntCast(n, &bn));
  PetscCall(PetscBLASIntCast(ldt, &ld));
  PetscCall(PetscMalloc1(8 * r, &iwork));
  NAPICallLAPACK("LAPACKgesdd", 7 * r, LAPACKgesdd_("N", &bm, &bn, T, &ld, sigma, &none, &one, &none, &one, WORK, iwork, &info));
  PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_LIB, "Singular values of a %" PetscInt_FMT " x %" PetscInt_FMT " matrix: LAPACKgesdd returned %d", m, n, (int)info);
  PetscCall(PetscFree(iwork));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NAPISVQBScale - G := s G s, whose diagonal is 1 by the choice of s, or 0 where s is */
PetscErrorCode NAPISVQBScale(PetscInt n, const PetscReal s[], PetscScalar *G, PetscInt ldg)
{
  PetscFunctionBegin;
  for (PetscInt j = 0; j < n; j++)
    for (PetscInt i = 0; i < n; i++) G[i + j * ldg] = i == j ? (s[i] > 0.0 ? 1.0 : 0.0) : s[i] * s[j] * G[i + j * ldg];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPISVQBTransform - With s G s = Q diag(lambda) Q', G = W'B W: T = s Q lambda^{-1/2} for the eigenvalues that are not negligible,
   in their order, so that W T is B-orthonormal. It survives zero, dependent and badly scaled columns, where a Cholesky
   factorisation breaks down or, worse, does not.

   Tinv - where not NULL, lambda^{1/2} Q' s^{-1}, so that W T Tinv is W; rank x n, without gaps
   rank - the number of columns of T
   least - where not NULL, the smallest eigenvalue kept, 0 if none
*/
PetscErrorCode NAPISVQBTransform(PetscInt n, const PetscReal s[], const PetscReal lambda[], const PetscScalar *Q, PetscInt ldq, PetscScalar *T, PetscInt ldt, PetscScalar *Tinv, PetscInt *rank, PetscReal *least)
{
  PetscReal lmax = 0.0, lmin = PETSC_MAX_REAL;
  PetscInt  r = 0, k = 0;

  PetscFunctionBegin;
  for (PetscInt j = 0; j < n; j++) lmax = PetscMax(lmax, PetscAbsReal(lambda[j]));
  for (PetscInt j = 0; j < n; j++)
    if (lambda[j] > NAPI_SVQB_NEGLIGIBLE * lmax) r++;
  for (PetscInt j = 0; j < n; j++) {
    const PetscReal root = PetscSqrtReal(PetscMax(lambda[j], 0.0));

    if (!(lambda[j] > NAPI_SVQB_NEGLIGIBLE * lmax)) continue;
    lmin = PetscMin(lmin, lambda[j]);
    for (PetscInt i = 0; i < n; i++) {
      T[i + k * ldt] = s[i] * Q[i + j * ldq] / root;
      if (Tinv) Tinv[k + i * r] = s[i] > 0.0 ? root * PetscConj(Q[i + j * ldq]) / s[i] : 0.0;
    }
    k++;
  }
  *rank = r;
  if (least) *least = r ? lmin : 0.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPILayoutCounts - How many scalars of an array each rank has, and where they begin, for the entries from first to last of a
   layout, width scalars each: counts and displacements of MPI_Allgatherv(), to be freed by PetscFree2().
*/
PetscErrorCode NAPILayoutCounts(PetscLayout map, PetscInt first, PetscInt last, PetscInt width, PetscMPIInt **counts, PetscMPIInt **displs)
{
  const PetscInt *range;
  PetscMPIInt     size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(map->comm, &size));
  PetscCall(PetscLayoutGetRanges(map, &range));
  PetscCall(PetscMalloc2(size, counts, size, displs));
  for (PetscMPIInt r = 0; r < size; r++) {
    const PetscInt from = PetscMin(PetscMax(range[r], first), last), to = PetscMax(from, PetscMin(range[r + 1], last));
    PetscInt       count = 0, displ = 0;

    PetscCall(PetscIntMultError(to - from, width, &count));
    PetscCall(PetscIntMultError(from - first, width, &displ));
    PetscCall(PetscMPIIntCast(count, *counts + r));
    PetscCall(PetscMPIIntCast(displ, *displs + r));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
