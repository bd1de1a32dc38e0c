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
from alignframe.result import SignedResult
from alignframe.stats.bootstrap import Resampling
from alignframe.stats.task import Counted
from alignframe.typing import IntoGold, IntoHypotheses


@dataclass(frozen=True, repr=False)
class Evaluated(SignedResult):
    """Scores of systems and their differences, with what the page shows of single sentences."""

    scores: pl.DataFrame  # the system with the lowest AER first
    comparisons: pl.DataFrame  # empty with a single system or sentence, or without resamples
    counted: Counted  # of every sentence, by system, sid and length
    drawn: Resampling
    hyp: Sequence[Source]  # read again for the sentences shown, as are gold and the text
    gold: Source
    text: pa.Table | None
    options: CountOptions


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
    alignframe.result.Result
        ``scores`` and ``comparisons``, see ``scores`` and ``compare``; its ``page`` has charts and
        the sentences with their links too.

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
    frame, measure, (marks, _), *_ = counted  # the other part of the signature is of lengths
    counted = counted._replace(parts=[marks])
    if frame["sid"].n_unique() == 1:
        drawn = replace(drawn, resamples=0)  # a single sentence has no intervals
    scores = counted.scored([], UNIT, drawn).sort("aer", "system", nulls_last=True)
    comparisons = pl.DataFrame()
    if drawn.resamples and (baseline is not None or scores.height > 1):
        other = scores["system"][0] if baseline is None else baseline
        comparisons = measure.differences(frame, other, [marks], unit=UNIT, resampling=drawn)
    return Evaluated(scores, comparisons, counted, drawn, sources, golden, text, options)
