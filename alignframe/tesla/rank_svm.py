"""A linear ranking support vector machine (Joachims 2002, 2006).

The objective is that of SVM-rank: half the squared length of the weights, plus C times the hinge
loss of all preferences, where C is ``c`` divided by the number of rankings. There is no intercept,
since only differences of features count.

It is solved by an interior-point method (Ferris & Munson 2002, with Mehrotra's steps, 1992). With
few features, a step costs little more than the product of the feature matrix with itself, and a few
dozen steps suffice whatever the scale of the features; coordinate descent may take tens of
thousands of passes.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from alignframe.core.arrays import F64
from alignframe.errors import POSITIVE, InputError, warn

TOLERANCE = 1e-6
STEPS = 200

# The share of the distance to the nearest bound that a step goes.
_SHORT = 0.995


class Fit(NamedTuple):
    """Weights, and the quality of the solution."""

    weights: F64
    objective: float
    gap: float  # bounds how far the objective is above the optimum, as a share of it
    steps: int


def rank_svm(
    differences: npt.ArrayLike,
    rankings: int,
    *,
    c: float = 1.0,
    tolerance: float = TOLERANCE,
    steps: int = STEPS,
) -> Fit:
    """Find the weights that order pairs by preference.

    Parameters
    ----------
    differences
        Shape (pairs, features): features of the preferred translation minus the other's.
    rankings
        The number of rankings that the pairs come from.
    c
        The cost of an error; SVM-rank's option ``-c``.
    tolerance
        Stop at this gap between the primal and the dual objective, as a share of the primal.
    steps
        Maximum number of steps.

    Raises
    ------
    InputError
        If there are no pairs, a difference is not finite, or ``c`` is not above 0.

    Warns
    -----
    DataWarning
        If the tolerance was not reached.
    """
    matrix = np.ascontiguousarray(differences, np.float64)
    if matrix.ndim != 2 or not matrix.size:
        raise InputError("no pairs to learn from", expected="preferences between translations")
    if not np.isfinite(matrix).all():
        raise InputError("a feature that is missing or not finite", expected="finite numbers")
    POSITIVE.checked(c, "`c`")
    if rankings < 1:
        raise InputError(f"{rankings} rankings", expected="at least 1")
    cost = c / rankings
    # With weights u * sqrt(cost), errors cost 1, and the dual variables are from 0 to 1.
    solution = _interior_point(matrix * math.sqrt(cost), tolerance, steps)
    fit = solution._replace(
        weights=solution.weights * math.sqrt(cost), objective=solution.objective * cost
    )
    if fit.gap > tolerance:
        warn(
            f"the weights are not exact: the objective may be {fit.gap:.2g} (relative) too high "
            f"after {fit.steps:,} steps; use a smaller c"
        )
    return fit


def _interior_point(rows: F64, tolerance: float, steps: int) -> Fit:
    """Minimize ``|u|^2 / 2 + sum(max(0, 1 - rows @ u))``."""
    a = rest = np.full(len(rows), 0.5)  # the distance to 1 is stored separately, as it may be tiny
    # The dual problem minimises |rows.T @ a|^2 / 2 - sum(a) with every a from 0 to 1; low and high
    # are the multipliers of these bounds.
    slope = rows @ (a @ rows) - 1
    # As large as the slope's largest element, so that all products with the bounds are similar.
    start = 1 + float(np.abs(slope).max())
    low, high = np.maximum(slope, 0) + start, np.maximum(-slope, 0) + start
    best = Fit(np.zeros(rows.shape[1]), math.inf, math.inf, 0)
    for step in range(steps + 1):
        u = a @ rows
        margins = rows @ u
        half = float(u @ u) / 2
        primal = half + float(np.maximum(1 - margins, 0).sum())
        gap = max(primal - (float(a.sum()) - half), 0.0) / primal
        if gap < best.gap:
            best = Fit(u, primal, gap, step)
        if gap <= tolerance or step == steps:
            break
        moved = _step(rows, a, rest, low, high, margins - 1)
        if moved is None:
            break
        a, rest, low, high = moved
    return best._replace(steps=step)


def _step(
    rows: F64, a: F64, rest: F64, low: F64, high: F64, slope: F64
) -> tuple[F64, F64, F64, F64] | None:
    """Return the next point, by predictor and corrector steps; None if rounding prevents it."""
    root = np.sqrt(low / a + high / rest)
    # The steps solve (root^2 + rows rows.T) move = right. QR projects right / root off these
    # columns without squaring an ill-conditioned matrix.
    columns = np.vstack([rows / root[:, None], np.eye(rows.shape[1])])
    base = np.linalg.qr(columns)[0][: len(rows)]
    wrong = slope - low + high

    def solve(to_low: F64, to_high: F64) -> tuple[F64, F64, F64]:
        """Return the Newton step towards these products with the bounds."""
        right = (-wrong + to_low / a - to_high / rest) / root
        move = (right - base @ (right @ base)) / root
        return move, (to_low - low * move) / a, (to_high + high * move) / rest

    mean = float(low @ a + high @ rest) / (2 * a.size)
    move, low_move, high_move = solve(-low * a, -high * rest)
    way = _length(((a, move), (rest, -move), (low, low_move), (high, high_move)))
    ahead = (low + way * low_move) @ (a + way * move)
    ahead += (high + way * high_move) @ (rest - way * move)
    # Mehrotra's heuristic: the farther the predictor gets, the less the corrector centres.
    centre = mean * (float(ahead) / (2 * a.size) / mean) ** 3
    move, low_move, high_move = solve(
        centre - low * a - low_move * move, centre - high * rest + high_move * move
    )
    way = _SHORT * _length(((a, move), (rest, -move), (low, low_move), (high, high_move)))
    if not math.isfinite(way) or way <= 0:
        return None
    return a + way * move, rest - way * move, low + way * low_move, high + way * high_move


def _length(sides: tuple[tuple[F64, F64], ...]) -> float:
    """Return how far values can move before one becomes 0, at most 1."""
    length = 1.0
    for values, moves in sides:
        down = moves < 0
        if down.any():
            length = min(length, float((values[down] / -moves[down]).min()))
    return length
