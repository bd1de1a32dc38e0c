"""System scores: means over segments, with bootstrap intervals and comparisons."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from alignframe.arrays import Bools
from alignframe.stats.bootstrap import MAX_UNITS, Resampling, unit_of
from alignframe.stats.figures import Ratio
from alignframe.stats.measure import Measure, place_of
from alignframe.stats.sample import Sample

MEAN = Measure("tesla", ("total", "segments"), (Ratio("score", "total", "segments"),))


def system_scores(segments: pl.DataFrame, resampling: Resampling = Resampling()) -> pl.DataFrame:  # noqa: B008 - immutable
    """Return the mean score of each system, best first: with interval, and number of segments.

    Segments without a score are ignored. ``score_low`` and ``score_high`` are null without
    resamples.
    """
    names, sample, scored = _sampled(segments, resampling)
    rows = []
    for at, name in enumerate(names):
        low, high = sample.interval(at, 0)
        rows.append(
            {
                "system": name,
                "score": sample.observed[at, 0],
                "score_low": low,
                "score_high": high,
                "segments": int(scored[:, at].sum()),
            }
        )
    schema = {
        "system": pl.String,
        **dict.fromkeys(("score", "score_low", "score_high"), pl.Float64),
        "segments": pl.Int64,
    }
    frame = pl.DataFrame(rows, schema=schema).fill_nan(None)
    return frame.sort("score", descending=True, nulls_last=True, maintain_order=True)


def grouped_scores(
    segments: pl.DataFrame, keys: Sequence[str], resampling: Resampling
) -> pl.DataFrame:
    """Return the mean score of each system and group; see ``Scored.scores``."""
    counted = segments.with_columns(
        pl.col("system").cast(pl.String),
        total=pl.col("score").fill_null(0.0),
        segments=pl.col("score").is_not_null().cast(pl.Int64),
    )
    groups = [*keys, "system"]
    found = MEAN.table(counted, groups, resampling=resampling, also=["segments"])
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
        system, baseline, score, baseline_score, difference, difference_low, difference_high and
        p_value (two-sided; null if fewer than two sentences have both scores).

    Raises
    ------
    InputError
        If the baseline is not among the systems.
    """
    names, sample, scored = _sampled(segments, resampling)
    base = place_of(baseline, names, alone=True)
    rows = []
    for at, name in enumerate(names):
        if at == base:
            continue
        found = sample.difference(at, base, 0)
        enough = np.count_nonzero(scored[:, at] & scored[:, base]) > 1
        rows.append(
            {
                "system": name,
                "baseline": baseline,
                "score": found.pop("value"),
                "baseline_score": found.pop("baseline_value"),
                **found,
                "p_value": found["p_value"] if enough else None,
            }
        )
    figures = (
        *("score", "baseline_score"),
        *("difference", "difference_low", "difference_high", "p_value"),
    )
    schema = dict.fromkeys(("system", "baseline"), pl.String) | dict.fromkeys(figures, pl.Float64)
    return pl.DataFrame(rows, schema=schema).fill_nan(None)


def _sampled(segments: pl.DataFrame, resampling: Resampling) -> tuple[list[str], Sample, Bools]:
    """Return systems, their means in resamples, and which sentences have a score.

    The last has shape (sentences, systems); many sentences are resampled in groups.
    """
    rows = segments.select(
        pl.col("system").cast(pl.String), pl.col("sid").cast(pl.Int64), pl.col("score")
    )
    names = rows["system"].unique(maintain_order=True).to_list()
    sids, place = np.unique(rows["sid"].to_numpy(), return_inverse=True)
    numbers = {name: at for at, name in enumerate(names)}
    column = rows["system"].replace_strict(numbers, return_dtype=pl.Int64).to_numpy()
    scores = np.full((sids.size, len(names)), np.nan)
    scores[place, column] = rows["score"].fill_null(float("nan")).to_numpy()
    scored = ~np.isnan(scores)
    columns = zip(scores.T, scored.T, strict=True)
    totals = np.array([(score[has].sum(), has.sum()) for score, has in columns])
    counts = np.stack([np.where(scored, scores, 0.0), scored], axis=2)
    if sids.size > MAX_UNITS:
        units = np.zeros((MAX_UNITS, *counts.shape[1:]))
        np.add.at(units, unit_of(sids), counts)
        counts = units
    return names, Sample.draw(MEAN.of, counts, resampling, totals.reshape(-1, 2)), scored
