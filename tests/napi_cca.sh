#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The program napi-cca: correlations that are known by construction, from every format and on every number of ranks; what
# it prints and writes; and that wrong input gets one sentence and no file.
. "$(dirname "$0")/tap.inc"
cca=$NAPI_BUILD/bin/napi-cca
examples=$(cd "$(dirname "$0")/../examples/data" && pwd)
cd "$scratch" || exit 1
python=${NAPI_PYTHON:-python3}
unset PETSC_OPTIONS NAPI_PYTHON

# value KEY FILE: a number or word of a JSON file; item N KEY FILE: the N-th number of an array
value() { sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" "$2"; }
item() { sed -n "s/^ *\"$2\": \[\(.*\)\].*/\1/p" "$3" | tr -d ' ' | cut -d, -f"$1"; }
# near A B TOLERANCE (relative)
near() { awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { exit !(a != "" && (a - b) ^ 2 <= (t * b) ^ 2) }'; }
# pairs FILE A B: the two correlations
pairs() { near "$(item 1 correlations "$1")" "$2" 1e-9 && near "$(item 2 correlations "$1")" "$3" 1e-9; }

# Columns of a Hadamard matrix of order 8 are orthogonal, have mean 0 and mean square 1. With them
#   X = [h1 h2],  Y = [.8 h1 + .6 h3, .5 h2 + sqrt(.75) h4]
# have covariances I, I and diag(.8,.5): the correlations are .8/(1+ridge) and .5/(1+ridge). Test data: .6 and 1.
table() { # table SEPARATOR COLUMNS: expressions in h[1] to h[7]
  awk -v OFS="$1" -v OFMT=%.17g 'function bit(i, k) { return int(i / k) % 2 }
    BEGIN { for (i = 0; i < 8; i++) {
      for (k = 1; k < 8; k++) h[k] = (bit(i,1)*bit(k,1) + bit(i,2)*bit(k,2) + bit(i,4)*bit(k,4)) % 2 ? -1 : 1
      print '"$2"' } }'
}
{ echo 'one,two'; table , 'h[1], h[2]'; } >x.csv
{ echo 'first;second'; table ';' '.8*h[1]+.6*h[3], .5*h[2]+sqrt(.75)*h[4]'; } >y.csv
table , '5+h[1]+h[2], 10*h[2]-3' >shifted.csv
table ' ' 'h[1], h[2]' >x2; table ' ' '.6*h[1]+.8*h[5], h[2]' >y2

for np in 1 2 3; do
  ranks $np "$cca" x.csv y.csv -k 2 -ridge 0 -json r.$np >out 2>err
  result=$?; ok $result "$np ranks: two tables"; [ $result = 0 ] || show err
  pairs r.$np .8 .5; ok $? "$np ranks: their correlations are the known ones"
  [ ! -s err ]; ok $? "$np ranks: nothing on standard error where it is no terminal"
  ranks $np "$cca" x.csv y.csv -ridge 0.25,1 -json r >out 2>err
  pairs r 0.505964425626941 0.316227766016838 # .8 and .5 over sqrt(1.25*2)
  ok $? "$np ranks: a ridge for each"
  ranks $np "$cca" shifted.csv y.csv -ridge 0 -center -json r >out 2>err
  pairs r .8 .5; ok $? "$np ranks: centred, in other coordinates"
  ranks $np "$cca" shifted.csv y.csv -ridge 0 -center -scale -json r >out 2>err
  pairs r .8 .5; ok $? "$np ranks: scaled"
  ranks $np "$cca" -X x.csv -Y y.csv -ridge 0 -test x2 y2 -center -json r >out 2>err
  near "$(item 1 test_correlations r)" .6 1e-9 && near "$(item 2 test_correlations r)" 1 1e-9
  result=$?; ok $result "$np ranks: correlations of test data"; [ $result = 0 ] || show err
done
ranks 1 "$cca" x.csv y.csv -k 2 -ridge 0 >out 2>err
grep -q '^X = x.csv: 8 samples x 2 variables, dense$' out && grep -q '^   1    0.80000000 ' out && grep -q '^   2    0.50000000 ' out
result=$?; ok $result "the table is printed"; [ $result = 0 ] || show out
grep -q '^   1   X: one [+-]1.00$' out && grep -q '^       Y: first [+-]1.00$' out && grep -q '^   2   X: two [+-]1.00$' out
result=$?; ok $result "with the names of the variables a pair is about"; [ $result = 0 ] || show out
if command -v python3 >/dev/null; then
  python3 -c 'import json,sys
d = json.load(open("r.2"))
need = "type correlations residuals A_columns B_columns passes seconds n d1 d2 ranks".split()
sys.exit(not all(k in d for k in need) or d["ranks"] != 2 or (d["n"], d["d1"], d["d2"]) != (8, 2, 2) or len(d["residuals"]) != 2 or max(d["residuals"]) > 1e-6 or not d["passes"] > 0 or not d["A_columns"] > 0)'
  ok $? "the JSON file is JSON, with all that belongs into it"
else skip "no python3" "the JSON file is JSON, with all that belongs into it"; fi

for np in 1 2; do
  ranks $np "$cca" x.csv y.csv -ridge_path 0,1,0.25 -test x2 y2 -json r >out 2>err
  [ "$(item 1 path_ridge r) $(item 2 path_ridge r) $(item 3 path_ridge r)" = '1 0.25 0' ] && near "$(item 1 path_sum r)" .65 1e-9 &&
    near "$(item 2 path_sum r)" 1.04 1e-9 && near "$(item 3 path_sum r)" 1.3 1e-9 && near "$(item 1 path_test_sum r)" 1.6 1e-9 && pairs r .8 .5
  result=$?; ok $result "$np ranks: several ridges, the largest first"; [ $result = 0 ] || show out
done

# Sparse tables for which napi is chosen: X'X/n = I, and Y is X but for signs, of which only the first column has none. The
# correlation is 1/(1+ridge); a ridge that the object has read before does not come back with the type
for name in one two; do
  awk -v name=$name 'BEGIN { print "%%MatrixMarket matrix coordinate real general"; print 600, 300, 600
    for (i = 1; i <= 600; i++) printf "%d %d %.17g\n", i, (i - 1) % 300 + 1, sqrt(300) * (name == "two" && i > 301 ? -1 : 1) }' >$name.mtx
done
ranks 1 "$cca" one.mtx two.mtx -k 1 -no_center -ridge_path 1,0.25 -cca_ridge 3 -json r >out 2>err
[ "$(value type r) $(item 1 path_ridge r) $(item 2 path_ridge r)" = 'napi 1 0.25' ] && near "$(item 1 path_sum r)" .5 1e-9 && near "$(item 2 path_sum r)" .8 1e-9
result=$?; ok $result "the ridges of a path are not those of the options"; [ $result = 0 ] || show out

# --- files -----------------------------------------------------------------------------------------------------

# The scores are data sets, too, which have the same correlations; and in every format they are read again
for np in 1 2 3; do
  for format in npy petsc mtx; do
    case $format in petsc) e=dat ;; *) e=$format ;; esac
    ranks $np "$cca" shifted.csv y.csv -center -ridge 0 -out o -format $format >out 2>err
    [ "$(ls | grep -c "^o_.*\.$e\$")" = 12 ] && [ -s o_model.json ] && [ -z "$(ls | grep -e '\.part' -e '\.info')" ]
    ok $? "$np ranks: -out writes the model and its scores, $format"
    ranks $np "$cca" o_x_scores.$e o_y_scores.$e -ridge 0 -json r >out 2>err; pairs r .8 .5
    result=$?; ok $result "$np ranks: which are read again, $format"; [ $result = 0 ] || show err
    rm -f o_*
  done
