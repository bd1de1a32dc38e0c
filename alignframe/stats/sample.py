"""Resampled counts of systems by unit, and their figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np
import polars as pl

from alignframe.core.arrays import F64, Array
from alignframe.stats import paired
from alignframe.stats.bootstrap import MAX_UNITS, Resampling, intervals, resample_sums, unit_of
from alignframe.stats.paired import FEW, Paired, exchanged_differences, sums_kept


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


_TOGETHER = 256
"""How many tests have their intervals computed at a time."""


@dataclass(frozen=True)
class Sample:
    """Figures of systems, shape (systems, figures), and of resamples of units, (resamples, ...).

    ``exchanged`` returns the differences of two systems with their labels exchanged at random,
    shape (resamples, figures); None where there are many units, or no counts by system.
    """

    observed: F64
    drawn: F64
    confidence: float
    units: int
    exchanged: Callable[[int, int], F64] | None = None

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
        exchanged: Callable[[int, int], F64] | None = None
        if units < FEW and len(rest) == 2:
            kept = cache(lambda: sums_kept(counts, resampling.resamples, resampling.seed))

            @cache
            def exchanged(system: int, base: int) -> F64:
                pair = counts[:, [system, base]].sum(axis=0)
                return exchanged_differences(figures, kept()[:, [system, base]], pair)

        return cls(observed, drawn, resampling.confidence, units, exchanged)

    def exchanges(self, tests: int) -> bool:
        """Return whether a family of so many tests is also corrected by exchanged labels."""
        return self.exchanged is not None and tests > 1

    def interval(self, system: int, figure: int) -> tuple[float, float]:
        """Return the interval of a figure."""
        low, high = self._intervals
        return float(low[figure, system]), float(high[figure, system])

    @cached_property
    def _intervals(self) -> tuple[F64, F64]:
        # Of all at once, (figures, systems): each alone would cost ten times as much.
        observed = self.observed.T
        return intervals(self.drawn.T, self.confidence, observed=observed, units=self.units)

    def paired(self, system: int, base: int, figure: int) -> Paired:
        """Return the test of the difference of two systems, without labels exchanged."""
        drawn: F64 = self.drawn[:, system, figure] - self.drawn[:, base, figure]
        observed = float(self.observed[system, figure]) - float(self.observed[base, figure])
        return Paired(observed, drawn, self.units)

    def differences(self, pairs: Sequence[tuple[int, int, int]]) -> Iterator[dict[str, float]]:
        """Compare many pairs of a system and its base in a figure; see ``difference``."""
        for start in range(0, len(pairs), _TOGETHER):
            tests = [self.paired(*pair) for pair in pairs[start : start + _TOGETHER]]
            observed = np.array([test.observed for test in tests])
            drawn = np.stack([test.drawn for test in tests])
            ends = intervals(drawn, self.confidence, observed=observed, units=self.units)
            for test, pair, low, high in zip(tests, pairs[start:], *ends, strict=False):
                own = test.with_zero(float(low), float(high), self.confidence)
                yield self._row(test, pair, *own)

    def difference(self, system: int, base: int, figure: int) -> dict[str, float]:
        """Compare two systems: both values, the difference, its interval and p-value."""
        test = self.paired(system, base, figure)
        return self._row(test, (system, base, figure), *test.interval(self.confidence))

    def _row(
        self, test: Paired, pair: tuple[int, int, int], low: float, high: float
    ) -> dict[str, float]:
        system, base, figure = pair
        return {
            "value": float(self.observed[system, figure]),
            "baseline_value": float(self.observed[base, figure]),
            "difference": test.observed,
            "difference_low": low,
            "difference_high": high,
            "p_value": test.p_value,
        }


Test = tuple[Sample, int, int, int]
"""A sample, the indices of a system and of its baseline, and that of a figure."""


def corrected(tests: Sequence[Test]) -> F64:
    """Return the p-values of tests, corrected for their number; see ``paired.corrected``."""
    family = []
    for sample, at, base, figure in tests:
        test = sample.paired(at, base, figure)
        if sample.exchanged is not None and sample.exchanges(len(tests)):
            test = replace(test, exchanged=sample.exchanged(at, base)[:, figure])
        family.append(test)
    return paired.corrected(family)
