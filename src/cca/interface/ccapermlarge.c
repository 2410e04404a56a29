/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA: permutations of large data, nothing being formed. Is the largest correlation of permuted data, the i-1 first observed pairs being taken out, above or below the
   observed rho_i? Eight such questions go through the data together, each of them Golub's and Kahan's bidiagonalisation of

     T = S11^{-1/2} S12(P) S22^{-1/2}

   from a random vector, in the coordinates of u and v (with S u and S v beside them):

     alpha_j S11 u_j = S12 v_j - beta_{j-1} S11 u_{j-1},    beta_j S22 v_{j+1} = S12'u_j - alpha_j S22 v_j,

   where observed pairs are taken out of the right-hand sides. After q steps theta, the largest singular value of the bidiagonal matrix,

   - is a lower bound of the correlation: theta >= rho_i says that it is above, for certain;
   - leaves little room above it. T'T has been made tridiagonal, with a_j = alpha_j^2 + beta_{j-1}^2 on the diagonal and b_j = alpha_j beta_j beside it, v_{q+1} = p_q(T'T) v_1,

       b_j p_j(mu) = (mu - a_j) p_{j-1}(mu) - b_{j-1} p_{j-2}(mu),   p_0 = 1,

     so that for an eigenvector of T'T with eigenvalue mu and the component gamma in v_1 that in v_{q+1}, p_q(mu) gamma, is at most 1. Beyond theta^2 p_q grows: if the largest
     correlation were rho_i or more, v_1 would have no more than 1/p_q(rho_i^2) of its vector. For a random vector of length d that has a probability of less than
     (2d/pi)^{1/2}/p_q(rho_i^2) (J. L. M. van Dorsselaer, M. E. Hochstenbach and H. A. van der Vorst, Computing probabilistic bounds for extreme eigenvalues of symmetric matrices with
     the Lanczos method, SIAM J. Matrix Anal. Appl. 22, 2000). If that is less than CCA_LARGE_DELTA it is taken for below.

   At first this is cheap. With the sketches of ccasketch.c in the place of S11 and S22, which are larger, the correlation can only grow: if it is still below rho_i, so is
   that of what is left from any further pair on whose rho is not smaller than the bound. No system is solved. Where this settles all pairs of a permutation, as for pairs that are far
   from noise, it is done. The second stage is the same with p(S11) and p(S22) >= S^{-1}, p being Chebyshev's polynomial for 1/lambda, enlarged by what it misses: of odd degree, so that
   it is not below 1/lambda beyond the interval either. It is sharper, and costs a tenth of accurate solves where the ridge is small. In the last stage the first pair of each permutation that is left is decided with S11 and S22 themselves, by conjugate gradients preconditioned
   by the sketch. An answer for pair i is one for those after it that have rho above the bound.
*/
#include <slepcnapi/private/ccasketch.h>
#include <math.h>

/* The probability of a wrong "below" for one permutation; 1/p_q must stay well above what the solves leave */
#define CCA_LARGE_DELTA 1e-7

/* Steps of the cheap stages, which are worth while only if they come to an end soon (at least so many that their bounds make a band worth drawing), and of the last, after which what is nearly a tie is undecided */
#define CCA_LARGE_LEAST 10
#define CCA_LARGE_CHEAP 30
#define CCA_LARGE_STEPS 120

/* Of the solves; the bidiagonal matrix has as many digits */
#define CCA_LARGE_RTOL   1e-11
#define CCA_LARGE_SOLVES 2000

/* Of the second stage: steps of the power method for the condition, the miss of the polynomials (0.1 makes correlations larger by a fifth), and their largest degree */
#define CCA_LARGE_POWER  8
#define CCA_LARGE_MISS   0.1
#define CCA_LARGE_DEGREE 61

typedef enum {
  OPEN,
  BELOW,
  ABOVE,
  UNDECIDED /* counts as above */
} Verdict;

/* What takes the place of S: two bounds, and S itself */
typedef enum {
  SKETCH,
  CHEBYSHEV,
  EXACT,
  NSTAGES
} Stage;