done
# u = (1,-1/10)', v = (1,0)' for X = [h1+h2, 10 h2] (centred), up to a common sign
ranks 2 "$cca" shifted.csv y.csv -center -ridge 0 -k 1 -out o -format mtx >out 2>err
awk 'NR == 3 { s = $1 < 0 ? -1 : 1 } NR == 3 && (s*$1 - 1)^2 > 1e-16 || NR == 4 && (s*$1 + .1)^2 > 1e-16 { bad = 1 } END { exit bad || NR != 4 }' o_U.mtx
result=$?; ok $result "the direction is the known one"; [ $result = 0 ] || show o_U.mtx
rm -f o_*
gzip -c x.csv >xz; gzip -c y.csv >yz
ranks 2 "$cca" xz yz -ridge 0 -json r >out 2>err; pairs r .8 .5; ok $? "compressed tables, by their content and not their name"
{ echo '%%MatrixMarket matrix coordinate real general'; echo 8 2 16; table ' ' 'h[1], h[2]' | awk '{ print NR, 1, $1; print NR, 2, $2 }'; } >x.mtx
ranks 2 "$cca" x.mtx y.csv -ridge 0 -json r >out 2>err; pairs r .8 .5 && grep -q '^X = .* sparse, 16 nonzeros' out
result=$?; ok $result "a sparse view and a dense one"; [ $result = 0 ] || show err
ranks 1 "$cca" "$examples/lifestyle.csv" "$examples/health.csv" -center -scale -k 3 >out 2>err
result=$?; ok $result "the example's data"; [ $result = 0 ] || show err
if command -v python3 >/dev/null; then
  mkdir copy && cp "$examples/make.py" copy && python3 copy/make.py && cmp -s copy/health.csv "$examples/health.csv" && cmp -s copy/lifestyle.csv "$examples/lifestyle.csv"
  ok $? "are what their script makes"
