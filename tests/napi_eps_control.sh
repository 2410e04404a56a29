#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Who types at a terminal: an option that nothing reads is an error before the work, with the nearest name; --help and --version; Ctrl-C ends a
# solve with what has converged, a second one at once; progress is shown to somebody who watches, and to nobody else.
. "$(dirname "$0")/tap.inc"
cca=$NAPI_BUILD/bin/napi-cca
eps=$NAPI_BUILD/bin/napi-eps
examples=$(cd "$(dirname "$0")/../examples/data" && pwd)
cd "$scratch" || exit 1
unset PETSC_OPTIONS
run="$examples/lifestyle.csv $examples/health.csv -center -scale"

# --- options that nothing reads ----------------------------------------------------------------------------------

# refused TEXT PROGRAM ARGUMENTS...: one sentence, no output
refused() {
  text=$1; shift
  ranks 1 "$@" >out 2>err
  [ $? = 1 ] && [ "$(wc -l <err)" = 1 ] && grep -q -e "^napi-[a-z]*: .*$text" err && [ ! -s out ]
  result=$?; shift; ok $result "refused: $*" || show err
}
small='-generate fem2d -m 6'
refused '-nev: .* is -eps_nev meant' "$eps" $small -nev 3
refused 'is -eps_nev meant' "$eps" $small -eps_nve 3
refused 'is -modes meant' "$eps" $small -mode
refused 'is -eps_tol meant' "$eps" $small -tol 1e-3
refused 'is -eps_smallest_real meant' "$eps" $small -smallest_real
refused 'is -eps_napi_momentum meant' "$eps" $small -eps_napi_momentun none
refused 'is -st_pc_type meant' "$eps" $small -st_pc_typ jacobi
refused 'neither this program nor the solver' "$eps" $small -wholly_different_word 3
refused 'neither this program nor the solver' "$eps" $small -swap -eps_type krylovschur -st_ksp_type cg -st_pc_type jacobi -eps_napi_blocksize 3
refused 'nothing reads this option' "$eps" $small -ridge 3
refused 'nothing reads this option' "$eps" $small -swap -st_pc_type gamg -st_mg_levels_ksp_max_itt 3
refused "what is 'K.mtx'" "$eps" K.mtx
refused 'is -ridge meant' "$cca" $run -rigde 1e-3
refused 'is -cca_tol meant\|is -tol meant' "$cca" $run -cca_tlo 1e-3
ranks 2 "$eps" $small -nev 3 >out 2>err
[ $? != 0 ] && [ "$(grep -c '^napi-eps: ' err)" = 1 ] && ! grep -q 'WARNING' out err; ok $? "on two ranks one of them says it" || show err
# what is read late, or elsewhere
for late in '-eps_view' '-eps_view_values ascii:v' '-eps_converged_reason' '-eps_error_relative' '-log_view' '-malloc_dump' '-objects_dump' '-options_left' '-info :nobody' \
  '-st_pc_type gamg -st_mg_levels_ksp_max_it 3' '-st_pc_type bjacobi -st_sub_pc_type icc' '-eps_monitor' '-citations' '-mat_type aij' '-st_ksp_view' '-eps_napi_check certify'; do
  ranks 1 "$eps" $small -swap $late >out 2>err
  ok $? "taken: $late" || show err
done
PETSC_OPTIONS='-another_program 3' ranks 1 "$eps" $small -swap >out 2>err
ok $? "PETSC_OPTIONS may be meant for another program" || show err
for type in direct napi eps als si lazy appgrad; do
  ranks 1 "$cca" $run -k 1 -cca_type $type -cca_view -cca_max_it 2 >out 2>err
  [ $? = 0 ] || [ $? = 2 ] || ! grep -q 'nothing reads' err; ok $? "napi-cca takes the options of $type" || show err
done
ranks 1 "$cca" $run -k 1 -cca_type eps -cca_eps_type krylovschur -cca_st_ksp_type cg -cca_st_pc_type jacobi >out 2>err
ok $? "and of the solvers that it makes" || show err

# --- help and version --------------------------------------------------------------------------------------------

