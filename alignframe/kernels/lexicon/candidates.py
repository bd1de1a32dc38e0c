"""Candidate translations of words: all of them, the best, or those to keep.

Candidates are ranked by the log-likelihood ratio of their 2x2 table (Dunning 1993), ties by count,
then by target word. Written with f(x) = x log x, the ratio is

    2 * (sum of f(cell) - sum of f(row total) - sum of f(column total) + f(total))

whose terms come from a table: most candidates are rejected by that sum, which is exact up to
rounding, and only the others get the careful sum of ``llr``.
"""

from __future__ import annotations

import math

import numpy as np

from alignframe.core.arrays import F64, I32, I64, U8, U64
from alignframe.kernels.arrays import grown, sort
from alignframe.kernels.bits import lowest_bit
from alignframe.kernels.jit import jit
from alignframe.kernels.lexicon.cooccurrence import Text, add_up, add_up_both, make_scratch


@jit
def all_candidates(
    left: Text, whole: Text, least: int, low: int, high: int
) -> tuple[I64, I32, I32, I32]:
    """Return the candidates of source words from ``low`` to ``high - 1``.

    ``left`` has the mask of filters, ``whole`` none; without filters both have none. The candidates
    of word ``low + w`` are ``starts[w] <= k < starts[w + 1]``, targets ascending, each with a count
    of at least ``least``, and its count without filters.
    """
    ours, theirs = make_scratch(left.n_tgt_words), make_scratch(left.n_tgt_words)
    masked = left.mask_at.size > 0
    row = ours.row
    before, touched = (theirs.row, theirs.touched) if masked else (ours.row, ours.touched)
    starts = np.zeros(high - low + 1, np.int64)
    targets = np.empty(1024, np.int32)
    both = np.empty(1024, np.int32)
    unfiltered = np.empty(1024, np.int32)
    n = 0
    for s in range(low, high):
        size = add_up_both(left, whole, s, ours, theirs) if masked else add_up(whole, s, ours)
        sort(touched, size)
        targets = grown(targets, n + size)
        both = grown(both, n + size)
        unfiltered = grown(unfiltered, n + size)
        # Sorted targets make the result independent of the order of sentences.
        for t in touched[:size]:
            targets[n], both[n], unfiltered[n] = t, row[t], before[t]
            # Written first and kept if frequent enough: no branch.
            n += row[t] >= least
            row[t] = 0
            before[t] = 0
        starts[s - low + 1] = n
    return starts, targets[:n].copy(), both[:n].copy(), unfiltered[:n].copy()


@jit
def candidate_numbers(text: Text, low: int, high: int) -> I64:
    """Return an upper bound of the candidates of each source word from ``low`` to ``high - 1``."""
    out = np.zeros(high - low, np.int64)
    for s in range(low, high):
        for q in text.sentence[text.starts[s] : text.starts[s + 1]]:
            out[s - low] += text.tgt_at[q + 1] - text.tgt_at[q]
        out[s - low] = min(out[s - low], text.n_tgt_words)
    return out


@jit
def keep_candidates(
    text: Text, mask: U64, low: int, high: int, starts: I64, targets: I32, kept: U8
) -> None:
    """Clear from the mask the candidates of ``all_candidates`` that are not ``kept``."""
    refused = np.zeros(text.n_tgt_words, np.uint8)
    for s in range(low, high):
        for k in range(starts[s - low], starts[s - low + 1]):
            refused[targets[k]] = not kept[k]
        for p in range(text.starts[s], text.starts[s + 1]):
            q = text.sentence[p]
            first = text.tgt_at[q]
            wide = (text.tgt_at[q + 1] - first + 63) >> 6
            at = text.mask_at[q] + (text.place[p] - text.src_at[q]) * wide
            for w in range(wide):
                bits = mask[at + w]
                while bits:
                    # The lowest bit alone.
                    alone = bits & (~bits + np.uint64(1))
                    if refused[text.tgt_words[first + 64 * w + lowest_bit(bits)]]:
                        mask[at + w] &= ~alone
                    bits ^= alone


