#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares napi with SLEPc's other solvers, all stopped at the same true residual ||Ax-lambda Bx|| <= t |lambda| ||Bx||.

    bench.py BUILD MPIEXEC [--slepc FOLDER] [--data FOLDER] [--ranks 1,2] [--out PREFIX] [--quick] [--only WORD] [--minutes M]
             [--patience F] [--continue] [--draw]
    bench.py --table FILE.md [--out PREFIX] [--note WORDS]

A row is a problem on a number of ranks, a column a solver. Each peer is given its best fair chance: several settings, of
which the best that reaches the residual with the right eigenvalues is shown (the fastest; below LARGE unknowns the columns
shown are the fewest, the time is the least, which may be of different settings). They are tuned on the first number of ranks
and used again on the others. Counts are columns A and B were applied to (napi-eps counts them for every solver alike).

Times are those of EPSSolve() with its set-up, processor time on one rank and wall time on several. Where a peer's own
tolerance had to be lowered until the true residual was small enough it is that of a run with this tolerance from the start,
or, if it is too far from napi to be run again, of the last of its solves, which finds the preconditioner set up. Napi and
every peer that takes less than CLOSE times its time run ROUNDS times in turn (below LARGE unknowns BRIEF_ROUNDS times), unless
napi takes more than LONG seconds; a ratio is that of the least times in the rounds both took part in. A peer is given up after
a time that depends on napi's (allowance()), all its settings and tries together, and shown as "> x": it took more than x times
napi's. Where there are many pairs each of its settings is given MANY_TIMES napi's time, and finds the tolerance it needs with a
tenth of the pairs beforehand, which is not counted.

The libslepc below FOLDER takes the place of the one that napi-eps was linked with, for all solvers: one of the same version that has PRIMME.

