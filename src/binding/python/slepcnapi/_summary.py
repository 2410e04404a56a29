# SPDX-License-Identifier: BSD-2-Clause
"""What a fit says of itself: the report of the program napi-cca."""
from __future__ import annotations

import numpy as np

__all__ = ["summarize"]

_PAIRS = 5  # whose variables are listed
_LISTED = 3  # variables for a pair and a view, the first one, and others
_LEAST = 0.1  # if their correlation with the score is this large
_NEAR_ONE = 0.9  # a correlation that is suspect where there are as many variables as samples
_LITTLE = 0.1  # shrinkage that makes it no less so
_LEFT = 0.5  # of a correlation, when the regularisation has taken its part: less than this is said


def _both(values):
    return " and ".join(f"{v:.4g}" for v in (values[:1] if values[0] == values[1] else values))


def _heading(cca):
    yield "Canonical correlation analysis: what do two data sets share?"
    for name, (n, d, nonzeros) in zip("Xy", cca._kinds):
        yield f"{name}: {n} samples x {d} variable{'s' if d > 1 else ''}, {'dense' if nonzeros is None else f'sparse, {nonzeros} nonzeros'}"
    if not cca.ridge_.any():
        how = "no regularisation"
    elif cca.shrinkage_ is None:
        how = f"ridge {_both(cca.ridge_)} added to the variances"
    else:
        how = f"shrinkage {_both(cca.shrinkage_)}: {_both(cca.ridge_)} added to the variances{'' if cca.ridge_[0] == cca.ridge_[1] else ' of X and y'}"
    yield f"{how}; {'' if cca.center else 'not '}centred, {'' if cca.scale else 'not '}scaled; method {cca.solver_}"


def _table(cca):
    columns = [("     canonical", "14.8f", cca.correlations_), ("       Pearson" if cca.center else "        cosine", "14.8f", cca.pearson_)]
    if hasattr(cca, "cross_validation_"):
        columns.append(("   cross-validated", "18.6f", cca.cross_validation_.correlations))
    columns.append(("    residual", "12.2e", cca.residuals_))
    yield "   k" + "".join(title for title, _, _ in columns)
    for i in range(cca.n_components_):
        yield f"{i + 1:4d}" + "".join(format(values[i], how) for _, how, values in columns)


def _variables(cca):
    """Which variables a pair is about, where they have names."""
    names = getattr(cca, "feature_names_in_", None), getattr(cca, "target_names_in_", None)
    if any(n is None for n in names):
        return
    yield ""
    yield f"What the pairs are about: the variables {'that are correlated most' if cca.center else 'of the largest cosines'} with the scores X u and y v"
    for k in range(min(cca.n_components_, _PAIRS)):
        for view, (known, structure) in enumerate(zip(names, (cca.x_structure_, cca.y_structure_))):
            r = structure[:, k]
            best = [j for i, j in enumerate(np.argsort(-abs(r), kind="stable")[:_LISTED]) if not i or abs(r[j]) >= _LEAST]
            yield f"{k + 1:4d}   X: " * (not view) + "       y: " * view + ", ".join(f"{known[j]} {r[j]:+.2f}" for j in best)


def _meaning(cca):
    what = "correlation" if cca.center else "cosine"
    regularised = cca.ridge_.any()
    yield ""
    yield (f"The score X u is a weighted sum of the variables of X, y v one of those of y. Those of the first pair have a {what} of {cca.pearson_[0]:.4f}\non these data"
           + ("; what was made as large as can be is the canonical one, with the regularisation in it." if regularised else ": no two have more."))
    yield (f"Each further pair is the best that is {'uncorrelated with' if cca.center else 'orthogonal to'} those before it{', up to the regularisation' if regularised else ''}.")
    yield from _warning(cca)
    yield f"{cca.n_iter_[0]} iteration{'s' if cca.n_iter_[0] > 1 else ''}; {cca.reason_}"


def _warning(cca):
    """As many variables as samples, and next to no regularisation; or variables that hardly vary beside others, and drown in it."""
    wide = [(d, n, view) for i, ((n, d, _), view) in enumerate(zip(cca._kinds, "Xy"))
            if n <= d and (cca.pearson_[0] >= _NEAR_ONE or (cca.shrinkage_ is not None and cca.shrinkage_[i] < _LITTLE))]
    lost = np.flatnonzero(cca.correlations_ < _LEFT * cca.pearson_)
    if wide:
        d, n, view = max(wide, key=lambda kind: kind[0])
        yield (f"WARNING: there are not more samples ({n}) than variables of {view} ({d}). Unless the regularisation is strong, any two data sets of this size have correlations near 1 "
               "on their own data, which mean nothing by themselves. permutation_test() tells whether there is more to them, cross_validate() which shrinkage holds for other samples.")
    elif lost.size and not cca.scale:
        yield (f"WARNING: the regularisation takes most of pair {lost[0] + 1} away, because some variables vary much less than others and count for little then. "
               "Are they in different units? scale=True makes them equal; otherwise use a smaller shrinkage.")


def summarize(cca) -> str:
    """The whole of it; tests that have been made since the fit are in it."""
    parts = ["\n".join(_heading(cca)), "\n".join(_table(cca))]
    if hasattr(cca, "cross_validation_"):
        parts.insert(1, str(cca.cross_validation_))
    if hasattr(cca, "permutation_test_"):
        parts.append(str(cca.permutation_test_))
    if hasattr(cca, "multivariate_tests_"):
        parts.append(cca.multivariate_tests_.table(cca.n_components_))
    if hasattr(cca, "bootstrap_"):
        parts.append(str(cca.bootstrap_))
    return "\n\n".join(parts) + "\n" + "\n".join([*_variables(cca), *_meaning(cca)])
