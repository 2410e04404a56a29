#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The manual pages in the comments of the library as HTML: one page for each public function and type, and an index.

    manpages.py FOLDER [ROOT]

A manual page is a comment that begins with /*@ or /*@C (a function), /*MC (a type that is chosen by its name), /*E (an enum), /*S (an
object) or /*J (a string). Its first line is "name - summary"; the rest is what PETSc writes: headings that end with a colon, lists whose
items begin with +, . and -, text between .vb and .ve as it is, and .seealso. Needs nothing but Python 3.
"""
import glob, html, os, re, sys

HEADER = 'include/slepcnapi.h'
LIBRARY = ('sys', 'eps', 'ksp', 'mat', 'pc', 'cca')
LEVELS = ('beginner', 'intermediate', 'advanced', 'developer')
CLASSES = (('Slepc', 'The library'), ('EPS', 'EPS: eigenvalues'), ('CCA', 'CCA: canonical correlations'), ('KSP', 'KSP: linear systems'),
           ('Mat', 'Mat: covariance operators'), ('PC', 'PC: preconditioners'))
COMMENT = re.compile(r'^/\*(@C?|MC|E|S|J)[ \t]*\n(.*?)[@MESJ]?\*/[ \t]*\n', re.S | re.M)
HEADING = re.compile(r'^ {0,3}((?:Input|Output|Input/Output) Parameters?|Options Database Keys?|Values|Notes?(?: \([^)]*\))?|References?|Level|'
                     r'Calling sequence[^:]*|Examples?|Developer Notes?|Fortran Notes?):\s*(.*)$')
OPTION = re.compile(r'(?<![\w-])-[a-z]\w*')


class Page:
    """One comment: its name and summary, its lines without these and without .seealso, and where it stands."""

    def __init__(self, kind, text, path, line, after):
        self.kind, self.path, self.line = kind, path, line
        head, _, rest = text.strip('\n').partition('\n\n')
        head = ' '.join(head.split())
        self.name, _, self.summary = head.partition(' - ')
        self.value = None  # of a type: its name in options
        match = re.match(r'%s = ("[^"]*") - ' % re.escape(self.name), self.summary)
        if match: self.value, self.summary = match.group(1), self.summary[match.end():]
        self.summary = self.summary.rstrip('.')
        lines, self.seealso, see = [], '', False
        for l in rest.split('\n'):
            if l.startswith('.seealso'): see, l = True, l.partition(' ')[2]
            if see: self.seealso += ' ' + l
            else: lines.append(l.rstrip())
        self.lines = lines
        level = [m.group(2) for m in map(HEADING.match, lines) if m and m.group(1) == 'Level']
        self.level = level[0] if len(level) == 1 else None
        self.after = re.split(r'\s*[{;]', after, maxsplit=1)[0] if kind.startswith('@') else ''
        self.text = text

    def where(self): return f'{self.path}:{self.line}'

    def group(self):
        for prefix, title in CLASSES:
            if self.name.lower().startswith(prefix.lower()): return title
        return 'Others'


def sources(root):
    """The files of the library, from ROOT."""
    names = [os.path.relpath(f, root) for part in LIBRARY for f in glob.glob(f'{root}/src/{part}/**/*.[ch]', recursive=True)]
    return sorted(names) + sorted(os.path.relpath(f, root) for f in glob.glob(f'{root}/include/**/*.h', recursive=True))


def read(root, path):
    with open(os.path.join(root, path), encoding='utf-8') as f: return f.read()


def pages(root):
    found = []
    for path in sources(root):
        text = read(root, path)
        for m in COMMENT.finditer(text):
            found.append(Page(m.group(1), m.group(2), path, text.count('\n', 0, m.start()) + 1, text[m.end():m.end() + 2000]))
    return found


