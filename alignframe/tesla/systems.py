"""A system's score is the mean of its segments', as a measure."""

from __future__ import annotations

import polars as pl

from alignframe.core.figures import Ratio
from alignframe.core.signatures import long
from alignframe.stats.measure import Measure


def mean_score(signature: str) -> Measure:
    """Return the mean of scores with a signature as a measure of ``segment_counts``."""
    _, name, *choices = long(signature).split("|")
    mean = (Ratio("score", "total", "segments"),)
    return Measure(name.partition(":")[2], ("total", "segments"), mean, tuple(choices))


MEAN = mean_score("|metric:tesla")
"""The mean of scores of which nothing is known."""


def segment_counts(segments: pl.DataFrame) -> pl.DataFrame:
    """Return segments with the counts of ``mean_score``; those without a score count as 0."""
    score = pl.col("score").cast(pl.Float64).fill_nan(None)
    return segments.with_columns(
        pl.col("system").cast(pl.String),
        pl.col("sid").cast(pl.Int64),
        total=score.fill_null(0.0),
        segments=score.is_not_null().cast(pl.Int64),
    )
