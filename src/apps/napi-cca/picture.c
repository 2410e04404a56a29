/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The picture of -plot, which the script napi-cca-plot draws from the results and the scores.
*/
#include "napi-cca.h"

typedef struct {
  const Options *o;
  const Data    *d;
  const Result  *r;
  const Path    *path;
} Shown;

static PetscErrorCode Picture_Write(char *files[], void *ctx, char message[])
{
  const Shown *shown = (const Shown *)ctx;

  PetscFunctionBegin;
  PetscCall(NAPICCAWriteJson(shown->o, shown->d, shown->r, shown->path, files[0], message));
  for (int i = 0; i < 2 && !message[0]; i++) PetscCall(NAPIWriteDense(shown->r->score[i], files[1 + i], message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NAPICCAPlot(const Options *o, const Data *d, const Result *r, const Path *path, char message[])
{
  static const char *const names[] = {"j", "x.npy", "y.npy"};
  Shown                    shown   = {o, d, r, path};

  PetscFunctionBegin;
  PetscCall(NAPIPlot("napi-cca", o->plot, 3, names, Picture_Write, &shown, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}
