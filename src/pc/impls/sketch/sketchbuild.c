/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The random sketch of the data of PC "sketch": Z = R X, a panel of rows at a time, and Z'Z, which is left on every rank.
   See sketch.c for what it is good for.
*/
#include <slepcnapi/private/sketchimpl.h>
#include <stdint.h>

#define SKETCH_PANEL   (4 * 1024 * 1024) /* scalars of a panel of Z: memory, against how often the samples are read */
#define SKETCH_CHUNK   4096              /* samples whose places in the sketch are looked up together: they stay in the cache */
#define SKETCH_COLUMNS 128               /* columns of Z'Z that are computed together, from their first row downwards: BLAS at its speed, against what is computed above the diagonal */
#define SKETCH_MESSAGE ((size_t)1 << 26) /* scalars summed over the ranks at a time: MPI's buffers, against the number of messages */

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
   The nonzeros of R in rows r0..r0+b-1 that belong to the local samples first..first+n-1: at most n*q. The local samples begin
   with number rstart. If R = I, rows are local samples.
*/
static PetscInt SketchPlaces(const SketchBlock *block, PetscInt seed, PetscInt rstart, PetscInt first, PetscInt n, PetscInt r0, PetscInt b, PetscInt *sample, PetscInt *row, PetscReal *sign)
{
  const PetscInt group = block->m / block->q;
  PetscInt       count = 0;

  for (PetscInt i = first; i < first + n; i++) {
    for (PetscInt k = 0; k < block->q; k++) {
      const uint64_t bits = block->exact ? 1 : SketchRandom(seed, rstart + i, k);
      const PetscInt r    = (block->exact ? i : k * group + (PetscInt)(((bits >> 32) * (uint64_t)group) >> 32)) - r0; /* a number below group from 32 bits */

      if (r < 0 || r >= b) continue;
      sample[count] = i;
      row[count]    = r;
      sign[count++] = bits & 1 ? 1.0 : -1.0;
    }
  }
  return count;
}

