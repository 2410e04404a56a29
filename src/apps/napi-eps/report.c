/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What was found, as text and as a JSON file.
*/
#include "napi-eps.h"

/* --- text --------------------------------------------------------------------------------------------------------- */

static PetscErrorCode Report_PrintHeading(const Problem *p, const Result *r)
{
  PetscMPIInt size;
  PetscInt    n;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(MatGetSize(p->A, &n, NULL));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s\n", p->title));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s, %" PetscInt_FMT " unknowns, %" PetscInt_FMT " eigenvalue%s %s, eps_type %s, %d rank%s\n", p->B ? "A x = lambda B x" : "A x = lambda x", n, r->nev, r->nev == 1 ? "" : "s", r->which, r->type, size, size == 1 ? "" : "s"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Report_PrintTable(const Options *o, const Problem *p, const Result *r)
{
  const char *Bx = p->B ? "Bx" : "x";

  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n   k                  lambda   true residual   SLEPc residual%s\n", o->swap ? "                1/lambda" : ""));
  for (PetscInt i = 0; i < r->shown; i++) {
    char imaginary[48] = "", inverse[32] = "";

    if (o->swap && r->im[i] == 0.0) PetscCall(PetscSNPrintf(inverse, sizeof(inverse), "  %22.15g", (double)(1.0 / r->re[i])));
    if (r->im[i] != 0.0) PetscCall(PetscSNPrintf(imaginary, sizeof(imaginary), "   (imaginary part %.6g)", (double)r->im[i]));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%4" PetscInt_FMT "  %22.15g   %13.3e   %14.3e%s%s\n", i + 1, (double)r->re[i], (double)r->residual[i], (double)r->slepc[i], inverse, imaginary));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\nresiduals: true ||Ax - lambda %s||/(|lambda| ||%s||), SLEPc's ||Ax - lambda %s||/(|lambda| ||x||)\n", Bx, Bx, Bx));
  if (o->swap) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "A and B were exchanged by -swap: lambda is the inverse of an eigenvalue of the pair as it was given, 1/lambda that eigenvalue\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Frequencies. Where there is none, there is a dash; a rigid mode has a residual that zero does not divide. */
static PetscErrorCode Report_PrintModes(const Options *o, const Problem *p, const Result *r)
{
  const char *Bx = p->B ? "Bx" : "x";

  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n   k      %s               omega   f = omega/2pi   true residual\n", o->swap ? "lambda = 1/omega^2" : "  lambda = omega^2"));
  for (PetscInt i = 0; i < r->shown; i++) {
    const PetscBool rigid = (PetscBool)(r->zero[i] && !o->swap);
    char            frequency[64];

    if (PetscIsInfOrNanReal(r->omega[i])) PetscCall(PetscSNPrintf(frequency, sizeof(frequency), "%18s   %13s", "-", "-"));
    else PetscCall(PetscSNPrintf(frequency, sizeof(frequency), "%18.12g   %13.9g", (double)r->omega[i], (double)(r->omega[i] / (2.0 * PETSC_PI))));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%4" PetscInt_FMT "  %22.15g  %s   %13.3e%s\n", i + 1, (double)r->re[i], frequency, (double)(rigid ? r->backward[i] : r->residual[i]), rigid ? "   rigid" : r->re[i] < 0.0 ? "   negative" : ""));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\nmodes x have x'%sx = 1; true residual ||Ax - lambda %s||/(|lambda| ||%s||)%s\n", !p->B ? "" : o->swap ? "A" : "B", Bx, Bx, r->rigid ? ", of a rigid mode ||Ax - lambda Bx||/(||A|| ||x||)" : ""));
  if (r->rigid) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%" PetscInt_FMT " rigid mode%s (omega = 0): lambda is zero but for rounding\n", r->rigid, r->rigid == 1 ? "" : "s"));
  if (r->negative)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%" PetscInt_FMT " eigenvalue%s negative: what moves that way does not oscillate, and there is no omega; the stiffness is not positive semidefinite\n", r->negative, r->negative == 1 ? " is" : "s are"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Report_PrintCertificate(const Result *r)
{
  PetscReal largest = 0.0;

  PetscFunctionBegin;
  if (r->kind == EPS_NAPI_BOUND_NONE || !r->shown) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < r->shown; i++) largest = PetscMax(largest, r->bound[i]);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "no lambda is farther than %.3g from an eigenvalue (%s)", (double)largest, r->kind == EPS_NAPI_BOUND_CERTIFIED ? "certified" : "an estimate: no lower bound of B is known"));
  if (r->count >= 0) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "; by inertia there are %" PetscInt_FMT " eigenvalues beyond %.6g, and %" PetscInt_FMT " were found", r->count, (double)r->limit, r->found));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What it took, and what is missing */
