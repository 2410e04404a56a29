/* SPDX-License-Identifier: BSD-2-Clause */
/*
   CCA: the other analyses that are eigenproblems of the same operators. With S11, S22 and S12 the covariances of X and Y:

     cca   u'S12 v           S11 and S22, with ridges, normalise u and v       the pair of MATGRAMs
     pls   u'S12 v           the identity does: B is proportional to it        the same pair
     lda   u'Sb u/u'Sw u     between and within classes                        cca with the indicators of the classes as Y (ccalda.c)
     pca   u'S11 u           the identity does                                 one MATGRAM (ccaspectral.c)
     gev   u'S11 u/u'S22 u   Y are other samples of the same variables         two MATGRAMs (ccaspectral.c)
*/
#include <slepcnapi/private/ccaimpl.h>
#include <slepcnapi/private/gramimpl.h>

/*E
   CCAAnalysis - What is looked for

   Values:
+  CCA_ANALYSIS_CCA - canonical correlation analysis, the default
.  CCA_ANALYSIS_PLS - partial least squares: the singular vectors of the cross-covariance
.  CCA_ANALYSIS_LDA - Fisher's discriminant analysis, see CCASetClasses()
.  CCA_ANALYSIS_PCA - principal components of X alone
-  CCA_ANALYSIS_GEV - directions in which the variance of X is largest compared to that of Y, other samples of the same variables

   Level: beginner

.seealso: CCASetAnalysis()
E*/
const char *const CCAAnalyses[] = {"cca", "pls", "lda", "pca", "gev", "CCAAnalysis", "CCA_ANALYSIS_", NULL};

/*@
   CCASetAnalysis - Chooses what is looked for.

   Logically Collective

   Input Parameters:
+  cca      - the object
-  analysis - CCA_ANALYSIS_CCA, PLS, LDA, PCA or GEV

   Options Database Key:
.  -cca_analysis <cca> - cca, pls, pca or gev (lda needs classes, see CCASetClasses())

   Level: beginner

   Notes:
   Call it before CCASetData(), which expects other data:

   CCA_ANALYSIS_PLS takes X and Y; the pairs of unit vectors (u_i, v_i) maximise the covariance of the scores X u_i and Y v_i, among
   those orthogonal to the ones before. They are the singular vectors of X'Y/n, the values of CCAGetValue() its singular values. There is no
   regularisation.

   CCA_ANALYSIS_LDA is set by CCASetClasses().

   CCA_ANALYSIS_PCA takes X, and NULL for Y; the unit vectors u_i maximise the variance of X u_i, which is the value. There is
   no regularisation, and no V.

   CCA_ANALYSIS_GEV takes X and Y with the same variables, and any number of samples each; u_i maximises the ratio of the variances of X u_i and
   Y u_i, which is the value: S11 u = value (S22 + r I) u, u'(S22 + r I)u = 1. What regularises Y regularises S22; V is U. There is no
   scaling: only the regularisation would see it. CCASetViewWeights() gives the samples of each their weights.

   All are centred as CCASetCentering() says, over n, never formed, and have means, scores and loadings as canonical correlations have; PCA and
   GEV, which have one set of scores a view, no cross-loadings. The eigensolver of PCA and GEV is that of CCAGetEPS(): Krylov-Schur, or EPSNAPI for the latter.

.seealso: CCAGetAnalysis(), CCAGetValue(), CCASetClasses(), CCASetData()
@*/
PetscErrorCode CCASetAnalysis(CCA cca, CCAAnalysis analysis)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(cca, analysis, 2);
  PetscCheck(analysis >= CCA_ANALYSIS_CCA && analysis <= CCA_ANALYSIS_GEV, PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_OUTOFRANGE, "There is no such analysis: use CCA_ANALYSIS_CCA, PLS, LDA, PCA or GEV");
  if (analysis == cca->analysis) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CCAResetSetUp_Private(cca));
  if (cca->analysis == CCA_ANALYSIS_LDA) PetscCall(CCAResetClasses_Private(cca));
  PetscCall(EPSDestroy(&cca->eps)); /* another analysis has other defaults */
  cca->analysis = analysis;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAGetAnalysis - Gets what is looked for.

   Not Collective

   Input Parameter:
