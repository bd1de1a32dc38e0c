"""Systems and gold in a workspace, and the scores of their dictionaries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from alignframe.core.parallel import pool_of, workers_of
from alignframe.errors import InputError
from alignframe.links.found import Coverage
from alignframe.phrases.workspace import Workspace, workspace
from alignframe.sources.source import Source
from alignframe.typing import IntoBitext, Threads

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


@dataclass(frozen=True)
class Loaded:
    """Systems and gold in a workspace; the tables are called hyp, gold and text."""

    place: Workspace
    systems: Sequence[str]
    made: list[str] = field(default_factory=list)

    def entries(self, dictionary: str, max_length: int | None = None, apart: bool = False) -> None:
        """Make the tables hyp_entries and gold_entries of a dictionary, or one per sentence."""
        # Both have the minimal phrases: those of sentences, just made, are only summed.
        same = dictionary == "text-dic1" and self.made[-1:] == ["align-dic1"]
        self.made.append(dictionary)
        for side in ("hyp", "gold"):
            if same:
                if not apart:
                    self.place.connection.execute(_OF_TEXT.format(side=side))
                continue
            self.place.connection.execute(f"drop table if exists {side}_entries")
            self.place.make_entries(f"{side}_entries", side, dictionary, max_length, apart)

    def scores(self, dictionary: str) -> pl.DataFrame:
        """Return the scores of the current entries, one row per system."""
        figures = self.place.frame("select * from dictionary_scores('hyp_entries', 'gold_entries')")
        sizes = self.place.connection.execute("select count(*) from gold_entries").fetchall()
        size = sizes[0][0]
        every = pl.DataFrame({"system": pl.Series(self.systems, dtype=pl.String)})
        empty = 0.0 if size else None  # recall and F of a system without entries
        return every.join(figures, on="system", how="left").select(
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
        figures = self.place.frame("select * from entry_scores('hyp_entries', 'gold_entries')")
        every = pl.DataFrame({"system": pl.Series(self.systems, dtype=pl.String)})
        sizes = self.place.frame(_SIZES)
        whole = every.join(sizes, how="cross").join(
            figures.drop("gold_entries"), on=["system", "sid"], how="left"
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
    bitext: IntoBitext,
    sure_only: bool = False,
    strict: bool = False,
    memory_limit: str | None = None,
    threads: Threads = None,
) -> Iterator[Loaded]:
    """Yield systems and gold, restricted to gold's sentences, with warnings for the others."""
    executor = pool_of(threads)
    with workspace(bitext, memory_limit, workers_of(threads)) as place:
        golden = place.load("gold", [gold], executor, sure_only=sure_only, called="gold")
        if len(golden) != 1:
            raise InputError(
                f"gold holds the systems {', '.join(golden)}" if golden else "gold has no rows",
                expected="one alignment of every sentence",
            )
        (sid,) = golden.values()
        read = place.load("hyp", hyp, executor, wanted=sid)
        if not read:
            raise InputError("the hypothesis has no rows")
        problems = Coverage(sid.size)
        for system, mine in read.items():
            both = np.intersect1d(mine, sid, assume_unique=True).size
            if both < sid.size:
                problems.missing[system] = sid.size - both
            if both + gold.left_out < mine.size:
                problems.ignored[system] = mine.size - both - gold.left_out
        problems.report(strict)
        place.connection.execute(_MISSING, {"systems": list(read)})
        yield Loaded(place, sorted(read))
