"""The best candidate of each segment along a line in the space of weights (Och 2003).

Along ``weights + x * direction``, a candidate's score is a line in x, ``scores + x * slopes``, and
the best candidates are the upper envelope of these lines. Lines are put on a stack by ascending
slope; each first removes those that it overtakes before they begin to be best (as in Andrew's
monotone chain), so an envelope takes linear time after sorting.
"""

from __future__ import annotations

import numpy as np

from alignframe.arrays import F64, I64
from alignframe.kernels.arrays import grown
from alignframe.kernels.jit import jit


@jit
def best_candidates(at: I64, scores: F64) -> I64:
    """Return the first of the best candidates ``at[s] <= k < at[s + 1]`` of each segment s."""
    best = np.empty(at.size - 1, np.int64)
    for s in range(best.size):
        best[s] = at[s]
        for k in range(at[s] + 1, at[s + 1]):
            if scores[k] > scores[best[s]]:
                best[s] = k
    return best


@jit
def envelopes(at: I64, order: I64, scores: F64, slopes: F64) -> tuple[I64, F64, I64, I64]:
    """Return the upper envelope of each segment's candidates, as lines ``scores + x * slopes``.

    Segment s has the candidates ``at[s] <= k < at[s + 1]``; ``order`` sorts each segment's by
    ascending slope. Return the best candidate of each segment at minus infinity; then every x at
    which a best candidate changes, with the old and the new one.
    """
    first = np.empty(at.size - 1, np.int64)
    thresholds = np.empty(1024)
    before, after = np.empty(1024, np.int64), np.empty(1024, np.int64)
    n = 0
    longest = 0
    for s in range(first.size):
        longest = max(longest, at[s + 1] - at[s])
    hull = np.empty(longest, np.int64)
    begins = np.empty(longest)
    for s in range(first.size):
        size = 0
        for place in range(at[s], at[s + 1]):
            k = order[place]
            x = -np.inf
            # Of parallel lines only the highest counts; ties keep the first.
            if size > 0 and slopes[hull[size - 1]] == slopes[k]:
                if scores[k] <= scores[hull[size - 1]]:
                    continue
                size -= 1
            while size > 0:
                top = hull[size - 1]
                # Where line k overtakes the last one: before that begins to be best, it never is.
                x = (scores[top] - scores[k]) / (slopes[k] - slopes[top])
                if x > begins[size - 1]:
                    break
                size -= 1
            hull[size] = k
            begins[size] = x if size > 0 else -np.inf
            size += 1
        first[s] = hull[0]
        thresholds = grown(thresholds, n + size)
        before, after = grown(before, n + size), grown(after, n + size)
        for k in range(1, size):
            thresholds[n], before[n], after[n] = begins[k], hull[k - 1], hull[k]
            n += 1
    return first, thresholds[:n], before[:n], after[:n]
