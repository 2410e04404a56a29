# SPDX-License-Identifier: BSD-2-Clause
"""What estimators are given and cannot use: an exception with a sentence each, before or instead of a result, and the model is as it was."""
import mmap

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import slepcnapi
from slepcnapi import CCA, GEV, LDA, PCA, PLS

n = 40
rng = np.random.default_rng(0)
X, Y = rng.standard_normal((n, 5)), rng.standard_normal((n, 4))
Y[:, 0] += X[:, 0]
labels = np.arange(n) % 3


def changed(value, A=X):
    A = A.copy()
    A[3, 2] = value
    return A


class Closed:
    """An array whose file is gone."""

    def __array__(self, dtype=None, copy=None):
        raise ValueError("mmap closed or invalid")


def closed_file():
    m = mmap.mmap(-1, 8)
    m.close()
    return m


class Broken(sp.csr_array):
    def tocsr(self, copy=False):
        raise OSError("the file is closed")


def malformed():
    """Indices beyond the columns, which SciPy does not look at."""
    A = sp.csr_array(X)
    A.indices[0] = 99
    return A


# for any set of samples
DATA = {
    "None": None, "text": "X", "number": 3.0, "object": object(), "function": lambda: X, "dict": {"a": [1, 2]}, "set": {1, 2}, "empty list": [], "nested empty": [[]], "one row": X[:1], "no rows": X[:0],
    "no columns": X[:, :0], "1d": X[:, 0], "0d": np.array(1.0), "3d": X.reshape(n, 5, 1), "ragged": [[1, 2], [3]], "deep": [[[1], [2]], [[3], [4]]], "complex": X + 1j, "complex sparse": sp.csr_array(X + 1j),
    "NaN": changed(np.nan), "infinite": changed(np.inf), "minus infinite": changed(-np.inf), "NaN sparse": sp.csr_array(changed(np.nan)), "NaN float32": changed(np.nan).astype(np.float32),
    "too large for a double": changed(np.longdouble(1), X.astype(np.longdouble)) * np.longdouble("1e400"),
    "infinite sparse": sp.csc_array(changed(np.inf)), "words": X.astype(str), "bytes": X.astype("S8"), "dates": np.full((n, 5), "2020-01-01", "M8[D]"), "objects": np.full((n, 5), object()),
    "objects with None": changed(None, X.astype(object)), "records": np.zeros(n, "f8, f8"), "frame with words": pd.DataFrame({"a": ["x"] * n, "b": [1.0] * n}), "frame with NaN": pd.DataFrame(changed(np.nan)),
    "closed": Closed(), "closed sparse": Broken(X), "closed mmap": closed_file(), "indices beyond": malformed(), "fewer samples": X[1:], "sparse vector": sp.coo_array(X[:, 0]), "generator": (x for x in X),
}
PARAMETERS = {
    "n_components": [0, -1, 1.5, "2", None, [1], np.nan, 10**30, 6, 2**31, True], "shrinkage": [-0.1, 1, 1.5, np.nan, np.inf, "some", None, [0.1], [0.1, 0.2, 0.3], 1j, {}, True, [0.1, -1]],
    "ridge": [-1, np.nan, np.inf, "auto", [1, 2, 3], 1j, True, [0.1, "x"]], "center": ["yes", None, 2, np.nan], "scale": ["no", 1.0, []], "solver": ["lu", "", None, 3, "DIRECT", b"napi"],
    "tol": [0, -1e-3, 1, np.nan, np.inf, "small", None, 1j, [1e-6]], "max_iter": [0, -5, 1.5, "many", [3], 2**40], "check": ["fast", None, 1], "warm_start": ["yes", None], "copy": ["no", None],
}
WEIGHTS = {"short": np.ones(n - 1), "2d": np.ones((n, 1)), "negative": -np.ones(n), "NaN": np.full(n, np.nan), "infinite": np.full(n, np.inf), "zero": np.zeros(n), "words": ["a"] * n, "complex": np.ones(n) * 1j, "number NaN": np.nan,
           "object": object()}
