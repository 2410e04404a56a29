# SPDX-License-Identifier: BSD-2-Clause
"""slepcnapi.eigsh against dense solutions, and what it says to bad input."""
import threading

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, aslinearoperator

from slepcnapi import eigsh


def pair(n, seed, generalised, definite):
    rng = np.random.default_rng(seed)
    X, Z = rng.standard_normal((2, n, n))
    A = X @ X.T + np.eye(n) if definite else X + X.T
    return A, Z @ Z.T / n + np.eye(n) if generalised else None


def wanted(w, k, sigma, which):
    """By the definition in SciPy's pages."""
    t = w if sigma is None else 1 / (w - sigma)
    order = np.argsort(abs(t) if which in ("LM", "SM") else t)
    if which == "BE":
        order = np.r_[order[:k // 2], order[k // 2 - k:]]
    else:
        order = order[-k:] if which[0] == "L" else order[:k]
    return np.sort(w[order])


@pytest.mark.parametrize("n", [6, 20, 90])
@pytest.mark.parametrize("generalised", [False, True])
@pytest.mark.parametrize("definite", [False, True])
@pytest.mark.parametrize("which", ["LM", "SM", "LA", "SA", "BE"])
@pytest.mark.parametrize("where", [None, "inside", "below", "above"])
def test_which(n, generalised, definite, which, where):
    A, M = pair(n, n, generalised, definite)
    w = scipy.linalg.eigh(A, M, eigvals_only=True)
    sigma = {None: None, "inside": (w[n // 2 - 1] + w[n // 2]) / 2, "below": w[0] - 1, "above": w[-1] + 1}[where]
    x, v = eigsh(A, 4, M, sigma=sigma, which=which)
    np.testing.assert_allclose(x, wanted(w, 4, sigma, which), rtol=1e-9, atol=1e-10 * abs(w).max())
    B = np.eye(n) if M is None else M
    np.testing.assert_allclose(A @ v, B @ v * x, atol=1e-9 * abs(w).max())
    np.testing.assert_allclose(v.T @ B @ v, np.eye(4), atol=1e-8)


@pytest.mark.parametrize("generalised", [False, True])
@pytest.mark.parametrize("which", ["LM", "SM", "LA", "SA", "BE"])
@pytest.mark.parametrize("k", range(1, 6))
def test_every_place_of_sigma(generalised, which, k):
    """Also where as many as are wanted lie beside sigma, the farthest of all among them."""
    A, M = pair(6, 3, generalised, True)
    w = scipy.linalg.eigh(A, M, eigvals_only=True)
    for sigma in np.r_[w[0] - 1, w[:-1] + 0.4 * np.diff(w), w[-1] + 1]:
        np.testing.assert_allclose(eigsh(A, k, M, sigma=sigma, which=which)[0], wanted(w, k, sigma, which), rtol=1e-8)


def laplacian(n=200):
    return sp.diags_array([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1])


def lowest(n, k):
    return 2 - 2 * np.cos(np.pi * np.arange(1, k + 1) / (n + 1))


@pytest.mark.parametrize("form", ["bsr", "coo", "csc", "csr", "dia", "dok", "lil", "dense", "fortran", "strided", "list", "matrix", "spmatrix", "operator"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_forms(form, dtype):
    A = laplacian().astype(dtype)
    D = A.toarray()
    wide = np.zeros((400, 400), dtype)
    wide[::2, ::2] = D
    A = {"dense": D, "fortran": np.asfortranarray(D), "strided": wide[::2, ::2], "list": D.tolist(), "matrix": np.asmatrix(D),
         "spmatrix": sp.csr_matrix(A), "operator": aslinearoperator(A.tocsr())}.get(form) if len(form) > 3 else A.asformat(form)
    w, v = eigsh(A, 3, which="SA", tol=1e-6)
    np.testing.assert_allclose(w, lowest(200, 3), rtol=1e-4 if dtype == np.float32 else 1e-8)
    assert w.dtype == (np.float32 if dtype == np.float32 and form != "list" else np.float64)  # a list has no type


@pytest.mark.parametrize("preconditioner", ["gamg", "jacobi", "icc", "none", "inverse", "function"])
def test_preconditioner(preconditioner):
    A = laplacian().tocsr()
    solve = sp.linalg.splu(A.tocsc()).solve
    P = {"inverse": LinearOperator(A.shape, matvec=solve, matmat=solve, dtype=float), "function": solve}.get(preconditioner, preconditioner)
    w, _, stats = eigsh(A, 3, which="SA", tol=1e-8, preconditioner=P, return_stats=True)
    np.testing.assert_allclose(w, lowest(200, 3), rtol=1e-10)
    assert stats["A"] > 0 and stats["iterations"] > 0 and stats["residuals"].max() <= 1e-7


@pytest.mark.parametrize("name", ["gamg", "pyamg", "pyamg-rs", "diagonal", "jacobi"])
@pytest.mark.parametrize("generalised", [False, True])
def test_multigrid(name, generalised):
    """Lowest modes of a membrane, with and without mass: multigrid needs fewer products than Jacobi, whoever has made it."""
    n, k = 40, 5
    T, E = laplacian(n), sp.eye_array(n)
    A = (sp.kron(T, E) + sp.kron(E, T)).tocsr()
    m = sp.diags_array([np.ones(n - 1), 4 * np.ones(n), np.ones(n - 1)], offsets=[-1, 0, 1]) / 6
    M = sp.kron(m, m).tocsr() if generalised else None
    P = name
    if name.startswith("pyamg"):
        pyamg = pytest.importorskip("pyamg")
        P = (pyamg.ruge_stuben_solver if name == "pyamg-rs" else pyamg.smoothed_aggregation_solver)(A).aspreconditioner()
    elif name == "diagonal":
        P = LinearOperator(A.shape, matvec=lambda x: x.ravel() / A.diagonal(), dtype=float)  # without matmat
    w, v, stats = eigsh(A, k, M, which="SA", tol=1e-8, preconditioner=P, return_stats=True)
    exact = np.add.outer(lowest(n, n), lowest(n, n)).ravel()
    if generalised:
        one = lowest(n, n)
        mass = 1 - one / 6
        exact = (np.add.outer(one, one) / np.multiply.outer(mass, mass)).ravel()
    np.testing.assert_allclose(w, np.sort(exact)[:k], rtol=1e-9)
    plain = eigsh(A, k, M, which="SA", tol=1e-8, return_stats=True)[2]
    assert stats["inner"] > 0
    if name not in ("diagonal", "jacobi"):
        assert stats["inner"] < 0.5 * plain["inner"], (stats, plain)


def test_preconditioner_of_m():
    """For the largest ones it is M that is solved with."""
    rng = np.random.default_rng(1)
    A, scale = laplacian(300).tocsr(), 10.0 ** rng.uniform(-3, 3, 300)
    M = sp.diags_array(scale) @ (sp.eye_array(300) + 0.1 * laplacian(300)) @ sp.diags_array(scale)
    P = sp.diags_array(1 / M.diagonal()).tocsr()
    w = eigsh(A, 3, M.tocsr(), which="LA", preconditioner=P, tol=1e-8, return_eigenvectors=False)
    np.testing.assert_allclose(w, scipy.linalg.eigh(A.toarray(), M.toarray(), eigvals_only=True)[-3:], rtol=1e-7)


def test_tol_zero_is_what_can_be_had():
    """Products with noise: tol = 0 finds a tolerance that can be reached, and says which; a tolerance that is asked for is not loosened."""
    rng = np.random.default_rng(2)
    D = np.linspace(1, 2, 400)

    def noisy(X):
        Y = (D * X.T).T
        return Y * (1 + 1e-12 * rng.standard_normal(Y.shape))

    F = LinearOperator((400, 400), matvec=noisy, matmat=noisy, dtype=float)
    w, v, stats = eigsh(F, 2, which="LA", return_stats=True)
    np.testing.assert_allclose(w, D[-2:], rtol=1e-9)
    assert 1e-13 < stats["tol"] <= 1e-10
    with pytest.raises(ArpackNoConvergence) as error:
        eigsh(F, 2, which="LA", tol=1e-13)
    assert error.value.out_of_reach


def test_blocks_start_and_deflation():
    A, seen = laplacian().tocsr(), []

    def matmat(X):
        seen.append(X.shape[1] if X.ndim == 2 else 1)
        return A @ X

    w, v = eigsh(LinearOperator(A.shape, matvec=matmat, matmat=matmat, dtype=float), 4, which="LA", tol=1e-8)
    assert max(seen) > 1
    again, _, stats = eigsh(A, 4, which="LA", tol=1e-6, X0=v, return_stats=True)
    np.testing.assert_allclose(again, w, rtol=1e-10)
    assert stats["iterations"] <= 5
    others, _ = eigsh(A, 2, which="LA", tol=1e-8, Y=v)
    np.testing.assert_allclose(others, np.sort(np.linalg.eigvalsh(A.toarray()))[-6:-4], rtol=1e-9)


def test_no_convergence():
    with pytest.raises(ArpackNoConvergence) as error:
        eigsh(laplacian(2000), 4, which="LA", maxiter=2)
    assert len(error.value.eigenvalues) < 4 and error.value.eigenvectors.shape[0] == 2000


class Mine(Exception):
    pass


@pytest.mark.parametrize("at", [1, 3, 8])
@pytest.mark.parametrize("where", ["A", "M", "preconditioner"])
@pytest.mark.parametrize("error", [Mine, KeyboardInterrupt, MemoryError, SystemExit])
def test_exceptions(at, where, error):
    A, calls = laplacian(300).tocsr(), []

    def fail(X):
        calls.append(1)
        if len(calls) >= at:
            raise error("here")
        return A @ X if where == "A" else X

    F = LinearOperator(A.shape, matvec=fail, matmat=fail, dtype=float)
    with pytest.raises(error):
        if where == "A":
            eigsh(F, 3)
        elif where == "M":
            eigsh(A, 3, F)
        else:
            eigsh(A, 3, which="SA", preconditioner=F)
    np.testing.assert_allclose(eigsh(A, 1, which="SA")[0], lowest(300, 1), rtol=1e-9)


N = 30
S = laplacian(N).tocsr()
I = np.eye(N)


def changed(value):
    D = S.toarray()
    D[3, 3] = value
    return D


def malformed():
    """Indices beyond the columns, which SciPy does not look at."""
    A = S.copy()
    A.indices[-1] = 10**6
    return A


def function(f, n=N, dtype=float):
    return LinearOperator((n, n), matvec=f, matmat=f, dtype=dtype)


BAD = {
    "A": [None, "A", 3, 3.0, object(), [], [[]], [1, 2], [[1, 2], [3]], np.zeros(N), np.zeros((N, N, N)), np.zeros((N, N + 1)), np.zeros((0, 0)),
          sp.csr_array((N, N + 1)), S.astype(complex), I.astype(complex), I.astype(object), I.astype(str), changed(np.nan), changed(np.inf), changed(-np.inf),
          sp.csr_array(changed(np.nan)), malformed(), np.triu(np.ones((N, N))), sp.csr_array(np.triu(np.ones((N, N)))), function(lambda x: np.triu(np.ones((N, N))) @ x),
          function(lambda x: x * np.nan), function(lambda x: x * 1j), function(lambda x: x[:-1]), function(lambda x: None), function(lambda x: "x"),
          function(lambda x: 1 / 0), function(lambda x: x, dtype=complex), np.array(["2020-01-01"], "M8[D]"), {}, set(), lambda x: x],
    "k": [0, -1, 2.5, "3", None, [3], np.nan, 10**30, N, N + 1, 1j],
    "M": ["M", 3, np.zeros(N), np.eye(N - 1), sp.eye_array(N + 1), I.astype(complex), changed(np.nan), np.triu(np.ones((N, N))), function(lambda x: x, N - 1),
          function(lambda x: x * np.nan), I.astype(object), -2 * I + 3 * np.diag(np.arange(N) % 2), []],
    "sigma": ["0", np.nan, np.inf, 1j, [0.0], np.zeros(2), object()],
    "which": ["XX", "lm", "", None, 3, "LR", ["LM"], b"LM"],
    "v0": [np.zeros(N - 1), np.ones((N, 2)), np.ones(N) * np.nan, np.ones(N) * 1j, "v", np.ones((1, N)), [object()] * N],
    "ncv": [0, 3, N + 1, -5, 4.5, "20", [20]],
    "maxiter": [0, -1, 2.5, "9", [9]],
    "tol": [-1e-3, 1.0, np.nan, np.inf, "0", 1j, None, [0]],
    "preconditioner": ["nonsense", "", 3, np.eye(N - 1), function(lambda x: x, N + 1), function(lambda x: x * np.nan), function(lambda x: 1 / 0), object()],
    "X0": [np.ones(N - 1), np.ones((N, N + 1)), np.full((N, 2), np.nan), np.ones((N, 2)) * 1j, "x", np.ones((N, 2, 2))],
    "Y": [np.ones(N - 1), np.ones((N, N)), np.full((N, 2), np.inf), np.ones((N, 2)) * 1j, "y"],
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name, value", [pytest.param(name, value, id=f"{name}-{i}") for name, values in BAD.items() for i, value in enumerate(values)])
def test_bad_input(name, value):
    arguments = {"A": S, "k": 3, "M": None, "which": "SA" if name == "preconditioner" else "LA", name: value}
    with pytest.raises(Exception) as error:
        eigsh(**arguments)
    assert isinstance(error.value, Exception) and str(error.value)
    np.testing.assert_allclose(eigsh(S, 1, which="SA")[0], lowest(N, 1), rtol=1e-9)


def test_threads_and_nesting():
    results = []

    def work():
        results.append(eigsh(laplacian(), 3, which="LA")[0])

    threads = [threading.Thread(target=work) for _ in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(results) == 6
    for r in results:
        np.testing.assert_allclose(r, results[0], rtol=1e-10)

    def nested(x):
        eigsh(laplacian(20), 1)
        return S @ x

    np.testing.assert_allclose(eigsh(function(nested), 1, which="LA")[0], eigsh(S, 1, which="LA")[0], rtol=1e-9)


def test_memory():
    """Of solves that go well, and of those that an exception ends."""
    def resident():
        with open("/proc/self/statm") as f:
            return int(f.read().split()[1]) * 4096

    def fail(x):
        calls.append(1)
        if len(calls) > 3:
            raise Mine
        return S @ x

    for i in range(2500):
        if i == 500:
            before = resident()
        calls = []
        if i % 4 == 3:
            with pytest.raises(Mine):
                eigsh(function(fail), 2, which="SA", tol=1e-12)
        eigsh(S if i % 2 else function(lambda x: S @ x), 2, which="LA", tol=1e-6)
    assert resident() - before < 2e6