/*
   Rows r0..r0+b-1 of sqrt(q) R diag(w)^{1/2} (X - 1 m') D, of local samples of a view only. Z is b x d for dense data and the conjugate
   transpose, d x b, for sparse data: so both are written along the way they are read.
*/
static PetscErrorCode SketchPanel(const SketchBlock *block, PetscInt seed, const Mat_Gram *g, PetscInt view, PetscInt r0, PetscInt b, PetscScalar *Z)
{
  const GramView  *x = &g->data->view[view];
  const PetscInt   d = x->d, room = SKETCH_CHUNK * block->q, last = block->exact ? PetscMin(g->data->n, r0 + b) : g->data->n;
  const PetscReal *weight = g->data->weights->local;
  PetscInt        *sample, *row;
  PetscReal       *sign, *ones, *scale; /* ones: R w^{1/2} */

  PetscFunctionBegin;
  PetscCall(PetscMalloc5(room, &sample, room, &row, room, &sign, b, &ones, d, &scale));
  PetscCall(PetscArrayzero(Z, b * d));
  PetscCall(PetscArrayzero(ones, b));
  for (PetscInt first = block->exact ? r0 : 0; first < last; first += SKETCH_CHUNK) {
    const PetscInt count = SketchPlaces(block, seed, x->mat->rmap->rstart, first, PetscMin(SKETCH_CHUNK, last - first), r0, b, sample, row, sign);

    for (PetscInt k = 0; k < count && weight; k++) sign[k] *= PetscSqrtReal(weight[sample[k]]);
    for (PetscInt k = 0; k < count; k++) ones[row[k]] += sign[k];
    if (x->sparse) {
      for (PetscInt k = 0; k < count; k++) {
        PetscScalar *z = Z + row[k] * d;

        for (PetscInt l = x->ia[sample[k]]; l < x->ia[sample[k] + 1]; l++) z[x->ja[l]] += sign[k] * PetscConj(x->a[l]);
      }
    } else {
      for (PetscInt j = 0; j < d; j++) {
        const PetscScalar *a = x->a + (size_t)j * (size_t)x->lda;
        PetscScalar       *z = Z + j * b;

        for (PetscInt k = 0; k < count; k++) z[row[k]] += sign[k] * a[sample[k]];
      }
    }
  }
  if (g->center || GramHasFactors(g, view)) {
    for (PetscInt j = 0; j < d; j++) scale[j] = GramFactor(g, view, x->offset + j);
    for (PetscInt r = 0; r < b; r++) {
      for (PetscInt j = 0; j < d; j++) {
        const PetscScalar mean = g->center ? g->data->mean[x->offset + j] : 0.0;
        PetscScalar      *z    = x->sparse ? Z + j + r * d : Z + r + j * b;

        *z = (*z - ones[r] * (x->sparse ? PetscConj(mean) : mean)) * scale[j];
      }
    }
  }
  PetscCall(PetscFree5(sample, row, sign, ones, scale));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   C = C + Z'Y for b rows of Z and Y, where Z has columns of view x, Y those of view y; if they are the same only the
   lower triangle (and somewhat more) is computed.
*/
static PetscErrorCode SketchMultiply(PetscInt b, const GramView *x, const PetscScalar *Z, const GramView *y, const PetscScalar *Y, PetscScalar *C, PetscInt ldc)
{
  PetscFunctionBegin;
  for (PetscInt j = 0; j < y->d; j += SKETCH_COLUMNS) {
    const PetscInt     i  = Z == Y ? j : 0;
    const PetscScalar *Zi = Z + (x->sparse ? i : i * b), *Yj = Y + (y->sparse ? j : j * b);

    PetscCall(NAPIGemm(x->sparse ? "N" : "C", y->sparse ? "C" : "N", x->d - i, PetscMin(SKETCH_COLUMNS, y->d - j), b, 1.0, Zi, x->sparse ? x->d : b, Yj, y->sparse ? y->d : b, 1.0, C + i + j * ldc, ldc));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   SketchBuild - Z'Z of a block, in the lower triangle that begins at the second row of mem.
*/
PetscErrorCode SketchBuild(PC pc, SketchBlock *block)
{
  const PetscInt seed = ((PC_Sketch *)pc->data)->seed, ld = block->n + 1;
  const size_t   total = (size_t)ld * (size_t)block->n;
  Mat_Gram      *g     = (Mat_Gram *)pc->pmat->data;
  GramData      *data  = g->data;
  GramView      *x     = data->view + block->view;
  PetscInt       b, npanels, rows;
  PetscMPIInt    count;
  PetscScalar   *Z[2] = {NULL, NULL}, *sum[2] = {NULL, NULL};

  PetscFunctionBegin;
  PetscCall(GramUpdate(g));
  PetscCall(GramDataGetRows(data));
  PetscCall(PetscArrayzero(block->mem, total));
  /* the mean of n equal numbers is wrong by eps sqrt(n), their sketch by eps sqrt(n/m), relative to the number */
  if (g->center) {
    PetscCall(PetscMalloc1(block->n, &block->noise));
    for (PetscInt j = 0; j < block->n; j++) {
      const PetscInt i = block->first + j;

      block->noise[j] = 10.0 * (1000.0 + (PetscReal)data->N) * PetscSqr(PETSC_MACHINE_EPSILON * PetscAbsScalar(data->mean[i]) * GramFactor(g, i < data->view[0].d ? 0 : 1, i));
    }
  }
  /* R = I: the own samples only, nothing to be summed up; otherwise a panel for each rank at a time */
  rows    = block->exact ? data->n : block->m;
  b       = block->exact ? rows : (rows + data->size - 1) / data->size;
  b       = PetscMax(1, PetscMin(b, SKETCH_PANEL / block->n));
  npanels = (rows + b - 1) / b;
  for (PetscInt v = 0; v < block->nviews; v++) {
    PetscCall(PetscMalloc1(b * x[v].d, &Z[v]));
    if (data->size > 1 && !block->exact) PetscCall(PetscMalloc1(b * x[v].d, &sum[v]));
    else sum[v] = Z[v];
  }
  for (PetscInt p = 0, together = block->exact ? 1 : data->size; p < npanels; p += together) {
    for (PetscInt r = 0; r < together && p + r < npanels; r++) {
      for (PetscInt v = 0; v < block->nviews; v++) {
        PetscCall(SketchPanel(block, seed, g, block->view + v, (p + r) * b, b, Z[v]));
        if (sum[v] == Z[v]) continue;
        PetscCall(PetscMPIIntCast(b * x[v].d, &count));
        PetscCallMPI(MPI_Reduce(Z[v], sum[v], count, MPIU_SCALAR, MPIU_SUM, (PetscMPIInt)r, data->comm));
      }
    }
    if (!block->exact && p + data->rank >= npanels) continue;
    for (PetscInt v = 0, col = 0; v < block->nviews; col += x[v].d, v++) {
      for (PetscInt u = v, row = col; u < block->nviews; row += x[u].d, u++) PetscCall(SketchMultiply(b, &x[u], sum[u], &x[v], sum[v], block->mem + 1 + row + col * ld, ld));
    }
  }
  for (size_t done = 0; data->size > 1 && done < total; done += SKETCH_MESSAGE) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, block->mem + done, (PetscMPIInt)PetscMin(SKETCH_MESSAGE, total - done), MPIU_SCALAR, MPIU_SUM, data->comm));
  for (PetscInt v = 0; v < block->nviews; v++) {
    if (sum[v] != Z[v]) PetscCall(PetscFree(sum[v]));
    PetscCall(PetscFree(Z[v]));
  }
  PetscCall(GramDataRestoreRows(data));
  PetscFunctionReturn(PETSC_SUCCESS);
}
