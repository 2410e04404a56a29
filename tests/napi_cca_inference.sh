#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# How many pairs are real: napi-cca -permutations, -permute_within and -wilks, on any number of ranks; and what is wrong with them.
. "$(dirname "$0")/tap.inc"
cca=$NAPI_BUILD/bin/napi-cca
examples=$(cd "$(dirname "$0")/../examples/data" && pwd)
text=$NAPI_DATA/text-en-it
cd "$scratch" || exit 1
unset PETSC_OPTIONS NAPI_PYTHON
x=$examples/lifestyle.csv y=$examples/health.csv

refused() { words=$1; shift; "$@" >out 2>err; [ $? = 1 ] && grep -q -e "$words" err && [ "$(wc -l <err)" = 1 ]; }
key() { sed -n "s/.*\"$1\": \\(.*[^,]\\),*\$/\\1/p" "$2"; }

# two things are shared (examples/data/make.py), of five
for np in 1 2 3; do
  ranks $np "$cca" "$x" "$y" -k 5 -shrinkage 0 -scale -permutations 199 -json $np.json >out 2>err
  ok $? "$np ranks: permutations and tests" || show err
  grep -q '^At 5 % the first 2 of 5 pairs are real' out && grep -q "Wilks' Lambda" out
  ok $? "$np ranks: two pairs are real, in one sentence" || show out
  for k in p_values permutation_quantiles permutation_medians permutations wilks_p_values bartlett_chi_square bartlett_p_values pillai_p_values hotelling_p_values roy_p_values; do
    [ "$(key $k $np.json)" ] || echo "$k is missing"
  done >missing
  [ ! -s missing ] && [ "$(key p_values $np.json)" = "$(key p_values 1.json)" ] && [ "$(key permutation_quantiles_exact $np.json)" = true ]
  ok $? "$np ranks: the object has all of it, and the same p-values" || show missing
done
key p_values 1.json | tr -d '[],' | awk '{ exit !($1 == 0.005 && $2 == 0.005 && $3 > 0.05 && $4 >= $3 && $5 >= $4 && NF == 5) }'
ok $? "p-values are the smallest possible for two pairs, and do not decrease" || show 1.json
key wilks_p_values 1.json | tr -d '[],' | awk '{ exit !($1 < 1e-20 && $2 < 1e-10 && $3 > 0.05 && NF == 5) }'
ok $? "Wilks is of the same opinion" || show 1.json
"$cca" "$x" "$y" -k 1 -shrinkage 0 -json one.json >out 2>err
[ "$(key wilks_p_values one.json | tr , '\n' | wc -l)" = 5 ] && ! grep -q p_values.*0.005 one.json
ok $? "with one pair all five correlations are tested, and without permutations there are none" || show one.json
"$cca" "$x" "$y" -k 5 -scale -permutations 199 -permutation_seed 2 -json other.json >out 2>err
[ "$(key p_values other.json)" ] && [ "$(key p_values other.json)" != "$(key p_values 1.json)" ] && ! grep -q Wilks out && ! grep -q wilks other.json
ok $? "another seed, and a ridge: other p-values, and no word of Wilks" || show out
"$cca" "$x" "$y" -wilks >out 2>err; grep -q "^Wilks' test is about correlations without regularisation" out
ok $? "-wilks says why there is no such test" || show out
"$cca" "$x" "$y" -no_center -shrinkage 0 -permutations 19 >out 2>err; grep -q '^   k        cosine   95 %' out
ok $? "without centring there are cosines" || show out

# within groups, with words for labels
awk 'NR > 1 { print NR % 3 ? "north" : "south" }' "$x" >groups.csv
for np in 1 3; do ranks $np "$cca" "$x" "$y" -k 3 -permutations 99 -permute_within groups.csv -json groups$np.json >out 2>err; done
grep -q 'within groups' out && [ "$(key p_values groups1.json)" ] && [ "$(key p_values groups1.json)" = "$(key p_values groups3.json)" ]
ok $? "within groups, the same on three ranks" || show err
awk 'NR > 1 { print NR }' "$x" >single.csv
refused 'No two samples may be exchanged' "$cca" "$x" "$y" -permutations 9 -permute_within single.csv
ok $? "groups of one sample are refused" || show err
refused 'say how many, -permutations 999' "$cca" "$x" "$y" -permute_within groups.csv
ok $? "groups without permutations are refused" || show err
refused 'must be at least 1' "$cca" "$x" "$y" -permutations 0
ok $? "no permutations are refused" || show err
refused 'no integer value' "$cca" "$x" "$y" -permutations many
ok $? "a word for their number is refused" || show err

refused 'about canonical correlations' "$cca" "$x" "$y" -analysis pls -permutations 9
ok $? "permutations of another analysis are refused" || show err

# samples with weights are exchanged with their like: 1 for the first hundred, 0 for the others is the same as the first hundred alone
for f in x y; do eval "file=\$$f"; head -n 101 "$file" >$f.csv; done
awk 'NR > 1 { print NR < 102 ? 1 : 0 }' "$x" >weights.csv
"$cca" "$x" "$y" -k 2 -weights weights.csv -permutations 99 -json weights.json >out 2>err && "$cca" x.csv y.csv -k 2 -permutations 99 -json few.json >out 2>err
[ "$(key correlations weights.json | cut -c1-12)" = "$(key correlations few.json | cut -c1-12)" ] && [ "$(key p_values weights.json)" ] && [ "$(key p_values weights.json)" = "$(key p_values few.json)" ]
ok $? "weights of 0 are samples that are not there" || show err

what="text-en-it: three pairs are real, by 19 permutations"
if [ -e "$text/X_en.mtx.gz" ]; then
  "$cca" "$text/X_en.mtx.gz" "$text/Y_it.mtx.gz" -k 3 -ridge 1e-3 -permutations 19 -json text.json >out 2>err && grep -q '^At 5 % all 3 pairs are real' out
  ok $? "$what" || show out
  key permutation_quantiles text.json | tr -d '[],' | awk '{ exit !($1 > 0.14 && $1 < 0.45 && $3 <= $1) }'
  ok $? "text-en-it: the band is a bound of the largest permuted correlation, which is 0.15" || show text.json
else
  skip "there are no data in ../shared" "$what"
fi
finish
