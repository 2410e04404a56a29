/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The eigenvectors: files of numbers, files for VTK, and the picture that the script napi-eps-plot draws from one of these.
*/
#include "napi-eps.h"

/* With -modes, x'Mx = 1, where M is the mass: B or, swapped, A */
static PetscErrorCode Vectors_Normalise(const Options *o, const Problem *p, Vec x, Vec w)
{
  Mat         M = o->swap ? p->A : p->B;
  PetscScalar square;

  PetscFunctionBegin;
  if (M) PetscCall(MatMult(M, x, w));
  else PetscCall(VecCopy(x, w));
  PetscCall(VecDot(w, x, &square));
  if (PetscRealPart(square) > 0.0) PetscCall(VecScale(x, 1.0 / PetscSqrtReal(PetscRealPart(square))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The eigenvectors as the columns of a dense matrix */
static PetscErrorCode Vectors_Get(const Options *o, const Problem *p, EPS eps, const Result *r, Mat *X)
{
  Vec      x, w;
  PetscInt m, M;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(p->A, &m, NULL));
  PetscCall(MatGetSize(p->A, &M, NULL));
  PetscCall(MatCreateVecs(p->A, &w, NULL));
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, m, PETSC_DECIDE, M, r->shown, NULL, X));
  for (PetscInt i = 0; i < r->shown; i++) {
    PetscCall(MatDenseGetColumnVec(*X, i, &x));
    PetscCall(EPSGetEigenvector(eps, i, x, NULL));
    if (o->modes) PetscCall(Vectors_Normalise(o, p, x, w));
    PetscCall(MatDenseRestoreColumnVec(*X, i, &x));
  }
  PetscCall(VecDestroy(&w));
  PetscCall(MatAssemblyBegin(*X, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*X, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Vectors_WriteModes(const Options *o, const Problem *p, Mat X, const Result *r, const char name[], char message[])
{
  const char *const      names[]  = {"lambda", "omega"};
  const PetscReal *const values[] = {r->re, r->omega};

  PetscFunctionBegin;
  PetscCall(NAPIWriteModes(X, &p->mesh, name, o->modes ? 2 : 1, names, values, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const Options *o;
  const Problem *p;
  const Result  *r;
  Mat            X;
} Shown;

static PetscErrorCode Vectors_WritePicture(char *files[], void *ctx, char message[])
{
  const Shown *shown = (const Shown *)ctx;

  PetscFunctionBegin;
  PetscCall(Vectors_WriteModes(shown->o, shown->p, shown->X, shown->r, files[0], message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NAPIEPSWriteVectors(const Options *o, const Problem *p, EPS eps, const Result *r, char message[])
{
  static const char *const file[] = {"modes.vtu"};
  Shown                    shown  = {o, p, r, NULL};

  PetscFunctionBegin;
  if (!r->shown || (!o->hasout && !o->hasplot)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Vectors_Get(o, p, eps, r, &shown.X));
  if (o->hasout && o->vtk) PetscCall(Vectors_WriteModes(o, p, shown.X, r, o->out, message));
  else if (o->hasout) PetscCall(NAPIWriteDense(shown.X, o->out, message));
  if (o->hasplot && !message[0]) PetscCall(NAPIPlot("napi-eps", o->plot, 1, file, Vectors_WritePicture, &shown, message));
  PetscCall(MatDestroy(&shown.X));
  PetscFunctionReturn(PETSC_SUCCESS);
}
