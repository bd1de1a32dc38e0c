"""Showing a sentence's confusion network in a pivot language, and its n-grams.

Dahlmeier, Liu & Ng 2011, section 3.3.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.core.schemas import ANALYSED
from alignframe.errors import InputError
from alignframe.functions.bags import check_function_weight
from alignframe.kernels.tesla.pivot_bags import expected
from alignframe.kernels.tesla.pivot_ngrams import KEY_BITS, ORDERS
from alignframe.language.analysed import Analysed, Vocabulary, from_arrow
from alignframe.tesla.pivot_build import UNTAGGED
from alignframe.tesla.pivot_table import PivotTable, as_pivot_table
from alignframe.tesla.pivots import KINDS, alternatives
from alignframe.tesla.segmentation import Segmenter
from alignframe.typing import FilePath, IntoTokens


def network(sentence: IntoTokens, table: PivotTable | FilePath) -> pl.DataFrame:
    """Return the confusion network of a sentence.

    Parameters
    ----------
    sentence
        A text whose words are separated by spaces, a list of words, or a list of analysed tokens
        (mappings of word, tag, lemma and content).
    table
        The pivot table: see ``pivot_table.as_pivot_table``.

    Returns
    -------
    polars.DataFrame
        The columns column (from 0), tgt_phrase, pivot_phrase (words joined by spaces) and
        probability. A word missing from the table is its own pivot phrase.

    Raises
    ------
    InputError
        If it is not a sentence.

    Examples
    --------
    >>> from alignframe import tesla
    >>> how, text = tesla.Analysis.of(tagger="none"), (["the boat"] * 2, ["le bateau", "la barque"])
    >>> table = tesla.build_pivot_table(text, ["0-0 1-1"] * 2, min_count=1, analysis=how)
    >>> tesla.network("the boat", table).rows()
    [(0, 'the boat', 'le bateau', 0.5), (0, 'the boat', 'la barque', 0.5)]
    """
    table = as_pivot_table(table)
    tokens = _tokens(sentence)
    segmenter = Segmenter(table, tokens.vocabulary)
    columns = segmenter.columns(tokens)
    words = tokens.vocabulary.words.known.take(pa.array(tokens.words)).to_pylist()
    ends = [*columns.first[1:].tolist(), len(words)]
    rows = []
    for column, (start, end, phrase) in enumerate(
        zip(columns.first.tolist(), ends, columns.phrase.tolist(), strict=True)
    ):
        text = " ".join(words[start:end])
        if phrase < 0:
            rows.append((column, text, text, 1.0))
        else:
            alternatives_of_phrase = range(
                int(table.offsets[phrase]), int(table.offsets[phrase + 1])
            )
            rows += [
                (column, text, _pivot(table, a), float(table.probability[a]))
                for a in alternatives_of_phrase
            ]
    schema = {
        "column": pl.Int64,
        "tgt_phrase": pl.String,
        "pivot_phrase": pl.String,
        "probability": pl.Float64,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def pivot_ngrams(
    sentence: IntoTokens,
    table: PivotTable | FilePath,
    n: int,
    *,
    by: str = "lem",
    function_weight: float = 0.1,
) -> pl.DataFrame:
    """Return the expected pivot n-grams of a sentence, by descending weight.

    Parameters
    ----------
    sentence, table
        See ``network``; words without analysis that are missing from the table count as content
        words.
    n
        The n-gram length, 1 to 3.
    by
        ``lem``: n-grams of lemmas; ``pos``: of tags.
    function_weight
        The weight of a function word, in tenths.

    Returns
    -------
    polars.DataFrame
        The columns ngram (joined by spaces), weight and discounted, which is ``weight`` times
        ``function_weight`` for every function word.

    Raises
    ------
    InputError
        If n or ``by`` is invalid, or the input is not a sentence.

    Examples
    --------
    >>> from alignframe import tesla
    >>> how, text = tesla.Analysis.of(tagger="none"), (["the boat"] * 2, ["le bateau", "la barque"])
    >>> table = tesla.build_pivot_table(text, ["0-0 1-1"] * 2, min_count=1, analysis=how)
    >>> tesla.pivot_ngrams("the boat", table, 2).select("ngram", "weight").rows()
    [('la barque', 0.5), ('le bateau', 0.5)]
    """
    if not 1 <= n <= ORDERS:
        raise InputError(f"`n` is {n}", expected=f"1 to {ORDERS}")
    if by not in KINDS:
        raise InputError(f"`by` is {by!r}", expected=" or ".join(KINDS))
    check_function_weight(function_weight)
    table = as_pivot_table(table)
    tokens = _tokens(sentence)
    segmenter = Segmenter(table, tokens.vocabulary)
    columns = segmenter.columns(tokens)
    # Both passes give the same n-grams in the same order; only weights differ.
    weights = []
    for weight in (1.0, function_weight):
        own = segmenter.tokens(tokens, KINDS[by], weight)
        size = len(segmenter.texts(KINDS[by]))
        weights.append(expected(alternatives(table, KINDS[by], weight), columns, own, size))
    keys = weights[0][0].astype(np.int64)
    shifts = np.arange(n)[::-1] * KEY_BITS
    # A key holds the numbers of its texts plus 1, so its highest part tells its order.
    wanted = (keys >> (n - 1) * KEY_BITS > 0) & (keys >> n * KEY_BITS == 0)
    numbers = (keys[wanted, None] >> shifts) % (1 << KEY_BITS) - 1
    texts = np.array(list(segmenter.texts(KINDS[by])), object)
    ngrams = pl.DataFrame(
        {
            "ngram": [" ".join(row) for row in texts[numbers]],
            "weight": weights[0][1][wanted],
            "discounted": weights[1][1][wanted],
        },
        schema={"ngram": pl.String, "weight": pl.Float64, "discounted": pl.Float64},
    )
    return ngrams.sort("weight", "ngram", descending=[True, False])


def _pivot(table: PivotTable, alternative: int) -> str:
    pivot = table.pivot
    words = pivot.words[pivot.starts[alternative] : pivot.ends[alternative]]
    return " ".join(pivot.vocabulary.words.known.take(pa.array(words)).to_pylist())


def _tokens(sentence: object) -> Analysed:
    """Return a sentence's tokens; plain words become content words without a tag."""
    words = sentence.split() if isinstance(sentence, str) else sentence
    if not isinstance(words, Sequence):
        raise InputError(
            f"a sentence of type {type(sentence).__name__}", expected="a text or list of words"
        )
    tokens = [
        {"word": word, "tag": UNTAGGED, "lemma": word.lower(), "content": True}
        if isinstance(word, str)
        else word
        for word in words
    ]
    try:
        return from_arrow(pa.array([tokens], ANALYSED), Vocabulary())
    except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError) as error:
        raise InputError(
            f"no sentence ({str(error).splitlines()[0]})",
            expected="words, or tokens with word, tag, lemma and content",
        ) from None