.  cca - the object

   Output Parameter:
.  analysis - the analysis

   Level: beginner

.seealso: CCASetAnalysis()
@*/
PetscErrorCode CCAGetAnalysis(CCA cca, CCAAnalysis *analysis)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscAssertPointer(analysis, 2);
  *analysis = cca->analysis;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAGetValue - Gets what a direction, or pair of them, reaches of what the analysis maximises.

   Not Collective

   Input Parameters:
+  cca - the object
-  i   - its number, from 0

   Output Parameter:
.  value - the correlation (CCA_ANALYSIS_CCA), the covariance of the scores (PLS), the variance between classes over that within them (LDA), the
           variance of the score (PCA), or the ratio of variances (GEV); they do not increase

   Level: beginner

   Note:
   Those from CCAGetConverged() on, if any, have not converged.

.seealso: CCASetAnalysis(), CCAGetCorrelation()
@*/
PetscErrorCode CCAGetValue(CCA cca, PetscInt i, PetscReal *value)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscAssertPointer(value, 3);
  PetscCall(CCACheckIndex_Private(cca, i));
  *value = cca->value ? cca->value[i] : cca->rho[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCAGetGram_Private - The operator that has the statistics of a view, and which of its views that is.
*/
PetscErrorCode CCAGetGram_Private(CCA cca, PetscInt view, Mat *G, PetscInt *block)
{
  PetscFunctionBegin;
  PetscCheck(view == 0 || (view == 1 && cca->analysis != CCA_ANALYSIS_PCA), PetscObjectComm((PetscObject)cca), PETSC_ERR_ARG_OUTOFRANGE, "There is no view %" PetscInt_FMT ": X is 0%s", view, cca->analysis == CCA_ANALYSIS_PCA ? ", and principal components have no other" : " and Y is 1");
  PetscCheck(cca->setupcalled, PetscObjectComm((PetscObject)cca), PETSC_ERR_ORDER, "Nothing is known of the data yet: call CCASetUp() or CCASolve() first");
  if (CCAIsSpectral(cca)) {
    *G     = view ? cca->B : cca->A;
    *block = 0;
  } else {
    *G     = cca->B;
    *block = view;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   CCADuplicateGram_Private - The covariance of each view of an operator, which shares its data: without ridges, and with columns of unit variance or as they
   are in the data.
*/
PetscErrorCode CCADuplicateGram_Private(Mat G, PetscBool scale, Mat *H)
{
  Mat X, Y;

  PetscFunctionBegin;
  PetscCall(MatDuplicate(G, MAT_SHARE_NONZERO_PATTERN, H));
  PetscCall(MatGramSetScaling(*H, scale));
  PetscCall(MatGramSetCoupling(*H, 1.0, 0.0, 1.0));
  PetscCall(MatGramSetRidge(*H, 0.0, 0.0));
  PetscCall(MatGramGetViews(G, &X, &Y));
  for (PetscInt i = 0; i < (Y ? 2 : 1); i++) PetscCall(MatGramSetFactor_Private(*H, i, 1.0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   CCAGetTotalVariance - Gets the sum of the variances of the columns of a view, as the analysis sees them.

   Collective

   Input Parameters:
+  cca  - the object
-  view - 0 for X, 1 for Y

   Output Parameter:
.  total - the sum, after scaling if there is any; of data that are not centred, of mean squares

   Level: intermediate

   Note:
   A principal component explains the share CCAGetValue()/total.

.seealso: CCAGetValue(), CCASetAnalysis()
@*/
PetscErrorCode CCAGetTotalVariance(CCA cca, PetscInt view, PetscReal *total)
{
  PetscInt    block;
  PetscScalar trace;
  Mat         G, own, copy;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(cca, CCA_CLASSID, 1);
  PetscAssertPointer(total, 3);
  PetscCall(CCAGetGram_Private(cca, view, &G, &block));
  PetscCall(CCADuplicateGram_Private(G, cca->scale, &copy));
  PetscCall(MatGramCreateView(copy, block, &own));
  PetscCall(MatGetTrace(own, &trace));
  *total = PetscRealPart(trace);
  PetscCall(MatDestroy(&own));
  PetscCall(MatDestroy(&copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}
