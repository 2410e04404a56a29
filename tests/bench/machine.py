# SPDX-License-Identifier: BSD-2-Clause
"""What the benchmarks run on."""
import ctypes, os, platform


def blas():
    """
    What OpenBLAS runs on. A processor that it does not know it takes for one of 2004 (so does 0.3.21 of Debian 12 with Intel's of
    2023): such a machine would be measured at a third of its speed in all dense work. Has to be called before anything is run.
    """
    try:
        name = ctypes.CDLL('libopenblas.so.0').openblas_get_corename
        name.restype = ctypes.c_char_p
        core = name().decode()
        with open('/proc/cpuinfo') as f: flags = next(line for line in f if line.startswith('flags')).split()
    except (OSError, AttributeError, StopIteration): return ''
    better = 'SkylakeX' if 'avx512f' in flags else 'Haswell' if 'avx2' in flags else ''
    if core.upper() != 'PRESCOTT' or not better: return f', OpenBLAS for {core}'
    os.environ['OPENBLAS_CORETYPE'] = better
    return f', OpenBLAS told to use its kernels for {better} (OPENBLAS_CORETYPE), since it takes this processor for a {core}'


def machine():
    model = platform.machine()
    try:
        with open('/proc/cpuinfo') as f: model = next(line.split(':')[1].strip() for line in f if line.startswith('model name'))
    except (OSError, StopIteration): pass
    return f'{model}, {os.cpu_count()} cores, {platform.system()}'
