#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares slepcnapi.eigsh with SciPy's eigsh and lobpcg and with primme.eigsh, on pairs of real matrices and on finite elements.

    python_eigsh.py BUILD --data FOLDER [--out PREFIX] [--rounds 3] [--limit 120] [--only NAME]

Each solution is a process of its own with one BLAS thread, at most 10 GiB of address space and LIMIT seconds of processor time. A solver gets the largest
tolerance of 1e-6, 1e-7, ... with which all residuals ||Ax - wMx|| are at most 1e-6 |w| ||Mx||; seconds are the processor time of that solution,
factorisation and set-up of the preconditioner included, the least of ROUNDS interleaved ones (of one, where it took more than 20 seconds). Memory is the
peak of the process. Eigenvalues are compared with those of SciPy to the last digit, of finite elements with the closed form. Writes PREFIX.md.
"""
import argparse, json, os, sys, tempfile
from machine import blas, machine
import peers

PAIRS = {'lund': ('lund_a', 'lund_b'), 'bcsstk08': ('bcsstk08', 'bcsstm08'), 'bcsstk11': ('bcsstk11', 'bcsstm12'), 'rail_371': ('rail_371_A', 'rail_371_E'),
         'rail_1357': ('rail_1357_A', 'rail_1357_E'), 'rail_5177': ('rail_5177_A', 'rail_5177_E'), 'bcsstk01': ('bcsstk01', 'bcsstm01'), 'bcsstk13': ('bcsstk13', 'bcsstm13')}
SINGULAR = 'bcsstk01', 'bcsstk13'  # M is: there is no largest eigenvalue
CASES = [(name, 'largest') for name in PAIRS if name not in SINGULAR] + [(name, 'smallest') for name in PAIRS] + [('fem3d', 'smallest'), ('fem3d-100', 'smallest')]
RESIDUAL = 1e-6
SIDES, BOX = (46, 46, 46), (1.0, 1.1, 1.23)
TITLES = {'slepcnapi': 'slepcnapi.eigsh', 'gamg': "slepcnapi.eigsh, 'gamg'", 'scipy': 'SciPy eigsh', 'unshifted': 'SciPy eigsh, no shift', 'lobpcg': 'SciPy lobpcg', 'primme': 'primme.eigsh'}


def solvers(name, end):
    if name == 'fem3d-100': return ['slepcnapi', 'gamg', 'lobpcg', 'primme']  # the others do not come to an end with ten
    return [s for s in TITLES if (s != 'gamg' or name == 'fem3d') and (s != 'unshifted' or end == 'smallest')]


def pairs(name):
    return {'fem3d': 10, 'fem3d-100': 100}.get(name, 4)


# --- in a process of its own ---------------------------------------------------------------------------------------

def elements():
    """Trilinear elements on a box, 0 on its sides: Kronecker products of three dimensions; and the eigenvalues, sums of those of one."""
    import numpy as np, scipy.sparse as sp

    def line(m, length):
        h, one, c = length / (m + 1), np.ones(m), np.cos(np.arange(1, m + 1) * np.pi / (m + 1))
        return (sp.diags_array([-one[1:], 2 * one, -one[1:]], offsets=[-1, 0, 1]) / h, sp.diags_array([one[1:], 4 * one, one[1:]], offsets=[-1, 0, 1]) * h / 6,
                6 / h**2 * (1 - c) / (2 + c))

    def cube(a, b, c):
        return sp.kron(sp.kron(a, b), c)

    (Kx, Mx, wx), (Ky, My, wy), (Kz, Mz, wz) = (line(m, length) for m, length in zip(SIDES, BOX))
    K = sp.csr_array(cube(Kx, My, Mz) + cube(Mx, Ky, Mz) + cube(Mx, My, Kz))
    return K, sp.csr_array(cube(Mx, My, Mz)), np.sort((wx[:, None, None] + wy[:, None] + wz).ravel())


def read(data, name, end):
    """A, M, and the eigenvalues, ascending."""
    import scipy.io, scipy.sparse as sp, scipy.sparse.linalg as sl
    k = pairs(name)
    if name not in PAIRS:
        K, M, w = elements()
        return K, M, w[:k]
    A, M = (sp.csr_array(scipy.io.mmread(f'{data}/gep/{part}.mtx.gz'), dtype=float) for part in PAIRS[name])
    way = {'which': 'LA'} if end == 'largest' else {'sigma': 0}
    return A, M, sorted(sl.eigsh(A.tocsc(), k, M.tocsc(), return_eigenvectors=False, **way))


def approximate_inverse(A, name):
    import numpy as np
    from scipy.sparse.linalg import LinearOperator
    if name not in PAIRS:
        import pyamg
        return pyamg.smoothed_aggregation_solver(A).aspreconditioner()
    d = A.diagonal()
    inverse = 1 / np.where(d > 0, d, 1)
    return LinearOperator(A.shape, matvec=lambda x: inverse * x.ravel(), matmat=lambda X: inverse[:, None] * X, dtype=float)


def solve(who, A, M, k, name, end, tol, size):
    """size: about ||wMx||, which lobpcg needs, whose tolerance is absolute."""
    import numpy as np, scipy.sparse.linalg as sl
    if who in ('slepcnapi', 'gamg'):
        import slepcnapi
        P = 'gamg' if who == 'gamg' else approximate_inverse(A, name) if name not in PAIRS else None
        return slepcnapi.eigsh(A, k, M, which='LA' if end == 'largest' else 'SM', tol=tol, preconditioner=P)
    if who == 'scipy':
        return sl.eigsh(A.tocsc(), k, M.tocsc(), tol=tol, **({'which': 'LA'} if end == 'largest' else {'sigma': 0}))
    if who == 'unshifted':
        return sl.eigsh(A.tocsc(), k, M.tocsc(), tol=tol, which='SA', maxiter=10**6)
    P = approximate_inverse(M if end == 'largest' else A, name)
    if who == 'lobpcg':
        X = np.random.default_rng(0).standard_normal((A.shape[0], k))
        return sl.lobpcg(A, X, B=M, M=P, tol=tol * size, largest=end == 'largest', maxiter=10000)
    import primme
    return primme.eigsh(A, k, M, which='LA' if end == 'largest' else 'SA', OPinv=P, tol=tol)


def worker(data, who, name, end, tol):
    import warnings
    import numpy as np
    warnings.simplefilter('ignore')
    A, M, wanted = read(data, name, end)
    wanted, tol = np.array(wanted), float(tol)
    if who in ('slepcnapi', 'gamg'):
        import slepcnapi
        slepcnapi.ranks()  # PETSc is started: that is not a part of a solution
    size, before, r = np.abs(wanted).min() * np.sqrt(abs(M.diagonal()).mean()), peers.peak(), np.inf
    while tol > 1e-16:
        try:
            (w, v), seconds = peers.timed(lambda: solve(who, A, M, len(wanted), name, end, tol, size))
        except Exception as error:  # pylint: disable=broad-except
            return print(json.dumps({'failed': f'{type(error).__name__}: {str(error)[:90]}'}))
        order = np.argsort(w)
        w, v = w[order], v[:, order]
        r = max(np.linalg.norm(A @ x - l * (M @ x)) / np.linalg.norm(l * (M @ x)) for l, x in zip(w, v.T))
        if r <= RESIDUAL:
            break
        tol /= 10
    result = {'seconds': seconds, 'peak': peers.peak(), 'before': before, 'residual': r, 'error': float(np.abs(w / wanted - 1).max()), 'tol': tol}
    print(json.dumps(result if r <= RESIDUAL else {'failed': f'residual {r:.0e} at best'}))


# --- the tables ----------------------------------------------------------------------------------------------------

def show(r, unit):
    if 'failed' in r:
        return r['failed']
    seconds = '< 0.001' if r['seconds'] < 0.001 else f'{r["seconds"]:.2g}' if r['seconds'] < 10 else f'{r["seconds"]:.0f}'
    if r['error'] > 1e-6:
        return f'wrong eigenvalues ({r["error"]:.0e})'
    return f'{seconds}' + (f' ({r["seconds"] / unit:.2g})' if unit else '') + f', {r["peak"]:.0f} MB'


def main():
    p = argparse.ArgumentParser()
    p.add_argument('build'), p.add_argument('--data', default=''), p.add_argument('--out', default='python_eigsh'), p.add_argument('--rounds', type=int, default=3)
    p.add_argument('--limit', type=int, default=120), p.add_argument('--only', default='', help='a problem, or gep')
    args = p.parse_args()
    kernels, interpreter, data = blas(), peers.python(), os.path.abspath(args.data)
    lines = ['| pair | k, end | ' + ' | '.join(TITLES.values()) + ' |', '|---' * (2 + len(TITLES)) + '|']
    worst = 0.0
    for name, end in CASES:
        if args.only not in (name, '', 'gep' if name in PAIRS else '') or (name in PAIRS and not os.path.exists(f'{data}/gep/{PAIRS[name][0]}.mtx.gz')): continue
        best = {}
        for i in range(args.rounds):
            for who in solvers(name, end):
                if who in best and ('failed' in best[who] or best[who]['seconds'] > 20): continue
                r = peers.measure(interpreter, __file__, args.build, args.limit * (1 if name in PAIRS else 3 if name == 'fem3d' else 10), data, who, name, end, best[who]['tol'] if who in best else 1e-6)
                print(name, end, who, r, file=sys.stderr, flush=True)
                if who not in best or ('failed' not in r and r['seconds'] < best[who]['seconds']): best[who] = r
        unit = best['slepcnapi'].get('seconds')
        worst = max(worst, best['slepcnapi'].get('error', 0))
        lines.append(f'| {name} | {pairs(name)} {end} | ' + ' | '.join(show(best[who], unit) if who in best else '' for who in TITLES) + ' |')
    lines += ['', f'The eigenvalues of slepcnapi.eigsh are right to {worst:.0e} of their size.', '', f'{peers.versions(interpreter)}. {machine()}; one BLAS thread{kernels}.']
    with open(args.out + '.md', 'w') as f: f.write('\n'.join(lines) + '\n')
    print('\n'.join(lines))


if __name__ == '__main__':
    worker(*sys.argv[2:]) if sys.argv[1:2] == ['worker'] else main()
