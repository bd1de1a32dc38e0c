"""Beads as lines ``[0, 1]:[0]``, the notation of Vecalign and Bleualign.

Sentences count from 0; ``[]`` is an empty side. A third field, ``[0]:[0]:0.98``, is a score.
Vecalign prints a cost there (0 is best, unbounded above); this package writes a probability. The
two look alike, so the whole file decides: if any score is outside 0..1, none is kept. Vecalign
costs that are all within 0..1 are mistaken for probabilities. Lines ``SRC:`` and ``TGT:`` with the
text of a bead, an option of Vecalign, are skipped.

Other programs' lines are read too: ``alignment: 0,1 - 0`` of Bleualign -v, ``0,1 <=> 0`` with
``omitted`` for an empty side, and the list ``[([0, 1], [0]), ...]`` of Bertalign.
"""

from __future__ import annotations

import re
from typing import BinaryIO

from alignframe.core.tokens import number_in
from alignframe.errors import InputError, in_file
from alignframe.formats.bead_gaps import Listed, gathered
from alignframe.formats.bead_table import (
    BeadFile,
    BeadFormat,
    BeadReading,
    BeadWriting,
    check_size,
    read_score,
)

_BEAD = re.compile(r"\s*\[([^\]]*)\]\s*:\s*\[([^\]]*)\]\s*(?::\s*(\S+)\s*)?")
_OTHERS = (
    re.compile(r"\s*alignment:([\d,\s]*)-([\d,\s]*)", re.ASCII),
    re.compile(r"\s*(omitted\s*|\d[\d,\s]*)<=>(\s*omitted\s*|[\d,\s]+)", re.ASCII),
)
_PAIR = re.compile(r"[\[,\s]*\(\s*\[([\d,\s]*)\]\s*,\s*\[([\d,\s]*)\]\s*\)[\],\s]*", re.ASCII)
_NUMBERS = re.compile(r"\s*\d+\s*(?:,\s*\d+\s*)*", re.ASCII)
# Vecalign can print the sentences of a bead below it.
_TEXT = re.compile(r"\s+(?:SRC|TGT): ")
_EXPECTED = "a bead such as [0, 1]:[0]"


def _read(reading: BeadReading) -> BeadFile:
    """Read a file of lines ``[0, 1]:[0]`` or ``[0, 1]:[0]:score``; see ``gathered``."""
    beads = []
    with in_file(None) as place:
        for place.line, line in reading.text.lines():
            if not line.strip() or _TEXT.match(line):
                continue
            for one, other, score in _sides(line):
                src, tgt = (_numbers(text, reading.base or 0) for text in (one, other))
                beads.append(Listed(place.line, src, tgt, read_score(score)))
    return BeadFile(gathered(beads, reading))


def _sides(line: str) -> list[tuple[str, str, str | None]]:
    """Return both sides of the beads on a line as texts, with a score."""
    bead = _BEAD.fullmatch(line)
    if bead is not None:
        return [(bead[1], bead[2], bead[3])]
    for form in _OTHERS:
        if other := form.fullmatch(line):
            return [(other[1].replace("omitted", ""), other[2].replace("omitted", ""), None)]
    pairs: list[tuple[str, str, str | None]] = []
    at = 0
    while pair := _PAIR.match(line, at):  # each where the last ended: a search would be slow
        pairs.append((pair[1], pair[2], None))
        at = pair.end()
    if at < len(line):
        raise InputError(f"{line.strip()[:60]!r} is not a bead", expected=_EXPECTED)
    return pairs


def _numbers(text: str, base: int) -> list[int]:
    if not text.strip():
        return []
    if not _NUMBERS.fullmatch(text):
        what = "a negative sentence number" if "-" in text else "not a list of sentence numbers"
        raise InputError(f"[{text[:60]}] is {what}", expected=f"{_EXPECTED}, from 0")
    numbers = [number_in(word) - base for word in text.split(",")]
    check_size(numbers, base)
    return numbers


def _write(beads: BeadWriting, out: BinaryIO) -> int:
    """Write one line per bead, with its score, if any, as third field."""
    for (a, b, c, d), score in zip(beads.spans.tolist(), beads.scores, strict=True):
        third = "" if score is None else f":{score!r}"
        out.write(f"{[*range(a, b)]}:{[*range(c, d)]}{third}\n".encode())
    return len(beads.spans)


VECALIGN = BeadFormat(
    "vecalign",
    _read,
    _write,
    line=re.compile(
        r"\[[^\]]*\]\s*:\s*\[.*|\[?\s*\(\s*\[[\d,\s]*\]\s*,\s*\[.*|"
        + "|".join(form.pattern for form in _OTHERS),
        re.ASCII,
    ),
)
