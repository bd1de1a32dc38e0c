"""Translations in XLIFF 1.2 and 2: units with a source and a target.

Codes are dropped with their text, as in TMX; the text within ``g``, ``pc`` and ``mrk`` is kept.
"""

from __future__ import annotations

from os import PathLike

import pyarrow as pa

from alignframe.errors import InputError, in_file
from alignframe.formats.bead_table import Languages, warn_of
from alignframe.formats.markup import read_xml

_CODES = ("bpt", "ept", "it", "ph", "ut", "x", "bx", "ex", "sc", "ec", "cp")
_UNITS = ("trans-unit", "unit")
_ASIDE = ("alt-trans", "seg-source", "matches", "glossary")  # texts that are no translations


class _Units:
    """The units of a file, in order."""

    def __init__(self) -> None:
        self.rows: list[tuple[str | None, str, str]] = []
        self.languages: list[str] = []
        self.missing = self.notes = 0
        self._names: list[str] = []
        self._id: str | None = None
        self._texts: dict[str, str] = {}
        self._pieces: list[str] | None = None
        self._codes = self._aside = 0

    def start(self, name: str, attributes: dict[str, str], _: int) -> None:
        """Begin an element."""
        if not self._names and name != "xliff":
            raise InputError(f"the root element <{name}>", expected="<xliff>")
        self._names.append(name)
        said = [attributes.get(key) for key in ("source-language", "target-language")]
        said = said if any(said) else [attributes.get(key) for key in ("srcLang", "trgLang")]
        if not self.languages and all(said):
            self.languages = [language or "" for language in said]
        if name in _UNITS:
            self._id, self._texts = attributes.get("id"), {}
        elif name == "segment":
            self._texts = {}
        elif name in _ASIDE:
            self._aside += 1
        elif name in ("source", "target") and not self._aside:
            self._pieces, self._codes = [], 0
        elif name in _CODES and self._pieces is not None:
            self._codes += 1
        self.notes += name == "note"

    def text(self, piece: str) -> None:
        """Add to the text of an element."""
        if self._pieces is not None and not self._codes:
            self._pieces.append(piece)

    def end(self, name: str) -> None:
        """End an element."""
        self._names.pop()
        if name in _ASIDE:
            self._aside -= 1
        elif name in _CODES and self._pieces is not None:
            self._codes -= 1
        elif name in ("source", "target") and self._pieces is not None:
            self._texts[name] = " ".join("".join(self._pieces).split())
            self._pieces = None
        elif name in ("trans-unit", "segment"):
            if {"source", "target"} <= self._texts.keys():
                self.rows.append((self._id, self._texts["source"], self._texts["target"]))
            else:
                self.missing += 1


def read_xliff(path: str | PathLike[str]) -> tuple[pa.Table, Languages | None]:
    """Return the columns id, src and tgt of an XLIFF file, and its languages if it names them.

    Units without a target are left out with a warning.

    Raises
    ------
    InputError
        If it is not XLIFF, or no unit has a source and a target.
    """
    units = _Units()
    with in_file(path):
        read_xml(path, units.start, units.end, units.text, ("source", "target"))
        if not units.rows:
            raise InputError("no unit with a source and a target", expected="translations")
    warn_of(path, units.missing, "unit", "without a target left out")
    warn_of(path, units.notes, "note", "left out")
    columns = zip(("id", "src", "tgt"), zip(*units.rows, strict=True), strict=True)
    table = pa.table({name: pa.array(values, pa.string()) for name, values in columns})
    src, tgt = units.languages or ("", "")
    return table, (src, tgt) if src else None
