"""Counts of word pairs, to be asked for one pair at a time, most of which have none.

A bit tells most pairs without a count apart, in a table that stays in the processor's cache.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alignframe.arrays import F32, I32, I64, U64
from alignframe.kernels.jit import jit
from alignframe.kernels.ragged import frozen

_SRC, _TGT = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)

_BITS = 3
"""There are 2 to the power of so many bits for each place of the table, which is half full."""


class PairCounts(NamedTuple):
    """A hash table with open addressing: place k has a key, 0 if it is free, and beside it a count.

    These are ``keys[2 * k]`` and ``counts[4 * k + 2]`` of the same memory.
    """

    bits: U64
    keys: U64
    counts: F32


def pair_counts(starts: I64, targets: I32, values: F32) -> PairCounts:
    """Return the counts above 0 of a table of cells, see ``alignframe.kernels.cells``.

    Its row r has the cells ``starts[r] <= c < starts[r + 1]``, with target words and counts.
    """
    size = 1 << max(int(2 * np.count_nonzero(values)).bit_length(), 6)
    bits, keys = np.zeros((size << _BITS) // 64, np.uint64), np.zeros(2 * size, np.uint64)
    counts = keys.view(np.float32)
    _fill(PairCounts(bits, keys, counts), frozen(starts), frozen(targets), frozen(values))
    return PairCounts(frozen(bits), frozen(keys), frozen(counts))


@jit
def _fill(table: PairCounts, starts: I64, targets: I32, values: F32) -> None:
    bits, keys, counts = table.bits, table.keys, table.counts
    down = shift(bits)
    for r in range(starts.size - 1):
        for c in range(starts[r], starts[r + 1]):
            if values[c] > 0:
                h = (of_row(r) + of_target(targets[c])) >> down
                bits[h >> np.uint64(6)] |= np.uint64(1) << (h & np.uint64(63))
                k = 2 * np.int64(h >> np.uint64(_BITS))
                while keys[k]:
                    k = k + 2 if k + 2 < keys.size else 0
                keys[k] = key(r, targets[c])
                counts[2 * k + 2] = values[c]


@jit
def shift(bits: U64) -> np.uint64:
    """Return by how much the sum of two hashes is shifted to have the number of its bit."""
    down = np.uint64(58)  # 64 bits in a number
    size = bits.size
    while size > 1:
        size //= 2
        down -= np.uint64(1)
    return down


@jit
def of_row(row: int) -> np.uint64:
    """Return the hash of a row; that of a pair is the sum of both."""
    return np.uint64(row) * _SRC


@jit
def of_target(target: int) -> np.uint64:
    """Return the hash of a target word."""
    return np.uint64(target) * _TGT


@jit
def may_have(bits: U64, h: np.uint64) -> np.uint64:
    """Return 1 if the bit ``h`` is set, else 0."""
    return (bits[h >> np.uint64(6)] >> (h & np.uint64(63))) & np.uint64(1)


@jit
def key(row: int, target: int) -> np.uint64:
    """Return the key of a pair, which is not 0."""
    return (np.uint64(row + 1) << np.uint64(32)) | np.uint64(target)


@jit
def asked(keys: U64, counts: F32, row: int, target: int, h: np.uint64) -> float:
    """Return the count of a pair whose bit ``h`` is set."""
    wanted = key(row, target)
    k = 2 * np.int64(h >> np.uint64(_BITS))
    while keys[k] and keys[k] != wanted:
        k = k + 2 if k + 2 < keys.size else 0
    return counts[2 * k + 2]
