/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA: what the user sets, by functions or by options.
*/
#include <slepcnapi/private/ccaimpl.h>

/*@
   CCASetRegularization - Sets the ridges, which are added to the diagonals of X'X/n and Y'Y/n.

   Logically Collective

   Input Parameters:
+  cca - the object
.  r1  - for X
-  r2  - for Y

   Options Database Key:
.  -cca_ridge <r> or <r1,r2> - sets them, both at once if one is given

   Level: beginner

   Notes:
   The default is no ridge that is the same for all data but a shrinkage, see CCASetShrinkage(), which makes one that goes with the
   data: the last of the two functions that was called holds. Zero is allowed: columns that depend on each other then make some directions not unique,
   but the correlations are.

   The ridge is a number to which variances are compared: the result depends on the units of the columns (unless they are
   scaled, see CCASetScaling()). Without ridge it does not. Therefore the columns of a view whose ridge is zero are divided by
   their standard deviations inside (their root mean squares if they are not centred), and everything is decided there: what
   is negligible, what depends on what, and when a pair has converged, for which S11, S22 and S12 of CCAComputeError() are
   those of the scaled columns. The directions are given in the user's units. Constant columns of centred data are left out.

   After another ridge CCANAPI goes on with the bases that it has, and CCADIRECT with its covariances; other types begin from random
   directions again, unless CCASetInitialDirections() is called. Going from large ridges to small ones costs less.

.seealso: CCAGetRegularization(), CCASetInitialDirections()
@*/
PetscErrorCode CCASetRegularization(CCA cca, PetscReal r1, PetscReal r2)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscValidLogicalCollectiveReal(cca, r1, 2);
  PetscValidLogicalCollectiveReal(cca, r2, 3);
  PetscCheck(r1 >= 0.0 && r2 >= 0.0 && !PetscIsInfOrNanReal(r1) && !PetscIsInfOrNanReal(r2), PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_OUTOFRANGE, "The ridges must be finite and not negative, they are %g and %g", (double)r1, (double)r2);
  if (cca->shrunk || cca->analysis != CCA_ANALYSIS_CCA) PetscCall(CCAResetSetUp_Private(cca)); /* the others have their own ways to regularise */
  else if (cca->setupcalled) PetscCall(CCAChangeRidges_Private(cca, r1, r2));
  cca->shrunk      = PETSC_FALSE;
  cca->absolute[0] = r1;
  cca->absolute[1] = r2;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAGetRegularization - Gets the ridges: those that were set, or what the shrinkage adds to the diagonals of the covariances.

   Not Collective

   Input Parameter:
.  cca - the object

   Output Parameters:
+  r1 - for X
-  r2 - for Y

   Level: beginner

   Note:
   They are in the units of the data (scaled, if they are scaled by CCASetScaling()). Those of a shrinkage depend on the data, and are known
   after CCASetUp().