/* A block of vectors of a view and what S, or its bound, makes of them */
typedef struct {
  CCASketched *view;
  PetscReal    kappa;                   /* of S and its sketch, an estimate */
  PetscScalar *x, *Sx, *r, *z, *p, *Sp; /* d x CCA_WIDTH each; the last four are scratch of the solves */
  PetscScalar *t;                       /* n x CCA_WIDTH */
  PetscScalar *W, *SW;                  /* the observed directions, d x k, and S times them */
} Side;

typedef struct {
  CCA             cca;
  CCAPermutation *test;
  CCASketched     view[2];
  Side            side[2];
  Stage           stage;     /* of these questions */
  PetscInt        degree[2]; /* steps of Chebyshev's iteration, made when they are needed */
  Verdict        *verdict;   /* k for each permutation */
  Stage          *at;        /* of each permutation, the next one */

  /* the questions that go together: permutation, and the first pair that is not taken out; -1 for none */
  PetscInt     number[CCA_WIDTH], pair[CCA_WIDTH], *perm[CCA_WIDTH];
  PetscReal   *alpha, *beta; /* steps x CCA_WIDTH */
  PetscScalar *small;
  PetscReal   *values;
} Large;

/* ------------------------------------------------- blocks of vectors ------------------------------------------------- */

static void CCALarge_Dots(PetscInt d, const PetscScalar *x, const PetscScalar *y, PetscReal dot[])
{
  for (int c = 0; c < CCA_WIDTH; c++) dot[c] = 0.0;
  for (PetscInt j = 0; j < d; j++)
    for (int c = 0; c < CCA_WIDTH; c++) dot[c] += PetscRealPart(x[j * CCA_WIDTH + c] * y[j * CCA_WIDTH + c]);
}

/* y := f y + g x */
static void CCALarge_Combine(PetscInt d, const PetscReal f[], PetscScalar *y, const PetscReal g[], const PetscScalar *x)
{
  for (PetscInt j = 0; j < d; j++)
    for (int c = 0; c < CCA_WIDTH; c++) y[j * CCA_WIDTH + c] = f[c] * y[j * CCA_WIDTH + c] + g[c] * x[j * CCA_WIDTH + c];
}

