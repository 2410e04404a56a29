#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares napi with SLEPc's other solvers, all stopped at the same true residual ||Ax-lambda Bx|| <= t |lambda| ||Bx||.

    bench.py BUILD MPIEXEC [--data FOLDER] [--ranks 1,2] [--out PREFIX] [--quick] [--only WORD] [--minutes M] [--patience F]
             [--continue] [--draw]

A row is a problem on a number of ranks, a column a solver. Each peer is given its best fair chance: several settings, of
which the best that reaches the residual with the right eigenvalues is shown (the fastest from LARGE unknowns on, below that
the one with the fewest columns). They are tuned on the first number of ranks and used again on the others. Counts are columns
A and B were applied to (napi-eps counts them for every solver alike).

Times are those of EPSSolve() with its set-up, processor time on one rank and wall time on several. Where a peer's own
tolerance had to be lowered until the true residual was small enough it is that of a run with this tolerance from the start,
or, if it is too far from napi to be run again, of the last of its solves, which finds the preconditioner set up. From LARGE
unknowns on, napi and every peer that takes less than CLOSE times its time run ROUNDS times in turn, unless napi takes more
than LONG seconds; a ratio is that of the least times in the rounds both took part in. A peer is given up after a time that
depends on napi's (allowance()), all its settings and tries together, and shown as "> x": it took more than x times napi's.

