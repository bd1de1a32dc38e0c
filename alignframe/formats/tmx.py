"""Translation memories (TMX 1.1 to 1.4b): units of a text in several languages.

A unit becomes a sentence on each side and a 1-1 bead, or a 1-0 or 0-1 bead if its text in one
language is blank. Native codes (``bpt``, ``ept``, ``it``, ``ph``, ``ut``) are dropped with their
text; a line break among them is a space, and so are the ends of a nested ``sub``, whose text is
kept, as that of ``hi``. White space with a line break or tab becomes a space. A bead's score is the
unit's ``<prop type="score">``, specific to this package.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from os import PathLike
from types import MappingProxyType
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from alignframe.core.lazy import __version__
from alignframe.errors import InputError, guessed, in_file
from alignframe.formats.bead_table import (
    DOCUMENT,
    BeadFile,
    BeadFormat,
    BeadReading,
    BeadWriting,
    Languages,
    bead_table,
    probabilities,
    read_number,
    warn_of,
)
from alignframe.formats.markup import Escaper, read_xml
from alignframe.formats.parallel import is_blank, joined_beads

_CODES = ("bpt", "ept", "it", "ph", "ut")
# Where a ``ph`` stood: a space if words would be joined. No XML text has this character.
_GAP = "\0"
_BREAKS = re.compile(r"</?(br|p|div|li|t[dhr]|h\d)\b|\\n|[\r\n]", re.IGNORECASE)
_SPACES = re.compile(r"[ \t]*[\t\n\v\f\r\x1c-\x1f\x85\u2028\u2029]\s*")
_CHOICE = "`languages`"


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
        two languages of the first unit that has two: the header's source language, or else the
        first one, and the next other one; ``en``, ``en-US`` and ``en_GB`` are then one language,
        unless a unit has only these.
    doc
        The document's name.

    Raises
    ------
    InputError
        If it is not a translation memory, a unit has no ``<seg>``, or none has both languages;
        gives the line.

    Examples
    --------
    >>> from alignframe import formats
    >>> texts = {"src": ["One."], "tgt": ["Un."], "languages": ("en", "fr")}
    >>> _ = formats.write_beads(formats.identity_beads(1), "memory.tmx", **texts)
    >>> beads, src, tgt = formats.read_tmx("memory.tmx")
    >>> src.to_pylist(), tgt.to_pylist()
    (['One.'], ['Un.'])
    """
    with in_file(path):
        memory = _read(BeadReading(path, doc, languages=languages))
    return memory.beads, *memory.sides


def _read(reading: BeadReading) -> BeadFile:
    units = Units(reading.path, reading.languages)
    read_xml(reading.path, units.start, units.end, units.text, ("seg", "prop"))
    languages = units.checked()
    texts = [[row[0] for row in units.rows], [row[1] for row in units.rows]]
    full = [np.array([not is_blank(text) for text in side], np.int64) for side in texts]
    some = np.flatnonzero(full[0] + full[1])
    warn_of(reading.path, len(units.rows) - len(some), "unit", "with both texts blank ignored")
    # Sentences are numbered among those that are not blank, so a blank one's span is empty.
    ends = [np.cumsum(side_full)[some] for side_full in full]
    starts = [end - side_full[some] for end, side_full in zip(ends, full, strict=True)]
    spans = np.column_stack([starts[0], ends[0], starts[1], ends[1]])
    scores = probabilities([units.rows[k][2] for k in some], reading.path)
    src, tgt = (
        pa.array([text for text in side if not is_blank(text)], pa.string()) for side in texts
    )
    return BeadFile(bead_table(reading.doc, spans, scores), (src, tgt), languages)


