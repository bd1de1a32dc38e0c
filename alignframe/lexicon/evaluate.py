"""Bitext-based lexicon evaluation (BIBLE), in all and by groups of source words."""

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
from alignframe.core.choices import TYPES_OR_TOKENS
from alignframe.core.figures import Ratio
from alignframe.errors import InputError, check_known
from alignframe.lexicon.sources import (
    Lexicon,
    are_named,
    depth_of,
    load_lexicon,
    named_lexicons,
    read_lexicon,
    text_loaded,
)
from alignframe.options import checked
from alignframe.sources.source import is_columns
from alignframe.sources.words import table_of
from alignframe.stats.bootstrap import Resampling
from alignframe.stats.measure import Measure
from alignframe.stats.sample import Sample
from alignframe.typing import (
    Confidence,
    ForOutput,
    FromOne,
    IntoBitext,
    IntoFrame,
    IntoLexicon,
    Rare,
    Resamples,
    Row,
    Seed,
)

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

WEIGHTS = TYPES_OR_TOKENS


@checked
def evaluate(
    lexicon: IntoLexicon | Mapping[str, IntoLexicon],
    bitext: IntoBitext,
    k: FromOne | None = None,
    *,
    average: Rare[str] = "types",
    by: IntoFrame | Mapping[str, str] | None = None,
    bootstrap: Resamples = 0,
    confidence: Confidence = 0.95,
    seed: Seed = 1,
    memory_limit: Rare[str | None] = None,
    threads: ForOutput[FromOne | None] = None,
) -> pl.DataFrame:
    """Score lexicons on a held-out text.

    Parameters
    ----------
    lexicon
        A table with src, tgt and rank, the path of such a Parquet, .csv or .tsv file, or a mapping
        from names to these (one with the keys src and tgt is a dict of columns).
    bitext
        The test text: a frame with src and tgt (lists of words), or the path of such a Parquet
        file. Sentence pairs with an empty side are left out, with a warning.
    k
        Maximum number of translations per word to try; by default 5, or as many as every lexicon
        has.
    average
        ``types``: all source words of the text have equal weight; ``tokens``: all their occurrences
        do.
    by
        How to break down figures: ``frequency`` for bands of n_src in the lexicon; or a table or
        path with src and group, where missing words are in the group ``other``.
    bootstrap
        Number of resamples of source words for intervals; 0 for none.
    confidence, seed
        The confidence level of the intervals, and the random seed.
    memory_limit
        DuckDB's memory limit, for example ``1GB``; it spills to a temporary folder.
    threads
        Number of threads; all cores by default.

    Returns
    -------
    polars.DataFrame
        One row per depth from 1 to ``k``: lexicon (if named), group (if ``by`` is given), k,
        precision (over words in the lexicon; null if there are none), recall (the share of words in
        the lexicon), percent_correct (over all words; those not in the lexicon count as 0), each
        with ``_low`` and ``_high`` when resampled, types (source words of the text), covered_types
        (those in the lexicon), tokens and covered_tokens (their occurrences; when weighted by
        tokens) and signature.

    Raises
    ------
    InputError
        If a source cannot be read, or ``k`` is more than a lexicon has.

    Notes
    -----
    Melamed 1995, section 3: BIBLE. The cumulative hit rate of a word at depth k is the share of
    sentence pairs with the word whose target side has one of its k best translations.

    Examples
    --------
    >>> import polars as pl
    >>> from alignframe import lexicon
    >>> entries = {"src": ["book", "book"], "tgt": ["das", "Buch"], "rank": [1, 2]}
    >>> text = pl.DataFrame({"src": [["a", "book"]], "tgt": [["ein", "Buch"]]})
    >>> found = lexicon.evaluate(pl.DataFrame(entries), text, k=2)
    >>> found.select("k", "precision", "percent_correct").rows()
    [(1, 0.0, 0.0), (2, 1.0, 0.5)]
    """
    check_known("`average`", average, WEIGHTS)
    named = are_named(lexicon)
    lexicons = named_lexicons(lexicon) if named else {"": read_lexicon(lexicon)}
    k = depth_of([*lexicons.values()], k)
    drawn = Resampling(bootstrap, confidence, seed, of="types")
    groups = None if by is None or is_frequency(by) else groups_of(by)
    parts = []
    with text_loaded(bitext, memory_limit, threads) as connection:
        for name, lexicon_read in lexicons.items():
            rates = rates_of(connection, lexicon_read, k)
            if by is not None:
                grouped = bands(rates, lexicon_read) if groups is None else in_groups(rates, groups)
                figures = pl.concat(
                    _figures(rows_of(rates, rows), average, drawn).select(
                        pl.lit(group, pl.String).alias("group"), pl.all()
                    )
                    for group, rows in grouped.items()
                )
            else:
                figures = _figures(rates, average, drawn)
            parts.append(figures.select(pl.lit(name).alias("lexicon"), pl.all()))
    grouping = "" if by is None else "by:frequency" if is_frequency(by) else "by:group"
    mark = _measure(k, average).signature(grouping, drawn.signature)
    out = pl.concat(parts).with_columns(pl.lit(mark).alias("signature"))
    return out if named else out.drop("lexicon")


