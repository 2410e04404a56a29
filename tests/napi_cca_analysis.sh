#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# napi-cca -analysis pls, lda, pca and gev: answers that are known by construction on every number of ranks, models that are applied to the same
# digits, and input that an analysis cannot use.
. "$(dirname "$0")/tap.inc"
cca=$NAPI_BUILD/bin/napi-cca
cd "$scratch" || exit 1
unset PETSC_OPTIONS NAPI_PYTHON

item() { sed -n "s/^ *\"$2\": \[\(.*\)\].*/\1/p" "$3" | tr -d ' "' | cut -d, -f"$1"; }
near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && (a - b) ^ 2 <= (1e-9 * b) ^ 2) }'; }
refused() { words=$1; shift; "$@" >out 2>err; [ $? = 1 ] && grep -q -e "$words" err && [ "$(wc -l <err)" = 1 ]; }

# Columns of a Hadamard matrix of order 8 are orthogonal, have mean 0 and mean square 1. With c = cos, s = sin of an angle the variables of X
# are a rotation of 3 h1 and h2; those of Y one of h1/2 and 2 h2. classes: h4, which X does not know but for its third variable.
table() {
  awk -v OFS=, -v OFMT=%.17g 'function bit(i, k) { return int(i / k) % 2 }
    BEGIN { c = .6; s = .8; for (i = 0; i < 8; i++) {
      for (k = 1; k < 8; k++) h[k] = (bit(i,1)*bit(k,1) + bit(i,2)*bit(k,2) + bit(i,4)*bit(k,4)) % 2 ? -1 : 1
      print '"$1"' } }'
}
{ echo 'a,b'; table '7+c*3*h[1]-s*h[2], s*3*h[1]+c*h[2]'; } >x.csv
{ echo 'a,b'; table 'c*h[1]/2-s*2*h[2], 5+s*h[1]/2+c*2*h[2]'; } >y.csv
{ cat y.csv; tail -n 8 y.csv; } >longer.csv # the same variances, from other samples
{ echo 'p,q,r'; table '2*h[4]+h[1], h[2], h[4]+3*h[3]'; } >z.csv
{ echo 'class'; table '(h[4] > 0 ? "yes" : "no")'; } >class.csv
table '(h[4] > 0 ? "yes" : "maybe")' >other.csv

for np in 1 2 3; do
  # the cross-covariance is the rotation times diag(3/2, 2) times another one, hence these singular values
  ranks $np "$cca" x.csv y.csv -analysis pls -json r -out pls >out 2>err
  [ $? = 0 ] && near "$(item 1 covariances r)" 2 && near "$(item 2 covariances r)" 1.5
  ok $? "$np ranks: pls" || show err
  ranks $np "$cca" x.csv -analysis pca -json r -out pca >out 2>err
  [ $? = 0 ] && near "$(item 1 variances r)" 9 && near "$(item 2 variances r)" 1 && grep -q '"total_variance": 10' r && grep -q ' 90.00 %' out
  ok $? "$np ranks: pca, of one file" || show out
  ranks $np "$cca" x.csv longer.csv -analysis gev -ridge 0 -json r -out gev >out 2>err
  [ $? = 0 ] && near "$(item 1 ratios r)" 36 && near "$(item 2 ratios r)" .25
  ok $? "$np ranks: gev, of 8 and 16 samples" || show err
  # the same from Y in another order of its columns, and with weights: every second sample of X counts three times, and Y has weights for what is there twice
  awk -F, -v OFS=, '{ print $2, $1 }' y.csv >turned.csv
  awk 'BEGIN { for (i = 0; i < 8; i++) print i % 2 ? 3 : 1 }' >w3; { cat x.csv; for i in 3 5 7 9; do sed -n "${i}p;${i}p" x.csv; done; } >x3.csv
  ranks $np "$cca" x3.csv longer.csv -analysis gev -ridge .5 -json r2 >out 2>err &&
    ranks $np "$cca" x.csv turned.csv -analysis gev -ridge .5 -weights_x w3 -json r >out 2>err && near "$(item 1 ratios r)" "$(item 1 ratios r2)" && near "$(item 2 ratios r)" "$(item 2 ratios r2)" &&
    grep -q '^samples of X are weighted by w3' out
  ok $? "$np ranks: gev, weighted, of columns in another order" || { show out; show err; }
  ranks $np "$cca" longer.csv x3.csv -analysis gev -ridge .5 -json r2 >out 2>err &&
    ranks $np "$cca" y.csv x.csv -analysis gev -ridge .5 -weights_y w3 -json r >out 2>err && near "$(item 1 ratios r)" "$(item 1 ratios r2)" && near "$(item 2 ratios r)" "$(item 2 ratios r2)"
  ok $? "$np ranks: gev, with weights of Y" || { show out; show err; }
  # Sb = diag(4,0,1) + 2 off the diagonal, Sw = diag(1,1,9): m'Sw^-1 m with m = (2,0,1) is 4 + 1/9
  ranks $np "$cca" z.csv class.csv -analysis lda -shrinkage 0 -test z.csv class.csv -json r -out lda >out 2>err
  [ $? = 0 ] && near "$(item 1 discriminants r)" 4.11111111111111 && [ "$(item 1 classes r) $(item 2 classes r)" = 'no yes' ] && grep -q '"test_accuracy": 1,' r &&
    [ "$(item 1-4 test_confusion r)" = 4,0,0,4 ]
  ok $? "$np ranks: lda, with classes that are words" || show out
  all=0
  for model in pls pca gev lda; do
    case $model in pls) files='x.csv y.csv' ;; pca) files=x.csv ;; gev) files='x.csv longer.csv' ;; *) files='z.csv class.csv' ;; esac
    # shellcheck disable=SC2086
    ranks $np "$cca" -apply $model $files -out again >out 2>err || { all=1; show err; }
    for file in again_*_scores.npy; do cmp "$file" "$model${file#again}" || all=1; done
    [ $model = lda ] || rm -f again_*
  done
  ok $all "$np ranks: their models give the same scores again"
  tail -n 8 class.csv | cmp - again_classes.csv && grep -q ' 8 are taken for what they are: 100.00 %' out
  ok $? "$np ranks: and the classes that samples are taken for" || show out
  rm -f again_*
