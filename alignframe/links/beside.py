"""A text read along with links, in pieces; its tokens may be given as spans."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np
import pyarrow as pa

from alignframe.core.arrays import I64, frozen
from alignframe.core.arrow import as_array, is_text
from alignframe.core.keys import check_distinct, sentence_column
from alignframe.core.schemas import TOKENS
from alignframe.core.tokens import SIDES
from alignframe.errors import InputError, sentence_name
from alignframe.formats.bitext import TextFiles
from alignframe.formats.columns import is_table
from alignframe.formats.line_ids import are_behind_ids
from alignframe.formats.sentences import document
from alignframe.kernels.ragged import locate
from alignframe.read.lines import TextFile
from alignframe.read.opening import is_stream
from alignframe.sources.pairs import sentence_pairs
from alignframe.sources.source import Source


class TextBeside:
    """A text read along with links, and again if these go back, as of several systems."""

    def __init__(self, given: Any, what: str, encoding: str) -> None:
        src, tgt = given if isinstance(given, tuple) and len(given) == 2 else (given, None)
        source = sentence_pairs(src, tgt, what, encoding)
        held = source if isinstance(source.frame, TextFiles) else source.in_memory()
        self.source = _with_spans(held) if {*_SPANS.values()} & {*source.columns} else held
        self.what = what
        self._begin(self.source.batches())

    def _begin(self, parts: Iterator[pa.RecordBatch]) -> None:
        self.parts = parts
        self.held: list[pa.RecordBatch] = []
        self.gone = self.last = -1
        self.rows = 0

    def take(self, sid: I64, name: str) -> list[pa.Array]:
        """Return both sides of sentences."""
        low, high = int(sid.min()), int(sid.max())
        if low <= self.gone:
            self._begin(self.source.batches())
        while self.last < high and self._read():
            pass
        while len(self.held) > 1 and (last := int(sentence_column(self.held[0])[-1])) < low:
            self.gone = last
            del self.held[0]
        rows = np.full(1, -1)
        if self.held:
            table = pa.Table.from_batches(self.held).combine_chunks()
            rows = locate(sid, frozen(table["sid"].to_numpy()))
        if (rows < 0).any():
            raise InputError(
                f"{self.what} has no sentence {sentence_name(sid[int((rows < 0).argmax())])}, "
                f"which {name} has",
                expected=f"every sentence of {name}",
            )
        if (np.diff(rows) == 1).all():
            table = table.slice(rows[0], rows.size)
        else:
            table = table.take(pa.array(rows))
        return [as_array(table[side]) for side in SIDES]

    def _read(self) -> bool:
        """Read another batch, if there is one; a text out of order is sorted in memory."""
        batch = next(self.parts, None)
        if batch is None:
            return False
        if not batch.num_rows:
            return True
        sid = sentence_column(batch)
        if sid[0] <= self.last or (np.diff(sid) <= 0).any():
            (batch,) = self.source.table().sort_by("sid").combine_chunks().to_batches()
            sid = sentence_column(batch)
            check_distinct([sid], self.what)
            self._begin(iter(()))
        self.held.append(batch)
        self.last = int(sid[-1])
        self.rows += batch.num_rows
        return True

    def place(self, side: str, sid: int) -> tuple[str | PathLike[str] | None, int | None]:
        """Return the file and the line, if any, of a side of a sentence."""
        files = self.source.frame
        if not isinstance(files, TextFiles):
            return (None if self.source.name == self.what else self.source.name), None
        path = files.tgt if side == "tgt" and files.tgt is not None else files.src
        file = TextFile(path, files.encoding)
        if is_stream(path) or is_table(file) or are_behind_ids(file) or document(file) is not None:
            return path, None
        return path, sid + 1

    def size(self) -> int:
        """Return the number of sentences, reading on to the end."""
        while self._read():
            del self.held[:-1]
        return self.rows


_SPANS = {side: f"{side}_spans" for side in SIDES}


def _with_spans(source: Source) -> Source:
    """Return a text in memory, with the parts at its spans as tokens."""
    batches: list[pa.RecordBatch] = []
    for batch in source.columns_of("sid", *SIDES, *_SPANS.values()):
        columns = {name: batch.column(name) for name in batch.schema.names}
        start = sum(one.num_rows for one in batches)
        sid = columns.get("sid", pa.array(np.arange(start, start + batch.num_rows)))
        for side in SIDES:
            spans = columns.pop(_SPANS[side], None)
            if spans is not None:
                columns[side] = _cut(columns[side], spans, side, sid)
        batches.append(pa.record_batch(columns))
    table = pa.Table.from_batches(batches)
    return replace(source, schema=table.schema, frame=table, files=None, part=None)


def _cut(texts: pa.Array, spans: pa.Array, side: str, sid: pa.Array) -> pa.Array:
    """Return the parts of texts, whose spans count characters and are half-open."""
    if not is_text(texts.type):
        raise InputError(
            f"{_SPANS[side]} of a column {side} of type {texts.type}", expected="texts"
        )
    rows = []
    for row, (text, own) in enumerate(zip(texts.to_pylist(), spans.to_pylist(), strict=True)):
        ends = [tuple(span.values()) if isinstance(span, dict) else span for span in own or ()]
        odd = [span for span in ends if not _is_within(span, len(text or ""))]
        if odd:
            found = odd[0] if odd[0] is None else tuple(odd[0])
            raise InputError(
                f"the span {found} of {side} in sentence {sentence_name(sid[row].as_py())}, "
                f"{text!r:.60}",
                expected="start and end within the text, in characters from 0, the end exclusive",
            )
        rows.append([text[start:end] for start, end in ends])
    return pa.array(rows, TOKENS)


def _is_within(span: Any, size: int) -> bool:
    """Whether a span is a start and an end within a text of a size."""
    if span is None or len(span) != 2 or None in span:
        return False
    start, end = span
    return bool(0 <= start <= end <= size)
