# SPDX-License-Identifier: BSD-2-Clause
"""Eigenvalues of symmetric pairs with SciPy's interface: EPSNAPI, which factors nothing."""
from __future__ import annotations

import contextlib
import ctypes
import warnings
from typing import Any

import numpy as np
import scipy.linalg
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator

from . import _lib
from ._check import check_finite, check_integer, check_real
from ._operator import Operator, check_block, check_operator, check_preconditioner, check_symmetric_dense

__all__ = ["eigsh", "EigshNoConvergence"]

_WHICH = ("LM", "SM", "LA", "SA", "BE")
_DOUBLES = ctypes.POINTER(ctypes.c_double)
_OUT_OF_REACH, _STOPPED = 1, 2  # what the library says of a solve
# tol = 0: what a product in this precision can tell; a residual that stalls above it, at the rounding of A x, counts, too
_FINEST = {"d": 1e-13, "f": 1e-6}
_COARSEST = 1e3  # times that, step by step, where the rounding errors of a product are larger


class EigshNoConvergence(ArpackNoConvergence):
    """Not all eigenvalues have converged; ``eigenvalues`` and ``eigenvectors`` are those that have.

    It is a :class:`scipy.sparse.linalg.ArpackNoConvergence`, so that code written for SciPy catches it. ``out_of_reach`` says whether the
    tolerance was the cause: a larger one would do.
    """

    def __init__(self, message: str, eigenvalues: np.ndarray, eigenvectors: np.ndarray, out_of_reach: bool = False):
        super().__init__("%s", eigenvalues, eigenvectors)
        self.args = (message,)
        self.out_of_reach = out_of_reach


class _Problem:
    """A pair, and all that does not change from solve to solve of one call."""

    def __init__(self, A, M, preconditioner, ncv, maxiter, tol, coarsest, X0, Y, together):
        self.n, self.N = A.shape  # rows here, and of all
        self.ncv, self.maxiter, self.tol, self.coarsest, self.X0, self.Y = ncv, maxiter, tol, coarsest, X0, Y
        self.failed, self.operators, self.together = [], [], together
        self.counts = np.zeros(4, np.int64)
        self.A, self.M, self.P = None, None, None
        self.pc = preconditioner if isinstance(preconditioner, str) else None
        try:
            self.A = self._add("A", A)
            self.M = None if M is None else self._add("M", M)
            if isinstance(preconditioner, LinearOperator):
                self.P = self._add("preconditioner", preconditioner)
        except BaseException:
            self.close()
            raise

    def _add(self, name, A):
        operator = Operator(name, A, self.failed, self.together)
        self.operators.append(operator)
        if self.together and operator.entries:
            operator.check_symmetric_together()
        return operator

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
        start = self.X0
        while True:
            try:
                return self._solve_once(k, which, sigma, start)
            except EigshNoConvergence as error:
                if not error.out_of_reach or 10 * self.tol > self.coarsest:
                    raise
                start = np.asfortranarray(error.eigenvectors) if len(error.eigenvalues) else start
            self.tol *= 10

    def _configure(self, solver, k, which, sigma, start):
        _lib.call("napi_flat_eps_set", solver, k, which.encode(), ctypes.c_double(sigma), self.ncv or 0, self.maxiter or 0, ctypes.c_double(self.tol))
        inner = self._inner(which)
        if inner or self.P:
            _lib.call("napi_flat_eps_set_preconditioner", solver, (inner or "").encode(), self.P.handle if self.P else None)
        for name, X in (("initial", start), ("deflation", self.Y)):
            if X is not None:
                _lib.call("napi_flat_eps_set_" + name, solver, X.shape[1], X.ctypes.data_as(_DOUBLES))

    def _solve_once(self, k, which, sigma, start):
        """The eigenvalues, ascending, and their vectors; raises where fewer than k have converged."""
        def poll():
            return 1 if self.failed else 0

        solver, polling = ctypes.c_void_p(), _lib.POLL(poll)
        nconv, status, cause = ctypes.c_int(), ctypes.c_int(), ctypes.create_string_buffer(1024)
        counts = np.zeros(4, np.int64)
        try:
            _lib.call("napi_flat_eps_create", self.A.handle, self.M.handle if self.M else None, ctypes.byref(solver))
            self._configure(solver, k, which, sigma, start)
            _lib.call("napi_flat_eps_solve", solver, polling, ctypes.byref(nconv), counts.ctypes.data_as(ctypes.c_void_p), ctypes.byref(status), cause, len(cause))
            if status.value == _STOPPED:
                raise _lib.Error("another process has stopped the solve")  # unless it was this one
            found = min(k, nconv.value)
            w, v = np.empty(found), np.empty((self.n, found), order="F")
            for i in range(found):
                _lib.call("napi_flat_eps_get", solver, i, w[i:].ctypes.data_as(_DOUBLES), v[:, i].ctypes.data_as(_DOUBLES))
        except _lib.Error:
            if self.failed:
                raise self.failed[0] from None
            raise
        finally:
            with contextlib.suppress(_lib.Error):  # it is what came before that counts
                _lib.call("napi_flat_eps_destroy", ctypes.byref(solver))
        self.counts += counts
        order = np.argsort(w, kind="stable")
        w, v = w[order], v[:, order]
        if found < k:
            raise EigshNoConvergence(f"No convergence ({counts[3]} iterations, {found}/{k} eigenvectors converged): {cause.value.decode()}", w, v,
                                     status.value == _OUT_OF_REACH)
        return w, v

    def ends(self, low, high):
        """The lowest and the highest ones."""
        parts = [self.solve(m, which) for m, which in ((low, "SA"), (high, "LA")) if m]
        return np.concatenate([w for w, _ in parts]), np.hstack([v for _, v in parts])

    def room(self):
        """How many there are."""
        return self.N - (0 if self.Y is None else self.Y.shape[1])

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
            m = min(2 * m, self.room())  # in the end all of them, which have k on this side

    def stats(self, w, v):
        residuals, norm = np.empty(len(w)), ctypes.c_double()
        for i in range(len(w)):
            x = np.ascontiguousarray(v[:, i])
            _lib.call("napi_flat_mat_residual", self.A.handle, self.M.handle if self.M else None, ctypes.c_double(w[i]), x.ctypes.data_as(_DOUBLES), ctypes.byref(norm))
            residuals[i] = norm.value
        if self.failed:
            raise self.failed[0]
        a, m, p, its = (int(c) for c in self.counts)
        return {"A": a, "M": m if self.M else 0, "inner": p, "iterations": its, "residuals": residuals, "tol": self.tol}


