/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The classical tests of canonical correlations, and the tails of the distributions they need.
*/
#include "tap.h"
#include "linnerud.h"
#include <slepcnapi/private/napitails.h>
#include <math.h>

/* ------------------------------------------------- tails ------------------------------------------------- */

/* Wanted values from mpmath with 40 digits (betainc, gammainc, regularised), the last two of each kind from scipy.special */
static PetscErrorCode TestTails(void)
{
  static const double beta[][4] = {
    {0.5,    0.5, 0.3,     0.36901011956554538   },
    {2,      3,   0.4,     0.52480000000000004   },
    {8,      1.5, 0.9,     0.62881506368208049   },
    {17.1,   4.5, 0.55,    0.0077393736842618694 },
    {24,     4.5, 0.8,     0.24527299269600389   },
    {300.5,  2,   0.98,    0.016186530262701632  },
    {10000,  50,  0.996,   0.9256380793763027    },
    {500000, 3,   0.99998, 0.0027691233256106213 },
    {40,     0.5, 1e-3,    8.897129001279714e-122},
    {1e6,    1e6, 0.5005,  0.9213504224190758    }
  };
  static const double gamma[][3] = {
    {0.5,  0.1,    0.65472084601857702   },
    {0.5,  9,      2.2090496998585441e-5 },
    {4.5,  16.2,   0.00016978124392141237},
    {50,   30,     0.99948110853745197   },
    {50,   90,     1.6494985017178248e-6 },
    {1000, 1100,   0.0010593232539299773 },
    {3,    120,    5.6134851547718759e-49},
    {2,    1e-5,   0.99999999995000033   },
    {1e5,  1.01e5, 0.0008084215129255896 }
  };
  PetscReal worst = 0.0;

  PetscFunctionBeginUser;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(beta); i++) worst = TapWorst(worst, PetscAbsReal(NAPIIncompleteBeta(beta[i][0], beta[i][1], beta[i][2]) / beta[i][3] - 1.0));
  PetscCall(TapOk((PetscBool)(worst < 1e-12), "the incomplete beta function has 12 digits, small or large (worst %.1e)", (double)worst));
  worst = 0.0;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(gamma); i++) worst = TapWorst(worst, PetscAbsReal(NAPIIncompleteGamma(gamma[i][0], gamma[i][1]) / gamma[i][2] - 1.0));
  PetscCall(TapOk((PetscBool)(worst < 1e-12), "so has the incomplete gamma function (worst %.1e)", (double)worst));
  worst = 0.0;
  for (int i = 1; i < 40; i++) { /* I_x(a,b) + I_{1-x}(b,a) = 1; one degree of freedom is the normal distribution squared; two are e^{-x/2} */
    const PetscReal x = i / 40.0, a = 0.3 * i, b = 12.0 / i;

    worst = TapWorst(worst, PetscAbsReal(NAPIIncompleteBeta(a, b, x) + NAPIIncompleteBeta(b, a, 1.0 - x) - 1.0));
    worst = TapWorst(worst, PetscAbsReal(NAPITailChiSquare(x * i, 2.0) / PetscExpReal(-x * i / 2.0) - 1.0));
    worst = TapWorst(worst, PetscAbsReal(NAPITailChiSquare(x * i, 1.0) / (PetscReal)erfc((double)PetscSqrtReal(x * i / 2.0)) - 1.0));
    worst = TapWorst(worst, PetscAbsReal(NAPITailF(x * i, 2.0, b) / PetscPowReal(1.0 + 2.0 * x * i / b, -b / 2.0) - 1.0));
  }
  PetscCall(TapOk((PetscBool)(worst < 1e-12), "closed forms hold to 12 digits (worst %.1e)", (double)worst));
  PetscCall(TapOk((PetscBool)(NAPITailF(0.0, 3.0, 4.0) == 1.0 && NAPITailF(PETSC_MAX_REAL, 3.0, 4.0) == 0.0 && PetscIsNanReal(NAPITailF(1.0, 3.0, 0.0)) && NAPITailChiSquare(-1.0, 3.0) == 1.0), "tails at the ends"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- tests ------------------------------------------------- */

typedef struct {
  CCATest   test;
  PetscInt  i;
  PetscReal statistic, value, df1, df2, p;
} Expected;

/* Compares rows of tables; each of the five numbers to 8 digits, relative */
static PetscErrorCode Compare(PetscInt n, PetscInt d1, PetscInt d2, const PetscReal rho[], size_t rows, const Expected want[], const char *what)
{
  PetscReal got[5][16], worst = 0.0;

  PetscFunctionBeginUser;
  for (size_t r = 0; r < rows; r++) {
    const PetscReal w[5] = {want[r].statistic, want[r].value, want[r].df1, want[r].df2, want[r].p};

    PetscCall(CCAComputeMultivariateTests(n, d1, d2, rho, want[r].test, got[0], got[1], got[2], got[3], got[4]));
    for (int j = 0; j < 5; j++) worst = TapWorst(worst, w[j] == 0.0 ? PetscAbsReal(got[j][want[r].i]) : PetscAbsReal(got[j][want[r].i] / w[j] - 1.0));
  }
  PetscCall(TapOk((PetscBool)(worst < 1e-8), "%s (worst %.1e)", what, (double)worst));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   statsmodels 0.14, CanCorr(Y, X).corr_test(): .stats and .stats_mv, and chi-square from its Lambda by scipy.stats.chi2.sf. SAS's manual has the same to the digits that
   it prints: 0.35039053 2.05 9 34.223 0.0635; 0.95472266 0.18 4 30 0.9491; 0.99473355 0.08 1 16 0.7748; Pillai 0.67848151 1.56 9 48 0.1551; Hotelling-Lawley
   1.77194146 2.64 9 19.053 0.0357; Roy 1.72473874 9.20 3 16 0.0009.
*/
static const Expected linnerudWants[] = {
  {CCA_TEST_WILKS,     0, 0.35039053335352854, 2.048233533460566,   9, 34.22292712355751, 0.06353093815231559  },
  {CCA_TEST_WILKS,     1, 0.9547226587649822,  0.17578229308335402, 4, 30,                0.9491202526181775   },
  {CCA_TEST_WILKS,     2, 0.9947335535593455,  0.08470925983039705, 1, 16,                0.7747532687791552   },
  {CCA_TEST_BARTLETT,  0, 0.3503905333535285,  16.2549575230349,    9, 0,                 0.061744557655316744 },
  {CCA_TEST_BARTLETT,  1, 0.9547226587649822,  0.7181830504038693,  4, 0,                 0.9490677947435319   },
  {CCA_TEST_BARTLETT,  2, 0.9947335535593455,  0.08184562730506957, 1, 0,                 0.7748116812362531   },
  {CCA_TEST_PILLAI,    0, 0.6784815074448027,  1.5587073940224399,  9, 48,                0.1551081673322522   },
  {CCA_TEST_HOTELLING, 0, 1.771941459712958,   2.6396823391608675,  9, 19.05263157894737, 0.03573189274290752  },
  {CCA_TEST_ROY,       0, 1.7247387354546742,  9.198606589091595,   3, 16,                0.0009016771941905789}
};

/* The first five of scikit-learn's wine against the other eight; .stats_mv of both orders, which agree (.stats do not: they are right for as many columns only) */
static const Expected wineWants[] = {
  {CCA_TEST_WILKS,     0, 0.15024395908067037, 9.8327523653707,    40, 722.0128204019146,  9.936052839464044e-46 },
  {CCA_TEST_PILLAI,    0, 1.330023226004366,   7.655836093685224,  40, 845,                2.4167209694222115e-35},
  {CCA_TEST_HOTELLING, 0, 2.998733691146687,   12.270842843956597, 40, 481.18072289156623, 2.6433166274634608e-51},
  {CCA_TEST_ROY,       0, 2.0710405953020006,  43.75073257575476,  8,  169,                2.2454119224863233e-37},
  {CCA_TEST_BARTLETT,  0, 0.15024395908067037, 322.23413506736694, 40, 0,                  8.559230805165351e-46 },
  {CCA_TEST_BARTLETT,  2, 0.7274914492673954,  54.08601571028293,  18, 0,                  1.7793309961182417e-05},
  {CCA_TEST_BARTLETT,  4, 0.9825076651156401,  3.000012716205116,  4,  0,                  0.5578232723466667    }
};

static PetscErrorCode TestFormulas(void)
{
  const PetscReal fitness[3] = {0.7956081544199921, 0.20055604110712336, 0.07257028621036703};
  const PetscReal wine[5]    = {0.8212048908324099, 0.6047796784192842, 0.46018512680283213, 0.24622064908017852, 0.13225859096618195};
  const PetscReal one[2] = {1.0, 0.3}, wrong[2] = {0.3, 0.4};
  PetscReal       p[2], statistic[2];
  PetscErrorCode  ierr[3];

  PetscFunctionBeginUser;
  PetscCall(Compare(20, 3, 3, fitness, PETSC_STATIC_ARRAY_LENGTH(linnerudWants), linnerudWants, "Linnerud: what statsmodels and SAS say"));
  PetscCall(Compare(178, 5, 8, wine, PETSC_STATIC_ARRAY_LENGTH(wineWants), wineWants, "wine, 5 and 8 columns: what statsmodels says"));
  PetscCall(Compare(178, 8, 5, wine, PETSC_STATIC_ARRAY_LENGTH(wineWants), wineWants, "and the same with the views exchanged"));
  PetscCall(CCAComputeMultivariateTests(30, 2, 2, one, CCA_TEST_WILKS, statistic, NULL, NULL, NULL, p));
  PetscCall(TapOk((PetscBool)(p[0] == 0.0 && statistic[0] == 0.0 && p[1] > 0.05 && p[1] < 0.2), "a correlation of 1 is no accident, whatever the others are"));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  ierr[0] = CCAComputeMultivariateTests(4, 2, 2, one, CCA_TEST_WILKS, NULL, NULL, NULL, NULL, p);
  ierr[1] = CCAComputeMultivariateTests(30, 2, 2, wrong, CCA_TEST_WILKS, NULL, NULL, NULL, NULL, p);
  ierr[2] = CCAComputeMultivariateTests(30, 0, 2, one, CCA_TEST_WILKS, NULL, NULL, NULL, NULL, p);
  PetscCall(PetscPopErrorHandler());
  PetscCall(TapOk((PetscBool)(ierr[0] && ierr[1] && ierr[2]), "too few samples, correlations that increase and no columns are refused"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The data, and columns that are the sum of two of them */
static PetscScalar DependentEntry(const void *ctx, PetscInt view, PetscInt i, PetscInt j)
{
  (void)ctx;
  return j < 3 ? linnerud[view][i][j] : linnerud[view][i][0] + linnerud[view][i][1 + j % 2];
}

/* The object computes the correlations that were not asked for, counts ranks, and says when the tests do not apply */
static PetscErrorCode TestObject(PetscInt more)
{
  CCA       cca;
  Mat       view[2];
  PetscReal p[8], statistic[8], worst = 0.0;
  PetscInt  s;
  char      why[256];

  PetscFunctionBeginUser;
  PetscCall(CCACreate(PETSC_COMM_WORLD, &cca));
  for (int i = 0; i < 2; i++) PetscCall(ViewCreate(PETSC_COMM_WORLD, LINNERUD_N, i ? 3 : 3 + more, PETSC_TRUE, -1, DependentEntry, NULL, i, &view[i]));
  PetscCall(CCASetData(cca, view[0], view[1]));
  PetscCall(CCASetCentering(cca, PETSC_TRUE));
  PetscCall(CCASetRegularization(cca, 0.0, 0.0));
  PetscCall(CCASetDimensions(cca, 1));
  PetscCall(CCASolve(cca));
  for (int i = 0; i < 9; i++) {
    const Expected *w = &linnerudWants[i];

    PetscCall(CCAGetMultivariateTests(cca, w->test, &s, statistic, NULL, NULL, NULL, p, why, sizeof(why)));
    worst = TapWorst(worst, s == 3 ? PetscAbsReal(p[w->i] / w->p - 1.0) : 1.0);
    worst = TapWorst(worst, s == 3 ? PetscAbsReal(statistic[w->i] / w->statistic - 1.0) : 1.0);
  }
  PetscCall(TapOk((PetscBool)(worst < 1e-8 && !why[0]), "a CCA of one pair of Linnerud's data%s: all tests, 8 digits (worst %.1e)", more ? ", with columns that depend on others" : "", (double)worst));
  if (!more) {
    PetscBool said[3];

    PetscCall(CCASetRegularization(cca, 1e-3, 0.0));
    PetscCall(CCAGetMultivariateTests(cca, CCA_TEST_WILKS, &s, NULL, NULL, NULL, NULL, p, why, sizeof(why)));
    said[0] = (PetscBool)(!s && why[0]);
    PetscCall(CCASetRegularization(cca, 0.0, 0.0));
    PetscCall(CCASetCentering(cca, PETSC_FALSE));
    PetscCall(CCAGetMultivariateTests(cca, CCA_TEST_WILKS, &s, NULL, NULL, NULL, NULL, p, why, sizeof(why)));
    said[1] = (PetscBool)(!s && why[0]);
    PetscCall(CCASetCentering(cca, PETSC_TRUE));
    PetscCall(CCAGetMultivariateTests(cca, CCA_TEST_WILKS, &s, NULL, NULL, NULL, NULL, p, why, sizeof(why)));
    said[2] = (PetscBool)(s == 3 && !why[0] && PetscAbsReal(p[0] - linnerudWants[0].p) < 1e-9);
    PetscCall(TapOk((PetscBool)(said[0] && said[1] && said[2]), "with a ridge or without centring there is a sentence instead, and afterwards the tests again"));
  }
  for (int i = 0; i < 2; i++) PetscCall(MatDestroy(&view[i]));
  PetscCall(CCADestroy(&cca));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TapBegin(&argc, &argv));
  PetscCall(TestTails());
  PetscCall(TestFormulas());
  PetscCall(TestObject(0));
  PetscCall(TestObject(2));
  return TapEnd();
}
