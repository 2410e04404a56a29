# SPDX-License-Identifier: BSD-2-Clause
"""Arguments that are not what they should be are refused in one sentence, before the library sees them."""
import operator

import numpy as np

__all__ = ["check_finite", "check_integer", "check_real"]


def check_finite(name, values):
    if values.size and not np.isfinite(values).all():
        raise ValueError(f"{name} has entries that are NaN or infinite")


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