else skip "no python3" "are what their script makes"; fi

# --- picture ---------------------------------------------------------------------------------------------------

NAPI_PYTHON=/nonexistent/python ranks 2 "$cca" x.csv y.csv -plot p.png >out 2>err
[ $? = 0 ] && [ "$(grep -c '^napi-cca: no picture: .*install Python' err)" = 1 ] && [ ! -e p.png ]
result=$?; ok $result "no Python: one sentence, and the status of the solution"; [ $result = 0 ] || show err
mkdir empty && printf 'raise ImportError("no", name="matplotlib")\n' >empty/matplotlib.py && printf '' >empty/numpy.py
if command -v python3 >/dev/null; then
  PYTHONPATH=$scratch/empty ranks 1 "$cca" x.csv y.csv -plot p.png >out 2>err
  [ $? = 0 ] && grep -q "^napi-cca: no picture: Python's matplotlib is not there; get it by 'pip install matplotlib'" err && [ "$(wc -l <err)" = 1 ] && [ ! -e p.png ]
  result=$?; ok $result "no matplotlib: one sentence says how to get it"; [ $result = 0 ] || show err
else skip "no python3" "no matplotlib: one sentence says how to get it"; fi
if "$python" -c 'import numpy, matplotlib' 2>/dev/null; then
  NAPI_PYTHON=$python ranks 2 "$cca" x.csv y.csv -plot p.png -test x2 y2 >out 2>err
  [ $? = 0 ] && [ "$(head -c 4 p.png | tail -c 3)" = PNG ] && grep -q '^picture: p.png' out && [ ! -e p.png.part ]
  result=$?; ok $result "a picture"; [ $result = 0 ] || show err
else skip "no matplotlib" "a picture"; fi
ls /tmp/napi-cca-?????? >/dev/null 2>&1; [ $? != 0 ]; ok $? "no temporary folder is left"

# --- on a terminal ---------------------------------------------------------------------------------------------

if command -v script >/dev/null; then
  script -qec "$cca x.csv y.csv -ridge 0" /dev/null </dev/null >out 2>&1
  grep -q 'reading' out; ok $? "on a terminal it says what it does"
  script -qec "$cca $examples/lifestyle.csv $examples/health.csv -center -scale -cca_type napi" /dev/null </dev/null >out 2>&1
  grep -q 'step [0-9]*: [0-9] of 2 pairs' out && [ "$(tr '\r' '\n' <out | grep -c 'step.*pair.*correlation')" = 0 ]
  ok $? "and how far it is"
else skip "no script(1)" "on a terminal it says what it does, and how far it is"; fi

# --- not converged, wrong input --------------------------------------------------------------------------------

ranks 2 "$cca" x.csv y.csv -ridge 0.1 -tol 1e-300 -json r >out 2>err
[ $? = 2 ] && grep -q '^NOT CONVERGED: ' out && grep -q '"reason": "DIVERGED' r
result=$?; ok $result "out of reach: said in table, JSON and exit status"; [ $result = 0 ] || show out

ranks 2 "$cca" "$examples/lifestyle.csv" "$examples/health.csv" -cca_type napi -cca_max_it 1 -ridge 1e-6 -tol 1e-12 -k 1 >out 2>err
[ $? = 2 ] && grep -q '^NOT CONVERGED: 0 of 1 wanted.*DIVERGED_ITS' out
result=$?; ok $result "too few iterations"; [ $result = 0 ] || show out

table , 'h[1], h[2]' | sed 's/^\(.*\),.*$/\1,nan/;3q' >nan.csv
table , 'h[1]' | sed 5q >short.csv
printf 'no data at all\n' >garbage
head -c 100 "$NAPI_BUILD/bin/napi-cca" >program
printf '\223NUMPY\001\000\166\000{' >truncated.npy

