"""Shared parts of charts: tables, scales, axes, legends, tooltips and panels."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from alignframe.arrow import require_columns, to_table
from alignframe.charts.theme import legend_above

WIDE = 985
"""The width of a chart with its labels: the width of a card on a page."""

HALF = 446
"""The width of a chart with its labels if two are side by side on a page."""

LETTER = 6.7
MOST_LABEL = 170
_END = re.compile("_(low|high)$")
_WORDS = ("system", "metric", "measure", "pair", "corpus", "scenario", "method", "tuned", "segment")


def frame_of(given: Any, columns: Sequence[str], what: str) -> pl.DataFrame:
    """Return a table as a frame, with names of systems and the like as strings."""
    table = to_table(given)
    figures = {_END.sub("", name) for name in table.schema.names if _END.search(name)}
    ends = [f"{name}_{end}" for name in sorted(figures) for end in ("low", "high")]
    require_columns(table.schema, [*columns, *ends], what)
    frame = pl.DataFrame(pl.from_arrow(table))
    return frame.with_columns(pl.col(name).cast(pl.String) for name in _WORDS if name in frame)


def in_turn(frame: pl.DataFrame, name: str) -> list[str]:
    """Return the distinct values of a column in order of occurrence."""
    found: list[str] = frame[name].unique(maintain_order=True).to_list()
    return found


def around(
    values: Any, share: float = 0.1, flat: float = 0.05, *, inside: bool = False
) -> list[float]:
    """Return the range of an axis, with margins for points and their names.

    The margin is ``share`` of the range, or ``flat`` times the value if the range is empty;
    ``inside`` clips ranges within [0, 1] to it.
    """
    figures = np.asarray(values, np.float64)
    figures = figures[np.isfinite(figures)]
    low, high = (float(figures.min()), float(figures.max())) if figures.size else (0.0, 1.0)
    room = share * (high - low) or (flat if inside else flat * abs(high)) or flat
    if inside and low >= 0 and high <= 1:
        return [max(0.0, low - room), min(1.0, high + room)]
    return [low - room, high + room]


def exactly(domain: Sequence[float]) -> alt.Scale:
    """Return a scale with exactly this domain."""
    return alt.Scale(domain=list(domain), nice=False, zero=False)


def legend_beside(names: Sequence[str], room: int = 130, **more: Any) -> alt.Legend:
    """Return a legend above a chart, with points without outlines, which dashes would break up."""
    return legend_above(list(names), room, symbolStrokeWidth=0, **more)


def label_room(names: Sequence[str]) -> int:
    """Return the width in pixels of names beside a chart."""
    return round(min(MOST_LABEL, LETTER * max(map(len, names), default=0))) + 14


def rows(names: Sequence[str], field: str = "system", **look: Any) -> alt.Y:
    """Return the axis of named rows, in the given order."""
    return alt.Y(f"{field}:N", sort=list(names), title=None, axis=alt.Axis(**look))


def tooltips(*given: str) -> list[alt.Tooltip]:
    """Return tooltips from ``column``, ``column|title`` or ``column|title|format``."""
    made = []
    for one in given:
        column, *rest = one.split("|")
        words: dict[str, Any] = dict(zip(("title", "format"), rest, strict=False))
        made.append(alt.Tooltip(column, **{name: word for name, word in words.items() if word}))
    return made


def column(field: str, names: Sequence[str], **look: Any) -> alt.Column:
    """Return panels side by side, with their names above."""
    head = alt.Header(**{"labelAnchor": "start", **look})
    return alt.Column(f"{field}:N", sort=list(names), title=None, header=head)


def upright(field: str, names: Sequence[str]) -> alt.Row:
    """Return rows of panels, with their names upright at the side."""
    head = alt.Header(labelAngle=-90, labelAnchor="middle", labelPadding=4)
    return alt.Row(f"{field}:N", sort=list(names), title=None, header=head)


def panel_title(name: str, subtitle: str = "", **look: Any) -> alt.Title:
    """Return the title of one panel of several."""
    more: dict[str, Any] = {"subtitle": subtitle} if subtitle else {"fontWeight": "normal"}
    return alt.Title(name, **{"fontSize": 13, "offset": 4, "frame": "group", **more, **look})


def panels(
    chart: Any,
    gap: int,
    across: tuple[str, Sequence[str]],
    down: tuple[str, Sequence[str]] | None = None,
) -> Any:
    """Return panels by the values of a field, in rows by those of another if it has several."""
    rows = {"row": upright(*down)} if down and len(down[1]) > 1 else {}
    return chart.facet(spacing=gap, column=column(*across), **rows)
