/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Counts the collective operations of EPSSolve(), which PETSc's log does not (3.26 counts only those with int sizes). Loaded before SLEPc and
   MPI (LD_PRELOAD), it stands in front of both, and writes the number, as rank 0 sees it, to the file that NAPI_COLLECTIVES names.
*/
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <slepceps.h>
#undef MPI_Allreduce
#undef MPI_Allreduce_c
#undef MPI_Iallreduce
#undef MPI_Reduce
#undef MPI_Bcast
#undef MPI_Barrier
#undef MPI_Allgather
#undef MPI_Allgatherv
#undef MPI_Reduce_scatter
#undef MPI_Reduce_scatter_block

static long collectives = 0;

static int Count(MPI_Comm comm)
{
  int size = 1;

  (void)PMPI_Comm_size(comm, &size);
  if (size > 1) collectives++;
  return 0;
}

#define COUNTED(name, parameters, arguments) \
  SLEPC_EXTERN int MPI_##name parameters; \
  int MPI_##name parameters \
  { \
    return Count(comm) || PMPI_##name arguments; \
  }
COUNTED(Allreduce, (const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm), (in, out, n, type, op, comm))
#if MPI_VERSION >= 4
COUNTED(Allreduce_c, (const void *in, void *out, MPI_Count n, MPI_Datatype type, MPI_Op op, MPI_Comm comm), (in, out, n, type, op, comm))
#endif
COUNTED(Iallreduce, (const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *r), (in, out, n, type, op, comm, r))
COUNTED(Reduce, (const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm), (in, out, n, type, op, root, comm))
COUNTED(Bcast, (void *a, int n, MPI_Datatype type, int root, MPI_Comm comm), (a, n, type, root, comm))
COUNTED(Barrier, (MPI_Comm comm), (comm))
COUNTED(Allgather, (const void *in, int n, MPI_Datatype type, void *out, int m, MPI_Datatype otype, MPI_Comm comm), (in, n, type, out, m, otype, comm))
COUNTED(Allgatherv, (const void *in, int n, MPI_Datatype type, void *out, const int m[], const int d[], MPI_Datatype otype, MPI_Comm comm), (in, n, type, out, m, d, otype, comm))
COUNTED(Reduce_scatter, (const void *in, void *out, const int n[], MPI_Datatype type, MPI_Op op, MPI_Comm comm), (in, out, n, type, op, comm))
COUNTED(Reduce_scatter_block, (const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm), (in, out, n, type, op, comm))

SLEPC_EXTERN PetscErrorCode EPSSolve(EPS);

PetscErrorCode EPSSolve(EPS eps)
{
  PetscErrorCode (*solve)(EPS) = (PetscErrorCode(*)(EPS))dlsym(RTLD_NEXT, "EPSSolve");
  const char    *name          = getenv("NAPI_COLLECTIVES");
  PetscErrorCode ierr;
  long           before = collectives, after;
  PetscMPIInt    rank;
  FILE          *file;

  ierr  = solve(eps);
  after = collectives;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)eps), &rank));
  if (rank || !name) return ierr;
  file = fopen(name, "w");
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot write %s", name);
  fprintf(file, "%ld\n", after - before);
  fclose(file);
  return ierr;
}
