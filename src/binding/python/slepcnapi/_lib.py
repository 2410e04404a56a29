# SPDX-License-Identifier: BSD-2-Clause
"""The library: found, loaded, started at first use and stopped at exit. Its errors are exceptions."""
import atexit
import contextlib
import ctypes
import os
import pathlib
import signal
import threading

import numpy as np

__all__ = ["APPLY", "POLL", "Error", "call", "index", "interruptible", "lock", "start"]

APPLY = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int64, ctypes.c_int, ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_double))
POLL = ctypes.CFUNCTYPE(ctypes.c_int)

lock = threading.RLock()  # PETSc is for one thread at a time, which may call it again from a function that it called
_library = None
_process = None


class Error(RuntimeError):
    """What PETSc, SLEPc or the library has to say."""


def _find():
    """The library that NAPI_LIBRARY names, or the one that `make` has built in the clone that this file is in."""
    named = os.environ.get("NAPI_LIBRARY")
    path = pathlib.Path(named) if named else pathlib.Path(__file__).resolve().parents[4] / "build" / "lib" / "libslepcnapi.so"
    if not path.exists():
        raise Error(f"there is no {path}: run make at the top of the clone, or let NAPI_LIBRARY name libslepcnapi.so")
    return path


def _check_petscs():
    """Two PETScs in one process do not go together: the other one came with petsc4py, or another package."""
    try:
        maps = pathlib.Path("/proc/self/maps").read_text()
    except OSError:
        return
    loaded = {line.split(maxsplit=5)[5] for line in maps.splitlines() if "libpetsc" in line}
    if len(loaded) > 1:
        raise Error(f"this process has loaded two PETScs ({', '.join(sorted(loaded))}): build slepc-napi with the one of petsc4py (PETSC_DIR, SLEPC_DIR), or leave that out")


def _stop():
    if os.getpid() == _process:
        _library.napi_flat_stop()


def start():
    """The library, ready for use."""
    global _library, _process
    with lock:
        if _library is None:
            library = ctypes.CDLL(str(_find()))
            library.napi_flat_error.restype = ctypes.c_char_p
            _check_petscs()
            if library.napi_flat_start():
                raise Error(library.napi_flat_error().decode())
            _library, _process = library, os.getpid()
            atexit.register(_stop)
    if os.getpid() != _process:
        raise Error("slepcnapi was used before this process was forked, which MPI does not survive: use multiprocessing's 'spawn', or import it after the fork")
    return _library


def call(name, *args):
    """A function of the flat interface; the lock is the caller's."""
    library = start()
    if getattr(library, name)(*args):
        raise Error(library.napi_flat_error().decode())


def index():
    """The type of PETSc's indices."""
    return np.dtype(f"i{start().napi_flat_index_bytes()}").type


@contextlib.contextmanager
def interruptible(failed):
    """Ctrl-C stops the solve, which asks for failures ten times a second: an exception raised while C waits for Python would be lost."""
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, lambda number, frame: failed.append(KeyboardInterrupt()))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
