"""Analysed sentences as numpy arrays: words, lemmas and tags numbered by one vocabulary."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from alignframe.core.arrays import I32, I64, Bools, frozen
from alignframe.core.arrow import as_array
from alignframe.core.schemas import ANALYSED
from alignframe.core.tokens import Numbering, list_lengths
from alignframe.errors import InputError
from alignframe.typing import Column


@dataclass(frozen=True)
class Vocabulary:
    """The numbering of words, lemmas and tags, shared by all compared sentences.

    Examples
    --------
    >>> from alignframe.language import Analysis, Vocabulary
    >>> shared = Vocabulary()
    >>> _ = Analysis.of(tagger="none").analyse(["a boat"], shared)
    >>> shared.words.known.to_pylist()
    ['a', 'boat']
    """

    words: Numbering = field(default_factory=Numbering)
    lemmas: Numbering = field(default_factory=Numbering)
    tags: Numbering = field(default_factory=Numbering)


@dataclass(frozen=True)
class Analysed:
    """The analysed tokens of n sentences.

    Parameters
    ----------
    starts, ends
        Sentence r holds the tokens ``starts[r] <= k < ends[r]``; int64, shape (n,).
    words, lemmas, tags
        Numbers in the vocabulary, one per token; int32.
    content
        Whether a token is a content word.
    vocabulary
        The vocabulary of the numbers.

    Examples
    --------
    >>> from alignframe.language import Analysis
    >>> found = Analysis.of(tagger="none").analyse(["The boats sank .", "Sank"])
    >>> found.rows, found.lengths().tolist(), found.words.tolist()
    (2, [4, 1], [0, 1, 2, 3, 4])
    """

    starts: I64
    ends: I64
    words: I32
    lemmas: I32
    tags: I32
    content: Bools
    vocabulary: Vocabulary

    @property
    def rows(self) -> int:
        """Number of sentences."""
        return int(self.starts.size)

    def lengths(self) -> I64:
        """Return the number of tokens of each sentence."""
        return self.ends - self.starts

    def take(self, rows: I64) -> Analysed:
        """Return the given sentences, without copying tokens."""
        return Analysed(
            frozen(self.starts[rows]),
            frozen(self.ends[rows]),
            self.words,
            self.lemmas,
            self.tags,
            self.content,
            self.vocabulary,
        )


def from_arrow(column: Column, vocabulary: Vocabulary) -> Analysed:
    """Return the tokens of a column of type ``tables.ANALYSED``, numbered; null is empty."""
    array = as_array(column)
    tokens = _tokens(array)
    lengths = list_lengths(array)
    ends = np.cumsum(lengths, dtype=np.int64)
    fields = {name: tokens.field(name) for name in ("word", "tag", "lemma", "content")}
    for name, values in fields.items():
        if values.null_count:
            raise InputError(
                f"a token without its {name}", expected="all four fields of every token"
            )
    words, tags, lemmas = (
        numbering.number(fields[name].cast(pa.string()))
        for name, numbering in (
            ("word", vocabulary.words),
            ("tag", vocabulary.tags),
            ("lemma", vocabulary.lemmas),
        )
    )
    return Analysed(
        frozen(ends - lengths),
        frozen(ends),
        frozen(words),
        frozen(lemmas),
        frozen(tags),
        frozen(fields["content"].to_numpy(zero_copy_only=False)),
        vocabulary,
    )


def to_arrow(sentences: Analysed) -> pa.Array:
    """Return sentences as an Arrow column of type ``tables.ANALYSED``."""
    lengths = sentences.lengths()
    offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)
    # The tokens of taken sentences may lie anywhere in the arrays.
    places = np.repeat(sentences.starts - offsets[:-1], lengths) + np.arange(offsets[-1])
    vocabulary = sentences.vocabulary
    tokens = pa.StructArray.from_arrays(
        [
            vocabulary.words.known.take(pa.array(sentences.words[places])),
            vocabulary.tags.known.take(pa.array(sentences.tags[places])),
            vocabulary.lemmas.known.take(pa.array(sentences.lemmas[places])),
            pa.array(sentences.content[places]),
        ],
        fields=list(ANALYSED.value_type),
    )
    return pa.ListArray.from_arrays(pa.array(offsets), tokens, type=ANALYSED)


def _tokens(array: pa.Array) -> pa.StructArray:
    kind = array.type
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        tokens = array.flatten()
        names = {f.name for f in tokens.type} if pa.types.is_struct(tokens.type) else set()
        if {"word", "tag", "lemma", "content"} <= names:
            if tokens.null_count:
                raise InputError("a missing token", expected="every token")
            return tokens
    raise InputError(
        f"a column of type {kind}",
        expected="analysed sentences: lists of structs of word, tag, lemma and content",
        todo="use analyse to make them",
    )
