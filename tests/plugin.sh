#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The ways into a program: -dll_append from the command line, PETSC_OPTIONS, .petscrc, on several ranks, in
# slepc4py; linked, with the call and without; both at once; and refused by a PETSc it was not built for.
. "$(dirname "$0")/tap.inc"
root=$(cd "$(dirname "$0")/.." && pwd)
lib=$NAPI_BUILD/lib/libslepcnapi.so
cd "$scratch" || exit 1

# --- a program that knows nothing of us ------------------------------------------------------------------------

cat >knows_nothing.c <<'END'
#include <slepceps.h>
static int Run(int argc,char **argv)
{
  Mat      A;
  EPS      eps;
  PetscInt i,lo,hi,n = 30;

  PetscCall(SlepcInitialize(&argc,&argv,NULL,NULL));
#if defined(CALL)
  PetscCall(SlepcNAPIInitialize());
#endif
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD,PETSC_DECIDE,PETSC_DECIDE,n,n,3,NULL,2,NULL,&A));
  PetscCall(MatGetOwnershipRange(A,&lo,&hi));
  for (i=lo;i<hi;i++) {
    if (i>0) PetscCall(MatSetValue(A,i,i-1,-1.0,INSERT_VALUES));
    if (i<n-1) PetscCall(MatSetValue(A,i,i+1,-1.0,INSERT_VALUES));
    PetscCall(MatSetValue(A,i,i,2.0,INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A,MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A,MAT_FINAL_ASSEMBLY));
  PetscCall(EPSCreate(PETSC_COMM_WORLD,&eps));
  PetscCall(EPSSetOperators(eps,A,NULL));
  PetscCall(EPSSetProblemType(eps,EPS_HEP));
  PetscCall(EPSSetFromOptions(eps));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSErrorView(eps,EPS_ERROR_RELATIVE,NULL));
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&A));
  PetscCall(SlepcFinalize());
  return 0;
}
int main(int argc,char **argv)
{
  int failed = MPI_Init(&argc,&argv) || Run(argc,argv);

#if defined(AGAIN)
  failed = failed || Run(argc,argv);
#endif
  return MPI_Finalize() || failed;
}
END
# compile OUTPUT ARGUMENTS...
compile() { out=$1; shift; $MPICC $SLEPC_CFLAGS -I"$root/include" "$@" -o "$out" $SLEPC_LIBS >log 2>&1 || { ok 1 "$out compiles"; show log; }; }
compile knows_nothing knows_nothing.c

# It is napi that ran, and 4 sin^2(pi k/62) for k = 30, 29 that it found.
found() { [ $(grep -c 'type: napi' got) = ${rounds:-1} ] && [ $(grep -c '3\.98974, 3\.9590[56]' got) = ${rounds:-1} ]; }
expect() { found; result=$?; ok $result "$1"; [ $result = 0 ] || show got; }

# PETSc's own sentence for a type that is not registered
unknown() { [ $1 != 0 ] && grep -q 'Unknown EPS type given: napi' got; ok $? "$2" || show got; }

ranks 1 ./knows_nothing -eps_type napi >got 2>&1
unknown $? "without the library, napi is unknown"

for np in 1 2 3; do
  ranks $np ./knows_nothing -dll_append "$lib" -eps_type napi -eps_nev 2 -eps_view >got 2>&1
  expect "-dll_append in the arguments, $np rank(s)"
  PETSC_OPTIONS="-dll_append $lib -eps_type napi -eps_nev 2 -eps_view" ranks $np ./knows_nothing >got 2>&1
  expect "-dll_append in PETSC_OPTIONS, $np rank(s)"
done

mkdir rc && printf '%s\n' "-dll_append $lib" '-eps_type napi' '-eps_nev 2' '-eps_view' >rc/.petscrc
(cd rc && ranks 1 ../knows_nothing) >got 2>&1
expect "-dll_append in .petscrc of the working folder"
(cd rc && ranks 2 ../knows_nothing) >got 2>&1
expect "-dll_append in .petscrc of the working folder, 2 ranks"

