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


