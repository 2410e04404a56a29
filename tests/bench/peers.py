# SPDX-License-Identifier: BSD-2-Clause
"""For the benchmarks from Python: a Python with the packages that slepcnapi is compared with, and a process for each measurement."""
import json, os, pathlib, resource, subprocess, time, venv

PACKAGES = ['numpy', 'scipy', 'scikit-learn', 'cca-zoo', 'primme', 'pyamg']
MEMORY = 10 * 2**30


def python():
    """One in an environment of its own, made where there is none; primme is compiled then, which takes five minutes and a Fortran compiler."""
    folder = pathlib.Path(os.environ.get('XDG_CACHE_HOME') or pathlib.Path.home() / '.cache') / 'slepc-napi' / 'bench'
    if not (folder / 'done').exists():
        venv.create(folder, with_pip=True)
        subprocess.run([folder / 'bin' / 'python', '-m', 'pip', 'install', '-q', *PACKAGES], check=True)
        (folder / 'done').touch()
    return str(folder / 'bin' / 'python')


def environment(build):
    here = pathlib.Path(__file__).resolve().parents[2]
    return dict(os.environ, OPENBLAS_NUM_THREADS='1', OMP_NUM_THREADS='1', PYTHONPATH=str(here / 'src/binding/python'), NAPI_LIBRARY=os.path.abspath(f'{build}/lib/libslepcnapi.so'))


def measure(interpreter, script, build, limit, *words):
    """What the script prints last, a JSON object, when it is called with these words; or why there is none: memory, time or an error."""
    def restrict():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
    run = subprocess.run([interpreter, script, 'worker', *map(str, words)], capture_output=True, text=True, env=environment(build), preexec_fn=restrict)
    last = run.stdout.splitlines()[-1] if run.stdout.strip() else ''
    if run.returncode == 0 and last.startswith('{'):
        return json.loads(last)
    if run.returncode in (-24, -9):  # SIGXCPU; what does not end by it is killed
        return {'failed': f'> {limit} s'}
    return {'failed': (run.stderr.strip().splitlines() or [f'ended by {run.returncode}'])[-1][:200]}


def peak():
    """Megabytes, of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def timed(function):
    """What it returns, and the processor time it took."""
    start = time.process_time()
    return function(), time.process_time() - start


def versions(interpreter):
    code = f'import importlib.metadata as m, platform; print(platform.python_version(), *(p + " " + m.version(p) for p in {PACKAGES!r}), sep=", ")'
    return 'Python ' + subprocess.run([interpreter, '-c', code], capture_output=True, text=True, check=True).stdout.strip()