After each row PREFIX.csv and PREFIX.md are written, in the end PREFIX.png, where there is matplotlib. --minutes limits the
whole run, --patience multiplies what a peer is allowed; --continue runs only the rows that the CSV does not have yet, --draw none at all.
--table draws PREFIX.png from such a table in a Markdown file, and runs nothing; WORDS stand below its heading.
"""
import argparse, copy, csv, json, math, os, resource, signal, subprocess, sys, tempfile, time
from machine import blas, machine

TOL, WRONG = 1e-6, 1e-4
FASTER, BRIEFER, FEWER = 1.05, 1.2, 1.1  # what a peer may be better by: in time from LARGE unknowns on, in time and in columns below
LARGE, ROUNDS, BRIEF_ROUNDS, CLOSE, LONG = 20000, 3, 5, 4, 15
MANY_TIMES, READING = 2.5, 5  # the latter are seconds a program takes beyond its solve
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
    # SLEPc gives primme five iterations of an inner solver for a preconditioner; without them it is faster. With its basis of 15 vectors, PRIMME
    # 3.2.3 may go on for ever where the number of unknowns is odd (so does PRIMME alone, without PETSc).
    'primme': [f'-eps_type primme -precondition_by_b -st_pc_type {{pc}} -st_ksp_type preonly -eps_primme_method {m}' for m in ('gd_olsen_plusk', 'jdqmr_etol', 'gd_olsen_plusk -eps_ncv {ncv}')] +
              ['-eps_type primme -precondition_by_b -st_pc_type {pc}'],
    'krylovschur, Cholesky': ['-eps_type krylovschur -st_ksp_type preonly -st_pc_type cholesky'],
}
LOOSE, EXACT = 'krylovschur, cg loose', 'krylovschur, Cholesky'
PRIMME_MANY = 'gd_olsen_plusk -eps_primme_blocksize 8 -eps_ncv 120', 'gd_olsen_plusk -eps_primme_blocksize 4 -eps_ncv 60', 'gd_olsen_plusk -eps_ncv 60'
# The smallest as a user would ask for them, nothing exchanged: by shift-and-invert at 0, or with a preconditioner made from A
INVERT = '-eps_type krylovschur -st_type sinvert -eps_target 0 '
PRECOND = '-eps_smallest_real -st_type precond -st_pc_type {pc} '
LOWEST = {
    NAPI: ['-eps_smallest_real -st_pc_type {pc}'],
    'napi, adaptive': ['-eps_napi_momentum adaptive -st_type sinvert -eps_target 0 -st_pc_type {pc}'],
    'krylovschur, cg 1e-8': [INVERT + '-st_ksp_type cg -st_pc_type {pc} -st_ksp_rtol 1e-8'],
    'krylovschur, cg loose': [INVERT + '-st_ksp_type cg -st_pc_type {pc} -st_ksp_rtol ' + r for r in ('1e-6', '1e-5', '1e-4', '1e-3', '1e-2')],
    'gd': [PRECOND + s for s in ('-eps_type gd -eps_gd_blocksize 1 -eps_ncv {ncv}', '-eps_type gd -eps_gd_blocksize 1', '-eps_type gd -eps_gd_blocksize 2 -eps_ncv {ncv}')],
    'jd': [PRECOND + s for s in ('-eps_type jd -st_ksp_type bcgsl', '-eps_type jd -eps_ncv {ncv}')],
    'lobpcg': [PRECOND + f'-eps_type lobpcg -eps_lobpcg_blocksize {b}' for b in ('{k}', '{k2}')],
    'primme': [PRECOND + '-eps_type primme -st_ksp_type preonly -eps_primme_method ' + m for m in ('gd_olsen_plusk', 'jdqmr_etol', 'gd_olsen_plusk -eps_ncv {ncv}')],
    'krylovschur, Cholesky': [INVERT + '-st_ksp_type preonly -st_pc_type cholesky'],
}
# A hundred pairs: the peers that come near with ten or twenty, at the best of the settings that were tried with fewer unknowns
MANY = {
    NAPI: SOLVERS[NAPI],
    'krylovschur, cg 1e-8': SOLVERS['krylovschur, cg 1e-8'],
    'gd': ['-eps_type gd -st_pc_type {pc} -eps_gd_blocksize 1'],
    'lobpcg': ['-eps_type lobpcg -precondition_by_b -st_pc_type {pc} -eps_lobpcg_blocksize {k2}'],
    'primme': ['-eps_type primme -precondition_by_b -st_pc_type {pc} -st_ksp_type preonly -eps_primme_method ' + m for m in PRIMME_MANY],
}
MANY_LOWEST = {
    NAPI: LOWEST[NAPI],
    'krylovschur, cg 1e-8': LOWEST['krylovschur, cg 1e-8'],
    'gd': [PRECOND + '-eps_type gd -eps_gd_blocksize 1'],
    'lobpcg': [PRECOND + '-eps_type lobpcg -eps_lobpcg_blocksize {k2}'],
    'primme': [PRECOND + '-eps_type primme -st_ksp_type preonly -eps_primme_method ' + m for m in PRIMME_MANY],
}
UNJUDGED = (NAPI, 'napi, adaptive', EXACT)  # we never factor; and adaptive is ours
FIELDS = ['problem', 'ranks', 'n', 'k', 'solver', 'settings', 'fastest', 'A_columns', 'B_columns', 'PC_columns', 'seconds', 'ratio', 'runs', 'note']


class Problem:
    def __init__(self, name, options, k, pc='jacobi', matrix=True, solvers=SOLVERS):
        self.name, self.options, self.k, self.pc, self.matrix, self.solvers = name, options, k, pc, matrix, solvers
        self.many = solvers in (MANY, MANY_LOWEST)  # on one rank only: it takes long

    def fill(self, settings):
        # the paper's method finds the largest magnitude: correlations have to be shifted away from their negatives
        return settings.format(pc=self.pc, k=self.k, k2=max(2, self.k // 2), k5=max(2, self.k // 5), ncv=max(60, 4 * self.k), shift='' if self.matrix else '-st_shift -1')

    def fewer(self):
        """The same with a tenth of the pairs."""
        few = copy.copy(self)
        few.k = self.k // 10
        return few


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
    m, unknowns = ('14,14,14', 2197) if quick else ('49,49,49', 110592)
    yield Problem(f'3-D Laplacian, {unknowns} unknowns, 20 smallest, gamg', f'-generate fem3d -m {m} -box 1,1.1,1.23', 20, 'gamg', solvers=LOWEST)
    m, unknowns = ('16,6,5', 2016) if quick else ('64,24,20', 100800)
    yield Problem(f'elasticity, {unknowns} unknowns, 20 smallest, gamg', f'-generate elasticity -m {m}', 20, 'gamg', solvers=LOWEST)
    # the stiffness and mass matrices of bcsstk01 and bcsstk13 are exchanged: their mass matrices are singular
    pairs = [('lund', 'lund_a', 'lund_b'), ('rail_371', 'rail_371_A', 'rail_371_E'), ('rail_1357', 'rail_1357_A', 'rail_1357_E'),
             ('rail_5177', 'rail_5177_A', 'rail_5177_E'), ('bcsstk11, bcsstm12', 'bcsstk11', 'bcsstm12'), ('bcsstk08, bcsstm08', 'bcsstk08', 'bcsstm08'),
             ('bcsstm01, bcsstk01', 'bcsstm01', 'bcsstk01'), ('bcsstm13, bcsstk13', 'bcsstm13', 'bcsstk13')]
    for name, *files in pairs:
        a, b = (f'{data}/gep/{f}.mtx.gz' for f in files)
        if os.path.exists(a) and os.path.exists(b):
            for k in (1, 4): yield Problem(f'{name}, k={k}', f'-A {a} -B {b} -eps_largest_real', k)
    m, unknowns = ('14,14,14', 2197) if quick else ('49,49,49', 110592)
    yield Problem(f'3-D Laplacian, {unknowns} unknowns, 100 smallest, gamg', f'-generate fem3d -m {m} -box 1,1.1,1.23', 100, 'gamg', solvers=MANY_LOWEST)
    if text: yield Problem('text-en-it CCA, ridge 1e-3, k=100', f'-X {text[0]} -Y {text[1]} -ridge 1e-3', 100, matrix=False, solvers=MANY)
    yield from correlations('1e-5')  # the longest come last


def figure(x):
    return f'{x:.0f}' if x >= 10 else f'{x:.2g}'


def duration(seconds):
    return f'{seconds:.0f} s' if seconds >= 100 else f'{seconds:.2g} s' if seconds >= 0.1 else f'{1000 * seconds:.2g} ms'


def cost(result):
    """What the best has the least of: time, where there is enough of it, else columns."""
    return result['seconds'] if result['n'] >= LARGE else result['A_columns'] + result['B_columns']


def allowance(ours, solver, patience):
    """Seconds for a column of the table; more for those that are spoken of in docs/benchmarks.md."""
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
            if self.args.slepc: command = ['env', f'LD_PRELOAD={self.args.slepc}/lib/libslepc.so'] + command
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
        if result and tol: result['tol_used'] = tol
        return result, elapsed()

    def tune(self, p, solver, settings, ranks, ours, guide):
        """
        The best of the settings and the fastest, each with its result, and why there is none. guide is the time of krylovschur at 1e-8:
        a looser tolerance has to beat it.
        """
        done, note, left, spent, longest = [], 'not reached', allowance(ours, solver, self.args.patience), 0, 0
        if solver == LOOSE and guide: left = 1.2 * guide + 1
        for i, s in enumerate(settings):
            if p.many:
                limit = MANY_TIMES * self.args.patience * ours['seconds'] + READING
                few, elapsed = self.run(p.fewer(), s, ranks, limit / 2)
                if few is None:  # what takes so long for a tenth will not be in time for all
                    if self.stopped: note = f'> {figure(elapsed / ours["seconds"])}'
                    continue
                tol = few['tol_used']
            else:  # one that does not come to an end must not take the time of the others
                limit, tol = (left - spent) / (2 if i + 1 < len(settings) and solver != LOOSE else 1), None
                if done and solver != LOOSE: limit = min(limit, 1.2 * done[-1][2] + 1)
            if limit < 1: break
            result, elapsed = self.run(p, s, ranks, limit, tol)
            if result is None and tol and not self.stopped: result, elapsed = self.run(p, s, ranks, limit, tol / 2)  # just missed
            if solver != LOOSE: spent += elapsed
            if result and self.wrong(result, ours, p.k): result, note = None, 'wrong'
            if result: done.append((result, s, elapsed))
            if result is None and self.stopped and note != 'wrong':
                longest = max(longest, elapsed)
                note = f'> {figure(longest / ours["seconds"])}'
            if result is None and solver == LOOSE: break  # a still looser one will not do either
        if not done and solver == LOOSE and guide and note != 'wrong': note = 'none looser'
        if not done: return None, None, note
        return min(done, key=lambda d: cost(d[0]))[:2], min(done, key=lambda d: d[0]['seconds'])[:2], ''

    @staticmethod
    def wrong(result, ours, k):
        """Are the eigenvalues others than those napi found?"""
        return any(abs(a - b) > WRONG * abs(b) for a, b in zip(result['eigenvalues'][:k], ours['eigenvalues'][:k]))

    def row(self, p, ranks, tuned):
        """All solvers on one problem. tuned, known after the first number of ranks, is {solver: settings, or None: it failed}."""
        ours, _ = self.run(p, p.solvers[NAPI][0], ranks, 600)
        if ours is None and time.time() > self.deadline: return []
        if ours is None: return [dict(problem=p.name, ranks=ranks, k=p.k, solver=NAPI, note='not reached')]
        large, best, lines, guide = ours['n'] >= LARGE, {NAPI: (ours, p.solvers[NAPI][0])}, [], None
        fastest, times = dict(best), {NAPI: [ours['seconds']]}
        for solver, settings in p.solvers.items():
            if solver == NAPI: continue
            good, quick = None, None
            if solver == 'primme' and not self.args.primme: continue
            if solver == EXACT and not p.matrix: note = 'needs the matrix'
            elif solver == EXACT and ranks > 1: note = 'one rank only'
            elif solver in tuned and not tuned[solver]: note = 'not tried'
            else: good, quick, note = self.tune(p, solver, tuned.get(solver, settings), ranks, ours, guide)
            if good:
                best[solver], fastest[solver] = good, quick
                times[solver] = [quick[0]['seconds']]
                if solver == 'krylovschur, cg 1e-8': guide = good[0]['seconds'] * good[0].get('solves', 1) + 3
            else: lines.append(dict(problem=p.name, ranks=ranks, n=ours['n'], k=p.k, solver=solver, note=note))
            self.say(p, ranks, solver, f'{good[0]["A_columns"]}+{good[0]["B_columns"]} columns, {quick[0]["seconds"]:.3g} s against {ours["seconds"]:.3g} s' if good else note)
        for r in range(1, (ROUNDS if large else BRIEF_ROUNDS) if ours['seconds'] < LONG else 1):
            close = [s for s in times if s == NAPI or times[s][0] < CLOSE * ours['seconds']]
            if len(close) == 1: break
            for solver in close:
                first, settings = fastest[solver]
                result, _ = self.run(p, settings, ranks, 600, first['tol_used'] if 'napi' not in solver else None)
                if result: times[solver].append(result['seconds'])
        for solver, (first, _) in fastest.items():  # a last solve of several found the preconditioner set up
            if first.get('solves', 1) > 1 and len(times[solver]) > 1: times[solver][0] = math.inf
        if time.time() > self.deadline: return []  # cut short: it says nothing
        for solver, (result, settings) in best.items():
            count, quick = len(times[solver]), fastest[solver][1]
            ratio = min(times[solver]) / min(times[NAPI][:count])
            lines.append(dict(problem=p.name, ranks=ranks, n=result['n'], k=p.k, solver=solver, settings=p.fill(settings), fastest=p.fill(quick) if quick != settings else '',
                              A_columns=result['A_columns'], B_columns=result['B_columns'], PC_columns=result['PC_columns'],
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


def found(line):
    """Has this solver reached the residual?"""
    return line['A_columns'] != ''


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
            elif not found(line): cells.append(line['note'])
            elif s == NAPI: cells.append(f'**{columns(line)}** ({duration(float(line["seconds"]))})')
            else: cells.append(f'{columns(line)}, {figure(float(line["ratio"]))}')
        n = next(iter(row.values())).get('n', '')
        text.append(f'| {name if name != before else ""} | {n if name != before else ""} | {ranks} | ' + ' | '.join(cells) + ' |')
        before = name
    return text


def percent(factor):
    return f'{100 * (factor - 1):.0f} %'


def verdict(lines):
    """The claims the project makes of itself, with the numbers of this run."""
    text, rows = [], grouped(lines)
    for (name, ranks), row in rows.items():
        ours = row.get(NAPI)
        if not ours or not found(ours):
            text.append(f'- {name}, {ranks} rank(s): napi did not reach the residual.')
            continue
        for s, line in row.items():
            if s in UNJUDGED or not found(line): continue
            large, who = int(line['n']) >= LARGE, f'- {name}, {ranks} rank{"s"[:ranks > 1]}: {s}'
            faster, fewer = 1 / float(line['ratio']), columns(ours) / columns(line)
            if faster > (FASTER if large else BRIEFER): text.append(f'{who} is {faster:.2f} times as fast as napi.')
            if fewer > FEWER and not large: text.append(f'{who} needs {fewer:.2f} times less columns than napi.')
    if not text: text.append(f'- No peer is better than napi by more than {percent(FASTER)} of the time from {LARGE} unknowns on, {percent(BRIEFER)} of the time and {percent(FEWER)} of the columns below.')
    for (name, ranks), row in rows.items():
        if NAPI not in row or not found(row[NAPI]) or int(row[NAPI]['n']) < LARGE: continue
        peers = {s: float(line['ratio']) for s, line in row.items() if s not in UNJUDGED and found(line)}
        if peers:
            best = min(peers, key=peers.get)
            text.append(f'- {name}, {ranks} rank{"s"[:ranks > 1]}: the best peer, {best}, takes {peers[best]:.2f} times napi\'s time' +
                        (f', krylovschur with cg at 1e-8 {peers["krylovschur, cg 1e-8"]:.2f}.' if 'krylovschur, cg 1e-8' in peers else '.'))
        one = rows.get((name, 1), {}).get(NAPI)
        if ranks == 2 and one and found(one): text.append(f'- {name}: two ranks are {float(one["seconds"]) / float(row[NAPI]["seconds"]):.2f} times as fast as one.')
    return text


def read_table(path):
    """The lines back from the table that table() wrote, wherever it stands in a Markdown file; counts of A and B are one there."""
    lines, solvers, problem, n = [], [], '', ''
    with open(path) as f: rows = [[cell.strip() for cell in text.strip().strip('|').split('|')] for text in f if text.startswith('|')]
    for row in rows:
        if row[:3] == ['problem', 'n', 'ranks']: solvers = row[3:]
        if len(row) != len(solvers) + 3 or not row[2].isdigit(): continue
        problem, n = row[0] or problem, row[1] or n
        for solver, cell in zip(solvers, row[3:]):
            line = dict(dict.fromkeys(FIELDS, ''), problem=problem, n=n, ranks=row[2], solver=solver)
            count, *more = cell.replace('*', '').replace(', ', ' ').strip('()').split() or ['']
            if not count.isdigit(): line['note'] = cell
            else: line.update(A_columns=count, B_columns='0', ratio='1' if solver == NAPI else more[0] if more else '')
            lines.append(line)
    if not lines: sys.exit(f'bench.py: {path} has no table of this benchmark')
    return lines


def lanes(points, near):
    """Which line of its row each of the points (from, to, key) is drawn on, so that none is nearer than that to another on the same line."""
    last, chosen = [], {}
    for x, end, key in sorted(points):
        lane = next((i for i, before in enumerate(last) if x - before >= near), len(last))
        last[lane:lane + 1] = [end]
        chosen[key] = lane
    return chosen, max(1, len(last))


def place(row, timed):
    """{solver: ratio to napi}, those of them that are only limits, and {why: solvers} of those without any"""
    ratio, limits, words = {}, set(), {}
    for s, line in row.items():
        if s == NAPI: continue
        if found(line): ratio[s] = float(line['ratio']) if timed else columns(line) / columns(row[NAPI])
        elif line['note'].startswith('> '):
            ratio[s] = float(line['note'][2:])
            limits.add(s)
        elif line['note'] in ('wrong', 'not reached'): words.setdefault(line['note'], []).append(s)
    return ratio, limits, words


def draw(lines, path, note=''):
    """
    Dots, a row a problem on the least number of ranks, at ratios to napi's time and, for problems too small to be timed, columns. A
    peer that was given up is an arrow from the multiple of napi's time it was given.
    """
    try:
        import matplotlib
        matplotlib.use('Agg')
        import matplotlib.pyplot as plt
        from matplotlib.lines import Line2D
    except ImportError:
        print('No picture, since this Python has no matplotlib: python3 -m venv plot && plot/bin/pip install matplotlib, then '
              'make bench PYTHON=plot/bin/python BENCH=--draw draws it from the CSV.', file=sys.stderr)
        return
    least = min(int(line['ranks']) for line in lines)
    rows = {name: row for (name, ranks), row in grouped(lines).items() if ranks == least and NAPI in row and found(row[NAPI])}
    panels = [('time', [name for name in rows if int(rows[name][NAPI]['n']) >= LARGE], 'Large problems: time of a peer / time of napi'),
              ('columns', [name for name in rows if int(rows[name][NAPI]['n']) < LARGE], 'Small problems: columns A and B are applied to by a peer / by napi')]
    panels = [panel for panel in panels if panel[1]]
    if not panels: return
    look = {'napi, adaptive': ('#7f7f7f', 'v', 36), 'krylovschur, cg 1e-8': ('#0b5394', 's', 32), LOOSE: ('#5b9bd5', 's', 32), 'gd': ('#cc4125', 'o', 36),
            'jd': ('#e69138', 'D', 30), 'lobpcg': ('#38761d', '^', 38), 'primme': ('#674ea7', 'P', 42), EXACT: ('#000000', 'x', 34)}
    places = {name: place(rows[name], what == 'time') for what, some, _ in panels for name in some}
    all_ratios = [x for ratio, _, _ in places.values() for x in ratio.values()] + [1]
    low, high = min(all_ratios) / 1.6, max(all_ratios) * 2.6
    width, left, lane, gap = 10.0, 3.6, 0.125, 0.1  # inches: of the picture, of the names, of a line of dots, between rows
    near = 0.14 * math.log10(high / low) / (width - left - 0.2)  # what a dot takes, on the logarithmic axis
    arrow = 2 * near
    rowlanes = {name: lanes([(math.log10(x), math.log10(x) + arrow * (s in limits), s) for s, x in ratio.items()], near) for name, (ratio, limits, _) in places.items()}
    heights = [sum(rowlanes[name][1] * lane + gap for name in some) for _, some, _ in panels]
    head, foot, title, axis_room = 0.55, 1.05, 0.32, 0.42
    tall = head + foot + sum(heights) + len(panels) * (title + axis_room)
    figure = plt.figure(figsize=(width, tall))
    top = tall - head
    for (what, some, words), height in zip(panels, heights):
        top -= title
        axis = figure.add_axes([left / width, (top - height) / tall, (width - left - 0.2) / width, height / tall])
        top -= height + axis_room
        y, ticks = 0.0, []
        for i, name in enumerate(some):
            (ratio, limits, unfit), (chosen, count) = places[name], rowlanes[name]
            size = count * lane + gap
            if i % 2 == 0: axis.axhspan(y, y + size, color='#f3f3f3', lw=0, zorder=0)
            ticks.append(y + size / 2)
            for s, x in ratio.items():
                level = y + gap / 2 + (chosen[s] + .5) * lane
                color, marker, area = look[s]
                if s in limits: axis.annotate('', (x * 10 ** arrow, level), (x, level), arrowprops=dict(arrowstyle='->', color=color, lw=1.3, shrinkA=0, shrinkB=0), zorder=2)
                filled = s not in limits or marker == 'x'
                axis.scatter(x, level, s=area, marker=marker, facecolors=color if filled else 'white', edgecolors=None if marker == 'x' else color, linewidths=1.5 if marker == 'x' or not filled else .6, zorder=3)
            said = '; '.join(f'{" and ".join(s)}: {"wrong eigenvalues" if why == "wrong" else "residual not reached"}' for why, s in unfit.items())
            axis.text(low * 1.05, y + size / 2, said.replace(f' 1e-8 and {LOOSE}', ''), ha='left', va='center', fontsize=7, color='#666666')
            y += size
        axis.axvline(1, color='k', lw=1.2, zorder=1)
        axis.set_xscale('log')
        axis.set_xlim(low, high)
        axis.set_ylim(y, 0)
        axis.set_yticks(ticks, some, fontsize=9)
        axis.grid(axis='x', color='#dcdcdc', lw=.7, zorder=0)
        axis.set_axisbelow(True)
        axis.set_title(words, fontsize=10.5, loc='left', fontweight='bold')
        axis.xaxis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda v, _: f'{v:g}'))
        axis.tick_params(axis='x', labelsize=9)
        axis.tick_params(axis='y', length=0)
        for side in ('top', 'right', 'left'): axis.spines[side].set_visible(False)
    order = [s for s in SOLVERS if any(s in ratio for ratio, _, _ in places.values())]
    handles = [Line2D([], [], ls='', marker=look[s][1], color=look[s][0], ms=6, mew=1.5 if look[s][1] == 'x' else .6) for s in order]
    figure.text(.15 / width, 1 - .15 / tall, f'Right of the line napi is better, left of it the peer. {least} rank{"s"[:least > 1]}, every solver to the same true residual of {TOL:.0e}.'.replace('e-0', 'e-'), fontsize=10, va='top')
    figure.text(.15 / width, 1 - .37 / tall, note, fontsize=9, va='top', color='#555555')
    figure.legend(handles, order, loc='lower center', bbox_to_anchor=(.5, .36 / tall), ncols=4, fontsize=9, frameon=False)
    figure.text(.5, .14 / tall, 'Hollow, with an arrow: given up after that many times napi\'s time (in both panels). Cholesky is shown, not judged: napi never factors.',
                ha='center', fontsize=9)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def write(lines, args):
    with open(args.out + '.csv', 'w', newline='') as f:
        writer = csv.DictWriter(f, FIELDS)
        writer.writeheader()
        writer.writerows(lines)
    text = table(lines) + ['', f'Columns A and B were applied to until the true residual was at most {TOL:g}; napi\'s seconds in brackets (processor time on '
        f'one rank, wall time on two), the peers\' as a ratio to them; below {LARGE} unknowns columns and time are each of the best settings for it. "> x": given up after x times napi\'s time; "wrong": other eigenvalues; "not reached": it ended before that residual; "none looser": '
        'cg at 1e-6 does not get there; "not tried": failed on one rank. krylovschur with a Cholesky factorisation is shown, not judged: napi never factors.',
        '' if args.primme else 'This SLEPc was built without PRIMME: no such column.', '', f'Machine: {machine()}; one BLAS thread a rank{args.blas}.', ''] + verdict(lines)
    with open(args.out + '.md', 'w') as f: f.write('\n'.join(text) + '\n')
    return text


def main():
    p = argparse.ArgumentParser()
    p.add_argument('build', nargs='?'), p.add_argument('mpiexec', nargs='?')
    p.add_argument('--table'), p.add_argument('--note', default='')
    p.add_argument('--slepc', default=''), p.add_argument('--data', default=''), p.add_argument('--ranks', default='1,2'), p.add_argument('--out', default='bench')
    p.add_argument('--quick', action='store_true'), p.add_argument('--only', default='')
    p.add_argument('--minutes', type=float, default=90), p.add_argument('--patience', type=float, default=1), p.add_argument('--continue', action='store_true', dest='more'), p.add_argument('--draw', action='store_true')
    args = p.parse_args()
    if args.table: return draw(read_table(args.table), args.out + '.png', args.note)
    if not args.mpiexec: p.error('BUILD and MPIEXEC are needed, or --table')
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
            if (p.name, ranks) in rows or p.many and ranks > 1: continue
            for (name, _), row in rows.items():
                if name == p.name:
                    for s, line in row.items(): tuned.setdefault(s, [line[f] for f in ('settings', 'fastest') if line.get(f)])
            if time.time() > bench.deadline:
                print(f'{p.name}, {ranks} rank(s): not run, {args.minutes:g} minutes are over.', file=sys.stderr)
                continue
            lines += [{f: str(line.get(f, '')) for f in FIELDS} for line in bench.row(p, ranks, tuned)]
            order = [(q.name, r) for q in todo for r in range(1, 1 + ranks)]
            lines.sort(key=lambda line: order.index((line['problem'], int(line['ranks']))) if (line['problem'], int(line['ranks'])) in order else len(order))
            write(lines, args)
    print('\n'.join(write(lines, args)))
    draw(lines, args.out + '.png', args.note)


main()
