# SPDX-License-Identifier: BSD-2-Clause
"""Eigenvalues of large symmetric pairs without a factorisation: SLEPc's solver type ``napi`` from Python."""
import sys

from ._eigsh import EigshNoConvergence, eigsh
from ._lib import Error, alone, ranks, register

__all__ = ["eigsh", "EigshNoConvergence", "Error", "alone", "ranks", "register"]

if "slepc4py.SLEPc" in sys.modules:  # which then knows EPS.setType('napi')
    try:
        register()
    except Error as error:
        raise ImportError(str(error)) from None
