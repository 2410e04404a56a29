/* SPDX-License-Identifier: BSD-2-Clause */
/*
   Functions of the interface that do what the type of the object says, <Method>() calling what that type has composed with the
   object under the name "<Method>_C", <Method>_<Type>() by convention.

     PetscErrorCode EPSNAPISetGuard(EPS eps, PetscInt guard)
     {
       NAPIMethodSet(EPS, eps, EPSNAPISetGuard, PetscInt, Int, guard);
     }

   is all that is left to say of a setter with one value (Int being what PetscValidLogicalCollectiveInt() ends with), and
   likewise of a getter: without a type that knows it, the former does nothing and the latter is an error. Of the type's side,

     NAPIMethodSetter(EPS, EPS_NAPI, EPSNAPISetGuard_NAPI, PetscInt, call);
     NAPIMethodGetter(EPS, EPS_NAPI, EPSNAPIGetGuard_NAPI, PetscInt, expression);

   define those that take no more than a call, or an expression, in terms of object, its context ctx and value;
   NAPIMethodDefine() those of one statement. One list of NAPIMethodCompose() serves to make methods known and, with
   PETSC_FALSE, to take them away.
*/
#pragma once

#include <slepcnapi/private/napicompat.h>

#define NAPIMethodSet(CLASS, object, Method, type, Kind, value) \
  PetscFunctionBegin; \
  PetscValidHeaderSpecific(object, CLASS##_CLASSID, 1); \
  PetscValidLogicalCollective##Kind(object, value, 2); \
  PetscTryMethod(object, #Method "_C", (CLASS, type), (object, value)); \
  PetscFunctionReturn(PETSC_SUCCESS)

#define NAPIMethodGet(CLASS, object, Method, type, value) \
  PetscFunctionBegin; \
  PetscValidHeaderSpecific(object, CLASS##_CLASSID, 1); \
  PetscAssertPointer(value, 2); \
  PetscUseMethod(object, #Method "_C", (CLASS, type *), (object, value)); \
  PetscFunctionReturn(PETSC_SUCCESS)

#define NAPIMethodDefine(CLASS, Context, function, type, statement) \
  static PetscErrorCode function(CLASS object, type value) \
  { \
    Context *ctx = (Context *)object->data; \
\
    PetscFunctionBegin; \
    statement; \
    PetscFunctionReturn(PETSC_SUCCESS); \
  } \
  static PetscErrorCode function(CLASS, type) /* for a semicolon */

#define NAPIMethodSetter(CLASS, Context, function, type, call)       NAPIMethodDefine(CLASS, Context, function, type, PetscCall(call))
#define NAPIMethodGetter(CLASS, Context, function, type, expression) NAPIMethodDefine(CLASS, Context, function, type *, *value = expression)

#define NAPIMethodCompose(object, known, Method, Type) PetscCall(PetscObjectComposeFunction((PetscObject)(object), #Method "_C", (known) ? Method##_##Type : NULL))
