"""Hit rates of the source words of a test text, in all and by groups of words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.core.arrays import I64, Bools
from alignframe.core.arrow import require_columns, to_table
from alignframe.errors import InputError, warn
from alignframe.lexicon.sources import Lexicon, load_lexicon
from alignframe.sources.source import is_columns
from alignframe.sources.words import table_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

UNKNOWN = "not in the lexicon"
"""The frequency band of words missing from the lexicon."""

OTHER = "other"
"""The group of words without a given group."""


@dataclass(frozen=True)
class Rates:
    """Hits of the source words of a test text, in byte order; shapes (words,), (words, depths)."""

    src: pl.Series
    known: Bools
    pairs: I64
    hits: I64
    tokens: I64
    token_hits: I64


def is_frequency(by: object) -> bool:
    """Whether figures are requested by word frequency."""
    return isinstance(by, str) and by == "frequency"


def bands(rates: Rates, lexicon: Lexicon) -> dict[str, I64]:
    """Return the words of each band of frequency, 1, 2, 3-4, 5-8 and so on."""
    require_columns(lexicon.table.schema, ("n_src",), f"frequency of words: {lexicon.called}")
    frame = pl.DataFrame(pl.from_arrow(lexicon.table.select(["src", "n_src"])))
    seen = frame.group_by("src").agg(
        pl.col("n_src").max(), pl.col("n_src").n_unique().alias("values")
    )
    faulty = seen.filter((pl.col("values") > 1) | ~(pl.col("n_src") >= 1).fill_null(False))
    if faulty.height:
        raise InputError(
            f"{lexicon.called} has an n_src of {faulty['src'].min()!r} that is missing, below 1 "
            "or not the same in all rows",
            expected="the frequency of each source word, the same in all its rows",
        )
    times = pl.DataFrame({"src": rates.src}).join(seen, on="src", how="left", maintain_order="left")
    # The exponent from frexp() is the number of bits: 0 for 0, 1 for 1, 2 for 2 and 3, ...
    band = np.frexp(times["n_src"].fill_null(1).to_numpy() - 1)[1]
    band[~rates.known] = -1
    rows_of_band = {}
    for at in [*np.unique(band[band >= 0]), *np.unique(band[band < 0])]:
        low, high = 2 ** (int(at) - 1) + 1, 2 ** int(at)
        name = UNKNOWN if at < 0 else f"{low}-{high}" if at > 1 else str(high)
        rows_of_band[name] = np.flatnonzero(band == at)
    return rows_of_band


def groups_of(by: object) -> pl.DataFrame:
    """Return a table of words and their groups, checked."""
    called = "the table of groups"
    if isinstance(by, str) and not Path(by).suffix and not Path(by).exists():
        raise InputError(
            f"figures by {by!r}", expected="'frequency', or a table or path with src and group"
        )
    if isinstance(by, Mapping) and not is_columns(by, "src", "group"):
        by = pa.table({"src": list(by), "group": list(by.values())})
    table = table_of(by, called, ("src", "group"), text=("src", "group"))
    frame = pl.DataFrame(pl.from_arrow(table.select(["src", "group"]))).cast(pl.String)
    twice = frame.filter(frame["src"].is_duplicated())["src"].sort()
    if twice.len():
        raise InputError(
            f"{called} has the word {twice[0]!r} more than once", expected="one group per word"
        )
    return frame


def in_groups(rates: Rates, groups: pl.DataFrame) -> dict[str, I64]:
    """Return the words of each group by name, the group ``other`` last."""
    named = pl.DataFrame({"src": rates.src}).join(
        groups, on="src", how="left", maintain_order="left"
    )["group"]
    group = named.fill_null(OTHER)
    names = sorted(set(group), key=lambda name: (name == OTHER, name))
    return {name: (group == name).arg_true().to_numpy().astype(np.int64) for name in names}


def rows_of(rates: Rates, rows: I64) -> Rates:
    """Return the words in some rows."""
    return Rates(
        rates.src.gather(pl.Series(rows)),
        rates.known[rows],
        rates.pairs[rows],
        rates.hits[rows],
        rates.tokens[rows],
        rates.token_hits[rows],
    )


def rates_of(connection: DuckDBPyConnection, lexicon: Lexicon, k: int) -> Rates:
    """Return the hits of a lexicon in the text of a connection (see ``text_loaded``)."""
    load_lexicon(connection, lexicon)
    frame = hit_frame(
        connection,
        "select src, known, pairs, hits, tokens, token_hits from hit_rates('lexicon', 'text', $k)",
        k,
        lexicon,
    )
    # Every word has k consecutive rows, one per depth.
    first = {name: frame[name].gather_every(k) for name in ("src", "known", "pairs", "tokens")}
    return Rates(
        first["src"],
        first["known"].to_numpy(),
        first["pairs"].to_numpy(),
        frame["hits"].to_numpy().reshape(-1, k),
        first["tokens"].to_numpy(),
        frame["token_hits"].to_numpy().reshape(-1, k),
    )


def hit_frame(connection: DuckDBPyConnection, sql: str, k: int, lexicon: Lexicon) -> pl.DataFrame:
    """Return what a query on hit rates up to depth k gives; warn if no word is known."""
    frame = pl.DataFrame(pl.from_arrow(to_table(connection.sql(sql, params={"k": k}))))
    if not frame["known"].any():
        warn(f"no source word of {lexicon.called} occurs in the text; are they of one language?")
    return frame
