# SPDX-License-Identifier: BSD-2-Clause
"""What all estimators share. They are scikit-learn's estimators where it is installed, and behave alike where it is not."""
from __future__ import annotations

import contextlib
import warnings

import numpy as np
import scipy.sparse

from ._check import check_integer, check_real
from ._data import as_samples, refuse_infinite
from ._lib import Error

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, ClassNamePrefixFeaturesOutMixin, MultiOutputMixin, RegressorMixin, TransformerMixin
    from sklearn.exceptions import ConvergenceWarning, DataConversionWarning, NotFittedError
    from sklearn.utils.validation import validate_data
except ImportError:
    from ._standin import (BaseEstimator, ClassifierMixin, ClassNamePrefixFeaturesOutMixin, ConvergenceWarning, DataConversionWarning, MultiOutputMixin,
                           NotFittedError, RegressorMixin, TransformerMixin, validate_data)

__all__ = ["Analysis", "BaseEstimator", "ClassNamePrefixFeaturesOutMixin", "ClassifierMixin", "ConvergenceWarning", "DataConversionWarning", "MultiOutputMixin",
           "NotFittedError", "RegressorMixin", "TransformerMixin", "compute_scores", "set_columns"]

SOLVERS = ("auto", "direct", "napi", "eps", "appgrad", "als", "si", "lazy")
CHECKS = ("none", "quick", "certify")
_HELPS = {  # by the library's reason
    "DIVERGED_ITS": "a larger shrinkage, a larger tol or max_iter may help",
    "DIVERGED_ACCURACY": "a larger tol, which rounding errors allow, or a larger shrinkage may help",
    "DIVERGED_BREAKDOWN": "a larger shrinkage may help",
}
_CHUNK = 2**20  # numbers that are centred and scaled together: a few megabytes


def _in_chunks(X, function):
    step = max(1, _CHUNK // X.shape[1])
    return [function(X[i:i + step]) for i in range(0, X.shape[0], step)] or [function(X)]


def compute_scores(name, X, mean, scale, weights):
    """(X - mean)/scale times weights, of data that stay sparse, or as they are; only a few rows are copied at a time."""
    weights = weights / scale[:, None]
    with np.errstate(invalid="ignore", over="ignore"):
        scores = np.asarray(X @ weights) - mean @ weights if scipy.sparse.issparse(X) else np.vstack(_in_chunks(X, lambda part: (part - mean) @ weights))
        scores = scores.astype(np.float64, copy=False)
    if not np.isfinite(scores).all():  # as they are where all entries are
        refuse_infinite(name, X)
    return scores


def set_columns(X, mean, scale):
    """Centres and scales an array where it is, which is what copy=False allows."""
    if isinstance(X, np.ndarray) and X.dtype.kind == "f" and X.flags.writeable:
        X -= mean.astype(X.dtype)
        X /= scale.astype(X.dtype)


class Analysis:
    """An analysis of the library: what its parameters may be, how it is solved, and what is said where it does not converge. To be inherited first."""

    _what = "pairs"

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    # --- what goes in

    def _check_choices(self, k=None):
        """Those that all analyses have; how many directions are wanted, where it is not known yet."""
        k = check_integer("n_components", self.n_components) if k is None else k
        if not 1 <= k < 2**31 or isinstance(self.n_components, bool):
            raise ValueError(f"n_components must be at least 1, not {self.n_components!r}")
        for name in ("center", "scale", "warm_start", "copy"):
            value = getattr(self, name, False)
            if not isinstance(value, (bool, np.bool_)):
                raise TypeError(f"{name} is to be True or False, not {value!r}")
        for name, known in (("solver", SOLVERS), ("check", CHECKS)):
            value = getattr(self, name, known[0])
            if not isinstance(value, str) or value not in known:
                raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}, not {value!r}")
        tol = check_real("tol", self.tol)
        if not 0 < tol < 1:
            raise ValueError(f"tol must be larger than 0 and less than 1, not {tol}")
        if self.max_iter is not None and (check_integer("max_iter", self.max_iter) < 1 or self.max_iter >= 2**31):
            raise ValueError(f"max_iter must be at least 1, or None for the library's choice, not {self.max_iter!r}")
        return k

    def _check_X(self, X, *, reset=False, least=1):
        samples = as_samples("X", X, type(self).__name__, least=least)
        validate_data(self, X if hasattr(X, "columns") else samples, reset=reset, skip_check_array=True)
        return samples

    @contextlib.contextmanager
    def _or_as_before(self):
        """A fit that fails leaves the estimator as it was."""
        before = dict(vars(self))
        try:
            yield
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    def _check_fitted(self):
        if not hasattr(self, "n_components_"):
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments before using this estimator.")

    def _set_choices(self, solver, k, weights=None):
        solver.set(k, getattr(self, "solver", "auto"), self.tol, self.max_iter, getattr(self, "center", True), getattr(self, "scale", False), getattr(self, "check", "quick"))
        if weights is not None:
            solver.set_weights(weights)

    # --- what comes out

    def _check_converged(self, solver, k):
        """Only what has converged is given; fewer than asked for is a warning, none is an error."""
        reason = solver.text("reason")
        if solver.converged >= k:
            return
        if reason == "CONVERGED_RANK":
            if not solver.converged:
                raise ValueError(f"There are no {self._what}: nothing varies in the data, or nothing in common")
            warnings.warn(f"There are {solver.converged} {self._what} only, not {k}: the data have no more directions", ConvergenceWarning, stacklevel=3)
            return
        helps = _HELPS.get(reason)
        message = (f"{solver.converged} of {k} {self._what} have converged to tol={self.tol:g} in {solver.steps} steps of the solver {solver.text('type')} ({reason})"
                   + (f": {helps}" if helps else ""))
        if not solver.converged:
            raise Error(message)
        warnings.warn(message + "; the others are left out", ConvergenceWarning, stacklevel=3)

    def _standardization(self, solver, view=0):
        """Means, and what columns are divided by; a constant column, which the library leaves out, is divided by 1."""
        factor = solver.variables("scales", view)
        return solver.variables("means", view), np.where(factor > 0, 1 / np.where(factor > 0, factor, 1), 1.0), factor > 0

    def _directions(self, solver, kept, view=0):
        return solver.columns("directions", view) * kept[:, None]

    def _store(self, results):
        """Everything at once, when nothing can go wrong any more; what belongs to an earlier fit is gone."""
        for name in [name for name in vars(self) if name.endswith("_") and name not in ("n_features_in_", "feature_names_in_")]:
            delattr(self, name)
        vars(self).update(results)

    @property
    def _n_features_out(self):
        return self.n_components_
