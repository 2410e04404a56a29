# SPDX-License-Identifier: BSD-2-Clause
"""PLS, LDA, PCA and GEV against scikit-learn and dense eigenproblems."""
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.linalg
import scipy.sparse as sp
import sklearn.cross_decomposition
import sklearn.decomposition
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning

from slepcnapi import GEV, LDA, PCA, PLS


def samples(n=150, d=9, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)) @ rng.standard_normal((d, d)) * np.geomspace(3, 0.3, d) + rng.standard_normal(d)


def covariance(X, center=True, weights=None):
    w = np.full(len(X), 1 / len(X)) if weights is None else weights / np.sum(weights)
    X = X - w @ X if center else X
    return (X * w[:, None]).T @ X


FORMS = [np.asarray, np.asfortranarray, pd.DataFrame, sp.csr_array, sp.csc_array, lambda A: A.astype(np.float32), lambda A: sp.csr_array(A).astype(np.float32)]


def rtol(form):
    return 1e-5 if getattr(form(np.eye(2)), "dtype", None) == np.float32 else 1e-9


# --- PLS --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["direct", "napi"])
def test_pls_is_the_svd_of_the_covariance(solver):
    X, Y = samples(150, 9, 0), samples(150, 6, 1)
    for scale in False, True:
        ours = PLS(3, solver=solver, scale=scale, tol=1e-9).fit(X, Y)
        A, B = ((Z - Z.mean(axis=0)) / (Z.std(axis=0) if scale else 1) for Z in (X, Y))
        U, s, V = np.linalg.svd(A.T @ B / len(A))
        np.testing.assert_allclose(ours.covariances_, s[:3], rtol=1e-9)
        np.testing.assert_allclose(abs(ours.x_weights_), abs(U[:, :3]), atol=1e-7)
        np.testing.assert_allclose(abs(ours.y_weights_), abs(V[:3].T), atol=1e-7)
        x, y = ours.transform(X, Y)
        np.testing.assert_allclose((x * y).mean(axis=0), s[:3], rtol=1e-8)
        np.testing.assert_allclose(x, A @ ours.x_weights_, atol=1e-9)


def test_pls_of_scikit_learn():
    X, Y = samples(150, 9, 0), samples(150, 6, 1)
    theirs, ours = sklearn.cross_decomposition.PLSSVD(3, scale=False).fit(X, Y), PLS(3).fit(X, Y)
    for a, b in zip(ours.transform(X, Y), theirs.transform(X, Y)):
        np.testing.assert_allclose(a * np.sign((a * b).sum(axis=0)), b, atol=1e-6 * abs(b).max())
    assert list(ours.get_feature_names_out()) == ["pls0", "pls1", "pls2"]


@pytest.mark.parametrize("form", FORMS)
def test_pls_forms_and_weights(form):
    X, Y = np.where(samples(150, 9, 0) > 0.5, samples(150, 9, 0), 0), samples(150, 6, 1)
    w = np.random.default_rng(1).integers(0, 3, 150)
    ours = PLS(2).fit(form(X), form(Y), w)
    A, B = np.repeat(X, w, axis=0), np.repeat(Y, w, axis=0)
    s = np.linalg.svd((A - A.mean(axis=0)).T @ (B - B.mean(axis=0)) / len(A))[1]
    np.testing.assert_allclose(ours.covariances_, s[:2], rtol=rtol(form))