static PetscErrorCode Report_PrintCost(const Options *o, const Problem *p, const Result *r)
{
  const NAPICost *cost = &r->cost;
  PetscInt        n;

  PetscFunctionBegin;
  PetscCall(MatGetSize(p->A, &n, NULL));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "columns multiplied by A: %" PetscInt_FMT ", by B: %" PetscInt_FMT ", preconditioned: %" PetscInt_FMT "; %" PetscInt_FMT " iterations, %.3g seconds\n", cost->A, cost->B, cost->PC, r->its, cost->seconds));
  if (r->solves > 1) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "(the last of %" PetscInt_FMT " solves, with tolerance %.3g)\n", r->solves, (double)r->tol));
  if (r->interrupted) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "INTERRUPTED: %" PetscInt_FMT " of %" PetscInt_FMT " wanted pairs had converged; whether others lie between them was not looked at\n", r->shown, r->nev));
  else if (r->nconv >= n && r->nev > n) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "There are %" PetscInt_FMT " pairs only, not %" PetscInt_FMT ": as many as there are unknowns.\n", n, r->nev));
  else if (r->nconv < r->nev || r->reason <= 0)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "NOT CONVERGED: %" PetscInt_FMT " of %" PetscInt_FMT " wanted pairs were found (%s%s%s)\n", r->nconv, r->nev, EPSConvergedReasons[r->reason], r->cause[0] ? ": " : "", r->cause));
  else if (!r->reached) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "NOT REACHED: the true relative residual asked for is %.3g\n", (double)o->truetol));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NAPIEPSPrint(const Options *o, const Problem *p, const Result *r)
{
  PetscFunctionBegin;
  PetscCall(Report_PrintHeading(p, r));
  if (o->modes) PetscCall(Report_PrintModes(o, p, r));
  else PetscCall(Report_PrintTable(o, p, r));
  PetscCall(Report_PrintCertificate(r));
  PetscCall(Report_PrintCost(o, p, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- JSON --------------------------------------------------------------------------------------------------------- */

/* The eigenvalues, and what they are */
static PetscErrorCode Report_PutEigenvalues(NAPIJson *json, const Options *o, const Result *r)
{
  PetscBool  imaginary = PETSC_FALSE;
  PetscReal *values;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(r->shown, &values));
  NAPIJsonText(json, "lambda", o->modes ? (o->swap ? "1/omega^2" : "omega^2") : o->swap ? "inverse of an eigenvalue of the pair as it was given" : "eigenvalue");
  NAPIJsonBool(json, "swapped", o->swap);
  NAPIJsonReals(json, "eigenvalues", r->shown, r->re);
  for (PetscInt i = 0; i < r->shown; i++)
    if (r->im[i] != 0.0) imaginary = PETSC_TRUE;
  if (imaginary) NAPIJsonReals(json, "eigenvalues_imaginary", r->shown, r->im);
  if (o->swap) {
    for (PetscInt i = 0; i < r->shown; i++) values[i] = 1.0 / r->re[i];
    NAPIJsonReals(json, "inverse_eigenvalues", r->shown, values);
  }
  if (o->modes) {
    for (PetscInt i = 0; i < r->shown; i++) values[i] = r->omega[i] / (2.0 * PETSC_PI);
    NAPIJsonReals(json, "omega", r->shown, r->omega);
    NAPIJsonReals(json, "frequency", r->shown, values);
    NAPIJsonInteger(json, "rigid_modes", r->rigid);
    NAPIJsonInteger(json, "negative_eigenvalues", r->negative);
    NAPIJsonReals(json, "backward_residuals", r->shown, r->backward);
  }
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void Report_PutCertificate(NAPIJson *json, const Result *r)
{
  if (r->kind != EPS_NAPI_BOUND_NONE) {
    NAPIJsonReals(json, "error_bounds", r->shown, r->bound);
    NAPIJsonBool(json, "error_bounds_certified", (PetscBool)(r->kind == EPS_NAPI_BOUND_CERTIFIED));
  }
  if (r->count >= 0) {
    NAPIJsonReal(json, "counted_beyond", r->limit);
    NAPIJsonInteger(json, "counted", r->count);
    NAPIJsonInteger(json, "counted_found", r->found);
  }
}

PetscErrorCode NAPIEPSWriteJson(const Options *o, const Problem *p, const Result *r, char message[])
{
  NAPIJson    json;
  PetscMPIInt size;
  PetscInt    n;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(MatGetSize(p->A, &n, NULL));
  PetscCall(NAPIJsonBegin(&json));
  NAPIJsonText(&json, "eps_type", r->type);
  NAPIJsonInteger(&json, "n", n);
  NAPIJsonInteger(&json, "ranks", size);
  NAPIJsonInteger(&json, "nev", r->nev);
  NAPIJsonInteger(&json, "converged", r->nconv);
  NAPIJsonText(&json, "reason", EPSConvergedReasons[r->reason]);
  NAPIJsonBool(&json, "interrupted", r->interrupted);
  NAPIJsonInteger(&json, "iterations", r->its);
  PetscCall(Report_PutEigenvalues(&json, o, r));
  NAPIJsonReals(&json, "residuals", r->shown, r->residual);
  NAPIJsonReals(&json, "slepc_residuals", r->shown, r->slepc);
  if (o->hastruetol) {
    NAPIJsonReal(&json, "true_tol", o->truetol);
    NAPIJsonReal(&json, "tol_used", r->tol);
    NAPIJsonInteger(&json, "solves", r->solves);
    NAPIJsonBool(&json, "reached", r->reached);
  }
  Report_PutCertificate(&json, r);
  NAPIJsonInteger(&json, "A_columns", r->cost.A);
  NAPIJsonInteger(&json, "B_columns", r->cost.B);
  NAPIJsonInteger(&json, "PC_columns", r->cost.PC);
  NAPIJsonReal(&json, "seconds", (PetscReal)r->cost.seconds);
  NAPIJsonReal(&json, "cpu_seconds", (PetscReal)r->cost.cpu);
  PetscCall(NAPIJsonEnd(&json, o->json, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}