class Units:
    """The units of a file, in order."""

    def __init__(self, path: str | PathLike[str], languages: Languages | None) -> None:
        self.path = path
        self.rows: list[tuple[str, str, float | None]] = []
        self._given = languages
        self._wanted = languages
        self._first = languages  # the codes that are preferred to their variants
        self._taken: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
        self._seen: dict[str, None] = {}
        self._units = self._left_out = self._variants = self._unscored = 0
        self._source = ""
        self._elements: list[str] = []
        self._unit: list[tuple[str, str]] = []
        self._language: str | None = None
        self._line = 0  # of the open tuv, until it has a seg
        self._pieces: list[str] = []
        self._keeps: list[bool] = []
        self._score: float | None = None
        self._scored = False  # within a property with a score

    def start(self, name: str, attributes: dict[str, str], line: int) -> None:
        """Begin an element."""
        if not self._elements and name != "tmx":
            raise InputError(f"the root element <{name}>", expected="<tmx>")
        parent = self._elements[-1] if self._elements else ""
        self._elements.append(name)
        if self._keeps:  # inside a segment
            if name in _CODES and self._keeps[-1]:
                is_break = "lb" in attributes.get("type", "").casefold().split("-")
                self._pieces.append("\n" if is_break else _GAP * (name == "ph"))
            elif name == "sub":
                self._pieces.append("\n")
            self._keeps.append(name == "sub" or (name not in _CODES and self._keeps[-1]))
        elif name == "header":
            self._source = attributes.get("srclang", "")
        elif name == "tu":
            self._unit, self._score = [], None
            self._units += 1
        elif name == "tuv":
            self._language = attributes.get("xml:lang", attributes.get("lang"))
            if not self._language:
                raise InputError("a tuv without a language", expected="xml:lang")
            self._seen[self._language] = None
            self._line = line
        elif name == "seg":
            self._pieces, self._keeps, self._line = [], [True], 0
        elif name == "prop" and parent == "tu" and attributes.get("type") == "score":
            self._pieces, self._scored = [], True

    def text(self, piece: str) -> None:
        """Add to the text of an element."""
        if self._scored or (self._keeps and self._keeps[-1]):
            self._pieces.append(piece)
        elif self._keeps and _BREAKS.search(piece):  # a code for a line break
            self._pieces.append("\n")

    def end(self, name: str) -> None:
        """End an element."""
        self._elements.pop()
        if self._keeps:
            self._keeps.pop()
            if name == "sub":
                self._pieces.append("\n")
            if not self._keeps and self._language is not None:
                self._unit.append((self._language, _plain("".join(self._pieces))))
        elif self._scored:
            self._score = read_number("".join(self._pieces).strip())
            self._unscored += self._score is None
            self._scored = False
        elif name == "tuv" and self._line:
            raise InputError(
                "a tuv without <seg>",
                line=self._line,
                expected="its text in <seg>...</seg>",
            )
        elif name == "tu":
            self._finish()

    def _finish(self) -> None:
        names = [language for language, _ in self._unit]
        if self._wanted is None:
            self._choose(names)
        chosen: list[int] = []
        for wanted, first in zip(self._wanted or (), self._first or (), strict=True):
            fits = [
                k for k, name in enumerate(names) if same_language(name, wanted) and k not in chosen
            ]
            exact = [k for k in fits if names[k].casefold() == first.casefold()]
            # A unit may have a language several times, as en-GB and en-US; the first one is taken.
            self._variants += max(len(exact or fits) - 1, 0)
            chosen += (exact or fits)[:1]
        if len(chosen) == 2:
            self.rows.append((self._unit[chosen[0]][1], self._unit[chosen[1]][1], self._score))
            for side, k in zip(self._taken, chosen, strict=True):
                side[names[k]] += 1
        else:
            self._left_out += 1

    def _choose(self, names: list[str]) -> None:
        """Choose the languages by a unit, unless it has only one."""
        src = next(filter(self._is_source, names), names[0] if names else "")
        others = [name for name in names if name.casefold() != src.casefold()]
        if not others:
            return
        # Another variety of the source language is a translation only if there is nothing else.
        tgt = next((name for name in others if _base(name) != _base(src)), others[0])
        self._first = src, tgt
        bases = _base(src), _base(tgt)
        self._wanted = bases if bases[0] != bases[1] else self._first

    def _is_source(self, language: str) -> bool:
        return bool(self._source) and same_language(language, self._source)

    def checked(self) -> Languages:
        """Return the languages taken; warn of the rest, and refuse a file without units in two."""
        known = ", ".join(self._seen)
        if not self._units:
            raise InputError("no units", expected="translation units, <tu>")
        if not self.rows:
            raise InputError(
                f"no unit in {' and '.join(self._wanted or ('two languages',))}; the file's "
                f"languages: {known or 'none'}",
                expected="units with a text in each of two languages",
                todo=f"name two of the file's with {_CHOICE}" if self._given else "",
            )
        src, tgt = (" and ".join(side) for side in self._taken)
        taken = {*self._taken[0], *self._taken[1]}
        others = [name for name in self._seen if name not in taken]
        if others and self._given is None:
            warn_of(
                self.path,
                len(self._seen),
                "language",
                f"in it, {src} taken as source and {tgt} as target, not {', '.join(others)}; "
                f"choose two with {_CHOICE}",
            )
        elif self._given is None and (len(taken) > 2 or not self._is_source(src)):
            guessed(self.path, languages=f"{src} as source, {tgt} as target")
        wanted = " and ".join(self._wanted or ())
        said = f"without both {wanted} left out; its languages: {known}"
        warn_of(self.path, self._left_out, "unit", said)
        warn_of(
            self.path, self._variants, "further text", "of a unit in a language it had left out"
        )
        warn_of(self.path, self._unscored, "score", "that is not a number left out")
        source, target = (side.most_common(1)[0][0] for side in self._taken)
        return source, target


