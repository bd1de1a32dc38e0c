"""Correlating measures of systems with an external score, for a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Unpack

import polars as pl

from alignframe.links.studied import Studied
from alignframe.options import checked
from alignframe.result import SignedResult
from alignframe.sources.words import frame_of
from alignframe.stats.correlation import CorrelationOptions
from alignframe.stats.correlation import correlate as correlations_of
from alignframe.stats.external import external_table
from alignframe.stats.predictions import conclusion, scored_lower
from alignframe.stats.subsets import signature_part
from alignframe.typing import IntoFrame, IntoScores


@dataclass(frozen=True, repr=False)
class Correlated(SignedResult):
    """Correlations of measures with an external score, and what they were computed from."""

    correlations: pl.DataFrame  # of ``stats.correlate``, also within each group of systems
    counts: pl.DataFrame  # by sentence
    external: pl.DataFrame  # scores of the systems counted
    score_name: str = "score"
    study: Studied | None = None

    def tables(self) -> dict[str, pl.DataFrame]:
        """Return the correlations."""
        return {"correlations": self.correlations}

    @property
    def conclusion(self) -> str:
        """Which measure predicts the score, in a sentence or two."""
        return conclusion(self.correlations, self.score_name)

    @property
    def lower_is_better(self) -> bool:
        """Whether a lower score is better."""
        return scored_lower(self.correlations)

    @property
    def every(self) -> pl.DataFrame:
        """The rows of all systems."""
        return self.correlations.filter(pl.col("group").is_null())

    @property
    def groups(self) -> list[str]:
        """The groups with correlations, which have at least three systems."""
        return sorted(self.correlations.drop_nulls(["group", "pearson"])["group"].unique())


@checked
def correlate(
    scores: IntoFrame | Studied,
    external: IntoScores,
    *,
    by_group: bool | None = None,
    score_name: str = "score",
    **options: Unpack[CorrelationOptions],
) -> Correlated:
    """Correlate measures of systems with an external score, such as BLEU.

    Parameters
    ----------
    scores
        Counts by sentence of ``links.score``, or a study of ``links.read_study``.
    external, **options
        See ``stats.correlate``.
    by_group
        Also correlate within each group of ``external``, or method of a study; by default if there
        are several, but not one for each system.
    score_name
        The name of the external score, for example BLEU.

    Returns
    -------
    alignframe.result.Result
        The table ``correlations`` of ``stats.correlate``; its ``page`` has charts of the
        measures against the score, and all that a study's own page has.

    Raises
    ------
    InputError
        See ``stats.correlate`` and ``Studied.against``.

    Examples
    --------
    >>> from alignframe import links
    >>> home = "datasets/en-fr"
    >>> hyp = {name: f"{home}/{name}.talp" for name in ("cautious", "eager", "forward")}
    >>> counts = links.score(hyp, f"{home}/gold.talp").counts
    >>> scores = {"cautious": 25.5, "eager": 29.1, "forward": 27.9}
    >>> links.correlate(counts, scores, bootstrap=0).page().table.heads[:3]
    ['Measure', 'Gold links', 'r']
    """
    study = scores if isinstance(scores, Studied) else None
    if study is not None:
        scores, external = study.against(external)
        options["subset"] = signature_part(study.subset)
    counts = frame_of(scores, "the table of counts", ["system", "sid"])
    known = external_table(external)
    if by_group is None:  # one group of all systems, or one per system, is not analysed
        by_group = "group" in known.columns and 1 < known["group"].n_unique() < known.height
    correlations = correlations_of(counts, known, by_group=by_group, **options)
    # The warning about scores without a system has been given; charts need not repeat it.
    known = known.filter(pl.col("system").is_in(counts["system"].unique().implode()))
    return Correlated(correlations, counts, known, score_name, study)
