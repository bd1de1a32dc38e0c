"""A line-parallel text in batches, in memory or re-read from its two files for each pass."""

from __future__ import annotations

from collections.abc import Iterator
from os import fspath
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.core.arrays import I64, Bools
from alignframe.errors import InputError, number_of
from alignframe.formats.line_ids import rows_by_id
from alignframe.formats.parallel import read_parallel
from alignframe.formats.sentences import read_sentences, sentence_pieces
from alignframe.read.lines import TextFile
from alignframe.read.opening import is_stream
from alignframe.sources.source import is_path
from alignframe.sources.texts import text_array
from alignframe.sources.words import check_parallel
from alignframe.typing import IntoSentences

BATCH = 20_000
"""The number of lines held at a time."""


class LineText:
    """Both sides of a line-parallel text; files are read again for each pass, in batches."""

    def __init__(self, src: IntoSentences, tgt: IntoSentences, *, encoding: str = "utf-8") -> None:
        self._encoding = encoding
        ids: tuple[list[bytes], list[bytes]] = [], []
        sides: list[IntoSentences] = [src, tgt]
        if is_path(src) and is_path(tgt) and (is_stream(src) or is_stream(tgt)):
            sides = [*read_parallel(src, tgt, encoding=encoding)[1:]]
        self._given: list[Any] = [
            side if is_path(side) else text_array(side, "text", encoding) for side in sides
        ]
        first, second = self._measured(ids)
        if is_path(src) and is_path(tgt) and (rows := rows_by_id(ids, (src, tgt))):
            self._given = [
                read_sentences(side, encoding).take(pa.array(own))
                for side, own in zip((src, tgt), rows, strict=True)
            ]
            first, second = self._measured(ids)
        if first.size != second.size and is_path(src) and is_path(tgt):
            raise InputError(
                f"{fspath(src)} has {number_of(first.size, 'line')}, {fspath(tgt)} has "
                f"{second.size:,}",
                expected="the same number of lines on both sides",
            )
        check_parallel(first, second)
        if not first.size:
            raise InputError("a text without sentences", expected="at least one")
        self.full: Bools = first & second  # whether both sides of a line have text

    def __len__(self) -> int:
        return self.full.size

    def batches(self) -> Iterator[tuple[pa.Array, pa.Array]]:
        """Yield both sides of the lines, ``BATCH`` at a time."""
        yield from zip(*(_batched(self._parts(side)) for side in self._given), strict=True)

    def take(self, rows: I64) -> tuple[pa.Array, pa.Array]:
        """Return both sides of some lines, given ascending numbers from 0."""
        taken_sides: tuple[list[pa.Array], list[pa.Array]] = ([], [])
        first = 0
        for batch in self.batches():
            low, high = np.searchsorted(rows, (first, first + len(batch[0])))
            for taken, side in zip(taken_sides, batch, strict=True):
                taken.append(side.take(pa.array(rows[low:high] - first)))
            first += len(batch[0])
        return pa.concat_arrays(taken_sides[0]), pa.concat_arrays(taken_sides[1])

    def _measured(self, ids: tuple[list[bytes], list[bytes]]) -> list[Bools]:
        """Return whether each line of both sides has text, and fill the ids of lines."""
        return [
            np.concatenate([has_text(part) for part in self._parts(*both)] or [np.zeros(0, bool)])
            for both in zip(self._given, ids, strict=True)
        ]

    def _parts(self, side: Any, ids: list[bytes] | None = None) -> Iterator[pa.StringArray]:
        if is_path(side):
            return sentence_pieces(TextFile(side, self._encoding), ids)
        return iter([side])


def _batched(parts: Iterator[pa.Array]) -> Iterator[pa.Array]:
    """Yield the texts of chunks, ``BATCH`` at a time."""
    held: list[pa.Array] = []
    size = 0
    for part in parts:
        at = 0
        while size + len(part) - at >= BATCH:
            held.append(part[at : at + BATCH - size])
            at += BATCH - size
            yield pa.concat_arrays(held)
            held, size = [], 0
        if at < len(part):
            held.append(part[at:])
            size += len(part) - at
    if held:
        yield pa.concat_arrays(held)


def has_text(texts: pa.Array) -> Bools:
    """Return whether each text has more than white space."""
    column = pl.Series("text", pl.from_arrow(texts))
    have_text: Bools = (column.str.strip_chars().str.len_bytes() > 0).to_numpy()
    return have_text