def public(root):
    """What the header declares: name -> (kind, line, declaration)."""
    text = re.sub(r'/\*.*?\*/', lambda m: re.sub(r'[^\n]', ' ', m.group()), read(root, HEADER), flags=re.S)
    kinds = (('function', r'^SLEPC_EXTERN\s+PetscErrorCode\s+(\w+)\s*\(.*?\);'), ('enum', r'^typedef\s+enum\s*\{[^}]*\}\s*(\w+);'),
             ('object', r'^typedef\s+struct\s+\w+\s*\*(\w+);'), ('string', r'^typedef\s+const\s+char\s*\*(\w+);'),
             ('type', r'^#define\s+(\w+)\s+"[^"]*"$'))
    found = {}
    for kind, pattern in kinds:
        for m in re.finditer(pattern, text, re.S | re.M):
            if m.group(1) != 'SLEPCNAPI_VERSION': found[m.group(1)] = (kind, text.count('\n', 0, m.start()) + 1, m.group())
    return found


# --- HTML ---------------------------------------------------------------------------------------------------------

STYLE = '''body{max-width:56rem;margin:2rem auto;padding:0 1rem;font:16px/1.5 system-ui,sans-serif;color:#222;background:#fff}
a{color:#0b57a4;text-decoration:none}a:hover{text-decoration:underline}h1{font-size:1.6rem;margin-bottom:.2rem}
h2{font-size:1.1rem;margin:1.6rem 0 .4rem;border-bottom:1px solid #ddd}code,pre{font:14px/1.45 ui-monospace,monospace}
pre{background:#f5f6f8;padding:.7rem .9rem;overflow-x:auto;border-radius:4px;white-space:pre-wrap}dt{margin-top:.4rem}dd{margin:0 0 0 2rem}
nav,.where{color:#666;font-size:.9rem}.summary{font-size:1.1rem;margin:.2rem 0 1rem}table{border-collapse:collapse;width:100%}
td{padding:.15rem .8rem .15rem 0;vertical-align:top}td:first-child{white-space:nowrap;width:19rem}h3{font-size:1rem;margin:1rem 0 .2rem;color:#555}
ol.code{font:13px/1.4 ui-monospace,monospace;white-space:pre;padding-left:4rem}ol.code :target{background:#fff2b3}
@media(prefers-color-scheme:dark){body{background:#16181c;color:#ddd}a{color:#7db8f0}pre{background:#22252b}h2{border-color:#444}
ol.code :target{background:#554a10}}
'''


def sheet(title, body, top='<a href="index.html">slepc-napi, the reference</a>'):
    return (f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n'
            f'<title>{html.escape(title)}</title>\n<link rel="stylesheet" href="style.css">\n</head>\n<body>\n<nav>{top}</nav>\n{body}\n</body>\n</html>\n')


class Linker:
    def __init__(self, names):
        self.names = names
        self.word = re.compile(r'(?<![\w-])(\w+)(\(\))?|' + OPTION.pattern)

    def __call__(self, text, own=None):
        """Text with links to pages; names of functions and of options in another type."""
        def one(m):
            word = m.group(0)
            if m.group(1) in self.names and m.group(1) != own: return f'<a href="{m.group(1)}.html"><code>{word}</code></a>'
            return f'<code>{word}</code>' if word.startswith('-') or m.group(2) or m.group(1) == own else word
        return ''.join(piece if tag else self.word.sub(one, piece)  # not inside of &lt; and the like
                       for tag, piece in ((p.startswith('&'), p) for p in re.split(r'(&\w+;|&#\w+;)', html.escape(text, quote=False))))


