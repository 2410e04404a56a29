# SPDX-License-Identifier: BSD-2-Clause
"""slepcnapi.CCA against dense linear algebra, statsmodels and scikit-learn: what is computed, from data of every form."""
import importlib
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.linalg
import scipy.sparse as sp
import sklearn.cross_decomposition
from sklearn.datasets import load_linnerud, load_wine
from sklearn.exceptions import ConvergenceWarning
from statsmodels.multivariate.cancorr import CanCorr

from slepcnapi import CCA

statsmodels_data = importlib.import_module("statsmodels.multivariate.tests.test_cancorr").data_fit


def views(n=200, p=7, q=5, seed=0):
    """Two data sets that share three things, with means and units of their own."""
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((n, 3)) * [3, 2, 1]
    X, Y = (Z @ rng.standard_normal((3, d)) + 2 * rng.standard_normal((n, d)) for d in (p, q))
    return X * rng.uniform(0.5, 2, p) + 3 * rng.standard_normal(p), Y * rng.uniform(0.5, 2, q) - 1


def exact(X, Y, ridge=(0.0, 0.0), center=True, weights=None):
    """Correlations and both covariances, by the definition."""
    w = np.ones(len(X)) if weights is None else np.asarray(weights, float)
    w = w / w.sum()
    if center:
        X, Y = X - w @ X, Y - w @ Y
    S = [(A * w[:, None]).T @ A + r * np.eye(A.shape[1]) for A, r in ((X, ridge[0]), (Y, ridge[1]))]
    C = (X * w[:, None]).T @ Y
    L = [np.linalg.cholesky(s) for s in S]
    return np.linalg.svd(scipy.linalg.solve_triangular(L[0], scipy.linalg.solve_triangular(L[1], C.T, lower=True).T, lower=True))[1], S, C


def solves(cca, X, Y, ridge=(0.0, 0.0), center=True, weights=None, rtol=1e-9):
    """Everything that a canonical pair is."""
    rho, S, C = exact(X, Y, ridge, center, weights)
    k = cca.n_components_
    np.testing.assert_allclose(cca.correlations_, rho[:k], rtol=rtol)
    u, v = cca.x_weights_ / cca.x_scale_[:, None], cca.y_weights_ / cca.y_scale_[:, None]
    np.testing.assert_allclose(u.T @ S[0] @ u, np.eye(k), atol=1e-6)
    np.testing.assert_allclose(v.T @ S[1] @ v, np.eye(k), atol=1e-6)
    np.testing.assert_allclose(u.T @ C @ v, np.diag(rho[:k]), atol=1e-6)


# --- what is computed -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["auto", "direct", "napi", "eps"])
@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("scale", [True, False])
def test_pairs(solver, center, scale):
    X, Y = views()
    cca = CCA(3, ridge=[0.3, 0.7], center=center, scale=scale, solver=solver, tol=1e-9).fit(X, Y)
    deviation = [np.sqrt(np.mean((A - A.mean(axis=0) * center)**2, axis=0)) if scale else np.ones(A.shape[1]) for A in (X, Y)]
    np.testing.assert_allclose(cca.x_scale_, deviation[0])
    np.testing.assert_allclose(cca.y_scale_, deviation[1])
    np.testing.assert_allclose(cca.x_mean_, X.mean(axis=0) * center, atol=1e-12)
    rho, S, C = exact(X / deviation[0], Y / deviation[1], (0.3, 0.7), center)
    np.testing.assert_allclose(cca.correlations_, rho[:3], rtol=1e-10)
    np.testing.assert_allclose(cca.x_weights_.T @ S[0] @ cca.x_weights_, np.eye(3), atol=1e-8)
    np.testing.assert_allclose(cca.y_weights_.T @ S[1] @ cca.y_weights_, np.eye(3), atol=1e-8)
    x, y = cca.transform(X, Y)
    np.testing.assert_allclose(x, (X / deviation[0] - center * (X / deviation[0]).mean(axis=0)) @ cca.x_weights_, atol=1e-10)
    product = np.einsum("ik,ik->k", x, y) / np.sqrt(np.einsum("ik,ik->k", x, x) * np.einsum("ik,ik->k", y, y))
    np.testing.assert_allclose(cca.pearson_, product, rtol=1e-10)
    assert cca.residuals_.max() < 1e-9 and cca.solver_ == ("direct" if solver == "auto" else solver)
    assert cca.n_iter_ == [cca.n_iter_[0]] * 3 and (cca.n_iter_[0] == 1 if cca.solver_ == "direct" else cca.n_iter_[0] > 1)


