"""Counts of linked word pairs: a hash table per source word, of the pairs that have a count.

Only a fiftieth of the word pairs of a text are ever linked; all others have the pseudo-count
``alpha`` alone. The table of a source word has a power of two of slots, and target word t is in the
slot ``hash(t)`` modulo that, its home, or if another is there, in one of the next. Small tables by
source word stay in the cache while a sentence is sampled, and a mark on each home from which a word
was turned away lets nearly all searches end there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alignframe.core.arrays import F32, I32, I64
from alignframe.kernels.jit import jit

_SPARE = 2
"""There are at least this many slots per word: with fewer, more are searched for at length."""


class Rows(NamedTuple):
    """Row w has ``targets[k]`` with ``values[k]`` for ``at[w] <= k < at[w] + size[w]``."""

    at: I64
    size: I32
    targets: I32
    values: F32


class Table(NamedTuple):
    """Source word w has the slots from ``at[w]`` on, of which ``taken[w]`` are in use.

    A slot is two numbers of ``pool``: twice the target word, plus 1 if a word whose home it is
    was turned away, or -2 if it is free; and the bits of a float32, the count. ``mask[w]`` is the
    offset of the last slot. ``used`` has how many numbers are in use.
    """

    at: I64
    mask: I64
    taken: I32
    pool: I32
    used: I64


@jit
def tabulate(rows: Rows) -> Table:
    """Return a table of rows of distinct target words, with room for more."""
    sizes, row_at, targets, counts = rows.size, rows.at, rows.targets, rows.values
    at, mask = np.zeros(sizes.size, np.int64), np.zeros(sizes.size, np.int64)
    # Rows without words share the first slot, which stays free.
    used = 2
    for w in range(sizes.size):
        if sizes[w]:
            slots = _SPARE
            while slots < _SPARE * sizes[w]:
                slots *= 2
            at[w], mask[w] = used, 2 * slots - 2
            used += 2 * slots
    # As much room again: the system gives no memory for what is not written to.
    pool = np.empty(2 * used, np.int32)
    values = pool.view(np.float32)
    for p in range(0, used, 2):
        pool[p] = -2
    for w in range(sizes.size):
        for k in range(row_at[w], row_at[w] + sizes[w]):
            values[_put(pool, at[w], mask[w], np.int64(targets[k])) + 1] = counts[k]
    return Table(at, mask, sizes.copy(), pool, np.array([used]))


@jit
def home_of(t: int) -> int:
    """Return a number of which ``mask`` takes the offset of a target word's home."""
    return np.int64(((np.uint64(t) * np.uint64(0x9E3779B1)) >> np.uint64(12)) << np.uint64(1))


@jit
def find(pool: I32, at: int, mask: int, t: int) -> int:
    """Return where the slot of a target word is; -1 if it has none."""
    step = home_of(t) & mask
    key = pool[at + step]
    if key >> 1 == t:
        return at + step
    if key & 1:
        while key >= 0:
            step = (step + 2) & mask
            key = pool[at + step]
            if key >> 1 == t:
                return at + step
    return -1


@jit
def _put(pool: I32, at: int, mask: int, t: int) -> int:
    """Return the slot of a new target word, which takes it."""
    home = home_of(t) & mask
    step = home
    while pool[at + step] >= 0:
        step = (step + 2) & mask
    if step != home:
        pool[at + home] |= 1
    pool[at + step] = 2 * t
    return at + step


@jit
def room(mask: I64, taken: I32, words: I32, more: int) -> int:
    """Return the numbers that ``more`` new target words of each of some words may need at most."""
    need = 0
    for w in words:
        if 2 * _SPARE * (taken[w] + more) > mask[w] + 2:
            # The row doubles until it has its size; all that it leaves is as long as itself.
            need += 8 * _SPARE * (taken[w] + more)
    return need


@jit
def enter(at: I64, mask: I64, taken: I32, pool: I32, values: F32, used: I64, w: int, t: int) -> int:
    """Return the slot of a new target word; a row without spare slots moves and doubles."""
    if 2 * _SPARE * (taken[w] + 1) > mask[w] + 2:
        low, wide = at[w], mask[w] + 2
        size = 2 * wide if taken[w] else 2 * _SPARE
        at[w], mask[w] = used[0], size - 2
        used[0] += size
        for p in range(at[w], used[0], 2):
            pool[p] = -2
        if taken[w]:
            for p in range(low, low + wide, 2):
                if pool[p] >= 0:
                    values[_put(pool, at[w], mask[w], pool[p] >> 1) + 1] = values[p + 1]
    taken[w] += 1
    return _put(pool, at[w], mask[w], np.int64(t))
