#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What napi-cca says must be what the numbers are: the correlation in the sentence is that of the scores, shrinkage and ridge are told in
# numbers, units of a view do not matter, means are taken off unless told otherwise, and then it is cosines that are spoken of.
. "$(dirname "$0")/tap.inc"
cca=$NAPI_BUILD/bin/napi-cca
examples=$(cd "$(dirname "$0")/../examples/data" && pwd)
cd "$scratch" || exit 1
unset PETSC_OPTIONS NAPI_PYTHON

item() { sed -n "s/^ *\"$2\": \[\(.*\)\].*/\1/p" "$3" | tr -d ' ' | cut -d, -f"$1"; }
value() { sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" "$2"; }
near() { awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { exit !(a != "" && (a - b) ^ 2 <= (t * b) ^ 2) }'; }
# correlate N CENTER: correlation (or cosine) of the first columns of two Matrix Market arrays of N rows
correlate() {
  for view in x y; do grep -v '^%' o_${view}_scores.mtx | tail -n +2 | head -n "$1"; done |
    awk -v n="$1" -v c="$2" '{ v[NR] = $1 } END {
      for (i = 1; i <= n; i++) { a += c * v[i] / n; b += c * v[n + i] / n }
      for (i = 1; i <= n; i++) { s += (v[i]-a)^2; t += (v[n+i]-b)^2; r += (v[i]-a)*(v[n+i]-b) }
      printf "%.15g\n", r / sqrt(s * t) }'
}
x=$examples/lifestyle.csv y=$examples/health.csv

for np in 1 2; do
  ranks $np "$cca" "$x" "$y" -scale -shrinkage 0.5 -out o -format mtx -json r >out 2>err
  r=$(correlate 200 1)
  near "$(item 1 pearson r)" "$r" 1e-10 && ! near "$(item 1 correlations r)" "$r" 0.1 && [ "$(value center r)" = true ] && near "$(item 2 shrinkage r)" .5 1e-15 && near "$(item 1 ridge r)" 1 1e-12
  result=$?; ok $result "$np ranks: the correlation of the scores is that of the scores which are written, $r"; [ $result = 0 ] || { show out; show r; }
  grep -q "first pair have a correlation of $(printf %.4f "$r")\$" out && grep -q 'canonical *Pearson *residual' out && grep -q '^shrinkage 0.5: 1 added to the variances; centred, scaled' out && ! grep -q 'no two have more\|columns multiplied' out
  result=$?; ok $result "$np ranks: so say the table and the sentence"; [ $result = 0 ] || show out
  ranks $np "$cca" "$x" "$y" -scale -shrinkage 0.5 -no_center -out o -format mtx -test "$x" "$y" -json r >out 2>err
  r=$(correlate 200 0)
  near "$(item 1 cosines r)" "$r" 1e-10 && near "$(item 1 test_cosines r)" "$r" 1e-10 && [ "$(value center r)" = false ] && ! grep -q '"pearson"\|"test_correlations"' r
  result=$?; ok $result "$np ranks: not centred, cosines"; [ $result = 0 ] || { show out; show r; }
  grep -q "first pair have a cosine of $(printf %.4f "$r")\$" out && grep -q 'canonical *cosine *on test data' out && ! grep -q 'Pearson\|a correlation of' out
  result=$?; ok $result "$np ranks: not centred, table and sentences speak of cosines"; [ $result = 0 ] || show out
done

ranks 1 "$cca" "$x" "$y" -shrinkage 0 -json r >out 2>err
near "$(item 1 pearson r)" "$(item 1 correlations r)" 1e-12 && grep -q 'no two have more' out && grep -q '^no regularisation; centred' out
result=$?; ok $result "without shrinkage the two correlations are one, and no two scores have more"; [ $result = 0 ] || show out
ranks 1 "$cca" "$x" "$y" -cca_view >out 2>err
grep -q 'columns through both views: ' out; ok $? "-cca_view has the columns multiplied" || show out

# A view in other units; a view whose variables are in different units
awk -F, -v OFS=, -v OFMT=%.17g 'NR > 1 { for (i = 1; i <= NF; i++) $i = 1e-6 * $i } { print }' "$x" >small.csv
ranks 1 "$cca" "$x" "$y" -json r1 >out1 2>err && ranks 1 "$cca" small.csv "$y" -json r2 >out2 2>err
near "$(item 1 correlations r2)" "$(item 1 correlations r1)" 1e-9 && near "$(item 2 pearson r2)" "$(item 2 pearson r1)" 1e-9
result=$?; ok $result "a view times 1e-6 gives the same correlations"; [ $result = 0 ] || { show out1; show out2; }
grep -q '^WARNING: the regularisation takes most of pair 2 away.*-scale' out1 && grep -q '"warning": "WARNING: the reg' r1; ok $? "variables in different units: a warning names -scale" || show out1
ranks 1 "$cca" "$x" "$y" -scale -json r1 >out1 2>err; ! grep -q WARNING out1 r1; ok $? "with -scale there is none" || show out1

# As many variables as samples
head -n 7 "$x" >few.csv; head -n 7 "$y" >fewer.csv
ranks 1 "$cca" few.csv fewer.csv -scale >out 2>err
grep -q '^WARNING: there are not more samples (6) than variables of X (6).*-permutations.*-cv' out; ok $? "as many variables as samples: a warning, and what to do" || show out
ranks 1 "$cca" "$x" "$y" -scale -shrinkage auto -json r >out 2>err
awk -v s="$(item 1 shrinkage r)" 'BEGIN { exit !(s > 0.001 && s < 0.2) }' && grep -q '^shrinkage 0\.0' out; ok $? "-shrinkage auto tells its estimate" || show out

# Bootstrap: the same intervals on any number of ranks, around the correlations; other ones with another seed
for np in 1 2; do
  ranks $np "$cca" "$x" "$y" -scale -bootstrap 50 -json r$np >out 2>err
  awk -v l="$(item 1 pearson_low r$np)" -v p="$(item 1 pearson r$np)" -v h="$(item 1 pearson_high r$np)" -v c="$(item 2 correlations_low r$np)" -v d="$(item 2 correlations_high r$np)" 'BEGIN { exit !(0.7 < l && l < p && p < h && h < 0.9 && 0.5 < c && c < d && d < 0.8) }' &&
    near "$(item 2 pearson_low r$np)" "$(item 2 pearson_low r1)" 1e-9 && [ "$(value bootstrap_failed r$np)" = 0 ] && grep -q '^Bootstrap: 50 data sets' out && [ "$(grep -c '[0-9] to *[0-9]' out)" = 2 ]
  result=$?; ok $result "$np ranks: intervals of 50 bootstrap samples"; [ $result = 0 ] || { show out; show r$np; }
done
ranks 1 "$cca" "$x" "$y" -scale -bootstrap 50 -bootstrap_seed 7 -cca_view -cca_monitor -json r2 >out 2>err
! near "$(item 2 pearson_low r2)" "$(item 2 pearson_low r1)" 1e-9 && [ "$(grep -c 'CCA Object' out)" = 1 ]; ok $? "another seed, other intervals; one object is described, not 51" || show out

# --- bad input ---
refused() { # refused WORDS OPTIONS: one sentence with these words
  words=$1; shift
  ranks 1 "$cca" "$x" "$y" "$@" >out 2>err
  [ $? = 1 ] && [ "$(wc -l <err)" = 1 ] && grep -q -e "$words" err && [ ! -s out ]; ok $? "refused: $*" || { show out; show err; }
}
refused 'leave out one' -shrinkage 0.1 -ridge 1
refused 'leave out one' -shrinkage 0.1 -ridge_path 1,2
refused 'contradict' -center -no_center
refused 'analysis pls' -shrinkage 1
refused 'less than 1' -shrinkage 2
refused 'less than 1' -shrinkage -0.1
refused 'not a number' -shrinkage much
refused 'not a number' -shrinkage .1,
refused 'numbers only' -shrinkage .1,auto,.3
refused 'needs a value' -shrinkage
refused 'at least 2' -bootstrap 1
refused 'has no integer' -bootstrap many
finish
