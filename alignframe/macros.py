"""The SQL macros and what they answer, as the comments in ``sql/`` say it."""

from __future__ import annotations

from functools import cache

import pyarrow as pa

from alignframe.functions import FUNCTIONS, RowFunction
from alignframe.scripts import Macro, declarations


@cache
def macros() -> tuple[Macro, ...]:
    """Return every macro that has a comment, in the order of the files, and the row functions."""
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
    """Return the default of an argument as SQL spells it."""
    if name not in function.defaults:
        return None
    value = function.defaults[name]
    quoted = function.arguments[name] == pa.string() and value is not None
    return f"'{value}'" if quoted else str(value or "null")