version=$(sed -n 's/^#define SLEPCNAPI_VERSION *"\(.*\)"/\1/p' "$(dirname "$examples")/../include/slepcnapi.h")
for program in "$cca" "$eps"; do
  name=$(basename "$program")
  for option in --version -version; do
    [ "$(ranks 2 "$program" $option 2>err | grep -c "^$name $version (SLEPc 3\.")" = 1 ] && [ ! -s err ]; ok $? "$name $option" || show err
  done
  "$program" -h >h 2>err; "$program" --help >out 2>err
  [ $? = 0 ] && cmp -s h out && [ ! -s err ] && grep -q "^$name: " out; ok $? "$name --help is -h" || show err
done

# --- Ctrl-C ------------------------------------------------------------------------------------------------------

# A shell without job control lets what it runs in the background ignore interrupts; Perl takes that back. The solve reports each step,
# so that it is known when it has found something; by itself it would take minutes.
long='-generate fem2d -m 250 -swap -eps_nev 200 -eps_monitor_conv'
start() { rm -f j v.npy out; perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' "$@" $long -json j -out v.npy >out 2>err & process=$!
  for i in $(seq 200); do grep -q -s 'eigenvalue  *approximations\|[0-9]  *EPS\|residual' out && grep -q -s '^ *[1-9][0-9]* EPS.*' out && break; kill -0 $process 2>/dev/null || break; sleep 0.2; done; sleep 1; }
start "$eps"
kill -INT $process; wait $process
[ $? = 130 ]; ok $? "Ctrl-C: exit status 130" || show err
grep -q '^INTERRUPTED: [0-9]* of 200 wanted pairs' out && grep -q '"interrupted": true' j; ok $? "it is said in the table and in the JSON file" || show out
found=$(sed -n 's/^INTERRUPTED: \([0-9]*\) of.*/\1/p' out)
[ "$found" ] && [ "$found" -lt 200 ] && { [ "$found" = 0 ] || [ "$(head -c 128 v.npy | grep -a -c "62001, $found)")" = 1 ]; }; ok $? "the vectors of those that had converged are written ($found)"
[ ! -s err ]; ok $? "without a word on standard error" || show err
start "$eps"
kill -INT $process; kill -INT $process; sleep 0.3; kill -INT $process 2>/dev/null; wait $process
result=$?; [ $result = 130 ] && ! grep -q '"interrupted"' j 2>/dev/null || grep -q INTERRUPTED out; ok $? "a second Ctrl-C ends at once, or finds it at its end ($result)"
[ -z "$(find . -name '.napi*')" ]; ok $? "and leaves nothing half written"
if "$MPIEXEC" --version 2>&1 | grep -q -i hydra; then
  start "$MPIEXEC" -n 2 "$eps"
  kill -INT $process; wait $process
  [ $? != 0 ] && grep -q '^INTERRUPTED' out && grep -q '"interrupted": true' j; ok $? "two ranks: the same, through mpiexec" || { show out; show err; }
else skip "this mpiexec ends its ranks itself" "two ranks: the same, through mpiexec"; fi
start "$MPIEXEC" -n 2 "$eps"
kill -USR1 $process; wait $process
[ $? != 0 ] && grep -q '^INTERRUPTED' out && grep -q '"interrupted": true' j; ok $? "two ranks: SIGUSR1, which every mpiexec hands on" || { show out; show err; }

# --- progress ----------------------------------------------------------------------------------------------------

if command -v script >/dev/null && script -qec true /dev/null >/dev/null 2>&1; then
  script -qec "$eps -generate fem2d -m 30 -swap -eps_nev 3" typed >/dev/null 2>&1
  grep -q 'step [0-9]*: [0-3] of 3 eigenvalues' typed && grep -q 'setting up' typed; ok $? "somebody who watches sees how it goes" || show typed
else skip "no script" "somebody who watches sees how it goes"; fi
ranks 1 "$eps" -generate fem2d -m 30 -swap -eps_nev 3 >out 2>err
[ ! -s err ]; ok $? "nobody else is told" || show err
finish
