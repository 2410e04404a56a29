#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Messages, bytes and collective operations of a solve on 1 to 64 ranks: counts, which need no cores. A table in Markdown.

usage: make bench-ranks

Every solver gets the loosest tolerance of its own with which the true residual ||Ax - lambda Bx|| <= 1e-6 |lambda| ||Bx|| holds, and of its inner
tolerances the one that takes the fewest columns then on one rank. Messages and bytes are those of EPSSolve() in PETSc's log (-log_view), over all ranks;
collective operations, in which all ranks take part and of which PETSc 3.26 logs only some, are counted by collectives.c. The matrices are cut into slabs of rows.
"""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile

PROBLEM = '-generate fem3d -m 22,22,22 -box 1,1.1,1.23 -eps_nev {k}'  # so large that long columns go their own ways
RESIDUAL = 1e-6
SOLVERS = {
    'napi': '-eps_type napi -eps_smallest_real -st_pc_type jacobi',
    'krylovschur + cg': '-eps_type krylovschur -st_type sinvert -eps_target 0 -st_ksp_type cg -st_pc_type jacobi -st_ksp_rtol {inner}',
    'gd': '-eps_type gd -eps_smallest_real -st_type precond -st_pc_type jacobi -eps_gd_blocksize 1',
    'lobpcg': '-eps_type lobpcg -eps_smallest_real -st_type precond -st_pc_type jacobi -eps_lobpcg_blocksize {k}',
}
INNER = ('1e-8', '1e-7')  # with 1e-6 it gets there on some numbers of ranks and not on others
TOLERANCES = [float(f'{digit}e-{exponent}') for exponent in range(4, 15) for digit in (1, 0.3)]
# MPICH spins where ranks outnumber cores, unless told otherwise
QUIET = {'MPIR_CVAR_CH4_PROGRESS_THROTTLE': '1', 'MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT': '1', 'OPENBLAS_NUM_THREADS': '1',
         'OMPI_ALLOW_RUN_AS_ROOT': '1', 'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1', 'OMPI_MCA_rmaps_base_oversubscribe': '1', 'OMPI_MCA_mpi_yield_when_idle': '1'}


def run(options, solver, k, tol, ranks, inner=''):
    """The numbers of one solve, or None where it ended otherwise than with all pairs."""
    with tempfile.TemporaryDirectory() as scratch:
        report, log, counted = (os.path.join(scratch, name) for name in ('report.json', 'log.csv', 'collectives'))
        command = [*options.mpiexec.split(), '-n', str(ranks)] if ranks > 1 else []
        command += ['env', f'LD_PRELOAD={os.path.abspath(options.counter)}', f'NAPI_COLLECTIVES={counted}', os.path.join(options.build, 'bin', 'napi-eps'), *(PROBLEM + ' ' + SOLVERS[solver]).format(k=k, inner=inner).split(),
                    '-eps_tol', str(tol), '-eps_max_it', '20000', '-json', report, '-log_view', f':{log}:ascii_csv']
        try:
            done = subprocess.run(command, env={**os.environ, **QUIET}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=options.limit, check=False)
        except subprocess.TimeoutExpired:
            return None
        if done.returncode:
            return None
        with open(report, encoding='utf-8') as stream:
            report = json.load(stream)
        with open(log, encoding='utf-8') as stream:
            rows = [row for row in csv.reader(stream) if row[1:2] == ['EPSSolve'] and row[3] != '0']
        with open(counted, encoding='utf-8') as stream:
            collectives = int(stream.read())
    # a row a rank, in which what it sends and what it receives are added up: every message is there twice
    return {'residual': max(report['residuals']), 'messages': sum(float(row[5]) for row in rows) / 2, 'bytes': sum(float(row[6]) for row in rows) / 2,
            'flops': sum(float(row[8]) for row in rows) / report['n'], 'collectives': collectives, 'columns': report['A_columns'] + report['B_columns']}


def loosest(options, solver, k, ranks, inner, start=0):
    """The loosest tolerance of a solver, from a place in the list on, that leads there: the place, and the numbers; or None."""
    for place in range(start, len(TOLERANCES)):
        found = run(options, solver, k, TOLERANCES[place], ranks, inner)
        if found and found['residual'] <= RESIDUAL:
            return place, found
        if not found and ranks > 1:  # it would take longer with the next
            return None
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('build')
    parser.add_argument('mpiexec')
    parser.add_argument('counter', help='collectives.so')
    parser.add_argument('--ranks', default='1,2,4,16,64')
    parser.add_argument('--pairs', default='1,10')
    parser.add_argument('--limit', type=float, default=600.0, help='seconds a run')
    options = parser.parse_args()
    ranks = [int(word) for word in options.ranks.split(',')]
    print('| pairs | solver | ranks | columns A + B | messages | kB | collective operations | flops an unknown | true residual |\n|---|---|---|---|---|---|---|---|---|')
    for k in map(int, options.pairs.split(',')):
        for solver in SOLVERS:
            solved = [(inner, *found) for inner in (INNER if '{inner}' in SOLVERS[solver] else ('',)) if (found := loosest(options, solver, k, 1, inner))]
            inner, place, one = min(solved, key=lambda each: each[2]['columns'], default=('', 0, None))
            for size in ranks:
                found = one if size == 1 else (loosest(options, solver, k, size, inner, place) or (0, None))[1]
                if found:
                    print(f'| {k} | {solver} {inner}'.strip() + f' | {size} | {found["columns"]:.0f} | {found["messages"]:.0f} | {found["bytes"] / 1e3:.0f} | {found["collectives"]} | {found["flops"]:.0f} | {found["residual"]:.1e} |', flush=True)
                else:
                    print(f'| {k} | {solver} {inner}'.strip() + f' | {size} | not within {options.limit:.0f} s | | | | | |', flush=True)
    return 0


if __name__ == '__main__':
    sys.exit(main())
