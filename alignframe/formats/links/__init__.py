"""Formats of links: each is the object FORMAT of a module in this folder, which bears its name."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import cache
from importlib import import_module
from os import PathLike

from alignframe.core.choices import OTHER_NAMES
from alignframe.core.suffixes import LINK_FORMATS, LINKS
from alignframe.errors import InputError, check_known
from alignframe.formats.notations import known_as
from alignframe.formats.rows import LinkFormat
from alignframe.formats.text_kinds import has_sentences
from alignframe.read.lines import SNIFFED, TextFile, first_text, head_of

_OPTIONS = "(`format`)"

FORMATS = LINK_FORMATS
"""The names of all formats of links."""


@cache
def every_format() -> dict[str, LinkFormat]:
    """Return all formats by name."""
    return {name: import_module(f"{__name__}.{name}").FORMAT for name in LINK_FORMATS}


def link_format(name: str) -> LinkFormat:
    """Return a format by name."""
    check_known("format", name, LINK_FORMATS, others=OTHER_NAMES)
    return every_format()[name]


def format_of(path: str | PathLike[str]) -> str:
    """Return the format for an output file's suffix; Pharaoh for a stream or a file without one.

    Raises
    ------
    InputError
        If the suffix belongs to no format.

    Examples
    --------
    >>> from alignframe import formats
    >>> formats.format_of("gold.naacl.gz")
    'naacl'
    """
    return LINKS.chosen(path)


def is_text(path: str | PathLike[str], encoding: str | None = None) -> bool:
    """Whether a file is no links in any notation, and has words in most of its first lines."""
    if head_of(path) and has_sentences(TextFile(path, encoding)):
        return True
    head = first_text(TextFile(path, encoding)) if head_of(path) else b""
    lines = [line for line in head.decode("utf-8", "replace").split("\n")[:20] if line.strip()]
    with suppress(InputError):
        detect(path, encoding)
        return False
    worded = sum(_WORD.search(line) is not None for line in lines)
    return bool(lines) and known_as(lines[0]) is None and worded >= 0.8 * len(lines)


_WORD = re.compile(r"[^\W\d_]{2}")


def detect(path: str | PathLike[str], encoding: str | None = None, option: str = _OPTIONS) -> str:
    """Detect the format of a file by its first non-blank line.

    Raises
    ------
    InputError
        If the file is empty, or looks like none of the formats.

    Examples
    --------
    >>> from alignframe import formats
    >>> formats.detect("datasets/en-fr/gold.talp")
    'pharaoh'
    """
    head = head_of(path)
    if head is None:
        return "parquet"
    if not head:
        raise InputError("the file is empty", path=path, expected="an alignment")
    head = first_text(TextFile(path, encoding))
    lines = [line.decode("utf-8", "replace").strip(" \r\f\v") for line in head.split(b"\n")]
    whole = next((line for line in lines if line.strip("\t")), "")
    if len(head) >= SNIFFED - 3 and whole == lines[-1]:
        whole = whole.rpartition(" ")[0]  # a long line may be cut inside a word
    names = [name for name, form in every_format().items() if form.begins and form.begins(whole)]
    if len(names) == 1:
        return names[0]
    other = known_as(whole)
    if other is not None:
        found = f"{other.name}, such as {whole.strip()[:60]!r}"
        raise InputError(found, path=path, todo=other.todo)
    raise InputError(
        f"the format is not recognised; its first line is {whole.strip()[:60]!r}",
        path=path,
        todo=f"name one of the formats {', '.join(FORMATS)} {option}",
    )
