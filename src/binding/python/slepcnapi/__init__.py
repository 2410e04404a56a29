# SPDX-License-Identifier: BSD-2-Clause
"""Canonical correlations of data of any size, and eigenvalues of large symmetric pairs without a factorisation, by PETSc and SLEPc."""
import importlib
import sys

from ._eigsh import EigshNoConvergence, eigsh
from ._lib import Error, alone, gather, ranks, register

__all__ = ["CCA", "GEV", "LDA", "PCA", "PLS", "eigsh", "EigshNoConvergence", "Error", "alone", "gather", "ranks", "register"]

_ESTIMATORS = {"CCA": "_cca", "PLS": "_analyses", "LDA": "_analyses", "PCA": "_analyses", "GEV": "_analyses"}  # imported when they are asked for: scikit-learn, if it is there, takes its time


def __getattr__(name):
    if name not in _ESTIMATORS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module("." + _ESTIMATORS[name], __name__), name)
    return value


def __dir__():
    return sorted([*globals(), *_ESTIMATORS])


if "slepc4py.SLEPc" in sys.modules:  # which then knows EPS.setType('napi')
    try:
        register()
    except Error as error:
        raise ImportError(str(error)) from None
