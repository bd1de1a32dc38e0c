"""Scores of sentences as the metrics task of WMT collected them, METEOR's among them.

A line of such a ``.scr`` file is ``metric TAB pair TAB test set TAB system TAB segment TAB score``:
the language pair such as ``fr-en``, and the segment from 1.
"""

from __future__ import annotations

from os import PathLike
from typing import Any

import polars as pl

from alignframe.errors import InputError
from alignframe.formats.lines import numbered_lines
from alignframe.table_files import LINE

_EXPECTED = "metric, language pair, test set, system, segment from 1 and score, separated by tabs"


def read_scr(path: str | PathLike[str]) -> pl.DataFrame:
    """Return a file's scores, one row per translation.

    Returns
    -------
    polars.DataFrame
        The columns ``LINE``, system, sid (from 0) and score.

    Raises
    ------
    InputError
        With the file and the line, if a line is of another layout, or of another metric, language
        pair or test set than the first.
    """
    rows: list[tuple[Any, ...]] = []
    first: list[str] = []
    for number, text in numbered_lines(path, None):
        if not text.strip():
            continue
        cells = [cell.strip() for cell in text.split("\t")]
        if len(cells) != 6 or not all(cells) or not cells[4].isdecimal() or int(cells[4]) < 1:
            raise InputError(f"{text[:60]!r}", path=path, line=number, expected=_EXPECTED)
        first = first or cells[:3]
        if cells[:3] != first:
            raise InputError(
                " ".join(cells[:3]),
                path=path,
                line=number,
                expected=f"{' '.join(first)}, as above",
                todo="put each metric, language pair and test set into a file of its own",
            )
        rows.append((number, cells[3], int(cells[4]) - 1, cells[5]))
    if not rows:
        raise InputError("the file has no line", path=path, expected=_EXPECTED)
    return pl.DataFrame(rows, [LINE, "system", "sid", "score"], orient="row")
