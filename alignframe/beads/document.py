"""Documents for sentence aligners: the lengths and words of their sentences."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.beads.characters import IDEOGRAPHS, bytes_of, classes, lower
from alignframe.beads.vectors import Vectors
from alignframe.core.arrays import F64, I32, I64, frozen
from alignframe.core.choices import UNITS, WORDS
from alignframe.core.tokens import composed
from alignframe.errors import check_known, unknown_name
from alignframe.kernels.small import call
from alignframe.kernels.text import characters as kernels
from alignframe.language.words import Splitting
from alignframe.sources.texts import text_array
from alignframe.sources.words import check_parallel
from alignframe.typing import IntoSentences

_LETTERS = r"\p{L}\p{M}\p{N}_"
# Each ideograph is a word, as is a run of other letters and each mark of punctuation.
_PATTERNS = {
    "letters": rf"[{IDEOGRAPHS}]|[{_LETTERS}--[{IDEOGRAPHS}]]+|[^\s{_LETTERS}]",
    "spaces": r"\S+",
    "characters": r"\S",
}


def split(sentences: IntoSentences, words: str = "letters") -> pl.Series:
    """Return the words of each sentence.

    Parameters
    ----------
    sentences
        Texts, one per sentence; null is empty.
    words
        One of ``WORDS``.

    Returns
    -------
    polars.Series
        A list of words per sentence, in the Unicode form NFC.

    Raises
    ------
    InputError
        If ``words`` is unknown, or a sentence is not text.

    Examples
    --------
    >>> from alignframe import beads
    >>> beads.split(["The boats, at last!"]).to_list()
    [['the', 'boats', ',', 'at', 'last', '!']]
    """
    check_known("`words`", words, WORDS)
    texts = pl.Series("words", pl.from_arrow(composed(text_array(sentences))))
    if words == "unicode":
        units = texts.str.extract_all(_PATTERNS["spaces"]).to_arrow()
        return pl.Series("words", pl.from_arrow(Splitting(words).split(units).words))
    if words == "letters":
        texts = texts.str.to_lowercase()
    return texts.str.extract_all(_PATTERNS[words])


def parallel(src: IntoSentences, tgt: IntoSentences) -> tuple[pa.Array, pa.Array]:
    """Return the sides of a line-parallel text; raise an InputError if they differ in length."""
    sides = text_array(src), text_array(tgt)
    check_parallel(*sides)
    return sides


@dataclass(frozen=True)
class DocumentSide:
    """The sentences of one side of a document, split into words in one of the ways of ``WORDS``."""

    texts: pa.Array
    words: str = "letters"

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def nfc(self) -> pa.Array:
        """The texts in the Unicode form NFC."""
        return composed(self.texts)

    @cached_property
    def lists(self) -> pa.Array:
        """The words of each sentence."""
        return split(self.texts, self.words).to_arrow()

    @cached_property
    def _found(self) -> tuple[I64, I32, pa.Array]:
        """Offsets of sentences, the number of each word, and the distinct words."""
        check_known("`words`", self.words, WORDS)
        texts, way = self.nfc, self.words
        if way == "unicode":
            texts, way = pl.Series(pl.from_arrow(self.lists)).list.join(" ").to_arrow(), "spaces"
        at, text = bytes_of(texts)
        how = WORDS.index(way)
        case = lower() if self.words == "letters" else np.zeros(0, np.int32)
        bounds, numbers, *ends = call(
            kernels.words, at, text, classes(), frozen(case), how, steps=text.size
        )
        offsets, data = call(kernels.pieces, text, *map(frozen, ends))
        words = pl.Series(
            "word",
            pa.LargeStringArray.from_buffers(ends[0].size, *map(pa.py_buffer, (offsets, data))),
        )
        if self.words == "letters":
            words = words.str.to_lowercase()
        return frozen(bounds), frozen(numbers), words.to_arrow()

    @property
    def at(self) -> I64:
        """Offsets of the sentences' words, including the end."""
        return self._found[0]

    @property
    def vocabulary(self) -> pa.Array:
        """The distinct words."""
        return self._found[2]

    @property
    def numbers(self) -> I32:
        """The number of each word in the vocabulary."""
        return self._found[1]

    def lengths(self, unit: str) -> F64:
        """Return the length of each sentence; NaN for one without words."""
        counts = np.diff(self.at)
        if unit == "characters":
            letters = pl.Series("s", pl.from_arrow(self.nfc)).str.replace_all(r"\s", "")
            sizes = letters.str.len_chars().to_numpy().astype(np.float64)
        elif unit == "words":
            sizes = counts.astype(np.float64)
        else:
            raise unknown_name("`unit`", unit, UNITS)
        return np.where(counts > 0, sizes, np.nan)


@dataclass(frozen=True)
class Document:
    """Two sides whose sentences are to be aligned, optionally with their vectors."""

    src: DocumentSide
    tgt: DocumentSide
    name: str = "document"
    vectors: Vectors | None = None


def document(
    src: IntoSentences, tgt: IntoSentences, words: str = "letters", name: str = "document"
) -> Document:
    """Return two lists of sentences as a document; raise an InputError if they are not texts."""
    return Document(
        DocumentSide(text_array(src), words), DocumentSide(text_array(tgt), words), name
    )
