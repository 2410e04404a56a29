#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The experiment of the paper's Figure 1 in small: it runs, the curves say what they should, bad input is told.
. "$(dirname "$0")/tap.inc"
here=$(cd "$(dirname "$0")/.." && pwd)
program=$NAPI_BUILD/figure1/figure1

"$program" -data xrmb -rows 1500 -passes 120 -quick -ridge 1e-3 -csv "$scratch/a.csv" >"$scratch/out" 2>&1
ok $? 'a panel runs' || show "$scratch/out"
for system in AppGrad CCALin ALS-VR SI-VR NAPI 'NAPI optimal, block CG'; do
  n=$(grep -c "\"$system\"" "$scratch/a.csv")
  test "$n" -ge 3; ok $? "$system: $n points"
done
# fields counted from the end, because a name has a comma in it
awk -F, 'NR > 1 { p = $(NF-1); s = $NF; k = $0; sub(/,[^,]*,[^,]*$/, "", k); if (k == last && p <= before) bad = 1; if (!(s ~ /^[0-9]/ && s >= 0 && s <= 1)) bad = 1; last = k; before = p } END { exit bad }' "$scratch/a.csv"
ok $? 'passes increase along each curve, and suboptimality lies between 0 and 1'
best() { awk -F, -v name="\"$1\"" 'index($0, name) { if (!n++ || $NF < m) m = $NF } END { print m }' "$scratch/a.csv"; }
awk -v a="$(best 'NAPI optimal, block CG')" -v b="$(best CCALin)" -v c="$(best ALS-VR)" -v d="$(best AppGrad)" 'BEGIN { exit !(a < 1e-8 && a < b && a < c && a < d) }'
ok $? 'optimal momentum is below 1e-8 and ahead of CCALin, ALS-VR and AppGrad'

"$program" -data nonsense -csv "$scratch/b.csv" >"$scratch/out" 2>&1; test $? -ne 0 && grep -q 'must be mnist, tmc2007 or xrmb' "$scratch/out"
ok $? 'other data are refused'
"$program" -data mnist -dir "$scratch" -csv "$scratch/b.csv" >"$scratch/out" 2>&1; test $? -ne 0 && grep -q 'must name the folder of the data' "$scratch/out"
ok $? 'data that are not there are told'

mkdir -p "$scratch/p/quick" && cp "$scratch/a.csv" "$scratch/p/quick/xrmb-1e-3.csv"
python3 "$here/examples/figure1/figure1.py" "$program" --out "$scratch/p" --quick --draw >"$scratch/out" 2>&1
ok $? 'the script tells or draws what there is' || show "$scratch/out"
grep -q '^| XRMB-like | 1e-3 |' "$scratch/p/quick/table.md"; ok $? 'the table has a row for it'
if python3 -c 'import matplotlib' 2>/dev/null; then test -s "$scratch/p/quick/figure1.png"; ok $? 'the figure is drawn'
else grep -q 'pip install matplotlib' "$scratch/out"; ok $? 'without matplotlib a sentence says how to get it'; fi

# What the paper claims, on a part of MNIST: passes to 1e-4
claim='10,000 digits: NAPI takes at most half the passes of CCALin and of ALS-VR, optimal momentum at most a third of those'
if [ -d "$NAPI_DATA/mnist" ]; then
  reached() { awk -F, -v name="\"$1\"" 'index($0, name) && $NF <= 1e-4 { print $(NF-1); found = 1; exit } END { if (!found) print 250 }' "$scratch/a.csv"; }
  for ridge in 1e-3 1e-5; do
    "$program" -data mnist -dir "$NAPI_DATA" -rows 10000 -passes 250 -quick -ridge $ridge -csv "$scratch/a.csv" >"$scratch/out" 2>&1 &&
    awk -v a="$(reached 'NAPI optimal, block CG')" -v n="$(reached NAPI)" -v b="$(reached CCALin)" -v c="$(reached ALS-VR)" 'BEGIN { exit !(2*n <= b && 2*n <= c && 3*a <= n) }'
    status=$?
    ok $status "$claim, ridge $ridge"
    [ $status = 0 ] || show "$scratch/out"
  done
else
  skip "there is no $NAPI_DATA/mnist" "$claim"
fi
finish
