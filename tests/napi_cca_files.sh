#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Files as people have them, and command lines as people type them: Linnerud's data as pandas exports them, with and without an index, with quotes,
# semicolons and decimal commas, give one and the same correlations; gaps, weights; options before files, -json -, closed pipes, -time_limit, Ctrl-C.
. "$(dirname "$0")/tap.inc"
cca=$NAPI_BUILD/bin/napi-cca
cd "$scratch" || exit 1
unset PETSC_OPTIONS

value() { sed -n "s/^ *\"$1\": \([^,]*\).*/\1/p" "$2"; }
numbers() { sed -n "s/^ *\"$1\": \[\(.*\)\].*/\1/p" "$2" | tr -d ,; }
# near TOL FILE FILE: the correlations in two JSON files
near() {
  awk -v t="$1" -v a="$(numbers correlations "$2")" -v b="$(numbers correlations "$3")" 'BEGIN { n = split(a, x, " "); m = split(b, y, " "); good = n && n == m
    for (i = 1; i <= n; i++) { d = x[i] - y[i]; if (d < -t || d > t) good = 0 } exit !good }'
}
# A. C. Linnerud's 20 men: three exercises, three measurements
men='5 162 60 191 36 50|2 110 60 189 37 52|12 101 101 193 38 58|12 105 37 162 35 62|13 155 58 189 35 46|4 101 42 182 36 56|8 101 38 211 38 56|6 125 40 167 34 60|15 200 40 176 31 74|17 251 250 154 33 56|17 120 38 169 34 50|13 210 115 166 33 52|14 215 105 154 34 64|1 50 50 247 46 50|6 70 31 193 36 46|12 210 120 202 37 62|4 60 25 176 37 54|11 230 80 157 32 52|15 225 73 156 33 54|2 110 43 138 33 68'
# export FILE FIRST SEPARATOR DECIMAL QUOTE INDEX NAMES...: three columns from FIRST on, as DataFrame.to_csv() writes them
export_csv() {
  file=$1; shift
  echo "$men" | tr '|' '\n' | awk -v f="$1" -v s="$2" -v d="$3" -v q="$4" -v index_="$5" -v names="$6" '
    BEGIN { split(names, n, " "); if (index_) printf "%s%s", q q, s; for (j = 1; j <= 3; j++) printf "%s%s%s%s", q, n[j], q, j < 3 ? s : "\n" }
    { if (index_) printf "%s%d%s%s", q, NR - 1, q, s; for (j = 0; j < 3; j++) printf "%s%d%s0%s%s", q, $(f + j), d, q, j < 2 ? s : "\n" }' >"$file"
}
# as statsmodels has them: numpy.sort(CanCorr(y, x).cancorr)[::-1], statsmodels 0.14
echo '"correlations": [0.795608155, 0.200556041, 0.072570286]' >known

for np in 1 3; do
  for form in ', . - 1' ', . - -' ', . " 1' ', . " -' '; , - 1' '; , - -' '| . - 1' 'tab . - -'; do
    for names in 'Chins Situps Jumps/Weight Waist Pulse' '0 1 2/0 1 2'; do
      set -- $form
      s=$1; [ "$s" = tab ] && s=$(printf '\t')
      export_csv x.csv 1 "$s" "$2" "$(echo "$3" | tr -d -)" "$(echo "$4" | tr -d -)" "${names%/*}"
      export_csv y.csv 4 "$s" "$2" "$(echo "$3" | tr -d -)" "$(echo "$4" | tr -d -)" "${names#*/}"
      ranks $np "$cca" x.csv y.csv -shrinkage 0 -k 3 -json j >out 2>err && near 1e-8 j known
      ok $? "$np ranks: Linnerud, separator, decimal, quotes, index: $form, $names" || { show out; show err; }
      [ "$4" = - ] || { grep -q '^X: its first column has no name and counts the rows: an index' out; ok $? "the index is mentioned" || show out; }
    done
  done
done

# --- columns, gaps, weights ---------------------------------------------------------------------------------------

