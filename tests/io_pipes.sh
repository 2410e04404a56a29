#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Input from a pipe, in which one cannot seek: named pipes and standard input, every format, compressed or not, on one and
# several ranks; the answers are those of the same data in files.
. "$(dirname "$0")/tap.inc"
eps=$NAPI_BUILD/bin/napi-eps cca=$NAPI_BUILD/bin/napi-cca
cd "$scratch" || exit 1
unset PETSC_OPTIONS

first() { sed -n "s/^ *\"$1\": \[\([^],]*\).*/\1/p" "$2"; }
near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && (a - b) ^ 2 <= (1e-9 * b) ^ 2) }'; }
# feed PIPE FILE: writes a file into a pipe, for one reader
feed() { rm -f "$1"; mkfifo "$1" && { timeout 60 cat "$2" >"$1" & }; }

# Largest eigenvalue 5; correlation .8 (x is a column of signs, y is .8 x + .6 z with z orthogonal to it)
printf '%%%%MatrixMarket matrix coordinate real symmetric\n4 4 4\n1 1 1\n2 2 2\n3 3 3\n4 4 5\n' >a.mtx
gzip -c a.mtx >a.gz
printf '1\n1\n-1\n-1\n' >x.csv
printf '1.4\n.2\n-.2\n-1.4\n' >y.csv
"$cca" x.csv y.csv -ridge 0 -k 1 -out o -format npy >out 2>err # scores as a NumPy array, whose correlation is the same
ok $? "data sets from files" || show err
# longer than what a pipe holds, and than a buffer of the copy
awk 'BEGIN { n = 20000; print "%%MatrixMarket matrix coordinate real symmetric"; print n, n, n; for (i = 1; i <= n; i++) print i, i, i == 15001 ? 7 : 1 / i }' >long.mtx

for np in 1 2 3; do
  for file in a.mtx a.gz; do
    feed pipe $file
    ranks $np "$eps" -A pipe -json j >out 2>err && near "$(first eigenvalues j)" 5
    ok $? "$np ranks: a matrix from a pipe, $file" || show err
    rm -f j
  done
  feed pipe long.mtx
  ranks $np "$eps" -A pipe -json j >out 2>err && near "$(first eigenvalues j)" 7
  ok $? "$np ranks: one longer than a pipe" || show err
  rm -f j
  for file in x.csv o_x_scores.npy; do
    feed pipe $file
    ranks $np "$cca" pipe y.csv -ridge 0 -k 1 -json j >out 2>err && near "$(first correlations j)" .8
    ok $? "$np ranks: a data set from a pipe, $file" || show err
    rm -f j
  done
  feed pipe x.csv; feed pipe2 y.csv
  ranks $np "$cca" pipe pipe2 -ridge 0 -k 1 -json j >out 2>err && near "$(first correlations j)" .8
  ok $? "$np ranks: both from pipes" || show err
  rm -f j
done
"$eps" -A /dev/stdin -json j <a.mtx >out 2>err && near "$(first eigenvalues j)" 5
ok $? "standard input that is a file" || show err
rm -f j
cat a.mtx | "$eps" -A /dev/stdin -json j >out 2>err && near "$(first eigenvalues j)" 5
ok $? "standard input that is a pipe" || show err

# wrong input from a pipe is refused like that from a file
head -c 70 a.mtx >cut
for file in cut /dev/null; do
  feed pipe $file
  ranks 1 "$eps" -A pipe >out 2>err
  [ $? != 0 ] && [ "$(grep -c '^napi-eps: pipe: ' err)" = 1 ] && ! grep -q 'PETSC ERROR' err
  ok $? "refused from a pipe: $file" || show err
done
wait
finish
