/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What the files of the Mat type "gram" share.

   A MATGRAM is small: a coupling, two ridges, two switches. All that is large belongs to its GramData, which the two
   matrices of a CCA pair, duplicates of a matrix and sums of matrices have in common (reference counted): the views,
   their local rows, the column statistics and the work space of the products.
*/
#pragma once

#include <slepcnapi.h>
#include <petsc/private/matimpl.h>
#include <slepcnapi/private/napicompat.h>
#include <slepcnapi/private/napidense.h>

#define GRAM_MAXWIDTH 8   /* columns of a block that go through the data together: 64 bytes, one cache line */
#define GRAM_CHUNK    256 /* samples that are worked on together: sparse ones stay in the second cache, BLAS is at ease */
#define GRAM_MAXOUT   2   /* operators that are applied in one pass: A and B of a pair */
#define GRAM_SAVED    0.5 /* of a product, where one sweep serves two operators: X W and Y W, half of the work, are computed once */

/* The local rows of one view, by which all the work is done: CSR with global column numbers, or dense */
typedef struct {
  PetscInt         d;      /* number of columns (features) */
  PetscInt         offset; /* where they begin among the rows of the operator */
  PetscBool        sparse;
  Mat              mat;      /* the user's matrix */
  Mat              own;      /* what it was converted to if it is neither AIJ nor dense, or NULL */
  Mat              loc;      /* its local rows, SEQAIJ or SEQDENSE */
  PetscBool        freeloc;  /* loc is a copy that we own */
  PetscObjectState state;    /* of mat when loc was made */
  PetscScalar     *rowmajor; /* dense views: a copy by rows, made when somebody asks for rows */
  /* between GramDataGetRows() and GramDataRestoreRows() */
  const PetscInt    *ia, *ja;
  const PetscScalar *a;
  PetscInt           lda; /* of a dense a, which is stored by columns */
} GramView;

/*
   How the rows of the operator lie on the ranks: as one segment [u;v], cut anywhere, or as one segment a view, each
   distributed like the columns of that view.
*/
typedef struct {
  PetscInt    n;
  PetscLayout layout[2];
  PetscInt    offset[2]; /* the row of the operator a segment begins with */
} GramSegments;

/* Weights of the samples, which views made of a pair share with it although they have GramData of their own */
typedef struct {
  PetscInt         refct;
  Vec              vec;     /* a copy of the user's, or NULL: all weights are 1 */
  PetscReal       *local;   /* those of the local samples, or NULL */
  PetscReal        sum;     /* over all ranks */
  PetscObjectState version; /* another one for other weights, 0 for none */
} GramWeights;

typedef struct {
  PetscInt     refct;
  MPI_Comm     comm;
  PetscMPIInt  size, rank;
  PetscInt     nviews;
  GramView     view[2];
  PetscInt     N, n;         /* samples, and how many of them are local */
  PetscInt     D;            /* rows of the operator, d1 + d2 */
  PetscLayout  map;          /* their distribution */
  GramSegments whole, parts; /* map, and the columns of the views */

  GramWeights     *weights;
  PetscObjectState weighted; /* their version when the column statistics were computed */

  /* column statistics, on every rank for all D columns; computed when first needed */
  PetscBool    havestats;
  PetscScalar *mean;
  PetscReal   *unit;         /* a power of two near the largest entry of the column: squares of the quotients neither under- nor overflow */
  PetscReal   *meansq, *var; /* mean square; mean square of what is left when the mean is taken off; both of column/unit */

  /* work space of the products: by rows, aligned to cache lines. Between products out is zero. */
  PetscInt     width;    /* columns there is room for */
  PetscInt     outs;     /* operators there is room for */
  PetscScalar *in;       /* D x width: the block, all of it, on every rank (or once, in shared memory) */
  PetscScalar *out;      /* D x outs*width: sums over the local samples */
  PetscScalar *t[2], *c; /* F_i W of GRAM_CHUNK samples, a view each; S F_i W */
  void        *inmem, *outmem, *tmem;

  /* ranks on one node share memory instead of sending messages */
  PetscBool     shared;
  MPI_Win       win;
  PetscScalar **peer; /* out of every rank */
} GramData;

typedef struct {
  GramData *data;
  PetscReal s[2][2]; /* S */
  PetscReal ridge[2];
  PetscBool center, scale[2]; /* a view each */
  PetscReal factor[2];        /* of all columns of a view, by which it gets another unit */
  PetscReal passes, columns;  /* over the data; the same weighted by the number of columns */

  /* MatConvert() asks whether it is to give up, and then leaves a matrix that is not complete */
  PetscErrorCode (*ask)(void *, PetscBool *);
  void     *askctx;
  PetscBool gaveup;
} Mat_Gram;

