#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What the programs write: a file is there whole or not at all, whatever fails, whoever else writes, and however the
# program ends; nothing is lost or overwritten that is not meant to be.
. "$(dirname "$0")/tap.inc"
cca=$NAPI_BUILD/bin/napi-cca
eps=$NAPI_BUILD/bin/napi-eps
examples=$(cd "$(dirname "$0")/../examples/data" && pwd)
cd "$scratch" || exit 1
mkdir tmp && PETSC_TMP=$scratch/tmp && export PETSC_TMP # where the picture's files go
unset PETSC_OPTIONS NAPI_PYTHON
cp "$examples/lifestyle.csv" x.csv && cp "$examples/health.csv" y.csv && cp x.csv x.before
printf '%%%%MatrixMarket matrix coordinate real symmetric\n4 4 4\n1 1 1\n2 2 2\n3 3 3\n4 4 5\n' >diag.mtx && cp diag.mtx diag.before
run='x.csv y.csv -center -scale'
files='o_U o_V o_x_scores o_y_scores'

# left: what is there that no run should leave
left() { find . -name '.napi*' -o -name '*.part*' -o -name '*.info' -o -path './tmp/*'; }
clean() { [ -z "$(left)" ]; }
# A disk of a few pages, if this machine lets us have one
mkdir disk
if mount -t tmpfs -o size=4k tmpfs disk 2>/dev/null; then
  trap 'umount "$scratch/disk"; rm -rf "$scratch"' EXIT
  disk=yes
else disk=; fi

# --- a full disk -----------------------------------------------------------------------------------------------

if [ $disk ]; then
  for np in 1 2; do
    for format in npy petsc mtx; do
      ranks $np "$cca" $run -out disk/o -format $format >out 2>err
      status=$?
      [ $status != 0 ] && [ $status != 2 ] && grep -q '^napi-cca: disk/o_[a-zUV_]*\.[a-z]*: cannot be written: No space left' err &&
        [ -z "$(ls -A disk)" ] && clean
      result=$?; ok $result "$np ranks, $format: a full disk is an error, and leaves nothing"; [ $result = 0 ] || { show err; ls -A disk; }
      find disk -mindepth 1 -delete
    done
  done
  "$eps" -generate fem2d -m 40 -eps_type krylovschur -st_ksp_type cg -st_pc_type jacobi -out disk/v.dat >out 2>err
  [ $? = 1 ] && grep -q '^napi-eps: disk/v.dat: cannot be written: No space left' err && [ -z "$(ls -A disk)" ]
  result=$?; ok $result "napi-eps: a full disk is an error, and leaves nothing"; [ $result = 0 ] || show err
  mount -o remount,size=64k disk && "$cca" $run -out disk/o >out 2>err
  ok $? "an earlier run"
  head -c 100000 /dev/zero >disk/rest 2>/dev/null; cp -r disk before.disk
  "$cca" $run -ridge 5 -out disk/o >out 2>err
  [ $? = 1 ] && diff -r disk before.disk >/dev/null; ok $? "its results outlive a later one that fails"
  find disk -mindepth 1 -delete
else skip "no file system can be mounted" "a full disk is an error, and leaves nothing"; fi
if [ -w /dev/full ]; then
  "$cca" $run >/dev/full 2>err
  [ $? = 1 ] && [ "$(wc -l <err)" = 1 ] && grep -q '^napi-cca: .*No space left' err
  ok $? "a full disk under the standard output is an error, too"
else skip "no /dev/full" "a full disk under the standard output is an error, too"; fi

# --- what was there before -------------------------------------------------------------------------------------

"$cca" $run -out o -json j >out 2>err
ok $? "an earlier run"
mkdir before && cp o_* j before
"$cca" $run -ridge 5 -out o >out 2>err
result=$?; for f in $files; do [ -s $f.npy ] && ! cmp -s before/$f.npy $f.npy || result=1; done
ok $result "is replaced by a later one"
rm -f o_*
(umask 027; "$cca" $run -out o >out 2>err)
[ "$(ls -l o_U.npy | cut -c1-10)" = -rw-r----- ]; ok $? "the permissions are those of any new file"
rm -f o_*
printf 'precious\n' >victim
for f in $files; do ln -s victim $f.npy.part; done
"$cca" $run -out o >out 2>err
[ $? = 0 ] && [ "$(cat victim)" = precious ] && [ -s o_U.npy ] && [ ! -h o_U.npy ]
ok $? "no link is followed that somebody has put in the way"
rm -f o_*
mkfifo pipe; "$cca" $run -json pipe >out 2>err
[ $? = 1 ] && grep -q '^napi-cca: pipe: cannot be written: it is there and is not a regular file' err && [ -p pipe ] && [ ! -s out ]
ok $? "what is no file is not replaced by one"