LABELS = {"None": None, "short": labels[1:], "one class": np.zeros(n), "continuous": labels + 0.5, "NaN": np.where(labels, labels, np.nan), "2d": np.column_stack([labels, labels]), "complex": labels * 1j, "mixed": np.array([1, "a"] * (n // 2), object),
          "scalar": 1, "ragged": [[1], [2, 3]] * (n // 2)}
METHODS = {
    "permutations": lambda c: c.permutation_test(X, Y, 0), "permutations half": lambda c: c.permutation_test(X, Y, 9.5), "permutations many": lambda c: c.permutation_test(X, Y, 2**31), "permutations of others": lambda c: c.permutation_test(X[1:], Y),
    "within short": lambda c: c.permutation_test(X, Y, 9, within=labels[1:]), "within NaN": lambda c: c.permutation_test(X, Y, 9, within=np.full(n, np.nan)), "within mixed": lambda c: c.permutation_test(X, Y, 9, within=np.array([1, "a"] * 20, object)),
    "within alone": lambda c: c.permutation_test(X, Y, 9, within=np.arange(n)), "seed": lambda c: c.permutation_test(X, Y, 9, random_state=-1), "seed text": lambda c: c.permutation_test(X, Y, 9, random_state="x"),
    "seed large": lambda c: c.bootstrap(X, Y, 9, random_state=2**31), "folds": lambda c: c.cross_validate(X, Y, 1), "folds many": lambda c: c.cross_validate(X, Y, n + 1), "folds text": lambda c: c.cross_validate(X, Y, "five"),
    "folds None": lambda c: c.cross_validate(X, Y, None), "one fold": lambda c: c.cross_validate(X, Y, np.zeros(n)), "folds short": lambda c: c.cross_validate(X, Y, labels[1:]), "path empty": lambda c: c.cross_validate(X, Y, shrinkage=[]),
    "path negative": lambda c: c.cross_validate(X, Y, shrinkage=[0.1, -1]), "path of words": lambda c: c.cross_validate(X, Y, ridge=["a"]), "path NaN": lambda c: c.cross_validate(X, Y, ridge=[np.nan]), "two paths": lambda c: c.cross_validate(X, Y, shrinkage=[0.1], ridge=[0.1]),
    "path 2d": lambda c: c.cross_validate(X, Y, shrinkage=[[0.1, 0.2]]), "bootstrap none": lambda c: c.bootstrap(X, Y, 1), "bootstrap text": lambda c: c.bootstrap(X, Y, "many"), "level": lambda c: c.bootstrap(X, Y, 9, level=1), "level NaN": lambda c: c.bootstrap(X, Y, 9, level=np.nan),
    "Wilks of a ridge": lambda c: c.multivariate_tests(X, Y), "other columns": lambda c: c.transform(X[:, 1:]), "other columns of y": lambda c: c.transform(X, Y[:, 1:]), "one sample in a row": lambda c: c.transform(X[0]), "NaN in new samples": lambda c: c.predict(changed(np.nan)),
    "scores of others": lambda c: c.inverse_transform(np.ones((3, 4))), "scores 1d": lambda c: c.inverse_transform(np.ones(2)), "no y": lambda c: c.score(X, None), "summary of nothing": lambda c: CCA().summary(), "transform of nothing": lambda c: CCA().transform(X),
    "plot of nothing": lambda c: PLS().plot(X, Y), "gather of words": lambda c: slepcnapi.gather("abc"), "gather of boxes": lambda c: slepcnapi.gather(np.ones((2, 2, 2))), "unknown parameter": lambda c: CCA(shrink=1), "unknown attribute": lambda c: slepcnapi.CCCA,
    "weights": lambda c: c.bootstrap(X, Y, 9, sample_weight=np.ones(3)),
}


def cases():
    """A name, what is done with a fitted CCA, and which."""
    for name, A in DATA.items():
        yield f"X-{name}", lambda c, A=A: c.fit(A, Y)
        if name != "1d":  # of which y may be
            yield f"y-{name}", lambda c, A=A: c.fit(X, A)
        if name != "fewer samples":  # these have none that others belong to
            yield f"PCA-{name}", lambda c, A=A: PCA(1).fit(A)
            yield f"GEV-{name}", lambda c, A=A: GEV(1).fit(X, A)
    for name, values in PARAMETERS.items():
        for value in values:
            yield f"{name}={value!r}", lambda c, name=name, value=value: c.set_params(**{name: value}).fit(X, Y)
            if name in ("n_components", "tol", "max_iter", "center") and not (name == "n_components" and (value is None or value == 6)):
                yield f"PCA-{name}={value!r}", lambda c, name=name, value=value: PCA(**{name: value}).fit(X)
                if name != "center":
                    yield f"LDA-{name}={value!r}", lambda c, name=name, value=value: LDA(**{name: value}).fit(X, labels)
    for name, w in WEIGHTS.items():
        yield f"weights-{name}", lambda c, w=w: c.fit(X, Y, w)
    for name, y in LABELS.items():
        yield f"labels-{name}", lambda c, y=y: LDA().fit(X, y)
    yield from METHODS.items()


CASES = dict(cases())


def test_there_are_many():
    assert len(CASES) >= 200


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", CASES)
def test_bad_input(case, capfd):
    cca = CCA(2).fit(X, Y)
    fitted, good = {k: v for k, v in vars(cca).items() if k.endswith("_")}, cca.correlations_.copy()
    with pytest.raises(Exception) as caught:
        CASES[case](cca)
    message = str(caught.value)
    assert isinstance(caught.value, (ValueError, TypeError, AttributeError, OSError, slepcnapi.Error)) and len(message) > 8, repr(caught.value)
    assert "PETSc's error" not in message and "ctypes" not in message and "0x" not in message.replace("object at 0x", ""), message
    now = {k: v for k, v in vars(cca).items() if k.endswith("_")}
    assert now.keys() == fitted.keys() and all(now[k] is fitted[k] for k in now)
    np.testing.assert_array_equal(CCA(2).fit(X, Y).correlations_, good)
    assert capfd.readouterr() == ("", "")
