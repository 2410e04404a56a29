/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Operators that fail: A, B or the preconditioner gives NaN, Inf, an error, garbage or its result with the wrong sign, at
   its j-th application, once or from there on, on all ranks or on one.

     faults -from 1 -count 900 -time 60 -verbose

   900 cases in a row are all of them, for j = 1 ... 20, five later ones and the last five. What must hold: nothing is
   claimed that is not so; the solve ends, without an error other than the one injected; and the same solver, its
   operators being sound again, claims nothing wrong either. To diverge is right, and is counted.

   An operator that stays wrong is another operator. What is claimed then must be so of what it delivers; a preconditioner
   changes nothing about what is right.
*/
#include "problems.h"
#include <petsctime.h>
#include <signal.h>
#include <unistd.h>

enum {
  NOT_A_NUMBER,
  INFINITE,
  ERROR,
  GARBAGE,
  SIGN,
  KINDS
};
enum {
  IN_A,
  IN_B,
  IN_PC,
  PLACES
};
enum {
  HOLDS,
  GIVES_UP,
  FAILS,
  CLAIMS,
  RESULTS
};
static const char *const kinds[]  = {"nan", "inf", "error", "garbage", "sign"};
static const char *const places[] = {"A", "B", "PC"};

typedef struct {
  PetscInt    kind, at, applied; /* the application that fails (0: none), and how many there were */
  PetscBool   forgood;
  PetscMPIInt only; /* on this rank only, or on all (-1) */
  Mat         M;    /* the operator, or for a preconditioner the inverse of the diagonal */
  Vec         d;
  Random      r;
} Faulty;

static char current[256]; /* what is tried, for those who wait */

static void Late(int signal)
{
  (void)signal;
  if (write(2, current, strlen(current)) < 0 || write(2, ": it does not end\n", 18) < 0) _exit(4);
  _exit(3);
}

