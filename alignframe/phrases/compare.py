"""Comparing systems' phrase dictionaries, with significance tests."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor

import polars as pl

from alignframe.choices import TEST_RESAMPLES
from alignframe.executors import pool_of
from alignframe.links.inputs import marks_of, to_score
from alignframe.phrases.overlap import units_of
from alignframe.phrases.scores import loaded, signature
from alignframe.phrases.workspace import DICTIONARIES, check_dictionaries
from alignframe.stats.bootstrap import Resampling
from alignframe.typing import IntoBitext, IntoGold, IntoHypotheses


def compare(
    hyp: IntoHypotheses,
    gold: IntoGold,
    bitext: IntoBitext,
    *,
    baseline: str,
    dictionaries: Sequence[str] | None = None,
    max_length: int | None = None,
    sure_only: bool = False,
    strict: bool = False,
    bootstrap: int = TEST_RESAMPLES,
    confidence: float = 0.95,
    seed: int = 1,
    memory_limit: str | None = None,
    threads: int | None = None,
    executor: Executor | None = None,
) -> pl.DataFrame:
    """Compare the phrase dictionaries of systems with a baseline's, by the paired bootstrap.

    Parameters
    ----------
    hyp, gold, bitext, dictionaries, max_length, sure_only, strict
        See ``scores``.
    baseline
        The name of a system.
    bootstrap, confidence, seed, memory_limit, threads, executor
        See ``scores``; all systems share the resamples.

    Returns
    -------
    polars.DataFrame
        One row per dictionary, system and figure: dictionary, system, baseline, measure, value,
        baseline_value, difference, difference_low, difference_high, p_value (two-sided),
        p_corrected (for the number of systems) and signature.

    Raises
    ------
    InputError
        See ``scores``; also if the baseline is not among the systems or is the only one, or there
        is only one sentence.

    Examples
    --------
    >>> from alignframe import formats, phrases
    >>> home = "datasets/en-fr"
    >>> text = formats.read_bitext(f"{home}/text.en", f"{home}/text.fr")
    >>> hyp = {name: f"{home}/{name}.talp" for name in ("cautious", "eager")}
    >>> options = {"dictionaries": ["text-dic1"], "bootstrap": 100}
    >>> found = phrases.compare(hyp, f"{home}/gold.talp", text, baseline="eager", **options)
    >>> [(row["measure"], round(row["difference"], 3)) for row in found.rows(named=True)]
    [('precision', 0.108), ('recall', -0.037), ('f', 0.022)]
    """
    sources, golden = to_score(hyp, gold)
    executor = pool_of(threads, executor)
    resampling = Resampling(bootstrap, confidence, seed)
    chosen = check_dictionaries(DICTIONARIES if dictionaries is None else dictionaries)
    with loaded(
        sources,
        golden,
        bitext,
        sure_only=sure_only,
        strict=strict,
        memory_limit=memory_limit,
        threads=threads,
        executor=executor,
    ) as given:
        parts = []
        for name in chosen:
            given.entries(name, max_length)
            measure, counts = units_of(given, name)
            found = measure.differences(counts, baseline, resampling=resampling)
            parts.append(found.select(pl.lit(name).alias("dictionary"), pl.exclude("signature")))
    mark = signature(
        max_length=max_length,
        sure_only=sure_only,
        moses="text-moses" in chosen,
        subset=marks_of(sources, golden),
        resampled=resampling.paired_signature,
    )
    return pl.concat(parts).with_columns(pl.lit(mark).alias("signature"))