# Each may win, but all have to leave whole files
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do "$cca" $run -out o >/dev/null 2>err.$i & done
wait
[ -z "$(cat err.*)" ] && [ "$(ls | grep -c '^o_.*\.npy$')" = 12 ] && [ -s o_model.json ] && clean
result=$?; ok $result "twenty processes with one prefix leave one set of files"; [ $result = 0 ] || { ls; show err.1; }
result=0; for f in $files; do cmp -s before/$f.npy $f.npy || result=1; done
ok $result "which is whole"
rm -f o_* err.*

# --- outputs that are inputs, or each other --------------------------------------------------------------------

ln -s x.csv link.csv; ln x.csv hard.csv; mkdir sub; ln -s ../x.csv sub/deep; cp y.csv p_U.npy
# clash NP TEXT PROGRAM ARGUMENTS...: refused before the work
clash() {
  np=$1 text=$2; shift 2
  ranks $np "$@" >out 2>err
  status=$?
  [ $status != 0 ] && [ $status != 2 ] && [ "$(grep -c '^napi-' err)" = 1 ] && grep -q -e "$text" err && [ ! -s out ] &&
    cmp -s x.csv x.before && cmp -s diag.mtx diag.before && cmp -s p_U.npy y.csv && clean
  result=$?; shift; ok $result "$np ranks, refused: $*"
  [ $result = 0 ] || { show err; rm -f q*; cat x.before >x.csv; cat diag.before >diag.mtx; cat y.csv >p_U.npy; }
}
read='it is what is to be read'; twice='two outputs have this name'
clash 1 "x.csv: cannot be written: $read" "$cca" $run -json x.csv
clash 2 "$read" "$cca" $run -json ./x.csv
clash 1 "$read" "$cca" $run -json "$scratch/sub/../x.csv"
clash 1 "$read" "$cca" $run -json link.csv
clash 1 "$read" "$cca" $run -json hard.csv
clash 1 "$read" "$cca" $run -plot sub/deep
clash 1 "$read" "$cca" y.csv y.csv -test x.csv x.csv -json x.csv
clash 1 "p_U.npy: cannot be written: $read" "$cca" x.csv p_U.npy -out p
clash 2 "$read" "$eps" -A diag.mtx -out ./diag.mtx
clash 1 "$read" "$eps" -X x.csv -Y y.csv -json x.csv
clash 1 "$twice" "$cca" $run -json q -plot q
clash 2 "$twice" "$cca" $run -json q -plot sub/../q
clash 1 "$twice" "$cca" $run -out q -json q_V.npy
clash 1 "$twice" "$eps" -A diag.mtx -out q.npy -json ./q.npy
[ ! -e q ] && [ ! -e q_V.npy ] && [ ! -e q.npy ]; ok $? "and nothing is written"

# --- names that are too long -----------------------------------------------------------------------------------

long=$(head -c 4090 /dev/zero | tr '\0' a)
for option in -out -json -plot; do
  "$cca" $run $option "$long" >out 2>err
  [ $? = 1 ] && grep -q -e 'too long' err && [ ! -s out ] && [ -z "$(ls | grep aaa)" ]
  result=$?; ok $result "a name that is too long after $option"; [ $result = 0 ] || show err
done
"$cca" $run -out "./$(head -c 4086 /dev/zero | tr '\0' /)o" >out 2>err
[ $? = 1 ] && grep -q -e 'the prefix after -out is too long' err && [ ! -s out ] && [ -z "$(ls | grep '^o_')" ]
result=$?; ok $result "a prefix that only its files make too long"; [ $result = 0 ] || { head -c 300 err; ls; }
"$cca" "./$(head -c 5000 /dev/zero | tr '\0' /)x.csv" y.csv >out 2>err
[ $? = 1 ] && grep -q -e 'too long' err; ok $? "an input whose name is too long"
"$eps" -A "./$(head -c 5000 /dev/zero | tr '\0' /)diag.mtx" >out 2>err
[ $? = 1 ] && grep -q -e 'after -A is too long' err; ok $? "napi-eps: the same"
"$cca" $run -out "$(head -c 249 /dev/zero | tr '\0' a)" >out 2>err
[ $? = 1 ] && grep -q 'cannot be written: File name too long' err && [ ! -s out ]; ok $? "a file name that the file system does not take"
"$cca" $run -json "$(head -c 255 /dev/zero | tr '\0' a)" >out 2>err
[ $? = 0 ] && [ "$(ls | grep -c '^a*$')" = 1 ]; ok $? "and the longest one that it does"
rm -f aaa*

# --- the picture -----------------------------------------------------------------------------------------------