done
[ ! -e pca_V.npy ] && [ ! -e lda_V.npy ] && [ ! -e gev_V.npy ] && [ -s gev_y_scores.npy ] && [ -s lda_class_means.npy ] && [ -s pls_V.npy ]
ok $? "models have the files that their analysis has"

refused "knows cca, pls, lda, pca and gev, not 'ica'" "$cca" x.csv y.csv -analysis ica; ok $? "an analysis that is none" || show err
refused "what is 'y.csv'" "$cca" x.csv y.csv -analysis pca; ok $? "pca of two files" || show err
refused 'two data sets' "$cca" x.csv -analysis pls; ok $? "pls of one" || show err
refused 'leave out -ridge' "$cca" x.csv y.csv -analysis pls -ridge 1; ok $? "pls with a ridge" || show err
refused 'leave out -no_center' "$cca" z.csv class.csv -analysis lda -no_center; ok $? "lda that is not centred" || show err
{ echo 'a,b'; table '7+h[1], 5'; } >flat.csv
refused 'Column 2 varies in X and not in Y, so that the ratio of its variances is infinite: leave it out, or' "$cca" x.csv flat.csv -analysis gev -ridge 0; ok $? "gev where a column of Y is constant" || show err
head -n 3 y.csv >short.csv
refused 'Y has 2 samples and 2 variables.*such as 0.01' "$cca" x.csv short.csv -analysis gev -shrinkage 0; ok $? "gev where Y has too few samples" || show err
"$cca" x.csv short.csv -analysis gev >out 2>err; ok $? "which a shrinkage mends" || show out
refused 'weights_x and -weights_y' "$cca" x.csv y.csv -analysis gev -weights w3; ok $? "gev with one weight for samples of both" || show err
refused 'are for -analysis gev' "$cca" x.csv y.csv -weights_x w3; ok $? "weights of one view" || show err
refused 'leave it out' "$cca" x.csv y.csv -analysis gev -scale; ok $? "gev that is scaled" || show err
refused "z.csv: has no column 'a', one of the variables that are wanted" "$cca" x.csv z.csv -analysis gev; ok $? "gev of other variables" || show err
tail -n +2 z.csv >z0.csv
refused 'z0.csv has 3 columns, x.csv 2: they must be the same variables' "$cca" x.csv z0.csv -analysis gev; ok $? "or of another number of them" || show err
refused "class 'maybe', which class.csv does not have" "$cca" z.csv class.csv -analysis lda -test z.csv other.csv; ok $? "test data of another class" || show err
refused "class 'maybe', which the model does not have" "$cca" -apply lda z.csv other.csv -out b; ok $? "a model applied to another class" || show err
refused 'ask for at most that many' "$cca" z.csv class.csv -analysis lda -k 2; ok $? "more discriminants than there are" || show err
"$cca" z.csv class.csv -analysis lda -shrinkage 0 -ridge_path 1,2 >out 2>err; [ $? = 1 ]; ok $? "a path of ridges is for canonical correlations"
table 'h[4], h[1]' >perfect.csv
"$cca" perfect.csv class.csv -analysis lda -shrinkage 0 >out 2>err
[ $? = 2 ] && grep -q 'NOT CONVERGED.*nothing varies within the classes; -shrinkage 0.1 helps' out; ok $? "classes without any variance" || show out
finish
