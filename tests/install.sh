#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# make install, with DESTDIR and without; a program built with pkg-config against what was installed, and what another user can do
# with it; make uninstall. And build/bin/mpiexec, which is the stack's whichever comes first in PATH.
# src/build.mk is called directly: the stack is known, and everything is built.
. "$(dirname "$0")/tap.inc"
cd "$(dirname "$0")/.." || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES DESTDIR
build() { make --no-print-directory -f src/build.mk BUILD="$NAPI_BUILD" "$@" >"$scratch/log" 2>&1 || { show "$scratch/log"; return 1; }; }

kind=$(sed -n 's/^override STACK_KIND = //p' "$NAPI_BUILD/stack.mk")
apps=$(cd "$NAPI_BUILD/bin" && ls | grep -v '^mpi')
{ printf '%s\n' ./include/slepcnapi.h ./include/slepcnapi/private/ccaimpl.h ./include/slepcnapi/private/napicompat.h ./include/slepcnapi/private/napidense.h ./include/slepcnapi/private/napiwindow.h ./lib/libslepcnapi.so ./lib/pkgconfig/slepcnapi.pc; printf './bin/%s\n' $apps; } | sort >"$scratch/expected"
# the files below a folder are just those, and those of the stack where that is from PyPI
bundle=lib/slepcnapi
files() { (cd "$1" && find . -path ./$bundle -prune -o ! -type d -print | sort) >"$scratch/files"; cmp -s "$scratch/files" "$scratch/expected" || { show "$scratch/files"; return 1; }; }

# --- with DESTDIR ----------------------------------------------------------------------------------------------

stage=$scratch/stage
build install prefix=/opt/slepc-napi-test DESTDIR="$stage"
ok $? "make install DESTDIR=..."
files "$stage/opt/slepc-napi-test"
ok $? "the library, the header, those for types of one's own, the .pc file and the programs are there, and nothing else"
if [ "$kind" = pypi ]; then
  (cd "$stage/opt/slepc-napi-test/$bundle" && ls -d bin/mpiexec bin/mpicc bin/hydra_pmi_proxy lib/libpetsc.so lib/libslepc.so lib/libmpi.so.12 include/mpi.h include/petscconf.h include/slepceps.h) >"$scratch/log" 2>&1
  ok $? "and the stack's libraries, headers, launcher and compiler" || show "$scratch/log"
else
  [ ! -e "$stage/opt/slepc-napi-test/$bundle" ]
  ok $? "a stack that is not ours is not copied"
fi
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

# --- for others ------------------------------------------------------------------------------------------------

# The searches of what was installed lead to where others can go.
if [ "$kind" = pypi ] && command -v readelf >/dev/null; then
  find "$prefix/lib" "$prefix/bin" -type f \( -name '*.so*' -o -perm -1 \) -exec readelf -d {} + 2>/dev/null | grep -E 'R(UN)?PATH' >"$scratch/paths"
  grep -q '\[$ORIGIN/../lib:$ORIGIN/../lib/slepcnapi/lib\]' "$scratch/paths" && ! grep -v '\[$ORIGIN[^:]*\(:$ORIGIN[^:]*\)*\]' "$scratch/paths"
  ok $? "every search path is relative" || show "$scratch/paths"
else
  skip "the stack stays where it is, or there is no readelf" "every search path is relative"
fi
"$NAPI_BUILD/examples/unmodified" -dll_append "$prefix/lib/libslepcnapi.so" -eps_type napi -eps_view >"$scratch/log" 2>&1 && grep -q 'type: napi' "$scratch/log"
ok $? "a program of the stack loads the installed library, with the PETSc it has already" || show "$scratch/log"

