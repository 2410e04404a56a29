/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Writes vectors as fields on points for ParaView and its relatives: a VTK file in XML (.vtu), whose numbers are in base64, or
   in the older format (.vtk), whose numbers are binary, the most significant byte first. Both hold an unstructured grid: the
   hexahedra or quadrilaterals of a grid, all of whose points are there, with zeros where there are no unknowns; or a vertex for
   each point of a list.

   Rank 0 writes, and has room for one vector at a time.
*/
#include "napiio.h"
#include "output.h"
#include <slepcnapi/private/napicompat.h>
#include <stdint.h>
#include <string.h>

/* of VTK's cells */
enum {
  VTK_VERTEX     = 1,
  VTK_QUAD       = 9,
  VTK_HEXAHEDRON = 12
};

typedef struct {
  NAPIOutput    out;
  PetscBool     xml;
  unsigned char rest[3]; /* bytes that base64 has not yet made four characters of */
  int           nrest;
} Vtk;

/* --- numbers ------------------------------------------------------------------------------------------------------ */

static void Vtk_Encode(Vtk *vtk, int bytes)
{
  static const char    digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned char *b       = vtk->rest;
  char                 text[4] = {digit[b[0] >> 2], digit[(b[0] & 3) << 4 | b[1] >> 4], digit[(b[1] & 15) << 2 | b[2] >> 6], digit[b[2] & 63]};

  for (int k = bytes + 1; k < 4; k++) text[k] = '=';
  NAPIPut(&vtk->out, text, 4);
  memset(vtk->rest, 0, sizeof(vtk->rest));
  vtk->nrest = 0;
}

static void Vtk_Number(Vtk *vtk, const void *number, size_t size)
{
  if (!vtk->xml) NAPIPutNumber(&vtk->out, number, size, (PetscBool)!PetscDefined(WORDS_BIGENDIAN));
  for (size_t k = 0; k < size && vtk->xml; k++) {
    vtk->rest[vtk->nrest++] = ((const unsigned char *)number)[k];
    if (vtk->nrest == 3) Vtk_Encode(vtk, 3);
  }
}

static void Vtk_Real(Vtk *vtk, PetscReal value)
{
  const double number = (double)value;

  Vtk_Number(vtk, &number, sizeof(number));
}

/* Where points are numbered, the older format has 32 bits */
static void Vtk_Integer(Vtk *vtk, PetscInt value)
{
  const int64_t wide   = (int64_t)value;
  const int32_t narrow = (int32_t)value;

  if (vtk->xml) Vtk_Number(vtk, &wide, sizeof(wide));
  else Vtk_Number(vtk, &narrow, sizeof(narrow));
}

/* --- arrays of numbers -------------------------------------------------------------------------------------------- */

/* type: VTK's name in XML; the older format has its own line before an array */
static void Vtk_BeginArray(Vtk *vtk, const char name[], const char type[], size_t size, PetscInt components, PetscInt tuples)
{
  const uint64_t bytes = (uint64_t)size * (uint64_t)components * (uint64_t)tuples;
  char           line[256], width[64] = "";

  if (!vtk->xml) return;
  if (components > 1) (void)snprintf(width, sizeof(width), " NumberOfComponents=\"%" PetscInt_FMT "\"", components);
  (void)snprintf(line, sizeof(line), "<DataArray type=\"%s\" Name=\"%s\"%s NumberOfTuples=\"%" PetscInt_FMT "\" format=\"binary\">\n", type, name, width, tuples);
  NAPIPutText(&vtk->out, line);
  Vtk_Number(vtk, &bytes, sizeof(bytes));
}

static void Vtk_EndArray(Vtk *vtk)
{
  if (vtk->nrest) Vtk_Encode(vtk, vtk->nrest);
  NAPIPutText(&vtk->out, vtk->xml ? "\n</DataArray>\n" : "\n");
}

static void Vtk_BeginReals(Vtk *vtk, const char name[], PetscInt components, PetscInt tuples)
{
  char line[256];

  if (!vtk->xml) {
    (void)snprintf(line, sizeof(line), "%s %" PetscInt_FMT " %" PetscInt_FMT " double\n", name, components, tuples);
    NAPIPutText(&vtk->out, line);
  }
  Vtk_BeginArray(vtk, name, "Float64", sizeof(double), components, tuples);
}

