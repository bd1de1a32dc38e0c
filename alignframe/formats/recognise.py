"""Recognising a file's format by its first line."""

from __future__ import annotations

import re
from os import PathLike, fspath
from pathlib import Path

from alignframe.errors import InputError
from alignframe.formats.lines import open_bytes, read_piece
from alignframe.parquet import is_parquet

_SUFFIXES = re.compile(
    r"\.(gz|bz2|zst|lz4|talp|pharaoh|align|wa|naacl|nonullalign|a3|final|moses|parquet|pq|txt)$",
    re.IGNORECASE,
)
_LINK = re.compile(r"\d+[-p?]\d+", re.ASCII)
_NAACL = re.compile(r"\d+\s+\d+\s+\d+(\s+[SPsp])?(\s+[-+.\deE]+)?", re.ASCII)
_SNIFFED = 1 << 16


def system_name(path: str | PathLike[str]) -> str:
    """Return a file's name without the suffixes of formats and packers."""
    name = Path(fspath(path)).name
    while len(shorter := _SUFFIXES.sub("", name)) < len(name) and shorter:
        name = shorter
    return name


def head_of(path: str | PathLike[str]) -> bytes | None:
    """Return how a file begins; None of Parquet."""
    if is_parquet(path):
        return None
    if fspath(path) == "-":
        raise InputError("the format of standard input is not known", todo="name it with --from")
    with open_bytes(path) as file:
        head = read_piece(file, path, _SNIFFED)
    return None if head[:4] == b"PAR1" else head


def detect(path: str | PathLike[str]) -> str:
    """Return the format of a file by its first line that is not blank.

    Raises
    ------
    InputError
        If the file is empty, or looks like none of the formats.
    """
    head = head_of(path)
    if head is None:
        return "parquet"
    if not head:
        raise InputError("the file is empty", path=path, expected="an alignment")
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise InputError("the text is in UTF-16", path=path, expected="UTF-8", todo="convert it")
    head = head.removeprefix(b"\xef\xbb\xbf")
    lines = [line.decode("utf-8", "replace").strip(" \t\r\f\v") for line in head.split(b"\n")]
    line = next((line for line in lines if line), "")
    words = line.split()
    if len(head) >= _SNIFFED - 3 and line == lines[-1]:
        words = words[:-1]  # the end of a long line may be cut inside a word
    if line.startswith("# Sentence pair"):
        return "giza"
    if "|||" in line:
        return "moses"
    if not line or (words and all(_LINK.fullmatch(word) for word in words)):
        return "pharaoh"  # nothing but blank lines: sentences without links
    if _NAACL.fullmatch(line):
        return "naacl"
    raise InputError(
        f"the format is not recognised; its first line is {line[:60]!r}",
        path=path,
        todo="name one of the formats pharaoh, naacl, giza, moses, parquet",
    )
