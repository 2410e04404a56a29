#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Command lines of the programs: a value that is missing, is not one or is more than was asked for is an error and not a
# default; fewer pairs than wanted are never a success; what a file has in it is shown as text.
. "$(dirname "$0")/tap.inc"
cca=$NAPI_BUILD/bin/napi-cca
eps=$NAPI_BUILD/bin/napi-eps
cd "$scratch" || exit 1
unset PETSC_OPTIONS
printf 'a,b\n1,2\n2,1\n3,5\n5,3\n4,4\n6,9\n' >x.csv
printf '2 1\n1 1\n5 4\n4 6\n3 3\n7 8\n' >y.csv
printf '1 2\n2 4\n3 6\n5 10\n4 8\n6 12\n' >line.csv # of rank one
printf '%%%%MatrixMarket matrix coordinate real symmetric\n4 4 4\n1 1 1\n2 2 2\n3 3 3\n4 4 5\n' >diag.mtx

# refused TEXT PROGRAM ARGUMENTS...: exit status 1, one sentence that has TEXT in it, no output
refused() {
  text=$1; shift
  ranks 1 "$@" >out 2>err
  [ $? = 1 ] && [ "$(wc -l <err)" = 1 ] && grep -q -e "^napi-[a-z]*: .*$text" err && [ ! -s out ]
  result=$?; shift; ok $result "refused: $*"; [ $result = 0 ] || show err
}
refused '-k needs a value' "$cca" x.csv y.csv -k
refused '-k needs a value' "$cca" x.csv y.csv -k -center
refused 'too large' "$cca" x.csv y.csv -k 99999999999999999999
refused '99999999999' "$cca" x.csv y.csv -k 99999999999 # too large, or more than there are columns
refused 'has no integer value' "$cca" x.csv y.csv -k 2x
refused 'has no integer value' "$cca" x.csv y.csv -k 1.5
refused 'more than 1 number' "$cca" x.csv y.csv -k 1,2
refused 'at least 1' "$cca" x.csv y.csv -k -1
refused '-ridge needs a value' "$cca" x.csv y.csv -ridge
refused '-ridge needs a value' "$cca" x.csv y.csv -ridge -center
refused 'more than 2 numbers' "$cca" x.csv y.csv -ridge 1,2,3
refused 'is not a number' "$cca" x.csv y.csv -ridge 1,
refused 'is not a number' "$cca" x.csv y.csv -ridge 1,,2
refused 'is not a number' "$cca" x.csv y.csv -ridge 1e-3x
refused 'is not a number' "$cca" x.csv y.csv -ridge nan
refused 'is not a number' "$cca" x.csv y.csv -ridge inf
refused '-ridge_path needs a value' "$cca" x.csv y.csv -ridge_path
refused 'more than 64 numbers' "$cca" x.csv y.csv -ridge_path "$(seq -s, 1 65)"
refused '-tol needs a value' "$cca" x.csv y.csv -tol
refused 'is not a number' "$cca" x.csv y.csv -tol small
refused '-format needs a value' "$cca" x.csv y.csv -format
refused '-ridge needs a value' "$eps" -X x.csv -Y y.csv -ridge
refused 'more than 1 number' "$eps" -X x.csv -Y y.csv -ridge 1,2
refused '-true_tol needs a value' "$eps" -A diag.mtx -true_tol
refused '-m needs a value' "$eps" -generate fem2d -m
refused 'more than 3 numbers' "$eps" -generate fem3d -m 3,3,3,3
refused 'has no integer value' "$eps" -generate fem2d -m 3,x
refused '-eps_nev needs a value' "$eps" -A diag.mtx -eps_nev
refused '99999999999' "$eps" -A diag.mtx -eps_nev 9999999999999999999999
ranks 2 "$cca" x.csv y.csv -ridge 1,2,3 >out 2>err
[ $? != 0 ] && [ "$(grep -c '^napi-cca: ' err)" = 1 ] && [ ! -s out ]; ok $? "on two ranks one of them says it"
ranks 1 "$cca" x.csv y.csv -k 1 -ridge 1e-3,.5 >out 2>err
result=$?; ok $result "and what is right is taken"; [ $result = 0 ] || show err
grep -q 'ridge.*0\.5' out; ok $? "as it is meant"

