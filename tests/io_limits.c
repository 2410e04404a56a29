/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What a file may cost: nothing is allocated that its bytes are not worth, whatever its header promises; and what it
   cannot do with a message: no control character of a file reaches the terminal. All ranks agree.
*/
#include "files.h"
#include <sys/resource.h>

#define MUCH  100.0 /* MB: far less than what is asked for, and more than PETSc takes for a small matrix */
#define WIDTH 20000 /* fields of the first row, and rows */

/* The most memory this process ever had, in MB */
static double Peak(void)
{
  struct rusage usage;

  (void)getrusage(RUSAGE_SELF, &usage);
  return (double)usage.ru_maxrss / 1024.0;
}

/* The same sentence on all ranks? */
static PetscErrorCode SameEverywhere(const char message[], PetscBool *same)
{
  char first[NAPI_MESSAGE_LENGTH];

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(first, message, sizeof(first)));
  PetscCallMPI(MPI_Bcast(first, sizeof(first), MPI_CHAR, 0, PETSC_COMM_WORLD));
  *same = (PetscBool)!strcmp(first, message);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As data and as a matrix: refused with a sentence that has this in it, and cheaply */
static PetscErrorCode Refused(const char path[], const char expected[], const char what[])
{
  char      message[NAPI_MESSAGE_LENGTH];
  double    before = Peak();
  PetscBool same   = PETSC_FALSE;
  Mat       A;

  PetscFunctionBegin;
  for (int isdata = 0; isdata < 2; isdata++) {
    if (isdata) PetscCall(NAPIReadData(PETSC_COMM_WORLD, path, &A, NULL, message));
    else PetscCall(NAPIReadMatrix(PETSC_COMM_WORLD, path, &A, message));
    PetscCall(SameEverywhere(message, &same));
    PetscCall(TapOk((PetscBool)(!A && same && strstr(message, expected) && !strncmp(message, path, strlen(path))), "%s, as %s: refused", what, isdata ? "data" : "a matrix"));
    if (!strstr(message, expected)) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# '%s'\n", message));
    PetscCall(MatDestroy(&A));
  }
  PetscCall(TapOk((PetscBool)(Peak() - before < MUCH), "%s: and takes no memory", what));
  if (Peak() - before >= MUCH) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %g MB\n", Peak() - before));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A wide first row, and as many rows of which each has one field (or many empty ones) */
static PetscErrorCode TestCsv(void)
{
  char  path[PETSC_MAX_PATH_LEN];
  char *text, *p;

  PetscFunctionBegin;
  PetscCall(InFolder("ragged.csv", path));
  PetscCall(PetscMalloc1(4 * WIDTH, &text));
  for (p = text; p < text + 2 * WIDTH; p += 2) memcpy(p, "1,", 2);
  p[-1] = '\n';
  for (; p < text + 4 * WIDTH; p += 2) memcpy(p, "1\n", 2);
  PetscCall(WriteFile(path, text, 4 * WIDTH));
  PetscCall(Refused(path, "line 2 has 1 field where the first row has 20000", "rows much shorter than the first"));
  memset(text + 2 * WIDTH, ',', WIDTH - 1);
  text[3 * WIDTH - 1] = '\n';
  PetscCall(WriteFile(path, text, 3 * WIDTH));
  PetscCall(Refused(path, "line 2, column 1 is empty", "empty fields"));
  memset(text, ',', 2 * WIDTH);
  text[0]             = '1';
  text[2 * WIDTH - 1] = '\n';
  PetscCall(WriteFile(path, text, 4 * WIDTH));
  PetscCall(Refused(path, "line 1, column 2 is empty", "empty fields in the first row"));
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestHeaders(void)
{
  static const char promise[] = MM "coordinate real general\n50000000 50000000 1\n1 1 1\n";
  static const char wide[]    = MM "coordinate real general\n1 50000000 1\n1 1 1\n";
  static const char array[]   = MM "array real general\n50000000 50000000\n1\n";
  static const char mirror[]  = MM "array real symmetric\n9 9\n1\n";
  static const char product[] = MM "array real general\n4294967296 4294967296\n1\n"; /* 2^64 */
  static const char numpy[]   = "\x93NUMPY\x01\x00\x47\x00"
                                "{'descr': '<f8', 'fortran_order': False, 'shape': (50000000, 50000000)}";
  char              path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(InFolder("promise", path));
  PetscCall(WriteFile(path, promise, strlen(promise)));
  PetscCall(Refused(path, "promises a matrix of 50000000 by 50000000", "a short file for a huge sparse matrix"));
  PetscCall(WriteFile(path, wide, strlen(wide)));
  PetscCall(Refused(path, "promises a matrix of 1 by 50000000", "a short file for a wide sparse matrix"));
  PetscCall(WriteFile(path, array, strlen(array)));
  PetscCall(Refused(path, "too short", "a short file for a huge array"));
  PetscCall(WriteFile(path, mirror, strlen(mirror)));
  PetscCall(Refused(path, "too short", "a short file for a symmetric array"));
  PetscCall(WriteFile(path, product, strlen(product)));
  PetscCall(Refused(path, "too short", "an array whose number of entries is not a number"));
  PetscCall(WriteSparseFile(path, numpy, sizeof(numpy) - 1, (off_t)sizeof(numpy) + 7));
  PetscCall(Refused(path, "is truncated", "a short file for a huge NumPy array"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A short file is allowed some rows and columns without entries */
static PetscErrorCode TestEmptyRows(void)
{
  static const char hashed[] = MM "coordinate real general\n2 1048576 2\n1 1048576 3\n2 1 4\n";
  static const char masses[] = MM "coordinate real symmetric\n1000000 1000000 1\n7 7 5\n";
  char              path[PETSC_MAX_PATH_LEN], message[NAPI_MESSAGE_LENGTH];
  PetscReal         norm = 0.0;
  Mat               A;

  PetscFunctionBegin;
  PetscCall(InFolder("sparse", path));
  PetscCall(WriteFile(path, hashed, strlen(hashed)));
  PetscCall(NAPIReadData(PETSC_COMM_WORLD, path, &A, NULL, message));
  if (A) PetscCall(MatNorm(A, NORM_FROBENIUS, &norm));
  PetscCall(TapNear(norm, 5.0, 1e-14, "a million columns, nearly all of them empty"));
  PetscCall(MatDestroy(&A));
  PetscCall(WriteFile(path, masses, strlen(masses)));
  PetscCall(NAPIReadMatrix(PETSC_COMM_WORLD, path, &A, message));
  norm = 0.0;
  if (A) PetscCall(MatNorm(A, NORM_FROBENIUS, &norm));
  PetscCall(TapNear(norm, 5.0, 1e-14, "a million rows, nearly all of them empty"));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bytes that are all there, but more than any machine has room for */
static PetscErrorCode TestMemory(void)
{
  static const char numpy[] = "\x93NUMPY\x01\x00\x45\x00"
                              "{'descr': '<f8', 'fortran_order': False, 'shape': (524288, 1048576)}\n";
  const off_t       size    = (off_t)(sizeof(numpy) - 1) + ((off_t)1 << 42); /* 2^39 numbers of 8 bytes */
  char              path[PETSC_MAX_PATH_LEN], probe[PETSC_MAX_PATH_LEN];
  PetscMPIInt       rank, possible = 1;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(InFolder("large.npy", path));
  PetscCall(PetscSNPrintf(probe, sizeof(probe), "%s/probe", folder));
  if (!rank) { /* not every file system has files of that length */
    FILE *file = fopen(probe, "wb");

    possible = file && !ftruncate(fileno(file), size);
    if (file) (void)fclose(file);
    (void)remove(probe);
  }
  PetscCallMPI(MPI_Bcast(&possible, 1, MPI_INT, 0, PETSC_COMM_WORLD));
  if (!possible) {
    PetscCall(TapSkip("no file can be that long here", "more than there is memory for"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(WriteSparseFile(path, numpy, sizeof(numpy) - 1, size));
  PetscCall(Refused(path, "there is no memory for it: 524288 by 1048576 numbers take", "a matrix beyond all memory"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static unsigned char *PutInteger(unsigned char *p, unsigned long long value, int width)
{
  for (int k = 0; k < width; k++) p[k] = (unsigned char)(value >> 8 * (width - 1 - k));
  return p + width;
}

/* Lengths of rows that add up to the number of entries only because the sum wraps around */
static PetscErrorCode TestRowLengths(void)
{
  const unsigned long long most = 0x7fffffffffffffffULL, header[] = {1211216, 4, 3, 6}, lengths[] = {6, most, most, 2};
  unsigned char            bytes[512], *p = bytes;
  char                     path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  memset(bytes, 0, sizeof(bytes));
  for (int k = 0; k < 4; k++) p = PutInteger(p, header[k], 8);
  for (int k = 0; k < 4; k++) p = PutInteger(p, lengths[k], 8);
  for (int k = 0; k < 6; k++) p = PutInteger(p, (unsigned long long)(k % 3), 8);
  p += 6 * 8; /* values of zero */
  PetscCall(InFolder("lengths", path));
  PetscCall(WriteFile(path, bytes, (size_t)(p - bytes)));
  PetscCall(Refused(path, "lengths of its rows", "PETSc binary, 64 bits, a sum of lengths that overflows"));
  (void)PutInteger(bytes + 8 * 5, 0, 8); /* all entries are in the first row, and one of them is nowhere */
  (void)PutInteger(bytes + 8 * 6, 0, 8);
  (void)PutInteger(bytes + 8 * 7, 0, 8);
  (void)PutInteger(bytes + 8 * 9, most, 8);
  PetscCall(WriteFile(path, bytes, (size_t)(p - bytes)));
  PetscCall(Refused(path, "entry (1,9223372036854775807) lies outside", "PETSc binary, the largest index there is"));
  p = PutInteger(bytes, header[0], 4);
  p = PutInteger(p, 1, 4);
  p = PutInteger(p, 2000000000, 4);
  p = PutInteger(p, 1, 4);
  p = PutInteger(p, 1, 4);
  p = PutInteger(p, 0, 4);
  p = PutInteger(p, 0, 8);
  PetscCall(WriteFile(path, bytes, (size_t)(p - bytes)));
  PetscCall(Refused(path, "promises a matrix of 1 by 2000000000", "PETSc binary, far too many columns"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestEscapes(void)
{
  const struct {
    const char *text, *expected, *what;
  } files[] = {
    {"# beyond the bytes that tell the format, which must not have such characters: 64\n1,2\n3,\033[31m4\n", "'\\x1b[31m4' is not a number",  "CSV"                              },
    {"1,2\n3,\xc2\x9b"
     "4\n",                                                                                             "'\\xc2\\x9b4' is not a number", "CSV, a control character of UTF-8"},
    {"1,2\n3,\xffz\n",                                                                                       "'\\xffz' is not a number",      "CSV, not UTF-8"                   },
    {"1,2\n3,\xce\xb1\n",                                                                                    "'\xce\xb1' is not a number",    "CSV, a letter, which stays"       },
    {MM "coordinate real general\n3 3 1\n1 1 \033]0;x\007\n",                                                "\\x1b]0;x\\x07",                "Matrix Market"                    },
    {MM "coordinate \033c general\n3 3 1\n1 1 1\n",                                                          "unknown field '\\x1bc'",        "Matrix Market's header"           },
    {"\x93NUMPY\x01",                                                                                        "is truncated",                  "none at all"                      }
  };
  char      path[PETSC_MAX_PATH_LEN], message[NAPI_MESSAGE_LENGTH], string[8] = "ab\033\033";
  PetscBool clean;
  Mat       A;

  PetscFunctionBegin;
  PetscCall(InFolder("escapes", path));
  for (size_t k = 0; k < sizeof(files) / sizeof(files[0]); k++) {
    PetscCall(WriteFile(path, files[k].text, strlen(files[k].text)));
    PetscCall(NAPIReadData(PETSC_COMM_WORLD, path, &A, NULL, message));
    clean = (PetscBool)(strstr(message, files[k].expected) != NULL);
    for (const char *p = message; *p; p++)
      if ((unsigned char)*p < ' ' || *p == 0x7f) clean = PETSC_FALSE;
    PetscCall(TapOk(clean, "control characters are escaped: %s", files[k].what));
    PetscCall(MatDestroy(&A));
  }
  NAPIEscape(string, sizeof(string));
  PetscCall(TapOk((PetscBool)!strcmp(string, "ab\\x1b"), "what does not fit is cut off between characters"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TapBegin(&argc, &argv));
  PetscCall(MakeFolder());
  PetscCall(TestCsv());
  PetscCall(TestHeaders());
  PetscCall(TestEmptyRows());
  PetscCall(TestMemory());
  PetscCall(TestRowLengths());
  PetscCall(TestEscapes());
  PetscCall(RemoveFolder());
  return TapEnd();
}
