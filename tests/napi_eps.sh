#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The program napi-eps: what it prints and writes, that its counts and -true_tol do what they say, and that wrong
# input gets one sentence and no file.
. "$(dirname "$0")/tap.inc"
eps=$NAPI_BUILD/bin/napi-eps
gep=${NAPI_DATA:-/nonexistent}/gep
cd "$scratch" || exit 1
unset PETSC_OPTIONS

# value KEY FILE: a number or word of a JSON file; first KEY FILE: the first number of an array
value() { sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" "$2"; }
first() { sed -n "s/^ *\"$1\": \[\([^],]*\).*/\1/p" "$2"; }
all() { sed -n "s/^ *\"$1\": \[\(.*\)\].*/\1/p" "$2" | tr -d ' ' | tr ',' '\n'; }
# near A B TOLERANCE (relative)
near() { awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { exit !(a != "" && (a - b) ^ 2 <= (t * b) ^ 2) }'; }
# below TOLERANCE: every line of the input is a number at most this large, and there is one
below() { awk -v t="$1" '!($1 <= t) { bad = 1 } END { exit bad || !NR }'; }
same() { [ "$(value "$1" "$2")" = "$(value "$1" "$3")" ] && [ -n "$(value "$1" "$2")" ]; }

# --- a generated pair ------------------------------------------------------------------------------------------

cg='-st_ksp_type cg -st_pc_type jacobi -st_ksp_rtol 1e-11'
# 6/h^2 (1-c)/(2+c) with c = cos(pi j/m), h = 1/20, m = 20 and 15: j = 1 and 1
smallest=$(awk 'BEGIN { pi = atan2(0, -1); a = cos(pi/20); b = cos(pi/15); print 2400 * ((1-a)/(2+a) + (1-b)/(2+b)) }')
for np in 1 2 3; do
  ranks $np "$eps" -generate fem2d -m 20,15 -swap -eps_nev 3 -eps_tol 1e-9 -json napi.$np >out 2>err
  ok $? "$np ranks: napi solves a generated pair"
  near "$(awk -v x="$(first eigenvalues napi.$np)" 'BEGIN { print 1/x }')" "$smallest" 1e-5
  ok $? "$np ranks: the eigenvalue is the known one"
  all residuals napi.$np | below 1e-9
  ok $? "$np ranks: the true residuals are below the tolerance"
  [ "$(value eps_type napi.$np) $(value n napi.$np) $(value ranks napi.$np)" = "napi 266 $np" ]
  ok $? "$np ranks: the JSON file tells type, size and ranks"
  ranks $np "$eps" -generate fem2d -m 20,15 -swap -eps_nev 3 -eps_type krylovschur $cg -json ks.$np >out 2>err
  near "$(first eigenvalues ks.$np)" "$(first eigenvalues napi.$np)" 1e-8
  ok $? "$np ranks: krylovschur agrees"
done
same A_columns ks.1 ks.3; ok $? "the columns multiplied by A do not depend on the ranks"
same A_columns napi.1 ks.1; [ $? != 0 ]; ok $? "but on the solver: the comparison can tell"
ranks 1 "$eps" -generate fem3d -m 5 -swap -eps_type krylovschur $cg -json fem3d >out 2>err
[ "$(value n fem3d)" = 64 ]; ok $? "fem3d, one number for all sides"
grep -q '^A x = lambda B x, 64 unknowns' out && grep -q '^   1 ' out && grep -q '^columns multiplied by A: [1-9]' out
result=$?; ok $result "the table is printed"; [ $result = 0 ] || show out
[ ! -s err ]; ok $? "and nothing on standard error"

if command -v python3 >/dev/null; then
  python3 -c 'import json,sys
d = json.load(open("napi.1"))
need = "eps_type n ranks converged iterations eigenvalues residuals A_columns B_columns PC_columns seconds".split()
sys.exit(not all(k in d for k in need) or len(d["residuals"]) != 3 or d["converged"] < 3 or d["seconds"] <= 0)'
  ok $? "the JSON file is JSON, with all that belongs into it"
else skip "no python3" "the JSON file is JSON, with all that belongs into it"; fi

# --- files -----------------------------------------------------------------------------------------------------

# The largest eigenvalue of a diagonal matrix has a unit vector
printf '%%%%MatrixMarket matrix coordinate real symmetric\n4 4 4\n1 1 1\n2 2 2\n3 3 3\n4 4 5\n' >diag.mtx
for np in 1 2 3; do
  ranks $np "$eps" -A diag.mtx -eps_type krylovschur -eps_nev 2 -out x.mtx -json d.json >out 2>err
  ok $? "$np ranks: a matrix alone"
  near "$(first eigenvalues d.json)" 5 1e-12; ok $? "$np ranks: its eigenvalue"
  [ "$(value B_columns d.json) $(value PC_columns d.json)" = "0 0" ]
  ok $? "$np ranks: no B, no preconditioner, no columns"
  awk 'NR > 2 && NR <= 6 && ($1 ^ 2 + $2 ^ 2 - (NR == 6)) ^ 2 > 1e-12 { bad = 1 } END { exit bad || NR != 10 }' x.mtx
  result=$?; ok $result "$np ranks: the vectors are written"; [ $result = 0 ] || show x.mtx
done
ranks 2 "$eps" -A diag.mtx -eps_type krylovschur -eps_nev 2 -out x.bin >out 2>err
header=' 0 18 123 80 0 0 0 4 0 0 0 2 255 255 255 255 ' # class id, 4 rows, 2 columns, dense; twice as long with 64 bits
[ "$(od -An -tu1 -N16 x.bin | tr -s ' \n' ' ')" = "$header" ] || { [ "$(wc -c <x.bin)" = 96 ] && [ "$(od -An -tu1 -N8 x.bin | tr -s ' \n' ' ')" = ' 0 0 0 0 0 18 123 80 ' ]; }
ok $? "vectors in PETSc's binary format"
[ ! -e x.bin.info ] && [ ! -e x.bin.part ]; ok $? "and nothing else"

if [ -r "$gep/lund_a.mtx.gz" ]; then
  for np in 1 2 3; do
    ranks $np "$eps" -A "$gep/lund_a.mtx.gz" -B "$gep/lund_b.mtx.gz" -eps_nev 4 -json lund >out 2>err
    near "$(first eigenvalues lund)" 2204623.635 1e-8; result=$?
    ok $result "$np ranks: lund"; [ $result = 0 ] || show err
  done
else skip "no data" "lund"; fi

# --- counts ----------------------------------------------------------------------------------------------------

# -log_view uses the same events. (Its own count of MatMult leaves out what happens inside a product with a shell.)
for type in krylovschur gd; do
  options=$cg; [ $type = krylovschur ] || options='-st_pc_type jacobi'
  ranks 1 "$eps" -generate fem2d -m 20,15 -swap -eps_type $type -eps_nev 2 $options -json with -log_view >out 2>err
  ranks 1 "$eps" -generate fem2d -m 20,15 -swap -eps_type $type -eps_nev 2 $options -json without >out2 2>err
  same A_columns with without && same B_columns with without && same PC_columns with without
  ok $? "$type: -log_view does not change the counts"
  [ "$(awk '$1 == "PCApply" { print $2 }' out)" = "$(value PC_columns with)" ]
  result=$?; ok $result "$type: and finds as many applications of the preconditioner"; [ $result = 0 ] || show out
done

# --- -true_tol -------------------------------------------------------------------------------------------------

# K x = lambda M x: with a mass matrix of size h^2 SLEPc's residual is much smaller than the true one
for type in napi krylovschur gd; do
  options=$cg; [ $type = krylovschur ] || options='-st_pc_type jacobi'
  ranks 1 "$eps" -generate fem2d -m 20,15 -eps_type $type -eps_nev 2 $options -true_tol 1e-7 -json t.$type >out 2>err
  ok $? "$type: -true_tol is reached"
  all residuals t.$type | below 1e-7; ok $? "$type: by all residuals"
  awk -v n="$(value solves t.$type)" -v t="$(value tol_used t.$type)" 'BEGIN {
    most = 1e-7 / 10 ^ ((n - 1) / 2); exit !(t > 0 && t <= 1.0001 * most && (n > 1 || t >= 0.9999 * most)) }'
  ok $? "$type: the first tolerance is that asked for, each further one smaller by sqrt(10) at least"
done
[ "$(value solves t.napi)" = 1 ]; ok $? "napi needs one solve"
n=$(value solves t.gd)
[ "$n" -gt 1 ]; ok $? "gd needs several"
tol=$(value tol_used t.gd)
ranks 1 "$eps" -generate fem2d -m 20,15 -eps_type gd -eps_nev 2 -st_pc_type jacobi -eps_tol $tol -json again >out 2>err
same A_columns again t.gd && same B_columns again t.gd && same PC_columns again t.gd
ok $? "the counts are those of the last solve alone"
sloppy='-st_ksp_type cg -st_pc_type jacobi -st_ksp_rtol 1e-3'
ranks 2 "$eps" -generate fem2d -m 20,15 -eps_type krylovschur -eps_nev 2 $sloppy -true_tol 1e-12 -json never >out 2>err
[ $? = 2 ] && grep -q '^NOT REACHED' out && [ "$(value reached never)" = false ] && [ "$(value solves never)" -gt 1 ]
result=$?; ok $result "out of reach: said in table, JSON and exit status"; [ $result = 0 ] || show out
ranks 2 "$eps" -generate fem2d -m 20,15 -eps_type power -eps_nev 4 -eps_max_it 3 $cg -json few >out 2>err
[ $? = 2 ] && grep -q '^NOT CONVERGED: 0 of 4' out && [ "$(value converged few)" = 0 ]
result=$?; ok $result "too few pairs: said in table, JSON and exit status"; [ $result = 0 ] || show out

# --- wrong input -----------------------------------------------------------------------------------------------

banner='%%MatrixMarket matrix coordinate real'
printf '%s symmetric\n4 4 4\n1 1 1\n' "$banner" >truncated
printf '%s general\n4 3 1\n1 1 1\n' "$banner" >rectangle
printf '%s symmetric\n3 3 1\n1 1 1\n' "$banner" >three
printf '%s general\n2 2 2\n1 1 1\n1 2 1\n' "$banner" >unsymmetric
printf '%s symmetric\n2 2 1\n3 1 1\n' "$banner" >outside
printf '%s symmetric\n2 2 1\n1 1 nan\n' "$banner" >nan
printf '%%%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 1 0\n2 1 0 1\n' >complex
printf 'no matrix at all\n' >garbage
head -c 100 "$NAPI_BUILD/bin/napi-eps" >program

# refused NP TEXT ARGUMENTS...: exit status 1, one sentence on standard error that has TEXT in it, no file written
refused() {
  np=$1 text=$2; shift 2
  ranks $np "$eps" "$@" -out bad.bin -json bad.json >out 2>err
  status=$?
  # mpiexec may add its own lines about the status
  [ $status != 0 ] && [ "$(grep -c '^napi-eps: ' err)" = 1 ] && grep '^napi-eps: ' err | grep -q -e "$text" &&
    ! grep -q 'PETSC ERROR' err && [ ! -s out ] && [ -z "$(ls | grep bad)" ]
  result=$?; ok $result "$np ranks, refused: $*"; [ $result = 0 ] || { show err; rm -f bad.*; }
}
for np in 1 2 3; do
  refused $np 'No such file' -A missing
  refused $np 'No such file' -A diag.mtx -B missing
  refused $np 'ends after 1 of 4' -A truncated
  refused $np 'not square' -A rectangle
  refused $np 'make no pair' -A diag.mtx -B three
  refused $np 'differs from its transpose' -A unsymmetric
  refused $np 'lies outside' -A outside
  refused $np 'finite' -A nan
  refused $np 'neither a Matrix Market file nor' -A garbage
  refused $np 'neither a Matrix Market file nor' -A program
done
ranks 1 "$eps" -A complex >out 2>err
if grep -q 'is complex' err; then refused 2 'is complex' -A complex
else skip "a complex build" "complex numbers are refused"; fi
# what a solver refuses, or an option cannot mean
for np in 1 2 3; do
  refused $np "Unable to find requested ST type\|ST type" -generate fem2d -m 5 -st_type none
  refused $np 'EPS type' -generate fem2d -m 5 -eps_type none
  refused $np 'has no integer value' -generate fem2d -m 5 -eps_nev many
done
ranks 1 "$eps" -generate fem2d -m 5 -eps_type none -traceback >out 2>err
[ $? != 0 ] && grep -q 'PETSC ERROR' err; ok $? "-traceback shows PETSc's own account"
refused 1 'no matrix: give -A'
refused 1 'needs a value' -A
refused 1 'leave out' -A diag.mtx -generate fem2d
refused 1 'fem2d, fem3d and elasticity' -generate fem4d
refused 1 'at least 2' -generate fem2d -m 1,5
refused 1 'one number or' -generate fem3d -m 4,4
refused 1 'more unknowns' -generate fem3d -m 2000000000
refused 1 'positive' -A diag.mtx -true_tol 0
refused 1 'needs a pair' -A diag.mtx -swap
ranks 2 "$eps" -A diag.mtx -out nowhere/x.npy >out 2>err
grep -q '^napi-eps: nowhere/x.npy: cannot be written: No such' err && ! grep -q 'PETSC ERROR' err
ok $? "a file that cannot be written is known before the solve"

# --- help, leaks -----------------------------------------------------------------------------------------------

ranks 1 "$eps" -h >out 2>err
ok $? "-h"
head -n 1 out | grep -q '^napi-eps: eigenvalues' && [ "$(wc -l <out)" -lt 40 ]; ok $? "-h is short"
ranks 1 "$eps" -help >out 2>err
ok $? "-help"
head -n 1 out | grep -q '^napi-eps: eigenvalues' && grep -q -e '-eps_nev' out
ok $? "-help has our options first, then the solver's"

"$NAPI_BUILD/tests/tap_self" -leak -malloc_dump >out 2>err; leaks out err; ok $? "memory that is left is found"
"$NAPI_BUILD/tests/tap_self" -leak -objects_dump >out 2>err; leaks out err; ok $? "so is an object"
"$NAPI_BUILD/tests/tap_self" -malloc_dump -objects_dump >out 2>err; [ $? = 0 ] && ! leaks out err; ok $? "where there is none, none is found"
cp truncated bad_truncated; cp unsymmetric bad_unsymmetric; cp three bad_three
for arguments in '-generate fem2d -m 8 -swap -eps_nev 2 -out x.mtx -json j' '-A bad_truncated' '-A bad_unsymmetric' \
  '-generate fem2d -m 8 -eps_type gd -st_pc_type jacobi -true_tol 1e-9 -out x.bin' '-A diag.mtx -B bad_three'; do
  ranks 1 "$eps" $arguments -malloc_dump -objects_dump >out 2>err
  status=$?
  case $arguments in *bad_*) [ $status != 0 ] ;; *) [ $status = 0 ] ;; esac && ! leaks out err
  ok $? "nothing is left: $arguments" || { show out; show err; }
done
finish