def hit_rates(
    lexicon: IntoLexicon,
    bitext: IntoBitext,
    k: int | None = None,
    *,
    memory_limit: str | None = None,
    threads: int | None = None,
) -> pl.DataFrame:
    """Return the cumulative hit rates of every source word in a test text.

    Parameters
    ----------
    lexicon, bitext, k, memory_limit, threads
        See ``evaluate``; one lexicon.

    Returns
    -------
    polars.DataFrame
        One row per word and depth, sorted: src, k, known (whether the lexicon has the word), pairs
        (sentence pairs with the word), hits (those whose target side has one of its k best
        translations), hit_rate, tokens (occurrences), token_hits (those in pairs that are hits).

    Raises
    ------
    InputError
        If a source cannot be read, or ``k`` is more than the lexicon has.

    Notes
    -----
    Melamed 1995, section 3.

    Examples
    --------
    >>> import polars as pl
    >>> from alignframe import lexicon
    >>> entries = {"src": ["book", "book"], "tgt": ["das", "Buch"], "rank": [1, 2]}
    >>> text = pl.DataFrame({"src": [["a", "book"]], "tgt": [["ein", "Buch"]]})
    >>> lexicon.hit_rates(pl.DataFrame(entries), text, k=2).select("src", "k", "hit_rate").rows()
    [('a', 1, 0.0), ('a', 2, 0.0), ('book', 1, 0.0), ('book', 2, 1.0)]
    """
    lexicon_read = read_lexicon(lexicon)
    depth = depth_of([lexicon_read], k)
    with text_loaded(bitext, memory_limit, threads) as connection:
        load_lexicon(connection, lexicon_read)
        return _frame(connection, "select * from hit_rates('lexicon', 'text', $k)", depth)


def rates_of(connection: DuckDBPyConnection, lexicon: Lexicon, k: int) -> Rates:
    """Return the hits of a lexicon in the text of a connection (see ``text_loaded``)."""
    load_lexicon(connection, lexicon)
    frame = _frame(
        connection,
        "select src, known, pairs, hits, tokens, token_hits from hit_rates('lexicon', 'text', $k)",
        k,
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


def _frame(connection: DuckDBPyConnection, sql: str, k: int) -> pl.DataFrame:
    return pl.DataFrame(pl.from_arrow(to_table(connection.sql(sql, params={"k": k}))))


def _measure(k: int, average: str = "types") -> Measure:
    """Return precision and percent correct at every depth, and recall, as a measure over words."""
    depths = range(1, k + 1)
    return Measure(
        "bible",
        (*(f"hits_{depth}" for depth in depths), "known", "all"),
        (
            *(
                Ratio(f"{figure}_{depth}", f"hits_{depth}", bottom)
                for figure, bottom in (("precision", "known"), ("percent_correct", "all"))
                for depth in depths
            ),
            Ratio("recall", "known", "all"),
        ),
        (f"weigh:{average}", "pairs:nonempty"),
    )


def _figures(rates: Rates, average: str, resampling: Resampling) -> pl.DataFrame:
    """Return one row per depth."""
    k = rates.hits.shape[1]
    if average == "types":
        parts = [rates.hits / rates.pairs[:, None], rates.known, np.ones(rates.pairs.size)]
    else:
        parts = [rates.token_hits, np.where(rates.known, rates.tokens, 0), rates.tokens]
    counts = np.column_stack(parts).astype(np.float64)
    # Words are drawn; the axis between them and the counts is that of systems, here one.
    sample = Sample.draw(_measure(k).of, counts[:, None, :], resampling)
    columns: Row = {"k": np.arange(1, k + 1)}
    places = {"precision": range(k), "recall": [2 * k], "percent_correct": range(k, 2 * k)}
    for name, at in places.items():
        columns[name] = sample.observed[0, at]
        if resampling.resamples:
            ends = np.array([sample.interval(0, place) for place in at])
            columns |= {f"{name}_low": ends[:, 0], f"{name}_high": ends[:, 1]}
    columns |= {"types": rates.pairs.size, "covered_types": np.count_nonzero(rates.known)}
    if average == "tokens":
        columns["tokens"] = rates.tokens.sum()
        columns["covered_tokens"] = rates.tokens[rates.known].sum()
    whole = {name: np.broadcast_to(value, k) for name, value in columns.items()}
    return pl.DataFrame(whole).fill_nan(None)


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
