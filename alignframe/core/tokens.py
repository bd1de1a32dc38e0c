"""Numbering words: columns of lists of words, and a number for each distinct word."""

from __future__ import annotations

import re
import unicodedata

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrays import I32, I64, U8
from alignframe.core.arrow import is_list, is_text

SIDES = ("src", "tgt")

# First and second byte of characters from U+0300 on that neither combine nor compose: in blocks of
# 64 for three bytes, of 4,096 for four.
_SAFE = np.zeros((256, 256), np.bool_)
_SAFE[[0xCF, 0xD0, 0xD1, *range(0xE4, 0xEA), 0xEB, 0xEC]] = True  # Greek, Cyrillic, Chinese, Hangul
_SAFE[0xCE] = np.arange(256) != 0x87  # Greek but U+0387, which is not NFC
_SAFE[0xE1, 0xB4:0xB7] = True  # raised letters
_SAFE[0xE2, [0x80, 0x81, 0x82, *range(0x85, 0x8C), *range(0x8D, 0xAB)]] = True  # marks and symbols
_SAFE[0xF0, 0x9F] = True  # emoji

# Soft hyphens, zero-width spaces, marks of direction, word joiners and byte order marks, but not
# the joiners U+200C and U+200D, which are letters of Persian, Hindi and others.
INVISIBLE = "\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff"
_INVISIBLE = re.compile(f"[{INVISIBLE}]")
_ZERO_WIDTH_SPACE = "\u200b"


def visible(word: str, space: str = "") -> str:
    """Return a word without invisible characters, with ``space`` for zero-width spaces."""
    if word.isascii():
        return word
    return _INVISIBLE.sub("", word.replace(_ZERO_WIDTH_SPACE, space))


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
    held = np.frombuffer(data or b"", np.uint8)[first:last]
    if not is_doubtful(held):
        return column
    # One check of all texts is far cheaper than normalising each.
    if unicodedata.is_normalized("NFC", held.tobytes().decode("utf-8", "ignore")):
        return column
    return pc.utf8_normalize(column, "NFC")


def is_doubtful(data: U8) -> bool:
    """Whether UTF-8 may not be NFC, by its bytes: far faster than decoding it to ask."""
    leads = np.flatnonzero(data >= 0xCC)  # which leads U+0300
    if leads.size and leads[-1] >= data.size - 2:
        return True
    first, second = data[leads], data[leads + 1]
    # U+2000 and U+2001, which begin the block of dashes and quotes, are not NFC.
    spaces = (first == 0xE2) & (second == 0x80) & (data[leads + 2] < 0x82)
    return bool((spaces | ~_SAFE[first, second]).any())


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


def number_in(digits: str | bytes) -> int:
    """Return the number that digits stand for; its first ones, if Python takes no more."""
    try:
        return int(digits)
    except ValueError:
        text = digits.decode() if isinstance(digits, bytes) else digits
        return int(text.strip().lstrip("0")[:99] or "0")


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
