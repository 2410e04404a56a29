/* SPDX-License-Identifier: BSD-2-Clause */
/*
   napi-eps in parts: what was asked for (options.c), the matrices and where their unknowns are (problem.c), the solution and its check
   (solve.c), text and JSON (report.c), vectors and their picture (vectors.c).
*/
#pragma once

#include <slepcnapi.h>
#include <slepcnapi/private/napicompat.h>
#include "../common/app.h"
#include "../common/count.h"
#include "../../io/napiio.h"

typedef char Name[PETSC_MAX_PATH_LEN];

typedef struct {
  Name      A, B, X, Y, points, out, json, plot;
  char      generate[64];
  PetscBool hasA, hasB, hasX, hasY, hasgenerate, haspoints, hasout, hasjson, hasplot, hasbox, hastruetol;
  PetscBool center, swap, modes, free, nullspace;
  PetscBool vtk; /* -out is a file for VTK, which has to know where the unknowns are */
  PetscReal ridge, truetol, box[3];
  PetscInt  m[3], nm, nbox; /* elements a side; how many numbers were given */
} Options;

typedef struct {
  Mat       A, B; /* B may be NULL */
  NAPIMesh  mesh; /* where the unknowns are, if that is known */
  PetscBool placed;
  char      title[2 * PETSC_MAX_PATH_LEN + 128];
} Problem;

typedef struct {
  char               type[64], which[64];
  PetscInt           nev, nconv, its, shown; /* pairs wanted, converged, and listed: the wanted ones that converged */
  EPSConvergedReason reason;
  char               cause[512];                 /* of a failure, and the way out, or empty */
  PetscReal         *re, *im, *residual, *slepc; /* eigenvalues; ||r||/(|lambda| ||Bx||); ||r||/(|lambda| ||x||) */
  PetscReal         *bound;                      /* of the error of an eigenvalue, with -eps_napi_check certify */
  PetscReal         *backward;                   /* ||r||/((||A|| + |lambda| ||B||) ||x||), where the norms are known */
  PetscReal         *omega;                      /* with -modes: zero for a rigid mode, NaN where there is none */
  PetscBool         *zero;                       /* whether an eigenvalue is zero but for rounding */
  PetscReal          norm[2];                    /* of A and B; below zero: not known */
  PetscInt           rigid, negative;            /* how many eigenvalues are zero; negative, and no oscillation with -modes */
  EPSNAPIBoundKind   kind;
  PetscReal          limit; /* of the eigenvalues beyond this, so many by inertia (-1: not known), so many were found */
  PetscInt           count, found;
  NAPICost           cost;
  PetscReal          tol; /* used in the last solve */
  PetscInt           solves;
  PetscBool          reached;     /* all wanted pairs are there and, with -true_tol, are good enough */
  PetscBool          interrupted; /* by Ctrl-C */
} Result;

PETSC_INTERN const char NAPIEPSHelp[];

PETSC_INTERN PetscErrorCode NAPIEPSGetOptions(Options *, char[]);
PETSC_INTERN PetscErrorCode NAPIEPSCheckOutputs(const Options *, char[]);

PETSC_INTERN PetscErrorCode NAPIEPSCreateProblem(const Options *, Problem *, char[]);
PETSC_INTERN PetscErrorCode NAPIEPSDestroyProblem(Problem *);

PETSC_INTERN PetscErrorCode NAPIEPSCreateSolver(const Options *, const Problem *, PetscReal, EPS *, PetscBool *);
PETSC_INTERN PetscErrorCode NAPIEPSSolve(const Options *, const Problem *, EPS *, Result *, char[]);
PETSC_INTERN PetscErrorCode NAPIEPSDestroyResult(Result *);

PETSC_INTERN PetscErrorCode NAPIEPSPrint(const Options *, const Problem *, const Result *);
PETSC_INTERN PetscErrorCode NAPIEPSWriteJson(const Options *, const Problem *, const Result *, char[]);

PETSC_INTERN PetscErrorCode NAPIEPSWriteVectors(const Options *, const Problem *, EPS, const Result *, char[]);
