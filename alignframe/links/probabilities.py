"""Probabilities of links: a row per link, and the mean of two directions."""

from __future__ import annotations

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.core.arrays import F32, I64, U16
from alignframe.core.arrow import as_array, links_array, to_links
from alignframe.errors import InputError
from alignframe.kernels.ragged import tidy
from alignframe.links.inputs import links_source
from alignframe.read.nested import PROBABILITIES, is_weighed
from alignframe.sources.source import Source
from alignframe.typing import IntoLinks

_LONG = {
    "system": pl.String,
    "sid": pl.Int64,
    "i": pl.Int32,
    "j": pl.Int32,
    "probability": pl.Float64,
}


def weighed_source(links: object) -> Source:
    """Return links with probabilities as a source; refuse others."""
    source = links_source(links)
    if not is_weighed(source.schema):
        raise InputError(
            "links without probabilities",
            path=source.name,
            expected="links such as 0-0:0.9, or the columns links and probabilities, as align "
            "--posterior writes them",
        )
    return source


def long_links(alignments: IntoLinks) -> pl.DataFrame:
    """Return system, sid, i, j and probability of each link of an alignment with posteriors."""
    given = weighed_source(alignments)
    batches = list(given.batches(keep=[PROBABILITIES]))
    if not batches:
        return pl.DataFrame(schema=_LONG)
    frame = pl.DataFrame(pl.from_arrow(pa.Table.from_batches(batches)))
    n_links, n_found = (pl.col(name).list.len().fill_null(0) for name in ("links", PROBABILITIES))
    if frame.select((n_links != n_found).any()).item():
        raise InputError("a different number of probabilities and links", path=given.name)
    filled = frame.filter(pl.col("links").list.len() > 0)
    every = filled.rename({PROBABILITIES: "probability"}).explode("links", "probability")
    return every.unnest("links").select(pl.col(name).cast(kind) for name, kind in _LONG.items())


def keys(links: pa.Array) -> I64:
    """Return an integer key for each link of a column, ascending by row and link."""
    kept = tidy(to_links(links))
    rows = np.repeat(np.arange(kept.offsets.size - 1), np.diff(kept.offsets))
    return packed(rows, kept.i, kept.j)


def packed(rows: I64, i: U16, j: U16) -> I64:
    """Return the key of each link: its row, i and j in 32, 16 and 16 bits."""
    together: I64 = (rows << 32) | (i.astype(np.int64) << 16) | j
    return together


def unpacked(every: I64) -> tuple[I64, U16, U16]:
    """Return the row, i and j of each key."""
    i, j = ((every >> bits & 0xFFFF).astype(np.uint16) for bits in (16, 0))
    return every >> 32, i, j


def from_keys(every: I64, rows: int) -> pa.ListArray:
    """Return ascending keys as a column of links of so many rows."""
    row, i, j = unpacked(every)
    return links_array(np.searchsorted(row, np.arange(rows + 1)), i, j)


def looked_up(wanted: I64, table: pa.Table) -> F32:
    """Return the probability of each link by its key; 0 if the table lacks it."""
    known = keys(table.column("links"))
    p = as_array(table.column(PROBABILITIES)).flatten().to_numpy(zero_copy_only=False)
    at = np.searchsorted(known, wanted)
    probabilities = np.zeros(wanted.size, np.float32)
    met = np.flatnonzero(np.append(known, -1)[at] == wanted)
    probabilities[met] = p[at[met]]
    return probabilities


def mean_of(wanted: I64, forward: pa.Table, reverse: pa.Table) -> F32:
    """Return the mean of both directions' link probabilities; a missing link counts as 0."""
    return (looked_up(wanted, forward) + looked_up(wanted, reverse)) / np.float32(2.0)
