"""The SQL macros and what they answer, as the comments in ``sql/`` say it."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

import pyarrow as pa

from alignframe.functions import FUNCTIONS, RowFunction
from alignframe.scripts import sql_folder

_MACRO = re.compile(
    r"((?:^--.*\n)*)^create or replace temp macro (\w+)\(((?:[^()]|\([^()]*\))*)\)\s+as( table)?",
    re.MULTILINE,
)
_COMMA = re.compile(r",(?![^\[]*\])")
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
            name,
            tuple(" ".join(one.split()).replace('"', "") for one in _COMMA.split(listed)),
            file.stem.partition("_")[2],
            bool(table),
            "\n".join(line[3:] for line in comment.splitlines()),
        )
        for file in sorted(sql_folder().glob("*.sql"))
        for comment, name, listed, table in _MACRO.findall(file.read_text("utf-8"))
        if comment
    ]
    functions = [
        Macro(
            one.name,
            tuple(_declared(one, name) for name in one.arguments),
            "rows",
            False,
            one.summary[0].upper() + one.summary[1:],
        )
        for one in FUNCTIONS
    ]
    return (*found, *functions)


def _declared(function: RowFunction, name: str) -> str:
    if name not in function.defaults:
        return name
    value = function.defaults[name]
    quoted = function.arguments[name] == pa.string() and value is not None
    return f"{name} := " + (f"'{value}'" if quoted else value or "null")