After each row PREFIX.csv and PREFIX.md are written, in the end PREFIX.png, where there is matplotlib. --minutes limits the
whole run, --patience multiplies what a peer is allowed; --continue runs only the rows that the CSV does not have yet, --draw none at all.
"""
import argparse, csv, json, math, os, resource, signal, subprocess, sys, tempfile, time
from machine import blas, machine

TOL, WRONG, FASTER = 1e-6, 1e-4, 1.1
LARGE, ROUNDS, CLOSE, LONG = 20000, 3, 4, 15
SHARE = 4  # a limit of processor time is one of so many times that in wall time
NAPI = 'napi'
KS = '-eps_type krylovschur -st_ksp_type cg -st_pc_type {pc} -st_ksp_rtol '
# name: settings to try. The preconditioner of the largest eigenvalues is made from B, not A: gd and jd do that by themselves.
SOLVERS = {
    NAPI: ['-st_pc_type {pc}'],
    'napi, adaptive': ['-eps_napi_momentum adaptive -st_pc_type {pc} {shift}'],
    'krylovschur, cg 1e-8': [KS + '1e-8'],
    'krylovschur, cg loose': [KS + r for r in ('1e-6', '1e-5', '1e-4', '1e-3', '1e-2')],
    'gd': ['-eps_type gd -st_pc_type {pc} -eps_gd_blocksize 1 -eps_ncv {ncv}', '-eps_type gd -st_pc_type {pc} -eps_gd_blocksize 1',
           '-eps_type gd -st_pc_type {pc} -eps_gd_blocksize 2 -eps_ncv {ncv}'],
    'jd': ['-eps_type jd -st_pc_type {pc} -st_ksp_type bcgsl', '-eps_type jd -st_pc_type {pc} -eps_ncv {ncv}'],
    'lobpcg': ['-eps_type lobpcg -precondition_by_b -st_pc_type {pc} -eps_lobpcg_blocksize {k}',
               '-eps_type lobpcg -precondition_by_b -st_pc_type {pc} -eps_lobpcg_blocksize {k2}'],
    # SLEPc gives primme five iterations of an inner solver for a preconditioner; without them it is faster
    'primme': [f'-eps_type primme -precondition_by_b -st_pc_type {{pc}} -st_ksp_type preonly -eps_primme_method {m}' for m in ('jdqmr_etol', 'gd_olsen_plusk')] +
              ['-eps_type primme -precondition_by_b -st_pc_type {pc}'],
    'krylovschur, Cholesky of B': ['-eps_type krylovschur -st_ksp_type preonly -st_pc_type cholesky'],
}
LOOSE, EXACT = 'krylovschur, cg loose', 'krylovschur, Cholesky of B'
UNJUDGED = (NAPI, 'napi, adaptive', EXACT)  # we never factor; and adaptive is ours
FIELDS = ['problem', 'ranks', 'n', 'k', 'solver', 'settings', 'A_columns', 'B_columns', 'PC_columns', 'seconds', 'ratio', 'runs', 'note']


class Problem:
    def __init__(self, name, options, k, pc='jacobi', matrix=True):
        self.name, self.options, self.k, self.pc, self.matrix = name, options, k, pc, matrix

    def fill(self, settings):
        # the paper's method finds the largest magnitude: correlations have to be shifted away from their negatives
        return settings.format(pc=self.pc, k=self.k, k2=max(2, self.k // 2), ncv=max(60, 4 * self.k), shift='' if self.matrix else '-st_shift -1')


def problems(data, quick):
    text = [f'{data}/text-en-it/{f}.mtx.gz' for f in ('X_en', 'Y_it')]
    if not all(map(os.path.exists, text)) or quick: text = []

    def correlations(ridge):
        for k in (1, 10) if text else ():
            yield Problem(f'text-en-it CCA, ridge {ridge}, k={k}', f'-X {text[0]} -Y {text[1]} -ridge {ridge}', k, matrix=False)

    yield from correlations('1e-3')
    m = '60,45' if quick else '400,300'
    membrane = f'membrane {m.replace(",", " x ")}'
    yield Problem(f'{membrane}, 4 lowest, gamg', f'-generate fem2d -m {m} -swap -eps_largest_real', 4, 'gamg')
    yield Problem(f'{membrane}, 4 lowest, jacobi', f'-generate fem2d -m {m} -swap -eps_largest_real', 4)
    yield Problem(f'{membrane}, 5 largest', f'-generate fem2d -m {m} -eps_largest_real', 5)
    # the stiffness and mass matrices of bcsstk01 and bcsstk13 are exchanged: their mass matrices are singular
    pairs = [('lund', 'lund_a', 'lund_b'), ('rail_371', 'rail_371_A', 'rail_371_E'), ('rail_1357', 'rail_1357_A', 'rail_1357_E'),
             ('rail_5177', 'rail_5177_A', 'rail_5177_E'), ('bcsstk11, bcsstm12', 'bcsstk11', 'bcsstm12'), ('bcsstk08, bcsstm08', 'bcsstk08', 'bcsstm08'),
             ('bcsstm01, bcsstk01', 'bcsstm01', 'bcsstk01'), ('bcsstm13, bcsstk13', 'bcsstm13', 'bcsstk13')]
    for name, *files in pairs:
        a, b = (f'{data}/gep/{f}.mtx.gz' for f in files)
        if os.path.exists(a) and os.path.exists(b):
            for k in (1, 4): yield Problem(f'{name}, k={k}', f'-A {a} -B {b} -eps_largest_real', k)
    yield from correlations('1e-5')  # the longest come last


def figure(x):
    return f'{x:.0f}' if x >= 10 else f'{x:.2g}'


def cost(result):
    """What is judged: time, where there is enough of it to be measured, else columns."""
    return result['seconds'] if result['n'] >= LARGE else result['A_columns'] + result['B_columns']


def allowance(ours, solver, patience):
    """Seconds for a column of the table; more for those that are spoken of in the README."""
    least = 20 if ours['n'] >= LARGE else 6
    times, most = (25, 75) if solver in ('gd', 'krylovschur, cg 1e-8') else (12, 40)
    return max(patience * max(least, min(times * ours['seconds'], most)), 2 * ours['seconds'])


class Bench:
    def __init__(self, args):
        self.args, self.deadline, self.stopped = args, time.time() + 60 * args.minutes, False

    def run(self, p, settings, ranks, limit, tol=None):
        """
        What napi-eps says of one solve (None where that is not an answer), and the seconds it took with everything: of processor
        time on one rank, where others may be using the machine, of wall time on several, which wait for each other.
        """
        alone, start, spent = ranks == 1, time.time(), resource.getrusage(resource.RUSAGE_CHILDREN)
        left = self.deadline - start
        if left <= 0: return None, 0

        def elapsed():
            now = resource.getrusage(resource.RUSAGE_CHILDREN)
            return now.ru_utime + now.ru_stime - spent.ru_utime - spent.ru_stime if alone else time.time() - start

        with tempfile.TemporaryDirectory() as scratch:
            out = os.path.join(scratch, 'out.json')
            command = [os.path.join(self.args.build, 'bin', 'napi-eps')]
            if ranks > 1: command = [self.args.mpiexec, '-n', str(ranks)] + command
            # a peer whose tolerance is known need not be led to it again
            stop = f'-eps_tol {tol!r}' if tol else f'-true_tol {TOL}'
            command += p.options.split() + p.fill(settings).split() + f'-eps_nev {p.k} {stop} -eps_max_it 100000 -json {out}'.split()
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                                       env=dict(os.environ, OPENBLAS_NUM_THREADS='1'),
                                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(limit), math.ceil(limit) + 5)) if alone else None)
            try:
                process.wait(min(left, SHARE * limit if alone else limit))
            except (subprocess.TimeoutExpired, KeyboardInterrupt, SystemExit) as stopped:
                for s in (signal.SIGTERM, signal.SIGKILL):  # mpiexec ends its ranks when it is asked to end
                    os.killpg(process.pid, s)
                    try:
                        process.wait(5)
                        break
                    except subprocess.TimeoutExpired: pass
                if not isinstance(stopped, subprocess.TimeoutExpired): raise
                self.stopped = True
                return None, elapsed()
            self.stopped = -process.returncode in (signal.SIGXCPU, signal.SIGKILL)  # the limit of processor time
            try:
                with open(out) as f: result = json.load(f)
            except (OSError, ValueError): result = None
        if result and (result['converged'] < p.k or not max(result['residuals'][:p.k], default=1) <= TOL): result = None
        if result and alone and result['seconds'] > 0.1: result['seconds'] = result['cpu_seconds']  # its clock is coarse
        return result, elapsed()

    def tune(self, p, solver, settings, ranks, ours, guide):
        """The best of the settings, and why there is none. guide is the time of krylovschur at 1e-8: a looser tolerance has to beat it."""
        best, chosen, note, left, spent, longest = None, None, 'not reached', allowance(ours, solver, self.args.patience), 0, 0
        if solver == LOOSE and guide: left = 1.2 * guide + 1
        for s in settings:
            limit = left - spent if best is None or solver == LOOSE else min(left - spent, 1.2 * elapsed_best + 1)
            if limit < 1: break
            result, elapsed = self.run(p, s, ranks, limit)
            if solver != LOOSE: spent += elapsed
            if result and self.wrong(result, ours, p.k): result, note = None, 'wrong'
            if result and (best is None or cost(result) < cost(best)): best, chosen, elapsed_best = result, s, elapsed
            if result is None and self.stopped and note != 'wrong':
                longest = max(longest, elapsed)
                note = f'> {figure(longest / ours["seconds"])}'
            if result is None and solver == LOOSE: break  # a still looser one will not do either
        if solver == LOOSE and best is None and guide and note != 'wrong': note = 'none looser'
        return best, chosen, note

    @staticmethod
    def wrong(result, ours, k):
        """Are the eigenvalues others than those napi found?"""
        return any(abs(a - b) > WRONG * abs(b) for a, b in zip(result['eigenvalues'][:k], ours['eigenvalues'][:k]))

    def row(self, p, ranks, tuned):
        """All solvers on one problem. tuned, known after the first number of ranks, is {solver: settings, or None: it failed}."""
        ours, _ = self.run(p, SOLVERS[NAPI][0], ranks, 600)
        if ours is None and time.time() > self.deadline: return []
        if ours is None: return [dict(problem=p.name, ranks=ranks, k=p.k, solver=NAPI, note='not reached')]
        large, found, lines, guide = ours['n'] >= LARGE, {NAPI: (ours, SOLVERS[NAPI][0])}, [], None
        times = {NAPI: [ours['seconds']]}
        for solver, settings in SOLVERS.items():
            if solver == NAPI: continue
            best, note = None, ''
            if solver == 'primme' and not self.args.primme: continue
            if solver == EXACT and not p.matrix: note = 'needs the matrix'
            elif solver == EXACT and ranks > 1: note = 'one rank only'
            elif solver in tuned and tuned[solver] is None: note = 'not tried'
            else: best, chosen, note = self.tune(p, solver, [tuned[solver]] if solver in tuned else settings, ranks, ours, guide)
            if best:
                found[solver], times[solver] = (best, chosen), [best['seconds']]
                if solver == 'krylovschur, cg 1e-8': guide = best['seconds'] * best.get('solves', 1) + 3
            else: lines.append(dict(problem=p.name, ranks=ranks, n=ours['n'], k=p.k, solver=solver, note=note))
            self.say(p, ranks, solver, f'{best["A_columns"]}+{best["B_columns"]} columns, {best["seconds"]:.3g} s against {ours["seconds"]:.3g} s' if best else note)
        for r in range(1, ROUNDS if large and ours['seconds'] < LONG else 1):
            close = [s for s in found if s == NAPI or found[s][0]['seconds'] < CLOSE * ours['seconds']]
            if len(close) == 1: break
            for solver in close:
                result, _ = self.run(p, found[solver][1], ranks, 600, found[solver][0]['tol_used'] if 'napi' not in solver else None)
                if result: times[solver].append(result['seconds'])
        for solver, (best, _) in found.items():  # a last solve of several found the preconditioner set up
            if best.get('solves', 1) > 1 and len(times[solver]) > 1: times[solver][0] = math.inf
        if time.time() > self.deadline: return []  # cut short: it says nothing
        for solver, (best, chosen) in found.items():
            count = len(times[solver])
            ratio = min(times[solver]) / min(times[NAPI][:count])
            lines.append(dict(problem=p.name, ranks=ranks, n=best['n'], k=p.k, solver=solver, settings=p.fill(chosen),
                              A_columns=best['A_columns'], B_columns=best['B_columns'], PC_columns=best['PC_columns'],
                              seconds=f'{min(times[solver]):.4g}', ratio=f'{ratio:.3f}', runs=count, note=''))
        return sorted(lines, key=lambda line: list(SOLVERS).index(line['solver']))

    @staticmethod
    def say(p, ranks, solver, what):
        print(f'{p.name}, {ranks} rank{"s"[:ranks > 1]}: {solver}: {what}', file=sys.stderr, flush=True)


# --- what the numbers say ---------------------------------------------------------------------------------------------


def grouped(lines):
    rows = {}
    for line in lines: rows.setdefault((line['problem'], int(line['ranks'])), {})[line['solver']] = line
    return rows


def columns(line):
    return int(line['A_columns']) + int(line['B_columns'])


def table(lines):
    solvers = [s for s in SOLVERS if any(line['solver'] == s for line in lines)]
    text = ['| problem | n | ranks | ' + ' | '.join(solvers) + ' |', '|' + '---|' * (len(solvers) + 3)]
    before = None
    for (name, ranks), row in grouped(lines).items():
        cells = []
        for s in solvers:
            line = row.get(s)
            if line is None: cells.append('')
            elif not line['seconds']: cells.append(line['note'])
            elif int(line['n']) < LARGE: cells.append(f'**{columns(line)}**' if s == NAPI else f'{columns(line)}')
            elif s == NAPI: cells.append(f'**{columns(line)}** ({float(line["seconds"]):.2g} s)')
            else: cells.append(f'{columns(line)}, {figure(float(line["ratio"]))}')
        n = next(iter(row.values())).get('n', '')
        text.append(f'| {name if name != before else ""} | {n if name != before else ""} | {ranks} | ' + ' | '.join(cells) + ' |')
        before = name
    return text


def verdict(lines):
    """The claims the project makes of itself, with the numbers of this run."""
    text, rows = [], grouped(lines)
    for (name, ranks), row in rows.items():
        ours = row.get(NAPI)
        if not ours or not ours['seconds']:
            text.append(f'- {name}, {ranks} rank(s): napi did not reach the residual.')
            continue
        for s, line in row.items():
            if s in UNJUDGED or not line['seconds']: continue
            if int(line['n']) >= LARGE: factor, what = 1 / float(line['ratio']), 'time'
            else: factor, what = columns(ours) / columns(line), 'columns'
            if factor > FASTER: text.append(f'- {name}, {ranks} rank{"s"[:ranks > 1]}: {s} needs {factor:.2f} times less {what} than napi.')
    if not text: text.append(f'- No peer is better than napi by more than {100 * (FASTER - 1):.0f} % (time from {LARGE} unknowns on, columns below).')
    for (name, ranks), row in rows.items():
        if not name.startswith('text-en-it') or NAPI not in row or not row[NAPI]['seconds']: continue
        peers = {s: float(line['ratio']) for s, line in row.items() if s not in UNJUDGED and line['seconds']}
        if peers:
            best = min(peers, key=peers.get)
            text.append(f'- {name}, {ranks} rank{"s"[:ranks > 1]}: the best peer, {best}, takes {peers[best]:.2f} times napi\'s time' +
                        (f', krylovschur with cg at 1e-8 {peers["krylovschur, cg 1e-8"]:.2f}.' if 'krylovschur, cg 1e-8' in peers else '.'))
        one = rows.get((name, 1), {}).get(NAPI)
        if ranks == 2 and one and one['seconds']: text.append(f'- {name}: two ranks are {float(one["seconds"]) / float(row[NAPI]["seconds"]):.2f} times as fast as one.')
    return text


def draw(lines, path):
    """Two panels of dots, a row a problem on the least number of ranks: columns and, for the large ones, time, as ratios to napi's."""
    try:
        import matplotlib
        matplotlib.use('Agg')
        import matplotlib.pyplot as plt
    except ImportError:
        print('No picture, since this Python has no matplotlib: python3 -m venv plot && plot/bin/pip install matplotlib, then '
              'make bench PYTHON=plot/bin/python BENCH=--draw draws it from the CSV.', file=sys.stderr)
        return
    least = min(int(line['ranks']) for line in lines)
    rows = {name: row for (name, ranks), row in grouped(lines).items() if ranks == least and row.get(NAPI, {}).get('seconds')}
    if not rows: return
    names = list(rows)
    large = [name for name in names if int(rows[name][NAPI]['n']) >= LARGE] or names
    look = {'napi, adaptive': ('#8c8c8c', 'v'), 'krylovschur, cg 1e-8': ('#0b5394', 's'), LOOSE: ('#6fa8dc', 's'), 'gd': ('#cc4125', 'o'),
            'jd': ('#e69138', 'D'), 'lobpcg': ('#38761d', '^'), 'primme': ('#674ea7', 'P'), EXACT: ('#000000', 'x')}
    figure, axes = plt.subplots(2, 1, figsize=(9, 1.6 + 0.27 * (len(names) + len(large))), gridspec_kw=dict(height_ratios=[len(large) + .5, len(names) + .5]), layout='constrained')
    shown = {}
    for axis, some, title in ((axes[0], large, 'time / time of napi'), (axes[1], names, 'columns of A and B / those of napi')):
        time = axis is axes[0]
        for y, name in enumerate(some):
            ours = rows[name][NAPI]
            axis.axhline(y, color='#e5e5e5', lw=.8, zorder=0)
            for s, line in rows[name].items():
                if s == NAPI: continue
                if line['seconds']:
                    x = float(line['ratio']) if time else columns(line) / columns(ours)
                    shown[s] = axis.scatter(x, y, s=34, color=look[s][0], marker=look[s][1], zorder=3, alpha=.85, linewidths=1.4 if s == EXACT else .5)
        axis.axvline(1, color='k', lw=1.2)
        axis.set_xscale('log')
        axis.set_ylim(len(some) - .5, -.5)
        axis.set_yticks(range(len(some)), some, fontsize=9)
        axis.set_title(title + f' ({least} rank{"s"[:least > 1]}; right of the line: napi is better)', fontsize=10, loc='left')
        axis.xaxis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda v, _: f'{v:g}'))
        axis.tick_params(axis='x', labelsize=9)
        for side in ('top', 'right', 'left'): axis.spines[side].set_visible(False)
        axis.tick_params(axis='y', length=0)
    order = [s for s in SOLVERS if s in shown]
    figure.legend([shown[s] for s in order], order, loc='outside lower center', ncols=4, fontsize=9, frameon=False)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def write(lines, args):
    with open(args.out + '.csv', 'w', newline='') as f:
        writer = csv.DictWriter(f, FIELDS)
        writer.writeheader()
        writer.writerows(lines)
    text = table(lines) + ['', f'Columns A and B were applied to until the true residual was at most {TOL:g}; napi\'s seconds in brackets (processor time on '
        'one rank, wall time on two), the peers\' as a ratio to them; small problems without time. "> x": given up after x times napi\'s time; "wrong": other eigenvalues; "not reached": it ended before that residual; "none looser": '
        'cg at 1e-6 does not get there; "not tried": failed on one rank. krylovschur with a Cholesky factorisation is shown, not judged: napi never factors.',
        '' if args.primme else 'This SLEPc was built without PRIMME: no such column.', '', f'Machine: {machine()}; one BLAS thread a rank{args.blas}.', ''] + verdict(lines)
    with open(args.out + '.md', 'w') as f: f.write('\n'.join(text) + '\n')
    return text


