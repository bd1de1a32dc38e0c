"""Numbering words by their spelling, and caching the parts of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from alignframe.core.arrays import I32, I64, U8
from alignframe.kernels.text.spellings import enter, number_words, spread

# Bytes processed at a time, which bounds the memory for new words.
_PIECE = 1 << 16


class Parted(NamedTuple):
    """The parts of n texts: those of text r are ``parts[offsets[r] : offsets[r + 1]]``."""

    offsets: I64
    parts: I32
    opens: U8


class Spellings:
    """A cache of the words seen so far, with the numbers of their parts."""

    def __init__(self, part: Callable[[str], list[int]], whole: bool) -> None:
        self._part = part
        self._whole = whole  # a text is one word, with its spaces
        self._count = 0
        self._slots = np.zeros(1 << 10, np.int32)
        self._hashes = np.zeros(0, np.uint64)
        self._spans = np.zeros(1, np.int64)
        self._known = np.zeros(0, np.uint8)
        self._starts = np.zeros(1, np.int64)
        self._parts = np.zeros(0, np.int32)

    def parts_of(self, offsets: I64, data: U8) -> Parted:
        """Return the parts of each text ``data[offsets[r] : offsets[r + 1]]``."""
        pieces = [self._piece(part, data) for part in _pieces(offsets)]
        if len(pieces) == 1:
            return pieces[0]
        sizes = [np.diff(piece.offsets) for piece in pieces]
        ends = np.zeros(offsets.size, np.int64)
        np.cumsum(np.concatenate(sizes), out=ends[1:])
        parts, opens = (np.concatenate(arrays) for arrays in list(zip(*pieces, strict=True))[1:])
        return Parted(ends, parts, opens)

    def _piece(self, offsets: I64, data: U8) -> Parted:
        size = int(offsets[-1] - offsets[0])
        self._make_room(offsets.size - 1 if self._whole else size // 2 + offsets.size, size)
        before = self._count
        lists, numbers, self._count = number_words(
            offsets,
            data,
            self._whole,
            self._slots,
            self._hashes,
            self._spans,
            self._known,
            self._count,
        )
        if self._count > before:
            self._learn(before)
        return Parted(*spread(lists, numbers, self._starts, self._parts))

    def _make_room(self, words: int, size: int) -> None:
        """Grow the arrays to fit this many new words and bytes."""
        most = self._count + words
        self._hashes = _grown(self._hashes, most)
        self._spans = _grown(self._spans, most + 1)
        self._known = _grown(self._known, int(self._spans[self._count]) + size)
        # The hash table stays at most half full.
        if 2 * most > self._slots.size:
            self._slots = np.zeros(1 << (4 * most - 1).bit_length(), np.int32)
            enter(self._slots, self._hashes, self._count)

    def _learn(self, before: int) -> None:
        """Split new words into parts."""
        spans = self._spans[before : self._count + 1].tolist()
        text = self._known[spans[0] : spans[-1]].tobytes()
        first = spans[0]
        parts: list[int] = []  # flat, because lasting lists would slow down garbage collection
        ends = []
        try:
            for begin, end in pairwise(spans):
                parts += self._part(text[begin - first : end - first].decode())
                ends.append(len(parts))
        except BaseException:
            self._forget(before)
            raise
        filled = int(self._starts[before])
        self._starts = _grown(self._starts, self._count + 1)
        self._starts[before + 1 : self._count + 1] = filled + np.array(ends)
        self._parts = _grown(self._parts, filled + len(parts))
        self._parts[filled : filled + len(parts)] = parts

    def _forget(self, before: int) -> None:
        """Remove new words that could not be split."""
        self._count = before
        self._slots[:] = 0
        enter(self._slots, self._hashes, before)


def _pieces(offsets: I64) -> Iterator[I64]:
    """Yield the offsets of a few texts at a time."""
    rows = offsets.size - 1
    if offsets[-1] - offsets[0] <= _PIECE:
        yield offsets
        return
    at = 0
    while at < rows:
        after = int(np.searchsorted(offsets, offsets[at] + _PIECE, "right")) - 1
        after = min(max(after, at + 1), rows)
        yield offsets[at : after + 1]
        at = after


def _grown(array: np.ndarray, size: int) -> np.ndarray:
    """Return an array with room for ``size`` entries, at least doubling it if it must grow."""
    if array.size >= size:
        return array
    larger = np.zeros(max(size, 2 * array.size), array.dtype)
    larger[: array.size] = array
    return larger
