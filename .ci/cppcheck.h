/* What PETSc's macros mean, for cppcheck, which does not read PETSc's headers: how they end a function. */
#define PetscFunctionBegin
#define PetscFunctionBeginUser
#define PetscFunctionReturn(code) return code
#define PetscCall(call) \
  do { \
    int petsc_code_ = (call); \
    if (petsc_code_) return petsc_code_; \
  } while (0)
#define PetscCallMPI(call) \
  do { \
    if (call) return 1; \
  } while (0)
#define PetscCallBLAS(name, call) \
  do { \
    call; \
  } while (0)
#define PetscCheck(condition, comm, code, ...) \
  do { \
    if (!(condition)) return code; \
  } while (0)
#define SETERRQ(comm, code, ...)         return code
#define PETSC_SUCCESS                    0
#define PETSC_UNUSED                     __attribute__((unused))
#define PETSC_EXTERN                     extern
#define SLEPC_EXTERN                     extern
#define PETSC_STATIC_ARRAY_LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define PetscInt_FMT                     "d"
#define PetscMax(a, b)                   ((a) < (b) ? (b) : (a))
#define PetscMin(a, b)                   ((a) < (b) ? (a) : (b))
#define PetscDefined(name)               0