/* What sums over the samples are divided by, inverted */
static inline PetscReal GramShare(const GramData *data)
{
  const PetscReal total = data->weights->local ? data->weights->sum : (PetscReal)data->N;

  return total > 0.0 ? 1.0 / total : 0.0;
}

SLEPC_EXTERN PetscErrorCode MatCreate_Gram(Mat);

/* gram.c */
PETSC_INTERN PetscErrorCode GramGet(Mat, Mat_Gram **);
PETSC_INTERN PetscErrorCode GramGetView(Mat, PetscInt, Mat_Gram **, GramView **);
PETSC_INTERN PetscErrorCode MatGramIsCouplingSemidefinite_Private(Mat, PetscBool *);

/* gramdata.c */
PETSC_INTERN PetscErrorCode GramDataCreate(Mat, Mat, GramData **);
PETSC_INTERN PetscErrorCode GramDataCreateView(GramData *, PetscInt, GramData **);
PETSC_INTERN PetscErrorCode GramDataDestroy(GramData **);
PETSC_INTERN PetscErrorCode GramDataUpdate(GramData *);
PETSC_INTERN PetscErrorCode GramDataGetRows(GramData *);
PETSC_INTERN PetscErrorCode GramDataRestoreRows(GramData *);
PETSC_INTERN PetscErrorCode GramDataSetUpWork(GramData *, PetscInt, PetscInt);
PETSC_INTERN PetscErrorCode GramDataGatherIn(GramData *, const GramSegments *, PetscInt);
PETSC_INTERN PetscErrorCode GramDataReduceOut(GramData *, const GramSegments *, PetscInt, PetscInt *, PetscScalar **);
PETSC_INTERN PetscErrorCode GramDataFinishOut(GramData *, PetscInt);

/* gramweights.c */
PETSC_INTERN PetscErrorCode GramWeightsCreate(GramWeights **);
PETSC_INTERN PetscErrorCode GramWeightsDestroy(GramWeights **);

/* gramstats.c */
PETSC_INTERN PetscErrorCode GramDataSetUpStatistics(GramData *);
PETSC_INTERN PetscErrorCode GramUpdate(Mat_Gram *);
PETSC_INTERN PetscReal      GramScale(const GramData *, PetscBool, PetscInt);
PETSC_INTERN PetscReal      GramFactor(const Mat_Gram *, PetscInt, PetscInt);
PETSC_INTERN PetscBool      GramHasFactors(const Mat_Gram *, PetscInt);
PETSC_INTERN PetscErrorCode MatGramGetFactors_Private(Mat, PetscInt, PetscReal[]);

/* gramdense.c */
PETSC_INTERN PetscErrorCode MatGramConvert_Private(Mat, PetscErrorCode (*)(void *, PetscBool *), void *, Mat *);
PETSC_INTERN PetscErrorCode MatGramSetFactor_Private(Mat, PetscInt, PetscReal);
PETSC_INTERN PetscErrorCode MatGramGetSquares_Private(Mat, PetscInt, PetscReal[]);
PETSC_INTERN PetscErrorCode MatGramGetSpread_Private(Mat, PetscInt, PetscReal *);

/* gramproduct.c */
PETSC_INTERN PetscBool      GramSharesSweep(const Mat_Gram *, const Mat_Gram *);
PETSC_INTERN PetscErrorCode MatMult_Gram(Mat, Vec, Vec);
PETSC_INTERN PetscErrorCode MatMultAdd_Gram(Mat, Vec, Vec, Vec);
PETSC_INTERN PetscErrorCode MatMultTranspose_Gram(Mat, Vec, Vec);
PETSC_INTERN PetscErrorCode MatMultTransposeAdd_Gram(Mat, Vec, Vec, Vec);
PETSC_INTERN PetscErrorCode MatProductSetFromOptions_Gram_Dense(Mat);
PETSC_INTERN PetscErrorCode MatPairMult_Gram(Mat, Mat, Mat, Mat, Mat, PetscReal *);
PETSC_INTERN PetscErrorCode MatGramMultViews_Private(Mat, Mat, const Mat[], const Mat[], PetscReal *);

/* gramkernel.c */
PETSC_INTERN PetscErrorCode GramGather(const GramView *, PetscInt, PetscInt, PetscInt, const PetscScalar *, const PetscScalar *, PetscScalar *);
PETSC_INTERN PetscErrorCode GramScatter(const GramView *, PetscInt, PetscInt, PetscInt, PetscScalar *, PetscScalar *);

/* gramdense.c */
PETSC_INTERN PetscErrorCode MatConvert_Gram_Dense(Mat, MatType, MatReuse, Mat *);
