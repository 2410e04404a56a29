#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What the counts of ranks.py say of other numbers of ranks: a check of the counts against theory, and a model of 10,000 ranks.

usage: scaling.py docs/scaling.md        (reads the table there)

The check: with slabs of rows, each exchange of a block takes as many messages and bytes as the graph of the matrix says; how many
exchanges and columns there are does not depend on the ranks, nor do the collective operations. So the counts on 2 ranks (columns:
on one) predict all others, but for rounding, which changes the course of a solve a little.

The model, of weak scaling: cubes of unknowns on RANKS ranks, each with 26 neighbours and as many unknowns as said, in the place of slabs,

  seconds = flops/RATE + 26 exchanges LATENCY + columns 8 (6 unknowns^(2/3)) / BANDWIDTH + collectives log2(RANKS) LATENCY

with flops, exchanges, columns and collectives of the solve that was counted, as if a larger problem took no more of them.
"""
import itertools
import math
import re
import sys

SIDE = 21                                       # unknowns a side of the problem of ranks.py
LATENCY, BANDWIDTH, RATE = 2e-6, 5e9, 2e9       # seconds a message, bytes and flops a second of a rank
RANKS = 10000


def exchange(ranks):
    """Messages and scalars of an exchange for one column, summed over the ranks."""
    n, side = SIDE**3, range(SIDE)
    owner = [rank for rank in range(ranks) for _ in range(n // ranks + (rank < n % ranks))]
    needed = set()
    for i, (z, y, x) in enumerate(itertools.product(side, side, side)):
        for c, b, a in itertools.product((z - 1, z, z + 1), (y - 1, y, y + 1), (x - 1, x, x + 1)):
            if c in side and b in side and a in side and owner[(c * SIDE + b) * SIDE + a] != owner[i]:
                needed.add((owner[i], owner[(c * SIDE + b) * SIDE + a], (c * SIDE + b) * SIDE + a))
    return len({pair[:2] for pair in needed}), len(needed)


def main():
    with open(sys.argv[1], encoding='utf-8') as stream:
        found = re.findall(r'^\| (\d+) \| ([^|]+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| \d\.\de-\d+ \|$', stream.read(), re.M)
    table = {(int(k), solver, int(ranks)): list(map(int, counts)) for k, solver, ranks, *counts in found}
    costs = {ranks: exchange(ranks) for ranks in {key[2] for key in table} | {2}}
    print('| pairs | solver | ranks | messages, predicted and counted | kB | collective operations |\n|---|---|---|---|---|---|')
    for (k, solver, ranks), (_, messages, kilobytes, collectives, _) in table.items():
        one, two = table[k, solver, 1], table[k, solver, 2]
        exchanges = two[1] / costs[2][0]
        if ranks > 1:
            print(f'| {k} | {solver} | {ranks} | {exchanges * costs[ranks][0]:.0f}, {messages} | {one[0] * costs[ranks][1] * 8e-3:.0f}, {kilobytes} | {two[3]}, {collectives} |')
    print('\n| pairs | solver | unknowns a rank | arithmetic, ms | messages, ms | bytes, ms | collective operations, ms | together, ms |\n|---|---|---|---|---|---|---|---|')
    for k, solver in dict.fromkeys(key[:2] for key in table):
        columns, messages, _, collectives, flops = table[k, solver, 2]
        for unknowns in (1000, 100000):
            times = flops * unknowns / RATE, 26 * messages / costs[2][0] * LATENCY, columns * 48 * unknowns**(2 / 3) / BANDWIDTH, collectives * math.log2(RANKS) * LATENCY
            print(f'| {k} | {solver} | {unknowns} | ' + ' | '.join(f'{1e3 * t:.2g}' if t < 0.1 else f'{1e3 * t:.0f}' for t in (*times, sum(times))) + ' |')


if __name__ == '__main__':
    main()
