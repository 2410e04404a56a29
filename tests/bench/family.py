#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A family of small problems for the choice of inner work: columns A + B to 1e-6 with constant inner work, and by default.

  family.py DATA BIN record FILE.json      every problem with every constant; DATA: the folder of the real data, BIN: that of the programs
  family.py DATA BIN auto FILE.json        every problem by default, compared with what was recorded

Half of the problems are those a rule is chosen on, the others, half 1, those it is reported on; most come in pairs of a small and a large k, of which
each half has as many. Generated pairs are A = L Lambda L', B = L L' with L = I + c (a
superdiagonal): the eigenvalues are Lambda, and the condition of B, ((1+c)/(1-c))^2, is one that Jacobi does not mend.
"""
import concurrent.futures, gzip, json, math, os, random, subprocess, sys, tempfile

CONSTANTS = {f'j={j}': f'inner_max_it {j} inner_rtol 1e-10' for j in (1, 2, 3, 5, 8, 13)} | {f'rtol={r}': f'inner_rtol {r}' for r in (.4, .1)}


def write_mtx(path, rows, cols, entries, symmetric=False):
    with open(path, 'w') as f:
        f.write(f'%%MatrixMarket matrix coordinate real {"symmetric" if symmetric else "general"}\n{rows} {cols} {len(entries)}\n')
        f.writelines(f'{i + 1} {j + 1} {v!r}\n' for i, j, v in entries)


def pair(folder, name, spectrum, c):
    """A = L Lambda L', B = L L', both tridiagonal"""
    n, A, B = len(spectrum), [], []
    for i in range(n):
        below = spectrum[i + 1] if i + 1 < n else 0.
        A.append((i, i, spectrum[i] + c * c * below))
        B.append((i, i, 1. + (c * c if i + 1 < n else 0.)))
        if i + 1 < n:
            A.append((i + 1, i, c * below))
            B.append((i + 1, i, c))
    for part, M in (('A', A), ('B', B)):
        write_mtx(f'{folder}/{name}_{part}.mtx', n, n, M, True)
    return f'-A {folder}/{name}_A.mtx -B {folder}/{name}_B.mtx -eps_largest_real'


def spectra(n, rng):
    gap = sorted((rng.random() for _ in range(n)), reverse=True)
    yield 'uniform', gap
    yield 'decay', [1. / (1 + i) for i in range(n)]
    yield 'slow decay', [(1. + i) ** -.3 for i in range(n)]
    yield 'clusters', [1. - .02 * (i // 5) - 1e-4 * (i % 5) if i < 60 else .7 * rng.random() for i in range(n)]
    yield 'both signs', [(-1) ** i * (1. - i / n) ** 2 for i in range(n)]


def subset(source, path, step):
    """Every step-th row of a Matrix Market file, without the columns that are empty then"""
    entries, cols = [], {}
    with gzip.open(source, 'rt') as f:
        line = next(f)
        while line.startswith('%'):
            line = next(f)
        rows = int(line.split()[0])
        for line in f:
            i, j, *v = line.split()
            if (int(i) - 1) % step == 0:
                entries.append(((int(i) - 1) // step, cols.setdefault(j, len(cols)), float(v[0]) if v else 1.))
    write_mtx(path, (rows + step - 1) // step, len(cols), entries)


def problems(data, folder):
    rng = random.Random(1)
    for s, (name, spectrum) in enumerate(spectra(3000, rng)):
        rng.shuffle(spectrum)
        for t, c in enumerate((.3, .8, .97)):
            options = pair(folder, f'g{s}{t}', spectrum, c)
            for k in ((1, 10), (4, 20))[(s + t) % 2]:
                yield f'{name}, c={c}, k={k}', 'napi-eps', f'{options} -eps_nev {k}'
    for name, x, y, step in ('text-en-it', 'X_en', 'Y_it', 20), ('rcv1', 'X_words', 'Y_topics', 12):
        for v, f in ('X', x), ('Y', y):
            subset(f'{data}/{name}/{f}.mtx.gz', f'{folder}/{name}_{v}.mtx', step)
        views = f'-X {folder}/{name}_X.mtx -Y {folder}/{name}_Y.mtx'
        for r in (1e-1, 1e-2, 1e-3, 1e-4, 1e-5)[::1 if name.startswith('text') else 2]:
            for k in (4, 10) if r > 1e-4 else (1, 4):
                yield f'{name}, ridge {r:g}, k={k}', 'napi-cca', f'{views} -ridge {r} -k {k} -no_center -cca_type napi'
                if k == 4 or r == 1e-3: yield f'{name}, ridge {r:g}, k={k}, pair', 'napi-eps', f'{views} -ridge {r} -eps_nev {k}'
    for fem, m in ('fem2d', '50,50'), ('fem3d', '14,13,12'):
        for k in (1, 10):
            yield f'{fem}, k={k} largest', 'napi-eps', f'-generate {fem} -m {m} -eps_largest_real -eps_nev {k}'
        for pc in 'jacobi', 'icc', 'gamg':
            for k in (2, 8) if fem == 'fem2d' else (4, 20):
                yield f'{fem}, k={k} smallest, {pc}', 'napi-eps', f'-generate {fem} -m {m} -eps_smallest_real -st_pc_type {pc} -eps_nev {k}'
    gep = [('rail_371_A', 'rail_371_E'), ('rail_1357_A', 'rail_1357_E'), ('rail_5177_A', 'rail_5177_E'), ('bcsstk08', 'bcsstm08'), ('bcsstk11', 'bcsstm12')]
    for i, (a, b) in enumerate(gep):
        files = f'-A {data}/gep/{a}.mtx.gz -B {data}/gep/{b}.mtx.gz'
        for k in ((1, 8), (4, 10))[i % 2]:
            yield f'{a}, k={k} largest', 'napi-eps', f'{files} -eps_largest_real -eps_nev {k}'
        for k in (2, 10) if a.startswith('rail') else ():
            yield f'{a}, k={k} smallest', 'napi-eps', f'{files} -eps_smallest_real -st_pc_type jacobi -eps_nev {k}'


def columns(bin, program, options, inner):
    prefix = '-eps_napi_' if program == 'napi-eps' else '-cca_napi_'
    words = inner.split()
    extra = ' '.join(prefix + words[i] + ' ' + words[i + 1] for i in range(0, len(words), 2))
    tol = '-eps_tol 1e-6 -eps_max_it 3000' if program == 'napi-eps' else '-tol 1e-6'
    try:
        run = subprocess.run(f'{bin}/{program} {options} {tol} {extra} -json -'.split(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=int(os.environ.get("LIMIT", 100)))
    except subprocess.TimeoutExpired:
        return None
    if run.returncode:
        return None
    r = json.loads(run.stdout)
    return r['A_columns'] + r['B_columns'] if 'A_columns' in r else int(r['columns'])


def main():
    data, bin, what, file = sys.argv[1:5]
    table = json.load(open(file)) if os.path.exists(file) else {}
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(int(os.environ.get('JOBS', 1))) as pool:
        todo = []
        for i, (name, program, options) in enumerate(problems(data, folder)):
            row = table.setdefault(name, {})
            row['half'] = (i + i // 2) % 2
            ways = CONSTANTS if what == 'record' else {what: ''}
            todo += [(name, way, pool.submit(columns, bin, program, options, inner)) for way, inner in ways.items() if what != 'record' or way not in row]
        for name, way, result in todo:
            table[name][way] = result.result()
            if what == 'record': json.dump(table, open(file, 'w'), indent=1)
    json.dump(table, open(file, 'w'), indent=1)
    if what == 'record':
        return
    logs = [[], []]
    over = [[], []]
    for name, row in table.items():
        best = min((row[w] for w in CONSTANTS if row.get(w)), default=None)
        if not best or not row.get(what):
            print(f'{row["half"]} {name}: best {best}, {what} {row.get(what)}: no comparison')
            continue
        ratio = row[what] / best
        which = min((w for w in CONSTANTS if row.get(w)), key=lambda w: row[w])
        print(f'{row["half"]} {ratio:5.2f} {row[what]:6} {best:6} {which:8} {name}')
        logs[row['half']].append(math.log(ratio))
        if best > 150: over[row['half']].append(ratio)
    for half in 0, 1:
        print(f'half {half}: {len(logs[half])} problems, geometric mean {math.exp(sum(logs[half]) / len(logs[half])):.3f}, worst above 150 columns {max(over[half]):.2f}, above 1.2: {sum(r > 1.2 for r in over[half])}')


if __name__ == '__main__':
    main()