def test_shrinkage():
    """Towards the mean variance of the view: (1 - s) S + s tr(S)/d I, up to a factor, which a shrinkage of the other view leaves alone."""
    X, Y = views()
    for shrinkage in 0, 0.2, (0.5, 0.01):
        cca = CCA(2, shrinkage=shrinkage).fit(X, Y)
        s = np.broadcast_to(shrinkage, 2)
        ridge = [t / (1 - t) * np.trace(np.cov(A.T, bias=True)) / A.shape[1] for t, A in zip(s, (X, Y))]
        np.testing.assert_allclose(cca.ridge_, ridge, atol=1e-13)
        np.testing.assert_allclose(cca.shrinkage_, s)
        solves(cca, X, Y, ridge)
        np.testing.assert_allclose(CCA(2, shrinkage=shrinkage).fit(1e6 * X, 1e-6 * Y).correlations_, cca.correlations_, rtol=1e-10)


def test_shrinkage_of_ledoit_and_wolf():
    from sklearn.covariance import ledoit_wolf_shrinkage
    X, Y = views(60, 20, 10)
    cca = CCA(1, shrinkage="auto").fit(X, Y)
    np.testing.assert_allclose(cca.shrinkage_, [ledoit_wolf_shrinkage(A) for A in (X, Y)], rtol=1e-10)
    np.testing.assert_allclose(CCA(1, shrinkage=("auto", 0.1)).fit(X, Y).shrinkage_, [cca.shrinkage_[0], 0.1], rtol=1e-10)


def test_more_variables_than_samples():
    X, Y = views(30, 80, 50)
    for solver in "direct", "napi":
        solves(CCA(4, shrinkage=0.3, solver=solver, tol=1e-9).fit(X, Y), X, Y, [0.3 / 0.7 * np.trace(np.cov(A.T, bias=True)) / A.shape[1] for A in (X, Y)])


def test_certified():
    X, Y = views()
    cca = CCA(2, ridge=0.1, check="certify", solver="napi").fit(X, Y)
    assert (abs(cca.correlations_ - exact(X, Y, (0.1, 0.1))[0][:2]) <= cca.error_bounds_).all() and cca.error_bounds_.max() < 1e-6


def test_multiple_and_canonical_correlations():
    """With one variable in y it is the multiple correlation of a regression."""
    X, Y = views()
    y = Y[:, 0]
    fitted = X @ np.linalg.lstsq(X - X.mean(axis=0), y - y.mean(), rcond=None)[0]
    cca = CCA(1, shrinkage=0).fit(X, y)
    np.testing.assert_allclose(cca.correlations_, [np.corrcoef(fitted, y)[0, 1]], rtol=1e-12)
    np.testing.assert_allclose(cca.predict(X), fitted - fitted.mean() + y.mean(), rtol=1e-10)
    assert cca.predict(X).shape == y.shape and cca.score(X, y) == pytest.approx(cca.correlations_[0]**2, rel=1e-10)


# --- against others ---------------------------------------------------------------------------------------------------


def data_sets():
    yield "SAS", statsmodels_data.iloc[:, :3], statsmodels_data.iloc[:, 3:]
    L = load_linnerud(as_frame=True)
    yield "linnerud", L.data, L.target
    W = load_wine(as_frame=True)
    yield "wine, 6 and 6", W.data.iloc[:, :6], W.data.iloc[:, 6:12]
    yield "wine, 6 and 7", W.data.iloc[:, :6], W.data.iloc[:, 6:]


