"""Tables from files of any kind, each row with its line number for errors."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from os import PathLike, fspath
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.arrow import to_table
from alignframe.choices import JSON_LINES, PARQUET, SEPARATORS, TABLES_SAID
from alignframe.errors import InputError
from alignframe.formats.lines import (
    chunks,
    csv_rows,
    max_line,
    numbered_lines,
    read_whole,
    too_long,
)
from alignframe.formats.opening import is_stream, open_bytes, table_suffix
from alignframe.tables import SIGNATURE

LINE = "line_of_file"
"""The column with a row's line, from 1; in Parquet and frames, its row."""


def read_table(given: Any, what: str) -> pl.DataFrame:
    """Return a frame, or the table in a file, with the column ``LINE``."""
    if not isinstance(given, (str, PathLike)):
        return _numbered(pl.DataFrame(pl.from_arrow(to_table(given))))
    suffix = table_suffix(given)
    if is_table_of_parquet(given):
        try:
            return _numbered(pl.read_parquet(fspath(given)))
        except (OSError, pl.exceptions.PolarsError) as error:
            reason = str(error).splitlines()[0]
            raise InputError(f"cannot be read as Parquet ({reason})", path=given) from None
    if suffix in SEPARATORS:
        frame = _of_rows(_csv_rows(given, SEPARATORS[suffix]))
    elif suffix in JSON_LINES:
        frame = _of_rows(_json_rows(given))
    else:
        raise InputError(f"the suffix {suffix!r}", path=given, expected=TABLES_SAID)
    if not frame.height:
        raise InputError(f"{what} without rows", path=given, expected="at least one row")
    return frame


def text_table(path: str | PathLike[str], what: str, text: Sequence[str]) -> pa.Table:
    """Return the table in .csv, .tsv or .jsonl with the types of its values.

    ``text`` names columns of separated cells that are text whatever their values.
    """
    suffix = table_suffix(path)
    if suffix not in JSON_LINES and suffix not in SEPARATORS:
        raise InputError(f"the suffix {suffix!r} of {what}", path=path, expected=TABLES_SAID)
    try:
        if suffix in SEPARATORS:
            return _read_csv(path, SEPARATORS[suffix], text)
        import pyarrow.json as pa_json

        with open_bytes(path) as file:
            return pa_json.read_json(file, pa_json.ReadOptions(block_size=_block()))
    except (pa.ArrowInvalid, OSError) as error:
        if "straddling" in str(error):  # a row longer than a block
            for _ in () if is_stream(path) else chunks(path):
                pass  # to name its line
            raise too_long("a row", path, None) from None
        raise InputError(f"cannot be read as {suffix[1:].upper()} ({error})", path=path) from None


def _read_csv(path: str | PathLike[str], mark: str, text: Sequence[str]) -> pa.Table:
    """Read separated cells by Arrow, after ``csv_rows`` if Arrow misreads or refuses them."""
    data = read_whole(path)
    table = None
    if not re.search(re.escape(mark.encode()) + rb' +"|\0', data):
        with suppress(pa.ArrowInvalid):
            table = _parsed(data, mark, text)
    names = [] if table is None else table.column_names
    if table is None or len({name for name in names if name == name.strip()}) < len(names):
        tidied = io.StringIO(newline="")
        rows = (cells for _, cells in csv_rows(path, mark, data))
        csv.writer(tidied, delimiter=mark, lineterminator="\n").writerows(rows)
        table = _parsed(tidied.getvalue().encode(), mark, text)
    columns = [
        pc.utf8_trim_whitespace(one) if pa.types.is_string(one.type) else one for one in table
    ]
    return pa.table(columns, names=table.column_names)


def _block() -> int:
    """Return a size of block that holds any row."""
    return min(max_line(), 1 << 30)


def _parsed(data: bytes, mark: str, text: Sequence[str]) -> pa.Table:
    import pyarrow.csv as pa_csv

    return pa_csv.read_csv(
        pa.BufferReader(data),
        pa_csv.ReadOptions(block_size=_block()),
        parse_options=pa_csv.ParseOptions(delimiter=mark),
        convert_options=pa_csv.ConvertOptions(
            column_types=dict.fromkeys(text, pa.string()),
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )


def is_table_of_parquet(path: str | PathLike[str]) -> bool:
    """Whether a table's path is Parquet."""
    return table_suffix(path) in PARQUET


def stored_signature(path: str | PathLike[str]) -> str:
    """Return the signature stored in a table's file; only Parquet has one."""
    if not is_table_of_parquet(path):
        return ""
    return pl.read_parquet_metadata(fspath(path)).get(SIGNATURE, "")


def whole_numbers(frame: pl.DataFrame, name: str, path: Any, least: int | None) -> pl.Series:
    """Return a column as int64; an InputError gives the line of a cell that is not a whole number.

    If ``least`` is None, missing cells are null; otherwise they, and numbers below it, are errors.
    """
    column = frame[name]
    numbers = _cast(column, pl.Int64)
    if column.dtype.is_float():
        numbers = pl.select(pl.when(column == column.round()).then(numbers)).to_series()
    bad = numbers.is_null() & (column.is_not_null() if least is None else True)
    if least is not None:
        bad = bad | (numbers < least).fill_null(True)
    wanted = "a whole number" if least is None else f"a whole number from {least}"
    _refuse(frame, name, bad, path, wanted)
    return numbers


def finite_numbers(frame: pl.DataFrame, name: str, path: Any) -> pl.Series:
    """Return a column as float64, NaN as null; an InputError gives the line of any other cell."""
    column = frame[name]
    numbers = _cast(column, pl.Float64)
    bad = (numbers.is_null() & column.is_not_null()) | numbers.is_infinite().fill_null(False)
    _refuse(frame, name, bad, path, "a finite number")
    return numbers.fill_nan(None)


def texts(frame: pl.DataFrame, name: str, path: Any) -> pl.Series:
    """Return a column as text; an InputError gives the line of an empty cell."""
    column = frame[name].cast(pl.String)
    _refuse(frame, name, column.is_null() | (column == "").fill_null(True), path, "a name")
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


def _refuse(frame: pl.DataFrame, name: str, bad: pl.Series, path: Any, expected: str) -> None:
    if bad.any():
        at = int(bad.arg_true()[0])
        raise InputError(
            f"{frame[name][at]!r} as {name}",
            path=path if isinstance(path, (str, PathLike)) else None,
            line=frame[LINE][at],
            expected=expected,
        )


def _numbered(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_row_index(LINE, offset=1)


def _of_rows(rows: Iterator[tuple[int, dict[str, Any]]]) -> pl.DataFrame:
    found = [{LINE: line, **row} for line, row in rows]
    return pl.DataFrame(found, infer_schema_length=None, strict=False)


def _csv_rows(path: str | PathLike[str], mark: str) -> Iterator[tuple[int, dict[str, Any]]]:
    rows = csv_rows(path, mark)
    _, heads = next(rows)
    for line, cells in rows:
        yield line, {head: cell or None for head, cell in zip(heads, cells, strict=True)}


def _json_rows(path: str | PathLike[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in numbered_lines(path, None):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise InputError(f"invalid JSON ({error})", path=path, line=number) from None
        if not isinstance(row, dict):
            raise InputError(f"{line.strip()[:60]}", path=path, line=number, expected="an object")
        # These would become numbers, although the column is never numeric.
        yield (
            number,
            {
                name: str(cell) if isinstance(cell, (bool, list, dict)) else cell
                for name, cell in row.items()
            },
        )
