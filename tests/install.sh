#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# make install, with DESTDIR and without; a program built with pkg-config against what was installed; make uninstall.
# src/build.mk is called directly: the stack is known, and everything is built.
. "$(dirname "$0")/tap.inc"
cd "$(dirname "$0")/.." || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES DESTDIR
build() { make --no-print-directory -f src/build.mk BUILD="$NAPI_BUILD" "$@" >"$scratch/log" 2>&1 || { show "$scratch/log"; return 1; }; }

apps=$(cd "$NAPI_BUILD/bin" && ls)
{ printf '%s\n' ./include/slepcnapi.h ./include/slepcnapi/private/ccaimpl.h ./include/slepcnapi/private/napicompat.h ./include/slepcnapi/private/napidense.h ./include/slepcnapi/private/napiwindow.h ./lib/libslepcnapi.so ./lib/pkgconfig/slepcnapi.pc; printf './bin/%s\n' $apps; } | sort >"$scratch/expected"
# the files below a folder are just those
files() { (cd "$1" && find . ! -type d | sort) >"$scratch/files"; cmp -s "$scratch/files" "$scratch/expected" || { show "$scratch/files"; return 1; }; }

# --- with DESTDIR ----------------------------------------------------------------------------------------------

stage=$scratch/stage
build install prefix=/opt/slepc-napi-test DESTDIR="$stage"
ok $? "make install DESTDIR=..."
files "$stage/opt/slepc-napi-test"
ok $? "the library, the header, those for types of one's own, the .pc file and the programs are there, and nothing else"
[ ! -e /opt/slepc-napi-test ]
ok $? "nothing was written outside DESTDIR"
grep -q '^prefix=/opt/slepc-napi-test$' "$stage/opt/slepc-napi-test/lib/pkgconfig/slepcnapi.pc"
ok $? "the .pc file names the prefix without DESTDIR"
build uninstall prefix=/opt/slepc-napi-test DESTDIR="$stage" && [ -z "$(find "$stage" ! -type d)" ]
ok $? "make uninstall DESTDIR=... leaves no file"

# --- without ---------------------------------------------------------------------------------------------------

prefix=$scratch/prefix
build install prefix="$prefix" && files "$prefix"
ok $? "make install prefix=..."

cat >"$scratch/user.c" <<'END'
#include <slepcnapi.h>
int main(int argc,char **argv)
{
  Mat         A;
  EPS         eps;
  PetscScalar value;
  PetscInt    i,lo,hi;

  PetscCall(SlepcInitialize(&argc,&argv,NULL,NULL));
  PetscCall(SlepcNAPIInitialize());
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD,PETSC_DECIDE,PETSC_DECIDE,30,30,1,NULL,0,NULL,&A));
  PetscCall(MatGetOwnershipRange(A,&lo,&hi));
  for (i=lo;i<hi;i++) PetscCall(MatSetValue(A,i,i,i+1.0,INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A,MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A,MAT_FINAL_ASSEMBLY));
  PetscCall(EPSCreate(PETSC_COMM_WORLD,&eps));
  PetscCall(EPSSetOperators(eps,A,NULL));
  PetscCall(EPSSetProblemType(eps,EPS_HEP));
  PetscCall(EPSSetType(eps,EPSNAPI));
  PetscCall(EPSNAPISetMomentum(eps,EPS_NAPI_MOMENTUM_NONE));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetEigenvalue(eps,0,&value,NULL));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,"largest %.6f\n",(double)PetscRealPart(value)));
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&A));
  PetscCall(SlepcFinalize());
  return 0;
}
END
pc=$prefix/lib/pkgconfig/slepcnapi.pc
if command -v pkg-config >/dev/null; then
  flags=$(PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --cflags --libs slepcnapi)
  ok $? "pkg-config knows slepcnapi"
  [ "$(PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --modversion slepcnapi)" = "$(sed -n 's/^#define SLEPCNAPI_VERSION *"\(.*\)"/\1/p' include/slepcnapi.h)" ]
  ok $? "its version is the header's"
else
  skip "pkg-config is not installed" "pkg-config knows slepcnapi; the flags are read from the file"
  flags=$(sed -n 's/^\(Cflags\|Libs\): //p' "$pc" | sed -e "s|\${libdir}|$prefix/lib|g" -e "s|\${includedir}|$prefix/include|g")
fi
# away from the clone, so that nothing of it is found by chance
(cd "$scratch" && $MPICC user.c -o user $flags) >"$scratch/log" 2>&1
result=$?
ok $result "a program compiles with these flags"
[ $result = 0 ] || show "$scratch/log"
for np in 1 2; do
  (cd "$scratch" && ranks $np ./user) >"$scratch/log" 2>&1 && grep -q 'largest 30\.000000' "$scratch/log"
  result=$?
  ok $result "and runs, $np rank(s)"
  [ $result = 0 ] || show "$scratch/log"
done
ldd "$scratch/user" | grep -q "libslepcnapi.so => $prefix/lib/"
ok $? "with the installed library"

mv "$prefix" "$prefix-moved"
for app in $apps; do
  [ "$(head -c 2 "$prefix-moved/bin/$app")" != '#!' ] || continue # a script has no libraries
  ldd "$prefix-moved/bin/$app" | grep -qE "libslepcnapi.so => $prefix-moved/(bin/../)?lib/"
  ok $? "$app finds the library beside it, even after a move"
done
(cd "$scratch" && ranks 1 "$prefix-moved/bin/napi-eps" -generate fem2d -m 20,20 -eps_nev 1) >"$scratch/log" 2>&1
result=$?
ok $result "the installed napi-eps runs"
[ $result = 0 ] || show "$scratch/log"
printf '1,2\n2,1\n3,5\n4,4\n' >"$scratch/table"
(cd "$scratch" && ranks 1 "$prefix-moved/bin/napi-cca" table table -k 1) >"$scratch/log" 2>&1
result=$?
ok $result "the installed napi-cca runs"
[ $result = 0 ] || show "$scratch/log"
mv "$prefix-moved" "$prefix"

# --- and what else there is ------------------------------------------------------------------------------------

# all that can be asked for, but for the step that the others need
make --no-print-directory help >"$scratch/help" 2>&1
missing=
for goal in $(sed -n -e 's/^GOALS = //p' -e 's/^\.PHONY: \$(GOALS) stack //p' makefile); do
  grep -q "^make $goal  *[a-z]" "$scratch/help" || missing="$missing $goal"
done
[ -s "$scratch/help" ] && [ -z "$missing" ]
ok $? "make help lists every goal${missing:+ but$missing}" || show "$scratch/help"

echo mine >"$prefix/lib/other"
build uninstall prefix="$prefix" && [ "$(cd "$prefix" && find . ! -type d)" = ./lib/other ]
ok $? "make uninstall removes our files and no others"

finish
