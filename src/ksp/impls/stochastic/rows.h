/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What the KSP types svrg, katyusha, saga and sdca share: the samples of a MATGRAM, how they are drawn, products with one
   sample, and the frame in which a method is a start and a stage.
*/
#pragma once

#include <slepcnapi/private/kspcolumns.h>
#include <slepcnapi.h>
#include <slepcnapi/private/napicompat.h>

#define ROWS_WIDTH 8 /* columns of a block that go through the samples together: 64 bytes, one cache line */

#if defined(PETSC_USE_REAL_SINGLE)
  #define ROWS_TINY 1e-12f /* a factor of the lazy part that is smaller is multiplied out */
#else
  #define ROWS_TINY 1e-100
#endif

/* Kernels are written once, for any width, and compiled for width 1 and for the others */
#define ROWS_KERNEL static inline __attribute__((always_inline))

/* One view: its local samples x_i, and what centering takes off them */
typedef struct {
  PetscInt           d, off; /* columns, and where they begin among the unknowns */
  PetscBool          dense;
  const PetscInt    *ia, *ja; /* between RowsGet() and RowsRestore() */
  const PetscScalar *a;
  const PetscScalar *given; /* the values of the data, of which a may be a copy */
  PetscScalar       *own;   /* scaled, or (dense views) scaled and centered values; NULL where those of the data do */
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
  PetscBool        psd;  /* S >= 0 */
  PetscReal       *L;    /* L_i = ||F_i' S F_i|| */
  PetscReal        Lmax; /* the largest of all */
  PetscReal        ridgemax, ridgemin;
} Rows;

/* How far the solution moves along the step of a stage */
typedef enum {
  STOCHASTIC_PLAIN,
  STOCHASTIC_LINESEARCH,
  STOCHASTIC_IF_BETTER
} StochasticRule;

typedef struct {
  const char *name;                                /* the KSP type, and the middle of its options */
  PetscReal   stepfactor;                          /* the automatic step is stepfactor/L */
  PetscReal   stagefactor;                         /* and a stage has stagefactor*N steps */
  PetscReal   mixture;                             /* share of uniform draws where samples are drawn by their norms */
  PetscBool   permutes;                            /* samples are not drawn but permuted */
  PetscErrorCode (*check)(KSP);                    /* refuses operators that the method is not made for */
  PetscErrorCode (*start)(KSP);                    /* from where the solution is now, with the residual known */
  PetscErrorCode (*stage)(KSP);                    /* fills step */
  PetscErrorCode (*moved)(KSP, const PetscReal[]); /* the solution has moved by this multiple of step, a column each */
  PetscErrorCode (*free)(KSP);
} StochasticMethod;

typedef struct {
  const StochasticMethod *method;
  void                   *data; /* the method's own */

  /* options */
  PetscReal             step;  /* or PETSC_DECIDE */
  PetscInt              stage; /* or PETSC_DECIDE */
  KSPStochasticSampling sampling;
  PetscInt              seed;
  PetscInt              linesearch; /* PetscBool, or PETSC_DECIDE: where the theory does not hold */
  PetscReal             mu;         /* katyusha: strong convexity, or PETSC_DECIDE */

  Rows        rows;
  PetscRandom random;
  PetscBool   seeded;

  /* of this operator, kept while it does not change */
  PetscBool             havedrawn; /* the tables below exist */
  KSPStochasticSampling drawn;     /* for which sampling */
  PetscReal            *prob;      /* of Walker's alias method */
  PetscInt             *alias;     /* sdca: the order of the samples in this round */
  PetscInt              position;  /* sdca: how many of the round are done */
  PetscReal            *weight;    /* 1/(n p_i), NULL where all are 1 */
  PetscReal             L;         /* max weight_i L_i + ridge */

  /* of this solve */
  PetscReal    eta;    /* the step */
  PetscReal    shrink; /* by how much it had to be reduced */
  PetscInt     m;      /* steps of a stage on this rank */
  PetscReal    passes; /* passes over all data that the steps of one stage make */
  PetscInt    *sample; /* m samples */
  PetscInt     msize;
  PetscInt     P;        /* columns */
  PetscInt     nloc;     /* unknowns here */
  PetscScalar *R, *d;    /* nloc x P by columns: residual, step */
  PetscScalar *g;        /* D x P by rows, on every rank: minus the residual, the gradient */
  PetscScalar *step_all; /* likewise the step */
  PetscScalar *pack;
  Mat          Dmat, BD; /* d as a matrix, and the operator times it */
  Mat          Rmat;     /* R as a matrix, on demand */
  PetscBool    known;    /* R is the residual of the solution */
  Mat          A;        /* what BD was made for */
  PetscInt     Dsize;
  PetscReal   *norm, *ref, *dots, *along; /* P each */
  PetscReal    scale;                     /* the largest reference norm */
} KSP_Stochastic;

