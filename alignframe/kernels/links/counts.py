"""Counting a hypothesis's links against gold links.

    |A|, |S∩A| and |P∩A| of each sentence, and |S| and |P|  (Och & Ney 2003; Fraser & Marcu 2007)

The gold links of a sentence are written into a small grid with the sentence's stamp, and hypothesis
links are looked up there: no set is built, and nothing is cleared between sentences, because stamps
grow. Sentences with positions beyond the grid are merged instead.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alignframe.core.arrays import I64, U8, U16, Links, frozen, make_links
from alignframe.kernels.jit import jit
from alignframe.kernels.ragged import tidy
from alignframe.kernels.small import call

_SIDE = 256
"""The grid has 256 x 256 cells of 4 bytes, which stay in the second-level cache."""


class Hits(NamedTuple):
    """Counts of each hypothesis sentence: |A|, |S∩A|, |P∩A|."""

    n_hyp: I64
    n_hyp_sure: I64
    n_hyp_possible: I64


class Counted(NamedTuple):
    """Gold links without repeats, and |S| and |P| of each sentence."""

    links: Links
    n_sure: I64
    n_possible: I64


def count_gold(gold: Links) -> Counted:
    """Count gold links; rows out of order or with repeats are tidied first."""
    if out_of_order(gold):
        tidied = tidy(gold)
        gold = make_links(tidied.offsets, tidied.i, tidied.j, tidied.sure)
    sizes = gold.sizes()
    if not gold.sure.size:
        return Counted(gold, sizes, sizes)
    return Counted(
        gold, call(_count_bits, gold.starts, gold.ends, gold.sure, gold.first_bit), sizes
    )


def count_hits(hypothesis: Links, gold: Counted, gold_rows: I64) -> Hits:
    """Count hypothesis links, and those that are Sure and Possible in gold.

    Rows of links that are out of order or repeat links are tidied first. ``gold_rows`` has the gold
    row of each hypothesis row; -1 where there is none (only |A| is counted).
    """
    rows = frozen(gold_rows)
    if out_of_order(hypothesis):
        tidied = tidy(hypothesis)
        hypothesis = make_links(tidied.offsets, tidied.i, tidied.j)
    return Hits(*call(_count, hypothesis, gold.links, rows))


def count_swapped(hypothesis: Links, gold: Counted, gold_rows: I64) -> int:
    """Count the links (i, j) of a few sentences for which gold has (j, i); see ``count_hits``."""
    if out_of_order(hypothesis):
        tidied = tidy(hypothesis)
        hypothesis = make_links(tidied.offsets, tidied.i, tidied.j)
    return int(call(_count_swapped, hypothesis, gold.links, frozen(gold_rows)))


@jit
def _count_swapped(hypothesis: Links, gold: Links, gold_rows: I64) -> int:
    """Count the swapped links that gold has, by binary search in its sorted rows."""
    hyp_starts, hyp_ends, hyp_i, hyp_j, _, _ = hypothesis
    gold_starts, gold_ends, gold_i, gold_j, _, _ = gold
    total = 0
    for r in range(len(hyp_starts)):
        g = gold_rows[r]
        if g < 0:
            continue
        for k in range(hyp_starts[r], hyp_ends[r]):
            key = (np.int64(hyp_j[k]) << 16) | hyp_i[k]
            low, high = gold_starts[g], gold_ends[g]
            while low < high:
                middle = (low + high) >> 1
                if ((np.int64(gold_i[middle]) << 16) | gold_j[middle]) < key:
                    low = middle + 1
                else:
                    high = middle
            if low < gold_ends[g]:
                total += ((np.int64(gold_i[low]) << 16) | gold_j[low]) == key
    return total


def out_of_order(links: Links) -> bool:
    """Whether any sentence's links are not in order, or repeated."""
    return bool(call(_out_of_order, links.starts, links.ends, links.i, links.j))


@jit
def _out_of_order(starts: I64, ends: I64, i: U16, j: U16) -> bool:
    """Whether any sentence's links are not strictly ascending by (i, j).

    If rows are contiguous, all links are compared with the next one in a single vectorized pass;
    comparisons across sentences are then undone.
    """
    n = len(starts)
    if n == 0:
        return False
    for r in range(n - 1):
        if ends[r] != starts[r + 1]:
            return _row_out_of_order(starts, ends, i, j)
    row_i, row_j = i[starts[0] : ends[n - 1]], j[starts[0] : ends[n - 1]]
    falls = 0
    for k in range(len(row_i) - 1):
        # 32 bits hold both positions: twice as many fit a vector as of 64.
        this = (np.uint32(row_i[k]) << np.uint32(16)) | np.uint32(row_j[k])
        after = (np.uint32(row_i[k + 1]) << np.uint32(16)) | np.uint32(row_j[k + 1])
        falls += after <= this
    last = starts[0]
    for r in range(1, n):
        at = starts[r]
        # Empty rows share a border, which is undone only once.
        if last < at < ends[n - 1]:
            before = (np.int64(i[at - 1]) << 16) | j[at - 1]
            falls -= ((np.int64(i[at]) << 16) | j[at]) <= before
            last = at
    return falls > 0