def _solve(problem, k, sigma, which):
    if sigma is None:
        return problem.ends(k // 2, k - k // 2) if which == "BE" else problem.solve(k, which)
    if which == "LM":
        return problem.solve(k, "TM", sigma)
    if which == "SM":  # the farthest from sigma
        low, high = problem.solve(k, "SA"), problem.solve(k, "LA")
        w, v = np.concatenate([low[0], high[0]]), np.hstack([low[1], high[1]])
        twice = max(0, 2 * k - problem.room())  # of k from below and k from above: these are in both
        keep = np.r_[0:k, k + twice:2 * k]
        keep = keep[np.argsort(-abs(w[keep] - sigma), kind="stable")[:k]]
        return w[keep], v[:, keep]
    if which == "BE":
        parts = [problem.beside(m, sigma, above) for m, above in ((k // 2, False), (k - k // 2, True)) if m]
        return np.concatenate([w for w, _ in parts]), np.hstack([v for _, v in parts])
    return problem.beside(k, sigma, which == "LA")


def _dense(A, M, return_eigenvectors):
    warnings.warn("k >= N for N * N square matrix. Attempting to use scipy.linalg.eigh instead.", RuntimeWarning, stacklevel=3)
    for name, X in (("A", A), ("M", M)):
        if X is not None and not isinstance(X, np.ndarray):
            raise TypeError(f"Cannot use scipy.linalg.eigh for a {type(X).__name__} {name} with k >= N: reduce k, or pass {name}.toarray()")
    for name, X in (("A", A), ("M", M)):
        if X is not None:
            check_finite(name, X)
            check_symmetric_dense(name, np.asarray(X, np.float64))
    return scipy.linalg.eigh(A, b=M, eigvals_only=not return_eigenvectors)


def _check_numbers(k, N, sigma, which, ncv, maxiter, tol):
    """As SciPy says them."""
    k = check_integer("k", k)
    if k <= 0:
        raise ValueError("k must be greater than 0.")
    if not isinstance(which, str) or which not in _WHICH:
        raise ValueError(f"which must be one of {', '.join(_WHICH)}, not {which!r}")
    sigma = None if sigma is None else check_real("sigma", sigma)
    tol = check_real("tol", tol)
    if tol < 0 or tol >= 1:
        raise ValueError(f"tol must be at least 0 and less than 1, not {tol}")
    if ncv is not None and k < N:
        ncv = check_integer("ncv", ncv)
        if ncv > N or ncv <= k:
            raise ValueError(f"ncv must be k<ncv<=n, ncv={ncv}")
    if maxiter is not None:
        maxiter = check_integer("maxiter", maxiter)
        if maxiter <= 0:
            raise ValueError(f"maxiter must be positive, maxiter={maxiter}")
    return k, sigma, ncv, maxiter, tol


def _check_start(v0, X0, n):
    start = [check_block(name, X, n, most) for name, X, most in (("v0", v0, 1), ("X0", X0, max(n, 1))) if X is not None]
    return np.asfortranarray(np.hstack(start)) if start else None


def _read(A, k, M, sigma, which, v0, ncv, maxiter, tol, preconditioner, X0, Y, return_stats, together):
    """Arguments as they are needed: of _Problem, and k, sigma and which of them."""
    A = check_operator("A", A, together=together)
    n, N = A.shape
    k, sigma, ncv, maxiter, tol = _check_numbers(k, N, sigma, which, ncv, maxiter, tol)
    if M is not None:
        M = check_operator("M", M, n, together=together)
    if k >= N and (return_stats or Y is not None or together):
        raise ValueError(f"k = {k} of {N} eigenvalues: k must be smaller than the number of unknowns")
    noisy = any(np.dtype(X.dtype or float) in (np.float32, np.float16) for X in (A, M) if X is not None)
    finest = _FINEST["f" if noisy else "d"]
    start = _check_start(v0, X0, n)
    if Y is not None:
        Y = check_block("Y", Y, n, max(0, N - k))
        Y = Y if Y.shape[1] else None
    preconditioner = check_preconditioner(preconditioner, n)
    return (A, M, preconditioner, ncv, maxiter, tol or finest, tol or _COARSEST * finest, start, Y, together), (k, sigma)


def _ordered(w, v, sigma, which, return_eigenvectors):
    """Ascending; without vectors as SciPy returns them, whatever its pages say."""
    order = np.argsort(w, kind="stable")
    if not return_eigenvectors and sigma is None and which in ("LM", "SA", "SM"):
        order = np.argsort({"LM": abs(w), "SM": -abs(w), "SA": -w}[which], kind="stable")
    return w[order], v[:, order]


def eigsh(A: Any, k: int = 6, M: Any = None, sigma: float | None = None, which: str = "LM", v0: Any = None, ncv: int | None = None,
          maxiter: int | None = None, tol: float = 0, return_eigenvectors: bool = True, *, preconditioner: Any = None, X0: Any = None,
          Y: Any = None, return_stats: bool = False, distributed: bool | str = False) -> Any:
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
        A x; up to 1000 times as much, which ``stats['tol']`` tells, where products are less exact than that. The error of an
        eigenvalue is about the square of its residual divided by the relative gap to the others.
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
    distributed : bool or 'gathered'
        False: each process solves a problem of its own, also under mpiexec. True: all processes of mpiexec solve one problem together; each
        passes its rows of A and M (an array or sparse array of n columns, in the order of the processes), of `v0`, `X0` and `Y`, and gets its rows of
        v; with 'gathered' it gets all of them. All else is to be the same everywhere. A LinearOperator as preconditioner acts on the rows of its
        process, and A and M cannot be LinearOperators.

    Returns
    -------
    w : array of k numbers
        In ascending order.
    v : array of shape (n, k)
        ``v[:, i]`` belongs to ``w[i]``; v.T @ M @ v is the identity. Only where return_eigenvectors is True.
    stats : dict
        Only where return_stats is True: columns that were multiplied by A ('A') and by M ('M') outside of the inner solves, 'inner' iterations (each
        of which multiplies a column by what is solved with, and preconditions it), 'iterations' (steps), 'residuals' (norms of A x - w M x), 'tol'.

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
    if not (distributed is True or distributed is False or isinstance(distributed, str) and distributed == "gathered"):
        raise ValueError(f"distributed is to be False, True or 'gathered', not {distributed!r}")
    together = bool(distributed)
    with _lib.lock:
        with _lib.agreed(together):
            arguments, (k, sigma) = _read(A, k, M, sigma, which, v0, ncv, maxiter, tol, preconditioner, X0, Y, return_stats, together)
        A, M = arguments[:2]
        if k >= A.shape[1]:
            return _dense(A, M, return_eigenvectors)
        problem = _Problem(*arguments)
        try:
            with _lib.interruptible(problem.failed):
                w, v = _ordered(*_solve(problem, k, sigma, which), sigma, which, return_eigenvectors)
                stats = (problem.stats(w, v),) if return_stats else ()
            v = _lib.gather(v) if distributed == "gathered" else v
        finally:
            problem.close()
    single = all(np.dtype(X.dtype or float) == np.float32 for X in (A, M) if X is not None)
    w, v = (w.astype(np.float32), v.astype(np.float32)) if single else (w, v)
    result = ((w, v) if return_eigenvectors else (w,)) + stats
    return result if len(result) > 1 else w
