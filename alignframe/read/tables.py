"""The one reader of tables as text (.csv, .tsv, .jsonl): rows with their lines, then types.

Cells are text until whoever reads the table says otherwise: ``read_table`` leaves them so,
``typed_table`` makes numbers of columns that hold nothing but numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import reduce
from operator import or_
from os import PathLike, fspath
from typing import Any

import numpy as np
import polars as pl
import polars.selectors as cs
import pyarrow as pa

from alignframe.core.arrays import I64, U8
from alignframe.core.arrow import to_table
from alignframe.core.choices import JSON_LINES, PARQUET, SEPARATORS
from alignframe.core.schemas import SIGNATURE
from alignframe.core.suffixes import TABLES_SAID
from alignframe.errors import InputError, guessed, in_file, number_of, warn
from alignframe.kernels.text.separated import NARROW, TEXT_AFTER, gather_cells, scan_cells
from alignframe.read.json_lines import json_rows
from alignframe.read.lines import TextFile
from alignframe.read.opening import suffix_of_content, table_suffix
from alignframe.read.parquet import ParquetFiles, is_parquet

LINE = "line_of_file"
"""The column with a row's line, from 1; in Parquet and frames, its row."""

_MARKS = {"\t": ("tabs", 2), ";": ("semicolons", 2), ",": ("commas", 2), "|": ("bars", 2)}
_MARKS |= {" ": ("spaces", 3)}
"""What may separate columns: its name, and the least number of parts that are no accident."""

# The number of cells found at a time.
_CELLS = 1 << 20


def read_table(given: object, what: str, encoding: str | None = None) -> pl.DataFrame:
    """Return a frame, or the table in a file, with the column ``LINE``; empty cells are null."""
    if not isinstance(given, (str, PathLike)):
        table = to_table(given)
    elif is_parquet(given) or is_table_of_parquet(given):
        table = to_table(ParquetFiles(given))
    else:
        with in_file(given):
            table, lines = _rows(TextFile(given, encoding), what, typed=False)
            if not table.num_rows:
                raise InputError(f"{what} without rows", expected="at least one row")
        return pl.DataFrame(pl.from_arrow(table)).insert_column(0, pl.Series(LINE, lines))
    frame = pl.DataFrame(pl.from_arrow(table)).with_row_index(LINE, offset=1)
    return frame.with_columns((cs.categorical() | cs.enum()).cast(pl.String))


def typed_table(
    path: str | PathLike[str],
    what: str,
    text: Sequence[str] = (),
    encoding: str | None = None,
    *,
    is_known: bool = False,
) -> pa.Table:
    """Return the table in .csv, .tsv or .jsonl; columns of numbers are numbers, save ``text``.

    A file that ``is_known`` to be one of these may have any suffix.
    """
    with in_file(path):
        return _rows(TextFile(path, encoding), what, text, is_known=is_known)[0]


def numbered_table(file: TextFile) -> pa.Table:
    """Return all rows of separated cells as texts, in columns named 1, 2 and so on."""
    mark = SEPARATORS.get(table_suffix(file.path), "\t")
    return _separated(file.whole(), mark, file.path, (), typed=False, headless=True)[0]


def _rows(
    file: TextFile,
    what: str,
    text: Sequence[str] = (),
    typed: bool = True,
    is_known: bool = False,
) -> tuple[pa.Table, I64]:
    """Return the rows of a file and their lines."""
    suffix = table_suffix(file.path)
    if is_known and suffix not in (*SEPARATORS, *JSON_LINES):
        suffix = suffix_of_content(file.path)
    if suffix not in SEPARATORS and suffix not in JSON_LINES:
        raise InputError(f"the suffix {suffix!r} of {what}", expected=TABLES_SAID)
    data = file.whole()
    if suffix in JSON_LINES:
        return json_rows(data, text)
    return _separated(data, SEPARATORS[suffix], file.path, text, typed)


# Separated values.


