#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The model outlives the run: what napi-cca -out writes is what napi-cca -apply needs to score samples, to the same digits, in any
# format and on any number of ranks; and samples that do not belong to the model are refused.
. "$(dirname "$0")/tap.inc"
cca=$NAPI_BUILD/bin/napi-cca
examples=$(cd "$(dirname "$0")/../examples/data" && pwd)
cd "$scratch" || exit 1
unset PETSC_OPTIONS NAPI_PYTHON
x=$examples/lifestyle.csv y=$examples/health.csv

# says WORDS FILE...: the one sentence of a refusal has these words, and the status is 1
refused() { words=$1; shift; "$@" >out 2>err; [ $? = 1 ] && grep -q -e "$words" err && [ "$(wc -l <err)" = 1 ]; }

# same ONE TWO: the same numbers in two .npy files but for what a processor rounds otherwise where the rows of a product are shared out otherwise
same() {
  for f; do od -An -v -tf8 -w8 -j128 "$f" >"$f.txt"; done
  paste "$1.txt" "$2.txt" | awk 'NF != 2 || ($1 - $2) ^ 2 > 1e-26 { bad = 1 } END { exit bad || !NR }'
}

for np in 1 2 3; do
  for how in '' '-scale' '-format mtx' '-format petsc -ridge 0'; do
    rm -f m_* a_*
    # shellcheck disable=SC2086
    ranks $np "$cca" "$x" "$y" -k 3 -center $how -out m >out 2>err && ranks $np "$cca" -apply m "$x" "$y" -out a >out 2>err
    result=$?; ok $result "$np ranks: a model is written and applied: -center $how" || show err
    all=0
    for file in a_x_scores.* a_y_scores.*; do cmp "$file" "m${file#a}" || all=1; done
    ok $all "$np ranks: the samples it was made from get the same scores, digit for digit"
  done
done

# one view alone, and the same numbers in another format and order of the arguments
"$cca" "$x" "$y" -center -scale -out m >out 2>err
awk -F, 'NR == 1 { for (i = 1; i < NF; i++) printf "%s;", $i; print $NF; next } { gsub(/,/, ";"); print }' "$x" >semicolons.csv
"$cca" semicolons.csv -apply m -out alone >out 2>err
cmp m_x_scores.npy alone_x_scores.npy && [ ! -e alone_y_scores.npy ]
ok $? "X alone, from another file and in front of the options" || show err
head -n 11 "$x" >ten.csv
"$cca" -apply m ten.csv -out ten >out 2>err
{ od -An -v -tf8 -w8 -j128 -N160 m_x_scores.npy; od -An -v -tf8 -w8 -j128 ten_x_scores.npy; } >numbers
awk '{ a[NR] = $1 } END { for (i = 1; i <= 20; i++) if ((a[i] - a[20 + i]) ^ 2 > 1e-26) exit 1; exit NR != 40 }' numbers
ok $? "ten samples alone: means and scales are those of the model" || show err

"$cca" "$x" "$y" -drop_x tv_hours,coffee_cups -out d >out 2>err && "$cca" -apply d "$x" "$y" -drop_x tv_hours,coffee_cups -out e >out 2>err
cmp d_x_scores.npy e_x_scores.npy; ok $? "variables that were left out are left out again" || show err
"$cca" -apply d "$x" -out e >out 2>err && cmp d_x_scores.npy e_x_scores.npy && grep -q '^.*lifestyle.csv: 2 of its columns, which are not asked for, were left out' out
ok $? "also unasked, since the model has the names of its variables" || show err
tail -n +2 "$x" >nameless.csv
refused 'has 6 columns, the model 4' "$cca" -apply d nameless.csv -out b; ok $? "which a file without names needs" || show err
refused '-missing mean fills gaps' "$cca" -apply m "$x" -missing drop -out b; ok $? "no sample may be lost" || show err