mkdir bin
picture() { # picture TEXT SHELL-COMMANDS: a NAPI_PYTHON that does this
  printf '#!/bin/sh\n%s\n' "$2" >bin/python && chmod +x bin/python
  NAPI_PYTHON=$scratch/bin/python "$cca" $run -plot p.png >out 2>err
  [ $? = 0 ] && [ "$(wc -l <err)" = 1 ] && grep -q "^napi-cca: no picture: .*$1" err && ! grep -q '^picture' out && [ ! -e p.png ] && clean
  result=$?; ok $result "NAPI_PYTHON that does '$2' is said to have failed"; [ $result = 0 ] || { show err; left; }
}
picture 'status 1' 'exit 1'
picture 'status 2' 'exit 2'
picture 'drawn nothing' 'exit 0'
picture 'signal 9' 'kill -9 $$'
picture 'cannot be run' 'exit 127'
printf '#!/bin/sh\nfor last; do :; done\nprintf drawn >"$last"\n' >bin/python # the picture is its last argument
NAPI_PYTHON=$scratch/bin/python "$cca" $run -plot p.png >out 2>err
[ $? = 0 ] && [ "$(cat p.png)" = drawn ] && grep -q '^picture: p.png' out && [ ! -s err ] && clean
result=$?; ok $result "one that draws has its picture where it was asked for"; [ $result = 0 ] || show err

# --- signals, closed pipes -------------------------------------------------------------------------------------

# The files of the picture are there while it is being drawn
printf '#!/bin/sh\necho $$ >started\nexec sleep 100\n' >bin/python
for signal in TERM INT HUP; do
  rm -f started p.png
  # a shell without job control lets what it runs in the background ignore interrupts, and nohup the end of a terminal; Perl takes that back
  NAPI_PYTHON=$scratch/bin/python perl -e '@SIG{qw(INT HUP)} = ("DEFAULT") x 2; exec @ARGV' "$cca" $run -plot p.png >out 2>err &
  process=$!
  for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do [ -s started ] || sleep 0.5; done
  [ -n "$(left)" ]; ok $? "$signal: there are files to clean up"
  kill -s $signal $process; wait $process 2>/dev/null
  [ $? -gt 128 ]; ok $? "$signal ends the program"
  [ ! -s err ]; result=$?; ok $result "$signal: without a word"; [ $result = 0 ] || show err
  clean && [ ! -e p.png ]; result=$?; ok $result "$signal: and nothing is left"; [ $result = 0 ] || left
  ! kill -0 "$(cat started)" 2>/dev/null; ok $? "$signal: nor is the program that draws"
done
rm -f started
NAPI_PYTHON=$scratch/bin/python "$MPIEXEC" -n 2 "$cca" $run -plot p.png >out 2>err &
process=$!
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do [ -s started ] || sleep 0.5; done
kill -s TERM $process; wait $process 2>/dev/null
for i in 1 2 3 4 5 6 7 8 9 10; do clean || sleep 0.5; done
! grep -q 'PETSC ERROR' err && clean && [ ! -e p.png ]
result=$?; ok $result "TERM on two ranks: the same"; [ $result = 0 ] || { show err; left; }
rm -rf tmp/*; find . -name '.napi*' -delete

{ "$cca" $run -out o -json j2 2>err; echo $? >status; } | :
[ "$(cat status)" != 0 ] && [ ! -s err ] && [ ! -e j2 ] && clean
result=$?; ok $result "napi-cca: a closed pipe ends it without a word"; [ $result = 0 ] || { cat status; show err; }
{ "$eps" -generate fem2d -m 8 -eps_type krylovschur -st_ksp_type cg -st_pc_type jacobi -out v.npy -json j2 2>err; echo $? >status; } | :
[ "$(cat status)" != 0 ] && [ ! -s err ] && [ ! -e v.npy ] && [ ! -e j2 ] && clean
result=$?; ok $result "napi-eps: a closed pipe ends it without a word"; [ $result = 0 ] || { cat status; show err; }

# a line that does not end, from a few bytes
{ head -c 400000000 /dev/zero | tr '\0' 1; } | gzip -1 >line.gz
ranks 1 "$cca" line.gz y.csv >out 2>err
[ $? = 1 ] && grep -q 'line.gz: has a line of more than 268 million characters' err
result=$?; ok $result "a compressed line that is far too long"; [ $result = 0 ] || show err
rm line.gz
# what does not begin as a file that can be read is not read to its end
{ head -c 300000000 /dev/zero; echo $? >status; } | "$cca" /dev/stdin y.csv >out 2>err
[ $? = 1 ] || sleep 1
grep -q '/dev/stdin: is neither' err && [ "$(cat status)" != 0 ]; ok $? "a long input of no use is not copied first"
finish
