"""Posterior probabilities of beads, by the forward-backward algorithm.

    p(bead) = forward(its start) * exp(its score) * backward(its end) / forward(m, n)

where forward and backward are sums over all paths to and from a point. All are logarithms here, and
sums are taken relative to their largest term. Bands, kinds and scores are those of
``alignframe.kernels.beads.paths``; the scores are overwritten, as they are the largest arrays.
"""

from __future__ import annotations

import numpy as np

from alignframe.core.arrays import F64, I64
from alignframe.kernels.beads.paths import NEVER, REACH, TURNS, Band, Steps, band_of
from alignframe.kernels.jit import jit
from alignframe.kernels.small import call

TINY = -40.0
"""A term this much below a sum of logarithms does not change the sum."""


def posteriors(band: Band, steps: Steps, limit: float) -> tuple[float, Band]:
    """Overwrite each bead's score with its log probability.

    Return the log sum over all paths, and the band of points on paths with a log probability above
    ``limit`` (from the first to the last of each row), including some that are less probable by at
    most ``again``.
    """
    low = np.full(band.lo.size, np.iinfo(np.int64).max)
    high = np.full(band.lo.size, -1)
    forward = np.empty(band.cells)
    total = call(_forward, band, steps, forward)
    call(_backward, band, steps, forward, total, limit, low, high)
    low[high < 0] = 0  # a row skipped by a bead of two sentences may have no path
    return total, band_of(low, high)


@jit
def _widest(at: I64) -> int:
    """Return the number of cells of the widest row."""
    widest = np.int64(0)
    for i in range(len(at) - 1):
        widest = max(widest, at[i + 1] - at[i])
    return widest


@jit
def _forward(band: Band, steps: Steps, forward: F64) -> float:
    """Write the log sum of all paths to each point; return that of all whole paths.

    Scores of beads that start outside the band become ``NEVER``, so that other passes need no
    check.
    """
    lo, at = band
    sizes, scores, skip_src, skip_tgt, again = steps
    m = len(lo) - 1
    n = lo[m] + at[m + 1] - at[m] - 1
    rows = np.full((TURNS, n + 1 + REACH), NEVER)
    widest = _widest(at)
    total = np.empty(widest)
    # The sum over paths to each point of a row and the previous one, with ``again`` after a skip.
    before_skip = np.full((2, n + 1), NEVER)
    more = np.exp(again)
    for i in range(m + 1):
        row = rows[i % TURNS]
        low, wide, first_cell = lo[i], at[i + 1] - at[i], at[i]
        if i >= TURNS:
            old = lo[i - TURNS] + REACH
            for y in range(old, old + at[i - TURNS + 1] - at[i - TURNS]):
                row[y] = NEVER
        # First the largest term of each point's sum, then the sum of the others relative to it.
        top = row[low + REACH : low + REACH + wide]
        for k in range(sizes.shape[0]):
            kind_scores = scores[k][first_cell : first_cell + wide]
            if i < sizes[k, 0]:
                for y in range(len(kind_scores)):
                    kind_scores[y] = NEVER
                continue
            first = low + REACH - sizes[k, 1]
            before = rows[(i - sizes[k, 0]) % TURNS][first : first + wide]
            for x in range(wide):
                value = before[x] + kind_scores[x]
                if value > top[x]:
                    top[x] = value
        for y in range(wide):
            total[y] = 0.0
        if i == 0 and low == 0:
            top[0] = 0.0
            total[0] = 1.0
        for k in range(sizes.shape[0]):
            if i < sizes[k, 0]:
                continue
            kind_scores = scores[k][first_cell : first_cell + wide]
            first = low + REACH - sizes[k, 1]
            before = rows[(i - sizes[k, 0]) % TURNS][first : first + wide]
            for x in range(wide):
                if before[x] == NEVER:
                    kind_scores[x] = NEVER  # starts outside the band
                    continue
                less = before[x] + kind_scores[x] - top[x]
                if less > TINY:
                    total[x] += np.exp(less)
        here_skip, above = before_skip[i % 2], before_skip[(i - 1) % 2]
        if i > 1:
            for y in range(lo[i - 2], lo[i - 2] + at[i - 1] - at[i - 2]):
                here_skip[y] = NEVER
        for x in range(wide):
            j = low + x
            first = above[j] + skip_src[i - 1] if i > 0 else NEVER
            second = here_skip[j - 1] + skip_tgt[j - 1] if x > 0 else NEVER
            top[x], here_skip[j] = _joined(top[x], total[x], first, second, more)
            forward[first_cell + x] = top[x]
    return top[wide - 1]


