# SPDX-License-Identifier: BSD-2-Clause
"""What tests and validations have found, and the tables that print it."""
from __future__ import annotations

import dataclasses

import numpy as np

__all__ = ["Bootstrap", "CrossValidation", "MultivariateTests", "PermutationTest"]

LEVEL = 0.05  # at which pairs are called real


def _table(head, rows):
    return "\n".join([head, *rows])


@dataclasses.dataclass(frozen=True)
class PermutationTest:
    """How many pairs are real, by permutations of the samples of y.

    Attributes
    ----------
    p_values : array of shape (n_components_,)
        For each pair, those before it taken out; they do not decrease (the stepwise procedure of Winkler and others, 2020).
    correlations : array of shape (n_components_,)
        The canonical correlations that were tested.
    medians, quantiles : arrays of shape (n_components_,)
        Of the correlations of permuted data: the median, and the quantile 0.95.
    exact : bool
        Whether these are of the correlations themselves; otherwise of upper bounds for those that were decided early.
    undecided : int
        Comparisons that could not be made, and count against the pairs.
    n_permutations : int
        How many.
    within : bool
        Whether samples were exchanged within groups only.
    """

    p_values: np.ndarray
    correlations: np.ndarray
    medians: np.ndarray
    quantiles: np.ndarray
    exact: bool
    undecided: int
    n_permutations: int
    within: bool

    @property
    def n_real(self) -> int:
        """How many of the first pairs are real at 5 %."""
        real = np.flatnonzero(self.p_values <= LEVEL)
        return int(real[-1]) + 1 if len(real) else 0

    def __str__(self):
        text = _table(f"How many pairs are real? {self.n_permutations} permutation{'s' if self.n_permutations > 1 else ''} of the samples of y{', within groups' if self.within else ''}\n"
                      f"   k   correlation   95 % of permutations{'      ' if self.exact else ' below'}           p",
                      [f"{i + 1:4d}   {r:11.8f}   {q:26.4f}   {p:9.4g}" for i, (r, q, p) in enumerate(zip(self.correlations, self.quantiles, self.p_values))])
        if self.n_permutations < 19:
            text += "\nWith fewer than 19 permutations no p-value can be 5 %: 999 say more."
        elif not self.n_real:
            text += "\nAt 5 % no pair can be told from chance: samples that have nothing to do with each other have values as large often enough."
        else:
            text += f"\nAt 5 % the first {self.n_real} of {len(self.p_values)} pairs are real{'; there may be more' if self.n_real == len(self.p_values) else '; what is left may be chance'}."
        if self.undecided:
            text += (f"\n{self.undecided} of {self.n_permutations * len(self.p_values)} comparisons could not be decided and count against the pairs: p-values may be too large. "
                     "More shrinkage, or solver='direct', helps.")
        return text


@dataclasses.dataclass(frozen=True)
class CrossValidation:
    """How well correlations hold for samples that had no part in finding them.

    Attributes
    ----------
    path : {'shrinkage', 'ridge', 'none'}
        What was chosen.
    values : array of shape (n_values,)
        What it was chosen from; a zero where nothing was.
    mean, standard_error : arrays of shape (n_values,)
        The mean over pairs and folds of Pearson's correlation of the samples left out, and its standard error.
    fold_correlations : array of shape (n_values, n_folds, n_components)
        All of them.
    best : int
        Which value was chosen.
    correlations, correlation_errors : arrays of shape (n_components,)
        Of each pair for that value, means over the folds and their standard errors.
    not_converged, constant : int
        Solutions that did not reach the tolerance, and correlations that do not exist and count as 0.
    """

    path: str
    values: np.ndarray
    mean: np.ndarray
    standard_error: np.ndarray
    fold_correlations: np.ndarray
    best: int
    correlations: np.ndarray
    correlation_errors: np.ndarray
    not_converged: int
    constant: int

    @property
    def best_value(self) -> float:
        """The value that was chosen."""
        return float(self.values[self.best])

    def __str__(self):
        chosen = self.path != "none"
        rows = [f"{f'{v:.4g}' if chosen else '':>10s}   {m:10.6f}   {e:14.6f}{'   *' if chosen and i == self.best else ''}"
                for i, (v, m, e) in enumerate(zip(self.values, self.mean, self.standard_error))]
        text = _table(f"Cross-validation, {self.fold_correlations.shape[1]} folds: mean over pairs and folds of the correlations of samples that had no part in finding them\n"
                      f"{self.path if chosen else '':>10s}         mean   standard error", rows)
        if self.constant:
            text += f"\n{self.constant} of {self.fold_correlations.size} correlations do not exist and count as 0: a score is the same for all samples of a fold, or there are fewer pairs."
        if self.not_converged:
            text += f"\n{self.not_converged} of {self.fold_correlations.shape[0] * self.fold_correlations.shape[1]} solutions with a fold left out did not reach the tolerance."
        return text


