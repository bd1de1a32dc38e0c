"""Evaluating systems by a measure: scores and comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from alignframe.core.choices import RESAMPLES
from alignframe.result import SignedResult
from alignframe.sources.words import frame_of
from alignframe.stats.bootstrap import Resampling
from alignframe.stats.differences import paired_counts
from alignframe.stats.measure import Measure
from alignframe.stats.standings import compared
from alignframe.stats.task import Counted
from alignframe.typing import IntoFrame, Row


@dataclass(frozen=True)
class Translations:
    """What was scored: figures of every system and sentence, and the texts in that order."""

    figures: pl.DataFrame  # sid, system and the figures
    systems: Mapping[str, Sequence[str]]
    # Several texts of a sentence, or None where it has none.
    references: Sequence[Sequence[str | None]]


@dataclass(frozen=True, repr=False)
class Evaluation(SignedResult):
    """Scores of systems and their differences.

    Parameters
    ----------
    measure
        The measure.
    scores
        See ``Measure.scores``; the best system by the first figure comes first.
    comparisons
        See ``Measure.compare``, with ``pairs`` if the baseline is the best one; empty with a single
        system or unit, or without resamples.
    unit, units
        The column of the unit of resampling, such as sid, and the number of units.
    ranks
        The ranks that systems may have; see ``standings.rank_ranges``. Empty as comparisons are.
    translations
        The sentences that the page shows; None where they are not known.

    Examples
    --------
    >>> from alignframe.stats import Measure, Ratio, evaluate
    >>> share = Measure("share", ("right", "words"), (Ratio("share", "right", "words"),))
    >>> counts = {"system": list("aabb"), "sid": [0, 1, 0, 1], "right": [1, 2, 2, 3]}
    >>> counts["words"] = [4, 4, 4, 4]
    >>> found = evaluate(share, counts, bootstrap=100)
    >>> found.comparisons.select("system", "baseline", "difference").rows()
    [('a', 'b', -0.25)]
    """

    measure: Measure
    scores: pl.DataFrame
    comparisons: pl.DataFrame
    unit: str
    units: int
    ranks: pl.DataFrame = field(default_factory=pl.DataFrame)
    translations: Translations | None = None


def evaluate(
    measure: Measure,
    counts: IntoFrame,
    *,
    baseline: str | None = None,
    unit: str = "sid",
    bootstrap: int = RESAMPLES,
    confidence: float = 0.95,
    seed: int = 1,
) -> Evaluation:
    """Score systems from a table of counts, and test their differences from one of them.

    Parameters
    ----------
    measure
        The measure of the counts.
    counts, unit, confidence, seed
        See ``Measure.scores``.
    baseline
        The system to compare with; by default the best one by the first figure.
    bootstrap
        Number of resamples of intervals and of the paired test; 0 for neither.

    Returns
    -------
    Evaluation
        Its ``page`` has both tables and a chart.

    Raises
    ------
    InputError
        See ``Measure.scores`` and ``Measure.compare``.

    Examples
    --------
    >>> from alignframe.stats import Measure, Ratio, evaluate
    >>> share = Measure("share", ("right", "words"), (Ratio("share", "right", "words"),))
    >>> counts = {"system": list("aabb"), "sid": [0, 1, 0, 1], "right": [1, 2, 2, 3]}
    >>> counts["words"] = [4, 4, 4, 4]
    >>> evaluate(share, counts, bootstrap=0).scores.select("system", "share").rows()
    [('b', 0.625), ('a', 0.375)]
    """
    table = frame_of(counts, f"the table of counts of {measure.name}")
    drawn: Row = {"unit": unit, "bootstrap": bootstrap}
    drawn |= {"confidence": confidence, "seed": seed}
    first = measure.names[0]
    scores = measure.scores(table, **drawn).sort(
        first, "system", descending=[first not in measure.lower_is_better, False], nulls_last=True
    )
    units = table[unit].n_unique() if scores.height else 0
    comparisons = ranks = pl.DataFrame()
    if bootstrap and (baseline is not None or (scores.height > 1 and units > 1)):
        resampling = Resampling(bootstrap, confidence, seed, of="" if unit == "sid" else unit)
        counted = Counted(paired_counts(measure, table, [], unit), measure)
        comparisons, ranks = compared(counted, unit, resampling, scores["system"][0], baseline)
    return Evaluation(measure, scores, comparisons, unit, units, ranks)