class _Rows:
    """The rows of separated values as one reading of quotes finds them."""

    def __init__(self, data: bytes, mark: str, quoting: bool) -> None:
        self._text: U8 = np.frombuffer(data, np.uint8)
        self._mark, self._quoting = ord(mark), quoting
        self._at, self._line = 0, 1
        self.fault = self.fault_line = self.count = self.joined = self.quoted = self.doubled = 0
        self._lines: I64 = np.empty(_CELLS, np.int64)
        # The width is known after the header, which is at most this long.
        self._cells: I64 = np.empty(max(_CELLS, 2 * data.count(mark.encode()) + 2), np.int64)
        cells = self._cells[: 2 * self.count] if self._found(0) else self._cells[:0]
        width = self.count if cells.size else 0
        self.first_line = int(self._lines[0]) if width else 1
        self.heads = [self._column(cells, k, width)[0][0].as_py() or "" for k in range(width)]
        self.quotes_heads = self.quoted > 0
        self._cells = self._cells[: max(_CELLS, 2 * width)]

    def _found(self, width: int) -> int:
        """Find the next rows, and return their number."""
        n, self._at, self._line, self.fault, self.fault_line, self.count, *more = scan_cells(
            self._text,
            self._at,
            self._line,
            self._mark,
            self._quoting,
            width,
            self._cells,
            self._lines,
        ).tolist()
        self.joined, self.quoted, self.doubled = (
            before + added
            for before, added in zip((self.joined, self.quoted, self.doubled), more, strict=True)
        )
        return int(n)

    def blocks(self) -> Iterator[tuple[I64, I64]]:
        """Yield the cells and lines of further rows."""
        while self._at < self._text.size and not self.fault:
            n = self._found(len(self.heads))
            yield self._cells[: 2 * n * len(self.heads)], self._lines[:n].copy()

    def scanned(self) -> _Rows:
        """Return the same after all rows."""
        for _ in self.blocks():
            pass
        return self

    def columns(self, cells: I64) -> list[tuple[pa.Array, int]]:
        """Return the columns of a block as texts, and how numbers would change them."""
        return [self._column(cells, k, len(self.heads)) for k in range(len(self.heads))]

    def _column(self, cells: I64, k: int, width: int) -> tuple[pa.Array, int]:
        offsets, data, held, changes = gather_cells(self._text, cells, k, width)
        large = self._text.size >= 1 << 31
        buffers = [
            None if held.all() else pa.py_buffer(np.packbits(held, bitorder="little")),
            pa.py_buffer(offsets if large else offsets.astype(np.int32)),
            pa.py_buffer(data),
        ]
        kind = pa.large_string() if large else pa.string()
        return pa.Array.from_buffers(kind, held.size, buffers), changes


def _separated(
    data: bytes,
    mark: str,
    path: str | PathLike[str],
    text: Sequence[str],
    typed: bool,
    headless: bool = False,
) -> tuple[pa.Table, I64]:
    quoting = b'"' in data and _is_quoted(data, mark, path)
    rows = _Rows(data, mark, quoting)
    if headless:
        numbers = mark.join(str(k + 1) for k in range(len(rows.heads)))
        rows = _Rows(f"{numbers}\n".encode() + data, mark, quoting)
    heads = rows.heads
    if not heads and not rows.fault:
        raise InputError("the file is empty", expected="a line with names of columns")
    if len(set(heads)) < len(heads):
        raise InputError("two columns of the same name", line=rows.first_line)
    parts = [(rows.columns(cells), lines) for cells, lines in rows.blocks()]
    if rows.fault:
        rows.fault_line -= headless
        raise _faulty(rows, mark)
    if (
        rows.joined
        and mark == ","
        and len(heads) > 1
        and not _Rows(data, mark, False).scanned().fault
    ):
        warn(
            f"{fspath(path)}: quotes join lines into {number_of(rows.joined, 'row')} of several, "
            "although each line is a row without them; if the quotes are letters, write each twice "
            "and put the cell in quotes"
        )
    columns = []
    for k, head in enumerate(heads):
        kind = pa.large_string() if len(data) >= 1 << 31 else pa.string()
        pieces = [columns_of_block[k] for columns_of_block, _ in parts]
        column = pa.chunked_array([piece for piece, _ in pieces], kind)
        changes = reduce(or_, (change for _, change in pieces), 0)
        columns.append(_typed(column, changes) if typed and head not in text else column)
    if len(heads) == 1 and parts:
        _warn_of_other_marks(heads[0], parts[0][0][0][0], mark, path)
    lines = np.concatenate([np.empty(0, np.int64), *(lines for _, lines in parts)])
    return pa.table(columns, names=heads), lines


def _warn_of_other_marks(head: str, cells: pa.Array, mark: str, path: str | PathLike[str]) -> None:
    """Warn of a single column that other marks split alike in its header and its first cell."""
    first = (cells[0].as_py() if len(cells) else None) or ""
    for other, (name, least) in _MARKS.items():
        parts = len(head.split(other))
        if other != mark and least <= parts == len(first.split(other)):
            warn(
                f"{fspath(path)}: one column, {head!r}, whose cells have {parts} parts between "
                f"{name}; columns are separated by {_MARKS[mark][0]} in a file of this name"
            )
            return


_EMPTY = re.compile(rb'(^|\t)""(?=[\t\r\n]|\Z)', re.MULTILINE)


