"""Scores of translations: counts per sentence, figures of their sums, intervals and tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Unpack

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.errors import InputError, check_known, unknown_name
from alignframe.functions.sequences import nested
from alignframe.mt.measures import METRICS, Metric, MetricOptions, Options
from alignframe.mt.texts import Texts, load, warn_of_tokens
from alignframe.options import checked
from alignframe.sources.keys import growing, named_by
from alignframe.stats.evaluation import Evaluation, Translations
from alignframe.stats.measure import combine_measures
from alignframe.stats.scores import FORMER, Scores, former
from alignframe.stats.subsets import signature_part
from alignframe.stats.task import Counted, Task
from alignframe.typing import (
    Confidence,
    ForInput,
    IntoSids,
    IntoSystems,
    Rare,
    Resamples,
    Seed,
)

BOTH = ("bleu", "chrf")


class TranslationScores(Scores):
    """The result of ``score``; its page shows the translations.

    Examples
    --------
    >>> from alignframe import mt
    >>> found = mt.score(["the cat sat", "a dog"], ["the cat sat down", "a dog"], tokenize="none")
    >>> found.counts.select("bleu_hyp", "bleu_ref", "bleu_match_1", "bleu_total_1").row(0)
    (3, 4, 3, 3)
    >>> found.segments["chrf"].round(1).to_list(), found.worst(1)["sid"][0]
    ([66.0, 100.0], 0)
    """

    @cached_property
    def segments(self) -> pl.DataFrame:
        """The scores of every sentence, for ``tesla.meta``: system, sid, and a column a metric."""
        return self.restored(self._segments)

    @cached_property
    def _segments(self) -> pl.DataFrame:
        counted, measure, *_ = self.task.count(*self.inputs, by=["sid"], **self.options)
        return counted.select("system", "sid").hstack(measure.columns(counted))

    def evaluated(self, baseline: str | None = None) -> Evaluation:
        """Return scores with intervals, the best system first, and differences from one of them.

        Parameters
        ----------
        baseline
            The system to compare with; by default the best one by the first metric.
        """
        texts: Any = self.inputs[0]
        shown = Translations(
            self._segments,
            {name: column.to_pylist() for name, column in texts.systems.items()},
            [column.to_pylist() for column in texts.references],
        )
        return replace(self._evaluation(baseline), translations=shown)


@checked
def score(
    hyp: IntoSystems,
    ref: IntoSystems,
    *,
    on: ForInput[Sequence[str] | str] = (),
    metrics: Sequence[str] = BOTH,
    by: Sequence[str] | str = (),
    bootstrap: Resamples | None = None,
    confidence: Confidence = 0.95,
    seed: Seed = 1,
    sids: Rare[IntoSids | None] = None,
    where: ForInput[str | None] = None,
    encoding: ForInput[str] = "utf-8",
    **options: Unpack[MetricOptions],
) -> TranslationScores:
    """Score systems' translations of a text by BLEU and chrF, as in sacrebleu.

    Parameters
    ----------
    hyp
        A system's translations, or a mapping from names to these: a file with one sentence per
        line; a table (a frame, .parquet, .csv, .tsv or .jsonl) with text and optionally sid; or a
        list or column of texts. By default, sentences are numbered from 0.
    ref
        The same for the reference, or a list of several. A list of texts is one reference, unless
        all texts are file names. A null text is no reference.
    on
        Columns that identify a sentence on both sides, such as domain and sid; by default sid.
    metrics
        ``bleu``, ``chrf``: one of them, or both.
    by
        Columns to group by besides the system: columns of the first reference's table, or ``sid``
        for single sentences.
    bootstrap
        Number of resamples for intervals and tests; by default none for scores, 10,000 for
        comparisons and 1,000 for pages.
    confidence, seed
        The confidence level of intervals, and the random seed.
    sids
        Score only these sentences: a file with one sid per line, or a table with a column sid (in
        Python, also a list of numbers).
    where
        Score only sentences that meet this SQL condition on the columns of the first reference.
    encoding
        Character encoding of the files.
    **options
        The fields of ``Options``.

    Returns
    -------
    TranslationScores
        Its ``scores`` have a row per system and group: system, the columns in ``by``, sentences, a
        figure for each metric (0 to 100), each with ``_low`` and ``_high`` when resampled, and
        signature.

        Its ``counts`` have a row per system and sentence: system, sid, the columns in ``by``, the
        counts (see ``functions.bleu_counts`` and ``functions.chrf_counts``) and signature; sums
        over rows give corpus scores. ``segments`` are the scores of every sentence,
        ``compare(baseline)`` tests differences from a system, ``worst(n)`` lists the sentences with
        the lowest scores, and ``page()`` is a page with charts.

    Raises
    ------
    InputError
        If a source cannot be read, sentences differ, a column or option does not exist, or
        sacrebleu is needed but not installed.
    QueryError
        If DuckDB cannot evaluate the condition.
    TypeError
        If there is no such option.

    Notes
    -----
    Papineni et al. 2002 (BLEU), Popović 2015 and 2017 (chrF, chrF++), Post 2018 (sacrebleu). Corpus
    scores are computed from sums over the corpus.

    Examples
    --------
    >>> from alignframe import mt
    >>> home, options = "datasets/island", {"metrics": ["chrf"], "bootstrap": 200}
    >>> hyp = {name: f"{home}/{name}.en" for name in ("careful", "literal")}
    >>> found = mt.score(hyp, f"{home}/ref.en", **options)
    >>> found.scores["chrf"].round(1).to_list()
    [81.2, 66.1]
    >>> found.compare("literal").select("system", "measure", pl.col("difference").round(1)).row(0)
    ('careful', 'chrf', 15.1)
    """
    given = locals()
    settings = Options(**options)
    keys = growing(given.pop("on"), sids=sids, where=where)
    reading: Any = {"sids": sids, "where": where, "encoding": encoding, "keys": keys}
    with named_by(keys):
        texts = _loaded(hyp, ref, settings, metrics, **reading)
    return TranslationScores.of(MT, (texts, None), given)


def _loaded(
    hyp: IntoSystems, ref: IntoSystems, options: Options, metrics: Sequence[str], **reading: Any
) -> Texts:
    texts = load(hyp, ref, options.normalization, **reading)
    if "bleu" in metrics:
        warn_of_tokens(texts.references, options.tokenize)
    return texts


def _count(
    hyp: IntoSystems | Texts,
    ref: IntoSystems,
    *,
    by: Sequence[str],
    unit: str = "sid",  # noqa: ARG001 - rows are those of sentences
    metrics: Sequence[str] = BOTH,
    sids: IntoSids | None = None,
    where: str | None = None,
    encoding: str = "utf-8",
    **given: Any,
) -> Counted:
    """Count every sentence; ``hyp`` may be loaded texts, with their references."""
    options = Options(**given)
    reading: Any = {"sids": sids, "where": where, "encoding": encoding}
    texts = hyp if isinstance(hyp, Texts) else _loaded(hyp, ref, options, metrics, **reading)
    return _count_texts(texts, metrics, options, by)


def _count_texts(
    texts: Texts, metrics: Sequence[str], options: Options, by: Sequence[str]
) -> Counted:
    """Count every sentence of texts."""
    chosen = _metrics(metrics, options, by)
    shared = [f"refs:{_number_of_references(texts)}", *options.shared]
    if options.normalization == "none" and not texts.are_composed:
        shared.append("normalization:none")
    measure = combine_measures([metric.measure for metric in chosen], shared)
    frame = _counted(texts, chosen, by).with_columns(sentences=pl.lit(1, pl.Int64))
    return Counted(frame, measure, (signature_part(texts.chosen),), {"sentences": "sentences"})


def _counted(texts: Texts, metrics: Sequence[Metric], keys: Sequence[str]) -> pl.DataFrame:
    """Return the counts of every system and sentence."""
    for name in keys:
        if name not in texts.about.columns:
            raise unknown_name(
                "column in `by`",
                name,
                texts.about.columns,
                todo="give the reference as a table that has it",
            )
    about = texts.about.select("sid", *(name for name in keys if name != "sid"))
    prepared = [
        (metric, nested([metric.prepare(column) for column in texts.references]))
        for metric in metrics
    ]
    parts = []
    for name, column in texts.systems.items():
        system = pl.Series("system", [name]).new_from_index(0, len(column))
        part = about.select(system, pl.all())
        for metric, refs in prepared:
            structs = metric.count(metric.prepare(column), refs)
            fields = pl.DataFrame(pl.from_arrow(pa.Table.from_struct_array(structs)))
            part = part.hstack(fields)
        parts.append(part)
    return pl.concat(parts)


def _metrics(names: Sequence[str], options: Options, keys: Sequence[str]) -> list[Metric]:
    chosen = list(dict.fromkeys([names] if isinstance(names, str) else names))
    for name in chosen:
        check_known("metric in `metrics`", name, METRICS)
    if not chosen:
        raise InputError("no metric", expected=f"one of {', '.join(METRICS)}")
    return [METRICS[name](options, sentences="sid" in keys) for name in chosen]


def _number_of_references(texts: Texts) -> str:
    """Return the number of references per sentence; ``various`` if it differs."""
    present = sum(
        column.is_valid().to_numpy(zero_copy_only=False).astype(np.int64)
        for column in texts.references
    )
    numbers = np.unique(present)
    return str(numbers[0]) if numbers.size == 1 else "various"


MT = Task(_count)
"""How translations are counted."""

counts, scores, compare, evaluate, segments = (
    former(score, *names) for names in (*FORMER, ("segments", "segments"))
)
