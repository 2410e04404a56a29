# SPDX-License-Identifier: BSD-2-Clause
"""The other analyses that are eigenproblems of the same operators: PLS, LDA, PCA and GEV."""
from __future__ import annotations

import warnings

import numpy as np

from . import _plot
from ._base import Analysis, BaseEstimator, ClassifierMixin, ClassNamePrefixFeaturesOutMixin, DataConversionWarning, TransformerMixin, compute_scores
from ._check import check_integer, check_real
from ._data import as_groups, as_samples, as_weights, largest, refuse_infinite, together
from ._lib import agreed
from ._solver import Solver, classify
from ._twoviews import TwoViews

__all__ = ["GEV", "LDA", "PCA", "PLS"]


class PLS(TwoViews):
    """Partial least squares: what do two data sets share, by covariance?

    Pairs of unit vectors u and v are found for which the covariance of the scores X u and y v is largest, each orthogonal to those before: the
    singular vectors of the covariance between X and y, which is not formed. (scikit-learn's PLSSVD is the same; its PLSCanonical and PLSRegression
    deflate the data from pair to pair.)

    Parameters
    ----------
    n_components : int
        How many pairs.
    center, scale : bool
        Whether means are taken off, and variables divided by their standard deviations.
    solver : {'auto', 'direct', 'napi', 'eps'}
        The library's CCA type.
    tol : float
        The relative residual at which a pair has converged.
    max_iter : int, optional
        The largest number of steps of the solver.
    warm_start : bool
        Whether `fit` begins with the directions of the one before.
    copy : bool
        False allows to centre and scale arrays in place.

    Attributes
    ----------
    covariances_ : array of shape (n_components_,)
        Covariances of the scores, over n.
    x_weights_, y_weights_, x_rotations_, y_rotations_, x_loadings_, y_loadings_, x_structure_, y_structure_, x_cross_structure_, y_cross_structure_
        As for `CCA`.
    x_mean_, y_mean_, x_scale_, y_scale_, coef_, intercept_, redundancy_, residuals_, n_components_, n_iter_, solver_, reason_
        As for `CCA`.
    n_features_in_ : int
        Variables of X.
    feature_names_in_ : array of shape (n_features_in_,)
        Their names, where X had names that are strings.

    Examples
    --------
    >>> import numpy as np
    >>> from slepcnapi import PLS
    >>> rng = np.random.default_rng(0)
    >>> X, Y = rng.standard_normal((100, 5)), rng.standard_normal((100, 4))
    >>> pls = PLS(n_components=2).fit(X, Y)
    >>> S = (X - X.mean(axis=0)).T @ (Y - Y.mean(axis=0)) / 100
    >>> bool(np.allclose(pls.covariances_, np.linalg.svd(S)[1][:2]))
    True
    """

    _analysis = "pls"
    _what = "pairs"

    def __init__(self, n_components: int = 2, *, center: bool = True, scale: bool = False, solver: str = "auto", tol: float = 1e-6, max_iter: int | None = None,
                 warm_start: bool = False, copy: bool = True):
        self.n_components = n_components
        self.center = center
        self.scale = scale
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.copy = copy

    def _results(self, solver):
        r = super()._results(solver)
        r["covariances_"] = solver.pairs("values")
        return r

    def plot(self, X, y, figure=None):
        """Draw covariances, scores of the first two pairs, and variables. Needs matplotlib.

        Parameters
        ----------
        X, y
            Samples.
        figure : matplotlib.figure.Figure, optional
            To draw on; otherwise a new one.

        Returns
        -------
        matplotlib.figure.Figure
        """
        self._check_fitted()
        return _plot.draw_pairs(self, *self.transform(X, y), figure)