@pytest.mark.parametrize("name, X, Y", list(data_sets()))
def test_statsmodels(name, X, Y):
    """Correlations, and the tests of its own test_cancorr.py, all correlations from the i-th on."""
    theirs = CanCorr(Y, X)
    ours = CCA(min(X.shape[1], Y.shape[1]), shrinkage=0).fit(X, Y)
    np.testing.assert_allclose(ours.correlations_, theirs.cancorr, rtol=1e-10)
    stats, tests = theirs.corr_test(), ours.multivariate_tests(X, Y)
    np.testing.assert_allclose([tests.wilks[c][0] for c in ("statistic", "F", "df1", "df2", "p")],
                               stats.stats_mv.loc["Wilks' lambda", ["Value", "F Value", "Num DF", "Den DF", "Pr > F"]].astype(float), rtol=1e-8)
    # its table of all of them changes when X and y change places, if these have different numbers of variables: r there has n - k_yvar - 1 for n - k_xvar - 1
    for i in range(len(stats.stats) if X.shape[1] == Y.shape[1] else 0):
        row = [stats.stats.loc[i, c] for c in ("Wilks' lambda", "F Value", "Num DF", "Den DF", "Pr > F")]
        np.testing.assert_allclose([tests.wilks[c][i] for c in ("statistic", "F", "df1", "df2", "p")], np.array(row, float), rtol=1e-8, err_msg=name)
    for ours, theirs in ((tests.pillai, "Pillai's trace"), (tests.hotelling, "Hotelling-Lawley trace"), (tests.roy, "Roy's greatest root")):
        assert ours["statistic"][0] == pytest.approx(float(stats.stats_mv.loc[theirs, "Value"]), rel=1e-8)
    assert tests.pillai["p"][0] == pytest.approx(float(stats.stats_mv.loc["Pillai's trace", "Pr > F"]), rel=1e-6)
    if name == "SAS":  # the values of statsmodels' test, which are those of SAS
        np.testing.assert_allclose(tests.wilks["statistic"], [0.35039053, 0.95472266, 0.99473355], atol=5e-9)
        np.testing.assert_allclose([t["statistic"][0] for t in (tests.pillai, tests.hotelling, tests.roy)], [0.67848151, 1.77194146, 1.72473874], atol=5e-9)
        np.testing.assert_allclose([t["p"][0] for t in (tests.wilks, tests.pillai, tests.hotelling, tests.roy)], [0.0635, 0.1551, 0.0357, 0.0009], atol=5e-5)


