/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The matrices, read or generated, and where their unknowns are.
*/
#include "napi-eps.h"
#include "../common/fem.h"

/* --- read --------------------------------------------------------------------------------------------------------- */

static PetscErrorCode Problem_ReadHermitian(const char name[], Mat *A, char message[])
{
  PetscFunctionBegin;
  PetscCall(NAPIReadMatrix(PETSC_COMM_WORLD, name, A, message));
  if (!message[0]) PetscCall(NAPICheckHermitian(*A, name, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Problem_ReadPair(const Options *o, Problem *p, char message[])
{
  PetscInt n, m;

  PetscFunctionBegin;
  PetscCall(Problem_ReadHermitian(o->A, &p->A, message));
  if (message[0] || !o->hasB) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Problem_ReadHermitian(o->B, &p->B, message));
  if (message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetSize(p->A, &n, NULL));
  PetscCall(MatGetSize(p->B, &m, NULL));
  if (n != m) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s is of size %" PetscInt_FMT " and %s of size %" PetscInt_FMT ": they make no pair", o->A, n, o->B, m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two data sets: B holds their covariances with a ridge, A those between them; neither is formed */
static PetscErrorCode Problem_ReadViews(const Options *o, Problem *p, char message[])
{
  Mat view[2] = {NULL, NULL};

  PetscFunctionBegin;
  PetscCall(NAPIReadViews(o->X, o->Y, view, NULL, message));
  if (!message[0]) PetscCall(MatCreateCCAPair(view[0], view[1], o->ridge, o->ridge, o->center, &p->A, &p->B));
  PetscCall(MatDestroy(&view[0]));
  PetscCall(MatDestroy(&view[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each point has the same number of unknowns, one after the other */
static PetscErrorCode Problem_ReadPoints(const Options *o, Problem *p, char message[])
{
  PetscInt n, points, dim;

  PetscFunctionBegin;
  PetscCall(NAPIReadData(PETSC_COMM_WORLD, o->points, &p->mesh.points, NULL, message));
  if (message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetSize(p->A, &n, NULL));
  PetscCall(MatGetSize(p->mesh.points, &points, &dim));
  if (dim < 2 || dim > 3) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s has %" PetscInt_FMT " column%s: a point has 2 or 3 coordinates, in a row", o->points, dim, dim == 1 ? "" : "s"));
  else if (!points || n % points) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s has %" PetscInt_FMT " points, and there are %" PetscInt_FMT " unknowns: that is not the same number for each point", o->points, points, n));
  if (message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  p->mesh.dim    = dim;
  p->mesh.fields = n / points;
  p->placed      = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- generated ---------------------------------------------------------------------------------------------------- */

typedef struct {
  const char *name, *elements; /* of -generate; what the title calls it */
  PetscInt    dim, fields, m[3];
} Kind;

static const Kind kinds[] = {
  {"fem2d",      "bilinear finite elements",                        2, 1, {100, 100, 0}},
  {"fem3d",      "trilinear finite elements",                       3, 1, {20, 20, 20} },
  {"elasticity", "trilinear elastic elements (E 1, nu 0.3, rho 1)", 3, 3, {30, 10, 8}  }
};

/* The elements a side: one number stands for all sides, none for a small problem */
static PetscErrorCode Problem_GetElements(const Options *o, const Kind *kind, PetscInt m[], char message[])
{
  const PetscInt least = o->free || kind->fields > 1 ? 1 : 2; /* where all of the boundary is held there has to be something inside */
  PetscReal      n     = (PetscReal)kind->fields;

  PetscFunctionBegin;
  if (o->nm > 1 && o->nm != kind->dim) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "-m needs one number or, for -generate %s, %" PetscInt_FMT " of them", kind->name, kind->dim));
  if (o->hasbox && o->nbox != kind->dim && !message[0]) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "-box needs %" PetscInt_FMT " lengths for -generate %s", kind->dim, kind->name));
  for (PetscInt d = 0; d < kind->dim; d++) {
    if (o->nm == 0) m[d] = kind->m[d];
    else m[d] = o->nm == 1 ? o->m[0] : o->m[d];
    n *= (PetscReal)m[d] + 1.0;
    if (m[d] < least && !message[0]) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "-m needs at least %" PetscInt_FMT " element%s a side", least, least == 1 ? "" : "s"));
    if (o->hasbox && !(o->box[d] > 0.0) && !message[0]) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "-box needs lengths that are positive"));
  }
  if (n > (PetscReal)PETSC_MAX_INT && !message[0]) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "-m asks for more unknowns than a PETSc with %d-bit indices can number", (int)(8 * sizeof(PetscInt))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Problem_NameGenerated(const Options *o, const Kind *kind, const PetscInt m[], Problem *p)
{
  const char *how = o->free ? ", free" : kind->fields > 1 ? ", clamped at x = 0" : "";

  PetscFunctionBegin;
  if (kind->dim == 2) PetscCall(PetscSNPrintf(p->title, sizeof(p->title), "%" PetscInt_FMT " x %" PetscInt_FMT " %s%s", m[0], m[1], kind->elements, how));
  else PetscCall(PetscSNPrintf(p->title, sizeof(p->title), "%" PetscInt_FMT " x %" PetscInt_FMT " x %" PetscInt_FMT " %s%s", m[0], m[1], m[2], kind->elements, how));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Problem_Generate(const Options *o, Problem *p, char message[])
{
  const Kind  *kind = NULL;
  PetscInt     m[3] = {0, 0, 0};
  MatNullSpace space;

  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
    PetscBool same;

    PetscCall(PetscStrcmp(o->generate, kinds[i].name, &same));
    if (same) kind = &kinds[i];
  }
  if (!kind) {
    PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "-generate knows fem2d, fem3d and elasticity, not '%s'", o->generate));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Problem_GetElements(o, kind, m, message));
  if (message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(NAPIFemSetGrid(kind->dim, kind->fields, m, o->hasbox ? o->box : NULL, o->free, &p->mesh));
  p->placed = PETSC_TRUE;
  PetscCall(NAPIFemAssemble(PETSC_COMM_WORLD, &p->mesh, NAPI_FEM_POISSON, &p->A, &p->B));
  if (o->nullspace) {
    PetscCall(NAPIFemCreateNullSpace(p->A, &p->mesh, &space));
    PetscCall(MatSetNullSpace(p->A, space));
    PetscCall(MatNullSpaceDestroy(&space));
  }
  PetscCall(Problem_NameGenerated(o, kind, m, p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- all ---------------------------------------------------------------------------------------------------------- */

/* The first line of the output: which matrices are called A and B below */
static PetscErrorCode Problem_NameMatrices(const Options *o, Problem *p)
{
  const char *A = o->hasgenerate ? "stiffness" : o->A, *B = o->hasgenerate ? "mass" : o->B;
  char        origin[PETSC_MAX_PATH_LEN] = "";

  PetscFunctionBegin;
  if (o->hasgenerate) {
    PetscCall(PetscStrncpy(origin, p->title, sizeof(origin)));
    PetscCall(PetscStrlcat(origin, ": ", sizeof(origin)));
  }
  if (o->hasX) PetscCall(PetscSNPrintf(p->title, sizeof(p->title), "canonical correlations of X = %s and Y = %s, ridge %g%s", o->X, o->Y, (double)o->ridge, o->center ? ", centred" : ""));
  else if (p->B) PetscCall(PetscSNPrintf(p->title, sizeof(p->title), "%sA = %s, B = %s", origin, o->swap ? B : A, o->swap ? A : B));
  else PetscCall(PetscSNPrintf(p->title, sizeof(p->title), "A = %s", A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NAPIEPSCreateProblem(const Options *o, Problem *p, char message[])
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(p, sizeof(*p)));
  if (o->hasgenerate) PetscCall(Problem_Generate(o, p, message));
  else if (o->hasX) PetscCall(Problem_ReadViews(o, p, message));
  else PetscCall(Problem_ReadPair(o, p, message));
  if (!message[0] && o->haspoints) PetscCall(Problem_ReadPoints(o, p, message));
  if (message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Problem_NameMatrices(o, p));
  if (o->swap) {
    Mat A = p->A;

    p->A = p->B;
    p->B = A;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NAPIEPSDestroyProblem(Problem *p)
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(&p->A));
  PetscCall(MatDestroy(&p->B));
  PetscCall(MatDestroy(&p->mesh.points));
  PetscFunctionReturn(PETSC_SUCCESS);
}
