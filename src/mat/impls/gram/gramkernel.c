/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The arithmetic of MATGRAM on the local samples: for a chunk of samples and a block of width columns, stored by rows,

     GramGather     T  = X W        t_i = sum_j x_ij W(j,:)            one view's part of F_i W
     GramScatter    O += X' C       O(j,:) += conj(x_ij) c_i'          one view's part of F_i' (S F_i W)

   The caller takes chunks so small that the nonzeros which the first has read from memory are still in cache for the
   second. Dense views are two calls of BLAS. Sparse views have kernels for widths 1, 2, 4, 8 and 16, written with
   vector types since a compiler may unroll the short inner loop before it thinks of vectors (gcc 12 does), on x86-64
   twice: for SSE2, which every such machine has, and for AVX2 with FMA, chosen when first called. Complex scalars, other
   precisions and other compilers take a plain loop.

   In complex arithmetic BLAS has no product with conj(X) on the right side, X' C stored by rows: dense views leave
   conj(O) instead of O, which is conjugated where it is read.
*/
#include <slepcnapi/private/gramimpl.h>
#include <petscblaslapack.h>

/* --- the plain kernels ------------------------------------------------------------------------------------------ */

static void GramGatherPlain(PetscInt width, PetscInt n, const PetscInt *ia, const PetscInt *ja, const PetscScalar *a, const PetscScalar *W, const PetscScalar *t0, PetscScalar *T)
{
  for (PetscInt i = 0; i < n; i++, T += width) {
    for (PetscInt k = 0; k < width; k++) T[k] = t0[k];
    for (PetscInt j = ia[i]; j < ia[i + 1]; j++) {
      for (PetscInt k = 0; k < width; k++) T[k] += a[j] * W[ja[j] * width + k];
    }
  }
}

static void GramScatterPlain(PetscInt width, PetscInt n, const PetscInt *ia, const PetscInt *ja, const PetscScalar *a, const PetscScalar *C, PetscScalar *O)
{
  for (PetscInt i = 0; i < n; i++, C += width) {
    for (PetscInt j = ia[i]; j < ia[i + 1]; j++) {
      const PetscScalar x = PetscConj(a[j]);
      for (PetscInt k = 0; k < width; k++) O[ja[j] * width + k] += x * C[k];
    }
  }
}

/* --- the fast kernels -------------------------------------------------------------------------------------------- */

#if defined(__GNUC__) && defined(PETSC_USE_REAL_DOUBLE) && !defined(PETSC_USE_COMPLEX)
  #define GRAM_FAST
#endif

#if defined(GRAM_FAST)
  #define KERNEL_AHEAD 128 /* nonzeros between asking for a row and using it: more would be evicted again, fewer are not there in time */
  #define KERNEL_FETCH(array, j, write) \
    do { \
      const PetscScalar *f_ = (array) + ja[(j) + KERNEL_AHEAD < last ? (j) + KERNEL_AHEAD : last] * KERNEL_WIDTH; \
      __builtin_prefetch(f_, write); \
      if (KERNEL_WIDTH > 8) __builtin_prefetch(f_ + 8, write); \
    } while (0)