# samples as they come: an index that counts or does not, columns in another order, others besides, one of them text; the names tell which is which
awk -F, -v OFS=, 'NR == 1 { print "", "who", $6, $5, $4, $3, $2, $1; next } { print (NR * 7) % 11, "member", $6, $5, $4, $3, $2, $1 }' "$x" >shuffled.csv
awk -F, -v OFS=, 'NR == 1 { print "", $0; next } { print NR - 2, $0 }' "$y" >indexed.csv
"$cca" "$x" "$y" -scale -out m >out 2>err
for np in 1 2 3; do
  rm -f s_*; ranks $np "$cca" -apply m shuffled.csv indexed.csv -out s >out 2>err && same m_x_scores.npy s_x_scores.npy && same m_y_scores.npy s_y_scores.npy
  ok $? "$np ranks: columns are told by their names, in any order, with others besides and an index" || show err
done
"$cca" -apply m nameless.csv -out s >out 2>err && cmp m_x_scores.npy s_x_scores.npy && grep -q '^nameless.csv: its columns have no names, and are taken for the variables of the model in their order' out
ok $? "without names by their order, which is said" || show out
refused "its column 'sleep_hours' is one of the variables that are wanted: do not leave it out" "$cca" -apply m "$x" -drop sleep_hours -out b; ok $? "a variable of the model may not be left out" || show err
awk -F, -v OFS=, '{ print $0, $1 }' "$x" >twice.csv
refused "has 2 columns of the name" "$cca" -apply m twice.csv -out b; ok $? "a name that two columns have" || show err
# the test data too
ranks 2 "$cca" "$x" "$y" -scale -test shuffled.csv indexed.csv -json j >out 2>err && ranks 1 "$cca" "$x" "$y" -scale -test "$x" "$y" -json j2 >out 2>err
[ -n "$(grep '"test_correlations"' j)" ] && [ "$(grep -o '"test_correlations": \[[0-9.]\{14\}' j)" = "$(grep -o '"test_correlations": \[[0-9.]\{14\}' j2)" ]; ok $? "test data are told by names as well" || show err

# gaps: the means that filled those of the model's samples, or of its columns
sed '4s/,[^,]*$/,/; 9s/^[^,]*/NA/' "$x" >gaps.csv
for how in '' '-no_center' '-scale'; do
  # shellcheck disable=SC2086
  ranks 2 "$cca" gaps.csv "$y" $how -missing mean -out g >out 2>err && ranks 1 "$cca" -apply g gaps.csv -missing mean -out h >out 2>err && ranks 3 "$cca" -apply g gaps.csv -missing mean -out i >out 2>err &&
    same g_x_scores.npy h_x_scores.npy && same g_x_scores.npy i_x_scores.npy && grep -q '^gaps.csv: 2 numbers are missing, and the mean of the model' out
  ok $? "samples with gaps get the same scores again: $how" || show err
done
mean=$(awk -F, 'NR > 1 { s += $6 } END { printf "%.17g", s / (NR - 1) }' "$x") first=$(awk -F, 'NR > 1 { s += $1 } END { printf "%.17g", s / (NR - 1) }' "$x")
sed "4s/,[^,]*\$/,$mean/; 9s/^[^,]*/$first/" "$x" >filled.csv
"$cca" -apply m gaps.csv -missing mean -out h >out 2>err && "$cca" -apply m filled.csv -out i >out 2>err
{ od -An -v -tf8 -w8 -j128 h_x_scores.npy; od -An -v -tf8 -w8 -j128 i_x_scores.npy; } | awk '{ a[NR] = $1 } END { n = NR / 2; for (i = 1; i <= n; i++) if ((a[i] - a[n + i]) ^ 2 > 1e-24) exit 1; exit NR != 800 }'
ok $? "gaps of other samples are filled with the means of the model" || show err
"$cca" "$x" "$y" -no_center -out n >out 2>err
refused 'has no means' "$cca" -apply n gaps.csv -missing mean -out b; ok $? "which it has to have" || show err
refused 'is empty: -missing mean fills in the mean of the column$' "$cca" -apply m gaps.csv -out b; ok $? "a gap is an error unless it may be filled" || show err

