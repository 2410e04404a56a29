/* SPDX-License-Identifier: BSD-2-Clause */
/*
   What was asked for: the options of napi-eps and the names of its files.
*/
#include "napi-eps.h"
#include <ctype.h>
#include <string.h>

const char NAPIEPSHelp[] = "napi-eps: eigenvalues of A x = lambda B x, A symmetric, B symmetric positive definite (or absent)\n\n"
                           "  napi-eps -A <file> [-B <file>] [options]\n"
                           "  napi-eps -X <file> -Y <file> [-ridge <g>] [-center] [options]\n"
                           "  napi-eps -generate fem2d|fem3d|elasticity [-m <mx>,<my>[,<mz>]] [options]\n\n"
                           "  -A, -B <file>       the matrices: Matrix Market, PETSc binary, NumPy or CSV, also compressed by gzip\n"
                           "  -X, -Y <file>       two data sets, a sample a row: the pair of their canonical correlation analysis, never formed\n"
                           "  -ridge <g>          its regularisation (1e-3);  -center  subtract the means of the columns\n"
                           "  -generate <pair>    stiffness and mass of finite elements on a box: -m of them a side, -box its lengths;\n"
                           "                      -free  nothing is held;  -nullspace  and the matrix is told what that means\n"
                           "  -modes              A is a stiffness, B a mass: the lowest frequencies, and modes x with x'Bx = 1\n"
                           "  -swap               exchange A and B: lambda is the inverse of what it was\n"
                           "  -precondition_by_b  for gd, jd, lobpcg: the preconditioner is made from B (a fair start for the largest)\n"
                           "  -true_tol <t>       solve until ||Ax-lambda Bx|| <= t |lambda| ||Bx|| for all, whatever the solver's own test\n"
                           "  -out <file>         write the vectors: .npy, .mtx, PETSc's binary .bin, .dat, .petsc, or .vtu, .vtk for ParaView\n"
                           "  -points <file>      for .vtu, .vtk: where the unknowns are, a row of 2 or 3 coordinates a point\n"
                           "  -plot [<file>]      a picture of the modes (napi-eps.png); needs Python with matplotlib\n"
                           "  -json <file>        write the results as a JSON object; a dash is standard output, and the text goes to standard error\n"
                           "  -traceback          show errors of PETSc and SLEPc as they do, not as one sentence\n"
                           "  -h, --help          this text; -help adds the options of the solver in use;  --version\n\n"
                           "  Options of SLEPc, among many others:\n"
                           "  -eps_type <type>    napi (default), krylovschur, gd, lobpcg, ...\n"
                           "  -eps_nev <k>        how many eigenvalues (1);  -eps_tol <t>  relative tolerance;  -eps_max_it <n>\n"
                           "  -eps_largest_magnitude, -eps_largest_real, -eps_smallest_real, ...: which\n"
                           "  -st_ksp_type, -st_pc_type, ...: how systems are solved\n\n"
                           "  Exit status: 0 all wanted pairs found; 1 wrong input; 2 fewer pairs than wanted (also where the matrix\n"
                           "  has no more), or -true_tol not reached; 130 stopped by Ctrl-C, with the pairs that had converged\n";

