"""Systems as in a paper's table: which are best, and which differ from a baseline."""

from __future__ import annotations

import polars as pl

from alignframe.stats.bootstrap import Resampling
from alignframe.stats.conclusions import best_of
from alignframe.stats.task import Counted


def standings(
    counted: Counted, unit: str, drawn: Resampling, baseline: str | None = None
) -> pl.DataFrame:
    """Return the figures of each system, and what tests of differences say.

    Parameters
    ----------
    counted
        Counts by system and unit.
    unit
        The column of the unit of resampling.
    drawn
        The resamples; without any, or with a single unit, nothing is tested.
    baseline
        The system from which the others may differ.

    Returns
    -------
    polars.DataFrame
        One row per system: system, the figures, best (the figures by which it is the best or cannot
        be told apart from the best), differs (those by which it differs from the baseline) and
        signature.
    """
    frame, measure, parts, *_ = counted
    scores = measure.table(frame, ["system"]).sort("system")
    units, systems = frame[unit].n_unique(), scores.height
    tested = bool(drawn.resamples) and units > 1 and systems > 1
    made: dict[str, pl.DataFrame] = {}

    def alike(other: str, figure: str) -> set[str]:
        """Return the systems that cannot be told apart from another by a figure."""
        if other not in made:
            made[other] = measure.differences(frame, other, parts, unit=unit, resampling=drawn)
        return {
            row["system"]
            for row in made[other].filter(measure=figure).iter_rows(named=True)
            if row["p_corrected"] is not None and row["p_corrected"] >= 1 - drawn.confidence
        }

    best: dict[str, list[str]] = {name: [] for name in scores["system"]}
    differs: dict[str, list[str]] = {name: [] for name in scores["system"]}
    for figure in measure.names:
        first = best_of(scores, figure, measure.lower_is_better)
        others = alike(first[0], figure) if first and tested else set()
        for name in {*first, *others}:
            best[name].append(figure)
        if baseline is not None and tested:
            same = alike(baseline, figure)
            for name in scores.drop_nulls(figure)["system"]:
                if name not in same and name != baseline:
                    differs[name].append(figure)
    marks = [table["signature"][0] for table in made.values()]
    mark = max(marks, key=len) if marks else measure.signature(*parts)
    return scores.with_columns(
        best=pl.Series([best[name] for name in scores["system"]], dtype=pl.List(pl.String)),
        differs=pl.Series([differs[name] for name in scores["system"]], dtype=pl.List(pl.String)),
        signature=pl.lit(mark),
    )
