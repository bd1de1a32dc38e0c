"""METEOR's ``.rank`` files: one line per human preference between two translations.

A line is ``segment TAB pair TAB better TAB pair TAB worse``: the segment from 1, the language pair
such as ``fr-en``, and the names of the two systems. These files have no ties, and do not show which
lines are from the same ranking: each line becomes a ranking of two.
"""

from __future__ import annotations

import re
from os import PathLike

import polars as pl

from alignframe.errors import InputError
from alignframe.read.lines import TextFile
from alignframe.read.tables import LINE

_FROM_1 = re.compile(r"0{,9}[1-9]\d{,9}", re.ASCII)
_EXPECTED = "segment, pair, better system, pair, other system, separated by tabs"


def read_meteor_ranks(path: str | PathLike[str]) -> pl.DataFrame:
    """Return a file's rankings, each of two: ``LINE`` and the columns of long rankings."""
    rows: list[tuple[object, ...]] = []
    for number, text in TextFile(path).lines():
        if not text.strip():
            continue
        cells = [cell.strip() for cell in text.split("\t")]
        if len(cells) != 5 or not all(cells) or not _FROM_1.fullmatch(cells[0]):
            raise InputError(f"{text[:60]!r}", line=number, expected=_EXPECTED)
        segment, pair, better, other, worse = cells
        languages = pair.split("-")
        if pair != other or len(languages) != 2:
            raise InputError(
                f"the language pairs {pair} and {other}",
                line=number,
                expected="the same one twice, such as fr-en",
            )
        for rank, system in ((1, better), (2, worse)):
            rows.append((number, len(rows) // 2, int(segment) - 1, system, rank, *languages))
    if not rows:
        raise InputError("the file has no line", expected=_EXPECTED)
    names = [LINE, "ranking", "sid", "system", "rank", "srclang", "trglang"]
    return pl.DataFrame(rows, names, orient="row")
