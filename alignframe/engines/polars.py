"""The row-wise functions as polars expressions.

>>> import polars as pl
>>> from alignframe.engines.polars import count_links
>>> frame.select(count_links("links", "gold"))  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import polars as pl
import pyarrow as pa

from alignframe.errors import unknown
from alignframe.functions import FUNCTIONS, RowFunction
from alignframe.public import listed

__all__ = [
    "align_lengths",
    "align_sentences",
    "align_words",
    "analyse_text",
    "bleu_counts",
    "chrf_counts",
    "count_links",
    "count_null_links",
    "extract_phrases",
    "format_links",
    "invert_links",
    "lcsr",
    "llr",
    "ngram_match",
    "parse_links",
    "same_prefix",
    "symmetrize",
    "tesla_counts",
    "tesla_m",
]
__dir__ = listed(__all__)

Column = pl.Expr | str
"""An expression, or the name of a column."""


def _data_type(kind: pa.DataType) -> pl.DataType:
    return pl.from_arrow(pa.array([], kind)).dtype  # type: ignore[union-attr]


def _expression(name: str) -> Callable[..., pl.Expr]:
    function: RowFunction = next(f for f in FUNCTIONS if f.name == name)
    returns = _data_type(function.returns)

    def call(columns: Sequence[pl.Series]) -> pl.Series:
        # A literal or an aggregate has one row, which is broadcast.
        rows = max(len(column) for column in columns) if all(map(len, columns)) else 0
        full = [c if len(c) == rows or len(c) != 1 else c.new_from_index(0, rows) for c in columns]
        result = function.call(*(column.to_arrow() for column in full))
        return pl.Series(columns[0].name, pl.from_arrow(result), dtype=returns)

    def build(*columns: Column) -> pl.Expr:
        if len(columns) != len(function.arguments):
            raise TypeError(f"{name} takes the columns {', '.join(function.arguments)}")
        given = [pl.col(c) if isinstance(c, str) else c for c in columns]
        return pl.map_batches(given, call, return_dtype=returns, is_elementwise=True)

    return build


def _with_options(name: str, *columns: Column, **options: Any) -> pl.Expr:
    """Return a function with options, each a value or an expression; null by default."""
    function = next(f for f in FUNCTIONS if f.name == name)
    for option in options:
        if option not in function.defaults:
            raise unknown("option", option, function.defaults)
    values = [options.get(option) for option in function.defaults]
    given = [
        value
        if isinstance(value, pl.Expr)
        else pl.lit(value, _data_type(function.arguments[option]))
        for option, value in zip(function.defaults, values, strict=True)
    ]
    return _expression(name)(*columns, *given)


def count_links(hyp: Column, gold: Column) -> pl.Expr:
    """Count each sentence's links; see ``alignframe.functions.count_links``."""
    return _expression("count_links")(hyp, gold)


def symmetrize(forward: Column, reverse: Column, method: str | pl.Expr) -> pl.Expr:
    """Combine two directions; a string names a method. See ``alignframe.functions.symmetrize``."""
    chosen = pl.lit(method) if isinstance(method, str) else method
    return _expression("symmetrize")(forward, reverse, chosen)


def invert_links(links: Column) -> pl.Expr:
    """Swap source and target; see ``alignframe.functions.invert_links``."""
    return _expression("invert_links")(links)


def parse_links(text: Column) -> pl.Expr:
    """Parse Pharaoh notation; see ``alignframe.functions.parse_links``."""
    return _expression("parse_links")(text)


def format_links(links: Column) -> pl.Expr:
    """Write Pharaoh notation; see ``alignframe.functions.format_links``."""
    return _expression("format_links")(links)


def extract_phrases(
    links: Column,
    kind: str | pl.Expr = "minimal",
    max_length: int | pl.Expr | None = None,
    src_length: Column | None = None,
    tgt_length: Column | None = None,
) -> pl.Expr:
    """List the phrase pairs that links allow; see ``alignframe.functions.extract_phrases``."""
    chosen = pl.lit(kind) if isinstance(kind, str) else kind
    longest = max_length if isinstance(max_length, pl.Expr) else pl.lit(max_length, pl.Int64)
    lengths = (_or_null(src_length), _or_null(tgt_length))
    return _expression("extract_phrases")(links, chosen, longest, *lengths)


