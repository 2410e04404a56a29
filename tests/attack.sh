#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Nothing wrong is claimed: random pairs with known eigenvalues, their largest, smallest and those nearest to a target,
# operators that fail, odd pairs and options (tests/attack). Three minutes in all; NAPI_ATTACK=full, which is `make attack`, has no limit and shows the tables.
. "$(dirname "$0")/tap.inc"
programs=$NAPI_BUILD/attack
cd "$scratch" || exit 1
unset PETSC_OPTIONS

# attack NP SECONDS WHAT PROGRAM...: on so many ranks, for so long
attack() {
  np=$1 seconds=$2 what=$3; shift 3
  [ "$NAPI_ATTACK" = full ] || set -- "$@" -time "$seconds"
  program=$programs/$1; shift
  # a problem that has been started is finished: a limit far beyond the budget is for those that never end
  if [ "$np" = 1 ]; then set -- "$program" "$@"; else set -- "$MPIEXEC" -n "$np" "$program" "$@"; fi
  [ "$NAPI_ATTACK" = full ] || set -- timeout 600 "$@"
  "$@" >out 2>&1
  status=$?
  ok $status "$np ranks, $what: $(tail -n 1 out)"
  if [ "$NAPI_ATTACK" = full ]; then cat out >&2; elif [ $status != 0 ]; then show out; fi
}

attack 1 5 'pairs that were once answered with the wrong end of the spectrum' pairs -family python -count 40
attack 1 5 'the same with 3000 unknowns' pairs -family python3000 -count 12
attack 1 10 'dense pairs with normal spectra' pairs -family normal160 -count 600
attack 1 35 'random pairs' pairs -from 1 -count 5000
attack 2 20 'random pairs' pairs -from 5001 -count 1000
attack 1 30 'targets anywhere, and the smallest' targets -from 1 -count 2000
attack 2 15 'targets anywhere, and the smallest' targets -from 2001 -count 400
attack 1 10 'operators that fail' faults -count 900
attack 2 10 'operators that fail' faults -from 901 -count 900
[ "$NAPI_ATTACK" = full ] && attack 3 0 'operators that fail' faults -from 1801 -count 450
if [ "$NAPI_ATTACK" = full ]; then
  attack 1 0 'odd pairs and options' odd -random 2000
  attack 2 0 'odd pairs and options' odd -every 3 -random 600
else
  attack 1 20 'odd pairs and options' odd -every 11 -random 300
  attack 2 5 'odd pairs and options' odd -every 47 -random 50
fi
finish
