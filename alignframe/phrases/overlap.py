"""The overlap of a system's phrase dictionary with gold's, as counts for resampling."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from alignframe.core.arrays import F64
from alignframe.core.figures import Formula, Ratio, Sums, ratio
from alignframe.stats.measure import Measure

if TYPE_CHECKING:
    from alignframe.phrases.loaded import Loaded

_COUNTS = ("n_both", "n_hyp", "n_gold")

# Entries of one sentence are resampled together; a place is the sid and 64 more bits.
_FIRST = """
create or replace temp table first_places as
select src_key, tgt_key, min(place) as place
from (
  select src_key, tgt_key, place from hyp_entries
  union all
  select src_key, tgt_key, place from gold_entries
)
group by all
"""

_PLACED = """
create or replace temp view {side}_placed as
select
  {side}_entries.* replace (
    ((first_places.place - (first_places.place % bits + bits) % bits) // bits)::bigint as sid
  )
from {side}_entries
join first_places using (src_key, tgt_key)
cross join (select 18446744073709551616::hugeint as bits)
"""


_FOUND = "select * exclude (n_gold) from entry_counts('hyp_{which}', 'gold_{which}')"

_SIZES = """
select gold.sid, count(entries.sid) as n_gold
from gold
left join gold_{which} as entries on entries.sid = gold.sid
group by all
"""


def overlap(name: str, both: str, mine: str, gold: str) -> Measure:
    """Return precision, recall and F of the overlap of two sets."""

    def f(sums: Sums) -> F64:
        figure = ratio(2 * sums[both], sums[mine] + sums[gold])
        return np.where(sums[gold] > 0, figure, np.nan)

    figures = Ratio("precision", both, mine), Ratio("recall", both, gold), Formula("f", f)
    return Measure(name, (both, mine, gold), figures)


ENTRIES = overlap("phrases", *_COUNTS)
"""Entries of a whole text."""

SENTENCES = Measure(
    "phrases",
    ("precision", "recall", "f", "n_with_entries", "n_with_gold"),
    (
        Ratio("precision", "precision", "n_with_entries"),
        Ratio("recall", "recall", "n_with_gold"),
        Ratio("f", "f", "n_with_gold"),
    ),
)
"""Means over the sentences for which a figure is defined."""


def units_of(given: Loaded, dictionary: str) -> tuple[Measure, pl.DataFrame]:
    """Return the measure of the current entries and its counts per system and sentence."""
    if dictionary == "align-dic1":
        return SENTENCES, by_sentence(_counts(given, "entries"))
    # An entry of a whole text counts in its first sentence in gold or a system.
    given.place.connection.execute(_FIRST)
    for side in ("hyp", "gold"):
        given.place.connection.execute(_PLACED.format(side=side))
    return ENTRIES, _counts(given, "placed")


def by_sentence(counts: pl.DataFrame) -> pl.DataFrame:
    """Return the counts of ``SENTENCES``: the figures of each sentence, and where it has some."""
    own = overlap("sentence", *_COUNTS).columns(counts)
    return counts.with_columns(
        *(figure.fill_null(0) for figure in own),
        n_with_entries=(pl.col("n_hyp") > 0).cast(pl.Int64),
        n_with_gold=(pl.col("n_gold") > 0).cast(pl.Int64),
    )


def _counts(given: Loaded, which: str) -> pl.DataFrame:
    """Return n_both, n_hyp and n_gold of every system and sentence of gold."""
    numbers = given.place.frame(_FOUND.format(which=which))
    sizes = given.place.frame(_SIZES.format(which=which))
    every = pl.DataFrame({"system": pl.Series(given.systems, dtype=pl.String)})
    return (
        every.join(sizes, how="cross")
        .join(numbers, on=["system", "sid"], how="left")
        .select("system", "sid", pl.col(_COUNTS).fill_null(0))
        .sort("system", "sid")
    )
