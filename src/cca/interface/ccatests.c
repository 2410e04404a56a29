/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA: the classical tests of how many canonical correlations are not zero, from all of them: Wilks, Bartlett, Pillai, Hotelling and Lawley, Roy.

   With p and q columns and i pairs set aside, p' = p - i, q' = q - i, s = min(p',q') correlations are left, and samples enter as

     v = n - 1 - q              degrees of freedom of the error: those pairs have taken i of n - 1, but there are i columns less
     a = (v - p' - 1)/2,  b = (|p' - q'| - 1)/2

   The formulas are those of SAS ("Multivariate Tests"), with McKeon's approximation for the trace of Hotelling and Lawley.
*/
#include <slepcnapi/private/ccapermute.h>
#include <slepcnapi/private/napitails.h>
#include <math.h>

/*E
   CCATest - What canonical correlations are tested by

   Values:
+  CCA_TEST_WILKS     - Wilks' Lambda, the product of 1 - rho^2, with Rao's F
.  CCA_TEST_BARTLETT  - the same with Bartlett's chi-square
.  CCA_TEST_PILLAI    - Pillai's trace, the sum of rho^2
.  CCA_TEST_HOTELLING - the trace of Hotelling and Lawley, the sum of rho^2/(1 - rho^2)
-  CCA_TEST_ROY       - Roy's largest root, rho^2/(1 - rho^2) of the first one

   Level: intermediate

.seealso: CCAComputeMultivariateTests(), CCAGetMultivariateTests()
E*/
const char *const CCATests[] = {"WILKS", "BARTLETT", "PILLAI", "HOTELLING", "ROY", "CCATest", "CCA_TEST_", NULL};

/* What is left when i pairs are set aside */
typedef struct {
  PetscReal p, q, s, v, a, b;
} Rest;

/* One row of a table: the statistic, the number whose distribution is (nearly) known, its degrees of freedom, and its upper tail */
typedef struct {
  PetscReal statistic, value, df1, df2, tail;
} Row;

static void CCATests_F(PetscReal f, PetscReal df1, PetscReal df2, Row *row)
{
  row->value = f;
  row->df1   = df1;
  row->df2   = df2;
  row->tail  = NAPITailF(f, df1, df2);
}

/* Lambda, from its logarithm: by Rao's F or by Bartlett's chi-square */
static void CCATests_Wilks(const Rest *r, PetscReal log, PetscBool bartlett, Row *row)
{
  const PetscReal m = r->v - (r->p - r->q + 1.0) / 2.0, pq = r->p * r->q, square = r->p * r->p + r->q * r->q - 5.0;
  const PetscReal t = square > 0.0 ? PetscSqrtReal((pq * pq - 4.0) / square) : 1.0, df2 = m * t - pq / 2.0 + 1.0;

  row->statistic = PetscExpReal(log);
  if (bartlett) {
    row->value = -m * log;
    row->df1   = pq;
    row->df2   = 0.0;
    row->tail  = NAPITailChiSquare(row->value, pq);
  } else CCATests_F((PetscReal)expm1((double)(-log / t)) * df2 / pq, pq, df2, row); /* (1 - L)/L = 1/L - 1, L = Lambda^(1/t) */
}

static void CCATests_Pillai(const Rest *r, PetscReal sum, Row *row)
{
  const PetscReal df1 = r->s * (2.0 * r->b + r->s + 1.0), df2 = r->s * (2.0 * r->a + r->s + 1.0);

  row->statistic = sum;
  CCATests_F(df2 / df1 * sum / (r->s - sum), df1, df2, row);
}

static void CCATests_Hotelling(const Rest *r, PetscReal sum, Row *row)
{
  const PetscReal pq = r->p * r->q, a = r->a;

  row->statistic = sum;
  if (a > 0.0) { /* McKeon: (pq+2)/(B-1), B = (p+2a)(q+2a)/(2(2a+1)(a-1)) */
    const PetscReal ratio = (pq + 2.0) * 2.0 * (2.0 * a + 1.0) * (a - 1.0) / ((r->p + 2.0 * a) * (r->q + 2.0 * a) - 2.0 * (2.0 * a + 1.0) * (a - 1.0));
    const PetscReal df2 = 4.0 + ratio, c = (2.0 + ratio) / (2.0 * a);

    CCATests_F(sum / c * df2 / pq, pq, df2, row);
  } else {
    const PetscReal df1 = r->s * (2.0 * r->b + r->s + 1.0), df2 = 2.0 * (r->s * a + 1.0);

    CCATests_F(df2 * sum / (r->s * df1), df1, df2, row);
  }
}

/* An upper bound of F, and so a lower bound of the tail */
static void CCATests_Roy(const Rest *r, PetscReal root, Row *row)
{
  const PetscReal df1 = PetscMax(r->p, r->q), df2 = r->v - df1 + r->q;

  row->statistic = root;
  CCATests_F(root * df2 / df1, df1, df2, row);
}

/*@
   CCAComputeMultivariateTests - Tests, from all canonical correlations of two data sets, that those from the i-th on are zero, for each i.

   Not Collective

   Input Parameters:
+  n    - samples; more than d1 + d2
.  d1   - columns of X, or its rank if they depend on each other
.  d2   - the same of Y
.  rho  - all min(d1,d2) canonical correlations, without regularisation, from the largest to the smallest
-  test - which statistic

   Output Parameters:
+  statistic - for i = 0, 1, ... min(d1,d2)-1: Wilks' Lambda, Pillai's trace, Hotelling's and Lawley's trace or Roy's largest root rho^2/(1-rho^2)
.  value     - the value of F that it is turned into, or of chi-square (CCA_TEST_BARTLETT)
.  df1       - its degrees of freedom
.  df2       - the other ones of F, 0 for chi-square
-  p         - the probability of a value as large if the correlations from the i-th on are zero

   Level: intermediate

   Notes:
   Each of the arrays may be NULL if it is not wanted.

   They hold for samples that are independent of each other, centred, and normally distributed in one of the views: exactly for Wilks and Bartlett
   in special cases only, otherwise nearly. For Roy's root F is an upper bound, and p a lower one. Where an approximation has no degrees of freedom
   left (few more samples than columns) its p is not a number. CCAPermutationTest() assumes less.

   A correlation of 1 gives p = 0.

.seealso: CCAGetMultivariateTests(), CCAPermutationTest(), CCATest
@*/
PetscErrorCode CCAComputeMultivariateTests(PetscInt n, PetscInt d1, PetscInt d2, const PetscReal rho[], CCATest test, PetscReal statistic[], PetscReal value[], PetscReal df1[], PetscReal df2[], PetscReal p[])
{
  const PetscInt s   = PetscMin(d1, d2);
  PetscReal      log = 0.0, squares = 0.0, roots = 0.0;

  PetscFunctionBegin;
  PetscCheck(d1 > 0 && d2 > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "There are %" PetscInt_FMT " and %" PetscInt_FMT " columns: there is nothing to test", d1, d2);
  PetscCheck(n > d1 + d2, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "With %" PetscInt_FMT " and %" PetscInt_FMT " columns these tests need more than %" PetscInt_FMT " samples, not %" PetscInt_FMT ": use CCAPermutationTest()", d1, d2, d1 + d2, n);
  PetscAssertPointer(rho, 4);
  for (PetscInt i = 0; i < s; i++)
    PetscCheck(rho[i] >= 0.0 && rho[i] <= 1.0 && (!i || rho[i] <= rho[i - 1]), PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "Correlation %" PetscInt_FMT " is %g: they must lie between 0 and 1 and not increase", i, (double)rho[i]);
  for (PetscInt i = s - 1; i >= 0; i--) {
    const PetscReal square = rho[i] * rho[i], less = (1.0 - rho[i]) * (1.0 + rho[i]);
    Rest            r = {(PetscReal)(d1 - i), (PetscReal)(d2 - i), (PetscReal)(s - i), (PetscReal)(n - 1 - d2), 0.0, 0.0};
    Row             row;

    r.a = (r.v - r.p - 1.0) / 2.0;
    r.b = (PetscAbsReal(r.p - r.q) - 1.0) / 2.0;
    log += (PetscReal)log1p((double)-square);
    squares += square;
    roots += square / less;
    if (test == CCA_TEST_WILKS || test == CCA_TEST_BARTLETT) CCATests_Wilks(&r, log, (PetscBool)(test == CCA_TEST_BARTLETT), &row);
    else if (test == CCA_TEST_PILLAI) CCATests_Pillai(&r, squares, &row);
    else if (test == CCA_TEST_HOTELLING) CCATests_Hotelling(&r, roots, &row);
    else CCATests_Roy(&r, square / less, &row);
    if (statistic) statistic[i] = row.statistic;
    if (value) value[i] = row.value;
    if (df1) df1[i] = row.df1;
    if (df2) df2[i] = row.df2;
    if (p) p[i] = row.tail;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Samples times columns up to which all correlations are computed for the tests' sake: 400 MB, and seconds */
#define CCA_TESTS_ENTRIES 5e7

/* Why the tests do not apply; nothing if they do */
static PetscErrorCode CCATests_Refuse(CCA cca, char why[], size_t length)
{
  PetscReal least = 1.0, most = 1.0;

  PetscFunctionBegin;
  why[0] = '\0';
  if (cca->weights) {
    PetscCall(VecMin(cca->weights, NULL, &least));
    PetscCall(VecMax(cca->weights, NULL, &most));
  }
  if (cca->ridge[0] > 0.0 || cca->ridge[1] > 0.0) PetscCall(PetscSNPrintf(why, length, "Wilks' test is about correlations without regularisation: it applies with -shrinkage 0, permutations with any"));
  else if (!cca->center) PetscCall(PetscSNPrintf(why, length, "Wilks' test is about correlations: it needs data that are centred"));
  else if (least < most) PetscCall(PetscSNPrintf(why, length, "Wilks' test counts samples, which cannot be done with unequal weights: permutations can"));
  else if (cca->n <= cca->d[0] + cca->d[1]) PetscCall(PetscSNPrintf(why, length, "Wilks' test needs more samples than the %" PetscInt_FMT " columns of both data sets: permutations do not", cca->d[0] + cca->d[1]));
  else if ((PetscReal)cca->n * (PetscReal)(cca->d[0] + cca->d[1]) > CCA_TESTS_ENTRIES) PetscCall(PetscSNPrintf(why, length, "Wilks' test needs all correlations, which are too many here: permutations need the first ones only"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All correlations, once */
static PetscErrorCode CCATests_Correlate(CCA cca)
{
  PetscScalar *W[2], *T, *P[2];
  PetscInt     r[2], s;

  PetscFunctionBegin;
  if (cca->allrho) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CCAWhitenedScores_Private(cca, W, r));
  s = PetscMin(r[0], r[1]);
  PetscCall(PetscMalloc1(PetscMax(1, s), &cca->allrho));
  PetscCall(PetscCalloc3(r[0] * r[1], &T, r[0] * s, &P[0], r[1] * s, &P[1]));
  PetscCall(NAPIGemmTall(cca->n, r[0], r[1], W[0], cca->n, W[1], cca->n, T, r[0]));
  PetscCall(NAPISingular(PetscObjectComm((PetscObject)cca), r[0], r[1], T, r[0], cca->allrho, P[0], P[1]));
  for (PetscInt i = 0; i < s; i++) cca->allrho[i] = PetscMin(1.0, cca->allrho[i]);
  for (int i = 0; i < 2; i++) {
    cca->allrank[i] = r[i];
    PetscCall(PetscFree(W[i]));
  }
  PetscCall(PetscFree3(T, P[0], P[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
   CCAGetMultivariateTests - Makes the tests of CCAComputeMultivariateTests() of the data of this object, where they apply.

   Collective

   Input Parameters:
+  cca    - the object, with its data; it need not be solved, and may want fewer pairs than there are
.  test   - which statistic
-  length - room in why

   Output Parameters:
+  s         - number of correlations that were tested, all there are; 0 if the tests do not apply
.  statistic - see CCAComputeMultivariateTests(); each array has room for min(d1,d2) numbers, or is NULL
.  value     - the same
.  df1       - the same
.  df2       - the same
.  p         - the same
-  why       - where they do not apply, a sentence that says why not; NULL if not wanted

   Level: intermediate

   Note:
   They apply to centred data without ridge and weights, with more samples than columns, whose correlations are all known: those beyond the pairs
   wanted are computed here, if the data are not too large. Columns that depend on each other count as often as they are independent.

.seealso: CCAComputeMultivariateTests(), CCAPermutationTest(), CCATest
@*/
PetscErrorCode CCAGetMultivariateTests(CCA cca, CCATest test, PetscInt *s, PetscReal statistic[], PetscReal value[], PetscReal df1[], PetscReal df2[], PetscReal p[], char why[], size_t length)
{
  char sentence[256];

  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscAssertPointer(s, 3);
  CCACheckCorrelations(cca, "Wilks' test, like those akin to it,");
  PetscCall(CCASetUp(cca));
  *s = 0;
  PetscCall(CCATests_Refuse(cca, sentence, sizeof(sentence)));
  if (!sentence[0]) {
    PetscCall(CCATests_Correlate(cca));
    *s = PetscMin(cca->allrank[0], cca->allrank[1]);
    if (*s) PetscCall(CCAComputeMultivariateTests(cca->n, cca->allrank[0], cca->allrank[1], cca->allrho, test, statistic, value, df1, df2, p));
    else PetscCall(PetscStrncpy(sentence, "There is nothing to test: a data set has no column that varies", sizeof(sentence)));
  }
  if (why) PetscCall(PetscStrncpy(why, sentence, length));
  PetscFunctionReturn(PETSC_SUCCESS);
}
