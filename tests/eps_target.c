/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The eigenvalues nearest to a target, by shift-and-invert: sigma below, above and inside of the spectrum, whatever the mode of the
   ST's matrices, its preconditioner and the momentum; and a solver that is used again with another target or type.
*/
#include "modes.h"

#define N 90

static PetscMPIInt size;

/* Spectra in no order; between the wanted ones and the next there is a gap that the paper's methods can live with */
static void Spectra(const char *name, PetscReal d[])
{
  for (PetscInt i = 0; i < N; i++) {
    switch (name[0]) {
    case 'd': /* definite: 1, 2.3, 3.6 ... */
      d[i] = 1.0 + 1.3 * ((37 * i) % N);
      break;
    case 'i': /* indefinite: -38.85 ... 76.85, nothing within .5 of 0 */
      d[i] = -38.85 + 1.3 * ((37 * i) % N);
      break;
    case 'm': /* multiple: each three times */
      d[i] = 1.0 + 2.0 * (((37 * i) % N) / 3);
      break;
    default: /* cluster: nine within 1e-3, at 20 */
      d[i] = i < 9 ? 20.0 + 1e-4 * i : i < 45 ? 1.0 + 0.4 * (i - 9) : 21.5 + 0.7 * (i - 45);
    }
  }
}

