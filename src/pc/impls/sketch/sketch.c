/* SPDX-License-Identifier: BSD-2-Clause */
/*
   PC type "sketch": Cholesky factors of a sketched MATGRAM, the preconditioner for covariance matrices of many samples
   of moderately many columns.

   A view X of n samples enters the operator G = s X'X/n + ridge I. A random matrix R of m = ratio*d rows, d the columns
   of X, takes the place of the samples,

     Z = R X,    M = s Z'Z/n + ridge I = U'U,    M^{-1} applied by two triangular solves.

   Each column of R, that is each sample, has q nonzeros +-1/sqrt(q), one in each of q groups of m/q rows: q = 1 is
   CountSketch, q > 1 a sparse sign embedding. Z costs q operations for each nonzero of X. If R X keeps the norms of all
   X w to 1 +- e, the eigenvalues of M^{-1} G lie between (1+e)^{-2} and (1-e)^{-2}, whatever those of G do, and e is about
   sqrt(d/m): half for the default ratio of 4, so that an iteration of CG halves the error. One nonzero does this where
   the weight is spread over all samples; q = 4, the default, does it also where some samples have great weight (leverage).

   Steps of the set-up:
     1. choose what is factored: each view apart; with S_12 /= 0 both together; no view with more than max_dimension
        columns, for which the diagonal has to do.
     2. unless data, centering, scaling and R are as before: Z, a panel of rows at a time, and Z'Z. Sample i goes to the rows
        that a hash of (seed, i) names, i its global number; the panels of all ranks are summed, each on one rank,
        which multiplies it; the sum of the products is left on every rank. The samples are those the operator sees:
        R (X - 1 m') D = (R X - (R 1) m') D, so that sparse data are never filled.
        If m >= n there is nothing to save: R = I, and M is G itself.
     3. unless coupling and ridges are as before: M from Z'Z, and U, on every rank.

   Z'Z and U share an array of d+1 rows and d columns: U is its upper triangle, Z'Z lies below that, one row further down.

   References:
     K. L. Clarkson, D. P. Woodruff, Low rank approximation and regression in input sparsity time, STOC 2013.
     J. Nelson, H. L. Nguyen, OSNAP: faster numerical linear algebra algorithms via sparser subspace embeddings, FOCS 2013.
     H. Avron, P. Maymounkov, S. Toledo, Blendenpik: supercharging LAPACK's least-squares solver, SISC 32 (2010).
*/
#include <slepcnapi.h>
#include <petsc/private/pcimpl.h>
#include <petscblaslapack.h>
#include <slepcnapi/private/napicompat.h>
#include <stdint.h>

#define SKETCH_RATIO         4.0               /* rows of the sketch for each column */
#define SKETCH_MAX_DIMENSION 4000              /* 128 MB for a factor of real numbers */
#define SKETCH_PANEL         (4 * 1024 * 1024) /* scalars of a panel of Z */
#define SKETCH_CHUNK         4096              /* samples whose places in the sketch are looked up together */
#define SKETCH_COLUMNS       128               /* columns of Z'Z that are computed together, from their first row downwards */

/* What the sketch depends on: as long as this does not change it is kept */
typedef struct {
  PetscObjectId    id[2];
  PetscObjectState state[2];
  PetscBool        center, scale, joint;
  PetscReal        ratio;
  PetscInt         seed, nonzeros, maxdim;
} SketchKey;

/* A diagonal block of the preconditioner: one view, or both of them together */
typedef struct {
  PetscInt     view, nviews; /* the first view in it, and how many there are */
  PetscInt     first, n;     /* rows first..first+n-1 of the operator */
  PetscInt     m, q;         /* rows of R; nonzeros in a column of R */
  PetscBool    exact;        /* R = I */
  PetscScalar *mem;          /* (n+1) x n: Z'Z and U; NULL if the block is too large to be factored */
  PetscReal   *noise;        /* what rounding errors leave of the variance of a constant column; NULL if not centered */
  PetscBool    split;        /* the views of a joint block had to be factored one by one */
  PetscReal    shift;        /* what had to be added to the diagonal */
} SketchBlock;

typedef struct {
  /* what the user chooses */
  PetscReal ratio;
  PetscInt  seed, nonzeros, maxdim;

  /* what there is */
  PetscBool    sketched, factored;
  SketchKey    key;
  PetscReal    s[2][2], ridge[2]; /* coupling and ridges that were factored */
  PetscInt     nblocks;
  SketchBlock  block[2];
  PetscInt     dim[2];          /* columns of the views */
  PetscInt     row0, row1;      /* rows of the operator that have a factor: one range */
  Vec          idiag;           /* for the other rows: one over the diagonal */
  PetscScalar *work, *gathered; /* blocks of right-hand sides with all rows, by columns and by rows */
  PetscInt     worksize, gathersize;
} PC_Sketch;

/* --- the samples --------------------------------------------------------------------------------------------------- */

/* The local samples of a view: rows of nonzeros, or dense by columns */
typedef struct {
  Mat                G, loc;
  PetscInt           view, d, n, N, rstart;
  PetscBool          dense;
  PetscInt           lda;
  const PetscInt    *ia, *ja;
  const PetscScalar *a;
  PetscScalar       *mean;  /* NULL if not centered */
  PetscReal         *scale; /* NULL if not scaled */
} SketchSamples;

