#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# pip wheel and pip install: what is in the wheel, that it needs neither clone nor cache, serves another user, and runs under mpiexec; and an editable installation.
. "$(dirname "$0")/tap.inc"
. "$(dirname "$0")/python.inc"
cd "$(dirname "$0")/.." || exit 1
root=$PWD
python_ready || { echo "1..0 # SKIP python_install: $why"; exit 0; }
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES PYTHONPATH NAPI_LIBRARY
export PIP_DISABLE_PIP_VERSION_CHECK=1 BUILD="$NAPI_BUILD"

# the stack of this build, by the name that make knows it by
kind=$(sed -n 's/^override STACK_KIND = //p' "$NAPI_BUILD/stack.mk")
case $kind in system) unset PETSC_DIR PETSC_ARCH SLEPC_DIR ;; *) export STACK="$kind" ;; esac
run() { "$@" >"$scratch/log" 2>&1; }

# --- the wheel -------------------------------------------------------------------------------------------------

touch "$scratch/before"
if grep -q 'define PETSC_USE_COMPLEX' "$PETSC_DIR/$PETSC_ARCH/include/petscconf.h"; then
  ! run "$python" -m pip wheel -v --no-deps -w "$scratch" . && grep -q 'not real and of double precision' "$scratch/log"
  ok $? "a PETSc with complex numbers is refused in one sentence" || show "$scratch/log"
  finish
