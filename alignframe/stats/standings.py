"""Systems as in a paper's table: which are best, and which differ from a baseline."""

from __future__ import annotations

import numpy as np
import polars as pl

from alignframe.stats.bootstrap import Resampling
from alignframe.stats.conclusions import best_of
from alignframe.stats.differences import Differences, differences
from alignframe.stats.measure import Measure
from alignframe.stats.task import Counted

_RANKED = {
    "system": pl.String(),
    "measure": pl.String(),
    "value": pl.Float64(),
    "rank_low": pl.Int64(),
    "rank_high": pl.Int64(),
    "best": pl.Boolean(),
}


def rank_ranges(counted: Counted, unit: str, drawn: Resampling) -> pl.DataFrame:
    """Return the ranks that each system may have by each figure, as shared tasks print them.

    Every pair of systems is tested by the paired bootstrap, and all pairs are corrected together by
    step-down max-T.

    Parameters
    ----------
    counted, unit, drawn
        See ``standings``.

    Returns
    -------
    polars.DataFrame
        One row per system and figure, the best first: system, measure, value, rank_low (1 + the
        number of systems that are significantly better), rank_high (the number of systems less that
        of those that are significantly worse), best (whether it is the best or cannot be told apart
        from the best) and signature. Ranks are null where a figure is undefined, and of all systems
        if nothing can be tested: without resamples, or with a single unit.
    """
    frame, measure, parts, *_ = counted
    some = frame["system"].min()
    found = differences(
        measure, frame, str(some), parts, unit=unit, resampling=drawn, alone=True, pairs=True
    )
    return _ranked(measure, frame["system"].unique().sort().to_list(), found)


def compared(
    counted: Counted, unit: str, drawn: Resampling, best: str, baseline: str | None = None
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the differences from a baseline, by default the ``best`` system, and ``rank_ranges``.

    As the counts made a system the best, its differences are corrected for all pairs, which are
    those that ranks follow from.
    """
    frame, measure, parts, *_ = counted
    if baseline is not None:
        table = measure.differences(frame, baseline, parts, unit=unit, resampling=drawn)
        return table, rank_ranges(counted, unit, drawn)
    found = differences(measure, frame, best, parts, unit=unit, resampling=drawn, pairs=True)
    return found.table, _ranked(measure, frame["system"].unique().sort().to_list(), found)


def _ranked(measure: Measure, names: list[str], found: Differences) -> pl.DataFrame:
    """Return ``rank_ranges`` from the tests of all pairs."""
    (sample,) = found.samples
    is_tested = bool(len(sample.drawn) or len(names) == 1)
    one, other = np.array([pair for _, *pair in found.family], np.int64).reshape(-1, 2).T
    made = []
    for number, figure in enumerate(measure.figures):
        values = sample.observed[:, number]
        goodness = values if figure.higher_is_better else -values
        known = ~np.isnan(values)
        p_values = np.full((len(names), len(names)), np.nan)
        p_values[one, other] = p_values[other, one] = found.p_values[number]
        clear = p_values < 1 - sample.confidence
        wins = clear & (goodness[:, None] > goodness)
        low, high = 1 + wins.sum(axis=0), known.sum() - wins.sum(axis=1)
        scores = pl.DataFrame({"system": names, figure.name: values})
        first = best_of(scores, figure.name, [figure.name] * (not figure.higher_is_better))
        alike = {*first}
        if first:
            unclear = p_values[names.index(first[0])] >= 1 - sample.confidence
            alike |= {names[at] for at in np.flatnonzero(unclear)}
        for at in np.lexsort((-goodness,)):
            ends = (int(low[at]), int(high[at])) if known[at] and is_tested else (None, None)
            made.append((names[at], figure.name, values[at], *ends, names[at] in alike))
    table = pl.DataFrame(made, _RANKED, orient="row").fill_nan(None)
    return table.with_columns(signature=pl.lit(found.signature))


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
        signature, a line for each family of tests.
    """
    frame, measure, parts, *_ = counted
    scores = measure.table(frame, ["system"]).sort("system")
    is_tested = bool(drawn.resamples) and frame[unit].n_unique() > 1 and scores.height > 1
    ranks = rank_ranges(counted, unit, drawn)
    marks = [str(ranks["signature"][0]) if is_tested else measure.signature(*parts)]
    clear = pl.DataFrame(schema=_RANKED)
    if baseline is not None and is_tested:
        table = measure.differences(frame, baseline, parts, unit=unit, resampling=drawn)
        marks.append(str(table["signature"][0]))
        # A figure of one of them that is undefined differs, too.
        unclear = (pl.col("p_corrected") >= 1 - drawn.confidence).fill_null(False)
        clear = table.filter(~unclear & pl.col("value").is_not_null())
    return scores.with_columns(
        best=_figures(scores, ranks.filter("best")),
        differs=_figures(scores, clear),
        signature=pl.lit("\n".join(marks)),
    )


def _figures(scores: pl.DataFrame, rows: pl.DataFrame) -> pl.Series:
    """Return the figures of the rows of each system."""
    own = [rows.filter(system=name)["measure"].to_list() for name in scores["system"]]
    return pl.Series(own, dtype=pl.List(pl.String))
