# SPDX-License-Identifier: BSD-2-Clause
"""Canonical correlation analysis."""
from __future__ import annotations

import numbers

import numpy as np

from ._check import check_real
from ._twoviews import TwoViews

__all__ = ["CCA"]


def check_pair(name, value, most):
    """A number, or one for each view, at least 0 and less than most."""
    both = (value, value) if isinstance(value, (str, numbers.Number)) or np.ndim(value) == 0 else value
    if len(both) != 2:
        raise ValueError(f"{name} is to be a number, or two of them, for X and for Y, not {value!r}")
    numbers_ = []
    for v in both:
        if isinstance(v, str) and v == "auto" and name == "shrinkage":
            numbers_.append(-1.0)
            continue
        if isinstance(v, bool):
            raise TypeError(f"{name} is to be a real number, not {v!r}")
        v = check_real(name, v)
        if not 0 <= v < most:
            raise ValueError(f"{name} must be at least 0" + (f" and less than {most}" if np.isfinite(most) else "") + f", not {v}")
        numbers_.append(v)
    return tuple(numbers_)


class CCA(TwoViews):
    """Canonical correlation analysis: what do two data sets share?"""

    _analysis = "cca"
    _what = "canonical pairs"

    def __init__(self, n_components: int = 2, *, shrinkage=1e-3, ridge=None, center: bool = True, scale: bool = False, solver: str = "auto", tol: float = 1e-6,
                 max_iter: int | None = None, check: str = "quick", random_state=None, warm_start: bool = False, copy: bool = True):
        self.n_components = n_components
        self.shrinkage = shrinkage
        self.ridge = ridge
        self.center = center
        self.scale = scale
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.check = check
        self.random_state = random_state
        self.warm_start = warm_start
        self.copy = copy

    def _check_regularization(self):
        if self.ridge is not None:
            return ("ridge", *check_pair("ridge", self.ridge, np.inf))
        return ("shrinkage", *check_pair("shrinkage", self.shrinkage, 1))

    def _results(self, solver):
        r = super()._results(solver)
        r["correlations_"] = solver.pairs("correlations")
        r["pearson_"] = solver.pairs("pearson")
        r["ridge_"] = solver.get("ridge", 2)
        shrinkage = solver.get("shrinkage", 2)
        r["shrinkage_"] = shrinkage if self.ridge is None else None
        if self.check == "certify":
            r["error_bounds_"] = solver.pairs("bounds")
        return r
