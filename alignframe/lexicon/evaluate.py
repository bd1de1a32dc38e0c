"""Bitext-based lexicon evaluation: how often a word's translations are in the other half."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from alignframe.core.arrow import to_table
from alignframe.core.choices import TYPES_OR_TOKENS
from alignframe.core.figures import Ratio
from alignframe.errors import check_known, in_bounds
from alignframe.lexicon.groups import Rates, bands, groups_of, in_groups, is_frequency, rows_of
from alignframe.lexicon.sources import (
    Lexicon,
    are_named,
    depth_of,
    load_lexicon,
    named_lexicons,
    read_lexicon,
    text_loaded,
)
from alignframe.stats.bootstrap import Resampling
from alignframe.stats.measure import Measure
from alignframe.stats.sample import Sample
from alignframe.typing import IntoBitext, IntoFrame, IntoLexicon, Row

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

WEIGHTS = TYPES_OR_TOKENS


def evaluate(
    lexicon: IntoLexicon | Mapping[str, IntoLexicon],
    bitext: IntoBitext,
    k: int | None = None,
    *,
    average: str = "types",
    by: IntoFrame | Mapping[str, str] | None = None,
    bootstrap: int = 0,
    confidence: float = 0.95,
    seed: int = 1,
    memory_limit: str | None = None,
    threads: int | None = None,
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
    bootstrap = in_bounds("bootstrap", bootstrap)
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
