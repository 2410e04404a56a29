#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# napi-cca -cv: what it says of samples left out is what -test says of them when their rows are taken out of the files; the best value is what
# remains; and options that make no sense are refused in a sentence.
. "$(dirname "$0")/tap.inc"
cca=$NAPI_BUILD/bin/napi-cca
examples=$(cd "$(dirname "$0")/../examples/data" && pwd)
cd "$scratch" || exit 1
unset PETSC_OPTIONS NAPI_PYTHON
x=$examples/lifestyle.csv y=$examples/health.csv

# numbers KEY FILE: those of an array of a JSON file, a line each
numbers() { tr -d ' \n' <"$2" | sed "s/.*\"$1\":\\[\\([^]]*\\)\\].*/\\1/" | tr ',' '\n'; echo; }
# near A B TOLERANCE: as many numbers in both files, and the same
near() { paste "$1" "$2" | awk -v t="$3" '{ if (NF != 2 || ($1 - $2) ^ 2 > t ^ 2) bad = 1 } END { exit bad || !NR }'; }
# refused WORDS COMMAND: the one sentence of a refusal has these words, and the status is 1
refused() { words=$1; shift; "$@" >out 2>err; [ $? = 1 ] && grep -q -e "$words" err && [ "$(wc -l <err)" = 1 ]; }

# three groups of people, by name; the file has a line for each
awk 'NR > 1 { print (NR % 3 == 0 ? "north" : NR % 3 == 1 ? "south" : "west") }' "$x" >groups.csv
for group in north south west; do
  for file in x y; do
    [ $file = x ] && data=$x || data=$y
    { head -n 1 "$data"; tail -n +2 "$data" | paste -d '|' groups.csv - | grep -v "^$group|" | cut -d '|' -f 2; } >"${file}_without_$group.csv"
    { head -n 1 "$data"; tail -n +2 "$data" | paste -d '|' groups.csv - | grep "^$group|" | cut -d '|' -f 2; } >"${file}_$group.csv"
  done
done
for how in '' '-scale' '-no_center'; do
  [ "$how" = -no_center ] && word=cosines || word=correlations
  : >by_hand
  for shrinkage in 0.3 0.01; do
    for group in north south west; do
      # shellcheck disable=SC2086
      "$cca" x_without_$group.csv y_without_$group.csv -test x_$group.csv y_$group.csv -k 2 $how -shrinkage $shrinkage -json hand.json >out 2>err || show err
      numbers test_$word hand.json >>by_hand
    done
  done
  for np in 1 2; do
    for type in direct napi; do
      # shellcheck disable=SC2086
      ranks $np "$cca" "$x" "$y" -folds groups.csv -k 2 $how -shrinkage_path 0.01,0.3 -cca_type $type -tol 1e-9 -cca_cv_tol 1e-9 -json cv.json >out 2>err
      numbers cv_fold_$word cv.json >by_cv
      near by_hand by_cv 1e-7
      ok $? "$np ranks, $type $how: samples of a fold have the correlations that -test finds when they are taken out" || { show err; show by_hand; show by_cv; }
    done
  done
done

"$cca" "$x" "$y" -scale -cv 5 -shrinkage 0.001,0.1,0.9 -json cv.json -out m >out 2>err
best=$(awk '$4 == "*" { print $1 }' out)
"$cca" "$x" "$y" -scale -shrinkage "$best" -json one.json >one 2>err
numbers correlations cv.json >a; numbers correlations one.json >b
near a b 1e-12; ok $? "three numbers after -shrinkage are a path, and the best of them, $best, is what remains" || show out
numbers cv_mean cv.json | sort -g | tail -n 1 >a; awk '$4 == "*" { print $2 }' out >b
near a b 1e-6; ok $? "the marked one has the highest mean" || show out
grep -q 'cross-validated' out; ok $? "the table has a column for the pairs" || show out
"$cca" "$x" "$y" -scale -cv 5 -shrinkage 0.001,0.1,0.9 -json again.json >again 2>err
numbers cv_fold_correlations cv.json >a; numbers cv_fold_correlations again.json >b
cmp -s a b; ok $? "once more: the same digits"
"$cca" "$x" "$y" -scale -cv 5 -cv_seed 1 -shrinkage 0.001,0.1,0.9 -json seed.json >again 2>err
numbers cv_fold_correlations seed.json >b
! cmp -s a b; ok $? "another seed: other folds"
"$cca" "$x" "$y" -scale -cv 5 -cv_one_se -shrinkage 0.001,0.1,0.9 >out 2>err
[ "$(awk '$4 == "*" { print $1 }' out)" = 0.9 ] && grep -q 'within a standard error' out
ok $? "one standard error: more caution" || show out
"$cca" "$x" "$y" -cv 4 -ridge_path 1,0.1 >out 2>err && grep -q '^ *ridge  *mean' out && grep -q -e 'With -ridge' out
ok $? "ridges can be chosen from, too" || show out
"$cca" "$x" "$y" -cv 4 -shrinkage auto >out 2>err && grep -q 'cross-validated' out && ! grep -q '\*' out
ok $? "without a path there is nothing to choose, but the correlations of samples left out are said" || show out

refused '2 at least' "$cca" "$x" "$y" -cv 1; ok $? "one fold: refused" || show err
refused 'use fewer' "$cca" "$x" "$y" -cv 500; ok $? "more folds than samples: refused" || show err
refused 'use fewer' "$cca" "$x" "$y" -cv 100; ok $? "folds of two: refused" || show err
refused 'add -cv' "$cca" "$x" "$y" -cv_one_se; ok $? "-cv_one_se alone: refused" || show err
refused 'leave out -cv' "$cca" "$x" "$y" -cv 5 -folds groups.csv; ok $? "-cv and -folds: refused" || show err
refused 'random or contiguous' "$cca" "$x" "$y" -cv 5 -cv_order sorted; ok $? "an order there is not: refused" || show err
sed 's/.*/all/' groups.csv >all.csv
refused 'same fold' "$cca" "$x" "$y" -folds all.csv; ok $? "all in one group: refused" || show err
head -n 10 groups.csv >few.csv
refused 'few.csv' "$cca" "$x" "$y" -folds few.csv; ok $? "a file with too few lines: refused" || show err
refused 'numbers only' "$cca" "$x" "$y" -cv 5 -shrinkage_path auto,0.1; ok $? "auto in a path: refused" || show err
refused 'leave out' "$cca" "$x" "$y" -cv 5 -shrinkage_path 0.1,0.2 -ridge 1; ok $? "shrinkages and a ridge: refused" || show err
finish
