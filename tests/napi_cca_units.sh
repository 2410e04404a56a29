#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The program napi-cca without ridge: units of columns do not matter; and bounds of the errors, in its description and as JSON.
. "$(dirname "$0")/tap.inc"
cca=$NAPI_BUILD/bin/napi-cca
cd "$scratch" || exit 1
unset PETSC_OPTIONS NAPI_PYTHON

item() { sed -n "s/^ *\"$2\": \[\(.*\)\].*/\1/p" "$3" | tr -d ' ' | cut -d, -f"$1"; }
near() { awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { exit !(a != "" && (a - b) ^ 2 <= (t * b) ^ 2) }'; }

# h1, h2, ... are orthogonal and have mean 0 and mean square 1. Population, income and a rate: of the last one Y knows .9.
table() { # table COLUMNS: expressions in h[1] to h[7]
  awk -v OFS=, -v OFMT=%.17g 'function bit(i, k) { return int(i / k) % 2 }
    BEGIN { for (i = 0; i < 8; i++) {
      for (k = 1; k < 8; k++) h[k] = (bit(i,1)*bit(k,1) + bit(i,2)*bit(k,2) + bit(i,4)*bit(k,4)) % 2 ? -1 : 1
      print '"$1"' } }'
}
table '5e7*(3+h[1]), 4e4*(5+h[2]), 1e-3*(2+h[3])' >countries.csv
table '.9*h[3]+sqrt(.19)*h[4], .3*h[1]+sqrt(.91)*h[5]' >y.csv

for np in 1 2; do
  for type in direct napi eps; do
    ranks $np "$cca" countries.csv y.csv -k 2 -ridge 0 -center -cca_type $type -json out.json >out.txt 2>&1
    ok $? "$type, $np ranks: columns of 5e7, 4e4 and 1e-3"
    near "$(item 1 correlations out.json)" .9 1e-9 && near "$(item 2 correlations out.json)" .3 1e-9
    ok $? "$type, $np ranks: the rate counts as much as the population"
  done
done

"$cca" countries.csv y.csv -k 2 -ridge 0 -center -cca_type direct -cca_check certify -cca_view -json out.json >out.txt 2>&1
ok $? "bounds of the errors"
awk -v b="$(item 1 error_bounds out.json)" 'BEGIN { exit !(b != "" && b > 0 && b < 1e-9) }'
ok $? "they are part of the JSON file"
grep -q 'correlation 1: 0.9000000000, wrong by at most' out.txt
ok $? "and of the description"
"$cca" countries.csv y.csv -k 2 -ridge 0 -center -cca_type napi -cca_check certify -cca_view -json out.json >out.txt 2>&1
[ "$(item 1 error_bounds out.json)" = null ] && grep -q 'no bound of its error is known without ridge' out.txt
ok $? "where none is known, both say so"
"$cca" countries.csv y.csv -k 2 -ridge 0 -center -json out.json >out.txt 2>&1
! grep -q error_bounds out.json
ok $? "without -cca_check certify there are none"
finish
