# SPDX-License-Identifier: BSD-2-Clause
"""Eigenvalues of symmetric pairs with SciPy's interface: EPSNAPI, which factors nothing."""
import ctypes
import warnings

import numpy as np
import scipy.linalg
import scipy.sparse
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, aslinearoperator

from . import _lib
from ._check import check_finite, check_integer, check_real

__all__ = ["eigsh", "EigshNoConvergence"]

_WHICH = ("LM", "SM", "LA", "SA", "BE")
_DOUBLES = ctypes.POINTER(ctypes.c_double)
# tol = 0: what a product in this precision can tell; a residual that stalls above it, at the rounding of A x, counts, too
_FINEST = {"d": 1e-13, "f": 1e-6}
_COARSEST = 1e3  # times that, step by step, where the rounding errors of a product are larger


class EigshNoConvergence(ArpackNoConvergence):
    """Not all eigenvalues have converged; ``eigenvalues`` and ``eigenvectors`` are those that have.

    It is a :class:`scipy.sparse.linalg.ArpackNoConvergence`, so that code written for SciPy catches it.
    """

    def __init__(self, message, eigenvalues, eigenvectors):
        super().__init__("%s", eigenvalues, eigenvectors)
        self.args = (message,)


class _Operator:
    """A matrix for the library, and the memory that it points to for as long as it is in use."""

    def __init__(self, name, A, n=None, failed=None):
        self.handle = ctypes.c_void_p()
        self.name, self.failed = name, failed
        self.entries = scipy.sparse.issparse(A) or isinstance(A, np.ndarray)
        if scipy.sparse.issparse(A):
            self._sparse(A)
        elif isinstance(A, np.ndarray):
            self._dense(A)
        else:
            self._function(A)

    def _sparse(self, A):
        A = scipy.sparse.csr_array(A, dtype=np.float64)
        if not A.has_canonical_format:
            A = A.copy()  # what the caller has is not to be sorted behind his back
            A.sum_duplicates()
        index = _lib.index()
        if A.nnz > np.iinfo(index).max:
            raise ValueError(f"{self.name} has {A.nnz} entries, more than 32-bit indices can count: pass a LinearOperator")
        check_finite(self.name, A.data)
        _check_symmetric_sparse(self.name, A)
        parts = [np.ascontiguousarray(A.indptr, index), np.ascontiguousarray(A.indices, index), np.ascontiguousarray(A.data)]
        self.parts = parts
        _lib.call("napi_flat_mat_csr", ctypes.c_int64(A.shape[0]), *(ctypes.c_void_p(p.ctypes.data) for p in parts), ctypes.byref(self.handle))

    def _dense(self, A):
        A = np.asarray(A, np.float64)
        check_finite(self.name, A)
        _check_symmetric_dense(self.name, A)
        # by rows or by columns is the same for a symmetric matrix
        self.parts = A = A if A.flags.f_contiguous or A.flags.c_contiguous else np.ascontiguousarray(A)
        _lib.call("napi_flat_mat_dense", ctypes.c_int64(A.shape[0]), ctypes.c_void_p(A.ctypes.data), ctypes.byref(self.handle))

    def _function(self, A):
        def apply(n, m, x, y):
            try:
                # a copy: an operator may keep what it is given, which the library will free
                X = np.array(np.ctypeslib.as_array(x, (m, n))).T
                Y = A.matmat(X) if m > 1 else A.matvec(X[:, 0]).reshape(n, 1)
                Y = np.asarray(Y)
                if np.iscomplexobj(Y):
                    raise TypeError(f"{self.name} returned complex numbers")
                if not np.isfinite(Y).all():
                    raise ValueError(f"{self.name} returned NaN or infinity")
                np.ctypeslib.as_array(y, (m, n))[...] = Y.T
                return 0
            except BaseException as error:  # no exception can pass through C: it is raised again when C is done
                if not self.failed:
                    self.failed.append(error)
                return 1

        self.parts = _lib.APPLY(apply)
        _lib.call("napi_flat_mat_function", ctypes.c_int64(A.shape[0]), self.parts, ctypes.byref(self.handle))

    def close(self):
        if self.handle:
            _lib.call("napi_flat_mat_destroy", ctypes.byref(self.handle))
        self.parts = None


def _unsymmetric(name, by):
    return ValueError(f"{name} is not symmetric (entries differ from those across the diagonal by up to {by:.1e} of the largest): "
                      "scipy.sparse.linalg.eigs is for such matrices; (A + A.T)/2 is symmetric")


# larger than rounding in the assembly of a matrix, also one that was rounded to float32, and far below a mistake
_SYMMETRY = 1e-5


