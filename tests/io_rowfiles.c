/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Files about the rows of a data file: weights and labels, in text with and without a name, an index and quotes, and as a NumPy array, on
   any number of ranks; rows that were dropped are dropped from them, too; labels are numbered as numpy.unique() does; what is wrong gives a
   sentence that says where.
*/
#include "files.h"
#include <math.h>

#define N 7

static char     path[PETSC_MAX_PATH_LEN];
static NAPIRows rows;

/* The rows of a matrix with N rows, of which those with a 0 in the mask are dropped */
static PetscErrorCode MakeRows(const char mask[])
{
  Mat A;

  PetscFunctionBegin;
  PetscCall(NAPIRowsDestroy(&rows));
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, N, 2, NULL, &A));
  PetscCall(NAPIRowsCreate(A, "data", &rows));
  PetscCall(MatDestroy(&A));
  for (PetscInt i = 0; i < N && mask; i++) rows.dropped += mask[i] == '0';
  if (rows.dropped) PetscCall(PetscMalloc1(rows.local, &rows.kept));
  for (PetscInt i = 0; i < rows.local && rows.dropped; i++) rows.kept[i] = mask[rows.first + i] == '1';
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Weights(const char text[], PetscInt n, const double wanted[], const char what[])
{
  const PetscScalar *w;
  char               message[NAPI_MESSAGE_LENGTH];
  PetscInt           first, last, size;
  PetscBool          same;
  Vec                weights;

  PetscFunctionBegin;
  if (text) PetscCall(WriteFile(path, text, strlen(text)));
  PetscCall(NAPIReadWeights(PETSC_COMM_WORLD, path, &rows, &weights, message));
  same = (PetscBool)(weights && !message[0]);
  if (weights) {
    PetscCall(VecGetSize(weights, &size));
    PetscCall(VecGetOwnershipRange(weights, &first, &last));
    PetscCall(VecGetArrayRead(weights, &w));
    same = (PetscBool)(size == n);
    for (PetscInt i = first; i < last && same; i++) same = (PetscBool)(PetscRealPart(w[i - first]) == (PetscReal)wanted[i]);
    PetscCall(VecRestoreArrayRead(weights, &w));
  }
  PetscCall(TapOk(same, "weights: %s", what));
  if (message[0]) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s\n", message));
  PetscCall(VecDestroy(&weights));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Labels(const char text[], PetscInt n, const PetscInt wanted[], const char list[], const char what[])
{
  const PetscInt *l;
  char            message[NAPI_MESSAGE_LENGTH], **names, all[256] = "";
  PetscInt        size, local, first, count;
  PetscBool       same;
  IS              labels;

  PetscFunctionBegin;
  if (text) PetscCall(WriteFile(path, text, strlen(text)));
  PetscCall(NAPIReadLabels(PETSC_COMM_WORLD, path, &rows, &labels, &count, &names, message));
  same = (PetscBool)(labels && !message[0]);
  if (labels) {
    PetscCall(ISGetSize(labels, &size));
    PetscCall(ISGetLocalSize(labels, &local));
    PetscCallMPI(MPI_Scan(&local, &first, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
    first -= local;
    PetscCall(ISGetIndices(labels, &l));
    same = (PetscBool)(size == n);
    for (PetscInt i = 0; i < local && same; i++) same = (PetscBool)(l[i] == wanted[first + i]);
    PetscCall(ISRestoreIndices(labels, &l));
    for (PetscInt k = 0; k < count; k++) {
      PetscCall(PetscStrlcat(all, k ? "/" : "", sizeof(all)));
      PetscCall(PetscStrlcat(all, names[k], sizeof(all)));
    }
    if (names[count] || strcmp(all, list)) same = PETSC_FALSE;
  }
  PetscCall(TapOk(same, "labels: %s", what));
  if (!same) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s %s\n", message, all));
  PetscCall(NAPIFreeNames(&names));
  PetscCall(ISDestroy(&labels));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Bad(PetscBool weights, const char text[], const char expected[], const char what[])
{
  char      message[NAPI_MESSAGE_LENGTH], **names = NULL;
  PetscInt  count;
  PetscBool refused;
  Vec       w      = NULL;
  IS        labels = NULL;

  PetscFunctionBegin;
  PetscCall(WriteFile(path, text, strlen(text)));
  if (weights) PetscCall(NAPIReadWeights(PETSC_COMM_WORLD, path, &rows, &w, message));
  else PetscCall(NAPIReadLabels(PETSC_COMM_WORLD, path, &rows, &labels, &count, &names, message));
  refused = (PetscBool)(!w && !labels && !names && strstr(message, expected) != NULL && strchr(message, '\n') == NULL && !strncmp(message, path, strlen(path)));
  PetscCall(TapOk(refused, "refused: %s", what));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s\n", message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestWeights(void)
{
  const double w[N] = {1, 2, 0, .5, 3, 1e-3, 7}, left[] = {1, .5, 3, 7};

  PetscFunctionBegin;
  PetscCall(MakeRows(NULL));
  PetscCall(Weights("1\n2\n0\n0.5\n3\n1e-3\n7\n", N, w, "a number a line"));
  PetscCall(Weights("w\r\n1\r\n2\r\n0\r\n0.5\r\n3\r\n1e-3\r\n7\r\n", N, w, "with a name, and CRLF"));
  PetscCall(Weights(",w\n0,1\n1,2\n2,0\n3,0.5\n4,3\n5,0.001\n6,7\n", N, w, "with an index as pandas writes it"));
  PetscCall(Weights("\"\";\"w\"\n\"1\";1\n\"2\";2\n\"3\";0\n\"4\";0,5\n\"5\";3\n\"6\";0,001\n\"7\";7\n", N, w, "as R's write.csv2() writes them"));
  PetscCall(Weights("%%MatrixMarket matrix coordinate real general\n7 1 6\n1 1 1\n2 1 2\n4 1 .5\n5 1 3\n6 1 1e-3\n7 1 7\n", N, w, "Matrix Market"));
  PetscCall(MakeRows("1001101"));
  PetscCall(Weights("1\n2\n0\n0.5\n3\n1e-3\n7\n", 4, left, "those of dropped rows are dropped"));
  PetscCall(MakeRows(NULL));
  PetscCall(Bad(PETSC_TRUE, "1\n2\n0\n0.5\n3\n1e-3\n", "has 6 lines and data has 7 rows", "too few weights"));
  PetscCall(Bad(PETSC_TRUE, "1\n2\n0\n0.5\n3\n1e-3\n7\n8\n9\n", "has 9 lines and data has 7 rows", "too many weights"));
  PetscCall(Bad(PETSC_TRUE, "1\n2\n0\n0.5\n-3\n1e-3\n7\n", "line 5: -3 is no weight", "a negative weight"));
  PetscCall(Bad(PETSC_TRUE, "1\n2\n0\n0.5\ninf\n1e-3\n7\n", "line 5: inf is no weight", "an infinite weight"));
  PetscCall(Bad(PETSC_TRUE, "1\n2\n0\nmany\n3\n1e-3\n7\n", "line 4: 'many' is not a number", "a word"));
  PetscCall(Bad(PETSC_TRUE, "w\n1\n2\n0\nNA\n3\n1e-3\n7\n", "line 5 is empty or marked as missing", "a gap"));
  PetscCall(Bad(PETSC_TRUE, "1,1\n2,2\n0,3\n1,4\n3,5\n1,6\n7,7\n", "2 columns", "two columns"));
  PetscCall(Bad(PETSC_TRUE, "1,1,1\n", "3 columns", "three columns"));
  PetscCall(Bad(PETSC_TRUE, "%%MatrixMarket matrix coordinate real general\n7 2 1\n1 1 1\n", "2 columns", "a matrix"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestLabels(void)
{
  const PetscInt words[N] = {1, 0, 1, 2, 2, 0, 1}, numbers[N] = {1, 2, 0, 1, 0, 2, 2}, left[] = {0, 1, 1, 0};

  PetscFunctionBegin;
  PetscCall(MakeRows(NULL));
  PetscCall(Labels("setosa\nnew york\nsetosa\nvirginica\nvirginica\nnew york\nsetosa\n", N, words, "new york/setosa/virginica", "words, blanks in them, in sorted order"));
  PetscCall(Labels("class\nb\na\nb\nc\nc\na\nb\n", N, words, "a/b/c", "with a name"));
  PetscCall(Labels("b\na label that is longer than a number ever is\nb\nc\nc\na label that is longer than a number ever is\nb\n", N, words, "a label that is longer than a number ever is/b/c", "a long one"));
  PetscCall(Labels(",class\n1,b\n2,\"A \"\"1\"\", x\"\n3,b\n4,c\n5,c\n6,\"A \"\"1\"\", x\"\n7,b\n", N, words, "A \"1\", x/b/c", "with an index, quotes and commas"));
  PetscCall(Labels("2\n10\n-1\n2\n-1\n10\n10\n", N, numbers, "-1/2/10", "numbers, sorted by value"));
  PetscCall(Labels("2\n10\n-1\n2.0\n-1\n10\nx\n", N, (const PetscInt[]){2, 1, 0, 3, 0, 1, 4}, "-1/10/2/2.0/x", "as words if one of them is none"));
  PetscCall(Labels("False\nTrue\nFalse\nTrue\nTrue\nFalse\nTrue\n", N, (const PetscInt[]){0, 1, 0, 1, 1, 0, 1}, "False/True", "truth values"));
  PetscCall(Labels("%%MatrixMarket matrix array real general\n7 1\n2\n10\n-1\n2\n-1\n10\n10\n", N, numbers, "-1/2/10", "an array of numbers"));
  PetscCall(MakeRows("1001101"));
  PetscCall(Labels("b\na\nb\nc\nc\n\"\"\nb\n", 4, left, "b/c", "those of dropped rows are dropped, and their gaps"));
  PetscCall(MakeRows(NULL));
  PetscCall(Bad(PETSC_FALSE, "b\na\nb\nc\nc\na\n", "has 6 lines and data has 7 rows", "too few labels"));
  PetscCall(Bad(PETSC_FALSE, "b\na\nb\n\"\"\nc\na\nb\n", "line 4 is empty or marked as missing", "a gap"));
  PetscCall(Bad(PETSC_FALSE, ",y\n0,b\n1,a\n2\n3,c\n4,c\n5,a\n6,b\n", "line 4", "another number of columns"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  char     message[NAPI_MESSAGE_LENGTH];
  PetscInt count;
  IS       labels;

  PetscFunctionBeginUser;
  PetscCall(TapBegin(&argc, &argv));
  PetscCall(MakeFolder());
  PetscCall(InFolder("rows", path));
  PetscCall(TestWeights());
  PetscCall(TestLabels());
  PetscCall(NAPIReadLabels(PETSC_COMM_WORLD, "/nowhere/at/all", &rows, &labels, &count, NULL, message));
  PetscCall(TapOk((PetscBool)(!labels && strstr(message, "cannot be opened")), "refused: no such file"));
  PetscCall(NAPIRowsDestroy(&rows));
  PetscCall(RemoveFolder());
  return TapEnd();
}
