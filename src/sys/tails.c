/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Incomplete beta and gamma functions, and with them the tails of the F and the chi-square distribution.

   Both are a factor times a continued fraction (or, for small x, a series) whose terms have no cancellation. The factors,

     x^a (1-x)^b / B(a,b)   and   x^a e^{-x} / Gamma(a),

   lose all digits for large a and b if they are computed from logarithms of gamma functions, which are large and cancel. Instead,
   with Gamma(z) = sqrt(2 pi/z) (z/e)^z e^{s(z)}, s(z) small, and D(x,m) = x log(x/m) + m - x, which is small where the factor is not,
   and computed without cancellation (C. Loader, Fast and accurate computation of binomial probabilities, 2000), they are

     (ab / (2 pi (a+b)))^{1/2} exp(s(a+b) - s(a) - s(b) - D(a,(a+b)x) - D(b,(a+b)(1-x)))   and   (a/(2 pi))^{1/2} exp(-s(a) - D(a,x)).
*/
#include <slepcnapi/private/napitails.h>
#include <math.h>

/* From here on Stirling's series has 16 digits; below, the logarithm of the gamma function is small and may be subtracted from */
#define TAILS_STIRLING 15.0

/* Both fractions need about the square root of their largest parameter; more than this is no number that data have */
#define TAILS_TERMS 1000000

/* s(z) = log Gamma(z+1) - (z + 1/2) log z + z - log(2 pi)/2, which Stirling's formula leaves out */
static double Tails_StirlingError(double z)
{
  const double y = 1.0 / (z * z);

  if (z < TAILS_STIRLING) return lgamma(z + 1.0) - (z + 0.5) * log(z) + z - 0.9189385332046727;
  return (1.0 / 12 - y * (1.0 / 360 - y * (1.0 / 1260 - y * (1.0 / 1680 - y * (1.0 / 1188 - y * 691.0 / 360360))))) / z;
}

/* D(x,m) = x log(x/m) + m - x: for x near to m by the series of the logarithm of (1+v)/(1-v), v = (x-m)/(x+m) */
static double Tails_Deviance(double x, double m)
{
  const double v = (x - m) / (x + m);
  double       term, sum, next;

  if (fabs(v) >= 0.1) return x * log(x / m) + m - x;
  sum  = (x - m) * v;
  term = 2.0 * x * v;
  for (int j = 1; j < 1000; j++) {
    term *= v * v;
    next = sum + term / (2 * j + 1);
    if (next == sum) break;
    sum = next;
  }
  return sum;
}

/*
   The continued fraction F of I_x(a,b) = x^a y^b / (B(a,b) F) by Lentz's method, for x < (a+1)/(a+b+2), where it converges fast. In this form (A. R. DiDonato and A. H.
   Morris, Significant digit computation of the incomplete beta function ratios, 1992) nothing cancels for large a, if y = 1 - x is known.
*/
static double Tails_BetaFraction(double a, double b, double x, double y)
{
  const double tiny = 1e-300;
  double       h = a * (a * y - b * x + 1.0) / (a + 1.0), c, d = 0.0;

  h = fabs(h) < tiny ? tiny : h;
  c = h;
  for (int m = 1; m < TAILS_TERMS; m++) {
    const double e = a + 2.0 * m - 1.0, p = (a + m - 1.0) * (a + b + m - 1.0) / e * (m * (b - m)) / e * x * x;
    const double q = m + m * (b - m) * x / e + (a + m) * (a * y - b * x + 1.0 + m * (2.0 - x)) / (e + 2.0);

    d = q + p * d;
    c = q + p / c;
    d = 1.0 / (fabs(d) < tiny ? tiny : d);
    c = fabs(c) < tiny ? tiny : c;
    h *= c * d;
    if (fabs(c * d - 1.0) < 1e-16) break;
  }
  return h;
}

/* I_x(a,b), y = 1 - x being known as well as x is */
static double Tails_Beta(double a, double b, double x, double y)
{
  double factor;

  if (isnan(a) || isnan(b) || isnan(x) || !(a > 0.0) || !(b > 0.0)) return NAN;
  if (x <= 0.0) return 0.0;
  if (y <= 0.0) return 1.0;
  factor = sqrt(a * b / (2.0 * 3.14159265358979323846 * (a + b))) * exp(Tails_StirlingError(a + b) - Tails_StirlingError(a) - Tails_StirlingError(b) - Tails_Deviance(a, (a + b) * x) - Tails_Deviance(b, (a + b) * y));
  if (x < (a + 1.0) / (a + b + 2.0)) return factor / Tails_BetaFraction(a, b, x, y);
  return 1.0 - factor / Tails_BetaFraction(b, a, y, x);
}

PetscReal NAPIIncompleteBeta(PetscReal a, PetscReal b, PetscReal x)
{
  return (PetscReal)Tails_Beta((double)a, (double)b, (double)x, 1.0 - (double)x);
}

PetscReal NAPIIncompleteGamma(PetscReal pa, PetscReal px)
{
  const double a = (double)pa, x = (double)px, tiny = 1e-300;
  double       factor, sum, term, b, c, d, h;

  if (isnan(a) || isnan(x) || !(a > 0.0)) return (PetscReal)NAN;
  if (x <= 0.0) return 1.0;
  if (isinf(x)) return 0.0;
  factor = sqrt(a / (2.0 * 3.14159265358979323846)) * exp(-Tails_StirlingError(a) - Tails_Deviance(a, x));
  if (x < a + 1.0) { /* 1 - P(a,x), which is not small here, by the series */
    sum = term = 1.0 / a;
    for (int j = 1; j < TAILS_TERMS && term > 1e-17 * sum; j++) {
      term *= x / (a + j);
      sum += term;
    }
    return (PetscReal)(1.0 - factor * sum);
  }
  b = x + 1.0 - a;
  c = 1.0 / tiny;
  d = 1.0 / b;
  h = d;
  for (int j = 1; j < TAILS_TERMS; j++) {
    const double t = -j * (j - a);

    b += 2.0;
    d = t * d + b;
    c = b + t / c;
    d = 1.0 / (fabs(d) < tiny ? tiny : d);
    c = fabs(c) < tiny ? tiny : c;
    h *= d * c;
    if (fabs(d * c - 1.0) < 1e-16) break;
  }
  return (PetscReal)(factor * h);
}

PetscReal NAPITailF(PetscReal f, PetscReal df1, PetscReal df2)
{
  const double a = (double)df2 / 2.0, b = (double)df1 / 2.0, g = (double)df1 * (double)f, h = (double)df2;

  if (isnan((double)f) || !(df1 > 0.0) || !(df2 > 0.0)) return (PetscReal)NAN;
  if (f <= 0.0) return 1.0;
  if (isinf(g)) return 0.0;
  return (PetscReal)Tails_Beta(a, b, h / (h + g), g / (h + g));
}

PetscReal NAPITailChiSquare(PetscReal c, PetscReal df)
{
  return NAPIIncompleteGamma(df / 2.0, c / 2.0);
}
