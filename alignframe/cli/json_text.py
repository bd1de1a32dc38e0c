"""Tables as JSON text, column by column: the same as ``json.dumps(..., indent=2)``, but faster."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import islice
from typing import TYPE_CHECKING, Any

from alignframe.result import Tables, with_signature_above

if TYPE_CHECKING:
    import polars as pl

_NOTE = "\n  "
_ROW = "\n      "
_CELL = "\n        "
_PIECE = 10_000
"""The number of rows written at a time."""

_text = json.JSONEncoder(ensure_ascii=False).encode


def json_pieces(
    tables: Tables, signature: str | None, also: Mapping[str, object] | None = None
) -> Iterator[str]:
    """Yield the text of ``result.as_json``; NaN and infinity become null.

    ``also`` has what stands beside the tables, by name.
    """
    mark, tables = with_signature_above(tables, signature)
    noted = "".join(
        f'"{name}": {_of_any(one, _NOTE)},{_NOTE}' for name, one in (also or {}).items()
    )
    yield f'{{\n  "signature": {_text(mark)},\n  {noted}"tables": {{'
    for at, (name, table) in enumerate(tables.items()):
        yield f"{',' if at else ''}\n    {_text(name)}: ["
        rows = _rows(table)
        between = ""
        while piece := list(islice(rows, _PIECE)):
            yield between + ",".join(piece)
            between = ","
        yield "\n    ]" if between else "]"
    yield "\n  }\n}\n" if tables else "}\n}\n"


def _rows(table: pl.DataFrame | Sequence[Mapping[str, object]]) -> Iterator[str]:
    """Yield the text of each row of a table."""
    if isinstance(table, Sequence) or not table.columns:
        rows = table if isinstance(table, Sequence) else table.to_dicts()
        yield from (_ROW + _of_any(row, _ROW) for row in rows)
        return
    # The row is a template for the operator %.
    names = [_text(name).replace("%", "%%") for name in table.columns]
    row = _ROW + "{" + ",".join(f"{_CELL}{name}: %s" for name in names) + f"{_ROW}}}"
    for start in range(0, table.height, _PIECE):
        columns = [_cells(column) for column in table.slice(start, _PIECE)]
        yield from (row % cells for cells in zip(*columns, strict=True))


def _cells(column: pl.Series) -> list[str]:
    """Return the text of each value of a column."""
    kind = column.dtype
    values = column.to_list()
    if kind.is_integer():
        return ["null" if value is None else str(value) for value in values]
    if kind.is_float():
        return [
            repr(value) if value is not None and math.isfinite(value) else "null"
            for value in values
        ]
    if kind.is_decimal():
        return ["null" if value is None else _digits(value) for value in values]
    return [_text(value) if isinstance(value, str) else _of_any(value, _CELL) for value in values]


def _digits(value: Decimal) -> str:
    """Return all digits of a decimal, as a number of JSON."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _of_any(value: object, indent: str) -> str:
    """Return the text of any value, with an indent before all lines after the first."""
    text = json.dumps(_plain(value), ensure_ascii=False, indent=2, default=str)
    return text.replace("\n", indent)


def _plain(value: object) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Decimal):  # sums in SQL
        return int(value) if value == int(value) else float(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    return value
