"""Cells of tables: figures, intervals and stars."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from alignframe.typing import Row

if TYPE_CHECKING:
    import polars as pl

_LEAST = 0.0001
"""Smaller figures are shown as this one."""


class Figure(str):
    """A formatted figure, for example with a star."""

    __slots__ = ()


@dataclass(frozen=True)
class Spanned:
    """A formatted figure with its interval."""

    figure: str
    low: str
    high: str

    @property
    def span(self) -> str:
        """The interval; no hyphen between signed numbers, where it could be misread."""
        signed = self.low[:1] in "+-" or self.high[:1] in "+-"
        return f"{self.low} to {self.high}" if signed else f"{self.low}-{self.high}"

    def __str__(self) -> str:
        return f"{self.figure}\n{self.span}"


@dataclass(frozen=True)
class Marked:
    """A formatted figure, perhaps with its interval; in bold or with a star."""

    figure: str | Spanned
    bold: bool = False
    star: bool = False


def is_figure(value: object) -> bool:
    """Whether a cell is a number, alone or with its interval."""
    return value is None or isinstance(value, (int, float, Figure, Spanned, Marked))


def shown(value: object) -> Any:
    """Return a value with the digits shown for its kind."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        if 0 < value < _LEAST / 2:
            return f"<{_LEAST}"  # a p-value is never 0
        return "-" if math.isnan(value) else f"{value:z.4f}"
    if isinstance(value, int):
        return f"{value:,}"
    return value if isinstance(value, (Spanned, Marked)) else str(value)


def with_interval(
    value: object, span: tuple[object, object] | None, sign: str = "", digits: int | None = None
) -> Any:
    """Return a figure with its interval, which terminals show on a second line.

    The ``sign`` ``+`` adds a plus to positive numbers. With ``digits``, all have these.
    """
    if digits is not None and isinstance(value, float) and not math.isnan(value):
        every = (f"{one:{sign}z.{digits}f}" for one in (value, *(span or ())))
        return Spanned(*every) if span and None not in span else Figure(next(every))
    if span is None or value is None or None in span:
        return value
    figure = f"{value:{sign}z.4f}"
    ends = [f"{end:{sign}z.3f}" for end in span]
    if not float(ends[0]) <= float(figure) <= float(ends[1]):  # rounded out of it
        ends = [f"{end:{sign}z.4f}" for end in span]
    # As in print, .5 for 0.5: an interval needs room below its figure.
    low, high = (end.replace("0.", ".", 1) if end.lstrip("+-")[0] == "0" else end for end in ends)
    return Spanned(figure, low, high)


def with_intervals(frame: pl.DataFrame, digits: Mapping[str, int] | None = None) -> list[Row]:
    """Return the rows of a frame, with ``X_low`` and ``X_high`` merged into X."""
    places = digits or {}
    names = frame.columns
    spanned = {name for name in names if f"{name}_low" in names}
    ends = {f"{name}{end}" for name in spanned for end in ("_low", "_high")}
    return [
        {
            title_of(name): with_interval(
                value,
                (row[f"{name}_low"], row[f"{name}_high"]) if name in spanned else None,
                digits=places.get(name),
            )
            for name, value in row.items()
            if name not in ends
        }
        for row in frame.iter_rows(named=True)
    ]


def title_of(name: str) -> str:
    """Return the title of a column; F has its α in parentheses."""
    alpha = name.removeprefix("f_")
    return f"F({alpha})" if alpha != name and alpha.replace(".", "").isdigit() else name
