"""Sentence pairs as numbers: words in the order of their bytes, a number for each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.arrow import as_array, require_columns, split_batches, to_reader
from alignframe.errors import InputError
from alignframe.kernels.cooccurrence import I32
from alignframe.kernels.ragged import I64, frozen
from alignframe.parquet import ParquetFiles

SIDES = ("src", "tgt")


@dataclass(frozen=True)
class Side:
    """One side of a corpus.

    Sentence s has the words ``vocabulary[words[k]]`` and, in tagged text, the tags
    ``tagset[tags[k]]`` for ``at[s] <= k < at[s + 1]``. ``numbers`` gives the words their numbers in
    the whole text, where the corpus is a part of it.
    """

    vocabulary: pa.Array
    at: I64
    words: I32
    tagset: pa.Array | None
    tags: I32 | None
    numbers: I32


@dataclass(frozen=True)
class Corpus:
    """Sentence pairs without empty sides."""

    src: Side
    tgt: Side

    @property
    def pairs(self) -> int:
        """The number of sentence pairs."""
        return self.src.at.size - 1


class Numbering:
    """Numbers for texts, in the order they are met."""

    def __init__(self) -> None:
        self.known = pa.array([], pa.string())

    def of(self, texts: pa.Array) -> I32:
        """Return a number for each text."""
        encoded = texts.dictionary_encode()
        local = encoded.dictionary.cast(pa.string())
        known = pc.index_in(local, value_set=self.known)
        new = pc.indices_nonzero(known.is_null())
        numbers = known.fill_null(0).to_numpy().copy()
        numbers[new.to_numpy()] = np.arange(len(self.known), len(self.known) + len(new))
        self.known = pa.concat_arrays([self.known, local.take(new)])
        found: I32 = numbers[encoded.indices.to_numpy()]
        return found

    def ranks(self) -> I32:
        """Return the rank of each number's text in the order of their bytes."""
        order = pc.sort_indices(self.known).to_numpy().astype(np.int64)
        ranks = np.empty(order.size, np.int32)
        ranks[order] = np.arange(order.size, dtype=np.int32)
        return ranks


@dataclass(frozen=True)
class Batch:
    """Some sentence pairs: the length of each on either side, and the numbers of all texts."""

    lengths: Mapping[str, I64]
    numbers: Mapping[str, I32]

    @property
    def tokens(self) -> int:
        """The number of words of both sides."""
        return sum(self.numbers[side].size for side in SIDES)

    def pieces(self, most: int) -> Iterator[Batch]:
        """Yield the pairs in order, in pieces of about ``most`` words."""
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
    """A bitext read piece by piece, its words as numbers.

    Parameters
    ----------
    bitext
        A frame with src and tgt (lists of words), or a path of such Parquet; src_tags and tgt_tags
        besides if it is tagged. Pairs with an empty side are left out and counted in ``skipped``.

    Raises
    ------
    InputError
        If a column is missing or holds no words, or no pair has words on both sides.
    """

    def __init__(self, bitext: Any) -> None:
        self.numberings: dict[str, Numbering] = {}
        self.skipped = 0
        self._bitext = bitext

    def batches(self) -> Iterator[Batch]:
        """Yield the text, once."""
        empty = True
        for read in split_batches(_batches(self._bitext)):
            batch = self._encoded(read)
            if batch.tokens:
                empty = False
                yield batch
        if empty:
            raise InputError(
                "no pair of sentences with words on both sides", expected="words in src and in tgt"
            )

    def _encoded(self, read: pa.RecordBatch) -> Batch:
        columns = {name: _lists(read, name) for name in text_columns(read.schema)}
        lengths = {name: _lengths(columns[name]) for name in SIDES}
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
            numbers[name] = self.numberings.setdefault(name, Numbering()).of(_words(column))
        return Batch(lengths, numbers)

    def words(self, *sides: str) -> int:
        """Return the number of different words read so far, of both sides unless told."""
        return sum(len(self.numberings[side].known) for side in sides or SIDES)

    def corpus(self, batches: Sequence[Batch]) -> Corpus:
        """Return batches as a corpus, its vocabulary in the order of the words' bytes."""
        return Corpus(*(self._side(name, batches) for name in SIDES))

    def _side(self, name: str, batches: Sequence[Batch]) -> Side:
        lengths = [np.zeros(1, np.int64), *(batch.lengths[name] for batch in batches)]
        at = frozen(np.cumsum(np.concatenate(lengths)))
        vocabulary, words, numbers = self._ranked(name, batches)
        tagset, tags = None, None
        if f"{name}_tags" in batches[0].numbers:
            tagset, tags, _ = self._ranked(f"{name}_tags", batches)
        return Side(vocabulary, at, words, tagset, tags, numbers)

    def _ranked(self, name: str, batches: Sequence[Batch]) -> tuple[pa.Array, I32, I32]:
        """Return the texts that batches have, in order, those of every place, and their numbers."""
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


def _batches(bitext: Any) -> Iterator[pa.RecordBatch]:
    if isinstance(bitext, (str, PathLike)):
        files = ParquetFiles(bitext)
        require_columns(files.schema, SIDES, "the text")
        yield from files.batches(text_columns(files.schema))
        return
    reader = to_reader(bitext.to_reader() if isinstance(bitext, pa.Table) else bitext)
    require_columns(reader.schema, SIDES, "the text")
    yield from reader


def text_columns(schema: pa.Schema) -> list[str]:
    """Return the columns of a text: its words, and its tags if both sides have them."""
    tags = [f"{side}_tags" for side in SIDES]
    return [*SIDES, *(tags if all(name in schema.names for name in tags) else [])]


def _lists(batch: pa.RecordBatch, name: str) -> pa.Array:
    """Return a column of words; an InputError if it is none, or a word is missing."""
    column = as_array(batch.column(name))
    kind = column.type
    lists = pa.types.is_list(kind) or pa.types.is_large_list(kind)
    if not lists or pa.types.is_nested(kind.value_type):
        raise InputError(
            f"a column {name} of the type {kind}", expected="a list of words a sentence"
        )
    if _words(column).null_count:
        raise InputError(f"a missing word in {name}", expected="every word")
    return column


def _words(column: pa.Array) -> pa.Array:
    """Return the words of all sentences."""
    words = column.flatten()
    if pa.types.is_dictionary(words.type):
        # A dictionary may hold a word twice, a missing one, or words that stand nowhere.
        return words.dictionary.cast(pa.string()).take(words.indices)
    return words


def _lengths(column: pa.Array) -> I64:
    lengths: npt.NDArray[np.int64] = (
        pc.list_value_length(column).cast(pa.int64()).fill_null(0).to_numpy()
    )
    return lengths


def _check_tags(column: pa.Array, words: I64, name: str) -> None:
    sizes = _lengths(column)
    if (sizes != words).any():
        row = int((sizes != words).argmax())
        raise InputError(
            f"{words[row]} words and {sizes[row]} tags in a sentence of {name}",
            expected="a tag for every word",
        )
