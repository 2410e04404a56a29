# SPDX-License-Identifier: BSD-2-Clause
"""The library is a guest in somebody's interpreter: it prints nothing, ends nothing, and can be interrupted."""
import os
import subprocess
import sys

import pytest


HEAD = """
import os, signal, sys, threading
import numpy as np, scipy.sparse as sp
from slepcnapi import Error, eigsh

def laplacian(n):
    return sp.diags_array([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1])

def works():
    w = eigsh(laplacian(100), 2, which="SA", return_eigenvectors=False)
    return np.allclose(sorted(w), 2 - 2 * np.cos(np.pi * np.arange(1, 3) / 101))
"""


def run(program, **environment):
    return subprocess.run([sys.executable, "-c", HEAD + program], capture_output=True, text=True, timeout=120, env={**os.environ, **environment})


def test_nothing_is_printed():
    done = run("""
assert works()
try:
    eigsh(laplacian(100), 2, which="SA", preconditioner="no such")
except Error as error:
    assert "no such" in str(error), error
else:
    assert False
assert works()
""")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("operator", [False, True])
def test_interrupt(operator):
    """A solve that would take minutes ends by Ctrl-C, and the next one is right."""
    done = run(f"""
A = laplacian(300000)
if {operator}:
    from scipy.sparse.linalg import aslinearoperator
    A = aslinearoperator(A)
threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    eigsh(A, 20, which="SA", tol=1e-10)
except KeyboardInterrupt:
    print("interrupted", works())
""")
    assert (done.returncode, done.stdout) == (0, "interrupted True\n"), done.stderr


def test_interrupts_at_any_time():
    """While an operator is applied, preconditioned, between products: always a KeyboardInterrupt, within a second of this process, and nothing is left behind."""
    done = run("""
import gc, time
from scipy.sparse.linalg import LinearOperator
A = laplacian(40000).tocsr()
F = LinearOperator(A.shape, matvec=lambda x: A @ x, matmat=lambda X: A @ X, dtype=float)
M = LinearOperator(A.shape, matvec=lambda x: 6 * x - A @ x, matmat=lambda X: 6 * X - A @ X, dtype=float)
P = LinearOperator(A.shape, matvec=lambda x: x / 2, matmat=lambda X: X / 2, dtype=float)
M = LinearOperator(A.shape, matvec=lambda x: x + A @ x, matmat=lambda X: X + A @ X, dtype=float)
random = np.random.default_rng(0)

def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4096

most = [0, 0]  # in the first half and in the second one: what is left behind adds up
for i in range(24):
    at = []
    def interrupt():
        at.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)
    timer = threading.Timer(random.uniform(0.05, 0.3), interrupt)
    timer.start()
    try:
        eigsh(F, 10, M if i % 3 == 2 else None, which="SA", tol=1e-12, preconditioner=P if i % 3 else None)
        print("finished")
    except KeyboardInterrupt:
        assert time.process_time() - at[0] < 1, "slow"
    timer.join()
    assert works()
    gc.collect()
    most[i // 12] = max(most[i // 12], resident())
print(most[1] - most[0] < 2e6)
""", MALLOC_MMAP_THRESHOLD_="131072", MALLOC_TRIM_THRESHOLD_="131072")  # without these the allocator keeps what was freed, how much is a matter of time
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


def test_after_a_fork():
    done = run("""
assert works()
if not os.fork():
    try:
        works()
    except Error as error:
        print("fork" in str(error), flush=True)
    os._exit(0)
os.wait()
print(works())
""")
    assert (done.returncode, done.stdout) == (0, "True\nTrue\n"), done.stderr


def test_no_library():
    done = subprocess.run([sys.executable, "-c", HEAD + "works()"], capture_output=True, text=True, env={**os.environ, "NAPI_LIBRARY": "nowhere.so"})
    assert done.returncode == 1 and "run make" in done.stderr