/* Every `which` with sigma on every side, for standard and generalised problems */
static PetscErrorCode Everywhere(void)
{
  static const char *const names[]  = {"definite", "indefinite", "multiple", "cluster"};
  static const char *const sides[]  = {"below", "above", "inside", "inside, nearly an eigenvalue"};
  static const EPSWhich    whichs[] = {EPS_TARGET_MAGNITUDE, EPS_TARGET_REAL};
  PetscReal                d[N], sigma;
  PetscInt                 k = 0;
  EPS                      eps;
  Problem                  p;

  PetscFunctionBegin;
  for (size_t s = 0; s < PETSC_STATIC_ARRAY_LENGTH(names); s++) {
    Spectra(names[s], d);
    for (int g = 0; g < 2; g++) {
      for (int side = 0; side < 4; side++) {
        for (int w = 0; w < 2; w++) {
          if (size > 1 && (w || s > 1 || side > 2 || (size > 2 && side > 1 && !g))) continue; /* messages cost more than the work */
          k = k % 6 + 1;
          PetscCall(ProblemGiven(N, d, g ? 0.5 : 0.0, k, whichs[w], 0.0, &p));
          sigma    = side == 0 ? p.values[0] - 3.0 : side == 1 ? p.values[N - 1] + 5.0 : side == 2 ? 0.45 * p.values[N / 2] + 0.55 * p.values[N / 2 - 1] + 0.05 : p.values[N / 2] * (1.0 + 1e-7);
          p.target = sigma;
          PetscCall(SolverTransformed(&p, STSINVERT, &eps));
          if (side < 2) PetscCall(TapRight(eps, &p, "%s, %s, k=%d, sigma %s%s", names[s], g ? "generalised" : "standard", (int)k, sides[side], w ? ", target real" : ""));
          else PetscCall(TapInside(eps, &p, "%s, %s, k=%d, sigma %s%s", names[s], g ? "generalised" : "standard", (int)k, sides[side], w ? ", target real" : ""));
          PetscCall(EPSDestroy(&eps));
          PetscCall(ProblemDestroy(&p));
        }
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Smallest and largest, with the shift given to the ST. Where the wanted ones are those nearest to it, they are found; elsewhere they
   are, or it is said that they are not.
*/
static PetscErrorCode Ends(void)
{
  static const struct {
    EPSWhich    which;
    PetscReal   sigma; /* 0 is below the definite spectrum, and inside the indefinite one */
    const char *spectrum;
    PetscBool   near;
    const char *what;
  } cases[] = {
    {EPS_SMALLEST_REAL,      0.0,   "definite",   PETSC_TRUE,  "smallest real, sigma 0 below"               },
    {EPS_SMALLEST_REAL,      -50.0, "indefinite", PETSC_TRUE,  "smallest real, sigma below"                 },
    {EPS_SMALLEST_MAGNITUDE, 0.0,   "definite",   PETSC_TRUE,  "smallest magnitude, sigma 0 below"          },
    {EPS_LARGEST_REAL,       130.0, "definite",   PETSC_TRUE,  "largest real, sigma above"                  },
    {EPS_LARGEST_MAGNITUDE,  130.0, "definite",   PETSC_FALSE, "largest magnitude, sigma above"             },
    {EPS_SMALLEST_MAGNITUDE, 0.0,   "indefinite", PETSC_FALSE, "smallest magnitude, sigma 0 inside"         },
    {EPS_SMALLEST_MAGNITUDE, -50.0, "indefinite", PETSC_FALSE, "smallest magnitude, which sigma is not near"},
    {EPS_SMALLEST_REAL,      0.0,   "indefinite", PETSC_FALSE, "smallest real, sigma 0 inside"              },
    {EPS_LARGEST_REAL,       0.0,   "definite",   PETSC_FALSE, "largest real, sigma at the other end"       },
    {EPS_LARGEST_MAGNITUDE,  0.0,   "indefinite", PETSC_FALSE, "largest magnitude, sigma inside"            },
    {EPS_LARGEST_MAGNITUDE,  -50.0, "indefinite", PETSC_FALSE, "largest magnitude, sigma at the other end"  },
    {EPS_SMALLEST_REAL,      130.0, "definite",   PETSC_FALSE, "smallest real, sigma above"                 }
  };
  PetscReal d[N];
  EPS       eps;
  ST        st;
  Problem   p;

  PetscFunctionBegin;
  for (size_t c = 0; c < PETSC_STATIC_ARRAY_LENGTH(cases); c++) {
    for (int g = size > 2; g < 2; g++) {
      Spectra(cases[c].spectrum, d);
      PetscCall(ProblemGiven(N, d, g ? 0.4 : 0.0, 1 + (PetscInt)c % 4, cases[c].which, 0.0, &p));
      PetscCall(SolverTransformed(&p, STSINVERT, &eps));
      PetscCall(EPSSetTolerances(eps, PETSC_DEFAULT, 1000));
      PetscCall(EPSGetST(eps, &st));
      PetscCall(STSetShift(st, cases[c].sigma));
      if (cases[c].near) PetscCall(TapRight(eps, &p, "%s, %s", g ? "generalised" : "standard", cases[c].what));
      else PetscCall(TapSound(eps, &p, NULL, NULL, "%s, %s: right, or refused", g ? "generalised" : "standard", cases[c].what));
      PetscCall(EPSDestroy(&eps));
      PetscCall(ProblemDestroy(&p));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ||M - copy|| relative to ||copy|| */
static PetscErrorCode Changed(Mat M, Mat copy, PetscReal *change)
{
  Mat       D;
  PetscReal norm;

  PetscFunctionBegin;
  PetscCall(MatDuplicate(M, MAT_COPY_VALUES, &D));
  PetscCall(MatAXPY(D, -1.0, copy, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatNorm(D, NORM_FROBENIUS, change));
  PetscCall(MatNorm(copy, NORM_FROBENIUS, &norm));
  PetscCall(MatDestroy(&D));
  *change /= norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Modes(void)
{
  static const STMatMode modes[] = {ST_MATMODE_COPY, ST_MATMODE_INPLACE, ST_MATMODE_SHELL};
  static const char     *names[] = {"copy", "inplace", "shell"};
  PetscReal              d[N], change;
  EPS                    eps;
  ST                     st;
  Mat                    A, B = NULL;
  Problem                p;

  PetscFunctionBegin;
  Spectra("indefinite", d);
  for (int m = 0; m < 3; m++) {
    for (int g = 0; g < 2; g++) {
      for (int side = 0; side < (size > 1 ? 1 : 3); side++) {
        PetscCall(ProblemGiven(N, d, g ? 0.5 : 0.0, 3, EPS_TARGET_MAGNITUDE, side == 0 ? -42.0 : side == 1 ? 81.0 : 10.2, &p));
        PetscCall(MatDuplicate(p.A, MAT_COPY_VALUES, &A));
        if (g) PetscCall(MatDuplicate(p.B, MAT_COPY_VALUES, &B));
        PetscCall(SolverTransformed(&p, STSINVERT, &eps));
        PetscCall(EPSGetST(eps, &st));
        PetscCall(STSetMatMode(st, modes[m]));
        if (side < 2) PetscCall(TapRight(eps, &p, "matrix mode %s, %s, sigma %s", names[m], g ? "generalised" : "standard", side ? "above" : "below"));
        else PetscCall(TapInside(eps, &p, "matrix mode %s, %s, sigma inside", names[m], g ? "generalised" : "standard"));
        PetscCall(Changed(p.A, A, &change));
        PetscCall(TapOk((PetscBool)(change < 1e-13), "  and A is what it was"));
        if (g) {
          PetscCall(Changed(p.B, B, &change));
          PetscCall(TapOk((PetscBool)(change == 0.0), "  and so is B"));
        }
        /* the same again, with what was left behind */
        if (side < 2) PetscCall(TapRight(eps, &p, "  and once more"));
        PetscCall(EPSDestroy(&eps));
        PetscCall(MatDestroy(&A));
        PetscCall(MatDestroy(&B));
        PetscCall(ProblemDestroy(&p));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Matrices that are functions: with a diagonal (Jacobi) and without (no preconditioner) */
static PetscErrorCode Functions(void)
{
  PetscReal d[N];
  EPS       eps;
  Mat       A, B;
  Problem   p;
  Shell     a, b;

  PetscFunctionBegin;
  Spectra("definite", d);
  for (int diagonal = 0; diagonal < 2; diagonal++) {
    for (int side = 0; side < 2; side++) {
      PetscCall(ProblemGiven(N, d, 0.5, 2, EPS_TARGET_MAGNITUDE, side ? 121.0 : 0.0, &p));
      PetscCall(ShellCreate(p.A, (PetscBool)diagonal, &a, &A));
      PetscCall(ShellCreate(p.B, (PetscBool)diagonal, &b, &B));
      PetscCall(SolverTransformed(&p, STSINVERT, &eps));
      PetscCall(EPSSetOperators(eps, A, B));
      PetscCall(TapRight(eps, &p, "functions %s diagonals, sigma %s", diagonal ? "with" : "without", side ? "above" : "below"));
      PetscCall(EPSDestroy(&eps));
      PetscCall(MatDestroy(&A));
      PetscCall(MatDestroy(&B));
      PetscCall(ProblemDestroy(&p));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The preconditioner is made of the user's matrix where there is one, of A - sigma B otherwise */
static PetscErrorCode Preconditioners(void)
{
  static const char *const pcs[] = {PCNONE, PCJACOBI, PCBJACOBI, PCICC, PCCHOLESKY, PCLU};
  const PetscReal          sigma = -2.0;
  PetscReal                d[N];
  PetscInt                 inner[2];
  EPS                      eps;
  ST                       st;
  KSP                      ksp;
  PC                       pc;
  Mat                      P, used;
  Vec                      diagonal;
  Problem                  p;

  PetscFunctionBegin;
  Spectra("definite", d);
  for (int i = 0; i < (size > 1 ? 3 : 6); i++) {
    PetscCall(ProblemGiven(N, d, 0.5, 3, EPS_TARGET_MAGNITUDE, sigma, &p));
    PetscCall(SolverTransformed(&p, STSINVERT, &eps));
    PetscCall(EPSGetST(eps, &st));
    PetscCall(STGetKSP(st, &ksp));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, pcs[i]));
    PetscCall(TapRight(eps, &p, "preconditioner %s", pcs[i]));
    PetscCall(EPSDestroy(&eps));
    if (PetscDefined(USE_COMPLEX) && (i == 3 || i == 4)) PetscCall(TapSkip("PETSc's own ICC and Cholesky are for complex symmetric matrices", "shell mode"));
    else {
      PetscCall(SolverTransformed(&p, STSINVERT, &eps)); /* ST_MATMODE_SHELL: there is no A - sigma B to take it from, unless it is made */
      PetscCall(EPSGetST(eps, &st));
      PetscCall(STSetMatMode(st, ST_MATMODE_SHELL));
      PetscCall(STGetKSP(st, &ksp));
      PetscCall(KSPGetPC(ksp, &pc));
      PetscCall(PCSetType(pc, pcs[i]));
      PetscCall(TapSound(eps, &p, NULL, NULL, "preconditioner %s, matrix mode shell: right, or a sentence", pcs[i]));
      PetscCall(EPSDestroy(&eps));
    }
    PetscCall(ProblemDestroy(&p));
  }

  /* a matrix of the user's own: the better it is, the fewer inner iterations. One is A - sigma B, the other the identity; LU within a rank. */
  for (int m = 0; m < 4; m++) {
    PetscCall(ProblemGiven(N, d, 0.5, 3, EPS_TARGET_MAGNITUDE, sigma, &p));
    PetscCall(MatDuplicate(p.A, MAT_COPY_VALUES, &P));
    if (m % 2) {
      PetscCall(MatAXPY(P, -sigma, p.B, SAME_NONZERO_PATTERN));
    } else {
      PetscCall(MatZeroEntries(P));
      PetscCall(MatCreateVecs(P, &diagonal, NULL));
      PetscCall(VecSet(diagonal, 1.0));
      PetscCall(MatDiagonalSet(P, diagonal, INSERT_VALUES));
      PetscCall(VecDestroy(&diagonal));
    }
    PetscCall(SolverTransformed(&p, STSINVERT, &eps));
    PetscCall(EPSGetST(eps, &st));
    PetscCall(STSetPreconditionerMat(st, P));
    if (m > 1) PetscCall(STSetMatMode(st, ST_MATMODE_SHELL));
    PetscCall(STGetKSP(st, &ksp));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, PCBJACOBI));
    PetscCall(EPSNAPISetInnerTolerances(eps, 1e-2, PETSC_DECIDE));
    PetscCall(TapRight(eps, &p, "the user's preconditioning matrix, %s%s", m % 2 ? "a good one" : "a poor one", m > 1 ? ", matrix mode shell" : ""));
    PetscCall(EPSNAPIGetApplications(eps, NULL, NULL, &inner[m % 2]));
    PetscCall(KSPGetOperators(ksp, NULL, &used));
    PetscCall(TapOk((PetscBool)(used == P), "  it is what the preconditioner was made of"));
    if (m % 2) {
      PetscCall(TapOk((PetscBool)(inner[1] > 0 && inner[1] < inner[0]), "  the good one saves inner iterations"));
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %d inner iterations with the poor one, %d with the good one\n", (int)inner[0], (int)inner[1]));
    }
    PetscCall(EPSDestroy(&eps));
    PetscCall(MatDestroy(&P));
    PetscCall(ProblemDestroy(&p));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Inside the spectrum A - sigma B is indefinite: what the user names is used or refused, blockcg and cg never give a wrong answer */
static PetscErrorCode InnerSolvers(void)
{
  static const struct {
    const char *ksp, *pc;
    PetscBool   alone, works; /* on one rank only; inside the spectrum, too */
  } cases[] = {
    {KSPMINRES,  PCNONE,     PETSC_FALSE, PETSC_TRUE },
    {KSPMINRES,  PCJACOBI,   PETSC_FALSE, PETSC_FALSE}, /* its diagonal may have both signs */
    {KSPPREONLY, PCLU,       PETSC_TRUE,  PETSC_TRUE },
    {KSPPREONLY, PCCHOLESKY, PETSC_TRUE,  PETSC_TRUE },
    {KSPGMRES,   PCNONE,     PETSC_FALSE, PETSC_FALSE},
    {KSPCG,      PCNONE,     PETSC_FALSE, PETSC_FALSE},
    {KSPBLOCKCG, PCNONE,     PETSC_FALSE, PETSC_FALSE},
    {KSPBLOCKCG, PCJACOBI,   PETSC_FALSE, PETSC_FALSE},
    {KSPCG,      PCLU,       PETSC_TRUE,  PETSC_FALSE}
  };
  PetscReal d[N];
  EPS       eps;
  ST        st;
  KSP       ksp;
  PC        pc;
  Problem   p;

  PetscFunctionBegin;
  Spectra("definite", d);
  for (size_t c = 0; c < PETSC_STATIC_ARRAY_LENGTH(cases); c++) {
    if (size > 1 && (cases[c].alone || !strcmp(cases[c].pc, PCJACOBI) || !strcmp(cases[c].ksp, KSPGMRES) || !strcmp(cases[c].ksp, KSPCG))) continue;
    if (PetscDefined(USE_COMPLEX) && !strcmp(cases[c].pc, PCCHOLESKY)) continue;
    for (int inside = 0; inside < 2; inside++) {
      PetscCall(ProblemGiven(N, d, 0.5, 4, EPS_TARGET_MAGNITUDE, inside ? 30.0 : 0.0, &p));
      PetscCall(SolverTransformed(&p, STSINVERT, &eps));
      PetscCall(EPSSetTolerances(eps, PETSC_DEFAULT, 500));
      PetscCall(EPSGetST(eps, &st));
      PetscCall(STGetKSP(st, &ksp));
      PetscCall(KSPSetType(ksp, cases[c].ksp));
      PetscCall(KSPGetPC(ksp, &pc));
      PetscCall(PCSetType(pc, cases[c].pc));
      if (!inside) PetscCall(TapRight(eps, &p, "below, %s and %s", cases[c].ksp, cases[c].pc));
      else if (cases[c].works) PetscCall(TapInside(eps, &p, "inside, %s and %s", cases[c].ksp, cases[c].pc));
      else PetscCall(TapSound(eps, &p, NULL, NULL, "inside, %s and %s: right, or a sentence, or a reason", cases[c].ksp, cases[c].pc));
      PetscCall(EPSDestroy(&eps));
      PetscCall(ProblemDestroy(&p));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Cayley(void)
{
  PetscReal d[N];
  EPS       eps;
  Problem   p;

  PetscFunctionBegin;
  Spectra("definite", d);
  for (int g = 0; g < 2; g++) {
    PetscCall(ProblemGiven(N, d, g ? 0.5 : 0.0, 3, EPS_TARGET_MAGNITUDE, -2.0, &p));
    PetscCall(SolverTransformed(&p, STCAYLEY, &eps));
    PetscCall(TapSound(eps, &p, "sinvert", NULL, "Cayley, %s: right, or refused by a sentence that names sinvert", g ? "generalised" : "standard"));
    PetscCall(EPSDestroy(&eps));
    PetscCall(ProblemDestroy(&p));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The paper's own methods on (B, A - sigma B): theta = 1/(lambda - sigma) of largest magnitude */
static PetscErrorCode Momentums(void)
{
  PetscReal d[N], theta;
  EPS       eps;
  Problem   p;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < N; i++) d[i] = (i % 2 ? 1.0 : -1.0) * (3.0 + 2.0 * (PetscReal)((37 * i) % N)); /* -1.2 below those of +: both signs */
  for (int side = 0; side < 2; side++) {
    for (int m = 0; m < Momenta(); m++) {
      for (int g = 0; g < 2; g++) {
        for (int given = 0; given < (m == EPS_NAPI_MOMENTUM_FIXED ? 2 : 1); given++) {
          PetscCall(ProblemGiven(N, d, g ? 0.5 : 0.0, 2, EPS_TARGET_MAGNITUDE, 0.0, &p));
          p.target = side ? p.values[N - 1] + 3.0 : p.values[0] - 3.0;
          PetscCall(SolverTransformed(&p, STSINVERT, &eps));
          PetscCall(EPSNAPISetMomentum(eps, (EPSNAPIMomentum)m));
          if (m == EPS_NAPI_MOMENTUM_FIXED) {
            theta = 1.0 / ((side ? p.values[N - 3] : p.values[2]) - p.target);
            PetscCall(EPSNAPISetGuard(eps, 0));
            if (given) PetscCall(EPSNAPISetBetaFromEigenvalue(eps, side ? p.values[N - 3] : p.values[2]));
            else PetscCall(EPSNAPISetBeta(eps, theta * theta / 4.0));
          }
          PetscCall(TapRight(eps, &p, "momentum %s%s, %s, sigma %s", EPSNAPIMomentums[m], given ? " from an eigenvalue" : "", g ? "generalised" : "standard", side ? "above" : "below"));
          PetscCall(EPSDestroy(&eps));
          PetscCall(ProblemDestroy(&p));
        }
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is deflated is not found again, and what comes near the answer as an initial space saves work */
static PetscErrorCode Spaces(void)
{
  PetscReal   d[N], most = 0.0;
  PetscInt    cold[3], warm[3], nconv = 0;
  PetscScalar dot;
  EPS         eps;
  Vec         y[3], bx, x;
  Problem     p;

  PetscFunctionBegin;
  Spectra("definite", d);
  for (int side = 0; side < 2; side++) {
    PetscErrorCode code = PETSC_SUCCESS;

    PetscCall(ProblemGiven(N, d, 0.5, 3, EPS_TARGET_MAGNITUDE, side ? 119.0 : 0.0, &p));
    PetscCall(SolverTransformed(&p, STSINVERT, &eps));
    PetscCall(EPSSetTolerances(eps, 1e-10, PETSC_DEFAULT));
    PetscCall(TapRight(eps, &p, "to ten digits, sigma %s", side ? "above" : "below"));
    PetscCall(EPSNAPIGetApplications(eps, &cold[0], &cold[1], &cold[2]));
    PetscCall(EPSGetConverged(eps, &nconv));
    if (nconv < 3) {
      PetscCall(TapOk(PETSC_FALSE, "deflation and initial space need an answer"));
      PetscCall(EPSDestroy(&eps));
      PetscCall(ProblemDestroy(&p));
      continue;
    }
    PetscCall(MatCreateVecs(p.A, &x, &bx));
    for (int i = 0; i < 3; i++) {
      PetscCall(VecDuplicate(x, &y[i]));
      PetscCall(EPSGetEigenvector(eps, i, y[i], NULL));
    }
    PetscCall(EPSDestroy(&eps));

    PetscCall(SolverTransformed(&p, STSINVERT, &eps));
    PetscCall(EPSSetInitialSpace(eps, 3, y));
    PetscCall(TapRight(eps, &p, "with an initial space"));
    PetscCall(EPSNAPIGetApplications(eps, &warm[0], &warm[1], &warm[2]));
    PetscCall(TapOk((PetscBool)(2 * (warm[0] + warm[1] + warm[2]) < cold[0] + cold[1] + cold[2]), "  which saves more than half of the work"));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# A, B, inner: %d %d %d without, %d %d %d with\n", (int)cold[0], (int)cold[1], (int)cold[2], (int)warm[0], (int)warm[1], (int)warm[2]));
    PetscCall(EPSDestroy(&eps));

    PetscCall(SolverTransformed(&p, STSINVERT, &eps));
    PetscCall(EPSSetDeflationSpace(eps, 3, y));
    PetscCall(Attempt(eps, &code));
    nconv = 0;
    if (!code) PetscCall(EPSGetConverged(eps, &nconv));
    for (int i = 0; i < 3; i++) { /* the same spectrum without the first three */
      PetscScalar value  = 0.0;
      PetscReal   wanted = side ? p.values[N - 4 - i] : p.values[3 + i];

      if (i < nconv) PetscCall(EPSGetEigenpair(eps, i, &value, NULL, x, NULL));
      PetscCall(TapNear(PetscRealPart(value), wanted, 1e-7, "  what comes after the deflated ones is found"));
      if (i >= nconv) continue;
      PetscCall(MatMult(p.B, x, bx));
      for (int j = 0; j < 3; j++) {
        PetscCall(VecDot(bx, y[j], &dot));
        most = TapWorst(most, PetscAbsScalar(dot));
      }
    }
    PetscCall(TapOk((PetscBool)(nconv >= 3 && most < 1e-8), "  and is B-orthogonal to them"));
    PetscCall(EPSDestroy(&eps));
    for (int i = 0; i < 3; i++) PetscCall(VecDestroy(&y[i]));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&bx));
    PetscCall(ProblemDestroy(&p));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A target is all that has to be said */
static PetscErrorCode TargetAlone(void)
{
  PetscReal d[N];
  EPS       eps;
  ST        st;
  Problem   p;

  PetscFunctionBegin;
  Spectra("indefinite", d);
  for (int g = 0; g < 2; g++) {
    for (int side = 0; side < 3; side++) {
      if (side) PetscCall(ProblemDestroy(&p));
      PetscCall(ProblemGiven(N, d, g ? 0.5 : 0.0, 3, EPS_TARGET_MAGNITUDE, side == 0 ? -41.0 : side == 1 ? 79.0 : 10.2, &p));
      PetscCall(SolverTransformed(&p, NULL, &eps));
      if (side < 2) PetscCall(TapRight(eps, &p, "a target and no ST, %s, %s", g ? "generalised" : "standard", side ? "above" : "below"));
      else PetscCall(TapInside(eps, &p, "a target and no ST, %s, inside", g ? "generalised" : "standard"));
      PetscCall(EPSDestroy(&eps));
      if (size > 1 && side > 1) continue;

      /* by options, the type among them: the way of a program that knows nothing of us */
      PetscCall(EPSCreate(PETSC_COMM_WORLD, &eps));
      PetscCall(EPSSetOperators(eps, p.A, p.B));
      PetscCall(EPSSetProblemType(eps, g ? EPS_GHEP : EPS_HEP));
      PetscCall(EPSSetOptionsPrefix(eps, "alone_"));
      PetscCall(PetscOptionsSetValue(NULL, "-alone_eps_type", "napi"));
      PetscCall(PetscOptionsSetValue(NULL, "-alone_eps_nev", "3"));
      PetscCall(PetscOptionsSetValue(NULL, "-alone_eps_target", side == 0 ? "-41" : side == 1 ? "79" : "10.2"));
      PetscCall(EPSSetFromOptions(eps));
      if (side < 2) PetscCall(TapRight(eps, &p, "-eps_target, %s, %s", g ? "generalised" : "standard", side ? "above" : "below"));
      else PetscCall(TapInside(eps, &p, "-eps_target, %s, inside", g ? "generalised" : "standard"));
      PetscCall(EPSDestroy(&eps));
    }
    /* a program that sets sinvert after the options, as getdp does */
    PetscCall(EPSCreate(PETSC_COMM_WORLD, &eps));
    PetscCall(EPSSetOperators(eps, p.A, p.B));
    PetscCall(EPSSetProblemType(eps, g ? EPS_GHEP : EPS_HEP));
    PetscCall(EPSSetOptionsPrefix(eps, "late_"));
    PetscCall(PetscOptionsSetValue(NULL, "-late_eps_type", "napi"));
    PetscCall(EPSSetFromOptions(eps));
    p.target = -41.0;
    PetscCall(EPSSetDimensions(eps, 3, NAPI_UNSET, NAPI_UNSET));
    PetscCall(EPSSetWhichEigenpairs(eps, EPS_TARGET_MAGNITUDE));
    PetscCall(EPSSetTarget(eps, p.target));
    PetscCall(EPSGetST(eps, &st));
    PetscCall(STSetType(st, STSINVERT));
    PetscCall(TapRight(eps, &p, "sinvert set after the options, %s", g ? "generalised" : "standard"));
    PetscCall(EPSDestroy(&eps));
    PetscCall(ProblemDestroy(&p));
  }
  /* the target is not where the shift is: the eigenvalues nearest to the target are wanted all the same */
  PetscCall(ProblemGiven(N, d, 0.5, 2, EPS_TARGET_MAGNITUDE, -41.0, &p));
  PetscCall(SolverTransformed(&p, STSINVERT, &eps));
  PetscCall(EPSGetST(eps, &st));
  PetscCall(STSetShift(st, -45.0));
  PetscCall(TapRight(eps, &p, "target -41, shift -45, both below"));
  PetscCall(EPSDestroy(&eps));
  p.target = -36.0; /* inside, the shift below; the nearest to the target are not those nearest to the shift */
  PetscCall(SolverTransformed(&p, STSINVERT, &eps));
  PetscCall(EPSSetTolerances(eps, PETSC_DEFAULT, 1000));
  PetscCall(EPSGetST(eps, &st));
  PetscCall(STSetShift(st, -45.0));
  PetscCall(TapSound(eps, &p, NULL, NULL, "target inside, shift below: right, or refused"));
  PetscCall(EPSDestroy(&eps));
  PetscCall(ProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A target alone makes no type of SLEPc's solve again: EPSSolve() returns what it has. What is said of the dimensions does */
static PetscErrorCode Retarget(EPS eps, const Problem *p)
{
  PetscFunctionBegin;
  PetscCall(EPSSetTarget(eps, p->target));
  PetscCall(EPSSetDimensions(eps, p->k, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One solver, used again and again */
static PetscErrorCode Again(void)
{
  static const PetscReal targets[] = {-1.0, 130.0, 0.5, -3.0, 121.0};
  PetscReal              d[N];
  EPS                    eps;
  ST                     st;
  KSP                    ksp;
  PC                     pc;
  Problem                p;

  PetscFunctionBegin;
  Spectra("definite", d);
  for (int g = 0; g < 2; g++) {
    PetscCall(ProblemGiven(N, d, g ? 0.5 : 0.0, 3, EPS_TARGET_MAGNITUDE, 0.0, &p));
    PetscCall(SolverTransformed(&p, STSINVERT, &eps));
    for (size_t t = 0; t < PETSC_STATIC_ARRAY_LENGTH(targets); t++) {
      p.target = targets[t];
      PetscCall(Retarget(eps, &p));
      PetscCall(TapRight(eps, &p, "%s: another target, %g", g ? "generalised" : "standard", (double)p.target));
    }
    p.target = 30.1;
    PetscCall(Retarget(eps, &p));
    PetscCall(TapInside(eps, &p, "%s: another one, inside", g ? "generalised" : "standard"));
    p.target = -2.0;
    PetscCall(Retarget(eps, &p));
    PetscCall(TapRight(eps, &p, "%s: and below again", g ? "generalised" : "standard"));

    /* from shift-and-invert to the largest ones, and back */
    PetscCall(EPSGetST(eps, &st));
    PetscCall(STSetType(st, STSHIFT));
    PetscCall(STSetShift(st, 0.0));
    p.which = EPS_LARGEST_MAGNITUDE;
    PetscCall(EPSSetWhichEigenpairs(eps, p.which));
    PetscCall(TapRight(eps, &p, "%s: the same solver without shift-and-invert", g ? "generalised" : "standard"));
    PetscCall(STSetType(st, STSINVERT));
    p.which = EPS_TARGET_MAGNITUDE;
    PetscCall(EPSSetWhichEigenpairs(eps, p.which));
    PetscCall(Retarget(eps, &p));
    PetscCall(TapRight(eps, &p, "%s: and with it again", g ? "generalised" : "standard"));

    /* other matrices of the same size, then another type and back */
    PetscCall(EPSSetOperators(eps, p.A, p.B));
    PetscCall(TapRight(eps, &p, "%s: after EPSSetOperators()", g ? "generalised" : "standard"));
    PetscCall(EPSSetType(eps, size > 1 ? EPSLOBPCG : EPSKRYLOVSCHUR));
    PetscCall(EPSSetDimensions(eps, 3, NAPI_UNSET, NAPI_UNSET)); /* lobpcg is particular about what others make of them */
    PetscCall(STGetKSP(st, &ksp));
    PetscCall(KSPGetPC(ksp, &pc));
    if (size > 1) {
      PetscCall(STSetType(st, STPRECOND));
      PetscCall(STGetKSP(st, &ksp));
      PetscCall(KSPGetPC(ksp, &pc));
      PetscCall(PCSetType(pc, PCJACOBI));
      PetscCall(EPSSetWhichEigenpairs(eps, EPS_SMALLEST_REAL));
    } else {
      PetscCall(KSPSetType(ksp, KSPPREONLY));
      PetscCall(PCSetType(pc, PCLU));
    }
    {
      PetscErrorCode code = PETSC_SUCCESS;

      PetscCall(Attempt(eps, &code));
      PetscCall(TapOk((PetscBool)!code, "%s: another type's solve", g ? "generalised" : "standard"));
    }
    PetscCall(EPSSetType(eps, EPSNAPI));
    PetscCall(EPSSetDimensions(eps, 3, NAPI_UNSET, NAPI_UNSET));
    PetscCall(STSetType(st, STSINVERT));
    PetscCall(EPSSetWhichEigenpairs(eps, p.which));
    PetscCall(Retarget(eps, &p));
    PetscCall(TapRight(eps, &p, "%s: and napi again", g ? "generalised" : "standard"));
    PetscCall(EPSDestroy(&eps));
    PetscCall(ProblemDestroy(&p));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(TapBegin(&argc, &argv));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(Everywhere());
  PetscCall(Ends());
  PetscCall(Modes());
  PetscCall(Functions());
  PetscCall(Preconditioners());
  PetscCall(InnerSolvers());
  PetscCall(Cayley());
  PetscCall(Momentums());
  PetscCall(Spaces());
  PetscCall(TargetAlone());
  PetscCall(Again());
  return TapEnd();
}
