/* SPDX-License-Identifier: BSD-2-Clause */
/* With LD_PRELOAD: PETSc's clock shows the processor time of this process, so that a program can be timed on a machine that has other work, too. */
#include <time.h>

double MPI_Wtime(void);

double MPI_Wtime(void)
{
  struct timespec t;

  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
