"""Detecting a file's format by its first line."""

from __future__ import annotations

import re
from os import PathLike, fspath
from pathlib import Path

from alignframe.choices import LINK_FORMATS
from alignframe.errors import InputError
from alignframe.formats.rows import LINK
from alignframe.formats.tsv import is_heading
from alignframe.parquet import is_parquet
from alignframe.read.lines import text_head
from alignframe.read.opening import is_stream, peek

_ID = re.compile(r"[^\s]+\t[^\t]*")
_NAACL = re.compile(r"\d+\s+\d+\s+\d+(\s+[SPsp])?(\s+[-+.\deE]+)?", re.ASCII)
_SNIFFED = 1 << 16

FORMATS = LINK_FORMATS
"""The names of all formats of links."""


_BY_SUFFIX = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".naacl": "naacl",
    ".a3": "giza",
    ".moses": "moses",
    ".tsv": "tsv",
}


def format_of(path: str | PathLike[str]) -> str:
    """Return the format for an output file's suffix, by default Pharaoh."""
    return _BY_SUFFIX.get(Path(fspath(path)).suffix.lower(), "pharaoh")


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


def detect(path: str | PathLike[str], option: str = "format=") -> str:
    """Detect the format of a file by its first non-blank line.

    ``option`` is the option for the format that errors mention.

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
    head = text_head(path, _SNIFFED)
    lines = [line.decode("utf-8", "replace").strip(" \r\f\v") for line in head.split(b"\n")]
    whole = next((line for line in lines if line.strip("\t")), "")
    if len(head) >= _SNIFFED - 3 and whole == lines[-1]:
        whole = whole.rpartition(" ")[0]  # a long line may be cut inside a word
    line = whole.strip("\t")
    if line.startswith("# Sentence pair"):
        return "giza"
    if "|||" in line:
        return "moses"
    if not line or _are_links(line):
        return "pharaoh"  # only blank lines: sentences without links
    cells = whole.split("\t")
    if _ID.fullmatch(whole) and _are_links(cells[1]):
        return "numbered"
    if len(cells) in (3, 4) and (is_heading(cells) or all(map(_are_links, cells[2:]))):
        return "tsv"
    if _NAACL.fullmatch(line):
        return "naacl"
    raise InputError(
        f"the format is not recognised; its first line is {line[:60]!r}",
        path=path,
        todo=f"name one of the formats {', '.join(FORMATS)} with {option}",
    )


def _are_links(text: str) -> bool:
    """Whether a text consists of zero or more links."""
    return all(LINK.fullmatch(word) for word in text.split())
