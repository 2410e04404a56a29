# SPDX-License-Identifier: BSD-2-Clause
"""Puts the stack from PyPI beside what is installed, so that it serves those who cannot read its builder's home.

   bundle.py copy VENV PETSC SLEPC TARGET    PETSc, SLEPc and MPICH below TARGET: bin, lib and include
   bundle.py wheel PETSC SLEPC TARGET        the libraries of PETSc and SLEPc beside libslepcnapi.so in TARGET, a Python package's lib; MPICH is a package itself
   bundle.py runpath PATH FILE...            where these files look for their libraries; $ORIGIN is their own folder

An ELF file's search path is a string in a table of strings: a shorter one can be written over it, which needs no tool.
"""
import glob, os, shutil, struct, sys

PT_LOAD, PT_DYNAMIC = 1, 2
DT_NULL, DT_STRTAB, DT_RPATH, DT_RUNPATH = 0, 5, 15, 29


def runpath_place(name, data):
    """Offset and length of the search path in an ELF file, or None where it has none."""
    if data[:4] != b'\x7fELF':
        sys.exit(f'{name} is no ELF file')
    if data[4] != 2:
        sys.exit(f'{name} is a 32-bit file, whose search path cannot be changed: install a stack of your own and use STACK=env')
    order = '<' if data[5] == 1 else '>'
    read = lambda form, at: struct.unpack_from(order + form, data, at)
    table, = read('Q', 32)
    size, count = read('HH', 54)
    segments = []                                # type, offset in the file, address, size in the file
    for k in range(count):
        kind, _, offset, address, _, length = read('IIQQQQ', table + k * size)
        segments.append((kind, offset, address, length))
    tags = {}
    for kind, offset, _, length in segments:
        for at in range(offset, offset + length, 16) if kind == PT_DYNAMIC else ():
            tag, value = read('qQ', at)
            if tag == DT_NULL:
                break
            tags[tag] = value
    path = tags.get(DT_RUNPATH, tags.get(DT_RPATH))
    if path is None:
        return None
    for kind, offset, address, length in segments:
        if kind == PT_LOAD and address <= tags[DT_STRTAB] < address + length:
            start = tags[DT_STRTAB] - address + offset + path
            return start, data.index(b'\0', start) - start
    sys.exit(f'{name} has no table of strings')


def set_runpath(name, path):
    with open(name, 'r+b') as file:
        data = file.read()
        place = runpath_place(name, data)
        new = path.encode()
        if place is None or len(new) > place[1]:
            sys.exit(f'{name} has no room for the search path {path}: link it again with a longer one')
        file.seek(place[0])
        file.write(new.ljust(place[1], b'\0'))


def copy(source, folder):
    """A file, or a folder and all below it, readable by everybody whatever umask and modes say."""
    target = os.path.join(folder, os.path.basename(source))
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
        os.chmod(target, 0o755)
        for name in sorted(os.listdir(source)):
            copy(os.path.join(source, name), target)
    else:
        shutil.copyfile(source, target)
        os.chmod(target, 0o755 if os.access(source, os.X_OK) else 0o644)
    return target


def bundle(venv, petsc, slepc, target):
    shutil.rmtree(target, ignore_errors=True)
    folders = {name: os.path.join(target, name) for name in ('bin', 'lib', 'include')}
    os.makedirs(target)
    os.chmod(target, 0o755)
    for folder in folders.values():
        os.mkdir(folder)
        os.chmod(folder, 0o755)
    # MPICH finds its parts from where it is itself: its proxy beside mpiexec, headers and libraries beside mpicc's folder
    for name in ('mpiexec', 'mpicc', 'hydra_pmi_proxy'):
        copy(f'{venv}/bin/{name}', folders['bin'])
    for source in glob.glob(f'{venv}/lib/libmpi.so*') + glob.glob(f'{venv}/lib/mpich') + glob.glob(f'{venv}/include/mpi*.h'):
        copy(source, folders['include' if source.endswith('.h') else 'lib'])
    for package, name in ((petsc, 'libpetsc'), (slepc, 'libslepc')):
        for source in glob.glob(f'{package}/include/*'):
            copy(source, folders['include'])
        for source in glob.glob(f'{package}/lib/{name}.so.*'):
            set_runpath(copy(source, folders['lib']), '$ORIGIN')
            os.symlink(os.path.basename(source), f'{folders["lib"]}/{name}.so')


def wheel(petsc, slepc, target):
    # a package's lib is four levels below the prefix's lib, where the package mpich has its libraries
    path = '$ORIGIN:$ORIGIN/../../../..'
    set_runpath(f'{target}/libslepcnapi.so', path)
    for package, name in ((petsc, 'petsc'), (slepc, 'slepc')):
        for source in glob.glob(f'{package}/lib/lib{name}.so.*'):
            set_runpath(copy(source, target), path)
        for licence in glob.glob(f'{package}-*.dist-info/licenses/LICENSE*'):
            shutil.copyfile(licence, f'{target}/LICENSE.{name}')


if __name__ == '__main__':
    if len(sys.argv) == 6 and sys.argv[1] == 'copy':
        bundle(*sys.argv[2:])
    elif len(sys.argv) == 5 and sys.argv[1] == 'wheel':
        wheel(*sys.argv[2:])
    elif len(sys.argv) > 3 and sys.argv[1] == 'runpath':
        for name in sys.argv[3:]:
            set_runpath(name, sys.argv[2])
    else:
        sys.exit(__doc__)
