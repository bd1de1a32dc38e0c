"""Systems as in a paper's table: which are best, and which differ from a baseline."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import polars as pl

from alignframe.stats.bootstrap import Resampling
from alignframe.stats.conclusions import best_of
from alignframe.stats.sample import Sample, by_unit, corrected
from alignframe.stats.task import Counted

_RESAMPLES = 1_000
"""Forty systems are 780 pairs, of which more resamples would take long."""

_RANKED = {
    "system": pl.String(),
    "measure": pl.String(),
    "value": pl.Float64(),
    "rank_low": pl.Int64(),
    "rank_high": pl.Int64(),
}


def rank_ranges(counted: Counted, unit: str, drawn: Resampling) -> pl.DataFrame:
    """Return the ranks that each system may have by each figure, as shared tasks print them.

    Every pair of systems is tested by the paired bootstrap, and all pairs are corrected together by
    step-down max-T.

    Parameters
    ----------
    counted, unit
        See ``standings``.
    drawn
        The resamples, of which the first 1,000 are used, and more above 99% confidence.

    Returns
    -------
    polars.DataFrame
        One row per system and figure, the best first: system, measure, value, rank_low (1 + the
        number of systems that are significantly better), rank_high (the number of systems less that
        of those that are significantly worse) and signature. Ranks are null where a figure is
        undefined, and of all systems if nothing can be tested: without resamples, or with a single
        unit.
    """
    frame, measure, parts, *_ = counted
    names = frame["system"].unique().sort().to_list()
    # Enough that a p-value can be below 1 - confidence.
    most = max(_RESAMPLES, round(10 / (1 - drawn.confidence)))
    drawn = replace(drawn, resamples=min(drawn.resamples, most))
    sample = Sample.draw(measure.of, by_unit(frame, measure.counts, names, unit), drawn)
    pairs = list(combinations(range(len(names)), 2))
    one, other = np.array(pairs, np.int64).reshape(-1, 2).T
    made = []
    for number, figure in enumerate(measure.figures):
        values = sample.observed[:, number]
        goodness = values if figure.higher_is_better else -values
        known = ~np.isnan(values)
        clear = corrected([(sample, *pair, number) for pair in pairs]) < 1 - drawn.confidence
        wins = clear & (goodness[one] > goodness[other])
        ahead, behind = np.where(wins, one, other)[clear], np.where(wins, other, one)[clear]
        low = 1 + np.bincount(behind, minlength=len(names))
        high = known.sum() - np.bincount(ahead, minlength=len(names))
        ranked = known & bool(len(sample.drawn) or len(names) == 1)
        for at in np.lexsort((-goodness,)):
            ends = (int(low[at]), int(high[at])) if ranked[at] else (None, None)
            made.append((names[at], figure.name, values[at], *ends))
    exchanged = sample.exchanges(len(pairs))
    mark = measure.signature(
        *parts, *filter(None, ["ranks", drawn.paired_signature(exchanged=exchanged, pairs=True)])
    )
    table = pl.DataFrame(made, _RANKED, orient="row").fill_nan(None)
    return table.with_columns(signature=pl.lit(mark))


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
    made: dict[tuple[str, bool], pl.DataFrame] = {}

    def alike(other: str, figure: str, *, pairs: bool) -> set[str]:
        """Return the systems that cannot be told apart from another by a figure."""
        if (other, pairs) not in made:
            made[other, pairs] = measure.differences(
                frame, other, parts, unit=unit, resampling=drawn, pairs=pairs
            )
        return {
            row["system"]
            for row in made[other, pairs].filter(measure=figure).iter_rows(named=True)
            if row["p_corrected"] is not None and row["p_corrected"] >= 1 - drawn.confidence
        }

    best: dict[str, list[str]] = {name: [] for name in scores["system"]}
    differs: dict[str, list[str]] = {name: [] for name in scores["system"]}
    for figure in measure.names:
        first = best_of(scores, figure, measure.lower_is_better)
        others = alike(first[0], figure, pairs=True) if first and tested else set()
        for name in {*first, *others}:
            best[name].append(figure)
        if baseline is not None and tested:
            same = alike(baseline, figure, pairs=False)
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
