# SPDX-License-Identifier: BSD-2-Clause
"""Analyses of two views of the same samples: scores, the way back, and predictions of the second view from the first."""
from __future__ import annotations

import numpy as np
import scipy.sparse

from ._base import (Analysis, BaseEstimator, ClassNamePrefixFeaturesOutMixin, MultiOutputMixin, RegressorMixin, TransformerMixin, compute_scores,
                    set_columns)
from ._data import as_samples, as_weights
from ._lib import agreed
from ._solver import Solver

__all__ = ["TwoViews"]


class TwoViews(Analysis, ClassNamePrefixFeaturesOutMixin, TransformerMixin, RegressorMixin, MultiOutputMixin, BaseEstimator):
    """Two data sets, row i of both being the same sample."""

    _analysis = ""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        tags.target_tags.required = False
        return tags

    # --- fit

    def _check_views(self, X, y, *, reset):
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None: it is about two data sets.")
        X = self._check_X(X, reset=reset, least=2)
        y = as_samples("y", y, type(self).__name__, ensure_2d=False, least=2)
        if X.shape[0] != y.shape[0]:
            raise ValueError(f"Found input variables with inconsistent numbers of samples: [{X.shape[0]}, {y.shape[0]}]. Row i of both is to be the same sample.")
        return X, y

    def _check_components(self, k, X, y):
        most = min(X.shape[1], y.shape[1])
        if k > most:
            raise ValueError(f"`n_components` upper bound is {most}. Got {k} instead. Reduce `n_components`.")

    def _solver(self, X, y, weights, start=None):
        """With all choices made."""
        k = self._check_choices()
        self._check_components(k, X, y)
        regularization = self._check_regularization()
        solver = Solver(self._analysis, X, y)

        def prepare():
            self._set_choices(solver, k, weights)
            if regularization is not None:
                getattr(solver, "set_" + regularization[0])(*regularization[1:])
            if start is not None:
                solver.set_initial(*start)

        return solver, prepare, k

    def _check_regularization(self):
        return None

    def _start(self, X, y):
        """The directions of an earlier fit, where they fit."""
        fits = hasattr(self, "n_components_") and self.x_weights_.shape[0] == X.shape[1] and self.y_weights_.shape[0] == y.shape[1]
        return (self.x_weights_, self.y_weights_) if fits else None

    def fit(self, X, y=None, sample_weight=None):
        """Find the pairs of directions.

        Parameters
        ----------
        X : array, sparse array or data frame of shape (n_samples, n_features)
            Samples as rows. Not copied if it is in double precision and in Fortran's order, or in CSR format; otherwise copied once.
        y : the same, of shape (n_samples, n_targets) or (n_samples,)
            The same samples, other variables.
        sample_weight : array of shape (n_samples,), optional
            How often each sample counts; 0 is as if it were not there.

        Returns
        -------
        self : object
            Fitted.
        """
        given = X, y
        with self._or_as_before():
            with agreed():
                self._check_choices()
                X, y = self._check_views(X, y, reset=True)
                weights = as_weights(sample_weight, X.shape[0])
                solver, prepare, k = self._solver(X, y, weights, self._start(X, y) if self.warm_start else None)
            with solver:
                prepare()
                solver.solve()
                self._finish(solver, k, given[1])
        if not self.copy:
            for view, mean, scale in ((given[0], self.x_mean_, self.x_scale_), (given[1], self.y_mean_, self.y_scale_)):
                set_columns(view, mean, scale)
        return self

    def _finish(self, solver, k, y):
        self._check_converged(solver, k)
        results = self._results(solver)
        names = getattr(y, "columns", None)
        if names is not None and all(isinstance(name, str) for name in names):
            results["target_names_in_"] = np.asarray(names, dtype=object)
        results["_predict_1d"] = not scipy.sparse.issparse(y) and np.asarray(y).ndim == 1
        self._store(results)

    def _results(self, solver):
        """All there is to know after the solution, of both views, as attributes."""
        r = {"n_components_": solver.converged, "n_iter_": [max(1, solver.steps)] * solver.converged, "solver_": solver.text("type"), "reason_": solver.text("reason"),
             "residuals_": solver.pairs("residuals")}
        covariance = {}
        for view, v in enumerate("xy"):
            mean, scale, kept = self._standardization(solver, view)
            W = self._directions(solver, kept, view)
            r.update({f"{v}_mean_": mean, f"{v}_scale_": scale, f"{v}_weights_": W, f"{v}_rotations_": W})
            r[f"{v}_structure_"] = solver.columns("loadings", view)
            r[f"{v}_cross_structure_"] = solver.columns("cross loadings", view)
            factor = solver.variables("factors", view)
            # standard deviations, of variables as they enter the scores
            covariance[v] = np.where(factor > 0, 1 / np.where(factor > 0, factor, 1), 0.0) / scale
        r["redundancy_"] = np.column_stack([solver.pairs("redundancy", view) for view in (0, 1)])
        self._add_regressions(r, covariance["x"], covariance["y"])
        return r

    @staticmethod
    def _add_regressions(r, sx, sy):
        """X and y from their own scores, and y from those of X: all from correlations that are known."""
        for v, s in (("x", sx), ("y", sy)):
            W, L = r[f"{v}_weights_"], r[f"{v}_structure_"]
            deviation = np.einsum("jk,jk,j->k", W, L, s)  # of the scores
            C = L * s[:, None] * deviation  # covariances of variables with scores
            r[f"{v}_loadings_"] = C @ np.linalg.pinv(W.T @ C, hermitian=True)
            if v == "x":
                cross = r["y_cross_structure_"] * (sy * r["y_scale_"])[:, None] * deviation
                r["_regression"] = np.linalg.pinv(W.T @ C, hermitian=True) @ cross.T
        r["intercept_"] = r["y_mean_"].copy()

    # --- use

    def transform(self, X, y=None, copy=True):
        """Compute scores.

        Parameters
        ----------
        X : array, sparse array or data frame of shape (n_samples, n_features)
            Samples.
        y : the same, of shape (n_samples, n_targets), optional
            Samples of the second view; they need not be those of X.
        copy : bool
            False allows to centre and scale arrays of floating-point numbers in place.

        Returns
        -------
        x_scores : array of shape (n_samples, n_components_)
            Alone if y is None.
        y_scores : array of shape (n_samples, n_components_)
        """
        self._check_fitted()
        x_scores = compute_scores("X", self._check_X(X), self.x_mean_, self.x_scale_, self.x_rotations_)
        y_scores = None
        if y is not None:
            samples = as_samples("y", y, type(self).__name__, ensure_2d=False)
            if samples.shape[1] != self.y_mean_.size:
                raise ValueError(f"y has {samples.shape[1]} columns, but {type(self).__name__} was fitted with {self.y_mean_.size}")
            y_scores = compute_scores("y", samples, self.y_mean_, self.y_scale_, self.y_rotations_)
        if not copy:
            set_columns(X, self.x_mean_, self.x_scale_)
            set_columns(y, self.y_mean_, self.y_scale_)
        return x_scores if y is None else (x_scores, y_scores)

    def fit_transform(self, X, y=None, sample_weight=None):
        """Fit, and compute the scores of the same samples.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`.

        Returns
        -------
        x_scores, y_scores : arrays of shape (n_samples, n_components_)
        """
        return self.fit(X, y, sample_weight).transform(X, y)

    def inverse_transform(self, X, y=None):
        """Go back from scores to the variables, as far as the scores know them.

        Parameters
        ----------
        X : array of shape (n_samples, n_components_)
            Scores of the first view.
        y : array of shape (n_samples, n_components_), optional
            Scores of the second view.

        Returns
        -------
        X_original : array of shape (n_samples, n_features)
            Alone if y is None. Exact if there are as many components as variables.
        Y_original : array of shape (n_samples, n_targets)
        """
        self._check_fitted()
        back = []
        for name, S, v in (("X", X, "x"), ("y", y, "y")):
            if S is None:
                continue
            S = as_samples(name, S, type(self).__name__)
            if S.shape[1] != self.n_components_:
                raise ValueError(f"{name} has {S.shape[1]} columns, which are to be the scores of {self.n_components_} {self._what}")
            back.append(np.asarray(S @ getattr(self, f"{v}_loadings_").T) * getattr(self, f"{v}_scale_") + getattr(self, f"{v}_mean_"))
        return back[0] if y is None else tuple(back)

    def predict(self, X, copy=True):
        """Predict y by least squares from the scores of X.

        Parameters
        ----------
        X : array, sparse array or data frame of shape (n_samples, n_features)
            Samples.
        copy : bool
            False allows to centre an array of floating-point numbers in place.

        Returns
        -------
        y : array of shape (n_samples, n_targets), or (n_samples,) if it was so in `fit`
        """
        self._check_fitted()
        y = compute_scores("X", self._check_X(X), self.x_mean_, self.x_scale_, self.x_rotations_) @ self._regression + self.intercept_
        if not copy:
            set_columns(X, self.x_mean_, np.ones_like(self.x_mean_))
        return y.ravel() if self._predict_1d else y

    @property
    def coef_(self):
        """The matrix of `predict`, y = (X - x_mean_) @ coef_.T + intercept_; made when it is asked for, since it can be large."""
        if not hasattr(self, "n_components_"):
            raise AttributeError(f"{type(self).__name__} has no coef_ before it is fitted")
        return (self.x_rotations_ / self.x_scale_[:, None] @ self._regression).T
