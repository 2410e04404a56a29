/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The samples of a MATGRAM as rows, and products with one sample.
*/
#pragma once

#include <slepcnapi.h>
#include <slepcnapi/private/napicompat.h>

#define ROWS_WIDTH 8 /* columns of a block that go through the samples together: 64 bytes, one cache line */
#define ROWS_AHEAD 4 /* steps before its turn that a sample is fetched: later it is not there yet, earlier others have driven it out */

#if defined(PETSC_USE_REAL_SINGLE)
  #define ROWS_TINY 1e-12f /* a factor of the lazy part that is smaller is multiplied out */
#else
  #define ROWS_TINY 1e-100
#endif

/* Kernels are written once, for any width, and compiled for the widths that come most often and for the others: KERNEL(p) */
#define ROWS_KERNEL static inline __attribute__((always_inline))
#define ROWS_DISPATCH(p, KERNEL) \
  do { \
    if ((p) == 1) KERNEL(1); \
    else if ((p) == 2) KERNEL(2); \
    else if ((p) == ROWS_WIDTH) KERNEL(ROWS_WIDTH); \
    else KERNEL(p); \
  } while (0)

/* One view: its local samples x_i, and what centring takes off them */
typedef struct {
  PetscInt           d, off; /* columns, and where they begin among the unknowns */
  PetscBool          dense;
  const PetscInt    *ia, *ja; /* between RowsGet() and RowsRestore() */
  const PetscScalar *a;
  const PetscScalar *given; /* the values of the data, of which a may be a copy */
  PetscScalar       *own;   /* scaled, or (dense views) scaled and centred values; NULL where those of the data do */
  PetscScalar       *mean;  /* m, where it is taken off implicitly: sample i is x_i - m. NULL otherwise */
  PetscScalar       *mu;    /* x_i^T conj(m) */
  PetscReal          mm;    /* m'm */
  PetscReal         *norm2; /* ||x_i - m||^2 */
  PetscReal          ridge;
} RowsView;

typedef struct {
  Mat              G; /* not referenced: only to see whether it is the same one */
  PetscObjectId    id;
  PetscObjectState state[3]; /* of the operator and its views */
  PetscMPIInt      size, rank;
  PetscInt         nv; /* number of views */
  RowsView         view[2];
  PetscInt         n, N; /* samples here and in all */
  PetscInt         D;    /* unknowns */
  PetscReal        S[2][2];
  PetscBool        psd;  /* S >= 0: every sample is convex for itself */
  PetscReal       *L;    /* L_i = ||F_i' S F_i|| */
  PetscReal        Lmax; /* the largest of all */
  PetscReal        ridgemax, ridgemin;
} Rows;

PETSC_INTERN PetscErrorCode RowsSetUp(KSP, Mat, Rows *, PetscBool *);
PETSC_INTERN PetscErrorCode RowsReset(Rows *);
PETSC_INTERN PetscErrorCode RowsGet(Rows *);
PETSC_INTERN PetscErrorCode RowsRestore(Rows *);
PETSC_INTERN PetscErrorCode RowsApply(Rows *, PetscInt, const PetscScalar *, PetscScalar *, PetscScalar *);

/* ------------------------------------------- one sample ------------------------------------------- */

/*
   An iterate is stored as K planes (SVRG: u, g, v) of p columns, a view each. Sparse views have the planes of an unknown
   next to each other, since they are touched together; dense views have plane after plane.
*/
ROWS_KERNEL PetscInt RowsStride(const RowsView *x, PetscInt K, PetscInt p)
{
  return x->dense ? p : K * p;
}

ROWS_KERNEL PetscScalar *RowsPlane(const RowsView *x, PetscInt K, PetscInt p, PetscScalar *state, PetscInt k)
{
  return state + (size_t)x->off * (size_t)(K * p) + (x->dense ? (size_t)k * (size_t)x->d * (size_t)p : (size_t)(k * p));
}

/*
   Columns first..first+p-1 of an array, D x P by rows and 0 where NULL, to a plane; and, where the view is centred, m^T times
   it to mt (if not NULL)
*/
static inline void RowsLoad(const RowsView *x, PetscInt K, PetscInt p, const PetscScalar *array, PetscInt P, PetscInt first, PetscScalar *plane, PetscScalar *mt)
{
  const PetscInt stride = RowsStride(x, K, p);

  for (PetscInt k = 0; k < p && mt; k++) mt[k] = 0.0;
  for (PetscInt j = 0; j < x->d; j++) {
    const size_t at = (size_t)(x->off + j) * (size_t)P + (size_t)first;

    for (PetscInt k = 0; k < p; k++) {
      plane[j * stride + k] = array ? array[at + k] : 0.0;
      if (mt && x->mean) mt[k] += x->mean[j] * plane[j * stride + k];
    }
  }
}