# --- PCA --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shape", [(150, 9), (12, 40)])
def test_pca_of_scikit_learn(form, shape):
    X = samples(*shape)
    ours, theirs = PCA(3).fit(form(X)), sklearn.decomposition.PCA(3, svd_solver="full").fit(X)
    n = len(X)
    np.testing.assert_allclose(ours.variances_, theirs.explained_variance_ * (n - 1) / n, rtol=rtol(form))
    np.testing.assert_allclose(ours.explained_variance_ratio_, theirs.explained_variance_ratio_, rtol=rtol(form))
    np.testing.assert_allclose(ours.mean_, X.mean(axis=0), atol=1e-5)
    assert ours.total_variance_ == pytest.approx(X.var(axis=0).sum(), rel=1e-5)
    sign = np.sign((ours.components_ * theirs.components_).sum(axis=1))
    np.testing.assert_allclose(sign[:, None] * ours.components_, theirs.components_, atol=1e-4)
    scores = ours.transform(form(X))
    np.testing.assert_allclose(scores * sign, theirs.transform(X), atol=1e-4 * abs(scores).max())
    np.testing.assert_allclose(ours.inverse_transform(scores), theirs.inverse_transform(theirs.transform(X)), atol=1e-4 * abs(X).max())
    np.testing.assert_allclose(PCA(3).fit_transform(form(X)), scores, atol=1e-9)


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("scale", [True, False])
def test_pca_choices(center, scale):
    X, w = samples(), np.random.default_rng(1).integers(0, 3, 150)
    ours = PCA(3, center=center, scale=scale).fit(X, sample_weight=w)
    C = covariance(np.repeat(X, w, axis=0), center)
    C = C / np.sqrt(np.outer(C.diagonal(), C.diagonal())) if scale else C
    v, U = np.linalg.eigh(C)
    np.testing.assert_allclose(ours.variances_, v[::-1][:3], rtol=1e-9)
    np.testing.assert_allclose(abs(ours.weights_), abs(U[:, ::-1][:, :3]), atol=1e-5)
    np.testing.assert_allclose(np.average(ours.transform(X)**2, axis=0, weights=w), ours.variances_, rtol=1e-8)
    assert ours.residuals_.max() <= 1e-6 and ours.n_iter_ >= 1


def test_pca_without_centring_is_svds():
    X = sp.random_array((300, 80), density=0.05, random_state=0, format="csr")
    s = sp.linalg.svds(X, 4, return_singular_vectors=False)
    np.testing.assert_allclose(np.sqrt(300 * PCA(4, center=False).fit(X).variances_), np.sort(s)[::-1], rtol=1e-9)


def test_pca_structure():
    X = samples()
    pca = PCA(3).fit(X)
    np.testing.assert_allclose(pca.structure_, np.corrcoef(X.T, pca.transform(X).T)[:9, 9:], atol=1e-9)


# --- LDA --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("load", [load_iris, load_wine, load_digits])
def test_lda_of_scikit_learn(load):
    """Discriminants, scores and predictions of its 'eigen', without regularisation (digits has constant columns, and takes a little)."""
    X, y = load(return_X_y=True)
    if load is load_digits:
        X = X[:, X.std(axis=0) > 0.5]
    ours, theirs = LDA(shrinkage=0).fit(X, y), LinearDiscriminantAnalysis(solver="eigen").fit(X, y)
    K = len(np.unique(y))
    np.testing.assert_allclose(ours.discriminants_ / ours.discriminants_.sum(), theirs.explained_variance_ratio_, rtol=1e-8)
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    np.testing.assert_allclose(ours.priors_, theirs.priors_, rtol=1e-12)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.score(X, y) == theirs.score(X, y) and ours.n_components_ == K - 1
    a, b = ours.transform(X), theirs.transform(X)[:, :K - 1]
    np.testing.assert_allclose(abs(np.einsum("ik,ik->k", a - a.mean(axis=0), b - b.mean(axis=0))) / a.std(axis=0) / b.std(axis=0) / len(X), 1, rtol=1e-8)
    np.testing.assert_allclose(ours.class_scores_, [a[y == c].mean(axis=0) for c in ours.classes_], atol=1e-8)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("ridge", [0.0, 0.3])
