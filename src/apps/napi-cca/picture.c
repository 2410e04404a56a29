/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The picture of -plot, which the script napi-cca-plot draws from the results, the scores and the loadings.
*/
#include "napi-cca.h"

/* What the script is given, in its order; a file that the analysis does not have is not there */
enum {
  SHOWN_RESULTS,
  SHOWN_SCORES,
  SHOWN_LOADINGS = 3,
  SHOWN_MODEL    = 5,
  SHOWN_CLASSES,
  NSHOWN
};

typedef struct {
  const Options *o;
  const Data    *d;
  CCA            cca;
  const Result  *r;
  const Path    *path;
} Shown;

/* The class of each sample, as a column */
static PetscErrorCode Picture_WriteClasses(IS labels, const char name[], char message[])
{
  const PetscInt *label;
  PetscInt        n;
  PetscScalar    *a;
  Mat             M;

  PetscFunctionBegin;
  PetscCall(ISGetLocalSize(labels, &n));
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, n, PETSC_DECIDE, PETSC_DETERMINE, 1, NULL, &M));
  PetscCall(ISGetIndices(labels, &label));
  PetscCall(MatDenseGetArrayWrite(M, &a));
  for (PetscInt i = 0; i < n; i++) a[i] = (PetscReal)label[i];
  PetscCall(MatDenseRestoreArrayWrite(M, &a));
  PetscCall(ISRestoreIndices(labels, &label));
  PetscCall(MatAssemblyBegin(M, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(M, MAT_FINAL_ASSEMBLY));
  PetscCall(NAPIWriteDense(M, name, message));
  PetscCall(MatDestroy(&M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Picture_Write(char *files[], void *ctx, char message[])
{
  const Shown *shown = (const Shown *)ctx;
  Mat          L;

  PetscFunctionBegin;
  if (shown->o->analysis == CCA_ANALYSIS_CCA) PetscCall(NAPICCAWriteJson(shown->o, shown->d, shown->r, shown->path, files[SHOWN_RESULTS], message));
  else PetscCall(NAPICCAWriteAnalysisJson(shown->o, shown->d, shown->cca, shown->r, files[SHOWN_RESULTS], message));
  for (int v = 0; v < 2 && !message[0]; v++) {
    if (!shown->r->score[v]) continue;
    PetscCall(NAPIWriteDense(shown->r->score[v], files[SHOWN_SCORES + v], message));
    PetscCall(CCAGetLoadings(shown->cca, v, v, &L));
    if (!message[0]) PetscCall(NAPIWriteDense(L, files[SHOWN_LOADINGS + v], message));
  }
  if (!message[0]) PetscCall(NAPICCAWriteModelJson(shown->o, shown->d, shown->cca, shown->r, files[SHOWN_MODEL], message));
  if (!message[0] && shown->d->labels) PetscCall(Picture_WriteClasses(shown->d->labels, files[SHOWN_CLASSES], message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NAPICCAPlot(const Options *o, const Data *d, CCA cca, const Result *r, const Path *path, char message[])
{
  static const char *const names[NSHOWN] = {"j", "x.npy", "y.npy", "lx.npy", "ly.npy", "m", "c.npy"};
  Shown                    shown         = {o, d, cca, r, path};

  PetscFunctionBegin;
  PetscCall(NAPIPlot("napi-cca", o->plot, NSHOWN, names, Picture_Write, &shown, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}
