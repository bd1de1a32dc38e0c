"""Translation memories (TMX 1.1 to 1.4b): units of a text in several languages.

A unit becomes a sentence on each side and a 1-1 bead, or a 1-0 or 0-1 bead if its text in one
language is blank. Native codes (``bpt``, ``ept``, ``it``, ``ph``, ``ut``) are dropped with their
text, except the text of a nested ``sub``; the text of ``hi`` is kept. A line feed with surrounding
white space becomes a space. A bead's score is the unit's ``<prop type="score">``, specific to this
package.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from alignframe.errors import InputError
from alignframe.formats.bead_lines import read_score
from alignframe.formats.bead_table import DOCUMENT, bead_table, probabilities, warn_of
from alignframe.formats.markup import Escaper, read_xml
from alignframe.formats.parallel import is_blank
from alignframe.version import __version__

_CODES = ("bpt", "ept", "it", "ph", "ut")

Languages = tuple[str, str]


def read_tmx(
    path: str | PathLike[str],
    languages: Languages | None = None,
    *,
    doc: str = DOCUMENT,
) -> tuple[pa.Table, pa.StringArray, pa.StringArray]:
    """Read a translation memory as beads, source sentences and target sentences.

    Parameters
    ----------
    path
        A file, optionally compressed, in the encoding it declares. It is read in one pass.
    languages
        Source and target language, such as ``("en", "fr")``; ``en`` includes ``EN-US``. By default
        the first two languages of the first unit.
    doc
        The document's name.

    Raises
    ------
    InputError
        If it is not a translation memory, or no unit has both languages; gives the line.
    """
    units = _Units(path, languages)
    read_xml(path, units.start, units.end, units.text, ("seg", "prop"))
    if not units.rows:
        known = ", ".join(sorted(units.seen)) or "none"
        raise InputError(
            f"no unit with {' and '.join(units.languages or ('two', 'languages'))}; "
            f"the file's languages: {known}",
            path=path,
            expected="units in both languages",
        )
    warn_of(path, units.left_out, "unit", "without both languages left out")
    warn_of(path, units.variants, "further text", "of a unit in a language it had left out")
    texts = [[row[0] for row in units.rows], [row[1] for row in units.rows]]
    full = [np.array([not is_blank(text) for text in side], np.int64) for side in texts]
    some = np.flatnonzero(full[0] + full[1])
    warn_of(path, len(units.rows) - len(some), "unit", "with both texts blank ignored")
    ends = [np.cumsum(one)[some] for one in full]
    starts = [end - one[some] for end, one in zip(ends, full, strict=True)]
    spans = np.column_stack([starts[0], ends[0], starts[1], ends[1]])
    scores = probabilities([units.rows[k][2] for k in some], path)
    src, tgt = (
        pa.array([text for text in side if not is_blank(text)], pa.string()) for side in texts
    )
    return bead_table(doc, spans, scores), src, tgt


class _Units:
    """The units of a file, in order."""

    def __init__(self, path: str | PathLike[str], languages: Languages | None) -> None:
        self.path = path
        self.languages = languages
        self.rows: list[tuple[str, str, float | None]] = []
        self.seen: set[str] = set()
        self.left_out = self.variants = 0
        self._started = False
        self._unit: list[tuple[str, str]] = []
        self._language: str | None = None
        self._pieces: list[str] = []
        self._keeps: list[bool] = []
        self._score: float | None = None
        self._property = 0  # the line of the open property

    def start(self, name: str, attributes: dict[str, str], line: int) -> None:
        if not self._started and name != "tmx":
            raise InputError(
                f"the root element <{name}>", path=self.path, line=line, expected="<tmx>"
            )
        self._started = True
        if self._keeps:  # inside a segment
            self._keeps.append(name == "sub" or (name not in _CODES and self._keeps[-1]))
        elif name == "tu":
            self._unit, self._score, self._language = [], None, None
        elif name == "tuv":
            self._language = attributes.get("xml:lang", attributes.get("lang"))
            if self._language is None:
                raise InputError(
                    "a tuv without a language", path=self.path, line=line, expected="xml:lang"
                )
            self.seen.add(self._language)
        elif name == "seg":
            self._pieces, self._keeps = [], [True]
        elif name == "prop" and self._language is None and attributes.get("type") == "score":
            self._pieces, self._property = [], line

    def text(self, piece: str) -> None:
        if self._property or (self._keeps and self._keeps[-1]):
            self._pieces.append(piece)

    def end(self, name: str) -> None:
        if self._keeps:
            self._keeps.pop()
            if not self._keeps and self._language is not None:
                self._unit.append((self._language, _one_line("".join(self._pieces))))
        elif self._property and name == "prop":
            self._score = read_score("".join(self._pieces).strip(), self.path, self._property)
            self._property = 0
        elif name == "tu":
            self._finish()

    def _finish(self) -> None:
        names = [language for language, _ in self._unit]
        if self.languages is None:
            other = next((name for name in names if not _same(name, names[0])), None)
            self.languages = None if other is None else (names[0], other)
        chosen = []
        for wanted in self.languages or ():
            fits = [k for k, name in enumerate(names) if _same(name, wanted) and k not in chosen]
            exact = [k for k in fits if names[k].casefold() == wanted.casefold()]
            self.variants += max(len(exact or fits) - 1, 0)
            chosen += (exact or fits)[:1]
        if len(chosen) == 2:
            self.rows.append((self._unit[chosen[0]][1], self._unit[chosen[1]][1], self._score))
        else:
            self.left_out += 1
        self._language = None


def _same(found: str, wanted: str) -> bool:
    """Whether a language is the wanted one or a regional variant: EN-US for en."""
    one, other = (name.casefold().replace("_", "-") for name in (found, wanted))
    return one == other or one.startswith(f"{other}-")


def _one_line(text: str) -> str:
    if "\n" not in text:
        return text
    return " ".join(filter(None, (line.strip() for line in text.split("\n"))))


def write_tmx(
    rows: Sequence[tuple[str, str, float | None]],
    out: BinaryIO,
    languages: Languages,
    path: str | PathLike[str],
) -> None:
    """Write a unit with a score for each pair of texts.

    Characters forbidden in XML become U+FFFD, with a ``DataWarning``.
    """
    fit = Escaper()
    src, tgt = map(fit, languages)
    out.write(b'<?xml version="1.0" encoding="utf-8"?>\n<tmx version="1.4">\n')
    out.write(
        f'<header creationtool="alignframe" creationtoolversion="{__version__}" '
        'segtype="sentence" o-tmf="alignframe" adminlang="en" '
        f'srclang="{src}" datatype="plaintext"/>\n<body>\n'.encode()
    )
    for source, target, score in rows:
        known = "" if score is None else f'<prop type="score">{score!r}</prop>'
        out.write(
            f'<tu>{known}<tuv xml:lang="{src}"><seg>{fit(source)}</seg></tuv>'
            f'<tuv xml:lang="{tgt}"><seg>{fit(target)}</seg></tuv></tu>\n'.encode()
        )
    out.write(b"</body>\n</tmx>\n")
    fit.warn(path)