# refused NP TEXT ARGUMENTS...: exit status not 0, one sentence on standard error that has TEXT in it, no file written
refused() {
  np=$1 text=$2; shift 2
  ranks $np "$cca" "$@" -out bad -json bad.json -plot bad.png >out 2>err
  status=$?
  # mpiexec may add its own lines about the status
  [ $status != 0 ] && [ $status != 2 ] && [ "$(grep -c '^napi-cca: ' err)" = 1 ] && grep '^napi-cca: ' err | grep -q -e "$text" &&
    ! grep -q 'PETSC ERROR' err && [ ! -s out ] && [ -z "$(ls | grep bad)" ]
  result=$?; ok $result "$np ranks, refused: $*"; [ $result = 0 ] || { show err; show out; rm -f bad*; }
}
for np in 1 2 3; do
  refused $np 'missing: cannot be opened: No such file' missing y.csv
  refused $np 'No such file' x.csv missing
  refused $np 'short.csv has 5 rows and y.csv has 8: row i of both must be the same sample' short.csv y.csv
  refused $np "nan.csv: line 1, column 2 is missing" nan.csv y.csv
  refused $np 'garbage: is neither' x.csv garbage
  refused $np 'program: is neither' program y.csv
  refused $np 'is truncated' truncated.npy y.csv
  refused $np 'same variables' x.csv y.csv -test short.csv short.csv
  refused $np 'same sample' x.csv y.csv -test short.csv y.csv
  refused $np "x.csv: has no column 'first', one of the variables" x.csv y.csv -test x.csv x.csv
  refused $np 'no CCA type' x.csv y.csv -cca_type none
  refused $np 'has no integer value' x.csv y.csv -k many
  refused $np '3 pairs are wanted, but with 2 and 2 columns' x.csv y.csv -k 3
done
refused 1 'two data sets are needed'
refused 1 'two data sets are needed' x.csv
refused 1 '3 pairs are wanted' -k 3 x.csv y.csv # options may come first
refused 1 'what is .z.csv' x.csv y.csv z.csv
refused 1 'needs a value' -Y y.csv -X
refused 1 'needs two files' x.csv y.csv -test x.csv
refused 1 'at least 1' x.csv y.csv -k 0
refused 1 'not negative' x.csv y.csv -ridge -1
refused 1 'not negative' x.csv y.csv -ridge 1,-1
refused 1 'not negative' x.csv y.csv -ridge_path 1,-1
refused 1 'leave out -ridge' x.csv y.csv -ridge_path 1,0 -ridge 1
refused 1 'positive' x.csv y.csv -tol 0
refused 1 'npy, petsc and mtx' x.csv y.csv -format xls
ranks 2 "$cca" x.csv y.csv -out nowhere/x >out 2>err
grep -q '^napi-cca: nowhere/x_U.npy: cannot be written: No such' err && ! grep -q 'PETSC ERROR' err && [ ! -s out ]
ok $? "a file that cannot be written is known before the solution"
ranks 1 "$cca" x.csv y.csv -cca_type none -traceback >out 2>err
[ $? != 0 ] && grep -q 'PETSC ERROR.*no CCA type' err; ok $? "-traceback shows PETSc's own account"

# --- help, leaks -----------------------------------------------------------------------------------------------

ranks 1 "$cca" -h >out 2>err
[ $? = 0 ] && head -n 1 out | grep -q '^napi-cca: what do two data sets share' && [ "$(wc -l <out)" -lt 40 ]; ok $? "-h is short"
ranks 1 "$cca" -help >out 2>err
[ $? = 0 ] && head -n 1 out | grep -q '^napi-cca: what do two data sets share' && grep -q -e '-cca_type' out
ok $? "-help has our options first, then the object's"

cp nan.csv bad_nan.csv; cp short.csv bad_short.csv; cp truncated.npy bad_truncated.npy
for arguments in 'x.csv y.csv -out o -json j -test x2 y2' 'x.mtx y.csv -center -scale -out o -format petsc' 'bad_nan.csv y.csv' 'bad_short.csv y.csv' 'x.csv bad_truncated.npy'; do
  ranks 1 "$cca" $arguments -malloc_dump -objects_dump >out 2>err
  status=$?
  case $arguments in *bad_*) [ $status != 0 ] ;; *) [ $status = 0 ] ;; esac && ! leaks out err
  ok $? "nothing is left: $arguments" || { show out; show err; }
done
finish
