"""Combining the link probabilities of both directions."""

from __future__ import annotations

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.core.arrays import F32, I64
from alignframe.core.arrow import as_array, links_array, to_links
from alignframe.kernels.ragged import tidy

LEAST = 0.01
"""Lower probabilities in one direction count as 0 when both are combined."""

AGREED = 0.5
"""The minimum mean probability of a link for ``agree``."""


def keys(links: pl.DataFrame) -> I64:
    """Return an integer key for each link of a column, ascending by row and link."""
    kept = tidy(to_links(links))
    rows = np.repeat(np.arange(kept.offsets.size - 1), np.diff(kept.offsets))
    packed: I64 = (rows << 32) | (kept.i.astype(np.int64) << 16) | kept.j
    return packed


def mean_of(links: pl.DataFrame, forward: pl.DataFrame, reverse: pl.DataFrame) -> F32:
    """Return the mean of both directions' link probabilities; a missing link counts as 0."""
    return _mean(keys(links), forward, reverse)


def agreed(forward: pl.DataFrame, reverse: pl.DataFrame, threshold: float | None) -> pa.ListArray:
    """Return the links whose mean probability over both directions is above a threshold."""
    every = np.union1d(*(keys(side.to_arrow().column("links")) for side in (forward, reverse)))
    mean = _mean(every, forward, reverse)
    # At the default of .5, a link missing in one direction must be certain in the other. Liang,
    # Taskar & Klein 2006, section 3.3, similarly threshold the product.
    kept = every[mean > (AGREED if threshold is None else threshold)]
    ends = np.searchsorted(kept >> 32, np.arange(forward.height + 1))
    # A key holds the row, i and j in 32, 16 and 16 bits.
    i, j = ((kept >> bits & 0xFFFF).astype(np.uint16) for bits in (16, 0))
    return links_array(ends, i, j)


def _mean(wanted: I64, forward: pl.DataFrame, reverse: pl.DataFrame) -> F32:
    return (_looked_up(wanted, forward) + _looked_up(wanted, reverse)) / np.float32(2.0)


def _looked_up(wanted: I64, every: pl.DataFrame) -> F32:
    """Return the probability of each link; 0 if the direction lacks it."""
    table = every.to_arrow()
    known = keys(table.column("links"))
    p = as_array(table.column("probabilities")).flatten().to_numpy()
    at = np.searchsorted(known, wanted)
    probabilities = np.zeros(wanted.size, np.float32)
    met = np.flatnonzero(np.append(known, -1)[at] == wanted)
    probabilities[met] = p[at[met]]
    return probabilities
