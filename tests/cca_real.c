/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Canonical correlations of real data: values known from the design's prototypes, types that agree with each other, and how
   little it takes.
*/
#include "realdata.h"

static PetscErrorCode Solve(Mat X, Mat Y, const char *type, const char *pc, PetscInt k, PetscReal ridge, PetscReal rho[], PetscReal *a, PetscReal *b)
{
  PetscInt nconv;
  CCA      cca;

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-cca_pc_type", pc));
  PetscCall(PetscOptionsSetValue(NULL, "-cca_st_pc_type", pc));
  if (!pc) {
    PetscCall(PetscOptionsClearValue(NULL, "-cca_pc_type"));
    PetscCall(PetscOptionsClearValue(NULL, "-cca_st_pc_type"));
  }
  PetscCall(CCACreate(PETSC_COMM_WORLD, &cca));
  PetscCall(CCASetData(cca, X, Y));
  PetscCall(CCASetDimensions(cca, k));
  PetscCall(CCASetRegularization(cca, ridge, ridge));
  PetscCall(CCASetCentering(cca, PETSC_FALSE));
  PetscCall(CCASetType(cca, type));
  PetscCall(CCASetFromOptions(cca));
  PetscCall(CCASolve(cca));
  PetscCall(CCAGetConverged(cca, &nconv));
  for (PetscInt i = 0; i < k; i++) {
    rho[i] = 0.0;
    if (i < nconv) PetscCall(CCAGetCorrelation(cca, i, &rho[i]));
  }
  PetscCall(CCAGetApplications(cca, a, b, NULL));
  PetscCall(CCADestroy(&cca));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Near(PetscInt k, const PetscReal got[], const PetscReal wanted[], const char *what)
{
  PetscReal worst = 0.0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < k; i++) worst = TapWorst(worst, PetscAbsReal(got[i] - wanted[i]));
  PetscCall(TapOk((PetscBool)(worst <= 1e-6), "%s: %d correlations to 1e-6", what, (int)k));
  if (!(worst <= 1e-6)) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# off by %g\n", (double)worst));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MNIST(void)
{
  const PetscReal known3[] = {0.99324978, 0.95172466, 0.94626498}, known5[] = {0.993519, 0.9537, 0.94896};
  PetscReal       rho[3], direct[3], a, b[2], worst;
  PetscBool       there;
  Mat             X, Y;

  PetscFunctionBegin;
  PetscCall(ReadMNIST(&X, &Y, &there));
  if (!there) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Solve(X, Y, CCADIRECT, NULL, 3, 1e-3, direct, &a, b));
  PetscCall(Near(3, direct, known3, "MNIST, ridge 1e-3, direct"));
  PetscCall(Solve(X, Y, CCANAPI, NULL, 3, 1e-3, rho, &a, b));
  PetscCall(Near(3, rho, direct, "MNIST, ridge 1e-3, napi"));
  PetscCall(Solve(X, Y, CCAEPS, PCSKETCH, 3, 1e-3, rho, &a, b));
  PetscCall(Near(3, rho, direct, "MNIST, ridge 1e-3, eps"));
  PetscCall(Solve(X, Y, CCADIRECT, NULL, 3, 1e-5, direct, &a, b));
  worst = 0.0;
  for (int i = 0; i < 3; i++) worst = TapWorst(worst, PetscAbsReal(direct[i] - known5[i]));
  PetscCall(TapOk((PetscBool)(worst < 6e-6), "MNIST, ridge 1e-5, direct: to the digits known"));
  PetscCall(Solve(X, Y, CCANAPI, PCSKETCH, 1, 1e-5, rho, &a, &b[0]));
  PetscCall(Near(1, rho, direct, "MNIST, ridge 1e-5, napi with a sketch"));
  PetscCall(Solve(X, Y, CCANAPI, PCJACOBI, 1, 1e-5, rho, &a, &b[1]));
  PetscCall(Near(1, rho, direct, "MNIST, ridge 1e-5, napi with Jacobi"));
  PetscCall(TapOk((PetscBool)(b[0] <= 150.0 && b[0] <= 0.4 * b[1]), "MNIST, ridge 1e-5, k=1: the sketch takes %g columns by B, at most 150 and 40 %% of Jacobi's %g", (double)b[0], (double)b[1]));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Text(void)
{
  const PetscReal known[] = {0.932801, 0.906299, 0.877535};
  PetscReal       rho[10], eps[10], a, b;
  PetscBool       there;
  Mat             X, Y;

  PetscFunctionBegin;
  PetscCall(ReadViews("text-en-it", "X_en", "Y_it", 0, &X, &Y, &there));
  if (!there) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Solve(X, Y, CCANAPI, NULL, 10, 1e-3, rho, &a, &b));
  PetscCall(Near(3, rho, known, "text-en-it, napi"));
  PetscCall(TapOk((PetscBool)(a + b <= 460.0), "text-en-it, k=10: %g columns by A and B, at most 460", (double)(a + b)));
  PetscCall(Solve(X, Y, CCAEPS, NULL, 10, 1e-3, eps, &a, &b));
  PetscCall(Near(10, eps, rho, "text-en-it, eps agrees with napi"));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));

  /* the covariances of all columns do not fit: all three types on some of the rows */
  PetscCall(ReadViews("text-en-it", "X_en", "Y_it", 400, &X, &Y, &there));
  PetscCall(Solve(X, Y, CCADIRECT, NULL, 5, 1e-3, eps, &a, &b));
  PetscCall(Solve(X, Y, CCANAPI, NULL, 5, 1e-3, rho, &a, &b));
  PetscCall(Near(5, rho, eps, "400 texts, napi agrees with direct"));
  PetscCall(Solve(X, Y, CCAEPS, NULL, 5, 1e-3, rho, &a, &b));
  PetscCall(Near(5, rho, eps, "400 texts, eps agrees with direct"));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Agree(const char *folder, const char *x, const char *y, PetscInt rows, PetscInt k)
{
  PetscReal rho[10], direct[10], a, b;
  PetscBool there;
  char      what[128];
  Mat       X, Y;

  PetscFunctionBegin;
  PetscCall(ReadViews(folder, x, y, rows, &X, &Y, &there));
  if (!there) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Solve(X, Y, CCADIRECT, NULL, k, 1e-3, direct, &a, &b));
  PetscCall(Solve(X, Y, CCANAPI, NULL, k, 1e-3, rho, &a, &b));
  PetscCall(PetscSNPrintf(what, sizeof(what), "%s, napi agrees with direct", folder));
  PetscCall(Near(k, rho, direct, what));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Twenty men in a gym (A. C. Linnerud, North Carolina State University): exercises, and weight, waist and pulse */