/* vectors of 2 and 4 scalars, which may begin at any scalar of an array */
typedef PetscScalar GramVec2 __attribute__((vector_size(16), aligned(8), may_alias));
typedef PetscScalar GramVec4 __attribute__((vector_size(32), aligned(8), may_alias));

  #define KERNEL_TARGET
  #define KERNEL_NAME(what) Gram##what##_2
  #define KERNEL_VECTOR     GramVec2
  #define KERNEL_COUNT      1
  #include "gramkernel.h"
  #define KERNEL_NAME(what) Gram##what##_4
  #define KERNEL_VECTOR     GramVec2
  #define KERNEL_COUNT      2
  #include "gramkernel.h"
  #define KERNEL_NAME(what) Gram##what##_8
  #define KERNEL_VECTOR     GramVec2
  #define KERNEL_COUNT      4
  #include "gramkernel.h"
  #define KERNEL_NAME(what) Gram##what##_16
  #define KERNEL_VECTOR     GramVec2
  #define KERNEL_COUNT      8
  #include "gramkernel.h"
  #undef KERNEL_TARGET

  #if defined(__x86_64__)
    #define KERNEL_TARGET     __attribute__((target("avx2,fma")))
    #define KERNEL_NAME(what) Gram##what##_2_AVX2
    #define KERNEL_VECTOR     GramVec2
    #define KERNEL_COUNT      1
    #include "gramkernel.h"
    #define KERNEL_NAME(what) Gram##what##_4_AVX2
    #define KERNEL_VECTOR     GramVec4
    #define KERNEL_COUNT      1
    #include "gramkernel.h"
    #define KERNEL_NAME(what) Gram##what##_8_AVX2
    #define KERNEL_VECTOR     GramVec4
    #define KERNEL_COUNT      2
    #include "gramkernel.h"
    #define KERNEL_NAME(what) Gram##what##_16_AVX2
    #define KERNEL_VECTOR     GramVec4
    #define KERNEL_COUNT      4
    #include "gramkernel.h"
    #undef KERNEL_TARGET
  #endif

/* One column: four partial sums, else each addition waits for the one before */
static void GramGather_1(PetscInt n, PetscInt last, const PetscInt *restrict ia, const PetscInt *restrict ja, const PetscScalar *restrict a, const PetscScalar *restrict W, const PetscScalar *restrict t0, PetscScalar *restrict T)
{
  (void)last;
  for (PetscInt i = 0; i < n; i++) {
    PetscInt    j  = ia[i];
    PetscScalar s0 = t0[0], s1 = 0.0, s2 = 0.0, s3 = 0.0;

    for (; j + 4 <= ia[i + 1]; j += 4) {
      s0 += a[j] * W[ja[j]];
      s1 += a[j + 1] * W[ja[j + 1]];
      s2 += a[j + 2] * W[ja[j + 2]];
      s3 += a[j + 3] * W[ja[j + 3]];
    }
    for (; j < ia[i + 1]; j++) s0 += a[j] * W[ja[j]];
    T[i] = (s0 + s1) + (s2 + s3);
  }
}

static void GramScatter_1(PetscInt n, PetscInt last, const PetscInt *restrict ia, const PetscInt *restrict ja, const PetscScalar *restrict a, const PetscScalar *restrict C, PetscScalar *restrict O)
{
  (void)last;
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = ia[i]; j < ia[i + 1]; j++) O[ja[j]] += a[j] * C[i];
  }
}

typedef void GramGatherFn(PetscInt, PetscInt, const PetscInt *, const PetscInt *, const PetscScalar *, const PetscScalar *, const PetscScalar *, PetscScalar *);
typedef void GramScatterFn(PetscInt, PetscInt, const PetscInt *, const PetscInt *, const PetscScalar *, const PetscScalar *, PetscScalar *);

/* The kernels by the logarithm of the width; those of this machine are chosen when first asked for */
  #define GRAM_KERNELS 5
static GramGatherFn *const   gathers[GRAM_KERNELS]  = {GramGather_1, GramGather_2, GramGather_4, GramGather_8, GramGather_16};
static GramScatterFn *const  scatters[GRAM_KERNELS] = {GramScatter_1, GramScatter_2, GramScatter_4, GramScatter_8, GramScatter_16};
static GramGatherFn *const  *gather                 = NULL;
static GramScatterFn *const *scatter                = NULL;