example=$NAPI_BUILD/examples/unmodified
if [ -x "$example" ]; then
  ranks 1 "$example" -dll_append "$lib" -eps_type napi -eps_view >got 2>&1 && grep -q 'type: napi' got
  ok $? "examples/unmodified with -dll_append"
else
  skip "it is not there" "examples/unmodified with -dll_append"
fi

ranks 1 ./knows_nothing -dll_append "$lib" -eps_type napi -help >got 2>&1
for option in momentum beta guard inner_rtol inner_max_it warm_start residual monitor; do
  grep -q -e "-eps_napi_$option" got
  ok $? "-help lists -eps_napi_$option"
done

ranks 1 ./knows_nothing -dll_append "$scratch/none/libslepcnapi.so" -eps_type napi >got 2>&1
[ $? != 0 ] && grep -q 'none/libslepcnapi' got; ok $? "a library that is not there is an error" || show got

# --- linked ----------------------------------------------------------------------------------------------------

linked="-L$NAPI_BUILD/lib -Wl,-rpath,$NAPI_BUILD/lib -Wl,--no-as-needed -lslepcnapi"
compile forgets knows_nothing.c $linked
for np in 1 2; do
  ranks $np ./forgets -eps_type napi >got 2>&1
  unknown $? "linked, without a call: napi is unknown, $np rank(s)"
  ranks $np ./forgets -dll_append "$lib" -eps_type napi -eps_nev 2 -eps_view >got 2>&1
  expect "linked, without a call, with -dll_append, $np rank(s)"
done
mkdir other && cp "$lib" other
compile calls -include slepcnapi.h -DCALL knows_nothing.c $linked
for np in 1 2; do
  ranks $np ./calls -eps_type napi -eps_nev 2 -eps_view >got 2>&1
  expect "linked, with SlepcNAPIInitialize(), $np rank(s)"
  ranks $np ./calls -dll_append "$lib" -eps_type napi -eps_nev 2 -eps_view >got 2>&1
  expect "linked and loaded at once, $np rank(s)"
  ranks $np ./calls -dll_append "$PWD/other/libslepcnapi.so" -eps_type napi -eps_nev 2 -eps_view >got 2>&1
  expect "linked, and another copy loaded, $np rank(s)"
done

# --- SlepcInitialize() and SlepcFinalize() again ---------------------------------------------------------------

rounds=2
compile again -DAGAIN knows_nothing.c
ranks 1 ./again -dll_append "$lib" -eps_type napi -eps_nev 2 -eps_view >got 2>&1
expect "-dll_append, initialised twice"
compile again_calls -include slepcnapi.h -DCALL -DAGAIN knows_nothing.c $linked
ranks 1 ./again_calls -eps_type napi -eps_nev 2 -eps_view >got 2>&1
expect "linked, initialised twice"
ranks 1 ./again_calls -dll_append "$lib" -eps_type napi -eps_nev 2 -eps_view >got 2>&1
expect "linked and loaded at once, initialised twice"
rounds=1

# --- the wrong PETSc: our own guard, compiled as if for another one --------------------------------------------

