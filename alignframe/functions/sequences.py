"""Texts as sequences of numbers, of words or of characters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrays import I32, I64, Array, frozen
from alignframe.core.arrow import as_array, is_list, is_text
from alignframe.core.tokens import list_lengths
from alignframe.errors import InputError
from alignframe.language.tokenize import buffers

_PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"


class Sequences(NamedTuple):
    """Concatenated sequences: sequence r is ``items[bounds[r] : bounds[r + 1]]``."""

    bounds: I64
    items: I32

    def lengths(self) -> I64:
        """Return the number of items of each sequence."""
        return np.diff(self.bounds)


def split(texts: pa.Array) -> pa.Array:
    """Return the words of texts as list<string>, split at Unicode white space."""
    # Arrow does not always see a trailing space in the last text of a column.
    lists = pc.utf8_split_whitespace(pc.utf8_trim_whitespace(texts))
    words, full = lists.flatten(), pc.not_equal(lists.flatten(), "")
    if pc.all(full, min_count=0).as_py():
        return lists
    rows = np.repeat(np.arange(len(lists)), list_lengths(lists))
    kept = np.bincount(rows[full.to_numpy(zero_copy_only=False)], minlength=len(lists))
    return pa.ListArray.from_arrays(pa.array(_bounds(kept).astype(np.int32)), words.filter(full))


def nested(columns: Sequence[pa.Array]) -> pa.ListArray:
    """Merge columns of references into one with a list of references per row."""
    several, rows = len(columns), len(columns[0])
    values = pa.concat_arrays(columns)
    if several > 1:
        values = values.take(pa.array(np.arange(several * rows).reshape(several, rows).T.ravel()))
    return pa.ListArray.from_arrays(
        pa.array(np.arange(0, several * rows + 1, several, dtype=np.int32)), values
    )


def references_of(refs: pa.Array) -> tuple[I64, pa.Array]:
    """Return ``groups`` and the references, those of row r at ``groups[r] : groups[r + 1]``."""
    refs = _lists(as_array(refs), "the references")
    sizes, inner = list_lengths(refs), refs.flatten()
    # Null references are left out.
    if inner.null_count:
        valid = inner.is_valid()
        owner = np.repeat(np.arange(sizes.size), sizes)[valid.to_numpy(zero_copy_only=False)]
        sizes, inner = np.bincount(owner, minlength=sizes.size), inner.filter(valid)
    return _bounds(sizes), inner


def _lists(column: pa.Array, what: str) -> pa.Array:
    if not is_list(column.type):
        raise InputError(
            f"{what} of a sentence are {column.type}",
            expected="a list in each row",
            todo="split texts into words" if is_text(column.type) else "",
        )
    return column


def numbered(sides: Sequence[pa.Array]) -> list[Sequences]:
    """Return lists of words as numbers, with a common numbering for all sides."""
    words = [_lists(side, "words").flatten() for side in sides]
    encoded = [
        column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        for column in words
    ]
    spelt = [column.dictionary.cast(pa.string()) for column in encoded]
    if any(column.null_count for column in (*words, *spelt)):
        raise InputError("a missing word", expected="every word of a sentence")
    numbers = pa.concat_arrays(spelt).dictionary_encode().indices.to_numpy()
    own = np.split(numbers, np.cumsum([len(spellings) for spellings in spelt])[:-1])
    return [
        Sequences(_bounds(list_lengths(side)), mine[column.indices.to_numpy()])
        for side, column, mine in zip(sides, encoded, own, strict=True)
    ]


def characters(sides: Sequence[pa.Array], spaces: bool) -> list[Sequences]:
    """Return texts as sequences of code points."""
    from alignframe.kernels.mt.overlap import decode

    return [Sequences(*decode(*frozen_each(*buffers(side)), spaces)) for side in sides]


def respelt(
    lists: pa.Array, kinds: I64, pieces: Callable[[list[str], list[int]], list[list[str]]]
) -> pa.Array:
    """Return lists of words, each replaced by its pieces, as list<dictionary<int32, string>>."""
    encoded = lists.flatten().dictionary_encode()
    # Pieces depend on a word and its context, 0 to 3; each pair of both is split once.
    keys = encoded.indices.to_numpy().astype(np.int64) * 4 + kinds
    present = np.zeros(4 * len(encoded.dictionary), np.bool_)
    present[keys] = True
    known = np.flatnonzero(present)
    words = encoded.dictionary.to_pylist()
    replaced = pieces([words[key >> 2] for key in known.tolist()], (known & 3).tolist())
    sizes = np.array([len(parts) for parts in replaced], np.int64)
    places = np.zeros(present.size, np.int64)
    places[known] = np.arange(known.size)
    rows = places[keys]
    bounds = _bounds(sizes[rows])
    at = np.arange(bounds[-1]) + np.repeat(_bounds(sizes)[rows] - bounds[:-1], sizes[rows])
    spelt = pa.array([piece for parts in replaced for piece in parts], pa.string())
    numbers = pa.array(at.astype(np.int32))
    offsets = pa.array(bounds[_bounds(list_lengths(lists))].astype(np.int32))
    return pa.ListArray.from_arrays(offsets, pa.DictionaryArray.from_arrays(numbers, spelt))


def separated(texts: pa.Array) -> pa.Array:
    """Return the words of texts, with a final, or else initial, punctuation mark split off."""
    lists = split(texts)
    kinds = np.zeros(len(lists.flatten()), np.int64)

    def pieces(words: list[str], _: list[int]) -> list[list[str]]:
        return [[word] if word.strip(_PUNCTUATION) == word else _split(word) for word in words]

    return respelt(lists, kinds, pieces)


def _split(word: str) -> list[str]:
    if len(word) == 1:
        return [word]
    return [word[:-1], word[-1]] if word[-1] in _PUNCTUATION else [word[0], word[1:]]


def _bounds(sizes: Array) -> I64:
    out = np.zeros(sizes.size + 1, np.int64)
    np.cumsum(sizes, out=out[1:])
    return out


def frozen_each(*arrays: Array) -> list[Array]:
    """Return read-only views, so that kernels are compiled for only one array type."""
    return [frozen(array) for array in arrays]