class _OneView(Analysis):
    """Directions of one set of variables."""

    _values = ""  # what the values are called

    def _run(self, solver, k, weights=None, regularization=None):
        with solver:
            self._set_choices(solver, k, weights)
            if regularization is not None:
                getattr(solver, "set_" + regularization[0])(*regularization[1:])
            solver.solve()
            self._check_converged(solver, k)
            mean, scale, kept = self._standardization(solver)
            results = {"n_components_": solver.converged, "n_iter_": max(1, solver.steps), "solver_": solver.text("type"), "reason_": solver.text("reason"),
                       "residuals_": solver.pairs("residuals"), "mean_": mean, "scale_": scale, "weights_": self._directions(solver, kept),
                       "structure_": solver.columns("loadings"), self._values: solver.pairs("values")}
            results.update(self._results(solver))
        self._store(results)

    def _results(self, solver):
        return {}

    def _check_components(self, k, most):
        if k > most:
            raise ValueError(f"`n_components` upper bound is {most}. Got {k} instead. Reduce `n_components`.")

    def transform(self, X):
        """Compute scores.

        Parameters
        ----------
        X : array, sparse array or data frame of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        scores : array of shape (n_samples, n_components_)
        """
        self._check_fitted()
        return compute_scores("X", self._check_X(X), self.mean_, self.scale_, self.weights_)


def _check_regularization(shrinkage, ridge):
    """One number; that for the covariance in the denominator is what counts."""
    name, value, most = ("shrinkage", shrinkage, 1) if ridge is None else ("ridge", ridge, np.inf)
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is to be a real number, not {value!r}")
    value = check_real(name, value)
    if not 0 <= value < most:
        raise ValueError(f"{name} must be at least 0" + (" and less than 1" if most == 1 else "") + f", not {value}")
    return name, value, value


