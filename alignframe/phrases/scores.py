"""Scoring systems against gold by phrase dictionaries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from alignframe.errors import InputError
from alignframe.executors import pool_of
from alignframe.kernels.phrases import MOSES_LENGTH
from alignframe.links.found import Found
from alignframe.links.inputs import marks_of, to_score
from alignframe.phrases.overlap import units_of
from alignframe.phrases.workspace import (
    DICTIONARIES,
    KIND_OF,
    Workspace,
    check_dictionaries,
    workspace,
)
from alignframe.read.source import Source
from alignframe.signatures import whole_signature
from alignframe.stats.bootstrap import Resampling
from alignframe.stats.measure import keys_of
from alignframe.typing import IntoBitext, IntoGold, IntoHypotheses

OF_SENTENCES = ("align-dic1", "text-dic2")
"""The dictionaries by sentence, without ``text-dic1``, which would equal ``align-dic1``."""

_MISSING = """
insert into hyp
select every.system, gold.sid, []
from (select unnest($systems::varchar[]) as system) as every
cross join gold
anti join hyp on hyp.system = every.system and hyp.sid = gold.sid
"""

_OF_TEXT = """
create or replace temp table {side}_entries as
select system, null::bigint as sid, src_key, tgt_key, sum(n)::bigint as n, min(place) as place
from {side}_entries
group by all
"""

_SIZES = """
select gold.sid, count(gold_entries.sid) as gold_entries
from gold
left join gold_entries on gold_entries.sid = gold.sid
group by gold.sid
"""


def scores(
    hyp: IntoHypotheses,
    gold: IntoGold,
    bitext: IntoBitext,
    *,
    dictionaries: Sequence[str] | None = None,
    by: Sequence[str] | str = (),
    max_length: int | None = None,
    sure_only: bool = False,
    strict: bool = False,
    bootstrap: int = 0,
    confidence: float = 0.95,
    seed: int = 1,
    memory_limit: str | None = None,
    threads: int | None = None,
    executor: Executor | None = None,
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
        Any of ``align-dic1`` (one minimal dictionary per sentence), ``text-dic1`` (the minimal
        dictionary of the whole text), ``text-dic2`` (its exhaustive dictionary) and ``text-moses``
        (phrases as in Moses). By default the first three; by sentence ``align-dic1`` and
        ``text-dic2``.
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
        All cores by default.
    executor
        Reads pieces of Parquet ahead.

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
    sources, golden = to_score(hyp, gold)
    executor = pool_of(threads, executor)
    resampling = Resampling(bootstrap, confidence, seed)
    apart = by_sentence(by)
    if apart and bootstrap:
        raise InputError("intervals of single sentences", expected="either bootstrap or by")
    usual = OF_SENTENCES if apart else DICTIONARIES
    chosen = check_dictionaries(usual if dictionaries is None else dictionaries)
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
            given.entries(name, max_length, apart=apart)
            parts.append(given.scores_by_sentence(name) if apart else given.scores(name))
            if bootstrap:
                parts[-1] = parts[-1].join(_intervals(given, name, resampling), on="system")
    mark = signature(
        max_length=max_length,
        sure_only=sure_only,
        moses="text-moses" in chosen,
        apart=apart,
        subset=marks_of(sources, golden),
        resampled=resampling.signature,
    )
    order = pl.Enum(list(KIND_OF))
    return (
        pl.concat(parts)
        .sort("system", *(["sid"] if apart else []), pl.col("dictionary").cast(order))
        .with_columns(pl.lit(mark).alias("signature"))
    )


def by_sentence(by: Sequence[str] | str) -> bool:
    """Return whether to score by sentence; raise an InputError for columns other than sid."""
    others = [name for name in keys_of(by) if name != "sid"]
    if others:
        raise InputError(f"phrases by {', '.join(others)}", expected="sid: one row per sentence")
    return bool(by)


def signature(
    *,
    max_length: int | None,
    sure_only: bool,
    moses: bool = False,
    apart: bool = False,
    subset: str = "",
    resampled: str = "",
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


def _intervals(given: Loaded, dictionary: str, resampling: Resampling) -> pl.DataFrame:
    """Return the intervals of the current entries, one row per system."""
    measure, counts = units_of(given, dictionary)
    found = measure.table(counts, ["system"], resampling=resampling)
    return found.select("system", pl.col("^.*_(low|high)$"))


@dataclass(frozen=True)
class Loaded:
    """Systems and gold in a workspace; the tables are called hyp, gold and text."""

    place: Workspace
    systems: Sequence[str]
    made: list[str] = field(default_factory=list)

    def entries(
        self, dictionary: str, max_length: int | None = None, *, apart: bool = False
    ) -> None:
        """Make the tables hyp_entries and gold_entries of a dictionary, or one per sentence."""
        same = dictionary == "text-dic1" and self.made[-1:] == ["align-dic1"]
        self.made.append(dictionary)
        for side in ("hyp", "gold"):
            if same:
                if not apart:
                    self.place.connection.execute(_OF_TEXT.format(side=side))
                continue
            self.place.connection.execute(f"drop table if exists {side}_entries")
            self.place.make_entries(f"{side}_entries", side, dictionary, max_length, apart=apart)

    def scores(self, dictionary: str) -> pl.DataFrame:
        """Return the scores of the current entries, one row per system."""
        found = self.place.frame("select * from dictionary_scores('hyp_entries', 'gold_entries')")
        sizes = self.place.connection.execute("select count(*) from gold_entries").fetchall()
        size = sizes[0][0]
        every = pl.DataFrame({"system": pl.Series(self.systems, dtype=pl.String)})
        empty = 0.0 if size else None  # recall and F of a system without entries
        return every.join(found, on="system", how="left").select(
            "system",
            pl.lit(dictionary).alias("dictionary"),
            pl.col("entries").fill_null(0),
            pl.col("gold_entries").fill_null(size),
            "precision",
            *(
                pl.when(pl.col("entries").is_null()).then(empty).otherwise(pl.col(name)).alias(name)
                for name in ("recall", "f")
            ),
        )

    def scores_by_sentence(self, dictionary: str) -> pl.DataFrame:
        """Return the scores of the current entries, one row per system and sentence of gold."""
        found = self.place.frame("select * from entry_scores('hyp_entries', 'gold_entries')")
        every = pl.DataFrame({"system": pl.Series(self.systems, dtype=pl.String)})
        sizes = self.place.frame(_SIZES)
        whole = every.join(sizes, how="cross").join(
            found.drop("gold_entries"), on=["system", "sid"], how="left"
        )
        empty = pl.when(pl.col("gold_entries") > 0).then(0.0)  # for a system without entries
        return whole.select(
            "system",
            "sid",
            pl.lit(dictionary).alias("dictionary"),
            pl.col("entries").fill_null(0),
            "gold_entries",
            "precision",
            pl.col("recall", "f").fill_null(empty),
        )


@contextmanager
def loaded(
    hyp: Sequence[Source],
    gold: Source,
    bitext: Any,
    *,
    sure_only: bool,
    strict: bool,
    memory_limit: str | None,
    threads: int | None,
    executor: Executor | None,
) -> Iterator[Loaded]:
    """Yield systems and gold, restricted to gold's sentences, with warnings for the others."""
    with workspace(bitext, memory_limit=memory_limit, threads=threads) as place:
        golden = place.load("gold", [gold], sure_only=sure_only, called="gold", executor=executor)
        if len(golden) != 1:
            raise InputError(
                f"gold holds the systems {', '.join(golden)}" if golden else "gold has no rows",
                expected="one alignment of every sentence",
            )
        (sid,) = golden.values()
        read = place.load("hyp", hyp, wanted=sid, executor=executor)
        if not read:
            raise InputError("the hypothesis has no rows")
        found = Found(sid.size)
        for system, mine in read.items():
            both = np.intersect1d(mine, sid, assume_unique=True).size
            if both < sid.size:
                found.missing[system] = sid.size - both
            if both + gold.left_out < mine.size:
                found.ignored[system] = mine.size - both - gold.left_out
        found.report(strict)
        place.connection.execute(_MISSING, {"systems": list(read)})
        yield Loaded(place, sorted(read))
