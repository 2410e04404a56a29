#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# SLEPc's own EPS tests and tutorials, unmodified, with our library loaded by -dll_append and -eps_type napi, on 1
# and 2 ranks, with options that SLEPc's own cases do not have (those are what conformance.sh runs). What they print must
# be what their reference files say (src/eps/*/output), or, where no reference suits, what the same program prints
# with SLEPc's krylovschur. Words must agree exactly, numbers to the last digit printed.
. "$(dirname "$0")/tap.inc"

lib=$NAPI_BUILD/lib/libslepcnapi.so
src=${SLEPC_SOURCE:-/nowhere}/src/eps
bin=$NAPI_BUILD/slepc_own
mkdir -p "$bin"

if [ ! -f "$src/tests/test1.c" ]; then
  skip "SLEPc's sources are not here (Debian: package libslepc3.x-dev-examples)" "SLEPc's own EPS tests"
  finish
fi

# build PROGRAM: tests/test1 becomes $bin/test1, kept from one run to the next
build() {
  program=$bin/${1#*/}
  [ "$program" -nt "$src/$1.c" ] && return
  $MPICC $SLEPC_CFLAGS "$src/$1.c" -o "$program" $SLEPC_LIBS >"$scratch/build" 2>&1 || show "$scratch/build"
}

# same GOT WANTED: blank lines and complex zeros aside, equal words; numbers may differ by one in the fifth decimal
same() {
  sed -e 's/[+-]0\.0*i//g' -e '/^ *$/d' "$2" >"$scratch/b"
  sed -e 's/[+-]0\.0*i//g' -e '/^ *$/d' "$1" | awk -v wanted="$scratch/b" '
    function number(x) { sub(/,$/,"",x); return x ~ /^[-+]?[0-9]+\.[0-9]+$/ }
    { if ((getline line < wanted) <= 0) exit bad=1
      if (NF != split(line,w," ")) exit bad=1
      for (i=1; i<=NF; i++) if ($i != w[i]) { d = $i-w[i]; if (!number($i) || !number(w[i]) || d > 1.1e-5 || d < -1.1e-5) exit bad=1 } }
    END { if (!bad && (getline line < wanted) > 0) bad=1; exit bad }'
}

# try REFERENCE PROGRAM ARGUMENTS...: REFERENCE is a file of the sources, or krylovschur to run that with the same arguments
try() {
  reference=$1 name=$2; shift 2
  build "$name"
  for np in $on; do
    title="${name#*/} $* on $np rank$([ $np = 1 ] || echo s)"
    case $reference in
    krylovschur)
      ranks $np "$program" $(echo "$@" | sed 's/ napi/ krylovschur/') >"$scratch/wanted" 2>&1 || { ok 1 "$title: krylovschur runs"; show "$scratch/wanted"; continue; } ;;
    *) cp "$src/${name%/*}/output/$reference" "$scratch/wanted" || { ok 1 "$title: has its reference $reference"; continue; } ;;
    esac
    # a reference without eigenvalues would agree with anything
    grep -q 'eigenvalues computed up to the required tolerance' "$scratch/wanted" || { ok 1 "$title: the reference holds eigenvalues"; show "$scratch/wanted"; continue; }
    ranks $np "$program" -dll_append "$lib" "$@" >"$scratch/got" 2>&1 && same "$scratch/got" "$scratch/wanted"
    result=$?
    ok $result "$title: as ${reference%.out}"
    [ $result = 0 ] || { echo "# got:"; show "$scratch/got"; echo "# wanted:"; show "$scratch/wanted"; }
  done
}

# refused WORDS PROGRAM ARGUMENTS...: what napi does not do (yet) ends in an error that names it, not in an answer.
# (PETSc's report also repeats the options: only the sentence that speaks of the solver counts.)
refused() {
  words=$1 name=$2; shift 2
  build "$name"
  for np in $on; do
    ranks $np "$program" -dll_append "$lib" "$@" >"$scratch/got" 2>&1
    result=$?
    [ $result != 0 ] && [ $result != 124 ] && ! grep -q 'eigenvalues computed up to' "$scratch/got" && grep -q "$words" "$scratch/got"
    result=$?
    ok $result "${name#*/} $* on $np rank$([ $np = 1 ] || echo s): refused, naming it"
    [ $result = 0 ] || show "$scratch/got"
  done
}

on='1 2'

# the smallest by the paper's momentum, which finds the largest of the inverse; what does not suit the momentum, or the solver
try test1_5.out tests/test1 -n 18 -eps_nev 3 -eps_smallest_real -eps_max_it 500 -eps_type napi -eps_napi_momentum adaptive
refused "not the smallest real one" tests/test1 -n 18 -eps_nev 3 -eps_smallest_real -eps_max_it 500 -eps_type napi -eps_napi_momentum adaptive -st_type shift
refused "solver 'napi'.*non-symmetric" tests/test1 -n 18 -eps_gen_non_hermitian -eps_type napi

# shell preconditioner, initial vector; no target: the largest are those nearest to SLEPc's target
try test12_1.out tests/test12 -eps_nev 4 -eps_type napi
# options prefix, without shift-and-invert
try krylovschur tests/test19 -check_myprefix_eps_nev 2 -check_myprefix_eps_type napi

# preconditioner from another matrix, and a split one with a B that is not diagonal: shift in place of shift-and-invert
try krylovschur tutorials/ex46 -eps_nev 4 -terse -st_type shift -eps_largest_magnitude -eps_max_it 5000 -eps_type napi
try krylovschur tutorials/ex49 -eps_nev 4 -terse -st_type shift -eps_largest_magnitude -eps_max_it 5000 -st_ksp_type cg -st_pc_type jacobi -eps_type napi

finish
