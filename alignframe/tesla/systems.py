"""System scores: means over segments, with bootstrap intervals and comparisons."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from alignframe.stats.bootstrap import Resampling
from alignframe.stats.figures import Ratio
from alignframe.stats.measure import Measure

MEAN = Measure("tesla", ("total", "segments"), (Ratio("score", "total", "segments"),))


def system_scores(segments: pl.DataFrame, resampling: Resampling = Resampling()) -> pl.DataFrame:  # noqa: B008 - immutable
    """Return the mean score of each system, best first.

    ``segments`` has the columns system, sid and score; null scores are ignored. The result has
    system, score, score_low, score_high (null without intervals) and segments (those with a score).
    """
    found = grouped_scores(segments, [], resampling)
    ends = [pl.lit(None, pl.Float64).alias(f"score_{end}") for end in ("low", "high")]
    if not resampling.resamples:
        found = found.with_columns(ends)
    return found.select(
        "system", "score", "score_low", "score_high", pl.col("segments").cast(pl.Int64)
    ).sort("score", descending=True, nulls_last=True, maintain_order=True)


def grouped_scores(
    segments: pl.DataFrame, keys: Sequence[str], resampling: Resampling
) -> pl.DataFrame:
    """Return the mean score of each system and group; see ``Scored.scores``."""
    groups = [*keys, "system"]
    found = MEAN.table(_counted(segments), groups, resampling=resampling, also=["segments"])
    return found.select(pl.exclude("segments"), "segments")


def compare_systems(
    segments: pl.DataFrame,
    baseline: str,
    resampling: Resampling = Resampling(),  # noqa: B008 - immutable
) -> pl.DataFrame:
    """Compare every system with a baseline by the paired bootstrap.

    Returns
    -------
    polars.DataFrame
        system, baseline, score, baseline_score, difference, difference_low, difference_high,
        p_value (two-sided; null if fewer than two sentences have both scores) and p_corrected (for
        the number of systems).

    Raises
    ------
    InputError
        If the baseline is not among the systems.
    """
    counted = _counted(segments)
    found = MEAN.differences(counted, baseline, resampling=resampling, alone=True)
    scored = counted.filter(pl.col("segments") > 0)
    shared = scored.join(scored.filter(pl.col("system") == baseline).select("sid"), on="sid")
    systems = counted.select("system").unique(maintain_order=True)
    return (
        systems.join(found, on="system", maintain_order="left")
        .join(shared.group_by("system").len(), on="system", how="left", maintain_order="left")
        .select(
            "system",
            "baseline",
            pl.col("value").alias("score"),
            pl.col("baseline_value").alias("baseline_score"),
            "^difference.*$",
            *(
                pl.when(pl.col("len") > 1).then(one).alias(one)
                for one in ("p_value", "p_corrected")
            ),
        )
    )


def _counted(segments: pl.DataFrame) -> pl.DataFrame:
    """Return segments with the counts of ``MEAN``."""
    score = pl.col("score").cast(pl.Float64).fill_nan(None)
    return segments.with_columns(
        pl.col("system").cast(pl.String),
        pl.col("sid").cast(pl.Int64),
        total=score.fill_null(0.0),
        segments=score.is_not_null().cast(pl.Int64),
    )
