"""Writing links as text, directly to bytes, in the formats of ``alignframe.kernels.parse``.

The room for the longest possible line is taken first; the bytes written are then copied, so that no
spare room is kept.
"""

from __future__ import annotations

import numpy as np

from alignframe.arrays import I64, U8, U16
from alignframe.kernels.jit import jit

_ROOM = 5 + 1 + 5 + 1
"""The maximum size of a Pharaoh link in bytes: two positions of five digits, a mark and a space."""


@jit
def _put(out: U8, at: int, value: int) -> int:
    """Write a whole number of 0 or more in decimal digits; return where it ends."""
    width = 1
    rest = value // 10
    while rest > 0:
        width += 1
        rest //= 10
    for k in range(width - 1, -1, -1):
        out[at + k] = 48 + value % 10
        value //= 10
    return at + width


@jit
def render_pharaoh(
    starts: I64, ends: I64, i: U16, j: U16, sure: U8, first_bit: int, base: int
) -> tuple[U8, I64]:
    """Render one line per sentence, ``1-2 3p4``; return the bytes and the start of each line."""
    rows = starts.size
    links = np.int64(0)
    for r in range(rows):
        links += ends[r] - starts[r]
    out = np.empty(links * _ROOM + rows, np.uint8)
    offsets = np.zeros(rows + 1, np.int64)
    at = 0
    for r in range(rows):
        for k in range(starts[r], ends[r]):
            if k > starts[r]:
                out[at] = 32
                at += 1
            at = _put(out, at, np.int64(i[k]) + base)
            bit = first_bit + k
            # A bitmap, the least significant bit first; empty if every link is Sure.
            is_sure = sure.size == 0 or (sure[bit >> 3] >> (bit & 7)) & 1
            # A hyphen for a Sure link, ``p`` for a Possible one.
            out[at] = 45 if is_sure else 112
            at = _put(out, at + 1, np.int64(j[k]) + base)
        out[at] = 10
        at += 1
        offsets[r + 1] = at
    return out[:at].copy(), offsets


@jit
def render_naacl(
    starts: I64,
    ends: I64,
    i: U16,
    j: U16,
    sure: U8,
    first_bit: int,
    sentence: I64,
) -> U8:
    """Render one line per link, ``sentence source target S|P``, positions from 1."""
    links = np.int64(0)
    for r in range(starts.size):
        links += ends[r] - starts[r]
    # A number of 64 bits has 19 digits at most, a position of 16 bits 5; the end is space, label,
    # newline.
    out = np.empty(links * (19 + 1 + 5 + 1 + 5 + 3), np.uint8)
    at = 0
    for r in range(starts.size):
        for k in range(starts[r], ends[r]):
            at = _put(out, at, sentence[r])
            out[at] = 32
            at = _put(out, at + 1, np.int64(i[k]) + 1)
            out[at] = 32
            at = _put(out, at + 1, np.int64(j[k]) + 1)
            out[at] = 32
            bit = first_bit + k
            is_sure = sure.size == 0 or (sure[bit >> 3] >> (bit & 7)) & 1
            # ``S`` or ``P``.
            out[at + 1] = 83 if is_sure else 80
            out[at + 2] = 10
            at += 3
    return out[:at].copy()
