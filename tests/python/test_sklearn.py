# SPDX-License-Identifier: BSD-2-Clause
"""The estimators among those of scikit-learn: its own checks, pipelines, searches, copies and pickles; and without it."""
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import sklearn.cross_decomposition
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from slepcnapi import CCA, GEV, LDA, PCA, PLS


def outcome(estimator):
    """Which of scikit-learn's checks fail, and which are skipped."""
    results = check_estimator(estimator, on_fail=None, on_skip=None)
    assert len(results) > 40
    return [tuple(f"{r['check_name']}: {r['exception']!r}"[:500] if status == "failed" else r["check_name"] for r in results if r["status"] == status) for status in ("failed", "skipped")]


class PLSSVD(PLS):
    """By this name, one of four, the checks know that there are two views. (By any other they want one number of iterations, and scores of one view from fit_transform.)"""


class OneSet(GEV):
    """The checks have no second set of samples: it gets one of its own."""

    def fit(self, X, y=None):
        d = (X if hasattr(X, "shape") else np.asarray(X)).shape[-1]
        return super().fit(X, np.random.default_rng(0).standard_normal((3 * d, d)))

    def fit_transform(self, X, y=None):
        return self.fit(X).transform(X)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("ours, theirs", [
    (CCA(n_components=1), sklearn.cross_decomposition.CCA(n_components=1)), (PLSSVD(n_components=1), sklearn.cross_decomposition.PLSCanonical(n_components=1)),
    (PCA(n_components=1), sklearn.decomposition.PCA(n_components=1)), (LDA(), sklearn.discriminant_analysis.LinearDiscriminantAnalysis())], ids=["CCA", "PLS", "PCA", "LDA"])
def test_checks(ours, theirs):
    """None fails, and none is skipped that is not skipped for scikit-learn's own of that kind, too."""
    failed, skipped = outcome(ours)
    assert not failed
    assert set(skipped) <= set(outcome(theirs)[1])


@pytest.mark.filterwarnings("ignore")
def test_checks_of_gev():
    assert not outcome(OneSet(n_components=1))[0]


def views(n=120):
    rng = np.random.default_rng(0)
    Z = rng.standard_normal((n, 2))
    return Z @ rng.standard_normal((2, 6)) + rng.standard_normal((n, 6)), Z @ rng.standard_normal((2, 4)) + rng.standard_normal((n, 4))


def fitted():
    X, Y = views()
    y = np.repeat(["a", "b", "c"], 40)
    return [(CCA(2, random_state=1).fit(X, Y), "transform", "predict"), (PLS(2).fit(X, Y), "transform", "predict"), (PCA(2).fit(X), "transform"),
            (LDA().fit(X, y), "transform", "predict"), (GEV(2).fit(X, X[::-1] * [1, 2, 1, 1, 1, 3]), "transform")]


def test_clone():
    """It has the parameters only."""
    for estimator, *_ in fitted():
        copy = clone(estimator)
        assert copy.get_params() == estimator.get_params() and not hasattr(copy, "n_components_")


def test_pickle(tmp_path):
    """What was fitted here gives the same in another process."""
    X, models = views()[0], fitted()
    (tmp_path / "models.pkl").write_bytes(pickle.dumps((X, models)))
    subprocess.run([sys.executable, "-c", """
import pickle, sys
with open(sys.argv[1], "rb") as f:
    X, models = pickle.load(f)
with open(sys.argv[2], "wb") as f:
    pickle.dump([[getattr(estimator, name)(X) for name in methods] for estimator, *methods in models], f)
""", tmp_path / "models.pkl", tmp_path / "results.pkl"], check=True, timeout=120)
    for (estimator, *methods), results in zip(models, pickle.loads((tmp_path / "results.pkl").read_bytes())):
        assert len(methods) == len(results)
        for name, values in zip(methods, results):
            np.testing.assert_array_equal(values, getattr(estimator, name)(X))


def test_pickled_tests_are_in_the_summary():
    X, Y = views()
    cca = CCA(2).fit(X, Y)
    cca.permutation_test(X, Y, 19)
    assert pickle.loads(pickle.dumps(cca)).summary() == cca.summary()


