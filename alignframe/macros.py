"""The documented SQL macros: their names, parameters and comments in ``sql/``."""

from __future__ import annotations

from functools import cache

import pyarrow as pa

from alignframe.functions import FUNCTIONS, RowFunction
from alignframe.scripts import Macro, declarations


@cache
def macros() -> tuple[Macro, ...]:
    """Return every macro with a comment, in file order, and the row functions."""
    functions = [
        Macro(
            one.name,
            {name: _default(one, name) for name in one.arguments},
            "rows",
            False,
            one.summary[0].upper() + one.summary[1:],
            "",
        )
        for one in FUNCTIONS
    ]
    return (*(one for one in declarations() if one.comment), *functions)


def _default(function: RowFunction, name: str) -> str | None:
    """Return an argument's default in SQL."""
    if name not in function.defaults:
        return None
    value = function.defaults[name]
    quoted = function.arguments[name] == pa.string() and value is not None
    return f"'{value}'" if quoted else str(value or "null")