def count_null_links(
    links: Column, src_length: Column | None = None, tgt_length: Column | None = None
) -> pl.Expr:
    """Count words without a link; see ``alignframe.functions.count_null_links``."""
    return _expression("count_null_links")(links, _or_null(src_length), _or_null(tgt_length))


def llr(
    n_both: Column, n_src: Column, n_tgt: Column, n: Column, *, signed: bool = False
) -> pl.Expr:
    """Return the log-likelihood ratio of two words; see ``alignframe.functions.llr``."""
    return _expression("llr")(n_both, n_src, n_tgt, n, pl.lit(signed))


def lcsr(a: Column, b: Column, *, fold_accents: bool = False) -> pl.Expr:
    """Return the spelling similarity of two words; see ``alignframe.functions.lcsr``."""
    return _expression("lcsr")(a, b, pl.lit(fold_accents))


def same_prefix(
    a: Column, b: Column, letters: int | pl.Expr = 4, *, fold_accents: bool = False
) -> pl.Expr:
    """Return whether two words share a prefix; see ``alignframe.functions.same_prefix``."""
    size = letters if isinstance(letters, pl.Expr) else pl.lit(letters, pl.Int64)
    return _expression("same_prefix")(a, b, size, pl.lit(fold_accents))


def align_sentences(src: Column, tgt: Column, method: str = "lex", **options: Any) -> pl.Expr:
    """Align the sentences of documents; see ``alignframe.beads.rows.align_sentences``."""
    return _with_options("align_sentences", src, tgt, method=method, **options)


def align_lengths(src: Column, tgt: Column, method: str = "len", **options: Any) -> pl.Expr:
    """Align sentences by their lengths; see ``alignframe.beads.rows.align_lengths``."""
    return _with_options("align_lengths", src, tgt, method=method, **options)


def align_words(src: Column, tgt: Column, model: str | pl.Expr, **options: Any) -> pl.Expr:
    """Align sentence pairs with a saved model; see ``alignframe.aligners.rows.align_words``."""
    folder = model if isinstance(model, pl.Expr) else pl.lit(str(model))
    return _with_options("align_words", src, tgt, folder, **options)


def analyse_text(text: Column, language: str = "en", tokens: str = "penn") -> pl.Expr:
    """Analyse sentences; see ``alignframe.functions.analyse_text``."""
    return _expression("analyse_text")(text, pl.lit(language), pl.lit(tokens))


def ngram_match(
    hyp: Column,
    ref: Column,
    n: int | pl.Expr = 1,
    similarity: str | pl.Expr = "ms",
    synonyms: str = "wordnet",
) -> pl.Expr:
    """Match two bags of n-grams; see ``alignframe.functions.ngram_match``."""
    order = n if isinstance(n, pl.Expr) else pl.lit(n, pl.Int64)
    kind = pl.lit(similarity) if isinstance(similarity, str) else similarity
    return _expression("ngram_match")(hyp, ref, order, kind, pl.lit(synonyms))


def tesla_counts(hyp: Column, ref: Column, synonyms: str = "wordnet") -> pl.Expr:
    """Compute the counts of TESLA-M; see ``alignframe.functions.tesla_counts``."""
    return _expression("tesla_counts")(hyp, ref, pl.lit(synonyms))


def tesla_m(
    hyp: Column, ref: Column, synonyms: str = "wordnet", recall_weight: float | pl.Expr = 0.8
) -> pl.Expr:
    """Score translations by TESLA-M; see ``alignframe.functions.tesla_m``."""
    weight = recall_weight
    if not isinstance(weight, pl.Expr):
        weight = pl.lit(float(weight))
    return _expression("tesla_m")(hyp, ref, pl.lit(synonyms), weight)


def bleu_counts(hyp: Column, refs: Column) -> pl.Expr:
    """Compute the counts of BLEU; see ``alignframe.functions.bleu_counts``."""
    return _expression("bleu_counts")(hyp, refs)


def chrf_counts(
    hyp: Column, refs: Column, word_order: int = 0, beta: float = 2.0, *, whitespace: bool = False
) -> pl.Expr:
    """Compute the counts of chrF; see ``alignframe.functions.chrf_counts``."""
    options = (pl.lit(word_order, pl.Int64), pl.lit(float(beta)), pl.lit(whitespace))
    return _expression("chrf_counts")(hyp, refs, *options)


def _or_null(column: Column | None) -> Column:
    return pl.lit(None, pl.Int64) if column is None else column