class LDA(_OneView, ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClassifierMixin, BaseEstimator):
    """Fisher's discriminant analysis: what tells classes apart?

    Directions u are found for which the variance of the score X u between the classes is largest compared to that within them. A sample is taken
    for the class whose mean score is nearest, classes counting by their shares of the samples.

    Parameters
    ----------
    n_components : int, optional
        How many directions: all, which is one less than there are classes, or the number of variables.
    shrinkage : float
        How far the covariance is drawn towards a multiple of the identity, at least 0 and less than 1.
    ridge : float, optional
        What is added to the variances instead, in the units of the data.
    scale : bool
        Whether variables are divided by their standard deviations, so that shrinkage means the same for all of them.
    solver : {'auto', 'direct', 'napi', 'eps'}
        The library's CCA type.
    tol : float
        The relative residual at which a direction has converged.
    max_iter : int, optional
        The largest number of steps of the solver.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The labels.
    priors_ : array of shape (n_classes,)
        Their shares of the samples.
    class_scores_ : array of shape (n_classes, n_components_)
        Their mean scores.
    discriminants_ : array of shape (n_components_,)
        Variance of the scores between the classes over that within them.
    correlations_ : array of shape (n_components_,)
        Canonical correlations of the scores with the classes.
    weights_, structure_ : arrays of shape (n_features, n_components_)
        Directions, and the correlations of variables with the scores.
    mean_, scale_ : arrays of shape (n_features,)
        What is taken off the variables, and what they are divided by.
    residuals_, n_components_, n_iter_, solver_, reason_
        As for `CCA`; `n_iter_` is one number.
    n_features_in_ : int
        Variables of X.
    feature_names_in_ : array of shape (n_features_in_,)
        Their names, where X had names that are strings.

    Examples
    --------
    >>> import numpy as np
    >>> from slepcnapi import LDA
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat(['apple', 'pear', 'plum'], 50)
    >>> X = rng.standard_normal((150, 4)) + 4 * (y == 'pear')[:, None] * [1, 0, 0, 0] + 4 * (y == 'plum')[:, None] * [0, 1, 0, 0]
    >>> lda = LDA().fit(X, y)
    >>> lda.transform(X).shape, lda.score(X, y) > 0.9
    ((150, 2), True)
    """

    _analysis = "lda"
    _what = "discriminants"
    _values = "discriminants_"

    def __init__(self, n_components: int | None = None, *, shrinkage: float = 1e-3, ridge: float | None = None, scale: bool = False, solver: str = "auto", tol: float = 1e-6,
                 max_iter: int | None = None):
        self.n_components = n_components
        self.shrinkage = shrinkage
        self.ridge = ridge
        self.scale = scale
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X, y, sample_weight=None):
        """Find the directions.

        Parameters
        ----------
        X : array, sparse array or data frame of shape (n_samples, n_features)
            Samples as rows.
        y : array of shape (n_samples,)
            Labels of any kind. Under mpiexec each process passes those of its samples, and they are numbered from 0.
        sample_weight : array of shape (n_samples,), optional
            How often each sample counts.

        Returns
        -------
        self : object
            Fitted.
        """
        with self._or_as_before():
            with agreed():
                regularization = _check_regularization(self.shrinkage, self.ridge)
                X = self._check_X(X, reset=True, least=2)
                weights = as_weights(sample_weight, X.shape[0])
                y = self._check_labels(y, X.shape[0])
            classes, labels = self._number(y, weights)
            with agreed():
                most = min(len(classes) - 1, X.shape[1])
                k = most if self.n_components is None else check_integer("n_components", self.n_components)
                self._check_choices(k)
                self._check_components(k, most)
            self._run(Solver("lda", X, classes=len(classes), labels=labels), k, weights, regularization)
            self.classes_ = classes
        return self

    @staticmethod
    def _check_labels(y, n):
        if y is None:
            raise ValueError("This LDA estimator requires y to be passed, but the target y is None: labels of the samples.")
        y = np.asarray(y)
        if y.ndim == 2 and y.shape[1] == 1:
            warnings.warn("A column-vector y was passed when a 1d array was expected: its only column is taken", DataConversionWarning, stacklevel=4)
            y = y.ravel()
        if y.ndim != 1 or len(y) != n:
            raise ValueError(f"y should be a 1d array of {n} labels, one for each sample; got an array of shape {y.shape} instead (inconsistent numbers of samples).")
        if y.dtype.kind == "f" and not np.isfinite(y).all():
            refuse_infinite("y", y)
        if y.dtype.kind in "cm" or (y.dtype.kind == "f" and not np.array_equal(y, np.floor(y))):
            raise ValueError("Unknown label type: continuous. Labels are integers, strings, or other things that can be compared")
        if together() and (y.dtype.kind not in "iub" or (n and y.min() < 0)):
            raise ValueError("under mpiexec labels are to be integers from 0, the same for all processes: number them first")
        as_groups("y", y, n)
        return y

    @staticmethod
    def _number(y, weights):
        """The classes of samples that count, and the number of the class of each sample."""
        if together():  # no process knows the labels of all: they are their own numbers
            return np.arange(largest(int(y.max()) if len(y) else 0) + 1), np.ascontiguousarray(y, np.int64)
        classes = np.unique(y if weights is None else y[weights > 0])
        if len(classes) < 2:
            raise ValueError(f"The number of classes has to be greater than one; got {len(classes)} class")
        number = np.minimum(np.searchsorted(classes, y), len(classes) - 1)  # of samples without weight it does not matter
        return classes, np.ascontiguousarray(number, np.int64)

    def _results(self, solver):
        K = solver.classes
        means = solver.get("class means", (K * solver.found,)).reshape(K, solver.found)
        return {"priors_": solver.get("priors", K), "class_scores_": means[:, :solver.converged].copy(), "correlations_": solver.pairs("correlations")}

    def predict(self, X):
        """Predict the class of each sample.

        Parameters
        ----------
        X : array, sparse array or data frame of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        labels : array of shape (n_samples,)
        """
        scores = self.transform(X)
        return self.classes_[classify(scores, self.priors_, self.class_scores_)]

    def plot(self, X, y=None, figure=None):
        """Draw discriminants, samples by their first two scores, and variables. Needs matplotlib.

        Parameters
        ----------
        X : array, sparse array or data frame of shape (n_samples, n_features)
            Samples.
        y : array of shape (n_samples,), optional
            Labels, for colours.
        figure : matplotlib.figure.Figure, optional
            To draw on; otherwise a new one.

        Returns
        -------
        matplotlib.figure.Figure
        """
        scores = self.transform(X)
        classes = None if y is None else np.searchsorted(self.classes_, np.asarray(y).reshape(-1))
        return _plot.draw_analysis(self, "discriminants", self.discriminants_, scores, classes=classes, names=self.classes_, figure=figure)


