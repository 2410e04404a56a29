/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The two sparse kernels for blocks of one width, included by gramkernel.c once for each width and instruction set.
   It defines beforehand

     KERNEL_NAME    what the functions are called
     KERNEL_TARGET  attribute that chooses the instruction set, or nothing
     KERNEL_VECTOR  a vector type
     KERNEL_COUNT   how many of them make one row of the block
     KERNEL_FETCH   asks for the row of a later nonzero

   The rows of the block are met in the order in which the words of a text come: at random, and the blocks do not fit
   the inner caches. Therefore the row that will be needed KERNEL_AHEAD nonzeros later is asked for now; as the
   nonzeros of all samples lie one after the other this looks into the samples to come, without any bookkeeping. For
   8 columns and the words of two languages this halves the time.
*/
#define KERNEL_WIDTH ((PetscInt)(KERNEL_COUNT * sizeof(KERNEL_VECTOR) / sizeof(PetscScalar)))

/* t_i = t0 + x_i' W, by two partial sums, else each addition waits for the one before */
KERNEL_TARGET static void KERNEL_NAME(Gather)(PetscInt n, PetscInt last, const PetscInt *restrict ia, const PetscInt *restrict ja, const PetscScalar *restrict a, const PetscScalar *restrict W, const PetscScalar *restrict t0, PetscScalar *restrict T)
{
  for (PetscInt i = 0; i < n; i++) {
    KERNEL_VECTOR  t[KERNEL_COUNT], u[KERNEL_COUNT];
    PetscInt       j   = ia[i];
    const PetscInt end = ia[i + 1];

    for (int k = 0; k < KERNEL_COUNT; k++) {
      t[k] = ((const KERNEL_VECTOR *)t0)[k];
      u[k] = t[k] - t[k];
    }
    for (; j + 2 <= end; j += 2) {
      const KERNEL_VECTOR *w = (const KERNEL_VECTOR *)(W + ja[j] * KERNEL_WIDTH);
      const KERNEL_VECTOR *z = (const KERNEL_VECTOR *)(W + ja[j + 1] * KERNEL_WIDTH);

      KERNEL_FETCH(W, j, 0);
      KERNEL_FETCH(W, j + 1, 0);
      for (int k = 0; k < KERNEL_COUNT; k++) t[k] += a[j] * w[k];
      for (int k = 0; k < KERNEL_COUNT; k++) u[k] += a[j + 1] * z[k];
    }
    if (j < end) {
      const KERNEL_VECTOR *w = (const KERNEL_VECTOR *)(W + ja[j] * KERNEL_WIDTH);

      KERNEL_FETCH(W, j, 0);
      for (int k = 0; k < KERNEL_COUNT; k++) t[k] += a[j] * w[k];
    }
    for (int k = 0; k < KERNEL_COUNT; k++) ((KERNEL_VECTOR *)(T + i * KERNEL_WIDTH))[k] = t[k] + u[k];
  }
}

/* O += x_i c_i' */
KERNEL_TARGET static void KERNEL_NAME(Scatter)(PetscInt n, PetscInt last, const PetscInt *restrict ia, const PetscInt *restrict ja, const PetscScalar *restrict a, const PetscScalar *restrict C, PetscScalar *restrict O)
{
  for (PetscInt i = 0; i < n; i++) {
    KERNEL_VECTOR c[KERNEL_COUNT];

    for (int k = 0; k < KERNEL_COUNT; k++) c[k] = ((const KERNEL_VECTOR *)(C + i * KERNEL_WIDTH))[k];
    for (PetscInt j = ia[i]; j < ia[i + 1]; j++) {
      const PetscScalar x = a[j];
      KERNEL_VECTOR    *o = (KERNEL_VECTOR *)(O + ja[j] * KERNEL_WIDTH);

      KERNEL_FETCH(O, j, 1);
      for (int k = 0; k < KERNEL_COUNT; k++) o[k] += x * c[k];
    }
  }
}

#undef KERNEL_WIDTH
#undef KERNEL_NAME
#undef KERNEL_VECTOR
#undef KERNEL_COUNT
