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


def run(program):
    return subprocess.run([sys.executable, "-c", HEAD + program], capture_output=True, text=True, timeout=120)


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
import time
from scipy.sparse.linalg import LinearOperator
A = laplacian(40000).tocsr()
F = LinearOperator(A.shape, matvec=lambda x: A @ x, matmat=lambda X: A @ X, dtype=float)
P = LinearOperator(A.shape, matvec=lambda x: x / 2, matmat=lambda X: X / 2, dtype=float)
random = np.random.default_rng(0)

def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4096

for i in range(15):
    if i == 5:
        before = resident()
    at = []
    def interrupt():
        at.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)
    timer = threading.Timer(random.uniform(0.05, 0.3), interrupt)
    timer.start()
    try:
        eigsh(F, 10, F if i % 3 == 2 else None, which="SA", tol=1e-12, preconditioner=P if i % 3 else None)
        print("finished")
    except KeyboardInterrupt:
        assert time.process_time() - at[0] < 1, "slow"
    timer.join()
    assert works()
print(resident() - before < 30e6)
""")
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
