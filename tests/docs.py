#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Do the words agree with the code? Prints one line for each thing that is wrong, "check: what", and ends with 1 if there is any.

    docs.py [ROOT [CHECK...]]

page      every public function and type has one manual page, beside the code and not in the header, with a summary and a level
name      no manual page names a function of ours that is not public
option    every option in the code, and in a manual page, is in docs/options.md; every option in there is in the code. Those of PETSc
          and SLEPc have a section of their own, whose heading says so
size      README.md has at most 10,240 bytes
link      every relative link in README.md, CHANGELOG.md and docs leads to a file, and to a heading that is there
path      every file and every goal of make that they name is there
spelling  they, the manual pages and the other comments are in British English
"""
import glob, os, re, sys
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'src', 'docs'))
from manpages import HEADER, LEVELS, OPTION, pages, public, read

MOST = 10240
FOREIGN = '## Options of PETSc and SLEPc'
NOT_OPTIONS = {'-dc'}  # what gzip is called with
# names that begin like this are ours
OURS = re.compile(r'\b(?:SlepcNAPI|EPSNAPI|KSPBlockCG|KSPBlockChebyshev|KSPNesterov|KSPStochastic|KSPKatyusha|MatGram|MatCreateGram|MatCreateCCA|PCSketch|CCA)\w*(?=\(\))')
# a word that is American all over, or begins or ends so; what is code has been taken out before
AMERICAN = re.compile(r'\b(?:(?:un)?colou?r(?<!colour)\w*|center\w*|gray\w*|licenses?|behavior\w*|neighbor\w*|favor\w*|catalogs?|analyz\w*|fulfill?s?\b(?<!fulfil)(?<!fulfils)|'
                      r'(?:label|model|cancel|travel)(?:ed|ing)|\w*(?:normal|regular|optim|minim|maxim|general|orthogonal|factor|initial|summar|recogn|organ|discret|real|special|util|'
                      r'parallel|linear|symmetr|diagonal|penal|random|standard|character|stabil|visual|central|emphas)iz(?:e[sdr]?|ing|ations?))\b', re.I)


def words(root):
    """The texts: name -> lines."""
    names = ['README.md', 'CHANGELOG.md'] + sorted(os.path.relpath(f, root) for f in glob.glob(f'{root}/docs/*.md'))
    return {n: read(root, n).split('\n') for n in names if os.path.exists(os.path.join(root, n))}


def prose(lines):
    """(number, line) without what is code: blocks that are fenced or indented, and what stands between backquotes."""
    fenced = False
    for i, line in enumerate(lines, 1):
        if line.lstrip().startswith('```'): fenced = not fenced
        elif not fenced and not line.startswith('    '): yield i, re.sub(r'`[^`]*`', '', line)


def check_page(root):
    found, declared = {}, public(root)
    for p in pages(root):
        found.setdefault(p.name, []).append(p)
        if p.name not in declared: yield f'{p.where()}: {p.name} is not in {HEADER}'
        if p.path == HEADER: yield f'{p.where()}: the page of {p.name} belongs beside the code'
        if not p.summary: yield f'{p.where()}: the first line is not "name - summary"'
        if p.level not in LEVELS: yield f'{p.where()}: {p.name} needs one Level, of {", ".join(LEVELS)}'
        if p.kind.startswith('@') and not re.search(r'\b%s\(' % re.escape(p.name), p.after): yield f'{p.where()}: {p.name} does not follow'
    for name, (kind, line, _) in declared.items():
        here = found.get(name, [])
        if not here: yield f'{HEADER}:{line}: {name} has no manual page'
        elif len(here) > 1: yield f'{HEADER}:{line}: {name} has {len(here)} manual pages: {", ".join(p.where() for p in here)}'
        elif here[0].kind.startswith('@') != (kind == 'function'): yield f'{here[0].where()}: {name} is a {kind}'


def check_name(root):
    declared = public(root)
    for p in pages(root):
        for name in sorted(set(OURS.findall(p.text))):
            if name not in declared: yield f'{p.where()}: {name}() is not in {HEADER}'


def c_files(root):
    found = [f for folder in ('src', 'include', 'tests', 'examples') for f in glob.glob(f'{root}/{folder}/**/*.[ch]', recursive=True)]
    return sorted(os.path.relpath(f, root) for f in found)


def in_code(root):
    """The options in the code, with %s where a name is put together: option -> where it stands first."""
    found = {}
    for path in (f for f in c_files(root) if f.startswith(('src', 'examples'))):
        text = re.sub(r'/\*.*?\*/|//[^\n]*', lambda m: re.sub(r'[^\n]', ' ', m.group()), read(root, path), flags=re.S)
        for m in re.finditer(r'"(-[A-Za-z][\w%]*)"', text):
            if m.group(1) not in NOT_OPTIONS: found.setdefault(m.group(1), f'{path}:{text.count(chr(10), 0, m.start()) + 1}')
    return found


def documented(root):
    """The options in docs/options.md: those above the section of PETSc's and SLEPc's own, and all; option -> line."""
    ours, every, foreign = {}, {}, True  # what comes before the first section is about all of them
    for i, line in enumerate(read(root, 'docs/options.md').split('\n'), 1):
        if line.startswith('## '): foreign = line.startswith(FOREIGN)
        for span in re.findall(r'`([^`]*)`', line):
            for option in re.findall(r'(?<![\w-])-[A-Za-z]\w*', span):
                every.setdefault(option, i)
                if not foreign: ours.setdefault(option, i)
    return ours, every


def check_option(root):
    code, (ours, every) = in_code(root), documented(root)
    match = {o: re.compile(re.escape(o).replace('%s', r'\w+') + '$') for o in code}
    for option, where in code.items():
        if not any(match[option].match(o) for o in every): yield f'{where}: {option} is not in docs/options.md'
    for option, line in ours.items():
        if not any(m.match(option) for m in match.values()): yield f'docs/options.md:{line}: {option} is not in the code'
    for p in pages(root):
        for option in sorted(set(re.findall(OPTION.pattern + r'(?:<[\w,]+>\w+)?', p.text))):
            head, _, tail = option.partition('<')  # -ksp_<svrg,saga>_step is two
            for word in tail.partition('>')[0].split(','):
                whole = head + word + tail.partition('>')[2]
                if whole not in every: yield f'{p.where()}: {whole} is not in docs/options.md'


def check_size(root):
    size = os.path.getsize(os.path.join(root, 'README.md'))
    if size > MOST: yield f'README.md has {size} bytes, not at most {MOST}'


def anchors(lines):
    return {re.sub(r'[^\w -]', '', l.lstrip('#').strip().lower()).replace(' ', '-') for l in lines if l.startswith('#')}


def check_link(root):
    texts = words(root)
    for name, lines in texts.items():
        for i, line in enumerate(lines, 1):
            for target in re.findall(r'\]\(([^)\s]+)\)', line):
                if re.match(r'[a-z]+:', target): continue
                path, _, anchor = target.partition('#')
                path = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
                if not os.path.exists(os.path.join(root, path)): yield f'{name}:{i}: there is no {path}'
                elif anchor and path in texts and anchor not in anchors(texts[path]): yield f'{name}:{i}: {path} has no heading #{anchor}'


def check_path(root):
    goals = set(re.findall(r'^([a-z][a-z0-9-]*): ##', read(root, 'makefile'), re.M))
    for name, lines in words(root).items():
        if name == 'CHANGELOG.md': continue  # tells of what was
        for i, line in enumerate(lines, 1):
            for path in re.findall(r'(?<![\w/.-])((?:src|tests|examples|include|docs|\.ci)/[\w./*-]*[\w*])(?![\w<…{])', line):
                if not glob.glob(os.path.join(root, path)): yield f'{name}:{i}: there is no {path}'
            for goal in re.findall(r'(?:`|^    (?:\$ )?)make ([a-z][a-z0-9-]*)\b(?!=)', line):
                if goal not in goals: yield f'{name}:{i}: `make help` has no {goal}'


def check_spelling(root):
    for name, lines in words(root).items():
        for i, line in prose(lines):
            for word in AMERICAN.findall(re.sub(r'\*[^*]+\*|\]\([^)]*\)', '', line)): yield f'{name}:{i}: {word}'  # not titles, not links
    for path in c_files(root):
        text = read(root, path)
        for comment in re.finditer(r'/\*.*?\*/', text, re.S):
            if 'SPDX-License' in comment.group(): continue
            plain = re.sub(r'References?:.*', '', comment.group(), flags=re.S)
            plain = re.sub(r'^[+.-]\s+\S+|"[^"]*"|`[^`]*`|-?\b\w*_\w+|\w+\(\)|\b(?:src|tests|examples)/\S+', ' ', plain, flags=re.M)  # not names
            for word in AMERICAN.findall(OPTION.sub(' ', plain)):
                if re.fullmatch('.[a-z]+', word): yield f'{path}:{text.count(chr(10), 0, comment.start()) + 1}: {word}'  # CCASetRegularization is a name


CHECKS = {f[6:]: g for f, g in list(globals().items()) if f.startswith('check_')}


def main(root='.', *checks):
    wrong = [f'{name}: {what}' for name, check in CHECKS.items() if not checks or name in checks for what in check(root)]
    print(''.join(w + '\n' for w in wrong), end='')
    return 1 if wrong else 0


if __name__ == '__main__': sys.exit(main(*sys.argv[1:]))
