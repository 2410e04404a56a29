# SPDX-License-Identifier: BSD-2-Clause
"""What pip calls (PEP 517, PEP 660): runs `make`, and lets setuptools pack what that has built.

The environment is make's: STACK, BUILD, PETSC_DIR and SLEPC_DIR mean what they mean there. setuptools works in a folder of its own below BUILD,
since it would use `build/lib` as make does.
"""
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig

from setuptools import build_meta

NEEDS = ["numpy", "scipy>=1.10"]


class UnsupportedOperation(Exception):
    """By this name PEP 517 knows it."""


def make():
    """Builds the library; the folder, and what stack.mk says about the stack."""
    jobs = len(os.sched_getaffinity(0))
    print("slepcnapi: make (where PETSc and SLEPc have to be set up first, some minutes)", file=sys.stderr, flush=True)
    if subprocess.run(["make", f"-j{jobs}"], stdout=sys.stderr).returncode:
        sys.exit("slepcnapi: make has failed, and says why above (pip install -v shows it)")
    build = pathlib.Path(os.environ.get("BUILD") or "build").resolve()
    stack = dict(re.findall(r"^override (\w+) = (.*)$", (build / "stack.mk").read_text(), re.M))
    numbers = pathlib.Path(stack["PETSC_DIR"], stack["PETSC_ARCH"], "include", "petscconf.h").read_text()
    if "define PETSC_USE_COMPLEX" in numbers or "define PETSC_USE_REAL_DOUBLE" not in numbers:
        sys.exit(f"slepcnapi: the numbers of the PETSc in {stack['PETSC_DIR']} are not real and of double precision, as those of Python's users are: "
                 "take another one, or STACK=pypi to set one up")
    return build, stack


@contextlib.contextmanager
def stage(folder, needs):
    """A folder that setuptools can work in: everything but the package itself. Afterwards we are where we were."""
    root = pathlib.Path.cwd()
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "docs").mkdir(parents=True)
    for name in "pyproject.toml", "LICENSE", "docs/python.md":
        shutil.copyfile(root / name, folder / name)
    header = (root / "include/slepcnapi.h").read_text()
    (folder / "version").write_text(re.search(r'^#define SLEPCNAPI_VERSION *"(.*)"', header, re.M).group(1))
    (folder / "dependencies").write_text("\n".join(needs))
    os.chdir(folder)
    try:
        yield root
    finally:
        os.chdir(root)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    wheel_directory = os.path.abspath(wheel_directory)
    build, stack = make()
    ours = stack["STACK_KIND"] == "pypi"
    mpich = re.search(r"^mpich==.*$", pathlib.Path("src/stack/versions").read_text(), re.M).group()
    folder = build / "python-wheel"
    with stage(folder, NEEDS + [mpich] if ours else NEEDS) as root:
        shutil.copytree(root / "src/binding/python/slepcnapi", "slepcnapi", ignore=shutil.ignore_patterns("__pycache__"))
        os.mkdir("slepcnapi/lib")
        shutil.copy(build / "lib/libslepcnapi.so", "slepcnapi/lib")
        if ours:
            subprocess.run([sys.executable, root / "src/stack/bundle.py", "wheel", stack["PETSC_DIR"], stack["SLEPC_DIR"], "slepcnapi/lib"], check=True)
        platform = re.sub(r"\W", "_", sysconfig.get_platform())
        name = build_meta.build_wheel(wheel_directory, {"--build-option": ["--python-tag", "py3", "--plat-name", platform]})
    shutil.rmtree(folder)
    return name


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """The package stays in the clone, and uses the library that the last `make` has built there."""
    wheel_directory = os.path.abspath(wheel_directory)
    build, _ = make()
    with stage(build / "python-editable", NEEDS) as root:
        os.symlink(root / "src/binding/python/slepcnapi", "slepcnapi")
        return build_meta.build_editable(wheel_directory)


def build_sdist(sdist_directory, config_settings=None):
    raise UnsupportedOperation("slepcnapi has no source package: the clone is the source, and `pip wheel .` makes a wheel of it")
