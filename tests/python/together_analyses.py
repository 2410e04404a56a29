# SPDX-License-Identifier: BSD-2-Clause
"""Several processes fit one model together, each with its own samples:

    mpiexec -n 2 python together_analyses.py 2
"""
import pickle
import sys

import numpy as np
import scipy.sparse as sp

import slepcnapi
from slepcnapi import CCA, GEV, LDA, PCA, PLS, Error, gather

size, rank = slepcnapi.ranks()
assert size == int(sys.argv[1]), f"{size} processes, not {sys.argv[1]}"

n = 150
rng = np.random.default_rng(0)  # the same everywhere
shared = rng.standard_normal((n, 2))
X, Y = (np.where(rng.random((n, d)) < 0.8, shared @ rng.standard_normal((2, d)) + rng.standard_normal((n, d)), 0) for d in (9, 6))
labels, weights, groups = np.arange(n) % 3, rng.integers(0, 3, n).astype(float), np.arange(n) // 5
X[:, 0] += labels
ends = np.linspace(0, n, size + 1).astype(int) + 7 * (np.arange(size + 1) % size > 0)  # not the same number each
mine = slice(ends[rank], ends[rank + 1])


def same(a, b, *names, **tolerance):
    for name in names:
        np.testing.assert_allclose(abs(np.asarray(getattr(a, name), float)), abs(np.asarray(getattr(b, name), float)), err_msg=name, **(tolerance or {"rtol": 1e-7, "atol": 1e-9}))


def alone(function):
    """What one process has of all samples."""
    slepcnapi.alone()
    try:
        return function()
    finally:
        slepcnapi.alone(False)


for form in np.asarray, np.asfortranarray, sp.csr_array:
    for solver in "direct", "napi":
        cca = CCA(2, solver=solver, tol=1e-10, scale=True).fit(form(X[mine]), form(Y[mine]), weights[mine])
        whole = alone(lambda: CCA(2, solver="direct", scale=True).fit(X, Y, weights))
        same(cca, whole, "correlations_", "pearson_", "x_mean_", "y_scale_", "ridge_")
        same(cca, whole, "x_weights_", "y_weights_", "x_loadings_", "y_structure_", "x_cross_structure_", "redundancy_", atol=1e-6)
        scores = cca.transform(form(X[mine]))
        assert scores.shape == (ends[rank + 1] - ends[rank], 2)  # one's own, and all where one asks for them
        np.testing.assert_allclose(abs(gather(scores)), abs(whole.transform(X)), atol=1e-5)
        np.testing.assert_allclose(gather(cca.predict(form(X[mine]))), whole.predict(X), atol=1e-5)
        everywhere = gather(cca.x_weights_[:1])
        assert everywhere.shape == (size, 2) and (everywhere == everywhere[0]).all()  # to the last bit

cca, whole = CCA(2).fit(X[mine], Y[mine]), alone(lambda: CCA(2).fit(X, Y))
test, alike = cca.permutation_test(X[mine], Y[mine], 59, within=groups[mine] % 2), alone(lambda: whole.permutation_test(X, Y, 59, within=groups % 2))
same(test, alike, "p_values", "medians", "quantiles")
cv, alike = cca.cross_validate(X[mine], Y[mine], 3, shrinkage=[0.01, 0.5]), alone(lambda: whole.cross_validate(X, Y, 3, shrinkage=[0.01, 0.5]))
same(cv, alike, "mean", "best", "fold_correlations", rtol=1e-6)
boot, alike = cca.bootstrap(X[mine], Y[mine], 10, random_state=1), alone(lambda: whole.bootstrap(X, Y, 10, random_state=1))
same(boot, alike, "pearson", rtol=1e-6)
assert cca.summary().replace("direct", "") and pickle.loads(pickle.dumps(cca)).predict(X[mine]).shape == Y[mine].shape

same(PLS(2).fit(X[mine], Y[mine]), alone(lambda: PLS(2).fit(X, Y)), "covariances_", "x_weights_", rtol=1e-5)
same(PCA(2).fit(X[mine]), alone(lambda: PCA(2).fit(X)), "variances_", "total_variance_", "explained_variance_ratio_")
same(GEV(2).fit(X[mine], X[mine] ** 2), alone(lambda: GEV(2).fit(X, X ** 2)), "ratios_")
lda, whole = LDA().fit(X[mine], labels[mine]), alone(lambda: LDA().fit(X, labels))
same(lda, whole, "discriminants_", "priors_", "classes_")
np.testing.assert_array_equal(gather(lda.predict(X[mine])), alone(lambda: whole.predict(X)))
assert gather(np.arange(3.0)).shape == (3 * size,) and gather(np.empty((0, 4))).shape == (0, 4)


def refused(text, function):
    """On every process, whatever one of them has done, and the next fit goes well."""
    try:
        function()
    except (Error, ValueError, TypeError, ZeroDivisionError) as error:
        assert text in str(error) or "another process" in str(error), error
    else:
        assert False, "not refused: " + text
    same(CCA(2).fit(X[mine], Y[mine]), alone(lambda: CCA(2).fit(X, Y)), "correlations_")


last = rank == size - 1
bad = X[mine].copy()
bad[0, 0] = np.nan if last else bad[0, 0]
refused("NaN", lambda: CCA(1).fit(bad, Y[mine]))
refused("NaN", lambda: PCA(1).fit(bad))
refused("inconsistent numbers of samples", lambda: CCA(1).fit(X[mine], Y[mine][1:] if last else Y[mine]))
refused("different numbers of columns", lambda: CCA(1).fit(X[mine][:, 1:] if last else X[mine], Y[mine])) if size > 1 else None
refused("shrinkage must be", lambda: CCA(1, shrinkage=2 if last else 0.1).fit(X[mine], Y[mine]))
refused("Negative values", lambda: PCA(1).fit(X[mine], sample_weight=-weights[mine] if last else weights[mine]))
refused("Unknown label type", lambda: LDA().fit(X[mine], labels[mine] - 0.5 if last else labels[mine]))
refused("labels are to be integers from 0", lambda: LDA().fit(X[mine], labels[mine] - 5 if last else labels[mine])) if size > 1 else None
refused("n_permutations", lambda: cca.permutation_test(X[mine], Y[mine], 0 if last else 9))
refused("level", lambda: cca.bootstrap(X[mine], Y[mine], 9, level=2 if last else 0.9))
refused("list of numbers", lambda: cca.cross_validate(X[mine], Y[mine], shrinkage=[] if last else [0.1, 0.2]))
refused("real numbers", lambda: gather("abc" if last else [1.0]))
refused("different numbers of columns", lambda: gather(np.ones((2, 1 + last)))) if size > 1 else None
print("good\n", end="", flush=True)  # in one piece
