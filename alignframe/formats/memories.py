"""Both sides of a text in one file of XML: TMX and XLIFF."""

from __future__ import annotations

from os import PathLike

import pyarrow as pa

from alignframe.errors import guessed, in_file
from alignframe.formats.bead_table import Languages
from alignframe.formats.markup import read_xml, root_of
from alignframe.formats.tmx_reading import Units
from alignframe.formats.xliff import read_xliff
from alignframe.read.opening import is_stream, peek

_LOOKED_AT = 1000
_ROOTS = ("tmx", "xliff")


def memory_root(path: str | PathLike[str]) -> str:
    """Return ``tmx`` or ``xliff`` for a file of units in two languages; empty for others."""
    if is_stream(path):
        return ""
    head = peek(path, _LOOKED_AT)
    root = root_of(head, path) if head.lstrip(b"\xef\xbb\xbf \r\n").startswith(b"<") else None
    return root if root in _ROOTS else ""


def memory_texts(path: str | PathLike[str], root: str) -> list[pa.Array]:
    """Return both sides of the units of a memory."""
    languages: Languages | None
    if root == "xliff":
        table, languages = read_xliff(path)
        sides = [table[side].combine_chunks() for side in ("src", "tgt")]
    else:
        with in_file(path):
            units = Units(path, None)
            read_xml(path, units.start, units.end, units.text, ("seg", "prop"))
            languages = units.checked()
        sides = [pa.array([row[k] for row in units.rows], pa.string()) for k in (0, 1)]
    if languages is not None:
        guessed(path, text=f"units of {root.upper()}, {languages[0]} and {languages[1]}")
    return sides