def test_pipeline():
    X, Y = views()
    pipeline = make_pipeline(StandardScaler(), CCA(2, shrinkage=0.01)).fit(X, Y)
    direct = CCA(2, shrinkage=0.01, scale=True).fit(X, Y)
    np.testing.assert_allclose(pipeline[-1].set_params(scale=False).correlations_[:1], CCA(2, shrinkage=(0.01, 0.01)).fit((X - X.mean(axis=0)) / X.std(axis=0), Y).correlations_[:1])
    assert pipeline.predict(X).shape == Y.shape and list(pipeline.get_feature_names_out()) == ["cca0", "cca1"]
    np.testing.assert_allclose(abs(pipeline.transform(X)), abs(CCA(2, shrinkage=0.01).fit(StandardScaler().fit_transform(X), Y).transform(StandardScaler().fit_transform(X))))
    assert direct.correlations_.shape == (2,)
    classes = np.repeat([0, 1, 2], 40)
    assert make_pipeline(PCA(3), LDA()).fit(X, classes).predict(X).shape == classes.shape
    weighted = make_pipeline(StandardScaler(), CCA(1)).fit(X, Y, cca__sample_weight=np.arange(120))
    assert weighted[-1].correlations_[0] != pipeline[-1].correlations_[0]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_grid_search(n_jobs):
    """Also in processes of joblib's, which are not forked."""
    X, Y = views()
    search = GridSearchCV(CCA(1), {"shrinkage": [0, 0.1, 0.9], "scale": [True, False]}, cv=3, n_jobs=n_jobs, error_score="raise").fit(X, Y)
    assert search.best_score_ == pytest.approx(np.mean(cross_val_score(CCA(1, **search.best_params_), X, Y, cv=3)))
    np.testing.assert_allclose(search.predict(X), search.best_estimator_.predict(X))
    search = GridSearchCV(LDA(), {"shrinkage": [0, 0.5]}, cv=3, n_jobs=n_jobs, error_score="raise").fit(X, np.tile([0, 1, 2], 40))
    assert search.cv_results_["mean_test_score"].shape == (2,)


def test_parameters():
    for make in CCA, PLS, PCA, LDA, GEV:
        estimator = make()
        assert repr(estimator) == make.__name__ + "()"
        assert make(**estimator.get_params()).get_params() == estimator.get_params()
        with pytest.raises(ValueError, match="nonsense"):
            estimator.set_params(nonsense=1)


WITHOUT = """
import sys
sys.modules["sklearn"] = sys.modules["pandas"] = sys.modules["matplotlib"] = None
import pickle, numpy as np, slepcnapi
rng = np.random.default_rng(0)
X, Y = rng.standard_normal((2, 80, 4))
Y += X
cca = slepcnapi.CCA(2).fit(X, Y)
assert cca.correlations_[0] > 0.5 and cca.transform(X).shape == (80, 2) and 0 < cca.score(X, Y) <= 1
assert cca.get_params()["shrinkage"] == 1e-3 and repr(cca.set_params(shrinkage=0.1)) == "CCA(shrinkage=0.1)" and list(cca.get_feature_names_out()) == ["cca0", "cca1"]
assert pickle.loads(pickle.dumps(cca)).predict(X).shape == Y.shape
assert "canonical" in cca.summary() and cca.fit_transform(X, Y)[0].shape == (80, 2) and cca.permutation_test(X, Y, 19).n_real >= 1
lda = slepcnapi.LDA().fit(X, np.arange(80) % 3)
assert lda.score(X, np.arange(80) % 3) > 0.2
assert slepcnapi.PCA(2).fit_transform(X).shape == (80, 2) and slepcnapi.PLS(2).fit(X, Y).score(X, Y) > 0 and slepcnapi.GEV(2).fit_transform(X, Y).shape == (80, 2)
for wrong, text in ((lambda: slepcnapi.PCA().transform(X), "not fitted"), (lambda: cca.transform(X[:, :2]), "2 features, but CCA is expecting 4"), (lambda: cca.plot(X, Y), "pip install matplotlib"),
                    (lambda: cca.set_params(nonsense=1), "Invalid parameter")):
    try:
        wrong()
    except Exception as error:
        assert text in str(error), error
    else:
        assert False, text
"""


def test_without_scikit_learn():
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_data_frames():
    X, Y = (pd.DataFrame(A).add_prefix(v) for A, v in zip(views(), "xy"))
    out = CCA(2).set_output(transform="pandas").fit(X, Y).transform(X)
    assert list(out.columns) == ["cca0", "cca1"] and out.index.equals(X.index)
    assert list(PCA(2).set_output(transform="pandas").fit_transform(X).columns) == ["pca0", "pca1"]
