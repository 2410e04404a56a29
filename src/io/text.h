/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Numbers in text. The C library's strtod() is right but slow; most numbers in data files are short, and those are read
   here with one rounding, hence with the same result: m 10^e and m/10^e are correctly rounded if m and 10^e are exact
   (W. D. Clinger, How to read floating point numbers accurately, 1990).
*/
#pragma once

#include <petscsys.h>
#include <float.h>
#include <stdlib.h>

#define NAPI_EXACT_POWERS 22 /* 10^22 = 2^22 5^22, and 5^22 < 2^53 */

/* A number that ends at a character that cannot belong to one; else strtod() has to decide */
static inline PetscBool NAPINumberEnds(char c)
{
  return (PetscBool)(c == '\0' || c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',' || c == ';' || c == '|' || c == '"');
}

/* Reads a number; FALSE if there is none. Afterwards *p is behind it. */
static inline PetscBool NAPIParseReal(char **p, double *value)
{
  static const double power[NAPI_EXACT_POWERS + 1] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const char         *s                            = *p;
  char               *end;
  unsigned long long  m      = 0;
  int                 digits = 0, scale = 0, exponent = 0;
  PetscBool           negative = PETSC_FALSE, below = PETSC_FALSE, seen = PETSC_FALSE;

  while (*s == ' ' || *s == '\t') s++;
  if (*s == '-' || *s == '+') negative = (PetscBool)(*s++ == '-');
  for (; (*s >= '0' && *s <= '9') || (*s == '.' && !below); s++) {
    if (*s == '.') below = PETSC_TRUE;
    else {
      seen = PETSC_TRUE;
      if (digits < 18) m = 10 * m + (unsigned long long)(*s - '0');
      if (m) digits++;
      if (below) scale--;
    }
  }
  if (seen && (*s == 'e' || *s == 'E')) {
    PetscBool down = PETSC_FALSE;

    s++;
    seen = PETSC_FALSE;
    if (*s == '-' || *s == '+') down = (PetscBool)(*s++ == '-');
    for (; *s >= '0' && *s <= '9' && exponent < 1000; s++) {
      exponent = 10 * exponent + (*s - '0');
      seen     = PETSC_TRUE;
    }
    scale += down ? -exponent : exponent;
  }
  if (FLT_EVAL_METHOD == 0 && seen && NAPINumberEnds(*s) && digits <= 18 && m <= 1ULL << 53 && scale >= -NAPI_EXACT_POWERS && scale <= NAPI_EXACT_POWERS) {
    *value = scale < 0 ? (double)m / power[-scale] : (double)m * power[scale];
    if (negative) *value = -*value;
    *p = (char *)s;
    return PETSC_TRUE;
  }
  *value = strtod(*p, &end);
  if (end == *p) return PETSC_FALSE;
  *p = end;
  return PETSC_TRUE;
}

/* Reads an integer; FALSE if there is none or it is too large */
static inline PetscBool NAPIParseInteger(char **p, PetscInt64 *value)
{
  const char *s        = *p;
  PetscInt64  n        = 0;
  int         digits   = 0;
  PetscBool   negative = PETSC_FALSE;

  while (*s == ' ' || *s == '\t') s++;
  if (*s == '-' || *s == '+') negative = (PetscBool)(*s++ == '-');
  if (*s < '0' || *s > '9') return PETSC_FALSE;
  for (; *s >= '0' && *s <= '9'; s++) {
    if (digits == 18) return PETSC_FALSE;
    n = 10 * n + (*s - '0');
    if (n) digits++;
  }
  *value = negative ? -n : n;
  *p     = (char *)s;
  return PETSC_TRUE;
}
