"""WPT/NAACL: one line per link, ``sentence source target [S|P] [probability]``, positions from 1.

Sentence numbers start at 1 or 0, with gaps for sentences without links. A file with a sentence 0 is
taken to count from 0, any other from 1. A link with one position 0 marks an unaligned word; such
links are dropped and counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa

from alignframe.core.arrays import F64, I64, U8, U16, Array, frozen
from alignframe.core.arrow import to_links
from alignframe.core.schemas import MAX_POSITION
from alignframe.errors import InputError
from alignframe.formats.links.pharaoh import printed
from alignframe.formats.rows import LinkFormat, Reading, rows
from alignframe.kernels.links.text_format import UNLINKED, parse_naacl, render_naacl
from alignframe.read.lines import TextFile, is_text, place
from alignframe.read.nested import (
    PROBABILITIES,
    are_probable,
    is_odd,
    no_probabilities,
    no_probability,
)
from alignframe.read.opening import is_stream

# Marks links that are dropped while their sentence is kept.
_IMPROBABLE = UNLINKED + 1


class _Piece(NamedTuple):
    sentence: I64
    i: U16
    j: U16
    sure: U8
    weights: F64  # NaN for none

    def after(self, start: int) -> _Piece:
        return _Piece._make(column[start:] for column in self)

    def pick(self, rows: Array) -> _Piece:
        return _Piece._make(column[rows] for column in self)

    def before(self, stop: int) -> _Piece:
        return _Piece._make(column[:stop] for column in self)


def read(file: TextFile, reading: Reading) -> Iterator[pa.RecordBatch]:
    """Read a file; sentences are in ascending order, without those that have no links."""
    source = list(file.chunks()) if is_stream(file.path) else None
    # Read twice, so that only a file whose sentences do not ascend is sorted in memory.
    lowest, ascending, weighted = _survey(file, source)
    first = reading.first_sentence
    if first is None:
        first = 0 if lowest == 0 else 1
        if first == 0:
            reading.guessed["first_sentence"] = "0"
    if lowest < first:
        raise InputError(
            f"the file has a sentence {lowest}",
            expected=f"sentence numbers from {first}",
        )
    if not weighted and reading.min_probability is not None:
        raise no_probabilities()
    reading.weighed = weighted
    pieces: Iterator[_Piece] = (_select(piece, reading) for piece in _parse(file, source))
    if not ascending:
        whole = _join(list(pieces))
        order = np.argsort(whole.sentence, kind="stable")
        pieces = iter([whole.pick(order)])
    kinds = (np.int64, np.uint16, np.uint16, np.uint8, np.float64)
    rest = _Piece._make(np.zeros(0, kind) for kind in kinds)
    for piece in pieces:
        held = _join([rest, piece])
        # The last sentence of a piece may go on in the next.
        cut = int(np.searchsorted(held.sentence, held.sentence[-1])) if held.sentence.size else 0
        rest = held.after(cut)
        if cut:
            yield _batch(held.before(cut), first, reading)
    if rest.sentence.size:
        yield _batch(rest, first, reading)


def write(batches: Iterable[pa.RecordBatch], out: BinaryIO) -> None:
    """Write one line per link: label, positions, sentences from 1, and probabilities, if any."""
    for batch in batches:
        links = to_links(batch.column("links"))
        sentence = batch.column("sid").to_numpy() + 1
        data = render_naacl(*links, frozen(sentence)).tobytes()
        if PROBABILITIES in batch.schema.names:
            lines = zip(data.splitlines(), printed(batch).to_pylist(), strict=True)
            data = b"".join(
                line + (b"" if value is None else f" {value}".encode()) + b"\n"
                for line, value in lines
            )
        out.write(data)


def line_of(file: TextFile, sid: int, reading: Reading, link: tuple[int, int] | None) -> int | None:
    """Return the line of a link, with all numbers 0-based; None for a stream."""
    if link is None or is_stream(file.path):
        return None
    if reading.order == "tgt-src":
        link = link[::-1]
    first = 0 if _survey(file, None)[0] == 0 else 1
    # The file counts positions from 1.
    wanted = [sid + first, link[0] + 1, link[1] + 1]
    for number, words in file.words():
        if len(words) >= 3 and [int(word) for word in words[:3]] == wanted:
            return number
    return None


_Source = list[tuple[U8, int]] | None


def _parse(file: TextFile, source: _Source) -> Iterator[_Piece]:
    for text, line in file.chunks() if source is None else source:
        *columns, written, offsets, fault = parse_naacl(text)
        if fault >= 0:
            raise _fault(text, fault, line)
        piece = _Piece._make([*columns, _numbers(written, offsets)])
        odd = is_odd(piece.weights)
        if odd.any():
            at = int(np.argmax(odd))
            filled = (k for k, read in enumerate(text.tobytes().split(b"\n")) if read.strip())
            raise no_probability(piece.weights[at], line + next(islice(filled, at, None)))
        yield piece


def _numbers(written: U8, offsets: I64) -> F64:
    """Return the floats nearest to numbers in joined text, NaN where one is empty."""
    given = np.diff(offsets) > 0
    if not given.any():
        return np.full(given.size, np.nan)
    valid = np.packbits(given, bitorder="little")
    buffers = [pa.py_buffer(part) for part in (valid, offsets, written)]
    texts = pa.Array.from_buffers(pa.large_string(), given.size, buffers)
    numbers: F64 = texts.cast(pa.float64()).to_numpy(zero_copy_only=False)
    return numbers


def _survey(file: TextFile, source: _Source) -> tuple[int, bool, bool]:
    """Return the lowest sentence number, whether they ascend, and whether links have weights."""
    lowest, last, ascending, weighted = -1, -1, True, False
    for piece in _parse(file, source):
        sentence = piece.sentence
        if not sentence.size:
            continue
        ascending = ascending and bool((np.diff(sentence, prepend=last) >= 0).all())
        lowest = int(sentence.min()) if lowest < 0 else min(lowest, int(sentence.min()))
        last = int(sentence[-1])
        weighted = weighted or not bool(np.isnan(piece.weights).all())
    if lowest < 0:
        raise InputError("the file has no links", expected="lines such as: 1 2 2 S")
    return lowest, ascending, weighted


def _select(piece: _Piece, reading: Reading) -> _Piece:
    if reading.min_probability is None:
        return piece
    kept = are_probable(piece.weights, reading.min_probability)
    return piece._replace(sure=np.where(kept, piece.sure, np.uint8(_IMPROBABLE)))


def _join(pieces: list[_Piece]) -> _Piece:
    return _Piece._make(np.concatenate(columns) for columns in zip(*pieces, strict=True))


def _batch(piece: _Piece, first: int, reading: Reading) -> pa.RecordBatch:
    sentence = piece.sentence
    starts = np.flatnonzero(np.diff(sentence, prepend=sentence[0] - 1))
    linked = piece.sure < UNLINKED
    # A sentence without other links is kept, with none.
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(linked)])
    offsets = before[np.append(starts, sentence.size)]
    reading.unlinked += int(np.count_nonzero(piece.sure == UNLINKED))
    kept = piece if linked.all() else piece.pick(linked)
    weights = kept.weights if reading.weighed else None
    return rows(sentence[starts] - first, offsets, kept.i, kept.j, kept.sure, reading, weights)


def _fault(text: U8, at: int, first_line: int) -> InputError:
    line, whole, _ = place(text, at, first_line)
    expected = "sentence, source and target position, then S or P if there is a label"
    words = whole.split()
    if not is_text(whole):
        what = f"bytes that are not UTF-8 text ({whole!r})"
    elif any(re.fullmatch(r"-\d+", word, re.ASCII) for word in words[:3]):
        what = f"a negative number in {whole!r}"
    elif len(words) >= 3 and all(re.fullmatch(r"\d{1,18}", word, re.ASCII) for word in words[:3]):
        position = [int(word) for word in words[1:3]]
        if max(position) == 0:
            what = f"two positions 0 in {whole!r}, where positions count from 1"
        elif max(position) > MAX_POSITION + 1:
            what = f"a position beyond {MAX_POSITION + 1:,} in {whole!r}"
        else:
            what = f"{whole!r} cannot be read"
    else:
        what = f"{whole!r} cannot be read"
    return InputError(what, line=line, expected=expected)


_LINE = re.compile(r"\d+\s+\d+\s+\d+(\s+[SPsp])?(\s+[-+.\deE]+)?", re.ASCII)
FORMAT = LinkFormat(
    read,
    lambda line: _LINE.fullmatch(line.strip("\t")) is not None,
    write,
    line_of,
    has_labels=True,
    has_probabilities=True,
    has_ids=True,
    has_empty=False,
)
