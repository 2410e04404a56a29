#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The Python package over this build's library: its own tests, its examples, and SciPy's tests of eigsh with ours in its place.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/python.inc"
log=$(mktemp) && trap 'rm -f "$log"' EXIT

python_ready || { echo "1..0 # SKIP python: $why"; exit 0; }
export NAPI_LIBRARY="$NAPI_BUILD/lib/libslepcnapi.so" PYTHONPATH="$here/../src/binding/python:$here/python" PYTHONDONTWRITEBYTECODE=1

number=0
try() {
  name=$1; shift
  number=$((number + 1))
  if timeout 500 "$python" -m pytest -q -p no:cacheprovider -o faulthandler_timeout=120 "$@" >"$log" 2>&1; then
    echo "ok $number - $name: $(grep -E '[0-9]+ (passed|skipped|deselected)' "$log" | tail -n 1)"
  else
    echo "not ok $number - $name"
    tail -n 60 "$log" | sed 's/^/# /'
  fi
}
try "eigsh against dense solutions, and bad input" "$here/python/test_eigsh.py"
try "a guest in somebody's interpreter" "$here/python/test_guest.py"
try "the examples of the manual" --doctest-modules "$here/../src/binding/python/slepcnapi"
cd "$here/.." || exit 1 # the data of the pages are called by their names in the clone
try "the examples of README.md and docs/python.md" --doctest-glob='*.md' README.md docs/python.md
try "the programs of examples/python" "$here/python/test_examples.py"
try "SciPy's own tests" -p scipy_plugin --pyargs scipy.sparse.linalg._eigen.arpack.tests.test_arpack -k "(symmetric or eigsh or parallel or reentering) and not nonsymmetric"
echo "1..$number"
