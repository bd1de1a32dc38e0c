"""Macro averages: means over documents of ratios of sums."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from alignframe.stats.figures import Ratio
from alignframe.stats.measure import Measure


def of_documents(measure: Measure, counted: pl.DataFrame) -> tuple[Measure, pl.DataFrame]:
    """Return a measure of macro averages, and its counts.

    Each figure becomes the mean over the documents, one per row, for which it is defined: its sum
    and the number of these documents are added to the counts as ``<figure>_sum`` and
    ``<figure>_docs``.
    """
    figures = measure.columns(counted.select(measure.counts))
    sums = [one.fill_null(0.0).alias(f"{one.name}_sum") for one in figures]
    numbers = [one.is_not_null().cast(pl.Int64).alias(f"{one.name}_docs") for one in figures]
    means = replace(
        measure,
        counts=tuple(one.name for one in (*sums, *numbers)),
        figures=tuple(Ratio(name, f"{name}_sum", f"{name}_docs") for name in measure.names),
        choices=tuple(
            "average:documents" if one == "average:corpus" else one for one in measure.choices
        ),
    )
    return means, counted.hstack([*sums, *numbers])
