/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What a pass over sparse samples costs: n steps of svrg, saga and sdca at most 4 times a MatMult() and a MatMultTranspose() with
   the data, of katyusha 8 times. No absolute times: processor time, everything in turn, always as many rounds, and the least of
   each, because whatever disturbs a measurement adds to it.
*/
#include "tap.h"
#include "../src/io/napiio.h"

#include <time.h>

#define ROUNDS 25

/* PetscGetCPUTime() counts ticks of 10 ms on some machines */
static PetscLogDouble Processor(void)
{
  struct timespec now;

  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (PetscLogDouble)now.tv_sec + 1e-9 * (PetscLogDouble)now.tv_nsec;
}

int main(int argc, char **argv)
{
  const char     *types[] = {KSPSVRG, KSPKATYUSHA, KSPSAGA, KSPSDCA};
  const PetscReal limit[] = {4, 8, 4, 4};
  const char     *data    = getenv("NAPI_DATA");
  char            path[PETSC_MAX_PATH_LEN], why[1024];
  PetscLogDouble  pair = 1e30, product = 1e30, best[4] = {1e30, 1e30, 1e30, 1e30}, t0, t1;
  PetscMPIInt     size;
  PetscBool       found = PETSC_FALSE;
  Mat             X, G;
  Vec             w, y, b, x;
  KSP             ksp[4];
  PC              pc;

  PetscFunctionBeginUser;
  PetscCall(TapBegin(&argc, &argv));
#if defined(__SANITIZE_ADDRESS__)
  PetscCall(TapSkip("our code is instrumented, PETSc's is not", "what a pass costs"));
  return TapEnd();
#endif
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscSNPrintf(path, sizeof(path), "%s/text-en-it/X_en.mtx.gz", data ? data : "."));
  if (data) PetscCall(PetscTestFile(path, 'r', &found));
  if (size > 1 || !found) {
    PetscCall(TapSkip(size > 1 ? "measured on one rank" : "text-en-it is not here", "what a pass over sparse samples costs"));
    return TapEnd();
  }
  PetscCall(NAPIReadMatrix(PETSC_COMM_WORLD, path, &X, why));
  PetscCall(MatCreateVecs(X, &w, &y));
  PetscCall(MatCreateGram(X, NULL, &G));
  PetscCall(MatGramSetRidge(G, 1e-3, 0));
  PetscCall(MatCreateVecs(G, &x, &b));
  PetscCall(VecSetRandom(b, NULL));
  PetscCall(VecSet(w, 1.0));
  for (int t = 0; t < 4; t++) {
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp[t]));
    PetscCall(KSPSetType(ksp[t], types[t]));
    PetscCall(KSPSetOperators(ksp[t], G, G));
    PetscCall(KSPGetPC(ksp[t], &pc));
    PetscCall(PCSetType(pc, PCNONE));
    PetscCall(KSPSetNormType(ksp[t], KSP_NORM_NONE));
    PetscCall(KSPSetTolerances(ksp[t], 1e-8, 1e-50, 1e50, 1));
    PetscCall(KSPSolve(ksp[t], b, x)); /* set-up */
  }
  for (int round = 0; round < ROUNDS; round++) {
    t0 = Processor();
    PetscCall(MatMult(X, w, y));
    PetscCall(MatMultTranspose(X, y, w));
    t1   = Processor();
    pair = PetscMin(pair, t1 - t0);
    t0   = Processor();
    PetscCall(MatMult(G, b, x));
    t1      = Processor();
    product = PetscMin(product, t1 - t0);
    for (int t = 0; t < 4; t++) {
      t0 = Processor();
      PetscCall(KSPSolve(ksp[t], b, x));
      t1      = Processor();
      best[t] = PetscMin(best[t], t1 - t0);
    }
  }
  for (int t = 0; t < 4; t++) {
    /* sdca has to look at its residual, by a product, which is not a step; a stage of katyusha has 2n steps */
    PetscLogDouble pass = t == 1 ? best[t] / 2 : t == 3 ? best[t] - product : best[t];

    PetscCall(TapOk((PetscBool)(pass > 0 && pass <= limit[t] * pair), "%s: a pass costs at most %g products with X and X'", types[t], (double)limit[t]));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# measured %.2f\n", (double)(pass / pair)));
    PetscCall(KSPDestroy(&ksp[t]));
  }
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&G));
  PetscCall(VecDestroy(&w));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  return TapEnd();
}
