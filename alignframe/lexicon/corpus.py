"""Sentence pairs with words numbered in byte order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrays import I32, I64, frozen
from alignframe.core.arrow import as_array, split_batches
from alignframe.core.choices import WORD_SPLITTINGS
from alignframe.core.tokens import SIDES, Numbering, list_lengths, words_of
from alignframe.errors import InputError, check_known
from alignframe.language.words import WHOLE, Splitting, splitting_of, with_words
from alignframe.sources.source import Source


@dataclass(frozen=True)
class CorpusSide:
    """One side of a corpus: sentence s has the words and tags k with ``at[s] <= k < at[s + 1]``."""

    vocabulary: pa.Array
    at: I64
    words: I32  # places in ``vocabulary``
    tagset: pa.Array | None
    tags: I32 | None  # places in ``tagset``, of tagged text
    numbers: I32  # of a part of a text, the words' numbers in the whole


@dataclass(frozen=True)
class Corpus:
    """Sentence pairs without empty sides."""

    src: CorpusSide
    tgt: CorpusSide

    @property
    def pairs(self) -> int:
        """The number of sentence pairs."""
        return self.src.at.size - 1


@dataclass(frozen=True)
class Batch:
    """Some sentence pairs: lengths of both sides, and the numbers of words and tags."""

    lengths: Mapping[str, I64]
    numbers: Mapping[str, I32]

    @property
    def tokens(self) -> int:
        """The number of words on both sides."""
        return sum(self.numbers[side].size for side in SIDES)

    def pieces(self, most: int) -> Iterator[Batch]:
        """Yield the pairs in order, in chunks of about ``most`` words."""
        ends = np.cumsum(sum(self.lengths[side] for side in SIDES))
        cuts = np.searchsorted(ends, np.arange(most, self.tokens, most))
        bounds = np.unique([0, *cuts, ends.size])
        at = {side: np.concatenate([[0], np.cumsum(self.lengths[side])]) for side in SIDES}
        for low, high in pairwise(bounds.tolist()):
            lengths = {side: sizes[low:high] for side, sizes in self.lengths.items()}
            numbers = {
                name: texts[at[name[:3]][low] : at[name[:3]][high]]
                for name, texts in self.numbers.items()
            }
            yield Batch(lengths, numbers)


class Reading:
    """A bitext read in batches, with numbered words, and tags if it has src_tags and tgt_tags.

    Raw text without tags is split into words; ``words`` is one of ``WORD_SPLITTINGS``.
    """

    def __init__(self, bitext: Source, words: str = "spaces") -> None:
        check_known("`words`", words, WORD_SPLITTINGS)
        self.splittings: dict[str, Splitting] = {}
        self._words = words
        self.numberings: dict[str, Numbering] = {}
        # Pairs with an empty side are left out.
        self.skipped = 0
        self._bitext = bitext

    @property
    def ways(self) -> dict[str, str]:
        """How each side of raw text is split."""
        return {side: one.how for side, one in self.splittings.items() if one != WHOLE}

    def batches(self) -> Iterator[Batch]:
        """Yield the text, once."""
        empty = True
        for read in split_batches(self._bitext.batches(text_columns(self._bitext.schema))):
            batch = self._encoded(read)
            if batch.tokens:
                empty = False
                yield batch
        if empty:
            raise InputError(
                "no sentence pair with words on both sides", expected="words in src and in tgt"
            )

    def _encoded(self, read: pa.RecordBatch) -> Batch:
        columns = {name: read.column(name) for name in text_columns(read.schema)}
        if len(columns) == len(SIDES):
            self.splittings = self.splittings or {
                name: splitting_of(column, self._words) for name, column in columns.items()
            }
            for name, splitting in self.splittings.items():
                columns[name] = splitting.split(columns[name], fold=False).words
        lengths = {name: list_lengths(columns[name]) for name in SIDES}
        full = (lengths["src"] > 0) & (lengths["tgt"] > 0)
        if not full.all():
            self.skipped += int(np.count_nonzero(~full))
            kept = pa.array(np.flatnonzero(full))
            columns = {name: column.take(kept) for name, column in columns.items()}
            lengths = {name: sizes[full] for name, sizes in lengths.items()}
        numbers = {}
        for name, column in columns.items():
            if name not in SIDES:
                _check_tags(column, lengths[name.removesuffix("_tags")], name)
            numbers[name] = self.numberings.setdefault(name, Numbering()).number(words_of(column))
        return Batch(lengths, numbers)

    def words(self, *sides: str) -> int:
        """Return the number of distinct words read so far, by default on both sides."""
        return sum(len(self.numberings[side].known) for side in sides or SIDES)

    def corpus(self, batches: Sequence[Batch]) -> Corpus:
        """Return batches as a corpus, with its vocabulary in byte order."""
        return Corpus(*(self._side(name, batches) for name in SIDES))

    def _side(self, name: str, batches: Sequence[Batch]) -> CorpusSide:
        lengths = [np.zeros(1, np.int64), *(batch.lengths[name] for batch in batches)]
        at = frozen(np.cumsum(np.concatenate(lengths)))
        vocabulary, words, numbers = self._ranked(name, batches)
        tagset, tags = None, None
        if f"{name}_tags" in batches[0].numbers:
            tagset, tags, _ = self._ranked(f"{name}_tags", batches)
        return CorpusSide(vocabulary, at, words, tagset, tags, numbers)

    def _ranked(self, name: str, batches: Sequence[Batch]) -> tuple[pa.Array, I32, I32]:
        """Return the distinct texts of batches, sorted, their old numbers, and all new numbers."""
        numbering = self.numberings[name]
        used = np.zeros(len(numbering.known), np.bool_)
        for batch in batches:
            used[batch.numbers[name]] = True
        met = np.flatnonzero(used)
        texts = numbering.known.take(pa.array(met))
        order = pc.sort_indices(texts)
        numbers: I32 = met[order.to_numpy()].astype(np.int32)
        local = np.empty(used.size, np.int32)
        local[numbers] = np.arange(numbers.size, dtype=np.int32)
        words = np.concatenate([local[batch.numbers[name]] for batch in batches])
        return texts.take(order), frozen(words), numbers


def split_text(text: pa.Table) -> pa.Table:
    """Return a text with the words of sides that look raw; a tagged one as it is."""
    if len(text_columns(text.schema)) > len(SIDES):
        return text
    return with_words(text, [splitting_of(as_array(text[name])) for name in SIDES])


def text_columns(schema: pa.Schema) -> list[str]:
    """Return the columns to read: words, and tags if both sides have them."""
    tags = [f"{side}_tags" for side in SIDES]
    return [*SIDES, *(tags if all(name in schema.names for name in tags) else [])]


def _check_tags(column: pa.Array, words: I64, name: str) -> None:
    sizes = list_lengths(column)
    if (sizes != words).any():
        row = int((sizes != words).argmax())
        raise InputError(
            f"{words[row]} words and {sizes[row]} tags in a sentence of {name}",
            expected="a tag for every word",
        )
