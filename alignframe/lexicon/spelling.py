"""The spelling of words, as filters compare it."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from alignframe.kernels.cooccurrence import I32
from alignframe.kernels.ragged import I64, frozen


def folded(words: pa.Array, *, accents: bool) -> list[str]:
    """Return words in Unicode's form NFC without regard to case; ``accents`` takes accents off."""
    return [_fold(word, accents) for word in words.to_pylist()]


def _fold(word: str, accents: bool) -> str:
    if word.isascii():
        return word.lower()
    plain = unicodedata.normalize("NFC", unicodedata.normalize("NFC", word).casefold())
    if not accents:
        return plain
    parts = unicodedata.normalize("NFD", plain)
    bare = "".join(part for part in parts if unicodedata.category(part) != "Mn")
    return unicodedata.normalize("NFC", bare)


def as_letters(sides: Sequence[Sequence[str]]) -> tuple[list[I64], list[I32], int]:
    """Return the words of each side as letters numbered from 0, and the number of letters.

    Word w has ``letters[ends[w] : ends[w + 1]]``.
    """
    ends = [frozen(np.cumsum([0, *map(len, words)]).astype(np.int64)) for words in sides]
    points = [np.frombuffer("".join(words).encode("utf-32-le"), np.uint32) for words in sides]
    alphabet, numbers = np.unique(np.concatenate(points), return_inverse=True)
    cut = points[0].size
    letters = [frozen(part.astype(np.int32)) for part in (numbers[:cut], numbers[cut:])]
    return ends, letters, int(alphabet.size)


def beginnings(sides: Sequence[Sequence[str]], letters: int) -> list[I32]:
    """Return a number for the first letters of each word, the same where they are the same.

    Words that are not all letters are numbered as they are; -1 stands for words too short.
    """
    numbers: dict[tuple[bool, str], int] = {}

    def key(word: str) -> int:
        if word.isalpha():
            if len(word) < letters:
                return -1
            return numbers.setdefault((True, word[:letters]), len(numbers))
        return numbers.setdefault((False, word), len(numbers))

    return [frozen(np.fromiter(map(key, words), np.int32, len(words))) for words in sides]