@jit
def _joined(
    top: float, beads: float, first: float, second: float, more: float
) -> tuple[float, float]:
    """Return the log sum of beads and two skips, and the same with skips counted ``more`` times.

    ``top`` + log(``beads``) is the log sum of paths that end with a bead; ``first`` and ``second``
    are those that end with a skip of a source or a target sentence.
    """
    # No path at all: -inf minus -inf would be NaN.
    highest = max(top if beads > 0.0 else NEVER, first, second)
    if highest == NEVER:
        return NEVER, NEVER
    beads *= np.exp(top - highest) if beads > 0.0 else 0.0
    skips = np.exp(first - highest) + np.exp(second - highest)
    both = highest + np.log(beads + skips)
    return both, highest + np.log(beads + more * skips)


@jit
def _ending(lo: I64, at: I64, end: int, take: int, low: int, wide: int) -> tuple[int, int, int]:
    """Return the points of a row from which beads end within the band of row ``end``.

    The beads have ``take`` target sentences; a point plus the third number is their end cell.
    """
    first = max(low, lo[end] - take)
    stop = min(low + wide, lo[end] + at[end + 1] - at[end] - take)
    return first, stop, at[end] - lo[end] + take


@jit
def _backward(
    band: Band,
    steps: Steps,
    forward: F64,
    total: float,
    limit: float,
    plausible_low: I64,
    plausible_high: I64,
) -> None:
    """Write each bead's log posterior, and the first and last plausible point of each row."""
    lo, at = band
    sizes, scores, skip_src, skip_tgt, again = steps
    m = len(lo) - 1
    n = lo[m] + at[m + 1] - at[m] - 1
    rows = np.full((TURNS, n + 1 + REACH), NEVER)
    widest = _widest(at)
    top, summed = np.empty(widest), np.empty(widest)
    # The sum over paths from each point of this row and the next that is reached by a skip.
    after_skip = np.full((2, n + 1), NEVER)
    more = np.exp(again)
    for i in range(m, -1, -1):
        row = rows[i % TURNS]
        low, wide, first_cell = lo[i], at[i + 1] - at[i], at[i]
        if i + TURNS <= m:
            old = lo[i + TURNS]
            for y in range(old, old + at[i + TURNS + 1] - at[i + TURNS]):
                row[y] = NEVER
        for y in range(wide):
            top[y] = NEVER
        for k in range(sizes.shape[0]):
            end = i + sizes[k, 0]
            if end > m:
                continue
            after = rows[end % TURNS]
            first, stop, shift = _ending(lo, at, end, sizes[k, 1], low, wide)
            for j in range(first, stop):
                value = after[j + sizes[k, 1]] + scores[k, shift + j]
                if value > top[j - low]:
                    top[j - low] = value
        for y in range(wide):
            summed[y] = 0.0
        if i == m:
            top[n - low] = 0.0
            summed[n - low] = 1.0
        for k in range(sizes.shape[0]):
            end = i + sizes[k, 0]
            if end > m:
                continue
            after = rows[end % TURNS]
            first, stop, shift = _ending(lo, at, end, sizes[k, 1], low, wide)
            for j in range(first, stop):
                value = after[j + sizes[k, 1]] + scores[k, shift + j]
                if value - top[j - low] > TINY:
                    summed[j - low] += np.exp(value - top[j - low])
                # Overwritten: a bead is met only once, where it starts.
                scores[k, shift + j] = forward[first_cell + j - low] + value - total
        skipped_to, below = after_skip[i % 2], after_skip[(i + 1) % 2]
        if i + 2 <= m:
            for y in range(lo[i + 2], lo[i + 2] + at[i + 3] - at[i + 2]):
                skipped_to[y] = NEVER
        for x in range(wide - 1, -1, -1):
            j = low + x
            first = below[j] + skip_src[i] if i < m else NEVER
            second = skipped_to[j + 1] + skip_tgt[j] if x < wide - 1 else NEVER
            row[j], skipped_to[j] = _joined(top[x], summed[x], first, second, more)
            if forward[first_cell + x] + skipped_to[j] - total > limit:
                plausible_low[i] = min(plausible_low[i], j)
                plausible_high[i] = max(plausible_high[i], j)
