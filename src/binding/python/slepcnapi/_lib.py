# SPDX-License-Identifier: BSD-2-Clause
"""The library: started at first use and stopped at exit. Its errors are exceptions."""
from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator

import numpy as np

from ._load import Error, guarded, launched, load

__all__ = ["APPLY", "POLL", "Error", "agreed", "alone", "call", "gather", "index", "interruptible", "lock", "ranks", "register", "start"]

APPLY = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int64, ctypes.c_int, ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_double))
POLL = ctypes.CFUNCTYPE(ctypes.c_int)

lock = threading.RLock()  # PETSc is for one thread at a time, which may call it again from a function that it called
_library: ctypes.CDLL | None = None
_process: int | None = None


def _renew_lock() -> None:
    """Whoever held it when the process was forked does not exist in the child."""
    global lock
    lock = threading.RLock()


os.register_at_fork(after_in_child=_renew_lock)


def _stop() -> None:
    global _process
    if os.getpid() != _process:
        return
    _process = 0
    if hasattr(sys, "last_value"):  # we end by an exception that nobody has caught: others may wait for us for ever
        _library.napi_flat_abort()
    _library.napi_flat_stop()


def _begin() -> ctypes.CDLL:
    library = load()
    library.napi_flat_error.restype = ctypes.c_char_p
    together = launched()
    with guarded():
        if library.napi_flat_start():
            raise Error(library.napi_flat_error().decode())
    size, rank = ctypes.c_int(), ctypes.c_int()
    library.napi_flat_ranks(ctypes.byref(size), ctypes.byref(rank))
    if size.value == 1 < together:
        ours = os.path.join(sys.prefix, "bin", "mpiexec")
        warnings.warn(f"this process is one of {together} that were launched together, but by the mpiexec of another MPI than slepcnapi's, so that each works alone: "
                      f"use {ours if os.path.exists(ours) else 'the one of the MPI that slepcnapi was built with (build/bin/mpiexec in a clone)'}", RuntimeWarning, stacklevel=2)
    return library


def start() -> ctypes.CDLL:
    """The library, ready for use."""
    global _library, _process
    with lock:
        if _library is None:
            _library, _process = _begin(), os.getpid()
            atexit.register(_stop)
    if _process == 0:
        raise Error("the interpreter is about to end, and slepcnapi has ended before it: use it earlier")
    if os.getpid() != _process:
        raise Error("slepcnapi was used before this process was forked, which MPI does not survive: use multiprocessing's 'spawn', or import it after the fork")
    return _library


def call(name: str, *args) -> None:
    """A function of the flat interface; the lock is the caller's."""
    library = start()
    if getattr(library, name)(*args):
        raise Error(library.napi_flat_error().decode())


def index() -> type:
    """The type of PETSc's indices."""
    return np.dtype(f"i{start().napi_flat_index_bytes()}").type


def register() -> None:
    """Start now what starts at first use otherwise, so that slepc4py knows ``EPS.setType('napi')``.

    `import slepcnapi` does it where slepc4py's SLEPc has been imported before.
    """
    start()


def ranks() -> tuple[int, int]:
    """How many processes work together, and the number of this one.

    Returns
    -------
    size, rank : int
        (1, 0) without mpiexec, and after ``alone()``.

    Examples
    --------
    >>> import slepcnapi
    >>> slepcnapi.ranks()
    (1, 0)
    """
    size, rank = ctypes.c_int(), ctypes.c_int()
    with lock:
        call("napi_flat_ranks", ctypes.byref(size), ctypes.byref(rank))
    return size.value, rank.value


def alone(yes: bool = True) -> None:
    """Let each process work by itself from now on, although mpiexec has launched several.

    Under mpiexec all processes work on one problem together, and each passes its own rows. After ``alone()`` each has problems of its own, of which
    the others know nothing; ``alone(False)`` is the way back. Models that were fitted before stay what they are.

    Parameters
    ----------
    yes : bool
        Whether they are to work alone.
    """
    with lock:
        call("napi_flat_set_alone", ctypes.c_int(bool(yes)))


def gather(rows) -> np.ndarray:
    """Put together what each process has of something: scores or predictions of its samples, or eigenvectors.

    Parameters
    ----------
    rows : array of shape (n,) or (n, m)
        The rows of this process, as many as it has; m is the same everywhere. All processes have to call it.

    Returns
    -------
    array of shape (N,) or (N, m)
        The rows of all processes, in their order, in double precision, on each of them. Without mpiexec a copy.

    Examples
    --------
    >>> import slepcnapi
    >>> slepcnapi.gather([[1, 2], [3, 4]])
    array([[1., 2.],
           [3., 4.]])
    """
    with agreed():
        part = np.asarray(rows)
        if part.dtype.kind not in "fiub" or part.ndim not in (1, 2):
            raise TypeError(f"rows is to be an array of real numbers with one or two dimensions, not one of type {part.dtype} and shape {part.shape}")
        block = np.asfortranarray(part if part.ndim == 2 else part[:, None], np.float64)
    with lock:
        n = ctypes.c_int64()
        call("napi_flat_gather_rows", *(ctypes.c_int64(m) for m in block.shape), ctypes.byref(n))
        everything = np.empty((n.value, block.shape[1]), order="F")
        call("napi_flat_gather", *(ctypes.c_int64(m) for m in block.shape), *(x.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for x in (block, everything)))
    return everything.ravel(order="F") if part.ndim == 1 else everything


@contextlib.contextmanager
def agreed(together: bool = True) -> Iterator[None]:
    """What stops one process stops all of those that work together, before they wait for each other."""
    error = None
    try:
        yield
    except BaseException as raised:
        error = raised
    if together:
        everywhere = ctypes.c_int()
        with lock:
            call("napi_flat_agree", int(error is None), ctypes.byref(everywhere))
        if error is None and not everywhere.value:
            raise Error("another process has refused what it was given")
    if error is not None:
        raise error


@contextlib.contextmanager
def interruptible(failed: list) -> Iterator[None]:
    """Ctrl-C stops the solve, which asks for failures ten times a second: an exception raised while C waits for Python would be lost.

    What Python's handler of SIGINT raises, be it its own or the program's, is kept in `failed`.
    """
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return

    kept = []

    def keep(number, frame):
        try:
            handler(number, frame)
        except BaseException as error:
            kept.append(error)
            failed.append(error)

    signal.signal(signal.SIGINT, keep)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
    if kept:  # it came when nobody asked any more
        raise kept[0]
