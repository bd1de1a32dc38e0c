"""Counting a hypothesis's links against gold links.

The gold links of a sentence are written into a small grid under a stamp of that sentence, and
the hypothesis's links look themselves up there: no set is built, and nothing is cleared between
sentences.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alignframe.kernels.jit import jit
from alignframe.kernels.ragged import I64, U8, U16, Links, frozen, make_links, tidy

_SIDE = 256
"""The grid is 256 x 256 cells of 4 bytes: it stays in the second-level cache."""


class Hits(NamedTuple):
    """Counts a hypothesis sentence: |A|, |S∩A|, |P∩A|."""

    n_hyp: I64
    n_hyp_sure: I64
    n_hyp_possible: I64


def count_hits(hypothesis: Links, gold: Links, gold_rows: I64) -> Hits:
    """Count hypothesis links, and those that are Sure and Possible in gold.

    Parameters
    ----------
    hypothesis, gold
        Links by sentence. Rows out of order or with repeats are tidied first.
    gold_rows
        The gold row of each hypothesis row; -1 where there is none (only |A| is counted).
    """
    rows = frozen(gold_rows)
    out, untidy = _count(*hypothesis[:4], *gold, rows)
    if untidy:
        hyp = tidy(hypothesis)
        kept = tidy(gold)
        out, untidy = _count(
            *make_links(hyp.offsets, hyp.i, hyp.j)[:4],
            *make_links(kept.offsets, kept.i, kept.j, kept.sure),
            rows,
        )
    return Hits(out[0], out[1], out[2])


def count_gold(gold: Links) -> tuple[I64, I64]:
    """Return |S| and |P| of each gold sentence; repeats count once."""
    sure, untidy = _count_sure(*gold)
    if untidy:
        kept = tidy(gold)
        gold = make_links(kept.offsets, kept.i, kept.j, kept.sure)
        sure, untidy = _count_sure(*gold)
    return sure, gold.sizes()


@jit
def _count_sure(
    starts: I64, ends: I64, i: U16, j: U16, sure: U8, first_bit: int
) -> tuple[I64, bool]:
    out = np.zeros(starts.size, np.int64)
    untidy = False
    for r in range(starts.size):
        previous = np.int64(-1)
        total = 0
        for k in range(starts[r], ends[r]):
            key = (np.int64(i[k]) << 16) | j[k]
            untidy |= key <= previous
            previous = key
            bit = first_bit + k
            total += (sure[bit >> 3] >> (bit & 7)) & 1 if sure.size > 0 else 1
        out[r] = total
    return out, untidy


@jit
def _count(
    hyp_starts: I64,
    hyp_ends: I64,
    hyp_i: U16,
    hyp_j: U16,
    gold_starts: I64,
    gold_ends: I64,
    gold_i: U16,
    gold_j: U16,
    sure: U8,
    first_bit: int,
    gold_rows: I64,
) -> tuple[I64, bool]:
    """Return counts of shape (3, rows), and whether any row was not sorted and free of repeats."""
    n = hyp_starts.size
    out = np.zeros((3, n), np.int64)
    grid = np.zeros(_SIDE * _SIDE, np.uint32)
    all_sure = sure.size == 0
    untidy = False
    for r in range(n):
        out[0, r] = hyp_ends[r] - hyp_starts[r]
        g = gold_rows[r]
        if g < 0:
            # Still checked: a repeated link must not count twice in |A|.
            previous = np.int64(-1)
            for k in range(hyp_starts[r], hyp_ends[r]):
                key = (np.int64(hyp_i[k]) << 16) | hyp_j[k]
                untidy |= key <= previous
                previous = key
            continue
        stamp = np.uint32(2 * (r + 1))
        widest = np.uint16(0)
        previous = np.int64(-1)
        for k in range(gold_starts[g], gold_ends[g]):
            key = (np.int64(gold_i[k]) << 16) | gold_j[k]
            untidy |= key <= previous
            previous = key
            widest |= gold_i[k] | gold_j[k]
            bit = first_bit + k
            label = np.uint32(1) if all_sure else np.uint32((sure[bit >> 3] >> (bit & 7)) & 1)
            grid[((key >> 8) ^ key) & 0xFFFF] = stamp | label
        possible = 0
        hit_sure = 0
        previous = np.int64(-1)
        for k in range(hyp_starts[r], hyp_ends[r]):
            key = (np.int64(hyp_i[k]) << 16) | hyp_j[k]
            untidy |= key <= previous
            previous = key
            widest |= hyp_i[k] | hyp_j[k]
            cell = grid[((key >> 8) ^ key) & 0xFFFF]
            hit = np.int64(cell >= stamp)
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
    return out, untidy
