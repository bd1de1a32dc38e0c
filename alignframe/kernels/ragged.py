"""Kernels that sort the links of many sentences.

Positions are below 65,536, so a link (i, j) fits in one whole number that sorts by i, then by j:
``i << 16 | j``; ``tidy`` appends a bit for its label, ``i << 17 | j << 1 | possible``. Sorting
links is then sorting numbers. Rows have a start and an end each, as in Arrow's list views, so that
sentences can be selected and reordered without copying links.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alignframe.core.arrays import I32, I64, U8, U16, Links
from alignframe.kernels.arrays import sort
from alignframe.kernels.jit import jit
from alignframe.kernels.small import call


class Tidied(NamedTuple):
    """Sorted links without duplicates, and the numbers of duplicates and conflicts dropped."""

    offsets: I64
    i: U16
    j: U16
    sure: U8
    duplicates: int
    conflicts: int


def tidy(links: Links) -> Tidied:
    """Sort each sentence's links by (i, j) without duplicates.

    A link that is both Sure and Possible is kept as Sure and counted in ``conflicts``; other
    duplicates are counted in ``duplicates``.
    """
    return Tidied(*call(_tidy, *links))


@jit
def _tidy(
    starts: I64, ends: I64, i: U16, j: U16, sure: U8, first_bit: int
) -> tuple[I64, U16, U16, U8, int, int]:
    """Return the fields of ``Tidied``; rows that are in order already are not sorted."""
    rows = len(starts)
    total = 0
    longest = 0
    for r in range(rows):
        size = ends[r] - starts[r]
        total += size
        longest = max(longest, size)
    offsets = np.zeros(rows + 1, np.int64)
    out_i = np.empty(total, np.uint16)
    out_j = np.empty(total, np.uint16)
    out_sure = np.empty(total, np.uint8)
    keys = np.empty(longest, np.int64)
    duplicates = 0
    conflicts = 0
    n = 0
    for r in range(rows):
        size = ends[r] - starts[r]
        in_order = True
        for k in range(size):
            at = starts[r] + k
            possible = 0
            if len(sure) > 0:
                # An Arrow bitmap may begin within a byte.
                bit = first_bit + at
                possible = 1 - ((sure[bit >> 3] >> (bit & 7)) & 1)
            # Possible in the lowest bit, so that Sure sorts first.
            keys[k] = (np.int64(i[at]) << 17) | (np.int64(j[at]) << 1) | possible
            if k > 0 and keys[k] <= keys[k - 1]:
                in_order = False
        if not in_order:
            sort(keys, size)
        previous = np.int64(-1)
        for k in range(size):
            if keys[k] >> 1 == previous >> 1:
                # After a conflict, the Possible one is the previous key, so its repeats are plain
                # duplicates.
                if keys[k] == previous:
                    duplicates += 1
                else:
                    conflicts += 1
                    previous = keys[k]
                continue
            previous = keys[k]
            out_i[n] = keys[k] >> 17
            out_j[n] = (keys[k] >> 1) & 0xFFFF
            out_sure[n] = 1 - (keys[k] & 1)
            n += 1
        offsets[r + 1] = n
    return offsets, out_i[:n], out_j[:n], out_sure[:n], duplicates, conflicts


@jit
def run_starts(system: I32, sid: I64) -> I64:
    """Return the start of each run of equal (system, sid), and the total length as last entry."""
    n = len(sid)
    starts = np.empty(n + 1, np.int64)
    runs = 0
    for k in range(n):
        if k == 0 or sid[k] != sid[k - 1] or system[k] != system[k - 1]:
            starts[runs] = k
            runs += 1
    starts[runs] = n
    return starts[: runs + 1].copy()


@jit
def locate(wanted: I64, known: I64) -> I64:
    """Return the row of each wanted number in ``known`` (ascending), -1 if missing.

    Consecutive numbers usually have consecutive rows, so the next row is tried before a binary
    search.
    """
    rows = np.empty(len(wanted), np.int64)
    n = len(known)
    row = -1
    for k in range(len(wanted)):
        number = wanted[k]
        if row + 1 < n and known[row + 1] == number:
            row += 1
        else:
            low, high = 0, n
            while low < high:
                middle = (low + high) >> 1
                if known[middle] < number:
                    low = middle + 1
                else:
                    high = middle
            row = low
        if row < n and known[row] == number:
            rows[k] = row
        else:
            rows[k] = -1
            row = min(row, n - 1)
    return rows


@jit
def mark_seen(seen: U8, rows: I64) -> int:
    """Mark rows (-1 for none) as seen; return the index of the first one already seen, or -1."""
    for k in range(len(rows)):
        if rows[k] >= 0:
            if seen[rows[k]]:
                return k
            seen[rows[k]] = 1
    return -1


@jit
def swap_sides(
    starts: I64, ends: I64, i: U16, j: U16, sure: U8, first_bit: int
) -> tuple[I64, U16, U16, U8]:
    """Return a copy with source and target positions swapped, unsorted (see ``tidy``)."""
    rows = starts.size
    offsets = np.zeros(rows + 1, np.int64)
    for r in range(rows):
        offsets[r + 1] = offsets[r] + ends[r] - starts[r]
    out_i = np.empty(offsets[rows], np.uint16)
    out_j = np.empty(offsets[rows], np.uint16)
    out_sure = np.ones(offsets[rows], np.uint8)
    n = 0
    for r in range(rows):
        for k in range(starts[r], ends[r]):
            out_i[n] = j[k]
            out_j[n] = i[k]
            if sure.size > 0:
                bit = first_bit + k
                out_sure[n] = (sure[bit >> 3] >> (bit & 7)) & 1
            n += 1
    return offsets, out_i, out_j, out_sure


@jit
def first_outside(
    starts: I64, ends: I64, i: U16, j: U16, src_length: I64, tgt_length: I64
) -> tuple[int, int]:
    """Return (row, link) of the first link outside its sentence pair, or (-1, -1).

    A negative length is unknown and never exceeded.
    """
    for r in range(starts.size):
        for k in range(starts[r], ends[r]):
            if (src_length[r] >= 0 and i[k] >= src_length[r]) or (
                tgt_length[r] >= 0 and j[k] >= tgt_length[r]
            ):
                return r, k
    return -1, -1


@jit
def reach(starts: I64, ends: I64, i: U16, j: U16) -> I64:
    """Return one past the last linked position of each sentence, shape (2, rows)."""
    out = np.zeros((2, starts.size), np.int64)
    for r in range(starts.size):
        for k in range(starts[r], ends[r]):
            out[0, r] = max(out[0, r], np.int64(i[k]) + 1)
            out[1, r] = max(out[1, r], np.int64(j[k]) + 1)
    return out
