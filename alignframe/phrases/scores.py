"""Scores of systems by phrase dictionaries, and their differences, with intervals and tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypedDict, Unpack

import polars as pl

from alignframe.core.choices import TEST_RESAMPLES
from alignframe.core.signatures import whole_signature
from alignframe.errors import InputError
from alignframe.kernels.phrases.extraction import MOSES_LENGTH
from alignframe.links.inputs import marks_of, to_score
from alignframe.options import checked
from alignframe.phrases.loaded import Loaded, loaded
from alignframe.phrases.overlap import units_of
from alignframe.phrases.workspace import (
    DICTIONARIES,
    KIND_OF,
    check_dictionaries,
)
from alignframe.stats.bootstrap import Resampling
from alignframe.stats.measure import keys_of
from alignframe.typing import (
    Confidence,
    FromOne,
    IntoBitext,
    IntoGold,
    IntoHypotheses,
    Rare,
    Resamples,
    Seed,
    Threads,
)

OF_SENTENCES = ("align-dic1", "text-dic2")
"""The dictionaries by sentence, without ``text-dic1``, which would equal ``align-dic1``."""


class DictionaryOptions(TypedDict, total=False):
    """The options of ``scores`` that decide what is compared, and how it is computed."""

    dictionaries: Sequence[str] | None
    max_length: int | None
    sure_only: bool
    strict: bool
    memory_limit: str | None
    threads: Threads


@checked
def scores(
    hyp: IntoHypotheses,
    gold: IntoGold,
    bitext: IntoBitext,
    *,
    dictionaries: Sequence[str] | None = None,
    by: Sequence[str] | str = (),
    max_length: FromOne | None = None,
    sure_only: bool = False,
    strict: Rare[bool] = False,
    bootstrap: Resamples = 0,
    confidence: Confidence = 0.95,
    seed: Seed = 1,
    memory_limit: Rare[str | None] = None,
    threads: Threads = None,
) -> pl.DataFrame:
    """Score the phrase dictionaries of systems against gold's.

    Parameters
    ----------
    hyp, gold
        Links: frames, paths, or for ``hyp`` a mapping from system names to these. Sure and Possible
        links count alike, except with ``sure_only``.
    bitext
        A frame with sid, src and tgt (lists of words), or a path of such Parquet.
    dictionaries
        Any of these. ``align-dic1``: one minimal dictionary per sentence; ``text-dic1``: the
        minimal dictionary of the whole text; ``text-dic2``: its exhaustive dictionary;
        ``text-moses``: phrases as in Moses. By default the first three; by sentence ``align-dic1``
        and ``text-dic2``.
    by
        ``sid`` scores every sentence by its own dictionaries.
    max_length
        Maximum phrase length in words, on both sides; by default 7 for ``text-moses`` and unlimited
        for the others.
    sure_only
        Build gold's dictionary from its Sure links only.
    strict
        Fail, rather than warn, if a sentence is missing on one side.
    bootstrap
        Number of resamples of sentences for intervals; 0 for none. An entry of a whole text is
        resampled with its first sentence in gold or a system.
    confidence, seed
        The confidence level of intervals, and the random seed.
    memory_limit
        DuckDB's memory limit, for example ``1GB``; the rest goes to a temporary folder.
    threads
        Number of threads; all cores by default. In Python, also an executor, which reads pieces of
        Parquet ahead.

    Returns
    -------
    polars.DataFrame
        One row per system and dictionary: system, dictionary, entries, gold_entries, precision,
        recall, f, each with ``_low`` and ``_high`` when resampled, and signature. Figures of
        ``align-dic1`` are means over sentences: of precision over those where the system has
        entries, of recall and F over those where gold has. Precision is null if a system has no
        entries at all, recall and F if gold has none. By sentence, one row per system, sentence and
        dictionary, with the column sid after system.

    Raises
    ------
    InputError
        If a source cannot be read, its links do not fit the text, or intervals are requested by
        sentence.

    Notes
    -----
    Carl & Fissaha 2003, sections 2.2 and 4; F = 2PR / (P + R).

    Examples
    --------
    >>> import polars as pl
    >>> from alignframe import phrases
    >>> text = pl.DataFrame({"sid": [0], "src": [["not", "yet"]], "tgt": [["pas", "encore"]]})
    >>> found = phrases.scores(["0-0"], ["0-0 1-1"], text)
    >>> found.select("dictionary", "precision", "recall").rows()
    [('align-dic1', 1.0, 0.5), ('text-dic1', 1.0, 0.5), ('text-dic2', 1.0, 0.3333333333333333)]
    """
    drawn = Resampling(bootstrap, confidence, seed)
    apart = by_sentence(by)
    if apart and bootstrap:
        raise InputError(
            "`bootstrap` with `by`", expected="one of them, as single sentences have no intervals"
        )

    def part(given: Loaded, name: str) -> pl.DataFrame:
        if apart:
            return given.scores_by_sentence(name)
        figures = given.scores(name)
        if not bootstrap:
            return figures
        measure, counts = units_of(given, name)
        ends = measure.table(counts, ["system"], resampling=drawn)
        return figures.join(ends.select("system", pl.col("^.*_(low|high)$")), on="system")

    how = _How(dictionaries, max_length, sure_only, strict, memory_limit, threads)
    found = _of_dictionaries(hyp, gold, bitext, how, part, drawn.signature, apart)
    order = pl.Enum(list(KIND_OF))
    return found.sort("system", *(["sid"] if apart else []), pl.col("dictionary").cast(order))


@checked
def compare(
    hyp: IntoHypotheses,
    gold: IntoGold,
    bitext: IntoBitext,
    *,
    baseline: str,
    bootstrap: Resamples = TEST_RESAMPLES,
    confidence: Confidence = 0.95,
    seed: Seed = 1,
    **options: Unpack[DictionaryOptions],
) -> pl.DataFrame:
    """Compare the phrase dictionaries of systems with a baseline's, by the paired bootstrap.

    Parameters
    ----------
    hyp, gold, bitext, **options
        See ``scores``.
    baseline
        The name of a system.
    bootstrap, confidence, seed
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
    drawn = Resampling(bootstrap, confidence, seed)

    def part(given: Loaded, name: str) -> pl.DataFrame:
        measure, counts = units_of(given, name)
        tests = measure.differences(counts, baseline, resampling=drawn)
        return tests.with_columns(pl.lit(name).alias("dictionary")).select(
            "dictionary", pl.exclude("dictionary")
        )

    return _of_dictionaries(hyp, gold, bitext, _How(**options), part)


