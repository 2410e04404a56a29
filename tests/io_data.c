/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The reader of data sets: NumPy arrays of every type and order, tables in text with every separator, and the formats
   for matrices, give the matrix they stand for, dense or sparse as they are, on any number of ranks; what is wrong
   gives a sentence that says where. What is written as a NumPy array is read back.
*/
#include "files.h"
#include <math.h>
#include <stdint.h>

#define M 5
#define N 3

static char path[PETSC_MAX_PATH_LEN];

static PetscErrorCode WriteBytes(const void *bytes, size_t length)
{
  PetscFunctionBegin;
  PetscCall(WriteFile(path, bytes, length));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is A, of this kind, the m by n matrix with these entries, by rows? Only this rank's rows are looked at */
static PetscErrorCode Equals(Mat A, PetscBool dense, PetscInt m, PetscInt n, const double values[], PetscBool *same)
{
  PetscInt  first, last, rows, cols;
  PetscBool isdense;

  PetscFunctionBegin;
  *same = PETSC_FALSE;
  if (!A) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectTypeCompareAny((PetscObject)A, &isdense, MATSEQDENSE, MATMPIDENSE, ""));
  PetscCall(MatGetSize(A, &rows, &cols));
  if (rows != m || cols != n || isdense != dense) PetscFunctionReturn(PETSC_SUCCESS);
  *same = PETSC_TRUE;
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt i = first; i < last; i++)
    for (PetscInt j = 0; j < n; j++) {
      PetscScalar v;

      PetscCall(MatGetValues(A, 1, &i, 1, &j, &v));
      if (v != (PetscScalar)values[i * n + j]) *same = PETSC_FALSE; /* exactly: the numbers are exact in every type here */
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Good(const char name[], PetscBool dense, PetscInt m, PetscInt n, const double values[], const char what[])
{
  char      message[NAPI_MESSAGE_LENGTH];
  PetscBool same;
  Mat       A;

  PetscFunctionBegin;
  PetscCall(NAPIReadData(PETSC_COMM_WORLD, name, &A, NULL, message));
  PetscCall(Equals(A, dense, m, n, values, &same));
  PetscCall(TapOk((PetscBool)(same && !message[0]), "%s", what));
  if (message[0]) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s\n", message));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Refused with a sentence that has this in it, the same on all ranks */
static PetscErrorCode Bad(const char expected[], const char what[])
{
  char      message[NAPI_MESSAGE_LENGTH];
  PetscBool refused;
  Mat       A;

  PetscFunctionBegin;
  PetscCall(NAPIReadData(PETSC_COMM_WORLD, path, &A, NULL, message));
  refused = (PetscBool)(!A && strstr(message, expected) != NULL && strchr(message, '\n') == NULL && !strncmp(message, path, strlen(path)));
  PetscCall(TapOk(refused, "refused: %s", what));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s\n", message));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- NumPy ---------------------------------------------------------------------------------------------------- */

typedef struct {
  unsigned char bytes[4096];
  size_t        length;
} Array;

/* The beginning of a file, with a header of some version */
static void Header(Array *a, int version, const char dictionary[])
{
  const size_t text = strlen(dictionary) + 1;

  memcpy(a->bytes, "\x93NUMPY", 6);
  a->bytes[6] = (unsigned char)version;
  a->bytes[7] = 0;
  for (int k = 0; k < (version > 1 ? 4 : 2); k++) a->bytes[8 + k] = (unsigned char)(text >> 8 * k);
  a->length = version > 1 ? 12 : 10;
  memcpy(a->bytes + a->length, dictionary, text - 1);
  a->length += text;
  a->bytes[a->length - 1] = '\n';
}

/* Appends the bytes of a number, in this order or turned round */
static void Put(Array *a, const void *value, size_t size, int swap)
{
  for (size_t k = 0; k < size; k++) a->bytes[a->length++] = ((const unsigned char *)value)[swap ? size - 1 - k : k];
}

static void PutNumber(Array *a, double value, const char type[], int swap)
{
  const double  d = value, zero = 0.0;
  const float   f = (float)value, fzero = 0.0F;
  const int64_t i = (int64_t)value;

  if (!strcmp(type, "f8") || !strcmp(type, "c16")) Put(a, &d, 8, swap);
  if (!strcmp(type, "f4") || !strcmp(type, "c8")) Put(a, &f, 4, swap);
  if (!strcmp(type, "c16")) Put(a, &zero, 8, swap);
  if (!strcmp(type, "c8")) Put(a, &fzero, 4, swap);
  if (type[0] == 'i' || type[0] == 'u' || type[0] == 'b') {
    const int8_t  i1 = (int8_t)i;
    const int16_t i2 = (int16_t)i;
    const int32_t i4 = (int32_t)i;

    if (type[1] == '1') Put(a, &i1, 1, swap);
    if (type[1] == '2') Put(a, &i2, 2, swap);
    if (type[1] == '4') Put(a, &i4, 4, swap);
    if (type[1] == '8') Put(a, &i, 8, swap);
  }
}

static int IsLittle(void)
{
  const uint16_t one = 1;

  return *(const unsigned char *)&one;
}

/* The m by n array with these values, by rows, of a type such as "<f8" */
static void MakeArray(Array *a, int version, const char type[], int fortran, int m, int n, const double values[])
{
  const int swap = (type[0] == '<' && !IsLittle()) || (type[0] == '>' && IsLittle());
  char      text[256];

  (void)snprintf(text, sizeof(text), "{'descr': '%s', 'fortran_order': %s, 'shape': (%d, %d), }          ", type, fortran ? "True" : "False", m, n);
  Header(a, version, text);
  for (int k = 0; k < m * n; k++) PutNumber(a, values[fortran ? k % m * n + k / m : k], type + 1, swap);
}

static PetscErrorCode TestNumpyTypes(void)
{
  static const char *const types[]          = {"<f8", ">f8", "<f4", ">f4", "|i1", "<i2", ">i2", "<i4", ">i4", "<i8", ">i8", "|u1", "<u2", ">u2", "<u4", ">u4", "<u8", ">u8", "|b1", "<c16", ">c8"};
  const double             fractions[M * N] = {1.5, -2, 0, 0.25, 1024, -0.5, 3, 4, 5, 6, 7, 8, 9, 10, -11};
  const double             integers[M * N]  = {1, -2, 0, 3, 100, -128, 3, 4, 5, 6, 7, 8, 9, 10, 127};
  const double             naturals[M * N]  = {1, 2, 0, 3, 100, 255, 3, 4, 5, 6, 7, 8, 9, 10, 200};
  const double             truths[M * N]    = {1, 0, 0, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 1};
  Array                    a;

  PetscFunctionBegin;
  for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++)
    for (int fortran = 0; fortran < 2; fortran++) {
      const char    kind   = types[t][1];
      const double *values = kind == 'b' ? truths : kind == 'u' ? naturals : kind == 'i' ? integers : fractions;
      char          what[64];

      MakeArray(&a, 1, types[t], fortran, M, N, values);
      PetscCall(WriteBytes(a.bytes, a.length));
      (void)snprintf(what, sizeof(what), "NumPy %s, %s order", types[t], fortran ? "Fortran" : "C");
      if (kind == 'c' && !PetscDefined(USE_COMPLEX)) PetscCall(Bad("is complex", what));
      else PetscCall(Good(path, PETSC_TRUE, M, N, values, what));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestNumpyForms(void)
{
  const double values[M * N] = {1.5, -2, 0, 0.25, 1024, -0.5, 3, 4, 5, 6, 7, 8, 9, 10, -11};
  char         zipped[PETSC_MAX_PATH_LEN], message[NAPI_MESSAGE_LENGTH];
  PetscBool    same;
  Mat          A;
  Array        a;

  PetscFunctionBegin;
  for (int version = 2; version <= 3; version++) {
    MakeArray(&a, version, "<f8", 0, M, N, values);
    PetscCall(WriteBytes(a.bytes, a.length));
    PetscCall(Good(path, PETSC_TRUE, M, N, values, version == 2 ? "NumPy version 2" : "NumPy version 3"));
  }
  Header(&a, 1, "{\"shape\":(15,),\"fortran_order\":False,\"descr\":\"<f8\"}");
  for (int k = 0; k < M * N; k++) PutNumber(&a, values[k], "f8", !IsLittle());
  PetscCall(WriteBytes(a.bytes, a.length));
  PetscCall(Good(path, PETSC_TRUE, M * N, 1, values, "a NumPy array of one dimension is a column; other quotes and order of the header"));
  for (int fortran = 0; fortran < 2; fortran++) {
    MakeArray(&a, 1, ">f4", fortran, M, N, values);
    PetscCall(WriteBytes(a.bytes, a.length));
    PetscCall(Shell("gzip -c data >data.gz"));
    PetscCall(PetscSNPrintf(zipped, sizeof(zipped), "%s.gz", path));
    PetscCall(Good(zipped, PETSC_TRUE, M, N, values, fortran ? "NumPy, Fortran order, compressed" : "NumPy, compressed"));
  }
  MakeArray(&a, 1, "<f8", 0, 1, N, values);
  PetscCall(WriteBytes(a.bytes, a.length));
  PetscCall(Good(path, PETSC_TRUE, 1, N, values, "fewer rows than ranks"));
  MakeArray(&a, 1, "<f8", 0, M, N, values);
  PetscCall(WriteBytes(a.bytes, a.length));
  PetscCall(NAPIReadMatrix(PETSC_COMM_WORLD, path, &A, message));
  PetscCall(Equals(A, PETSC_FALSE, M, N, values, &same));
  PetscCall(TapOk(same, "read as a matrix it is sparse"));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBadNumpy(void)
{
  const struct {
    const char *what, *expected, *dictionary;
  } headers[] = {
    {"three dimensions",                  "3 dimensions",          "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2, 2), }"                  },
    {"no dimension",                      "a single number",       "{'descr': '<f8', 'fortran_order': False, 'shape': (), }"                         },
    {"no rows",                           "has no entries",        "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3), }"                     },
    {"a negative size",                   "damaged NumPy header",  "{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 3), }"                    },
    {"half precision",                    "type '<f2'",            "{'descr': '<f2', 'fortran_order': False, 'shape': (2, 2), }"                     },
    {"text",                              "type '<U5'",            "{'descr': '<U5', 'fortran_order': False, 'shape': (2, 2), }"                     },
    {"dates",                             "type '<M8[D]'",         "{'descr': '<M8[D]', 'fortran_order': False, 'shape': (2, 2), }"                  },
    {"records",                           "records or of objects", "{'descr': [('a', '<f8'), ('b', '<f8')], 'fortran_order': False, 'shape': (2,), }"},
    {"objects",                           "records or of objects", "{'descr': '|O', 'fortran_order': False, 'shape': (2,), }"                        },
    {"no shape",                          "damaged NumPy header",  "{'descr': '<f8', 'fortran_order': False, }"                                      },
    {"no order",                          "damaged NumPy header",  "{'descr': '<f8', 'shape': (2, 2)}"                                               },
    {"an array far larger than the file", "is truncated",          "{'descr': '<f8', 'fortran_order': False, 'shape': (2000000000, 2000000000), }"   }
  };
  const double values[M * N] = {1.5, -2, 0, 0.25, 1024, -0.5, 3, 4, 5, 6, 7, 8, 9, 10, -11};
  double       wrong[M * N];
  Array        a;

  PetscFunctionBegin;
  for (size_t k = 0; k < sizeof(headers) / sizeof(headers[0]); k++) {
    Header(&a, 1, headers[k].dictionary);
    memset(a.bytes + a.length, 0, 64);
    PetscCall(WriteBytes(a.bytes, a.length + 64));
    PetscCall(Bad(headers[k].expected, headers[k].what));
  }
  MakeArray(&a, 1, "<f8", 0, M, N, values);
  PetscCall(WriteBytes(a.bytes, a.length - 1));
  PetscCall(Bad("is truncated", "NumPy, the last byte is missing"));
  PetscCall(WriteBytes(a.bytes, 40));
  PetscCall(Bad("is truncated", "NumPy, truncated within the header"));
  PetscCall(WriteBytes(a.bytes, 7));
  PetscCall(Bad("is truncated", "NumPy, truncated within the version"));
  a.bytes[6] = 9;
  PetscCall(WriteBytes(a.bytes, a.length));
  PetscCall(Bad("unknown version", "NumPy of another version"));
  for (int fortran = 0; fortran < 2; fortran++) {
    memcpy(wrong, values, sizeof(values));
    wrong[3 * N + 1] = fortran ? HUGE_VAL : NAN;
    MakeArray(&a, 1, "<f8", fortran, M, N, wrong);
    PetscCall(WriteBytes(a.bytes, a.length));
    PetscCall(Bad("entry (4,2) is not a finite number", fortran ? "NumPy with an infinity" : "NumPy with NaN"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- text ----------------------------------------------------------------------------------------------------- */

static PetscErrorCode TestText(void)
{
  const double values[] = {1.5, -2, 0, 0.25, 1024, -0.5, 3, 4, 5}, column[] = {1, 2, 3}, hard[] = {0.1, 1e300, 5e-324, 123456789012345678.0, 0.30000000000000004, -0.0};
  const struct {
    const char   *what, *text;
    PetscInt      m, n;
    const double *values;
  } files[] = {
    {"commas",                                   "1.5,-2,0\n0.25,1024,-0.5\n3,4,5\n",                                                 3, 3, values},
    {"semicolons and blanks",                    "1.5; -2 ;0\n.25;1.024e3;-5e-1\n3;4;5",                                              3, 3, values},
    {"tabs",                                     "1.5\t-2\t0\n0.25\t1024\t-0.5\n3\t4\t5\n",                                           3, 3, values},
    {"blanks, several of them",                  " 1.5   -2 0 \n0.25 1024 -0.5\n3  4   5\n",                                          3, 3, values},
    {"bars",                                     "1.5|-2|0\n0.25| 1024 |-0.5\n3|4|5\n",                                               3, 3, values},
    {"semicolons and decimal commas",            "a;b;c\n1,5;-2,0;0\n0,25;1024;-5e-1\n3;4;5\n",                                       3, 3, values},
    {"a header",                                 "a,b,c\n1.5,-2,0\n0.25,1024,-0.5\n3,4,5\n",                                          3, 3, values},
    {"a header in quotes with separators in it", "\"a,1\",\"b \"\"x\"\"\",c\n1.5,-2,0\n0.25,1024,-0.5\n3,4,5\n",                      3, 3, values},
    {"numbers in quotes",                        "\"1.5\",\"-2\",\"0\"\n\"0.25\",\"1024\",\" -0.5 \"\n\"3\",4,\"5\"\n",               3, 3, values},
    {"CRLF and empty lines around",              "\r\na,b,c\r\n1.5,-2,0\r\n0.25,1024,-0.5\r\n3,4,5\r\n\r\n\r\n",                      3, 3, values},
    {"comments, and the mark of UTF-8",          "\xef\xbb\xbf# made by hand\na,b,c\n1.5,-2,0\n# a comment\n0.25,1024,-0.5\n3,4,5\n", 3, 3, values},
    {"one column",                               "1\n2\n3\n",                                                                         3, 1, column},
    {"one column with a name of several words",  "height in cm\n1\n2\n3\n",                                                           3, 1, column},
    {"one row",                                  "1,2,3\n",                                                                           1, 3, column},
    {"numbers that are hard to round",           "0.1,1e300,5e-324,123456789012345678,0.30000000000000004,-0\n",                      1, 6, hard  }
  };

  PetscFunctionBegin;
  for (size_t k = 0; k < sizeof(files) / sizeof(files[0]); k++) {
    PetscCall(WriteBytes(files[k].text, strlen(files[k].text)));
    PetscCall(Good(path, PETSC_TRUE, files[k].m, files[k].n, files[k].values, files[k].what));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestNames(void)
{
  static const char text[] = "\"sleep, hours\", steps ,c\n1,2,3\n4,5,6\n";
  char            **names, message[NAPI_MESSAGE_LENGTH];
  PetscMPIInt       rank;
  PetscBool         good;
  Mat               A;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(WriteBytes(text, strlen(text)));
  PetscCall(NAPIReadData(PETSC_COMM_WORLD, path, &A, &names, message));
  good = (PetscBool)(rank ? !names : names && !strcmp(names[0], "sleep, hours") && !strcmp(names[1], "steps") && !strcmp(names[2], "c") && !names[3]);
  PetscCall(TapOk(good, "rank 0 has the names of the columns"));
  PetscCall(NAPIFreeNames(&names));
  PetscCall(MatDestroy(&A));
  PetscCall(WriteBytes(text + 25, strlen(text + 25)));
  PetscCall(NAPIReadData(PETSC_COMM_WORLD, path, &A, &names, message));
  PetscCall(TapOk((PetscBool)(A && !names), "no header, no names"));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBadText(void)
{
  const struct {
    const char *what, *expected, *text;
    size_t      length; /* where it is not that of the text */
  } files[] = {
    {"an empty file",                                   "is empty",                                               "",                                                                                  0 },
    {"blank lines only",                                "is neither",                                             "\n\n\n",                                                                            0 },
    {"a text",                                          "is neither",                                             "Dear Sir,\nthank you for the data.\n",                                              0 },
    {"a header and no data",                            "is neither",                                             "a,b,c\n",                                                                           0 },
    {"an empty field",                                  "line 3, column 2 (b) is empty",                          "a,b\n1,2\n3,\n",                                                                    0 },
    {"an empty field in quotes",                        "line 1, column 1 is empty",                              "\"\",2\n3,4\n",                                                                     0 },
    {"NaN",                                             "line 2, column 1 is missing ('nan')",                    "1,2\nnan,4\n",                                                                      0 },
    {"NaN in the first line, which is no header",       "line 1, column 2 is missing ('NaN')",                    "1,NaN\n3,4\n",                                                                      0 },
    {"only words for missing values in the first line", "line 1, column 1 is missing ('NA')",                     "NA,NA\n3,4\n",                                                                      0 },
    {"infinity",                                        "line 1, column 2: '1e999' is not a finite number",       "1,1e999\n3,4\n",                                                                    0 },
    {"a word",                                          "line 3, column 2 (b): 'two' is not a number",            "a,b\n1,2\n3,two\n",                                                                 0 },
    {"a name in each row",                              "line 2, column 1 (who): 'Ann' is not a number",          "who,a\nAnn,1\nBob,2\n",                                                             0 },
    {"a word in the first line, which is no header",    "line 1, column 2: 'b' is not a number",                  "1,b\n3,4\n",                                                                        0 },
    {"a number with something behind it",               "line 2, column 1: '3kg' is not a number",                "1,2\n3kg,4\n",                                                                      0 },
    {"a number behind quotes",                          "is not a number",                                        "\"1\"2,3\n",                                                                        0 },
    {"a row too short",                                 "line 3 has 1 field where the first row has 2",           "a,b\n1,2\n3\n",                                                                     0 },
    {"a row too long",                                  "line 2 has more fields than the first row, which has 2", "1,2\n3,4,5\n",                                                                      0 },
    {"a separator at the end of a line",                "line 2 has more fields",                                 "1,2\n3,4,\n",                                                                       0 },
    {"a header of another length",                      "names 3 columns, and there are 2",                       "a,b,c\n1,2\n",                                                                      0 },
    {"an empty line among others",                      "line 2 is empty, and others follow",                     "1,2\n\n3,4\n",                                                                      0 },
    {"a byte of zero",                                  "line 2 is not text",                                     "1,2222222222222222222222222222222222222222222222222222222222222222222222\n3\0,4\n", 77}
  };

  PetscFunctionBegin;
  for (size_t k = 0; k < sizeof(files) / sizeof(files[0]); k++) {
    PetscCall(WriteBytes(files[k].text, files[k].length ? files[k].length : strlen(files[k].text)));
    PetscCall(Bad(files[k].expected, files[k].what));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- the formats for matrices, writing, size ------------------------------------------------------------------ */

static PetscErrorCode TestOthers(void)
{
  static const char sparse[] = "%%MatrixMarket matrix coordinate real general\n3 4 4\n3 1 5\n1 2 1.5\n3 1 2\n2 4 -1\n";
  static const char square[] = "%%MatrixMarket matrix coordinate real general\n3 3 2\n3 1 5\n1 2 1.5\n";
  static const char array[]  = "%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n";
  static const char huge[]   = "%%MatrixMarket matrix array real general\n2000000000 2000000000\n1\n";
  static const char lower[]  = "%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n";
  const double      values[] = {0, 1.5, 0, 0, 0, 0, 0, -1, 7, 0, 0, 0}, table[] = {1, 3, 5, 2, 4, 6}, full[] = {1, 2, 2, 3}, part[] = {0, 1.5, 0, 0, 0, 0, 5, 0, 0};
  char              name[PETSC_MAX_PATH_LEN], message[NAPI_MESSAGE_LENGTH];
  MatInfo           info;
  Mat               A;

  PetscFunctionBegin;
  PetscCall(WriteBytes(sparse, strlen(sparse)));
  PetscCall(Good(path, PETSC_FALSE, 3, 4, values, "Matrix Market coordinates stay sparse; what is in one place adds up"));
  PetscCall(WriteBytes(square, strlen(square)));
  PetscCall(Good(path, PETSC_FALSE, 3, 3, part, "Matrix Market, square"));
  PetscCall(NAPIReadData(PETSC_COMM_WORLD, path, &A, NULL, message));
  PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  PetscCall(TapOk((PetscBool)(info.nz_used == 2.0), "square data get no diagonal"));
  PetscCall(MatDestroy(&A));
  PetscCall(WriteBytes(huge, strlen(huge)));
  PetscCall(Bad("is truncated", "a Matrix Market array far larger than the file"));
  PetscCall(WriteBytes(lower, strlen(lower)));
  PetscCall(Good(path, PETSC_TRUE, 2, 2, full, "a symmetric Matrix Market array is dense"));
  PetscCall(WriteBytes(array, strlen(array)));
  PetscCall(Good(path, PETSC_TRUE, 2, 3, table, "a Matrix Market array is dense"));
  PetscCall(NAPIReadData(PETSC_COMM_WORLD, path, &A, NULL, message));
  for (int k = 0; k < 3; k++) {
    static const char *const extension[] = {"npy", "dat", "mtx"};

    PetscCall(PetscSNPrintf(name, sizeof(name), "%s/written.%s", folder, extension[k]));
    PetscCall(NAPIWriteDense(A, name, message));
    PetscCall(TapOk((PetscBool)!message[0], "written as .%s", extension[k]));
    PetscCall(Good(name, PETSC_TRUE, 2, 3, table, "and read back"));
    PetscCall(Shell("test ! -e written.npy.part -a ! -e written.dat.part -a ! -e written.mtx.part -a ! -e "
                    "written.dat.info && gzip -f written.*"));
    PetscCall(PetscStrlcat(name, ".gz", sizeof(name)));
    PetscCall(Good(name, PETSC_TRUE, 2, 3, table, "also after compression"));
  }
  PetscCall(NAPIWriteDense(A, "/nonexistent/x.npy", message));
  PetscCall(TapOk((PetscBool)(strstr(message, "/nonexistent/x.npy: cannot be written") != NULL), "a file that cannot be written"));
  PetscCall(NAPICheckWritable(PETSC_COMM_WORLD, folder, message));
  PetscCall(TapOk((PetscBool)(strstr(message, "Is a directory") != NULL), "a folder cannot be written to"));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Large enough to be read and sent in several pieces; entry (i,j) is i + j/1024, whose sums are known */
static PetscErrorCode TestPieces(void)
{
  static const char *const ways[] = {"plain", "compressed", "text"};
  const PetscInt           m = 4001, n = 257;
  char                     name[PETSC_MAX_PATH_LEN], message[NAPI_MESSAGE_LENGTH];
  Mat                      A, B;
  PetscInt                 first, last, lda;
  PetscScalar             *array;
  PetscBool                same;

  PetscFunctionBegin;
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, m, n, NULL, &A));
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  PetscCall(MatDenseGetLDA(A, &lda));
  PetscCall(MatDenseGetArray(A, &array));
  for (PetscInt j = 0; j < n; j++)
    for (PetscInt i = first; i < last; i++) array[i - first + j * lda] = (PetscReal)i + (PetscReal)j / 1024.0;
  PetscCall(MatDenseRestoreArray(A, &array));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s/large.npy", folder));
  PetscCall(NAPIWriteDense(A, name, message));
  for (int k = 0; k < 3; k++) {
    if (k == 1) PetscCall(Shell("gzip -1 <large.npy >large"));
    if (k == 2)
      PetscCall(Shell("awk 'BEGIN { for (i = 0; i < 4001; i++) { for (j = 0; j < 257; j++) printf \"%s%.15g\", j ? "
                      "\",\" : \"\", i + j/1024; print \"\" } }' >large"));
    if (k) PetscCall(PetscSNPrintf(name, sizeof(name), "%s/large", folder));
    PetscCall(NAPIReadData(PETSC_COMM_WORLD, name, &B, NULL, message));
    same = PETSC_FALSE;
    if (B) PetscCall(MatEqual(A, B, &same));
    PetscCall(TapOk(same, "a large array in pieces, %s", ways[k]));
    PetscCall(MatDestroy(&B));
  }
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A name that means the file on rank 0 only: that rank reads for all */
static PetscErrorCode TestFirstRankOnly(void)
{
  const double      values[M * N] = {1.5, -2, 0, 0.25, 1024, -0.5, 3, 4, 5, 6, 7, 8, 9, 10, -11};
  static const char name[]        = "/proc/self/fd/77";
  PetscMPIInt       rank, there = 0;
  Array             a;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  MakeArray(&a, 1, "<f8", 0, M, N, values);
  PetscCall(WriteBytes(a.bytes, a.length));
  if (!rank) {
    FILE *file = fopen(path, "rb"), *again;

    PetscCheck(file && dup2(fileno(file), 77) == 77 && !fclose(file), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot open %s", path);
    again = fopen(name, "rb");
    there = again != NULL;
    if (again) (void)fclose(again);
  }
  PetscCallMPI(MPI_Bcast(&there, 1, MPI_INT, 0, PETSC_COMM_WORLD));
  if (there) PetscCall(Good(name, PETSC_TRUE, M, N, values, "a file that only rank 0 can open"));
  else PetscCall(TapSkip("no /proc", "a file that only rank 0 can open"));
  if (!rank) (void)close(77);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TapBegin(&argc, &argv));
  PetscCall(MakeFolder());
  PetscCall(InFolder("data", path));
  PetscCall(TestNumpyTypes());
  PetscCall(TestNumpyForms());
  PetscCall(TestBadNumpy());
  PetscCall(TestText());
  PetscCall(TestNames());
  PetscCall(TestBadText());
  PetscCall(TestOthers());
  PetscCall(TestPieces());
  PetscCall(TestFirstRankOnly());
  PetscCall(RemoveFolder());
  return TapEnd();
}
