"""Scores of sentences from any table, in rows of a metric, a system and a sentence."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, NamedTuple

import polars as pl

from alignframe.errors import DataWarning, InputError
from alignframe.tesla.table_files import (
    LINE,
    finite_numbers,
    read_table,
    texts,
    whole_numbers,
    with_numbers,
)

SCORE = "score"


class Segments(NamedTuple):
    """Scores, a row a metric, system and sentence: the columns metric, system, sid and score.

    ``metrics`` is in the order they were given. Scores of those in ``lower`` have changed sign.
    """

    rows: pl.DataFrame
    metrics: list[str]
    lower: tuple[str, ...]


def read_segments(
    segments: Any, metrics: Sequence[str] | None = None, lower: Sequence[str] = ()
) -> Segments:
    """Return scores in long form.

    Parameters
    ----------
    segments, metrics, lower
        See ``alignframe.tesla.meta.meta``.

    Raises
    ------
    InputError
        If a table has no system, sid or score, or a metric has two scores of a translation.
    """
    given = segments if isinstance(segments, Mapping) else {None: segments}
    parts = [_melted(one, name, metrics) for name, one in given.items()]
    names = [name for _, own in parts for name in own]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"two metrics are called {twice!r}", todo="name them")
    for name in lower:
        if name not in names:
            raise InputError(f"the metric {name!r}", expected=f"some of {', '.join(names)}")
    rows = pl.concat([rows for rows, _ in parts])
    twice_rows = rows.filter(pl.struct("metric", "system", "sid").is_duplicated())
    if twice_rows.height:
        metric, system, sid = twice_rows.select("metric", "system", "sid").row(0)
        raise InputError(
            f"two scores by {metric!r} of sentence {sid} of the system {system!r}",
            expected="one each",
        )
    missing = rows["score"].null_count()
    if missing:
        text = f"{missing:,} of {rows.height:,} scores are missing, and count as none"
        warnings.warn(text, DataWarning, stacklevel=3)
    sign = pl.when(pl.col("metric").is_in(list(lower))).then(-1.0).otherwise(1.0)
    return Segments(rows.with_columns(score=pl.col("score") * sign), names, tuple(lower))


def _melted(
    given: Any, name: str | None, metrics: Sequence[str] | None
) -> tuple[pl.DataFrame, list[str]]:
    """Return the rows of one table; ``name`` is what its scores are called."""
    frame = read_table(given, "a table of scores")
    path = given if isinstance(given, (str, PathLike)) else None
    for column in ("system", "sid"):
        if column not in frame.columns:
            raise InputError(
                f"the columns {', '.join(c for c in frame.columns if c != LINE)}",
                path=path,
                expected="system, sid and score",
            )
    columns = _columns(frame, metrics)
    for column in columns:
        if column not in frame.columns:
            raise InputError(
                f"no column {column!r}",
                path=path,
                expected=f"some of {', '.join(c for c in frame.columns if c != LINE)}",
            )
    labels = columns
    if name is not None:
        labels = [name] if len(columns) == 1 else [f"{name}.{column}" for column in columns]
    keys = {
        "system": texts(frame, "system", path),
        "sid": whole_numbers(frame, "sid", path, 0),
    }
    parts = [
        pl.DataFrame({**keys, "score": finite_numbers(frame, column, path)}).select(
            pl.lit(label).alias("metric"), "system", "sid", "score"
        )
        for column, label in zip(columns, labels, strict=True)
    ]
    return pl.concat(parts), labels


def _columns(frame: pl.DataFrame, metrics: Sequence[str] | None) -> list[str]:
    """Return the columns with scores."""
    if metrics is not None:
        if not metrics:
            raise InputError("no metrics", expected="one at least")
        return list(dict.fromkeys(metrics))
    if SCORE in frame.columns:
        return [SCORE]
    found = [
        name
        for name, kind in with_numbers(frame).schema.items()
        if kind.is_numeric() and name not in ("system", "sid", LINE)
    ]
    if not found:
        raise InputError("a table without scores", expected="system, sid and score")
    return found
