/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Writes results. A file appears under its name only when it is whole: it is written under another one in the same
   folder, which nobody else has, brought to the disk and renamed. Several files can be written first and then named all
   together. What is deleted after a failure, or when a signal ends the program, is what this process has made, and
   never a file that was there before.
*/
#include "napiio.h"
#include "output.h"
#include <slepcnapi/private/napicompat.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PORTION 262144 /* numbers that are sent at a time */

/* --- what is not finished -------------------------------------------------------------------------------------- */

#define MAX_TEMPORARIES 32

/* Static, because a signal handler looks at it; only rank 0 has any. used is set after the path and cleared first */
static struct {
  volatile sig_atomic_t used;
  char                  path[PETSC_MAX_PATH_LEN];
  char                  name[PETSC_MAX_PATH_LEN]; /* which it is to get; empty: none, it is removed in the end */
} temporary[MAX_TEMPORARIES];

/*
   NAPIRemoveTemporaries - Removes all files and empty folders that NAPITemporary() and the functions that write were
   told of and that have not got their names. A signal handler may call it.
*/
void NAPIRemoveTemporaries(void)
{
  for (int k = MAX_TEMPORARIES - 1; k >= 0; k--) /* what is in a folder was registered after it */
    if (temporary[k].used) {
      temporary[k].used = 0;
      if (unlink(temporary[k].path) && (errno == EISDIR || errno == EPERM)) (void)rmdir(temporary[k].path);
    }
}

static PetscErrorCode Write_Register(const char path[], const char name[])
{
  PetscFunctionBegin;
  for (int k = 0; k < MAX_TEMPORARIES; k++) {
    if (temporary[k].used) continue;
    PetscCall(PetscStrncpy(temporary[k].path, path, sizeof(temporary[k].path)));
    PetscCall(PetscStrncpy(temporary[k].name, name, sizeof(temporary[k].name)));
    temporary[k].used = 1;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_PLIB, "More than %d unfinished files", MAX_TEMPORARIES);
}

/* Removes one of them */
static void Write_Remove(const char path[])
{
  for (int k = 0; k < MAX_TEMPORARIES; k++)
    if (temporary[k].used && !strcmp(temporary[k].path, path)) temporary[k].used = 0;
  (void)unlink(path);
}

