/* SPDX-License-Identifier: BSD-2-Clause */
/*
   The members of a zip file.
*/
#pragma once

#include "source.h"
#include <stdint.h>

typedef struct {
  char       name[128]; /* cut off if it is longer */
  PetscInt64 at;        /* where its header is, in front of the data */
  PetscInt64 stored;    /* bytes in the file */
  PetscInt64 size;      /* bytes when decompressed */
  int        method;    /* 0: stored, 8: deflated */
  uint32_t   crc;
  PetscBool  encrypted;
} NAPIZipMember;

PETSC_INTERN PetscErrorCode NAPIZipList(NAPISource *, int *, NAPIZipMember **);
PETSC_INTERN PetscErrorCode NAPIZipFind(NAPISource *, const NAPIZipMember *, off_t *);
PETSC_INTERN PetscErrorCode NAPIZipExtract(NAPISource *, const NAPIZipMember *, FILE **);