# refuse TEXT MACRO VALUE: a library whose MACRO has another value says TEXT in its message, and does not get in
refuse() {
  mkdir -p wrong
  printf '%s\n' '#define _GNU_SOURCE' '#include <slepcnapi/private/napiimpl.h>' "#undef $2" "#define $2 $3" '#include "register.c"' >wrong/guard.c
  compile wrong/libslepcnapi.so -shared -fPIC -I"$root/src/sys" wrong/guard.c $others
  for np in 1 2; do
    ranks $np ./knows_nothing -dll_append "$scratch/wrong/libslepcnapi.so" -eps_type napi >got 2>&1
    result=$?
    [ $result != 0 ] && [ $result != 124 ] && grep -q "libslepcnapi was built for .*$1.*rebuild" got
    result=$?
    ok $result "built with another $2, it is refused in one sentence, $np rank(s)"
    [ $result = 0 ] || show got
  done
}
others=$(find "$NAPI_BUILD/obj/src" -name '*.o' ! -path '*/src/apps/*' ! -path '*/src/io/*' ! -name register.o)
refuse 'PETSc 3\.99 ' PETSC_VERSION_MINOR 99
refuse 'SLEPc 3\.99 ' SLEPC_VERSION_MINOR 99
refuse 'scalars' PETSC_SCALAR PETSC_FLOAT
refuse 'indices' PETSC_INT PETSC_SHORT

# Another PETSc in the same process, as Python has it, which keeps libraries apart: here, what passes for one
cat >other.c <<'END'
#include <dlfcn.h>
int PetscDLLibraryOpen(const char *path)
{
  void *library = dlopen(path,RTLD_NOW|RTLD_LOCAL);
  int (*enter)(void) = library ? (int (*)(void))dlsym(library,"PetscDLLibraryRegister_slepcnapi") : 0;

  return enter ? 10 + (enter() != 0) : 9;
}
int PetscGetVersionNumber(int *major,int *minor,int *subminor,int *release) { *major = 3; *minor = 98; return 0; }
END
cat >loads.c <<'END'
#include <dlfcn.h>
int main(int argc,char **argv)
{
  void *other = dlopen(argv[1],RTLD_NOW|RTLD_LOCAL);
  int (*load)(const char*) = other ? (int (*)(const char*))dlsym(other,"PetscDLLibraryOpen") : 0;

  return load ? load(argv[2]) : 8;
}
END
{ $MPICC -shared -fPIC other.c -o libpetsc_other.so -ldl && $MPICC loads.c -o loads -ldl; } >log 2>&1; ok $? "what passes for another PETSc compiles" || show log
./loads "$PWD/libpetsc_other.so" "$lib" >got 2>&1
[ $? = 11 ] && [ "$(wc -l <got)" = 1 ] && grep -q 'libslepcnapi was built for PETSc 3\.[0-9]*, .*libpetsc.*, but is loaded by PETSc 3\.98, .*/libpetsc_other.so: rebuild' got
ok $? "loaded by another PETSc than its own, it says so in one sentence" || show got

# --- slepc4py --------------------------------------------------------------------------------------------------

cat >use.py <<'END'
import sys
import slepc4py
slepc4py.init([sys.argv[0]] + sys.argv[1:])
from slepc4py import SLEPc
from petsc4py import PETSc
A = PETSc.Mat().createAIJ([30, 30], nnz=3, comm=PETSc.COMM_WORLD)
for i in range(*A.getOwnershipRange()):
    for j in (i - 1, i, i + 1):
        if 0 <= j < 30:
            A[i, j] = 2.0 if i == j else -1.0
A.assemble()
E = SLEPc.EPS().create()
E.setOperators(A)
E.setProblemType(SLEPc.EPS.ProblemType.HEP)
E.setFromOptions()
E.solve()
E.view()
E.errorView()
END
# Which libslepc a Python's slepc4py has loaded: it must be the stack's.
cat >which.py <<'END'
import glob, os, sys
import slepc4py
slepc4py.init([sys.argv[0]])
from slepc4py import SLEPc
maps = open('/proc/self/maps').read()
sys.exit(not any(os.path.realpath(f) in maps for f in glob.glob(sys.argv[1] + '/lib/libslepc*.so')))
END
# The Python package after slepc4py: it registers the type, and works with the PETSc that is there
cat >import.py <<'END'
import sys
import slepc4py
slepc4py.init([sys.argv[0]])
from slepc4py import SLEPc
from petsc4py import PETSc
import slepcnapi
import numpy as np, scipy.sparse as sp
A = PETSc.Mat().createAIJ([30, 30], nnz=1, comm=PETSc.COMM_SELF)
for i in range(30):
    A[i, i] = 1.0 + i
