/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What the tests of smallest, nearest and rigid modes share: problems with a target, and two kinds of claim. TapRight(): the
   answer is there and is right. TapSound(): it is right, or there is none and a sentence or a reason says so; a wrong answer with
   a reason to be content is what no solver may give. Errors of the solve are caught, so that one refusal does not end the test.
*/
#pragma once
#include "attack/problems.h"
#include <unistd.h>

/* The problem with the spectrum d[], its matrices by PairFromSpectrum(): A is full, of type AIJ, and B as well, or NULL for coupling 0 */
PETSC_UNUSED static PetscErrorCode ProblemGiven(PetscInt n, const PetscReal d[], PetscReal coupling, PetscInt k, EPSWhich which, PetscReal target, Problem *p)
{
  PetscReal top = 0.0;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(p, sizeof(*p)));
  p->family  = "given";
  p->form    = coupling > 0.0 ? "dense" : "none";
  p->n       = n;
  p->k       = k;
  p->which   = which;
  p->target  = target;
  p->nvalues = p->known = n;
  p->scaleA = p->scaleB = 1.0;
  p->normB              = PetscSqr(1.0 + coupling);
  p->lowB               = PetscSqr(1.0 - coupling);
  PetscCall(PetscMalloc1(n, &p->values));
  PetscCall(PetscArraycpy(p->values, d, n));
  qsort(p->values, (size_t)n, sizeof(PetscReal), Ascending);
  for (PetscInt i = 0; i < n; i++) top = PetscMax(top, PetscAbsReal(d[i]));
  p->normA = top * p->normB;
  PetscCall(PairFromSpectrum(n, d, coupling, &p->A, coupling > 0.0 ? &p->B : NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   A solver for it, of type napi, with its target where it has one, and with a transformation unless that is NULL. With
   -oracle krylovschur it is another solver which is put to these tests: a test that its answer does not pass is wrong itself.
*/
PETSC_UNUSED static PetscErrorCode SolverTransformed(const Problem *p, STType type, EPS *eps)
{
  char      oracle[64];
  PetscBool other;
  ST        st;

  PetscFunctionBegin;
  PetscCall(SolverFor(p->A, p->B, p->k, p->which, eps));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-oracle", oracle, sizeof(oracle), &other));
  if (other) PetscCall(EPSSetType(*eps, oracle));
  if (p->which == EPS_TARGET_MAGNITUDE || p->which == EPS_TARGET_REAL) PetscCall(EPSSetTarget(*eps, p->target));
  PetscCall(EPSGetST(*eps, &st));
  if (type) PetscCall(STSetType(st, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves, and comes back from an error, whose sentence is in failure[] then */
PETSC_UNUSED static PetscErrorCode Attempt(EPS eps, PetscErrorCode *code)
{
  PetscFunctionBegin;
  PetscCall(FailuresBegin());
  *code = EPSSolve(eps);
  PetscCall(PetscPopErrorHandler());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An error that is about what was asked for, and not about our own code */
PETSC_UNUSED static PetscBool IsRefusal(PetscErrorCode code)
{
  return (PetscBool)(code == PETSC_ERR_SUP || code == PETSC_ERR_USER_INPUT || code == PETSC_ERR_USER || code == PETSC_ERR_ARG_WRONGSTATE || code == PETSC_ERR_ARG_INCOMP || code == PETSC_ERR_ARG_OUTOFRANGE || code == PETSC_ERR_NOT_CONVERGED);
}

/* What -eps_view would print, in a string to be freed; the same on every rank */
PETSC_UNUSED static PetscErrorCode ViewText(EPS eps, char **text)
{
  char        path[PETSC_MAX_PATH_LEN];
  PetscViewer viewer;
  PetscMPIInt rank;
  size_t      length = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PetscCalloc1(65536, text));
  if (!rank) {
    int fd;

    PetscCall(PetscSNPrintf(path, sizeof(path), "%s/napi-view-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp"));
    fd = mkstemp(path);
    PetscCheck(fd >= 0, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "no temporary file %s", path);
    (void)close(fd);
  }
  PetscCallMPI(MPI_Bcast(path, sizeof(path), MPI_CHAR, 0, PETSC_COMM_WORLD));
  PetscCall(PetscViewerASCIIOpen(PETSC_COMM_WORLD, path, &viewer));
  PetscCall(EPSView(eps, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  if (!rank) {
    FILE *f = fopen(path, "r");

    PetscCheck(f, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "cannot read %s again", path);
    length = fread(*text, 1, 65535, f);
    (void)fclose(f);
    (void)remove(path);
  }
  (*text)[length] = 0;
  PetscCallMPI(MPI_Bcast(*text, 65536, MPI_CHAR, 0, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Why the solver says that it has given up, or nothing */
PETSC_UNUSED static PetscErrorCode Cause(EPS eps, size_t length, char cause[])
{
  char *text, *at;

  PetscFunctionBegin;
  PetscCall(ViewText(eps, &text));
  cause[0] = 0;
  at       = strstr(text, "given up");
  if (at) (void)snprintf(cause, length, "%.*s", (int)strcspn(at, "\n"), at);
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a solve has come to, in words */
PETSC_UNUSED static PetscErrorCode Explain(EPS eps, PetscErrorCode code, const Outcome *o)
{
  char cause[1024] = "";

  PetscFunctionBegin;
  if (code) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# error %d: %s\n", (int)code, failure));
  else {
    if (o->reason < 0) PetscCall(Cause(eps, sizeof(cause), cause));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %d found, reason %s, %d steps%s%s%s%s\n", (int)o->nconv, EPSConvergedReasons[o->reason], (int)o->its, *o->why ? "; " : "", o->why, *cause ? "; " : "", cause));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The answer is right. The solver and the problem live on. */
PETSC_UNUSED static PetscErrorCode TapRight(EPS eps, const Problem *p, const char *format, ...)
{
  char           what[256];
  va_list        args;
  PetscErrorCode code  = PETSC_SUCCESS;
  Outcome        o     = {RIGHT};
  PetscBool      right = PETSC_FALSE;

  PetscFunctionBegin;
  va_start(args, format);
  (void)vsnprintf(what, sizeof(what), format, args);
  va_end(args);
  PetscCall(Attempt(eps, &code));
  if (!code) {
    PetscCall(Judge(eps, p, &o));
    right = (PetscBool)(o.verdict == RIGHT);
  }
  PetscCall(TapOk(right, "%s", what));
  if (!right) PetscCall(Explain(eps, code, &o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The answer is right, or it is refused by a sentence in which one of the words occurs (word and other may be NULL: any will do), or
   there is a reason why there is none.
*/
PETSC_UNUSED static PetscErrorCode TapSound(EPS eps, const Problem *p, const char *word, const char *other, const char *format, ...)
{
  char           what[256];
  va_list        args;
  PetscErrorCode code = PETSC_SUCCESS;
  Outcome        o    = {RIGHT};
  PetscBool      sound, named;

  PetscFunctionBegin;
  va_start(args, format);
  (void)vsnprintf(what, sizeof(what), format, args);
  va_end(args);
  PetscCall(Attempt(eps, &code));
  if (code) {
    named = (PetscBool)(!word || strstr(failure, word) || (other && strstr(failure, other)));
    sound = (PetscBool)(IsRefusal(code) && *failure && named);
  } else {
    PetscCall(Judge(eps, p, &o));
    sound = (PetscBool)(o.verdict != WRONG);
  }
  PetscCall(TapOk(sound, "%s", what));
  if (code || o.verdict != RIGHT) PetscCall(Explain(eps, code, &o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where sigma lies inside the spectrum: right, or refused by a sentence that names who can; no third way */
PETSC_UNUSED static PetscErrorCode TapInside(EPS eps, const Problem *p, const char *format, ...)
{
  char           what[256];
  va_list        args;
  PetscErrorCode code = PETSC_SUCCESS;
  Outcome        o    = {RIGHT};
  PetscBool      sound;

  PetscFunctionBegin;
  va_start(args, format);
  (void)vsnprintf(what, sizeof(what), format, args);
  va_end(args);
  PetscCall(Attempt(eps, &code));
  if (code) sound = (PetscBool)(code == PETSC_ERR_SUP && (strstr(failure, "krylovschur") || strstr(failure, "jd")));
  else {
    PetscCall(Judge(eps, p, &o));
    sound = (PetscBool)(o.verdict == RIGHT);
  }
  PetscCall(TapOk(sound, "%s", what));
  if (!sound) PetscCall(Explain(eps, code, &o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- a membrane ------------------------------------------------------------------------------------------------------- */

/* Tridiagonal entries of linear elements on an interval of length 1, h = 1/(n+1): 0 on the diagonal, 1 beside it */
static PetscReal Stiffness(PetscInt n, PetscInt d)
{
  return (d ? -1.0 : 2.0) * (PetscReal)(n + 1);
}

static PetscReal Mass(PetscInt n, PetscInt d)
{
  return (d ? 1.0 : 4.0) / (6.0 * (PetscReal)(n + 1));
}

/*
   Stiffness and mass matrix of mx x my bilinear elements on the unit square, clamped at its edges, all eigenvalues known; plus
   `lift` times the mass matrix, which moves them; without B the five points of finite differences. Two numbers alike make double
   eigenvalues.
*/
PETSC_UNUSED static PetscErrorCode ProblemMembrane(PetscInt mx, PetscInt my, PetscReal lift, PetscBool generalised, PetscInt k, EPSWhich which, Problem *p)
{
  PetscInt i, first, last;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(p, sizeof(*p)));
  p->family  = "membrane";
  p->form    = generalised ? "mass" : "none";
  p->n       = mx * my;
  p->k       = k;
  p->which   = which;
  p->nvalues = p->known = p->n;
  p->scaleA = p->scaleB = 1.0;
  PetscCall(PetscMalloc1(p->n, &p->values));
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, p->n, p->n, 9, NULL, 6, NULL, &p->A));
  if (generalised) PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, p->n, p->n, 9, NULL, 6, NULL, &p->B));
  PetscCall(MatGetOwnershipRange(p->A, &first, &last));
  for (i = first; i < last; i++) {
    PetscInt x = i % mx, y = i / mx;

    for (PetscInt v = PetscMax(0, y - 1); v <= PetscMin(my - 1, y + 1); v++) {
      for (PetscInt u = PetscMax(0, x - 1); u <= PetscMin(mx - 1, x + 1); u++) {
        PetscInt  j = u + v * mx, dx = u != x, dy = v != y;
        PetscReal mass = Mass(mx, dx) * Mass(my, dy), stiffness = Stiffness(mx, dx) * Mass(my, dy) + Mass(mx, dx) * Stiffness(my, dy);

        if (generalised) {
          PetscCall(MatSetValue(p->A, i, j, (stiffness + lift * mass) * Phase(0.3 * (PetscReal)(i - j)), INSERT_VALUES));
          PetscCall(MatSetValue(p->B, i, j, mass * Phase(0.3 * (PetscReal)(i - j)), INSERT_VALUES));
        } else if (!dx || !dy) {
          PetscReal value = (dy ? 0.0 : Stiffness(mx, dx) * (PetscReal)(mx + 1)) + (dx ? 0.0 : Stiffness(my, dy) * (PetscReal)(my + 1)) + (dx || dy ? 0.0 : lift);

          PetscCall(MatSetValue(p->A, i, j, value * Phase(0.3 * (PetscReal)(i - j)), INSERT_VALUES));
        }
      }
    }
  }
  PetscCall(MatAssemblyBegin(p->A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(p->A, MAT_FINAL_ASSEMBLY));
  if (generalised) {
    PetscCall(MatAssemblyBegin(p->B, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(p->B, MAT_FINAL_ASSEMBLY));
  }
  for (i = 0; i < p->n; i++) {
    PetscReal value = lift;

    for (int side = 0; side < 2; side++) {
      PetscInt  n = side ? my : mx, m = side ? i / mx : i % mx;
      PetscReal c = PetscCosReal((PetscReal)(m + 1) * PETSC_PI / (PetscReal)(n + 1));

      value += PetscSqr((PetscReal)(n + 1)) * (generalised ? 6.0 * (1.0 - c) / (2.0 + c) : 2.0 - 2.0 * c);
    }
    p->values[i] = value;
  }
  qsort(p->values, (size_t)p->n, sizeof(PetscReal), Ascending);
  PetscCall(MatNorm(p->A, NORM_INFINITY, &p->normA));
  p->normB = p->lowB = 1.0;
  if (generalised) {
    PetscCall(MatNorm(p->B, NORM_INFINITY, &p->normB));
    p->lowB = p->normB / 9.0; /* 1/3 in each direction */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The membrane with its boundary: rows of the identity in A, and `mass` on B's diagonal there */
PETSC_UNUSED static PetscErrorCode ProblemDirichlet(PetscInt mx, PetscInt my, PetscReal mass, PetscInt k, EPSWhich which, PetscReal target, Problem *p)
{
  Problem  inner;
  PetscInt nx = mx + 2, ny = my + 2, n = nx * ny, first, last, ones = 0;

  PetscFunctionBegin;
  PetscCall(ProblemMembrane(mx, my, 0.0, PETSC_TRUE, k, which, &inner));
  *p        = inner;
  p->family = "boundary";
  p->n      = n;
  p->target = target;
  PetscCall(PetscMalloc1(n, &p->values));
  for (PetscInt i = 0; mass == 1.0 && i < n - mx * my; i++) p->values[ones++] = 1.0;
  PetscCall(PetscArraycpy(p->values + ones, inner.values, mx * my));
  p->nvalues = p->known = mx * my + ones;
  qsort(p->values, (size_t)p->nvalues, sizeof(PetscReal), Ascending);
  PetscCall(MatDestroy(&p->A));
  PetscCall(MatDestroy(&p->B));
  PetscCall(PetscFree(inner.values));
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, n, 9, NULL, 6, NULL, &p->A));
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, n, 9, NULL, 6, NULL, &p->B));
  PetscCall(MatGetOwnershipRange(p->A, &first, &last));
  for (PetscInt i = first; i < last; i++) {
    PetscInt x = i % nx, y = i / nx;

    if (x == 0 || y == 0 || x == nx - 1 || y == ny - 1) {
      PetscCall(MatSetValue(p->A, i, i, 1.0, INSERT_VALUES));
      PetscCall(MatSetValue(p->B, i, i, mass, INSERT_VALUES));
      continue;
    }
    for (PetscInt v = PetscMax(1, y - 1); v <= PetscMin(my, y + 1); v++) {
      for (PetscInt u = PetscMax(1, x - 1); u <= PetscMin(mx, x + 1); u++) {
        PetscInt dx = u != x, dy = v != y;

        PetscCall(MatSetValue(p->A, i, u + v * nx, Stiffness(mx, dx) * Mass(my, dy) + Mass(mx, dx) * Stiffness(my, dy), INSERT_VALUES));
        PetscCall(MatSetValue(p->B, i, u + v * nx, Mass(mx, dx) * Mass(my, dy), INSERT_VALUES));
      }
    }
  }
  PetscCall(MatAssemblyBegin(p->A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(p->A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyBegin(p->B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(p->B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatNorm(p->A, NORM_INFINITY, &p->normA));
  PetscCall(MatNorm(p->B, NORM_INFINITY, &p->normB));
  PetscFunctionReturn(PETSC_SUCCESS);
}
