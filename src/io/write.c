/*
   Writes results. A file appears under its name only when it is whole: it is written as name.part and renamed.
*/
#include "napiio.h"
#include <slepcnapi/private/napicompat.h>
#include <petscviewer.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static PetscErrorCode PartName(const char name[], char part[])
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(part, PETSC_MAX_PATH_LEN, "%s.part", name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SayCannotWrite(const char name[], int reason, char message[])
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s: cannot be written: %s", name, strerror(reason)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Closes a part on rank 0 and gives it its name, if all went well */
static PetscErrorCode FinishPart(FILE *file, const char part[], const char name[], char message[])
{
  PetscBool failed = (PetscBool)(ferror(file) != 0);

  PetscFunctionBegin;
  errno = 0;
  if (fclose(file)) failed = PETSC_TRUE;
  if (!failed && rename(part, name)) failed = PETSC_TRUE;
  if (failed) {
    PetscCall(SayCannotWrite(name, errno ? errno : EIO, message));
    (void)remove(part);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPICheckWritable - Says so if a file cannot be created, before anything expensive is done to fill it.
*/
PetscErrorCode NAPICheckWritable(MPI_Comm comm, const char name[], char message[])
{
  char        part[PETSC_MAX_PATH_LEN];
  PetscMPIInt rank;

  PetscFunctionBegin;
  message[0] = '\0';
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PartName(name, part));
  if (!rank) {
    FILE *file = fopen(part, "wb");

    if (!file)
      PetscCall(SayCannotWrite(name, errno, message));
    else {
      (void)fclose(file);
      (void)remove(part);
    }
  }
  PetscCallMPI(MPI_Bcast(message, NAPI_MESSAGE_LENGTH, MPI_CHAR, 0, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIWriteText - Writes a string, which rank 0 has, to a file.
*/
PetscErrorCode NAPIWriteText(MPI_Comm comm, const char name[], const char text[], char message[])
{
  char        part[PETSC_MAX_PATH_LEN];
  PetscMPIInt rank;

  PetscFunctionBegin;
  message[0] = '\0';
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PartName(name, part));
  if (!rank) {
    FILE *file = fopen(part, "w");

    if (!file)
      PetscCall(SayCannotWrite(name, errno, message));
    else {
      (void)fputs(text, file);
      PetscCall(FinishPart(file, part, name, message));
    }
  }
  PetscCallMPI(MPI_Bcast(message, NAPI_MESSAGE_LENGTH, MPI_CHAR, 0, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PrintValues(FILE *file, Vec x)
{
  const PetscScalar *v;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArrayRead(x, &v));
  for (PetscInt i = 0; i < n; i++) {
    if (PetscDefined(USE_COMPLEX))
      (void)fprintf(file, "%.17g %.17g\n", (double)PetscRealPart(v[i]), (double)PetscImaginaryPart(v[i]));
    else
      (void)fprintf(file, "%.17g\n", (double)PetscRealPart(v[i]));
  }
  PetscCall(VecRestoreArrayRead(x, &v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A Matrix Market array goes by columns, so that rank 0 needs room for one only */
static PetscErrorCode WriteMatrixMarket(Mat X, const char part[], const char name[], char message[])
{
  VecScatter  gather;
  Vec         x, whole;
  FILE       *file = NULL;
  PetscInt    m, n;
  PetscMPIInt rank;
  MPI_Comm    comm = PetscObjectComm((PetscObject)X);

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(MatGetSize(X, &m, &n));
  if (!rank) {
    file = fopen(part, "w");
    if (!file)
      PetscCall(SayCannotWrite(name, errno, message));
    else
      (void)fprintf(file, "%%%%MatrixMarket matrix array %s general\n%" PetscInt_FMT " %" PetscInt_FMT "\n",
                    PetscDefined(USE_COMPLEX) ? "complex" : "real", m, n);
  }
  PetscCall(MatCreateVecs(X, NULL, &x));
  PetscCall(VecScatterCreateToZero(x, &gather, &whole));
  PetscCall(VecDestroy(&x));
  for (PetscInt j = 0; j < n; j++) {
    PetscCall(MatDenseGetColumnVecRead(X, j, &x));
    PetscCall(VecScatterBegin(gather, x, whole, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecScatterEnd(gather, x, whole, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(MatDenseRestoreColumnVecRead(X, j, &x));
    if (file) PetscCall(PrintValues(file, whole));
  }
  if (file) PetscCall(FinishPart(file, part, name, message));
  PetscCall(VecScatterDestroy(&gather));
  PetscCall(VecDestroy(&whole));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WritePetscBinary(Mat X, const char part[], const char name[], char message[])
{
  PetscViewer viewer;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)X), &rank));
  PetscCall(PetscViewerCreate(PetscObjectComm((PetscObject)X), &viewer));
  PetscCall(PetscViewerSetType(viewer, PETSCVIEWERBINARY));
  PetscCall(PetscViewerBinarySetSkipInfo(viewer, PETSC_TRUE)); /* no second file of options */
  PetscCall(PetscViewerFileSetMode(viewer, FILE_MODE_WRITE));
  PetscCall(PetscViewerFileSetName(viewer, part));
  PetscCall(PetscViewerPushFormat(viewer, PETSC_VIEWER_NATIVE)); /* a dense matrix as a dense one */
  PetscCall(MatView(X, viewer));
  PetscCall(PetscViewerPopFormat(viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  if (!rank && rename(part, name)) {
    PetscCall(SayCannotWrite(name, errno, message));
    (void)remove(part);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIWriteDense - Writes a dense matrix: as a Matrix Market array if the name ends in .mtx, else in PETSc's binary
   format, which MatLoad() and PETSc's scripts for Python and Matlab read.
*/
PetscErrorCode NAPIWriteDense(Mat X, const char name[], char message[])
{
  char      part[PETSC_MAX_PATH_LEN];
  PetscBool mtx;

  PetscFunctionBegin;
  message[0] = '\0';
  PetscCall(PartName(name, part));
  PetscCall(PetscStrendswith(name, ".mtx", &mtx));
  if (mtx)
    PetscCall(WriteMatrixMarket(X, part, name, message));
  else
    PetscCall(WritePetscBinary(X, part, name, message));
  PetscCallMPI(MPI_Bcast(message, NAPI_MESSAGE_LENGTH, MPI_CHAR, 0, PetscObjectComm((PetscObject)X)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
