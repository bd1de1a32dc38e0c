"""Beads as lines ``[0, 1]:[0]``, the notation of Vecalign and Bleualign.

Sentences count from 0; ``[]`` is an empty side. A third field, ``[0]:[0]:0.98``, is a score.
Vecalign prints a cost there (0 is best, unbounded above); this package writes a probability. The
two look alike, so the whole file decides: if any score is outside 0..1, none is kept. Vecalign
costs that are all within 0..1 are mistaken for probabilities. Lines ``SRC:`` and ``TGT:`` with the
text of a bead, an option of Vecalign, are skipped.
"""

from __future__ import annotations

import re
from os import PathLike
from typing import BinaryIO

import pyarrow as pa

from alignframe.errors import InputError
from alignframe.formats.bead_gaps import Listed, gathered
from alignframe.formats.bead_table import MAX_SENTENCE, Spans
from alignframe.read.lines import numbered_lines

_BEAD = re.compile(r"\s*\[([^\]]*)\]\s*:\s*\[([^\]]*)\]\s*(?::\s*(\S+)\s*)?")
_NUMBERS = re.compile(r"\s*\d+\s*(?:,\s*\d+\s*)*", re.ASCII)
_TEXT = re.compile(r"\s+(?:SRC|TGT): ")
_EXPECTED = "a bead such as [0, 1]:[0]"


def read_bead_lines(
    path: str | PathLike[str], doc: str, encoding: str = "utf-8", as_written: bool | None = None
) -> pa.Table:
    """Read a file of lines ``[0, 1]:[0]`` or ``[0, 1]:[0]:score``; see ``gathered``."""
    found = []
    for number, line in numbered_lines(path, encoding):
        if not line.strip() or _TEXT.match(line):
            continue
        bead = _BEAD.fullmatch(line)
        if bead is None:
            raise InputError(
                f"{line.strip()[:60]!r} is not a bead", path=path, line=number, expected=_EXPECTED
            )
        src, tgt = (_numbers(text, path, number) for text in bead.group(1, 2))
        found.append(Listed(number, src, tgt, read_score(bead.group(3), path, number)))
    return gathered(found, doc, path, as_written)


def _numbers(text: str, path: str | PathLike[str], line: int) -> list[int]:
    if not text.strip():
        return []
    if not _NUMBERS.fullmatch(text):
        what = "a negative sentence number" if "-" in text else "not a list of sentence numbers"
        raise InputError(
            f"[{text[:60]}] is {what}", path=path, line=line, expected=f"{_EXPECTED}, from 0"
        )
    numbers = [int(word) for word in text.split(",")]
    check_size(max(numbers), path, line)
    return numbers


def check_size(number: int, path: str | PathLike[str], line: int) -> None:
    """Refuse a sentence number or count that no column can hold."""
    if number > MAX_SENTENCE:
        raise InputError(
            f"the sentence number {number}",
            path=path,
            line=line,
            expected=f"up to {MAX_SENTENCE:,}",
        )


def read_score(word: str | None, path: str | PathLike[str], line: int) -> float | None:
    """Return an optional score; raise an InputError if it is not a number."""
    if word is None:
        return None
    try:
        return float(word)
    except ValueError:
        raise InputError(f"the score {word[:60]!r} is not a number", path=path, line=line) from None


def write_bead_lines(spans: Spans, scores: list[float | None], out: BinaryIO) -> None:
    """Write one line per bead, with its score, if any, as third field."""
    for (a, b, c, d), score in zip(spans.tolist(), scores, strict=True):
        third = "" if score is None else f":{score!r}"
        out.write(f"{[*range(a, b)]}:{[*range(c, d)]}{third}\n".encode())
