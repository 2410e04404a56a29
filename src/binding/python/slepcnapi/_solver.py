# SPDX-License-Identifier: BSD-2-Clause
"""An object of the class CCA in the library, for the time of one call."""
import contextlib
import ctypes

import numpy as np

from . import _lib
from ._data import Data

__all__ = ["Solver", "classify"]

_DOUBLES = ctypes.POINTER(ctypes.c_double)
_INTEGERS = ctypes.POINTER(ctypes.c_int64)


def _doubles(array):
    return array.ctypes.data_as(_DOUBLES)


def _integers(array):
    return None if array is None else array.ctypes.data_as(_INTEGERS)


def classify(scores, priors, class_scores):
    """The number of the class of each sample, by its scores."""
    S, means = np.asfortranarray(scores), np.ascontiguousarray(class_scores)
    number = np.empty(len(S), np.int64)
    with _lib.lock:
        _lib.call("napi_flat_cca_classify", ctypes.c_int64(len(S)), S.shape[1], _doubles(S), len(means), _doubles(priors), _doubles(means), _integers(number))
    return number


class Solver:
    """With the data of an analysis. ``with`` takes the library's lock, lets Ctrl-C stop what is under way, and frees everything in the end."""

    def __init__(self, analysis, X, Y=None, *, names=("X", "y"), classes=0, labels=None):
        self.analysis, self.views, self.names, self.classes, self.labels = analysis, (X, Y), names, classes, labels
        failed = self.failed = []
        self.handle, self.data = ctypes.c_void_p(), []
        self.poll = _lib.POLL(lambda: 1 if failed else 0)  # which does not hold this object: the data are to go with it, and not when somebody collects garbage
        self.found = self.converged = self.steps = 0

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            stack.enter_context(_lib.lock)
            stack.enter_context(_lib.interruptible(self.failed))
            stack.callback(self._free)
            with _lib.agreed():
                for name, X in zip(self.names, self.views):
                    if X is not None:
                        self.data.append(Data(name, X))
            for data in self.data:
                data.create()
            handles = [d.handle for d in self.data] + [None]
            self.call("create", self.analysis.encode(), handles[0], handles[1], self.classes, _integers(self.labels), ctypes.byref(self.handle), solver=False)
            self.stack = stack.pop_all()
        return self

    def __exit__(self, *error):
        return self.stack.__exit__(*error)

    def _free(self):
        if self.handle:
            _lib.call("napi_flat_cca_destroy", ctypes.byref(self.handle))
        while self.data:
            self.data.pop().close()

    def call(self, name, *args, solver=True):
        """A function of the library; if somebody has pressed Ctrl-C meanwhile, that is what is raised."""
        try:
            _lib.call("napi_flat_cca_" + name, *((self.handle,) if solver else ()), *args)
        except _lib.Error:
            if not self.failed:
                raise
        if self.failed:
            raise self.failed[0] from None

    def set(self, k, solver, tol, max_iter, center, scale, check):
        kind = None if solver == "auto" else solver.encode()
        self.call("set", k, kind, ctypes.c_double(tol), max_iter or 0, int(center), int(scale), check.encode())

    def set_shrinkage(self, x, y):
        self.call("set_shrinkage", ctypes.c_double(x), ctypes.c_double(y))

    def set_ridge(self, x, y):
        self.call("set_ridge", ctypes.c_double(x), ctypes.c_double(y))

    def set_weights(self, weights):
        self.call("set_weights", _doubles(weights))

    def set_initial(self, U, V):
        U, V = np.asfortranarray(U), np.asfortranarray(V)
        self.call("set_initial", U.shape[1], _doubles(U), _doubles(V))

    def _counted(self, name, *args):
        counts = (ctypes.c_int * 3)()
        self.call(name, self.poll, *args, counts)
        self.found, self.converged, self.steps = counts

    def solve(self):
        self._counted("solve")

    def permute(self, n, seed, within, level):
        """p-values, medians and quantiles; whether these are exact; how many comparisons could not be decided."""
        table, exact, undecided = np.empty((3, self.converged)), ctypes.c_int(), ctypes.c_int64()
        self.call("permute", self.poll, n, seed, _integers(within), ctypes.c_double(level), _doubles(table), ctypes.byref(exact), ctypes.byref(undecided))
        return table, bool(exact.value), undecided.value

    def cross_validate(self, path, values, folds, contiguous, seed, fold, one_se):
        self._counted("cross_validate", path.encode(), len(values), _doubles(values), folds, int(contiguous), seed, _integers(fold), int(one_se))
        sizes = np.zeros(6, np.int64)
        self.call("cross_validation", _integers(sizes), None, None, None, None, None)
        n, nfolds, k, best, failed, constant = (int(s) for s in sizes)
        arrays = [np.empty(shape) for shape in (n, n, (n, nfolds, k), k, k)]
        self.call("cross_validation", _integers(sizes), *map(_doubles, arrays))
        return arrays, best, failed, constant

    def bootstrap(self, samples, seed, level):
        failed, arrays = ctypes.c_int(), [np.empty((samples, self.found)), np.empty((samples, self.found)), np.full((self.found, 4), np.nan)]
        self.call("bootstrap", self.poll, samples, seed, ctypes.c_double(level), ctypes.byref(failed), *map(_doubles, arrays))
        return [a[:, :self.converged] for a in arrays[:2]] + [arrays[2][:self.converged]], failed.value

    def test(self, name):
        """Statistic, value, both degrees of freedom and p; or None, and the sentence that says why not."""
        room = min(d.shape[1] for d in self.data)
        count, table, why = ctypes.c_int(), np.empty((5, room)), ctypes.create_string_buffer(512)
        self.call("test", name.encode(), room, ctypes.byref(count), _doubles(table), why, len(why))
        return (table[:, :count.value] if count.value else None), why.value.decode()

    def text(self, what):
        text = ctypes.create_string_buffer(256)
        self.call("text", what.encode(), text, len(text))
        return text.value.decode()

    def get(self, what, shape, view=0):
        """A result by its name; those with a column for each pair have as many as were found, of which only converged ones are given."""
        values = np.empty(shape, order="F")
        self.call("get", what.encode(), view, _doubles(values))
        return values

    def pairs(self, what, view=0):
        return self.get(what, self.found, view)[:self.converged].copy()

    def columns(self, what, view=0):
        d = self.data[view].shape[1]
        return np.ascontiguousarray(self.get(what, (d, self.found), view)[:, :self.converged])

    def variables(self, what, view=0):
        return self.get(what, self.data[view].shape[1], view)
