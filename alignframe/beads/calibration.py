"""Calibration of bead probabilities: correcting those of lex, and measuring any method's."""

from __future__ import annotations

from math import exp

import polars as pl

from alignframe.beads.sources import beads_of, beads_source, hypotheses
from alignframe.core.arrays import F64
from alignframe.core.schemas import SPANS
from alignframe.errors import InputError, number_of, warn
from alignframe.typing import IntoBeads, Several

SLOPE = 0.57
"""The factor of a bead's log odds. The model takes words, lengths and sentences for independent,
which they are not, so it is overconfident."""

SHIFT = -0.18
"""The constant added to them. Both are from logistic regression on beads of the development texts
of docs/beads.md, except the Bible, whose gold joins beads that can be split."""


def probability_of(posterior: F64) -> F64:
    """Return the share of correct beads at a posterior probability of lex's model."""
    # Odds to the power of the slope, times the exponential of the shift.
    right, wrong = exp(SHIFT) * posterior**SLOPE, (1.0 - posterior) ** SLOPE
    share: F64 = right / (right + wrong)
    return share


def posterior_of(probability: float) -> float:
    """Return the posterior probability at which this share of beads is correct."""
    odds = (probability / (1.0 - probability) * exp(-SHIFT)) ** (1.0 / SLOPE)
    return float(odds / (1.0 + odds))


def calibration(hyp: Several[IntoBeads], gold: IntoBeads, bins: int = 10) -> pl.DataFrame:
    """Return the share of correct beads by their probability.

    Parameters
    ----------
    hyp
        Beads with scores; see ``scores``. Those with an empty side or without a score are left out.
    gold
        Gold beads; a bead is correct if it is identical to one of them.
    bins
        The number of probability bins, all of the same width.

    Returns
    -------
    polars.DataFrame
        The columns system, low and high (the bin), beads (their number), probability (their mean),
        correct (the share found in gold), correct_low and correct_high (its 95% interval), as in
        ``aligners.confidence.calibration``. The expected calibration error is the mean of
        ``abs(probability - correct)``, weighted by ``beads``.

    Raises
    ------
    InputError
        If no bead has a score, or ``bins`` is below 1.

    Examples
    --------
    >>> import polars as pl
    >>> from alignframe import beads
    >>> places = {"src_start": [0, 1], "src_end": [1, 2], "tgt_start": [0, 1], "tgt_end": [1, 2]}
    >>> gold = pl.DataFrame(places)
    >>> hyp = pl.DataFrame({**places, "tgt_end": [1, 3], "score": [0.9, 0.3]})
    >>> beads.calibration(hyp, gold, bins=2).select("low", "high", "beads", "correct").rows()
    [(0.0, 0.5, 1, 0.0), (0.5, 1.0, 1, 1.0)]
    """
    from alignframe.aligners.confidence import binned  # slow to import, and not needed for aligning

    golden = beads_source(gold, "gold")
    right = beads_of(golden)
    beads_of_systems = hypotheses(hyp, golden, right)
    full = (pl.col("src_start") < pl.col("src_end")) & (pl.col("tgt_start") < pl.col("tgt_end"))
    beads = pl.concat(beads_of_systems.values()).filter(full)
    unscored = beads["score"].null_count()
    if 0 < unscored < beads.height:
        said = f"{number_of(unscored, 'bead')} of {beads.height:,} without a score left out"
        warn(said)
    judged = (
        beads.filter(pl.col("score").is_not_null())
        .join(
            right.select("doc", *SPANS, right=pl.lit(value=True)),
            on=["doc", *SPANS],
            how="left",
        )
        .select("system", probability="score", right=pl.col("right").fill_null(value=False))
    )
    if not judged.height:
        raise InputError("no bead with a score", expected="probabilities, as aligners write them")
    return binned(judged, bins, "beads")
