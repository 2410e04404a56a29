# SPDX-License-Identifier: BSD-2-Clause
"""What CCA says of a fit: the same as the program napi-cca, which prints it from the same library for the same files and seeds."""
import json
import os
import pathlib
import re
import subprocess

import numpy as np
import pandas as pd
import pytest

from slepcnapi import CCA, PCA, PLS

data = pathlib.Path(__file__).resolve().parents[2] / "examples" / "data"
X, Y = pd.read_csv(data / "lifestyle.csv"), pd.read_csv(data / "health.csv")


def program(*options, folder):
    """What napi-cca prints, and the object of its -json."""
    path = pathlib.Path(os.environ["NAPI_BUILD"]) / "bin" / "napi-cca"
    done = subprocess.run([path, data / "lifestyle.csv", data / "health.csv", "-json", folder / "out.json", *map(str, options)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout, json.loads((folder / "out.json").read_text())


def lines(report):
    """The lines of its tables, without residuals, and its sentences, without what only one of the two knows."""
    kept = []
    for line in report.replace("X u and Y v", "X u and y v").replace("Y v one of those of Y", "y v one of those of y").replace("of Y", "of y").replace("of X and Y", "of X and y").split("\n"):
        line = re.sub(r" [ \d]\.\d\de-\d\d$", "", re.sub(r"   Y: ", "   y: ", line)).replace(" (seed 0)", "").replace(", 1 rank", "")
        if line and not re.match(r"[XYy][ :]|\* |Warning|.*iteration|WARNING", line):
            kept.append(line.rstrip())
    return kept


@pytest.mark.parametrize("options, choices", [
    ([], {}), (["-scale"], {"scale": True}), (["-shrinkage", 0.2], {"shrinkage": 0.2}), (["-ridge", "0.5,2"], {"ridge": (0.5, 2)}), (["-no_center"], {"center": False}),
    (["-shrinkage", "auto", "-scale"], {"shrinkage": "auto", "scale": True}), (["-shrinkage", 0], {"shrinkage": 0}), (["-cca_type", "napi", "-scale"], {"solver": "napi", "scale": True})])
def test_summary(options, choices, tmp_path):
    """The same table, variables and sentences, and Wilks where it applies."""
    text, numbers = program("-k", 3, *options, folder=tmp_path)
    cca = CCA(3, **choices).fit(X, Y)
    np.testing.assert_allclose(cca.correlations_, numbers["correlations"], rtol=1e-7)
    np.testing.assert_allclose(cca.pearson_, numbers["pearson" if cca.center else "cosines"], rtol=1e-6)
    np.testing.assert_allclose(cca.ridge_, numbers["ridge"], rtol=1e-10)
    assert cca.solver_ == numbers["type"] and cca.reason_ == numbers["reason"]
    if cca.solver_ == "direct":
        assert lines(cca.summary()) == lines(text)
    assert ("WARNING" in cca.summary()) == ("WARNING" in text)
    assert hasattr(cca, "multivariate_tests_") == ("wilks_p_values" in numbers) == (choices.get("shrinkage") == 0)
    if hasattr(cca, "multivariate_tests_"):
        np.testing.assert_allclose(cca.multivariate_tests_.wilks["p"], numbers["wilks_p_values"], rtol=1e-8)
        np.testing.assert_allclose(cca.multivariate_tests_.bartlett["chi2"], numbers["bartlett_chi_square"], rtol=1e-8)
        np.testing.assert_allclose(cca.multivariate_tests(X, Y).roy["p"], numbers["roy_p_values"], rtol=1e-8)


@pytest.mark.parametrize("seed", [1, 7])
@pytest.mark.parametrize("solver", ["direct", "napi"])
def test_permutations(seed, solver, tmp_path):
    text, numbers = program("-k", 3, "-scale", "-permutations", 99, "-permutation_seed", seed, "-cca_type", solver, folder=tmp_path)
    cca = CCA(3, scale=True, solver=solver, random_state=seed).fit(X, Y)
    test = cca.permutation_test(X, Y, 99)
    np.testing.assert_allclose(test.p_values, numbers["p_values"], rtol=1e-12)
    np.testing.assert_allclose(test.medians, numbers["permutation_medians"], rtol=1e-4)
    np.testing.assert_allclose(test.quantiles, numbers["permutation_quantiles"], rtol=1e-4)
    assert (test.exact, test.undecided, test.n_real) == (numbers["permutation_quantiles_exact"], numbers["permutation_undecided"], 2)
    if solver == "direct":
        assert lines(cca.summary()) == lines(text)
    np.testing.assert_array_equal(CCA(3, scale=True, solver=solver).fit(X, Y).permutation_test(X, Y, 99, random_state=seed).p_values, test.p_values)
    assert not np.array_equal(cca.permutation_test(X, Y, 99, random_state=seed + 1).medians, test.medians)


def test_permutations_within_groups(tmp_path):
    groups = np.where(np.arange(200) % 3, "north", "south")
    (tmp_path / "groups.csv").write_text("\n".join(groups) + "\n")
    numbers = program("-k", 2, "-permutations", 99, "-permute_within", tmp_path / "groups.csv", folder=tmp_path)[1]
    test = CCA(2).fit(X, Y).permutation_test(X, Y, 99, within=groups)
    np.testing.assert_allclose(test.p_values, numbers["p_values"], rtol=1e-12)
    assert "within groups" in str(test)


def test_permutation_tests_of_nothing():
    rng = np.random.default_rng(0)
    A, B = rng.standard_normal((2, 100, 4))
    test = CCA(2).fit(A, B).permutation_test(A, B, 99)
    assert test.n_real == 0 and test.p_values[0] > 0.05 and "no pair can be told from chance" in str(test)


@pytest.mark.parametrize("options, choices", [
    ([], {}), (["-cv_seed", 5], {"random_state": 5}), (["-cv_order", "contiguous"], {"contiguous": True}), (["-cv_one_se"], {"one_se": True})])
def test_cross_validation(options, choices, tmp_path):
    """Its means, errors and choice, and the fit with that."""
    values = [0.5, 0.1, 0.001]
    text, numbers = program("-k", 3, "-scale", "-cv", 5, "-shrinkage_path", ",".join(map(str, values)), *options, folder=tmp_path)
    cca = CCA(3, scale=True)
    cv = cca.cross_validate(X, Y, 5, shrinkage=values, **choices)
    np.testing.assert_allclose(cv.values, numbers["cv_shrinkage"])
    np.testing.assert_allclose(cv.mean, numbers["cv_mean"], rtol=1e-8)
    np.testing.assert_allclose(cv.standard_error, numbers["cv_standard_error"], rtol=1e-8)
    np.testing.assert_allclose(cv.fold_correlations.ravel(), numbers["cv_fold_correlations"], rtol=1e-8)
    np.testing.assert_allclose(cv.correlations, numbers["cv_correlations"], rtol=1e-8)
    assert cv.best == numbers["cv_chosen"] and cca.shrinkage == cv.best_value == values[cv.best]
    np.testing.assert_allclose(cca.correlations_, numbers["correlations"], rtol=1e-10)
    assert lines(cca.summary()) == lines(text)
    np.testing.assert_allclose(CCA(3, scale=True, shrinkage=cv.best_value).fit(X, Y).correlations_, cca.correlations_, rtol=1e-10)


def test_cross_validation_by_its_definition(tmp_path):
    """Folds of one's own: correlations of the scores of the samples left out. Without values to choose from nothing is chosen."""
    fold = np.random.default_rng(0).integers(0, 4, 200)
    cca = CCA(2, scale=True, ridge=0.3, tol=1e-10)
    cv = cca.cross_validate(X, Y, [f"fold {f}" for f in fold])
    for f in range(4):
        left = CCA(2, scale=True, ridge=0.3).fit(X[fold != f], Y[fold != f])
        x, y = left.transform(X[fold == f], Y[fold == f])
        np.testing.assert_allclose(cv.fold_correlations[0, f], [np.corrcoef(x[:, k], y[:, k])[0, 1] for k in range(2)], rtol=1e-6)
    assert cca.ridge == 0.3 and cv.path == "none" and cv.mean[0] == pytest.approx(cv.fold_correlations.mean())
    ridges = cca.cross_validate(X, Y, ridge=[0.01, 10.0])
    assert cca.ridge == ridges.best_value and ridges.path == "ridge"
    chosen = cca.cross_validate(X, Y, shrinkage=[0.01, 0.9])
    assert cca.ridge is None and cca.shrinkage == chosen.best_value


def test_bootstrap(tmp_path):
    text, numbers = program("-k", 2, "-scale", "-bootstrap", 100, "-bootstrap_seed", 3, folder=tmp_path)
    cca = CCA(2, scale=True).fit(X, Y)
    boot = cca.bootstrap(X, Y, 100, random_state=3)
    for name, end, column in ((n, e, c) for n in ("pearson", "correlations") for c, e in enumerate(("low", "high"))):
        interval = boot.pearson_interval if name == "pearson" else boot.correlation_interval
        np.testing.assert_allclose(interval[:, column], numbers[f"{name}_{end}"], rtol=1e-8)
    assert boot.pearson.shape == boot.correlations.shape == (100, 2) and boot.failed == 0
    assert lines(cca.summary()) == lines(text.replace(" (seed 3)", ""))
    narrow = cca.bootstrap(X, Y, 100, level=0.5, random_state=3).pearson_interval
    assert (narrow[:, 0] >= boot.pearson_interval[:, 0]).all() and (narrow[:, 1] <= boot.pearson_interval[:, 1]).all()


def test_random_states():
    """Integers, RandomState and Generator; without one it is the same each time."""
    cca = CCA(1).fit(X, Y)
    for make in lambda: 3, lambda: np.random.RandomState(3), lambda: np.random.default_rng(3), lambda: None:
        a, b = (cca.set_params(random_state=make()).bootstrap(X, Y, 10).pearson for _ in range(2))
        np.testing.assert_array_equal(a, b)
    state = np.random.RandomState(3)
    a, b = (cca.bootstrap(X, Y, 10, random_state=state).pearson for _ in range(2))
    assert not np.array_equal(a, b)


@pytest.mark.parametrize("analysis, make", [("pls", PLS), ("pca", PCA)])
def test_other_analyses(analysis, make, tmp_path):
    path = pathlib.Path(os.environ["NAPI_BUILD"]) / "bin" / "napi-cca"
    files = [data / "lifestyle.csv", data / "health.csv"][:2 if analysis == "pls" else 1]
    subprocess.run([path, *files, "-analysis", analysis, "-k", "2", "-scale", "-json", tmp_path / "out.json"], check=True, capture_output=True)
    numbers = json.loads((tmp_path / "out.json").read_text())
    ours = make(2, scale=True).fit(*(X, Y)[:len(files)])
    name = "covariances" if analysis == "pls" else "variances"
    np.testing.assert_allclose(getattr(ours, name + "_"), numbers[name], rtol=1e-8)


def test_plots():
    """One picture for all there is to see; bands of permutations where there were any."""
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    cca = CCA(3, scale=True).fit(X, Y)
    plain = cca.plot(X, Y)
    count = sum(len(axes.lines) + len(axes.collections) + len(axes.texts) for axes in plain.axes)
    cca.permutation_test(X, Y, 99)
    figure = plt.figure()
    assert cca.plot(X, Y, figure) is figure and len(figure.axes) == len(plain.axes) + 1 >= 4
    assert sum(len(axes.lines) + len(axes.collections) + len(axes.texts) for axes in figure.axes) > count
    words = {text.get_text() for axes in figure.axes for text in axes.texts}
    assert any("steps_per_day" in word for word in words)
    CCA(1).fit(X, Y).plot(X, Y)
    CCA(2, center=False).fit(X.to_numpy(), Y.to_numpy()).plot(X.to_numpy(), Y.to_numpy())
    plt.close("all")


def test_what_belongs_to_an_earlier_fit_is_gone():
    cca = CCA(2).fit(X, Y)
    cca.permutation_test(X, Y, 19)
    cca.bootstrap(X, Y, 10)
    cca.fit(X, Y)
    assert not hasattr(cca, "permutation_test_") and not hasattr(cca, "bootstrap_")
