"""Scoring systems: segment scores, features, and means with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import polars as pl

from alignframe.core.arrays import frozen
from alignframe.core.choices import RESAMPLES, TEST_RESAMPLES
from alignframe.errors import InputError, unknown_name
from alignframe.language.analysed import Vocabulary
from alignframe.language.files import reading_of
from alignframe.links.gold import BANDS, band_names
from alignframe.options import checked
from alignframe.result import Result
from alignframe.sources.source import Source
from alignframe.sources.texts import is_composed, systems_of
from alignframe.stats.bootstrap import Resampling
from alignframe.stats.measure import Measure, keys_of, place_of
from alignframe.stats.subsets import Chosen, choose, signature_part
from alignframe.tesla.scorer import (
    SCORER,
    ScorerOptions,
    analysed_texts,
    read_references,
    scorer_of,
    warn_of_empty,
)
from alignframe.tesla.systems import MEAN, mean_score, segment_counts
from alignframe.typing import (
    Arguments,
    Confidence,
    ForInput,
    FromOne,
    IntoSids,
    IntoSystems,
    Progress,
    Rare,
    Resamples,
    Seed,
)

if TYPE_CHECKING:
    from alignframe.language import Analysis
    from alignframe.tesla.model import Model


@dataclass(frozen=True)
class Texts:
    """What was scored: translations by system and references, and how."""

    systems: Mapping[str, Source]
    references: Sequence[Source]
    analysis: Analysis
    metric: str
    model: Model | None
    weights: Mapping[str, float]


@dataclass(frozen=True, repr=False)
class Scored(Result):
    """The result of ``score``.

    Parameters
    ----------
    segments
        One row per system and sentence: system, sid (0-based), score, and one column per feature;
        null where the reference is empty.
    systems
        One row per system, best first: system, score, score_low, score_high, segments (those with a
        score) and signature.
    signature
        Every choice that affects the scores.
    resampling
        The options of intervals.
    subset
        The sentences scored; None for all.
    about
        A table of the sentences: sid, n_ref (the number of tokens of the first reference) and the
        columns of that reference's table; or None.
    measure
        The mean of the scores.
    texts
        What was scored, which the page shows; None where it is not known.

    Examples
    --------
    >>> from alignframe import tesla
    >>> how, ref = tesla.Analysis.of(tagger="none"), ["the cat sat"]
    >>> found = tesla.score({"a": ref, "b": ["cat"]}, ref, analysis=how, bootstrap=0)
    >>> found.segments.select("system", "sid", "score").row(0)
    ('a', 0, 1.0)
    """

    segments: pl.DataFrame
    systems: pl.DataFrame
    signature: str
    resampling: Resampling
    subset: Chosen | None = None
    about: pl.DataFrame | None = None
    measure: Measure = MEAN
    texts: Texts | None = None

    def scores(
        self, by: Sequence[str] | str = (), bands: Sequence[FromOne] = BANDS
    ) -> pl.DataFrame:
        """Return the systems' scores by groups of sentences.

        Parameters
        ----------
        by
            Columns to group by besides the system: columns of the first reference's table or of
            ``segments``, ``sid`` for single sentences, or ``length`` for bands of reference length.
        bands
            The last length, in tokens, of each band except the open one.

        Returns
        -------
        polars.DataFrame
            One row per system and group: system, the columns in ``by``, segments (those with a
            score), score, score_low and score_high (if resampled) and signature.

        Raises
        ------
        InputError
            If there is no such column.
        """
        keys = keys_of(by)
        if not keys:
            return self.systems
        frame = self.segments
        if self.about is not None:
            known = self.about
            if "length" in keys and "length" not in known.columns:
                names = pl.Series(band_names(bands))
                band = np.searchsorted(np.asarray(bands), known["n_ref"].to_numpy())
                known = known.with_columns(length=names.gather(band))
            frame = frame.join(known.drop(set(frame.columns) - {"sid"}, strict=False), on="sid")
        for name in keys:
            if name not in frame.columns:
                raise unknown_name(
                    "column in `by`", name, dict.fromkeys(("length", *frame.columns))
                )
        banded = self.about is not None and "length" not in self.about.columns and "length" in keys
        return self.measure.scored(
            segment_counts(frame),
            keys,
            [signature_part(self.subset)],
            resampling=self.resampling,
            also=["segments"],
            bands=band_names(bands) if banded else (),
        )

    def compare(self, baseline: str) -> pl.DataFrame:
        """Compare every system with a baseline by the paired bootstrap, with the same resamples.

        Parameters
        ----------
        baseline
            The name of a system.

        Returns
        -------
        polars.DataFrame
            See ``alignframe.links.score``; without p-values and intervals if nothing was
            resampled.

        Raises
        ------
        InputError
            If the baseline is not among the systems or is the only one, or a single segment has
            scores.
        """
        counts = segment_counts(self.segments).filter(pl.col("segments") > 0)
        parts = [signature_part(self.subset)]
        return self.measure.differences(counts, baseline, parts, resampling=self.resampling)


@checked
def score(
    hyp: IntoSystems,
    ref: IntoSystems,
    metric: str = "m",
    *,
    analysis: Analysis | None = None,
    bootstrap: Resamples = RESAMPLES,
    confidence: Confidence = 0.95,
    seed: Seed = 1,
    encoding: ForInput[str] = "utf-8",
    sids: Rare[IntoSids | None] = None,
    where: ForInput[str | None] = None,
    progress: Progress | None = None,
    **options: Unpack[ScorerOptions],
) -> Scored:
    """Score translations of one text by several systems.

    Parameters
    ----------
    hyp
        Translations by one system, or a mapping from system names to translations: a file with one
        sentence per line, Parquet written by ``tesla words``, texts, a table with a column text,
        or anything else that ``language.Analysis.analyse`` accepts. A list of files is read as
        several systems.
    ref
        The reference, in the same forms, or a list of several references: files, columns, or lists
        of texts. A list of texts is one reference, unless every text is a file name.
    metric
        ``m``: lemmas, synonyms and tags; ``b``: also pivot languages; ``f``: weights learnt from
        human rankings. Segments have the features that a metric does not use, too.
    analysis
        The text analysis; by default, ``options`` are passed to ``language.Analysis.of``.
    bootstrap
        Number of resamples for intervals; 0 for none.
    confidence, seed
        The confidence level, and the random seed of the intervals.
    encoding
        Character encoding of the files.
    sids
        Score only these segments: a file with one sid per line, or a table with a column sid (in
        Python, also a list of numbers).
    where
        Score only segments that meet this SQL condition on sid, n_ref (the number of tokens of the
        first reference) and the columns of the first reference's table.
    progress
        Called after each system with the numbers of scored and of all systems.
    **options
        See ``Scorer`` and ``language.Analysis.of``.

    Returns
    -------
    Scored
        Scores are between 0 and 1. An empty translation scores 0; segments with an empty reference
        have no score, and a ``DataWarning`` counts them.

    Raises
    ------
    InputError
        If a file cannot be read, numbers of lines differ, an option is invalid, or the reference
        lacks one of ``sids``.
    QueryError
        If DuckDB cannot evaluate the condition.
    TypeError
        If there is no such option.

    Notes
    -----
    Dahlmeier, Liu & Ng 2011. A system's score is the mean of its segments' (section 2.3).

    Examples
    --------
    >>> from alignframe import tesla
    >>> home, how = "datasets/island", tesla.Analysis.of(tagger="none")
    >>> hyp = {name: f"{home}/{name}.en" for name in ("careful", "garbled")}
    >>> found = tesla.score(hyp, f"{home}/ref.en", analysis=how, bootstrap=100)
    >>> dict(found.systems.select("system", found.systems["score"].round(3)).rows())
    {'careful': 0.935, 'garbled': 0.586}
    """
    own = [name for name in options if name not in SCORER]
    if analysis is not None and own:
        raise InputError(f"the options {', '.join(own)} beside an analysis", expected="either")
    resampling = Resampling(bootstrap, confidence, seed)
    scorer = scorer_of(metric, analysis, kept=True, **options)
    vocabulary = Vocabulary()
    sources, refs, about = read_references(ref, scorer.analysis, vocabulary, encoding)
    systems = systems_of(hyp, sources[0], **reading_of(scorer.analysis, encoding))
    every = about["sid"].to_numpy()
    chosen = choose(every, about.to_arrow, sids, where, what="the reference")
    kept = frozen(np.arange(every.size) if chosen is None else np.flatnonzero(chosen.holds(every)))
    warn_of_empty(sources, refs, kept)
    against = [given_source.take(kept) for given_source in refs]
    parts = []
    for done, (name, source) in enumerate(systems.items(), 1):
        tokens = analysed_texts(source, scorer.analysis, vocabulary)
        scored = scorer.score(tokens.take(kept), against)
        columns = {"score": scored.score, **scored.features}
        parts.append(
            pl.DataFrame(
                {
                    "system": pl.Series([name]).new_from_index(0, kept.size),
                    "sid": every[kept],
                    **{key: pl.Series(values, nan_to_null=True) for key, values in columns.items()},
                }
            )
        )
        if progress is not None:
            progress(done, len(systems))
    mark = scorer.signature(len(against))
    # Only where normalization changed the text is it part of the signature.
    if not all(is_composed(given_source) for given_source in [*sources, *systems.values()]):
        mark += "|normalization:nfc"
    given: Arguments = dict(options)
    weights: dict[str, float] = {
        k: given[k] for k in ("recall_weight", "function_weight") if k in given
    }
    texts = Texts(systems, sources, scorer.analysis, metric, scorer.model, weights)
    return scored_of(pl.concat(parts), mark, resampling, chosen, about, texts)


@checked
def scores(
    hyp: IntoSystems,
    ref: IntoSystems,
    metric: str = "m",
    *,
    by: Sequence[str] | str = (),
    bands: Sequence[FromOne] = BANDS,
    **options: Any,
) -> pl.DataFrame:
    """Score systems, optionally by groups of sentences; ``score`` also returns the segments.

    Parameters
    ----------
    hyp, ref, metric
        See ``score``.
    by, bands
        See ``Scored.scores``.
    **options
        See ``score``.

    Returns
    -------
    polars.DataFrame
        See ``Scored.scores``; without ``by`` it is ``Scored.systems``.

    Raises
    ------
    InputError
        See ``score``; also if a column to group by does not exist.

    Examples
    --------
    >>> from alignframe import tesla
    >>> how = tesla.Analysis.of(tagger="none")
    >>> found = tesla.scores(["the cat sat"], ["the cat sits"], analysis=how, bootstrap=0)
    >>> round(found["score"][0], 3)
    0.924
    """
    return score(hyp, ref, metric, **options).scores(by, bands)


def compare(
    hyp: IntoSystems,
    ref: IntoSystems,
    metric: str = "m",
    *,
    baseline: str,
    bootstrap: Resamples = TEST_RESAMPLES,
    **options: Any,
) -> pl.DataFrame:
    """Compare every system with a baseline by the paired bootstrap over segments.

    Parameters
    ----------
    hyp, ref, metric
        See ``score``.
    baseline
        The name of a system.
    bootstrap
        Number of resamples.
    **options
        See ``score``.

    Returns
    -------
    polars.DataFrame
        One row per system: system, baseline, measure, value, baseline_value, difference,
        difference_low, difference_high, p_value (two-sided), p_corrected (for the number of
        systems) and signature.

    Raises
    ------
    InputError
        See ``score``; also if the baseline is not among the systems or is the only one, or a single
        segment has scores.

    Examples
    --------
    >>> from alignframe import tesla
    >>> home, how = "datasets/island", tesla.Analysis.of(tagger="none")
    >>> hyp = {name: f"{home}/{name}.en" for name in ("careful", "garbled")}
    >>> drawn = {"baseline": "garbled", "bootstrap": 100}
    >>> found = tesla.compare(hyp, f"{home}/ref.en", analysis=how, **drawn)
    >>> round(found["difference"][0], 3), found["p_value"][0] < 0.05
    (0.348, True)
    """
    if isinstance(hyp, Mapping):
        place_of(baseline, [*hyp])  # before the work
    return score(hyp, ref, metric, bootstrap=bootstrap, **options).compare(baseline)


def scored_of(
    segments: pl.DataFrame,
    mark: str,
    resampling: Resampling,
    chosen: Chosen | None = None,
    about: pl.DataFrame | None = None,
    texts: Texts | None = None,
) -> Scored:
    """Return the scores of segments, with those of systems."""
    measure = mean_score(mark)
    parts = [signature_part(chosen)]
    counts = segment_counts(segments)
    figures = measure.scored(counts, [], parts, resampling=resampling, also=["segments"])
    # The columns of intervals are there without resampling, too.
    if not resampling.resamples:
        ends = (pl.lit(None, pl.Float64).alias(f"score_{end}") for end in ("low", "high"))
        figures = figures.with_columns(ends)
    systems = figures.select(
        *("system", "score", "score_low", "score_high", "segments", "signature")
    ).sort("score", descending=True, nulls_last=True, maintain_order=True)
    whole = measure.signature(*parts, resampling.signature)
    return Scored(segments, systems, whole, resampling, chosen, about, measure, texts)