def _base(language: str) -> str:
    return re.split("[-_]", language.casefold())[0]


def same_language(given: str, wanted: str) -> bool:
    """Whether a language is the wanted one or a regional variant: EN-US for en."""
    language, code = (name.casefold().replace("_", "-") for name in (given, wanted))
    return language == code or language.startswith(f"{code}-")


def _plain(text: str) -> str:
    """Return a segment in one line, and a space where a code stood between two words."""
    text = re.sub(rf"(?<=[^\s(\[{{<'’-]){_GAP}+(?=\w)", " ", text).replace(_GAP, "")
    return _SPACES.sub(" ", text).strip() if _SPACES.search(text) else text


def _texts(beads: BeadWriting) -> tuple[list[str], list[str]]:
    src, tgt = beads.sides
    if src is None or tgt is None:
        raise InputError(
            "no sentences",
            expected="the text of both sides, for tmx",
            todo="give `src` and `tgt`",
        )
    return src, tgt


def _write(beads: BeadWriting, out: BinaryIO) -> int:
    """Write a unit with a score for each bead with two sides."""
    fit = Escaper()
    src = fit(beads.languages[0])
    out.write(b'<?xml version="1.0" encoding="utf-8"?>\n<tmx version="1.4">\n')
    out.write(f"{header_of(src)}\n<body>\n".encode())
    rows = joined_beads(beads.spans, beads.scores, _texts(beads), beads.path)
    for source, target, score in rows:
        unit = unit_of((source, target), score, beads.languages, fit)
        out.write(f"{unit}\n".encode())
    out.write(b"</body>\n</tmx>\n")
    fit.warn(beads.path)
    return len(rows)


def header_of(language: str) -> str:
    """Return the header of a file, whose source language is given."""
    return (
        f'<header creationtool="alignframe" creationtoolversion="{__version__}" '
        'segtype="sentence" o-tmf="alignframe" adminlang="en" '
        f'srclang="{language}" datatype="plaintext"/>'
    )


def unit_of(
    texts: tuple[str, str],
    score: float | None,
    languages: Languages,
    fit: Escaper,
    name: object = None,
    notes: Mapping[str, object] = MappingProxyType({}),
) -> str:
    """Return a unit of two texts, with its score and notes as properties."""
    told = {**({} if score is None else {"score": score}), **notes}
    props = "".join(
        f'<prop type="{fit(key)}">{fit(str(value))}</prop>' for key, value in told.items()
    )
    sides = "".join(
        f'<tuv xml:lang="{fit(language)}"><seg>{fit(text)}</seg></tuv>'
        for language, text in zip(languages, texts, strict=True)
    )
    own = "" if name is None else f' tuid="{fit(str(name))}"'
    return f"<tu{own}>{props}{sides}</tu>"


TMX = BeadFormat("tmx", _read, _write, root="tmx", has_base=False)
