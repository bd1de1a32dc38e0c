"""Tables of pages: figures, intervals and best values look alike on all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from alignframe.report.page import Table

if TYPE_CHECKING:
    from alignframe.stats.measure import Measure

Form = str | Callable[[Any], str]
"""How a figure is written: as Python formats it, or by a function."""

UNDEFINED = "undefined"

_LARGE = 10
_SPELT = {"aer": "AER", "bleu": "BLEU", "chrf": "chrF", "p_value": "p"}


def score_table(
    frame: pl.DataFrame,
    columns: Mapping[str, str],
    *,
    best: Mapping[str, Any] | None = None,
    within: Sequence[str] = (),
    form: Form | None = None,
    forms: Mapping[str, Form] | None = None,
    blank: pl.Expr | bool = False,
    **look: Any,
) -> Table:
    """Return rows of a frame as a table of a page.

    Words stand as they are, and whole numbers with commas. Below a figure ``x`` stands its
    interval, where the frame has ``x_low`` and ``x_high``. The best value of a column is marked if
    there are others.

    Parameters
    ----------
    frame
        The rows, in the order in which they are shown.
    columns
        What to show, and its heading.
    best
        Which value of a column is the best: ``max``, ``min``, or an expression that says where it
        stands.
    within
        Columns; the best value of each group of rows is marked.
    form, forms
        The format of decimals, and of single columns; by default four digits, or two where
        figures are larger than 10.
    blank
        Where what is undefined is left empty.
    look
        title, caption and wide of the ``Table``; texts, by default as many as the first columns
        with words.
    """
    forms = forms or {}
    empty = frame.with_columns(empty_=blank)["empty_"]
    shown: list[list[str]] = []
    strong: set[tuple[int, int]] = set()
    for at, name in enumerate(columns):
        shown.append(_cells(frame, name, forms.get(name, form), empty))
        if best and name in best:
            strong |= {(row, at) for row in _best(frame, name, best[name], within)}
    words = [frame.schema[name] == pl.String for name in columns]
    look.setdefault("texts", (*words, False).index(False))
    return Table(list(columns.values()), _rows(shown), frozenset(strong), **look)


def better(measure: Measure) -> dict[str, Any]:
    """Return which value of each figure of a measure is the best, for ``score_table``."""
    lower = measure.lower_is_better
    return {name: min if name in lower else max for name in measure.names}


def number(value: float | None, form: Form = ".4f") -> str:
    """Return a figure as text, with a minus sign that is one."""
    if value is None:
        return UNDEFINED
    return form(value) if callable(form) else f"{value:{form}}".replace("-", "−")


def p_value(value: float) -> str:
    """Return a p-value as text, which is never 0."""
    return "< 0.001" if value < 0.0005 else f"{value:.3f}"


def interval(low: float | None, high: float | None, form: Form = ".4f") -> str:
    """Return an interval as text; nothing if it is not known."""
    if low is None or high is None:
        return ""
    between = " to " if min(low, high) < 0 else " – "  # a dash before a minus would be misread
    return number(low, form) + between + number(high, form)


def heading(name: str) -> str:
    """Return the name of a column in words."""
    if name.startswith("f_"):
        return f"F(α = {name.removeprefix('f_')})"
    return _SPELT.get(name) or f"{name[:1].upper()}{name[1:]}".replace("_", " ")


def _rows(columns: list[list[str]]) -> list[list[str]]:
    return [list(row) for row in zip(*columns, strict=True)]


def _cells(frame: pl.DataFrame, name: str, form: Form | None, empty: pl.Series) -> list[str]:
    """Return the cells of a column, a second line for an interval."""
    column = frame[name]
    if column.dtype == pl.String:
        return [text or "" for text in column]
    if column.dtype.is_integer() and not callable(form):
        form = ","
    if form is None:
        large = column.dtype.is_numeric() and (column.abs() > _LARGE).any()
        form = ".2f" if large else ".4f"
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


def _best(frame: pl.DataFrame, name: str, best: Any, within: Sequence[str]) -> list[int]:
    """Return the rows in which a column has its best value."""
    if not isinstance(best, pl.Expr):
        value = pl.col(name).fill_nan(None) if frame.schema[name].is_float() else pl.col(name)
        top, count = value.max() if best is max else value.min(), value.count()
        if within:
            top, count = top.over(within), count.over(within)
        best = (value == top) & (count > 1)
    elif frame.schema[name].is_numeric():  # what is undefined is not the best of anything
        best &= pl.col(name).is_not_null() & pl.col(name).cast(pl.Float64).is_not_nan()
    found: list[int] = (
        frame.select(best.alias("best"))["best"].fill_null(False).arg_true().to_list()
    )
    return found