@dataclasses.dataclass(frozen=True)
class Bootstrap:
    """How far correlations scatter: those of samples drawn from the data with replacement.

    Attributes
    ----------
    pearson, correlations : arrays of shape (n_samples, n_components_)
        Pearson's and canonical correlations of each; NaN where the solution has not converged.
    pearson_interval, correlation_interval : arrays of shape (n_components_, 2)
        Both ends of the interval that has the given share of them.
    level : float
        That share.
    failed : int
        How many have not converged.
    """

    pearson: np.ndarray
    correlations: np.ndarray
    pearson_interval: np.ndarray
    correlation_interval: np.ndarray
    level: float
    failed: int

    def __str__(self):
        rows = [f"{i + 1:4d}   {c[0]:8.4f} to {c[1]:7.4f}   {p[0]:7.4f} to {p[1]:7.4f}" for i, (c, p) in enumerate(zip(self.correlation_interval, self.pearson_interval))]
        text = _table(f"Bootstrap: {len(self.pearson)} data sets of as many samples, drawn from these with replacement. For {100 * self.level:g} % of them the correlations are in\n"
                      f"   k            canonical   {'Pearson':>18s}", rows)
        if self.failed:
            text += f"\n{self.failed} of them have not converged and are left out."
        return text + "\nThis tells how far they scatter, not whether they are real: of samples that are drawn again they are larger still."


@dataclasses.dataclass(frozen=True)
class MultivariateTests:
    """Tests for normally distributed data that the correlations from the i-th on are zero, for each i.

    Attributes
    ----------
    wilks, bartlett, pillai, hotelling, roy : dict of arrays
        'statistic'; 'F', or 'chi2' of Bartlett's; 'df1', 'df2'; 'p', of which Roy's is a lower bound.
    """

    wilks: dict
    bartlett: dict
    pillai: dict
    hotelling: dict
    roy: dict

    def __str__(self):
        return self.table()

    def table(self, most: int | None = None) -> str:
        """Describe them, from no more than so many correlations on."""
        w = {name: values[:most] for name, values in self.wilks.items()}
        rows = [f"{i + 1:4d}   {a:11.8f}   {b:10.5g}   {c:7.6g}   {d:7.6g}   {p:9.4g}" for i, (a, b, c, d, p) in enumerate(zip(w["statistic"], w["F"], w["df1"], w["df2"], w["p"]))]
        text = _table("Are the correlations from the k-th on zero? Wilks' Lambda with Rao's F, for normally distributed data\n"
                      "   k        Lambda            F       df1       df2           p", rows)
        return text + (f"\nFrom the first on: Pillai's trace {self.pillai['statistic'][0]:.6g}, p = {self.pillai['p'][0]:.4g}; Hotelling's and Lawley's "
                       f"{self.hotelling['statistic'][0]:.6g}, p = {self.hotelling['p'][0]:.4g}; Roy's root {self.roy['statistic'][0]:.6g}, p at least {self.roy['p'][0]:.4g}")
