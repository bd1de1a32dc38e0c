"""The files in ``sql/``, whose macros all engines use."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from alignframe.errors import AlignframeError
from alignframe.functions import FUNCTIONS, RowFunction

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, Statement

MACRO = re.compile(
    r"((?:^--.*\n)*)^create or replace (?:temp )?macro (\w+)\(((?:[^()]|\([^()]*\))*)\)"
    r"\s+as(\s+table)?\s+((?:'[^']*'|--.*|[^;'])*+);",
    re.MULTILINE,
)
_SENTENCE = re.compile(r"(.+?)(?:\.(?=\s+[A-Z]|\s*$)|:\s|$)", re.DOTALL)
_COMMA = re.compile(r",(?![^\[]*\])")


class Macro(NamedTuple):
    """An SQL macro."""

    name: str
    parameters: Mapping[str, str | None]  # the text of each default; None where there is none
    about: str  # the topic of its file, such as ``links``
    is_table: bool  # or else it returns a value
    comment: str  # what it returns, its columns, and examples
    body: str  # a query or an expression; empty for a row function

    @property
    def call(self) -> str:
        """The name and parameters: ``scores(counts, alpha := 0.5, by := [])``."""
        listed = (
            name if default is None else f"{name} := {default}"
            for name, default in self.parameters.items()
        )
        return f"{self.name}({', '.join(listed)})"

    def created(self, body: str) -> str:
        """Return the statement that creates a macro of a table with another body."""
        return f"create or replace temp macro {self.call} as table {body}"

    @property
    def summary(self) -> str:
        """The first sentence of its comment, up to its columns."""
        text = self.comment.partition("\n  ")[0]  # without the examples
        sentence = _SENTENCE.match(text)
        return " ".join(sentence[1].split()) if sentence else text


@cache
def macros() -> tuple[Macro, ...]:
    """Return every macro with a comment, in file order, and the row functions."""
    plain = [macro for macro in declarations() if macro.comment]
    names = {macro.name for macro in plain}
    return (*plain, *(of_rows(one) for one in FUNCTIONS if one.name not in names))


def of_rows(function: RowFunction) -> Macro:
    """Return the macro of a row function."""
    return Macro(
        function.name,
        {name: function.sql_default(name) for name in function.arguments},
        "rows",
        False,
        function.summary[0].upper() + function.summary[1:],
        "",
    )


def listing() -> list[dict[str, str]]:
    """Return the macros as rows of a table."""
    return [
        {"macro": macro.call, "about": macro.about, "answers": macro.summary} for macro in macros()
    ]


@cache
def declarations(twins: bool = False) -> tuple[Macro, ...]:
    """Return every macro, in file order; or the ``twins`` of row functions, in plain SQL."""
    return tuple(
        Macro(
            name,
            dict(_parameters(listed)),
            about,
            bool(table),
            "\n".join(line[3:] for line in comment.splitlines()),
            body,
        )
        for about, text in (_read("plain/*.sql") if twins else _texts()).items()
        for comment, name, listed, table, body in MACRO.findall(text)
    )


def _parameters(listed: str) -> Iterator[tuple[str, str | None]]:
    """Yield names and defaults of parameters from a header: ``a, b := 1``."""
    for part in _COMMA.split(listed):
        name, mark, default = " ".join(part.split()).partition(" := ")
        if name:
            yield name.strip('"'), default if mark else None


@cache
def sql_scripts(about: tuple[str, ...] | None = None) -> tuple[str, ...]:
    """Return the text of the files in ``sql/``, in order, or of those ``about`` some topics."""
    texts = _texts()
    if about is None:
        return tuple(texts.values())
    wanted: set[str] = set()
    waiting = {*about}
    while waiting:
        name = waiting.pop()
        wanted.add(name)
        waiting |= topics_of(texts[name]) - wanted  # macros use those of other files
    return tuple(text for name, text in texts.items() if name in wanted)


def topics_of(sql: str) -> set[str]:
    """Return the topics whose macros SQL names, in whatever case."""
    words = set(re.findall(r"\w+", sql.lower()))
    return {
        name
        for name, text in _texts().items()
        if not words.isdisjoint(re.findall(r"macro (\w+)\(", text))
    }


@cache
def _texts() -> Mapping[str, str]:
    """Return the text of each file by topic."""
    return {name.partition("_")[2]: text for name, text in _read("*.sql").items()}


def _read(pattern: str) -> Mapping[str, str]:
    """Return the text of files in ``sql/`` by name, in order."""
    return {file.stem: file.read_text("utf-8") for file in sorted(sql_folder().glob(pattern))}


_PARSED: dict[str, list[Statement]] = {}


def run_script(connection: DuckDBPyConnection, script: str, *, temporary: bool = False) -> None:
    """Run the statements of a script, parsed once per process; its macros may be temporary."""
    # Cursors do not know those that are.
    text = script if temporary else script.replace("replace temp macro", "replace macro")
    # Parsing all macros takes as long as creating them.
    if text not in _PARSED:
        _PARSED[text] = connection.extract_statements(text)
    for statement in _PARSED[text]:
        connection.execute(statement)


def sql_folder() -> Path:
    """Return the folder of the SQL macros: in the installed package, or beside it in a checkout."""
    here = Path(__file__).parents[1]
    for folder in (here / "sql", here.parent / "sql"):
        if folder.is_dir():
            return folder
    raise AlignframeError("the folder sql/ is missing from this installation of alignframe")
