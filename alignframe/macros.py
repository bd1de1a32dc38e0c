"""The documented SQL macros: their names, parameters and comments in ``sql/``."""

from __future__ import annotations

from functools import cache

from alignframe.functions import FUNCTIONS
from alignframe.scripts import Macro, declarations


@cache
def macros() -> tuple[Macro, ...]:
    """Return every macro with a comment, in file order, and the row functions."""
    functions = [
        Macro(
            one.name,
            {name: one.sql_default(name) for name in one.arguments},
            "rows",
            False,
            one.summary[0].upper() + one.summary[1:],
            "",
        )
        for one in FUNCTIONS
    ]
    return (*(one for one in declarations() if one.comment), *functions)
