"""Scores of translations: counts per sentence, figures of their sums, intervals and tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.core.choices import RESAMPLES, TEST_RESAMPLES
from alignframe.errors import InputError, check_known, unknown_name
from alignframe.functions.sequences import nested
from alignframe.mt.measures import METRICS, Metric, MetricOptions, Options
from alignframe.mt.texts import Texts, load
from alignframe.options import checked
from alignframe.stats.bootstrap import Resampling
from alignframe.stats.evaluation import Evaluation, Translations
from alignframe.stats.evaluation import evaluate as evaluated
from alignframe.stats.measure import combine_measures
from alignframe.stats.subsets import signature_part
from alignframe.stats.task import Counted, Task
from alignframe.typing import (
    Arguments,
    Confidence,
    ForInput,
    IntoSids,
    IntoSystems,
    Rare,
    Resamples,
    Seed,
)

BOTH = ("bleu", "chrf")


class CountOptions(MetricOptions, total=False):
    """The options of ``scores`` that decide what is counted."""

    metrics: Sequence[str]
    sids: IntoSids | None
    where: str | None
    encoding: str


@checked
def counts(
    hyp: IntoSystems,
    ref: IntoSystems,
    *,
    by: Sequence[str] | str = (),
    **options: Unpack[CountOptions],
) -> pl.DataFrame:
    """Compute the counts of BLEU and chrF, sentence by sentence.

    Parameters
    ----------
    hyp, ref, by, **options
        See ``scores``.

    Returns
    -------
    polars.DataFrame
        One row per system and sentence: system, sid, the columns in ``by``, the counts (see
        ``functions.bleu_counts`` and ``functions.chrf_counts``) and signature. Sums over rows give
        corpus scores.

    Raises
    ------
    InputError
        See ``scores``.

    Examples
    --------
    >>> from alignframe import mt
    >>> found = mt.counts(["the cat sat"], ["the cat sat down"], metrics=["bleu"], tokenize="none")
    >>> found.select("bleu_hyp", "bleu_ref", "bleu_match_1", "bleu_total_1").row(0)
    (3, 4, 3, 3)
    """
    return MT.counts(hyp, ref, by=by, **options)


@checked
def scores(
    hyp: IntoSystems,
    ref: IntoSystems,
    *,
    metrics: Sequence[str] = BOTH,
    by: Sequence[str] | str = (),
    bootstrap: Resamples = 0,
    confidence: Confidence = 0.95,
    seed: Seed = 1,
    sids: Rare[IntoSids | None] = None,
    where: ForInput[str | None] = None,
    encoding: ForInput[str] = "utf-8",
    **options: Unpack[MetricOptions],
) -> pl.DataFrame:
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
    metrics
        ``bleu``, ``chrf``: one of them, or both.
    by
        Columns to group by besides the system: columns of the first reference's table, or ``sid``
        for single sentences.
    bootstrap
        Number of resamples for intervals; 0 for none.
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
    polars.DataFrame
        One row per system and group: system, the columns in ``by``, sentences, a figure for each
        metric (0 to 100), each with ``_low`` and ``_high`` when resampled, and signature.

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
    >>> mt.scores(["the cat sat down"], ["the cat sat down here"], tokenize="none")["bleu"].round(2)
    shape: (1,)
    Series: 'bleu' [f64]
    [
        77.88
    ]
    """
    return MT.scores(
        hyp,
        ref,
        by=by,
        drawn=Resampling(bootstrap, confidence, seed),
        metrics=metrics,
        sids=sids,
        where=where,
        encoding=encoding,
        **options,
    )


@checked
def segments(
    hyp: IntoSystems,
    ref: IntoSystems,
    **options: Unpack[CountOptions],
) -> pl.DataFrame:
    """Score every sentence, for evaluating the metrics by ``tesla.meta``.

    Parameters
    ----------
    hyp, ref, **options
        See ``scores``.

    Returns
    -------
    polars.DataFrame
        One row per system and sentence: system, sid, and a figure for each metric.

    Raises
    ------
    InputError
        See ``scores``.

    Examples
    --------
    >>> from alignframe import mt
    >>> hyp, ref = ["the cat sat", "a dog"], ["the cat sat down", "a dog"]
    >>> mt.segments(hyp, ref, metrics=["chrf"])["chrf"].round(1).to_list()
    [66.0, 100.0]
    """
    counted, measure, *_ = _count(hyp, ref, by=["sid"], **options)
    return counted.select("system", "sid").hstack(measure.columns(counted))


