"""Pearson's r and the least-squares line, over many measures or resamples at once."""

from __future__ import annotations

import numpy as np

from alignframe.core.arrays import F64
from alignframe.stats.external import is_constant


def correlation(x: F64, y: F64) -> F64:
    """Return Pearson's r along the last axis, broadcast; NaN where a side is constant."""
    x, y = (_centred(side) for side in np.broadcast_arrays(x, y))
    size = np.sqrt(np.sum(x * x, axis=-1) * np.sum(y * y, axis=-1))
    out = np.full(size.shape, np.nan)
    np.divide(np.sum(x * y, axis=-1), size, out=out, where=size > 0)
    return np.clip(out, -1, 1)


def _centred(figures: F64) -> F64:
    """Return figures minus their mean, scaled by the largest; NaN where constant."""
    less = figures - figures.mean(axis=-1, keepdims=True)
    largest = np.abs(less).max(axis=-1, keepdims=True)
    out = np.full(less.shape, np.nan)
    # Scaled, so that squares of tiny or huge figures neither vanish nor overflow.
    np.divide(less, largest, out=out, where=(largest > 0) & ~is_constant(figures)[..., None])
    return out


def least_squares(x: F64, y: F64) -> tuple[float, float]:
    """Return slope and intercept of y as a linear function of x."""
    less = x - x.mean()
    slope = float(less @ (y - y.mean()) / (less @ less))
    return slope, float(y.mean() - slope * x.mean())
