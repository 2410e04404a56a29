/*
   Writes results. A file appears under its name only when it is whole: it is written as name.part and renamed.
*/
#include "napiio.h"
#include <slepcnapi/private/napicompat.h>
#include <petscviewer.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define PORTION 262144 /* numbers that are sent at a time */

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

/* A file to write to, or NULL and the reason */
static PetscErrorCode OpenPart(const char part[], const char name[], FILE **file, char message[])
{
  PetscFunctionBegin;
  *file = fopen(part, "wb");
  if (!*file) PetscCall(SayCannotWrite(name, errno, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Gives a part its name if all went well, and removes it if not */
static PetscErrorCode NamePart(PetscBool failed, const char part[], const char name[], char message[])
{
  PetscFunctionBegin;
  if (!failed) {
    errno  = 0;
    failed = (PetscBool)(rename(part, name) != 0);
  }
  if (failed) {
    PetscCall(SayCannotWrite(name, errno ? errno : EIO, message));
    (void)remove(part);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FinishPart(FILE *file, const char part[], const char name[], char message[])
{
  PetscBool failed = (PetscBool)(ferror(file) != 0);

  PetscFunctionBegin;
  errno = 0;
  if (fclose(file)) failed = PETSC_TRUE;
  PetscCall(NamePart(failed, part, name, message));
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
    struct stat status;
    FILE       *file;

    PetscCall(OpenPart(part, name, &file, message));
    if (file) {
      (void)fclose(file);
      (void)remove(part);
      if (!stat(name, &status) && S_ISDIR(status.st_mode)) PetscCall(SayCannotWrite(name, EISDIR, message));
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
    FILE *file;

    PetscCall(OpenPart(part, name, &file, message));
    if (file) {
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
    PetscCall(OpenPart(part, name, &file, message));
    if (file)
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
  if (!rank) PetscCall(NamePart(PETSC_FALSE, part, name, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A NumPy array, by rows: its header is padded with blanks so that the numbers begin at a multiple of 64 bytes */
static PetscErrorCode PrintNumpyHeader(FILE *file, PetscInt m, PetscInt n)
{
  const uint16_t      one    = 1;
  const unsigned char little = *(const unsigned char *)&one;
  char                header[128];
  int                 length;

  PetscFunctionBegin;
  length = snprintf(header, sizeof(header),
                    "{'descr': '%c%s', 'fortran_order': False, 'shape': (%" PetscInt_FMT ", %" PetscInt_FMT "), }",
                    little ? '<' : '>', PetscDefined(USE_COMPLEX) ? "c16" : "f8", m, n);
  (void)fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, file); /* 10 + 118 = 128 bytes */
  (void)fprintf(file, "%s%*s\n", header, 117 - length, "");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* n rows, stored by columns, as numbers of double precision by rows */
static void PrintRows(FILE *file, PetscInt m, PetscInt n, const PetscScalar array[])
{
  for (PetscInt i = 0; i < m; i++)
    for (PetscInt j = 0; j < n; j++) {
      const PetscScalar v        = array[i + (size_t)j * (size_t)m];
      const double      parts[2] = {(double)PetscRealPart(v), (double)PetscImaginaryPart(v)};

      (void)fwrite(parts, sizeof(double), PetscDefined(USE_COMPLEX) ? 2 : 1, file);
    }
}

/* Rank 0 writes rows as they come from the ranks, some at a time */
static PetscErrorCode WriteNumpy(Mat X, const char part[], const char name[], char message[])
{
  const PetscScalar *array;
  const PetscInt    *range;
  PetscScalar       *piece;
  PetscInt           M, N, lda, height;
  PetscMPIInt        rank, size, tag;
  MPI_Comm           comm;
  FILE              *file = NULL;

  PetscFunctionBegin;
  PetscCall(PetscCommDuplicate(PetscObjectComm((PetscObject)X), &comm, &tag));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(MatGetSize(X, &M, &N));
  PetscCall(MatGetOwnershipRanges(X, &range));
  PetscCall(MatDenseGetLDA(X, &lda));
  PetscCall(MatDenseGetArrayRead(X, &array));
  if (!rank) PetscCall(OpenPart(part, name, &file, message));
  if (file) PetscCall(PrintNumpyHeader(file, M, N));
  height = PetscMax(1, PORTION / PetscMax(1, N));
  PetscCall(PetscMalloc1((size_t)height * (size_t)N, &piece));
  for (PetscMPIInt p = 0; p < size; p++) {
    if (rank && rank != p) continue;
    for (PetscInt top = range[p]; top < range[p + 1]; top += height) {
      const PetscInt    n     = PetscMin(height, range[p + 1] - top);
      const PetscMPIInt count = (PetscMPIInt)(n * N);

      if (rank == p)
        for (PetscInt j = 0; j < N; j++)
          PetscCall(
            PetscArraycpy(piece + (size_t)j * (size_t)n, array + (top - range[p]) + (size_t)j * (size_t)lda, n));
      if (rank) PetscCallMPI(MPI_Send(piece, count, MPIU_SCALAR, 0, tag, comm));
      if (!rank && p) PetscCallMPI(MPI_Recv(piece, count, MPIU_SCALAR, p, tag, comm, MPI_STATUS_IGNORE));
      if (file) PrintRows(file, n, N, piece);
    }
  }
  PetscCall(PetscFree(piece));
  PetscCall(MatDenseRestoreArrayRead(X, &array));
  if (file) PetscCall(FinishPart(file, part, name, message));
  PetscCall(PetscCommDestroy(&comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIWriteDense - Writes a dense matrix: as a NumPy array if the name ends in .npy, as a Matrix Market array if it
   ends in .mtx, else in PETSc's binary format, which MatLoad() and PETSc's scripts for Python and Matlab read.
*/
PetscErrorCode NAPIWriteDense(Mat X, const char name[], char message[])
{
  char      part[PETSC_MAX_PATH_LEN];
  PetscBool mtx, npy;

  PetscFunctionBegin;
  message[0] = '\0';
  PetscCall(PartName(name, part));
  PetscCall(PetscStrendswith(name, ".mtx", &mtx));
  PetscCall(PetscStrendswith(name, ".npy", &npy));
  if (npy)
    PetscCall(WriteNumpy(X, part, name, message));
  else if (mtx)
    PetscCall(WriteMatrixMarket(X, part, name, message));
  else
    PetscCall(WritePetscBinary(X, part, name, message));
  PetscCallMPI(MPI_Bcast(message, NAPI_MESSAGE_LENGTH, MPI_CHAR, 0, PetscObjectComm((PetscObject)X)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