/* y = S x */
static PetscErrorCode CCALarge_Apply(Side *s, const PetscScalar *x, PetscScalar *y)
{
  CCASketched *v = s->view;

  PetscFunctionBegin;
  PetscCall(CCASketchedScores_Private(v, x, s->t));
  PetscCall(CCASketchedBack_Private(v, s->t, y));
  for (PetscInt j = 0; j < v->d * CCA_WIDTH; j++) y[j] += v->ridge * x[j];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* epsilon = 1/T_m((kappa + 1)/(kappa - 1)), by which Chebyshev's polynomial of degree m misses 1/lambda, relative, from 1 to kappa */
static PetscReal CCALarge_Miss(PetscReal kappa, PetscInt m)
{
  const PetscReal t = (kappa + 1.0) / (kappa - 1.0);

  return 1.0 / (PetscReal)cosh((double)m * acosh((double)t));
}

/* x = p(S) b by m steps of Chebyshev's iteration, m odd, preconditioned by the sketch and enlarged so that p(S) >= S^{-1} */
static PetscErrorCode CCALarge_Chebyshev(Side *s, PetscInt m, const PetscScalar *b, PetscScalar *x)
{
  const PetscInt  d      = s->view->d * CCA_WIDTH;
  const PetscReal middle = (s->kappa + 1.0) / 2.0, half = (s->kappa - 1.0) / 2.0, enlarge = 1.0 / (1.0 - CCALarge_Miss(s->kappa, m));
  PetscReal       last = half / middle;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(s->r, b, d));
  PetscCall(CCASketchedPower_Private(s->view, -1.0, s->r, s->p));
  for (PetscInt j = 0; j < d; j++) x[j] = s->p[j] = s->p[j] / middle;
  for (PetscInt i = 1; i < m; i++) {
    const PetscReal next = 1.0 / (2.0 * middle / half - last);

    PetscCall(CCALarge_Apply(s, s->p, s->Sp));
    for (PetscInt j = 0; j < d; j++) s->r[j] -= s->Sp[j];
    PetscCall(CCASketchedPower_Private(s->view, -1.0, s->r, s->z));
    for (PetscInt j = 0; j < d; j++) {
      s->p[j] = next * last * s->p[j] + 2.0 * next / half * s->z[j];
      x[j] += s->p[j];
    }
    last = next;
  }
  for (PetscInt j = 0; j < d; j++) x[j] *= enlarge;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest eigenvalue of the sketch^{-1} S, which has none below 1, by a few steps of the power method, and what this may miss */
static PetscErrorCode CCALarge_Condition(Side *s)
{
  const PetscInt d = s->view->d;
  PetscReal      above[CCA_WIDTH], below[CCA_WIDTH];
  CCARandom      random;

  PetscFunctionBegin;
  CCARandomBegin_Private(&random, 0, 0, 3);
  for (PetscInt j = 0; j < d * CCA_WIDTH; j++) s->x[j] = CCARandomNormal_Private(&random);
  s->kappa = 1.5;
  for (int i = 0; i < CCA_LARGE_POWER; i++) {
    PetscCall(CCALarge_Apply(s, s->x, s->Sx));
    PetscCall(CCASketchedPower_Private(s->view, 1.0, s->x, s->z));
    CCALarge_Dots(d, s->x, s->Sx, above);
    CCALarge_Dots(d, s->x, s->z, below);
    for (int c = 0; c < CCA_WIDTH; c++) {
      if (below[c] > 0.0) s->kappa = PetscMax(s->kappa, 1.2 * above[c] / below[c]);
      above[c] = above[c] > 0.0 ? 1.0 / PetscSqrtReal(above[c]) : 0.0;
      below[c] = 0.0;
    }
    PetscCall(CCASketchedPower_Private(s->view, -1.0, s->Sx, s->x));
    CCALarge_Combine(d, above, s->x, below, s->x);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x = S^{-1} b, or that of a bound of S; done is false where a column has not got as far as it should */
static PetscErrorCode CCALarge_Solve(const Large *l, Side *s, const PetscScalar *b, PetscScalar *x, PetscBool *done)
{
  const PetscInt  d              = s->view->d;
  const PetscReal one[CCA_WIDTH] = {1, 1, 1, 1, 1, 1, 1, 1};
  PetscReal       rz[CCA_WIDTH], first[CCA_WIDTH], old[CCA_WIDTH], step[CCA_WIDTH], minus[CCA_WIDTH];

  PetscFunctionBegin;
  *done = PETSC_TRUE;
  if (l->stage < EXACT) {
    if (l->stage == CHEBYSHEV) PetscCall(CCALarge_Chebyshev(s, l->degree[s == &l->side[1]], b, x));
    else PetscCall(CCASketchedPower_Private(s->view, -1.0, b, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscArrayzero(x, d * CCA_WIDTH));
  PetscCall(PetscArraycpy(s->r, b, d * CCA_WIDTH));
  PetscCall(CCASketchedPower_Private(s->view, -1.0, s->r, s->z));
  PetscCall(PetscArraycpy(s->p, s->z, d * CCA_WIDTH));
  CCALarge_Dots(d, s->r, s->z, rz);
  PetscCall(PetscArraycpy(first, rz, CCA_WIDTH));
  for (PetscInt it = 0; it < CCA_LARGE_SOLVES; it++) {
    *done = PETSC_TRUE;
    for (int c = 0; c < CCA_WIDTH; c++)
      if (rz[c] > CCA_LARGE_RTOL * CCA_LARGE_RTOL * first[c]) *done = PETSC_FALSE;
    if (*done) break;
    PetscCall(CCAPermutationPoll_Private(l->cca, l->test));
    if (l->test->stopped) break;
    PetscCall(CCALarge_Apply(s, s->p, s->Sp));
    CCALarge_Dots(d, s->p, s->Sp, step);
    for (int c = 0; c < CCA_WIDTH; c++) {
      step[c]  = step[c] > 0.0 && rz[c] > 1e-30 * first[c] ? rz[c] / step[c] : 0.0;
      minus[c] = -step[c];
      old[c]   = rz[c];
    }
    CCALarge_Combine(d, one, x, step, s->p);
    CCALarge_Combine(d, one, s->r, minus, s->Sp);
    PetscCall(CCASketchedPower_Private(s->view, -1.0, s->r, s->z));
    CCALarge_Dots(d, s->r, s->z, rz);
    for (int c = 0; c < CCA_WIDTH; c++) step[c] = old[c] > 0.0 ? rz[c] / old[c] : 0.0;
    CCALarge_Combine(d, step, s->p, one, s->z);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* b := b - S W W'b for the observed pairs before that in question, so that W'b = 0, and S^{-1}b is orthogonal to W in S */
static void CCALarge_Deflate(const Large *l, const Side *s, PetscScalar *b)
{
  const PetscInt d = s->view->d;

  for (int c = 0; c < CCA_WIDTH; c++) {
    for (PetscInt i = 0; i < l->pair[c]; i++) {
      PetscScalar dot = 0.0;

      for (PetscInt j = 0; j < d; j++) dot += s->W[j + i * d] * b[j * CCA_WIDTH + c];
      for (PetscInt j = 0; j < d; j++) b[j * CCA_WIDTH + c] -= dot * s->SW[j + i * d];
    }
  }
}

/* b = S12(P) x or S12(P)'x, the view of x being from: sample i of X stands beside sample perm[i] of Y */
static PetscErrorCode CCALarge_Cross(Large *l, int from, PetscScalar *b)
{
  Side          *s = &l->side[from], *o = &l->side[1 - from];
  const PetscInt n = s->view->n;

  PetscFunctionBegin;
  PetscCall(CCASketchedScores_Private(s->view, s->x, s->t));
  for (int c = 0; c < CCA_WIDTH; c++) {
    const PetscInt *perm = l->perm[c];

    for (PetscInt i = 0; i < n; i++) {
      if (from) o->t[i * CCA_WIDTH + c] = s->t[perm[i] * CCA_WIDTH + c];
      else o->t[perm[i] * CCA_WIDTH + c] = s->t[i * CCA_WIDTH + c];
    }
  }
  PetscCall(CCASketchedBack_Private(o->view, o->t, b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- bidiagonalisation ------------------------------------------------- */

/* S x := b - f S x (b may be r or p of the side), x := S^{-1} S x, both divided by the norm, which is returned; a column that has come to its end becomes zero */
static PetscErrorCode CCALarge_Advance(Large *l, Side *s, const PetscReal f[], const PetscScalar *b, PetscReal norm[], PetscBool *done)
{
  const PetscInt  d              = s->view->d;
  const PetscReal one[CCA_WIDTH] = {1, 1, 1, 1, 1, 1, 1, 1}, zero[CCA_WIDTH] = {0};
  PetscReal       minus[CCA_WIDTH], scale[CCA_WIDTH];

  PetscFunctionBegin;
  for (int c = 0; c < CCA_WIDTH; c++) minus[c] = -f[c];
  CCALarge_Combine(d, minus, s->Sx, one, b);
  if (l->stage == EXACT) CCALarge_Deflate(l, s, s->Sx);
  PetscCall(CCALarge_Solve(l, s, s->Sx, s->x, done));
  CCALarge_Dots(d, s->x, s->Sx, norm);
  for (int c = 0; c < CCA_WIDTH; c++) {
    norm[c]  = PetscSqrtReal(PetscMax(0.0, norm[c]));
    scale[c] = norm[c] > 1e-14 ? 1.0 / norm[c] : 0.0; /* of a correlation, which is at most 1 */
  }
  CCALarge_Combine(d, scale, s->x, zero, s->x);
  CCALarge_Combine(d, scale, s->Sx, zero, s->Sx);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* v_1: S22^{-1/2} times a vector of normally distributed numbers. S22 v_1 is Y'z/sqrt(n) + sqrt(g) z', or S22^{1/2} z for the sketch */
static PetscErrorCode CCALarge_Start(Large *l, PetscBool *done)
{
  Side           *s               = &l->side[1];
  CCASketched    *v               = s->view;
  const PetscReal zero[CCA_WIDTH] = {0};
  const PetscBool sketch          = (PetscBool)(l->stage == SKETCH);
  PetscReal       norm[CCA_WIDTH];
  CCARandom       random;

  PetscFunctionBegin;
  for (int c = 0; c < CCA_WIDTH; c++) {
    CCARandomBegin_Private(&random, l->test->seed, PetscMax(0, l->number[c]), 4 + (PetscInt)l->stage + (l->stage == EXACT ? l->pair[c] : 0));
    for (PetscInt j = 0; j < v->d; j++) s->z[j * CCA_WIDTH + c] = CCARandomNormal_Private(&random);
    for (PetscInt i = 0; i < v->n && !sketch; i++) s->t[i * CCA_WIDTH + c] = v->share[i] > 0.0 ? CCARandomNormal_Private(&random) / PetscSqrtReal(v->share[i]) : 0.0;
  }
  if (sketch) PetscCall(CCASketchedPower_Private(v, 0.5, s->z, s->r));
  else {
    PetscCall(CCASketchedBack_Private(v, s->t, s->r));
    for (PetscInt j = 0; j < v->d * CCA_WIDTH; j++) s->r[j] += PetscSqrtReal(v->ridge) * s->z[j];
  }
  PetscCall(PetscArrayzero(s->Sx, v->d * CCA_WIDTH));
  PetscCall(PetscArrayzero(l->side[0].Sx, l->side[0].view->d * CCA_WIDTH));
  PetscCall(CCALarge_Advance(l, s, zero, s->r, norm, done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* theta, of column c after q steps: B'B has the diagonal alpha_j^2 + beta_{j-1}^2 and beside it alpha_j beta_j */
static PetscErrorCode CCALarge_Theta(Large *l, int c, PetscInt q, PetscReal *theta)
{
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(l->small, q * q));
  for (PetscInt j = 0; j < q; j++) {
    const PetscReal a = l->alpha[j * CCA_WIDTH + c], b = l->beta[j * CCA_WIDTH + c], before = j ? l->beta[(j - 1) * CCA_WIDTH + c] : 0.0;

    l->small[j + j * q] = a * a + before * before;
    if (j + 1 < q) l->small[j + 1 + j * q] = l->small[j + (j + 1) * q] = a * b;
  }
  PetscCall(NAPIEigen(q, l->small, q, l->values));
  *theta = PetscSqrtReal(PetscMax(0.0, l->values[q - 1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is (2d/pi)^{1/2}/p_q(mu) (times 1.25, since for Chebyshev's bound the start is not quite as random as it should be) less than the probability that we take for none? */
static PetscBool CCALarge_IsUnlikely(const Large *l, int c, PetscInt q, PetscReal mu)
{
  const PetscReal enough = 1.25 * PetscSqrtReal(2.0 * (PetscReal)l->view[1].d / PETSC_PI) / CCA_LARGE_DELTA;
  PetscReal       p = 1.0, last = 0.0, b = 0.0;

  for (PetscInt j = 0; j < q; j++) {
    const PetscReal alpha = l->alpha[j * CCA_WIDTH + c], beta = l->beta[j * CCA_WIDTH + c], before = j ? l->beta[(j - 1) * CCA_WIDTH + c] : 0.0;
    const PetscReal next = (mu - alpha * alpha - before * before) * p - b * last;

    if (next <= 0.0) return PETSC_FALSE; /* mu is not beyond the Ritz values */
    b    = alpha * beta;
    last = p;
    if (next >= enough * b) return PETSC_TRUE; /* from here on it grows; b = 0: the Krylov space has come to its end */
    p = next / b;
  }
  return PETSC_FALSE;
}

/* What the correlation does not exceed, but with that probability, to three digits; 1 if nothing better is known */
static PetscReal CCALarge_Bound(const Large *l, int c, PetscInt q, PetscReal theta)
{
  PetscReal low = theta, high = 1.0;

  if (theta >= 1.0 || !CCALarge_IsUnlikely(l, c, q, high * high)) return 1.0;
  while (high - low > 1e-3 * high) {
    const PetscReal middle = (low + high) / 2.0;

    if (CCALarge_IsUnlikely(l, c, q, middle * middle)) high = middle;
    else low = middle;
  }
  return high;
}

/* What theta says of the pairs of a permutation that are open, from the one in question on; more becomes true if it is worth while to go on */
static PetscErrorCode CCALarge_Judge(Large *l, int c, PetscInt q, PetscBool *more)
{
  CCAPermutation *test    = l->test;
  Verdict        *verdict = l->verdict + l->number[c] * test->k;
  PetscReal      *null = test->null + l->number[c] * test->k, theta = 0.0, bound;

  PetscFunctionBegin;
  PetscCall(CCALarge_Theta(l, c, q, &theta));
  bound = CCALarge_Bound(l, c, q, theta);
  for (PetscInt i = l->pair[c]; i < test->k; i++) {
    const PetscReal rho = test->rho[i] * (1.0 - CCA_PERMUTE_TIE);

    if (verdict[i] != OPEN) {
      if (verdict[i] == BELOW) null[i] = PetscMin(null[i], bound);
      continue;
    }
    null[i] = bound;
    if (theta < rho && CCALarge_IsUnlikely(l, c, q, rho * rho)) {
      verdict[i] = BELOW;
      null[i]    = PetscMin(bound, rho);
    } else if (l->stage < EXACT && theta < rho) *more = PETSC_TRUE;
    else if (l->stage == EXACT && i == l->pair[c]) {
      if (theta >= rho) {
        verdict[i] = ABOVE;
        null[i]    = theta;
      } else *more = PETSC_TRUE;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All questions of a block, until they are answered */
static PetscErrorCode CCALarge_Run(Large *l)
{
  const PetscInt steps           = l->stage < EXACT ? CCA_LARGE_CHEAP : CCA_LARGE_STEPS;
  PetscReal      beta[CCA_WIDTH] = {0};
  PetscBool      open            = PETSC_TRUE, more, done;

  PetscFunctionBegin;
  PetscCall(CCALarge_Start(l, &done));
  for (PetscInt q = 1; q <= steps && open && done; q++) {
    PetscReal *a = l->alpha + (q - 1) * CCA_WIDTH, *b = l->beta + (q - 1) * CCA_WIDTH;

    PetscCall(CCAPermutationPoll_Private(l->cca, l->test));
    if (l->test->stopped) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(CCALarge_Cross(l, 1, l->side[0].p));
    PetscCall(CCALarge_Advance(l, &l->side[0], beta, l->side[0].p, a, &done));
    if (!done) break;
    PetscCall(CCALarge_Cross(l, 0, l->side[1].p));
    PetscCall(CCALarge_Advance(l, &l->side[1], a, l->side[1].p, b, &done));
    PetscCall(PetscArraycpy(beta, b, CCA_WIDTH));
    if (done && (q == steps || (q >= (l->stage == SKETCH ? CCA_LARGE_LEAST : 4) && (q < 30 || q % 5 == 0)))) {
      open = PETSC_FALSE;
      for (int c = 0; c < CCA_WIDTH; c++) {
        if (l->number[c] < 0) continue;
        more = PETSC_FALSE;
        PetscCall(CCALarge_Judge(l, c, q, &more));
        if (more) open = PETSC_TRUE;
      }
    }
  }
  for (int c = 0; c < CCA_WIDTH && l->stage == EXACT && !l->test->stopped; c++) { /* what is still open counts against the pair; if a system cannot be solved, all that is open does */
    Verdict *verdict = l->number[c] < 0 ? NULL : l->verdict + l->number[c] * l->test->k;

    for (PetscInt i = l->pair[c]; verdict && i < (done ? l->pair[c] + 1 : l->test->k); i++) {
      if (verdict[i] == OPEN) verdict[i] = UNDECIDED;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------- the order of things ------------------------------------------------- */

/* These questions, and nothing in the columns that are left */
static PetscErrorCode CCALarge_Ask(Large *l, PetscInt waiting)
{
  PetscFunctionBegin;
  for (PetscInt c = waiting; c < CCA_WIDTH; c++) {
    l->number[c] = -1;
    l->pair[c]   = 0;
    for (PetscInt i = 0; i < l->view[0].n; i++) l->perm[c][i] = i;
  }
  PetscCall(CCALarge_Run(l));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first pair of a permutation that is open, or k */
static PetscInt CCALarge_Open(const Large *l, PetscInt p)
{
  const Verdict *verdict = l->verdict + p * l->test->k;
  PetscInt       i       = 0;

  while (i < l->test->k && verdict[i] != OPEN) i++;
  return i;
}

/*
   The next questions: those of the first permutations of this rank, CCA_WIDTH of them, that are at the furthest stage with as many; if no stage has as many, at the first
   one that has any. So permutations are decided nearly in their order, and what is on its way is little, should the work have to end.
*/
static PetscErrorCode CCALarge_Choose(Large *l, PetscInt first, PetscInt apart, PetscInt *waiting)
{
  PetscInt count[NSTAGES] = {0}, stage, i;

  PetscFunctionBegin;
  for (PetscInt p = first; p < l->test->N; p += apart)
    if (CCALarge_Open(l, p) < l->test->k) count[l->at[p]]++;
  for (stage = NSTAGES - 1; stage > 0 && count[stage] < CCA_WIDTH; stage--)
    ;
  while (stage < NSTAGES - 1 && !count[stage]) stage++;
  l->stage = (Stage)stage;
  *waiting = 0;
  for (PetscInt p = first; p < l->test->N && *waiting < CCA_WIDTH; p += apart) {
    if (l->at[p] != l->stage || (i = CCALarge_Open(l, p)) == l->test->k) continue;
    if (l->at[p] < EXACT) l->at[p]++;
    l->number[*waiting] = p;
    l->pair[*waiting]   = i;
    PetscCall(CCAPermutationDraw_Private(l->test, p, l->perm[(*waiting)++]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The permutations that count: those before the first that is not decided, which there is only if the work was stopped */
static PetscErrorCode CCALarge_Count(const Large *l, PetscInt first, PetscInt apart)
{
  CCAPermutation *test = l->test;

  PetscFunctionBegin;
  for (PetscInt p = first; p < test->N && CCALarge_Open(l, p) == test->k; p += apart) {
    test->decided[p] = 1;
    for (PetscInt i = 0; i < test->k; i++) {
      if (l->verdict[p * test->k + i] != BELOW) test->above[i]++;
      if (l->verdict[p * test->k + i] == UNDECIDED) test->undecided++;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The observed directions, on every rank, in the units of S, and S times them, which shows whether they are what they should be */
static PetscErrorCode CCALarge_Observe(CCA cca, Large *l, int view)
{
  Side          *s = &l->side[view];
  const PetscInt d = s->view->d, k = cca->ncols;
  PetscReal      norm[CCA_WIDTH];

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(d * k, &s->W, d * k, &s->SW));
  PetscCall(CCAGatherDense_Private(view ? cca->V : cca->U, s->W));
  for (PetscInt i = 0; i < d * k && !cca->scale; i++) s->W[i] = s->view->scale[i % d] > 0.0 ? s->W[i] / s->view->scale[i % d] : 0.0;
  for (PetscInt first = 0; first < k; first += CCA_WIDTH) {
    const PetscInt w = PetscMin(CCA_WIDTH, k - first);

    PetscCall(PetscArrayzero(s->p, d * CCA_WIDTH));
    for (PetscInt c = 0; c < w; c++)
      for (PetscInt j = 0; j < d; j++) s->p[j * CCA_WIDTH + c] = s->W[j + (first + c) * d];
    PetscCall(CCALarge_Apply(s, s->p, s->Sp));
    for (PetscInt c = 0; c < w; c++)
      for (PetscInt j = 0; j < d; j++) s->SW[j + (first + c) * d] = s->Sp[j * CCA_WIDTH + c];
    CCALarge_Dots(d, s->p, s->Sp, norm);
    for (PetscInt c = 0; c < w; c++) PetscCheck(PetscAbsReal(norm[c] - 1.0) < 1e-6, PetscObjectComm((PetscObject)cca), PETSC_ERR_PLIB, "Direction %" PetscInt_FMT " of view %d has u'S u = %g", first + c + 1, view + 1, (double)norm[c]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CCALarge_Create(CCA cca, Large *l)
{
  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) {
    Side          *s = &l->side[i];
    const PetscInt m = cca->d[i] * CCA_WIDTH;

    PetscCall(CCASketchedCreate_Private(cca, i, &l->view[i]));
    s->view = &l->view[i];
    PetscCall(PetscCalloc7(m, &s->x, m, &s->Sx, m, &s->r, m, &s->z, m, &s->p, m, &s->Sp, cca->n * CCA_WIDTH, &s->t));
    PetscCall(CCALarge_Observe(cca, l, i));
  }
  for (int c = 0; c < CCA_WIDTH; c++) PetscCall(PetscMalloc1(cca->n, &l->perm[c]));
  PetscCall(PetscCalloc2(CCA_LARGE_STEPS * CCA_WIDTH, &l->alpha, CCA_LARGE_STEPS * CCA_WIDTH, &l->beta));
  PetscCall(PetscMalloc2(CCA_LARGE_STEPS * CCA_LARGE_STEPS, &l->small, CCA_LARGE_STEPS, &l->values));
  PetscCall(PetscCalloc2(l->test->N * l->test->k, &l->verdict, l->test->N, &l->at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CCALarge_Destroy(Large *l)
{
  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) {
    Side *s = &l->side[i];

    PetscCall(PetscFree7(s->x, s->Sx, s->r, s->z, s->p, s->Sp, s->t));
    PetscCall(PetscFree2(s->W, s->SW));
    PetscCall(CCASketchedDestroy_Private(&l->view[i]));
  }
  for (int c = 0; c < CCA_WIDTH; c++) PetscCall(PetscFree(l->perm[c]));
  PetscCall(PetscFree2(l->alpha, l->beta));
  PetscCall(PetscFree2(l->small, l->values));
  PetscCall(PetscFree2(l->verdict, l->at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The odd degrees by which Chebyshev's polynomials are good enough */
static PetscErrorCode CCALarge_SetDegrees(Large *l)
{
  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) {
    PetscCall(CCALarge_Condition(&l->side[i]));
    for (l->degree[i] = 1; l->degree[i] < CCA_LARGE_DEGREE && CCALarge_Miss(l->side[i].kappa, l->degree[i]) > CCA_LARGE_MISS;) l->degree[i] += 2;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* CCAPermuteLarge_Private - The permutations of this rank, every size-th */
PetscErrorCode CCAPermuteLarge_Private(CCA cca, CCAPermutation *test)
{
  Large       l;
  PetscMPIInt rank, size;
  PetscInt    waiting;

  PetscFunctionBegin;
  PetscCheck(!PetscDefined(USE_COMPLEX), PetscObjectComm((PetscObject)cca), PETSC_ERR_SUP, "Permutations of complex data are implemented for -cca_type direct only");
  PetscCheck(cca->ridge[0] > 0.0 && cca->ridge[1] > 0.0, PetscObjectComm((PetscObject)cca), PETSC_ERR_SUP, "Permutations of data that are too large for -cca_type direct need regularisation in both views: set a ridge or a shrinkage");
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)cca), &rank));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)cca), &size));
  PetscCall(PetscMemzero(&l, sizeof(l)));
  l.cca       = cca;
  l.test      = test;
  test->rho   = cca->rho;
  test->exact = PETSC_FALSE;
  PetscCall(CCALarge_Create(cca, &l));
  while (!test->stopped) {
    PetscCall(CCALarge_Choose(&l, rank, size, &waiting));
    if (!waiting) break;
    if (l.stage == CHEBYSHEV && !l.degree[0]) PetscCall(CCALarge_SetDegrees(&l));
    PetscCall(CCALarge_Ask(&l, waiting));
  }
  PetscCall(CCALarge_Count(&l, rank, size));
  PetscCall(CCALarge_Destroy(&l));
  test->rho = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}
