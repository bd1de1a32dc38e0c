"""Agreement of metrics with rankings: counts by sentence, and figures of their sums.

Counts are additive over sentences, so resamples are sums too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from alignframe.core.arrays import F64, I64
from alignframe.stats.bootstrap import MAX_UNITS, Resampling, unit_of
from alignframe.stats.external import with_ties
from alignframe.stats.pearson import correlation
from alignframe.stats.ranks import spearman
from alignframe.stats.sample import Sample

TAUS = ("wmt12", "wmt13", "wmt14")
"""Kendall's tau with a metric's ties as discordant, left out, or in the denominator only."""

FIGURES = ("consistency", *(f"tau_{name}" for name in TAUS), "spearman", "pearson")

COUNTS = ("concordant", "discordant", "metric_ties")
_FEWEST = 3


@dataclass(frozen=True)
class AgreementCounts:
    """Additive counts of sentences (units), metrics and systems."""

    agreement: F64  # units, metrics, COUNTS
    wins: F64  # units, systems, (wins, losses, ties)
    sums: F64  # units, metrics, systems, (sum of scores, their number)
    metrics: list[str]
    systems: list[str]


def tabulate(
    agreement: pl.DataFrame,
    wins: pl.DataFrame,
    rows: pl.DataFrame,
    metrics: list[str],
    systems: list[str],
) -> AgreementCounts:
    """Put counts into arrays by sentence, or by random groups of many sentences."""
    sids = np.unique(np.concatenate([rows["sid"].to_numpy(), wins["sid"].to_numpy()]))
    # Many sentences are resampled in random groups.
    groups = unit_of(sids) if sids.size > MAX_UNITS else np.arange(sids.size)
    size = int(groups.max()) + 1
    shape = len(metrics), len(systems)

    def units(frame: pl.DataFrame) -> I64:
        return groups[np.searchsorted(sids, frame["sid"].to_numpy())]

    def places(frame: pl.DataFrame, column: str, known: Sequence[str]) -> pl.Series:
        return frame[column].replace_strict(known, range(len(known)), return_dtype=pl.Int64)

    counted = np.zeros((size, shape[0], 3))
    np.add.at(
        counted,
        (units(agreement), places(agreement, "metric", metrics).to_numpy()),
        agreement.select(COUNTS).to_numpy(),
    )
    wins = wins.filter(pl.col("system").is_in(systems))
    won = np.zeros((size, shape[1], 3))
    np.add.at(
        won,
        (units(wins), places(wins, "system", systems).to_numpy()),
        wins.select("wins", "losses", "ties").to_numpy(),
    )
    rows = rows.filter(pl.col("system").is_in(systems) & pl.col("score").is_not_null())
    sums = np.zeros((size, *shape, 2))
    where = [places(rows, "metric", metrics), places(rows, "system", systems)]
    values = np.stack([rows["score"].to_numpy(), np.ones(rows.height)], axis=1)
    np.add.at(sums, (units(rows), *(place.to_numpy() for place in where)), values)
    return AgreementCounts(counted, won, sums, metrics, systems)


def sample_of(counted: AgreementCounts, ties: str, human: str, drawn: Resampling) -> Sample:
    """Return the figures of all sentences and of resamples, by metric."""
    parts = [counted.agreement, counted.wins, counted.sums]
    ends = np.cumsum([part[0].size for part in parts])

    def figures(sums: F64) -> F64:
        flat = np.split(sums.reshape(-1, ends[-1]), ends[:-1], axis=1)
        each = [
            sums_of_part.reshape(-1, *part.shape[1:])
            for sums_of_part, part in zip(flat, parts, strict=True)
        ]
        figures_found = _of_sums(each[0], each[1], each[2], ties, human)
        return figures_found.reshape(*sums.shape[:-1], *figures_found.shape[1:])

    # Side by side, so that all share the resamples.
    return Sample.draw(figures, np.hstack([part.reshape(len(part), -1) for part in parts]), drawn)


def _of_sums(agreement: F64, wins: F64, sums: F64, ties: str, human: str) -> F64:
    """Return figures of sums of counts, shape (draws, metrics, figures); NaN where undefined."""
    right, wrong, tied = np.moveaxis(agreement, -1, 0)
    strict, decided = right + wrong + tied, right + wrong
    with np.errstate(invalid="ignore", divide="ignore"):
        consistency = {
            "wrong": right / strict,
            "half": (right + tied / 2) / strict,
            "skip": right / decided,
        }[ties]
        taus = (
            (right - wrong - tied) / strict,
            (right - wrong) / decided,
            (right - wrong) / strict,
        )
        won, lost, even = np.moveaxis(wins, -1, 0)
        people = won / (won + lost) if human == "wmt12" else (won + even) / (won + lost + even)
        means = sums[..., 0] / sums[..., 1]
    by_system = [_system_level(means[:, m], people) for m in range(means.shape[1])]
    rho, pearson = (np.stack(side, axis=1) for side in zip(*by_system, strict=True))
    return np.stack([consistency, *taus, rho, pearson], axis=-1)


def _system_level(means: F64, people: F64) -> tuple[F64, F64]:
    """Return Spearman's and Pearson's correlation per resample, over systems with both scores."""
    both = np.isfinite(means) & np.isfinite(people)
    rho, pearson = np.full((2, len(means)), np.nan)
    # A resample may leave a system without rankings: each set of systems is correlated by itself.
    for known in np.unique(both, axis=0):  # a resample may leave a system without rankings
        if known.sum() < _FEWEST:
            continue
        draws = np.flatnonzero((both == known).all(axis=1))
        x, y = (side[draws][:, known] for side in (means, people))
        pearson[draws] = correlation(x, y)
        rho[draws] = spearman(with_ties(x), with_ties(y))
    return rho, pearson