@jit
def _xlogx(k: int, table: F64) -> float:
    """Return k log k, 0 for 0, from a table as far as it goes."""
    if k < table.size:
        return table[k]
    return k * math.log(float(k))


@jit
def _insert(
    target: int,
    both: int,
    ratio: float,
    low: int,
    held: int,
    most: int,
    targets: I32,
    counts: I64,
    ratios: F64,
) -> int:
    """Insert a candidate among the ``held`` best ones, from ``low`` on; return their new number.

    Rank is by ratio, then by count, then by target word; at most ``most`` are held.
    """
    at = low + held
    while at > low and (
        ratio > ratios[at - 1]
        or (
            ratio == ratios[at - 1]
            and (both > counts[at - 1] or (both == counts[at - 1] and target < targets[at - 1]))
        )
    ):
        at -= 1
    # Below all that are held, and there is no room.
    if at == low + most:
        return held
    held = min(held + 1, most)
    for k in range(low + held - 1, at, -1):
        targets[k], counts[k], ratios[k] = targets[k - 1], counts[k - 1], ratios[k - 1]
    targets[at], counts[at], ratios[at] = target, both, ratio
    return held


@jit
def keep_best(
    src: I32,
    tgt: I32,
    n_both: I64,
    n_silent: I64,
    src_totals: I64,
    tgt_totals: I64,
    total: int,
    signed: bool,
    held: I64,
    targets: I32,
    counts: I64,
    ratios: F64,
) -> None:
    """Insert candidates, in any order, among the best of their source words.

    Source word s has ``held[s]`` candidates from ``s * (targets.size // held.size)`` on.
    """
    most = targets.size // max(held.size, 1)
    for k in range(src.size):
        s, t, silent = src[k], tgt[k], n_silent[k]
        margins = src_totals[s] - silent, tgt_totals[t] - silent, total - silent
        ratio = llr(n_both[k], margins[0], margins[1], margins[2], signed)
        held[s] = _insert(t, n_both[k], ratio, s * most, held[s], most, targets, counts, ratios)


@jit
def best_candidates(
    left: Text,
    whole: Text,
    low: int,
    high: int,
    n_best: int,
    least: int,
    signed: bool,
    src_totals: I64,
    tgt_totals: I64,
    total: int,
    table: F64,
) -> tuple[I64, I32, I64, F64]:
    """Return the best candidates of source words from ``low`` to ``high - 1``, best first.

    ``left`` has the mask of filters, ``whole`` none. A sentence pair in which filters removed a
    candidate is left out of its 2x2 table. Most candidates are rejected by a ratio from the
    ``table`` of x log x, which is exact up to rounding. Word ``low + w`` has the candidates
    ``starts[w] <= k < starts[w + 1]``, with their targets, counts and ratios.
    """
    ours, theirs = make_scratch(left.n_tgt_words), make_scratch(left.n_tgt_words)
    masked = left.mask_at.size > 0
    row = ours.row
    before, touched = (theirs.row, theirs.touched) if masked else (ours.row, ours.touched)
    target_parts = np.empty(left.n_tgt_words, np.float64)
    for t in range(left.n_tgt_words):
        target_parts[t] = _xlogx(tgt_totals[t], table) + _xlogx(total - tgt_totals[t], table)
    # A bound on the rounding error of sums of terms as large as f(total).
    slack = 1e-13 * max(1.0, _xlogx(total, table))
    starts = np.zeros(high - low + 1, np.int64)
    targets = np.empty(1024, np.int32)
    counts = np.empty(1024, np.int64)
    ratios = np.empty(1024, np.float64)
    n = 0
    for s in range(low, high):
        targets = grown(targets, n + n_best)
        counts = grown(counts, n + n_best)
        ratios = grown(ratios, n + n_best)
        source_part = (
            _xlogx(total, table)
            - _xlogx(src_totals[s], table)
            - _xlogx(total - src_totals[s], table)
        )
        size = add_up_both(left, whole, s, ours, theirs) if masked else add_up(whole, s, ours)
        held = 0
        for t in touched[:size]:
            # ``silent``: pairs of sentences in which the candidate was removed.
            both, silent = row[t], before[t] - row[t]
            row[t] = 0
            before[t] = 0
            n_src, n_tgt, n_all = src_totals[s] - silent, tgt_totals[t] - silent, total - silent
            if both < least:
                continue
            # Until the list is full, every candidate enters it.
            if held == n_best:
                about = (
                    _xlogx(both, table)
                    + _xlogx(n_src - both, table)
                    + _xlogx(n_tgt - both, table)
                    + _xlogx(n_all - n_src - n_tgt + both, table)
                )
                if silent:
                    about += _xlogx(n_all, table)
                    about -= _xlogx(n_src, table) + _xlogx(n_all - n_src, table)
                    about -= _xlogx(n_tgt, table) + _xlogx(n_all - n_tgt, table)
                else:
                    about += source_part - target_parts[t]
                if 2.0 * about < ratios[n + held - 1] - slack:
                    continue
            ratio = llr(both, n_src, n_tgt, n_all, signed)
            held = _insert(t, both, ratio, n, held, n_best, targets, counts, ratios)
        n += held
        starts[s - low + 1] = n
    return starts, targets[:n].copy(), counts[:n].copy(), ratios[:n].copy()


