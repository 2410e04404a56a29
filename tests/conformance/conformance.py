#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""SLEPc's own EPS tests and tutorials, unmodified, with -eps_type napi by -dll_append: TAP for prove.

Every case of their /*TEST blocks that applies is run and compared, through SLEPc's own filters, with SLEPc's own reference
files. It passes, or it stands in known.txt with the reason why not; anything else fails, and so does a case that
passes although known.txt says otherwise.

Which cases apply
 - The program sets the problem type EPS_HEP or EPS_GHEP, and the case's options name no other.
 - The stack meets its `requires` (packages, precision, scalars); it is not marked TODO.
What is changed
 - The solver: -eps_type, and the programs' own options for the same, become napi; a loop over solvers is one case. Where
   the solver was one that looks for the smallest eigenvalues unless told otherwise, napi is told -eps_smallest_real.
 - Options of other solvers (-eps_gd_..., -eps_ciss_...) are left out; what then is the same run is made once.
 - At most 3 ranks. With --ranks, what is made for another number of them, and passes there, on that many. What then counts,
   where it is not the reference, is what the case's own solver prints on as many; where that fails, the case is skipped.
What counts as the same output
 - Blank lines and vanishing imaginary parts (+0.00000i) aside, equal words, once both have passed the case's filter;
   the name of the solver after "Solution method:" may differ; the last of four or more decimals may differ by one.
Whether napi has run at all
 - is asked of a witness in front of EPSSolve(): a program that sets its own solver after the options would pass anything.
"""
import argparse
import collections
import fnmatch
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

import testblocks

HERE = os.path.dirname(os.path.abspath(__file__))
SOLVER = 'napi'
# programs that take the name of the solver from another option
SOLVER_OPTION = collections.defaultdict(lambda: '-eps_type', {'tests/test4': '-type', 'tests/test19': '-check_myprefix_eps_type'})
OTHER_SOLVERS = ('arnoldi arpack blopex blzpack chase ciss elemental elpa evsl feast gd jd krylovschur lanczos lapack lobpcg lyapii power '
                 'primme rqcg scalapack subspace trlan').split()
SMALLEST_BY_DEFAULT = {'blopex', 'lobpcg', 'rqcg'}
WHICH = re.compile('-eps_(?:largest|smallest|target|all|interval)')
OTHER_TYPES = {'-eps_non_hermitian', '-eps_gen_non_hermitian', '-eps_pos_gen_non_hermitian', '-eps_gen_indefinite'}
MOST_RANKS = 3
LIMIT = 120                         # seconds; the slowest takes a tenth
UNITS = 1.1                         # of the last digit


# --- what applies -----------------------------------------------------------------------------------------------


class Stack:
    """What the PETSc and SLEPc that the programs are built with have."""

    def __init__(self, environment):
        self.defined = set()
        petsc = os.path.join(environment['PETSC_DIR'], environment.get('PETSC_ARCH', ''))
        for folder, name in ((petsc, 'petscconf.h'), (environment['SLEPC_DIR'], 'slepcconf.h')):
            with open(os.path.join(folder, 'include', name), encoding='utf-8') as stream:
                self.defined.update(re.findall(r'#define (\w+)', stream.read()))
        with open(os.path.join(environment['SLEPC_DIR'], 'include', 'slepcversion.h'), encoding='utf-8') as stream:
            self.version = '.'.join(re.findall(r'#define SLEPC_VERSION_(?:MAJOR|MINOR) +(\d+)', stream.read()))

    def meets(self, requirement):
        if requirement.startswith('!'):
            return not self.meets(requirement[1:])
        named = re.fullmatch(r'defined\((\w+)\)', requirement)
        if named:
            return named.group(1) in self.defined
        if requirement in ('single', 'double', '__float128'):
            precision = requirement.strip('_').upper()
            return ('PETSC_USE_REAL___FLOAT128' if 'FLOAT' in precision else f'PETSC_USE_REAL_{precision}') in self.defined
        if requirement == 'complex':
            return 'PETSC_USE_COMPLEX' in self.defined
        if requirement == 'datafilespath':
            return 'DATAFILESPATH' in os.environ
        package = requirement.upper()
        return f'PETSC_HAVE_{package}' in self.defined or f'SLEPC_HAVE_{package}' in self.defined


def problem_types(source):
    with open(source, encoding='utf-8') as stream:
        return set(re.findall(r'EPSSetProblemType\([^,]*, *(EPS_\w+)\)', stream.read()))


def why_not(case, types, stack):
    """None where a case applies, else the rule by which it does not."""
    if not types & {'EPS_HEP', 'EPS_GHEP'}:
        return 'not Hermitian'
    if OTHER_TYPES & set(case.args):
        return 'not Hermitian'
    if 'TODO' in case.keys:
        return 'marked TODO by SLEPc'
    for requirement in case.keys.get('requires', '').split():
        if not stack.meets(requirement):
            return f'requires {requirement}'
    return None


def why_not_there(case, ranks, entry):
    """The same for a case on a number of ranks that is not its own."""
    if ranks and min(case.nsize, MOST_RANKS) == ranks:
        return f'made for {ranks} ranks anyway'
    if ranks and entry and entry.status not in ('differs', 'noisy'):
        return entry.status
    return None


def arguments(case):
    """The case's arguments with napi in place of its own solver."""
    option = SOLVER_OPTION[case.program]
    others = re.compile('-eps_(?:' + '|'.join(OTHER_SOLVERS) + ')_')
    kept, words, solver = [], list(case.args), None
    while words:
        word = words.pop(0)
        if word == option or others.match(word):
            value = words.pop(0) if words and not re.match(r'-[a-z]', words[0]) else None
            solver = value if word == option else solver
        else:
            kept.append(os.path.expandvars(word))
    if solver in SMALLEST_BY_DEFAULT and not any(WHICH.match(word) for word in kept):
        kept.append('-eps_smallest_real')
    return kept + [option, SOLVER]


# --- what is printed --------------------------------------------------------------------------------------------


def filtered(text, command):
    if not command:
        return text
    done = subprocess.run(['sh', '-c', command], input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace', check=False)
    return done.stdout


def edited(text, script):
    return subprocess.run(['sed', script], input=text, stdout=subprocess.PIPE, text=True, check=True).stdout


def lines_of(text):
    text = re.sub(r'[+-]0\.0*i', '', text)
    text = re.sub(r'(Solution method: ).*', r'\1*', text)
    return [line.split() for line in text.split('\n') if line.strip()]


def decimals(word):
    number = re.fullmatch(r'[-+]?\d+\.(\d{4,}),?', word)
    return len(number.group(1)) if number else 0


def same_word(a, b):
    if a == b:
        return True
    digits = decimals(a)
    if not digits or decimals(b) != digits:
        return False
    return abs(float(a.rstrip(',')) - float(b.rstrip(','))) <= UNITS * 10.0**-digits


def same(got, wanted):
    a, b = lines_of(got), lines_of(wanted)
    return len(a) == len(b) and all(len(x) == len(y) and all(map(same_word, x, y)) for x, y in zip(a, b))


def references(path):
    """A reference file and its alternatives, as PETSc's harness has them: x.out, x_alt.out, x_alt_2.out ..."""
    stem = path[:-len('.out')]
    return [name for name in [path] + sorted(glob.glob(glob.escape(stem) + '_alt*.out')) if os.path.exists(name)]


def refusal(errors):
    """The sentence of the PETSC_ERR_SUP that ended the program, or nothing."""
    prefix = '[0]PETSC ERROR: '
    lines = [line[len(prefix):] for line in errors.split('\n') if line.startswith(prefix)]
    starts = [i for i, line in enumerate(lines) if re.match('-+ Error Message', line)]
    if not starts or len(lines) < starts[0] + 3 or not lines[starts[0] + 1].startswith('No support for this operation'):
        return ''
    return lines[starts[0] + 2]


# --- what is known ----------------------------------------------------------------------------------------------


Known = collections.namedtuple('Known', 'pattern status versions detail reason')


def read_known(path):
    """Lines `case  status[version,...]  detail  # reason`; the case may be a pattern. known.txt says what they mean."""
    known = []
    with open(path, encoding='utf-8') as stream:
        for number, line in enumerate(stream, 1):
            line = line.strip()
            if not line or line.startswith('#'):
                continue
            match = re.fullmatch(r'(\S+)\s+(refused|differs|foreign|broken|noisy)(?:\[([\d.,]+)\])?\s+(.*?)(?:\s+# (.*))?', line)
            if not match or match[2] != 'refused' and not match[5]:
                raise ValueError(f'{path}:{number}: not understood, or without a reason: {line}')
            known.append(Known(match[1], match[2], match[3].split(',') if match[3] else None, match[4], match[5]))
    return known


def known_of(case, known, version):
    for entry in known:
        if fnmatch.fnmatchcase(case.name, entry.pattern) and (not entry.versions or version in entry.versions):
            return entry
    return None


# --- running ----------------------------------------------------------------------------------------------------


Result = collections.namedtuple('Result', 'status output errors solves')


class Bench:
    """Builds the programs and runs the cases, each in a scratch folder."""

    def __init__(self, environment, ranks=None):
        self.environment = environment
        self.ranks = ranks                      # for all, whatever they say
        self.root = os.path.join(environment['SLEPC_SOURCE'], 'src', 'eps')
        self.build = os.path.join(environment['NAPI_BUILD'], 'conformance')
        self.library = os.path.join(environment['NAPI_BUILD'], 'lib', 'libslepcnapi.so')
        self.witness = os.path.join(self.build, 'witness.so')
        self.done = {}
        for folder in ('tests', 'tutorials'):
            os.makedirs(os.path.join(self.build, folder), exist_ok=True)

    def compile(self, source, target, *flags):
        """None, or what the compiler says."""
        newest = max(map(os.path.getmtime, [source, os.path.join(self.environment['NAPI_BUILD'], 'stack.mk')]))
        if os.path.exists(target) and os.path.getmtime(target) > newest:
            return None
        command = [self.environment['MPICC'], *self.environment['SLEPC_CFLAGS'].split(), *flags, source, '-o', target, *self.environment['SLEPC_LIBS'].split()]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.stdout if done.returncode else None

    def program(self, name):
        target = os.path.join(self.build, name)
        return target, self.compile(os.path.join(self.root, name + '.c'), target)

    def references(self, case):
        return references(os.path.join(self.root, case.folder, case.output_file))

    def run(self, case):
        """With napi; the same run is made once."""
        args = arguments(case)
        ranks = self.ranks or min(case.nsize, MOST_RANKS)
        key = (case.program, ranks, tuple(args), case.keys.get('filter'))
        if key not in self.done:
            self.done[key] = self.start(case, ranks, [*args, '-dll_append', self.library])
        return self.done[key]

    def run_as_it_is(self, case):
        """With the solver that SLEPc's authors meant it for, without our library."""
        return self.start(case, self.ranks or case.nsize, [os.path.expandvars(word) for word in case.args])

    def start(self, case, ranks, args):
        program, complaint = self.program(case.program)
        if complaint:
            return Result(1, '', complaint, [])
        with tempfile.TemporaryDirectory() as scratch:
            for name in case.keys.get('localrunfiles', '').split():
                shutil.copy(os.path.join(self.root, case.folder, name), scratch)
            report = os.path.join(scratch, 'witness')
            command = ['env', f'LD_PRELOAD={self.witness}', f'NAPI_WITNESS={report}', program, *args, '-options_left', '0', '-malloc_dump']
            if ranks > 1:
                command = [*self.environment['MPIEXEC'].split(), '-n', str(ranks), *command]
            environment = {name: value for name, value in os.environ.items() if name != 'PETSC_OPTIONS'}
            done = subprocess.run(['timeout', str(LIMIT), *command], cwd=scratch, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors='replace', check=False)
            solves = []
            if os.path.exists(report):
                with open(report, encoding='utf-8') as stream:
                    solves = [dict(word.split('=') for word in line.split()) for line in stream]
        return Result(done.returncode, filtered(done.stdout, case.keys.get('filter')), done.stderr, solves)


def agreeing(result, files, script=None):
    """The reference file that a result agrees with, once both have passed a sed script."""
    if result.status:
        return None
    for name in files:
        with open(name, encoding='utf-8') as stream:
            wanted = stream.read()
        if script:
            if same(edited(result.output, script), edited(wanted, script)):
                return name
        elif same(result.output, wanted):
            return name
    return None


def judge_unlisted(case, result, files, others):
    """Whether a case that known.txt does not have, or has as one that differs, has run as it should, up to its output"""
    if not files:
        return f'has no reference file {case.output_file}'
    if result.status:
        sentence = refusal(result.errors)
        return f'ended with status {result.status}' + (f': {sentence}' if sentence else '')
    if not result.solves:
        return 'no EPSSolve() was seen'
    if others:
        return f'{", ".join(others)} has run, not {SOLVER}'
    return None


def judge(bench, case, entry, result):
    """(passed, one line about it)"""
    files = bench.references(case)
    others = sorted({solve['type'] for solve in result.solves} - {SOLVER})
    agrees = agreeing(result, files)
    sentence = refusal(result.errors)
    if entry and entry.status == 'noisy': # which it is on other ranks than its own
        entry = None
    status = entry.status if entry else None
    if result.status == 124:
        return False, f'still running after {LIMIT} seconds'
    if entry and agrees and not others:
        return False, f'is as SLEPc has it, although known.txt says "{status}": take it out'
    if status in ('refused', 'foreign'):
        named = result.status != 0 and entry.detail in sentence
        return named, f'{status}: {entry.reason or entry.detail}' if named else f'should end in an error that names "{entry.detail}"'
    if status == 'broken':
        works = agreeing(bench.run_as_it_is(case), files)
        return not works, f'works with the solver that it is meant for, although known.txt says "broken"' if works else f'broken: {entry.reason}'
    complaint = judge_unlisted(case, result, files, others)
    if complaint:
        return False, complaint
    if status == 'differs':
        agrees = agreeing(result, files, entry.detail)
        return bool(agrees), f'differs: {entry.reason}' if agrees else f'differs from {case.output_file} by more than known.txt says'
    return bool(agrees), f'as {os.path.basename(agrees)}' if agrees else f'is not as {case.output_file}'


def judge_elsewhere(bench, case, entry, result):
    """(passed, one line) for a case on another number of ranks than its own, whose output is not the reference's: what counts then is
    what the solver that the case is meant for prints there"""
    own = bench.run_as_it_is(case)
    if own.status:
        return True, f'{case.name} # SKIP not for {bench.ranks} ranks'
    others = sorted({solve['type'] for solve in result.solves} - {SOLVER})
    complaint = judge_unlisted(case, result, bench.references(case), others)
    if complaint:
        return False, f'{case.name}: {complaint}'
    if entry and entry.status == 'noisy' and all(int(solve['reason']) < 0 for solve in result.solves):
        return True, f'{case.name}: gives up: {entry.reason}'
    script = entry.detail if entry and entry.status == 'differs' else 's/x/x/'
    passed = same(edited(result.output, script), edited(own.output, script))
    return passed, f'{case.name}: ' + ('as its own solver' if passed else 'is neither as the reference nor as its own solver')


def show(title, text, lines=60):
    print(f'#   {title}:')
    for line in text.rstrip('\n').split('\n')[:lines]:
        print(f'#     {line[:200]}')


def counts(counter):
    return ', '.join(f'{count} {what}' for what, count in counter.most_common())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('cases', nargs='*', help='patterns of names, as tests/test1_*')
    parser.add_argument('--list', action='store_true', help='say what applies, and by which rule the rest does not')
    parser.add_argument('--output', action='store_true', help='print what each program has printed and which solves were seen')
    parser.add_argument('--ranks', type=int, help='run every case on so many ranks, whatever it says')
    parser.add_argument('--known', default=os.path.join(HERE, 'known.txt'), help='the list of what does not pass, and why')
    options = parser.parse_args()

    if not os.path.isdir(os.path.join(os.environ.get('SLEPC_SOURCE') or '/nowhere', 'src', 'eps', 'tests')):
        print("1..0 # SKIP SLEPc's sources are not here (`make conformance` fetches them)")
        return 0
    bench = Bench(os.environ, options.ranks)
    stack = Stack(os.environ)
    known = read_known(options.known)
    complaint = bench.compile(os.path.join(HERE, 'witness.c'), bench.witness, '-shared', '-fPIC', '-fvisibility=default')
    if complaint:
        sys.exit(complaint)

    cases, left_out = [], collections.Counter()
    for source in sorted(glob.glob(os.path.join(bench.root, 't*', '*.c'))):
        program = os.path.relpath(source, bench.root)[:-2]
        types = problem_types(source)
        for case in testblocks.cases_of(bench.root, program, untold={SOLVER_OPTION[program].lstrip('-')}):
            if options.cases and not any(fnmatch.fnmatchcase(case.name, pattern) for pattern in options.cases):
                continue
            reason = why_not(case, types, stack) or why_not_there(case, options.ranks, known_of(case, known, stack.version))
            if reason:
                left_out[reason] += 1
            else:
                cases.append(case)
            if options.list:
                print(f'{case.name}\t{reason or "applies"}\t{case.nsize}\t{" ".join(arguments(case))}')
    if options.list:
        return 0

    print(f'1..{len(cases)}')
    tally, singly, failed = collections.Counter(), collections.Counter(), 0
    for number, case in enumerate(cases, 1):
        entry = known_of(case, known, stack.version)
        result = bench.run(case)
        passed, text = judge(bench, case, entry, result)
        text = f'{case.name}: {text}'
        if not passed and bench.ranks:
            passed, text = judge_elsewhere(bench, case, entry, result)
        print(f'{"ok" if passed else "not ok"} {number} - {text}', flush=True)
        verdict = 'failed' if not passed else 'skipped' if ' # SKIP' in text else entry.status if entry else 'passed'
        tally[verdict] += 1
        singly[verdict] += case.stands_for
        failed += not passed
        if options.output or not passed:
            print(f'#   {case.program} {" ".join(arguments(case))} on {options.ranks or min(case.nsize, MOST_RANKS)}')
            for solve in result.solves:
                print('#   ' + ' '.join(f'{k}={v}' for k, v in solve.items()))
            show('printed', result.output)
            if result.errors:
                show('said', result.errors, 24)
            for name in bench.references(case)[:1]:
                with open(name, encoding='utf-8') as stream:
                    show('wanted', stream.read())
    print(f'# SLEPc {stack.version}: {len(cases)} cases apply ({len(bench.done)} different runs): {counts(tally)}')
    print(f'# with a case for each solver of a loop: {sum(singly.values())}: {counts(singly)}')
    print(f'# do not apply: {counts(left_out)}')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
