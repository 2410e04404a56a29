# SPDX-License-Identifier: BSD-2-Clause
"""For pytest, -p sklearn_plugin: scikit-learn's own tests of cross-decomposition, unmodified, with slepcnapi's CCA in the place of its own.

Only its cases of CCA are run. That it is really ours that runs is counted: a case in which it is not fitted fails.
"""
import pytest
import sklearn.cross_decomposition

import slepcnapi

sklearn.cross_decomposition.CCA = slepcnapi.CCA  # before the tests import it from there

# those that cannot pass, and why
REASONS = {}

fits = []
_fit = slepcnapi.CCA.fit


def _counted(self, *args, **kwargs):
    fits.append(self)
    return _fit(self, *args, **kwargs)


slepcnapi.CCA.fit = _counted


def _is_ours(item):
    case = getattr(item, "callspec", None)
    return "loadings_converges" in item.name or (case is not None and any(value is slepcnapi.CCA for value in case.params.values()))


def pytest_collection_modifyitems(config, items):
    config.hook.pytest_deselected(items=[item for item in items if not _is_ours(item)])
    items[:] = [item for item in items if _is_ours(item)]
    for item in items:
        if item.name in REASONS:
            item.add_marker(pytest.mark.xfail(reason=REASONS[item.name], strict=True))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    before = len(fits)
    result = yield
    assert len(fits) > before, "the test has not fitted slepcnapi.CCA"
    return result
