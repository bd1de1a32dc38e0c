"""Bitexts for aligners: numbered words of the sentence pairs that can be aligned."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrays import I32, I64, U16, frozen
from alignframe.core.arrow import split_batches
from alignframe.core.keys import check_distinct, sentence_column
from alignframe.core.schemas import MAX_POSITION
from alignframe.core.tokens import INVISIBLE, SIDES, Numbering, list_lengths, words_of
from alignframe.errors import whole_number
from alignframe.formats.bitext import LOOKED_AT
from alignframe.functions.romanised import romanised, script_of
from alignframe.functions.spelling import folded
from alignframe.kernels.aligners.link_rows import Sides
from alignframe.language.words import WHOLE, Splitting, looks_raw, splitting_of
from alignframe.options.aligners import MAX_LENGTH
from alignframe.sources.pairs import sentence_pairs
from alignframe.typing import IntoBitext

# The factor by which a vocabulary exceeds a text that is small beside it.
_FEW = 4


@dataclass(frozen=True)
class Known:
    """The vocabulary of a side of a model."""

    words: pa.Array

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each word."""
        return {word: number for number, word in enumerate(self.words.to_pylist())}

    @cached_property
    def script(self) -> str:
        """The script of most words."""
        return script_of(self.words)

    def numbers_of(self, words: pa.Array) -> I64:
        """Return the number of each word; -1 for a new one."""
        if len(words) > len(self.words) // _FEW:
            found = pc.index_in(words, value_set=self.words).fill_null(-1)
            given: I64 = found.to_numpy().astype(np.int64)
            return given
        # Arrow hashes the vocabulary in each call, which is slow for few words.
        numbers = (self.numbers.get(word, -1) for word in words.to_pylist())
        return np.fromiter(numbers, np.int64, len(words))


@dataclass(frozen=True)
class TextSide:
    """One side of a bitext: sentence s is ``vocabulary[words[at[s] : at[s + 1]]]``."""

    vocabulary: pa.Array
    at: I64
    words: I32  # ``len(vocabulary)`` for a word that is not in it
    splitting: Splitting = WHOLE
    units: U16 | None = None  # the place of each word's unit in its sentence, if units are split
    numbers: I32 | None = None  # of the vocabulary's words in a model's, if it has no others
    script: str = ""  # of most words of the vocabulary, or the model's

    @property
    def n_words(self) -> int:
        """The number of distinct words, including the unknown word."""
        return len(self.vocabulary) + 1

    @cached_property
    def folded(self) -> list[str]:
        """The words of the vocabulary without case and accents."""
        return folded(self.vocabulary, accents=True)

    def spelt_beside(self, other: TextSide) -> list[str]:
        """Return the words of the vocabulary for comparing spelling with those of another side.

        They are ``folded``, and in Latin letters if the other side has another script.
        """
        if self.script == other.script:
            return self.folded
        return [romanised(word) for word in self.vocabulary.to_pylist()]

    @cached_property
    def of_used_words(self) -> tuple[TextSide, I32]:
        """The side with a vocabulary of only its own words, and their numbers in this one."""
        if self.numbers is not None:
            return self, self.numbers
        used = np.zeros(self.n_words, np.bool_)
        used[self.words] = True
        numbers = np.flatnonzero(used).astype(np.int32)
        if used[:-1].all():
            return self, numbers
        new = np.cumsum(used, dtype=np.int32) - np.int32(1)
        vocabulary = self.vocabulary.take(pa.array(numbers))
        return replace(self, vocabulary=vocabulary, words=frozen(new[self.words])), numbers


@dataclass(frozen=True)
class Text:
    """The sentence pairs of a bitext that can be aligned."""

    sid: I64  # the numbers of the bitext's rows
    rows: I64  # the row of each sentence pair
    src: TextSide
    tgt: TextSide
    empty: int  # the number of rows with a side without words
    too_long: int  # the number of rows with a side beyond the limit
    invisible: tuple[int, int] = (0, 0)  # words of sides that are not split; see ``INVISIBLE``
    blank: tuple[str, ...] = ()  # sides without any word
    heads: dict[str, pa.Array] = field(default_factory=dict, repr=False, compare=False)
    """The first sentences of sides that are not split because those of a model are not."""
    known: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """Cached properties of the text, shared with the text with swapped sides."""

    @property
    def sentences(self) -> int:
        """The number of sentence pairs that can be aligned."""
        return self.rows.size

    @cached_property
    def raw(self) -> tuple[str, ...]:
        """The sides that look raw, but are not split because those of a model are not."""
        return tuple(name for name, head in self.heads.items() if looks_raw(head))

    @property
    def sides(self) -> Sides:
        """The sentence pairs for kernels."""
        return Sides(self.src.at, self.src.words, self.tgt.at, self.tgt.words)

    def turned(self) -> Text:
        """Return the text with its sides swapped."""
        return replace(self, src=self.tgt, tgt=self.src, invisible=self.invisible[::-1])


