"""Selecting beads by their posterior probabilities.

``agreeing`` takes beads greedily, the most probable first, and drops those that overlap a bead
already taken or cross it. ``likely`` lists the beads above a probability, and ``covered`` adds up
the probability that each sentence is in a bead at all:

    covered(s) = sum of p(bead) over the beads that have sentence s

Bands, kinds and the layout of logarithms are those of ``alignframe.kernels.beads.paths``.
"""

from __future__ import annotations

import numpy as np

from alignframe.core.arrays import F32, F64, I64, U8, Bools
from alignframe.kernels.beads.paths import FIRST_KIND
from alignframe.kernels.beads.posteriors import TINY
from alignframe.kernels.jit import jit


@jit
def covered(lo: I64, at: I64, sizes: I64, logarithms: F32, src: F64, tgt: F64) -> None:
    """Add each bead's probability to all its sentences in ``src`` and ``tgt``."""
    for k in range(sizes.shape[0]):
        for i in range(len(lo)):
            for c in range(at[i], at[i + 1]):
                if logarithms[k, c] > TINY:
                    p = np.exp(np.float64(logarithms[k, c]))
                    j = lo[i] + c - at[i]
                    for x in range(sizes[k, 0]):
                        src[i - 1 - x] += p
                    for x in range(sizes[k, 1]):
                        tgt[j - 1 - x] += p


@jit
def likely(lo: I64, at: I64, sizes: I64, logarithms: F32, limit: float) -> tuple[I64, I64, U8, F64]:
    """Return the beads with a log probability above ``limit``: start, kind, probability."""
    # Counted first, so that the results have no spare room.
    count = 0
    for k in range(sizes.shape[0]):
        for value in logarithms[k]:
            count += value > limit
    src, tgt = np.empty(count, np.int64), np.empty(count, np.int64)
    kind, p = np.empty(count, np.uint8), np.empty(count)
    n = 0
    # By where beads end, then by kind.
    for i in range(len(lo)):
        for c in range(at[i], at[i + 1]):
            for k in range(sizes.shape[0]):
                if logarithms[k, c] > limit:
                    src[n] = i - sizes[k, 0]
                    tgt[n] = lo[i] + c - at[i] - sizes[k, 1]
                    kind[n] = FIRST_KIND + k
                    # Sums in single precision may exceed 1 by rounding.
                    p[n] = min(1.0, np.exp(np.float64(logarithms[k, c])))
                    n += 1
    return src, tgt, kind, p


@jit
def agreeing(src: I64, tgt: I64, sizes: I64, order: I64, taken: I64) -> Bools:
    """Return which beads conflict with no bead taken earlier in ``order``.

    Row r is a bead of ``sizes[r]`` = (source, target) sentences from ``src[r]`` and ``tgt[r]`` on.
    ``taken`` starts as -1 for each source sentence, and receives the row of its bead.
    """
    kept = np.zeros(len(src), np.bool_)
    for row in order:
        low, high = src[row], src[row] + sizes[row, 0]
        free = True
        for i in range(low, high):
            free = free and taken[i] < 0
        # Beads do not cross: the nearest one taken before must end, on the target side, before this
        # one begins, and the nearest one after must begin after its end. All others then agree as
        # well.
        before = low - 1
        while free and before >= 0 and taken[before] < 0:
            before -= 1
        if free and before >= 0:
            bead_before = taken[before]
            free = tgt[bead_before] + sizes[bead_before, 1] <= tgt[row]
        after = high
        while free and after < len(taken) and taken[after] < 0:
            after += 1
        if free and after < len(taken):
            free = tgt[row] + sizes[row, 1] <= tgt[taken[after]]
        if free:
            kept[row] = True
            for i in range(low, high):
                taken[i] = row
    return kept
