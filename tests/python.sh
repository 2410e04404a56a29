#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The Python package over this build's library: its own tests, its examples, and the tests of others from their own packages, with ours in the place of theirs.
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
    tail -n 60 "$log" | sed 's/^/# /' >&2
  fi
}
try "eigsh against dense solutions, and bad input" "$here/python/test_eigsh.py"
try "CCA against its definition, statsmodels and scikit-learn, from data of every form" "$here/python/test_cca.py"
try "PLS, LDA, PCA and GEV against scikit-learn and dense solutions" "$here/python/test_analyses.py"
try "permutations, cross-validation, bootstrap and report: those of napi-cca" "$here/python/test_inference.py"
try "scikit-learn's checks of estimators, pipelines, searches, pickles; and without it" "$here/python/test_sklearn.py"
try "bad input of estimators" "$here/python/test_bad_input.py"
try "memory: copies, maps larger than what may be had, thousands of fits" "$here/python/test_memory.py"
try "a guest in somebody's interpreter" "$here/python/test_guest.py"
try "the examples of the manual" --doctest-modules "$here/../src/binding/python/slepcnapi"
try "SciPy's own tests of eigsh" -p scipy_plugin --pyargs scipy.sparse.linalg._eigen.arpack.tests.test_arpack -k "(symmetric or eigsh or parallel or reentering) and not nonsymmetric"
try "SciPy's own tests of lobpcg, over eigsh" -p lobpcg_plugin --pyargs scipy.sparse.linalg._eigen.lobpcg.tests.test_lobpcg
try "scikit-learn's own tests of CCA" -p sklearn_plugin --pyargs sklearn.cross_decomposition.tests.test_pls
cd "$here/.." || exit 1 # the data of the pages are called by their names in the clone
try "the examples of README.md and docs/python.md" --doctest-glob='*.md' README.md docs/python.md
try "the programs of examples/python" "$here/python/test_examples.py"
echo "1..$number"