# as somebody else, in an installation made with a strict umask
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && command -v pkg-config >/dev/null; then
  public=$scratch/public
  (umask 077 && build install prefix="$public/a/b")
  ok $? "make install with umask 077"
  mkdir "$public/tmp" && chmod 755 "$scratch" "$public" && chmod 1777 "$public/tmp"
  cp examples/embed.c "$public/tmp/embed.c" && chmod 644 "$public/tmp/embed.c"
  ! other ls "$HOME/." >/dev/null 2>&1 || echo "# (others can read $HOME here)"
  other_mpi "$public/a/b/bin/napi-eps" -generate fem2d -m 20,20 -eps_nev 1 && grep -q 'true residual' "$scratch/log"
  ok $? "another user runs the installed napi-eps" || show "$scratch/log"
  launcher=$(other env PKG_CONFIG_PATH="$public/a/b/lib/pkgconfig" pkg-config --variable=mpiexec slepcnapi)
  other_mpi env OMPI_MCA_rmaps_base_oversubscribe=1 "$launcher" -n 2 "$public/a/b/bin/napi-eps" -generate fem2d -m 20,20 -eps_nev 1 && grep -q '2 ranks' "$scratch/log"
  ok $? "on two ranks" || show "$scratch/log"
  for compiler in '$(pkg-config --variable=mpicc slepcnapi)' $([ "$kind" != pypi ] || echo cc); do
    rm -f "$public/tmp/embed"
    other env PKG_CONFIG_PATH="$public/a/b/lib/pkgconfig" sh -c "cd $public/tmp && $compiler embed.c -o embed \$(pkg-config --cflags --libs slepcnapi)" >"$scratch/log" 2>&1
    ok $? "another user compiles examples/embed.c with $compiler and pkg-config" || show "$scratch/log"
    other_mpi "$public/tmp/embed"
    ok $? "and runs it" || show "$scratch/log"
  done
  other cat /proc/self/status | grep -q '^Uid:.65534'
  ok $? "(it was another user)"
  # a stack of somebody's own, in a home that others cannot enter
  mkdir -p "$public/home/petsc" && chmod 700 "$public/home"
  sh src/stack/readable.sh env "$public/a/b" "$public/home/petsc" >"$scratch/log" 2>&1
  [ $? = 1 ] && [ "$(wc -l <"$scratch/log")" = 1 ] && grep -q "others cannot enter $public/home\. Open" "$scratch/log"
  ok $? "a prefix for everybody with a stack for one is refused in one sentence" || show "$scratch/log"
  sh src/stack/readable.sh env "$public/home/prefix" "$public/home/petsc" && chmod 755 "$public/home" && sh src/stack/readable.sh env "$public/a/b" "$public/home/petsc"
  ok $? "one that is as closed is not, nor is a stack that was opened"
  build uninstall prefix="$public/a/b" && [ -z "$(find "$public/a" ! -type d)" ]
  ok $? "make uninstall leaves no file"
else
  skip "this is not root, or setpriv or pkg-config is missing" "another user runs what was installed and compiles with it"
fi

# --- the stack's mpiexec and mpicc -----------------------------------------------------------------------------

mkdir "$scratch/path"
for name in mpiexec mpirun mpicc hydra_pmi_proxy orterun orted; do printf '%s\n' '#!/bin/sh' 'echo "another MPI"; exit 3' >"$scratch/path/$name"; done
chmod 755 "$scratch"/path/*
PATH="$scratch/path:$PATH" timeout 300 "$NAPI_BUILD/bin/mpiexec" -n 2 "$NAPI_BUILD/bin/napi-eps" -generate fem2d -m 20,20 -eps_nev 1 >"$scratch/log" 2>&1 && grep -q '2 ranks' "$scratch/log"
ok $? "build/bin/mpiexec runs on two ranks, whichever mpiexec comes first in PATH" || show "$scratch/log"
! grep -n -e '^ *\$ mpiexec' -e "'\$\$ mpiexec" README.md src/build.mk >"$scratch/log"
ok $? "README and demo name it so" || show "$scratch/log"
(cd "$scratch" && PATH="$scratch/path:$PATH" "$NAPI_BUILD/bin/mpicc" user.c -o user2 $flags && PATH="$scratch/path:$PATH" timeout 300 "$NAPI_BUILD/bin/mpiexec" -n 2 ./user2) >"$scratch/log" 2>&1 && grep -q 'largest 30\.000000' "$scratch/log"
ok $? "build/bin/mpicc compiles a program for it" || show "$scratch/log"
for name in mpiexec mpiexec.openmpi mpiexec.mpich; do
  command -v $name >/dev/null || continue
  (cd "$scratch" && timeout 300 "$NAPI_BUILD/bin/mpiexec" -n 2 ./user2) >"$scratch/log" 2>&1 && grep -q 'largest 30\.000000' "$scratch/log"
  ok $? "also with $(command -v $name) installed" || show "$scratch/log"
  break
done
(cd "$scratch" && mkdir -p 'with blank' && cp user2 'with blank' && "$NAPI_BUILD/bin/mpiexec" -n 1 './with blank/user2' -options_left no) >"$scratch/log" 2>&1
ok $? "arguments reach it whole" || show "$scratch/log"

# --- and what else there is ------------------------------------------------------------------------------------

# all that can be asked for, but for the step that the others need
make --no-print-directory help >"$scratch/help" 2>&1
missing=
for goal in $(sed -n -e 's/^GOALS = //p' -e 's/^\.PHONY: \$(GOALS) stack //p' makefile); do
  grep -q "^make $goal  *[^ ]" "$scratch/help" || missing="$missing $goal"
done
[ -s "$scratch/help" ] && [ -z "$missing" ]
ok $? "make help lists every goal${missing:+ but$missing}" || show "$scratch/help"

echo mine >"$prefix/lib/other"
build uninstall prefix="$prefix" && [ "$(cd "$prefix" && find . ! -type d)" = ./lib/other ]
ok $? "make uninstall removes our files and no others"

finish
