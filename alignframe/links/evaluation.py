"""Evaluating systems of links: scores, differences, and the sentences that a page shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import polars as pl
import pyarrow as pa

from alignframe.choices import RESAMPLES
from alignframe.errors import check_keywords
from alignframe.links.counts import UNIT
from alignframe.links.inputs import to_score
from alignframe.links.scores import LINKS, CountOptions
from alignframe.read.pairs import sentence_pairs
from alignframe.read.source import Source
from alignframe.result import Result
from alignframe.stats.bootstrap import Resampling
from alignframe.stats.task import Counted
from alignframe.typing import IntoGold, IntoHypotheses


@dataclass(frozen=True, repr=False)
class Evaluated(Result):
    """Scores of systems and their differences, with what the page shows of single sentences.

    Parameters
    ----------
    scores
        See ``links.scores``; the system with the lowest AER comes first.
    comparisons
        See ``links.compare``; empty with a single system or sentence, or without resamples.
    counted
        The counts of every sentence, by system, sid and length.
    drawn
        How sentences are resampled.
    hyp, gold, text
        The links and the text, which are read again for the sentences shown.
    options
        Those of ``links.counts``.

    Examples
    --------
    >>> from alignframe import links
    >>> found = links.evaluate({"a": ["0-0 1-2"]}, ["0-0 1p2 2-2"])
    >>> found.scores.select("system", "precision", "recall").rows()
    [('a', 1.0, 0.5)]
    """

    scores: pl.DataFrame
    comparisons: pl.DataFrame
    counted: Counted
    drawn: Resampling
    hyp: Sequence[Source]
    gold: Source
    text: pa.Table | None
    options: CountOptions

    @property
    def signature(self) -> str:  # type: ignore[override]
        """Every choice that affects the scores."""
        return str(self.scores["signature"][0])


def evaluate(
    hyp: IntoHypotheses,
    gold: IntoGold,
    *,
    baseline: str | None = None,
    alpha: Sequence[float] = (0.5,),
    bootstrap: int = RESAMPLES,
    confidence: float = 0.95,
    seed: int = 1,
    **options: Unpack[CountOptions],
) -> Evaluated:
    """Score systems against gold, and test their differences from one of them.

    Parameters
    ----------
    hyp, gold, alpha, confidence, seed, **options
        See ``scores``. With ``bitext``, the page shows sentences with their words.
    baseline
        The system to compare with; by default the one with the lowest AER.
    bootstrap
        Number of resamples for intervals and the paired test; 0 for neither.

    Returns
    -------
    Evaluated
        Its ``page`` has both tables, charts, and the sentences with their links.

    Raises
    ------
    InputError
        See ``scores`` and ``compare``.

    Examples
    --------
    >>> from alignframe import links
    >>> home = "datasets/en-fr"
    >>> found = links.evaluate({"eager": f"{home}/eager.talp"}, f"{home}/gold.talp", bootstrap=0)
    >>> found.page().lead.split(". ")[0]
    'The AER of eager is 0.1158'
    """
    check_keywords(evaluate, options, CountOptions.__annotations__)
    drawn = Resampling(bootstrap, confidence, seed)
    sources, golden = to_score(hyp, gold)
    bitext = options.pop("bitext", None)
    text = None if bitext is None else sentence_pairs(bitext).table()
    counting: dict[str, Any] = {"unit": UNIT, "alpha": alpha, "bitext": text, **options}
    counted = LINKS.count(sources, golden, by=["length", "sid"], **counting)
    frame, measure, parts, shown, _ = counted
    if frame["sid"].n_unique() == 1:
        drawn = replace(drawn, resamples=0)  # a single sentence has no intervals
    how: dict[str, Any] = {"parts": parts[:1], "unit": UNIT, "resampling": drawn}
    scores = measure.scored(frame, [], also=[*shown], **how).rename(shown)
    scores = scores.sort("aer", "system", nulls_last=True)
    comparisons = pl.DataFrame()
    if drawn.resamples and (baseline is not None or scores.height > 1):
        other = scores["system"][0] if baseline is None else baseline
        comparisons = measure.differences(frame, other, **how)
    return Evaluated(scores, comparisons, counted, drawn, sources, golden, text, options)