@pytest.mark.parametrize("name, X, Y", list(data_sets()))
@pytest.mark.parametrize("scale", [True, False])
def test_scikit_learn(name, X, Y, scale):
    """The same scores up to their lengths, which are its own; the same loadings, and the same way back."""
    X, Y = X.to_numpy(float), Y.to_numpy(float)
    k = min(X.shape[1], Y.shape[1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        theirs = sklearn.cross_decomposition.CCA(k, scale=scale, tol=1e-15, max_iter=100000).fit(X, Y)
    ours = CCA(k, shrinkage=0, scale=scale).fit(X, Y)
    scores = [e.transform(X, Y) for e in (ours, theirs)]
    for a, b in zip(*scores):
        np.testing.assert_allclose(abs(np.corrcoef(a.T, b.T)[:k, k:]), np.eye(k), atol=2e-4)
    for e, (a, b) in zip((ours, theirs), scores):
        back = e.inverse_transform(a, b)
        if k == X.shape[1] == Y.shape[1]:
            np.testing.assert_allclose(back[0], X, rtol=1e-7)
            np.testing.assert_allclose(back[1], Y, rtol=1e-7)
    for i, v in enumerate("xy"):  # loadings of scores that are as long as theirs, of variables divided by deviations over n - 1
        a, b = (getattr(e, v + "_loadings_") * s[i].std(axis=0) for e, s in zip((ours, theirs), scores))
        b = b * np.sqrt(len(X) / (len(X) - 1)) if scale else b
        np.testing.assert_allclose(a * np.sign(np.einsum("ik,ik->k", a, b)), b, atol=1e-3 * abs(b).max())


def test_loadings_structure_and_redundancy():
    """By their definitions, for regularised pairs, too, whose scores are not uncorrelated."""
    X, Y = views()
    for cca in CCA(3, shrinkage=0.3, scale=True).fit(X, Y), CCA(3, shrinkage=0).fit(X, Y):
        x, y = cca.transform(X, Y)
        for A, own, other, v in ((X, x, y, "x"), (Y, y, x, "y")):
            Z = (A - getattr(cca, v + "_mean_")) / getattr(cca, v + "_scale_")
            np.testing.assert_allclose(getattr(cca, v + "_structure_"), np.corrcoef(A.T, own.T)[:A.shape[1], A.shape[1]:], atol=1e-10)
            np.testing.assert_allclose(getattr(cca, v + "_cross_structure_"), np.corrcoef(A.T, other.T)[:A.shape[1], A.shape[1]:], atol=1e-10)
            np.testing.assert_allclose(getattr(cca, v + "_loadings_"), np.linalg.lstsq(own, Z, rcond=None)[0].T, atol=1e-9)
        share = [np.mean(structure**2, axis=0) * cca.pearson_**2 for structure in (cca.x_structure_, cca.y_structure_)]
        np.testing.assert_allclose(cca.redundancy_, np.column_stack(share), rtol=1e-9)


def test_prediction_is_least_squares_from_the_scores():
    X, Y = views()
    cca = CCA(3, shrinkage=0.2).fit(X, Y)
    x = cca.transform(X)
    design = np.column_stack([np.ones(len(x)), x])
    np.testing.assert_allclose(cca.predict(X), design @ np.linalg.lstsq(design, Y, rcond=None)[0], rtol=1e-8)
    np.testing.assert_allclose((X - cca.x_mean_) @ cca.coef_.T + cca.intercept_, cca.predict(X), rtol=1e-10)
    from sklearn.metrics import r2_score
    assert cca.score(X, Y) == pytest.approx(r2_score(Y, cca.predict(X)))
    everything = CCA(5, shrinkage=0).fit(X, Y)
    np.testing.assert_allclose(everything.inverse_transform(*everything.transform(X, Y))[1], Y, rtol=1e-8)


# --- data of every form -----------------------------------------------------------------------------------------------


def read_only_memmap(A, folder):
    np.save(folder / "a.npy", A)
    return np.load(folder / "a.npy", mmap_mode="r")


def strided(A):
    wide = np.full((2 * A.shape[0], 3 * A.shape[1]), np.nan)
    wide[::2, ::3] = A
    return wide[::2, ::3]


FORMS = {
    "C": np.ascontiguousarray, "Fortran": np.asfortranarray, "strided": strided, "reversed": lambda A: np.ascontiguousarray(A[::-1, ::-1])[::-1, ::-1],
    "columns of a larger array": lambda A: np.asfortranarray(np.column_stack([A, A]))[:, :A.shape[1]],
    "rows of a larger array": lambda A: np.asfortranarray(np.vstack([A, A]))[:len(A)],
    "big endian": lambda A: A.astype(">f8"), "longdouble": lambda A: A.astype(np.longdouble), "float32": lambda A: A.astype(np.float32),
    "float16": lambda A: A.astype(np.float16), "int": lambda A: (100 * A).astype(int), "uint8": lambda A: (10 * abs(A)).astype(np.uint8), "bool": lambda A: A > A.mean(),
    "object": lambda A: A.astype(object), "list": lambda A: A.tolist(), "matrix": np.asmatrix, "read-only": lambda A: np.require(A, requirements="C") if A.setflags(write=False) else A,
    "pandas": pd.DataFrame, "pandas, several blocks": lambda A: pd.DataFrame({f"v{j}": a if j % 2 else a.astype(np.float32) for j, a in enumerate(A.T)}),
    **{name: (lambda A, name=name: sp.coo_array(np.where(A > np.quantile(A, 0.8), A, 0)).asformat(name)) for name in ("csr", "csc", "coo", "bsr", "dia", "dok", "lil")},
    "csr matrix": lambda A: sp.csr_matrix(np.where(A > np.quantile(A, 0.8), A, 0)), "csr float32": lambda A: sp.csr_array(np.where(A > np.quantile(A, 0.8), A, 0), dtype=np.float32),
    "csr, not sorted, twice": lambda A: sp.csr_array((np.r_[A.ravel() / 2, A.ravel() / 2], (np.r_[[np.repeat(np.arange(len(A)), A.shape[1])] * 2].ravel(), np.r_[[np.tile(np.arange(A.shape[1])[::-1], len(A))] * 2].ravel())), shape=A.shape),
    "csr int64": lambda A: (lambda S: sp.csr_array((S.data, S.indices.astype(np.int64), S.indptr.astype(np.int64)), shape=A.shape))(sp.csr_array(np.where(A > 3, A, 0))),
}


def dense(A):
    return A.toarray().astype(float) if sp.issparse(A) else np.asarray(A, dtype=float)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("solver", ["direct", "napi"])
def test_forms(form, solver):
    """The same answer as for the same numbers in an array of doubles; and what is given is not changed."""
    X, Y = views()
    A, B = FORMS[form](X.copy()), FORMS[form](Y.copy())
    before = dense(A).copy()
    cca = CCA(2, solver=solver, tol=1e-8, shrinkage=0.1).fit(A, B)
    D, E = dense(A), dense(B)
    np.testing.assert_array_equal(D, before)
    same = CCA(2, solver="direct", shrinkage=0.1).fit(D, E)
    np.testing.assert_allclose(cca.correlations_, same.correlations_, rtol=1e-8)
    solves(cca, D, E, same.ridge_, rtol=1e-8)
    for given, wanted in zip(cca.transform(A, B), same.transform(D, E)):
        assert given.shape == wanted.shape and given.dtype == np.float64
        np.testing.assert_allclose(abs(given), abs(wanted), atol=1e-5)
    np.testing.assert_allclose(cca.predict(A), same.predict(D), atol=1e-4)


def test_mixed_forms(tmp_path):
    X, Y = views()
    same = CCA(2).fit(X, Y)
    S = sp.csr_array(Y)
    for A, B in ((X, S), (sp.csc_array(X), Y), (read_only_memmap(X, tmp_path), S), (pd.DataFrame(X), Y.tolist())):
        np.testing.assert_allclose(CCA(2).fit(A, B).correlations_, same.correlations_, rtol=1e-10)
        np.testing.assert_allclose(CCA(2, solver="napi", tol=1e-8).fit(A, B).correlations_, same.correlations_, rtol=1e-8)


def test_read_only_memmap(tmp_path):
    X, Y = views()
    M = read_only_memmap(X, tmp_path)
    for copy in True, False:
        cca = CCA(2, copy=copy).fit(M, Y.copy())
        np.testing.assert_allclose(cca.correlations_, CCA(2).fit(X, Y).correlations_)
        cca.transform(M, copy=copy)


def test_names():
    X, Y = (pd.DataFrame(A, columns=[f"{v}{j}" for j in range(A.shape[1])]) for A, v in zip(views(), "xy"))
    cca = CCA(2).fit(X, Y)
    assert list(cca.feature_names_in_) == list(X.columns) and list(cca.target_names_in_) == list(Y.columns) and cca.n_features_in_ == 7
    assert list(cca.get_feature_names_out()) == ["cca0", "cca1"]
    assert list(cca.set_output(transform="pandas").transform(X).columns) == ["cca0", "cca1"]
    with pytest.raises(ValueError, match="feature names"):
        cca.transform(X[X.columns[::-1]])
    with pytest.warns(UserWarning, match="feature names"):
        CCA(2).fit(X, Y).transform(X.to_numpy())
    again = cca.fit(X.to_numpy(), Y.to_numpy())
    assert not hasattr(again, "feature_names_in_") and not hasattr(again, "target_names_in_")


# --- weights, starts, chance ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["direct", "napi"])
@pytest.mark.parametrize("sparse", [True, False])
def test_a_weight_is_how_often_a_sample_is_there(solver, sparse):
    X, Y = views()
    w = np.random.default_rng(1).integers(0, 4, len(X))
    form = sp.csr_array if sparse else np.asarray
    a = CCA(2, scale=True, solver=solver, tol=1e-9).fit(form(X), form(Y), w)
    b = CCA(2, scale=True, solver=solver, tol=1e-9).fit(form(np.repeat(X, w, axis=0)), form(np.repeat(Y, w, axis=0)))
    c = CCA(2, scale=True, solver=solver, tol=1e-9).fit(form(X), form(Y), 7.5 * w)
    for other in b, c:
        for name in "correlations_", "pearson_", "x_mean_", "y_scale_", "redundancy_", "ridge_":
            np.testing.assert_allclose(getattr(a, name), getattr(other, name), rtol=1e-8, err_msg=name)
        for name in "x_weights_", "y_weights_", "x_loadings_", "y_structure_", "x_cross_structure_":
            np.testing.assert_allclose(abs(getattr(a, name)), abs(getattr(other, name)), atol=1e-6, err_msg=name)
    np.testing.assert_allclose(a.predict(X), b.predict(X), atol=1e-6)
    np.testing.assert_allclose(CCA(2).fit(X, Y, 1).correlations_, CCA(2).fit(X, Y).correlations_)


def test_warm_start():
    """From its own solution there is next to nothing to do, and from that of other choices less."""
    X, Y = views(2000, 300, 200)
    cca = CCA(4, solver="napi", warm_start=True, shrinkage=0.1).fit(X, Y)
    cold = cca.n_iter_[0]
    assert cca.fit(X, Y).n_iter_[0] < cold / 2
    np.testing.assert_allclose(cca.correlations_, CCA(4, solver="direct", shrinkage=0.1).fit(X, Y).correlations_, rtol=1e-9)
    changed = cca.set_params(shrinkage=0.11).fit(X, Y)
    assert changed.n_iter_[0] < cold
    np.testing.assert_allclose(changed.correlations_, CCA(4, solver="direct", shrinkage=0.11).fit(X, Y).correlations_, rtol=1e-9)
    fewer = cca.fit(X[:, :50], Y)  # nothing to begin with
    np.testing.assert_allclose(fewer.correlations_, CCA(4, solver="direct", shrinkage=0.11).fit(X[:, :50], Y).correlations_, rtol=1e-9)


def test_signs_and_scores_do_not_depend_on_chance():
    X, Y = views()
    for solver in "direct", "napi":
        a, b = (CCA(3, solver=solver, random_state=state).fit(X, Y) for state in (1, 2))
        np.testing.assert_array_equal(a.x_weights_, b.x_weights_)
        np.testing.assert_array_equal(a.y_weights_, b.y_weights_)


def test_copy():
    """As scikit-learn's: copy=False leaves the data centred and scaled, copy=True leaves them alone."""
    X, Y = views()
    A, B = X.copy(), Y.copy()
    cca = CCA(2, scale=True, copy=False).fit(A, B)
    np.testing.assert_allclose(A, (X - X.mean(axis=0)) / X.std(axis=0), atol=1e-12)
    np.testing.assert_allclose(B, (Y - Y.mean(axis=0)) / Y.std(axis=0), atol=1e-12)
    C = X.copy()
    np.testing.assert_allclose(cca.transform(C, copy=False), A @ cca.x_weights_, atol=1e-10)
    np.testing.assert_allclose(C, A, atol=1e-12)
    np.testing.assert_allclose(cca.correlations_, CCA(2, scale=True).fit(X, Y).correlations_)


# --- what there is not ------------------------------------------------------------------------------------------------


def test_constant_columns():
    """They have no part in any pair, and no effect on the others."""
    X, Y = views()
    X0 = np.column_stack([X, np.full(len(X), 5.0)])
    for scale in False, True:
        for solver in "direct", "napi":
            cca = CCA(2, scale=scale, solver=solver, ridge=0.1, tol=1e-8).fit(X0, Y)
            np.testing.assert_allclose(cca.correlations_, CCA(2, scale=scale, ridge=0.1).fit(X, Y).correlations_, rtol=1e-8)
            assert abs(cca.x_weights_[-1]).max() < 1e-12 and np.isfinite(cca.transform(X0)).all() and np.isfinite(cca.inverse_transform(cca.transform(X0))).all()
    with pytest.raises(ValueError, match="no canonical pairs"):
        CCA(1).fit(np.ones((20, 3)), Y[:20])


def test_fewer_pairs_than_asked_for():
    rng = np.random.default_rng(0)
    X, Y = rng.standard_normal((50, 2)) @ rng.standard_normal((2, 6)), rng.standard_normal((50, 5))
    with pytest.warns(ConvergenceWarning, match="2 canonical pairs only, not 3"):
        cca = CCA(3, shrinkage=0).fit(X, Y)
    assert cca.n_components_ == 2 and cca.transform(X).shape == (50, 2) and list(cca.get_feature_names_out()) == ["cca0", "cca1"]


def test_no_convergence():
    """What has not converged is no result: fewer with a warning, or an exception and the fit as it was."""
    rng = np.random.default_rng(0)
    X, Y = rng.standard_normal((2, 3000, 400))
    cca = CCA(3, solver="napi").fit(X[:, :10], Y[:, :10])
    before = cca.correlations_
    with pytest.raises(Exception, match="0 of 8 canonical pairs.*max_iter"):
        cca.set_params(n_components=8, max_iter=2, shrinkage=0).fit(X, Y)
    assert cca.correlations_ is before and cca.n_features_in_ == 10 and cca.transform(X[:, :10]).shape == (3000, 3)