def test_import_loads_nothing():
    done = subprocess.run([sys.executable, "-c", "import slepcnapi; print(any('libpetsc' in line or 'libmpi' in line for line in open('/proc/self/maps')))"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "False\n"), done.stderr


def test_signals_are_not_touched():
    """Neither by PETSc, nor by what comes with it."""
    done = run("""
def signals():
    masks = (line.split() for line in open("/proc/self/status"))
    return [int(mask[1], 16) % 2**31 for mask in masks if mask[0] in ("SigBlk:", "SigIgn:", "SigCgt:")]  # those above are the C library's own

before = signals()
assert works()
print(signals() == before)
""")
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


def test_a_handler_of_ones_own():
    """What it raises ends the solve, and it stays in place."""
    done = run("""
class Enough(Exception):
    pass

def handler(number, frame):
    raise Enough

signal.signal(signal.SIGINT, handler)
threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    eigsh(laplacian(300000), 20, which="SA", tol=1e-10)
except Enough:
    print(signal.getsignal(signal.SIGINT) is handler, works())
""")
    assert (done.returncode, done.stdout) == (0, "True True\n"), done.stderr


def test_threads():
    done = run("""
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(4) as pool:
    print(all(pool.map(lambda i: works(), range(12))))
""")
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


def test_fork_while_another_thread_works():
    """The child has no owner of the lock to wait for: it is refused all the same."""
    done = run("""
from slepcnapi import _lib
assert works()
held = threading.Event()

def hold():
    with _lib.lock:
        held.set()
        threading.Event().wait(5)

threading.Thread(target=hold, daemon=True).start()
held.wait()
if not os.fork():
    signal.alarm(4)
    try:
        works()
    except Error as error:
        print("fork" in str(error), flush=True)
    os._exit(0)
os.wait()
""")
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


def test_at_the_end():
    """What runs after us gets an exception: MPI cannot be started again."""
    done = run("""
import atexit

@atexit.register
def last():
    try:
        works()
    except Error as error:
        print("about to end" in str(error))

assert works()
""")
    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")


def test_options(tmp_path, monkeypatch):
    """PETSC_OPTIONS is read, files that lie about are not, and what PETSc refuses at its start is an exception."""
    (tmp_path / ".petscrc").write_text("-log_view :petscrc.txt\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PETSC_OPTIONS", "-log_view :log.txt")
    assert run("assert works()").returncode == 0
    assert [path.name for path in tmp_path.glob("*.txt")] == ["log.txt"]
    monkeypatch.setenv("PETSC_OPTIONS", "-options_file nowhere")
    done = run("""
for i in range(2):
    try:
        works()
    except Error as error:
        print(error)
""")
    assert (done.returncode, done.stdout.count("Unable to open options file"), done.stderr) == (0, 2, ""), done.stdout


# --- several processes ------------------------------------------------------------------------------------------------


def ranks(n, program):
    launcher = os.environ.get("MPIEXEC")
    if not launcher:
        pytest.skip("MPIEXEC names no launcher")
    return subprocess.run([*launcher.split(), "-n", str(n), sys.executable, "-c", HEAD + "import subprocess, time, slepcnapi\n" + program], capture_output=True, text=True, timeout=300)


def test_ranks():
    """All together, or each alone."""
    done = ranks(2, """
size, rank = slepcnapi.ranks()
slepcnapi.alone()
assert slepcnapi.ranks() == (1, 0) and works()
slepcnapi.alone(False)
assert slepcnapi.ranks() == (size, rank)
print(f"{rank} of {size}\\n", end="", flush=True)
""")
    assert (done.returncode, sorted(done.stdout.split("\n"))) == (0, ["", "0 of 2", "1 of 2"]), done.stderr


def test_others_end_when_one_fails():
    done = ranks(2, """
if slepcnapi.ranks()[1] == 1:
    raise ValueError("only here")
time.sleep(250)
""")
    assert done.returncode != 0 and "only here" in done.stderr


def test_children_of_a_rank():
    """They have the environment of a rank, and are none."""
    if "Open" in subprocess.run([*os.environ.get("MPIEXEC", "true").split(), "--version"], capture_output=True, text=True).stdout:
        pytest.skip("OpenMPI cannot be told: it aborts in a child of a rank")
    done = ranks(2, """
slepcnapi.ranks()
child = subprocess.run([sys.executable, "-W", "error", "-c", "import slepcnapi; print(slepcnapi.ranks())"], capture_output=True, text=True)
assert child.stdout == "(1, 0)\\n", child.stderr
""")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"])
def test_launched_by_another(name, monkeypatch):
    monkeypatch.setenv(name, "3")
    monkeypatch.setenv("PMIX_RANK", "0")  # by which MPICH would know a protocol that it does not speak, and abort
    monkeypatch.setenv("PMIX_NAMESPACE", "x")
    done = run("assert works()")
    assert done.returncode == 0 and "one of 3 that were launched together" in done.stderr


# --- estimators -------------------------------------------------------------------------------------------------------


FITS = """
import time
from slepcnapi import CCA, LDA, PCA, PLS
random = np.random.default_rng(0)
X, Y = random.standard_normal((2, 300, 20))
cca = CCA(2, random_state=1).fit(X, Y)
before, permuted = cca.summary(), cca.permutation_test(X, Y, 19).p_values
"""


@pytest.mark.parametrize("what, data, work", [
    ("a fit by napi", "400, 10000", "CCA(20, solver='napi', shrinkage=0, max_iter=100000, tol=1e-13).fit(A, B)"),
    ("a direct fit", "1000, 20000", "[CCA(20, solver='direct').fit(A, B) for i in range(100)]"),
    ("components", "400, 10000", "[PCA(100).fit(A) for i in range(1000)]"),
    ("permutations", "20, 300", "cca.permutation_test(X, Y, 10**7)"),
    ("large permutations", "100, 3000", "CCA(5, solver='napi').fit(A, B).permutation_test(A, B, 10**6)"),
    ("cross-validation", "100, 3000", "cca.cross_validate(A, B, 1000, shrinkage=[0.001, 0.01])"),
    ("bootstrap", "20, 300", "cca.bootstrap(X, Y, 10**7)"),
])
def test_interrupted_estimators(what, data, work):
    """Ctrl-C ends all that takes long within a second of this process, and leaves the object as it was, and usable."""
    done = run(FITS + f"""
A, B = (random.standard_normal(({data})).T for i in range(2))
at = []
def interrupt():
    at.append(time.process_time())
    os.kill(os.getpid(), signal.SIGINT)
threading.Timer(1.5, interrupt).start()
try:
    {work}
    print("finished")
except KeyboardInterrupt:
    assert time.process_time() - at[0] < 1, f"slow: {{time.process_time() - at[0]}}"
fitted = CCA(2, random_state=1).fit(X, Y)
assert np.array_equal(fitted.correlations_, cca.correlations_) and cca.n_features_in_ == 20 and cca.shrinkage == 1e-3
assert np.array_equal(cca.permutation_test(X, Y, 19).p_values, permuted) and cca.fit(X, Y).summary() == before and works()
print("good")
""")
    assert (done.returncode, done.stdout) == (0, "good\n"), done.stderr


def test_estimators_print_nothing_and_refuse_a_fork():
    done = run(FITS + """
cca.cross_validate(X, Y, 3, shrinkage=[0.1, 0.01]), cca.bootstrap(X, Y, 10), cca.multivariate_tests, PLS(1).fit(X, Y), PCA(1).fit(X), LDA().fit(X, np.arange(300) % 3).predict(X)
for wrong in (lambda: CCA(1, solver="napi", shrinkage=0, max_iter=1).fit(X, Y), lambda: cca.fit(X * np.nan, Y), lambda: cca.fit(X, Y[1:])):
    try:
        wrong()
    except (Error, ValueError):
        pass
    else:
        assert False
if not os.fork():
    try:
        cca.fit(X, Y)
    except Error as error:
        os._exit(0 if "fork" in str(error) else 1)
    os._exit(2)
assert os.wait()[1] == 0
""")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("program, n", [("together.py", 2), ("together_analyses.py", 2), ("together_analyses.py", 3)])
def test_together(program, n):
    """Each with its rows: the same results as one process with all of them."""
    launcher = os.environ.get("MPIEXEC")
    if not launcher:
        pytest.skip("MPIEXEC names no launcher")
    done = subprocess.run([*launcher.split(), "-n", str(n), sys.executable, os.path.join(os.path.dirname(__file__), program), str(n)], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout) == (0, n * "good\n"), done.stderr