/*
   NAPITemporary - Tells of a file or folder that this process makes, and that is to be gone when it ends.
*/
PetscErrorCode NAPITemporary(const char path[])
{
  PetscFunctionBegin;
  PetscCall(Write_Register(path, ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- names ----------------------------------------------------------------------------------------------------- */

static PetscErrorCode Write_SayCannotWrite(const char name[], const char reason[], char message[])
{
  PetscFunctionBegin;
  if (message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s: cannot be written: %s", name, reason));
  NAPIEscape(message, NAPI_MESSAGE_LENGTH);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The folder of a file; its name in it */
static PetscErrorCode Write_Split(const char name[], char folder[], char base[])
{
  char copy[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(copy, name, sizeof(copy)));
  PetscCall(PetscStrncpy(folder, dirname(copy), PETSC_MAX_PATH_LEN));
  PetscCall(PetscStrncpy(copy, name, sizeof(copy)));
  PetscCall(PetscStrncpy(base, basename(copy), PETSC_MAX_PATH_LEN));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What stands in the way of a name, before it is known whether the folder can be written to */
static PetscErrorCode Write_CheckName(const char name[], char message[])
{
  struct stat status;
  size_t      length = strlen(name);

  PetscFunctionBegin;
  if (!length || name[length - 1] == '/') PetscCall(Write_SayCannotWrite(name, strerror(EISDIR), message));
  else if (!stat(name, &status)) {
    if (S_ISDIR(status.st_mode)) PetscCall(Write_SayCannotWrite(name, strerror(EISDIR), message));
    else if (!S_ISREG(status.st_mode)) PetscCall(Write_SayCannotWrite(name, "it is there and is not a regular file, which would be replaced", message));
  } else if (errno != ENOENT) PetscCall(Write_SayCannotWrite(name, strerror(errno), message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Creates a file that is to be called name in the end, and has this descriptor until then; below zero: not possible, see message */
static PetscErrorCode Write_CreatePart(const char name[], char part[], int *descriptor, char message[])
{
  char     folder[PETSC_MAX_PATH_LEN], base[PETSC_MAX_PATH_LEN];
  sigset_t all, before;
  mode_t   mask;

  PetscFunctionBegin;
  *descriptor = -1;
  PetscCall(Write_CheckName(name, message));
  if (message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Write_Split(name, folder, base));
  if (strlen(folder) + sizeof("/.napi-XXXXXX") > PETSC_MAX_PATH_LEN) {
    PetscCall(Write_SayCannotWrite(name, strerror(ENAMETOOLONG), message));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  (void)snprintf(part, PETSC_MAX_PATH_LEN, "%s/.napi-XXXXXX", folder);
  (void)sigfillset(&all); /* a signal between the two calls would leave the file */
  (void)sigprocmask(SIG_BLOCK, &all, &before);
  *descriptor = mkstemp(part); /* a new file, whoever else is writing here, and through no link */
  if (*descriptor < 0) PetscCall(Write_SayCannotWrite(name, strerror(errno), message));
  else PetscCall(Write_Register(part, name));
  (void)sigprocmask(SIG_SETMASK, &before, NULL);
  if (*descriptor < 0) PetscFunctionReturn(PETSC_SUCCESS);
  mask = umask(0); /* the permissions of any new file, where mkstemp() gives its owner's only */
  (void)umask(mask);
  (void)fchmod(*descriptor, 0666 & ~mask);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Write_CheckWritable(const char name[], char message[])
{
  char part[PETSC_MAX_PATH_LEN];
  int  descriptor;

  PetscFunctionBegin;
  PetscCall(Write_CreatePart(name, part, &descriptor, message));
  if (descriptor >= 0) {
    (void)close(descriptor);
    Write_Remove(part);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPICheckWritable - Says so if a file cannot be created, before anything expensive is done to fill it.
*/
PetscErrorCode NAPICheckWritable(MPI_Comm comm, const char name[], char message[])
{
  PetscFunctionBegin;
  PetscCall(NAPICheckOutputs(comm, 0, NULL, 1, &name, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Are two names one file, or will they be? */
static PetscErrorCode Write_IsSameFile(const char a[], const char b[], PetscBool *same)
{
  char        folder[2][PETSC_MAX_PATH_LEN], base[2][PETSC_MAX_PATH_LEN];
  struct stat status[2];

  PetscFunctionBegin;
  *same = PETSC_FALSE;
  if (!stat(a, &status[0]) && !stat(b, &status[1])) /* whatever links lead there */
    *same = (PetscBool)(status[0].st_dev == status[1].st_dev && status[0].st_ino == status[1].st_ino);
  if (*same) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Write_Split(a, folder[0], base[0]));
  PetscCall(Write_Split(b, folder[1], base[1]));
  if (strcmp(base[0], base[1]) || stat(folder[0], &status[0]) || stat(folder[1], &status[1])) PetscFunctionReturn(PETSC_SUCCESS);
  *same = (PetscBool)(status[0].st_dev == status[1].st_dev && status[0].st_ino == status[1].st_ino);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPICheckOutputs - Says so if one of the files that are to be written cannot be, or would take the place of one that
   is read or of another one that is written, before anything expensive is done.
*/
PetscErrorCode NAPICheckOutputs(MPI_Comm comm, int nin, const char *const in[], int nout, const char *const out[], char message[])
{
  PetscMPIInt rank;
  PetscBool   same;

  PetscFunctionBegin;
  message[0] = '\0';
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  for (int k = 0; k < nout && !rank && !message[0]; k++) {
    PetscCall(Write_CheckWritable(out[k], message));
    for (int i = 0; i < nin && !message[0]; i++) {
      PetscCall(Write_IsSameFile(out[k], in[i], &same));
      if (same) PetscCall(Write_SayCannotWrite(out[k], "it is what is to be read; give the output another name", message));
    }
    for (int i = 0; i < k && !message[0]; i++) {
      PetscCall(Write_IsSameFile(out[k], out[i], &same));
      if (same) PetscCall(Write_SayCannotWrite(out[k], "two outputs have this name; give them different ones", message));
    }
  }
  PetscCallMPI(MPI_Bcast(message, NAPI_MESSAGE_LENGTH, MPI_CHAR, 0, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* So that a rename outlives a crash of the machine; a file system that cannot do that does what it can */
static PetscErrorCode Write_SyncFolder(const char name[])
{
  char folder[PETSC_MAX_PATH_LEN], base[PETSC_MAX_PATH_LEN];
  int  descriptor;

  PetscFunctionBegin;
  PetscCall(Write_Split(name, folder, base));
  descriptor = open(folder, O_RDONLY | O_DIRECTORY);
  if (descriptor >= 0) {
    (void)fsync(descriptor);
    (void)close(descriptor);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPICommit - Gives all files that have been staged their names, if there is no message; else removes them.
*/
PetscErrorCode NAPICommit(MPI_Comm comm, char message[])
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  for (int k = 0; k < MAX_TEMPORARIES && !rank; k++) {
    if (!temporary[k].used || !temporary[k].name[0]) continue;
    if (!message[0] && rename(temporary[k].path, temporary[k].name)) PetscCall(Write_SayCannotWrite(temporary[k].name, strerror(errno), message));
    if (message[0]) (void)unlink(temporary[k].path);
    temporary[k].used = 0;
    if (!message[0]) PetscCall(Write_SyncFolder(temporary[k].name));
  }
  PetscCallMPI(MPI_Bcast(message, NAPI_MESSAGE_LENGTH, MPI_CHAR, 0, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIStageFile - Creates, on rank 0, an empty file part for somebody else to fill, which NAPICommit() calls name.
*/
PetscErrorCode NAPIStageFile(MPI_Comm comm, const char name[], char part[], char message[])
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) {
    int descriptor;

    PetscCall(Write_CreatePart(name, part, &descriptor, message));
    if (descriptor >= 0) (void)close(descriptor);
  }
  PetscCallMPI(MPI_Bcast(message, NAPI_MESSAGE_LENGTH, MPI_CHAR, 0, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- content --------------------------------------------------------------------------------------------------- */

/*
   NAPIOpenOutput - Begins a file, on rank 0, that NAPICommit() will call name.
*/
PetscErrorCode NAPIOpenOutput(const char name[], NAPIOutput *out, char message[])
{
  char part[PETSC_MAX_PATH_LEN];
  int  descriptor;

  PetscFunctionBegin;
  PetscCall(Write_CreatePart(name, part, &descriptor, message));
  if (descriptor < 0) PetscFunctionReturn(PETSC_SUCCESS);
  out->file = fdopen(descriptor, "wb");
  if (!out->file) {
    PetscCall(Write_SayCannotWrite(name, strerror(errno), message));
    (void)close(descriptor);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIPut - Puts bytes into a file.
*/
void NAPIPut(NAPIOutput *out, const void *bytes, size_t length)
{
  if (out->file && !out->failure && fwrite(bytes, 1, length, out->file) < length) out->failure = errno ? errno : EIO;
}

/*
   NAPIPutText - Puts a string into a file.
*/
void NAPIPutText(NAPIOutput *out, const char text[])
{
  NAPIPut(out, text, strlen(text));
}

/*
   NAPICloseOutput - Ends a file. All of it has to be on the disk before it gets its name: a full disk may be noticed no earlier than here.
*/
PetscErrorCode NAPICloseOutput(NAPIOutput *out, const char name[], char message[])
{
  PetscFunctionBegin;
  if (!out->file) PetscFunctionReturn(PETSC_SUCCESS);
  errno = 0;
  if (fflush(out->file) && !out->failure) out->failure = errno ? errno : EIO;
  if (fsync(fileno(out->file)) && !out->failure && errno != EINVAL && errno != ENOTSUP) out->failure = errno;
  if (fclose(out->file) && !out->failure) out->failure = errno ? errno : EIO;
  out->file = NULL;
  if (out->failure) PetscCall(Write_SayCannotWrite(name, strerror(out->failure), message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A Matrix Market array goes by columns, so that rank 0 needs room for one only */
static PetscErrorCode Write_PutMatrixMarket(Mat X, NAPIOutput *out)
{
  VecScatter         gather;
  Vec                x, whole;
  const PetscScalar *v;
  PetscInt           m, n, length;
  char               line[128];

  PetscFunctionBegin;
  PetscCall(MatGetSize(X, &m, &n));
  (void)snprintf(line, sizeof(line), "%%%%MatrixMarket matrix array %s general\n%" PetscInt_FMT " %" PetscInt_FMT "\n", PetscDefined(USE_COMPLEX) ? "complex" : "real", m, n);
  NAPIPutText(out, line);
  PetscCall(MatCreateVecs(X, NULL, &x));
  PetscCall(VecScatterCreateToZero(x, &gather, &whole));
  PetscCall(VecDestroy(&x));
  PetscCall(VecGetLocalSize(whole, &length));
  for (PetscInt j = 0; j < n; j++) {
    PetscCall(MatDenseGetColumnVecRead(X, j, &x));
    PetscCall(VecScatterBegin(gather, x, whole, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecScatterEnd(gather, x, whole, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(MatDenseRestoreColumnVecRead(X, j, &x));
    PetscCall(VecGetArrayRead(whole, &v));
    for (PetscInt i = 0; i < length; i++) {
      if (PetscDefined(USE_COMPLEX)) (void)snprintf(line, sizeof(line), "%.17g %.17g\n", (double)PetscRealPart(v[i]), (double)PetscImaginaryPart(v[i]));
      else (void)snprintf(line, sizeof(line), "%.17g\n", (double)PetscRealPart(v[i]));
      NAPIPutText(out, line);
    }
    PetscCall(VecRestoreArrayRead(whole, &v));
  }
  PetscCall(VecScatterDestroy(&gather));
  PetscCall(VecDestroy(&whole));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIPutNumber - Puts a number into a file as it is in memory, or with its bytes reversed.
*/
void NAPIPutNumber(NAPIOutput *out, const void *number, size_t size, PetscBool reversed)
{
  unsigned char bytes[16];

  if (!reversed) {
    NAPIPut(out, number, size);
    return;
  }
  for (size_t k = 0; k < size; k++) bytes[k] = ((const unsigned char *)number)[size - 1 - k];
  NAPIPut(out, bytes, size);
}

/* Rank 0 writes rows as they come from the ranks, some at a time; the numbers are double ones, or PETSc's own */
static PetscErrorCode Write_PutRows(Mat X, PetscBool own, PetscBool bigendian, NAPIOutput *out)
{
  const PetscBool    reversed = (PetscBool)(bigendian != (PetscBool)PetscDefined(WORDS_BIGENDIAN));
  const int          parts    = PetscDefined(USE_COMPLEX) ? 2 : 1;
  const PetscScalar *array;
  const PetscInt    *range;
  PetscScalar       *piece;
  PetscInt           N, lda, height;
  PetscMPIInt        rank, size, tag;
  MPI_Comm           comm;

  PetscFunctionBegin;
  PetscCall(PetscCommDuplicate(PetscObjectComm((PetscObject)X), &comm, &tag));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(MatGetSize(X, NULL, &N));
  PetscCall(MatGetOwnershipRanges(X, &range));
  PetscCall(MatDenseGetLDA(X, &lda));
  PetscCall(MatDenseGetArrayRead(X, &array));
  height = PetscMax(1, PORTION / PetscMax(1, N));
  PetscCall(PetscMalloc1((size_t)height * (size_t)N, &piece));
  for (PetscMPIInt p = 0; p < size; p++) {
    if (rank && rank != p) continue;
    for (PetscInt top = range[p]; top < range[p + 1]; top += height) {
      const PetscInt    n     = PetscMin(height, range[p + 1] - top);
      const PetscMPIInt count = (PetscMPIInt)(n * N);

      if (rank == p)
        for (PetscInt j = 0; j < N; j++) PetscCall(PetscArraycpy(piece + (size_t)j * (size_t)n, array + (top - range[p]) + (size_t)j * (size_t)lda, n));
      if (rank) PetscCallMPI(MPI_Send(piece, count, MPIU_SCALAR, 0, tag, comm));
      if (!rank && p) PetscCallMPI(MPI_Recv(piece, count, MPIU_SCALAR, p, tag, comm, MPI_STATUS_IGNORE));
      for (PetscInt i = 0; i < n && out->file && !out->failure; i++)
        for (PetscInt j = 0; j < N; j++) {
          const PetscScalar v       = piece[i + (size_t)j * (size_t)n];
          const PetscReal   real[2] = {PetscRealPart(v), PetscImaginaryPart(v)};

          for (int k = 0; k < parts; k++) {
            const double number = (double)real[k];

            if (own) NAPIPutNumber(out, &real[k], sizeof(real[k]), reversed);
            else NAPIPutNumber(out, &number, sizeof(number), reversed);
          }
        }
    }
  }
  PetscCall(PetscFree(piece));
  PetscCall(MatDenseRestoreArrayRead(X, &array));
  PetscCall(PetscCommDestroy(&comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As MatView() writes a dense matrix with PETSC_VIEWER_NATIVE; but that does not say if the disk is full */
static PetscErrorCode Write_PutPetscBinary(Mat X, NAPIOutput *out)
{
  PetscInt header[4] = {MAT_FILE_CLASSID, 0, 0, -1}; /* -1: dense */

  PetscFunctionBegin;
  PetscCall(MatGetSize(X, &header[1], &header[2]));
  for (int k = 0; k < 4; k++) NAPIPutNumber(out, &header[k], sizeof(header[k]), (PetscBool)!PetscDefined(WORDS_BIGENDIAN));
  PetscCall(Write_PutRows(X, PETSC_TRUE, PETSC_TRUE, out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A NumPy array, by rows: its header is padded with blanks so that the numbers begin at a multiple of 64 bytes */
static PetscErrorCode Write_PutNumpy(Mat X, NAPIOutput *out)
{
  PetscInt m, n;
  char     header[118 + 1];
  int      length;

  PetscFunctionBegin;
  PetscCall(MatGetSize(X, &m, &n));
  length = snprintf(header, sizeof(header), "{'descr': '%c%s', 'fortran_order': False, 'shape': (%" PetscInt_FMT ", %" PetscInt_FMT "), }", PetscDefined(WORDS_BIGENDIAN) ? '>' : '<', PetscDefined(USE_COMPLEX) ? "c16" : "f8", m, n);
  NAPIPut(out, "\x93NUMPY\x01\x00\x76\x00", 10); /* 10 + 118 = 128 bytes */
  memset(header + length, ' ', 117 - (size_t)length);
  header[117] = '\n';
  NAPIPut(out, header, 118);
  PetscCall(Write_PutRows(X, PETSC_FALSE, PetscDefined(WORDS_BIGENDIAN), out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIStageDense - Writes a dense matrix, which NAPICommit() will call name: as a NumPy array if that ends in .npy, as
   a Matrix Market array if it ends in .mtx, else in PETSc's binary format, which MatLoad() and PETSc's scripts for
   Python and Matlab read.
*/
PetscErrorCode NAPIStageDense(Mat X, const char name[], char message[])
{
  NAPIOutput  out = {NULL, 0};
  PetscMPIInt rank;
  PetscBool   mtx, npy;
  MPI_Comm    comm = PetscObjectComm((PetscObject)X);

  PetscFunctionBegin;
  message[0] = '\0';
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscStrendswith(name, ".mtx", &mtx));
  PetscCall(PetscStrendswith(name, ".npy", &npy));
  if (!rank) PetscCall(NAPIOpenOutput(name, &out, message));
  if (npy) PetscCall(Write_PutNumpy(X, &out));
  else if (mtx) PetscCall(Write_PutMatrixMarket(X, &out));
  else PetscCall(Write_PutPetscBinary(X, &out));
  PetscCall(NAPICloseOutput(&out, name, message));
  PetscCallMPI(MPI_Bcast(message, NAPI_MESSAGE_LENGTH, MPI_CHAR, 0, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIWriteDense - Writes a dense matrix under its name, see NAPIStageDense().
*/
PetscErrorCode NAPIWriteDense(Mat X, const char name[], char message[])
{
  PetscFunctionBegin;
  PetscCall(NAPIStageDense(X, name, message));
  PetscCall(NAPICommit(PetscObjectComm((PetscObject)X), message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIWriteText - Writes a string, which rank 0 has, to a file.
*/
PetscErrorCode NAPIWriteText(MPI_Comm comm, const char name[], const char text[], char message[])
{
  NAPIOutput  out = {NULL, 0};
  PetscMPIInt rank;

  PetscFunctionBegin;
  message[0] = '\0';
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) {
    PetscCall(NAPIOpenOutput(name, &out, message));
    NAPIPutText(&out, text);
    PetscCall(NAPICloseOutput(&out, name, message));
  }
  PetscCall(NAPICommit(comm, message)); /* which tells the message to all */
  PetscFunctionReturn(PETSC_SUCCESS);
}
