"""A sample of a text of any size."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from alignframe.core.arrays import U64
from alignframe.errors import InputError
from alignframe.sources.source import Source

_SPARE = 4
"""A sample holds up to a quarter more rows than are wanted before it drops the rest."""

_ODD = np.uint64(0x9E3779B97F4A7C15)

Tell = Callable[[int], None]


def sample(text: Source, size: int, tell: Tell = lambda _: None) -> tuple[pa.Table, int]:
    """Return ``size`` rows of a text in its order, spread evenly, and its number of rows.

    They are those whose numbers have the least hashes, however long the text is and however its
    batches are cut.
    """
    held: list[pa.RecordBatch] = []
    hashes: list[U64] = []
    limit, rows, kept = np.uint64(2**64 - 1), 0, 0
    for batch in text.batches():
        own = _hash(np.arange(rows, rows + batch.num_rows, dtype=np.uint64))
        rows += batch.num_rows
        at = np.flatnonzero(own <= limit)
        held.append(batch.take(pa.array(at)))
        hashes.append(own[at])
        kept += at.size
        if kept > size + size // _SPARE:
            held, hashes = _least(held, hashes, size)
            limit, kept = hashes[0].max(), size
        tell(rows)
    if not held:
        raise InputError("a text without rows", expected="sentence pairs to learn from")
    held, _ = _least(held, hashes, size)
    return pa.Table.from_batches(held), rows


def _hash(numbers: U64) -> U64:
    """Return a well-mixed number for each number (the finalizer of MurmurHash3, 64 bits)."""
    mixed = (numbers + np.uint64(1)) * _ODD
    for factor in (np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)):
        mixed ^= mixed >> np.uint64(33)
        mixed *= factor
    found: U64 = mixed ^ (mixed >> np.uint64(33))
    return found


def _least(
    held: list[pa.RecordBatch], hashes: list[U64], size: int
) -> tuple[list[pa.RecordBatch], list[U64]]:
    every = np.concatenate(hashes)
    table = pa.Table.from_batches(held)
    if every.size > size:
        at = np.sort(np.argpartition(every, size - 1)[:size])
        table, every = table.take(pa.array(at)), every[at]
    return table.combine_chunks().to_batches(), [every]