/* The way back: factor times (the plane + conj(m) e) */
static inline void RowsStore(const RowsView *x, PetscInt K, PetscInt p, PetscScalar *array, PetscInt P, PetscInt first, const PetscScalar *plane, const PetscScalar *e, PetscReal factor)
{
  const PetscInt stride = RowsStride(x, K, p);

  for (PetscInt j = 0; j < x->d; j++) {
    const size_t      at = (size_t)(x->off + j) * (size_t)P + (size_t)first;
    const PetscScalar m  = x->mean ? PetscConj(x->mean[j]) : 0.0;

    for (PetscInt k = 0; k < p; k++) array[at + k] = factor * (plane[j * stride + k] + m * e[k]);
  }
}

/* The beginning of a sample that will be needed soon */
ROWS_KERNEL void RowsPrefetch(const Rows *rows, PetscInt i)
{
  for (PetscInt v = 0; v < rows->nv; v++) {
    const RowsView *x = &rows->view[v];

    if (!x->dense) {
      const char *a = (const char *)(x->a + x->ia[i]), *ja = (const char *)(x->ja + x->ia[i]);

      for (int l = 0; l < 256; l += 64) __builtin_prefetch(a + l);
      for (int l = 0; l < 256; l += 64) __builtin_prefetch(ja + l);
    }
  }
}

/* t_k = sum_j x_ij u_jk, k < p */
ROWS_KERNEL void RowsDot(const RowsView *x, PetscInt i, PetscInt K, PetscInt p, const PetscScalar *u, PetscScalar *t)
{
  for (PetscInt k = 0; k < p; k++) t[k] = 0.0;
  if (x->dense) {
    const PetscScalar *a = x->a + (size_t)i * (size_t)x->d;
    PetscInt           j = 0;

    if (p == 1) { /* sums that do not wait for each other */
      PetscScalar t0 = 0.0, t1 = 0.0, t2 = 0.0, t3 = 0.0;

      for (; j + 3 < x->d; j += 4) {
        t0 += a[j] * u[j];
        t1 += a[j + 1] * u[j + 1];
        t2 += a[j + 2] * u[j + 2];
        t3 += a[j + 3] * u[j + 3];
      }
      t[0] = (t0 + t1) + (t2 + t3);
    }
    for (; j < x->d; j++)
      for (PetscInt k = 0; k < p; k++) t[k] += a[j] * u[j * p + k];
  } else {
    for (PetscInt l = x->ia[i]; l < x->ia[i + 1]; l++) {
      const PetscScalar *uj = u + (size_t)x->ja[l] * (size_t)(K * p);

      for (PetscInt k = 0; k < p; k++) t[k] += x->a[l] * uj[k];
    }
  }
}

/* The same for two planes at once */
ROWS_KERNEL void RowsDot2(const RowsView *x, PetscInt i, PetscInt K, PetscInt p, const PetscScalar *u, const PetscScalar *g, PetscScalar *t, PetscScalar *s)
{
  if (x->dense) {
    RowsDot(x, i, K, p, u, t);
    RowsDot(x, i, K, p, g, s);
  } else {
    for (PetscInt k = 0; k < p; k++) t[k] = s[k] = 0.0;
    for (PetscInt l = x->ia[i]; l < x->ia[i + 1]; l++) {
      const PetscScalar *uj = u + x->ja[l] * K * p, *gj = g + x->ja[l] * K * p;

      for (PetscInt k = 0; k < p; k++) {
        t[k] += x->a[l] * uj[k];
        s[k] += x->a[l] * gj[k];
      }
    }
  }
}

/* u_jk += conj(x_ij) c_k */
ROWS_KERNEL void RowsAxpy(const RowsView *x, PetscInt i, PetscInt K, PetscInt p, const PetscScalar *c, PetscScalar *u)
{
  if (x->dense) {
    const PetscScalar *a = x->a + (size_t)i * (size_t)x->d;

    for (PetscInt j = 0; j < x->d; j++)
      for (PetscInt k = 0; k < p; k++) u[j * p + k] += PetscConj(a[j]) * c[k];
  } else {
    for (PetscInt l = x->ia[i]; l < x->ia[i + 1]; l++) {
      PetscScalar      *uj = u + (size_t)x->ja[l] * (size_t)(K * p);
      const PetscScalar a  = PetscConj(x->a[l]);

      for (PetscInt k = 0; k < p; k++) uj[k] += a * c[k];
    }
  }
}