PETSC_INTERN PetscErrorCode RowsGet(Rows *);
PETSC_INTERN PetscErrorCode RowsRestore(Rows *);
PETSC_INTERN PetscErrorCode StochasticAverage(KSP, PetscInt, PetscScalar *);
PETSC_INTERN PetscErrorCode StochasticGather(KSP);
PETSC_INTERN PetscErrorCode StochasticLocal(KSP, const PetscScalar *, PetscScalar *, PetscScalar *);
PETSC_INTERN PetscErrorCode StochasticCreate(KSP, const StochasticMethod *, size_t);
PETSC_INTERN PetscErrorCode StochasticDestroy(KSP);
PETSC_INTERN PetscErrorCode StochasticFlops(KSP, PetscReal);

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
  if (p == 1) {
    PetscScalar t0 = 0.0, t1 = 0.0, t2 = 0.0, t3 = 0.0;
    PetscInt    j, n;

    if (x->dense) {
      const PetscScalar *a = x->a + (size_t)i * (size_t)x->d;

      n = x->d;
      for (j = 0; j + 3 < n; j += 4) {
        t0 += a[j] * u[j];
        t1 += a[j + 1] * u[j + 1];
        t2 += a[j + 2] * u[j + 2];
        t3 += a[j + 3] * u[j + 3];
      }
      for (; j < n; j++) t0 += a[j] * u[j];
    } else {
      const PetscScalar *a  = x->a + x->ia[i];
      const PetscInt    *ja = x->ja + x->ia[i];

      n = x->ia[i + 1] - x->ia[i];
      for (j = 0; j + 1 < n; j += 2) {
        t0 += a[j] * u[K * ja[j]];
        t1 += a[j + 1] * u[K * ja[j + 1]];
      }
      if (j < n) t0 += a[j] * u[K * ja[j]];
    }
    t[0] = (t0 + t1) + (t2 + t3);
  } else {
    for (PetscInt k = 0; k < p; k++) t[k] = 0.0;
    if (x->dense) {
      const PetscScalar *a = x->a + (size_t)i * (size_t)x->d;

      for (PetscInt j = 0; j < x->d; j++)
        for (PetscInt k = 0; k < p; k++) t[k] += a[j] * u[j * p + k];
    } else {
      for (PetscInt l = x->ia[i]; l < x->ia[i + 1]; l++) {
        const PetscScalar *uj = u + x->ja[l] * K * p;

        for (PetscInt k = 0; k < p; k++) t[k] += x->a[l] * uj[k];
      }
    }
  }
}

/* The same for two planes at once */
ROWS_KERNEL void RowsDot2(const RowsView *x, PetscInt i, PetscInt K, PetscInt p, const PetscScalar *u, const PetscScalar *g, PetscScalar *t, PetscScalar *s)
{
  if (x->dense) {
    RowsDot(x, i, K, p, u, t);
    RowsDot(x, i, K, p, g, s);
  } else if (p == 1) {
    const PetscScalar *a  = x->a + x->ia[i];
    const PetscInt    *ja = x->ja + x->ia[i], n = x->ia[i + 1] - x->ia[i];
    PetscScalar        t0 = 0.0, t1 = 0.0, s0 = 0.0, s1 = 0.0;
    PetscInt           j;

    for (j = 0; j + 1 < n; j += 2) {
      t0 += a[j] * u[K * ja[j]];
      s0 += a[j] * g[K * ja[j]];
      t1 += a[j + 1] * u[K * ja[j + 1]];
      s1 += a[j + 1] * g[K * ja[j + 1]];
    }
    if (j < n) {
      t0 += a[j] * u[K * ja[j]];
      s0 += a[j] * g[K * ja[j]];
    }
    t[0] = t0 + t1;
    s[0] = s0 + s1;
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
      PetscScalar      *uj = u + x->ja[l] * K * p;
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
