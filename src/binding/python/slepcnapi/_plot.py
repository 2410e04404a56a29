# SPDX-License-Identifier: BSD-2-Clause
"""Pictures: those of the programs, which draw them by the same module."""
from __future__ import annotations

import numpy as np

__all__ = ["draw_analysis", "draw_pairs"]


def _names(names, d):
    return list(names) if names is not None else [str(j) for j in range(d)]


def _draw(figure, title, results, scores, views, classes=None, model=None):
    try:
        from . import _picture
    except ImportError as missing:
        raise ImportError(f"a picture needs matplotlib: pip install matplotlib ({missing})") from None
    step = max(1, -(-len(scores[0]) // _picture.POINTS))
    if step > 1:
        title += f", {len(scores[0][::step]):,} of them shown"
    scores = [None if s is None else s[::step, :2] for s in scores]
    views = [(letter, structure[:, :2], _names(names, len(structure)), colour)
             for (letter, structure, names), colour in zip(views, (_picture.BLUE, _picture.ORANGE))]
    with _picture.plt.rc_context(_picture.STYLE):
        figure = _picture.plt.figure(constrained_layout=True) if figure is None else figure
        _picture.draw(figure, title, results, model or {}, scores, None if classes is None else classes[::step], views)
    return figure


def draw_pairs(cca, x_scores, y_scores, figure=None):
    """Correlations, permutations where there were any, scores and variables."""
    n, d = len(x_scores), (len(cca.x_weights_), len(cca.y_weights_))
    results = {"analysis": cca._analysis, "center": cca.center, "n": n}
    if cca._analysis == "pls":
        results["covariances"] = cca.covariances_
    else:
        results.update({"pearson" if cca.center else "cosines": list(cca.pearson_), "correlations": list(cca.correlations_)})
    if hasattr(cca, "cross_validation_"):
        results["cv_correlations"] = list(cca.cross_validation_.correlations[:cca.n_components_])
    if hasattr(cca, "permutation_test_"):
        test = cca.permutation_test_
        results.update({"permutations": test.n_permutations, "p_values": list(test.p_values), "permutation_medians": list(test.medians),
                        "permutation_quantiles": list(test.quantiles), "permutation_quantiles_exact": test.exact})
    views = [("X", cca.x_structure_, getattr(cca, "feature_names_in_", None)), ("y", cca.y_structure_, getattr(cca, "target_names_in_", None))]
    return _draw(figure, f"X ({d[0]:,} variables) and y ({d[1]:,} variables), {n:,} samples", results, (x_scores, y_scores), views)


def draw_analysis(analysis, key, values, scores, other=None, classes=None, names=None, total=None, figure=None):
    """Values, and the samples in the plane of the first two scores."""
    results = {"analysis": analysis._analysis, "center": getattr(analysis, "center", True), "n": len(scores), key: np.asarray(values)}
    if total is not None:
        results["total_variance"] = total
    model = {"classes": [str(c) for c in names]} if names is not None else {}
    views = [("X", analysis.structure_, getattr(analysis, "feature_names_in_", None))]
    return _draw(figure, f"{analysis.n_features_in_:,} variables, {len(scores):,} samples", results, (scores, other), views, classes, model)
