"""Scores by system and group: ratios of sums of counts, with intervals and signatures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from functools import lru_cache, partial, wraps
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.choices import TEST_RESAMPLES
from alignframe.errors import InputError
from alignframe.executors import pool_of
from alignframe.links.counts import UNIT, count_stream, counts
from alignframe.links.gold import BANDS, band_names
from alignframe.links.inputs import marks_of, to_score
from alignframe.measures import MEASURED, aer, alpha_name, checked_alphas, f_alpha
from alignframe.read.source import Source
from alignframe.stats.bootstrap import Resampling
from alignframe.stats.figures import Formula, Ratio
from alignframe.stats.measure import Measure, grouping, keys_of
from alignframe.tables import COUNTS
from alignframe.typing import IntoBitext, IntoGold, IntoHypotheses


def scores(
    hyp: IntoHypotheses,
    gold: IntoGold,
    *,
    alpha: Sequence[float] = (0.5,),
    by: Sequence[str] | str = (),
    possible_as_sure: bool = False,
    bitext: IntoBitext | None = None,
    bands: Sequence[int] = BANDS,
    bootstrap: int = 0,
    confidence: float = 0.95,
    seed: int = 1,
    strict: bool = False,
    threads: int | None = None,
    executor: Executor | None = None,
) -> pl.DataFrame:
    """Score systems against gold: precision, recall, AER and F at every α.

    Parameters
    ----------
    hyp, gold, possible_as_sure, bitext, bands, strict, threads, executor
        See ``alignframe.links.counts``.
    alpha
        Weights of precision in F, from 0 to 1; values below 0.5 favour recall.
    by
        Columns to group by besides the system: columns of gold or hypothesis, ``length`` for bands
        of sentence length, or ``sid`` for single sentences.
    bootstrap
        Number of resamples for intervals; 0 for none.
    confidence, seed
        The confidence level of the intervals, and the random seed.

    Returns
    -------
    polars.DataFrame
        One row per system and group: the columns in ``by``, system, sentences, links (= |A|),
        precision, recall, aer, ``f_0.5`` and so on, each with ``_low`` and ``_high`` when
        resampled, and signature. Undefined scores are null: precision if the system has no links,
        recall and F if gold has no Sure links. Scores are between 0 and 1.

    Raises
    ------
    InputError
        If a source cannot be read, an α is outside [0, 1], or a column does not exist.

    Notes
    -----
    Fraser & Marcu 2007, equations 1 to 5. Corpus scores are ratios of sums over the corpus.

    Examples
    --------
    >>> from alignframe import links
    >>> home = "datasets/en-fr"
    >>> found = links.scores({"eager": f"{home}/eager.talp"}, f"{home}/gold.talp", alpha=[0.1])
    >>> [round(one, 3) for one in found.select("precision", "recall", "aer", "f_0.1").row(0)]
    [0.846, 0.938, 0.116, 0.928]
    """
    sources, golden = to_score(hyp, gold)
    executor = pool_of(threads, executor)
    alphas = checked_alphas(alpha)
    by = keys_of(by)
    if "length" not in by and tuple(bands) != BANDS:
        raise InputError("bands without lengths", expected="by='length' (--by length) with bands")
    sums = _sums(
        sources,
        golden,
        keys=[*by, "system"],
        by_unit=bootstrap > 0,
        possible_as_sure=possible_as_sure,
        bitext=bitext,
        bands=bands,
        strict=strict,
        executor=executor,
    )
    drawn = Resampling(bootstrap, confidence, seed)
    measure = links_measure(alphas, possible_as_sure=possible_as_sure)
    return measure.scored(
        sums,
        by,
        _choices(sources, golden, by, bitext),
        unit=UNIT,
        resampling=drawn,
        also=["sentences", "n_hyp"],
        bands=band_names(bands) if "length" in by else (),
    ).rename({"n_hyp": "links"})


def compare(
    hyp: IntoHypotheses,
    gold: IntoGold,
    *,
    baseline: str,
    alpha: Sequence[float] = (0.5,),
    bootstrap: int = TEST_RESAMPLES,
    confidence: float = 0.95,
    seed: int = 1,
    possible_as_sure: bool = False,
    bitext: IntoBitext | None = None,
    strict: bool = False,
    threads: int | None = None,
    executor: Executor | None = None,
) -> pl.DataFrame:
    """Compare every system with a baseline by the paired bootstrap over sentences.

    Parameters
    ----------
    hyp, gold, possible_as_sure, bitext, strict, threads, executor
        See ``alignframe.links.counts``.
    baseline
        The name of a system.
    alpha
        Weights of precision in F.
    bootstrap
        Number of resamples.
    confidence, seed
        The confidence level of the difference's interval, and the random seed.

    Returns
    -------
    polars.DataFrame
        One row per system and measure: system, baseline, measure, value, baseline_value,
        difference, difference_low, difference_high, p_value (two-sided), p_corrected (for the
        number of systems, by step-down max-T: Westfall & Young 1993) and signature.

    Raises
    ------
    InputError
        If the baseline is not among the systems, or is the only one.

    Examples
    --------
    >>> from alignframe import links
    >>> home = "datasets/en-fr"
    >>> hyp = {name: f"{home}/{name}.talp" for name in ("cautious", "eager")}
    >>> found = links.compare(hyp, f"{home}/gold.talp", baseline="eager", bootstrap=1000)
    >>> for row in found.rows(named=True):
    ...     print(row["measure"], round(row["difference"], 3), round(row["p_corrected"], 3))
    precision 0.131 0.001
    recall -0.2 0.001
    aer 0.041 0.001
    f_0.5 -0.049 0.001
    """
    sources, golden = to_score(hyp, gold)
    executor = pool_of(threads, executor)
    alphas = checked_alphas(alpha)
    sums = _sums(
        sources,
        golden,
        keys=["system"],
        by_unit=True,
        possible_as_sure=possible_as_sure,
        bitext=bitext,
        bands=BANDS,
        strict=strict,
        executor=executor,
    )
    drawn = Resampling(bootstrap, confidence, seed)
    measure = links_measure(alphas, possible_as_sure=possible_as_sure)
    parts = [marks_of(sources, golden)]
    return measure.differences(sums, baseline, parts, unit=UNIT, resampling=drawn)


def links_measure(alphas: Sequence[float], *, possible_as_sure: bool = False) -> Measure:
    """Return precision, recall, AER and F at every α as a measure."""
    return _measure(tuple(alphas), possible_as_sure)


@lru_cache
def _measure(alphas: tuple[float, ...], possible_as_sure: bool) -> Measure:

    def formula(name: str, figure: Callable[..., Any], *, higher: bool = True) -> Formula:
        return Formula(name, lambda sums: figure(*(sums[one] for one in MEASURED)), higher)

    return Measure(
        "links",
        MEASURED,
        (
            Ratio("precision", "n_hyp_possible", "n_hyp"),
            Ratio("recall", "n_hyp_sure", "n_sure"),
            formula("aer", aer, higher=False),
            *(formula(alpha_name(alpha), partial(f_alpha, alpha)) for alpha in alphas),
        ),
        (
            "possible:as-sure" if possible_as_sure else "possible:includes-sure",
            "average:corpus",
            "missing:empty",
            "labels:gold-only",
        ),
        (
            ("n_hyp_possible", "n_hyp"),
            ("n_hyp_sure", "n_sure"),
            ("n_hyp_sure", "n_hyp_possible"),
        ),
    )


def signed(function: Callable[..., pl.DataFrame]) -> Callable[..., tuple[pl.DataFrame, str]]:
    """Return a function of counts that returns their signature as well."""

    @wraps(function)
    def run(hyp: IntoHypotheses, gold: IntoGold, **options: Any) -> tuple[pl.DataFrame, str]:
        sources, golden = to_score(hyp, gold)
        frame = function(sources, golden, **options)
        measure = links_measure((), possible_as_sure=options.get("possible_as_sure", False))
        keys = keys_of(options.get("by", ()))
        choices = _choices(sources, golden, keys, options.get("bitext"))
        return frame, measure.signature(grouping(keys), *choices)

    return run


def _choices(
    hyp: Sequence[Source], gold: Source, by: Sequence[str], bitext: Any
) -> tuple[str, ...]:
    """Return the signature parts for what is counted."""
    length = "length:last-linked-word" if bitext is None else "length:mean-of-sides"
    return marks_of(hyp, gold), length if "length" in by else ""


def _sums(
    hyp: Sequence[Source],
    gold: Source,
    *,
    keys: Sequence[str],
    by_unit: bool,
    bitext: Any,
    **options: Any,
) -> pl.DataFrame:
    """Return counts summed by the keys, and optionally by unit, with the number of sentences."""
    grouping = [*keys, *([UNIT] if by_unit else [])]
    stream = count_stream(
        hyp,
        gold,
        by=[name for name in keys if name not in ("system", "sid")],
        bitext=bitext,
        reduce=partial(add_up, keys=grouping),
        **options,
    )
    pieces = list(stream)  # a single one is summed already
    whole = pieces[0]
    if len(pieces) > 1:
        whole = add_up(pa.concat_tables(pieces, promote_options="permissive"), keys=grouping)
    return pl.DataFrame(pl.from_arrow(whole))


def add_up(table: pa.Table, keys: Sequence[str]) -> pa.Table:
    """Sum counts by the keys; ``sentences`` is the number of rows, or a sum of such numbers."""
    if "sentences" not in table.column_names:
        ones = pa.array(np.ones(table.num_rows, np.int64))
        table = table.append_column("sentences", ones)
    wanted = [*COUNTS, "sentences"]
    if {"system", "sid"} <= {*keys}:  # each row is one sentence of a system: nothing to sum
        summed = table.select([*keys, *wanted]).unify_dictionaries()
    else:
        summed = (
            table.unify_dictionaries()
            .combine_chunks()
            .group_by(list(keys), use_threads=False)
            .aggregate([(name, "sum") for name in wanted])
        )
    summed = summed.rename_columns([name.removesuffix("_sum") for name in summed.column_names])
    for at, field in enumerate(summed.schema):
        if pa.types.is_dictionary(field.type):
            summed = summed.set_column(at, field.name, summed[field.name].cast(pa.string()))
    return summed


signed_counts = signed(counts)
"""The counts of links with their signature."""
