"""Comparing spelling, as in the filters of lexicons, and row-wise functions for it."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from numbers import Integral

import numpy as np
import pyarrow as pa

from alignframe.core.arrays import I32, I64, Bools, frozen
from alignframe.core.arrow import as_array
from alignframe.errors import InputError
from alignframe.functions.row import flags, numbers, same_length


def lcsr(a: pa.Array, b: pa.Array, fold_accents: object = False) -> pa.Array:
    """Return the longest common subsequence ratio of two words, from 0 to 1.

    Parameters
    ----------
    a, b
        Words, compared case-insensitively in NFC.
    fold_accents
        Ignore accents. One for all rows, or one per row.

    Returns
    -------
    pyarrow.DoubleArray
        The length of the longest common subsequence divided by that of the longer word, in letters;
        null where a word is null or both are empty.

    Notes
    -----
    Melamed 1995, section 4.3; ``alignframe.lexicon.Cognate`` applies a cutoff to it.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from alignframe import functions
    >>> functions.lcsr(pa.array(["government"]), pa.array(["gouvernement"])).to_pylist()
    [0.8333333333333334]
    """
    from alignframe.kernels.lexicon.cognates import lcs_of_rows

    words, missing = _folded_rows(a, b, fold_accents)
    ends, letters, n_letters = as_letters(words)
    common = lcs_of_rows(ends[0], letters[0], ends[1], letters[1], n_letters)
    longest = np.maximum(*(np.diff(at) for at in ends))
    missing |= longest == 0
    return pa.array(common / np.maximum(longest, 1), mask=missing)


def same_prefix(
    a: pa.Array, b: pa.Array, letters: pa.Array | int = 4, fold_accents: object = False
) -> pa.Array:
    """Return whether two words begin with the same letters.

    Parameters
    ----------
    a, b
        Words, compared case-insensitively in NFC.
    letters
        The length of the prefix; shorter words have none. Words with other characters must be
        equal. One for all rows, or one per row.
    fold_accents
        See ``lcsr``.

    Returns
    -------
    pyarrow.BooleanArray
        Null where a word is.

    Raises
    ------
    InputError
        If the length is below 1.

    Notes
    -----
    The criterion of Simard, Foster & Isabelle 1992; ``alignframe.lexicon.Prefix`` applies it.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from alignframe import functions
    >>> functions.same_prefix(pa.array(["nation"]), pa.array(["national"])).to_pylist()
    [True]
    """
    if isinstance(letters, bool) or not isinstance(letters, (Integral, pa.Array, pa.ChunkedArray)):
        raise InputError(f"{letters!r} letters", expected="a whole number from 1")
    words, missing = _folded_rows(a, b, fold_accents)
    sizes = numbers(letters, missing.size, 0)
    if (sizes < 1).any():
        raise InputError(f"{sizes.min()} letters", expected="a whole number from 1")
    same = np.zeros(missing.size, np.bool_)
    for size in np.unique(sizes):
        src, tgt = beginnings(words, int(size))
        same |= (sizes == size) & (src == tgt) & (src >= 0)
    return pa.array(same, mask=missing)


def _folded_rows(a: pa.Array, b: pa.Array, fold_accents: object) -> tuple[list[list[str]], Bools]:
    """Return the folded words of both columns, and where one is null."""
    columns = [as_array(column) for column in (a, b)]
    same_length(*columns)
    missing = np.logical_or(*(c.is_null().to_numpy(zero_copy_only=False) for c in columns))
    bare = flags(fold_accents, missing.size).astype(np.bool_)
    texts = [column.cast(pa.string()).fill_null("") for column in columns]
    if bare.all() or not bare.any():
        return [folded(text, accents=bool(bare.all())) for text in texts], missing
    return [
        [folded_word(word, accents) for word, accents in zip(text.to_pylist(), bare, strict=True)]
        for text in texts
    ], missing


def folded(words: pa.Array, *, accents: bool) -> list[str]:
    """Return case-folded words in NFC; ``accents`` also removes accents."""
    return [folded_word(word, accents) for word in words.to_pylist()]


@lru_cache(1 << 17)
def folded_word(word: str, accents: bool) -> str:
    """Return a case-folded word in NFC; see ``folded``."""
    if word.isascii():
        return word.lower()
    # Case folding may decompose letters, so they are composed again.
    plain = unicodedata.normalize("NFC", unicodedata.normalize("NFC", word).casefold())
    if not accents:
        return plain
    parts = unicodedata.normalize("NFD", plain)
    bare = "".join(part for part in parts if unicodedata.category(part) != "Mn")
    return unicodedata.normalize("NFC", bare)


def as_letters(sides: Sequence[Sequence[str]]) -> tuple[list[I64], list[I32], int]:
    """Return each side's ``ends`` and letters, numbered from 0, and how many letters there are."""
    # Word w of a side has the letters letters[ends[w] : ends[w + 1]].
    ends = [frozen(np.cumsum([0, *map(len, words)]).astype(np.int64)) for words in sides]
    # All at once: encoding each word takes far longer.
    points = [np.frombuffer("".join(words).encode("utf-32-le"), np.uint32) for words in sides]
    used = np.zeros(max(int(side.max(initial=0)) for side in points) + 1, np.bool_)
    for side in points:
        used[side] = True
    numbers = np.cumsum(used, dtype=np.int32) - np.int32(1)
    return ends, [frozen(numbers[side]) for side in points], int(np.count_nonzero(used))


def beginnings(sides: Sequence[Sequence[str]], letters: int) -> list[I32]:
    """Return a number for the prefix of each word, equal for equal ones; -1 if it is too short."""
    numbers: dict[tuple[bool, str], int] = {}

    def key(word: str) -> int:
        # Words with other characters, such as numbers, count as a whole.
        if word.isalpha():
            if len(word) < letters:
                return -1
            return numbers.setdefault((True, word[:letters]), len(numbers))
        return numbers.setdefault((False, word), len(numbers))

    return [frozen(np.fromiter(map(key, words), np.int32, len(words))) for words in sides]
