"""Rows of JSON lines, in columns of one type each."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Sequence
from contextlib import suppress

import numpy as np
import polars as pl
import polars.selectors as cs
import pyarrow as pa

from alignframe.core.arrays import I64
from alignframe.errors import InputError
from alignframe.read.columns import plain_field
from alignframe.typing import Row

# An escape of JSON that is half a character; Python and polars read it as different things.
_HALF = re.compile(
    rb"(?<!\\)(?:\\\\)*(\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"
    rb"|(?<!\\u[dD][89abAB][0-9a-fA-F][0-9a-fA-F])\\u[dD][c-fC-F][0-9a-fA-F]{2})"
)
_STRING = re.compile(rb'"(?:[^"\\\n]|\\.)*"')
_DEEP = re.compile(rb"[\[{](?:[^\[{\]}\n]*[\[{]){99}")


def json_rows(data: bytes, text: Sequence[str]) -> tuple[pa.Table, I64]:
    """Return objects, one per line. Texts stay text, also those that look like dates."""
    if half := _HALF.search(data):
        raise InputError(
            f"{half[1].decode()}, half of a pair of surrogates",
            line=data.count(b"\n", 0, half.start()) + 1,
            expected="whole characters",
        )
    _refuse_deep(data)
    table = _by_polars(data, text)
    n_lines = data.count(b"\n") + (not data.endswith(b"\n"))
    if table is not None and table.num_rows == n_lines:
        return table, np.arange(1, n_lines + 1)
    filled = [(k, line) for k, line in enumerate(data.split(b"\n"), 1) if line.strip()]
    if table is None or table.num_rows != len(filled):
        rows = [_object(line, number) for number, line in filled]
        names = dict.fromkeys(name for row in rows for name in row)
        table = pa.table({n: _values([row.get(n) for row in rows], n in text) for n in names})
    return table, np.array([number for number, _ in filled], np.int64)


def _refuse_deep(data: bytes) -> None:
    """Refuse values nested in many others, at which polars ends the process."""
    for deep in _DEEP.finditer(data):
        line = data[data.rfind(b"\n", 0, deep.start()) + 1 :].partition(b"\n")[0]
        if _DEEP.search(_STRING.sub(b"", line)):
            raise InputError(
                "values nested in 100 others",
                line=data.count(b"\n", 0, deep.start()) + 1,
                expected="an object of plain values or lists",
            )


def _by_polars(data: bytes, text: Sequence[str]) -> pa.Table | None:
    """Return what polars reads, which is fast; None if it refuses, or would rewrite numbers."""
    try:
        frame = pl.read_ndjson(io.BytesIO(data), infer_schema_length=None)
        table = frame.to_arrow(compat_level=pl.CompatLevel.oldest())
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, pa.ArrowException):
        return None
    if frame.select(cs.by_name(*text, require_all=False) - cs.by_dtype(pl.String, pl.Null)).width:
        return None
    return table.cast(pa.schema([plain_field(field) for field in table.schema]))


def _object(line: bytes, number: int) -> Row:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"invalid JSON ({error})", line=number) from None
    if not isinstance(record, dict):
        raise InputError(f"{line.decode().strip()[:60]}", line=number, expected="an object")
    return record


def _values(values: list[object], as_text: bool) -> pa.Array:
    """Return the values of a column; as texts if they must be, or have no type in common."""
    for kind in () if as_text else (None, pa.uint64()):
        with suppress(pa.ArrowException, TypeError, OverflowError):
            return pa.array(values, kind)
    texts = (
        value_ if value_ is None or isinstance(value_, str) else json.dumps(value_)
        for value_ in values
    )
    return pa.array(texts, pa.string())
