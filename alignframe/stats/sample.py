"""Resampled counts of systems by unit, and their figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from alignframe.core.arrays import F64, Array
from alignframe.stats.bootstrap import (
    MAX_UNITS,
    Resampling,
    interval,
    paired_p_value,
    resample_sums,
    unit_of,
)
from alignframe.stats.multiple import max_t


def by_unit(counts: pl.DataFrame, names: Sequence[str], systems: Sequence[str], unit: str) -> Array:
    """Return counts of shape (units, systems, counts); missing units count as 0."""
    if counts[unit].dtype.is_integer() and counts[unit].n_unique() > MAX_UNITS:
        groups = unit_of(counts[unit].cast(pl.Int64).to_numpy())
        counts = counts.with_columns(pl.Series(unit, groups))
    sums = counts.group_by(unit, "system").agg(pl.col(names).sum())
    units = sums[unit].unique()
    every = pl.DataFrame({"system": pl.Series(systems, dtype=pl.String)})
    grid = pl.DataFrame({unit: units}).join(every, how="cross")
    full = grid.join(sums, on=[unit, "system"], how="left", nulls_equal=True).sort(unit, "system")
    matrix = full.select(names).fill_null(0).to_numpy()
    return matrix.reshape(units.len(), len(systems), len(names))


@dataclass(frozen=True)
class Sample:
    """Figures of systems, shape (systems, figures), and of resamples of units, (resamples, ...)."""

    observed: F64
    drawn: F64
    confidence: float
    units: int

    @classmethod
    def draw(
        cls,
        figures: Callable[[Array], F64],
        counts: Array,
        resampling: Resampling,
        totals: Array | None = None,
    ) -> Sample:
        """Resample units, with the same resamples for all systems."""
        # `figures` maps sums (..., counts) to figures (..., figures); `counts` are (units, systems,
        # counts), `totals` their sums, if known.
        units, *rest = counts.shape
        observed = figures(counts.sum(axis=0) if totals is None else totals)
        if not resampling.resamples or units < 2:  # every interval is undefined
            return cls(observed, np.empty((0, *observed.shape)), resampling.confidence, units)
        sums = resample_sums(counts.reshape(units, -1), resampling.resamples, resampling.seed)
        # Ordered so that the resamples of one figure are contiguous.
        drawn = np.asfortranarray(figures(sums.reshape(-1, *rest)))
        return cls(observed, drawn, resampling.confidence, units)

    def interval(self, system: int, figure: int) -> tuple[float, float]:
        """Return the interval of a figure."""
        at = (system, figure)
        return interval(self.drawn[:, *at], self.confidence, observed=float(self.observed[at]))

    def differences(self, system: int, base: int, figure: int) -> F64:
        """Return the difference of two systems in each resample."""
        drawn: F64 = self.drawn[:, system, figure] - self.drawn[:, base, figure]
        return drawn

    def difference(self, system: int, base: int, figure: int) -> dict[str, float]:
        """Compare two systems: both values, the difference, its interval and p-value."""
        value, other = (float(self.observed[place, figure]) for place in (system, base))
        differences = self.differences(system, base, figure)
        low, high = interval(differences, self.confidence, observed=value - other)
        return {
            "value": value,
            "baseline_value": other,
            "difference": value - other,
            "difference_low": low,
            "difference_high": high,
            "p_value": paired_p_value(differences, value - other, self.units),
        }


Test = tuple[Sample, int, int, int]
"""A sample, the indices of a system and of its baseline, and that of a figure."""


def corrected(tests: Sequence[Test]) -> F64:
    """Return the p-values of tests, corrected for their number; see ``multiple.max_t``."""
    observed = np.array(
        [sample.observed[at, f] - sample.observed[base, f] for sample, at, base, f in tests]
    )
    every = [sample.differences(*places) for sample, *places in tests]
    drawn = np.full((max(map(len, every), default=0), len(tests)), np.nan)
    for number, own in enumerate(every):
        drawn[: len(own), number] = own - observed[number]
    return max_t(observed, drawn, [sample.units for sample, *_ in tests])
