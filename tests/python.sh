#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The Python package over this build's library: its own tests, its examples, and SciPy's tests of eigsh with ours in its place.
set -u
here=$(cd "$(dirname "$0")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/slepc-napi/python
log=$(mktemp) && trap 'rm -f "$log"' EXIT

# NumPy, SciPy and pytest, once, in an environment of their own
if ! [ -e "$cache/done" ]; then
  rm -rf "$cache"
  if ! { mkdir -p "$(dirname "$cache")" && python3 -m venv "$cache" && "$cache/bin/pip" install -q numpy scipy pytest && touch "$cache/done"; } >"$log" 2>&1; then
    echo "1..0 # SKIP python: no environment with numpy, scipy and pytest could be made ($(tail -n 1 "$log"))"
    exit 0
  fi
fi
export NAPI_LIBRARY="$NAPI_BUILD/lib/libslepcnapi.so" PYTHONPATH="$here/../src/binding/python:$here/python" PYTHONDONTWRITEBYTECODE=1

number=0
try() {
  name=$1; shift
  number=$((number + 1))
  if timeout 500 "$cache/bin/python" -m pytest -q -p no:cacheprovider -o faulthandler_timeout=120 "$@" >"$log" 2>&1; then
    echo "ok $number - $name: $(tail -n 1 "$log")"
  else
    echo "not ok $number - $name"
    tail -n 60 "$log" | sed 's/^/# /'
  fi
}
echo 1..4
try "eigsh against dense solutions, and bad input" "$here/python/test_eigsh.py"
try "a guest in somebody's interpreter" "$here/python/test_guest.py"
try "the examples of the manual" --doctest-modules "$here/../src/binding/python/slepcnapi/_eigsh.py"
try "SciPy's own tests" -p scipy_plugin --pyargs scipy.sparse.linalg._eigen.arpack.tests.test_arpack -k "(symmetric or eigsh or parallel or reentering) and not nonsymmetric"
