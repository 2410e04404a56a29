/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA: the object and its solution in words.
*/
#include <slepcnapi/private/ccaimpl.h>

/* What is added to the covariances */
static PetscErrorCode CCAView_Regularization(CCA cca, PetscViewer viewer)
{
  PetscReal s[2], r[2];

  PetscFunctionBegin;
  PetscCall(CCAGetShrinkage(cca, &s[0], &s[1]));
  if (cca->shrunk && cca->setupcalled) {
    PetscCall(CCAGetRegularization(cca, &r[0], &r[1]));
    PetscCall(PetscViewerASCIIPrintf(viewer, "shrinkage %g and %g: ridges %g and %g\n", (double)s[0], (double)s[1], (double)r[0], (double)r[1]));
  } else if (cca->shrunk) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "shrinkage"));
    PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_FALSE));
    for (int i = 0; i < 2; i++) {
      if (s[i] == CCA_SHRINKAGE_AUTO) PetscCall(PetscViewerASCIIPrintf(viewer, "%sby Ledoit and Wolf", i ? " and " : " "));
      else PetscCall(PetscViewerASCIIPrintf(viewer, "%s%g", i ? " and " : " ", (double)s[i]));
    }
    PetscCall(PetscViewerASCIIPrintf(viewer, "\n"));
    PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_TRUE));
  } else PetscCall(PetscViewerASCIIPrintf(viewer, "ridges %g and %g\n", (double)cca->absolute[0], (double)cca->absolute[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAView - Describes the object.

   Collective

   Input Parameters:
+  cca    - the object
-  viewer - where to, or NULL for the standard output

   Options Database Key:
.  -cca_view - describes it after the solution

   Level: beginner

.seealso: CCACreate(), CCASolve()
@*/
PetscErrorCode CCAView(CCA cca, PetscViewer viewer)
{
  PetscBool ascii;
  PetscReal a, b, passes;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  if (!viewer) PetscCall(PetscViewerASCIIGetStdout(PetscObjectComm((PetscObject)cca), &viewer));
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectPrintClassNamePrefixType((PetscObject)cca, viewer));
  PetscCall(PetscViewerASCIIPushTab(viewer));
  if (cca->chosen && cca->why[0]) PetscCall(PetscViewerASCIIPrintf(viewer, "type chosen by size: %s\n", cca->why));
  if (cca->X) {
    PetscInt n, d1, d2 = 0;

    PetscCall(MatGetSize(cca->X, &n, &d1));
    if (cca->Y) PetscCall(MatGetSize(cca->Y, NULL, &d2));
    if (cca->analysis) PetscCall(PetscViewerASCIIPrintf(viewer, "analysis: %s\n", CCAAnalyses[cca->analysis]));
    PetscCall(PetscViewerASCIIPrintf(viewer, "%" PetscInt_FMT " samples, %" PetscInt_FMT " and %" PetscInt_FMT " columns\n", n, d1, d2));
  }
  PetscCall(PetscViewerASCIIPrintf(viewer, "columns %scentred, %sscaled\n", cca->center ? "" : "not ", cca->scale ? "" : "not "));
  if (cca->weights || cca->own[0] || cca->own[1]) PetscCall(PetscViewerASCIIPrintf(viewer, "the samples have weights\n"));
  PetscCall(CCAView_Regularization(cca, viewer));
  PetscCall(PetscViewerASCIIPrintf(viewer, "pairs wanted: %" PetscInt_FMT ", to a relative residual of %g\n", cca->k, (double)cca->tol));
  if (cca->start[0]) PetscCall(PetscViewerASCIIPrintf(viewer, "initial directions were given\n"));
  if (cca->ops->view) PetscCall((*cca->ops->view)(cca, viewer));
  if (cca->reason) {
    PetscCall(CCAGetCost_Private(cca, &a, &b, &passes));
    PetscCall(PetscViewerASCIIPrintf(viewer, "%s: %" PetscInt_FMT " pairs in %" PetscInt_FMT " iterations\n", CCAConvergedReasons[cca->reason], cca->nconv, cca->its));
    for (PetscInt i = 0; i < cca->ncols && cca->bound; i++) {
      if (cca->bound[i] >= PETSC_INFINITY)
        PetscCall(PetscViewerASCIIPrintf(viewer, "correlation %" PetscInt_FMT ": %.10f, no bound of its error is known%s\n", i + 1, (double)cca->rho[i], PetscMin(cca->ridge[0], cca->ridge[1]) > 0.0 ? "" : " without ridge"));
      else PetscCall(PetscViewerASCIIPrintf(viewer, "correlation %" PetscInt_FMT ": %.10f, wrong by at most %.3g\n", i + 1, (double)cca->rho[i], (double)cca->bound[i]));
    }
    PetscCall(PetscViewerASCIIPrintf(viewer, "columns through both views: %g by A, %g by B; passes over the data: %g\n", (double)a, (double)b, (double)passes));
  }
  if (cca->ksp[0]) PetscCall(KSPView(cca->ksp[0], viewer));
  if (cca->eps) PetscCall(EPSView(cca->eps, viewer));
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAViewFromOptions - Describes the object if an option asks for it.

   Collective

   Input Parameters:
+  cca  - the object
.  obj  - another object that gives the prefix of the option, or NULL
-  name - the option

   Level: intermediate

.seealso: CCAView()
@*/
PetscErrorCode CCAViewFromOptions(CCA cca, PetscObject obj, const char name[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscCall(PetscObjectViewFromOptions((PetscObject)cca, obj, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}