static PetscInt GramKernelIndex(PetscInt width)
{
  PetscInt k = 0;

  if (!gather) {
    gather  = gathers;
    scatter = scatters;
  #if defined(__x86_64__)
    static GramGatherFn *const  gathers_avx2[GRAM_KERNELS]  = {GramGather_1, GramGather_2_AVX2, GramGather_4_AVX2, GramGather_8_AVX2, GramGather_16_AVX2};
    static GramScatterFn *const scatters_avx2[GRAM_KERNELS] = {GramScatter_1, GramScatter_2_AVX2, GramScatter_4_AVX2, GramScatter_8_AVX2, GramScatter_16_AVX2};

    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
      gather  = gathers_avx2;
      scatter = scatters_avx2;
    }
  #endif
  }
  while (k < GRAM_KERNELS && width != (PetscInt)1 << k) k++;
  return k < GRAM_KERNELS ? k : -1;
}
#endif

/* --- one chunk ---------------------------------------------------------------------------------------------------- */

/* O' = O' + C' op(X), where op is "N" or "T" and X the n samples of a dense view; C and O are stored by rows of the given width */
static PetscErrorCode GramDense(const GramView *v, const char op[], PetscInt first, PetscInt n, PetscInt width, const PetscScalar *C, PetscScalar *O)
{
  const PetscBool transpose = (PetscBool)(op[0] == 'T');
  PetscBLASInt    bw, bn, bd, lda, inc = 1;
  PetscScalar     one = 1.0;

  PetscFunctionBegin;
  PetscCall(PetscBLASIntCast(width, &bw));
  PetscCall(PetscBLASIntCast(n, &bn));
  PetscCall(PetscBLASIntCast(v->d, &bd));
  PetscCall(PetscBLASIntCast(PetscMax(1, v->lda), &lda));
  if (!v->d) PetscFunctionReturn(PETSC_SUCCESS);
  if (width == 1) PetscCallBLAS("BLASgemv", BLASgemv_(transpose ? "N" : "T", &bn, &bd, &one, v->a + first, &lda, C, &inc, &one, O, &inc));
  else PetscCallBLAS("BLASgemm", BLASgemm_("N", op, &bw, transpose ? &bn : &bd, transpose ? &bd : &bn, &one, C, &bw, v->a + first, &lda, &one, O, &bw));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   GramGather - T = t0 + X(first:first+n,:) W for n local samples of a view; W (d x width) and T are stored by rows.
*/
PetscErrorCode GramGather(const GramView *v, PetscInt first, PetscInt n, PetscInt width, const PetscScalar *W, const PetscScalar *t0, PetscScalar *T)
{
  PetscFunctionBegin;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  if (v->sparse) {
#if defined(GRAM_FAST)
    const PetscInt k = GramKernelIndex(width);

    if (k >= 0) (*gather[k])(n, v->ia[v->loc->rmap->n] - 1, v->ia + first, v->ja, v->a, W, t0, T);
    else
#endif
      GramGatherPlain(width, n, v->ia + first, v->ja, v->a, W, t0, T);
  } else {
    for (PetscInt i = 0; i < n; i++) PetscCall(PetscArraycpy(T + i * width, t0, width));
    PetscCall(GramDense(v, "T", first, n, width, W, T)); /* T' += W' X' */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   GramScatter - O += X(first:first+n,:)' C for n local samples of a view; C and O (d x width) are stored by rows.
   A dense view of complex numbers adds conj(X' C), and destroys C.
*/
PetscErrorCode GramScatter(const GramView *v, PetscInt first, PetscInt n, PetscInt width, PetscScalar *C, PetscScalar *O)
{
  PetscFunctionBegin;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  if (v->sparse) {
#if defined(GRAM_FAST)
    const PetscInt k = GramKernelIndex(width);

    if (k >= 0) (*scatter[k])(n, v->ia[v->loc->rmap->n] - 1, v->ia + first, v->ja, v->a, C, O);
    else
#endif
      GramScatterPlain(width, n, v->ia + first, v->ja, v->a, C, O);
  } else {
    for (PetscInt i = 0; PetscDefined(USE_COMPLEX) && i < n * width; i++) C[i] = PetscConj(C[i]);
    PetscCall(GramDense(v, "N", first, n, width, C, O)); /* O' += C' X */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
