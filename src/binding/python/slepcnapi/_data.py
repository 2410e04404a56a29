# SPDX-License-Identifier: BSD-2-Clause
"""Samples for the library: checked, in scikit-learn's words where it has any, and copied once at most."""
import ctypes
import mmap
import numbers

import numpy as np
import scipy.sparse

from . import _lib
from ._check import check_rows

__all__ = ["Data", "as_groups", "as_samples", "as_seed", "as_weights", "largest", "refuse_infinite", "together"]


def together():
    """Whether several processes share the samples, each of which passes its own rows."""
    size, rank = ctypes.c_int(), ctypes.c_int()
    _lib.call("napi_flat_ranks", ctypes.byref(size), ctypes.byref(rank))
    return size.value > 1


def largest(number):
    """The largest number that any process has."""
    most = ctypes.c_int64()
    _lib.call("napi_flat_data_largest", ctypes.c_int64(number), ctypes.byref(most))
    return most.value


def _as_sparse(name, X):
    if X.ndim != 2:
        raise ValueError(f"Found array with dim {X.ndim}. {name} is to have samples as rows and variables as columns.")
    if X.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {name} has entries of type {X.dtype}")
    X = X.tocsr()
    check_rows(name, X)
    if X.dtype.kind not in "fiub":
        X = X.astype(np.float64)
    if not X.has_canonical_format:
        X = X.copy()  # what the caller has is not to be sorted behind his back
        X.sum_duplicates()
    return X


def _as_dense(name, X, ensure_2d):
    try:
        X = np.asarray(X)
    except ValueError:
        raise ValueError(f"{name} is no array: its rows have different lengths, or it is nested deeper") from None
    if X.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {name} has entries of type {X.dtype}")
    if X.dtype.kind in "OV":
        X = X.astype(np.float64)
    elif X.dtype.kind not in "fiub":
        raise ValueError(f"{name} has entries of type {X.dtype}, which are no numbers: convert them to numbers first")
    if X.ndim == 1 and not ensure_2d:
        X = X.reshape(-1, 1)
    if X.ndim < 2:
        kind = "scalar" if X.ndim == 0 else "1D"
        raise ValueError(f"Expected 2D array, got {kind} array instead: {name} has samples as rows and variables as columns. Reshape your data using "
                         "array.reshape(-1, 1) if it has one variable, or array.reshape(1, -1) if it is one sample.")
    if X.ndim > 2:
        raise ValueError(f"Found array with dim {X.ndim}. {name} is to have samples as rows and variables as columns.")
    return X


def as_samples(name, X, who, *, ensure_2d=True, least=1):
    """An array, or sparse rows, of real numbers, which may still be in any precision and order."""
    X = _as_sparse(name, X) if scipy.sparse.issparse(X) else _as_dense(name, X, ensure_2d)
    if X.shape[1] == 0:
        raise ValueError(f"Found array with 0 feature(s) (shape={X.shape}) while a minimum of 1 is required by {who}.")
    if X.shape[0] < least and not together():
        raise ValueError(f"Found array with {X.shape[0]} sample(s) (shape={X.shape}) while a minimum of {least} is required by {who}.")
    return X


def refuse_infinite(name, X):
    """Says what was found in numbers that are not all finite, in scikit-learn's words."""
    values = X.data if scipy.sparse.issparse(X) else X
    kind = "NaN" if np.isnan(values).any() else "infinity or a value too large for dtype('float64')"
    raise ValueError(f"Input {name} contains {kind}.")


def as_weights(weights, n):
    """A weight for each sample, or None."""
    if weights is None:
        return None
    if isinstance(weights, numbers.Number):
        weights = np.full(n, weights)
    w = np.asarray(weights)
    if w.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar, not of shape {w.shape}")
    if w.shape != (n,):
        raise ValueError(f"sample_weight.shape == {w.shape}, expected {(n,)}!")
    if w.dtype.kind not in "fiubO":
        raise ValueError(f"sample_weight has entries of type {w.dtype}, which are no real numbers")
    w = np.ascontiguousarray(w, np.float64)
    if not np.isfinite(w).all():
        raise ValueError("Input sample_weight contains NaN or infinity.")
    if (w < 0).any():
        raise ValueError("Negative values in sample_weight: weights are how often a sample counts")
    if not w.any() and not together():
        raise ValueError("sample_weight is zero for all samples: at least two have to count")
    return w