.seealso: CCASetRegularization(), CCAGetShrinkage()
@*/
PetscErrorCode CCAGetRegularization(CCA cca, PetscReal *r1, PetscReal *r2)
{
  PetscReal *r[2] = {r1, r2};

  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscCheck(!cca->shrunk || cca->setupcalled, PetscObjectComm((PetscObject)cca), PETSC_ERR_ORDER, "The ridges that a shrinkage makes depend on the data: call CCASetUp() first");
  for (int i = 0; i < 2; i++)
    if (!r[i]) continue;
    else if (cca->analysis == CCA_ANALYSIS_PLS || cca->analysis == CCA_ANALYSIS_PCA || (cca->analysis != CCA_ANALYSIS_CCA && i == (cca->analysis == CCA_ANALYSIS_LDA))) *r[i] = 0.0; /* is not regularised */
    else *r[i] = cca->shrunk ? cca->ridge[i] / PetscSqr(cca->factor[i]) : cca->absolute[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCASetDimensions - Sets how many canonical pairs are wanted.

   Logically Collective

   Input Parameters:
+  cca - the object
-  k   - the number, by default 1

   Options Database Key:
.  -cca_k <k> - sets it

   Level: beginner

.seealso: CCAGetDimensions(), CCAGetConverged()
@*/
PetscErrorCode CCASetDimensions(CCA cca, PetscInt k)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscValidLogicalCollectiveInt(cca, k, 2);
  PetscCheck(k > 0, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_OUTOFRANGE, "The number of pairs must be positive, not %" PetscInt_FMT, k);
  if (k != cca->k) PetscCall(CCAResetSetUp_Private(cca));
  cca->k = k;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAGetDimensions - Gets how many canonical pairs are wanted.

   Not Collective

   Input Parameter:
.  cca - the object

   Output Parameter:
.  k - the number

   Level: beginner

.seealso: CCASetDimensions()
@*/
PetscErrorCode CCAGetDimensions(CCA cca, PetscInt *k)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscAssertPointer(k, 2);
  *k = cca->k;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCASetCentering - Chooses whether the mean of every column is taken off.

   Logically Collective

   Input Parameters:
+  cca    - the object
-  center - whether it is, by default PETSC_TRUE

   Options Database Key:
.  -cca_center <true> - takes it off

   Level: beginner

   Notes:
   Sparse data stay sparse. What is not centred has cosines in the place of correlations.

.seealso: CCASetScaling(), CCAGetCentering()
@*/
PetscErrorCode CCASetCentering(CCA cca, PetscBool center)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscValidLogicalCollectiveBool(cca, center, 2);
  if (center != cca->center) PetscCall(CCAResetSetUp_Private(cca));
  cca->center = center;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAGetCentering - Tells whether the mean of every column is taken off.

   Not Collective

   Input Parameter:
.  cca - the object

   Output Parameter:
.  center - whether it is

   Level: beginner

.seealso: CCASetCentering()
@*/
PetscErrorCode CCAGetCentering(CCA cca, PetscBool *center)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscAssertPointer(center, 2);
  *center = cca->center;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCASetScaling - Chooses whether every column is divided by its standard deviation (its root mean square if the columns
   are not centred), so that the ridge means the same for all.

   Logically Collective

   Input Parameters:
+  cca   - the object
-  scale - whether it is, by default PETSC_FALSE

   Options Database Key:
.  -cca_scale - does it

   Level: beginner

   Note:
   A column that is constant when the data are centred is left out. The directions are those of the scaled columns, see
   CCATransform().

.seealso: CCASetCentering(), CCAGetScaling()
@*/
PetscErrorCode CCASetScaling(CCA cca, PetscBool scale)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscValidLogicalCollectiveBool(cca, scale, 2);
  if (scale != cca->scale) PetscCall(CCAResetSetUp_Private(cca));
  cca->scale = scale;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAGetScaling - Tells whether every column is divided by its standard deviation.

   Not Collective

   Input Parameter:
.  cca - the object

   Output Parameter:
.  scale - whether it is

   Level: beginner

.seealso: CCASetScaling()
@*/
PetscErrorCode CCAGetScaling(CCA cca, PetscBool *scale)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscAssertPointer(scale, 2);
  *scale = cca->scale;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCASetTolerances - Sets when to stop.

   Logically Collective

   Input Parameters:
+  cca    - the object
.  tol    - a pair has converged when its relative residual, see CCAComputeError(), is at most this; by default 1e-6
-  max_it - the largest number of iterations; PETSC_DECIDE for one that goes with the method

   Options Database Keys:
+  -cca_tol <tol>   - sets the tolerance
-  -cca_max_it <n>  - sets the number of iterations

   Level: beginner

.seealso: CCAGetTolerances(), CCAComputeError()
@*/
PetscErrorCode CCASetTolerances(CCA cca, PetscReal tol, PetscInt max_it)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscValidLogicalCollectiveReal(cca, tol, 2);
  PetscValidLogicalCollectiveInt(cca, max_it, 3);
  PetscCheck(tol > 0.0, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_OUTOFRANGE, "The tolerance must be positive, not %g", (double)tol);
  PetscCheck(max_it > 0 || max_it == PETSC_DECIDE || max_it == NAPI_UNSET, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_OUTOFRANGE, "The number of iterations must be positive, or PETSC_DECIDE, not %" PetscInt_FMT, max_it);
  cca->tol    = tol;
  cca->max_it = max_it > 0 ? max_it : NAPI_UNSET;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAGetTolerances - Gets when the solution stops.

   Not Collective

   Input Parameter:
.  cca - the object

   Output Parameters:
+  tol    - the tolerance
-  max_it - the largest number of iterations, negative if the method chooses it

   Level: beginner

.seealso: CCASetTolerances()
@*/
PetscErrorCode CCAGetTolerances(CCA cca, PetscReal *tol, PetscInt *max_it)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  if (tol) *tol = cca->tol;
  if (max_it) *max_it = cca->max_it;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*E
   CCACheck - What is checked of a solution besides its residuals

   Values:
+  CCA_CHECK_NONE    - nothing
.  CCA_CHECK_QUICK   - whether a larger correlation was missed: a few steps from random directions that are orthogonal to everything
                       found, the default
-  CCA_CHECK_CERTIFY - the same, and bounds of the errors of the correlations

   Level: intermediate

.seealso: CCASetCheck(), CCAGetErrorBound()
E*/
const char *const CCAChecks[] = {"none", "quick", "certify", "CCACheck", "CCA_CHECK_", NULL};

/*@
   CCASetCheck - Chooses what is checked of a solution besides its residuals.

   Logically Collective

   Input Parameters:
+  cca   - the object
-  check - CCA_CHECK_NONE, CCA_CHECK_QUICK (the default) or CCA_CHECK_CERTIFY

   Options Database Key:
.  -cca_check <none,quick,certify> - chooses it

   Level: intermediate

   Notes:
   Small residuals tell that what was found are canonical pairs, but not that they are the first ones. With CCA_CHECK_QUICK the type
   CCANAPI takes a random direction in each view, orthogonal to everything it has seen, and follows it for a few steps. A larger
   correlation that turns up is pursued, and the end checked again. This costs 10 columns or 5 per cent of those spent, whichever
   is more. Other types check nothing of their own; CCADIRECT cannot miss anything.

   CCA_CHECK_CERTIFY computes bounds of the errors of the correlations too, see CCAGetErrorBound().

.seealso: CCAGetCheck(), CCAGetErrorBound(), CCACheck
@*/
PetscErrorCode CCASetCheck(CCA cca, CCACheck check)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(cca, check, 2);
  PetscCheck(check == CCA_CHECK_NONE || check == CCA_CHECK_QUICK || check == CCA_CHECK_CERTIFY, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_OUTOFRANGE, "There is no check number %d: use CCA_CHECK_NONE, CCA_CHECK_QUICK or CCA_CHECK_CERTIFY", (int)check);
  cca->check = check;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAGetCheck - Gets what is checked of a solution besides its residuals.

   Not Collective

   Input Parameter:
.  cca - the object

   Output Parameter:
.  check - what is checked

   Level: intermediate

.seealso: CCASetCheck()
@*/
PetscErrorCode CCAGetCheck(CCA cca, CCACheck *check)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscAssertPointer(check, 2);
  *check = cca->check;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCASetOptionsPrefix - Sets what the names of all options of this object begin with.

   Logically Collective

   Input Parameters:
+  cca    - the object
-  prefix - the beginning, without the hyphen

   Level: advanced

.seealso: CCAAppendOptionsPrefix(), CCAGetOptionsPrefix()
@*/
PetscErrorCode CCASetOptionsPrefix(CCA cca, const char prefix[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscCall(PetscObjectSetOptionsPrefix((PetscObject)cca, prefix));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAAppendOptionsPrefix - Adds to what the names of all options of this object begin with.

   Logically Collective

   Input Parameters:
+  cca    - the object
-  prefix - what is added

   Level: advanced

.seealso: CCASetOptionsPrefix()
@*/
PetscErrorCode CCAAppendOptionsPrefix(CCA cca, const char prefix[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscCall(PetscObjectAppendOptionsPrefix((PetscObject)cca, prefix));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
   CCAGetOptionsPrefix - Gets what the names of all options of this object begin with.

   Not Collective

   Input Parameter:
.  cca - the object

   Output Parameter:
.  prefix - the beginning

   Level: advanced

.seealso: CCASetOptionsPrefix()
@*/
PetscErrorCode CCAGetOptionsPrefix(CCA cca, const char *prefix[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscAssertPointer(prefix, 2);
  PetscCall(PetscObjectGetOptionsPrefix((PetscObject)cca, prefix));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCASetFromOptions - Takes settings from the options database, see CCACreate() for their names.

   Collective

   Input Parameter:
.  cca - the object

   Level: beginner

   Note:
   What is set by functions afterwards stays. If the type is left to CCASetUp(), the options of the type are read there.

.seealso: CCACreate(), CCASetOptionsPrefix()
@*/
PetscErrorCode CCASetFromOptions(CCA cca)
{
  char        type[256];
  PetscBool   set, flag;
  PetscReal   ridge[2], shrinkage[2], tol;
  PetscInt    n = 2, k, max_it;
  PetscBool   ridged, shrunk;
  char        text[256];
  CCACheck    check;
  CCAAnalysis analysis;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  for (int i = 0; i < 2; i++) ridge[i] = cca->absolute[i];
  PetscObjectOptionsBegin((PetscObject)cca);
  PetscCall(PetscOptionsFList("-cca_type", "Method", "CCASetType", CCAList, ((PetscObject)cca)->type_name ? ((PetscObject)cca)->type_name : "by the size of the data", type, sizeof(type), &set));
  if (set) PetscCall(CCASetType(cca, type));
  PetscCall(PetscOptionsEnum("-cca_analysis", "What is looked for", "CCASetAnalysis", CCAAnalyses, (PetscEnum)cca->analysis, (PetscEnum *)&analysis, &set));
  if (set) PetscCall(CCASetAnalysis(cca, analysis));
  PetscCall(PetscOptionsInt("-cca_k", "Number of pairs", "CCASetDimensions", cca->k, &k, &set));
  if (set) PetscCall(CCASetDimensions(cca, k));
  PetscCall(PetscOptionsRealArray("-cca_ridge", "Regularisation, of both views or of each", "CCASetRegularization", ridge, &n, &ridged));
  if (ridged) PetscCall(CCASetRegularization(cca, ridge[0], n > 1 ? ridge[1] : ridge[0]));
  PetscCall(PetscOptionsString("-cca_shrinkage", "Regularisation without units, of both views or of each: numbers from 0 to 1, or auto", "CCASetShrinkage", "1e-3", text, sizeof(text), &shrunk));
  PetscCall(PetscOptionsBool("-cca_center", "Take off the mean of every column", "CCASetCentering", cca->center, &flag, &set));
  if (set) PetscCall(CCASetCentering(cca, flag));
  PetscCall(PetscOptionsBool("-cca_scale", "Divide every column by its standard deviation", "CCASetScaling", cca->scale, &flag, &set));
  if (set) PetscCall(CCASetScaling(cca, flag));
  PetscCall(PetscOptionsReal("-cca_tol", "Relative residual at which a pair has converged", "CCASetTolerances", cca->tol, &tol, &set));
  if (set) PetscCall(CCASetTolerances(cca, tol, cca->max_it));
  PetscCall(PetscOptionsInt("-cca_max_it", "Largest number of iterations", "CCASetTolerances", cca->max_it, &max_it, &set));
  if (set) PetscCall(CCASetTolerances(cca, cca->tol, max_it));
  PetscCall(PetscOptionsEnum("-cca_check", "What is checked besides the residuals", "CCASetCheck", CCAChecks, (PetscEnum)cca->check, (PetscEnum *)&check, &set));
  if (set) PetscCall(CCASetCheck(cca, check));
  PetscCall(PetscOptionsBool("-cca_history", "Record the course of the solution", "CCASetHistory", cca->wanthistory, &flag, &set));
  if (set) PetscCall(CCASetHistory(cca, flag));
  PetscCall(CCAFoldsSetFromOptions_Private(cca, PetscOptionsObject));
  PetscCall(PetscOptionsName("-cca_monitor", "Print a line a step", "CCAMonitorSet", &set));
  if (set) PetscCall(CCAMonitorSet(cca, CCAMonitorDefault, NULL, NULL));
  PetscCall(PetscOptionsName("-cca_view", "Describe the object after the solution", "CCAView", &set));
  PetscCall(PetscOptionsName("-cca_converged_reason", "Say why the solution ended", "CCASolve", &set));
  if (cca->ops->setfromoptions) PetscCall((*cca->ops->setfromoptions)(cca, PetscOptionsObject));
  PetscCall(PetscObjectProcessOptionsHandlers((PetscObject)cca, PetscOptionsObject));
  PetscOptionsEnd();
  PetscCheck(!shrunk || !ridged, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_INCOMP, "-cca_ridge and -cca_shrinkage are two ways to say the same: leave out one of them");
  if (shrunk) {
    PetscCall(CCAParseShrinkage(text, 2, &n, shrinkage));
    PetscCall(CCASetShrinkage(cca, shrinkage[0], n > 1 ? shrinkage[1] : shrinkage[0]));
  }
  cca->optionsread = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The options of the type alone: those of the class were read when the user asked for it, and may have been overruled since */
PetscErrorCode CCATypeSetFromOptions_Private(CCA cca)
{
  PetscFunctionBegin;
  if (!cca->ops->setfromoptions) PetscFunctionReturn(PETSC_SUCCESS);
  PetscObjectOptionsBegin((PetscObject)cca);
  PetscCall((*cca->ops->setfromoptions)(cca, PetscOptionsObject));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}