static PetscErrorCode Spoil(Faulty *f, Vec y)
{
  PetscScalar *array;
  PetscInt     i, n;
  PetscMPIInt  rank;

  PetscFunctionBegin;
  f->applied++;
  if (!f->at || f->applied < f->at || (f->applied > f->at && !f->forgood)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCheck(f->kind != ERROR, PETSC_COMM_WORLD, PETSC_ERR_USER, "injected");
  if (f->only >= 0 && f->only != rank) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetLocalSize(y, &n));
  PetscCall(VecGetArray(y, &array));
  if (f->kind == GARBAGE)
    for (i = 0; i < n; i++) array[i] = 10.0 * RandomNormal(&f->r);
  else if (f->kind == SIGN)
    for (i = 0; i < n; i++) array[i] = -array[i];
  else if (n) array[n / 2] = f->kind == INFINITE ? PETSC_INFINITY : PETSC_INFINITY - PETSC_INFINITY;
  PetscCall(VecRestoreArray(y, &array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FaultyMult(Mat S, Vec x, Vec y)
{
  Faulty *f;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(S, &f));
  PetscCall(MatMult(f->M, x, y));
  PetscCall(Spoil(f, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FaultyDiagonal(Mat S, Vec d)
{
  Faulty *f;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(S, &f));
  PetscCall(MatGetDiagonal(f->M, d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FaultyApply(PC pc, Vec x, Vec y)
{
  Faulty *f;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &f));
  PetscCall(VecPointwiseMult(y, f->d, x));
  PetscCall(Spoil(f, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FaultyCreate(Mat M, Faulty *f, Mat *S)
{
  PetscInt m, n;

  PetscFunctionBegin;
  f->M = M;
  PetscCall(MatGetLocalSize(M, &m, &n));
  PetscCall(MatCreateShell(PETSC_COMM_WORLD, m, n, PETSC_DETERMINE, PETSC_DETERMINE, f, S));
  PetscCall(MatShellSetOperation(*S, MATOP_MULT, (void (*)(void))FaultyMult));
  PetscCall(MatShellSetOperation(*S, MATOP_GET_DIAGONAL, (void (*)(void))FaultyDiagonal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FaultySolver(const Problem *p, Mat A, Mat B, Faulty *pcfault, EPS *eps)
{
  ST  st;
  KSP ksp;
  PC  pc;

  PetscFunctionBegin;
  PetscCall(SolverFor(A, B, p->k, p->which, eps));
  PetscCall(EPSSetTolerances(*eps, PETSC_DEFAULT, 500));
  if (B) {
    PetscCall(EPSGetST(*eps, &st));
    PetscCall(STGetKSP(st, &ksp));
    PetscCall(KSPSetType(ksp, KSPBLOCKCG));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, PCSHELL));
    PetscCall(PCShellSetContext(pc, pcfault));
    PetscCall(PCShellSetApply(pc, FaultyApply));
  }
  PetscCall(EPSSetFromOptions(*eps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is claimed holds for what the operators deliver, as far as its residuals go */
static PetscErrorCode JudgeDelivered(EPS eps, const Problem *p, Mat A, Mat B, Outcome *o)
{
  PetscInt    i;
  PetscReal   tol, rnorm, bnorm, xnorm, size;
  PetscScalar value;
  Vec         x, ax, bx;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(o, sizeof(*o)));
  PetscCall(EPSGetConverged(eps, &o->nconv));
  PetscCall(EPSGetConvergedReason(eps, &o->reason));
  PetscCall(EPSGetTolerances(eps, &tol, NULL));
  o->verdict = o->reason < 0 || o->nconv < p->k ? DIVERGED : RIGHT;
  PetscCall(MatCreateVecs(p->A, &x, &ax));
  PetscCall(VecDuplicate(x, &bx));
  for (i = 0; i < o->nconv; i++) {
    PetscCall(EPSGetEigenpair(eps, i, &value, NULL, x, NULL));
    PetscCall(MatMult(A, x, ax));
    if (B) PetscCall(MatMult(B, x, bx));
    else PetscCall(VecCopy(x, bx));
    PetscCall(VecAXPY(ax, -value, bx));
    PetscCall(VecNorm(x, NORM_2, &xnorm));
    PetscCall(VecNorm(bx, NORM_2, &bnorm));
    PetscCall(VecNorm(ax, NORM_2, &rnorm));
    size = PetscAbsScalar(value);
    if (!(rnorm <= 1.001 * tol * size * bnorm + Rounding(p->n) * (p->normA + size * p->normB) * xnorm)) Accuse(o, "residual %g of pair %d, allowed %g", (double)(rnorm / (size * bnorm)), (int)i, (double)tol);
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&ax));
  PetscCall(VecDestroy(&bx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Silent(MPI_Comm comm, int line, const char *func, const char *file, PetscErrorCode code, PetscErrorType type, const char *sentence, void *ctx)
{
  (void)comm;
  (void)line;
  (void)func;
  (void)file;
  (void)ctx;
  if (type == PETSC_ERROR_INITIAL) (void)snprintf((char *)ctx, 256, "%s", sentence ? sentence : "");
  return code;
}

/* Case number c, of which 900 are all: its result, and what there is to say */
static PetscErrorCode Try(PetscInt c, PetscInt *kind, PetscInt *place, PetscInt *result, char why[], size_t size)
{
  const PetscInt index = (c % 900) * 491 % 900, later[] = {25, 40, 60, 100, 200}, step = index / 30;
  Random         r = RandomOf((uint64_t)c, "faults");
  PetscMPIInt    ranks;
  PetscErrorCode code;
  PetscBool      forgood = (PetscBool)(index / 15 % 2), reached;
  PetscInt       n, k;
  Faulty         faults[PLACES], *f;
  char           sentence[256] = "";
  Problem        p;
  Outcome        o;
  Mat            A, B = NULL;
  EPS            eps;

  PetscFunctionBegin;
  *kind  = index % KINDS;
  *place = index / KINDS % PLACES;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  n = RandomInt(&r, 0, 2) ? RandomInt(&r, 65, 110) : RandomInt(&r, 12, 64);
  k = RandomInt(&r, 1, 4);
  PetscCall(ProblemSized((uint64_t)c, RandomBits(&r) & 1 ? "normal" : "linear", n, k, RandomBits(&r) & 1 ? EPS_LARGEST_REAL : EPS_LARGEST_MAGNITUDE, *place == IN_A && RandomInt(&r, 0, 2) == 0 ? NONE : DENSE, RandomLog(&r, 1.0, 1e3), &p));
  PetscCall(PetscMemzero(faults, sizeof(faults)));
  f = &faults[*place];
  PetscCall(FaultyCreate(p.A, &faults[IN_A], &A));
  if (p.B) {
    PetscCall(FaultyCreate(p.B, &faults[IN_B], &B));
    PetscCall(MatCreateVecs(p.B, &faults[IN_PC].d, NULL));
    PetscCall(MatGetDiagonal(p.B, faults[IN_PC].d));
    PetscCall(VecReciprocal(faults[IN_PC].d));
  }
  PetscCall(FaultySolver(&p, A, B, &faults[IN_PC], &eps));
  f->kind    = *kind;
  f->forgood = forgood;
  f->only    = *kind != ERROR && ranks > 1 && RandomBits(&r) & 1 ? (PetscMPIInt)RandomInt(&r, 0, ranks - 1) : -1;
  f->r       = r;
  f->at      = step < 20 ? step + 1 : step < 25 ? later[step - 20] : 0;
  if (!f->at) { /* so many from the end of a solve without a fault */
    PetscCall(EPSSolve(eps));
    f->at = PetscMax(1, f->applied - (step - 25));
    PetscCall(EPSDestroy(&eps));
    PetscCall(FaultySolver(&p, A, B, &faults[IN_PC], &eps));
    f->applied = 0;
  }
  PetscCall(PetscSNPrintf(current, sizeof(current), "case %d: %s in %s at application %d, %s, on %s%s; n %d, k %d, %s, B %s", (int)c, kinds[*kind], places[*place], (int)f->at, forgood ? "for good" : "once", f->only < 0 ? "all ranks" : "one rank", f->only == 0 ? ", the first" : "", (int)n, (int)k, p.which == EPS_LARGEST_REAL ? "lr" : "lm", p.form));
  why[0] = 0;
  alarm(120);
  PetscCall(PetscPushErrorHandler(Silent, sentence));
  code = EPSSolve(eps);
  PetscCall(PetscPopErrorHandler());
  reached = (PetscBool)(f->applied >= f->at);
  if (code) {
    *result = *kind == ERROR && code == PETSC_ERR_USER && strstr(sentence, "injected") ? GIVES_UP : FAILS;
    if (*result == FAILS) PetscCall(PetscSNPrintf(why, size, "error %d: %s", (int)code, sentence));
  } else {
    if (reached && forgood && *place != IN_PC) {
      PetscCall(PetscPushErrorHandler(Silent, sentence));
      code = JudgeDelivered(eps, &p, A, B, &o); /* which asks the operator again */
      PetscCall(PetscPopErrorHandler());
      if (code) {
        o.verdict = WRONG;
        PetscCall(PetscSNPrintf(o.why, sizeof(o.why), "pairs are claimed although the operator fails"));
      }
    } else PetscCall(Judge(eps, &p, &o));
    *result = o.verdict == RIGHT ? HOLDS : o.verdict == WRONG ? CLAIMS : GIVES_UP;
    if (o.verdict == WRONG) PetscCall(PetscSNPrintf(why, size, "reason %d, %d found, %s", (int)o.reason, (int)o.nconv, o.why));
    f->at = 0;
    if (*result == GIVES_UP) {               /* once more, with sound operators */
      PetscCall(EPSSetOperators(eps, A, B)); /* otherwise there is nothing new to solve */
      PetscCall(EPSSolve(eps));
      PetscCall(Judge(eps, &p, &o));
      if (o.verdict != RIGHT) {
        *result = CLAIMS;
        PetscCall(PetscSNPrintf(why, size, "the next solve with sound operators: reason %d, %d found, %s", (int)o.reason, (int)o.nconv, o.why));
      }
    }
  }
  alarm(0);
  if (code) PetscFunctionReturn(PETSC_SUCCESS); /* after an error PETSc's objects may not even be destroyed: they hold what the error found in use */
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscCall(VecDestroy(&faults[IN_PC].d));
  PetscCall(ProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt                 from = 1, count = 900, c, i, j, kind, place, result = HOLDS, table[KINDS][PLACES][RESULTS], sum[RESULTS];
  PetscReal                budget = 0.0;
  PetscLogDouble           begin, now;
  PetscBool                verbose = PETSC_FALSE;
  PetscMPIInt              ranks, over;
  char                     why[512];
  static const char *const results[] = {"right", "gives up", "FAILS", "WRONG"};

  PetscCall(TapBegin(&argc, &argv));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-from", &from, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-count", &count, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-time", &budget, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-verbose", &verbose, NULL));
  PetscCall(PetscMemzero(table, sizeof(table)));
  PetscCall(PetscMemzero(sum, sizeof(sum)));
  (void)signal(SIGALRM, Late);
  PetscCall(PetscTime(&begin));
  for (c = from; c < from + count; c++) {
    PetscCall(PetscTime(&now));
    over = budget > 0.0 && now - begin > budget;
    PetscCallMPI(MPI_Bcast(&over, 1, MPI_INT, 0, PETSC_COMM_WORLD));
    if (over) break;
    PetscCall(Try(c, &kind, &place, &result, why, sizeof(why)));
    table[kind][place][result]++;
    sum[result]++;
    if (verbose || result == FAILS || result == CLAIMS) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-8s %s%s%s\n", results[result], current, *why ? ": " : "", why));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-12s %8s %8s %8s %8s   (%d ranks)\n", "fault", "right", "gives up", "fails", "wrong", (int)ranks));
  for (i = 0; i < KINDS; i++) {
    for (j = 0; j < PLACES; j++) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-8s %-3s %8d %8d %8d %8d\n", kinds[i], places[j], (int)table[i][j][HOLDS], (int)table[i][j][GIVES_UP], (int)table[i][j][FAILS], (int)table[i][j][CLAIMS]));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-12s %8d %8d %8d %8d\n", "all", (int)sum[HOLDS], (int)sum[GIVES_UP], (int)sum[FAILS], (int)sum[CLAIMS]));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%d passed, %d failed\n", (int)(sum[HOLDS] + sum[GIVES_UP]), (int)(sum[FAILS] + sum[CLAIMS])));
  PetscCall(SlepcFinalize());
  return sum[FAILS] + sum[CLAIMS] ? 1 : 0;
}