/* u_jk += conj(x_ij) c_k, w_jk += conj(x_ij) b_k */
ROWS_KERNEL void RowsAxpy2(const RowsView *x, PetscInt i, PetscInt K, PetscInt p, const PetscScalar *c, PetscScalar *u, const PetscScalar *b, PetscScalar *w)
{
  if (x->dense) {
    RowsAxpy(x, i, K, p, c, u);
    RowsAxpy(x, i, K, p, b, w);
  } else {
    for (PetscInt l = x->ia[i]; l < x->ia[i + 1]; l++) {
      const PetscInt    j = x->ja[l] * K * p;
      const PetscScalar a = PetscConj(x->a[l]);

      for (PetscInt k = 0; k < p; k++) {
        u[j + k] += a * c[k];
        w[j + k] += a * b[k];
      }
    }
  }
}

/* c = w S t */
ROWS_KERNEL void RowsCouple(const Rows *rows, PetscInt p, PetscReal w, const PetscScalar (*t)[ROWS_WIDTH], PetscScalar (*c)[ROWS_WIDTH])
{
  if (rows->nv == 1) {
    for (PetscInt k = 0; k < p; k++) c[0][k] = w * rows->S[0][0] * t[0][k];
  } else {
    for (PetscInt k = 0; k < p; k++) {
      c[0][k] = w * (rows->S[0][0] * t[0][k] + rows->S[0][1] * t[1][k]);
      c[1][k] = w * (rows->S[1][0] * t[0][k] + rows->S[1][1] * t[1][k]);
    }
  }
}

/* ------------------------------------------- lazy iterates ------------------------------------------- */

/*
   An iterate of one view that shrinks and moves along a full vector g in every step, kept as s u + c g + conj(m) e: a step then
   changes numbers, and u where the sample has entries
*/
typedef struct {
  PetscScalar *u, *g;                                         /* planes */
  PetscReal    q, s, c;                                       /* a step has s <- q s, c <- q c - eta */
  PetscScalar  e[ROWS_WIDTH], mu[ROWS_WIDTH], mg[ROWS_WIDTH]; /* e, m^T u, m^T g */
} RowsLazy;

/* The iterate is u, 0 where NULL, of which columns first..first+p-1 go to the planes 0 and 1 of state, with those of g */
static inline void RowsLazyStart(const RowsView *x, PetscInt K, PetscInt p, PetscScalar *state, PetscReal eta, const PetscScalar *u, const PetscScalar *g, PetscInt P, PetscInt first, RowsLazy *w)
{
  w->u = RowsPlane(x, K, p, state, 0);
  w->g = RowsPlane(x, K, p, state, 1);
  w->q = 1.0 - eta * x->ridge;
  w->s = 1.0;
  w->c = 0.0;
  for (PetscInt k = 0; k < p; k++) w->e[k] = 0.0;
  RowsLoad(x, K, p, u, P, first, w->u, w->mu);
  RowsLoad(x, K, p, g, P, first, w->g, w->mg);
}

/* s and c multiplied out: u <- s u + c g, s = 1, c = 0 */
static inline void RowsLazyFold(const RowsView *x, PetscInt K, PetscInt p, RowsLazy *w)
{
  const PetscInt stride = RowsStride(x, K, p);

  for (PetscInt j = 0; j < x->d; j++)
    for (PetscInt k = j * stride; k < j * stride + p; k++) w->u[k] = w->s * w->u[k] + w->c * w->g[k];
  for (PetscInt k = 0; k < p; k++) w->mu[k] = w->s * w->mu[k] + w->c * w->mg[k];
  w->s = 1.0;
  w->c = 0.0;
}

/* t = F_i times the iterate, of this view */
ROWS_KERNEL void RowsLazyDot(const RowsView *x, PetscInt i, PetscInt K, PetscInt p, const RowsLazy *w, PetscScalar *t)
{
  PetscScalar tg[ROWS_WIDTH];

  RowsDot2(x, i, K, p, w->u, w->g, t, tg);
  if (x->mean) {
    for (PetscInt k = 0; k < p; k++) t[k] = w->s * (t[k] - w->mu[k]) + w->c * (tg[k] - w->mg[k]) + (x->mu[i] - x->mm) * w->e[k];
  } else
    for (PetscInt k = 0; k < p; k++) t[k] = w->s * t[k] + w->c * tg[k];
}
