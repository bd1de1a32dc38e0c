"""Checks of tables of counts."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import polars.selectors as cs

from alignframe.errors import InputError, number_of
from alignframe.typing import IntoFrame


def checked_counts(
    counts: IntoFrame,
    names: Sequence[str],
    keys: Sequence[str],
    what: str,
    limits: Sequence[tuple[str, str]] = (),
) -> pl.DataFrame:
    """Return a table of the counts ``names`` as a frame; see ``Measure.limits``."""
    # It imports all formats, which scores of a lake's counts do not need.
    from alignframe.sources.words import frame_of

    frame = frame_of(counts, what, [*keys, *names])
    if "system" in keys:
        frame = frame.with_columns(pl.col("system").cast(pl.String))
        if frame["system"].null_count():
            raise InputError(f"{what} has rows without a system", expected="a name in each")
    for name in names:
        column = frame[name]
        if not column.dtype.is_numeric():
            raise InputError(
                f"{what} has a column {name} of type {column.dtype}",
                expected="a number in every row",
            )
        wrong = column.filter(~column.is_finite().fill_null(False))
        if len(wrong):
            value = "missing" if wrong[0] is None else wrong[0]
            raise InputError(
                f"{what} has {value} values in the column {name} ({number_of(len(wrong), 'row')})",
                expected="a finite number in every row",
            )
    for part, most in limits:
        rows = frame.filter((pl.col(part) < 0) | (pl.col(part) > pl.col(most)))
        if rows.height:
            raise InputError(
                f"{what} has {rows[part][0]} as {part} and {rows[most][0]} as {most} "
                f"({number_of(rows.height, 'row')})",
                expected=f"counts from 0, and {part} at most {most}",
            )
    return summable(frame, names)


def check_once(counts: pl.DataFrame, keys: Sequence[str], unit: str) -> None:
    """Refuse a sentence counted twice; rows of other units are summed."""
    if unit not in counts.columns:
        return
    if counts[unit].null_count():
        raise InputError(f"a row without {unit}", expected="what is resampled, in every row")
    if unit == "sid":
        again = counts.filter(pl.struct(*dict.fromkeys([*keys, unit])).is_duplicated())
        if again.height:
            raise InputError(
                f"the system {again['system'][0]!r} has counts of sid {again[unit][0]} more than "
                "once",
                expected="one row per sentence",
                todo="sum its rows, group by a column that distinguishes them, or name another "
                "column to resample (unit)",
            )


def lacking(counts: pl.DataFrame, unit: str, group: str = "") -> InputError | None:
    """Return the error for the first system that lacks units of others, perhaps in a group."""
    units = counts[unit].n_unique()
    numbers = counts.group_by("system").agg(pl.col(unit).n_unique()).sort("system")
    for system, own in numbers.iter_rows():
        if own < units:
            return InputError(
                f"the system {system!r} has {own:,} of {units:,} units ({unit})"
                + f" of {group}" * bool(group),
                expected="the same units for every system",
                todo="add a row of zeros where a system has nothing to count",
            )
    return None


def summable(counts: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Return counts as Int64, because 32-bit sums overflow and unsigned differences wrap."""
    return counts.with_columns((cs.by_name(names) & cs.integer()).cast(pl.Int64))
