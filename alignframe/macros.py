"""The SQL macros and what they answer, as the comments in ``sql/`` say it."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

import pyarrow as pa

from alignframe.functions import FUNCTIONS, RowFunction
from alignframe.scripts import declarations

_SENTENCE = re.compile(r"(.+?)(?:\.(?=\s+[A-Z]|\s*$)|:\s|$)", re.DOTALL)


class Macro(NamedTuple):
    """A macro of SQL.

    Attributes
    ----------
    name
        What queries call it.
    parameters
        As they are declared, those with defaults after ``:=``.
    about
        What its file is about, such as ``links``.
    is_table
        Whether it gives a table, not a value.
    comment
        What it answers, its columns, and examples.
    """

    name: str
    parameters: tuple[str, ...]
    about: str
    is_table: bool
    comment: str

    @property
    def call(self) -> str:
        """Its name and parameters: ``scores(counts, alpha := 0.5, by := [])``."""
        return f"{self.name}({', '.join(self.parameters)})"

    @property
    def summary(self) -> str:
        """The first sentence of its comment, up to its columns."""
        text = self.comment.partition("\n  ")[0]  # without the examples
        found = _SENTENCE.match(text)
        return " ".join(found[1].split()) if found else text


@cache
def macros() -> tuple[Macro, ...]:
    """Return every macro that has a comment, in the order of the files, and the row functions."""
    found = [
        Macro(
            one.name,
            tuple(_declared(*parameter) for parameter in one.parameters.items()),
            one.about,
            one.is_table,
            one.comment,
        )
        for one in declarations()
        if one.comment
    ]
    functions = [
        Macro(
            one.name,
            tuple(_declared(name, _default(one, name)) for name in one.arguments),
            "rows",
            False,
            one.summary[0].upper() + one.summary[1:],
        )
        for one in FUNCTIONS
    ]
    return (*found, *functions)


def _declared(name: str, default: str | None) -> str:
    return name if default is None else f"{name} := {default}"


def _default(function: RowFunction, name: str) -> str | None:
    """Return the default of an argument as SQL spells it."""
    if name not in function.defaults:
        return None
    value = function.defaults[name]
    quoted = function.arguments[name] == pa.string() and value is not None
    return f"'{value}'" if quoted else str(value or "null")
