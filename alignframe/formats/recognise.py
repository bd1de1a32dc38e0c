"""Detecting a file's format by its first line."""

from __future__ import annotations

from os import PathLike

from alignframe.core.choices import LINK_FORMATS
from alignframe.errors import InputError
from alignframe.formats.links import every_format
from alignframe.read.lines import TextFile
from alignframe.read.opening import is_stream, peek
from alignframe.read.parquet import is_parquet

# Number of bytes looked at.
_SNIFFED = 1 << 16
_OPTIONS = "(`format`)"

FORMATS = LINK_FORMATS
"""The names of all formats of links."""


def head_of(path: str | PathLike[str]) -> bytes | None:
    """Return the beginning of a file; None for Parquet."""
    if is_parquet(path):
        return None
    head = peek(path, _SNIFFED)
    if head[:4] != b"PAR1":
        return head
    if is_stream(path):
        raise InputError(
            "Parquet from a pipe", path=path, expected="a file, as Parquet is not read sequentially"
        )
    return None


def first_text(file: TextFile) -> bytes:
    """Return the beginning of a file in UTF-8; refuse what is no text as reading it would."""
    head = file.head(_SNIFFED)
    if b"\0" in head:
        next(file.chunks(), None)  # which says what the matter is
    return head


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
    if len(head) >= _SNIFFED - 3 and whole == lines[-1]:
        whole = whole.rpartition(" ")[0]  # a long line may be cut inside a word
    names = [name for name, form in every_format().items() if form.begins and form.begins(whole)]
    if len(names) == 1:
        return names[0]
    raise InputError(
        f"the format is not recognised; its first line is {whole.strip()[:60]!r}",
        path=path,
        todo=f"name one of the formats {', '.join(FORMATS)} {option}",
    )
