"""Numbering words: columns of lists of words, and a number for each distinct word."""

from __future__ import annotations

import unicodedata

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrays import I32, I64
from alignframe.core.arrow import is_list, is_text

SIDES = ("src", "tgt")


def composed(column: pa.Array) -> pa.Array:
    """Return texts, or lists of words, in the Unicode form NFC, in which all text is compared."""
    if is_list(column.type):
        before = column.values
        values = composed(before)
        return column if values is before else type(column).from_arrays(column.offsets, values)
    if pa.types.is_struct(column.type):
        fields = column.flatten()
        made = [composed(field) for field in fields]
        if all(new is old for new, old in zip(made, fields, strict=True)):
            return column
        return pa.StructArray.from_arrays(made, fields=list(column.type), mask=column.is_null())
    if pa.types.is_dictionary(column.type):
        words = composed(column.dictionary)
        return pa.DictionaryArray.from_arrays(column.indices, words)
    if not is_text(column.type) or not len(column):
        return column
    wide = column.cast(pa.large_string())
    _, offsets, data = wide.buffers()
    first, last = np.frombuffer(offsets, np.int64)[[wide.offset, wide.offset + len(wide)]].tolist()
    held = b"" if data is None else data[first:last].to_pybytes()
    # One check of all bytes is far cheaper than normalising each text.
    if held.isascii() or unicodedata.is_normalized("NFC", held.decode("utf-8", "ignore")):
        return column
    return pc.utf8_normalize(column, "NFC")


class Numbering:
    """Numbers for texts, in order of first occurrence."""

    def __init__(self) -> None:
        self.known = pa.array([], pa.string())

    def number(self, texts: pa.Array) -> I32:
        """Return a number for each text."""
        encoded = texts.dictionary_encode()
        local = encoded.dictionary.cast(pa.string())
        known = pc.index_in(local, value_set=self.known)
        new = pc.indices_nonzero(known.is_null())
        numbers = known.fill_null(0).to_numpy().copy()
        numbers[new.to_numpy()] = np.arange(len(self.known), len(self.known) + len(new))
        self.known = pa.concat_arrays([self.known, local.take(new)])
        numbers_of_texts: I32 = numbers[encoded.indices.to_numpy()]
        return numbers_of_texts

    def ranks(self) -> I32:
        """Return the rank of each number's text in byte order."""
        order = pc.sort_indices(self.known).to_numpy().astype(np.int64)
        ranks = np.empty(order.size, np.int32)
        ranks[order] = np.arange(order.size, dtype=np.int32)
        return ranks


def words_of(column: pa.Array) -> pa.Array:
    """Return the words of all sentences."""
    words = column.flatten()
    if pa.types.is_dictionary(words.type):
        # A dictionary may hold duplicates, nulls and unused words.
        return words.dictionary.cast(pa.string()).take(words.indices)
    return words


def list_lengths(column: pa.Array) -> I64:
    """Return the number of words of each sentence; 0 for null."""
    lengths: I64 = pc.list_value_length(column).cast(pa.int64()).fill_null(0).to_numpy()
    return lengths