class _How(NamedTuple):
    """The keywords of ``DictionaryOptions``."""

    dictionaries: Sequence[str] | None = None
    max_length: int | None = None
    sure_only: bool = False
    strict: bool = False
    memory_limit: str | None = None
    threads: Threads = None


def _of_dictionaries(
    hyp: IntoHypotheses,
    gold: IntoGold,
    bitext: IntoBitext,
    how: _How,
    part: Callable[[Loaded, str], pl.DataFrame],
    resampled: str = "",
    apart: bool = False,
) -> pl.DataFrame:
    """Return what ``part`` makes of each dictionary, with a signature."""
    usual = OF_SENTENCES if apart else DICTIONARIES
    chosen = check_dictionaries(usual if how.dictionaries is None else how.dictionaries)
    sources, golden = to_score(hyp, gold)
    parts = []
    with loaded(sources, golden, bitext, *how[2:]) as given:
        for name in chosen:
            given.entries(name, how.max_length, apart)
            parts.append(part(given, name))
    subset, moses = marks_of(sources, golden), "text-moses" in chosen
    found = pl.concat(parts)
    if "signature" in found.columns:  # of tests; of all, if the labels of some were exchanged
        resampled = str(found["signature"].str.extract("(paired-bootstrap:.*)").max() or "")
    mark = signature(how.max_length, how.sure_only, subset, resampled, moses, apart)
    return found.with_columns(pl.lit(mark).alias("signature"))


def by_sentence(by: Sequence[str] | str) -> bool:
    """Return whether to score by sentence; raise an InputError for columns other than sid."""
    others = [name for name in keys_of(by) if name != "sid"]
    if others:
        raise InputError(f"`by` is {', '.join(others)}", expected="sid: one row per sentence")
    return bool(by)


def signature(
    max_length: int | None,
    sure_only: bool,
    subset: str,
    resampled: str = "",
    moses: bool = False,
    apart: bool = False,
) -> str:
    """Return the signature."""
    return whole_signature(
        "metric:phrases",
        "gold:sure" if sure_only else "gold:possible-and-sure",
        f"max-length:{max_length or 'none'}",
        f"moses-length:{MOSES_LENGTH}" if moses and max_length is None else "",
        "by:sid" if apart else "align-dic1:mean-of-sentences",
        "missing:empty",
        subset,
        resampled,
    )
