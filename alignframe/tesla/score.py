"""Scoring systems: segment scores, features, and means with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Unpack

import numpy as np
import polars as pl

from alignframe.core.arrays import frozen
from alignframe.errors import InputError
from alignframe.language.analysed import Vocabulary
from alignframe.language.files import reading_of
from alignframe.links.gold import BANDS
from alignframe.options import checked
from alignframe.sources.keys import growing, named_by
from alignframe.sources.texts import is_composed, systems_of
from alignframe.stats.scores import former
from alignframe.stats.subsets import choose
from alignframe.tesla.scored import TESLA, Segments, TeslaScores, Texts
from alignframe.tesla.scorer import (
    SCORER,
    ScorerOptions,
    analysed_texts,
    read_references,
    scorer_of,
    warn_of_empty,
)
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


@checked
def score(
    hyp: IntoSystems,
    ref: IntoSystems,
    metric: str = "m",
    *,
    analysis: Analysis | None = None,
    on: ForInput[Sequence[str] | str] = (),
    by: Sequence[str] | str = (),
    bands: Sequence[FromOne] = BANDS,
    bootstrap: Resamples | None = None,
    confidence: Confidence = 0.95,
    seed: Seed = 1,
    encoding: ForInput[str] = "utf-8",
    sids: Rare[IntoSids | None] = None,
    where: ForInput[str | None] = None,
    progress: Progress | None = None,
    **options: Unpack[ScorerOptions],
) -> TeslaScores:
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
    on
        Columns that identify a sentence on both sides, such as domain and sid; by default sid.
    by
        Columns to group by besides the system: columns of the first reference's table or of
        ``segments``, ``sid`` for single segments, or ``length`` for bands of reference length.
    bands
        The last length, in tokens, of each band except the open one.
    bootstrap
        Number of resamples of segments for intervals and tests, 0 for none; by default 1,000, and
        10,000 for comparisons.
    confidence, seed
        The confidence level of intervals, and the random seed.
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
    TeslaScores
        Its ``scores`` have a row per system and group: system, the columns in ``by``, score,
        score_low, score_high, segments (those with a score) and signature; without ``by``, the best
        system comes first. Scores are between 0 and 1. An empty translation scores 0; segments with
        an empty reference have no score, and a ``DataWarning`` counts them.

        Its ``segments`` are the scores and features of every sentence. Its ``counts`` have a row
        per system and sentence: system, sid, those in ``by``, total (the score, or 0), segments (1
        if it has one) and signature. ``compare(baseline)`` tests differences from a system,
        ``worst(n)`` lists the segments with the lowest scores, and ``page()`` is a page with
        charts. Translations are matched when a part is first asked for.

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
    >>> dict(found.scores.select("system", pl.col("score").round(3)).rows())
    {'careful': 0.935, 'garbled': 0.586}
    >>> round(found.compare("garbled")["difference"][0], 3)
    0.348
    """
    own = [name for name in options if name not in SCORER]
    if analysis is not None and own:
        raise InputError(f"the options {', '.join(own)} beside an analysis", expected="either")
    scorer = scorer_of(metric, analysis, kept=True, **options)
    vocabulary = Vocabulary()
    keys = growing(on, sids=sids, where=where)
    with named_by(keys):
        sources, refs, about = read_references(ref, scorer.analysis, vocabulary, encoding, keys)
        reading = reading_of(scorer.analysis, encoding)
        systems = systems_of(hyp, sources[0], keys=keys, **reading)
    every = about["sid"].to_numpy()
    chosen = choose(every, about.to_arrow, sids, where, what="the reference")
    kept = frozen(np.arange(every.size) if chosen is None else np.flatnonzero(chosen.holds(every)))
    warn_of_empty(sources, refs, kept)
    against = [given_source.take(kept) for given_source in refs]

    def make() -> pl.DataFrame:
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
                        **{
                            key: pl.Series(values, nan_to_null=True)
                            for key, values in columns.items()
                        },
                    }
                )
            )
            if progress is not None:
                progress(done, len(systems))
        return pl.concat(parts)

    mark = scorer.signature(len(against))
    # Only where normalization changed the text is it part of the signature.
    if not all(is_composed(given_source) for given_source in [*sources, *systems.values()]):
        mark += "|normalization:nfc"
    given: Arguments = dict(options)
    weights: dict[str, float] = {
        k: given[k] for k in ("recall_weight", "function_weight") if k in given
    }
    texts = Texts(systems, sources, scorer.analysis, metric, scorer.model, weights)
    segments = Segments([*systems], make, mark, chosen, about, texts, keys)
    return scores_of(segments, by, bootstrap, confidence, seed, bands=bands)


def scores_of(
    segments: Segments,
    by: Sequence[str] | str = (),
    bootstrap: int | None = None,
    confidence: float = 0.95,
    seed: int = 1,
    **options: Sequence[int],
) -> TeslaScores:
    """Return the scores of segments."""
    drawn = {"bootstrap": bootstrap, "confidence": confidence, "seed": seed}
    return TeslaScores.of(TESLA, (segments,), {"by": by, **drawn, **options})


scores, compare = (former(score, name, name) for name in ("scores", "compare"))