static void Vtk_Line(Vtk *vtk, const char xml[], const char format[], PetscInt a, PetscInt b)
{
  char line[256];

  if (vtk->xml) {
    NAPIPutText(&vtk->out, xml);
    return;
  }
  (void)snprintf(line, sizeof(line), format, (long long)a, (long long)b);
  NAPIPutText(&vtk->out, line);
}

/* --- points and cells --------------------------------------------------------------------------------------------- */

/* How many points and cells there are; a list of points has a vertex each */
static PetscErrorCode Vtk_Count(const NAPIMesh *mesh, PetscInt *points, PetscInt *cells)
{
  PetscFunctionBegin;
  if (mesh->points) {
    PetscCall(MatGetSize(mesh->points, points, NULL));
    *cells = *points;
  } else {
    *points = *cells = 1;
    for (PetscInt d = 0; d < mesh->dim; d++) {
      *points *= mesh->m[d] + 1;
      *cells *= mesh->m[d];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The coordinates of the points of a list, three each, on rank 0 */
static PetscErrorCode Vtk_GatherPoints(const NAPIMesh *mesh, PetscInt points, PetscReal xyz[])
{
  VecScatter         gather;
  Vec                x, whole;
  const PetscScalar *v;
  PetscInt           n, length;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(xyz, 3 * points));
  PetscCall(MatGetSize(mesh->points, NULL, &n));
  PetscCall(MatCreateVecs(mesh->points, NULL, &x));
  PetscCall(VecScatterCreateToZero(x, &gather, &whole));
  PetscCall(VecGetLocalSize(whole, &length));
  for (PetscInt j = 0; j < n; j++) {
    PetscCall(MatGetColumnVector(mesh->points, x, j));
    PetscCall(VecScatterBegin(gather, x, whole, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecScatterEnd(gather, x, whole, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecGetArrayRead(whole, &v));
    for (PetscInt i = 0; i < length; i++) xyz[3 * i + j] = PetscRealPart(v[i]);
    PetscCall(VecRestoreArrayRead(whole, &v));
  }
  PetscCall(VecScatterDestroy(&gather));
  PetscCall(VecDestroy(&whole));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Vtk_PutPoints(Vtk *vtk, const NAPIMesh *mesh, PetscInt points)
{
  PetscReal *xyz = NULL;

  PetscFunctionBegin;
  if (mesh->points) {
    PetscCall(PetscMalloc1(3 * points, &xyz));
    PetscCall(Vtk_GatherPoints(mesh, points, xyz));
  }
  Vtk_Line(vtk, "<Points>\n", "POINTS %lld double\n", points, 0);
  Vtk_BeginArray(vtk, "points", "Float64", sizeof(double), 3, points);
  for (PetscInt i = 0; i < points && vtk->out.file; i++) {
    PetscInt rest = i;

    for (PetscInt d = 0; d < 3; d++) {
      const PetscInt at = d < mesh->dim && !xyz ? rest % (mesh->m[d] + 1) : 0;

      if (xyz) Vtk_Real(vtk, xyz[3 * i + d]);
      else Vtk_Real(vtk, d < mesh->dim ? mesh->side[d] * (PetscReal)at / (PetscReal)mesh->m[d] : 0.0);
      if (d < mesh->dim && !xyz) rest /= mesh->m[d] + 1;
    }
  }
  Vtk_EndArray(vtk);
  Vtk_Line(vtk, "</Points>\n", "", 0, 0);
  PetscCall(PetscFree(xyz));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The points of a cell in VTK's order: around the bottom, then around the top; returns how many */
static int Vtk_Cell(const NAPIMesh *mesh, PetscInt cell, PetscInt corner[])
{
  const PetscInt row = mesh->m[0] + 1, layer = row * (mesh->m[1] + 1);
  PetscInt       first;

  if (mesh->points) {
    corner[0] = cell;
    return 1;
  }
  first     = cell % mesh->m[0] + row * (cell / mesh->m[0] % mesh->m[1]) + (mesh->dim == 3 ? layer * (cell / mesh->m[0] / mesh->m[1]) : 0);
  corner[0] = first;
  corner[1] = first + 1;
  corner[2] = first + 1 + row;
  corner[3] = first + row;
  for (int k = 0; k < 4; k++) corner[4 + k] = corner[k] + layer;
  return mesh->dim == 3 ? 8 : 4;
}

static void Vtk_PutCells(Vtk *vtk, const NAPIMesh *mesh, PetscInt cells)
{
  const PetscInt      corners = mesh->points ? 1 : mesh->dim == 3 ? 8 : 4;
  const unsigned char type    = mesh->points ? VTK_VERTEX : mesh->dim == 3 ? VTK_HEXAHEDRON : VTK_QUAD;
  PetscInt            corner[8];

  Vtk_Line(vtk, "<Cells>\n", "CELLS %lld %lld\n", cells, cells * (corners + 1));
  Vtk_BeginArray(vtk, "connectivity", "Int64", sizeof(int64_t), 1, cells * corners);
  for (PetscInt i = 0; i < cells && vtk->out.file; i++) {
    const int n = Vtk_Cell(mesh, i, corner);

    if (!vtk->xml) Vtk_Integer(vtk, n);
    for (int k = 0; k < n; k++) Vtk_Integer(vtk, corner[k]);
  }
  Vtk_EndArray(vtk);
  if (vtk->xml) {
    Vtk_BeginArray(vtk, "offsets", "Int64", sizeof(int64_t), 1, cells);
    for (PetscInt i = 0; i < cells && vtk->out.file; i++) Vtk_Integer(vtk, corners * (i + 1));
    Vtk_EndArray(vtk);
  }
  Vtk_Line(vtk, "", "CELL_TYPES %lld\n", cells, 0);
  Vtk_BeginArray(vtk, "types", "UInt8", 1, 1, cells);
  for (PetscInt i = 0; i < cells && vtk->out.file; i++) {
    if (vtk->xml) Vtk_Number(vtk, &type, 1);
    else Vtk_Integer(vtk, type);
  }
  Vtk_EndArray(vtk);
  Vtk_Line(vtk, "</Cells>\n", "", 0, 0);
}

/* --- fields ------------------------------------------------------------------------------------------------------- */

/* The number of the point among those that have unknowns, or -1 */
static PetscInt Vtk_Unknown(const NAPIMesh *mesh, PetscInt point)
{
  PetscInt number = 0, stride = 1;

  if (mesh->points) return point;
  for (PetscInt d = 0; d < mesh->dim; d++) {
    const PetscInt at = point % (mesh->m[d] + 1) - mesh->first[d];

    if (at < 0 || at >= mesh->n[d]) return -1;
    number += stride * at;
    stride *= mesh->n[d];
    point /= mesh->m[d] + 1;
  }
  return number;
}

/* Two components are shown as three, the last of which is zero: what moves in a plane is a vector for VTK, too */
static void Vtk_PutField(Vtk *vtk, const NAPIMesh *mesh, const char name[], PetscInt points, const PetscScalar v[], PetscBool imaginary)
{
  const PetscInt fields = mesh->fields, shown = fields == 2 ? 3 : fields;

  Vtk_BeginReals(vtk, name, shown, points);
  for (PetscInt i = 0; i < points && vtk->out.file; i++) {
    const PetscInt at = Vtk_Unknown(mesh, i);

    for (PetscInt c = 0; c < shown; c++) {
      const PetscScalar value = at < 0 || c >= fields ? 0.0 : v[at * fields + c];

      Vtk_Real(vtk, imaginary ? PetscImaginaryPart(value) : PetscRealPart(value));
    }
  }
  Vtk_EndArray(vtk);
}

/* A field each column; mode_01, ..., so that they are in order by their names. Complex numbers make two fields. */
static PetscErrorCode Vtk_PutModes(Vtk *vtk, const NAPIMesh *mesh, Mat X, PetscInt points)
{
  const int          parts = PetscDefined(USE_COMPLEX) ? 2 : 1;
  VecScatter         gather;
  Vec                x, whole;
  const PetscScalar *v;
  PetscInt           n;
  char               name[64], digits[32];

  PetscFunctionBegin;
  PetscCall(MatGetSize(X, NULL, &n));
  Vtk_Line(vtk, "<PointData>\n", "POINT_DATA %lld\nFIELD FieldData %lld\n", points, parts * n);
  (void)snprintf(digits, sizeof(digits), "%" PetscInt_FMT, n);
  PetscCall(MatCreateVecs(X, NULL, &x));
  PetscCall(VecScatterCreateToZero(x, &gather, &whole));
  PetscCall(VecDestroy(&x));
  for (PetscInt j = 0; j < n; j++) {
    PetscCall(MatDenseGetColumnVecRead(X, j, &x));
    PetscCall(VecScatterBegin(gather, x, whole, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecScatterEnd(gather, x, whole, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(MatDenseRestoreColumnVecRead(X, j, &x));
    PetscCall(VecGetArrayRead(whole, &v));
    for (int k = 0; k < parts; k++) {
      (void)snprintf(name, sizeof(name), "mode_%0*lld%s", (int)strlen(digits), (long long)j + 1, k ? "_imaginary" : "");
      Vtk_PutField(vtk, mesh, name, points, v, (PetscBool)k);
    }
    PetscCall(VecRestoreArrayRead(whole, &v));
  }
  Vtk_Line(vtk, "</PointData>\n", "", 0, 0);
  PetscCall(VecScatterDestroy(&gather));
  PetscCall(VecDestroy(&whole));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is known of the columns, beside their entries */
static void Vtk_PutValues(Vtk *vtk, PetscInt n, int nvalues, const char *const names[], const PetscReal *const values[])
{
  if (!nvalues || !n) return;
  Vtk_Line(vtk, "<FieldData>\n", "FIELD FieldData %lld\n", nvalues, 0);
  for (int k = 0; k < nvalues; k++) {
    Vtk_BeginReals(vtk, names[k], 1, n);
    for (PetscInt i = 0; i < n; i++) Vtk_Real(vtk, values[k][i]);
    Vtk_EndArray(vtk);
  }
  Vtk_Line(vtk, "</FieldData>\n", "", 0, 0);
}

static PetscErrorCode Vtk_PutAll(Vtk *vtk, const NAPIMesh *mesh, Mat X, int nvalues, const char *const names[], const PetscReal *const values[])
{
  PetscInt points = 0, cells = 0, n;
  char     line[256];

  PetscFunctionBegin;
  PetscCall(MatGetSize(X, NULL, &n));
  PetscCall(Vtk_Count(mesh, &points, &cells));
  Vtk_Line(vtk, "<?xml version=\"1.0\"?>\n", "# vtk DataFile Version 3.0\nmodes\nBINARY\nDATASET UNSTRUCTURED_GRID\n", 0, 0);
  (void)snprintf(line, sizeof(line), "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"%s\" header_type=\"UInt64\">\n<UnstructuredGrid>\n", PetscDefined(WORDS_BIGENDIAN) ? "BigEndian" : "LittleEndian");
  Vtk_Line(vtk, line, "", 0, 0);
  Vtk_PutValues(vtk, n, nvalues, names, values);
  (void)snprintf(line, sizeof(line), "<Piece NumberOfPoints=\"%" PetscInt_FMT "\" NumberOfCells=\"%" PetscInt_FMT "\">\n", points, cells);
  Vtk_Line(vtk, line, "", 0, 0);
  PetscCall(Vtk_PutPoints(vtk, mesh, points));
  Vtk_PutCells(vtk, mesh, cells);
  PetscCall(Vtk_PutModes(vtk, mesh, X, points));
  Vtk_Line(vtk, "</Piece>\n</UnstructuredGrid>\n</VTKFile>\n", "", 0, 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   NAPIWriteModes - Writes the columns of a dense matrix as fields on the points of a mesh: an XML file for VTK if the name ends
   in .vtu, else one in VTK's older format.

   Input Parameters:
+  X       - a row for each unknown: those of a point one after the other
.  mesh    - the points
.  name    - of the file
.  nvalues - how much more is known of the columns
.  names   - what that is called
-  values  - and the numbers, for each column one
*/
PetscErrorCode NAPIWriteModes(Mat X, const NAPIMesh *mesh, const char name[], int nvalues, const char *const names[], const PetscReal *const values[], char message[])
{
  Vtk         vtk;
  PetscInt    points = 0, cells = 0;
  PetscMPIInt rank;
  MPI_Comm    comm = PetscObjectComm((PetscObject)X);

  PetscFunctionBegin;
  message[0] = '\0';
  memset(&vtk, 0, sizeof(vtk));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscStrendswith(name, ".vtu", &vtk.xml));
  PetscCall(Vtk_Count(mesh, &points, &cells));
  if ((int64_t)cells * 9 > (vtk.xml ? (int64_t)PETSC_MAX_INT : (int64_t)INT32_MAX))
    PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "%s: there are more than 238 million cells, which %s: write the vectors as .npy", name, vtk.xml ? "a PETSc with 32-bit indices cannot number" : "VTK's older format cannot number"));
  if (message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  if (!rank) PetscCall(NAPIOpenOutput(name, &vtk.out, message));
  PetscCall(Vtk_PutAll(&vtk, mesh, X, nvalues, names, values));
  PetscCall(NAPICloseOutput(&vtk.out, name, message));
  PetscCall(NAPICommit(comm, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}
