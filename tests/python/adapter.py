# SPDX-License-Identifier: BSD-2-Clause
"""What the plugins share that run SciPy's own tests with slepcnapi.eigsh in the place of one of its functions."""
import pytest

calls = 0


def count():
    """Ours was called."""
    global calls
    calls += 1


def skip_others(items, others):
    """Those that are not ours to pass, by name, for the reasons given; each of them has to be there still."""
    missing = others.keys() - {item.originalname for item in items}
    if missing:
        raise pytest.UsageError(f"SciPy has no longer {sorted(missing)}")
    for item in items:
        if item.originalname in others:
            item.add_marker(pytest.mark.skip(reason=others[item.originalname]))


def report(session):
    """It fails if ours was not called at all."""
    print(f"\nslepcnapi.eigsh was called {calls} times")
    if not calls:
        session.exitstatus = 1
