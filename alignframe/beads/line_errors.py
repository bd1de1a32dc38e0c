"""The errors of a line classifier at thresholds, estimated from synthetic noise."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from alignframe.beads.line_classifier import Classifier, probability
from alignframe.core.arrays import F64, I64, Bools

LIMITS = tuple(limit / 20 for limit in range(1, 19))
"""The thresholds for which errors are estimated."""

POWER, FACTOR = 0.492, 2.49
"""The power and the factor of the odds, because real wrong lines are closer to right ones than
noise is. Fitted to labelled lines of three texts; correct on four others."""

LEAST_CAUGHT = 0.2
"""The share of wrong lines is estimated from thresholds with at least this share of noise below."""


class Lessons(NamedTuple):
    """Training examples: inputs, whether they are right, weights, and kinds of noise."""

    x: F64
    right: Bools
    weight: F64
    kind: npt.NDArray[np.str_]
    row: I64  # the line from which an example was made


def calibrated(logits: F64) -> F64:
    """Return calibrated log odds of real lines from those of the classifier."""
    logits_of_lines: F64 = POWER * logits + np.log(FACTOR)
    return logits_of_lines


def held_out(lessons: Lessons, classifier: Classifier) -> F64:
    """Return the log odds of examples by classifiers trained on the other half of the lines."""
    logits = np.empty(lessons.row.size)
    # Every second sampled line, not every second line of the text: all sampled ones may be even.
    place = np.unique(lessons.row, return_inverse=True)[1]
    for half in (0, 1):
        own = place % 2 == half
        others = lessons if own.all() or not own.any() else Lessons(*(p[~own] for p in lessons))
        known = Classifier.learn(*others[:4], classifier)._replace(share=classifier.share)
        logits[own] = known.logits(lessons.x[own])
    return logits


def caught_of(lessons: Lessons, kept: Bools) -> pl.DataFrame:
    """Return the share of each kind of noise that is not kept."""
    return (
        pl.DataFrame({"kind": lessons.kind, "caught": ~kept})
        .filter(pl.col("kind") != "")
        .group_by("kind", maintain_order=True)
        .agg(pl.len().cast(pl.Int64).alias("lines"), pl.col("caught").mean())
    )


def thresholds_of(
    lessons: Lessons, logits: F64, score: F64, blank: float
) -> tuple[float, pl.DataFrame]:
    """Return the estimated share of wrong lines, and the errors at thresholds if they are noise."""
    noise = probability(logits[~lessons.right])
    count = lessons.weight[~lessons.right]
    caught = np.array([np.average(noise <= limit, weights=count) for limit in LIMITS])
    # Blank and foreign lines, of the share `blank`, are always dropped.
    dropped = blank + (1.0 - blank) * np.array([np.mean(score <= limit) for limit in LIMITS])
    enough = caught >= LEAST_CAUGHT
    # If wrong lines are scored like noise, and right ones never as low, the share of lines below
    # a low threshold is that of noise times the share of wrong lines: the least ratio counts.
    ratios = dropped[enough] / caught[enough]
    wrong = float(np.clip(ratios.min(initial=1.0), 0.0, 1.0))
    lost = np.maximum(dropped - wrong * caught, 0.0)
    table = {
        "threshold": LIMITS,
        "kept": 1.0 - dropped,
        "lost": lost / max(1.0 - wrong, 1e-9),
        "noise_kept": 1.0 - caught,
        "noise_errors": lost + wrong * (1.0 - caught),
    }
    return wrong, pl.DataFrame(table)