@jit
def _row_out_of_order(starts: I64, ends: I64, i: U16, j: U16) -> bool:
    """Whether any row is out of order, row by row: rows may overlap or leave gaps."""
    for r in range(len(starts)):
        previous = np.int64(-1)
        for k in range(starts[r], ends[r]):
            key = (np.int64(i[k]) << 16) | j[k]
            if key <= previous:
                return True
            previous = key
    return False


@jit
def _count_bits(starts: I64, ends: I64, bits: U8, first_bit: int) -> I64:
    """Return the number of set bits of each sentence, whole bytes at a time."""
    ones = np.zeros(256, np.uint8)
    # By byte: its lowest bit, and those of the byte without it, which is smaller.
    for byte in range(256):
        ones[byte] = (byte & 1) + ones[byte >> 1]
    out = np.zeros(len(starts), np.int64)
    for r in range(len(starts)):
        at = first_bit + starts[r]
        end = first_bit + ends[r]
        total = 0
        while at < end:
            byte = np.int64(bits[at >> 3]) >> (at & 7)
            # The first and the last byte may belong to other sentences in part.
            step = 8 - (at & 7)
            if end - at < step:
                step = end - at
                byte &= (1 << step) - 1
            total += ones[byte]
            at += step
        out[r] = total
    return out


@jit
def _count(hypothesis: Links, gold: Links, gold_rows: I64) -> I64:
    """Return |A|, |S∩A| and |P∩A| of sorted rows without repeats; shape (3, rows)."""
    hyp_starts, hyp_ends, hyp_i, hyp_j, _, _ = hypothesis
    gold_starts, gold_ends, gold_i, gold_j, sure, first_bit = gold
    n = len(hyp_starts)
    out = np.zeros((3, n), np.int64)
    grid = np.zeros(_SIDE * _SIDE, np.uint32)
    all_sure = len(sure) == 0
    for r in range(n):
        out[0, r] = hyp_ends[r] - hyp_starts[r]
        g = gold_rows[r]
        if g < 0:
            continue
        # Even and growing; bit 0 of a cell is the label, so a cell is of this sentence if >= stamp.
        stamp = np.uint32(2 * (r + 1))
        widest = np.uint16(0)
        row_i, row_j = gold_i[gold_starts[g] : gold_ends[g]], gold_j[gold_starts[g] : gold_ends[g]]
        bit = first_bit + gold_starts[g]
        for k in range(len(row_i)):
            # Instead of the maximum: it reaches _SIDE if and only if a position does.
            widest |= row_i[k] | row_j[k]
            label = np.uint32(1) if all_sure else np.uint32((sure[bit >> 3] >> (bit & 7)) & 1)
            bit += 1
            # A place in the grid for any position; only those below _SIDE have one of their own.
            grid[((np.int64(row_i[k]) << 8) ^ row_j[k]) & 0xFFFF] = stamp | label
        possible = 0
        hit_sure = 0
        row_i, row_j = hyp_i[hyp_starts[r] : hyp_ends[r]], hyp_j[hyp_starts[r] : hyp_ends[r]]
        for k in range(len(row_i)):
            widest |= row_i[k] | row_j[k]
            cell = grid[((np.int64(row_i[k]) << 8) ^ row_j[k]) & 0xFFFF]
            hit = np.int64(cell >= stamp)
            # Without branches: ``hit`` is 0 or 1, and bit 0 of the cell is 1 if the link is Sure.
            possible += hit
            hit_sure += hit & np.int64(cell)
        if widest >= _SIDE:
            # Positions beyond the grid share cells: merge the two sorted rows instead.
            possible = 0
            hit_sure = 0
            at = gold_starts[g]
            for k in range(hyp_starts[r], hyp_ends[r]):
                key = (np.int64(hyp_i[k]) << 16) | hyp_j[k]
                while at < gold_ends[g] and ((np.int64(gold_i[at]) << 16) | gold_j[at]) < key:
                    at += 1
                if at < gold_ends[g] and ((np.int64(gold_i[at]) << 16) | gold_j[at]) == key:
                    possible += 1
                    bit = first_bit + at
                    hit_sure += 1 if all_sure else (sure[bit >> 3] >> (bit & 7)) & 1
        out[1, r] = hit_sure
        out[2, r] = possible
    return out
