/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Canonical correlations of weighted samples are those of the samples written as often as their weights say, for all methods.
*/
#include "weights.h"

static Weighted data;

typedef struct {
  const char *type;
  PetscInt    d[2];
  PetscBool   dense, center, scale;
  PetscReal   ridge;
  const char *ksp; /* or NULL */
} Case;

static PetscErrorCode Solve(const Case *c, PetscBool repeated, PetscReal rho[2], PetscReal *bound, Mat score[2])
{
  Mat       X, Y, Z[2];
  Vec       w;
  CCA       cca;
  PetscInt  k;
  PetscBool one;

  PetscFunctionBeginUser;
  PetscCall(WeightedView(&data, c->d[0], c->dense, repeated, 0, &X));
  PetscCall(WeightedView(&data, c->d[1], c->dense, repeated, 1, &Y));
  PetscCall(WeightedVec(&data, X, 0.37, &w));
  PetscCall(CCACreate(PETSC_COMM_WORLD, &cca));
  PetscCall(CCASetType(cca, c->type));
  PetscCall(CCASetData(cca, X, Y));
  PetscCall(PetscStrcmp(c->type, CCASI, &one)); /* which finds one pair */
  k = one ? 1 : 2;
  PetscCall(CCASetDimensions(cca, k));
  PetscCall(CCASetRegularization(cca, c->ridge, 2.0 * c->ridge));
  PetscCall(CCASetCentering(cca, c->center));
  PetscCall(CCASetScaling(cca, c->scale));
  PetscCall(CCASetTolerances(cca, 1e-9, PETSC_DECIDE));
  PetscCall(CCASetCheck(cca, CCA_CHECK_CERTIFY));
  if (c->ksp) {
    KSP ksp[2];

    PetscCall(CCAGetKSP(cca, &ksp[0], &ksp[1]));
    for (int i = 0; i < 2; i++) PetscCall(KSPSetType(ksp[i], c->ksp));
  }
  if (!repeated) {
    PetscCall(CCASolve(cca)); /* without weights first: nothing of it must be left */
    PetscCall(CCASetWeights(cca, w));
    PetscCall(VecSet(w, 1.0));
  }
  PetscCall(CCASolve(cca));
  for (PetscInt i = 0; i < 2; i++) PetscCall(CCAGetCorrelation(cca, PetscMin(i, k - 1), &rho[i]));
  PetscCall(CCAGetErrorBound(cca, 0, bound));
  PetscCall(WeightedView(&data, c->d[0], c->dense, PETSC_FALSE, 0, &Z[0]));
  PetscCall(WeightedView(&data, c->d[1], c->dense, PETSC_FALSE, 1, &Z[1]));
  PetscCall(CCATransform(cca, Z[0], Z[1], &score[0], &score[1]));
  for (int i = 0; i < 2; i++) PetscCall(MatDestroy(&Z[i]));
  PetscCall(CCADestroy(&cca));
  PetscCall(VecDestroy(&w));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestCase(const Case *c)
{
  PetscReal rho[2][2], bound[2], far = 0.0, apart = 0.0, norm;
  Mat       score[2][2];

  PetscFunctionBeginUser;
  for (int i = 0; i < 2; i++) PetscCall(Solve(c, (PetscBool)i, rho[i], &bound[i], score[i]));
  for (int i = 0; i < 2; i++) {
    far = TapWorst(far, PetscAbsReal(rho[0][i] - rho[1][i]));
    PetscCall(MatAXPY(score[0][i], -1.0, score[1][i], SAME_NONZERO_PATTERN));
    PetscCall(MatNorm(score[0][i], NORM_FROBENIUS, &norm));
    apart = TapWorst(apart, norm);
  }
  /* directions of correlations of 1, which there are several of, are not unique */
  PetscCall(TapOk((PetscBool)(far < 1e-11 && (apart < 1e-4 || rho[0][1] > 1.0 - 1e-9) && (c->ridge == 0.0 || bound[0] < 1e-6)), "%s%s%s, %" PetscInt_FMT " and %" PetscInt_FMT " columns, %s%s%s, ridge %g: correlations %.10f, %.10f (off by %.1e, scores by %.1e)", c->type, c->ksp ? " with " : "", c->ksp ? c->ksp : "", c->d[0], c->d[1], c->dense ? "dense" : "sparse", c->center ? ", centred" : "", c->scale ? ", scaled" : "",
                  (double)c->ridge, (double)rho[0][0], (double)rho[0][1], (double)far, (double)apart));
  for (int i = 0; i < 4; i++) PetscCall(MatDestroy(&score[i / 2][i % 2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestRefused(void)
{
  Mat            X, Y;
  Vec            w, got;
  CCA            cca;
  PetscErrorCode code[2];

  PetscFunctionBeginUser;
  PetscCall(WeightedView(&data, 9, PETSC_TRUE, PETSC_FALSE, 0, &X));
  PetscCall(WeightedView(&data, 8, PETSC_TRUE, PETSC_FALSE, 1, &Y));
  PetscCall(WeightedVec(&data, X, 1.0, &w));
  PetscCall(CCACreate(PETSC_COMM_WORLD, &cca));
  PetscCall(CCASetType(cca, CCAALS));
  PetscCall(CCASetData(cca, X, Y));
  PetscCall(CCASetWeights(cca, w));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  code[0] = CCASolve(cca);
  PetscCall(CCASetType(cca, CCADIRECT));
  PetscCall(VecScale(w, -1.0));
  PetscCall(CCASetWeights(cca, w));
  code[1] = CCASolve(cca);
  PetscCall(PetscPopErrorHandler());
  PetscCall(TapOk((PetscBool)(code[0] == PETSC_ERR_SUP && code[1] == PETSC_ERR_ARG_OUTOFRANGE), "als draws samples and refuses weights; direct refuses negative ones"));
  PetscCall(CCASetWeights(cca, NULL));
  PetscCall(CCAGetWeights(cca, &got));
  PetscCall(CCASolve(cca));
  PetscCall(TapOk((PetscBool)!got, "after NULL there are none, and a solution"));
  PetscCall(CCADestroy(&cca));
  PetscCall(VecDestroy(&w));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PetscBool no = PETSC_FALSE, yes = PETSC_TRUE;
  const Case      cases[] = {
         {CCADIRECT,  {9, 8},     yes, no,  no,  1e-3, NULL      },
         {CCADIRECT,  {9, 8},     yes, yes, yes, 0.0,  NULL      },
         {CCADIRECT,  {9, 8},     no,  yes, no,  1e-3, NULL      },
         {CCADIRECT,  {160, 8},   yes, yes, no,  1e-1, NULL      },
         {CCADIRECT,  {8, 160},   no,  no,  yes, 1e-1, NULL      },
         {CCADIRECT,  {150, 160}, no,  yes, no,  1.0,  NULL      },
         {CCADIRECT,  {160, 8},   yes, yes, no,  0.0,  NULL      },
         {CCANAPI,    {9, 8},     yes, yes, no,  1e-3, NULL      },
         {CCANAPI,    {9, 8},     no,  yes, yes, 1e-3, NULL      },
         {CCANAPI,    {150, 160}, no,  no,  no,  1.0,  NULL      },
         {CCAEPS,     {9, 8},     no,  yes, no,  1e-3, NULL      },
         {CCAAPPGRAD, {9, 8},     yes, yes, yes, 1e-1, NULL      },
         {CCALAZY,    {9, 8},     no,  yes, no,  1e-2, NULL      },
         {CCAALS,     {9, 8},     yes, yes, no,  1e-2, KSPBLOCKCG},
         {CCASI,      {9, 8},     no,  yes, no,  1e-2, KSPBLOCKCG},
  };

  PetscCall(TapBegin(&argc, &argv));
  for (PetscInt most = 1; most <= 3; most += 2) {
    WeightedSetUp(&data, 140, most, 0.4);
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c += most == 1 ? 2 : 1) PetscCall(TestCase(&cases[c]));
  }
  PetscCall(TestRefused());
  return TapEnd();
}
