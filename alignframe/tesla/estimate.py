"""Estimating language models: interpolated modified Kneser-Ney smoothing, written as ARPA.

Chen & Goodman 1998, sections 2.7 and 3: n-grams of the highest order have their counts, those of
lower orders the number of distinct preceding words (or their count at the start of a sentence). A
discount, which depends on whether the count is 1, 2 or more, is subtracted, and its mass is
distributed by the next lower order; unigrams are interpolated with the uniform distribution,
including ``<unk>``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from typing import BinaryIO, NamedTuple, cast

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrays import I32
from alignframe.core.output import replacing
from alignframe.core.tokens import Numbering, list_lengths, words_of
from alignframe.errors import InputError, number_of, warn, whole_number
from alignframe.formats.sentences import read_sentences
from alignframe.options import checked
from alignframe.sources.source import column_of, is_path
from alignframe.sources.texts import word_array
from alignframe.tesla.arpa import BEGIN, END, LARGEST_ORDER, UNKNOWN
from alignframe.typing import FromOne, IntoSentences

FALLBACK = (0.5, 1.0, 1.5)
"""Discounts for texts too small to estimate them."""

_MARKS = (UNKNOWN, BEGIN, END)
_UNKNOWN, _BEGIN, _END = range(3)
_NO_CHANCE = -99.0
_ROWS = 20_000


class Order(NamedTuple):
    """The n-grams of an order: columns of words ``w1`` to ``wn``, ``prob`` and ``back_off``."""

    ngrams: pl.DataFrame
    discounts: tuple[float, float, float]


class Estimate(NamedTuple):
    """A model: its words, and the n-grams of each order from 1."""

    words: list[str]
    orders: list[Order]


@checked
def estimate_language_model(
    sentences: IntoSentences | Iterable[pa.Array], n: FromOne = 3
) -> Estimate:
    """Estimate an n-gram model from text.

    Parameters
    ----------
    sentences
        Lists of words or texts, which are split at spaces; or several columns of lists of words.
        Empty sentences are ignored, and so are words that look like special symbols of the model.
    n
        Length of the longest n-grams, in words: 2 to 10.

    Raises
    ------
    InputError
        If there is no word, or n is out of range.

    Warns
    -----
    DataWarning
        If the text is too small to estimate the discounts of an order, which are then ``FALLBACK``;
        or if it has words such as ``</s>``, which become ``<unk>``.

    Examples
    --------
    >>> from alignframe import tesla
    >>> model = tesla.estimate_language_model("datasets/en-fr/text.en", 2)
    >>> len(model.orders), "lighthouse" in model.words
    (2, True)
    """
    n = whole_number(n, 2, "n", LARGEST_ORDER)
    words, stream = _stream(_columns(sentences))
    raw = _counted(stream, n)
    adjusted = [_adjusted(raw[k - 1], raw[k], k) for k in range(1, n)] + [raw[-1]]
    orders: list[Order] = []
    for k, counts in enumerate(adjusted, 1):
        orders.append(_order(counts, k, orders[-1].ngrams if orders else None, len(words)))
    # A back-off weight belongs to the context, an n-gram of the order below.
    with_weights = []
    for k, (own, longer) in enumerate(zip(orders, [*orders[1:], None], strict=True), 1):
        ngrams = own.ngrams
        if k == 1:  # <s> follows nothing, but is a context
            begin = {"w1": [_BEGIN], "p": [10**_NO_CHANCE], "weight": [0.0]}
            ngrams = pl.concat([ngrams, pl.DataFrame(begin, schema=ngrams.schema)])
        if longer is not None:
            weights = longer.ngrams.select(*_words(k), back_off=pl.col("weight")).unique(_words(k))
            ngrams = ngrams.join(weights, on=_words(k), how="left", nulls_equal=True)
        with_weights.append(Order(_sorted(ngrams, k, longer is not None), own.discounts))
    return Estimate(words, with_weights)


def _columns(sentences: IntoSentences | Iterable[pa.Array]) -> Iterable[pa.Array]:
    """Return sentences as columns of lists of words."""
    if isinstance(sentences, (list, tuple)):
        if all(isinstance(column, (pa.Array, pa.ChunkedArray)) for column in sentences):
            return sentences
        return [word_array(sentences)]
    given = is_path(sentences) or column_of(sentences) is not None
    return [word_array(sentences)] if given else cast("Iterable[pa.Array]", sentences)


def text_columns(
    paths: Sequence[str | PathLike[str]],
    *,
    tokens: str = "penn",
    lower: bool = True,
    encoding: str = "utf-8",
) -> Iterator[pa.Array]:
    """Yield the words of text files, one sentence per line, in large batches."""
    from alignframe.language import tokenize

    for path in paths:
        sentences = read_sentences(path, encoding)
        for start in range(0, len(sentences), _ROWS):
            piece = sentences.slice(start, _ROWS)
            # Tokenised first, because capitals mark some word boundaries.
            words = tokenize.token_lists(piece, tokens)
            if lower:
                small = pc.utf8_lower(words.values)
                words = type(words).from_arrays(words.offsets, small)
            yield words


def write_arpa(model: Estimate, path: str | PathLike[str]) -> None:
    """Write a model in ARPA format, compressed if the name ends with .gz."""
    with replacing(path) as out:
        _write(model, out)


def _write(model: Estimate, out: BinaryIO) -> None:
    sizes = "".join(f"ngram {n}={o.ngrams.height}\n" for n, o in enumerate(model.orders, 1))
    out.write(f"\\data\\\n{sizes}".encode())
    texts = pl.Series(model.words)
    for n, own in enumerate(model.orders, 1):
        out.write(f"\n\\{n}-grams:\n".encode())
        columns = [
            pl.col("prob").round(7),
            pl.concat_str([texts.gather(own.ngrams[w]).alias(w) for w in _words(n)], separator=" "),
        ]
        if "back_off" in own.ngrams.columns:
            columns.append(pl.col("back_off").round(7))
        lines = own.ngrams.select(columns)
        lines.write_csv(
            out, include_header=False, separator="\t", quote_style="never", float_scientific=False
        )
    out.write(b"\n\\end\\\n")


def _words(n: int) -> list[str]:
    return [f"w{k}" for k in range(1, n + 1)]


def _stream(sentences: Iterable[object]) -> tuple[list[str], I32]:
    """Return the words, and the text as numbers with sentence boundaries."""
    numbering = Numbering()
    numbering.number(pa.array(_MARKS))
    parts = [np.zeros(0, np.int32)]
    odd = 0
    for column in sentences:
        numbers = numbering.number(words_of(column).cast(pa.string()))
        odd += int(np.count_nonzero(numbers < len(_MARKS)))
        numbers = np.where(numbers < len(_MARKS), _UNKNOWN, numbers)
        lengths = list_lengths(column)
        lengths = lengths[lengths > 0]
        # Each sentence takes two more places, for its boundaries.
        ends = np.cumsum(lengths) + 2 * np.arange(1, lengths.size + 1)
        part = np.empty(numbers.size + 2 * lengths.size, np.int32)
        inside = np.ones(part.size, np.bool_)
        inside[ends - 1] = inside[ends - lengths - 2] = False
        part[ends - lengths - 2], part[ends - 1], part[inside] = _BEGIN, _END, numbers
        parts.append(part)
    stream = np.concatenate(parts)
    if not stream.size:
        raise InputError("no words to estimate a model from", expected="text")
    if odd:
        warn(
            f"{number_of(odd, 'word')} of the text that look like special symbols became {UNKNOWN}"
        )
    return numbering.known.to_pylist(), stream


def _counted(stream: I32, order: int) -> list[pl.DataFrame]:
    """Return the count of each n-gram of each order."""
    sentence = np.cumsum(stream == _BEGIN)
    counts = []
    for n in range(1, order + 1):
        size = max(stream.size - n + 1, 0)
        # N-grams do not cross sentences.
        whole = sentence[:size] == sentence[n - 1 :]
        columns = {f"w{k + 1}": stream[k : k + size][whole] for k in range(n)}
        counts.append(pl.DataFrame(columns).group_by(_words(n)).agg(count=pl.len().cast(pl.Int64)))
    return counts


def _adjusted(counts: pl.DataFrame, longer: pl.DataFrame, n: int) -> pl.DataFrame:
    """Return the number of distinct words before each n-gram, or its count at sentence starts."""
    behind = [pl.col(f"w{k + 1}").alias(f"w{k}") for k in range(1, n + 1)]
    before = longer.select(behind).group_by(_words(n)).agg(count=pl.len().cast(pl.Int64))
    return pl.concat([before, counts.filter(pl.col("w1") == _BEGIN)])


def _order(counts: pl.DataFrame, n: int, shorter: pl.DataFrame | None, size: int) -> Order:
    """Return the interpolated probabilities of an order, and contexts' back-off weights."""
    if n == 1:
        counts = counts.filter(pl.col("w1") != _BEGIN)
    discounts = _discounts(counts["count"], n)
    taken = pl.lit(0.0)
    for at, discount in enumerate(discounts, 1):
        mine = pl.col("count") == at if at < len(discounts) else pl.col("count") >= at
        taken = pl.when(mine).then(discount).otherwise(taken)
    whole = counts.with_columns(taken=taken)
    context = _words(n - 1)
    sums = [total.over(context) if context else total for total in _totals()]
    whole = whole.with_columns(total=sums[0], weight=sums[1])
    whole = whole.with_columns(
        own=(pl.col("count") - pl.col("taken")) / pl.col("total"),
        weight=pl.col("weight") / pl.col("total"),
    )
    if shorter is None:
        return Order(_unigrams(whole, size), discounts)
    behind = shorter.select(
        *(pl.col(f"w{k}").alias(f"w{k + 1}") for k in range(1, n)), lower=pl.col("p")
    )
    whole = whole.join(behind, on=_words(n)[1:], how="left")
    # p(w, context) = (c - D(c)) / total + weight(context) p(w, shorter context).
    whole = whole.with_columns(p=pl.col("own") + pl.col("weight") * pl.col("lower"))
    return Order(whole.select(*_words(n), "p", "weight"), discounts)


