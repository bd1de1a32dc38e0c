"""Systems' scores: means of their segments', with intervals and differences by the bootstrap."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from alignframe.errors import InputError
from alignframe.signatures import exact
from alignframe.stats.bootstrap import (
    MAX_UNITS,
    interval,
    paired_p_value,
    resample_sums,
    unit_of,
)

F64 = npt.NDArray[np.float64]


class Resampling(NamedTuple):
    """How intervals are made: over resampled sentences, the same ones for all systems."""

    resamples: int = 1000
    confidence: float = 0.95
    seed: int = 1

    @property
    def signature(self) -> str:
        """The choices that change an interval."""
        if not self.resamples:
            return ""
        return f"bootstrap:{self.resamples},seed:{self.seed},confidence:{exact(self.confidence)}"


def system_scores(segments: pl.DataFrame, resampling: Resampling = Resampling()) -> pl.DataFrame:  # noqa: B008 - immutable
    """Return the mean score of each system, the best one first.

    Parameters
    ----------
    segments
        The columns system, sid and score; null scores do not count.
    resampling
        Of the intervals; of 0 resamples there are none.

    Returns
    -------
    polars.DataFrame
        system, score, ci_low, ci_high (null without intervals) and segments, those with a score.
    """
    names, scores, drawn = _resampled(segments, resampling)
    rows = []
    for at, name in enumerate(names):
        mean = _mean(scores[:, at])
        low, high = (
            interval(drawn[:, at], resampling.confidence, observed=mean)
            if resampling.resamples
            else (float("nan"), float("nan"))
        )
        defined = ~np.isnan(scores[:, at])
        rows.append(
            {
                "system": name,
                "score": mean,
                "ci_low": low,
                "ci_high": high,
                "segments": int(defined.sum()),
            }
        )
    schema = {
        "system": pl.String,
        **dict.fromkeys(("score", "ci_low", "ci_high"), pl.Float64),
        "segments": pl.Int64,
    }
    frame = pl.DataFrame(rows, schema=schema).fill_nan(None)
    return frame.sort("score", descending=True, nulls_last=True, maintain_order=True)


def compare_systems(
    segments: pl.DataFrame,
    baseline: str,
    resampling: Resampling = Resampling(),  # noqa: B008 - immutable
) -> pl.DataFrame:
    """Compare every system with a baseline by the paired bootstrap.

    Returns
    -------
    polars.DataFrame
        system, baseline, score, baseline_score, difference, low, high (its interval) and p_value
        (two-sided; null if fewer than two sentences have both scores).

    Raises
    ------
    InputError
        If the baseline is not among the systems.
    """
    names, scores, drawn = _resampled(segments, resampling)
    if baseline not in names:
        raise InputError(
            f"no system is called {baseline!r}, as the baseline should be",
            expected=f"one of {', '.join(names)}",
        )
    base = names.index(baseline)
    rows = []
    for at, name in enumerate(names):
        if at == base:
            continue
        mine, other = _mean(scores[:, at]), _mean(scores[:, base])
        differences = drawn[:, at] - drawn[:, base]
        low, high = interval(differences, resampling.confidence, observed=mine - other)
        both = ~np.isnan(scores[:, [at, base]]).any(axis=1)
        enough = np.count_nonzero(both) > 1
        rows.append(
            {
                "system": name,
                "baseline": baseline,
                "score": mine,
                "baseline_score": other,
                "difference": mine - other,
                "low": low,
                "high": high,
                "p_value": paired_p_value(differences, mine - other) if enough else None,
            }
        )
    figures = ("score", "baseline_score", "difference", "low", "high", "p_value")
    schema = dict.fromkeys(("system", "baseline"), pl.String) | dict.fromkeys(figures, pl.Float64)
    return pl.DataFrame(rows, schema=schema).fill_nan(None)


def _mean(scores: F64) -> float:
    defined = scores[~np.isnan(scores)]
    return float(defined.sum() / defined.size) if defined.size else float("nan")


def _resampled(segments: pl.DataFrame, resampling: Resampling) -> tuple[list[str], F64, F64]:
    """Return systems, their scores (sentences, systems), and means of shape (resamples, systems).

    A score is NaN where there is none; sentences are drawn in groups where there are many.
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
    if not resampling.resamples:
        return names, scores, np.empty((0, len(names)))
    defined = ~np.isnan(scores)
    counts = np.hstack([np.where(defined, scores, 0.0), defined])
    if sids.size > MAX_UNITS:
        units = np.zeros((MAX_UNITS, counts.shape[1]))
        np.add.at(units, unit_of(sids), counts)
        counts = units
    sums, sizes = np.hsplit(resample_sums(counts, resampling.resamples, resampling.seed), 2)
    return names, scores, np.divide(sums, sizes, out=np.full_like(sums, np.nan), where=sizes > 0)
