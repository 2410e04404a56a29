# SPDX-License-Identifier: BSD-2-Clause
"""Finds the library and loads it into a process that may have an MPI and a PETSc already, or says in one sentence why that cannot be."""
from __future__ import annotations

import contextlib
import ctypes
import importlib.metadata
import os
import pathlib
import re
import stat
import struct
import sys
from collections.abc import Iterator

__all__ = ["Error", "guarded", "launched", "load"]


class Error(RuntimeError):
    """What PETSc, SLEPc or the library has to say."""


def _find() -> pathlib.Path:
    """The library that NAPI_LIBRARY names, the one that was installed with this file, or the one that `make` has built in the clone it is in."""
    named, here = os.environ.get("NAPI_LIBRARY"), pathlib.Path(__file__).resolve()
    places = [pathlib.Path(named)] if named else [here.parent / "lib" / "libslepcnapi.so", *(p / "build" / "lib" / "libslepcnapi.so" for p in here.parents[4:5])]
    for path in places:
        if path.exists():
            return path
    raise Error(f"there is no {places[-1]}: run make at the top of the clone, or let NAPI_LIBRARY name libslepcnapi.so")


# --- what it needs, and what is there -----------------------------------------------------------------------------------------------

_PT_LOAD, _PT_DYNAMIC = 1, 2
_DT_NULL, _DT_NEEDED, _DT_STRTAB = 0, 1, 5


def _needs(path: pathlib.Path) -> list[str]:
    """The names of the libraries that an ELF file asks the loader for; none where it is of a kind that is not known here."""
    data = path.read_bytes()
    if data[:5] != b"\x7fELF\x02":
        return []
    order = "<" if data[5] == 1 else ">"
    table, = struct.unpack_from(order + "Q", data, 32)
    size, count = struct.unpack_from(order + "HH", data, 54)
    segments = [struct.unpack_from(order + "IIQQQQ", data, table + k * size) for k in range(count)]
    tags = []
    for kind, _, offset, _, _, length in segments:
        if kind == _PT_DYNAMIC:
            tags = [struct.unpack_from(order + "qQ", data, at) for at in range(offset, offset + length, 16)]
    strings = dict(tags).get(_DT_STRTAB, 0)
    for kind, _, offset, address, _, length in segments:
        if kind == _PT_LOAD and address <= strings < address + length:
            start = strings - address + offset
            return [data[start + at:data.index(b"\0", start + at)].decode() for tag, at in tags if tag == _DT_NEEDED]
    return []


def _loaded() -> set[str]:
    """The files that this process has mapped."""
    try:
        lines = pathlib.Path("/proc/self/maps").read_text().splitlines()
    except OSError:
        return set()
    return {fields[5] for fields in (line.split(maxsplit=5) for line in lines) if len(fields) > 5}


# of each of these a process has one
_FAMILIES = {"PETSc": re.compile(r"libpetsc[\w-]*\.so"), "SLEPc": re.compile(r"libslepc(?!napi)[\w-]*\.so"), "MPI": re.compile(r"libmpi(ch)?(_abi)?\.so")}


def _check_company(path: pathlib.Path) -> None:
    """A library of the name that ours asks for is used, whoever loaded it. Beside another one of the family ours would crash, or abort while it is loaded."""
    needs, loaded = _needs(path), _loaded()
    for family, pattern in _FAMILIES.items():
        for name in filter(pattern.match, needs):
            for other in loaded:
                base = os.path.basename(other)
                if pattern.match(base) and base != name and not base.startswith(name + "."):
                    guests = [g for g in ("slepc4py", "petsc4py", "mpi4py") if g in sys.modules]
                    raise Error(f"this process has loaded another {family}, {other}{' (by ' + guests[0] + ')' if guests else ''}, than the {name} that slepcnapi was built for: "
                                "install slepcnapi with PETSC_DIR and SLEPC_DIR set to the PETSc and SLEPc of the other package, or use the two in processes of their own")


# --- loading ------------------------------------------------------------------------------------------------------------------------


def _recorded(name: str) -> pathlib.Path | None:
    """A library of the mpich package, wherever pip has put that."""
    try:
        files = importlib.metadata.files("mpich") or []
    except importlib.metadata.PackageNotFoundError:
        return None
    for file in files:
        place = pathlib.Path(os.path.abspath(file.locate()))
        if file.name == name and place.exists():
            return place
    return None


def _advice(path: pathlib.Path, error: OSError) -> str:
    missing = re.match(r"(lib[\w.+-]+): cannot open", str(error))
    what = missing.group(1) if missing else ""
    if what.startswith("libmpi.so.12"):
        return (f"{what} was not found: it comes with the package mpich, by pip install mpich (but not with pip's --target, which leaves libraries of that kind out; "
                "LD_LIBRARY_PATH can name the folder of another MPICH)")
    if what.startswith("libopenblas"):
        return f"{what} was not found: on Debian or Ubuntu, apt-get install libopenblas0; elsewhere the package of OpenBLAS, or LD_LIBRARY_PATH with its folder"
    if what:
        return f"{what} was not found, which {path} needs: LD_LIBRARY_PATH can name its folder"
    return f"{path} could not be loaded: {error}"


def load() -> ctypes.CDLL:
    path = _find()
    _check_company(path)
    # UCX, which comes with MPICH, reads this when it is loaded, and otherwise makes SIGHUP stop the process for a debugger instead of ending it
    ours = "UCX_DEBUG_SIGNO" not in os.environ
    if ours:
        os.environ["UCX_DEBUG_SIGNO"] = "0"
    try:
        if path.parent == pathlib.Path(__file__).resolve().parent / "lib":  # a wheel: the MPI is that of the environment, also where ours and its are apart
            for mpi in filter(None, (_recorded(name) for name in _needs(path) if _FAMILIES["MPI"].match(name))):
                ctypes.CDLL(str(mpi))
        return ctypes.CDLL(str(path))
    except OSError as error:
        raise Error(_advice(path, error)) from None
    finally:
        if ours:
            del os.environ["UCX_DEBUG_SIGNO"]


# --- launchers ----------------------------------------------------------------------------------------------------------------------


def launched() -> int:
    """How many processes the launcher of this one, of whichever MPI, says it has started together."""
    if _cut_off():
        return 1
    counts = (os.environ.get(name, "") for name in ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"))
    return max((int(count) for count in counts if count.isdigit()), default=1)


def _cut_off() -> bool:
    """Whether this process was started by one that mpiexec has started: it has the variables of that one, but not its connection."""
    line = os.environ.get("PMI_FD", "")
    try:
        return line.isdigit() and not stat.S_ISSOCK(os.fstat(int(line)).st_mode)
    except OSError:
        return True


def _other_protocol() -> bool:
    """Whether it was launched by an OpenMPI, say, and our MPI is an MPICH that does not know its protocol."""
    names = [os.path.basename(path) for path in _loaded()]
    return any(name.startswith("libmpi.so.12") for name in names) and not any(name.startswith("libpmix") for name in names)


@contextlib.contextmanager
def guarded() -> Iterator[None]:
    """MPICH would abort at what it cannot answer in its environment: that is hidden from it while it starts, and the process is on its own."""
    prefixes = ("PMI_",) * _cut_off() + ("PMIX_",) * _other_protocol()
    hidden = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith(prefixes)}
    try:
        yield
    finally:
        os.environ.update(hidden)
