"""Translation memories (TMX 1.1 to 1.4b): units of a text in several languages.

A unit becomes a sentence on each side and a 1-1 bead, or a 1-0 or 0-1 bead if its text in one
language is blank. Native codes (``bpt``, ``ept``, ``it``, ``ph``, ``ut``) are dropped with their
text; a line break among them is a space, and so are the ends of a nested ``sub``, whose text is
kept, as that of ``hi``. White space with a line break or tab becomes a space. A bead's score is the
unit's ``<prop type="score">``, specific to this package.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from types import MappingProxyType
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from alignframe.core.lazy import __version__
from alignframe.errors import InputError, in_file
from alignframe.formats.bead_table import (
    DOCUMENT,
    BeadFile,
    BeadFormat,
    BeadReading,
    BeadWriting,
    Languages,
    bead_table,
    probabilities,
    warn_of,
)
from alignframe.formats.markup import Escaper, read_xml
from alignframe.formats.parallel import is_blank, joined_beads
from alignframe.formats.tmx_reading import Units


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
