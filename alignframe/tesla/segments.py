"""Sentence scores from any table, one row per metric, system and sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from typing import Any, NamedTuple

import polars as pl

from alignframe.errors import InputError, check_known, in_file, warn
from alignframe.read.opening import table_suffix
from alignframe.read.tables import (
    LINE,
    finite_numbers,
    read_table,
    stored_signature,
    texts,
    whole_numbers,
    with_numbers,
)
from alignframe.tesla.score_files import read_scr
from alignframe.typing import IntoFrame

SCORE = "score"
CONSENSUS = "consensus"


def read_features(given: IntoFrame) -> tuple[pl.DataFrame, str]:
    """Return a table of features, and the signature of its scores, if known."""
    if isinstance(given, pl.DataFrame):
        _check_columns(given)
        return given, ""
    with in_file(given):
        frame = read_table(given, "a table of features")
        _check_columns(frame)
        if not isinstance(given, (str, PathLike)):
            return frame.drop(LINE), ""
        keys = texts(frame, "system"), whole_numbers(frame, "sid", 0)
    frame = with_numbers(frame.drop(LINE)).with_columns(*keys)
    return frame, stored_signature(given)


def _check_columns(frame: pl.DataFrame) -> None:
    for name in ("system", "sid"):
        if name not in frame.columns:
            raise InputError(
                f"the columns {', '.join(c for c in frame.columns if c != LINE)}",
                expected=f"{name} as well",
            )


class Segments(NamedTuple):
    """Scores: the columns metric, system, sid and score, one row for each of the first three."""

    rows: pl.DataFrame
    metrics: list[str]  # in the given order
    lower: tuple[str, ...]  # those whose scores are negated
    # The original tables, with further columns about sentences.
    tables: tuple[pl.DataFrame, ...] = ()

    def every_column(self) -> pl.DataFrame:
        """Concatenate the tables; missing columns are null."""
        parts = [with_numbers(table) for table in self.tables]
        try:
            return pl.concat(parts, how="diagonal_relaxed")
        except pl.exceptions.PolarsError as error:
            raise InputError(
                f"columns of the same name with different types ({str(error).splitlines()[0]})",
                todo="give sentences as a list",
            ) from None

    def with_consensus(self) -> Segments:
        """Return the same with one more metric, the consensus of all."""
        if len(self.metrics) < 2:
            raise InputError("the consensus of one metric", expected="at least two")
        if CONSENSUS in self.metrics:
            raise InputError(f"a metric called {CONSENSUS!r}", todo="name it differently")
        # Minus the mean rank of a translation by the metrics, among the translations of its
        # sentence that all of them score; ties get the mean rank.
        shared = pl.len().over("system", "sid") == len(self.metrics)
        score = pl.col("score").round_sig_figs(12)  # equal scores may differ by rounding
        rank = score.rank("average", descending=True).over("metric", "sid")
        ranked = self.rows.drop_nulls("score").filter(shared).with_columns(rank=rank)
        mean = ranked.group_by("system", "sid", maintain_order=True).agg(score=-pl.mean("rank"))
        added = mean.select(pl.lit(CONSENSUS).alias("metric"), "system", "sid", "score")
        return self._replace(rows=pl.concat([self.rows, added]), metrics=[*self.metrics, CONSENSUS])


def read_segments(
    segments: object,
    metrics: Sequence[str] | None = None,
    lower: Sequence[str] = (),
) -> Segments:
    """Return scores in long form; see ``alignframe.tesla.meta.meta``."""
    given = segments if isinstance(segments, Mapping) else {None: segments}
    parts = []
    for name, scores_given in given.items():
        with in_file(scores_given):
            parts.append(_melted(scores_given, name, metrics))
    names = [name for _, own, _ in parts for name in own]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"two metrics are called {twice!r}", todo="name them")
    for name in lower:
        check_known("metric in `lower`", name, names)
    rows = pl.concat([rows for rows, _, _ in parts])
    missing = rows["score"].null_count()
    if missing:
        text = f"missing scores: {missing:,} of {rows.height:,}; they count as unscored"
        warn(text)
    sign = pl.when(pl.col("metric").is_in(list(lower))).then(-1.0).otherwise(1.0)
    tables = tuple(table for _, _, table in parts)
    return Segments(rows.with_columns(score=pl.col("score") * sign), names, tuple(lower), tables)


def _melted(
    given: object, name: str | None, metrics: Sequence[str] | None
) -> tuple[pl.DataFrame, list[str], pl.DataFrame]:
    """Return the rows of one table, their metrics, and the table; ``name`` is the table's."""
    path = given if isinstance(given, (str, PathLike)) else None
    if path is not None and table_suffix(path) == ".scr":
        frame = read_scr(path)
    else:
        frame = read_table(given, "a table of scores")
    for column in ("system", "sid"):
        if column not in frame.columns:
            raise InputError(
                f"the columns {', '.join(c for c in frame.columns if c != LINE)}",
                expected="system, sid and score",
            )
    columns = _columns(frame, metrics)
    for column in columns:
        if column not in frame.columns:
            raise InputError(
                f"no column {column!r} (`metrics`)",
                expected=f"columns among {', '.join(c for c in frame.columns if c != LINE)}",
            )
    labels = columns
    if name is not None:
        labels = [name] if len(columns) == 1 else [f"{name}.{column}" for column in columns]
    keys = {
        "system": texts(frame, "system"),
        "sid": whole_numbers(frame, "sid", 0),
    }
    parts = [
        pl.DataFrame({**keys, "score": finite_numbers(frame, column)}).select(
            pl.lit(label).alias("metric"), "system", "sid", "score"
        )
        for column, label in zip(columns, labels, strict=True)
    ]
    _check_sids(parts[0], frame[LINE], labels, path)
    return pl.concat(parts), labels, frame.drop(LINE).with_columns(keys["sid"].alias("sid"))


def _check_sids(rows: pl.DataFrame, lines: pl.Series, labels: Sequence[str], path: Any) -> None:
    """Refuse duplicate sentences of a system; warn if sentences seem to count from 1."""
    twice = rows.select(pl.struct("system", "sid").is_duplicated()).to_series()
    if twice.any():
        at = int(twice.arg_true()[0])
        system, sid = rows.select("system", "sid").row(at)
        first, again = lines.filter((rows["system"] == system) & (rows["sid"] == sid)).to_list()[:2]
        raise InputError(
            f"two scores by {labels[0]!r} of sentence {sid} of the system {system!r}"
            + (f", also on line {first}" if path is not None else ""),
            line=None if path is None else again,
            expected="one each",
        )
    sids = rows["sid"].unique()
    if sids.min() == 1 and sids.max() == len(sids):
        name = f"the scores of {labels[0]!r}" if path is None else fspath(path)
        warn(
            f"{name}: the sids are 1 to {len(sids):,}, without 0; sid counts from 0, so subtract "
            "1 from each if these count from 1"
        )


def _columns(frame: pl.DataFrame, metrics: Sequence[str] | None) -> list[str]:
    """Return the columns with scores."""
    if metrics is not None:
        if not metrics:
            raise InputError("no metrics", expected="at least one")
        return list(dict.fromkeys(metrics))
    if SCORE in frame.columns:
        return [SCORE]
    numeric = [
        name
        for name, kind in with_numbers(frame).schema.items()
        if kind.is_numeric() and name not in ("system", "sid", LINE)
    ]
    if not numeric:
        raise InputError("a table without scores", expected="system, sid and score")
    return numeric
