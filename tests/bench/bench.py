#!/usr/bin/env python3
"""Compares napi with SLEPc's other solvers, all stopped at the same true residual ||Ax-lambda Bx|| <= t |lambda| ||Bx||.

    bench.py BUILD MPIEXEC [--data FOLDER] [--ranks 1,2] [--out PREFIX] [--quick] [--only WORD]

A row is a problem on a number of ranks, a column a solver. Each peer is given its best fair chance: several settings, of
which the fastest that reaches the residual with the right eigenvalues is shown. Counts are columns A and B were applied to
(napi-eps counts them for every solver alike), times are ratios to napi's in the same run. Writes PREFIX.csv and PREFIX.md.
"""
import argparse, csv, json, os, subprocess, sys, tempfile

TOL = 1e-6
NAPI = 'napi'
# name: settings to try. The preconditioner of the largest eigenvalues is made from B, not A: gd and jd do that by themselves.
SOLVERS = {
    NAPI: [''],
    'napi, adaptive': ['-eps_napi_momentum adaptive'],
    'krylovschur, cg 1e-8': ['-eps_type krylovschur -st_ksp_type cg -st_pc_type jacobi -st_ksp_rtol 1e-8'],
    'krylovschur, cg loose': [f'-eps_type krylovschur -st_ksp_type cg -st_pc_type jacobi -st_ksp_rtol {r}' for r in ('1e-4', '1e-6')],
    'gd': ['-eps_type gd -st_pc_type jacobi -eps_gd_blocksize 1 -eps_ncv {ncv}', '-eps_type gd -st_pc_type jacobi -eps_gd_blocksize 1',
           '-eps_type gd -st_pc_type jacobi -eps_gd_blocksize 2 -eps_ncv {ncv}'],
    'jd': ['-eps_type jd -st_pc_type jacobi -st_ksp_type bcgsl', '-eps_type jd -st_pc_type jacobi -eps_ncv {ncv}'],
    'lobpcg': ['-eps_type lobpcg -precondition_by_b -st_pc_type jacobi -eps_lobpcg_blocksize {k}',
               '-eps_type lobpcg -precondition_by_b -st_pc_type jacobi -eps_lobpcg_blocksize {k2}'],
}


def problems(data, quick):
    gep = [('lund_a', 'lund_b'), ('rail_1357_A', 'rail_1357_E'), ('rail_5177_A', 'rail_5177_E'), ('bcsstk11', 'bcsstm12'), ('bcsstk08', 'bcsstm08')]
    for a, b in gep:
        files = [f'{data}/gep/{f}.mtx.gz' for f in (a, b)]
        if all(map(os.path.exists, files)):
            for k in (1, 4):
                yield f'{a[:-2] if a.endswith("_A") else a.replace("_a", "")}, k={k}', f'-A {files[0]} -B {files[1]} -eps_largest_real', k
    text = [f'{data}/text-en-it/{f}.mtx.gz' for f in ('X_en', 'Y_it')]
    if all(map(os.path.exists, text)) and not quick:
        for ridge in ('1e-3', '1e-5'):
            for k in (1, 10):
                yield f'text-en-it CCA, ridge {ridge}, k={k}', f'-X {text[0]} -Y {text[1]} -ridge {ridge}', k
    m = '60,45' if quick else '400,300'
    yield f'membrane {m.replace(",", " x ")}, 4 lowest modes', f'-generate fem2d -m {m} -swap -eps_largest_real', 4
    if not quick: yield f'membrane {m.replace(",", " x ")}, 5 largest', f'-generate fem2d -m {m} -eps_largest_real', 5


def run(args, problem, settings, k, ranks, limit):
    """What napi-eps says of one solve, or None where it does not get there in time."""
    with tempfile.TemporaryDirectory() as scratch:
        out = os.path.join(scratch, 'out.json')
        program = [os.path.join(args.build, 'bin', 'napi-eps')]
        if ranks > 1: program = [args.mpiexec, '-n', str(ranks)] + program
        settings = settings.format(k=k, k2=max(2, k // 2), ncv=max(60, 4 * k))
        command = program + problem.split() + settings.split() + f'-eps_nev {k} -true_tol {TOL} -eps_max_it 100000 -json {out}'.split()
        try:
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=limit, env=dict(os.environ, OPENBLAS_NUM_THREADS='1'))
            with open(out) as f: result = json.load(f)
        except (subprocess.TimeoutExpired, OSError, ValueError):
            return None
        if result['converged'] < k or max(result['residuals'][:k], default=1) > TOL: return None
        return result


def wrong(result, ours, k):
    """Are the eigenvalues others than those napi found?"""
    return any(abs(a - b) > 1e-4 * abs(b) for a, b in zip(result['eigenvalues'][:k], ours['eigenvalues'][:k]))


def main():
    p = argparse.ArgumentParser()
    p.add_argument('build'), p.add_argument('mpiexec')
    p.add_argument('--data', default=''), p.add_argument('--ranks', default='1,2'), p.add_argument('--out', default='bench')
    p.add_argument('--quick', action='store_true'), p.add_argument('--only', default='')
    args = p.parse_args()
    rows, table = [], []
    if not os.path.isdir(args.data): print('No shared data: generated problems only.', file=sys.stderr)
    for name, problem, k in problems(args.data, args.quick):
        if args.only not in name: continue
        for ranks in map(int, args.ranks.split(',')):
            ours, line = None, [f'{name}, {ranks} rank{"s"[:ranks > 1]}']
            for solver, settings in SOLVERS.items():
                best, note = None, 'not reached'
                limit = 900 if ours is None else max(30, 15 * ours['seconds'] * 4)
                for s in settings:
                    result = run(args, problem, s, k, ranks, limit)
                    if result and ours and wrong(result, ours, k): note = 'wrong'
                    elif result and (best is None or result['seconds'] < best['seconds']): best, chosen = result, s
                if solver == NAPI: ours = best
                if best is None:
                    line.append(note)
                    rows.append([name, ranks, solver, note, '', '', '', '', ''])
                else:
                    ratio = best['seconds'] / ours['seconds'] if ours else float('nan')
                    columns = best['A_columns'] + best['B_columns']
                    line.append(f'{columns}, {ratio:.1f}' if solver != NAPI else f'{columns} ({best["seconds"]:.3g} s)')
                    rows.append([name, ranks, solver, chosen, best['A_columns'], best['B_columns'], best['PC_columns'], best['seconds'], f'{ratio:.3f}'])
                print(f'{line[0]}: {solver}: {line[-1]}', file=sys.stderr, flush=True)
                if ours is None: break
            table.append(line + [''] * (len(SOLVERS) + 1 - len(line)))
    with open(args.out + '.csv', 'w', newline='') as f:
        csv.writer(f).writerows([['problem', 'ranks', 'solver', 'settings', 'A_columns', 'B_columns', 'PC_columns', 'seconds', 'ratio']] + rows)
    text = ['| problem | ' + ' | '.join(SOLVERS) + ' |', '|' + '---|' * (len(SOLVERS) + 1)] + ['| ' + ' | '.join(line) + ' |' for line in table]
    with open(args.out + '.md', 'w') as f: f.write('\n'.join(text) + '\n')
    print('\n'.join(text))


main()
