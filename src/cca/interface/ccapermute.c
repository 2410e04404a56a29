/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA: how many pairs are real? Permutations, by the stepwise procedure of A. M. Winkler, O. Renaud, S. M. Smith and T. E. Nichols, Permutation
   inference for canonical correlation analysis, NeuroImage 220, 2020.

   If the samples of X and Y have nothing to do with each other, rows of Y in any other order are as likely as those observed. For pair i the i-1
   pairs before it, which may well be real, are taken out of both views first (what is left is orthogonal to them in S11 and S22), and

     p_i = (1 + number of permutations whose largest correlation of what is left is at least the observed rho_i) / (N + 1).

   A pair cannot be real if one before it is not: p_i becomes the largest of p_1, ..., p_i.

   Permutations leave S11 and S22 as they are, and with them everything that is made from these. What is left has less freedom from pair to pair, so
   that the largest correlations of a permutation decrease with i, as the observed ones do.
*/
#include <slepcnapi/private/ccapermute.h>

/* Entries of both views, written out, up to which data without ridge are whitened whatever the type: 400 MB */
#define CCA_PERMUTE_SMALL 5e7

/* ------------------------------------------------- random numbers ------------------------------------------------- */

static unsigned long long CCARandom_Next(CCARandom *random)
{
  unsigned long long z = (random->state += 0x9E3779B97F4A7C15ULL);

  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

/* CCARandomBegin_Private - The stream with these numbers: seed, permutation, and what it is for */
void CCARandomBegin_Private(CCARandom *random, PetscInt seed, PetscInt number, PetscInt purpose)
{
  const PetscInt key[] = {seed, number, purpose};

  random->state = 0;
  for (int i = 0; i < 3; i++) random->state = CCARandom_Next(random) ^ (unsigned long long)key[i];
}

/* CCARandomNormal_Private - Normally distributed, by Box and Muller */
PetscReal CCARandomNormal_Private(CCARandom *random)
{
  const PetscReal u = ((PetscReal)(CCARandom_Next(random) >> 11) + 0.5) / 9007199254740992.0, v = (PetscReal)(CCARandom_Next(random) >> 11) / 9007199254740992.0;

  return PetscSqrtReal(-2.0 * PetscLogReal(u)) * PetscCosReal(2.0 * PETSC_PI * v);
}

/* CCAPermutationDraw_Private - Permutation number p: sample i of X is put beside sample perm[i] of Y */
PetscErrorCode CCAPermutationDraw_Private(const CCAPermutation *test, PetscInt p, PetscInt perm[])
{
  const CCAExchange *e = &test->exchange;
  CCARandom          random;

  PetscFunctionBegin;
  CCARandomBegin_Private(&random, test->seed, p, 0);
  for (PetscInt i = 0; i < e->n; i++) perm[i] = i;
  for (PetscInt c = 0; c < e->classes; c++) {
    const PetscInt *member = e->members + e->begin[c];

    for (PetscInt i = e->begin[c + 1] - e->begin[c] - 1; i > 0; i--) {
      const PetscInt j = (PetscInt)(CCARandom_Next(&random) % (unsigned long long)(i + 1)), t = perm[member[i]];

      perm[member[i]] = perm[member[j]];
      perm[member[j]] = t;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- what may be exchanged ------------------------------------------------- */

/*
   Classes of samples with the same number of their block, which every rank knows for its own samples, and the same weight: exchanging samples of unequal weights would
   change S22. All are one class if there are neither blocks nor weights.
*/
static PetscErrorCode CCAPermute_CreateExchange(CCA cca, const PetscInt block[], CCAExchange *e)
{
  MPI_Comm    comm = PetscObjectComm((PetscObject)cca);
  PetscInt    n, first, *label;
  PetscReal  *share, *sorted;
  PetscMPIInt count;
  PetscBool   any = PETSC_FALSE;

  PetscFunctionBegin;
  e->n = cca->n;
  PetscCall(MatGetLocalSize(cca->X, &n, NULL));
  PetscCall(MatGetOwnershipRange(cca->X, &first, NULL));
  PetscCall(PetscCalloc3(e->n, &label, e->n, &share, e->n, &sorted));
  PetscCall(CCAGetShares_Private(cca, share));
  for (PetscInt i = 0; i < n && block; i++) label[first + i] = block[i];
  PetscCall(PetscMPIIntCast(e->n, &count));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, label, count, MPIU_INT, MPI_SUM, comm));
  PetscCall(PetscMalloc2(e->n + 1, &e->begin, e->n, &e->members));
  for (PetscInt i = 0; i < e->n; i++) e->members[i] = i;
  PetscCall(PetscSortIntWithArray(e->n, label, e->members));
  for (PetscInt i = 0; i < e->n; i++) sorted[i] = share[e->members[i]];
  e->classes = 0;
  for (PetscInt i = 0, end; i < e->n; i = end) { /* a block */
    for (end = i + 1; end < e->n && label[end] == label[i]; end++)
      ;
    PetscCall(PetscSortRealWithArrayInt(end - i, sorted + i, e->members + i));
    for (PetscInt j = i; j < end; j++) {
      if (j == i || sorted[j] != sorted[j - 1]) e->begin[e->classes++] = j;
      else if (sorted[j] > 0.0) any = PETSC_TRUE;
    }
  }
  e->begin[e->classes] = e->n;
  for (PetscInt c = 0; c < e->classes; c++) PetscCall(PetscSortInt(e->begin[c + 1] - e->begin[c], e->members + e->begin[c])); /* in an order that does not depend on the sorts */
  PetscCall(PetscFree3(label, share, sorted));
  if (!any) PetscCall(PetscFree2(e->begin, e->members));
  PetscCheck(any, comm, PETSC_ERR_ARG_WRONG, "No two samples may be exchanged: %s", cca->weights ? "samples are exchanged with those of their block that have the same weight, and there is none" : "every block has one sample only");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- the test ------------------------------------------------- */

/* Sums over the ranks; what has been found stays with the object */
static PetscErrorCode CCAPermute_Finish(CCA cca, CCAPermutation *test, PetscReal p[])
{
  MPI_Comm    comm = PetscObjectComm((PetscObject)cca);
  PetscMPIInt count, exact = test->exact ? 1 : 0;
  PetscInt    done = 0;

  PetscFunctionBegin;
  PetscCall(CCAPermutationEndPoll_Private(cca, test));
  PetscCall(PetscMPIIntCast(test->N, &count));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, test->decided, count, MPIU_INT, MPI_SUM, comm));
  PetscCall(PetscMPIIntCast(test->N * test->k, &count));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, test->null, count, MPIU_REAL, MPIU_SUM, comm));
  PetscCall(PetscMPIIntCast(test->k, &count));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, test->above, count, MPIU_INT, MPI_SUM, comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &test->undecided, 1, MPIU_INT, MPI_SUM, comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &exact, 1, MPI_INT, MPI_MIN, comm));
  for (PetscInt j = 0; j < test->N; j++)
    if (test->decided[j]) PetscCall(PetscArraymove(test->null + test->k * done++, test->null + test->k * j, test->k));
  PetscCall(PetscInfo(cca, "%" PetscInt_FMT " of %" PetscInt_FMT " permutations of %" PetscInt_FMT " pairs: %" PetscInt_FMT " decisions at the limit of the steps were counted against the pair\n", done, test->N, test->k, test->undecided));
  for (PetscInt i = 0; i < test->k; i++) {
    p[i] = (PetscReal)(1 + test->above[i]) / (PetscReal)(done + 1);
    if (i) p[i] = PetscMax(p[i], p[i - 1]);
  }
  PetscCall(PetscFree(cca->null));
  cca->null          = test->null;
  cca->nullexact     = exact ? PETSC_TRUE : PETSC_FALSE;
  cca->npermutations = done;
  cca->testedpairs   = test->k;
  cca->undecided     = test->undecided;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAPermutationTest - Tests how many of the canonical pairs found are real, by permutations of the samples of one view.

   Collective

   Input Parameters:
