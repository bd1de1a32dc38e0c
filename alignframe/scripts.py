"""The files in ``sql/``, whose macros every engine reads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from alignframe.errors import AlignframeError

_MACRO = re.compile(
    r"((?:^--.*\n)*)^create or replace temp macro (\w+)\(((?:[^()]|\([^()]*\))*)\)"
    r"\s+as(\s+table)?\s+((?:'[^']*'|--.*|[^;'])*+);",
    re.MULTILINE,
)
_COMMA = re.compile(r",(?![^\[]*\])")


class Declaration(NamedTuple):
    """A macro as its file declares it.

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
        The query of a table macro, the expression of another.
    """

    name: str
    parameters: Mapping[str, str | None]
    about: str
    is_table: bool
    comment: str
    body: str


@cache
def declarations() -> tuple[Declaration, ...]:
    """Return every macro, in the order of the files."""
    return tuple(
        Declaration(
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
        macros they use come along. All files if left out.
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


def sql_folder() -> Path:
    """Return where the SQL macros lie: in the installed package, or beside it in a checkout."""
    here = Path(__file__).parent
    for folder in (here / "sql", here.parent / "sql"):
        if folder.is_dir():
            return folder
    raise AlignframeError("the folder sql/ is missing from this installation of alignframe")
