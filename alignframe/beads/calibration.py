"""What the probabilities of beads promise: those of lex as they turn out, and how to check any."""

from __future__ import annotations

from math import exp

import polars as pl

from alignframe.arrays import F64
from alignframe.beads.sources import hypotheses, read
from alignframe.errors import InputError
from alignframe.sources import is_path
from alignframe.tables import SPANS
from alignframe.typing import IntoBeads, Several

SLOPE = 0.57
"""What the logarithmic odds of a bead count. Words and lengths are taken for independent, sentence
by sentence and of each other, and are not: what they say together is overstated."""

SHIFT = -0.18
"""What is added to them. Both are by logistic regression on beads of the development texts of
docs/beads.md but for the Bible's, whose gold joins what can be split."""


def probability_of(posterior: F64) -> F64:
    """Return how often beads are right that the model of lex gives such a probability."""
    right, wrong = exp(SHIFT) * posterior**SLOPE, (1.0 - posterior) ** SLOPE
    found: F64 = right / (right + wrong)
    return found


def posterior_of(probability: float) -> float:
    """Return the model's probability of beads that are right so often."""
    odds = (probability / (1.0 - probability) * exp(-SHIFT)) ** (1.0 / SLOPE)
    return float(odds / (1.0 + odds))


def calibration(hyp: Several[IntoBeads], gold: IntoBeads, bins: int = 10) -> pl.DataFrame:
    """Return the share of correct beads by their probability.

    Parameters
    ----------
    hyp
        Beads of systems with scores, see ``scores``. Those with an empty side and those without a
        score are left out.
    gold
        Right beads; one that is identical is right.
    bins
        The number of ranges of the same width into which probabilities are put.

    Returns
    -------
    polars.DataFrame
        The columns system, low and high (the range), beads (their number), probability (their
        mean), correct (the share that gold has), correct_low and correct_high (the 95% interval of
        it), as ``alignframe.aligners.calibration`` has them of links. The expected calibration
        error is the mean of ``abs(probability - correct)``, weighted by ``beads``.

    Raises
    ------
    InputError
        If no bead has a score, or ``bins`` is below 1.
    """
    from alignframe.aligners.confidence import binned  # slow to import, and of no use to aligners

    right = read(gold, "gold")
    found = hypotheses(hyp, right, gold_is_file=is_path(gold))
    full = (pl.col("src_start") < pl.col("src_end")) & (pl.col("tgt_start") < pl.col("tgt_end"))
    judged = (
        pl.concat(found.values())
        .filter(full & pl.col("score").is_not_null())
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
