# SPDX-License-Identifier: BSD-2-Clause
"""Canonical correlation analysis."""
from __future__ import annotations

import numbers

import numpy as np

from . import _plot
from ._check import check_integer, check_real
from ._data import as_groups, as_seed, as_weights, together
from ._lib import agreed
from ._results import LEVEL, Bootstrap, CrossValidation, MultivariateTests, PermutationTest
from ._summary import summarize
from ._twoviews import TwoViews

__all__ = ["CCA"]

_TESTS = ("wilks", "bartlett", "pillai", "hotelling", "roy")
_TESTED = 10**6  # numbers of which the fit makes these tests, which copies them
_MOST = 2**31  # what the library counts with is an int


def _check_count(name, value, least):
    value = check_integer(name, value)
    if not least <= value < _MOST:
        raise ValueError(f"{name} must be at least {least}, not {value}")
    return value


def _check_pair(name, value, most):
    """A number, or one for each view, at least 0 and less than most."""
    both = (value, value) if isinstance(value, (str, numbers.Number)) or np.ndim(value) == 0 else value
    if len(both) != 2:
        raise ValueError(f"{name} is to be a number, or two of them, for X and for y, not {value!r}")
    checked = []
    for v in both:
        if isinstance(v, str) and v == "auto" and name == "shrinkage":
            checked.append(-1.0)
            continue
        if isinstance(v, (bool, np.bool_)):
            raise TypeError(f"{name} is to be a real number, not {v!r}")
        v = check_real(name, v)
        if not 0 <= v < most:
            raise ValueError(f"{name} must be at least 0" + (f" and less than {most}" if np.isfinite(most) else "") + f", not {v}")
        checked.append(v)
    return tuple(checked)


