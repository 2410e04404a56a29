# SPDX-License-Identifier: BSD-2-Clause
"""How much memory a fit takes beside the data, and that none is lost."""
import os
import subprocess
import sys

import numpy as np
import pytest

HEAD = """
import resource, sys
import numpy as np, scipy.sparse as sp
from slepcnapi import CCA, GEV, LDA, PCA, PLS

def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4096

def peak():
    with open("/proc/self/status") as f:
        return next(int(line.split()[1]) * 1024 for line in f if line.startswith("VmHWM"))

rng = np.random.default_rng(0)
small = rng.standard_normal((50, 4))
CCA(1).fit(small, small + rng.standard_normal((50, 4))), CCA(1, solver="napi").fit(small, small[:, ::-1] + rng.standard_normal((50, 4))), PCA(1).fit(small)  # what is there once
"""


def run(program, *arguments):
    return subprocess.run([sys.executable, "-c", HEAD + program, *map(str, arguments)], capture_output=True, text=True, timeout=300)


DENSE = """
X = rng.standard_normal((300000, 40))
X[:, 20:] += X[:, :20]
halves = X[:, :20].copy(), X[:, 20:].copy()
forms = {"Fortran's order": (np.asfortranarray, 0), "C's order": (np.ascontiguousarray, 1), "floats": (lambda A: A.astype(np.float32), 2), "floats in Fortran's order": (lambda A: np.asfortranarray(A, np.float32), 2),
         "every other row": (lambda A: np.asfortranarray(np.repeat(A, 2, axis=0))[::2], 1), "integers": (lambda A: (100 * A).astype(np.int64), 1)}
"""
SPARSE = """
X = sp.random_array((60000, 3000), density=0.03, rng=rng, format="csr")  # filled in more than 20 times as large
halves = X[:, :1500], X[:, 1500:]
forms = {"rows": (sp.csr_array, 0), "columns, of which rows are made": (sp.csc_array, 1), "floats": (lambda A: sp.csr_array(A).astype(np.float32), 1), "coordinates": (sp.coo_array, 1)}
"""


@pytest.mark.parametrize("data, analysis", [(DENSE, "CCA(2, solver='direct', shrinkage=0.1)"), (DENSE, "CCA(2, solver='napi', shrinkage=0.1)"), (DENSE, "PCA(2)"),
                                            (SPARSE, "CCA(2, solver='napi', shrinkage=0.5, tol=0.01)"), (SPARSE, "PCA(2, tol=0.01)")])
def test_copies(data, analysis):
    """Beside the data a fit has none where the layout fits, otherwise one, in double precision; sparse data stay sparse. And 25 megabytes for all else."""
    done = run(f"""{data}
X = None
for name, (form, copies) in forms.items():
    views = [form(A) for A in (halves if "PCA" not in {analysis!r} else halves[:1])]
    used = sum(A.nbytes if isinstance(A, np.ndarray) else 12 * A.nnz for A in views)
    with open("/proc/self/clear_refs", "w") as f:
        f.write("5")  # the peak begins anew
    before = resident()
    model = {analysis}.fit(*views)
    model.transform(views[0])
    extra = peak() - before
    print(f"{{name}}: {{extra / used:.2f}} of {{used / 1e6:.0f}} MB")
    assert used > 2e7 and extra < copies * used * 1.05 + 25e6, name
""")
    assert done.returncode == 0, done.stdout + done.stderr


def test_data_larger_than_memory(tmp_path):
    """A memory map in Fortran's order is not copied: it can be larger than what may be allocated, which a copy would need."""
    n, d = 300000, 50
    for name, seed in (("x", 0), ("y", 1)):
        A = np.lib.format.open_memmap(tmp_path / f"{name}.npy", "w+", np.float64, (n, d), fortran_order=True)
        for j in range(d):
            A[:, j] = np.random.default_rng([seed, j]).standard_normal(n) + np.random.default_rng(j % 5).standard_normal(n)
        A.flush()
    done = run("""
import os
X, Y = (np.load(f"{sys.argv[1]}/{name}.npy", mmap_mode="r") for name in "xy")
used = int(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmData"))) * 1024
limit = used + 60 * 2**20  # of memory of one's own: what is mapped read-only does not count
resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
assert X.nbytes > 110 * 2**20
try:
    X.copy()
except MemoryError:
    pass
else:
    sys.exit("a copy could be made: the test shows nothing")
for solver in "direct", "napi":
    cca = CCA(3, solver=solver, shrinkage=0.01).fit(X, Y)
    print(*cca.correlations_[:3].round(6), *PCA(2, tol=1e-8).fit(X).variances_.round(6))
try:
    CCA(1).fit(X[::2], Y[::2])  # which has to be copied
except MemoryError:
    print("refused")
""", tmp_path)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == lines[1] and lines[2] == "refused" and 0.4 < float(lines[0].split()[0]) < 0.99, lines


def test_ten_thousand_fits():
    """The memory that the process has does not grow. SLEPCNAPI_FITS fits, and as many of all other kinds together."""
    done = run("""
import warnings
warnings.simplefilter("ignore")
fits = int(sys.argv[1])
X, Y = rng.standard_normal((2, 60, 5))
Y += X
S, labels = sp.csr_array(X), np.arange(60) % 3
cca = CCA(2).fit(X, Y)
nan = X * np.nan
def refused():
    try:
        CCA(2).fit(nan, Y)
    except ValueError:
        pass
def unconverged():
    try:
        CCA(2, solver="napi", max_iter=1, shrinkage=0, tol=1e-13).fit(X, Y)
    except RuntimeError:
        pass
others = [lambda: CCA(2, solver="napi", warm_start=True).fit(S, Y).fit(S, Y), lambda: CCA(1, check="certify", scale=True).fit(X, Y, labels), lambda: PLS(2).fit(X, S), lambda: PCA(2).fit(S), lambda: LDA().fit(X, labels).predict(X),
          lambda: GEV(2).fit(X, Y), lambda: cca.permutation_test(X, Y, 9), lambda: CCA(1).cross_validate(X, Y, 3, shrinkage=[0.1, 0.2]), lambda: cca.bootstrap(X, Y, 3), lambda: CCA(2, shrinkage=0).fit(X, Y).summary(), refused, unconverged]
for i in range(fits):
    if i == fits // 5:
        before = resident()
    CCA(2).fit(X, Y).transform(X)
    others[i % len(others)]()
print(resident() - before)
""", os.environ.get("SLEPCNAPI_FITS", 800))
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 1.5e6, done.stdout
