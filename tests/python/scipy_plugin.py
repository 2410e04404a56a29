# SPDX-License-Identifier: BSD-2-Clause
"""A pytest plugin that runs SciPy's own test_arpack.py, from the installed package, with slepcnapi.eigsh in the place of SciPy's:

    pytest -p scipy_plugin --pyargs scipy.sparse.linalg._eigen.arpack.tests.test_arpack -k "symmetric or eigsh"
"""
import importlib

import numpy as np
import pytest

import adapter
import slepcnapi

# not by `import … as`: a module of the same name stands in the way of the package
theirs = importlib.import_module("scipy.sparse.linalg._eigen.arpack.tests.test_arpack")

# not ours to pass, and why
OTHERS = {
    "test_eigsh_for_k_greater": "its matrix is not symmetric, and is refused",
    "test_reentering": "its operator is not symmetric, and is refused",
    "test_symmetric_no_convergence": "some are to have converged after 5 of ARPACK's iterations; 5 of ours are fewer products",
}


def eigsh(A, *args, mode="normal", rng=None, **kwargs):
    M = kwargs.get("M")
    if mode != "normal":
        pytest.skip("the transformations 'buckling' and 'cayley' are not offered")
    if any(np.iscomplexobj(X) or np.issubdtype(getattr(X, "dtype", float), np.complexfloating) for X in (A, M) if X is not None):
        pytest.skip("complex matrices are refused")
    for word in "Minv", "OPinv":
        kwargs.pop(word, None)  # nothing is factored, and nothing has to be
    adapter.count()
    return slepcnapi.eigsh(A, *args, **kwargs)


theirs.eigsh = eigsh


def pytest_collection_modifyitems(items):
    adapter.skip_others(items, OTHERS)


def pytest_sessionfinish(session):
    adapter.report(session)
