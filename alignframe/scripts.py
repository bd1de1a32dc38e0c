"""The files in ``sql/``, whose macros every engine reads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from alignframe.errors import AlignframeError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, Statement

_MACRO = re.compile(
    r"((?:^--.*\n)*)^create or replace temp macro (\w+)\(((?:[^()]|\([^()]*\))*)\)"
    r"\s+as(\s+table)?\s+((?:'[^']*'|--.*|[^;'])*+);",
    re.MULTILINE,
)
_SENTENCE = re.compile(r"(.+?)(?:\.(?=\s+[A-Z]|\s*$)|:\s|$)", re.DOTALL)
_COMMA = re.compile(r",(?![^\[]*\])")


class Macro(NamedTuple):
    """A macro of SQL.

    Attributes
    ----------
    name
        What queries call it.
    parameters
        The text of each one's default; None where it has none.
    about
        What its file is about, such as ``links``.
    is_table
        Whether it gives a table, not a value.
    comment
        What it answers, its columns, and examples.
    body
        The query of a table macro, the expression of another; none of a row function.
    """

    name: str
    parameters: Mapping[str, str | None]
    about: str
    is_table: bool
    comment: str
    body: str

    @property
    def call(self) -> str:
        """Its name and parameters: ``scores(counts, alpha := 0.5, by := [])``."""
        listed = (
            name if default is None else f"{name} := {default}"
            for name, default in self.parameters.items()
        )
        return f"{self.name}({', '.join(listed)})"

    @property
    def summary(self) -> str:
        """The first sentence of its comment, up to its columns."""
        text = self.comment.partition("\n  ")[0]  # without the examples
        found = _SENTENCE.match(text)
        return " ".join(found[1].split()) if found else text


@cache
def declarations() -> tuple[Macro, ...]:
    """Return every macro, in the order of the files."""
    return tuple(
        Macro(
            name,
            dict(_parameters(listed)),
            about,
            bool(table),
            "\n".join(line[3:] for line in comment.splitlines()),
            body,
        )
        for about, text in _texts().items()
        for comment, name, listed, table, body in _MACRO.findall(text)
    )


def _parameters(listed: str) -> Iterator[tuple[str, str | None]]:
    """Yield the names and defaults of a header's parameters: ``a, b := 1``."""
    for one in _COMMA.split(listed):
        name, mark, default = " ".join(one.split()).partition(" := ")
        if name:
            yield name.strip('"'), default if mark else None


@cache
def sql_scripts(about: tuple[str, ...] | None = None) -> tuple[str, ...]:
    """Return the text of the files in ``sql/``, in order.

    Parameters
    ----------
    about
        What the wanted ones are about, such as ``("lexicon",)`` for ``05_lexicon.sql``; those whose
        macros they use come along. All files by default.
    """
    texts = _texts()
    if about is None:
        return tuple(texts.values())
    wanted: set[str] = set()
    waiting = [*about]
    while waiting:
        name = waiting.pop()
        wanted.add(name)
        words = set(re.findall(r"\w+", texts[name]))
        waiting += [
            other
            for other, text in texts.items()
            if other not in wanted and not words.isdisjoint(re.findall(r"macro (\w+)\(", text))
        ]
    return tuple(text for name, text in texts.items() if name in wanted)


@cache
def _texts() -> Mapping[str, str]:
    """Return the text of each file by what it is about."""
    return {
        file.stem.partition("_")[2]: file.read_text("utf-8")
        for file in sorted(sql_folder().glob("*.sql"))
    }


_PARSED: dict[str, list[Statement]] = {}


def run_script(connection: DuckDBPyConnection, script: str) -> None:
    """Run the statements of a script, which the first connection of a process has to parse.

    Parsing all macros takes as long as creating them.
    """
    if script not in _PARSED:
        _PARSED[script] = connection.extract_statements(script)
    for statement in _PARSED[script]:
        connection.execute(statement)


def sql_folder() -> Path:
    """Return where the SQL macros lie: in the installed package, or beside it in a checkout."""
    here = Path(__file__).parent
    for folder in (here / "sql", here.parent / "sql"):
        if folder.is_dir():
            return folder
    raise AlignframeError("the folder sql/ is missing from this installation of alignframe")
