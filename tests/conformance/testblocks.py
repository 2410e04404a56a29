# SPDX-License-Identifier: BSD-2-Clause
"""Reads the /*TEST ... TEST*/ blocks of SLEPc's tests and tutorials.

A block lists tests in an indented language of PETSc's own:

   build:                          what the whole program requires
   testset:                        keys that the tests below it share
      args: -eps_nev 4
      test:
         suffix: 1
         args: -eps_type {{krylovschur gd}}

`args` and `requires` of a testset and of its tests are joined; any other key of a test replaces that of its testset. A value
{{a b c}} stands for one run with each; {{a b}separate output} (instead of shared output, the default) also gives each
run a reference file of its own.
"""
import dataclasses
import itertools
import os
import re

KEYS = {'args', 'build', 'env', 'filter', 'filter_output', 'localrunfiles', 'nsize', 'output_file', 'requires', 'suffix', 'test',
        'testset', 'timeoutfactor', 'TODO', 'SKIP', 'comments'}
JOINED = {'args', 'requires'}
LOOP = re.compile(r'\{\{([^}]*)\}([^}]*)\}')


@dataclasses.dataclass
class Case:
    """One run of a program, as SLEPc's own harness would start it."""
    name: str                       # tests/test1_1_ks_sinvert, and +option=value for each loop
    program: str                    # tests/test1
    nsize: int
    args: list
    keys: dict                      # everything else of the block, as it stands
    loops: dict                     # option: value, for the loops that made this case
    output_file: str                # below the program's folder
    stands_for: int                 # so many cases, where a loop over solvers was not followed

    @property
    def folder(self):
        return os.path.dirname(self.program)


def indentation(line):
    return len(line) - len(line.lstrip(' '))


def parse_block(text, where):
    """[(key, value or list of the same below it)]: the block as a tree."""
    lines = []
    for line in text.split('\n'):
        line = re.sub(r'(^|\s)#.*', '', line).rstrip()
        if line:
            lines.append(line)

    def level(start, indent):
        entries = []
        i = start
        while i < len(lines) and indentation(lines[i]) >= indent:
            key, colon, value = lines[i].strip().partition(':')
            if not colon or key not in KEYS:
                raise ValueError(f'{where}: not understood: {lines[i].strip()}')
            i += 1
            if i < len(lines) and indentation(lines[i]) > indent:
                below, i = level(i, indentation(lines[i]))
                entries.append((key, below))
            else:
                entries.append((key, value.strip()))
        return entries, i

    if not lines:
        return []
    # SLEPc's blocks are indented by 3, PETSc's also by 2: that of the first line is what the rest is measured by
    entries, end = level(0, indentation(lines[0]))
    if end != len(lines):
        raise ValueError(f'{where}: indentation not understood: {lines[end].strip()}')
    return entries


def merge(outer, entries):
    """The keys of `outer` with those of entries: joined or replaced. Tests below are left out."""
    keys = dict(outer)
    own = {}
    for key, value in entries:
        if key == 'test' or isinstance(value, list):
            continue
        own[key] = f'{own[key]} {value}' if key in own and key in JOINED else value
    for key, value in own.items():
        keys[key] = f'{keys[key]} {value}' if key in keys and key in JOINED else value
    return keys


def tests_of(source):
    """The tests of a source file: a dictionary of keys each."""
    with open(source, encoding='utf-8') as stream:
        blocks = re.findall(r'/\*TEST\n(.*?)TEST\*/', stream.read(), re.S)
    tests = []
    for block in blocks:
        entries = parse_block(block, source)
        common = {}
        for key, value in entries:
            if key == 'build' and value:
                common = merge({}, [(k, v) for k, v in value if k == 'requires'])
        for key, value in entries:
            if key not in ('test', 'testset'):
                continue
            below = value if isinstance(value, list) else []
            inner = [v if isinstance(v, list) else [] for k, v in below if k == 'test']
            keys = merge(common, below)
            if not inner:
                tests.append(keys)
            for entries_of_test in inner:
                test = merge(keys, entries_of_test)
                tests.append(test)
    return tests


def expand(keys, untold):
    """The runs that the loops of a test stand for: (nsize, args, {option: value}, separate, stands_for). Of a loop over an
    option in `untold` the first value is taken, without a mention."""
    words = re.findall(r'\{\{[^}]*\}[^}]*\}|\S+', keys.get('args', ''))
    choices, names = [], []
    separate, stands_for = False, 1
    for i, word in enumerate(words):
        loop = LOOP.fullmatch(word)
        if not loop:
            choices.append([word])
            names.append(None)
            continue
        option = words[i - 1].lstrip('-')
        values = loop.group(1).split()
        separate = separate or 'separate' in loop.group(2)
        if option in untold:
            stands_for *= len(values)
        choices.append(values[:1] if option in untold else values)
        names.append(None if option in untold else option)
    sizes = keys.get('nsize', '1')
    loop = LOOP.fullmatch(sizes)
    sizes = loop.group(1).split() if loop else [sizes]
    for size in sizes:
        for chosen in itertools.product(*choices):
            loops = {'nsize': size} if loop else {}
            loops.update({name: value for name, value in zip(names, chosen) if name})
            yield int(size), list(chosen), loops, separate, stands_for


def cases_of(root, program, untold=()):
    """All cases of a program (tests/test1) below root (src/eps)."""
    found = []
    for keys in tests_of(os.path.join(root, program + '.c')):
        base = program + ('_' + keys['suffix'] if keys.get('suffix') else '')
        plain = keys.get('output_file', 'output/' + os.path.basename(program) + '_' + (keys.get('suffix') or '1') + '.out')
        for size, args, loops, separate, stands_for in expand(keys, untold):
            told = ''.join(f'+{option}={value}' for option, value in loops.items())
            output = plain
            if separate:
                output = plain[:-4] + '+' + '_'.join(f'{o}-{v}' for o, v in loops.items()) + '.out'
            name = base + told
            while any(case.name == name for case in found):         # several without a suffix, for different builds
                name += "'"
            found.append(Case(name, program, size, args, keys, loops, output, stands_for))
    return found
