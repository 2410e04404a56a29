/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The reader of matrices: every kind of file that is right gives its matrix, every kind that is wrong gives a sentence,
   the same on all ranks; what is written is read back.
*/
#include "files.h"

/* Is A the m by n matrix with these entries, by rows? Only this rank's rows are looked at */
static PetscErrorCode Equals(Mat A, PetscInt m, PetscInt n, const PetscScalar values[], PetscBool *same)
{
  PetscInt first, last, M, N;

  PetscFunctionBegin;
  *same = PETSC_FALSE;
  if (!A) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetSize(A, &M, &N));
  if (M != m || N != n) PetscFunctionReturn(PETSC_SUCCESS);
  *same = PETSC_TRUE;
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt i = first; i < last; i++)
    for (PetscInt j = 0; j < n; j++) {
      PetscScalar v;

      PetscCall(MatGetValues(A, 1, &i, 1, &j, &v));
      if (!(PetscAbsScalar(v - values[i * n + j]) <= 1e-14)) *same = PETSC_FALSE;
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadHermitian(const char path[], Mat *A, char message[])
{
  PetscFunctionBegin;
  PetscCall(NAPIReadMatrix(PETSC_COMM_WORLD, path, A, message));
  if (!message[0]) PetscCall(NAPICheckHermitian(*A, path, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A file that has to give a Hermitian 3 by 3 matrix */
static PetscErrorCode Good(const char path[], const PetscScalar values[], const char what[])
{
  char      message[NAPI_MESSAGE_LENGTH];
  PetscBool same;
  Mat       A;

  PetscFunctionBegin;
  PetscCall(ReadHermitian(path, &A, message));
  PetscCall(Equals(A, 3, 3, values, &same));
  PetscCall(TapOk((PetscBool)(same && !message[0]), "%s", what));
  if (message[0]) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s\n", message));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A file that has to be refused with a sentence that has this in it */
static PetscErrorCode Bad(const char path[], const char expected[], const char what[])
{
  char      message[NAPI_MESSAGE_LENGTH];
  PetscBool refused;
  Mat       A;

  PetscFunctionBegin;
  PetscCall(ReadHermitian(path, &A, message));
  refused = (PetscBool)(strstr(message, expected) != NULL && strchr(message, '\n') == NULL);
  PetscCall(TapOk(refused, "refused: %s", what));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s\n", message));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestGoodText(void)
{
  const PetscScalar real[]    = {4, -1, 0, -1, 0, 2.5, 0, 2.5, 6};
  const PetscScalar pattern[] = {1, 1, 0, 1, 0, 1, 0, 1, 0};
  const struct {
    const char        *what, *text;
    const PetscScalar *values;
  } files[] = {
    {"coordinate real symmetric",       MM "coordinate real symmetric\n% a comment\n\n3 3 4\n1 1 4\n2 1 -1\n3 2 2.5\n3 3 6.0e0\n",                     real   },
    {"either triangle",                 MM "coordinate real symmetric\n3 3 4\n1 1 4\n1 2 -1\n2 3 2.5\n3 3 6\n",                                        real   },
    {"coordinate real general",         MM "coordinate real general\n3 3 6\n1 1 4\n2 1 -1\n1 2 -1\n3 2 2.5\n2 3 2.5\n3 3 6\n",                         real   },
    {"capitals, tabs and CRLF",         "%%matrixmarket MATRIX Coordinate Real Symmetric\r\n3\t3 4\r\n1 1 4\r\n 2 1 -1\r\n3\t2 2.5 \r\n3 3 6\r\n\r\n", real   },
    {"no newline at the end",           MM "coordinate real symmetric\n3 3 4\n1 1 4\n2 1 -1\n3 2 2.5\n3 3 6",                                          real   },
    {"entries in one place add up",     MM "coordinate real symmetric\n3 3 5\n1 1 3\n2 1 -1\n3 2 2.5\n3 3 6\n1 1 1\n",                                 real   },
    {"coordinate integer (and zero)",   MM "coordinate integer symmetric\n3 3 4\n1 1 1\n2 1 1\n3 2 1\n1 1 0\n",                                        pattern},
    {"coordinate pattern symmetric",    MM "coordinate pattern symmetric\n3 3 3\n1 1\n2 1\n3 2\n",                                                     pattern},
    {"coordinate pattern general",      MM "coordinate pattern general\n3 3 5\n1 1\n2 1\n3 2\n1 2\n2 3\n",                                             pattern},
    {"array real general",              MM "array real general\n3 3\n4\n-1\n0\n-1\n0\n2.5\n0\n2.5\n6\n",                                               real   },
    {"array real symmetric",            MM "array real symmetric\n3 3\n4\n-1\n0\n0\n2.5\n6\n",                                                         real   },
    {"general, asymmetric by rounding", MM "coordinate real general\n3 3 6\n1 1 4\n2 1 -1\n1 2 -1.000000000000001\n3 2 2.5\n2 3 2.5\n3 3 6\n",         real   }
  };
  char path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(InFolder("good.mtx", path));
  for (size_t k = 0; k < sizeof(files) / sizeof(files[0]); k++) {
    PetscCall(WriteFile(path, files[k].text, strlen(files[k].text)));
    PetscCall(Good(path, files[k].values, files[k].what));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBadText(void)
{
  const struct {
    const char *what, *expected, *text;
  } files[] = {
    {"an empty file",                      "is empty",                   ""                                                                          },
    {"garbage",                            "neither a Matrix Market",    "hello\n"                                                                   },
    {"a header that is none",              "not a Matrix Market header", "%%MatrixMarket\n"                                                          },
    {"another banner",                     "unknown banner",             "%%Matrix matrix coordinate real general\n1 1 1\n1 1 1\n"                   },
    {"an unknown object",                  "unknown object 'vector'",    "%%MatrixMarket vector coordinate real general\n3 1\n"                      },
    {"an unknown format",                  "unknown format",             MM "sparse real general\n1 1 1\n1 1 1\n"                                    },
    {"an unknown field",                   "unknown field",              MM "coordinate quaternion general\n1 1 1\n1 1 1\n"                          },
    {"an unknown symmetry",                "unknown symmetry",           MM "coordinate real lovely\n1 1 1\n1 1 1\n"                                 },
    {"a skew-symmetric file",              "skew-symmetric",             MM "coordinate real skew-symmetric\n2 2 1\n2 1 1\n"                         },
    {"a pattern array",                    "array without values",       MM "array pattern general\n1 1\n"                                           },
    {"no sizes",                           "no valid line of sizes",     MM "coordinate real general\n% nothing\n"                                   },
    {"sizes that are not",                 "no valid line of sizes",     MM "coordinate real general\n3 x 4\n"                                       },
    {"negative sizes",                     "no valid line of sizes",     MM "coordinate real general\n-3 -3 4\n"                                     },
    {"no rows",                            "has no entries",             MM "coordinate real general\n0 0 0\n"                                       },
    {"a number that is too large",         "no valid line of sizes",     MM "coordinate real general\n99999999999999999999999 3 4\n"                 },
    {"a rectangle",                        "is not square",              MM "coordinate real general\n3 2 1\n1 1 1\n"                                },
    {"a symmetric rectangle",              "is not square",              MM "coordinate real symmetric\n3 2 1\n1 1 1\n"                              },
    {"a truncated file",                   "ends after 1 of 3",          MM "coordinate real symmetric\n3 3 3\n1 1 1\n"                              },
    {"a file truncated within a line",     "is not a matrix entry",      MM "coordinate real symmetric\n3 3 3\n1 1 1\n2 2"                           },
    {"a truncated array",                  "ends after 2 of 4",          MM "array real general\n2 2\n1\n2\n"                                        },
    {"too many entries",                   "more entries than the 1",    MM "coordinate real symmetric\n3 3 1\n1 1 1\n2 2 1\n"                       },
    {"a row out of range",                 "(4,1) lies outside",         MM "coordinate real symmetric\n3 3 1\n4 1 1\n"                              },
    {"a column out of range",              "(1,4) lies outside",         MM "coordinate real general\n3 3 1\n1 4 1\n"                                },
    {"an index of zero",                   "(0,1) lies outside",         MM "coordinate real symmetric\n3 3 1\n0 1 1\n"                              },
    {"a value that is not",                "is not a matrix entry",      MM "coordinate real symmetric\n3 3 1\n1 1 one\n"                            },
    {"an index that is not",               "is not a matrix entry",      MM "coordinate real symmetric\n3 3 1\n1.5 1 1\n"                            },
    {"too many words on a line",           "is not a matrix entry",      MM "coordinate real symmetric\n3 3 1\n1 1 1 1\n"                            },
    {"NaN",                                "not a finite number",        MM "coordinate real symmetric\n3 3 1\n1 1 nan\n"                            },
    {"infinity",                           "not a finite number",        MM "coordinate real symmetric\n3 3 1\n1 1 1e999\n"                          },
    {"both triangles in a symmetric file", "entries in both",            MM "coordinate real symmetric\n3 3 2\n2 1 1\n1 2 1\n"                       },
    {"values that are not symmetric",      "differs from its transpose", MM "coordinate real general\n3 3 5\n1 1 1\n2 2 1\n3 3 1\n1 2 1\n2 1 1.001\n"},
    {"a pattern that is not symmetric",    "differs from its transpose", MM "coordinate real general\n3 3 3\n1 1 1\n2 2 1\n1 3 1\n"                  }
  };
  char path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(InFolder("bad.mtx", path));
  for (size_t k = 0; k < sizeof(files) / sizeof(files[0]); k++) {
    PetscCall(WriteFile(path, files[k].text, strlen(files[k].text)));
    PetscCall(Bad(path, files[k].expected, files[k].what));
  }
  PetscCall(Bad("/nonexistent/file.mtx", "No such file", "a file that is not there"));
  PetscCall(Bad(folder, "cannot be read: Is a directory", "a folder"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestComplex(void)
{
  static const char hermitian[] = MM "coordinate complex hermitian\n3 3 4\n1 1 4 0\n2 1 -1 2\n3 2 0 -1\n3 3 6 0\n";
  static const char symmetric[] = MM "coordinate complex symmetric\n3 3 2\n1 1 4 0\n2 1 -1 2\n";
  static const char notreal[]   = MM "coordinate complex hermitian\n3 3 1\n1 1 4 1\n";
  char              path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(InFolder("complex.mtx", path));
  PetscCall(WriteFile(path, hermitian, strlen(hermitian)));
#if defined(PETSC_USE_COMPLEX)
  {
    const PetscScalar values[] = {4, PetscCMPLX(-1, -2), 0, PetscCMPLX(-1, 2), 0, PetscCMPLX(0, 1), 0, PetscCMPLX(0, -1), 6};

    PetscCall(Good(path, values, "coordinate complex hermitian"));
    PetscCall(WriteFile(path, symmetric, strlen(symmetric)));
    PetscCall(Bad(path, "is not Hermitian", "complex symmetric"));
    PetscCall(WriteFile(path, notreal, strlen(notreal)));
    PetscCall(Bad(path, "is not Hermitian", "a Hermitian file with a diagonal that is not real"));
  }
#else
  (void)symmetric, (void)notreal;
  PetscCall(Bad(path, "is complex", "complex numbers in a real build"));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestGzip(void)
{
  static const char text[]    = MM "coordinate real symmetric\n3 3 4\n1 1 4\n2 1 -1\n3 2 2.5\n3 3 6\n";
  const PetscScalar values[]  = {4, -1, 0, -1, 0, 2.5, 0, 2.5, 6};
  const char       *oldpath   = getenv("PATH");
  char             *savedpath = NULL, path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(InFolder("it's a \"$HOME\" file", path)); /* a name that a shell would misunderstand, and that tells nothing */
  PetscCall(WriteFile(path, text, strlen(text)));
  PetscCall(PetscStrallocpy(oldpath ? oldpath : "", &savedpath));
  {
    char plain[PETSC_MAX_PATH_LEN], zipped[PETSC_MAX_PATH_LEN];

    PetscCall(InFolder("plain", plain));
    PetscCall(WriteFile(plain, text, strlen(text)));
    PetscCall(Shell("gzip -c plain >plain.gz"));
    PetscCall(InFolder("plain.gz", zipped));
    PetscCall(Good(zipped, values, "compressed by gzip"));
    PetscCall(Good(path, values, "a strange name"));
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    (void)setenv("PATH", "/nonexistent", 1);
    PetscCall(Bad(zipped, "gzip is needed", "a compressed file where there is no gzip"));
    (void)setenv("PATH", savedpath, 1);
    PetscCall(Shell("head -c 60 plain.gz >plain.gz.cut"));
    PetscCall(InFolder("plain.gz.cut", zipped));
    PetscCall(Bad(zipped, "cannot be decompressed (gzip", "a truncated compressed file"));
  }
  PetscCall(PetscFree(savedpath));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ViewBinary(Mat A, const char path[], PetscViewerFormat format)
{
  PetscViewer viewer;

  PetscFunctionBegin;
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, path, FILE_MODE_WRITE, &viewer));
  PetscCall(PetscViewerPushFormat(viewer, format));
  PetscCall(MatView(A, viewer));
  PetscCall(PetscViewerPopFormat(viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Big-endian numbers for files as another PETSc would have written them */
static unsigned char *PutInteger(unsigned char *p, long long value, int width)
{
  for (int k = 0; k < width; k++) p[k] = (unsigned char)((unsigned long long)value >> 8 * (width - 1 - k));
  return p + width;
}

static unsigned char *PutReal(unsigned char *p, double value)
{
  long long bits;

  memcpy(&bits, &value, sizeof(bits));
  return PutInteger(p, bits, 8);
}

/* The 3 by 3 matrix of these tests with indices of some width and, if asked for, complex values */
static size_t Encode(unsigned char bytes[], int width, PetscBool iscomplex)
{
  static const int    header[] = {1211216, 3, 3, 6}, length[] = {2, 2, 2}, column[] = {0, 1, 0, 2, 1, 2};
  static const double value[] = {4, -1, -1, 2.5, 2.5, 6};
  unsigned char      *p       = bytes;

  for (int k = 0; k < 4; k++) p = PutInteger(p, header[k], width);
  for (int k = 0; k < 3; k++) p = PutInteger(p, length[k], width);
  for (int k = 0; k < 6; k++) p = PutInteger(p, column[k], width);
  for (int k = 0; k < 6; k++) {
    p = PutReal(p, value[k]);
    if (iscomplex) p = PutReal(p, 0.0);
  }
  return (size_t)(p - bytes);
}

static PetscErrorCode TestForeignBinary(const PetscScalar values[])
{
  unsigned char bytes[512];
  char          path[PETSC_MAX_PATH_LEN];
  size_t        length;

  PetscFunctionBegin;
  PetscCall(InFolder("foreign.dat", path));
  for (int width = 4; width <= 8; width += 4) {
    length = Encode(bytes, width, PETSC_FALSE);
    PetscCall(WriteFile(path, bytes, length));
    PetscCall(Good(path, values, width == 4 ? "PETSc binary with 32-bit indices" : "PETSc binary with 64-bit indices"));
  }
  length = Encode(bytes, 4, PETSC_TRUE);
  PetscCall(WriteFile(path, bytes, length));
  if (PetscDefined(USE_COMPLEX)) PetscCall(Good(path, values, "PETSc binary, complex"));
  else PetscCall(Bad(path, "is complex", "PETSc binary, complex, in a real build"));
  length = Encode(bytes, 4, PETSC_FALSE);
  (void)PutInteger(bytes + 16, 3, 4);
  PetscCall(WriteFile(path, bytes, length));
  PetscCall(Bad(path, "lengths of its rows", "PETSc binary with wrong lengths of rows"));
  length = Encode(bytes, 4, PETSC_FALSE);
  (void)PutInteger(bytes + 28, 3, 4);
  PetscCall(WriteFile(path, bytes, length));
  PetscCall(Bad(path, "(1,4) lies outside", "PETSc binary with a column out of range"));
  for (size_t cut = 5; cut < 100; cut += 19) {
    length = Encode(bytes, 4, PETSC_FALSE);
    PetscCall(WriteFile(path, bytes, cut));
    PetscCall(Bad(path, "is truncated", "PETSc binary, truncated"));
  }
  (void)PutInteger(bytes + 4, 2000000000, 4);
  (void)PutInteger(bytes + 8, 2000000000, 4);
  (void)PutInteger(bytes + 12, -1, 4);
  PetscCall(WriteFile(path, bytes, length));
  PetscCall(Bad(path, "is truncated", "PETSc binary, dense and far too large for the file"));
  (void)PutInteger(bytes + 4, -2, 4);
  PetscCall(WriteFile(path, bytes, length));
  PetscCall(Bad(path, "damaged header", "PETSc binary with a negative size"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBinary(void)
{
  static const char text[]   = MM "coordinate real symmetric\n3 3 4\n1 1 4\n2 1 -1\n3 2 2.5\n3 3 6\n";
  const PetscScalar values[] = {4, -1, 0, -1, 0, 2.5, 0, 2.5, 6};
  char              path[PETSC_MAX_PATH_LEN], message[NAPI_MESSAGE_LENGTH];
  Mat               A, D;

  PetscFunctionBegin;
  PetscCall(InFolder("a", path));
  PetscCall(WriteFile(path, text, strlen(text)));
  PetscCall(ReadHermitian(path, &A, message));
  PetscCall(ViewBinary(A, path, PETSC_VIEWER_DEFAULT));
  PetscCall(Good(path, values, "PETSc binary"));
  PetscCall(Shell("gzip -c a >a.gz"));
  PetscCall(InFolder("a.gz", path));
  PetscCall(Good(path, values, "PETSc binary, compressed"));
  PetscCall(MatConvert(A, MATDENSE, MAT_INITIAL_MATRIX, &D));
  PetscCall(InFolder("dense", path));
  PetscCall(ViewBinary(D, path, PETSC_VIEWER_NATIVE));
  PetscCall(Good(path, values, "PETSc binary, dense"));
  PetscCall(NAPIWriteDense(D, path, message));
  PetscCall(Good(path, values, "written as PETSc binary and read back"));
  PetscCall(InFolder("dense.mtx", path));
  PetscCall(NAPIWriteDense(D, path, message));
  PetscCall(Good(path, values, "written as Matrix Market and read back"));
  PetscCall(NAPIWriteDense(D, "/nonexistent/x.mtx", message));
  PetscCall(TapOk((PetscBool)(strstr(message, "/nonexistent/x.mtx: cannot be written") != NULL), "a file that cannot "
                                                                                                 "be written"));
  PetscCall(NAPICheckWritable(PETSC_COMM_WORLD, "/nonexistent/x", message));
  PetscCall(TapOk((PetscBool)(message[0] != '\0'), "which can be known before"));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&D));
  PetscCall(TestForeignBinary(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Large enough to be sent in several portions; the norm of a tridiagonal matrix is known */
static PetscErrorCode TestPortions(void)
{
  const PetscInt n = 300000;
  char           path[PETSC_MAX_PATH_LEN], message[NAPI_MESSAGE_LENGTH];
  PetscMPIInt    rank;
  PetscReal      norm = 0.0;
  Mat            A;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(InFolder("large.mtx", path));
  if (!rank) {
    FILE *file = fopen(path, "w");

    PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot write %s", path);
    (void)fprintf(file, "%scoordinate integer symmetric\n%d %d %d\n", MM, (int)n, (int)n, (int)(2 * n - 1));
    for (PetscInt i = n; i >= 1; i--) (void)fprintf(file, "%d %d 2\n", (int)i, (int)i);
    for (PetscInt i = 2; i <= n; i++) (void)fprintf(file, "%d %d -1\n", (int)i, (int)i - 1);
    (void)fclose(file);
  }
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(ReadHermitian(path, &A, message));
  PetscCall(TapOk((PetscBool)(A && !message[0]), "a file of %d lines", (int)(2 * n + 1)));
  if (A) PetscCall(MatNorm(A, NORM_FROBENIUS, &norm));
  PetscCall(TapNear(norm, PetscSqrtReal(6.0 * (PetscReal)n - 2.0), 1e-12, "and it is all there"));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TapBegin(&argc, &argv));
  PetscCall(MakeFolder());
  PetscCall(TestGoodText());
  PetscCall(TestBadText());
  PetscCall(TestComplex());
  PetscCall(TestGzip());
  PetscCall(TestBinary());
  PetscCall(TestPortions());
  PetscCall(RemoveFolder());
  return TapEnd();
}
