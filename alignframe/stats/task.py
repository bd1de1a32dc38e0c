"""Tasks: an area says how it counts; counts, scores and comparisons follow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import NamedTuple

import polars as pl
import pyarrow as pa

from alignframe.errors import InputError
from alignframe.stats.bootstrap import Resampling, drawn_as
from alignframe.stats.differences import grouping
from alignframe.stats.measure import Measure, keys_of


class Counted(NamedTuple):
    """Counts, the measure of their sums, and the parts of a signature that inputs decide."""

    frame: pl.DataFrame  # system, groups, counts and, if asked for, the unit
    measure: Measure
    parts: Sequence[str] = ()
    # Columns whose sums stand beside figures, by their names there.
    shown: Mapping[str, str] = MappingProxyType({})
    bands: Sequence[str] = ()  # the values of the group length in order

    def scored(self, by: Sequence[str], unit: str, drawn: Resampling) -> pl.DataFrame:
        """Return the figures of each system and group; see ``Measure.scored``."""
        frame, measure, parts, shown, bands = self
        figures = measure.scored(
            frame, by, parts, unit=unit, resampling=drawn, also=[*shown], bands=bands
        )
        return figures.rename(shown)


@dataclass(frozen=True)
class Task:
    """How an area counts."""

    # count(*inputs, by, unit, **options) counts systems by groups and, if there is a `unit`, by
    # this column too.
    count: Callable[..., Counted]
    unit: str = "sid"  # the column of what is counted
    drawn: str = "sid"  # that of what is resampled: units, or groups of them
    # stream(*inputs, by, **options) yields the counts of units in pieces, of inputs of any size.
    stream: Callable[..., Iterator[pa.Table]] | None = None

    def counts(
        self, *inputs: object, by: Sequence[str] | str = (), **options: object
    ) -> pl.DataFrame:
        """Return the counts of each unit, sorted, with their signature."""
        keys = keys_of(by)
        frame, measure, parts, *_ = self.count(*inputs, by=keys, unit=self.unit, **options)
        first = list(dict.fromkeys(["system", self.unit, *keys]))
        mark = measure.signature(grouping(keys), *parts)
        return frame.select(
            *first, pl.exclude(*first, "sentences"), pl.lit(mark).alias("signature")
        ).sort(first[:2], maintain_order=True)

    def scores(
        self,
        *inputs: object,
        by: Sequence[str] | str = (),
        drawn: Resampling,
        **options: object,
    ) -> pl.DataFrame:
        """Return the figures of each system and group; see ``Measure.scores``."""
        keys = keys_of(by)
        resampling = replace(drawn, of=drawn_as(self.unit))
        if drawn.resamples and self.unit in keys:
            raise InputError(f"resamples by {self.unit}", expected="other groups, or none")
        unit = self.drawn if drawn.resamples else ""
        counted = self.count(*inputs, by=keys, unit=unit, **options)
        if unit:
            resampling.check_units(counted.frame[unit].n_unique())
        return counted.scored(keys, unit, resampling)

    def compare(
        self,
        *inputs: object,
        baseline: str,
        drawn: Resampling,
        **options: object,
    ) -> pl.DataFrame:
        """Return the differences of systems from a baseline; see ``Measure.compare``."""
        resampling = replace(drawn, of=drawn_as(self.unit))
        frame, measure, parts, *_ = self.count(*inputs, by=[], unit=self.drawn, **options)
        return measure.differences(frame, baseline, parts, unit=self.drawn, resampling=resampling)