/* Dense views are read where they are: MatGramGetLocalRows() would copy them, by rows, and keep the copy */
static PetscErrorCode SketchGetSamples(Mat G, PetscInt view, PetscBool statistics, SketchSamples *x)
{
  Mat       X[2];
  PetscBool center, scale;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(x, sizeof(*x)));
  x->G    = G;
  x->view = view;
  PetscCall(MatGramGetViews(G, &X[0], &X[1]));
  PetscCall(MatGetSize(X[view], &x->N, &x->d));
  PetscCall(MatGetOwnershipRange(X[view], &x->rstart, NULL));
  PetscCall(MatGramGetCentering(G, &center));
  PetscCall(MatGramGetScaling(G, &scale));
  if (statistics && center) {
    PetscCall(PetscMalloc1(x->d, &x->mean));
    PetscCall(MatGramGetMeans(G, view, x->mean));
  }
  if (statistics && scale) {
    PetscCall(PetscMalloc1(x->d, &x->scale));
    PetscCall(MatGramGetScales(G, view, x->scale));
  }
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)X[view], &x->dense, MATSEQDENSE, MATMPIDENSE, ""));
  if (x->dense) {
    PetscCall(MatGetLocalSize(X[view], &x->n, NULL));
    PetscCall(MatDenseGetLocalMatrix(X[view], &x->loc));
    PetscCall(MatDenseGetArrayRead(x->loc, &x->a));
    PetscCall(MatDenseGetLDA(x->loc, &x->lda));
  } else PetscCall(MatGramGetLocalRows(G, view, &x->n, &x->ia, &x->ja, &x->a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SketchRestoreSamples(SketchSamples *x)
{
  PetscFunctionBegin;
  if (x->dense) PetscCall(MatDenseRestoreArrayRead(x->loc, &x->a));
  else PetscCall(MatGramRestoreLocalRows(x->G, x->view, &x->n, &x->ia, &x->ja, &x->a));
  PetscCall(PetscFree(x->mean));
  PetscCall(PetscFree(x->scale));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- step 2: the sketch -------------------------------------------------------------------------------------------- */

/*
   64 random bits for number k of sample i (the finaliser of splitmix64, twice; Steele, Lea and Flood, OOPSLA 2014). A
   PetscRandom gives a stream, whose numbers depend on how many were drawn before on the same rank; a function of the
   global number of the sample gives the same sketch on any number of ranks, and needs no memory to give it twice.
*/
static inline uint64_t SketchMix(uint64_t z)
{
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static inline uint64_t SketchRandom(PetscInt seed, PetscInt i, PetscInt k)
{
  const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);

  return SketchMix(SketchMix(((uint64_t)seed + 1) * golden + (uint64_t)k) + ((uint64_t)i + 1) * golden);
}

/*
   The nonzeros of R in rows r0..r0+b-1 that belong to the local samples first..first+n-1: at most n*q.
*/
static PetscInt SketchPlaces(const SketchBlock *block, PetscInt seed, PetscInt rstart, PetscInt first, PetscInt n, PetscInt r0, PetscInt b, PetscInt *sample, PetscInt *row, PetscReal *sign)
{
  const PetscInt group = block->m / block->q;
  PetscInt       count = 0;

  for (PetscInt i = first; i < first + n; i++) {
    for (PetscInt k = 0; k < block->q; k++) {
      const uint64_t bits = SketchRandom(seed, rstart + i, k);
      const PetscInt r    = k * group + (PetscInt)(((bits >> 32) * (uint64_t)group) >> 32) - r0; /* a number below group from 32 bits */

      if (r < 0 || r >= b) continue;
      sample[count] = i;
      row[count]    = r;
      sign[count++] = bits & 1 ? 1.0 : -1.0;
    }
  }
  return count;
}

/*
   Rows r0..r0+b-1 of sqrt(q) R (X - 1 m') D, of local samples only. Z is b x d for dense data and the conjugate transpose,
   d x b, for sparse data: so both are written along the way they are read.
*/
static PetscErrorCode SketchPanel(const SketchBlock *block, PetscInt seed, const SketchSamples *x, PetscInt r0, PetscInt b, PetscScalar *Z)
{
  PetscInt  *sample, *row, room = SKETCH_CHUNK * block->q;
  PetscReal *sign, *ones; /* ones: R 1 */

  PetscFunctionBegin;
  PetscCall(PetscMalloc4(room, &sample, room, &row, room, &sign, b, &ones));
  PetscCall(PetscArrayzero(Z, b * x->d));
  PetscCall(PetscArrayzero(ones, b));
  for (PetscInt first = block->exact ? r0 : 0, last = block->exact ? PetscMin(x->n, r0 + b) : x->n; first < last; first += SKETCH_CHUNK) {
    PetscInt n = PetscMin(SKETCH_CHUNK, last - first), count;

    if (block->exact) { /* R = I: rows are local samples */
      for (count = 0; count < n; count++) {
        sample[count] = first + count;
        row[count]    = first + count - r0;
        sign[count]   = 1.0;
      }
    } else count = SketchPlaces(block, seed, x->rstart, first, n, r0, b, sample, row, sign);
    for (PetscInt k = 0; k < count; k++) ones[row[k]] += sign[k];
    if (x->dense) {
      for (PetscInt j = 0; j < x->d; j++) {
        const PetscScalar *a = x->a + (size_t)j * (size_t)x->lda;
        PetscScalar       *z = Z + j * b;

        for (PetscInt k = 0; k < count; k++) z[row[k]] += sign[k] * a[sample[k]];
      }
    } else {
      for (PetscInt k = 0; k < count; k++) {
        PetscScalar *z = Z + row[k] * x->d;

        for (PetscInt l = x->ia[sample[k]]; l < x->ia[sample[k] + 1]; l++) z[x->ja[l]] += sign[k] * PetscConj(x->a[l]);
      }
    }
  }
  if (x->mean || x->scale) {
    for (PetscInt r = 0; r < b; r++) {
      for (PetscInt j = 0; j < x->d; j++) {
        PetscScalar *z = x->dense ? Z + r + j * b : Z + j + r * x->d;

        if (x->mean) *z -= ones[r] * (x->dense ? x->mean[j] : PetscConj(x->mean[j]));
        if (x->scale) *z *= x->scale[j];
      }
    }
  }
  PetscCall(PetscFree4(sample, row, sign, ones));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   C = C + Z'Y for b rows of Z and Y, where Z has columns of view x, Y those of view y; if they are the same only the
   lower triangle (and somewhat more) is computed.
*/
static PetscErrorCode SketchMultiply(PetscInt rows, const SketchSamples *x, const PetscScalar *Z, const SketchSamples *y, const PetscScalar *Y, PetscScalar *C, PetscInt ldc)
{
  PetscBLASInt b, ldx, ldy, ld;
  PetscScalar  one = 1.0;

  PetscFunctionBegin;
  PetscCall(PetscBLASIntCast(rows, &b));
  PetscCall(PetscBLASIntCast(x->dense ? rows : x->d, &ldx));
  PetscCall(PetscBLASIntCast(y->dense ? rows : y->d, &ldy));
  PetscCall(PetscBLASIntCast(ldc, &ld));
  for (PetscInt j = 0; j < y->d; j += SKETCH_COLUMNS) {
    const PetscInt first = Z == Y ? j : 0;
    PetscBLASInt   height, width;

    PetscCall(PetscBLASIntCast(x->d - first, &height));
    PetscCall(PetscBLASIntCast(PetscMin(SKETCH_COLUMNS, y->d - j), &width));
    PetscCallBLAS("BLASgemm", BLASgemm_(x->dense ? "C" : "N", y->dense ? "N" : "C", &height, &width, &b, &one, Z + (x->dense ? first * rows : first), &ldx, Y + (y->dense ? j * rows : j), &ldy, &one, C + first + j * ldc, &ld));
    PetscCall(PetscLogFlops(2.0 * height * (PetscLogDouble)width * b));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sums an array of any length over all ranks */
static PetscErrorCode SketchSum(MPI_Comm comm, size_t count, PetscScalar *a)
{
  const size_t piece = (size_t)1 << 26;

  PetscFunctionBegin;
  for (size_t done = 0; done < count; done += piece) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, a + done, (PetscMPIInt)PetscMin(piece, count - done), MPIU_SCALAR, MPIU_SUM, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Z'Z of a block, in the lower triangle that begins at the second row of mem */
static PetscErrorCode SketchBuild(PC pc, SketchBlock *block)
{
  PC_Sketch    *sketch = (PC_Sketch *)pc->data;
  MPI_Comm      comm   = PetscObjectComm((PetscObject)pc);
  PetscMPIInt   size, rank, count;
  PetscInt      b, npanels, rows, ld = block->n + 1;
  PetscScalar  *Z[2] = {NULL, NULL}, *sum[2] = {NULL, NULL};
  SketchSamples x[2];
  size_t        total = (size_t)ld * (size_t)block->n;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  for (PetscInt v = 0; v < block->nviews; v++) PetscCall(SketchGetSamples(pc->pmat, block->view + v, PETSC_TRUE, &x[v]));
  PetscCall(PetscArrayzero(block->mem, total));
  /* the mean of n equal numbers is wrong by eps sqrt(n), their sketch by eps sqrt(n/m), relative to the number */
  if (x[0].mean) {
    PetscCall(PetscMalloc1(block->n, &block->noise));
    for (PetscInt v = 0, first = 0; v < block->nviews; first += x[v].d, v++) {
      for (PetscInt j = 0; j < x[v].d; j++) block->noise[first + j] = 10.0 * (1000.0 + (PetscReal)x[v].N) * PetscSqr(PETSC_MACHINE_EPSILON * PetscAbsScalar(x[v].mean[j]) * (x[v].scale ? x[v].scale[j] : 1.0));
    }
  }
  /* R = I: the own samples only, nothing to be summed up; otherwise a panel for each rank at a time */
  rows    = block->exact ? x[0].n : block->m;
  b       = block->exact ? rows : (rows + size - 1) / size;
  b       = PetscMax(1, PetscMin(b, SKETCH_PANEL / block->n));
  npanels = (rows + b - 1) / b;
  for (PetscInt v = 0; v < block->nviews; v++) {
    PetscCall(PetscMalloc1(b * x[v].d, &Z[v]));
    if (size > 1 && !block->exact) PetscCall(PetscMalloc1(b * x[v].d, &sum[v]));
    else sum[v] = Z[v];
  }
  for (PetscInt p = 0, together = block->exact ? 1 : size; p < npanels; p += together) {
    for (PetscInt r = 0; r < together && p + r < npanels; r++) {
      for (PetscInt v = 0; v < block->nviews; v++) {
        PetscCall(SketchPanel(block, sketch->seed, &x[v], (p + r) * b, b, Z[v]));
        if (sum[v] == Z[v]) continue;
        PetscCall(PetscMPIIntCast(b * x[v].d, &count));
        PetscCallMPI(MPI_Reduce(Z[v], sum[v], count, MPIU_SCALAR, MPIU_SUM, (PetscMPIInt)r, comm));
      }
    }
    if (!block->exact && p + rank >= npanels) continue;
    for (PetscInt v = 0, col = 0; v < block->nviews; col += x[v].d, v++) {
      for (PetscInt u = v, row = col; u < block->nviews; row += x[u].d, u++) PetscCall(SketchMultiply(b, &x[u], sum[u], &x[v], sum[v], block->mem + 1 + row + col * ld, ld));
    }
  }
  if (size > 1) PetscCall(SketchSum(comm, total, block->mem));
  for (PetscInt v = 0; v < block->nviews; v++) {
    if (sum[v] != Z[v]) PetscCall(PetscFree(sum[v]));
    PetscCall(PetscFree(Z[v]));
    PetscCall(SketchRestoreSamples(&x[v]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- step 3: the factors ------------------------------------------------------------------------------------------- */

/*
   U'U = M + shift I for n rows and columns of a block, from number first on. A pivot that is nothing but rounding error
   counts as a failure too: the inverse would blow up the rounding errors of the residuals. So does a centered column that
   is nothing but rounding errors, which is taken for the zero it stands for. Where M is known to be semidefinite but is
   singular (columns that are zero or depend on each other, no ridge) something is added to its diagonal.
*/
static PetscErrorCode SketchCholesky(PC pc, SketchBlock *block, PetscInt first, PetscInt n, PetscInt N, PetscBool semidefinite, PetscBool *ok)
{
  PC_Sketch   *sketch = (PC_Sketch *)pc->data;
  PetscInt     ld = block->n + 1, d1 = block->view ? 0 : sketch->dim[0];
  PetscScalar *U = block->mem + first * (ld + 1), *ZZ = U + 1;
  PetscReal    factor = N ? 1.0 / ((PetscReal)N * (PetscReal)block->q) : 0.0, largest = 0.0, shift = 0.0, *diag;
  PetscBLASInt order, ldu, info;
  PetscBool   *zero;
  PetscMPIInt  bad, anybad = 1;

  PetscFunctionBegin;
  PetscCall(PetscBLASIntCast(n, &order));
  PetscCall(PetscBLASIntCast(ld, &ldu));
  PetscCall(PetscMalloc2(n, &diag, n, &zero));
  for (PetscInt attempt = 0; attempt < 4; attempt++) {
    for (PetscInt j = 0; j < n; j++) {
      const PetscInt v = first + j < d1 ? 0 : 1;

      zero[j] = (PetscBool)(block->noise && factor * PetscRealPart(ZZ[j + j * ld]) <= block->noise[first + j]);
      for (PetscInt i = 0; i <= j; i++) U[i + j * ld] = zero[i] || zero[j] ? 0.0 : factor * sketch->s[first + i < d1 ? 0 : 1][v] * PetscConj(ZZ[j + i * ld]);
      diag[j]       = PetscRealPart(U[j + j * ld]) + sketch->ridge[v];
      U[j + j * ld] = diag[j] + shift;
      if (!attempt) largest = PetscMax(largest, diag[j]);
    }
    if (semidefinite) {
      for (PetscInt j = 0; j < n; j++)
        if (diag[j] == 0.0) U[j + j * ld] = diag[j] = largest > 0.0 ? largest : 1.0;
    }
    PetscCallBLAS("LAPACKpotrf", LAPACKpotrf_("U", &order, U, &ldu, &info));
    PetscCall(PetscLogFlops((1.0 / 3.0) * PetscPowRealInt((PetscReal)n, 3)));
    bad = info ? 1 : 0;
    for (PetscInt j = 0; j < n && !bad; j++) {
      const PetscReal pivot = PetscRealPart(U[j + j * ld]);

      if (!(pivot * pivot > (PetscReal)n * PETSC_MACHINE_EPSILON * diag[j])) bad = 1;
    }
    PetscCallMPI(MPI_Allreduce(&bad, &anybad, 1, MPI_INT, MPI_MAX, PetscObjectComm((PetscObject)pc)));
    if (!anybad || !semidefinite) break;
    shift = (attempt ? 100.0 * shift : 10.0 * (PetscReal)n * PETSC_MACHINE_EPSILON * largest);
  }
  PetscCall(PetscFree2(diag, zero));
  *ok = anybad ? PETSC_FALSE : PETSC_TRUE;
  if (*ok && shift > 0.0) {
    block->shift = PetscMax(block->shift, shift);
    PetscCall(PetscInfo(pc, "The sketched matrix of order %" PetscInt_FMT " is singular: %g was added to its diagonal\n", n, (double)shift));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   S positive semidefinite makes M so, whatever the sketch. If it is not, as with [l -1; -1 l] and l < 1, it is up to the
   data and the luck of the sketch; then the diagonal blocks have to do.
*/
static PetscErrorCode SketchFactor(PC pc, SketchBlock *block, PetscInt N, PetscBool *ok)
{
  PC_Sketch *sketch = (PC_Sketch *)pc->data;
  PetscInt   v      = block->view;
  PetscBool  psd;

  PetscFunctionBegin;
  block->split = PETSC_FALSE;
  block->shift = 0.0;
  if (block->nviews > 1) {
    psd = (PetscBool)(sketch->s[0][0] >= 0.0 && sketch->s[1][1] >= 0.0 && sketch->s[0][0] * sketch->s[1][1] >= PetscSqr(sketch->s[0][1]) && sketch->ridge[0] >= 0.0 && sketch->ridge[1] >= 0.0);
    PetscCall(SketchCholesky(pc, block, 0, block->n, N, psd, ok));
    if (*ok) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(PetscInfo(pc, "The sketched matrix of both views is not positive definite: its diagonal blocks are factored\n"));
    block->split = PETSC_TRUE;
  }
  *ok = PETSC_TRUE;
  for (PetscInt i = 0, first = 0; i < block->nviews && *ok; first += sketch->dim[v + i], i++) {
    psd = (PetscBool)(sketch->s[v + i][v + i] >= 0.0 && sketch->ridge[v + i] >= 0.0);
    PetscCall(SketchCholesky(pc, block, first, sketch->dim[v + i], N, psd, ok));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- set-up -------------------------------------------------------------------------------------------------------- */

static PetscErrorCode PCReset_Sketch(PC pc)
{
  PC_Sketch *sketch = (PC_Sketch *)pc->data;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < sketch->nblocks; i++) {
    PetscCall(PetscFree(sketch->block[i].mem));
    PetscCall(PetscFree(sketch->block[i].noise));
  }
  PetscCall(VecDestroy(&sketch->idiag));
  PetscCall(PetscFree(sketch->work));
  PetscCall(PetscFree(sketch->gathered));
  sketch->worksize = sketch->gathersize = 0;
  sketch->nblocks                       = 0;
  sketch->sketched = sketch->factored = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Step 1: which diagonal blocks there are, and how they are sketched */
static PetscErrorCode SketchPlan(PC pc, PetscInt nviews, PetscInt N, PetscBool joint)
{
  PC_Sketch *sketch = (PC_Sketch *)pc->data;

  PetscFunctionBegin;
  sketch->nblocks = joint ? 1 : nviews;
  sketch->row0 = sketch->row1 = 0;
  for (PetscInt i = 0, first = 0; i < sketch->nblocks; first += sketch->block[i].n, i++) {
    SketchBlock *block = &sketch->block[i];
    PetscReal    m;

    PetscCall(PetscMemzero(block, sizeof(*block)));
    block->view   = i;
    block->nviews = joint ? nviews : 1;
    block->first  = first;
    block->n      = joint ? sketch->dim[0] + sketch->dim[1] : sketch->dim[i];
    block->q      = 1;
    if (block->n > sketch->maxdim) {
      PetscCall(PetscInfo(pc, "View %c has %" PetscInt_FMT " columns, more than the %" PetscInt_FMT " of -pc_sketch_max_dimension: Jacobi is used for it\n", i ? 'Y' : 'X', block->n, sketch->maxdim));
      continue;
    }
    if (!block->n) continue;
    m            = PetscCeilReal(sketch->ratio * (PetscReal)block->n);
    block->exact = (PetscBool)(m >= (PetscReal)N);
    if (block->exact) block->m = N;
    else { /* q groups of as many rows */ block->q = PetscMin(sketch->nonzeros, (PetscInt)m);
      block->m                                     = block->q * (((PetscInt)m + block->q - 1) / block->q);
    }
    PetscCall(PetscMalloc1((size_t)(block->n + 1) * (size_t)block->n, &block->mem));
    if (sketch->row0 == sketch->row1) sketch->row0 = first;
    sketch->row1 = first + block->n;
    PetscCall(PetscInfo(pc, "%s %c: %" PetscInt_FMT " columns, %" PetscInt_FMT " samples, sketched by %" PetscInt_FMT " rows%s\n", joint ? "Both views, from" : "View", i ? 'Y' : 'X', block->n, N, block->m, block->exact ? " (no sketch: the samples are not more than that)" : ""));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One over the diagonal, for the rows of views that are too large; one where it is zero */
static PetscErrorCode SketchSetUpDiagonal(PC pc)
{
  PC_Sketch   *sketch = (PC_Sketch *)pc->data;
  PetscInt     n;
  PetscScalar *d;

  PetscFunctionBegin;
  if (!sketch->idiag) PetscCall(MatCreateVecs(pc->pmat, &sketch->idiag, NULL));
  PetscCall(MatGetDiagonal(pc->pmat, sketch->idiag));
  PetscCall(VecGetLocalSize(sketch->idiag, &n));
  PetscCall(VecGetArray(sketch->idiag, &d));
  for (PetscInt i = 0; i < n; i++) d[i] = d[i] != 0.0 ? 1.0 / d[i] : 1.0;
  PetscCall(VecRestoreArray(sketch->idiag, &d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSetUp_Sketch(PC pc)
{
  PC_Sketch *sketch = (PC_Sketch *)pc->data;
  Mat        X[2];
  SketchKey  key;
  PetscReal  s[2][2], ridge[2];
  PetscInt   N, nviews, D;
  PetscBool  gram, same, diagonal = PETSC_FALSE, ok = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)pc->pmat, MATGRAM, &gram));
  PetscCheck(gram, PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP, "PC type %s needs the samples behind the matrix, which only a matrix of type %s has, not one of type %s: use -pc_type jacobi, or create the matrix by MatCreateGram() or MatCreateCCAPair()", PCSKETCH, MATGRAM,
             ((PetscObject)pc->pmat)->type_name);
  PetscCall(PCSetFailedReason(pc, PC_NOERROR));
  PetscCall(MatGramGetViews(pc->pmat, &X[0], &X[1]));
  PetscCheck(X[0], PetscObjectComm((PetscObject)pc), PETSC_ERR_ORDER, "The matrix has no views yet: call MatGramSetViews() first");
  PetscCall(MatGramGetCoupling(pc->pmat, &s[0][0], &s[0][1], &s[1][1]));
  PetscCall(MatGramGetRidge(pc->pmat, &ridge[0], &ridge[1]));
  s[1][0]        = s[0][1];
  nviews         = X[1] ? 2 : 1;
  sketch->dim[1] = 0;
  PetscCall(PetscMemzero(&key, sizeof(key)));
  for (PetscInt v = 0; v < nviews; v++) {
    PetscCall(MatGetSize(X[v], &N, &sketch->dim[v]));
    PetscCall(PetscObjectGetId((PetscObject)X[v], &key.id[v]));
    PetscCall(PetscObjectStateGet((PetscObject)X[v], &key.state[v]));
  }
  D = sketch->dim[0] + sketch->dim[1];
  PetscCall(MatGramGetCentering(pc->pmat, &key.center));
  PetscCall(MatGramGetScaling(pc->pmat, &key.scale));
  key.joint    = (PetscBool)(nviews > 1 && s[0][1] != 0.0 && D <= sketch->maxdim);
  key.ratio    = sketch->ratio;
  key.seed     = sketch->seed;
  key.nonzeros = sketch->nonzeros;
  key.maxdim   = sketch->maxdim;
  if (nviews > 1 && s[0][1] != 0.0 && !key.joint) PetscCall(PetscInfo(pc, "The views have %" PetscInt_FMT " columns together, more than the %" PetscInt_FMT " of -pc_sketch_max_dimension: their coupling is left out\n", D, sketch->maxdim));

  same = (PetscBool)(sketch->sketched && key.id[0] == sketch->key.id[0] && key.id[1] == sketch->key.id[1] && key.state[0] == sketch->key.state[0] && key.state[1] == sketch->key.state[1]);
  same = (PetscBool)(same && key.center == sketch->key.center && key.scale == sketch->key.scale && key.joint == sketch->key.joint && key.ratio == sketch->key.ratio && key.seed == sketch->key.seed && key.nonzeros == sketch->key.nonzeros &&
                     key.maxdim == sketch->key.maxdim);
  if (!same) {
    PetscCall(PCReset_Sketch(pc));
    PetscCall(SketchPlan(pc, nviews, N, key.joint));
    for (PetscInt i = 0; i < sketch->nblocks; i++)
      if (sketch->block[i].mem) PetscCall(SketchBuild(pc, &sketch->block[i]));
    if (sketch->row1 > sketch->row0) PetscCall(MatGramAddPasses(pc->pmat, 1.0, 1));
    sketch->key      = key;
    sketch->sketched = PETSC_TRUE;
  } else PetscCall(PetscInfo(pc, "Data and random numbers are as before: the sketch is kept\n"));

  same = (PetscBool)(sketch->factored && ridge[0] == sketch->ridge[0] && ridge[1] == sketch->ridge[1] && s[0][0] == sketch->s[0][0] && s[0][1] == sketch->s[0][1] && s[1][1] == sketch->s[1][1]);
  if (!same) {
    PetscCall(PetscArraycpy(&sketch->s[0][0], &s[0][0], 4));
    PetscCall(PetscArraycpy(sketch->ridge, ridge, 2));
    for (PetscInt i = 0; i < sketch->nblocks; i++) {
      if (sketch->block[i].mem && ok) PetscCall(SketchFactor(pc, &sketch->block[i], N, &ok));
      if (sketch->block[i].n && !sketch->block[i].mem) diagonal = PETSC_TRUE;
    }
    if (diagonal) PetscCall(SketchSetUpDiagonal(pc));
    sketch->factored = ok;
    if (!ok) {
      PetscCheck(!pc->erroriffailure, PetscObjectComm((PetscObject)pc), PETSC_ERR_NOT_CONVERGED, "The sketched matrix is not positive definite: a larger ridge, or -pc_type jacobi or none, may do");
      PetscCall(PetscInfo(pc, "The sketched matrix is not positive definite\n"));
      PetscCall(PCSetFailedReason(pc, PC_FACTOR_NUMERIC_ZEROPIVOT));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- application --------------------------------------------------------------------------------------------------- */

/* Solves with the factors, for p columns of all rows row0..row1-1, in place */
static PetscErrorCode SketchSolve(PC_Sketch *sketch, PetscInt p, PetscScalar *w, PetscInt ldw)
{
  PetscBLASInt n, ld, columns, ldb, info;

  PetscFunctionBegin;
  PetscCall(PetscBLASIntCast(p, &columns));
  PetscCall(PetscBLASIntCast(ldw, &ldb));
  for (PetscInt i = 0; i < sketch->nblocks; i++) {
    SketchBlock *block = &sketch->block[i];

    if (!block->mem) continue;
    PetscCall(PetscBLASIntCast(block->n + 1, &ld));
    for (PetscInt part = 0, first = 0, parts = block->split ? block->nviews : 1; part < parts; first += n, part++) {
      const PetscScalar *U = block->mem + first * (ld + 1);
      PetscScalar       *b = w + block->first - sketch->row0 + first;

      PetscCall(PetscBLASIntCast(block->split ? sketch->dim[block->view + part] : block->n, &n));
      PetscCallBLAS("LAPACKpotrs", LAPACKpotrs_("U", &n, &columns, U, &ld, b, &ldb, &info));
      PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_LIB, "Argument %d of LAPACK's potrs is wrong", (int)-info);
      PetscCall(PetscLogFlops(2.0 * PetscSqr((PetscLogDouble)n) * p));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Y = M^{-1} X for p columns: the rows with a factor are brought together on every rank, in one message, and solved for
   there; the others are divided by the diagonal where they are.
*/
static PetscErrorCode SketchApply(PC pc, PetscInt p, const PetscScalar *x, PetscInt ldx, PetscScalar *y, PetscInt ldy)
{
  PC_Sketch  *sketch = (PC_Sketch *)pc->data;
  MPI_Comm    comm   = PetscObjectComm((PetscObject)pc);
  PetscLayout map;
  PetscInt    rstart, rend, first, last, rows = sketch->row1 - sketch->row0;
  PetscMPIInt size, rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(MatGetLayouts(pc->pmat, &map, NULL));
  PetscCall(PetscLayoutGetRange(map, &rstart, &rend));
  first = PetscMin(PetscMax(rstart, sketch->row0), rend);
  last  = PetscMax(first, PetscMin(rend, sketch->row1));
  if (rows > 0 && p > 0) {
    PetscScalar *w, *all;

    if (rows * p > sketch->worksize) {
      PetscCall(PetscFree(sketch->work));
      PetscCall(PetscMalloc1(rows * p, &sketch->work));
      sketch->worksize = rows * p;
    }
    w = all = sketch->work;
    if (size > 1) {
      const PetscInt *range;
      PetscMPIInt    *counts, *displs;

      if (p > 1) { /* by rows, so that each rank sends one piece */
        if (rows * p > sketch->gathersize) {
          PetscCall(PetscFree(sketch->gathered));
          PetscCall(PetscMalloc1(rows * p, &sketch->gathered));
          sketch->gathersize = rows * p;
        }
        all = sketch->gathered;
      }
      for (PetscInt i = first; i < last; i++) {
        for (PetscInt j = 0; j < p; j++) all[(i - sketch->row0) * p + j] = x[i - rstart + j * ldx];
      }
      PetscCall(PetscLayoutGetRanges(map, &range));
      PetscCall(PetscMalloc2(size, &counts, size, &displs));
      for (PetscMPIInt r = 0; r < size; r++) {
        const PetscInt from = PetscMin(PetscMax(range[r], sketch->row0), sketch->row1), to = PetscMax(from, PetscMin(range[r + 1], sketch->row1));

        PetscCall(PetscMPIIntCast((to - from) * p, &counts[r]));
        PetscCall(PetscMPIIntCast((from - sketch->row0) * p, &displs[r]));
      }
      PetscCallMPI(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, counts, displs, MPIU_SCALAR, comm));
      PetscCall(PetscFree2(counts, displs));
      if (p > 1) {
        for (PetscInt i = 0; i < rows; i++) {
          for (PetscInt j = 0; j < p; j++) w[i + j * rows] = all[i * p + j];
        }
      }
    } else {
      for (PetscInt j = 0; j < p; j++) PetscCall(PetscArraycpy(w + j * rows, x + sketch->row0 + j * ldx, rows));
    }
    PetscCall(SketchSolve(sketch, p, w, rows));
    for (PetscInt j = 0; j < p; j++) PetscCall(PetscArraycpy(y + first - rstart + j * ldy, w + first - sketch->row0 + j * rows, last - first));
  }
  if (sketch->idiag) {
    const PetscScalar *d;

    PetscCall(VecGetArrayRead(sketch->idiag, &d));
    for (PetscInt j = 0; j < p; j++) {
      for (PetscInt i = rstart; i < rend; i++) {
        if (i < sketch->row0 || i >= sketch->row1) y[i - rstart + j * ldy] = d[i - rstart] * x[i - rstart + j * ldx];
      }
    }
    PetscCall(VecRestoreArrayRead(sketch->idiag, &d));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCApply_Sketch(PC pc, Vec x, Vec y)
{
  const PetscScalar *a;
  PetscScalar       *b;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArrayRead(x, &a));
  PetscCall(VecGetArrayWrite(y, &b));
  PetscCall(SketchApply(pc, 1, a, n, b, n));
  PetscCall(VecRestoreArrayWrite(y, &b));
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCMatApply_Sketch(PC pc, Mat X, Mat Y)
{
  const PetscScalar *a;
  PetscScalar       *b;
  PetscInt           lda, ldb, p;

  PetscFunctionBegin;
  PetscCall(MatGetSize(X, NULL, &p));
  PetscCall(MatDenseGetLDA(X, &lda));
  PetscCall(MatDenseGetLDA(Y, &ldb));
  PetscCall(MatDenseGetArrayRead(X, &a));
  PetscCall(MatDenseGetArrayWrite(Y, &b));
  PetscCall(SketchApply(pc, p, a, lda, b, ldb));
  PetscCall(MatDenseRestoreArrayWrite(Y, &b));
  PetscCall(MatDenseRestoreArrayRead(X, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- choices of the user ------------------------------------------------------------------------------------------- */

static PetscErrorCode PCSketchSetSize_Sketch(PC pc, PetscReal ratio)
{
  PC_Sketch *sketch = (PC_Sketch *)pc->data;

  PetscFunctionBegin;
  PetscCheck(ratio >= 1.0 && !PetscIsInfOrNanReal(ratio), PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "A sketch needs at least as many rows as there are columns, better four times as many: ratio %g", (double)ratio);
  if (sketch->ratio != ratio) pc->setupcalled = PETSC_FALSE;
  sketch->ratio = ratio;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCSketchSetSize - Sets the number of rows of the sketch, as a multiple of the number of columns of the data.

   Logically Collective

   Input Parameters:
+  pc    - the preconditioner
-  ratio - rows for each column, at least 1, by default 4

   Options Database Key:
.  -pc_sketch_size <ratio> - sets the ratio

   Level: intermediate

   Notes:
   The condition number of the preconditioned matrix is about ((1+e)/(1-e))^2 with e = 1/sqrt(ratio), and an iteration of CG
   multiplies the error by about e. The set-up takes ratio*d^3 operations for d columns. Where the sketch would
   have as many rows as there are samples the matrix itself is factored.

.seealso: PCSKETCH, PCSketchGetSize(), PCSketchSetNonzeros()
@*/
PetscErrorCode PCSketchSetSize(PC pc, PetscReal ratio)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveReal(pc, ratio, 2);
  PetscTryMethod(pc, "PCSketchSetSize_C", (PC, PetscReal), (pc, ratio));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSketchGetSize_Sketch(PC pc, PetscReal *ratio)
{
  PetscFunctionBegin;
  *ratio = ((PC_Sketch *)pc->data)->ratio;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCSketchGetSize - Gets the number of rows of the sketch, as a multiple of the number of columns of the data.

   Not Collective

   Input Parameter:
.  pc - the preconditioner

   Output Parameter:
.  ratio - rows for each column

   Level: intermediate

.seealso: PCSKETCH, PCSketchSetSize()
@*/
PetscErrorCode PCSketchGetSize(PC pc, PetscReal *ratio)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscAssertPointer(ratio, 2);
  PetscUseMethod(pc, "PCSketchGetSize_C", (PC, PetscReal *), (pc, ratio));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSketchSetNonzeros_Sketch(PC pc, PetscInt nonzeros)
{
  PC_Sketch *sketch = (PC_Sketch *)pc->data;

  PetscFunctionBegin;
  PetscCheck(nonzeros >= 1, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "A sample must go to at least one row of the sketch, not %" PetscInt_FMT, nonzeros);
  if (sketch->nonzeros != nonzeros) pc->setupcalled = PETSC_FALSE;
  sketch->nonzeros = nonzeros;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCSketchSetNonzeros - Sets to how many rows of the sketch a sample is added.

   Logically Collective

   Input Parameters:
+  pc       - the preconditioner
-  nonzeros - how many, by default 4

   Options Database Key:
.  -pc_sketch_nonzeros <nonzeros> - sets the number

   Level: intermediate

   Notes:
   1 is CountSketch, more make a sparse sign embedding. Sketching costs that many times as much (but not the product of
   the sketch with itself, which usually takes longer). Where the weight is spread over all samples one is enough. Where a
   few samples decide on a direction, two of them that fall into the same row of a CountSketch cannot be told
   apart, and the direction is lost: with a sample like that for every column the condition number of the preconditioned
   matrix was 1e5 to 1e6 with one nonzero, in some cases the same with two, and below 20 with four or more.

.seealso: PCSKETCH, PCSketchGetNonzeros(), PCSketchSetSize()
@*/
PetscErrorCode PCSketchSetNonzeros(PC pc, PetscInt nonzeros)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveInt(pc, nonzeros, 2);
  PetscTryMethod(pc, "PCSketchSetNonzeros_C", (PC, PetscInt), (pc, nonzeros));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSketchGetNonzeros_Sketch(PC pc, PetscInt *nonzeros)
{
  PetscFunctionBegin;
  *nonzeros = ((PC_Sketch *)pc->data)->nonzeros;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCSketchGetNonzeros - Gets to how many rows of the sketch a sample is added.

   Not Collective

   Input Parameter:
.  pc - the preconditioner

   Output Parameter:
.  nonzeros - how many

   Level: intermediate

.seealso: PCSKETCH, PCSketchSetNonzeros()
@*/
PetscErrorCode PCSketchGetNonzeros(PC pc, PetscInt *nonzeros)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscAssertPointer(nonzeros, 2);
  PetscUseMethod(pc, "PCSketchGetNonzeros_C", (PC, PetscInt *), (pc, nonzeros));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSketchSetSeed_Sketch(PC pc, PetscInt seed)
{
  PC_Sketch *sketch = (PC_Sketch *)pc->data;

  PetscFunctionBegin;
  if (sketch->seed != seed) pc->setupcalled = PETSC_FALSE;
  sketch->seed = seed;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCSketchSetSeed - Sets the seed of the random numbers of the sketch.

   Logically Collective

   Input Parameters:
+  pc   - the preconditioner
-  seed - any number, by default 0

   Options Database Key:
.  -pc_sketch_seed <seed> - sets the seed

   Level: intermediate

   Note:
   The same seed makes the same sketch on any number of ranks, up to rounding errors.

.seealso: PCSKETCH, PCSketchGetSeed()
@*/
PetscErrorCode PCSketchSetSeed(PC pc, PetscInt seed)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveInt(pc, seed, 2);
  PetscTryMethod(pc, "PCSketchSetSeed_C", (PC, PetscInt), (pc, seed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSketchGetSeed_Sketch(PC pc, PetscInt *seed)
{
  PetscFunctionBegin;
  *seed = ((PC_Sketch *)pc->data)->seed;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCSketchGetSeed - Gets the seed of the random numbers of the sketch.

   Not Collective

   Input Parameter:
.  pc - the preconditioner

   Output Parameter:
.  seed - the seed

   Level: intermediate

.seealso: PCSKETCH, PCSketchSetSeed()
@*/
PetscErrorCode PCSketchGetSeed(PC pc, PetscInt *seed)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscAssertPointer(seed, 2);
  PetscUseMethod(pc, "PCSketchGetSeed_C", (PC, PetscInt *), (pc, seed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSketchSetMaxDimension_Sketch(PC pc, PetscInt maxdim)
{
  PC_Sketch *sketch = (PC_Sketch *)pc->data;

  PetscFunctionBegin;
  PetscCheck(maxdim >= 0, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "The largest order of a factor must not be negative: %" PetscInt_FMT, maxdim);
  PetscCheck(maxdim < 46340, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "A dense factor of order %" PetscInt_FMT " has more entries than 32-bit integers can count: at most 46339", maxdim);
  if (sketch->maxdim != maxdim) pc->setupcalled = PETSC_FALSE;
  sketch->maxdim = maxdim;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCSketchSetMaxDimension - Sets the largest number of columns for which a dense factor is made.

   Logically Collective

   Input Parameters:
+  pc     - the preconditioner
-  maxdim - largest order of a factor, by default 4000

   Options Database Key:
.  -pc_sketch_max_dimension <maxdim> - sets the order

   Level: intermediate

   Note:
   Every rank stores maxdim^2 numbers: 128 MB for 4000. For a view with more columns the diagonal is used instead; if two
   coupled views have more together, but not each of them, their coupling is left out.

.seealso: PCSKETCH, PCSketchGetMaxDimension(), PCSketchAdvise()
@*/
PetscErrorCode PCSketchSetMaxDimension(PC pc, PetscInt maxdim)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveInt(pc, maxdim, 2);
  PetscTryMethod(pc, "PCSketchSetMaxDimension_C", (PC, PetscInt), (pc, maxdim));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSketchGetMaxDimension_Sketch(PC pc, PetscInt *maxdim)
{
  PetscFunctionBegin;
  *maxdim = ((PC_Sketch *)pc->data)->maxdim;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCSketchGetMaxDimension - Gets the largest number of columns for which a dense factor is made.

   Not Collective

   Input Parameter:
.  pc - the preconditioner

   Output Parameter:
.  maxdim - largest order of a factor

   Level: intermediate

.seealso: PCSKETCH, PCSketchSetMaxDimension()
@*/
PetscErrorCode PCSketchGetMaxDimension(PC pc, PetscInt *maxdim)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscAssertPointer(maxdim, 2);
  PetscUseMethod(pc, "PCSketchGetMaxDimension_C", (PC, PetscInt *), (pc, maxdim));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSetFromOptions_Sketch(PC pc, NAPIOptionItems PetscOptionsObject)
{
  PC_Sketch *sketch = (PC_Sketch *)pc->data;
  PetscReal  ratio  = sketch->ratio;
  PetscInt   number;
  PetscBool  set;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "PC sketch options");
  PetscCall(PetscOptionsReal("-pc_sketch_size", "Rows of the sketch for each column of the data", "PCSketchSetSize", ratio, &ratio, &set));
  if (set) PetscCall(PCSketchSetSize(pc, ratio));
  PetscCall(PetscOptionsInt("-pc_sketch_nonzeros", "Rows of the sketch that a sample is added to", "PCSketchSetNonzeros", sketch->nonzeros, &number, &set));
  if (set) PetscCall(PCSketchSetNonzeros(pc, number));
  PetscCall(PetscOptionsInt("-pc_sketch_seed", "Seed of its random numbers", "PCSketchSetSeed", sketch->seed, &number, &set));
  if (set) PetscCall(PCSketchSetSeed(pc, number));
  PetscCall(PetscOptionsInt("-pc_sketch_max_dimension", "Largest order of a dense factor", "PCSketchSetMaxDimension", sketch->maxdim, &number, &set));
  if (set) PetscCall(PCSketchSetMaxDimension(pc, number));
  PetscOptionsHeadEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- where it pays ------------------------------------------------------------------------------------------------- */

/* Nonzeros of a view, on all ranks together */
static PetscErrorCode SketchCountNonzeros(Mat G, PetscInt view, PetscReal *nz)
{
  SketchSamples x;

  PetscFunctionBegin;
  PetscCall(SketchGetSamples(G, view, PETSC_FALSE, &x));
  *nz = x.dense ? (PetscReal)x.n * (PetscReal)x.d : (PetscReal)x.ia[x.n];
  PetscCall(SketchRestoreSamples(&x));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, nz, 1, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)G)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The trace of each diagonal block, ridge not included */
static PetscErrorCode SketchTraces(Mat G, PetscInt d1, const PetscReal ridge[], PetscReal trace[])
{
  Vec                diag;
  const PetscScalar *d;
  PetscInt           rstart, rend;

  PetscFunctionBegin;
  trace[0] = trace[1] = 0.0;
  PetscCall(MatCreateVecs(G, &diag, NULL));
  PetscCall(MatGetDiagonal(G, diag));
  PetscCall(VecGetOwnershipRange(diag, &rstart, &rend));
  PetscCall(VecGetArrayRead(diag, &d));
  for (PetscInt i = rstart; i < rend; i++) trace[i < d1 ? 0 : 1] += PetscRealPart(d[i - rstart]) - ridge[i < d1 ? 0 : 1];
  PetscCall(VecRestoreArrayRead(diag, &d));
  PetscCall(VecDestroy(&diag));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, trace, 2, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)G)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   PCSketchAdvise - Tells whether PCSKETCH, with its default options, promises to be faster than PCJACOBI for a matrix.

   Collective

   Input Parameter:
.  G - the matrix, of any type

   Output Parameter:
.  worth - PETSC_TRUE if it does; PETSC_FALSE for any type but MATGRAM

   Level: advanced

   Notes:
   It is meant for systems with many right-hand sides, or sequences of them, such as the inner solves of an eigensolver, and
   weighs costs only: how ill conditioned the data are is not known beforehand. Where they are, PCSKETCH may well pay
   although this function does not say so.

   Views that are too large for a dense factor (4000 columns) do not count, nor do those whose ridge is so large that they
   are well conditioned anyway: 1 + trace/ridge <= 9, which is the condition number that the sketch leaves. For the others,
   of d columns each, on r ranks,

     an application, 2 d^2 operations for a column, must not take more than half of those of a product, 4 nonzeros/r;
     the set-up, (4/r + 1/3) d^3 operations at BLAS-3 speed, which is taken for twice that of a product, must not take
     longer than 128 columns of a product.

   So it is worth it for the halves of MNIST (60,000 samples of 392 columns each: the set-up counts for 7 columns), for
   rcv1 with 47,236 and 101 columns, of which the 101 get a factor, and just so for tmc2007 (28,596 sparse samples of 500
   columns: 95), where it saves half of the columns but hardly any time; not for the words of two languages.

.seealso: PCSKETCH, MATGRAM
@*/
PetscErrorCode PCSketchAdvise(Mat G, PetscBool *worth)
{
  Mat         X[2];
  PetscReal   s[3], ridge[2], trace[2], order[2] = {0.0, 0.0}, nz, product = 0.0, apply = 0.0, setup = 0.0;
  PetscInt    d[2] = {0, 0};
  PetscMPIInt size;
  PetscBool   gram;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(G, MAT_CLASSID, 1);
  PetscAssertPointer(worth, 2);
  *worth = PETSC_FALSE;
  PetscCall(PetscObjectTypeCompare((PetscObject)G, MATGRAM, &gram));
  if (!gram) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGramGetViews(G, &X[0], &X[1]));
  if (!X[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)G), &size));
  PetscCall(MatGramGetCoupling(G, &s[0], &s[1], &s[2]));
  PetscCall(MatGramGetRidge(G, &ridge[0], &ridge[1]));
  for (PetscInt v = 0; v < 2 && X[v]; v++) PetscCall(MatGetSize(X[v], NULL, &d[v]));
  if (d[0] > SKETCH_MAX_DIMENSION && (!X[1] || d[1] > SKETCH_MAX_DIMENSION)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SketchTraces(G, d[0], ridge, trace));
  for (PetscInt v = 0; v < 2 && X[v]; v++) {
    PetscCall(SketchCountNonzeros(G, v, &nz));
    product += 4.0 * nz / size;
    order[v] = d[v] > SKETCH_MAX_DIMENSION || trace[v] <= 8.0 * ridge[v] ? 0.0 : (PetscReal)d[v];
  }
  if (X[1] && s[1] != 0.0 && d[0] + d[1] <= SKETCH_MAX_DIMENSION && order[0] + order[1] > 0.0) { /* both in one factor */
    order[0] = (PetscReal)(d[0] + d[1]);
    order[1] = 0.0;
  }
  for (PetscInt v = 0; v < 2; v++) {
    apply += 2.0 * PetscSqr(order[v]);
    setup += 0.5 * (SKETCH_RATIO / size + 1.0 / 3.0) * order[v] * PetscSqr(order[v]);
  }
  *worth = (PetscBool)(apply > 0.0 && apply <= 0.5 * product && setup <= 128.0 * product);
  PetscCall(PetscInfo(G, "Sketch: an application takes %g of a product, the set-up as long as %g columns of one: it is %sworth it\n", (double)(product > 0.0 ? apply / product : 0.0), (double)(product > 0.0 ? setup / product : 0.0), *worth ? "" : "not "));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- the rest ------------------------------------------------------------------------------------------------------ */

static PetscErrorCode PCView_Sketch(PC pc, PetscViewer viewer)
{
  PC_Sketch *sketch = (PC_Sketch *)pc->data;
  PetscBool  ascii;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPrintf(viewer, "  %g rows a column, %" PetscInt_FMT " nonzero%s a sample, seed %" PetscInt_FMT ", factors of order up to %" PetscInt_FMT "\n", (double)sketch->ratio, sketch->nonzeros, sketch->nonzeros > 1 ? "s" : "",
                                   sketch->seed, sketch->maxdim));
  for (PetscInt i = 0; i < sketch->nblocks; i++) {
    const SketchBlock *block = &sketch->block[i];
    const char        *what  = block->nviews > 1 ? "both views" : i ? "view Y" : "view X";

    if (!block->mem) PetscCall(PetscViewerASCIIPrintf(viewer, "  %s: Jacobi, its %" PetscInt_FMT " columns are too many for a dense factor\n", what, block->n));
    else if (block->exact) PetscCall(PetscViewerASCIIPrintf(viewer, "  %s: Cholesky of order %" PetscInt_FMT " of the matrix itself, there being only %" PetscInt_FMT " samples\n", what, block->n, block->m));
    else PetscCall(PetscViewerASCIIPrintf(viewer, "  %s: Cholesky of order %" PetscInt_FMT " of a sketch of %" PetscInt_FMT " rows\n", what, block->n, block->m));
    if (block->split) PetscCall(PetscViewerASCIIPrintf(viewer, "    not positive definite together: factored view by view\n"));
    if (block->shift > 0.0) PetscCall(PetscViewerASCIIPrintf(viewer, "    singular: %g was added to the diagonal\n", (double)block->shift));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCDestroy_Sketch(PC pc)
{
  PetscFunctionBegin;
  PetscCall(PCReset_Sketch(pc));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, "PCSketchSetSize_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, "PCSketchGetSize_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, "PCSketchSetNonzeros_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, "PCSketchGetNonzeros_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, "PCSketchSetSeed_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, "PCSketchGetSeed_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, "PCSketchSetMaxDimension_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, "PCSketchGetMaxDimension_C", NULL));
  PetscCall(PetscFree(pc->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   PCSKETCH - PCSKETCH = "sketch" - Cholesky factor of a MATGRAM whose samples have been replaced by a few random
   combinations of them

   Options Database Keys:
+  -pc_sketch_size <ratio>           - rows of the sketch for each column of the data (4)
.  -pc_sketch_nonzeros <nonzeros>    - rows of the sketch that a sample is added to (4)
.  -pc_sketch_seed <seed>            - seed of its random numbers (0)
-  -pc_sketch_max_dimension <maxdim> - largest order of a dense factor (4000)

   Level: beginner

   Notes:
   For n samples of d columns, n much larger than d, and small ridges. The set-up reads the data once and takes ratio*d^3
   operations, an application 2 d^2 for each column. The condition number of the preconditioned matrix does not depend on
   that of the matrix. The sketch is kept as long as the data are the same: a new ridge or coupling only takes a new
   factor. See PCSketchAdvise() for where it pays.

   Each rank sketches the samples it has; the factor is stored, and solved with, on every rank.

   Two views are factored one by one, unless S_12 /= 0: then together, provided that the sketched matrix is positive
   definite. Where a view has too many columns for a dense factor Jacobi takes its place, which -pc_view (in -ksp_view) and
   -info tell. Singular matrices (zero columns and no ridge) are shifted a little. If there is no factor, the matrix
   being indefinite, KSP ends with KSP_DIVERGED_PC_FAILED.

.seealso: MATGRAM, PCSketchSetSize(), PCSketchSetNonzeros(), PCSketchSetSeed(), PCSketchSetMaxDimension(), PCSketchAdvise()
M*/
SLEPC_EXTERN PetscErrorCode PCCreate_Sketch(PC pc)
{
  PC_Sketch *sketch;

  PetscFunctionBegin;
  PetscCall(PetscNew(&sketch));
  pc->data         = (void *)sketch;
  sketch->ratio    = SKETCH_RATIO;
  sketch->nonzeros = 4;
  sketch->maxdim   = SKETCH_MAX_DIMENSION;

  pc->ops->setup          = PCSetUp_Sketch;
  pc->ops->apply          = PCApply_Sketch;
  pc->ops->matapply       = PCMatApply_Sketch;
  pc->ops->applytranspose = PetscDefined(USE_COMPLEX) ? NULL : PCApply_Sketch;
  pc->ops->setfromoptions = PCSetFromOptions_Sketch;
  pc->ops->view           = PCView_Sketch;
  pc->ops->reset          = PCReset_Sketch;
  pc->ops->destroy        = PCDestroy_Sketch;

  PetscCall(PetscObjectComposeFunction((PetscObject)pc, "PCSketchSetSize_C", PCSketchSetSize_Sketch));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, "PCSketchGetSize_C", PCSketchGetSize_Sketch));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, "PCSketchSetNonzeros_C", PCSketchSetNonzeros_Sketch));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, "PCSketchGetNonzeros_C", PCSketchGetNonzeros_Sketch));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, "PCSketchSetSeed_C", PCSketchSetSeed_Sketch));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, "PCSketchGetSeed_C", PCSketchGetSeed_Sketch));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, "PCSketchSetMaxDimension_C", PCSketchSetMaxDimension_Sketch));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, "PCSketchGetMaxDimension_C", PCSketchGetMaxDimension_Sketch));
  PetscFunctionReturn(PETSC_SUCCESS);
}