def _totals() -> tuple[pl.Expr, pl.Expr]:
    return pl.col("count").sum(), pl.col("taken").sum()


def _unigrams(whole: pl.DataFrame, size: int) -> pl.DataFrame:
    """Return every word except ``<s>`` with its probability."""
    share = whole["weight"][0] / (size - 1)  # <s> never follows
    every = pl.DataFrame({"w1": np.arange(size, dtype=np.int32)})
    every = every.filter(pl.col("w1") != _BEGIN).join(whole, on="w1", how="left")
    return every.select(
        "w1", p=pl.col("own").fill_null(0.0) + share, weight=pl.lit(whole["weight"][0])
    )


def _discounts(counts: pl.Series, n: int) -> tuple[float, float, float]:
    """Return the discounts of counts of 1, 2 and more (Chen & Goodman 1998, equation 26)."""
    n_of = [int((counts == k).sum()) for k in range(1, 5)]
    if all(n_of):
        # Y = n1 / (n1 + 2 n2), and D(k) = k - (k + 1) Y n(k + 1) / n(k).
        share = n_of[0] / (n_of[0] + 2 * n_of[1])
        discounts = [k - (k + 1) * share * n_of[k] / n_of[k - 1] for k in (1, 2, 3)]
        if all(0 <= discount <= k for k, discount in enumerate(discounts, 1)):
            return discounts[0], discounts[1], discounts[2]
    warn(
        f"the text is too small to estimate the discounts of {n}-grams ({n_of[0]:,} of them "
        f"occur once, {n_of[1]:,} twice, {n_of[2]:,} and {n_of[3]:,} three and four times); "
        f"used {', '.join(map(str, FALLBACK))}"
    )
    return FALLBACK


def _sorted(ngrams: pl.DataFrame, n: int, weighted: bool) -> pl.DataFrame:
    """Return the columns of an ARPA file, in base-10 logarithms; unigrams include ``<s>``."""
    prob = pl.col("p").log10()
    columns: list[object] = [*_words(n), prob.alias("prob")]
    if weighted:
        columns.append(pl.col("back_off").log10().fill_null(0.0))
    return ngrams.select(columns).sort(_words(n))