def test_lda_by_its_definition(form, ridge):
    X, y = load_wine(return_X_y=True)
    X = X / X.std(axis=0)
    w = np.random.default_rng(1).integers(0, 3, len(X))
    ours = LDA(ridge=ridge).fit(form(X), y, w)
    A, b = np.repeat(X, w, axis=0), np.repeat(y, w)
    S = covariance(A)
    Sb = sum(np.mean(b == c) * np.outer(*[A[b == c].mean(axis=0) - A.mean(axis=0)] * 2) for c in range(3))
    values, U = scipy.linalg.eigh(Sb, S - Sb + ridge * np.eye(13))
    np.testing.assert_allclose(ours.discriminants_, values[::-1][:2], rtol=10 * rtol(form))
    np.testing.assert_allclose(ours.correlations_**2, values[::-1][:2] / (1 + values[::-1][:2]), rtol=10 * rtol(form))
    np.testing.assert_allclose(abs(ours.weights_), abs(U[:, ::-1][:, :2]), atol=1e-3 if rtol(form) > 1e-6 else 1e-6)
    np.testing.assert_allclose(ours.class_scores_, [np.average(ours.transform(form(X))[y == c], axis=0, weights=w[y == c]) for c in range(3)], atol=1e-3)


def test_lda_labels():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])
    for labels in names[y], names[y].astype(object), y * 10 - 5, pd.Series(names[y]), pd.Categorical(names[y]), y.tolist(), y.astype(float), y > 0:
        lda = LDA().fit(X, labels)
        assert np.mean(lda.predict(X) == np.asarray(labels)) > 0.9 and lda.score(X, labels) > 0.9
        assert set(lda.predict(X)) <= set(np.asarray(labels))
    w = np.where(y == 1, 0, 1)  # a class that nobody counts is none
    assert list(LDA().fit(X, names[y], w).classes_) == ["setosa", "virginica"]
    with pytest.warns(UserWarning, match="column-vector"):
        LDA().fit(X, y[:, None])


# --- GEV --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("ridge", [0.0, 0.4])
@pytest.mark.parametrize("center", [True, False])
def test_gev_is_a_pair_of_covariances(form, ridge, center):
    X, X2 = samples(150, 9, 0), samples(220, 9, 1)
    ours = GEV(3, ridge=ridge, center=center, tol=1e-8).fit(form(X), form(X2))
    S, S2 = covariance(X, center), covariance(X2, center) + ridge * np.eye(9)
    values, U = scipy.linalg.eigh(S, S2)
    np.testing.assert_allclose(ours.ratios_, values[::-1][:3], rtol=100 * rtol(form))
    np.testing.assert_allclose(ours.weights_.T @ S2 @ ours.weights_, np.eye(3), atol=1e-3 if rtol(form) > 1e-6 else 1e-7)
    scores = ours.transform(form(X))
    np.testing.assert_allclose((scores**2).mean(axis=0), ours.ratios_, rtol=1e-3 if rtol(form) > 1e-6 else 1e-7)
    np.testing.assert_allclose(ours.fit_transform(form(X), form(X2)), scores, atol=1e-9)
    assert list(ours.get_feature_names_out()) == ["gev0", "gev1", "gev2"]


def test_gev_shrinkage():
    X, X2 = samples(150, 9, 0), samples(220, 9, 1)
    ridge = 0.2 / 0.8 * np.trace(covariance(X2)) / 9
    np.testing.assert_allclose(GEV(2, shrinkage=0.2).fit(X, X2).ratios_, GEV(2, ridge=ridge).fit(X, X2).ratios_, rtol=1e-9)


# --- all of them ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [lambda k: PLS(k).fit(samples(60, 2), samples(60, 5)), lambda k: PCA(k).fit(samples(60, 2) @ np.ones((2, 7)))])
def test_bounds_and_ranks(make):
    """More than there can be is refused, more than there are is a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        assert make(2).n_components_ in (1, 2)
    with pytest.raises(ValueError, match="upper bound"):
        make(8)


def test_plots():
    """Every estimator draws; what is in the pictures is looked at in the documentation."""
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    X, y = load_iris(return_X_y=True, as_frame=True)
    A, B = X.iloc[:, :2], X.iloc[:, 2:]
    for estimator, data in ((PLS(2).fit(A, B), (A, B)), (PCA(2).fit(X), (X,)), (PCA(1).fit(X), (X,)), (LDA().fit(X, y), (X, y)), (GEV(2).fit(X[:70], X[70:]), (X[:70], X[70:]))):
        figure = estimator.plot(*data)
        assert len(figure.axes) >= 2, estimator
        plt.close(figure)