class CCA(TwoViews):
    """Canonical correlation analysis: what do two data sets share?

    Pairs of directions u and v are found for which the scores X u and y v are correlated as much as possible, each pair uncorrelated with those
    before it. With S11 and S22 the covariances of X and y, each with a little of the identity added, and S12 that between them, they satisfy
    u_i' S11 u_j = v_i' S22 v_j = 1 if i = j and 0 otherwise, and u_i' S12 v_i is the canonical correlation. They are those of this problem, to the
    tolerance, and not those of one deflation after the other. Sparse data stay sparse, and covariances are not formed where that would be more work.

    Parameters
    ----------
    n_components : int
        How many pairs.
    shrinkage : float, pair of floats, or 'auto'
        How far the covariances are drawn towards a multiple of the identity, at least 0 and less than 1, for both views or for each: 0 is not at
        all. Without units. 'auto' is Ledoit and Wolf's estimate.
    ridge : float or pair of floats, optional
        What is added to the variances instead, in the units of the data.
    center : bool
        Whether means are taken off. Otherwise correlations are cosines.
    scale : bool
        Whether variables are divided by their standard deviations, so that shrinkage means the same for all of them.
    solver : {'auto', 'direct', 'napi', 'eps', 'als', 'si', 'lazy', 'appgrad'}
        The library's CCA type: 'direct' forms covariances, 'napi' does not, 'auto' takes the one that is less work. The others are there to compare with.
    tol : float
        The relative residual at which a pair has converged.
    max_iter : int, optional
        The largest number of steps of the solver.
    check : {'quick', 'none', 'certify'}
        What is checked besides the residuals: whether a larger correlation was missed, and with 'certify' bounds of the errors, too.
    random_state : int, RandomState or Generator, optional
        For the permutations, folds and samples of `permutation_test`, `cross_validate` and `bootstrap`; without it they are the same each time.
        The fit does not depend on chance.
    warm_start : bool
        Whether `fit` begins with the directions of the one before.
    copy : bool
        False allows `fit` to centre and scale X and y where they are, as scikit-learn's CCA does. There is nothing to gain from it here.

    Attributes
    ----------
    correlations_ : array of shape (n_components_,)
        Canonical correlations, with the regularisation in them.
    pearson_ : array of shape (n_components_,)
        Pearson's correlations of the scores of the training samples.
    x_weights_, y_weights_ : arrays of shape (n_features, n_components_) and (n_targets, n_components_)
        The directions, of variables divided by `x_scale_` and `y_scale_`; `x_rotations_` and `y_rotations_` are the same.
    x_loadings_, y_loadings_ : arrays of the same shapes
        What variables are made of by `inverse_transform`, as in scikit-learn.
    x_structure_, y_structure_ : arrays of the same shapes
        Correlations of variables with the scores of their own view, which are called loadings elsewhere.
    x_cross_structure_, y_cross_structure_ : arrays of the same shapes
        Correlations of variables with the scores of the other view.
    redundancy_ : array of shape (n_components_, 2)
        Of X and of y (Stewart and Love's): the mean of the squared correlations of the variables with the score of their own view, times the square of `pearson_`.
    x_mean_, y_mean_, x_scale_, y_scale_ : arrays of shape (n_features,) and (n_targets,)
        What is taken off the variables, and what they are divided by (standard deviations over n).
    coef_, intercept_ : arrays of shape (n_targets, n_features) and (n_targets,)
        y is predicted as (X - x_mean_) @ coef_.T + intercept_.
    ridge_, shrinkage_ : arrays of shape (2,)
        What was added to the variances of X and y, and the shrinkage it comes from (None where ridges were given).
    residuals_ : array of shape (n_components_,)
        Relative residuals, from products of their own.
    multivariate_tests_ : MultivariateTests
        Wilks' Lambda and its kin, where they apply and the data are not large: see `multivariate_tests`, which makes them of others, too.
    error_bounds_ : array of shape (n_components_,)
        With ``check='certify'``: a canonical correlation is no further from `correlations_` than this.
    n_components_ : int
        How many pairs have converged. Fewer than asked for is a ConvergenceWarning; none is an exception.
    n_iter_ : list of n_components_ integers
        Steps of the solver, which finds all pairs together.
    solver_, reason_ : str
        The solver that was taken, and why it ended.
    n_features_in_ : int
        Variables of X.
    feature_names_in_ : array of shape (n_features_in_,)
        Their names, where X had names that are strings.
    target_names_in_ : array of shape (n_targets,)
        The same for y.

    See Also
    --------
    PLS : The same by covariance.
    sklearn.cross_decomposition.CCA : Whose methods these are.

    Examples
    --------
    >>> import numpy as np
    >>> from slepcnapi import CCA
    >>> rng = np.random.default_rng(0)
    >>> shared = rng.standard_normal((500, 1))
    >>> X = shared + rng.standard_normal((500, 4))
    >>> Y = shared + rng.standard_normal((500, 3))
    >>> cca = CCA(n_components=2).fit(X, Y)
    >>> cca.correlations_.round(2)
    array([0.8 , 0.08])
    >>> x_scores, y_scores = cca.transform(X, Y)
    >>> cca.permutation_test(X, Y, n_permutations=99).n_real
    1
    """

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
            return ("ridge", *_check_pair("ridge", self.ridge, np.inf))
        return ("shrinkage", *_check_pair("shrinkage", self.shrinkage, 1))

    def _results(self, solver):
        r = super()._results(solver)
        r["correlations_"] = solver.pairs("correlations")
        r["pearson_"] = solver.pairs("pearson")
        r["ridge_"] = solver.get("ridge", 2)
        r["shrinkage_"] = solver.get("shrinkage", 2) if self.ridge is None else None
        r["_kinds"] = [(int(solver.get("samples", 1)[0]), X.shape[1], X.nnz if hasattr(X, "nnz") else None) for X in solver.views]
        if self.check == "certify":
            r["error_bounds_"] = solver.pairs("bounds")
        if not r["ridge_"].any() and sum(n * d for n, d, _ in r["_kinds"]) <= _TESTED:
            tests, _ = self._multivariate_tests(solver)
            if tests is not None:
                r["multivariate_tests_"] = tests
        return r

    @staticmethod
    def _multivariate_tests(solver):
        """All of them, or None where they do not apply, and the sentence that says why not."""
        tables = {}
        for name in _TESTS:
            table, why = solver.test(name)
            if table is None:
                return None, why
            tables[name] = dict(zip(("statistic", "chi2" if name == "bartlett" else "F", "df1", "df2", "p"), table))
        return MultivariateTests(**tables), ""

    # --- what the fit is worth

    def _solve_again(self, X, y, sample_weight):
        """The solution for these samples, and with the choices of this estimator, which begins with what was found before."""
        self._check_fitted()
        X, y = self._check_views(X, y, reset=False)
        weights = as_weights(sample_weight, X.shape[0])
        return X.shape[0], *self._solver(X, y, weights, self._start(X, y))

    def permutation_test(self, X, y, n_permutations: int = 999, *, within=None, sample_weight=None, random_state=None) -> PermutationTest:
        """Test how many pairs are real, by permutations of the samples of y.

        Parameters
        ----------
        X, y, sample_weight
            The samples that the estimator was fitted to: it does not keep them.
        n_permutations : int
            How many. The smallest p-value possible is 1/(n_permutations + 1).
        within : array of shape (n_samples,), optional
            Labels of groups: samples are exchanged within a group only.
        random_state : int, RandomState or Generator, optional
            In the place of the estimator's.

        Returns
        -------
        PermutationTest
            p-values and what permuted data have; also kept as `permutation_test_`, for `summary` and `plot`.
        """
        with agreed():
            n_permutations = _check_count("n_permutations", n_permutations, 1)
            seed = as_seed(self.random_state if random_state is None else random_state, 1)
            n, solver, prepare, k = self._solve_again(X, y, sample_weight)
            within = as_groups("within", within, n)
        with solver:
            prepare()
            solver.solve()
            self._check_converged(solver, k)
            (p, median, quantile), exact, undecided = solver.permute(n_permutations, seed, within, 1 - LEVEL)
            result = PermutationTest(p, solver.pairs("correlations"), median, quantile, exact, undecided, n_permutations, within is not None)
        self.permutation_test_ = result
        return result

    def cross_validate(self, X, y, cv=5, *, shrinkage=None, ridge=None, one_se: bool = False, contiguous: bool = False, sample_weight=None,
                       random_state=None) -> CrossValidation:
        """Choose a shrinkage, or a ridge, by how well correlations hold for samples that had no part in finding them, and fit with it.

        Without values to choose from nothing is chosen, and the choices of the estimator are validated. What has been chosen becomes a parameter of
        the estimator, which is fitted to all samples with it. No fold is a copy of the data.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`.
        cv : int, or array of shape (n_samples,)
            How many folds; or a label for each sample: those with the same one are left out together.
        shrinkage : list of floats, optional
            Values to choose from, each for both views.
        ridge : list of floats, optional
            The same for ridges. One of the two.
        one_se : bool
            Choose the largest value within one standard error of the best.
        contiguous : bool
            Whether a fold has samples that follow each other, and not random ones.
        random_state : int, RandomState or Generator, optional
            In the place of the estimator's.

        Returns
        -------
        CrossValidation
            Scores of all values; also kept as `cross_validation_`.

        Examples
        --------
        >>> import numpy as np
        >>> from slepcnapi import CCA
        >>> rng = np.random.default_rng(0)
        >>> shared = rng.standard_normal((100, 1))
        >>> X = shared + rng.standard_normal((100, 20))
        >>> Y = shared + rng.standard_normal((100, 20))
        >>> cca = CCA(n_components=1)
        >>> cca.cross_validate(X, Y, shrinkage=[0.001, 0.5, 0.9]).best_value
        0.5
        >>> cca.shrinkage
        0.5
        """
        with self._or_as_before():
            with agreed():
                if shrinkage is not None and ridge is not None:
                    raise ValueError("shrinkage and ridge are two ways to regularise: give values of one of them")
                path = "ridge" if ridge is not None else "shrinkage" if shrinkage is not None else "none"
                values = self._check_path(path, ridge if path == "ridge" else shrinkage)
                seed = as_seed(self.random_state if random_state is None else random_state, 0)
                if path != "none":
                    self.set_params(**{path: float(values[0]), **({"ridge": None} if path == "shrinkage" else {})})
                given = y
                X, y = self._check_views(X, y, reset=True)
                folds, fold = self._check_folds(cv, X.shape[0])
                solver, prepare, k = self._solver(X, y, as_weights(sample_weight, X.shape[0]))
            with solver:
                prepare()
                (mean, error, r, pair, pair_error), best, failed, constant = solver.cross_validate(path, values, folds, bool(contiguous), seed, fold, bool(one_se))
                if path != "none":
                    self.set_params(**{path: float(values[best])})
                self._finish(solver, k, given)
            self.cross_validation_ = CrossValidation(path, values, mean, error, r, best, pair, pair_error, failed, constant)
        return self.cross_validation_

    @staticmethod
    def _check_path(path, values):
        if path == "none":
            return np.zeros(1)
        values = list(np.atleast_1d(values)) if np.ndim(values) < 2 else []
        if not values:
            raise ValueError(f"{path} is to be a list of numbers to choose from")
        return np.array([_check_pair(path, check_real(path, v), 1 if path == "shrinkage" else np.inf)[0] for v in values])

    @staticmethod
    def _check_folds(cv, n):
        if isinstance(cv, numbers.Integral):
            folds = _check_count("cv", cv, 2)
            if folds > n and not together():
                raise ValueError(f"Cannot have number of splits n_splits={folds} greater than the number of samples: n_samples={n}.")
            return folds, None
        fold = as_groups("cv", cv, n)
        if fold is None:
            raise TypeError("cv is to be the number of folds, or a label for each sample, not None")
        if np.unique(fold).size < 2 and not together():
            raise ValueError("cv has all samples in one fold: two are needed at least")
        return 0, fold

    def bootstrap(self, X, y, n_samples: int = 1000, *, level: float = 0.95, sample_weight=None, random_state=None) -> Bootstrap:
        """Solve for samples drawn from the data with replacement: how far do the correlations scatter?

        Parameters
        ----------
        X, y, sample_weight
            The samples that the estimator was fitted to: it does not keep them.
        n_samples : int
            How many times samples are drawn; 200 are enough for a standard deviation, 1000 for an interval.
        level : float
            The share of them in the intervals, between 0 and 1.
        random_state : int, RandomState or Generator, optional
            In the place of the estimator's.

        Returns
        -------
        Bootstrap
            Correlations and intervals, which tell scatter and are no test; also kept as `bootstrap_`.
        """
        with agreed():
            n_samples = _check_count("n_samples", n_samples, 2)
            level = check_real("level", level)
            if not 0 < level < 1:
                raise ValueError(f"level must be between 0 and 1, not {level}")
            seed = as_seed(self.random_state if random_state is None else random_state, 0)
            _, solver, prepare, k = self._solve_again(X, y, sample_weight)
        with solver:
            prepare()
            solver.solve()
            self._check_converged(solver, k)
            (pearson, canonical, interval), failed = solver.bootstrap(n_samples, seed, level)
        self.bootstrap_ = Bootstrap(pearson, canonical, interval[:, :2], interval[:, 2:], level, failed)
        return self.bootstrap_

    def multivariate_tests(self, X, y) -> MultivariateTests:
        """Test by Wilks' Lambda and its kin that the correlations from the i-th on are zero.

        Parameters
        ----------
        X, y
            The samples that the estimator was fitted to, without regularisation (``shrinkage=0``), centred and without weights; more of them than variables.

        Returns
        -------
        MultivariateTests
            Statistics and p-values, for normally distributed data; also kept as `multivariate_tests_`.
        """
        with agreed():
            _, solver, prepare, _ = self._solve_again(X, y, None)
        with solver:
            prepare()
            tests, why = self._multivariate_tests(solver)
        if tests is None:
            raise ValueError(why.replace("-shrinkage 0", "shrinkage=0"))
        self.multivariate_tests_ = tests
        return tests

    # --- report

    def summary(self) -> str:
        """Describe the fit: the table of the program napi-cca, and of what has been tested since.

        Returns
        -------
        str
            To be printed.
        """
        self._check_fitted()
        return summarize(self)

    def plot(self, X, y, figure=None):
        """Draw correlations, what permutations have (after `permutation_test`), scores of the first two pairs, and variables. Needs matplotlib.

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
