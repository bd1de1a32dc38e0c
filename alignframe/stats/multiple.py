"""Correction of p-values for the number of tests."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from alignframe.arrays import F64


def holm(p_values: npt.ArrayLike) -> F64:
    """Return p-values corrected by Holm's step-down method; NaN, for tests not made, is kept.

    Rejecting at a level controls the family-wise error rate at that level (Holm 1979, A simple
    sequentially rejective multiple test procedure).
    """
    given = np.asarray(p_values, np.float64)
    made = np.flatnonzero(~np.isnan(given))
    order = made[np.argsort(given[made], kind="stable")]
    steps = given[order] * np.arange(made.size, 0, -1)
    found = np.full(given.shape, np.nan)
    found[order] = np.minimum(np.maximum.accumulate(steps), 1.0) if made.size else steps
    return found