# The log-likelihood ratio of word pairs (Dunning 1993).
#
# Of n sentence pairs, ``n_src`` have the source word, ``n_tgt`` the target word, ``n_both`` both.
# With the four cells of that 2x2 table,
#
# ratio = 2 * sum over cells of cell * log(cell * n / (row total * column total))
#
# which is 0 if the words are independent. Logarithms are natural.


@jit
def _term(cell: int, row: int, column: int, total: int) -> float:
    """Return ``cell * log(cell / expected)``, 0 where the cell is empty."""
    if cell == 0:
        return 0.0
    return cell * math.log(float(cell) * float(total) / (float(row) * float(column)))


@jit
def llr(n_both: int, n_src: int, n_tgt: int, n: int, signed: bool) -> float:
    """Return the log-likelihood ratio of a 2x2 table; if ``signed``, below 0 where words repel."""
    with_src = _term(n_both, n_src, n_tgt, n) + _term(n_src - n_both, n_src, n - n_tgt, n)
    # Summed by rows, so that swapping the columns gives an identical ratio.
    rest = n - n_src - n_tgt + n_both
    without = _term(n_tgt - n_both, n - n_src, n_tgt, n) + _term(rest, n - n_src, n - n_tgt, n)
    ratio = 2.0 * (with_src + without)
    ratio = max(ratio, 0.0)  # rounding may make it negative
    # In floats, because products of counts overflow.
    if signed and float(n_both) * float(n) < float(n_src) * float(n_tgt):
        return -ratio
    return ratio


@jit
def llr_of_rows(n_both: I64, n_src: I64, n_tgt: I64, n: I64, signed: U8) -> tuple[F64, int]:
    """Return the log-likelihood ratio of each row, and the first invalid row, or -1.

    ``signed`` has one flag per row, or one for all.
    """
    out = np.empty(n_both.size, np.float64)
    each = signed.size > 1
    for k in range(n_both.size):
        both = n_both[k]
        # One of the four cells would be negative.
        if both < 0 or both > min(n_src[k], n_tgt[k]) or n_src[k] + n_tgt[k] - both > n[k]:
            return out, k
        out[k] = llr(both, n_src[k], n_tgt[k], n[k], signed[k if each else 0] != 0)
    return out, -1
