"""Rank correlations, over many measures or resamples at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from alignframe.arrays import F64
from alignframe.stats.pearson import correlation


def spearman(x: F64, y: F64) -> F64:
    """Return Spearman's rho along the last axis; NaN where a side is constant.

    The shapes, (..., systems), are broadcast together.
    """
    from scipy.stats import rankdata  # slow to import

    return correlation(*(rankdata(side, axis=-1) for side in (x, y)))


def kendall(x: F64, y: F64) -> F64:
    """Return Kendall's tau-b of each row of ``x`` with ``y``; NaN where a side is constant.

    ``x`` has the shape (measures, systems), ``y`` (systems,).
    """
    order = _order(y)
    unequal = np.count_nonzero(order)
    found = np.full(len(x), np.nan)
    for at, row in enumerate(x):
        mine = _order(row)
        pairs = np.sqrt(np.count_nonzero(mine)) * np.sqrt(unequal)
        if pairs:
            found[at] = np.sum(mine * order, dtype=np.int64) / pairs
    clipped: F64 = np.clip(found, -1, 1)
    return clipped


def _order(values: F64) -> npt.NDArray[np.int8]:
    """Return 1 where the row's system is higher than the column's, -1 where lower."""
    side = values[:, None]
    return (side > values).astype(np.int8) - (side < values)
