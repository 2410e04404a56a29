# SPDX-License-Identifier: BSD-2-Clause
"""An object of the class CCA in the library, for the time of one call."""
import ctypes

import numpy as np

from . import _lib
from ._data import Data

__all__ = ["Solver"]

_DOUBLES = ctypes.POINTER(ctypes.c_double)
_INTEGERS = ctypes.POINTER(ctypes.c_int64)


def _doubles(array):
    return array.ctypes.data_as(_DOUBLES)


class Solver:
    """With the data of an analysis. ``with`` takes the library's lock, lets Ctrl-C stop what is under way, and frees everything in the end."""

    def __init__(self, analysis, X, Y=None, *, names=("X", "y"), classes=0, labels=None):
        self.analysis, self.views, self.names, self.classes, self.labels = analysis, (X, Y), names, classes, labels
        self.handle, self.data, self.failed = ctypes.c_void_p(), [], []
        self.poll = _lib.POLL(lambda: 1 if self.failed else 0)
        self.found = self.converged = self.steps = 0

    def __enter__(self):
        _lib.lock.acquire()
        self.interruptible = _lib.interruptible(self.failed)
        self.interruptible.__enter__()
        try:
            for name, X in zip(self.names, self.views):
                if X is not None:
                    self.data.append(Data(name, X))
            handles = [d.handle for d in self.data] + [None]
            labels = None if self.labels is None else self.labels.ctypes.data_as(_INTEGERS)
            self.call("create", self.analysis.encode(), handles[0], handles[1], self.classes, labels, ctypes.byref(self.handle), solver=False)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, *error):
        try:
            if self.handle:
                _lib.call("napi_flat_cca_destroy", ctypes.byref(self.handle))
            while self.data:
                self.data.pop().close()
        finally:
            self.interruptible.__exit__(None, None, None)
            _lib.lock.release()

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
