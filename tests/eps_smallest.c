/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The smallest eigenvalues, without being told how: -eps_smallest_real and -eps_smallest_magnitude, no ST chosen. A stiffness matrix
   is positive definite, and its lowest modes cost no more than those of the pair swapped by hand. Where A is not definite the
   answer is right, or a sentence names -eps_target; it is never wrong, and there are not thousands of steps in silence.
*/
#include "modes.h"

static PetscMPIInt size;

static const EPSWhich    whichs[] = {EPS_SMALLEST_REAL, EPS_SMALLEST_MAGNITUDE};
static const char *const names[]  = {"smallest real", "smallest magnitude"};

static PetscErrorCode Work(EPS eps, PetscInt *work)
{
  PetscInt acols, bcols, inner;

  PetscFunctionBegin;
  PetscCall(EPSNAPIGetApplications(eps, &acols, &bcols, &inner));
  *work = acols + bcols + inner;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What it takes to find the k smallest by hand: the largest of M x = K x/lambda */
static PetscErrorCode ByHand(const Problem *p, PetscInt k, PetscInt *work)
{
  PetscReal   far = 0.0;
  PetscScalar value;
  PetscInt    nconv;
  EPS         eps;

  PetscFunctionBegin;
  PetscCall(SolverFor(p->B, p->A, k, EPS_LARGEST_REAL, &eps));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConverged(eps, &nconv));
  for (PetscInt i = 0; i < PetscMin(k, nconv); i++) {
    PetscCall(EPSGetEigenvalue(eps, i, &value, NULL));
    far = TapWorst(far, PetscAbsReal(1.0 / PetscRealPart(value) - p->values[i]) / p->values[i]);
  }
  PetscCall(TapOk((PetscBool)(nconv >= k && far < 1e-9), "swapped by hand the %d smallest are those known", (int)k));
  PetscCall(Work(eps, work));
  PetscCall(EPSDestroy(&eps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Definite(PetscInt mx, PetscInt my)
{
  static const PetscInt ks[] = {1, 4, 10};
  PetscInt              work = 0, hand = 0;
  Problem               p;
  EPS                   eps;

  PetscFunctionBegin;
  for (int i = 0; i < (size > 2 ? 1 : 3); i++) {
    for (int known = 0; known < 2; known++) {
      for (int w = 0; w < 2; w++) {
        PetscCall(ProblemMembrane(mx, my, 0.0, PETSC_TRUE, ks[i], whichs[w], &p));
        if (!known && !w) PetscCall(ByHand(&p, ks[i], &hand));
        if (known) PetscCall(MatSetOption(p.A, MAT_SPD, PETSC_TRUE));
        PetscCall(SolverTransformed(&p, NULL, &eps));
        PetscCall(TapRight(eps, &p, "membrane %d x %d, k=%d, %s, %s", (int)mx, (int)my, (int)ks[i], names[w], known ? "known to be definite" : "not known to be"));
        PetscCall(Work(eps, &work));
        PetscCall(TapOk((PetscBool)(work > 0 && (PetscReal)work <= 1.3 * (PetscReal)hand + 20.0), "  and costs no more than swapped by hand"));
        PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %d columns and inner iterations, %d by hand\n", (int)work, (int)hand));
        PetscCall(EPSDestroy(&eps));
        PetscCall(ProblemDestroy(&p));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By options, as it is typed; with the preconditioners that come with PETSc; with functions for matrices; with the standard problem */
static PetscErrorCode Ways(void)
{
  static const char *const pcs[] = {PCJACOBI, PCBJACOBI, PCGAMG, PCICC, PCCHOLESKY};
  Problem                  p;
  EPS                      eps;
  ST                       st;
  KSP                      ksp;
  PC                       pc;
  Mat                      A, B;
  Shell                    a, b;

  PetscFunctionBegin;
  for (int w = 0; w < (size > 2 ? 1 : 2); w++) { /* three ranks on two cores take their time */
    PetscCall(ProblemMembrane(24, 21, 0.0, PETSC_TRUE, 4, whichs[w], &p));
    PetscCall(EPSCreate(PETSC_COMM_WORLD, &eps));
    PetscCall(EPSSetOperators(eps, p.A, p.B));
    PetscCall(EPSSetProblemType(eps, EPS_GHEP));
    PetscCall(EPSSetOptionsPrefix(eps, w ? "magnitude_" : "real_"));
    PetscCall(PetscOptionsSetValue(NULL, w ? "-magnitude_eps_type" : "-real_eps_type", "napi"));
    PetscCall(PetscOptionsSetValue(NULL, w ? "-magnitude_eps_nev" : "-real_eps_nev", "4"));
    PetscCall(PetscOptionsSetValue(NULL, w ? "-magnitude_eps_smallest_magnitude" : "-real_eps_smallest_real", "1"));
    PetscCall(EPSSetFromOptions(eps));
    PetscCall(TapRight(eps, &p, "%s by options", names[w]));
    PetscCall(EPSDestroy(&eps));
    for (int i = 0; i < (size > 2 ? 1 : size > 1 ? 3 : 5); i++) {
      if (PetscDefined(USE_COMPLEX) && i > 2) continue;
      PetscCall(SolverTransformed(&p, NULL, &eps));
      PetscCall(EPSGetST(eps, &st));
      PetscCall(STGetKSP(st, &ksp));
      PetscCall(KSPGetPC(ksp, &pc));
      PetscCall(PCSetType(pc, pcs[i]));
      if (PetscDefined(USE_COMPLEX) && i == 2) PetscCall(PCGAMGSetNSmooths(pc, 0)); /* PETSc's P'A P does not conjugate: it is Hermitian for real P, that is without smoothing */
      PetscCall(TapRight(eps, &p, "%s, preconditioner %s", names[w], pcs[i]));
      PetscCall(EPSDestroy(&eps));
    }
    for (int diagonal = 0; diagonal < 2; diagonal++) {
      PetscCall(ShellCreate(p.A, (PetscBool)diagonal, &a, &A));
      PetscCall(ShellCreate(p.B, (PetscBool)diagonal, &b, &B));
      PetscCall(SolverTransformed(&p, NULL, &eps));
      PetscCall(EPSSetOperators(eps, A, B));
      PetscCall(TapRight(eps, &p, "%s, functions %s diagonals", names[w], diagonal ? "with" : "without"));
      PetscCall(EPSDestroy(&eps));
      PetscCall(MatDestroy(&A));
      PetscCall(MatDestroy(&B));
    }
    PetscCall(ProblemDestroy(&p));

    for (int known = 0; known < 2; known++) {
      PetscCall(ProblemMembrane(24, 24, 0.0, PETSC_FALSE, 6, whichs[w], &p)); /* double eigenvalues */
      if (known) PetscCall(MatSetOption(p.A, MAT_SPD, PETSC_TRUE));
      PetscCall(SolverTransformed(&p, NULL, &eps));
      PetscCall(TapRight(eps, &p, "%s, standard, %s", names[w], known ? "known to be definite" : "not known to be"));
      PetscCall(EPSDestroy(&eps));
      PetscCall(ProblemDestroy(&p));
    }
    for (PetscInt n = 1; n < 70; n = 3 * n + 1) { /* 1, 4, 13, 40 */
      for (int g = 0; g < 2; g++) {
        PetscCall(ProblemMembrane(n, 1, 0.0, (PetscBool)g, PetscMin(n, 3), whichs[w], &p));
        PetscCall(SolverTransformed(&p, NULL, &eps));
        PetscCall(TapRight(eps, &p, "%s, %s, %d unknowns", names[w], g ? "generalised" : "standard", (int)n));
        PetscCall(EPSDestroy(&eps));
        PetscCall(ProblemDestroy(&p));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Right, refused by a sentence with -eps_target, or given up with one in the view, and not after thousands of steps */
static PetscErrorCode TapTold(EPS eps, const Problem *p, const char *what)
{
  PetscErrorCode code = PETSC_SUCCESS;
  PetscBool      pass;
  char          *text = NULL;
  Outcome        o    = {RIGHT};

  PetscFunctionBegin;
  PetscCall(Attempt(eps, &code));
  if (code) pass = (PetscBool)((code == PETSC_ERR_SUP || code == PETSC_ERR_USER_INPUT) && strstr(failure, "-eps_target"));
  else {
    PetscCall(Judge(eps, p, &o));
    pass = (PetscBool)(o.verdict == RIGHT);
    if (o.verdict == DIVERGED) {
      PetscCall(ViewText(eps, &text));
      pass = (PetscBool)(strstr(text, "-eps_target") && o.its < 2000);
      PetscCall(PetscFree(text));
    }
  }
  PetscCall(TapOk(pass, "%s", what));
  if (code || o.verdict != RIGHT) PetscCall(Explain(eps, code, &o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A that is not definite: the membrane lowered by so much that some of its modes are below 0 */
static PetscErrorCode Indefinite(void)
{
  static const PetscReal lifts[] = {-30.0, -120.0, -1e3, -1e6};
  char                   what[128];
  Problem                p;
  EPS                    eps;

  PetscFunctionBegin;
  for (int i = 0; i < (size > 2 ? 1 : 4); i++) {
    for (int g = size > 2; g < 2; g++) {
      for (int w = 0; w < 2; w++) {
        PetscCall(ProblemMembrane(17, 14, lifts[i], (PetscBool)g, 3, whichs[w], &p));
        PetscCall(SolverTransformed(&p, NULL, &eps));
        PetscCall(PetscSNPrintf(what, sizeof(what), "membrane lowered by %g, %s, %s: right, or -eps_target is named", (double)-lifts[i], g ? "generalised" : "standard", names[w]));
        PetscCall(TapTold(eps, &p, what));
        PetscCall(EPSDestroy(&eps));
        PetscCall(ProblemDestroy(&p));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The trap: a matrix that looks definite. All of its eigenvalues but one or two lie between 1 and 100, its diagonal is positive,
   and a few steps of CG from a random vector may well meet no negative curvature.
*/
static PetscErrorCode Hidden(void)
{
  static const PetscReal low[] = {-1e-6, -1e-3, -0.5, -0.99, -1.5, -50.0, -150.0, -1e4};
  const PetscInt         n     = 160;
  char                   what[128];
  PetscReal             *d;
  Problem                p;
  EPS                    eps;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &d));
  for (size_t l = 0; l < PETSC_STATIC_ARRAY_LENGTH(low); l++) {
    for (int g = 0; g < 2; g++) {
      for (int w = 0; w < 2; w++) {
        if (size > 2 && (l % 5 || !g)) continue;
        for (PetscInt i = 0; i < n; i++) d[i] = 1.0 + 99.0 * (PetscReal)((37 * i) % n) / (PetscReal)n;
        d[n / 3] = low[l];
        PetscCall(ProblemGiven(n, d, g ? 0.6 : 0.0, 1 + (PetscInt)(l + (size_t)w) % 3, whichs[w], 0.0, &p));
        PetscCall(SolverTransformed(&p, NULL, &eps));
        PetscCall(PetscSNPrintf(what, sizeof(what), "one eigenvalue %g among positive ones, %s, k=%d, %s: not overlooked", (double)low[l], g ? "generalised" : "standard", (int)p.k, names[w]));
        PetscCall(TapTold(eps, &p, what));
        PetscCall(EPSDestroy(&eps));
        PetscCall(ProblemDestroy(&p));
      }
    }
  }
  PetscCall(PetscFree(d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Negative definite A, momentum of the paper's kind, and an ST that was chosen after all */
static PetscErrorCode Others(void)
{
  const PetscInt n = 100;
  PetscReal      d[100];
  Problem        p;
  EPS            eps;
  ST             st;

  PetscFunctionBegin;
  for (int g = size > 2; g < 2; g++) {
    for (int w = 0; w < 2; w++) {
      for (PetscInt i = 0; i < n; i++) d[i] = -1.0 - (PetscReal)((37 * i) % n);
      PetscCall(ProblemGiven(n, d, g ? 0.5 : 0.0, 3, whichs[w], 0.0, &p));
      PetscCall(SolverTransformed(&p, NULL, &eps));
      if (w) PetscCall(TapSound(eps, &p, "-eps_target", NULL, "negative definite, %s, %s: right, or told", g ? "generalised" : "standard", names[w]));
      else PetscCall(TapRight(eps, &p, "negative definite, %s, %s", g ? "generalised" : "standard", names[w]));
      PetscCall(EPSDestroy(&eps));
      PetscCall(ProblemDestroy(&p));

      for (PetscInt i = 0; i < n; i++) d[i] = 3.0 + 2.0 * (PetscReal)((37 * i) % n);
      for (int m = 0; m < Momenta(); m++) {
        PetscCall(ProblemGiven(n, d, g ? 0.5 : 0.0, 2, whichs[w], 0.0, &p));
        PetscCall(SolverTransformed(&p, NULL, &eps));
        PetscCall(EPSNAPISetMomentum(eps, (EPSNAPIMomentum)m));
        if (m == EPS_NAPI_MOMENTUM_FIXED) {
          PetscCall(EPSNAPISetGuard(eps, 0));
          PetscCall(EPSNAPISetBeta(eps, PetscSqr(1.0 / p.values[2]) / 4.0));
        }
        PetscCall(TapSound(eps, &p, NULL, NULL, "momentum %s, %s, %s: right, or told", EPSNAPIMomentums[m], g ? "generalised" : "standard", names[w]));
        PetscCall(EPSDestroy(&eps));
        PetscCall(ProblemDestroy(&p));
      }

      /* the user's own choice of a shift: Rayleigh-Ritz on (A, B) */
      PetscCall(ProblemGiven(n, d, g ? 0.5 : 0.0, 2, whichs[w], 0.0, &p));
      PetscCall(SolverTransformed(&p, STSHIFT, &eps));
      if (w) PetscCall(TapSound(eps, &p, NULL, NULL, "ST shift by choice, %s, %s: right, or told", g ? "generalised" : "standard", names[w]));
      else PetscCall(TapRight(eps, &p, "ST shift by choice, %s, %s", g ? "generalised" : "standard", names[w]));
      PetscCall(EPSDestroy(&eps));
      PetscCall(SolverTransformed(&p, NULL, &eps));
      PetscCall(EPSGetST(eps, &st));
      PetscCall(STSetShift(st, 210.0)); /* beyond the other end: what is farthest from it is wanted */
      PetscCall(TapSound(eps, &p, NULL, NULL, "a shift beyond the other end and no type, %s, %s: right, or told", g ? "generalised" : "standard", names[w]));
      PetscCall(EPSDestroy(&eps));
      /* from the smallest to the largest and back */
      PetscCall(SolverTransformed(&p, NULL, &eps));
      PetscCall(TapRight(eps, &p, "%s, %s", g ? "generalised" : "standard", names[w]));
      p.which = EPS_LARGEST_REAL;
      PetscCall(EPSSetWhichEigenpairs(eps, p.which));
      PetscCall(TapRight(eps, &p, "  then the largest by the same solver"));
      p.which = whichs[w];
      PetscCall(EPSSetWhichEigenpairs(eps, p.which));
      PetscCall(TapRight(eps, &p, "  then the smallest again"));
      PetscCall(EPSDestroy(&eps));
      PetscCall(ProblemDestroy(&p));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(TapBegin(&argc, &argv));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(size > 2 ? Definite(14, 12) : Definite(30, 26)); /* three ranks on two cores take their time */
  PetscCall(Ways());
  PetscCall(Indefinite());
  PetscCall(Hidden());
  if (size < 3) PetscCall(Others());
  return TapEnd();
}
