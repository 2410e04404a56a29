/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Tables as pandas, R and spreadsheets write them, as programs want them: with an index and without, names that are numbers, truth values,
   columns by name and number, gaps that are dropped or filled. And .npz files, of NumPy and of SciPy. The same matrix on any number of
   ranks; what is wrong gives a sentence that says where, and what can be done. What pandas 2 and R write was looked up once and is written down here.
*/
#include "files.h"
#include <math.h>
#include <stdint.h>

static char path[PETSC_MAX_PATH_LEN];

/* --- what is read is what is wanted --------------------------------------------------------------------------------- */

typedef struct {
  const char *columns, *drop;
  NAPIMissing missing;
} Wish;

static PetscErrorCode Read(const char name[], const Wish *wish, Mat *A, char ***names, char note[], char message[])
{
  NAPIColumns     columns, drop;
  NAPIDataOptions options = {NAPI_MISSING_ERROR, NULL, NULL, NULL, 0, PETSC_FALSE, ""};

  PetscFunctionBegin;
  message[0] = '\0';
  PetscCall(NAPIColumnsCreate("-columns", wish->columns ? wish->columns : "x", &columns, message));
  PetscCall(NAPIColumnsCreate("-drop", wish->drop ? wish->drop : "x", &drop, message));
  options.missing = wish->missing;
  options.columns = wish->columns ? &columns : NULL;
  options.drop    = wish->drop ? &drop : NULL;
  PetscCall(NAPIReadDataWith(PETSC_COMM_WORLD, name, &options, A, names, message));
  PetscCall(PetscStrncpy(note, options.note, NAPI_MESSAGE_LENGTH));
  if (wish->columns) PetscCall(NAPIColumnsCheck(PETSC_COMM_WORLD, &columns, message));
  if (wish->drop) PetscCall(NAPIColumnsCheck(PETSC_COMM_WORLD, &drop, message));
  PetscCall(NAPIColumnsDestroy(&columns));
  PetscCall(NAPIColumnsDestroy(&drop));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* m by n, with these values by rows, NaN for a gap, and these names with slashes between them */
static PetscErrorCode Same(Mat A, char **names, PetscInt m, PetscInt n, const double values[], const char list[], PetscBool *same)
{
  PetscInt    first, last, rows, cols;
  PetscMPIInt rank;
  char        all[256] = "";

  PetscFunctionBegin;
  *same = PETSC_FALSE;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!A) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetSize(A, &rows, &cols));
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  *same = (PetscBool)(rows == m && cols == n);
  for (PetscInt i = first; i < last && *same; i++)
    for (PetscInt j = 0; j < n; j++) {
      PetscScalar v;

      PetscCall(MatGetValues(A, 1, &i, 1, &j, &v));
      if (isnan(values[i * n + j]) ? !PetscIsNanReal(PetscRealPart(v)) : v != (PetscScalar)values[i * n + j]) *same = PETSC_FALSE;
    }
  for (PetscInt j = 0; names && names[j]; j++) {
    PetscCall(PetscStrlcat(all, j ? "/" : "", sizeof(all)));
    PetscCall(PetscStrlcat(all, names[j], sizeof(all)));
  }
  if (list && !rank && strcmp(list, all)) *same = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Good(const char text[], const Wish *wish, PetscInt m, PetscInt n, const double values[], const char list[], const char noted[], const char what[])
{
  char      message[NAPI_MESSAGE_LENGTH], note[NAPI_MESSAGE_LENGTH], **names = NULL;
  PetscBool same;
  Mat       A;

  PetscFunctionBegin;
  PetscCall(WriteFile(path, text, strlen(text)));
  PetscCall(Read(path, wish, &A, &names, note, message));
  PetscCall(Same(A, names, m, n, values, list, &same));
  PetscCall(TapOk((PetscBool)(same && !message[0] && (noted ? strstr(note, noted) != NULL : !note[0])), "%s", what));
  if (message[0]) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s\n", message));
  PetscCall(NAPIFreeNames(&names));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Bad(const char text[], const Wish *wish, const char expected[], const char what[])
{
  char      message[NAPI_MESSAGE_LENGTH], note[NAPI_MESSAGE_LENGTH], **names = NULL;
  Mat       A;
  PetscBool refused;

  PetscFunctionBegin;
  if (text) PetscCall(WriteFile(path, text, strlen(text)));
  PetscCall(Read(path, wish, &A, &names, note, message));
  refused = (PetscBool)(strstr(message, expected) != NULL && strchr(message, '\n') == NULL);
  PetscCall(TapOk(refused, "refused: %s", what));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s\n", message));
  PetscCall(NAPIFreeNames(&names));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestTables(void)
{
  static const char index[] = "its first column has no name", first[] = "0, 1, 2";
  const Wish        all = {NULL, NULL, NAPI_MISSING_ERROR};
  const double      v[] = {1.5, -2, 0, 0.25, 1024, -0.5}, w[] = {1, 2, 0, 3, 1, 1}, count[] = {0, 1, 1, 1, 2, 1};

  PetscFunctionBegin;
  PetscCall(Good(",a,b\n0,1.5,-2.0\n1,0.0,0.25\n2,1024.0,-0.5\n", &all, 3, 2, v, "a/b", index, "pandas: to_csv()"));
  PetscCall(Good("a,b\n1.5,-2.0\n0.0,0.25\n1024.0,-0.5\n", &all, 3, 2, v, "a/b", NULL, "pandas: to_csv(index=False)"));
  PetscCall(Good(",0,1\n0,1.5,-2.0\n1,0.0,0.25\n2,1024.0,-0.5\n", &all, 3, 2, v, "0/1", index, "pandas: columns without names, with an index"));
  PetscCall(Good("0,1\n1.5,-2.0\n0.0,0.25\n1024.0,-0.5\n", &all, 3, 2, v, "0/1", first, "pandas: columns without names"));
  PetscCall(Good("\"\",\"a\",\"b\"\n\"0\",\"1.5\",\"-2.0\"\n\"1\",\"0.0\",\"0.25\"\n\"2\",\"1024.0\",\"-0.5\"\n", &all, 3, 2, v, "a/b", index, "pandas: quoting=QUOTE_ALL"));
  PetscCall(Good(";a;b\n0;1,5;-2,0\n1;0,0;0,25\n2;1024,0;-0,5\n", &all, 3, 2, v, "a/b", index, "pandas: sep=';', decimal=','"));
  PetscCall(Good("0;1\n1,5;-2,0\n0,0;0,25\n1024,0;-0,5\n", &all, 3, 2, v, "0/1", first, "pandas: the same without names and index"));
  PetscCall(Good("|a|b\n0|1.5|-2.0\n1|0.0|0.25\n2|1024.0|-0.5\n", &all, 3, 2, v, "a/b", index, "pandas: sep='|'"));
  PetscCall(Good("\ta\tb\n0\t1.5\t-2.0\n1\t0.0\t0.25\n2\t1024.0\t-0.5\n", &all, 3, 2, v, "a/b", index, "pandas: sep='\\t'"));
  PetscCall(Good(",Unnamed: 0,a,b\n0,0,1.5,-2.0\n1,1,0.0,0.25\n2,2,1024.0,-0.5\n", &all, 3, 2, v, "a/b", "its first columns", "pandas: an index that was saved twice"));
  PetscCall(Good("\"\",\"a\",\"b\"\n\"1\",1.5,-2\n\"2\",0,0.25\n\"3\",1024,-0.5\n", &all, 3, 2, v, "a/b", index, "R: write.csv()"));
  PetscCall(Good("\"a\" \"b\"\n\"1\" 1.5 -2\n\"2\" 0 0.25\n\"3\" 1024 -0.5\n", &all, 3, 2, v, "a/b", index, "R: write.table()"));
  PetscCall(Good(",2001,2002\n0,1.5,-2.0\n1,0.0,0.25\n2,1024.0,-0.5\n", &all, 3, 2, v, "2001/2002", index, "years as names, behind an index"));
  PetscCall(Good("\"he said \"\"x\"\", twice\",b\n1.5,-2\n0,0.25\n1024,-0.5\n", &all, 3, 2, v, "he said \"x\", twice/b", NULL, "doubled quotes and a comma in a name"));
  PetscCall(Good("a,b\nTrue,2\nFALSE,3\ntrue,True\n", &all, 3, 2, w, "a/b", NULL, "truth values"));
  PetscCall(Good("a,b\n0,1\n1,1\n2,1\n", &all, 3, 2, count, "a/b", NULL, "a column that counts and has a name is data"));
  PetscCall(Good("0,1\n1,1\n2,1\n", &all, 2, 2, count + 2, "0/1", first, "a first line 0,1 is names"));
  PetscCall(Good("0\n1\n2\n", &all, 3, 1, (const double[]){0, 1, 2}, NULL, NULL, "a single 0 above integers is a number"));
  PetscCall(Good("0\n1.5\n2.5\n", &all, 2, 1, (const double[]){1.5, 2.5}, "0", first, "a single 0 above fractions is a name"));
  PetscCall(Bad(",a\n57,1\n3,2\n", &all, "column 1 has no name and does not count", "an index that was shuffled"));
  PetscCall(Bad("a;b\n1,5;2\n1.5;3\n", &all, "decimal point, and numbers before it have a decimal comma", "points and commas"));
  PetscCall(Bad("a,who,b\n1,Ann,2\n2,Bob,3\n", &all, "line 2, column 2 (who): 'Ann' is not a number: a column of text is left out by -drop who, or becomes columns of 0 and 1", "a column of text"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestColumns(void)
{
  static const char text[] = ",a,who,\"b, c\",d\n0,1,Ann,2,3\n1,4,Bob,5,6\n";
  const double      ad[] = {1, 3, 4, 6}, da[] = {3, 1, 6, 4}, three[] = {1, 2, 3, 4, 5, 6}, with[] = {0, 1, 1, 4};

  PetscFunctionBegin;
  PetscCall(Good(text, &(Wish){"a,d", NULL, NAPI_MISSING_ERROR}, 2, 2, ad, "a/d", NULL, "-columns by name"));
  PetscCall(Good(text, &(Wish){"d,a", NULL, NAPI_MISSING_ERROR}, 2, 2, da, "d/a", NULL, "in the order that is asked for"));
  PetscCall(Good(text, &(Wish){"5,2", NULL, NAPI_MISSING_ERROR}, 2, 2, da, "d/a", NULL, "by number, as in the file"));
  PetscCall(Good(text, &(Wish){"1-2", NULL, NAPI_MISSING_ERROR}, 2, 2, with, "/a", NULL, "a range; an index that is asked for is data"));
  PetscCall(Good(text, &(Wish){NULL, "who", NAPI_MISSING_ERROR}, 2, 3, three, "a/b, c/d", "its first column", "-drop by name"));
  PetscCall(Good(text, &(Wish){NULL, "3,\"b, c\"", NAPI_MISSING_ERROR}, 2, 2, ad, "a/d", "its first column", "-drop by number, and a name with a comma"));
  PetscCall(Good(text, &(Wish){"a,who,d", "who", NAPI_MISSING_ERROR}, 2, 2, ad, "a/d", NULL, "both"));
  PetscCall(Good("0,1,2\n1.5,2,3\n4,5,6\n", &(Wish){"0,2", NULL, NAPI_MISSING_ERROR}, 2, 2, (const double[]){1.5, 3, 4, 6}, "0/2", "0, 1, 2", "a name that is a number is a name"));
  PetscCall(Bad(text, &(Wish){NULL, "who,dd", NAPI_MISSING_ERROR}, "-drop: there is no column 'dd': is 'd' meant?", "a column that is not there, and one that is near"));
  PetscCall(Bad(text, &(Wish){"a,77", NULL, NAPI_MISSING_ERROR}, "-columns: there is no column '77'", "a number that is too large"));
  PetscCall(Bad(text, &(Wish){"a,a", NULL, NAPI_MISSING_ERROR}, "twice", "a column that is named twice"));
  PetscCall(Bad(text, &(Wish){NULL, "a,3-5", NAPI_MISSING_ERROR}, "no column is left", "nothing is left"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- gaps -------------------------------------------------------------------------------------------------------------- */

/* Two files that lose samples together, or are filled */
static PetscErrorCode TestGaps(void)
{
  static const char text[] = "a,b\n1,2\n,4\n5,NA\n7,8\n3,n/a\n2,2\n", sparse[] = "%%MatrixMarket matrix coordinate real general\n6 2 5\n1 1 1\n2 1 nan\n3 1 5\n4 2 4\n6 2 8\n";
  const Wish        drop  = {NULL, NULL, NAPI_MISSING_DROP};
  const double      raw[] = {1, 2, NAN, 4, 5, NAN, 7, 8, 3, NAN, 2, 2}, left[] = {1, 2, 7, 8, 2, 2}, filled[] = {1, 2, 3.6, 4, 5, 4, 7, 8, 3, 4, 2, 2}, thin[] = {1, 0, 0, 4, 0, 8}, full[] = {1, 0, 1.2, 0, 5, 0, 0, 4, 0, 0, 0, 8};
  PetscScalar       mean[2];
  char              message[NAPI_MESSAGE_LENGTH], note[NAPI_MESSAGE_LENGTH];
  PetscInt          gaps, empty;
  PetscBool         same;
  NAPIRows          rows;
  Mat               A, S;

  PetscFunctionBegin;
  PetscCall(Good(text, &drop, 6, 2, raw, "a/b", NULL, "gaps are NaN as long as nothing is done about them"));
  for (int fill = 0; fill < 2; fill++) {
    PetscCall(WriteFile(path, text, strlen(text)));
    PetscCall(Read(path, &drop, &A, NULL, note, message));
    PetscCall(WriteFile(path, sparse, strlen(sparse)));
    PetscCall(Read(path, &drop, &S, NULL, note, message));
    PetscCall(NAPIRowsCreate(A, "data", &rows));
    PetscCall(NAPIFindGaps(A, &rows, &gaps));
    PetscCall(TapOk((PetscBool)(gaps == 3 && rows.dropped == 3), "three gaps in three rows"));
    PetscCall(NAPIFindGaps(S, &rows, &gaps));
    PetscCall(TapOk((PetscBool)(gaps == 1 && rows.dropped == 3), "one in a sparse file, in a row that has one already"));
    if (!fill) {
      PetscCall(NAPIDropRows(&rows, &A));
      PetscCall(NAPIDropRows(&rows, &S));
    } else {
      PetscCall(NAPIFillGaps(A, PETSC_FALSE, mean, &empty));
      PetscCall(TapOk((PetscBool)(empty == -1 && PetscAbsScalar(mean[0] - 3.6) < 1e-15 && PetscAbsScalar(mean[1] - 4.0) < 1e-15), "the means of what is there"));
      PetscCall(NAPIFillGaps(S, PETSC_FALSE, mean, &empty));
    }
    PetscCall(Same(A, NULL, fill ? 6 : 3, 2, fill ? filled : left, NULL, &same));
    PetscCall(TapOk(same, fill ? "gaps are filled" : "samples with gaps are dropped"));
    PetscCall(Same(S, NULL, fill ? 6 : 3, 2, fill ? full : thin, NULL, &same));
    PetscCall(TapOk(same, fill ? "in a sparse matrix, too, whose zeros count" : "from the sparse matrix, too"));
    PetscCall(NAPIRowsDestroy(&rows));
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&S));
  }
  PetscCall(WriteFile(path, "a,b\n1,\n2,NA\n", 12));
  PetscCall(Read(path, &drop, &A, NULL, note, message));
  PetscCall(NAPIFillGaps(A, PETSC_FALSE, mean, &empty));
  PetscCall(TapOk((PetscBool)(empty == 1), "a column of which nothing is there has no mean"));
  PetscCall(MatDestroy(&A));
  PetscCall(Bad(text, &(Wish){NULL, NULL, NAPI_MISSING_ERROR}, "line 3, column 1 (a) is empty: -missing drop leaves out such samples, -missing mean fills in the mean of the column, -drop a leaves out the column", "a gap that is an error, with three ways out"));
  PetscCall(Bad(text, &(Wish){NULL, "a", NAPI_MISSING_ERROR}, "line 4, column 2 (b) is missing ('NA')", "not one in a column that is left out"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- .npz --------------------------------------------------------------------------------------------------------------------- */

typedef struct {
  unsigned char bytes[16384];
  size_t        length;
} Buffer;

static void Put(Buffer *b, uint64_t value, int size)
{
  for (int k = 0; k < size; k++) b->bytes[b->length++] = k < 8 ? (unsigned char)(value >> 8 * k) : 0;
}

static void PutBytes(Buffer *b, const void *bytes, size_t length)
{
  memcpy(b->bytes + b->length, bytes, length);
  b->length += length;
}

/* An array as np.save() writes it */
static void MakeArray(Buffer *b, const char type[], const char shape[], size_t length, const void *data)
{
  char header[128];

  (void)snprintf(header, sizeof(header), "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type, shape);
  b->length = 0;
  PutBytes(b, "\x93NUMPY\1", 8);
  b->bytes[7] = 0;
  Put(b, 118, 2);
  b->length += (size_t)sprintf((char *)b->bytes + b->length, "%-117s\n", header);
  PutBytes(b, data, length);
}

typedef struct {
  Buffer file, directory;
  int    members;
} Zip;

static uint32_t Checksum(const Buffer *b)
{
  uint32_t crc = 0xffffffffU;

  for (size_t k = 0; k < b->length; k++) {
    crc ^= b->bytes[k];
    for (int i = 0; i < 8; i++) crc = crc & 1 ? crc >> 1 ^ 0xedb88320U : crc >> 1;
  }
  return ~crc;
}

/* A member, as it is or in one block of deflate that stores it, which is what a decompressor has to understand, too */
static void Add(Zip *zip, const char name[], const Buffer *member, int deflate)
{
  const size_t   at = zip->file.length, stored = member->length + (deflate ? 5 : 0);
  const uint32_t crc = Checksum(member);

  PutBytes(&zip->file, "PK\3\4", 4);
  Put(&zip->file, 20, 4);
  Put(&zip->file, deflate ? 8 : 0, 2);
  Put(&zip->file, 0, 4);
  Put(&zip->file, crc, 4);
  Put(&zip->file, stored, 4);
  Put(&zip->file, member->length, 4);
  Put(&zip->file, strlen(name), 2);
  Put(&zip->file, 0, 2);
  PutBytes(&zip->file, name, strlen(name));
  if (deflate) {
    Put(&zip->file, 1, 1);
    Put(&zip->file, member->length, 2);
    Put(&zip->file, ~(uint64_t)member->length, 2);
  }
  PutBytes(&zip->file, member->bytes, member->length);
  PutBytes(&zip->directory, "PK\1\2", 4);
  Put(&zip->directory, 20, 2);
  Put(&zip->directory, 20, 4);
  Put(&zip->directory, deflate ? 8 : 0, 2);
  Put(&zip->directory, 0, 4);
  Put(&zip->directory, crc, 4);
  Put(&zip->directory, stored, 4);
  Put(&zip->directory, member->length, 4);
  Put(&zip->directory, strlen(name), 2);
  Put(&zip->directory, 0, 2 + 2 + 2 + 2 + 4);
  Put(&zip->directory, at, 4);
  PutBytes(&zip->directory, name, strlen(name));
  zip->members++;
}

static PetscErrorCode Finish(Zip *zip)
{
  const size_t at = zip->file.length;

  PetscFunctionBegin;
  PutBytes(&zip->file, zip->directory.bytes, zip->directory.length);
  PutBytes(&zip->file, "PK\5\6", 4);
  Put(&zip->file, 0, 4);
  Put(&zip->file, (uint64_t)zip->members, 2);
  Put(&zip->file, (uint64_t)zip->members, 2);
  Put(&zip->file, zip->directory.length, 4);
  Put(&zip->file, at, 4);
  Put(&zip->file, 0, 2);
  PetscCall(WriteFile(path, zip->file.bytes, zip->file.length));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GoodZip(const char name[], PetscInt m, PetscInt n, const double values[], const char what[])
{
  const Wish all = {NULL, NULL, NAPI_MISSING_ERROR};
  char       message[NAPI_MESSAGE_LENGTH], note[NAPI_MESSAGE_LENGTH];
  PetscBool  same;
  Mat        A;

  PetscFunctionBegin;
  PetscCall(Read(name, &all, &A, NULL, note, message));
  PetscCall(Same(A, NULL, m, n, values, NULL, &same));
  PetscCall(TapOk(same, "%s", what));
  if (message[0]) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s\n", message));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix [1 0 2; 0 0 3] as save_npz() writes it */
static PetscErrorCode MakeSparse(Zip *zip, const char format[], int deflate, const char leave[])
{
  static const double  data[]  = {1, 2, 3};
  static const int64_t shape[] = {2, 3};
  static const int32_t row[] = {0, 0, 1}, col[] = {0, 2, 2}, rowptr[] = {0, 2, 3}, colptr[] = {0, 1, 1, 3};
  const int            csr = !strcmp(format, "csr"), csc = !strcmp(format, "csc");
  Buffer               b;

  PetscFunctionBegin;
  memset(zip, 0, sizeof(*zip));
  MakeArray(&b, "<i4", "(3,)", 12, csc ? row : col);
  if (strcmp(leave, "indices")) Add(zip, csr || csc ? "indices.npy" : "col.npy", &b, deflate);
  if (csr) MakeArray(&b, "<i4", "(3,)", 12, rowptr);
  else if (csc) MakeArray(&b, "<i4", "(4,)", 16, colptr);
  else MakeArray(&b, "<i4", "(3,)", 12, row);
  Add(zip, csr || csc ? "indptr.npy" : "row.npy", &b, deflate);
  MakeArray(&b, "|S3", "()", 3, format);
  Add(zip, "format.npy", &b, deflate);
  MakeArray(&b, "<i8", "(2,)", 16, shape);
  Add(zip, "shape.npy", &b, deflate);
  MakeArray(&b, "<f8", strcmp(leave, "data") ? "(3,)" : "(2,)", strcmp(leave, "data") ? 24 : 16, data);
  Add(zip, "data.npy", &b, deflate);
  PetscCall(Finish(zip));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestZip(void)
{
  static const char *const formats[] = {"csr", "csc", "coo"};
  const double             v[] = {1.5, -2, 0, 0.25, 1024, -0.5}, w[] = {7, 8}, s[] = {1, 0, 2, 0, 0, 3};
  const Wish               all = {NULL, NULL, NAPI_MISSING_ERROR};
  char                     name[PETSC_MAX_PATH_LEN];
  Buffer                   a, b, text;
  Zip                     *zip;

  PetscFunctionBegin;
  PetscCall(PetscNew(&zip));
  MakeArray(&a, "<f8", "(3, 2)", sizeof(v), v);
  MakeArray(&b, "<f8", "(2,)", sizeof(w), w);
  for (int deflate = 0; deflate < 2; deflate++) {
    memset(zip, 0, sizeof(*zip));
    Add(zip, "arr_0.npy", &a, deflate);
    PetscCall(Finish(zip));
    PetscCall(GoodZip(path, 3, 2, v, deflate ? "np.savez_compressed() of one array" : "np.savez() of one array"));
    memset(zip, 0, sizeof(*zip));
    Add(zip, "X.npy", &a, deflate);
    Add(zip, "y.npy", &b, deflate);
    PetscCall(Finish(zip));
    PetscCall(PetscSNPrintf(name, sizeof(name), "%s:X", path));
    PetscCall(GoodZip(name, 3, 2, v, "the array that is named"));
    PetscCall(PetscSNPrintf(name, sizeof(name), "%s:y", path));
    PetscCall(GoodZip(name, 2, 1, w, "and the other"));
    PetscCall(Bad(NULL, &all, "has several arrays: say which after a colon, as in file.npz:name (X, y)", "several arrays"));
    for (int f = 0; f < 3; f++) {
      PetscCall(MakeSparse(zip, formats[f], deflate, ""));
      PetscCall(PetscSNPrintf(name, sizeof(name), "save_npz(), %s%s", formats[f], deflate ? ", compressed" : ""));
      PetscCall(GoodZip(path, 2, 3, s, name));
    }
  }
  memset(zip, 0, sizeof(*zip));
  text.length = (size_t)sprintf((char *)text.bytes, ",a,b\n0,1.5,-2\n1,0,.25\n2,1024,-.5\n");
  Add(zip, "x.csv", &text, 1);
  PetscCall(Finish(zip));
  PetscCall(GoodZip(path, 3, 2, v, "a table in a zip file"));
  PetscCall(MakeSparse(zip, "bsr", 0, ""));
  PetscCall(Bad(NULL, &all, "in the format 'bsr': save it with tocsr()", "blocks"));
  PetscCall(MakeSparse(zip, "csr", 0, "indices"));
  PetscCall(Bad(NULL, &all, "without its array 'indices'", "an array is missing"));
  PetscCall(MakeSparse(zip, "csr", 1, "data"));
  PetscCall(Bad(NULL, &all, "lengths that do not match", "an array is too short"));
  PetscCall(WriteFile(path, zip->file.bytes, zip->file.length - 30));
  PetscCall(Bad(NULL, &all, "damaged or truncated", "the end is missing"));
  PetscCall(PetscFree(zip));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TapBegin(&argc, &argv));
  PetscCall(MakeFolder());
  PetscCall(InFolder("data", path));
  PetscCall(TestTables());
  PetscCall(TestColumns());
  PetscCall(TestGaps());
  PetscCall(TestZip());
  PetscCall(RemoveFolder());
  return TapEnd();
}