/* Numbers that SLEPc reads itself, but leniently; words such as decide are its own */
static PetscErrorCode Options_CheckSolver(char message[])
{
  static const char *const counts[] = {"-eps_nev", "-eps_ncv", "-eps_mpd", "-eps_max_it"};
  const char              *value;
  PetscInt                 count, n;
  PetscBool                set;

  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
    PetscCall(PetscOptionsFindPair(NULL, NULL, counts[i], &value, &set));
    if (set && !(value && isalpha((unsigned char)value[0]))) PetscCall(NAPIGetInts(counts[i], 1, &count, &n, &set, message));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A word that belongs to no option */
static PetscErrorCode Options_CheckWords(char message[])
{
  char    **args;
  int       argc;
  PetscBool key = PETSC_FALSE, before = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscGetArgs(&argc, &args));
  for (int i = 1; i < argc && !message[0]; i++) {
    before = key;
    key    = (PetscBool)(args[i][0] == '-' && isalpha((unsigned char)args[i][1]));
    if (!key && !before) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "what is '%.200s'? Matrices come after -A and -B (napi-eps -h lists the options)", args[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The format of the vectors is known by the end of their file's name */
static PetscErrorCode Options_CheckOut(Options *o, char message[])
{
  static const char *const endings[] = {".vtu", ".vtk", ".npy", ".mtx", ".bin", ".dat", ".petsc"};
  PetscBool                is, known = PETSC_FALSE;

  PetscFunctionBegin;
  if (!o->hasout || message[0]) PetscFunctionReturn(PETSC_SUCCESS);
  for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
    PetscCall(PetscStrendswith(o->out, endings[i], &is));
    if (!is) continue;
    known  = PETSC_TRUE;
    o->vtk = (PetscBool)(i < 2);
  }
  if (!known) PetscCall(PetscSNPrintf(message, NAPI_MESSAGE_LENGTH, "-out %s: the end of the name says which format: .npy, .mtx, .bin, .dat or .petsc (PETSc's binary), .vtu or .vtk", o->out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Options_GetFiles(Options *o, char message[])
{
  const char *plot;

  PetscFunctionBegin;
  PetscCall(NAPIGetName("-A", o->A, sizeof(Name), &o->hasA, message));
  PetscCall(NAPIGetName("-B", o->B, sizeof(Name), &o->hasB, message));
  PetscCall(NAPIGetName("-X", o->X, sizeof(Name), &o->hasX, message));
  PetscCall(NAPIGetName("-Y", o->Y, sizeof(Name), &o->hasY, message));
  PetscCall(NAPIGetName("-points", o->points, sizeof(Name), &o->haspoints, message));
  PetscCall(NAPIGetName("-out", o->out, sizeof(Name), &o->hasout, message));
  PetscCall(NAPIJsonGetName(o->json, sizeof(Name), &o->hasjson, message));
  PetscCall(PetscOptionsFindPair(NULL, NULL, "-plot", &plot, &o->hasplot)); /* has no value if the default will do */
  if (o->hasplot && plot && plot[0]) PetscCall(NAPIGetName("-plot", o->plot, sizeof(Name), &o->hasplot, message));
  else if (o->hasplot) PetscCall(PetscStrncpy(o->plot, "napi-eps.png", sizeof(Name)));
  PetscCall(Options_CheckOut(o, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Only what makes sense is looked for: the rest is found to be read by nobody */
static PetscErrorCode Options_GetGenerated(Options *o, char message[])
{
  PetscBool has;

  PetscFunctionBegin;
  PetscCall(NAPIGetName("-generate", o->generate, sizeof(o->generate), &o->hasgenerate, message));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-free", &o->free, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-nullspace", &o->nullspace, NULL));
  PetscCall(NAPIGetReals("-box", 3, o->box, &o->nbox, &o->hasbox, message));
  if (o->hasgenerate) PetscCall(NAPIGetInts("-m", 3, o->m, &o->nm, &has, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What does not go together, or NULL */
static const char *Options_Contradiction(const Options *o)
{
  if (o->hasX != o->hasY) return "canonical correlation analysis needs two data sets: give both -X <file> and -Y <file>";
  if (o->hasX && (o->hasA || o->hasB || o->hasgenerate || o->swap)) return "-X and -Y make A and B themselves: leave out -A, -B, -generate and -swap";
  if (o->hasX && o->modes) return "-X and -Y are no stiffness and mass: leave out -modes";
  if (o->hasX && !(o->ridge >= 0.0)) return "-ridge must not be negative";
  if (!o->hasA && !o->hasgenerate && !o->hasX) return "no matrix: give -A <file> or -generate fem2d (napi-eps -h lists the options)";
  if (o->hasgenerate && (o->hasA || o->hasB)) return "-generate makes A and B itself: leave out -A and -B, or -generate";
  if (o->swap && !o->hasgenerate && !o->hasB) return "-swap needs a pair: give -B <file>";
  if (o->free && !o->hasgenerate) return "-free says how -generate is to make the matrices: leave it out, or give -generate";
  if (o->hasbox && !o->hasgenerate) return "-box says how -generate is to make the matrices: leave it out, or give -generate";
  if (o->nullspace && !o->free) return "-nullspace is that of what -generate makes with -free: give both";
  if (o->haspoints && o->hasgenerate) return "-generate knows where its points are: leave out -points";
  if (o->haspoints && !o->vtk && !o->hasplot) return "-points says where the vectors are shown: give -out <file>.vtu, <file>.vtk or -plot, too";
  if ((o->vtk || o->hasplot) && !o->hasgenerate && !o->haspoints) return "a .vtu or .vtk file and a picture have to know where the unknowns are: give -points <file>, or write the vectors as .npy or .mtx";
  if (o->hastruetol && !(o->truetol > 0.0)) return "-true_tol must be positive";
  return NULL;
}

PetscErrorCode NAPIEPSGetOptions(Options *o, char message[])
{
  const char *wrong;
  PetscInt    n;
  PetscBool   has;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(o, sizeof(*o)));
  message[0] = '\0';
  PetscCall(Options_CheckWords(message));
  PetscCall(Options_GetFiles(o, message));
  o->ridge = 1e-3;
  if (o->hasX) {
    PetscCall(NAPIGetReals("-ridge", 1, &o->ridge, &n, &has, message));
    PetscCall(PetscOptionsGetBool(NULL, NULL, "-center", &o->center, NULL));
  }
  PetscCall(Options_GetGenerated(o, message));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-swap", &o->swap, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-modes", &o->modes, NULL));
  PetscCall(NAPIGetReals("-true_tol", 1, &o->truetol, &n, &o->hastruetol, message));
  PetscCall(Options_CheckSolver(message));
  wrong = Options_Contradiction(o);
  if (wrong && !message[0]) PetscCall(PetscStrncpy(message, wrong, NAPI_MESSAGE_LENGTH));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What can be known to be wrong before the solve */
PetscErrorCode NAPIEPSCheckOutputs(const Options *o, char message[])
{
  const char *in[5], *out[3];
  int         nin = 0, nout = 0;

  PetscFunctionBegin;
  if (o->hasA) in[nin++] = o->A;
  if (o->hasB) in[nin++] = o->B;
  if (o->hasX) in[nin++] = o->X;
  if (o->hasY) in[nin++] = o->Y;
  if (o->haspoints) in[nin++] = o->points;
  if (o->hasout) out[nout++] = o->out;
  if (o->hasjson && strcmp(o->json, "-")) out[nout++] = o->json;
  if (o->hasplot) out[nout++] = o->plot;
  PetscCall(NAPICheckOutputs(PETSC_COMM_WORLD, nin, in, nout, out, message));
  PetscFunctionReturn(PETSC_SUCCESS);
}