def _is_quoted(data: bytes, mark: str, path: str | PathLike[str]) -> bool:
    """Whether quotes stand around cells, and are not letters of them."""
    if mark == ",":
        return True
    # People write .tsv without a rule, so the file must show it: lines are rows only with quotes,
    # or all are closed in their line and the header has some, or one is doubled, or one is empty.
    quoted = _Rows(data, mark, True).scanned()
    if not quoted.quoted:
        return False  # none begins a cell
    around = not quoted.fault
    if around and not _Rows(data, mark, False).scanned().fault:
        shown = quoted.quotes_heads or quoted.doubled > 0 or _EMPTY.search(data) is not None
        around = not quoted.joined and shown
    guessed(path, quotes="taken off around cells" if around else "kept as letters")
    return around


def _faulty(rows: _Rows, mark: str) -> InputError:
    """Return the error for the row at which reading stopped."""
    if rows.fault == NARROW:
        return InputError(
            number_of(rows.count, "cell"),
            line=rows.fault_line,
            expected=str(len(rows.heads)),
            todo="quote cells with commas; decimals have a point"
            if mark == "," and rows.count > len(rows.heads)
            else "",
        )
    return InputError(
        "text after a closing quote" if rows.fault == TEXT_AFTER else "a quote that is not closed",
        line=rows.fault_line,
        expected="quotes around whole cells",
        todo='write a quote inside such a cell twice: "He said ""yes""."',
    )


def _typed(column: pa.ChunkedArray, changes: int) -> pa.ChunkedArray:
    """Return a column of nothing but numbers, or of true and false, as such."""
    if column.null_count == len(column):
        return pa.chunked_array([pa.nulls(len(column))])
    for kind in (pa.int64(), pa.uint64(), pa.float64(), pa.bool_()):
        with suppress(pa.ArrowInvalid):
            numbers = column.cast(kind)
            # `007`, `1e3` or `+5` would not be written back as they stand, so they stay text.
            return column if changes & (3 if pa.types.is_floating(kind) else 1) else numbers
    return column


# Columns of a table.


def is_table_of_parquet(path: str | PathLike[str]) -> bool:
    """Whether a table's path is Parquet."""
    return table_suffix(path) in PARQUET


def stored_signature(path: str | PathLike[str]) -> str:
    """Return the signature stored in a table's file; only Parquet has one."""
    if not is_table_of_parquet(path):
        return ""
    return pl.read_parquet_metadata(fspath(path)).get(SIGNATURE, "")


def whole_numbers(frame: pl.DataFrame, name: str, least: int | None) -> pl.Series:
    """Return a column as int64; ``least`` None allows missing cells, others are errors."""
    column = frame[name]
    numbers = _cast(column, pl.Int64)
    if column.dtype.is_float():
        numbers = pl.select(pl.when(column == column.round()).then(numbers)).to_series()
    bad = numbers.is_null() & (column.is_not_null() if least is None else True)
    if least is not None:
        bad = bad | (numbers < least).fill_null(True)
    wanted = "a whole number" if least is None else f"a whole number from {least}"
    _refuse(frame, name, bad, wanted)
    return numbers


def finite_numbers(frame: pl.DataFrame, name: str) -> pl.Series:
    """Return a column as float64, NaN as null; an InputError gives the line of any other cell."""
    column = frame[name]
    numbers = _cast(column, pl.Float64)
    bad = (numbers.is_null() & column.is_not_null()) | numbers.is_infinite().fill_null(False)
    _refuse(frame, name, bad, "a finite number")
    return numbers.fill_nan(None)


def texts(frame: pl.DataFrame, name: str) -> pl.Series:
    """Return a column as text; an InputError gives the line of an empty cell."""
    column = frame[name].cast(pl.String)
    _refuse(frame, name, column.is_null() | (column == "").fill_null(True), "a name")
    return column


def with_numbers(frame: pl.DataFrame) -> pl.DataFrame:
    """Convert text columns that hold only numbers to numbers."""
    numbers = {}
    for column in frame.iter_columns():
        if column.dtype == pl.String and column.name != "system":
            cast = column.cast(pl.Float64, strict=False)
            if cast.null_count() == column.null_count() < len(column):
                numbers[column.name] = cast
    return frame.with_columns(**numbers)


def _cast(column: pl.Series, kind: Any) -> pl.Series:
    if column.dtype == pl.Boolean or column.dtype.is_nested():
        return pl.Series(column.name, [None] * len(column), dtype=kind)
    if column.dtype == pl.String:
        column = column.str.strip_chars()
    return column.cast(kind, strict=False)


def _refuse(frame: pl.DataFrame, name: str, bad: pl.Series, expected: str) -> None:
    if bad.any():
        at = int(bad.arg_true()[0])
        raise InputError(
            f"{frame[name][at]!r} as {name}",
            line=frame[LINE][at],
            expected=expected,
        )
