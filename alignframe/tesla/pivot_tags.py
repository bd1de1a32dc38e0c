"""Annotating the words of a pivot language: word, tag, lemma and content, one row per type."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrays import I64, Array, frozen
from alignframe.core.schemas import TOKEN, TOKENS
from alignframe.core.tokens import Numbering
from alignframe.errors import InputError
from alignframe.language.analysed import Analysed, Vocabulary
from alignframe.tesla.pivot_count import NumberedSide, link_ends
from alignframe.typing import IntoTexts

UNTAGGED = "X"
"""The tag of unaligned pivot words."""

_ROWS = 20_000


class Analyst(Protocol):
    """The interface of ``alignframe.language.analysis.Analysis``."""

    @property
    def signature(self) -> str:
        """The choices that change a tag or a lemma."""

    def analyse(self, sentences: IntoTexts, vocabulary: Vocabulary) -> Analysed:
        """Return the analysed tokens of sentences."""


def projected(
    tgt: NumberedSide,
    pivot: NumberedSide,
    text: pa.ChunkedArray,
    batches: Iterable[tuple[I64, pa.Array]],
    analysis: Analyst,
) -> pa.StructArray:
    """Return the pivot words with the most frequent tags of words linked to them."""
    (_, tags, _, content), vocabulary = _every_token(tgt, text, analysis)
    # Numbered alphabetically, so that ties between tags go to the first one.
    tags = vocabulary.tags.ranks()[tags]
    names = vocabulary.tags.known
    names = names.take(pc.sort_indices(names))
    words = pivot.known.known
    votes = np.zeros(len(words) * len(names), np.int64)
    full = np.zeros(len(words) * 2, np.int64)
    for rows, links in batches:
        near, far = link_ends(tgt, pivot, rows, links)
        linked = pivot.words[far].astype(np.int64)
        votes += np.bincount(linked * len(names) + tags[near], minlength=votes.size)
        full += np.bincount(linked * 2 + content[near], minlength=full.size)
    by_tag = votes.reshape(len(words), len(names))
    known = by_tag.any(axis=1)
    best = pa.array(by_tag.argmax(axis=1), mask=~known)
    function_links, content_links = full.reshape(len(words), 2).T
    # A content word has at least half of its links to content words; one without links is none.
    is_content = pa.array(known & (content_links >= function_links))
    tag = names.take(best).fill_null(UNTAGGED)
    return _types(words, tag, pc.utf8_lower(words), is_content)


def analysed(
    pivot: NumberedSide, text: pa.ChunkedArray, analysis: Analyst, *, lower: bool, joined: bool
) -> tuple[NumberedSide, pa.StructArray]:
    """Return the pivot side as types of word, tag and lemma, and the annotation of each type."""
    # With `joined`, words include their tags, and the analysis takes texts.
    columns, vocabulary = _every_token(pivot, text, analysis, joined)
    words = vocabulary.words.known
    if lower:
        known = Numbering()
        columns[0] = known.number(pc.utf8_lower(words))[columns[0]]
        words = known.known
    tokens = np.stack(columns, axis=1).astype(np.int64)
    types, numbers = np.unique(tokens, axis=0, return_inverse=True)
    texts = (words, vocabulary.tags.known, vocabulary.lemmas.known)
    word, tag, lemma = (known.take(pa.array(types[:, k])) for k, known in enumerate(texts))
    side = NumberedSide(pivot.starts, frozen(numbers.ravel().astype(np.int32)), pivot.known)
    return side, _types(word, tag, lemma, pa.array(types[:, 3].astype(np.bool_)))


def _every_token(
    side: NumberedSide, text: pa.ChunkedArray, analysis: Analyst, joined: bool = False
) -> tuple[list[Array], Vocabulary]:
    """Return the word, tag, lemma and content of every token of a side."""
    vocabulary = Vocabulary()
    parts: list[list[Array]] = []
    for low in range(0, len(text), _ROWS):
        sentences = text.slice(low, _ROWS).cast(TOKENS)
        plain = sentences.cast(pa.list_(pa.string()))
        given = pc.binary_join(plain, " ") if joined else sentences
        tokens = analysis.analyse(given, vocabulary)
        if not np.array_equal(tokens.lengths(), np.diff(side.starts)[low : low + _ROWS]):
            raise InputError(
                f"the analysis {analysis.signature} splits text into other words than the links do",
                expected="words separated by spaces",
            )
        whole = slice(int(tokens.starts[0]), int(tokens.ends[-1]))
        every = (tokens.words, tokens.tags, tokens.lemmas, tokens.content)
        parts.append([values[whole] for values in every])
    return [np.concatenate(part) for part in zip(*parts, strict=True)], vocabulary


def _types(word: pa.Array, tag: pa.Array, lemma: pa.Array, content: pa.Array) -> pa.StructArray:
    return pa.StructArray.from_arrays([word, tag, lemma, content], fields=list(TOKEN))
