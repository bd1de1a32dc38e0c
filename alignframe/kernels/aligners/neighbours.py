"""The neighbours of an alignment under Models 3 and 4, by moves and swaps.

A move assigns a target word to another source word; a swap exchanges those of two target words
(Brown et al. 1993, section 4.4). A neighbour's gain is the log-ratio of the factors that change:
translations, fertilities (of moves), and in Model 4 the distortion of the cepts concerned, which
are only evaluated if an upper bound of the gain is high enough. Within a sentence NULL is 0 and
source words count from 1.
"""

from __future__ import annotations

import numpy as np

from alignframe.core.arrays import F64, I32, I64
from alignframe.kernels.aligners.cepts import HEAD, NEXT, changed_cept, heads_change
from alignframe.kernels.aligners.sentence_pair import Logs, Sentence, prepare
from alignframe.kernels.jit import jit

_LEAST_GAIN = 1e-9
"""Smaller gains are rounding errors, not steps upwards."""
_UNCHANGED = -2


@jit
def compare(sentence: Sentence, logs: Logs, least: float, rising: bool) -> tuple[float, int, int]:
    """Fill ``moves`` and ``swaps`` with the gains of neighbours, or -inf below ``least``.

    If ``rising``, only those better than all previous ones are filled in. Return the gain of the
    best neighbour, and j and to: target word j moves to source word ``to``, or is swapped with
    target word ``-to - 1``. Without any, j is -1.
    """
    gain, j, to = _compare_moves(
        sentence.logs,
        sentence.at,
        sentence.up,
        sentence.down,
        sentence.src_classes,
        sentence.tgt_classes,
        logs.heads,
        logs.mores,
        sentence.cepts,
        sentence.costs,
        sentence.after,
        least,
        rising,
        sentence.moves,
    )
    swap_gain, first, second = _compare_swaps(
        sentence.logs,
        sentence.at,
        sentence.src_classes,
        sentence.tgt_classes,
        logs.heads,
        logs.mores,
        sentence.cepts,
        sentence.costs,
        sentence.after,
        max(gain, least) if rising else least,
        rising,
        sentence.swaps,
    )
    if first >= 0 and swap_gain > gain:
        return swap_gain, first, -second - 1
    return gain, j, to


@jit
def _compare_moves(
    logs: F64,
    at: I64,
    up: F64,
    down: F64,
    src_classes: I32,
    tgt_classes: I32,
    heads: F64,
    mores: F64,
    cepts: I64,
    costs: F64,
    after: I64,
    least: float,
    rising: bool,
    moves: F64,
) -> tuple[float, int, int]:
    """Fill ``moves``; return the best gain, its target word, and the source word it moves to."""
    best, word, place = -np.inf, -1, -1
    placed = heads.size > 0
    own_head, own_centre, own_cost = -1, 0, 0.0
    for j in range(at.size):
        i = at[j]
        row, out = logs[j], moves[j]
        leaving = down[i] - row[i]
        most = 0.0
        if placed and i > 0:
            # The cept that the word leaves is the same for all moves of the word.
            own_head, own_centre, own_cost = changed_cept(
                cepts[HEAD, i], after, j, _UNCHANGED, tgt_classes, mores
            )
            leaving += own_cost - costs[1, i]
            most = -costs[0, i] - costs[0, cepts[NEXT, i]]
        for k in range(row.size):
            out[k] = -np.inf
            if k == i:
                continue
            gain = leaving + up[k] + row[k]
            if placed:
                # The other factors can gain at most their current cost.
                bound = gain + most
                if k > 0:
                    bound -= costs[0, k] + costs[0, cepts[NEXT, k]] + costs[1, k]
                if bound < least:
                    continue
                head, centre, cost = -1, 0, 0.0
                if k > 0:
                    head, centre, cost = changed_cept(
                        cepts[HEAD, k], after, _UNCHANGED, j, tgt_classes, mores
                    )
                    gain += cost - costs[1, k]
                low, low_head, low_centre = i, own_head, own_centre
                high, high_head, high_centre = k, head, centre
                if k < i:
                    low, low_head, low_centre = k, head, centre
                    high, high_head, high_centre = i, own_head, own_centre
                gain += heads_change(
                    low,
                    low_head,
                    low_centre,
                    high,
                    high_head,
                    high_centre,
                    src_classes,
                    tgt_classes,
                    heads,
                    cepts,
                    costs,
                )
            if gain >= least:
                out[k] = gain
                if gain > best:
                    best, word, place = gain, j, k
                    # From here on only better ones are of interest.
                    if rising:
                        least = gain
    return best, word, place


@jit
def _compare_swaps(
    logs: F64,
    at: I64,
    src_classes: I32,
    tgt_classes: I32,
    heads: F64,
    mores: F64,
    cepts: I64,
    costs: F64,
    after: I64,
    least: float,
    rising: bool,
    swaps: F64,
) -> tuple[float, int, int]:
    """Fill ``swaps`` for j < k; return the best gain and both target words. Fertilities stay."""
    best, first, second = -np.inf, -1, -1
    placed = heads.size > 0
    for j in range(at.size):
        i = at[j]
        row, out = logs[j], swaps[j]
        most = 0.0
        if placed and i > 0:
            most = -costs[0, i] - costs[0, cepts[NEXT, i]] - costs[1, i]
        for k in range(j + 1, at.size):
            out[k] = -np.inf
            other = at[k]
            # The alignment would stay the same.
            if other == i:
                continue
            gain = row[other] + logs[k, i] - row[i] - logs[k, other]
            if placed:
                bound = gain + most
                if other > 0:
                    bound -= costs[0, other] + costs[0, cepts[NEXT, other]] + costs[1, other]
                if bound < least:
                    continue
                # By source position, as ``heads_change`` takes them; ``joins`` enters the lower
                # cept.
                if i < other:
                    low, high, leaves, joins = i, other, j, k
                else:
                    low, high, leaves, joins = other, i, k, j
                low_head, low_centre = -1, 0
                if low > 0:
                    low_head, low_centre, cost = changed_cept(
                        cepts[HEAD, low], after, leaves, joins, tgt_classes, mores
                    )
                    gain += cost - costs[1, low]
                high_head, high_centre, cost = changed_cept(
                    cepts[HEAD, high], after, joins, leaves, tgt_classes, mores
                )
                gain += cost - costs[1, high]
                gain += heads_change(
                    low,
                    low_head,
                    low_centre,
                    high,
                    high_head,
                    high_centre,
                    src_classes,
                    tgt_classes,
                    heads,
                    cepts,
                    costs,
                )
            if gain >= least:
                out[k] = gain
                if gain > best:
                    best, first, second = gain, j, k
                    if rising:
                        least = gain
    return best, first, second


@jit
def climb(sentence: Sentence, logs: Logs) -> float:
    """Climb to the best neighbour until none is better; return the final log-probability."""
    while True:
        total = prepare(sentence, logs)
        _, j, to = compare(sentence, logs, _LEAST_GAIN, True)
        if j < 0:
            return total
        take(sentence.at, j, to)


@jit
def take(at: I64, j: int, to: int) -> None:
    """Move target word j to source word ``to``, or swap it with target word ``-to - 1``."""
    if to >= 0:
        at[j] = to
    else:
        at[j], at[-to - 1] = at[-to - 1], at[j]