+  cca   - the object, after CCASolve()
.  N     - number of permutations, such as 999
.  seed  - of the permutations; the same gives the same, on any number of ranks
-  block - for each local sample the number of its block: samples are exchanged within blocks only. NULL if all are exchangeable

   Output Parameter:
.  p - a p-value for each pair that CCASolve() has found and that has converged (CCAGetConverged()); they do not decrease

   Level: intermediate

   Notes:
   For pair i those before it are taken out of both views, and p_i is (1 + number of permutations whose largest (regularised) correlation of what is left
   is at least the observed one)/(N + 1), made monotone: the stepwise procedure of Winkler, Renaud, Smith and Nichols (2020), by which the chance to call any
   pair real that is not is at most the level of the test. The smallest p-value possible is 1/(N + 1).

   For CCADIRECT the views are whitened once, and each permutation is decided exactly. Otherwise covariances are not formed, and a permutation is decided as soon
   as its largest correlation is known to be above the observed one, by a vector that has it, or known to be below, by a bound for Lanczos' method from a random
   vector (van Dorsselaer, Hochstenbach and van der Vorst, 2000), which is wrong with a probability of 1e-7. What cannot be decided counts as above, so that p-values are too large rather than too small. Both views need a ridge there.

   If it is stopped, see CCASetStopFunction(), only permutations count that are decided for all pairs, and of those that a rank works on one after the other only the ones
   before the first that is not: what is easy is decided first, and must not be all that counts. This is the p-value of Besag and Clifford (1991) for sequential tests, with the
   permutations that were decided in the place of N, see CCAGetPermutationsDone(); all are 1 if there was none.

   Every rank holds all samples during the test, and does its share of the permutations.

   What has to hold: if X and Y have nothing to do with each other the samples can be exchanged (within blocks). That centring uses the mean of
   all samples does no harm. Samples with weights are exchanged with those that have the same weight only (and are in the same block): this is right whatever the
   weights mean, and leaves the covariances as they are.