def as_groups(name, groups, n):
    """Labels of any kind as numbers, or None."""
    if groups is None:
        return None
    groups = np.asarray(groups)
    if groups.shape != (n,):
        raise ValueError(f"{name} has shape {groups.shape}, it should have a label for each of {n} samples")
    if groups.dtype.kind == "f" and not np.isfinite(groups).all():
        raise ValueError(f"{name} has labels that are NaN or infinite")
    try:
        number = np.unique(groups, return_inverse=True)[1]
    except TypeError:
        raise TypeError(f"{name} has labels that cannot be compared with each other: use numbers, or strings") from None
    return np.ascontiguousarray(number.reshape(-1), np.int64)


def as_seed(random_state, default):
    """A number that the library can begin with; None is the library's own, so that results can be had again."""
    if random_state is None:
        return default
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    if isinstance(random_state, np.random.RandomState) or random_state is np.random:
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, numbers.Integral) and not isinstance(random_state, bool) and 0 <= random_state < 2**31:
        return int(random_state)
    raise ValueError(f"{random_state!r} cannot be used to seed: an integer from 0 to 2**31 - 1, a RandomState or a Generator can")


_LARGE = 2**22  # bytes, from which on NumPy asks for huge pages


def _room(n, d):
    """Memory for a copy, stored by columns. Large ones are not NumPy's: where memory is in pieces, the system looks for huge pages longer than the copy takes."""
    if 8 * n * d < _LARGE:
        return np.empty((n, d), order="F")
    try:
        return np.frombuffer(mmap.mmap(-1, 8 * n * d, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)).reshape((n, d), order="F")
    except OSError:
        raise MemoryError(f"a copy of {n} x {d} numbers, {8e-9 * n * d:.2g} GB, does not fit into memory; doubles in Fortran's order (np.asfortranarray, a file that is mapped) are not copied") from None


class Data:
    """Memory as the library wants it, of `as_samples`, and the matrix that points to it once there is one."""

    def __init__(self, name, X):
        self.handle = ctypes.c_void_p()
        self.name, self.given, self.shape = name, X, X.shape
        self.sparse = scipy.sparse.issparse(X)
        self.parts = self._sparse(name, X) if self.sparse else self._dense(X)

    def create(self):
        """The matrix; all processes do it together."""
        finite, sizes = ctypes.c_int(), [ctypes.c_int64(m) for m in self.shape]
        if self.sparse:
            _lib.call("napi_flat_data_csr", *sizes, *(ctypes.c_void_p(p.ctypes.data) for p in self.parts), ctypes.byref(finite), ctypes.byref(self.handle))
        else:
            apart = self.parts.strides[1] // self.parts.itemsize if self.shape[1] > 1 else self.shape[0]
            _lib.call("napi_flat_data_dense", *sizes, ctypes.c_void_p(self.parts.ctypes.data), ctypes.c_int64(apart), ctypes.byref(finite), ctypes.byref(self.handle))
        if not finite.value:
            if np.isfinite(self.given.data if self.sparse else self.given).all():
                raise ValueError(f"Input {self.name} contains NaN or infinity in the rows of another process.")
            refuse_infinite(self.name, self.given)

    @staticmethod
    def _sparse(name, X):
        index = _lib.index()
        if X.nnz > np.iinfo(index).max:
            raise ValueError(f"{name} has {X.nnz} entries, more than 32-bit indices can count: share its rows out to several processes (mpiexec)")
        return [np.ascontiguousarray(X.indptr, index), np.ascontiguousarray(X.indices, index), np.ascontiguousarray(X.data, np.float64)]

    @staticmethod
    def _dense(X):
        n, d = X.shape
        if X.dtype not in (np.float64, np.float32) or not X.dtype.isnative or not X.flags.aligned:
            X = np.asfortranarray(X, np.float64)
        size = 8
        if X.dtype != np.float64 or (n > 1 and X.strides[0] != size) or (d > 1 and (X.strides[1] < n * size or X.strides[1] % size)):
            X, given = _room(n, d), X
            _lib.call("napi_flat_data_copy", *(ctypes.c_int64(m) for m in (n, d)), ctypes.c_void_p(given.ctypes.data), *(ctypes.c_int64(m) for m in given.strides),
                      given.dtype.itemsize, ctypes.c_void_p(X.ctypes.data))
        return X

    def close(self):
        if self.handle:
            _lib.call("napi_flat_mat_destroy", ctypes.byref(self.handle))
        self.parts = None