static PetscErrorCode Linnerud(void)
{
  static const PetscReal exercise[20][3] = {
    {5,  162, 60 },
    {2,  110, 60 },
    {12, 101, 101},
    {12, 105, 37 },
    {13, 155, 58 },
    {4,  101, 42 },
    {8,  101, 38 },
    {6,  125, 40 },
    {15, 200, 40 },
    {17, 251, 250},
    {17, 120, 38 },
    {13, 210, 115},
    {14, 215, 105},
    {1,  50,  50 },
    {6,  70,  31 },
    {12, 210, 120},
    {4,  60,  25 },
    {11, 230, 80 },
    {15, 225, 73 },
    {2,  110, 43 }
  };
  static const PetscReal body[20][3] = {
    {191, 36, 50},
    {189, 37, 52},
    {193, 38, 58},
    {162, 35, 62},
    {189, 35, 46},
    {182, 36, 56},
    {211, 38, 56},
    {167, 34, 60},
    {176, 31, 74},
    {154, 33, 56},
    {169, 34, 50},
    {166, 33, 52},
    {154, 34, 64},
    {247, 46, 50},
    {193, 36, 46},
    {202, 37, 62},
    {176, 37, 54},
    {157, 32, 52},
    {156, 33, 54},
    {138, 33, 68}
  };
  static const char *const types[]     = {CCADIRECT, CCANAPI, CCAEPS};
  const PetscReal          published[] = {0.795608, 0.200556, 0.072570}; /* SAS/STAT user's guide, CANCORR, example 1 */
  PetscReal                rho;
  PetscInt                 first, last;
  Mat                      X, Y;
  CCA                      cca;

  PetscFunctionBegin;
  for (int v = 0; v < 2; v++) {
    Mat *M = v ? &Y : &X;

    PetscCall(MatCreateDense(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, 20, 3, NULL, M));
    PetscCall(MatGetOwnershipRange(*M, &first, &last));
    for (PetscInt i = first; i < last; i++)
      for (PetscInt j = 0; j < 3; j++) PetscCall(MatSetValue(*M, i, j, v ? body[i][j] : exercise[i][j], INSERT_VALUES));
    PetscCall(MatAssemblyBegin(*M, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*M, MAT_FINAL_ASSEMBLY));
  }
  for (int t = 0; t < 3; t++) {
    PetscBool same = PETSC_TRUE;

    PetscCall(CCACreate(PETSC_COMM_WORLD, &cca));
    PetscCall(CCASetData(cca, X, Y));
    PetscCall(CCASetDimensions(cca, 3));
    PetscCall(CCASetRegularization(cca, 0.0, 0.0));
    PetscCall(CCASetCentering(cca, PETSC_TRUE));
    PetscCall(CCASetType(cca, types[t]));
    PetscCall(CCASolve(cca));
    for (PetscInt i = 0; i < 3; i++) {
      PetscCall(CCAGetCorrelation(cca, i, &rho));
      if (!(PetscAbsReal(rho - published[i]) <= 6e-7)) same = PETSC_FALSE;
    }
    PetscCall(TapOk(same, "Linnerud's data, %s: the published correlations", types[t]));
    PetscCall(CCADestroy(&cca));
  }
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt size;

  PetscCall(TapBegin(&argc, &argv));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(Linnerud());
  PetscCall(Agree("tmc2007", "X_words", "Y_labels", 0, 5));
  PetscCall(Agree("rcv1", "X_words", "Y_topics", 1500, 5)); /* 47,236 columns: more than samples */
  if (size < 3) PetscCall(Text());                          /* three ranks on two cores take their time */
  if (size < 2) PetscCall(MNIST());
  return TapEnd();
}
