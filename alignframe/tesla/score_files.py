"""Reading sentence scores of other programs: METEOR, mteval, and the WMT metrics task.

A ``.scr`` file has one line per sentence and system with tab-separated fields: metric, pair, test
set, system, segment and score at WMT; test set, system, document, segment and score from METEOR and
mteval with SGML. Segments count from 1. For plain text, METEOR prints the scores of one system,
among other lines: ``Segment 1 score: 0.44``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from os import PathLike
from pathlib import Path

import polars as pl

from alignframe.errors import InputError, in_file
from alignframe.read.lines import TextFile
from alignframe.read.parquet import is_parquet
from alignframe.read.tables import LINE
from alignframe.tesla.system_files import system_files

_EXPECTED = (
    "metric, language pair, test set, system, segment from 1 and score, separated by tabs; or test "
    "set, system, document, segment and score"
)
_METEOR = re.compile(r"Segment (\d+) score:\s*(\S+)")


def read_scr(path: str | PathLike[str]) -> pl.DataFrame:
    """Return a file's scores, one row per translation: ``LINE``, system, sid (from 0) and score."""
    with in_file(path):
        rows: list[tuple[object, ...]] = []
        first: list[str] = []
        for number, text in TextFile(path).lines():
            if not text.strip():
                continue
            cells = [cell.strip() for cell in text.split("\t")]
            sound = len(cells) in (5, 6) and all(cells) and cells[-2].isdecimal()
            if not sound or int(cells[-2]) < 1:
                raise InputError(f"{text[:60]!r}", line=number, expected=_EXPECTED)
            *about, segment, score = cells
            # The system is the last of the four fields of WMT, the second of the three of METEOR.
            system = about.pop(-1 if len(cells) == 6 else 1)
            first = first or about
            if about != first:
                raise InputError(
                    " ".join(about),
                    line=number,
                    expected=f"{' '.join(first)}, as above",
                    todo="put each metric, language pair, test set and document into "
                    "a separate file",
                )
            rows.append((number, system, int(segment) - 1, score))
        if not rows:
            raise InputError("the file has no line", expected=_EXPECTED)
    return pl.DataFrame(rows, [LINE, "system", "sid", "score"], orient="row")


def is_score_folder(given: object) -> bool:
    """Whether something is a folder with a file of scores for each system."""
    if not isinstance(given, (str, PathLike)) or not Path(given).is_dir():
        return False
    return not any(map(is_parquet, Path(given).iterdir()))


def read_score_files(folder: str | PathLike[str], systems: Iterable[str]) -> pl.DataFrame:
    """Return the scores in a folder with one file per system, one row per translation.

    Parameters
    ----------
    folder
        Files have METEOR's output, or one number per line; for names see ``system_files``.
    systems
        The systems' names.

    Returns
    -------
    polars.DataFrame
        The columns system, sid (from 0) and score.

    Raises
    ------
    InputError
        If a system has no file, a line is not a score, or files differ in their number of
        sentences.

    Examples
    --------
    >>> from pathlib import Path
    >>> from alignframe import tesla
    >>> _ = Path("careful.txt").write_text("0.5")
    >>> tesla.read_score_files(".", ["careful"]).rows()
    [('careful', 0, 0.5)]
    """
    parts = []
    for system, path in system_files(folder, systems).items():
        with in_file(path):
            scores = _scores(list(TextFile(path).lines()))
            parts.append(
                pl.DataFrame({"system": system, "sid": range(len(scores)), "score": scores})
            )
            if len(scores) != parts[0].height:
                raise InputError(
                    f"{len(scores):,} scores", expected=f"{parts[0].height:,} as others have"
                )
    return pl.concat(parts)


def _scores(lines: list[tuple[int, str]]) -> list[float]:
    """Return the scores of one system, in the order of its sentences."""
    of_meteor = [(number, m) for number, text in lines if (m := _METEOR.match(text))]
    scores = []
    with in_file(None) as place:
        if not of_meteor:
            for place.line, text in lines:
                scores.append(_number(text))
        for at, (place.line, segment) in enumerate(of_meteor, 1):
            if int(segment[1]) != at:
                raise InputError(f"segment {segment[1]}", expected=f"{at}")
            scores.append(_number(segment[2]))
    return scores


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(
            f"{text[:60]!r}",
            expected="a score per line, or what METEOR prints",
        ) from None