.seealso: CCASolve(), CCAGetPermutationQuantile(), CCAGetPermutationUndecided(), CCAGetPermutationsDone(), CCAGetMultivariateTests(), CCASetStopFunction()
@*/
PetscErrorCode CCAPermutationTest(CCA cca, PetscInt N, PetscInt seed, const PetscInt block[], PetscReal p[])
{
  MPI_Comm       comm;
  CCAPermutation test;
  PetscMPIInt    mine = block ? 1 : 0, all[2] = {0, 0}, none = 1 - mine;
  PetscInt       n;
  PetscBool      direct;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscValidLogicalCollectiveInt(cca, N, 2);
  PetscValidLogicalCollectiveInt(cca, seed, 3);
  comm = PetscObjectComm((PetscObject)cca);
  CCACheckCorrelations(cca, "A permutation test");
  PetscCheck(cca->reason, comm, PETSC_ERR_ORDER, "There is no solution yet: call CCASolve() first");
  CCACheckCorrelations(cca, "The permutation test");
  PetscCheck(N > 0, comm, PETSC_ERR_ARG_OUTOFRANGE, "The number of permutations must be positive, not %" PetscInt_FMT, N);
  PetscCall(MatGetLocalSize(cca->X, &n, NULL));
  if (!n) mine = none = 0; /* a rank without samples need not have blocks */
  PetscCallMPI(MPI_Allreduce(&mine, &all[0], 1, MPI_INT, MPI_MAX, comm));
  PetscCallMPI(MPI_Allreduce(&none, &all[1], 1, MPI_INT, MPI_MAX, comm));
  PetscCheck(!all[0] || !all[1], comm, PETSC_ERR_ARG_WRONG, "Blocks are needed on every rank that has samples, or on none");
  PetscCall(PetscMemzero(&test, sizeof(test)));
  test.N    = N;
  test.seed = seed;
  test.k    = cca->nconv;
  if (!test.k) PetscFunctionReturn(PETSC_SUCCESS);
  PetscAssertPointer(p, 5);
  PetscCall(CCAPermute_CreateExchange(cca, block, &test.exchange));
  PetscCall(PetscCalloc1(N * test.k, &test.null));
  PetscCall(PetscCalloc2(test.k, &test.above, N, &test.decided));
  PetscCall(PetscObjectGetNewTag((PetscObject)cca, &test.tag));
  cca->stop = PETSC_FALSE;
  PetscCall(PetscObjectTypeCompare((PetscObject)cca, CCADIRECT, &direct));
  if (!direct && (cca->ridge[0] == 0.0 || cca->ridge[1] == 0.0)) direct = (PetscBool)((PetscReal)cca->n * (PetscReal)(cca->d[0] + cca->d[1]) < CCA_PERMUTE_SMALL);
  if (direct) PetscCall(CCAPermuteDense_Private(cca, &test));
  else PetscCall(CCAPermuteLarge_Private(cca, &test));
  PetscCall(CCAPermute_Finish(cca, &test, p));
  PetscCall(PetscFree2(test.above, test.decided));
  PetscCall(PetscFree2(test.exchange.begin, test.exchange.members));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAGetPermutationQuantile - Gets a quantile of the correlations of permuted data, after CCAPermutationTest().

   Not Collective

   Input Parameters:
+  cca - the object
.  i   - number of the pair, from 0
-  q   - which quantile, between 0 and 1; an observed correlation above that for 0.95 has p_i < 0.05 (but for the pairs before it)

   Output Parameters:
+  value - the smallest number that at least this part of the permutations does not exceed, each with the pairs before the i-th taken out
-  exact - whether these were the correlations themselves; otherwise permutations that were decided early entered with a bound, an upper one if they were
           below the observed correlation

   Level: intermediate

.seealso: CCAPermutationTest()
@*/
PetscErrorCode CCAGetPermutationQuantile(CCA cca, PetscInt i, PetscReal q, PetscReal *value, PetscBool *exact)
{
  PetscReal *sorted;
  PetscInt   N;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscCheck(cca->null, PetscObjectComm((PetscObject)cca), PETSC_ERR_ORDER, "There are no permutations yet: call CCAPermutationTest() first");
  PetscCheck(i >= 0 && i < cca->testedpairs, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_OUTOFRANGE, "There is no pair %" PetscInt_FMT ": they are numbered from 0, and %" PetscInt_FMT " were tested", i, cca->testedpairs);
  PetscCheck(q >= 0.0 && q <= 1.0, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_OUTOFRANGE, "A quantile is a number between 0 and 1, not %g", (double)q);
  N = cca->npermutations;
  PetscCheck(N, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_WRONGSTATE, "The test was stopped before a permutation was decided: there are no quantiles");
  PetscCall(PetscMalloc1(N, &sorted));
  for (PetscInt j = 0; j < N; j++) sorted[j] = cca->null[i + j * cca->testedpairs];
  PetscCall(PetscSortReal(N, sorted));
  if (value) *value = sorted[PetscMax(0, PetscMin(N - 1, (PetscInt)PetscCeilReal(q * (PetscReal)N * (1.0 - 1e-12)) - 1))];
  if (exact) *exact = cca->nullexact;
  PetscCall(PetscFree(sorted));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAGetPermutationUndecided - Gets how many comparisons CCAPermutationTest() could not make.

   Not Collective

   Input Parameter:
.  cca - the object

   Output Parameter:
.  count - of permutations and pairs whose correlation may or may not be below the observed one, and was counted against the pair; 0 for CCADIRECT

   Level: intermediate

   Note:
   If it is not zero p-values may be too large. More regularisation, or CCADIRECT, helps.

.seealso: CCAPermutationTest()
@*/
PetscErrorCode CCAGetPermutationUndecided(CCA cca, PetscInt *count)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscAssertPointer(count, 2);
  PetscCheck(cca->null, PetscObjectComm((PetscObject)cca), PETSC_ERR_ORDER, "There are no permutations yet: call CCAPermutationTest() first");
  *count = cca->undecided;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAGetPermutationsDone - Gets how many permutations CCAPermutationTest() has decided.

   Not Collective

   Input Parameter:
.  cca - the object

   Output Parameter:
.  count - the number: as many as were asked for, or fewer if it was stopped

   Level: intermediate

.seealso: CCAPermutationTest(), CCASetStopFunction()
@*/
PetscErrorCode CCAGetPermutationsDone(CCA cca, PetscInt *count)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscAssertPointer(count, 2);
  PetscCheck(cca->null, PetscObjectComm((PetscObject)cca), PETSC_ERR_ORDER, "There are no permutations yet: call CCAPermutationTest() first");
  *count = cca->npermutations;
  PetscFunctionReturn(PETSC_SUCCESS);
}