@checked
def compare(
    hyp: IntoSystems,
    ref: IntoSystems,
    *,
    baseline: str,
    bootstrap: Resamples = TEST_RESAMPLES,
    confidence: Confidence = 0.95,
    seed: Seed = 1,
    **options: Unpack[CountOptions],
) -> pl.DataFrame:
    """Compare every system with a baseline by the paired bootstrap over sentences.

    Parameters
    ----------
    hyp, ref, confidence, seed, **options
        See ``scores``.
    baseline
        The name of a system.
    bootstrap
        Number of resamples.

    Returns
    -------
    polars.DataFrame
        One row per system and metric: system, baseline, measure, value, baseline_value,
        difference, difference_low, difference_high, p_value (two-sided), p_corrected (for the
        number of systems) and signature.

    Raises
    ------
    InputError
        If the baseline is not among the systems or is the only one; also see ``scores``.

    Notes
    -----
    Koehn 2004; the p-value is that of Efron & Tibshirani 1993 (see ``links.compare``).

    Examples
    --------
    >>> from alignframe import mt
    >>> home = "datasets/island"
    >>> hyp = {name: f"{home}/{name}.en" for name in ("careful", "literal")}
    >>> options = {"metrics": ["chrf"], "bootstrap": 200}
    >>> found = mt.compare(hyp, f"{home}/ref.en", baseline="literal", **options)
    >>> round(found["difference"][0], 1), found["p_value"][0] < 0.05
    (15.1, True)
    """
    return MT.compare(
        hyp, ref, baseline=baseline, drawn=Resampling(bootstrap, confidence, seed), **options
    )


@checked
def evaluate(
    hyp: IntoSystems,
    ref: IntoSystems,
    *,
    baseline: str | None = None,
    bootstrap: Resamples = RESAMPLES,
    confidence: Confidence = 0.95,
    seed: Seed = 1,
    **options: Unpack[CountOptions],
) -> Evaluation:
    """Score systems by BLEU and chrF, and test their differences from one of them.

    Parameters
    ----------
    hyp, ref, confidence, seed, **options
        See ``scores``.
    baseline
        The system to compare with; by default the best one by the first metric.
    bootstrap
        Number of resamples for intervals and the paired test; 0 for neither.

    Returns
    -------
    alignframe.stats.Evaluation
        Its ``page`` has both tables and a chart.

    Raises
    ------
    InputError
        See ``scores`` and ``compare``.

    Examples
    --------
    >>> from alignframe import mt
    >>> home = "datasets/island"
    >>> hyp = {name: f"{home}/{name}.en" for name in ("careful", "literal")}
    >>> found = mt.evaluate(hyp, f"{home}/ref.en", metrics=["chrf"], bootstrap=200)
    >>> [(system, round(chrf, 1)) for system, chrf in found.scores.select("system", "chrf").rows()]
    [('careful', 81.2), ('literal', 66.1)]
    """
    plain: Arguments = dict(options)
    reading = {name: plain.pop(name) for name in ("sids", "where", "encoding") if name in plain}
    metrics = plain.pop("metrics", BOTH)
    texts = load(hyp, ref, Options(**plain).normalization, **reading)
    counted, measure, parts, *_ = _count_texts(texts, metrics, Options(**plain), [])
    of_sentences = combine_measures(
        [metric.measure for metric in _metrics(metrics, Options(**plain), ["sid"])]
    )
    marked = replace(measure, choices=(*measure.choices, *parts))
    drawn = {"bootstrap": bootstrap, "confidence": confidence, "seed": seed}
    evaluation = evaluated(marked, counted, baseline=baseline, **drawn)  # type: ignore[arg-type]
    shown = Translations(
        counted.select("sid", "system").hstack(of_sentences.columns(counted)),
        {name: column.to_pylist() for name, column in texts.systems.items()},
        [column.to_pylist() for column in texts.references],
    )
    return replace(evaluation, translations=shown)


def _count(
    hyp: IntoSystems,
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
    """Count every sentence."""
    options = Options(**given)
    texts = load(hyp, ref, options.normalization, sids=sids, where=where, encoding=encoding)
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