export_csv x.csv 1 , . '' 1 'Chins Situps Jumps'
export_csv y.csv 4 , . '' 1 'Weight Waist Pulse'
paste -d , x.csv y.csv | sed 's/$/,member/; 1s/member/who/' | awk -F , -v OFS=, '{ print $1, $2, $3, $4, $6, $7, $8, $9 }' >all.csv
ranks 1 "$cca" all.csv all.csv -columns_x Chins,Situps,Jumps -columns_y 5-7 -shrinkage 0 -k 3 -json j >out 2>err && near 1e-8 j known
ok $? "both views from one file, by name and by number" || { show out; show err; }
ranks 1 "$cca" all.csv y.csv >out 2>err
[ $? = 1 ] && grep -q "column 8 (who): 'member' is not a number: a column of text is left out by -drop who" err; ok $? "a column of text" || show err
ranks 1 "$cca" all.csv y.csv -drop Who >out 2>err
[ $? = 1 ] && grep -q "^napi-cca: -drop: there is no column 'Who': is 'who' meant?" err; ok $? "a column that is not there" || show err

# gaps in rows 3 and 7: dropping them is leaving the rows out, weights and all
sed '4s/,[^,]*$/,/' x.csv >xg.csv; sed '8s/,[0-9.]*,/,NA,/' y.csv >yg.csv
sed '4d;8d' x.csv | cut -d , -f 2- >xd.csv; sed '4d;8d' y.csv | cut -d , -f 2- >yd.csv
seq 1 20 >w; sed '3d;7d' w >wd
for np in 1 2 3; do
  ranks $np "$cca" xg.csv yg.csv -missing drop -weights w -k 3 -json j >out 2>err && ranks $np "$cca" xd.csv yd.csv -weights wd -k 3 -json j2 >out2 2>err && near 1e-12 j j2 &&
    grep -q '^2 of 20 samples have gaps and were left out' out && grep -q '^samples are weighted by w' out
  ok $? "$np ranks: -missing drop, weighted, is the same as without these rows" || { show out; show err; }
  ranks $np "$cca" xg.csv yg.csv -missing mean -k 3 -json j >out 2>err && ! near 1e-3 j j2 && grep -q '^X: 1 number is missing' out && grep -q '^Y: 1 number is missing' out
  ok $? "$np ranks: -missing mean" || { show out; show err; }
  ranks $np "$cca" x.csv y.csv -test xg.csv yg.csv -missing drop -json j >out 2>err && grep -q '^test data: 2 samples have gaps' out
  ok $? "$np ranks: gaps in test data" || { show out; show err; }
done
mean=$(awk -F , 'NR > 1 && NR != 4 { s += $4 } END { printf "%.17g", s / 19 }' x.csv)
mean2=$(awk -F , 'NR > 1 && NR != 8 { s += $2 } END { printf "%.17g", s / 19 }' y.csv)
sed "4s/,[^,]*\$/,$mean/" x.csv >xm.csv; sed "8s/,[0-9.]*,/,$mean2,/" y.csv >ym.csv
ranks 1 "$cca" xg.csv yg.csv -missing mean -k 3 -json j >out 2>err && ranks 1 "$cca" xm.csv ym.csv -k 3 -json j2 >out 2>err && near 1e-10 j j2
ok $? "-missing mean is the same as writing the means there" || show err
ranks 1 "$cca" xg.csv y.csv >out 2>err
[ $? = 1 ] && grep -q '^napi-cca: xg.csv: line 4, column 4 (Jumps) is empty: -missing drop' err; ok $? "a gap is an error with its place and ways out" || show err
ranks 1 "$cca" x.csv y.csv -weights wd >out 2>err
[ $? = 1 ] && grep -q '^napi-cca: wd: has 18 lines and x.csv has 20 rows' err; ok $? "too few weights" || show err

# --- the command line ---------------------------------------------------------------------------------------------

for line in '-scale x.csv y.csv -k 1' '-k 1 x.csv -scale y.csv' 'x.csv -k 1 y.csv -scale' '-test x.csv y.csv -k 1 -scale x.csv y.csv'; do
  ranks 1 "$cca" $line -json j2 >out 2>err && ranks 1 "$cca" x.csv y.csv -scale -k 1 -json j >out 2>err && near 1e-14 j j2; ok $? "napi-cca $line" || show err