def read_text(
    bitext: IntoBitext,
    *,
    known: tuple[Known, Known] | None = None,
    max_length: int = MAX_LENGTH,
    new_words: bool = False,
    words: str = "spaces",
    splittings: tuple[Splitting, Splitting] | None = None,
) -> Text:
    """Read a bitext, without pairs of more than ``max_length`` words on a side.

    Words are numbered as those ``known``, by default those of the text; ``new_words`` adds unknown
    words to them. Text is split by ``splittings``, or else as ``words`` says.
    """
    whole_number(max_length, 1, "max_length", MAX_POSITION + 1)
    numberings = [Numbering(), Numbering()]
    sids: list[I64] = []
    lengths: list[list[I64]] = [[], []]
    numbers: list[list[I32]] = [[], []]
    units: list[list[U16]] = [[], []]
    heads: dict[str, pa.Array] = {}
    for batch in split_batches(sentence_pairs(bitext).batches()):
        sids.append(sentence_column(batch))
        given = [batch.column(name) for name in SIDES]
        if splittings is None:
            splittings = splitting_of(given[0], words), splitting_of(given[1], words)
        elif not sids[1:]:
            heads = {
                name: side.take(pa.array(range(min(len(side), LOOKED_AT))))
                for name, side, splitting in zip(SIDES, given, splittings, strict=True)
                if splitting == WHOLE
            }
        for k, splitting in enumerate(splittings):
            column, places = splitting.split(given[k])
            if places is not None:
                units[k].append(places)
            lengths[k].append(list_lengths(column))
            numbers[k].append(numberings[k].number(words_of(column)))
    check_distinct(sids, "the text")
    sizes = np.array([np.concatenate([np.zeros(0, np.int64), *side]) for side in lengths])
    empty = (sizes == 0).any(axis=0)
    too_long = (sizes > max_length).any(axis=0) & ~empty
    kept = ~(empty | too_long)
    sides = []
    invisible = [0, 0]
    for k, numbering in enumerate(numberings):
        own = np.concatenate([np.zeros(0, np.int32), *numbers[k]])
        numbers[k].clear()
        if splittings and splittings[k] == WHOLE:
            invisible[k] = _with_invisible(numbering.known, own)
        # Texts without such rows, as most are, need no copy.
        within = slice(None) if kept.all() else np.repeat(kept, sizes[k])
        own = own[within]
        vocabulary, new = _vocabulary(numbering, own, known[k] if known else None, new_words)
        at = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes[k][kept])])
        script = (known[k] if known else Known(vocabulary)).script
        side = TextSide(vocabulary, frozen(at), frozen(new[own]), script=script)
        if splittings and splittings[k].how != "spaces":
            places = frozen(np.concatenate([np.zeros(0, np.uint16), *units[k]])[within])
            side = replace(side, splitting=splittings[k], units=places)
        sides.append(side)
    sid = np.concatenate([np.zeros(0, np.int64), *sids])
    counts = int(np.count_nonzero(empty)), int(np.count_nonzero(too_long))
    marked = invisible[0], invisible[1]
    blank = tuple(name for name, side in zip(SIDES, sizes, strict=True) if not side.any())
    rows = frozen(np.flatnonzero(kept))
    return Text(frozen(sid), rows, sides[0], sides[1], *counts, marked, blank, heads)


def _with_invisible(vocabulary: pa.Array, words: I32) -> int:
    """Return how many words have characters that split text should not have."""
    found = pc.match_substring_regex(vocabulary, f"[{INVISIBLE}]").to_numpy(zero_copy_only=False)
    return int(np.count_nonzero(found[words])) if found.any() else 0


def _vocabulary(
    numbering: Numbering, words: I32, known: Known | None, new_words: bool
) -> tuple[pa.Array, I32]:
    """Return the vocabulary in byte order, and the new number of each old one."""
    vocabulary = known.words if known else pa.array([], pa.string())
    numbers = known.numbers_of(numbering.known) if known else np.full(len(numbering.known), -1)
    if known is None or new_words:
        used = np.zeros(numbers.size, np.bool_)
        used[words] = True
        new = np.flatnonzero(used & (numbers < 0))
        texts = numbering.known.take(pa.array(new))
        # Sorted, so that numbers do not depend on the order of sentences; new words come last.
        order = pc.sort_indices(texts).to_numpy()
        numbers[new[order]] = len(vocabulary) + np.arange(new.size)
        vocabulary = pa.concat_arrays([vocabulary, texts.take(pa.array(order))])
    return vocabulary, np.where(numbers < 0, len(vocabulary), numbers).astype(np.int32)
