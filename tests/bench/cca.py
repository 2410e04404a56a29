#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares the types of CCA with each other and with SLEPc's solvers on the data in FOLDER, to a residual of 1e-6.

    cca.py BUILD MPIEXEC --data FOLDER [--out PREFIX] [--rounds 3] [--long]

text-en-it, k = 10, ridge 1e-3: CCA type napi on 1 and 2 ranks, and type eps with napi, krylovschur + cg and gd, in turn, ROUNDS
times each; times are the least ones, as ratios to type napi on one rank. The tolerances of krylovschur and gd are the largest of
1e-6, 3e-7, 1e-7, ... with which their first solution is good enough. MNIST halves (where the Python that runs this has NumPy):
type direct against the same computation in NumPy, reading included on both sides; B columns with sketch and with Jacobi.
--long: type direct against napi on all of rcv1 (6 GB of memory, ten minutes). Writes PREFIX.md.
"""
import argparse, gzip, json, os, subprocess, sys, tempfile, time
from machine import blas, machine

KS = '-cca_type eps -cca_eps_type krylovschur -cca_st_ksp_type cg -cca_st_pc_type jacobi -cca_st_ksp_rtol 1e-8'
GD = '-cca_type eps -cca_eps_type gd -cca_st_pc_type jacobi -cca_eps_gd_blocksize 1 -cca_eps_ncv 60'
NUMPY = '''
import sys, numpy as np, scipy.linalg as sl
X, Y = np.load(sys.argv[1]), np.load(sys.argv[2]); n, d = X.shape
L = np.linalg.cholesky(X.T @ X / n + 1e-3 * np.eye(d)); M = np.linalg.cholesky(Y.T @ Y / n + 1e-3 * np.eye(d))
T = sl.solve_triangular(M, sl.solve_triangular(L, X.T @ Y / n, lower=True).T, lower=True).T
P, s, Q = np.linalg.svd(T)
U, V = sl.solve_triangular(L, P[:, :10], lower=True, trans='T'), sl.solve_triangular(M, Q[:10].T, lower=True, trans='T')
print(' '.join(repr(float(x)) for x in s[:3]))
'''


class Bench:
    def __init__(self, args):
        self.args, self.env = args, dict(os.environ, OPENBLAS_NUM_THREADS='1')

    def run(self, files, options, ranks=1):
        """What napi-cca says of one run; seconds are those of the solution, total those of the whole program."""
        with tempfile.TemporaryDirectory() as scratch:
            out = os.path.join(scratch, 'out.json')
            command = [os.path.join(self.args.build, 'bin', 'napi-cca')] + files + options.split() + ['-no_center', '-json', out]
            if ranks > 1: command = [self.args.mpiexec, '-n', str(ranks)] + command
            start = time.time()
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.env)
            total = time.time() - start
            with open(out) as f: result = dict(json.load(f), total=total)
        result['reached'] = len(result['correlations']) > 0 and max(result['residuals']) <= 1e-6
        return result

    def first_tolerance(self, files, options):
        """The largest tolerance with which an EPS needs no second solution."""
        for tol in ('1e-6', '3e-7', '1e-7', '3e-8', '1e-8', '3e-9', '1e-9'):
            log = subprocess.run([os.path.join(self.args.build, 'bin', 'napi-cca')] + files + options.split() + ['-no_center', '-cca_eps_tol', tol, '-info', ':cca'],
                                 capture_output=True, text=True, env=self.env)
            if 'once more' not in log.stdout + log.stderr: return f'{options} -cca_eps_tol {tol}'
        return options


def text(bench, data, rounds, lines):
    files = [f'{data}/text-en-it/{f}.mtx.gz' for f in ('X_en', 'Y_it')]
    if not all(map(os.path.exists, files)): return print('text-en-it is not there', file=sys.stderr)
    common = '-k 10 -ridge 1e-3 '
    rows = [('napi', '-cca_type napi', 1), ('napi, 2 ranks', '-cca_type napi', 2), ('eps with napi', '-cca_type eps', 1),
            ('eps with gd, block 1, ncv 60', bench.first_tolerance(files, common + GD)[len(common):], 1),
            ('eps with krylovschur + cg 1e-8', bench.first_tolerance(files, common + KS)[len(common):], 1)]
    best = {}
    for _ in range(rounds):
        for name, options, ranks in rows:
            r = bench.run(files, common + options, ranks)
            print(f'text-en-it: {name}: {r["A_columns"]:g} + {r["B_columns"]:g} columns, {r["seconds"]:.2f} s, reached {r["reached"]}', file=sys.stderr, flush=True)
            if name not in best or r['seconds'] < best[name]['seconds']: best[name] = r
    unit = best['napi']['seconds']
    lines += ['| text-en-it, k = 10, ridge 1e-3 | A columns | B columns | passes | time | |', '|---|---|---|---|---|---|']
    for name, options, _ in rows:
        r = best[name]
        lines.append(f'| {name} | {r["A_columns"]:g} | {r["B_columns"]:g} | {r["passes"]:g} | {r["seconds"] / unit:.2f} | {"" if r["reached"] else "residual not reached"} |')
    lines += ['', f'(time 1 is {unit:.2f} s)', '']


def mnist(bench, data, rounds, lines):
    source = f'{data}/mnist/train-images-idx3-ubyte.gz'
    try: import numpy as np, scipy
    except ImportError: return print('MNIST needs NumPy and SciPy: pip install numpy scipy', file=sys.stderr)
    if not os.path.exists(source): return print('MNIST is not there', file=sys.stderr)
    pictures = np.frombuffer(gzip.open(source).read(), np.uint8, offset=16).reshape(-1, 28, 28) / 255.
    with tempfile.TemporaryDirectory() as scratch:
        files = [os.path.join(scratch, f) for f in ('x.npy', 'y.npy')]
        for f, half in zip(files, (pictures[:, :, :14], pictures[:, :, 14:])): np.save(f, half.reshape(len(pictures), -1))
        ours = theirs = float('inf')
        for _ in range(rounds):
            r = bench.run(files, '-k 10 -ridge 1e-3 -cca_type direct')
            start = time.time()
            out = subprocess.run([sys.executable, '-c', NUMPY] + files, capture_output=True, text=True, env=bench.env).stdout
            ours, theirs = min(ours, r['total']), min(theirs, time.time() - start)
        difference = max(abs(a - float(b)) for a, b in zip(r['correlations'], out.split()))
        lines += [f'MNIST halves, k = 10, ridge 1e-3, type direct: {ours / theirs:.2f} times the time of NumPy ({ours:.2f} and {theirs:.2f} s, start and reading included); correlations differ by {difference:.1e}.', '']
        sketch, jacobi = (bench.run(files, f'-k 1 -ridge 1e-5 -cca_type napi -cca_pc_type {pc}') for pc in ('sketch', 'jacobi'))
        lines += [f'MNIST halves, k = 1, ridge 1e-5, type napi: {sketch["B_columns"]:g} B columns with sketch, {jacobi["B_columns"]:g} with Jacobi.', '']


def rcv1(bench, data, lines):
    files = [f'{data}/rcv1/{f}.mtx.gz' for f in ('X_words', 'Y_topics')]
    if not all(map(os.path.exists, files)): return print('rcv1 is not there', file=sys.stderr)
    direct, napi = (bench.run(files, f'-k 10 -ridge 1e-3 -cca_type {t}') for t in ('direct', 'napi'))
    difference = max(abs(a - b) for a, b in zip(direct['correlations'], napi['correlations']))
    lines += [f'rcv1, k = 10, ridge 1e-3: direct {direct["seconds"]:.0f} s, napi {napi["seconds"]:.1f} s; correlations differ by {difference:.1e}.', '']


def main():
    p = argparse.ArgumentParser()
    p.add_argument('build'), p.add_argument('mpiexec'), p.add_argument('--data', default=''), p.add_argument('--out', default='cca')
    p.add_argument('--rounds', type=int, default=3), p.add_argument('--long', action='store_true')
    args = p.parse_args()
    kernels = blas()  # before the environment is copied
    bench, lines = Bench(args), []
    text(bench, args.data, args.rounds, lines)
    mnist(bench, args.data, args.rounds, lines)
    if args.long: rcv1(bench, args.data, lines)
    lines += [f'Machine: {machine()}; one BLAS thread a rank{kernels}.']
    with open(args.out + '.md', 'w') as f: f.write('\n'.join(lines))
    print('\n'.join(lines))


main()