# --- fewer pairs than wanted -----------------------------------------------------------------------------------

for np in 1 2; do
  ranks $np "$cca" line.csv y.csv -center -ridge 0 -k 2 -json j >out 2>err
  [ $? = 2 ] && grep -q '^There are 1 pairs* only, not 2' out && grep -q '"converged": 1' j
  result=$?; ok $result "$np ranks: napi-cca, data with one direction and two wanted"; [ $result = 0 ] || { show out; show err; }
  ranks $np "$cca" line.csv y.csv -center -ridge_path 0 -k 2 >out 2>err
  [ $? = 2 ]; ok $? "$np ranks: and along a path of ridges"
  for type in napi krylovschur lapack; do
    [ $np = 1 ] || [ $type != lapack ] || continue
    ranks $np "$eps" -A diag.mtx -eps_type $type -eps_nev 6 -json j >out 2>err
    [ $? = 2 ] && grep -q '^There are 4 pairs only, not 6' out && grep -q '"converged": 4' j
    result=$?; ok $result "$np ranks: napi-eps, $type, more pairs than unknowns"; [ $result = 0 ] || { show out; show err; }
  done
  ranks $np "$eps" -A diag.mtx -eps_type krylovschur -eps_nev 4 >out 2>err
  ok $? "$np ranks: as many as there are is a success"
done
for program in "$cca" "$eps"; do
  "$program" -h | grep -A 1 'Exit status' | tr '\n' ' ' | grep -q '2 .*fewer\|2 .*not all'; ok $? "$(basename "$program") -h says so"
done

# --- memory that runs out --------------------------------------------------------------------------------------

# a NumPy array of 3000 by 3000 numbers that are all the same; somewhere between too little memory and enough, reading it fails
{ printf '\223NUMPY\001\000\104\000%-67s\n' "{'descr': '<f8', 'fortran_order': False, 'shape': (3000, 3000)}"
  head -c 72000000 /dev/zero | tr '\0' '?'; } >same.npy
for memory in 200000 250000 300000 350000 400000 450000 500000 550000 600000 650000 700000 800000 900000 1000000; do
  (ulimit -v $memory 2>/dev/null; "$eps" -A same.npy -eps_type krylovschur >out 2>err)
  ! grep -q '^napi-eps: same.npy: ' err || break # before, there was not even enough to begin with
done
[ "$(wc -l <err)" = 1 ] && grep -q -e 'memory has run out: [0-9]* bytes' -e 'there is no memory for it: 3000 by 3000' err
result=$?; ok $result "memory that runs out: the file, and what was asked for"; [ $result = 0 ] || show err
rm same.npy

# --- what is in a file is text ---------------------------------------------------------------------------------

printf 'a\033[31m,b\n1,2\n2,1\n3,5\n5,3\n4,4\n6,9\n' | sed '1s/^/# a comment that is longer than what tells the format of a file\n/' >red.csv
printf 'c,d\n' | cat - y.csv | tr ' ' , >named.csv
ranks 1 "$cca" red.csv named.csv -center >out 2>err
[ $? = 0 ] && grep -q '^ .*X:.* a\\x1b\[31m' out && ! grep -q "$(printf '\033')" out
result=$?; ok $result "a name of a column with an escape sequence"; [ $result = 0 ] || show out
printf '1 2\n' >"$(printf 'x\033[1m\nnapi-cca: all is well')"
ranks 1 "$cca" "$(printf 'x\033[1m\nnapi-cca: all is well')" y.csv >out 2>err
[ $? = 1 ] && [ "$(wc -l <err)" = 1 ] && grep -q 'x\\x1b\[1m\\x0anapi-cca: all is well' err
result=$?; ok $result "a name of a file with an escape sequence and two lines"; [ $result = 0 ] || show err
finish