done
ranks 1 "$cca" -centre x.csv y.csv >out 2>err; [ $? = 1 ] && grep -q 'is -center meant' err; ok $? "-centre" || show err
ranks 1 "$cca" nowhere y.csv --k 3 >out 2>err; [ $? = 1 ] && grep -q -e '--k: nothing reads this option: is -k meant' err; ok $? "--k, which is found before the files are looked for" || show err
ranks 1 "$cca" --version | grep -q '^napi-cca [0-9.]* (SLEPc'; ok $? "--version"
ranks 1 "$cca" --help | grep -q '^napi-cca: what do two data sets share'; ok $? "--help"
for np in 1 2; do
  ranks $np "$cca" x.csv y.csv -json - >out 2>err && head -n 1 out | grep -q '^{' && tail -n 1 out | grep -q '^}' && grep -q '^Canonical correlation' err && ! grep -q '^Canonical' out
  ok $? "$np ranks: -json - is standard output, and the text goes to standard error" || { show out; show err; }
done
{ "$cca" x.csv y.csv 2>err; } | head -n 1 | grep -q '^Canonical' && [ ! -s err ]; ok $? "a closed pipe ends quietly" || show err

# --- stopped solutions -----------------------------------------------------------------------------------------------

# too hard to be solved to the last digit in a short time: noise, and hardly any regularisation
awk 'BEGIN { srand(1); n = 1500; for (i = 0; i < n; i++) { l = ""; for (j = 0; j < 200; j++) l = l (j ? "," : "") (rand() - .5) * 10 ^ (-j / 60); print l } }' >hx.csv
awk 'BEGIN { srand(2); n = 1500; for (i = 0; i < n; i++) { l = ""; for (j = 0; j < 200; j++) l = l (j ? "," : "") (rand() - .5) * 10 ^ (-j / 60); print l } }' >hy.csv
long="hx.csv hy.csv -cca_type als -k 20 -shrinkage 1e-12 -tol 1e-14 -cca_max_it 1000000"
for np in 1 2; do
  rm -f j; ranks $np "$cca" $long -time_limit 1.5 -json j -out m >out 2>err
  status=$?
  [ $status != 0 ] && { [ $np != 1 ] || [ $status = 2 ]; } && grep -q '^INTERRUPTED by -time_limit: [0-9]* of 20 wanted pairs' out && grep -q '"interrupted": true' j && grep -q '"reason": "DIVERGED_USER"' j &&
    [ "$(numbers correlations j | wc -w)" = "$(sed -n 's/^INTERRUPTED by -time_limit: \([0-9]*\) of.*/\1/p' out)" ]
  ok $? "$np ranks: -time_limit gives what has converged, and says so" || { show out; show err; }
done
rm -f j; perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' "$cca" $long -json j >out 2>err & process=$!
sleep 3; kill -INT $process; wait $process
[ $? = 2 ] && grep -q '^INTERRUPTED by Ctrl-C' out && grep -q '"interrupted": true' j; ok $? "Ctrl-C: the same" || { show out; show err; }
# more than the machine can do in that time, and what is complete by then
small="hx.csv hy.csv -cca_type direct -k 2"
for np in 1 2; do
  ranks $np "$cca" x.csv y.csv -k 1 -permutations 2000000 -time_limit 2 -json j >out 2>err; status=$?
  done=$(value permutations_done j); p=$(numbers p_values j)
  [ $status != 0 ] && grep -q "^INTERRUPTED by -time_limit after $done of 2000000 permutations" out && grep -q '"interrupted": true' j && [ "$done" -gt 0 ] && awk "BEGIN { exit !($p * ($done + 1) >= .999999 && $p <= 1) }"
  ok $? "$np ranks: -time_limit ends permutations, and p-values are of those that were decided" || { show out; show err; }
  ranks $np "$cca" x.csv y.csv -k 1 -bootstrap 2000000 -time_limit 2 -json j >out 2>err; status=$?
  [ $status != 0 ] && grep -q "^INTERRUPTED by -time_limit after $(value bootstrap_done j) of 2000000 bootstrap samples" out && grep -q '"interrupted": true' j && grep -q '"bootstrap_samples": 2000000' j
  ok $? "$np ranks: -time_limit ends the bootstrap, and intervals are of the samples drawn" || { show out; show err; }
  rm -f m_model.json; ranks $np "$cca" $small -cv 400 -shrinkage_path .1,.2,.3,.4,.5,.6,.7,.8,.9 -time_limit 2 -json j -out m >out 2>err; status=$?
  [ $status != 0 ] && grep -q "^INTERRUPTED by -time_limit: $(value cv_folds_done j) of 400 folds were complete; nothing was chosen" out && ! grep -q '"cv_correlations"' j && grep -q '"cv_chosen": null' j && [ ! -e m_model.json ]
  ok $? "$np ranks: -time_limit ends a cross-validation, and nothing is chosen" || { show out; show err; }
