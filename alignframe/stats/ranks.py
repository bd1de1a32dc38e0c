"""Rank correlations, over many measures or resamples at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from alignframe.core.arrays import F64
from alignframe.stats.pearson import correlation


def spearman(x: F64, y: F64) -> F64:
    """Return Spearman's rho along the last axis, broadcast; NaN where a side is constant."""
    return correlation(ranks(x), ranks(y))


def ranks(values: F64) -> F64:
    """Return ranks along the last axis, from 1; equal values share their mean rank."""
    # As scipy.stats.rankdata, which takes a second to import; rows with NaN are NaN.
    order = np.argsort(values, axis=-1)
    ordered = np.take_along_axis(values, order, axis=-1)
    new = np.ones(np.add(values.shape, (*[0] * (values.ndim - 1), 1)), np.bool_)
    new[..., 1:-1] = ordered[..., 1:] != ordered[..., :-1]
    place = np.arange(new.shape[-1])
    # The first and the last place of each run of equal values, whose mean is their rank.
    first = np.maximum.accumulate(np.where(new, place, 0), axis=-1)[..., :-1]
    after = np.where(new, place, place[-1])[..., :0:-1]
    end = np.minimum.accumulate(after, axis=-1)[..., ::-1]
    mean_ranks = np.empty(values.shape)
    np.put_along_axis(mean_ranks, order, (first + 1 + end) / 2, axis=-1)
    return np.where(np.isnan(values).any(axis=-1, keepdims=True), np.nan, mean_ranks)


def kendall(x: F64, y: F64) -> F64:
    """Return Kendall's tau-b of each row of ``x`` with ``y``; NaN where a side is constant."""
    order = _order(y)
    unequal = np.count_nonzero(order)
    taus = np.full(len(x), np.nan)
    for at, row in enumerate(x):
        mine = _order(row)
        pairs = np.sqrt(np.count_nonzero(mine)) * np.sqrt(unequal)
        if pairs:
            # Concordant minus discordant pairs, by the geometric mean of pairs untied on each side.
            taus[at] = np.sum(mine * order, dtype=np.int64) / pairs
    clipped: F64 = np.clip(taus, -1, 1)
    return clipped


def _order(values: F64) -> npt.NDArray[np.int8]:
    """Return 1 where the row's system is higher than the column's, -1 where lower."""
    side = values[:, None]
    return (side > values).astype(np.int8) - (side < values)
