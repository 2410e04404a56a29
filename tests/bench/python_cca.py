#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares slepcnapi.CCA with scikit-learn's CCA and cca-zoo's RidgeCCA, and with napi-cca, the program.

    python_cca.py BUILD --data FOLDER [--out PREFIX] [--rounds 3] [--limit 300]

Each fit is a process of its own with one BLAS thread, at most 10 GiB of address space and LIMIT seconds of processor time; the least of ROUNDS interleaved
ones counts (of one, where it took more than a minute). Seconds are the processor time of `fit`; memory is the peak of the whole process, in which
the data are. Correlations are Pearson's, of the scores of the training samples. Writes PREFIX.md.
"""
import argparse, gzip, json, os, subprocess, sys, tempfile
from machine import blas, machine
import peers

RIDGE = 1e-3
CASES = [('mnist', 1), ('mnist', 10), ('digits', 10), ('wine', 3), ('text-en-it', 10)]
WHO = {'slepcnapi': 'slepcnapi.CCA', 'sklearn': 'scikit-learn CCA', 'zoo': 'cca-zoo RidgeCCA'}


# --- in a process of its own ---------------------------------------------------------------------------------------

def load(folder, name):
    import numpy as np, scipy.sparse
    files = [f'{folder}/{name}_{view}' for view in 'XY']
    return [scipy.sparse.load_npz(f + '.npz') if os.path.exists(f + '.npz') else np.load(f + '.npy') for f in files]


def prepare(data, folder):
    """The data as files that all read; which there are."""
    import numpy as np, scipy.io, scipy.sparse, sklearn.datasets
    digits, wine = sklearn.datasets.load_digits().images / 16, sklearn.datasets.load_wine().data
    views = {'digits': (digits[:, :, :4], digits[:, :, 4:]), 'wine': ((wine / wine.std(axis=0))[:, :6], (wine / wine.std(axis=0))[:, 6:])}
    if os.path.exists(file := f'{data}/mnist/train-images-idx3-ubyte.gz'):
        pictures = np.frombuffer(gzip.open(file).read(), np.uint8, offset=16).reshape(-1, 28, 28) / 255
        views['mnist'] = pictures[:, :, :14], pictures[:, :, 14:]
    for name, both in views.items():
        for view, X in zip('XY', both): np.save(f'{folder}/{name}_{view}.npy', X.reshape(len(X), -1))
    if os.path.exists(f'{data}/text-en-it/X_en.mtx.gz'):
        views['text-en-it'] = None
        for view, file in zip('XY', ('X_en', 'Y_it')): scipy.sparse.save_npz(f'{folder}/text-en-it_{view}.npz', scipy.io.mmread(f'{data}/text-en-it/{file}.mtx.gz').tocsr())
    return sorted(views)


def fit(who, k, name, X, Y, order):
    import numpy as np, scipy.sparse
    if who == 'slepcnapi':
        from slepcnapi import CCA, ranks
        ranks()  # PETSc is started: that is not a part of a fit
        if order == 'F': X, Y = np.asfortranarray(X), np.asfortranarray(Y)
        model, seconds = peers.timed(lambda: CCA(k, **({'ridge': RIDGE} if name == 'text-en-it' else {})).fit(X, Y))
        return seconds, [float(r) for r in model.pearson_], ''
    if who == 'sklearn':
        from sklearn.cross_decomposition import CCA
        make, views = (lambda X, Y: CCA(k, scale=False).fit(X, Y)), lambda model, X, Y: model.transform(X, Y)
    else:
        from cca_zoo.linear import RidgeCCA
        make, views = (lambda X, Y: RidgeCCA(k, shrinkage=RIDGE).fit([X, Y])), lambda model, X, Y: model.transform([X, Y])
    note = ''
    if scipy.sparse.issparse(X):
        try: model, seconds = peers.timed(lambda: make(X, Y))
        except (TypeError, ValueError) as error:
            note = f'sparse data refused ({type(error).__name__}); as dense arrays: '
            try: X, Y = X.toarray(), Y.toarray()
            except MemoryError:
                return None, [], note + f'does not fit into {peers.MEMORY // 2**30} GiB'
    try: model, seconds = peers.timed(lambda: make(X, Y))
    except MemoryError:
        return None, [], note + f'does not fit into {peers.MEMORY // 2**30} GiB'
    S, T = views(model, X, Y)
    return seconds, [float(np.corrcoef(S[:, i], T[:, i])[0, 1]) for i in range(S.shape[1])], note


def worker(folder, who, name, k, order='C'):
    import warnings
    warnings.simplefilter('ignore')
    if who == 'prepare': return print(json.dumps({'there': prepare(name, folder)}))
    (X, Y), reading = peers.timed(lambda: load(folder, name))
    seconds, r, note = fit(who, int(k), name, X, Y, order)
    print(json.dumps({'seconds': seconds, 'reading': reading, 'r': r, 'note': note, 'peak': peers.peak()}))


# --- the tables ----------------------------------------------------------------------------------------------------

def compare(run, rounds, there, lines):
    lines += ['| data, k | | seconds | ratio | peak, MB | correlation 1 | correlation k | mean |', '|---|---|---|---|---|---|---|---|']
    for name, k in (c for c in CASES if c[0] in there):
        best = {}
        for i in range(rounds):
            for who in WHO:
                if who in best and (best[who].get('failed') or (best[who]['seconds'] or 99) > 60): continue
                r = run(who, name, k)
                print(name, k, who, {key: r[key] for key in r if key != 'r'}, file=sys.stderr, flush=True)
                if who not in best or r.get('failed') or r['seconds'] is None or r['seconds'] < best[who]['seconds']: best[who] = r
        unit = best['slepcnapi'].get('seconds')
        for who, title in WHO.items():
            r = best[who]
            if r.get('failed') or r['seconds'] is None:
                lines.append(f'| {name}, {k} | {title} | {r.get("failed") or r["note"]} | | {r.get("peak", 0) and round(r["peak"]) or ""} | | | |')
                continue
            seconds, ratio = f'{r["seconds"]:.2g}' if r['seconds'] < 10 else f'{r["seconds"]:.0f}', f'{r["seconds"] / unit:.2g}' if unit else ''
            lines.append(f'| {name}, {k} | {title} | {seconds} | {ratio} | {r["peak"]:.0f} | {r["r"][0]:.5f} | {r["r"][-1]:.5f} | {sum(r["r"]) / len(r["r"]):.5f} |')


def program(build, folder, name, k):
    """The solution by napi-cca, whose clock shows processor time, and the processor time of the whole program."""
    files = [f'{folder}/{name}_{view}.np{"z" if name == "text-en-it" else "y"}' for view in 'XY']
    env = dict(os.environ, OPENBLAS_NUM_THREADS='1', LD_PRELOAD=os.path.abspath(f'{build}/bench/cputime.so'))
    out = f'{folder}/program.json'
    before = sum(os.times()[2:4])
    subprocess.run([f'{build}/bin/napi-cca', *files, '-k', str(k), *(['-ridge', str(RIDGE)] if name == 'text-en-it' else []), '-json', out], check=True, stdout=subprocess.DEVNULL, env=env)
    whole = sum(os.times()[2:4]) - before
    with open(out) as f: return json.load(f)['seconds'], whole


def overhead(run, build, folder, rounds, there, lines):
    lines += ['', '| | napi-cca: solution | `fit` | more by | napi-cca: the whole program | reading and `fit` |', '|---|---|---|---|---|---|']
    for name, k, orders in ('mnist', 10, 'FC'), ('text-en-it', 10, 'C'):
        if name not in there: continue
        theirs, ours = [], {order: [] for order in orders}
        for i in range(rounds + 2):
            theirs.append(program(build, folder, name, k))
            for order in orders: ours[order].append(run('slepcnapi', name, k, order))
            print(name, 'napi-cca', theirs[-1], {o: (ours[o][-1]['seconds'], ours[o][-1]['reading']) for o in orders}, file=sys.stderr, flush=True)
        solution, whole = (min(t) for t in zip(*theirs))
        for order in orders:
            seconds = min(r['seconds'] for r in ours[order])
            title = name + {'F': ", arrays in Fortran's order", 'C': ", arrays in C's order" if 'F' in orders else ''}[order]
            both = min(r['seconds'] + r['reading'] for r in ours[order])
            lines.append(f'| {title} | {solution:.2f} s | {seconds:.2f} s | {1000 * (seconds - solution):+.0f} ms, {100 * (seconds / solution - 1):+.0f} % | {whole:.2f} s | {both:.2f} s |')


def main():
    p = argparse.ArgumentParser()
    p.add_argument('build'), p.add_argument('--data', default=''), p.add_argument('--out', default='python_cca'), p.add_argument('--rounds', type=int, default=3)
    p.add_argument('--limit', type=int, default=300), p.add_argument('--only', default='', help='compare or overhead')
    args = p.parse_args()
    kernels, interpreter, lines = blas(), peers.python(), []
    with tempfile.TemporaryDirectory() as folder:
        def run(who, name, k, order='C'):
            return peers.measure(interpreter, __file__, args.build, args.limit, folder, who, name, k, order)
        there = run('prepare', os.path.abspath(args.data), 0)['there']
        if args.only != 'overhead': compare(run, args.rounds, there, lines)
        if args.only != 'compare': overhead(run, args.build, folder, args.rounds, there, lines)
    lines += ['', f'{peers.versions(interpreter)}. {machine()}; one BLAS thread{kernels}.']
    with open(args.out + '.md', 'w') as f: f.write('\n'.join(lines) + '\n')
    print('\n'.join(lines))


if __name__ == '__main__':
    worker(*sys.argv[2:]) if sys.argv[1:2] == ['worker'] else main()
