/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The flat interface: plain numbers, arrays, functions and pointers, for languages that know nothing of PETSc. Every function returns 0, or
   something else where it has failed: napi_flat_error() then says why. Nothing is printed, and nothing aborts.
*/
#pragma once

#include <stdint.h>
#include <slepcnapi.h>
#include <slepcnapi/private/napicompat.h>

typedef int (*NapiFlatPoll)(void);                                          /* not 0: stop */
typedef int (*NapiFlatApply)(int64_t n, int m, const double *x, double *y); /* m columns of n numbers; not 0: it has failed */

/* Around whatever may fail: its error is kept for napi_flat_error() */
SLEPC_INTERN void     NapiFlatBegin(void);
SLEPC_INTERN int      NapiFlatEnd(PetscErrorCode);
SLEPC_INTERN MPI_Comm NapiFlatComm(void);
#define NAPI_FLAT(call) (NapiFlatBegin(), NapiFlatEnd(call))

/* flatsys.c */
SLEPC_EXTERN const char *napi_flat_error(void);
SLEPC_EXTERN int         napi_flat_start(void);
SLEPC_EXTERN int         napi_flat_stop(void);
SLEPC_EXTERN int         napi_flat_abort(void);
SLEPC_EXTERN int         napi_flat_index_bytes(void);
SLEPC_EXTERN int         napi_flat_set_alone(int yes);
SLEPC_EXTERN int         napi_flat_ranks(int *size, int *rank);

#if !defined(PETSC_USE_COMPLEX) && defined(PETSC_USE_REAL_DOUBLE)
/* flatmat.c: Y := M X, where M was made of a function; whether that has failed */
SLEPC_INTERN PetscErrorCode NapiFlatMatApply(Mat, Mat, Mat);
SLEPC_INTERN PetscErrorCode NapiFlatMatFailed(Mat, PetscBool *);
SLEPC_EXTERN int            napi_flat_mat_csr(int64_t n, int64_t N, void *starts, void *columns, double *values, int together, void **matrix);
SLEPC_EXTERN int            napi_flat_mat_dense(int64_t n, int64_t N, double *values, int together, void **matrix);
SLEPC_EXTERN int            napi_flat_mat_function(int64_t n, NapiFlatApply apply, int together, void **matrix);
SLEPC_EXTERN int            napi_flat_mat_asymmetry(void *matrix, double *difference);
SLEPC_EXTERN int            napi_flat_mat_residual(void *A, void *B, double w, const double *x, double *norm);
SLEPC_EXTERN int            napi_flat_mat_destroy(void **matrix);
SLEPC_EXTERN int            napi_flat_agree(int fine, int *all);
SLEPC_EXTERN int            napi_flat_gather_rows(int64_t n, int64_t m, int64_t *rows);
SLEPC_EXTERN int            napi_flat_gather(int64_t n, int64_t m, const double *x, double *all);

/* flateps.c */
SLEPC_EXTERN int napi_flat_eps_create(void *A, void *B, void **solver);
SLEPC_EXTERN int napi_flat_eps_set(void *solver, int k, const char *which, double target, int ncv, int maxiter, double tol);
SLEPC_EXTERN int napi_flat_eps_set_preconditioner(void *solver, const char *type, void *P);
SLEPC_EXTERN int napi_flat_eps_set_initial(void *solver, int n, const double *X);
SLEPC_EXTERN int napi_flat_eps_set_deflation(void *solver, int n, const double *Y);
SLEPC_EXTERN int napi_flat_eps_solve(void *solver, NapiFlatPoll poll, int *nconv, int64_t *counts, int *status, char *cause, int length);
SLEPC_EXTERN int napi_flat_eps_get(void *solver, int i, double *value, double *x);
SLEPC_EXTERN int napi_flat_eps_destroy(void **solver);

/* flatdata.c */
SLEPC_EXTERN int napi_flat_data_copy(int64_t rows, int64_t columns, const void *values, int64_t row, int64_t column, int bytes, double *out);
SLEPC_EXTERN int napi_flat_data_dense(int64_t rows, int64_t columns, const double *values, int64_t ld, int *finite, void **matrix);
SLEPC_EXTERN int napi_flat_data_csr(int64_t rows, int64_t columns, void *starts, void *indices, double *values, int *finite, void **matrix);
SLEPC_EXTERN int napi_flat_data_largest(int64_t mine, int64_t *largest);

/* flatcca.c */
typedef struct {
  CCA            cca;
  NapiFlatPoll   poll;
  PetscLogDouble polled; /* when we last asked */
  PetscBool      stopped;
} NapiFlatCCA;

SLEPC_INTERN PetscErrorCode NapiFlatWatch(NapiFlatCCA *, NapiFlatPoll);
SLEPC_INTERN PetscErrorCode NapiFlatWatched(NapiFlatCCA *);
SLEPC_INTERN PetscErrorCode NapiFlatCounts(NapiFlatCCA *, int[3]);
SLEPC_INTERN PetscErrorCode NapiFlatIntegers(PetscInt, const int64_t[], PetscInt **);
SLEPC_EXTERN int            napi_flat_cca_create(const char *analysis, void *X, void *Y, int classes, const int64_t *label, void **solver);
SLEPC_EXTERN int            napi_flat_cca_set(void *solver, int k, const char *type, double tol, int maxiter, int center, int scale, const char *check);
SLEPC_EXTERN int            napi_flat_cca_set_shrinkage(void *solver, double x, double y);
SLEPC_EXTERN int            napi_flat_cca_set_ridge(void *solver, double x, double y);
SLEPC_EXTERN int            napi_flat_cca_set_weights(void *solver, const double *weights);
SLEPC_EXTERN int            napi_flat_cca_set_initial(void *solver, int k, const double *U, const double *V);
SLEPC_EXTERN int            napi_flat_cca_solve(void *solver, NapiFlatPoll poll, int *counts);
SLEPC_EXTERN int            napi_flat_cca_text(void *solver, const char *what, char *text, int length);
SLEPC_EXTERN int            napi_flat_cca_get(void *solver, const char *what, int view, double *values);
SLEPC_EXTERN int            napi_flat_cca_classify(int64_t rows, int k, const double *scores, int classes, const double *prior, const double *mean, int64_t *number);
SLEPC_EXTERN int            napi_flat_cca_destroy(void **solver);

/* flatinfer.c */
SLEPC_EXTERN int napi_flat_cca_permute(void *solver, NapiFlatPoll poll, int n, int seed, const int64_t *within, double level, double *table, int *exact, int64_t *undecided);
SLEPC_EXTERN int napi_flat_cca_cross_validate(void *solver, NapiFlatPoll poll, const char *path, int n, const double *values, int folds, int contiguous, int seed, const int64_t *fold, int onese, int *counts);
SLEPC_EXTERN int napi_flat_cca_cross_validation(void *solver, int64_t *sizes, double *mean, double *error, double *r, double *pair, double *pairerror);
SLEPC_EXTERN int napi_flat_cca_bootstrap(void *solver, NapiFlatPoll poll, int samples, int seed, double level, int *failed, double *pearson, double *canonical, double *interval);
SLEPC_EXTERN int napi_flat_cca_test(void *solver, const char *test, int room, int *count, double *table, char *why, int length);
#endif