def _check_symmetric_sparse(name, A):
    largest = abs(A.data).max() if A.nnz else 0.0
    D = A - A.T
    by = abs(D.data).max() if D.nnz else 0.0
    if by > _SYMMETRY * largest:
        raise _unsymmetric(name, by / largest)


def _check_symmetric_dense(name, A):
    largest, by, step = 0.0, 0.0, max(1, 2**20 // max(1, A.shape[0]))
    for i in range(0, A.shape[0], step):
        largest = max(largest, abs(A[i:i + step]).max())
        by = max(by, abs(A[i:i + step] - A[:, i:i + step].T).max())
    if by > _SYMMETRY * largest:
        raise _unsymmetric(name, by / largest)


def _check_symmetric_function(name, A):
    """x'(A y) = y'(A x) for two random vectors: a block of two columns."""
    X = np.random.default_rng(0).standard_normal((A.shape[0], 2))
    Y = np.asarray(A.matmat(X.copy()))
    if Y.shape != X.shape:
        raise ValueError(f"{name} makes a block of shape {Y.shape} from one of shape {X.shape}")
    if np.iscomplexobj(Y):
        raise TypeError(f"{name} returned complex numbers")
    check_finite(name + " returned values: it", Y)
    norms = np.linalg.norm(X, axis=0) @ np.linalg.norm(Y, axis=0)
    difference = abs(X[:, 0] @ Y[:, 1] - X[:, 1] @ Y[:, 0])
    if difference > 1e-4 * norms:
        raise ValueError(f"{name} is not symmetric: x'({name} y) and y'({name} x) differ by {difference / norms:.1e} for random x and y; "
                         "scipy.sparse.linalg.eigs is for such operators")


def _check_operator(name, A, n=None, check=True):
    """An array, a sparse array or a LinearOperator, square, and of real numbers."""
    if isinstance(A, np.matrix):
        A = np.asarray(A)
    if not (scipy.sparse.issparse(A) or isinstance(A, np.ndarray)):
        if isinstance(A, (list, tuple)):
            A = np.asarray(A)
        else:
            try:
                A = aslinearoperator(A)
            except TypeError:
                raise TypeError(f"{name} is to be an array, a sparse array or a LinearOperator, not {type(A).__name__}") from None
    if len(A.shape) != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(f"{name}: expected square matrix (shape={A.shape})")
    if n is not None and A.shape[0] != n:
        raise ValueError(f"wrong {name} dimensions {A.shape}, should be {(n, n)}")
    if A.shape[0] == 0:
        raise ValueError(f"{name} is empty")
    if A.dtype is not None and np.dtype(A.dtype).kind == "c":
        raise TypeError(f"{name} is complex: this build works with real numbers. scipy.sparse.linalg.eigsh takes complex Hermitian matrices; "
                        "the real symmetric matrix [[Re, -Im], [Im, Re]] has the same eigenvalues, each twice")
    if A.dtype is not None and np.dtype(A.dtype).kind not in "fiub":
        raise TypeError(f"{name} has entries of type {A.dtype}, which are no real numbers")
    if check and isinstance(A, LinearOperator):
        _check_symmetric_function(name, A)
    return A


def _check_block(name, X, n, most):
    """Columns, one after the other."""
    if scipy.sparse.issparse(X):
        X = X.toarray()
    X = np.asarray(X)
    if X.dtype.kind not in "fiub":
        raise TypeError(f"{name} has entries of type {X.dtype}, which are no real numbers")
    X = X.reshape(-1, 1) if X.ndim == 1 else X
    if X.ndim != 2 or X.shape[0] != n:
        raise ValueError(f"{name} has shape {X.shape}, it should have {n} rows")
    if X.shape[1] > most:
        raise ValueError(f"{name} has {X.shape[1]} columns, at most {most} are of use")
    check_finite(name, X)
    return np.asfortranarray(X, np.float64)


def _check_preconditioner(P, n):
    if isinstance(P, str) and not P:
        raise ValueError("preconditioner is an empty name: 'gamg', 'icc', 'jacobi' and 'none' are some")
    if P is None or isinstance(P, str):
        return P
    if callable(P) and not isinstance(P, LinearOperator):
        P = LinearOperator((n, n), matvec=P, matmat=P, dtype=np.float64)
    return aslinearoperator(_check_operator("preconditioner", P, n, check=False))


class _Problem:
    """A pair, and all that does not change from solve to solve of one call."""

    def __init__(self, A, M, preconditioner, ncv, maxiter, tol, coarsest, X0, Y):
        self.n = A.shape[0]
        self.ncv, self.maxiter, self.tol, self.coarsest, self.X0, self.Y = ncv, maxiter, tol, coarsest, X0, Y
        self.failed, self.operators, self.cause = [], [], ""
        self.counts = np.zeros(4, np.int64)
        self.A, self.M, self.P = None, None, None
        try:
            self.A = self._add("A", A)
            self.M = None if M is None else self._add("M", M)
            if isinstance(preconditioner, LinearOperator):
                self.P = self._add("preconditioner", preconditioner)
        except BaseException:
            self.close()
            raise
        self.pc = preconditioner if isinstance(preconditioner, str) else None

    def _add(self, name, A):
        self.operators.append(_Operator(name, A, failed=self.failed))
        return self.operators[-1]

    def close(self):
        while self.operators:
            self.operators.pop().close()

    def _inner(self, which):
        """The preconditioner by name, or None for the library's choice: an operator that is a function has no diagonal to choose Jacobi by."""
        if self.pc is not None:
            return self.pc
        inverted = [self.M] if which in ("LM", "LA") else [self.A, self.M]
        return None if all(o is None or o.entries for o in inverted) else "none"

    def solve(self, k, which, sigma=0.0):
        """The same, and where the tolerance is ours to choose, one that can be reached."""
        while True:
            try:
                return self._solve_once(k, which, sigma)
            except EigshNoConvergence as error:
                if "rounding errors" not in str(error) or 10 * self.tol > self.coarsest:
                    raise
            self.tol *= 10

    def _solve_once(self, k, which, sigma):
        """The eigenvalues, ascending, and their vectors; raises where fewer than k have converged."""
        def poll():
            return 1 if self.failed else 0

        solver, polling = ctypes.c_void_p(), _lib.POLL(poll)
        nconv, cause = ctypes.c_int(), ctypes.create_string_buffer(1024)
        counts = np.zeros(4, np.int64)
        try:
            _lib.call("napi_flat_eps_create", self.A.handle, self.M.handle if self.M else None, ctypes.byref(solver))
            _lib.call("napi_flat_eps_set", solver, k, which.encode(), ctypes.c_double(sigma), self.ncv or 0, self.maxiter or 0, ctypes.c_double(self.tol))
            inner = self._inner(which)
            if inner or self.P:
                _lib.call("napi_flat_eps_set_preconditioner", solver, (inner or "").encode(), self.P.handle if self.P else None)
            for name, X in (("initial", self.X0), ("deflation", self.Y)):
                if X is not None:
                    _lib.call("napi_flat_eps_set_" + name, solver, X.shape[1], X.ctypes.data_as(_DOUBLES))
            _lib.call("napi_flat_eps_solve", solver, polling, ctypes.byref(nconv), counts.ctypes.data_as(ctypes.c_void_p), cause, len(cause))
            found = min(k, nconv.value)
            w, v = np.empty(found), np.empty((self.n, found), order="F")
            for i in range(found):
                _lib.call("napi_flat_eps_get", solver, i, w[i:].ctypes.data_as(_DOUBLES), v[:, i].ctypes.data_as(_DOUBLES))
        except _lib.Error:
            if self.failed:
                raise self.failed[0] from None
            raise
        finally:
            _lib.call("napi_flat_eps_destroy", ctypes.byref(solver))
        if self.failed:
            raise self.failed[0]
        self.counts += counts
        order = np.argsort(w, kind="stable")
        w, v = w[order], v[:, order]
        if found < k:
            raise EigshNoConvergence(f"No convergence ({counts[3]} iterations, {found}/{k} eigenvectors converged): {cause.value.decode()}", w, v)
        return w, v

    def ends(self, low, high):
        """The lowest and the highest ones."""
        parts = [self.solve(m, which) for m, which in ((low, "SA"), (high, "LA")) if m]
        return np.concatenate([w for w, _ in parts]), np.hstack([v for _, v in parts])

    def beside(self, k, sigma, above):
        """The k with the largest 1/(w - sigma), or the smallest where above is False: first those beside sigma, then from the far end."""
        m = k
        while True:
            w, v = self.solve(m, "TM", sigma)
            side = np.flatnonzero(w > sigma if above else w < sigma)
            if len(side) >= k:
                side = side[:k] if above else side[-k:]
                return w[side], v[:, side]
            w, v = self.solve(k, "LA" if above else "SA")
            side = np.flatnonzero(w > sigma if above else w < sigma)
            if len(side) < k:  # there are no more on this side
                far, x = self.solve(k - len(side), "SA" if above else "LA")
                return np.concatenate([w[side], far]), np.hstack([v[:, side], x])
            m = min(2 * m, self.n - (0 if self.Y is None else self.Y.shape[1]))  # in the end all of them, which have k on this side


def _solve(problem, k, sigma, which):
    if sigma is None:
        return problem.ends(k // 2, k - k // 2) if which == "BE" else problem.solve(k, which)
    if which == "LM":
        return problem.solve(k, "TM", sigma)
    if which == "SM":  # the farthest from sigma
        low, high = problem.solve(k, "SA"), problem.solve(k, "LA")
        w, v = np.concatenate([low[0], high[0]]), np.hstack([low[1], high[1]])
        w, first = _distinct(problem, w, k)
        v = v[:, first]
        order = np.argsort(-abs(w - sigma), kind="stable")[:k]
        return w[order], v[:, order]
    if which == "BE":
        parts = [problem.beside(m, sigma, above) for m, above in ((k // 2, False), (k - k // 2, True)) if m]
        return np.concatenate([w for w, _ in parts]), np.hstack([v for _, v in parts])
    return problem.beside(k, sigma, which == "LA")


def _distinct(problem, w, k):
    """Of k from below and k from above, of n < 2 k, the ones in the middle are found twice."""
    twice = max(0, 2 * k - problem.n + (0 if problem.Y is None else problem.Y.shape[1]))
    keep = np.r_[0:k, k + twice:2 * k]
    return w[keep], keep


def _dense(A, M, return_eigenvectors):
    warnings.warn("k >= N for N * N square matrix. Attempting to use scipy.linalg.eigh instead.", RuntimeWarning, stacklevel=3)
    for name, X in (("A", A), ("M", M)):
        if X is not None and not isinstance(X, np.ndarray):
            raise TypeError(f"Cannot use scipy.linalg.eigh for a {type(X).__name__} {name} with k >= N: reduce k, or pass {name}.toarray()")
    for name, X in (("A", A), ("M", M)):
        if X is not None:
            check_finite(name, X)
            _check_symmetric_dense(name, np.asarray(X, np.float64))
    return scipy.linalg.eigh(A, b=M, eigvals_only=not return_eigenvectors)


def eigsh(A, k=6, M=None, sigma=None, which="LM", v0=None, ncv=None, maxiter=None, tol=0, return_eigenvectors=True, *,
          preconditioner=None, X0=None, Y=None, return_stats=False):
    """Find k eigenvalues and eigenvectors of the real symmetric A, or of the pair A x = w M x, without a factorisation.

    As :func:`scipy.sparse.linalg.eigsh`, except that neither M nor A - sigma M is ever factored, that a preconditioner is welcome, and
    that what is not certain is an exception.

    Parameters
    ----------
    A : array, sparse array or matrix, or LinearOperator, of shape (n, n)
        Real and symmetric. Of a LinearOperator ``matmat`` is called with blocks of vectors.
    k : int
        How many.
    M : the same kinds, optional
        Symmetric positive definite; semidefinite with `sigma` outside of the spectrum and with ``which='SM'`` for definite A.
    sigma : float, optional
        Find those nearest to it. `which` then refers to 1/(w - sigma), as in SciPy. Outside of the spectrum A - sigma M is definite and is
        solved with only roughly. Inside it is solved with accurately by MINRES, which may be slow: SciPy's LU may be the better choice there.
    which : {'LM', 'SM', 'LA', 'SA', 'BE'}
        Largest or smallest magnitude, largest or smallest, both ends (two solves). 'SM' and 'SA' work with A, and 'SM' is the same as sigma=0.
    v0 : array of n numbers, optional
        A vector to start from; `X0` is a block of them.
    ncv : int, optional
        The largest number of vectors in the basis.
    maxiter : int, optional
        The largest number of steps, each of which adds a block of vectors.
    tol : float
        Relative residual ||A x - w M x|| / (|w| ||M x||) at which an eigenvalue has converged. 0 is the best that can be had: 1e-13 (1e-6 where
        A or M is in single precision), or, where the residual of an eigenvalue far below ||A|| cannot become as small as that, the rounding errors of
        A x; up to 1000 times as much, which ``stats['tol']`` tells, where products are less exact than that. The error of an eigenvalue is about the square of its residual divided by the relative gap to the others.
    return_eigenvectors : bool
        Whether vectors are wanted, too; without them the order is SciPy's, see there.
    preconditioner : str, LinearOperator, array, sparse array or function, optional
        What approximates the inverse of A - sigma M (for 'SM', 'SA' and `sigma`) or of M (for 'LM' and 'LA'), symmetric positive definite: for
        instance ``pyamg.smoothed_aggregation_solver(A).aspreconditioner()``; or the name of one of PETSc's, 'gamg', 'icc', 'jacobi', 'none'.
        By default 'jacobi', and 'none' where there are no entries to look at.
    X0 : array of shape (n, m), optional
        Vectors to start from.
    Y : array of shape (n, m), optional
        Eigenvectors that are known already: others are looked for, in the M-orthogonal complement of Y.
    return_stats : bool
        Return a dict, too.

    Returns
    -------
    w : array of k numbers
        In ascending order.
    v : array of shape (n, k)
        ``v[:, i]`` belongs to ``w[i]``; v.T @ M @ v is the identity. Only where return_eigenvectors is True.
    stats : dict
        Only where return_stats is True: columns multiplied by A ('A'), by M ('M') and preconditioned ('preconditioned'), 'iterations',
        'residuals' (norms of A x - w M x), 'tol'.

    Raises
    ------
    EigshNoConvergence
        Fewer than k have converged, for a reason that the message gives with what may help; ``eigenvalues`` and ``eigenvectors`` are those that have.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from slepcnapi import eigsh
    >>> n = 50
    >>> A = sp.diags_array([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1])
    >>> w, v = eigsh(A, k=3, which='SA')
    >>> bool(np.allclose(w, 2 - 2 * np.cos(np.pi * np.arange(1, 4) / (n + 1))))
    True
    """
    A = _check_operator("A", A)
    n = A.shape[0]
    k = check_integer("k", k)
    if k <= 0:
        raise ValueError("k must be greater than 0.")
    if not isinstance(which, str) or which not in _WHICH:
        raise ValueError(f"which must be one of {', '.join(_WHICH)}, not {which!r}")
    if M is not None:
        M = _check_operator("M", M, n)
    if k >= n:
        if return_stats or Y is not None:
            raise ValueError(f"k = {k} of {n} eigenvalues: k must be smaller than the number of unknowns")
        return _dense(A, M, return_eigenvectors)
    sigma = None if sigma is None else check_real("sigma", sigma)
    tol = check_real("tol", tol)
    if tol < 0 or tol >= 1:
        raise ValueError(f"tol must be at least 0 and less than 1, not {tol}")
    if ncv is not None:
        ncv = check_integer("ncv", ncv)
        if ncv > n or ncv <= k:
            raise ValueError(f"ncv must be k<ncv<=n, ncv={ncv}")
    if maxiter is not None:
        maxiter = check_integer("maxiter", maxiter)
        if maxiter <= 0:
            raise ValueError(f"maxiter must be positive, maxiter={maxiter}")
    single = all(np.dtype(X.dtype or float) == np.float32 for X in (A, M) if X is not None)
    noisy = any(np.dtype(X.dtype or float) in (np.float32, np.float16) for X in (A, M) if X is not None)
    coarsest = tol or _COARSEST * _FINEST["f" if noisy else "d"]
    tol = tol or _FINEST["f" if noisy else "d"]
    start = [_check_block(name, X, n, n) for name, X in (("v0", v0), ("X0", X0)) if X is not None]
    if v0 is not None and start[0].shape[1] != 1:
        raise ValueError(f"v0 is one vector, not {start[0].shape[1]}: X0 is for several")
    start = np.asfortranarray(np.hstack(start)) if start else None
    if Y is not None:
        Y = _check_block("Y", Y, n, n - k)
        Y = Y if Y.shape[1] else None
    preconditioner = _check_preconditioner(preconditioner, n)
    with _lib.lock:
        problem = _Problem(A, M, preconditioner, ncv, maxiter, tol, coarsest, start, Y)
        try:
            with _lib.interruptible(problem.failed):
                w, v = _solve(problem, k, sigma, which)
        finally:
            problem.close()
    order = np.argsort(w, kind="stable")
    if not return_eigenvectors and sigma is None and which in ("LM", "SA", "SM"):  # as SciPy returns them, whatever its pages say
        order = np.argsort({"LM": abs(w), "SM": -abs(w), "SA": -w}[which], kind="stable")
    w, v = w[order], v[:, order]
    result = (w.astype(np.float32), v.astype(np.float32)) if single else (w, v)
    result = result if return_eigenvectors else result[:1]
    if return_stats:
        R = A @ v - (v if M is None else M @ v) * w
        a, m, p, its = (int(c) for c in problem.counts)
        result += ({"A": a, "M": m, "preconditioned": p, "iterations": its, "residuals": np.linalg.norm(R, axis=0), "tol": problem.tol},)
    return result if len(result) > 1 else result[0]
