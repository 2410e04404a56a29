# SPDX-License-Identifier: BSD-2-Clause
"""Several processes solve one problem together, each with its rows, or each its own:

    mpiexec -n 2 python together.py
"""
import sys

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator

import slepcnapi
from slepcnapi import Error, eigsh

size, rank = slepcnapi.ranks()
assert size == int(sys.argv[1]), f"{size} processes, not {sys.argv[1]}"

n = 200
A = sp.diags_array([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1]).tocsr()
M = sp.diags_array([np.ones(n - 1), 4 * np.ones(n), np.ones(n - 1)], offsets=[-1, 0, 1]).tocsr() / 6
exact = scipy.linalg.eigh(A.toarray(), M.toarray(), eigvals_only=True)
ends = np.linspace(0, n, size + 1).astype(int) + 7 * (np.arange(size + 1) % size > 0)  # not the same number each
mine = slice(ends[rank], ends[rank + 1])


def good(w, v, exact, A=A, M=M):
    """w everywhere the same, to the last bit, and v all rows."""
    np.testing.assert_allclose(w, exact, rtol=1e-9)
    np.testing.assert_allclose(A @ v, M @ v * w, atol=2e-7)
    np.testing.assert_allclose(v.T @ (M @ v), np.eye(len(w)), atol=1e-8)


for P in None, "gamg", sp.diags_array(1 / A.diagonal()[mine]).tocsr(), LinearOperator((ends[rank + 1] - ends[rank],) * 2, matvec=lambda x: x / 2, matmat=lambda x: x / 2, dtype=float):
    w, v, stats = eigsh(A[mine], 4, M[mine], which="SA", tol=1e-8, preconditioner=P, return_stats=True, distributed="gathered")
    good(w, v, exact[:4])
    np.testing.assert_allclose(stats["residuals"], np.linalg.norm(A @ v - M @ v * w, axis=0), atol=1e-12)
w, part = eigsh(A[mine], 4, M[mine], which="SA", tol=1e-8, X0=v[mine], distributed=True)
assert part.shape == (ends[rank + 1] - ends[rank], 4)
np.testing.assert_allclose(abs(part), abs(v[mine]), atol=1e-6)
w, others = eigsh(A[mine], 2, M[mine], which="SA", tol=1e-8, Y=v[mine], distributed="gathered")
good(w, others, exact[4:6])
for which in "LM", "LA", "BE":
    w, v = eigsh(A.toarray()[mine], 4, M.toarray()[mine], which=which, distributed="gathered", tol=1e-8)
    good(w, v, np.r_[exact[:2], exact[-2:]] if which == "BE" else exact[-4:])

# each its own, of different sizes, the ranks not waiting for each other
for turn in range(1 + 2 * rank):
    m = 60 + 10 * rank + turn
    w = eigsh(A[:m, :m], 2, which="SA", return_eigenvectors=False)
    np.testing.assert_allclose(np.sort(w), 2 - 2 * np.cos(np.pi * np.arange(1, 3) / (m + 1)), rtol=1e-9)


def refused(text, *arguments, **more):
    """On every process, whatever one of them has done."""
    try:
        eigsh(*arguments, distributed=True, **more)
    except (Error, ValueError, TypeError, ZeroDivisionError) as error:
        assert text in str(error) or "another process" in str(error), error
    else:
        assert False, "not refused: " + text


def broken(x, calls=[0]):
    calls[0] += 1
    if rank == size - 1 and calls[0] > 5:
        raise ZeroDivisionError("on one process")
    return x


bad = A[mine].copy()
if rank == 0:
    bad.data[0] = np.nan
refused("NaN", bad, 2)
refused("together they are to have a square matrix", A[mine] if rank or size == 1 else A[: ends[1] - 1], 2) if size > 1 else None
refused("not symmetric", sp.triu(A).tocsr()[mine], 2)
refused("distributed", LinearOperator(A.shape, matvec=lambda x: A @ x, dtype=float), 2)
refused("on one process", A[mine], 2, M[mine], which="SA", preconditioner=broken)
w, v = eigsh(A[mine], 4, M[mine], which="SA", tol=1e-8, distributed="gathered")
good(w, v, exact[:4])
print("good\n", end="", flush=True)  # in one piece
