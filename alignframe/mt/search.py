"""Minimum error rate training: line search along axes and random directions (Och 2003).

The score of a pool along a line is constant between the points where the best candidate of a
segment changes. All these points are found, and sums of counts are updated from one to the next, so
that the best point of a line is exact.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from alignframe.core.arrays import F64, I64, Bools, frozen
from alignframe.core.portable import weighted_sums
from alignframe.kernels.mt.n_best import best_candidates, envelopes

# Scores are higher only if they differ by more than this.
_GAIN = 1e-9
_WIDTH = 1e-9


class Scored(Protocol):
    """A score of sums of counts."""

    def score(self, sums: F64) -> F64:
        """Return the scores of sums, shape (..., counts)."""


class Point(NamedTuple):
    """Weights, and the score of the pool at them."""

    weights: F64
    score: float


class Pool:
    """Candidates of segments, with features and counts, scored by an ``objective``."""

    def __init__(
        self,
        segments: I64,
        features: F64,
        counts: F64,
        objective: Scored,
        fixed: Bools,
    ) -> None:
        # Segments ascend without gaps; features and counts have one row per candidate.
        sizes = np.bincount(segments)
        self._at = frozen(np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))
        self._segments = segments
        self._columns = [frozen(features[:, k]) for k in range(features.shape[1])]
        self._features = features
        self._counts = counts
        self._objective = objective
        self.fixed = fixed
        # A feature with the same value for all candidates of each segment changes no choice.
        self._moving = [
            k
            for k, column in enumerate(self._columns)
            if not fixed[k] and np.any(column != column[self._at[:-1]][segments])
        ]
        self._orders = {k: self._order(self._columns[k]) for k in self._moving}

    def _order(self, slopes: F64) -> I64:
        return frozen(np.lexsort((slopes, self._segments)))

    def score(self, weights: F64) -> float:
        """Return the score of the candidates chosen by weights."""
        best = best_candidates(self._at, frozen(weighted_sums(self._features, weights)))
        return float(self._objective.score(self._counts[best].sum(axis=0)))

    def along(self, scores: F64, slopes: F64, order: I64) -> tuple[float, float]:
        """Return the best step along a line, and its score; no step if none is better."""
        first, at, before, after = envelopes(self._at, order, frozen(scores), frozen(slopes))
        turn = np.argsort(at, kind="stable")
        at = at[turn]
        sums = np.empty((at.size + 1, self._counts.shape[1]))
        sums[0] = self._counts[first].sum(axis=0)
        # From one point to the next, one candidate replaces another.
        sums[1:] = self._counts[after[turn]] - self._counts[before[turn]]
        np.cumsum(sums, axis=0, out=sums)
        figures = self._objective.score(sums)
        low = np.concatenate([[-np.inf], at])
        high = np.concatenate([at, [np.inf]])
        # Between turns this close, rounding decides which candidate is best.
        figures = np.where(high - low > _WIDTH * (1 + np.abs(np.nan_to_num(low))), figures, -np.inf)
        top = figures.max()
        equal = np.flatnonzero(figures > top - _GAIN)
        # The widest of the best intervals, and its middle, are the safest choice.
        if ((low[equal] < 0) & (high[equal] > 0)).any():
            return 0.0, float(top)
        best = equal[np.argmax(high[equal] - low[equal])]
        return _inside(float(low[best]), float(high[best])), float(top)

    def climb(self, start: F64, rng: np.random.Generator, most: int = 30) -> Point:
        """Improve weights until no axis or random direction increases the score."""
        weights = start.astype(np.float64).copy()
        best = self.score(weights)
        if not self._moving:
            return Point(weights, best)
        for _ in range(most):
            before = best
            scores = weighted_sums(self._features, weights)
            for k in rng.permutation(self._moving):
                step, score = self.along(scores, self._columns[k], self._orders[k])
                if step and score > best + _GAIN:
                    weights[k] += step
                    scores = scores + step * self._columns[k]
                    best = score
            if best <= before + _GAIN:
                direction = np.zeros(weights.size)
                direction[self._moving] = rng.normal(size=len(self._moving))
                # Large weights move far, and those of 0 move at all.
                direction[self._moving] *= np.abs(weights[self._moving]) + 0.1
                slopes = weighted_sums(self._features, direction)
                step, score = self.along(scores, slopes, self._order(slopes))
                if not step or score <= best + _GAIN:
                    break
                weights = weights + step * direction
                best = score
            if not np.isfinite(weights).all():
                break
        # Rounding may lead to another choice than in the line search.
        return Point(weights, self.score(weights))


def _inside(low: float, high: float) -> float:
    if np.isinf(low) and np.isinf(high):
        return 0.0
    if np.isinf(low):
        # Beyond the last turn all steps are equal: a short way behind it will do.
        return high - max(0.1, 0.1 * abs(high))
    if np.isinf(high):
        return low + max(0.1, 0.1 * abs(low))
    return (low + high) / 2


def optimise(pool: Pool, start: F64, restarts: int, seed: int) -> list[Point]:
    """Climb from a given start and from random ones; the given one wins unless it is worse."""
    rng = np.random.default_rng(seed)
    points = [pool.climb(start, rng)]
    own = pool.score(start)
    if points[0].score < own:
        points[0] = Point(start.copy(), own)
    scale = np.abs(start).max() or 1.0
    for number in range(restarts):
        # Half of the random starts are around the given one; the others share only its signs, with
        # any sign for 0.
        if number % 2:
            near = start * np.exp(rng.normal(size=start.size))
        else:
            near = rng.uniform(-scale, scale, start.size)
            near = np.where(start == 0, near, np.copysign(near, start))
        points.append(pool.climb(np.where(pool.fixed, start, near), rng))
    return points