for key in analysis format x_names y_names correlations x_redundancy y_redundancy ddof signs; do
  grep -q "\"$key\"" m_model.json || echo "$key is missing"
done >missing
[ ! -s missing ]; ok $? "the model says what it is" || show missing

if python3 -c 'import numpy' 2>/dev/null; then
  python3 - "$x" "$y" <<'EOF'
import json, sys
import numpy as np
X, Y = (np.loadtxt(f, delimiter=",", skiprows=1) for f in sys.argv[1:])
m = json.load(open("m_model.json"))
get = lambda name: np.load(f"m_{name}.npy")
SX, SY = ((X - get("x_mean")) * get("x_scale")) @ get("U"), ((Y - get("y_mean")) * get("y_scale")) @ get("V")
def corr(A, B):
    A, B = A - A.mean(0), B - B.mean(0)
    return (A.T @ B) / np.outer(np.sqrt((A * A).sum(0)), np.sqrt((B * B).sum(0)))
r = np.diag(corr(SX, SY))
near = lambda a, b: np.allclose(a, b, rtol=0, atol=1e-12)
good = [near(SX, get("x_scores")), near(SY, get("y_scores")), near(corr(X, SX), get("x_loadings")), near(corr(Y, SY), get("y_loadings")),
        near(corr(X, SY), get("x_cross_loadings")), near(corr(Y, SX), get("y_cross_loadings")),
        near((corr(X, SX) ** 2).mean(0) * r ** 2, m["x_redundancy"]), near((corr(Y, SY) ** 2).mean(0) * r ** 2, m["y_redundancy"]),
        near(get("x_mean"), X.mean(0)), near(get("x_scale") * X.std(0), 1), (get("U") ** 3).sum(0).min() >= 0]
print(good)
sys.exit(not all(good))
EOF
  ok $? "scores, loadings, redundancies and signs are what the formulas say, in NumPy"
else skip "no NumPy" "scores, loadings, redundancies and signs are what the formulas say, in NumPy"; fi

sed '1s/sleep_hours/sleep/' "$x" >renamed.csv
refused "has no column 'sleep_hours', one of the variables that are wanted: is its column 3, 'sleep', the same" "$cca" -apply m renamed.csv -out b; ok $? "a variable of another name" || show err
cut -d, -f1-5 "$x" >fewer.csv
refused "has no column '[a-z_]*', one of the variables that are wanted (" "$cca" -apply m fewer.csv -out b; ok $? "a variable is missing" || show err
refused 'nothing_model.json: cannot be read' "$cca" -apply nothing "$x" -out b; ok $? "there is no such model" || show err
echo '{"analysis": "cca"}' >odd_model.json
refused 'odd_model.json: is not a model' "$cca" -apply odd "$x" -out b; ok $? "a file that is no model" || show err
refused 'needs samples' "$cca" -apply m -out b; ok $? "no samples" || show err
refused '-out says where' "$cca" -apply m "$x"; ok $? "nowhere to write to" || show err
refused 'two data sets' "$cca" -apply m "$x" "$y" "$y" -out b; ok $? "three data sets" || show err
refused 'it is what is to be read' "$cca" -apply m "$x" -out m; ok $? "the scores of the model are not written over" || show err
cp m_V.npy save; head -c 200 save >m_V.npy
refused 'm_V.npy' "$cca" -apply m "$x" "$y" -out b; ok $? "a file of the model is cut off" || show err
ls b_* 2>/dev/null; [ ! -e b_x_scores.npy ]; ok $? "none of these leaves a file"
cp save m_V.npy; cp m_U.npy m_V.npy
refused 'has 5 columns, the model 6' "$cca" -apply m "$x" "$y" -out b; ok $? "files that do not belong together" || show err
finish
