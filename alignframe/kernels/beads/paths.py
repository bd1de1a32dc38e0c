"""The best path of beads, from any bead scores: dynamic programming over pairs of sentence numbers.

A path leads from (0, 0) to (m, n): point (i, j) is after i source and j target sentences, and

    best(i, j) = max over steps of best(where the step begins) + score of the step

The search is within a band: row i has the points ``lo[i] <= j < lo[i] + at[i + 1] - at[i]``, stored
row by row, so that (i, j) is cell ``at[i] + j - lo[i]``. A bead of kind k has ``sizes[k]`` =
(source, target) sentences, at most ``REACH`` of each, and the log score ``scores[k, c]`` at cell c,
where it ends. ``skip_src[i]`` and ``skip_tgt[j]`` are the scores of single unmatched sentences.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from alignframe.core.arrays import F32, F64, I32, I64, U8, frozen
from alignframe.kernels.jit import jit
from alignframe.kernels.small import call

REACH = 6
"""The maximum number of sentences of a bead on one side."""

TURNS = REACH + 1
"""The number of rows that a step touches, including the one it ends in."""

NEVER = -np.inf
SKIP_SRC, SKIP_TGT, FIRST_KIND = 0, 1, 2


class Band(NamedTuple):
    """The points that are searched: the first one of each row, and the cell where it begins."""

    lo: I64
    at: I64

    @property
    def cells(self) -> int:
        """The number of points."""
        return int(self.at[-1])


class Steps(NamedTuple):
    """Log scores of the steps of a path; those of beads by kind and cell.

    A skip right after another skip adds ``again``, at least 0, because untranslated sentences often
    come in passages.
    """

    sizes: I64
    scores: F32
    skip_src: F64
    skip_tgt: F64
    again: float = 0.0


class Path(NamedTuple):
    """Steps from the end to the start: starting point and kind, or ``SKIP_SRC`` or ``SKIP_TGT``."""

    src: I32
    tgt: I32
    kind: U8
    score: float


def band_around(n_src: int, n_tgt: int, width: float) -> Band:
    """Return the points at most ``width`` sentences of the shorter side from the diagonal.

    It is symmetric in the sides.
    """
    longer = max(n_src, n_tgt, 1)
    reach = width * longer
    i = np.arange(n_src + 1, dtype=np.float64)
    # Point (i, j) is kept if abs(i * n_tgt - j * n_src) <= width * max(n_src, n_tgt).
    if n_src:
        low = np.ceil((i * n_tgt - reach) / n_src)
        high = np.floor((i * n_tgt + reach) / n_src)
        low, high = np.clip(low, 0, n_tgt), np.clip(high, 0, n_tgt)
    else:
        low, high = np.zeros(1), np.full(1, float(n_tgt))
    return band_of(low.astype(np.int64), high.astype(np.int64))


def band_near(src: I64, tgt: I64, n_src: int, n_tgt: int, reach: int) -> Band:
    """Return the points at most ``reach`` sentences of either side from a path.

    ``src`` and ``tgt`` are the points of the path from (0, 0) to (``n_src``, ``n_tgt``).
    """
    rows = np.arange(n_src + 1)
    # The last point of the path up to row - reach, and the first one from row + reach on.
    first = np.searchsorted(src, rows - reach, side="right") - 1
    last = np.searchsorted(src, rows + reach, side="left")
    low = tgt[np.maximum(first, 0)] - reach
    high = tgt[np.minimum(last, src.size - 1)] + reach
    low, high = np.clip(low, 0, n_tgt), np.clip(high, 0, n_tgt)
    low[0], high[-1] = 0, n_tgt
    return band_of(low, high)


def band_of(low: I64, high: I64) -> Band:
    """Return the band of the points from ``low`` to ``high``, both included."""
    at = np.concatenate([np.zeros(1, np.int64), np.cumsum(high - low + 1)])
    return Band(frozen(low), frozen(at))


def best_path(band: Band, steps: Steps) -> Path:
    """Return the path with the highest score; ties go to the first kinds of beads."""
    # No path has more steps than skips of all sentences, m + n.
    size = band.lo.size + int(band.lo[-1] + band.at[-1] - band.at[-2])
    src, tgt = np.empty(size, np.int32), np.empty(size, np.int32)
    kind = np.empty(size, np.uint8)
    n, score = call(_best_path, band, steps, src, tgt, kind, steps=steps.scores.size // 3)
    return Path(src[:n], tgt[:n], kind[:n], score)


@jit
def _best_path(band: Band, steps: Steps, src: I32, tgt: I32, kind: U8) -> tuple[int, float]:
    """Write the steps of the best path, from the end; return their number and the path's score.

    The score of a path to a point is kept twice: over all paths, and over those that end with a
    skip (``ending``), to which ``again`` may be added.
    """
    lo, at = band
    sizes, scores, skip_src, skip_tgt, again = steps
    m = len(lo) - 1
    n = lo[m] + at[m + 1] - at[m] - 1
    came_by = np.empty(at[m + 1], np.uint8)
    # The best skip to each point, plus FIRST_KIND if it follows another.
    skips = np.empty(at[m + 1], np.uint8)
    # Rows are reused in turn; points outside their band are never reached.
    rows = np.full((TURNS, n + 1 + REACH), NEVER)
    # The best score of a path that ends with a skip, for each point of this row and the previous.
    ending = np.full((2, n + 1), NEVER)
    for i in range(m + 1):
        row = rows[i % TURNS]
        low, wide, first_cell = lo[i], at[i + 1] - at[i], at[i]
        # Row i reuses the memory of row i - TURNS, which no bead reaches any more.
        if i >= TURNS:
            old = lo[i - TURNS] + REACH
            for y in range(old, old + at[i - TURNS + 1] - at[i - TURNS]):
                row[y] = NEVER
        best = row[low + REACH : low + REACH + wide]
        step = came_by[first_cell : first_cell + wide]
        for y in range(len(step)):
            step[y] = SKIP_SRC
        # One kind at a time: the inner loop then runs along contiguous points of two rows.
        for k in range(sizes.shape[0]):
            if i < sizes[k, 0]:
                continue
            # The left margin of REACH points stays NEVER, which saves a check that j - n >= 0.
            first = low + REACH - sizes[k, 1]
            before = rows[(i - sizes[k, 0]) % TURNS][first : first + wide]
            kind_scores = scores[k][first_cell : first_cell + wide]
            for x in range(wide):
                value = before[x] + kind_scores[x]
                if value > best[x]:
                    best[x] = value
                    step[x] = FIRST_KIND + k
        ends = ending[i % 2]
        if i > 1:
            for y in range(lo[i - 2], lo[i - 2] + at[i - 1] - at[i - 2]):
                ends[y] = NEVER
        if i > 0:
            skip = skip_src[i - 1]
            for x in range(wide):
                skipped = ending[(i - 1) % 2][low + x] + again
                value = rows[(i - 1) % TURNS][low + REACH + x]
                skips[first_cell + x] = SKIP_SRC
                if skipped > value:
                    value = skipped
                    skips[first_cell + x] = FIRST_KIND + SKIP_SRC
                ends[low + x] = value + skip
        # The start: an empty path, which does not end with a skip.
        elif low == 0:
            best[0] = 0.0
        # Target skips stay in the row, so they follow from left to right once all beads are in.
        for x in range(wide):
            if x > 0:
                skipped = ends[low + x - 1] + again
                value = best[x - 1]
                way = SKIP_TGT
                if skipped > value:
                    value = skipped
                    way = FIRST_KIND + SKIP_TGT
                value += skip_tgt[low + x - 1]
                if value > ends[low + x]:
                    ends[low + x] = value
                    skips[first_cell + x] = way
            if ends[low + x] > best[x]:
                best[x] = ends[low + x]
                step[x] = SKIP_SRC
    score = rows[m % TURNS][n + REACH]
    i, j, count = m, n, 0
    after = False  # a skip: find the previous one
    while i > 0 or j > 0:
        cell = at[i] + j - lo[i]
        taken = came_by[cell]
        if after or taken == SKIP_SRC:
            after = skips[cell] >= FIRST_KIND
            taken = skips[cell] - FIRST_KIND if after else skips[cell]
        if taken == SKIP_SRC:
            i -= 1
        elif taken == SKIP_TGT:
            j -= 1
        else:
            i -= sizes[taken - FIRST_KIND, 0]
            j -= sizes[taken - FIRST_KIND, 1]
        src[count], tgt[count], kind[count] = i, j, taken
        count += 1
    return count, score