fi
began=$(date +%s)
run "$python" -m pip wheel --no-deps -w "$scratch" .
ok $? "pip wheel . ($(($(date +%s) - began)) s with everything built)" || show "$scratch/log"
wheel=$(ls "$scratch"/*.whl)
case $wheel in */slepcnapi-"$(sed -n 's/^#define SLEPCNAPI_VERSION *"\(.*\)"/\1/p' include/slepcnapi.h)"-py3-none-linux_*.whl) true ;; *) false ;; esac
ok $? "for every Python 3 on this platform, of the header's version: ${wheel##*/} ($(wc -c <"$wheel") bytes)"
[ -z "$(find . \( -path ./.git -o -path ./build -o -path "$NAPI_BUILD" -o -name __pycache__ \) -prune -o -type f -newer "$scratch/before" -print)" ] && [ ! -e "$NAPI_BUILD/python-wheel" ]
ok $? "nothing is left behind in the clone"
"$python" -m zipfile -e "$wheel" "$scratch/wheel"
(cd "$scratch/wheel/slepcnapi" && ls py.typed __init__.py lib/*) >"$scratch/files"
sed -n 's/^Requires-Dist: //p' "$scratch"/wheel/*.dist-info/METADATA >"$scratch/needs"
if [ "$kind" = pypi ]; then
  grep -q lib/libslepcnapi.so "$scratch/files" && grep -q lib/libpetsc.so "$scratch/files" && grep -q lib/libslepc.so "$scratch/files" && grep -q "^mpich==$(sed -n 's/^mpich==//p' src/stack/versions)\$" "$scratch/needs"
  ok $? "it carries PETSc and SLEPc, and asks for the package mpich" || show "$scratch/files"
  readelf -d "$scratch"/wheel/slepcnapi/lib/*.so* | grep -E 'R(UN)?PATH' >"$scratch/paths"
  [ "$(wc -l <"$scratch/paths")" = 3 ] && ! grep -v '\[$ORIGIN:$ORIGIN/\.\./\.\./\.\./\.\.\]' "$scratch/paths"
  ok $? "every search path is relative" || show "$scratch/paths"
else
  [ "$(grep -c lib/ "$scratch/files")" = 1 ] && ! grep -q mpich "$scratch/needs"
  ok $? "a stack that is not ours is not carried along, nor is an MPI asked for" || show "$scratch/files"
fi
grep -q '^numpy' "$scratch/needs" && grep -q '^scipy' "$scratch/needs" && [ "$(sed -n 's/^Provides-Extra: //p' "$scratch"/wheel/*.dist-info/METADATA | tr '\n' ' ')" = "sklearn plot pandas all " ]
ok $? "NumPy and SciPy are needed, scikit-learn, matplotlib and pandas are extras" || show "$scratch/needs"
! run "$python" -c 'import sys; sys.path.insert(0, "src/binding/python"); import backend; backend.build_sdist(".")' && tail -n 1 "$scratch/log" | grep -q -e 'the clone is the source' -e 'No module named .setuptools'
ok $? "a source package is refused in one sentence" || show "$scratch/log"

# --- in a fresh environment, for somebody else -----------------------------------------------------------------

cat >"$scratch/use.py" <<'END'
import sys
import numpy as np, scipy.sparse as sp
import slepcnapi

n = 100
A = sp.diags([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], [-1, 0, 1])
w = slepcnapi.eigsh(A, 2, which="SA", return_eigenvectors=False)
assert np.allclose(sorted(w), 2 - 2 * np.cos(np.pi * np.arange(1, 3) / (n + 1))), w
X = np.random.default_rng(0).standard_normal((60, 4))
assert abs(slepcnapi.CCA(2, shrinkage=0).fit(X, X[:, ::-1]).correlations_ - 1).max() < 1e-12  # without scikit-learn
libraries = {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}
for word in sys.argv[1:]:
    assert not any(word in path for path in libraries), (word, libraries)
print("rank %d of %d\n" % slepcnapi.ranks()[::-1], end="")
END
public=$scratch/public
mkdir -p "$public/tmp" && chmod 755 "$scratch" "$public" && chmod 1777 "$public/tmp" && chmod 644 "$scratch/use.py"
somebody= base=$python
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  for p in python3 /usr/bin/python3; do
    if other "$(command -v $p)" -c 'import venv' 2>/dev/null; then somebody=yes base=$(command -v $p) && break; fi
  done
fi
as() { if [ -n "$somebody" ]; then other_mpi "$@"; else run env -i PATH="$PATH" HOME=/nonexistent OPENBLAS_NUM_THREADS=1 timeout 300 "$@"; fi; }
venv=$public/venv
began=$(date +%s)
run "$base" -m venv --without-pip "$venv" && run "$python" -m pip --python "$venv/bin/python" install "$wheel"
ok $? "pip install of the wheel in a fresh environment ($(($(date +%s) - began)) s, NumPy and SciPy included)" || show "$scratch/log"
[ -n "$somebody" ] || skip "this is not root, or there is no Python that others can run" "another user; what follows is done as this one"
words="$root $NAPI_BUILD"
[ "$kind" != pypi ] || words="$words $PETSC_DIR $(dirname "$(dirname "$MPICC")")"
as "$venv/bin/python" "$scratch/use.py" $words && grep -q 'rank 0 of 1' "$scratch/log"
ok $? "${somebody:+another user, who cannot read our home, }solves with it, and with nothing of the clone or the cache" || show "$scratch/log"
launcher=$MPIEXEC
[ "$kind" != pypi ] || launcher=$venv/bin/mpiexec
as env OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 MPIR_CVAR_CH4_PROGRESS_THROTTLE=1 MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT=1 "$launcher" -n 2 "$venv/bin/python" "$scratch/use.py" && grep -q 'rank 0 of 2' "$scratch/log" && grep -q 'rank 1 of 2' "$scratch/log"
ok $? "on two ranks, by ${launcher##*/} of $([ "$kind" = pypi ] && echo 'the environment itself' || echo 'the stack')" || show "$scratch/log"
if [ "$kind" = pypi ]; then
  # where the libraries of mpich are not where ours look for them, the list of its files says where they are
  mkdir "$venv/elsewhere" && cp -r "$venv"/lib/python3*/site-packages/slepcnapi "$venv/elsewhere" && chmod -R a+rX "$venv/elsewhere"
  as env PYTHONPATH="$venv/elsewhere" "$venv/bin/python" "$scratch/use.py" site-packages/slepcnapi && grep -q 'rank 0 of 1' "$scratch/log"
  ok $? "installed apart from mpich, it finds that" || show "$scratch/log"
  run "$python" -m pip --python "$venv/bin/python" uninstall -y mpich
  ! as "$venv/bin/python" "$scratch/use.py" && tail -n 1 "$scratch/log" | grep -q 'Error: libmpi.so.12 was not found: it comes with the package mpich'
  ok $? "without mpich it says what is missing, in one sentence" || show "$scratch/log"
fi

# --- editable --------------------------------------------------------------------------------------------------

run "$python" -m venv --without-pip "$scratch/editable" && run "$python" -m pip --python "$scratch/editable/bin/python" install --no-deps -e .
ok $? "pip install -e ." || show "$scratch/log"
# NumPy and SciPy are those of the tests; the library that the last make has built in the clone is only there if that was in build/
(cd / && run env NAPI_LIBRARY="$NAPI_BUILD/lib/libslepcnapi.so" PYTHONPATH="$(echo "$environment"/lib/python3*/site-packages)" "$scratch/editable/bin/python" -c 'import runpy, sys, slepcnapi; print(slepcnapi.__file__); runpy.run_path(sys.argv[1])' "$scratch/use.py") && grep -q "^$root/src/binding/python/slepcnapi/" "$scratch/log" && grep -q 'rank 0 of 1' "$scratch/log"
ok $? "uses the package of the clone, and the library of this build" || show "$scratch/log"
rm -rf "$NAPI_BUILD/python-editable"

finish
