"""Tables of pages, with a common format for figures, intervals and best values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import polars as pl

from alignframe.core.rounding import DIGITS, adding_up, digits_for, printed
from alignframe.pages.page import Table
from alignframe.pages.theme import heading
from alignframe.stats.conclusions import leaders, tested, uncorrected

Form = str | Callable[[Any], str]
"""How a figure is written: as Python formats it, or by a function."""

UNDEFINED = "undefined"


def score_table(
    frame: pl.DataFrame,
    columns: Mapping[str, str],
    *,
    best: Mapping[str, pl.Expr] | None = None,
    form: Form | None = None,
    forms: Mapping[str, Form] | None = None,
    blank: pl.Expr | bool = False,
    **look: Any,
) -> Table:
    """Return a frame as a table of a page.

    Text is unchanged; whole numbers get thousands separators. If the frame has ``x_low`` and
    ``x_high``, the interval is shown below ``x``. ``best`` has the rows whose figure is marked, by
    column; undefined figures never are. Decimals have four digits by default, or two for figures
    above 10. Undefined values are left empty in columns where ``blank``. ``look`` has title,
    caption and wide of the ``Table``; and texts, by default the number of leading text columns.
    """
    forms = forms or {}
    empty = frame.with_columns(empty_=blank)["empty_"]
    shown: list[list[str]] = []
    strong: set[tuple[int, int]] = set()
    for at, name in enumerate(columns):
        shown.append(_cells(frame, name, forms.get(name, form), empty))
        if best and name in best:
            marked = frame.select(best[name] & (pl.col(name).cast(pl.String) != "NaN"))
            strong |= {(row, at) for row in marked.to_series().fill_null(False).arg_true()}
    words = [frame.schema[name] == pl.String for name in columns]
    look.setdefault("texts", (*words, False).index(False))
    return Table(list(columns.values()), _rows(shown), frozenset(strong), **look)


def leading(
    scores: pl.DataFrame, differences: pl.DataFrame, lower_is_better: Collection[str] = ()
) -> dict[str, pl.Expr]:
    """Return the leaders of each measure of ``differences``, to be marked by ``score_table``."""
    tested = differences.partition_by("measure", as_dict=True) if differences.height else {}
    return {
        name: pl.col("system").is_in(leaders(scores, rows, name, lower_is_better))
        for (name,), rows in tested.items()
    }


def differences_tables(
    tests: pl.DataFrame, scores: pl.DataFrame, lower_is_better: Collection[str] = ()
) -> list[Table]:
    """Return the table of tests against a baseline, with the digits of the scores, if any."""
    if not tests.height:
        return []
    heads = {"system": "System", "measure": "Measure"}
    heads |= {"value": "Value", "difference": "Difference", "p_corrected": "p"}
    rows: list[Sequence[str]] = []
    for test in tests.iter_slices(1):
        name = test["measure"][0]
        digits = digits_for(scores[name])
        forms = dict.fromkeys(("value", "difference"), f".{digits}f")
        own = adding_up(test, digits=digits).with_columns(measure=pl.lit(heading(name)))
        rows += score_table(own, heads, forms={**forms, "p_corrected": p_value}).rows
    lower = [
        name for name in tests["measure"].unique(maintain_order=True) if name in lower_is_better
    ]
    said = [f"Lower {' and '.join(map(heading, lower))} is better."] * bool(lower)
    caption = " ".join(filter(None, [*said, tested(tests), uncorrected(tests)]))
    title = f"Differences from {tests['baseline'][0]}"
    look: Any = {"texts": 2, "caption": caption, "wide": True}
    return [
        Table([*heads.values()], rows, title=title, picks={"other": tests["baseline"][0]}, **look)
    ]


def number(value: float | None, form: Form = ".4f") -> str:
    """Return a figure as text, with a proper minus sign."""
    if value is None:
        return UNDEFINED
    return form(value) if callable(form) else printed(value, form)


def p_value(value: float) -> str:
    """Return a p-value as text, never 0."""
    # From here on it would be rounded to 0.001.
    return "< 0.001" if value < 0.0005 else f"{value:.3f}"


def interval(low: float | None, high: float | None, form: Form = ".4f") -> str:
    """Return an interval as text; empty if unknown."""
    if low is None or high is None:
        return ""
    between = " to " if min(low, high) < 0 else " – "  # a dash before a minus would be misread
    return number(low, form) + between + number(high, form)


def _rows(columns: list[list[str]]) -> list[list[str]]:
    return [list(row) for row in zip(*columns, strict=True)]


def _cells(frame: pl.DataFrame, name: str, form: Form | None, empty: pl.Series) -> list[str]:
    """Return the cells of a column, with intervals on a second line."""
    column = frame[name]
    if column.dtype == pl.String:
        return [text or "" for text in column]
    if column.dtype.is_integer() and not callable(form):
        form = ","
    if form is None:
        form = f".{digits_for(column) if column.dtype.is_numeric() else DIGITS}f"
    values = column.fill_nan(None) if column.dtype.is_float() else column
    cells = [
        "" if value is None and is_empty else number(value, form)
        for value, is_empty in zip(values, empty, strict=True)
    ]
    ends = f"{name}_low", f"{name}_high"
    if not set(ends) <= set(frame.columns):
        return cells
    below = [
        "" if value is None else interval(low, high, form)
        for value, low, high in zip(values, *(frame[end] for end in ends), strict=True)
    ]
    return [f"{cell}\n{text}" if text else cell for cell, text in zip(cells, below, strict=True)]
