# SPDX-License-Identifier: BSD-2-Clause
"""Eigenvalues of large symmetric pairs without a factorisation: SLEPc's solver type ``napi`` from Python."""
import sys

from ._eigsh import EigshNoConvergence, eigsh
from ._lib import Error, start

__all__ = ["eigsh", "EigshNoConvergence", "Error"]

if "slepc4py" in sys.modules:  # which then knows EPS.setType('napi')
    start()