def body(page, link):
    """The lines of a page: headings, paragraphs, lists of "name - text", text that is left as it is."""
    out, paragraph, items, verbatim = [], [], [], None

    def flush():
        if paragraph: out.append('<p>' + link(' '.join(paragraph), page.name) + '</p>')
        if items:
            out.append('<dl>')
            for item in items:
                name, dash, text = item.partition(' - ')
                out.append(f'<dt><code>{html.escape(name.strip(), quote=False)}</code></dt><dd>{link(text.strip(), page.name)}</dd>' if dash and not item.startswith('[') else f'<dd>{link(item, page.name)}</dd>')
            out.append('</dl>')
        paragraph.clear(), items.clear()

    for line in page.lines:
        heading = HEADING.match(line)
        if verbatim is not None:
            if line.startswith('.ve'): out.append('<pre>' + html.escape('\n'.join(verbatim), quote=False) + '</pre>'); verbatim = None
            else: verbatim.append(line)
        elif line.startswith('.vb'): flush(); verbatim = []
        elif line.lstrip().startswith('$ '): flush(); out.append(f'<pre>{html.escape(line.lstrip()[1:].strip(), quote=False)}</pre>')
        elif heading and heading.group(1) == 'Level': flush()  # stands at the top
        elif heading:
            flush()
            out.append(f'<h2>{html.escape(heading.group(1))}</h2>')
            if heading.group(2): paragraph.append(heading.group(2))
        elif re.match(r'[+.-]\s', line):
            if paragraph: flush()
            items.append(' '.join(line[1:].split()))
        elif not line.strip(): flush()
        elif items: items[-1] += ' ' + ' '.join(line.split())
        else: paragraph.append(line.strip())
    flush()
    return '\n'.join(out)


def write(folder, name, text):
    with open(os.path.join(folder, name), 'w', encoding='utf-8') as f: f.write(text)


def generate(root, folder):
    declared, chosen = public(root), {}
    for page in pages(root):  # a page beside the code comes before one in the header
        if page.name in declared and (page.name not in chosen or chosen[page.name].path.startswith('include')): chosen[page.name] = page
    link = Linker(chosen)
    os.makedirs(folder, exist_ok=True)
    for old in glob.glob(os.path.join(folder, '*.html')): os.remove(old)
    for name, page in chosen.items():
        kind, line, declaration = declared[name]
        code = page.after if kind == 'function' and page.after else declaration
        text = (f'<h1>{name}</h1>\n<p class="summary">{link(page.summary, name)}</p>\n<p class="where">{page.group()}; level {page.level}</p>\n<pre>#include &lt;slepcnapi.h&gt;\n{html.escape(code, quote=False)}</pre>\n{body(page, link)}\n' +
                (f'<h2>See also</h2>\n<p>{link(page.seealso.strip(), name)}</p>\n' if page.seealso else '') +
                f'<p class="where">Declared in <a href="slepcnapi.h.html#L{line}">{HEADER}, line {line}</a>; the page stands in {page.where()}.</p>')
        write(folder, name + '.html', sheet(name, text))
    listing = []
    for title in [t for _, t in CLASSES] + ['Others']:
        here = [p for p in chosen.values() if p.group() == title]
        if not here: continue
        listing.append(f'<h2>{title}</h2>')
        for label, some in [('Types', [p for p in here if not p.kind.startswith('@')])] + [(l.capitalize(), [p for p in here if p.kind.startswith('@') and p.level == l]) for l in LEVELS]:
            if not some: continue
            rows = ''.join(f'<tr><td><a href="{p.name}.html"><code>{p.name}</code></a></td><td>{html.escape(p.summary, quote=False)}</td></tr>\n' for p in sorted(some, key=lambda p: p.name.lower()))
            listing.append(f'<h3>{label}</h3>\n<table>\n{rows}</table>')
    version = re.search(r'SLEPCNAPI_VERSION "(.*)"', read(root, HEADER)).group(1)
    write(folder, 'index.html', sheet('slepc-napi', f'<h1>slepc-napi {version}</h1>\n<p class="summary">Every public function and type, by class and level. '
                                      f'They are declared in <a href="slepcnapi.h.html">slepcnapi.h</a>.</p>\n' + '\n'.join(listing), top=''))
    lines = ''.join(f'<li id="L{i}">{link(l)}</li>' for i, l in enumerate(read(root, HEADER).split('\n')[:-1], 1))
    write(folder, 'slepcnapi.h.html', sheet('slepcnapi.h', f'<h1>slepcnapi.h</h1>\n<ol class="code">{lines}</ol>'))
    write(folder, 'style.css', STYLE)
    return len(chosen)


if __name__ == '__main__':
    if len(sys.argv) not in (2, 3): sys.exit(__doc__)
    print(f'{generate(sys.argv[2] if len(sys.argv) > 2 else ".", sys.argv[1])} pages: {os.path.join(sys.argv[1], "index.html")}')