A.assemble()
E = SLEPc.EPS().create(comm=PETSc.COMM_SELF)
E.setOperators(A)
E.setProblemType(SLEPc.EPS.ProblemType.HEP)
E.setType('napi')
E.solve()
assert E.getType() == 'napi' and abs(E.getEigenvalue(0) - 30) < 1e-8
w = slepcnapi.eigsh(sp.diags(np.arange(1.0, 31)).tocsr(), 2, which='LA', return_eigenvectors=False)
X = np.random.default_rng(0).standard_normal((60, 4))
assert np.allclose(np.sort(w), [29, 30]) and np.allclose(slepcnapi.CCA(2, shrinkage=0).fit(X, X[:, ::-1]).correlations_, 1)
try:
    slepcnapi.eigsh(sp.diags(np.arange(1.0, 31)).tocsr(), 2, which='SA', preconditioner='no such')
except slepcnapi.Error:
    E.solve()
    print('good')
END
# Debian keeps the modules of each variant beside its libraries.
export PYTHONPATH="$SLEPC_DIR/lib/python3/dist-packages:$PETSC_DIR/lib/python3/dist-packages${PYTHONPATH:+:$PYTHONPATH}"
python= stranger= why="no Python here can import slepc4py"
for p in "$(dirname "$MPICC")/python3" python3 /usr/bin/python3; do
  "$p" -c 'import slepc4py' 2>/dev/null || continue
  if "$p" which.py "$SLEPC_DIR/$PETSC_ARCH" >log 2>&1; then python=$p; break; fi
  stranger=$p why="the slepc4py here belongs to another SLEPc than $SLEPC_DIR"
done
if [ -n "$python" ]; then
  for np in 1 2; do
    ranks $np "$python" use.py -dll_append "$lib" -eps_type napi -eps_nev 2 >got 2>&1
    expect "slepc4py.init with -dll_append, $np rank(s)"
  done
  PETSC_OPTIONS="-dll_append $lib -eps_type napi -eps_nev 2" ranks 1 "$python" use.py >got 2>&1
  expect "slepc4py with PETSC_OPTIONS"
  what="slepc4py, and then import slepcnapi: EPS.setType('napi'), eigsh and CCA"
  if "$python" -c 'import scipy' 2>/dev/null; then
    PYTHONPATH="$PYTHONPATH:$root/src/binding/python" NAPI_LIBRARY=$lib ranks 1 "$python" import.py >got 2>&1 && [ "$(cat got)" = good ]
    ok $? "$what" || show got
  else
    skip "its Python has no SciPy" "$what"
  fi
else
  skip "$why" "slepc4py with -dll_append"
fi
if [ -n "$stranger" ]; then
  ranks 1 "$stranger" use.py -dll_append "$lib" -eps_type napi >got 2>&1
  [ $? != 0 ] && [ "$(grep -c 'libslepcnapi was built for PETSc .* is loaded by PETSc .*: rebuild' got)" = 1 ] && ! grep -q 'Unknown EPS type' got
  ok $? "a slepc4py of another stack: the one sentence" || show got
  if "$stranger" -c 'import scipy' 2>/dev/null; then
    PYTHONPATH="$PYTHONPATH:$root/src/binding/python" NAPI_LIBRARY=$lib ranks 1 "$stranger" import.py >got 2>&1
    [ $? = 1 ] && tail -n 1 got | grep -q '^ImportError: this process has loaded another .*: install slepcnapi with PETSC_DIR and SLEPC_DIR'
    ok $? "a slepc4py of another stack, and then import slepcnapi: the one sentence" || show got
  fi
else
  skip "there is no slepc4py of another stack" "a slepc4py of another stack: the one sentence"
fi

finish
