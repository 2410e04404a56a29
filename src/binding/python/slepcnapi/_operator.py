# SPDX-License-Identifier: BSD-2-Clause
"""Symmetric matrices as SciPy has them, looked at and handed to the library."""
from __future__ import annotations

import contextlib
import ctypes
from typing import Any

import numpy as np
import scipy.sparse
from scipy.sparse.linalg import LinearOperator, aslinearoperator

from . import _lib
from ._check import check_finite, check_rows

__all__ = ["Operator", "check_block", "check_operator", "check_preconditioner", "check_symmetric_dense"]

# larger than rounding in the assembly of a matrix, also one that was rounded to float32, and far below a mistake
_SYMMETRY = 1e-5
_SYMMETRY_FUNCTION = 1e-4  # by two random vectors


class Operator:
    """A matrix for the library, and the memory that it points to for as long as it is in use.

    Parameters
    ----------
    name : str
        What messages call it.
    A : array, sparse array or LinearOperator
        What `check_operator` has returned.
    failed : list
        Where an exception of a function goes, since none can pass through C. A function is not called again where there is one.
    together : bool
        Whether A has the rows of this process, of a matrix of all of them; a LinearOperator then is a block of the diagonal.
    """

    def __init__(self, name: str, A: Any, failed: list, together: bool = False):
        self.handle = ctypes.c_void_p()
        self.name, self.failed, self.together = name, failed, int(together)
        self.entries = scipy.sparse.issparse(A) or isinstance(A, np.ndarray)
        if scipy.sparse.issparse(A):
            self._sparse(A)
        elif isinstance(A, np.ndarray):
            self._dense(A)
        else:
            self._function(A)

    def _sparse(self, A):
        A = scipy.sparse.csr_array(A, dtype=np.float64)
        check_rows(self.name, A)
        if not A.has_canonical_format:
            A = A.copy()  # what the caller has is not to be sorted behind his back
            A.sum_duplicates()
        index = _lib.index()
        if A.nnz > np.iinfo(index).max:
            raise ValueError(f"{self.name} has {A.nnz} entries, more than 32-bit indices can count: pass a LinearOperator")
        check_finite(self.name, A.data)
        if not self.together:
            check_symmetric_sparse(self.name, A)
        self.parts = [np.ascontiguousarray(A.indptr, index), np.ascontiguousarray(A.indices, index), np.ascontiguousarray(A.data)]
        pointers = (ctypes.c_void_p(p.ctypes.data) for p in self.parts)
        _lib.call("napi_flat_mat_csr", *(ctypes.c_int64(m) for m in A.shape), *pointers, self.together, ctypes.byref(self.handle))

    def _dense(self, A):
        A = np.asarray(A, np.float64)
        check_finite(self.name, A)
        if self.together:
            A = np.asfortranarray(A)
        else:  # by rows or by columns is the same for a symmetric matrix
            check_symmetric_dense(self.name, A)
            A = A if A.flags.f_contiguous or A.flags.c_contiguous else np.ascontiguousarray(A)
        self.parts = A
        _lib.call("napi_flat_mat_dense", *(ctypes.c_int64(m) for m in A.shape), ctypes.c_void_p(A.ctypes.data), self.together, ctypes.byref(self.handle))

    def _function(self, A):
        def apply(n, m, x, y):
            try:
                if self.failed:  # an interruption, too: there is no need to wait for one more product
                    return 1
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
        _lib.call("napi_flat_mat_function", ctypes.c_int64(A.shape[0]), self.parts, self.together, ctypes.byref(self.handle))

    def check_symmetric_together(self):
        """By two random vectors, since the entries across the diagonal are elsewhere."""
        difference = ctypes.c_double()
        _lib.call("napi_flat_mat_asymmetry", self.handle, ctypes.byref(difference))
        if difference.value > _SYMMETRY_FUNCTION:
            raise _unsymmetric_function(self.name, difference.value)

    def close(self):
        if self.handle:
            with contextlib.suppress(_lib.Error):  # it is what came before that counts
                _lib.call("napi_flat_mat_destroy", ctypes.byref(self.handle))
        self.parts = None


def _unsymmetric(name, by):
    return ValueError(f"{name} is not symmetric (entries differ from those across the diagonal by up to {by:.1e} of the largest): "
                      "scipy.sparse.linalg.eigs is for such matrices; (A + A.T)/2 is symmetric")


def _unsymmetric_function(name, by):
    return ValueError(f"{name} is not symmetric: x'({name} y) and y'({name} x) differ by {by:.1e} for random x and y; "
                      "scipy.sparse.linalg.eigs is for such operators")


def check_symmetric_sparse(name: str, A: scipy.sparse.csr_array) -> None:
    largest = abs(A.data).max() if A.nnz else 0.0
    T = A.T.tocsr()  # sorted, as A is: where the pattern is symmetric, too, there is no need to subtract
    if np.array_equal(T.indptr, A.indptr) and np.array_equal(T.indices, A.indices):
        T.data -= A.data
        D = T.data
    else:
        D = (A - T).data
    by = abs(D).max() if D.size else 0.0
    if by > _SYMMETRY * largest:
        raise _unsymmetric(name, by / largest)


def check_symmetric_dense(name: str, A: np.ndarray) -> None:
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
    if difference > _SYMMETRY_FUNCTION * norms:
        raise _unsymmetric_function(name, difference / norms)


def _check_shape(name, A, n, together):
    if len(A.shape) != 2 or not together and A.shape[0] != A.shape[1]:
        raise ValueError(f"{name}: expected square matrix (shape={A.shape})")
    if n is not None and A.shape[0] != n:
        raise ValueError(f"wrong {name} dimensions {A.shape}, should be {(n, n) if not together else f'({n}, ...)'}")
    if A.shape[1] == 0:
        raise ValueError(f"{name} is empty")


def check_operator(name: str, A: Any, n: int | None = None, check: bool = True, together: bool = False) -> Any:
    """An array, a sparse array or a LinearOperator, square (unless it is a part of a matrix), and of real numbers."""
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
            if together:
                raise TypeError(f"{name} is a {type(A).__name__}, which does not tell whose rows it needs: with distributed pass the rows of this process, sparse or dense")
    _check_shape(name, A, n, together)
    if A.dtype is not None and np.dtype(A.dtype).kind == "c":
        raise TypeError(f"{name} is complex: this build works with real numbers. scipy.sparse.linalg.eigsh takes complex Hermitian matrices; "
                        "the real symmetric matrix [[Re, -Im], [Im, Re]] has the same eigenvalues, each twice")
    if A.dtype is not None and np.dtype(A.dtype).kind not in "fiub":
        raise TypeError(f"{name} has entries of type {A.dtype}, which are no real numbers")
    if check and isinstance(A, LinearOperator):
        _check_symmetric_function(name, A)
    if together:  # before the others are left waiting for this process
        check_finite(name, A.data if scipy.sparse.issparse(A) else A)
    return A


def check_block(name: str, X: Any, n: int, most: int) -> np.ndarray:
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


def check_preconditioner(P: Any, n: int) -> str | LinearOperator | None:
    """The name of one, or an operator on n rows."""
    if isinstance(P, str) and not P:
        raise ValueError("preconditioner is an empty name: 'gamg', 'icc', 'jacobi' and 'none' are some")
    if P is None or isinstance(P, str):
        return P
    if callable(P) and not isinstance(P, LinearOperator):
        P = LinearOperator((n, n), matvec=P, matmat=P, dtype=np.float64)
    return aslinearoperator(check_operator("preconditioner", P, n, check=False))
