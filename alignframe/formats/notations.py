"""Notations of other tools that are recognised, but not read as what was asked for.

Each has what errors call it, a line of it, and the way out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

_SCORE = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
_CELL = r" \|\|\| (?:(?! \|\|\| ).)*"
_WEIGHTS = rf"{_SCORE}(?:,{_SCORE})+"
_OTHER = r"\d+(?:-\d+[^\w\s]|[:,|]\d+)\S*"
_LINKS = r"\d+[-=][-=\d]*(?:[ ]+\d+[-=][-=\d]*)*"


class Notation(NamedTuple):
    """What errors call a notation, its lines, and what to do with it."""

    name: str
    line: re.Pattern[str]
    todo: str


def _of(name: str, line: str, todo: str) -> Notation:
    return Notation(name, re.compile(line, re.ASCII), todo)


LINKS = (
    _of(
        "GALE's links with types",
        r".*(?:^|\s)[\d,]*-[\d,]*\([A-Za-z]+\).*",
        "write each link of the types that count as source-target, 2,3-2(GIS) as 2-2 3-2, and read "
        "them with `base=1`",
    ),
    _of(
        "a table of links without a header",
        r"\d+([,;\t])\d+\1\d+(?:\1[\d.]+)?",
        "begin it with the line sid,i,j (and p for a probability), with tabs in .tsv",
    ),
    _of(
        "Marian's soft alignments",
        rf"(?=.*\.){_WEIGHTS}(?:\s+{_WEIGHTS})*",
        "let Marian print links: --alignment hard, or --alignment 0.5 for those above a weight",
    ),
    _of(
        "Moses' n-best list with links",
        rf"\d+{_CELL}{_CELL} \|\|\| {_SCORE}(?:{_CELL})? \|\|\| {_LINKS}",
        "keep the links of the best translations: awk -F ' [|][|][|] ' '!seen[$1]++ {print $NF}'",
    ),
    _of(
        "probabilities of links without the links",
        r"[01]?\.\d+(?:e-\d+)?(?:\s+(?:[01]?\.\d+(?:e-\d+)?|[01]))*",
        "give the file of links, or join both as 0-0:0.98 1-2:0.7",
    ),
    _of(
        "links with types other than sure and possible",
        r".*(?:^|\s)\d+:\d+:[A-Za-z]+(?:\s.*)?",
        "write each link of the types that count as source-target, 1:2:partial as 1-2, or 1p2 if "
        "it is Possible; a number before them with a tab behind it",
    ),
    _of(
        "links in an unknown notation",
        rf"{_OTHER}(?:\s+{_OTHER})*",
        "write each link as source-target, 0-0, with a score as 0-0:0.9, if Possible as 0p0",
    ),
    _of(
        "lists of Python",
        r"\[?\[?[(\[]\d+, *\d+[)\]].*",
        "give the list itself in Python, or write its pairs as 0-0 1-2, a line per sentence",
    ),
)
"""Links of other tools."""


def known_as(line: str, notations: Iterable[Notation] = LINKS) -> Notation | None:
    """Return the notation that a line is in, if it is known."""
    return next((known for known in notations if known.line.fullmatch(line.strip())), None)


def advice_on(line: str) -> str:
    """Return what to do with a line of links in another notation; nothing for an unknown one."""
    known = known_as(line)
    return f"this looks like {known.name}: {known.todo}" if known else ""