def main():
    p = argparse.ArgumentParser()
    p.add_argument('build'), p.add_argument('mpiexec')
    p.add_argument('--data', default=''), p.add_argument('--ranks', default='1,2'), p.add_argument('--out', default='bench')
    p.add_argument('--quick', action='store_true'), p.add_argument('--only', default='')
    p.add_argument('--minutes', type=float, default=90), p.add_argument('--patience', type=float, default=1), p.add_argument('--continue', action='store_true', dest='more'), p.add_argument('--draw', action='store_true')
    args = p.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit('bench.py: ended by a signal'))
    lines, bench = [], Bench(args)
    args.blas = blas()
    if args.more or args.draw:
        with open(args.out + '.csv', newline='') as f: lines = list(csv.DictReader(f))
    if not os.path.isdir(args.data): print('No shared data: generated problems only.', file=sys.stderr)
    tiny = Problem('primme?', '-generate fem2d -m 5,5 -eps_largest_real', 1)
    args.primme = bench.run(tiny, SOLVERS['primme'][0], 1, 60)[0] is not None
    if not args.primme: print('This SLEPc was built without PRIMME: no such column.', file=sys.stderr)
    todo = [p for p in problems(args.data, args.quick) if args.only in p.name]
    for ranks in map(int, args.ranks.split(',') if not args.draw else []):
        for p in todo:
            rows, tuned = grouped(lines), {}
            if (p.name, ranks) in rows: continue
            for (name, _), row in rows.items():
                if name == p.name:
                    for s, line in row.items(): tuned.setdefault(s, line['settings'] or None)
            if time.time() > bench.deadline:
                print(f'{p.name}, {ranks} rank(s): not run, {args.minutes:g} minutes are over.', file=sys.stderr)
                continue
            lines += [{f: str(line.get(f, '')) for f in FIELDS} for line in bench.row(p, ranks, tuned)]
            order = [(q.name, r) for q in todo for r in range(1, 1 + ranks)]
            lines.sort(key=lambda line: order.index((line['problem'], int(line['ranks']))) if (line['problem'], int(line['ranks'])) in order else len(order))
            write(lines, args)
    print('\n'.join(write(lines, args)))
    draw(lines, args.out + '.png')


main()