class PCA(_OneView, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Principal components: in which directions does a data set vary most?

    Of sparse data, too, which are centred without being filled in.

    Parameters
    ----------
    n_components : int
        How many.
    center, scale : bool
        Whether means are taken off, and variables divided by their standard deviations.
    tol : float
        The relative residual at which a component has converged.
    max_iter : int, optional
        The largest number of steps of the eigensolver.

    Attributes
    ----------
    variances_ : array of shape (n_components_,)
        Variances of the scores, over n (scikit-learn's are over n - 1).
    explained_variance_ratio_ : array of shape (n_components_,)
        Their shares of the whole.
    total_variance_ : float
        The whole.
    components_ : array of shape (n_components_, n_features)
        The directions, as rows; `weights_` has them as columns.
    weights_, structure_ : arrays of shape (n_features, n_components_)
        Directions, and the correlations of variables with the scores.
    mean_, scale_ : arrays of shape (n_features,)
        What is taken off the variables, and what they are divided by.
    residuals_, n_components_, n_iter_, solver_, reason_
        As for `CCA`; `n_iter_` is one number.
    n_features_in_ : int
        Variables of X.
    feature_names_in_ : array of shape (n_features_in_,)
        Their names, where X had names that are strings.

    Examples
    --------
    >>> import numpy as np
    >>> from slepcnapi import PCA
    >>> X = np.random.default_rng(0).standard_normal((100, 5)) * [5, 3, 1, 1, 1]
    >>> pca = PCA(n_components=2).fit(X)
    >>> bool(np.allclose(pca.variances_, np.sort(np.linalg.eigvalsh(np.cov(X.T, bias=True)))[::-1][:2]))
    True
    """

    _analysis = "pca"
    _what = "components"
    _values = "variances_"

    def __init__(self, n_components: int = 2, *, center: bool = True, scale: bool = False, tol: float = 1e-6, max_iter: int | None = None):
        self.n_components = n_components
        self.center = center
        self.scale = scale
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X, y=None, sample_weight=None):
        """Find the components.

        Parameters
        ----------
        X : array, sparse array or data frame of shape (n_samples, n_features)
            Samples as rows.
        y : ignored
            For pipelines.
        sample_weight : array of shape (n_samples,), optional
            How often each sample counts.

        Returns
        -------
        self : object
            Fitted.
        """
        with self._or_as_before():
            with agreed():
                k = self._check_choices()
                X = self._check_X(X, reset=True, least=2)
                self._check_components(k, X.shape[1])
                weights = as_weights(sample_weight, X.shape[0])
            self._run(Solver("pca", X), k, weights)
        return self

    def _results(self, solver):
        total = float(solver.get("total variance", 1)[0])
        return {"total_variance_": total, "explained_variance_ratio_": solver.pairs("values") / total}

    @property
    def components_(self):
        """The directions, as rows."""
        if not hasattr(self, "n_components_"):
            raise AttributeError("PCA has no components_ before it is fitted")
        return self.weights_.T

    def inverse_transform(self, X):
        """Go back from scores to the variables, as far as the scores know them.

        Parameters
        ----------
        X : array of shape (n_samples, n_components_)
            Scores.

        Returns
        -------
        X_original : array of shape (n_samples, n_features)
        """
        self._check_fitted()
        X = as_samples("X", X, "PCA")
        if X.shape[1] != self.n_components_:
            raise ValueError(f"X has {X.shape[1]} columns, which are to be the scores of {self.n_components_} components")
        return np.asarray(X @ self.weights_.T) * self.scale_ + self.mean_

    def plot(self, X, figure=None):
        """Draw variances, samples by their first two scores, and variables. Needs matplotlib.

        Parameters
        ----------
        X : array, sparse array or data frame of shape (n_samples, n_features)
            Samples.
        figure : matplotlib.figure.Figure, optional
            To draw on; otherwise a new one.

        Returns
        -------
        matplotlib.figure.Figure
        """
        return _plot.draw_analysis(self, "variances", self.variances_, self.transform(X), total=self.total_variance_, figure=figure)


class GEV(_OneView, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Ratios of variances: in which directions does one data set vary most compared to another one?

    Directions u are found for which the variance of X u is largest compared to that of X2 u, X2 being other samples of the same variables: S u = ratio (S2 + r I) u,
    u'(S2 + r I)u = 1.

    Parameters
    ----------
    n_components : int
        How many.
    shrinkage : float
        How far the covariance of X2 is drawn towards a multiple of the identity, at least 0 and less than 1.
    ridge : float, optional
        What is added to its variances instead, in the units of the data.
    center : bool
        Whether each data set's means are taken off.
    tol : float
        The relative residual at which a direction has converged.
    max_iter : int, optional
        The largest number of steps of the eigensolver.

    Attributes
    ----------
    ratios_ : array of shape (n_components_,)
        Variance of the scores of X over that of X2, and what is added to it.
    weights_, structure_ : arrays of shape (n_features, n_components_)
        Directions, and the correlations of the variables of X with the scores.
    mean_, scale_ : arrays of shape (n_features,)
        What is taken off the variables of X, and ones.
    residuals_, n_components_, n_iter_, solver_, reason_
        As for `CCA`; `n_iter_` is one number.
    n_features_in_ : int
        Variables.
    feature_names_in_ : array of shape (n_features_in_,)
        Their names, where X had names that are strings.

    Examples
    --------
    >>> import numpy as np
    >>> from slepcnapi import GEV
    >>> rng = np.random.default_rng(0)
    >>> X2 = rng.standard_normal((400, 4))
    >>> X = rng.standard_normal((300, 4)) * [3, 1, 1, 1]
    >>> gev = GEV(n_components=1, shrinkage=0).fit(X, X2)
    >>> bool(7 < gev.ratios_[0] < 11)
    True
    """

    _analysis = "gev"
    _what = "directions"
    _values = "ratios_"

    def __init__(self, n_components: int = 2, *, shrinkage: float = 1e-3, ridge: float | None = None, center: bool = True, tol: float = 1e-6, max_iter: int | None = None):
        self.n_components = n_components
        self.shrinkage = shrinkage
        self.ridge = ridge
        self.center = center
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X, X2=None):
        """Find the directions.

        Parameters
        ----------
        X : array, sparse array or data frame of shape (n_samples, n_features)
            Samples as rows.
        X2 : the same, of shape (n_samples_2, n_features)
            Other samples of the same variables, as many as there are.

        Returns
        -------
        self : object
            Fitted.
        """
        with self._or_as_before():
            with agreed():
                k = self._check_choices()
                regularization = _check_regularization(self.shrinkage, self.ridge)
                if X2 is None:
                    raise ValueError("This GEV estimator requires X2 to be passed, but it is None: the samples that X is compared to.")
                X = self._check_X(X, reset=True, least=2)
                X2 = as_samples("X2", X2, "GEV", least=2)
                if X2.shape[1] != X.shape[1]:
                    raise ValueError(f"X has {X.shape[1]} variables and X2 has {X2.shape[1]}: they are to be the same ones")
                self._check_components(k, X.shape[1])
            self._run(Solver("gev", X, X2, names=("X", "X2")), k, None, regularization)
        return self

    def fit_transform(self, X, X2=None):
        """Fit, and compute the scores of X.

        Parameters
        ----------
        X, X2
            As for `fit`.

        Returns
        -------
        scores : array of shape (n_samples, n_components_)
        """
        return self.fit(X, X2).transform(X)

    def plot(self, X, X2=None, figure=None):
        """Draw ratios, samples of both by their first two scores, and variables. Needs matplotlib.

        Parameters
        ----------
        X, X2
            Samples; X2 may be left out.
        figure : matplotlib.figure.Figure, optional
            To draw on; otherwise a new one.

        Returns
        -------
        matplotlib.figure.Figure
        """
        other = None if X2 is None else self.transform(X2)
        return _plot.draw_analysis(self, "ratios", self.ratios_, self.transform(X), other=other, figure=figure)
