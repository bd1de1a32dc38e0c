"""A hash set of pairs of numbers, each pair one 64-bit key.

The table has open addressing with linear probing, and multiplicative hashing by 2^64 over the
golden ratio (Knuth 1973, section 6.4): the high bits of the product choose the slot.
"""

from __future__ import annotations

import numpy as np

from alignframe.arrays import U64
from alignframe.kernels.jit import jit

_MIX = np.uint64(0x9E3779B97F4A7C15)


@jit
def fill_pairs(keys: U64, table: U64) -> None:
    """Insert distinct non-zero keys into an empty table whose size is a power of two."""
    bits = 0
    while (1 << bits) < table.size:
        bits += 1
    shift = np.uint64(64 - bits)
    mask = table.size - 1
    for key in keys:
        slot = np.int64((key * _MIX) >> shift)
        while table[slot] != 0:
            slot = (slot + 1) & mask
        table[slot] = key
