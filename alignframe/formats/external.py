"""Files of external scores, such as BLEU: one row per system, with the columns system and score.

A column ``group`` may name groups of systems, such as a symmetrization heuristic.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from os import PathLike, fspath
from typing import Any

import pyarrow as pa

from alignframe.errors import InputError, in_file, warn
from alignframe.read.tables import LINE, read_table

_WANTED = "one row per system with the columns system, score and optionally group"

# Numbers in text; float() would also accept 1_000 and digits of other scripts.
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")

Row = tuple[int, dict[str, object]]
"""The number of a line, from 1, and its cells by column."""


def read_external(path: str | PathLike[str]) -> pa.Table:
    """Read external scores from .csv, .tsv, .jsonl or .parquet.

    Parameters
    ----------
    path
        A file with the columns system and score, and optionally group; CSV needs a header. Other
        columns are ignored, with a warning.

    Returns
    -------
    pyarrow.Table
        The columns system (text), score (64-bit float) and, if present, group (text; ``none`` for a
        system without one).

    Raises
    ------
    InputError
        If the file cannot be read, or a row lacks a system or a finite score, or repeats a system.

    Examples
    --------
    >>> from alignframe import formats
    >>> formats.read_external("datasets/en-fr/scores.csv").to_pylist()[0]
    {'system': 'cautious', 'score': 25.5, 'group': 'alone'}
    """
    frame = read_table(path, "a table of scores")
    heads = [name for name in frame.columns if name != LINE]
    with in_file(path):
        for name in ("system", "score"):
            if name not in heads:
                raise InputError(
                    f"the columns {', '.join(map(repr, heads))}",
                    expected=f"one column {name!r}",
                    todo="begin with the line system,score (.csv: commas, .tsv: tabs)",
                )
        rows = frame.iter_rows(named=True)
        return _table(((row.pop(LINE), row) for row in rows), path)


def _table(rows: Iterator[Row], path: str | PathLike[str]) -> pa.Table:
    """Return checked rows as a table."""
    lines: dict[str, int | None] = {}
    scores: list[float] = []
    groups: list[str] = []
    grouped, other = False, dict[str, None]()
    with in_file(path) as place:
        for place.line, row in rows:
            system = row.get("system")
            # A blank name would be a system of its own.
            if system is None or not str(system).strip():
                raise InputError("a row without a system", expected=_WANTED)
            if str(system) in lines:
                raise InputError(
                    f"the system {str(system)!r} again, after line {lines[str(system)]}",
                    expected="one score per system",
                )
            lines[str(system)] = place.line
            scores.append(_score(row.get("score"), str(system)))
            grouped = grouped or "group" in row
            group = row.get("group")
            groups.append("none" if group is None or not str(group).strip() else str(group))
            other |= dict.fromkeys(key for key in row if key not in ("system", "score", "group"))
    if not lines:
        raise InputError("no scores", expected=_WANTED)
    if other:
        warn(f"{fspath(path)}: {len(other):,} other columns were ignored: {', '.join(other)}")
    columns: dict[str, pa.Array] = {
        "system": pa.array(list(lines), pa.string()),
        "score": pa.array(scores, pa.float64()),
    }
    if grouped:
        columns["group"] = pa.array(groups, pa.string())
    return pa.table(columns)


def _score(value: Any, system: str) -> float:
    if value is None or value == "":
        raise InputError(f"no score for the system {system!r}", expected="a number")
    try:
        # float() would take True as 1, and texts such as 1_000 or nan.
        refused = isinstance(value, (bool, list, dict)) or (
            isinstance(value, str) and not _NUMBER.fullmatch(value)
        )
        score = math.nan if refused else float(value)
    except (TypeError, ValueError):
        score = math.nan
    if not math.isfinite(score):
        raise InputError(
            f"the score {value!r} of the system {system!r}",
            expected="a finite number, with a point before its decimals",
        )
    return score