done
rm -f j; perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' "$cca" x.csv y.csv -k 1 -permutations 2000000 -bootstrap 5 -json j >out 2>err & process=$!
sleep 3; kill -INT $process; wait $process
[ $? = 2 ] && grep -q '^INTERRUPTED by Ctrl-C after [1-9][0-9]* of 2000000 permutations' out && grep -q '^INTERRUPTED by Ctrl-C after 0 of 5 bootstrap' out; ok $? "Ctrl-C: the same for permutations, and what would come after them" || { show out; show err; }
ranks 1 "$cca" x.csv y.csv -time_limit 0 >out 2>err; [ $? = 1 ] && grep -q 'positive' err; ok $? "a time that is none" || show err
ranks 1 "$cca" x.csv y.csv -k 1 -time_limit 100 -json j >out 2>err && grep -q '"interrupted": false' j; ok $? "a time that is not reached changes nothing" || show err

# many words that are rare, and scaled
awk 'BEGIN { srand(3); print "%%MatrixMarket matrix coordinate real general"; print 300, 120, 420; for (j = 1; j <= 100; j++) for (k = 0; k < 2; k++) print (j * 7 + k * 131) % 300 + 1, j, 1; for (j = 101; j <= 120; j++) for (k = 0; k < 11; k++) print (j * 13 + k * 17) % 300 + 1, j, 1 }' >rare.mtx
ranks 2 "$cca" rare.mtx rare.mtx -scale -cca_type als -cca_max_it 2 -tol 1e-12 >out 2>err
[ "$(grep -c 'warning' err)" = 2 ] && grep -q '100 of 120 columns of X are zero in all but 3 samples or fewer, and -scale' err && grep -q '^100 of 120 columns of Y.*-scale' out && grep -q '^What may help: to leave out -scale' out
ok $? "rare words that are scaled: what is seen, and what may help" || { show out; show err; }
# more variables than samples, of both views together
head -n 15 hx.csv | cut -d , -f 1-8 >x8.csv; head -n 15 hy.csv | cut -d , -f 1-9 >y9.csv
ranks 2 "$cca" x8.csv y9.csv -cca_type napi -k 1 >out 2>err
grep -q '^napi-cca: warning: 8 and 9 variables of 15 samples have many correlations near 1 whatever the data are, with a shrinkage of 0.001 only' err && [ "$(wc -l <err)" = 1 ]
ok $? "correlations that crowd near 1 are spoken of before the solution" || show err
ranks 2 "$cca" x8.csv y9.csv -cca_type napi -k 1 -shrinkage .9 >out 2>err && [ ! -s err ] && ranks 1 "$cca" x8.csv y9.csv -k 1 >out 2>err && [ ! -s err ]
ok $? "but not with more shrinkage, nor where nothing is iterated" || show err
ranks 1 "$cca" x.csv y.csv -columns_y Pulse -json j >out 2>err && [ "$(numbers correlations j | wc -w)" = 1 ] && ! ranks 1 "$cca" x.csv y.csv -columns_y Pulse -k 2 >out 2>err; ok $? "of one variable there is one pair, unless more are asked for" || { show out; show err; }
finish
