# SPDX-License-Identifier: BSD-2-Clause
"""Arguments that are not what they should be are refused in one sentence, before the library sees them."""
import operator

import numpy as np

__all__ = ["check_finite", "check_integer", "check_real", "check_rows"]


def check_finite(name, values):
    if values.size and not np.isfinite(values).all():
        raise ValueError(f"{name} has entries that are NaN or infinite")


def check_rows(name, A):
    """That a CSR array is one: SciPy does not look at what it is made of, and C would read and write beyond its memory."""
    starts, nonzeros = A.indptr, int(A.indptr[-1])
    used = A.indices[:nonzeros]
    if (len(starts) != A.shape[0] + 1 or starts[0] != 0 or (np.diff(starts) < 0).any() or nonzeros > min(len(A.indices), len(A.data))
            or nonzeros and (used.min() < 0 or used.max() >= A.shape[1])):
        raise ValueError(f"{name} is a sparse array with indices that are beyond its shape {A.shape}, or not those of its entries: its check_format() says which")


def check_integer(name, value):
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is to be an integer, not {value!r}") from None


def check_real(name, value):
    if isinstance(value, (str, bytes)) or np.iscomplexobj(value) or np.ndim(value) != 0:
        raise TypeError(f"{name} is to be a real number, not {value!r}")
    try:
        value = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is to be a real number, not {value!r}") from None
    if not np.isfinite(value):
        raise ValueError(f"{name} is to be finite, not {value}")
    return value
