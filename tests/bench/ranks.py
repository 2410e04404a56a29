#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Messages, bytes and collective operations of a solve on 1 to 64 ranks: counts, which need no cores. A table in Markdown.

usage: make bench-ranks

Every solver gets the loosest tolerance of its own with which the true residual ||Ax - lambda Bx|| <= 1e-6 |lambda| ||Bx|| holds on one rank. Messages
and bytes are those of EPSSolve() in PETSc's log (-log_view), over all ranks; collective operations, of which PETSc 3.26 logs only some, are counted by
collectives.c, in which all ranks take part. The matrices are cut into slabs of rows.
"""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile

PROBLEM = '-generate fem3d -m 16,16,16 -box 1,1.1,1.23 -eps_nev {k}'
RESIDUAL = 1e-6
SOLVERS = {
    'napi': '-eps_type napi -eps_smallest_real -st_pc_type jacobi',
    'krylovschur + cg': '-eps_type krylovschur -st_type sinvert -eps_target 0 -st_ksp_type cg -st_pc_type jacobi -st_ksp_rtol 1e-8',
    'gd': '-eps_type gd -eps_smallest_real -st_type precond -st_pc_type jacobi -eps_gd_blocksize 1',
    'lobpcg': '-eps_type lobpcg -eps_smallest_real -st_type precond -st_pc_type jacobi -eps_lobpcg_blocksize {k}',
}
# MPICH spins where ranks outnumber cores, unless told otherwise
QUIET = {'MPIR_CVAR_CH4_PROGRESS_THROTTLE': '1', 'MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT': '1', 'OPENBLAS_NUM_THREADS': '1',
         'OMPI_ALLOW_RUN_AS_ROOT': '1', 'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1', 'OMPI_MCA_rmaps_base_oversubscribe': '1', 'OMPI_MCA_mpi_yield_when_idle': '1'}


def run(options, solver, k, tol, ranks):
    """The numbers of one solve, or None where it ended otherwise than with all pairs."""
    with tempfile.TemporaryDirectory() as scratch:
        report, log, counted = (os.path.join(scratch, name) for name in ('report.json', 'log.csv', 'collectives'))
        command = [*options.mpiexec.split(), '-n', str(ranks)] if ranks > 1 else []
        command += ['env', f'LD_PRELOAD={os.path.abspath(options.counter)}', f'NAPI_COLLECTIVES={counted}', os.path.join(options.build, 'bin', 'napi-eps'), *(PROBLEM + ' ' + SOLVERS[solver]).format(k=k).split(),
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
    return {'residual': max(report['residuals']), 'messages': sum(float(row[5]) for row in rows), 'bytes': sum(float(row[6]) for row in rows),
            'collectives': collectives, 'iterations': report['iterations']}


def loosest(options, solver, k):
    for exponent in range(4, 15):
        for digit in (1.0, 0.3):
            tol = float(f'{digit}e-{exponent}')
            found = run(options, solver, k, tol, 1)
            if found and found['residual'] <= RESIDUAL:
                return tol
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
    print('| pairs | solver | ranks | messages | kB | collective operations | true residual |\n|---|---|---|---|---|---|---|')
    for k in map(int, options.pairs.split(',')):
        for solver in SOLVERS:
            tol = loosest(options, solver, k)
            for size in ranks:
                found = run(options, solver, k, tol, size) if tol else None
                if found:
                    print(f'| {k} | {solver} | {size} | {found["messages"]:.0f} | {found["bytes"] / 1e3:.0f} | {found["collectives"]} | {found["residual"]:.1e} |', flush=True)
                else:
                    print(f'| {k} | {solver} | {size} | not within {options.limit:.0f} s | | | |', flush=True)
    return 0


if __name__ == '__main__':
    sys.exit(main())
